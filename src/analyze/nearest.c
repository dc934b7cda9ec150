/*
 * Finds the nearest pairs of CPUs. The cost of a pair is the mean of both
 * directions, and so are the ends of its interval.
 */
#include "analyze/nearest.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/cost_matrix.h"

/* Largest number of pairs in a report. */
#define PAIRS_SHOWN 5

/* A value is unusable if the ratio of its interval's ends is larger. */
#define WIDEST_INTERVAL 2

/* Largest number of cells between two cores, with eight threads each. */
#define CELLS_OF_CORES 64

struct nearest_cell {
	float cost;
	uint32_t a, b;
};

static int compare_nearest_cells(const void *x, const void *y)
{
	const struct nearest_cell *a = x, *b = y;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	return (a->b > b->b) - (a->b < b->b);
}

const struct matrix *nearest_matrix(const struct result *result)
{
	const struct matrix *reader =
		result_find_matrix(result, "reader", NULL);

	return reader ? reader : result_find_matrix(result, NULL, NULL);
}

double *nearest_values(const struct result *result, struct arena *arena)
{
	const struct matrix *matrix = nearest_matrix(result);
	const struct matrix *low =
		result_find_matrix(result, matrix->name, "ci_low");
	const struct matrix *high =
		result_find_matrix(result, matrix->name, "ci_high");
	size_t n = result->cpus.n;
	double *values =
		arena_copy(arena, matrix->values, n * n, sizeof(*values));

	/* A rate of zero counts as unknown. */
	for (size_t k = 0; k < n * n; k++) {
		if ((low && high &&
			    high->values[k] >
				    WIDEST_INTERVAL * low->values[k]) ||
			(matrix_near_is_high(matrix) && values[k] <= 0))
			values[k] = NAN;
	}
	return values;
}

double nearest_pair_value(const double *values, size_t n, size_t a, size_t b)
{
	double there = values[a * n + b], back = values[b * n + a];

	return isnan(there) ? back : isnan(back) ? there : (there + back) / 2;
}

double nearest_matrix_value(
	const struct matrix *matrix, size_t n, size_t a, size_t b)
{
	return matrix ? nearest_pair_value(matrix->values, n, a, b) : NAN;
}

/* Keep the wanted number of nearest cells[n], and ties with the last one. */
static size_t keep_nearest_cells(struct nearest_cell *cells, size_t n,
	size_t wanted, struct arena *arena)
{
	size_t kept = 0;
	float *costs, most;

	if (n <= wanted)
		return n;
	costs = arena_alloc(arena, n, sizeof(*costs));
	for (size_t k = 0; k < n; k++)
		costs[k] = cells[k].cost;
	most = quantile_of_floats(costs, n, (double)wanted / (double)(n - 1));
	for (size_t k = 0; k < n; k++)
		if (cells[k].cost <= most)
			cells[kept++] = cells[k];
	return kept;
}

static struct nearest_cell *sort_nearest_cells(const double *values, size_t n,
	bool near_is_high, size_t wanted, size_t *count, struct arena *arena)
{
	struct nearest_cell *cells =
		arena_alloc(arena, n * (n - 1) / 2, sizeof(*cells));

	*count = 0;
	for (uint32_t a = 0; a < n; a++) {
		for (uint32_t b = a + 1; b < n; b++) {
			double value = nearest_pair_value(values, n, a, b);

			if (isfinite(value) && value >= 0)
				cells[(*count)++] = (struct nearest_cell){
					(float)(near_is_high ? -value : value),
					a, b};
		}
	}
	*count = keep_nearest_cells(cells, *count, wanted, arena);
	qsort(cells, *count, sizeof(*cells), compare_nearest_cells);
	return cells;
}

/* Whether a cell is the first between its two cores. */
static bool is_new_core_pair(const struct nearest_cell *cell,
	const uint32_t *core, size_t n, bool *seen)
{
	uint32_t a, b;

	if (!core)
		return true;
	a = core[cell->a];
	b = core[cell->b];
	if (a == b || seen[a * n + b])
		return false;
	seen[a * n + b] = seen[b * n + a] = true;
	return true;
}

/* Return the value and the interval between the CPUs at a and b. */
static struct analysis_pair name_nearest_pair(const struct result *result,
	const double *values, size_t a, size_t b, const char *unit)
{
	const char *name = nearest_matrix(result)->name;
	size_t n = result->cpus.n;

	return (struct analysis_pair){
		.a = result->cpus.cpus[a],
		.b = result->cpus.cpus[b],
		.value = nearest_pair_value(values, n, a, b),
		.low = nearest_matrix_value(
			result_find_matrix(result, name, "ci_low"), n, a, b),
		.high = nearest_matrix_value(
			result_find_matrix(result, name, "ci_high"), n, a, b),
		.unit = unit,
	};
}

size_t nearest_find(const struct result *result, const uint32_t *core,
	size_t most, struct analysis_pair **pairs, struct arena *arena)
{
	const struct matrix *matrix = nearest_matrix(result);
	size_t n = result->cpus.n, count, found = 0;
	const char *unit = arena_strdup(arena, matrix->unit);
	const double *values = nearest_values(result, arena);
	size_t wanted = (most < n * n ? most : n * n) * CELLS_OF_CORES;
	const struct nearest_cell *cells = sort_nearest_cells(
		values, n, matrix_near_is_high(matrix), wanted, &count, arena);
	bool *seen = core ? arena_alloc(arena, n * n, sizeof(*seen)) : NULL;

	*pairs = arena_alloc(
		arena, count < most ? count : most, sizeof(**pairs));
	for (size_t k = 0; k < count && found < most; k++) {
		if (is_new_core_pair(&cells[k], core, n, seen))
			(*pairs)[found++] = name_nearest_pair(
				result, values, cells[k].a, cells[k].b, unit);
	}
	return found;
}

void nearest_fill_missing(const struct result *result,
	struct analysis_pair *pairs, size_t most, struct arena *arena)
{
	const struct matrix *matrix = nearest_matrix(result);
	const double *values = nearest_values(result, arena);
	size_t n = result->cpus.n, found = 0;

	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n && found < most; b++) {
			if (isnan(nearest_pair_value(values, n, a, b)))
				pairs[found++] = name_nearest_pair(
					result, matrix->values, a, b, NULL);
		}
	}
}

/* Whether all groups have one or two CPUs, and their kind is uncertain. */
static bool may_be_cores(
	const struct analysis_level *level, size_t n, struct arena *arena)
{
	size_t *sizes = arena_alloc(arena, n, sizeof(*sizes)), most = 0;

	if (level->kind != ANALYSIS_GROUP)
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t size = ++sizes[level->group[i]];

		most = size > most ? size : most;
	}
	return most == 2;
}

/* If no level has SMT siblings, return pairs that may be cores; else NULL. */
static const uint32_t *find_likely_cores(
	const struct analysis *analysis, struct arena *arena)
{
	size_t n = analysis->cpus.n;

	if (analysis->n_levels && may_be_cores(&analysis->levels[0], n, arena))
		return analysis->levels[0].group;
	for (size_t k = 0; k < analysis->n_perhaps; k++) {
		if (may_be_cores(&analysis->perhaps[k], n, arena))
			return analysis->perhaps[k].group;
	}
	return NULL;
}

void nearest_fill(struct analysis *analysis, const struct result *result,
	const uint32_t *reported, struct arena *arena)
{
	const struct matrix *matrix = nearest_matrix(result);

	analysis->core = reported;
	for (size_t k = 0; k < analysis->n_levels; k++) {
		if (analysis->levels[k].kind == ANALYSIS_SMT)
			analysis->core = analysis->levels[k].group;
	}
	analysis->core_perhaps = !analysis->core;
	if (!analysis->core)
		analysis->core = find_likely_cores(analysis, arena);
	analysis->n_nearest = analysis->n_nearest_cores = 0;
	/*
	 * Slowdowns are no distances, and distances are unknown if CPUs moved.
	 */
	if (matrix_is_slowdown(matrix) ||
		analysis->placement == ANALYSIS_DRIFTING)
		return;
	analysis->n_nearest = nearest_find(
		result, NULL, PAIRS_SHOWN, &analysis->nearest, arena);
	if (analysis->core && !analysis->core_perhaps)
		analysis->n_nearest_cores = nearest_find(result, analysis->core,
			PAIRS_SHOWN, &analysis->nearest_cores, arena);
}

double nearest_median(const struct matrix *matrix, const size_t *rows,
	size_t n_rows, struct arena *arena)
{
	size_t count = 0;
	float *values = arena_alloc(arena, n_rows * n_rows, sizeof(*values));

	for (size_t i = 0; i < n_rows; i++) {
		for (size_t j = 0; j < n_rows; j++) {
			size_t a = rows ? rows[i] : i, b = rows ? rows[j] : j;

			if (a != b)
				append_known(values, &count,
					(float)matrix
						->values[a * matrix->n + b]);
		}
	}
	return (double)median_of_floats(values, count);
}
