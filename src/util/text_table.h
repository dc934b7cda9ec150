/*
 * Tables of text, whose columns are as wide as what is in them.
 */
#ifndef C2C_TEXT_TABLE_H
#define C2C_TEXT_TABLE_H

#include <stdio.h>

#include "util/text.h"

/*
 * Print a list of lines of cells between tabs, and free it; nothing if it has
 * no line but the first. That one has the columns: each is the blanks before
 * it, its heading, '<' or '>' (to the left or right), and its least width, as
 * in "Level<18\t Pairs>8\t  <". A heading that is wider than the column has
 * several lines; without any heading there is none.
 *
 * A number that is NaN reads missing in a column to the right. If a line has
 * less cells than columns, its last cell has the room of the rest.
 *
 * Columns that do not fit into so many characters (SIZE_MAX: all do) continue
 * below, beside the first one. Returns how many such blocks there are.
 */
size_t text_table_print(FILE *out, struct text_list *lines, const char *missing,
	size_t most_columns);

#endif
