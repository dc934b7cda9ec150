/*
 * The step of a coarse clock shows in the values: they lie on a comb. How
 * well a comb of step q fits is the length of the mean of all values turned
 * into angles, 2 pi v / q: 1 if every value is at a tooth, near 0 if they lie
 * anywhere (Rayleigh's test). The coarsest comb that fits is the clock's.
 *
 * Levels lie apart, and a comb with a tooth for each would fit them too. So
 * many values must have a neighbour on the next tooth.
 */
#include "analyze/steps.h"

#include <stdlib.h>

/* So many cells say enough. */
#define CELLS_MAX 65536

/* More distinct values than this share of the cells are no comb. */
#define DISTINCT_SHARE 0.25
#define DISTINCT_MAX   512

/* Fewer teeth with a value fit any comb. */
#define LEAST_TEETH 4

#define LEAST_LENGTH 0.9

/* The share of teeth with a value whose next tooth has one, too. */
#define LEAST_NEXT 0.6

/* From one step that is tried to the next: finer than 1 / (8 * teeth). */
#define FINENESS  1.001
#define TEETH_MAX 100

/* A step below this share of the typical value hides nothing. */
#define COARSE 0.03

/* The share of cells that count: disturbed ones lie far above. */
#define USUAL 0.95

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The distinct values in increasing order; returns how many. */
static size_t find_distinct(
	const double *values, size_t n, double *out, size_t *cells)
{
	size_t stride = n * n / CELLS_MAX + 1, count = 0, kept = 0;

	for (size_t k = 0; k < n * n; k += stride)
		if (k / n != k % n && isfinite(values[k]) && values[k] > 0)
			out[count++] = values[k];
	qsort(out, count, sizeof(*out), compare_doubles);
	count = (size_t)(USUAL * (double)count);
	for (size_t k = 0; k < count; k++)
		if (kept == 0 || out[k] > out[kept - 1] * (1 + 1e-9))
			out[kept++] = out[k];
	*cells = count;
	return kept;
}

static double length_of(const double *values, size_t n, double step)
{
	double x = 0, y = 0;

	for (size_t k = 0; k < n; k++) {
		double angle = 2 * M_PI * (values[k] / step);

		x += cos(angle);
		y += sin(angle);
	}
	return sqrt(x * x + y * y) / (double)n;
}

/* The step near this one where the comb fits best. */
static double best_near(const double *values, size_t n, double step)
{
	double length = length_of(values, n, step);

	for (;;) {
		double finer = step / FINENESS;
		double next = length_of(values, n, finer);

		/* Also if one is not a number. */
		if (!(next > length))
			return step;
		step = finer;
		length = next;
	}
}

/* Whether values, in increasing order, sit on enough teeth side by side. */
static bool is_comb(const double *values, size_t n, double step)
{
	size_t teeth = 1, next = 0;
	bool before = false;

	for (size_t k = 1; k < n; k++) {
		double gap = values[k] - values[k - 1];

		if (gap < step / 2)
			continue;
		/* A tooth counts once, whichever side its neighbour is on. */
		next += !before && gap < 1.5 * step;
		before = gap < 1.5 * step;
		next += before;
		teeth++;
	}
	return teeth >= LEAST_TEETH &&
	       (double)next >= LEAST_NEXT * (double)teeth;
}

double granularity_of(const double *values, size_t n, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t stride = n * n / CELLS_MAX + 1, cells, distinct;
	double *sorted = arena_take(arena, n * n / stride + 1, sizeof(*sorted));
	double step, least, most;

	distinct = find_distinct(values, n, sorted, &cells);
	if (distinct < LEAST_TEETH || distinct > DISTINCT_MAX ||
		(double)distinct > DISTINCT_SHARE * (double)cells) {
		arena_back(arena, mark);
		return 0;
	}
	least = most = sorted[distinct - 1] - sorted[0];
	for (size_t k = 1; k < distinct; k++)
		least = fmin(least, sorted[k] - sorted[k - 1]);
	least = fmax(least, most / TEETH_MAX);
	least = fmax(least, sorted[distinct / 2] * COARSE);
	step = most / (LEAST_TEETH - 1) * FINENESS;
	while (step >= least / FINENESS &&
		(!(length_of(sorted, distinct, step) >= LEAST_LENGTH) ||
			!is_comb(sorted, distinct, step)))
		step /= FINENESS;
	step = step >= least / FINENESS ? best_near(sorted, distinct, step) : 0;
	arena_back(arena, mark);
	return step;
}
