/* Print the results of c2c try as sentences and a table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trial_verdict.h"
#include "cmd/cli.h"
#include "cmd/try/cmd_try.h"
#include "util/text_table.h"

static void append_sentence(struct try_task *task, char *text)
{
	struct program_trial *trial = &task->trial;

	trial->sentences = arena_grow(task->arena, trial->sentences,
		trial->n_sentences, sizeof(*trial->sentences));
	trial->sentences[trial->n_sentences++] = text;
}

void try_say_sentence(struct try_task *task, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append_sentence(task, arena_vformat(task->arena, format, args));
	va_end(args);
}

/* show_number(): no decimals from WHOLE_FROM; 0 below ZERO_BELOW. */
#define WHOLE_FROM 9.95
#define ZERO_BELOW 0.05

/* Return "-" for NaN. */
static const char *show_number(double value, struct arena *arena)
{
	if (isnan(value))
		return "-";
	/* Avoid "-0.0". */
	if (fabs(value) < ZERO_BELOW)
		value = 0;
	return arena_format(
		arena, "%.*f", fabs(value) < WHOLE_FROM ? 1 : 0, value);
}

static const char *show_interval(double low, double high, struct arena *arena)
{
	return arena_format(arena, "[%s, %s]", show_number(low, arena),
		show_number(high, arena));
}

/* "-1.6 % [-5.5, 2.9]" */
static const char *show_control(
	const struct program_trial *trial, struct arena *arena)
{
	const struct trial_judgement *control = &trial->control;

	return arena_format(arena, "%s %% %s",
		show_number(control->gain_pct, arena),
		show_interval(control->low_pct, control->high_pct, arena));
}

/* "0.52 s", or "1234" for a number that the program prints */
static const char *show_median(const struct try_task *task)
{
	double median = trial_unbound_median(&task->trial, task->arena);
	char text[TEXT_SIZE_BYTES];

	if (task->metric == TRY_MAX_RSS)
		return arena_strdup(
			task->arena, text_size((uint64_t)median, text));
	if (task->metric == TRY_OUTPUT)
		return arena_format(task->arena, "%.6g", median);
	return arena_format(task->arena, "%s%s", text_time(median, text),
		task->metric == TRY_CPU ? " of CPU time" : "");
}

/* Return "faster" only for --metric wall. */
static const char *word_for_better(const struct try_task *task)
{
	return task->metric == TRY_WALL ? "faster" : "better";
}

/* "is 3.5 times as fast [3.3, 3.7]", "is 12 % faster [5, 20]", "costs 67 %". */
static const char *describe_gain(
	const struct try_task *task, const struct trial_judgement *judged)
{
	struct arena *arena = task->arena;
	double gain = judged->gain_pct;

	if (gain >= 100)
		return arena_format(arena, "is %s times as %s as unbound %s",
			show_number(1 + gain / 100, arena),
			task->metric == TRY_WALL ? "fast" : "good",
			show_interval(1 + judged->low_pct / 100,
				1 + judged->high_pct / 100, arena));
	if (gain > 0)
		return arena_format(arena, "is %s %% %s than unbound %s",
			show_number(gain, arena), word_for_better(task),
			show_interval(
				judged->low_pct, judged->high_pct, arena));
	return arena_format(arena, "costs %s %% %s", show_number(-gain, arena),
		show_interval(-judged->high_pct, -judged->low_pct, arena));
}

static char *list_cpus(
	const struct tried_placement *placement, struct arena *arena)
{
	return arena_adopt(arena, cpu_list_format(&placement->cpus));
}

/* Return "Placement near (CPUs 2,3)", to begin a sentence. */
static const char *name_with_cpus(
	const struct tried_placement *placement, struct arena *arena)
{
	bool one = placement->choice == TRIAL_ONE;

	return arena_format(arena, "%s%s (CPU%s %s)",
		one ? "One CPU" : "Placement ", one ? "" : placement->name,
		placement->n_cpus == 1 ? "" : "s", list_cpus(placement, arena));
}

static void say_random(
	struct try_task *task, const struct tried_placement *placement)
{
	size_t n = placement->n_cpus;

	try_say_sentence(task, "Binding to any %zu CPU%s %s%s", n,
		n == 1 ? "" : "s", describe_gain(task, &placement->judged),
		placement->judged.answer == TRIAL_COSTS && task->busy > n
			? arena_format(task->arena,
				  ": the program has more than %zu busy "
				  "thread%s.",
				  n, n == 1 ? "" : "s")
			: ".");
}

/* Return whether the sentence on random CPUs is true of this placement too. */
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
		try_say_sentence(task, "%s %s%s.",
			name_with_cpus(placement, task->arena),
			describe_gain(task, judged),
			judged->against_random == TRIAL_PAYS
				? arena_format(task->arena,
					  ", and %s than %zu random CPU%s",
					  word_for_better(task), n_random,
					  n_random == 1 ? "" : "s")
				: "");
	}
}

/*
 * List the placements that beat unbound but not random CPUs, unless random CPUs
 * beat unbound. Return whether there are any.
 */
static bool say_as_random(struct try_task *task)
{
	const struct program_trial *trial = &task->trial;
	const struct tried_placement *random = trial_find_random(trial);
	bool any = false;

	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];

		if (!placement->judged.as_random || !random ||
			random->judged.answer == TRIAL_PAYS)
			continue;
		any = true;
		try_say_sentence(task,
			"%s %s, but not %s than %zu random CPU%s by more than "
			"chance.",
			name_with_cpus(placement, task->arena),
			describe_gain(task, &placement->judged),
			word_for_better(task), random->n_cpus,
			random->n_cpus == 1 ? "" : "s");
	}
	return any;
}

/* Return the placement that pays most; NULL: none pays. */
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

const char *try_show_program(const struct try_task *task)
{
	struct text_list line = {.text = NULL};

	if (task->trial.setup) {
		text_list_add(&line, " ", "sh -c");
		text_list_add_shell_word(&line, " ", task->trial.setup);
		return arena_adopt(task->arena, text_list_end(&line));
	}
	for (char **word = task->program; *word; word++)
		text_list_add_shell_word(&line, " ", *word);
	return arena_adopt(task->arena, text_list_end(&line));
}

static void say_how_to_bind_each(struct try_task *task,
	const struct tried_placement *best, const char *list)
{
	const char *any = arena_format(
		task->arena, ", where LIST is any %zu CPUs", best->n_cpus);
	const char *nodes =
		arena_adopt(task->arena, cpu_list_format(&best->memory_nodes));

	try_say_sentence(task,
		"To use %s: bind the first thread to the first of CPUs %s, the "
		"second to the second, and so on: taskset -p -c CPU TID, or a "
		"binding in the program; with OpenMP GOMP_CPU_AFFINITY=%s%s.",
		best->name, list, list, best->cpus.n ? "" : any);
	if (best->memory_nodes.n)
		try_say_sentence(task,
			"Bind its memory, too: numactl --membind=%s %s.", nodes,
			try_show_program(task));
}

static void say_how_to_use(struct try_task *task)
{
	const struct tried_placement *best = find_best(&task->trial);
	const char *list, *nodes;

	if (!best)
		return;
	list = best->cpus.n ? list_cpus(best, task->arena) : "LIST";
	if (task->trial.each && best->choice != TRIAL_ONE) {
		say_how_to_bind_each(task, best, list);
		return;
	}
	if (best->memory_nodes.n) {
		nodes = arena_adopt(
			task->arena, cpu_list_format(&best->memory_nodes));
		try_say_sentence(task,
			"To use %s: numactl --physcpubind=%s --membind=%s %s; "
			"in a unit of systemd CPUAffinity=%s, NUMAPolicy=bind "
			"and NUMAMask=%s.",
			best->name, list, nodes, try_show_program(task), list,
			nodes);
		return;
	}
	try_say_sentence(task,
		"To use %s: taskset -c %s %s; in a unit of systemd "
		"CPUAffinity=%s; numactl --physcpubind=%s%s.",
		best->choice == TRIAL_ONE ? "it" : best->name, list,
		try_show_program(task), list, list,
		best->cpus.n
			? ""
			: arena_format(task->arena,
				  ", where LIST is any %zu CPU%s", best->n_cpus,
				  best->n_cpus == 1 ? "" : "s"));
}

/* Return the largest visible gain of all placements; NaN: none was judged. */
static double find_visible(const struct program_trial *trial)
{
	double most = NAN;

	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct trial_judgement *judged =
			&trial->placements[k].judged;

		if (judged->answer == TRIAL_SAME && !judged->as_random)
			most = fmax(most, judged->visible_pct);
	}
	return most;
}

/* List the placements whose runs vary too much for an answer. */
static void say_blind(struct try_task *task)
{
	const struct program_trial *trial = &task->trial;

	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];

		if (placement->judged.blind)
			try_say_sentence(task,
				"%s: the runs vary so much that c2c might miss "
				"even twice the speed.",
				name_with_cpus(placement, task->arena));
	}
}

static void say_nothing_found(struct try_task *task)
{
	const struct program_trial *trial = &task->trial;
	bool others = say_as_random(task);
	double visible_pct = find_visible(trial);

	if (isnan(visible_pct)) {
		try_say_sentence(task,
			"No placement was left to compare with unbound. Leave "
			"the program unbound.");
		return;
	}
	try_say_sentence(task,
		"No %splacement differs from unbound by more than chance; with "
		"%zu rounds a block, c2c would detect %s %%. Leave it unbound.",
		others ? "other " : "", trial->rounds[0],
		show_number(visible_pct, task->arena));
}

static void say_no_verdict(struct try_task *task)
{
	const struct program_trial *trial = &task->trial;
	size_t done = trial->rounds[0] + trial->rounds[1];

	if (!trial->complete)
		try_say_sentence(task,
			"There is no verdict, because the trial ended after "
			"%zu round%s.",
			done, done == 1 ? "" : "s");
	else if (trial->control.answer == TRIAL_SAME)
		try_say_sentence(task,
			"There is no verdict: the runs vary so much that c2c "
			"might miss even twice the speed. Try again on a "
			"quieter machine, or with more rounds.");
	else if (trial->control.answer == TRIAL_UNKNOWN)
		try_say_sentence(task,
			"There is no verdict: too few runs of unbound have a "
			"value.");
	else
		try_say_sentence(task,
			"There is no verdict: the two unbound runs of a round "
			"differ by %s, which happens by chance in one trial of "
			"a hundred. Try again.",
			show_control(trial, task->arena));
}

static size_t count_runs(const struct tried_placement *placement)
{
	size_t n = 0;

	for (size_t i = 0; i < placement->n_values; i++)
		n += !isnan(placement->values[i]);
	return n;
}

static void say_stacked(struct try_task *task)
{
	const struct program_trial *trial = &task->trial;
	static const char *const words[] = {
		[TRIAL_UNKNOWN] = "has no answer",
		[TRIAL_SAME] = "does not differ from unbound",
		[TRIAL_PAYS] = "pays",
		[TRIAL_COSTS] = "costs",
	};

	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];

		if (placement->apart == placement->judged.answer ||
			placement->dropped || placement->n_stacked == 0)
			continue;
		try_say_sentence(task,
			"In %zu of %zu runs of %s, two busy threads shared a "
			"CPU "
			"while another was free; without these runs the "
			"placement %s.",
			placement->n_stacked, count_runs(placement),
			placement->name, words[placement->apart]);
	}
}

static void say_doubts(struct try_task *task)
{
	if (task->throttled > 0)
		try_say_sentence(task,
			"The cgroup's CPU limit (cpu.max) stopped the program "
			"in %.0f %% of its periods.",
			100 * task->throttled);
	if (task->constant && task->metric == TRY_WALL)
		try_say_sentence(task,
			"The time varies by less than 1 %%: the program may "
			"run for a fixed time. If so, use --metric to compare "
			"a number that the program prints.");
	if (task->ended)
		try_say_sentence(task,
			"c2c ended %zu run%s that took more than %g times as "
			"long as unbound, or reached --limit%s.",
			task->ended, task->ended == 1 ? "" : "s",
			TRY_SLOWER_MAX,
			task->metric == TRY_WALL ? ""
						 : ", and does not count them");
	if (task->binds_itself)
		try_say_sentence(task, "The program binds its threads to %s.",
			task->trial.each ? "other CPUs than c2c chose"
					 : "fewer CPUs than the placement has");
	if (task->left_processes)
		try_say_sentence(task,
			"When the program ended, other processes of it still "
			"ran, and c2c ended them.");
}

void try_say(struct try_task *task)
{
	struct program_trial *trial = &task->trial;
	char **left_out = trial->sentences;
	size_t n_left_out = trial->n_sentences;

	trial->sentences = NULL;
	trial->n_sentences = 0;
	if (task->lost)
		try_say_sentence(task, "%s", task->lost);
	for (size_t i = 0; i < n_left_out; i++)
		append_sentence(task, left_out[i]);
	if (trial->verdict == TRIAL_NO_VERDICT)
		say_no_verdict(task);
	if (trial->verdict == TRIAL_FOUND) {
		say_differing(task);
		say_as_random(task);
		say_how_to_use(task);
	}
	if (trial->verdict == TRIAL_NOTHING)
		say_nothing_found(task);
	if (trial->verdict != TRIAL_NO_VERDICT) {
		say_blind(task);
		say_stacked(task);
		try_say_sentence(task,
			"Control: the two unbound runs differ by %s; their "
			"median is %s.",
			show_control(trial, task->arena), show_median(task));
	}
	say_doubts(task);
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
	if (placement->judged.blind)
		return "cannot tell";
	if (placement->judged.as_random)
		return "as random CPUs";
	return words[placement->judged.answer];
}

void try_print_table(
	FILE *out, const struct program_trial *trial, struct arena *arena)
{
	struct text_list lines = {0};

	text_list_add(&lines, "\n",
		"Placement<\t  CPUs<\t  Gain %%>\t  95 %%>\t  Visible %%>\t  "
		"Runs>\t  Stacked>\t  Answer<");
	for (size_t k = 0; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];
		const struct trial_judgement *judged =
			k == 1 ? &trial->control : &placement->judged;

		text_list_add(&lines, "\n", "%s\t%s\t%s\t%s\t%s\t%zu\t%zu\t%s",
			placement->name, cpus_cell(placement, arena),
			show_number(judged->gain_pct, arena),
			isnan(judged->low_pct)
				? "-"
				: show_interval(judged->low_pct,
					  judged->high_pct, arena),
			show_number(judged->visible_pct, arena),
			count_runs(placement), placement->n_stacked,
			k < 2 ? "the control" : answer_cell(trial, placement));
	}
	text_table_print(out, &lines, "-", (size_t)-1);
}

void try_print(const struct program_trial *trial, struct arena *arena)
{
	for (size_t i = 0; i < trial->n_sentences; i++)
		cli_wrap(stdout, trial->sentences[i], 0, 0);
	if (trial->rounds[0] == 0)
		return;
	putchar('\n');
	try_print_table(stdout, trial, arena);
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
