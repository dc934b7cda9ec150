/*
 * Which groups of CPUs a matrix reveals.
 *
 * Pure functions: no input or output, no state; any thread may call them.
 */
#ifndef C2C_ANALYZE_GROUPS_H
#define C2C_ANALYZE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/analysis.h"
#include "util/arena.h"

/* A square over n CPUs; cell i * n + j is from CPU i to CPU j. */
struct groups_input {
	size_t n;
	const double *values; /* NaN where missing; the diagonal is ignored */
	const double *ci_low, *ci_high; /* 95 % intervals, or NULL */
	bool higher_is_better;
	bool is_virtual; /* a CPU may have its sibling in another machine */
};

enum groups_why {
	GROUPS_WHY_SLOW,       /* farther from everything than its like */
	GROUPS_WHY_FAST,       /* nearer to everything */
	GROUPS_WHY_UNMEASURED, /* hardly a number that can be used */
	GROUPS_WHY_MISFIT, /* as near to other groups as to its own, or as far
			      from its own as from others */
};

struct groups_outlier {
	size_t cpu; /* index of the row */
	enum groups_why why;
	size_t level; /* of a misfit */
	double ratio; /* cost to what its like have: 1.3 is 30 % dearer */
};

struct groups {
	size_t n_levels; /* innermost first, classes last */
	/* The numbers alone tell siblings, sharers of a cache and classes. */
	struct analysis_level *levels;
	size_t n_outliers;
	struct groups_outlier *outliers; /* by CPU */
	/* Stable, or why the numbers may not be those of their CPUs. */
	enum analysis_placement placement;
	size_t n_missing; /* pairs without a number that can be used */
};

/*
 * Fill *groups, in memory of the arena but for texts, which levels lack. A
 * matrix of two CPUs or of missing cells has no levels. CPUs with hardly a
 * number are outliers, and alone at every level.
 */
void groups_find(const struct groups_input *input, struct groups *groups,
	struct arena *arena);

/* Whether a and b divide n CPUs alike; both are numbered by first CPU. */
bool groups_same(const uint32_t *a, const uint32_t *b, size_t n);

/*
 * Whether each group of a lies within one of b, by the CPUs that count (NULL:
 * all of them do). scratch[n].
 */
bool groups_within(const uint32_t *a, const uint32_t *b, size_t n,
	const bool *counts, size_t *scratch);

#endif
