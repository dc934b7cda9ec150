/*
 * What CPUs buy by their nearness, in words: for c2c export and c2c report.
 */
#ifndef C2C_PLACEMENT_GAIN_H
#define C2C_PLACEMENT_GAIN_H

#include "result/analysis.h"
#include "result/result.h"

/* A placement that gains less than a tenth is no gain. */
#define PLACEMENT_NEARER 1.1

struct placement_gain {
	const struct result *result;
	const struct matrix
		*matrix;    /* of the distances; values are in its unit */
	char *cpus;	    /* "0-3,8" */
	bool is_all;	    /* these are all CPUs */
	double inside, all; /* medians between them, and of all pairs */
	double then;	    /* between them after the sleep; NaN: not known */
	double times;	    /* times nearer than all pairs; NaN: no distances */
};

/* Of the CPUs in rows[n]. Within an arena_run(), as all here. */
struct placement_gain placement_gain_of(const struct result *result,
	const size_t *rows, size_t n, struct arena *arena);

/* "CPUs 0,8: 25 ns one way between them, 3.1 times ..."; NULL: no distance. */
char *placement_gain_describe(
	const struct placement_gain *gain, struct arena *arena);

/* Whether the CPUs were near, and after the sleep of the run no longer. */
bool placement_gain_was_lost(const struct placement_gain *gain);

/*
 * Whether the chosen CPUs stay near, if they are: after the sleep of a run that
 * looked again. Only the CPUs of a virtual machine move. NULL: nothing to say.
 */
char *placement_gain_describe_lasting(const struct placement_gain *gain,
	enum analysis_placement placement, struct arena *arena);

#endif
