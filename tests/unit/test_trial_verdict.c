/*
 * The verdict of c2c try on made-up rounds, whose truth is known, and on rounds
 * of real programs where this machine has them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/trial_verdict.h"
#include "replayed_rounds.h"
#include "stat/stat.h"

/* Unbound twice, one CPU, two random CPUs, two near ones, two named ones. */
enum {
	U1,
	U2,
	ONE,
	RANDOM,
	NEAR,
	NAMED,
	PLACEMENTS
};

#define ROUNDS_MAX 20

struct rounds {
	double values[PLACEMENTS][2 * ROUNDS_MAX];
	bool stacked[PLACEMENTS][2 * ROUNDS_MAX];
	struct tried_placement placements[PLACEMENTS];
	struct program_trial trial;
};

/* What a block is made of. */
struct truth {
	double noise;		    /* of a run */
	double drift;		    /* of a round */
	double effects[PLACEMENTS]; /* logarithms of times */
};

static double draw_normal(struct stat_random *random)
{
	double a = (double)(stat_random_below(random, 1 << 30) + 1) / (1 << 30);
	double b = (double)stat_random_below(random, 1 << 30) / (1 << 30);

	return sqrt(-2 * log(a)) * cos(2 * acos(-1) * b);
}

/* Times: lower is better. */
static void make_rounds(struct rounds *rounds, struct stat_random *random,
	const struct truth blocks[2], size_t n)
{
	static const enum trial_choice choices[] = {TRIAL_UNBOUND,
		TRIAL_UNBOUND, TRIAL_ONE, TRIAL_RANDOM, TRIAL_NEAR,
		TRIAL_NAMED};

	memset(rounds, 0, sizeof(*rounds));
	rounds->trial = (struct program_trial){.rounds = {n, n},
		.complete = true,
		.placements = rounds->placements,
		.n_placements = PLACEMENTS};
	for (size_t k = 0; k < PLACEMENTS; k++)
		rounds->placements[k] =
			(struct tried_placement){.choice = choices[k],
				.n_cpus = k < ONE    ? 0
					  : k == ONE ? 1
						     : 2,
				.values = rounds->values[k],
				.stacked = rounds->stacked[k],
				.n_values = 2 * n};
	for (size_t i = 0; i < 2 * n; i++) {
		const struct truth *truth = &blocks[i / n];
		double drift = truth->drift * draw_normal(random);

		for (size_t k = 0; k < PLACEMENTS; k++)
			rounds->values[k][i] =
				exp(drift + truth->effects[k] +
					truth->noise * draw_normal(random));
	}
}

static enum trial_answer answer_of(const struct rounds *rounds, size_t k)
{
	return rounds->placements[k].judged.answer;
}

static void equal_placements_do_not_win(void **state)
{
	const struct truth same[2] = {
		{.noise = 0.1, .drift = 0.2}, {.noise = 0.1, .drift = 0.2}};
	struct stat_random random;
	struct rounds rounds;
	size_t found = 0, none = 0, found_in_one = 0;

	(void)state;
	stat_random_init(&random, 11);
	for (size_t i = 0; i < 200; i++) {
		make_rounds(&rounds, &random, same, 12);
		replay_judge(&rounds.trial);
		found += rounds.trial.verdict == TRIAL_FOUND;
		none += rounds.trial.verdict == TRIAL_NO_VERDICT;
		rounds.trial.rounds[1] = 0;
		replay_judge(&rounds.trial);
		found_in_one += rounds.trial.verdict == TRIAL_FOUND;
	}
	print_message("of 200: %zu winners, %zu without a verdict, %zu winners "
		      "by one block\n",
		found, none, found_in_one);
	assert_in_range(found, 0, 2);
	assert_in_range(none, 0, 6);
	assert_in_range(found_in_one, 0, 10);
}

static void five_per_cent_are_found(void **state)
{
	const struct truth truth[2] = {
		{.noise = 0.02, .drift = 0.1, .effects = {[NEAR] = -0.05}},
		{.noise = 0.02, .drift = 0.1, .effects = {[NEAR] = -0.05}}};
	struct stat_random random;
	struct rounds rounds;
	size_t found = 0, wrong = 0, within = 0;

	(void)state;
	stat_random_init(&random, 12);
	for (size_t i = 0; i < 100; i++) {
		const struct trial_judgement *judged;

		make_rounds(&rounds, &random, truth, 20);
		replay_judge(&rounds.trial);
		found += answer_of(&rounds, NEAR) == TRIAL_PAYS;
		for (size_t k = ONE; k < PLACEMENTS; k++)
			wrong += k != NEAR &&
				 answer_of(&rounds, k) != TRIAL_SAME;
		judged = &rounds.placements[NEAR].judged;
		within += judged->low_pct < 100 * expm1(0.05) &&
			  judged->high_pct > 100 * expm1(0.05);
	}
	print_message("found %zu of 100, and %zu that is not there; %zu "
		      "intervals have it\n",
		found, wrong, within);
	assert_in_range(found, 95, 100);
	assert_in_range(wrong, 0, 5);
	assert_in_range(within, 88, 100);
}

static void what_is_visible_is_found_four_times_in_five(void **state)
{
	struct truth truth[2] = {{.noise = 0.05}, {.noise = 0.05}};
	struct stat_random random;
	struct rounds rounds;
	size_t found = 0;

	(void)state;
	stat_random_init(&random, 13);
	for (size_t i = 0; i < 200; i++) {
		double visible_pct;

		truth[0].effects[ONE] = truth[1].effects[ONE] = 0;
		make_rounds(&rounds, &random, truth, 12);
		replay_judge(&rounds.trial);
		visible_pct = rounds.placements[ONE].judged.visible_pct;
		truth[0].effects[ONE] = truth[1].effects[ONE] =
			-log1p(visible_pct / 100);
		make_rounds(&rounds, &random, truth, 12);
		replay_judge(&rounds.trial);
		found += answer_of(&rounds, ONE) == TRIAL_PAYS;
	}
	print_message("found %zu of 200\n", found);
	assert_in_range(found, 130, 190);
}

static void one_block_is_not_enough(void **state)
{
	struct truth truth[2] = {
		{.noise = 0.02, .effects = {[NEAR] = -0.2, [ONE] = 0.2}},
		{.noise = 0.02, .effects = {[NEAR] = 0.2}}};
	struct stat_random random;
	struct rounds rounds;

	(void)state;
	stat_random_init(&random, 14);
	make_rounds(&rounds, &random, truth, 12);
	replay_judge(&rounds.trial);
	assert_int_equal(answer_of(&rounds, NEAR), TRIAL_SAME);
	assert_int_equal(answer_of(&rounds, ONE), TRIAL_SAME);
	assert_int_equal(rounds.trial.verdict, TRIAL_NOTHING);
	/* Lost between the blocks: no answer, whatever the first one shows. */
	for (size_t i = 12; i < 24; i++)
		rounds.values[NEAR][i] = NAN;
	replay_judge(&rounds.trial);
	assert_int_equal(answer_of(&rounds, NEAR), TRIAL_UNKNOWN);
}

static void chosen_cpus_must_beat_random_ones(void **state)
{
	struct truth truth[2] = {{.noise = 0.02,
		.effects = {[RANDOM] = -0.3, [NEAR] = -0.3, [NAMED] = -0.6}}};
	struct stat_random random;
	struct rounds rounds;

	(void)state;
	truth[1] = truth[0];
	stat_random_init(&random, 15);
	make_rounds(&rounds, &random, truth, 12);
	replay_judge(&rounds.trial);
	assert_int_equal(answer_of(&rounds, RANDOM), TRIAL_PAYS);
	assert_int_equal(answer_of(&rounds, NEAR), TRIAL_SAME);
	assert_true(rounds.placements[NEAR].judged.as_random);
	assert_int_equal(answer_of(&rounds, NAMED), TRIAL_PAYS);
	assert_int_equal(
		rounds.placements[NAMED].judged.against_random, TRIAL_PAYS);
}

static void a_control_that_differs_gives_no_verdict(void **state)
{
	struct truth truth[2] = {
		{.noise = 0.02, .effects = {[U2] = 0.1, [ONE] = -0.5}}};
	struct stat_random random;
	struct rounds rounds;

	(void)state;
	truth[1] = truth[0];
	stat_random_init(&random, 16);
	make_rounds(&rounds, &random, truth, 12);
	replay_judge(&rounds.trial);
	assert_int_equal(rounds.trial.control.answer, TRIAL_COSTS);
	assert_int_equal(rounds.trial.verdict, TRIAL_NO_VERDICT);
	assert_int_equal(answer_of(&rounds, ONE), TRIAL_UNKNOWN);
	assert_int_equal(rounds.placements[ONE].apart, TRIAL_UNKNOWN);
	assert_int_equal(
		rounds.placements[ONE].judged.against_random, TRIAL_UNKNOWN);
	/* Fewer rounds than an interval needs. */
	truth[0].effects[U2] = truth[1].effects[U2] = 0;
	make_rounds(&rounds, &random, truth, 5);
	replay_judge(&rounds.trial);
	assert_int_equal(rounds.trial.verdict, TRIAL_NO_VERDICT);
	/* The trial was interrupted. */
	make_rounds(&rounds, &random, truth, 12);
	rounds.trial.complete = false;
	replay_judge(&rounds.trial);
	assert_int_equal(rounds.trial.control.answer, TRIAL_SAME);
	assert_int_equal(rounds.trial.verdict, TRIAL_NO_VERDICT);
	assert_int_equal(answer_of(&rounds, ONE), TRIAL_UNKNOWN);
}

static void runs_that_took_too_long_do_not_flatter(void **state)
{
	struct truth truth[2] = {{.noise = 0.02, .effects = {[ONE] = -0.5}}};
	struct stat_random random;
	struct rounds rounds;

	(void)state;
	truth[1] = truth[0];
	stat_random_init(&random, 19);
	make_rounds(&rounds, &random, truth, 12);
	replay_judge(&rounds.trial);
	assert_int_equal(answer_of(&rounds, ONE), TRIAL_PAYS);
	rounds.values[ONE][3] = NAN;
	replay_judge(&rounds.trial);
	assert_int_equal(answer_of(&rounds, ONE), TRIAL_UNKNOWN);
}

static void the_leader_is_of_the_rounds_so_far(void **state)
{
	struct truth truth[2] = {
		{.noise = 0.01, .effects = {[ONE] = -0.1, [NEAR] = -0.3}}};
	struct stat_random random;
	struct rounds rounds;
	double gain_pct;

	(void)state;
	truth[1] = truth[0];
	stat_random_init(&random, 21);
	make_rounds(&rounds, &random, truth, 12);
	rounds.trial.rounds[0] = 1;
	rounds.trial.rounds[1] = 0;
	assert_ptr_equal(replay_leader(&rounds.trial, &gain_pct),
		&rounds.placements[NEAR]);
	assert_true(gain_pct > 25 && gain_pct < 45);
	rounds.placements[NEAR].dropped = true;
	assert_ptr_equal(replay_leader(&rounds.trial, &gain_pct),
		&rounds.placements[ONE]);
	for (size_t k = ONE; k < PLACEMENTS; k++)
		rounds.values[k][0] = 2;
	assert_null(replay_leader(&rounds.trial, &gain_pct));
}

static void a_placement_that_is_left_out_is_not_judged(void **state)
{
	struct truth truth[2] = {{.noise = 0.02, .effects = {[ONE] = 0.5}}};
	struct stat_random random;
	struct rounds rounds;

	(void)state;
	truth[1] = truth[0];
	stat_random_init(&random, 22);
	make_rounds(&rounds, &random, truth, 12);
	rounds.values[ONE][23] = NAN;
	replay_judge(&rounds.trial);
	assert_int_equal(answer_of(&rounds, ONE), TRIAL_COSTS);
	rounds.placements[ONE].dropped = true;
	replay_judge(&rounds.trial);
	assert_int_equal(answer_of(&rounds, ONE), TRIAL_UNKNOWN);
	assert_int_equal(rounds.trial.verdict, TRIAL_NOTHING);
}

static void runs_that_vary_too_much_give_no_verdict(void **state)
{
	const double noises[] = {0.1, 1};
	struct stat_random random;
	struct rounds rounds;

	(void)state;
	stat_random_init(&random, 23);
	for (size_t i = 0; i < 2; i++) {
		const struct truth truth[2] = {
			{.noise = noises[i]}, {.noise = noises[i]}};

		make_rounds(&rounds, &random, truth, 12);
		replay_judge(&rounds.trial);
		assert_int_equal(rounds.trial.control.answer, TRIAL_SAME);
		assert_int_equal(trial_is_blind(&rounds.trial), i == 1);
		assert_int_equal(rounds.trial.verdict,
			i == 1 ? TRIAL_NO_VERDICT : TRIAL_NOTHING);
	}
}

static void what_is_visible_counts_outliers(void **state)
{
	const struct truth none[2] = {{.noise = 0}};
	struct stat_random random;
	struct rounds rounds;

	(void)state;
	stat_random_init(&random, 20);
	make_rounds(&rounds, &random, none, 12);
	rounds.values[ONE][3] *= 2;
	for (size_t i = 0; i < 24; i++)
		rounds.values[NEAR][i] = i % 12 < 5 ? 1 : NAN;
	replay_judge(&rounds.trial);
	assert_true(rounds.placements[ONE].judged.visible_pct > 10);
	assert_true(rounds.placements[NAMED].judged.visible_pct == 0);
	/* No block has an estimate. */
	assert_true(isnan(rounds.placements[NEAR].judged.visible_pct));
}

static void less_than_unbound_differs_from_itself_is_nothing(void **state)
{
	/* Unbound jumps between two modes. Their mean is steady. */
	struct truth truth[2] = {{.noise = 0.001, .effects = {[ONE] = -0.02}}};
	struct stat_random random;
	struct rounds rounds;

	(void)state;
	truth[1] = truth[0];
	stat_random_init(&random, 17);
	make_rounds(&rounds, &random, truth, 12);
	for (size_t i = 0; i < 24; i++) {
		rounds.values[U1][i] *= i % 2 ? 1.1 : 1 / 1.1;
		rounds.values[U2][i] *= i % 2 ? 1 / 1.1 : 1.1;
	}
	replay_judge(&rounds.trial);
	assert_true(rounds.placements[ONE].judged.p[0] < 0.01);
	assert_int_equal(answer_of(&rounds, ONE), TRIAL_SAME);
	assert_true(rounds.trial.bound_pct[0] > 5);
}

static void stacked_runs_are_judged_apart(void **state)
{
	struct truth truth[2] = {{.noise = 0.02, .effects = {[NEAR] = -0.2}}};
	struct stat_random random;
	struct rounds rounds;

	(void)state;
	truth[1] = truth[0];
	stat_random_init(&random, 18);
	make_rounds(&rounds, &random, truth, 20);
	for (size_t i = 0; i < 40; i += 2) {
		rounds.values[NEAR][i] *= exp(0.4);
		rounds.stacked[NEAR][i] = true;
		rounds.placements[NEAR].n_stacked++;
	}
	replay_judge(&rounds.trial);
	assert_int_equal(answer_of(&rounds, NEAR), TRIAL_SAME);
	assert_int_equal(rounds.placements[NEAR].apart, TRIAL_PAYS);
	/* They are left out of unbound, too. */
	truth[0].effects[NEAR] = truth[1].effects[NEAR] = 0;
	make_rounds(&rounds, &random, truth, 20);
	for (size_t i = 0; i < 40; i += 2) {
		for (size_t k = U1; k <= U2; k++) {
			rounds.values[k][i] *= exp(0.4);
			rounds.stacked[k][i] = true;
			rounds.placements[k].n_stacked++;
		}
	}
	replay_judge(&rounds.trial);
	assert_int_equal(answer_of(&rounds, ONE), TRIAL_PAYS);
	assert_int_equal(rounds.placements[ONE].apart, TRIAL_SAME);
}

/* Whether runs that take `length`, with this noise, have a constant time. */
static bool is_constant(double length, double noise)
{
	const struct truth truth[2] = {{.noise = noise}, {.noise = noise}};
	struct arena arena = {0};
	struct stat_random random;
	struct rounds rounds;
	bool constant;

	stat_random_init(&random, 23);
	make_rounds(&rounds, &random, truth, 12);
	for (size_t i = 0; i < 24; i++) {
		rounds.values[U1][i] *= length;
		rounds.values[U2][i] *= length;
	}
	constant = trial_is_constant(&rounds.trial, &arena);
	arena_release(&arena);
	return constant;
}

static void a_constant_time_hardly_varies_whatever_its_length(void **state)
{
	(void)state;
	assert_true(is_constant(0.001, 0.001));
	assert_true(is_constant(100, 0.001));
	assert_false(is_constant(0.001, 0.05));
	assert_false(is_constant(100, 0.05));
}

struct replay {
	size_t programs, unbound, differ, held_winners;
	bool pipe, mutex, hackbench;
};

static void note_program(void *context, const char *series, const char *name,
	struct program_trial *trial)
{
	struct replay *replay = context;

	replay->programs++;
	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];
		enum trial_answer answer = placement->judged.answer;
		bool one = placement->choice == TRIAL_ONE;

		if (trial->verdict == TRIAL_NO_VERDICT)
			continue;
		replay->unbound += placement->n_cpus == 0;
		replay->differ +=
			placement->n_cpus == 0 && answer != TRIAL_SAME;
		if (answer == TRIAL_PAYS && one && strcmp(name, "pipe") == 0)
			replay->pipe = true;
		if (answer == TRIAL_PAYS && one && strcmp(name, "mutex") == 0)
			replay->mutex = true;
		if (answer == TRIAL_COSTS && strcmp(name, "hackbench") == 0 &&
			placement->choice == TRIAL_RANDOM)
			replay->hackbench = true;
		if (answer == TRIAL_PAYS && strncmp(series, "hold", 4) == 0 &&
			placement->choice != TRIAL_NEAR)
			replay->held_winners++;
	}
}

static void rounds_of_real_programs_are_judged(void **state)
{
	const char *srcdir = getenv("srcdir");
	struct replay replay = {0};
	char path[4096];

	(void)state;
	snprintf(path, sizeof(path), "%s/../shared/found/inputs/rounds.json",
		srcdir ? srcdir : ".");
	if (access(path, R_OK) != 0) {
		print_message("skip: there is no "
			      "../shared/found/inputs/rounds.json\n");
		skip();
	}
	assert_int_equal(replay_rounds(path, note_program, &replay), 0);
	print_message("%zu of %zu unbound placements differ\n", replay.differ,
		replay.unbound);
	assert_in_range(replay.programs, 20, 100);
	assert_true(replay.differ * 20 <= replay.unbound);
	assert_true(replay.pipe);
	assert_true(replay.mutex);
	assert_true(replay.hackbench);
	assert_int_equal(replay.held_winners, 0);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(equal_placements_do_not_win),
	cmocka_unit_test(five_per_cent_are_found),
	cmocka_unit_test(what_is_visible_is_found_four_times_in_five),
	cmocka_unit_test(one_block_is_not_enough),
	cmocka_unit_test(chosen_cpus_must_beat_random_ones),
	cmocka_unit_test(a_control_that_differs_gives_no_verdict),
	cmocka_unit_test(runs_that_took_too_long_do_not_flatter),
	cmocka_unit_test(the_leader_is_of_the_rounds_so_far),
	cmocka_unit_test(a_placement_that_is_left_out_is_not_judged),
	cmocka_unit_test(runs_that_vary_too_much_give_no_verdict),
	cmocka_unit_test(what_is_visible_counts_outliers),
	cmocka_unit_test(less_than_unbound_differs_from_itself_is_nothing),
	cmocka_unit_test(stacked_runs_are_judged_apart),
	cmocka_unit_test(a_constant_time_hardly_varies_whatever_its_length),
	cmocka_unit_test(rounds_of_real_programs_are_judged),
};

CASE_GROUP(cases);
