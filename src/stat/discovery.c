/* discovery.c: the false discovery rate of many tests. */
#include "stat/stat.h"

#include <math.h>
#include <stdlib.h>

static int compare_pointers(const void *a, const void *b)
{
	double x = **(double *const *)a;
	double y = **(double *const *)b;

	return (x > y) - (x < y);
}

void stat_false_discovery(double *p, size_t n, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	double **order = arena_alloc(arena, n, sizeof(*order));
	double least = 1;
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			order[m++] = &p[i];
	}
	qsort(order, m, sizeof(*order), compare_pointers);
	/* Begin at the largest p, so that rates increase with p. */
	for (size_t i = m; i-- > 0;) {
		least = fmin(least, *order[i] * (double)m / (double)(i + 1));
		*order[i] = least;
	}
	arena_rewind(arena, mark);
}
