/*
 * The neighbours of a CPU are the CPUs nearest to it. If CPU k is a neighbour
 * of i, cell (i, j) should cost hardly more than the larger of the cells (k, i)
 * and (k, j). This rule needs no levels. It holds for a CPU whose whole row is
 * slow, and for siblings, which are nearer than all other CPUs.
 *
 * The threshold comes from the noise of the cells: the upper half of the log
 * ratios of cells to their predictions.
 *
 * Two CPUs are partners if each is far nearer to the other than the next CPU.
 * If nearly every CPU has a partner, two CPUs without a partner may be partners
 * with a bad cell. A cell of two CPUs without partners is contradicted even if
 * it differs little from the prediction. If the cell equals the prediction, the
 * two CPUs are no partners.
 */
#include "analyze/contradicted_cells.h"

#include <math.h>
#include <string.h>

#include "analyze/cost_matrix.h"
#include "analyze/nearest.h"

/* Number of neighbours of a CPU, which may include its SMT sibling. */
#define BESIDE 5

/* Fewest neighbours that predict a cell, because one may be wrong. */
#define WITNESSES 2

/*
 * A cell is contradicted if its excess reaches LEAST_RATIO, and TIMES times the
 * 80th percentile of the upper half of excesses: six standard deviations of
 * normal noise.
 */
#define LEAST_RATIO 1.2
#define MOST	    0.8
#define TIMES	    5

/* The least ratio for two CPUs without a partner. */
#define LONE_RATIO 1.1
#define LONE_TIMES 3

/* Of n >= LEAST_CPUS CPUs, at most 2 + n / 8 may lack a partner. */
#define LEAST_CPUS 6
#define LONE_LEAST 2
#define LONE_SHARE 8

/* At most 1 of so many pairs can be contradicted. */
#define EXCEPTIONS 20

/* The larger of two costs; NaN if one is NaN. */
static float dearer(float one, float other)
{
	return isnan(one) || one > other ? one : other;
}

struct cpus_beside {
	size_t n;
	const struct cost_matrix *logs;
	uint32_t (*beside)[BESIDE]; /* [n] neighbours, nearest first; n: none */
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

/* Predict cell (i, j) from the neighbours of i; NaN if too few have values. */
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

/*
 * Return the log ratio of the next CPU's cost to the partner's; 0: no partner.
 */
static float partner_gap(const struct cpus_beside *around, size_t i)
{
	size_t near = around->beside[i][0], next = around->beside[i][1];

	if (next == around->n || around->beside[near][0] != i)
		return 0;
	return cost_matrix_at(around->logs, i, next) -
	       cost_matrix_at(around->logs, i, near);
}

/* Mark the CPUs without a partner in lone[n]; NULL if many CPUs have none. */
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

/* Fill the log excess of each cell over its prediction. */
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

/* Find the median excess, and the 80th percentile of the excesses above it. */
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

			/* A NaN makes both comparisons false. */
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
