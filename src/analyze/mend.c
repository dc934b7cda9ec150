/*
 * Three things are mended.
 *
 * - A group that none of its units fits is none.
 *
 * - A unit alone whose median to the members of a group is nearer to what the
 *   group has inside than outside joins it: the tree goes by means, which a
 *   streak of bad cells moves, and a median is not moved.
 * - Where all groups are pairs and units of one parent are left alone, one
 *   common cell decides. If it is unlike what both have to others, be it dearer
 *   or not as near as other pairs, it is no measurement of two strangers but
 *   a bad cell, and the two are a pair that is missing.
 */
#include "analyze/mend.h"

#include <math.h>
#include <stdlib.h>

/* A family with so many units alone may have more; and how many groups go. */
#define LEAST_ALONE 2
#define LOST_SHARE  0.25

/* By what factor the cell of a torn pair lies apart from others. */
#define APART 1.05F

/* Of fewer members one bad cell is as good as the other. */
#define LEAST_JOINED 3

/* Two units alone are an exception among so many. */
#define LEAST_FAMILY 6

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

/* The range of the cells from u to the family's units that are in groups. */
static void range_of(const struct mending *mending, size_t u, size_t family,
	float *least, float *most)
{
	const struct roster *families = &mending->families;

	*least = INFINITY;
	*most = 0;
	for (size_t b = families->starts[family];
		b < families->starts[family + 1]; b++) {
		size_t v = families->members[b];
		size_t g = mending->partition->group[v];
		float cost = square_at(mending->square, u, v);

		if (size_of(&mending->groups, g) < 2 || isnan(cost))
			continue;
		*least = fminf(*least, cost);
		*most = fmaxf(*most, cost);
	}
}

/*
 * Whether the one cell of u and v is unlike all others of either. Above, one
 * of the two rows is enough: a streak may be all along the other.
 */
static bool torn_pair(
	struct mending *mending, size_t u, size_t v, size_t family)
{
	float cost = square_at(mending->square, u, v);
	size_t above_usual = 0, above_all = 0, below_all = 0;
	const size_t ends[] = {u, v};

	if (isnan(cost))
		return true;
	for (size_t e = 0; e < 2; e++) {
		size_t none = mending->partition->group[ends[e]];
		float least, most;

		range_of(mending, ends[e], family, &least, &most);
		above_usual += cost > APART * to_others(mending, ends[e], none,
						      family);
		above_all += cost > APART * most;
		below_all += cost * APART < least;
	}
	return (above_usual == 2 && above_all > 0) || below_all == 2;
}

/*
 * Join torn pairs among the units alone[n]. A row full of bad cells looks torn
 * from many, so a unit torn from exactly one other decides.
 */
static bool join_pairs(
	struct mending *mending, const uint32_t *alone, size_t n, size_t family)
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
		b < families->starts[family + 1]; b++)
		n_alone += size_of(&mending->groups,
				   group[families->members[b]]) == 1;
	/* Two alone with nobody around are no exception but a split of two. */
	if (n_alone > 2 || size_of(families, family) < LEAST_FAMILY)
		if ((double)n_alone >
			TORN_SHARE * (double)size_of(families, family))
			return false;
	n_alone = 0;
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
	if (pairs)
		changed |= join_pairs(mending, alone, n_alone, family);
	return changed;
}

/*
 * Leave alone what is in a group that no unit of it fits, where others of its
 * family are alone as well. Of whole groups only few may go this way.
 */
static int dissolve(struct partition *partition,
	const struct partition *parents, const unsigned char *fits,
	bool *changed, struct error *err)
{
	size_t n = partition->n_units, next = partition->n_groups;
	size_t grouped = 0, lost = 0;
	unsigned char *holds = calloc(n + 1, 1);
	uint32_t *size = calloc(n + 1, sizeof(*size));
	uint32_t *alone = calloc(n + 1, sizeof(*alone));
	int rc = 0;

	*changed = false;
	if (!holds || !size || !alone) {
		rc = error_no_memory(err, "the repair of a level");
		goto out;
	}
	for (size_t u = 0; u < n; u++) {
		size[partition->group[u]]++;
		holds[partition->group[u]] |= fits[u];
	}
	for (size_t u = 0; u < n; u++)
		alone[parents->group[u]] += size[partition->group[u]] == 1;
	for (size_t u = 0; u < n; u++) {
		size_t g = partition->group[u];

		if (size[g] < 2)
			continue;
		grouped++;
		if (alone[parents->group[u]] < LEAST_ALONE)
			holds[g] = 1;
		lost += !holds[g];
	}
	if (lost == 0 || (double)lost > LOST_SHARE * (double)grouped)
		goto out;
	for (size_t u = 0; u < n; u++)
		if (size[partition->group[u]] > 1 &&
			!holds[partition->group[u]])
			partition->group[u] = (uint32_t)next++;
	*changed = true;
	rc = partition_number(partition, err);
out:
	free(holds);
	free(size);
	free(alone);
	return rc;
}

int mend_partition(const struct square *square, struct partition *partition,
	const struct partition *parents, const unsigned char *fits,
	bool *changed, struct error *err)
{
	struct mending mending = {.square = square, .partition = partition};
	size_t n_pairs = 0;
	bool pairs = true;
	int rc;

	rc = dissolve(partition, parents, fits, changed, err);
	if (rc)
		return rc;
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
