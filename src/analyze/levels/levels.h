/* Finds the nested levels of a cost matrix. */
#ifndef C2C_LEVELS_H
#define C2C_LEVELS_H

#include "analyze/cost_matrix.h"
#include "analyze/levels/level_constants.h"

struct cost_level {
	struct partition partition; /* groups of the CPUs */
	double inside;		    /* median cost between units of a group */
	double between; /* median cost between groups of an outer group */
	bool *fits;	/* [CPUs] nearer to its own group than to others */
	const bool *inferred; /* [CPUs] no cell of the CPU places it; or NULL */
	double confidence;
	/* Doubt that limits the confidence, except `inferred`; or NULL. */
	const char *reason;
};

/* Largest number of levels. No machine has so many. */
#define LEVELS_MAX 16

/*
 * Levels, innermost first. Each group is a union of groups of the inner level.
 */
struct cost_levels {
	struct cost_level levels[LEVELS_MAX];
	size_t n;
};

void levels_find(const struct cost_matrix *matrix,
	const struct level_constants *constants, struct cost_levels *levels,
	struct arena *arena);

/* Return the innermost level with two CPUs in one group, or levels->n. */
size_t levels_joining(const struct cost_levels *levels, size_t i, size_t j);

/* Whether some level has these groups. */
bool levels_have(
	const struct cost_levels *levels, const struct partition *partition);

#endif
