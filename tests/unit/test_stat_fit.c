/* The weighted line: exact where it must be, refused where there is none. */
#include <errno.h>
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
	assert_true(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)));
}

static const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1};

/* Points on a line give that line, whatever they weigh. */
static void points_on_a_line_give_the_line(void **state)
{
	const double x[] = {64, 128, 256, 512, 65536};
	const double unlike[] = {1e-6, 3, 1e6, 0.5, 7};
	double y[5], a, b;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		y[i] = 6.5 + 0.04 * x[i];
	for (size_t n = 2; n <= 5; n++) {
		assert_int_equal(stat_fit_line(x, y, ones, n, &a, &b), 0);
		assert_near(a, 6.5);
		assert_near(b, 0.04);
		assert_int_equal(stat_fit_line(x, y, unlike, n, &a, &b), 0);
		assert_near(a, 6.5);
		assert_near(b, 0.04);
	}
}

/* By hand: x 0, 1, 2 and y 0, 0, 3 give -0.5 + 1.5 x. */
static void least_squares_agree_with_a_search(void **state)
{
	const double x[] = {0, 1, 2}, y[] = {0, 0, 3};
	double a, b;

	(void)state;
	assert_int_equal(stat_fit_line(x, y, ones, 3, &a, &b), 0);
	assert_near(a, -0.5);
	assert_near(b, 1.5);
}

/* A point of weight 3 is three points. */
static void weights_count_points(void **state)
{
	const double x[] = {0, 1, 2}, y[] = {1, 4, 2}, w[] = {1, 3, 2};
	const double all_x[] = {0, 1, 1, 1, 2, 2}, all_y[] = {1, 4, 4, 4, 2, 2};
	double a, b, all_a, all_b;

	(void)state;
	assert_int_equal(stat_fit_line(x, y, w, 3, &a, &b), 0);
	assert_int_equal(
		stat_fit_line(all_x, all_y, ones, 6, &all_a, &all_b), 0);
	assert_near(a, all_a);
	assert_near(b, all_b);
	/* By hand: means 7/6 and 17/6, slope (1/6) / (17/6). */
	assert_near(b, 1.0 / 17);
	assert_near(a, 17.0 / 6 - 7.0 / 6 / 17);
}

/* Numbers far from 0 do not cancel each other's digits. */
static void points_far_from_zero_fit(void **state)
{
	const double x[] = {1e9, 1e9 + 1, 1e9 + 2};
	const double y[] = {5, 7, 9};
	double a, b;

	(void)state;
	assert_int_equal(stat_fit_line(x, y, ones, 3, &a, &b), 0);
	assert_near(b, 2);
	assert_near(a, 5 - 2e9);
}

static void what_is_no_line_has_no_fit(void **state)
{
	const double x[] = {3, 3, 3}, two[] = {1, 2, 3}, y[] = {1, 2, 3};
	const double hole[] = {1, NAN, 3}, endless[] = {1, INFINITY, 3};
	const double nothing[] = {0, 0, 0};
	double a, b;

	(void)state;
	assert_int_equal(stat_fit_line(two, y, ones, 0, &a, &b), -EDOM);
	assert_int_equal(stat_fit_line(two, y, ones, 1, &a, &b), -EDOM);
	assert_int_equal(stat_fit_line(x, y, ones, 3, &a, &b), -EDOM);
	assert_int_equal(stat_fit_line(two, hole, ones, 3, &a, &b), -EDOM);
	assert_int_equal(stat_fit_line(hole, y, ones, 3, &a, &b), -EDOM);
	assert_int_equal(stat_fit_line(two, y, hole, 3, &a, &b), -EDOM);
	assert_int_equal(stat_fit_line(two, endless, ones, 3, &a, &b), -EDOM);
	assert_int_equal(stat_fit_line(two, y, endless, 3, &a, &b), -EDOM);
	assert_int_equal(stat_fit_line(two, y, nothing, 3, &a, &b), -EDOM);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(points_on_a_line_give_the_line),
	cmocka_unit_test(least_squares_agree_with_a_search),
	cmocka_unit_test(weights_count_points),
	cmocka_unit_test(points_far_from_zero_fit),
	cmocka_unit_test(what_is_no_line_has_no_fit),
};

CASE_GROUP(cases);
