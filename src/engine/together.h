/*
 * Measure whether CPUs run simultaneously. A host may have more vCPUs than
 * cores: then some vCPUs stop while others run, and the guest cannot detect
 * that. Two vCPUs that never run simultaneously cannot exchange a line. CPUs
 * that spin while they wait take cores from CPUs that measure. Then a visit
 * waits for the host's scheduler.
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

/* Times of a thread, read in this order. */
struct together_reading {
	uint64_t ns;	 /* clock */
	uint64_t cpu_ns; /* CPU time */
	long switches;	 /* context switches */
};

/*
 * How long a thread ran in a window. The thread reads the clock continuously.
 * In a long gap between two readings, the host ran another vCPU. If the guest's
 * scheduler switched the thread in the gap, only the thread's CPU time in the
 * gap is lost to the host.
 */
struct together_tally {
	uint64_t end_ns; /* end of the window */
	/*
	 * `before` is the reading before the last one, because the scheduler
	 * may switch the thread within a reading.
	 */
	struct together_reading last, before;
	uint64_t ran_ns;
};

/* Shortest gap: a fraction of a host's shortest time slice. */
#define TOGETHER_GAP_NS 500000

void together_note(
	struct together_tally *tally, const struct together_reading *now);

/*
 * Measure how many CPUs run simultaneously if all are busy, as a sum of shares
 * of time; NaN if there is one CPU or nothing could be measured. Takes 10 ms,
 * longer if few run. Return 0, -ETIMEDOUT if a member is lost, or another
 * negative errno.
 */
int together_measure(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *at_once, struct error *err);

/* Return whether too few CPUs run simultaneously for others to spin. */
bool together_is_overcommitted(double at_once, size_t n);

/*
 * How long a visit may take on an overcommitted machine. Abandoning a visit
 * early is often faster than waiting for the host to run both vCPUs, but if
 * most visits are abandoned, the host needs more time. So completed visits
 * shorten the patience, and abandoned visits lengthen it. Probes without round
 * trips do not need simultaneous halves, so their patience is always most_s.
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
