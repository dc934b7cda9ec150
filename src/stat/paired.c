/*
 * paired.c: the centre of paired differences, and a joint sign-flip test of
 * several columns of differences.
 */
#include "stat/stat.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

/* Largest number of differences with exact signed-rank counts. */
#define EXACT_CENTRE_MAX 40

/* Use RANDOM_SIGNS random sign patterns for more than ALL_SIGNS_MAX rounds. */
#define ALL_SIGNS_MAX 14
#define RANDOM_SIGNS  4095

/* Sums with a smaller difference are equal, except for rounding. */
#define EQUAL_PARTS 1e-9

/* The normal quantile of 0.975. */
#define NORMAL_975 1.959964

/*
 * Return the number of smallest positive-rank sums of n differences whose total
 * probability is at most 0.025.
 */
static size_t count_rare_sums(size_t n, struct arena *arena)
{
	size_t most = n * (n + 1) / 2, rare = 0;
	double *ways, sum = 0;

	if (n > EXACT_CENTRE_MAX)
		return (size_t)((double)most / 2 -
				NORMAL_975 * sqrt((double)most *
						     (double)(2 * n + 1) / 12));
	ways = arena_alloc(arena, most + 1, sizeof(*ways));
	ways[0] = 1;
	for (size_t rank = 1; rank <= n; rank++) {
		for (size_t s = most; s >= rank; s--)
			ways[s] += ways[s - rank];
	}
	while (rare < most && ldexp(sum + ways[rare], -(int)n) <= 0.025)
		sum += ways[rare++];
	return rare;
}

int stat_centre(const double *d, size_t n, struct stat_centre *centre,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n_means = n * (n + 1) / 2, k = 0, rare;
	double *means;

	*centre = (struct stat_centre){NAN, NAN, NAN};
	if (n < STAT_CI95_LEAST)
		return -EDOM;
	means = arena_alloc(arena, n_means, sizeof(*means));
	for (size_t i = 0; i < n; i++) {
		for (size_t j = i; j < n; j++)
			means[k++] = (d[i] + d[j]) / 2;
	}
	stat_sort(means, n_means);
	rare = count_rare_sums(n, arena);
	centre->middle = stat_quantile(means, n_means, 0.5);
	centre->low = means[rare - 1];
	centre->high = means[n_means - rare];
	arena_rewind(arena, mark);
	return 0;
}

struct flipping {
	const double *values; /* [n * columns], 0 in place of NaN */
	const double *scale;  /* [columns] 1 / largest sum, or 0 */
	const size_t *counts; /* [columns] number of known values */
	size_t n, columns;
	double *t; /* [columns] */
};

/* Return Student's t of n differences from |sum| / sqrt(n * sum of squares). */
static double student_of_share(double share, size_t n)
{
	share = fmin(share, 1 - EQUAL_PARTS);
	return share * sqrt((double)(n - 1) / (1 - share * share));
}

/* Compute |t| of each column with the signs in bits, or with random signs. */
static void flip_once(const struct flipping *flipping, uint64_t bits,
	struct stat_random *random)
{
	for (size_t k = 0; k < flipping->columns; k++)
		flipping->t[k] = 0;
	for (size_t i = 0; i < flipping->n; i++) {
		const double *row = &flipping->values[i * flipping->columns];

		if (random && i % 64 == 0)
			bits = stat_random_next(random);
		for (size_t k = 0; k < flipping->columns; k++)
			flipping->t[k] += bits >> i % 64 & 1 ? -row[k] : row[k];
	}
	for (size_t k = 0; k < flipping->columns; k++)
		flipping->t[k] = student_of_share(
			fabs(flipping->t[k]) * flipping->scale[k],
			flipping->counts[k]);
}

/* Sort the columns by |t|, largest first. */
static void order_columns(const double *t, size_t *order, size_t columns)
{
	for (size_t k = 0; k < columns; k++) {
		size_t at = k;

		for (; at > 0 && t[order[at - 1]] < t[k]; at--)
			order[at] = order[at - 1];
		order[at] = k;
	}
}

double stat_flip_signs(const double *values, size_t n, size_t columns,
	double *p, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	bool all = n <= ALL_SIGNS_MAX;
	/* Never flip the first row: opposite signs have the same |t|. */
	size_t tries = all ? (size_t)1 << (n - 1) : RANDOM_SIGNS + 1;
	double *known = arena_alloc(arena, n * columns, sizeof(*known));
	double *scale = arena_alloc(arena, columns, sizeof(*scale));
	double *found = arena_alloc(arena, columns, sizeof(*found));
	double *flipped = arena_alloc(arena, columns, sizeof(*flipped));
	double *most = arena_alloc(arena, tries, sizeof(*most)), limit;
	size_t *order = arena_alloc(arena, columns, sizeof(*order));
	size_t *counts = arena_alloc(arena, columns, sizeof(*counts));
	struct flipping flipping = {known, scale, counts, n, columns, found};
	struct stat_random random;

	for (size_t k = 0; k < columns; k++) {
		double squares = 0;

		for (size_t i = 0; i < n; i++) {
			double d = values[i * columns + k];

			if (isnan(d))
				continue;
			known[i * columns + k] = d;
			squares += d * d;
			counts[k]++;
		}
		if (counts[k] >= STAT_CI95_LEAST && squares > 0)
			scale[k] = 1 / sqrt((double)counts[k] * squares);
		p[k] = 0;
	}
	stat_random_init(&random, 1);
	flip_once(&flipping, 0, NULL);
	order_columns(found, order, columns);
	flipping.t = flipped;
	for (size_t t = 0; t < tries; t++) {
		double least = 0;

		flip_once(&flipping, 2 * t, all || t == 0 ? NULL : &random);
		for (size_t at = columns; at-- > 0;) {
			size_t k = order[at];

			least = fmax(least, flipped[k]);
			p[k] += least >= found[k] * (1 - EQUAL_PARTS);
		}
		most[t] = least;
	}
	for (size_t at = 0; at < columns; at++) {
		double *here = &p[order[at]];

		*here /= (double)tries;
		if (at > 0)
			*here = fmax(*here, p[order[at - 1]]);
	}
	stat_sort(most, tries);
	limit = stat_quantile(most, tries, 0.95);
	arena_rewind(arena, mark);
	return limit;
}
