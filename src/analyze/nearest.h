/* Finds the nearest CPUs. Pure functions; any thread may call them. */
#ifndef C2C_NEAREST_H
#define C2C_NEAREST_H

#include "result/analysis.h"
#include "result/result.h"

/*
 * Return the matrix of distances: of a queue's readers, else the main matrix.
 */
const struct matrix *nearest_matrix(const struct result *result);

/* Return the values of nearest_matrix(); NaN if an interval is too wide. */
double *nearest_values(const struct result *result, struct arena *arena);

/*
 * Return the mean of both directions of values[n * n], or the known direction.
 */
double nearest_pair_value(const double *values, size_t n, size_t a, size_t b);

/* Return nearest_pair_value() of a matrix; NaN without a matrix. */
double nearest_matrix_value(
	const struct matrix *matrix, size_t n, size_t a, size_t b);

/*
 * Return the median of all pairs of the rows[n_rows] of a matrix, in both
 * directions; NaN without values. All rows count if `rows` is NULL.
 */
double nearest_median(const struct matrix *matrix, const size_t *rows,
	size_t n_rows, struct arena *arena);

/*
 * Find up to `most` nearest pairs of CPUs in result, nearest first; return
 * their number. With core[n], find one pair for each pair of different cores.
 */
size_t nearest_find(const struct result *result, const uint32_t *core,
	size_t most, struct analysis_pair **pairs, struct arena *arena);

/* Fill the first pairs without a usable value, up to `most` of them. */
void nearest_fill_missing(
	const struct result *result, struct analysis_pair *pairs, size_t most);

/*
 * Fill the nearest pairs of an analysis of result. The cores are from its
 * levels, else from reported[n], which is NULL if the topology has no cores.
 */
void nearest_fill(struct analysis *analysis, const struct result *result,
	const uint32_t *reported, struct arena *arena);

#endif
