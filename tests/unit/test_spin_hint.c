/*
 * Which waiting loop is taken: what turns say, which distances decide, and the
 * trial of a campaign on pretended CPUs.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "engine/campaign.h"
#include "engine/spin_hint.h"
#include "fake_probe.h"
#include "stat/stat.h"

/* Up to so much above or below, both visits of a turn alike and each alone. */
static void make_turns(struct spin_hint_turn *turns, size_t n, double none,
	double pause, double together, double alone)
{
	struct stat_random random;

	stat_random_init(&random, 7);
	for (size_t i = 0; i < n; i++) {
		double noise[3];

		for (int k = 0; k < 3; k++)
			noise[k] = (double)stat_random_below(&random, 2001) /
					   1000 -
				   1;
		turns[i].none = none * (1 + together * noise[0]) *
				(1 + alone * noise[1]);
		turns[i].pause = pause * (1 + together * noise[0]) *
				 (1 + alone * noise[2]);
	}
}

/* The choice where each distance has these; 0 for none: it has no pairs. */
static bool choose(const double none[SPIN_HINT_DISTANCES],
	const double pause[SPIN_HINT_DISTANCES], double together, double alone)
{
	struct spin_hint_figure figures[SPIN_HINT_DISTANCES];
	struct spin_hint_turn turns[SPIN_HINT_TURNS];

	for (int d = 0; d < SPIN_HINT_DISTANCES; d++) {
		make_turns(turns, SPIN_HINT_TURNS, none[d], pause[d], together,
			alone);
		figures[d] = spin_hint_compare(
			turns, none[d] > 0 ? SPIN_HINT_TURNS : 0);
	}
	return spin_hint_choose(figures);
}

static void turns_become_medians_and_a_ratio(void **state)
{
	struct spin_hint_turn turns[9] = {{NAN, 5}, {7, NAN}};
	struct spin_hint_figure figure;

	(void)state;
	for (int i = 0; i < 7; i++)
		turns[2 + i] = (struct spin_hint_turn){30 + i, 15 + i * 0.5};
	/* One that was disturbed moves neither. */
	turns[8].none = 9000;
	figure = spin_hint_compare(turns, 9);
	assert_int_equal(figure.turns, 7);
	assert_true(figure.none == 33);
	assert_true(figure.pause == 16.5);
	assert_true(figure.ratio == 0.5);
	assert_true(figure.ci_high == 0.5);
	assert_true(figure.ci_low < 0.5);
}

static void what_moves_both_loops_is_not_in_the_ratio(void **state)
{
	struct spin_hint_turn turns[SPIN_HINT_TURNS];
	struct spin_hint_figure figure;

	(void)state;
	make_turns(turns, SPIN_HINT_TURNS, 100, 95, 0.5, 0.001);
	figure = spin_hint_compare(turns, SPIN_HINT_TURNS);
	assert_true(fabs(figure.ratio - 0.95) < 0.001);
	assert_true(figure.ci_high < 1);
}

static void few_turns_have_no_interval_and_none_no_figure(void **state)
{
	struct spin_hint_turn turns[5];
	struct spin_hint_figure figure;

	(void)state;
	make_turns(turns, 5, 10, 20, 0, 0);
	figure = spin_hint_compare(turns, 5);
	assert_int_equal(figure.turns, 5);
	assert_true(figure.ratio == 2);
	assert_true(isnan(figure.ci_low) && isnan(figure.ci_high));
	figure = spin_hint_compare(turns, 0);
	assert_int_equal(figure.turns, 0);
	assert_true(isnan(figure.none) && isnan(figure.ratio));
}

static void the_lower_loop_is_taken(void **state)
{
	/* Measured on Zen 4: siblings, one L3, two L3s. */
	const double zen[] = {32, 48, 161, 0}, zen_hint[] = {14, 34, 156, 0};
	/* A processor whose hint takes 140 clocks. */
	const double old[] = {25, 60, 0, 130}, old_hint[] = {55, 80, 0, 150};

	(void)state;
	assert_true(choose(zen, zen_hint, 0.2, 0.1));
	assert_false(choose(old, old_hint, 0.2, 0.1));
}

static void the_hint_is_taken_where_noise_hides_what_is_lower(void **state)
{
	const double same[] = {20, 50, 0, 100};
	const double near[] = {20.8, 52, 0, 104};

	(void)state;
	assert_true(choose(same, same, 0.3, 0));
	assert_true(choose(same, same, 0.3, 0.3));
	/* 4 % more, with and without noise. */
	assert_true(choose(same, near, 0.3, 0));
	assert_true(choose(same, near, 0.3, 0.3));
}

static void a_noisy_distance_does_not_vote(void **state)
{
	struct spin_hint_figure figures[SPIN_HINT_DISTANCES] = {
		[SPIN_HINT_CORE] = {96, 20, 24, 1.2, 1.19, 1.21},
		[SPIN_HINT_LLC] = {96, 50, 60, 0.80, 0.60, 1.40},
	};

	(void)state;
	/* 20 % at one of two distances are about 10 %: the bare loop. */
	assert_false(spin_hint_choose(figures));
	figures[SPIN_HINT_LLC].ci_high = 0.99;
	assert_true(spin_hint_choose(figures));
	/* With too few turns nothing is known of it. */
	figures[SPIN_HINT_LLC].ci_low = figures[SPIN_HINT_LLC].ci_high = NAN;
	assert_false(spin_hint_choose(figures));
}

static void distances_count_alike_by_their_ratios(void **state)
{
	struct spin_hint_figure figures[SPIN_HINT_DISTANCES] = {
		[SPIN_HINT_CORE] = {96, 30, 15, 0.5, 0.49, 0.51},
		[SPIN_HINT_LLC] = {96, 50, 80, 1.6, 1.59, 1.61},
	};

	(void)state;
	/* Half as much is more than 1.6 times as much. */
	assert_true(spin_hint_choose(figures));
	figures[SPIN_HINT_PACKAGE] = figures[SPIN_HINT_LLC];
	assert_false(spin_hint_choose(figures));
}

static void nothing_measured_is_the_hint(void **state)
{
	const struct spin_hint_figure figures[SPIN_HINT_DISTANCES] = {{0}};

	(void)state;
	assert_true(spin_hint_choose(figures));
}

static void distances_are_what_the_topology_tells(void **state)
{
	static const struct {
		unsigned cpu;
		enum spin_hint_distance distance;
	} from_0[] = {{1, SPIN_HINT_CORE}, {2, SPIN_HINT_LLC},
		{4, SPIN_HINT_PACKAGE}, {8, SPIN_HINT_MACHINE},
		{99, SPIN_HINT_MACHINE}};
	struct machine *machine;

	(void)state;
	assert_int_equal(machine_new_synthetic(
				 &machine, "package:2 l3:2 core:2 pu:2", NULL),
		0);
	for (size_t i = 0; i < sizeof(from_0) / sizeof(*from_0); i++)
		assert_int_equal(
			spin_hint_distance_of(machine, 0, from_0[i].cpu),
			from_0[i].distance);
	machine_free(machine);
	assert_int_equal(spin_hint_distance_of(NULL, 0, 1), SPIN_HINT_MACHINE);
}

static atomic_bool stop;

struct rig {
	struct fake_world world;
	struct cpu_list cpus;
	struct campaign_options options;
	struct campaign campaign;
};

static double alike(unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)pass;
	(void)half;
	return 1000 + 10.0 * first + second;
}

static void rig_init(struct rig *rig, unsigned n, double relaxed)
{
	memset(rig, 0, sizeof(*rig));
	rig->world.ticks = alike;
	rig->world.relaxed = relaxed;
	for (unsigned cpu = 0; cpu < n; cpu++)
		assert_int_equal(cpu_list_add(&rig->cpus, cpu, NULL), 0);
	atomic_store(&stop, false);
	rig->options = fake_options(&rig->world, &rig->cpus, &stop);
	rig->options.params.samples = 3;
	rig->options.try_spin_hint = true;
}

static void rig_release(struct rig *rig)
{
	campaign_release(&rig->campaign);
	cpu_list_release(&rig->cpus);
}

/* Campaigns until one had the time for an interval. */
static void rig_run(struct rig *rig)
{
	for (int i = 0; i < 50; i++) {
		atomic_store(&rig->world.visits, 0);
		atomic_store(&rig->world.relaxed_visits, 0);
		assert_int_equal(
			campaign_run(&rig->campaign, &rig->options, NULL), 0);
		if (rig->campaign.spin_hint_figures[SPIN_HINT_MACHINE].turns >=
			6)
			return;
		campaign_release(&rig->campaign);
	}
	fail_msg("a trial never has six turns");
}

static void a_campaign_takes_the_lower_loop(void **state)
{
	static const double ratios[] = {0.5, 1, 1.5};

	(void)state;
	for (size_t i = 0; i < sizeof(ratios) / sizeof(*ratios); i++) {
		const struct spin_hint_figure *figure;
		unsigned trial, relaxed;
		struct rig rig;

		rig_init(&rig, 5, ratios[i]);
		rig_run(&rig);
		figure = &rig.campaign.spin_hint_figures[SPIN_HINT_MACHINE];
		assert_true(fabs(figure->ratio - ratios[i]) < 0.01);
		assert_int_equal(
			rig.campaign.spin_hint_figures[SPIN_HINT_CORE].turns,
			0);
		assert_true(rig.campaign.complete);
		assert_int_equal(rig.campaign.options.params.use_spin_hint,
			ratios[i] <= 1);
		/* Half of the trial, and all of the passes or none. */
		trial = 2 * (unsigned)figure->turns;
		relaxed = trial / 2 + (ratios[i] <= 1 ? 6 * 10 : 0);
		assert_int_equal(rig.world.visits, trial + 6 * 10);
		assert_int_equal(rig.world.relaxed_visits, relaxed);
		/* The values are those of the chosen loop. */
		assert_true(fabs(campaign_value(&rig.campaign, 0, 0, 0) -
				    1001 * fmin(1, ratios[i])) < 1);
		rig_release(&rig);
	}
}

static atomic_uint visits_of_turns;

/* Every second visit finds the lines warm. */
static double warm_later(
	unsigned first, unsigned second, uint32_t pass, int half)
{
	(void)first;
	(void)second;
	(void)pass;
	if (half == 1)
		return 0;
	return atomic_fetch_add(&visits_of_turns, 1) % 2 ? 800 : 1000;
}

static void neither_loop_is_always_the_first(void **state)
{
	const struct spin_hint_figure *figure;
	struct rig rig;

	(void)state;
	rig_init(&rig, 2, 0);
	rig.world.ticks = warm_later;
	atomic_store(&visits_of_turns, 0);
	rig_run(&rig);
	figure = &rig.campaign.spin_hint_figures[SPIN_HINT_MACHINE];
	assert_true(figure->ci_low < 1 && figure->ci_high > 1);
	rig_release(&rig);
}

static void without_the_choice_there_is_no_trial(void **state)
{
	(void)state;
	for (int hint = 0; hint < 2; hint++) {
		struct rig rig;

		rig_init(&rig, 5, 3);
		rig.options.try_spin_hint = false;
		rig.options.params.use_spin_hint = hint;
		assert_int_equal(
			campaign_run(&rig.campaign, &rig.options, NULL), 0);
		assert_int_equal(
			rig.campaign.options.params.use_spin_hint, hint);
		assert_int_equal(rig.world.visits, 6 * 10);
		for (int d = 0; d < SPIN_HINT_DISTANCES; d++)
			assert_int_equal(
				rig.campaign.spin_hint_figures[d].turns, 0);
		rig_release(&rig);
	}
}

static void a_long_run_has_no_long_trial(void **state)
{
	struct rig rig;

	(void)state;
	/* The budget is spent as soon as it begins: one round. */
	rig_init(&rig, 8, 3);
	rig.options.budget_s = 0;
	assert_int_equal(campaign_run(&rig.campaign, &rig.options, NULL), 0);
	assert_int_equal(
		rig.campaign.spin_hint_figures[SPIN_HINT_MACHINE].turns, 4);
	assert_true(rig.campaign.options.params.use_spin_hint);
	rig_release(&rig);
}

static void a_trial_ends_after_the_time_it_is_given(void **state)
{
	struct rig rig;

	(void)state;
	/* Less than the first round takes. */
	rig_init(&rig, 8, 3);
	rig.options.spin_hint_budget_s = 1e-9;
	assert_int_equal(campaign_run(&rig.campaign, &rig.options, NULL), 0);
	assert_int_equal(
		rig.campaign.spin_hint_figures[SPIN_HINT_MACHINE].turns, 4);
	rig_release(&rig);
}

static void a_short_trial_is_none_on_an_overcommitted_machine(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 5, 3);
	rig.options.at_once = fake_two_at_once;
	rig.options.spin_hint_budget_s = 1;
	/* So that a visit has time. */
	rig.options.params.round_trips = 30000;
	assert_int_equal(campaign_run(&rig.campaign, &rig.options, NULL), 0);
	assert_true(rig.campaign.overcommitted);
	assert_true(rig.campaign.options.params.use_spin_hint);
	assert_int_equal(rig.world.visits, rig.world.relaxed_visits);
	for (int d = 0; d < SPIN_HINT_DISTANCES; d++)
		assert_int_equal(rig.campaign.spin_hint_figures[d].turns, 0);
	rig_release(&rig);
}

/* A visit of the trial, since every CPU of a pair is tried at the start. */
static void a_visit_that_hangs_in_the_trial_ends_only_the_trial(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 2, 0.5);
	rig.options.patience_s = 0.5;
	/* Only when it is tried first. */
	rig.world.hang = 4;
	rig.world.hang_first = 0;
	rig.world.hang_second = 1;
	rig.world.hang_pass = 0;
	assert_int_equal(campaign_run(&rig.campaign, &rig.options, NULL), 0);
	assert_int_equal(atomic_load(&rig.world.hung), 1 + 1);
	assert_int_equal(
		rig.campaign.spin_hint_figures[SPIN_HINT_MACHINE].turns, 0);
	assert_true(rig.campaign.options.params.use_spin_hint);
	assert_true(rig.campaign.complete);
	assert_int_equal(rig.campaign.n_complete, 6);
	rig_release(&rig);
}

static void a_thread_that_is_lost_in_the_trial_ends_the_run(void **state)
{
	/* The lost thread still reads all of it. */
	static struct rig rig;
	struct error err;

	(void)state;
	rig_init(&rig, 2, 0.5);
	rig.options.patience_s = 0.5;
	rig.world.hang = 2;
	rig.world.hang_first = 0;
	rig.world.hang_second = 1;
	rig.world.hang_pass = 0;
	assert_true(campaign_run(&rig.campaign, &rig.options, &err) < 0);
	/* The command then ends at once: a thread reads what it has. */
	assert_int_equal(err.code, ETIMEDOUT);
	assert_non_null(strstr(err.text, "CPUs 1 and 0"));
	assert_non_null(strstr(err.text, "--spin-hint"));
	cpu_list_release(&rig.cpus);
}

static void interrupt(const struct probe_visit *visit)
{
	(void)visit;
	atomic_store(&stop, true);
}

static void an_interrupt_in_the_trial_is_one_of_the_run(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, 3, 0.5);
	rig.world.during = interrupt;
	assert_int_equal(campaign_run(&rig.campaign, &rig.options, NULL), 0);
	assert_true(rig.campaign.interrupted);
	assert_false(rig.campaign.complete);
	assert_int_equal(rig.campaign.n_complete, 0);
	rig_release(&rig);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(turns_become_medians_and_a_ratio),
	cmocka_unit_test(what_moves_both_loops_is_not_in_the_ratio),
	cmocka_unit_test(few_turns_have_no_interval_and_none_no_figure),
	cmocka_unit_test(the_lower_loop_is_taken),
	cmocka_unit_test(the_hint_is_taken_where_noise_hides_what_is_lower),
	cmocka_unit_test(a_noisy_distance_does_not_vote),
	cmocka_unit_test(distances_count_alike_by_their_ratios),
	cmocka_unit_test(nothing_measured_is_the_hint),
	cmocka_unit_test(distances_are_what_the_topology_tells),
	cmocka_unit_test(a_campaign_takes_the_lower_loop),
	cmocka_unit_test(neither_loop_is_always_the_first),
	cmocka_unit_test(without_the_choice_there_is_no_trial),
	cmocka_unit_test(a_long_run_has_no_long_trial),
	cmocka_unit_test(a_trial_ends_after_the_time_it_is_given),
	cmocka_unit_test(a_short_trial_is_none_on_an_overcommitted_machine),
	cmocka_unit_test(a_visit_that_hangs_in_the_trial_ends_only_the_trial),
	cmocka_unit_test(a_thread_that_is_lost_in_the_trial_ends_the_run),
	cmocka_unit_test(an_interrupt_in_the_trial_is_one_of_the_run),
};

CASE_GROUP(cases);
