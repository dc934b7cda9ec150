/*
 * Every latency method with real threads: only what physics guarantees is
 * asserted of numbers; the rest is the contract of probe.h.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/timebase.h"
#include "probe/probe.h"

struct half {
	const struct probe *probe;
	const struct probe_visit *visit;
	bool is_first;
	int64_t *ticks;
	bool well;
	atomic_bool returned;
};

static void *run_half(void *argument)
{
	struct half *half = argument;

	half->well =
		(half->is_first ? half->probe->first : half->probe->second)(
			half->visit, half->ticks);
	atomic_store(&half->returned, true);
	return NULL;
}

/* Fewer slots than samples, so that some are used again. */
enum {
	SAMPLES = 4,
	SLOTS = 3
};

static void *new_slots(void)
{
	void *slots = aligned_alloc(PROBE_SLOT_BYTES, SLOTS * PROBE_SLOT_BYTES);

	assert_non_null(slots);
	memset(slots, 0, SLOTS * PROBE_SLOT_BYTES);
	return slots;
}

static void check_zero(const void *slots)
{
	static const char zeros[SLOTS * PROBE_SLOT_BYTES];

	assert_memory_equal(slots, zeros, sizeof(zeros));
}

static void measure(const struct probe *probe, bool hint, uint32_t slots)
{
	struct timebase timebase;
	struct probe_params params = {.round_trips = 5,
		.samples = SAMPLES,
		.warm_up = 2,
		.slots = slots,
		.use_spin_hint = hint};
	struct probe_visit visit = {.params = &params, .slots = new_slots()};
	int64_t ticks[2][SAMPLES];
	uint64_t begin, took_ticks;

	assert_int_equal(timebase_init(&timebase, NULL), 0);
	params.counter = timebase.counter;
	params.ns_per_tick = 1e9 / timebase.hz;
	for (int i = 0; i < 2; i++) {
		struct half first = {
			probe, &visit, true, ticks[0], false, false};
		struct half second = {
			probe, &visit, false, ticks[1], false, false};
		int64_t sum = 0;
		pthread_t thread;

		begin = timebase_begin(params.counter);
		assert_int_equal(
			pthread_create(&thread, NULL, run_half, &second), 0);
		run_half(&first);
		pthread_join(thread, NULL);
		took_ticks = timebase_end(params.counter) - begin;
		assert_true(first.well);
		assert_true(second.well);
		/* The next visit needs it so. */
		check_zero(visit.slots);
		/* Samples are disjoint parts of the time around them. */
		for (int s = 0; s < SAMPLES; s++) {
			if (probe->first_cell == PROBE_BOTH)
				assert_true(ticks[0][s] > 0);
			sum += ticks[0][s];
		}
		if (probe->first_cell == PROBE_BOTH) {
			assert_true(sum > 0);
			assert_true((uint64_t)sum <= took_ticks);
			/* No signal crosses a chip and back in under 1 ns. */
			assert_true(probe->scale(&params, 0,
					    (double)sum / SAMPLES) > 0.5);
		}
	}
	free(visit.slots);
}

static void every_method_measures(void **state)
{
	(void)state;
	for (size_t i = 0; latency_probes[i]; i++) {
		for (uint32_t slots = 1; slots <= SLOTS; slots += SLOTS - 1) {
			measure(latency_probes[i], false, slots);
			measure(latency_probes[i], true, slots);
		}
	}
}

/* One half alone, as when the partner is gone. */
static void abandon_half(const struct probe *probe, bool is_first, bool hint)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const struct probe_params params = {.round_trips = 20,
		.samples = SAMPLES,
		.warm_up = 3,
		.slots = SLOTS,
		.use_spin_hint = hint};
	struct probe_visit visit = {.params = &params, .slots = new_slots()};
	int64_t ticks[SAMPLES];
	struct half half = {probe, &visit, is_first, ticks, true, false};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, run_half, &half), 0);
	nanosleep(&pause, NULL);
	/* It waits: nobody answers. */
	assert_false(atomic_load(&half.returned));
	for (int i = 0; i < 10000 && !atomic_load(&half.returned); i++) {
		for (uint32_t s = 0; s < SLOTS; s++)
			probe->abandon((char *)visit.slots +
				       (size_t)s * PROBE_SLOT_BYTES);
		nanosleep(&pause, NULL);
	}
	assert_true(atomic_load(&half.returned));
	pthread_join(thread, NULL);
	assert_false(half.well);
	free(visit.slots);
}

static void every_half_can_be_abandoned(void **state)
{
	(void)state;
	for (size_t i = 0; latency_probes[i]; i++) {
		for (int variant = 0; variant < 4; variant++)
			abandon_half(
				latency_probes[i], variant & 1, variant & 2);
	}
}

static void ticks_become_one_way_or_round_trip(void **state)
{
	const struct probe_params params = {
		.round_trips = 50, .ns_per_tick = 0.5};

	(void)state;
	/* 10,000 ticks are 5,000 ns: 100 messages there and back. */
	assert_true(probe_line.scale(&params, 0, 10000) == 50);
	assert_true(probe_cas.scale(&params, 0, 10000) == 50);
	assert_true(probe_two_line.scale(&params, 0, 10000) == 50);
	/* ... and 50 messages of one direction. */
	assert_true(probe_one_way.scale(&params, 0, 10000) == 100);
	/* What the first half of one-way times came from the second CPU. */
	assert_int_equal(probe_one_way.first_cell, PROBE_BACKWARD);
	assert_int_equal(probe_one_way.second_cell, PROBE_FORWARD);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(every_method_measures),
	cmocka_unit_test(every_half_can_be_abandoned),
	cmocka_unit_test(ticks_become_one_way_or_round_trip),
};

CASE_GROUP(cases);
