/*
 * Count the near pairs of CPUs at the start, in the middle and at the end of a
 * campaign, and after all its CPUs have slept. The host of a virtual machine
 * may move vCPUs that wake up.
 *
 * cmd/near_pairs_lasted.c writes the record and the words; c2c-latency(1)
 * explains them.
 */
#ifndef C2C_NEAR_PAIRS_H
#define C2C_NEAR_PAIRS_H

#include "engine/campaign.h"
#include "util/error.h"

/* With fewer passes, start and end of a campaign are the same. */
#define NEAR_PAIRS_PARTS 3

struct near_pair_counts {
	/*
	 * Near pairs are below this, in the probe's unit. NaN: the values have
	 * no gap, so no pair is near.
	 */
	double limit;
	size_t always;		 /* near in all three parts of the campaign */
	size_t sometimes;	 /* near in one or two of them */
	size_t near;		 /* near at the end */
	size_t near_after_sleep; /* near at the end and after the sleep */
};

/*
 * Count the near pairs of a campaign that has slept: after_sleep_medians is not
 * NULL. A pair counts by its first value; lower is nearer.
 */
int near_pairs_count(const struct campaign *campaign,
	struct near_pair_counts *counts, struct error *err);

#endif
