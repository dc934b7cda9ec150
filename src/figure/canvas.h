/*
 * A picture as a list of drawing calls. Figures append calls, and a writer of a
 * file format walks the list, in paint order.
 *
 * Lengths are in units of 1/72 inch, from the left and the top. Colours are
 * "#RRGGBB". The list, and copies of all arguments, are in an arena.
 */
#ifndef C2C_CANVAS_H
#define C2C_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

enum canvas_kind {
	CANVAS_RECT,
	CANVAS_LINE, /* two or more points */
	CANVAS_POLYGON,
	CANVAS_MARKERS,
	CANVAS_TEXT,
	CANVAS_IMAGE,
	CANVAS_SPOTS, /* only in pages */
};

enum canvas_dash {
	CANVAS_SOLID,
	CANVAS_DASHED,
	CANVAS_DOTTED
};

enum canvas_align {
	CANVAS_CENTER,
	CANVAS_LEFT,
	CANVAS_RIGHT
};

struct canvas_point {
	double x, y;
};

struct canvas_box {
	double x, y, width, height;
};

struct canvas_stroke {
	double width;
	const char *colour;
	enum canvas_dash dash;
};

#define CANVAS_STROKE(line_width, line_colour, ...)                            \
	((struct canvas_stroke){                                               \
		.width = line_width, .colour = line_colour, __VA_ARGS__})

/* The number of a hollow shape is that of the filled shape minus one. */
enum canvas_shape {
	CANVAS_SQUARE = 5,
	CANVAS_DISC = 7,
	CANVAS_TRIANGLE = 9,
	CANVAS_TRIANGLE_DOWN = 11,
	CANVAS_DIAMOND = 13,
	CANVAS_PENTAGON = 15,
};

struct canvas_marker {
	int shape;
	double size; /* size 1 is about 5 wide */
	const char *colour;
};

/* Position and style of a text: y is the middle of its letters. */
struct canvas_words {
	double x, y, size;
	enum canvas_align align;
	const char *colour;
	bool bold, upwards;
};

#define CANVAS_SHADES 256

/* Cells of equal size, row by row from the top, in colours of a palette. */
struct canvas_image {
	size_t columns, rows;
	const uint8_t *cells;		 /* [columns * rows] */
	uint32_t palette[CANVAS_SHADES]; /* 0xRRGGBB; [0]: no value */
};

#define CANVAS_COLOUR_BYTES 24

struct canvas_call {
	struct canvas_call *next;
	enum canvas_kind kind;
	enum canvas_dash dash;
	struct canvas_box box;		   /* for rects and images */
	const struct canvas_point *points; /* [n]; one for a text */
	size_t n, curve;
	double size; /* size of letters and markers; line width; opacity */
	int shape;
	enum canvas_align align;
	bool bold, upwards;
	char colour[CANVAS_COLOUR_BYTES];
	const char *text;
	const struct canvas_image *image;
};

struct canvas {
	struct arena *memory;
	struct canvas_call *first, *last;
	double width, height;
	const char *title; /* valid in XML; NULL: none */
	double scale;	   /* scale factor of the file; 0: 1 */
	bool dark;	   /* invert greys: black is for light backgrounds */
	/*
	 * The picture is an SVG element inside a page, whose style may change
	 * its colours.
	 */
	bool page;
};

double canvas_scale(const struct canvas *canvas);
const char *canvas_ground(const struct canvas *canvas);

/* The corners of a marker of size 1, relative to its middle. */
#define CANVAS_CORNERS 24
size_t canvas_marker_corners(
	int shape, struct canvas_point corners[CANVAS_CORNERS]);

/* Return the line width of a hollow marker. */
double canvas_marker_line(const struct canvas_marker *marker);

/* Without memory, these functions abort the current arena_run(). */
void canvas_rect(
	struct canvas *canvas, struct canvas_box box, const char *colour);
void canvas_line(struct canvas *canvas, double x, double y, double to_x,
	double to_y, struct canvas_stroke stroke);
void canvas_polyline(struct canvas *canvas, const struct canvas_point *points,
	size_t n, struct canvas_stroke stroke);
void canvas_polygon(struct canvas *canvas, const struct canvas_point *points,
	size_t n, const char *colour, double opacity);
void canvas_markers(struct canvas *canvas, const struct canvas_point *points,
	size_t n, struct canvas_marker marker);
/* Add one line of text that is valid in XML. */
void canvas_text(
	struct canvas *canvas, struct canvas_words at, const char *text);
/*
 * Add the positions of a curve's values to a page, NaN for a missing value. The
 * page's script shows the value near the pointer.
 */
void canvas_spots(struct canvas *canvas, size_t curve,
	const struct canvas_point *points, size_t n);
void canvas_image(struct canvas *canvas, struct canvas_box box,
	const struct canvas_image *image);

#endif
