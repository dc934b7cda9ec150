/*
 * What may be said of two times that differ: pure functions. Private to src/cl.
 */
#ifndef C2C_CL_RATIO_H
#define C2C_CL_RATIO_H

#include <stdbool.h>
#include <stddef.h>

#include "cl/session.h"

/* How many times as long, and the least and the most that it may be. */
struct ratio {
	double times;	  /* NaN: one of the two is no result */
	double low, high; /* NaN: too few runs to know */
};

/*
 * Of two medians, low and high of their intervals: as far as one's low is from
 * the other's high, so that it has 1 in it wherever the intervals meet.
 */
struct ratio ratio_of(const struct cl_timing *time, const struct cl_timing *to);

/* Whether the intervals are apart. False where there are none. */
bool ratio_differs(const struct ratio *ratio);

/*
 * What stands behind the name of a thing: "takes 2 times as long (1.9 to 2.1)",
 * "shows no difference (0.9 to 1.1 times as long)", "has no result".
 */
#define RATIO_BYTES 80
const char *ratio_text(const struct ratio *ratio, char text[RATIO_BYTES]);

/* The time for one of so many. */
struct cl_timing timing_over(const struct cl_timing *timing, double n);

/* No time: all of it is NaN. */
struct cl_timing timing_none(void);

/*
 * From which on all times are high: the least i such that those from there on
 * are more than factor times the least before, and longer than it by their
 * intervals, where there are any; 0: none. Times that are NaN are passed over.
 */
size_t timing_rises(const struct cl_timing *timings, size_t n, double factor);

#endif
