/*
 * How many pairs may be measured together: pairs that run at the same time
 * share rings, meshes and memory controllers, and may slow each other. What
 * that costs is measured, on this machine, before the campaign.
 */
#ifndef C2C_ENGINE_JOBS_H
#define C2C_ENGINE_JOBS_H

#include <stddef.h>

#include "engine/crew.h"
#include "engine/lines.h"
#include "engine/schedule.h"
#include "util/error.h"

/*
 * Measure a round of disjoint pairs alone and together, interleaved. The bias
 * is the mean of together over that of alone, minus 1, or the median of the
 * pairs' ratios minus 1, whichever is farther from 0.
 *
 * *jobs 0 (auto): try the most pairs there are, then half as many and so on;
 * the first whose bias stays within limit is kept, else 1. *jobs given: only
 * its bias is measured. *bias is NaN when *jobs ends as 1.
 */
int jobs_settle(struct schedule *schedule, struct crew *crew,
	const struct lines *lines, double limit, size_t *jobs, double *bias,
	struct error *err);

#endif
