/*
 * Separates causes of the variation between passes: the cache lines of a visit,
 * the node of these lines, and the clock of the cores.
 *
 * Each pass draws its lines at random. So an analysis of variance with random
 * effects separates the variance between lines.
 */
#ifndef C2C_PASS_EFFECTS_H
#define C2C_PASS_EFFECTS_H

#include "engine/campaign.h"
#include "engine/summary.h"

/*
 * Measure the median clock of all CPUs, in GHz; NaN if a visit did not end in
 * time or the clock is unknown. Return 0, -ETIMEDOUT if a member is lost, or
 * another negative errno.
 */
int pass_effects_clock(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *ghz, struct error *err);

/*
 * Append, for each matrix of medians, the standard deviations of each pair:
 * "sd_lines", and if passes have lines on several nodes, "sd_homes". Pairs with
 * too few passes have NaN. Leave out a matrix of NaN. Append nothing if the
 * campaign did not store the places of its visits.
 */
int pass_effects_matrices(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err);

#endif
