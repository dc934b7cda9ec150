/*
 * Medians, partitions and blocks of the analysis against values worked out by
 * hand, and by sorting.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/levels/steps.h"
#include "stat/stat.h"

/* Against sorting, for every length up to 40 and values with many ties. */
static void medians_agree_with_sorting(void **state)
{
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 1);
	for (size_t n = 1; n <= 40; n++)
		for (int repeat = 0; repeat < 50; repeat++) {
			float values[40], again[40];
			double sorted[40];

			for (size_t i = 0; i < n; i++)
				sorted[i] =
					(double)(values[i] = again[i] = (float)
							 stat_random_below(
								 &random,
								 1 + (uint64_t)repeat));
			stat_sort(sorted, n);
			for (size_t k = 0; k < n; k++) {
				double q = n > 1 ? ((double)k + 0.5) /
							   (double)(n - 1)
						 : 0;

				if (q > 1)
					q = 1;
				assert_true(
					(double)quantile_of_floats(
						again, n, q) ==
					sorted[(size_t)(q * (double)(n - 1))]);
			}
			assert_true((double)median_of_floats(values, n) ==
				    stat_median(sorted, n));
		}
	assert_true(isnan(median_of_floats(NULL, 0)));
}

static void groups_are_numbered_by_first_unit(void **state)
{
	uint32_t group[] = {7, 3, 7, 9, 3};
	const uint32_t expected[] = {0, 1, 0, 2, 1};
	struct partition partition = {.n_units = 5, .group = group};
	struct arena arena = {0};
	const struct group_members *roster;

	(void)state;
	partition_number(&partition, &arena);
	assert_int_equal(partition.n_groups, 3);
	assert_memory_equal(group, expected, sizeof(expected));
	roster = partition_members(&partition, &arena);
	assert_int_equal(roster[0].n, 2);
	assert_int_equal(roster[1].n, 2);
	assert_int_equal(roster[2].n, 1);
	assert_int_equal(roster[0].unit[0], 0);
	assert_int_equal(roster[0].unit[1], 2);
	assert_int_equal(roster[1].unit[0], 1);
	assert_int_equal(roster[1].unit[1], 4);
	assert_int_equal(roster[2].unit[0], 3);
	arena_release(&arena);
}

/*
 * Units 0 and 2 against 1 and 3: cells 5, 9, 100 and one missing, of which 9
 * is the middle; with the missing one known, the lower middle.
 */
static void blocks_collapse_to_lower_medians(void **state)
{
	uint32_t group[] = {0, 1, 0, 1};
	struct partition partition = {
		.n_units = 4, .n_groups = 2, .group = group};
	struct cost_matrix square, small;
	struct arena arena = {0};

	(void)state;
	cost_matrix_init(&square, 4, &arena);
	square.cost[0 * 4 + 1] = square.cost[1 * 4 + 0] = 100;
	square.cost[0 * 4 + 3] = square.cost[3 * 4 + 0] = 5;
	square.cost[2 * 4 + 1] = square.cost[1 * 4 + 2] = 9;
	cost_matrix_collapse(&square, &partition, &small, &arena);
	assert_int_equal(small.n, 2);
	assert_true(cost_matrix_at(&small, 0, 1) == 9);
	assert_true(cost_matrix_at(&small, 1, 0) == 9);
	assert_true(isnan(cost_matrix_at(&small, 0, 0)));
	square.cost[2 * 4 + 3] = square.cost[3 * 4 + 2] = 20;
	cost_matrix_collapse(&square, &partition, &small, &arena);
	assert_true(cost_matrix_at(&small, 0, 1) == 9);
	arena_release(&arena);
}

/* 0 and 1 at 2; 2 joins them at the mean of 6 and 10; 3 is unknown to all. */
static void linkage_joins_by_means(void **state)
{
	const float inf = INFINITY;
	float distance[] = {inf, 2, 6, inf, 2, inf, 10, inf, 6, 10, inf, inf,
		inf, inf, inf, inf};
	struct cluster_merge merges[3];
	struct arena arena = {0};

	(void)state;
	linkage_build_tree(distance, 4, merges, &arena);
	assert_true(merges[0].height == 2);
	assert_int_equal(merges[0].size, 2);
	assert_true(merges[1].height == 8);
	assert_int_equal(merges[1].size, 3);
	assert_true(isinf(merges[2].height));
	assert_int_equal(merges[2].size, 4);
	arena_release(&arena);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(medians_agree_with_sorting),
	cmocka_unit_test(groups_are_numbered_by_first_unit),
	cmocka_unit_test(blocks_collapse_to_lower_medians),
	cmocka_unit_test(linkage_joins_by_means),
};

CASE_GROUP(cases);
