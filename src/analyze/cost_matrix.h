/*
 * A symmetric matrix of costs between units (CPUs, or groups of them), and
 * partitions of its units. Pure. What a function returns lies in the arena.
 */
#ifndef C2C_COST_MATRIX_H
#define C2C_COST_MATRIX_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

/*
 * Floats are enough for the three digits of a measurement: 64 MiB for 4,096
 * CPUs. NaN on the diagonal and where missing.
 */
struct cost_matrix {
	size_t n;
	float step;  /* of a coarse clock: costs are multiples of it; or 0 */
	float *cost; /* [n * n] */
};

void cost_matrix_init(
	struct cost_matrix *matrix, size_t n, struct arena *arena);

static inline float cost_matrix_at(
	const struct cost_matrix *matrix, size_t i, size_t j)
{
	return matrix->cost[i * matrix->n + j];
}

/*
 * The median of values[n], which is reordered: the mean of the middle two if n
 * is even, NaN if n is 0. No NaN among them. Linear on average; sorting would
 * take most of the time of an analysis.
 */
float median_of_floats(float *values, size_t n);

/* Sort values[n], none of which is NaN. */
void sort_floats(float *values, size_t n);

/* The value at rank floor(q (n - 1)) of values[n], which is reordered. */
float quantile_of_floats(float *values, size_t n, double q);

/*
 * The middle of values[n], which is reordered: Tukey's trimean. A median is
 * blind if half of the cells are of one kind and half of another.
 */
float trimean_of_floats(float *values, size_t n);

/* Append a value to values[*n] unless it is NaN. */
static inline void append_known(float *values, size_t *n, float value)
{
	if (!isnan(value))
		values[(*n)++] = value;
}

/* Which group each unit is in. */
struct partition {
	size_t n_units, n_groups;
	uint32_t *group; /* [n_units], 0 to n_groups - 1 */
};

/* A partition of n units into one group. */
void partition_init(struct partition *partition, size_t n, struct arena *arena);

/* Number the groups by their first unit. */
void partition_number(struct partition *partition, struct arena *arena);

/* How many units each group has: [n_groups]. */
uint32_t *partition_sizes(
	const struct partition *partition, struct arena *arena);

/*
 * of_size[n_units + 1] gets how many units are in groups of each size; the size
 * that most are in.
 */
size_t partition_commonest_size(const struct partition *partition,
	uint32_t *of_size, struct arena *arena);

/* The units of a group. */
struct group_members {
	uint32_t *unit; /* [n] */
	size_t n;
};

/* The units group by group: [n_groups]. */
struct group_members *partition_members(
	const struct partition *partition, struct arena *arena);

/* The median of all cells. scratch[n * n]. */
float cost_matrix_median(const struct cost_matrix *matrix, float *scratch);

/*
 * The median of the cells inside groups, or between them, and within one
 * parent if parents are given. scratch[n * n].
 */
float cost_matrix_median_where(const struct cost_matrix *matrix,
	const uint32_t *group, const uint32_t *parent, bool between,
	float *scratch);

/*
 * *small becomes the matrix between the groups of a partition: each cell is the
 * median of its block.
 */
void cost_matrix_collapse(const struct cost_matrix *matrix,
	const struct partition *partition, struct cost_matrix *small,
	struct arena *arena);

#endif
