/*
 * Describe what a placement of near CPUs gains, for c2c export and c2c report.
 */
#ifndef C2C_PLACEMENT_GAIN_H
#define C2C_PLACEMENT_GAIN_H

#include "result/analysis.h"
#include "result/result.h"

/* A placement must be nearer by at least this factor to count as a gain. */
#define PLACEMENT_NEARER 1.1

struct placement_gain {
	const struct result *result;
	const struct matrix *matrix; /* matrix of distances, with their unit */
	char *cpus;		     /* "0-3,8" */
	bool is_all;		     /* cpus has all CPUs */
	double inside, all; /* median of pairs of these CPUs, and of all */
	double then;	    /* like inside, after a sleep; NaN: unknown */
	double times;	    /* ratio of all to inside; NaN: unknown */
};

/*
 * Compute the gain of the CPUs in rows[n]. Call all functions with an arena in
 * an arena_run().
 */
struct placement_gain placement_gain_of(const struct result *result,
	const size_t *rows, size_t n, struct arena *arena);

/* Return "CPUs 0,8: 25 ns one way between them, 3.1 times ..."; or NULL. */
char *placement_gain_describe(
	const struct placement_gain *gain, struct arena *arena);

/* Return whether the CPUs were near before the sleep, but not after it. */
bool placement_gain_was_lost(const struct placement_gain *gain);

/*
 * Describe whether near CPUs stay near, if the run measured again after a
 * sleep. Return NULL without a gain, or without a measurement after a sleep.
 */
char *placement_gain_describe_lasting(const struct placement_gain *gain,
	enum analysis_placement placement, struct arena *arena);

#endif
