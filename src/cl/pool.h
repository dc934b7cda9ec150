/*
 * The times of a point over its visits. Other points are measured between two
 * visits, so a disturbance of one may be over before the next. Pure except for
 * memory. Private to src/cl.
 */
#ifndef C2C_POOL_H
#define C2C_POOL_H

#include "cl/timing.h"

struct pool {
	double *s; /* runs of all visits, then those offered */
	size_t n, n_offered;
	size_t *ends; /* [visits], where each ends in s */
	size_t visits;
	double amount;	    /* work in each of these runs; 0: unknown */
	double cost_s;	    /* time of the last visit, with its untimed parts */
	bool above_ceiling; /* above a ceiling, perhaps a disturbed one */
};

/* Keep a copy of n times until pool_accept(). False: no memory. */
bool pool_offer(struct pool *pool, const double *s, size_t n);

/*
 * Make the offered runs a visit. If they did another amount of work than those
 * of the first visit, scale their times.
 */
bool pool_accept(struct pool *pool, double amount);

/*
 * Return the median of all runs with its 95 % interval, which assumes that runs
 * are alike. If visits differ (the median is outside a visit's interval), each
 * counts once: return the median of their medians, with its interval. Fewer
 * than 6 visits have none: return the range of their intervals. NaN: there is
 * no visit, or no memory.
 */
struct timing pool_timing(const struct pool *pool);

void pool_release(struct pool *pool);

#endif
