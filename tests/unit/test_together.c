/*
 * How a thread tells that the host ran others, and how patience adapts. What
 * the windows of real threads show depends on the machine: the guest of make
 * check-guest has too few cores.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "engine/together.h"

#define MS UINT64_C(1000000)

/* A window of 10 ms that opened at 100 ms. */
static struct together_tally open_window(void)
{
	const struct together_reading start = {
		.ns = 100 * MS, .cpu_ns = 5 * MS, .switches = 7};

	return (struct together_tally){
		.end_ns = 110 * MS, .last = start, .before = start};
}

/* The clock after so many milliseconds of the window. */
static void note(
	struct together_tally *tally, double ms, double cpu_ms, long switches)
{
	const struct together_reading now = {
		.ns = (uint64_t)(100 * MS + ms * 1e6),
		.cpu_ns = (uint64_t)(5 * MS + cpu_ms * 1e6),
		.switches = 7 + switches};

	together_note(tally, &now);
}

static void assert_ran(const struct together_tally *tally, double ms)
{
	assert_true(fabs((double)tally->ran_ns / 1e6 - ms) < 0.01);
}

static void a_thread_that_reads_all_the_time_ran(void **state)
{
	struct together_tally tally = open_window();

	(void)state;
	for (int i = 1; i <= 100; i++)
		note(&tally, 0.1 * i, 0.1 * i, 0);
	assert_ran(&tally, 10);
}

static void a_gap_without_a_switch_is_the_hosts(void **state)
{
	struct together_tally tally = open_window();

	(void)state;
	note(&tally, 0.1, 0.1, 0);
	note(&tally, 4.1, 4.1, 0);
	for (int i = 42; i <= 100; i++)
		note(&tally, 0.1 * i, 0.1 * i, 0);
	assert_ran(&tally, 6);
}

static void a_gap_of_the_guests_own_threads_is_not(void **state)
{
	struct together_tally tally = open_window();

	(void)state;
	note(&tally, 0.1, 0.1, 0);
	note(&tally, 0.1, 0.1, 0);
	/* Others of the guest ran for 4 ms, but for 0.5 the guest is wrong. */
	note(&tally, 4.6, 0.6, 2);
	for (int i = 47; i <= 100; i++)
		note(&tally, 0.1 * i, 0.6 + 0.1 * (i - 46), 2);
	assert_ran(&tally, 9.5);
}

static void a_switch_within_a_reading_counts_for_the_gap(void **state)
{
	struct together_tally tally = open_window();

	(void)state;
	note(&tally, 0.1, 0.1, 0);
	/* The clock was read, then others ran, then the kernel was asked. */
	note(&tally, 0.2, 0.2, 1);
	note(&tally, 5, 0.3, 1);
	for (int i = 51; i <= 100; i++)
		note(&tally, 0.1 * i, 0.3 + 0.1 * (i - 50), 1);
	assert_true(tally.ran_ns > 9 * MS);
}

static void what_outlasts_the_window_does_not_count(void **state)
{
	struct together_tally tally = open_window();

	(void)state;
	/* Never there, and there for one reading at the end. */
	note(&tally, 30, 30, 0);
	assert_ran(&tally, 0);
	tally = open_window();
	note(&tally, 9.9, 0, 1);
	note(&tally, 10.3, 0.4, 1);
	assert_ran(&tally, 10);
}

static void a_reading_before_the_window_opened_does_not_count(void **state)
{
	struct together_tally tally = open_window();

	(void)state;
	/* Another thread was switched, too, and opened it later. */
	note(&tally, -0.2, -0.1, 1);
	assert_ran(&tally, 0);
	for (int i = 1; i <= 100; i++)
		note(&tally, 0.1 * i, 0.1 * i, 1);
	assert_ran(&tally, 10);
}

static void a_fifth_of_the_cpus_may_be_missing(void **state)
{
	(void)state;
	assert_true(together_is_overcommitted(2, 8));
	assert_true(together_is_overcommitted(1.5, 2));
	assert_false(together_is_overcommitted(1.7, 2));
	assert_false(together_is_overcommitted(63, 64));
	/* Not looked at. */
	assert_false(together_is_overcommitted(NAN, 8));
}

static void patience_follows_what_becomes_of_visits(void **state)
{
	const struct probe_params params = {
		.round_trips = 50, .samples = 9, .warm_up = 4};
	struct together_patience patience =
		together_patience_of(&probe_line, &params, 2);
	double first_s = patience.s;

	(void)state;
	assert_true(first_s > 0.001 && first_s < 0.02);
	together_extend_patience(&patience);
	assert_true(patience.s > first_s);
	for (int i = 0; i < 100; i++)
		together_extend_patience(&patience);
	assert_true(patience.s == patience.most_s && patience.s < 0.2);
	together_shorten_patience(&patience, 1);
	assert_true(patience.s < patience.most_s);
	together_shorten_patience(&patience, 1000);
	assert_true(patience.s == first_s);
}

static void what_need_not_meet_has_all_the_time(void **state)
{
	const struct probe no_trips = {.round_trips = false};
	const struct probe_params copy = {.samples = 1};
	const struct probe_params long_visit = {
		.round_trips = 1000000, .samples = 9};
	struct together_patience patience =
		together_patience_of(&no_trips, &copy, 3);

	(void)state;
	together_shorten_patience(&patience, 10);
	assert_true(patience.s == 3);
	/* Nor less than a visit may need anywhere. */
	patience = together_patience_of(&probe_line, &long_visit, 92);
	assert_true(patience.s > 90);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_thread_that_reads_all_the_time_ran),
	cmocka_unit_test(a_gap_without_a_switch_is_the_hosts),
	cmocka_unit_test(a_gap_of_the_guests_own_threads_is_not),
	cmocka_unit_test(a_switch_within_a_reading_counts_for_the_gap),
	cmocka_unit_test(what_outlasts_the_window_does_not_count),
	cmocka_unit_test(a_reading_before_the_window_opened_does_not_count),
	cmocka_unit_test(a_fifth_of_the_cpus_may_be_missing),
	cmocka_unit_test(patience_follows_what_becomes_of_visits),
	cmocka_unit_test(what_need_not_meet_has_all_the_time),
};

CASE_GROUP(cases);
