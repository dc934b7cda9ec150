/*
 * Rows are compared after taking out what a row has against everything.
 *
 * Cost is nearly a_i + a_j on meshes and rings, on CPUs clocked lower, and
 * where one node was home to all lines: that is no group. So each group G gets
 * the half of its own median inside as the part of each member, each member u
 * its offset c_u from the other members as everyone outside G sees it, and
 * what is left of a cell,
 *
 *	rest(u, v) = cost(u, v) - (G_u / 2 + c_u) - (H_v / 2 + c_v),
 *
 * is near 0 inside groups. For purely additive costs it is near 0 between
 * groups as well, however different the rows are. (This is the four-point
 * condition of trees, where rows are the lengths of the leaves' own edges and
 * groups are inner edges: Buneman 1971.)
 *
 * The rest that a group's cells have towards other groups (a low quantile,
 * since some other groups are farther than others) is its gain, and half of it
 * divides near cells from far ones. A unit fits when most of its cells inside
 * are near and hardly any outside is: of true groups nearly all units fit, of
 * soft blocks and of chance finds few.
 */
#include "analyze/visible.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Cells outside that may be near all the same: bad ones happen. */
#define NEAR_OUTSIDE_SHARE 0.03F

/* Near to this share of the units outside, a unit is a stray. */
#define STRAY_SHARE 0.25F

/* With more of them than this the partition is wrong, not some units. */
#define STRAYS_MAX 0.1F

/* How far from the middle between near and far a cell must lie to count. */
#define EDGE 0.01F

/* A pair dearer than this many times the typical group has a bad cell. */
#define PAIR_EXCESS 2.2F

/* Which of the costs outside stands for the nearest other group. */
#define OUTSIDE_QUANTILE 0.2

struct sight {
	const struct square *square;
	const struct partition *partition, *parents;
	struct roster groups, families;
	float *part;	     /* [n_units] G / 2 + c */
	float *half;	     /* [n_groups] G / 2 */
	float *gain;	     /* [n_groups] */
	unsigned char *skip; /* [n_units] strays */
	float *scratch;	     /* [n_units * 2] */
	float *cells;	     /* [n_units * (n_units - 1) / 2] or so */
};

static size_t size_of(const struct roster *roster, size_t g)
{
	return roster->starts[g + 1] - roster->starts[g];
}

static float median_inside(struct sight *sight, size_t g)
{
	const uint32_t *members = sight->groups.members;
	size_t count = 0;

	for (size_t a = sight->groups.starts[g];
		a < sight->groups.starts[g + 1]; a++)
		for (size_t b = sight->groups.starts[g]; b < a; b++) {
			float cost = square_at(
				sight->square, members[a], members[b]);

			if (!isnan(cost))
				sight->cells[count++] = cost;
		}
	return median_of(sight->cells, count);
}

/* The offsets of the members of group g, added to their parts. */
static void add_offsets(struct sight *sight, size_t g)
{
	const struct square *square = sight->square;
	const uint32_t *members =
		sight->groups.members + sight->groups.starts[g];
	size_t size = size_of(&sight->groups, g);
	size_t family = sight->parents->group[members[0]];
	const uint32_t *others =
		sight->families.members + sight->families.starts[family];
	size_t n_others = size_of(&sight->families, family);
	float *middle = sight->scratch;
	float *scratch = sight->scratch + square->n;

	for (size_t k = 0; k < n_others; k++) {
		size_t v = others[k], count = 0;

		if (sight->partition->group[v] == g) {
			middle[k] = NAN;
			continue;
		}
		for (size_t a = 0; a < size; a++) {
			float cost = square_at(square, members[a], v);

			if (!isnan(cost))
				scratch[count++] = cost;
		}
		middle[k] = median_of(scratch, count);
	}
	for (size_t a = 0; a < size; a++) {
		size_t count = 0;

		for (size_t k = 0; k < n_others; k++) {
			float offset =
				square_at(square, members[a], others[k]) -
				middle[k];

			if (!isnan(offset))
				scratch[count++] = offset;
		}
		if (count > 0)
			sight->part[members[a]] += median_of(scratch, count);
	}
}

/*
 * Half of what each group has inside. A pair has one cell, and if that is a
 * bad one, all that others have to the pair would look near.
 */
static void find_halves(struct sight *sight)
{
	size_t n_groups = sight->partition->n_groups, count = 0;
	float typical;

	for (size_t g = 0; g < n_groups; g++) {
		sight->half[g] = NAN;
		if (size_of(&sight->groups, g) < 2)
			continue;
		sight->half[g] = median_inside(sight, g) / 2;
		if (!isnan(sight->half[g]))
			sight->scratch[count++] = sight->half[g];
	}
	typical = median_of(sight->scratch, count);
	for (size_t g = 0; g < n_groups; g++)
		if (size_of(&sight->groups, g) == 2 &&
			!(sight->half[g] <= PAIR_EXCESS * typical))
			sight->half[g] = typical;
}

static void find_parts(struct sight *sight)
{
	const uint32_t *members = sight->groups.members;

	find_halves(sight);
	for (size_t g = 0; g < sight->partition->n_groups; g++) {
		float half = sight->half[g];

		if (size_of(&sight->groups, g) < 2)
			continue;
		for (size_t a = sight->groups.starts[g];
			a < sight->groups.starts[g + 1]; a++)
			sight->part[members[a]] = half;
		add_offsets(sight, g);
	}
}

static float rest_of(const struct sight *sight, size_t u, size_t v)
{
	return square_at(sight->square, u, v) - sight->part[u] - sight->part[v];
}

/* The median rest between the groups of a family; INFINITY with one group. */
static float typical_rest(struct sight *sight, size_t family)
{
	const uint32_t *members = sight->families.members;
	const uint32_t *group = sight->partition->group;
	size_t from = sight->families.starts[family];
	size_t to = sight->families.starts[family + 1];
	size_t count = 0;

	for (size_t a = from; a < to; a++)
		for (size_t b = from; b < a; b++) {
			float rest = rest_of(sight, members[a], members[b]);

			if (group[members[a]] != group[members[b]] &&
				!isnan(rest))
				sight->cells[count++] = rest;
		}
	return count ? median_of(sight->cells, count) : INFINITY;
}

/* What unit u, which has no part yet, has to those of its family that do. */
static float median_rest(struct sight *sight, size_t u, size_t family)
{
	const uint32_t *members = sight->families.members;
	size_t count = 0;

	for (size_t b = sight->families.starts[family];
		b < sight->families.starts[family + 1]; b++) {
		float rest = square_at(sight->square, u, members[b]) -
			     sight->part[members[b]];

		if (!isnan(rest))
			sight->scratch[count++] = rest;
	}
	return median_of(sight->scratch, count);
}

/*
 * A unit alone has no inside. Its part is what makes it as far from the groups
 * as they are from each other, or nothing if there is one group.
 */
static void find_parts_alone(struct sight *sight)
{
	float *found = sight->scratch + sight->square->n;

	for (size_t f = 0; f < sight->parents->n_groups; f++) {
		const uint32_t *members =
			sight->families.members + sight->families.starts[f];
		size_t n = size_of(&sight->families, f);
		float typical = typical_rest(sight, f);

		for (size_t a = 0; a < n; a++)
			if (isnan(sight->part[members[a]]))
				found[a] = fmaxf(
					0, median_rest(sight, members[a], f) -
						   typical);
		/* Not before all are found: NaN tells who is alone. */
		for (size_t a = 0; a < n; a++)
			if (isnan(sight->part[members[a]]))
				sight->part[members[a]] = found[a];
	}
}

static float gain_of(struct sight *sight, size_t g)
{
	const uint32_t *members = sight->families.members;
	size_t first = sight->groups.members[sight->groups.starts[g]];
	size_t family = sight->parents->group[first];
	size_t count = 0;

	for (size_t a = sight->groups.starts[g];
		a < sight->groups.starts[g + 1]; a++)
		for (size_t b = sight->families.starts[family];
			b < sight->families.starts[family + 1]; b++) {
			float rest;

			if (sight->partition->group[members[b]] == g)
				continue;
			rest = rest_of(
				sight, sight->groups.members[a], members[b]);
			if (!isnan(rest))
				sight->cells[count++] = rest;
		}
	return quantile_of(sight->cells, count, OUTSIDE_QUANTILE);
}

/* How many cells of a unit there are, and how many of them are near. */
struct nearness {
	size_t inside, near_inside, outside, near_outside;
};

/*
 * A cell just between near and far, as coarse clocks make them, speaks for the
 * groups. Cells to units that do not count are passed over.
 */
static struct nearness look_around(
	const struct sight *sight, size_t u, const unsigned char *skip)
{
	size_t g = sight->partition->group[u];
	size_t family = sight->parents->group[u];
	float limit = sight->gain[g] / 2;
	struct nearness seen = {0};

	for (size_t b = sight->families.starts[family];
		b < sight->families.starts[family + 1]; b++) {
		size_t v = sight->families.members[b];
		float rest = rest_of(sight, u, v);

		if (v == u || isnan(rest) || (skip && skip[v]))
			continue;
		if (sight->partition->group[v] == g) {
			seen.inside++;
			seen.near_inside += rest < limit * (1 + EDGE);
		} else {
			seen.outside++;
			seen.near_outside += rest < limit * (1 - EDGE);
		}
	}
	return seen;
}

/*
 * A unit that is near to many outside has a wrong part, by a streak of bad
 * cells say. It does not fit, but that must not be held against all others.
 */
static int stray(const struct nearness *seen)
{
	return (float)seen->near_outside > STRAY_SHARE * (float)seen->outside;
}

static int unit_fits(const struct nearness *seen)
{
	return seen->near_inside * 2 >= seen->inside &&
	       (float)seen->near_outside <=
		       NEAR_OUTSIDE_SHARE * (float)seen->outside;
}

/* Mark the strays, unless there are too many. */
static void find_strays(struct sight *sight)
{
	size_t n = sight->square->n, strays = 0;

	memset(sight->skip, 0, n);
	for (size_t u = 0; u < n; u++) {
		struct nearness seen;

		if (isnan(sight->gain[sight->partition->group[u]]))
			continue;
		seen = look_around(sight, u, NULL);
		sight->skip[u] = (unsigned char)stray(&seen);
		strays += sight->skip[u];
	}
	if ((float)strays > STRAYS_MAX * (float)n)
		memset(sight->skip, 0, n);
}

static void count_fits(
	struct sight *sight, struct visibility *visibility, unsigned char *fits)
{
	size_t n = sight->square->n, grouped = 0, fitting = 0;

	for (size_t u = 0; u < n; u++) {
		struct nearness seen;
		int fit = 1;

		if (size_of(&sight->groups, sight->partition->group[u]) > 1) {
			seen = look_around(sight, u, sight->skip);
			fit = !sight->skip[u] && unit_fits(&seen);
			grouped++;
			fitting += (size_t)fit;
		}
		if (fits)
			fits[u] = (unsigned char)fit;
	}
	visibility->grouped = (float)grouped / (float)n;
	visibility->fit = grouped ? (float)fitting / (float)grouped : 0;
}

/* The typical group's gain as a share of what it has outside. */
static float typical_gain(struct sight *sight)
{
	size_t count = 0;

	for (size_t g = 0; g < sight->partition->n_groups; g++)
		if (!isnan(sight->gain[g]))
			sight->scratch[count++] =
				sight->gain[g] /
				(sight->gain[g] + 2 * sight->half[g]);
	return count ? median_of(sight->scratch, count) : 0;
}

/* Gather the cells inside groups, or between those of one parent. */
static size_t gather(struct sight *sight, bool between)
{
	const uint32_t *group = sight->partition->group;
	const uint32_t *parent = sight->parents->group;
	size_t count = 0;

	for (size_t u = 0; u < sight->square->n; u++)
		for (size_t v = 0; v < u; v++) {
			float cost = square_at(sight->square, u, v);

			if ((group[u] != group[v]) == between &&
				parent[u] == parent[v] && !isnan(cost))
				sight->cells[count++] = cost;
		}
	return count;
}

static void sum_up(
	struct sight *sight, struct visibility *visibility, unsigned char *fits)
{
	find_strays(sight);
	count_fits(sight, visibility, fits);
	visibility->gain = typical_gain(sight);
	visibility->n_inside = gather(sight, false);
	visibility->inside = median_of(sight->cells, visibility->n_inside);
	visibility->n_between = gather(sight, true);
	visibility->between = median_of(sight->cells, visibility->n_between);
}

int visible_measure(const struct square *square,
	const struct partition *partition, const struct partition *parents,
	struct visibility *visibility, unsigned char *fits, struct error *err)
{
	size_t n = square->n;
	struct sight sight = {
		.square = square, .partition = partition, .parents = parents};
	int rc;

	rc = roster_init(&sight.groups, partition, err);
	if (!rc)
		rc = roster_init(&sight.families, parents, err);
	if (rc)
		goto out;
	sight.part = calloc(n, sizeof(*sight.part));
	sight.half = malloc(sizeof(*sight.half) * partition->n_groups);
	sight.skip = malloc(n);
	sight.gain = malloc(sizeof(*sight.gain) * partition->n_groups);
	sight.scratch = malloc(sizeof(*sight.scratch) * n * 2);
	sight.cells = malloc(sizeof(*sight.cells) * n * n);
	if (!sight.part || !sight.half || !sight.skip || !sight.gain ||
		!sight.scratch || !sight.cells) {
		rc = error_no_memory(err, "the test of a level");
		goto out;
	}
	for (size_t u = 0; u < n; u++)
		sight.part[u] = NAN;
	find_parts(&sight);
	find_parts_alone(&sight);
	for (size_t g = 0; g < partition->n_groups; g++)
		sight.gain[g] = size_of(&sight.groups, g) < 2
					? NAN
					: gain_of(&sight, g);
	sum_up(&sight, visibility, fits);
out:
	free(sight.part);
	free(sight.half);
	free(sight.skip);
	free(sight.gain);
	free(sight.scratch);
	free(sight.cells);
	roster_release(&sight.groups);
	roster_release(&sight.families);
	return rc;
}
