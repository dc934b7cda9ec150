/*
 * A level that nobody can be sure of: two packages of two caches each leave
 * four groups, and chance divides four into such pairs one time in five. But if
 * the cells between the groups of a level lie in two separate heaps, and the
 * near heap joins groups to larger groups without exception, it is worth
 * knowing.
 *
 * One noisy cache, or a module of cores without siblings, hides those of the
 * others. So each group of the outer level is looked into, and those that show
 * nothing are left alone, as are single units beside groups. That is a choice
 * among many: the heaps must be far apart, and chance must hardly ever do it.
 *
 * Sums of rows, as of a mesh or of a distance from a home, cannot do this: if A
 * and B are near, and C and D too, the sum of their cells is that of the cells
 * across.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/levels/groups.h"
#include "analyze/levels/steps.h"

/* So many cells of CPUs are in each heap: fewer may part by chance. */
#define LEAST_CELLS 8

/* The share of each heap that lies on its side of the middle. */
#define LEAST_SIDE 0.95

/* Heaps under a coarse clock are so many steps apart. */
#define LEAST_STEPS 2.5F

/*
 * If units are left alone: the gain, the share of units in groups, and the odds
 * that chance makes such groups.
 */
#define CLEAR_GAIN    0.4
#define LEAST_GROUPED 0.5
#define MOST_ODDS     0.01

/* The logarithm of odds that need not be known any better. */
#define LEAST_ODDS (-20)

/* Between which units, and within what, a level is looked for. */
struct perhaps_search {
	const struct cost_matrix *matrix;
	const struct partition *units; /* of the CPUs */
	struct cost_matrix small;      /* medians between the units */
	struct partition above;	       /* parents of the units */
	bool *shown; /* [above.n_groups] whether these have groups */
	struct arena *arena;
};

/*
 * What parts blocks[n] into two heaps: the middle of the two costs where
 * logarithms differ most between the heaps (Otsu, 1979). NaN if all are alike.
 */
static float find_cluster_border(float *blocks, size_t n)
{
	double all = 0, left = 0, best = 0;
	float middle = NAN;

	sort_floats(blocks, n);
	for (size_t i = 0; i < n; i++)
		all += log((double)blocks[i]);
	for (size_t i = 1; i < n; i++) {
		double share = (double)i / (double)n, difference;

		left += log((double)blocks[i - 1]);
		difference = (all - left) / (double)(n - i) - left / (double)i;
		if (share * (1 - share) * difference * difference <= best)
			continue;
		best = share * (1 - share) * difference * difference;
		middle = sqrtf(blocks[i - 1] * blocks[i]);
	}
	return middle;
}

/* What parts the blocks between units of one family. */
static float family_cluster_border(
	const struct perhaps_search *search, const struct group_members *family)
{
	size_t count = 0;
	float *blocks = arena_alloc(
		search->arena, family->n * family->n, sizeof(*blocks));

	for (size_t a = 0; a < family->n; a++) {
		for (size_t b = 0; b < a; b++) {
			float cost = cost_matrix_at(&search->small,
				family->unit[a], family->unit[b]);

			if (cost > 0)
				blocks[count++] = cost;
		}
	}
	return find_cluster_border(blocks, count);
}

/* Join the units of a family that are nearer than middle. */
static void join_near_units(const struct perhaps_search *search,
	const struct group_members *family, float middle, uint32_t *group)
{
	for (size_t a = 0; a < family->n; a++) {
		for (size_t b = 0; b < a; b++) {
			size_t u = family->unit[a], v = family->unit[b];
			uint32_t from = group[u], to = group[v];

			if (from == to || !(cost_matrix_at(&search->small, u,
						    v) <= middle))
				continue;
			for (size_t c = 0; c < family->n; c++) {
				if (group[family->unit[c]] == from)
					group[family->unit[c]] = to;
			}
		}
	}
}

/*
 * Whether all cells between units of a family are on their side of the middle,
 * but for the share that may be wrong, and at least two groups are there.
 */
static bool family_shows_groups(const struct perhaps_search *search,
	const struct group_members *family, float middle, const uint32_t *group)
{
	size_t cells = 0, wrong = 0, groups = 0;

	for (size_t a = 0; a < family->n; a++) {
		size_t u = family->unit[a], size = 0, before = 0;

		for (size_t b = 0; b < family->n; b++) {
			size_t v = family->unit[b];
			bool inside = group[u] == group[v];
			float cost = cost_matrix_at(&search->small, u, v);

			size += inside;
			before += inside && b < a;
			if (b >= a || isnan(cost))
				continue;
			cells++;
			wrong += inside != (cost <= middle);
		}
		groups += size > 1 && before == 0;
	}
	return groups > 1 && (double)wrong <= (1 - LEAST_SIDE) * (double)cells;
}

/* Join units family by family; those that show no groups stay alone. */
static struct partition join_families(struct perhaps_search *search)
{
	size_t n = search->small.n;
	const struct group_members *families =
		partition_members(&search->above, search->arena);
	struct partition joined;

	partition_init(&joined, n, search->arena);
	for (size_t u = 0; u < n; u++)
		joined.group[u] = (uint32_t)u;
	for (size_t f = 0; f < search->above.n_groups; f++) {
		const struct group_members *family = &families[f];
		float middle = family_cluster_border(search, family);

		join_near_units(search, family, middle, joined.group);
		search->shown[f] = family_shows_groups(
			search, family, middle, joined.group);
		for (size_t a = 0; a < family->n && !search->shown[f]; a++)
			joined.group[family->unit[a]] =
				(uint32_t)family->unit[a];
	}
	partition_number(&joined, search->arena);
	return joined;
}

/* The share of units in groups of two and more. */
static double share_grouped(
	const struct perhaps_search *search, const struct partition *joined)
{
	const uint32_t *sizes = partition_sizes(joined, search->arena);
	size_t grouped = 0;

	for (size_t g = 0; g < joined->n_groups; g++)
		grouped += sizes[g] > 1 ? sizes[g] : 0;
	return (double)grouped / (double)joined->n_units;
}

/*
 * The cells of one heap, where groups are shown: inside the groups of units, or
 * between them.
 */
static size_t take_cluster_cells(const struct perhaps_search *search,
	const struct partition *joined, bool between, float *cells)
{
	const uint32_t *unit = search->units->group;
	const uint32_t *above = search->above.group;
	size_t n = search->matrix->n, count = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			bool across = joined->group[unit[i]] !=
				      joined->group[unit[j]];

			if (unit[i] != unit[j] &&
				above[unit[i]] == above[unit[j]] &&
				search->shown[above[unit[i]]] &&
				across == between)
				append_known(cells, &count,
					cost_matrix_at(search->matrix, i, j));
		}
	}
	return count;
}

/* The share of cells[n] on the side of middle where they ought to be. */
static double share_on_side(
	const float *cells, size_t n, bool between, float middle)
{
	size_t count = 0;

	for (size_t k = 0; k < n; k++)
		count += between ? cells[k] > middle : cells[k] < middle;
	return (double)count / (double)n;
}

/* Whether the cells form two separate heaps; fills the medians. */
static bool are_two_clusters(const struct perhaps_search *search,
	const struct partition *joined, struct analysis_level *found)
{
	size_t n = search->matrix->n, counts[2];
	float *cells[2], medians[2], middle;

	for (size_t k = 0; k < 2; k++) {
		cells[k] = arena_alloc(search->arena, n * n, sizeof(float));
		counts[k] =
			take_cluster_cells(search, joined, k == 1, cells[k]);
		if (counts[k] < (found->partial ? 1 : LEAST_CELLS))
			return false;
		medians[k] = median_of_floats(cells[k], counts[k]);
	}
	middle = sqrtf(medians[0] * medians[1]);
	found->inside = (double)medians[0];
	found->between = (double)medians[1];
	return medians[1] * (1 - (float)LEVEL_GAIN_MIN) >= medians[0] &&
	       medians[1] - medians[0] >= LEAST_STEPS * search->matrix->step &&
	       share_on_side(cells[0], counts[0], false, middle) >=
		       LEAST_SIDE &&
	       share_on_side(cells[1], counts[1], true, middle) >= LEAST_SIDE;
}

/* The logarithm of the number of ways to choose k of n. */
static double log_combinations(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The logarithm of the odds of one family, which has so many units. */
static double log_family_odds(const uint32_t *sizes, size_t n_groups, double n)
{
	double ways = lgamma(n + 1), inside = 0;

	for (size_t g = 0; g < n_groups; g++) {
		double size = sizes[g], same_size = 0;

		for (size_t h = 0; h <= g; h++)
			same_size += sizes[h] == sizes[g] && sizes[g] > 0;
		ways -= lgamma(size + 1) + (same_size > 0 ? log(same_size) : 0);
		inside += size * (size - 1) / 2;
	}
	return fmin(0, ways - log_combinations(n * (n - 1) / 2, inside));
}

double perhaps_size_chance(const struct partition *partition,
	const struct partition *parents, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct group_members *families =
		partition_members(parents, arena);
	uint32_t *sizes =
		arena_alloc(arena, partition->n_groups, sizeof(*sizes));
	double odds = 0;

	for (size_t f = 0; f < parents->n_groups && odds > LEAST_ODDS; f++) {
		memset(sizes, 0, sizeof(*sizes) * partition->n_groups);
		for (size_t a = 0; a < families[f].n; a++)
			sizes[partition->group[families[f].unit[a]]]++;
		odds += log_family_odds(
			sizes, partition->n_groups, (double)families[f].n);
	}
	arena_rewind(arena, mark);
	return exp(odds);
}

/* How often chance makes these groups, and leaves out these families. */
static double perhaps_groups_odds(
	const struct perhaps_search *search, const struct partition *joined)
{
	size_t left_out = 0;
	double odds =
		perhaps_size_chance(joined, &search->above, search->arena);

	for (size_t f = 0; f < search->above.n_groups; f++)
		left_out += !search->shown[f];
	return left_out > 0 ? fmin(1, ldexp(odds, (int)search->above.n_groups))
			    : odds;
}

/* Whether groups that leave units alone are clear enough. */
static bool is_clear_part(const struct analysis_level *found, double grouped)
{
	return grouped >= LEAST_GROUPED &&
	       found->inside <= (1 - CLEAR_GAIN) * found->between &&
	       1 - found->confidence <= MOST_ODDS;
}

bool perhaps_find(const struct cost_matrix *matrix,
	const struct partition *units, const struct partition *parents,
	struct analysis_level *found, struct arena *arena)
{
	struct perhaps_search search = {.matrix = matrix,
		.units = units,
		.above = partition_of_units(parents, units, arena),
		.arena = arena};
	struct partition joined;
	double grouped;

	search.shown = arena_alloc(
		arena, search.above.n_groups, sizeof(*search.shown));
	cost_matrix_collapse(matrix, units, &search.small, arena);
	joined = join_families(&search);
	grouped = share_grouped(&search, &joined);
	found->partial = grouped < 1;
	if (grouped <= 0 || !are_two_clusters(&search, &joined, found))
		return false;
	found->confidence = 1 - perhaps_groups_odds(&search, &joined);
	if (found->partial && !is_clear_part(found, grouped))
		return false;
	found->n_groups = joined.n_groups;
	found->group = arena_alloc(arena, matrix->n, sizeof(*found->group));
	for (size_t i = 0; i < matrix->n; i++)
		found->group[i] = joined.group[units->group[i]];
	return true;
}
