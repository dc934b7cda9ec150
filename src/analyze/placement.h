/*
 * Which CPUs some threads should run on, by the groups that were measured.
 *
 * Pure functions; any thread may call them. CPUs are rows of the matrix, 0 to
 * n - 1; group[i] says which group of a level row i is in.
 */
#ifndef C2C_ANALYZE_PLACEMENT_H
#define C2C_ANALYZE_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

struct placement_level {
	const uint32_t *group; /* [n] */
	size_t n_groups;
};

struct placement_request {
	size_t n;
	/* From the innermost outwards; each one's groups are unions. */
	const struct placement_level *levels;
	size_t n_levels;
	size_t level;	/* the one that threads share or divide */
	bool spread;	/* else pack */
	size_t threads; /* 1 to n */
};

/*
 * The row for each thread: [threads]. pack: as many threads as fit
 * in one group of the level, then the next. spread: each thread in a group of
 * its own while there are groups. Both begin in the innermost group around
 * the level that has room for all, go on to near groups first, and give every
 * inner group of a group a thread before any gets a second one. Without
 * levels: the first rows.
 */
size_t *placement_find(
	const struct placement_request *request, struct arena *arena);

/* Put rows[n] so that those of each group, at every level, are together. */
void placement_nest(
	const struct placement_request *request, size_t *rows, size_t n);

/*
 * Which levels of a request a guest sees as what: their indexes from the
 * innermost outwards, n_levels for none.
 */
struct placement_parts {
	size_t core, die, cell;
};

/*
 * How a guest should see rows[threads] after placement_nest(). A topology has
 * parts that are all alike, sockets * dies * cores * threads of them; groups
 * need not be.
 */
struct placement_shape {
	size_t n_cells; /* NUMA nodes */
	size_t *cells;	/* [n_cells + 1] where each begins in rows, and the end
			 */
	/*
	 * A socket is a cell; where cells differ, the greatest part that all
	 * of them are made of, and no socket is in two.
	 */
	size_t sockets;
	size_t dies;	/* of a socket; 1 where they differ */
	size_t cores;	/* of a die */
	size_t threads; /* of a core; 1 where they differ */
	bool cells_differ, dies_differ, cores_differ;
};

void placement_shape_find(const struct placement_request *request,
	const size_t *rows, const struct placement_parts *parts,
	struct placement_shape *shape, struct arena *arena);

/* Distances of nodes as ACPI's SLIT has them: to itself, and to others. */
#define PLACEMENT_DISTANCE_OWN	 10
#define PLACEMENT_DISTANCE_LEAST 11
#define PLACEMENT_DISTANCE_MOST	 254

/* A guest of two cells or more, which are groups of the level parts->cell. */
struct placement_guest {
	const struct placement_request *request;
	const size_t *rows;
	const struct placement_parts *parts;
	const struct placement_shape *shape;
	const double *values; /* [n * n], NaN where not measured */
	bool higher_is_better;
};

/*
 * Between the cells of a guest, [n_cells * n_cells], from what was measured: as
 * much more than 10 as the median of the pairs between two groups is more than
 * the median of the pairs inside groups, less for rates. All CPUs of the groups
 * count, used or not, and both directions alike. NULL when no group holds a
 * measured pair, or no two of the cells do.
 */
uint8_t *placement_distances(
	const struct placement_guest *guest, struct arena *arena);

#endif
