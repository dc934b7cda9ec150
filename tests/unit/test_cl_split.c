/* Work that threads share: all of it, once, and none for a few words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cl/split.h"

struct seen {
	unsigned char *count;
	size_t n_of[SPLIT_MOST];
};

static void see(void *context, size_t part, size_t first, size_t end)
{
	struct seen *seen = context;

	for (size_t i = first; i < end; i++)
		seen->count[i]++;
	seen->n_of[part] = end - first;
}

/* How many parts there were of n for that many CPUs. */
static size_t split(size_t n, size_t cpus)
{
	struct seen seen = {.count = calloc(n + 1, 1)};
	size_t parts, sum = 0;

	assert_non_null(seen.count);
	parts = split_run(n, cpus, see, &seen);
	assert_true(parts >= 1 && parts <= SPLIT_MOST);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(seen.count[i], 1);
	for (size_t i = 0; i < parts; i++) {
		assert_true(parts == 1 || seen.n_of[i] >= SPLIT_LEAST);
		sum += seen.n_of[i];
	}
	assert_int_equal(sum, n);
	free(seen.count);
	return parts;
}

static void each_word_has_one_part(void **state)
{
	(void)state;
	assert_int_equal(split(5 * SPLIT_LEAST + 7, 3), 3);
	assert_int_equal(split(5 * SPLIT_LEAST + 7, 16), 5);
	assert_int_equal(split(70 * SPLIT_LEAST, 500), SPLIT_MOST);
}

static void few_words_need_no_threads(void **state)
{
	(void)state;
	assert_int_equal(split(0, 16), 1);
	assert_int_equal(split(2 * SPLIT_LEAST - 1, 16), 1);
	assert_int_equal(split(8 * SPLIT_LEAST, 1), 1);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(each_word_has_one_part),
	cmocka_unit_test(few_words_need_no_threads),
};

CASE_GROUP(cases);
