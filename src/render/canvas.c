#include "render/canvas.h"

#include <string.h>

static struct canvas_call *add_canvas_call(
	struct canvas *canvas, enum canvas_kind kind, const char *colour)
{
	struct canvas_call *call =
		arena_alloc(canvas->memory, 1, sizeof(*call));

	call->kind = kind;
	snprintf(call->colour, sizeof(call->colour), "%s",
		colour ? colour : "#000000");
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
