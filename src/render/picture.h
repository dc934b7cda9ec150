/* Writers of pictures. */
#ifndef C2C_PICTURE_H
#define C2C_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "figure/draw.h"
#include "util/error.h"

/*
 * Write the calls as a gnuplot script. The first argument of the script is the
 * file to draw (default: `picture`), the second is png, svg or pdf (default: by
 * extension). as_bytes: images are bytes at the end of the script, not text.
 */
void canvas_write_gnuplot(const struct canvas *canvas, const char *picture,
	bool as_bytes, FILE *out);

/* Write the calls as SVG. The caller checks `out` for errors. */
void canvas_write_svg(const struct canvas *canvas, FILE *out);

/*
 * gnuplot.c: return the picture, png or pdf, as an in-memory file that the
 * caller closes. Errors as for plot_file().
 */
int gnuplot_make_picture(const struct drawing *drawing, const char *kind,
	FILE **picture, struct error *err);

/* Return an in-memory file that child processes inherit; NULL with *err. */
FILE *gnuplot_memory_file(const char *name, struct error *err);

/* markdown.c: write the chosen data as Markdown tables. */
int plot_write_markdown(
	const struct drawing *drawing, FILE **file, struct error *err);

#endif
