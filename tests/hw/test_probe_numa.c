/*
 * How c2c numa uses memory: that each CPU stays in its part of an array, that a
 * mix writes what it says, that chase and load meet and leave their slot as the
 * next visit needs it, and where the memory lies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/timebase.h"
#include "probe/probe_numa.h"
#include "visits.h"

#define MIB   ((size_t)1 << 20)
#define CPUS  3
#define CALLS 4096

static struct {
	struct arch_arrays calls[CALLS];
	enum arch_access accesses[CALLS];
	size_t n;
} seen;

static void look(const struct arch_arrays *arrays, enum arch_access access)
{
	if (seen.n < CALLS) {
		seen.calls[seen.n] = *arrays;
		seen.accesses[seen.n] = access;
	}
	seen.n++;
}

#define SPY(name, access)                                                      \
	static void name(const struct arch_arrays *arrays)                     \
	{                                                                      \
		look(arrays, access);                                          \
	}
SPY(spy_read, ARCH_READ)
SPY(spy_write, ARCH_WRITE)
SPY(spy_copy, ARCH_COPY)
SPY(spy_triad, ARCH_TRIAD)
SPY(spy_nt_write, ARCH_NT_WRITE)
SPY(spy_nt_copy, ARCH_NT_COPY)

static const struct arch_vector spy = {.name = "spy",
	.bytes = 8,
	.rate = {spy_read, spy_write, spy_copy, spy_triad, spy_nt_write,
		spy_nt_copy}};

/* One row of up to three CPUs and one home, of the first memory node. */
struct rig {
	struct numa_context context;
	struct numa_row row;
	struct numa_home home;
	struct numa_point point;
	struct probe_params params;
	_Alignas(64) char slot[PROBE_SLOT_BYTES];
	unsigned numbers[CPUS];
	struct machine *machine;
	struct probe_visit visit;
};

static void rig_open(struct rig *rig, struct numa_point point, size_t cpus)
{
	const struct numa_request request = {.ring_bytes = MIB,
		.array_bytes = 4 * MIB,
		.least_bytes = MIB,
		.pages = MEMORY_PAGES_BASE,
		.seed = 3};
	struct timebase timebase;
	struct error err;

	*rig = (struct rig){.numbers = {10, 20, 30}, .point = point};
	rig->row.cpus = (struct cpu_list){rig->numbers, cpus};
	assert_int_equal(timebase_init(&timebase, &err), 0);
	rig->params = (struct probe_params){.samples = 3,
		.counter = timebase.counter,
		.ns_per_tick = 1e9 / timebase.hz,
		.context = &rig->context};
	assert_int_equal(machine_new(&rig->machine, &err), 0);
	rig->home.node = (int)machine_facts(rig->machine)->memory_nodes.cpus[0];
	rig->context = (struct numa_context){.rows = &rig->row,
		.n_rows = 1,
		.homes = &rig->home,
		.n_homes = 1,
		.points = &rig->point,
		.n_points = 1};
	assert_int_equal(
		numa_init(&rig->context, rig->machine, &request, &err), 0);
	assert_true(rig->home.bound);
	rig->visit = (struct probe_visit){.params = &rig->params,
		.slots = rig->slot,
		.n_seconds = (uint32_t)cpus};
}

static void rig_close(struct rig *rig)
{
	numa_release(&rig->context);
	machine_free(rig->machine);
}

/* All calls of CPU self of n stay in its part, which has these arrays. */
static void check_part(
	const struct rig *rig, size_t self, size_t n, unsigned arrays)
{
	const char *base = rig->home.array.base;
	size_t part = rig->home.array.bytes / n;
	const char *begin = base + self * (part / 4096 * 4096);

	assert_true(seen.n > 0);
	for (size_t i = 0; i < seen.n && i < CALLS; i++) {
		const struct arch_arrays *call = &seen.calls[i];
		const char *a = call->a;
		const char *last = arrays > 2	? call->c
				   : arrays > 1 ? call->b
						: a;

		assert_int_equal(call->rounds, 1);
		assert_int_equal(call->bytes % ARCH_GRAIN, 0);
		assert_true(a >= begin);
		assert_true(last >= a && last + call->bytes <= begin + part);
	}
}

/* A visit of bandwidth by one CPU, on this thread. */
static void see_bandwidth(struct rig *rig, size_t self)
{
	int64_t ticks[3] = {0};

	rig->context.vector = &spy;
	rig->visit.second_cpu = rig->numbers[self];
	rig->visit.n_seconds = 1;
	seen.n = 0;
	if (probe_numa.second(&rig->visit, ticks))
		assert_true(ticks[0] > 0 && ticks[0] == ticks[2]);
	check_slot(&rig->visit);
}

static void a_cpu_stays_in_its_part(void **state)
{
	static const unsigned arrays[NUMA_MIX_COUNT] = {1, 1, 1, 1, 3, 2};

	(void)state;
	for (int mix = 0; mix < NUMA_MIX_COUNT; mix++) {
		struct rig rig;

		rig_open(&rig,
			(struct numa_point){.kind = NUMA_BANDWIDTH,
				.mix = (enum numa_mix)mix},
			CPUS);
		for (size_t self = 0; self < CPUS; self++) {
			for (int visit = 0; visit < 3; visit++) {
				see_bandwidth(&rig, self);
				check_part(&rig, self, CPUS, arrays[mix]);
			}
		}
		rig_close(&rig);
	}
}

/* The first and the third CPU use one home, so each has half of it. */
static void cpus_of_a_team_share_the_memory_of_their_home(void **state)
{
	size_t homes[CPUS] = {0, 1, 0};
	struct numa_home both[2];
	struct numa_team team;
	struct rig rig;

	(void)state;
	rig_open(&rig, (struct numa_point){.kind = NUMA_TEAM}, CPUS);
	both[0] = both[1] = rig.home;
	team = (struct numa_team){rig.row.cpus, homes};
	rig.context.teams = &team;
	rig.context.n_teams = 1;
	rig.context.homes = both;
	rig.context.n_homes = 2;
	see_bandwidth(&rig, 0);
	check_part(&rig, 0, 2, 1);
	see_bandwidth(&rig, 1);
	check_part(&rig, 0, 1, 1);
	see_bandwidth(&rig, 2);
	check_part(&rig, 1, 2, 1);
	assert_ptr_equal(seen.calls[0].a,
		(char *)rig.home.array.base + rig.home.array.bytes / 2);
	/* If memory of one is elsewhere, nobody waits for its CPU. */
	both[1].bound = false;
	see_bandwidth(&rig, 0);
	assert_int_equal(seen.n, 0);
	rig.context.homes = &rig.home;
	rig.context.n_homes = 1;
	rig_close(&rig);
}

static void a_mix_writes_its_share_in_place(void **state)
{
	static const size_t every[] = {
		[NUMA_3_TO_1] = 3, [NUMA_2_TO_1] = 2, [NUMA_1_TO_1] = 1};

	(void)state;
	for (int mix = NUMA_3_TO_1; mix <= NUMA_1_TO_1; mix++) {
		size_t written = 0, n = 240;
		struct rig rig;

		rig_open(&rig,
			(struct numa_point){.kind = NUMA_BANDWIDTH,
				.mix = (enum numa_mix)mix},
			1);
		/* One that lost its CPU may end after a few pieces. */
		do
			see_bandwidth(&rig, 0);
		while (seen.n < n);
		for (size_t i = 0; i < n; i++) {
			if (seen.accesses[i] == ARCH_READ)
				continue;
			assert_int_equal(seen.accesses[i], ARCH_COPY);
			assert_ptr_equal(seen.calls[i].a, seen.calls[i].b);
			written++;
		}
		/* The part need not have a whole number of rounds. */
		assert_in_range(
			written, n / every[mix] - 2, n / every[mix] + 2);
		rig_close(&rig);
	}
	assert_float_equal(numa_mix_bytes(NUMA_READ, 6), 6, 0);
	assert_float_equal(numa_mix_bytes(NUMA_3_TO_1, 6), 8, 1e-9);
	assert_float_equal(numa_mix_bytes(NUMA_1_TO_1, 6), 12, 0);
	assert_float_equal(numa_mix_bytes(NUMA_TRIAD, 6), 18, 0);
	assert_float_equal(numa_mix_bytes(NUMA_NT, 6), 12, 0);
}

static void a_visit_goes_on_where_the_last_one_ended(void **state)
{
	bool elsewhere = false;
	struct rig rig;
	void *last, *at;

	(void)state;
	rig_open(&rig, (struct numa_point){.kind = NUMA_BANDWIDTH}, 1);
	for (int visit = 0; visit < 8; visit++) {
		last = (char *)rig.home.array.base + rig.home.at[0];
		see_bandwidth(&rig, 0);
		assert_ptr_equal(seen.calls[0].a, last);
		/* Once in a while it has gone around. */
		elsewhere |= last != rig.home.array.base;
	}
	assert_true(elsewhere);
	rig.point.kind = NUMA_LATENCY;
	at = rig.home.point.at[0];
	probe_numa.first(&rig.visit, (int64_t[3]){0});
	assert_ptr_not_equal(rig.home.point.at[0], at);
	rig_close(&rig);
}

/* A chase and one CPU that loads the memory, on two threads. */
static void run_loaded(struct rig *rig, bool abandon)
{
	struct half chase, load;
	bool well;

	rig->visit.second_cpu = rig->numbers[1];
	rig->visit.n_seconds = 1;
	half_start(&load, &probe_numa, &rig->visit, false);
	if (abandon) {
		nap();
		half_abandon(&load);
		assert_false(half_end(&load));
		memset(rig->slot, 0, sizeof(rig->slot));
		return;
	}
	half_start(&chase, &probe_numa, &rig->visit, true);
	well = half_end(&chase);
	if (well)
		assert_true(chase.ticks[0] > 0);
	well = half_end(&load);
	if (well)
		assert_true(load.ticks[0] > 0);
	check_slot(&rig->visit);
}

static void chase_and_load_meet_and_part(void **state)
{
	(void)state;
	for (unsigned delay = 0; delay < 3000; delay += 1000) {
		struct rig rig;

		rig_open(&rig,
			(struct numa_point){
				.kind = NUMA_LOADED, .delay = delay},
			2);
		rig.context.vector = &spy;
		/* On a busy machine the load may be away all the time. */
		for (int visits = 0; visits < 5;) {
			seen.n = 0;
			run_loaded(&rig, false);
			if (seen.n == 0)
				continue;
			/* All of the array: the chasing CPU has no part. */
			check_part(&rig, 0, 1, 1);
			visits++;
		}
		run_loaded(&rig, true);
		run_loaded(&rig, false);
		rig_close(&rig);
	}
}

static void memory_that_is_not_bound_is_not_measured(void **state)
{
	int64_t ticks[3] = {0};
	struct rig rig;

	(void)state;
	rig_open(&rig, (struct numa_point){.kind = NUMA_LATENCY}, 1);
	rig.home.bound = false;
	assert_false(probe_numa.first(&rig.visit, ticks));
	rig.point.kind = NUMA_BANDWIDTH;
	assert_false(probe_numa.second(&rig.visit, ticks));
	assert_int_equal(ticks[0], 0);
	rig_close(&rig);
}

static void values_are_ns_and_gib_per_s(void **state)
{
	struct rig rig;
	int64_t ticks[3] = {0};
	double ns;

	(void)state;
	rig_open(&rig, (struct numa_point){.kind = NUMA_LATENCY}, 1);
	while (!probe_numa.first(&rig.visit, ticks))
		nap();
	ns = probe_numa.scale(&rig.params, 0, (double)ticks[0]);
	/* Of a MiB in some cache or other: a clock to many memories. */
	assert_true(ns > 0.1 && ns < 1e5);
	rig_close(&rig);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_cpu_stays_in_its_part),
	cmocka_unit_test(cpus_of_a_team_share_the_memory_of_their_home),
	cmocka_unit_test(a_mix_writes_its_share_in_place),
	cmocka_unit_test(a_visit_goes_on_where_the_last_one_ended),
	cmocka_unit_test(chase_and_load_meet_and_part),
	cmocka_unit_test(memory_that_is_not_bound_is_not_measured),
	cmocka_unit_test(values_are_ns_and_gib_per_s),
};

CASE_GROUP(cases);
