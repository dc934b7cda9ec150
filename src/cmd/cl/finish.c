/*
 * What comes after the tests of c2c cl: what must be told, the files, the text,
 * the exit status.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cl/run.h"
#include "cmd/cli.h"
#include "cmd/outputs.h"
#include "commands.h"
#include "result/file.h"

void cl_tell_warnings(struct cl_state *state)
{
	for (; state->n_told < json_array_size(state->warnings);
		state->n_told++) {
		if (state->arguments->verbosity >= 0)
			cli_warn("cl", "%s",
				json_string_value(json_array_get(
					state->warnings, state->n_told)));
	}
}

void cl_prefix(const struct cl_state *state, const json_t *device,
	const char *test, struct error *err)
{
	char name[CL_NAME_BYTES];

	cl_name_device(device, name);
	error_prefix(err, "%s%s%s", test, cl_has_several(state) ? " on " : "",
		cl_has_several(state) ? name : "");
}

/* What must not be missed: figures that are none, threads that ran elsewhere.
 */
static int judge(const struct cl_state *state, int status)
{
	size_t i, j;
	const json_t *row, *text;

	json_array_foreach(state->tests, i, row)
	{
		const json_t *device = json_object_get(row, "device");
		const char *test =
			json_string_value(json_object_get(row, "test"));
		const json_t *rejected = json_object_get(row, "rejected");
		const json_t *asked =
			json_object_get(row, "threads_where_asked");

		json_array_foreach(rejected, j, text)
		{
			struct error err;

			error_set(&err, ERROR_FAILURE, ERANGE, "no result: %s",
				json_string_value(text));
			cl_prefix(state, device, test, &err);
			status = cli_fail("cl", &err);
		}
		if (json_is_false(asked) && state->arguments->cpus_text) {
			struct error err;

			error_set(&err, ERROR_FAILURE, EXDEV,
				"--cpus %s: the threads of this implementation "
				"could not be kept there",
				state->arguments->cpus_text);
			cl_prefix(state, device, test, &err);
			status = cli_fail("cl", &err);
		}
		json_array_foreach(json_object_get(row, "notes"), j, text)
		{
			json_array_append(state->warnings, (json_t *)text);
		}
	}
	return status;
}

static int print(struct cl_state *state)
{
	struct error err;
	int rc = state->arguments->json
			 ? result_write_json(&state->result, stdout, &err)
			 : cl_print_result(&state->result, state->parts,
				   state->n_parts, &err);

	if (rc < 0)
		return cli_fail("cl", &err);
	cl_tell_warnings(state);
	if (state->arguments->verbosity >= 0)
		cli_warn_of_machine("cl", machine_facts(state->machine));
	return STATUS_DONE;
}

/* Whether there is more to tell than an interrupt, or what was wrong. */
static bool is_worth_a_record(const struct cl_state *state, int status)
{
	const json_t *row;
	size_t i;

	if (state->result.n_curves > 0)
		return true;
	if (status == STATUS_USAGE)
		return false;
	json_array_foreach(state->tests, i, row)
	{
		const char *how =
			json_string_value(json_object_get(row, "status"));

		if (strcmp(how, "interrupted") != 0 &&
			strcmp(how, "not run") != 0)
			return true;
	}
	return false;
}

/* After an interrupt: what was not begun, and where the rest is. */
static void tell_interrupt(const struct cl_state *state, int saved)
{
	const struct outputs *outputs = &state->arguments->outputs;
	const json_t *row;
	size_t i, n = 0;

	json_array_foreach(state->tests, i, row)
	{
		n += strcmp(json_string_value(json_object_get(row, "status")),
			     "not run") == 0;
	}
	if (n > 0)
		fprintf(stderr, "c2c cl: %zu test%s not run\n", n,
			n == 1 ? " was" : "s were");
	for (i = 0; saved == STATUS_DONE && i < outputs->n; i++)
		fprintf(stderr, "%s%s",
			i ? ", " : "c2c cl: saved: ", outputs->paths[i]);
	if (saved == STATUS_DONE && i > 0)
		fputs(", marked incomplete\n", stderr);
}

static int save(const struct cl_state *state)
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

int cl_finish(struct cl_state *state, int status)
{
	const struct cl_arguments *arguments = state->arguments;
	int saved, printed = STATUS_DONE;
	const json_t *text;
	size_t i;

	status = judge(state, status);
	json_array_foreach(state->warnings, i, text)
	{
		run_facts_warn(&state->result.run, json_string_value(text));
	}
	if (!is_worth_a_record(state, status)) {
		if (state->interrupted)
			fputs("c2c cl: ended before anything was measured; "
			      "nothing was written\n",
				stderr);
		return state->interrupted ? STATUS_INTERRUPTED : status;
	}
	/* Gaps that are no failure beside what was measured. */
	if (status == STATUS_DONE && state->result.n_curves == 0)
		status = STATUS_UNAVAILABLE;
	saved = save(state);
	if (state->result.n_curves > 0 || arguments->json)
		printed = print(state);
	if (state->interrupted) {
		if (arguments->verbosity >= 0)
			tell_interrupt(state, saved);
		return STATUS_INTERRUPTED;
	}
	if (status != STATUS_DONE)
		return status;
	return saved != STATUS_DONE ? saved : printed;
}
