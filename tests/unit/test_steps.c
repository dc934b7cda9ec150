/*
 * What the search finds in small matrices with one thing to find: the step of a
 * clock, a lone pair of siblings, kinds of cores, and whether it comes back.
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
#include "analyze/levels/groups.h"
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
	struct arena arena = {0};

	fill(values, n, cost);
	step = granularity_find_step(values, n, &arena);
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

/* Eight CPUs in pairs, but for the last two, with a cell of its own. */
#define CPUS 8
static float last_cell;
static bool last_pair;

static void ask_pairs(bool clear, bool *doubtful, double *odds)
{
	struct arena arena = {0};
	struct cost_matrix square;
	struct partition pairs, all;

	cost_matrix_init(&square, CPUS, &arena);
	partition_init(&pairs, CPUS, &arena);
	partition_init(&all, CPUS, &arena);
	for (size_t i = 0; i < CPUS; i++) {
		pairs.group[i] = (uint32_t)(i / 2);
		for (size_t j = 0; j < i; j++) {
			bool last = i == CPUS - 1 && j == CPUS - 2;
			float cost = i / 2 == j / 2
					     ? 10
					     : 20 + (float)noise_of(i, j);

			square.cost[i * CPUS + j] = square.cost[j * CPUS + i] =
				last ? last_cell : cost;
		}
	}
	if (!last_pair)
		pairs.group[CPUS - 1] = CPUS / 2;
	partition_number(&pairs, &arena);
	*doubtful = pairs_doubtful(&square, &pairs, &all, clear, &arena);
	*odds = pairs_odds(&square, &pairs, &all, &arena);
	arena_release(&arena);
}

static bool doubtful(float cell, bool pair, bool clear)
{
	bool doubt;
	double odds;

	last_cell = cell;
	last_pair = pair;
	ask_pairs(clear, &doubt, &odds);
	return doubt;
}

static void a_pair_that_may_be_torn_is_in_doubt(void **state)
{
	(void)state;
	assert_false(doubtful(10, true, false));
	assert_false(doubtful(20, false, false));
	/* Nearly a pair; one that a streak of bad cells hides; no pair. */
	assert_true(doubtful(12, false, true));
	assert_true(doubtful(50, false, false));
	assert_false(doubtful(50, false, true));
	assert_true(doubtful(20, true, false));
	assert_true(doubtful(NAN, false, false));
}

/*
 * Pairs of a step of 5, others two apart; the last two CPUs are nearer to all,
 * so that their cell of two steps is none too near for their rows.
 */
static void a_torn_pair_of_a_fast_core_is_in_doubt(void **state)
{
	struct partition pairs, all;
	struct arena arena = {0};
	struct cost_matrix square;

	(void)state;
	cost_matrix_init(&square, CPUS, &arena);
	partition_init(&pairs, CPUS, &arena);
	partition_init(&all, CPUS, &arena);
	square.step = 5;
	for (size_t i = 0; i < CPUS; i++) {
		pairs.group[i] = (uint32_t)(i < 6 ? i / 2 : i - 3);
		for (size_t j = 0; j < CPUS; j++)
			square.cost[i * CPUS + j] =
				i == j				   ? NAN
				: pairs.group[i] == pairs.group[j] ? 5
				: i < 6 && j < 6		   ? 15
								   : 10;
	}
	partition_number(&pairs, &arena);
	assert_true(pairs_doubtful(&square, &pairs, &all, true, &arena));
	for (size_t k = 0; k < (size_t)CPUS * CPUS; k++)
		square.cost[k] += square.cost[k] > 5 ? 5 : 0;
	assert_false(pairs_doubtful(&square, &pairs, &all, true, &arena));
	arena_release(&arena);
}

static void pairs_of_the_lowest_cells_are_no_chance(void **state)
{
	bool doubt;
	double odds;

	(void)state;
	last_cell = 10;
	last_pair = true;
	ask_pairs(true, &doubt, &odds);
	/* 28 cells; one after the other, those that join no CPU twice. */
	assert_near(odds, 15.0 / 27 * 6 / 26 * 1 / 25, 1e-9);
	/* Three pairs, and a lower cell that is none. */
	last_cell = 5;
	last_pair = false;
	ask_pairs(true, &doubt, &odds);
	assert_near(odds, 1, 1e-9);
}

/* Fisher's combination of two tests of one odds p is q - q ln q, q = p * p. */
static void the_odds_of_families_are_combined(void **state)
{
	double one = 15.0 / 27 * 6 / 26 * 1 / 25, both = one * one;
	struct partition pairs, families;
	struct arena arena = {0};
	struct cost_matrix square;

	(void)state;
	cost_matrix_init(&square, 2 * CPUS, &arena);
	partition_init(&pairs, 2 * CPUS, &arena);
	partition_init(&families, 2 * CPUS, &arena);
	families.n_groups = 2;
	for (size_t i = 0; i < 2 * CPUS; i++) {
		pairs.group[i] = (uint32_t)(i / 2);
		families.group[i] = i >= CPUS;
		for (size_t j = 0; j < 2 * CPUS; j++)
			square.cost[i * 2 * CPUS + j] = i / 2 == j / 2 ? 1 : 2;
	}
	pairs.n_groups = CPUS;
	assert_near(pairs_odds(&square, &pairs, &families, &arena),
		both - both * log(both), 1e-9);
	arena_release(&arena);
}

/* Four groups of eight that stand out a little, and three CPUs torn out. */
static void torn_cpus_of_several_groups_make_no_group(void **state)
{
	enum {
		N = 32
	};
	unsigned char fits[N];
	struct partition groups, all;
	struct arena arena = {0};
	struct cost_matrix square;

	(void)state;
	cost_matrix_init(&square, N, &arena);
	partition_init(&groups, N, &arena);
	partition_init(&all, N, &arena);
	for (size_t i = 0; i < N; i++) {
		fits[i] = 1;
		groups.group[i] = (uint32_t)(i / 8);
		for (size_t j = 0; j < N; j++)
			square.cost[i * N + j] = i / 8 == j / 8 ? 20 : 22.5F;
	}
	for (size_t k = 0; k < 3; k++)
		groups.group[8 * k] = (uint32_t)(4 + k);
	partition_number(&groups, &arena);
	assert_true(repair_partition(&square, &groups, &all, fits, &arena));
	assert_int_equal(groups.n_groups, 4);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(
			groups.group[i] == groups.group[9], i / 8 == 1);
	arena_release(&arena);
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

/* The same, where the search finds them once and not again. */
static double noisy_pairs(size_t i, size_t j)
{
	return (i / 2 == j / 2 ? 17 : 21) * (1 + 0.08 * noise_of(i, j));
}

static double clear_pairs(size_t i, size_t j)
{
	return (i / 2 == j / 2 ? 8 : 21) * (1 + 0.03 * noise_of(i, j));
}

/* The share of pairs that come back, of a machine that has them. */
static double share_again(size_t n, cost_maker *cost)
{
	struct arena arena = {0};
	struct cost_matrix square;
	struct cost_levels levels = {.n = 1};
	double values[N_MAX * N_MAX], share;

	fill(values, n, cost);
	cost_matrix_init(&square, n, &arena);
	for (size_t k = 0; k < n * n; k++)
		square.cost[k] = (float)values[k];
	partition_init(&levels.levels[0].partition, n, &arena);
	for (uint32_t i = 0; i < n; i++)
		levels.levels[0].partition.group[i] = i / 2;
	levels.levels[0].partition.n_groups = n / 2;
	resample_levels(
		&(struct resample_input){.matrix = &square, .levels = &levels},
		&arena);
	share = levels.levels[0].repeated_share;
	arena_release(&arena);
	return share;
}

/* Pairs that the costs do not have; the others are single. */
static void what_is_not_there_does_not_come_back(void **state)
{
	struct arena arena = {0};
	struct cost_matrix square;
	struct cost_levels levels = {.n = 1};
	double values[N_MAX * N_MAX];

	(void)state;
	fill(values, 24, lone_pair);
	cost_matrix_init(&square, 24, &arena);
	for (size_t k = 0; k < 24 * 24; k++)
		square.cost[k] = (float)values[k];
	partition_init(&levels.levels[0].partition, 24, &arena);
	for (uint32_t i = 0; i < 24; i++)
		levels.levels[0].partition.group[i] = i == 1 ? 0 : i;
	partition_number(&levels.levels[0].partition, &arena);
	resample_levels(
		&(struct resample_input){.matrix = &square, .levels = &levels},
		&arena);
	assert_true(levels.levels[0].repeated_share < 0.1);
	arena_release(&arena);
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

static void what_noise_can_make_does_not_come_back(void **state)
{
	(void)state;
	assert_true(share_again(32, clear_pairs) > 0.99);
	assert_true(share_again(32, noisy_pairs) < 0.5);
	assert_true(share_again(32, faint_pairs) > 0.95);
}

#define COLD_CPUS 8

/*
 * Four cores and four that are dearer, 20 and 30 each. The first CPU is cheap
 * and cold, so that it costs about as much as a dear one; or it is dear.
 */
static double first_cold(size_t i, size_t j)
{
	double sum = (i < 4 ? 20 : 30) + (j < 4 ? 20 : 30);

	return (j == 0 ? sum * 1.22 : sum) * (1 + 0.002 * noise_of(i, j));
}

static double first_dear(size_t i, size_t j)
{
	double sum = (i < 4 ? 20 : 30) + (j < 4 ? 20 : 30);

	return (j == 0 ? sum + 10 : sum) * (1 + 0.002 * noise_of(i, j));
}

/* Three cheap cores, and five dear ones with the first CPU. */
static bool may_be_cold(cost_maker *cost)
{
	uint32_t group[COLD_CPUS] = {0, 1, 1, 1, 0, 0, 0, 0};
	struct partition classes = {
		.n_units = COLD_CPUS, .n_groups = 2, .group = group};
	double values[COLD_CPUS * COLD_CPUS];
	struct arena arena = {0};
	struct cost_matrix square;
	bool cold;

	fill(values, COLD_CPUS, cost);
	cost_matrix_init(&square, COLD_CPUS, &arena);
	for (size_t k = 0; k < (size_t)COLD_CPUS * COLD_CPUS; k++)
		square.cost[k] = (float)values[k];
	cold = cold_first_cpu_suspected(&square, &classes, &arena);
	arena_release(&arena);
	return cold;
}

static void a_cold_cpu_is_not_one_of_another_class(void **state)
{
	(void)state;
	assert_true(may_be_cold(first_cold));
	assert_false(may_be_cold(first_dear));
}

#define TORN_CPUS 10

/*
 * Pairs of one step among cells of four; the last pair costs cell, and its
 * second CPU next with the one before. The last CPUs are a family.
 */
static bool joined_in(size_t family, float cell, float next)
{
	uint32_t group[TORN_CPUS] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 5};
	uint32_t none[TORN_CPUS] = {0};
	struct partition pairs = {
		.n_units = TORN_CPUS, .n_groups = 6, .group = group};
	struct partition all = {
		.n_units = TORN_CPUS, .n_groups = 2, .group = none};
	struct arena arena = {0};
	struct cost_matrix square;
	bool is_joined;

	cost_matrix_init(&square, TORN_CPUS, &arena);
	square.step = 5;
	for (size_t i = 0; i < TORN_CPUS; i++)
		none[i] = i >= TORN_CPUS - family;
	for (size_t i = 0; i < TORN_CPUS; i++)
		for (size_t j = 0; j < TORN_CPUS; j++)
			square.cost[i * TORN_CPUS + j] = i == j		  ? NAN
							 : i / 2 != j / 2 ? 20
							 : i < TORN_CPUS - 2
								 ? 5
								 : cell;
	square.cost[9 * TORN_CPUS + 7] = square.cost[7 * TORN_CPUS + 9] = next;
	is_joined = pairs_complete(&square, &pairs, &all, &arena);
	assert_int_equal(is_joined, group[8] == group[9]);
	assert_int_equal(pairs.n_groups, is_joined ? 5 : 6);
	arena_release(&arena);
	return is_joined;
}

static bool joined(float cell, float next)
{
	return joined_in(TORN_CPUS - 2, cell, next);
}

static void the_last_pair_is_joined_if_the_clock_tore_it(void **state)
{
	(void)state;
	assert_true(joined(15, 20));
	assert_false(joined(20, 20));
	/* One pair beside it and others elsewhere; none beside it. */
	assert_true(joined_in(4, 15, 20));
	assert_false(joined_in(2, 15, 20));
}

/* Four times as much as a pair, beside a cell of three times the usual. */
static void the_last_pair_is_joined_if_a_disturbance_tore_it(void **state)
{
	(void)state;
	assert_true(joined(20, 60));
	/* As far above the usual as its neighbour, or no neighbour. */
	assert_false(joined(60, 60));
	assert_false(joined(20, 30));
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
	odds = permutation_test_size_chance(&groups, &all, &arena);
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

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_step_of_a_clock_is_found),
	cmocka_unit_test(a_pair_that_may_be_torn_is_in_doubt),
	cmocka_unit_test(a_torn_pair_of_a_fast_core_is_in_doubt),
	cmocka_unit_test(pairs_of_the_lowest_cells_are_no_chance),
	cmocka_unit_test(the_odds_of_families_are_combined),
	cmocka_unit_test(torn_cpus_of_several_groups_make_no_group),
	cmocka_unit_test(what_is_no_comb_has_no_step),
	cmocka_unit_test(a_lone_pair_is_found),
	cmocka_unit_test(other_low_cells_are_no_pairs),
	cmocka_unit_test(kinds_of_cores_show_in_rows),
	cmocka_unit_test(a_cold_cpu_is_not_one_of_another_class),
	cmocka_unit_test(the_last_pair_is_joined_if_the_clock_tore_it),
	cmocka_unit_test(the_last_pair_is_joined_if_a_disturbance_tore_it),
	cmocka_unit_test(a_few_units_may_be_grouped_by_chance),
	cmocka_unit_test(what_noise_can_make_does_not_come_back),
	cmocka_unit_test(what_is_not_there_does_not_come_back),
	cmocka_unit_test(cells_move_within_their_intervals),
};

CASE_GROUP(cases);
