/*
 * The one partition of some units that stands out most.
 */
#ifndef C2C_ANALYZE_CUT_H
#define C2C_ANALYZE_CUT_H

#include <stdbool.h>

#include "analyze/square.h"

/*
 * A group must be nearer inside than outside by this share of the cost
 * outside: what gains less is no level that a placement could use.
 */
#define LEAST_GAIN 0.10

/*
 * Fill *found with the partition that divides the groups of parents further
 * and stands out most; false when none does.
 */
bool cut_best(const struct square *square, const struct partition *parents,
	struct partition *found, struct arena *arena);

#endif
