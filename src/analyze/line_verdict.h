/*
 * Judges whether the latency between two CPUs depends on the cache line. The
 * function is pure; any thread may call it.
 *
 * Lines differ if the ranks by even and by odd visits correlate, and the
 * farthest line is clearly slower than the nearest line. Lines are in two
 * groups if the best split explains most of the variance of their medians, and
 * also separates even and odd visits. Two groups need no correlation, because
 * ranks within a group are random.
 */
#ifndef C2C_LINE_VERDICT_H
#define C2C_LINE_VERDICT_H

#include <stddef.h>

#include "result/line_profile.h"
#include "util/arena.h"

/* Visits of a line in each of two blocks. */
#define LINE_VERDICT_VISITS 16

/* Least rank correlation of two sets of visits that agree. */
#define LINE_VERDICT_AGREES 0.8

/*
 * Fill the profile, except the CPUs and the mean. ns[visit * lines + line];
 * NaN: no value. offsets[lines], in bytes. The first half of the visits
 * decides, and the second half is the second block. All visits decide if they
 * are few. Call within arena_run().
 */
void line_profile_judge(struct line_profile *profile, const double *ns,
	size_t visits, size_t lines, const double *offsets,
	struct arena *arena);

#endif
