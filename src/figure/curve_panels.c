/*
 * Pages of curves, with a panel for each combination of axes. A single panel is
 * large and names its curves at their ends. Several panels form a grid;
 * adjacent panels with the same curves share a legend.
 *
 * A page with several tests shows the main panels of each test below the test's
 * name. With many tests, it shows one panel of each. With several sources, each
 * source has a colour, and a legend at the top has their names.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure/draw.h"
#include "util/array.h"
#include "util/size.h"

/* Sizes of the parts of a grid cell, which has one panel. */
#define TEST	20.0 /* height of a test's name */
#define HEAD	15.0 /* height of a panel's title */
#define Y_TITLE 13.0 /* height above the y axis */
#define LEGEND	11.0 /* height of a line of a legend */
#define STRIP	68.0 /* height below the strip, for names and legend */
#define LEFT	36.0
#define RIGHT	12.0
#define SAMPLE	18.0 /* width of a line in a legend */
#define LETTER	0.6  /* mean width of a bold letter, in em */

/* Size of letters in the legend of several sources. */
#define SOURCE_LETTERS 9.5
#define SOURCE_PITCH   15.0
#define SOURCE_SAMPLE  26.0

/* Size of letters in the name of a test. */
#define TEST_LETTERS 9.5

/* Up to FEW_PANELS are larger; above MANY_PANELS, a test has only one. */
#define FEW_PANELS  8
#define MANY_PANELS 24

/* Least distance between names at the ends of curves. */
#define APART 13.0

/*
 * Draw ceilings up to this many times the highest value. The second number is
 * for several sources on a logarithmic axis.
 */
#define NEAR_CEILING 3
#define NEAR_FACTOR  30

/* Use a logarithmic y axis if sources' highest values differ by this factor. */
#define FAR_APART 5

/* Bands may raise the y axis by this factor. */
#define BAND_ROOM 1.4

/* If bands cover a larger share of a panel, draw intervals as lines. */
#define MOST_COVERED 0.4

/* Colour of the thin curves behind a mean. */
#define PALE "#AAAAAA"

/* Rounding of x: a record has six digits of x, but all digits of a mark's x. */
#define ROUNDED 1e-5

struct curve_line {
	const struct curve *curve;
	bool behind; /* one CPU's curve, behind a mean */
	bool own;    /* not behind, no ceiling */
	size_t look; /* colour, and shape of points */
	size_t rank; /* line style among equal looks in a panel: 0: solid */
	bool near;   /* draw its ceiling */
	struct draw_extent ceiling;
	double end_y; /* its last value; NaN: none */
	double at;    /* y of its name */
};

struct curve_panel {
	/* on the page: only one source, test, part, order read */
	size_t order[4];
	struct curve_line *lines; /* [n] */
	size_t n, n_ceilings;
	const struct curve_facts *facts; /* facts of the first curve */
	char *native;			 /* native rates of the CPUs, as text */
	const struct draw_table *table;	 /* NULL: draw curves */
	bool thin; /* draw intervals as lines, because bands hide the curves */
	struct draw_extent y, band; /* ranges: values, intervals */
	double *x;		    /* [n_x] of all values */
	size_t n_x;
	size_t row, column;
	size_t run;	  /* first panel of those that share a legend */
	size_t run_cells; /* number of these panels */
	struct draw_panel frame;
};

struct panel_row {
	size_t used; /* used columns */
	double y, native, height, legend;
	double strip; /* y of the strip below a row; 0: none */
};

struct panel_layout {
	double cell, height, size; /* sizes: panels, letters */
	double test, head, below;  /* heights around a panel */
};

enum sheet_kind {
	SHEET_TESTS, /* many panels, of several tests */
	SHEET_PANELS,
	SHEET_SETS,   /* large panels, over working sets */
	SHEET_TABLES, /* large enough for numbers in cells */
	SHEET_PAGE, /* a panel of a page, which stretches it, on a phone too */
};

/* Sizes of up to this many panels. */
static const struct {
	enum sheet_kind kind;
	size_t most, across;
	struct panel_layout layout;
} sheet_layouts[] = {
	{SHEET_TESTS, SIZE_MAX, 4, {216, 88, 7.5, TEST, HEAD, 37}},
	{SHEET_PANELS, 1, 1, {500 + LEFT + RIGHT, 320, 10, 0, 0, 40}},
	{SHEET_PANELS, 2, 2, {320, 160, 7.5, 6, HEAD, 37}},
	{SHEET_PANELS, 3, 3, {270, 160, 7.5, 6, HEAD, 37}},
	{SHEET_PANELS, SIZE_MAX, 4, {230, 130, 7.5, 6, HEAD, 37}},
	{SHEET_SETS, 1, 1, {500 + LEFT + RIGHT, 320, 10, 0, 0, 40}},
	{SHEET_SETS, 2, 2, {380, 230, 8, 0, HEAD, 40}},
	{SHEET_SETS, 3, 3, {330, 200, 7.5, 0, HEAD, 37}},
	{SHEET_SETS, 4, 2, {380, 230, 8, 0, HEAD, 40}},
	{SHEET_SETS, SIZE_MAX, 3, {330, 200, 7.5, 0, HEAD, 37}},
	{SHEET_TABLES, SIZE_MAX, 2, {500, 224, 8, 6, HEAD, 37}},
	{SHEET_PAGE, SIZE_MAX, 1, {270, 150, 7.5, 0, 0, 37}},
};

struct curve_sheet {
	struct drawing *drawing;
	const struct plot_view *view;
	struct arena *memory;
	/* [n_lines] drawn and other lines of all panels */
	struct curve_line *lines;
	size_t n_lines;
	struct curve_panel *panels; /* [n] */
	size_t n;
	struct panel_row *rows; /* [n_rows] */
	size_t n_rows, across;
	struct curve_line **names; /* [n_names] at the ends of curves */
	size_t n_names;
	const char **variants; /* [n_variants] of several sources; NULL: none */
	size_t n_variants;
	bool all, one, several, one_pair; /* tests, panel, sources, CPUs */
	bool sets, levels;	/* x is working sets; cache levels are marked */
	bool own_looks;		/* each curve of a panel has its own look */
	bool main;		/* only main panels are drawn */
	bool titled;		/* panels have titles */
	bool overview;		/* one panel per test */
	bool any_table, tables; /* some panels, all panels are tables */
	bool with_band, with_thin, cut_off, with_fit; /* drawn parts */
	bool any_near, any_theory;
	double left, indent, width;
	double names_height; /* of all lines but one of the names of x */
	struct panel_layout layout;
};

static bool is_theory(const struct curve *curve)
{
	return curve->facts.statistic == CURVE_THEORY;
}

static const char *curve_line_name(
	const struct curve_line *line, char name[CURVE_NAME_BYTES])
{
	if (!line->behind)
		return curve_name(line->curve, name);
	snprintf(name, CURVE_NAME_BYTES, "each %s CPU",
		line->curve->facts.member);
	return name;
}

static int compare_panels(const void *a, const void *b)
{
	const struct curve_panel *one = a, *other = b;
	size_t i = 0;

	while (i < 3 && one->order[i] == other->order[i])
		i++;
	return one->order[i] > other->order[i] ? 1 : -1;
}

/* Whether two panels are adjacent, because they have the same test or part. */
static bool in_same_group(const struct curve_sheet *sheet,
	const struct curve_panel *a, const struct curve_panel *b)
{
	return a->order[0] == b->order[0] && a->order[1] == b->order[1] &&
	       (sheet->all || a->order[2] == b->order[2]);
}

/* Whether any of these curves is for a page with several tests. */
static bool has_main_curve(const struct curve *curves, size_t n)
{
	size_t i = 0;

	while (i < n && !curve_place_is_main(curves[i].place))
		i++;
	return i < n;
}

/* Add a panel with a table of curves, and with the bounds of these curves. */
static bool add_table_panel(struct curve_sheet *sheet,
	const struct plot_panel *from, struct curve_panel panel,
	const struct curve *const *rows, size_t n)
{
	panel.table =
		draw_table_new(sheet->memory, rows, n, sheet->drawing->options);
	if (!panel.table)
		return false;
	panel.lines =
		arena_alloc(sheet->memory, from->n, sizeof(struct curve_line));
	panel.n = 0;
	panel.facts = &rows[0]->facts;
	for (size_t i = 0; i < from->n; i++) {
		const struct curve *curve = &from->curves[i];

		if (n > 1 || curve == rows[0] ||
			(curve_is_bound(curve) &&
				(!sheet->several ||
					text_same(curve->facts.member,
						rows[0]->facts.member))))
			panel.lines[panel.n++] =
				(struct curve_line){.curve = curve};
	}
	panel.order[3] = sheet->n;
	sheet->panels[sheet->n++] = panel;
	return true;
}

/*
 * Add a table of the CURVE_ROW curves of a panel, and one per CURVE_GRID curve.
 */
static bool add_table_panels(struct curve_sheet *sheet,
	const struct plot_panel *from, struct curve_panel panel)
{
	const struct curve **rows =
		arena_alloc(sheet->memory, from->n, sizeof(struct curve *));
	size_t n = 0, each, before = sheet->n;
	bool whole = true;

	for (size_t i = 0; i < from->n; i++) {
		if (curve_is_bound(&from->curves[i]))
			continue;
		rows[n++] = &from->curves[i];
		whole &= rows[n - 1]->place->drawn == rows[0]->place->drawn;
	}
	if (n == 0 || rows[0]->place->drawn == CURVE_LINE)
		return false;
	each = rows[0]->place->drawn == CURVE_GRID ? 1 : n;
	for (size_t i = 0; whole && i < n; i += each)
		whole = add_table_panel(sheet, from, panel, &rows[i], each);
	if (!whole)
		sheet->n = before;
	return whole;
}

/* Make lines of a panel's curves that are in no table. */
static void fill_panel_lines(const struct plot_panel *from,
	const struct curve_panel *panel, bool own)
{
	for (size_t i = 0; i < from->n; i++) {
		struct curve_line *line = &panel->lines[i];

		line->curve = &from->curves[i];
		line->behind = curve_is_behind_mean(
			line->curve, from->curves, from->n);
		line->own =
			own && !line->behind && !curve_is_bound(line->curve);
	}
}

/* Return the number of sources with curves in a panel. */
static size_t count_panel_sources(const struct plot_panel *panel)
{
	size_t n = 0;

	for (size_t i = 0; i < panel->n; i++) {
		size_t k = 0;

		while (!text_same(panel->curves[k].facts.member,
			panel->curves[i].facts.member))
			k++;
		n += k == i;
	}
	return n;
}

/* Whether a page with one panel per test shows this panel. */
static bool is_panel_of_overview(
	const struct curve_sheet *sheet, const struct plot_panel *panel)
{
	const struct plot_panel *best = NULL;

	for (size_t p = 0; p < sheet->view->n_panels; p++) {
		const struct plot_panel *other = &sheet->view->panels[p];

		if (text_same(other->curves->facts.test,
			    panel->curves->facts.test) &&
			has_main_curve(other->curves, other->n) &&
			(!best || (sheet->several &&
					  count_panel_sources(other) >
						  count_panel_sources(best))))
			best = other;
	}
	return panel == best;
}

/*
 * Make the panels and their lines, in the view's order; panels with only one of
 * several sources are last. If there are many main panels, keep one per test;
 * with several sources, keep a panel that most sources have.
 */
static void make_sheet_panels(struct curve_sheet *sheet)
{
	const struct curve *curves = sheet->view->curves;
	bool all =
		!sheet->main || !has_main_curve(curves, sheet->view->n_curves);
	size_t n_main = 0;

	for (size_t p = 0; p < sheet->view->n_panels; p++)
		n_main += has_main_curve(sheet->view->panels[p].curves,
			sheet->view->panels[p].n);
	sheet->overview = sheet->main && n_main > MANY_PANELS;
	for (size_t p = 0; p < sheet->view->n_panels; p++) {
		const struct plot_panel *from = &sheet->view->panels[p];
		const struct curve_facts *facts = &from->curves->facts;
		bool shown = all || has_main_curve(from->curves, from->n);
		struct curve_panel panel = {
			.lines = &sheet->lines[sheet->n_lines],
			.n = from->n,
			.facts = facts,
			.order = {sheet->several &&
					  count_panel_sources(from) == 1,
				0, from->curves->place->part, sheet->n}};
		bool table;

		while (sheet->all &&
			!text_same(
				curves[panel.order[1]].facts.test, facts->test))
			panel.order[1]++;
		shown &= !sheet->overview || is_panel_of_overview(sheet, from);
		table = shown && add_table_panels(sheet, from, panel);
		fill_panel_lines(from, &panel, shown && !table);
		if (shown && !table)
			sheet->panels[sheet->n++] = panel;
		sheet->any_table |= table;
		sheet->n_lines += from->n;
	}
}

/* Whether a ceiling differs along the axis. */
static bool is_ceiling_range(const struct curve_line *line)
{
	return line->ceiling.most > 1.05 * line->ceiling.least;
}

/* Add a ceiling as text: "natively write 652–2189". */
static void add_ceiling_text(const struct curve_sheet *sheet,
	const struct curve_panel *panel, const struct curve_line *line,
	struct text_list *text, const char *before)
{
	double least = line->ceiling.least, most = line->ceiling.most;
	char name[CURVE_NAME_BYTES], numbers[2][PLOT_NUMBER_BYTES];
	bool named = panel->n_ceilings > 1 || (sheet->several && !panel->table);

	snprintf(numbers[0], sizeof(numbers[0]), least < 1000 ? "%.3g" : "%.0f",
		least);
	snprintf(numbers[1], sizeof(numbers[1]), most < 1000 ? "%.3g" : "%.0f",
		most);
	curve_name(line->curve, name);
	text_list_add(text, ", ", "%s%s%s%s", before, named ? name : "",
		named ? " " : "", numbers[0]);
	if (is_ceiling_range(line))
		text_list_add(text, "", "–%s", numbers[1]);
}

/*
 * Write native rates as text. With several sources, write only rates that no
 * line shows: those far above the curves and beyond the axis.
 */
static void describe_ceilings(
	struct curve_sheet *sheet, struct curve_panel *panel)
{
	struct text_list text = {0};
	bool differs = false;
	int last = -1; /* whether the last rate is one of theory */

	if (panel->table)
		text_list_add(&text, ", ", "%s",
			draw_table_ends(sheet->memory, panel->table));
	for (size_t i = 0; i < panel->n; i++) {
		struct curve_line *line = &panel->lines[i];
		bool theory = is_theory(line->curve);

		if (isnan(line->ceiling.most))
			continue;
		line->near |= sheet->several && !panel->table &&
			      line->ceiling.most <= panel->frame.up.high;
		sheet->any_theory |= line->near && theory;
		sheet->any_near |= line->near && !theory;
		if (line->near && sheet->several)
			continue;
		differs |= is_ceiling_range(line);
		add_ceiling_text(sheet, panel, line, &text,
			theory == last ? ""
			: theory       ? "in theory "
				       : "natively ");
		last = theory;
	}
	if (differs)
		text_list_add(&text, "", " by %s", panel->facts->x_name);
	panel->native = arena_adopt(sheet->memory, text_list_end(&text));
}

/* Whether the bands of all curves would cover too much of a panel. */
static bool bands_hide_panel(const struct curve_panel *panel)
{
	double covered = 0;

	for (size_t i = 0; i < panel->n; i++) {
		const struct curve *curve = panel->lines[i].curve;

		for (size_t k = 0;
			panel->lines[i].own && curve->low && k < curve->n; k++)
			covered += (draw_panel_y(&panel->frame, curve->low[k]) -
					   draw_panel_y(&panel->frame,
						   curve->high[k])) /
				   (double)curve->n;
	}
	return covered > MOST_COVERED * panel->frame.height;
}

/*
 * Whether two panels have the same axes: panels of a test with the same
 * quantities, if there are several sources and no ratios.
 */
static bool panels_share_axes(const struct curve_sheet *sheet,
	const struct curve_panel *a, const struct curve_panel *b)
{
	return a == b ||
	       (sheet->several && !sheet->drawing->options->relative &&
		       !a->table && !b->table &&
		       a->facts->x_axis == b->facts->x_axis &&
		       text_same(a->facts->test, b->facts->test) &&
		       text_same(a->facts->x_name, b->facts->x_name) &&
		       text_same(a->facts->x_unit, b->facts->x_unit) &&
		       text_same(a->facts->y_name, b->facts->y_name) &&
		       text_same(a->facts->y_unit, b->facts->y_unit));
}

/*
 * Return the kind of the y axis: logarithmic if sources differ so much that a
 * linear axis would flatten the slower curve.
 */
static enum curve_axis panel_y_axis(
	const struct curve_sheet *sheet, const struct curve_panel *panel)
{
	double least = NAN, most = NAN;

	for (size_t i = 0; i < panel->n && sheet->several; i++) {
		struct draw_extent y = draw_nothing;

		draw_extend(&y, panel->lines[i].curve->median,
			panel->lines[i].curve->n);
		least = fmin(least, y.most);
		most = fmax(most, y.most);
	}
	return most > FAR_APART * least ? CURVE_RATIOS : panel->facts->y_axis;
}

/* Whether all curves of a panel have the same names of x. */
static bool panel_shares_x_names(const struct curve_panel *panel)
{
	const struct curve *first = panel->lines[0].curve;

	for (size_t i = 1; i < panel->n; i++) {
		const struct curve *curve = panel->lines[i].curve;

		for (size_t k = 0; k < curve->n; k++) {
			if (curve->n != first->n ||
				!text_same(curve_x_name(curve, curve->x[k]),
					curve_x_name(first, curve->x[k])))
				return false;
		}
	}
	return true;
}

/* Find the ceilings of all lines; make room for ceilings near the curves. */
static void measure_ceilings(
	const struct curve_sheet *sheet, struct curve_panel *panel)
{
	bool far = sheet->several && panel_y_axis(sheet, panel) == CURVE_RATIOS;
	double highest = panel->y.most, room = 1;

	for (size_t i = 0; i < panel->n && !sheet->several; i++) {
		/* Ceilings of one source have names above them. */
		if (curve_is_bound(panel->lines[i].curve))
			room = 1.12;
	}
	for (size_t i = 0; i < panel->n; i++) {
		struct curve_line *line = &panel->lines[i];
		double most;

		line->ceiling = draw_nothing;
		draw_extend(
			&line->ceiling, line->curve->ceiling, line->curve->n);
		most = line->ceiling.most;
		panel->n_ceilings += !isnan(most);
		line->near =
			!panel->table &&
			most <= (far ? NEAR_FACTOR : NEAR_CEILING) * highest;
		if (line->near)
			panel->y.most = fmax(panel->y.most, room * most);
	}
}

/* Find the ends of a panel's values, with room for bands. */
static void measure_panel(struct curve_sheet *sheet, struct curve_panel *panel)
{
	panel->y = panel->band = draw_nothing;
	panel->frame = (struct draw_panel){.width = sheet->width,
		.height = sheet->layout.height,
		.size = sheet->layout.size};
	if (panel->table) {
		panel->frame.height =
			draw_table_height(panel->table, panel->frame.height);
		measure_ceilings(sheet, panel);
		return;
	}
	for (size_t i = 0; i < panel->n; i++)
		panel->n_x += panel->lines[i].curve->n;
	panel->x = arena_alloc(sheet->memory, panel->n_x, sizeof(*panel->x));
	panel->n_x = 0;
	for (size_t i = 0; i < panel->n; i++) {
		struct curve_line *line = &panel->lines[i];
		const struct curve *curve = line->curve;

		line->end_y = NAN;
		for (size_t k = 0; k < curve->n; k++) {
			if (isnan(curve->median[k]))
				continue;
			panel->x[panel->n_x++] = curve->x[k];
			line->end_y = curve->median[k];
		}
		draw_extend(&panel->y, curve->median, curve->n);
		draw_extend(&panel->band, curve->low, curve->n);
		draw_extend(&panel->band, curve->high, curve->n);
		sheet->with_fit |= curve_good_fit(curve) != NULL;
	}
	if (!isnan(panel->band.most))
		panel->y.most = fmax(panel->y.most,
			fmin(panel->band.most, BAND_ROOM * panel->y.most));
	if (isnan(panel->y.most))
		panel->y = (struct draw_extent){0, 0};
	measure_ceilings(sheet, panel);
}

/* Choose the ends of both axes, with equal ends in panels that share axes. */
static void choose_panel_axes(
	struct curve_sheet *sheet, struct curve_panel *panel)
{
	struct draw_extent y = draw_nothing;
	struct draw_panel *frame = &panel->frame;
	enum curve_axis kind = panel->facts->y_axis;
	size_t n = 0, n_x = 0;
	double *x;

	if (panel->table)
		return;
	for (size_t p = 0; p < sheet->n; p++)
		n += panels_share_axes(sheet, panel, &sheet->panels[p])
			     ? sheet->panels[p].n_x
			     : 0;
	x = arena_alloc(sheet->memory, n, sizeof(*x));
	for (size_t p = 0; p < sheet->n; p++) {
		const struct curve_panel *other = &sheet->panels[p];

		if (!panels_share_axes(sheet, panel, other))
			continue;
		for (size_t i = 0; i < other->n_x; i++)
			x[n_x++] = other->x[i];
		draw_extend(&y, &other->y.least, 1);
		draw_extend(&y, &other->y.most, 1);
		if (panel_y_axis(sheet, other) == CURVE_RATIOS)
			kind = CURVE_RATIOS;
	}
	draw_choose_x(&frame->across, x, draw_distinct(x, n_x),
		panel->facts->x_axis, sheet->width, sheet->layout.size);
	if (panel_shares_x_names(panel))
		draw_choose_x_names(&frame->across, panel->lines[0].curve);
	sheet->names_height = fmax(
		sheet->names_height, draw_x_names(sheet->drawing, frame, NAN) -
					     DRAW_LINE_PITCH * frame->size);
	draw_choose_y(&frame->up, y, kind, sheet->drawing->options,
		sheet->sets  ? 9
		: sheet->one ? 6
			     : 5);
	sheet->cut_off |= panel->band.most > frame->up.high ||
			  panel->band.least < frame->up.low;
	/* Nothing is between names. */
	panel->thin = frame->across.named || bands_hide_panel(panel);
	sheet->with_thin |= panel->thin;
	sheet->with_band |= !isnan(panel->band.most) && !panel->thin;
}

/*
 * Whether two curves share a colour and shape: curves of a test with the same
 * member, or other curves on the same CPUs. Other curves do not share if all of
 * them are on the same CPUs. Curves over working sets never share.
 */
static bool curves_share_look(const struct curve_sheet *sheet,
	const struct curve *a, const struct curve *b)
{
	if (!a->facts.test && !sheet->one_pair && !sheet->several)
		return cpu_list_same(&a->cpus, &b->cpus);
	return text_same(a->facts.test, b->facts.test) &&
	       text_same(a->facts.member, b->facts.member) &&
	       ((a->facts.test && !sheet->own_looks) ||
		       text_same(a->facts.variant, b->facts.variant));
}

static size_t look_of_name(
	const struct curve_sheet *sheet, const struct curve_line *line)
{
	const struct curve_line *other = sheet->lines;

	while (other < line && !(other->own && line->curve->facts.test &&
				       text_same(other->curve->facts.member,
					       line->curve->facts.member)))
		other++;
	return other < line ? other->look : 0;
}

/*
 * Take the look of a curve that shares it, else the free look of another test's
 * curve of the same name, else the first free look.
 */
static void choose_line_look(struct curve_sheet *sheet,
	const struct curve_panel *panel, struct curve_line *line, bool *taken)
{
	line->look = look_of_name(sheet, line);
	for (const struct curve_line *other = sheet->lines; other < line;
		other++) {
		if (!other->own ||
			!curves_share_look(sheet, other->curve, line->curve))
			continue;
		line->look = other->look;
		line->rank += other >= panel->lines;
	}
	memset(taken, 0, sheet->n_lines + 1);
	for (const struct curve_line *other = panel->lines; other < line;
		other++)
		taken[other->look] |=
			other->own &&
			!curves_share_look(sheet, other->curve, line->curve);
	for (size_t i = 0; taken[line->look]; i++)
		line->look = i;
}

/* Return the index of a variant, or the number of variants. */
static size_t find_variant(const struct curve_sheet *sheet, const char *variant)
{
	size_t i = 0;

	while (i < sheet->n_variants && !text_same(sheet->variants[i], variant))
		i++;
	return i;
}

/*
 * With several sources, each source has a colour and each variant a line style.
 */
static void choose_source_look(
	const struct curve_sheet *sheet, struct curve_line *line)
{
	while (!text_same(sheet->view->sources[line->look].name,
		line->curve->facts.member))
		line->look++;
	line->rank = find_variant(sheet, line->curve->facts.variant);
}

/* List the variants of all lines, plain first, with several sources. */
static void list_variants(struct curve_sheet *sheet)
{
	sheet->variants = arena_alloc(
		sheet->memory, sheet->n_lines + 1, sizeof(*sheet->variants));
	for (size_t i = 0; i < sheet->n_lines; i++)
		sheet->n_variants |= sheet->lines[i].own &&
				     !sheet->lines[i].curve->facts.variant;
	for (size_t i = 0; i < sheet->n_lines; i++) {
		const char *variant = sheet->lines[i].curve->facts.variant;

		if (sheet->lines[i].own &&
			find_variant(sheet, variant) == sheet->n_variants)
			sheet->variants[sheet->n_variants++] = variant;
	}
}

static void choose_sheet_looks(struct curve_sheet *sheet)
{
	bool *taken =
		arena_alloc(sheet->memory, sheet->n_lines + 1, sizeof(*taken));

	for (size_t p = 0; p < sheet->n; p++) {
		struct curve_panel *panel = &sheet->panels[p];

		for (size_t i = 0; i < panel->n; i++) {
			if (panel->lines[i].own && sheet->several)
				choose_source_look(sheet, &panel->lines[i]);
			else if (panel->lines[i].own)
				choose_line_look(
					sheet, panel, &panel->lines[i], taken);
		}
	}
}

/*
 * Put each group of panels into the first row that has room, and drop unused
 * columns.
 */
static void place_groups(struct curve_sheet *sheet)
{
	const struct curve_panel *panels = sheet->panels;
	size_t used = 1;

	for (size_t p = 0, end; p < sheet->n; p = end) {
		size_t r = 0;

		for (end = p + 1;
			end < sheet->n &&
			in_same_group(sheet, &panels[end], &panels[p]);)
			end++;
		while (r < sheet->n_rows &&
			sheet->rows[r].used + (end - p) > sheet->across)
			r++;
		for (size_t k = p; k < end; k++) {
			if (r == sheet->n_rows)
				sheet->n_rows++;
			sheet->panels[k].row = r;
			sheet->panels[k].column = sheet->rows[r].used++;
			r += sheet->rows[r].used == sheet->across;
		}
	}
	for (size_t r = 0; r < sheet->n_rows; r++)
		used = max_size(used, sheet->rows[r].used);
	sheet->across = min_size(used, sheet->across);
}

/* Whether the legend of another panel has all entries of a panel. */
static bool has_legend_entries(
	const struct curve_panel *panel, const struct curve_panel *other)
{
	char names[2][CURVE_NAME_BYTES];

	for (size_t i = 0; i < panel->n; i++) {
		const struct curve_line *line = &panel->lines[i];
		const struct curve_line *entry = other->lines;
		bool found = !line->own;

		for (; entry < other->lines + other->n && !found; entry++)
			found = entry->own && entry->look == line->look &&
				entry->rank == line->rank &&
				text_same(curve_line_name(entry, names[0]),
					curve_line_name(line, names[1]));
		if (!found)
			return false;
	}
	return true;
}

static void draw_point(const struct curve_sheet *sheet, double x, double y,
	int shape, double size, const char *colour)
{
	canvas_markers(&sheet->drawing->canvas, &(struct canvas_point){x, y}, 1,
		(struct canvas_marker){shape, size, colour});
}

/* The first variant is dashed, the second dotted. */
static enum canvas_dash line_dash(size_t rank)
{
	static const enum canvas_dash dashes[] = {
		CANVAS_SOLID, CANVAS_DASHED, CANVAS_DOTTED};

	return dashes[min_size(rank, N_OF(dashes) - 1)];
}

/* Draw a line's sample and name; curves behind a mean share an entry. */
static void draw_legend_entry(const struct curve_sheet *sheet,
	const struct curve_line *line, double x, double y)
{
	const char *colour = line->behind ? PALE : draw_colour(line->look);
	struct canvas_words at = {.x = x + SAMPLE + 3,
		.y = y,
		.size = sheet->layout.size,
		.align = CANVAS_LEFT};
	char name[CURVE_NAME_BYTES];

	if (sheet->one)
		at.colour = line->behind ? "#6A6A6A" : draw_ink(line->look);
	canvas_line(&sheet->drawing->canvas, x, y, x + SAMPLE, y,
		CANVAS_STROKE(1.2, colour, .dash = line_dash(line->rank)));
	if (!line->behind)
		draw_point(sheet, x + SAMPLE / 2, y, draw_shape(line->look),
			sheet->layout.size / 10, colour);
	draw_text(sheet->drawing, at, curve_line_name(line, name));
}

static double legend_entry_width(
	const struct curve_sheet *sheet, const struct curve_line *line)
{
	char name[CURVE_NAME_BYTES];

	return SAMPLE + 11 +
	       0.58 * sheet->layout.size *
		       draw_length(curve_line_name(line, name));
}

/* Draw a shared legend from y on, unless y is NaN; return its lines. */
static size_t draw_run_legend(const struct curve_sheet *sheet,
	const struct curve_panel *panel, double x, double y)
{
	double across = (double)panel->run_cells * sheet->layout.cell,
	       width = 0;
	size_t lines = 0;

	for (size_t i = 0, first = 0; i <= panel->n; i++) {
		bool listed = i < panel->n && panel->lines[i].own;
		double w = listed ? legend_entry_width(sheet, &panel->lines[i])
				  : 0;

		if (width > 0 &&
			(i == panel->n || width + w > across - RIGHT)) {
			double at = x + LEFT / 2 + (across - width) / 2;

			for (; first < i && !isnan(y); first++) {
				if (!panel->lines[first].own)
					continue;
				draw_legend_entry(sheet, &panel->lines[first],
					at, y + LEGEND * (double)lines);
				at += legend_entry_width(
					sheet, &panel->lines[first]);
			}
			lines++;
			width = 0;
		}
		width += w;
	}
	return lines;
}

/* Write the native rates from y on, unless y is NaN; return their height. */
static double draw_native_rates(const struct curve_sheet *sheet,
	const struct curve_panel *panel, double y)
{
	return draw_lines(sheet->drawing,
		DRAW_AT(panel->frame.x + sheet->width / 2, y,
			0.93 * sheet->layout.size, .colour = DRAW_GREY),
		sheet->layout.cell, ',', panel->native);
}

/* Let adjacent panels share the legend of the first if it has all entries. */
static void plan_row_legends(struct curve_sheet *sheet)
{
	for (size_t p = 0; p < sheet->n; p++) {
		struct curve_panel *panel = &sheet->panels[p];
		struct curve_panel *first =
			p ? &sheet->panels[panel[-1].run] : panel;

		if (first->row != panel->row ||
			(sheet->all && !in_same_group(sheet, first, panel)) ||
			!has_legend_entries(panel, first))
			first = panel;
		panel->run = (size_t)(first - sheet->panels);
		first->run_cells++;
	}
	for (size_t p = 0; p < sheet->n; p++) {
		const struct curve_panel *panel = &sheet->panels[p];
		struct panel_row *row = &sheet->rows[panel->row];
		size_t lines = panel->run == p && !sheet->one && !sheet->several
				       ? draw_run_legend(sheet, panel, 0, NAN)
				       : 0;

		row->native =
			fmax(row->native, draw_native_rates(sheet, panel, NAN));
		if (lines)
			row->legend =
				fmax(row->legend, LEGEND * (double)lines + 3);
	}
}

static bool is_in_strip(
	const struct curve_sheet *sheet, const struct curve *curve)
{
	return sheet->all && !sheet->several &&
	       curve->place->page == CURVE_STRIP;
}

/* Whether the strip is below row r: the last row with panels of its test. */
static bool has_strip(const struct curve_sheet *sheet, size_t r)
{
	const struct plot_view *view = sheet->view;
	size_t i = 0, last = sheet->n_rows - 1;

	while (i < view->n_curves && !is_in_strip(sheet, &view->curves[i]))
		i++;
	if (i == view->n_curves)
		return false;
	for (size_t p = 0, own = 0; p < sheet->n; p++) {
		const struct curve_panel *panel = &sheet->panels[p];

		if (!text_same(panel->facts->test, view->curves[i].facts.test))
			continue;
		last = own++ && panel->row < last ? last : panel->row;
	}
	return r == last;
}

static double stack_panel_rows(struct curve_sheet *sheet)
{
	double down = 0;

	for (size_t p = 0; p < sheet->n; p++) {
		struct panel_row *row = &sheet->rows[sheet->panels[p].row];

		row->height = fmax(row->height, sheet->panels[p].frame.height);
	}
	for (size_t r = 0; r < sheet->n_rows; r++) {
		struct panel_row *row = &sheet->rows[r];

		row->y = down;
		down += sheet->layout.test + sheet->layout.head + row->native +
			row->height + sheet->layout.below + row->legend;
		if (has_strip(sheet, r)) {
			row->strip = down;
			down += sheet->layout.head + sheet->layout.height +
				STRIP;
		}
	}
	return down;
}

static int compare_ends(const void *a, const void *b)
{
	const struct curve_line *const *one = a, *const *other = b;

	return ((*one)->at > (*other)->at) - ((*one)->at < (*other)->at);
}

/* Draw each name at the end of its curve, without overlap. */
static void draw_curve_names(
	const struct curve_sheet *sheet, const struct draw_panel *frame)
{
	double least = frame->y, most = frame->y + frame->height;
	struct curve_line **names = sheet->names;
	size_t n = sheet->n_names;

	for (size_t i = 0; i < n; i++)
		names[i]->at = isnan(names[i]->end_y)
				       ? most
				       : draw_panel_y(frame, names[i]->end_y);
	qsort(names, n, sizeof(struct curve_line *), compare_ends);
	for (size_t i = 0; i < n; i++) {
		names[i]->at = fmax(least, names[i]->at);
		least = names[i]->at + APART;
	}
	for (size_t i = n; i-- > 0;) {
		most = fmin(most, names[i]->at);
		if (!isnan(names[i]->end_y))
			draw_legend_entry(sheet, names[i],
				frame->x + frame->width + 10, most);
		most -= APART;
	}
}

/* Return the line of the curve that a ceiling bounds, or the ceiling's line. */
static const struct curve_line *find_line_of_bound(
	const struct curve_panel *panel, const struct curve_line *line)
{
	const char *name = line->curve->facts.member;

	for (size_t i = 0; i < panel->n && !line->own; i++) {
		if (text_same(panel->lines[i].curve->facts.member, name))
			line = &panel->lines[i];
	}
	return line;
}

/*
 * Draw a ceiling's name where the line begins, on a plain background, below all
 * curves in paint order. The name is above the line, or below it if another
 * ceiling's name needs the space.
 */
static void draw_bound_name(const struct curve_sheet *sheet,
	const struct curve_panel *panel, const struct curve_line *line,
	bool ground)
{
	const struct curve *curve = line->curve;
	const struct draw_panel *frame = &panel->frame;
	double size = 0.87 * sheet->layout.size, up = 0.77 * size;
	double x, end, y;
	size_t i = 0;

	if (!line->near || panel->n_ceilings < 2 ||
		find_line_of_bound(panel, line)->own)
		return;
	while (isnan(curve->ceiling[i]))
		i++;
	x = draw_panel_x(frame, curve->x[i]);
	end = x + 0.57 * size * draw_length(curve->facts.member);
	y = draw_panel_y(frame, curve->ceiling[i]);

	/* Move the name away from a ceiling that rises into it. */
	for (size_t k = i + 1; k < curve->n; k++) {
		double next = draw_panel_x(frame, curve->x[k]);
		double before = draw_panel_x(frame, curve->x[k - 1]);
		double from = draw_panel_y(frame, curve->ceiling[k - 1]);
		double to = draw_panel_y(frame, curve->ceiling[k]);
		double share = fmin((end - before) / (next - before), 1);

		if (before < end)
			y = fmin(y, from + share * (to - from));
	}
	for (size_t k = 0; k < panel->n; k++) {
		const struct curve *other = panel->lines[k].curve;
		double higher;

		if (!curve_is_bound(other) || !panel->lines[k].near ||
			other->n <= i || other == curve)
			continue;
		higher = y - draw_panel_y(frame, other->ceiling[i]);
		if ((higher > 0 || (higher == 0 && other < curve)) &&
			higher < 2 * fabs(up))
			up = -fabs(up);
	}
	if (ground)
		canvas_line(&sheet->drawing->canvas, x, y - up, end, y - up,
			CANVAS_STROKE(size, "#FFFFFF"));
	else
		draw_text(sheet->drawing,
			DRAW_AT(x, y - up, size, .align = CANVAS_LEFT,
				.colour = DRAW_GREY),
			curve->facts.member);
}

/* Draw the line of a good fit, dashed. */
static void draw_fit_line(const struct curve_sheet *sheet,
	const struct curve_panel *panel, const struct curve *curve,
	const char *colour)
{
	double *values = arena_alloc(sheet->memory, curve->n, sizeof(*values));

	for (size_t i = 0; i < curve->n; i++)
		values[i] = curve_fit_at(curve->fit, curve->x[i]);
	draw_panel_line(sheet->drawing, &panel->frame, curve->x, values,
		curve->n, CANVAS_STROKE(0.9, colour, .dash = CANVAS_DASHED));
}

/* Draw a ceiling as a dashed line, a theoretical one as a dotted line. */
static void draw_bound_line(const struct curve_sheet *sheet,
	const struct curve_panel *panel, const struct curve_line *line)
{
	const struct curve *curve = line->curve;
	const char *colour;

	line = find_line_of_bound(panel, line);
	/* Draw several ceilings pale, because they may cross each other. */
	colour = panel->n_ceilings > 1 ? draw_pale(line->look)
				       : draw_colour(line->look);
	colour = line->own ? colour : DRAW_GREY;
	draw_panel_line(sheet->drawing, &panel->frame, curve->x, curve->ceiling,
		curve->n,
		CANVAS_STROKE(0.9, colour,
			.dash = is_theory(curve) ? CANVAS_DOTTED
						 : CANVAS_DASHED));
}

static void draw_curve_line(const struct curve_sheet *sheet,
	const struct curve_panel *panel, const struct curve_line *line)
{
	struct drawing *drawing = sheet->drawing;
	const struct curve *curve = line->curve;
	double wide = 0.6;
	struct canvas_marker dots = {CANVAS_DISC, 0.3, PALE};

	if (!line->behind) {
		wide = 0.15 * sheet->layout.size;
		dots = (struct canvas_marker){draw_shape(line->look),
			sheet->layout.size / 10, draw_colour(line->look)};
	}
	draw_panel_line(drawing, &panel->frame, curve->x, curve->median,
		curve->n,
		CANVAS_STROKE(
			wide, dots.colour, .dash = line_dash(line->rank)));
	draw_panel_dots(drawing, &panel->frame, curve->x, curve->median,
		curve->n, dots);
}

/* Draw a ring around the marked point of a curve, with its text. */
static void draw_curve_mark(const struct curve_sheet *sheet,
	const struct curve_panel *panel, const struct curve_line *line)
{
	const struct curve *curve = line->curve;
	double x = draw_panel_x(&panel->frame, curve->mark_x), y;
	size_t at = 0;

	while (at < curve->n && !(fabs(curve->x[at] - curve->mark_x) <=
					ROUNDED * fabs(curve->mark_x)))
		at++;
	if (!curve->mark || at == curve->n || isnan(curve->median[at]))
		return;
	y = draw_panel_y(&panel->frame, curve->median[at]);
	draw_point(sheet, x, y, CANVAS_DISC - 1, 1.9,
		line->behind ? PALE : draw_colour(line->look));
	/* Place the text on the side without the line. */
	y += at + 1 < curve->n && curve->median[at + 1] > curve->median[at]
		     ? 6
		     : -6;
	draw_text(sheet->drawing,
		DRAW_AT(x + 7, y, 0.93 * sheet->layout.size,
			.align = CANVAS_LEFT),
		curve->mark);
}

/* Paint order. */
enum {
	PANEL_GROUNDS,
	PANEL_BANDS,
	PANEL_THIN_LINES,
	PANEL_CURVES,
	PANEL_WORDS,
	PANEL_LAYERS
};

static void draw_line_layer(const struct curve_sheet *sheet,
	const struct curve_panel *panel, const struct curve_line *line,
	size_t layer)
{
	const struct curve *curve = line->curve;
	const char *colour = draw_colour(line->look);
	bool bound = curve_is_bound(curve);

	if (layer == PANEL_GROUNDS || layer == PANEL_WORDS)
		draw_bound_name(sheet, panel, line, layer == PANEL_GROUNDS);
	if (layer == PANEL_BANDS && !line->behind && curve->low)
		draw_panel_band(sheet->drawing, &panel->frame, curve,
			panel->thin ? draw_pale(line->look) : colour,
			panel->thin);
	if (layer == PANEL_THIN_LINES && line->near)
		draw_bound_line(sheet, panel, line);
	if (layer == PANEL_THIN_LINES && !line->behind && curve_good_fit(curve))
		draw_fit_line(sheet, panel, curve, colour);
	if (layer == (line->behind ? PANEL_THIN_LINES : PANEL_CURVES) && !bound)
		draw_curve_line(sheet, panel, line);
	if (layer == PANEL_WORDS && !bound)
		draw_curve_mark(sheet, panel, line);
}

/* Draw the heading of each test above its first panel. */
static void draw_group_headings(const struct curve_sheet *sheet,
	const struct curve_panel *panel, double top)
{
	double x = panel->frame.x - sheet->left + 4, end = x - 8;

	if (!sheet->all || (panel > sheet->panels &&
				   in_same_group(sheet, panel - 1, panel)))
		return;
	for (const struct curve_panel *k = panel; k < sheet->panels + sheet->n;
		k++) {
		if (k->row == panel->row && in_same_group(sheet, k, panel))
			end += sheet->layout.cell;
	}
	canvas_line(&sheet->drawing->canvas, x, top + 2, end, top + 2,
		CANVAS_STROKE(0.6, "#BBBBBB"));
	draw_text(sheet->drawing,
		DRAW_AT(x, top + 11, TEST_LETTERS, .align = CANVAS_LEFT,
			.bold = true),
		panel->facts->test);
}

/*
 * Draw a panel's title, and above its y axis the title of y; for a single
 * panel, y's title is beside the axis.
 */
static void draw_panel_titles(const struct curve_sheet *sheet,
	const struct curve_panel *panel, double top)
{
	const struct draw_panel *frame = &panel->frame;
	const struct curve_facts *facts = panel->facts;
	double middle = frame->x + frame->width / 2;
	double centre = frame->y + frame->height / 2, size = sheet->layout.size;
	/* Pages over working sets have no headings for tests. */
	bool named = sheet->sets && facts->test &&
		     strcmp(facts->test, facts->family) != 0;
	bool grid = panel->table && !panel->table->x;
	const char *heading = arena_format(sheet->memory, "%s%s%s%s%s",
		named ? facts->test : "", named ? ", " : "", facts->family,
		grid ? ", " : "", grid ? facts->member : "");
	const char *y = arena_format(
		sheet->memory, "%s [%s]", curve_quantity(facts), facts->y_unit);

	if (sheet->one)
		draw_text(sheet->drawing,
			DRAW_AT(22, centre, 1.06 * size, .upwards = true), y);
	else
		draw_text(sheet->drawing,
			DRAW_AT(frame->x - sheet->left + 8,
				frame->y - Y_TITLE / 2 -
					(sheet->levels ? DRAW_LEVELS_HEIGHT
						       : 0),
				size, .align = CANVAS_LEFT,
				.colour = DRAW_GREY),
			y);
	if (sheet->titled)
		draw_text(sheet->drawing,
			DRAW_AT(middle - 6, top + HEAD - 8,
				(draw_length(heading) > 36 ? 1 : 1.13) * size,
				.bold = true),
			draw_cut(sheet->drawing, heading,
				sheet->layout.cell / (LETTER * size)));
	draw_text(sheet->drawing,
		DRAW_AT(middle,
			frame->y + frame->height + 2.95 * size +
				sheet->names_height,
			1.06 * size),
		arena_format(sheet->memory, "%s%s",
			plot_x_title(sheet->drawing->view, panel->lines->curve),
			grid ? ", row + column" : ""));
	if (frame->across.n == 0 && !panel->table)
		draw_text(sheet->drawing, DRAW_AT(middle, centre, 1.2 * size),
			"no values");
}

/* Write the positions of a curve's values for the script of a page. */
static void add_curve_spots(const struct curve_sheet *sheet,
	const struct draw_panel *frame, const struct curve *curve)
{
	const double *values =
		curve_is_bound(curve) ? curve->ceiling : curve->median;
	struct canvas_point *spots = arena_alloc(
		sheet->memory, curve->n, sizeof(struct canvas_point));

	for (size_t i = 0; i < curve->n; i++) {
		double x = draw_panel_x(frame, curve->x[i]);

		if (isnan(values[i]) || !isfinite(x))
			x = NAN;
		spots[i] = (struct canvas_point){
			x, draw_panel_y(frame, values[i])};
	}
	canvas_spots(&sheet->drawing->canvas,
		(size_t)(curve - sheet->view->curves), spots, curve->n);
}

static void draw_sheet_panel(
	const struct curve_sheet *sheet, struct curve_panel *panel, double top)
{
	const struct panel_row *row = &sheet->rows[panel->row];
	struct draw_panel *frame = &panel->frame;
	double cell =
		sheet->indent + (double)panel->column * sheet->layout.cell;
	double titles = top + row->y + sheet->layout.test;

	frame->x = cell + sheet->left;
	frame->y = titles + sheet->layout.head + row->native;
	draw_group_headings(sheet, panel, top + row->y);
	draw_panel_titles(sheet, panel, titles);
	draw_native_rates(
		sheet, panel, titles + (sheet->titled ? HEAD : 0) + 2);
	if (panel->table) {
		draw_table(sheet->drawing, panel->table, frame, sheet->left);
		return;
	}
	if (draw_has_levels(sheet->view, panel->lines->curve))
		draw_levels(sheet->drawing, frame, panel->lines->curve);
	draw_panel(sheet->drawing, frame);
	for (size_t i = 0; i < PANEL_LAYERS * panel->n; i++)
		draw_line_layer(sheet, panel, &panel->lines[i % panel->n],
			i / panel->n);
	for (size_t i = 0; i < panel->n && sheet->drawing->panel; i++)
		add_curve_spots(sheet, frame, panel->lines[i].curve);
	if (sheet->one)
		draw_curve_names(sheet, frame);
	else if (panel == &sheet->panels[panel->run] && !sheet->several)
		draw_run_legend(sheet, panel, cell,
			frame->y + frame->height + sheet->layout.below);
}

#define MOST_KINDS 4

/* A strip of the best values of curves, by name (x) and kind (colour). */
struct device_strip {
	const char **names; /* [n] */
	size_t n;
	const char *kinds[MOST_KINDS];
	size_t n_kinds;
	struct draw_extent y;
};

/* Return the index of a name in a list; append the name if there is room. */
static size_t find_or_add_name(
	const char **list, size_t *n, size_t room, const char *name)
{
	size_t i = 0;

	while (i < *n && strcmp(list[i], name) != 0)
		i++;
	if (i == *n && i < room)
		list[(*n)++] = name;
	return i < room ? i : room - 1;
}

/* Draw the points into the frame; without a frame, collect names and values. */
static void walk_strip_curves(const struct curve_sheet *sheet,
	struct device_strip *strip, const struct draw_panel *frame)
{
	const struct plot_view *all = sheet->view;

	for (size_t i = 0; i < all->n_curves; i++) {
		const struct curve *curve = &all->curves[i];
		struct draw_extent best = draw_nothing;
		size_t x, k;

		if (!is_in_strip(sheet, curve))
			continue;
		draw_extend(&best, curve->median, curve->n);
		draw_extend(&strip->y, &best.most, 1);
		x = find_or_add_name(strip->names, &strip->n, all->n_curves,
			curve->facts.member);
		k = find_or_add_name(strip->kinds, &strip->n_kinds, MOST_KINDS,
			curve->facts.y_name);
		if (frame && !isnan(best.most))
			draw_point(sheet, draw_panel_x(frame, (double)x + 1),
				draw_panel_y(frame, best.most), draw_shape(k),
				0.75, draw_colour(k));
	}
}

static void draw_device_strip(const struct curve_sheet *sheet,
	const struct panel_row *row, double top)
{
	struct device_strip strip = {.y = draw_nothing,
		.names = arena_alloc(
			sheet->memory, sheet->view->n_curves, sizeof(char *))};
	struct draw_panel frame = {.x = sheet->indent + LEFT,
		.y = top + row->strip + sheet->layout.head,
		.height = sheet->layout.height,
		.size = sheet->layout.size};
	double grid = (double)sheet->across * sheet->layout.cell;
	double middle, bottom = frame.y + frame.height;

	walk_strip_curves(sheet, &strip, NULL);
	frame.width = fmin(
		grid - LEFT - RIGHT, fmax(sheet->width, 40 * (double)strip.n));
	frame.across =
		(struct draw_axis){.low = 0.3, .high = (double)strip.n + 0.7};
	middle = frame.x + frame.width / 2;
	/* Always logarithmic, because functions differ much in cost. */
	strip.y.most = isnan(strip.y.most) ? 1 : strip.y.most;
	strip.y.least = fmin(strip.y.least, strip.y.most / 4);
	draw_choose_y(&frame.up, strip.y, CURVE_RATIOS,
		&(struct plot_options){.range_min = NAN}, 5);
	draw_panel(sheet->drawing, &frame);
	draw_text(sheet->drawing,
		DRAW_AT(middle, frame.y - 8, 8.5, .bold = true),
		"built-in functions, the best of all vectors [Gcalls/s]");
	for (size_t i = 0; i < strip.n; i++) {
		double x = draw_panel_x(&frame, (double)i + 1);

		draw_text(sheet->drawing,
			DRAW_AT(x, bottom + 5, 7.5, .align = CANVAS_RIGHT,
				.colour = DRAW_GREY, .upwards = true),
			strip.names[i]);
		canvas_line(&sheet->drawing->canvas, x, frame.y, x, bottom,
			CANVAS_STROKE(0.5, "#E0E0E0"));
	}
	for (size_t k = 0; k < strip.n_kinds; k++) {
		double x = middle - 60 + 60 * (double)k;

		draw_point(sheet, x, bottom + 58, draw_shape(k), 0.75,
			draw_colour(k));
		draw_text(sheet->drawing,
			DRAW_AT(x + 8, bottom + 58, 7.5, .align = CANVAS_LEFT),
			strip.kinds[k]);
	}
	walk_strip_curves(sheet, &strip, &frame);
}

/* Make room for the marks at the left and the names at the right. */
static void fit_single_panel(struct curve_sheet *sheet)
{
	const struct curve_panel *panel = sheet->panels;
	struct draw_panel *frame = &sheet->panels->frame;
	struct curve_line *lowest = NULL;
	double marks = 1, names = 0;
	char text[PLOT_NUMBER_BYTES];

	for (size_t i = 0; i < panel->n; i++) {
		struct curve_line *line = &panel->lines[i];

		if (line->behind && (!lowest || line->end_y < lowest->end_y))
			lowest = line;
		else if (line->own)
			sheet->names[sheet->n_names++] = line;
	}
	if (lowest)
		sheet->names[sheet->n_names++] = lowest;
	for (size_t i = 0; i < sheet->n_names; i++)
		names = fmax(names, legend_entry_width(sheet, sheet->names[i]));
	for (size_t i = 0; i < frame->up.n; i++) {
		draw_mark(&frame->up, i, text);
		marks = fmax(marks, draw_length(text));
	}
	sheet->left = 12 + 20 + marks * DRAW_DIGIT * 10 + 8;
	frame->height =
		fmax(frame->height, (APART + 1) * (double)(sheet->n_names + 1));
	sheet->layout.height = frame->height;
	sheet->indent = 0;
	sheet->drawing->canvas.width =
		ceil(sheet->left + sheet->width + names + 14);
}

/* Whether the headings of tests repeat the titles of all panels. */
static bool headings_are_titles(const struct curve_sheet *sheet)
{
	for (size_t p = 0; p < sheet->n && sheet->all; p++) {
		const struct curve_facts *facts = sheet->panels[p].facts;

		if (sheet->panels[p].table ||
			!text_same(facts->test, facts->family))
			return false;
	}
	return sheet->all;
}

/*
 * Choose the titles of panels, and make room for these titles. The caption is
 * the title of a single panel.
 */
static void choose_sheet_titles(struct curve_sheet *sheet)
{
	bool repeated = headings_are_titles(sheet);
	struct panel_layout *layout = &sheet->layout;

	if (sheet->drawing->panel)
		layout->head = Y_TITLE + (sheet->n > 1 ? HEAD : 0);
	else if (!sheet->one)
		layout->head += Y_TITLE - (repeated ? HEAD : 0);
	else if (sheet->view->n_panels > 1)
		layout->head += HEAD;
	if (sheet->levels)
		layout->head += DRAW_LEVELS_HEIGHT;
	sheet->titled = sheet->drawing->panel ? sheet->n > 1
					      : layout->head > 0 && !repeated;
}

/* Choose the sizes of panels; tables are all as high as the highest one. */
static void choose_sheet_layout(struct curve_sheet *sheet)
{
	bool page = sheet->drawing->panel;
	enum sheet_kind kind = sheet->tables && !sheet->all ? SHEET_TABLES
			       : page			    ? SHEET_PAGE
			       : sheet->sets		    ? SHEET_SETS
			       : sheet->all && sheet->n > FEW_PANELS
				       ? SHEET_TESTS
				       : SHEET_PANELS;
	double tall = 0;
	size_t i = 0;

	while (sheet_layouts[i].kind != kind ||
		sheet->n > sheet_layouts[i].most)
		i++;
	sheet->layout = sheet_layouts[i].layout;
	sheet->across = page ? 1 : sheet_layouts[i].across;
	sheet->one = sheet->n == 1 && !page && kind != SHEET_TABLES;
	if (kind == SHEET_SETS)
		sheet->all = false;
	if (sheet->all)
		sheet->layout.test = TEST;
	for (size_t p = 0; kind == SHEET_TABLES && p < sheet->n; p++)
		tall = fmax(tall, draw_table_height(sheet->panels[p].table,
					  sheet->layout.height));
	if (kind == SHEET_TABLES)
		sheet->layout.height = tall;
	choose_sheet_titles(sheet);
}

static void lay_out_sheet(struct curve_sheet *sheet)
{
	const struct plot_view *drawn = sheet->view;
	const struct curve *first = drawn->curves;
	double grid;

	sheet->one_pair = true;
	sheet->several = drawn->n_sources > 1;
	sheet->sets = first->facts.x_axis == CURVE_SETS;
	sheet->levels = draw_has_levels(drawn, first);
	for (size_t i = 1; i < drawn->n_curves; i++) {
		const struct curve *curve = &drawn->curves[i];

		sheet->all |= !text_same(curve->facts.test, first->facts.test);
		sheet->one_pair &= cpu_list_same(&curve->cpus, &first->cpus);
	}
	sheet->main = sheet->all;
	make_sheet_panels(sheet);
	sheet->tables = sheet->any_table;
	for (size_t p = 0; p < sheet->n; p++)
		sheet->tables &= sheet->panels[p].table != NULL;
	/* A single panel needs no heading for its test. */
	sheet->all &= sheet->n > 1;
	choose_sheet_layout(sheet);
	sheet->left = LEFT;
	sheet->width = sheet->layout.cell - LEFT - RIGHT;
	sheet->own_looks = !sheet->several && sheet->sets;
	list_variants(sheet);
	choose_sheet_looks(sheet);
	qsort(sheet->panels, sheet->n, sizeof(*sheet->panels), compare_panels);
	for (size_t p = 0; p < sheet->n; p++)
		measure_panel(sheet, &sheet->panels[p]);
	for (size_t p = 0; p < sheet->n; p++) {
		choose_panel_axes(sheet, &sheet->panels[p]);
		describe_ceilings(sheet, &sheet->panels[p]);
	}
	sheet->layout.below += sheet->names_height;
	place_groups(sheet);
	plan_row_legends(sheet);
	grid = (double)sheet->across * sheet->layout.cell;
	sheet->drawing->canvas.width =
		sheet->drawing->panel ? grid + 4 : fmax(28 + grid, 560);
	sheet->indent = (sheet->drawing->canvas.width - grid) / 2;
	if (sheet->one)
		fit_single_panel(sheet);
}

/* Draw a sample of a line, and a text after it; return the width. */
static double draw_source_entry(const struct curve_sheet *sheet, double x,
	double y, struct curve_line line, const char *name)
{
	const char *colour = line.own ? draw_colour(line.look) : DRAW_GREY;

	if (!isnan(y)) {
		canvas_line(&sheet->drawing->canvas, x, y, x + SOURCE_SAMPLE, y,
			CANVAS_STROKE(
				1.4, colour, .dash = line_dash(line.rank)));
		if (line.own)
			draw_point(sheet, x + SOURCE_SAMPLE / 2, y,
				draw_shape(line.look), 0.9, colour);
		draw_text(sheet->drawing,
			DRAW_AT(x + SOURCE_SAMPLE + 4, y, SOURCE_LETTERS,
				.align = CANVAS_LEFT),
			name);
	}
	return SOURCE_SAMPLE + 18 + 0.58 * SOURCE_LETTERS * draw_length(name);
}

/*
 * Draw the legend of several sources from y on, unless y is NaN: their colours,
 * then the line styles of variants. Return the height.
 */
static double draw_source_legend(const struct curve_sheet *sheet, double y)
{
	const struct plot_view *view = sheet->view;
	size_t plain = sheet->n_variants > 0 && !sheet->variants[0];
	double x = sheet->indent + LEFT / 2, height = SOURCE_PITCH;

	if (!sheet->several || sheet->one)
		return 0;
	for (size_t i = 0; i < view->n_sources + sheet->n_variants - plain;
		i++) {
		bool source = i < view->n_sources;
		struct curve_line line = {.own = source,
			.look = i,
			.rank = source ? 0 : i - view->n_sources + plain};
		const char *name = source ? view->sources[i].name
					  : sheet->variants[line.rank];
		double width = draw_source_entry(sheet, 0, NAN, line, name);

		if (x > sheet->indent + LEFT / 2 &&
			x + width > sheet->drawing->canvas.width - RIGHT) {
			x = sheet->indent + LEFT / 2;
			height += SOURCE_PITCH;
		}
		draw_source_entry(sheet, x, y + height - SOURCE_PITCH / 2 - 2,
			line, name);
		x += width;
	}
	return height + 4;
}

static bool has_several_tests(const struct curve_sheet *sheet)
{
	for (size_t p = 1; p < sheet->n; p++) {
		if (!text_same(sheet->panels[p].facts->test,
			    sheet->panels[0].facts->test))
			return true;
	}
	return false;
}

/* Return the doubts of a picture; a page has them elsewhere. */
static const char *sheet_doubts(const struct drawing *drawing)
{
	return drawing->panel ? NULL : plot_caption_doubts(drawing->view);
}

static void draw_curve_sheet(struct curve_sheet *sheet)
{
	struct text_list note = {0};
	const char *notes[DRAW_NOTES] = {NULL};
	double bars = draw_bars_height(sheet->memory, sheet->view), top, rows;
	double legend = draw_source_legend(sheet, NAN);

	if (sheet->with_band || sheet->with_thin)
		text_list_add(&note, " ",
			"%s: 95 %% intervals of the medians%s.",
			!sheet->with_thin  ? "Bands"
			: sheet->with_band ? "Bands and vertical lines"
					   : "Vertical lines",
			sheet->cut_off ? ", some of them cut off" : "");
	if (sheet->with_fit)
		text_list_add(&note, " ", "Dashed: fit%s.",
			sheet->any_near
				? " in the colour of its curve, or native "
				  "rate of the same CPUs"
				: "");
	else if (sheet->any_near)
		text_list_add(
			&note, " ", "Dashed: native rate of the same CPUs.");
	if (sheet->any_theory)
		text_list_add(&note, " ", "Dotted: theory.");
	if (bars > 0)
		text_list_add(&note, " ",
			"Outlined: theory, or native rate of the same CPUs.");
	if (sheet->any_table)
		text_list_add(&note, " ",
			"Tables: darker is better; light grey means no value.");
	if (sheet->levels)
		text_list_add(&note, " ",
			"Shaded: measured cache sizes. Dashed: cache sizes "
			"that the system reports.");
	notes[0] = arena_adopt(sheet->memory, text_list_end(&note));
	if (sheet->main && has_several_tests(sheet))
		notes[1] = sheet->overview ? "One panel of each test."
					   : "Main curves of each test.";
	notes[2] = sheet_doubts(sheet->drawing);
	rows = stack_panel_rows(sheet);
	top = draw_captions(sheet->drawing, notes, legend + rows + bars);
	draw_source_legend(sheet, top);
	top += legend;
	for (size_t p = 0; p < sheet->n; p++)
		draw_sheet_panel(sheet, &sheet->panels[p], top);
	for (size_t r = 0; r < sheet->n_rows; r++) {
		if (sheet->rows[r].strip > 0)
			draw_device_strip(sheet, &sheet->rows[r], top);
	}
	draw_bars(sheet->memory, sheet->drawing, sheet->indent, top + rows);
}

int draw_curves(struct arena *memory, void *context, struct error *err)
{
	struct drawing *drawing = context;
	const struct plot_view *view = drawing->view;
	size_t n = view->n_curves;
	struct curve_sheet sheet = {.drawing = drawing,
		.view = view,
		.memory = memory,
		.lines = arena_alloc(memory, n, sizeof(struct curve_line)),
		.names = arena_alloc(memory, n, sizeof(struct curve_line *)),
		.panels = arena_alloc(memory, n, sizeof(struct curve_panel)),
		.rows = arena_alloc(memory, n, sizeof(struct panel_row))};

	(void)err;
	lay_out_sheet(&sheet);
	draw_curve_sheet(&sheet);
	return 0;
}
