/*
 * The times of a point over its visits. Other points are measured between two
 * visits, so a disturbance of one visit may be over before the next. Pure
 * except for memory. Private to src/cl.
 */
#ifndef C2C_POOL_H
#define C2C_POOL_H

#include "cl/timing.h"

struct pool {
	double *s; /* times of all visits, then of the offered runs */
	size_t n, n_offered;
	size_t *ends; /* [visits], where each ends in s */
	size_t visits;
	double amount;	    /* work of each of these runs; 0: unknown */
	double cost_s;	    /* time of the last visit, with its untimed parts */
	bool above_ceiling; /* above a ceiling, which may have been disturbed */
};

/* Keep a copy of n times until pool_accept(). False: out of memory. */
bool pool_offer(struct pool *pool, const double *s, size_t n);

/*
 * Make the offered runs a visit. If they did a different amount of work than
 * the first visit, scale their times.
 */
bool pool_accept(struct pool *pool, double amount);

/*
 * Return the median of all runs with its 95 % interval, if visits are alike.
 * Visits differ if the median is outside the interval of some visit. Then each
 * visit counts once: return the median of their medians, with its interval, or,
 * with fewer than 6 visits, with the range of their intervals. NaN: no visit,
 * or no memory.
 */
struct timing pool_timing(const struct pool *pool);

void pool_release(struct pool *pool);

#endif
