/*
 * Which groups of CPUs share a link to memory, on made-up machines: right
 * links, and none invented.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/memory_links.h"
#include "stat/stat.h"

#define MOST 8

static struct link_rate rates[MOST * MOST];
static struct memory_links links;
static size_t link_of[MOST];

static void set_rate(size_t n, size_t a, size_t b, double gib_per_s)
{
	rates[a * n + b] = (struct link_rate){gib_per_s, 0.99 * gib_per_s,
		1.01 * gib_per_s, {gib_per_s, gib_per_s}};
}

/*
 * Groups that read `alone` each, over links of `capacity`, which have so many
 * neighbouring groups each, from a memory that gives `memory` in all.
 */
static void make_machine(
	size_t n, size_t a_link, double alone, double capacity, double memory)
{
	for (size_t a = 0; a < n; a++) {
		set_rate(n, a, a, fmin(alone, fmin(capacity, memory)));
		for (size_t b = a + 1; b < n; b++)
			set_rate(n, a, b,
				fmin(memory,
					a / a_link == b / a_link
						? fmin(capacity, 2 * alone)
						: 2 * fmin(capacity, alone)));
	}
}

static void find(size_t n)
{
	struct error err;

	assert_int_equal(memory_links_find(rates, n, &links, link_of, &err), 0);
}

static void assert_links(
	size_t n, size_t n_links, const size_t *wanted, bool common)
{
	find(n);
	assert_int_equal(links.finding, LINKS_FOUND);
	assert_int_equal(links.n_links, n_links);
	assert_int_equal(links.common, common);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(link_of[i], wanted[i]);
}

static void assert_doubt(size_t n, enum links_finding finding)
{
	find(n);
	assert_int_equal(links.finding, finding);
}

/* An I/O die, each port of which two LLCs share. */
static void two_links_of_two_are_found(void **state)
{
	static const size_t wanted[] = {0, 0, 1, 1};

	(void)state;
	make_machine(4, 2, 36, 37, 1000);
	assert_links(4, 2, wanted, false);
}

static void a_link_that_one_group_does_not_fill_is_found(void **state)
{
	static const size_t wanted[] = {0, 0, 1, 1};

	(void)state;
	make_machine(4, 2, 25, 35, 1000);
	assert_links(4, 2, wanted, false);
}

static void links_of_groups_apart_are_found(void **state)
{
	static const size_t wanted[] = {0, 1, 2, 1, 0, 2};

	(void)state;
	make_machine(6, 1, 30, 60, 1000);
	set_rate(6, 0, 4, 31);
	set_rate(6, 1, 3, 31);
	set_rate(6, 2, 5, 31);
	assert_links(6, 3, wanted, false);
}

static void groups_with_links_of_their_own_share_none(void **state)
{
	static const size_t wanted[] = {0, 1, 2, 3, 4, 5, 6, 7};

	(void)state;
	make_machine(8, 1, 50, 60, 1000);
	assert_links(8, 8, wanted, false);
	/* Nor if noise makes a pair faster than both groups alone. */
	set_rate(8, 2, 5, 140);
	assert_links(8, 8, wanted, false);
}

/* Memory that two of them fill is one link, not one for each pair. */
static void one_link_is_one(void **state)
{
	static const size_t wanted[] = {0, 0, 0, 0};

	(void)state;
	make_machine(4, 1, 60, 70, 75);
	assert_links(4, 1, wanted, false);
	make_machine(2, 2, 36, 37, 1000);
	assert_links(2, 1, wanted, false);
	make_machine(1, 1, 36, 37, 1000);
	assert_links(1, 1, wanted, false);
}

static void links_may_lead_into_one(void **state)
{
	static const size_t wanted[] = {0, 0, 1, 1};

	(void)state;
	make_machine(4, 2, 36, 37, 52);
	assert_links(4, 2, wanted, true);
}

static void a_slow_group_changes_nothing(void **state)
{
	static const size_t wanted[] = {0, 0, 1, 1};
	static const size_t own[] = {0, 1, 2, 3};

	(void)state;
	/* One that reads a third has its own part of what a link has. */
	make_machine(4, 2, 36, 37, 1000);
	set_rate(4, 1, 1, 24);
	set_rate(4, 1, 2, 60);
	set_rate(4, 1, 3, 60);
	assert_links(4, 2, wanted, false);
	make_machine(4, 1, 36, 60, 1000);
	set_rate(4, 2, 2, 9);
	set_rate(4, 0, 2, 45);
	set_rate(4, 1, 2, 45);
	set_rate(4, 2, 3, 45);
	assert_links(4, 4, own, false);
}

/* Up to 8 % up or down, in the medians of the run and of its halves. */
static void noise_makes_no_links_and_hides_none(void **state)
{
	static const size_t shared[] = {0, 0, 1, 1, 2, 2};
	static const size_t own[] = {0, 1, 2, 3, 4, 5};
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 1);
	for (int turn = 0; turn < 2000; turn++) {
		bool is_shared = turn % 2;

		make_machine(
			6, is_shared ? 2 : 1, 36, is_shared ? 37 : 60, 1000);
		for (size_t k = 0; k < 36; k++) {
			double noise[3];

			for (int i = 0; i < 3; i++)
				noise[i] = 0.92 +
					   0.0001 * (double)stat_random_below(
							    &random, 1600);
			rates[k].median *= noise[0];
			rates[k].low *= noise[0];
			rates[k].high *= noise[0];
			rates[k].halves[0] *= noise[1];
			rates[k].halves[1] *= noise[2];
		}
		find(6);
		/* c2c may say that it cannot tell, but nothing wrong. */
		if (links.finding != LINKS_FOUND)
			continue;
		assert_links(
			6, is_shared ? 3 : 6, is_shared ? shared : own, false);
	}
}

static void wide_intervals_leave_it_open(void **state)
{
	(void)state;
	make_machine(4, 2, 36, 37, 1000);
	rates[1].high = 70;
	assert_doubt(4, LINKS_UNCLEAR);
	assert_int_equal(links.a, 0);
	assert_int_equal(links.b, 1);
	make_machine(2, 1, 36, 37, 1000);
	rates[1].low = 40;
	assert_doubt(2, LINKS_UNCLEAR);
	/* So do those of the groups alone. */
	make_machine(2, 1, 36, 60, 1000);
	rates[0].high = rates[3].high = 60;
	assert_doubt(2, LINKS_UNCLEAR);
	make_machine(2, 2, 36, 37, 1000);
	rates[0].low = rates[3].low = 20;
	assert_doubt(2, LINKS_UNCLEAR);
}

static void a_pair_without_a_rate_leaves_it_open(void **state)
{
	(void)state;
	make_machine(4, 2, 36, 37, 1000);
	rates[2] = (struct link_rate){NAN, NAN, NAN, {NAN, NAN}};
	assert_doubt(4, LINKS_UNKNOWN);
	make_machine(2, 2, 36, 37, 1000);
	rates[1] = (struct link_rate){NAN, NAN, NAN, {NAN, NAN}};
	assert_doubt(2, LINKS_UNKNOWN);
}

/* The host gave CPUs of group 1 those of group 2, and the reverse. */
static void cpus_that_move_leave_it_open(void **state)
{
	(void)state;
	make_machine(4, 2, 36, 37, 1000);
	rates[1].halves[1] = rates[2 * 4 + 3].halves[1] = 72;
	rates[2].halves[1] = rates[1 * 4 + 3].halves[1] = 37;
	assert_doubt(4, LINKS_CHANGED);
	make_machine(2, 1, 36, 60, 1000);
	rates[1].halves[0] = 37;
	assert_doubt(2, LINKS_CHANGED);
}

static void answers_that_contradict_are_in_doubt(void **state)
{
	(void)state;
	make_machine(4, 1, 36, 60, 1000);
	set_rate(4, 0, 1, 37);
	set_rate(4, 1, 2, 37);
	assert_doubt(4, LINKS_CONTRADICT);
	assert_int_equal(links.a, 0);
	assert_int_equal(links.b, 2);
	make_machine(4, 1, 36, 60, 1000);
	set_rate(4, 0, 2, 37);
	set_rate(4, 1, 2, 37);
	assert_doubt(4, LINKS_CONTRADICT);
	assert_int_equal(links.a, 0);
	assert_int_equal(links.b, 1);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(two_links_of_two_are_found),
	cmocka_unit_test(a_link_that_one_group_does_not_fill_is_found),
	cmocka_unit_test(links_of_groups_apart_are_found),
	cmocka_unit_test(groups_with_links_of_their_own_share_none),
	cmocka_unit_test(one_link_is_one),
	cmocka_unit_test(links_may_lead_into_one),
	cmocka_unit_test(a_slow_group_changes_nothing),
	cmocka_unit_test(noise_makes_no_links_and_hides_none),
	cmocka_unit_test(wide_intervals_leave_it_open),
	cmocka_unit_test(a_pair_without_a_rate_leaves_it_open),
	cmocka_unit_test(cpus_that_move_leave_it_open),
	cmocka_unit_test(answers_that_contradict_are_in_doubt),
};

CASE_GROUP(cases);
