/*
 * Finds pairs whose value contradicts their neighbours. It is far above the
 * values of CPUs near the two CPUs, or it hides that the two are siblings. The
 * cause is often a short disturbance, so the caller can measure these pairs
 * again. Pure; any thread may call these.
 */
#ifndef C2C_CONTRADICTED_CELLS_H
#define C2C_CONTRADICTED_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"

/*
 * Mark the contradicted pairs of n CPUs in contradicted[n * n], both ways;
 * return their number. values[n * n] are latencies, NaN if unknown. If too many
 * pairs are contradicted, neighbours predict nothing: mark none.
 */
size_t contradicted_cells_find(const double *values, size_t n,
	bool *contradicted, struct arena *arena);

#endif
