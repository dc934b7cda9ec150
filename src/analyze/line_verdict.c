#include "analyze/line_verdict.h"

#include <math.h>

#include "stat/stat.h"

/* A verdict needs so many visits of a line in a block, and so many lines. */
#define VISITS_LEAST	     8
#define LINES_LEAST_TO_JUDGE 8

/* Lines differ if farthest / nearest line is at least this ratio. */
#define RATIO_LEAST 1.05

/* Least ratio between the means of the far and the near group. */
#define GROUPS_RATIO_LEAST 1.1

/*
 * Least share of the variance that is between groups. The best split of a
 * normal distribution has a share of 0.64, and of a uniform distribution 0.75.
 */
#define GROUPS_SHARE_LEAST     0.85
#define GROUPS_SHARE_OF_HALVES 0.7

struct line_table {
	const double *ns;
	size_t visits, lines;
	double *scratch; /* [visits] */
};

struct line_split {
	size_t n[2];
	double mean[2];
	double share; /* share of the variance between near and far */
};

/* Copy the values of a line in some visits to scratch; return their number. */
static size_t gather_line(const struct line_table *table, size_t line,
	size_t first, size_t end, size_t stride)
{
	size_t n = 0;

	for (size_t visit = first; visit < end; visit += stride) {
		double ns = table->ns[visit * table->lines + line];

		if (!isnan(ns))
			table->scratch[n++] = ns;
	}
	return n;
}

/* Return the medians of all lines; NaN: no value. */
static double *line_medians(const struct line_table *table, size_t first,
	size_t end, size_t stride, struct arena *arena)
{
	double *medians = arena_alloc(arena, table->lines, sizeof(*medians));

	for (size_t line = 0; line < table->lines; line++) {
		size_t n = gather_line(table, line, first, end, stride);

		medians[line] = n ? stat_median(table->scratch, n) : NAN;
	}
	return medians;
}

static double correlate_lines(const double *a, const double *b, size_t lines)
{
	double rho;

	return stat_spearman(a, b, lines, &rho) < 0 ? NAN : rho;
}

/* Split lines by a limit on their medians, and average their values. */
static struct line_split split_lines(
	const double *medians, const double *values, size_t lines, double limit)
{
	struct line_split split = {.share = 0};
	double sum[2] = {0, 0}, all = 0, variance = 0, between = 0;
	size_t n = 0;

	for (size_t line = 0; line < lines; line++) {
		bool far = medians[line] > limit;

		if (isnan(medians[line]) || isnan(values[line]))
			continue;
		split.n[far]++;
		sum[far] += values[line];
	}
	n = split.n[0] + split.n[1];
	if (!split.n[0] || !split.n[1])
		return split;
	all = (sum[0] + sum[1]) / (double)n;
	for (int far = 0; far < 2; far++) {
		split.mean[far] = sum[far] / (double)split.n[far];
		between += (double)split.n[far] * (split.mean[far] - all) *
			   (split.mean[far] - all);
	}
	for (size_t line = 0; line < lines; line++) {
		if (!isnan(medians[line]) && !isnan(values[line]))
			variance += (values[line] - all) * (values[line] - all);
	}
	split.share = variance > 0 ? between / variance : 0;
	return split;
}

static bool split_is_apart(const struct line_split *split, double share)
{
	return split->share >= share &&
	       split->mean[1] >= GROUPS_RATIO_LEAST * split->mean[0];
}

/* Find two groups by the best split (Otsu, IEEE Trans. SMC 9, 1979). */
static bool find_line_groups(struct line_profile *profile, const double *all,
	const double *even, const double *odd, const double *second,
	size_t lines)
{
	struct line_split best = {.share = 0}, halves[2], again;
	double limit = NAN;

	for (size_t line = 0; line < lines; line++) {
		struct line_split split =
			split_lines(all, all, lines, all[line]);

		if (!(split.share > best.share))
			continue;
		best = split;
		limit = all[line];
	}
	halves[0] = split_lines(all, even, lines, limit);
	halves[1] = split_lines(all, odd, lines, limit);
	if (!split_is_apart(&best, GROUPS_SHARE_LEAST) ||
		!split_is_apart(&halves[0], GROUPS_SHARE_OF_HALVES) ||
		!split_is_apart(&halves[1], GROUPS_SHARE_OF_HALVES))
		return false;
	if (second) {
		again = split_lines(all, second, lines, limit);
		profile->repeats =
			split_is_apart(&again, GROUPS_SHARE_OF_HALVES);
	}
	profile->near_lines = (unsigned)best.n[0];
	profile->far_lines = (unsigned)best.n[1];
	profile->near_ns = best.mean[0];
	profile->far_ns = best.mean[1];
	return true;
}

static double quartile_range(double *values, size_t n)
{
	if (n < 2)
		return NAN;
	stat_sort(values, n);
	return stat_quantile(values, n, 0.75) - stat_quantile(values, n, 0.25);
}

/* Set the extremes and the spread of the medians; return their number. */
static size_t describe_medians(struct line_profile *profile,
	const double *medians, size_t lines, const double *offsets,
	struct arena *arena)
{
	double *there = arena_alloc(arena, lines, sizeof(*there));
	size_t n = 0;

	for (size_t line = 0; line < lines; line++) {
		double ns = medians[line];

		if (isnan(ns))
			continue;
		there[n++] = ns;
		if (!(ns >= profile->nearest_ns)) {
			profile->nearest_ns = ns;
			profile->nearest_offset_bytes = offsets[line];
		}
		if (!(ns <= profile->farthest_ns)) {
			profile->farthest_ns = ns;
			profile->farthest_offset_bytes = offsets[line];
		}
	}
	profile->lines_iqr_ns = quartile_range(there, n);
	return n;
}

void line_profile_judge(struct line_profile *profile, const double *ns,
	size_t visits, size_t lines, const double *offsets, struct arena *arena)
{
	struct line_table table = {.ns = ns, .visits = visits, .lines = lines};
	size_t end = visits >= 2 * VISITS_LEAST ? visits / 2 : visits;
	double *all, *even, *odd, *second = NULL;

	table.scratch = arena_alloc(arena, visits + 1, sizeof(*table.scratch));
	all = line_medians(&table, 0, end, 1, arena);
	even = line_medians(&table, 0, end, 2, arena);
	odd = line_medians(&table, 1, end, 2, arena);
	profile->visits = (unsigned)end;
	profile->nearest_ns = profile->farthest_ns = NAN;
	profile->nearest_offset_bytes = profile->farthest_offset_bytes = NAN;
	profile->near_lines = profile->far_lines = 0;
	profile->near_ns = profile->far_ns = NAN;
	profile->lines =
		(unsigned)describe_medians(profile, all, lines, offsets, arena);
	profile->even_odd = correlate_lines(even, odd, lines);
	if (end < visits)
		second = line_medians(&table, end, visits, 1, arena);
	profile->blocks = second ? correlate_lines(all, second, lines) : NAN;
	profile->repeats = -1;
	if (end < VISITS_LEAST || profile->lines < LINES_LEAST_TO_JUDGE)
		profile->verdict = LINE_PROFILE_UNKNOWN;
	else if (find_line_groups(profile, all, even, odd, second, lines))
		profile->verdict = LINE_PROFILE_GROUPS;
	else if (profile->even_odd >= LINE_VERDICT_AGREES &&
		 profile->farthest_ns >= RATIO_LEAST * profile->nearest_ns)
		profile->verdict = LINE_PROFILE_DIFFERS;
	else
		profile->verdict = LINE_PROFILE_ALIKE;
	if (profile->verdict == LINE_PROFILE_DIFFERS && second)
		profile->repeats = profile->blocks >= LINE_VERDICT_AGREES;
}
