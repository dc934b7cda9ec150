/*
 * Levels are found by dividing and collapsing, then tested.
 *
 * Finding: the partition that stands out most is taken; its groups are divided
 * further in the same way, and, collapsed to units whose costs are medians of
 * blocks, joined to larger ones. That gives a chain of nested candidates
 * whichever level is the most prominent.
 *
 * Testing: every candidate is measured between its neighbours in the chain
 * (visible.c); the worst that fails leaves the chain, and the rest is measured
 * again, until all that is left holds.
 */
#include "analyze/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/chance.h"
#include "analyze/cut.h"
#include "analyze/mend.h"

#define LEAST_FIT 0.80F

/* What there must be to compare with: groups count half of it, units one. */
#define LEAST_AROUND 6

/* Most units. */
#define MOST_GROUPED 0.5F

/* A gain that no noise makes. */
#define CLEAR_GAIN 0.4F

/*
 * How much chance weighs against a partition. Where every unit is in a group,
 * as on a machine whose groups are all alike, chance is what it says. One that
 * leaves units alone is what threads on wrong CPUs leave behind as well, and is
 * believed only if chance makes it less than one time in twenty; the same holds
 * for a gain that could be noise.
 */
#define CHANCE_WEIGHT  1
#define PARTIAL_WEIGHT 10
#define UNCLEAR_WEIGHT 10

void levels_release(struct levels *levels)
{
	for (size_t k = 0; k < levels->n; k++) {
		partition_release(&levels->levels[k].partition);
		free(levels->levels[k].fits);
	}
	free(levels->levels);
	levels->levels = NULL;
	levels->n = 0;
}

/* Append a partition of units as one of CPUs: unit[cpu] says where one is. */
static int append(struct levels *levels, const struct partition *partition,
	const uint32_t *unit, size_t n_cpus, struct error *err)
{
	struct level *level = &levels->levels[levels->n];
	int rc;

	memset(level, 0, sizeof(*level));
	rc = partition_init(&level->partition, n_cpus, err);
	if (rc)
		return rc;
	levels->n++;
	level->fits = malloc(n_cpus);
	if (!level->fits)
		return error_no_memory(err, "a level");
	for (size_t i = 0; i < n_cpus; i++)
		level->partition.group[i] = partition->group[unit[i]];
	level->partition.n_groups = partition->n_groups;
	return 0;
}

struct finding {
	struct levels *levels;
	size_t n_cpus;
};

/* All levels between the units of square and their parents. */
static int find_between(struct finding *finding, const struct square *square,
	const uint32_t *unit, const struct partition *parents,
	struct error *err)
{
	struct partition found = {0}, above = {0};
	struct square small = {0};
	uint32_t *group = NULL;
	bool any;
	int rc;

	rc = cut_best(square, parents, &found, &any, err);
	if (rc || !any || finding->levels->n + 1 >= LEVELS_MAX)
		goto out;
	rc = find_between(finding, square, unit, &found, err);
	if (rc || finding->levels->n >= LEVELS_MAX)
		goto out;
	rc = append(finding->levels, &found, unit, finding->n_cpus, err);
	if (rc)
		goto out;
	rc = square_collapse(square, &found, &small, err);
	if (!rc)
		rc = partition_init(&above, found.n_groups, err);
	group = calloc(finding->n_cpus, sizeof(*group));
	if (!rc && !group)
		rc = error_no_memory(err, "the groups of CPUs");
	if (rc)
		goto out;
	for (size_t u = 0; u < square->n; u++)
		above.group[found.group[u]] = parents->group[u];
	above.n_groups = parents->n_groups;
	for (size_t i = 0; i < finding->n_cpus; i++)
		group[i] = found.group[unit[i]];
	rc = find_between(finding, &small, group, &above, err);
out:
	free(group);
	square_release(&small);
	partition_release(&above);
	partition_release(&found);
	return rc;
}

/* The partition of one level in units of the level inside it. */
static int in_units(const struct partition *cpus, const struct partition *inner,
	struct partition *units, struct error *err)
{
	int rc = partition_init(
		units, inner ? inner->n_groups : cpus->n_units, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < cpus->n_units; i++)
		units->group[inner ? inner->group[i] : i] = cpus->group[i];
	units->n_groups = cpus->n_groups;
	return 0;
}

/*
 * How many of the units of inner (CPUs where it is NULL) each group of
 * partition has; units[n CPUs].
 */
static void count_units(const struct partition *partition,
	const struct partition *inner, unsigned char *seen, uint32_t *units)
{
	size_t n = partition->n_units;

	memset(units, 0, sizeof(*units) * n);
	memset(seen, 0, n);
	for (size_t i = 0; i < n; i++) {
		size_t u = inner ? inner->group[i] : i;

		units[partition->group[i]] += !seen[u];
		seen[u] = 1;
	}
}

/*
 * What the groups of level k are compared within: for each CPU the innermost
 * group further out with two groups of level k that have several units, or one
 * and some single units, or the whole machine. (Where one kind of core has a
 * level more than another, not every group grows at every level. With nothing
 * but one or two units around, anything looks like a group.)
 */
static int find_parents(const struct levels *levels, size_t k,
	struct partition *parents, struct error *err)
{
	const struct partition *own = &levels->levels[k].partition;
	const struct partition *inner =
		k > 0 ? &levels->levels[k - 1].partition : NULL;
	size_t n = own->n_units;
	uint32_t *units = malloc(sizeof(*units) * 2 * n);
	unsigned char *seen = malloc(n);
	int rc = partition_init(parents, n, err);

	if (!rc && (!units || !seen))
		rc = error_no_memory(err, "the sizes of groups");
	if (rc)
		goto out;
	count_units(own, inner, seen, units);
	for (size_t m = levels->n; m-- > k + 1;) {
		const struct partition *outer = &levels->levels[m].partition;
		uint32_t *around = units + n;

		memset(around, 0, sizeof(*around) * n);
		memset(seen, 0, n);
		for (size_t i = 0; i < n; i++) {
			size_t g = own->group[i];

			if (!seen[g])
				around[outer->group[i]] +=
					units[g] > 1 ? LEAST_AROUND / 2 : 1;
			seen[g] = 1;
		}
		for (size_t i = 0; i < n; i++)
			if (around[outer->group[i]] >= LEAST_AROUND)
				parents->group[i] = (uint32_t)((m - k) * n) +
						    outer->group[i];
	}
	rc = partition_number(parents, err);
out:
	free(units);
	free(seen);
	return rc;
}

/* Make every group of outer a union of groups of inner. */
static int contain(const struct partition *inner, struct partition *outer,
	struct error *err)
{
	uint32_t *seen = malloc(sizeof(*seen) * inner->n_groups);

	if (!seen)
		return error_no_memory(err, "levels");
	for (size_t g = 0; g < inner->n_groups; g++)
		seen[g] = UINT32_MAX;
	for (size_t i = 0; i < inner->n_units; i++) {
		uint32_t *at = &seen[inner->group[i]];
		uint32_t other = outer->group[i];

		if (*at == UINT32_MAX)
			*at = other;
		if (*at == other)
			continue;
		/* Rare: only what was mended gets here. */
		for (size_t j = 0; j < outer->n_units; j++)
			if (outer->group[j] == other)
				outer->group[j] = *at;
		for (size_t g = 0; g < inner->n_groups; g++)
			if (seen[g] == other)
				seen[g] = *at;
	}
	free(seen);
	return partition_number(outer, err);
}

/* A level that leaves most units alone must be a clear one. */
static bool holds(const struct visibility *v)
{
	return v->fit >= LEAST_FIT && v->gain >= LEAST_GAIN &&
	       (v->grouped >= MOST_GROUPED || v->gain >= CLEAR_GAIN);
}

/* What a level is measured on. */
struct setting {
	struct partition around; /* of the CPUs: what to compare within */
	struct partition units, parents; /* of the units: level and around */
	struct square small; /* between the units, unless these are the CPUs */
	const struct square *square; /* the one to use */
	unsigned char *fits;	     /* [n_units] */
};

static void setting_release(struct setting *setting)
{
	partition_release(&setting->around);
	partition_release(&setting->units);
	partition_release(&setting->parents);
	square_release(&setting->small);
	free(setting->fits);
}

static int setting_init(struct setting *setting, const struct square *square,
	const struct levels *levels, size_t k, struct error *err)
{
	const struct partition *inner =
		k > 0 ? &levels->levels[k - 1].partition : NULL;
	int rc = find_parents(levels, k, &setting->around, err);

	if (!rc)
		rc = in_units(&levels->levels[k].partition, inner,
			&setting->units, err);
	if (!rc)
		rc = in_units(&setting->around, inner, &setting->parents, err);
	if (!rc && inner)
		rc = square_collapse(square, inner, &setting->small, err);
	if (rc)
		return rc;
	setting->square = inner ? &setting->small : square;
	setting->fits = malloc(setting->units.n_units);
	if (!setting->fits)
		return error_no_memory(err, "the test of a level");
	return 0;
}

/* Take the mended partition over, here and into the levels further out. */
static int take_mended(struct levels *levels, size_t k,
	const struct partition *units, struct error *err)
{
	struct partition *own = &levels->levels[k].partition;
	const uint32_t *unit =
		k > 0 ? levels->levels[k - 1].partition.group : NULL;
	int rc = 0;

	for (size_t i = 0; i < own->n_units; i++)
		own->group[i] = units->group[unit ? unit[i] : i];
	own->n_groups = units->n_groups;
	for (size_t m = k + 1; !rc && m < levels->n; m++)
		rc = contain(own, &levels->levels[m].partition, err);
	return rc;
}

/* Measure the level, and once more if anything had to be mended. */
static int measure_mended(struct setting *setting, struct levels *levels,
	size_t k, struct error *err)
{
	struct visibility *visibility = &levels->levels[k].visibility;
	bool mended = false;
	float first;
	int rc = visible_measure(setting->square, &setting->units,
		&setting->parents, visibility, setting->fits, err);

	first = visibility->grouped;
	if (!rc)
		rc = mend_partition(setting->square, &setting->units,
			&setting->parents, setting->fits, &mended, err);
	if (rc || !mended)
		return rc;
	rc = take_mended(levels, k, &setting->units, err);
	if (!rc)
		rc = visible_measure(setting->square, &setting->units,
			&setting->parents, visibility, setting->fits, err);
	/* What had to be taken out did not fit. */
	if (!rc && visibility->grouped < first)
		visibility->fit *= visibility->grouped / first;
	return rc;
}

static int measure(const struct square *square, struct levels *levels, size_t k,
	bool test_chance, struct error *err)
{
	struct level *level = &levels->levels[k];
	const struct partition *inner =
		k > 0 ? &levels->levels[k - 1].partition : NULL;
	struct setting setting = {0};
	int rc = setting_init(&setting, square, levels, k, err);

	if (!rc)
		rc = measure_mended(&setting, levels, k, err);
	if (rc)
		goto out;
	/* Shuffling is dear, and what fails anyway needs none. */
	level->chance = test_chance ? 1 : 0;
	if (test_chance && holds(&level->visibility))
		rc = chance_of(square, inner, &level->partition,
			&setting.around, level->visibility.gain >= CLEAR_GAIN,
			&level->chance, err);
	for (size_t i = 0; i < square->n; i++)
		level->fits[i] = setting.fits[inner ? inner->group[i] : i];
out:
	setting_release(&setting);
	return rc;
}

static void drop(struct levels *levels, size_t k)
{
	partition_release(&levels->levels[k].partition);
	free(levels->levels[k].fits);
	levels->n--;
	memmove(&levels->levels[k], &levels->levels[k + 1],
		sizeof(*levels->levels) * (levels->n - k));
}

/*
 * How sure: the share that fits, and chance is held against it. Two pairs of
 * four CPUs are believed although chance makes it one time in five.
 */
static double confidence_of(const struct level *level)
{
	const struct visibility *v = &level->visibility;
	double weight;

	if (!holds(v))
		return 0;
	weight = v->grouped < 1 ? PARTIAL_WEIGHT : CHANCE_WEIGHT;
	if (v->gain < CLEAR_GAIN)
		weight += UNCLEAR_WEIGHT;
	return (double)v->fit * fmax(0, 1 - level->chance * weight);
}

/* 1 and more for what holds; below, how far it is from holding. */
static double worth(const struct level *level)
{
	return level->confidence > 0 ? 1 + level->confidence
				     : (double)(level->visibility.gain *
						level->visibility.fit);
}

int levels_find(const struct square *square, bool test_chance,
	struct levels *levels, struct error *err)
{
	struct finding finding = {.levels = levels, .n_cpus = square->n};
	struct partition all = {0};
	uint32_t *unit = NULL;
	int rc;

	levels->n = 0;
	levels->levels = NULL;
	/* Two CPUs have one cell. */
	if (square->n < 3)
		return 0;
	levels->levels = malloc(sizeof(*levels->levels) * LEVELS_MAX);
	unit = calloc(square->n, sizeof(*unit));
	if (!levels->levels || !unit) {
		rc = error_no_memory(err, "levels");
		goto out;
	}
	for (size_t i = 0; i < square->n; i++)
		unit[i] = (uint32_t)i;
	rc = partition_init(&all, square->n, err);
	if (!rc)
		rc = find_between(&finding, square, unit, &all, err);
	while (!rc && levels->n > 0) {
		size_t worst = 0;

		for (size_t k = 0; !rc && k < levels->n; k++) {
			struct level *level = &levels->levels[k];

			rc = measure(square, levels, k, test_chance, err);
			level->confidence = confidence_of(level);
			if (worth(level) < worth(&levels->levels[worst]))
				worst = k;
		}
		if (rc || worth(&levels->levels[worst]) >= 1)
			break;
		drop(levels, worst);
	}
out:
	free(unit);
	partition_release(&all);
	return rc;
}
