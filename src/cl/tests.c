/*
 * The table of tests, and the function that runs a test. A new test needs a
 * file with its kernels beside it, a row here, and a section of its manual
 * page.
 */
#include "cl/cl.h"

#include <errno.h>
#include <string.h>

#include "cl/sweep.h"
#include "machine/timebase.h"

/* With --quick, a test is late after this time plus its budget. */
#define LATE_S 10.0

/* Rows in the order of the help text. */
#define TESTS(ROW)                                                             \
	ROW(test_rowcol)                                                       \
	ROW(test_scale)                                                        \
	ROW(test_stride)                                                       \
	ROW(test_local)                                                        \
	ROW(test_constant)                                                     \
	ROW(test_image)                                                        \
	ROW(test_bus)                                                          \
	ROW(test_math)                                                         \
	ROW(test_branch)                                                       \
	ROW(test_cache)                                                        \
	ROW(test_stream)                                                       \
	ROW(test_banks)                                                        \
	ROW(test_atomic)                                                       \
	ROW(test_latency)                                                      \
	ROW(test_formats)                                                      \
	ROW(test_incore)                                                       \
	ROW(test_peak)                                                         \
	ROW(test_launch)                                                       \
	ROW(test_roofline)                                                     \
	ROW(test_svm)

#define DECLARE(row) extern const struct test row;
TESTS(DECLARE)

#define ELEMENT(row) &(row),
const struct test *const test_table[] = {TESTS(ELEMENT) NULL};

const char *const test_group_names[GROUPS] = {
	[GROUP_SUITE] = "suite", [GROUP_MEMORY] = "memory"};

const struct test *test_find(const char *name)
{
	for (size_t i = 0; test_table[i]; i++) {
		if (strcmp(test_table[i]->name, name) == 0)
			return test_table[i];
	}
	return NULL;
}

int opencl_available(struct error *err)
{
	(void)err;
	return 0;
}

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

/* Report that c2c chose a different work-group size than the article. */
static void report_group_size(struct session *session, const struct test *test)
{
	const struct test_options *options = session->options;
	size_t group = session_group(session, SIZE_MAX);

	if (session_ok(session) && test->article_group &&
		group != test->article_group && !options->work_items &&
		!options->work_group && !options->sweep_groups)
		session_add_finding(session,
			"work-groups have %zu work-items (in the article "
			"%zu)%s",
			group, test->article_group,
			session->is_cpu
				? ""
				: ", because a GPU holds a limited number of "
				  "groups, and small groups would leave units "
				  "half empty");
}

static void report_skipped_points(
	struct session *session, const struct test *test)
{
	if (session->left_out == 0)
		return;
	facts_set_count(&session->record->facts, "left_out",
		(int64_t)session->left_out);
	session_note(session,
		"--quick left out %zu point%s of %s: it measures only the ends "
		"of curves once a test has taken %g s (a longer --budget "
		"allows more)",
		session->left_out, session->left_out == 1 ? "" : "s",
		test->name, LATE_S + session->options->budget_s);
}

/* Record the time of a test outside of timed runs. */
static void describe_time(struct session *session)
{
	struct facts *facts = &session->record->facts;

	facts_set_number(facts, "spent.building_s", session->built_s);
	facts_set_number(facts, "spent.filling_s", session->filled_s);
	facts_set_number(facts, "spent.checking_s", session->checked_s);
	facts_set_number(facts, "spent.ceilings_s", session->ceilings_s);
	facts_set_number(facts, "spent.repeating_s", session->repeated_s);
}

int test_run(const struct test *test, const struct test_options *options,
	const struct machine *machine, struct result *result,
	struct record *record, struct error *err)
{
	struct device_clock clock = {0};
	struct session session = {
		.options = options,
		.machine = machine,
		.result = result,
		.err = err,
		.record = record,
		.clock = &clock,
		.shares = test->shares,
		.rc = test_check_options(test, options, err),
	};

	stat_random_init(&session.random, timebase_raw_ns());
	if (options->quick)
		session.late_s = timebase_raw_s() + LATE_S + options->budget_s;
	facts_set_text(&record->facts, "test", test->name);
	facts_set_text(&record->facts, "section", test->section);
	record_add_list(record, "notes");
	if (session_ok(&session))
		session_open(&session);
	if (session_ok(&session) && session.is_cpu)
		timing_find_workers(&session);
	if (session_ok(&session))
		timing_choose_clock(&session);
	clock_open(&session);
	report_group_size(&session, test);
	/* These replace the facts about the pages of the test's own memory. */
	facts_drop(&record->facts, "memory");
	if (session_ok(&session))
		test->run(&session);
	if (session.rc == -ENOMEM)
		test_add_memory_remedy(test, err);
	/* The results so far are valid, although points are missing. */
	if (session.rc == -EINTR) {
		result->complete = false;
		session.rc = 0;
	}
	curves_end(&session);
	report_skipped_points(&session, test);
	if (session_ok(&session) && session.is_cpu)
		describe_threads(&session);
	if (session.context) {
		clock_record(&session);
		describe_time(&session);
	}
	session_close(&session);
	clock_release(&clock);
	return session.rc;
}
