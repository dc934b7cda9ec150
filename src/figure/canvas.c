#include "figure/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/array.h"

/* Half the width of a marker of size 1. */
#define MARKER 2.34

/* Grey levels of a dark page: its background and its letters. */
#define DARK_GROUND 24
#define DARK_INK    240

/* Colours whose channels differ by less count as greys. */
#define GREYISH 16

/* The corners of shapes; a disc has the maximum number. */
static const struct {
	int shape;
	size_t n;
	struct canvas_point corners[5];
} marker_shapes[] = {
	{CANVAS_SQUARE, 4, {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}},
	{CANVAS_TRIANGLE, 3, {{0, -1.33}, {1.33, 0.67}, {-1.33, 0.67}}},
	{CANVAS_TRIANGLE_DOWN, 3, {{0, 1.33}, {-1.33, -0.67}, {1.33, -0.67}}},
	{CANVAS_DIAMOND, 4, {{0, -1.4}, {1.4, 0}, {0, 1.4}, {-1.4, 0}}},
	{CANVAS_PENTAGON, 5,
		{{0, -1.25}, {1.19, -0.39}, {0.73, 1.01}, {-0.73, 1.01},
			{-1.19, -0.39}}},
};

size_t canvas_marker_corners(
	int shape, struct canvas_point corners[CANVAS_CORNERS])
{
	size_t i = 0, n = CANVAS_CORNERS;

	while (i < N_OF(marker_shapes) &&
		marker_shapes[i].shape != shape + (shape % 2 == 0))
		i++;
	if (i < N_OF(marker_shapes))
		n = marker_shapes[i].n;
	for (size_t k = 0; k < n; k++) {
		double turn = 2 * M_PI * (double)k / (double)n;
		struct canvas_point at = {cos(turn), sin(turn)};

		if (i < N_OF(marker_shapes))
			at = marker_shapes[i].corners[k];
		corners[k] =
			(struct canvas_point){MARKER * at.x, MARKER * at.y};
	}
	return n;
}

double canvas_marker_line(const struct canvas_marker *marker)
{
	return fmin(1, 0.3 * MARKER * marker->size);
}

double canvas_scale(const struct canvas *canvas)
{
	return canvas->scale > 0 ? canvas->scale : 1;
}

const char *canvas_ground(const struct canvas *canvas)
{
	return canvas->dark ? "#181818" : "#FFFFFF";
}

/* Whether a dark page inverts a colour. */
static bool is_greyish(const uint32_t channels[3])
{
	uint32_t least = 255, most = 0;

	for (size_t i = 0; i < 3; i++) {
		least = channels[i] < least ? channels[i] : least;
		most = channels[i] > most ? channels[i] : most;
	}
	return most - least < GREYISH;
}

/*
 * Write a colour. On a dark page, greys are inverted, and other colours of
 * letters are mixed with white. The style of a page may replace greys.
 */
static void write_canvas_colour(
	const struct canvas *canvas, const char *colour, bool letters, char *to)
{
	uint32_t rgb = (uint32_t)strtoul(colour + 1, NULL, 16);
	uint32_t channels[] = {rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255};
	bool grey = is_greyish(channels);

	for (size_t i = 0; i < 3 && canvas->dark; i++) {
		if (grey)
			channels[i] = DARK_GROUND +
				      (255 - channels[i]) *
					      (DARK_INK - DARK_GROUND) / 255;
		else if (letters)
			channels[i] = (channels[i] + 255) / 2;
	}
	if (canvas->page && grey)
		snprintf(to, CANVAS_COLOUR_BYTES, "var(--c%06X,#%06X)", rgb,
			rgb);
	else
		snprintf(to, CANVAS_COLOUR_BYTES, "#%02X%02X%02X", channels[0],
			channels[1], channels[2]);
}

static struct canvas_call *add_canvas_call(
	struct canvas *canvas, enum canvas_kind kind, const char *colour)
{
	struct canvas_call *call =
		arena_alloc(canvas->memory, 1, sizeof(*call));

	call->kind = kind;
	if (!colour)
		colour = "#000000";
	write_canvas_colour(canvas, colour, kind == CANVAS_TEXT, call->colour);
	if (canvas->last)
		canvas->last->next = call;
	else
		canvas->first = call;
	canvas->last = call;
	return call;
}

static void keep_call_points(struct canvas *canvas, struct canvas_call *call,
	const struct canvas_point *points, size_t n)
{
	call->points = arena_copy(canvas->memory, points, n, sizeof(*points));
	call->n = n;
}

void canvas_rect(
	struct canvas *canvas, struct canvas_box box, const char *colour)
{
	add_canvas_call(canvas, CANVAS_RECT, colour)->box = box;
}

void canvas_polyline(struct canvas *canvas, const struct canvas_point *points,
	size_t n, struct canvas_stroke stroke)
{
	struct canvas_call *call =
		add_canvas_call(canvas, CANVAS_LINE, stroke.colour);

	keep_call_points(canvas, call, points, n);
	call->size = stroke.width;
	call->dash = stroke.dash;
}

void canvas_line(struct canvas *canvas, double x, double y, double to_x,
	double to_y, struct canvas_stroke stroke)
{
	const struct canvas_point ends[] = {{x, y}, {to_x, to_y}};

	canvas_polyline(canvas, ends, 2, stroke);
}

void canvas_polygon(struct canvas *canvas, const struct canvas_point *points,
	size_t n, const char *colour, double opacity)
{
	struct canvas_call *call =
		add_canvas_call(canvas, CANVAS_POLYGON, colour);

	keep_call_points(canvas, call, points, n);
	call->size = opacity;
}

void canvas_markers(struct canvas *canvas, const struct canvas_point *points,
	size_t n, struct canvas_marker marker)
{
	struct canvas_call *call =
		add_canvas_call(canvas, CANVAS_MARKERS, marker.colour);

	keep_call_points(canvas, call, points, n);
	call->shape = marker.shape;
	call->size = marker.size;
}

void canvas_spots(struct canvas *canvas, size_t curve,
	const struct canvas_point *points, size_t n)
{
	struct canvas_call *call = add_canvas_call(canvas, CANVAS_SPOTS, NULL);

	keep_call_points(canvas, call, points, n);
	call->curve = curve;
}

void canvas_text(
	struct canvas *canvas, struct canvas_words at, const char *text)
{
	struct canvas_call *call =
		add_canvas_call(canvas, CANVAS_TEXT, at.colour);

	keep_call_points(canvas, call, &(struct canvas_point){at.x, at.y}, 1);
	call->size = at.size;
	call->align = at.align;
	call->bold = at.bold;
	call->upwards = at.upwards;
	call->text = arena_strdup(canvas->memory, text);
}

void canvas_image(struct canvas *canvas, struct canvas_box box,
	const struct canvas_image *image)
{
	struct canvas_call *call = add_canvas_call(canvas, CANVAS_IMAGE, NULL);
	struct canvas_image *copy =
		arena_copy(canvas->memory, image, 1, sizeof(*image));

	copy->cells = arena_copy(
		canvas->memory, image->cells, image->columns * image->rows, 1);
	call->box = box;
	call->image = copy;
}
