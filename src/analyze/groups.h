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

#include "util/error.h"

/* A square over n CPUs; cell i * n + j is from CPU i to CPU j. */
struct groups_input {
	size_t n;
	const double *values; /* NaN where missing; the diagonal is ignored */
	const double *ci_low, *ci_high; /* 95 % intervals, or NULL */
	bool higher_is_better;
};

enum groups_kind {
	GROUPS_SMT,
	GROUPS_LLC,
	GROUPS_NODE,
	GROUPS_PACKAGE,
	GROUPS_CLASS,
	GROUPS_GROUP,
};

struct groups_level {
	enum groups_kind kind;
	bool nested; /* every group is a union of groups of the level before */
	size_t n_groups;
	uint32_t *group; /* [n], numbered by first CPU */
	double inside, between; /* medians, in the unit of the input */
	double confidence;
};

enum groups_why {
	GROUPS_WHY_SLOW, /* farther from everything than its like */
	GROUPS_WHY_FAST,
	GROUPS_WHY_MISFIT, /* as near to other groups as to its own */
};

struct groups_outlier {
	size_t cpu; /* index of the row */
	enum groups_why why;
};

enum groups_placement {
	GROUPS_PLACEMENT_STABLE,
	GROUPS_PLACEMENT_UNKNOWN,
};

struct groups {
	size_t n_levels;
	struct groups_level *levels;
	size_t n_outliers;
	struct groups_outlier *outliers;
	enum groups_placement placement;
};

/*
 * Fill *groups; release it with groups_release(). -ENOMEM, or -EDOM when there
 * is nothing to analyse, with *err filled.
 */
int groups_find(const struct groups_input *input, struct groups *groups,
	struct error *err);
void groups_release(struct groups *groups);

#endif
