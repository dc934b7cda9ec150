/*
 * Which pairs of CPUs are near, and for how long: at the begin, in the middle
 * and at the end of a campaign, and after all of its CPUs have slept. The host
 * of a virtual machine may move vCPUs that wake up.
 *
 * cmd/near_pairs_lasted.c has the record and the words, c2c-latency(1) explains
 * them.
 */
#ifndef C2C_NEAR_PAIRS_H
#define C2C_NEAR_PAIRS_H

#include "engine/campaign.h"
#include "util/error.h"

/* Of a campaign with fewer passes, begin and end are the same. */
#define NEAR_PAIRS_PARTS 3

struct near_pair_counts {
	/*
	 * Near pairs are below it, in the probe's unit; NaN where the values
	 * have no gap, so that no pair is nearer than others.
	 */
	double limit;
	size_t always;		 /* near in all three parts of the campaign */
	size_t sometimes;	 /* in one or two of them */
	size_t near;		 /* at the end */
	size_t near_after_sleep; /* of these, after the sleep */
};

/*
 * Judge a campaign that has looked again: campaign->later is not NULL. Pairs
 * count by their first value; lower is nearer.
 */
int near_pairs_count(const struct campaign *campaign,
	struct near_pair_counts *counts, struct error *err);

#endif
