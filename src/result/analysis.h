/*
 * The structure of a machine, which c2c found in results.
 *
 * group[i] of a level is the group of analysis->cpus.cpus[i]. Groups have the
 * order of their first CPUs. A struct analysis owns its data, in one arena.
 * Only one thread at a time may use a struct analysis.
 *
 * analyze/ fills the struct: levels/groups.h finds levels, agree.c finds
 * disagreements, and caches/sharers.h finds the CPUs that share caches.
 * caches/sharing.h compares levels with slowdowns.
 */
#ifndef C2C_ANALYSIS_H
#define C2C_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/cpu_list.h"

struct record_type;

/* Significant digits of numbers in the JSON of analyses and comparisons. */
#define ANALYSIS_DIGITS 6

/* Lowest confidence of a level that may contradict a topology. */
#define ANALYSIS_CERTAIN 0.8

/* Levels with a higher confidence are almost always right. */
#define ANALYSIS_PROMISED 0.9

/* Most CPUs that share a cache have a lower one-way latency, in ns. */
#define ANALYSIS_CACHE_NS 60

/* Lowest confidence of a level, and of a level in "perhaps". */
#define ANALYSIS_LEAST	 0.5
#define ANALYSIS_PERHAPS 0.1

enum analysis_kind {
	ANALYSIS_SMT,
	ANALYSIS_LLC,
	ANALYSIS_NODE,
	ANALYSIS_PACKAGE,
	ANALYSIS_CLASS,
	ANALYSIS_GROUP,
	/* A memory domain. c2c analyze does not find domains. */
	ANALYSIS_DOMAIN,
};

enum analysis_agreement {
	ANALYSIS_UNKNOWN, /* topology missing, or level too uncertain */
	ANALYSIS_AGREES,
	ANALYSIS_DISAGREES,
};

enum analysis_verdict {
	ANALYSIS_VERDICT_NONE, /* no topology */
	ANALYSIS_VERDICT_AGREES,
	ANALYSIS_VERDICT_DISAGREES,
	ANALYSIS_VERDICT_CANNOT_TELL,
};

/* Evidence for the kind of a level. */
enum analysis_evidence {
	ANALYSIS_NUMBERS,  /* latencies and group sizes */
	ANALYSIS_TOPOLOGY, /* a topology object with the same CPUs */
	ANALYSIS_SHARING,  /* slowdowns in an L1 */
};

/* Largest number of possible kinds of a nested level. */
#define ANALYSIS_MAY_BE 4

struct analysis_level {
	enum analysis_kind kind; /* GROUP if the kind is unknown */
	enum analysis_evidence evidence;
	double kind_confidence;			    /* 0 if unknown */
	enum analysis_kind may_be[ANALYSIS_MAY_BE]; /* most likely first */
	size_t n_may_be;			    /* 0: any kind */
	bool nested; /* groups are unions of groups of the next inner level */
	size_t n_groups;
	uint32_t *group; /* [cpus.n] */
	char *unit;
	/* [n_groups] read rate of each group's CPUs, or NaN; or NULL */
	const double *rates;
	/*
	 * Medians in `unit`, or NaN: pairs inside groups, except pairs inside
	 * groups of an inner level; and pairs between groups that the next
	 * outer level unites.
	 */
	double inside, between;
	/* 5th and 95th percentile of pairs between groups. */
	double between_low, between_high;
	double confidence;
	const char *doubt;    /* why confidence is low; or NULL */
	const bool *inferred; /* [cpus.n] c2c inferred the group; or NULL */
	char *reported;	      /* topology objects, such as "Core"; or NULL */
	enum analysis_agreement agrees;
	bool of_rates;	   /* medians are rates */
	bool shares_cache; /* slowdowns show that CPUs share a larger cache */
	double to_ns;	   /* factor from medians to one-way ns; or 0 */
};

struct analysis_outlier {
	unsigned cpu;
	bool misfit; /* the CPU fits no group */
	char *why;   /* sentence without a full stop */
	/* n_groups of the level that the CPU does not fit, or 0 */
	size_t n_groups;
	double change; /* share: 0.3 is 30 % farther; 0 for a misfit */
};

enum analysis_what {
	ANALYSIS_HIDDEN,       /* a measured level is not reported */
	ANALYSIS_CONTRADICTED, /* values contradict a reported level */
};

struct analysis_disagreement {
	enum analysis_what what;
	char *text;
};

/* Comparison of a level with the slowdowns in a cache. */
struct analysis_sharing {
	char *source, *cache; /* file; "L1" or a cache size */
	size_t level;	      /* index of the level, or SIZE_MAX */
	enum analysis_agreement agrees;
	bool differs; /* the CPUs that share the cache are not the groups */
	size_t n_pairs, n_shared; /* inside groups: all; with the cache */
	size_t n_outside;	  /* pairs between groups with a shared cache */
	size_t n_unknown;	  /* undecided pairs inside groups */
	char *text;
};

/* A pair with its value and interval. An unknown interval is NaN. */
struct analysis_pair {
	unsigned a, b;
	double value, low, high;
	const char *unit; /* NULL if c2c left the pair out */
};

/* Largest number of pairs in `missing`. */
#define ANALYSIS_NAMED 8

enum analysis_placement {
	ANALYSIS_STABLE,
	ANALYSIS_DRIFTING,	/* vCPUs moved during the run */
	ANALYSIS_MOVING_ASLEEP, /* vCPUs moved while they slept after the run */
	ANALYSIS_CANNOT_TELL,
	ANALYSIS_TOO_FEW, /* too few CPUs to detect moves */
};

/* A move at the start of an epoch: one of the two CPUs moved. */
struct epoch_move {
	size_t cpu, other; /* indexes in result->cpus; may be equal */
	size_t n_changed;  /* pairs that changed */
	size_t n_pairs;	   /* pairs that only this move can explain */
	double change;	   /* median, as a share: 0.2 is 20 % */
};

/* Consecutive passes without moves, and their analysis. */
struct analysis_epoch {
	size_t first, n_passes;
	double start_s, end_s;	  /* since the start of the run */
	struct epoch_move *moves; /* moves at the start of the epoch */
	size_t n_moves;
	struct analysis *found; /* of these passes only */
};

struct analysis {
	struct arena memory; /* memory of all members */
	char *source;	     /* file names, separated by ", " */
	struct cpu_list cpus;
	const char *member;	       /* result_member_word(): "CPU", "unit" */
	struct analysis_level *levels; /* innermost first */
	size_t n_levels;
	/*
	 * Nested levels of unknown kind that the values suggest but do not
	 * prove. confidence is the probability that the level is not due to
	 * chance.
	 */
	struct analysis_level *perhaps;
	size_t n_perhaps;
	size_t n_left_out; /* levels that contradict levels of another file */
	struct analysis_outlier *outliers;
	size_t n_outliers;
	struct analysis_disagreement *disagreements;
	size_t n_disagreements;
	struct analysis_sharing *sharing;
	size_t n_sharing;
	struct analysis_pair *nearest, *nearest_cores;
	size_t n_nearest, n_nearest_cores;
	const uint32_t *core; /* [cpus.n] core of each CPU; or NULL */
	bool core_perhaps;    /* `core` is uncertain */
	bool compared;	      /* c2c compared levels with a topology */
	/* Reported objects, such as "L2", that have no measured level. */
	char **unseen;
	size_t n_unseen;
	enum analysis_verdict verdict;
	/* Reason why c2c has no verdict, or NULL. */
	char *unknown_reason;
	enum analysis_placement placement;
	/* Facts about the main matrix; unknown numbers are NaN. */
	double least_ns;  /* smallest one-way latency */
	double ratio;	  /* largest value / smallest value */
	bool repeats;	  /* the passes of the run agree */
	bool of_longest;  /* values come from the longest epoch */
	size_t n_missing; /* pairs without a usable value */
	/* The first pairs without a value, at most ANALYSIS_NAMED. */
	struct analysis_pair *missing;
	bool is_round_trip; /* values are round trips */
	/*
	 * Step of a coarse clock, in resolution_unit; or 0. All values of the
	 * main matrix are multiples of the step.
	 */
	double resolution;
	char *resolution_unit; /* NULL if resolution is 0 */
	/* One epoch if no CPU moved; no epoch if c2c has too few passes. */
	struct analysis_epoch *epochs;
	size_t n_epochs;
};

void analysis_release(struct analysis *analysis);

/* Words for enum analysis_kind; NULL ends them. */
extern const char *const analysis_kinds[];

/* Return a confidence, rounded down to a multiple of 0.01. */
double analysis_confidence(double confidence);

/*
 * Return why the confidence is below ANALYSIS_PROMISED, as a sentence without a
 * full stop. Return NULL for a higher confidence.
 */
const char *analysis_level_doubt(const struct analysis_level *level);

extern const struct record_type analysis_type;

/* Return the JSON, or NULL if out of memory. The caller frees the text. */
char *analysis_text(const struct analysis *analysis);

#endif
