/*
 * Chooses CPUs for threads from measured groups. Pure functions; any thread may
 * call them. CPUs are rows of the matrix, 0 to n - 1. At each level, group[i]
 * is the group of row i.
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
	/*
	 * Innermost first; each group is a union of groups of the inner level.
	 */
	const struct placement_level *levels;
	size_t n_levels;
	size_t level;	/* index of the requested level */
	bool spread;	/* else pack */
	size_t threads; /* 1 to n */
};

/*
 * List the levels of an analysis that can place threads, which are nested and
 * not classes. from[k] is the source of levels[k]. Both arrays need room for
 * all levels of the analysis. Return the number of listed levels.
 */
size_t placement_list_levels(const struct analysis *analysis,
	struct placement_level *levels, const struct analysis_level **from);

/*
 * Return the row of each thread: [threads]. Pack fills one group of the level
 * with threads, then the next group. Spread places each thread in another group
 * while groups remain. Pack and spread start in the innermost group with room
 * for all threads and prefer near groups. An inner group gets a second thread
 * only after each inner group has one. Without levels, the threads use the
 * first rows.
 */
size_t *placement_find(
	const struct placement_request *request, struct arena *arena);

/*
 * Return rows near each other for 1 to n threads, by values[n * n] alone (NaN:
 * not measured): [threads], increasing. The greedy search starts with one row
 * of the nearest pair and adds the row nearest to all chosen rows. With
 * core[n], use at most one row of each core. Return NULL if there are fewer
 * cores than threads.
 */
size_t *placement_nearest(const double *values, size_t n, bool near_is_high,
	const uint32_t *core, size_t threads, struct arena *arena);

/* Sort rows[n] so that the rows of each group of each level are adjacent. */
void placement_sort_nested(
	const struct placement_request *request, size_t *rows, size_t n);

/* Indexes of the levels for a guest's cores, dies and cells; n_levels: none. */
struct placement_parts {
	size_t core, die, cell;
};

/*
 * The shape of a guest for rows[threads] after placement_sort_nested(). A
 * guest's topology has sockets * dies * cores * threads vCPUs. Measured groups
 * may differ in size.
 */
struct placement_shape {
	size_t n_cells; /* NUMA nodes */
	/* [n_cells + 1] first index of each cell in rows, and the end */
	size_t *cells;
	/*
	 * A socket is a cell. If cells differ in size, the size of a socket is
	 * the greatest common divisor of theirs, so that no socket spans two
	 * cells.
	 */
	size_t sockets;
	size_t dies;	/* dies of a socket; 1 if sockets differ */
	size_t cores;	/* cores of a die */
	size_t threads; /* threads of a core; 1 if cores differ */
	bool cells_differ, dies_differ, cores_differ;
};

void placement_shape_find(const struct placement_request *request,
	const size_t *rows, const struct placement_parts *parts,
	struct placement_shape *shape, struct arena *arena);

/* Node distances as in the ACPI SLIT: of a node to itself, and to others. */
#define PLACEMENT_DISTANCE_OWN	 10
#define PLACEMENT_DISTANCE_LEAST 11
#define PLACEMENT_DISTANCE_MOST	 254

/* A guest with at least two cells: groups of the level parts->cell. */
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
 * distance is 10 times the median of the pairs between two groups, divided by
 * the median of the pairs inside groups (for rates, the inverse ratio). All
 * CPUs of the groups count, even if the guest does not use them. Return NULL if
 * no pair inside groups was measured, or no pair between two of the cells.
 */
uint8_t *placement_distances(
	const struct placement_guest *guest, struct arena *arena);

#endif
