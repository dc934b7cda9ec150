/*
 * Tests of a device through OpenCL, as the commands see them: no type of
 * OpenCL, so that all of it exists in a build without.
 *
 * Only the folder cl/ uses OpenCL. The tests follow X. Yan, X. Shi, L. Wang, H.
 * Yang, "An OpenCL Micro-Benchmark Suite for GPUs and CPUs"; the table names
 * its sections.
 *
 * An implementation of OpenCL may end or hang the process that calls it. Call
 * these functions in another process to survive that; one thread at a time.
 */
#ifndef C2C_CL_H
#define C2C_CL_H

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

/* What repeating wide points may take in each test, with --quick. */
#define TEST_QUICK_BUDGET_S 0.3

enum test_access {
	ACCESS_BOTH,
	ACCESS_READ,
	ACCESS_WRITE,
};

struct test_options {
	unsigned device; /* its place in opencl_list_devices() */
	/* A CPU device runs on these; they start other devices. */
	const struct cpu_list *cpus;
	uint64_t repeat, discard;
	double precision_pct;  /* half a 95 % interval over its median */
	double budget_s;       /* to repeat the points that are wider */
	uint64_t work_group;   /* 0: as the test's section says */
	uint64_t sweep_groups; /* 1: the best of all sizes, for each point */
	uint64_t work_items;   /* 0: all that the test's section says */
	uint64_t size_bytes;   /* 0: the test's own sizes */
	uint64_t least_bytes;  /* the smallest of --sizes */
	uint64_t most_bytes;   /* the largest; 0: the test's own sizes */
	uint64_t access;       /* enum test_access */
	bool quick;	       /* fewer points and runs */
	bool beyond;	       /* svm: more than half of its memory */
	bool units;	       /* latency: between units, no memory */
	/* Folder of what the tests of a run share: kernels, ceilings; or NULL
	 */
	const char *shared;
	const atomic_bool *stop;
	void (*progress)(void *context, double fraction); /* may be NULL */
	void *progress_context;
};

struct session;

/* The options that only some tests take. */
enum test_takes {
	TAKES_SIZE = 1,
	TAKES_WORK_ITEMS = 2,
	TAKES_WORK_GROUP = 4,
	/* Its kernels compute the same in groups of any size. */
	TAKES_SWEEP = 8,
	TAKES_SIZES = 16,
	TAKES_ACCESS = 32,
	TAKES_LAST = TAKES_ACCESS,
};

/* What --size may be, within these bounds. */
struct size_rule {
	enum {
		SIZE_POWER,    /* a power of two */
		SIZE_SQUARE,   /* a square of a power of two of words */
		SIZE_MULTIPLE, /* of the least */
	} kind;
	uint64_t least, most;
};

/*
 * The figure of a test that a summary shows: the best point of some curves,
 * which are named as the test names them. What the curves lack is no error: a
 * device may be unable to do it.
 */
struct main_figure {
	const char *what; /* in some words; NULL ends a list of figures */
	/* Their family; one that ends in a blank is the beginning of some. */
	const char *family;
	const char *members[3]; /* none: all; never a variant */
	const char *ceiling;	/* member of the ceiling; NULL: any */
	double x;		/* only this point; 0: all */
	bool last;		/* only of the last curve */
};

/* Which documents a test follows: c2c cl --group, and pages of pictures. */
enum test_group {
	GROUP_SUITE,  /* the article of the head of this file */
	GROUP_MEMORY, /* measurements of memory; the test names its source */
	GROUPS,
};

extern const char *const test_group_names[GROUPS];

/* A test: a row of the table, and a file with its kernels beside it. */
struct test {
	const char *name;
	const char *section; /* of the paper, or the source */
	enum test_group set;
	const char *summary; /* of 58 characters at most, no full stop */

	unsigned takes;	    /* enum test_takes, or'ed together */
	unsigned memory_by; /* those that decide how much memory it needs */

	struct size_rule size;
	/* Defaults of --work-items and --work-group; 0: the device decides. */
	size_t items, group;
	size_t most_items; /* that the user may choose; 0: any */
	/* The article's groups, if session_group() gives others; else 0. */
	size_t article_group;
	/* A group has to divide this, unless the user chose items. */
	size_t group_divides;

	/* The first that has a value is the one. */
	struct main_figure figures[3];

	/* Whether work-items and groups suit it, in place of these rules. */
	int (*check)(const struct test_options *options, struct error *err);

	/*
	 * Where the kernels of a test compile for many seconds: in a process of
	 * its own, with an open session, compile each of them whose number
	 * leaves the rest part when divided by parts. NULL: no need.
	 */
	void (*compile)(struct session *session, unsigned part, unsigned parts);

	/*
	 * Measure: add curves to session->result and findings to
	 * session->record. If it fails, is stopped (-EINTR) or is impossible
	 * (-ENOTSUP, ERROR_UNAVAILABLE), session->rc says so, and what it has
	 * by then stays.
	 */
	void (*run)(struct session *session);
};

/* All tests in the order of the paper, the CPU's two first; NULL ends it. */
extern const struct test *const test_table[];

/* The test of that name, or NULL. */
const struct test *test_find(const char *name);

/* The names of the tests that take an option, for free(): "rowcol, scale". */
char *test_list(unsigned takes);

/*
 * Whether a test takes the options that are set, with these values: 0 or
 * -EINVAL (ERROR_USAGE). It needs no device, which may refuse them later.
 */
int test_check_options(const struct test *test,
	const struct test_options *options, struct error *err);

/* Whether groups of that size divide that many work-items. */
int test_check_groups(const struct test_options *options, size_t items,
	size_t group, struct error *err);

/*
 * Keep only the options that the test takes with these values; why (NULL) says
 * what was wrong with one. It may still refuse two together.
 */
void test_fit_options(const struct test *test, struct test_options *options,
	struct error *why);

/* Which of the options that only some tests take are set: enum test_takes. */
unsigned test_options_set(const struct test_options *options);

/* "--size" */
const char *test_option_name(enum test_takes takes);

/* "--size=4096", if it is set; for free(). */
char *test_option_text(
	const struct test_options *options, enum test_takes takes);

/* 0, or -ENOTSUP (ERROR_UNAVAILABLE): c2c was built without OpenCL. */
int opencl_available(struct error *err);

/*
 * Make CPU implementations measurable by the environment of this process: as
 * many workers as CPUs, and compiled kernels in folder. What the user set
 * stays. The list "environment" of *set gets a row of name, value, by for each
 * variable. Call it before all functions below that call OpenCL.
 */
int opencl_set_environment(const struct cpu_list *cpus, const char *folder,
	struct record *set, struct error *err);

/*
 * The installed implementations by the files that name them, for free():
 * "a.icd, b.icd". Calls nothing of theirs.
 */
char *opencl_list_implementations(void);

/*
 * All devices of all platforms, into the list "devices" of a record, and
 * sentences on implementations that cannot be used into "warnings". -ENODEV
 * (ERROR_UNAVAILABLE) if there is no device.
 */
int opencl_list_devices(struct record *record, struct error *err);

/*
 * Compile the kernels of several tests for a CPU device side by side, each by a
 * rehearsal of the test, into the folder of opencl_set_environment(). A test
 * that fails here is no error. *found gets how many processes did it, and for
 * how long.
 */
void tests_compile(const struct test *const *tests, size_t n,
	const struct test_options *options, const struct machine *machine,
	struct record *found);

/*
 * Run one test: append curves to result, and record what is known of the test,
 * the device, the clock and the threads. If the test is stopped,
 * result->complete is false.
 */
int test_run(const struct test *test, const struct test_options *options,
	const struct machine *machine, struct result *result,
	struct record *record, struct error *err);

#endif
