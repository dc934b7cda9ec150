/* Allocates curves, and derives names and quantities from their facts. */
#include "result/curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/copy.h"
#include "result/fields.h"
#include "util/text.h"

#define GIB 1073741824.0

/* Two numbers in names of x are equal if they differ by a smaller factor. */
#define FIGURES_FACTOR 1.25

double *curve_new_missing(size_t n)
{
	double *values = reallocarray(NULL, n ? n : 1, sizeof(*values));

	for (size_t i = 0; values && i < n; i++)
		values[i] = NAN;
	return values;
}

bool curve_init(struct curve *curve, const struct curve_facts *facts, size_t n)
{
	struct curve borrowed = {.facts = *facts, .mark_x = NAN};

	if (!borrowed.facts.y_name)
		borrowed.facts.y_name = facts->family;

	if (!struct_copy(&curve_type, curve, &borrowed))
		return false;
	curve->n = n;
	curve->x = curve_new_missing(n);
	curve->median = curve_new_missing(n);
	curve->low = curve_new_missing(n);
	curve->high = curve_new_missing(n);
	if (curve->x && curve->median && curve->low && curve->high)
		return true;
	curve_release(curve);
	return false;
}

void curve_release(struct curve *curve)
{
	struct_release(&curve_type, curve);
}

bool curve_add_ceiling(struct curve *curve)
{
	if (!curve->ceiling)
		curve->ceiling = curve_new_missing(curve->n);
	return curve->ceiling;
}

void curve_set(struct curve *curve, size_t i, double x, const double y[3])
{
	curve->x[i] = x;
	curve->median[i] = y[0];
	curve->low[i] = y[1];
	curve->high[i] = y[2];
}

void curve_drop_x_names(struct curve *curve)
{
	for (size_t i = 0; i < curve->n_x_names; i++)
		free(curve->x_names[i]);
	free(curve->x_names);
	curve->x_names = NULL;
	curve->n_x_names = 0;
}

bool curve_name_x(struct curve *curve, const char *const *names)
{
	curve_drop_x_names(curve);
	curve->x_names = calloc(curve->n + 1, sizeof(*curve->x_names));
	while (curve->x_names && curve->n_x_names < curve->n) {
		char *name = strdup(names[curve->n_x_names]);

		if (!name)
			break;
		curve->x_names[curve->n_x_names++] = name;
	}
	if (curve->x_names && curve->n_x_names == curve->n)
		return true;
	curve_drop_x_names(curve);
	return false;
}

const char *curve_x_name(const struct curve *curve, double x)
{
	for (size_t i = 0; i < curve->n_x_names && i < curve->n; i++) {
		if (curve->x[i] == x)
			return curve->x_names[i];
	}
	return NULL;
}

static bool same_x_name(const char *a, const char *b)
{
	size_t words = strcspn(a, "(");
	double figures[2];

	if (text_same(a, b))
		return true;
	if (!a[words] || words != strcspn(b, "(") || strncmp(a, b, words) != 0)
		return false;
	figures[0] = strtod(a + words + 1, NULL);
	figures[1] = strtod(b + words + 1, NULL);
	return figures[0] < FIGURES_FACTOR * figures[1] &&
	       figures[1] < FIGURES_FACTOR * figures[0];
}

bool curve_is_point(
	const struct curve *curve, size_t i, double x, const char *name)
{
	return name && i < curve->n_x_names
		       ? same_x_name(curve->x_names[i], name)
		       : curve->x[i] == x;
}

double curve_value_at(const struct curve *curve, double x)
{
	for (size_t i = 0; curve && i < curve->n; i++) {
		if (curve->x[i] == x)
			return curve->median[i];
	}
	return NAN;
}

const struct curve_fit *curve_good_fit(const struct curve *curve)
{
	return curve->fit && !(curve->fit->worst_error > CURVE_FIT_WORST)
		       ? curve->fit
		       : NULL;
}

double curve_fit_at(const struct curve_fit *fit, double x)
{
	double gib = x / GIB;

	return gib * 1e9 /
	       (fit->overhead_ns[0] + gib / fit->rate_gib_per_s[0] * 1e9);
}

const char *curve_mix_words(const char *mix)
{
	static const struct {
		const char *mix, *words;
	} known[] = {
		{"1:0", "reads only"},
		{"3:1", "3 reads to 1 write"},
		{"2:1", "2 reads to 1 write"},
		{"1:1", "1 read to 1 write"},
		{"nt", "non-temporal copy"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (text_same(mix, known[i].mix))
			return known[i].words;
	}
	return mix;
}

const char *curve_name(const struct curve *curve, char name[CURVE_NAME_BYTES])
{
	const struct curve_facts *facts = &curve->facts;
	const struct cpu_list *cpus = &curve->cpus;
	const char *variant = facts->variant;
	char where[64] = "";

	if (facts->statistic == CURVE_MEAN)
		variant = "mean";
	else if (!facts->test && cpus->n == 1)
		snprintf(where, sizeof(where), " CPU %u", cpus->cpus[0]);
	else if (!facts->test && cpus->n == 2)
		snprintf(where, sizeof(where), " (CPUs %u and %u)",
			cpus->cpus[0], cpus->cpus[1]);
	snprintf(name, CURVE_NAME_BYTES, "%s%s%s%s",
		curve_mix_words(facts->member), variant ? ", " : "",
		variant ? variant : "", where);
	text_make_utf8(name);
	return name;
}

const char *curve_title(
	const struct curve *curve, char title[CURVE_TITLE_BYTES])
{
	const struct curve_facts *facts = &curve->facts;

	bool named = facts->test && strcmp(facts->test, facts->family) != 0;

	snprintf(title, CURVE_TITLE_BYTES, "%s%s%s%s%s",
		named ? facts->test : "", named ? ": " : "", facts->family,
		facts->device ? ", " : "", facts->device ? facts->device : "");
	text_make_utf8(title);
	return title;
}

bool curve_same_panel(const struct curve *a, const struct curve *b)
{
	return text_same(a->facts.test, b->facts.test) &&
	       text_same(a->facts.device, b->facts.device) &&
	       text_same(a->facts.family, b->facts.family) &&
	       text_same(a->facts.x_unit, b->facts.x_unit) &&
	       text_same(a->facts.y_unit, b->facts.y_unit);
}

bool curve_is_behind_mean(
	const struct curve *curve, const struct curve *all, size_t n)
{
	if (curve->facts.statistic == CURVE_MEAN || curve->cpus.n != 1)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (all[i].facts.statistic == CURVE_MEAN &&
			curve_same_panel(curve, &all[i]) &&
			text_same(curve->facts.member, all[i].facts.member))
			return true;
	}
	return false;
}

const char *curve_quantity(const struct curve_facts *facts)
{
	const char *unit = facts->y_unit;

	if (!text_same(facts->y_name, facts->family))
		return facts->y_name;
	if (strstr(unit, "B/s") || strstr(unit, "B/clk"))
		return "bandwidth";
	if (strstr(unit, "FLOP/s"))
		return "throughput";
	if (strncmp(facts->family, "latency", strlen("latency")) == 0)
		return "latency";
	return text_same(unit, "ns") || text_same(unit, "ms") ? "time"
							      : facts->family;
}

bool curve_higher_is_better(const struct curve_facts *facts)
{
	return text_is_rate(facts->y_unit) ||
	       strcmp(facts->y_unit, CURVE_SHARE_UNIT) == 0 ||
	       strcmp(facts->y_unit, CURVE_SPEED_UNIT) == 0;
}

bool curve_has_values(const struct curve *curve)
{
	for (size_t i = 0; i < curve->n; i++) {
		if (!isnan(curve->median[i]))
			return true;
	}
	return false;
}

bool curve_same(const struct curve *a, const struct curve *b)
{
	return curve_same_panel(a, b) &&
	       text_same(a->facts.member, b->facts.member) &&
	       text_same(a->facts.variant, b->facts.variant) &&
	       text_same(a->facts.x_name, b->facts.x_name) &&
	       a->facts.statistic == b->facts.statistic &&
	       cpu_list_same(&a->cpus, &b->cpus);
}
