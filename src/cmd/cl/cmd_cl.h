/*
 * The parts of c2c cl, from its options to its output. Private to cmd/cl.
 *
 * An implementation of OpenCL may end or hang the process that calls it. So c2c
 * cl starts itself again for the list of devices and for each test, as a child
 * with a time limit (job/job.h). Of all tests on CPUs a child first compiles
 * the kernels, and where those of one test compile for long, its child does, in
 * processes side by side (cl/ahead.h). Then it opens the
 * device (cl/session.h), chooses a clock (cl/timing.h), binds the threads of
 * the implementation (cl/workers.h), and runs one row of cl/tests.c. It tells
 * its progress through a pipe, and writes what it has into a file in memory,
 * which the parent reads however the child ends. Ceilings come from the same
 * CPUs without OpenCL (native/), of other devices from documents (cl/theory.h):
 * these reject nothing.
 */
#ifndef C2C_CMD_CL_H
#define C2C_CMD_CL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cl/cl.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "machine/timebase.h"

struct cl_arguments {
	const char *test; /* "list", "all" or a test's name */
	const char *device, *cpus_text;
	int group; /* of all: enum test_group, or GROUPS for every test */
	struct test_options options; /* but device, cpus, stop, progress */
	struct option_range sizes;   /* as the user typed it; into options */
	uint64_t work_group;	     /* 0: auto, UINT64_MAX: sweep */
	struct options_given given;
	double limit_s, list_limit_s; /* of a test, of the list of devices */
	uint64_t runs;
	struct outputs outputs;
	bool json, child;
	int verbosity;
};

/* A device to measure, and where its curves are in the result. */
struct cl_part {
	struct facts device; /* borrowed */
	size_t first_curve, n_curves;
};

/* A run. */
struct cl_state {
	const struct cl_arguments *arguments;
	struct machine *machine;
	struct timebase timebase;
	struct cpu_list cpus;
	char *cpus_text;
	char *folder;		    /* of kernels; NULL: not made */
	struct record found;	    /* the devices */
	struct record environment;  /* the environment */
	size_t n_warnings_printed;  /* warnings on standard error */
	struct cl_part *parts;	    /* [n_chosen], those of --device */
	size_t n_chosen, n_parts;   /* n_parts: begun */
	const struct facts *device; /* that is measured; borrowed */
	struct result result;	    /* with --runs that of the run */
	size_t run;		    /* of --runs, from 0 */
	const atomic_bool *stop;
	const struct test *test; /* that runs, or ran */
	double test_s;		 /* its process, from start to end */
	bool shares;		 /* tests share what they found in folder */
	bool show_progress, interrupted;
};

/* The options as facts of a record. */
void cl_record_options(
	const struct cl_arguments *arguments, struct facts *facts);

/* Whether the user wants this test: by its name, or as one of all. */
bool cl_test_is_wanted(
	const struct cl_arguments *arguments, const struct test *test);

/*
 * Before anything is measured: whether the tests accept the options. If some
 * tests of all ignore one, that is a warning of the run.
 */
int cl_check_plan(const struct cl_arguments *arguments, struct run_facts *run,
	struct error *err);

/* A process for each test of each device: returns an enum exit_status. */
int cl_parent_main(const struct cl_arguments *arguments);

/* The test's own process: returns an enum exit_status. */
int cl_child_main(const struct cl_arguments *arguments);

/*
 * Choose the devices that --device means, in the order of the list. -ENODEV
 * (ERROR_UNAVAILABLE): there is none of that type, -EINVAL (ERROR_USAGE): none
 * of that name or number.
 */
int cl_choose_devices(struct cl_state *state, struct error *err);

/* Whether more than one device is measured. */
bool cl_has_several_devices(const struct cl_state *state);

/* "device 1 (a name)"; a long name is cut. */
#define CL_NAME_BYTES 64
void cl_name_device(const struct facts *device, char name[CL_NAME_BYTES]);

/* The whole result, before there are curves in it. */
int cl_record_begin(struct cl_state *state, struct error *err);

/*
 * Move what came of the test that ran into the whole result. from NULL: nothing
 * came. why: how it failed, or NULL; ECANCELED says that it was not begun.
 */
int cl_record_test(struct cl_state *state, struct result *from,
	const struct error *why, struct error *err);

/* How many points of all curves have a figure. */
size_t cl_count_points(const struct result *result);

/*
 * All tests of a run are over: complete its record and tell what is wrong with
 * it. status: the worst so far. Returns an enum exit_status.
 */
int cl_end_run(struct cl_state *state, int status, double elapsed_s);

/* Save and print the record. Returns an enum exit_status. */
int cl_finish(struct cl_state *state, int status);

/* Append to the message of a failed test what the user can do. */
void cl_suggest_remedy(const struct cl_state *state, struct error *why);

/* The same of a limit on address space, if memory was what it lacked. */
void cl_explain_memory_limit(struct error *why);

/* Print the warnings that came since the last time on standard error. */
void cl_print_warnings(struct cl_state *state);

/* Put the test, and of several devices the device, before a message. */
void cl_prefix_error(const struct cl_state *state, const struct facts *device,
	const char *test, struct error *err);

/* Print the devices on standard output. */
void cl_print_devices(const struct record_list *devices);

/*
 * Print the curves of each device, and below them what else was found out. Of
 * all tests a summary comes first, and is all unless the user wants more.
 */
int cl_print_result(const struct cl_state *state, struct error *err);

#endif
