/*
 * Draws curves over the working set as a text chart. Each row is a doubling:
 * the name of its level, then for each panel the number and a bar of its first
 * curve. If there is room, a panel also has columns for its other curves. Bars
 * are logarithmic, as in the picture.
 */
#include <math.h>
#include <string.h>

#include "figure/draw.h"
#include "render/text_page.h"
#include "util/text.h"

/* A chart with more columns is hard to read. */
#define MOST_BARS 8

/* Width of "memory" and a blank. A longer name shifts its row. */
#define NAME_COLUMNS 7

/* Widths in columns: of a size, a number, a gap, and a bar. */
#define SIZE_COLUMNS   8
#define NUMBER_COLUMNS 5
#define GAP	       2
#define LEAST_COLUMNS  6
#define MOST_COLUMNS   24

/* The shortest bar is this share of the longest. */
#define SHORTEST 0.08

/* A row shows the value of the nearest size within this factor. */
#define NEAR 1.2

/* Larger than any working set, but fits an integer. */
#define MOST_BYTES 1e18

/* Parts of a full block. */
#define EIGHTHS 8

struct chart_series {
	const struct curve *curve;
	struct draw_extent y; /* of its values */
};

struct curve_chart {
	const struct text_page *page;
	const struct plot_view *view;
	struct chart_series bars[MOST_BARS];
	size_t n;
	size_t name;	      /* width of the names of caches; 0: no names */
	size_t columns;	      /* width of a bar */
	struct draw_extent x; /* of all curves */
	size_t left_out;      /* curves without a column */
	bool dots;	      /* some points have no value */
};

/*
 * Return the k-th curve of a panel that gets a column, or NULL. For rates, only
 * the first kind of access gets columns; the picture has the others. With
 * several sources, a panel has only one kind.
 */
static const struct curve *main_curve(
	const struct plot_view *view, const struct plot_panel *panel, size_t k)
{
	const struct curve *first = NULL;

	for (size_t i = 0; i < panel->n; i++) {
		const struct curve *curve = &panel->curves[i];

		if (!curve_place_is_main(curve->place) ||
			!curve_has_values(curve))
			continue;
		if (!first)
			first = curve;
		if (view->n_sources < 2 && text_is_rate(curve->facts.y_unit) &&
			!text_same(curve->facts.member, first->facts.member))
			continue;
		if (k-- == 0)
			return curve;
	}
	return NULL;
}

/* Return the total number of columns if each panel has at most this many. */
static size_t count_chart_series(const struct plot_view *view, size_t most)
{
	size_t n = 0;

	for (size_t p = 0; p < view->n_panels; p++) {
		for (size_t k = 0;
			k < most && main_curve(view, &view->panels[p], k); k++)
			n++;
	}
	return n;
}

static void add_chart_series(
	struct curve_chart *chart, const struct curve *curve)
{
	struct chart_series bars = {curve, draw_nothing};

	draw_extend(&bars.y, curve->median, curve->n);
	draw_extend(&chart->x, curve->x, curve->n);
	if (!(bars.y.least > 0))
		return;
	chart->bars[chart->n++] = bars;
	chart->left_out--;
}

/* Add columns to all panels in turn, while there is room. */
static void choose_chart_series(struct curve_chart *chart, size_t room)
{
	const struct plot_view *view = chart->view;
	size_t each = 1;

	while (each < room && count_chart_series(view, each) < room)
		each++;
	for (size_t p = 0; p < view->n_panels; p++) {
		const struct plot_panel *panel = &view->panels[p];
		const struct curve *curve;

		chart->left_out += panel->n;
		for (size_t k = 0; k < each && chart->n < room &&
				   (curve = main_curve(view, panel, k));
			k++)
			add_chart_series(chart, curve);
	}
}

/* Choose curves and widths; false if there is nothing to draw. */
static bool lay_out_chart(struct curve_chart *chart)
{
	size_t columns = max_size(chart->page->columns, 40) - 1, used, each;

	for (size_t i = 0; i < chart->view->n_caches; i++)
		chart->name = max_size(
			chart->name, strlen(chart->view->caches[i].name) + 1);
	chart->name = min_size(chart->name, NAME_COLUMNS);
	used = chart->name + SIZE_COLUMNS;
	each = GAP + NUMBER_COLUMNS + 1 + LEAST_COLUMNS;
	choose_chart_series(
		chart, min_size(MOST_BARS, (columns - used) / each));
	/* A file may hold impossible sizes. */
	if (chart->n == 0 || !(chart->x.least >= 1) ||
		!(chart->x.most >= chart->x.least &&
			chart->x.most < MOST_BYTES))
		return false;
	each = (columns - used) / chart->n;
	chart->columns =
		min_size(each - GAP - NUMBER_COLUMNS - 1, MOST_COLUMNS);
	return true;
}

/*
 * Return the value of the nearest point to x within a factor of NEAR. *any:
 * whether the curve has a point there, with or without a value.
 */
static double chart_value_near(const struct curve *curve, double x, bool *any)
{
	double best = NAN, distance = log(NEAR);

	*any = false;
	for (size_t i = 0; i < curve->n; i++) {
		double away = fabs(log(curve->x[i] / x));

		*any |= away < log(NEAR);
		if (!isnan(curve->median[i]) && away < distance) {
			distance = away;
			best = curve->median[i];
		}
	}
	return best;
}

/* Print a bar; return its width in columns. */
static size_t print_chart_bar(const struct curve_chart *chart,
	const struct chart_series *bars, double value)
{
	static const char *const eighths[] = {"", "\u258f", "\u258e", "\u258d",
		"\u258c", "\u258b", "\u258a", "\u2589"};
	double span = log(bars->y.most / bars->y.least);
	double share = span > 0 ? log(value / bars->y.least) / span : 1;
	double length =
		(SHORTEST + (1 - SHORTEST) * share) * (double)chart->columns;
	size_t n = (size_t)lround(length * EIGHTHS);
	size_t full = n / EIGHTHS, more = n % EIGHTHS != 0;
	FILE *out = chart->page->out;

	if (!chart->page->utf8)
		full += more;
	for (size_t i = 0; i < full; i++)
		fputs(chart->page->utf8 ? "\u2588" : "#", out);
	if (!chart->page->utf8)
		return full;
	fputs(eighths[n % EIGHTHS], out);
	return full + more;
}

/*
 * Return the level of size x: the first level that is not smaller. NULL: none.
 */
static const struct cache_level *find_level_at_size(
	const struct plot_view *view, double x)
{
	for (size_t i = 0; i < view->n_caches; i++) {
		const struct cache_level *level = &view->caches[i];
		double end = sqrt(level->least_bytes * level->most_bytes);

		/* x may belong to this level of unknown size. */
		if (isnan(level->least_bytes) && !level->memory)
			return NULL;
		if (level->memory || isnan(end) || x <= end)
			return level;
	}
	return NULL;
}

/* Print the numbers at x, each with its bar. */
static void print_chart_values(struct curve_chart *chart, double x)
{
	size_t wide = NUMBER_COLUMNS + 1 + chart->columns, blanks = GAP;

	for (size_t i = 0; i < chart->n; i++) {
		bool any;
		double value = chart_value_near(chart->bars[i].curve, x, &any);

		if (!any) {
			blanks += GAP + wide;
			continue;
		}
		fprintf(chart->page->out, "%*s", (int)blanks, "");
		/* Print three digits, or all of a whole number. */
		page_number(chart->page, NUMBER_COLUMNS, value,
			value < 9.995	? 2
			: value < 99.95 ? 1
					: 0);
		blanks = GAP + wide - NUMBER_COLUMNS;
		if (isnan(value)) {
			chart->dots = true;
			continue;
		}
		putc(' ', chart->page->out);
		blanks -= 1 + print_chart_bar(chart, &chart->bars[i], value);
	}
	putc('\n', chart->page->out);
}

static void print_chart_rows(struct curve_chart *chart)
{
	const struct plot_view *view = chart->view;
	const struct cache_level *before = NULL;
	const struct cache_level *last =
		chart->name ? &view->caches[view->n_caches - 1] : NULL;
	FILE *out = chart->page->out;
	size_t n = 1 + (size_t)log2(NEAR * chart->x.most / chart->x.least);

	for (size_t row = 0; row < n; row++) {
		double x = ldexp(chart->x.least, (int)row);
		const struct cache_level *level = find_level_at_size(view, x);
		char size[TEXT_SIZE_BYTES];
		const char *name;
		size_t columns;

		/* The last row is always named memory. */
		if (last && last->memory && row + 1 == n)
			level = last;
		name = level && level != before ? level->name : "";
		before = level;
		columns = text_columns(name, strlen(name));
		page_print(chart->page, name, strlen(name));
		fprintf(out, "%*s%*s",
			(int)(columns < chart->name ? chart->name - columns
						    : columns > 0),
			"", SIZE_COLUMNS, text_size((uint64_t)x, size));
		print_chart_values(chart, x);
	}
}

/*
 * Write one of two heading lines of a column: its panel, then its curve and
 * unit. The name of a latency takes both lines if it is too long for one.
 */
static void chart_heading_text(const struct curve *curve, int line,
	size_t columns, char text[CURVE_TITLE_BYTES + CURVE_NAME_BYTES])
{
	const struct curve_facts *facts = &curve->facts;
	char name[CURVE_NAME_BYTES];
	bool both;

	curve_name(curve, name);
	both = facts->variant && !text_is_rate(facts->y_unit) &&
	       text_columns(name, strlen(name)) > columns;
	if (line == 0 && !both) {
		curve_title(curve, text);
		if (text_columns(text, strlen(text)) <= columns)
			return;
		/* Omit the test. */
		snprintf(text, CURVE_TITLE_BYTES, "%s", facts->family);
		text_make_utf8(text);
		return;
	}
	if (both)
		snprintf(name, sizeof(name), "%s",
			line == 0 ? facts->member : facts->variant);
	text_make_utf8(name);
	if (line == 0)
		snprintf(text, CURVE_NAME_BYTES, "%s", name);
	else
		snprintf(text, CURVE_TITLE_BYTES + CURVE_NAME_BYTES, "%s [%s]",
			name, facts->y_unit);
}

static void print_chart_headings(const struct curve_chart *chart)
{
	size_t wide = GAP + NUMBER_COLUMNS + 1 + chart->columns;
	FILE *out = chart->page->out;

	for (int line = 0; line < 2; line++) {
		size_t blanks = chart->name + SIZE_COLUMNS + GAP;

		for (size_t i = 0; i < chart->n; i++) {
			char text[CURVE_TITLE_BYTES + CURVE_NAME_BYTES];
			size_t bytes;

			chart_heading_text(
				chart->bars[i].curve, line, wide - GAP, text);
			bytes = text_line(text, wide - GAP, ' ');
			fprintf(out, "%*s", (int)blanks, "");
			page_print(chart->page, text, bytes);
			blanks = wide -
				 min_size(wide - 1, text_columns(text, bytes));
		}
		putc('\n', out);
	}
}

/* Print the command that shows the curves without a column. */
static void print_left_out_curves(const struct curve_chart *chart)
{
	const char *test = chart->bars[0].curve->facts.test;

	fprintf(chart->page->out,
		" The record (-o FILE.json) has %zu more curve%s:\n"
		"c2c plot%s%s -o FILE.svg FILE.json",
		chart->left_out, chart->left_out == 1 ? "" : "s",
		test ? " --test " : "", test ? test : "");
}

bool page_has_chart(const struct plot_view *view)
{
	for (size_t i = 0; i < view->n_curves; i++) {
		if (view->curves[i].facts.x_axis == CURVE_SETS)
			return true;
	}
	return false;
}

static void print_chart_footer(const struct curve_chart *chart)
{
	FILE *out = chart->page->out;
	bool several = false;

	for (size_t i = 0; i < chart->n; i++)
		several |= chart->bars[i].curve->cpus.n > 1;
	if (several && chart->name)
		fputs("The levels are those of one CPU; several CPUs divide "
		      "the working set.\n",
			out);
	if (chart->dots)
		fputs("A dot is a point without a value.\n", out);
	fputs("Bars are logarithmic.", out);
	if (chart->left_out > 0)
		print_left_out_curves(chart);
	putc('\n', out);
}

void page_print_chart(
	const struct text_page *page, const struct plot_view *view)
{
	struct curve_chart chart = {
		.page = page, .view = view, .x = draw_nothing};

	if (!lay_out_chart(&chart)) {
		fputs("No values.\n", page->out);
		return;
	}
	print_chart_headings(&chart);
	print_chart_rows(&chart);
	print_chart_footer(&chart);
}
