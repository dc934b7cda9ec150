#include "figure/curve_places.h"

#include <fnmatch.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

/* The places of curves; NULL: any name. The first row that matches counts. */
static const struct curve_place_rule {
	const char *test;
	const char *family, *variant; /* patterns of fnmatch() */
	const char *unit;	      /* of y */
	bool first; /* only members like the first member of the test */
	struct curve_place place;
} rules[] = {
	/* c2c cl */
	{.family = "best work-group, *",
		.place.page = CURVE_DETAIL,
		.place.part = 9},
	{"banks", "*, blocks", .place.drawn = CURVE_ROW},
	{"banks", .place.drawn = CURVE_GRID},
	{"branch", "time", .place.page = CURVE_DETAIL},
	{"cache", "write", .place.part = 1},
	{"cache", "elements, *", .place.part = 2},
	{"constant", "latency", .place.page = CURVE_DETAIL},
	{"image", "16 KiB in all shapes", .place.page = CURVE_DETAIL},
	{"incore", "fma of *", .place.drawn = CURVE_ROW},
	{"incore", "div of *", .place.page = CURVE_DETAIL,
		.place.drawn = CURVE_ROW, .place.part = 1},
	{"incore", "sqrt of *", .place.page = CURVE_DETAIL,
		.place.drawn = CURVE_ROW, .place.part = 2},
	{"math", "float, row *", .place.page = CURVE_STRIP},
	{"math", "latency of float", .place.part = 1},
	{"math", "double", .place.part = 2},
	{"math", "double, row *", .place.page = CURVE_STRIP, .place.part = 2},
	{"math", "latency of double", .place.part = 3},
	{"peak", .place.page = CURVE_BAR},
	{"roofline", "clock of the cores", .place.page = CURVE_DETAIL,
		.place.part = 1},
	{"roofline", "power", .place.page = CURVE_DETAIL, .place.part = 1},
	{"roofline", "temperature", .place.page = CURVE_DETAIL,
		.place.part = 1},
	{"rowcol", "write, *", .place.part = 1},
	{"rowcol", "rows in vectors, *", .place.part = 2},
	{"rowcol", "row over column, read", .place.part = 3},
	{"rowcol", "row over column, *", .place.page = CURVE_DETAIL,
		.place.part = 3},
	/* c2c cache: curves that only the inference needs */
	{"bandwidth", .first = true, .place.page = CURVE_MAIN},
	{"bandwidth", .variant = "*slowest CPU", .place.page = CURVE_DETAIL},
	{"latency", .variant = "*alone*", .place.page = CURVE_DETAIL},
	{"latency", .variant = "fastest pass*", .place.page = CURVE_DETAIL},
	{"latency", .unit = "clk", .place.page = CURVE_DETAIL},
	{"line", .place.page = CURVE_DETAIL},
	{"rounds", .place.page = CURVE_DETAIL},
	{"ways", .place.page = CURVE_DETAIL},
	/* c2c contend */
	{"cpus", .place.page = CURVE_DETAIL},
	{"fairness", .place.page = CURVE_DETAIL},
	{"jain", .place.page = CURVE_DETAIL},
	{"p99", .place.page = CURVE_DETAIL},
	/* c2c latency --by-line, c2c numa, c2c states, c2c try */
	{"offset", .place.page = CURVE_DETAIL},
	{"delay", .place.page = CURVE_DETAIL},
	{"load", "CPUs of node *", .place.page = CURVE_DETAIL},
	{"apart", .place.page = CURVE_DETAIL},
	{"blocks", .place.page = CURVE_DETAIL},
	{.unit = CURVE_SPEED_UNIT, .place.drawn = CURVE_ROW},
};

static const struct curve_place elsewhere;

/* The arrays of rowcol that a page of several tests leaves out. */
static const struct curve_place other_arrays[2] = {
	{.page = CURVE_DETAIL}, {.page = CURVE_DETAIL, .part = 1}};

static bool text_fits(const char *pattern, const char *text)
{
	return !pattern || (text && fnmatch(pattern, text, 0) == 0);
}

/*
 * Return the array that represents rowcol on a device, ", 4 MiB of words", or
 * NULL. It is the largest array on GPUs, whose caches hold smaller arrays, and
 * the first array on CPUs, as in the article.
 */
static const char *rowcol_main_array(
	const struct curve *curves, size_t n, const char *device)
{
	const char *array = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct curve_facts *facts = &curves[i].facts;

		if (!text_same(facts->test, "rowcol") ||
			!text_same(facts->device, device))
			continue;
		if (text_fits("rows in vectors, *", facts->family))
			break;
		if (text_fits("read, * of words", facts->family))
			array = strchr(facts->family, ',');
	}
	return array;
}

const struct curve_place *curve_place_of(
	const struct curve *curves, size_t n, size_t i)
{
	const struct curve_facts *facts = &curves[i].facts;
	const struct curve_place *place = &elsewhere;
	const struct curve *first = curves;
	const char *array;

	while (!text_same(first->facts.test, facts->test))
		first++;
	for (size_t k = N_OF(rules); k-- > 0;) {
		const struct curve_place_rule *rule = &rules[k];

		if ((!rule->test || text_same(rule->test, facts->test)) &&
			text_fits(rule->family, facts->family) &&
			(!rule->first || text_same(first->facts.member,
						 facts->member)) &&
			text_fits(rule->variant, facts->variant) &&
			(!rule->unit || text_same(rule->unit, facts->y_unit)))
			place = &rule->place;
	}
	if (!text_same(facts->test, "rowcol") || place->part > 1)
		return place;
	array = rowcol_main_array(curves, n, facts->device);
	return array && !text_same(strchr(facts->family, ','), array)
		       ? &other_arrays[place->part]
		       : place;
}

bool curve_place_is_main(const struct curve_place *place)
{
	return place->page == CURVE_MAIN || place->page == CURVE_BAR;
}
