/*
 * Comparisons of made-up results: what noise does, what a change does, and
 * what cannot be compared.
 */
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
#include "analyze/compare/compare.h"
#include "plot_sample.h"
#include "result/runs.h"
#include "stat/stat.h"

#define RUNS 200

/* Of 200 runs with 5 % each, more than this come once in ten thousand times. */
#define FALSE_MAX 23

/* n CPUs whose pairs have this value, NaN on the diagonal. */
static void make(struct result *result, size_t n, double value)
{
	double values[64 * 64];
	char cpus[16];

	assert_in_range(n, 1, 64);
	for (size_t k = 0; k < n * n; k++)
		values[k] = k / n == k % n ? NAN : value;
	snprintf(cpus, sizeof(cpus), "0-%zu", n - 1);
	plot_sample(result, cpus, values);
}

/* One of about a normal distribution with mean 0 and deviation 1. */
static double deviate(struct stat_random *random)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)stat_random_below(random, 1U << 20) / (1 << 20);
	return sum - 6;
}

/* Passes of every pair with noise of 5 %, and their medians. */
static void keep_passes(struct result *result, size_t n_passes, uint64_t seed)
{
	size_t n = result->cpus.n, column = 0;
	struct passes *passes = result_add_passes(
		result, "latency", "ns", n * (n - 1) / 2, n_passes);
	double *all = calloc(n_passes, sizeof(*all));
	struct stat_random random;

	assert_non_null(passes);
	assert_non_null(all);
	stat_random_init(&random, seed);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = i + 1; j < n; j++, column++) {
			double *cell = &result->matrices->values[i * n + j];

			/* In either order. */
			passes->pairs[column] =
				(i + j) % 2 ? (struct cpu_pair){(uint32_t)j,
						      (uint32_t)i}
					    : (struct cpu_pair){
						      (uint32_t)i, (uint32_t)j};
			for (size_t k = 0; k < n_passes; k++) {
				all[k] = *cell * (1 + 0.05 * deviate(&random));
				passes->values[k * passes->n_pairs + column] =
					all[k];
			}
			*cell = stat_median(all, n_passes);
			result->matrices->values[j * n + i] = *cell;
		}
	}
	free(all);
}

/* Intervals of value +- share. */
static void add_intervals(struct result *result, double share)
{
	size_t n = result->cpus.n;

	for (int high = 0; high < 2; high++) {
		struct matrix *matrix = result_add_matrix(result, "latency",
			high ? "ci_high" : "ci_low", "ns", "one-way", false,
			true);

		assert_non_null(matrix);
		for (size_t k = 0; k < n * n; k++)
			matrix->values[k] = result->matrices[0].values[k] *
					    (1 + (high ? share : -share));
	}
}

static void compare(const struct result *a, const struct result *b,
	const struct analysis *analysis, struct comparison *comparison)
{
	const struct compare_side old = {
		.result = a, .source = "a", .analysis = analysis};
	const struct compare_side new = {.result = b, .source = "b"};

	assert_int_equal(compare_make(&old, &new, false, comparison, NULL), 0);
}

static void near(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-9 * fmax(1, fabs(expected))))
		fail_msg("found %.12g, expected %.12g", found, expected);
}

static double worse_pct(
	const struct compare_matrix *matrix, const struct compare_level *level)
{
	return compare_worse_pct(
		matrix->higher_is_better, level->before, level->change);
}

/* slow: shares of false alarms take many pairs of records. */
static void noise_changes_nothing(void **state)
{
	unsigned pairs = 0, levels = 0;

	(void)state;
	for (uint64_t run = 0; run < RUNS; run++) {
		struct comparison comparison;
		struct result a, b;

		make(&a, 12, 100);
		make(&b, 12, 100);
		keep_passes(&a, 60, 2 * run);
		keep_passes(&b, 45, 2 * run + 1);
		compare(&a, &b, NULL, &comparison);
		assert_int_equal(comparison.matrices->test, COMPARE_PASSES);
		assert_int_equal(comparison.matrices->n_pairs, 66);
		pairs += comparison.matrices->n_better +
				 comparison.matrices->n_worse >
			 0;
		levels += comparison.matrices->levels[0].significant;
		compare_release(&comparison);
		result_release(&a);
		result_release(&b);
	}
	if (pairs > FALSE_MAX || levels > FALSE_MAX)
		fail_msg("%u and %u of %d runs differ", pairs, levels, RUNS);
}

static void a_pair_that_changed_is_found(void **state)
{
	struct comparison comparison;
	const struct compare_matrix *matrix;
	struct result a, b;

	(void)state;
	make(&a, 32, 100);
	make(&b, 32, 100);
	b.matrices->values[3 * 32 + 20] = 120;
	keep_passes(&a, 100, 1);
	keep_passes(&b, 100, 2);
	compare(&a, &b, NULL, &comparison);
	matrix = comparison.matrices;
	assert_true(matrix->significant[3 * 32 + 20]);
	assert_true(matrix->significant[20 * 32 + 3]);
	assert_true(matrix->change[3 * 32 + 20] > 15);
	assert_int_equal(matrix->n_better + matrix->n_worse, 1);
	assert_int_equal(matrix->n_worse, 1);
	/* One pair of 496 moves no level. */
	assert_false(matrix->levels[0].significant);
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

/* A thousand passes weigh no more than twenty blocks of them. */
static void passes_are_put_into_blocks(void **state)
{
	struct comparison comparison;
	struct result a, b;
	double choices = 1;

	(void)state;
	for (int i = 1; i <= 20; i++)
		choices *= (20.0 + i) / i;
	make(&a, 2, 100);
	make(&b, 2, 200);
	keep_passes(&a, 1000, 1);
	keep_passes(&b, 700, 2);
	compare(&a, &b, NULL, &comparison);
	near(comparison.matrices->p[1] * choices / 2, 1);
	near(comparison.matrices->p[2], comparison.matrices->p[1]);
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

static void without_passes_intervals_decide(void **state)
{
	static const struct {
		double before, after, share;
		size_t worse;
	} cases[] = {
		{100, 103, 0.01, 6}, /* 101 and 101.97 */
		{100, 102, 0.01, 0}, /* 101 and 100.98 */
		{100, 97, 0.01, 0},  /* better */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct comparison comparison;
		struct result a, b;

		make(&a, 4, cases[i].before);
		make(&b, 4, cases[i].after);
		add_intervals(&a, cases[i].share);
		compare(&a, &b, NULL, &comparison);
		assert_int_equal(comparison.matrices->test, COMPARE_NONE);
		assert_int_equal(comparison.matrices->n_worse, 0);
		compare_release(&comparison);
		add_intervals(&b, cases[i].share);
		/* One side's passes are not enough. */
		if (i == 0)
			assert_non_null(
				result_add_passes(&b, "latency", "ns", 6, 10));
		compare(&a, &b, NULL, &comparison);
		assert_int_equal(comparison.matrices->test, COMPARE_INTERVALS);
		assert_int_equal(comparison.matrices->n_worse, cases[i].worse);
		assert_int_equal(comparison.matrices->n_better,
			cases[i].after < cases[i].before ? 6 : 0);
		assert_true(isnan(comparison.matrices->p[1]));
		/* Four CPUs: the level follows its pairs. */
		assert_int_equal(comparison.matrices->levels[0].significant,
			cases[i].after != 102);
		compare_release(&comparison);
		result_release(&a);
		result_release(&b);
	}
}

/* Every value doubled: what too few passes cannot tell, intervals may. */
static void few_passes_leave_it_to_intervals(void **state)
{
	(void)state;
	for (size_t n_passes = 1; n_passes <= 4; n_passes++) {
		struct comparison comparison;
		const struct compare_matrix *matrix;
		struct result a, b;

		make(&a, 4, 100);
		make(&b, 4, 200);
		keep_passes(&a, n_passes, 1);
		keep_passes(&b, n_passes, 2);
		compare(&a, &b, NULL, &comparison);
		matrix = comparison.matrices;
		assert_int_equal(matrix->test,
			n_passes < 4 ? COMPARE_NONE : COMPARE_PASSES);
		assert_int_equal(matrix->few_passes, n_passes < 4);
		assert_int_equal(matrix->n_worse, n_passes < 4 ? 0 : 6);
		assert_int_equal(isnan(matrix->p[1]), n_passes < 4);
		compare_release(&comparison);
		/* Intervals that were never found are none. */
		add_intervals(&a, NAN);
		add_intervals(&b, NAN);
		compare(&a, &b, NULL, &comparison);
		assert_int_equal(comparison.matrices->test,
			n_passes < 4 ? COMPARE_NONE : COMPARE_PASSES);
		compare_release(&comparison);
		for (size_t m = 0; m < 2; m++) {
			struct result *result = m ? &b : &a;

			for (size_t k = 0; k < 16; k++) {
				double value = result->matrices[0].values[k];

				result->matrices[1].values[k] = value - 20;
				result->matrices[2].values[k] = value + 20;
			}
		}
		compare(&a, &b, NULL, &comparison);
		matrix = comparison.matrices;
		assert_int_equal(matrix->test,
			n_passes < 4 ? COMPARE_INTERVALS : COMPARE_PASSES);
		assert_int_equal(matrix->n_worse, 6);
		compare_release(&comparison);
		result_release(&a);
		result_release(&b);
	}
}

/* Values that name their pair, with the CPUs of b the other way round. */
static void cpus_are_matched_by_number(void **state)
{
	struct comparison comparison;
	struct result a, b;

	(void)state;
	make(&a, 8, 0);
	make(&b, 8, 0);
	for (size_t i = 0; i < 8; i++) {
		b.cpus.cpus[i] = (unsigned)(7 - i);
		for (size_t j = 0; j < 8; j++) {
			if (i == j)
				continue;
			a.matrices->values[i * 8 + j] = (double)(i * j + 9);
			b.matrices->values[(7 - i) * 8 + 7 - j] =
				(double)(i * j + 9);
		}
	}
	b.matrices->values[7 * 8 + 6] += 2; /* CPUs 0 and 1 */
	b.matrices->values[6 * 8 + 7] += 2;
	compare(&a, &b, NULL, &comparison);
	for (size_t k = 0; k < 64; k++) {
		if (k / 8 != k % 8)
			near(comparison.matrices->change[k],
				k == 1 || k == 8 ? 2 : 0);
	}
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

/* Siblings i and i + 8, two packages of eight, in 16 CPUs. */
static void find_levels(struct analysis *analysis, uint32_t groups[2][16],
	struct analysis_level levels[2])
{
	*analysis = (struct analysis){.levels = levels, .n_levels = 2};
	for (uint32_t i = 0; i < 16; i++) {
		groups[0][i] = i % 8;
		groups[1][i] = i % 8 / 4;
	}
	levels[0] = (struct analysis_level){.kind = ANALYSIS_SMT,
		.nested = true,
		.n_groups = 8,
		.group = groups[0]};
	levels[1] = (struct analysis_level){.kind = ANALYSIS_PACKAGE,
		.nested = true,
		.n_groups = 2,
		.group = groups[1]};
}

/* The cost of a pair at each of its levels. */
static void fill_levels(struct result *result, const double costs[3])
{
	for (size_t i = 0; i < 16; i++) {
		for (size_t j = 0; j < 16; j++) {
			size_t level = i % 8 == j % 8		? 0
				       : i % 8 / 4 == j % 8 / 4 ? 1
								: 2;

			if (i != j)
				result->matrices->values[i * 16 + j] =
					costs[level];
		}
	}
}

static void levels_change_by_their_pairs(void **state)
{
	static const struct {
		const char *name;
		size_t pairs;
		double before, change;
		bool significant;
	} expected[] = {
		{"smt, inside", 8, 10, 1, true},
		{"package, inside", 48, 50, 5, true},
		{"package, between", 64, 150, -15, true},
		{"all pairs", 120, 150, -15, false},
	};
	struct analysis_level groups_levels[2];
	struct comparison comparison;
	struct compare_matrix *matrix;
	struct analysis analysis;
	uint32_t groups[2][16];
	struct result a, b;

	(void)state;
	make(&a, 16, 0);
	make(&b, 16, 0);
	fill_levels(&a, (const double[]){10, 50, 150});
	fill_levels(&b, (const double[]){11, 55, 135});
	add_intervals(&a, 0.01);
	add_intervals(&b, 0.01);
	find_levels(&analysis, groups, groups_levels);
	compare(&a, &b, &analysis, &comparison);
	matrix = comparison.matrices;
	assert_int_equal(matrix->n_levels, 4);
	for (size_t k = 0; k < 4; k++) {
		const struct compare_level *level = &matrix->levels[k];
		char name[32];

		compare_level_name(level, name);
		assert_string_equal(name, expected[k].name);
		assert_int_equal(level->n_pairs, expected[k].pairs);
		near(level->before, expected[k].before);
		near(level->change, expected[k].change);
		if (k < 3)
			assert_int_equal(
				level->significant, expected[k].significant);
	}
	/* Eight pairs of siblings are eight witnesses, not sixteen. */
	assert_true(matrix->levels[0].p > 0.005);
	/* All 16 CPUs have pairs that count for them. */
	assert_true(matrix->levels[1].p < 1e-4);
	near(worse_pct(matrix, &matrix->levels[1]), 10);
	near(worse_pct(matrix, &matrix->levels[2]), -10);
	assert_true(compare_is_worse(matrix->higher_is_better, 5));
	matrix->higher_is_better = true;
	near(worse_pct(matrix, &matrix->levels[2]), 10);
	assert_false(compare_is_worse(matrix->higher_is_better, 5));
	/* 56 of +10 %, 64 of -10 %. */
	near(comparison.distance_pct, 10);
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

static void rates_get_worse_downwards(void **state)
{
	struct comparison comparison;
	struct result a, b;

	(void)state;
	make(&a, 8, 10);
	make(&b, 8, 9);
	a.matrices->higher_is_better = b.matrices->higher_is_better = true;
	add_intervals(&a, 0.01);
	add_intervals(&b, 0.01);
	compare(&a, &b, NULL, &comparison);
	assert_int_equal(comparison.matrices->n_worse, 28);
	assert_true(comparison.matrices->levels[0].significant);
	near(worse_pct(comparison.matrices, comparison.matrices->levels), 10);
	near(comparison.change_pct, -10);
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

/* Half of the CPUs faster, half slower: the level is as it was. */
static void a_level_needs_one_direction(void **state)
{
	struct comparison comparison;
	struct result a, b;

	(void)state;
	make(&a, 16, 100);
	make(&b, 16, 100);
	for (size_t k = 0; k < 256; k++)
		b.matrices->values[k] += (k / 16 + k % 16) % 4 < 2 ? 5 : -5;
	compare(&a, &b, NULL, &comparison);
	assert_false(comparison.matrices->levels[0].significant);
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

static void levels_are_matched_by_kind(void **state)
{
	struct analysis_level levels[2];
	struct analysis analysis, none = {0};
	struct comparison comparison;
	uint32_t groups[2][16];
	struct result a, b;
	const struct compare_side old = {
		.result = &a, .source = "a", .analysis = &analysis};
	const struct compare_side new = {
		.result = &b, .source = "b", .analysis = &none};

	(void)state;
	make(&a, 16, 0);
	make(&b, 8, 80);
	fill_levels(&a, (const double[]){10, 50, 60});
	add_intervals(&a, 0.01);
	add_intervals(&b, 0.01);
	find_levels(&analysis, groups, levels);
	assert_int_equal(compare_make(&old, &new, true, &comparison, NULL), 0);
	assert_null(comparison.matrices->change);
	assert_int_equal(comparison.matrices->n_levels, 1);
	near(comparison.matrices->levels[0].before, 60);
	near(comparison.matrices->levels[0].after, 80);
	assert_true(comparison.matrices->levels[0].significant);
	assert_int_equal(comparison.n_unmatched, 3);
	/* Of all pairs, for want of another level. */
	near(comparison.distance_pct, 100.0 / 3);
	assert_string_equal(comparison.unmatched[0], "smt, inside: only in a");
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

static void spoil(struct result *b, int how)
{
	switch (how) {
	case 0:
		free(b->command);
		b->command = strdup("queue");
		break;
	case 1:
		free(b->matrices->quantity);
		b->matrices->quantity = strdup("round-trip");
		break;
	case 2:
		free(b->matrices->name);
		b->matrices->name = strdup("copy");
		break;
	case 3:
		b->cpus.cpus[3] = 99;
		break;
	case 4:
		facts_set_text(&b->machine, "cpu_model", "other");
		break;
	default:
		facts_set_text(&b->options, "method", "cas");
		break;
	}
}

static void what_is_not_of_one_thing_is_refused(void **state)
{
	static const char *const words[] = {"c2c queue", "round-trip",
		"no matrix 'latency'", "CPU ", "Test CPU", "method line"};

	(void)state;
	for (int how = 0; how < 6; how++) {
		struct comparison comparison;
		struct analysis none = {0};
		struct error err = {0};
		struct result a, b;
		const struct compare_side old = {
			.result = &a, .source = "a", .analysis = &none};
		const struct compare_side new = {
			.result = &b, .source = "b", .analysis = &none};
		int rc;

		make(&a, 4, 100);
		make(&b, 4, 100);
		plot_sample_describe(&a);
		plot_sample_describe(&b);
		spoil(&b, how);
		rc = compare_make(&old, &new, false, &comparison, &err);
		assert_int_equal(rc, -EINVAL);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_non_null(strstr(err.text, words[how]));
		/* Machines, CPUs and methods may differ level by level. */
		rc = compare_make(&old, &new, true, &comparison, &err);
		assert_int_equal(rc, how < 3 ? -EINVAL : 0);
		if (rc == 0)
			compare_release(&comparison);
		result_release(&a);
		result_release(&b);
	}
}

static void other_changes_are_listed(void **state)
{
	struct comparison comparison;
	struct result a, b;

	(void)state;
	make(&a, 4, 100);
	make(&b, 4, 100);
	plot_sample_describe(&a);
	plot_sample_describe(&b);
	facts_set_text(&a.machine, "kernel", "Linux 6.1");
	facts_set_text(&b.machine, "kernel", "Linux 6.2");
	facts_set_text(&a.machine, "clock.source", "tsc");
	facts_set_number(&a.machine, "clock.hz", 2e9);
	facts_set_text(&b.machine, "clock.source", "other");
	facts_set_number(&b.machine, "clock.hz", 2.1e9);
	facts_set_unknown(&b.machine, "governor");
	facts_set_flag(&b.machine, "boost", false);
	facts_set_count(&a.options, "seed", 1);
	facts_set_count(&b.options, "seed", 2);
	facts_set_count(&a.options, "budget_s", 8);
	facts_set_number(&b.options, "budget_s", 8);
	facts_set_flag(&a.options, "cores", false);
	compare(&a, &b, NULL, &comparison);
	assert_int_equal(comparison.n_facts, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct compare_fact *fact = &comparison.facts[i];

		if (strcmp(fact->what, "machine.kernel") == 0) {
			assert_string_equal(fact->before, "Linux 6.1");
			assert_string_equal(fact->after, "Linux 6.2");
		} else if (strcmp(fact->what, "machine.boost") == 0) {
			assert_string_equal(fact->before, "not recorded");
			assert_string_equal(fact->after, "false");
		} else if (strcmp(fact->what, "options.cores") == 0) {
			assert_string_equal(fact->before, "false");
			assert_string_equal(fact->after, "not recorded");
		} else {
			assert_string_equal(fact->what, "machine.clock.source");
		}
	}
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

static void the_difference_is_a_result(void **state)
{
	const struct matrix *matrix;
	struct compared_file file = {.outlier = false};
	struct comparison comparison;
	struct compare_side side;
	struct result a, b, difference;
	json_t *json, *first;

	(void)state;
	make(&a, 8, 100);
	make(&b, 8, 110);
	side = (struct compare_side){.result = &a, .source = "a"};
	compare(&a, &b, NULL, &comparison);
	difference = compare_result(&comparison, &side, &comparison.memory);
	matrix = result_find_matrix(&difference, "latency", "change");
	assert_non_null(matrix);
	near(matrix->values[1], 10);
	assert_true(isnan(matrix->values[0]));
	file.comparison = comparison;
	json = compare_pack(&file);
	assert_non_null(json);
	first = json_array_get(json_object_get(json, "matrices"), 0);
	near(json_real_value(json_array_get(
		     json_array_get(json_object_get(first, "change_pct"), 0),
		     7)),
		10);
	/* No intervals, no passes: nobody can say. */
	assert_true(json_is_null(json_array_get(
		json_array_get(json_object_get(first, "significant"), 0), 7)));
	assert_string_equal(
		json_string_value(json_object_get(first, "test")), "none");
	json_decref(json);
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

/* So many runs a side, and pairs of sides. */
#define SIDE_RUNS  5
#define SIDE_PAIRS 200

/*
 * A run of 16 CPUs whose pairs differ by 3 % from run to run, and all of them
 * together by 2 %. Those inside the innermost groups are times as slow.
 */
static void make_run(
	struct result *run, double times, struct stat_random *random)
{
	double all = 1 + 0.02 * deviate(random);

	make(run, 16, 0);
	fill_levels(run, (const double[]){20 * times, 50, 100});
	for (size_t i = 0; i < 16; i++) {
		for (size_t j = i + 1; j < 16; j++) {
			double *values = run->matrices->values;

			values[i * 16 + j] *=
				all * (1 + 0.03 * deviate(random));
			values[j * 16 + i] = values[i * 16 + j];
		}
	}
}

/* What compare says of two sides of runs. */
struct said {
	bool anything; /* is called changed */
	bool level;    /* the innermost one is */
	enum compare_judge judge;
};

static struct said compare_sides_of(
	size_t n, double times, struct stat_random *random)
{
	struct result runs[2][SIDE_RUNS], merged[2];
	const struct result *all[2][SIDE_RUNS];
	struct analysis_level levels[2];
	struct compare_side sides[2];
	struct comparison comparison;
	const struct compare_matrix *matrix;
	struct analysis analysis;
	uint32_t groups[2][16];
	struct said said = {.anything = false};

	find_levels(&analysis, groups, levels);
	for (size_t s = 0; s < 2; s++) {
		for (size_t r = 0; r < n; r++) {
			make_run(&runs[s][r], s ? times : 1, random);
			all[s][r] = &runs[s][r];
		}
		assert_int_equal(runs_merge(&merged[s], all[s], n, NULL), 0);
		sides[s] = (struct compare_side){.result = &merged[s],
			.source = "a",
			.analysis = &analysis,
			.runs = all[s],
			.n_runs = n};
	}
	assert_int_equal(
		compare_make(&sides[0], &sides[1], false, &comparison, NULL),
		0);
	matrix = comparison.matrices;
	said.judge = comparison.judge;
	said.anything = matrix->n_better + matrix->n_worse > 0;
	for (size_t k = 0; k < matrix->n_levels; k++)
		said.anything |= matrix->levels[k].significant;
	said.level = matrix->levels[0].significant;
	compare_release(&comparison);
	for (size_t s = 0; s < 2; s++) {
		result_release(&merged[s]);
		for (size_t r = 0; r < n; r++)
			result_release(&runs[s][r]);
	}
	return said;
}

static void unchanged_runs_are_called_changed_once_in_twenty(void **state)
{
	struct stat_random random;
	size_t changed = 0;

	(void)state;
	stat_random_init(&random, 1);
	for (size_t k = 0; k < SIDE_PAIRS; k++) {
		struct said said = compare_sides_of(SIDE_RUNS, 1, &random);

		assert_int_equal(said.judge, COMPARE_BY_RUNS);
		changed += said.anything;
	}
	print_message("%zu of %d unchanged sides are called changed\n", changed,
		SIDE_PAIRS);
	if (changed > FALSE_MAX)
		fail_msg("%zu of %d are called changed, at 1 in 20", changed,
			SIDE_PAIRS);
}

static void a_tenth_more_of_one_level_is_found_by_runs(void **state)
{
	struct stat_random random;
	size_t found = 0;

	(void)state;
	stat_random_init(&random, 2);
	for (size_t k = 0; k < SIDE_PAIRS; k++)
		found += compare_sides_of(SIDE_RUNS, 1.1, &random).level;
	print_message(
		"a change is found in %zu of %d sides\n", found, SIDE_PAIRS);
	if (found * 20 < SIDE_PAIRS * 19)
		fail_msg("found in %zu of %d, not in 19 of 20", found,
			SIDE_PAIRS);
}

static void too_few_runs_have_no_verdict(void **state)
{
	struct stat_random random;
	struct said said;

	(void)state;
	stat_random_init(&random, 3);
	said = compare_sides_of(3, 2, &random);
	assert_int_equal(said.judge, COMPARE_FEW);
	assert_false(said.anything);
	said = compare_sides_of(4, 2, &random);
	assert_int_equal(said.judge, COMPARE_BY_RUNS);
	assert_true(said.level);
}

static void one_run_of_what_moves_has_no_verdict(void **state)
{
	struct comparison comparison;
	struct result a, b;

	(void)state;
	make(&a, 8, 100);
	make(&b, 8, 200);
	add_intervals(&a, 0.01);
	add_intervals(&b, 0.01);
	compare(&a, &b, NULL, &comparison);
	assert_int_equal(comparison.judge, COMPARE_BY_ONE);
	assert_int_equal(comparison.matrices->n_worse, 28);
	compare_release(&comparison);
	b.run.verdict = RUN_DRIFTED;
	compare(&a, &b, NULL, &comparison);
	assert_int_equal(comparison.judge, COMPARE_ONE_RUN);
	assert_int_equal(comparison.matrices->n_worse, 0);
	assert_false(comparison.matrices->levels[0].significant);
	assert_non_null(comparison.undecided);
	compare_release(&comparison);
	b.run.verdict = RUN_AGREES;
	facts_set_text(&a.machine, "hypervisor", "KVM");
	compare(&a, &b, NULL, &comparison);
	assert_int_equal(comparison.judge, COMPARE_ONE_RUN);
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(noise_changes_nothing),
	cmocka_unit_test(a_pair_that_changed_is_found),
	cmocka_unit_test(passes_are_put_into_blocks),
	cmocka_unit_test(without_passes_intervals_decide),
	cmocka_unit_test(few_passes_leave_it_to_intervals),
	cmocka_unit_test(cpus_are_matched_by_number),
	cmocka_unit_test(levels_change_by_their_pairs),
	cmocka_unit_test(rates_get_worse_downwards),
	cmocka_unit_test(a_level_needs_one_direction),
	cmocka_unit_test(levels_are_matched_by_kind),
	cmocka_unit_test(what_is_not_of_one_thing_is_refused),
	cmocka_unit_test(other_changes_are_listed),
	cmocka_unit_test(the_difference_is_a_result),
	cmocka_unit_test(unchanged_runs_are_called_changed_once_in_twenty),
	cmocka_unit_test(a_tenth_more_of_one_level_is_found_by_runs),
	cmocka_unit_test(too_few_runs_have_no_verdict),
	cmocka_unit_test(one_run_of_what_moves_has_no_verdict),
};

CASE_GROUP(cases);
