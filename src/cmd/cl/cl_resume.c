/*
 * --resume: continue an interrupted c2c cl all from its record. c2c runs only
 * missing tests, and moves the results of other tests from the record.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cl/cmd_cl.h"
#include "cmd/cli.h"
#include "cmd/resume_record.h"
#include "util/array.h"
#include "util/text.h"

static int refuse_difference(struct error *err, const char *of, const char *key,
	const struct fact *there, const struct fact *here)
{
	char *then = fact_words(there), *now = fact_words(here);

	error_set(err, ERROR_USAGE, EINVAL,
		"its %s %s is %s, and this run's is %s", of, key,
		then ? then : "?", now ? now : "?");
	free(then);
	free(now);
	return -EINVAL;
}

/* facts_compare() calls this for each option that differs. */
static int refuse_other_option(void *context, const char *key,
	const struct fact *there, const struct fact *here)
{
	/* A test that reached its limit may have a larger limit. */
	if (strcmp(key, "limit_s") == 0)
		return 0;
	return refuse_difference(context, "option", key, there, here);
}

static int check_resumed_options(
	const struct cl_state *state, struct error *err)
{
	const struct facts *there = &state->resumed.options;
	struct facts here = {.n = 0};
	int rc;

	if (!text_same(facts_text(there, "method"), "all"))
		return error_set(err, ERROR_USAGE, EINVAL,
			"it is not a record of c2c cl all");
	cl_record_run_options(state, &here);
	rc = here.failed
		     ? error_no_memory(err, "the options")
		     : facts_compare(there, &here, refuse_other_option, err);
	facts_release(&here);
	return rc;
}

int cl_resume_load(struct cl_state *state, struct error *err)
{
	const char *path = state->arguments->resume, *version;
	int rc;

	if (!path)
		return 0;
	rc = resume_load(
		&state->resumed, path, "cl", &state->arguments->outputs, err);
	if (rc < 0)
		return rc;
	version = facts_text(&state->resumed.tool, "version");
	if (text_same(version, PACKAGE_VERSION))
		rc = check_resumed_options(state, err);
	else
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"its version of c2c is %s, and this run's "
			"is " PACKAGE_VERSION,
			version ? version : "unknown");
	if (rc < 0)
		error_prefix(err, "--resume: '%s'", path);
	return rc;
}

/* Return the variables that the user set: "A=1, B=2"; NULL: no memory. */
static char *list_user_variables(const struct facts *facts)
{
	const struct record record = {*facts};
	const struct record_list set = record_find_list(&record, "environment");
	struct text_list list = {.text = NULL};

	for (size_t i = 0; i < set.n; i++) {
		const struct facts row = record_list_row(&set, i);
		const char *name = facts_text(&row, "name");
		const char *value = facts_text(&row, "value");

		if (text_same(facts_text(&row, "by"), "user") && name && value)
			text_list_add(&list, ", ", "%s=%s", name, value);
	}
	return text_list_end(&list);
}

static int check_variables(const struct cl_state *state, struct error *err)
{
	char *there = list_user_variables(&state->resumed.run.other);
	char *here = list_user_variables(&state->environment.facts);
	int rc = 0;

	if (!there || !here)
		rc = error_no_memory(err, "the environment");
	else if (strcmp(there, here) != 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"the user's variables for OpenCL were %s, and are now "
			"%s",
			*there ? there : "not set", *here ? here : "not set");
	free(there);
	free(here);
	return rc;
}

/* Each test's device must be a device of this run, with the same driver. */
static int check_devices(const struct cl_state *state, struct error *err)
{
	static const char *const keys[] = {"index", "name", "platform",
		"platform_version", "version", "driver", "compute_units"};
	const struct run_facts *run = &state->resumed.run;
	int rc = 0;

	for (size_t i = 0; i < run->n_tests; i++) {
		const struct facts there =
			record_object(&run->tests[i], "device");
		const struct facts *here =
			cl_device_of_test(state, &run->tests[i]);

		for (size_t k = 0; k < N_OF(keys) && rc == 0; k++) {
			const struct fact *a = facts_find(&there, keys[k]);
			const struct fact *b = facts_find(here, keys[k]);

			if (!fact_same(a, b))
				rc = refuse_difference(
					err, "device's", keys[k], a, b);
		}
	}
	return rc;
}

static int check_missing(const struct cl_state *state, struct error *err)
{
	size_t missing = 0, all = 0;

	for (size_t i = 0; i < state->n_chosen; i++)
		missing += cl_count_missing(state, &state->parts[i].device);
	for (size_t i = 0; test_table[i]; i++)
		all += cl_test_is_wanted(state->arguments, test_table[i]);
	all *= state->n_chosen;
	if (missing == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"it has every test: there is nothing to measure");
	if (state->arguments->verbosity >= 0)
		cli_notify("cl", "%zu of %zu tests are from '%s'",
			all - missing, all, state->arguments->resume);
	return 0;
}

int cl_resume_check(struct cl_state *state, struct error *err)
{
	struct result *resumed = &state->resumed;
	int rc;

	if (!state->arguments->resume)
		return 0;
	rc = resume_check_machine(
		resumed, state->machine, &state->timebase, err);
	if (rc == 0)
		rc = check_variables(state, err);
	if (rc == 0)
		rc = check_devices(state, err);
	if (rc == 0)
		rc = check_missing(state, err);
	if (rc < 0)
		error_prefix(err, "--resume: '%s'", state->arguments->resume);
	state->result.run.resumed_started = resumed->started;
	resumed->started = NULL;
	state->result.run.resumed_elapsed_s = resumed->elapsed_s;
	return rc;
}

struct record *cl_resume_find(const struct cl_state *state,
	const struct facts *device, const struct test *test)
{
	const struct run_facts *run = &state->resumed.run;

	for (size_t i = 0; i < run->n_tests; i++) {
		const struct facts *facts = &run->tests[i].facts;

		if (text_same(facts_text(facts, "test"), test->name) &&
			facts_number(facts, "device.index") ==
				facts_number(device, "index") &&
			facts_text(facts, "status"))
			return &run->tests[i];
	}
	return NULL;
}

bool cl_resume_has_ended(const struct record *found)
{
	const char *status = found ? facts_text(&found->facts, "status") : NULL;

	return text_same(status, "done") || text_same(status, "unavailable");
}

bool cl_test_is_missing(const struct cl_state *state,
	const struct facts *device, const struct test *test)
{
	return cl_test_is_wanted(state->arguments, test) &&
	       !cl_resume_has_ended(cl_resume_find(state, device, test));
}

size_t cl_count_missing(
	const struct cl_state *state, const struct facts *device)
{
	size_t n = 0;

	for (size_t i = 0; test_table[i]; i++)
		n += cl_test_is_missing(state, device, test_table[i]);
	return n;
}

/* Move the curves of the current test. False: no memory. */
static bool move_curves(const struct cl_state *state, struct result *into)
{
	const struct result *from = &state->resumed;
	char device[CL_NAME_BYTES];

	cl_name_device(state->device, device);
	into->curves = calloc(from->n_curves + 1, sizeof(*into->curves));
	for (size_t i = 0; into->curves && i < from->n_curves; i++) {
		struct curve *curve = &from->curves[i];

		if (!text_same(curve->facts.test, state->test->name) ||
			(curve->facts.device &&
				strcmp(curve->facts.device, device) != 0))
			continue;
		into->curves[into->n_curves++] = *curve;
		*curve = (struct curve){.n = 0};
	}
	return into->curves;
}

int cl_resume_test(
	struct cl_state *state, struct record *found, struct error *err)
{
	struct result kept;
	int rc;

	result_init(&kept);
	rc = move_curves(state, &kept) && run_facts_add_test(&kept.run, found)
		     ? cl_record_test(state, &kept, NULL, err)
		     : error_no_memory(err, "the record");
	result_release(&kept);
	return rc;
}
