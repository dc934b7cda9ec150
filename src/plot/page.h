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

/* A number flush right in so many columns; a missing one is a dot. */
void page_number(
	const struct page *page, size_t columns, double value, int decimals);

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
void page_print_captions(const struct page *page, struct plot_view *view,
	const struct plot_options *options);

/* The curves of a view as tables; table.c. */
void page_print_tables(const struct page *page, struct plot_view *view);

#endif
