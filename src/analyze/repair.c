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
#include "analyze/steps.h"

/*
 * So many single units in a family suggest more of them; at most this share of
 * whole groups is dissolved.
 */
#define LEAST_ALONE 2
#define LOST_SHARE  0.25

/* The cell of a torn pair differs from others by this factor. */
#define APART 1.05F

/* In a smaller group one bad cell decides. */
#define LEAST_JOINED 3

/* Two units alone are an exception among so many. */
#define LEAST_FAMILY 6

/* A larger share of units alone is no accident. */
#define TORN_SHARE 0.1

struct mending {
	const struct square *square;
	struct partition *partition;
	const struct members *groups, *families;
	float *scratch;
	uint32_t *alone;
	bool *taken;
	float inside;	/* of the typical group of several units */
	float *insides; /* [n_units] */
	uint32_t *near; /* [n_units] */
};

/* The median cost from u to the members of group g. */
static float to_group(struct mending *mending, size_t u, size_t g)
{
	const struct members *group = &mending->groups[g];
	size_t count = 0;

	for (size_t a = 0; a < group->n; a++) {
		if (group->unit[a] != u)
			append_known(mending->scratch, &count,
				square_at(mending->square, u, group->unit[a]));
	}
	return quantile_of(mending->scratch, count, 0.5);
}

/* The median cost from u to units of the family outside group g and its own. */
static float to_others(struct mending *mending, size_t u, size_t g,
	const struct members *family)
{
	const uint32_t *group = mending->partition->group;
	size_t count = 0;

	for (size_t b = 0; b < family->n; b++) {
		size_t v = family->unit[b];

		if (group[v] != g && group[v] != group[u])
			append_known(mending->scratch, &count,
				square_at(mending->square, u, v));
	}
	return median_of(mending->scratch, count);
}

/* The group where u belongs, or its own. */
static size_t home_of(
	struct mending *mending, size_t u, const struct members *family)
{
	const uint32_t *group = mending->partition->group;
	const struct members *home;
	size_t best = group[u];
	float best_cost = INFINITY, own, inside = 0, outside = 0;

	for (size_t b = 0; b < family->n; b++) {
		size_t g = group[family->unit[b]];
		float cost;

		/* Once a group: at its first member. */
		if (mending->groups[g].n < LEAST_JOINED ||
			mending->groups[g].unit[0] != family->unit[b])
			continue;
		cost = to_group(mending, u, g);
		if (cost < best_cost) {
			best_cost = cost;
			best = g;
		}
	}
	if (best == group[u])
		return best;
	own = to_others(mending, u, best, family);
	home = &mending->groups[best];
	for (size_t a = 0; a < home->n; a++) {
		inside += to_group(mending, home->unit[a], best);
		outside += to_others(mending, home->unit[a], best, family);
	}
	inside /= (float)home->n;
	outside /= (float)home->n;
	/* A constant offset of u is not a distance from this group. */
	if (own > outside)
		best_cost *= outside / own;
	return best_cost < (inside + outside) / 2 ? best : group[u];
}

/* The range of the cells from u to the family's units that are in groups. */
static void range_of(const struct mending *mending, size_t u,
	const struct members *family, float *least, float *most)
{
	*least = INFINITY;
	*most = 0;
	for (size_t b = 0; b < family->n; b++) {
		size_t v = family->unit[b];
		float cost = square_at(mending->square, u, v);

		if (mending->groups[mending->partition->group[v]].n < 2 ||
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
static bool torn_pair(struct mending *mending, size_t u, size_t v,
	const struct members *family)
{
	float cost = square_at(mending->square, u, v);
	/* One step of the clock is no difference. */
	float step = 1.01F * mending->square->step;
	size_t above_usual = 0, above_all = 0, below_all = 0;
	const size_t ends[] = {u, v};

	if (isnan(cost))
		return true;
	for (size_t e = 0; e < 2; e++) {
		size_t none = mending->partition->group[ends[e]];
		float least, most;

		range_of(mending, ends[e], family, &least, &most);
		above_usual += cost - step > APART * to_others(mending, ends[e],
							     none, family);
		above_all += cost - step > APART * most;
		below_all += (cost + step) * APART < least;
	}
	return (above_usual == 2 && above_all > 0) || below_all == 2;
}

/*
 * Join torn pairs among the n single units. A row full of bad cells looks torn
 * from many, so only a unit that is torn from exactly one other counts.
 */
static bool join_pairs(
	struct mending *mending, size_t n, const struct members *family)
{
	const uint32_t *alone = mending->alone;
	uint32_t *group = mending->partition->group;
	bool changed = false;

	for (size_t a = 0; a < n; a++) {
		size_t partner = n, candidates = 0;

		for (size_t b = 0; b < n; b++) {
			if (b == a ||
				!torn_pair(mending, alone[a], alone[b], family))
				continue;
			partner = b;
			candidates++;
		}
		/* Neither has found another yet. */
		if (candidates != 1 || mending->taken[alone[a]] ||
			mending->taken[alone[partner]])
			continue;
		mending->taken[alone[a]] = mending->taken[alone[partner]] =
			true;
		group[alone[a]] = group[alone[partner]];
		changed = true;
	}
	return changed;
}

/* The cost inside the typical group; NaN if none has several units. */
static float typical_inside(struct mending *mending)
{
	size_t count = 0;

	for (size_t g = 0; g < mending->partition->n_groups; g++) {
		const struct members *group = &mending->groups[g];
		float sum = 0;

		for (size_t a = 0; a < group->n; a++)
			sum += to_group(mending, group->unit[a], g);
		if (group->n >= LEAST_JOINED)
			append_known(mending->insides, &count,
				sum / (float)group->n);
	}
	return median_of(mending->insides, count);
}

/* The typical cost from a unit in a group to those in none of its own. */
static float typical_outside(
	struct mending *mending, const struct members *family)
{
	const uint32_t *group = mending->partition->group;
	size_t count = 0;

	for (size_t b = 0; b < family->n; b++) {
		size_t u = family->unit[b];

		if (mending->groups[group[u]].n >= LEAST_JOINED)
			append_known(mending->insides, &count,
				to_others(mending, u, group[u], family));
	}
	return median_of(mending->insides, count);
}

/* Move the unit of alone[from..n) that is near to most of the others to from.
 */
static void find_first(
	struct mending *mending, size_t from, size_t n, float limit)
{
	uint32_t *alone = mending->alone, t = alone[from];
	size_t best = from, most = 0;
	float least = INFINITY;

	for (size_t a = from; a < n; a++) {
		size_t near = 0;
		float sum = 0;

		for (size_t b = from; b < n; b++) {
			float cost =
				square_at(mending->square, alone[a], alone[b]);

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
	alone[from] = alone[best];
	alone[best] = t;
}

/*
 * Bring to alone[from], one by one, the units that are near to at least half of
 * those there, the nearest to most of them first. Returns the end.
 */
static size_t heap_up(
	struct mending *mending, size_t from, size_t n, float limit)
{
	uint32_t *alone = mending->alone, *near = mending->near;
	size_t end = from + 1, best = n;

	for (size_t b = from; b < n; b++)
		near[b] = 0;
	do {
		uint32_t last = alone[end - 1], t;

		best = n;
		for (size_t b = end; b < n; b++) {
			near[b] += square_at(mending->square, alone[b], last) <=
				   limit;
			if (near[b] > 0 && 2 * near[b] >= end - from &&
				(best == n || near[b] > near[best]))
				best = b;
		}
		if (best == n)
			break;
		t = alone[end];
		alone[end] = alone[best];
		alone[best] = t;
		near[best] = near[end];
		end++;
	} while (end < n);
	return end;
}

/* Make groups of the first n of alone[], whose order changes. */
static bool gather(
	struct mending *mending, size_t n, const struct members *family)
{
	uint32_t *alone = mending->alone, *group = mending->partition->group;
	float outside = typical_outside(mending, family);
	/* Not where the cells between groups are near ones, too. */
	float limit = fminf(
		LEVEL_SPAN * mending->inside, (mending->inside + outside) / 2);
	bool changed = false;
	size_t first = 0, end;

	for (; first + LEAST_JOINED <= n && limit > 0; first = end) {
		find_first(mending, first, n, limit);
		end = heap_up(mending, first, n, limit);
		if (end - first < LEAST_JOINED)
			break;
		for (size_t b = first; b < end; b++)
			group[alone[b]] = group[alone[first]];
		changed = true;
	}
	return changed;
}

static bool mend_family(
	struct mending *mending, const struct members *family, bool pairs)
{
	uint32_t *group = mending->partition->group;
	size_t n_alone = 0;
	bool changed = false;

	for (size_t b = 0; b < family->n; b++)
		if (mending->groups[group[family->unit[b]]].n == 1)
			mending->alone[n_alone++] = family->unit[b];
	if (gather(mending, n_alone, family))
		return true;
	/* Two single units in a family of two are a split, not an exception. */
	if ((n_alone > 2 || family->n < LEAST_FAMILY) &&
		(double)n_alone > TORN_SHARE * (double)family->n)
		return false;
	n_alone = 0;
	for (size_t b = 0; b < family->n; b++) {
		size_t u = family->unit[b], home;

		if (mending->groups[group[u]].n > 1)
			continue;
		home = home_of(mending, u, family);
		if (home != group[u]) {
			group[u] = (uint32_t)home;
			changed = true;
		} else {
			mending->alone[n_alone++] = (uint32_t)u;
		}
	}
	return (pairs && join_pairs(mending, n_alone, family)) || changed;
}

/*
 * Dissolve groups that none of their units fits, if others of their family are
 * single too. Only few whole groups may go this way.
 */
static bool dissolve(struct partition *partition,
	const struct partition *parents, const unsigned char *fits,
	struct arena *arena)
{
	size_t n = partition->n_units, next = partition->n_groups;
	size_t grouped = 0, lost = 0;
	const uint32_t *size = partition_sizes(partition, arena);
	bool *holds = arena_take(arena, partition->n_groups, sizeof(*holds));
	uint32_t *alone = arena_take(arena, parents->n_groups, sizeof(*alone));

	for (size_t u = 0; u < n; u++) {
		holds[partition->group[u]] |= fits[u] != 0;
		alone[parents->group[u]] += size[partition->group[u]] == 1;
	}
	for (size_t u = 0; u < n; u++) {
		size_t g = partition->group[u];

		if (size[g] < 2)
			continue;
		grouped++;
		if (alone[parents->group[u]] < LEAST_ALONE)
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

bool mend_partition(const struct square *square, struct partition *partition,
	const struct partition *parents, const unsigned char *fits,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	bool changed = dissolve(partition, parents, fits, arena);
	struct mending mending = {.square = square,
		.partition = partition,
		.groups = roster_new(partition, arena),
		.families = roster_new(parents, arena),
		.scratch = arena_take(arena, square->n, sizeof(float)),
		.alone = arena_take(arena, square->n, sizeof(uint32_t)),
		.taken = arena_take(arena, square->n, sizeof(bool)),
		.insides = arena_take(arena, square->n, sizeof(float)),
		.near = arena_take(arena, square->n, sizeof(uint32_t))};
	size_t n_pairs = 0;
	bool pairs = true;

	for (size_t g = 0; g < partition->n_groups; g++) {
		n_pairs += mending.groups[g].n == 2;
		pairs = pairs && mending.groups[g].n <= 2;
	}
	mending.inside = typical_inside(&mending);
	for (size_t f = 0; f < parents->n_groups; f++)
		changed |= mend_family(
			&mending, &mending.families[f], pairs && n_pairs >= 2);
	if (changed)
		partition_number(partition, arena);
	arena_back(arena, mark);
	return changed;
}
