/* How sure a level is. Pure. */
#ifndef C2C_CONFIDENCE_H
#define C2C_CONFIDENCE_H

#include "analyze/levels/rivals.h"

/*
 * Of the k-th level, from 0 to 1; *reason says what holds it down, NULL: its
 * evidence alone.
 */
double confidence_of_level(const struct level_choices *choices, size_t k,
	const struct level_constants *constants, const char **reason,
	struct arena *arena);

/*
 * How seldom the cells between the units of each family, in an order of chance,
 * have those inside groups of such sizes as their lowest: of four units in
 * pairs four times in five.
 */
double confidence_of_sizes(const struct partition *groups,
	const struct partition *families, struct arena *arena);

#endif
