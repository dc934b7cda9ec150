/*
 * Four repairs:
 *
 * - A group that none of its units fits is dissolved.
 * - Single units that are as near to each other as those inside groups become
 *   a group. Where one die is home to all lines, its own groups hardly stand
 *   out among the cells around them.
 * - A single unit joins a group if its median cost to the members is nearer to
 *   the costs inside the group than to those outside. The tree uses means,
 *   which a streak of bad cells moves; it does not move a median.
 * - If all groups are pairs and two units of a parent are single, their common
 *   cell decides. If it is unlike the other cells of both, it is a bad cell,
 *   and the two are the missing pair.
 */
#include "analyze/levels/steps.h"

/*
 * So many single units in a family suggest more of them; at most this share of
 * whole groups is dissolved.
 */
#define LEAST_SINGLE_UNITS 2
#define LOST_SHARE	   0.25

/* The cell of a torn pair differs from others by this factor. */
#define SPLIT_FACTOR 1.05F

/* In a smaller group one bad cell decides. */
#define LEAST_JOINED 3

/* Two units alone are an exception among so many. */
#define LEAST_FAMILY 6

/* A larger share of units alone is no accident. */
#define SPLIT_SHARE 0.1

struct repair_context {
	const struct cost_matrix *matrix;
	struct partition *partition;
	const struct group_members *groups, *families;
	float *scratch;
	uint32_t *single;
	bool *taken;
	float inside;	/* of the typical group of several units */
	float *insides; /* [n_units] */
	uint32_t *near; /* [n_units] */
};

/* The median cost from u to the members of group g. */
static float cost_to_group(struct repair_context *context, size_t u, size_t g)
{
	const struct group_members *group = &context->groups[g];
	size_t count = 0;

	for (size_t a = 0; a < group->n; a++) {
		if (group->unit[a] != u)
			append_known(context->scratch, &count,
				cost_matrix_at(
					context->matrix, u, group->unit[a]));
	}
	return quantile_of_floats(context->scratch, count, 0.5);
}

/* The median cost from u to units of the family outside group g and its own. */
static float cost_to_others(struct repair_context *context, size_t u, size_t g,
	const struct group_members *family)
{
	const uint32_t *group = context->partition->group;
	size_t count = 0;

	for (size_t b = 0; b < family->n; b++) {
		size_t v = family->unit[b];

		if (group[v] != g && group[v] != group[u])
			append_known(context->scratch, &count,
				cost_matrix_at(context->matrix, u, v));
	}
	return median_of_floats(context->scratch, count);
}

/* The group where u belongs, or its own. */
static size_t find_best_group(struct repair_context *context, size_t u,
	const struct group_members *family)
{
	const uint32_t *group = context->partition->group;
	const struct group_members *target;
	size_t best = group[u];
	float best_cost = INFINITY, own, inside = 0, outside = 0;

	for (size_t b = 0; b < family->n; b++) {
		size_t g = group[family->unit[b]];
		float cost;

		/* Once a group: at its first member. */
		if (context->groups[g].n < LEAST_JOINED ||
			context->groups[g].unit[0] != family->unit[b])
			continue;
		cost = cost_to_group(context, u, g);
		if (cost < best_cost) {
			best_cost = cost;
			best = g;
		}
	}
	if (best == group[u])
		return best;
	own = cost_to_others(context, u, best, family);
	target = &context->groups[best];
	for (size_t a = 0; a < target->n; a++) {
		inside += cost_to_group(context, target->unit[a], best);
		outside +=
			cost_to_others(context, target->unit[a], best, family);
	}
	inside /= (float)target->n;
	outside /= (float)target->n;
	/* A constant offset of u is not a distance from this group. */
	if (own > outside)
		best_cost *= outside / own;
	return best_cost < (inside + outside) / 2 ? best : group[u];
}

/* The range of the cells from u to the family's units that are in groups. */
static void find_cell_range(const struct repair_context *context, size_t u,
	const struct group_members *family, float *least, float *most)
{
	*least = INFINITY;
	*most = 0;
	for (size_t b = 0; b < family->n; b++) {
		size_t v = family->unit[b];
		float cost = cost_matrix_at(context->matrix, u, v);

		if (context->groups[context->partition->group[v]].n < 2 ||
			isnan(cost))
			continue;
		*least = fminf(*least, cost);
		*most = fmaxf(*most, cost);
	}
}

/*
 * Whether the cell of u and v is unlike all other cells of both. If it is
 * higher, one of the two rows is enough: a streak may fill the other.
 */
static bool is_split_pair(struct repair_context *context, size_t u, size_t v,
	const struct group_members *family)
{
	float cost = cost_matrix_at(context->matrix, u, v);
	/* One step of the clock is no difference. */
	float step = 1.01F * context->matrix->step;
	size_t above_usual = 0, above_all = 0, below_all = 0;
	const size_t ends[] = {u, v};

	if (isnan(cost))
		return true;
	for (size_t e = 0; e < 2; e++) {
		size_t none = context->partition->group[ends[e]];
		float least, most;

		find_cell_range(context, ends[e], family, &least, &most);
		above_usual += cost - step >
			       SPLIT_FACTOR * cost_to_others(context, ends[e],
						      none, family);
		above_all += cost - step > SPLIT_FACTOR * most;
		below_all += (cost + step) * SPLIT_FACTOR < least;
	}
	return (above_usual == 2 && above_all > 0) || below_all == 2;
}

/*
 * Join torn pairs among the n single units. A row full of bad cells looks torn
 * from many, so only a unit that is torn from exactly one other counts.
 */
static bool join_split_pairs(struct repair_context *context, size_t n,
	const struct group_members *family)
{
	const uint32_t *single = context->single;
	uint32_t *group = context->partition->group;
	bool changed = false;

	for (size_t a = 0; a < n; a++) {
		size_t partner = n, candidates = 0;

		for (size_t b = 0; b < n; b++) {
			if (b == a || !is_split_pair(context, single[a],
					      single[b], family))
				continue;
			partner = b;
			candidates++;
		}
		/* Neither has found another yet. */
		if (candidates != 1 || context->taken[single[a]] ||
			context->taken[single[partner]])
			continue;
		context->taken[single[a]] = context->taken[single[partner]] =
			true;
		group[single[a]] = group[single[partner]];
		changed = true;
	}
	return changed;
}

/* The cost inside the typical group; NaN if none has several units. */
static float typical_inside(struct repair_context *context)
{
	size_t count = 0;

	for (size_t g = 0; g < context->partition->n_groups; g++) {
		const struct group_members *group = &context->groups[g];
		float sum = 0;

		for (size_t a = 0; a < group->n; a++)
			sum += cost_to_group(context, group->unit[a], g);
		if (group->n >= LEAST_JOINED)
			append_known(context->insides, &count,
				sum / (float)group->n);
	}
	return median_of_floats(context->insides, count);
}

/* The typical cost from a unit in a group to those in none of its own. */
static float typical_outside(
	struct repair_context *context, const struct group_members *family)
{
	const uint32_t *group = context->partition->group;
	size_t count = 0;

	for (size_t b = 0; b < family->n; b++) {
		size_t u = family->unit[b];

		if (context->groups[group[u]].n >= LEAST_JOINED)
			append_known(context->insides, &count,
				cost_to_others(context, u, group[u], family));
	}
	return median_of_floats(context->insides, count);
}

/*
 * Move the unit of single[from..n) that is near to most of the others to from.
 */
static void move_nearest_first(
	struct repair_context *context, size_t from, size_t n, float limit)
{
	uint32_t *single = context->single, t = single[from];
	size_t best = from, most = 0;
	float least = INFINITY;

	for (size_t a = from; a < n; a++) {
		size_t near = 0;
		float sum = 0;

		for (size_t b = from; b < n; b++) {
			float cost = cost_matrix_at(
				context->matrix, single[a], single[b]);

			if (b != a && cost <= limit) {
				near++;
				sum += cost;
			}
		}
		if (near > most || (near == most && sum < least)) {
			best = a;
			most = near;
			least = sum;
		}
	}
	single[from] = single[best];
	single[best] = t;
}

/*
 * Bring to single[from], one by one, the units that are near to at least half
 * of those there, the nearest to most of them first. Returns the end.
 */
static size_t grow_group(
	struct repair_context *context, size_t from, size_t n, float limit)
{
	uint32_t *single = context->single, *near = context->near;
	size_t end = from + 1, best = n;

	for (size_t b = from; b < n; b++)
		near[b] = 0;
	do {
		uint32_t last = single[end - 1], t;

		best = n;
		for (size_t b = end; b < n; b++) {
			near[b] += cost_matrix_at(context->matrix, single[b],
					   last) <= limit;
			if (near[b] > 0 && 2 * near[b] >= end - from &&
				(best == n || near[b] > near[best]))
				best = b;
		}
		if (best == n)
			break;
		t = single[end];
		single[end] = single[best];
		single[best] = t;
		near[best] = near[end];
		end++;
	} while (end < n);
	return end;
}

/* Make groups of the first n of alone[], whose order changes. */
static bool group_single_units(struct repair_context *context, size_t n,
	const struct group_members *family)
{
	uint32_t *single = context->single, *group = context->partition->group;
	float outside = typical_outside(context, family);
	/* Not where the cells between groups are near ones, too. */
	float limit = fminf(
		LEVEL_SPAN * context->inside, (context->inside + outside) / 2);
	bool changed = false;
	size_t first = 0, end;

	for (; first + LEAST_JOINED <= n && limit > 0; first = end) {
		move_nearest_first(context, first, n, limit);
		end = grow_group(context, first, n, limit);
		if (end - first < LEAST_JOINED)
			break;
		for (size_t b = first; b < end; b++)
			group[single[b]] = group[single[first]];
		changed = true;
	}
	return changed;
}

static bool repair_family(struct repair_context *context,
	const struct group_members *family, bool pairs)
{
	uint32_t *group = context->partition->group;
	size_t n_single = 0;
	bool changed = false;

	for (size_t b = 0; b < family->n; b++)
		if (context->groups[group[family->unit[b]]].n == 1)
			context->single[n_single++] = family->unit[b];
	if (group_single_units(context, n_single, family))
		return true;
	/* Two single units in a family of two are a split, not an exception. */
	if ((n_single > 2 || family->n < LEAST_FAMILY) &&
		(double)n_single > SPLIT_SHARE * (double)family->n)
		return false;
	n_single = 0;
	for (size_t b = 0; b < family->n; b++) {
		size_t u = family->unit[b], target;

		if (context->groups[group[u]].n > 1)
			continue;
		target = find_best_group(context, u, family);
		if (target != group[u]) {
			group[u] = (uint32_t)target;
			changed = true;
		} else {
			context->single[n_single++] = (uint32_t)u;
		}
	}
	return (pairs && join_split_pairs(context, n_single, family)) ||
	       changed;
}

/*
 * Dissolve groups that none of their units fits, if others of their family are
 * single too. Only few whole groups may go this way.
 */
static bool dissolve_misfit_groups(struct partition *partition,
	const struct partition *parents, const unsigned char *fits,
	struct arena *arena)
{
	size_t n = partition->n_units, next = partition->n_groups;
	size_t grouped = 0, lost = 0;
	const uint32_t *size = partition_sizes(partition, arena);
	bool *holds = arena_alloc(arena, partition->n_groups, sizeof(*holds));
	uint32_t *single =
		arena_alloc(arena, parents->n_groups, sizeof(*single));

	for (size_t u = 0; u < n; u++) {
		holds[partition->group[u]] |= fits[u] != 0;
		single[parents->group[u]] += size[partition->group[u]] == 1;
	}
	for (size_t u = 0; u < n; u++) {
		size_t g = partition->group[u];

		if (size[g] < 2)
			continue;
		grouped++;
		if (single[parents->group[u]] < LEAST_SINGLE_UNITS)
			holds[g] = true;
		lost += !holds[g];
	}
	if (lost == 0 || (double)lost > LOST_SHARE * (double)grouped)
		return false;
	for (size_t u = 0; u < n; u++)
		if (size[partition->group[u]] > 1 &&
			!holds[partition->group[u]])
			partition->group[u] = (uint32_t)next++;
	partition_number(partition, arena);
	return true;
}

bool repair_partition(const struct cost_matrix *matrix,
	struct partition *partition, const struct partition *parents,
	const unsigned char *fits, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	bool changed = dissolve_misfit_groups(partition, parents, fits, arena);
	struct repair_context context = {.matrix = matrix,
		.partition = partition,
		.groups = partition_members(partition, arena),
		.families = partition_members(parents, arena),
		.scratch = arena_alloc(arena, matrix->n, sizeof(float)),
		.single = arena_alloc(arena, matrix->n, sizeof(uint32_t)),
		.taken = arena_alloc(arena, matrix->n, sizeof(bool)),
		.insides = arena_alloc(arena, matrix->n, sizeof(float)),
		.near = arena_alloc(arena, matrix->n, sizeof(uint32_t))};
	size_t n_pairs = 0;
	bool pairs = true;

	for (size_t g = 0; g < partition->n_groups; g++) {
		n_pairs += context.groups[g].n == 2;
		pairs = pairs && context.groups[g].n <= 2;
	}
	context.inside = typical_inside(&context);
	for (size_t f = 0; f < parents->n_groups; f++)
		changed |= repair_family(
			&context, &context.families[f], pairs && n_pairs >= 2);
	if (changed)
		partition_number(partition, arena);
	arena_rewind(arena, mark);
	return changed;
}
