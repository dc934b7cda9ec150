/*
 * Whether near pairs last, on made-up CPUs that move during a run and while
 * they sleep behind it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/near_pairs_lasted.h"
#include "engine/near_pairs.h"
#include "fake_probe.h"

#define N_CPUS 8
#define PASSES 21

static const struct summary_labels labels = {
	.name = {"latency", NULL},
	.unit = "ns",
	.quantity = "one-way",
	.noun = "pair",
	.factor = 1,
};

static atomic_bool stop;

static bool is_pair(unsigned first, unsigned second, unsigned a, unsigned b)
{
	return first == a && second == b;
}

/*
 * 0 stays near 1 and 2; 2 is near 3 until they sleep, and 4 near 5 for the
 * second half of the run; 6 is near 7 after the sleep.
 */
static double moving(unsigned first, unsigned second, uint32_t pass, int half)
{
	bool near = is_pair(first, second, 0, 1) ||
		    is_pair(first, second, 0, 2) ||
		    (is_pair(first, second, 2, 3) && pass < PASSES) ||
		    (is_pair(first, second, 4, 5) && pass > PASSES / 2 &&
			    pass < PASSES) ||
		    (is_pair(first, second, 6, 7) && pass >= PASSES);

	(void)half;
	return near ? 20 : 80 + (double)first;
}

static double staying(unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)pass;
	(void)half;
	return first / 4 == second / 4 ? 25 : 80;
}

/* 6 comes near 7 after the sleep. */
static double coming(unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)half;
	return is_pair(first, second, 6, 7) && pass >= PASSES ? 20 : 80;
}

static double flat(unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)half;
	return 80 + (double)((first + second + pass) % 5);
}

struct rig {
	struct fake_world world;
	struct cpu_list cpus;
	struct campaign_options options;
	struct campaign campaign;
	struct result result;
	char *text;
};

/* Measure, and print what lasted. */
static void run(struct rig *rig,
	double (*ticks)(unsigned, unsigned, uint32_t, int), double sleep_s)
{
	size_t length;
	FILE *out;

	memset(rig, 0, sizeof(*rig));
	result_init(&rig->result);
	rig->world.ticks = ticks;
	for (unsigned cpu = 0; cpu < N_CPUS; cpu++) {
		assert_int_equal(cpu_list_add(&rig->cpus, cpu, NULL), 0);
		assert_int_equal(cpu_list_add(&rig->result.cpus, cpu, NULL), 0);
	}
	rig->options = fake_options(&rig->world, &rig->cpus, &stop);
	rig->options.passes_min = PASSES;
	rig->options.passes_max = PASSES;
	rig->options.sleep_s = sleep_s;
	assert_int_equal(campaign_run(&rig->campaign, &rig->options, NULL), 0);
	rig->result.run.pairs = (int64_t)rig->campaign.schedule.n_pairs;
	rig->result.run.passes = PASSES;
	facts_set_text(&rig->result.machine, "hypervisor", "KVM");
	assert_int_equal(near_pairs_record_lasted(
				 &rig->campaign, &labels, &rig->result, NULL),
		0);
	out = open_memstream(&rig->text, &length);
	assert_non_null(out);
	near_pairs_print_lasted(out, &rig->result);
	fclose(out);
}

static void release(struct rig *rig)
{
	campaign_release(&rig->campaign);
	result_release(&rig->result);
	cpu_list_release(&rig->cpus);
	free(rig->text);
}

static void assert_counts(const struct rig *rig, int64_t near, int64_t lasted,
	int64_t always, int64_t sometimes)
{
	const struct facts *facts = &rig->result.run.other;

	assert_int_equal(facts_count(facts, "rest.near"), near);
	assert_int_equal(facts_count(facts, "rest.lasted"), lasted);
	assert_int_equal(facts_count(facts, "rest.always"), always);
	assert_int_equal(facts_count(facts, "rest.sometimes"), sometimes);
}

static void pairs_that_move_are_counted(void **state)
{
	const struct matrix *matrix;
	struct rig rig;

	(void)state;
	run(&rig, moving, 0.001);
	assert_counts(&rig, 4, 2, 3, 1);
	assert_string_equal(rig.text,
		"2 of 4 near pairs (below 40 ns) lasted 1 ms of sleep: the "
		"host moved other vCPUs\n"
		"near in the first, middle and last passes: 3 pairs; only in "
		"some of these passes: 1 pair\n");
	/* What was seen then is no part of the run. */
	assert_int_equal(rig.campaign.n_complete, PASSES);
	matrix = result_find_matrix(&rig.result, "latency", "after_rest");
	assert_non_null(matrix);
	assert_true(matrix->values[0 * N_CPUS + 1] == 20);
	assert_true(matrix->values[2 * N_CPUS + 3] == 82);
	assert_true(matrix->values[7 * N_CPUS + 6] == 20);
	release(&rig);
}

/* What the record of a run has besides: the 10th percentile of each pair. */
static void add_low_values(struct rig *rig, double value)
{
	struct matrix *matrix = result_add_matrix(
		&rig->result, "latency", "p10", "ns", "one-way", false, true);

	assert_non_null(matrix);
	for (size_t i = 0; i < (size_t)N_CPUS * N_CPUS; i++)
		matrix->values[i] = value;
}

static void assert_rest(const struct rig *rig, bool why, const char *expected)
{
	char *text = near_pairs_describe_rest(&rig->result, why);

	assert_string_equal(text, expected);
	free(text);
}

static void pairs_near_only_after_the_sleep_show_moves(void **state)
{
	struct analysis_pair nearest;
	struct rig rig;

	(void)state;
	run(&rig, coming, 0.001);
	assert_counts(&rig, 0, 0, 0, 0);
	assert_string_equal(rig.text, "");
	add_low_values(&rig, 80);
	assert_int_equal(near_pairs_count_new(&rig.result, &nearest), 1);
	assert_int_equal(nearest.a, 6);
	assert_int_equal(nearest.b, 7);
	assert_true(nearest.value == 20);
	assert_rest(&rig, true,
		"no pair was near (below 40 ns) before 1 ms of sleep; 1 pair "
		"was near only after sleep: CPUs 6,7 took 20 ns: the host "
		"moves "
		"these vCPUs");
	assert_rest(&rig, false,
		"no pair was near (below 40 ns) before 1 ms of sleep; 1 pair "
		"was near only after sleep: CPUs 6,7 took 20 ns");
	release(&rig);
}

static void pairs_near_at_times_are_not_new(void **state)
{
	struct analysis_pair nearest;
	struct rig rig;

	(void)state;
	run(&rig, coming, 0.001);
	add_low_values(&rig, 20);
	assert_int_equal(near_pairs_count_new(&rig.result, &nearest), 0);
	assert_null(near_pairs_describe_rest(&rig.result, true));
	release(&rig);
}

static void near_pairs_may_all_last(void **state)
{
	struct rig rig;

	(void)state;
	run(&rig, staying, 0.001);
	assert_counts(&rig, 12, 12, 12, 0);
	assert_non_null(strstr(rig.text, "12 of 12 near pairs (below 44.7 ns) "
					 "lasted 1 ms of sleep\n"));
	release(&rig);
}

static void without_a_gap_no_pair_is_near(void **state)
{
	struct rig rig;

	(void)state;
	run(&rig, flat, 0.001);
	assert_true(isnan(facts_number(&rig.result.run.other, "rest.limit")));
	assert_string_equal(rig.text,
		"no pair is much nearer than other pairs, so c2c cannot "
		"detect moves in 1 ms of sleep\n");
	release(&rig);
}

static void without_a_rest_nothing_is_looked_at(void **state)
{
	struct rig rig;

	(void)state;
	run(&rig, staying, 0);
	assert_null(rig.campaign.after_sleep_medians);
	assert_int_equal(rig.result.n_matrices, 0);
	assert_string_equal(rig.text, "");
	release(&rig);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(pairs_that_move_are_counted),
	cmocka_unit_test(pairs_near_only_after_the_sleep_show_moves),
	cmocka_unit_test(pairs_near_at_times_are_not_new),
	cmocka_unit_test(near_pairs_may_all_last),
	cmocka_unit_test(without_a_gap_no_pair_is_near),
	cmocka_unit_test(without_a_rest_nothing_is_looked_at),
};

CASE_GROUP(cases);
