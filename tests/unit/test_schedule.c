/*
 * A pass visits every pair exactly once, and never one CPU twice at a time;
 * where rows belong together, row by row.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
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
			struct schedule_pair pair =
				schedule->pairs[schedule->order[i]];

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

static void every_pair_is_visited_once(void **state)
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

/* Both directions are pairs, in row-major order, and never in one step. */
static void every_pair_is_visited_both_ways(void **state)
{
	static const size_t jobs[] = {1, 2, 3, 7, 1000000};

	(void)state;
	for (size_t n = 2; n <= 70; n++) {
		struct schedule schedule;
		size_t at = 0;

		assert_int_equal(
			schedule_init_all(&schedule, n, true, n, NULL), 0);
		assert_int_equal(schedule.n_pairs, n * (n - 1));
		assert_int_equal(schedule_max_jobs(&schedule), n / 2);
		for (uint32_t i = 0; i < n; i++) {
			for (uint32_t j = 0; j < n; j++) {
				if (i == j)
					continue;
				assert_int_equal(schedule.pairs[at].first, i);
				assert_int_equal(
					schedule.pairs[at++].second, j);
			}
		}
		for (size_t j = 0; j < sizeof(jobs) / sizeof(*jobs); j++) {
			schedule_draw(&schedule, jobs[j]);
			check_pass(&schedule, jobs[j]);
		}
		/* Full rounds, each played there and back. */
		assert_int_equal(schedule.n_steps, 2 * (n + n % 2 - 1));
		schedule_release(&schedule);
	}
}

/* How many rounds lie between the directions of a pair is left to chance. */
static void directions_are_apart_at_random(void **state)
{
	size_t seen[2 * 5] = {0}, ways = 0;
	struct schedule schedule;

	(void)state;
	assert_int_equal(schedule_init_all(&schedule, 6, true, 3, NULL), 0);
	for (int pass = 0; pass < 200; pass++) {
		size_t at[2] = {0, 0};

		schedule_draw(&schedule, 3);
		/* Three pairs a round; (0, 1) is pair 0, (1, 0) is pair 5. */
		for (size_t i = 0; i < schedule.n_pairs; i++) {
			if (schedule.order[i] == 0)
				at[0] = i / 3;
			if (schedule.order[i] == 5)
				at[1] = i / 3;
		}
		seen[at[0] < at[1] ? at[1] - at[0] : at[0] - at[1]]++;
	}
	for (size_t i = 0; i < 10; i++)
		ways += seen[i] > 0;
	assert_int_equal(seen[0], 0);
	assert_int_equal(ways, 9);
	schedule_release(&schedule);
}

static void a_thousand_cpus_have_full_rounds(void **state)
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

static void passes_differ_and_seeds_repeat(void **state)
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

enum {
	FAIR_PASSES = 3000,
	FAIR_PAIRS_MAX = 30
};

/*
 * No pair is early or late by its place: over many passes the mean place of
 * each is the middle, but for five standard errors. Places are nearly uniform,
 * so that their deviation is n / sqrt(12).
 */
static void check_fair(struct schedule *schedule)
{
	double place[FAIR_PAIRS_MAX] = {0};
	double n = (double)schedule->n_pairs;
	double far = 5 * n / sqrt(12) / sqrt(FAIR_PASSES);

	assert_in_range(schedule->n_pairs, 1, FAIR_PAIRS_MAX);
	for (int pass = 0; pass < FAIR_PASSES; pass++) {
		schedule_draw(schedule, 1);
		for (size_t i = 0; i < schedule->n_pairs; i++)
			place[schedule->order[i]] += (double)i / FAIR_PASSES;
	}
	for (size_t i = 0; i < schedule->n_pairs; i++) {
		assert_true(place[i] > (n - 1) / 2 - far);
		assert_true(place[i] < (n - 1) / 2 + far);
	}
}

static void the_order_is_fair(void **state)
{
	struct schedule schedule;

	(void)state;
	for (int both_ways = 0; both_ways < 2; both_ways++) {
		assert_int_equal(
			schedule_init_all(&schedule, 6, both_ways, 7, NULL), 0);
		check_fair(&schedule);
		schedule_release(&schedule);
	}
}

/* A 4 by 4 matrix with its diagonal, as a list that is in no order. */
enum {
	GRID = 4
};

static void make_grid(struct schedule *schedule, enum schedule_order order)
{
	struct schedule_pair pairs[GRID * GRID];

	for (uint32_t i = 0; i < GRID * GRID; i++) {
		uint32_t at = i * 7 % (GRID * GRID);

		pairs[i] = (struct schedule_pair){.first = at / GRID,
			.second = at % GRID,
			.variant = 100 + i,
			.n_others = i};
	}
	assert_int_equal(schedule_init_list(schedule, GRID, pairs, GRID * GRID,
				 order, 11, NULL),
		0);
	/*
	 * The list's own order is that of schedule->pairs, whatever is drawn.
	 */
	schedule_draw(schedule, 1);
	assert_memory_equal(schedule->pairs, pairs, sizeof(pairs));
}

/* How often the pass goes on to another row. */
static size_t count_rows(const struct schedule *schedule)
{
	size_t rows = 1;

	for (size_t i = 1; i < schedule->n_pairs; i++)
		rows += schedule->pairs[schedule->order[i]].first !=
			schedule->pairs[schedule->order[i - 1]].first;
	return rows;
}

/* The pairs of a list in each of its passes: all of them, one at a time. */
static void check_list_pass(const struct schedule *schedule)
{
	bool seen[GRID * GRID] = {false};

	assert_int_equal(schedule->n_steps, schedule->n_pairs);
	for (size_t i = 0; i < schedule->n_pairs; i++) {
		assert_int_equal(schedule->step_ends[i], i + 1);
		assert_false(seen[schedule->order[i]]);
		seen[schedule->order[i]] = true;
	}
}

static void rows_stay_together(void **state)
{
	struct schedule schedule;
	bool first_row[GRID] = {false}, first_column[GRID] = {false};

	(void)state;
	make_grid(&schedule, SCHEDULE_BY_ROW);
	for (int pass = 0; pass < 200; pass++) {
		const struct schedule_pair *first;

		schedule_draw(&schedule, 8);
		check_list_pass(&schedule);
		assert_int_equal(count_rows(&schedule), GRID);
		first = &schedule.pairs[schedule.order[0]];
		first_row[first->first] = true;
		first_column[first->second] = true;
	}
	/* Any row may come first, and any of its pairs. */
	for (size_t i = 0; i < GRID; i++) {
		assert_true(first_row[i]);
		assert_true(first_column[i]);
	}
	check_fair(&schedule);
	schedule_release(&schedule);
}

static void a_list_without_rows_is_shuffled(void **state)
{
	struct schedule schedule;
	size_t rows = 0;

	(void)state;
	make_grid(&schedule, SCHEDULE_SHUFFLED);
	for (int pass = 0; pass < 100; pass++) {
		schedule_draw(&schedule, 8);
		check_list_pass(&schedule);
		rows += count_rows(&schedule);
	}
	/* Three of four pairs are followed by one of another row. */
	assert_in_range(rows, 100 * 2 * GRID, 100 * GRID * GRID);
	check_fair(&schedule);
	schedule_release(&schedule);
}

/* Rows of a resumed run differ in length; a row may be one pair. */
static void rows_may_have_any_length(void **state)
{
	static const struct schedule_pair pairs[] = {
		{.first = 3, .second = 0},
		{.first = 1, .second = 1},
		{.first = 3, .second = 3},
		{.first = 0, .second = 2},
		{.first = 3, .second = 1},
	};
	struct schedule schedule;

	(void)state;
	assert_int_equal(schedule_init_list(&schedule, 4, pairs, 5,
				 SCHEDULE_BY_ROW, 2, NULL),
		0);
	for (int pass = 0; pass < 50; pass++) {
		schedule_draw(&schedule, 1);
		check_list_pass(&schedule);
		assert_int_equal(count_rows(&schedule), 3);
	}
	schedule_release(&schedule);
}

static void pairs_of_a_list_run_alone(void **state)
{
	static const struct schedule_pair star[] = {
		{.first = 2, .second = 0},
		{.first = 2, .second = 1},
		{.first = 2, .second = 3},
	};
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

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(every_pair_is_visited_once),
	cmocka_unit_test(every_pair_is_visited_both_ways),
	cmocka_unit_test(directions_are_apart_at_random),
	cmocka_unit_test(a_thousand_cpus_have_full_rounds),
	cmocka_unit_test(passes_differ_and_seeds_repeat),
	cmocka_unit_test(the_order_is_fair),
	cmocka_unit_test(rows_stay_together),
	cmocka_unit_test(a_list_without_rows_is_shuffled),
	cmocka_unit_test(rows_may_have_any_length),
	cmocka_unit_test(pairs_of_a_list_run_alone),
};

CASE_GROUP(cases);
