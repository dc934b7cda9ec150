/*
 * Cells are compared without the constant offsets of their rows.
 *
 * Cost is nearly a_i + a_j on meshes and rings, with slower clocks, and where
 * one node was home to all lines. Those are no groups. So each member of a
 * group G gets half of the median inside G as its part, and each member u its
 * offset c_u from the other members, as units outside G see it. The rest of a
 * cell,
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
#include "analyze/steps.h"

#include <stdbool.h>
#include <string.h>

/* The share of cells outside that may be near: there are always bad cells. */
#define NEAR_OUTSIDE_SHARE 0.03F

/* A unit near to this share of the units outside is a stray. */
#define STRAY_SHARE 0.25F

/* With more strays than this the partition is wrong, not the units. */
#define STRAYS_MAX 0.1F

/* How far from the border between near and far a cell must lie to count. */
#define EDGE 0.01F

/* A pair dearer than this many times the typical group has a bad cell. */
#define PAIR_EXCESS 2.2F

/* The quantile of the costs outside that stands for the nearest other group. */
#define OUTSIDE_QUANTILE 0.2

/* Two groups with fewer cells between them do not show how far they are. */
#define LEAST_BLOCK 9

/* A group that gains less than this share of the typical gain is a part. */
#define PART_SHARE 0.25F

struct sight {
	const struct square *square;
	const struct partition *partition, *parents;
	const struct members *groups, *families;
	float *part;	/* [n_units] G / 2 + c */
	float *half;	/* [n_groups] G / 2 */
	float *gain;	/* [n_groups] */
	bool *skip;	/* [n_units] strays */
	float *scratch; /* [n_units * 2] */
	float *cells;	/* [n_units * n_units] */
};

/* The units that the members of group g are compared with. */
static const struct members *family_of(const struct sight *sight, size_t g)
{
	size_t first = sight->groups[g].unit[0];

	return &sight->families[sight->parents->group[first]];
}

static float median_inside(struct sight *sight, const struct members *group)
{
	size_t count = 0;

	for (size_t a = 0; a < group->n; a++)
		for (size_t b = 0; b < a; b++)
			append_known(sight->cells, &count,
				square_at(sight->square, group->unit[a],
					group->unit[b]));
	return median_of(sight->cells, count);
}

/* The offsets of the members of group g, added to their parts. */
static void add_offsets(struct sight *sight, size_t g)
{
	const struct square *square = sight->square;
	const struct members *group = &sight->groups[g];
	const struct members *others = family_of(sight, g);
	float *middle = sight->scratch;
	float *scratch = sight->scratch + square->n;

	for (size_t k = 0; k < others->n; k++) {
		size_t v = others->unit[k], count = 0;

		bool own = sight->partition->group[v] == g;

		for (size_t a = 0; !own && a < group->n; a++)
			append_known(scratch, &count,
				square_at(square, group->unit[a], v));
		middle[k] = median_of(scratch, count);
	}
	for (size_t a = 0; a < group->n; a++) {
		size_t u = group->unit[a], count = 0;

		for (size_t k = 0; k < others->n; k++)
			append_known(scratch, &count,
				square_at(square, u, others->unit[k]) -
					middle[k]);
		if (count > 0)
			sight->part[u] += median_of(scratch, count);
	}
}

/*
 * Half the median cost inside each group. A pair has one cell; if that is a bad
 * one, all other units would look near to the pair.
 */
static void find_halves(struct sight *sight)
{
	size_t n_groups = sight->partition->n_groups, count = 0;
	float typical;

	for (size_t g = 0; g < n_groups; g++) {
		sight->half[g] = median_inside(sight, &sight->groups[g]) / 2;
		append_known(sight->scratch, &count, sight->half[g]);
	}
	typical = median_of(sight->scratch, count);
	for (size_t g = 0; g < n_groups; g++)
		if (sight->groups[g].n == 2 &&
			!(sight->half[g] <= PAIR_EXCESS * typical))
			sight->half[g] = typical;
}

static void find_parts(struct sight *sight)
{
	find_halves(sight);
	for (size_t g = 0; g < sight->partition->n_groups; g++) {
		const struct members *group = &sight->groups[g];

		for (size_t a = 0; a < group->n; a++)
			sight->part[group->unit[a]] = sight->half[g];
		if (group->n > 1)
			add_offsets(sight, g);
	}
}

static float rest_of(const struct sight *sight, size_t u, size_t v)
{
	return square_at(sight->square, u, v) - sight->part[u] - sight->part[v];
}

/* The median rest between the groups of a family; INFINITY with one group. */
static float typical_rest(struct sight *sight, const struct members *family)
{
	const uint32_t *group = sight->partition->group;
	size_t count = 0;

	for (size_t a = 0; a < family->n; a++)
		for (size_t b = 0; b < a; b++) {
			size_t u = family->unit[a], v = family->unit[b];

			if (group[u] != group[v])
				append_known(sight->cells, &count,
					rest_of(sight, u, v));
		}
	return count ? median_of(sight->cells, count) : INFINITY;
}

/*
 * The median rest of unit u, which has no part yet, to the units of its family
 * that have one.
 */
static float median_rest(
	struct sight *sight, size_t u, const struct members *family)
{
	size_t count = 0;

	for (size_t b = 0; b < family->n; b++)
		append_known(sight->scratch, &count,
			square_at(sight->square, u, family->unit[b]) -
				sight->part[family->unit[b]]);
	return median_of(sight->scratch, count);
}

/*
 * A single unit has no cost inside. Its part makes it as far from the groups as
 * they are from each other; it is 0 if there is one group.
 */
static void find_parts_alone(struct sight *sight)
{
	float *found = sight->scratch + sight->square->n;

	for (size_t f = 0; f < sight->parents->n_groups; f++) {
		const struct members *family = &sight->families[f];
		float typical = typical_rest(sight, family);

		for (size_t a = 0; a < family->n; a++)
			if (isnan(sight->part[family->unit[a]]))
				found[a] = fmaxf(
					0, median_rest(sight, family->unit[a],
						   family) -
						   typical);
		/* Only after all are found: NaN marks single units. */
		for (size_t a = 0; a < family->n; a++)
			if (isnan(sight->part[family->unit[a]]))
				sight->part[family->unit[a]] = found[a];
	}
}

/* The median rest between two groups; INFINITY if they have few cells. */
static float rest_between(struct sight *sight, size_t g, size_t h)
{
	const struct members *a = &sight->groups[g], *b = &sight->groups[h];
	size_t count = 0;

	if (a->n * b->n < LEAST_BLOCK)
		return INFINITY;
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			append_known(sight->cells, &count,
				rest_of(sight, a->unit[i], b->unit[j]));
	return count < LEAST_BLOCK ? INFINITY : median_of(sight->cells, count);
}

/*
 * What a group saves towards the others: a low quantile of the rests, or what
 * lies between it and one other group if that is nearer.
 */
static float gain_of(struct sight *sight, size_t g)
{
	const struct members *group = &sight->groups[g];
	const struct members *family = family_of(sight, g);
	const uint32_t *of = sight->partition->group;
	size_t count = 0;
	float gain;

	for (size_t a = 0; a < group->n; a++)
		for (size_t b = 0; b < family->n; b++) {
			size_t v = family->unit[b];

			if (of[v] != g)
				append_known(sight->cells, &count,
					rest_of(sight, group->unit[a], v));
		}
	gain = quantile_of(sight->cells, count, OUTSIDE_QUANTILE);
	for (size_t b = 0; b < family->n; b++) {
		size_t h = of[family->unit[b]];

		/* Once a group: at its first member. */
		if (h != g && sight->groups[h].unit[0] == family->unit[b])
			gain = fminf(gain, rest_between(sight, g, h));
	}
	return gain;
}

/* The cells of a unit inside and outside its group, and how many are near. */
struct nearness {
	size_t inside, near_inside, outside, near_outside;
};

/*
 * A cell right between near and far, as coarse clocks make them, counts for the
 * groups. Units in skip are left out.
 */
static struct nearness look_around(
	const struct sight *sight, size_t u, const bool *skip)
{
	size_t g = sight->partition->group[u];
	const struct members *family =
		&sight->families[sight->parents->group[u]];
	float limit = sight->gain[g] / 2;
	/* A value of a coarse clock stands for all within half a step. */
	float edge = fmaxf(limit * EDGE, sight->square->step / 2);
	struct nearness seen = {0};

	for (size_t b = 0; b < family->n; b++) {
		size_t v = family->unit[b];
		float rest = rest_of(sight, u, v);

		if (v == u || isnan(rest) || (skip && skip[v]))
			continue;
		if (sight->partition->group[v] == g) {
			seen.inside++;
			seen.near_inside += rest < limit + edge;
		} else {
			seen.outside++;
			seen.near_outside += rest < limit - edge;
		}
	}
	return seen;
}

/*
 * A unit near to many outside has a wrong part, for example from a streak of
 * bad cells. It does not fit, but the others must not suffer for it.
 */
static bool is_stray(const struct nearness *seen)
{
	return (float)seen->near_outside > STRAY_SHARE * (float)seen->outside;
}

static bool unit_fits(const struct nearness *seen)
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
		sight->skip[u] = is_stray(&seen);
		strays += sight->skip[u];
	}
	if ((float)strays > STRAYS_MAX * (float)n)
		memset(sight->skip, 0, n);
}

/* What a group gains, as a share of its cost outside. */
static float gain_share(const struct sight *sight, size_t g)
{
	return sight->gain[g] / (sight->gain[g] + 2 * sight->half[g]);
}

/*
 * Whether a group gains next to nothing where the typical one does: a half of a
 * group, for example, that lies among the other half.
 */
static bool is_part(const struct sight *sight, size_t g, float typical)
{
	return !(sight->gain[g] > 0) ||
	       gain_share(sight, g) < PART_SHARE * typical;
}

static void count_fits(
	struct sight *sight, struct visibility *visibility, unsigned char *fits)
{
	size_t n = sight->square->n, grouped = 0, fitting = 0;

	for (size_t u = 0; u < n; u++) {
		struct nearness seen;
		size_t g = sight->partition->group[u];
		bool fit = true;

		if (sight->groups[g].n > 1) {
			seen = look_around(sight, u, sight->skip);
			fit = !sight->skip[u] && unit_fits(&seen) &&
			      !is_part(sight, g, visibility->gain);
			grouped++;
			fitting += fit;
		}
		if (fits)
			fits[u] = fit;
	}
	visibility->grouped = (float)grouped / (float)n;
	visibility->fit = grouped ? (float)fitting / (float)grouped : 0;
}

/* The gain of the typical group, as a share of its cost outside. */
static float typical_gain(struct sight *sight)
{
	size_t count = 0;

	for (size_t g = 0; g < sight->partition->n_groups; g++)
		if (isfinite(sight->gain[g]))
			sight->scratch[count++] = gain_share(sight, g);
	return count ? median_of(sight->scratch, count) : 0;
}

struct visibility visible_measure(const struct square *square,
	const struct partition *partition, const struct partition *parents,
	unsigned char *fits, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = square->n, n_groups = partition->n_groups;
	struct sight sight = {.square = square,
		.partition = partition,
		.parents = parents,
		.groups = roster_new(partition, arena),
		.families = roster_new(parents, arena),
		.part = arena_take(arena, n, sizeof(float)),
		.half = arena_take(arena, n_groups, sizeof(float)),
		.gain = arena_take(arena, n_groups, sizeof(float)),
		.skip = arena_take(arena, n, sizeof(bool)),
		.scratch = arena_take(arena, 2 * n, sizeof(float)),
		.cells = arena_take(arena, n * n, sizeof(float))};
	struct visibility visibility;

	find_parts(&sight);
	find_parts_alone(&sight);
	for (size_t g = 0; g < n_groups; g++)
		sight.gain[g] =
			sight.groups[g].n < 2 ? NAN : gain_of(&sight, g);
	find_strays(&sight);
	visibility.gain = typical_gain(&sight);
	count_fits(&sight, &visibility, fits);
	visibility.inside = median_where(
		square, partition->group, parents->group, false, sight.cells);
	visibility.between = median_where(
		square, partition->group, parents->group, true, sight.cells);
	arena_back(arena, mark);
	return visibility;
}
