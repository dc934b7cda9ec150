/* The object "run" of a record: statistics and verdict of a run. */
#ifndef C2C_RUN_H
#define C2C_RUN_H

#include "record/facts.h"

struct record;

/* Verdict on the consistency of a run. */
enum run_verdict {
	RUN_UNJUDGED, /* too few pairs or passes */
	RUN_AGREES,
	RUN_DRIFTED,   /* halves differ, but even and odd passes agree */
	RUN_SCATTERED, /* even and odd passes differ */
};

/*
 * Facts of a run. An unknown value is -1, NaN or NULL. c2c omits unknown values
 * in the record.
 */
struct run_facts {
	bool known;		     /* the record has the object "run" */
	int64_t pairs, passes, jobs; /* jobs: pairs at the same time */
	int64_t runs;		     /* runs in the record */
	char *interval; /* kind of interval: "range", "95 %" or "passes" */
	double jobs_bias;
	int jobs_chosen;  /* 1 if c2c chose jobs, 0 if the user did */
	double at_once;	  /* CPUs that the host runs at the same time */
	int memory_bound; /* 1 if memory is on the chosen node */
	char *pages;	  /* smallest page size of the memory */
	double huge_share;
	/*
	 * Spearman's correlation over pairs: even with odd passes, and the
	 * first with the second half of the passes.
	 */
	double even_odd, halves;
	enum run_verdict verdict;
	double most_wrong_bytes; /* largest number from an order check */
	char *resumed_started;	 /* start of the resumed run */
	double resumed_elapsed_s;
	char **warnings; /* [n_warnings] sentences for the user */
	size_t n_warnings;
	struct record *tests; /* [n_tests] tests of c2c cl */
	size_t n_tests;
	struct facts other; /* keys of single commands and unknown keys */
};

/* Append a copy of a warning. Return false if out of memory. */
bool run_facts_warn(struct run_facts *run, const char *text);

/*
 * Return the median clock of the device's cores in GHz from the record of a
 * test. Return NaN if the clock is unknown or the test runs no kernels.
 */
double run_test_clock_ghz(const struct record *test);

/*
 * Lowest correlations of a consistent run. While vCPUs moved, runs with
 * spinning threads had 0.94 to 0.97 (even_odd) and 0.81 to 0.89 (halves); runs
 * with parked threads had 0.65 and about 0.
 */
#define RUN_LOW_EVEN_ODD 0.9
#define RUN_LOW_HALVES	 0.8
/* Smallest number of pairs with a verdict. */
#define RUN_JUDGED_PAIRS 10
enum run_verdict run_judge(double even_odd, double halves);

/*
 * Return the number of epochs if the values come from the longest of several
 * epochs (see cmd/measure/measure_run.h), else 0.
 */
int64_t run_epochs(const struct run_facts *run);

/* Drop the facts about epochs, because the values come from all epochs. */
void run_drop_epoch(struct run_facts *run);

/*
 * Return whether most near pairs at the end of the run were not near after the
 * CPUs slept (cmd/near_pairs_lasted.h). On a virtual machine this means that
 * vCPUs moved.
 */
bool run_lost_near_pairs(const struct run_facts *run);

#endif
