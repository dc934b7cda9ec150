/*
 * Tests of a device through OpenCL, as the commands see them: no type of
 * OpenCL, so that all of it exists in a build without.
 *
 * The folder cl/ is the sole user of OpenCL. The tests follow X. Yan, X. Shi,
 * L. Wang, H. Yang, "An OpenCL Micro-Benchmark Suite for GPUs and CPUs", whose
 * sections the table names.
 *
 * An implementation of OpenCL may end or hang the process that calls it, so
 * whoever wants to go on afterwards calls what is here in another process. One
 * thread at a time.
 */
#ifndef C2C_CL_CL_H
#define C2C_CL_CL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"
#include "result/result.h"
#include "util/cpu_list.h"
#include "util/error.h"

/* Timed runs of a point, and those before them that are not counted. */
#define CL_REPEAT  10
#define CL_DISCARD 3

struct cl_options {
	unsigned device; /* by its place in cl_list() */
	/* What a CPU device is to run on; of others, what starts them. */
	const struct cpu_list *cpus;
	unsigned repeat, discard;
	uint64_t work_group; /* 0: as the test's section says */
	bool sweep_groups;   /* instead the best of all sizes, for each point */
	uint64_t work_items; /* 0: all that the test's section says */
	uint64_t size_bytes; /* 0: the test's own sizes */
	bool quick;	     /* fewer points and runs */
	const atomic_bool *stop;
	void (*progress)(void *context, double fraction); /* may be NULL */
	void *progress_context;
};

struct cl_session;

/* The options that only some tests take. */
enum cl_takes {
	CL_TAKES_SIZE = 1,
	CL_TAKES_WORK_ITEMS = 2,
	CL_TAKES_WORK_GROUP = 4,
	/* Kernels compute the same in groups of any size. */
	CL_TAKES_SWEEP = 8,
};

/* A test: a row of the table and a file with its kernels beside it. */
struct cl_test {
	const char *name;
	const char *section; /* of the paper */
	const char *summary; /* one line, no full stop */

	unsigned takes;	    /* enum cl_takes, or'ed together */
	unsigned memory_by; /* those that say how much memory it wants */

	/* Whether the values of these suit it, before a device is opened. */
	int (*check)(const struct cl_options *options, struct error *err);

	/*
	 * Measure: add curves to session->result, and what was found out to
	 * session->record. -EINTR when session->options->stop was set, with
	 * what there is by then. -ENOTSUP (ERROR_UNAVAILABLE) when the device
	 * cannot do it.
	 */
	int (*run)(struct cl_session *session, struct error *err);
};

/* All tests in the order of the paper, the CPU's two first; NULL ends it. */
extern const struct cl_test *const cl_tests[];

/* The test of that name, or NULL. */
const struct cl_test *cl_test_find(const char *name);

/* The names of the tests that take an option, or of all: "rowcol, scale". */
void cl_list_tests(unsigned takes, char *text, size_t bytes);

/*
 * Whether a test takes the options that are set, and with these values: 0 or
 * -EINVAL (ERROR_USAGE). Needs no device: one may refuse them yet.
 */
int cl_check_options(const struct cl_test *test,
	const struct cl_options *options, struct error *err);

/*
 * Leave of the options those that the test takes with these values; why (NULL)
 * says of one that it would take otherwise what was wrong. Two that it takes
 * one by one it may refuse together yet.
 */
void cl_fit_options(const struct cl_test *test, struct cl_options *options,
	struct error *why);

/* Which of the options that only some tests take are set: enum cl_takes. */
unsigned cl_options_set(const struct cl_options *options);

/* "--size" */
const char *cl_option_name(enum cl_takes takes);

/* 0, or -ENOTSUP (ERROR_UNAVAILABLE): c2c was built without OpenCL. */
int cl_available(struct error *err);

/*
 * Set what makes a CPU implementation measurable in the environment of this
 * process: as many workers as CPUs, kernels compiled into folder. What the user
 * set stays. *set is a new list of {name, value, by} for json_decref(). Before
 * any other call here that returns something of OpenCL.
 */
int cl_set_environment(const struct cpu_list *cpus, const char *folder,
	json_t **set, struct error *err);

/*
 * The implementations that are installed, by the files that name them: "a.icd,
 * b.icd". Calls nothing of theirs.
 */
void cl_list_implementations(char *text, size_t bytes);

/*
 * All devices of all platforms: a new array for json_decref(). -ENODEV
 * (ERROR_UNAVAILABLE) when there is none. To warnings, an array, go sentences
 * on implementations that cannot be used.
 */
int cl_list(json_t **devices, json_t *warnings, struct error *err);

/*
 * Run one test: append curves to result->curves, and to the array record an
 * object on the test, the device, the clock, the threads. result->complete is
 * false where the test was stopped.
 */
int cl_run(const struct cl_test *test, const struct cl_options *options,
	const struct machine *machine, struct result *result, json_t *record,
	struct error *err);

#endif
