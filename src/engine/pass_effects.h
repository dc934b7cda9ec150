/*
 * What a run knows of why its passes differ: by the cache lines of a visit, by
 * the node of these lines, and by the clock of the cores.
 *
 * A pass has its lines by chance. So the variance of a pair's passes has a part
 * that comes from the lines, which an analysis of variance with random effects
 * tells from the rest.
 */
#ifndef C2C_PASS_EFFECTS_H
#define C2C_PASS_EFFECTS_H

#include "engine/campaign.h"
#include "engine/summary.h"

/*
 * The median over CPUs of their clock now, in GHz; NaN if a visit did not end
 * in time, or where nobody can tell. -ETIMEDOUT when a member is lost, and
 * others.
 */
int pass_effects_clock(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *ghz, struct error *err);

/*
 * Append, for each matrix of medians, standard deviations of each pair:
 * "sd_lines", and if passes have lines on several nodes, "sd_homes". NaN where
 * a pair has too few passes, and no matrix where all have. Nothing if the
 * campaign did not keep the places of its visits.
 */
int pass_effects_matrices(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err);

#endif
