/* Computes the confidence of a level. Pure. */
#ifndef C2C_CONFIDENCE_H
#define C2C_CONFIDENCE_H

#include "analyze/levels/rivals.h"

/*
 * Return the confidence of the k-th level, from 0 to 1. *reason is the doubt
 * that limits the confidence; NULL: the evidence limits it.
 */
double confidence_of_level(const struct level_choices *choices, size_t k,
	const struct level_constants *constants, const char **reason,
	struct arena *arena);

/*
 * Return a confidence by the sizes of groups alone: the probability that cells
 * in random order are not lowest inside these groups. The confidence is 0.8 for
 * four units in pairs.
 */
double confidence_of_sizes(const struct partition *groups,
	const struct partition *families, struct arena *arena);

#endif
