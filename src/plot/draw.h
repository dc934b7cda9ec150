/*
 * The parts of pictures: texts, axes, panels, tables, on a canvas. Private to
 * src/plot.
 */
#ifndef C2C_DRAW_H
#define C2C_DRAW_H

#include "plot/plot_scale.h"
#include "plot/view.h"
#include "render/canvas.h"
#include "util/text.h"

#define DRAW_GREY  "#444444"
#define DRAW_FRAME "#888888"

/* Mean width of a digit of DejaVu Sans, in em. */
#define DRAW_DIGIT 0.64

struct drawing {
	struct canvas canvas;
	struct plot_view *view;
	const struct plot_options *options;
};

#define DRAW_AT(at_x, at_y, letters, ...)                                      \
	((struct canvas_words){                                                \
		.x = at_x, .y = at_y, .size = letters, __VA_ARGS__})

void draw_text(
	struct drawing *drawing, struct canvas_words at, const char *text);

/*
 * Draw up to three lines, as wide as the room, unless y is NaN; returns their
 * height. They break after this character.
 */
double draw_lines(struct drawing *drawing, struct canvas_words at, double room,
	char after, const char *text);

/* Columns of UTF-8 text. */
double draw_length(const char *text);

#define DRAW_NOTES 3

/*
 * Draw both captions at the top and the notes, which may be NULL, at the
 * bottom, wrapped to the page's width. The picture between them is that high.
 * Returns where it begins, and sets the height of the page.
 */
double draw_captions(struct drawing *drawing,
	const char *const notes[DRAW_NOTES], double high);

#define DRAW_MARKS 32

/* The places and texts of marks along an axis. */
struct draw_axis {
	double low, high; /* ends */
	double base;	  /* of its powers; 0: linear */
	double marks[DRAW_MARKS];
	size_t n;
	int decimals; /* of the marks; -1: as short as may be */
	bool bytes;
};

/* Where a value lies along the axis, from 0 to 1. */
double draw_axis_share(const struct draw_axis *axis, double value);
void draw_mark(
	const struct draw_axis *axis, size_t i, char text[PLOT_NUMBER_BYTES]);

/* A round step that divides a span into about so many parts. */
double draw_axis_tick_step(double span, double parts);

/* The least and the greatest of some values; both NaN without values. */
struct draw_extent {
	double least, most;
};
extern const struct draw_extent draw_nothing;
void draw_extend(struct draw_extent *extent, const double *values, size_t n);

/* Sort values, and drop all but one of equal ones, and NaNs; how many stay. */
size_t draw_distinct(double *values, size_t n);

/*
 * Choose the ends of x for these distinct values in order, and as many marks as
 * fit the width: at each value if they do.
 */
void draw_choose_x(struct draw_axis *axis, const double *values, size_t n,
	enum curve_axis kind, double width, double size);
/*
 * Choose the ends of y: from 0 on, or logarithmic if the kind allows it and the
 * values differ much, or as the options say; with about so many marks.
 */
void draw_choose_y(struct draw_axis *axis, struct draw_extent extent,
	enum curve_axis kind, const struct plot_options *options, double parts);

/* The colours and shapes of curves, for lines and texts; so many colours. */
#define DRAW_COLOURS 7
const char *draw_colour(size_t look);
const char *draw_ink(size_t look);
const char *draw_pale(size_t look);
int draw_shape(size_t look);

/* A panel's frame, marks and what is drawn in it. */
struct draw_panel {
	double x, y, width, height, size; /* of the letters of marks */
	struct draw_axis across, up;
};
void draw_panel(struct drawing *drawing, const struct draw_panel *panel);

/*
 * Data in a panel: a line, cut off at the edges; points, without those beyond
 * them; a band between two lines, which follows the edges, or a line for each
 * point of it. NaN is a gap.
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
 * plot_levels.c: draw the levels of the caches into a panel of curves over the
 * working set, and their names into the DRAW_LEVELS_HEIGHT above it.
 */
#define DRAW_LEVELS_HEIGHT 21.0
bool draw_has_levels(const struct plot_view *view, const struct curve *curve);
void draw_levels(struct drawing *drawing, const struct draw_panel *panel,
	const struct curve *curve);

/*
 * bars.c: devices beside each other, for the test that asks for it; how high
 * that is, 0 without more than one device. x: the margin.
 */
double draw_bars_height(struct arena *memory, const struct plot_view *view);
void draw_bars(
	struct arena *memory, struct drawing *drawing, double x, double top);

/* tableau.c: curves as a table. */
struct draw_table {
	size_t rows, columns;
	double *values;	    /* [rows * columns]; NaN: missing */
	const double *x;    /* [columns]; NULL: a grid, which counts its x */
	const char **names; /* [rows] */
	bool bytes;	    /* x are these */
	bool powers;	    /* the scale is of logarithms */
	struct plot_scale scale;
};

/*
 * n >= 1 curves that are rows, or one that is a grid; NULL if their x do not
 * make a table. The arena owns it.
 */
struct draw_table *draw_table_new(struct arena *memory,
	const struct curve *const *curves, size_t n,
	const struct plot_options *options);

/* "dark is 77.3, bright is 38.2" */
char *draw_table_ends(struct arena *memory, const struct draw_table *table);

/* How high it is where there is room for most. */
double draw_table_height(const struct draw_table *table, double most);

/* Into the frame; names of rows stand in the margin to its left. */
void draw_table(struct drawing *drawing, const struct draw_table *table,
	const struct draw_panel *frame, double margin);

/*
 * gnuplot.c: the picture, png or pdf, as a file in memory that the caller
 * closes. Errors as of plot_file().
 */
int gnuplot_make_picture(const struct drawing *drawing, const char *kind,
	FILE **picture, struct error *err);

/* A file in memory that children inherit; NULL with *err. */
FILE *gnuplot_memory_file(const char *name, struct error *err);

/* plot_markdown.c: what is drawn as tables, in such a file. */
int plot_write_markdown(
	const struct drawing *drawing, FILE **file, struct error *err);

/* A heatmap; curves. arena_run() runs them on a drawing. */
int draw_heatmap(struct arena *memory, void *context, struct error *err);
int draw_curves(struct arena *memory, void *context, struct error *err);

#endif
