/*
 * The centre of differences against numbers counted by hand and against the
 * test of signed ranks; the test of joint signs against counts, and by how
 * often it errs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "stat/stat.h"

static void near(double found, double expected)
{
	if (!(fabs(found - expected) < 1e-9))
		fail_msg("found %.12g, expected %.12g", found, expected);
}

/* A number between -1 and 1. */
static double draw(struct stat_random *random)
{
	return (double)stat_random_below(random, 2000001) / 1e6 - 1;
}

static double signed_rank_from(
	const double *d, size_t n, double centre, struct arena *arena)
{
	double *moved = arena_alloc(arena, n, sizeof(*moved));

	for (size_t i = 0; i < n; i++)
		moved[i] = d[i] - centre;
	return stat_signed_rank(moved, n, arena);
}

static void centre_is_the_median_of_means(void **state)
{
	const double six[] = {6, 1, 5, 2, 4, 3};
	const double ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	struct arena arena = {0};
	struct stat_centre centre;

	(void)state;
	assert_int_equal(stat_centre(six, 6, &centre, &arena), 0);
	near(centre.middle, 3.5);
	near(centre.low, 1);
	near(centre.high, 6);
	/* Sums up to 8 of 55 have p 0.024, so the ninth mean is the limit. */
	assert_int_equal(stat_centre(ten, 10, &centre, &arena), 0);
	near(centre.middle, 5.5);
	near(centre.low, 3);
	near(centre.high, 8);
	assert_true(stat_centre(ten, 5, &centre, &arena) < 0);
	assert_true(isnan(centre.middle));
	assert_null(arena.last);
}

static void interval_has_what_signed_ranks_do_not_reject(void **state)
{
	struct arena arena = {0};
	struct stat_random random;
	double d[60];

	(void)state;
	stat_random_init(&random, 7);
	for (size_t n = 6; n <= 60; n += 3) {
		struct stat_centre centre;

		for (size_t i = 0; i < n; i++)
			d[i] = draw(&random) + 0.3;
		assert_int_equal(stat_centre(d, n, &centre, &arena), 0);
		assert_true(signed_rank_from(d, n, centre.low + 1e-6, &arena) >
			    0.049);
		assert_true(signed_rank_from(d, n, centre.high - 1e-6, &arena) >
			    0.049);
		assert_true(signed_rank_from(d, n, centre.low - 1e-6, &arena) <
			    0.051);
		assert_true(signed_rank_from(d, n, centre.high + 1e-6, &arena) <
			    0.051);
	}
	arena_release(&arena);
}

static void all_signs_are_counted(void **state)
{
	const double up[] = {1, 2, 3, 4, 5, 6}, ones[] = {1, 1, 1, 1, 1, -1};
	const double some[] = {NAN, 1, 2, 3, 4, 5, 6, NAN};
	struct arena arena = {0};
	double p;

	(void)state;
	stat_flip_signs(up, 6, 1, &p, &arena);
	near(p, 2.0 / 64);
	/* 14 of 64 sums of six ones are 4 or more, either way. */
	stat_flip_signs(ones, 6, 1, &p, &arena);
	near(p, 14.0 / 64);
	stat_flip_signs(some, 8, 1, &p, &arena);
	near(p, 2.0 / 64);
	/* An interval needs six, and so does the test. */
	stat_flip_signs(some, 6, 1, &p, &arena);
	near(p, 1);
	assert_null(arena.last);
}

static void larger_effects_do_not_hide_smaller_ones(void **state)
{
	double d[6 * 3];
	struct arena arena = {0};
	double p[3];

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		d[i * 3] = (double)(i + 1);
		d[i * 3 + 1] = i < 5 ? 1 : -1;
		d[i * 3 + 2] = 0;
	}
	stat_flip_signs(d, 6, 3, p, &arena);
	near(p[0], 4.0 / 64);
	near(p[1], 14.0 / 64);
	near(p[2], 1);
}

static void columns_of_few_values_do_not_hide_others(void **state)
{
	double d[12 * 3];
	struct arena arena = {0};
	double p[3];

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		d[i * 3] = i % 2 ? 1 : 1.2;
		/* Its mean over its spread is larger, but not its t. */
		d[i * 3 + 1] = i >= 6 ? NAN : i % 2 ? 1 : 1.15;
		d[i * 3 + 2] = i > 0 ? NAN : 1;
	}
	stat_flip_signs(d, 12, 3, p, &arena);
	near(p[0], 2.0 / 4096);
	near(p[1], 2.0 / 64);
	near(p[2], 1);
}

/* Of so many columns of chance, with a part that all columns share. */
static bool any_is_found(
	struct stat_random *random, size_t n, size_t columns, double first)
{
	struct arena arena = {0};
	double *d = arena_alloc(&arena, n * columns, sizeof(*d));
	double *p = arena_alloc(&arena, columns, sizeof(*p));
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		double shared = draw(random);

		for (size_t k = 0; k < columns; k++)
			d[i * columns + k] =
				shared + draw(random) + (k == 0 ? first : 0);
	}
	stat_flip_signs(d, n, columns, p, &arena);
	for (size_t k = first != 0; k < columns; k++)
		found |= p[k] < 0.05;
	arena_release(&arena);
	return found;
}

static void one_test_in_twenty_errs(void **state)
{
	struct stat_random random;
	size_t alone = 0, beside = 0, many = 0;

	(void)state;
	stat_random_init(&random, 3);
	for (size_t i = 0; i < 400; i++) {
		alone += any_is_found(&random, 12, 7, 0);
		beside += any_is_found(&random, 12, 7, 5);
	}
	for (size_t i = 0; i < 40; i++)
		many += any_is_found(&random, 30, 7, 0);
	/* 20 are expected, with a standard deviation of 4.4; of 40 two. */
	assert_in_range(alone, 5, 31);
	assert_in_range(beside, 5, 31);
	assert_in_range(many, 0, 6);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(centre_is_the_median_of_means),
	cmocka_unit_test(interval_has_what_signed_ranks_do_not_reject),
	cmocka_unit_test(all_signs_are_counted),
	cmocka_unit_test(larger_effects_do_not_hide_smaller_ones),
	cmocka_unit_test(columns_of_few_values_do_not_hide_others),
	cmocka_unit_test(one_test_in_twenty_errs),
};

CASE_GROUP(cases);
