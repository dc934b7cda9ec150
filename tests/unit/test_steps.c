/*
 * What the search finds in small matrices with one thing to find: the step of a
 * clock, a lone pair of siblings, kinds of cores, and what intervals hide.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/levels/confidence.h"
#include "analyze/levels/groups.h"
#include "analyze/levels/row_order.h"
#include "analyze/levels/steps.h"
#include "stat/stat.h"

#define N_MAX 32

/* The cost of two CPUs, i > j. */
typedef double cost_maker(size_t i, size_t j);

static double noise_of(size_t i, size_t j)
{
	struct stat_random random;

	stat_random_init(&random, i * N_MAX + j);
	return (double)(stat_random_next(&random) >> 11) * 0x1p-53 * 2 - 1;
}

static void fill(double *values, size_t n, cost_maker *cost)
{
	for (size_t i = 0; i < n; i++) {
		values[i * n + i] = NAN;
		for (size_t j = 0; j < i; j++)
			values[i * n + j] = values[j * n + i] = cost(i, j);
	}
}

static double granularity(size_t n, cost_maker *cost)
{
	double values[N_MAX * N_MAX], step;
	struct level_constants constants;
	struct arena arena = {0};

	level_constants_init(&constants);
	fill(values, n, cost);
	step = granularity_find_step(values, n, &constants, &arena);
	arena_release(&arena);
	return step;
}

static double sixteen_cores(size_t i, size_t j)
{
	return i / 2 == j / 2 ? 8 + 2 * noise_of(i, j)
			      : 20 + 5 * noise_of(i, j);
}

static double every_5_2(size_t i, size_t j)
{
	return 5.2 * round(sixteen_cores(i, j) / 5.2);
}

/* A mean of three runs of a tool that prints whole numbers. */
static double printed_every_5_2(size_t i, size_t j)
{
	return round(every_5_2(i, j) * 3) / 3;
}

static double interrupted_every_5_2(size_t i, size_t j)
{
	return every_5_2(i, j) * (noise_of(j, i) > 0.97 ? 37.31 : 1);
}

static double every_half(size_t i, size_t j)
{
	return round(sixteen_cores(i, j) * 2) / 2;
}

/* Siblings a step, others two steps or three. */
static double three_teeth(size_t i, size_t j)
{
	return 5.2 * (i / 2 == j / 2 ? 1 : noise_of(i, j) < 0 ? 2 : 3);
}

/* No noise: three levels are on such a comb, too. */
static double three_levels(size_t i, size_t j)
{
	return 5.2 * (i / 2 == j / 2 ? 1 : i / 8 == j / 8 ? 2 : 3);
}

/* The same, but a third of the cells are missing. */
static double three_levels_with_holes(size_t i, size_t j)
{
	return noise_of(i, j) < -0.33 ? NAN : three_levels(i, j);
}

/* Two dies whose cells are at most once at a neighbouring tooth of another. */
static double comb_with_gaps(size_t i, size_t j)
{
	static const double teeth[] = {1, 2, 4, 7};
	size_t level = (i / 2 != j / 2) + (i / 8 != j / 8);

	return 3.7219 * teeth[level + (noise_of(i, j) > 0.5)];
}

/* No noise, but no levels lie at 2 and 3 of so odd a number by accident. */
static double two_exact_teeth(size_t i, size_t j)
{
	return 3.578213 * (i / 2 == j / 2 ? 2 : 3);
}

/* The same of numbers that somebody chose. */
static double two_round_levels(size_t i, size_t j)
{
	return i / 2 == j / 2 ? 20000 : 30000;
}

/* Numbers of one decimal place on a comb like that: any comb has it. */
static double rounded_with_gaps(size_t i, size_t j)
{
	static const double cost[] = {0.8, 1.2, 2.8, 5.2};
	size_t level = (i / 2 != j / 2) + (i / 8 != j / 8);

	return cost[level + (noise_of(i, j) > 0.5)];
}

/* No noise: the levels alone lie on a comb. */
static double four_levels(size_t i, size_t j)
{
	return i / 2 == j / 2	? 8
	       : i / 4 == j / 4 ? 40
	       : i / 8 == j / 8 ? 104
				: 200;
}

static void assert_near(double value, double expected, double tolerance)
{
	assert_true(fabs(value - expected) <= tolerance);
}

/* No latency is zero: the clock is coarse, however few values there are. */
static double zero_or_a_step(size_t i, size_t j)
{
	return i == 0 && j == 1 ? 0 : j == 0 && i == 1 ? 0 : 10.7;
}

static void the_step_of_a_clock_is_found(void **state)
{
	(void)state;
	assert_near(granularity(16, every_5_2), 5.2, 0.05);
	assert_near(granularity(16, printed_every_5_2), 5.2, 0.1);
	assert_near(granularity(32, interrupted_every_5_2), 5.2, 0.05);
	assert_near(granularity(16, three_teeth), 5.2, 0.05);
	assert_near(granularity(16, zero_or_a_step), 10.7, 0.01);
	assert_near(granularity(16, comb_with_gaps), 3.7219, 1e-4);
	assert_near(granularity(16, two_exact_teeth), 3.578213, 1e-6);
}

static void what_is_no_comb_has_no_step(void **state)
{
	(void)state;
	assert_near(granularity(16, sixteen_cores), 0, 0);
	assert_near(granularity(16, four_levels), 0, 0);
	assert_near(granularity(16, three_levels), 0, 0);
	assert_near(granularity(16, three_levels_with_holes), 0, 0);
	assert_near(granularity(16, rounded_with_gaps), 0, 0);
	assert_near(granularity(16, two_round_levels), 0, 0);
	/* Fine enough to hide nothing. */
	assert_near(granularity(16, every_half), 0, 0);
}

static void find(
	size_t n, cost_maker *cost, struct groups *groups, struct arena *arena)
{
	static double values[N_MAX * N_MAX];

	fill(values, n, cost);
	groups_find(&(struct groups_input){.n = n, .values = values}, groups,
		arena);
}

/* CPUs 3 and 7 share a core; caches of four. */
static double lone_pair(size_t i, size_t j)
{
	double cost = i / 8 == j / 8 ? 22 : 110;

	if (i == 7 && j == 3)
		cost = 9;
	return cost * (1 + 0.02 * noise_of(i, j));
}

static void a_lone_pair_is_found(void **state)
{
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	find(24, lone_pair, &groups, &arena);
	assert_int_equal(groups.n_levels, 2);
	assert_int_equal(groups.levels[0].n_groups, 23);
	assert_int_equal(groups.levels[0].group[3], groups.levels[0].group[7]);
	assert_true(groups.levels[0].confidence >= 0.8);
	assert_int_equal(groups.levels[1].n_groups, 3);
	arena_release(&arena);
}

/* The same, but CPU 7 is as near to one of another cache. */
static double crossed_pairs(size_t i, size_t j)
{
	return i == 12 && j == 7 ? 9 : lone_pair(i, j);
}

/* The same with CPU 3, the first of its cache to have two. */
static double crossed_below(size_t i, size_t j)
{
	return i == 5 && j == 3 ? 9 : lone_pair(i, j);
}

/* A low cell, and nothing else that shows that threads ran where they should */
static double low_cell(size_t i, size_t j)
{
	return i == 7 && j == 3 ? 9 : 22 * (1 + 0.02 * noise_of(i, j));
}

static void other_low_cells_are_no_pairs(void **state)
{
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	find(24, crossed_pairs, &groups, &arena);
	assert_int_equal(groups.n_levels, 1);
	assert_int_equal(groups.levels[0].n_groups, 3);
	arena_release(&arena);
	find(24, crossed_below, &groups, &arena);
	assert_int_equal(groups.n_levels, 1);
	assert_int_equal(groups.levels[0].n_groups, 3);
	arena_release(&arena);
	find(12, low_cell, &groups, &arena);
	for (size_t k = 0; k < groups.n_levels; k++)
		assert_true(groups.levels[k].confidence < 0.5);
	arena_release(&arena);
}

/* Further apart than the same cores are by the home of their lines. */
static double two_kinds(size_t i, size_t j)
{
	return 59 + 10 * (i >= 4) + 10 * (j >= 4) + noise_of(i, j);
}

static double three_kinds(size_t i, size_t j)
{
	return 60 + 7 * (double)(i / 3) + 7 * (double)(j / 3) +
	       0.5 * noise_of(i, j);
}

/* Each core is a little dearer than the one before. */
static double gradient(size_t i, size_t j)
{
	return 60 + 1.5 * (double)i + 1.5 * (double)j + 0.5 * noise_of(i, j);
}

static void kinds_of_cores_show_in_rows(void **state)
{
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	find(8, two_kinds, &groups, &arena);
	assert_int_equal(groups.n_levels, 1);
	assert_int_equal(groups.levels[0].kind, ANALYSIS_CLASS);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(groups.levels[0].group[i], i / 4);
	assert_true(groups.levels[0].confidence >= 0.7);
	arena_release(&arena);
	find(12, three_kinds, &groups, &arena);
	assert_int_equal(groups.n_levels, 1);
	for (uint32_t i = 0; i < 12; i++)
		assert_int_equal(groups.levels[0].group[i], i / 3);
	arena_release(&arena);
	find(12, gradient, &groups, &arena);
	assert_int_equal(groups.n_levels, 0);
	arena_release(&arena);
}

/* Pairs that are a little nearer than others. */
static double faint_pairs(size_t i, size_t j)
{
	return (i / 2 == j / 2 ? 17 : 21) * (1 + 0.03 * noise_of(i, j));
}

/* The intervals of a level that stands out, wide enough to hide it or not. */
static void cells_move_within_their_intervals(void **state)
{
	double values[N_MAX * N_MAX], low[N_MAX * N_MAX], high[N_MAX * N_MAX];
	struct groups_input input = {
		.n = 16, .values = values, .ci_low = low, .ci_high = high};
	struct groups groups;
	struct arena arena = {0};

	(void)state;
	fill(values, 16, faint_pairs);
	for (size_t k = 0; k < 256; k++) {
		low[k] = values[k] * 0.99;
		high[k] = values[k] * 1.01;
	}
	groups_find(&input, &groups, &arena);
	assert_int_equal(groups.n_levels, 1);
	assert_true(groups.levels[0].confidence > 0.8);
	arena_release(&arena);
	for (size_t k = 0; k < 256; k++) {
		low[k] = values[k] * 0.75;
		high[k] = values[k] * 1.35;
	}
	groups_find(&input, &groups, &arena);
	for (size_t k = 0; k < groups.n_levels; k++)
		assert_true(groups.levels[k].confidence < 0.5);
	arena_release(&arena);
	/* One direction was disturbed: only the other one counts. */
	for (size_t i = 0; i < 16; i++)
		for (size_t j = 0; j < 16; j++) {
			bool bad = i < j;

			low[i * 16 + j] =
				values[i * 16 + j] * (bad ? 0.6 : 0.99);
			high[i * 16 + j] =
				values[i * 16 + j] * (bad ? 1.4 : 1.01);
		}
	groups_find(&input, &groups, &arena);
	assert_int_equal(groups.n_levels, 1);
	assert_true(groups.levels[0].confidence > 0.8);
	arena_release(&arena);
}

/* Units of two groups, and all of them in one family or two. */
static double odds_of_groups(size_t n, size_t size, size_t families)
{
	struct arena arena = {0};
	struct partition groups, all;
	double odds;

	partition_init(&groups, n, &arena);
	partition_init(&all, n, &arena);
	for (size_t i = 0; i < n; i++) {
		groups.group[i] = (uint32_t)(i / size);
		all.group[i] = (uint32_t)(i * families / n);
	}
	groups.n_groups = (n + size - 1) / size;
	all.n_groups = families;
	odds = 1 - confidence_of_sizes(&groups, &all, &arena);
	arena_release(&arena);
	return odds;
}

static void a_few_units_may_be_grouped_by_chance(void **state)
{
	(void)state;
	/* 3 ways of 15, 10 of 210, 15 of 455, 1 of 3. */
	assert_near(odds_of_groups(4, 2, 1), 1.0 / 5, 1e-9);
	assert_near(odds_of_groups(5, 3, 1), 10.0 / 210, 1e-9);
	assert_near(odds_of_groups(6, 2, 1), 15.0 / 455, 1e-9);
	assert_near(odds_of_groups(3, 2, 1), 1, 1e-9);
	assert_near(odds_of_groups(8, 2, 2), 1.0 / 25, 1e-9);
	assert_true(odds_of_groups(64, 8, 1) < 1e-9);
}

static void constants_have_names_reasons_and_values(void **state)
{
	struct level_constants constants;
	const struct level_constant *row;
	size_t n = 0;

	(void)state;
	level_constants_init(&constants);
	for (; (row = level_constants_row(n)); n++) {
		double value;

		assert_true(*row->meaning && *row->machine);
		for (size_t k = 0; k < n; k++)
			assert_string_not_equal(
				row->name, level_constants_row(k)->name);
		assert_true(level_constants_set(&constants, row->name, 7.5));
		memcpy(&value, (char *)&constants + row->offset, sizeof(value));
		assert_true(value == 7.5);
	}
	/* No field without a row. */
	assert_int_equal(n, sizeof(constants) / sizeof(double));
	assert_false(level_constants_set(&constants, "unknown", 1));
}

/* The costs alone put CPUs into an order, however they are numbered. */
static void order_of_cpus_changes_nothing(void **state)
{
	enum {
		N = 24
	};
	double values[N * N];
	uint32_t numbers[N], own[N], other[N];
	struct arena arena = {0};
	struct cost_matrix costs, shuffled;

	(void)state;
	fill(values, N, lone_pair);
	cost_matrix_init(&costs, N, &arena);
	cost_matrix_init(&shuffled, N, &arena);
	for (size_t k = 0; k < (size_t)N * N; k++)
		costs.cost[k] = (float)values[k];
	row_order_find(&costs, own, &arena);
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct stat_random random;

		stat_random_init(&random, seed);
		stat_shuffle(&random, numbers, N);
		row_order_apply(&costs, numbers, &shuffled);
		row_order_find(&shuffled, other, &arena);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(numbers[other[i]], own[i]);
	}
	arena_release(&arena);
}

/* Of equal costs that of the nearer unit counts, whatever else is beside it. */
static void the_nearest_units_come_first(void **state)
{
	enum {
		N = 5
	};
	static const uint32_t expected[N] = {3, 1, 0, 4, 2};
	struct arena arena = {0};
	struct cost_matrix costs;
	uint32_t order[N];

	(void)state;
	cost_matrix_init(&costs, N, &arena);
	for (size_t far = 100; far < 200; far += 7) {
		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < N; j++)
				costs.cost[expected[i] * N + expected[j]] =
					i == j ? NAN
					       : (float)(far + 10 * (i + j));
		row_order_find(&costs, order, &arena);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(order[i], expected[i]);
		/* A missing cell makes no unit nearer. */
		costs.cost[2 * N + 4] = costs.cost[4 * N + 2] = NAN;
		row_order_find(&costs, order, &arena);
		assert_int_equal(order[0], 3);
	}
	arena_release(&arena);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(constants_have_names_reasons_and_values),
	cmocka_unit_test(order_of_cpus_changes_nothing),
	cmocka_unit_test(the_nearest_units_come_first),
	cmocka_unit_test(the_step_of_a_clock_is_found),
	cmocka_unit_test(what_is_no_comb_has_no_step),
	cmocka_unit_test(a_lone_pair_is_found),
	cmocka_unit_test(other_low_cells_are_no_pairs),
	cmocka_unit_test(kinds_of_cores_show_in_rows),
	cmocka_unit_test(a_few_units_may_be_grouped_by_chance),
	cmocka_unit_test(cells_move_within_their_intervals),
};

CASE_GROUP(cases);
