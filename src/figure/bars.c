/*
 * Draws devices and records as bars, next to each other. Each family of curves
 * with CURVE_BAR has a group of bars: the best value of each source. An outline
 * shows the bound of a bar: the theoretical rate, or the native rate of the
 * same CPUs.
 */
#include <math.h>
#include <stdlib.h>

#include "figure/draw.h"
#include "util/arena.h"

#define TITLE	30.0
#define PITCH	15.0 /* distance from bar to bar */
#define GAP	8.0  /* between groups */
#define TALL	11.0 /* height of a bar */
#define LETTERS 8.0
#define LETTER	0.58 /* mean width of a letter, in em */
#define OUTLINE 0.75

struct source_bar {
	const struct curve *curve; /* best curve of its family */
	double value, bound;	   /* NaN: none */
	size_t source;
	bool begins; /* begins a group */
};

struct source_bars {
	struct source_bar *bars; /* [n] by family, then by source */
	size_t n, groups;
	double most;	       /* maximum of all values and bounds */
	double names, numbers; /* widths of the longest texts */
};

static double find_highest_value(const double *values, size_t n)
{
	struct draw_extent extent = draw_nothing;

	draw_extend(&extent, values, n);
	return extent.most;
}

/* Find the best curve of a source in a family, and the highest bound. */
static struct source_bar best_bar_of_source(const struct plot_view *view,
	size_t at, const struct curve_facts *family)
{
	struct source_bar bar = {.value = NAN, .bound = NAN, .source = at};

	for (size_t i = 0; i < view->n_bars; i++) {
		const struct curve *curve = &view->bars[i];
		double value = find_highest_value(curve->median, curve->n);

		if (view->bar_sources[i] != at ||
			!text_same(curve->facts.test, family->test) ||
			!text_same(curve->facts.family, family->family) ||
			!text_same(curve->facts.y_unit, family->y_unit))
			continue;
		bar.bound = fmax(bar.bound,
			find_highest_value(curve->ceiling, curve->n));
		if (curve->place->page != CURVE_BAR || isnan(value) ||
			value <= bar.value)
			continue;
		bar.curve = curve;
		bar.value = value;
	}
	return bar;
}

/* Add a bar for each source with the family, unless only one source has it. */
static void add_family_bars(struct source_bars *bars,
	const struct plot_view *view, const struct curve_facts *family)
{
	size_t before = bars->n;

	for (size_t i = 0; i < view->n_sources; i++) {
		struct source_bar bar = best_bar_of_source(view, i, family);

		if (!bar.curve)
			continue;
		bar.begins = bars->n == before;
		bars->most = fmax(bars->most, fmax(bar.value, bar.bound));
		bars->bars[bars->n++] = bar;
	}
	if (bars->n < before + 2)
		bars->n = before;
	else
		bars->groups++;
}

/* Whether a curve is the first of its family with CURVE_BAR. */
static bool begins_family(const struct curve *curves, size_t i)
{
	const struct curve_facts *facts = &curves[i].facts;
	size_t k = 0;

	while (k < i &&
		!(curves[k].place->page == CURVE_BAR &&
			text_same(curves[k].facts.family, facts->family)))
		k++;
	return curves[i].place->page == CURVE_BAR && k == i;
}

/* Return "3166 (64 B)"; with more sources than colours, also the source. */
static const char *source_bar_number(struct arena *memory,
	const struct plot_view *view, const struct source_bar *bar)
{
	bool named = view->n_sources > DRAW_COLOURS;
	char value[PLOT_NUMBER_BYTES];

	plot_format_fixed(value, bar->value, bar->value < 100 ? 1 : 0);
	return arena_format(memory, "%s (%s)%s%s", value,
		bar->curve->facts.member, named ? ", " : "",
		named ? view->sources[bar->source].name : "");
}

/* Collect the families in the order and the first unit of the first source. */
static struct source_bars collect_source_bars(
	struct arena *memory, const struct plot_view *view)
{
	const char *unit = NULL;
	struct source_bars bars = {
		.bars = arena_alloc(memory, view->n_sources * view->n_bars + 1,
			sizeof(struct source_bar))};

	for (size_t i = 0; i < view->n_bars; i++) {
		const struct curve_facts *facts = &view->bars[i].facts;

		if (!begins_family(view->bars, i) ||
			(unit && !text_same(facts->y_unit, unit)))
			continue;
		unit = facts->y_unit;
		add_family_bars(&bars, view, facts);
	}
	/* If all values are 0, all bars have no length. */
	if (!(bars.most > 0))
		bars.n = 0;
	for (size_t i = 0; i < bars.n; i++) {
		const struct source_bar *bar = &bars.bars[i];

		bars.names = fmax(bars.names,
			LETTER * LETTERS *
				draw_length(bar->curve->facts.family));
		bars.numbers = fmax(bars.numbers,
			LETTER * LETTERS *
				draw_length(
					source_bar_number(memory, view, bar)));
	}
	return bars;
}

double draw_bars_height(struct arena *memory, const struct plot_view *view)
{
	const struct source_bars bars = collect_source_bars(memory, view);

	return bars.n > 0 ? TITLE + PITCH * (double)bars.n +
				    GAP * (double)bars.groups + PITCH
			  : 0;
}

static void draw_bound_outline(
	struct drawing *drawing, double x, double y, double wide)
{
	const double corners[][2] = {
		{x, y}, {x + wide, y}, {x + wide, y + TALL}, {x, y + TALL}};

	for (size_t i = 0; i < 4; i++)
		canvas_line(&drawing->canvas, corners[i][0], corners[i][1],
			corners[(i + 1) % 4][0], corners[(i + 1) % 4][1],
			CANVAS_STROKE(OUTLINE, DRAW_FRAME));
}

/* Draw a bar at x and y, scaled to its unit, with its value and its name. */
static void draw_source_bar(struct drawing *drawing,
	const struct source_bar *bar, struct canvas_words at, double scale)
{
	double longest = fmax(0, fmax(bar->value, bar->bound));

	canvas_rect(&drawing->canvas,
		(struct canvas_box){
			at.x, at.y, fmax(0, bar->value) * scale, TALL},
		draw_colour(bar->source));
	if (bar->bound > 0)
		draw_bound_outline(drawing, at.x, at.y, bar->bound * scale);
	at.x += longest * scale + 6;
	at.y += TALL / 2;
	at.align = CANVAS_LEFT;
	draw_text(drawing, at,
		source_bar_number(&drawing->view->memory, drawing->view, bar));
}

void draw_bars(
	struct arena *memory, struct drawing *drawing, double x, double top)
{
	const struct source_bars bars =
		collect_source_bars(memory, drawing->view);
	const struct curve_facts *facts;
	double wide = drawing->canvas.width - 2 * x, y = top + TITLE;
	double scale;

	if (bars.n == 0)
		return;
	facts = &bars.bars->curve->facts;
	scale = fmax(wide - bars.names - 12 - bars.numbers, wide / 4) /
		bars.most;
	draw_text(drawing,
		DRAW_AT(drawing->canvas.width / 2, top + 12, LETTERS + 1,
			.bold = true),
		arena_format(memory, "%s: the best of each [%s]", facts->test,
			facts->y_unit));
	for (size_t i = 0; i < bars.n; i++) {
		const struct source_bar *bar = &bars.bars[i];

		y += bar->begins && i > 0 ? GAP : 0;
		if (bar->begins)
			draw_text(drawing,
				DRAW_AT(x + bars.names, y + TALL / 2, LETTERS,
					.align = CANVAS_RIGHT),
				bar->curve->facts.family);
		draw_source_bar(drawing, bar,
			DRAW_AT(x + bars.names + 6, y, LETTERS, .colour = NULL),
			scale);
		y += PITCH;
	}
}
