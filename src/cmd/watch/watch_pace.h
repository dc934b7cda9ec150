/*
 * How much of the CPUs bursts take. CPU time is allowed at a steady rate, all
 * that the process uses is taken off it, and a burst begins when what it will
 * take is left, too. Only the start, with the first two bursts, and a pass that
 * others hold up are above the limit until they are made up for. Pure.
 */
#ifndef C2C_WATCH_PACE_H
#define C2C_WATCH_PACE_H

#include <stddef.h>

/* A burst this often, if the duty allows it; and the most passes of one. */
#define PACE_PERIOD_S 0.25
#define PACE_PASSES   64

struct watch_pace {
	double cpus_s;	/* allowed CPU time in a second: share times CPUs */
	double begin_s; /* what the start and the first two bursts used */
	double start_s; /* when nothing was used */
	/* CPU time of the process at the last watch_pace_note() */
	double used_s;
	size_t passes;	  /* of the last burst */
	double pass_s;	  /* CPU time that a pass may take, by the last ones */
	double between_s; /* and of all else between two bursts */
};

void watch_pace_init(
	struct watch_pace *pace, double share, size_t n_cpus, double now_s);

/* A burst of so many passes took burst_s of CPU time, used_s in all so far. */
void watch_pace_note(
	struct watch_pace *pace, size_t passes, double burst_s, double used_s);

/* How many passes the next burst may have. */
size_t watch_pace_passes(const struct watch_pace *pace);

/* How long after the start what it used is made up for. */
double watch_pace_held_s(const struct watch_pace *pace);

/* When the next burst may begin if one began at began_s. */
double watch_pace_next_s(
	const struct watch_pace *pace, double began_s, double used_s);

/* The share that was used: 0.05 is 5 %. */
double watch_pace_duty(const struct watch_pace *pace, size_t n_cpus,
	double used_s, double now_s);

#endif
