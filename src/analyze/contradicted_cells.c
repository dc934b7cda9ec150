/*
 * The neighbours of a CPU are the CPUs nearest to it. If a CPU k is a neighbour
 * of i, what lies between k and j lies between i and j, too: the cell of i and
 * j is hardly dearer than the dearer of the cells of k. Nothing here knows of
 * levels. A CPU whose whole row is slow contradicts nobody, and siblings, which
 * are nearer than all around them, do not either.
 *
 * How far above is far is told by the cells themselves, by the half of them
 * that is above the median of what all are above their neighbours.
 *
 * Where nearly every CPU has a partner, which is nearer by far than the next
 * one and says the same, two that have none may be partners whose cell is bad.
 * Their cell contradicts the others even if it is only a little above or below
 * what their neighbours say; if it is just that, they are alone.
 */
#include "analyze/contradicted_cells.h"

#include <math.h>
#include <string.h>

#include "analyze/cost_matrix.h"
#include "analyze/nearest.h"

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

/* The same of two CPUs without a partner. */
#define LONE_RATIO 1.1
#define LONE_TIMES 3

/* Of LEAST_CPUS or more, at most 2 + n / 8 CPUs have no partner. */
#define LEAST_CPUS 6
#define LONE_LEAST 2
#define LONE_SHARE 8

/* One in so many pairs is an exception. */
#define EXCEPTIONS 20

/* NaN if one is. */
static float dearer(float one, float other)
{
	return isnan(one) || one > other ? one : other;
}

struct cpus_beside {
	size_t n;
	const struct cost_matrix *logs;
	uint32_t (*beside)[BESIDE]; /* [n], the nearest first; n: no more */
};

static void find_beside(struct cpus_beside *around, size_t i)
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
	const struct cpus_beside *around, size_t i, size_t j)
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

static void take_logs(struct cost_matrix *logs, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			double value = nearest_pair_value(values, n, i, j);

			logs->cost[i * n + j] = logs->cost[j * n + i] =
				value > 0 ? logf((float)value) : NAN;
		}
}

/* By how much the partner is nearer than the next one; 0 if there is none. */
static float partner_gap(const struct cpus_beside *around, size_t i)
{
	size_t near = around->beside[i][0], next = around->beside[i][1];

	if (next == around->n || around->beside[near][0] != i)
		return 0;
	return cost_matrix_at(around->logs, i, next) -
	       cost_matrix_at(around->logs, i, near);
}

/* Which CPUs have no partner, if nearly all have one: lone[n]; NULL: none. */
static bool *find_lone(const struct cpus_beside *around, struct arena *arena)
{
	size_t n = around->n, count = 0;
	float *scratch = arena_alloc(arena, n, sizeof(*scratch)), typical;
	bool *lone = arena_alloc(arena, n, sizeof(*lone));

	for (size_t i = 0; i < n; i++)
		scratch[i] = partner_gap(around, i);
	typical = median_of_floats(scratch, n);
	for (size_t i = 0; i < n; i++) {
		lone[i] = partner_gap(around, i) < typical / 2;
		count += lone[i];
	}
	return n >= LEAST_CPUS && typical > logf(LEAST_RATIO) &&
			       count <= LONE_LEAST + n / LONE_SHARE
		       ? lone
		       : NULL;
}

/* The logs by which cells are above what their neighbours say. */
static void take_excess(
	struct cost_matrix *above, const struct cpus_beside *around)
{
	size_t n = around->n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			above->cost[i * n + j] =
				cost_matrix_at(around->logs, i, j) -
				dearer(expected_beside(around, i, j),
					expected_beside(around, j, i));
}

/* The median of these, and what most of the upper half are above it. */
static size_t find_usual(const struct cost_matrix *above, float *middle,
	float *usual, float *scratch)
{
	size_t count = 0, upper = 0;

	for (size_t k = 0; k < above->n * above->n; k++)
		append_known(scratch, &count, above->cost[k]);
	*middle = median_of_floats(scratch, count);
	for (size_t k = 0; k < count; k++)
		if (scratch[k] > *middle)
			scratch[upper++] = scratch[k] - *middle;
	*usual = quantile_of_floats(scratch, upper, MOST);
	return count;
}

size_t contradicted_cells_find(
	const double *values, size_t n, bool *contradicted, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct cost_matrix logs, above;
	struct cpus_beside around = {.n = n, .logs = &logs};
	float middle, usual, least, least_lone;
	size_t count, found = 0;
	const bool *lone;

	cost_matrix_init(&logs, n, arena);
	cost_matrix_init(&above, n, arena);
	around.beside = arena_alloc(arena, n, sizeof(*around.beside));
	take_logs(&logs, values, n);
	for (size_t i = 0; i < n; i++)
		find_beside(&around, i);
	take_excess(&above, &around);
	lone = find_lone(&around, arena);
	count = find_usual(&above, &middle, &usual,
		arena_alloc(arena, n * n, sizeof(float)));
	least = fmaxf(logf(LEAST_RATIO), middle + TIMES * usual);
	least_lone = fmaxf(logf(LONE_RATIO), LONE_TIMES * usual);
	memset(contradicted, 0, n * n * sizeof(*contradicted));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			float more = cost_matrix_at(&above, i, j);

			/* False for NaN. */
			if (more > least ||
				(lone && lone[i] && lone[j] &&
					fabsf(more - middle) > least_lone)) {
				contradicted[i * n + j] =
					contradicted[j * n + i] = true;
				found++;
			}
		}
	arena_rewind(arena, mark);
	if (found * EXCEPTIONS <= count)
		return found;
	memset(contradicted, 0, n * n * sizeof(*contradicted));
	return 0;
}
