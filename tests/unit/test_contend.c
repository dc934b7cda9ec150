/*
 * What c2c contend plans: who joins when, how many CPUs a point has, and what
 * its lists mean. Two packages of two LLCs of two cores of two siblings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/contend/contend.h"

#define CPUS 16

static unsigned char distance[CPUS * CPUS];

static int make_distances(void **state)
{
	(void)state;
	for (unsigned a = 0; a < CPUS; a++) {
		for (unsigned b = 0; b < CPUS; b++) {
			unsigned char d = DISTANCE_SAME_CORE;

			while (a >> (d + 1) != b >> (d + 1))
				d++;
			distance[a * CPUS + b] = d;
		}
	}
	return 0;
}

/* The CPUs of the first one's domain in the order in which they join. */
static void check_order(enum distance level, const unsigned *expected, size_t n)
{
	uint32_t places[CPUS], joined[CPUS] = {0};

	contend_spread(distance, CPUS, level, places);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(places[i] < n);
		joined[places[i]] = i;
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(joined[i], expected[i]);
}

static void far_cpus_join_first(void **state)
{
	const unsigned core[] = {0, 1};
	const unsigned llc[] = {0, 2, 1, 3};
	const unsigned package[] = {0, 4, 2, 6, 1, 5, 3, 7};
	const unsigned all[] = {
		0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};

	(void)state;
	check_order(DISTANCE_SAME_CORE, core, 2);
	check_order(DISTANCE_SAME_LLC, llc, 4);
	check_order(DISTANCE_SAME_PACKAGE, package, 8);
	check_order(DISTANCE_OTHER_PACKAGE, all, 16);
}

/* Every level gives the CPUs of each of its parts all places from 0 on. */
static void each_part_fills_its_places(void **state)
{
	(void)state;
	for (int level = 0; level < DISTANCES; level++) {
		uint32_t places[CPUS], size = 2u << level;
		unsigned seen[CPUS] = {0};

		contend_spread(distance, CPUS, (enum distance)level, places);
		for (uint32_t i = 0; i < CPUS; i++) {
			assert_true(places[i] < size);
			seen[i / size * size + places[i]]++;
		}
		for (uint32_t i = 0; i < CPUS; i++)
			assert_int_equal(seen[i], 1);
	}
}

static void points_thin_out_and_end_with_all(void **state)
{
	const uint32_t expected[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 61};
	size_t at = 0;

	(void)state;
	for (uint32_t n = 1; n <= 61; n = contend_next(n, 61))
		assert_int_equal(n, expected[at++]);
	assert_int_equal(at, sizeof(expected) / sizeof(*expected));
	for (uint32_t most = 1; most < 300; most++) {
		uint32_t last = 0;

		for (uint32_t n = 1; n <= most; n = contend_next(n, most)) {
			assert_true(n > last);
			last = n;
		}
		assert_int_equal(last, most);
	}
}

static void lists_have_each_word_once_in_their_order(void **state)
{
	struct contend_operations operations;
	struct contend_sharings sharings;

	(void)state;
	assert_int_equal(contend_parse_operations(
				 &operations, "lock,add,lock,load", NULL),
		0);
	assert_int_equal(operations.n, 3);
	assert_string_equal(operations.list[0]->name, "lock");
	assert_string_equal(operations.list[1]->name, "add");
	assert_string_equal(operations.list[2]->name, "load");
	assert_int_equal(
		contend_parse_sharings(&sharings, "none,word,none", NULL), 0);
	assert_int_equal(sharings.n, 2);
	assert_int_equal(sharings.list[0], CONTEND_NONE);
	assert_int_equal(sharings.list[1], CONTEND_WORD);
}

static void other_words_are_refused(void **state)
{
	const char *const words[] = {"", ",", "add,", ",add", "ad", "adds",
		"ADD", "add lock", "add,exchange-exchange-exchange"};
	struct contend_operations operations;
	struct contend_sharings sharings;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		assert_true(contend_parse_operations(
				    &operations, words[i], &err) < 0);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_non_null(strstr(err.text, "exchange, cas, lock"));
		assert_true(
			contend_parse_sharings(&sharings, words[i], &err) < 0);
		assert_non_null(strstr(err.text, "word, line, none"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_cpus_join_first),
		cmocka_unit_test(each_part_fills_its_places),
		cmocka_unit_test(points_thin_out_and_end_with_all),
		cmocka_unit_test(lists_have_each_word_once_in_their_order),
		cmocka_unit_test(other_words_are_refused),
	};

	return cmocka_run_group_tests_name(
		"contend", tests, make_distances, NULL);
}
