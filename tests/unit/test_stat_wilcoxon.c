/*
 * Rank tests against numbers counted by hand, by a brute-force count of every
 * arrangement, and against each other where exact and approximate meet.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "stat/stat.h"

static double rank_sum(const double *x, size_t n, const double *y, size_t m)
{
	struct arena arena = {0};
	double p = stat_rank_sum(x, n, y, m, &arena);
	double back = stat_rank_sum(y, m, x, n, &arena);

	assert_true(fabs(p - back) < 1e-12);
	assert_null(arena.last);
	return p;
}

static double signed_rank(const double *d, size_t n)
{
	struct arena arena = {0};
	double p = stat_signed_rank(d, n, &arena);

	assert_null(arena.last);
	return p;
}

static void near(double found, double expected)
{
	if (fabs(found - expected) > 1e-9)
		fail_msg("found %.12g, expected %.12g", found, expected);
}

static void samples_apart_have_the_least_p(void **state)
{
	const double low[] = {1, 2, 3}, high[] = {4, 5, 6, 7};

	(void)state;
	/* Two of the 35 ways to choose three of seven. */
	near(rank_sum(low, 3, high, 4), 2.0 / 35);
	near(stat_rank_sum_least(3, 4), 2.0 / 35);
	near(stat_rank_sum_least(4, 3), 2.0 / 35);
	near(stat_rank_sum_least(1, 1), 1);
	/* Sums 6 + 1: one step nearer on either side, 1 + 1 ways each. */
	near(rank_sum((const double[]){1, 2, 4}, 3,
		     (const double[]){3, 5, 6, 7}, 4),
		4.0 / 35);
	near(rank_sum(low, 3, low, 3), 1);
	near(rank_sum(low, 1, high, 1), 1);
}

static void ties_are_exact(void **state)
{
	/* Ranks 2 2 2 | 5 5 5 of 3 ones and 3 twos: 2 of 20 ways. */
	const double ones[] = {1, 1, 1}, twos[] = {2, 2, 2};
	const double same[] = {7, 7, 7, 7};

	(void)state;
	near(rank_sum(ones, 3, twos, 3), 0.1);
	near(rank_sum(same, 4, same, 3), 1);
}

/* Every choice of n of total values, against the function. */
static void brute_force_gives_the_same(void **state)
{
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 4);
	for (size_t round = 0; round < 300; round++) {
		size_t n = 1 + (size_t)stat_random_below(&random, 6);
		size_t m = 1 + (size_t)stat_random_below(&random, 6);
		size_t total = n + m;
		double values[12], ranks[12];
		double seen = 0, mean = (double)(n * (total + 1)) / 2;
		unsigned far = 0, all = 0;

		/* Few values, so that many are equal. */
		for (size_t i = 0; i < total; i++)
			ranks[i] = values[i] = (double)stat_random_below(
				&random, round % 2 ? 5 : 1000);
		assert_int_equal(stat_ranks(ranks, total), 0);
		for (size_t i = 0; i < n; i++)
			seen += ranks[i];
		for (unsigned set = 0; set < 1U << total; set++) {
			double sum = 0;

			if ((size_t)__builtin_popcount(set) != n)
				continue;
			for (size_t i = 0; i < total; i++)
				sum += set >> i & 1 ? ranks[i] : 0;
			all++;
			far += fabs(sum - mean) >= fabs(seen - mean);
		}
		near(rank_sum(values, n, values + n, m), (double)far / all);
	}
}

static void many_values_are_approximated(void **state)
{
	double x[200], y[200], apart[200], exact, beyond;

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		x[i] = (double)((i * 37) % 200);
		y[i] = (double)((i * 53) % 200);
		apart[i] = x[i] + 1000;
	}
	near(rank_sum(x, 200, y, 200), 1);
	assert_true(rank_sum(x, 200, apart, 200) < 1e-60);
	assert_true(rank_sum(x, 200, apart, 200) > 0);
	/* 20 and 20 are counted, 20 and 21 are not: nearly the same. */
	for (size_t i = 0; i < 21; i++) {
		x[i] = (double)(10 * i);
		y[i] = (double)(10 * i) + 35;
	}
	exact = rank_sum(x, 20, y, 20);
	beyond = rank_sum(x, 20, y, 21);
	assert_true(exact > 0.05 && exact < 0.5);
	assert_true(fabs(exact - beyond) < 0.1 && beyond < exact);
}

static void signs_are_exact(void **state)
{
	const double up[] = {1, 2, 3, 4, 5, 6};
	const double one_down[] = {-1, 2, 3, 4, 5, 6};
	const double tied[] = {1, 1, 1, -1};
	const double with_zeros[] = {0, 1, 2, 3, 0, 4, 5, 6, 0};

	(void)state;
	near(signed_rank(up, 6), 2.0 / 64);
	near(signed_rank(one_down, 6), 4.0 / 64);
	/* 1 + 4 of 16 ways have at most one of another sign, each side. */
	near(signed_rank(tied, 4), 10.0 / 16);
	near(signed_rank(with_zeros, 9), 2.0 / 64);
	near(signed_rank((const double[]){0, 0, 0}, 3), 1);
}

static void many_signs_are_approximated(void **state)
{
	double d[100];
	double exact, beyond;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		d[i] = (double)(i + 1) * (i % 3 ? 1 : -1);
	exact = signed_rank(d, 40);
	beyond = signed_rank(d, 41);
	assert_true(exact > 0.001 && exact < 0.2);
	assert_true(fabs(exact - beyond) < 0.06 && beyond < exact);
	for (size_t i = 0; i < 100; i++)
		d[i] = (double)(i + 1);
	assert_true(signed_rank(d, 100) < 1e-15);
}

static void nothing_has_no_answer(void **state)
{
	const double x[] = {1};
	struct arena arena = {0};

	(void)state;
	assert_true(isnan(stat_rank_sum(x, 0, x, 1, &arena)));
	assert_true(isnan(stat_rank_sum(x, 1, x, 0, &arena)));
	assert_true(isnan(stat_signed_rank(x, 0, &arena)));
}

/* Rows of n runs and n. */
static void permute(const double *values, size_t n_values, size_t n, double *p)
{
	const struct stat_runs runs = {
		.values = values, .n_values = n_values, .n = n, .m = n};
	struct arena arena = {0};

	stat_permute(&runs, p, &arena);
	arena_release(&arena);
}

/* Rows of five runs and five. */
static void whole_runs_are_permuted(void **state)
{
	static const double rows[4][10] = {
		/* Apart; nearly; alike; one run lacks it. */
		{1, 1.01, 1.02, 1.01, 1, 2, 2.01, 2.02, 2.01, 2},
		{1, 1, 1, 1, 2, 1, 2, 2, 2, 2},
		{5, 5.1, 5.2, 5.1, 5, 5, 5.1, 5.2, 5.1, 5},
		{1, 1, 1, 1, 1, 2, 2, 2, 2, NAN},
	};
	double p[4];

	(void)state;
	/* Alone, only the real division and its mirror are as far apart. */
	permute(rows[0], 1, 5, p);
	near(p[0], 2.0 / 252);
	near(stat_permute_least(5, 5), 2.0 / 252);
	near(stat_permute_least(4, 4), 2.0 / 70);
	near(stat_permute_least(5, 1), 1.0 / 6);
	near(stat_permute_least(1, 1), 1);
	/* One run of each side changes places: 25 ways, twice, and the two. */
	permute(rows[1], 1, 5, p);
	near(p[0], 52.0 / 252);
	permute(&rows[0][0], 4, 5, p);
	assert_true(p[0] <= 0.05 && p[1] > 0.05);
	near(p[2], 1);
	assert_true(isnan(p[3]));
}

/* Of more than some thousands, random divisions are about as many. */
static void many_divisions_are_drawn(void **state)
{
	double runs[20], p, again;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		runs[i] = (double)(i % 10) + (i < 10 ? 0 : 100);
	permute(runs, 1, 10, &p);
	near(p, 1.0 / 5000);
	for (size_t i = 0; i < 20; i++)
		runs[i] = (double)(i * 7 % 20);
	permute(runs, 1, 10, &p);
	permute(runs, 1, 10, &again);
	assert_true(p > 0.05);
	near(p, again);
}

/* Runs in turns that drift: 10 % a run, and 5 % more in the second group. */
static void drift_in_turns_is_taken_out(void **state)
{
	static const double noise[10] = {
		0, 0.4, -0.3, 0.2, -0.4, 0.1, 0.3, -0.2, -0.1, 0.25};
	double values[10], when[10], p;
	struct stat_runs runs = {
		.values = values, .n_values = 1, .n = 5, .m = 5};
	struct arena arena = {0};

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		when[i] = (double)(i < 5 ? 2 * i : 2 * (i - 5) + 1);
		values[i] = 100 + 10 * when[i] + noise[i] + (i < 5 ? 0 : 5);
	}
	stat_permute(&runs, &p, &arena);
	assert_true(p > 0.05);
	stat_detrend(values, when, 10);
	runs.when = when;
	stat_permute(&runs, &p, &arena);
	assert_true(p <= 0.05);
	/* Nothing is left of a line. */
	for (size_t i = 0; i < 10; i++)
		values[i] = 3 - when[i];
	stat_detrend(values, when, 10);
	for (size_t i = 0; i < 10; i++)
		near(values[i], 3 - 4.5);
	arena_release(&arena);
}

static void groups_are_apart_in_time_or_not(void **state)
{
	static const double row[] = {0, 1, 2, 3}, turns[] = {0, 3, 1, 2};

	(void)state;
	near(stat_apart_in_time(row, 2, 2), 0.8);
	near(stat_apart_in_time(turns, 2, 2), 0);
	near(stat_apart_in_time(row, 4, 0), 0);
	near(stat_apart_in_time((const double[]){1, 1}, 1, 1), 0);
}

/* One kind varies by 20 %. The other varies by 1 % and changes by 8 %. */
static void kinds_of_values_have_floors_of_their_own(void **state)
{
	double values[4][10], p[4];
	unsigned char kinds[4] = {0, 0, 0, 1};
	struct stat_runs runs = {
		.values = values[0], .n_values = 4, .n = 5, .m = 5};
	struct arena arena = {0};
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 1);
	for (size_t k = 0; k < 4; k++) {
		for (size_t i = 0; i < 10; i++)
			values[k][i] =
				1 +
				(k < 3 ? 0.4 : 0.02) *
					((double)stat_random_below(&random,
						 1001) / 1000 -
						0.5) +
				(k == 3 && i >= 5 ? 0.08 : 0);
	}
	stat_permute(&runs, p, &arena);
	assert_true(p[3] > 0.05);
	runs.kinds = kinds;
	stat_permute(&runs, p, &arena);
	assert_true(p[3] <= 0.05);
	arena_release(&arena);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(samples_apart_have_the_least_p),
	cmocka_unit_test(ties_are_exact),
	cmocka_unit_test(brute_force_gives_the_same),
	cmocka_unit_test(many_values_are_approximated),
	cmocka_unit_test(signs_are_exact),
	cmocka_unit_test(many_signs_are_approximated),
	cmocka_unit_test(nothing_has_no_answer),
	cmocka_unit_test(whole_runs_are_permuted),
	cmocka_unit_test(many_divisions_are_drawn),
	cmocka_unit_test(drift_in_turns_is_taken_out),
	cmocka_unit_test(groups_are_apart_in_time_or_not),
	cmocka_unit_test(kinds_of_values_have_floors_of_their_own),
};

CASE_GROUP(cases);
