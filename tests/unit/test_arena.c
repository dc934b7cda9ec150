/*
 * Memory that is released together, and calculations that end without it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/arena.h"

static void memory_is_zeroed_and_goes_in_reverse_order(void **state)
{
	struct arena arena = {0};
	const struct arena_block *mark;
	unsigned char *bytes;

	(void)state;
	assert_non_null(arena_take(&arena, 3, 8));
	mark = arena.last;
	for (int k = 0; k < 3; k++) {
		bytes = arena_take(&arena, 100, 1);
		for (size_t i = 0; i < 100; i++)
			assert_int_equal(bytes[i], 0);
		memset(bytes, 0xff, 100);
		assert_ptr_not_equal(arena.last, mark);
		arena_back(&arena, mark);
		assert_ptr_equal(arena.last, mark);
	}
	/* Nothing is something too. */
	assert_non_null(arena_take(&arena, 0, 8));
	assert_string_equal(arena_text(&arena, "CPU 7"), "CPU 7");
	assert_null(arena_text(&arena, NULL));
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

static void work(struct arena *arena, void *context)
{
	struct trial *trial = context;

	memset(arena_take(arena, 10, 10), 1, 100);
	trial->steps++;
	assert_non_null(arena_take(arena, trial->n, trial->bytes));
	trial->steps++;
}

static void give_up(struct arena *arena, void *context)
{
	(void)context;
	arena_fail(arena);
}

static void adopt_nothing(struct arena *arena, void *context)
{
	(void)context;
	arena_adopt(arena, NULL);
}

static void a_calculation_ends_where_memory_does(void **state)
{
	struct trial fits = {4, 4, 0};
	/* More bytes than there are numbers for: sanitizers end at less. */
	struct trial exceeds = {SIZE_MAX / 2, 4, 0};
	struct arena arena = {0};

	(void)state;
	assert_true(arena_try(&arena, work, &fits));
	assert_int_equal(fits.steps, 2);
	assert_false(arena_try(&arena, work, &exceeds));
	assert_int_equal(exceeds.steps, 1);
	/* Out of a calculation there is nowhere to go. */
	assert_null(arena_take(&arena, exceeds.n, exceeds.bytes));
	assert_false(arena_try(&arena, give_up, NULL));
	assert_false(arena_try(&arena, adopt_nothing, NULL));
	assert_true(arena_try(&arena, work, &fits));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_goes_in_reverse_order),
		cmocka_unit_test(a_calculation_ends_where_memory_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
