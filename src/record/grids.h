/*
 * Take the numbers out of a record before jansson reads the rest; see grids.c.
 * Private to src/record.
 */
#ifndef C2C_GRIDS_H
#define C2C_GRIDS_H

#include <stdbool.h>
#include <stddef.h>

/* Rows with equally many numbers; NaN is null. */
struct number_grid {
	size_t rows, columns;
	double *values; /* [rows * columns] */
};

struct record_grids {
	struct number_grid *grids;
	size_t n;
	char *rest; /* the JSON without the grids */
	size_t rest_bytes;
};

/*
 * Take the values of matrices and passes out of text[n], and replace each grid
 * by its number. Return false, with nothing to release, if any of them is not
 * rows of plain numbers, or without memory.
 */
bool grids_take(struct record_grids *grids, const char *text, size_t n);
void grids_release(struct record_grids *grids);

#endif
