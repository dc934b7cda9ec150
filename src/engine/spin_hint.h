/*
 * By which loop a pair waits: bare, or with the CPU's spin-wait hint. The loop
 * is part of the figure, and which one is lower depends on the processor and on
 * the distance of the pair. So both are measured, on this machine, before the
 * campaign, and one is taken for the whole matrix: cells that were measured by
 * different loops could not be compared with each other.
 */
#ifndef C2C_SPIN_HINT_H
#define C2C_SPIN_HINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/crew.h"
#include "engine/lines.h"
#include "engine/schedule.h"
#include "machine/machine.h"
#include "util/error.h"

/* What the topology says that two CPUs share; the last: nothing, or unknown. */
enum relax_distance {
	RELAX_CORE,
	RELAX_LLC,
	RELAX_PACKAGE,
	RELAX_MACHINE,
	RELAX_DISTANCES
};

enum relax_distance relax_distance_of(
	const struct machine *machine, unsigned a, unsigned b);

/* A visit by each loop, one right after the other, on the same pair and lines.
 */
struct relax_turn {
	double none, pause; /* NaN: the visit did not count */
};

/* Both loops at one distance. */
struct relax_figure {
	size_t turns;	    /* in which both visits counted; 0: all is NaN */
	double none, pause; /* medians of these */
	double ratio;	    /* median of pause / none of a turn */
	/* Its 95 % interval; NaN with under six turns. */
	double ci_low, ci_high;
};

/* Of turns[n], n at most RELAX_TURNS. */
#define RELAX_TURNS 96
struct relax_figure relax_compare(const struct relax_turn *turns, size_t n);

/*
 * Whether to wait with the hint: yes, unless the bare loop is lower by over 5 %
 * in the geometric mean over the distances that were measured. A distance whose
 * interval holds 1 counts as equal.
 *
 * The hint wins where they are about equal, so that runs of one machine take
 * the same loop whatever pairs they measure: SMT siblings, which --cores leaves
 * out and some virtual machines hide, are where the bare loop reads up to 2.5
 * times as much.
 */
bool relax_choose(const struct relax_figure figures[RELAX_DISTANCES]);

struct relax_options {
	const struct machine *machine; /* NULL: pretended CPUs */
	const struct cpu_list *cpus;
	const struct probe *probe;
	const struct probe_params *params; /* of the campaign */
	double budget_s;		   /* of the campaign */
	double most_s; /* no round begins later; 0: the usual limit */
	uint64_t seed;
};

/*
 * Measure a few pairs of each distance, drawn from the schedule, by both loops
 * in turns, and choose. Where nothing could be measured, as after *stop, it is
 * the hint. Figures are in the probe's unit.
 */
int relax_settle(const struct relax_options *options,
	const struct schedule *schedule, const struct lines *lines,
	struct crew *crew, struct relax_figure figures[RELAX_DISTANCES],
	bool *relax, struct error *err);

#endif
