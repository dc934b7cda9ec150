/*
 * Finds pairs whose value contradicts their neighbours: the value is far above
 * the values of nearby CPUs, or hides that the two CPUs are siblings. A short
 * disturbance is a frequent cause, so the caller can measure these pairs again.
 * The function is pure; any thread may call it.
 */
#ifndef C2C_CONTRADICTED_CELLS_H
#define C2C_CONTRADICTED_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"

/*
 * Mark the contradicted pairs of n CPUs in contradicted[n * n], both ways;
 * return their number. values[n * n] are latencies, NaN if unknown. If too many
 * pairs are contradicted, neighbours predict nothing: mark no pair.
 */
size_t contradicted_cells_find(const double *values, size_t n,
	bool *contradicted, struct arena *arena);

#endif
