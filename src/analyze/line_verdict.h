/*
 * Judges whether the time between two CPUs depends on the cache line. A pure
 * function; any thread may call it.
 *
 * Lines differ if the medians of even and of odd visits rank them alike, and
 * spread more than the visits of one line do. They are in two groups if the
 * best split of the medians explains most of their variance, and the same lines
 * are apart in even and in odd visits. Within two groups the ranks are chance,
 * so that groups need no correlation.
 */
#ifndef C2C_LINE_VERDICT_H
#define C2C_LINE_VERDICT_H

#include <stddef.h>

#include "result/line_profile.h"
#include "util/arena.h"

/* Visits of a line in a block, of which there are two. */
#define LINE_VERDICT_VISITS 16

/* Least correlation of two sets of visits that agree. */
#define LINE_VERDICT_AGREES 0.8

/*
 * Fill all of the profile but the CPUs and the mean. ns[visit * lines + line];
 * NaN: no value. offsets[lines], in bytes. The first half of the visits is
 * judged, and the second half is the second block; of few visits, all are. Only
 * within arena_run().
 */
void line_profile_judge(struct line_profile *profile, const double *ns,
	size_t visits, size_t lines, const double *offsets,
	struct arena *arena);

#endif
