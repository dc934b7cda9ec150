/*
 * The times of a point in all its visits. c2c measures other points between two
 * visits, so that a disturbance of one visit may end before the next visit. The
 * functions are pure except for memory. Private to src/cl.
 */
#ifndef C2C_POOL_H
#define C2C_POOL_H

#include "cl/timing.h"

struct pool {
	double *s; /* times of all visits, and of the offered runs */
	size_t n, n_offered;
	size_t *ends; /* [visits] index in s after a visit's times */
	size_t visits;
	/* Of all visits: the work-items, the group, and the turns. */
	struct launch launch;
	cl_uint turns;
	double cost_s;	    /* duration of the last visit, with untimed parts */
	bool above_ceiling; /* above a ceiling that may have been disturbed */
};

/* Keep a copy of n times until pool_accept(). Return false if out of memory. */
bool pool_offer(struct pool *pool, const double *s, size_t n);

/* Accept the offered runs as a visit. Return false if out of memory. */
bool pool_accept(struct pool *pool);

/*
 * If all visits agree, return the median of all runs with its 95 % interval.
 * Visits differ if the median is outside the interval of any visit. If visits
 * differ, return the median of the visits' medians with its interval; with
 * fewer than 6 visits, use the range of the visits' intervals. NaN: no visits,
 * or no memory.
 */
struct timing pool_timing(const struct pool *pool);

void pool_release(struct pool *pool);

#endif
