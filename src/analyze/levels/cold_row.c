/*
 * Corrects a cold CPU. If a program measures pairs one after the other and
 * starts on a cold machine, all cells of the first CPU cost more by one factor.
 * This CPU seems far from its own siblings and the CPUs of its cache.
 *
 * Subtract the row medians from the logs of the cells to find the nearest CPUs
 * of each CPU. If nearly all cells of a CPU exceed the cells of its few nearest
 * CPUs by some factor, the CPU is cold by this factor. Several cold CPUs are
 * another type of core or farther from all CPUs: c2c does not correct them. Two
 * CPUs far from all other CPUs count as several.
 */
#include "analyze/levels/cold_row.h"

#define NEAREST_MAX 16

struct cold_search {
	const struct level_constants *constants;
	const struct cost_matrix *matrix;
	float *row; /* [n] median cost of each row */
	float *scratch;
};

/*
 * Find the CPUs nearest to i after row medians are subtracted; return their
 * number.
 */
static size_t find_nearest_rows(
	const struct cold_search *search, size_t i, size_t nearest[NEAREST_MAX])
{
	float cost[NEAREST_MAX];
	size_t n = 0, most = (size_t)fmin(
			      NEAREST_MAX, search->constants->cold_nearest);

	if (most == 0)
		return 0;
	for (size_t j = 0; j < search->matrix->n; j++) {
		float own =
			cost_matrix_at(search->matrix, i, j) / search->row[j];
		size_t k;

		if (isnan(own))
			continue;
		if (n == most && own >= cost[n - 1])
			continue;
		k = n < most ? n++ : n - 1;
		for (; k > 0 && cost[k - 1] > own; k--) {
			cost[k] = cost[k - 1];
			nearest[k] = nearest[k - 1];
		}
		cost[k] = own;
		nearest[k] = j;
	}
	return n;
}

/* Return the factor by which nearly all cells of i exceed the cells of j. */
static float find_cold_factor(
	const struct cold_search *search, size_t i, size_t j)
{
	size_t n = 0;

	for (size_t h = 0; h < search->matrix->n; h++) {
		float own = cost_matrix_at(search->matrix, i, h);
		float other = cost_matrix_at(search->matrix, j, h);

		if (h != i && h != j && own > 0 && other > 0)
			search->scratch[n++] = own / other;
	}
	/* Ignore a few low cells. */
	return n > 2 ? quantile_of_floats(
			       search->scratch, n, search->constants->odd_share)
		     : NAN;
}

/* Return the factor by which i is cold; 1 if unknown. */
static float find_coldness(const struct cold_search *search, size_t i)
{
	size_t nearest[NEAREST_MAX], n = find_nearest_rows(search, i, nearest);
	float factors[NEAREST_MAX];
	size_t count = 0;

	for (size_t k = 0; k < n; k++)
		append_known(factors, &count,
			find_cold_factor(search, i, nearest[k]));
	return count > 1 ? median_of_floats(factors, count) : 1;
}

void cold_row_correct(struct cost_matrix *matrix,
	const struct level_constants *constants, struct arena *arena)
{
	size_t n = matrix->n, n_cold = 0, cold = 0;
	float factor = 1;
	struct cold_search search = {.constants = constants,
		.matrix = matrix,
		.row = arena_alloc(arena, n, sizeof(float)),
		.scratch = arena_alloc(arena, n, sizeof(float))};

	for (size_t i = 0; i < n; i++) {
		size_t count = 0;

		for (size_t j = 0; j < n; j++)
			append_known(search.scratch, &count,
				cost_matrix_at(matrix, i, j));
		search.row[i] = median_of_floats(search.scratch, count);
	}
	for (size_t i = 0; i < n; i++) {
		float own = find_coldness(&search, i);

		if (!(own >= 1 + (float)constants->least_margin))
			continue;
		n_cold++;
		cold = i;
		factor = own;
	}
	if (n_cold != 1)
		return;
	matrix->cost =
		arena_copy(arena, matrix->cost, n * n, sizeof(*matrix->cost));
	for (size_t j = 0; j < n; j++) {
		matrix->cost[cold * n + j] /= factor;
		matrix->cost[j * n + cold] /= factor;
	}
}
