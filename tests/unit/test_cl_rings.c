/* Rings of c2c cl latency: each goes once through all of its lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cl/memory/rings.h"

/* Two sizes in each doubling. */
static const size_t lines[] = {
	16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};

#define N (sizeof(lines) / sizeof(lines[0]))

/* [rings->lines * rings->words] how many rings have each word. */
static unsigned char *count_words(const struct rings *rings)
{
	unsigned char *count = calloc(rings->lines, rings->words);

	assert_non_null(count);
	for (size_t k = 0; k < rings->n; k++) {
		const struct ring *ring = &rings->ring[k];

		for (size_t place = 0; place < ring->n; place++) {
			size_t word = rings_word(rings, ring, place);

			assert_true(word < rings->lines * rings->words);
			/* Its own word of a line, and its own lines. */
			assert_int_equal(word % rings->words, ring->word);
			assert_true(word / rings->words >= ring->first);
			assert_true(
				word / rings->words < ring->first + ring->n);
			count[word]++;
		}
	}
	return count;
}

static void a_ring_has_each_line_once_and_no_word_of_another(void **state)
{
	struct stat_random random;
	struct rings rings;

	(void)state;
	stat_random_init(&random, 1);
	for (size_t words = 1; words <= 32; words *= 2) {
		unsigned char *count;
		size_t sum = 0, all = 0;

		assert_int_equal(
			rings_init(&rings, lines, N, words, &random), 0);
		count = count_words(&rings);
		for (size_t i = 0; i < rings.lines * words; i++) {
			assert_true(count[i] <= 1);
			sum += count[i];
		}
		for (size_t k = 0; k < N; k++)
			all += lines[k];
		assert_int_equal(sum, all);
		/* Small rings lie in the lines of the largest. */
		assert_int_equal(
			rings.lines, words >= 4 ? lines[N - 1] : rings.lines);
		free(count);
		rings_release(&rings);
	}
}

static void a_round_ends_where_it_began(void **state)
{
	struct stat_random random;
	struct rings rings;

	(void)state;
	stat_random_init(&random, 2);
	assert_int_equal(rings_init(&rings, lines, N, 8, &random), 0);
	for (size_t k = 0; k < N; k++) {
		const struct ring *ring = &rings.ring[k];

		assert_int_equal(rings_word(&rings, ring, 3 + 5 * ring->n),
			rings_word(&rings, ring, 3));
		assert_int_not_equal(rings_word(&rings, ring, 3),
			rings_word(&rings, ring, 4));
	}
	rings_release(&rings);
}

/* Of a thousand steps hardly any goes to the line that follows. */
static void the_order_is_random(void **state)
{
	struct stat_random random;
	struct rings rings;
	size_t next = 0;

	(void)state;
	stat_random_init(&random, 3);
	assert_int_equal(rings_init(&rings, lines, N, 8, &random), 0);
	for (size_t k = 6; k < N; k++) {
		const struct ring *ring = &rings.ring[k];

		for (size_t i = 0; i + 1 < ring->n; i++)
			next += ring->order[i + 1] == ring->order[i] + 1;
	}
	assert_true(next < 60);
	rings_release(&rings);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_ring_has_each_line_once_and_no_word_of_another),
	cmocka_unit_test(a_round_ends_where_it_began),
	cmocka_unit_test(the_order_is_random),
};

CASE_GROUP(cases);
