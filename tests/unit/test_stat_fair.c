/* How evenly something is shared: Jain's index, and the least over the most. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "stat/stat.h"

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-12);
}

static void equal_shares_are_one(void **state)
{
	const double x[] = {7e8, 7e8, 7e8, 7e8, 7e8};

	(void)state;
	for (size_t n = 1; n <= 5; n++) {
		assert_near(stat_jain_fairness(x, n), 1);
		assert_near(stat_least_over_most(x, n), 1);
	}
}

static void one_that_has_all_is_one_over_n(void **state)
{
	const double x[] = {0, 0, 3, 0, 0, 0, 0, 0};

	(void)state;
	for (size_t n = 3; n <= 8; n++) {
		assert_near(stat_jain_fairness(x, n), 1.0 / (double)n);
		assert_near(stat_least_over_most(x, n), 0);
	}
}

/* By hand: (1 + 2 + 3)^2 / (3 * (1 + 4 + 9)); the unit does not matter. */
static void unlike_shares_are_between(void **state)
{
	const double x[] = {2, 1, 3}, y[] = {2e-6, 1e-6, 3e-6};

	(void)state;
	assert_near(stat_jain_fairness(x, 3), 36.0 / 42);
	assert_near(stat_jain_fairness(y, 3), 36.0 / 42);
	assert_near(stat_least_over_most(x, 3), 1.0 / 3);
	assert_near(stat_least_over_most(y, 3), 1.0 / 3);
}

static void of_nothing_there_are_no_shares(void **state)
{
	const double x[] = {0, 0};

	(void)state;
	assert_true(isnan(stat_jain_fairness(x, 2)));
	assert_true(isnan(stat_jain_fairness(x, 0)));
	assert_true(isnan(stat_least_over_most(x, 2)));
	assert_true(isnan(stat_least_over_most(x, 0)));
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(equal_shares_are_one),
	cmocka_unit_test(one_that_has_all_is_one_over_n),
	cmocka_unit_test(unlike_shares_are_between),
	cmocka_unit_test(of_nothing_there_are_no_shares),
};

CASE_GROUP(cases);
