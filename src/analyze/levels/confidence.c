/*
 * The evidence is the log of the odds, scaled down because the model may be
 * wrong. More evidence cannot remove these doubts, which limit the confidence:
 *
 * - Two or more units are alone. Noise may hide their group, or the groups may
 *   be an artefact: a slow cache hides the siblings inside it, and threads that
 *   moved leave only some pairs.
 * - Only one group exists, and all other units are single: the group's cell may
 *   be wrong, or its units may be near the home node of the lines.
 * - Units are alone, and their noise hides any group.
 * - Only one group of groups exists: the group may be the units near the home
 *   node of all lines.
 * - No cell shows that a member belongs to its group.
 * - No cell is between two groups, and both together are no larger than the
 *   largest group: they may be one group.
 */
#include "analyze/levels/confidence.h"

static double log_combinations(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Return the log of the odds of a family of n units in groups of sizes[]. */
static double log_family_odds(const uint32_t *sizes, size_t n_groups, double n)
{
	double ways = lgamma(n + 1), inside = 0;

	for (size_t g = 0; g < n_groups; g++) {
		double size = sizes[g], same_size = 0;

		for (size_t h = 0; h <= g; h++)
			same_size += sizes[h] == sizes[g];
		ways -= lgamma(size + 1) + log(same_size);
		inside += size * (size - 1) / 2;
	}
	return fmin(0, ways - log_combinations(n * (n - 1) / 2, inside));
}

double confidence_of_sizes(const struct partition *groups,
	const struct partition *families, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct group_members *members =
		partition_members(families, arena);
	const uint32_t *of = groups->group;
	uint32_t *of_group =
		arena_alloc(arena, groups->n_groups, sizeof(*of_group));
	uint32_t *sizes = arena_alloc(arena, groups->n_units, sizeof(*sizes));
	double odds = 0;

	for (size_t f = 0; f < families->n_groups; f++) {
		const struct group_members *family = &members[f];
		size_t n_groups = 0;

		for (size_t a = 0; a < family->n; a++)
			of_group[of[family->unit[a]]]++;
		for (size_t a = 0; a < family->n; a++) {
			uint32_t *size = &of_group[of[family->unit[a]]];

			if (*size > 0)
				sizes[n_groups++] = *size;
			*size = 0;
		}
		odds += log_family_odds(sizes, n_groups, (double)family->n);
	}
	arena_rewind(arena, mark);
	return -expm1(odds);
}

/*
 * Return how strongly the rows of single units and of grouped units differ: the
 * rank statistic in standard deviations. A large value means that single units
 * are another type of core.
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

struct size_doubts {
	bool lacks_one;	 /* a group is one CPU smaller than most */
	bool is_several; /* a group is as large as several others */
};

static struct size_doubts doubt_sizes(
	const struct partition *cpus, struct arena *arena)
{
	const uint32_t *sizes = partition_sizes(cpus, arena);
	uint32_t *of_size =
		arena_alloc(arena, cpus->n_units + 1, sizeof(*of_size));
	size_t best = partition_commonest_size(cpus, of_size, arena);
	struct size_doubts doubts = {false, false};

	doubts.lacks_one = best > 2 && of_size[best - 1] > 0;
	for (size_t g = 0; g < cpus->n_groups && best > 1; g++)
		doubts.is_several |= sizes[g] >= 2 * best;
	return doubts;
}

/* Return the share of the units of a family that are alone. */
static double share_alone(const struct level_choice *choice,
	const uint32_t *sizes, const struct group_members *family)
{
	size_t alone = 0;

	for (size_t a = 0; a < family->n; a++)
		alone += sizes[choice->groups.group[family->unit[a]]] == 1;
	return (double)alone / (double)family->n;
}

/*
 * Whether all units of a family are alone, but few units of an equally large
 * family.
 */
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
	/* Groups of CPUs have too many cells between them for chance. */
	double chance = choice->view->units->unit_of
				? 0
				: 1 - confidence_of_sizes(&choice->groups,
					      &choice->view->families, arena);
	double most = 1;
	struct size_doubts sizes;

	*reason = NULL;
	if (test->alone < 2)
		sure *= 1 - chance;
	if (test->alone > 1) {
		most = constants->alone_cap;
		*reason = "several CPUs are alone, and may form a group";
	}
	sizes = doubt_sizes(&choice->candidate->partition, arena);
	if (test->alone > 0 && sizes.lacks_one) {
		most = constants->alone_cap;
		*reason = "a CPU is alone, and a group has one CPU fewer than "
			  "other groups";
	}
	if (sizes.is_several) {
		most = constants->alone_cap;
		*reason = "a group is as large as several other groups "
			  "together";
	}
	if (test->unseen) {
		most = constants->doubt_cap;
		*reason = "missing pairs may hide more groups";
	}
	if (test->joining == 1) {
		most = constants->alone_cap;
		*reason = "the level has only one group";
	}
	if (test->joining == 1 && choice->view->units->unit_of) {
		most = constants->doubt_cap;
		*reason = "the level has only one group, and CPUs near the "
			  "home node of the lines look like a group";
	}
	if (test->alone > 1 && constants->sigmas * test->hidden > test->gain) {
		most = constants->doubt_cap;
		*reason = "noise may hide groups of CPUs that are alone";
	}
	if (test->alone > 1 && choices->n == 1 && chance > constants->odds &&
		separation_of_alone(choice, arena) < constants->apart) {
		most = constants->doubt_cap;
		*reason = "no other level shows that the threads stayed on "
			  "their CPUs";
	}
	if (test->alone > 1 && has_bare_family(choice, constants, arena) &&
		separation_of_alone(choice, arena) < constants->apart) {
		most = constants->doubt_cap;
		*reason = "one part of the machine has no groups, although its "
			  "CPUs are like those of other parts";
	}
	if (test->alone > 1 && test->stray > 0) {
		most = constants->doubt_cap;
		*reason = "some pairs between its groups are as near as pairs "
			  "inside";
	}
	if (choice->candidate->inferred) {
		*reason = most < constants->inferred_cap ? *reason : NULL;
		most = fmin(most, constants->inferred_cap);
	}
	if (sure < most)
		*reason =
			test->alone < 2 &&
					chance > exp(-test->nats /
							 constants->doubt_nats)
				? "a random matrix may have so few groups"
				: "few pairs show its groups, or noise is "
				  "strong";
	return fmin(sure, most);
}
