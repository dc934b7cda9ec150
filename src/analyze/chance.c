/*
 * If the CPUs that the numbers are said to belong to were not the CPUs that
 * ran (nothing was pinned, virtual CPUs moved, or all is noise), then any cell
 * could stand in any other's place. So the cells of each parent, less what
 * their rows have against everything, are dealt anew many times, and the same
 * search is run each time. A level that is there beats all of these; the low
 * cells of a machine whose threads moved make pairs as good as those found.
 *
 * Where few CPUs have a sibling, few low cells are few pairs, and may lie well
 * by chance. But a machine of unlike cores has unlike rows, which it could not
 * have if any cell could stand in any place. So for levels too clear to be
 * noise (clear) that counts as well.
 *
 * Cells are dealt between CPUs, not units: the medians of blocks then agree
 * with each other, and what is tested is that blocks differ at all. A large
 * machine is tested on a sample of whole groups.
 */
#include "analyze/chance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cut.h"
#include "analyze/visible.h"
#include "stat/stat.h"

/*
 * More deals for a small machine, where they cost nothing and where chance has
 * more to say: so many cells are dealt in all.
 */
#define TRIES_MAX 199
#define TRIES_MIN 49
#define DEALT	  2000000

/* The sample: so many groups, units of each, CPUs of a unit. */
#define GROUPS_MAX	  96
#define UNITS_MAX	  128
#define CPUS_PER_UNIT_MIN 2

/* The same deal every time: an analysis must not differ from its repeat. */
#define SEED 20150101

struct sample {
	struct square square;
	struct partition units, partition, parents; /* of the sample's CPUs */
	uint32_t *cpus;
	size_t n;
};

static void sample_release(struct sample *sample)
{
	square_release(&sample->square);
	partition_release(&sample->units);
	partition_release(&sample->partition);
	partition_release(&sample->parents);
	free(sample->cpus);
}

/* Walk the CPUs in random order and take those that there is room for. */
static int choose_cpus(struct sample *sample, const struct square *square,
	const struct partition *units, const struct partition *partition,
	struct stat_random *random, struct error *err)
{
	size_t n = square->n;
	size_t n_groups = partition->n_groups, kept = 0, most, per_unit_max;
	uint32_t *order = malloc(sizeof(*order) * n);
	uint32_t *per_unit = calloc(n, sizeof(*per_unit));
	uint32_t *per_group = calloc(n_groups + 1, sizeof(*per_group));
	unsigned char *open = calloc(n_groups + 1, 1);
	int rc = 0;

	sample->cpus = malloc(sizeof(*sample->cpus) * n);
	if (!order || !per_unit || !per_group || !open || !sample->cpus) {
		rc = error_no_memory(err, "a sample of CPUs");
		goto out;
	}
	stat_shuffle(random, order, n);
	for (size_t k = 0; k < n && kept < GROUPS_MAX; k++) {
		unsigned char *at = &open[partition->group[order[k]]];

		kept += !*at;
		*at = 1;
	}
	most = UNITS_MAX / (kept ? kept : 1);
	if (most < 4)
		most = 4;
	/* Few units: more CPUs of each, for medians as firm as the real. */
	per_unit_max = UNITS_MAX / (units ? units->n_groups : n);
	if (per_unit_max < CPUS_PER_UNIT_MIN)
		per_unit_max = CPUS_PER_UNIT_MIN;
	for (size_t k = 0; k < n; k++) {
		size_t i = order[k];
		size_t u = units ? units->group[i] : i;
		size_t g = partition->group[i];

		if (!open[g] || per_unit[u] >= per_unit_max ||
			(per_unit[u] == 0 && per_group[g] >= most))
			continue;
		per_group[g] += per_unit[u] == 0;
		per_unit[u]++;
		sample->cpus[sample->n++] = (uint32_t)i;
	}
out:
	free(order);
	free(per_unit);
	free(per_group);
	free(open);
	return rc;
}

static int restrict_partition(const struct sample *sample,
	const struct partition *whole, struct partition *part,
	struct error *err)
{
	int rc = partition_init(part, sample->n, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < sample->n; i++)
		part->group[i] =
			whole ? whole->group[sample->cpus[i]] : (uint32_t)i;
	return partition_number(part, err);
}

static int sample_init(struct sample *sample, const struct square *square,
	const struct partition *units, const struct partition *partition,
	const struct partition *parents, struct stat_random *random,
	struct error *err)
{
	int rc = choose_cpus(sample, square, units, partition, random, err);

	if (!rc)
		rc = square_init(&sample->square, sample->n, err);
	if (!rc)
		rc = restrict_partition(sample, units, &sample->units, err);
	if (!rc)
		rc = restrict_partition(
			sample, partition, &sample->partition, err);
	if (!rc)
		rc = restrict_partition(sample, parents, &sample->parents, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < sample->n; i++)
		for (size_t j = 0; j < sample->n; j++)
			sample->square.cost[i * sample->n + j] = square_at(
				square, sample->cpus[i], sample->cpus[j]);
	return 0;
}

/* A partition of CPUs as one of their units. */
static int lift(const struct partition *cpus, const struct partition *units,
	struct partition *lifted, struct error *err)
{
	int rc = partition_init(lifted, units->n_groups, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < cpus->n_units; i++)
		lifted->group[units->group[i]] = cpus->group[i];
	lifted->n_groups = cpus->n_groups;
	return 0;
}

/* What a partition has to show for itself: units that fit, times gain. */
static int score(const struct square *square, const struct partition *partition,
	const struct partition *parents, double *value, struct error *err)
{
	struct visibility visibility;
	int rc = visible_measure(
		square, partition, parents, &visibility, NULL, err);

	if (rc)
		return rc;
	*value = (double)visibility.grouped * (double)visibility.fit *
		 fmax(0, (double)visibility.gain);
	return 0;
}

/* Whether the cell of i and j is one to deal: of parent p, between units. */
static bool dealt(const struct sample *sample, uint32_t p, size_t i, size_t j)
{
	return sample->parents.group[i] == p && sample->parents.group[j] == p &&
	       sample->units.group[i] != sample->units.group[j] &&
	       !isnan(square_at(&sample->square, i, j));
}

static void shuffle_cells(float *cells, size_t n, struct stat_random *random)
{
	for (; n > 1; n--) {
		size_t other = (size_t)stat_random_below(random, n);
		float t = cells[n - 1];

		cells[n - 1] = cells[other];
		cells[other] = t;
	}
}

/*
 * Deal the cells between units of one parent anew, less what row[] says of
 * their rows, which stays where it is.
 */
static void deal(struct sample *sample, const float *row, float *cells,
	struct stat_random *random)
{
	float *cost = sample->square.cost;
	size_t n = sample->n;

	for (uint32_t p = 0; p < sample->parents.n_groups; p++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (dealt(sample, p, i, j))
					cells[count++] = cost[i * n + j] -
							 row[i] - row[j];
		shuffle_cells(cells, count, random);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (dealt(sample, p, i, j))
					cost[i * n + j] = cost[j * n + i] =
						fmaxf(0, cells[--count] +
								 row[i] +
								 row[j]);
	}
}

/*
 * What each CPU has against the others of its parent; returns the sum of what
 * they have, up or down. scratch[2 * n].
 */
static double find_rows(const struct sample *sample, float *row, float *scratch)
{
	size_t n = sample->n;
	double sum = 0;

	for (uint32_t p = 0; p < sample->parents.n_groups; p++) {
		size_t members = 0;
		float middle;

		for (size_t i = 0; i < n; i++) {
			size_t there = 0;

			if (sample->parents.group[i] != p)
				continue;
			for (size_t j = 0; j < n; j++)
				if (sample->parents.group[j] == p &&
					!isnan(square_at(
						&sample->square, i, j)))
					scratch[n + there++] = square_at(
						&sample->square, i, j);
			row[i] = there ? median_of(scratch + n, there) : 0;
			scratch[members++] = row[i];
		}
		middle = members ? median_of(scratch, members) : 0;
		for (size_t i = 0; i < n; i++)
			if (sample->parents.group[i] == p) {
				row[i] -= middle;
				sum += (double)fabsf(row[i]);
			}
	}
	return sum;
}

/* The share of deals in which rows differ as much as they do. */
static double chance_of_rows(struct sample *sample, double seen, size_t tries,
	float *row, float *cells, struct stat_random *random)
{
	size_t as_good = 0;

	for (size_t t = 0; t < tries; t++) {
		/* The rows are what is asked about: they are dealt as well. */
		memset(row, 0, sizeof(*row) * sample->n);
		deal(sample, row, cells, random);
		as_good += find_rows(sample, row, cells) >= seen;
	}
	return (1 + (double)as_good) / (1 + (double)tries);
}

int chance_of(const struct square *square, const struct partition *units,
	const struct partition *partition, const struct partition *parents,
	bool clear, double *share, struct error *err)
{
	struct sample sample = {0};
	struct partition above = {0}, own = {0};
	struct square small = {0};
	struct stat_random random;
	float *row = NULL, *cells = NULL;
	double seen = 0, rows;
	size_t as_good = 0, tries;
	int rc;

	stat_random_init(&random, SEED);
	rc = sample_init(
		&sample, square, units, partition, parents, &random, err);
	if (!rc)
		rc = lift(&sample.parents, &sample.units, &above, err);
	if (!rc)
		rc = lift(&sample.partition, &sample.units, &own, err);
	if (rc)
		goto out;
	row = malloc(sizeof(*row) * sample.n);
	cells = malloc(sizeof(*cells) * (sample.n * sample.n + 2 * sample.n));
	if (!row || !cells) {
		rc = error_no_memory(err, "the test by permutation");
		goto out;
	}
	rc = square_collapse(&sample.square, &sample.units, &small, err);
	if (!rc)
		rc = score(&small, &own, &above, &seen, err);
	tries = DEALT / (sample.n * sample.n);
	tries = tries > TRIES_MAX ? TRIES_MAX : tries;
	tries = tries < TRIES_MIN ? TRIES_MIN : tries;
	rows = find_rows(&sample, row, cells);
	for (size_t t = 0; !rc && t < tries; t++) {
		struct partition found = {0};
		double value = 0;
		bool any;

		square_release(&small);
		deal(&sample, row, cells, &random);
		rc = square_collapse(
			&sample.square, &sample.units, &small, err);
		if (!rc)
			rc = cut_best(&small, &above, &found, &any, err);
		if (!rc && any)
			rc = score(&small, &found, &above, &value, err);
		as_good += value >= seen;
		partition_release(&found);
	}
	*share = (1 + (double)as_good) / (1 + (double)tries);
	if (as_good > 0 && clear) {
		double both = *share * chance_of_rows(&sample, rows, tries, row,
					       cells, &random);

		/* Fisher's combination of two tests. */
		*share = fmin(*share, both * (1 - log(both)));
	}
out:
	free(row);
	free(cells);
	square_release(&small);
	partition_release(&above);
	partition_release(&own);
	sample_release(&sample);
	return rc;
}
