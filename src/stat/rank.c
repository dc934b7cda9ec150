/*
 * Spearman's rank correlation.
 */
#include "stat/stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct place {
	double value;
	size_t index;
};

static int compare_places(const void *a, const void *b)
{
	double x = ((const struct place *)a)->value;
	double y = ((const struct place *)b)->value;

	return (x > y) - (x < y);
}

/*
 * Replace values[n], which has no NaN, by ranks from 1 less their mean
 * (n + 1) / 2. Equal values share the mean of the ranks they take up.
 * scratch[n] is overwritten.
 */
static void centre_ranks(double *values, size_t n, struct place *scratch)
{
	for (size_t i = 0; i < n; i++) {
		scratch[i].value = values[i];
		scratch[i].index = i;
	}
	qsort(scratch, n, sizeof(*scratch), compare_places);
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;
		double rank;

		while (end < n && scratch[end].value == scratch[i].value)
			end++;
		rank = (double)(i + 1 + end) / 2 - (double)(n + 1) / 2;
		for (; i < end; i++)
			values[scratch[i].index] = rank;
	}
}

/* Pearson's correlation of x[n] and y[n], whose means are zero. */
static int correlate(const double *x, const double *y, size_t n, double *rho)
{
	double xx = 0, yy = 0, xy = 0;

	for (size_t i = 0; i < n; i++) {
		xx += x[i] * x[i];
		yy += y[i] * y[i];
		xy += x[i] * y[i];
	}
	if (xx == 0 || yy == 0)
		return -EDOM;
	/* Rounding may carry a perfect correlation just past one. */
	*rho = fmax(-1, fmin(1, xy / (sqrt(xx) * sqrt(yy))));
	return 0;
}

int stat_spearman(const double *x, const double *y, size_t n, double *rho)
{
	struct place *scratch;
	double *a, *b;
	size_t kept = 0;
	int rc = -ENOMEM;

	if (n < 3)
		return -EDOM;
	a = calloc(n, sizeof(*a));
	b = calloc(n, sizeof(*b));
	scratch = calloc(n, sizeof(*scratch));
	if (a && b && scratch) {
		for (size_t i = 0; i < n; i++) {
			if (isnan(x[i]) || isnan(y[i]))
				continue;
			a[kept] = x[i];
			b[kept] = y[i];
			kept++;
		}
		rc = -EDOM;
		if (kept >= 3) {
			centre_ranks(a, kept, scratch);
			centre_ranks(b, kept, scratch);
			rc = correlate(a, b, kept, rho);
		}
	}
	free(a);
	free(b);
	free(scratch);
	return rc;
}
