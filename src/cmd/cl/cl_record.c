/*
 * Make the record of a run of c2c cl from the run's facts and the facts of
 * tests.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cl/cl_published.h"
#include "cmd/cl/cmd_cl.h"
#include "result/describe.h"
#include "util/text.h"

/*
 * Largest plausible step of the clock: launches take microseconds, and a
 * coarser clock could not time them.
 */
#define MOST_STEP_NS 30000

/*
 * Complete names of curves: the child lacks its test and other devices. Curves
 * of a resumed record lack only a device that was the only one then.
 */
static int name_curves(
	const struct cl_state *state, struct result *result, struct error *err)
{
	char device[CL_NAME_BYTES] = "";
	int rc = 0;

	if (cl_has_several_devices(state))
		cl_name_device(state->device, device);
	for (size_t i = 0; i < result->n_curves && rc == 0; i++) {
		struct curve *curve = &result->curves[i];
		bool resumed = curve->facts.test;

		if (!resumed)
			curve->facts.test = strdup(state->test->name);
		if (*device && !curve->facts.device)
			curve->facts.device = strdup(device);
		if (!curve->facts.test || (*device && !curve->facts.device))
			rc = error_no_memory(err, "the name of a curve");
		for (size_t c = 0; !resumed && c < state->cpus.n && rc == 0;
			c++)
			rc = cpu_list_add(
				&curve->cpus, state->cpus.cpus[c], err);
	}
	return rc;
}

static const char *test_status_text(const struct error *why)
{
	if (!why)
		return "done";
	if (why->class == ERROR_UNAVAILABLE)
		return "unavailable";
	switch (why->code) {
	case ETIMEDOUT:
		return "timed out";
	case EINTR:
		return "interrupted";
	case ECANCELED:
		return "not run";
	default:
		return "failed";
	}
}

static int append_test_curves(
	struct cl_state *state, struct result *from, struct error *err)
{
	struct result *into = &state->result;
	struct curve *curves = reallocarray(into->curves,
		into->n_curves + from->n_curves + 1, sizeof(*curves));

	if (!curves)
		return error_no_memory(err, "the curves");
	into->curves = curves;
	if (name_curves(state, from, err) < 0)
		return -ENOMEM;
	memcpy(curves + into->n_curves, from->curves,
		from->n_curves * sizeof(*curves));
	into->n_curves += from->n_curves;
	state->parts[state->n_parts - 1].n_curves += from->n_curves;
	from->n_curves = 0;
	return 0;
}

/*
 * Move matrices over a device's units, which replace the CPUs of the topology.
 */
static void adopt_test_matrices(struct result *into, struct result *from)
{
	struct cpu_list cpus = into->cpus;

	if (from->n_matrices == 0)
		return;
	into->cpus = from->cpus;
	into->matrices = from->matrices;
	into->n_matrices = from->n_matrices;
	free(into->hwloc_xml);
	into->hwloc_xml = NULL;
	from->cpus = cpus;
	from->matrices = NULL;
	from->n_matrices = 0;
}

static void record_published(const struct cl_state *state, struct facts *facts)
{
	char *options;

	if (!state->arguments->as_published)
		return;
	options = cl_published_text(state->test, &state->arguments->given);
	if (options && options[0])
		facts_set_text(facts, "as_published", options);
	free(options);
}

int cl_record_test(struct cl_state *state, struct result *from,
	const struct error *why, struct error *err)
{
	const struct test *test = state->test;
	struct record row = {0};
	struct facts *facts = &row.facts;
	int rc = 0;

	if (from && from->run.n_tests > 0) {
		row = from->run.tests[0];
		from->run.tests[0] = (struct record){0};
	}
	if (from && from->n_curves > 0)
		rc = append_test_curves(state, from, err);
	if (from)
		adopt_test_matrices(&state->result, from);
	/* The test adds these facts itself, unless it did not start. */
	facts_set_text(facts, "test", test->name);
	facts_set_text(facts, "section", test->section);
	record_published(state, facts);
	if (!facts_find(facts, "device.index"))
		record_add_object(&row, "device", state->device);
	/* A resumed test has these. */
	if (!facts_text(facts, "status")) {
		facts_set_text(facts, "status", test_status_text(why));
		facts_set_number(facts, "elapsed_s", state->test_s);
		if (why)
			facts_set_text(facts, "reason", why->text);
	}
	if (rc == 0 && (facts->failed ||
			       !run_facts_add_test(&state->result.run, &row)))
		rc = error_no_memory(err, "the record");
	record_release(&row);
	return rc;
}

void cl_record_ahead(struct facts *run, struct facts *found)
{
	static const char key[] = "compiled_ahead.elapsed_s";
	double sum_s = facts_number(run, key) + facts_number(found, key);

	if (!isnan(sum_s))
		facts_set_number(found, key, sum_s);
	facts_append(run, found);
}

size_t cl_count_points(const struct result *result)
{
	size_t n = 0, pairs = 0;

	for (size_t c = 0; c < result->n_curves; c++) {
		const struct curve *curve = &result->curves[c];

		for (size_t i = 0; i < curve->n; i++)
			n += !isnan(curve->median[i]);
	}
	/* Both cells of a pair count as one point. */
	for (size_t i = 0;
		result->n_matrices > 0 && i < result->cpus.n * result->cpus.n;
		i++)
		pairs += !isnan(result->matrices->values[i]);
	return n + pairs / 2;
}

void cl_record_run_options(const struct cl_state *state, struct facts *facts)
{
	cl_record_options(state->arguments, facts);
	facts_set_text(facts, "cpus", state->cpus_text);
}

int cl_record_begin(struct cl_state *state, struct error *err)
{
	struct result *result = &state->result;
	const struct timebase *timebase = &state->timebase;
	int rc = timebase_init(&state->timebase, err);
	char step[TEXT_SIZE_BYTES];

	if (rc == 0 && timebase->step_ns > MOST_STEP_NS)
		rc = error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"the clock %s moves in steps of %s, too coarse to time "
			"kernels (/sys/devices/system/clocksource lists "
			"others)",
			timebase->source,
			text_time(timebase->step_ns * 1e-9, step));
	if (rc == 0)
		rc = describe_result(result, "cl", &state->cpus, state->machine,
			&state->timebase, err);
	if (rc < 0)
		return rc;
	cl_record_run_options(state, &result->options);
	if (result->options.failed)
		return error_no_memory(err, "the result");
	return 0;
}
