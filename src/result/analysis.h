/*
 * The structure of a machine, as found in results.
 *
 * Shapes: a level's group[i] is the group of analysis->cpus.cpus[i], numbered
 * by first CPU. A struct analysis owns all it points to, in one arena. One
 * thread at a time may use it.
 *
 * Levels are analyze/levels/groups.h, disagreements analyze/agree.c. sharing.h
 * there tells how one file judges the levels of another, sharers.h who shares
 * its caches. The JSON of a member is written in analysis.c.
 */
#ifndef C2C_ANALYSIS_H
#define C2C_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/cpu_list.h"

struct record_type;

/* Of the numbers in the JSON of analyses and comparisons. */
#define ANALYSIS_DIGITS 6

/* A level of this confidence may contradict a topology. */
#define ANALYSIS_CERTAIN 0.8

/* Of levels with this confidence and more nearly all are right. */
#define ANALYSIS_PROMISED 0.9

/* CPUs that share a cache mostly are at most so far apart, one way. */
#define ANALYSIS_CACHE_NS 60

/*
 * Below the first of these confidences it is a guess and only "perhaps" a
 * level; below the second it is nothing.
 */
#define ANALYSIS_LEAST	 0.5
#define ANALYSIS_PERHAPS 0.1

enum analysis_kind {
	ANALYSIS_SMT,
	ANALYSIS_LLC,
	ANALYSIS_NODE,
	ANALYSIS_PACKAGE,
	ANALYSIS_CLASS,
	ANALYSIS_GROUP,
};

enum analysis_agreement {
	ANALYSIS_UNKNOWN, /* no topology, or a level too uncertain to say */
	ANALYSIS_AGREES,
	ANALYSIS_DISAGREES,
};

/* Whether all numbers agree with a topology. */
enum analysis_verdict {
	ANALYSIS_VERDICT_NONE, /* no topology */
	ANALYSIS_VERDICT_AGREES,
	ANALYSIS_VERDICT_DISAGREES,
	ANALYSIS_VERDICT_CANNOT_TELL,
};

/* What tells the kind of a level. */
enum analysis_evidence {
	ANALYSIS_NUMBERS,  /* only latencies and sizes suggest it */
	ANALYSIS_TOPOLOGY, /* an object of the topology has the same CPUs */
	ANALYSIS_SHARING,  /* slowdowns in a first-level cache */
};

/* A level that nests may be of so many kinds. */
#define ANALYSIS_MAY_BE 4

struct analysis_level {
	enum analysis_kind kind; /* a group if no kind is likely enough */
	enum analysis_evidence evidence;
	double kind_confidence; /* 0 of a group of unknown kind */
	enum analysis_kind may_be[ANALYSIS_MAY_BE]; /* the likeliest first */
	size_t n_may_be;			    /* 0: it may be any */
	bool nested; /* groups are unions of those of the level before */
	size_t n_groups;
	uint32_t *group; /* [cpus.n] */
	char *unit;
	/*
	 * Medians in unit, NaN if unknown: inside the groups but not inside
	 * those of the level before, and between groups that are in one group
	 * of the next level.
	 */
	double inside, between;
	/* Nine in ten of the values between groups lie within these. */
	double between_low, between_high;
	double confidence;
	const char *doubt;    /* what lowers it, without a full stop; or NULL */
	const bool *inferred; /* [cpus.n] put there by others' pairs, or NULL */
	char *reported; /* the topology's object: "Core", "L3"; NULL: none */
	enum analysis_agreement agrees;
	bool of_rates;	   /* rates do not tell the kind */
	bool shares_cache; /* by slowdowns in a cache larger than the first */
	double to_ns; /* of inside and between, one way; 0: not a known time */
};

struct analysis_outlier {
	unsigned cpu;
	bool misfit; /* certainly in no group */
	char *why;   /* a sentence without a full stop */
	/* So many groups it does not fit; 0 if it is no misfit of a level. */
	size_t n_groups;
	double change; /* 0.3 is 30 % farther, less than 0 nearer; 0 a misfit */
};

enum analysis_what {
	ANALYSIS_HIDDEN,       /* measured but not reported */
	ANALYSIS_CONTRADICTED, /* reported, but the numbers deny it */
};

struct analysis_disagreement {
	enum analysis_what what;
	char *text;
};

/*
 * What slowdowns in a cache say of a level: the second witness. Or what no
 * witness says.
 */
struct analysis_sharing {
	char *source, *cache; /* file; "L1" or a size. NULL: no witness */
	size_t level;	      /* SIZE_MAX: of none */
	enum analysis_agreement agrees;
	bool differs; /* even if that is no contradiction */
	/* Pairs inside the groups, those that share, and others that do. */
	size_t n_pairs, n_shared, n_outside;
	size_t n_unknown; /* pairs inside without a number that tells */
	char *text;
};

/* Two CPUs and what lies between them; NaN if the interval is unknown. */
struct analysis_pair {
	unsigned a, b;
	double value, low, high;
	const char *unit; /* NULL of those that were left out */
};

/* So many pairs that were left out are named. */
#define ANALYSIS_NAMED 8

enum analysis_placement {
	ANALYSIS_STABLE,
	ANALYSIS_DRIFTING,	/* vCPUs moved during the run */
	ANALYSIS_MOVING_ASLEEP, /* ... only when they slept behind it */
	ANALYSIS_CANNOT_TELL,
	ANALYSIS_TOO_FEW, /* too few CPUs to tell */
};

/* What changed since the epoch before: a CPU moved, or one of two did. */
struct epoch_move {
	size_t cpu, other; /* places in result->cpus; equal: it is this one */
	size_t n_changed;  /* pairs that changed */
	size_t n_pairs;	   /* pairs that no other move explains */
	double change;	   /* median share: 0.2 is 20 % up or down */
};

/* A time when no CPU moved, and what its passes alone show. */
struct analysis_epoch {
	size_t first, n_passes;
	double start_s, end_s; /* since the start of the run; the next one's */
	struct epoch_move *moves; /* at its start; places in the CPUs */
	size_t n_moves;
	struct analysis *found; /* without source, topology or epochs */
};

struct analysis {
	struct arena memory; /* of all this */
	char *source;	     /* of files, separated by ", " */
	struct cpu_list cpus;
	const char *member;	       /* result_member_word(): "CPU", "unit" */
	struct analysis_level *levels; /* from the innermost outwards */
	size_t n_levels;
	/*
	 * Levels that may be there: nested, of unknown kind, and their
	 * confidence is one minus the odds of chance.
	 */
	struct analysis_level *perhaps;
	size_t n_perhaps;
	size_t n_left_out; /* levels in other files that contradict these */
	struct analysis_outlier *outliers;
	size_t n_outliers;
	struct analysis_disagreement *disagreements;
	size_t n_disagreements;
	struct analysis_sharing *sharing;
	size_t n_sharing;
	/* The nearest CPUs, and the nearest of two cores. */
	struct analysis_pair *nearest, *nearest_cores;
	size_t n_nearest, n_nearest_cores;
	const uint32_t *core; /* [cpus.n] of each CPU; NULL: not known */
	bool core_perhaps;    /* they are pairs of CPUs that may be cores */
	bool compared; /* with a topology, as a whole or an epoch of it */
	/* Advertised divisions that no level shows: "L2", for a report. */
	char **unseen;
	size_t n_unseen;
	enum analysis_verdict verdict;
	/* why the verdict cannot be told; NULL if it can */
	char *unknown_reason;
	enum analysis_placement placement;
	/* Of the main matrix; NaN where unknown. */
	double least_ns;  /* the smallest value, from one CPU to the other */
	double ratio;	  /* of the largest value to the smallest */
	bool repeats;	  /* the passes of the main result agree */
	bool of_longest;  /* its values are of one epoch of several */
	size_t n_missing; /* pairs of the main matrix without a usable number */
	/* the first ones, ANALYSIS_NAMED at most */
	struct analysis_pair *missing;
	bool is_round_trip; /* values of the main matrix */
	/*
	 * The resolution of a coarse clock, which all values of the main
	 * matrix are multiples of, in its unit; 0 if none shows.
	 */
	double resolution;
	char *resolution_unit; /* NULL if none shows */
	/*
	 * Of the main result: one if no CPU moved, none if it has too few
	 * passes.
	 */
	struct analysis_epoch *epochs;
	size_t n_epochs;
};

void analysis_release(struct analysis *analysis);

/* By analysis_kind: "smt", "llc", "node", "package", "class", "group", NULL. */
extern const char *const analysis_kinds[];

/* A confidence, rounded down to a hundredth: 0.9 is a promise. */
double analysis_confidence(double confidence);

/*
 * What holds a confidence below ANALYSIS_PROMISED: a sentence without a full
 * stop, or NULL.
 */
const char *analysis_level_doubt(const struct analysis_level *level);

/* The analysis format, of a struct analysis. */
extern const struct record_type analysis_type;

/* It as text for free(), or NULL without memory. */
char *analysis_text(const struct analysis *analysis);

#endif
