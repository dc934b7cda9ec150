/*
 * c2c compare --threshold: whether anything got worse by more.
 */
#ifndef C2C_CMD_COMPARE_THRESHOLD_H
#define C2C_CMD_COMPARE_THRESHOLD_H

#include <stdbool.h>

#include "result/comparison.h"

struct threshold {
	double pct; /* NaN: none */
	bool quiet; /* no warnings */
};

/* Whether a file exceeds it or cannot be compared; warns of each level. */
bool threshold_exceeds(
	const struct threshold *limit, const struct compared *file);

/* Say that nothing was tested that could exceed it. */
void threshold_tell_undecided(const struct compared *file);

#endif
