/*
 * --runs: the same measurement several times, each in a new process, because
 * the host places idle vCPUs anew for each. This process waits meanwhile.
 *
 * A child has the same arguments and --child. It writes its progress into a
 * pipe, "0.2500 pass 3, pair 5 of 10" and a line feed, and its record into a
 * file in memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "cmd/measure/measure_run.h"
#include "cmd/spin_hint_record.h"
#include "cmd/wait_notice.h"
#include "commands.h"
#include "plot/plot.h"
#include "result/file.h"
#include "result/runs.h"
#include "util/child.h"
#include "util/progress.h"
#include "util/text.h"

/* Descriptors of a child: its progress, its record. */
#define PIPE_FD	  3
#define RECORD_FD 4

/* A run that is asked to end hands over its record within this time. */
#define GRACE_S 10.0

struct repeated_runs {
	struct measure_state state;
	const struct result **all; /* [n] borrowed from the record */
	struct result *runs;	   /* [n], until the record has them */
	size_t n;
	char **argv;			       /* of the next child */
	char seed[40], spin_hint_argument[40]; /* some of its arguments */
	const atomic_bool *stop;
	bool interrupted, lost; /* lost: the last run has no record */
	char *hwloc_xml;	/* that the runs had */
	char *failure;		/* why there are fewer runs; or NULL */
	/* Of the child that runs. */
	char line[CAMPAIGN_PROGRESS_BYTES + 16];
	size_t n_line;
	int record_fd, stderr_fd; /* files in memory */
};

int measure_child_begin(struct measure_state *run, struct error *err)
{
	/* The parent writes files, and prints. */
	outputs_release(&run->options->outputs);
	run->options->verbosity = -1;
	run->options->runs = 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (run->options->child < 2)
		return 0;
	run->pipe = fdopen(PIPE_FD, "w");
	if (!run->pipe)
		return error_set(err, ERROR_USAGE, errno,
			"--child is for c2c's own use: %s", strerror(errno));
	return 0;
}

void measure_child_progress(FILE *pipe, double fraction, const char *text)
{
	fprintf(pipe, "%.4f %s\n", fraction, text);
	fflush(pipe);
}

int measure_child_save_record(const struct measure_state *run)
{
	struct error err;
	FILE *out = fdopen(RECORD_FD, "w");
	int rc = out ? result_write_json(&run->result, out, &err)
		     : error_set(&err, ERROR_USAGE, errno,
			       "--child is for c2c's own use: %s",
			       strerror(errno));

	if (out)
		fclose(out);
	return rc < 0 ? cli_fail(run->plan->command, &err) : STATUS_DONE;
}

static void draw_run_progress(const struct repeated_runs *runs)
{
	uint64_t n = runs->state.options->runs;
	char *rest, *text;
	double fraction = strtod(runs->line, &rest);

	text = text_format("run %zu of %" PRIu64 ",%s", runs->n + 1, n, rest);
	if (text)
		progress_draw(stderr, plot_terminal_of(stderr).columns,
			((double)runs->n + fraction) / (double)n, text);
	free(text);
}

static bool runs_on_output(void *context, const char *bytes, size_t n)
{
	struct repeated_runs *runs = context;

	for (size_t i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			if (runs->n_line < sizeof(runs->line) - 1)
				runs->line[runs->n_line++] = bytes[i];
			continue;
		}
		runs->line[runs->n_line] = '\0';
		runs->n_line = 0;
		draw_run_progress(runs);
	}
	return true;
}

/* The arguments of the next run; later ones override those before. */
static void name_arguments(struct repeated_runs *runs)
{
	const struct measure_options *options = runs->state.options;
	size_t n = 0;

	runs->argv[n++] = "c2c";
	runs->argv[n++] = (char *)runs->state.plan->command;
	for (int i = 1; i < options->argc; i++)
		runs->argv[n++] = options->argv[i];
	/* No argument follows the end of options, but ours do. */
	if (strcmp(runs->argv[n - 1], "--") == 0)
		n--;
	runs->argv[n++] = runs->state.show_progress ? "--child=2" : "--child=1";
	if (option_given(&options->given, "seed")) {
		snprintf(runs->seed, sizeof(runs->seed), "--seed=%" PRIu64,
			(options->seed + runs->n) & MEASURE_SEED_MAX);
		runs->argv[n++] = runs->seed;
	}
	/* All runs have the waiting loop that the first one chose. */
	if (runs->spin_hint_argument[0])
		runs->argv[n++] = runs->spin_hint_argument;
	runs->argv[n] = NULL;
}

static void keep_spin_hint_choice(struct repeated_runs *runs)
{
	const int *spin_hint = runs->state.plan->spin_hint;
	const char *word = facts_text(&runs->runs[0].options, "spin_hint");

	if (spin_hint && *spin_hint == MEASURE_HINT_AUTO && word)
		snprintf(runs->spin_hint_argument,
			sizeof(runs->spin_hint_argument), "--spin-hint=%s",
			word);
}

/* What is in a file in memory, for fclose(); NULL: nothing. */
static FILE *open_file(int fd)
{
	off_t bytes = lseek(fd, 0, SEEK_END);
	FILE *in = NULL;
	int copy;

	if (bytes > 0 && lseek(fd, 0, SEEK_SET) == 0) {
		copy = dup(fd);
		in = copy < 0 ? NULL : fdopen(copy, "r");
		if (!in && copy >= 0)
			close(copy);
	}
	return in;
}

/* What a child said on standard error, without the name of the command. */
static char *child_failure_text(const struct repeated_runs *runs, int status)
{
	char text[1024] = "", *end;
	const char *words = text;
	FILE *in = open_file(runs->stderr_fd);
	size_t n = in ? fread(text, 1, sizeof(text) - 1, in) : 0;
	char *prefix = text_format("c2c %s: ", runs->state.plan->command);

	if (in)
		fclose(in);
	text[n] = '\0';
	end = strchr(text, '\n');
	if (end)
		*end = '\0';
	text_make_utf8(text);
	if (prefix && strncmp(text, prefix, strlen(prefix)) == 0)
		words += strlen(prefix);
	free(prefix);
	if (*words)
		return strdup(words);
	return WIFSIGNALED(status)
		       ? text_format("it was ended by signal %d (%s)",
				 WTERMSIG(status), strsignal(WTERMSIG(status)))
		       : text_format("it ended with status %d",
				 WEXITSTATUS(status));
}

/* Take the record of a child; false: there is none. */
static bool take_record(struct repeated_runs *runs)
{
	struct result *run = &runs->runs[runs->n];
	FILE *in = open_file(runs->record_fd);
	bool taken = in && result_read(run, in, NULL) == 0;

	if (in)
		fclose(in);
	if (!taken)
		return false;
	/* One for all of them. */
	if (runs->hwloc_xml)
		free(run->hwloc_xml);
	else
		runs->hwloc_xml = run->hwloc_xml;
	run->hwloc_xml = NULL;
	runs->all[runs->n++] = run;
	return true;
}

static int start_run(struct repeated_runs *runs, struct child_end *end)
{
	const struct child_file files[] = {
		{CHILD_NULL, STDOUT_FILENO},
		{runs->stderr_fd, STDERR_FILENO},
		{CHILD_PIPE, PIPE_FD},
		{runs->record_fd, RECORD_FD},
	};
	const struct child child = {
		.argv = runs->argv,
		.file = "/proc/self/exe",
		.files = files,
		.n_files = sizeof(files) / sizeof(*files),
		.limit_s = INFINITY,
		.grace_s = GRACE_S,
		.stop = runs->stop,
		.on_output = runs_on_output,
		.on_halted = wait_notice_on_stopped,
		.context = runs,
	};

	runs->n_line = 0;
	if (ftruncate(runs->record_fd, 0) != 0 ||
		ftruncate(runs->stderr_fd, 0) != 0 ||
		lseek(runs->record_fd, 0, SEEK_SET) < 0 ||
		lseek(runs->stderr_fd, 0, SEEK_SET) < 0)
		return errno;
	name_arguments(runs);
	return child_run(&child, end);
}

/*
 * Make the next run. An enum exit_status: of a run without a record, or that
 * ended early, it is not STATUS_DONE, and no other run follows.
 */
static int make_run(struct repeated_runs *runs)
{
	struct child_end end = {.status = 0};
	int code = start_run(runs, &end), status;

	if (code) {
		struct error err;

		error_of_call(&err, code, "clone and execve",
			"c2c cannot start itself");
		runs->failure = strdup(err.text);
		return STATUS_FAILED;
	}
	status =
		WIFEXITED(end.status) ? WEXITSTATUS(end.status) : STATUS_FAILED;
	runs->interrupted = end.stopped || status == STATUS_INTERRUPTED;
	if (take_record(runs)) {
		if (runs->n == 1)
			keep_spin_hint_choice(runs);
		if (status == STATUS_DOES_NOT_HOLD)
			runs->state.plan->status = status;
		return status == STATUS_DOES_NOT_HOLD ? STATUS_DONE : status;
	}
	runs->lost = true;
	if (!runs->interrupted)
		runs->failure = child_failure_text(runs, end.status);
	return runs->interrupted       ? STATUS_INTERRUPTED
	       : status == STATUS_DONE ? STATUS_FAILED
				       : status;
}

static int make_runs(struct repeated_runs *runs)
{
	int status = STATUS_DONE;

	while (status == STATUS_DONE && runs->n < runs->state.options->runs)
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

/* Say what is wrong with the runs; their own records have the details. */
static bool warn_of_runs(
	const struct repeated_runs *runs, struct result *merged)
{
	uint64_t asked = runs->state.options->runs;
	size_t drifted = 0, warned = 0;
	const char *s = runs->n == 1 ? "" : "s";
	bool good = true;

	for (size_t r = 0; r < runs->n; r++) {
		drifted += runs->all[r]->run.verdict > RUN_AGREES;
		warned += runs->all[r]->run.n_warnings > 0;
	}
	if (runs->n < asked || !merged->complete)
		good &= warn_of_merged_runs(merged,
			text_format("%s in run %zu of %" PRIu64 "%s%s: what "
				    "was measured is kept, marked incomplete",
				runs->interrupted ? "interrupted" : "ended",
				runs->n + runs->lost, asked,
				runs->failure ? ": " : "",
				runs->failure ? runs->failure : ""));
	if (drifted)
		good &= warn_of_merged_runs(merged,
			text_format("%zu of %zu run%s did not agree with "
				    "%s: CPUs moved during a run, or "
				    "noise is as large as the differences "
				    "between pairs",
				drifted, runs->n, s,
				drifted == 1 ? "itself" : "themselves"));
	if (warned)
		good &= warn_of_merged_runs(merged,
			text_format("%zu of %zu run%s %s warnings of %s own: "
				    "see runs[].run.warnings in the record (-o "
				    "FILE.json)",
				warned, runs->n, s,
				warned == 1 ? "has" : "have",
				warned == 1 ? "its" : "their"));
	return good;
}

/* Make the record; the runs move into it. */
static int make_record(struct repeated_runs *runs, struct error *err)
{
	struct result *merged = &runs->state.result;
	struct result *base;
	int rc;

	for (size_t r = 1; r < runs->n; r++) {
		if (!cpu_list_same(&runs->runs[r].cpus, &runs->runs[0].cpus))
			return error_set(err, ERROR_FAILURE, EINVAL,
				"run %zu had other CPUs than the first one: "
				"CPUs went on- or offline meanwhile",
				r + 1);
	}
	rc = runs_merge(merged, runs->all, runs->n, err);
	if (rc < 0)
		return rc;
	merged->hwloc_xml = runs->hwloc_xml;
	runs->hwloc_xml = NULL;
	facts_set_count(
		&merged->options, "runs", (int64_t)runs->state.options->runs);
	if (runs->n < runs->state.options->runs)
		merged->complete = false;
	rc = runs->n > 1 ? runs_add_deviations(merged, runs->all, runs->n, err)
			 : 0;
	if (rc == 0 && runs->state.plan->merged)
		rc = runs->state.plan->merged(merged, err);
	if (rc == 0 && !warn_of_runs(runs, merged))
		rc = error_no_memory(err, "the warnings");
	base = runs->runs;
	merged->runs = base;
	merged->n_runs = runs->n;
	runs->runs = NULL;
	return rc;
}

static void release_repeated_runs(struct repeated_runs *runs)
{
	for (size_t r = 0; runs->runs && r < runs->n; r++)
		result_release(&runs->runs[r]);
	free(runs->runs);
	free(runs->all);
	free(runs->argv);
	free(runs->failure);
	free(runs->hwloc_xml);
	if (runs->record_fd >= 0)
		close(runs->record_fd);
	if (runs->stderr_fd >= 0)
		close(runs->stderr_fd);
	result_release(&runs->state.result);
	machine_free(runs->state.machine);
}

static int prepare_repeated_runs(struct repeated_runs *runs, struct error *err)
{
	struct measure_state *state = &runs->state;
	int rc = measure_check_outputs(state, err);

	if (rc < 0)
		return rc;
	runs->record_fd = child_memory_file("record");
	if (runs->record_fd >= 0)
		runs->stderr_fd = child_memory_file("said");
	if (runs->record_fd < 0 || runs->stderr_fd < 0)
		return error_of_call(
			err, errno, "memfd_create", "no file for the runs");
	/* Its name, two words, --child, --seed, --spin-hint, and NULL. */
	runs->argv = calloc((size_t)state->options->argc + 6, sizeof(char *));
	runs->all = calloc(state->options->runs, sizeof(void *));
	runs->runs = calloc(state->options->runs, sizeof(*runs->runs));
	if (!runs->argv || !runs->all || !runs->runs)
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
		.state = {.options = options, .plan = plan},
		.record_fd = -1,
		.stderr_fd = -1,
	};
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
	if (runs.n > 0)
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
