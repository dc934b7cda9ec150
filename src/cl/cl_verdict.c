#include "cl/cl_verdict.h"

#include <math.h>
#include <stdio.h>

#include "stat/stat.h"

/* Ratios of times: below the first no cost; below the second maybe noise. */
#define FREE_MOST 1.1
#define NOT_SEEN  1.25

/* A map that takes less than this share of a copy's time moved no data. */
#define MAP_PART 0.5

/* To judge a map, a copy must take as long as this many maps of a page. */
#define COPY_LEAST 4

/* Paths are serialized if n paths take this share of n times one path. */
#define IN_TURN_SHARE 0.5

struct median_interval figure_at(const struct curve *curve, size_t i)
{
	return (struct median_interval){
		curve->median[i], curve->low[i], curve->high[i]};
}

double figure_noise(struct median_interval figure)
{
	return (figure.high - figure.low) / 2 / figure.median;
}

struct median_interval figure_over(
	struct median_interval figure, struct median_interval other)
{
	return (struct median_interval){figure.median / other.median,
		figure.low / other.high, figure.high / other.low};
}

bool figure_differs(struct median_interval figure, struct median_interval other)
{
	return figure.low > other.high || figure.high < other.low;
}

/* Return the index of the greatest (sign 1) or the least (sign -1) median. */
static size_t find_extreme(
	const struct median_interval *figures, size_t n, double sign)
{
	size_t found = n;

	for (size_t i = 0; i < n; i++) {
		if (!isnan(figures[i].median) &&
			(found == n || sign * figures[i].median >
					       sign * figures[found].median))
			found = i;
	}
	return found;
}

size_t figure_most(const struct median_interval *figures, size_t n)
{
	return find_extreme(figures, n, 1);
}

size_t figure_least(const struct median_interval *figures, size_t n)
{
	return find_extreme(figures, n, -1);
}

size_t figure_find_drop(
	const struct median_interval *rates, size_t n, double share)
{
	for (size_t i = 1; i < n; i++) {
		size_t before = figure_most(rates, i);
		size_t after = i + figure_most(rates + i, n - i);
		double high = NAN; /* NaN: no rate with an interval */

		for (size_t k = i; k < n; k++)
			high = fmax(high, rates[k].high);
		if (before == i || after == n || isnan(rates[i].median) ||
			rates[after].median >= share * rates[before].median)
			continue;
		if (isnan(high) || isnan(rates[before].low) ||
			high < rates[before].low)
			return i;
	}
	return 0;
}

size_t figure_plateau_end(const struct median_interval *figures, size_t n,
	size_t first, double share)
{
	double level = figures[first].median;
	size_t end = first + 1;

	/* A gap (NaN) ends the loop. */
	while (end < n && fabs(figures[end].median - level) <= share * level)
		end++;
	return end;
}

/* Return the digits after the point that the ratio is accurate to. */
static int count_decimals(double times)
{
	return times < 0.095 ? 3 : times < 9.95 ? 2 : times < 99.5 ? 1 : 0;
}

const char *figure_percent(
	struct median_interval share, char text[FIGURE_BYTES])
{
	double low = share.low * 100, high = share.high * 100;

	if (isnan(low) || isnan(high))
		snprintf(text, FIGURE_BYTES, "%.0f %%", share.median * 100);
	else if (round(low) == round(high))
		snprintf(text, FIGURE_BYTES, "%.0f %%", low);
	else
		snprintf(text, FIGURE_BYTES, "%.0f to %.0f %%", low, high);
	return text;
}

const char *figure_times(
	struct median_interval ratio, const char *as, char text[FIGURE_BYTES])
{
	double times = ratio.median, low = ratio.low, high = ratio.high;

	if (isnan(times))
		snprintf(text, FIGURE_BYTES, "no result");
	else if (isnan(low) || isnan(high))
		snprintf(text, FIGURE_BYTES, "too few runs to compare");
	else if (low <= 1 && high >= 1)
		snprintf(text, FIGURE_BYTES,
			"no clear difference (%.*f to %.*f times as %s)",
			count_decimals(low), low, count_decimals(high), high,
			as);
	else
		snprintf(text, FIGURE_BYTES, "%.*f times as %s (%.*f to %.*f)",
			count_decimals(times), times, as, count_decimals(low),
			low, count_decimals(high), high);
	return text;
}

enum paths_verdict judge_paths(struct median_interval ratio, unsigned n)
{
	/* Comparisons with NaN are false. */
	if (ratio.low >= IN_TURN_SHARE * n)
		return PATHS_IN_TURN;
	if (ratio.low > FREE_MOST)
		return PATHS_IN_PART;
	if (ratio.high < FREE_MOST || (ratio.low <= 1 && ratio.high < NOT_SEEN))
		return PATHS_FREE;
	return PATHS_UNKNOWN;
}

enum map_verdict judge_map(struct median_interval map,
	struct median_interval page, struct median_interval copy)
{
	if (isnan(copy.median))
		return MAP_NO_COPY;
	if (copy.median < COPY_LEAST * page.median)
		return MAP_NEAR_PAGE;
	if (map.low - page.high > MAP_PART * copy.high)
		return MAP_MOVES;
	if (map.high - page.low < MAP_PART * copy.low)
		return MAP_STAYS;
	return MAP_UNKNOWN;
}

enum mad_verdict judge_mad(struct median_interval mad,
	struct median_interval mul, struct median_interval add)
{
	const struct median_interval both = {mul.median + add.median,
		mul.low + add.low, mul.high + add.high};
	double one_high = fmax(mul.high, add.high);

	if (mad.high < both.low)
		return MAD_FUSED;
	/*
	 * A chain of additions may wait longer for a product than for a sum. A
	 * separate mul and add may therefore exceed the sum of both latencies,
	 * but is nearer to the sum than to one latency.
	 */
	if (mad.low > one_high && mad.low > (one_high + both.low) / 2)
		return MAD_SEPARATE;
	return MAD_UNKNOWN;
}

struct interleaved_ratio compare_interleaved(
	double *one, double *other, size_t n)
{
	double ratios[INTERLEAVED_ROUNDS];
	struct interleaved_ratio turns;

	for (size_t i = 0; i < n; i++)
		ratios[i] = one[i] / other[i];
	stat_sort(one, n);
	stat_sort(other, n);
	stat_sort(ratios, n);
	turns.one = stat_median(one, n);
	turns.other = stat_median(other, n);
	turns.ratio = stat_median(ratios, n);
	turns.low = ratios[0];
	turns.high = ratios[n - 1];
	return turns;
}
