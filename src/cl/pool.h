/*
 * The times of a point over its visits. Between two visits others were
 * measured, so what disturbed one may have passed before the next. Pure but for
 * memory. Private to src/cl.
 */
#ifndef C2C_POOL_H
#define C2C_POOL_H

#include "cl/timing.h"

struct pool {
	double *s; /* the runs of all visits, then those offered */
	size_t n, n_offered;
	size_t *ends; /* [visits]: where in s each ends */
	size_t visits;
	double amount;	    /* of work in each of these runs; 0: not known */
	double cost_s;	    /* the last visit, with all that was not timed */
	bool above_ceiling; /* above a ceiling, which may have been disturbed */
};

/* Keep a copy of n times until pool_accept(). False: no memory. */
bool pool_offer(struct pool *pool, const double *s, size_t n);

/*
 * Make what was offered a visit. Its runs may have done another amount of work
 * than those of the first visit: the times are scaled.
 */
bool pool_accept(struct pool *pool, double amount);

/*
 * The median of all runs, with its 95 % interval. That interval takes the runs
 * for alike, so if the visits differ (the median is outside the interval of
 * one), each visit counts once: the median of their medians, and its interval.
 * Fewer than 6 visits have none, and the range of the visits' intervals takes
 * its place. All NaN without a visit or memory.
 */
struct timing pool_timing(const struct pool *pool);

void pool_release(struct pool *pool);

#endif
