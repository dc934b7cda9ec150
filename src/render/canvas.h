/*
 * A picture as a list of calls: the only way to draw. Whoever draws makes
 * calls, and a writer walks the list. What is called first is painted first.
 *
 * Lengths are in units of 1/72 inch, from the left and from the top. Colours
 * are "#RRGGBB". The list, and copies of all that is passed, lie in an arena.
 */
#ifndef C2C_CANVAS_H
#define C2C_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/arena.h"

enum canvas_kind {
	CANVAS_RECT,
	CANVAS_LINE, /* also of many points */
	CANVAS_POLYGON,
	CANVAS_MARKERS,
	CANVAS_TEXT,
	CANVAS_IMAGE,
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

/* Hollow shapes are one less than filled ones. */
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
	double size; /* 1: about 5 wide */
	const char *colour;
};

/* Where a text stands: y is the middle of its letters. */
struct canvas_words {
	double x, y, size;
	enum canvas_align align;
	const char *colour;
	bool bold, upwards;
};

#define CANVAS_SHADES 256

/* Cells of one size, by rows from the top, in colours of a palette. */
struct canvas_image {
	size_t columns, rows;
	const uint8_t *cells;		 /* [columns * rows] */
	uint32_t palette[CANVAS_SHADES]; /* 0xRRGGBB; the first: no value */
};

struct canvas_call {
	struct canvas_call *next;
	enum canvas_kind kind;
	enum canvas_dash dash;
	struct canvas_box box;		   /* of a rect and an image */
	const struct canvas_point *points; /* [n]; of a text one */
	size_t n;
	double size; /* of letters and markers; width of a line; opacity */
	int shape;
	enum canvas_align align;
	bool bold, upwards;
	char colour[8];
	const char *text;
	const struct canvas_image *image;
};

struct canvas {
	struct arena *memory;
	struct canvas_call *first, *last;
	double width, height;
	const char *title; /* that XML can have; NULL: none */
	double scale;	   /* the file is so many times as large; 0: once */
	bool dark;	   /* greys turn round: black is for light grounds */
};

double canvas_scale(const struct canvas *canvas);
const char *canvas_ground(const struct canvas *canvas);

/* The corners of a marker whose size is 1, around its middle. */
#define CANVAS_CORNERS 24
size_t canvas_marker_corners(
	int shape, struct canvas_point corners[CANVAS_CORNERS]);

/* The line around a hollow one. */
double canvas_marker_line(const struct canvas_marker *marker);

/* All of these end the arena_run() under way when memory runs out. */
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
/* One line of text that XML can have. */
void canvas_text(
	struct canvas *canvas, struct canvas_words at, const char *text);
void canvas_image(struct canvas *canvas, struct canvas_box box,
	const struct canvas_image *image);

/*
 * The calls as a script that lets gnuplot draw its first argument, a file of
 * the kind in its second, png, svg or pdf; the extension tells by default, and
 * picture is the name without any. as_bytes: images are at the end of it, and
 * no text.
 */
void canvas_write_gnuplot(const struct canvas *canvas, const char *picture,
	bool as_bytes, FILE *out);

/* The calls as SVG. The caller asks out for errors. */
void canvas_write_svg(const struct canvas *canvas, FILE *out);

#endif
