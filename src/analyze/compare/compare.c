/* Compares two results pair by pair. */
#include "analyze/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/compare/compare_parts.h"
#include "result/clock_step.h"
#include "stat/stat.h"

/* Largest number of blocks: shorter blocks are more correlated. */
#define BLOCKS_MAX 20

/* A side's matrices of one name, and the indexes of the reference's CPUs. */
struct side_matrices {
	const struct matrix *median, *low, *high;
	const struct passes *passes; /* NULL: not kept */
	const struct passes *again;  /* repeats of pairs; NULL: none */
	size_t *column; /* [n * n] column of a pair in passes, plus one */
	size_t *index;	/* [n] index of each CPU of the reference */
	double step;	/* clock step in the matrix's unit, or 0 */
	double *noise;	/* [n * n] noise of cache lines; or NULL */
	size_t n;
};

/*
 * Return compare_lines_noise() for each pair; 0 for pairs without a profile.
 */
static double *noise_of_lines(const struct result *result, struct arena *arena)
{
	size_t n = result->cpus.n;
	double *noise = arena_alloc(arena, n * n, sizeof(*noise));

	for (size_t k = 0; k < result->n_line_profiles; k++) {
		const struct line_profile *lines = &result->line_profiles[k];
		long i = cpu_list_find(&result->cpus, lines->cpus.cpus[0]);
		long j = cpu_list_find(&result->cpus, lines->cpus.cpus[1]);

		if (i >= 0 && j >= 0)
			noise[(size_t)i * n + (size_t)j] =
				noise[(size_t)j * n + (size_t)i] =
					compare_lines_noise(lines);
	}
	return noise;
}

static struct side_matrices side_matrices_of(const struct compare_side *side,
	const struct cpu_list *cpus, const char *name, struct arena *arena)
{
	const struct result *result = side->result;
	size_t n = cpus->n;
	struct side_matrices matrices = {
		.median = result_find_matrix(result, name, NULL),
		.low = result_find_matrix(result, name, "ci_low"),
		.high = result_find_matrix(result, name, "ci_high"),
		/* Passes never have pairs of nodes. */
		.passes = result_is_of_nodes(result)
				  ? NULL
				  : result_find_passes(result, name),
		.again = result_find_passes_again(result, name),
		.index = arena_alloc(arena, n, sizeof(size_t)),
		.n = n,
	};

	matrices.step = clock_step_of(result, matrices.median);
	if (result->n_line_profiles > 0 && !result_is_of_nodes(result))
		matrices.noise = noise_of_lines(result, arena);
	for (size_t i = 0; i < n; i++)
		matrices.index[i] = (size_t)cpu_list_find(
			result_members(result), cpus->cpus[i]);
	if (matrices.passes)
		matrices.column = arena_alloc(arena, n * n, sizeof(size_t));
	for (size_t k = 0; matrices.passes && k < matrices.passes->n_pairs;
		k++) {
		const struct cpu_pair *pair = &matrices.passes->pairs[k];

		matrices.column[pair->first * n + pair->second] = k + 1;
		if (matrices.median->symmetric)
			matrices.column[pair->second * n + pair->first] = k + 1;
	}
	return matrices;
}

/* Return the index of the reference's pair (i, j) in this side's matrices. */
static size_t side_cell_index(
	const struct side_matrices *matrices, size_t i, size_t j)
{
	return matrices->index[i] * matrices->n + matrices->index[j];
}

/*
 * Write the medians of a pair's blocks of passes, in order of time, to the
 * beginning of scratch[all passes]; return how many.
 */
static size_t take_blocks(const struct side_matrices *matrices, size_t i,
	size_t j, double *scratch)
{
	const struct passes *passes = matrices->passes;
	size_t column = matrices->column[side_cell_index(matrices, i, j)];
	size_t n = 0, blocks, begin = 0;

	for (size_t k = 0; column > 0 && k < passes->n_passes; k++) {
		double value = passes->values[k * passes->n_pairs + column - 1];

		if (!isnan(value))
			scratch[n++] = value;
	}
	if (column > 0)
		n += passes_take_pair(matrices->again,
			passes->pairs[column - 1], scratch + n);
	blocks = n < BLOCKS_MAX ? n : BLOCKS_MAX;
	for (size_t k = 0; k < blocks; k++) {
		size_t end = (k + 1) * n / blocks;

		scratch[k] = stat_median(scratch + begin, end - begin);
		begin = end;
	}
	return blocks;
}

static size_t count_side_passes(const struct side_matrices *matrices)
{
	return matrices->passes->n_passes +
	       (matrices->again ? matrices->again->n_passes : 0);
}

/* Test pairs by passes if both sides have enough for a significant p. */
static void test_passes(struct compare_matrix *matrix,
	const struct side_matrices *a, const struct side_matrices *b,
	struct arena *arena)
{
	double least = 1;
	size_t n = a->n;
	double *old = arena_alloc(arena, count_side_passes(a), sizeof(*old));
	double *new = arena_alloc(arena, count_side_passes(b), sizeof(*new));

	for (size_t k = 0; k < n * n; k++) {
		size_t i = k / n, j = k % n, n_old, n_new;

		if (!compare_counts_cell(matrix, i, j) ||
			isnan(matrix->change[k]))
			continue;
		n_old = take_blocks(a, i, j, old);
		n_new = take_blocks(b, i, j, new);
		if (n_old == 0 || n_new == 0)
			continue;
		matrix->p[k] = stat_rank_sum(old, n_old, new, n_new, arena);
		least = fmin(least, stat_rank_sum_least(n_old, n_new));
	}
	matrix->few_passes = least > COMPARE_RATE;
	matrix->test = matrix->few_passes ? COMPARE_NONE : COMPARE_PASSES;
	for (size_t k = 0; matrix->few_passes && k < n * n; k++)
		matrix->p[k] = NAN;
	stat_false_discovery(matrix->p, n * n, arena);
	for (size_t k = 0; k < n * n; k++) {
		matrix->tested[k] = !isnan(matrix->p[k]);
		matrix->significant[k] =
			matrix->p[k] <= COMPARE_RATE && matrix->change[k] != 0;
	}
}

static void test_intervals(struct compare_matrix *matrix,
	const struct side_matrices *a, const struct side_matrices *b)
{
	size_t n = a->n;

	if (!a->low || !a->high || !b->low || !b->high)
		return;
	for (size_t k = 0; k < n * n; k++) {
		size_t i = side_cell_index(a, k / n, k % n);
		size_t j = side_cell_index(b, k / n, k % n);
		double old_low = a->low->values[i],
		       old_high = a->high->values[i];
		double new_low = b->low->values[j],
		       new_high = b->high->values[j];

		if (!compare_counts_cell(matrix, k / n, k % n) ||
			isnan(matrix->change[k]) || isnan(old_low) ||
			isnan(old_high) || isnan(new_low) || isnan(new_high))
			continue;
		matrix->test = COMPARE_INTERVALS;
		matrix->tested[k] = true;
		matrix->significant[k] =
			old_high < new_low || new_high < old_low;
	}
}

void compare_finish_pairs(struct compare_matrix *matrix, size_t n)
{
	matrix->n_pairs = 0;
	matrix->n_tested = 0;
	matrix->n_better = 0;
	matrix->n_worse = 0;
	for (size_t i = 0; matrix->change && i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			size_t at = i * n + j, mirrored = j * n + i;

			if (!compare_counts_cell(matrix, i, j) ||
				isnan(matrix->change[at]))
				continue;
			matrix->n_pairs++;
			matrix->n_tested += matrix->tested[at];
			if (matrix->significant[at] &&
				compare_is_worse(matrix->higher_is_better,
					matrix->change[at]))
				matrix->n_worse++;
			else if (matrix->significant[at])
				matrix->n_better++;
			if (!matrix->symmetric)
				continue;
			matrix->p[mirrored] = matrix->p[at];
			matrix->tested[mirrored] = matrix->tested[at];
			matrix->significant[mirrored] = matrix->significant[at];
		}
	}
}

/* Whether clock steps or the choice of cache lines explain a change. */
static bool is_below_noise(double change, const struct side_matrices *a,
	size_t i, const struct side_matrices *b, size_t j)
{
	double old = a->noise ? a->noise[i] : 0;
	double new = b->noise ? b->noise[j] : 0;

	return fabs(change) <= a->step + b->step ||
	       fabs(change) <= hypot(old, new);
}

static void compare_pairs(struct compare_matrix *matrix,
	const struct side_matrices *a, const struct side_matrices *b,
	struct arena *arena)
{
	size_t n = a->n;

	matrix->before = arena_alloc(arena, n * n, sizeof(*matrix->before));
	matrix->change = arena_alloc(arena, n * n, sizeof(*matrix->change));
	matrix->p = arena_alloc(arena, n * n, sizeof(*matrix->p));
	matrix->tested = arena_alloc(arena, n * n, sizeof(*matrix->tested));
	matrix->significant =
		arena_alloc(arena, n * n, sizeof(*matrix->significant));
	for (size_t k = 0; k < n * n; k++) {
		matrix->before[k] = a->median->values[k];
		matrix->change[k] =
			b->median->values[side_cell_index(b, k / n, k % n)] -
			a->median->values[k];
		matrix->p[k] = NAN;
	}
	if (a->passes && b->passes)
		test_passes(matrix, a, b, arena);
	if (matrix->test == COMPARE_NONE)
		test_intervals(matrix, a, b);
	for (size_t k = 0; k < n * n; k++)
		matrix->significant[k] &= !is_below_noise(matrix->change[k], a,
			side_cell_index(a, k / n, k % n), b,
			side_cell_index(b, k / n, k % n));
	compare_finish_pairs(matrix, n);
}

/* The two sides, the method and the comparison to fill. */
struct comparison_task {
	const struct compare_side *a, *b;
	bool by_level;
	struct comparison *comparison;
	struct machine_divisions topologies[2]; /* of both sides, or empty */
};

/* Compare a matrix of both sides; old is from side a. */
static void compare_matrix(const struct comparison_task *task,
	const struct matrix *old, const struct matrix *new, struct arena *arena)
{
	struct comparison *comparison = task->comparison;
	const struct cpu_list *cpus = result_members(task->a->result);
	struct compare_matrix *matrix =
		&comparison->matrices[comparison->n_matrices++];
	struct side_matrices before, after;

	*matrix = (struct compare_matrix){
		.name = arena_strdup(arena, old->name),
		.unit = arena_strdup(arena, old->unit),
		.quantity = arena_strdup(arena, old->quantity),
		.higher_is_better = old->higher_is_better,
		.symmetric = old->symmetric && new->symmetric,
	};
	if (task->by_level) {
		compare_levels_by_name(comparison, matrix, task->a, task->b);
		return;
	}
	before = side_matrices_of(task->a, cpus, matrix->name, arena);
	after = side_matrices_of(task->b, cpus, matrix->name, arena);
	compare_pairs(matrix, &before, &after, arena);
	if (!result_is_of_nodes(task->a->result))
		compare_levels(matrix, task->a, arena);
}

/* Collect the changes of all curves' points, in per cent; return how many. */
static size_t take_curve_changes(
	const struct comparison *comparison, double *changes)
{
	size_t n = 0;

	for (size_t i = 0; i < comparison->n_curves; i++) {
		const struct compare_curve *curve = &comparison->curves[i];

		for (size_t k = 0; k < curve->n; k++) {
			if (curve->before[k] != 0)
				changes[n++] = 100 * curve->change[k] /
					       fabs(curve->before[k]);
		}
	}
	return n;
}

/* Collect the changes of the pairs or the levels of the first matrix. */
static size_t take_pair_changes(
	const struct compare_matrix *matrix, size_t n, double *changes)
{
	size_t kept = 0;

	for (size_t k = 0; matrix->change && k < n * n; k++) {
		if (compare_counts_cell(matrix, k / n, k % n) &&
			!isnan(matrix->change[k]) && matrix->before[k] != 0)
			changes[kept++] = 100 * matrix->change[k] /
					  fabs(matrix->before[k]);
	}
	for (size_t k = 0; !matrix->change && k < matrix->n_levels; k++) {
		const struct compare_level *level = &matrix->levels[k];

		/*
		 * Use the set of all pairs only if both sides have no other
		 * set.
		 */
		if ((level->pairs != COMPARE_ALL || matrix->n_levels == 1) &&
			level->before != 0)
			changes[kept++] =
				100 * level->change / fabs(level->before);
	}
	return kept;
}

static void find_distance(struct comparison *comparison, struct arena *arena)
{
	const struct compare_matrix *matrix = comparison->matrices;
	size_t n = comparison->cpus.n, room = 0, kept;
	double *changes;

	for (size_t i = 0; i < comparison->n_curves; i++)
		room += comparison->curves[i].n;
	if (comparison->n_matrices > 0)
		room = n * n + matrix->n_levels;
	changes = arena_alloc(arena, room, sizeof(*changes));
	kept = comparison->n_matrices > 0
		       ? take_pair_changes(matrix, n, changes)
		       : take_curve_changes(comparison, changes);
	comparison->change_pct = stat_median(changes, kept);
	for (size_t k = 0; k < kept; k++)
		changes[k] = fabs(changes[k]);
	comparison->distance_pct = stat_median(changes, kept);
}

/* Whether the result has several devices, which its curves name. */
static bool of_several_devices(const struct result *result)
{
	return result->n_curves > 0 && result->curves[0].facts.device;
}

/* An empty comparison must not look like "no change". */
static int check_anything_compared(
	const struct comparison_task *task, struct error *err)
{
	const struct comparison *comparison = task->comparison;
	const struct compare_matrix *matrix = comparison->matrices;

	for (size_t i = 0; i < comparison->n_curves; i++) {
		if (comparison->curves[i].n > 0)
			return 0;
	}
	if (comparison->n_matrices == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' and '%s' share no curve that has a number at "
			"one x in both%s",
			task->a->source, task->b->source,
			of_several_devices(task->a->result) ==
					of_several_devices(task->b->result)
				? ""
				: ": one file has several devices, so measure "
				  "both with the same --device");
	if (!matrix->change || matrix->n_pairs > 0)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' and '%s' share no pair of %ss that has a number in "
		"both matrices '%s'%s",
		task->a->source, task->b->source,
		result_member_word(task->a->result), matrix->name,
		task->a->result->n_line_profiles > 0
			? ": c2c latency --by-line may choose other pairs in "
			  "each run; measure both with the same --pair, --from "
			  "or --all-pairs"
			: "");
}

static int compare_sides(struct arena *arena, void *context, struct error *err)
{
	const struct comparison_task *task = context;
	struct comparison *comparison = task->comparison;
	const struct result *result = task->a->result;
	const struct cpu_list *members = result_members(result);
	bool of_lines = result->n_line_profiles > 0 &&
			task->b->result->n_line_profiles > 0;
	size_t n = members->n;

	comparison->cpus = (struct cpu_list){
		arena_copy(arena, members->cpus, n, sizeof(unsigned)), n};
	comparison->of_nodes = result_is_of_nodes(result);
	compare_choose_judge(comparison, task->a, task->b, task->by_level);
	comparison->matrices = arena_alloc(
		arena, result->n_matrices, sizeof(*comparison->matrices));
	for (size_t i = 0; i < result->n_matrices; i++) {
		const struct matrix *old = &result->matrices[i];
		const struct matrix *new =
			result_find_matrix(task->b->result, old->name, NULL);

		/* Compare the main statistic of each common name. */
		if (old == result_find_matrix(result, old->name, NULL) &&
			new &&strcmp(old->unit, new->unit) == 0)
			compare_matrix(task, old, new, arena);
	}
	if (task->by_level) {
		compare_runs(comparison, task->a, task->b, true);
	} else {
		/* Each run has curves of other cache lines. */
		if (!of_lines)
			compare_curves(comparison, task->a, task->b);
		compare_runs(comparison, task->a, task->b, false);
		if (of_lines)
			compare_lines(comparison, task->a, task->b);
		compare_caches(comparison, task->a, task->b);
	}
	if (task->a->no_levels)
		compare_add_unmatched(comparison,
			arena_format(arena,
				"levels: all pairs are one level, the others "
				"are left out: %s",
				task->a->no_levels));
	find_distance(comparison, arena);
	compare_facts(comparison, task->a, task->b, task->topologies);
	return check_anything_compared(task, err);
}

int compare_check_one_side(const struct compare_side *a,
	const struct compare_side *b, struct error *err)
{
	return compare_check(a, b, false, err);
}

/*
 * Divide the CPUs of the matrices by the topologies in both results. The
 * reference's topology is read once and kept for all comparisons with it.
 */
static int divide_both(struct comparison_task *task,
	struct compare_topology *kept, struct error *err)
{
	const struct compare_side *a = task->a, *b = task->b;
	const struct cpu_list *cpus = &a->result->cpus;
	int rc = 0;

	if (task->by_level || result_is_of_nodes(a->result) ||
		!a->result->hwloc_xml || !b->result->hwloc_xml)
		return 0;
	if (!kept->known)
		rc = compare_divide_topology(a, cpus, &kept->divisions, err);
	kept->known = rc == 0;
	if (rc < 0)
		return rc;
	task->topologies[0] = kept->divisions;
	return compare_divide_topology(b, cpus, &task->topologies[1], err);
}

int compare_make(const struct compare_side *a, const struct compare_side *b,
	bool by_level, struct comparison *comparison, struct error *err)
{
	struct comparison_task task = {a, b, by_level, comparison, {{0}, {0}}};
	struct compare_topology own = {.known = false};
	int rc = compare_check(a, b, by_level, err);

	*comparison = (struct comparison){0};
	if (rc == 0)
		rc = divide_both(&task, a->topology ? a->topology : &own, err);
	if (rc == 0)
		rc = arena_run(&comparison->memory, compare_sides, &task,
			"the comparison", err);
	machine_divisions_release(&own.divisions);
	machine_divisions_release(&task.topologies[1]);
	if (rc < 0)
		compare_release(comparison);
	return rc;
}

/* Make both sides of a curve, at the points that both have. */
static void make_curve_sides(const struct compare_curve *from,
	struct curve curves[2], struct arena *arena)
{
	const char *variant = from->facts.variant;
	double *after = arena_alloc(arena, from->n, sizeof(*after));
	double *missing = arena_alloc(arena, from->n, sizeof(*missing));

	for (size_t k = 0; k < from->n; k++) {
		after[k] = from->before[k] + from->change[k];
		missing[k] = NAN;
	}
	for (int new = 0; new < 2; new ++) {
		curves[new] = (struct curve){
			.facts = from->facts,
			.cpus = from->cpus,
			.n = from->n,
			/* Pictures identify curves by the address of x. */
			.x = arena_copy(
				arena, from->x, from->n, sizeof(*from->x)),
			.median = new ? after : from->before,
			.low = missing,
			.high = missing,
		};
	}
	/* Pictures label the second curve by its variant, "after". */
	curves[1].facts.variant = arena_format(arena, "%s%safter",
		variant ? variant : "", variant ? ", " : "");
}

struct result compare_result(const struct comparison *comparison,
	const struct compare_side *reference, struct arena *arena)
{
	struct result result;

	result_init(&result);
	result.complete = true;
	result.command = reference->result->command;
	result.cpus = comparison->cpus;
	if (result_is_of_nodes(reference->result))
		result.nodes.all = comparison->cpus;
	result.n_matrices = comparison->n_matrices;
	result.matrices = arena_alloc(
		arena, comparison->n_matrices, sizeof(*result.matrices));
	for (size_t i = 0; i < comparison->n_matrices; i++) {
		const struct compare_matrix *from = &comparison->matrices[i];

		result.matrices[i] = (struct matrix){
			.name = from->name,
			.statistic = arena_strdup(arena, "change"),
			.unit = from->unit,
			.quantity = from->quantity,
			.higher_is_better = from->higher_is_better,
			.symmetric = from->symmetric,
			.values = from->change,
		};
	}
	result.n_curves = 2 * comparison->n_curves;
	result.curves =
		arena_alloc(arena, result.n_curves, sizeof(*result.curves));
	for (size_t i = 0; i < comparison->n_curves; i++)
		make_curve_sides(
			&comparison->curves[i], &result.curves[2 * i], arena);
	return result;
}
