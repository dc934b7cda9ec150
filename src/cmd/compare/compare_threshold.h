/*
 * Whether anything got worse by more: c2c compare --threshold, c2c check
 * --like.
 */
#ifndef C2C_COMPARE_THRESHOLD_H
#define C2C_COMPARE_THRESHOLD_H

#include <stdbool.h>

#include "result/comparison.h"
#include "result/machine_check.h"

struct threshold {
	double pct;  /* NaN: none */
	bool strict; /* what cannot be told has a status too */
	bool quiet;  /* no warnings */
};

/*
 * Add what a file has beyond the threshold: a level got worse by more, or it
 * cannot be compared; and what cannot be told. by_medians: levels count
 * although nothing tests them. In an arena_run().
 */
void threshold_judge(double pct, bool by_medians,
	const struct compared_file *file, struct machine_check *check,
	struct arena *arena);

/* The same, as warnings of c2c compare; what holds of all of them. */
enum check_answer threshold_warn(const struct threshold *limit,
	const struct compared_file *file, struct arena *arena);

#endif
