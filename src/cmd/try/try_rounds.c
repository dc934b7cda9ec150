/*
 * c2c try: a warm-up, then two blocks of rounds. A round runs each placement
 * once, in random order. c2c measures latencies again between the blocks.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trial_verdict.h"
#include "cmd/cli.h"
#include "cmd/try/cmd_try.h"
#include "machine/timebase.h"
#include "util/progress.h"

/* Least time of a run for TRY_SLOWER_MAX to apply. */
#define SLOW_LEAST_S 1.0

/* Describe the placement that leads so far. */
static const char *describe_standing(const struct try_task *task)
{
	double gain_pct;
	const struct tried_placement *leader;

	if (task->trial.rounds[0] == 0)
		return "";
	leader = trial_find_leader(&task->trial, &gain_pct, task->arena);
	return leader ? arena_format(task->arena, "; so far %s +%.1f %%",
				leader->name, gain_pct)
		      : "; so far unbound";
}

static void draw_progress(const struct try_task *task, size_t block,
	size_t round, size_t rounds, size_t of_round)
{
	const struct program_trial *trial = &task->trial;
	double all = (double)(rounds * trial->n_placements);
	double done = (double)(round * trial->n_placements + of_round);
	const struct arena_block *mark = task->arena->last;
	char *text;

	if (task->arguments->verbosity < 0 || !progress_can_be_drawn(stderr))
		return;
	text = text_format("block %zu, round %zu of %zu%s", block + 1,
		round + 1, rounds, describe_standing(task));
	arena_rewind(task->arena, mark);
	if (text)
		cli_draw_progress(
			((double)block + done / all) / TRIAL_BLOCKS, text);
	free(text);
}

static void clear_progress(const struct try_task *task)
{
	if (task->arguments->verbosity >= 0 && progress_can_be_drawn(stderr))
		progress_clear(stderr);
}

/* Return the time limit of a run; infinite in the first run. */
static double slow_limit_s(const struct try_task *task)
{
	return task->unbound_s > 0
		       ? fmax(TRY_SLOWER_MAX * task->unbound_s, SLOW_LEAST_S)
		       : INFINITY;
}

static int run_placement(struct try_task *task,
	const struct tried_placement *placement, struct try_run *run,
	struct error *err)
{
	struct cpu_list cpus = try_placement_cpus(task, placement);
	double limit_s = fmin(task->arguments->limit_s, slow_limit_s(task));
	int rc;

	rc = try_program_run(task, placement, &cpus, limit_s, run, err);
	if (rc < 0 && err->code != EINTR && placement->choice == TRIAL_UNBOUND)
		error_prefix(err, "%s", placement->name);
	task->binds_itself |= run->binds_itself;
	task->left_processes |= run->left_processes;
	return rc;
}

static void leave_out(struct try_task *task, struct tried_placement *placement,
	const char *reason)
{
	size_t n = strlen(reason);

	placement->dropped = true;
	try_say_sentence(task, "Placement %s (%zu CPU%s) is left out: %s%s",
		placement->name, placement->n_cpus,
		placement->n_cpus == 1 ? "" : "s", reason,
		n > 0 && reason[n - 1] == '.' ? "" : ".");
}

static void leave_out_slow(
	struct try_task *task, struct tried_placement *placement)
{
	double limit_s = task->arguments->limit_s;
	char limit[TEXT_SIZE_BYTES], unbound[TEXT_SIZE_BYTES];

	text_time(task->unbound_s, unbound);
	leave_out(task, placement,
		limit_s < slow_limit_s(task)
			? arena_format(task->arena,
				  "it does not end within --limit, %s, and "
				  "unbound takes %s",
				  text_time(limit_s, limit), unbound)
			: arena_format(task->arena,
				  "it takes more than %g times as long as "
				  "unbound, %s",
				  TRY_SLOWER_MAX, unbound));
}

/*
 * Run a placement, unless it is left out. If the program fails, leave the
 * placement out; a failure of unbound is an error.
 */
static int run_if_possible(struct try_task *task,
	struct tried_placement *placement, struct try_run *run,
	struct error *err)
{
	int rc = placement->dropped ? 0
				    : run_placement(task, placement, run, err);

	if (rc == 0 || placement->choice == TRIAL_UNBOUND ||
		err->code == EINTR || err->code == ENOMEM)
		return rc;
	text_one_line(err->text);
	leave_out(task, placement, err->text);
	return 0;
}

/* Measure the time and the number of busy threads of an unbound run. */
int try_first_run(struct try_task *task, struct error *err)
{
	struct try_run run;
	int rc = run_placement(task, &task->trial.placements[0], &run, err);

	if (rc == 0 && run.timed_out)
		rc = error_set(err, ERROR_FAILURE, ETIMEDOUT,
			"'%s' did not end within %.10g s: name a longer "
			"--limit, or a shorter run",
			task->program[0], task->arguments->limit_s);
	task->unbound_s = run.wall_s;
	task->busy = run.busy;
	return rc;
}

static int warm_up(struct try_task *task, struct error *err)
{
	struct program_trial *trial = &task->trial;
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < trial->n_placements; k++) {
		struct tried_placement *placement = &trial->placements[k];
		struct try_run run = {.value = NAN};

		rc = run_if_possible(task, placement, &run, err);
		if (rc == 0 && k < 2)
			task->unbound_s = fmax(task->unbound_s, run.wall_s);
		if (rc == 0 && run.busy > task->busy)
			task->busy = run.busy;
		if (rc == 0 && run.timed_out && k >= 2)
			leave_out_slow(task, placement);
	}
	return rc;
}

static int run_round(struct try_task *task, size_t block, size_t round,
	size_t rounds, struct error *err)
{
	struct program_trial *trial = &task->trial;
	size_t at = (block ? trial->rounds[0] : 0) + round;
	uint32_t *order =
		arena_alloc(task->arena, trial->n_placements, sizeof(*order));
	int rc = 0;

	stat_shuffle(&task->random, order, trial->n_placements);
	for (size_t i = 0; rc == 0 && i < trial->n_placements; i++) {
		struct tried_placement *placement =
			&trial->placements[order[i]];
		struct try_run run = {.value = NAN};

		draw_progress(task, block, round, rounds, i);
		rc = run_if_possible(task, placement, &run, err);
		placement->values[at] = run.value;
		task->ended += run.timed_out;
		placement->stacked[at] = run.stacked;
		placement->n_values = at + 1;
	}
	for (size_t k = 0; rc == 0 && k < trial->n_placements; k++)
		trial->placements[k].n_stacked +=
			trial->placements[k].stacked[at];
	if (rc == 0)
		trial->rounds[block]++;
	/* Drop the values of an unfinished round. */
	for (size_t k = 0; rc < 0 && k < trial->n_placements; k++)
		trial->placements[k].n_values = at;
	return rc;
}

/* Choose the rounds of a block: --rounds, or as many as fit --budget. */
static int choose_rounds(struct try_task *task, double round_s, size_t *rounds,
	struct error *err)
{
	const struct try_arguments *arguments = task->arguments;
	double left_s =
		arguments->budget_s - (timebase_raw_s() - task->begun_s);
	double fit = floor(left_s / TRIAL_BLOCKS / round_s);
	char need[TEXT_SIZE_BYTES], have[TEXT_SIZE_BYTES];

	*rounds = arguments->rounds;
	if (arguments->rounds && !option_given(&arguments->given, "budget"))
		return 0;
	if (arguments->rounds == 0)
		*rounds = (size_t)fmin(
			fmax(fit, TRY_ROUNDS_LEAST), TRY_ROUNDS_FIT);
	if (fit >= (double)*rounds)
		return 0;
	text_time(TRIAL_BLOCKS * (double)*rounds * round_s + timebase_raw_s() -
			  task->begun_s,
		need);
	text_time(arguments->budget_s, have);
	return error_set(err, ERROR_USAGE, ETIME,
		"a round of all %zu placements takes %.3g s, and two blocks of "
		"%zu rounds %s: longer than --budget, %s; give a longer "
		"budget, or let the program do less",
		task->trial.n_placements, round_s, *rounds, need, have);
}

int try_blocks(struct try_task *task, struct error *err)
{
	double begin_s = timebase_raw_s();
	size_t rounds = 0;
	int rc = warm_up(task, err);

	if (rc == 0)
		rc = choose_rounds(
			task, timebase_raw_s() - begin_s, &rounds, err);
	for (size_t k = 0; rc == 0 && k < task->trial.n_placements; k++) {
		struct tried_placement *placement = &task->trial.placements[k];

		placement->values = arena_alloc(task->arena,
			TRIAL_BLOCKS * rounds, sizeof(*placement->values));
		placement->stacked = arena_alloc(task->arena,
			TRIAL_BLOCKS * rounds, sizeof(*placement->stacked));
	}
	for (size_t b = 0; rc == 0 && b < TRIAL_BLOCKS; b++) {
		if (b > 0)
			rc = try_placements_look_again(task, err);
		for (size_t i = 0; rc == 0 && i < rounds; i++)
			rc = run_round(task, b, i, rounds, err);
		clear_progress(task);
	}
	task->trial.complete = rc == 0;
	return rc;
}
