/*
 * The structure of a machine, as found in results.
 *
 * Shapes: a level's group[i] is the group of analysis->cpus.cpus[i], numbered
 * by first CPU. A struct analysis owns all that it points to, in one arena. One
 * thread at a time may use it.
 *
 * In analyze/, levels/groups.h finds levels, agree.c finds disagreements,
 * caches/sharing.h checks the levels by slowdowns, caches/sharers.h finds the
 * CPUs that share caches. analysis.c writes the JSON.
 */
#ifndef C2C_ANALYSIS_H
#define C2C_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/cpu_list.h"

struct record_type;

/* Digits of the numbers in the JSON of analyses and comparisons. */
#define ANALYSIS_DIGITS 6

/* Least confidence with which a level may contradict a topology. */
#define ANALYSIS_CERTAIN 0.8

/* Confidence above which nearly all levels are right. */
#define ANALYSIS_PROMISED 0.9

/* Largest one-way ns between most CPUs that share a cache. */
#define ANALYSIS_CACHE_NS 60

/*
 * Least confidence of a level, and of a level that only may exist ("perhaps").
 * Other groups are dropped.
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
	/* A memory domain, from links to memory: c2c analyze finds none. */
	ANALYSIS_DOMAIN,
};

enum analysis_agreement {
	ANALYSIS_UNKNOWN, /* no topology, or the level is too uncertain */
	ANALYSIS_AGREES,
	ANALYSIS_DISAGREES,
};

/* Whether all values agree with a topology. */
enum analysis_verdict {
	ANALYSIS_VERDICT_NONE, /* no topology */
	ANALYSIS_VERDICT_AGREES,
	ANALYSIS_VERDICT_DISAGREES,
	ANALYSIS_VERDICT_CANNOT_TELL,
};

/* The evidence for the kind of a level. */
enum analysis_evidence {
	ANALYSIS_NUMBERS,  /* only latencies and sizes suggest it */
	ANALYSIS_TOPOLOGY, /* an object of the topology has the same CPUs */
	ANALYSIS_SHARING,  /* slowdowns in an L1 */
};

/* Most kinds that a nested level may be. */
#define ANALYSIS_MAY_BE 4

struct analysis_level {
	enum analysis_kind kind; /* GROUP if no kind is likely enough */
	enum analysis_evidence evidence;
	double kind_confidence;			    /* 0: the kind is unknown */
	enum analysis_kind may_be[ANALYSIS_MAY_BE]; /* most likely first */
	size_t n_may_be;			    /* 0: any kind */
	bool nested; /* groups are unions of the previous level's groups */
	size_t n_groups;
	uint32_t *group; /* [cpus.n] */
	char *unit;
	/* [n_groups] read rate of each group's CPUs (NaN: unknown), or NULL */
	const double *rates;
	/*
	 * Medians in `unit`, NaN if unknown: inside the groups but not inside
	 * the previous level's groups, and between groups that are in one group
	 * of the next level.
	 */
	double inside, between;
	/* The 5th and the 95th percentile of the values between groups. */
	double between_low, between_high;
	double confidence;
	const char *doubt;    /* why confidence is low, no full stop; or NULL */
	const bool *inferred; /* [cpus.n] placed by pairs of others; or NULL */
	char *reported; /* the topology's object: "Core", "L3"; NULL: none */
	enum analysis_agreement agrees;
	bool of_rates;	   /* medians are rates, which show no kind */
	bool shares_cache; /* by slowdowns in a cache other than L1 */
	double to_ns;	   /* factor from medians to one-way ns; 0: unknown */
};

struct analysis_outlier {
	unsigned cpu;
	bool misfit; /* certainly in no group */
	char *why;   /* a sentence without a full stop */
	/* n_groups of the level that the CPU does not fit; 0: no misfit */
	size_t n_groups;
	double change; /* 0.3: 30 % farther; negative: nearer; 0: misfit */
};

enum analysis_what {
	ANALYSIS_HIDDEN,       /* measured but not reported */
	ANALYSIS_CONTRADICTED, /* reported, but values contradict it */
};

struct analysis_disagreement {
	enum analysis_what what;
	char *text;
};

/* What slowdowns in a cache say about a level. */
struct analysis_sharing {
	char *source, *cache; /* file; "L1" or a size. NULL: no witness */
	size_t level;	      /* index of the level; SIZE_MAX: none */
	enum analysis_agreement agrees;
	bool differs; /* differs from the level, contradiction or not */
	size_t n_pairs, n_shared; /* pairs inside groups; how many share */
	size_t n_outside;	  /* pairs between groups that share */
	size_t n_unknown;	  /* pairs inside without a usable value */
	char *text;
};

/* Two CPUs and the value between them; NaN if the interval is unknown. */
struct analysis_pair {
	unsigned a, b;
	double value, low, high;
	const char *unit; /* NULL: the pair was left out */
};

/* Largest number of left-out pairs that are named. */
#define ANALYSIS_NAMED 8

enum analysis_placement {
	ANALYSIS_STABLE,
	ANALYSIS_DRIFTING,	/* vCPUs moved during the run */
	ANALYSIS_MOVING_ASLEEP, /* vCPUs moved while they slept after the run */
	ANALYSIS_CANNOT_TELL,
	ANALYSIS_TOO_FEW, /* too few CPUs to detect moves */
};

/* A move since the previous epoch. One of the two CPUs moved. */
struct epoch_move {
	size_t cpu, other; /* indexes in result->cpus; may be the same CPU */
	size_t n_changed;  /* pairs that changed */
	size_t n_pairs;	   /* pairs that no other move explains */
	double change;	   /* median share: 0.2 is 20 % up or down */
};

/* A time span without moves, and the analysis of its passes. */
struct analysis_epoch {
	size_t first, n_passes;
	double start_s, end_s;	  /* since the run began; end: the next start */
	struct epoch_move *moves; /* moves at its start */
	size_t n_moves;
	struct analysis *found; /* without source, topology or epochs */
};

struct analysis {
	struct arena memory; /* holds all this */
	char *source;	     /* files, separated by ", " */
	struct cpu_list cpus;
	const char *member;	       /* result_member_word(): "CPU", "unit" */
	struct analysis_level *levels; /* innermost first */
	size_t n_levels;
	/*
	 * Levels that may exist: nested, of unknown kind. The confidence is the
	 * probability that they are not due to chance.
	 */
	struct analysis_level *perhaps;
	size_t n_perhaps;
	size_t n_left_out; /* levels of other files that contradict these */
	struct analysis_outlier *outliers;
	size_t n_outliers;
	struct analysis_disagreement *disagreements;
	size_t n_disagreements;
	struct analysis_sharing *sharing;
	size_t n_sharing;
	/* nearest pairs, and nearest pairs of different cores */
	struct analysis_pair *nearest, *nearest_cores;
	size_t n_nearest, n_nearest_cores;
	const uint32_t *core; /* [cpus.n] core of each CPU; NULL: unknown */
	bool core_perhaps;    /* `core` is uncertain: pairs that may be cores */
	bool compared;	      /* compared with a topology, whole or by epochs */
	/* Reported divisions that no level shows: "L2", for a report. */
	char **unseen;
	size_t n_unseen;
	enum analysis_verdict verdict;
	/* Why there is no verdict; NULL if there is one. */
	char *unknown_reason;
	enum analysis_placement placement;
	/* Facts of the main matrix; NaN if unknown. */
	double least_ns;  /* smallest value, one way */
	double ratio;	  /* largest value / smallest value */
	bool repeats;	  /* the passes of the main result agree */
	bool of_longest;  /* values are from the longest of several epochs */
	size_t n_missing; /* pairs of the main matrix without a usable value */
	/* First pairs without a value, at most ANALYSIS_NAMED. */
	struct analysis_pair *missing;
	bool is_round_trip; /* the main matrix has round trips */
	/*
	 * Resolution of a coarse clock: all values of the main matrix are
	 * multiples of it, in the matrix's unit; 0: not visible.
	 */
	double resolution;
	char *resolution_unit; /* NULL if resolution is 0 */
	/*
	 * Epochs of the main result: one if no CPU moved, none if there are too
	 * few passes.
	 */
	struct analysis_epoch *epochs;
	size_t n_epochs;
};

void analysis_release(struct analysis *analysis);

/* Names by analysis_kind: "smt", "llc", "node", "package" ..., NULL. */
extern const char *const analysis_kinds[];

/* Return a confidence rounded down to a hundredth: 0.9 is at least 0.9. */
double analysis_confidence(double confidence);

/*
 * Return why a confidence is below ANALYSIS_PROMISED, as a sentence without a
 * full stop; NULL if it is not.
 */
const char *analysis_level_doubt(const struct analysis_level *level);

/* The JSON format of a struct analysis. */
extern const struct record_type analysis_type;

/* Return an analysis as text for free(); NULL without memory. */
char *analysis_text(const struct analysis *analysis);

#endif
