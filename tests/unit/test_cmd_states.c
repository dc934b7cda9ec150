/*
 * Which levels c2c states finds in the first scan of its pairs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/states/cmd_states.h"

#define CPUS  8
#define PAIRS (CPUS * (CPUS - 1) / 2)

static struct states_distance distances[PAIRS], chosen[4];

/* Siblings, CPUs of one package, and others; within a level up to a tenth. */
static void make_distances(double sibling, double package, double other)
{
	size_t n = 0;

	for (uint32_t a = 0; a < CPUS; a++) {
		for (uint32_t b = a + 1; b < CPUS; b++, n++)
			distances[n] = (struct states_distance){a, b,
				(a / 2 == b / 2		 ? sibling
					: a / 4 == b / 4 ? package
							 : other) *
					(1 + 0.01 * (double)((a + b) % 10))};
	}
}

static void each_gap_is_a_level(void **state)
{
	(void)state;
	make_distances(20, 60, 130);
	assert_int_equal(
		states_find_levels(distances, PAIRS, CPUS, chosen, 4), 3);
	assert_int_equal(chosen[0].first / 2, chosen[0].second / 2);
	assert_int_equal(chosen[1].first / 4, chosen[1].second / 4);
	assert_int_not_equal(chosen[1].first / 2, chosen[1].second / 2);
	assert_int_not_equal(chosen[2].first / 4, chosen[2].second / 4);
}

static void cpus_that_are_all_alike_have_one_level(void **state)
{
	(void)state;
	make_distances(60, 60, 60);
	assert_int_equal(
		states_find_levels(distances, PAIRS, CPUS, chosen, 4), 1);
}

static void a_few_slow_pairs_are_no_level(void **state)
{
	(void)state;
	make_distances(60, 60, 60);
	distances[3].one_way_ns = 200;
	distances[9].one_way_ns = 300;
	assert_int_equal(
		states_find_levels(distances, PAIRS, CPUS, chosen, 4), 1);
	assert_true(chosen[0].one_way_ns < 70);
}

static void one_near_pair_is_a_level(void **state)
{
	(void)state;
	make_distances(60, 60, 60);
	distances[0].one_way_ns = 20;
	assert_int_equal(
		states_find_levels(distances, PAIRS, CPUS, chosen, 4), 2);
	assert_true(chosen[0].one_way_ns == 20);
}

static void the_last_level_takes_what_is_left(void **state)
{
	(void)state;
	make_distances(20, 60, 130);
	assert_int_equal(
		states_find_levels(distances, PAIRS, CPUS, chosen, 2), 2);
	assert_int_equal(chosen[0].first / 2, chosen[0].second / 2);
}

static void one_pair_is_a_level(void **state)
{
	(void)state;
	make_distances(20, 60, 130);
	assert_int_equal(states_find_levels(distances, 1, 2, chosen, 4), 1);
	assert_int_equal(states_find_levels(distances, 0, 1, chosen, 4), 0);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(each_gap_is_a_level),
	cmocka_unit_test(cpus_that_are_all_alike_have_one_level),
	cmocka_unit_test(a_few_slow_pairs_are_no_level),
	cmocka_unit_test(one_near_pair_is_a_level),
	cmocka_unit_test(the_last_level_takes_what_is_left),
	cmocka_unit_test(one_pair_is_a_level),
};

CASE_GROUP(cases);
