/*
 * c2c compare --threshold and --strict: whether anything got worse by more.
 */
#ifndef C2C_COMPARE_THRESHOLD_H
#define C2C_COMPARE_THRESHOLD_H

#include <stdbool.h>

#include "result/comparison.h"

struct threshold {
	double pct;  /* NaN: none */
	bool strict; /* what cannot be told has a status too */
	bool quiet;  /* no warnings */
};

/* What it found in the files of a call. */
struct threshold_outcome {
	bool worse, undecided;
};

/*
 * Judge a file: whether a level got worse by more, or it cannot be compared,
 * and whether anything could not be told. Warns of each.
 */
void threshold_judge(const struct threshold *limit,
	const struct compared_file *file, struct threshold_outcome *found);

/* The exit status of that. */
int threshold_status(
	const struct threshold *limit, const struct threshold_outcome *found);

#endif
