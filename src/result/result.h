/*
 * A matrix is square. The members of a matrix are its rows and columns: CPUs,
 * compute units of a device, or NUMA nodes. values[i * n + j] is in row i
 * (first CPU: ping, source, writer) and column j (second CPU: pong, copier,
 * reader). For nodes, a row stands for the CPUs of a node, and a column for the
 * memory of a node. NaN is a missing value. Passes have a row for each pass and
 * a column for each pair. A struct result owns its data. Only one thread at a
 * time may use a result.
 *
 * A loaded and saved result keeps unknown keys.
 */
#ifndef C2C_RESULT_H
#define C2C_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/caches.h"
#include "result/curve.h"
#include "result/line_profile.h"
#include "result/run.h"
#include "util/cpu_list.h"
#include "util/error.h"

#define RESULT_FORMAT  "c2c-result"
#define RESULT_VERSION 2 /* 1 without sections */

/* Limit for CPUs in a file. */
#define RESULT_MAX_CPUS 16384

/* Limit for NUMA nodes on an axis. */
#define RESULT_MAX_NODES 1024

/* Limits for matrices and lists of passes, for curves, and for points. */
#define RESULT_MAX_MATRICES 256
#define RESULT_MAX_CURVES   16384
#define RESULT_MAX_POINTS   65536

struct matrix {
	char *name;	 /* such as "latency" */
	char *statistic; /* such as "median" */
	char *unit;	 /* such as "ns" */
	char *quantity;	 /* such as "one-way"; or NULL */
	bool higher_is_better;
	bool symmetric;
	size_t n;	    /* number of members */
	double *values;	    /* [n * n] */
	struct facts extra; /* unknown keys */
};

/*
 * The nodes of matrices over NUMA nodes. In a file, rows are nodes with CPUs,
 * and columns are nodes with memory.
 */
struct result_nodes {
	struct cpu_list rows, columns;
	struct cpu_list all; /* union of rows and columns; may be empty */
};

/* A pair, as two indexes in result->cpus. */
struct cpu_pair {
	uint32_t first, second;
};

/*
 * The passes of the matrices with the same name. Symmetric matrices have only
 * one direction of each pair.
 */
struct passes {
	char *name, *unit; /* name and unit of the matrices */
	size_t n_pairs, n_passes;
	struct cpu_pair *pairs; /* [n_pairs] different pairs */
	double *start_s;	/* [n_passes] time from the start of the run */
	double *values;		/* [n_passes * n_pairs] a row for each pass */
	struct facts extra;	/* unknown keys */
};

/* A command of c2c measure without a result. */
struct skipped_section {
	char *command;	  /* such as "numa" */
	char **arguments; /* [n_arguments] without the command */
	size_t n_arguments;
	char *reason;
	struct facts extra; /* unknown keys */
};

struct result {
	char *command;	  /* "latency" */
	char *started;	  /* ISO 8601 in UTC: "2026-11-21T03:01:25Z" */
	double elapsed_s; /* NaN if unknown */
	bool complete;
	bool bare;     /* c2c assumes that the matrix is a latency */
	bool has_unit; /* the file of a bare matrix has a unit */
	bool counted;  /* c2c assumes CPUs 0, 1, 2... */
	struct cpu_list cpus;
	struct result_nodes nodes; /* members of matrices, instead of cpus */
	struct matrix *matrices;
	size_t n_matrices;
	struct curve *curves;
	size_t n_curves;
	struct cache_level *caches; /* from the nearest; memory is last */
	size_t n_caches;
	struct cache_tlb *tlbs;
	size_t n_tlbs;
	struct line_profile *line_profiles;
	size_t n_line_profiles;
	struct passes *kept; /* passes of several matrices */
	size_t n_kept;
	/*
	 * Records of single runs, with the same CPUs, and without runs and
	 * topology. runs_merge() makes the other members from the runs.
	 */
	struct result *runs;
	size_t n_runs;
	/*
	 * Sections: records of single commands, without sections and topology.
	 * A record with sections has no values of its own.
	 */
	struct result *sections;
	size_t n_sections;
	struct skipped_section *skipped;
	size_t n_skipped;
	/*
	 * In a section: the --budget of c2c measure for all sections, or NaN.
	 * Files do not contain the budget.
	 */
	double shared_budget_s;
	char *hwloc_xml; /* or NULL */
	/* Facts, which are empty in files of other tools. */
	struct facts tool, machine, options;
	struct run_facts run;
	/* Unknown keys of the record, and of its object "topology". */
	struct facts extra;
};

void result_init(struct result *result);
void result_release(struct result *result);

/* Set the nodes before the first matrix. Return false if out of memory. */
bool result_set_nodes(struct result *result, const struct cpu_list *rows,
	const struct cpu_list *columns);

bool result_is_of_nodes(const struct result *result);

bool result_same_nodes(const struct result *a, const struct result *b);

/* Return the borrowed members of rows and columns. */
const struct cpu_list *result_members(const struct result *result);

/*
 * Append a matrix of NaNs, and copy the strings, which may be NULL. The pointer
 * is valid until the next matrix. Return NULL if out of memory.
 */
struct matrix *result_add_matrix(struct result *result, const char *name,
	const char *statistic, const char *unit, const char *quantity,
	bool higher_is_better, bool symmetric);

/* Append a curve of n NaNs, as result_add_matrix() does. */
struct curve *result_add_curve(
	struct result *result, const struct curve_facts *facts, size_t n);

/* Append an empty level or TLB, as result_add_matrix() does. */
struct cache_level *result_add_cache(struct result *result, const char *name);
struct cache_tlb *result_add_tlb(struct result *result);

/* Append a copy of a profile, as result_add_matrix() does. */
struct line_profile *result_add_line_profile(
	struct result *result, const struct line_profile *profile);

struct result *result_add_run(struct result *result);

/* Append passes of NaNs with pairs {0, 0}, as result_add_matrix() does. */
struct passes *result_add_passes(struct result *result, const char *name,
	const char *unit, size_t n_pairs, size_t n_passes);

/*
 * Return the borrowed matrix with a name and a statistic, or NULL. NULL as a
 * name is the first name. NULL as a statistic is "median", or the first
 * statistic of the name.
 */
const struct matrix *result_find_matrix(
	const struct result *result, const char *name, const char *statistic);

/*
 * Keep only the matrix from result_find_matrix(). Return false if the result
 * has no such matrix.
 */
bool result_keep_matrix(
	struct result *result, const char *name, const char *statistic);

bool result_is_of_units(const struct result *result);

/* Return the static word for a member: "CPU", "unit" or "node". */
const char *result_member_word(const struct result *result);

/* Return whether the values of a matrix are slowdowns (c2c cache --shared). */
bool matrix_is_slowdown(const struct matrix *matrix);

/*
 * Return whether near CPUs have high values: true for rates, and for slowdowns,
 * which are high if CPUs share a cache.
 */
bool matrix_near_is_high(const struct matrix *matrix);

/*
 * Return the first borrowed passes with a name, or NULL. In a resumed run, the
 * passes of the earlier run follow with the same name.
 */
const struct passes *result_find_passes(
	const struct result *result, const char *name);

/*
 * Return the borrowed extra passes NAME_again over some pairs, or NULL. The
 * median of a pair covers all its passes.
 */
const struct passes *result_find_passes_again(
	const struct result *result, const char *name);

/*
 * Copy the values of a pair to out[n_passes]. Return their number, or 0 if
 * passes is NULL or has no such pair.
 */
size_t passes_take_pair(
	const struct passes *passes, struct cpu_pair pair, double *out);

#endif
