/*
 * The steps from a matrix of costs to levels: each is one file, whose top says
 * how it works. Private to src/analyze. Pure; what a step makes lies in the
 * arena.
 */
#ifndef C2C_STEPS_H
#define C2C_STEPS_H

#include <stdbool.h>

#include "analyze/cost_matrix.h"
#include "analyze/levels/levels.h"
#include "result/analysis.h"

/* A node of a tree: 0 to n - 1 are leaves, n + k is the k-th merge. */
struct cluster_merge {
	uint32_t left, right;
	float height; /* the mean distance between left and right */
	uint32_t size;
};

/*
 * linkage.c: build the tree over n leaves by average linkage, children before
 * parents: merges[n - 1]. distance[n * n] is symmetric, INFINITY if unknown,
 * and is used up. Two clusters without a cell between them are farthest.
 */
void linkage_build_tree(float *distance, size_t n, struct cluster_merge *merges,
	struct arena *arena);

/*
 * classes.c: divide the cores, which are the groups of the innermost level,
 * into classes; false if all are alike, or if a level says the same. On a
 * virtual machine a missing SMT sibling is no evidence.
 */
bool classes_find(const struct cost_matrix *matrix,
	const struct cost_levels *levels, bool is_virtual,
	const struct level_constants *constants, struct cost_level *classes,
	struct arena *arena);

/*
 * granularity.c: return the step of the clock that values[n * n] are multiples
 * of; 0 if they are not.
 */
double granularity_find_step(const double *values, size_t n,
	const struct level_constants *constants, struct arena *arena);

/*
 * measured.c: set in measured[n] which units have costs to at least a tenth of
 * the measured units. Return how many.
 */
size_t measured_find(const struct cost_matrix *matrix,
	const struct level_constants *constants, bool *measured,
	struct arena *arena);

/* measured.c: return how many pairs have no cost. */
size_t measured_missing(const struct cost_matrix *matrix);

/*
 * measured.c: return what divides the confidence in a partition, 1 or more: two
 * units that it leaves alone may belong together if their cost is missing.
 */
double measured_confidence_divisor(const struct cost_matrix *matrix,
	const struct partition *partition, struct arena *arena);

#endif
