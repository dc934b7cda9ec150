/*
 * The nested levels that a matrix of costs shows. Pure; what it makes lies in
 * the arena.
 */
#ifndef C2C_LEVELS_H
#define C2C_LEVELS_H

#include "analyze/cost_matrix.h"
#include "analyze/levels/level_constants.h"

struct cost_level {
	struct partition partition; /* of the CPUs */
	double inside;		    /* median between units of one group */
	double between; /* and of different groups, in one of the next level */
	bool *fits;	/* [CPUs] nearer to its own group than to another */
	const bool
		*inferred; /* [CPUs] put there by no cell of its own; or NULL */
	double confidence;
	/* What holds the confidence down, beside inferred; or NULL. */
	const char *reason;
};

/* More levels than any machine has. */
#define LEVELS_MAX 16

/* From the innermost outwards; each one's groups are unions of the last's. */
struct cost_levels {
	struct cost_level levels[LEVELS_MAX];
	size_t n;
};

void levels_find(const struct cost_matrix *matrix,
	const struct level_constants *constants, struct cost_levels *levels,
	struct arena *arena);

/* The innermost level that joins two CPUs; levels->n if none does. */
size_t levels_joining(const struct cost_levels *levels, size_t i, size_t j);

/* Whether one of them has these groups. */
bool levels_have(
	const struct cost_levels *levels, const struct partition *partition);

/* Whether no group has more than two units. */
bool levels_only_pairs(const struct partition *partition, struct arena *arena);

#endif
