/*
 * The random generator against its references, and that what is drawn from it
 * is uniform. Seeds are fixed: nothing here fails by chance.
 *
 * The expected numbers come from the authors' definitions, computed apart in
 * Python: xoshiro256** from the state {1, 2, 3, 4} (the outputs that test
 * suites of other implementations list too), splitmix64 from 1234567.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "stat/stat.h"

static void xoshiro_gives_the_reference(void **state)
{
	static const uint64_t expected[] = {UINT64_C(11520), UINT64_C(0),
		UINT64_C(1509978240), UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360), UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625), UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777), UINT64_C(2904607092377533576)};
	struct stat_random random = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_true(stat_random_next(&random) == expected[i]);
}

static void seeds_go_through_splitmix(void **state)
{
	static const uint64_t expected[] = {UINT64_C(6457827717110365317),
		UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431)};
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 1234567);
	assert_memory_equal(random.state, expected, sizeof(expected));
	assert_true(stat_random_next(&random) == UINT64_C(3504822795582309479));
	stat_random_init(&random, 0);
	assert_true(random.state[0] == UINT64_C(16294208416658607535));
}

/* Pearson's chi-square of counts[bins] that should be equal. */
static double chi_square(const unsigned *counts, size_t bins)
{
	double total = 0, sum = 0;

	for (size_t i = 0; i < bins; i++)
		total += counts[i];
	for (size_t i = 0; i < bins; i++) {
		double expected = total / (double)bins;
		double off = counts[i] - expected;

		sum += off * off / expected;
	}
	return sum;
}

/*
 * Bounds and the 99.9 % quantile of chi-square with bound - 1 degrees of
 * freedom, from tables (NIST/SEMATECH e-Handbook, 1.3.6.7.4).
 */
static void below_is_uniform(void **state)
{
	static const struct {
		unsigned bound;
		double quantile;
	} cases[] = {{2, 10.828}, {3, 13.816}, {7, 22.458}, {16, 37.697},
		{100, 148.230}};
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 20260101);
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		unsigned counts[100] = {0};

		for (unsigned i = 0; i < 1000 * cases[c].bound; i++) {
			uint64_t x = stat_random_below(&random, cases[c].bound);

			assert_in_range(x, 0, cases[c].bound - 1);
			counts[x]++;
		}
		assert_true(
			chi_square(counts, cases[c].bound) < cases[c].quantile);
	}
}

/*
 * With a bound of 3 * 2^62 a plain remainder would give the lowest third twice
 * as often as the others.
 */
static void a_huge_bound_has_no_bias(void **state)
{
	const uint64_t third = UINT64_C(1) << 62;
	unsigned counts[3] = {0};
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 3);
	for (unsigned i = 0; i < 30000; i++)
		counts[stat_random_below(&random, 3 * third) / third]++;
	assert_true(chi_square(counts, 3) < 13.816);
}

static void a_bound_of_one_gives_zero(void **state)
{
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 9);
	for (unsigned i = 0; i < 10; i++)
		assert_true(stat_random_below(&random, 1) == 0);
}

static void shuffles_are_permutations(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 3, 10, 1000, 65536};
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 4);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		size_t n = sizes[s];
		uint32_t *order = malloc((n + 1) * sizeof(*order));
		char *seen = calloc(n + 1, 1);

		assert_non_null(order);
		assert_non_null(seen);
		order[n] = 12345;
		stat_shuffle(&random, order, n);
		for (size_t i = 0; i < n; i++) {
			assert_true(order[i] < n);
			assert_false(seen[order[i]]);
			seen[order[i]] = 1;
		}
		assert_int_equal(order[n], 12345);
		free(order);
		free(seen);
	}
}

/* All 24 orders of four, each a thousand times or so. */
static void shuffles_are_uniform(void **state)
{
	unsigned counts[256] = {0}, used[24];
	struct stat_random random;
	size_t n = 0;

	(void)state;
	stat_random_init(&random, 5);
	for (unsigned i = 0; i < 24000; i++) {
		uint32_t o[4];

		stat_shuffle(&random, o, 4);
		counts[o[0] << 6 | o[1] << 4 | o[2] << 2 | o[3]]++;
	}
	for (size_t i = 0; i < 256; i++) {
		if (counts[i] == 0)
			continue;
		assert_true(n < 24);
		used[n++] = counts[i];
	}
	assert_int_equal(n, 24);
	assert_true(chi_square(used, 24) < 49.728); /* 99.9 %, 23 degrees */
}

static void one_seed_gives_one_order(void **state)
{
	struct stat_random a, b, c;
	uint32_t x[100], y[100], z[100];

	(void)state;
	stat_random_init(&a, 77);
	stat_random_init(&b, 77);
	stat_random_init(&c, 78);
	stat_shuffle(&a, x, 100);
	stat_shuffle(&b, y, 100);
	stat_shuffle(&c, z, 100);
	assert_memory_equal(x, y, sizeof(x));
	assert_memory_not_equal(x, z, sizeof(x));
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(xoshiro_gives_the_reference),
	cmocka_unit_test(seeds_go_through_splitmix),
	cmocka_unit_test(below_is_uniform),
	cmocka_unit_test(a_huge_bound_has_no_bias),
	cmocka_unit_test(a_bound_of_one_gives_zero),
	cmocka_unit_test(shuffles_are_permutations),
	cmocka_unit_test(shuffles_are_uniform),
	cmocka_unit_test(one_seed_gives_one_order),
};

CASE_GROUP(cases);
