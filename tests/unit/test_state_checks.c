/*
 * Which states c2c states can tell apart, and which table it refuses. The costs
 * are those of a virtual machine with 32 CPUs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/state_checks.h"

/* Modified, exclusive, shared, modified then read, memory. */
static const double own[LINE_OPERATIONS][LINE_STATES] = {
	[LINE_LOAD] = {6, 6, 6, 88, 115},
	[LINE_ADD] = {14.2, 13.2, 97, 96, 141},
	[LINE_STORE] = {21.7, 21.4, 101, 101, 149},
	[LINE_FLUSH] = {157, 106, 115, 154, 162},
};
static const double other[LINE_OPERATIONS][LINE_STATES] = {
	[LINE_LOAD] = {90, 91, 37, 89, 119},
	[LINE_ADD] = {97, 98, 101, 97, 144},
	[LINE_STORE] = {104, 104, 108, 101, 152},
	[LINE_FLUSH] = {157, 107, 114, 154, 165},
};

static struct state_table table;
static struct state_check_result results[STATE_CHECKS];

static void set_cost(size_t level, enum line_operation operation,
	enum line_state state, double ns)
{
	table.costs[level][operation][state] =
		(struct state_cost){ns, 0.99 * ns, 1.01 * ns};
}

/* The CPU itself, an SMT sibling, and another core. */
static int make_table(void **state)
{
	(void)state;
	table.n_levels = 3;
	for (int o = 0; o < LINE_OPERATIONS; o++) {
		for (int s = 0; s < LINE_STATES; s++) {
			set_cost(0, (enum line_operation)o, (enum line_state)s,
				own[o][s]);
			set_cost(1, (enum line_operation)o, (enum line_state)s,
				own[o][s]);
			set_cost(2, (enum line_operation)o, (enum line_state)s,
				other[o][s]);
		}
	}
	return 0;
}

static void copy_state(enum line_state to, enum line_state from)
{
	for (size_t level = 0; level < table.n_levels; level++) {
		for (int o = 0; o < LINE_OPERATIONS; o++)
			table.costs[level][o][to] = table.costs[level][o][from];
	}
}

static void forget(enum line_operation operation, enum line_state state)
{
	for (size_t level = 0; level < table.n_levels; level++)
		table.costs[level][operation][state] =
			(struct state_cost){NAN, NAN, NAN};
}

static void check_findings(const enum state_finding expected[STATE_CHECKS])
{
	state_check_table(&table, results);
	for (int check = 0; check < STATE_CHECKS; check++)
		assert_int_equal(results[check].finding, expected[check]);
}

static void a_load_tells_three_classes(void **state)
{
	struct state_class classes[LINE_STATES];

	(void)state;
	assert_int_equal(state_classes(table.costs[2][LINE_LOAD], classes), 3);
	assert_int_equal(classes[0].n, 1);
	assert_int_equal(classes[0].states[0], LINE_SHARED);
	assert_int_equal(classes[1].n, 3);
	assert_int_equal(classes[1].states[0], LINE_MODIFIED);
	assert_int_equal(classes[1].states[1], LINE_EXCLUSIVE);
	assert_int_equal(classes[1].states[2], LINE_READ_BACK);
	assert_true(classes[1].least_ns == 89);
	assert_true(classes[1].most_ns == 91);
	assert_int_equal(classes[2].states[0], LINE_IN_MEMORY);
}

static void wide_intervals_are_not_told_apart(void **state)
{
	struct state_class classes[LINE_STATES];

	(void)state;
	table.costs[2][LINE_LOAD][LINE_IN_MEMORY].low = 89;
	assert_int_equal(state_classes(table.costs[2][LINE_LOAD], classes), 2);
	forget(LINE_LOAD, LINE_SHARED);
	assert_int_equal(state_classes(table.costs[2][LINE_LOAD], classes), 1);
	assert_int_equal(classes[0].n, 4);
}

/* Each is 6 % above the one before. */
static void a_class_has_no_two_states_that_differ(void **state)
{
	static const double ns[LINE_STATES] = {99, 105, 112, 118, 126};
	struct state_class classes[LINE_STATES];

	(void)state;
	for (int s = 0; s < LINE_STATES; s++)
		set_cost(2, LINE_ADD, (enum line_state)s, ns[s]);
	assert_int_equal(state_classes(table.costs[2][LINE_ADD], classes), 3);
	assert_int_equal(classes[0].n, 2);
	assert_true(classes[0].least_ns == 99);
	assert_true(classes[0].most_ns == 105);
	assert_int_equal(classes[1].n, 2);
	assert_int_equal(classes[2].states[0], LINE_IN_MEMORY);
}

static void nothing_measured_has_no_class(void **state)
{
	struct state_class classes[LINE_STATES];

	(void)state;
	for (int s = 0; s < LINE_STATES; s++)
		forget(LINE_ADD, (enum line_state)s);
	assert_int_equal(state_classes(table.costs[0][LINE_ADD], classes), 0);
}

static void true_states_pass_every_check(void **state)
{
	const enum state_finding all[STATE_CHECKS] = {STATE_HOLDS, STATE_HOLDS,
		STATE_HOLDS, STATE_HOLDS, STATE_HOLDS};

	(void)state;
	check_findings(all);
	assert_int_equal(results[STATE_CHECK_SHARED].level, 2);
	assert_true(results[STATE_CHECK_SHARED].low_ns == 37);
	assert_true(results[STATE_CHECK_SHARED].high_ns == 91);
	assert_int_equal(results[STATE_CHECK_EXCLUSIVE].operation, LINE_STORE);
}

static void shared_that_is_exclusive_is_refused(void **state)
{
	const enum state_finding expected[STATE_CHECKS] = {STATE_HOLDS,
		STATE_HOLDS, STATE_FAILS, STATE_UNVERIFIED, STATE_FAILS};

	(void)state;
	copy_state(LINE_SHARED, LINE_EXCLUSIVE);
	for (int s = 0; s < LINE_STATES; s++)
		set_cost(0, LINE_FLUSH, (enum line_state)s, 160);
	check_findings(expected);
}

static void exclusive_that_is_modified_is_refused(void **state)
{
	const enum state_finding expected[STATE_CHECKS] = {STATE_HOLDS,
		STATE_HOLDS, STATE_HOLDS, STATE_FAILS, STATE_HOLDS};

	(void)state;
	copy_state(LINE_EXCLUSIVE, LINE_MODIFIED);
	check_findings(expected);
}

static void exclusive_that_is_shared_is_refused(void **state)
{
	(void)state;
	copy_state(LINE_EXCLUSIVE, LINE_SHARED);
	state_check_table(&table, results);
	assert_int_equal(results[STATE_CHECK_EXCLUSIVE].finding, STATE_FAILS);
}

static void lines_that_their_cpu_lost_are_refused(void **state)
{
	(void)state;
	set_cost(0, LINE_LOAD, LINE_MODIFIED, 90);
	state_check_table(&table, results);
	assert_int_equal(results[STATE_CHECK_HELD].finding, STATE_FAILS);
	assert_true(results[STATE_CHECK_HELD].low_ns == 90);
}

static void a_flush_that_shows_nothing_leaves_exclusive_unverified(void **state)
{
	const enum state_finding expected[STATE_CHECKS] = {STATE_HOLDS,
		STATE_HOLDS, STATE_HOLDS, STATE_UNVERIFIED, STATE_HOLDS};

	(void)state;
	for (int s = 0; s < LINE_STATES; s++)
		set_cost(0, LINE_FLUSH, (enum line_state)s, 160);
	check_findings(expected);
}

/* A last-level cache may have no copies of lines that cores share. */
static void without_a_near_copy_shared_is_unverified(void **state)
{
	const enum state_finding expected[STATE_CHECKS] = {STATE_HOLDS,
		STATE_HOLDS, STATE_HOLDS, STATE_HOLDS, STATE_UNVERIFIED};

	(void)state;
	set_cost(2, LINE_LOAD, LINE_SHARED, 91);
	check_findings(expected);
	forget(LINE_ADD, LINE_SHARED);
	forget(LINE_STORE, LINE_SHARED);
	state_check_table(&table, results);
	assert_int_equal(results[STATE_CHECK_SHARED].finding, STATE_FAILS);
}

static void a_check_needs_intervals(void **state)
{
	const enum state_finding expected[STATE_CHECKS] = {STATE_TOO_FEW,
		STATE_TOO_FEW, STATE_TOO_FEW, STATE_TOO_FEW, STATE_TOO_FEW};
	struct state_class classes[LINE_STATES];

	(void)state;
	for (int i = 0; i < STATE_LEVELS_MOST * LINE_OPERATIONS * LINE_STATES;
		i++) {
		struct state_cost *cost = &(&table.costs[0][0][0])[i];

		cost->low = cost->high = NAN;
	}
	check_findings(expected);
	assert_int_equal(state_classes(table.costs[2][LINE_LOAD], classes), 3);
}

static void a_third_cpu_in_the_core_of_the_reader_is_near(void **state)
{
	(void)state;
	for (size_t level = 1; level < table.n_levels; level++)
		assert_false(state_third_is_near(&table, level));
	set_cost(2, LINE_LOAD, LINE_SHARED, 6.2);
	assert_true(state_third_is_near(&table, 2));
	forget(LINE_LOAD, LINE_SHARED);
	assert_false(state_third_is_near(&table, 2));
	set_cost(2, LINE_ADD, LINE_READ_BACK, 14.3);
	assert_true(state_third_is_near(&table, 2));
}

static void two_cpus_have_no_shared_state_to_check(void **state)
{
	const enum state_finding expected[STATE_CHECKS] = {STATE_HOLDS,
		STATE_HOLDS, STATE_NOT_APPLICABLE, STATE_HOLDS,
		STATE_NOT_APPLICABLE};

	(void)state;
	for (int o = 0; o < LINE_OPERATIONS; o++) {
		forget((enum line_operation)o, LINE_SHARED);
		forget((enum line_operation)o, LINE_READ_BACK);
	}
	check_findings(expected);
}

static void without_store_an_add_shows_what_is_exclusive(void **state)
{
	(void)state;
	for (int s = 0; s < LINE_STATES; s++)
		forget(LINE_STORE, (enum line_state)s);
	state_check_table(&table, results);
	assert_int_equal(results[STATE_CHECK_EXCLUSIVE].finding, STATE_HOLDS);
	assert_int_equal(results[STATE_CHECK_EXCLUSIVE].operation, LINE_ADD);
}

static void without_times_nothing_else_is_checked(void **state)
{
	const enum state_finding expected[STATE_CHECKS] = {STATE_FAILS};

	(void)state;
	copy_state(LINE_IN_MEMORY, LINE_EXCLUSIVE);
	check_findings(expected);
}

static void siblings_alone_show_no_transfer(void **state)
{
	(void)state;
	table.n_levels = 2;
	state_check_table(&table, results);
	assert_int_equal(
		results[STATE_CHECK_SHARED].finding, STATE_NOT_APPLICABLE);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test_setup(a_load_tells_three_classes, make_table),
	cmocka_unit_test_setup(wide_intervals_are_not_told_apart, make_table),
	cmocka_unit_test_setup(
		a_class_has_no_two_states_that_differ, make_table),
	cmocka_unit_test_setup(nothing_measured_has_no_class, make_table),
	cmocka_unit_test_setup(true_states_pass_every_check, make_table),
	cmocka_unit_test_setup(shared_that_is_exclusive_is_refused, make_table),
	cmocka_unit_test_setup(
		exclusive_that_is_modified_is_refused, make_table),
	cmocka_unit_test_setup(exclusive_that_is_shared_is_refused, make_table),
	cmocka_unit_test_setup(
		lines_that_their_cpu_lost_are_refused, make_table),
	cmocka_unit_test_setup(
		a_flush_that_shows_nothing_leaves_exclusive_unverified,
		make_table),
	cmocka_unit_test_setup(
		without_a_near_copy_shared_is_unverified, make_table),
	cmocka_unit_test_setup(a_check_needs_intervals, make_table),
	cmocka_unit_test_setup(
		a_third_cpu_in_the_core_of_the_reader_is_near, make_table),
	cmocka_unit_test_setup(
		two_cpus_have_no_shared_state_to_check, make_table),
	cmocka_unit_test_setup(
		without_store_an_add_shows_what_is_exclusive, make_table),
	cmocka_unit_test_setup(
		without_times_nothing_else_is_checked, make_table),
	cmocka_unit_test_setup(siblings_alone_show_no_transfer, make_table),
};

CASE_GROUP(cases);
