/*
 * If the CPUs that the numbers are said to belong to were not the CPUs that
 * ran (nothing was pinned, virtual CPUs moved, or all is noise), then any cell
 * could stand in any other's place. So the cells of each parent are dealt anew
 * many times, and the same search is run each time. A level that is there beats
 * all of these; the low cells of a machine whose threads moved make pairs as
 * good as those found.
 *
 * Twice: as they are, and less what their rows have against everything, which
 * then stays where it is. Rows alone make soft blocks, so a level must beat
 * what they do. But where cells are of two levels, half and half, the median of
 * a row is one or the other by chance, and rows made of that scatter what is
 * dealt; so a level must beat deals without rows as well.
 *
 * Where few CPUs have a sibling, few low cells are few pairs, and may lie well
 * by chance. But cores without siblings are cores of another kind, whose rows
 * lie apart from those of the others, which they could not if any cell could
 * stand in any place. So for levels too clear to be noise (clear) that counts
 * as well.
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
 * more to say: so many cells are dealt either way.
 */
#define TRIES_MAX 499
#define TRIES_MIN 49
#define DEALT	  1500000

/* The sample: so many groups, units of each, CPUs of a unit. */
#define GROUPS_MAX	  96
#define UNITS_MAX	  128
#define CPUS_PER_UNIT_MIN 2

/* Fewer units alone than this are an accident, not a kind of core. */
#define LEAST_OF_KIND 2

/* The same deal every time: an analysis must not differ from its repeat. */
#define SEED 20150101

struct sample {
	struct square square; /* as dealt last */
	struct square real;
	struct partition units, partition, parents; /* of the sample's CPUs */
	uint32_t *cpus;
	size_t n;
};

static void sample_release(struct sample *sample)
{
	square_release(&sample->square);
	square_release(&sample->real);
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
		rc = square_init(&sample->real, sample->n, err);
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
			sample->square.cost[i * sample->n + j] =
				sample->real.cost[i * sample->n + j] =
					square_at(square, sample->cpus[i],
						sample->cpus[j]);
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
	       !isnan(square_at(&sample->real, i, j));
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

static float both_rows(const float *row, size_t i, size_t j)
{
	return row ? row[i] + row[j] : 0;
}

/*
 * Deal the cells between units of one parent anew, less what row[] says of
 * their rows, which stays where it is; row may be NULL.
 */
static void deal(struct sample *sample, const float *row, float *cells,
	struct stat_random *random)
{
	const float *real = sample->real.cost;
	float *cost = sample->square.cost;
	size_t n = sample->n;

	for (uint32_t p = 0; p < sample->parents.n_groups; p++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (dealt(sample, p, i, j))
					cells[count++] = real[i * n + j] -
							 both_rows(row, i, j);
		shuffle_cells(cells, count, random);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (dealt(sample, p, i, j))
					cost[i * n + j] = cost[j * n + i] =
						fmaxf(0, cells[--count] +
								 both_rows(row,
									 i, j));
	}
}

/* What each CPU has against the others of its parent. */
static void find_rows(const struct sample *sample, float *row, float *scratch)
{
	size_t n = sample->n;

	for (uint32_t p = 0; p < sample->parents.n_groups; p++) {
		size_t members = 0;
		float middle;

		for (size_t i = 0; i < n; i++) {
			size_t there = 0;

			if (sample->parents.group[i] != p)
				continue;
			for (size_t j = 0; j < n; j++)
				if (sample->parents.group[j] == p &&
					!isnan(square_at(&sample->real, i, j)))
					scratch[n + there++] =
						square_at(&sample->real, i, j);
			row[i] = there ? median_of(scratch + n, there) : 0;
			scratch[members++] = row[i];
		}
		middle = members ? median_of(scratch, members) : 0;
		for (size_t i = 0; i < n; i++)
			if (sample->parents.group[i] == p)
				row[i] -= middle;
	}
}

/*
 * The middle of values[n], which is reordered: Tukey's trimean, since a median
 * is blind where half of the cells are of one kind and half of another.
 */
static float trimean(float *values, size_t n)
{
	return (quantile_of(values, n, 0.25) + 2 * median_of(values, n) +
		       quantile_of(values, n, 0.75)) /
	       4;
}

/*
 * How far units alone lie from those in groups: the difference of their median
 * rows, without what is inside groups. cells[3 * n].
 */
static float contrast(const struct square *square,
	const struct partition *partition, const struct partition *above,
	const unsigned char *alone, float *cells)
{
	size_t n = square->n, rows[2] = {0, 0};
	float *kinds[2] = {cells, cells + n}, *scratch = cells + 2 * n;

	for (size_t u = 0; u < n; u++) {
		size_t count = 0;

		for (size_t v = 0; v < n; v++)
			if (partition->group[u] != partition->group[v] &&
				above->group[u] == above->group[v] &&
				!isnan(square_at(square, u, v)))
				scratch[count++] = square_at(square, u, v);
		if (count > 0)
			kinds[alone[u]][rows[alone[u]]++] =
				trimean(scratch, count);
	}
	return fabsf(
		median_of(kinds[0], rows[0]) - median_of(kinds[1], rows[1]));
}

/* What is asked of the deals: how many show as much as was seen? */
struct question {
	struct sample *sample;
	const struct partition *own, *above; /* of the sample's units */
	const unsigned char *alone;	     /* [n units], NULL: no kinds */
	double seen;
	float kinds;
	float *cells;
};

/* The shares of deals that show a partition and kinds as good as those seen. */
static int ask(struct question *question, const float *row, size_t tries,
	struct stat_random *random, double *share, double *kinds,
	struct error *err)
{
	struct sample *sample = question->sample;
	size_t as_good = 0, as_unlike = 0;
	int rc = 0;

	for (size_t t = 0; !rc && t < tries; t++) {
		struct partition found = {0};
		struct square small = {0};
		double value = 0;
		bool any;

		deal(sample, row, question->cells, random);
		rc = square_collapse(
			&sample->square, &sample->units, &small, err);
		if (!rc)
			rc = cut_best(
				&small, question->above, &found, &any, err);
		if (!rc && any)
			rc = score(
				&small, &found, question->above, &value, err);
		as_good += value >= question->seen;
		if (!rc && question->alone)
			as_unlike +=
				contrast(&small, question->own, question->above,
					question->alone,
					question->cells) >= question->kinds;
		partition_release(&found);
		square_release(&small);
	}
	*share = (1 + (double)as_good) / (1 + (double)tries);
	*kinds = question->alone ? (1 + (double)as_unlike) / (1 + (double)tries)
				 : 1;
	return rc;
}

/* Which units are alone in their group; false when hardly any or most are. */
static bool find_alone(const struct partition *own, unsigned char *alone)
{
	size_t n = own->n_units, n_alone = 0;

	memset(alone, 1, n);
	for (size_t u = 0; u < n; u++)
		for (size_t v = 0; v < u; v++)
			if (own->group[u] == own->group[v])
				alone[u] = alone[v] = 0;
	for (size_t u = 0; u < n; u++)
		n_alone += alone[u];
	return n_alone >= LEAST_OF_KIND && n - n_alone >= 2 * LEAST_OF_KIND;
}

/*
 * The larger of two shares: a level must beat deals that leave rows as they
 * are, for rows alone make soft blocks, and deals that do not, for what looks
 * like a row may be chance as well.
 */
static int chance_of_sample(struct question *question, size_t tries, bool clear,
	float *row, struct stat_random *random, double *share,
	struct error *err)
{
	double with_rows, without, kinds;
	int rc;

	find_rows(question->sample, row, question->cells);
	rc = ask(question, row, tries, random, &with_rows, &kinds, err);
	if (!rc)
		rc = ask(question, NULL, tries, random, &without, &kinds, err);
	if (rc)
		return rc;
	*share = fmax(with_rows, without);
	if (clear && question->alone) {
		double both = *share * kinds;

		/* Fisher's combination of two tests. */
		*share = fmin(*share, both * (1 - log(both)));
	}
	return 0;
}

int chance_of(const struct square *square, const struct partition *units,
	const struct partition *partition, const struct partition *parents,
	bool clear, double *share, struct error *err)
{
	struct sample sample = {0};
	struct partition above = {0}, own = {0};
	struct square small = {0};
	struct stat_random random;
	struct question question = {
		.sample = &sample, .own = &own, .above = &above};
	unsigned char *alone = NULL;
	float *row = NULL;
	size_t tries;
	int rc;

	stat_random_init(&random, SEED);
	rc = sample_init(
		&sample, square, units, partition, parents, &random, err);
	if (!rc)
		rc = lift(&sample.parents, &sample.units, &above, err);
	if (!rc)
		rc = lift(&sample.partition, &sample.units, &own, err);
	if (!rc)
		rc = square_collapse(&sample.real, &sample.units, &small, err);
	if (rc)
		goto out;
	row = malloc(sizeof(*row) * (sample.n + 1));
	alone = malloc(sample.n + 1);
	question.cells = malloc(
		sizeof(*question.cells) * (sample.n * (sample.n + 3) + 1));
	if (!row || !alone || !question.cells) {
		rc = error_no_memory(err, "the test by permutation");
		goto out;
	}
	if (find_alone(&own, alone)) {
		question.alone = alone;
		question.kinds =
			contrast(&small, &own, &above, alone, question.cells);
	}
	rc = score(&small, &own, &above, &question.seen, err);
	tries = DEALT / (sample.n * sample.n);
	tries = tries > TRIES_MAX ? TRIES_MAX : tries;
	tries = tries < TRIES_MIN ? TRIES_MIN : tries;
	if (!rc)
		rc = chance_of_sample(
			&question, tries, clear, row, &random, share, err);
out:
	free(row);
	free(alone);
	free(question.cells);
	square_release(&small);
	partition_release(&above);
	partition_release(&own);
	sample_release(&sample);
	return rc;
}
