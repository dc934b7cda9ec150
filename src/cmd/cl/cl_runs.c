/*
 * c2c cl --runs: one record of several runs. Each run of a test has a process
 * of its own anyway, so the parent only has to put them together.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/cl/cmd_cl.h"
#include "job/job.h"
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
	char *text = text_format("ended in run %zu of %" PRIu64 ": what was "
				 "measured is kept, marked incomplete",
		n, asked);
	bool warned = warn_once(merged, text);

	free(text);
	return warned;
}

int cl_merge_runs(struct cl_state *state, struct result *runs, size_t n,
	struct error *err)
{
	uint64_t asked = state->arguments->runs;
	struct result *merged = &state->result;
	int rc;

	for (size_t r = 1; r < n; r++) {
		free(runs[r].hwloc_xml);
		runs[r].hwloc_xml = NULL;
	}
	rc = job_merge_runs(merged, runs, n, asked, err);
	state->parts->n_curves = merged->n_curves;
	if (rc == 0 &&
		(merged->options.failed || !merge_run_warnings(merged) ||
			(!merged->complete && !warn_incomplete(merged,
						      state->run + 1, asked))))
		rc = error_no_memory(err, "the record of the runs");
	return rc;
}
