/* Results in memory: growing, finding, reordering. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"
#include "stat/stat.h"

static void an_empty_result_is_released(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	assert_true(isnan(result.elapsed_s));
	assert_false(result.complete);
	assert_null(result_find_matrix(&result, NULL, NULL));
	assert_null(result_find_matrix(&result, "latency", "median"));
	result_release(&result);
	result_release(&result);
}

static void new_matrices_are_missing(void **state)
{
	char name[] = "latency";
	struct matrix *matrix;
	struct result result;

	(void)state;
	result_init(&result);
	assert_int_equal(cpu_list_parse(&result.cpus, "0-3", NULL), 0);
	matrix = result_add_matrix(
		&result, name, "median", "ns", NULL, false, true);
	assert_non_null(matrix);
	name[0] = 'X';
	assert_string_equal(matrix->name, "latency");
	assert_string_equal(matrix->statistic, "median");
	assert_string_equal(matrix->unit, "ns");
	assert_null(matrix->quantity);
	assert_null(matrix->extra);
	assert_true(matrix->symmetric);
	assert_false(matrix->higher_is_better);
	for (size_t i = 0; i < 16; i++)
		assert_true(isnan(matrix->values[i]));
	assert_int_equal(result.n_matrices, 1);
	result_release(&result);
	assert_int_equal(result.n_matrices, 0);
}

static void new_series_are_missing(void **state)
{
	struct series *series;
	struct result result;

	(void)state;
	result_init(&result);
	series = result_add_series(&result, "sweep", "chunk", "bytes", "rate",
		"GiB/s", "median", 2);
	assert_non_null(series);
	assert_int_equal(series->n, 2);
	assert_true(isnan(series->x[1]) && isnan(series->y[1]));
	assert_string_equal(series->x_unit, "bytes");
	assert_string_equal(series->y_statistic, "median");
	assert_non_null(
		result_add_series(&result, "none", "a", "b", "c", "d", "e", 0));
	assert_int_equal(result.n_series, 2);
	result_release(&result);
}

static void new_passes_are_missing(void **state)
{
	const struct passes *passes;
	struct result result;

	(void)state;
	result_init(&result);
	assert_null(result_find_passes(&result, "writer"));
	for (size_t i = 0; i < 3; i++)
		assert_non_null(result_add_passes(&result,
			i == 0 ? "writer" : "reader", "GiB/s", 5 - i, 2));
	passes = result_find_passes(&result, "reader");
	assert_ptr_equal(passes, &result.kept[1]);
	assert_string_equal(passes->unit, "GiB/s");
	assert_int_equal(passes->n_pairs, 4);
	assert_int_equal(passes->n_passes, 2);
	for (size_t i = 0; i < 8; i++)
		assert_true(isnan(passes->values[i]));
	assert_true(isnan(passes->start_s[0]) && isnan(passes->start_s[1]));
	assert_int_equal(passes->pairs[3].second, 0);
	assert_null(result_find_passes(&result, "copy"));
	result_release(&result);
	assert_int_equal(result.n_kept, 0);
}

/* Which matrix is found for a name and a statistic: its place, or -1. */
static void a_matrix_is_found_by_name_and_statistic(void **state)
{
	static const char *const has[][2] = {{"writer", "min"},
		{"reader", "min"}, {"writer", "median"}, {"reader", "p10"}};
	static const struct {
		const char *name, *statistic;
		int place;
	} cases[] = {
		{NULL, NULL, 2},
		{NULL, "min", 0},
		{NULL, "p10", -1},
		{"writer", NULL, 2},
		{"reader", NULL, 1},
		{"reader", "p10", 3},
		{"reader", "median", -1},
		{"copy", NULL, -1},
	};
	struct result result;

	(void)state;
	result_init(&result);
	for (size_t i = 0; i < 4; i++)
		assert_non_null(result_add_matrix(&result, has[i][0], has[i][1],
			"GiB/s", NULL, true, false));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct matrix *found = result_find_matrix(
			&result, cases[i].name, cases[i].statistic);

		if (cases[i].place < 0)
			assert_null(found);
		else
			assert_ptr_equal(
				found, &result.matrices[cases[i].place]);
	}
	result_release(&result);
}

/* A number that names its matrix, its row's CPU and its column's. */
static double name_cell(size_t matrix, unsigned row, unsigned column)
{
	return 1e6 * (double)matrix + 1e3 * row + column;
}

static void reordering_moves_rows_and_columns(void **state)
{
	enum {
		N = 50,
		MATRICES = 3
	};
	struct stat_random random;
	struct cpu_list order = {0};
	struct result result;
	uint32_t places[N];

	(void)state;
	stat_random_init(&random, 7);
	result_init(&result);
	for (unsigned i = 0; i < N; i++)
		cpu_list_add(&result.cpus, 3 * i, NULL);
	for (size_t m = 0; m < MATRICES; m++) {
		struct matrix *matrix = result_add_matrix(
			&result, "m", "median", "ns", NULL, false, false);

		assert_non_null(matrix);
		for (unsigned i = 0; i < N * N; i++)
			matrix->values[i] =
				name_cell(m, 3 * (i / N), 3 * (i % N));
	}
	stat_shuffle(&random, places, N);
	for (size_t i = 0; i < N; i++)
		cpu_list_add(&order, 3 * places[i], NULL);
	assert_int_equal(result_reorder(&result, &order, NULL), 0);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(result.cpus.cpus[i], order.cpus[i]);
	for (size_t m = 0; m < MATRICES; m++) {
		for (size_t i = 0; i < N * N; i++)
			assert_true(result.matrices[m].values[i] ==
				    name_cell(m, order.cpus[i / N],
					    order.cpus[i % N]));
	}
	cpu_list_release(&order);
	result_release(&result);
}

/* A pair is the same two CPUs as before, wherever they stand. */
static void reordering_leaves_pairs_their_cpus(void **state)
{
	static const unsigned cpus[][2] = {{0, 2}, {2, 5}, {5, 0}};
	struct cpu_list order = {0};
	struct result result, same;

	(void)state;
	sample_result(&result);
	sample_result(&same);
	assert_int_equal(cpu_list_parse(&order, "2,5,0", NULL), 0);
	assert_int_equal(result_reorder(&result, &order, NULL), 0);
	for (size_t p = 0; p < 3; p++) {
		const struct cpu_pair *pair = &result.kept[0].pairs[p];

		assert_int_equal(result.cpus.cpus[pair->first], cpus[p][0]);
		assert_int_equal(result.cpus.cpus[pair->second], cpus[p][1]);
	}
	sample_assert_values(result.kept[0].values, same.kept[0].values, 6);
	cpu_list_release(&order);
	result_release(&result);
	result_release(&same);
}

static void reordering_wants_a_permutation(void **state)
{
	static const char *const cases[][2] = {
		{"0,2", "an order of 2 CPUs does not fit a result of 3"},
		{"0,2,5,7", "an order of 4 CPUs does not fit a result of 3"},
		{"5,0,3", "CPU 3 is not in the result"},
	};
	struct result result, same;

	(void)state;
	sample_result(&result);
	sample_result(&same);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpu_list order = {0};
		struct error err;

		assert_int_equal(cpu_list_parse(&order, cases[i][0], NULL), 0);
		assert_int_equal(
			result_reorder(&result, &order, &err), -EINVAL);
		assert_string_equal(err.text, cases[i][1]);
		sample_assert_values(
			result.matrices[0].values, same.matrices[0].values, 9);
		cpu_list_release(&order);
	}
	result_release(&result);
	result_release(&same);
}

static void reordering_nothing_is_fine(void **state)
{
	struct cpu_list order = {0};
	struct result result;

	(void)state;
	result_init(&result);
	assert_int_equal(result_reorder(&result, &order, NULL), 0);
	result_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_result_is_released),
		cmocka_unit_test(new_matrices_are_missing),
		cmocka_unit_test(new_series_are_missing),
		cmocka_unit_test(new_passes_are_missing),
		cmocka_unit_test(a_matrix_is_found_by_name_and_statistic),
		cmocka_unit_test(reordering_moves_rows_and_columns),
		cmocka_unit_test(reordering_leaves_pairs_their_cpus),
		cmocka_unit_test(reordering_wants_a_permutation),
		cmocka_unit_test(reordering_nothing_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
