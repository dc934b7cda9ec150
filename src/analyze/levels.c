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
#include "analyze/groups.h"
#include "analyze/steps.h"

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

size_t levels_joining(const struct levels *levels, size_t i, size_t j)
{
	size_t k = 0;

	while (k < levels->n && levels->levels[k].partition.group[i] !=
					levels->levels[k].partition.group[j])
		k++;
	return k;
}

/* Append a partition of units as one of CPUs: unit[cpu] is the unit of each. */
static void append(struct levels *levels, const struct partition *partition,
	const uint32_t *unit, size_t n_cpus, struct arena *arena)
{
	struct level *level = &levels->levels[levels->n++];

	*level = (struct level){
		.fits = arena_take(arena, n_cpus, sizeof(*level->fits))};
	partition_init(&level->partition, n_cpus, arena);
	for (size_t i = 0; i < n_cpus; i++)
		level->partition.group[i] = partition->group[unit[i]];
	level->partition.n_groups = partition->n_groups;
}

struct finding {
	struct levels *levels;
	size_t n_cpus;
	struct arena *arena;
};

/* Find all levels between the units of square and their parents. */
static void find_between(struct finding *finding, const struct square *square,
	const uint32_t *unit, const struct partition *parents)
{
	struct levels *levels = finding->levels;
	struct arena *arena = finding->arena;
	struct partition found, above;
	struct square small;
	uint32_t *group;

	if (!cut_best(square, parents, &found, arena) ||
		levels->n + 1 >= LEVELS_MAX)
		return;
	find_between(finding, square, unit, &found);
	if (levels->n >= LEVELS_MAX)
		return;
	append(levels, &found, unit, finding->n_cpus, arena);
	square_collapse(square, &found, &small, arena);
	partition_init(&above, found.n_groups, arena);
	group = arena_take(arena, finding->n_cpus, sizeof(*group));
	for (size_t u = 0; u < square->n; u++)
		above.group[found.group[u]] = parents->group[u];
	above.n_groups = parents->n_groups;
	for (size_t i = 0; i < finding->n_cpus; i++)
		group[i] = found.group[unit[i]];
	find_between(finding, &small, group, &above);
}

/* The level inside level k, or NULL for the CPUs. */
static const struct partition *inside(const struct levels *levels, size_t k)
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
	const struct levels *levels, size_t k, struct arena *arena)
{
	const struct partition *own = &levels->levels[k].partition;
	size_t n = own->n_units;
	uint32_t *units = arena_take(arena, n, sizeof(*units));
	uint32_t *around = arena_take(arena, n, sizeof(*around));
	bool *seen = arena_take(arena, n, sizeof(*seen));
	struct partition parents;

	partition_init(&parents, n, arena);
	count_units(own, inside(levels, k), seen, units);
	for (size_t m = levels->n; m-- > k + 1;) {
		const struct partition *outer = &levels->levels[m].partition;
		size_t least =
			levels->levels[k].lone ? LONE_AROUND : LEAST_AROUND;

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

/* A level that leaves most units alone must be a clear one, as lone pairs are.
 */
static bool holds(const struct level *level)
{
	const struct visibility *v = &level->visibility;

	return v->fit >= LEAST_FIT && v->gain >= LEAST_GAIN &&
	       (v->grouped >= MOST_GROUPED || v->gain >= CLEAR_GAIN ||
		       level->lone);
}

/* What the distances of a level are compared with. */
struct setting {
	struct partition around; /* of the CPUs: what to compare within */
	struct partition units, parents; /* of the units: level and around */
	struct square small; /* between the units, unless these are the CPUs */
	const struct square *square; /* the one to use */
	unsigned char *fits;	     /* [n_units] */
};

static void setting_init(struct setting *setting, const struct square *square,
	const struct levels *levels, size_t k, struct arena *arena)
{
	const struct partition *inner = inside(levels, k);

	setting->around = find_parents(levels, k, arena);
	setting->units =
		partition_lift(&levels->levels[k].partition, inner, arena);
	setting->parents = partition_lift(&setting->around, inner, arena);
	setting->square = inner ? &setting->small : square;
	if (inner)
		square_collapse(square, inner, &setting->small, arena);
	setting->fits = arena_take(arena, setting->units.n_units, 1);
}

/* Put the repaired partition into its level and into the outer levels. */
static void take_mended(struct levels *levels, size_t k,
	const struct partition *units, struct arena *arena)
{
	struct partition *own = &levels->levels[k].partition;
	const struct partition *inner = inside(levels, k);

	for (size_t i = 0; i < own->n_units; i++)
		own->group[i] = units->group[inner ? inner->group[i] : i];
	own->n_groups = units->n_groups;
	for (size_t m = k + 1; m < levels->n; m++)
		partition_contain(own, &levels->levels[m].partition, arena);
}

/* Measure the level, and again after a repair. True if there was one. */
static bool measure_mended(struct setting *setting, struct levels *levels,
	size_t k, struct arena *arena)
{
	struct visibility *visibility = &levels->levels[k].visibility;
	float first;

	*visibility = visible_measure(setting->square, &setting->units,
		&setting->parents, setting->fits, arena);
	if (levels->levels[k].lone ||
		!mend_partition(setting->square, &setting->units,
			&setting->parents, setting->fits, arena))
		return false;
	first = visibility->grouped;
	take_mended(levels, k, &setting->units, arena);
	*visibility = visible_measure(setting->square, &setting->units,
		&setting->parents, setting->fits, arena);
	/* Units that the repair took out did not fit. */
	if (visibility->grouped < first)
		visibility->fit *= visibility->grouped / first;
	return true;
}

/* Whether neither noise nor a step of the clock makes such a gain. */
static bool is_clear(const struct visibility *v, float step)
{
	return v->gain >= CLEAR_GAIN &&
	       v->between - v->inside >= LEAST_STEPS * step;
}

/* Join pairs that noise or the clock tore, in the outer levels, too. */
static void complete_pairs(
	const struct square *square, struct levels *levels, struct arena *arena)
{
	struct partition *own = &levels->levels[0].partition;
	struct partition families;

	if (levels->levels[0].lone || !pairs_only(own, arena))
		return;
	families = find_parents(levels, 0, arena);
	if (!pairs_complete(square, own, &families, arena))
		return;
	for (size_t m = 1; m < levels->n; m++)
		partition_contain(own, &levels->levels[m].partition, arena);
}

/* What is known of pairs besides: the odds of chance, and doubts. */
static void measure_pairs(const struct square *square, struct level *level,
	const struct partition *families, struct arena *arena)
{
	level->pairs = pairs_only(&level->partition, arena);
	level->mixed = pairs_mixed(&level->partition, arena);
	if (!level->pairs)
		return;
	level->doubtful = pairs_doubtful(square, &level->partition, families,
		is_clear(&level->visibility, square->step), arena);
	level->chance = fmin(level->chance,
		pairs_odds(square, &level->partition, families, arena));
}

/* True if the level was repaired. */
static bool measure(const struct square *square, struct levels *levels,
	size_t k, bool test_chance, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct level *level = &levels->levels[k];
	const struct partition *inner = inside(levels, k);
	struct setting setting;
	bool mended;

	if (!inner)
		complete_pairs(square, levels, arena);
	setting_init(&setting, square, levels, k, arena);
	mended = measure_mended(&setting, levels, k, arena);
	/* Dealing is slow, and a level that fails anyway does not need it. */
	level->chance = test_chance ? 1 : 0;
	/* No deal has a single pair. */
	if (test_chance && holds(level) &&
		!(level->lone && level->partition.n_groups + 1 == square->n))
		level->chance = chance_of(square, inner, &level->partition,
			&setting.around, level->visibility.gain >= CLEAR_GAIN,
			arena);
	/* Whatever CPUs say, a few units have few distances. */
	if (test_chance && inner && level->visibility.gain < CLEAR_GAIN)
		level->chance =
			fmax(level->chance, chance_of_so_few(&setting.units,
						    &setting.parents, arena));
	if (test_chance && !inner)
		measure_pairs(square, level, &setting.around, arena);
	for (size_t i = 0; i < square->n; i++)
		level->fits[i] = setting.fits[inner ? inner->group[i] : i];
	arena_back(arena, mark);
	return mended;
}

/*
 * Whether a level leaves units alone that may well belong to groups, too: those
 * of the innermost level if the others hardly stand out, or by no more than two
 * steps of the clock; and many groups of another.
 */
static bool is_ragged(
	const struct levels *levels, const struct level *level, float step)
{
	const struct visibility *v = &level->visibility;

	if (level > levels->levels)
		return v->grouped <= HOME_GROUPED;
	if (level->lone)
		return false;
	if (level->pairs)
		return level->doubtful;
	if (level->mixed && step > 0)
		return true;
	return v->grouped < 1 && !is_clear(v, step);
}

/*
 * The confidence: the share that fits, lowered by chance. Two pairs of four
 * CPUs are believed although chance makes them one time in five.
 */
static double confidence_of(
	const struct levels *levels, const struct level *level, float step)
{
	const struct visibility *v = &level->visibility;
	size_t n = level->partition.n_units;
	double weight, share;

	if (!holds(level))
		return 0;
	weight = v->grouped < 1 ? PARTIAL_WEIGHT : CHANCE_WEIGHT;
	if (level->pairs && !level->doubtful && v->grouped > HOME_GROUPED)
		weight = CHANCE_WEIGHT;
	if (v->gain < CLEAR_GAIN)
		weight += UNCLEAR_WEIGHT;
	share = fmax(0, 1 - level->chance * weight);
	if (level->lone)
		share = fmax(share, levels->n > 1 || n >= LONE_SURE_CPUS
					    ? LONE_CONFIDENCE
					    : LONE_DOUBT);
	if (is_ragged(levels, level, step))
		share *= RAGGED_DOUBT;
	return (double)v->fit * share;
}

/* Which groups have a CPU that fits: [n_groups]. */
static const bool *find_fitting(const struct level *level, struct arena *arena)
{
	const struct partition *partition = &level->partition;
	bool *fitting =
		arena_take(arena, partition->n_groups, sizeof(*fitting));

	for (size_t i = 0; i < partition->n_units; i++)
		fitting[partition->group[i]] |= level->fits[i] != 0;
	return fitting;
}

/*
 * Whether level k is but a part of the next: all its groups that join units and
 * fit are groups there, and what the next adds costs about as much inside.
 */
static bool is_partial(
	const struct levels *levels, size_t k, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct partition *own = &levels->levels[k].partition;
	const struct partition *inner = inside(levels, k);
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
	fitting = find_fitting(&levels->levels[k], arena);
	for (size_t i = 0; i < own->n_units && partial; i++) {
		size_t size = sizes[own->group[i]];

		partial = !fitting[own->group[i]] ||
			  size == next_sizes[next->group[i]] ||
			  size == (inner ? inner_sizes[inner->group[i]] : 1);
	}
	arena_back(arena, mark);
	return partial &&
	       levels->levels[k + 1].visibility.inside <=
		       LEVEL_SPAN * levels->levels[k].visibility.inside;
}

/* 1 or more if the level holds; below 1, how close it comes. */
static double worth(const struct level *level)
{
	return level->confidence > 0 ? 1 + level->confidence
				     : (double)(level->visibility.gain *
						level->visibility.fit);
}

void levels_drop(struct levels *levels, size_t k)
{
	levels->n--;
	memmove(&levels->levels[k], &levels->levels[k + 1],
		sizeof(*levels->levels) * (levels->n - k));
}

/*
 * Measure all levels. A repair of one changes what the levels inside are
 * compared within, so these are measured again, once.
 */
static void measure_all(const struct square *square, struct levels *levels,
	bool test_chance, struct arena *arena)
{
	bool mended = true;

	for (int pass = 0; pass < 2 && mended; pass++) {
		mended = false;
		for (size_t k = 0; k < levels->n; k++)
			mended |= measure(square, levels, k, test_chance,
					  arena) &&
				  k > 0;
	}
}

void levels_test(const struct square *square, bool test_chance,
	struct levels *levels, struct arena *arena)
{
	while (levels->n > 0) {
		size_t worst = 0, partial = 0;

		measure_all(square, levels, test_chance, arena);
		for (size_t k = 0; k < levels->n; k++) {
			struct level *level = &levels->levels[k];

			level->confidence =
				confidence_of(levels, level, square->step);
			if (worth(level) < worth(&levels->levels[worst]))
				worst = k;
		}
		while (partial < levels->n &&
			!is_partial(levels, partial, arena))
			partial++;
		if (partial < levels->n)
			worst = partial;
		else if (worth(&levels->levels[worst]) >= 1)
			break;
		levels_drop(levels, worst);
	}
}

void levels_find(const struct square *square, bool test_chance,
	struct levels *levels, struct arena *arena)
{
	struct finding finding = {
		.levels = levels, .n_cpus = square->n, .arena = arena};
	struct partition all;
	uint32_t *unit;

	levels->n = 0;
	/* Two CPUs have a single cell. */
	if (square->n < 3)
		return;
	unit = arena_take(arena, square->n, sizeof(*unit));
	for (size_t i = 0; i < square->n; i++)
		unit[i] = (uint32_t)i;
	partition_init(&all, square->n, arena);
	find_between(&finding, square, unit, &all);
	pairs_add(levels, square, arena);
	levels_test(square, test_chance, levels, arena);
	/* Pairs give way to a level of the tree with more, which may fail. */
	if (pairs_add(levels, square, arena))
		levels_test(square, test_chance, levels, arena);
}
