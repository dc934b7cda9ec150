/*
 * One test, from opening the device to what its threads did.
 */
#include <errno.h>
#include <stdlib.h>

#include "cl/sweep.h"
#include "cl/tests.h"

static void describe_threads(struct session *session)
{
	struct record *record = session->record;
	bool inside = workers_describe(
		&session->workers, session->options->cpus, record);

	facts_set_flag(&record->facts, "threads_where_asked", inside);
	facts_set_flag(&record->facts, "threads_bound",
		workers_are_bound(&session->workers));
	if (!inside)
		session_note(session,
			"c2c could not confirm that the implementation's "
			"threads run only on the requested CPUs");
}

int test_run(const struct test *test, const struct test_options *options,
	const struct machine *machine, struct result *result,
	struct record *record, struct error *err)
{
	struct session session = {
		.options = options,
		.machine = machine,
		.result = result,
		.err = err,
		.record = record,
		.rc = test_check_options(test, options, err),
	};

	facts_set_text(&record->facts, "test", test->name);
	facts_set_text(&record->facts, "section", test->section);
	record_add_list(record, "notes");
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
	return session.rc;
}
