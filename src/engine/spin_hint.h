/*
 * Choose the waiting loop: bare, or with the CPU's spin-wait hint. The latency
 * includes the loop. Which loop gives the lower latency depends on the
 * processor, and on the distance of the pair. So c2c measures both loops before
 * the campaign. Then it uses one loop for all pairs, so that cells are
 * comparable.
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

/* The closest object that two CPUs share; MACHINE if none is known. */
enum spin_hint_distance {
	SPIN_HINT_CORE,
	SPIN_HINT_LLC,
	SPIN_HINT_PACKAGE,
	SPIN_HINT_MACHINE,
	SPIN_HINT_DISTANCES
};

enum spin_hint_distance spin_hint_distance_of(
	const struct machine *machine, unsigned a, unsigned b);

/* Consecutive visits with each loop, on the same pair and lines. */
struct spin_hint_turn {
	double none, pause; /* NaN: not valid */
};

/* Latencies of both loops at one distance. */
struct spin_hint_figure {
	size_t turns;	    /* turns with two valid visits */
	double none, pause; /* medians over turns */
	double ratio;	    /* median of the ratios pause / none */
	/* 95 % interval of the ratio; NaN with fewer than six turns. */
	double ci_low, ci_high;
};

/* Compare both loops by turns[n], n <= SPIN_HINT_TURNS. */
#define SPIN_HINT_TURNS 96
struct spin_hint_figure spin_hint_compare(
	const struct spin_hint_turn *turns, size_t n);

/*
 * Return whether to wait with the hint. Return false if the bare loop is lower
 * by more than 5 %, in the geometric mean of the ratios of all distances. A
 * ratio whose interval includes 1 counts as 1.
 *
 * Use the hint if both loops are about equal, so that all runs on one machine
 * use the same loop. For SMT siblings, which --cores leaves out and some
 * virtual machines hide, the bare loop gives up to 2.5 times the latency.
 */
bool spin_hint_choose(
	const struct spin_hint_figure figures[SPIN_HINT_DISTANCES]);

struct spin_hint_options {
	const struct machine *machine; /* NULL: simulated CPUs */
	const struct cpu_list *cpus;
	const struct probe *probe;
	const struct probe_params *params; /* the campaign's */
	double budget_s;		   /* the campaign's */
	double most_s;			   /* time limit; 0: default */
	uint64_t seed;
};

/*
 * Measure some pairs of the schedule at each distance, alternating between both
 * loops, and choose a loop. Choose the hint if nothing could be measured, for
 * example after *stop. Figures are in the probe's unit.
 */
int spin_hint_try_both_loops(const struct spin_hint_options *options,
	const struct schedule *schedule, const struct line_pools *lines,
	struct crew *crew, struct spin_hint_figure figures[SPIN_HINT_DISTANCES],
	bool *use_hint, struct error *err);

#endif
