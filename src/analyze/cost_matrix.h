/*
 * A symmetric matrix of costs between units (CPUs, or groups of them), and
 * partitions of its units. Pure.
 */
#ifndef C2C_COST_MATRIX_H
#define C2C_COST_MATRIX_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"

/*
 * A cost matrix; NaN on the diagonal and if missing. Floats are enough for the
 * three digits of a measurement: 64 MiB for 4,096 CPUs.
 */
struct cost_matrix {
	size_t n;
	float step;  /* step of a coarse clock in the costs, or 0 */
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
 * Return the median of values[n] without NaN, and reorder them. The median is
 * the mean of the middle two if n is even, and NaN if n is 0. The time is
 * linear on average; sorting would take most of the time of an analysis.
 */
float median_of_floats(float *values, size_t n);

/* Sort values[n] without NaN. */
void sort_floats(float *values, size_t n);

/* Reorder values[n], and return the value at rank floor(q (n - 1)). */
float quantile_of_floats(float *values, size_t n, double q);

/*
 * Return Tukey's trimean of values[n], and reorder them. If the values form two
 * clusters, a median shows only the larger cluster.
 */
float trimean_of_floats(float *values, size_t n);

/* Append a value to values[*n] unless it is NaN. */
static inline void append_known(float *values, size_t *n, float value)
{
	if (!isnan(value))
		values[(*n)++] = value;
}

struct partition {
	size_t n_units, n_groups;
	uint32_t *group; /* [n_units], 0 to n_groups - 1 */
};

/* Initialise a partition of n units into one group. */
void partition_init(struct partition *partition, size_t n, struct arena *arena);

/* Number the groups by their first unit. */
void partition_number(struct partition *partition, struct arena *arena);

/* Return the number of units of each group: [n_groups]. */
uint32_t *partition_sizes(
	const struct partition *partition, struct arena *arena);

/*
 * Return the group size that most units have. of_size[n_units + 1] gets the
 * number of units in groups of each size.
 */
size_t partition_commonest_size(const struct partition *partition,
	uint32_t *of_size, struct arena *arena);

struct group_members {
	uint32_t *unit; /* [n] */
	size_t n;
};

/* Return the units of each group: [n_groups]. */
struct group_members *partition_members(
	const struct partition *partition, struct arena *arena);

/* Return the median of all cells. scratch[n * n]. */
float cost_matrix_median(const struct cost_matrix *matrix, float *scratch);

/*
 * Fill cells[n * n] with the cells inside groups, or between groups. With
 * parents, take only cells inside one parent. Return their number.
 */
size_t cost_matrix_cells_where(const struct cost_matrix *matrix,
	const uint32_t *group, const uint32_t *parent, bool between,
	float *cells);

/* Return the median of cost_matrix_cells_where(). scratch[n * n]. */
float cost_matrix_median_where(const struct cost_matrix *matrix,
	const uint32_t *group, const uint32_t *parent, bool between,
	float *scratch);

/*
 * Set *small to the matrix between the groups of a partition: each cell is the
 * median of its block.
 */
void cost_matrix_collapse(const struct cost_matrix *matrix,
	const struct partition *partition, struct cost_matrix *small,
	struct arena *arena);

#endif
