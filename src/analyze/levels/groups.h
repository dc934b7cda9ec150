/*
 * Which groups of CPUs a matrix reveals. Pure functions; any thread may call
 * them.
 */
#ifndef C2C_GROUPS_H
#define C2C_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/levels/level_constants.h"
#include "result/analysis.h"
#include "util/arena.h"

/* A square over n CPUs; cell i * n + j is from row i to row j. */
struct groups_input {
	size_t n;
	const size_t *order;  /* [n] the row of each CPU; NULL: as they are */
	const double *values; /* NaN where missing; the diagonal is ignored */
	const double *ci_low, *ci_high; /* 95 % intervals, or NULL */
	bool near_is_high;		/* see matrix_near_is_high() */
	bool is_virtual; /* a CPU may have its sibling in another machine */
	const struct level_constants *constants; /* NULL: those of the table */
};

enum groups_why {
	GROUPS_WHY_SLOW,       /* farther from everything than its like */
	GROUPS_WHY_FAST,       /* nearer to everything */
	GROUPS_WHY_UNMEASURED, /* hardly a number that can be used */
	/*
	 * as near to other groups as to its own, or as far from its own as from
	 * others
	 */
	GROUPS_WHY_MISFIT,
};

struct groups_outlier {
	size_t cpu; /* index of the row */
	enum groups_why why;
	size_t level; /* of a misfit */
	double ratio; /* cost to what its like have: 1.3 is 30 % dearer */
};

struct groups {
	size_t n_levels; /* innermost first, classes last */
	/* Classes or groups, whose kinds nobody knows yet. */
	struct analysis_level *levels;
	size_t n_outliers;
	struct groups_outlier *outliers; /* by CPU */
	/* Stable, or whether the numbers may be of other CPUs. */
	enum analysis_placement placement;
	size_t n_missing; /* pairs without a number that can be used */
	double step; /* of a coarse clock, in the unit of the values; or 0 */
};

/*
 * Fill *groups in memory of the arena; levels have no texts. A matrix of two
 * CPUs or without values has no levels. CPUs with almost no values are
 * outliers, alone at every level.
 */
void groups_find(const struct groups_input *input, struct groups *groups,
	struct arena *arena);

/*
 * Whether two partitions of n CPUs are the same; both are numbered by first
 * CPU.
 */
bool groups_same(const uint32_t *a, const uint32_t *b, size_t n);

/*
 * Whether each group of a lies within one group of b, for the CPUs that count
 * (NULL: all). scratch[n].
 */
bool groups_within(const uint32_t *a, const uint32_t *b, size_t n,
	const bool *counts, size_t *scratch);

#endif
