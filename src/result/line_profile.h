/*
 * The latency of a pair of CPUs by cache line: c2c latency --by-line. NaN is an
 * unknown value.
 */
#ifndef C2C_LINE_PROFILE_H
#define C2C_LINE_PROFILE_H

#include <stdbool.h>

#include "record/facts.h"
#include "util/cpu_list.h"

/* Whether the latency depends on the line. */
enum line_profile_verdict {
	LINE_PROFILE_UNKNOWN, /* too few visits or lines */
	LINE_PROFILE_ALIKE,   /* no clear difference */
	LINE_PROFILE_DIFFERS,
	LINE_PROFILE_GROUPS, /* differs, in two groups */
};

struct line_profile {
	struct cpu_list cpus; /* of the pair, two */
	unsigned lines;
	unsigned visits; /* of each line in a block */
	enum line_profile_verdict verdict;
	double mean_ns;			/* over lines, of all visits */
	double nearest_ns, farthest_ns; /* medians of lines, first block */
	double lines_iqr_ns;		/* of these medians */
	double even_odd;		/* rank correlations over lines */
	double blocks;			/* of both blocks; NaN: only one */
	int repeats; /* the second block confirms the verdict; -1: unknown */
	/* Two groups; if there are none: 0 lines, and NaN. */
	unsigned near_lines, far_lines;
	double near_ns, far_ns; /* their means */
	/* Offsets in the page; NaN: not kept. */
	double nearest_offset_bytes, farthest_offset_bytes;
	struct facts extra;
};

static inline bool line_profile_differs(const struct line_profile *profile)
{
	return profile->verdict == LINE_PROFILE_DIFFERS ||
	       profile->verdict == LINE_PROFILE_GROUPS;
}

#endif
