/*
 * Spearman's correlation against values worked out by hand: without ties by
 * 1 - 6 sum(d^2) / (n (n^2 - 1)), with ties as Pearson's of the mean ranks.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "stat/stat.h"

static void assert_rho(
	const double *x, const double *y, size_t n, double expected)
{
	double rho = 42;

	assert_int_equal(stat_spearman(x, y, n, &rho), 0);
	assert_true(fabs(rho - expected) < 1e-12);
	assert_int_equal(stat_spearman(y, x, n, &rho), 0);
	assert_true(fabs(rho - expected) < 1e-12);
}

static void ranks_without_ties_give_known_values(void **state)
{
	const double x[] = {1, 2, 3, 4, 5};
	const double same[] = {10, 20, 25, 100, 1e9};
	const double back[] = {5, 4, 3, 2, -7};
	/* Ranks 2 1 4 3 5: sum(d^2) = 4, 1 - 24 / 120. */
	const double near[] = {2, 1, 4, 3, 5};
	/* Ranks 3 5 1 4 2: sum(d^2) = 4 + 9 + 4 + 0 + 9 = 26. */
	const double far[] = {0.3, 0.5, 0.1, 0.4, 0.2};

	(void)state;
	assert_rho(x, same, 5, 1);
	assert_rho(x, back, 5, -1);
	assert_rho(x, near, 5, 0.8);
	assert_rho(x, far, 5, -0.3);
}

static void ranks_with_ties_give_known_values(void **state)
{
	/*
	 * Ranks less 2.5: x -1.5 0 0 1.5, y -1.5 0.5 -0.5 1.5. Sums of
	 * products 4.5, of squares 4.5 and 5: 4.5 / sqrt(22.5).
	 */
	const double x[] = {1, 2, 2, 3};
	const double y[] = {1, 3, 2, 4};
	/*
	 * Ranks: a 2 2 2 4.5 4.5 6, b 1.5 4 4 4 1.5 6. Less 3.5: a -1.5 -1.5
	 * -1.5 1 1 2.5, b -2 0.5 0.5 0.5 -2 2.5. Products sum to 3 - 0.75 -
	 * 0.75 + 0.5 - 2 + 6.25 = 6.25, squares to 15 each.
	 */
	const double a[] = {1, 1, 1, 2, 2, 3};
	const double b[] = {1, 2, 2, 2, 1, 3};

	(void)state;
	assert_rho(x, y, 4, 4.5 / sqrt(22.5));
	assert_rho(a, b, 6, 6.25 / 15);
}

static void missing_places_are_left_out(void **state)
{
	const double x[] = {NAN, 1, 2, 3, 7, 4, 5};
	const double y[] = {3, 2, 1, 4, NAN, 3, 5};

	(void)state;
	assert_rho(x, y, 7, 0.8);
}

static void infinities_have_ranks(void **state)
{
	const double x[] = {-INFINITY, 0, 1, INFINITY};
	const double y[] = {1, 2, 3, 4};

	(void)state;
	assert_rho(x, y, 4, 1);
}

static void constant_values_have_no_correlation(void **state)
{
	const double x[] = {1, 2, 3, 4};
	const double flat[] = {7, 7, 7, 7};
	const double holes[] = {NAN, 1, NAN, 2};
	double rho = 42;

	(void)state;
	assert_int_equal(stat_spearman(x, x, 0, &rho), -EDOM);
	assert_int_equal(stat_spearman(x, x, 2, &rho), -EDOM);
	assert_int_equal(stat_spearman(x, flat, 4, &rho), -EDOM);
	assert_int_equal(stat_spearman(flat, x, 4, &rho), -EDOM);
	assert_int_equal(stat_spearman(x, holes, 4, &rho), -EDOM);
	assert_true(rho == 42);
}

/* Ranks see order alone, and stay within the bounds. */
static void increasing_functions_change_nothing(void **state)
{
	enum {
		N = 500
	};
	double x[N], y[N], exp_x[N], rho, again;
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 6);
	for (unsigned trial = 0; trial < 50; trial++) {
		for (size_t i = 0; i < N; i++) {
			x[i] = (double)stat_random_below(&random, 40);
			y[i] = (double)stat_random_below(&random, 20) + x[i];
			exp_x[i] = exp(x[i] / 10);
		}
		assert_int_equal(stat_spearman(x, y, N, &rho), 0);
		assert_int_equal(stat_spearman(exp_x, y, N, &again), 0);
		assert_true(rho == again);
		assert_true(rho > 0.8 && rho < 1);
		assert_int_equal(stat_spearman(x, exp_x, N, &rho), 0);
		assert_true(fabs(rho - 1) < 1e-12 && rho <= 1);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(ranks_without_ties_give_known_values),
	cmocka_unit_test(ranks_with_ties_give_known_values),
	cmocka_unit_test(missing_places_are_left_out),
	cmocka_unit_test(infinities_have_ranks),
	cmocka_unit_test(constant_values_have_no_correlation),
	cmocka_unit_test(increasing_functions_change_nothing),
};

CASE_GROUP(cases);
