#include "cl/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"

bool pool_offer(struct pool *pool, const double *s, size_t n)
{
	double *all = reallocarray(pool->s, pool->n + n + 1, sizeof(*all));

	if (!all)
		return false;
	memcpy(all + pool->n, s, n * sizeof(*s));
	pool->s = all;
	pool->n_offered = n;
	return true;
}

bool pool_accept(struct pool *pool)
{
	size_t *ends =
		reallocarray(pool->ends, pool->visits + 1, sizeof(*ends));

	if (!ends)
		return false;
	pool->n += pool->n_offered;
	pool->n_offered = 0;
	pool->ends = ends;
	pool->ends[pool->visits++] = pool->n;
	return true;
}

/* Time one visit. The interval of too few runs is their range. */
static struct timing visit_timing(
	const struct pool *pool, size_t visit, double *scratch)
{
	size_t begin = visit ? pool->ends[visit - 1] : 0;
	size_t n = pool->ends[visit] - begin;
	struct timing timing;

	memcpy(scratch, pool->s + begin, n * sizeof(*scratch));
	timing = timing_of(scratch, n);
	if (isnan(timing.low_s) && n > 0) {
		timing.low_s = scratch[0];
		timing.high_s = scratch[n - 1];
	}
	return timing;
}

/* Combine the visits, so that each visit counts once. */
static void pool_weigh_visits(
	const struct pool *pool, double *scratch, struct timing *all)
{
	double *medians = scratch + pool->n;
	double low = INFINITY, high = -INFINITY;

	for (size_t v = 0; v < pool->visits; v++) {
		struct timing visit = visit_timing(pool, v, scratch);

		medians[v] = visit.median_s;
		low = fmin(low, visit.low_s);
		high = fmax(high, visit.high_s);
	}
	stat_sort(medians, pool->visits);
	all->median_s = stat_median(medians, pool->visits);
	if (stat_median_ci95(medians, pool->visits, &all->low_s, &all->high_s) <
		0) {
		all->low_s = low;
		all->high_s = high;
	}
}

struct timing pool_timing(const struct pool *pool)
{
	double *scratch = calloc(pool->n + pool->visits + 1, sizeof(*scratch));
	struct timing all = timing_none();
	bool differ = false;

	if (!scratch || pool->n == 0) {
		free(scratch);
		return all;
	}
	memcpy(scratch, pool->s, pool->n * sizeof(*scratch));
	all = timing_of(scratch, pool->n);
	all.visits = (unsigned)pool->visits;
	for (size_t v = 0; v < pool->visits && pool->visits > 1; v++) {
		struct timing visit = visit_timing(pool, v, scratch);

		differ = differ || all.median_s < visit.low_s ||
			 all.median_s > visit.high_s;
	}
	if (differ)
		pool_weigh_visits(pool, scratch, &all);
	free(scratch);
	return all;
}

void pool_release(struct pool *pool)
{
	free(pool->s);
	free(pool->ends);
	*pool = (struct pool){0};
}
