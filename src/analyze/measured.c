/*
 * Holes do no harm in a block of many cells, but a unit without any cell has no
 * place, and would be torn from whatever it belongs to. Nor can siblings be
 * found whose only cell is missing.
 *
 * How likely is it that such a pair is among the units that are alone? Let a
 * share p of all cells be missing. Of a group of s, a unit loses all its cells
 * with probability p^(s - 1), so that the groups that were seen stand for
 *
 *	unseen = sum over groups of p^(s - 1) / (1 - p)
 *
 * that were not. Of the cells between units that are alone, a share q is
 * missing. That there is an unseen pair behind one of them is to there being
 * none as unseen q / p is to 1, where holes fall by chance.
 */
#include "analyze/measured.h"

/* Units with fewer cells than one in so many have no place. */
#define FEWEST 10

size_t measured_find(
	const struct square *square, bool *measured, struct arena *arena)
{
	size_t n = square->n, count = n;
	size_t *cells = arena_take(arena, n, sizeof(*cells));
	bool changed = true;

	for (size_t i = 0; i < n; i++) {
		measured[i] = true;
		for (size_t j = 0; j < n; j++)
			cells[i] += !isnan(square_at(square, i, j));
	}
	/* Whoever has no place is no company for others. */
	while (changed) {
		changed = false;
		for (size_t i = 0; i < n; i++) {
			if (!measured[i] ||
				(cells[i] > 0 &&
					cells[i] * FEWEST + 1 >= count))
				continue;
			measured[i] = false;
			changed = true;
			count--;
			for (size_t j = 0; j < n; j++)
				cells[j] -= !isnan(square_at(square, i, j));
		}
	}
	return count;
}

size_t measured_missing(const struct square *square)
{
	size_t missing = 0;

	for (size_t i = 0; i < square->n; i++) {
		for (size_t j = 0; j < i; j++)
			missing += isnan(square_at(square, i, j)) != 0;
	}
	return missing;
}

/* The share of cells that is missing between units that are alone. */
static double missing_apart(const struct square *square,
	const struct partition *partition, const uint32_t *sizes)
{
	size_t cells = 0, missing = 0;

	for (size_t i = 0; i < square->n; i++) {
		if (sizes[partition->group[i]] > 1)
			continue;
		for (size_t j = 0; j < i; j++) {
			if (sizes[partition->group[j]] > 1)
				continue;
			cells++;
			missing += isnan(square_at(square, i, j)) != 0;
		}
	}
	return cells ? (double)missing / (double)cells : 0;
}

double measured_doubt(const struct square *square,
	const struct partition *partition, struct arena *arena)
{
	size_t n = square->n, missing = measured_missing(square);
	double p = 2 * (double)missing / ((double)n * (double)(n - 1));
	const uint32_t *sizes = partition_sizes(partition, arena);
	double unseen = 0;

	if (missing == 0)
		return 1;
	for (size_t g = 0; g < partition->n_groups; g++) {
		if (sizes[g] > 1)
			unseen += pow(p, sizes[g] - 1) / (1 - p);
	}
	return 1 + unseen * missing_apart(square, partition, sizes) / p;
}
