/*
 * What results say about the structure of their machine, in words that a
 * report, a picture and other programs can use.
 *
 * Shapes: a level's group[i] is the group of analysis->cpus.cpus[i], numbered
 * by first CPU. A struct analysis owns all it points to. Not for two threads
 * at once.
 */
#ifndef C2C_ANALYZE_ANALYSIS_H
#define C2C_ANALYZE_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/epochs.h"
#include "result/result.h"
#include "util/cpu_list.h"
#include "util/error.h"

#define ANALYSIS_FORMAT	 "c2c-analysis"
#define ANALYSIS_VERSION 1

/* From here on a level is certain enough to contradict a topology. */
#define ANALYSIS_CERTAIN 0.8

/* Less sure than this it is a guess, not a level. */
#define ANALYSIS_LEAST 0.5

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

struct analysis_level {
	enum analysis_kind kind;
	bool inferred; /* the kind is a guess from the numbers alone */
	bool nested;   /* groups are unions of those of the level before */
	size_t n_groups;
	uint32_t *group; /* [cpus.n] */
	char *unit;
	/*
	 * Medians in unit: inside without what the level before has inside,
	 * between within the groups of the level behind; NaN when unknown.
	 */
	double inside, between;
	double confidence;
	char *advertised; /* the topology's object: "Core", "L3"; NULL: none */
	enum analysis_agreement agrees;
	bool of_rates; /* which say nothing of its kind */
};

struct analysis_outlier {
	unsigned cpu;
	bool misfit; /* in no group for certain */
	char *why;   /* a sentence without its full stop */
};

enum analysis_what {
	ANALYSIS_HIDDEN,       /* measured but not advertised */
	ANALYSIS_CONTRADICTED, /* advertised, but the numbers deny it */
};

struct analysis_disagreement {
	enum analysis_what what;
	char *text;
};

enum analysis_placement {
	ANALYSIS_STABLE,
	ANALYSIS_DRIFTING, /* CPUs moved while they were measured */
	ANALYSIS_CANNOT_TELL,
};

/* A time in which no CPU moved, and what its passes alone show. */
struct analysis_epoch {
	double start_s, end_s;
	size_t n_passes;
	struct epoch_move *moves; /* at its start; places in the CPUs */
	size_t n_moves;
	struct analysis *found; /* without source, topology or epochs */
};

struct analysis {
	char *source; /* of files, separated by ", " */
	struct cpu_list cpus;
	struct analysis_level *levels; /* from the innermost outwards */
	size_t n_levels;
	size_t n_left_out; /* levels of others that contradict these */
	struct analysis_outlier *outliers;
	size_t n_outliers;
	struct analysis_disagreement *disagreements;
	size_t n_disagreements;
	bool compared; /* with a topology, or one of the epochs was */
	/* Advertised divisions that no level shows: "L2", for a report. */
	char **unseen;
	size_t n_unseen;
	enum analysis_placement placement;
	double ratio; /* largest to smallest value of the main matrix, or NaN */
	size_t n_missing; /* pairs of the main matrix without a usable number */
	/*
	 * Of the main result: one when its CPUs held still, none when it kept
	 * no passes or too few.
	 */
	struct analysis_epoch *epochs;
	size_t n_epochs;
};

/*
 * Analyse results[n] of one machine together, all over the same CPUs, each
 * called sources[i]. The first whose numbers are latencies, else the first, is
 * the main one: levels that only others show are added where they nest with
 * its own. -EINVAL (ERROR_USAGE) when the results are not of one machine or
 * hold no matrix or number. *analysis is released by the caller after success
 * only.
 */
int analysis_make(const struct result *results, const char *const *sources,
	size_t n, struct analysis *analysis, struct error *err);
void analysis_release(struct analysis *analysis);

/*
 * The numbers of one epoch of a run that kept its passes, as a result of their
 * own: of the epoch of that number, from 1, or 0 for the last. -EINVAL
 * (ERROR_USAGE) when there is none. Release *out after success only.
 */
int analysis_epoch(const struct result *result, uint64_t number,
	struct result *out, struct error *err);

/* The place in results[n] of the main one. */
size_t analysis_main(const struct result *results, size_t n);

/* The CPUs of group g as a list, in the order of the analysis. */
int analysis_group(const struct analysis *analysis,
	const struct analysis_level *level, size_t g, struct cpu_list *cpus,
	struct error *err);

/*
 * The CPUs so that those of each group stand side by side, at every nested
 * level. order is an empty list for cpu_list_release().
 */
int analysis_order(const struct analysis *analysis, struct cpu_list *order,
	struct error *err);

/* "smt", "llc", "node", "package", "class", "group"; static. */
const char *analysis_kind_name(enum analysis_kind kind);

/* "stable", "drifting", "unknown"; static. */
const char *analysis_placement_name(enum analysis_placement placement);

/*
 * Why nothing is sure about levels: "the CPUs did not hold still", or that
 * nobody can tell whether they did; NULL when they did. Static.
 */
const char *analysis_placement_doubt(enum analysis_placement placement);

/*
 * How sure a level is, as it is told: to a hundredth, and never more than it
 * is, for 0.9 is a promise.
 */
double analysis_confidence(const struct analysis_level *level);

/* "hidden-level", "contradicted-level"; static. */
const char *analysis_what_name(enum analysis_what what);

/* A number of six digits, as a measurement has; null if not finite. */
json_t *analysis_number(double value);

/* Append to an array; false without memory. Takes item, which may be NULL. */
bool analysis_append(json_t *array, json_t *item);

/* The analysis format. A new reference, or NULL without memory. */
json_t *analysis_to_json(const struct analysis *analysis);

/*
 * Append a disagreement whose text is as printf() makes it. -ENOMEM with *err
 * filled.
 */
int analysis_disagree(struct analysis *analysis, enum analysis_what what,
	struct error *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
