/*
 * In which order c2c cl visits points, which it repeats, and what the runs of
 * several visits say together. A script in place of a device gives the times.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cl/pool.h"
#include "cl/sweep.h"
#include "machine/timebase.h"

#define RUNS   10
#define POINTS 12
#define MOST   400 /* visits that a script notes */

/* Two sweeps of points whose first visits may be disturbed. */
struct script {
	struct test_options options;
	struct cpu_list cpus; /* none */
	atomic_bool stop;
	struct result result;
	struct record record;
	struct session session;
	struct sweep sweeps[2];
	/* Of point i: this many visits scatter; then the runs are alike. */
	size_t scattered[2 * POINTS];
	size_t visits[2 * POINTS];
	size_t stop_after; /* so many visits; 0: never */
	size_t no_time;	   /* from this visit on; 0: never */
	double faster;	   /* than the first visit; 0: as fast */
	/* The native loop is disturbed until this visit; 0: it never is. */
	size_t disturbed;
	struct ceiling ceiling;
	size_t order[MOST], n;
};

/* Runs of a second, or around it by up to a half. */
static struct timing play(struct sweep *sweep, size_t i)
{
	struct script *script = sweep->context;
	size_t at = i + sweep->kind * POINTS;
	bool again = script->visits[at]++ > 0;
	bool wide = script->visits[at] <= script->scattered[at];
	double s[RUNS];

	assert_true(script->n < MOST);
	script->order[script->n++] = at;
	if (script->n == script->disturbed)
		script->ceiling.rate = 10;
	if (script->n == script->stop_after)
		atomic_store(&script->stop, true);
	if (session_stopped(sweep->session) < 0)
		return timing_none();
	for (int run = 0; run < RUNS; run++)
		s[run] = (again && script->faster ? 1 / script->faster : 1) +
			 (wide ? (run - 4.5) / 9 : 0);
	if (script->no_time && script->n >= script->no_time) {
		timing_of_runs(sweep->session, s, RUNS);
		return timing_none();
	}
	return timing_of_runs(sweep->session, s, RUNS);
}

static void open_script(struct script *script, uint64_t seed)
{
	*script = (struct script){
		.options = {.precision_pct = 5,
			.budget_s = 1000,
			.cpus = &script->cpus,
			.stop = &script->stop},
		.session = {.options = &script->options,
			.result = &script->result,
			.record = &script->record,
			.all = 2},
	};
	result_init(&script->result);
	stat_random_init(&script->session.random, seed);
	for (unsigned k = 0; k < 2; k++) {
		script->sweeps[k] = (struct sweep){.session = &script->session,
			.name = "copy",
			.facts = {.family = "y",
				.member = k ? "write" : "read",
				.x_name = "stride",
				.x_unit = "words"},
			.n = POINTS,
			.shows = SHOWS_TIME,
			.kind = k,
			.time = play,
			.context = script};
		for (size_t i = 0; i < POINTS; i++)
			script->sweeps[k].x[i] = (double)i;
	}
}

static void close_script(struct script *script)
{
	free(script->session.points);
	session_release(&script->session, 0);
	record_release(&script->record);
	result_release(&script->result);
}

static size_t count_wide(const struct script *script)
{
	size_t all, wide = curves_count_wide(&script->result, 5, &all);

	assert_int_equal(all, 2 * POINTS);
	return wide;
}

static void assert_all_once(const struct script *script)
{
	for (size_t at = 0; at < 2 * POINTS; at++)
		assert_int_equal(script->visits[at], 1);
}

static void points_come_in_a_random_order_but_sweeps_side_by_side(void **state)
{
	struct script script, other;
	bool ascending = true;

	(void)state;
	open_script(&script, 1);
	open_script(&other, 2);
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	assert_int_equal(sweep_run(other.sweeps, 2), 0);
	assert_all_once(&script);
	assert_all_once(&other);
	assert_memory_not_equal(
		script.order, other.order, 2 * POINTS * sizeof(size_t));
	for (size_t i = 0; i < POINTS; i++) {
		assert_int_equal(
			script.order[2 * i] + POINTS, script.order[2 * i + 1]);
		ascending = ascending && script.order[2 * i] == i;
	}
	assert_false(ascending);
	/* Each is in its place all the same. */
	for (size_t i = 0; i < POINTS; i++)
		assert_true(sweep_figure(&script.sweeps[1], i).median == 1000);
	close_script(&script);
	close_script(&other);
}

static void wide_points_are_repeated_until_they_are_narrow(void **state)
{
	struct script script;
	struct median_interval figure;

	(void)state;
	open_script(&script, 1);
	script.scattered[3] = 1;
	script.scattered[POINTS + 7] = 2;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	for (size_t at = 0; at < 2 * POINTS; at++) {
		size_t more = script.scattered[at] > 0;

		/* Two visits of like runs outweigh one that scatters. */
		assert_true(more ? script.visits[at] > script.scattered[at]
				 : script.visits[at] == 1);
	}
	figure = sweep_figure(&script.sweeps[0], 3);
	assert_true(figure.median == 1000);
	assert_true(figure_noise(figure) <= 0.05);
	assert_int_equal(count_wide(&script), 0);
	/* The point has one row, with the runs of all its visits. */
	assert_int_equal(script.session.n_points, 2 * POINTS);
	for (size_t i = 0; i < script.session.n_points; i++) {
		const struct measured_point *point = &script.session.points[i];
		size_t at = (size_t)point->x +
			    (point->curve == script.sweeps[1].at) * POINTS;

		assert_int_equal(point->visits, script.visits[at]);
		assert_int_equal(point->runs, RUNS * script.visits[at]);
	}
	close_script(&script);
}

static void a_spent_budget_ends_the_repeats(void **state)
{
	struct script script;

	(void)state;
	open_script(&script, 1);
	script.scattered[3] = SIZE_MAX;
	script.session.repeated_s = script.options.budget_s;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	assert_all_once(&script);
	assert_int_equal(count_wide(&script), 1);
	assert_int_equal(curves_end(&script.session), 0);
	assert_true(facts_number(&script.record.facts, "wide") == 1);
	close_script(&script);
	/* No visit is without a cost, so a point that stays wide ends too. */
	open_script(&script, 1);
	script.scattered[3] = SIZE_MAX;
	script.options.budget_s = 1e-4;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	assert_int_equal(count_wide(&script), 1);
	close_script(&script);
}

/* A sweep may spend its part of the budget, and what those before left. */
static void the_budget_is_for_all_sweeps_of_a_test(void **state)
{
	struct script script;

	(void)state;
	open_script(&script, 1);
	script.scattered[3] = 1;
	/* After these two sweeps a tenth of the test is done. */
	script.session.all = 20;
	script.session.repeated_s = 0.11 * script.options.budget_s;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	assert_all_once(&script);
	script.session.done = script.session.all / 2;
	memset(script.visits, 0, sizeof(script.visits));
	script.n = 0;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	assert_true(script.visits[3] > 1);
	close_script(&script);
}

static void a_test_that_is_late_has_the_ends_of_curves(void **state)
{
	struct script script;

	(void)state;
	open_script(&script, 1);
	script.session.late_s = 1;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	for (size_t at = 0; at < 2 * POINTS; at++) {
		size_t i = at % POINTS;
		bool end = i <= 1 || i == POINTS - 1;

		assert_int_equal(script.visits[at], end);
		assert_int_equal(
			isnan(script.result.curves[at / POINTS].median[i]),
			!end);
	}
	assert_int_equal(script.session.left_out, 2 * (POINTS - 3));
	close_script(&script);
	/* In ten years it is. */
	open_script(&script, 1);
	script.session.late_s = timebase_raw_s() + 3e8;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	assert_all_once(&script);
	assert_int_equal(script.session.left_out, 0);
	close_script(&script);
}

/* Prepare other work-items at each visit; only the first visit's are right. */
static void prepare_other_items(struct sweep *sweep, size_t i)
{
	struct script *script = sweep->context;

	assert_int_equal(sweep->again, script->visits[i] > 0);
	sweep->launch.items = 100 * (i + 1) + script->visits[i];
	sweep->launch.group = 1 + script->visits[i];
	if (!sweep->again)
		sweep->turns = (cl_uint)i;
}

static void expect_first_items(struct sweep *sweep, size_t i)
{
	assert_int_equal(sweep->launch.items, 100 * (i + 1));
	assert_int_equal(sweep->launch.group, 1);
	assert_int_equal(sweep->turns, i);
}

static void later_visits_have_the_launch_of_the_first(void **state)
{
	struct script script;

	(void)state;
	open_script(&script, 1);
	script.scattered[3] = 3;
	script.sweeps[0].prepare = prepare_other_items;
	script.sweeps[0].expect = expect_first_items;
	assert_int_equal(sweep_run(script.sweeps, 1), 0);
	assert_true(script.visits[3] > 1);
	close_script(&script);
}

static void an_interrupt_keeps_what_was_measured(void **state)
{
	struct script script;
	size_t there = 0;

	(void)state;
	/* In the first round: the point that is timed then is lost. */
	open_script(&script, 1);
	script.stop_after = 7;
	assert_int_equal(sweep_run(script.sweeps, 2), -EINTR);
	for (size_t i = 0; i < 2 * POINTS; i++)
		there += !isnan(
			script.result.curves[i / POINTS].median[i % POINTS]);
	assert_int_equal(there, 6);
	assert_int_equal(script.session.n_points, 6);
	close_script(&script);
	/* In a repeat: the visits before it count. */
	open_script(&script, 1);
	script.scattered[3] = SIZE_MAX;
	script.stop_after = 2 * POINTS + 2;
	assert_int_equal(sweep_run(script.sweeps, 2), -EINTR);
	assert_int_equal(script.visits[3], 3);
	assert_true(script.result.curves[0].median[3] == 1000);
	assert_int_equal(script.session.n_points, 2 * POINTS);
	close_script(&script);
}

static void a_visit_without_a_time_changes_nothing(void **state)
{
	struct script script;

	(void)state;
	open_script(&script, 1);
	script.scattered[3] = SIZE_MAX;
	script.no_time = 2 * POINTS + 1;
	script.stop_after = 2 * POINTS + 5;
	assert_int_equal(sweep_run(script.sweeps, 2), -EINTR);
	assert_true(script.result.curves[0].median[3] == 1000);
	for (size_t i = 0; i < script.session.n_points; i++)
		assert_int_equal(script.session.points[i].runs, RUNS);
	close_script(&script);
}

/* Runs of a second are 1 GiB/s. The session is on no CPU: nothing measures. */
static void hold_to_a_ceiling(struct script *script, double rate)
{
	script->ceiling = (struct ceiling){.rate = rate, .rounds = 1};
	for (int k = 0; k < 2; k++) {
		script->sweeps[k].shows = SHOWS_RATE;
		script->sweeps[k].amount = GIB;
		script->sweeps[k].bound.ceiling = &script->ceiling;
	}
}

/* What all visits say is held against the ceiling, not the last one alone. */
static void a_point_that_passes_its_ceiling_later_is_a_gap(void **state)
{
	struct script script;

	(void)state;
	open_script(&script, 1);
	hold_to_a_ceiling(&script, 1);
	script.scattered[3] = 1;
	script.faster = 2;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	assert_true(script.visits[3] > 1);
	assert_true(isnan(sweep_figure(&script.sweeps[0], 3).median));
	assert_int_equal(script.session.n_points, 2 * POINTS - 1);
	assert_int_equal(record_find_list(&script.record, "rejected").n, 1);
	close_script(&script);
}

/* A ceiling that is too low at first costs no point that is true. */
static void points_above_a_disturbed_ceiling_are_visited_again(void **state)
{
	struct script script;
	size_t doubted = 0;

	(void)state;
	open_script(&script, 1);
	hold_to_a_ceiling(&script, 0.5);
	script.disturbed = POINTS;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	for (size_t at = 0; at < 2 * POINTS; at++) {
		size_t point = at % POINTS, k = at / POINTS;
		struct median_interval figure =
			sweep_figure(&script.sweeps[k], point);

		assert_true(figure.median == 1);
		assert_in_range(script.visits[at], 1, 2);
		doubted += script.visits[at] == 2;
	}
	/* Those before the disturbance ended; and all others came before. */
	assert_int_equal(doubted, POINTS - 1);
	assert_int_equal(script.n, 3 * POINTS - 1);
	assert_int_equal(script.session.n_points, 2 * POINTS);
	assert_int_equal(record_find_list(&script.record, "rejected").n, 0);
	close_script(&script);
}

/* What is above it to the end is rejected, each point once. */
static void points_above_a_ceiling_twice_are_rejected(void **state)
{
	struct script script;

	(void)state;
	open_script(&script, 1);
	hold_to_a_ceiling(&script, 0.5);
	/* Many measurements: none but one a rate, without pauses. */
	script.ceiling.rounds = 1000;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	for (size_t at = 0; at < 2 * POINTS; at++)
		assert_int_equal(script.visits[at], 2);
	assert_int_equal(script.session.n_points, 0);
	assert_int_equal(
		record_find_list(&script.record, "rejected").n, 2 * POINTS);
	assert_int_equal(script.ceiling.rounds, 1000 + 4 * POINTS);
	close_script(&script);
}

/* Groups of half the size are faster; those of the usual size come last. */
static struct timing play_two_sizes(struct sweep *sweep, size_t i)
{
	double fast[RUNS], slow[RUNS];
	struct timing timing;

	(void)i;
	for (int run = 0; run < RUNS; run++) {
		fast[run] = 1;
		slow[run] = 2;
	}
	timing = timing_of_runs(sweep->session, fast, RUNS);
	timing_of_runs(sweep->session, slow, RUNS);
	return timing;
}

static void of_several_sizes_of_groups_the_best_counts(void **state)
{
	struct script script;

	(void)state;
	open_script(&script, 1);
	script.options.sweep_groups = 1;
	for (int k = 0; k < 2; k++)
		script.sweeps[k].time = play_two_sizes;
	assert_int_equal(sweep_run(script.sweeps, 2), 0);
	assert_true(sweep_figure(&script.sweeps[0], 3).median == 1000);
	close_script(&script);
}

static void add_visit(struct pool *pool, double middle, double step, size_t n)
{
	double s[RUNS];

	for (size_t i = 0; i < n; i++)
		s[i] = middle + step * ((double)i - ((double)n - 1) / 2);
	assert_true(pool_offer(pool, s, n));
	assert_true(pool_accept(pool));
}

static void like_visits_make_one_sample(void **state)
{
	struct pool pool = {0};
	struct timing timing;
	double one;

	(void)state;
	assert_true(isnan(pool_timing(&pool).median_s));
	add_visit(&pool, 10, 1, RUNS);
	timing = pool_timing(&pool);
	assert_int_equal(timing.visits, 1);
	one = timing.high_s - timing.low_s;
	assert_true(timing.median_s == 10 && one == 7);
	add_visit(&pool, 10.5, 1, RUNS);
	add_visit(&pool, 9.5, 1, RUNS);
	timing = pool_timing(&pool);
	assert_true(timing.median_s == 10);
	assert_true(timing.high_s - timing.low_s < one);
	assert_int_equal(timing.runs, 3 * RUNS);
	assert_int_equal(timing.visits, 3);
	pool_release(&pool);
}

/* Two visits far apart: too few for an interval of their medians. */
static void visits_that_differ_count_once_each(void **state)
{
	struct pool pool = {0};
	struct timing timing;

	(void)state;
	add_visit(&pool, 10, 0.01, RUNS);
	add_visit(&pool, 20, 0.01, RUNS);
	timing = pool_timing(&pool);
	assert_true(timing.median_s == 15);
	assert_true(timing.low_s < 10 && timing.high_s > 20);
	/* Five more: now visits have an interval, as passes do. */
	for (int i = 1; i <= 5; i++)
		add_visit(&pool, 10 + i, 0.01, RUNS);
	timing = pool_timing(&pool);
	assert_true(fabs(timing.median_s - 13) < 1e-9);
	assert_true(fabs(timing.low_s - 10) < 1e-9);
	assert_true(fabs(timing.high_s - 20) < 1e-9);
	for (int i = 1; i <= 5; i++)
		add_visit(&pool, 13, 0.01, RUNS);
	timing = pool_timing(&pool);
	assert_true(timing.low_s > 11 && timing.high_s < 16);
	assert_int_equal(timing.runs, 12 * RUNS);
	pool_release(&pool);
}

/* Visits of less than 6 runs are as wide as they reach. */
static void short_visits_may_differ_too(void **state)
{
	struct pool pool = {0};
	struct timing timing;

	(void)state;
	add_visit(&pool, 10, 1, 3);
	add_visit(&pool, 20, 1, 3);
	timing = pool_timing(&pool);
	assert_true(timing.low_s == 9 && timing.high_s == 21);
	add_visit(&pool, 10, 1, 3);
	timing = pool_timing(&pool);
	assert_true(timing.median_s == 10);
	pool_release(&pool);
}

static void only_what_was_offered_last_counts(void **state)
{
	const double once[6] = {1, 1, 1, 1, 1, 1}, twice[3] = {2, 2, 2};
	struct pool pool = {0};

	(void)state;
	assert_true(pool_offer(&pool, twice, 3));
	assert_true(pool_offer(&pool, once, 6));
	assert_true(pool_accept(&pool));
	assert_int_equal(pool_timing(&pool).runs, 6);
	assert_true(pool_timing(&pool).high_s == 1);
	pool_release(&pool);
}

/* All of a small array, some of a large one, and the fewest with --quick. */
static void strides_follow_the_array_and_quick(void **state)
{
	static const size_t n[2][2] = {{17, 7}, {4, 4}};
	struct script script;

	(void)state;
	open_script(&script, 1);
	for (int quick = 0; quick < 2; quick++) {
		for (int some = 0; some < 2; some++) {
			struct sweep sweep;

			script.options.quick = quick;
			sweep = sweep_of_strides(
				&script.session, false, "memory", some);
			assert_int_equal(sweep.n, n[quick][some]);
			assert_true(sweep.x[0] == 0);
			assert_true(sweep.x[sweep.n - 1] == 16);
		}
	}
	close_script(&script);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(points_come_in_a_random_order_but_sweeps_side_by_side),
	cmocka_unit_test(wide_points_are_repeated_until_they_are_narrow),
	cmocka_unit_test(a_spent_budget_ends_the_repeats),
	cmocka_unit_test(the_budget_is_for_all_sweeps_of_a_test),
	cmocka_unit_test(a_test_that_is_late_has_the_ends_of_curves),
	cmocka_unit_test(later_visits_have_the_launch_of_the_first),
	cmocka_unit_test(an_interrupt_keeps_what_was_measured),
	cmocka_unit_test(a_visit_without_a_time_changes_nothing),
	cmocka_unit_test(a_point_that_passes_its_ceiling_later_is_a_gap),
	cmocka_unit_test(points_above_a_disturbed_ceiling_are_visited_again),
	cmocka_unit_test(points_above_a_ceiling_twice_are_rejected),
	cmocka_unit_test(of_several_sizes_of_groups_the_best_counts),
	cmocka_unit_test(only_what_was_offered_last_counts),
	cmocka_unit_test(strides_follow_the_array_and_quick),
	cmocka_unit_test(like_visits_make_one_sample),
	cmocka_unit_test(visits_that_differ_count_once_each),
	cmocka_unit_test(short_visits_may_differ_too),
};

CASE_GROUP(cases);
