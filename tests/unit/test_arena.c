/*
 * Memory that is released together, and calculations that end without it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "util/arena.h"

static void an_array_grows_item_by_item(void **state)
{
	struct arena arena = {0};
	int *items = NULL;

	(void)state;
	for (int n = 0; n < 100; n++) {
		items = arena_grow(&arena, items, (size_t)n, sizeof(*items));
		items[n] = n;
	}
	for (int n = 0; n < 100; n++)
		assert_int_equal(items[n], n);
	arena_release(&arena);
}

static void memory_is_zeroed_and_goes_in_reverse_order(void **state)
{
	struct arena arena = {0};
	const struct arena_block *mark;
	unsigned char *bytes;

	(void)state;
	assert_non_null(arena_alloc(&arena, 3, 8));
	mark = arena.last;
	for (int k = 0; k < 3; k++) {
		bytes = arena_alloc(&arena, 100, 1);
		for (size_t i = 0; i < 100; i++)
			assert_int_equal(bytes[i], 0);
		memset(bytes, 0xff, 100);
		assert_ptr_not_equal(arena.last, mark);
		arena_rewind(&arena, mark);
		assert_ptr_equal(arena.last, mark);
	}
	/* Nothing is something too. */
	assert_non_null(arena_alloc(&arena, 0, 8));
	assert_string_equal(arena_strdup(&arena, "CPU 7"), "CPU 7");
	assert_null(arena_strdup(&arena, NULL));
	assert_string_equal(arena_format(&arena, "CPU %d", 7), "CPU 7");
	assert_string_equal(arena_adopt(&arena, strdup("0-3")), "0-3");
	assert_null(arena_adopt(&arena, NULL));
	arena_release(&arena);
	assert_null(arena.last);
}

/* How far a calculation came. */
struct trial {
	size_t n, bytes;
	int steps;
};

static int work(struct arena *arena, void *context, struct error *err)
{
	struct trial *trial = context;

	memset(arena_alloc(arena, 10, 10), 1, 100);
	trial->steps++;
	(void)err;
	assert_non_null(arena_alloc(arena, trial->n, trial->bytes));
	trial->steps++;
	return trial->steps;
}

static int give_up(struct arena *arena, void *context, struct error *err)
{
	(void)context;
	(void)err;
	arena_fail(arena);
}

static int adopt_nothing(struct arena *arena, void *context, struct error *err)
{
	(void)context;
	(void)err;
	arena_adopt(arena, NULL);
	return 0;
}

static void a_calculation_ends_where_memory_does(void **state)
{
	struct trial fits = {4, 4, 0};
	/* More bytes than there are numbers for: sanitizers end at less. */
	struct trial exceeds = {SIZE_MAX / 2, 4, 0};
	struct arena arena = {0};
	struct error err;

	(void)state;
	assert_int_equal(arena_run(&arena, work, &fits, "it", &err), 2);
	assert_int_equal(
		arena_run(&arena, work, &exceeds, "it", &err), -ENOMEM);
	assert_non_null(strstr(err.text, "it"));
	assert_int_equal(exceeds.steps, 1);
	/* Out of a calculation there is nowhere to go. */
	assert_null(arena_alloc(&arena, exceeds.n, exceeds.bytes));
	assert_int_equal(arena_run(&arena, give_up, NULL, "it", &err), -ENOMEM);
	assert_int_equal(
		arena_run(&arena, adopt_nothing, NULL, "it", &err), -ENOMEM);
	assert_int_equal(arena_run(&arena, work, &fits, "it", &err), 4);
	arena_release(&arena);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(an_array_grows_item_by_item),
	cmocka_unit_test(memory_is_zeroed_and_goes_in_reverse_order),
	cmocka_unit_test(a_calculation_ends_where_memory_does),
};

CASE_GROUP(cases);
