/* The steps of c2c cl after the tests: warnings, files, text, exit status. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cl/cmd_cl.h"
#include "cmd/cli.h"
#include "commands.h"
#include "result/file.h"
#include "util/text.h"

void cl_print_warnings(struct cl_state *state)
{
	const struct run_facts *run = &state->result.run;

	for (; state->n_warnings_printed < run->n_warnings;
		state->n_warnings_printed++) {
		if (state->arguments->verbosity >= 0)
			cli_warn("cl", "%s",
				run->warnings[state->n_warnings_printed]);
	}
}

void cl_prefix_error(const struct cl_state *state, const struct facts *device,
	const char *test, struct error *err)
{
	char name[CL_NAME_BYTES];

	cl_name_device(device, name);
	error_prefix(err, "%s%s%s", test,
		cl_has_several_devices(state) ? " on " : "",
		cl_has_several_devices(state) ? name : "");
}

const struct facts *cl_device_of_test(
	const struct cl_state *state, const struct record *test)
{
	size_t i = 0;

	while (i + 1 < state->n_chosen &&
		facts_number(&state->parts[i].device, "index") !=
			facts_number(&test->facts, "device.index"))
		i++;
	return &state->parts[i].device;
}

static int fail_test(const struct cl_state *state, const struct record *test,
	struct error *err)
{
	cl_prefix_error(state, cl_device_of_test(state, test),
		facts_text(&test->facts, "test"), err);
	return cli_fail("cl", err);
}

static size_t count_tests(const struct cl_state *state, const char *status)
{
	const struct run_facts *run = &state->result.run;
	size_t n = 0;

	for (size_t i = 0; i < run->n_tests; i++)
		n += strcmp(facts_text(&run->tests[i].facts, "status"),
			     status) == 0;
	return n;
}

/* Report rejected figures, and threads that ran elsewhere. */
static int report_rejected_tests(struct cl_state *state, int status)
{
	struct run_facts *run = &state->result.run;
	struct error err;

	for (size_t i = 0; i < run->n_tests; i++) {
		const struct record *test = &run->tests[i];
		const struct record_list rejected =
			record_find_list(test, "rejected");
		const struct record_list notes =
			record_find_list(test, "notes");

		for (size_t j = 0; j < rejected.n; j++) {
			error_set(&err, ERROR_FAILURE, ERANGE, "no result: %s",
				record_list_text(&rejected, j));
			status = fail_test(state, test, &err);
		}
		if (facts_find(&test->facts, "threads_where_asked") &&
			!record_has_flag(test, "threads_where_asked") &&
			state->arguments->cpus_text) {
			error_set(&err, ERROR_FAILURE, EXDEV,
				"--cpus %s: c2c could not keep this "
				"implementation's threads on these CPUs",
				state->arguments->cpus_text);
			status = fail_test(state, test, &err);
		}
		for (size_t j = 0; j < notes.n; j++)
			run_facts_warn(run, record_list_text(&notes, j));
	}
	return status;
}

static void end_record(struct cl_state *state, double elapsed_s)
{
	static const char *const keys[][2] = {{"device", "name"},
		{"device_type", "type"}, {"platform", "platform"}};
	struct result *result = &state->result;

	result->elapsed_s = elapsed_s;
	if (!isnan(result->run.resumed_elapsed_s))
		result->elapsed_s += result->run.resumed_elapsed_s;
	/* A record without tests that the device cannot run is complete. */
	result->complete = result->complete &&
			   count_tests(state, "done") +
					   count_tests(state, "unavailable") ==
				   result->run.n_tests;
	/* With several devices, names of curves include the device. */
	for (size_t i = 0; i < 3 && !cl_has_several_devices(state); i++)
		facts_set_text(&result->run.other, keys[i][0],
			facts_text(&state->parts->device, keys[i][1]));
}

static int print_cl_outcome(struct cl_state *state)
{
	struct error err;
	int rc = state->arguments->json
			 ? result_write_json(&state->result, stdout, &err)
			 : cl_print_result(state, &err);

	if (rc < 0)
		return cli_fail_output("cl", &err);
	cl_print_warnings(state);
	if (state->arguments->verbosity >= 0)
		cli_warn_of_machine("cl", machine_facts(state->machine));
	return STATUS_DONE;
}

static bool has_figures(const struct result *result)
{
	return result->n_curves > 0 || result->n_matrices > 0;
}

/* Return whether there are figures, or more than an interrupt or bad usage. */
static bool is_worth_recording(const struct cl_state *state, int status)
{
	return has_figures(&state->result) ||
	       (status != STATUS_USAGE &&
		       count_tests(state, "interrupted") +
				       count_tests(state, "not run") <
			       state->result.run.n_tests);
}

/* Print how to continue, if a file has the record. */
static void suggest_resume(const struct cl_state *state)
{
	const struct outputs *outputs = &state->arguments->outputs;
	enum file_format format;
	size_t i = 0;

	while (i < outputs->n &&
		(file_format_of(outputs->paths[i], &format, NULL) < 0 ||
			format != FILE_JSON))
		i++;
	if (i < outputs->n && strcmp(state->arguments->test, "all") == 0)
		cli_notify("cl",
			"to run the other tests, add --resume %s to the "
			"command",
			outputs->paths[i]);
}

/* After an interrupt, report tests that did not run and saved files. */
static void report_interrupt(const struct cl_state *state, int saved)
{
	const struct outputs *outputs = &state->arguments->outputs;
	size_t n = count_tests(state, "not run");
	struct text_list files = {.text = NULL};
	char *text;

	if (n > 0)
		cli_notify("cl", "%zu test%s not run", n,
			n == 1 ? " was" : "s were");
	for (size_t i = 0; i < outputs->n; i++)
		text_list_add(&files, ", ", "%s", outputs->paths[i]);
	text = text_list_end(&files);
	if (saved == STATUS_DONE && text && *text)
		cli_notify("cl", "saved: %s, marked incomplete", text);
	free(text);
	if (saved == STATUS_DONE)
		suggest_resume(state);
}

static int save_cl_record(const struct cl_state *state)
{
	struct output_contents contents = {
		.command = "cl",
		.option = "-o",
		.verbosity = state->arguments->verbosity,
		.result = &state->result,
		.measured = true,
		.interrupted = state->interrupted,
		.drawn = &state->result,
	};

	plot_options_init(&contents.plot);
	return outputs_save(&state->arguments->outputs, &contents);
}

int cl_end_run(struct cl_state *state, int status, double elapsed_s)
{
	end_record(state, elapsed_s);
	return report_rejected_tests(state, status);
}

int cl_finish(struct cl_state *state, int status)
{
	const struct cl_arguments *arguments = state->arguments;
	int saved, printed = STATUS_DONE;

	if (!is_worth_recording(state, status)) {
		if (state->interrupted)
			cli_notify("cl",
				"ended before anything was measured; nothing "
				"was written");
		return state->interrupted ? STATUS_INTERRUPTED : status;
	}
	/* A run with figures does not fail because of gaps. */
	if (status == STATUS_DONE && !has_figures(&state->result))
		status = STATUS_UNAVAILABLE;
	saved = save_cl_record(state);
	if (has_figures(&state->result) || arguments->json)
		printed = print_cl_outcome(state);
	if (state->interrupted) {
		if (arguments->verbosity >= 0)
			report_interrupt(state, saved);
		/* Lost results have priority over the status of the run. */
		return saved == STATUS_FAILED ? saved : STATUS_INTERRUPTED;
	}
	if (status != STATUS_DONE)
		return status;
	return saved != STATUS_DONE ? saved : printed;
}
