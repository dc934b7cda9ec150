/*
 * Finds which groups of CPUs a matrix reveals. Pure functions; any thread may
 * call them.
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
	const size_t *order;  /* [n] row of each CPU; NULL: its number */
	const double *values; /* NaN if missing; the diagonal is ignored */
	const double *ci_low, *ci_high; /* 95 % intervals, or NULL */
	bool near_is_high;		/* see matrix_near_is_high() */
	bool is_virtual; /* a CPU may have its sibling in another machine */
	const struct level_constants *constants; /* NULL: those of the table */
};

enum groups_why {
	GROUPS_WHY_SLOW,       /* farther from all CPUs than its peers */
	GROUPS_WHY_FAST,       /* nearer to all CPUs than its peers */
	GROUPS_WHY_UNMEASURED, /* the CPU has almost no usable value */
	/* As near to another group as to its own. */
	GROUPS_WHY_MISFIT,
};

struct groups_outlier {
	size_t cpu; /* index of the row */
	enum groups_why why;
	size_t level; /* level that a misfit does not fit */
	double ratio; /* cost by that of its peers: 1.3 is 30 % dearer */
};

struct groups {
	size_t n_levels; /* innermost first, classes last */
	/* Groups, whose kinds are not known yet, and classes. */
	struct analysis_level *levels;
	size_t n_outliers;
	struct groups_outlier *outliers; /* outliers in the order of CPUs */
	/* Whether the numbers may be of other CPUs. */
	enum analysis_placement placement;
	size_t n_missing; /* pairs without a usable value */
	double step; /* step of a coarse clock, in the values' unit; or 0 */
};

/*
 * Fill *groups, in the arena; levels have no texts. A matrix of two CPUs or
 * without values has no levels. CPUs with almost no values are outliers, alone
 * at every level.
 */
void groups_find(const struct groups_input *input, struct groups *groups,
	struct arena *arena);

/* Whether two partitions of n CPUs, numbered by first CPU, are the same. */
bool groups_same(const uint32_t *a, const uint32_t *b, size_t n);

/*
 * Whether each group of a lies within one group of b, for the CPUs that count
 * (NULL: all). scratch[n].
 */
bool groups_within(const uint32_t *a, const uint32_t *b, size_t n,
	const bool *counts, size_t *scratch);

#endif
