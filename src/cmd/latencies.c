/* See latencies.h. */
#include "cmd/latencies.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/cpus_share.h"
#include "cmd/cli.h"
#include "cmd/input_records.h"
#include "cmd/wait_notice.h"
#include "job/job.h"

/* Time for an interrupted measurement to pass its record to this process. */
#define GRACE_S 10.0

/* Number of arguments before the arguments of the caller. */
#define FIRST_ARGUMENTS 4

/* Take the record over from the child process, or explain why there is none. */
static int take_measured(
	struct job_outcome *outcome, struct result *result, struct error *err)
{
	enum error_class ended;
	char *text;

	if (outcome->end.stopped)
		return error_set(err, ERROR_FAILURE, EINTR, "interrupted");
	if (outcome->measured) {
		*result = outcome->result;
		result_init(&outcome->result);
		return 0;
	}
	text = job_find_failure(outcome, err);
	ended = (enum error_class)job_exit_status(outcome);
	error_set(err,
		ended == ERROR_UNAVAILABLE || ended == ERROR_USAGE
			? ended
			: ERROR_FAILURE,
		ENODATA, "%s",
		text ? text : "c2c latency ended without a record");
	free(text);
	return -ENODATA;
}

int latencies_measure(
	char *const *arguments, struct result *result, struct error *err)
{
	char nothing[1];
	char *argv[FIRST_ARGUMENTS + LATENCIES_ARGUMENTS + 1] = {
		"c2c", "latency", "-q", "--child-section=1:1"};
	const struct job job = {
		.child = {.argv = argv,
			.limit_s = INFINITY,
			.grace_s = GRACE_S,
			.stop = cli_catch_signals(),
			.text = nothing, /* c2c latency -q writes no text */
			.text_bytes = sizeof(nothing),
			.on_halted = wait_notice_on_stopped},
		.who = "c2c latency",
		.voice = JOB_IS_SILENT,
	};
	struct job_outcome outcome = {.measured = false};
	int rc;

	for (size_t n = FIRST_ARGUMENTS; *arguments; arguments++)
		argv[n++] = *arguments;
	fflush(NULL);
	job_run(&job, &outcome, err);
	rc = take_measured(&outcome, result, err);
	job_outcome_release(&outcome);
	return rc;
}

int latencies_load(const char *path, struct result *result, struct error *err)
{
	static const struct unit_choice unit = {.unit = NULL};
	struct input_records records = {.n = 0};
	size_t at = 0;
	int rc = input_records_load(&records, &unit, path, err);

	while (rc == 0 && at < records.n &&
		!share_has_latencies(&records.results[at]))
		at++;
	if (rc == 0 && at == records.n)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has no latencies of CPUs in ns: measure with "
			"'c2c latency'",
			path);
	if (rc == 0) {
		*result = records.results[at];
		result_init(&records.results[at]);
	}
	input_records_release(&records);
	return rc;
}
