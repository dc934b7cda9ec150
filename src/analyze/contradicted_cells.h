/*
 * Pairs whose value contradicts their neighbours: it is far above what the same
 * two CPUs take to CPUs beside them, or hides that they are partners. A short
 * disturbance does that, and who measures can look at these pairs again. Pure;
 * any thread may call it.
 */
#ifndef C2C_CONTRADICTED_CELLS_H
#define C2C_CONTRADICTED_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/arena.h"

/*
 * Mark these pairs of n CPUs in contradicted[n * n], both ways; how many there
 * are. values[n * n] are latencies, NaN where there is none. Where many pairs
 * are, neighbours say nothing, and none is marked.
 */
size_t contradicted_cells_find(const double *values, size_t n,
	bool *contradicted, struct arena *arena);

#endif
