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
#include "result/record.h"
#include "result/result.h"
#include "util/cpu_list.h"
#include "util/error.h"

/* Timed runs of a point, and those before them that are not counted. */
#define TEST_REPEAT  10
#define TEST_DISCARD 3

struct test_options {
	unsigned device; /* by its place in opencl_list_devices() */
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

struct session;

/* The options that only some tests take. */
enum takes {
	TAKES_SIZE = 1,
	TAKES_WORK_ITEMS = 2,
	TAKES_WORK_GROUP = 4,
	/* Kernels compute the same in groups of any size. */
	TAKES_SWEEP = 8,
};

/* What --size may be: within these bounds. */
struct size_rule {
	enum {
		SIZE_POWER,    /* a power of two */
		SIZE_SQUARE,   /* a square of a power of two of words */
		SIZE_MULTIPLE, /* of the least */
	} kind;
	uint64_t least, most;
};

/* A test: a row of the table and a file with its kernels beside it. */
struct test {
	const char *name;
	const char *section; /* of the paper */
	const char *summary; /* one line, no full stop */

	unsigned takes;	    /* enum takes, or'ed together */
	unsigned memory_by; /* those that say how much memory it wants */

	struct size_rule size;
	/* What --work-items and --work-group mean; 0: the device says it. */
	size_t items, group;
	size_t most_items;    /* that the user may choose; 0: any */
	size_t group_divides; /* what a group has to, unless he chose items */

	/* Whether work-items and groups suit it, in place of these rules. */
	int (*check)(const struct test_options *options, struct error *err);

	/*
	 * Measure: add curves to session->result, and what was found out to
	 * session->record. Where it fails, is stopped (-EINTR) or cannot be
	 * (-ENOTSUP, ERROR_UNAVAILABLE), session->rc says so, and what there
	 * is by then stays.
	 */
	void (*run)(struct session *session);
};

/* All tests in the order of the paper, the CPU's two first; NULL ends it. */
extern const struct test *const test_table[];

/* The test of that name, or NULL. */
const struct test *test_find(const char *name);

/* The names of the tests that take an option, or of all: "rowcol, scale". */
void test_list(unsigned takes, char *text, size_t bytes);

/*
 * Whether a test takes the options that are set, and with these values: 0 or
 * -EINVAL (ERROR_USAGE). Needs no device: one may refuse them yet.
 */
int test_check_options(const struct test *test,
	const struct test_options *options, struct error *err);

/* Whether so many work-items can be parted into groups of that size. */
int check_groups(const struct test_options *options, size_t items, size_t group,
	struct error *err);

/*
 * Leave of the options those that the test takes with these values; why (NULL)
 * says of one that it would take otherwise what was wrong. Two that it takes
 * one by one it may refuse together yet.
 */
void test_fit_options(const struct test *test, struct test_options *options,
	struct error *why);

/* Which of the options that only some tests take are set: enum takes. */
unsigned test_options_set(const struct test_options *options);

/* "--size" */
const char *test_option_name(enum takes takes);

/* "--size=4096", of one that is set. */
#define TEST_OPTION_BYTES 48
void test_option_words(const struct test_options *options, enum takes takes,
	char words[TEST_OPTION_BYTES]);

/* 0, or -ENOTSUP (ERROR_UNAVAILABLE): c2c was built without OpenCL. */
int opencl_available(struct error *err);

/*
 * Set what makes a CPU implementation measurable in the environment of this
 * process: as many workers as CPUs, kernels compiled into folder. What the user
 * set stays. The list "environment" of
 * *set gets a row of name, value, by for each. Before
 * any other call here that returns something of OpenCL.
 */
int opencl_set_environment(const struct cpu_list *cpus, const char *folder,
	struct record *set, struct error *err);

/*
 * The implementations that are installed, by the files that name them: "a.icd,
 * b.icd". Calls nothing of theirs.
 */
void opencl_list_implementations(char *text, size_t bytes);

/*
 * All devices of all platforms, into the list "devices" of a record; sentences
 * on implementations that cannot be used into "warnings". -ENODEV
 * (ERROR_UNAVAILABLE) when there is no device.
 */
int opencl_list_devices(struct record *record, struct error *err);

/*
 * Run one test: append curves to result, and fill the record with what is known
 * of the test, the device, the clock, the threads. result->complete is false
 * where the test was stopped.
 */
int test_run(const struct test *test, const struct test_options *options,
	const struct machine *machine, struct result *result,
	struct record *record, struct error *err);

#endif
