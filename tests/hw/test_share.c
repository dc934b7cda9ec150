/*
 * probe_share on the CPUs at hand. Whether they share a cache is not known
 * here, so of values it is asserted what holds of any two: beside a large ring
 * a chase takes no less than beside a small one, but for noise.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "probe/share.h"
#include "stat/stat.h"
#include "visits.h"

/* 60 % of a first-level cache of 48 KiB, and of a second-level one of 2 MiB. */
#define SMALL_RING (460 * CHASE_LINE_BYTES)
#define LARGE_RING (19660 * CHASE_LINE_BYTES)

/* What a slowdown has at least, but for noise, and runs to see it. */
#define LEAST 0.9
#define RUNS  5

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

/* The median of what is known of a cell over all passes. */
static double median_of_cell(const struct campaign *campaign, size_t k)
{
	double *values = calloc(campaign->n_passes, sizeof(*values));
	size_t n = campaign_gather(
		campaign, 0, k, 0, campaign->n_passes, 1, values);
	double median = n ? stat_median(values, n) : NAN;

	free(values);
	return median;
}

/* The slowdown of two CPUs in one run. */
static double measure_pair(size_t large_bytes)
{
	struct share_context context;
	struct real_rig rig;
	struct error err;
	double median;

	real_open(&rig, &probe_share);
	rig.cpus.n = 2;
	rings_open(&context, &rig.cpus, large_bytes);
	rig.options.both_ways = false;
	rig.options.params.samples = 1;
	rig.options.params.context = &context;
	rig.options.passes_min = rig.options.passes_max = 60;
	assert_int_equal(campaign_run(&rig.campaign, &rig.options, &err), 0);
	median = median_of_cell(&rig.campaign, 0);
	real_close(&rig);
	share_release(&context);
	return median;
}

/* Neighbours may spoil a run, but a bias is in all of them. */
static void run_pair(size_t large_bytes)
{
	double most = NAN;

	if (!real_has_two_cpus()) {
		print_message("skip: this machine has one CPU\n");
		skip();
	}
	for (int run = 0; run < RUNS && !(most >= LEAST); run++)
		most = fmax(most, measure_pair(large_bytes));
	assert_true(isfinite(most));
	assert_true(most >= LEAST);
}

static void a_small_level_slows_nobody_down_below_one(void **state)
{
	(void)state;
	run_pair(SMALL_RING);
}

static void a_large_level_slows_nobody_down_below_one(void **state)
{
	(void)state;
	run_pair(LARGE_RING);
}

/* A visit of two CPUs whose numbers need not exist, on threads unbound. */
struct pair_rig {
	unsigned numbers[2];
	struct cpu_list cpus;
	struct share_context context;
	struct probe_params params;
	struct probe_visit visit;
};

static void pair_open(struct pair_rig *rig)
{
	*rig = (struct pair_rig){.numbers = {0, 1},
		.cpus = {rig->numbers, 2},
		.params = {.samples = 1,
			.slots = 1,
			.counter = false,
			.context = &rig->context},
		.visit = {.params = &rig->params,
			.second_cpu = 1,
			.n_seconds = 1}};
	rings_open(&rig->context, &rig->cpus, SMALL_RING);
	rig->visit.slots = aligned_alloc(PROBE_SLOT_BYTES, PROBE_SLOT_BYTES);
	assert_non_null(rig->visit.slots);
	memset(rig->visit.slots, 0, PROBE_SLOT_BYTES);
}

static void pair_close(struct pair_rig *rig)
{
	share_release(&rig->context);
	free(rig->visit.slots);
}

static void a_visit_leaves_a_value_each_and_the_slot_as_it_was(void **state)
{
	struct pair_rig rig;
	struct half first, second;

	(void)state;
	pair_open(&rig);
	for (uint32_t pass = 0; pass < 6; pass++) {
		bool well;

		rig.visit.pass = pass;
		half_start(&first, &probe_share, &rig.visit, true);
		half_start(&second, &probe_share, &rig.visit, false);
		well = half_end(&first);
		/* Both know of a disturbance of either. */
		assert_int_equal(half_end(&second), well);
		check_slot(&rig.visit);
		/* The mean of both halves. */
		assert_true(!well || first.ticks[0] > 0);
	}
	pair_close(&rig);
}

static void a_half_without_a_partner_ends_when_abandoned(void **state)
{
	(void)state;
	for (int is_first = 0; is_first < 2; is_first++) {
		struct pair_rig rig;
		struct half half;

		pair_open(&rig);
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
	cmocka_unit_test(a_small_level_slows_nobody_down_below_one),
	cmocka_unit_test(a_large_level_slows_nobody_down_below_one),
	cmocka_unit_test(a_visit_leaves_a_value_each_and_the_slot_as_it_was),
	cmocka_unit_test(a_half_without_a_partner_ends_when_abandoned),
};

CASE_GROUP(cases);
