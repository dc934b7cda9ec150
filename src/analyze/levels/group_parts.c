/*
 * Tests the halves of a group. If three clusters are in a line, the middle
 * cluster is equally near to both others. It forms a group with neither,
 * although the mean cell of two neighbours is low. So each group is split at
 * the last merge of its own average-linkage tree. The halves must be nearer to
 * each other than to any other group, by a share of the gain. Rows are
 * subtracted, because otherwise one slow CPU forms a half.
 */
#include "analyze/levels/level_test.h"
#include "analyze/levels/steps.h"

/* Split the units of a group into halves: half[units of the group]. */
static void mark_half(const struct unit_view *view,
	const struct group_members *group, bool *half, struct arena *arena)
{
	size_t n = group->n;
	const struct arena_block *mark = arena->last;
	float *distance = arena_alloc(arena, n * n, sizeof(*distance));
	struct cluster_merge *merges = arena_alloc(arena, n, sizeof(*merges));
	bool *in = arena_alloc(arena, 2 * n, sizeof(*in));

	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < n; b++) {
			float rest = (float)level_view_rest(
				view, group->unit[a], group->unit[b]);

			distance[a * n + b] =
				isnan(rest) ? INFINITY : expf(rest);
		}
	linkage_build_tree(distance, n, merges, arena);
	in[merges[n - 2].left] = true;
	for (size_t k = n - 2; k-- > 0;)
		in[merges[k].left] = in[merges[k].right] = in[n + k];
	for (size_t a = 0; a < n; a++)
		half[a] = in[a];
	arena_rewind(arena, mark);
}

struct part_sums {
	double *sum[2]; /* [groups] sums of cells from each half */
	uint32_t *cells[2];
};

/*
 * Return by how much the halves are nearer to each other than to other groups.
 */
static double part_margin(const struct level_subject *subject, size_t g,
	const bool *half, struct part_sums *sums)
{
	const struct unit_view *view = subject->view;
	const struct group_members *group = &subject->members[g];
	const struct group_members *family =
		&view->members[view->families.group[group->unit[0]]];
	const uint32_t *of = subject->groups.group;
	double within = 0, least = INFINITY;
	size_t cells = 0;

	for (size_t b = 0; b < family->n; b++)
		for (int side = 0; side < 2; side++)
			sums->sum[side][of[family->unit[b]]] =
				sums->cells[side][of[family->unit[b]]] = 0;
	for (size_t a = 0; a < group->n; a++) {
		for (size_t b = 0; b < family->n; b++) {
			size_t v = family->unit[b];
			double rest = level_view_rest(view, group->unit[a], v);

			if (of[v] == g || isnan(rest))
				continue;
			sums->sum[half[a]][of[v]] += rest;
			sums->cells[half[a]][of[v]]++;
		}
		for (size_t b = 0; b < a; b++) {
			double rest = level_view_rest(
				view, group->unit[a], group->unit[b]);

			if (half[a] == half[b] || isnan(rest))
				continue;
			within += rest;
			cells++;
		}
	}
	for (size_t b = 0; b < family->n; b++) {
		size_t h = of[family->unit[b]];

		for (int side = 0; side < 2; side++)
			if (h != g && sums->cells[side][h] > 0)
				least = fmin(
					least, sums->sum[side][h] /
						       sums->cells[side][h]);
	}
	return cells > 0 ? least - within / (double)cells : INFINITY;
}

void group_parts_test(const struct level_subject *subject,
	const struct level_constants *constants, struct level_test *test,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n_groups = subject->groups.n_groups, bad = 0;
	bool *half = arena_alloc(arena, subject->view->units->n, sizeof(*half));
	struct part_sums sums;

	for (int side = 0; side < 2; side++) {
		sums.sum[side] = arena_alloc(arena, n_groups, sizeof(double));
		sums.cells[side] =
			arena_alloc(arena, n_groups, sizeof(uint32_t));
	}
	for (size_t g = 0; g < n_groups; g++) {
		if (subject->members[g].n < 3)
			continue;
		mark_half(subject->view, &subject->members[g], half, arena);
		bad += part_margin(subject, g, half, &sums) <
		       constants->parts * test->gain;
	}
	if ((double)bad > constants->bad_share * (double)test->judged)
		test->fails = "half of a group is as near to another group";
	arena_rewind(arena, mark);
}
