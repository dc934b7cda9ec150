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
#include "analyze/levels/steps.h"

#include <stdbool.h>
#include <string.h>

/* The share of cells outside that may be near: there are always bad cells. */
#define NEAR_OUTSIDE_SHARE 0.03F

/* A unit near to this share of the units outside is a stray. */
#define STRAY_SHARE 0.25F

/* With more strays than this the partition is wrong, not the units. */
#define STRAYS_MAX 0.1F

/* How far from the border between near and far a cell must lie to count. */
#define EDGE_SHARE 0.01F

/* A pair dearer than this many times the typical group has a bad cell. */
#define PAIR_EXCESS 2.2F

/* The quantile of the costs outside that stands for the nearest other group. */
#define OUTSIDE_QUANTILE 0.2

/* Two groups with fewer cells between them do not show how far they are. */
#define LEAST_BLOCK 9

/* A group that gains less than this share of the typical gain is a part. */
#define PART_SHARE 0.25F

struct contrast_context {
	const struct cost_matrix *square;
	const struct partition *partition, *parents;
	const struct group_members *groups, *families;
	float *part;	/* [n_units] G / 2 + c */
	float *half;	/* [n_groups] G / 2 */
	float *gain;	/* [n_groups] */
	bool *skip;	/* [n_units] strays */
	float *scratch; /* [n_units * 2] */
	float *cells;	/* [n_units * n_units] */
};

/* The units that the members of group g are compared with. */
static const struct group_members *group_family(
	const struct contrast_context *context, size_t g)
{
	size_t first = context->groups[g].unit[0];

	return &context->families[context->parents->group[first]];
}

static float median_inside(
	struct contrast_context *context, const struct group_members *group)
{
	size_t count = 0;

	for (size_t a = 0; a < group->n; a++)
		for (size_t b = 0; b < a; b++)
			append_known(context->cells, &count,
				cost_matrix_at(context->square, group->unit[a],
					group->unit[b]));
	return median_of_floats(context->cells, count);
}

/* The offsets of the members of group g, added to their parts. */
static void add_offsets(struct contrast_context *context, size_t g)
{
	const struct cost_matrix *matrix = context->square;
	const struct group_members *group = &context->groups[g];
	const struct group_members *others = group_family(context, g);
	float *middle = context->scratch;
	float *scratch = context->scratch + matrix->n;

	for (size_t k = 0; k < others->n; k++) {
		size_t v = others->unit[k], count = 0;

		bool own = context->partition->group[v] == g;

		for (size_t a = 0; !own && a < group->n; a++)
			append_known(scratch, &count,
				cost_matrix_at(matrix, group->unit[a], v));
		middle[k] = median_of_floats(scratch, count);
	}
	for (size_t a = 0; a < group->n; a++) {
		size_t u = group->unit[a], count = 0;

		for (size_t k = 0; k < others->n; k++)
			append_known(scratch, &count,
				cost_matrix_at(matrix, u, others->unit[k]) -
					middle[k]);
		if (count > 0)
			context->part[u] += median_of_floats(scratch, count);
	}
}

/*
 * Half the median cost inside each group. A pair has one cell; if that is a bad
 * one, all other units would look near to the pair.
 */
static void find_group_halves(struct contrast_context *context)
{
	size_t n_groups = context->partition->n_groups, count = 0;
	float typical;

	for (size_t g = 0; g < n_groups; g++) {
		context->half[g] =
			median_inside(context, &context->groups[g]) / 2;
		append_known(context->scratch, &count, context->half[g]);
	}
	typical = median_of_floats(context->scratch, count);
	for (size_t g = 0; g < n_groups; g++)
		if (context->groups[g].n == 2 &&
			!(context->half[g] <= PAIR_EXCESS * typical))
			context->half[g] = typical;
}

static void find_unit_parts(struct contrast_context *context)
{
	find_group_halves(context);
	for (size_t g = 0; g < context->partition->n_groups; g++) {
		const struct group_members *group = &context->groups[g];

		for (size_t a = 0; a < group->n; a++)
			context->part[group->unit[a]] = context->half[g];
		if (group->n > 1)
			add_offsets(context, g);
	}
}

static float cell_residual(
	const struct contrast_context *context, size_t u, size_t v)
{
	return cost_matrix_at(context->square, u, v) - context->part[u] -
	       context->part[v];
}

/* The median rest between the groups of a family; INFINITY with one group. */
static float typical_cell_residual(
	struct contrast_context *context, const struct group_members *family)
{
	const uint32_t *group = context->partition->group;
	size_t count = 0;

	for (size_t a = 0; a < family->n; a++)
		for (size_t b = 0; b < a; b++) {
			size_t u = family->unit[a], v = family->unit[b];

			if (group[u] != group[v])
				append_known(context->cells, &count,
					cell_residual(context, u, v));
		}
	return count ? median_of_floats(context->cells, count) : INFINITY;
}

/*
 * The median rest of unit u, which has no part yet, to the units of its family
 * that have one.
 */
static float median_rest(struct contrast_context *context, size_t u,
	const struct group_members *family)
{
	size_t count = 0;

	for (size_t b = 0; b < family->n; b++)
		append_known(context->scratch, &count,
			cost_matrix_at(context->square, u, family->unit[b]) -
				context->part[family->unit[b]]);
	return median_of_floats(context->scratch, count);
}

/*
 * A single unit has no cost inside. Its part makes it as far from the groups as
 * they are from each other; it is 0 if there is one group.
 */
static void find_single_unit_parts(struct contrast_context *context)
{
	float *found = context->scratch + context->square->n;

	for (size_t f = 0; f < context->parents->n_groups; f++) {
		const struct group_members *family = &context->families[f];
		float typical = typical_cell_residual(context, family);

		for (size_t a = 0; a < family->n; a++)
			if (isnan(context->part[family->unit[a]]))
				found[a] = fmaxf(
					0, median_rest(context, family->unit[a],
						   family) -
						   typical);
		/* Only after all are found: NaN marks single units. */
		for (size_t a = 0; a < family->n; a++)
			if (isnan(context->part[family->unit[a]]))
				context->part[family->unit[a]] = found[a];
	}
}

/* The median rest between two groups; INFINITY if they have few cells. */
static float rest_between(struct contrast_context *context, size_t g, size_t h)
{
	const struct group_members *a = &context->groups[g],
				   *b = &context->groups[h];
	size_t count = 0;

	if (a->n * b->n < LEAST_BLOCK)
		return INFINITY;
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++)
			append_known(context->cells, &count,
				cell_residual(context, a->unit[i], b->unit[j]));
	return count < LEAST_BLOCK ? INFINITY
				   : median_of_floats(context->cells, count);
}

/*
 * What a group saves towards the others: a low quantile of the rests, or what
 * lies between it and one other group if that is nearer.
 */
static float group_gain(struct contrast_context *context, size_t g)
{
	const struct group_members *group = &context->groups[g];
	const struct group_members *family = group_family(context, g);
	const uint32_t *of = context->partition->group;
	size_t count = 0;
	float gain;

	for (size_t a = 0; a < group->n; a++)
		for (size_t b = 0; b < family->n; b++) {
			size_t v = family->unit[b];

			if (of[v] != g)
				append_known(context->cells, &count,
					cell_residual(
						context, group->unit[a], v));
		}
	gain = quantile_of_floats(context->cells, count, OUTSIDE_QUANTILE);
	for (size_t b = 0; b < family->n; b++) {
		size_t h = of[family->unit[b]];

		/* Once a group: at its first member. */
		if (h != g && context->groups[h].unit[0] == family->unit[b])
			gain = fminf(gain, rest_between(context, g, h));
	}
	return gain;
}

/* The cells of a unit inside and outside its group, and how many are near. */
struct near_counts {
	size_t inside, near_inside, outside, near_outside;
};

/*
 * A cell right between near and far, as coarse clocks make them, counts for the
 * groups. Units in skip are left out.
 */
static struct near_counts count_near_cells(
	const struct contrast_context *context, size_t u, const bool *skip)
{
	size_t g = context->partition->group[u];
	const struct group_members *family =
		&context->families[context->parents->group[u]];
	float limit = context->gain[g] / 2;
	/* A value of a coarse clock stands for all within half a step. */
	float edge = fmaxf(limit * EDGE_SHARE, context->square->step / 2);
	struct near_counts seen = {0};

	for (size_t b = 0; b < family->n; b++) {
		size_t v = family->unit[b];
		float rest = cell_residual(context, u, v);

		if (v == u || isnan(rest) || (skip && skip[v]))
			continue;
		if (context->partition->group[v] == g) {
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
static bool is_stray_unit(const struct near_counts *seen)
{
	return (float)seen->near_outside > STRAY_SHARE * (float)seen->outside;
}

static bool unit_fits(const struct near_counts *seen)
{
	return seen->near_inside * 2 >= seen->inside &&
	       (float)seen->near_outside <=
		       NEAR_OUTSIDE_SHARE * (float)seen->outside;
}

/* Mark the strays, unless there are too many. */
static void find_strays(struct contrast_context *context)
{
	size_t n = context->square->n, strays = 0;

	memset(context->skip, 0, n);
	for (size_t u = 0; u < n; u++) {
		struct near_counts seen;

		if (isnan(context->gain[context->partition->group[u]]))
			continue;
		seen = count_near_cells(context, u, NULL);
		context->skip[u] = is_stray_unit(&seen);
		strays += context->skip[u];
	}
	if ((float)strays > STRAYS_MAX * (float)n)
		memset(context->skip, 0, n);
}

/* What a group gains, as a share of its cost outside. */
static float gain_share(const struct contrast_context *context, size_t g)
{
	return context->gain[g] / (context->gain[g] + 2 * context->half[g]);
}

/*
 * Whether a group gains next to nothing where the typical one does: a half of a
 * group, for example, that lies among the other half.
 */
static bool is_partial_group(
	const struct contrast_context *context, size_t g, float typical)
{
	return !(context->gain[g] > 0) ||
	       gain_share(context, g) < PART_SHARE * typical;
}

static void count_fits(struct contrast_context *context,
	struct partition_contrast *contrast, unsigned char *fits)
{
	size_t n = context->square->n, grouped = 0, fitting = 0;

	for (size_t u = 0; u < n; u++) {
		struct near_counts seen;
		size_t g = context->partition->group[u];
		bool fit = true;

		if (context->groups[g].n > 1) {
			seen = count_near_cells(context, u, context->skip);
			fit = !context->skip[u] && unit_fits(&seen) &&
			      !is_partial_group(context, g, contrast->gain);
			grouped++;
			fitting += fit;
		}
		if (fits)
			fits[u] = fit;
	}
	contrast->grouped = (float)grouped / (float)n;
	contrast->fit = grouped ? (float)fitting / (float)grouped : 0;
}

/* The gain of the typical group, as a share of its cost outside. */
static float typical_gain(struct contrast_context *context)
{
	size_t count = 0;

	for (size_t g = 0; g < context->partition->n_groups; g++)
		if (isfinite(context->gain[g]))
			context->scratch[count++] = gain_share(context, g);
	return count ? median_of_floats(context->scratch, count) : 0;
}

struct partition_contrast contrast_measure(const struct cost_matrix *matrix,
	const struct partition *partition, const struct partition *parents,
	unsigned char *fits, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = matrix->n, n_groups = partition->n_groups;
	struct contrast_context context = {.square = matrix,
		.partition = partition,
		.parents = parents,
		.groups = partition_members(partition, arena),
		.families = partition_members(parents, arena),
		.part = arena_alloc(arena, n, sizeof(float)),
		.half = arena_alloc(arena, n_groups, sizeof(float)),
		.gain = arena_alloc(arena, n_groups, sizeof(float)),
		.skip = arena_alloc(arena, n, sizeof(bool)),
		.scratch = arena_alloc(arena, 2 * n, sizeof(float)),
		.cells = arena_alloc(arena, n * n, sizeof(float))};
	struct partition_contrast contrast;

	find_unit_parts(&context);
	find_single_unit_parts(&context);
	for (size_t g = 0; g < n_groups; g++)
		context.gain[g] =
			context.groups[g].n < 2 ? NAN : group_gain(&context, g);
	find_strays(&context);
	contrast.gain = typical_gain(&context);
	count_fits(&context, &contrast, fits);
	contrast.inside = cost_matrix_median_where(
		matrix, partition->group, parents->group, false, context.cells);
	contrast.between = cost_matrix_median_where(
		matrix, partition->group, parents->group, true, context.cells);
	arena_rewind(arena, mark);
	return contrast;
}
