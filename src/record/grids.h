/*
 * A fast reader for the matrices of a record; see grids.c. Private to
 * src/record.
 */
#ifndef C2C_GRIDS_H
#define C2C_GRIDS_H

#include <stdbool.h>
#include <stddef.h>

/* Rows with the same number of values; null becomes NaN. */
struct number_grid {
	size_t rows, columns;
	double *values; /* [rows * columns] */
};

struct record_grids {
	struct number_grid *grids;
	size_t n;
	char *rest; /* JSON with an index for each grid */
	size_t rest_bytes;
};

/*
 * Read the values of matrices and passes in text[n], and replace each grid with
 * its index in rest. Return false if a grid contains other values than plain
 * numbers, or if out of memory; then the caller releases nothing.
 */
bool grids_take(struct record_grids *grids, const char *text, size_t n);
void grids_release(struct record_grids *grids);

#endif
