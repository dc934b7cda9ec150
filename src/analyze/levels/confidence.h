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

#endif
