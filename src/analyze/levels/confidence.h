/* Judges how sure a level is. Pure. */
#ifndef C2C_CONFIDENCE_H
#define C2C_CONFIDENCE_H

#include "analyze/levels/rivals.h"

/*
 * Return the confidence of the k-th level, from 0 to 1. *reason says what
 * limits it; NULL: its evidence alone.
 */
double confidence_of_level(const struct level_choices *choices, size_t k,
	const struct level_constants *constants, const char **reason,
	struct arena *arena);

/*
 * Return how seldom a random order of the cells between the units of each
 * family has those inside groups of these sizes as its lowest: for four units
 * in pairs, four times in five.
 */
double confidence_of_sizes(const struct partition *groups,
	const struct partition *families, struct arena *arena);

#endif
