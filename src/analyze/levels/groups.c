/*
 * Finds groups in a matrix. The model of a cell: the sum of its two row
 * offsets, one term for each level's block that contains the cell, and noise
 * with outliers. The head of each file explains its step:
 *
 *   levels/row_order.c  an order of CPUs that does not depend on their numbers
 *   levels/levels.c  the nested levels and their confidence
 *   granularity.c  the step of a coarse clock, for the steps above
 *   classes.c  cores of different kinds, which blocks do not show
 *   measured.c  doubts because of missing cells
 *
 * This file handles intervals and outliers, and checks whether threads moved.
 *
 * Limits. A level must make cells a tenth lower. Gradual blocks (a mesh, a
 * ring) are no levels. Two groups of one unit each, for example two packages of
 * one core, have no cell inside. They look like two rows far from all others.
 * If one node is the home of all lines, pairs inside another package cost as
 * much as pairs between packages. One other package is found as the other half
 * if both have equally many CPUs; several other packages are one group. A level
 * of two pairs counts, although four random CPUs form two pairs with a
 * probability of 1/5.
 */
#include "analyze/levels/groups.h"

#include <math.h>
#include <string.h>

#include "analyze/levels/row_order.h"
#include "analyze/levels/steps.h"
#include "stat/stat.h"

/* Fixed seed: repeating an analysis must not change its result. */
#define DRAW_SEED 20150102

struct group_search {
	const struct groups_input *input;
	const struct level_constants *constants;
	bool *measured; /* [input->n] */
	size_t n;	/* CPUs that were measured */
	size_t *cpus;	/* [n] numbers of these CPUs, see row_order.h */
	size_t *rows;	/* [n] rows of these CPUs in the input */
	struct cost_matrix matrix; /* costs between these CPUs */
	struct cost_levels levels;
	struct cost_level classes;
	bool has_classes;
	struct groups *groups;
	struct arena *arena;
};

static double value_to_cost(const struct groups_input *input, double value)
{
	if (!isfinite(value) || value < 0)
		return NAN;
	if (!input->near_is_high)
		return value;
	return value > 0 ? 1 / value : NAN;
}

static double cost_to_value(const struct groups_input *input, double cost)
{
	return input->near_is_high ? 1 / cost : cost;
}

/* Whether the interval of a cell is narrow enough, or unknown. */
static bool has_narrow_interval(const struct group_search *search, size_t at)
{
	const struct groups_input *input = search->input;
	double low, high;

	if (!input->ci_low || !input->ci_high)
		return true;
	low = input->ci_low[at];
	high = input->ci_high[at];
	/* A missing interval (NaN, few passes) counts as narrow. */
	return !(high > search->constants->widest * low);
}

/*
 * Return the cost of a cell. If the interval is known and `place` is from 0 to
 * 1, interpolate between the ends of the interval.
 */
static double usable_cost_at(
	const struct group_search *search, size_t at, double place)
{
	const struct groups_input *input = search->input;
	double value = input->values[at];

	if (!has_narrow_interval(search, at))
		return NAN;
	if (place >= 0 && input->ci_low[at] <= input->ci_high[at])
		value = input->ci_low[at] +
			place * (input->ci_high[at] - input->ci_low[at]);
	return value_to_cost(input, value);
}

/*
 * Fill each cost from both directions, or from the only known direction; with
 * `random`, draw values uniformly from their intervals.
 */
static void fill_costs(const struct group_search *search,
	struct cost_matrix *matrix, struct stat_random *random)
{
	const struct groups_input *input = search->input;
	const size_t *rows = search->rows;
	size_t n = search->n;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			double place =
				random ? (double)stat_random_next(random) *
						 0x1p-64
				       : -1;
			double there = usable_cost_at(
				search, rows[i] * input->n + rows[j], place);
			double back = usable_cost_at(
				search, rows[j] * input->n + rows[i], place);
			double cost = (there + back) / 2;

			if (isnan(there))
				cost = back;
			else if (isnan(back))
				cost = there;
			matrix->cost[i * n + j] = (float)cost;
			matrix->cost[j * n + i] = (float)cost;
		}
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

/* Return each CPU's index among the measured CPUs; SIZE_MAX: not measured. */
static size_t *find_places(const struct group_search *search)
{
	size_t *place =
		arena_alloc(search->arena, search->input->n, sizeof(*place));

	for (size_t cpu = 0; cpu < search->input->n; cpu++)
		place[cpu] = SIZE_MAX;
	for (size_t k = 0; k < search->n; k++)
		place[search->cpus[k]] = k;
	return place;
}

static void hold_down(struct cost_level *level, double most, const char *why)
{
	if (most >= level->confidence)
		return;
	level->confidence = most;
	level->reason = why;
}

/*
 * Repeat the search with cells drawn from their intervals. The confidence of a
 * level or class is at most the share of searches that find it. Do not repeat
 * it on large machines, because their many cells show the noise.
 */
static void search_within_intervals(struct group_search *search)
{
	const struct level_constants *constants = search->constants;
	int draws = (int)constants->draws;
	struct cost_levels *levels = &search->levels;
	const struct arena_block *mark = search->arena->last;
	const char *why = "other values within the intervals do not show the "
			  "level";
	double again[LEVELS_MAX] = {0}, classes_again = 0;
	struct stat_random random;
	struct cost_matrix drawn = search->matrix;
	struct cost_levels found, classes;

	if (!search->input->ci_low || !search->input->ci_high ||
		(double)search->n > constants->drawn_cpus || draws < 1)
		return;
	stat_random_init(&random, DRAW_SEED);
	for (int draw = 0; draw < draws; draw++) {
		cost_matrix_init(&drawn, search->n, search->arena);
		drawn.step = search->matrix.step;
		fill_costs(search, &drawn, &random);
		levels_find(&drawn, constants, &found, search->arena);
		for (size_t k = 0; k < levels->n; k++)
			again[k] += levels_have(
				&found, &levels->levels[k].partition);
		classes.n =
			search->has_classes &&
			classes_find(&drawn, &found, search->input->is_virtual,
				constants, &classes.levels[0], search->arena);
		classes_again +=
			levels_have(&classes, &search->classes.partition);
		arena_rewind(search->arena, mark);
	}
	for (size_t k = 0; k < levels->n; k++)
		hold_down(&levels->levels[k], again[k] / draws, why);
	hold_down(&search->classes, classes_again / draws, why);
}

static struct analysis_level level_of_cost(
	const struct cost_level *from, enum analysis_kind kind)
{
	return (struct analysis_level){
		.kind = kind,
		.nested = kind == ANALYSIS_GROUP,
		.n_groups = from->partition.n_groups,
		.group = from->partition.group,
		.inside = from->inside,
		.between = from->between,
		.confidence = from->confidence,
		.doubt = from->reason,
		.inferred = from->inferred,
	};
}

static void take_group_levels(struct group_search *search)
{
	struct groups *groups = search->groups;
	size_t n = search->levels.n;

	groups->levels =
		arena_alloc(search->arena, n + 1, sizeof(*groups->levels));
	for (size_t k = 0; k < n; k++)
		groups->levels[k] = level_of_cost(
			&search->levels.levels[k], ANALYSIS_GROUP);
	groups->n_levels = n;
}

/*
 * Find the cost of each CPU relative to other CPUs: the median over its cells
 * of the cell / the median of the level.
 */
static void find_ratios(const struct cost_matrix *matrix,
	const struct cost_levels *levels, double *ratio, float *scratch)
{
	size_t n = matrix->n;
	float medians[LEVELS_MAX + 1];

	for (size_t k = 0; k <= levels->n; k++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < i; j++)
				if (levels_joining(levels, i, j) == k)
					append_known(scratch, &count,
						cost_matrix_at(matrix, i, j));
		medians[k] = median_of_floats(scratch, count);
	}
	for (size_t i = 0; i < n; i++) {
		size_t count = 0;

		for (size_t j = 0; j < n; j++) {
			float share = cost_matrix_at(matrix, i, j) /
				      medians[levels_joining(levels, i, j)];

			if (isfinite(share))
				scratch[count++] = share;
		}
		ratio[i] = count ? (double)median_of_floats(scratch, count) : 1;
	}
}

static void add_outlier(struct groups *groups, size_t cpu, enum groups_why why,
	size_t level, double ratio)
{
	groups->outliers[groups->n_outliers++] =
		(struct groups_outlier){cpu, why, level, ratio};
}

/* Make the cost of each CPU relative to its class. */
static void relate_to_classes(
	const struct partition *classes, double *ratio, float *scratch)
{
	for (size_t g = 0; g < classes->n_groups; g++) {
		size_t count = 0;
		double middle;

		for (size_t i = 0; i < classes->n_units; i++)
			if (classes->group[i] == g)
				scratch[count++] = (float)ratio[i];
		middle = (double)median_of_floats(scratch, count);
		for (size_t i = 0; i < classes->n_units; i++)
			if (classes->group[i] == g)
				ratio[i] /= middle;
	}
}

/* Return the step of a coarse clock as a share of the median cost, or 0. */
static double clock_step_share(const struct cost_matrix *matrix, float *scratch)
{
	return matrix->step > 0 ? (double)(matrix->step /
					   cost_matrix_median(matrix, scratch))
				: 0;
}

/* List outliers and unmeasured CPUs, ordered by CPU. */
static void find_outliers(struct group_search *search)
{
	const struct cost_levels *levels = &search->levels;
	struct groups *groups = search->groups;
	size_t n = search->n, all = search->input->n;
	const size_t *place = find_places(search);
	const struct arena_block *mark;
	double middle, deviation, least, *ratio;
	float *scratch;

	groups->outliers = arena_alloc(search->arena, all * (levels->n + 1),
		sizeof(*groups->outliers));
	mark = search->arena->last;
	ratio = arena_alloc(search->arena, n, sizeof(*ratio));
	scratch = arena_alloc(search->arena, n * n, sizeof(*scratch));
	find_ratios(&search->matrix, levels, ratio, scratch);
	if (search->has_classes && search->classes.confidence >= ANALYSIS_LEAST)
		relate_to_classes(&search->classes.partition, ratio, scratch);
	for (size_t i = 0; i < n; i++)
		scratch[i] = (float)ratio[i];
	middle = (double)median_of_floats(scratch, n);
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabsf((float)(ratio[i] - middle));
	deviation = (double)median_of_floats(scratch, n);
	least = fmax(search->constants->least_margin * middle,
		search->constants->deviations * deviation);
	/* The error of a median of coarse values may be a clock step. */
	least = fmax(least, search->constants->steps *
				    clock_step_share(&search->matrix, scratch));
	for (size_t cpu = 0; cpu < all; cpu++) {
		size_t at = place[cpu];
		double away, own;

		if (!search->measured[cpu]) {
			add_outlier(groups, cpu, GROUPS_WHY_UNMEASURED, 0, 1);
			continue;
		}
		own = ratio[at] / middle;
		away = fabs(ratio[at] - middle);
		if (n > 2 && away > least)
			add_outlier(groups, cpu,
				ratio[at] > middle ? GROUPS_WHY_SLOW
						   : GROUPS_WHY_FAST,
				0, own);
		for (size_t k = 0; k < levels->n; k++)
			if (!levels->levels[k].fits[at])
				add_outlier(
					groups, cpu, GROUPS_WHY_MISFIT, k, own);
	}
	arena_rewind(search->arena, mark);
}

/*
 * Return how many cells are far nearer than their rows predict, and far nearer
 * than all other cells between groups. At most one cell per CPU counts.
 */
static size_t count_strange_cells(const struct group_search *search)
{
	const struct cost_matrix *matrix = &search->matrix;
	const struct cost_levels *levels = &search->levels;
	size_t n = matrix->n, count = 0, strange = 0;
	const struct arena_block *mark = search->arena->last;
	float *row = arena_alloc(search->arena, n, sizeof(*row));
	float *shares = arena_alloc(search->arena, n * n, sizeof(*shares));
	float far = (float)exp(search->constants->one_margin);

	for (size_t i = 0; i < n; i++) {
		count = 0;
		for (size_t j = 0; j < n; j++)
			append_known(
				shares, &count, cost_matrix_at(matrix, i, j));
		row[i] = median_of_floats(shares, count);
	}
	count = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (levels_joining(levels, i, j) == levels->n)
				append_known(shares, &count,
					2 * cost_matrix_at(matrix, i, j) /
						(row[i] + row[j]));
	if (count > n + 1) {
		/* Move the nearest cells to the front. */
		quantile_of_floats(
			shares, count, ((double)n + 0.5) / (double)(count - 1));
		count = n + 1;
	}
	sort_floats(shares, count);
	for (size_t k = 1; k < count; k++)
		if (shares[k] > far * shares[k - 1] && shares[k - 1] * far < 1)
			strange = k;
	arena_rewind(search->arena, mark);
	return strange;
}

/*
 * Search for cells that are far too near and that not even an uncertain level
 * explains: two threads shared a core or a cache while they were measured, so
 * they did not run on the named CPUs. More than two of these cells are rarely
 * noise, except on few CPUs.
 */
static void find_placement(struct group_search *search)
{
	const struct level_constants *constants = search->constants;
	size_t n = search->n;

	if ((double)count_strange_cells(search) <=
		2 + constants->bad_share * (double)n)
		search->groups->placement = ANALYSIS_STABLE;
	else if ((double)n < constants->moved_cpus)
		search->groups->placement = ANALYSIS_TOO_FEW;
	else
		search->groups->placement = ANALYSIS_CANNOT_TELL;
}

/* Whether a level is so certain that threads cannot have moved. */
static bool has_sure_level(const struct group_search *search)
{
	for (size_t k = 0; k < search->levels.n; k++)
		if (search->levels.levels[k].confidence >= ANALYSIS_LEAST)
			return true;
	return search->has_classes &&
	       search->classes.confidence >= ANALYSIS_LEAST;
}

/* Extend a level to all CPUs, by number; unmeasured CPUs are alone. */
static void widen_level(
	const struct group_search *search, struct analysis_level *level)
{
	const bool *inferred = level->inferred;
	size_t n = search->input->n;
	bool *widened =
		inferred ? arena_alloc(search->arena, n, sizeof(bool)) : NULL;
	struct partition all;

	partition_init(&all, n, search->arena);
	for (size_t cpu = 0; cpu < all.n_units; cpu++)
		all.group[cpu] = (uint32_t)(level->n_groups + cpu);
	for (size_t k = 0; k < search->n; k++)
		all.group[search->cpus[k]] = level->group[k];
	for (size_t k = 0; k < search->n && inferred; k++)
		widened[search->cpus[k]] = inferred[k];
	level->inferred = widened;
	partition_number(&all, search->arena);
	level->group = all.group;
	level->n_groups = all.n_groups;
}

/* Find the central 90 % of the cells between groups of the same outer group. */
static void find_between_range(struct group_search *search)
{
	const struct cost_matrix *matrix = &search->matrix;
	struct groups *groups = search->groups;
	size_t n = search->n;
	const struct arena_block *mark = search->arena->last;
	float *cells = arena_alloc(search->arena, n * n, sizeof(*cells));

	for (size_t k = 0; k < groups->n_levels; k++) {
		struct analysis_level *level = &groups->levels[k];
		const struct analysis_level *outer =
			k + 1 < groups->n_levels && level[1].nested ? level + 1
								    : NULL;
		size_t count = cost_matrix_cells_where(matrix, level->group,
			outer ? outer->group : NULL, true, cells);

		level->between_low =
			(double)quantile_of_floats(cells, count, 0.05);
		level->between_high =
			(double)quantile_of_floats(cells, count, 0.95);
	}
	arena_rewind(search->arena, mark);
}

/* Convert a level to values of the input, and extend it to all CPUs. */
static void finish_level(
	const struct group_search *search, struct analysis_level *level)
{
	double low = cost_to_value(search->input, level->between_low);
	double high = cost_to_value(search->input, level->between_high);

	level->inside = cost_to_value(search->input, level->inside);
	level->between = cost_to_value(search->input, level->between);
	level->between_low = fmin(low, high);
	level->between_high = fmax(low, high);
	widen_level(search, level);
}

/* Limit the confidence, because unmeasured CPUs may belong to groups. */
static void hold_down_widened(struct group_search *search)
{
	const char *why =
		"a CPU without measurements may belong to another group";
	double most = search->constants->inferred_cap;

	for (size_t k = 0; k < search->levels.n; k++)
		hold_down(&search->levels.levels[k], most, why);
	hold_down(&search->classes, most, why);
}

static void analyse_measured_cpus(struct group_search *search)
{
	struct cost_levels *levels = &search->levels;
	struct groups *groups = search->groups;

	levels_find(&search->matrix, search->constants, levels, search->arena);
	search->has_classes =
		classes_find(&search->matrix, levels, search->input->is_virtual,
			search->constants, &search->classes, search->arena);
	search_within_intervals(search);
	if (!has_sure_level(search))
		find_placement(search);
	for (size_t k = 0; k < levels->n; k++)
		hold_down(&levels->levels[k],
			levels->levels[k].confidence /
				measured_confidence_divisor(&search->matrix,
					&levels->levels[k].partition,
					search->arena),
			"missing pairs may hide more groups");
	if (search->n < search->input->n)
		hold_down_widened(search);
	take_group_levels(search);
	if (search->has_classes)
		groups->levels[groups->n_levels++] =
			level_of_cost(&search->classes, ANALYSIS_CLASS);
	find_outliers(search);
	find_between_range(search);
	for (size_t k = 0; k < groups->n_levels; k++)
		finish_level(search, &groups->levels[k]);
}

/* List the measured CPUs, in an order that depends on costs alone. */
static void order_measured_cpus(struct group_search *search)
{
	struct arena *arena = search->arena;
	size_t all = search->n, kept = 0;
	size_t *rows = arena_alloc(arena, all, sizeof(*rows));
	uint32_t *order = arena_alloc(arena, all, sizeof(*order));
	struct cost_matrix by_number;
	const struct arena_block *mark;

	cost_matrix_init(&search->matrix, all, arena);
	mark = arena->last;
	cost_matrix_init(&by_number, all, arena);
	fill_costs(search, &by_number, NULL);
	search->groups->n_missing = measured_missing(&by_number);
	search->n = search->matrix.n = measured_find(
		&by_number, search->constants, search->measured, arena);
	row_order_find(&by_number, order, arena);
	for (size_t k = 0; k < all; k++) {
		if (!search->measured[order[k]])
			continue;
		search->cpus[kept] = order[kept] = order[k];
		rows[kept] = search->rows[order[kept]];
		kept++;
	}
	search->rows = rows;
	row_order_apply(&by_number, order, &search->matrix);
	arena_rewind(arena, mark);
}

void groups_find(const struct groups_input *input, struct groups *groups,
	struct arena *arena)
{
	size_t n = input->n;
	struct level_constants constants = {0};
	struct group_search search = {
		.input = input,
		.constants = input->constants ? input->constants : &constants,
		.n = n,
		.measured = arena_alloc(arena, n, sizeof(bool)),
		.cpus = arena_alloc(arena, n, sizeof(size_t)),
		.rows = arena_alloc(arena, n, sizeof(size_t)),
		.groups = groups,
		.arena = arena,
	};

	level_constants_init(&constants);
	*groups = (struct groups){0};
	for (size_t i = 0; i < n; i++)
		search.rows[i] = input->order ? input->order[i] : i;
	order_measured_cpus(&search);
	if (search.n < 2)
		return;
	if (!input->near_is_high)
		groups->step = granularity_find_step(
			input->values, n, search.constants, arena);
	search.matrix.step = (float)groups->step;
	analyse_measured_cpus(&search);
}
