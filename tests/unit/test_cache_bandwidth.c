/*
 * How c2c cache plans the rates that its options ask for on pretended machines,
 * and which rates it makes of values.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "../topo/pretend.h"
#include "cmd/cache/cmd_cache.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* 1,024 CPUs, with an L3 of 32 MiB for each eight. */
#define THOUSAND "l3:128(size=33554432) l2:8(size=1310720) core:1 pu:1"
#define PAIRS	 "l3:2(size=33554432) l2:2(size=1048576) core:1 pu:1"
#define NO_LLC	 "core:4 pu:1"

struct rig {
	struct machine *machine;
	struct measure_selection selection;
	struct cache_options options;
	struct cache_plan own;
	struct error err;
};

static void set_standards(struct cache_options *options)
{
	struct option_table table = cache_options_table(options);

	options_set_standards(&table);
}

static void rig_init(struct rig *rig, const char *machine)
{
	*rig = (struct rig){.options = {.sizes = {1024, GIB}}};
	set_standards(&rig->options);
	rig->machine = pretend_synthetic(machine);
	rig->own.options = &rig->options;
	rig->selection.machine = rig->machine;
	assert_int_equal(machine_select(rig->machine, NULL, MACHINE_PER_PU,
				 &rig->selection.cpus, &rig->err),
		0);
}

static void rig_release(struct rig *rig)
{
	cache_release_bandwidth(&rig->own);
	free(rig->selection.others);
	free(rig->selection.pairs);
	cpu_list_release(&rig->selection.cpus);
	machine_free(rig->machine);
}

static void rig_select(struct rig *rig)
{
	assert_int_equal(
		cache_select_bandwidth(&rig->own, &rig->selection, &rig->err),
		0);
}

/* The largest working set of a curve, of all its CPUs. */
static uint64_t largest(const struct rig *rig, size_t curve)
{
	const struct bandwidth_curve *rate = &rig->own.rates.curves[curve];
	size_t last = rate->first + rate->n - 1;

	return (uint64_t)rig->own.rates.points[last].bytes * rate->n_cpus;
}

static void a_thousand_cpus_need_little(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, THOUSAND);
	rig_select(&rig);
	assert_int_equal(rig.own.rates.n_counts, 3);
	assert_int_equal(rig.own.rates.counts[0], 1);
	assert_int_equal(rig.own.rates.counts[1], 8);
	assert_int_equal(rig.own.rates.counts[2], 1024);
	assert_int_equal(rig.own.rates.n_curves, 15);
	assert_true(rig.own.rates.n_points < 300);
	assert_int_equal(rig.selection.n_pairs, rig.own.rates.n_points);
	/* Half a GiB for each last-level cache, not for each CPU. */
	assert_int_equal(largest(&rig, 0), 512 * MIB);
	assert_int_equal(largest(&rig, 5), 512 * MIB);
	assert_int_equal(largest(&rig, 10), 128 * 512 * MIB);
	assert_true(stream_bytes(&rig.own.context.stream) < 66 * GIB);
	rig_release(&rig);
}

/* CPUs that share the first one's cache come first, whatever their numbers. */
static void cpus_of_one_cache_come_first(void **state)
{
	static const unsigned order[] = {3, 0, 2, 1};
	struct rig rig;

	(void)state;
	rig_init(&rig, PAIRS);
	memcpy(rig.selection.cpus.cpus, order, sizeof(order));
	rig_select(&rig);
	assert_int_equal(rig.own.rates.n_llc, 2);
	assert_int_equal(rig.own.rates.cpus.cpus[0], 3);
	assert_int_equal(rig.own.rates.cpus.cpus[1], 2);
	assert_int_equal(rig.own.rates.cpus.cpus[2], 0);
	assert_int_equal(rig.own.rates.cpus.cpus[3], 1);
	/* These are indexes into the list of all CPUs. */
	assert_int_equal(rig.selection.others[0], 2);
	assert_int_equal(rig.selection.others[1], 1);
	assert_int_equal(rig.selection.others[2], 3);
	rig_release(&rig);
}

static void what_the_user_says_is_exact(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, PAIRS);
	rig.own.rates.exact = true;
	rig.options.threads = (struct option_list){
		.n = 4, .items = {4, BANDWIDTH_ALL, BANDWIDTH_LLC, 2}};
	rig_select(&rig);
	assert_int_equal(rig.own.rates.n_counts, 2);
	assert_int_equal(rig.own.rates.counts[0], 4);
	assert_int_equal(rig.own.rates.counts[1], 2);
	assert_int_equal(largest(&rig, 0), GIB);
	rig_release(&rig);
}

static void a_machine_may_tell_no_cache(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, NO_LLC);
	rig_select(&rig);
	assert_int_equal(rig.own.rates.n_counts, 2);
	assert_int_equal(rig.own.rates.counts[1], 4);
	assert_int_equal(largest(&rig, 5), 512 * MIB);
	rig_release(&rig);
	rig_init(&rig, NO_LLC);
	rig.options.threads =
		(struct option_list){.n = 1, .items = {BANDWIDTH_LLC}};
	assert_int_equal(
		cache_select_bandwidth(&rig.own, &rig.selection, &rig.err),
		-ENODEV);
	assert_non_null(strstr(rig.err.text, "no last-level cache of CPU 0"));
	rig_release(&rig);
}

/* Sizes double first, then grow by four. The largest is always there. */
static void large_sets_are_few(void **state)
{
	struct rig rig;
	const struct stream_point *points;
	size_t n;

	(void)state;
	rig_init(&rig, PAIRS);
	rig_select(&rig);
	points = rig.own.rates.points;
	n = rig.own.rates.curves[0].n;
	for (size_t i = 1; i < n; i++)
		assert_true(points[i].bytes == 2 * points[i - 1].bytes ||
			    (points[i].bytes == 4 * points[i - 1].bytes &&
				    points[i - 1].bytes >= 64 * MIB));
	assert_int_equal(points[n - 1].bytes, 512 * MIB);
	/* Beyond twice the cache, the warm-up uses as much as it holds. */
	assert_int_equal(points[n - 1].warm_bytes, 32 * MIB);
	assert_int_equal(points[0].warm_bytes, points[0].bytes);
	rig_release(&rig);
}

/* A campaign of one curve with one point, after three passes. */
static void check_rate(uint32_t n_cpus, uint32_t missing, double expected)
{
	size_t n_values = 2 + 63, n_passes = 3;
	float *values = calloc(n_values * n_passes, sizeof(*values));
	double scratch[4];
	struct stream_point point = {.bytes = 4096, .n_cpus = n_cpus};
	struct bandwidth_curve curve = {.n_cpus = n_cpus, .n = 1};
	struct campaign campaign = {.schedule = {.n_pairs = 1},
		.n_values = n_values,
		.values = values,
		.n_passes = n_passes};
	struct result result = {0};
	struct rig rig;

	assert_non_null(values);
	rig_init(&rig, "core:64 pu:1");
	assert_int_equal(
		cpu_list_parse(&rig.own.rates.cpus, "0-63", &rig.err), 0);
	rig.own.rates.points = &point;
	rig.own.rates.n_points = 1;
	rig.own.rates.curves = &curve;
	rig.own.rates.n_curves = 1;
	for (size_t i = 0; i < n_values * n_passes; i++)
		values[i] =
			i % n_values > n_values - 1 - (64 - n_cpus) - missing
				? NAN
				: 2;
	assert_int_equal(cache_add_rates(&rig.own, &campaign, &result, scratch,
				 &rig.err),
		0);
	assert_int_equal(result.n_curves, n_cpus > 1 ? 2 : 1);
	assert_int_equal(result.curves[0].cpus.n, n_cpus);
	if (isnan(expected))
		assert_true(isnan(result.curves[0].median[0]));
	else
		assert_true(result.curves[0].median[0] == expected);
	assert_true(result.curves[0].x[0] == 4096.0 * n_cpus);
	rig.own.rates.points = NULL;
	rig.own.rates.curves = NULL;
	rig_release(&rig);
	result_release(&result);
	free(values);
}

static void of_many_cpus_one_may_be_disturbed(void **state)
{
	(void)state;
	check_rate(64, 0, 128);
	check_rate(64, 4, 128);
	check_rate(64, 5, NAN);
	check_rate(16, 1, 32);
	check_rate(15, 1, NAN);
	check_rate(1, 1, NAN);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_thousand_cpus_need_little),
	cmocka_unit_test(cpus_of_one_cache_come_first),
	cmocka_unit_test(what_the_user_says_is_exact),
	cmocka_unit_test(a_machine_may_tell_no_cache),
	cmocka_unit_test(large_sets_are_few),
	cmocka_unit_test(of_many_cpus_one_may_be_disturbed),
};

CASE_GROUP(cases);
