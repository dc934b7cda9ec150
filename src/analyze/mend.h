/*
 * Repair of a partition where bad cells tore a unit from its group.
 */
#ifndef C2C_ANALYZE_MEND_H
#define C2C_ANALYZE_MEND_H

#include <stdbool.h>

#include "analyze/square.h"

/*
 * Look at the units of square that partition leaves alone, within the groups
 * of parents, and put those where they belong that have one place to go; fits
 * [n_units] is what visible_measure() said of them. The groups are numbered
 * anew; true when any unit was moved.
 */
bool mend_partition(const struct square *square, struct partition *partition,
	const struct partition *parents, const unsigned char *fits,
	struct arena *arena);

#endif
