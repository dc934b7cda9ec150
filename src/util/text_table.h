/* Tables of text, with columns as wide as their cells. */
#ifndef C2C_TEXT_TABLE_H
#define C2C_TEXT_TABLE_H

#include <stdio.h>

#include "util/text.h"

/*
 * Print a list of lines, whose cells are separated by tabs, and free it; print
 * nothing if it has only the first line. The first line describes the columns:
 * leading blanks, heading, '<' or '>' (align left or right), and least width,
 * as in "Level<18\t Pairs>8\t <". A heading that is wider than the column has
 * several lines. If all headings are empty, none is printed.
 *
 * A NaN in a column aligned right is printed as `missing`. If a line has fewer
 * cells than columns, its last cell extends over the rest.
 *
 * Columns that do not fit into most_columns (SIZE_MAX: no limit) are printed
 * below, in blocks that repeat the first column. Return the number of blocks.
 */
size_t text_table_print(FILE *out, struct text_list *lines, const char *missing,
	size_t most_columns);

#endif
