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
enum spin_hint_distance {
	SPIN_HINT_CORE,
	SPIN_HINT_LLC,
	SPIN_HINT_PACKAGE,
	SPIN_HINT_MACHINE,
	SPIN_HINT_DISTANCES
};

enum spin_hint_distance spin_hint_distance_of(
	const struct machine *machine, unsigned a, unsigned b);

/*
 * A visit by each loop, one right after the other, on the same pair and lines.
 */
struct spin_hint_turn {
	double none, pause; /* NaN: the visit did not count */
};

/* Both loops at one distance. */
struct spin_hint_figure {
	size_t turns;	    /* in which both visits counted; 0: all is NaN */
	double none, pause; /* medians of these */
	double ratio;	    /* median of pause / none of a turn */
	/* Its 95 % interval; NaN with under six turns. */
	double ci_low, ci_high;
};

/* Of turns[n], n at most SPIN_HINT_TURNS. */
#define SPIN_HINT_TURNS 96
struct spin_hint_figure spin_hint_compare(
	const struct spin_hint_turn *turns, size_t n);

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
bool spin_hint_choose(
	const struct spin_hint_figure figures[SPIN_HINT_DISTANCES]);

struct spin_hint_options {
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
int spin_hint_try_both_loops(const struct spin_hint_options *options,
	const struct schedule *schedule, const struct line_pools *lines,
	struct crew *crew, struct spin_hint_figure figures[SPIN_HINT_DISTANCES],
	bool *use_hint, struct error *err);

#endif
