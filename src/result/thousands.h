/* Removes thousands separators, as in 1,234. */
#ifndef C2C_THOUSANDS_H
#define C2C_THOUSANDS_H

#include <stddef.h>

#include "util/error.h"

struct table_line;

/*
 * Remove thousands separators from the numbers of n lines. `separator`
 * separates cells.
 *
 * A comma or a point may also be a decimal sign. Unambiguous numbers decide for
 * the whole table: 1.234,5 and 1,234,567 have thousands separators, 53,1 and
 * 0,123 have decimal signs. If all numbers are ambiguous, the error contains
 * one of the numbers. A single point in a number is a decimal point.
 */
int thousands_drop(
	struct table_line *lines, size_t n, char separator, struct error *err);

#endif
