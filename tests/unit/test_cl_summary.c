/*
 * The text of c2c cl: which figure of a record a line of c2c cl all shows, its
 * share, and the verdict; and curves in clocks.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/cl/cl_clocks.h"
#include "cmd/cl/cl_summary.h"
#include "cmd/cl/cmd_cl.h"
#include "result/file.h"

static void load(const char *name, struct result *result)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	struct error err;

	snprintf(path, sizeof(path), "%s/data/%s", srcdir ? srcdir : ".", name);
	if (result_load(result, path, &err) < 0)
		fail_msg("%s", err.text);
}

static struct cl_summary_figure figure_of(
	const struct result *result, const char *test)
{
	return cl_summary_find_figure(
		result->curves, result->n_curves, test_find(test));
}

static void skip_without_opencl(void)
{
	if (opencl_available(NULL) < 0)
		skip();
}

static void compiling_ahead_takes_the_time_of_all_devices(void **state)
{
	static const char key[] = "compiled_ahead.elapsed_s";
	struct facts run = {0}, first = {0}, none = {0}, second = {0};

	(void)state;
	facts_set_number(&first, key, 2);
	facts_set_number(&second, key, 3);
	cl_record_ahead(&run, &first);
	cl_record_ahead(&run, &none);
	assert_true(facts_number(&run, key) == 2);
	cl_record_ahead(&run, &second);
	assert_true(facts_number(&run, key) == 5);
	facts_release(&run);
	facts_release(&first);
	facts_release(&none);
	facts_release(&second);
}

static void every_test_of_the_article_has_a_figure(void **state)
{
	static const char *const records[] = {
		"h200-cl-all.json", "xeon-16vcpu-cl-all.json"};
	struct result result;

	(void)state;
	for (size_t r = 0; r < 2; r++) {
		load(records[r], &result);
		for (size_t i = 0; test_table[i]; i++) {
			struct cl_summary_figure figure =
				figure_of(&result, test_table[i]->name);

			if (test_table[i]->set != GROUP_SUITE)
				continue;
			print_message(
				"%s: %s\n", records[r], test_table[i]->name);
			assert_true(figure.value > 0);
			assert_non_null(figure.unit);
			assert_in_range(
				strlen(figure.what) + strlen(figure.of), 1, 28);
		}
		result_release(&result);
	}
}

/* CPUs have a native ceiling, other devices a theory. */
static void a_share_names_what_it_is_of(void **state)
{
	static const char *const records[][2] = {
		{"h200-cl-all.json", " % of theory; ok"},
		{"xeon-16vcpu-cl-all.json", " % of its ceiling; ok"}};
	struct result result;
	struct cl_part part;
	char *text;

	(void)state;
	skip_without_opencl();
	for (size_t r = 0; r < 2; r++) {
		load(records[r][0], &result);
		part = (struct cl_part){
			.device = record_object(result.run.tests, "device"),
			.n_curves = result.n_curves};
		text = cl_summary_text(
			&result, &part, test_find("math"), false);
		assert_non_null(text);
		assert_non_null(strstr(text, records[r][1]));
		free(text);
		result_release(&result);
	}
}

/* The figures are those that data/README.md and the pictures show. */
static void figures_are_those_of_the_record(void **state)
{
	struct result result;
	struct cl_summary_figure figure;

	(void)state;
	skip_without_opencl();
	load("xeon-16vcpu-cl-all.json", &result);
	figure = figure_of(&result, "stride");
	/* Of 64 MiB, not of 4 MiB, in lines, and with stride 1. */
	assert_true(figure.value > 204 && figure.value < 206);
	assert_true(fabs(figure.share - 0.65) < 0.01);
	assert_string_equal(figure.unit, "GiB/s");
	assert_string_equal(figure.of, "64 MiB, in lines");
	figure = figure_of(&result, "math");
	assert_true(figure.value > 2325 && figure.value < 2327);
	assert_true(fabs(figure.share - 0.92) < 0.01);
	figure = figure_of(&result, "scale");
	assert_true(figure.value > 11 && isnan(figure.share));
	/* Its ceiling is a curve of its own, which images share. */
	figure = figure_of(&result, "image");
	assert_true(figure.value < 20 && figure.share < 0.02);
	/* The highest of two ceilings. */
	figure = figure_of(&result, "bus");
	assert_true(figure.value > 5 && figure.value < 12);
	assert_true(figure.share < 0.1);
	result_release(&result);
	/* Without rows in vectors the first list names nothing. */
	load("h200-cl-all.json", &result);
	figure = figure_of(&result, "rowcol");
	assert_string_equal(figure.what, "rows read, ");
	assert_string_equal(figure.of, "256 MiB of words");
	assert_true(figure.value > 500 && isnan(figure.share));
	figure = figure_of(&result, "branch");
	assert_true(fabs(figure.value - 31.95) < 0.01);
	result_release(&result);
}

static void a_group_has_its_tests_and_no_other(void **state)
{
	struct cl_arguments arguments = {.test = "all", .group = GROUPS};
	const struct test *test;

	(void)state;
	skip_without_opencl();
	for (size_t i = 0; test_table[i]; i++) {
		test = test_table[i];
		arguments.test = "all";
		arguments.group = GROUPS;
		assert_true(cl_test_is_wanted(&arguments, test));
		arguments.group = GROUP_SUITE;
		assert_true(cl_test_is_wanted(&arguments, test) ==
			    (test->set == GROUP_SUITE));
		arguments.group = GROUP_MEMORY;
		assert_true(cl_test_is_wanted(&arguments, test) ==
			    (test->set == GROUP_MEMORY));
		arguments.test = "stream";
		assert_true(cl_test_is_wanted(&arguments, test) ==
			    (strcmp(test->name, "stream") == 0));
	}
	assert_int_equal(test_find("stream")->set, GROUP_MEMORY);
	assert_int_equal(test_find("rowcol")->set, GROUP_SUITE);
}

static void add_test(struct result *result, const char *name)
{
	struct record row = {0};

	facts_set_text(&row.facts, "test", name);
	facts_set_text(&row.facts, "status", "done");
	facts_set_count(&row.facts, "device.index", 0);
	facts_set_text(&row.facts, "device.name", "a GPU");
	assert_true(run_facts_add_test(&result->run, &row));
	record_release(&row);
}

/* What the summary prints, for free(). */
static char *summary_of(const struct result *result)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	cl_summary_print(out, result, false);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void groups_stand_apart_under_their_names(void **state)
{
	struct result result;
	char *text;

	(void)state;
	skip_without_opencl();
	result_init(&result);
	facts_set_text(&result.options, "method", "all");
	add_test(&result, "local");
	text = summary_of(&result);
	assert_ptr_equal(strstr(text, "a GPU, unknown\n\nsuite "), text);
	assert_null(strstr(text, "memory   main figure"));
	free(text);
	/* In whatever order they ran. */
	add_test(&result, "stream");
	add_test(&result, "branch");
	text = summary_of(&result);
	assert_ptr_equal(strstr(text, "a GPU, unknown\n\nsuite "), text);
	assert_non_null(strstr(text, "\n\nmemory   main figure"));
	assert_true(strstr(text, "\nlocal ") < strstr(text, "\nbranch "));
	assert_true(strstr(text, "\nbranch ") < strstr(text, "\nmemory "));
	assert_true(strstr(text, "\nmemory ") < strstr(text, "\nstream "));
	free(text);
	result_release(&result);
}

static void a_test_without_curves_has_no_figure(void **state)
{
	struct result result;
	struct cl_summary_figure figure;

	(void)state;
	skip_without_opencl();
	result_init(&result);
	figure = figure_of(&result, "local");
	assert_true(isnan(figure.value) && isnan(figure.share));
	assert_null(figure.unit);
	result_release(&result);
}

/* A curve of a test in place of vectors or words, with one point. */
static void add_point(
	struct result *result, const char *test, const char *family, double y)
{
	const struct curve_facts is = {.test = test,
		.family = family,
		.member = "read",
		.x_name = "stride",
		.y_unit = "GiB/s"};
	const double at[3] = {y, y, y};
	struct curve *curve = result_add_curve(result, &is, 1);

	assert_non_null(curve);
	curve_set(curve, 0, 1, at);
}

static void vectors_come_before_words(void **state)
{
	struct result result;
	struct cl_summary_figure figure;

	(void)state;
	skip_without_opencl();
	result_init(&result);
	add_point(&result, "local", "local memory", 20);
	assert_true(figure_of(&result, "local").value == 20);
	add_point(&result, "local", "local memory, in vectors", 10);
	assert_true(figure_of(&result, "local").value == 10);
	add_point(&result, "stride", "global memory, 4 MiB", 30);
	add_point(&result, "stride", "global memory, 4 MiB, in lines", 40);
	figure = figure_of(&result, "stride");
	assert_true(figure.value == 40);
	assert_string_equal(figure.of, "4 MiB, in lines");
	result_release(&result);
}

static void expect_verdict(const char *status, size_t rejected, unsigned wide,
	const char *expected)
{
	struct record test = {0};
	char verdict[CL_SUMMARY_VERDICT_BYTES];

	facts_set_text(&test.facts, "status", status);
	facts_set_count(&test.facts, "wide", wide);
	record_add_list(&test, "rejected");
	for (size_t i = 0; i < rejected; i++)
		record_add_text(&test, "rejected", "too fast");
	cl_summary_verdict(&test, true, verdict);
	assert_string_equal(verdict, expected);
	record_release(&test);
}

static void the_verdict_says_what_is_missing(void **state)
{
	(void)state;
	expect_verdict("done", 0, 0, "ok");
	expect_verdict("done", 0, 3, "ok, 3 wide");
	expect_verdict("done", 1, 0, "1 rejected");
	expect_verdict("done", 2, 1, "2 rejected");
	expect_verdict("timed out", 0, 1, "timed out");
	expect_verdict("failed", 3, 0, "failed, 3 rejected");
}

static void threads_elsewhere_are_no_success(void **state)
{
	struct record test = {0};
	char verdict[CL_SUMMARY_VERDICT_BYTES];

	(void)state;
	facts_set_text(&test.facts, "status", "done");
	facts_set_flag(&test.facts, "threads_where_asked", false);
	cl_summary_verdict(&test, false, verdict);
	assert_string_equal(verdict, "ok");
	cl_summary_verdict(&test, true, verdict);
	assert_string_equal(verdict, "threads elsewhere");
	record_release(&test);
}

/* A test on 4 units at 2 GHz, which runs kernels. */
static struct record clocked_test(void)
{
	struct record test = {0};

	facts_set_number(&test.facts, "core_clock.median_ghz", 2);
	facts_set_count(&test.facts, "device.compute_units", 4);
	facts_set_number(&test.facts, "timing.launch_us", 5);
	return test;
}

/* A point of {16, 8, 32} of a unit: what becomes of it. */
static void expect_clocks(
	const struct record *test, const char *unit, const char *in, double y)
{
	const struct curve_facts is = {
		.family = "f", .member = "m", .x_name = "x", .y_unit = unit};
	struct result result;
	struct curve curve;

	result_init(&result);
	assert_true(curve_init(&curve, &is, 2));
	curve_set(&curve, 1, 3, (double[3]){16, 8, 32});
	assert_int_equal(cl_clocks_add_curve(&curve, test, &result, NULL), 0);
	assert_int_equal(result.n_curves, in ? 1 : 0);
	if (in) {
		const struct curve *got = result.curves;

		assert_string_equal(got->facts.y_unit, in);
		assert_string_equal(got->facts.family, "f");
		assert_true(isnan(got->median[0]) && got->x[1] == 3);
		assert_true(fabs(got->median[1] / y - 1) < 1e-9);
		assert_true(fabs(got->low[1] / y * 2 - 1) < 1e-9);
		assert_true(fabs(got->high[1] / y / 2 - 1) < 1e-9);
	}
	curve_release(&curve);
	result_release(&result);
}

static void rates_are_of_a_clock_and_unit_and_latencies_clocks(void **state)
{
	struct record test = clocked_test();

	(void)state;
	expect_clocks(&test, "GiB/s", "B/clock/unit", 2.147483648);
	expect_clocks(&test, "GFLOP/s", "FLOP/clock/unit", 2);
	expect_clocks(&test, "Gcalls/s", "calls/clock/unit", 2);
	expect_clocks(&test, "ns", "clocks", 32);
	expect_clocks(&test, "ms", NULL, 0);
	expect_clocks(&test, "times", NULL, 0);
	record_release(&test);
}

static void nothing_is_in_clocks_that_nobody_knows(void **state)
{
	struct record test = clocked_test();

	(void)state;
	facts_set_unknown(&test.facts, "core_clock.median_ghz");
	expect_clocks(&test, "GiB/s", NULL, 0);
	expect_clocks(&test, "ns", NULL, 0);
	/* As in a record of before there was a clock. */
	facts_drop(&test.facts, "core_clock");
	expect_clocks(&test, "GiB/s", NULL, 0);
	record_release(&test);
	test = clocked_test();
	facts_drop(&test.facts, "timing");
	expect_clocks(&test, "GiB/s", NULL, 0);
	record_release(&test);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(compiling_ahead_takes_the_time_of_all_devices),
	cmocka_unit_test(every_test_of_the_article_has_a_figure),
	cmocka_unit_test(a_share_names_what_it_is_of),
	cmocka_unit_test(figures_are_those_of_the_record),
	cmocka_unit_test(a_group_has_its_tests_and_no_other),
	cmocka_unit_test(groups_stand_apart_under_their_names),
	cmocka_unit_test(a_test_without_curves_has_no_figure),
	cmocka_unit_test(vectors_come_before_words),
	cmocka_unit_test(the_verdict_says_what_is_missing),
	cmocka_unit_test(threads_elsewhere_are_no_success),
	cmocka_unit_test(rates_are_of_a_clock_and_unit_and_latencies_clocks),
	cmocka_unit_test(nothing_is_in_clocks_that_nobody_knows),
};

CASE_GROUP(cases);
