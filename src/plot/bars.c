/*
 * Draws devices beside each other: of each panel whose curves ask for it
 * (CURVE_BAR) a bar with its best value, longest first. An outline shows what
 * bounds the panel: theory, or what the same CPUs do natively.
 */
#include <math.h>
#include <stdlib.h>

#include "plot/draw.h"
#include "util/arena.h"

#define TITLE	30.0
#define PITCH	17.0 /* from bar to bar */
#define TALL	11.0 /* of a bar */
#define LETTERS 8.0
#define LETTER	0.52 /* mean width of one, in em */
#define NUMBER	60.0 /* room for the value behind the longest bar */
#define OUTLINE 0.75

struct device_bar {
	const struct curve *curve; /* the best of its panel */
	double value, bound;	   /* NaN: none */
	size_t look;		   /* one for each family */
};

struct device_bars {
	struct device_bar *bars; /* [n], longest first */
	size_t n, looks;
	double most; /* of all values and bounds */
};

static double find_highest_value(const double *values, size_t n)
{
	struct draw_extent extent = draw_nothing;

	if (values)
		draw_extend(&extent, values, n);
	return extent.most;
}

/* The best curve of a panel, and the highest bound. */
static struct device_bar best_bar_of_panel(const struct plot_panel *panel)
{
	struct device_bar bar = {.value = NAN, .bound = NAN};

	for (size_t i = 0; i < panel->n; i++) {
		const struct curve *curve = &panel->curves[i];
		double value = find_highest_value(curve->median, curve->n);

		bar.bound = fmax(bar.bound,
			find_highest_value(curve->ceiling, curve->n));
		if (curve->facts.place != CURVE_BAR || isnan(value) ||
			value <= bar.value)
			continue;
		bar.curve = curve;
		bar.value = value;
	}
	return bar;
}

static int compare_device_bars(const void *a, const void *b)
{
	const struct device_bar *one = a, *other = b;

	return (one->value < other->value) - (one->value > other->value);
}

/* That of a bar with the same family, or a new one. */
static size_t choose_family_look(
	struct device_bars *bars, const struct device_bar *bar)
{
	for (size_t i = 0; i < bars->n; i++) {
		if (text_same(bars->bars[i].curve->facts.family,
			    bar->curve->facts.family))
			return bars->bars[i].look;
	}
	return bars->looks++;
}

/* Those of the first unit. None if they are all of one device. */
static struct device_bars collect_device_bars(
	struct arena *memory, const struct plot_view *view)
{
	struct device_bars bars = {.bars = arena_alloc(memory, view->n_panels,
					   sizeof(struct device_bar))};
	bool several = false;

	for (size_t p = 0; p < view->n_panels; p++) {
		struct device_bar bar = best_bar_of_panel(&view->panels[p]);
		const struct curve_facts *first =
			bars.n > 0 ? &bars.bars->curve->facts : NULL;

		if (!bar.curve || (first && !text_same(bar.curve->facts.y_unit,
						    first->y_unit)))
			continue;
		several |= first &&
			   !text_same(bar.curve->facts.device, first->device);
		bars.most = fmax(bars.most, fmax(bar.value, bar.bound));
		bar.look = choose_family_look(&bars, &bar);
		bars.bars[bars.n++] = bar;
	}
	qsort(bars.bars, bars.n, sizeof(*bars.bars), compare_device_bars);
	if (!several)
		bars.n = 0;
	return bars;
}

double draw_bars_height(struct arena *memory, const struct plot_view *view)
{
	size_t n = collect_device_bars(memory, view).n;

	return n > 0 ? TITLE + PITCH * ((double)n + 1) : 0;
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

/* "device 1 (NVIDIA H200), local memory, 16 B" */
static const char *device_bar_label(
	struct arena *memory, const struct device_bar *bar)
{
	const struct curve_facts *facts = &bar->curve->facts;

	return arena_adopt(memory,
		text_format("%s, %s, %s", facts->device ? facts->device : "",
			facts->family, facts->member));
}

/* At x and y, so long for each of its unit. */
static void draw_device_bar(struct drawing *drawing,
	const struct device_bar *bar, struct canvas_words at, double scale)
{
	double longest = fmax(bar->value, bar->bound);
	char value[PLOT_NUMBER_BYTES];

	canvas_rect(&drawing->canvas,
		(struct canvas_box){at.x, at.y, bar->value * scale, TALL},
		draw_colour(bar->look));
	if (!isnan(bar->bound))
		draw_bound_outline(drawing, at.x, at.y, bar->bound * scale);
	plot_format_fixed(value, bar->value, bar->value < 100 ? 1 : 0);
	at.x += longest * scale + 6;
	at.y += TALL / 2;
	at.align = CANVAS_LEFT;
	draw_text(drawing, at, value);
}

void draw_bars(
	struct arena *memory, struct drawing *drawing, double x, double top)
{
	const struct device_bars bars =
		collect_device_bars(memory, drawing->view);
	double wide = drawing->canvas.width - 2 * x, names = 0;
	double scale;

	if (bars.n == 0)
		return;
	for (size_t i = 0; i < bars.n; i++)
		names = fmax(names, LETTER * LETTERS *
					    draw_length(device_bar_label(
						    memory, &bars.bars[i])));
	scale = fmax(wide - names - 6 - NUMBER, NUMBER) / bars.most;
	draw_text(drawing,
		DRAW_AT(drawing->canvas.width / 2, top + 12, LETTERS + 1,
			.bold = true),
		arena_adopt(
			memory, text_format("%s: the best of each device [%s]",
					bars.bars->curve->facts.test,
					bars.bars->curve->facts.y_unit)));
	for (size_t i = 0; i < bars.n; i++) {
		double y = top + TITLE + PITCH * (double)i;

		draw_text(drawing,
			DRAW_AT(x + names, y + TALL / 2, LETTERS,
				.align = CANVAS_RIGHT),
			device_bar_label(memory, &bars.bars[i]));
		draw_device_bar(drawing, &bars.bars[i],
			DRAW_AT(x + names + 6, y, LETTERS, .colour = NULL),
			scale);
	}
}
