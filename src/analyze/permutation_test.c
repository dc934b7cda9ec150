/*
 * If the named CPUs were not the ones that ran (nothing was pinned, vCPUs
 * moved, or all is noise), any cell could stand in the place of any other. So
 * the cells of each parent are dealt anew many times, and each deal is searched
 * in the same way. A real level beats all deals. The low cells of a machine
 * whose threads moved make pairs as good as those found.
 *
 * There are two kinds of deals: of the cells as they are, and of the cells less
 * the offsets of their rows, which stay in place. Rows alone make soft blocks,
 * so a level must beat deals that keep rows. But if half of the cells are of
 * one level and half of another, the median of a row is one or the other by
 * chance, and these offsets scatter the deals. So a level must also beat deals
 * without rows.
 *
 * If few CPUs have a sibling, a few low cells may form pairs by chance. But
 * cores without siblings are cores of another kind: their rows differ from
 * those of other cores, and chance does not make that. For levels too clear to
 * be noise (clear), this counts as well.
 *
 * Cells are dealt between CPUs, not units. The medians of blocks then agree
 * with each other, and the question is whether blocks differ at all. A large
 * machine is tested on a sample of whole groups.
 */
#include "analyze/steps.h"

#include <string.h>

#include "stat/stat.h"

/*
 * A small machine gets more deals: they cost little there, and chance explains
 * more. So many cells are dealt in all.
 */
#define TRIES_MAX 499
#define TRIES_MIN 49
#define DEALT	  1500000

/* The size of the sample: groups, units of a group, CPUs of a unit. */
#define GROUPS_MAX	  96
#define UNITS_MAX	  128
#define CPUS_PER_UNIT_MIN 2

/* The logarithm of odds that need not be known any better. */
#define LEAST_ODDS (-20)

/* Fewer single units than this are an accident, not a kind of core. */
#define LEAST_OF_KIND 2

/* A fixed seed: repeating an analysis must not change it. */
#define SEED 20150101

struct sample {
	struct square square; /* as dealt last */
	struct square real;
	struct partition units, partition, parents; /* of the sample's CPUs */
	uint32_t *cpus;
	size_t n;
};

static size_t at_least(size_t value, size_t least)
{
	return value < least ? least : value;
}

/* Walk the CPUs in random order and take those that fit the sample. */
static void choose_cpus(struct sample *sample, const struct partition *units,
	const struct partition *partition, struct stat_random *random,
	struct arena *arena)
{
	size_t n = partition->n_units, n_groups = partition->n_groups;
	size_t kept = 0, most, per_unit_max;
	uint32_t *order = arena_take(arena, n, sizeof(*order));
	uint32_t *per_unit = arena_take(arena, n, sizeof(*per_unit));
	uint32_t *per_group = arena_take(arena, n_groups, sizeof(*per_group));
	bool *open = arena_take(arena, n_groups, sizeof(*open));

	sample->cpus = arena_take(arena, n, sizeof(*sample->cpus));
	stat_shuffle(random, order, n);
	for (size_t k = 0; k < n && kept < GROUPS_MAX; k++) {
		bool *at = &open[partition->group[order[k]]];

		kept += !*at;
		*at = true;
	}
	most = at_least(UNITS_MAX / at_least(kept, 1), 4);
	/*
	 * With few units take more CPUs of each: medians as firm as the real
	 * ones.
	 */
	per_unit_max =
		at_least(UNITS_MAX / at_least(units ? units->n_groups : n, 1),
			CPUS_PER_UNIT_MIN);
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
}

/* A partition of the sample's CPUs. Without whole, each CPU is a group. */
static struct partition restrict_partition(const struct sample *sample,
	const struct partition *whole, struct arena *arena)
{
	struct partition part;

	partition_init(&part, sample->n, arena);
	for (size_t i = 0; i < sample->n; i++)
		part.group[i] =
			whole ? whole->group[sample->cpus[i]] : (uint32_t)i;
	partition_number(&part, arena);
	return part;
}

static void fill_squares(
	struct sample *sample, const struct square *square, struct arena *arena)
{
	size_t n = sample->n;

	square_init(&sample->square, n, arena);
	sample->square.step = square->step;
	square_init(&sample->real, n, arena);
	sample->real.step = square->step;
	for (size_t k = 0; k < n * n; k++)
		sample->square.cost[k] = sample->real.cost[k] = square_at(
			square, sample->cpus[k / n], sample->cpus[k % n]);
}

/* The score of a partition: the share of units that fit, times the gain. */
static double score(const struct square *square,
	const struct partition *partition, const struct partition *parents,
	struct arena *arena)
{
	struct visibility visibility =
		visible_measure(square, partition, parents, NULL, arena);

	return (double)visibility.grouped * (double)visibility.fit *
	       fmax(0, (double)visibility.gain);
}

/* Whether the cell (i, j) is dealt: it lies in parent p and between units. */
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
 * Deal the cells between units of one parent anew. What row[] says about their
 * rows stays in place; row may be NULL.
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

/* The offset of each CPU from the others of its parent. */
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
				if (sample->parents.group[j] == p)
					append_known(scratch + n, &there,
						square_at(&sample->real, i, j));
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
 * How far single units lie from those in groups: the difference of their median
 * rows, without the cells inside groups. cells[3 * n].
 */
static float contrast(const struct square *square,
	const struct partition *partition, const struct partition *above,
	const bool *alone, float *cells)
{
	size_t n = square->n, rows[2] = {0, 0};
	float *kinds[2] = {cells, cells + n}, *scratch = cells + 2 * n;

	for (size_t u = 0; u < n; u++) {
		size_t count = 0;

		for (size_t v = 0; v < n; v++)
			if (partition->group[u] != partition->group[v] &&
				above->group[u] == above->group[v])
				append_known(scratch, &count,
					square_at(square, u, v));
		if (count > 0)
			kinds[alone[u]][rows[alone[u]]++] =
				trimean_of(scratch, count);
	}
	return fabsf(
		median_of(kinds[0], rows[0]) - median_of(kinds[1], rows[1]));
}

/* The question: how many deals show as much as the real cells? */
struct question {
	struct sample *sample;
	struct partition own, above; /* of the sample's units */
	const bool *alone;	     /* [n units], NULL: no kinds */
	double seen;
	float kinds;
	float *cells, *row;
	size_t tries;
	struct stat_random random;
};

/*
 * The shares of deals that show a partition and kinds as good as the real ones.
 * row: offsets that stay in place, or NULL.
 */
static void ask_deals(struct question *question, const float *row,
	double *share, double *kinds, struct arena *arena)
{
	struct sample *sample = question->sample;
	size_t as_good = 0, as_unlike = 0;
	double all = 1 + (double)question->tries;

	for (size_t t = 0; t < question->tries; t++) {
		const struct arena_block *mark = arena->last;
		struct partition found;
		struct square small;
		double value = 0;

		deal(sample, row, question->cells, &question->random);
		square_collapse(&sample->square, &sample->units, &small, arena);
		if (cut_best(&small, &question->above, &found, arena))
			value = score(&small, &found, &question->above, arena);
		as_good += value >= question->seen;
		if (question->alone)
			as_unlike +=
				contrast(&small, &question->own,
					&question->above, question->alone,
					question->cells) >= question->kinds;
		arena_back(arena, mark);
	}
	*share = (1 + (double)as_good) / all;
	*kinds = question->alone ? (1 + (double)as_unlike) / all : 1;
}

/* Which units are alone in their group; NULL if hardly any or most are. */
static bool *find_alone(const struct partition *own, struct arena *arena)
{
	size_t n = own->n_units, n_alone = 0;
	bool *alone = arena_take(arena, n, sizeof(*alone));
	const uint32_t *sizes = partition_sizes(own, arena);

	for (size_t u = 0; u < n; u++) {
		alone[u] = sizes[own->group[u]] == 1;
		n_alone += alone[u];
	}
	return n_alone >= LEAST_OF_KIND && n - n_alone >= 2 * LEAST_OF_KIND
		       ? alone
		       : NULL;
}

/*
 * The larger of two shares. A level must beat deals that keep the rows, because
 * rows alone make soft blocks. It must also beat deals that do not, because
 * what looks like a row may be chance.
 */
static double chance_of_sample(
	struct question *question, bool clear, struct arena *arena)
{
	double with_rows, without, kinds, share, both;

	find_rows(question->sample, question->row, question->cells);
	ask_deals(question, question->row, &with_rows, &kinds, arena);
	ask_deals(question, NULL, &without, &kinds, arena);
	share = fmax(with_rows, without);
	both = share * kinds;
	/* Fisher's combination of two tests. */
	if (clear && question->alone)
		share = fmin(share, both * (1 - log(both)));
	return share;
}

double chance_of(const struct square *square, const struct partition *units,
	const struct partition *partition, const struct partition *parents,
	bool clear, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct sample sample = {0};
	struct question question = {.sample = &sample};
	struct square small;
	double share;
	size_t n;

	stat_random_init(&question.random, SEED);
	choose_cpus(&sample, units, partition, &question.random, arena);
	fill_squares(&sample, square, arena);
	sample.units = restrict_partition(&sample, units, arena);
	sample.partition = restrict_partition(&sample, partition, arena);
	sample.parents = restrict_partition(&sample, parents, arena);
	question.above = partition_lift(&sample.parents, &sample.units, arena);
	question.own = partition_lift(&sample.partition, &sample.units, arena);
	square_collapse(&sample.real, &sample.units, &small, arena);
	n = sample.n;
	question.row = arena_take(arena, n, sizeof(float));
	question.cells = arena_take(arena, n * (n + 3), sizeof(float));
	question.alone = find_alone(&question.own, arena);
	if (question.alone)
		question.kinds = contrast(&small, &question.own,
			&question.above, question.alone, question.cells);
	question.seen = score(&small, &question.own, &question.above, arena);
	question.tries = at_least(DEALT / (n * n), TRIES_MIN);
	if (question.tries > TRIES_MAX)
		question.tries = TRIES_MAX;
	share = chance_of_sample(&question, clear, arena);
	arena_back(arena, mark);
	return share;
}

/* The logarithm of the number of ways to choose k of n. */
static double log_ways(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The logarithm of the odds of one family, which has so many units. */
static double log_odds(const uint32_t *sizes, size_t n_groups, double n)
{
	double ways = lgamma(n + 1), inside = 0;

	for (size_t g = 0; g < n_groups; g++) {
		double size = sizes[g], alike = 0;

		for (size_t h = 0; h <= g; h++)
			alike += sizes[h] == sizes[g] && sizes[g] > 0;
		ways -= lgamma(size + 1) + (alike > 0 ? log(alike) : 0);
		inside += size * (size - 1) / 2;
	}
	return fmin(0, ways - log_ways(n * (n - 1) / 2, inside));
}

double chance_of_so_few(const struct partition *partition,
	const struct partition *parents, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct members *families = roster_new(parents, arena);
	uint32_t *sizes =
		arena_take(arena, partition->n_groups, sizeof(*sizes));
	double odds = 0;

	for (size_t f = 0; f < parents->n_groups && odds > LEAST_ODDS; f++) {
		memset(sizes, 0, sizeof(*sizes) * partition->n_groups);
		for (size_t a = 0; a < families[f].n; a++)
			sizes[partition->group[families[f].unit[a]]]++;
		odds += log_odds(
			sizes, partition->n_groups, (double)families[f].n);
	}
	arena_back(arena, mark);
	return exp(odds);
}
