/*
 * probe_share with a clock of each thread that only its loads advance: twice as
 * fast beside a large ring, or three times as fast. So the slowdown is known.
 */
#include <sched.h>
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
#include "probe/probe_share.h"
#include "probe/undisturbed.h"
#include "visits.h"

/* 60 % of a first-level cache of 48 KiB, and of a second-level one of 2 MiB. */
#define SMALL_RING (460 * CHASE_LINE_BYTES)
#define LARGE_RING (19660 * CHASE_LINE_BYTES)

/* How much longer a load of a large ring takes beside another large one. */
static unsigned slower;

static _Thread_local uint64_t now;

/* Of the two CPUs, and the ring that each chases through. */
static const struct chase_context *chases;
static _Atomic(const struct chase_ring *) chased[2];

static bool is_large(const struct chase_ring *ring)
{
	return ring && ring->bytes > SHARE_SMALL_BYTES;
}

/* In a part, both CPUs stay with their rings until both have met at its end. */
static void count_loads(struct chase_ring *ring, size_t loads, bool walkers)
{
	size_t self = ring == &chases[1].rings[SHARE_LARGE] ||
		      ring == &chases[1].rings[SHARE_SMALL];

	atomic_store(&chased[self], ring);
	chase_loads(ring, loads, walkers);
	now += loads * (is_large(ring) && is_large(chased[!self]) ? slower : 1);
	sched_yield();
}

#define chase_loads		count_loads
#define timebase_begin(counter) ((void)(counter), now)
#define timebase_end(counter)	((void)(counter), now)
#define probe_switches()	0L
#include "probe/probe_share.c" /* NOLINT(bugprone-suspicious-include) */

static void rings_open(struct share_context *context,
	const struct cpu_list *cpus, size_t large_bytes)
{
	const struct chase_plan plan = {
		.seed = 1,
		.request = {.node = MEMORY_ANY_NODE,
			.pages = MEMORY_PAGES_BASE},
	};
	struct error err;

	*context = (struct share_context){.cpus = cpus};
	assert_int_equal(
		share_init(context, NULL, &plan, large_bytes, &err), 0);
}

/* How many loads it takes to come back to the first line. */
static size_t ring_lines(const struct chase_ring *ring)
{
	void *at = ring->at;
	size_t n = 0;

	do {
		at = *(void **)at;
		n++;
	} while (at != ring->at && n <= ring->bytes);
	return n;
}

static void rings_have_the_sizes_asked_for(void **state)
{
	struct share_context context;
	unsigned numbers[] = {3, 7};
	const struct cpu_list cpus = {numbers, 2};

	(void)state;
	rings_open(&context, &cpus, LARGE_RING);
	for (size_t i = 0; i < cpus.n; i++) {
		const struct chase_context *own = &context.chases[i];

		assert_int_equal(ring_lines(&own->rings[SHARE_SMALL]),
			SHARE_SMALL_BYTES / CHASE_LINE_BYTES);
		assert_int_equal(ring_lines(&own->rings[SHARE_LARGE]),
			LARGE_RING / CHASE_LINE_BYTES);
		assert_true(own->memory.bytes < 2 * LARGE_RING);
	}
	/* No CPU reads the memory of another. */
	assert_ptr_not_equal(
		context.chases[0].memory.base, context.chases[1].memory.base);
	share_release(&context);
}

static void a_ring_needs_its_own_size_only(void **state)
{
	(void)state;
	assert_int_equal(share_bytes(LARGE_RING), LARGE_RING);
}

static void halves_see_a_part_alike(void **state)
{
	/* For the second half, by what it is for the first. */
	static const enum share_part other[SHARE_PARTS] = {
		[SHARE_BOTH_LARGE] = SHARE_BOTH_LARGE,
		[SHARE_OWN_LARGE] = SHARE_OTHER_LARGE,
		[SHARE_OTHER_LARGE] = SHARE_OWN_LARGE,
	};
	bool seen[SHARE_PARTS] = {false};

	(void)state;
	for (uint32_t i = 0; i < SHARE_PARTS; i++) {
		enum share_part first = share_part(i, true);

		assert_int_equal(share_part(i, false), other[first]);
		assert_false(seen[first]);
		seen[first] = true;
	}
}

/* A visit of two CPUs whose numbers need not exist, on threads unbound. */
struct pair_rig {
	unsigned numbers[2];
	struct cpu_list cpus;
	struct share_context context;
	struct probe_params params;
	struct probe_visit visit;
};

static void pair_open(struct pair_rig *rig, size_t large_bytes)
{
	*rig = (struct pair_rig){.numbers = {0, 1},
		.cpus = {rig->numbers, 2},
		.params = {.samples = 2,
			.slots = 1,
			.counter = false,
			.context = &rig->context},
		.visit = {.params = &rig->params,
			.second_cpu = 1,
			.n_seconds = 1}};
	rings_open(&rig->context, &rig->cpus, large_bytes);
	chases = rig->context.chases;
	rig->visit.slots = aligned_alloc(PROBE_SLOT_BYTES, PROBE_SLOT_BYTES);
	assert_non_null(rig->visit.slots);
	memset(rig->visit.slots, 0, PROBE_SLOT_BYTES);
}

static void pair_close(struct pair_rig *rig)
{
	/*
	 * The next pair looks at its partner's ring before that has chosen one.
	 */
	for (int i = 0; i < 2; i++)
		atomic_store(&chased[i], NULL);
	share_release(&rig->context);
	free(rig->visit.slots);
}

static void measure_slowdown(size_t large_bytes)
{
	struct half first, second;
	struct pair_rig rig;

	pair_open(&rig, large_bytes);
	for (uint32_t pass = 0; pass < 6; pass++) {
		slower = 1 + pass % 3;
		/* Each pass begins with another part. */
		rig.visit.pass = pass;
		half_start(&first, &probe_share, &rig.visit, true);
		half_start(&second, &probe_share, &rig.visit, false);
		assert_true(half_end(&first));
		assert_true(half_end(&second));
		check_slot(&rig.visit);
		for (uint32_t s = 0; s < rig.params.samples; s++)
			assert_true(probe_share.scale(&rig.params, 0,
					    (double)first.ticks[s]) == slower);
	}
	pair_close(&rig);
}

static void a_value_is_the_slowdown_beside_a_large_ring(void **state)
{
	(void)state;
	measure_slowdown(SMALL_RING);
	measure_slowdown(LARGE_RING);
}

static void a_half_without_a_partner_ends_when_abandoned(void **state)
{
	(void)state;
	for (int is_first = 0; is_first < 2; is_first++) {
		struct pair_rig rig;
		struct half half;

		pair_open(&rig, SMALL_RING);
		half_start(&half, &probe_share, &rig.visit, is_first);
		nap();
		half_abandon(&half);
		assert_false(half_end(&half));
		pair_close(&rig);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(rings_have_the_sizes_asked_for),
	cmocka_unit_test(halves_see_a_part_alike),
	cmocka_unit_test(a_ring_needs_its_own_size_only),
	cmocka_unit_test(a_value_is_the_slowdown_beside_a_large_ring),
	cmocka_unit_test(a_half_without_a_partner_ends_when_abandoned),
};

CASE_GROUP(cases);
