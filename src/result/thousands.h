/* Drops the signs between groups of three digits, as in 1,234 or 1 234. */
#ifndef C2C_THOUSANDS_H
#define C2C_THOUSANDS_H

#include <stddef.h>

#include "util/error.h"

struct table_line;

/*
 * Drop the signs between groups from the numbers of n lines of a table, in
 * place. separator stands between its cells.
 *
 * A sign may be a decimal point elsewhere. What some numbers of the table can
 * only be decides for all: 1.234,5 and 1,234,567 have groups, 53,1 and 0,123
 * have decimals. If no number decides, the error names one that can be read
 * both ways. A single point alone is a decimal point, as programs write it.
 */
int thousands_drop(
	struct table_line *lines, size_t n, char separator, struct error *err);

#endif
