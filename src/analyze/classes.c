/*
 * A class shows in the rows, not in the blocks: its cores have a constant
 * offset to all other CPUs. CPUs at the edge of a mesh or with a slower clock
 * have one too, and a gradient of rows is no class. Two signs count.
 *
 * - Kind: some cores have SMT siblings and some have none, the rows of the two
 *   differ, and those without siblings are alike. A core whose sibling is
 *   offline has the same row as the others. A vCPU may have its sibling in
 *   another virtual machine, which slows it down whenever that one is busy. So
 *   on a virtual machine a missing SMT sibling proves nothing.
 * - A gap: the rows form two clusters. The gap between them is several times as
 *   wide as the steps within, and each has more than a few cores.
 */
#include "analyze/steps.h"

#include <stdlib.h>
#include <string.h>

/* Passes of the fit. Rows and columns are the same, so it settles at once. */
#define PASSES 3

/* The rank test of kinds: the share of pairs of cores in the expected order. */
#define LEAST_SEPARATION 0.85F
#define LEAST_Z		 1.8F

/* The least distance between two kinds, as a share of the median cost. */
#define LEAST_DIFFERENCE 0.02F
#define FEW_SINGLE	 4

/* Kinds differ by so many typical deviations of cores without siblings. */
#define LEAST_ALIKE 5

/*
 * The gap between clusters, as a share of the median cost and of their width.
 */
#define LEAST_GAP	   0.15F
#define LEAST_GAP_TO_WIDTH 3.0F
#define LEAST_HEAP_SHARE   0.2F
#define LEAST_HEAP	   4

/* The confidence of a gap alone. */
#define GAP_SEPARATION 0.8F

/* The median excess of the cells of line u over less[]. */
static float median_excess(const struct square *square, size_t u,
	const float *less, float *scratch)
{
	size_t count = 0;

	for (size_t k = 0; k < square->n; k++)
		append_known(
			scratch, &count, square_at(square, u, k) - less[k]);
	return count ? median_of(scratch, count) : 0;
}

static float median_cost(const struct square *square, float *scratch)
{
	size_t count = 0;

	for (size_t u = 0; u < square->n; u++)
		for (size_t v = 0; v < u; v++)
			append_known(scratch, &count, square_at(square, u, v));
	return median_of(scratch, count);
}

/*
 * row[u]: the median, over the other units k, of how much more u costs with k
 * than the middle unit does, as a share of the median cost.
 */
static void fit_rows(
	const struct square *square, float *row, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = square->n;
	float *middle = arena_take(arena, n, sizeof(*middle));
	float *scratch = arena_take(arena, n * n, sizeof(*scratch));
	float typical = median_cost(square, scratch);

	for (size_t pass = 0; pass < PASSES; pass++) {
		for (size_t k = 0; k < n; k++)
			middle[k] = median_excess(square, k, row, scratch);
		for (size_t u = 0; u < n; u++)
			row[u] = median_excess(square, u, middle, scratch);
	}
	for (size_t u = 0; u < n; u++)
		row[u] = typical > 0 ? row[u] / typical : 0;
	arena_back(arena, mark);
}

/* The share of pairs (one unit of either kind) where the single is higher. */
static float rank_share(const float *row, const uint32_t *sizes, size_t n)
{
	size_t pairs = 0;
	float higher = 0;

	for (size_t u = 0; u < n; u++)
		for (size_t v = 0; v < n; v++) {
			if (sizes[u] != 1 || sizes[v] == 1)
				continue;
			pairs++;
			if (row[u] > row[v])
				higher += 1;
			else if (row[u] == row[v])
				higher += 0.5F;
		}
	return pairs ? higher / (float)pairs : 0.5F;
}

/* How far from one half the share is, in standard deviations of chance. */
static float rank_z(float share, size_t a, size_t b)
{
	return (share - 0.5F) /
	       sqrtf((float)(a + b + 1) / (12 * (float)a * (float)b));
}

/*
 * Whether the median rows of the two kinds are far enough apart, and cores
 * without siblings alike enough. Cores with an offline sibling are few, so a
 * few cores must differ by more.
 */
static bool kinds_differ(const float *row, const uint32_t *sizes, size_t n,
	size_t single, float *scratch)
{
	float middle[2], difference, deviation;

	for (int kind = 0; kind < 2; kind++) {
		size_t count = 0;

		for (size_t u = 0; u < n; u++)
			if ((sizes[u] == 1) == kind)
				scratch[count++] = row[u];
		middle[kind] = median_of(scratch, count);
		/* The last one: cores without siblings. */
		for (size_t k = 0; k < count; k++)
			scratch[k] = fabsf(scratch[k] - middle[kind]);
		deviation = median_of(scratch, count);
	}
	difference = fabsf(middle[1] - middle[0]);
	return difference >= LEAST_ALIKE * deviation &&
	       difference >=
		       (single < FEW_SINGLE ? LEAST_GAP : LEAST_DIFFERENCE);
}

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a;
	float y = *(const float *)b;

	return (x > y) - (x < y);
}

/* A row between two clusters, or NAN. sorted[n] increases. */
static float widest_gap(const float *sorted, size_t n)
{
	size_t least = (size_t)ceilf(LEAST_HEAP_SHARE * (float)n);
	size_t at = 0;
	float gap, width;

	if (least < LEAST_HEAP)
		least = LEAST_HEAP;
	if (n < 2 * least)
		return NAN;
	for (size_t k = least; k <= n - least; k++)
		if (at == 0 ||
			sorted[k] - sorted[k - 1] > sorted[at] - sorted[at - 1])
			at = k;
	gap = sorted[at] - sorted[at - 1];
	width = fmaxf(sorted[at - 1] - sorted[0], sorted[n - 1] - sorted[at]);
	if (gap < LEAST_GAP || gap < LEAST_GAP_TO_WIDTH * width)
		return NAN;
	return (sorted[at] + sorted[at - 1]) / 2;
}

float classes_find(const struct square *square, const uint32_t *sizes,
	bool by_siblings, struct partition *found, struct arena *arena)
{
	size_t n = square->n, single = 0;
	float *row = arena_take(arena, n, sizeof(*row));
	float *sorted = arena_take(arena, n, sizeof(*sorted));
	float border, share, separation;

	partition_init(found, n, arena);
	fit_rows(square, row, arena);
	for (size_t u = 0; u < n; u++)
		single += sizes[u] == 1;
	share = rank_share(row, sizes, n);
	if (share < 0.5F)
		share = 1 - share;
	if (by_siblings && single >= 2 && n - single >= 2 &&
		share >= LEAST_SEPARATION &&
		rank_z(share, single, n - single) >= LEAST_Z &&
		kinds_differ(row, sizes, n, single, sorted)) {
		for (size_t u = 0; u < n; u++)
			found->group[u] = sizes[u] == 1;
		separation = share;
	} else {
		memcpy(sorted, row, sizeof(*row) * n);
		qsort(sorted, n, sizeof(*sorted), compare_floats);
		border = widest_gap(sorted, n);
		for (size_t u = 0; u < n; u++)
			found->group[u] = row[u] > border;
		separation = isnan(border) ? 0 : GAP_SEPARATION;
	}
	partition_number(found, arena);
	return separation;
}
