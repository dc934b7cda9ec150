/*
 * The block "run" of a record: how a run went.
 */
#ifndef C2C_RUN_H
#define C2C_RUN_H

#include "record/facts.h"

struct record;

/* The verdict on how well a run agrees with itself. */
enum run_verdict {
	RUN_UNJUDGED, /* too few pairs or passes */
	RUN_AGREES,
	RUN_DRIFTED,   /* halves differ, but neighbouring passes agree */
	RUN_SCATTERED, /* neighbouring passes differ too */
};

/* How a run went. Unknown values are -1, NaN or NULL, and not in the record. */
struct run_facts {
	bool known;		     /* the record has that block */
	int64_t pairs, passes, jobs; /* jobs: pairs measured together */
	int64_t runs;		     /* runs that the record has */
	char *interval;		     /* of runs: "range" or "95 %" */
	double jobs_bias;
	int jobs_chosen;  /* c2c chose jobs, not the user: 0, 1 */
	double at_once;	  /* CPUs that the host runs at the same time */
	int memory_bound; /* to the node that the user chose: 0, 1 */
	char *pages;	  /* the smallest kind of page in the memory */
	double huge_share;
	/*
	 * Spearman's correlation over pairs: of even with odd passes, and of
	 * the first half of the passes with the second.
	 */
	double even_odd, halves;
	enum run_verdict verdict;
	double most_wrong_bytes; /* most that an order check found */
	char *resumed_started;	 /* start of the run that this one resumed */
	double resumed_elapsed_s;
	char **warnings; /* [n_warnings], sentences for the user */
	size_t n_warnings;
	struct record *tests; /* [n_tests], of c2c cl */
	size_t n_tests;
	struct facts other; /* keys of one command or of a newer version */
};

/* Append a copy of a warning; false without memory. */
bool run_facts_warn(struct run_facts *run, const char *text);

/*
 * Least correlations of a run that agrees. While vCPUs moved, spinning runs
 * reached 0.94 to 0.97 and 0.81 to 0.89, parked ones 0.65 and about 0.
 */
#define RUN_LOW_EVEN_ODD 0.9
#define RUN_LOW_HALVES	 0.8
/* Fewest pairs to judge; with fewer, agreement is chance. */
#define RUN_JUDGED_PAIRS 10
enum run_verdict run_judge(double even_odd, double halves);

/*
 * Return the number of epochs, if the values are those of the longest (see
 * cmd/measure/measure_run.h): more than 1 if CPUs moved during the run, else 0.
 */
int64_t run_epochs(const struct run_facts *run);

/* Forget the epochs: the values are of more than the longest. */
void run_drop_epoch(struct run_facts *run);

/*
 * Whether most of the pairs that were near at the end of the run were no longer
 * near after its CPUs had slept: see cmd/near_pairs_lasted.h. Only on a virtual
 * machine does this mean that CPUs moved.
 */
bool run_lost_near_pairs(const struct run_facts *run);

#endif
