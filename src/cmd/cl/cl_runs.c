/*
 * c2c cl --runs: one record of several runs. Each run of a test has a process
 * of its own anyway, so the parent only has to put them together.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/cl/cmd_cl.h"
#include "result/runs.h"
#include "util/text.h"

static bool warn_once(struct result *result, const char *text)
{
	for (size_t i = 0; i < result->run.n_warnings; i++) {
		if (text_same(result->run.warnings[i], text))
			return true;
	}
	return text && run_facts_warn(&result->run, text);
}

/* What the runs warn of, those of the first one first. */
static bool merge_run_warnings(
	struct result *merged, const struct result *runs, size_t n)
{
	bool taken = true;

	for (size_t r = 0; r < n; r++) {
		for (size_t i = 0; i < runs[r].run.n_warnings; i++)
			taken &= warn_once(merged, runs[r].run.warnings[i]);
	}
	return taken;
}

static bool warn_incomplete(struct result *merged, size_t n, uint64_t asked)
{
	char *text = text_format("ended in run %zu of %" PRIu64 ": what was "
				 "measured is kept, marked incomplete",
		n, asked);
	bool warned = warn_once(merged, text);

	free(text);
	return warned;
}

static int make_merged_record(struct cl_state *state, const struct result *runs,
	size_t n, struct error *err)
{
	const struct result **all = calloc(n, sizeof(void *));
	uint64_t asked = state->arguments->runs;
	struct result *merged = &state->result;
	int rc;

	if (!all)
		return error_no_memory(err, "the runs");
	for (size_t r = 0; r < n; r++)
		all[r] = &runs[r];
	result_release(merged);
	rc = runs_merge(merged, all, n, err);
	free(all);
	if (rc < 0) {
		result_init(merged);
		return rc;
	}
	state->parts->n_curves = merged->n_curves;
	facts_set_count(&merged->options, "runs", (int64_t)asked);
	/* What the device cannot do is done after one run. */
	merged->complete =
		merged->complete && (n == asked || merged->n_curves == 0);
	if (merged->options.failed || !merge_run_warnings(merged, runs, n) ||
		(!merged->complete &&
			!warn_incomplete(merged, state->run + 1, asked)))
		return error_no_memory(err, "the record of the runs");
	return 0;
}

int cl_merge_runs(struct cl_state *state, struct result *runs, size_t n,
	struct error *err)
{
	/* One topology for all of them. */
	char *hwloc_xml = runs->hwloc_xml;
	int rc;

	runs->hwloc_xml = NULL;
	for (size_t r = 1; r < n; r++) {
		free(runs[r].hwloc_xml);
		runs[r].hwloc_xml = NULL;
	}
	rc = make_merged_record(state, runs, n, err);
	state->result.hwloc_xml = hwloc_xml;
	state->result.runs = runs;
	state->result.n_runs = n;
	return rc;
}
