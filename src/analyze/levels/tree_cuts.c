/*
 * Builds a tree of CPUs by average linkage of the raw costs. A jump of the cost
 * from one merge to the next may be a level: propose the cuts at the largest
 * jumps.
 *
 * If one package is the home node of all lines, CPUs of the other package are
 * equally far from each other and from all others. The tree shows only one half
 * of the CPUs as a group. Propose both halves.
 */
#include "analyze/levels/candidates.h"
#include "analyze/levels/steps.h"

#include <float.h>
#include <stdlib.h>

struct tree_cut {
	float step;    /* log of the ratio of the next merge to this merge */
	size_t merges; /* below the cut */
};

static int compare_merges(const void *a, const void *b)
{
	const struct cluster_merge *x = a, *y = b;

	return (x->height > y->height) - (x->height < y->height);
}

static int compare_cuts(const void *a, const void *b)
{
	const struct tree_cut *x = a, *y = b;

	if (x->step != y->step)
		return x->step > y->step ? -1 : 1;
	return x->merges < y->merges ? -1 : x->merges > y->merges;
}

/* Return the root of a CPU's group, and halve the path to the root. */
static uint32_t find_cut_root(uint32_t *root, uint32_t i)
{
	while (root[i] != i)
		i = root[i] = root[root[i]];
	return i;
}

/* Replace both children of each merge by a CPU of each child. */
static void name_by_cpus(struct cluster_merge *merges, size_t n)
{
	/* Children come before parents. */
	for (size_t k = 0; k + 1 < n; k++) {
		if (merges[k].left >= n)
			merges[k].left = merges[merges[k].left - n].left;
		if (merges[k].right >= n)
			merges[k].right = merges[merges[k].right - n].left;
	}
}

static struct partition cut_tree(const struct cluster_merge *merges, size_t n,
	size_t below, struct arena *arena)
{
	struct partition cut;
	uint32_t *root;

	partition_init(&cut, n, arena);
	root = cut.group;
	for (uint32_t i = 0; i < n; i++)
		root[i] = i;
	for (size_t k = 0; k < below; k++) {
		uint32_t a = find_cut_root(root, merges[k].left);
		uint32_t b = find_cut_root(root, merges[k].right);

		root[a < b ? b : a] = a < b ? a : b;
	}
	for (uint32_t i = 0; i < n; i++)
		root[i] = find_cut_root(root, i);
	cut.n_groups = n - below;
	return cut;
}

/* Return the only group that has half of the CPUs, or n_groups. */
static uint32_t find_half(const struct partition *cut, struct arena *arena)
{
	const uint32_t *sizes = partition_sizes(cut, arena);
	uint32_t g = 0;

	while (g < cut->n_groups && 2 * (size_t)sizes[g] != cut->n_units)
		g++;
	return cut->n_groups > 2 ? g : (uint32_t)cut->n_groups;
}

static void propose_cut(struct level_candidates *candidates,
	struct partition *cut, struct arena *arena)
{
	struct partition halves;
	uint32_t half;

	candidates_add(candidates, cut, NULL, arena);
	half = find_half(cut, arena);
	if (half == cut->n_groups)
		return;
	partition_init(&halves, cut->n_units, arena);
	for (size_t i = 0; i < cut->n_units; i++)
		halves.group[i] = cut->group[i] == half;
	halves.n_groups = 2;
	candidates_add(candidates, &halves, NULL, arena);
}

void tree_cuts_propose(struct level_candidates *candidates,
	const struct cost_matrix *matrix,
	const struct level_constants *constants, struct arena *arena)
{
	size_t n = matrix->n, n_cuts = 0;
	struct cluster_merge *merges = arena_alloc(arena, n, sizeof(*merges));
	struct tree_cut *cuts = arena_alloc(arena, n, sizeof(*cuts));
	const struct arena_block *mark = arena->last;
	float *distance = arena_alloc(arena, n * n, sizeof(*distance));

	for (size_t k = 0; k < n * n; k++)
		distance[k] =
			isnan(matrix->cost[k]) ? INFINITY : matrix->cost[k];
	linkage_build_tree(distance, n, merges, arena);
	arena_rewind(arena, mark);
	name_by_cpus(merges, n);
	qsort(merges, n - 1, sizeof(*merges), compare_merges);
	for (size_t k = 1; k + 1 < n; k++) {
		float step = logf(fmaxf(merges[k].height, FLT_MIN) /
				  fmaxf(merges[k - 1].height, FLT_MIN));

		if (step > 0)
			cuts[n_cuts++] = (struct tree_cut){step, k};
	}
	qsort(cuts, n_cuts, sizeof(*cuts), compare_cuts);
	for (size_t k = 0; k < n_cuts && (double)k < constants->cuts; k++) {
		struct partition cut =
			cut_tree(merges, n, cuts[k].merges, arena);

		propose_cut(candidates, &cut, arena);
	}
}
