/*
 * wilcoxon.c: rank tests of two samples, and of differences against zero.
 *
 * Both tests count the possible rank sums that are at least as far from the
 * mean as the observed rank sum. Ranks are doubled, so that the half ranks of
 * ties are integers and the count is exact.
 */
#include "stat/stat.h"

#include <math.h>
#include <string.h>

/* Largest number of values with an exact distribution. */
#define EXACT_MAX 40

/* Largest sum of the doubled ranks of EXACT_MAX values. */
#define SUM_MAX (EXACT_MAX * (EXACT_MAX + 1))

/*
 * Return p by the normal approximation. The continuity correction moves the sum
 * by half a step towards its mean.
 */
static double approximate_rank_test(double sum, double mean, double variance)
{
	double distance = fabs(sum - mean) - 0.5;

	if (variance <= 0 || distance <= 0)
		return 1;
	return fmax(erfc(fabs(distance / sqrt(variance)) / sqrt(2)), 5e-324);
}

/*
 * Return the share of all choices of n of ranks[total] whose doubled sum is at
 * least as far from its mean as `sum`. ways[k * width + s] is the number of
 * choices of k ranks with the sum s. Sorted ranks keep early sums small.
 */
static double exact_rank_sum(const double *ranks, size_t total, size_t n,
	double sum, struct arena *arena)
{
	size_t width = total * (total + 1) + 1;
	double *ways = arena_alloc(arena, (n + 1) * width, sizeof(*ways));
	double all = 0, far = 0, mean = (double)(n * (total + 1));
	size_t most = 0, step = 2; /* doubled sums are even without ties */

	for (size_t i = 0; i < total; i++) {
		if (ranks[i] != floor(ranks[i]))
			step = 1;
	}
	ways[0] = 1;
	for (size_t i = 0; i < total; i++) {
		size_t rank = (size_t)lround(2 * ranks[i]);
		/* If fewer ranks are chosen, too few ranks remain for n. */
		size_t least = n + i + 1 > total ? n + i + 1 - total : 1;

		most += rank;
		for (size_t k = i < n ? i + 1 : n; k >= least; k--) {
			size_t end = k * rank < most ? k * rank : most;
			double *chosen = &ways[k * width];
			const double *before = chosen - width;

			for (size_t s = rank; s <= end; s += step)
				chosen[s] += before[s - rank];
		}
	}
	for (size_t s = 0; s < width; s++) {
		all += ways[n * width + s];
		if (fabs((double)s - mean) >= fabs(2 * sum - mean))
			far += ways[n * width + s];
	}
	return far / all;
}

/* Return the sum of squared deviations of the ranks. */
static double rank_square_deviations(const double *ranks, size_t total)
{
	double mean = (double)(total + 1) / 2, sum = 0;

	for (size_t i = 0; i < total; i++)
		sum += (ranks[i] - mean) * (ranks[i] - mean);
	return sum;
}

double stat_rank_sum(const double *x, size_t n, const double *y, size_t m,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t total = n + m;
	double *ranks, sum = 0, p;

	if (n == 0 || m == 0)
		return NAN;
	/* Choose the smaller sample: fewer choices to count. */
	if (n > m)
		return stat_rank_sum(y, m, x, n, arena);
	ranks = arena_alloc(arena, total, sizeof(*ranks));
	memcpy(ranks, x, n * sizeof(*ranks));
	memcpy(ranks + n, y, m * sizeof(*ranks));
	if (stat_ranks(ranks, total) < 0)
		arena_fail(arena);
	for (size_t i = 0; i < n; i++)
		sum += ranks[i];
	stat_sort(ranks, total);
	if (total <= EXACT_MAX)
		p = exact_rank_sum(ranks, total, n, sum, arena);
	else
		/* The variance is that of n ranks drawn without replacement. */
		p = approximate_rank_test(sum,
			(double)n * (double)(total + 1) / 2,
			(double)n * (double)m / (double)total *
				rank_square_deviations(ranks, total) /
				(double)(total - 1));
	arena_rewind(arena, mark);
	return p;
}

double stat_rank_sum_least(size_t n, size_t m)
{
	return fmin(2 / stat_binomial(n, n + m), 1);
}

/*
 * Return the share of all sign patterns of ranks[n] for which the doubled sum
 * of the positive ranks is at least as far from its mean as `sum`.
 */
static double exact_signed_rank(
	const double *ranks, size_t n, double sum, struct arena *arena)
{
	double *ways = arena_alloc(arena, SUM_MAX + 1, sizeof(*ways));
	double far = 0, mean = (double)(n * (n + 1)) / 2;

	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		size_t rank = (size_t)lround(2 * ranks[i]);

		for (size_t s = SUM_MAX; s >= rank; s--)
			ways[s] += ways[s - rank];
	}
	for (size_t s = 0; s <= SUM_MAX; s++) {
		if (fabs((double)s - mean) >= fabs(2 * sum - mean))
			far += ways[s];
	}
	return ldexp(far, -(int)n);
}

double stat_signed_rank(const double *d, size_t n, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	double *ranks = arena_alloc(arena, n, sizeof(*ranks));
	double sum = 0, squares = 0, p = NAN;
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		if (d[i] != 0)
			ranks[kept++] = fabs(d[i]);
	}
	if (stat_ranks(ranks, kept) < 0)
		arena_fail(arena);
	for (size_t i = 0; i < n; i++) {
		if (d[i] == 0)
			continue;
		sum += d[i] > 0 ? ranks[at] : 0;
		squares += ranks[at] * ranks[at];
		at++;
	}
	if (n > 0)
		p = kept <= EXACT_MAX
			    ? exact_signed_rank(ranks, kept, sum, arena)
			    : approximate_rank_test(sum,
				      (double)kept * (double)(kept + 1) / 4,
				      squares / 4);
	arena_rewind(arena, mark);
	return p;
}
