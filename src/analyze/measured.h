/*
 * What a matrix with holes can still tell. Pure.
 */
#ifndef C2C_ANALYZE_MEASURED_H
#define C2C_ANALYZE_MEASURED_H

#include <stdbool.h>

#include "analyze/square.h"

/*
 * measured[n] says which units have costs to at least a tenth of the measured
 * units. Returns how many.
 */
size_t measured_find(
	const struct square *square, bool *measured, struct arena *arena);

/* The pairs without a cost. */
size_t measured_missing(const struct square *square);

/*
 * What the confidence in a partition is to be divided by, 1 or more: two units
 * that it leaves alone may belong together where their cost is missing.
 */
double measured_doubt(const struct square *square,
	const struct partition *partition, struct arena *arena);

#endif
