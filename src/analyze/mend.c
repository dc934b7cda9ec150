/*
 * Two things are mended.
 *
 * - A unit alone whose median to the members of a group is nearer to what the
 *   group has inside than outside joins it: the tree goes by means, which a
 *   streak of bad cells moves, and a median is not moved.
 * - Where all groups are pairs and units of one parent are left alone, one
 *   common cell decides. If it is dearer than what both have to others, it is
 *   no measurement of two strangers but a bad cell, and the two are a pair
 *   that is missing.
 */
#include "analyze/mend.h"

#include <math.h>
#include <stdlib.h>

/*
 * By how much the common cell of a torn pair exceeds what both usually cost,
 * and the dearest cell of one of them (a streak may be all along the other).
 */
#define BAD_CELL 1.1F
#define DEAREST	 1.05F

/* The median of fewer cells is no better than their mean. */
#define LEAST_JOINED 3

/* A larger share of units alone is no accident. */
#define TORN_SHARE 0.1

struct mending {
	const struct square *square;
	struct partition *partition;
	struct roster groups, families;
	float *scratch;
	uint32_t *alone;
	unsigned char *taken;
};

static size_t size_of(const struct roster *roster, size_t g)
{
	return roster->starts[g + 1] - roster->starts[g];
}

/* The median cost from u to the members of group g. */
static float to_group(struct mending *mending, size_t u, size_t g)
{
	const struct roster *groups = &mending->groups;
	size_t count = 0;

	for (size_t a = groups->starts[g]; a < groups->starts[g + 1]; a++) {
		float cost = square_at(mending->square, u, groups->members[a]);

		if (groups->members[a] != u && !isnan(cost))
			mending->scratch[count++] = cost;
	}
	return quantile_of(mending->scratch, count, 0.5);
}

/* The median cost from u to the family's units outside groups g and of u. */
static float to_others(
	struct mending *mending, size_t u, size_t g, size_t family)
{
	const struct roster *families = &mending->families;
	const uint32_t *group = mending->partition->group;
	size_t count = 0;

	for (size_t b = families->starts[family];
		b < families->starts[family + 1]; b++) {
		size_t v = families->members[b];
		float cost = square_at(mending->square, u, v);

		if (group[v] != g && group[v] != group[u] && !isnan(cost))
			mending->scratch[count++] = cost;
	}
	return median_of(mending->scratch, count);
}

/* The group that u belongs to, or its own. */
static size_t home_of(struct mending *mending, size_t u, size_t family)
{
	const struct roster *families = &mending->families;
	const uint32_t *group = mending->partition->group;
	size_t best = group[u];
	float best_cost = INFINITY;
	float own, inside, outside;
	size_t count = 0;

	for (size_t b = families->starts[family];
		b < families->starts[family + 1]; b++) {
		size_t g = group[families->members[b]];
		float cost;

		/* Once a group: at its first member. */
		if (size_of(&mending->groups, g) < LEAST_JOINED ||
			mending->groups.members[mending->groups.starts[g]] !=
				families->members[b])
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
	inside = outside = 0;
	for (size_t a = mending->groups.starts[best];
		a < mending->groups.starts[best + 1]; a++) {
		size_t v = mending->groups.members[a];

		inside += to_group(mending, v, best);
		outside += to_others(mending, v, best, family);
		count++;
	}
	inside /= (float)count;
	outside /= (float)count;
	/* What u has against everything is no distance to this group. */
	if (own > outside)
		best_cost *= outside / own;
	return best_cost < (inside + outside) / 2 ? best : group[u];
}

/* The dearest cell from u to the family's units that are in groups. */
static float dearest(const struct mending *mending, size_t u, size_t family)
{
	const struct roster *families = &mending->families;
	float most = 0;

	for (size_t b = families->starts[family];
		b < families->starts[family + 1]; b++) {
		size_t v = families->members[b];
		size_t g = mending->partition->group[v];
		float cost = square_at(mending->square, u, v);

		if (size_of(&mending->groups, g) > 1 && cost > most)
			most = cost;
	}
	return most;
}

static bool torn_pair(struct mending *mending, size_t u, size_t v,
	size_t family)
{
	float cost = square_at(mending->square, u, v);
	float usual[2], most[2];
	const size_t ends[] = {u, v};

	if (isnan(cost))
		return true;
	for (size_t e = 0; e < 2; e++) {
		usual[e] = to_others(mending, ends[e],
			mending->partition->group[ends[e]], family);
		most[e] = dearest(mending, ends[e], family);
	}
	return cost > BAD_CELL * usual[0] && cost > BAD_CELL * usual[1] &&
		(cost > DEAREST * most[0] || cost > DEAREST * most[1]);
}

/*
 * Join torn pairs among the units alone[n]. A row full of bad cells looks torn
 * from many, so a unit torn from exactly one other decides.
 */
static bool join_pairs(struct mending *mending, const uint32_t *alone,
	size_t n, size_t family)
{
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
		/* Neither may have found another. */
		if (candidates != 1 || mending->taken[alone[a]] ||
			mending->taken[alone[partner]])
			continue;
		mending->taken[alone[a]] = mending->taken[alone[partner]] = 1;
		group[alone[a]] = group[alone[partner]];
		changed = true;
	}
	return changed;
}

static bool mend_family(struct mending *mending, size_t family, bool pairs)
{
	const struct roster *families = &mending->families;
	uint32_t *group = mending->partition->group;
	uint32_t *alone = mending->alone;
	size_t n_alone = 0;
	bool changed = false;

	for (size_t b = families->starts[family];
		b < families->starts[family + 1]; b++) {
		size_t u = families->members[b];
		size_t home;

		if (size_of(&mending->groups, group[u]) > 1)
			continue;
		home = home_of(mending, u, family);
		if (home != group[u]) {
			group[u] = (uint32_t)home;
			changed = true;
			continue;
		}
		alone[n_alone++] = (uint32_t)u;
	}
	if (pairs && (n_alone == 2 || (double)n_alone <=
			TORN_SHARE * (double)size_of(families, family)))
		changed |= join_pairs(mending, alone, n_alone, family);
	return changed;
}

int mend_partition(const struct square *square, struct partition *partition,
	const struct partition *parents, bool *changed, struct error *err)
{
	struct mending mending = {.square = square, .partition = partition};
	size_t n_pairs = 0;
	bool pairs = true;
	int rc;

	*changed = false;
	rc = roster_init(&mending.groups, partition, err);
	if (!rc)
		rc = roster_init(&mending.families, parents, err);
	if (rc)
		goto out;
	mending.scratch = malloc(sizeof(*mending.scratch) * (square->n + 1));
	mending.alone = malloc(sizeof(*mending.alone) * (square->n + 1));
	mending.taken = calloc(square->n + 1, 1);
	if (!mending.scratch || !mending.alone || !mending.taken) {
		rc = error_no_memory(err, "the repair of a level");
		goto out;
	}
	for (size_t g = 0; g < partition->n_groups; g++) {
		n_pairs += size_of(&mending.groups, g) == 2;
		pairs = pairs && size_of(&mending.groups, g) <= 2;
	}
	for (size_t f = 0; f < parents->n_groups; f++)
		if (mend_family(&mending, f, pairs && n_pairs >= 2))
			*changed = true;
	if (*changed)
		rc = partition_number(partition, err);
out:
	free(mending.scratch);
	free(mending.alone);
	free(mending.taken);
	roster_release(&mending.groups);
	roster_release(&mending.families);
	return rc;
}
