/*
 * Variance components: of made groups, and of a campaign whose values are set
 * by the lines, and the nodes of the lines, that its passes had.
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
#include "engine/pass_effects.h"
#include "fake_probe.h"
#include "stat/stat.h"

#define GROUPS 100
#define VALUES 4000

static double deviate(struct stat_random *random)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)stat_random_below(random, 1U << 20) / (1 << 20);
	return sum - 6;
}

static void near(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-9);
}

static bool is_near(double value, double expected, double share)
{
	return fabs(value / expected - 1) < share;
}

/* Groups of four, four and six values: by hand. */
static void unequal_groups_come_out(void **state)
{
	const double values[] = {1, 3, 4, 6, 5, 5, 9, 11, 10, 10, 9, 11, 2, 2};
	const uint32_t groups[] = {0, 0, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 0, 0};
	double scratch[8];

	(void)state;
	/*
	 * Means 2, 5, 10 of 4, 4 and 6; all 88 / 14. Within: 2 + 2 + 4 = 8 over
	 * 11; between: 16 + 100 + 600 - 88^2 / 14 over 2; n0 = (14 - 68 / 14)
	 * / 2.
	 */
	near(stat_random_effect(values, groups, 14, 4, scratch),
		((716 - 7744 / 14.0) / 2 - 8 / 11.0) / ((14 - 68 / 14.0) / 2));
	/* Too few are left within, and one group is none. */
	assert_true(isnan(stat_random_effect(values, groups, 12, 4, scratch)));
	assert_true(isnan(stat_random_effect(
		values, (const uint32_t[14]){0}, 14, 1, scratch)));
}

static void an_effect_is_found_and_none_invented(void **state)
{
	static double values[VALUES], scratch[2 * GROUPS];
	static uint32_t groups[VALUES];
	double of[GROUPS];
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 5);
	for (size_t g = 0; g < GROUPS; g++)
		of[g] = 2 * deviate(&random);
	for (size_t i = 0; i < VALUES; i++) {
		groups[i] = (uint32_t)stat_random_below(&random, GROUPS);
		values[i] = of[groups[i]] + 3 * deviate(&random);
	}
	assert_true(is_near(
		stat_random_effect(values, groups, VALUES, GROUPS, scratch), 4,
		0.3));
	for (size_t i = 0; i < VALUES; i++)
		values[i] -= of[groups[i]];
	assert_true(stat_random_effect(
			    values, groups, VALUES, GROUPS, scratch) < 0.2);
}

static const struct summary_labels labels = {
	.name = {"latency", NULL},
	.unit = "ns",
	.quantity = "one-way",
	.noun = "pair",
	.factor = 2,
};

static double alike(unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	(void)second;
	(void)pass;
	(void)half;
	return 100;
}

static atomic_bool stop;

/* A campaign of two CPUs with eight lines. */
static void run(struct campaign *campaign, struct fake_world *world,
	struct cpu_list *cpus, size_t passes, bool effects)
{
	struct campaign_options options;

	world->ticks = alike;
	assert_int_equal(cpu_list_parse(cpus, "0-1", NULL), 0);
	options = fake_options(world, cpus, &stop);
	options.measure_pass_effects = effects;
	options.lines = 8;
	options.passes_min = options.passes_max = passes;
	assert_int_equal(campaign_run(campaign, &options, NULL), 0);
}

static void find_effects(const struct campaign *campaign, struct result *result)
{
	result_init(result);
	assert_int_equal(cpu_list_parse(&result->cpus, "0-1", NULL), 0);
	assert_int_equal(
		pass_effects_matrices(campaign, &labels, result, NULL), 0);
}

static void release(
	struct campaign *campaign, struct result *result, struct cpu_list *cpus)
{
	result_release(result);
	campaign_release(campaign);
	cpu_list_release(cpus);
}

static void the_effect_of_lines_is_told_from_noise(void **state)
{
	static struct fake_world world;
	struct cpu_list cpus = {NULL, 0};
	struct campaign campaign;
	struct stat_random random;
	struct result result;
	const struct matrix *matrix;

	(void)state;
	run(&campaign, &world, &cpus, 800, true);
	assert_non_null(campaign.places);
	assert_int_equal(campaign.n_blocks, 8);
	/* Four lines each of two nodes, as of --home interleave. */
	campaign.n_blocks = 4;
	campaign.n_homes = 2;
	stat_random_init(&random, 3);
	for (size_t pass = 0; pass < 800; pass++) {
		uint32_t place = campaign.places[pass];

		assert_true(place < 8);
		campaign.values[pass] =
			(float)(100 + (place < 4 ? 0 : 8) +
				(place % 2 ? 3 : -3) + deviate(&random));
	}
	/* An interrupt is no effect. */
	campaign.values[17] = 1e6f;
	find_effects(&campaign, &result);
	/* Of two levels d apart, the variance is d squared over two. */
	matrix = result_find_matrix(&result, "latency", "sd_homes");
	assert_non_null(matrix);
	assert_true(is_near(matrix->values[1], 2 * 8 / sqrt(2), 0.25));
	matrix = result_find_matrix(&result, "latency", "sd_lines");
	assert_non_null(matrix);
	assert_true(is_near(matrix->values[1], 2 * 3, 0.25));
	release(&campaign, &result, &cpus);
}

static void few_passes_do_not_tell_the_lines(void **state)
{
	static struct fake_world world;
	struct cpu_list cpus = {NULL, 0};
	struct campaign campaign;
	struct result result;

	(void)state;
	run(&campaign, &world, &cpus, 6, true);
	for (size_t pass = 0; pass < 6; pass++)
		campaign.values[pass] = (float)(100 + pass);
	find_effects(&campaign, &result);
	assert_int_equal(result.n_matrices, 0);
	release(&campaign, &result, &cpus);
}

static void a_campaign_keeps_places_only_if_asked(void **state)
{
	static struct fake_world world;
	struct cpu_list cpus = {NULL, 0};
	struct campaign campaign;
	struct result result;

	(void)state;
	run(&campaign, &world, &cpus, 6, false);
	assert_null(campaign.places);
	assert_true(isnan(campaign.clock_ghz));
	find_effects(&campaign, &result);
	assert_int_equal(result.n_matrices, 0);
	release(&campaign, &result, &cpus);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(unequal_groups_come_out),
	cmocka_unit_test(an_effect_is_found_and_none_invented),
	cmocka_unit_test(the_effect_of_lines_is_told_from_noise),
	cmocka_unit_test(few_passes_do_not_tell_the_lines),
	cmocka_unit_test(a_campaign_keeps_places_only_if_asked),
};

CASE_GROUP(cases);
