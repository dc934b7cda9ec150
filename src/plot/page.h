/*
 * What all text on a terminal shares: its width and letters, the captions, and
 * the two kinds of it. Private to src/plot.
 */
#ifndef C2C_PLOT_PAGE_H
#define C2C_PLOT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "plot/plot.h"
#include "plot/view.h"

/* Where text goes. */
struct page {
	unsigned columns, rows;
	bool colour; /* a terminal: stay within its columns */
	bool utf8;   /* the locale can show what is not ASCII */
	FILE *out;
};

static inline size_t max(size_t a, size_t b)
{
	return a > b ? a : b;
}

static inline size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The dot that stands for a missing value: one column. */
const char *page_dot(const struct page *page);

/* Columns of UTF-8 text as page_print() prints it. */
size_t page_columns(const char *text, size_t bytes);

/*
 * Bytes of the first line of text: of the words, or what ends in that letter
 * before a blank, as many as fit the columns, but one at least.
 */
size_t page_line(const char *text, size_t columns, char end);

/* So many bytes of text, spelt out where the locale lacks a character. */
void page_print(const struct page *page, const char *text, size_t bytes);

/*
 * The machine, or the options' title, and how the numbers were got, each in
 * as many lines as a terminal's width asks for; then an empty line.
 */
int page_print_captions(const struct page *page, const struct plot_view *view,
	const struct plot_options *options, struct error *err);

/* The curves of a view as a table; table.c. */
int page_print_table(const struct page *page, const struct plot_view *view,
	struct error *err);

#endif
