/*
 * Where to cut the tree of clusters.
 *
 * No single height cuts a real machine right: one package may cost more inside
 * than another, or one kind of core lacks a level that the other has. So every
 * node of the tree tells how much it stands out, 1 - (cost at which its own
 * halves met) / (cost at which it was joined to another). The set of nodes
 * without overlap that has the largest sum over its units is taken; each unit
 * in a group pays LEVEL_GAIN_MIN (choosing clusters by excess of mass:
 * Campello, Moulavi and Sander, PAKDD 2013). All other units stay alone.
 */
#include "analyze/levels/steps.h"

#include <stdlib.h>

/* A node chosen as a group. */
struct chosen_node {
	uint32_t node;
	float inside, outside;
};

/* Nearer groups replace dearer ones if they hold this share of the units. */
#define COVERED_AGAIN 0.75F

/* Groups of one level are as large and save as much, within this factor. */
#define SIMILAR_FACTOR 1.5F

/* The quantile of a row's distances that stands for the farthest level. */
#define FARTHEST_QUANTILE 0.9

/* The largest and smallest offset of a row: a factor of about 1.8. */
#define ROW_MAX 0.6F
#define ROW_MIN (-0.1F)

/* Added to each cost before its logarithm, as a share of the median. */
#define ZERO_SHARE 0.02F

/* A group is faint if it stands out by less than this share of the others. */
#define FAINT_SHARE 0.3F

/* A level holds at least this share of the units: one lucky pair is none. */
#define LEAST_GROUPED 0.2F

/* One tight group among strangers is no level. */
#define LEAST_CHOSEN 2

/* A half with fewer units could be tight by chance. */
#define LEAST_HALF 3

/* Halves differ by at most this part of the units. */
#define UNEVEN_DIVISOR 16

struct cluster_tree {
	const struct cluster_merge *merges;
	size_t n;	/* leaves */
	float *outside; /* [n - 1] the height at which the node was joined */
	float *best;	/* [n - 1] the largest sum from this node down */
	bool *whole;	/* [n - 1] it comes from taking the node as one */
	uint32_t *stack;
};

static float best_sum_below(const struct cluster_tree *tree, uint32_t node)
{
	return node < tree->n ? 0 : tree->best[node - tree->n];
}

/* Nodes whose cost inside is below least or reaches limit are no candidates. */
static void weigh_nodes(struct cluster_tree *tree, float least, float limit)
{
	const struct cluster_merge *merges = tree->merges;
	size_t n = tree->n;

	for (size_t k = 0; k + 1 < n; k++) {
		const uint32_t ends[] = {merges[k].left, merges[k].right};

		for (size_t e = 0; e < 2; e++)
			if (ends[e] >= n)
				tree->outside[ends[e] - n] = merges[k].height;
	}
	for (size_t k = 0; k + 1 < n; k++) {
		float parts = best_sum_below(tree, merges[k].left) +
			      best_sum_below(tree, merges[k].right);
		float own = 0;

		/* The root holds all units: no group. */
		if (k + 2 < n && merges[k].height >= least &&
			merges[k].height < limit)
			own = (float)merges[k].size *
			      (1 - expf(merges[k].height - tree->outside[k]) -
				      (float)LEVEL_GAIN_MIN);
		tree->whole[k] = own > parts;
		tree->best[k] = tree->whole[k] ? own : parts;
	}
}

static size_t choose_tree_nodes(
	struct cluster_tree *tree, struct chosen_node *choices)
{
	size_t n = tree->n;
	size_t depth = 0, found = 0;

	tree->stack[depth++] = (uint32_t)(2 * n - 2);
	while (depth > 0) {
		uint32_t node = tree->stack[--depth];
		size_t k;

		if (node < n)
			continue;
		k = node - n;
		if (tree->whole[k]) {
			choices[found].node = node;
			choices[found].inside = tree->merges[k].height;
			choices[found++].outside = tree->outside[k];
			continue;
		}
		tree->stack[depth++] = tree->merges[k].left;
		tree->stack[depth++] = tree->merges[k].right;
	}
	return found;
}

static float node_prominence(const struct chosen_node *choice)
{
	return 1 - expf(choice->inside - choice->outside);
}

/* Give every leaf below node the group. */
static void mark_leaves(struct cluster_tree *tree, uint32_t node,
	const uint32_t *members, uint32_t group, struct partition *found)
{
	size_t depth = 0;

	tree->stack[depth++] = node;
	while (depth > 0) {
		node = tree->stack[--depth];
		if (node < tree->n) {
			found->group[members[node]] = group;
			continue;
		}
		tree->stack[depth++] = tree->merges[node - tree->n].left;
		tree->stack[depth++] = tree->merges[node - tree->n].right;
	}
}

static int compare_inside(const void *a, const void *b)
{
	const struct chosen_node *x = a;
	const struct chosen_node *y = b;

	if (x->inside != y->inside)
		return x->inside < y->inside ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* The units in the chosen groups that stand out by at least so much. */
static size_t covered_units(const struct cluster_tree *tree,
	const struct chosen_node *choices, size_t n, float least)
{
	size_t units = 0;

	for (size_t k = 0; k < n; k++)
		if (node_prominence(&choices[k]) >= least)
			units += tree->merges[choices[k].node - tree->n].size;
	return units;
}

/*
 * Whether groups are enough for a level: one tight group among strangers is
 * none, and neither are a few.
 */
static bool are_enough_for_level(const struct cluster_tree *tree,
	const struct chosen_node *choices, size_t n)
{
	return n >= LEAST_CHOSEN && (float)covered_units(tree, choices, n, 0) >=
					    LEAST_GROUPED * (float)tree->n;
}

/* How many units the typical one of these groups has. */
static float typical_size(const struct cluster_tree *tree,
	const struct chosen_node *choices, size_t n, float *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] =
			(float)tree->merges[choices[i].node - tree->n].size;
	return median_of_floats(scratch, n);
}

/*
 * What the typical one of these groups saves, in cost rather than logarithms.
 */
static float typical_saving(
	const struct chosen_node *choices, size_t n, float *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = expf(choices[i].outside) - expf(choices[i].inside);
	return median_of_floats(scratch, n);
}

static bool are_similar_values(float a, float b)
{
	return a < SIMILAR_FACTOR * b && b < SIMILAR_FACTOR * a;
}

/*
 * Whether the nearer groups, choices[0..k), are another level than the others.
 * They are not if they are about as large and save about as much: rows add to
 * all cells, and a level saves the same in a slow die as in a fast one. Else
 * they are if another group costs as much inside as the nearer ones do outside,
 * or if the units of the dearer groups also form nearer ones that stand out.
 * Faint ones may be pairs inside a die that costs more than the other dies.
 * trial has what is chosen of the nearer ones alone.
 */
static bool are_separate_level(const struct cluster_tree *tree,
	const struct chosen_node *choices, size_t n_choices, size_t k,
	const struct chosen_node *trial, size_t n_trial, float *scratch)
{
	const struct chosen_node *others = choices + k;
	size_t n_others = n_choices - k;
	float least = 0;

	if (are_similar_values(typical_size(tree, choices, k, scratch),
		    typical_size(tree, others, n_others, scratch)) &&
		are_similar_values(typical_saving(choices, k, scratch),
			typical_saving(others, n_others, scratch)))
		return false;
	for (size_t i = 0; i < k; i++)
		scratch[i] = choices[i].outside;
	if (choices[k].inside + logf(LEVEL_SPAN) >=
		median_of_floats(scratch, k))
		return true;
	for (size_t i = k; i < n_choices; i++)
		least = fmaxf(
			least, FAINT_SHARE * node_prominence(&choices[i]));
	return (float)covered_units(tree, trial, n_trial, least) >=
	       (float)covered_units(tree, choices, k, least) +
		       COVERED_AGAIN *
			       (float)covered_units(tree, others, n_others, 0);
}

/*
 * The choices may be groups of two levels: two levels stand out alike, or one
 * kind of core lacks a level. Then choose again among the nearer groups. If
 * these are too few for a level, as a pair of siblings among many single CPUs,
 * choose again among the dearer ones, which may hold them. Nothing is lost:
 * outer levels are found between the collapsed groups, and inner ones inside.
 */
static size_t choose_tree_level(struct cluster_tree *tree,
	struct chosen_node *choices, struct chosen_node *trial, float *scratch)
{
	float least = -INFINITY, limit = INFINITY;
	size_t n_choices, k;

	do {
		weigh_nodes(tree, least, limit);
		n_choices = choose_tree_nodes(tree, choices);
		qsort(choices, n_choices, sizeof(*choices), compare_inside);
		for (k = 1; k < n_choices; k++) {
			float last = choices[k - 1].inside;
			float next = choices[k].inside;
			float middle = (choices[k / 2].inside + next) / 2;
			size_t n_trial;

			if (next < logf(LEVEL_SPAN) + last)
				continue;
			weigh_nodes(tree, least, middle);
			n_trial = choose_tree_nodes(tree, trial);
			if (!are_separate_level(tree, choices, n_choices, k,
				    trial, n_trial, scratch))
				continue;
			if (are_enough_for_level(tree, trial, n_trial))
				limit = middle;
			else
				least = (last + next) / 2;
			break;
		}
	} while (k < n_choices);
	return n_choices;
}

/*
 * Beside groups that stand out clearly, cores without that level pair up by
 * noise. Drop groups that stand out far less than the second clearest (the
 * first may be lucky).
 */
static size_t drop_faint_groups(struct chosen_node *choices, size_t n)
{
	float first = 0, second = 0;
	size_t kept = 0;

	for (size_t k = 0; k < n; k++) {
		float own = node_prominence(&choices[k]);

		if (own > first) {
			second = first;
			first = own;
		} else if (own > second) {
			second = own;
		}
	}
	for (size_t k = 0; k < n; k++)
		if (node_prominence(&choices[k]) >= FAINT_SHARE * second)
			choices[kept++] = choices[k];
	return kept;
}

struct cut_context {
	const struct cost_matrix *square;
	struct partition *found;
	struct cluster_merge *merges;
	struct chosen_node *choices, *trial;
	float *scratch;
	float *distance; /* [n * n] */
	uint32_t next_group;
	size_t n_chosen, n_grouped;
	struct arena *arena;
};

/* What to add to costs before their logarithm: coarse clocks give zeros. */
static float log_cost_offset(
	struct cut_context *cut, const uint32_t *members, size_t n)
{
	size_t count = 0;
	float least = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			append_known(cut->distance, &count,
				cost_matrix_at(
					cut->square, members[i], members[j]));
	if (count > 0)
		least = median_of_floats(cut->distance, count) * ZERO_SHARE;
	return least > 0 ? least : 1;
}

/*
 * The distance of two units is the logarithm of their cost, less the offsets of
 * both rows. With logarithms a level is a step of one height everywhere, and
 * one bad cell does not outweigh a block. The offset is measured against the
 * farthest units: all rows see the same farthest level, so a difference there
 * comes from the row, for example of a cold CPU, a slower clock, or the edge of
 * a mesh.
 */
static void find_log_distances(
	struct cut_context *cut, const uint32_t *members, size_t n)
{
	const struct cost_matrix *matrix = cut->square;
	float *distance = cut->distance;
	float *row = cut->scratch, *sorted = cut->scratch + n;
	float floor_cost = log_cost_offset(cut, members, n);
	float typical;

	for (size_t i = 0; i < n; i++) {
		const float *costs = &matrix->cost[members[i] * matrix->n];

		size_t count = 0;

		for (size_t j = 0; j < n; j++) {
			float cost = costs[members[j]];

			distance[i * n + j] = isnan(cost)
						      ? INFINITY
						      : logf(cost + floor_cost);
			if (!isnan(cost))
				sorted[count++] = distance[i * n + j];
		}
		row[i] = count ? quantile_of_floats(
					 sorted, count, FARTHEST_QUANTILE)
			       : 0;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = row[i];
	typical = median_of_floats(sorted, n);
	for (size_t i = 0; i < n; i++)
		row[i] = fminf(fmaxf(row[i] - typical, ROW_MIN), ROW_MAX);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			distance[i * n + j] -= row[i] + row[j];
}

/* Whether a unit that is left is nearer to the others than to the group. */
static bool is_nearer_to_others(
	struct cut_context *cut, const bool *in, size_t n, size_t unit)
{
	float median[2];

	for (size_t side = 0; side < 2; side++) {
		size_t count = 0;

		for (size_t j = 0; j < n; j++)
			if (j != unit && in[j] == (side == 1))
				append_known(cut->scratch, &count,
					cut->distance[unit * n + j]);
		median[side] = median_of_floats(cut->scratch, count);
	}
	return median[0] < median[1];
}

/*
 * Make the units that the only chosen group leaves a group if they are the
 * other half. If one node was home to all lines, the other half costs as much
 * inside as across: equal halves are taken as they are. The units of a GPU may
 * have a near and a far half, and not all of them are in use: then halves are
 * nearly equal, and each unit of the far one has to be nearer to its own.
 */
static void take_other_half(
	struct cut_context *cut, const uint32_t *members, size_t n)
{
	uint32_t *group = cut->found->group, last = cut->next_group - 1;
	bool *in = arena_alloc(cut->arena, n, sizeof(*in));
	size_t size = 0, uneven;

	for (size_t i = 0; i < n; i++) {
		in[i] = group[members[i]] == last;
		size += in[i];
	}
	uneven = 2 * size > n ? 2 * size - n : n - 2 * size;
	if (n < 2 * LEAST_HALF || uneven * UNEVEN_DIVISOR > n)
		return;
	/* linkage_build_tree() has used the distances up. */
	if (uneven > 0)
		find_log_distances(cut, members, n);
	for (size_t i = 0; i < n && uneven > 0; i++)
		if (!in[i] && !is_nearer_to_others(cut, in, n, i))
			return;
	for (size_t i = 0; i < n; i++)
		if (!in[i])
			group[members[i]] = cut->next_group;
	cut->next_group++;
	cut->n_chosen++;
	cut->n_grouped += n - size;
}

static void cut_parent_group(
	struct cut_context *cut, const uint32_t *members, size_t n)
{
	struct arena *arena = cut->arena;
	const struct arena_block *mark = arena->last;
	struct cluster_tree tree = {.merges = cut->merges,
		.n = n,
		.outside = arena_alloc(arena, n, sizeof(float)),
		.best = arena_alloc(arena, n, sizeof(float)),
		.whole = arena_alloc(arena, n, sizeof(bool)),
		.stack = arena_alloc(arena, 2 * n, sizeof(uint32_t))};
	size_t n_chosen;

	find_log_distances(cut, members, n);
	linkage_build_tree(cut->distance, n, cut->merges, arena);
	n_chosen = choose_tree_level(
		&tree, cut->choices, cut->trial, cut->scratch);
	n_chosen = drop_faint_groups(cut->choices, n_chosen);
	for (size_t k = 0; k < n_chosen; k++)
		mark_leaves(&tree, cut->choices[k].node, members,
			cut->next_group++, cut->found);
	cut->n_chosen += n_chosen;
	cut->n_grouped += covered_units(&tree, cut->choices, n_chosen, 0);
	if (n_chosen == 1)
		take_other_half(cut, members, n);
	arena_rewind(arena, mark);
}

bool cut_best_partition(const struct cost_matrix *matrix,
	const struct partition *parents, struct partition *found,
	struct arena *arena)
{
	size_t n = matrix->n;
	struct cut_context cut = {
		.square = matrix, .found = found, .arena = arena};
	const struct arena_block *mark;
	const struct group_members *families;

	partition_init(found, n, arena);
	mark = arena->last;
	families = partition_members(parents, arena);
	cut.merges = arena_alloc(arena, n, sizeof(*cut.merges));
	cut.choices = arena_alloc(arena, n, sizeof(*cut.choices));
	cut.trial = arena_alloc(arena, n, sizeof(*cut.trial));
	cut.scratch = arena_alloc(arena, 2 * n, sizeof(*cut.scratch));
	cut.distance = arena_alloc(arena, n * n, sizeof(*cut.distance));
	/* Alone, unless a cut finds their group. */
	for (size_t u = 0; u < n; u++)
		found->group[u] = cut.next_group++;
	for (size_t g = 0; g < parents->n_groups; g++)
		if (families[g].n > 2)
			cut_parent_group(&cut, families[g].unit, families[g].n);
	partition_number(found, arena);
	arena_rewind(arena, mark);
	return cut.n_chosen >= LEAST_CHOSEN &&
	       (float)cut.n_grouped >= LEAST_GROUPED * (float)n;
}
