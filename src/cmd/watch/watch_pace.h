/*
 * Limit the CPU time of bursts. The process gets CPU time at a steady rate; a
 * burst begins when the unused time covers its expected cost. Only the start,
 * with the first two bursts, and a pass delayed by other programs exceed the
 * limit for a while. All functions are pure.
 */
#ifndef C2C_WATCH_PACE_H
#define C2C_WATCH_PACE_H

#include <stddef.h>

/* Period of bursts, if the duty allows it; and most passes of a burst. */
#define PACE_PERIOD_S 0.25
#define PACE_PASSES   64

struct watch_pace {
	double cpus_s;	/* allowed CPU time in a second: share times CPUs */
	double begin_s; /* what the start and the first two bursts used */
	double start_s; /* when counting began */
	/* CPU time of the process at the last watch_pace_note() */
	double used_s;
	size_t passes;	  /* passes of the last burst */
	double pass_s;	  /* expected CPU time of a pass, from the last ones */
	double between_s; /* expected CPU time of all else between two bursts */
};

void watch_pace_init(
	struct watch_pace *pace, double share, size_t n_cpus, double now_s);

/* Note a burst of this many passes: its CPU time, and all CPU time so far. */
void watch_pace_note(
	struct watch_pace *pace, size_t passes, double burst_s, double used_s);

/* Return how many passes the next burst may have. */
size_t watch_pace_passes(const struct watch_pace *pace);

/* Return how long after the start the start no longer counts. */
double watch_pace_held_s(const struct watch_pace *pace);

/* Return when the next burst may begin if one began at began_s. */
double watch_pace_next_s(
	const struct watch_pace *pace, double began_s, double used_s);

/* Return the share that was used: 0.05 is 5 %. */
double watch_pace_duty(const struct watch_pace *pace, size_t n_cpus,
	double used_s, double now_s);

#endif
