/*
 * Chooses the CPUs that threads should run on, from measured groups. Pure
 * functions; any thread may call them. CPUs are rows of the matrix, 0 to n - 1;
 * group[i] is the group of row i at a level.
 */
#ifndef C2C_PLACEMENT_H
#define C2C_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/analysis.h"
#include "util/arena.h"

struct placement_level {
	const uint32_t *group; /* [n] */
	size_t n_groups;
};

struct placement_request {
	size_t n;
	/* From the innermost outwards; groups unite those before them. */
	const struct placement_level *levels;
	size_t n_levels;
	size_t level;	/* the level that threads share or divide */
	bool spread;	/* else pack */
	size_t threads; /* 1 to n */
};

/*
 * List the levels of an analysis that threads can be placed by: those that
 * nest, but no classes of CPUs. levels and from, where each one comes from,
 * have room for all levels of the analysis. Return how many there are.
 */
size_t placement_list_levels(const struct analysis *analysis,
	struct placement_level *levels, const struct analysis_level **from);

/*
 * Return the row of each thread: [threads]. Pack puts as many threads as fit
 * into one group of the level, then goes to the next. Spread gives each thread
 * a group while there are groups. Pack and spread begin in the innermost group
 * that has room for all, go on to near groups first, and give every inner group
 * one thread before any gets two. Without levels they take the first rows.
 */
size_t *placement_find(
	const struct placement_request *request, struct arena *arena);

/*
 * Return the rows of 1 to n threads that are near each other, by values[n * n]
 * alone (NaN if not measured): [threads], increasing. The first is one of the
 * nearest pair, each other the nearest to those before it. With core[n], at
 * most one is of each core; NULL if there are fewer cores than threads.
 */
size_t *placement_nearest(const double *values, size_t n, bool near_is_high,
	const uint32_t *core, size_t threads, struct arena *arena);

/* Sort rows[n] so that those of each group stand together, at every level. */
void placement_sort_nested(
	const struct placement_request *request, size_t *rows, size_t n);

/*
 * Indexes of the levels that a guest sees as cores, dies, cells; or n_levels.
 */
struct placement_parts {
	size_t core, die, cell;
};

/*
 * The shape of a guest for rows[threads] after placement_sort_nested(). The
 * parts of a topology are all alike, sockets * dies * cores * threads of them;
 * groups need not be.
 */
struct placement_shape {
	size_t n_cells; /* NUMA nodes */
	/* [n_cells + 1] where each cell begins in rows, and the end */
	size_t *cells;
	/*
	 * A socket is a cell. If cells differ, it is the largest part that
	 * divides them all, so that no socket is in two cells.
	 */
	size_t sockets;
	size_t dies;	/* dies of a socket; 1 if they differ */
	size_t cores;	/* cores of a die */
	size_t threads; /* threads of a core; 1 if they differ */
	bool cells_differ, dies_differ, cores_differ;
};

void placement_shape_find(const struct placement_request *request,
	const size_t *rows, const struct placement_parts *parts,
	struct placement_shape *shape, struct arena *arena);

/* Distances of nodes as in the SLIT of ACPI: to itself, and to others. */
#define PLACEMENT_DISTANCE_OWN	 10
#define PLACEMENT_DISTANCE_LEAST 11
#define PLACEMENT_DISTANCE_MOST	 254

/* A guest of two or more cells, each a group of the level parts->cell. */
struct placement_guest {
	const struct placement_request *request;
	const size_t *rows;
	const struct placement_parts *parts;
	const struct placement_shape *shape;
	const double *values; /* [n * n], NaN if not measured */
	bool near_is_high;
};

/*
 * Return the distances between the cells of a guest: [n_cells * n_cells]. A
 * distance is to 10 as the median of the pairs between two groups is to the
 * median of the pairs inside groups; for rates the other way round. All CPUs of
 * the groups count, used or not, in both directions. NULL if no group holds a
 * measured pair, or no two of the cells do.
 */
uint8_t *placement_distances(
	const struct placement_guest *guest, struct arena *arena);

#endif
