/*
 * Missing cells have no effect in a large block. But no group is known for a
 * unit without cells, and two siblings are not found if their only cell is
 * missing.
 *
 * How likely is an unseen pair among the single units? Let p be the share of
 * missing cells. A unit of a group of size s loses all its cells inside the
 * group with probability p^(s - 1). So the expected number of unseen groups is
 *
 * 	unseen = sum over groups of p^(s - 1) / (1 - p)
 *
 * Let q be the share of missing cells between single units. If cells are
 * missing at random, the odds of an unseen pair are `unseen` * q / p to 1.
 */
#include "analyze/levels/steps.h"

size_t measured_find(const struct cost_matrix *matrix,
	const struct level_constants *constants, bool *measured,
	struct arena *arena)
{
	size_t n = matrix->n, count = n;
	size_t *cells = arena_alloc(arena, n, sizeof(*cells));
	bool changed = true;

	for (size_t i = 0; i < n; i++) {
		measured[i] = true;
		for (size_t j = 0; j < n; j++)
			cells[i] += !isnan(cost_matrix_at(matrix, i, j));
	}
	/* Repeat, because cells to unmeasured units do not count. */
	while (changed) {
		changed = false;
		for (size_t i = 0; i < n; i++) {
			if (!measured[i] ||
				(cells[i] > 0 &&
					(double)cells[i] >=
						constants->least_cells *
							(double)(count - 1)))
				continue;
			measured[i] = false;
			changed = true;
			count--;
			for (size_t j = 0; j < n; j++)
				cells[j] -=
					!isnan(cost_matrix_at(matrix, i, j));
		}
	}
	return count;
}

size_t measured_missing(const struct cost_matrix *matrix)
{
	size_t missing = 0;

	for (size_t i = 0; i < matrix->n; i++) {
		for (size_t j = 0; j < i; j++)
			missing += isnan(cost_matrix_at(matrix, i, j)) != 0;
	}
	return missing;
}

/* Return the share of missing cells between units that are alone. */
static double missing_between_singles(const struct cost_matrix *matrix,
	const struct partition *partition, const uint32_t *sizes)
{
	size_t cells = 0, missing = 0;

	for (size_t i = 0; i < matrix->n; i++) {
		if (sizes[partition->group[i]] > 1)
			continue;
		for (size_t j = 0; j < i; j++) {
			if (sizes[partition->group[j]] > 1)
				continue;
			cells++;
			missing += isnan(cost_matrix_at(matrix, i, j)) != 0;
		}
	}
	return cells ? (double)missing / (double)cells : 0;
}

double measured_confidence_divisor(const struct cost_matrix *matrix,
	const struct partition *partition, struct arena *arena)
{
	size_t n = matrix->n, missing = measured_missing(matrix);
	double p = 2 * (double)missing / ((double)n * (double)(n - 1));
	const uint32_t *sizes = partition_sizes(partition, arena);
	double unseen = 0;

	if (missing == 0)
		return 1;
	for (size_t g = 0; g < partition->n_groups; g++) {
		if (sizes[g] > 1)
			unseen += pow(p, sizes[g] - 1) / (1 - p);
	}
	return 1 +
	       unseen * missing_between_singles(matrix, partition, sizes) / p;
}
