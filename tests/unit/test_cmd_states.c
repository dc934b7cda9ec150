/*
 * Which levels and which SMT siblings c2c states finds in the first scan of its
 * pairs, and how many lines its walks have.
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

static struct scanned_pair distances[PAIRS], chosen[4];

/* Siblings, CPUs of one package, and others; within a level up to a tenth. */
static void make_distances(double sibling, double package, double other)
{
	size_t n = 0;

	for (uint32_t a = 0; a < CPUS; a++) {
		for (uint32_t b = a + 1; b < CPUS; b++, n++)
			distances[n] = (struct scanned_pair){a, b,
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
		level_scan_choose(distances, PAIRS, CPUS, chosen, 4), 3);
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
		level_scan_choose(distances, PAIRS, CPUS, chosen, 4), 1);
}

static void a_few_slow_pairs_are_no_level(void **state)
{
	(void)state;
	make_distances(60, 60, 60);
	distances[3].one_way_ns = 200;
	distances[9].one_way_ns = 300;
	assert_int_equal(
		level_scan_choose(distances, PAIRS, CPUS, chosen, 4), 1);
	assert_true(chosen[0].one_way_ns < 70);
}

static void one_near_pair_is_a_level(void **state)
{
	(void)state;
	make_distances(60, 60, 60);
	distances[0].one_way_ns = 20;
	assert_int_equal(
		level_scan_choose(distances, PAIRS, CPUS, chosen, 4), 2);
	assert_true(chosen[0].one_way_ns == 20);
}

static void the_last_level_takes_what_is_left(void **state)
{
	(void)state;
	make_distances(20, 60, 130);
	assert_int_equal(
		level_scan_choose(distances, PAIRS, CPUS, chosen, 2), 2);
	assert_int_equal(chosen[0].first / 2, chosen[0].second / 2);
}

static void one_pair_is_a_level(void **state)
{
	(void)state;
	make_distances(20, 60, 130);
	assert_int_equal(level_scan_choose(distances, 1, 2, chosen, 4), 1);
	assert_int_equal(level_scan_choose(distances, 0, 1, chosen, 4), 0);
}

/* The ns below which two CPUs are siblings. */
static double siblings_below(void)
{
	size_t n = level_scan_choose(distances, PAIRS, CPUS, chosen, 4);

	return states_sibling_ns(distances, PAIRS, CPUS, chosen, n);
}

static void siblings_are_a_level_twice_as_near(void **state)
{
	double ns;

	(void)state;
	make_distances(34.5, 90, 90);
	ns = siblings_below();
	assert_true(ns > 34.5 * 1.1 && ns <= 90);
	make_distances(44, 90, 90);
	ns = siblings_below();
	assert_true(ns > 44 * 1.1 && ns <= 90);
}

static void a_level_that_is_hardly_nearer_is_no_siblings(void **state)
{
	(void)state;
	make_distances(60, 90, 90);
	assert_true(siblings_below() == 0);
	make_distances(60, 60, 60);
	assert_true(siblings_below() == 0);
	/* Packages of four CPUs. */
	make_distances(50, 50, 150);
	assert_true(siblings_below() == 0);
}

static void the_lines_of_a_walk_fit_the_cache(void **state)
{
	(void)state;
	assert_int_equal(states_lines_that_fit(4096, 0), 4096);
	assert_int_equal(states_lines_that_fit(4096, 2 << 20), 4096);
	assert_int_equal(states_lines_that_fit(4096, 1 << 20), 4096);
	assert_int_equal(states_lines_that_fit(4096, 512 << 10), 2048);
	assert_int_equal(states_lines_that_fit(1024, 256 << 10), 1024);
	assert_int_equal(states_lines_that_fit(1024, 192 << 10), 512);
	assert_int_equal(states_lines_that_fit(1024, 1), 64);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(each_gap_is_a_level),
	cmocka_unit_test(cpus_that_are_all_alike_have_one_level),
	cmocka_unit_test(a_few_slow_pairs_are_no_level),
	cmocka_unit_test(one_near_pair_is_a_level),
	cmocka_unit_test(the_last_level_takes_what_is_left),
	cmocka_unit_test(one_pair_is_a_level),
	cmocka_unit_test(siblings_are_a_level_twice_as_near),
	cmocka_unit_test(a_level_that_is_hardly_nearer_is_no_siblings),
	cmocka_unit_test(the_lines_of_a_walk_fit_the_cache),
};

CASE_GROUP(cases);
