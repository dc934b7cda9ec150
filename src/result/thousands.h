/* Removes thousands separators, as in 1,234 or 1 234. */
#ifndef C2C_THOUSANDS_H
#define C2C_THOUSANDS_H

#include <stddef.h>

#include "util/error.h"

struct table_line;

/*
 * Remove thousands separators from the numbers of n lines of a table, in place.
 * `separator` separates its cells.
 *
 * A comma or point may also be a decimal sign. Unambiguous numbers decide for
 * the whole table: 1.234,5 and 1,234,567 have groups, 53,1 and 0,123 have
 * decimals. If no number decides, the error names an ambiguous number. A single
 * point in a number is a decimal point, as programs write it.
 */
int thousands_drop(
	struct table_line *lines, size_t n, char separator, struct error *err);

#endif
