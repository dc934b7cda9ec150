/* Where a visit by line finds its lines, and where it keeps their times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "probe/probe_by_line.h"

/* The slots that each half of the method used, in order. */
static struct {
	size_t n;
	uint32_t slots[BY_LINE_LINES];
} used[2];

static char block[BY_LINE_BLOCK_BYTES];

/* Note the slot of a visit; its variant is the slot's number. */
static bool note_slot(const struct probe_visit *visit, int half)
{
	size_t offset = (size_t)((char *)visit->slots - block);

	assert_int_equal(visit->params->samples, 1);
	assert_int_equal(visit->params->slots, 1);
	assert_int_equal(offset % PROBE_SLOT_BYTES, 0);
	assert_int_equal(offset / PROBE_SLOT_BYTES, visit->variant);
	assert_in_range(used[half].n, 0, BY_LINE_LINES - 1);
	used[half].slots[used[half].n++] = visit->variant;
	return true;
}

/* A line takes as many ticks as there are slots before it. */
static bool method_first(const struct probe_visit *visit, int64_t *ticks)
{
	*ticks = visit->variant;
	return note_slot(visit, 0);
}

static bool method_second(const struct probe_visit *visit, int64_t *ticks)
{
	(void)ticks;
	return note_slot(visit, 1);
}

static double method_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)params;
	(void)variant;
	return 2 * ticks;
}

static const struct probe method = {
	.first = method_first,
	.second = method_second,
	.scale = method_scale,
};

static void a_time_is_kept_of_the_line_that_took_it(void **state)
{
	const struct probe probe = by_line_probe(&method);
	struct by_line_context context;
	const struct probe_params params = {.samples = BY_LINE_LINES,
		.slots = BY_LINE_LINES,
		.context = &context};
	const struct probe_visit visit = {
		.params = &params, .slots = block, .pass = 2, .variant = 1};
	int64_t ticks[BY_LINE_LINES];
	size_t in_order = 0;

	(void)state;
	assert_int_equal(by_line_init(&context, &method, 7, 2, 3, NULL), 0);
	assert_true(probe.first(&visit, ticks));
	assert_true(probe.second(&visit, ticks));
	assert_int_equal(used[0].n, BY_LINE_LINES);
	assert_memory_equal(&used[0], &used[1], sizeof(*used));
	for (size_t line = 0; line < BY_LINE_LINES; line++) {
		assert_in_range(context.slots[line],
			line ? context.slots[line - 1] + 1 : 0,
			BY_LINE_SLOTS - 1);
		assert_true(by_line_value(&context, 1, 2, line) ==
			    2.0 * context.slots[line]);
		assert_true(by_line_value(&context, 1, 1, line) == 0);
		in_order += used[0].slots[line] == context.slots[line];
	}
	assert_true(in_order < BY_LINE_LINES / 2);
	by_line_release(&context);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_time_is_kept_of_the_line_that_took_it),
};

CASE_GROUP(cases);
