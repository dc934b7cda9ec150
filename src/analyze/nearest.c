/*
 * Finds the nearest pairs of CPUs. The cost of a pair is the mean of both
 * directions. The ends of a pair's interval are means, too.
 */
#include "analyze/nearest.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/cost_matrix.h"

/* Largest number of pairs in a report. */
#define PAIRS_SHOWN 5

/* A value is usable if the ends of its interval have at most this ratio. */
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

struct distances {
	const struct matrix *of, *low, *high;
	const struct cpu_list *cpus;
	bool near_is_high;
};

static struct distances find_distances(const struct result *result)
{
	const struct matrix *of = nearest_matrix(result);

	return (struct distances){.of = of,
		.low = result_find_matrix(result, of->name, "ci_low"),
		.high = result_find_matrix(result, of->name, "ci_high"),
		.cpus = &result->cpus,
		.near_is_high = matrix_near_is_high(of)};
}

/* Return a value; NaN if its interval is too wide, or if the rate is 0. */
static double usable_distance(const struct distances *distances, size_t at)
{
	const struct matrix *low = distances->low, *high = distances->high;
	double value = distances->of->values[at];

	return (low && high &&
		       high->values[at] > WIDEST_INTERVAL * low->values[at]) ||
			       (distances->near_is_high && value <= 0)
		       ? NAN
		       : value;
}

double *nearest_values(const struct result *result, struct arena *arena)
{
	struct distances distances = find_distances(result);
	size_t cells = result->cpus.n * result->cpus.n;
	double *values = arena_alloc(arena, cells, sizeof(*values));

	for (size_t k = 0; k < cells; k++)
		values[k] = usable_distance(&distances, k);
	return values;
}

static double mean_of_known(double there, double back)
{
	return isnan(there) ? back : isnan(back) ? there : (there + back) / 2;
}

double nearest_pair_value(const double *values, size_t n, size_t a, size_t b)
{
	return mean_of_known(values[a * n + b], values[b * n + a]);
}

static double usable_pair(const struct distances *distances, size_t a, size_t b)
{
	size_t n = distances->cpus->n;

	return mean_of_known(usable_distance(distances, a * n + b),
		usable_distance(distances, b * n + a));
}

double nearest_matrix_value(
	const struct matrix *matrix, size_t n, size_t a, size_t b)
{
	return matrix ? nearest_pair_value(matrix->values, n, a, b) : NAN;
}

/* Return the cost of a pair, lower is nearer; NaN if unknown. */
static float pair_cost(const struct distances *distances, size_t a, size_t b)
{
	double value = usable_pair(distances, a, b);

	if (!isfinite(value) || value < 0)
		return NAN;
	return (float)(distances->near_is_high ? -value : value);
}

/* Return the cost of the pair with this rank; INFINITY: no such pair. */
static float cost_of_rank(
	const struct distances *distances, size_t rank, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = distances->cpus->n, count = 0;
	float most = INFINITY;
	float *costs = arena_alloc(arena, n * (n - 1) / 2, sizeof(*costs));

	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			append_known(costs, &count, pair_cost(distances, a, b));
	if (count > rank)
		most = quantile_of_floats(
			costs, count, (double)rank / (double)(count - 1));
	arena_rewind(arena, mark);
	return most;
}

/* Return the requested number of nearest pairs, and ties with the last pair. */
static struct nearest_cell *sort_nearest_cells(
	const struct distances *distances, size_t wanted, size_t *count,
	struct arena *arena)
{
	float most = cost_of_rank(distances, wanted, arena);
	struct nearest_cell *cells = arena_alloc(arena, 1, sizeof(*cells));
	size_t n = distances->cpus->n;

	*count = 0;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			float cost = pair_cost(distances, a, b);

			if (!(cost <= most))
				continue;
			cells = arena_grow(
				arena, cells, *count, sizeof(*cells));
			cells[(*count)++] = (struct nearest_cell){cost, a, b};
		}
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

/* Return the pair of the CPUs at a and b, with its interval. */
static struct analysis_pair name_nearest_pair(const struct distances *distances,
	size_t a, size_t b, double value, const char *unit)
{
	size_t n = distances->cpus->n;

	return (struct analysis_pair){
		.a = distances->cpus->cpus[a],
		.b = distances->cpus->cpus[b],
		.value = value,
		.low = nearest_matrix_value(distances->low, n, a, b),
		.high = nearest_matrix_value(distances->high, n, a, b),
		.unit = unit,
	};
}

size_t nearest_find(const struct result *result, const uint32_t *core,
	size_t most, struct analysis_pair **pairs, struct arena *arena)
{
	const struct distances distances = find_distances(result);
	size_t n = result->cpus.n, count, found = 0;
	const char *unit = arena_strdup(arena, distances.of->unit);
	size_t wanted = (most < n * n ? most : n * n) * CELLS_OF_CORES;
	const struct nearest_cell *cells =
		sort_nearest_cells(&distances, wanted, &count, arena);
	bool *seen = core ? arena_alloc(arena, n * n, sizeof(*seen)) : NULL;

	*pairs = arena_alloc(
		arena, count < most ? count : most, sizeof(**pairs));
	for (size_t k = 0; k < count && found < most; k++) {
		if (is_new_core_pair(&cells[k], core, n, seen))
			(*pairs)[found++] = name_nearest_pair(&distances,
				cells[k].a, cells[k].b,
				usable_pair(&distances, cells[k].a, cells[k].b),
				unit);
	}
	return found;
}

void nearest_fill_missing(
	const struct result *result, struct analysis_pair *pairs, size_t most)
{
	const struct distances distances = find_distances(result);
	size_t n = result->cpus.n, found = 0;

	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n && found < most; b++) {
			if (isnan(usable_pair(&distances, a, b)))
				pairs[found++] =
					name_nearest_pair(&distances, a, b,
						nearest_matrix_value(
							distances.of, n, a, b),
						NULL);
		}
	}
}

/* Whether all groups have one or two CPUs and an uncertain kind. */
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
