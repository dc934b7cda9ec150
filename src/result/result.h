/*
 * A finished measurement in memory, and the envelope it travels in.
 *
 * Shapes: a matrix is square over result->cpus, row-major, values[i * n + j]
 * for row i (first CPU: ping, source, writer) and column j (second: pong,
 * copier, reader); NaN is a missing value, the only one. Units are named in
 * the matrix. What was kept of single passes has a column for each of its
 * pairs and a row for each pass. A struct result owns all it points to;
 * result_release() frees it. Not for two threads at once.
 *
 * Keys of matrices, curves and passes that this version does not know stay
 * jansson objects, so that loading and saving loses nothing.
 */
#ifndef C2C_RESULT_RESULT_H
#define C2C_RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/curve.h"
#include "result/facts.h"
#include "util/cpu_list.h"
#include "util/error.h"

struct json_t;

#define RESULT_FORMAT  "c2c-result"
#define RESULT_VERSION 1

/* The most CPUs a result may have; files that name more are refused. */
#define RESULT_MAX_CPUS 16384

struct matrix {
	char *name;	 /* "latency", "writer", "reader", "copy" */
	char *statistic; /* "median", "min", "p10", "p90", "ci_low", ... */
	char *unit;	 /* "ns", "GiB/s", "passes" */
	char *quantity;	 /* "one-way", "round-trip", "rate"; NULL */
	bool higher_is_better;
	bool symmetric;
	double *values;	      /* [n * n] with n = result->cpus.n */
	struct json_t *extra; /* keys this version does not know; NULL */
};

/* Two CPUs by their places in result->cpus: row and column of a matrix. */
struct cpu_pair {
	uint32_t first, second;
};

/*
 * Every single pass: what the matrices of this name were made of. If they are
 * symmetric, a pair is listed once, in either order.
 */
struct passes {
	char *name, *unit; /* those of the matrices */
	size_t n_pairs, n_passes;
	struct cpu_pair *pairs; /* [n_pairs], none twice */
	double *start_s;	/* [n_passes] since the start of the run */
	double *values;		/* [n_passes * n_pairs], pass by pass */
	struct json_t *extra;	/* as in a matrix */
};

struct result {
	char *command;	  /* "latency" */
	char *started;	  /* ISO 8601 with zone: "2026-11-21T03:01:25Z" */
	double elapsed_s; /* NaN when unknown */
	bool complete;
	bool bare; /* its matrix is taken for a latency: nothing says so */
	struct cpu_list cpus;
	struct matrix *matrices;
	size_t n_matrices;
	struct curve *curves;
	size_t n_curves;
	struct passes *kept; /* of one name or several, or nothing */
	size_t n_kept;
	char *hwloc_xml; /* NULL when there is none */
	/* Empty when absent, as in imported files. */
	struct facts tool, machine, options;
	struct run_facts run;
	struct json_t
		*extra; /* top-level keys this version does not know; under
		    "topology", keys of that object; NULL when none */
};

void result_init(struct result *result);
void result_release(struct result *result);

/*
 * Append a matrix of NaNs over result->cpus and return it, or NULL without
 * memory. The strings are copied; quantity may be NULL. The pointer is good
 * until the next append.
 */
struct matrix *result_add_matrix(struct result *result, const char *name,
	const char *statistic, const char *unit, const char *quantity,
	bool higher_is_better, bool symmetric);

/* As above for a curve of n points, all NaN. */
struct curve *result_add_curve(
	struct result *result, const struct curve_facts *facts, size_t n);

/*
 * As above for passes. Times and values are NaN, and all pairs are places 0 and
 * 0: the caller fills them.
 */
struct passes *result_add_passes(struct result *result, const char *name,
	const char *unit, size_t n_pairs, size_t n_passes);

/*
 * The matrix with this name and statistic; name NULL: the first name in the
 * file; statistic NULL: "median", else the first of that name. NULL when
 * there is none. Borrowed.
 */
const struct matrix *result_find_matrix(
	const struct result *result, const char *name, const char *statistic);

/*
 * The first passes of this name, NULL when none were kept. A run that went on
 * with another's has that one's behind its own, under the same name. Borrowed.
 */
const struct passes *result_find_passes(
	const struct result *result, const char *name);

#endif
