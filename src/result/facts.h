/*
 * What a record says beside what was measured: of the machine, the tool, the
 * options, the run.
 *
 * A struct facts is a list of typed facts under keys, in the order of the
 * file: a fact of an inner object is under both keys, "clock.hz". Keys that
 * this version does not know are facts like any other, so loading and saving
 * loses nothing. A struct owns what it points to; zeroed it is empty.
 */
#ifndef C2C_RESULT_FACTS_H
#define C2C_RESULT_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct record;

enum fact_kind {
	FACT_UNKNOWN, /* null */
	FACT_FLAG,
	FACT_COUNT,
	FACT_NUMBER,
	FACT_TEXT,
	FACT_JSON, /* a list or a deeper object, as its JSON text */
};

struct fact {
	char *key;
	bool whole; /* a dot in the key is just a dot */
	enum fact_kind kind;
	bool flag;
	int64_t count;
	double number; /* also of a count */
	char *text;    /* of FACT_TEXT and FACT_JSON */
};

struct facts {
	struct fact *items; /* [n], no key twice */
	size_t n;
	bool failed; /* memory was out: facts are missing */
};

void facts_release(struct facts *facts);

/*
 * Append copies of more; both have no key in common. prefix: "device." before
 * each key, or NULL.
 */
void facts_append(
	struct facts *facts, const char *prefix, const struct facts *more);

/*
 * Add a fact, or replace that of the key; text that is NULL or no file takes,
 * and a number that is not finite, are unknown.
 */
void facts_set_text(struct facts *facts, const char *key, const char *text);
void facts_set_count(struct facts *facts, const char *key, int64_t count);
void facts_set_number(struct facts *facts, const char *key, double number);
void facts_set_flag(struct facts *facts, const char *key, bool flag);
void facts_set_unknown(struct facts *facts, const char *key);

/* An empty list, and an object or a text appended to a list. */
void facts_set_empty(struct facts *facts, const char *key);
void facts_add_row(
	struct facts *facts, const char *key, const struct facts *row);
void facts_add_text(struct facts *facts, const char *key, const char *text);

/* A list of numbers, written as integers if whole, as null if not finite. */
void facts_set_numbers(
	struct facts *facts, const char *key, const double *values, size_t n);

/* Forget what is under a key. */
void facts_drop(struct facts *facts, const char *key);

/* The fact under a key, or NULL. Borrowed. */
const struct fact *facts_find(const struct facts *facts, const char *key);

/* Its text, or NULL; its number, or NaN. */
const char *facts_text(const struct facts *facts, const char *key);
double facts_number(const struct facts *facts, const char *key);

bool fact_is_known(const struct fact *fact);

/* Whether both say the same; NULL and unknown are one. */
bool fact_same(const struct fact *a, const struct fact *b);

/* "not recorded", "unknown" or the value: for free(), NULL without memory. */
char *fact_words(const struct fact *fact);

/* What is decided from how far a run agrees with itself. */
enum run_verdict {
	RUN_UNJUDGED, /* too few pairs or passes */
	RUN_AGREES,
	RUN_DRIFTED,   /* its halves differ, neighbouring passes do not */
	RUN_SCATTERED, /* neighbouring passes differ too */
};

/*
 * The block "run": how it went. What is not known is -1, NaN or NULL, and not
 * in the record.
 */
struct run_facts {
	bool known;		     /* the record has that block */
	int64_t pairs, passes, jobs; /* jobs: pairs measured together */
	double jobs_bias;
	int memory_bound; /* where it was asked for: 0, 1 */
	char *pages;	  /* that all of the memory had at least */
	double huge_share;
	/*
	 * Spearman's correlation over pairs of even with odd passes, and of
	 * the first with the second half of them.
	 */
	double even_odd, halves;
	enum run_verdict verdict;
	double most_wrong_bytes; /* of an order check */
	char *resumed_started;	 /* of the run that this one went on with */
	double resumed_elapsed_s;
	char **warnings; /* [n_warnings], sentences for the user */
	size_t n_warnings;
	/* Of c2c cl: its tests, and a record with the list "environment". */
	struct record *tests, *environment;
	size_t n_tests;
	struct facts other; /* keys of one command or of a newer version */
};

void run_facts_init(struct run_facts *run);
void run_facts_release(struct run_facts *run);

/* Append a warning, copied; false without memory. */
bool run_facts_warn(struct run_facts *run, const char *text);

/*
 * The verdict. On virtual machines whose CPUs moved, spinning runs reached 0.94
 * to 0.97 and 0.81 to 0.89, parked ones 0.65 and about 0.
 */
#define RUN_LOW_EVEN_ODD 0.9
#define RUN_LOW_HALVES	 0.8
/* Fewer pairs agree or not by chance. */
#define RUN_JUDGED_PAIRS 10
enum run_verdict run_judge(double even_odd, double halves);

#endif
