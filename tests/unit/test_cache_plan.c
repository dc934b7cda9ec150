/*
 * What c2c cache plans on a pretended machine with 1,024 CPUs, and whether a
 * run of that plan ends.
 */
#include <errno.h>
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
#include "cmd/cache/cmd_cache.h"

#define MIB UINT64_C(1048576)

static atomic_bool stop;

struct rig {
	struct machine *machine;
	struct cache_options options;
	struct cache_plan own;
	struct measure_selection selection;
};

static void rig_open(struct rig *rig)
{
	struct option_table table;

	memset(rig, 0, sizeof(*rig));
	assert_int_equal(machine_new_synthetic(&rig->machine,
				 "package:2 numa:4 l3:16(size=33554432) "
				 "core:8 pu:1",
				 NULL),
		0);
	rig->own.options = &rig->options;
	rig->options = (struct cache_options){
		.sizes = {1024, 0},
		.steps = 4,
		.latency = true,
		.bandwidth = true,
	};
	table = cache_options_table(&rig->options);
	options_set_standards(&table);
	rig->selection.machine = rig->machine;
	assert_int_equal(machine_select(rig->machine, NULL, MACHINE_PER_PU,
				 &rig->selection.cpus, NULL),
		0);
	assert_int_equal(rig->selection.cpus.n, 1024);
}

static void rig_close(struct rig *rig)
{
	cache_release_latency(&rig->own);
	cache_release_bandwidth(&rig->own);
	free(rig->selection.pairs);
	free(rig->selection.others);
	cpu_list_release(&rig->selection.cpus);
	machine_free(rig->machine);
}

static int plan(struct rig *rig)
{
	struct error err;
	int rc;

	if (!rig->options.sizes.max)
		rig->options.sizes.max = cache_default_max(
			&rig->own, machine_facts(rig->machine));
	rc = cache_select_latency(&rig->own, &rig->selection, &err);
	if (rc == 0)
		rc = cache_select_bandwidth(&rig->own, &rig->selection, &err);
	return rc;
}

static void the_default_sizes_fit_into_the_memory_there_is(void **state)
{
	static const uint64_t memories[] = {128 * MIB, 200 * MIB, 1024 * MIB};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct rig rig;
		uint64_t bytes;

		rig_open(&rig);
		rig.own.memory_most = memories[i];
		assert_int_equal(plan(&rig), 0);
		bytes = rig.own.latency.bytes +
			stream_bytes(&rig.own.context.stream);
		assert_true(bytes <= memories[i]);
		/* The plan should use a good part of the memory. */
		assert_true(bytes >= memories[i] / 4);
		assert_true(rig.selection.n_pairs < 1000);
		rig_close(&rig);
	}
}

static void the_default_goes_beyond_the_last_level(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig);
	assert_int_equal(
		cache_default_max(&rig.own, machine_facts(rig.machine)),
		256 * MIB);
	rig_close(&rig);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct rig rig;
	struct error err;

	(void)state;
	rig_open(&rig);
	rig.own.memory_most = 64 * MIB;
	rig.options.no_infer = true;
	rig.options.sizes.max = 1024 * MIB;
	assert_int_equal(
		cache_select_latency(&rig.own, &rig.selection, &err), -ENOMEM);
	assert_int_equal(err.class, ERROR_UNAVAILABLE);
	rig_close(&rig);
}

/* A probe that only counts: real halves would take long on two CPUs. */
static atomic_size_t n_halves;

static bool half(const struct probe_visit *visit, int64_t *ticks)
{
	(void)visit;
	atomic_fetch_add(&n_halves, 1);
	ticks[0] = 1000;
	return true;
}

static void abandon(void *slot)
{
	(void)slot;
}

static double scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)params;
	(void)variant;
	return ticks;
}

static const struct probe counting_probe = {
	.name = "counting",
	.summary = "nothing",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_BACKWARD,
	.first = half,
	.second = half,
	.abandon = abandon,
	.scale = scale,
};

static void a_run_over_1024_cpus_ends(void **state)
{
	struct rig rig;
	size_t expected = 0;
	struct campaign campaign;
	struct campaign_options options;

	(void)state;
	rig_open(&rig);
	rig.options.sizes = (struct option_range){512 * 1024, 1024 * 1024};
	rig.options.no_infer = true;
	rig.own.rates.exact = true;
	assert_int_equal(plan(&rig), 0);
	options = (struct campaign_options){
		.cpus = &rig.selection.cpus,
		.probe = &counting_probe,
		.params = {.samples = 1, .round_trips = 1, .ns_per_tick = 1},
		.pairs = rig.selection.pairs,
		.n_pairs = rig.selection.n_pairs,
		.others = rig.selection.others,
		.jobs = 1,
		.idle = CREW_PARK,
		.block_bytes = PROBE_SLOT_BYTES,
		.seed = 1,
		.passes_min = 1,
		.passes_max = 1,
		.precision = 0.02,
		.budget_s = INFINITY,
		.patience_s = 60,
		.may_drop = true,
		.stop = &stop,
	};
	assert_int_equal(campaign_run(&campaign, &options, NULL), 0);
	assert_true(campaign.complete);
	assert_int_equal(campaign.n_complete, 1);
	assert_int_equal(campaign.n_others, 1023);
	for (size_t i = 0; i < rig.selection.n_pairs; i++)
		expected += 2 + rig.selection.pairs[i].n_others;
	assert_int_equal(n_halves, expected);
	campaign_release(&campaign);
	rig_close(&rig);
}

/* Of the largest, each is in one of the eight passes behind them. */
static void the_first_six_passes_have_all_chases(void **state)
{
	struct chase_ring ring = {.bytes = 1024 * MIB};
	struct chase_point points[8];
	const struct cache_context context = {
		.chase = {.points = points, .n = 8}};

	(void)state;
	for (uint32_t v = 0; v < 8; v++) {
		unsigned due = 0;

		points[v] = (struct chase_point){.ring = &ring};
		for (uint32_t pass = 0; pass < 6; pass++)
			assert_true(cache_due(&context, v, pass));
		for (uint32_t pass = 6; pass < 14; pass++)
			due += cache_due(&context, v, pass);
		assert_int_equal(due, 1);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_default_sizes_fit_into_the_memory_there_is),
	cmocka_unit_test(the_default_goes_beyond_the_last_level),
	cmocka_unit_test(what_does_not_fit_is_refused),
	cmocka_unit_test(a_run_over_1024_cpus_ends),
	cmocka_unit_test(the_first_six_passes_have_all_chases),
};

CASE_GROUP(cases);
