/*
 * The parts of pictures: texts, axes, panels, tables, on a canvas. Private to
 * src/figure and src/render.
 */
#ifndef C2C_DRAW_H
#define C2C_DRAW_H

#include "figure/canvas.h"
#include "figure/colour_scale.h"
#include "figure/view.h"
#include "util/text.h"

#define DRAW_GREY  "#444444"
#define DRAW_FRAME "#888888"

/* Mean width of a digit of DejaVu Sans, in em. */
#define DRAW_DIGIT 0.64

struct drawing {
	struct canvas canvas;
	bool panel; /* a panel of a page, which has the captions */
	struct plot_view *view;
	const struct plot_options *options;
};

#define DRAW_AT(at_x, at_y, letters, ...)                                      \
	((struct canvas_words){                                                \
		.x = at_x, .y = at_y, .size = letters, __VA_ARGS__})

void draw_text(
	struct drawing *drawing, struct canvas_words at, const char *text);

/* Distance of two lines of a text, in em. */
#define DRAW_LINE_PITCH 1.35

/*
 * Draw a text in up to three lines that fit the room, unless y is NaN; return
 * the height. Lines break after this character.
 */
double draw_lines(struct drawing *drawing, struct canvas_words at, double room,
	char after, const char *text);

/* Return the number of columns of a UTF-8 text. */
double draw_length(const char *text);

/* Return a text, or its first columns and "…". */
const char *draw_cut(struct drawing *drawing, const char *text, double columns);

#define DRAW_NOTES 3

/*
 * Draw both captions at the top and the notes (or NULL) at the bottom, wrapped
 * to the page's width, around a picture of this height. Set the height of the
 * page, and return the y of the picture.
 */
double draw_captions(struct drawing *drawing,
	const char *const notes[DRAW_NOTES], double high);

#define DRAW_MARKS 32

/* An axis: its ends, and the marks along it. */
struct draw_axis {
	double low, high; /* ends */
	double base;	  /* base of a logarithmic axis; 0: linear */
	double marks[DRAW_MARKS];
	size_t n;
	int decimals; /* decimals of the marks; -1: as short as possible */
	bool bytes;
	const struct curve *named; /* its x have names; NULL: numbers */
};

/* Return the position of a value along the axis, from 0 to 1. */
double draw_axis_share(const struct draw_axis *axis, double value);
void draw_mark(
	const struct draw_axis *axis, size_t i, char text[PLOT_NUMBER_BYTES]);

/* Return a round step that divides a span into about this many parts. */
double draw_axis_tick_step(double span, double parts);

/* The minimum and maximum of some values; both NaN without values. */
struct draw_extent {
	double least, most;
};
extern const struct draw_extent draw_nothing;
void draw_extend(struct draw_extent *extent, const double *values, size_t n);

/* Sort values, and drop NaNs and duplicates; return how many are left. */
size_t draw_distinct(double *values, size_t n);

/* Collect the distinct x of curves, sorted; return how many. */
size_t draw_collect_x(struct arena *memory, const struct curve *const *curves,
	size_t n, double **x);

/*
 * Choose the ends of x for these distinct sorted values, and as many marks as
 * fit the width, at each value if possible.
 */
void draw_choose_x(struct draw_axis *axis, const double *values, size_t n,
	enum curve_axis kind, double width, double size);

/* If a curve has few named x, mark these names, in steps of 1. */
void draw_choose_x_names(struct draw_axis *axis, const struct curve *curve);

/*
 * Choose the ends of y, with about this many marks: those of the options, else
 * from 0, or logarithmic if the kind allows it and the values differ much.
 */
void draw_choose_y(struct draw_axis *axis, struct draw_extent extent,
	enum curve_axis kind, const struct plot_options *options, double parts);

/*
 * Colours and shapes of curves, for lines and texts, and the number of colours.
 */
#define DRAW_COLOURS 7
const char *draw_colour(size_t look);
const char *draw_ink(size_t look);
const char *draw_pale(size_t look);
int draw_shape(size_t look);

/* A panel: its frame and axes. */
struct draw_panel {
	double x, y, width, height, size; /* size: of letters at the marks */
	struct draw_axis across, up;
};
void draw_panel(struct drawing *drawing, const struct draw_panel *panel);

/*
 * Draw the names along the x axis, below y; return their height. With y NaN,
 * only return the height.
 */
double draw_x_names(
	struct drawing *drawing, const struct draw_panel *panel, double y);

/*
 * Draw data in a panel: a line, the points inside, a band between two lines, or
 * a vertical line for each point. Lines and bands are clipped at the edges. NaN
 * is a gap.
 */
void draw_panel_line(struct drawing *drawing, const struct draw_panel *panel,
	const double *x, const double *y, size_t n,
	struct canvas_stroke stroke);
void draw_panel_dots(struct drawing *drawing, const struct draw_panel *panel,
	const double *x, const double *y, size_t n,
	struct canvas_marker marker);
void draw_panel_band(struct drawing *drawing, const struct draw_panel *panel,
	const struct curve *curve, const char *colour, bool thin);

double draw_panel_x(const struct draw_panel *panel, double value);
double draw_panel_y(const struct draw_panel *panel, double value);

/*
 * cache_columns.c: draw cache levels into a panel of curves over the working
 * set, and their names into the DRAW_LEVELS_HEIGHT above it.
 */
#define DRAW_LEVELS_HEIGHT 21.0
bool draw_has_levels(const struct plot_view *view, const struct curve *curve);
void draw_levels(struct drawing *drawing, const struct draw_panel *panel,
	const struct curve *curve);

/*
 * bars.c: draw devices next to each other, for tests with bars. The height is 0
 * with a single device. x: the margin.
 */
double draw_bars_height(struct arena *memory, const struct plot_view *view);
void draw_bars(
	struct arena *memory, struct drawing *drawing, double x, double top);

/* tableau.c: curves as a table. */
struct draw_table {
	size_t rows, columns;
	double *values;	    /* [rows * columns]; NaN: missing */
	const double *x;    /* [columns] x of columns; NULL: a grid */
	const char **names; /* [rows] */
	bool bytes;	    /* x are bytes */
	bool powers;	    /* the scale is logarithmic */
	struct plot_scale scale;
};

/*
 * Make a table of n >= 1 curves as rows, or of one curve as a grid. Return NULL
 * if the x of the curves do not fit a table. The arena owns it.
 */
struct draw_table *draw_table_new(struct arena *memory,
	const struct curve *const *curves, size_t n,
	const struct plot_options *options);

/* Return "dark is 77.3, bright is 38.2". */
char *draw_table_ends(struct arena *memory, const struct draw_table *table);

/* Return the height of a table, limited to `most`. */
double draw_table_height(const struct draw_table *table, double most);

/* Draw a table into the frame; row names are in the margin at its left. */
void draw_table(struct drawing *drawing, const struct draw_table *table,
	const struct draw_panel *frame, double margin);

/* Draw a heatmap, or curves. Call by arena_run() with a drawing as context. */
int draw_heatmap(struct arena *memory, void *context, struct error *err);
int draw_curves(struct arena *memory, void *context, struct error *err);

#endif
