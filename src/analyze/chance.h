/*
 * Whether chance could have made a level: the test by permutation.
 */
#ifndef C2C_ANALYZE_CHANCE_H
#define C2C_ANALYZE_CHANCE_H

#include <stdbool.h>

#include "analyze/square.h"

/*
 * How often the cells of square, dealt anew at random, show a partition at
 * least as good as the given one: (1 + times) / (1 + tries). units says which
 * CPUs are one unit, NULL when each is its own; parents and partition are of
 * the CPUs as well. clear: noise alone could not make the low cells, only wrong
 * CPUs could.
 */
double chance_of(const struct square *square, const struct partition *units,
	const struct partition *partition, const struct partition *parents,
	bool clear, struct arena *arena);

#endif
