/*
 * What all text on a terminal shares: width, letters and captions. Private to
 * src/plot.
 */
#ifndef C2C_PLOT_PAGE_H
#define C2C_PLOT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "plot/plot.h"
#include "plot/view.h"
#include "util/size.h"

/* What stands for a value that is missing. */
#define PAGE_DOT "\u00b7"

/* Where text goes. */
struct text_page {
	unsigned columns, rows;
	bool colour; /* a terminal: stay within its columns */
	enum plot_colour colours;
	bool utf8; /* the locale can show what is not ASCII */
	FILE *out;
};

/* Print a number right-aligned in so many columns; a dot if it is missing. */
void page_number(const struct text_page *page, size_t columns, double value,
	int decimals);

/* Print text; a character that the locale lacks is replaced. */
void page_print(const struct text_page *page, const char *text, size_t bytes);

/*
 * Print the machine, or the title of the options, then what was measured how,
 * each wrapped to the terminal's width; then an empty line.
 */
void page_print_captions(const struct text_page *page, struct plot_view *view,
	const struct plot_options *options);

/* Curves over working sets as a chart, if the view has any; chart.c. */
bool page_has_chart(const struct plot_view *view);
void page_print_chart(
	const struct text_page *page, const struct plot_view *view);

/* The curves of a view as tables; plot_table.c. */
void page_print_tables(const struct text_page *page, struct plot_view *view);

#endif
