/*
 * The evidence is the log of the odds; but the model may be wrong, so it counts
 * for less than it says. What numbers alone cannot decide is held down:
 *
 * - Units that are alone, two or more: they may be a group that noise hides, or
 *   all groups may be of something else than the machine. One slow cache leaves
 *   the siblings of the others, and threads that moved leave some pairs.
 * - One group among single units, and one cell: it may be a wrong number, or
 *   the home of the lines.
 * - Units that are alone, where the noise is such that no group would show.
 * - One group of groups: who is near to the home of all lines looks so.
 * - A member that no cell puts there.
 */
#include "analyze/levels/confidence.h"

/* The odds that so many of the lowest cells of families touch no unit twice. */
static double log_odds_of_pairs(
	const struct level_choice *choice, struct arena *arena)
{
	const struct unit_view *view = choice->view;
	const uint32_t *sizes = partition_sizes(&choice->groups, arena);
	double odds = 0;

	for (size_t f = 0; f < view->families.n_groups; f++) {
		double n = (double)view->members[f].n, cells = n * (n - 1) / 2;
		double pairs = 0;

		/* A group of more counts as so many cells that are apart. */
		for (size_t a = 0; a < view->members[f].n; a++)
			pairs += sizes[choice->groups.group[view->members[f]
								    .unit[a]]] >
						 1
					 ? 0.5
					 : 0;

		for (size_t k = 1; (double)k < pairs; k++) {
			double left = n - 2 * (double)k;

			odds += log(
				left * (left - 1) / 2 / (cells - (double)k));
		}
	}
	return odds;
}

/*
 * How surely units that are alone are of another kind than those in groups: how
 * many standard deviations of chance their rows, towards units in groups, lie
 * apart by rank.
 */
static double separation_of_alone(
	const struct level_choice *choice, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct unit_view *view = choice->view;
	const uint32_t *of = choice->groups.group;
	const uint32_t *sizes = partition_sizes(&choice->groups, arena);
	size_t n = view->units->n, count[2] = {0};
	float *rows[2] = {arena_alloc(arena, n, sizeof(float)),
		arena_alloc(arena, n, sizeof(float))};
	double above = 0, all;

	for (size_t u = 0; u < n; u++) {
		const struct group_members *family =
			&view->members[view->families.group[u]];
		double sum = 0, cells = 0;

		for (size_t b = 0; b < family->n; b++) {
			size_t v = family->unit[b];
			float cell = level_view_log(view, u, v);

			if (sizes[of[v]] < 2 || of[u] == of[v] || isnan(cell))
				continue;
			sum += (double)cell;
			cells++;
		}
		if (cells > 0) {
			bool alone = sizes[of[u]] == 1;

			rows[alone][count[alone]++] = (float)(sum / cells);
		}
	}
	all = (double)(count[0] * count[1]);
	for (size_t a = 0; a < count[0]; a++)
		for (size_t b = 0; b < count[1]; b++)
			above += rows[1][b] > rows[0][a]    ? 1
				 : rows[1][b] == rows[0][a] ? 0.5
							    : 0;
	arena_rewind(arena, mark);
	if (all == 0)
		return 0;
	return fabs(above / all - 0.5) /
	       sqrt((double)(count[0] + count[1] + 1) / (12 * all));
}

/* Doubts that the sizes of groups, in CPUs, raise. */
struct size_doubts {
	bool lacks_one;	 /* a group lacks one of the commonest size */
	bool is_several; /* one is as large as several of the commonest */
};

static struct size_doubts doubt_sizes(
	const struct partition *cpus, struct arena *arena)
{
	size_t n = cpus->n_units, best = 0;
	const uint32_t *sizes = partition_sizes(cpus, arena);
	uint32_t *of_size = arena_alloc(arena, n + 1, sizeof(*of_size));
	struct size_doubts doubts = {false, false};

	for (size_t g = 0; g < cpus->n_groups; g++)
		of_size[sizes[g]] += sizes[g];
	for (size_t size = 1; size <= n; size++)
		if (of_size[size] > of_size[best])
			best = size;
	doubts.lacks_one = best > 2 && of_size[best - 1] > 0;
	for (size_t g = 0; g < cpus->n_groups && best > 1; g++)
		doubts.is_several |= sizes[g] >= 2 * best;
	return doubts;
}

/* The share of the units of a family that are alone. */
static double share_alone(const struct level_choice *choice,
	const uint32_t *sizes, const struct group_members *family)
{
	size_t alone = 0;

	for (size_t a = 0; a < family->n; a++)
		alone += sizes[choice->groups.group[family->unit[a]]] == 1;
	return (double)alone / (double)family->n;
}

/* Whether a family is all alone, and hardly a unit of another one as large. */
static bool has_bare_family(const struct level_choice *choice,
	const struct level_constants *constants, struct arena *arena)
{
	const struct unit_view *view = choice->view;
	const uint32_t *sizes = partition_sizes(&choice->groups, arena);

	for (size_t f = 0; f < view->families.n_groups; f++) {
		const struct group_members *bare = &view->members[f];

		if ((double)bare->n < constants->bare_units ||
			share_alone(choice, sizes, bare) < 1)
			continue;
		for (size_t g = 0; g < view->families.n_groups; g++)
			if (view->members[g].n == bare->n &&
				share_alone(choice, sizes, &view->members[g]) <=
					constants->odd_share)
				return true;
	}
	return false;
}

double confidence_of_level(const struct level_choices *choices, size_t k,
	const struct level_constants *constants, const char **reason,
	struct arena *arena)
{
	const struct level_choice *choice = &choices->all[k];
	const struct level_test *test = &choice->test;
	double sure = 1 / (1 + exp(-test->nats / constants->doubt_nats));
	double most = 1;
	struct size_doubts sizes;

	*reason = NULL;
	/* Chance makes such groups of few units. */
	if (test->alone < 2)
		sure *= 1 - exp(log_odds_of_pairs(choice, arena));
	if (test->alone > 1) {
		most = constants->alone_cap;
		*reason = "several are alone, and may belong together";
	}
	sizes = doubt_sizes(&choice->candidate->partition, arena);
	if (test->alone > 0 && sizes.lacks_one) {
		most = constants->alone_cap;
		*reason = "one is alone, and one group lacks one";
	}
	if (sizes.is_several) {
		most = constants->alone_cap;
		*reason = "a group is as large as several others";
	}
	if (test->joining == 1) {
		most = constants->alone_cap;
		*reason = "one group among single ones";
	}
	if (test->joining == 1 && choice->view->units->unit_of) {
		most = constants->doubt_cap;
		*reason = "one group of groups, as around the home of lines";
	}
	if (test->alone > 1 && constants->sigmas * test->hidden > test->gain) {
		most = constants->doubt_cap;
		*reason = "noise may hide groups where units are alone";
	}
	if (test->alone > 1 && choices->n == 1 &&
		exp(log_odds_of_pairs(choice, arena)) > constants->odds &&
		separation_of_alone(choice, arena) < constants->apart) {
		most = constants->doubt_cap;
		*reason = "nothing else shows that threads stayed in place";
	}
	if (test->alone > 1 && has_bare_family(choice, constants, arena) &&
		separation_of_alone(choice, arena) < constants->apart) {
		most = constants->doubt_cap;
		*reason = "a whole family is alone, and like the others";
	}
	if (test->alone > 1 && test->stray > 0) {
		most = constants->doubt_cap;
		*reason = "near cells lie between groups, and units are alone";
	}
	if (choice->candidate->inferred) {
		*reason = most < constants->inferred_cap ? *reason : NULL;
		most = fmin(most, constants->inferred_cap);
	}
	if (sure < most)
		*reason = "few pairs tell its groups, or noise is strong";
	return fmin(sure, most);
}
