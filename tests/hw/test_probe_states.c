/*
 * How the CPUs of c2c states put lines into a state: that the lines form one
 * chain, that a visit leaves its slot as the next one needs it, that a pair
 * that moved does not count, and that every half can be abandoned.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/timebase.h"
#include "probe/probe_states.h"
#include "visits.h"

#define LINES 64

#define LINES_EACH_PAGE (4096 / STATES_PITCH_BYTES)

enum {
	READER = 10,
	HOLDER = 20,
	THIRD = 30
};

struct rig {
	struct states_point points[LINE_STATES * LINE_OPERATIONS * 2];
	struct states_level levels[2];
	struct states_context context;
	struct probe_params params;
	struct probe_visit visit;
};

/* Every operation on every state, by the holder itself and by another CPU. */
static void rig_open(struct rig *rig)
{
	struct timebase timebase;

	*rig = (struct rig){
		.levels = {{READER, READER, THIRD, true, NAN},
			{READER, HOLDER, THIRD, true, 1e-3}},
	};
	for (uint32_t i = 0; i < 2 * LINE_STATES * LINE_OPERATIONS; i++)
		rig->points[i] = (struct states_point){
			.state = (enum line_state)(i % LINE_STATES),
			.operation = (enum line_operation)(
				i / LINE_STATES % LINE_OPERATIONS),
			.level = i / (LINE_STATES * LINE_OPERATIONS)};
	rig->context.points = rig->points;
	rig->context.levels = rig->levels;
	assert_int_equal(states_init(&rig->context, LINES, 7, NULL), 0);
	assert_int_equal(timebase_init(&timebase, NULL), 0);
	rig->params = (struct probe_params){.samples = 1,
		.counter = timebase.counter,
		.ns_per_tick = 1e9 / timebase.hz,
		.context = &rig->context};
	rig->visit = (struct probe_visit){
		.params = &rig->params,
		.slots = aligned_alloc(PROBE_SLOT_BYTES, STATES_BLOCK_BYTES),
		.first_cpu = READER,
	};
	assert_non_null(rig->visit.slots);
	memset(rig->visit.slots, 0, STATES_BLOCK_BYTES);
}

static void rig_close(struct rig *rig)
{
	states_release(&rig->context);
	free(rig->visit.slots);
}

/* One visit on threads; returns what the reader returned. */
static bool run_visit(struct rig *rig, uint32_t variant, int64_t *ticks)
{
	const struct states_point *point = &rig->points[variant];
	unsigned holder = rig->levels[point->level].holder;
	bool third = line_state_needs_third(point->state);
	struct half halves[3];
	bool well;

	rig->visit.variant = variant;
	rig->visit.second_cpu = holder;
	half_start(&halves[0], &probe_states, &rig->visit, true);
	if (holder != READER)
		half_start(&halves[1], &probe_states, &rig->visit, false);
	rig->visit.second_cpu = THIRD;
	if (third)
		half_start(&halves[2], &probe_states, &rig->visit, false);
	well = half_end(&halves[0]);
	*ticks = halves[0].ticks[0];
	if (holder != READER)
		assert_true(half_end(&halves[1]));
	if (third)
		assert_true(half_end(&halves[2]));
	return well;
}

/* The lines of a visit lead from one to the next, and back to the first. */
static void check_chain(const struct rig *rig)
{
	const struct states_lines *lines =
		states_lines_of(&rig->context, rig->visit.variant);
	size_t set = (rig->visit.pass + rig->visit.variant) % lines->sets;
	const uint32_t *order = lines->order + set * LINES;
	char *first = (char *)rig->visit.slots + order[0] * STATES_PITCH_BYTES;
	char *at = first;

	for (size_t i = 0; i < LINES; i++) {
		assert_ptr_equal(at, (char *)rig->visit.slots +
					     order[i] * STATES_PITCH_BYTES);
		at = *(char **)(void *)at;
	}
	assert_ptr_equal(at, first);
}

static void every_state_is_made_on_one_cpu(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig);
	for (uint32_t v = 0; v < LINE_STATES * LINE_OPERATIONS; v++) {
		int64_t ticks = 0;

		rig.visit.pass = v % 3;
		/* Another program may have run in each try. */
		if (run_visit(&rig, v, &ticks))
			assert_true(ticks > 0);
		assert_int_equal(rig.context.moved, 0);
		check_slot(&rig.visit);
		check_chain(&rig);
	}
	rig_close(&rig);
}

/* The pages between the first and the last line of a set. */
static uint32_t count_pages(const struct states_lines *lines, uint32_t set)
{
	const uint32_t *order = lines->order + (size_t)set * lines->n;
	uint32_t least = order[0], most = order[0];

	for (uint32_t i = 1; i < lines->n; i++) {
		least = order[i] < least ? order[i] : least;
		most = order[i] > most ? order[i] : most;
	}
	return most / LINES_EACH_PAGE - least / LINES_EACH_PAGE + 1;
}

static void own_lines_of_a_cache_lie_in_few_pages(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig);
	for (uint32_t v = 0; v < 2 * LINE_STATES * LINE_OPERATIONS; v++) {
		const struct states_point *point = &rig.points[v];
		const struct states_lines *lines =
			states_lines_of(&rig.context, v);
		bool few = count_pages(lines, 1) <= LINES / LINES_EACH_PAGE + 2;
		bool hit = point->operation == LINE_LOAD
				   ? point->state <= LINE_SHARED
				   : point->operation != LINE_FLUSH &&
					     point->state <= LINE_EXCLUSIVE;

		assert_int_equal(few, hit && point->level == 0);
	}
	rig_close(&rig);
}

static void a_pair_that_moved_does_not_count(void **state)
{
	const uint32_t first = LINE_STATES * LINE_OPERATIONS;
	struct rig rig;
	int64_t ticks;

	(void)state;
	rig_open(&rig);
	/* No pair is as near as the scan is made to say. */
	assert_false(run_visit(&rig, first + LINE_SHARED, &ticks));
	check_slot(&rig.visit);
	check_chain(&rig);
	assert_int_equal(rig.context.walks, 3);
	assert_int_equal(rig.context.moved + rig.context.disturbed, 3);
	rig_close(&rig);
}

/* Some CPUs count 25 ticks in a us. */
static void a_slow_counter_resolves_the_scan(void **state)
{
	struct half halves[2];
	struct rig rig;
	double ns;

	(void)state;
	rig_open(&rig);
	rig.visit.variant = STATES_PING;
	rig.visit.second_cpu = HOLDER;
	half_start(&halves[0], &probe_states, &rig.visit, true);
	half_start(&halves[1], &probe_states, &rig.visit, false);
	assert_true(half_end(&halves[0]));
	assert_true(half_end(&halves[1]));
	ns = probe_states.scale(
		&rig.params, STATES_PING, (double)halves[0].ticks[0]);
	assert_true(ns > 0);
	rig.params.ns_per_tick = 40;
	assert_true(probe_states.scale(&rig.params, STATES_PING, 1) < 5);
	rig_close(&rig);
}

/* Start the reader, the holder or the third CPU; so many others have come. */
static void start_alone(
	struct rig *rig, struct half *half, int which, uint32_t others)
{
	const unsigned seconds[] = {HOLDER, HOLDER, THIRD};

	memset(rig->visit.slots, 0, PROBE_SLOT_BYTES);
	*(uint32_t *)rig->visit.slots = others;
	rig->visit.variant = LINE_STATES * LINE_OPERATIONS + LINE_SHARED;
	rig->visit.second_cpu = seconds[which];
	half_start(half, &probe_states, &rig->visit, which == 0);
}

static void each_half_can_be_abandoned(void **state)
{
	struct half half;
	struct rig rig;

	(void)state;
	rig_open(&rig);
	for (int i = 0; i < 3; i++) {
		start_alone(&rig, &half, i, 0);
		half_abandon(&half);
		assert_false(half_end(&half));
	}
	rig_close(&rig);
}

/* The others have come, and then stand still. */
static void halves_that_wait_for_a_phase_can_be_abandoned(void **state)
{
	struct half half;
	struct rig rig;

	(void)state;
	rig_open(&rig);
	for (int i = 0; i < 3; i++) {
		start_alone(&rig, &half, i, 2);
		for (int n = 0; n < 20; n++)
			nap();
		assert_false(atomic_load(&half.returned));
		half_abandon(&half);
		assert_false(half_end(&half));
	}
	rig_close(&rig);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(every_state_is_made_on_one_cpu),
	cmocka_unit_test(own_lines_of_a_cache_lie_in_few_pages),
	cmocka_unit_test(a_pair_that_moved_does_not_count),
	cmocka_unit_test(a_slow_counter_resolves_the_scan),
	cmocka_unit_test(each_half_can_be_abandoned),
	cmocka_unit_test(halves_that_wait_for_a_phase_can_be_abandoned),
};

CASE_GROUP(cases);
