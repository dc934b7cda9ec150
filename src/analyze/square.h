/*
 * A symmetric matrix of costs between units (CPUs, or groups of them), and
 * the partitions of its units. Pure; no function prints or keeps state.
 */
#ifndef C2C_ANALYZE_SQUARE_H
#define C2C_ANALYZE_SQUARE_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/*
 * Floats: a measurement has three digits, and 4,096 CPUs are 64 MiB. The
 * diagonal and what is missing are NaN.
 */
struct square {
	size_t n;
	float *cost; /* [n * n] */
};

int square_init(struct square *square, size_t n, struct error *err);
void square_release(struct square *square);

static inline float square_at(const struct square *square, size_t i, size_t j)
{
	return square->cost[i * square->n + j];
}

/*
 * The median of values[n], which is reordered; the mean of the middle two
 * when n is even, NaN when n is 0. No NaN among them. Linear on average,
 * where sorting would be most of an analysis.
 */
float median_of(float *values, size_t n);

/* The value at rank floor(q (n - 1)) of values[n], which is reordered. */
float quantile_of(float *values, size_t n, double q);

/* Which group each unit is in. */
struct partition {
	size_t n_units, n_groups;
	uint32_t *group; /* [n_units], 0 to n_groups - 1 */
};

int partition_init(struct partition *partition, size_t n, struct error *err);
void partition_release(struct partition *partition);

/* Number the groups by their first unit. */
int partition_number(struct partition *partition, struct error *err);

/*
 * The units group by group: members[n_units], those of group g from starts[g]
 * to starts[g + 1]; starts[n_groups + 1].
 */
struct roster {
	uint32_t *members, *starts;
};

int roster_init(struct roster *roster, const struct partition *partition,
	struct error *err);
void roster_release(struct roster *roster);

/*
 * *small becomes the matrix between the groups of a partition, each cell the
 * median of the cells it stands for. Release with square_release().
 */
int square_collapse(const struct square *square,
	const struct partition *partition, struct square *small,
	struct error *err);

#endif
