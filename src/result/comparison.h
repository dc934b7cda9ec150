/*
 * The differences between two results.
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

/* Largest share of false discoveries among changes. */
#define COMPARE_RATE 0.05

enum compare_test {
	COMPARE_NONE,	   /* the files have neither passes nor intervals */
	COMPARE_INTERVALS, /* intervals of medians */
	COMPARE_PASSES,	   /* a rank test */
	COMPARE_RUNS,	   /* a permutation test of runs */
};

/* Which runs give a verdict, or why there is none. */
enum compare_judge {
	COMPARE_BY_ONE,	 /* one run per side; runs of the machine agree */
	COMPARE_ONE_RUN, /* one run per side, other machines: no verdict */
	COMPARE_FEW,	 /* several runs, too few for a test: no verdict */
	COMPARE_BY_RUNS,
};

enum compare_pairs {
	COMPARE_INSIDE, /* inside the groups */
	COMPARE_BETWEEN,
	COMPARE_ALL, /* every pair, without levels */
};

struct compare_level {
	enum analysis_kind kind; /* kind of the groups */
	enum compare_pairs pairs;
	size_t n_pairs;	      /* pairs in the reference */
	double before, after; /* medians over pairs */
	double change;	      /* change of the medians */
	double p;	      /* adjusted; NaN: not from a test */
	/*
	 * Set by compare_levels.c and compare.c; compare_runs.c may clear both.
	 */
	bool tested, significant;
	/*
	 * With several runs: the change relative to the other pairs of the
	 * runs, as a share, and its p; NaN: unknown.
	 */
	double rest_change, rest_p;
	bool rest_tested, rest_significant;
};

/* The changes of one matrix of medians. */
struct compare_matrix {
	char *name, *unit, *quantity; /* quantity: may be NULL */
	bool higher_is_better, symmetric;
	enum compare_test test;
	bool few_passes; /* passes kept, but too few for COMPARE_PASSES */
	/* over the reference's CPUs; NULL if compared by level only */
	double *before, *change, *p; /* p: adjusted, NaN without a test */
	bool *tested, *significant;
	size_t n_pairs, n_tested, n_better, n_worse; /* compared; changed */
	struct compare_level *levels;
	size_t n_levels;
};

/*
 * Points of a curve that are judged together: the working sets that fit one
 * level but no smaller level, one point that has a name, or all points. A
 * stretch changed if most of its points changed in one direction.
 */
struct compare_stretch {
	char *level;	    /* "L2", or a point's name; NULL: all points */
	double least, most; /* least < x <= most */
	size_t n_points, n_changed;
	double before, after; /* medians over points */
	double change;
	double p;		  /* NaN: not from a test */
	bool tested, significant; /* tested: most points were tested */
};

/* A curve that both results have. */
struct compare_curve {
	struct curve_facts facts; /* texts are in the arena */
	struct cpu_list cpus;
	bool higher_is_better;
	enum compare_test test; /* NONE: the files have no intervals */
	/* [n] points that both results have */
	double *x, *before, *change;
	const char **x_names; /* [n], of the first result; NULL: none */
	bool *tested, *significant;
	size_t n, n_tested, n_better, n_worse;
	size_t n_alone; /* points that only one result has */
	struct compare_stretch *stretches;
	size_t n_stretches;
};

/* A property of the caches: an interval or a number. */
struct compare_size {
	char *name; /* "L3 size", "TLB reach, 4 KiB pages" */
	bool bytes;
	double before[2], after[2]; /* from and to */
	bool apart;		    /* the intervals do not overlap */
	bool changed; /* apart, and no tested curve contradicts it */
};

/* The cache lines of a pair (c2c latency --by-line). */
struct compare_lines {
	struct line_profile before, after;
	bool mean_tested, mean_changed;
	bool verdict_tested, verdict_changed; /* whether lines differ */
};

/* A fact whose values differ in two files. */
struct compare_fact {
	char *what; /* "machine.kernel", "tool.version", "options.home" */
	char *before, *after;
};

struct comparison {
	enum compare_judge judge;
	size_t n_runs[2];
	/* The least p that so many runs can give: */
	double least_p;	       /* to levels */
	double least_single_p; /* to single pairs and points */
	bool in_a_row;	       /* one side began all its runs first */
	/*
	 * in_a_row on a machine that may drift: only a change relative to the
	 * rest of the machine has a verdict.
	 */
	bool needs_turns;
	bool of_nodes;	       /* pairs of NUMA nodes, judged as levels */
	const char *undecided; /* why there is no verdict, or NULL */
	const char *doubt;     /* what else may explain a change, or NULL */
	struct cpu_list cpus;  /* CPUs of the reference */
	struct compare_matrix *matrices;
	size_t n_matrices;
	struct compare_curve *curves;
	size_t n_curves;
	struct compare_size *sizes;
	size_t n_sizes;
	struct compare_lines *lines; /* pairs that both results have */
	size_t n_lines;
	struct compare_fact *facts;
	size_t n_facts;
	/* Items of only one result: "llc, inside: only in a.json". */
	char **unmatched;
	size_t n_unmatched;
	/*
	 * Medians over the pairs of the first matrix, else over all points, in
	 * per cent of the value before.
	 */
	double distance_pct; /* absolute changes */
	double change_pct;   /* signed changes */
	struct arena memory; /* holds all this */
};

/* Divisions of a result's CPUs by its own topology, found when needed. */
struct compare_topology {
	bool known;
	struct machine_divisions divisions;
};

/* One side: a result, its name and its analysis. */
struct compare_side {
	const struct result *result;
	const char *source, *hostname; /* hostname: NULL if unknown */
	const struct analysis *analysis;
	/* progress of the test of runs (reference only); or NULL */
	const struct stat_progress *watch;
	const char *no_levels; /* why the runs show no levels, or NULL */
	/* cache for a reference that several files are compared with */
	struct compare_topology *topology; /* or NULL */
	/* runs merged into the result; a single run has none, or itself */
	const struct result *const *runs;
	size_t n_runs;
};

/* A file that is compared with a reference, or the reference. */
struct compared_file {
	struct result *parts; /* [n_parts] the files, if the side has several */
	size_t n_parts;
	const struct result **runs; /* [side.n_runs] runs of the side */
	/* all runs of this side and of the reference, and their levels */
	struct result pooled_result;
	struct analysis pooled;
	char *no_levels; /* why there are no levels, or NULL */
	struct result result;
	struct analysis analysis; /* if the user asks for levels */
	struct compare_side side;
	struct compare_topology topology; /* side.topology */
	struct comparison comparison;	  /* none for the reference */
	bool outlier;
	char *reason; /* why the file cannot be compared, or NULL */
	/* for a fleet, which keeps only what its report needs */
	bool unread;	       /* the file is not a record */
	bool brief;	       /* the JSON leaves pairs out */
	struct json_t *packed; /* compare_pack(), or NULL */
	char *report;	       /* compare_report() as text, or NULL */
};

void compare_release(struct comparison *comparison);

/* Whether a change is for the worse. */
static inline bool compare_is_worse(bool higher_is_better, double change)
{
	return higher_is_better ? change < 0 : change > 0;
}

/* Whether p shows a change that has no verdict because of possible drift. */
static inline bool compare_may_be_drift(bool tested, double p)
{
	return !tested && p <= COMPARE_RATE;
}

/*
 * Whether a level that changed relative to the rest changed more than the rest:
 * its own change has the same direction and is larger.
 */
static inline bool compare_moved(const struct compare_level *level)
{
	double own = level->change / fabs(level->before);
	double rest = (1 + own) / (1 + level->rest_change) - 1;

	return own * level->rest_change > 0 && fabs(own) >= fabs(rest);
}

/* "lower", "higher", NULL; and "inside", "between", "all", NULL. */
extern const char *const compare_better[], *const compare_pairs_words[];

/*
 * The format of a struct compared_file, and its JSON: the changes, or why the
 * file cannot be compared. compare_drop_packed() releases the JSON; NULL
 * without memory.
 */
extern const struct record_type compared_type;
struct json_t *compare_pack(const struct compared_file *file);
void compare_drop_packed(struct compared_file *file);

/*
 * The comparison format, and a comparison as text for free(): files[0] of n is
 * the reference. With a fleet (else NULL), files may have JSON from
 * compare_pack(). NULL without memory.
 */
struct fleet;
extern const struct record_type comparison_type;
char *compare_text(
	const struct compared_file *files, size_t n, const struct fleet *fleet);

#endif
