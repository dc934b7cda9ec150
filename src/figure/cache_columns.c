/*
 * Draws cache levels into a panel of curves over the working set. A shaded
 * column marks a measured cache size, a dashed line a reported size. The name
 * of a level is above its working sets.
 */
#include <math.h>

#include "figure/draw.h"
#include "util/text.h"

#define SHADE		"#E6ECF2"
#define REPORTED_COLOUR "#9A7B4F"

/* The least width of a shaded column. */
#define NARROWEST 2.0

/* Mean width of a letter, in em. */
#define LETTER 0.57

/* The end of a cache level on a curve, in bytes of the curve's working set. */
struct level_edge {
	const struct cache_level *level;
	unsigned times; /* number of these caches that the curve's CPUs have */
	/* Measured interval. Both NaN: not found; only `most` NaN: no end. */
	double least, most;
	double reported;
};

/*
 * Return the position of a size in the panel; a size outside is at the nearer
 * edge.
 */
static double clamp_to_panel(const struct draw_panel *panel, double bytes)
{
	double share = draw_axis_share(&panel->across, bytes);

	return panel->x + panel->width * fmin(fmax(share, 0), 1);
}

/* Draw the part of a shaded column that is in the panel. */
static void draw_measured_end(struct drawing *drawing,
	const struct draw_panel *panel, const struct level_edge *edge)
{
	const struct draw_axis *across = &panel->across;
	double from = clamp_to_panel(panel, edge->least),
	       to = clamp_to_panel(panel, edge->most);

	if (!(edge->least < across->high && edge->most > across->low))
		return;
	if (to - from < NARROWEST) {
		from = (from + to - NARROWEST) / 2;
		to = from + NARROWEST;
	}
	canvas_rect(&drawing->canvas,
		(struct canvas_box){from, panel->y, to - from, panel->height},
		SHADE);
}

/* Append a size with two digits, or all digits of a larger whole number. */
static void add_two_digit_size(struct text_list *text, double size)
{
	text_list_add(text, "", size < 99.5 ? "%.2g" : "%.0f", size);
}

/* Return "48 KiB", "0.84-1.2 MiB", "≥ 4 MiB"; "16 × 2 MiB" for 16 caches. */
static char *level_size_text(
	const struct level_edge *edge, struct arena *memory)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	bool same = edge->level->size_verdict == CACHE_SAME;
	double least = (same ? edge->reported : edge->least) / edge->times;
	double most = (same ? edge->reported : edge->most) / edge->times;
	struct text_list text = {0};
	size_t unit = 0;

	if (isnan(most))
		most = least;
	for (; most >= 1000 && unit < 4; unit++) {
		least /= 1024;
		most /= 1024;
	}
	if (edge->times > 1)
		text_list_add(&text, "", "%u × ", edge->times);
	if (isnan(edge->most) && !same)
		text_list_add(&text, "", "≥ ");
	if (least < most) {
		add_two_digit_size(&text, least);
		text_list_add(&text, "", "-");
	}
	add_two_digit_size(&text, most);
	text_list_add(&text, " ", "%s", units[unit]);
	return arena_adopt(memory, text_list_end(&text));
}

/* Draw the name of a level, and its size below the name, if there is room. */
static void draw_level_name(struct drawing *drawing,
	const struct draw_panel *panel, const struct level_edge *edge,
	double from, double to)
{
	const char *size = "";
	struct canvas_words at = {.x = (from + to) / 2,
		.y = panel->y - DRAW_LEVELS_HEIGHT + 5,
		.size = panel->size,
		.bold = true};
	double room = (to - from) / (LETTER * at.size);

	if (edge->level->memory) {
		at.x = to;
		at.align = CANVAS_RIGHT;
	} else {
		size = level_size_text(edge, &drawing->view->memory);
	}
	if (draw_length(edge->level->name) > room)
		return;
	draw_text(drawing, at, edge->level->name);
	at.y += 1.25 * at.size;
	at.bold = false;
	at.colour = DRAW_GREY;
	if (draw_length(size) <= room)
		draw_text(drawing, at, size);
}

bool draw_has_levels(const struct plot_view *view, const struct curve *curve)
{
	return view->n_caches > 0 && curve->facts.x_axis == CURVE_SETS;
}

static struct level_edge edge_beside_curve(
	const struct cache_level *level, const struct curve *curve)
{
	unsigned times = cache_level_times(level, &curve->cpus);

	return (struct level_edge){level, times, level->least_bytes * times,
		level->most_bytes * times, level->reported_bytes * times};
}

/* Draw the dashed line of a reported size, if the size is in the panel. */
static void draw_reported_end(struct drawing *drawing,
	const struct draw_panel *panel, const struct level_edge *edge)
{
	double x = clamp_to_panel(panel, edge->reported);

	if (edge->reported > panel->across.low &&
		edge->reported < panel->across.high)
		canvas_line(&drawing->canvas, x, panel->y, x,
			panel->y + panel->height,
			CANVAS_STROKE(
				0.8, REPORTED_COLOUR, .dash = CANVAS_DASHED));
}

void draw_levels(struct drawing *drawing, const struct draw_panel *panel,
	const struct curve *curve)
{
	const struct plot_view *view = drawing->view;
	double from = panel->x;

	for (size_t i = 0; i < view->n_caches; i++) {
		const struct level_edge edge =
			edge_beside_curve(&view->caches[i], curve);
		double to = panel->x + panel->width;

		if (!isnan(edge.most))
			to = clamp_to_panel(
				panel, sqrt(edge.least * edge.most));
		/* Skip a level that was not found or has no room. */
		if ((isnan(edge.least) && !edge.level->memory) || to <= from)
			continue;
		draw_measured_end(drawing, panel, &edge);
		draw_level_name(drawing, panel, &edge, from, to);
		from = to;
	}
	/* Draw names over all columns. */
	for (size_t i = 0; i < view->n_caches; i++) {
		const struct level_edge edge =
			edge_beside_curve(&view->caches[i], curve);

		draw_reported_end(drawing, panel, &edge);
	}
}
