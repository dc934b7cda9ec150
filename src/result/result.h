/*
 * A finished measurement in memory, and the envelope it travels in.
 *
 * Shapes: a matrix is square over result->cpus, row-major, values[i * n + j]
 * for row i (first CPU: ping, source, writer) and column j (second: pong,
 * copier, reader); NaN is a missing value, the only one. Units are named in
 * the matrix. A struct result owns all it points to; result_release() frees
 * it. Not for two threads at once.
 *
 * JSON blocks whose content the C side never computes with (machine, options,
 * run, tool and keys we do not know) stay jansson objects, so that loading and
 * saving loses nothing.
 */
#ifndef C2C_RESULT_RESULT_H
#define C2C_RESULT_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/cpu_list.h"
#include "util/error.h"

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
	double *values; /* [n * n] with n = result->cpus.n */
	json_t *extra;	/* keys this version does not know; NULL */
};

/* A curve: y[i] over x[i], n points. */
struct series {
	char *name;
	char *x_name, *x_unit;
	char *y_name, *y_unit, *y_statistic;
	size_t n;
	double *x, *y;
	json_t *extra; /* as in a matrix; "x", "y": of those objects */
};

struct result {
	char *command;	  /* "latency" */
	char *started;	  /* ISO 8601 with zone: "2026-11-21T03:01:25Z" */
	double elapsed_s; /* NaN when unknown */
	bool complete;
	struct cpu_list cpus;
	struct matrix *matrices;
	size_t n_matrices;
	struct series *series;
	size_t n_series;
	char *hwloc_xml; /* NULL when there is none */
	json_t *tool;	 /* objects; NULL when absent (imported files) */
	json_t *machine;
	json_t *options;
	json_t *run;   /* {"passes":..,"agreement":{..},"warnings":[..]} */
	json_t *extra; /* top-level keys this version does not know; under
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

/* As above for a curve of n points, both axes NaN. */
struct series *result_add_series(struct result *result, const char *name,
	const char *x_name, const char *x_unit, const char *y_name,
	const char *y_unit, const char *y_statistic, size_t n);

/*
 * The matrix with this name and statistic; name NULL: the first name in the
 * file; statistic NULL: "median", else the first of that name. NULL when
 * there is none. Borrowed.
 */
const struct matrix *result_find_matrix(
	const struct result *result, const char *name, const char *statistic);

/*
 * Put the rows and columns of every matrix in the order of cpus, which must
 * be a permutation of result->cpus (-EINVAL otherwise).
 */
int result_reorder(
	struct result *result, const struct cpu_list *cpus, struct error *err);

#endif
