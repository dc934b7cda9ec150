/*
 * Draws the levels of the caches into a panel of curves over the working set. A
 * shaded column is where a cache ends, as measured; a dashed line is where it
 * ends as the system says. The name of a level stands above its working sets.
 */
#include <math.h>

#include "plot/draw.h"
#include "util/text.h"

#define SHADE "#E6ECF2"
#define TOLD  "#9A7B4F"

/* The least width of a shaded column. */
#define NARROWEST 2.0

/* Mean width of a letter, in em. */
#define LETTER 0.57

/* A level beside one curve, in bytes of the curve's working set. */
struct edge {
	const struct cache_level *level;
	unsigned times; /* how many of these caches its CPUs have */
	/* Measured. Both NaN: not found. Only most: its end is unknown. */
	double least, most;
	double told;
};

static struct edge edge_of(
	const struct cache_level *level, const struct curve *curve)
{
	unsigned times = cache_level_times(level, &curve->cpus);

	return (struct edge){level, times, level->least_bytes * times,
		level->most_bytes * times, level->told_bytes * times};
}

/* Where a size lies in the panel; at the nearer end if it lies outside. */
static double place(const struct draw_panel *panel, double bytes)
{
	double share = draw_share(&panel->across, bytes);

	return panel->x + panel->wide * fmin(fmax(share, 0), 1);
}

/* The shaded column, if any of it lies in the panel. */
static void draw_end(struct drawing *drawing, const struct draw_panel *panel,
	const struct edge *edge)
{
	const struct draw_axis *across = &panel->across;
	double from = place(panel, edge->least), to = place(panel, edge->most);

	if (!(edge->least < across->high && edge->most > across->low))
		return;
	if (to - from < NARROWEST) {
		from = (from + to - NARROWEST) / 2;
		to = from + NARROWEST;
	}
	draw(drawing, "area", "%.2f %.2f %.2f %.2f %s", from, panel->y,
		to - from, panel->tall, SHADE);
}

static void draw_told(
	struct drawing *drawing, const struct draw_panel *panel, double told)
{
	double x = place(panel, told);

	if (told > panel->across.low && told < panel->across.high)
		draw(drawing, "dash", DRAW_LINE, x, panel->y, x,
			panel->y + panel->tall, 0.8, TOLD);
}

/* Two digits of a size, or all digits of a larger whole number. */
static void add_size(struct text_list *text, const char *between, double size)
{
	text_list_add(text, between, size < 99.5 ? "%.2g" : "%.0f", size);
}

/* "48 KiB", "0.84-1.2 MiB", "≥ 4 MiB"; "16 × 2 MiB" for 16 caches */
static char *size_of(const struct edge *edge, struct arena *memory)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	bool same = edge->level->size_verdict == CACHE_SAME;
	double least = (same ? edge->told : edge->least) / edge->times;
	double most = (same ? edge->told : edge->most) / edge->times;
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
		add_size(&text, "", least);
		text_list_add(&text, "", "-");
	}
	add_size(&text, "", most);
	text_list_add(&text, " ", "%s", units[unit]);
	return arena_adopt(memory, text_list_end(&text));
}

/* The name, and the size below it, each only if there is room. */
static void draw_name(struct drawing *drawing, const struct draw_panel *panel,
	const struct edge *edge, double from, double to)
{
	const char *size = "";
	struct draw_words at = {.x = (from + to) / 2,
		.y = panel->y - DRAW_LEVELS_TALL + 5,
		.size = panel->size,
		.bold = true};
	double room = (to - from) / (LETTER * at.size);

	if (edge->level->memory) {
		at.x = to;
		at.align = "right";
	} else {
		size = size_of(edge, &drawing->view->memory);
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

bool draw_has_levels(const struct result *drawn, const struct curve *curve)
{
	return drawn->n_caches > 0 && curve->is.x_axis == CURVE_SETS;
}

void draw_levels(struct drawing *drawing, const struct draw_panel *panel,
	const struct curve *curve)
{
	const struct result *drawn = &drawing->view->result;
	double from = panel->x;

	for (size_t i = 0; i < drawn->n_caches; i++) {
		const struct edge edge = edge_of(&drawn->caches[i], curve);
		double to = panel->x + panel->wide;

		if (!isnan(edge.most))
			to = place(panel, sqrt(edge.least * edge.most));
		draw_told(drawing, panel, edge.told);
		/* Skip a level that was not found or has no room. */
		if ((isnan(edge.least) && !edge.level->memory) || to <= from)
			continue;
		draw_end(drawing, panel, &edge);
		draw_name(drawing, panel, &edge, from, to);
		from = to;
	}
}
