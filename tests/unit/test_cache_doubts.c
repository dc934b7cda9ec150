/*
 * The warnings of c2c cache, from pretended values of two chases and a stream.
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
#include "cmd/cache/cmd_cache.h"

#define POINTS 3
#define PASSES 20

/* Values of a visit: of the chase, or its clocks; of two CPUs of a stream. */
#define VALUES 3

struct rig {
	struct chase_ring rings[2];
	struct chase_point chases[2];
	struct stream_point stream;
	struct schedule_pair pairs[POINTS];
	float values[PASSES][POINTS][VALUES];
	double scratch[PASSES];
	struct cache_plan own;
	struct campaign campaign;
};

/* Every point is known within one per cent. */
static void rig_init(struct rig *rig)
{
	*rig = (struct rig){
		.rings = {{.bytes = 65536}, {.bytes = 1 << 20}},
		.stream = {.bytes = 32768, .n_cpus = 2},
		.pairs = {[2] = {.variant = 2, .n_others = 1}},
	};
	for (size_t i = 0; i < 2; i++)
		rig->chases[i].ring = &rig->rings[i];
	for (size_t pass = 0; pass < PASSES; pass++) {
		for (size_t i = 0; i < POINTS; i++) {
			for (size_t k = 0; k < VALUES; k++)
				rig->values[pass][i][k] =
					10 + (float)(pass % 2) / 100;
		}
	}
	rig->own.latency.points = rig->chases;
	rig->own.context.chase.points = rig->chases;
	rig->own.latency.n_points = rig->own.context.chase.n = 2;
	rig->own.rates.points = &rig->stream;
	rig->own.context.stream.points = &rig->stream;
	rig->own.rates.n_points = rig->own.context.stream.n_points = 1;
	rig->campaign = (struct campaign){
		.options = {.probe = &probe_cache, .precision = 0.02},
		.schedule = {.pairs = rig->pairs, .n_pairs = POINTS},
		.n_others = 1,
		.n_values = VALUES,
		.values = &rig->values[0][0][0],
		.scratch = rig->scratch,
		.n_passes = PASSES,
		.n_complete = PASSES,
	};
}

/* There must be these warnings and no others. NULL ends the list. */
static void assert_warnings(struct rig *rig, const char *const expected[])
{
	size_t n = 0;

	cache_warn_of_points(&rig->own, &rig->campaign);
	for (; expected[n] && n < rig->campaign.n_warnings; n++) {
		assert_string_equal(rig->campaign.warnings[n], expected[n]);
		free(rig->campaign.warnings[n]);
	}
	assert_null(expected[n]);
	assert_int_equal(rig->campaign.n_warnings, n);
	free(rig->campaign.warnings);
}

static void a_quiet_run_leaves_no_doubt(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig);
	assert_warnings(&rig, (const char *const[]){NULL});
}

static void a_point_without_a_value_is_named(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig);
	for (size_t pass = 0; pass < PASSES; pass++)
		rig.values[pass][1][0] = NAN;
	assert_warnings(&rig,
		(const char *const[]){
			"20 of 60 visits were disturbed and dropped, because "
			"other programs ran on the CPUs",
			"1 of 3 points has no value, because every visit was "
			"disturbed (the latency of 1 MiB); try more --passes "
			"or a quieter machine",
			NULL});
}

static void one_of_several_without_a_value_is_named(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig);
	for (size_t pass = 0; pass < PASSES; pass++) {
		rig.values[pass][0][0] = NAN;
		rig.values[pass][2][1] = NAN;
	}
	assert_warnings(&rig,
		(const char *const[]){
			"40 of 60 visits were disturbed and dropped, because "
			"other programs ran on the CPUs",
			"2 of 3 points have no value, because every visit was "
			"disturbed (one is the rate of read by 2 CPUs on 32 "
			"KiB each); try more --passes or a quieter machine",
			NULL});
}

static void the_point_that_scatters_most_is_named(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig);
	/*
	 * Only a few passes, so that the intervals stay narrow, and not in a
	 * row, so that they are no state.
	 */
	for (size_t pass = 0; pass < PASSES; pass += 5) {
		rig.values[pass][0][0] = 40;
		rig.values[pass][2][1] = 30;
	}
	assert_warnings(&rig,
		(const char *const[]){
			"the passes of 2 of 3 points differ by more than a "
			"factor of two: at the latency of 64 KiB, a tenth of "
			"the passes was below 10 and a tenth above 40 ns; "
			"other programs use the same cache, or the host moves "
			"the vCPU",
			NULL});
}

static void a_wide_interval_is_counted(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig);
	for (size_t pass = 0; pass < PASSES / 2; pass++)
		rig.values[pass][0][0] = 11;
	rig.values[0][1][0] = NAN;
	assert_warnings(&rig,
		(const char *const[]){
			"1 of 60 visits was disturbed and dropped, because "
			"other programs ran on the CPUs",
			"1 of 3 points has a 95 % interval wider than +-2 %; "
			"more --passes or a longer --budget helps",
			NULL});
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_quiet_run_leaves_no_doubt),
	cmocka_unit_test(a_point_without_a_value_is_named),
	cmocka_unit_test(one_of_several_without_a_value_is_named),
	cmocka_unit_test(the_point_that_scatters_most_is_named),
	cmocka_unit_test(a_wide_interval_is_counted),
};

CASE_GROUP(cases);
