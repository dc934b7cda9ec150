/*
 * Many tests at once: the false discovery rate.
 */
#include "stat/stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Increasing, so that the places of the least p come first; NaNs left out. */
static int compare_pointers(const void *a, const void *b)
{
	double x = **(double *const *)a;
	double y = **(double *const *)b;

	return (x > y) - (x < y);
}

int stat_false_discovery(double *p, size_t n)
{
	double **order = calloc(n + 1, sizeof(*order));
	double least = 1;
	size_t m = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			order[m++] = &p[i];
	}
	qsort(order, m, sizeof(*order), compare_pointers);
	/* From the largest down: none is less likely than a larger one. */
	for (size_t i = m; i-- > 0;) {
		least = fmin(least, *order[i] * (double)m / (double)(i + 1));
		*order[i] = least;
	}
	free(order);
	return 0;
}
