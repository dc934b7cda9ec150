/*
 * --runs: repeat a measurement. Each run is a child process (job.h) with the
 * same arguments and --child; this process only waits.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/measure/measure_run.h"
#include "cmd/spin_hint_record.h"
#include "cmd/wait_notice.h"
#include "commands.h"
#include "job/job.h"
#include "render/plot.h"
#include "util/progress.h"
#include "util/text.h"

/* Time for an interrupted run to pass its record to this process. */
#define GRACE_S 10.0

struct repeated_runs {
	struct measure_state state;	       /* the result gets the runs */
	char **argv;			       /* arguments of the next run */
	char seed[40], spin_hint_argument[40]; /* two of these arguments */
	const atomic_bool *stop;
	bool interrupted, lost; /* lost: the last run has no record */
	char *failure;		/* why runs are missing, or NULL */
};

int measure_child_begin(struct measure_state *run, struct error *err)
{
	FILE *pipe = job_open_pipe(err);

	/* The parent process writes the files and prints. */
	outputs_release(&run->options->outputs);
	run->options->verbosity = -1;
	run->options->runs = 1;
	if (run->options->child > 1)
		run->pipe = pipe;
	return pipe ? 0 : -err->code;
}

static void draw_run_progress(void *context, const char *line)
{
	const struct repeated_runs *runs = context;
	uint64_t n = runs->state.options->runs;
	char *rest, *text;
	double fraction = strtod(line, &rest);

	text = text_format("run %zu of %" PRIu64 ",%s",
		runs->state.result.n_runs + 1, n, rest);
	if (text)
		cli_draw_progress(
			((double)runs->state.result.n_runs + fraction) /
				(double)n,
			text);
	free(text);
}

/* Make the arguments of the next run. Later arguments override earlier ones. */
static void name_arguments(struct repeated_runs *runs)
{
	const struct measure_options *options = runs->state.options;
	size_t n = 0;

	runs->argv[n++] = "c2c";
	runs->argv[n++] = (char *)runs->state.plan->command;
	for (int i = 1; i < options->argc; i++)
		runs->argv[n++] = options->argv[i];
	/* Drop a final "--" of the user, because options follow. */
	if (strcmp(runs->argv[n - 1], "--") == 0)
		n--;
	runs->argv[n++] = runs->state.show_progress ? "--child=2" : "--child=1";
	if (option_given(&options->given, "seed")) {
		snprintf(runs->seed, sizeof(runs->seed), "--seed=%" PRIu64,
			(options->seed + runs->state.result.n_runs) &
				CLI_SEED_MAX);
		runs->argv[n++] = runs->seed;
	}
	/* All runs use the waiting loop that the first run chose. */
	if (runs->spin_hint_argument[0])
		runs->argv[n++] = runs->spin_hint_argument;
	runs->argv[n] = NULL;
}

static void keep_spin_hint_choice(struct repeated_runs *runs)
{
	const int *spin_hint = runs->state.plan->spin_hint;
	const char *word =
		facts_text(&runs->state.result.runs->options, "spin_hint");

	if (spin_hint && *spin_hint == MEASURE_HINT_AUTO && word)
		snprintf(runs->spin_hint_argument,
			sizeof(runs->spin_hint_argument), "--spin-hint=%s",
			word);
}

static bool take_run(struct repeated_runs *runs, struct job_outcome *outcome)
{
	struct result *run = result_add_run(&runs->state.result);

	if (!run)
		return false;
	*run = outcome->result;
	outcome->measured = false;
	if (runs->state.result.n_runs == 1) {
		keep_spin_hint_choice(runs);
		return true;
	}
	/* All runs have the same topology. */
	free(run->hwloc_xml);
	run->hwloc_xml = NULL;
	return true;
}

/*
 * Make the next run. Return an enum exit_status; unless STATUS_DONE, the run
 * ended early or has no record, and no run follows.
 */
static int make_run(struct repeated_runs *runs)
{
	const struct job job = {
		.child = {.argv = runs->argv,
			.limit_s = INFINITY,
			.grace_s = GRACE_S,
			.stop = runs->stop,
			.on_line = draw_run_progress,
			.on_halted = wait_notice_on_stopped,
			.context = runs},
		.who = "it",
	};
	struct job_outcome outcome;
	struct error err = {.text = "no memory"};
	int status;

	name_arguments(runs);
	job_run(&job, &outcome, &err);
	status = job_exit_status(&outcome);
	runs->interrupted = outcome.end.stopped || status == STATUS_INTERRUPTED;
	runs->lost = !outcome.measured || !take_run(runs, &outcome);
	if (!runs->lost) {
		if (status == STATUS_DOES_NOT_HOLD) {
			runs->state.plan->status = status;
			status = STATUS_DONE;
		}
	} else if (runs->interrupted) {
		status = STATUS_INTERRUPTED;
	} else {
		runs->failure = job_find_failure(&outcome, &err);
		status = status == STATUS_DONE ? STATUS_FAILED : status;
	}
	job_outcome_release(&outcome);
	return status;
}

static int make_runs(struct repeated_runs *runs)
{
	int status = STATUS_DONE;

	while (status == STATUS_DONE &&
		runs->state.result.n_runs < runs->state.options->runs)
		status = make_run(runs);
	if (runs->state.show_progress)
		progress_clear(stderr);
	return status;
}

static bool warn_of_merged_runs(struct result *merged, char *text)
{
	bool warned = text && run_facts_warn(&merged->run, text);

	free(text);
	return warned;
}

/* Warn of problems of runs; the records of the runs have the details. */
static bool warn_of_runs(
	const struct repeated_runs *runs, struct result *merged)
{
	uint64_t asked = runs->state.options->runs;
	size_t drifted = 0, warned = 0;
	const char *s = merged->n_runs == 1 ? "" : "s";
	bool good = true;

	for (size_t r = 0; r < merged->n_runs; r++) {
		drifted += merged->runs[r].run.verdict > RUN_AGREES;
		warned += merged->runs[r].run.n_warnings > 0;
	}
	if (merged->n_runs < asked || !merged->complete)
		good &= warn_of_merged_runs(merged,
			text_format("%s in run %zu of %" PRIu64 "%s%s: c2c "
				    "kept the values, marked incomplete",
				runs->interrupted ? "interrupted" : "ended",
				runs->state.result.n_runs + runs->lost, asked,
				runs->failure ? ": " : "",
				runs->failure ? runs->failure : ""));
	if (drifted)
		good &= warn_of_merged_runs(merged,
			text_format("halves of %zu of %zu run%s did not agree: "
				    "CPUs moved, or noise is as large as the "
				    "differences between pairs",
				drifted, merged->n_runs, s));
	if (warned)
		good &= warn_of_merged_runs(merged,
			text_format("%zu of %zu run%s %s warnings: see "
				    "runs[].run.warnings in the record (-o "
				    "FILE.json)",
				warned, merged->n_runs, s,
				warned == 1 ? "has" : "have"));
	return good;
}

/* Make the record of the runs. */
static int make_record(struct repeated_runs *runs, struct error *err)
{
	struct result *merged = &runs->state.result;
	int rc = job_merge_runs(merged, runs->state.options->runs, err);

	if (rc == 0 && runs->state.plan->merged)
		rc = runs->state.plan->merged(merged, err);
	if (rc == 0 && !warn_of_runs(runs, merged))
		rc = error_no_memory(err, "the warnings");
	return rc;
}

static void release_repeated_runs(struct repeated_runs *runs)
{
	free(runs->argv);
	free(runs->failure);
	result_release(&runs->state.result);
	machine_free(runs->state.machine);
}

static int prepare_repeated_runs(struct repeated_runs *runs, struct error *err)
{
	struct measure_state *state = &runs->state;
	int rc = outputs_check_writable(&state->options->outputs, "-o", err);

	if (rc < 0)
		return rc;
	/* The command, --child, --seed, --spin-hint, NULL, and one to spare. */
	runs->argv = calloc((size_t)state->options->argc + 6, sizeof(char *));
	if (!runs->argv)
		return error_no_memory(err, "the runs");
	state->show_progress =
		state->options->verbosity >= 0 && progress_can_be_drawn(stderr);
	runs->stop = cli_catch_signals();
	return 0;
}

/* Save and print the record of the runs. */
static int output_repeated_runs(
	struct repeated_runs *runs, int status, struct error *err)
{
	struct measure_state *state = &runs->state;
	int saved, printed;

	if (make_record(runs, err) < 0 || machine_new(&state->machine, err) < 0)
		return cli_fail(state->plan->command, err);
	state->campaign.interrupted = runs->interrupted;
	state->campaign.complete = state->result.complete;
	saved = measure_save(state);
	printed = measure_print(state);
	if (status != STATUS_DONE && !runs->interrupted)
		return status;
	return measure_status(state, printed, saved);
}

int measure_runs(struct measure_options *options, struct measure_plan *plan)
{
	struct repeated_runs runs = {
		.state = {.options = options, .plan = plan}};
	struct error err;
	int status;

	result_init(&runs.state.result);
	if (prepare_repeated_runs(&runs, &err) < 0) {
		status = cli_fail(plan->command, &err);
		release_repeated_runs(&runs);
		return status;
	}
	measure_print_expected_runs(options, plan);
	status = make_runs(&runs);
	if (runs.state.result.n_runs > 0)
		status = output_repeated_runs(&runs, status, &err);
	else
		cli_notify(plan->command, "%s",
			runs.interrupted ? "interrupted before anything was "
					   "measured; nothing was written"
			: runs.failure	 ? runs.failure
					 : "no memory");
	release_repeated_runs(&runs);
	return status;
}
