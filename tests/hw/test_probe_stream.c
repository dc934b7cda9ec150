/*
 * How c2c cache streams through working sets: where the arrays lie, what is
 * used before and while a visit is timed, and how several CPUs meet. A vector
 * of the test's own sees all accesses.
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
#include "probe/probe_stream.h"
#include "visits.h"

#define KIB  ((size_t)1024)
#define MIB  (1024 * KIB)
#define PAGE (4 * KIB)

/* The calls of a visit: more than these are counted only. */
#define CALLS 256

static struct {
	struct arch_arrays calls[CALLS];
	size_t n;
} seen;

static void look(const struct arch_arrays *arrays)
{
	if (seen.n < CALLS)
		seen.calls[seen.n] = *arrays;
	seen.n++;
}

static const struct arch_vector spy = {.name = "spy",
	.bytes = 8,
	.rate = {look, look, look, look, look, look}};

/* A context of these points, CPUs from 0 on, in a machine without nodes. */
struct rig {
	struct stream_context context;
	struct probe_params params;
	_Alignas(64) char slot[PROBE_SLOT_BYTES];
	unsigned numbers[4];
	struct cpu_list cpus;
	struct machine *machine;
	struct probe_visit visit; /* by the first CPU */
};

static void rig_open(struct rig *rig, const struct stream_point *points,
	size_t n, size_t cpus, bool shared)
{
	struct error err;
	struct timebase timebase;

	*rig = (struct rig){.numbers = {0, 1, 2, 3}};
	rig->cpus = (struct cpu_list){rig->numbers, cpus};
	rig->context = (struct stream_context){.points = points,
		.n_points = n,
		.cpus = &rig->cpus,
		.shared = shared};
	assert_int_equal(timebase_init(&timebase, &err), 0);
	rig->params = (struct probe_params){.samples = 3,
		.counter = timebase.counter,
		.ns_per_tick = 1e9 / timebase.hz,
		.context = &rig->context};
	rig->visit = (struct probe_visit){.params = &rig->params,
		.slots = rig->slot,
		.n_seconds = (uint32_t)cpus};
	assert_int_equal(machine_new(&rig->machine, &err), 0);
	assert_int_equal(stream_init(&rig->context, rig->machine,
				 &(const struct memory_request){
					 .pages = MEMORY_PAGES_BASE},
				 &err),
		0);
}

static void rig_close(struct rig *rig)
{
	stream_release(&rig->context);
	machine_free(rig->machine);
}

/* By one CPU, in the test's own thread; without ticks if disturbed. */
static void run_visit(struct rig *rig, unsigned cpu)
{
	int64_t ticks[3] = {0};

	seen.n = 0;
	rig->visit.second_cpu = cpu;
	if (!probe_stream.second(&rig->visit, ticks))
		return;
	for (size_t s = 0; s < 3; s++)
		assert_true(ticks[s] > 0);
}

/* All arrays of a call lie in the memory, on pages of their own. */
static void check_call(const struct rig *rig, const struct stream_point *point,
	const struct arch_arrays *call)
{
	const struct memory_mapping *memory = &rig->context.memory[0];
	const char *base = memory->base, *a = call->a;
	size_t each = point->bytes / arch_access_factors[point->access];
	size_t apart = (size_t)((const char *)call->b - a);

	assert_true(call->bytes > 0 && call->rounds > 0);
	assert_int_equal(call->bytes % ARCH_GRAIN, 0);
	assert_int_equal((size_t)(a - base) % ARCH_GRAIN, 0);
	assert_true(a >= base && a + call->bytes <= base + each);
	assert_int_equal(apart % PAGE, 0);
	assert_true(apart >= each / ARCH_GRAIN * ARCH_GRAIN);
	assert_ptr_equal((const char *)call->c - apart, call->b);
	assert_true(a + (arch_access_factors[point->access] - 1) * apart +
			    call->bytes <=
		    base + memory->bytes);
}

/* What is used first is all of the set, in order and around. */
static size_t check_warm(
	const struct stream_point *point, const struct arch_arrays *calls)
{
	size_t each = point->bytes / arch_access_factors[point->access] /
		      ARCH_GRAIN * ARCH_GRAIN;
	size_t done = 0, i = 0;
	const char *base = calls[0].a;

	for (; done < each; i++) {
		assert_int_equal(calls[i].rounds, 1);
		assert_ptr_equal(calls[i].a, base + done);
		done += calls[i].bytes;
	}
	assert_int_equal(done, each);
	return i;
}

static void a_visit_uses_all_of_its_set(void **state)
{
	static const size_t sizes[] = {4 * KIB, 45 * KIB + 512, MIB, 5 * MIB};

	(void)state;
	for (int access = 0; access < ARCH_ACCESSES; access++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			const struct stream_point point = {.bytes = sizes[i],
				.warm_bytes = sizes[i],
				.n_cpus = 1,
				.access = (enum arch_access)access,
				.vector = &spy};
			struct rig rig;
			size_t warm;

			rig_open(&rig, &point, 1, 1, false);
			run_visit(&rig, 0);
			warm = check_warm(&point, seen.calls);
			assert_true(seen.n > warm);
			for (size_t k = 0; k < seen.n && k < CALLS; k++)
				check_call(&rig, &point, &seen.calls[k]);
			/* Of a small set, as much as of a large one. */
			assert_true(seen.calls[warm].bytes *
					    seen.calls[warm].rounds >=
				    64 * KIB);
			check_slot(&rig.visit);
			rig_close(&rig);
		}
	}
}

static void a_visit_begins_where_the_last_one_ended(void **state)
{
	const struct stream_point point = {.bytes = 8 * MIB,
		.warm_bytes = 2 * MIB,
		.n_cpus = 1,
		.access = ARCH_COPY,
		.vector = &spy};
	struct rig rig;
	size_t at = 0;

	(void)state;
	rig_open(&rig, &point, 1, 1, false);
	for (int k = 0; k < 3; k++) {
		const char *base = rig.context.memory[0].base;
		size_t bytes;

		run_visit(&rig, 0);
		bytes = seen.calls[0].bytes;
		/* 1 MiB of each array is used, and not timed. */
		assert_ptr_equal(seen.calls[0].a, base + at);
		at = (at + (seen.n - MIB / bytes) * bytes) % (4 * MIB);
	}
	rig_close(&rig);
}

static void cpus_of_one_array_begin_apart(void **state)
{
	const struct stream_point point = {.bytes = 12 * MIB,
		.n_cpus = 3,
		.access = ARCH_READ,
		.vector = &spy};
	struct rig rig;

	(void)state;
	rig_open(&rig, &point, 1, 3, true);
	for (unsigned cpu = 0; cpu < 3; cpu++) {
		const char *base = rig.context.memory[0].base;

		/* As if the two others had come. */
		*(uint32_t *)rig.slot = 2;
		run_visit(&rig, cpu);
		assert_ptr_equal(seen.calls[0].a, base + cpu * 4 * MIB);
	}
	rig_close(&rig);
}

/* The first CPU has most: the largest set alone, and its part of others. */
static void memory_is_what_the_largest_sets_need(void **state)
{
	const struct stream_point points[] = {
		{.bytes = 16 * MIB, .n_cpus = 1, .access = ARCH_READ},
		{.bytes = 5 * MIB, .n_cpus = 2, .access = ARCH_WRITE},
		{.bytes = 4 * MIB, .n_cpus = 4, .access = ARCH_COPY},
		/* Each of three arrays ends in the middle of a page. */
		{.bytes = 3 * (MIB + 512), .n_cpus = 4, .access = ARCH_TRIAD},
	};
	unsigned numbers[] = {0, 1, 2, 3};
	const struct cpu_list cpus = {numbers, 4};
	struct stream_context context = {
		.points = points, .n_points = 4, .cpus = &cpus};

	(void)state;
	assert_int_equal(stream_bytes(&context), 16 * MIB + 5 * MIB + 8 * MIB);
	context.shared = true;
	assert_int_equal(stream_bytes(&context), 16 * MIB);
	context.points = points + 3;
	context.n_points = 1;
	assert_int_equal(stream_bytes(&context), 3 * (MIB + PAGE));
}

static void several_cpus_meet_and_leave_zeros(void **state)
{
	const struct stream_point point = {.bytes = 64 * KIB,
		.warm_bytes = 64 * KIB,
		.n_cpus = 2,
		.access = ARCH_TRIAD,
		.vector = arch_vector_widest()};
	struct rig rig;

	(void)state;
	rig_open(&rig, &point, 1, 2, false);
	for (int k = 0; k < 5; k++) {
		struct half halves[2];

		for (unsigned cpu = 0; cpu < 2; cpu++) {
			rig.visit.second_cpu = cpu;
			half_start(
				&halves[cpu], &probe_stream, &rig.visit, false);
		}
		for (unsigned cpu = 0; cpu < 2; cpu++)
			half_end(&halves[cpu]);
		check_slot(&rig.visit);
	}
	rig_close(&rig);
}

static void one_that_waits_can_be_abandoned(void **state)
{
	const struct stream_point point = {.bytes = 4 * KIB,
		.n_cpus = 2,
		.access = ARCH_READ,
		.vector = arch_vector_widest()};
	struct half half;
	struct rig rig;

	(void)state;
	rig_open(&rig, &point, 1, 2, false);
	half_start(&half, &probe_stream, &rig.visit, false);
	half_abandon(&half);
	assert_false(half_end(&half));
	rig_close(&rig);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_visit_uses_all_of_its_set),
	cmocka_unit_test(a_visit_begins_where_the_last_one_ended),
	cmocka_unit_test(cpus_of_one_array_begin_apart),
	cmocka_unit_test(memory_is_what_the_largest_sets_need),
	cmocka_unit_test(several_cpus_meet_and_leave_zeros),
	cmocka_unit_test(one_that_waits_can_be_abandoned),
};

CASE_GROUP(cases);
