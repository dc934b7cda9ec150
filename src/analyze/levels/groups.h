/*
 * Finds the groups of CPUs in a matrix. Pure; any thread may call these
 * functions.
 */
#ifndef C2C_GROUPS_H
#define C2C_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/levels/level_constants.h"
#include "result/analysis.h"
#include "util/arena.h"

/* A square matrix over n CPUs; cell i * n + j is from row i to row j. */
struct groups_input {
	size_t n;
	const size_t *order;  /* [n] row of each CPU; NULL: CPU i is row i */
	const double *values; /* NaN if missing; the diagonal is ignored */
	const double *ci_low, *ci_high; /* 95 % intervals, or NULL */
	bool near_is_high;		/* see matrix_near_is_high() */
	bool is_virtual; /* a CPU's SMT sibling may be in another VM */
	const struct level_constants *constants; /* NULL: the table's */
};

enum groups_why {
	GROUPS_WHY_SLOW,       /* farther from all CPUs than other CPUs */
	GROUPS_WHY_FAST,       /* nearer to all CPUs than other CPUs */
	GROUPS_WHY_UNMEASURED, /* almost no usable values */
	/* equally near to two groups */
	GROUPS_WHY_MISFIT,
};

struct groups_outlier {
	size_t cpu; /* index of the row */
	enum groups_why why;
	size_t level; /* level where the CPU is a misfit */
	double ratio; /* cost relative to other CPUs: 1.3 is 30 % more */
};

struct groups {
	size_t n_levels; /* innermost first, classes last */
	/* Groups of unknown kind, and classes. */
	struct analysis_level *levels;
	size_t n_outliers;
	struct groups_outlier *outliers; /* ordered by CPU */
	/* whether threads moved to other CPUs during the run */
	enum analysis_placement placement;
	size_t n_missing; /* pairs without a usable value */
	double step;	  /* step of a coarse clock in the values' unit, or 0 */
};

/*
 * Fill *groups, in the arena; texts of levels stay empty. A matrix of two CPUs
 * or without values has no levels. CPUs with almost no values are outliers,
 * which are alone at each level.
 */
void groups_find(const struct groups_input *input, struct groups *groups,
	struct arena *arena);

/* Whether two partitions of n CPUs are equal (groups numbered by first CPU). */
bool groups_same(const uint32_t *a, const uint32_t *b, size_t n);

/*
 * Whether each group of a is within one group of b, among the CPUs that count
 * (NULL: all). scratch[n].
 */
bool groups_within(const uint32_t *a, const uint32_t *b, size_t n,
	const bool *counts, size_t *scratch);

#endif
