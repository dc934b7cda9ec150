/* A pass visits every pair exactly once, and never one CPU twice at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/schedule.h"

static void check_pass(const struct schedule *schedule, size_t jobs)
{
	unsigned char *seen = calloc(schedule->n_pairs, 1);
	size_t *last_step = calloc(schedule->n_members, sizeof(*last_step));
	size_t begin = 0;

	assert_non_null(seen);
	assert_non_null(last_step);
	for (size_t step = 0; step < schedule->n_steps; step++) {
		size_t end = schedule->step_ends[step];

		assert_in_range(end - begin, 1, jobs);
		for (size_t i = begin; i < end; i++) {
			struct pair pair = schedule->pairs[schedule->order[i]];

			assert_false(seen[schedule->order[i]]);
			seen[schedule->order[i]] = 1;
			assert_true(pair.first != pair.second);
			assert_true(pair.first < schedule->n_members);
			assert_true(pair.second < schedule->n_members);
			assert_int_not_equal(last_step[pair.first], step + 1);
			assert_int_not_equal(last_step[pair.second], step + 1);
			last_step[pair.first] = step + 1;
			last_step[pair.second] = step + 1;
		}
		begin = end;
	}
	assert_int_equal(begin, schedule->n_pairs);
	free(seen);
	free(last_step);
}

static void test_every_pair_once(void **state)
{
	static const size_t jobs[] = {1, 2, 3, 7, 1000000};

	(void)state;
	for (size_t n = 2; n <= 130; n++) {
		struct schedule schedule;

		assert_int_equal(
			schedule_init_all(&schedule, n, false, n, NULL), 0);
		assert_int_equal(schedule.n_pairs, n * (n - 1) / 2);
		for (size_t j = 0; j < sizeof(jobs) / sizeof(*jobs); j++) {
			schedule_draw(&schedule, jobs[j]);
			check_pass(&schedule, jobs[j]);
		}
		schedule_release(&schedule);
	}
}

static void test_large(void **state)
{
	struct schedule schedule;

	(void)state;
	assert_int_equal(schedule_init_all(&schedule, 1024, false, 1, NULL), 0);
	schedule_draw(&schedule, schedule_max_jobs(&schedule));
	check_pass(&schedule, 512);
	/* A tournament of n even members has n - 1 rounds, all of them full. */
	assert_int_equal(schedule.n_steps, 1023);
	schedule_release(&schedule);
}

static void test_passes_differ_seeds_repeat(void **state)
{
	struct schedule a, b;
	uint32_t first[120];

	(void)state;
	assert_int_equal(schedule_init_all(&a, 16, false, 42, NULL), 0);
	assert_int_equal(schedule_init_all(&b, 16, false, 42, NULL), 0);
	schedule_draw(&a, 1);
	schedule_draw(&b, 1);
	assert_memory_equal(a.order, b.order, sizeof(first));
	memcpy(first, a.order, sizeof(first));
	schedule_draw(&a, 1);
	assert_memory_not_equal(a.order, first, sizeof(first));
	schedule_release(&a);
	schedule_release(&b);
}

/* No pair is early or late by its place: each position is seen in turn. */
static void test_order_is_fair(void **state)
{
	enum {
		PASSES = 3000,
		PAIRS = 15
	};
	double place[PAIRS] = {0};
	struct schedule schedule;

	(void)state;
	assert_int_equal(schedule_init_all(&schedule, 6, false, 7, NULL), 0);
	for (int pass = 0; pass < PASSES; pass++) {
		schedule_draw(&schedule, 1);
		for (size_t i = 0; i < PAIRS; i++)
			place[schedule.order[i]] += (double)i / PASSES;
	}
	/* Mean place 7; its standard error is 4.32 / sqrt(3000) = 0.079. */
	for (size_t i = 0; i < PAIRS; i++) {
		assert_true(place[i] > 7 - 5 * 0.079);
		assert_true(place[i] < 7 + 5 * 0.079);
	}
	schedule_release(&schedule);
}

static void test_list_is_alone(void **state)
{
	static const struct pair star[] = {{.first = 2, .second = 0}, {.first = 2, .second = 1}, {.first = 2, .second = 3}};
	struct schedule schedule;

	(void)state;
	assert_int_equal(schedule_init_list(&schedule, 4, star, 3,
				 SCHEDULE_SHUFFLED, 1, NULL),
		0);
	assert_int_equal(schedule_max_jobs(&schedule), 1);
	schedule_draw(&schedule, 8);
	check_pass(&schedule, 1);
	schedule_release(&schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_pair_once),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_passes_differ_seeds_repeat),
		cmocka_unit_test(test_order_is_fair),
		cmocka_unit_test(test_list_is_alone),
	};

	return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
