/*
 * A level that nobody can be sure of: two packages of two caches each leave
 * four groups, and chance divides four into such pairs one time in five. But if
 * the cells between the groups of a level lie in two separate heaps, and the
 * near heap joins groups to larger groups without exception, it is worth
 * knowing.
 *
 * Sums of rows, as of a mesh or of a distance from a home, cannot do this: if A
 * and B are near, and C and D too, the sum of their cells is that of the cells
 * across.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/groups.h"
#include "analyze/steps.h"

/* So many cells of CPUs are in each heap: fewer may part by chance. */
#define LEAST_CELLS 8

/* The share of each heap that lies on its side of the middle. */
#define LEAST_SIDE 0.95

/* Heaps under a coarse clock are so many steps apart. */
#define LEAST_STEPS 2.5F

/* Between which units, and within what, a level is looked for. */
struct looking {
	const struct square *square;
	const struct partition *units;	 /* of the CPUs */
	const struct partition *parents; /* of the CPUs */
	struct square small;		 /* medians between the units */
	struct partition above;		 /* parents of the units */
	struct arena *arena;
};

static bool is_block(const struct looking *looking, size_t u, size_t v)
{
	return u != v && looking->above.group[u] == looking->above.group[v] &&
	       !isnan(square_at(&looking->small, u, v));
}

/*
 * What parts blocks[n] into two heaps: the middle of the two costs where
 * logarithms differ most between the heaps (Otsu, 1979). NaN if all are alike.
 */
static float find_middle(float *blocks, size_t n)
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

static float middle_of_blocks(const struct looking *looking)
{
	size_t n = looking->small.n, count = 0;
	float *blocks = arena_take(looking->arena, n * n, sizeof(*blocks));

	for (size_t u = 0; u < n; u++) {
		for (size_t v = 0; v < u; v++) {
			float cost = square_at(&looking->small, u, v);

			if (is_block(looking, u, v) && cost > 0)
				blocks[count++] = cost;
		}
	}
	return find_middle(blocks, count);
}

/* Join units that are nearer than middle. */
static struct partition join(const struct looking *looking, float middle)
{
	size_t n = looking->small.n;
	struct partition joined;

	partition_init(&joined, n, looking->arena);
	for (size_t u = 0; u < n; u++)
		joined.group[u] = (uint32_t)u;
	for (size_t u = 0; u < n; u++) {
		for (size_t v = 0; v < u; v++) {
			uint32_t from = joined.group[u], to = joined.group[v];

			if (!is_block(looking, u, v) || from == to ||
				square_at(&looking->small, u, v) > middle)
				continue;
			for (size_t w = 0; w < n; w++) {
				if (joined.group[w] == from)
					joined.group[w] = to;
			}
		}
	}
	partition_number(&joined, looking->arena);
	return joined;
}

/* Whether the groups of units are of two and more, and divide the parents. */
static bool are_groups(
	const struct looking *looking, const struct partition *joined)
{
	const uint32_t *sizes = partition_sizes(joined, looking->arena);

	for (size_t g = 0; g < joined->n_groups; g++) {
		if (sizes[g] < 2)
			return false;
	}
	return joined->n_groups > looking->above.n_groups;
}

/* The cells of one heap: inside the groups of units, or between them. */
static size_t take_heap(const struct looking *looking,
	const struct partition *joined, bool between, float *cells)
{
	const uint32_t *unit = looking->units->group;
	const uint32_t *parent = looking->parents->group;
	size_t n = looking->square->n, count = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			bool across = joined->group[unit[i]] !=
				      joined->group[unit[j]];

			if (unit[i] != unit[j] && parent[i] == parent[j] &&
				across == between)
				append_known(cells, &count,
					square_at(looking->square, i, j));
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
static bool are_heaps(const struct looking *looking,
	const struct partition *joined, struct analysis_level *found)
{
	size_t n = looking->square->n, counts[2];
	float *cells[2], medians[2], middle;

	for (size_t k = 0; k < 2; k++) {
		cells[k] = arena_take(looking->arena, n * n, sizeof(float));
		counts[k] = take_heap(looking, joined, k == 1, cells[k]);
		if (counts[k] < LEAST_CELLS)
			return false;
		medians[k] = median_of(cells[k], counts[k]);
	}
	middle = sqrtf(medians[0] * medians[1]);
	found->inside = (double)medians[0];
	found->between = (double)medians[1];
	return medians[1] * (1 - (float)LEAST_GAIN) >= medians[0] &&
	       medians[1] - medians[0] >= LEAST_STEPS * looking->square->step &&
	       share_on_side(cells[0], counts[0], false, middle) >=
		       LEAST_SIDE &&
	       share_on_side(cells[1], counts[1], true, middle) >= LEAST_SIDE;
}

bool perhaps_find(const struct square *square, const struct partition *units,
	const struct partition *parents, struct analysis_level *found,
	struct arena *arena)
{
	struct looking looking = {.square = square,
		.units = units,
		.parents = parents,
		.above = partition_lift(parents, units, arena),
		.arena = arena};
	struct partition joined;

	square_collapse(square, units, &looking.small, arena);
	joined = join(&looking, middle_of_blocks(&looking));
	if (!are_groups(&looking, &joined) ||
		!are_heaps(&looking, &joined, found))
		return false;
	found->confidence =
		1 - chance_of_so_few(&joined, &looking.above, arena);
	found->n_groups = joined.n_groups;
	found->group = arena_take(arena, square->n, sizeof(*found->group));
	for (size_t i = 0; i < square->n; i++)
		found->group[i] = joined.group[units->group[i]];
	return true;
}
