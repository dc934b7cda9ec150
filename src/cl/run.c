/*
 * One test, from opening the device to what its threads did.
 */
#include <errno.h>

#include "cl/curves.h"
#include "cl/session.h"
#include "cl/tests.h"

static int describe_threads(struct cl_session *session, struct error *err)
{
	bool inside = false;
	json_t *threads = workers_describe(
		&session->workers, session->options->cpus, &inside);

	if (!threads ||
		json_object_set_new(session->record, "threads", threads) ||
		json_object_set_new(session->record, "threads_where_asked",
			json_boolean(inside)) ||
		json_object_set_new(session->record, "threads_bound",
			json_boolean(workers_are_bound(&session->workers))))
		return error_no_memory(err, "the record");
	if (inside)
		return 0;
	return session_note(session, err,
		"the threads of the implementation could not be seen to run on "
		"the CPUs asked for alone");
}

int cl_run(const struct cl_test *test, const struct cl_options *options,
	const struct machine *machine, struct result *result, json_t *record,
	struct error *err)
{
	struct cl_session session = {
		.options = options,
		.machine = machine,
		.result = result,
		.record = json_pack("{s:s, s:s, s:[]}", "test", test->name,
			"section", test->section, "notes"),
	};
	int rc = 0;

	if (!session.record || json_array_append(record, session.record))
		rc = error_no_memory(err, "the record");
	if (rc == 0)
		rc = cl_check_options(test, options, err);
	if (rc == 0)
		rc = session_open(&session, err);
	if (rc == 0)
		rc = test->run(&session, err);
	if (rc == -ENOMEM)
		tell_memory_remedy(test, err);
	/* What there is by now is whole, but for the points that lack. */
	if (rc == -EINTR) {
		result->complete = false;
		rc = 0;
	}
	if (curves_end(&session, rc < 0, err) < 0)
		rc = -ENOMEM;
	if (rc == 0 && session.is_cpu)
		rc = describe_threads(&session, err);
	session_close(&session);
	json_decref(session.record);
	return rc;
}
