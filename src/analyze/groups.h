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

#include "util/arena.h"
#include "util/error.h"

/* A square over n CPUs; cell i * n + j is from CPU i to CPU j. */
struct groups_input {
	size_t n;
	const double *values; /* NaN where missing; the diagonal is ignored */
	const double *ci_low, *ci_high; /* 95 % intervals, or NULL */
	bool higher_is_better;
	bool is_virtual; /* a CPU may have its sibling in another machine */
};

/*
 * What a level seems to be. The numbers alone tell siblings and classes; nodes
 * and packages are named by who knows the topology.
 */
enum groups_kind {
	GROUPS_SMT,   /* threads of one core */
	GROUPS_LLC,   /* cores that share a cache */
	GROUPS_CLASS, /* cores that differ in kind, not in distance */
	GROUPS_GROUP,
};

struct groups_level {
	enum groups_kind kind;
	bool nested; /* every group is a union of groups of the level before */
	size_t n_groups;
	uint32_t *group;	/* [n], numbered by first CPU */
	double inside, between; /* medians, in the unit of the input */
	/* 0 to 1. Under 0.5 it is a guess that should not be acted on. */
	double confidence;
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

enum groups_placement {
	/* Nothing speaks against every number being that of its CPUs. */
	GROUPS_PLACEMENT_STABLE,
	/* Cells far too near to be noise form no groups: cannot tell. */
	GROUPS_PLACEMENT_UNKNOWN,
	/* The same of so few CPUs that noise does it too. */
	GROUPS_PLACEMENT_TOO_FEW,
};

struct groups {
	size_t n_levels; /* innermost first, classes last */
	struct groups_level *levels;
	size_t n_outliers;
	struct groups_outlier *outliers; /* by CPU */
	enum groups_placement placement;
	size_t n_missing;    /* pairs without a number that can be used */
	struct arena memory; /* of all this */
};

/*
 * Fill *groups; release it with groups_release(). -ENOMEM, with *err
 * filled. A matrix of two CPUs or of missing cells has no levels. CPUs with
 * hardly a number are outliers, and alone at every level.
 */
int groups_find(const struct groups_input *input, struct groups *groups,
	struct error *err);
void groups_release(struct groups *groups);

/* Whether a and b divide n CPUs alike; both are numbered by first CPU. */
bool groups_same(const uint32_t *a, const uint32_t *b, size_t n);

/*
 * Whether each group of a lies within one of b, by the CPUs that count (NULL:
 * all of them do). scratch[n].
 */
bool groups_within(const uint32_t *a, const uint32_t *b, size_t n,
	const bool *counts, size_t *scratch);

#endif
