/*
 * What a matrix with holes can still tell. Pure.
 */
#ifndef C2C_ANALYZE_MEASURED_H
#define C2C_ANALYZE_MEASURED_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/square.h"
#include "util/error.h"

/*
 * Which units have costs to at least a tenth of the others of which that is
 * true as well: measured[n] and their number *count.
 */
int measured_find(const struct square *square, bool *measured, size_t *count,
	struct error *err);

/* The pairs without a cost. */
size_t measured_missing(const struct square *square);

/*
 * Lower the confidence of a partition that leaves two units alone whose cost is
 * missing: they may belong together.
 */
int measured_doubt(const struct square *square,
	const struct partition *partition, double *confidence,
	struct error *err);

#endif
