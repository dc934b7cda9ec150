/*
 * How the time of a pair of CPUs differs from cache line to cache line: c2c
 * latency --by-line. NaN is an unknown value.
 */
#ifndef C2C_LINE_PROFILE_H
#define C2C_LINE_PROFILE_H

#include "record/facts.h"
#include "util/cpu_list.h"

/* Whether it matters which line a pair uses. */
enum line_profile_verdict {
	LINE_PROFILE_UNKNOWN, /* too few visits or lines */
	LINE_PROFILE_ALIKE,   /* less than the visits of one line */
	LINE_PROFILE_DIFFERS,
	LINE_PROFILE_GROUPS, /* differs, in two groups */
};

struct line_profile {
	struct cpu_list cpus; /* the two of the pair */
	unsigned lines;
	unsigned visits; /* of each line in a block */
	enum line_profile_verdict verdict;
	double mean_ns;			/* over lines, of all visits */
	double nearest_ns, farthest_ns; /* medians of lines, first block */
	double lines_iqr_ns;		/* of these medians */
	double visits_iqr_ns; /* of the visits of a line, median over lines */
	double even_odd;      /* rank correlations over lines */
	double blocks;	      /* of both blocks; NaN: there is one */
	int repeats; /* the second block shows the difference: 0, 1; -1 */
	/* Two groups; none: 0 lines, and NaN. */
	unsigned near_lines, far_lines;
	double near_ns, far_ns; /* their means */
	/* From the begin of the page; NaN: not kept. */
	double nearest_offset_bytes, farthest_offset_bytes;
	struct facts extra;
};

#endif
