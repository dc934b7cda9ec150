/*
 * Draws results: SVG, PNG and PDF (both by gnuplot), gnuplot scripts, Markdown
 * tables, or text in a terminal.
 */
#ifndef C2C_PLOT_H
#define C2C_PLOT_H

#include <stdio.h>

#include "figure/plot_options.h"
#include "util/error.h"

/*
 * Return "png", "svg", "pdf", "gp" or "md" by the extension, static; else NULL.
 */
const char *plot_picture_kind(const char *path);

/*
 * Draw the chosen data to path, atomically; gnuplot draws .png and .pdf.
 * -ENOENT (ERROR_UNAVAILABLE) without gnuplot; -EINVAL if the result lacks the
 * chosen data; -EINTR if options->stop stopped gnuplot, -ETIMEDOUT after
 * options->limit_s seconds.
 */
int plot_file(const struct plot_records *records,
	const struct plot_options *options, const char *path,
	struct error *err);

/*
 * Write the curves of a view as an SVG element of a page: as a whole picture,
 * or as a panel without captions.
 */
struct plot_view;
int plot_write_curves(struct plot_view *view, bool panel,
	const struct plot_options *options, FILE *out, struct error *err);

/* Write one panel of a view as an SVG element of a page, without a title. */
struct plot_panel;
int plot_write_panel(struct plot_view *view, const struct plot_panel *panel,
	const struct plot_options *options, FILE *out, struct error *err);

/* Write a strip of values as an SVG element of a page. */
struct arena;
struct figure_strip;
void plot_write_strip(
	struct arena *arena, const struct figure_strip *strip, FILE *out);

/* The number of colours of a terminal. */
enum plot_colour {
	PLOT_COLOUR_NONE, /* NO_COLOR, or not a terminal */
	PLOT_COLOUR_16,	  /* the 16 colours of all terminals */
	PLOT_COLOUR_256,  /* 216 colours and greys */
	PLOT_COLOUR_TRUE, /* 24-bit escapes */
};

struct plot_terminal {
	unsigned columns; /* width of the terminal */
	unsigned rows;
	enum plot_colour colour;
	bool fit; /* the rows limit a matrix too, as nothing scrolls */
};

/*
 * Return columns, rows and colours of an open stream, from ioctl() and the
 * variables COLUMNS, LINES, NO_COLOR, CLICOLOR_FORCE, COLORTERM and TERM.
 */
struct plot_terminal plot_terminal_of(FILE *stream);

/*
 * Draw the chosen data as text. Matrices are numbers on coloured cells if these
 * fit the width; otherwise heatmaps of half blocks, binned if there are more
 * CPUs than columns. Their scale is below the last matrix. Curves with the same
 * axes form a table, with x downwards and a column for each curve. On a
 * terminal, curves over working sets are a chart.
 */
int plot_text(const struct plot_records *records,
	const struct plot_options *options,
	const struct plot_terminal *terminal, FILE *out, struct error *err);

#endif
