/*
 * The numbers of a record, before jansson takes the rest: see grids.c. Private
 * to src/record.
 */
#ifndef C2C_GRIDS_H
#define C2C_GRIDS_H

#include <stdbool.h>
#include <stddef.h>

/* Rows of equally many numbers; NaN stands for null. */
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
 * Take the values of matrices and passes out of text[n], and put the number of
 * its grid in the place of each. False, with nothing to release, if any of them
 * is not rows of plain numbers, or without memory.
 */
bool grids_take(struct record_grids *grids, const char *text, size_t n);
void grids_release(struct record_grids *grids);

#endif
