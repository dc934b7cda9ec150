/*
 * One test, from opening the device to what its threads did.
 */
#include <errno.h>
#include <stdlib.h>

#include "cl/curves.h"
#include "cl/tests.h"
#include "cl/timing.h"

static void describe_threads(struct session *session)
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
		session->rc = error_no_memory(session->err, "the record");
	if (!inside)
		session_note(session,
			"the threads of the implementation could not be seen "
			"to run on the CPUs asked for alone");
}

int test_run(const struct test *test, const struct test_options *options,
	const struct machine *machine, struct result *result, json_t *record,
	struct error *err)
{
	struct session session = {
		.options = options,
		.machine = machine,
		.result = result,
		.err = err,
		.record = json_pack("{s:s, s:s, s:[]}", "test", test->name,
			"section", test->section, "notes"),
	};

	if (!session.record || json_array_append(record, session.record))
		session.rc = error_no_memory(err, "the record");
	if (session_ok(&session))
		session.rc = test_check_options(test, options, err);
	if (session_ok(&session))
		session_open(&session);
	if (session_ok(&session) && session.is_cpu)
		timing_find_workers(&session);
	if (session_ok(&session))
		timing_choose_clock(&session);
	if (session_ok(&session))
		test->run(&session);
	if (session.rc == -ENOMEM)
		tell_memory_remedy(test, err);
	/* What there is by now is whole, but for the points that lack. */
	if (session.rc == -EINTR) {
		result->complete = false;
		session.rc = 0;
	}
	curves_end(&session);
	if (session_ok(&session) && session.is_cpu)
		describe_threads(&session);
	session_close(&session);
	json_decref(session.record);
	return session.rc;
}
