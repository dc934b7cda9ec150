/*
 * From a matrix to groups.
 *
 * The model: a cell is the sum of what its two rows have against everything,
 * of what the blocks it lies in have (one term a level, the innermost nearest),
 * and of noise with bad cells in it. The steps, each at the top of its file:
 *
 *   cut.c      the partition that stands out most, from a tree of average
 *              linkage over costs cleared of their rows
 *   levels.c   divide and collapse: the chain of nested candidates, tested
 *              and thinned out until all that is left holds
 *   visible.c  the test: are cells inside groups near and those outside far,
 *              after rows are taken out?
 *   mend.c     what bad cells tore from its group
 *   chance.c   could cells dealt at random show the same?
 *   classes.c  cores that differ in kind, which blocks do not show
 *   measured.c what holes in the matrix make doubtful
 *
 * and here: intervals, classes, outliers, whether placement can be trusted.
 *
 * Limits. A level that gains under a tenth is not looked for, and soft blocks
 * (a mesh, a ring) are none. Two groups that are single units, say two packages
 * of one core, have no cell inside and cannot be told from two far rows. A run
 * whose lines all had one home node shows the other package as dear inside as
 * across; it is found as the other half if the halves are equal, and three
 * packages that are not home are not told apart. Four CPUs in two pairs are
 * believed although chance makes such pairs one time in five.
 */
#include "analyze/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/classes.h"
#include "analyze/levels.h"
#include "analyze/measured.h"
#include "analyze/square.h"
#include "stat/stat.h"

/* A cell whose interval is this many times as high as low says nothing. */
#define INTERVAL_MAX 2.0

/* Cells drawn in all for the repeats within intervals, and the most repeats. */
#define REPEATED    3000000
#define REPEATS_MAX 19

/* An outlier differs by this share, and by so many typical deviations. */
#define OUTLIER_SHARE	   0.12
#define OUTLIER_DEVIATIONS 5

/* Siblings share a core: no other two CPUs are this near (ns, one way). */
#define SIBLINGS_NS	 25.0
#define SIBLINGS_SHARE	 0.7
#define THREADS_PER_CORE 8

/* Two CPUs so much nearer than all others need not be so near in ns. */
#define PAIRS_NS    40.0
#define PAIRS_SHARE 0.45

/* Cores with one last-level cache between them (ns, one way). */
#define SHARED_CACHE_NS 35.0

/* A cell at this share of what its rows suggest is no noise. */
#define FAR_TOO_NEAR 0.75

/* As many of them as this share of the CPUs are no accident. */
#define STRANGE_SHARE 0.25

static double cost_of(const struct groups_input *input, double value)
{
	if (!isfinite(value) || value < 0)
		return NAN;
	if (!input->higher_is_better)
		return value;
	return value > 0 ? 1 / value : NAN;
}

static double value_of(const struct groups_input *input, double cost)
{
	return input->higher_is_better ? 1 / cost : cost;
}

/* Whether the interval of a cell, if known, is narrow enough to use it. */
static bool narrow(const struct groups_input *input, size_t at)
{
	double low, high;

	if (!input->ci_low || !input->ci_high)
		return true;
	low = input->ci_low[at];
	high = input->ci_high[at];
	/* Too few passes for an interval is no reason to drop the value. */
	return !(high > INTERVAL_MAX * low);
}

/* A value within the interval of its cell; the cell's own without random. */
static double drawn_value(
	const struct groups_input *input, size_t at, struct stat_random *random)
{
	double value = input->values[at];
	double low, high, u;

	if (!random || !input->ci_low || !input->ci_high)
		return value;
	low = input->ci_low[at];
	high = input->ci_high[at];
	if (!isfinite(low) || !isfinite(high) || low > high)
		return value;
	u = (double)(stat_random_next(random) >> 11) * 0x1p-53;
	return low + u * (high - low);
}

static double one_cost(
	const struct groups_input *input, size_t at, struct stat_random *random)
{
	if (!narrow(input, at))
		return NAN;
	return cost_of(input, drawn_value(input, at, random));
}

/* Both directions as one cost; what only one direction has is used as it is. */
static void fill_costs(const struct groups_input *input, struct square *square,
	struct stat_random *random)
{
	size_t n = input->n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			double there = one_cost(input, i * n + j, random);
			double back = one_cost(input, j * n + i, random);
			double cost = (there + back) / 2;

			if (isnan(there))
				cost = back;
			else if (isnan(back))
				cost = there;
			square->cost[i * n + j] = (float)cost;
			square->cost[j * n + i] = (float)cost;
		}
}

void groups_release(struct groups *groups)
{
	for (size_t k = 0; k < groups->n_levels; k++)
		free(groups->levels[k].group);
	free(groups->levels);
	free(groups->outliers);
	memset(groups, 0, sizeof(*groups));
}

bool groups_same(const uint32_t *a, const uint32_t *b, size_t n)
{
	return memcmp(a, b, sizeof(*a) * n) == 0;
}

bool groups_within(const uint32_t *a, const uint32_t *b, size_t n,
	const bool *counts, size_t *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		size_t *in = &scratch[a[i]];

		if (counts && !counts[i])
			continue;
		if (*in != SIZE_MAX && *in != b[i])
			return false;
		*in = b[i];
	}
	return true;
}

/*
 * Search again in values drawn within the cells' intervals: a level that is
 * lost there now and then is as doubtful as that.
 */
static int repeat_within_intervals(const struct groups_input *input,
	struct levels *levels, struct error *err)
{
	size_t n = input->n, repeats = REPEATED / (n * n + 1);
	struct square square = {0};
	struct stat_random random;
	size_t *again = NULL;
	int rc;

	repeats = repeats > REPEATS_MAX ? REPEATS_MAX : repeats;
	if (!input->ci_low || !input->ci_high || levels->n == 0 || repeats == 0)
		return 0;
	stat_random_init(&random, n);
	rc = square_init(&square, n, err);
	again = calloc(levels->n, sizeof(*again));
	if (!rc && !again)
		rc = error_no_memory(err, "repeats");
	for (size_t r = 0; !rc && r < repeats; r++) {
		struct levels other = {0};

		fill_costs(input, &square, &random);
		rc = levels_find(&square, false, &other, err);
		for (size_t k = 0; !rc && k < levels->n; k++)
			for (size_t m = 0; m < other.n; m++)
				if (groups_same(
					    levels->levels[k].partition.group,
					    other.levels[m].partition.group,
					    n)) {
					again[k]++;
					break;
				}
		levels_release(&other);
	}
	for (size_t k = 0; !rc && k < levels->n; k++)
		levels->levels[k].confidence *=
			(1 + (double)again[k]) / (1 + (double)repeats);
	free(again);
	square_release(&square);
	return rc;
}

/* The medians inside and between the groups of a class, cores left out. */
static void class_medians(const struct square *square,
	const struct partition *found, struct groups_level *level,
	float *scratch)
{
	for (int between = 0; between < 2; between++) {
		size_t count = 0;
		float median;

		for (size_t u = 0; u < square->n; u++)
			for (size_t v = 0; v < u; v++)
				if ((found->group[u] != found->group[v]) ==
						between &&
					!isnan(square_at(square, u, v)))
					scratch[count++] =
						square_at(square, u, v);
		median = median_of(scratch, count);
		if (between)
			level->between = (double)median;
		else
			level->inside = (double)median;
	}
}

/* Cores, as the innermost level shows them, may be of several classes. */
static int add_classes(const struct square *square, const struct levels *levels,
	bool by_siblings, struct groups *groups, struct error *err)
{
	size_t n = square->n;
	struct partition cores = {0}, found = {0};
	struct square small = {0};
	struct groups_level *level = &groups->levels[groups->n_levels];
	uint32_t *sizes = NULL;
	float *scratch = NULL;
	float separation;
	int rc;

	rc = partition_init(&cores, n, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		cores.group[i] = levels->n
					 ? levels->levels[0].partition.group[i]
					 : (uint32_t)i;
	cores.n_groups = levels->n ? levels->levels[0].partition.n_groups : n;
	sizes = calloc(cores.n_groups + 1, sizeof(*sizes));
	scratch = malloc(
		sizeof(*scratch) * (cores.n_groups * cores.n_groups + 1));
	level->group = malloc(sizeof(*level->group) * (n + 1));
	if (!sizes || !scratch || !level->group) {
		rc = error_no_memory(err, "classes of cores");
		goto out;
	}
	for (size_t i = 0; i < n; i++)
		sizes[cores.group[i]]++;
	rc = square_collapse(square, &cores, &small, err);
	if (!rc)
		rc = classes_find(
			&small, sizes, by_siblings, &found, &separation, err);
	if (rc || found.n_groups < 2)
		goto out;
	for (size_t i = 0; i < n; i++)
		level->group[i] = found.group[cores.group[i]];
	for (size_t k = 0; k < levels->n; k++)
		if (groups_same(level->group, groups->levels[k].group, n))
			goto out;
	class_medians(&small, &found, level, scratch);
	level->kind = GROUPS_CLASS;
	level->nested = false;
	level->n_groups = found.n_groups;
	/* No surer than of the cores whose classes they are. */
	level->confidence = (double)separation *
			    (levels->n ? levels->levels[0].confidence : 1);
	groups->n_levels++;
	level = NULL;
out:
	if (level) {
		free(level->group);
		level->group = NULL;
	}
	free(sizes);
	free(scratch);
	square_release(&small);
	partition_release(&cores);
	partition_release(&found);
	return rc;
}

/* The most CPUs in one group. */
static size_t largest_group(const struct partition *partition, uint32_t *sizes)
{
	size_t most = 0;

	memset(sizes, 0, sizeof(*sizes) * partition->n_groups);
	for (size_t i = 0; i < partition->n_units; i++) {
		uint32_t *size = &sizes[partition->group[i]];

		if (++*size > most)
			most = *size;
	}
	return most;
}

static enum groups_kind kind_of(const struct groups_input *input,
	const struct groups *groups, const struct groups_level *level,
	size_t largest)
{
	if (input->higher_is_better)
		return GROUPS_GROUP;
	if (groups->n_levels == 0 && largest <= THREADS_PER_CORE &&
		level->inside <= SIBLINGS_NS &&
		level->inside <= SIBLINGS_SHARE * level->between)
		return GROUPS_SMT;
	if (groups->n_levels == 0 && largest == 2 &&
		level->inside <= PAIRS_NS &&
		level->inside <= PAIRS_SHARE * level->between)
		return GROUPS_SMT;
	if ((groups->n_levels == 0 || groups->levels[0].kind == GROUPS_SMT) &&
		groups->n_levels < 2 && level->inside <= SHARED_CACHE_NS)
		return GROUPS_LLC;
	return GROUPS_GROUP;
}

static int take_levels(const struct groups_input *input,
	const struct levels *levels, struct groups *groups, struct error *err)
{
	size_t n = input->n;
	uint32_t *sizes = malloc(sizeof(*sizes) * (n + 1));

	/* Room for the classes as well. */
	groups->levels = calloc(levels->n + 1, sizeof(*groups->levels));
	if (!sizes || !groups->levels) {
		free(sizes);
		return error_no_memory(err, "levels");
	}
	for (size_t k = 0; k < levels->n; k++) {
		const struct level *from = &levels->levels[k];
		struct groups_level *level = &groups->levels[k];

		level->group = malloc(sizeof(*level->group) * (n + 1));
		if (!level->group) {
			free(sizes);
			return error_no_memory(err, "levels");
		}
		memcpy(level->group, from->partition.group,
			sizeof(*level->group) * n);
		level->nested = true;
		level->n_groups = from->partition.n_groups;
		level->inside = (double)from->visibility.inside;
		level->between = (double)from->visibility.between;
		level->confidence = from->confidence;
		level->kind = kind_of(input, groups, level,
			largest_group(&from->partition, sizes));
		groups->n_levels++;
	}
	free(sizes);
	return 0;
}

/* Where the cell of CPUs i and j lies: the innermost level that joins them. */
static size_t level_of(const struct levels *levels, size_t i, size_t j)
{
	size_t k = 0;

	while (k < levels->n && levels->levels[k].partition.group[i] !=
					levels->levels[k].partition.group[j])
		k++;
	return k;
}

/*
 * What each CPU costs against what its like cost: the median, over the others,
 * of the cell's ratio to the median of its level.
 */
static void find_ratios(const struct square *square,
	const struct levels *levels, double *ratio, float *scratch)
{
	size_t n = square->n;
	float medians[LEVELS_MAX + 1];

	for (size_t k = 0; k <= levels->n; k++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (level_of(levels, i, j) == k &&
					!isnan(square_at(square, i, j)))
					scratch[count++] =
						square_at(square, i, j);
		medians[k] = median_of(scratch, count);
	}
	for (size_t i = 0; i < n; i++) {
		size_t count = 0;

		for (size_t j = 0; j < n; j++) {
			float share = square_at(square, i, j) /
				      medians[level_of(levels, i, j)];

			if (isfinite(share))
				scratch[count++] = share;
		}
		ratio[i] = count ? (double)median_of(scratch, count) : 1;
	}
}

static int find_outliers(const struct square *square,
	const struct levels *levels, struct groups *groups, struct error *err)
{
	size_t n = square->n;
	double *ratio = malloc(sizeof(*ratio) * (n + 1));
	float *scratch = malloc(sizeof(*scratch) * (n * n + 1));
	double middle, deviation;
	int rc = 0;

	groups->outliers =
		malloc(sizeof(*groups->outliers) * (n * (levels->n + 1) + 1));
	if (!ratio || !scratch || !groups->outliers) {
		rc = error_no_memory(err, "outliers");
		goto out;
	}
	if (n < 3)
		goto out;
	find_ratios(square, levels, ratio, scratch);
	for (size_t i = 0; i < n; i++)
		scratch[i] = (float)ratio[i];
	middle = (double)median_of(scratch, n);
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabsf((float)(ratio[i] - middle));
	deviation = (double)median_of(scratch, n);
	for (size_t i = 0; i < n; i++) {
		double away = fabs(ratio[i] - middle);

		if (away > OUTLIER_SHARE * middle &&
			away > OUTLIER_DEVIATIONS * deviation)
			groups->outliers[groups->n_outliers++] =
				(struct groups_outlier){.cpu = i,
					.why = ratio[i] > middle
						       ? GROUPS_WHY_SLOW
						       : GROUPS_WHY_FAST,
					.ratio = ratio[i] / middle};
		for (size_t k = 0; k < levels->n; k++)
			if (!levels->levels[k].fits[i])
				groups->outliers[groups->n_outliers++] =
					(struct groups_outlier){.cpu = i,
						.why = GROUPS_WHY_MISFIT,
						.level = k,
						.ratio = ratio[i] / middle};
	}
out:
	free(ratio);
	free(scratch);
	return rc;
}

/*
 * Cells far nearer than their rows, which no level explains: some CPUs shared
 * a core or a cache while they were measured, but not as the CPUs they are
 * called. Two rows suggest the mean of their medians.
 */
static int find_placement(
	const struct square *square, struct groups *groups, struct error *err)
{
	size_t n = square->n, strange = 0;
	float *row, *scratch;

	for (size_t k = 0; k < groups->n_levels; k++)
		if (groups->levels[k].confidence >= 0.5)
			return 0;
	row = malloc(sizeof(*row) * 2 * (n + 1));
	if (!row)
		return error_no_memory(err, "placement");
	scratch = row + n;
	for (size_t i = 0; i < n; i++) {
		size_t count = 0;

		for (size_t j = 0; j < n; j++)
			if (!isnan(square_at(square, i, j)))
				scratch[count++] = square_at(square, i, j);
		row[i] = median_of(scratch, count);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			strange += (double)square_at(square, i, j) <
				   FAR_TOO_NEAR * (double)(row[i] + row[j]) / 2;
	if (n > 2 && (double)strange > STRANGE_SHARE * (double)n)
		groups->placement = GROUPS_PLACEMENT_UNKNOWN;
	free(row);
	return 0;
}

/* Costs of CPUs that all have some. */
static int find(const struct groups_input *input, const struct square *square,
	struct groups *groups, struct error *err)
{
	struct levels levels = {0};
	int rc = levels_find(square, true, &levels, err);

	if (!rc)
		rc = repeat_within_intervals(input, &levels, err);
	if (!rc)
		rc = take_levels(input, &levels, groups, err);
	if (!rc)
		rc = add_classes(
			square, &levels, !input->is_virtual, groups, err);
	if (!rc)
		rc = find_outliers(square, &levels, groups, err);
	if (!rc)
		rc = find_placement(square, groups, err);
	for (size_t k = 0; !rc && k < levels.n; k++)
		rc = measured_doubt(square, &levels.levels[k].partition,
			&groups->levels[k].confidence, err);
	for (size_t k = 0; !rc && k < groups->n_levels; k++) {
		struct groups_level *level = &groups->levels[k];

		level->inside = value_of(input, level->inside);
		level->between = value_of(input, level->between);
	}
	levels_release(&levels);
	return rc;
}

/* The cells of a matrix between measured CPUs; NULL without memory. */
static double *cells_of(
	const double *values, size_t n, const bool *measured, size_t count)
{
	double *cells = malloc((count * count + 1) * sizeof(*cells));
	size_t at = 0;

	for (size_t i = 0; cells && i < n; i++) {
		for (size_t j = 0; measured[i] && j < n; j++) {
			if (measured[j])
				cells[at++] = values[i * n + j];
		}
	}
	return cells;
}

/* All CPUs again: those that were not measured are alone. */
static int widen_level(struct groups_level *level, size_t n,
	const bool *measured, struct error *err)
{
	struct partition all;
	size_t at = 0;
	int rc = partition_init(&all, n, err);

	if (rc)
		return rc;
	all.n_groups = level->n_groups;
	for (size_t i = 0; i < n; i++)
		all.group[i] = measured[i] ? level->group[at++]
					   : (uint32_t)all.n_groups++;
	rc = partition_number(&all, err);
	if (rc) {
		partition_release(&all);
		return rc;
	}
	free(level->group);
	level->group = all.group;
	level->n_groups = all.n_groups;
	return 0;
}

static int widen_outliers(struct groups *groups, size_t n, const bool *measured,
	struct error *err)
{
	struct groups_outlier *all =
		malloc((groups->n_outliers + n + 1) * sizeof(*all));
	size_t n_all = 0, next = 0, at = 0;

	if (!all)
		return error_no_memory(err, "outliers");
	for (size_t i = 0; i < n; i++) {
		if (!measured[i]) {
			all[n_all++] = (struct groups_outlier){.cpu = i,
				.why = GROUPS_WHY_UNMEASURED,
				.ratio = 1};
			continue;
		}
		while (next < groups->n_outliers &&
			groups->outliers[next].cpu == at) {
			all[n_all] = groups->outliers[next++];
			all[n_all++].cpu = i;
		}
		at++;
	}
	free(groups->outliers);
	groups->outliers = all;
	groups->n_outliers = n_all;
	return 0;
}

/* Analyse the measured CPUs by themselves, then put the others beside them. */
static int find_among(const struct groups_input *input, const bool *measured,
	size_t count, struct groups *groups, struct error *err)
{
	const double *from[3] = {input->values, input->ci_low, input->ci_high};
	double *cells[3] = {NULL, NULL, NULL};
	struct groups_input fewer = {.n = count,
		.higher_is_better = input->higher_is_better,
		.is_virtual = input->is_virtual};
	struct square square = {0};
	int rc = square_init(&square, count, err);

	for (int k = 0; !rc && k < 3; k++) {
		if (!from[k])
			continue;
		cells[k] = cells_of(from[k], input->n, measured, count);
		if (!cells[k])
			rc = error_no_memory(err, "a matrix");
	}
	fewer.values = cells[0];
	fewer.ci_low = cells[1];
	fewer.ci_high = cells[2];
	if (!rc) {
		fill_costs(&fewer, &square, NULL);
		rc = find(&fewer, &square, groups, err);
	}
	for (size_t k = 0; !rc && k < groups->n_levels; k++)
		rc = widen_level(&groups->levels[k], input->n, measured, err);
	if (!rc)
		rc = widen_outliers(groups, input->n, measured, err);
	for (int k = 0; k < 3; k++)
		free(cells[k]);
	square_release(&square);
	return rc;
}

int groups_find(const struct groups_input *input, struct groups *groups,
	struct error *err)
{
	struct square square = {0};
	bool *measured = malloc((input->n + 1) * sizeof(*measured));
	size_t count = 0;
	int rc;

	memset(groups, 0, sizeof(*groups));
	rc = measured ? square_init(&square, input->n, err)
		      : error_no_memory(err, "the groups");
	if (!rc) {
		fill_costs(input, &square, NULL);
		rc = measured_find(&square, measured, &count, err);
	}
	if (!rc && count == input->n)
		rc = find(input, &square, groups, err);
	else if (!rc && count > 1)
		rc = find_among(input, measured, count, groups, err);
	if (!rc)
		groups->n_missing = measured_missing(&square);
	free(measured);
	square_release(&square);
	if (rc)
		groups_release(groups);
	return rc;
}
