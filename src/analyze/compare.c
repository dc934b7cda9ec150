/*
 * Two results pair by pair, and what follows from it.
 */
#include "analyze/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare_parts.h"
#include "stat/stat.h"

/* As many medians of passes as a rank test needs; more would be less alike. */
#define BLOCKS_MAX 20

/* Modified z-scores above it are outliers: Iglewicz and Hoaglin, 1993. */
#define OUTLIER_SCORE 3.5

/* From a median absolute deviation to the standard deviation of a normal. */
#define MAD_TO_SIGMA 1.4826

/* Runs of one host are no nearer to each other than this. */
#define MAD_LEAST_PCT 0.5

/* With fewer hosts nobody can say which of them stands out. */
#define HOSTS_MIN 4

/* One side's matrices of a name, and where the reference's CPUs are there. */
struct half {
	const struct matrix *median, *low, *high;
	const struct passes *passes; /* NULL: not kept */
	size_t *column;		     /* [n * n] of a pair in passes, plus one */
	size_t *place;		     /* [n] of the reference's CPUs */
	size_t n;
};

static void half_release(struct half *half)
{
	free(half->column);
	free(half->place);
}

static int half_init(struct half *half, const struct compare_side *side,
	const struct cpu_list *cpus, const char *name, struct error *err)
{
	const struct result *result = side->result;
	size_t n = cpus->n;

	*half = (struct half){
		.median = result_find_matrix(result, name, NULL),
		.low = result_find_matrix(result, name, "ci_low"),
		.high = result_find_matrix(result, name, "ci_high"),
		.passes = result_find_passes(result, name),
		.n = n,
	};
	half->place = calloc(n + 1, sizeof(*half->place));
	half->column = calloc(n * n + 1, sizeof(*half->column));
	if (!half->place || !half->column)
		return error_no_memory(err, "the pairs");
	for (size_t i = 0; i < n; i++)
		half->place[i] =
			(size_t)cpu_list_find(&result->cpus, cpus->cpus[i]);
	for (size_t k = 0; half->passes && k < half->passes->n_pairs; k++) {
		const struct cpu_pair *pair = &half->passes->pairs[k];

		half->column[pair->first * n + pair->second] = k + 1;
		if (half->median->symmetric)
			half->column[pair->second * n + pair->first] = k + 1;
	}
	return 0;
}

/* Where the reference's pair (i, j) is in this side's matrices. */
static size_t half_at(const struct half *half, size_t i, size_t j)
{
	return half->place[i] * half->n + half->place[j];
}

/*
 * The medians of a pair's passes in blocks, in the order of time, into the
 * beginning of scratch[n_passes]; returns how many.
 */
static size_t take_blocks(
	const struct half *half, size_t i, size_t j, double *scratch)
{
	const struct passes *passes = half->passes;
	size_t column = half->column[half_at(half, i, j)];
	size_t n = 0, blocks, begin = 0;

	for (size_t k = 0; column > 0 && k < passes->n_passes; k++) {
		double value = passes->values[k * passes->n_pairs + column - 1];

		if (!isnan(value))
			scratch[n++] = value;
	}
	blocks = n < BLOCKS_MAX ? n : BLOCKS_MAX;
	for (size_t k = 0; k < blocks; k++) {
		size_t end = (k + 1) * n / blocks;

		scratch[k] = stat_median(scratch + begin, end - begin);
		begin = end;
	}
	return blocks;
}

/*
 * Where both sides have passes, and enough of them that the most different of
 * them would be told apart.
 */
static int test_passes(struct compare_matrix *matrix, const struct half *a,
	const struct half *b, struct error *err)
{
	double least = 1;
	size_t n = a->n;
	double *old = calloc(a->passes->n_passes + 1, sizeof(*old));
	double *new = calloc(b->passes->n_passes + 1, sizeof(*new));
	int rc = old && new ? 0 : -ENOMEM;

	for (size_t k = 0; rc == 0 && k < n * n; k++) {
		size_t i = k / n, j = k % n, n_old, n_new;

		if (!compare_counts(matrix, i, j) || isnan(matrix->change[k]))
			continue;
		n_old = take_blocks(a, i, j, old);
		n_new = take_blocks(b, i, j, new);
		if (n_old == 0 || n_new == 0)
			continue;
		rc = stat_rank_sum(old, n_old, new, n_new, &matrix->p[k]);
		least = fmin(least, stat_rank_sum_least(n_old, n_new));
	}
	matrix->few_passes = least > COMPARE_RATE;
	matrix->test = matrix->few_passes ? COMPARE_NONE : COMPARE_PASSES;
	for (size_t k = 0; matrix->few_passes && k < n * n; k++)
		matrix->p[k] = NAN;
	if (rc == 0)
		rc = stat_false_discovery(matrix->p, n * n);
	for (size_t k = 0; rc == 0 && k < n * n; k++)
		matrix->significant[k] =
			matrix->p[k] <= COMPARE_RATE && matrix->change[k] != 0;
	free(old);
	free(new);
	return rc < 0 ? error_no_memory(err, "the test of pairs") : 0;
}

/* Where both sides have intervals, of one pair at least. */
static void test_intervals(struct compare_matrix *matrix, const struct half *a,
	const struct half *b)
{
	size_t n = a->n;

	if (!a->low || !a->high || !b->low || !b->high)
		return;
	for (size_t k = 0; k < n * n; k++) {
		size_t i = half_at(a, k / n, k % n);
		size_t j = half_at(b, k / n, k % n);
		double old_low = a->low->values[i],
		       old_high = a->high->values[i];
		double new_low = b->low->values[j],
		       new_high = b->high->values[j];

		if (!compare_counts(matrix, k / n, k % n) ||
			isnan(matrix->change[k]) || isnan(old_low) ||
			isnan(old_high) || isnan(new_low) || isnan(new_high))
			continue;
		matrix->test = COMPARE_INTERVALS;
		matrix->significant[k] =
			old_high < new_low || new_high < old_low;
	}
}

/* The other half of a symmetric matrix, and how many changed which way. */
static void finish_pairs(struct compare_matrix *matrix, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			size_t at = i * n + j, mirrored = j * n + i;

			if (!compare_counts(matrix, i, j) ||
				isnan(matrix->change[at]))
				continue;
			matrix->n_pairs++;
			if (matrix->significant[at] &&
				compare_is_worse(matrix, matrix->change[at]))
				matrix->n_worse++;
			else if (matrix->significant[at])
				matrix->n_better++;
			if (!matrix->symmetric)
				continue;
			matrix->p[mirrored] = matrix->p[at];
			matrix->significant[mirrored] = matrix->significant[at];
		}
	}
}

static int compare_pairs(struct compare_matrix *matrix, const struct half *a,
	const struct half *b, struct error *err)
{
	size_t n = a->n;
	int rc = 0;

	matrix->before = calloc(n * n + 1, sizeof(*matrix->before));
	matrix->change = calloc(n * n + 1, sizeof(*matrix->change));
	matrix->p = calloc(n * n + 1, sizeof(*matrix->p));
	matrix->significant = calloc(n * n + 1, sizeof(*matrix->significant));
	if (!matrix->before || !matrix->change || !matrix->p ||
		!matrix->significant)
		return error_no_memory(err, "the pairs");
	for (size_t k = 0; k < n * n; k++) {
		matrix->before[k] = a->median->values[k];
		matrix->change[k] =
			b->median->values[half_at(b, k / n, k % n)] -
			a->median->values[k];
		matrix->p[k] = NAN;
	}
	if (a->passes && b->passes)
		rc = test_passes(matrix, a, b, err);
	if (rc == 0 && matrix->test == COMPARE_NONE)
		test_intervals(matrix, a, b);
	if (rc == 0)
		finish_pairs(matrix, n);
	return rc;
}

static int compare_halves(struct compare_matrix *matrix,
	const struct compare_side *a, const struct compare_side *b,
	struct error *err)
{
	struct half old, new = {0};
	int rc = half_init(&old, a, &a->result->cpus, matrix->name, err);

	if (rc == 0)
		rc = half_init(&new, b, &a->result->cpus, matrix->name, err);
	if (rc == 0)
		rc = compare_pairs(matrix, &old, &new, err);
	half_release(&new);
	half_release(&old);
	if (rc == 0)
		rc = compare_levels(matrix, a, err);
	return rc;
}

/* An empty one with the names of a and b's common matrix. */
static int name_matrix(struct compare_matrix *matrix, const struct matrix *a,
	const struct matrix *b, struct error *err)
{
	matrix->name = strdup(a->name);
	matrix->unit = strdup(a->unit);
	matrix->quantity = a->quantity ? strdup(a->quantity) : NULL;
	matrix->higher_is_better = a->higher_is_better;
	matrix->symmetric = a->symmetric && b->symmetric;
	if (!matrix->name || !matrix->unit ||
		(a->quantity && !matrix->quantity))
		return error_no_memory(err, "the matrices");
	return 0;
}

static int compare_matrices(struct comparison *comparison,
	const struct compare_side *a, const struct compare_side *b,
	bool by_level, struct error *err)
{
	const struct result *result = a->result;
	int rc = 0;

	comparison->matrices =
		calloc(result->n_matrices + 1, sizeof(*comparison->matrices));
	if (!comparison->matrices)
		return error_no_memory(err, "the matrices");
	for (size_t i = 0; rc == 0 && i < result->n_matrices; i++) {
		const struct matrix *old = &result->matrices[i];
		const struct matrix *new =
			result_find_matrix(b->result, old->name, NULL);
		struct compare_matrix *matrix =
			&comparison->matrices[comparison->n_matrices];

		/* The main statistic of each name that both have. */
		if (old != result_find_matrix(result, old->name, NULL) ||
			!new || strcmp(old->unit, new->unit) != 0)
			continue;
		comparison->n_matrices++;
		rc = name_matrix(matrix, old, new, err);
		if (rc == 0 && by_level)
			rc = compare_levels_apart(comparison, matrix, a, b,
				comparison->n_matrices == 1, err);
		else if (rc == 0)
			rc = compare_halves(matrix, a, b, err);
	}
	return rc;
}

/* The medians over the first matrix's pairs, or over its levels. */
static int find_distance(struct comparison *comparison, struct error *err)
{
	const struct compare_matrix *matrix = &comparison->matrices[0];
	size_t n = comparison->cpus.n, kept = 0;
	double *changes = calloc(n * n + 8 * matrix->n_levels, sizeof(double));

	if (!changes)
		return error_no_memory(err, "the distance");
	for (size_t k = 0; matrix->change && k < n * n; k++) {
		if (compare_counts(matrix, k / n, k % n) &&
			!isnan(matrix->change[k]) && matrix->before[k] != 0)
			changes[kept++] = 100 * matrix->change[k] /
					  fabs(matrix->before[k]);
	}
	for (size_t k = 0; !matrix->change && k < matrix->n_levels; k++) {
		const struct compare_level *level = &matrix->levels[k];

		/* All pairs where no level has a counterpart. */
		if ((!level->all || matrix->n_levels == 1) &&
			level->before != 0)
			changes[kept++] =
				100 * level->change / fabs(level->before);
	}
	comparison->change_pct = stat_median(changes, kept);
	for (size_t k = 0; k < kept; k++)
		changes[k] = fabs(changes[k]);
	comparison->distance_pct = stat_median(changes, kept);
	free(changes);
	return 0;
}

/* Nothing compared must not look like nothing changed. */
static int check_pairs(const struct comparison *comparison,
	const struct compare_side *a, const struct compare_side *b,
	struct error *err)
{
	const struct compare_matrix *matrix = &comparison->matrices[0];

	if (!matrix->change || matrix->n_pairs > 0)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' and '%s' have no pair of CPUs in common for which both "
		"hold a number of the matrix '%s'",
		a->source, b->source, matrix->name);
}

int compare_make(const struct compare_side *a, const struct compare_side *b,
	bool by_level, struct comparison *comparison, struct error *err)
{
	const struct cpu_list *cpus = &a->result->cpus;
	int rc = compare_check(a, b, by_level, err);

	*comparison = (struct comparison){0};
	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < cpus->n; i++)
		rc = cpu_list_add(&comparison->cpus, cpus->cpus[i], err);
	if (rc == 0)
		rc = compare_matrices(comparison, a, b, by_level, err);
	if (rc == 0)
		rc = check_pairs(comparison, a, b, err);
	if (rc == 0)
		rc = compare_facts(comparison, a, b, !by_level, err);
	if (rc == 0)
		rc = find_distance(comparison, err);
	if (rc < 0)
		compare_release(comparison);
	return rc;
}

int compare_outliers(
	const double *distances_pct, size_t n, bool *outlier, struct error *err)
{
	double *sorted = calloc(n + 1, sizeof(*sorted));
	double median, deviation;
	size_t kept = 0;

	if (!sorted)
		return error_no_memory(err, "the distances");
	for (size_t i = 0; i < n; i++) {
		outlier[i] = false;
		if (!isnan(distances_pct[i]))
			sorted[kept++] = distances_pct[i];
	}
	median = stat_median(sorted, kept);
	for (size_t i = 0; i < kept; i++)
		sorted[i] = fabs(sorted[i] - median);
	deviation = fmax(stat_median(sorted, kept), MAD_LEAST_PCT);
	for (size_t i = 0; kept >= HOSTS_MIN && i < n; i++)
		outlier[i] = distances_pct[i] - median >
			     OUTLIER_SCORE * MAD_TO_SIGMA * deviation;
	free(sorted);
	return 0;
}

int compare_to_result(const struct comparison *comparison,
	const struct compare_side *reference, struct result *result,
	struct error *err)
{
	size_t n = comparison->cpus.n;
	int rc = 0;

	result_init(result);
	result->complete = true;
	result->command = reference->result->command
				  ? strdup(reference->result->command)
				  : NULL;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = cpu_list_add(&result->cpus, comparison->cpus.cpus[i], err);
	for (size_t i = 0; rc == 0 && i < comparison->n_matrices; i++) {
		const struct compare_matrix *from = &comparison->matrices[i];
		struct matrix *matrix = result_add_matrix(result, from->name,
			"change", from->unit, from->quantity,
			from->higher_is_better, from->symmetric);

		if (!matrix)
			rc = error_no_memory(err, "the difference");
		else
			memcpy(matrix->values, from->change,
				n * n * sizeof(*matrix->values));
	}
	if (rc < 0)
		result_release(result);
	return rc;
}
