/*
 * Count the near pairs of CPUs at the start, in the middle and at the end of a
 * campaign, and after all its CPUs have slept. The host of a virtual machine
 * may move vCPUs that wake up.
 *
 * c2c-latency(1) explains the result.
 */
#ifndef C2C_NEAR_PAIRS_H
#define C2C_NEAR_PAIRS_H

#include "engine/campaign.h"
#include "util/error.h"

/* Least number of passes: start, middle and end differ. */
#define NEAR_PAIRS_PARTS 3

struct near_pair_counts {
	/*
	 * Largest value of near pairs, in the probe's unit; NaN if the values
	 * have no gap, so that no pair is near.
	 */
	double limit;
	size_t always;		 /* near in all parts of the campaign */
	size_t sometimes;	 /* near in one part or two */
	size_t near;		 /* near at the end */
	size_t near_after_sleep; /* near at the end and after the sleep */
};

/* Count the near pairs, by first values. Needs after_sleep_medians. */
int near_pairs_count(const struct campaign *campaign,
	struct near_pair_counts *counts, struct error *err);

#endif
