/*
 * What a record says beside what was measured: about the machine, the tool, the
 * options, the run.
 *
 * A struct facts is an object of JSON behind typed functions, so that keys this
 * version does not know are facts like any other, and loading and saving loses
 * nothing. "clock.hz" is the key "hz" of the inner object "clock". A struct
 * owns what it points to; zeroed it is empty.
 */
#ifndef C2C_FACTS_H
#define C2C_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct json_t;
struct record;

/* A value; only facts.c knows what it is. */
struct fact;

struct facts {
	struct json_t *object; /* NULL: empty */
	size_t n;	       /* keys; an inner object is one */
	bool failed;	       /* memory was out: facts are missing */
};

void facts_release(struct facts *facts);

/* Copy what more has, and replace what both have. */
void facts_append(struct facts *facts, const struct facts *more);

/*
 * Add a fact, or replace that of the key. NULL, a text that JSON or a terminal
 * cannot take, and a number that is not finite become unknown.
 */
void facts_set_text(struct facts *facts, const char *key, const char *text);
void facts_set_count(struct facts *facts, const char *key, int64_t count);
void facts_set_number(struct facts *facts, const char *key, double number);
void facts_set_flag(struct facts *facts, const char *key, bool flag);
void facts_set_unknown(struct facts *facts, const char *key);

/* A list of numbers: integers where whole, null where not finite. */
void facts_set_numbers(
	struct facts *facts, const char *key, const double *values, size_t n);

/* Forget what is under a key. */
void facts_drop(struct facts *facts, const char *key);

/* The fact under a key, or NULL. Borrowed. */
const struct fact *facts_find(const struct facts *facts, const char *key);

/* Its value; NULL, NaN, 0 or false if it is missing or of another kind. */
const char *facts_text(const struct facts *facts, const char *key);
double facts_number(const struct facts *facts, const char *key);
int64_t facts_count(const struct facts *facts, const char *key);
bool facts_flag(const struct facts *facts, const char *key);

bool fact_is_known(const struct fact *fact);

/* Whether both say the same; NULL and unknown do. */
bool fact_same(const struct fact *a, const struct fact *b);

/* "not recorded", "unknown" or the value: for free(), NULL without memory. */
char *fact_words(const struct fact *fact);

/*
 * Call report() for each key whose facts differ, last those that only b has;
 * NULL is a missing fact. Stops at the first return that is not 0, and returns
 * it, or -ENOMEM.
 */
typedef int fact_reporter(void *context, const char *key, const struct fact *a,
	const struct fact *b);
int facts_compare(const struct facts *a, const struct facts *b,
	fact_reporter *report, void *context);

/* The verdict on how well a run agrees with itself. */
enum run_verdict {
	RUN_UNJUDGED, /* too few pairs or passes */
	RUN_AGREES,
	RUN_DRIFTED,   /* its halves differ, but neighbouring passes agree */
	RUN_SCATTERED, /* neighbouring passes differ too */
};

/*
 * The block "run": how it went. What is unknown is -1, NaN or NULL, and not in
 * the record.
 */
struct run_facts {
	bool known;		     /* the record has that block */
	int64_t pairs, passes, jobs; /* jobs: pairs measured together */
	int64_t runs;		     /* that the record is made of */
	char *interval;		     /* of runs: "range" or "95 %" */
	double jobs_bias;
	int jobs_chosen;  /* by c2c, not by the user: 0, 1 */
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
	double most_wrong_bytes; /* that an order check found */
	char *resumed_started;	 /* when the run began that this one resumed */
	double resumed_elapsed_s;
	char **warnings; /* [n_warnings], sentences for the user */
	size_t n_warnings;
	struct record *tests; /* [n_tests], of c2c cl */
	size_t n_tests;
	struct facts other; /* keys of one command or of a newer version */
};

void run_facts_init(struct run_facts *run);
void run_facts_release(struct run_facts *run);

/* Append a copy of a warning; false without memory. */
bool run_facts_warn(struct run_facts *run, const char *text);

/*
 * Limits of the verdict. While vCPUs moved, spinning runs reached 0.94 to 0.97
 * and 0.81 to 0.89, parked ones 0.65 and about 0.
 */
#define RUN_LOW_EVEN_ODD 0.9
#define RUN_LOW_HALVES	 0.8
/* With fewer pairs, agreement is chance. */
#define RUN_JUDGED_PAIRS 10
enum run_verdict run_judge(double even_odd, double halves);

/*
 * Of how many epochs the values are the longest's (see
 * cmd/measure/measure_run.h): more than 1 where CPUs moved during the run, else
 * 0.
 */
int64_t run_epochs(const struct run_facts *run);

/* Forget that: the values are of more than that epoch. */
void run_drop_epoch(struct run_facts *run);

/*
 * Whether most of the pairs that were near at the end of the run were no longer
 * near after its CPUs had slept: see cmd/near_pairs_lasted.h. Only on a virtual
 * machine does that say that CPUs moved.
 */
bool run_lost_near_pairs(const struct run_facts *run);

#endif
