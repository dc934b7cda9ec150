/* JSON files: the golden file, what comes back, what is refused and how. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../case_group.h"
#include "result/format.h"
#include "sample.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A whole file with room for a matrix's members and for other keys. */
#define HEAD                                                                   \
	"{\"format\": \"c2c-result\", \"version\": 1, \"command\": \"x\","     \
	" \"complete\": true, "
#define WORDS                                                                  \
	"\"name\": \"n\", \"statistic\": \"s\", \"unit\": \"u\","              \
	" \"better\": \"lower\", \"symmetric\": false, "
#define MATRIX(values)                                                         \
	HEAD "\"cpus\": [0, 1], \"matrices\": [{" WORDS "\"values\": " values  \
	     "}]}"

static void golden_file_is_written(void **state)
{
	struct result result;
	char *text, *golden = sample_golden("result.json");

	(void)state;
	sample_result(&result);
	text = sample_text(&result, result_write_json);
	assert_string_equal(text, golden);
	free(text);
	free(golden);
	result_release(&result);
}

static void golden_file_comes_back(void **state)
{
	char *text, *golden = sample_golden("result.json");
	struct result result, expected;

	(void)state;
	sample_result(&expected);
	assert_int_equal(sample_read(&result, golden, NULL), 0);
	assert_string_equal(result.command, expected.command);
	assert_string_equal(result.started, expected.started);
	assert_true(result.elapsed_s == 9.876543);
	assert_true(result.complete);
	assert_string_equal(result.hwloc_xml, expected.hwloc_xml);
	sample_assert_facts(&result.tool, &expected.tool);
	sample_assert_facts(&result.machine, &expected.machine);
	sample_assert_facts(&result.options, &expected.options);
	assert_true(result.run.known);
	assert_int_equal(result.run.passes, 40);
	assert_true(result.run.halves == expected.run.halves);
	assert_int_equal(result.run.verdict, RUN_AGREES);
	assert_true(json_equal(result.extra.object, expected.extra.object));
	assert_int_equal(result.cpus.n, 3);
	assert_int_equal(result.cpus.cpus[2], 5);
	assert_int_equal(result.n_matrices, 2);
	assert_string_equal(result.matrices[0].quantity, "one-way");
	assert_true(result.matrices[0].symmetric);
	assert_null(result.matrices[0].extra.object);
	sample_assert_values(
		result.matrices[0].values, expected.matrices[0].values, 9);
	assert_null(result.matrices[1].quantity);
	assert_true(result.matrices[1].higher_is_better);
	assert_true(json_equal(result.matrices[1].extra.object,
		expected.matrices[1].extra.object));
	/* Six digits are kept. */
	assert_true(result.matrices[1].values[1] == 0.123457);
	assert_int_equal(result.n_curves, 1);
	sample_assert_values(result.curves[0].x, expected.curves[0].x, 3);
	sample_assert_values(
		result.curves[0].median, expected.curves[0].median, 3);
	assert_string_equal(result.curves[0].facts.member, "reader");
	/* A field that no table reads would be here. */
	assert_true(json_equal(result.curves[0].extra.object,
		expected.curves[0].extra.object));
	assert_int_equal(result.n_kept, 2);
	assert_string_equal(result.kept[0].name, "latency");
	assert_string_equal(result.kept[0].unit, "ns");
	assert_int_equal(result.kept[0].n_pairs, 3);
	assert_int_equal(result.kept[0].n_passes, 2);
	assert_memory_equal(result.kept[0].pairs, expected.kept[0].pairs,
		3 * sizeof(struct cpu_pair));
	sample_assert_values(
		result.kept[0].start_s, expected.kept[0].start_s, 2);
	sample_assert_values(result.kept[0].values, expected.kept[0].values, 6);
	assert_true(json_equal(
		result.kept[0].extra.object, expected.kept[0].extra.object));
	assert_int_equal(result.kept[1].n_passes, 0);
	text = sample_text(&result, result_write_json);
	assert_string_equal(text, golden);
	free(text);
	free(golden);
	result_release(&result);
	result_release(&expected);
}

/* A number as a matrix of one CPU shows it. */
static void numbers_are_short(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{53.1, "53.1"},
		{0.1 + 0.2, "0.3"},
		{123.456789, "123.457"},
		{-0.0, "0"},
		{0, "0"},
		{999999.4, "999999"},
		{999999.5, "1000000"},
		{123456789.25, "123456789"},
		{999999999999999.9, "1e+15"},
		{1e15, "1e+15"},
		{999999999999999, "999999999999999"},
		{-42, "-42"},
		{1e-320, "9.99989e-321"},
		{1.7e308, "1.7e+308"},
		{NAN, "null"},
		{INFINITY, "null"},
		{-INFINITY, "null"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct result result;
		char expected[64], *text;

		result_init(&result);
		result.command = strdup("latency");
		cpu_list_add(&result.cpus, 0, NULL);
		result_add_matrix(&result, "m", "s", "u", NULL, false, true)
			->values[0] = cases[i].value;
		text = sample_text(&result, result_write_json);
		snprintf(expected, sizeof(expected), "\n      [%s]\n",
			cases[i].text);
		assert_non_null(strstr(text, expected));
		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "inf"));
		free(text);
		result_release(&result);
	}
}

static void an_empty_result_is_written_and_read(void **state)
{
	struct result result;
	char *text;

	(void)state;
	result_init(&result);
	result.command = strdup("info");
	text = sample_text(&result, result_write_json);
	result_release(&result);
	assert_non_null(strstr(text, "\"elapsed_s\": null"));
	assert_non_null(strstr(text, "\"complete\": false"));
	assert_non_null(strstr(text, "\"matrices\": []"));
	assert_null(strstr(text, "curves"));
	assert_null(strstr(text, "passes"));
	assert_int_equal(sample_read(&result, text, NULL), 0);
	assert_true(isnan(result.elapsed_s));
	assert_int_equal(result.machine.n, 0);
	assert_null(result.started);
	assert_null(result.hwloc_xml);
	assert_null(result.extra.object);
	free(text);
	result_release(&result);
}

static void a_short_file_is_enough(void **state)
{
	struct result result;

	(void)state;
	assert_int_equal(sample_read(&result,
				 "\xef\xbb\xbf \n" MATRIX(
					 "[[null, 1], [2.5e0, 3]]") "\n",
				 NULL),
		0);
	assert_int_equal(result.n_matrices, 1);
	assert_true(isnan(result.matrices[0].values[0]));
	assert_true(result.matrices[0].values[1] == 1);
	assert_true(result.matrices[0].values[2] == 2.5);
	assert_null(result.started);
	result_release(&result);
}

/* Bad values within an otherwise good file. */
static void values_are_named_by_their_path(void **state)
{
	static const char *const cases[][2] = {
		{MATRIX("[[null, 1], [2, \"3\"]]"),
			"matrices[0].values[1][1]: found a string, expected a "
			"number or null"},
		{MATRIX("[[null, 1], [true, 3]]"),
			"matrices[0].values[1][0]: found true, expected a "
			"number or null"},
		{MATRIX("[[null, 1], [-0.5, 3]]"),
			"matrices[0].values[1][0]: found -0.5, expected a "
			"number that is not negative"},
		{MATRIX("[[null, 1]]"), "matrices[0].values: found 1 rows, "
					"expected 2, one per CPU"},
		{MATRIX("[[null, 1], [2]]"),
			"matrices[0].values[1]: found 1 columns, expected 2, "
			"one per CPU"},
		{MATRIX("[[null, 1], 2]"), "matrices[0].values[1]: found a "
					   "number, expected an array"},
		{MATRIX("{}"), "matrices[0].values: found an object, expected "
			       "an array"},
		{HEAD "\"cpus\": [], \"matrices\": [7]}",
			"matrices[0]: found a number, expected an object"},
		{HEAD "\"cpus\": [], \"matrices\": {}}",
			"matrices: found an object, expected an array"},
		{HEAD "\"cpus\": []}",
			"matrices: found nothing, expected an array"},
		{HEAD "\"cpus\": [], \"curves\": null}",
			"curves: found null, expected an array"},
		{HEAD "\"cpus\": [], \"series\": []}",
			"series: found curves as c2c wrote them before "
			"November 2026, expected \"curves\": measure again"},
		{HEAD "\"cpus\": [], \"matrices\": [{\"values\": []}]}",
			"matrices[0].name: found nothing, expected a string"},
		{HEAD "\"matrices\": []}", "cpus: found nothing, expected an "
					   "array of CPU numbers"},
		{HEAD "\"cpus\": [0, 1.5], \"matrices\": []}",
			"cpus[1]: found 1.5, expected a whole number from 0 to "
			"1048575"},
		{HEAD "\"cpus\": [0, -1], \"matrices\": []}",
			"cpus[1]: found -1, expected a whole number from 0 to "
			"1048575"},
		{HEAD "\"cpus\": [4, 1048576], \"matrices\": []}",
			"cpus[1]: found 1048576, expected a whole number from "
			"0 to 1048575"},
		{HEAD "\"cpus\": [4, 3, 4], \"matrices\": []}",
			"cpus[2]: found CPU 4 for the second time, expected "
			"every CPU once"},
		{"[]", "found an array, expected an object: "
		       "the record of a measurement"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		sample_refused(cases[i][0], cases[i][1]);
}

/* One change to the golden file each: old, new, message. */
static void changes_to_a_good_file_are_named(void **state)
{
	static const char *const cases[][3] = {
		{"c2c-result", "c2c-analysis",
			"format: found 'c2c-analysis', expected 'c2c-result'"},
		{"\"c2c-result\"", "1",
			"format: found a number, expected the string "
			"\"c2c-result\""},
		{"\"version\": 1,", "\"version\": 3,",
			"version: found 3, expected at most 2: a newer c2c "
			"wrote this file, update c2c to read it"},
		{"\"version\": 1,", "\"version\": 0,",
			"version: found 0, expected 1 or more"},
		{"\"version\": 1,", "\"version\": 1.0,",
			"version: found a number, expected a whole number"},
		{"\"latency\"", "null",
			"command: found null, expected a string"},
		/* Escape, delete, and CSI as one character, a C1 control. */
		{"\"latency\"", "\"la\\u001b[2Jtency\"",
			"command: found control characters, expected text "
			"without "
			"control characters"},
		{"\"hostname\": \"true\"", "\"hostname\": \"a\x7f\"",
			"machine: found control characters, expected text "
			"without "
			"control characters"},
		{"\"hostname\": \"true\"", "\"host\\u009bname\": true",
			"machine: found control characters, expected text "
			"without "
			"control characters"},
		{"Gr\303\266\303\237e", "two\\nlines",
			"machine: found control characters, expected text "
			"without "
			"control characters"},
		{"\"machine\": {", "\"new\": \"\\u009b\", \"machine\": {",
			"an unknown key: found control "
			"characters, expected text without control characters"},
		{"\"2026-11-21T03:01:25Z\"", "2026",
			"started: found a number, expected a string or null"},
		{"9.876543", "\"9.9\"",
			"elapsed_s: found a string, expected a number or null"},
		/* Added to another it would be no number that JSON has. */
		{"9.876543", "1.7e308",
			"elapsed_s: found 1.7e+308, expected a number from 0 "
			"to 1e+12"},
		{"9.876543", "-1",
			"elapsed_s: found -1, expected a number from 0 to "
			"1e+12"},
		{"\"options\": {", "\"options\": {\"chunk_bytes\": \"512\",",
			"options.chunk_bytes: found a string, expected a whole "
			"number or null"},
		{"\"complete\": true", "\"complete\": 1",
			"complete: found a number, expected true or false"},
		{"\"machine\": {", "\"machine\": [], \"other\": {",
			"machine: found an array, expected an object or null"},
		{"\"run\": {", "\"run\": \"\", \"other\": {",
			"run: found a string, expected an object or null"},
		{"\"better\": \"lower\"", "\"better\": \"\"",
			"matrices[0].better: found nothing, expected 'lower' "
			"or 'higher'"},
		{"\"better\": \"lower\"", "\"better\": \"less\"",
			"matrices[0].better: found 'less', expected 'lower' or "
			"'higher'"},
		{"\"symmetric\": true", "\"symmetric\": null",
			"matrices[0].symmetric: found null, expected true or "
			"false"},
		{"\"one-way\"", "false",
			"matrices[0].quantity: found false, expected a string "
			"or null"},
		{"[null, 53.1, 150.25]", "[null, 53.2, 150.25]",
			"matrices[0].values: found 53.1 from CPU 2 to CPU 0 "
			"and 53.2 back, expected equal values in a symmetric "
			"matrix"},
		{"\"family\": \"sweep\"", "\"family\": []",
			"curves[0].family: found an array, expected a string"},
		{"\"x\": {", "\"X\": {",
			"curves[0].x: found nothing, expected an object"},
		{"\"unit\": \"bytes\"", "\"unit\": 8",
			"curves[0].x.unit: found a number, expected a string "
			"or null"},
		{"\"kind\": \"bytes\"", "\"kind\": \"B\"",
			"curves[0].x.kind: found 'B', expected a word like "
			"'amounts'"},
		{"\"statistic\": \"median\", \"mark\"",
			"\"statistic\": \"p5\", \"mark\"",
			"curves[0].statistic: found 'p5', expected a word like "
			"'median'"},
		{"\"mark\": null", "\"mark\": 1",
			"curves[0].mark: found a number, expected an object or "
			"null"},
		{"\"fit\": null", "\"fit\": {\"overhead_ns\": [1]}",
			"curves[0].fit.overhead_ns: found 1 values, expected "
			"3: middle, low and high"},
		{"\"low\": [", "\"LOW\": [",
			"curves[0].low: found nothing, expected an array"},
		{"[64, 1099511627776, 1e+15]", "5",
			"curves[0].x.values: found a number, expected an "
			"array"},
		{"1099511627776, 1e+15]", "1, 1e+200]",
			"curves[0].x.values[2]: found 1e+200, expected a "
			"number from -1e+15 to 1e+15"},
		{"[1.5, null, 2.25]", "[1.5, null, -1.7e308]",
			"curves[0].median[2]: found -1.7e+308, expected a "
			"number from -1e+15 to 1e+15"},
		{"[1.5, null, 2.25]", "[1.5]",
			"curves[0].median: found 1 values, expected 3, one "
			"per value of x"},
		{"[1.5, null, 2.25]", "[1.5, null, {}]",
			"curves[0].median[2]: found an object, expected a "
			"number or null"},
		{"\"passes\": [", "\"passes\": {}, \"other\": [",
			"passes: found an object, expected an array"},
		{"\"passes\": [", "\"passes\": [null,",
			"passes[0]: found null, expected an object"},
		{"\"GiB/s\",\n     \"pairs\"", "5, \"pairs\"",
			"passes[1].unit: found a number, expected a string"},
		{"\"ns\",\n     \"pairs\"", "\"ns\", \"Pairs\"",
			"passes[0].pairs: found nothing, expected an array"},
		{"[2, 5], [5, 0]]", "[2, 5], 5]",
			"passes[0].pairs[2]: found a number, expected an "
			"array"},
		{"[2, 5], [5, 0]]", "[2, 5], [5]]",
			"passes[0].pairs[2]: found 1 CPU numbers, expected 2, "
			"one per end"},
		{"[2, 5], [5, 0]]", "[2, 5], [5, 0.0]]",
			"passes[0].pairs[2][1]: found a number, expected a "
			"whole number"},
		{"[2, 5], [5, 0]]", "[2, 5], [5, 1]]",
			"passes[0].pairs[2][1]: found 1, expected one of cpus"},
		{"[2, 5], [5, 0]]", "[2, 5], [6, 0]]",
			"passes[0].pairs[2][0]: found 6, expected one of cpus"},
		{"[2, 5], [5, 0]]", "[2, 5], [-1, 0]]",
			"passes[0].pairs[2][0]: found -1, expected one of "
			"cpus"},
		{"[2, 5], [5, 0]]", "[2, 5], [0, 2]]",
			"passes[0].pairs[2]: found CPUs 0 and 2 for the second "
			"time, expected every pair once"},
		{"[1.2e-05, null]", "[1.2e-05]",
			"passes[0].start_s: found 1 times, expected 2, one per "
			"pass"},
		{"[1.2e-05, null]", "[1.2e-05, \"\"]",
			"passes[0].start_s[1]: found a string, expected a "
			"number or null"},
		{"\"values\": [\n      [53.1, null, 150.25],",
			"\"values\": 5, \"other\": [[],",
			"passes[0].values: found a number, expected an array"},
		{"[53.25, 1234567, 149]", "[53.25, 1234567]",
			"passes[0].values[1]: found 2 columns, expected 3, one "
			"per pair"},
		{"[53.25, 1234567, 149]", "[53.25, -1234567, 149]",
			"passes[0].values[1][1]: found -1234567, expected a "
			"number that is not negative"},
		{"[53.25, 1234567, 149]", "[53.25, true, 149]",
			"passes[0].values[1][1]: found true, expected a number "
			"or null"},
		{"\"hwloc_xml\": \"", "\"hwloc_xml\": 5, \"xml\": \"",
			"topology.hwloc_xml: found a number, expected a string "
			"or null"},
		{"\"topology\": {", "\"topology\": 5, \"other\": {",
			"topology: found a number, expected an object or null"},
	};
	char *golden = sample_golden("result.json");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = sample_replace(golden, cases[i][0], cases[i][1]);

		sample_refused(text, cases[i][2]);
		free(text);
	}
	free(golden);
}

static void unknown_keys_of_inner_objects_are_kept(void **state)
{
	static const char *const rows[][2] = {
		{"\"mark\": null", "\"mark\": {\"x\": 64.0, "
				   "\"text\": \"here\", \"colour\": 1}"},
		{"\"fit\": null",
			"\"fit\": {\"overhead_ns\": [9.5, null, 10.0], "
			"\"rate_gib_per_s\": [1.5, 1.25, 2.5], "
			"\"half_rate_bytes\": null, \"worst_error\": 0.5, "
			"\"points\": [1, 2]}"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *golden = sample_golden("result.json"), *new, *text;
		struct result result;

		new = sample_replace(golden, rows[i][0], rows[i][1]);
		assert_int_equal(sample_read(&result, new, NULL), 0);
		text = sample_text(&result, result_write_json);
		assert_string_equal(text, new);
		if (i == 0) {
			assert_string_equal(result.curves->mark, "here");
			assert_true(result.curves->mark_x == 64);
		} else {
			assert_true(result.curves->fit->overhead_ns[0] == 9.5);
			assert_true(isnan(result.curves->fit->overhead_ns[1]));
			assert_true(
				result.curves->fit->rate_gib_per_s[2] == 2.5);
			assert_true(isnan(result.curves->fit->half_rate_bytes));
			assert_true(result.curves->fit->worst_error == 0.5);
		}
		result_release(&result);
		free(text);
		free(new);
		free(golden);
	}
}

/* Figures decide what older records say: it is read, and not written. */
static void keys_of_figures_are_dropped(void **state)
{
	char *golden = sample_golden("result.json");
	char *old =
		sample_replace(golden, "\"statistic\": \"median\", \"mark\"",
			"\"statistic\": \"median\", \"place\": \"strip\", "
			"\"drawn\": \"grid\", \"part\": 2, \"mark\"");
	struct result result;
	char *text;

	(void)state;
	assert_int_equal(sample_read(&result, old, NULL), 0);
	text = sample_text(&result, result_write_json);
	assert_string_equal(text, golden);
	result_release(&result);
	free(text);
	free(old);
	free(golden);
}

/* Keys of c2c have dots for objects, those of others stay whole. */
static void unknown_keys_of_a_run_keep_their_dots(void **state)
{
	static const char added[] =
		"\"run\": {\n    \"x\": 5,\n    \"x.y\": 1,\n    \".z\": 2,"
		"\n    \"w.\": 3,";
	char *golden = sample_golden("result.json");
	char *new = sample_replace(golden, "\"run\": {", added), *text;
	struct result result;

	(void)state;
	assert_int_equal(sample_read(&result, new, NULL), 0);
	text = sample_text(&result, result_write_json);
	assert_non_null(strstr(text, "\"x\": 5"));
	assert_non_null(strstr(text, "\"x.y\": 1"));
	assert_non_null(strstr(text, "\".z\": 2"));
	assert_non_null(strstr(text, "\"w.\": 3"));
	result_release(&result);
	free(text);
	free(new);
	free(golden);
}

/* The units tell the kinds of their axes. Two of the units are kinds only. */
static void older_curves_have_no_kinds(void **state)
{
	static const struct {
		const char *name, *unit, *said, *kept;
		enum curve_axis axis;
	} cases[] = {
		{"size", "B", "size", "B", CURVE_BYTES},
		{"time", "ms", "time", "ms", CURVE_RATIOS},
		{"groups", "work-items", "groups", "work-items", CURVE_COUNTS},
		{"rate", "GiB/s", "rate", "GiB/s", CURVE_AMOUNTS},
		{"paths", "number", "paths", NULL, CURVE_AMOUNTS},
		{"words", "per item", "words per item", NULL, CURVE_AMOUNTS},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *golden = sample_golden("result.json"), *old, *new;
		char axis[80];
		struct result result;

		snprintf(axis, sizeof(axis),
			"\"name\": \"%s\", \"unit\": \"%s\"", cases[i].name,
			cases[i].unit);
		old = sample_replace(golden,
			"\"name\": \"chunk\", \"unit\": \"bytes\", "
			"\"kind\": \"bytes\"",
			axis);
		new = sample_replace(old, ", \"kind\": \"amounts\"", "");
		assert_int_equal(sample_read(&result, new, NULL), 0);
		assert_string_equal(result.curves->facts.x_name, cases[i].said);
		if (cases[i].kept)
			assert_string_equal(
				result.curves->facts.x_unit, cases[i].kept);
		else
			assert_null(result.curves->facts.x_unit);
		assert_int_equal(result.curves->facts.x_axis, cases[i].axis);
		assert_int_equal(result.curves->facts.y_axis, CURVE_AMOUNTS);
		result_release(&result);
		free(new);
		free(old);
		free(golden);
	}
}

/* Where jansson gives up; its words are its own. */
/* A result with a level of caches, memory and a TLB as JSON, for free(). */
static char *caches_text(void)
{
	struct result result;
	struct cache_level *level;
	struct cache_tlb *tlb;
	char *text;

	result_init(&result);
	result.command = strdup("cache");
	level = result_add_cache(&result, "L1d");
	assert_non_null(level);
	level->level = 1;
	level->least_bytes = 46336;
	level->most_bytes = 55104;
	level->line_bytes = 64;
	level->ns = 1.394;
	level->clocks = 4.99;
	level->rates[1] = 213.5;
	level->reported_bytes = 49152;
	level->reported_ways = 12;
	level->size_verdict = CACHE_SAME;
	level->line_verdict = CACHE_HIDDEN;
	level->why = strdup("ways: not measured");
	assert_int_equal(cpu_list_parse(&level->reported_cpus, "3-4", NULL), 0);
	assert_int_equal(cpu_list_parse(&level->cpus, "3", NULL), 0);
	level = result_add_cache(&result, "memory");
	assert_non_null(level);
	level->cpus_why = strdup("not measured");
	level->level = 2;
	level->memory = true;
	level->ns = 97;
	tlb = result_add_tlb(&result);
	assert_non_null(tlb);
	tlb->page_bytes = 4096;
	tlb->least_bytes = 370752;
	tlb->miss_clocks = 6.75;
	text = sample_text(&result, result_write_json);
	result_release(&result);
	return text;
}

static void caches_and_tlbs_come_back(void **state)
{
	char *text = caches_text(), *again;
	const struct cache_level *level;
	struct result result;

	(void)state;
	/* Reading has the same table of keys. */
	assert_non_null(strstr(text, "\"ways\": null, \"ns\": 1.394"));
	assert_int_equal(sample_read(&result, text, NULL), 0);
	assert_int_equal(result.n_caches, 2);
	level = &result.caches[0];
	assert_string_equal(level->name, "L1d");
	assert_int_equal(level->level, 1);
	assert_false(level->memory);
	assert_true(level->least_bytes == 46336);
	assert_true(level->most_bytes == 55104);
	assert_true(level->line_bytes == 64 && isnan(level->ways));
	assert_true(level->ns == 1.394 && level->clocks == 4.99);
	assert_true(isnan(level->rates[0]) && level->rates[1] == 213.5);
	assert_true(
		level->reported_bytes == 49152 && level->reported_ways == 12);
	assert_true(isnan(level->reported_line_bytes));
	assert_int_equal(level->size_verdict, CACHE_SAME);
	assert_int_equal(level->line_verdict, CACHE_HIDDEN);
	assert_int_equal(level->ways_verdict, CACHE_UNKNOWN);
	assert_string_equal(level->why, "ways: not measured");
	assert_int_equal(level->reported_cpus.n, 2);
	assert_int_equal(level->cpus.n, 1);
	assert_null(level->cpus_why);
	assert_string_equal(result.caches[1].cpus_why, "not measured");
	assert_true(result.caches[1].memory && result.caches[1].ns == 97);
	assert_int_equal(result.n_tlbs, 1);
	assert_true(result.tlbs[0].page_bytes == 4096);
	assert_true(result.tlbs[0].miss_clocks == 6.75);
	assert_true(isnan(result.tlbs[0].miss_ns));
	again = sample_text(&result, result_write_json);
	assert_string_equal(again, text);
	result_release(&result);
	free(again);
	free(text);
}

static void unknown_keys_of_caches_are_kept(void **state)
{
	char *text = caches_text(), *more, *again;
	struct result result;

	(void)state;
	more = sample_replace(
		text, "\"name\": \"L1d\"", "\"sectors\": 4, \"name\": \"L1d\"");
	assert_int_equal(sample_read(&result, more, NULL), 0);
	again = sample_text(&result, result_write_json);
	assert_non_null(strstr(again, "\"sectors\": 4"));
	result_release(&result);
	free(again);
	free(more);
	free(text);
}

static void bad_caches_are_named(void **state)
{
	static const char *const cases[][3] = {
		{"\"caches\": [", "\"caches\": 5, \"other\": [",
			"caches: found a number, expected an array"},
		{"\"tlbs\": [", "\"tlbs\": [7,",
			"tlbs[0]: found a number, expected an object"},
		{"\"L1d\"", "null",
			"caches[0].name: found null, expected a string"},
		{"\"level\": 1", "\"level\": 101",
			"caches[0].level: found 101, expected a whole number "
			"from 0 to 100"},
		{"\"level\": 1", "\"level\": 1.5",
			"caches[0].level: found 1.5, expected a whole number "
			"from 0 to 100"},
		{"\"memory\": false", "\"memory\": null",
			"caches[0].memory: found null, expected true or "
			"false"},
		{"46336.0", "\"46336\"",
			"caches[0].least_bytes: found a string, expected a "
			"number or null"},
		{"46336.0", "-1",
			"caches[0].least_bytes: found -1, expected a number "
			"from 0 to 1.1529215e+18"},
		{"46336.0", "1e300",
			"caches[0].least_bytes: found 1e+300, expected a "
			"number from 0 to 1.1529215e+18"},
		{"46336.0", "55105",
			"caches[0]: found least_bytes 55105 above most_bytes "
			"55104, expected an interval"},
		{"\"reported\": {", "\"reported\": [], \"other\": {",
			"caches[0].reported: found an array, expected an "
			"object"},
		{"\"size\": \"same\"", "\"size\": \"Same\"",
			"caches[0].verdicts.size: found 'Same', expected a "
			"word like 'unknown'"},
		{"\"cpus\": [3, 4]", "\"cpus\": [3, 3]",
			"caches[0].reported.cpus[1]: found CPU 3 for the "
			"second "
			"time, expected every CPU once"},
		{"6.75", "true",
			"tlbs[0].miss_clocks: found true, expected a number or "
			"null"},
		{"\"most_bytes\": null, \"miss_ns\"",
			"\"most_bytes\": 1, \"miss_ns\"",
			"tlbs[0]: found least_bytes 370752 above most_bytes 1, "
			"expected an interval"},
	};
	char *text = caches_text();

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *bad = sample_replace(text, cases[i][0], cases[i][1]);

		sample_refused(bad, cases[i][2]);
		free(bad);
	}
	free(text);
}

/* No machine has as many, and no report could show them. */
static void too_many_caches_are_refused(void **state)
{
	static const char head[] = HEAD "\"cpus\": [], \"matrices\": [], "
					"\"caches\": [";
	static const char level[] =
		"{\"name\": \"L\", \"level\": 1, \"memory\": false, "
		"\"gib_per_s\": {}, \"reported\": {}, \"verdicts\": {\"size\": "
		"\"same\", \"line\": \"same\", \"ways\": \"same\"}},";
	size_t n = 10000;
	char *text = malloc(sizeof(head) + n * sizeof(level) + 8), *at;
	struct result result;
	struct error err;

	(void)state;
	assert_non_null(text);
	at = stpcpy(text, head);
	for (size_t i = 0; i < n; i++)
		at = stpcpy(at, level);
	strcpy(at - 1, "]}");
	sample_refused(text, "caches: found 10000 caches, expected at most 16");
	/* Sixteen are read. */
	strcpy(text + sizeof(head) - 1 + 16 * (sizeof(level) - 1) - 1, "]}");
	assert_int_equal(sample_read(&result, text, &err), 0);
	assert_int_equal(result.n_caches, 16);
	result_release(&result);
	free(text);
}

static void too_many_of_a_kind_are_refused(void **state)
{
	static const struct {
		const char *before, *item, *behind;
		size_t n;
		const char *message;
	} cases[] = {
		{"\"matrices\": [", "{}", "]", RESULT_MAX_MATRICES,
			"matrices: found 257 matrices, expected at most 256"},
		{"\"curves\": [", "{}", "]", RESULT_MAX_CURVES,
			"curves: found 16385 curves, expected at most 16384"},
		{"\"curves\": [{\"x\": {\"values\": [", "1", "]}}]",
			RESULT_MAX_POINTS,
			"curves[0].x.values: found 65537 points, expected at "
			"most 65536"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t bytes;
		char *text;
		FILE *out = open_memstream(&text, &bytes);

		fprintf(out, HEAD "\"cpus\": [], %s%s", cases[i].before,
			cases[i].item);
		for (size_t k = 0; k < cases[i].n; k++)
			fprintf(out, ",%s", cases[i].item);
		fprintf(out, "%s}", cases[i].behind);
		fclose(out);
		sample_refused(text, cases[i].message);
		free(text);
	}
}

static void what_rounding_leaves_of_0_is_0(void **state)
{
	struct result result;

	(void)state;
	assert_int_equal(
		sample_read(&result,
			HEAD "\"cpus\": [0, 1], \"matrices\": [{" WORDS
			     "\"values\": [[5e-324, 1e-15], [-9e-16, null]]}]}",
			NULL),
		0);
	assert_true(result.matrices[0].values[0] == 0);
	assert_true(result.matrices[0].values[1] == 1e-15);
	assert_true(result.matrices[0].values[2] == 0);
	result_release(&result);
}

static unsigned takes;

/* No memory the second time: for the inner object, behind the number. */
static void *little_memory(size_t bytes)
{
	return ++takes == 2 ? NULL : malloc(bytes);
}

static void a_fact_without_memory_is_told(void **state)
{
	struct facts facts = {.object = NULL};
	json_malloc_t take;
	json_free_t give;

	(void)state;
	facts_set_count(&facts, "passes", 6);
	json_get_alloc_funcs(&take, &give);
	json_set_alloc_funcs(little_memory, give);
	facts_set_count(&facts, "agreement.even_odd", 1);
	json_set_alloc_funcs(take, give);
	assert_true(facts.failed);
	assert_int_equal(facts.n, 1);
	assert_null(facts_pack(&facts));
	facts_release(&facts);
	facts_set_count(&facts, "agreement.halves", 1);
	assert_false(facts.failed);
	assert_null(json_object_get(facts.object, "agreement.halves"));
	facts_release(&facts);
}

static void broken_syntax_has_line_and_column(void **state)
{
	static const char *const cases[][2] = {
		{"{\n  \"format\" 1\n}",
			"line 2, column 12: found invalid JSON: "},
		{"{\"a\": 1,\n\"a\": 2}", "line 2, column "},
		{"{\n\n", "line 3, column "},
		{"{\"a\": \"\xff\"}", "line 1, column "},
		{"{} x", "line 1, column "},
		{"{\"a\": 1e999}", "line 1, column "},
		{"{\"a\": \"\\u0000\"}", "line 1, column "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct result result;
		struct error err = {.text = ""};

		assert_int_equal(
			sample_read(&result, cases[i][0], &err), -EINVAL);
		if (strncmp(err.text, cases[i][1], strlen(cases[i][1])) != 0)
			fail_msg("'%s' begins not with '%s'", err.text,
				cases[i][1]);
		assert_null(strchr(err.text, '\n'));
	}
}

static void too_many_cpus_are_refused(void **state)
{
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	fputs(HEAD "\"matrices\": [], \"cpus\": [0", out);
	for (unsigned i = 1; i <= RESULT_MAX_CPUS; i++)
		fprintf(out, ",%u", i);
	fputs("]}", out);
	fclose(out);
	sample_refused(text, "cpus: found 16385 CPUs, expected at most 16384");
	free(text);
}

/* A small file must not promise much memory: 2 GiB here. */
static void shapes_are_checked_first(void **state)
{
	struct result result;
	struct error err;
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	fputs(HEAD "\"cpus\": [0", out);
	for (unsigned i = 1; i < RESULT_MAX_CPUS; i++)
		fprintf(out, ",%u", i);
	fputs("], \"matrices\": [{" WORDS "\"values\": [[]", out);
	for (unsigned i = 1; i < RESULT_MAX_CPUS; i++)
		fputs(",[]", out);
	fputs("]}]}", out);
	fclose(out);
	assert_int_equal(sample_read(&result, text, &err), -EINVAL);
	assert_string_equal(err.text,
		"matrices[0].values[0]: found 0 columns, expected 16384, "
		"one per CPU");
	free(text);
}

/* Text that JSON cannot hold must not become half a file. */
static void what_is_not_utf8_is_not_written(void **state)
{
	struct result result;
	struct error err;
	FILE *out = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(out);
	result_init(&result);
	result.command = strdup("late\xffncy");
	assert_int_equal(result_write_json(&result, out, &err), -ENOMEM);
	assert_int_equal(result_write_dat(&result, out, &err), -ENOMEM);
	result.command[4] = '-';
	assert_non_null(result_add_matrix(
		&result, "\xff", "s", "u", NULL, false, false));
	assert_int_equal(result_write_json(&result, out, &err), -ENOMEM);
	assert_string_equal(err.text, "the result has a text that is not "
				      "UTF-8, or c2c is out of memory");
	fclose(out);
	result_release(&result);
}

/* The values of a matrix of two CPUs, read without jansson. */
static bool read_grid(const char *text, double values[4])
{
	struct result result;
	bool read;

	result_init(&result);
	read = format_read_grids(&result, text, strlen(text));
	if (read)
		memcpy(values, result.matrices[0].values, 4 * sizeof(double));
	result_release(&result);
	return read;
}

static void assert_same_numbers(const char *text)
{
	struct result result;
	double values[4];

	assert_int_equal(sample_read(&result, text, NULL), 0);
	assert_true(read_grid(text, values));
	assert_memory_equal(values, result.matrices[0].values, sizeof(values));
	result_release(&result);
}

static void usual_numbers_are_those_of_jansson(void **state)
{
	uint64_t random = 1;

	(void)state;
	assert_same_numbers(MATRIX("[[null,1],[0,0.5]]"));
	assert_same_numbers(MATRIX(
		"\t[\n [ 0.0 , 2.00 ] ,\r\n[null , 999999999999999]\n]"));
	assert_same_numbers(MATRIX("[[0.10000000000001, 0.3], [1.7, 53.1]]"));
	for (unsigned i = 0; i < 2000; i++) {
		char text[512];

		random = random * 6364136223846793005 + 1442695040888963407;
		snprintf(text, sizeof(text),
			MATRIX("[[%u.%u, %u], [%.5g, 0.%u]]"),
			(unsigned)(random >> 40) & 0xffff,
			(unsigned)(random >> 33), (unsigned)(random >> 32),
			(double)(random >> 50), (unsigned)(random >> 36));
		assert_same_numbers(text);
	}
}

/* They are refused, or jansson reads them. */
static void unusual_numbers_are_left_to_jansson(void **state)
{
	static const char *const texts[] = {MATRIX("[[1, 2], [3, -4]]"),
		MATRIX("[[1, 2], [3, -0]]"), MATRIX("[[1, 2], [3, 4e0]]"),
		MATRIX("[[1, 2], [3, 0.1234567890123456]]"),
		MATRIX("[[1, 2], [3, 1234567890123456]]"),
		MATRIX("[[1, 2], [3, 99999999999999999999]]"),
		MATRIX("[[1, 2], [3, 01]]"), MATRIX("[[1, 2], [3, 4.]]"),
		MATRIX("[[1, 2], [3, .4]]"), MATRIX("[[1, 2], [3, 4 5]]"),
		MATRIX("[[1, 2], [3, \"4\"]]"), MATRIX("[[1, 2], [3, 4,]]"),
		MATRIX("[[1, 2], [3, nul]]"), MATRIX("[[1, 2], [3]]"),
		MATRIX("[[1, 2], [3, 4], [5, 6]]"), MATRIX("[[1, 2], 3]"),
		MATRIX("[[1, 2, 3], [4, 5, 6]]"), MATRIX("[[1, 2]]"),
		MATRIX("[[1, 2], [3, 4"), MATRIX("[[1, 2], [3, 4]"),
		MATRIX("[[1, 2], [3, 4]]]"), MATRIX("[[1, 2], [3, 4]] 5"),
		MATRIX("[]"), MATRIX("[[]]"), MATRIX("0"), MATRIX("\"0\""),
		MATRIX("[[1, 2], [3, 4]], \"values\": [[1, 2], [3, 4]]"),
		" " MATRIX("[[1, 2], [3, 4]]"), "{", ""};
	double values[4];

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		if (read_grid(texts[i], values))
			fail_msg("read: %s", texts[i]);
	}
}

/* Whoever writes the number of a grid in place of rows gets none. */
static void a_number_is_no_grid(void **state)
{
	static const char *const values[] = {
		"\"values\": [[1, 2], [3, 4]]", "\"v\\u0061lues\": 0"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct result result;
		struct error err;
		double read[4];
		char text[1024], expected[64];

		snprintf(text, sizeof(text),
			HEAD "\"cpus\": [0, 1], \"matrices\": [{" WORDS
			     "%s}, {" WORDS "%s}]}",
			values[i], values[1 - i]);
		assert_false(read_grid(text, read));
		assert_int_equal(sample_read(&result, text, &err), -EINVAL);
		snprintf(expected, sizeof(expected),
			"matrices[%u].values: found a number, expected an "
			"array",
			1 - i);
		assert_string_equal(err.text, expected);
	}
}

/* Passes and runs are taken too, and nothing else that is called values. */
static void other_values_stay_as_they_are(void **state)
{
	static const char text[] =
		HEAD "\"cpus\": [0, 1], \"matrices\": [{" WORDS
		     "\"values\": [[1, 2], [3, 4]], "
		     "\"odd\": {\"values\": [[7]]}}], "
		     "\"options\": {\"matrices\": [{\"values\": [[7]]}]}, "
		     "\"passes\": [{\"name\": \"n\", \"unit\": \"u\", "
		     "\"pairs\": [[0, 1]], \"start_s\": [0, 1], "
		     "\"values\": [[8], [9]]}], \"runs\": [" HEAD
		     "\"cpus\": [0, 1], \"matrices\": [{" WORDS
		     "\"values\": [[5, null], [null, 6]]}]}], "
		     "\"values\": [[7]], \"more\": {\"values\": [[7]]}}";
	struct result result, plain;
	char *first, *second;

	(void)state;
	result_init(&result);
	assert_true(format_read_grids(&result, text, strlen(text)));
	assert_int_equal(sample_read(&plain, text, NULL), 0);
	assert_true(result.kept[0].values[1] == 9);
	assert_true(result.runs[0].matrices[0].values[3] == 6);
	first = sample_text(&result, result_write_json);
	second = sample_text(&plain, result_write_json);
	assert_string_equal(first, second);
	free(first);
	free(second);
	result_release(&result);
	result_release(&plain);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(golden_file_is_written),
	cmocka_unit_test(golden_file_comes_back),
	cmocka_unit_test(numbers_are_short),
	cmocka_unit_test(an_empty_result_is_written_and_read),
	cmocka_unit_test(a_short_file_is_enough),
	cmocka_unit_test(values_are_named_by_their_path),
	cmocka_unit_test(changes_to_a_good_file_are_named),
	cmocka_unit_test(unknown_keys_of_inner_objects_are_kept),
	cmocka_unit_test(unknown_keys_of_a_run_keep_their_dots),
	cmocka_unit_test(keys_of_figures_are_dropped),
	cmocka_unit_test(older_curves_have_no_kinds),
	cmocka_unit_test(caches_and_tlbs_come_back),
	cmocka_unit_test(unknown_keys_of_caches_are_kept),
	cmocka_unit_test(bad_caches_are_named),
	cmocka_unit_test(too_many_caches_are_refused),
	cmocka_unit_test(too_many_of_a_kind_are_refused),
	cmocka_unit_test(what_rounding_leaves_of_0_is_0),
	cmocka_unit_test(a_fact_without_memory_is_told),
	cmocka_unit_test(broken_syntax_has_line_and_column),
	cmocka_unit_test(too_many_cpus_are_refused),
	cmocka_unit_test(shapes_are_checked_first),
	cmocka_unit_test(what_is_not_utf8_is_not_written),
	cmocka_unit_test(usual_numbers_are_those_of_jansson),
	cmocka_unit_test(unusual_numbers_are_left_to_jansson),
	cmocka_unit_test(a_number_is_no_grid),
	cmocka_unit_test(other_values_stay_as_they_are),
};

CASE_GROUP(cases);
