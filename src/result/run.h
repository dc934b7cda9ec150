/* The block "run" of a record: statistics and verdict of a run. */
#ifndef C2C_RUN_H
#define C2C_RUN_H

#include "record/facts.h"

struct record;

/* The verdict on the consistency of a run. */
enum run_verdict {
	RUN_UNJUDGED, /* too few pairs or passes */
	RUN_AGREES,
	RUN_DRIFTED,   /* halves differ, but consecutive passes agree */
	RUN_SCATTERED, /* consecutive passes also differ */
};

/* Facts of a run. Unknown values are -1, NaN or NULL, and not in the record. */
struct run_facts {
	bool known;		     /* the record has the block "run" */
	int64_t pairs, passes, jobs; /* jobs: pairs measured together */
	int64_t runs;		     /* number of runs in the record */
	char *interval; /* kind of interval over runs: "range" or "95 %" */
	double jobs_bias;
	int jobs_chosen;  /* c2c chose jobs, not the user: 0, 1 */
	double at_once;	  /* CPUs that the host runs simultaneously */
	int memory_bound; /* memory is bound to the user's node: 0, 1 */
	char *pages;	  /* the smallest page size in use */
	double huge_share;
	/*
	 * Spearman's correlation over pairs: even with odd passes, and the
	 * first with the second half of the passes.
	 */
	double even_odd, halves;
	enum run_verdict verdict;
	double most_wrong_bytes; /* largest value that an order check found */
	char *resumed_started;	 /* start of the run that this one resumed */
	double resumed_elapsed_s;
	char **warnings; /* [n_warnings], sentences for the user */
	size_t n_warnings;
	struct record *tests; /* [n_tests] for c2c cl */
	size_t n_tests;
	struct facts other; /* keys of one command or of a newer version */
};

/* Append a copy of a warning; false without memory. */
bool run_facts_warn(struct run_facts *run, const char *text);

/*
 * Return the median clock of the device's cores in GHz, from a test's record;
 * NaN: unknown, or the test runs no kernels.
 */
double run_test_clock_ghz(const struct record *test);

/*
 * Least correlations of a consistent run. While vCPUs moved, runs with spinning
 * threads reached 0.94 to 0.97 (even-odd) and 0.81 to 0.89 (halves), runs with
 * parked threads 0.65 and about 0.
 */
#define RUN_LOW_EVEN_ODD 0.9
#define RUN_LOW_HALVES	 0.8
/* Fewest pairs for a verdict; with fewer, agreement is chance. */
#define RUN_JUDGED_PAIRS 10
enum run_verdict run_judge(double even_odd, double halves);

/*
 * If the values are from the longest epoch (see cmd/measure/measure_run.h),
 * return the number of epochs: more than 1 if CPUs moved during the run, else
 * 0.
 */
int64_t run_epochs(const struct run_facts *run);

/* Forget the epochs: the values are no longer from the longest epoch alone. */
void run_drop_epoch(struct run_facts *run);

/*
 * Whether most pairs that were near at the end of the run were no longer near
 * after the CPUs slept (cmd/near_pairs_lasted.h). On a virtual machine, vCPUs
 * moved; elsewhere this proves nothing.
 */
bool run_lost_near_pairs(const struct run_facts *run);

#endif
