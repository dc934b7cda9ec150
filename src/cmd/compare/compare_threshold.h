/*
 * Find levels, caches and nodes that got worse by more than a limit, for c2c
 * compare --threshold and c2c check --like.
 */
#ifndef C2C_COMPARE_THRESHOLD_H
#define C2C_COMPARE_THRESHOLD_H

#include <stdbool.h>

#include "result/comparison.h"
#include "result/machine_check.h"

struct threshold {
	double pct;  /* NaN: none */
	bool strict; /* exit status 4 without a verdict */
	bool quiet;  /* print no warnings */
};

/*
 * Add findings for a file: a level got worse by more than the threshold, the
 * file cannot be compared, or a level has no verdict. by_medians: also judge
 * levels without a test. Call in an arena_run().
 */
void threshold_judge(double pct, bool by_medians,
	const struct compared_file *file, struct machine_check *check,
	struct arena *arena);

/* Judge like threshold_judge(), print warnings, and return the answer. */
enum check_answer threshold_warn(const struct threshold *limit,
	const struct compared_file *file, struct arena *arena);

#endif
