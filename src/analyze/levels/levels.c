/*
 * How a level comes about. levels_find() below calls the steps in order; the
 * header of each says what it takes and leaves.
 *
 * 1. Cold. What the whole row of a CPU that was slow for a while costs more is
 *    taken off (cold_row.h). No cost counts as more than some times the median.
 * 2. Candidates (candidates.h): partitions that may be levels. One tree of
 *    average linkage over the costs gives its cuts. If a cut has one half of
 *    the CPUs as a group, both halves are a candidate (tree_cuts.c). Siblings
 *    whose cell is missing look alone: another candidate pairs them
 *    (hidden_siblings.c).
 * 3. Choice (rivals.h). A level is judged between the next finer one, whose
 *    groups are its units, and the next coarser one, whose groups are families:
 *    only units of one family are compared. The candidate with the most
 *    evidence is added, those that do not stand beside it are dropped. In turn
 *    each is tested (level_test.h) by
 *    - the raw rule: each group is nearer than what lies around it, by the
 *      costs as they are (raw_rule.c);
 *    - the evidence: how much likelier the costs are with the level, if rows
 *      may have offsets, less what chance could choose from (evidence.c);
 *    - stray cells: hardly a cell between groups is as near as those inside
 *      (evidence.c);
 *    - the margin: that each group is nearer by more than noise (evidence.c);
 *    - the parts: no half of a group is as near to another (group_parts.c).
 * 4. Confidence (confidence.h): the evidence, and what holds it down. After
 *    that groups.c holds it down to the share of searches that find the level
 *    again, with costs from anywhere within their intervals, and by what
 * missing costs may hide. cost_level.reason says which of these is the lowest.
 *
 * The CPUs come in an order that their costs alone decide (row_order.h), so
 * that nothing depends on their numbers; if costs are equal, the CPU that is
 * nearest to all counts first. Nothing changes a level after it was chosen. The
 * numbers that decide stand in level_constants.c, each with its reason.
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

bool levels_only_pairs(const struct partition *partition, struct arena *arena)
{
	const uint32_t *sizes = partition_sizes(partition, arena);

	for (size_t g = 0; g < partition->n_groups; g++)
		if (sizes[g] > 2)
			return false;
	return true;
}

/*
 * Whether a unit is nearer to its own group than to any other of its family.
 * sum[] and cells[] are scratch for the groups.
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

/* Cap spikes, so that means and squares count each as one cell. */
static void cap_spikes(struct cost_matrix *matrix,
	const struct level_constants *constants, struct arena *arena)
{
	size_t cells = matrix->n * matrix->n;
	float *capped = arena_alloc(arena, cells, sizeof(*capped));
	float most =
		(float)constants->spike * cost_matrix_median(matrix, capped);

	for (size_t k = 0; k < cells; k++)
		capped[k] = matrix->cost[k] > most ? most : matrix->cost[k];
	matrix->cost = capped;
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
	/* Two CPUs have a single cell. */
	if (matrix->n < 3)
		return;
	cold_row_correct(&warm, constants, arena);
	cap_spikes(&warm, constants, arena);

	candidates = arena_alloc(arena, 1, sizeof(*candidates));
	candidates->constants = constants;
	level_units_init(&cpus, &warm, NULL, constants, arena);
	tree_cuts_propose(candidates, &warm, constants, arena);
	hidden_siblings_propose(candidates, &cpus, constants, arena);

	choices = arena_alloc(arena, 1, sizeof(*choices));
	rivals_choose(candidates, &warm, constants, choices, arena);

	for (size_t k = 0; k < choices->n; k++)
		take_level(choices, k, constants, &levels->levels[levels->n++],
			arena);
}
