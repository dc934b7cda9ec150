/*
 * Limit the CPU time of bursts. The process gets CPU time at a steady rate. A
 * burst begins when the unused time covers the expected cost of the burst. Only
 * the start, with the first two bursts, and delayed passes exceed the limit for
 * a while. All functions are pure.
 */
#ifndef C2C_WATCH_PACE_H
#define C2C_WATCH_PACE_H

#include <stddef.h>

/* Period of bursts, if the duty allows it, and most passes of a burst. */
#define PACE_PERIOD_S 0.25
#define PACE_PASSES   64

struct watch_pace {
	double cpus_s;	/* allowed CPU time in a second: share times CPUs */
	double begin_s; /* CPU time of the start and two bursts */
	double start_s; /* when counting began */
	/* CPU time of the process at the last watch_pace_note() */
	double used_s;
	size_t passes;	  /* passes of the last burst */
	double pass_s;	  /* expected CPU time of a pass */
	double between_s; /* expected CPU time between two bursts */
};

void watch_pace_init(
	struct watch_pace *pace, double share, size_t n_cpus, double now_s);

/* Note a burst: its passes, its CPU time, and all CPU time so far. */
void watch_pace_note(
	struct watch_pace *pace, size_t passes, double burst_s, double used_s);

/* Return the number of passes for the next burst. */
size_t watch_pace_passes(const struct watch_pace *pace);

/* Return the time after which the duty compensates the start. */
double watch_pace_held_s(const struct watch_pace *pace);

/* Return when the next burst may begin, if the last began at began_s. */
double watch_pace_next_s(
	const struct watch_pace *pace, double began_s, double used_s);

/* Return the used share of CPU time: 0.05 is 5 %. */
double watch_pace_duty(const struct watch_pace *pace, size_t n_cpus,
	double used_s, double now_s);

#endif
