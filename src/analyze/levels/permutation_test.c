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
#include "analyze/levels/steps.h"

#include <string.h>

#include "stat/stat.h"

/*
 * A small machine gets more deals: they cost little there, and chance explains
 * more. So many cells are dealt in all.
 */
#define TRIES_MAX      499
#define TRIES_MIN      49
#define PERMUTED_CELLS 1500000

/* The size of the sample: groups, units of a group, CPUs of a unit. */
#define GROUPS_MAX	  96
#define UNITS_MAX	  128
#define CPUS_PER_UNIT_MIN 2

/* The logarithm of odds that need not be known any better. */
#define LEAST_ODDS (-20)

/* Fewer single units than this are an accident, not a kind of core. */
#define LEAST_OF_KIND 2

/* A fixed seed: repeating an analysis must not change it. */
#define PERMUTATION_SEED 20150101

struct test_sample {
	struct cost_matrix permuted; /* as dealt last */
	struct cost_matrix real;
	struct partition units, partition, parents; /* of the sample's CPUs */
	uint32_t *cpus;
	size_t n;
};

static size_t at_least(size_t value, size_t least)
{
	return value < least ? least : value;
}

/* Walk the CPUs in random order and take those that fit the sample. */
static void choose_sample_cpus(struct test_sample *sample,
	const struct partition *units, const struct partition *partition,
	struct stat_random *random, struct arena *arena)
{
	size_t n = partition->n_units, n_groups = partition->n_groups;
	size_t kept = 0, most, per_unit_max;
	uint32_t *order = arena_alloc(arena, n, sizeof(*order));
	uint32_t *per_unit = arena_alloc(arena, n, sizeof(*per_unit));
	uint32_t *per_group = arena_alloc(arena, n_groups, sizeof(*per_group));
	bool *open = arena_alloc(arena, n_groups, sizeof(*open));

	sample->cpus = arena_alloc(arena, n, sizeof(*sample->cpus));
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

static void fill_sample_matrices(struct test_sample *sample,
	const struct cost_matrix *matrix, struct arena *arena)
{
	size_t n = sample->n;

	cost_matrix_init(&sample->permuted, n, arena);
	sample->permuted.step = matrix->step;
	cost_matrix_init(&sample->real, n, arena);
	sample->real.step = matrix->step;
	for (size_t k = 0; k < n * n; k++)
		sample->permuted.cost[k] = sample->real.cost[k] =
			cost_matrix_at(matrix, sample->cpus[k / n],
				sample->cpus[k % n]);
}

/* The score of a partition: the share of units that fit, times the gain. */
static double partition_score(const struct cost_matrix *matrix,
	const struct partition *partition, const struct partition *parents,
	struct arena *arena)
{
	struct partition_contrast contrast =
		contrast_measure(matrix, partition, parents, NULL, arena);

	return (double)contrast.grouped * (double)contrast.fit *
	       fmax(0, (double)contrast.gain);
}

/* Whether the cell (i, j) is dealt: it lies in parent p and between units. */
static bool is_permuted_cell(
	const struct test_sample *sample, uint32_t p, size_t i, size_t j)
{
	return sample->parents.group[i] == p && sample->parents.group[j] == p &&
	       sample->units.group[i] != sample->units.group[j] &&
	       !isnan(cost_matrix_at(&sample->real, i, j));
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

static float sum_row_offsets(const float *row, size_t i, size_t j)
{
	return row ? row[i] + row[j] : 0;
}

/*
 * Deal the cells between units of one parent anew. What row[] says about their
 * rows stays in place; row may be NULL.
 */
static void permute_sample_cells(struct test_sample *sample, const float *row,
	float *cells, struct stat_random *random)
{
	const float *real = sample->real.cost;
	float *cost = sample->permuted.cost;
	size_t n = sample->n;

	for (uint32_t p = 0; p < sample->parents.n_groups; p++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (is_permuted_cell(sample, p, i, j))
					cells[count++] =
						real[i * n + j] -
						sum_row_offsets(row, i, j);
		shuffle_cells(cells, count, random);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (is_permuted_cell(sample, p, i, j))
					cost[i * n + j] = cost[j * n + i] =
						fmaxf(0,
							cells[--count] +
								sum_row_offsets(
									row, i,
									j));
	}
}

/* The offset of each CPU from the others of its parent. */
static void find_parent_rows(
	const struct test_sample *sample, float *row, float *scratch)
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
						cost_matrix_at(
							&sample->real, i, j));
			row[i] = there ? median_of_floats(scratch + n, there)
				       : 0;
			scratch[members++] = row[i];
		}
		middle = members ? median_of_floats(scratch, members) : 0;
		for (size_t i = 0; i < n; i++)
			if (sample->parents.group[i] == p)
				row[i] -= middle;
	}
}

/*
 * How far single units lie from those in groups: the difference of their median
 * rows, without the cells inside groups. cells[3 * n].
 */
static float single_unit_contrast(const struct cost_matrix *matrix,
	const struct partition *partition, const struct partition *above,
	const bool *single, float *cells)
{
	size_t n = matrix->n, rows[2] = {0, 0};
	float *kinds[2] = {cells, cells + n}, *scratch = cells + 2 * n;

	for (size_t u = 0; u < n; u++) {
		size_t count = 0;

		for (size_t v = 0; v < n; v++)
			if (partition->group[u] != partition->group[v] &&
				above->group[u] == above->group[v])
				append_known(scratch, &count,
					cost_matrix_at(matrix, u, v));
		if (count > 0)
			kinds[single[u]][rows[single[u]]++] =
				trimean_of_floats(scratch, count);
	}
	return fabsf(median_of_floats(kinds[0], rows[0]) -
		     median_of_floats(kinds[1], rows[1]));
}

/* The question: how many deals show as much as the real cells? */
struct permutation_test {
	struct test_sample *sample;
	struct partition own, above; /* of the sample's units */
	const bool *single;	     /* [n units], NULL: no kinds */
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
static void count_permutations(struct permutation_test *test, const float *row,
	double *share, double *kinds, struct arena *arena)
{
	struct test_sample *sample = test->sample;
	size_t as_good = 0, as_different = 0;
	double all = 1 + (double)test->tries;

	for (size_t t = 0; t < test->tries; t++) {
		const struct arena_block *mark = arena->last;
		struct partition found;
		struct cost_matrix small;
		double value = 0;

		permute_sample_cells(sample, row, test->cells, &test->random);
		cost_matrix_collapse(
			&sample->permuted, &sample->units, &small, arena);
		if (cut_best_partition(&small, &test->above, &found, arena))
			value = partition_score(
				&small, &found, &test->above, arena);
		as_good += value >= test->seen;
		if (test->single)
			as_different += single_unit_contrast(&small, &test->own,
						&test->above, test->single,
						test->cells) >= test->kinds;
		arena_rewind(arena, mark);
	}
	*share = (1 + (double)as_good) / all;
	*kinds = test->single ? (1 + (double)as_different) / all : 1;
}

/* Which units are alone in their group; NULL if hardly any or most are. */
static bool *mark_single_units(const struct partition *own, struct arena *arena)
{
	size_t n = own->n_units, n_single = 0;
	bool *single = arena_alloc(arena, n, sizeof(*single));
	const uint32_t *sizes = partition_sizes(own, arena);

	for (size_t u = 0; u < n; u++) {
		single[u] = sizes[own->group[u]] == 1;
		n_single += single[u];
	}
	return n_single >= LEAST_OF_KIND && n - n_single >= 2 * LEAST_OF_KIND
		       ? single
		       : NULL;
}

/*
 * The larger of two shares. A level must beat deals that keep the rows, because
 * rows alone make soft blocks. It must also beat deals that do not, because
 * what looks like a row may be chance.
 */
static double permutation_test_sample(
	struct permutation_test *test, bool clear, struct arena *arena)
{
	double with_rows, without, kinds, share, both;

	find_parent_rows(test->sample, test->row, test->cells);
	count_permutations(test, test->row, &with_rows, &kinds, arena);
	count_permutations(test, NULL, &without, &kinds, arena);
	share = fmax(with_rows, without);
	both = share * kinds;
	/* Fisher's combination of two tests. */
	if (clear && test->single)
		share = fmin(share, both * (1 - log(both)));
	return share;
}

double permutation_test_chance(const struct cost_matrix *matrix,
	const struct partition *units, const struct partition *partition,
	const struct partition *parents, bool clear, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	struct test_sample sample = {0};
	struct permutation_test test = {.sample = &sample};
	struct cost_matrix small;
	double share;
	size_t n;

	stat_random_init(&test.random, PERMUTATION_SEED);
	choose_sample_cpus(&sample, units, partition, &test.random, arena);
	fill_sample_matrices(&sample, matrix, arena);
	n = sample.n;
	sample.units = partition_restrict(units, sample.cpus, n, arena);
	sample.partition = partition_restrict(partition, sample.cpus, n, arena);
	sample.parents = partition_restrict(parents, sample.cpus, n, arena);
	test.above = partition_of_units(&sample.parents, &sample.units, arena);
	test.own = partition_of_units(&sample.partition, &sample.units, arena);
	cost_matrix_collapse(&sample.real, &sample.units, &small, arena);
	test.row = arena_alloc(arena, n, sizeof(float));
	test.cells = arena_alloc(arena, n * (n + 3), sizeof(float));
	test.single = mark_single_units(&test.own, arena);
	if (test.single)
		test.kinds = single_unit_contrast(&small, &test.own,
			&test.above, test.single, test.cells);
	test.seen = partition_score(&small, &test.own, &test.above, arena);
	test.tries = at_least(PERMUTED_CELLS / (n * n), TRIES_MIN);
	if (test.tries > TRIES_MAX)
		test.tries = TRIES_MAX;
	share = permutation_test_sample(&test, clear, arena);
	arena_rewind(arena, mark);
	return share;
}

/* The logarithm of the number of ways to choose k of n. */
static double log_combinations(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The logarithm of the odds of one family, which has so many units. */
static double log_family_odds(const uint32_t *sizes, size_t n_groups, double n)
{
	double ways = lgamma(n + 1), inside = 0;

	for (size_t g = 0; g < n_groups; g++) {
		double size = sizes[g], same_size = 0;

		for (size_t h = 0; h <= g; h++)
			same_size += sizes[h] == sizes[g] && sizes[g] > 0;
		ways -= lgamma(size + 1) + (same_size > 0 ? log(same_size) : 0);
		inside += size * (size - 1) / 2;
	}
	return fmin(0, ways - log_combinations(n * (n - 1) / 2, inside));
}

double permutation_test_size_chance(const struct partition *partition,
	const struct partition *parents, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct group_members *families =
		partition_members(parents, arena);
	uint32_t *sizes =
		arena_alloc(arena, partition->n_groups, sizeof(*sizes));
	double odds = 0;

	for (size_t f = 0; f < parents->n_groups && odds > LEAST_ODDS; f++) {
		memset(sizes, 0, sizeof(*sizes) * partition->n_groups);
		for (size_t a = 0; a < families[f].n; a++)
			sizes[partition->group[families[f].unit[a]]]++;
		odds += log_family_odds(
			sizes, partition->n_groups, (double)families[f].n);
	}
	arena_rewind(arena, mark);
	return exp(odds);
}
