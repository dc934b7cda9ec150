/* .dat files: the golden file, what comes back, what is refused, gnuplot. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sample.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void golden_file_is_written(void **state)
{
	struct result result;
	char *text, *golden = sample_golden("result.dat");

	(void)state;
	sample_result(&result);
	text = sample_text(&result, result_write_dat);
	assert_string_equal(text, golden);
	free(text);
	free(golden);
	result_release(&result);
}

/* All but the topology, unknown keys of matrices, and nulls of the machine. */
static void golden_file_comes_back(void **state)
{
	char *text, *golden = sample_golden("result.dat");
	struct result result, expected;

	(void)state;
	sample_result(&expected);
	json_object_del(expected.machine, "hypervisor");
	json_object_del(expected.extra, "topology");
	assert_int_equal(sample_read(&result, golden, NULL), 0);
	assert_string_equal(result.command, "latency");
	assert_string_equal(result.started, "2026-11-21T03:01:25Z");
	assert_true(result.elapsed_s == 9.876543);
	assert_true(result.complete);
	assert_null(result.hwloc_xml);
	assert_true(json_equal(result.tool, expected.tool));
	assert_true(json_equal(result.machine, expected.machine));
	assert_true(json_equal(result.options, expected.options));
	assert_true(json_equal(result.run, expected.run));
	assert_true(json_equal(result.extra, expected.extra));
	assert_int_equal(result.cpus.n, 3);
	assert_int_equal(result.cpus.cpus[2], 5);
	assert_int_equal(result.n_matrices, 2);
	assert_string_equal(result.matrices[0].quantity, "one-way");
	assert_true(result.matrices[0].symmetric);
	assert_false(result.matrices[0].higher_is_better);
	sample_assert_values(
		result.matrices[0].values, expected.matrices[0].values, 9);
	assert_string_equal(result.matrices[1].statistic, "p10 of all");
	assert_null(result.matrices[1].quantity);
	assert_true(result.matrices[1].higher_is_better);
	assert_false(result.matrices[1].symmetric);
	assert_int_equal(result.n_series, 1);
	sample_assert_values(result.series[0].x, expected.series[0].x, 3);
	sample_assert_values(result.series[0].y, expected.series[0].y, 3);
	text = sample_text(&result, result_write_dat);
	assert_string_equal(text, golden);
	free(text);
	free(golden);
	result_release(&result);
	result_release(&expected);
}

/* From JSON by way of .dat: the numbers that JSON holds, and the CPUs. */
static void json_to_dat_loses_no_number(void **state)
{
	char *json = sample_golden("result.json"), *dat;
	struct result first, second;

	(void)state;
	assert_int_equal(sample_read(&first, json, NULL), 0);
	dat = sample_text(&first, result_write_dat);
	assert_int_equal(sample_read(&second, dat, NULL), 0);
	assert_int_equal(second.cpus.n, first.cpus.n);
	assert_memory_equal(second.cpus.cpus, first.cpus.cpus,
		first.cpus.n * sizeof(*first.cpus.cpus));
	for (size_t m = 0; m < 2; m++)
		sample_assert_values(
			second.matrices[m].values, first.matrices[m].values, 9);
	sample_assert_values(second.series[0].x, first.series[0].x, 3);
	free(json);
	free(dat);
	result_release(&first);
	result_release(&second);
}

/* Whatever a member is, it comes back with its type. */
static void any_value_survives_a_line(void **state)
{
	static const char *const strings[] = {"", " ", "plain", "two words",
		" leading", "trailing ", "true", "null", "12", "1e5", "1e999",
		"nan", "\"quoted\"", "\"", "[1", "[]", "{}", "{\"a\": 1}",
		"tab\there", "back\\slash", "größer", "# x", "a: b", "-",
		"0x12", "1,2"};
	struct result result, again;
	char *text;

	(void)state;
	result_init(&result);
	result.command = strdup("12");
	result.started = strdup("null");
	result.options = json_object();
	for (size_t i = 0; i < COUNT(strings); i++) {
		char key[16];

		snprintf(key, sizeof(key), "key_%zu", i);
		json_object_set_new(
			result.options, key, json_string(strings[i]));
	}
	json_object_set_new(result.options, "real", json_real(0.1));
	json_object_set_new(result.options, "whole_real", json_real(2));
	json_object_set_new(result.options, "integer", json_integer(-7));
	json_object_set_new(result.options, "false", json_false());
	json_object_set_new(result.options, "array", json_pack("[i, n]", 1));
	json_object_set_new(result.options, "object", json_object());
	text = sample_text(&result, result_write_dat);
	assert_int_equal(sample_read(&again, text, NULL), 0);
	assert_true(json_equal(again.options, result.options));
	assert_string_equal(again.command, "12");
	assert_string_equal(again.started, "null");
	free(text);
	result_release(&result);
	result_release(&again);
}

/* Keys that would break lines or pass for others are left out. */
static void strange_keys_do_no_harm(void **state)
{
	struct result result, again;
	char *text;

	(void)state;
	result_init(&result);
	result.command = strdup("latency");
	result.options =
		json_pack("{s:i, s:i, s:i}", "a\nb", 1, "a: b", 2, "good", 3);
	result.extra = json_pack("{s:i, s:i, s:i, s:i}", "matrix", 1,
		"machine.smt", 2, "", 3, "kept", 4);
	text = sample_text(&result, result_write_dat);
	assert_int_equal(sample_read(&again, text, NULL), 0);
	assert_int_equal(json_object_size(again.options), 1);
	assert_int_equal(json_object_size(again.extra), 1);
	assert_null(again.machine);
	free(text);
	result_release(&result);
	result_release(&again);
}

static void words_may_be_anything(void **state)
{
	static const char *const words[] = {"plain", "two words", "-", "", "\"",
		"\"quoted\"", "back\\slash \"", "tab\t", "12", "größer"};
	struct result result, again;
	char *text;

	(void)state;
	result_init(&result);
	result.command = strdup("latency");
	for (size_t i = 0; i < COUNT(words); i++)
		assert_non_null(result_add_matrix(&result, words[i], words[i],
			words[i], words[i], i % 2, i % 3));
	text = sample_text(&result, result_write_dat);
	assert_int_equal(sample_read(&again, text, NULL), 0);
	assert_int_equal(again.n_matrices, COUNT(words));
	for (size_t i = 0; i < COUNT(words); i++) {
		assert_string_equal(again.matrices[i].name, words[i]);
		assert_string_equal(again.matrices[i].statistic, words[i]);
		assert_string_equal(again.matrices[i].unit, words[i]);
		assert_string_equal(again.matrices[i].quantity, words[i]);
		assert_int_equal(again.matrices[i].higher_is_better, i % 2);
		assert_int_equal(again.matrices[i].symmetric, i % 3 != 0);
	}
	free(text);
	result_release(&result);
	result_release(&again);
}

/* Hands change files: comments, blanks, CR LF, tabs. */
static void edited_files_are_read(void **state)
{
	static const char text[] = "# format: c2c-result\r\n"
				   "# version: 1\r\n"
				   "#\r\n"
				   "# a word\r\n"
				   "# command: latency\r\n"
				   "# Measured on: a Monday\r\n"
				   "# complete: false\r\n"
				   "# machine: ignored\r\n"
				   "# matrices: ignored\r\n"
				   "# other.key: kept\r\n"
				   "# cpus: [4, 1]\r\n"
				   "\r\n"
				   "# matrix:  a b\tc - lower  asymmetric \r\n"
				   "x\t4 1\r\n"
				   " 4 nan\t2.5 \r\n"
				   "1 1e1 nan\r\n"
				   "# the end";
	struct result result;

	(void)state;
	assert_int_equal(sample_read(&result, text, NULL), 0);
	assert_false(result.complete);
	assert_int_equal(result.n_matrices, 1);
	assert_true(result.matrices[0].values[1] == 2.5);
	assert_true(result.matrices[0].values[2] == 10);
	assert_string_equal(
		json_string_value(json_object_get(result.extra, "Measured on")),
		"a Monday");
	assert_string_equal(
		json_string_value(json_object_get(result.extra, "other.key")),
		"kept");
	assert_int_equal(json_object_size(result.extra), 2);
	result_release(&result);
}

static void changes_to_a_good_file_are_named(void **state)
{
	static const char *const cases[][3] = {
		{"# version: 1", "# version: 2",
			"the lines '# key: value': version: found 2, expected "
			"at most 1: a newer c2c wrote this file, update c2c to "
			"read it"},
		{": c2c-result", ": c2c-other",
			"the lines '# key: value': format: found 'c2c-other', "
			"expected 'c2c-result'"},
		{"# complete: true", "# complete: yes",
			"the lines '# key: value': complete: found a string, "
			"expected true or false"},
		{"# cpus: [0, 2, 5]\n", "",
			"the lines '# key: value': cpus: found nothing, "
			"expected an array of CPU numbers"},
		{"# options.seed", "# options.method",
			"line 19: found 'options.method' for the second time, "
			"expected it once"},
		{"Pretended", "Preten\xff",
			"line 11: found text that is not UTF-8, expected "
			"'# key: value'"},
		{"# matrix: latency median ns one-way lower symmetric\n", "",
			"line 25: found 'cpu         0       2       5', "
			"expected '# matrix: ...' before numbers"},
		{"one-way lower", "lower",
			"line 25: found other words after '# matrix:' than "
			"expected: 'name statistic unit quantity|- "
			"lower|higher symmetric|asymmetric'"},
		{"latency median", "late\x1b[1mncy median",
			"matrices[0].name: found control characters, expected "
			"text that a terminal may show"},
		{"one-way lower", "one-way less",
			"line 25: found other words after '# matrix:' than "
			"expected: 'name statistic unit quantity|- "
			"lower|higher symmetric|asymmetric'"},
		{"lower symmetric", "lower symmetrical",
			"line 25: found other words after '# matrix:' than "
			"expected: 'name statistic unit quantity|- "
			"lower|higher symmetric|asymmetric'"},
		{"latency median", "- median",
			"line 25: found other words after '# matrix:' than "
			"expected: 'name statistic unit quantity|- "
			"lower|higher symmetric|asymmetric'"},
		{"rate GiB/s", "rate",
			"line 39: found other words after '# series:' than "
			"expected: 'name x-name x-unit y-name y-unit "
			"y-statistic'"},
		{"rate GiB/s", "rate -",
			"line 39: found other words after '# series:' than "
			"expected: 'name x-name x-unit y-name y-unit "
			"y-statistic'"},
		{"cpu         0       2       5", "cpu 0 3 5",
			"line 26, column 3: found '3', expected CPU 2, as "
			"'# cpus:' has it"},
		{"cpu         0       2       5", "cpu 0 2",
			"line 26, column 4: found nothing, expected CPU 5, as "
			"'# cpus:' has it"},
		{"cpu         0       2       5", "cpu 0 2 5 6",
			"line 26, column 5: found '6', expected the end of the "
			"line"},
		{"2        53.1", "3        53.1",
			"line 28, column 1: found '3', expected CPU 2, as "
			"'# cpus:' has it"},
		{"1234567\n", "12x4567\n",
			"line 28, column 4: found '12x4567', expected a number "
			"or nan"},
		{"1234567\n", "-1\n",
			"line 28, column 4: found -1, expected a number that "
			"is not negative"},
		{"1234567\n", "inf\n",
			"line 28, column 4: found 'inf', expected a number or "
			"nan"},
		{"1234567\n", "0x10\n",
			"line 28, column 4: found '0x10', expected a number or "
			"nan"},
		{"1234567\n", "1e999\n",
			"line 28, column 4: found '1e999', expected a number "
			"or nan"},
		{"1234567\n", "\n",
			"line 28, column 4: found nothing, expected a number "
			"or nan"},
		{"1234567\n", "1234567 8\n",
			"line 28, column 5: found '8', expected the end of the "
			"line"},
		{"1234567\n", "1234568\n",
			"the matrix of line 25: found 1234567 from CPU 5 "
			"to CPU 2 and 1234568 back, expected equal values "
			"in a matrix that says it is symmetric"},
		{"1234567     nan\n", "1234567     nan\n7 8 9 10\n",
			"line 30: found '7 8 9 10', expected a blank line and "
			"'# matrix: ...' or the end"},
		{"64 1.5", "64 1.5 2",
			"line 40, column 3: found '2', expected the end of the "
			"line"},
		{"64 1.5", "64",
			"line 40, column 2: found nothing, expected a number "
			"or nan"},
	};
	char *golden = sample_golden("result.dat");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = sample_replace(golden, cases[i][0], cases[i][1]);

		sample_refused(text, cases[i][2]);
		free(text);
	}
	free(golden);
}

/* How many allocations of jansson until one fails; 0: none does. */
static size_t allocations_left;

static void *allocate(size_t bytes)
{
	if (allocations_left > 0 && --allocations_left == 0)
		return NULL;
	return malloc(bytes);
}

/* Where memory is out a value must not become another one, as a string. */
static void no_value_changes_without_memory(void **state)
{
	static const char *const keys[] = {"smt", "cores", "clock", "hostname"};
	char *golden = sample_golden("result.dat");
	struct result whole;
	bool done = false;

	(void)state;
	assert_int_equal(sample_read(&whole, golden, NULL), 0);
	json_set_alloc_funcs(allocate, free);
	for (size_t n = 1; !done; n++) {
		struct result result;
		int rc;

		allocations_left = n;
		rc = sample_read(&result, golden, NULL);
		done = allocations_left > 0;
		allocations_left = 0;
		if (rc < 0)
			continue;
		/* Not all of it: jansson may drop a letter of a text. */
		for (size_t i = 0; i < COUNT(keys); i++)
			assert_true(json_equal(
				json_object_get(result.machine, keys[i]),
				json_object_get(whole.machine, keys[i])));
		result_release(&result);
	}
	json_set_alloc_funcs(malloc, free);
	result_release(&whole);
	free(golden);
}

static void a_file_cut_short_is_named(void **state)
{
	char *golden = sample_golden("result.dat");

	(void)state;
	*strstr(golden, "5      150.25") = '\0';
	sample_refused(golden, "line 29: found the end of the file, expected a "
			       "row of the matrix");
	*strstr(golden, "cpu         0") = '\0';
	sample_refused(golden, "line 26: found the end of the file, expected a "
			       "line of CPU numbers");
	free(golden);
}

/*
 * What gnuplot reads of result.dat with these words after the file's name: its
 * own table, for free(); NULL when there is no gnuplot.
 */
static char *gnuplot(const char *words)
{
	char script[200], *text = NULL;
	char *const arguments[] = {"gnuplot", "-e", script, NULL};
	size_t room = 0, kept = 0;
	pid_t child;
	int status;
	FILE *in;

	snprintf(script, sizeof(script),
		"set table 'table'; plot 'result.dat' %s", words);
	status = posix_spawnp(
		&child, arguments[0], NULL, NULL, arguments, environ);
	if (status == ENOENT)
		return NULL;
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	in = fopen("table", "r");
	assert_non_null(in);
	if (getdelim(&text, &room, '\0', in) < 0)
		fail_msg("gnuplot wrote nothing");
	fclose(in);
	/* Versions differ in the blanks between columns. */
	for (const char *from = text; *from; from++) {
		if (*from != ' ' || from[1] != ' ')
			text[kept++] = *from;
	}
	text[kept] = '\0';
	return text;
}

static void gnuplot_reads_it(void **state)
{
	struct result result;
	char *text;

	(void)state;
	sample_result(&result);
	assert_int_equal(result_save(&result, "result.dat", NULL), 0);
	result_release(&result);
	text = gnuplot("index 0 matrix rowheaders columnheaders with image");
	if (!text) {
		print_message("skip: gnuplot is not installed\n");
		skip();
		return; /* never, which analysers do not know */
	}
	/* Columns x, y, value: place 2 across, place 0 down, CPUs 5 and 0. */
	assert_non_null(strstr(text, "\n 2 0 150.25"));
	assert_non_null(strstr(text, "\n 0 1 53.1"));
	free(text);
	text = gnuplot("index 1 matrix rowheaders every 1:1:0:1 "
		       "using 1:($2-1):3 with image");
	assert_non_null(text);
	assert_non_null(strstr(text, "\n 0 1 20"));
	free(text);
	text = gnuplot("index 2 using 1:2");
	assert_non_null(text);
	assert_non_null(strstr(text, "\n 64 1.5"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_file_is_written),
		cmocka_unit_test(golden_file_comes_back),
		cmocka_unit_test(json_to_dat_loses_no_number),
		cmocka_unit_test(any_value_survives_a_line),
		cmocka_unit_test(strange_keys_do_no_harm),
		cmocka_unit_test(words_may_be_anything),
		cmocka_unit_test(edited_files_are_read),
		cmocka_unit_test(changes_to_a_good_file_are_named),
		cmocka_unit_test(no_value_changes_without_memory),
		cmocka_unit_test(a_file_cut_short_is_named),
		cmocka_unit_test_setup_teardown(gnuplot_reads_it,
			sample_enter_folder, sample_leave_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
