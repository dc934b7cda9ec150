/*
 * From where on a value is an outlier: how often a sound set has one, and what
 * few and many values do.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "stat/stat.h"

#define SETS 1000

/*
 * Of 1,000 sets with 5 % each, more than this come once in ten thousand times.
 */
#define FALSE_MAX 77

static double limit_of(size_t n, size_t tests)
{
	struct arena arena = {0};
	double limit = stat_outlier_limit(n, tests, &arena);

	assert_null(arena.last);
	return limit;
}

/* One of about a normal distribution with mean 0 and deviation 1. */
static double deviate(struct stat_random *random)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)stat_random_below(random, 1U << 20) / (1 << 20);
	return sum - 6;
}

/* The farthest of n in scaled deviations. */
static double farthest_of(double *values, size_t n)
{
	double middle = stat_median(values, n), most = 0;

	for (size_t i = 0; i < n; i++) {
		values[i] = fabs(values[i] - middle);
		most = fmax(most, values[i]);
	}
	return most / (STAT_MAD_TO_SIGMA * stat_median(values, n));
}

static void one_of_twenty_sound_sets_has_an_outlier_at_most(void **state)
{
	const size_t sizes[] = {4, 5, 8, 40, 99, 100, 250};
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 7);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		double values[250], limits[] = {limit_of(sizes[s], 1),
					    limit_of(sizes[s], 4)};
		size_t one = 0, four = 0;

		for (size_t k = 0; k < SETS; k++) {
			bool any = false;

			for (size_t t = 0; t < 4; t++) {
				double most;

				for (size_t i = 0; i < sizes[s]; i++)
					values[i] = deviate(&random);
				most = farthest_of(values, sizes[s]);
				one += t == 0 && most > limits[0];
				any |= most > limits[1];
			}
			four += any;
		}
		assert_true(one <= FALSE_MAX);
		assert_true(four <= FALSE_MAX);
	}
}

static void the_limit_is_no_higher_than_it_must_be(void **state)
{
	/* Two-sided t with 10 degrees, over its own scaled deviation. */
	(void)state;
	assert_true(fabs(limit_of(1000, 1) - 6.71 / 1.0375) < 0.15);
	assert_true(limit_of(40, 1) < 6);
	assert_true(limit_of(40, 4) < 8);
	assert_true(limit_of(1000, 4) < 8);
}

static void few_values_and_many_tests_raise_it(void **state)
{
	(void)state;
	assert_true(isnan(limit_of(3, 1)));
	assert_true(limit_of(5, 1) > limit_of(10, 1));
	assert_true(limit_of(10, 1) > limit_of(40, 1));
	assert_true(limit_of(10, 4) > limit_of(10, 1));
	assert_true(limit_of(1000, 4) > limit_of(1000, 1));
	/* Drawn up to 99, calculated from 100 on: no step. */
	assert_true(fabs(limit_of(99, 1) / limit_of(100, 1) - 1) < 0.06);
	/* The same again. */
	assert_true(limit_of(12, 3) == limit_of(12, 3));
}

static void the_limit_is_high_enough_for_many_tests(void **state)
{
	/* By 400,000 draws, of 40 values by 100,000. */
	const struct {
		size_t n, tests;
		double limit;
	} known[] = {{6, 100, 30.1}, {8, 500, 30.9}, {8, 2000, 42.3},
		{40, 500, 11.1}, {40, 2000, 12.9}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		double limit = limit_of(known[i].n, known[i].tests);

		assert_true(limit > 0.95 * known[i].limit);
		assert_true(limit < 1.5 * known[i].limit);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(one_of_twenty_sound_sets_has_an_outlier_at_most),
	cmocka_unit_test(the_limit_is_no_higher_than_it_must_be),
	cmocka_unit_test(few_values_and_many_tests_raise_it),
	cmocka_unit_test(the_limit_is_high_enough_for_many_tests),
};

CASE_GROUP(cases);
