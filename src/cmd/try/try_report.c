/* What c2c try found, in sentences and as a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/try/cmd_try.h"
#include "util/text_table.h"

__attribute__((format(printf, 2, 3))) static void say(
	struct try_task *task, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_list_add(&task->said, "\n", "%s",
		arena_vformat(task->arena, format, args));
	va_end(args);
}

/* One digit behind the point, or none from 10 on. */
static const char *show_percent(double percent, struct arena *arena)
{
	return arena_format(arena, "%.*f", fabs(percent) < 10 ? 1 : 0, percent);
}

/* "-1.6 % [-5.5, 2.9]" */
static const char *show_control(
	const struct program_trial *trial, struct arena *arena)
{
	const struct trial_judgement *control = &trial->control;

	return arena_format(arena, "%s %% [%s, %s]",
		show_percent(control->gain_pct, arena),
		show_percent(control->low_pct, arena),
		show_percent(control->high_pct, arena));
}

/* "is 3.5 times as fast [3.3, 3.7]", "is 12 % faster [5, 20]", "costs 67 %". */
static const char *describe_gain(
	const struct trial_judgement *judged, struct arena *arena)
{
	double gain = judged->gain_pct;

	if (gain >= 100)
		return arena_format(arena,
			"is %.3g times as fast as unbound [%.3g, %.3g]",
			1 + gain / 100, 1 + judged->low_pct / 100,
			1 + judged->high_pct / 100);
	if (gain > 0)
		return arena_format(arena,
			"is %.2g %% faster than unbound [%.2g, %.2g]", gain,
			judged->low_pct, judged->high_pct);
	return arena_format(arena, "costs %.2g %% [%.2g, %.2g]", -gain,
		-judged->high_pct, -judged->low_pct);
}

static char *list_cpus(
	const struct tried_placement *placement, struct arena *arena)
{
	return arena_adopt(arena, cpu_list_format(&placement->cpus));
}

static void say_random(
	struct try_task *task, const struct tried_placement *placement)
{
	size_t n = placement->n_cpus;

	say(task, "Binding to %zu CPU%s %s, whichever %s%s", n,
		n == 1 ? "" : "s",
		describe_gain(&placement->judged, task->arena),
		n == 1 ? "it is" : "these are",
		placement->judged.answer == TRIAL_COSTS && task->busy > n
			? arena_format(task->arena,
				  ": the program runs %zu busy threads.",
				  task->busy)
			: ".");
}

/* Whether what is said of as many random CPUs says it already. */
static bool is_as_random(const struct program_trial *trial,
	const struct tried_placement *placement)
{
	const struct tried_placement *random = trial_find_random(trial);

	return random && placement != random &&
	       random->judged.answer == placement->judged.answer &&
	       placement->judged.against_random == TRIAL_SAME;
}

static void say_differing(struct try_task *task)
{
	const struct program_trial *trial = &task->trial;
	size_t n_random = trial->threads;

	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];
		const struct trial_judgement *judged = &placement->judged;

		if (judged->answer < TRIAL_PAYS ||
			is_as_random(trial, placement))
			continue;
		if (placement->choice == TRIAL_RANDOM) {
			say_random(task, placement);
			continue;
		}
		say(task, "%s (CPU%s %s) %s%s.",
			placement->choice == TRIAL_ONE ? "One CPU"
						       : placement->name,
			placement->n_cpus == 1 ? "" : "s",
			list_cpus(placement, task->arena),
			describe_gain(judged, task->arena),
			judged->against_random == TRIAL_PAYS
				? arena_format(task->arena,
					  ", and faster than %zu random CPUs",
					  n_random)
				: "");
	}
}

/* The placement that pays most; NULL: none pays. */
static const struct tried_placement *find_best(
	const struct program_trial *trial)
{
	const struct tried_placement *best = NULL;

	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];

		if (placement->judged.answer == TRIAL_PAYS &&
			(!best || placement->judged.gain_pct >
					  best->judged.gain_pct))
			best = placement;
	}
	return best;
}

static void say_how_to_use(struct try_task *task)
{
	const struct tried_placement *best = find_best(&task->trial);
	const char *list;

	if (!best)
		return;
	list = best->cpus.n ? list_cpus(best, task->arena) : "LIST";
	say(task,
		"To use %s: taskset -c %s %s; in a unit of systemd "
		"CPUAffinity=%s; numactl --physcpubind=%s.",
		best->choice == TRIAL_ONE ? "it" : best->name, list,
		task->program[0], list, list);
}

/* The largest effect that the rounds may have missed. */
static double find_visible(const struct program_trial *trial)
{
	double most = 0;

	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct trial_judgement *judged =
			&trial->placements[k].judged;

		if (judged->answer == TRIAL_SAME)
			most = fmax(most, judged->visible_pct);
	}
	return most;
}

static void say_nothing_found(struct try_task *task)
{
	const struct program_trial *trial = &task->trial;

	if (trial->n_placements < 3) {
		say(task, "No placement was left to compare with unbound.");
		return;
	}
	say(task,
		"No placement differs from unbound by more than chance; %zu "
		"rounds a block would have shown %s %%. Leave it unbound.",
		trial->rounds[0],
		show_percent(find_visible(trial), task->arena));
}

static void say_no_verdict(struct try_task *task)
{
	const struct program_trial *trial = &task->trial;

	if (!trial->complete)
		say(task,
			"There is no verdict: the trial was ended after %zu "
			"rounds of the first block and %zu of the second.",
			trial->rounds[0], trial->rounds[1]);
	else
		say(task,
			"There is no verdict: unbound differs from itself by "
			"%s, so this machine changes under the test. Try "
			"again.",
			show_control(trial, task->arena));
}

static void say_stacked(struct try_task *task)
{
	const struct program_trial *trial = &task->trial;
	static const char *const words[] = {
		[TRIAL_UNKNOWN] = "has too few rounds",
		[TRIAL_SAME] = "does not differ from unbound",
		[TRIAL_PAYS] = "pays",
		[TRIAL_COSTS] = "costs",
	};

	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];

		if (placement->apart == placement->judged.answer ||
			placement->dropped)
			continue;
		say(task,
			"In %zu runs of %s two busy threads shared a CPU while "
			"another one was free: without these runs it %s.",
			placement->n_stacked, placement->name,
			words[placement->apart]);
	}
}

static void say_doubts(struct try_task *task)
{
	if (task->constant && task->metric == TRY_WALL)
		say(task,
			"The time varies by less than 1 %%: the program may "
			"run for a fixed time. If so, name what it prints with "
			"--metric.");
	if (task->ended)
		say(task,
			"%zu runs took more than %g times as long as unbound, "
			"or reached --limit, and were ended%s.",
			task->ended, TRY_SLOWER_MAX,
			task->metric == TRY_WALL ? "" : ": they do not count");
	if (task->binds_itself)
		say(task,
			"The program binds its threads itself: they leave out "
			"CPUs that the placement gives them.");
	if (task->left_processes)
		say(task,
			"The program left processes behind when it ended, and "
			"c2c ended them.");
}

void try_say(struct try_task *task)
{
	struct program_trial *trial = &task->trial;
	char *text, *rest;

	if (task->lost)
		say(task, "%s", task->lost);
	if (trial->verdict == TRIAL_NO_VERDICT)
		say_no_verdict(task);
	if (trial->verdict == TRIAL_FOUND) {
		say_differing(task);
		say_how_to_use(task);
	}
	if (trial->verdict == TRIAL_NOTHING)
		say_nothing_found(task);
	if (trial->verdict != TRIAL_NO_VERDICT) {
		say_stacked(task);
		say(task, "Unbound against itself: %s.",
			show_control(trial, task->arena));
	}
	say_doubts(task);
	text = arena_adopt(task->arena, text_list_end(&task->said));
	task->said = (struct text_list){.text = NULL};
	for (text = strtok_r(text, "\n", &rest); text;
		text = strtok_r(NULL, "\n", &rest)) {
		trial->sentences = arena_grow(task->arena, trial->sentences,
			trial->n_sentences, sizeof(*trial->sentences));
		trial->sentences[trial->n_sentences++] = text;
	}
}

static const char *cpus_cell(
	const struct tried_placement *placement, struct arena *arena)
{
	if (placement->choice == TRIAL_UNBOUND)
		return "all";
	if (placement->choice == TRIAL_RANDOM)
		return arena_format(arena, "any %zu", placement->n_cpus);
	return list_cpus(placement, arena);
}

static const char *answer_cell(const struct program_trial *trial,
	const struct tried_placement *placement)
{
	static const char *const words[] = {
		[TRIAL_UNKNOWN] = "-",
		[TRIAL_SAME] = "no difference",
		[TRIAL_PAYS] = "pays",
		[TRIAL_COSTS] = "costs",
	};

	if (placement->dropped)
		return "left out";
	if (trial->verdict == TRIAL_NO_VERDICT)
		return "no verdict";
	return words[placement->judged.answer];
}

static const char *interval_cell(double low, double high, struct arena *arena)
{
	return isnan(low) ? "-"
			  : arena_format(arena, "[%.3g, %.3g]", low, high);
}

static size_t count_runs(const struct tried_placement *placement)
{
	size_t n = 0;

	for (size_t i = 0; i < placement->n_values; i++)
		n += !isnan(placement->values[i]);
	return n;
}

void try_print(const struct program_trial *trial, struct arena *arena)
{
	struct text_list lines = {0};

	for (size_t i = 0; i < trial->n_sentences; i++)
		cli_wrap(stdout, trial->sentences[i], 0, 0);
	if (trial->rounds[0] == 0)
		return;
	text_list_add(&lines, "\n",
		"Placement<\t  CPUs<\t  Gain %%>\t  95 %%>\t  Visible %%>\t  "
		"Runs>\t  Stacked>\t  Answer<");
	for (size_t k = 0; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];
		const struct trial_judgement *judged =
			k == 1 ? &trial->control : &placement->judged;

		text_list_add(&lines, "\n",
			"%s\t%s\t%.3g\t%s\t%s\t%zu\t%zu\t%s", placement->name,
			cpus_cell(placement, arena),
			k == 0 ? NAN : judged->gain_pct,
			k == 0 ? "-"
			       : interval_cell(judged->low_pct,
					 judged->high_pct, arena),
			k < 2 ? "-" : show_percent(judged->visible_pct, arena),
			count_runs(placement), placement->n_stacked,
			k < 2 ? "the control" : answer_cell(trial, placement));
	}
	putchar('\n');
	text_table_print(stdout, &lines, "-", (size_t)-1);
}

void try_print_list(const struct program_trial *trial)
{
	struct text_list lines = {0};
	struct arena arena = {0};

	text_list_add(&lines, "\n", "Placement<\t  CPUs<");
	for (size_t k = 0; k < trial->n_placements; k++)
		text_list_add(&lines, "\n", "%s\t%s", trial->placements[k].name,
			cpus_cell(&trial->placements[k], &arena));
	text_table_print(stdout, &lines, "-", (size_t)-1);
	arena_release(&arena);
}
