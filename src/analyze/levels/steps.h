/*
 * The steps from a cost matrix to levels, one file each; the head of the file
 * explains the step. Private to src/analyze.
 */
#ifndef C2C_STEPS_H
#define C2C_STEPS_H

#include <stdbool.h>

#include "analyze/cost_matrix.h"
#include "analyze/levels/levels.h"
#include "result/analysis.h"

/* One merge of a tree. Node 0 to n - 1 is a leaf, node n + k is merge k. */
struct cluster_merge {
	uint32_t left, right;
	float height; /* the mean distance between left and right */
	uint32_t size;
};

/*
 * linkage.c: build the tree over n leaves by average linkage: merges[n - 1],
 * children before parents. distance[n * n] is symmetric, with INFINITY for
 * unknown cells, and is overwritten. Clusters without a known cell between them
 * merge last.
 */
void linkage_build_tree(float *distance, size_t n, struct cluster_merge *merges,
	struct arena *arena);

/*
 * classes.c: divide the cores (the groups of the innermost level) into classes.
 * Return false if all cores are alike or a level already has these groups. On a
 * virtual machine a missing SMT sibling is no evidence.
 */
bool classes_find(const struct cost_matrix *matrix,
	const struct cost_levels *levels, bool is_virtual,
	const struct level_constants *constants, struct cost_level *classes,
	struct arena *arena);

/* granularity.c: return the clock step that divides all values[n * n], or 0. */
double granularity_find_step(const double *values, size_t n,
	const struct level_constants *constants, struct arena *arena);

/*
 * measured.c: mark in measured[n] the units with costs to at least a tenth of
 * the measured units. Return their number.
 */
size_t measured_find(const struct cost_matrix *matrix,
	const struct level_constants *constants, bool *measured,
	struct arena *arena);

/* measured.c: return the number of pairs without a cost. */
size_t measured_missing(const struct cost_matrix *matrix);

/*
 * measured.c: return the divisor (at least 1) for the confidence in a
 * partition. Two single units may be a group if their cost is missing.
 */
double measured_confidence_divisor(const struct cost_matrix *matrix,
	const struct partition *partition, struct arena *arena);

#endif
