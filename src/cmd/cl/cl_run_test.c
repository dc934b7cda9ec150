/* The child process, which runs a test, compiles tests or lists the devices. */
#include <string.h>

#include "cmd/cl/cmd_cl.h"
#include "cmd/cli.h"
#include "commands.h"
#include "job/job.h"
#include "machine/timebase.h"
#include "util/parse.h"

/* Seconds between two saves, long enough not to disturb the test. */
#define KEEP_S 1.0

#define MOST_TESTS 64

/* Select one CPU of each core first, then the SMT siblings. */
static int select_test_cpus(const struct machine *machine, const char *text,
	struct cpu_list *cpus, struct error *err)
{
	struct cpu_list all = {0};
	int rc = machine_select(machine, text, MACHINE_PER_CORE, cpus, err);

	if (rc == 0)
		rc = machine_select(machine, text, MACHINE_PER_PU, &all, err);
	for (size_t i = 0; rc == 0 && i < all.n; i++)
		rc = cpu_list_add(cpus, all.cpus[i], err);
	cpu_list_release(&all);
	return rc;
}

/* The progress of a test, and the time of the last save of its result. */
struct cl_test_progress {
	FILE *pipe;
	const struct result *result; /* NULL: no progress */
	double kept_s;
};

static void report_test_progress(void *context, double fraction)
{
	struct cl_test_progress *progress = context;
	double now_s = timebase_raw_s();

	job_report_progress(progress->pipe, fraction, NULL);
	if (!progress->result || now_s - progress->kept_s < KEEP_S)
		return;
	job_store_report(
		&(struct job_report){.result = progress->result}, NULL);
	progress->kept_s = now_s;
}

static int measure_one_test(const struct test *test,
	struct test_options *options, const struct machine *machine,
	struct error *err)
{
	struct cl_test_progress *progress = options->progress_context;
	struct record record = {0};
	struct result result;
	int rc = 0;

	result_init(&result);
	progress->result = &result;
	test_fit_options(test, options, NULL);
	result.command = strdup("cl");
	result.complete = true;
	if (!result.command || !run_facts_add_test(&result.run, &record))
		rc = error_no_memory(err, "the result");
	if (rc == 0) {
		rc = test_run(
			test, options, machine, &result, result.run.tests, err);
		/* Results from before a failure are still valid. */
		result.complete = result.complete && rc == 0;
		rc = job_store_report(&(struct job_report){rc < 0 ? err : NULL,
					      NULL, &result, true},
			err);
	}
	result_release(&result);
	return rc;
}

static int compile_wanted_tests(const struct cl_arguments *arguments,
	const struct test_options *options, const struct machine *machine,
	struct error *err)
{
	bool all = strcmp(arguments->child, "all") == 0;
	struct test_to_compile wanted[MOST_TESTS];
	struct record found = {0};
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; test_table[i] && n < MOST_TESTS && rc == 0; i++) {
		struct cl_arguments own = *arguments;

		if (!cl_test_is_wanted(arguments, test_table[i]) ||
			(!all && !test_table[i]->compiles_long))
			continue;
		own.options = *options;
		if (own.as_published)
			rc = cl_set_published(&own, test_table[i], err);
		wanted[n++] =
			(struct test_to_compile){test_table[i], own.options};
	}
	if (rc < 0)
		return rc;
	tests_compile(wanted, n, options, machine, &found);
	rc = job_store_report(&(struct job_report){.found = &found}, err);
	record_release(&found);
	return rc;
}

static int run_child_tests(const struct cl_arguments *arguments,
	const struct machine *machine, const struct cpu_list *cpus, FILE *pipe,
	struct error *err)
{
	const struct test *test = test_find(arguments->child);
	struct cl_test_progress progress = {.pipe = pipe};
	struct test_options options = arguments->options;
	uint64_t device;
	int rc = parse_u64(arguments->device, 0, UINT32_MAX, &device, err);

	if (rc < 0)
		return rc;
	options.device = (unsigned)device;
	options.cpus = cpus;
	options.stop = cli_catch_signals();
	options.progress = report_test_progress;
	options.progress_context = &progress;
	return test ? measure_one_test(test, &options, machine, err)
		    : compile_wanted_tests(arguments, &options, machine, err);
}

static int list_child_devices(struct error *err)
{
	struct record found = {0};
	int rc = opencl_list_devices(&found, err);

	if (rc == 0)
		rc = job_store_report(
			&(struct job_report){.found = &found}, err);
	record_release(&found);
	return rc;
}

int cl_child_main(const struct cl_arguments *arguments)
{
	struct cpu_list cpus = {0};
	struct machine *machine = NULL;
	struct error err;
	FILE *pipe = job_open_pipe(&err);
	int rc;

	if (!pipe)
		return cli_fail("cl", &err);
	rc = machine_new(&machine, &err);
	if (rc == 0)
		rc = select_test_cpus(
			machine, arguments->cpus_text, &cpus, &err);
	if (rc == 0)
		rc = machine_set_affinity(0, cpus.cpus, cpus.n, &err);
	if (rc == 0)
		rc = strcmp(arguments->child, "list") == 0
			     ? list_child_devices(&err)
			     : run_child_tests(
				       arguments, machine, &cpus, pipe, &err);
	if (rc < 0)
		job_store_report(&(struct job_report){.why = &err}, NULL);
	cpu_list_release(&cpus);
	machine_free(machine);
	fclose(pipe);
	return rc < 0 ? (int)err.class : STATUS_DONE;
}
