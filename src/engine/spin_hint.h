/*
 * Choose the loop by which a pair waits: bare, or with the CPU's spin-wait
 * hint. The measured value includes the loop. Which loop is lower depends on
 * the processor and on the distance of the pair. So both are measured on this
 * machine before the campaign, and one is used for the whole matrix, whose
 * cells can then be compared.
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

/* The closest object that two CPUs share. MACHINE: none, or unknown. */
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
 * Visits by each loop, one right after the other, on the same pair and lines.
 */
struct spin_hint_turn {
	double none, pause; /* NaN: visit does not count */
};

/* Both loops at one distance. */
struct spin_hint_figure {
	size_t turns; /* turns in which both visits count; 0: all is NaN */
	double none, pause; /* medians of these turns */
	double ratio;	    /* median over turns of pause / none */
	/* 95 % interval of the ratio; NaN with under six turns. */
	double ci_low, ci_high;
};

/* Compare both loops over turns[n], n <= SPIN_HINT_TURNS. */
#define SPIN_HINT_TURNS 96
struct spin_hint_figure spin_hint_compare(
	const struct spin_hint_turn *turns, size_t n);

/*
 * Return whether to wait with the hint: yes, unless the bare loop is lower by
 * more than 5 %, in the geometric mean of the distances. If the interval of a
 * distance includes 1, both loops count as equal there.
 *
 * If both loops are about equal, the hint is used, so that all runs on one
 * machine use the same loop, whatever pairs they measure. With SMT siblings,
 * which --cores leaves out and some virtual machines hide, the bare loop reads
 * up to 2.5 times as much.
 */
bool spin_hint_choose(
	const struct spin_hint_figure figures[SPIN_HINT_DISTANCES]);

struct spin_hint_options {
	const struct machine *machine; /* NULL: simulated CPUs */
	const struct cpu_list *cpus;
	const struct probe *probe;
	const struct probe_params *params; /* the campaign's */
	double budget_s;		   /* the campaign's */
	double most_s; /* no round begins later; 0: default */
	uint64_t seed;
};

/*
 * Measure a few pairs of each distance from the schedule, alternating both
 * loops, and choose a loop. If nothing could be measured, for example after
 * *stop, choose the hint. Figures are in the probe's unit.
 */
int spin_hint_try_both_loops(const struct spin_hint_options *options,
	const struct schedule *schedule, const struct line_pools *lines,
	struct crew *crew, struct spin_hint_figure figures[SPIN_HINT_DISTANCES],
	bool *use_hint, struct error *err);

#endif
