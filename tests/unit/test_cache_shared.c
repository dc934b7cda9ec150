/*
 * How c2c cache --shared prepares a run on pretended machines: which sizes it
 * chooses, what it refuses, how much memory it takes.
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

/* 1,024 CPUs with an L1 and an L2 each, and an L3 for each eight. */
#define THOUSAND                                                               \
	"l3:128(size=314572800) l2:8(size=1310720) l1d:1(size=49152) core:1 "  \
	"pu:1"
#define SMALL                                                                  \
	"l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=32768) core:1 pu:2"
#define NO_CACHES "core:4 pu:1"

struct rig {
	struct machine *machine;
	struct measure_selection selection;
	struct cache_options options;
	struct cache_plan own;
	struct measure_plan plan;
	struct error err;
};

/* The machine is a description for hwloc, or the name of a file. */
static void rig_init(struct rig *rig, const char *machine, const char *shared)
{
	*rig = (struct rig){.options = {.shared = shared}};
	rig->machine = strstr(machine, ".xml") ? pretend_xml(machine)
					       : pretend_synthetic(machine);
	rig->own.options = &rig->options;
	rig->plan.context = &rig->own;
	rig->selection.machine = rig->machine;
	assert_int_equal(machine_select(rig->machine, NULL, MACHINE_PER_PU,
				 &rig->selection.cpus, &rig->err),
		0);
}

static void rig_release(struct rig *rig)
{
	if (rig->own.share.chases)
		share_release(&rig->own.share);
	cpu_list_release(&rig->selection.cpus);
	machine_free(rig->machine);
}

static int rig_prepare(struct rig *rig)
{
	return cache_prepare_shared(&rig->plan, &rig->selection, &rig->err);
}

static void assert_refused(const char *machine, const char *shared,
	enum error_class class, const char *text)
{
	struct rig rig;

	rig_init(&rig, machine, shared);
	assert_true(rig_prepare(&rig) < 0);
	assert_int_equal(rig.err.class, class);
	if (!strstr(rig.err.text, text))
		fail_msg("'%s' lacks '%s'", rig.err.text, text);
	assert_null(rig.own.share.chases);
	rig_release(&rig);
}

static void a_level_has_the_size_that_the_system_tells(void **state)
{
	struct rig rig;
	const struct chase_ring *rings;

	(void)state;
	rig_init(&rig, SMALL, "l1");
	assert_int_equal(rig_prepare(&rig), 0);
	assert_int_equal(rig.options.shared_bytes, 32768);
	rings = rig.own.share.chases[3].rings;
	/* One ring fits the cache, two do not. */
	assert_int_equal(rings[SHARE_LARGE].bytes, 19648);
	assert_int_equal(rings[SHARE_SMALL].bytes, SHARE_SMALL_BYTES);
	/* A huge page for each CPU would waste memory. */
	assert_true(rig.own.share.chases[3].memory.bytes <= 65536);
	rig_release(&rig);
}

static void a_size_stands_for_itself(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, NO_CACHES, "64K");
	assert_int_equal(rig_prepare(&rig), 0);
	assert_int_equal(rig.options.shared_bytes, 65536);
	rig_release(&rig);
}

static void what_has_no_meaning_is_refused(void **state)
{
	(void)state;
	assert_refused(SMALL, "L1,L2", ERROR_USAGE, "names several levels");
	assert_refused(SMALL, "L", ERROR_USAGE, "found 'L', expected a level");
	assert_refused(SMALL, "-1", ERROR_USAGE, "expected a level");
	assert_refused(SMALL, "1K", ERROR_USAGE, "not between");
	assert_refused(SMALL, "1T", ERROR_USAGE, "not between");
	assert_refused(NO_CACHES, "L2", ERROR_UNAVAILABLE,
		"reports no L2 of CPU 0; give the size");
}

/* Cores of two kinds: L1 of 48 and 32 KiB, L2 of 2 and 4 MiB. */
static void caches_that_differ_too_much_are_refused(void **state)
{
	struct rig rig;

	(void)state;
	assert_refused("hybrid.xml", "L2", ERROR_USAGE,
		"choose CPUs with caches of one size");
	rig_init(&rig, "hybrid.xml", "L1");
	assert_int_equal(rig_prepare(&rig), 0);
	assert_int_equal(rig.options.shared_bytes, 49152);
	rig_release(&rig);
}

static void a_thousand_cpus_need_little_memory(void **state)
{
	struct rig rig;
	size_t bytes = 0;

	(void)state;
	rig_init(&rig, THOUSAND, "L1");
	assert_int_equal(rig.selection.cpus.n, 1024);
	assert_int_equal(rig_prepare(&rig), 0);
	for (size_t i = 0; i < 1024; i++)
		bytes += rig.own.share.chases[i].memory.bytes;
	assert_true(bytes <= (size_t)1024 * 49152);
	/* Visits are short, so the duration of a pass is not announced. */
	assert_true(rig.plan.pair_s == 0);
	rig_release(&rig);
	/* The rings of the L2 take less than a GiB for all CPUs. */
	assert_true(1024 * share_bytes(1310720 * 6 / 10) < (size_t)1 << 30);
}

static void a_thousand_large_caches_are_refused(void **state)
{
	(void)state;
	assert_refused(THOUSAND, "L3", ERROR_USAGE,
		"the system reports an L3 of 300 MiB");
	if (memory_available() > (uint64_t)300 << 30) {
		print_message("skip: this machine has memory for it\n");
		skip();
	}
	assert_refused(THOUSAND, "300M", ERROR_FAILURE,
		"each of 1024 CPUs needs 180 MiB");
}

/* The number of warnings of a run whose four pairs had these ratios. */
static size_t warnings_of(float a, float b, float c, float d)
{
	struct schedule_pair pairs[4] = {{0}};
	float values[] = {a, b, c, d};
	double scratch[1];
	struct campaign campaign = {
		.schedule = {.pairs = pairs, .n_pairs = 4},
		.n_values = 1,
		.values = values,
		.scratch = scratch,
		.n_passes = 1,
	};
	struct cache_plan own = {0};
	struct measure_plan plan = {.context = &own};
	size_t n;

	assert_int_equal(cache_finish_shared(&plan, &campaign, NULL, NULL), 0);
	n = campaign.n_warnings;
	for (size_t i = 0; i < n; i++)
		free(campaign.warnings[i]);
	free(campaign.warnings);
	return n;
}

static void a_full_cache_makes_nobody_faster(void **state)
{
	(void)state;
	assert_int_equal(warnings_of(1, 1, 2.6F, 0.95F), 0);
	assert_int_equal(warnings_of(1, 1, 2.6F, 0.4F), 1);
	/* A missing pair is no noise. */
	assert_int_equal(warnings_of(1, 1, 2.6F, NAN), 0);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_level_has_the_size_that_the_system_tells),
	cmocka_unit_test(a_size_stands_for_itself),
	cmocka_unit_test(what_has_no_meaning_is_refused),
	cmocka_unit_test(caches_that_differ_too_much_are_refused),
	cmocka_unit_test(a_thousand_cpus_need_little_memory),
	cmocka_unit_test(a_thousand_large_caches_are_refused),
	cmocka_unit_test(a_full_cache_makes_nobody_faster),
};

CASE_GROUP(cases);
