/*
 * How levels are found. levels_find() below calls the steps in order; the
 * header of each step documents its input and output.
 *
 * 1. Cold. If a CPU was slow for a while, the excess of its whole row is
 *    removed (cold_row.h). Costs are capped at a multiple of the median.
 * 2. Candidates (candidates.h): partitions that may be levels. They are cuts of
 *    an average-linkage tree over the costs. If a cut has one half of the CPUs
 *    as a group, both halves are a candidate (tree_cuts.c). Siblings whose cell
 *    is missing look alone: another candidate pairs them (hidden_siblings.c).
 * 3. Choice (rivals.h). A level is tested between the next finer level, whose
 *    groups are its units, and the next coarser level, whose groups are its
 *    families: only units of one family are compared. The candidate with the
 *    most evidence is added, and levels that fail beside it are dropped. The
 *    tests (level_test.h), in order:
 *    - the raw rule: each group is nearer inside than to its surroundings, by
 *      unadjusted costs (raw_rule.c);
 *    - the evidence: how much more likely the costs are with the level, if rows
 *      may have offsets, minus a penalty for multiple choice (evidence.c);
 *    - stray cells: few cells between groups are as near as cells inside
 *      (evidence.c);
 *    - the margin: each group is nearer by more than noise (evidence.c);
 *    - the parts: no half of a group is as near to another group as to the
 *      other half (group_parts.c).
 * 4. Confidence (confidence.h): nats of evidence are a probability of
 *    1 / (1 + exp(-nats / doubt_nats)): 0.92 for 10 nats, 0.99 for 20. If at
 *    most one unit is alone, it is multiplied by the probability that chance
 *    does not make the same number of near pairs into whole groups. The lowest
 *    of these limits, where they apply, is the confidence:
 *    - alone_cap (0.89): several units are alone, a group is as large as
 *      several others, or there is one group;
 *    - doubt_cap (0.45): another cause is as likely: noise (if units are
 *      alone), threads that moved, a slow part, or the home of the lines;
 *    - inferred_cap (0.8): no cell places a member.
 * 5. After this file, groups.c lowers the confidence: at most the share of
 *    repeated searches (`draws`) that find the level, with costs drawn from
 *    their intervals; a division for missing pairs; inferred_cap if a CPU was
 *    not measured. analyze.c multiplies it by the share of epochs that have
 *    the level if threads moved, and takes the highest confidence if several
 *    matrices show the level. sharing.c adds what a shared cache shows.
 *    cost_level.reason, which the report prints as the doubt, names the last
 *    limit that lowered the confidence.
 *
 * CPUs are ordered by costs alone (row_order.h), so that nothing depends on
 * their numbers; ties are decided for the CPU nearest to all. A chosen level
 * does not change any more. level_constants.c has all thresholds with reasons.
 */
#include "analyze/levels/levels.h"

#include <string.h>

#include "analyze/levels/candidates.h"
#include "analyze/levels/cold_row.h"
#include "analyze/levels/confidence.h"
#include "analyze/levels/rivals.h"

size_t levels_joining(const struct cost_levels *levels, size_t i, size_t j)
{
	size_t k = 0;

	while (k < levels->n && levels->levels[k].partition.group[i] !=
					levels->levels[k].partition.group[j])
		k++;
	return k;
}

bool levels_have(
	const struct cost_levels *levels, const struct partition *partition)
{
	size_t k = 0;

	while (k < levels->n &&
		memcmp(levels->levels[k].partition.group, partition->group,
			sizeof(*partition->group) * partition->n_units) != 0)
		k++;
	return k < levels->n;
}

/*
 * Whether a unit is nearer to its own group than to any other group of its
 * family. sum[] and cells[] are scratch, [groups].
 */
static bool unit_fits(const struct level_choice *choice, size_t u, double *sum,
	uint32_t *cells)
{
	const struct unit_view *view = choice->view;
	const struct group_members *family =
		&view->members[view->families.group[u]];
	const uint32_t *of = choice->groups.group;

	for (size_t b = 0; b < family->n; b++)
		sum[of[family->unit[b]]] = cells[of[family->unit[b]]] = 0;
	for (size_t b = 0; b < family->n; b++) {
		size_t v = family->unit[b];
		float cell = level_view_log(view, u, v);

		if (isnan(cell))
			continue;
		sum[of[v]] += (double)cell;
		cells[of[v]]++;
	}
	for (size_t b = 0; b < family->n; b++) {
		size_t h = of[family->unit[b]];

		if (h != of[u] && cells[h] > 0 && cells[of[u]] > 0 &&
			sum[h] / cells[h] <= sum[of[u]] / cells[of[u]])
			return false;
	}
	return true;
}

static void take_level(const struct level_choices *choices, size_t k,
	const struct level_constants *constants, struct cost_level *level,
	struct arena *arena)
{
	const struct level_choice *choice = &choices->all[k];
	const struct unit_view *view = choice->view;
	const struct level_units *units = view->units;
	const struct level_candidate *candidate = choice->candidate;
	size_t n = candidate->partition.n_units;
	size_t n_groups = choice->groups.n_groups;
	double *sum = arena_alloc(arena, n_groups, sizeof(*sum));
	uint32_t *cells = arena_alloc(arena, n_groups, sizeof(*cells));
	bool *fits = arena_alloc(arena, units->n, sizeof(*fits));
	const struct arena_block *mark;
	float *scratch;

	*level = (struct cost_level){.partition = candidate->partition,
		.fits = arena_alloc(arena, n, sizeof(*level->fits)),
		.inferred = candidate->inferred};
	for (size_t u = 0; u < units->n; u++)
		fits[u] = unit_fits(choice, u, sum, cells);
	for (size_t i = 0; i < n; i++)
		level->fits[i] = fits[units->unit_of ? units->unit_of[i] : i];
	mark = arena->last;
	scratch = arena_alloc(arena, units->n * units->n, sizeof(*scratch));
	level->inside = (double)cost_matrix_median_where(units->costs,
		choice->groups.group, view->families.group, false, scratch);
	level->between = (double)cost_matrix_median_where(units->costs,
		choice->groups.group, view->families.group, true, scratch);
	arena_rewind(arena, mark);
	level->confidence = confidence_of_level(
		choices, k, constants, &level->reason, arena);
}

/* Limit spikes, which would dominate means and squares. */
static void cap_spikes(struct cost_matrix *matrix,
	const struct level_constants *constants, struct arena *arena)
{
	size_t cells = matrix->n * matrix->n;
	const struct arena_block *mark = arena->last;
	float *capped = arena_alloc(arena, cells, sizeof(*capped));
	float most =
		(float)constants->spike * cost_matrix_median(matrix, capped);
	bool changed = false;

	for (size_t k = 0; k < cells; k++) {
		changed |= matrix->cost[k] > most;
		capped[k] = matrix->cost[k] > most ? most : matrix->cost[k];
	}
	if (changed)
		matrix->cost = capped;
	else
		arena_rewind(arena, mark);
}

void levels_find(const struct cost_matrix *matrix,
	const struct level_constants *constants, struct cost_levels *levels,
	struct arena *arena)
{
	struct level_candidates *candidates;
	struct level_choices *choices;
	struct cost_matrix warm = *matrix;
	struct level_units cpus;

	levels->n = 0;
	/* Two CPUs have only one cell, and no levels. */
	if (matrix->n < 3)
		return;
	cold_row_correct(&warm, constants, arena);
	cap_spikes(&warm, constants, arena);

	candidates = arena_alloc(arena, 1, sizeof(*candidates));
	candidates->constants = constants;
	/* Build the tree before the units, to reduce the peak of memory. */
	tree_cuts_propose(candidates, &warm, constants, arena);
	level_units_init(&cpus, &warm, NULL, constants, arena);
	hidden_siblings_propose(candidates, &cpus, constants, arena);

	choices = arena_alloc(arena, 1, sizeof(*choices));
	rivals_choose(candidates, &cpus, constants, choices, arena);

	for (size_t k = 0; k < choices->n; k++)
		take_level(choices, k, constants, &levels->levels[levels->n++],
			arena);
}
