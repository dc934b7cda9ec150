/*
 * Whether CPUs run at the same time. A host may have sold more vCPUs than it
 * has cores: then some of them stand still while others run, which a guest does
 * not see. Two that never run at once cannot exchange a line, CPUs that spin
 * while they wait take the cores from those that measure, and who waits for a
 * visit waits for the host's scheduler.
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

/* A thread's view of the time, read in this order. */
struct together_reading {
	uint64_t ns;	 /* the clock's */
	uint64_t cpu_ns; /* what the guest's kernel says that the thread ran */
	long switches;	 /* how often that kernel switched it */
};

/*
 * How long a thread that reads the clock all the time ran in a window. A long
 * gap between two readings is time that the host gave to others: all of it, or
 * if the guest's own scheduler switched meanwhile, what it counts as the
 * thread's.
 */
struct together_tally {
	uint64_t end_ns; /* of the window */
	/*
	 * The thread may be switched within a reading. So what the kernel says
	 * is taken from before the last reading's clock.
	 */
	struct together_reading last, before;
	uint64_t ran_ns;
};

/* A gap. The shortest slice of a host's scheduler is a few times as long. */
#define TOGETHER_GAP_NS 500000

void together_note(
	struct together_tally *tally, const struct together_reading *now);

/*
 * How many CPUs ran at once, of all, while all wanted to: a sum of shares. NaN
 * for one CPU, and where that could not be found out. Takes 10 ms, and some
 * more where it is few. -ETIMEDOUT when a member is lost, and others.
 */
int together_measure(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *at_once, struct error *err);

/* Whether so few ran at once that waiting CPUs had better sleep. */
bool together_is_overcommitted(double at_once, size_t n);

/*
 * How long a visit may take on such a machine. What begins anew is often placed
 * better than what waits; but if most of what begins is broken off, the host
 * needs more time to share its cores. So visits that end make it shorter, and
 * those broken off longer. The halves of probes without round trips need not
 * run at once: for these it is most_s, always.
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
