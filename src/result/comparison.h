/*
 * The changes from one result to another.
 *
 * A struct comparison owns its data. Only one thread at a time may use a
 * comparison.
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

/* Highest expected share of false discoveries among changes. */
#define COMPARE_RATE 0.05

enum compare_test {
	COMPARE_NONE,	   /* files without passes and intervals */
	COMPARE_INTERVALS, /* intervals of medians */
	COMPARE_PASSES,	   /* a rank test of passes */
	COMPARE_RUNS,	   /* a permutation test of runs */
};

/* How c2c finds a verdict from runs, or why it has no verdict. */
enum compare_judge {
	COMPARE_BY_ONE,	 /* one run per side, on a machine whose runs agree */
	COMPARE_ONE_RUN, /* one run per side, on another machine: no verdict */
	COMPARE_FEW,	 /* too few runs for a test: no verdict */
	COMPARE_BY_RUNS,
};

enum compare_pairs {
	COMPARE_INSIDE, /* pairs inside groups */
	COMPARE_BETWEEN,
	COMPARE_ALL, /* all pairs, if no level is known */
};

struct compare_level {
	enum analysis_kind kind; /* kind of the groups */
	enum compare_pairs pairs;
	size_t n_pairs;	      /* pairs in the reference */
	double before, after; /* medians over pairs */
	double change;	      /* change of the median */
	double p;	      /* adjusted p value; NaN without a test */
	bool tested, significant;
	/*
	 * Change relative to the other pairs of several runs, as a share, and
	 * its p value. Unknown values are NaN.
	 */
	double rest_change, rest_p;
	bool rest_tested, rest_significant;
};

/* Changes of a matrix of medians. */
struct compare_matrix {
	char *name, *unit, *quantity; /* quantity may be NULL */
	bool higher_is_better, symmetric;
	enum compare_test test;
	bool few_passes; /* too few passes for COMPARE_PASSES */
	/* matrices over cpus; NULL if c2c compares only levels */
	double *before, *change, *p; /* p: adjusted p values, or NaN */
	bool *tested, *significant;
	size_t n_pairs, n_tested, n_better, n_worse; /* numbers of pairs */
	struct compare_level *levels;
	size_t n_levels;
};

/*
 * Points of a curve with one verdict: working sets that fit a level but no
 * smaller level, a point with a name, or all points. The verdict is a change if
 * most points changed in one direction.
 */
struct compare_stretch {
	char *level;	    /* "L2", or name of a point; NULL for all points */
	double least, most; /* range of x: least < x <= most */
	size_t n_points, n_changed;
	double before, after; /* medians over points */
	double change;
	double p;		  /* NaN without a test */
	bool tested, significant; /* tested: c2c tested most points */
};

/* Changes of a curve that both results have. */
struct compare_curve {
	struct curve_facts facts; /* texts in the arena */
	struct cpu_list cpus;
	bool higher_is_better;
	enum compare_test test; /* NONE for files without intervals */
	/* [n] points that both results have */
	double *x, *before, *change;
	const char **x_names; /* [n] names in the reference; or NULL */
	bool *tested, *significant;
	size_t n, n_tested, n_better, n_worse;
	size_t n_alone; /* points of only one result */
	struct compare_stretch *stretches;
	size_t n_stretches;
};

/* Change of a property of the caches, which is an interval. */
struct compare_size {
	char *name; /* such as "TLB reach, 4 KiB pages" */
	bool bytes;
	double before[2], after[2]; /* low and high end */
	bool apart;		    /* the intervals do not overlap */
	bool changed; /* apart, and curves do not contradict a change */
};

/* Changes of the cache lines of a pair (c2c latency --by-line). */
struct compare_lines {
	struct line_profile before, after;
	bool mean_tested, mean_changed;
	bool verdict_tested, verdict_changed; /* whether lines differ */
};

/* A fact with different values in two files. */
struct compare_fact {
	char *what; /* key, such as "machine.kernel" */
	char *before, *after;
};

struct comparison {
	enum compare_judge judge;
	size_t n_runs[2];
	/* Smallest possible p value with n_runs: */
	double least_p;	       /* p value of a level */
	double least_single_p; /* p value of a pair or a point */
	bool in_a_row;	       /* all runs of one side began first */
	/*
	 * in_a_row, and the machine may drift: c2c has a verdict only for
	 * changes relative to the rest of the machine.
	 */
	bool needs_turns;
	bool of_nodes;	       /* pairs are NUMA nodes */
	const char *undecided; /* why c2c has no verdict, or NULL */
	const char *doubt;     /* other possible cause of a change, or NULL */
	struct cpu_list cpus;  /* CPUs of the reference */
	struct compare_matrix *matrices;
	size_t n_matrices;
	struct compare_curve *curves;
	size_t n_curves;
	struct compare_size *sizes;
	size_t n_sizes;
	struct compare_lines *lines; /* cache lines of pairs in both results */
	size_t n_lines;
	struct compare_fact *facts;
	size_t n_facts;
	/* Items in only one result, as in "llc, inside: only in a.json". */
	char **unmatched;
	size_t n_unmatched;
	/*
	 * Median change, in per cent, of the pairs in the first matrix, or of
	 * all points if no matrix exists.
	 */
	double distance_pct; /* median of absolute changes */
	double change_pct;   /* median of signed changes */
	struct arena memory; /* memory of all members */
};

/* Divisions of the CPUs by the topology of a result, found on demand. */
struct compare_topology {
	bool known;
	struct machine_divisions divisions;
};

/* A side of a comparison: a result with its name and analysis. */
struct compare_side {
	const struct result *result;
	const char *source, *hostname; /* hostname may be NULL */
	const struct analysis *analysis;
	/* progress of the test of runs; in the reference, or NULL */
	const struct stat_progress *watch;
	const char *no_levels; /* why c2c found no levels, or NULL */
	/* divisions for several comparisons, or NULL */
	struct compare_topology *topology; /* or NULL */
	/* runs of the result, if it has several */
	const struct result *const *runs;
	size_t n_runs;
};

/* The reference, or a file that c2c compares with the reference. */
struct compared_file {
	struct result *parts; /* [n_parts] results of several files */
	size_t n_parts;
	const struct result **runs; /* [side.n_runs] */
	/* all runs of both sides, and their levels */
	struct result pooled_result;
	struct analysis pooled;
	char *no_levels; /* why c2c found no levels, or NULL */
	struct result result;
	struct analysis analysis; /* empty if c2c needs no levels */
	struct compare_side side;
	struct compare_topology topology; /* side.topology */
	struct comparison comparison;	  /* empty for the reference */
	bool outlier;
	char *reason; /* why c2c cannot compare the file, or NULL */
	/* The other members are only for a fleet. */
	bool unread;	       /* the file is not a record */
	bool brief;	       /* the JSON has no pairs */
	struct json_t *packed; /* compare_pack(), or NULL */
	char *report;	       /* text of compare_report(), or NULL */
};

void compare_release(struct comparison *comparison);

static inline bool compare_is_worse(bool higher_is_better, double change)
{
	return higher_is_better ? change < 0 : change > 0;
}

/* Return whether drift may explain an untested change with a small p value. */
static inline bool compare_may_be_drift(bool tested, double p)
{
	return !tested && p <= COMPARE_RATE;
}

/*
 * Return whether a level itself changed: its change has the same direction as
 * the relative change, and is larger than the change of the rest of the
 * machine.
 */
static inline bool compare_moved(const struct compare_level *level)
{
	double own = level->change / fabs(level->before);
	double rest = (1 + own) / (1 + level->rest_change) - 1;

	return own * level->rest_change > 0 && fabs(own) >= fabs(rest);
}

/* Words for higher_is_better, and for enum compare_pairs. */
extern const char *const compare_better[], *const compare_pairs_words[];

/*
 * compare_pack() returns the JSON of a file: the changes, or the reason why c2c
 * cannot compare the file. The result is NULL if out of memory.
 * compare_drop_packed() releases the JSON in file->packed.
 */
extern const struct record_type compared_type;
struct json_t *compare_pack(const struct compared_file *file);
void compare_drop_packed(struct compared_file *file);

/*
 * Return a comparison as JSON, or NULL if out of memory. The caller frees the
 * text. files[0] is the reference. fleet may be NULL. With a fleet, files may
 * have JSON from compare_pack().
 */
struct fleet;
extern const struct record_type comparison_type;
char *compare_text(
	const struct compared_file *files, size_t n, const struct fleet *fleet);

#endif
