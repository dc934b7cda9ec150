/*
 * How many pairs may be measured together: pairs that run at the same time
 * share rings, meshes and memory controllers, and may slow each other. What
 * that costs is measured, on this machine, before the campaign.
 */
#ifndef C2C_JOBS_H
#define C2C_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/crew.h"
#include "engine/lines.h"
#include "engine/schedule.h"
#include "machine/machine.h"
#include "util/cpu_list.h"
#include "util/error.h"

struct jobs_options {
	const struct machine *machine; /* NULL: pretended CPUs */
	const struct cpu_list *cpus;
	const struct schedule *schedule; /* of all pairs */
	const struct line_pools *lines;
	uint64_t seed;
	double limit; /* of the bias */
};

/*
 * Measure disjoint pairs alone and together, interleaved: two rounds of pairs,
 * each with pairs of every distance. The bias is the mean of together over that
 * of alone, minus 1, of all pairs or of those of one distance, or the median of
 * the pairs' ratios minus 1, whichever is farthest from 0.
 *
 * *jobs 0 (auto): try the most pairs that there are, or as many as have lines
 * of their own, then half as many and so on; the first whose bias stays within
 * limit is kept, else 1, as where a visit does not end in time. *jobs given:
 * only its bias is measured. *bias is NaN when *jobs ends as 1.
 *
 * The campaign does not ask where fewer CPUs run at once than there are: 1.
 */
int jobs_choose(const struct jobs_options *options, struct crew *crew,
	size_t *jobs, double *bias, struct error *err);

#endif
