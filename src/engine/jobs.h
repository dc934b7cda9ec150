/*
 * Choose how many pairs to measure together. Parallel pairs share rings, meshes
 * and memory controllers, and may slow each other down. The bias is measured on
 * this machine, before the campaign.
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
	const struct machine *machine; /* NULL: simulated CPUs */
	const struct cpu_list *cpus;
	const struct schedule *schedule; /* the campaign's schedule */
	const struct line_pools *lines;
	uint64_t seed;
	double limit; /* largest bias allowed */
};

/*
 * Measure disjoint pairs alone and in parallel, interleaved, in two rounds that
 * have pairs of every distance. Biases are the relative changes of the mean
 * over all pairs, of the mean over the pairs of each distance, and the median
 * of all changes. *bias is the bias farthest from 0.
 *
 * If *jobs is 0 (auto), try as many pairs as can run together on different
 * lines, then half as many and so on, until the bias is within limit. If every
 * number has a larger bias, or a visit does not end in time, set *jobs to 1. If
 * *jobs is not 0, only measure its bias. *bias is NaN if *jobs is 1 in the end.
 *
 * The campaign does not call this if the machine is overcommitted.
 */
int jobs_choose(const struct jobs_options *options, struct crew *crew,
	size_t *jobs, double *bias, struct error *err);

#endif
