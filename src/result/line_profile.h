/*
 * Latency of a pair on different cache lines (c2c latency --by-line). Unknown
 * values are NaN.
 */
#ifndef C2C_LINE_PROFILE_H
#define C2C_LINE_PROFILE_H

#include <stdbool.h>

#include "record/facts.h"
#include "util/cpu_list.h"

/* Whether the latency depends on the cache line. */
enum line_profile_verdict {
	LINE_PROFILE_UNKNOWN, /* too few visits or cache lines */
	LINE_PROFILE_ALIKE,   /* no clear difference */
	LINE_PROFILE_DIFFERS,
	LINE_PROFILE_GROUPS, /* the cache lines form two groups */
};

struct line_profile {
	struct cpu_list cpus; /* the two CPUs of the pair */
	unsigned lines;
	unsigned visits; /* visits of each cache line in a block */
	enum line_profile_verdict verdict;
	double mean_ns; /* mean over cache lines, from all visits */
	double nearest_ns, farthest_ns; /* medians in the first block */
	double lines_iqr_ns;		/* interquartile range of the medians */
	double even_odd; /* rank correlation of visits over cache lines */
	double blocks;	 /* rank correlation of blocks, or NaN */
	int repeats; /* whether the second block confirms the verdict; or -1 */
	/* Groups of near and far cache lines; without groups 0 and NaN. */
	unsigned near_lines, far_lines;
	double near_ns, far_ns; /* means of the groups */
	/* Offsets in the page, or NaN. */
	double nearest_offset_bytes, farthest_offset_bytes;
	struct facts extra;
};

static inline bool line_profile_differs(const struct line_profile *profile)
{
	return profile->verdict == LINE_PROFILE_DIFFERS ||
	       profile->verdict == LINE_PROFILE_GROUPS;
}

#endif
