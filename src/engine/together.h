/*
 * Measure whether CPUs run simultaneously. A host may have more vCPUs than
 * cores: then some stop while others run, and the guest does not see it. Two
 * vCPUs that never run simultaneously cannot exchange a line. CPUs that spin
 * while they wait take cores from those that measure. A visit waits for the
 * host's scheduler.
 */
#ifndef C2C_TOGETHER_H
#define C2C_TOGETHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/crew.h"
#include "engine/lines.h"
#include "util/cpu_list.h"
#include "util/error.h"

/* The time as a thread sees it, read in this order. */
struct together_reading {
	uint64_t ns;	 /* clock */
	uint64_t cpu_ns; /* CPU time by the guest's kernel */
	long switches;	 /* context switches by the guest's kernel */
};

/*
 * How long a thread ran in a window. The thread reads the clock continuously: a
 * long gap between two readings is time that the host gave to others. If the
 * guest's scheduler switched the thread in the gap, only the CPU time that the
 * guest counted for the thread went to the host.
 */
struct together_tally {
	uint64_t end_ns; /* end of the window */
	/*
	 * The thread may be switched within a reading. So `before` has the
	 * kernel's numbers from before the last reading of the clock.
	 */
	struct together_reading last, before;
	uint64_t ran_ns;
};

/* Shortest gap. A host's shortest time slice is a few times as long. */
#define TOGETHER_GAP_NS 500000

void together_note(
	struct together_tally *tally, const struct together_reading *now);

/*
 * Measure how many CPUs ran simultaneously while all wanted to run: a sum of
 * shares. NaN for one CPU, or if it could not be measured. Takes 10 ms, longer
 * if few run. -ETIMEDOUT if a member is lost, and other errors.
 */
int together_measure(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *at_once, struct error *err);

/* Return whether waiting CPUs should sleep, as few ran simultaneously. */
bool together_is_overcommitted(double at_once, size_t n);

/*
 * How long a visit may take on an overcommitted machine. The host often places
 * a new visit better than a waiting one. But if most visits are abandoned, the
 * host needs more time. So completed visits shorten the patience, and abandoned
 * visits lengthen it. Halves of probes without round trips need not run
 * simultaneously: their patience is always most_s.
 */
struct together_patience {
	double least_s, most_s, s;
};

struct together_patience together_patience_of(const struct probe *probe,
	const struct probe_params *params, double most_s);
void together_shorten_patience(
	struct together_patience *patience, size_t visits);
void together_extend_patience(struct together_patience *patience);

#endif
