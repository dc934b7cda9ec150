/* Which two CPUs are nearest. Pure functions; any thread may call them. */
#ifndef C2C_NEAREST_H
#define C2C_NEAREST_H

#include "result/analysis.h"
#include "result/result.h"

/* The matrix that says most about distance: the reader's of a queue. */
const struct matrix *nearest_matrix(const struct result *result);

/* Its values, but NaN where the interval is too wide to tell. */
double *nearest_values(const struct result *result, struct arena *arena);

/* Of both directions of values[n * n], or of the only one that is known. */
double nearest_pair_value(const double *values, size_t n, size_t a, size_t b);

/* The same of a matrix; NaN without one. */
double nearest_matrix_value(
	const struct matrix *matrix, size_t n, size_t a, size_t b);

/*
 * The nearest pairs of the CPUs in result, at most most of them, the nearest
 * first. With core[n], of each two cores only the nearest CPUs, and none of one
 * core.
 */
size_t nearest_find(const struct result *result, const uint32_t *core,
	size_t most, struct analysis_pair **pairs, struct arena *arena);

/* Fill in the first pairs without a usable value, at most most of them. */
void nearest_fill_missing(const struct result *result,
	struct analysis_pair *pairs, size_t most, struct arena *arena);

/*
 * Fill the pairs of an analysis of result, by the cores that its levels or
 * reported[n] (NULL: nobody tells) say.
 */
void nearest_fill(struct analysis *analysis, const struct result *result,
	const uint32_t *reported, struct arena *arena);

#endif
