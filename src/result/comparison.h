/*
 * What changed from one result to another.
 *
 * A struct comparison owns all it points to. One thread at a time may use it.
 */
#ifndef C2C_COMPARISON_H
#define C2C_COMPARISON_H

#include <math.h>

#include "machine/division.h"
#include "result/analysis.h"
#include "result/result.h"
#include "util/arena.h"

struct json_t;
struct stat_progress;

/* The share of false discoveries among what is called changed. */
#define COMPARE_RATE 0.05

enum compare_test {
	COMPARE_NONE,	   /* the files do not say how sure the numbers are */
	COMPARE_INTERVALS, /* of medians */
	COMPARE_PASSES,	   /* a rank test */
	COMPARE_RUNS,	   /* a permutation test of runs */
};

/* What runs say, and what one run each cannot say. */
enum compare_judge {
	COMPARE_BY_ONE,	 /* one run each, of a machine that repeats itself */
	COMPARE_ONE_RUN, /* one run each, of one that does not: no verdict */
	COMPARE_FEW,	 /* runs, but too few for a test: no verdict */
	COMPARE_BY_RUNS,
};

enum compare_pairs {
	COMPARE_INSIDE, /* the groups */
	COMPARE_BETWEEN,
	COMPARE_ALL, /* no levels: every pair */
};

struct compare_level {
	enum analysis_kind kind; /* of the groups */
	enum compare_pairs pairs;
	size_t n_pairs;	      /* in the reference */
	double before, after; /* medians over pairs */
	double change;	      /* of these medians */
	double p;	      /* adjusted; NaN: not from a test */
	/*
	 * By compare_levels.c and compare.c; compare_runs.c may take it back.
	 */
	bool tested, significant;
	/*
	 * Of several runs: how much the level changed beside the other pairs of
	 * the same runs, as a share; NaN: not known.
	 */
	double rest_change, rest_p;
	bool rest_tested, rest_significant;
};

/* One matrix of medians, by its name. */
struct compare_matrix {
	char *name, *unit, *quantity; /* quantity: may be NULL */
	bool higher_is_better, symmetric;
	enum compare_test test;
	bool few_passes; /* kept, but too few for COMPARE_PASSES */
	/* Over the reference's CPUs; NULL when compared by level only. */
	double *before, *change, *p; /* p adjusted, NaN without a test */
	bool *tested, *significant;
	size_t n_pairs, n_tested, n_better, n_worse; /* compared; changed */
	struct compare_level *levels;
	size_t n_levels;
};

/*
 * The points of a curve whose working sets fit one level and no smaller one, or
 * all points. A stretch changed if most of its points did, in one direction.
 */
struct compare_stretch {
	char *level;	    /* "L2"; NULL: all points */
	double least, most; /* least < x <= most */
	size_t n_points, n_changed;
	double before, after; /* medians over points */
	double change;
	double p;		  /* NaN: not from a test */
	bool tested, significant; /* tested: most of its points */
};

/* A curve that both have. */
struct compare_curve {
	struct curve_facts facts; /* in the arena, as all texts here */
	struct cpu_list cpus;
	bool higher_is_better;
	enum compare_test test; /* NONE: the files have no intervals */
	/* [n] points that both have. */
	double *x, *before, *change;
	bool *tested, *significant;
	size_t n, n_tested, n_better, n_worse;
	size_t n_alone; /* points that only one of both has */
	struct compare_stretch *stretches;
	size_t n_stretches;
};

/* Something of the caches that is known as an interval or as one number. */
struct compare_size {
	char *name; /* "L3 size", "TLB reach, 4 KiB pages" */
	bool bytes;
	double before[2], after[2]; /* from, to */
	bool apart;		    /* they do not overlap */
	bool changed; /* and no curve that was tested there denies it */
};

/* A fact that the two files have with different values. */
struct compare_fact {
	char *what; /* "machine.kernel", "tool.version", "options.home" */
	char *before, *after;
};

struct comparison {
	enum compare_judge judge;
	size_t n_runs[2];
	double least_p;	       /* of levels, that so many runs can have */
	double least_single_p; /* of single pairs and points */
	bool in_a_row;	       /* all runs of a side came first */
	/*
	 * And the machine may drift: then a change over time is no verdict, but
	 * what changed beside the rest of the machine is.
	 */
	bool needs_turns;
	bool of_nodes; /* pairs are of NUMA nodes, and judged as levels */
	const char *undecided; /* why there is no verdict, or NULL */
	const char *doubt;     /* what else may explain a change, or NULL */
	struct cpu_list cpus;  /* of the reference */
	struct compare_matrix *matrices;
	size_t n_matrices;
	struct compare_curve *curves;
	size_t n_curves;
	struct compare_size *sizes;
	size_t n_sizes;
	struct compare_fact *facts;
	size_t n_facts;
	/* What one of both lacks: "llc, inside: only in a.json". */
	char **unmatched;
	size_t n_unmatched;
	/*
	 * Medians over the pairs of the first matrix, else over all points, in
	 * per cent of before.
	 */
	double distance_pct; /* changes without their signs */
	double change_pct;   /* changes with their signs */
	struct arena memory; /* holds all this */
};

/* How the topology inside a result divides its CPUs, once it was needed. */
struct compare_topology {
	bool known;
	struct machine_divisions divisions;
};

/* A result, what to call it, and its analysis. */
struct compare_side {
	const struct result *result;
	const char *source, *hostname; /* hostname: NULL if unknown */
	const struct analysis *analysis;
	/* Of the reference: told how far the test of runs is; or NULL. */
	const struct stat_progress *watch;
	const char *no_levels; /* why the runs show none, or NULL */
	/* Of a reference that others are compared with too: kept here. */
	struct compare_topology *topology; /* or NULL */
	/* What the result is made of; one run has none, or itself. */
	const struct result *const *runs;
	size_t n_runs;
};

/* A file that is compared with a reference, or the reference. */
struct compared_file {
	struct result *parts; /* [n_parts] the files of a side of several */
	size_t n_parts;
	const struct result **runs; /* [side.n_runs], of the side */
	/* All runs of this side and of the reference, and their levels. */
	struct result pooled_result;
	struct analysis pooled;
	char *no_levels; /* why there are none, or NULL */
	struct result result;
	struct analysis analysis; /* if the user asks for levels */
	struct compare_side side;
	struct compare_topology topology; /* side.topology */
	struct comparison comparison;	  /* not for the reference */
	bool outlier;
	char *reason; /* why it cannot be compared, or NULL */
	/* Of a fleet, which keeps only what its report needs of a file. */
	bool unread;	       /* the file is no record */
	bool brief;	       /* its JSON leaves pairs out */
	struct json_t *packed; /* compare_pack(), or NULL */
	char *report;	       /* compare_report() as text, or NULL */
};

void compare_release(struct comparison *comparison);

/* Whether a change is for the worse. */
static inline bool compare_is_worse(bool higher_is_better, double change)
{
	return higher_is_better ? change < 0 : change > 0;
}

/* What changed by its p, but has no verdict: the machine may have drifted. */
static inline bool compare_may_be_drift(bool tested, double p)
{
	return !tested && p <= COMPARE_RATE;
}

/*
 * Whether a level that changed beside the rest is what moved, and not the rest:
 * its own change goes that way, and is the larger.
 */
static inline bool compare_moved(const struct compare_level *level)
{
	double own = level->change / fabs(level->before);
	double rest = (1 + own) / (1 + level->rest_change) - 1;

	return own * level->rest_change > 0 && fabs(own) >= fabs(rest);
}

/* "lower", "higher", NULL; by compare_pairs: "inside", "between", "all", NULL.
 */
extern const char *const compare_better[], *const compare_pairs_words[];

/*
 * What the comparison format says of a struct compared_file, and as it is in
 * that format: of one that cannot be compared, why. For json_decref(), by
 * compare_drop_packed(); NULL without memory.
 */
extern const struct record_type compared_type;
struct json_t *compare_pack(const struct compared_file *file);
void compare_drop_packed(struct compared_file *file);

/*
 * The comparison format, and all of it as text for free(): files[0] of n is the
 * reference. Of a fleet (else NULL) files may have what compare_pack() made.
 * NULL without memory.
 */
struct fleet;
extern const struct record_type comparison_type;
char *compare_text(
	const struct compared_file *files, size_t n, const struct fleet *fleet);

#endif
