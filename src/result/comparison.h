/*
 * What changed from one result to another.
 *
 * A struct comparison owns all it points to. One thread at a time may use it.
 */
#ifndef C2C_RESULT_COMPARISON_H
#define C2C_RESULT_COMPARISON_H

#include "result/analysis.h"
#include "result/result.h"
#include "util/arena.h"

struct json_t;

enum compare_test {
	COMPARE_NONE,	   /* the files do not say how sure the numbers are */
	COMPARE_INTERVALS, /* of medians */
	COMPARE_PASSES,	   /* a rank test */
};

struct compare_level {
	enum analysis_kind kind; /* of the groups */
	bool all;		 /* no levels: every pair */
	bool between;		 /* pairs between groups, not inside them */
	size_t n_pairs;		 /* in the reference */
	double before, after;	 /* medians over pairs */
	double change;		 /* of these medians */
	double p;		 /* adjusted; NaN: not from a test */
	bool significant;
};

/* One matrix of medians, by its name. */
struct compare_matrix {
	char *name, *unit, *quantity; /* quantity: may be NULL */
	bool higher_is_better, symmetric;
	enum compare_test test;
	bool few_passes; /* kept, but too few for COMPARE_PASSES */
	/* Over the reference's CPUs; NULL when compared by level only. */
	double *before, *change, *p; /* p adjusted, NaN without a test */
	bool *significant;
	size_t n_pairs, n_better, n_worse; /* compared; changed */
	struct compare_level *levels;
	size_t n_levels;
};

/* A fact that the two files have with different values. */
struct compare_fact {
	char *what; /* "machine.kernel", "tool.version", "options.home" */
	char *before, *after;
};

struct comparison {
	struct cpu_list cpus; /* of the reference */
	struct compare_matrix *matrices;
	size_t n_matrices;
	struct compare_fact *facts;
	size_t n_facts;
	/* By level: those that one of two machines lacks, as "llc, inside". */
	char **unmatched;
	size_t n_unmatched;
	/* Medians over pairs of the first matrix, in per cent of before. */
	double distance_pct; /* changes without their signs */
	double change_pct;   /* changes with their signs */
	struct arena memory; /* holds all this */
};

/* A result, what to call it, and its analysis. */
struct compare_side {
	const struct result *result;
	const char *source;
	const struct analysis *analysis;
};

/* A file that is compared with a reference, or the reference. */
struct compared {
	struct result result;
	struct analysis analysis; /* if the user asks for levels */
	struct compare_side side;
	struct comparison comparison; /* not for the reference */
	bool outlier;
	char *reason; /* why it cannot be compared, or NULL */
};

void compare_release(struct comparison *comparison);

/* Whether a change is for the worse. */
static inline bool compare_is_worse(
	const struct compare_matrix *matrix, double change)
{
	return matrix->higher_is_better ? change < 0 : change > 0;
}

/* The comparison format without its envelope. NULL without memory. */
struct json_t *compare_to_json(const struct comparison *comparison);

/*
 * The comparison format of files[n] as text for free(); files[0] is the
 * reference. NULL without memory.
 */
char *compare_text(const struct compared *files, size_t n);

#endif
