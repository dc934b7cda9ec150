/*
 * The CPUs beside a CPU are those that it is nearest to. If a CPU k is beside
 * i, what lies between k and j lies between i and j, too: the cell of i and j
 * is hardly dearer than the dearer of the cells of k. Nothing here knows of
 * levels. A CPU whose whole row is slow contradicts nobody, and siblings, which
 * are nearer than all around them, do not either: no cell is too near.
 *
 * How far above is far is told by the cells themselves, by the half of them
 * that is above the median of what all are above their neighbours.
 */
#include "analyze/contradicted_cells.h"

#include <math.h>

#include "analyze/cost_matrix.h"
#include "analyze/nearest.h"
#include "stat/stat.h"

/* So many CPUs are beside a CPU; its sibling may be one. */
#define BESIDE 5

/* One of these may be wrong itself. */
#define WITNESSES 2

/*
 * Far: by this ratio, and by so many times what four in five of the upper half
 * have at most, which is six standard deviations of noise that is normal.
 */
#define LEAST_RATIO 1.2
#define MOST	    0.8
#define TIMES	    5

/* One in so many pairs is an exception. */
#define EXCEPTIONS 20

/* NaN if one is. */
static float dearer(float one, float other)
{
	return isnan(one) || one > other ? one : other;
}

struct neighbours {
	size_t n;
	const struct cost_matrix *logs;
	uint32_t (*beside)[BESIDE]; /* [n], the nearest first; n: no more */
};

static void find_beside(struct neighbours *around, size_t i)
{
	uint32_t *beside = around->beside[i];

	for (size_t b = 0; b < BESIDE; b++)
		beside[b] = (uint32_t)around->n;
	for (size_t j = 0; j < around->n; j++) {
		float log = cost_matrix_at(around->logs, i, j);
		size_t at = BESIDE;

		if (isnan(log))
			continue;
		while (at > 0 && (beside[at - 1] == around->n ||
					 log < cost_matrix_at(around->logs, i,
						       beside[at - 1])))
			at--;
		for (size_t b = BESIDE - 1; b > at && b < BESIDE; b--)
			beside[b] = beside[b - 1];
		if (at < BESIDE)
			beside[at] = (uint32_t)j;
	}
}

/* What lies between i and j by the CPUs beside i; NaN if too few say it. */
static float expected_beside(
	const struct neighbours *around, size_t i, size_t j)
{
	float said[BESIDE];
	size_t n = 0;

	for (size_t b = 0; b < BESIDE; b++) {
		size_t k = around->beside[i][b];

		if (k != around->n && k != j)
			append_known(said, &n,
				dearer(cost_matrix_at(around->logs, i, k),
					cost_matrix_at(around->logs, k, j)));
	}
	if (n < WITNESSES)
		return NAN;
	sort_floats(said, n);
	return said[WITNESSES - 1];
}

size_t contradicted_cells_find(
	const double *values, size_t n, bool *contradicted, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct cost_matrix logs, above;
	struct neighbours around = {.n = n, .logs = &logs};
	float *scratch = arena_alloc(arena, n * n, sizeof(*scratch));
	float middle, least;
	size_t count = 0, upper = 0, found = 0;

	cost_matrix_init(&logs, n, arena);
	cost_matrix_init(&above, n, arena);
	around.beside = arena_alloc(arena, n, sizeof(*around.beside));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			double value = nearest_pair_value(values, n, i, j);

			logs.cost[i * n + j] = logs.cost[j * n + i] =
				value > 0 ? logf((float)value) : NAN;
		}
	for (size_t i = 0; i < n; i++)
		find_beside(&around, i);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			float more = cost_matrix_at(&logs, i, j) -
				     dearer(expected_beside(&around, i, j),
					     expected_beside(&around, j, i));

			above.cost[i * n + j] = more;
			append_known(scratch, &count, more);
		}
	middle = median_of_floats(scratch, count);
	for (size_t k = 0; k < count; k++)
		if (scratch[k] > middle)
			scratch[upper++] = scratch[k] - middle;
	least = fmaxf(logf(LEAST_RATIO),
		middle + TIMES * quantile_of_floats(scratch, upper, MOST));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			/* False for NaN. */
			bool is = above.cost[i * n + j] > least;

			contradicted[i * n + j] = contradicted[j * n + i] = is;
			found += is;
		}
	arena_rewind(arena, mark);
	if (found * EXCEPTIONS <= count)
		return found;
	for (size_t k = 0; k < n * n; k++)
		contradicted[k] = false;
	return 0;
}
