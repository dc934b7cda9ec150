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

#include "../case_group.h"
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
	assert_null(matrix->extra.object);
	assert_true(matrix->symmetric);
	assert_false(matrix->higher_is_better);
	for (size_t i = 0; i < 16; i++)
		assert_true(isnan(matrix->values[i]));
	assert_int_equal(result.n_matrices, 1);
	result_release(&result);
	assert_int_equal(result.n_matrices, 0);
}

static void new_curves_are_missing(void **state)
{
	char member[] = "reader";
	const struct curve_facts facts = {
		.family = "sweep",
		.member = member,
		.x_name = "chunk",
		.x_unit = "bytes",
		.y_unit = "GiB/s",
	};
	struct curve *curve;
	struct result result;

	(void)state;
	result_init(&result);
	curve = result_add_curve(&result, &facts, 2);
	assert_non_null(curve);
	member[0] = 'X';
	assert_int_equal(curve->n, 2);
	assert_true(isnan(curve->x[1]) && isnan(curve->median[1]));
	assert_true(isnan(curve->low[0]) && isnan(curve->high[0]));
	assert_null(curve->ceiling);
	assert_null(curve->fit);
	assert_string_equal(curve->facts.member, "reader");
	assert_string_equal(curve->facts.x_unit, "bytes");
	assert_string_equal(curve->facts.y_name, "sweep");
	assert_null(curve->facts.test);
	assert_non_null(result_add_curve(&result, &facts, 0));
	assert_int_equal(result.n_curves, 2);
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

/* Of c2c cl; curves of it are over nothing of the kind. */
static void a_matrix_of_a_device_is_over_its_units(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	result.command = strdup("cl");
	assert_string_equal(result_member_word(&result), "CPU");
	assert_non_null(result_add_matrix(
		&result, "latency", "median", "ns", "one-way", false, true));
	assert_string_equal(result_member_word(&result), "unit");
	assert_true(result_is_of_units(&result));
	free(result.command);
	result.command = strdup("latency");
	assert_string_equal(result_member_word(&result), "CPU");
	assert_false(result_is_of_units(&result));
	result_release(&result);
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

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(an_empty_result_is_released),
	cmocka_unit_test(new_matrices_are_missing),
	cmocka_unit_test(new_curves_are_missing),
	cmocka_unit_test(new_passes_are_missing),
	cmocka_unit_test(a_matrix_of_a_device_is_over_its_units),
	cmocka_unit_test(a_matrix_is_found_by_name_and_statistic),
};

CASE_GROUP(cases);
