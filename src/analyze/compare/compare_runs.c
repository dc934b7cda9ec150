/*
 * Compares sides of several runs: tests all pairs, levels and points together
 * against the spread between runs. Detects when single runs allow no verdict.
 */
#include <string.h>

#include "analyze/compare/compare_parts.h"
#include "stat/stat.h"

/* An item to judge: its change, and pointers to its p and verdict. */
struct test_target {
	double *p, change;
	bool *tested, *significant;
	bool rest; /* change relative to the other pairs */
};

/*
 * Subtract a linear drift if at most this share of the variance of the runs'
 * start times is between the sides. With a larger share, the drift may contain
 * a change.
 */
#define SIDES_APART_MAX 0.25

/*
 * Families of tests. There are few levels and stretches, but many pairs and
 * points. Levels get most of the 5 % error rate, so that five runs can show a
 * changed level. The rest of the rate is enough for pairs with larger changes.
 */
enum test_family {
	FAMILY_LEVELS,
	FAMILY_SINGLES,
	N_FAMILIES
};

static const double family_shares[N_FAMILIES] = {0.8, 0.2};

/* Items that are tested together; row k of values belongs to target k. */
struct test_batch {
	size_t n;
	double *values; /* [room * n_runs] */
	struct test_target *targets;
};

struct runs_test {
	struct comparison *comparison;
	const struct compare_side *sides[2];
	bool by_level;
	size_t n_runs;
	const double *when; /* [n_runs] times; NULL: no drift to subtract */
	struct test_batch families[N_FAMILIES];
	struct arena *arena;
};

static const struct compare_side *side_of_run(
	const struct runs_test *all, size_t run, const struct result **result)
{
	size_t in = run < all->sides[0]->n_runs ? 0 : 1;
	const struct compare_side *side = all->sides[in];

	*result = side->runs[run - (in ? all->sides[0]->n_runs : 0)];
	return side;
}

static void add_test_target(struct runs_test *all, enum test_family family,
	struct test_target target)
{
	struct test_batch *batch = &all->families[family];

	batch->targets[batch->n++] = target;
}

static void set_run_value(struct runs_test *all, enum test_family family,
	size_t row, size_t r, double value)
{
	all->families[family].values[row * all->n_runs + r] = value;
}

/* Return the family of cells: NUMA nodes have few cells and no levels. */
static enum test_family cells_test_family(const struct runs_test *all)
{
	return result_is_of_nodes(all->sides[0]->result) ? FAMILY_LEVELS
							 : FAMILY_SINGLES;
}

/* Return a run's matrix over the compared CPUs; NULL if it has none. */
static const double *run_matrix_cells(const struct runs_test *all, size_t run,
	const struct compare_matrix *matrix, size_t *n)
{
	const struct cpu_list *cpus = result_members(all->sides[0]->result);
	const struct cpu_list *own;
	const struct result *result;
	const struct matrix *of;
	double *cells;

	side_of_run(all, run, &result);
	own = result_members(result);
	*n = own->n;
	of = result_find_matrix(result, matrix->name, NULL);
	if (!of || all->by_level)
		return of ? of->values : NULL;
	cells = arena_alloc(all->arena, *n * *n, sizeof(*cells));
	for (size_t k = 0; k < *n * *n; k++) {
		long i = cpu_list_find(own, cpus->cpus[k / *n]);
		long j = cpu_list_find(own, cpus->cpus[k % *n]);

		cells[k] = i < 0 || j < 0 || isnan(matrix->change[k])
				   ? NAN
				   : of->values[(size_t)i * *n + (size_t)j];
	}
	return cells;
}

static bool is_tested_cell(
	const struct compare_matrix *matrix, size_t n, size_t k)
{
	return matrix->change && compare_counts_cell(matrix, k / n, k % n) &&
	       !isnan(matrix->change[k]);
}

/* Return the mean of each cell over the runs; NULL if by_level. */
static const double *mean_run_cells(
	struct runs_test *all, const struct compare_matrix *matrix)
{
	size_t n = all->comparison->cpus.n, room = n * n;
	double *sums, *counts;

	if (all->by_level)
		return NULL;
	sums = arena_alloc(all->arena, room, sizeof(*sums));
	counts = arena_alloc(all->arena, room, sizeof(*counts));
	for (size_t r = 0; r < all->n_runs; r++) {
		const struct arena_block *mark = all->arena->last;
		const double *cells = run_matrix_cells(all, r, matrix, &n);

		for (size_t k = 0; cells && k < room; k++) {
			sums[k] += isnan(cells[k]) ? 0 : cells[k];
			counts[k] += !isnan(cells[k]);
		}
		arena_rewind(all->arena, mark);
	}
	for (size_t k = 0; k < room; k++)
		sums[k] /= counts[k];
	return sums;
}

/*
 * Fill the rows from this one on with the values of run r of a matrix: cells,
 * levels, and levels relative to the other pairs.
 */
static void gather_run_values(struct runs_test *all,
	struct compare_matrix *matrix, const double *usual, size_t r,
	const size_t first[N_FAMILIES])
{
	const struct arena_block *mark = all->arena->last;
	const struct result *result;
	const struct compare_side *side = side_of_run(all, r, &result);
	const struct analysis *analysis =
		all->by_level ? side->analysis : all->sides[0]->analysis;
	enum test_family of_cells = cells_test_family(all);
	size_t n, row = first[of_cells], level = first[FAMILY_LEVELS];
	const double *cells = run_matrix_cells(all, r, matrix, &n);
	double *levels =
		arena_alloc(all->arena, matrix->n_levels, sizeof(*levels));

	for (size_t k = 0; k < n * n; k++) {
		if (is_tested_cell(matrix, n, k))
			set_run_value(all, of_cells, row++, r,
				cells ? cells[k] : NAN);
	}
	compare_level_values(matrix, analysis, cells, n, levels, all->arena);
	for (size_t k = 0; k < matrix->n_levels; k++)
		set_run_value(all, FAMILY_LEVELS, level++, r, levels[k]);
	if (usual)
		compare_rest_values(
			matrix, analysis, cells, usual, n, levels, all->arena);
	for (size_t k = 0; usual && k < matrix->n_levels; k++) {
		if (matrix->levels[k].pairs != COMPARE_ALL)
			set_run_value(
				all, FAMILY_LEVELS, level++, r, levels[k]);
	}
	arena_rewind(all->arena, mark);
}

static struct test_target level_test_target(
	struct compare_level *level, bool rest)
{
	return rest ? (struct test_target){&level->rest_p, NAN,
			      &level->rest_tested, &level->rest_significant,
			      true}
		    : (struct test_target){&level->p, level->change,
			      &level->tested, &level->significant, false};
}

/* Return the relative change of medians from the first side to the second. */
static double relative_side_change(
	const struct runs_test *all, const double *values)
{
	size_t n = all->sides[0]->n_runs, m = all->sides[1]->n_runs;
	double *scratch = arena_alloc(all->arena, n + m, sizeof(*scratch));

	memcpy(scratch, values, (n + m) * sizeof(*scratch));
	for (size_t r = 0; r < n + m; r++) {
		if (isnan(values[r]))
			return NAN;
	}
	return stat_median(scratch + n, m) / stat_median(scratch, n) - 1;
}

/* Fill the changes relative to other pairs; their targets begin at `first`. */
static void find_rest_changes(
	struct runs_test *all, struct compare_matrix *matrix, size_t first)
{
	struct test_batch *batch = &all->families[FAMILY_LEVELS];

	for (size_t k = 0; k < matrix->n_levels; k++) {
		struct compare_level *level = &matrix->levels[k];

		if (level->pairs == COMPARE_ALL)
			continue;
		level->rest_change = relative_side_change(
			all, batch->values + first * all->n_runs);
		batch->targets[first++].change = level->rest_change;
	}
}

static void gather_matrix(struct runs_test *all, struct compare_matrix *matrix)
{
	size_t n = all->comparison->cpus.n;
	const size_t first[N_FAMILIES] = {all->families[FAMILY_LEVELS].n,
		all->families[FAMILY_SINGLES].n};
	const double *usual = mean_run_cells(all, matrix);

	for (size_t k = 0; k < n * n; k++) {
		if (is_tested_cell(matrix, n, k))
			add_test_target(all, cells_test_family(all),
				(struct test_target){&matrix->p[k],
					matrix->change[k], &matrix->tested[k],
					&matrix->significant[k], false});
	}
	for (size_t k = 0; k < matrix->n_levels; k++)
		add_test_target(all, FAMILY_LEVELS,
			level_test_target(&matrix->levels[k], false));
	for (size_t k = 0; usual && k < matrix->n_levels; k++) {
		if (matrix->levels[k].pairs != COMPARE_ALL)
			add_test_target(all, FAMILY_LEVELS,
				level_test_target(&matrix->levels[k], true));
	}
	for (size_t r = 0; r < all->n_runs; r++)
		gather_run_values(all, matrix, usual, r, first);
	if (usual)
		find_rest_changes(
			all, matrix, first[FAMILY_LEVELS] + matrix->n_levels);
}

static void take_run_points(const struct compare_curve *compared,
	const struct result *result, double *points)
{
	const struct curve like = {
		.facts = compared->facts, .cpus = compared->cpus};
	const struct curve *of = NULL;

	for (size_t i = 0; !of && i < result->n_curves; i++) {
		if (curve_same(&result->curves[i], &like))
			of = &result->curves[i];
	}
	for (size_t k = 0; k < compared->n; k++) {
		points[k] = NAN;
		for (size_t i = 0; of && i < of->n; i++) {
			if (curve_is_point(of, i, compared->x[k],
				    compared->x_names[k]))
				points[k] = of->median[i];
		}
	}
}

/* Return which points of a curve all runs have; its rows begin at `first`. */
static const bool *find_shared_points(
	struct runs_test *all, const struct compare_curve *curve, size_t first)
{
	bool *shared = arena_alloc(all->arena, curve->n, sizeof(*shared));
	const double *value =
		all->families[FAMILY_SINGLES].values + first * all->n_runs;

	for (size_t k = 0; k < curve->n; k++) {
		shared[k] = true;
		for (size_t r = 0; r < all->n_runs; r++)
			shared[k] &= !isnan(*value++);
	}
	return shared;
}

/*
 * Return the median over the points of a stretch that all runs have; NaN if
 * these are at most half of its points.
 */
static double stretch_value(const struct compare_curve *curve,
	const struct compare_stretch *stretch, const double *points,
	const bool *shared, double *scratch)
{
	size_t n = 0;

	for (size_t k = 0; k < curve->n; k++) {
		if (curve->x[k] > stretch->least &&
			curve->x[k] <= stretch->most && shared[k])
			scratch[n++] = points[k];
	}
	return 2 * n > stretch->n_points ? stat_median(scratch, n) : NAN;
}

/* Restrict the stretch to the points that all runs have. */
static void show_shared_points(const struct compare_curve *curve,
	struct compare_stretch *stretch, const bool *shared, double *scratch)
{
	double *after = scratch + curve->n, before;

	for (size_t k = 0; k < curve->n; k++)
		after[k] = curve->before[k] + curve->change[k];
	before = stretch_value(curve, stretch, curve->before, shared, scratch);
	if (isnan(before))
		return;
	stretch->before = before;
	stretch->after = stretch_value(curve, stretch, after, shared, scratch);
	stretch->change = stretch->after - stretch->before;
}

static void gather_curve(struct runs_test *all, struct compare_curve *curve)
{
	size_t first = all->families[FAMILY_SINGLES].n;
	size_t level = all->families[FAMILY_LEVELS].n;
	size_t room = all->n_runs * curve->n;
	double *points = arena_alloc(all->arena, room, sizeof(*points));
	double *scratch =
		arena_alloc(all->arena, 2 * curve->n, sizeof(*scratch));
	double *p = arena_alloc(all->arena, curve->n, sizeof(*p));
	const bool *shared;

	for (size_t k = 0; k < curve->n; k++)
		add_test_target(all, FAMILY_SINGLES,
			(struct test_target){&p[k], curve->change[k],
				&curve->tested[k], &curve->significant[k],
				false});
	for (size_t r = 0; r < all->n_runs; r++) {
		const struct result *result;

		side_of_run(all, r, &result);
		take_run_points(curve, result, points + r * curve->n);
		for (size_t k = 0; k < curve->n; k++)
			set_run_value(all, FAMILY_SINGLES, first + k, r,
				points[r * curve->n + k]);
	}
	shared = find_shared_points(all, curve, first);
	for (size_t k = 0; k < curve->n_stretches; k++) {
		struct compare_stretch *stretch = &curve->stretches[k];

		show_shared_points(curve, stretch, shared, scratch);
		add_test_target(all, FAMILY_LEVELS,
			(struct test_target){&stretch->p, stretch->change,
				&stretch->tested, &stretch->significant,
				false});
	}
	for (size_t r = 0; r < all->n_runs; r++) {
		for (size_t k = 0; k < curve->n_stretches; k++)
			set_run_value(all, FAMILY_LEVELS, level + k, r,
				stretch_value(curve, &curve->stretches[k],
					points + r * curve->n, shared,
					scratch));
	}
}

/* Whether the means of both sides differ in the direction of the medians. */
static bool means_change_same_way(
	const struct runs_test *all, const double *values, double change)
{
	size_t n = all->sides[0]->n_runs;
	double a = 0, b = 0;

	for (size_t r = 0; r < n; r++)
		a += values[r] / (double)n;
	for (size_t r = n; r < all->n_runs; r++)
		b += values[r] / (double)(all->n_runs - n);
	return (b - a) * change > 0;
}

static void count_curve_changes(
	struct compare_curve *curve, enum compare_test test)
{
	curve->test = test;
	curve->n_tested = 0;
	curve->n_better = 0;
	curve->n_worse = 0;
	for (size_t k = 0; k < curve->n; k++) {
		bool worse = compare_is_worse(
			curve->higher_is_better, curve->change[k]);

		curve->n_tested += curve->tested[k];
		curve->n_worse += curve->significant[k] && worse;
		curve->n_better += curve->significant[k] && !worse;
	}
	for (size_t s = 0; s < curve->n_stretches; s++) {
		struct compare_stretch *stretch = &curve->stretches[s];

		stretch->n_changed = 0;
		for (size_t k = 0; k < curve->n; k++)
			stretch->n_changed +=
				curve->x[k] > stretch->least &&
				curve->x[k] <= stretch->most &&
				curve->significant[k] &&
				curve->change[k] * stretch->change > 0;
	}
}

static void clear_single_run_verdicts(struct comparison *comparison)
{
	size_t n = comparison->cpus.n;

	for (size_t i = 0; i < comparison->n_matrices; i++) {
		struct compare_matrix *matrix = &comparison->matrices[i];

		matrix->test = COMPARE_NONE;
		matrix->few_passes = false;
		for (size_t k = 0; matrix->change && k < n * n; k++) {
			matrix->p[k] = NAN;
			matrix->tested[k] = false;
			matrix->significant[k] = false;
		}
		for (size_t k = 0; k < matrix->n_levels; k++) {
			matrix->levels[k].p = NAN;
			matrix->levels[k].tested = false;
			matrix->levels[k].significant = false;
		}
	}
	for (size_t i = 0; i < comparison->n_curves; i++) {
		struct compare_curve *curve = &comparison->curves[i];

		for (size_t k = 0; k < curve->n; k++)
			curve->tested[k] = curve->significant[k] = false;
		for (size_t k = 0; k < curve->n_stretches; k++) {
			curve->stretches[k].tested = false;
			curve->stretches[k].significant = false;
		}
	}
}

/*
 * Set a target's verdict from p. If a machine may drift and one side was first,
 * an absolute change has no verdict, and a change relative to the other pairs
 * must exceed the possible drift of levels.
 */
static void set_target_verdict(const struct runs_test *all,
	const struct test_target *target, double p, const double *values)
{
	bool changed = p <= COMPARE_RATE &&
		       means_change_same_way(all, values, target->change);
	bool drift = changed && all->comparison->needs_turns && !target->rest;

	*target->p = p;
	/* p is NaN if a run lacks the value. */
	*target->tested = !isnan(p) && !drift;
	*target->significant =
		changed && !drift &&
		(!target->rest || !all->comparison->in_a_row ||
			fabs(target->change) > COMPARE_RUN_NOISE);
}

/* Test a family of targets; `share` is its share of the error rate. */
static void judge_test_batch(
	struct runs_test *all, const struct test_batch *batch, double share)
{
	double *p = arena_alloc(all->arena, batch->n, sizeof(*p));
	unsigned char *kinds = arena_alloc(all->arena, batch->n, 1);

	for (size_t k = 0; k < batch->n; k++) {
		kinds[k] = batch->targets[k].rest;
		if (all->when)
			stat_detrend(batch->values + k * all->n_runs, all->when,
				all->n_runs);
	}
	stat_permute(
		&(struct stat_runs){
			.values = batch->values,
			.n_values = batch->n,
			.n = all->sides[0]->n_runs,
			.m = all->sides[1]->n_runs,
			.kinds = kinds,
			.when = all->when,
			.watch = all->sides[0]->watch,
		},
		p, all->arena);
	for (size_t k = 0; k < batch->n; k++)
		set_target_verdict(all, &batch->targets[k],
			isnan(p[k]) ? NAN : fmin(p[k] / share, 1),
			batch->values + k * all->n_runs);
}

/* Whether run i began before run k: 0 or 1; 0.5 if the times are equal. */
static double run_began_before(const struct runs_test *all, size_t i, size_t k)
{
	const struct result *a, *b;
	bool one_side = side_of_run(all, i, &a) == side_of_run(all, k, &b);
	int order = strcmp(a->started, b->started);

	return order ? order < 0 : one_side ? i < k : 0.5;
}

/*
 * Return the times of the runs for subtracting drift. Return NULL if a time is
 * unknown, or if the drift would contain a change.
 */
static const double *order_runs_in_time(struct runs_test *all)
{
	double *when = arena_alloc(all->arena, all->n_runs, sizeof(*when));

	for (size_t i = 0; i < all->n_runs; i++) {
		const struct result *result;

		side_of_run(all, i, &result);
		if (!result->started || all->by_level)
			return NULL;
	}
	for (size_t i = 0; i < all->n_runs; i++) {
		for (size_t k = 0; k < all->n_runs; k++)
			when[k] += k == i ? 0 : run_began_before(all, i, k);
	}
	return stat_apart_in_time(when, all->sides[0]->n_runs,
		       all->sides[1]->n_runs) <= SIDES_APART_MAX
		       ? when
		       : NULL;
}

static void judge_all_batches(struct runs_test *all)
{
	struct comparison *comparison = all->comparison;
	size_t n = comparison->cpus.n, room[N_FAMILIES] = {0, 0};

	for (size_t i = 0; i < comparison->n_matrices; i++) {
		room[cells_test_family(all)] += n * n;
		room[FAMILY_LEVELS] += 2 * comparison->matrices[i].n_levels;
	}
	for (size_t i = 0; i < comparison->n_curves; i++) {
		room[FAMILY_SINGLES] += comparison->curves[i].n;
		room[FAMILY_LEVELS] += comparison->curves[i].n_stretches;
	}
	for (size_t f = 0; f < N_FAMILIES; f++) {
		struct test_batch *batch = &all->families[f];

		batch->targets = arena_alloc(
			all->arena, room[f], sizeof(*batch->targets));
		batch->values = arena_alloc(
			all->arena, room[f] * all->n_runs, sizeof(double));
	}
	for (size_t i = 0; i < comparison->n_matrices; i++)
		gather_matrix(all, &comparison->matrices[i]);
	for (size_t i = 0; i < comparison->n_curves; i++)
		gather_curve(all, &comparison->curves[i]);
	judge_test_batch(all, &all->families[FAMILY_LEVELS],
		family_shares[FAMILY_LEVELS]);
	/* A change of pairs or points cannot be separated from drift. */
	if (!comparison->needs_turns)
		judge_test_batch(all, &all->families[FAMILY_SINGLES],
			family_shares[FAMILY_SINGLES]);
}

void compare_runs(struct comparison *comparison, const struct compare_side *a,
	const struct compare_side *b, bool by_level)
{
	bool judged = comparison->judge == COMPARE_BY_RUNS;
	enum compare_test test = judged ? COMPARE_RUNS : COMPARE_NONE;
	struct runs_test all = {
		.comparison = comparison,
		.sides = {a, b},
		.by_level = by_level,
		.n_runs = a->n_runs + b->n_runs,
		.arena = &comparison->memory,
	};

	if (comparison->judge == COMPARE_BY_ONE)
		return;
	clear_single_run_verdicts(comparison);
	if (judged) {
		all.when = order_runs_in_time(&all);
		judge_all_batches(&all);
	}
	for (size_t i = 0; i < comparison->n_matrices; i++) {
		comparison->matrices[i].test = test;
		compare_finish_pairs(
			&comparison->matrices[i], comparison->cpus.n);
	}
	for (size_t i = 0; i < comparison->n_curves; i++)
		count_curve_changes(&comparison->curves[i], test);
}

/* Whether another run may place the vCPUs differently. */
static bool may_be_placed_otherwise(const struct compare_side *side)
{
	static const char *const commands[] = {"latency", "queue", "memcpy",
		"cache", "contend", "states", "numa"};
	const struct result *result = side->result;
	const char *command = result->command;
	bool known = false;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		known |= command && strcmp(command, commands[i]) == 0;
	return known && (facts_text(&result->machine, "hypervisor") ||
				result->run.verdict == RUN_DRIFTED ||
				(side->analysis && side->analysis->placement ==
							   ANALYSIS_DRIFTING));
}

/* Whether all runs of a began before all runs of b, in one time zone. */
static bool all_runs_began_before(
	const struct compare_side *a, const struct compare_side *b)
{
	for (size_t i = 0; i < a->n_runs; i++) {
		for (size_t j = 0; j < b->n_runs; j++) {
			const char *x = a->runs[i]->started;
			const char *y = b->runs[j]->started;

			if (!x || !y || strcmp(x, y) >= 0)
				return false;
		}
	}
	return true;
}

/* Whether intervals or passes show the noise of the main matrix. */
static bool has_known_noise(const struct result *result)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);
	const struct matrix *low;
	size_t n = result_members(result)->n;
	bool known;

	if (!matrix)
		return true;
	low = result_find_matrix(result, matrix->name, "ci_low");
	known = result->n_kept > 0;
	for (size_t k = 0; low && !known && k < n * n; k++)
		known = !isnan(low->values[k]);
	return known;
}

/* Withhold the verdict if a side has single values without intervals. */
static void reject_single_values(struct comparison *comparison,
	const struct compare_side *a, const struct compare_side *b)
{
	const struct compare_side *poor = !has_known_noise(a->result)	? a
					  : !has_known_noise(b->result) ? b
									: NULL;

	if (!poor)
		return;
	comparison->judge = COMPARE_ONE_RUN;
	comparison->undecided = arena_format(&comparison->memory,
		"cannot tell, because '%s' has no intervals: a single value "
		"does not show its noise",
		poor->source);
}

void compare_choose_judge(struct comparison *comparison,
	const struct compare_side *a, const struct compare_side *b,
	bool by_level)
{
	size_t n = a->n_runs ? a->n_runs : 1, m = b->n_runs ? b->n_runs : 1;

	comparison->in_a_row =
		(n > 1 || m > 1) &&
		(all_runs_began_before(a, b) || all_runs_began_before(b, a));
	comparison->needs_turns =
		comparison->in_a_row && !by_level &&
		(may_be_placed_otherwise(a) || may_be_placed_otherwise(b));
	comparison->n_runs[0] = n;
	comparison->n_runs[1] = m;
	comparison->least_p = fmin(
		stat_permute_least(n, m) / family_shares[FAMILY_LEVELS], 1);
	comparison->least_single_p = fmin(
		stat_permute_least(n, m) / family_shares[FAMILY_SINGLES], 1);
	if (n > 1 || m > 1)
		comparison->judge = comparison->least_p <= COMPARE_RATE
					    ? COMPARE_BY_RUNS
					    : COMPARE_FEW;
	else if (may_be_placed_otherwise(a) || may_be_placed_otherwise(b))
		comparison->judge = COMPARE_ONE_RUN;
	if (comparison->judge == COMPARE_BY_ONE)
		reject_single_values(comparison, a, b);
	else if (comparison->judge == COMPARE_ONE_RUN)
		comparison->undecided = "cannot tell from one run each; run "
					"again with --runs 5";
	else if (comparison->judge == COMPARE_FEW)
		comparison->undecided = arena_format(&comparison->memory,
			"cannot tell from %zu and %zu run%s: the smallest "
			"possible p is %.2g, above the threshold of %.2g; run "
			"again with --runs 5",
			n, m, m == 1 ? "" : "s", comparison->least_p,
			COMPARE_RATE);
}
