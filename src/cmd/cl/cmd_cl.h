/*
 * The parts of c2c cl, from its options to its output. Private to cmd/cl.
 *
 * An OpenCL implementation may crash or hang the process that calls it.
 * Therefore c2c cl starts itself again for the list of devices and for each
 * test, as a child with a time limit (job/job.h). A child has the arguments of
 * its parent, and --child. Before `all` on CPUs, and before a test that
 * compiles long, a child compiles kernels in several processes (cl/ahead.c). A
 * test's child opens the device (cl/session.h), chooses a clock (cl/timing.h),
 * binds the threads of the implementation (cl/workers.h), and runs a test of
 * cl/tests.c. The child writes its progress to a pipe, and its results to a
 * file in memory, which the parent reads even if the child crashed. For CPUs,
 * ceilings come from native loops on the same CPUs (native/), and a result
 * above its ceiling is rejected. For other devices ceilings come from published
 * figures (cl/theory.h), and c2c rejects no result.
 */
#ifndef C2C_CMD_CL_H
#define C2C_CMD_CL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cl/cl.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "machine/timebase.h"

/* --sizes=MIN:MAX[:N] */
struct cl_sizes {
	struct option_range range; /* comes first in the record */
	uint64_t each_doubling;
};

struct cl_arguments {
	const char *test; /* "list", "all" or a test's name */
	const char *device, *cpus_text;
	int group; /* for "all": an enum test_group, or GROUPS (every test) */
	struct test_options options; /* all but device, cpus, stop, progress */
	struct cl_sizes sizes; /* as typed by the user; copied to options */
	uint64_t work_group;   /* 0: auto, UINT64_MAX: sweep */
	struct options_given given;
	double limit_s, list_limit_s; /* limits of a test, and of the list */
	const char *resume; /* record of an interrupted run, or NULL */
	uint64_t runs;
	struct outputs outputs;
	bool as_published, fine, json;
	int verbosity;
	int argc; /* the command line, whose first argument is "cl" */
	char **argv;
	/*
	 * In a child: the name of a test, "list" (the devices), "all" (compile
	 * the kernels of all chosen tests) or "long" (of those that compile
	 * long). NULL: in the parent.
	 */
	const char *child;
};

/* A device to measure, and its curves in the result. */
struct cl_part {
	struct facts device; /* borrowed */
	size_t first_curve, n_curves;
};

/* The state of a run. */
struct cl_state {
	const struct cl_arguments *arguments;
	struct machine *machine;
	struct timebase timebase;
	struct cpu_list cpus;
	char *cpus_text;
	char *folder;		    /* folder of kernels; NULL: not made yet */
	struct record found;	    /* list of devices */
	struct record environment;  /* list of variables */
	size_t n_warnings_printed;  /* number of warnings printed so far */
	struct cl_part *parts;	    /* [n_chosen], for --device */
	size_t n_chosen, n_parts;   /* n_parts: parts begun */
	const struct facts *device; /* device being measured; borrowed */
	struct result result;	    /* with --runs: result of the current run */
	struct result resumed;	    /* the record of --resume; else empty */
	size_t run;		    /* number of the run, from 0 */
	const atomic_bool *stop;
	const struct test *test; /* current or last test */
	double test_s;		 /* run time of the test's process */
	bool show_progress, interrupted;
};

/* Return the options as facts of a record. */
void cl_record_options(
	const struct cl_arguments *arguments, struct facts *facts);

/*
 * --as-published: set the options of a test's source, unless the user's
 * options exclude them.
 */
int cl_set_published(struct cl_arguments *arguments, const struct test *test,
	struct error *err);

/* Return whether the user chose this test, by its name or by all. */
bool cl_test_is_wanted(
	const struct cl_arguments *arguments, const struct test *test);

/*
 * Check before measuring that the tests accept the options. If some of several
 * tests ignore an option, add a warning to the run.
 */
int cl_check_plan(const struct cl_arguments *arguments, struct run_facts *run,
	struct error *err);

/* Run a process for each test of each device; return an enum exit_status. */
int cl_parent_main(const struct cl_arguments *arguments);

/* Do the work of a child process; return an enum exit_status. */
int cl_child_main(const struct cl_arguments *arguments);

/*
 * Choose the devices that --device selects, in the order of the list. -ENODEV
 * (ERROR_UNAVAILABLE): no device has that type. -EINVAL (ERROR_USAGE): no
 * device has that name or number.
 */
int cl_choose_devices(struct cl_state *state, struct error *err);

/* Return whether the run measures more than one device. */
bool cl_has_several_devices(const struct cl_state *state);

/* Write "device 1 (a name)", and cut a long name. */
#define CL_NAME_BYTES 64
void cl_name_device(const struct facts *device, char name[CL_NAME_BYTES]);

/* Return the options of the run, and its CPUs, as facts of a record. */
void cl_record_run_options(const struct cl_state *state, struct facts *facts);

/* Begin the record of the run, before it has curves. */
int cl_record_begin(struct cl_state *state, struct error *err);

/*
 * Move the results of the current test into the record of the run. from is NULL
 * if the test has no results. why: how the test failed, or NULL; ECANCELED: it
 * did not begin.
 */
int cl_record_test(struct cl_state *state, struct result *from,
	const struct error *why, struct error *err);

/*
 * Record what tests_compile() found for a device: the time is the sum of all
 * devices.
 */
void cl_record_ahead(struct facts *run, struct facts *found);

/*
 * --resume: load the record, and check that it is of this version and these
 * options.
 */
int cl_resume_load(struct cl_state *state, struct error *err);

/*
 * After the record of the run has begun, check that the resumed record is of
 * this machine and these devices, and lacks a test.
 */
int cl_resume_check(struct cl_state *state, struct error *err);

/* Return the resumed record of a test, or NULL. */
struct record *cl_resume_find(const struct cl_state *state,
	const struct facts *device, const struct test *test);

/* Return whether a resumed test need not run again. found may be NULL. */
bool cl_resume_has_ended(const struct record *found);

/* Return whether a chosen test of a device has to run; count these tests. */
bool cl_test_is_missing(const struct cl_state *state,
	const struct facts *device, const struct test *test);
size_t cl_count_missing(
	const struct cl_state *state, const struct facts *device);

/* Move the result of cl_resume_find() for the current test into the record. */
int cl_resume_test(
	struct cl_state *state, struct record *found, struct error *err);

/* Return the chosen device of a test's record, or the last one. */
const struct facts *cl_device_of_test(
	const struct cl_state *state, const struct record *test);

/* Count the points of all curves that have a figure. */
size_t cl_count_points(const struct result *result);

/*
 * Complete a run after all tests: finish its record and report its problems.
 * status: the worst so far. Return an enum exit_status.
 */
int cl_end_run(struct cl_state *state, int status, double elapsed_s);

/* Save and print the record. Return an enum exit_status. */
int cl_finish(struct cl_state *state, int status);

/* Append a remedy to the error message of a failed test. */
void cl_suggest_remedy(const struct cl_state *state, struct error *why);

/* If memory lacked because of a limit on address space, explain that limit. */
void cl_explain_memory_limit(struct error *why);

/* Print the new warnings on standard error. */
void cl_print_warnings(struct cl_state *state);

/* Prefix a message with the test and, if there are several, the device. */
void cl_prefix_error(const struct cl_state *state, const struct facts *device,
	const char *test, struct error *err);

/* Print the devices on standard output. */
void cl_print_devices(const struct record_list *devices);

/*
 * Print the curves of each device, and the findings below them. With several
 * tests print a summary first; print the rest only with --verbose.
 */
int cl_print_result(const struct cl_state *state, struct error *err);

#endif
