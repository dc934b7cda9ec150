/* One record made of several runs: values, intervals, facts and curves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "result/runs.h"

#define RUNS 5

/* A run with one pair, one curve, and the interval of its passes. */
static void make_run(struct result *run, double value)
{
	static const char *const statistics[] = {
		"median", "ci_low", "ci_high", "p10", "p90", "passes"};
	const double values[] = {
		value, value - 1, value + 1, value - 2, value + 2, 100};
	const struct curve_facts facts = {.family = "latency",
		.member = "add",
		.x_name = "CPUs",
		.y_unit = "ns"};
	struct curve *curve;

	result_init(run);
	run->command = strdup("latency");
	run->complete = true;
	run->elapsed_s = 1;
	assert_int_equal(cpu_list_parse(&run->cpus, "0-1", NULL), 0);
	for (size_t i = 0; i < 6; i++) {
		struct matrix *matrix = result_add_matrix(
			run, "latency", statistics[i], "ns", NULL, false, true);

		assert_non_null(matrix);
		matrix->values[1] = matrix->values[2] = values[i];
	}
	curve = result_add_curve(run, &facts, 2);
	assert_non_null(curve);
	for (size_t k = 0; k < 2; k++)
		curve_set(curve, k, 1 + (double)k,
			(const double[]){value, value - 1, value + 1});
	run->run.known = true;
	run->run.passes = 100;
	run->run.pairs = 1;
	run->run.jobs = 1;
	run->run.memory_bound = 1;
	run->run.pages = strdup("thp");
}

static void make_runs(struct result runs[RUNS], const struct result *all[RUNS])
{
	static const double values[RUNS] = {10, 30, 20, 50, 40};

	for (size_t r = 0; r < RUNS; r++) {
		make_run(&runs[r], values[r]);
		all[r] = &runs[r];
	}
}

static void release(struct result runs[RUNS], struct result *merged)
{
	result_release(merged);
	for (size_t r = 0; r < RUNS; r++)
		result_release(&runs[r]);
}

static double cell(const struct result *result, const char *statistic)
{
	const struct matrix *matrix =
		result_find_matrix(result, "latency", statistic);

	assert_non_null(matrix);
	return matrix->values[1];
}

static void a_value_is_the_median_of_the_runs(void **state)
{
	const struct result *all[RUNS];
	struct result runs[RUNS], merged;

	(void)state;
	make_runs(runs, all);
	assert_int_equal(runs_merge(&merged, all, RUNS, NULL), 0);
	assert_string_equal(merged.run.interval, "range");
	assert_true(cell(&merged, "median") == 30);
	assert_true(cell(&merged, "ci_low") == 10);
	assert_true(cell(&merged, "ci_high") == 50);
	assert_true(cell(&merged, "passes") == 500);
	assert_true(merged.curves->median[1] == 30);
	assert_true(merged.curves->low[1] == 10);
	assert_true(merged.curves->high[1] == 50);
	release(runs, &merged);
}

static void a_single_run_keeps_its_intervals(void **state)
{
	const struct result *all[RUNS];
	struct result runs[RUNS], merged;

	(void)state;
	make_runs(runs, all);
	assert_int_equal(runs_merge(&merged, all, 1, NULL), 0);
	assert_string_equal(merged.run.interval, "passes");
	assert_true(cell(&merged, "ci_low") == 9);
	assert_true(cell(&merged, "ci_high") == 11);
	assert_true(merged.curves->low[1] == 9);
	release(runs, &merged);
}

static void points_with_names_match_by_name(void **state)
{
	static const char *const names[][2] = {
		{"same LLC (34 ns)", "same LLC (94 ns)"},
		{"same LLC (30 ns)", "same LLC (99 ns)"},
		{"same LLC (94 ns)", "same LLC (130 ns)"}};
	const struct result *all[RUNS];
	struct result runs[RUNS], merged;

	(void)state;
	make_runs(runs, all);
	for (size_t r = 0; r < 3; r++) {
		assert_true(curve_name_x(runs[r].curves, names[r]));
		runs[r].curves->median[1] = 100 + (double)r;
	}
	runs[2].curves->median[0] = 104;
	assert_int_equal(runs_merge(&merged, all, 3, NULL), 0);
	assert_string_equal(curve_x_name(merged.curves, 2), names[0][1]);
	assert_true(merged.curves->median[0] == 20);
	assert_true(merged.curves->low[1] == 100);
	assert_true(merged.curves->high[1] == 104);
	release(runs, &merged);
}

static void the_record_tells_the_worst_of_its_runs(void **state)
{
	const struct result *all[RUNS];
	struct result runs[RUNS], merged;

	(void)state;
	make_runs(runs, all);
	free(runs[3].run.pages);
	runs[3].run.pages = strdup("4k");
	runs[1].run.jobs = 8;
	runs[1].run.jobs_bias = 0.01;
	runs[1].run.jobs_chosen = 1;
	runs[2].run.jobs = 4;
	runs[2].run.jobs_bias = -0.02;
	runs[2].run.jobs_chosen = 0;
	runs[4].run.memory_bound = 0;
	assert_int_equal(runs_merge(&merged, all, RUNS, NULL), 0);
	assert_string_equal(merged.run.pages, "4k");
	assert_int_equal(merged.run.jobs, 8);
	assert_true(merged.run.jobs_bias == -0.02);
	assert_int_equal(merged.run.jobs_chosen, 0);
	assert_int_equal(merged.run.memory_bound, 0);
	assert_int_equal(merged.run.passes, 500);
	assert_true(merged.elapsed_s == 5);
	release(runs, &merged);
}

/* Five values 10 apart, with intervals of 2. */
static void the_spread_of_points_is_that_of_the_runs(void **state)
{
	const struct result *all[RUNS];
	struct result runs[RUNS], merged;
	struct runs_points points;
	double within = 2 / 3.92;

	(void)state;
	make_runs(runs, all);
	assert_int_equal(runs_merge(&merged, all, RUNS, NULL), 0);
	merged.runs = runs;
	merged.n_runs = RUNS;
	points = runs_points_of(&merged);
	assert_true(fabs(points.widest_half - 20 / 30.0) < 1e-9);
	assert_true(fabs(points.sd_median - within / 30) < 1e-9);
	assert_true(
		fabs(points.sd_runs - sqrt(250 - within * within) / 30) < 1e-9);
	/* Passes explain what is less than they leave. */
	for (size_t r = 0; r < RUNS; r++) {
		for (size_t k = 0; k < 2; k++) {
			runs[r].curves->low[k] = 0;
			runs[r].curves->high[k] = 100;
		}
	}
	points = runs_points_of(&merged);
	assert_true(points.sd_runs == 0);
	merged.runs = NULL;
	merged.n_runs = 0;
	release(runs, &merged);
}

/* Runs whose latency follows the clock, half as far, and not at all. */
static void the_clock_explains_what_follows_it(void **state)
{
	static const double slopes[] = {-1, -0.5, 0, 1, -3};
	static const double explained[] = {1, 0.5, 0, 0, 1};
	static const double ghz[RUNS] = {3, 3.3, 3.1, 3.2, 3.4};
	double logs = 0, squares = 0, sd;

	(void)state;
	for (size_t r = 0; r < RUNS; r++) {
		logs += log(ghz[r]) / RUNS;
		squares += log(ghz[r]) * log(ghz[r]);
	}
	sd = sqrt((squares - RUNS * logs * logs) / (RUNS - 1));
	for (size_t i = 0; i < 5; i++) {
		const struct result *all[RUNS];
		struct result runs[RUNS], merged;

		for (size_t r = 0; r < RUNS; r++) {
			make_run(&runs[r], 100 * pow(ghz[r], slopes[i]));
			all[r] = &runs[r];
			facts_set_number(
				&runs[r].run.other, RUNS_CLOCK, ghz[r]);
		}
		assert_int_equal(runs_merge(&merged, all, RUNS, NULL), 0);
		assert_true(facts_number(&merged.run.other, RUNS_CLOCK) == 3.2);
		assert_int_equal(
			runs_add_deviations(&merged, all, RUNS, NULL), 0);
		assert_true(fabs(cell(&merged, "sd_clock") /
					    cell(&merged, "median") -
				    explained[i] * sd) < 1e-9);
		release(runs, &merged);
	}
}

/* Two do not tell a slope. */
static void two_clocks_explain_nothing(void **state)
{
	const struct result *all[RUNS];
	struct result runs[RUNS], merged;

	(void)state;
	make_runs(runs, all);
	facts_set_number(&runs[0].run.other, RUNS_CLOCK, 3);
	facts_set_number(&runs[1].run.other, RUNS_CLOCK, 4);
	assert_int_equal(runs_merge(&merged, all, RUNS, NULL), 0);
	assert_int_equal(runs_add_deviations(&merged, all, RUNS, NULL), 0);
	assert_null(result_find_matrix(&merged, "latency", "sd_clock"));
	assert_non_null(result_find_matrix(&merged, "latency", "sd_runs"));
	release(runs, &merged);
}

static void runs_are_complete_if_each_is(void **state)
{
	const struct result *all[RUNS];
	struct result runs[RUNS], merged;

	(void)state;
	make_runs(runs, all);
	runs[RUNS - 1].complete = false;
	assert_int_equal(runs_merge(&merged, all, RUNS, NULL), 0);
	assert_false(merged.complete);
	result_release(&merged);
	runs[RUNS - 1].complete = true;
	assert_int_equal(runs_merge(&merged, all, RUNS, NULL), 0);
	assert_true(merged.complete);
	release(runs, &merged);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_value_is_the_median_of_the_runs),
	cmocka_unit_test(a_single_run_keeps_its_intervals),
	cmocka_unit_test(points_with_names_match_by_name),
	cmocka_unit_test(the_record_tells_the_worst_of_its_runs),
	cmocka_unit_test(the_spread_of_points_is_that_of_the_runs),
	cmocka_unit_test(the_clock_explains_what_follows_it),
	cmocka_unit_test(two_clocks_explain_nothing),
	cmocka_unit_test(runs_are_complete_if_each_is),
};

CASE_GROUP(cases);
