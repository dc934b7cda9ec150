/*
 * Shared by all text output: width, characters and captions. Private to
 * src/render.
 */
#ifndef C2C_TEXT_PAGE_H
#define C2C_TEXT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "figure/view.h"
#include "render/plot.h"
#include "util/size.h"

/* Text for a missing value. */
#define PAGE_DOT "\u00b7"

/* The output of text. */
struct text_page {
	unsigned columns, rows;
	bool colour; /* a terminal, whose columns limit lines */
	enum plot_colour colours;
	bool fit;  /* the rows limit a matrix */
	bool utf8; /* the locale can show non-ASCII characters */
	FILE *out;
};

/* Print a number right-aligned in this many columns; a dot if it is missing. */
void page_number(const struct text_page *page, size_t columns, double value,
	int decimals);

/* Print text; a character that the locale lacks is replaced. */
void page_print(const struct text_page *page, const char *text, size_t bytes);

/*
 * Print the machine or the title in the options, the measurement, and an empty
 * line, wrapped to the terminal's width.
 */
void page_print_captions(const struct text_page *page, struct plot_view *view,
	const struct plot_options *options);

/* curve_chart.c: curves over working sets as a chart, if the view has any. */
bool page_has_chart(const struct plot_view *view);
void page_print_chart(
	const struct text_page *page, const struct plot_view *view);

/* curve_tables.c: print the curves of a view as tables. */
void page_print_tables(const struct text_page *page, struct plot_view *view);

#endif
