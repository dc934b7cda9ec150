/* rank.c: ranks, and Spearman's correlation of ranks. */
#include "stat/stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct ranked_value {
	double value;
	size_t index;
};

static int compare_ranked_values(const void *a, const void *b)
{
	double x = ((const struct ranked_value *)a)->value;
	double y = ((const struct ranked_value *)b)->value;

	return (x > y) - (x < y);
}

int stat_ranks(double *values, size_t n)
{
	struct ranked_value *places = calloc(n + 1, sizeof(*places));

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		places[i].value = values[i];
		places[i].index = i;
	}
	qsort(places, n, sizeof(*places), compare_ranked_values);
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;
		double rank;

		while (end < n && places[end].value == places[i].value)
			end++;
		rank = (double)(i + 1 + end) / 2;
		for (; i < end; i++)
			values[places[i].index] = rank;
	}
	free(places);
	return 0;
}

/* Compute Pearson's correlation of the ranks x[n] and y[n]. */
static int correlate_ranks(
	const double *x, const double *y, size_t n, double *rho)
{
	double mean = (double)(n + 1) / 2, xx = 0, yy = 0, xy = 0;

	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mean) * (x[i] - mean);
		yy += (y[i] - mean) * (y[i] - mean);
		xy += (x[i] - mean) * (y[i] - mean);
	}
	if (xx == 0 || yy == 0)
		return -EDOM;
	/* A perfect correlation may exceed 1 by rounding. */
	*rho = fmax(-1, fmin(1, xy / (sqrt(xx) * sqrt(yy))));
	return 0;
}

int stat_spearman(const double *x, const double *y, size_t n, double *rho)
{
	double *a, *b;
	size_t kept = 0;
	int rc = -ENOMEM;

	if (n < 3)
		return -EDOM;
	a = calloc(n, sizeof(*a));
	b = calloc(n, sizeof(*b));
	if (a && b) {
		for (size_t i = 0; i < n; i++) {
			if (isnan(x[i]) || isnan(y[i]))
				continue;
			a[kept] = x[i];
			b[kept] = y[i];
			kept++;
		}
		rc = kept >= 3 ? stat_ranks(a, kept) : -EDOM;
		if (rc == 0)
			rc = stat_ranks(b, kept);
		if (rc == 0)
			rc = correlate_ranks(a, b, kept, rho);
	}
	free(a);
	free(b);
	return rc;
}
