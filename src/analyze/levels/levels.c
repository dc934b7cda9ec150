/*
 * Levels are found by dividing and collapsing, then tested.
 *
 * Finding: take the partition that stands out most. Divide its groups further
 * in the same way. Collapse them to units whose costs are medians of blocks,
 * and join these to larger groups. That gives a chain of nested candidates,
 * whichever level stands out most.
 *
 * Testing: measure every candidate between its neighbours in the chain
 * (contrast.c). Drop one that is but a part of the next, or else the worst that
 * fails, and measure the rest again, until all that is left holds.
 */
#include "analyze/levels/steps.h"

#include <string.h>

#define LEAST_FIT 0.80F

/*
 * What a comparison needs around it: groups count half of it, single units one.
 */
#define LEAST_AROUND 6
#define LONE_AROUND  (LEAST_AROUND / 2 + 1)

/* A level leaves at most this share of units alone, unless it is clear. */
#define MOST_GROUPED 0.5F

/*
 * Where one node was home to all lines, units near to it look like a group and
 * the others like none. A level of groups that leaves so many alone is that,
 * more often than hardware.
 */
#define HOME_GROUPED 0.75F
#define RAGGED_DOUBT 0.45
#define LEAST_STEPS  2.5F

/*
 * The confidence of lone pairs: no deal of chance can tell. Another level shows
 * that threads ran where they should. Without one, few CPUs may look the same
 * by accident.
 */
#define LONE_CONFIDENCE 0.9
#define LONE_DOUBT	0.4
#define LONE_SURE_CPUS	20

/* A gain that noise cannot make. */
#define CLEAR_GAIN 0.4F

/*
 * How much chance lowers the confidence. If every unit is in a group, chance
 * counts as it is. A level that leaves units alone may also come from threads
 * on wrong CPUs: it is believed only if chance makes it less than one time in
 * twenty. The same holds for a gain that noise could make.
 */
#define CHANCE_WEIGHT  1
#define PARTIAL_WEIGHT 10
#define UNCLEAR_WEIGHT 10

size_t levels_joining(const struct cost_levels *levels, size_t i, size_t j)
{
	size_t k = 0;

	while (k < levels->n && levels->levels[k].partition.group[i] !=
					levels->levels[k].partition.group[j])
		k++;
	return k;
}

/* Append a partition of units as one of CPUs: unit[cpu] is the unit of each. */
static void append_cpu_level(struct cost_levels *levels,
	const struct partition *partition, const uint32_t *unit, size_t n_cpus,
	struct arena *arena)
{
	struct cost_level *level = &levels->levels[levels->n++];

	*level = (struct cost_level){
		.fits = arena_alloc(arena, n_cpus, sizeof(*level->fits))};
	partition_init(&level->partition, n_cpus, arena);
	for (size_t i = 0; i < n_cpus; i++)
		level->partition.group[i] = partition->group[unit[i]];
	level->partition.n_groups = partition->n_groups;
}

struct level_search {
	struct cost_levels *levels;
	size_t n_cpus;
	struct arena *arena;
};

/* Find all levels between the units of square and their parents. */
static void find_levels_between(struct level_search *search,
	const struct cost_matrix *matrix, const uint32_t *unit,
	const struct partition *parents)
{
	struct cost_levels *levels = search->levels;
	struct arena *arena = search->arena;
	struct partition found, above;
	struct cost_matrix small;
	uint32_t *group;

	if (!cut_best_partition(matrix, parents, &found, arena) ||
		levels->n + 1 >= LEVELS_MAX)
		return;
	find_levels_between(search, matrix, unit, &found);
	if (levels->n >= LEVELS_MAX)
		return;
	append_cpu_level(levels, &found, unit, search->n_cpus, arena);
	cost_matrix_collapse(matrix, &found, &small, arena);
	partition_init(&above, found.n_groups, arena);
	group = arena_alloc(arena, search->n_cpus, sizeof(*group));
	for (size_t u = 0; u < matrix->n; u++)
		above.group[found.group[u]] = parents->group[u];
	above.n_groups = parents->n_groups;
	for (size_t i = 0; i < search->n_cpus; i++)
		group[i] = found.group[unit[i]];
	find_levels_between(search, &small, group, &above);
}

/* The level inside level k, or NULL for the CPUs. */
static const struct partition *inner_partition(
	const struct cost_levels *levels, size_t k)
{
	return k > 0 ? &levels->levels[k - 1].partition : NULL;
}

/* units[n CPUs]: how many units of inner (NULL: CPUs) each group has. */
static void count_units(const struct partition *partition,
	const struct partition *inner, bool *seen, uint32_t *units)
{
	for (size_t i = 0; i < partition->n_units; i++) {
		size_t u = inner ? inner->group[i] : i;

		units[partition->group[i]] += !seen[u];
		seen[u] = true;
	}
}

/*
 * What to compare the groups of level k within. For each CPU this is the
 * innermost outer group that holds enough: two groups of several units, or one
 * and some single units; else the whole machine. (If one kind of core has an
 * extra level, not every group grows at every level. With only one or two units
 * around, anything looks like a group.)
 */
static struct partition find_parents(
	const struct cost_levels *levels, size_t k, struct arena *arena)
{
	const struct partition *own = &levels->levels[k].partition;
	size_t n = own->n_units;
	uint32_t *units = arena_alloc(arena, n, sizeof(*units));
	uint32_t *around = arena_alloc(arena, n, sizeof(*around));
	bool *seen = arena_alloc(arena, n, sizeof(*seen));
	struct partition parents;

	partition_init(&parents, n, arena);
	count_units(own, inner_partition(levels, k), seen, units);
	for (size_t m = levels->n; m-- > k + 1;) {
		const struct partition *outer = &levels->levels[m].partition;
		size_t least = levels->levels[k].lone_pairs ? LONE_AROUND
							    : LEAST_AROUND;

		memset(around, 0, sizeof(*around) * n);
		memset(seen, 0, sizeof(*seen) * n);
		for (size_t i = 0; i < n; i++) {
			size_t g = own->group[i];

			if (!seen[g])
				around[outer->group[i]] +=
					units[g] > 1 ? LEAST_AROUND / 2 : 1;
			seen[g] = true;
		}
		for (size_t i = 0; i < n; i++)
			if (around[outer->group[i]] >= least)
				parents.group[i] = (uint32_t)((m - k) * n) +
						   outer->group[i];
	}
	partition_number(&parents, arena);
	return parents;
}

/*
 * A level that leaves most units alone must be a clear one, as lone pairs are.
 */
static bool level_holds(const struct cost_level *level)
{
	const struct partition_contrast *v = &level->contrast;

	return v->fit >= LEAST_FIT && v->gain >= LEVEL_GAIN_MIN &&
	       (v->grouped >= MOST_GROUPED || v->gain >= CLEAR_GAIN ||
		       level->lone_pairs);
}

/* What the distances of a level are compared with. */
struct level_context {
	struct partition around; /* of the CPUs: what to compare within */
	struct partition units, parents; /* of the units: level and around */
	struct cost_matrix
		small; /* between the units, unless these are the CPUs */
	const struct cost_matrix *matrix; /* the one to use */
	unsigned char *fits;		  /* [n_units] */
};

static void level_context_init(struct level_context *context,
	const struct cost_matrix *matrix, const struct cost_levels *levels,
	size_t k, struct arena *arena)
{
	const struct partition *inner = inner_partition(levels, k);

	context->around = find_parents(levels, k, arena);
	context->units =
		partition_of_units(&levels->levels[k].partition, inner, arena);
	context->parents = partition_of_units(&context->around, inner, arena);
	context->matrix = inner ? &context->small : matrix;
	if (inner)
		cost_matrix_collapse(matrix, inner, &context->small, arena);
	context->fits = arena_alloc(arena, context->units.n_units, 1);
}

/* Put the repaired partition into its level and into the outer levels. */
static void take_repaired_level(struct cost_levels *levels, size_t k,
	const struct partition *units, struct arena *arena)
{
	struct partition *own = &levels->levels[k].partition;
	const struct partition *inner = inner_partition(levels, k);

	for (size_t i = 0; i < own->n_units; i++)
		own->group[i] = units->group[inner ? inner->group[i] : i];
	own->n_groups = units->n_groups;
	for (size_t m = k + 1; m < levels->n; m++)
		partition_contain(own, &levels->levels[m].partition, arena);
}

/* Measure the level, and again after a repair. True if there was one. */
static bool measure_repaired_level(struct level_context *context,
	struct cost_levels *levels, size_t k, struct arena *arena)
{
	struct partition_contrast *contrast = &levels->levels[k].contrast;
	float first;

	*contrast = contrast_measure(context->matrix, &context->units,
		&context->parents, context->fits, arena);
	if (levels->levels[k].lone_pairs ||
		!repair_partition(context->matrix, &context->units,
			&context->parents, context->fits, arena))
		return false;
	first = contrast->grouped;
	take_repaired_level(levels, k, &context->units, arena);
	*contrast = contrast_measure(context->matrix, &context->units,
		&context->parents, context->fits, arena);
	/* Units that the repair took out did not fit. */
	if (contrast->grouped < first)
		contrast->fit *= contrast->grouped / first;
	return true;
}

/* Whether neither noise nor a step of the clock makes such a gain. */
static bool is_clear_contrast(const struct partition_contrast *v, float step)
{
	return v->gain >= CLEAR_GAIN &&
	       v->between - v->inside >= LEAST_STEPS * step;
}

/* Join pairs that noise or the clock tore, in the outer levels, too. */
static void complete_pairs(const struct cost_matrix *matrix,
	struct cost_levels *levels, struct arena *arena)
{
	struct partition *own = &levels->levels[0].partition;
	struct partition families;

	if (levels->levels[0].lone_pairs || !pairs_only(own, arena))
		return;
	families = find_parents(levels, 0, arena);
	if (!pairs_complete(matrix, own, &families, arena))
		return;
	for (size_t m = 1; m < levels->n; m++)
		partition_contain(own, &levels->levels[m].partition, arena);
}

/* What is known of pairs besides: the odds of chance, and doubts. */
static void measure_pairs(const struct cost_matrix *matrix,
	struct cost_level *level, const struct partition *families,
	struct arena *arena)
{
	level->pairs = pairs_only(&level->partition, arena);
	level->mixed = pairs_mixed(&level->partition, arena);
	if (!level->pairs)
		return;
	level->doubtful = pairs_doubtful(matrix, &level->partition, families,
		is_clear_contrast(&level->contrast, matrix->step), arena);
	level->chance = fmin(level->chance,
		pairs_odds(matrix, &level->partition, families, arena));
}

/* True if the level was repaired. */
static bool measure_level(const struct cost_matrix *matrix,
	struct cost_levels *levels, size_t k, bool test_chance,
	struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct cost_level *level = &levels->levels[k];
	const struct partition *inner = inner_partition(levels, k);
	struct level_context context;
	bool repaired;

	if (!inner)
		complete_pairs(matrix, levels, arena);
	level_context_init(&context, matrix, levels, k, arena);
	repaired = measure_repaired_level(&context, levels, k, arena);
	/* Dealing is slow, and a level that fails anyway does not need it. */
	level->chance = test_chance ? 1 : 0;
	/* No deal has a single pair. */
	if (test_chance && level_holds(level) &&
		!(level->lone_pairs &&
			level->partition.n_groups + 1 == matrix->n))
		level->chance = permutation_test_chance(matrix, inner,
			&level->partition, &context.around,
			level->contrast.gain >= CLEAR_GAIN, arena);
	/* Whatever CPUs say, a few units have few distances. */
	if (test_chance && inner && level->contrast.gain < CLEAR_GAIN)
		level->chance = fmax(level->chance,
			permutation_test_size_chance(
				&context.units, &context.parents, arena));
	if (test_chance && !inner)
		measure_pairs(matrix, level, &context.around, arena);
	for (size_t i = 0; i < matrix->n; i++)
		level->fits[i] = context.fits[inner ? inner->group[i] : i];
	arena_rewind(arena, mark);
	return repaired;
}

/*
 * Whether a level leaves units alone that may well belong to groups, too: those
 * of the innermost level if the others hardly stand out, or by no more than two
 * steps of the clock; and many groups of another.
 */
static bool is_ragged_level(const struct cost_levels *levels,
	const struct cost_level *level, float step)
{
	const struct partition_contrast *v = &level->contrast;

	if (level > levels->levels)
		return v->grouped <= HOME_GROUPED;
	if (level->lone_pairs)
		return false;
	if (level->pairs)
		return level->doubtful;
	if (level->mixed && step > 0)
		return true;
	return v->grouped < 1 && !is_clear_contrast(v, step);
}

/*
 * The confidence: the share that fits, lowered by chance. Two pairs of four
 * CPUs are believed although chance makes them one time in five.
 *
 * It is lowered later: where another choice of cells has no such level
 * (groups.c), where CPUs could not be placed (measured.c), and by epochs
 * without it (analyze.c).
 */
static double level_confidence(const struct cost_levels *levels,
	const struct cost_level *level, float step)
{
	const struct partition_contrast *v = &level->contrast;
	size_t n = level->partition.n_units;
	double weight, share;

	if (!level_holds(level))
		return 0;
	weight = v->grouped < 1 ? PARTIAL_WEIGHT : CHANCE_WEIGHT;
	if (level->pairs && !level->doubtful && v->grouped > HOME_GROUPED)
		weight = CHANCE_WEIGHT;
	if (v->gain < CLEAR_GAIN)
		weight += UNCLEAR_WEIGHT;
	share = fmax(0, 1 - level->chance * weight);
	if (level->lone_pairs)
		share = fmax(share, levels->n > 1 || n >= LONE_SURE_CPUS
					    ? LONE_CONFIDENCE
					    : LONE_DOUBT);
	if (is_ragged_level(levels, level, step))
		share *= RAGGED_DOUBT;
	return (double)v->fit * share;
}

/* Which groups have a CPU that fits: [n_groups]. */
static const bool *find_fitting_groups(
	const struct cost_level *level, struct arena *arena)
{
	const struct partition *partition = &level->partition;
	bool *fitting =
		arena_alloc(arena, partition->n_groups, sizeof(*fitting));

	for (size_t i = 0; i < partition->n_units; i++)
		fitting[partition->group[i]] |= level->fits[i] != 0;
	return fitting;
}

/*
 * Whether level k is but a part of the next: all its groups that join units and
 * fit are groups there, and what the next adds costs about as much inside.
 */
static bool is_partial_level(
	const struct cost_levels *levels, size_t k, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct partition *own = &levels->levels[k].partition;
	const struct partition *inner = inner_partition(levels, k);
	const struct partition *next;
	const uint32_t *sizes, *next_sizes, *inner_sizes;
	const bool *fitting;
	bool partial = k + 1 < levels->n;

	if (!partial)
		return false;
	next = &levels->levels[k + 1].partition;
	sizes = partition_sizes(own, arena);
	next_sizes = partition_sizes(next, arena);
	inner_sizes = inner ? partition_sizes(inner, arena) : NULL;
	fitting = find_fitting_groups(&levels->levels[k], arena);
	for (size_t i = 0; i < own->n_units && partial; i++) {
		size_t size = sizes[own->group[i]];

		partial = !fitting[own->group[i]] ||
			  size == next_sizes[next->group[i]] ||
			  size == (inner ? inner_sizes[inner->group[i]] : 1);
	}
	arena_rewind(arena, mark);
	return partial &&
	       levels->levels[k + 1].contrast.inside <=
		       LEVEL_SPAN * levels->levels[k].contrast.inside;
}

/* 1 or more if the level holds; below 1, how close it comes. */
static double level_worth(const struct cost_level *level)
{
	return level->confidence > 0
		       ? 1 + level->confidence
		       : (double)(level->contrast.gain * level->contrast.fit);
}

void levels_drop(struct cost_levels *levels, size_t k)
{
	levels->n--;
	memmove(&levels->levels[k], &levels->levels[k + 1],
		sizeof(*levels->levels) * (levels->n - k));
}

/*
 * Measure all levels. A repair of one changes what the levels inside are
 * compared within, so these are measured again, once.
 */
static void measure_all_levels(const struct cost_matrix *matrix,
	struct cost_levels *levels, bool test_chance, struct arena *arena)
{
	bool repaired = true;

	for (int pass = 0; pass < 2 && repaired; pass++) {
		repaired = false;
		for (size_t k = 0; k < levels->n; k++)
			repaired |= measure_level(matrix, levels, k,
					    test_chance, arena) &&
				    k > 0;
	}
}

void levels_test(const struct cost_matrix *matrix, bool test_chance,
	struct cost_levels *levels, struct arena *arena)
{
	while (levels->n > 0) {
		size_t worst = 0, partial = 0;

		measure_all_levels(matrix, levels, test_chance, arena);
		for (size_t k = 0; k < levels->n; k++) {
			struct cost_level *level = &levels->levels[k];

			level->confidence =
				level_confidence(levels, level, matrix->step);
			if (level_worth(level) <
				level_worth(&levels->levels[worst]))
				worst = k;
		}
		while (partial < levels->n &&
			!is_partial_level(levels, partial, arena))
			partial++;
		if (partial < levels->n)
			worst = partial;
		else if (level_worth(&levels->levels[worst]) >= 1)
			break;
		levels_drop(levels, worst);
	}
}

void levels_find(const struct cost_matrix *matrix, bool test_chance,
	struct cost_levels *levels, struct arena *arena)
{
	struct level_search search = {
		.levels = levels, .n_cpus = matrix->n, .arena = arena};
	struct partition all;
	uint32_t *unit;

	levels->n = 0;
	/* Two CPUs have a single cell. */
	if (matrix->n < 3)
		return;
	unit = arena_alloc(arena, matrix->n, sizeof(*unit));
	for (size_t i = 0; i < matrix->n; i++)
		unit[i] = (uint32_t)i;
	partition_init(&all, matrix->n, arena);
	find_levels_between(&search, matrix, unit, &all);
	pairs_add(levels, matrix, arena);
	levels_test(matrix, test_chance, levels, arena);
	/* Pairs give way to a level of the tree with more, which may fail. */
	if (pairs_add(levels, matrix, arena))
		levels_test(matrix, test_chance, levels, arena);
}
