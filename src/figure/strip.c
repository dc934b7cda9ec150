#include "figure/strip.h"

#include <math.h>

#include "figure/draw.h"

#define WIDE	300.0
#define TALL	44.0
#define BOTTOM	27.0 /* of the marks */
#define MIDDLE	(WIDE / 2)
#define LETTERS 7.5
#define LEAST	1.0  /* least range of the axis in percent */
#define ROOM	1.05 /* ratio of the range to the farthest value */
#define GREY	"#E0E0E0"
#define MARK	1.5

static void write_strip_end(
	struct canvas *canvas, double x, enum canvas_align align, double end)
{
	canvas_text(canvas,
		DRAW_AT(x, TALL - 6, LETTERS, .align = align,
			.colour = DRAW_GREY),
		arena_format(canvas->memory, "%+.1f %%", end));
}

void draw_strip(struct canvas *canvas, const struct figure_strip *strip)
{
	struct canvas_point *spots =
		arena_alloc(canvas->memory, strip->n, sizeof(*spots));
	char *median = arena_format(canvas->memory, "median %s", strip->median);
	double end = fmax(LEAST, fabs(strip->high));
	double scale;

	for (size_t i = 0; i < strip->n; i++)
		end = fmax(end, fabs(strip->off[i]));
	end *= ROOM;
	scale = MIDDLE / end;
	canvas->width = WIDE;
	canvas->height = TALL;
	if (!isnan(strip->high)) {
		double low = fmax(strip->low, -end);

		canvas_rect(canvas,
			(struct canvas_box){MIDDLE + low * scale, 2,
				(strip->high - low) * scale, BOTTOM},
			GREY);
	}
	canvas_line(canvas, MIDDLE, 2, MIDDLE, BOTTOM + 5,
		CANVAS_STROKE(0.5, DRAW_FRAME));
	for (size_t i = 0; i < strip->n; i++) {
		double x = MIDDLE + strip->off[i] * scale;

		spots[i] = (struct canvas_point){x, BOTTOM / 2};
		if (!isnan(x))
			canvas_line(canvas, x, 4, x, BOTTOM,
				CANVAS_STROKE(
					MARK, draw_colour(strip->odd[i])));
	}
	canvas_spots(canvas, 0, spots, strip->n);
	text_make_xml(median);
	canvas_text(canvas,
		DRAW_AT(MIDDLE, TALL - 6, LETTERS, .colour = DRAW_GREY),
		median);
	write_strip_end(canvas, 0, CANVAS_LEFT, -end);
	write_strip_end(canvas, WIDE, CANVAS_RIGHT, end);
}
