/*
 * The parent of c2c cl: it runs a process for the list of devices and for each
 * test of each device, and collects their results.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cl/cl_summary.h"
#include "cmd/cl/cmd_cl.h"
#include "cmd/cli.h"
#include "cmd/wait_notice.h"
#include "commands.h"
#include "job/job.h"
#include "util/progress.h"
#include "util/text.h"

/* Options that c2c adds to the user's for a child: list at most this many. */
#define MOST_OWN 4

/* Time between asking a child to end and killing the child. */
#define CHILD_GRACE_S 5.0

static void cl_draw_progress(void *context, const char *line)
{
	const struct cl_state *state = context;
	bool all = strcmp(state->arguments->test, "all") == 0;
	size_t at = 0, n = 0;
	char place[48] = "", text[64];

	if (!state->show_progress)
		return;
	if (!state->test) {
		cli_draw_progress(strtod(line, NULL), "compiling kernels");
		return;
	}
	for (size_t i = 0; test_table[i]; i++) {
		n += cl_test_is_wanted(state->arguments, test_table[i]);
		at = test_table[i] == state->test ? n : at;
	}
	if (all)
		snprintf(place, sizeof(place), ", %zu of %zu", at, n);
	else if (state->arguments->runs > 1)
		snprintf(place, sizeof(place), ", run %zu of %" PRIu64,
			state->run + 1, state->arguments->runs);
	snprintf(text, sizeof(text), "%s%s", state->test->name, place);
	cli_draw_progress(strtod(line, NULL), text);
}

static void report_stop_request(void *context)
{
	const struct cl_state *state = context;

	if (state->show_progress)
		progress_clear(stderr);
	if (state->test && state->arguments->verbosity >= 0)
		cli_notify("cl",
			"%s has %.0f s to save its results; another interrupt "
			"ends c2c at once",
			state->test->name, CHILD_GRACE_S);
}

/* Make a folder for compiled kernels. remove_folder() removes it. */
static int make_folder(struct cl_state *state, struct error *err)
{
	const char *folder = getenv("TMPDIR");
	char *path = text_format(
		"%s/c2c-cl-XXXXXX", folder && *folder ? folder : "/tmp");

	if (!path)
		return error_no_memory(err, "the folder for compiled kernels");
	if (mkdtemp(path)) {
		state->folder = path;
		return 0;
	}
	error_set(err, ERROR_FAILURE, errno,
		"cannot use the folder for compiled kernels, '%s': %s (set "
		"TMPDIR to another)",
		path, strerror(errno));
	free(path);
	return -err->code;
}

static void remove_folder(struct cl_state *state)
{
	if (state->folder)
		child_remove_folder(state->folder);
	free(state->folder);
	state->folder = NULL;
}

/*
 * Return the arguments of a child, for free(): the user's, and then own[n],
 * which override them. NULL: no memory.
 */
static char **list_child_arguments(
	const struct cl_arguments *arguments, char *const *own, size_t n)
{
	char **all = calloc((size_t)arguments->argc + n + 3, sizeof(*all));
	size_t k = 0;

	if (!all)
		return NULL;
	all[k++] = "c2c";
	all[k++] = "cl";
	for (int i = 1; i < arguments->argc; i++) {
		char *argument = arguments->argv[i];

		/* Options of the child cannot follow these. */
		if (argument != arguments->test && strcmp(argument, "--") != 0)
			all[k++] = argument;
	}
	memcpy(all + k, own, n * sizeof(*own));
	all[k + n] = (char *)arguments->test;
	return all;
}

/* Run a child. what: its value of --child. */
static int run_cl_child(struct cl_state *state, const char *what,
	struct job_outcome *outcome, struct error *err)
{
	const struct cl_arguments *arguments = state->arguments;
	char *own[MOST_OWN] = {text_format("--child=%s", what),
		text_format("--cpus=%s", state->cpus_text)};
	size_t n = 2;
	struct job job = {
		.child = {.limit_s = state->device ? arguments->limit_s
						   : arguments->list_limit_s,
			.grace_s = CHILD_GRACE_S,
			.stop = state->stop,
			.folder = state->folder,
			.on_line = cl_draw_progress,
			.on_stop = report_stop_request,
			.on_halted = wait_notice_on_stopped,
			.context = state},
		.who = "the process that called OpenCL",
	};
	char **argv = NULL;
	bool failed = false;
	int rc;

	if (state->device)
		own[n++] = text_format(
			"--device=%.0f", facts_number(state->device, "index"));
	if (strcmp(arguments->test, "all") == 0)
		own[n++] = text_format("--shared=%s", state->folder);
	for (size_t i = 0; i < n; i++)
		failed = failed || !own[i];
	if (!failed)
		argv = list_child_arguments(arguments, own, n);
	job.child.argv = argv;
	rc = argv ? job_run(&job, outcome, err)
		  : error_no_memory(err, "the arguments of a test");
	free(argv);
	while (n > 0)
		free(own[--n]);
	return rc;
}

/* Append the user's variables to the error "no device". */
static void add_environment_hint(
	const struct cl_state *state, struct error *err)
{
	const struct record_list set =
		record_find_list(&state->environment, "environment");

	for (size_t i = 0; i < set.n; i++) {
		const struct facts row = record_list_row(&set, i);

		if (strcmp(facts_text(&row, "by"), "user") == 0)
			error_set(err, err->class, err->code, "%s; %s is '%s'",
				err->text, facts_text(&row, "name"),
				facts_text(&row, "value"));
	}
}

static int query_devices(struct cl_state *state, struct error *err)
{
	struct job_outcome outcome = {0};
	struct record_list warnings;
	char *there;
	int rc = run_cl_child(state, "list", &outcome, err);

	if (rc == -ETIMEDOUT || rc == -ECHILD) {
		there = opencl_list_implementations();
		error_set(err, err->class, err->code,
			"c2c cannot list the devices: %s; installed: %s; "
			"OCL_ICD_VENDORS=FILE.icd selects one of them",
			err->text, there ? there : "?");
		free(there);
	}
	if (rc < 0)
		cl_explain_memory_limit(err);
	if (rc == -ENODEV)
		add_environment_hint(state, err);
	if (rc == 0) {
		state->found = outcome.found;
		outcome.found = (struct record){0};
		warnings = record_find_list(&state->found, "warnings");
		for (size_t i = 0; i < warnings.n; i++)
			run_facts_warn(&state->result.run,
				record_list_text(&warnings, i));
		cl_print_warnings(state);
	}
	job_outcome_release(&outcome);
	return rc;
}

/* Prepare the environment, the devices and the CPUs before the first test. */
static int cl_prepare_run(struct cl_state *state, struct error *err)
{
	const struct cl_arguments *arguments = state->arguments;
	struct run_facts *run = &state->result.run;
	int rc = opencl_available(err);

	if (rc == 0 && strcmp(arguments->test, "list") != 0)
		rc = cl_check_plan(arguments, run, err);
	cl_print_warnings(state);
	if (rc == 0)
		rc = outputs_check_writable(&arguments->outputs, "-o", err);
	if (rc == 0)
		rc = machine_new(&state->machine, err);
	if (rc == 0)
		rc = machine_select(state->machine, arguments->cpus_text,
			MACHINE_PER_PU, &state->cpus, err);
	if (rc < 0 && state->machine)
		error_prefix(err, "--cpus");
	if (rc < 0)
		return rc;
	state->cpus_text = cpu_list_format(&state->cpus);
	if (!state->cpus_text)
		return error_no_memory(err, "the CPUs");
	rc = cl_resume_load(state, err);
	if (rc == 0)
		rc = make_folder(state, err);
	if (rc == 0)
		rc = opencl_set_environment(
			&state->cpus, state->folder, &state->environment, err);
	facts_append(&run->other, &state->environment.facts);
	return rc < 0 ? rc : query_devices(state, err);
}

static void cl_release_state(struct cl_state *state)
{
	remove_folder(state);
	record_release(&state->found);
	record_release(&state->environment);
	free(state->parts);
	result_release(&state->result);
	result_release(&state->resumed);
	free(state->cpus_text);
	cpu_list_release(&state->cpus);
	machine_free(state->machine);
}

static void report_test_failure(
	struct cl_state *state, struct error *why, int *status)
{
	bool several = strcmp(state->arguments->test, "all") == 0 ||
		       cl_has_several_devices(state);

	cl_prefix_error(state, state->device, state->test->name, why);
	cli_fail("cl", why);
	if (why->code == EINTR)
		state->interrupted = true;
	/* With several devices, a test that one cannot run does not fail. */
	else if (why->class != ERROR_UNAVAILABLE || !several)
		*status = (int)why->class;
}

/* If the run has many tests, print the findings after each test. */
static void report_test_figure(const struct cl_state *state)
{
	const struct cl_arguments *arguments = state->arguments;
	bool several = cl_has_several_devices(state);
	char name[CL_NAME_BYTES], *text;

	if (strcmp(arguments->test, "all") != 0 || arguments->verbosity < 0)
		return;
	cl_name_device(state->device, name);
	text = cl_summary_text(&state->result,
		&state->parts[state->n_parts - 1], state->test,
		arguments->cpus_text != NULL);
	if (text)
		cli_notify("cl", "%s%s%s: %s", state->test->name,
			several ? " on " : "", several ? name : "", text);
	free(text);
}

static int run_test(struct cl_state *state, int *status, struct error *err)
{
	struct job_outcome outcome = {0};
	double start_s = timebase_raw_s();
	struct error why;
	size_t n = 0;
	int rc = run_cl_child(state, state->test->name, &outcome, &why),
	    recorded;

	state->test_s = timebase_raw_s() - start_s;
	if (state->show_progress)
		progress_clear(stderr);
	if (outcome.measured)
		n = cl_count_points(&outcome.result);
	if (rc < 0 && why.class == ERROR_FAILURE)
		cl_suggest_remedy(state, &why);
	if (rc < 0 && n > 0)
		error_set(&why, why.class, why.code,
			"%s; its earlier results are kept: %zu point%s",
			why.text, n, n == 1 ? "" : "s");
	/* The text may contain a path of any bytes, but JSON needs UTF-8. */
	if (rc < 0)
		text_make_utf8(why.text);
	recorded =
		cl_record_test(state, outcome.measured ? &outcome.result : NULL,
			rc < 0 ? &why : NULL, err);
	job_outcome_release(&outcome);
	if (state->arguments->verbosity > 0)
		cli_notify("cl", "%s: %zu points in %.1f s", state->test->name,
			n, state->test_s);
	if (recorded == 0 && rc < 0)
		report_test_failure(state, &why, status);
	else if (recorded == 0)
		report_test_figure(state);
	return recorded;
}

/* Record a test that the user's interrupt prevented. */
static int skip_test(struct cl_state *state, struct error *err)
{
	struct error why;

	error_set(&why, ERROR_FAILURE, ECANCELED,
		"not run because of the interrupt");
	state->test_s = 0;
	return cl_record_test(state, NULL, &why, err);
}

static void print_device_settings(const struct cl_state *state)
{
	const struct test_options *options = &state->arguments->options;
	const struct record_list set =
		record_find_list(&state->environment, "environment");
	struct text_list list = {.text = NULL};
	char name[CL_NAME_BYTES], *text;

	cl_name_device(state->device, name);
	text_list_add(&list, "",
		"%s, CPUs %s; %" PRIu64 " runs of a point after %" PRIu64, name,
		state->cpus_text, options->repeat, options->discard);
	for (size_t i = 0; i < set.n; i++) {
		const struct facts row = record_list_row(&set, i);

		text_list_add(&list, "; ", "%s=%s", facts_text(&row, "name"),
			facts_text(&row, "value"));
	}
	text = text_list_end(&list);
	cli_notify("cl", "%s", text ? text : "no memory to say it");
	free(text);
}

/* Return whether a test that has to run compiles long. */
static bool a_test_compiles_long(const struct cl_state *state)
{
	for (size_t i = 0; test_table[i]; i++) {
		if (test_table[i]->compiles_long &&
			cl_test_is_missing(state, state->device, test_table[i]))
			return true;
	}
	return false;
}

/*
 * Compile kernels in parallel: of all tests if the device compiles on several
 * CPUs, else only of tests that compile long. If a kernel fails to compile
 * here, its test fails too and reports the error.
 */
static void compile_tests_ahead(struct cl_state *state)
{
	/* The last test of a resumed run compiles its own kernels. */
	bool all = strcmp(state->arguments->test, "all") == 0 &&
		   cl_count_missing(state, state->device) > 1 &&
		   strcmp(facts_text(state->device, "type"), "cpu") == 0;
	struct job_outcome outcome = {0};
	struct error ignored;

	state->test = NULL;
	if (state->cpus.n < 2 || (!all && !a_test_compiles_long(state)))
		return;
	if (run_cl_child(state, all ? "all" : "long", &outcome, &ignored) == 0)
		cl_record_ahead(&state->result.run.other, &outcome.found.facts);
	if (state->show_progress)
		progress_clear(stderr);
	job_outcome_release(&outcome);
}

/*
 * Run a test, unless the resumed record has it or an interrupt came first.
 * After an interrupt, keep what the resumed record has.
 */
static int run_missing_test(
	struct cl_state *state, int *status, struct error *err)
{
	struct record *found =
		cl_resume_find(state, state->device, state->test);

	if (cl_resume_has_ended(found))
		return cl_resume_test(state, found, err);
	if (!atomic_load_explicit(state->stop, memory_order_relaxed))
		return run_test(state, status, err);
	state->interrupted = true;
	return found ? cl_resume_test(state, found, err)
		     : skip_test(state, err);
}

static int measure_device(
	struct cl_state *state, int *status, struct error *err)
{
	int rc = 0;

	state->device = &state->parts[state->n_parts].device;
	state->parts[state->n_parts++].first_curve = state->result.n_curves;
	if (state->arguments->verbosity > 0)
		print_device_settings(state);
	compile_tests_ahead(state);
	for (size_t i = 0; rc == 0 && test_table[i]; i++) {
		state->test = test_table[i];
		if (cl_test_is_wanted(state->arguments, state->test))
			rc = run_missing_test(state, status, err);
	}
	return rc;
}

static int cl_measure_run(
	struct cl_state *state, int *status, struct error *err)
{
	double start_s = timebase_raw_s();
	int rc = cl_record_begin(state, err);

	if (rc == 0)
		rc = cl_resume_check(state, err);
	state->n_parts = 0;
	while (rc == 0 && state->n_parts < state->n_chosen)
		rc = measure_device(state, status, err);
	if (rc == 0)
		*status =
			cl_end_run(state, *status, timebase_raw_s() - start_s);
	return rc;
}

static bool warn_once(struct result *result, const char *text)
{
	for (size_t i = 0; i < result->run.n_warnings; i++) {
		if (text_same(result->run.warnings[i], text))
			return true;
	}
	return text && run_facts_warn(&result->run, text);
}

/* Merge the warnings of the runs in the order of the runs. */
static bool merge_run_warnings(struct result *merged)
{
	bool taken = true;

	for (size_t r = 0; r < merged->n_runs; r++) {
		const struct run_facts *run = &merged->runs[r].run;

		for (size_t i = 0; i < run->n_warnings; i++)
			taken &= warn_once(merged, run->warnings[i]);
	}
	return taken;
}

static bool warn_incomplete(struct result *merged, size_t n, uint64_t asked)
{
	char *text = text_format("ended in run %zu of %" PRIu64 ": its "
				 "results are kept, marked incomplete",
		n, asked);
	bool warned = warn_once(merged, text);

	free(text);
	return warned;
}

static int merge_cl_runs(struct cl_state *state, struct error *err)
{
	uint64_t asked = state->arguments->runs;
	struct result *merged = &state->result;
	int rc = job_merge_runs(merged, asked, err);

	state->parts->n_curves = merged->n_curves;
	if (rc == 0 &&
		(merged->options.failed || !merge_run_warnings(merged) ||
			(!merged->complete && !warn_incomplete(merged,
						      state->run + 1, asked))))
		rc = error_no_memory(err, "the record of the runs");
	return rc;
}

/* --runs: stop if a run fails, or if the device cannot run the test. */
static int cl_measure_runs(
	struct cl_state *state, int *status, struct error *err)
{
	struct result *result = &state->result, *run, merged;
	bool last = false;
	int rc = 0;

	result_init(&merged);
	while (rc == 0 && !last) {
		state->run = merged.n_runs;
		rc = cl_measure_run(state, status, err);
		last = state->run + 1 == state->arguments->runs ||
		       !result->complete || *status == STATUS_UNAVAILABLE;
		/* All runs have the same topology. */
		if (state->run > 0) {
			free(result->hwloc_xml);
			result->hwloc_xml = NULL;
		}
		/* A run without figures adds nothing to the others. */
		if (rc < 0 || (state->run > 0 && result->n_curves == 0))
			break;
		run = result_add_run(&merged);
		if (!run) {
			rc = error_no_memory(err, "the runs");
			break;
		}
		*run = *result;
		result_init(result);
		facts_append(&result->run.other, &state->environment.facts);
	}
	result_release(result);
	*result = merged;
	return rc < 0 ? rc : merge_cl_runs(state, err);
}

/* Report how often c2c spends the budget: for each test of each run. */
static int pass_cl_check(const struct cl_arguments *arguments)
{
	uint64_t tests = 0;

	for (size_t i = 0; test_table[i]; i++)
		tests += cl_test_is_wanted(arguments, test_table[i]);
	return outputs_pass_check("cl",
		option_given(&arguments->given, "budget")
			? arguments->options.budget_s
			: NAN,
		tests * arguments->runs);
}

static int cl_measure_devices(struct cl_state *state)
{
	int status = STATUS_DONE, rc;
	struct error err;

	rc = cl_choose_devices(state, &err);
	if (rc == 0 && outputs_are_checked(&state->arguments->outputs))
		return pass_cl_check(state->arguments);
	if (rc == 0)
		rc = state->arguments->runs > 1
			     ? cl_measure_runs(state, &status, &err)
			     : cl_measure_run(state, &status, &err);
	if (rc < 0)
		return cli_fail("cl", &err);
	/* An interrupt during drawing ends c2c, so remove the folder first. */
	remove_folder(state);
	return cl_finish(state, status);
}

static int list_devices(const struct cl_state *state)
{
	const struct record_list devices =
		record_find_list(&state->found, "devices");
	struct error err;

	if (!state->arguments->json)
		cl_print_devices(&devices);
	else if (record_print_list(&devices, stdout, &err) < 0)
		return cli_fail("cl", &err);
	return STATUS_DONE;
}

int cl_parent_main(const struct cl_arguments *arguments)
{
	struct cl_state state = {.arguments = arguments};
	struct error err;
	int status;

	result_init(&state.result);
	result_init(&state.resumed);
	state.show_progress =
		arguments->verbosity >= 0 && progress_can_be_drawn(stderr);
	state.stop = cli_catch_signals();
	if (cl_prepare_run(&state, &err) < 0) {
		status = cli_fail("cl", &err);
		if (err.code == EINTR)
			status = STATUS_INTERRUPTED;
	} else if (strcmp(arguments->test, "list") == 0) {
		status = list_devices(&state);
	} else {
		status = cl_measure_devices(&state);
	}
	cl_release_state(&state);
	return status;
}
