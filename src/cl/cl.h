/*
 * Tests of a device through OpenCL: the interface for the commands. The
 * interface has no OpenCL types, so a build without OpenCL also has it.
 *
 * Only the folder src/cl uses OpenCL. The tests follow X. Yan, X. Shi, L. Wang,
 * H. Yang, "An OpenCL Micro-Benchmark Suite for GPUs and CPUs"; the table names
 * its sections.
 *
 * An OpenCL implementation may crash or hang the process that calls it. To
 * survive that, call these functions in another process. Only one thread may
 * call them at a time.
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

/* Numbers of timed runs of a point and of warm-up runs. */
#define TEST_REPEAT  10
#define TEST_DISCARD 3

/* Largest number of sizes in each doubling (--sizes), and in all. */
#define TEST_MOST_EACH	64
#define TEST_MOST_SIZES 384

/* Largest number of options of --as-published. */
#define TEST_PUBLISHED 3

/* With --quick: seconds of each test to repeat points with wide intervals. */
#define TEST_QUICK_BUDGET_S 0.15

enum test_access {
	ACCESS_BOTH,
	ACCESS_READ,
	ACCESS_WRITE,
};

struct test_options {
	unsigned device; /* index in opencl_list_devices() */
	/*
	 * CPUs that run a CPU device, or that start kernels on another device
	 */
	const struct cpu_list *cpus;
	uint64_t repeat, discard;
	/* Half the width of a 95 % interval, divided by the median. */
	double precision_pct;
	double budget_s;	/* time to repeat points with wider intervals */
	uint64_t work_group;	/* 0: the number in the paper */
	uint64_t sweep_groups;	/* 1: try all sizes at each point */
	uint64_t work_items;	/* 0: the number in the paper */
	uint64_t size_bytes;	/* 0: the test's own sizes */
	uint64_t least_bytes;	/* smallest size of --sizes */
	uint64_t most_bytes;	/* largest size of --sizes; 0: default */
	uint64_t each_doubling; /* sizes in each doubling; 0: default */
	uint64_t access;	/* enum test_access */
	uint64_t element_bytes; /* bytes of an access; 0: default */
	uint64_t fine;		/* 1: as many points as in the test's source */
	bool quick;		/* fewer points and runs */
	bool beyond;		/* svm: more than half of the device's memory */
	bool units;		/* latency: between units, instead of memory */
	/* shared folder for kernels and ceilings of a run; or NULL */
	const char *shared;
	const atomic_bool *stop;
	void (*progress)(void *context, double fraction); /* may be NULL */
	void *progress_context;
};

struct session;

/* Options that apply only to some tests. */
enum test_takes {
	TAKES_SIZE = 1,
	TAKES_WORK_ITEMS = 2,
	TAKES_WORK_GROUP = 4,
	/* kernels whose results do not depend on the group size */
	TAKES_SWEEP = 8,
	TAKES_SIZES = 16,
	TAKES_ACCESS = 32,
	TAKES_FINE = 64,
	TAKES_EACH = 128, /* --sizes with N */
	TAKES_ELEMENT = 256,
	TAKES_LAST = TAKES_ELEMENT,
};

/* The values that --size accepts between its limits. */
struct size_rule {
	enum {
		SIZE_POWER,    /* a power of two */
		SIZE_SQUARE,   /* a square of a power of two of words */
		SIZE_MULTIPLE, /* a multiple of the least */
	} kind;
	uint64_t least, most;
};

/*
 * A figure of a test in the summary: the best point of the named curves. A
 * missing curve is no error: a device may lack a feature.
 */
struct main_figure {
	const char *what; /* a few words; NULL ends a list of figures */
	/* Family of the curves; a trailing blank makes it a prefix. */
	const char *family;
	const char *members[3]; /* member of the curves; empty: all */
	const char *ceiling;	/* member of the ceiling's curve; NULL: any */
	double x;		/* x of the only point; 0: all points */
	bool last;		/* use only the last matching curve */
};

/* Groups of tests by origin, for c2c cl --group and for pages of pictures. */
enum test_group {
	GROUP_SUITE,  /* the paper at the top of this file */
	GROUP_MEMORY, /* tests of memory from other sources */
	GROUPS,
};

extern const char *const test_group_names[GROUPS];

/* Sources of several tests. */
#define SOURCE_SUITE                                                           \
	"X. Yan et al., \"An OpenCL Micro-Benchmark Suite for GPUs and "       \
	"CPUs\", section "
#define SOURCE_BENCHES "gpu-benches by D. Ernst, "
#define SOURCE_OOMEN                                                           \
	"M. Oomen, \"Learning About GPUs Through Measuring Memory Bandwidth\""

/* A test; its kernels are in a .cl file of the same name. */
struct test {
	const char *name;
	const char *section; /* source in a few words, for the record */
	const char *source;  /* document and place */
	/*
	 * Options that the source states, as typed. The section "Source" of the
	 * manual page names the values that no option sets.
	 */
	const char *published[TEST_PUBLISHED];
	enum test_group set;
	const char *summary; /* at most 58 characters, no full stop */

	unsigned takes;	    /* enum test_takes, OR'ed together */
	unsigned memory_by; /* options that change the memory needed */

	struct size_rule size;
	/* Defaults of --work-items and --work-group; 0: the device's choice. */
	size_t items, group;
	size_t most_items; /* largest number for --work-items; 0: no limit */
	/*
	 * The paper's group size if session_group() returns another size; else
	 * 0.
	 */
	size_t article_group;
	/*
	 * Group sizes divide this number, unless the user chose --work-items.
	 */
	size_t group_divides;

	/*
	 * On CPUs: shares of each unit's work, which free units take. 1: all
	 * units do equal work. 0: no launch of the test takes shares.
	 */
	unsigned shares;

	/* The summary shows the first figure that has a value. */
	struct main_figure figures[3];

	/* Check work-items and groups, in place of the rules above. */
	int (*check)(const struct test_options *options, struct error *err);

	/* Compile the parts (session_has_part()) in several processes first. */
	bool compiles_long;

	/*
	 * Measure: add curves to session->result and findings to
	 * session->record. If the test fails, is stopped (-EINTR) or is
	 * impossible (-ENOTSUP, ERROR_UNAVAILABLE), session->rc says so, and
	 * the results so far are kept.
	 */
	void (*run)(struct session *session);
};

/* All tests in the order of the paper, the CPU's two first; NULL ends it. */
extern const struct test *const test_table[];

/* Return the test of that name, or NULL. */
const struct test *test_find(const char *name);

/* Return the tests that take an option, for free(): "rowcol, scale". */
char *test_list(unsigned takes);

/*
 * Check whether a test takes the options that are set, with their values: 0 or
 * -EINVAL (ERROR_USAGE). No device is needed; a device may refuse them later.
 */
int test_check_options(const struct test *test,
	const struct test_options *options, struct error *err);

int test_check_groups(const struct test_options *options, size_t items,
	size_t group, struct error *err);

/*
 * Drop options that the test does not take with these values. why (or NULL)
 * gets the reason for one dropped option. The test may still reject a
 * combination.
 */
void test_fit_options(const struct test *test, struct test_options *options,
	struct error *why);

/* Add a remedy for the user to an out-of-memory error. */
void test_add_memory_remedy(const struct test *test, struct error *err);

/* Return the test-specific options that are set (enum test_takes). */
unsigned test_options_set(const struct test_options *options);

/* Return the name of an option, such as "--size". */
const char *test_option_name(enum test_takes takes);

/* Return 0, or -ENOTSUP (ERROR_UNAVAILABLE) if c2c was built without OpenCL. */
int opencl_available(struct error *err);

/*
 * Set environment variables of CPU implementations: as many workers as CPUs,
 * and compiled kernels in folder. The user's own variables are kept. The list
 * "environment" of *set gets a row (name, value, by) for each variable. Call it
 * before all functions below that call OpenCL.
 */
int opencl_set_environment(const struct cpu_list *cpus, const char *folder,
	struct record *set, struct error *err);

/*
 * Return the files that name the installed implementations, for free(): "a.icd,
 * b.icd". The function itself loads no implementation.
 */
char *opencl_list_implementations(void);

/*
 * Put all devices of all platforms into the list "devices" of a record, and
 * sentences on unusable implementations into "warnings". -ENODEV
 * (ERROR_UNAVAILABLE): no device exists.
 */
int opencl_list_devices(struct record *record, struct error *err);

/*
 * Compile the kernels of tests in parallel, by rehearsals of the tests, into
 * the folder of opencl_set_environment(). This process must not have called
 * OpenCL. A test that fails to compile is no error. options: CPUs, the stop
 * and the progress of all tests. *found gets the number of processes and their
 * time.
 */
struct test_to_compile {
	const struct test *test;
	struct test_options options; /* some may be for other tests */
};
void tests_compile(const struct test_to_compile *tests, size_t n,
	const struct test_options *options, const struct machine *machine,
	struct record *found);

/*
 * Run one test: append curves to result, and record facts of the test, the
 * device, the clock and the threads. If the test is stopped, result->complete
 * is false.
 */
int test_run(const struct test *test, const struct test_options *options,
	const struct machine *machine, struct result *result,
	struct record *record, struct error *err);

#endif
