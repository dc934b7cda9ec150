/*
 * A finished measurement in memory, with facts about it.
 *
 * Shapes: a matrix is square over result_members(), row-major, values[i * n +
 * j] for row i (first CPU: ping, source, writer) and column j (second CPU:
 * pong, copier, reader). Members are result->cpus (for c2c cl the numbers of a
 * device's compute units, see result_member_word()), or NUMA nodes: a row is
 * for the CPUs of a node, a column for the memory of a node. NaN is a missing
 * value. Passes have a row for each pass and a column for each pair. A struct
 * result owns all that it points to; one thread at a time may use it.
 *
 * Unknown keys are facts, so loading and saving loses nothing.
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
#define RESULT_VERSION 2 /* 1: without sections */

/* Most CPUs in a file. */
#define RESULT_MAX_CPUS 16384

/* Most NUMA nodes along an axis. */
#define RESULT_MAX_NODES 1024

/*
 * Largest numbers of matrices (and lists of passes), of curves, and of points.
 */
#define RESULT_MAX_MATRICES 256
#define RESULT_MAX_CURVES   16384
#define RESULT_MAX_POINTS   65536

struct matrix {
	char *name;	 /* "latency", "writer", "reader", "copy" */
	char *statistic; /* "median", "min", "p10", "p90", "ci_low", ... */
	char *unit;	 /* "ns", "GiB/s", "passes" */
	char *quantity;	 /* "one-way", "round-trip", "rate"; NULL */
	bool higher_is_better;
	bool symmetric;
	size_t n;	    /* number of result_members() */
	double *values;	    /* [n * n] */
	struct facts extra; /* unknown keys */
};

/*
 * The NUMA nodes of matrices over nodes. A file has only rows of nodes with
 * CPUs, and columns of nodes with memory.
 */
struct result_nodes {
	struct cpu_list rows, columns;
	struct cpu_list all; /* union of both; empty: no nodes */
};

/* Two CPUs by their index in result->cpus: row and column of a matrix. */
struct cpu_pair {
	uint32_t first, second;
};

/*
 * All passes from which the matrices of this name were made. For symmetric
 * matrices, a pair is listed once, in either order.
 */
struct passes {
	char *name, *unit; /* name and unit of the matrices */
	size_t n_pairs, n_passes;
	struct cpu_pair *pairs; /* [n_pairs] each pair once */
	double *start_s;	/* [n_passes] since the start of the run */
	double *values;		/* [n_passes * n_pairs], pass by pass */
	struct facts extra;	/* unknown keys */
};

/* A command of a record with sections that left no result. */
struct skipped_section {
	char *command;	  /* "numa" */
	char **arguments; /* [n_arguments] after the command */
	size_t n_arguments;
	char *reason;
	struct facts extra; /* unknown keys */
};

struct result {
	char *command;	  /* "latency" */
	char *started;	  /* ISO 8601 with zone: "2026-11-21T03:01:25Z" */
	double elapsed_s; /* NaN if unknown */
	bool complete;
	bool bare;     /* c2c only assumes that its matrix is a latency */
	bool has_unit; /* c2c assumes a latency, but the file names the unit */
	bool counted;  /* c2c only assumes that its CPUs are 0, 1, 2... */
	struct cpu_list cpus;
	struct result_nodes nodes; /* instead of cpus in matrices */
	struct matrix *matrices;
	size_t n_matrices;
	struct curve *curves;
	size_t n_curves;
	struct cache_level *caches; /* nearest first, memory last */
	size_t n_caches;
	struct cache_tlb *tlbs;
	size_t n_tlbs;
	struct line_profile *line_profiles;
	size_t n_line_profiles;
	struct passes *kept; /* passes, under one or several names */
	size_t n_kept;
	/*
	 * Runs: each is a whole record of the same CPUs, but without runs and
	 * topology. The rest of this record is merged from the runs
	 * (result/runs.h).
	 */
	struct result *runs;
	size_t n_runs;
	/*
	 * Sections: each is a whole record of one command, without sections and
	 * topology. The record around them has no values (result/sections.h).
	 */
	struct result *sections;
	size_t n_sections;
	struct skipped_section *skipped;
	size_t n_skipped;
	/*
	 * For a section: the --budget of c2c measure, which its sections share;
	 * 0 or NaN: none. Not in files.
	 */
	double shared_budget_s;
	char *hwloc_xml; /* NULL: none */
	/* Empty in imported files. */
	struct facts tool, machine, options;
	struct run_facts run;
	/*
	 * Unknown keys of the top level. The key "topology" has the unknown
	 * keys of that object.
	 */
	struct facts extra;
};

void result_init(struct result *result);
void result_release(struct result *result);

/*
 * Set the nodes of the matrices, before the first matrix. False without memory.
 */
bool result_set_nodes(struct result *result, const struct cpu_list *rows,
	const struct cpu_list *columns);

/* Whether the matrices are over nodes. */
bool result_is_of_nodes(const struct result *result);

/* Whether the matrices of both are over the same nodes, or not over nodes. */
bool result_same_nodes(const struct result *a, const struct result *b);

/* Return the members of the matrices' rows and columns, borrowed. */
const struct cpu_list *result_members(const struct result *result);

/*
 * Append a matrix of NaNs over result_members(). The strings are copied and may
 * be NULL. The pointer is valid until the next append; NULL without memory.
 */
struct matrix *result_add_matrix(struct result *result, const char *name,
	const char *statistic, const char *unit, const char *quantity,
	bool higher_is_better, bool symmetric);

/* Append a curve of n points, all NaN, as result_add_matrix() does. */
struct curve *result_add_curve(
	struct result *result, const struct curve_facts *facts, size_t n);

/* Append a level or a TLB without values, as result_add_matrix() does. */
struct cache_level *result_add_cache(struct result *result, const char *name);
struct cache_tlb *result_add_tlb(struct result *result);

/* Append a copy of a profile, as result_add_matrix() does. */
struct line_profile *result_add_line_profile(
	struct result *result, const struct line_profile *profile);

/* Append an empty run, as result_add_matrix() does. */
struct result *result_add_run(struct result *result);

/* Append passes as result_add_matrix() does: NaNs, and all pairs {0, 0}. */
struct passes *result_add_passes(struct result *result, const char *name,
	const char *unit, size_t n_pairs, size_t n_passes);

/*
 * Return the matrix with this name (NULL: the first name in the file) and
 * statistic (NULL: "median", else the first of that name), borrowed, or NULL.
 */
const struct matrix *result_find_matrix(
	const struct result *result, const char *name, const char *statistic);

/* Keep only the matrix that result_find_matrix() finds; false if none. */
bool result_keep_matrix(
	struct result *result, const char *name, const char *statistic);

/* Whether the matrices are over the compute units of a device of c2c cl. */
bool result_is_of_units(const struct result *result);

/* Return what matrices are over: "CPU", "unit" or "node". Static. */
const char *result_member_word(const struct result *result);

/*
 * Whether a matrix has slowdowns: how many times slower a CPU is while another
 * CPU runs (c2c cache --shared).
 */
bool matrix_is_slowdown(const struct matrix *matrix);

/*
 * Whether larger values mean nearer CPUs: true for rates, and for slowdowns,
 * which are high for CPUs that share a cache.
 */
bool matrix_near_is_high(const struct matrix *matrix);

/*
 * Return the first passes of this name, borrowed, or NULL. A resumed run has
 * the earlier run's passes after its own, under the same name.
 */
const struct passes *result_find_passes(
	const struct result *result, const char *name);

/*
 * Return the repeated passes of some pairs, NAME_again, borrowed, or NULL. They
 * count in the median of a pair like the passes of NAME.
 */
const struct passes *result_find_passes_again(
	const struct result *result, const char *name);

/*
 * Copy the values of a pair in order to out[n_passes]; return how many: 0 if
 * the passes do not have the pair, or are NULL.
 */
size_t passes_take_pair(
	const struct passes *passes, struct cpu_pair pair, double *out);

#endif
