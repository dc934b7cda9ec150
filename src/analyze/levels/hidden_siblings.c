/*
 * Finds SMT siblings whose cell is missing. Siblings are equally far from all
 * other CPUs, up to a constant. Their rows resemble the rows of other siblings.
 * If most CPUs are paired, two single CPUs without a cell between them are a
 * pair if
 *
 * - each row resembles the row of a CPU with a known sibling,
 * - their rows are as similar as the rows of known siblings, and
 * - neither could be paired with a third CPU.
 *
 * A row contains, for each known pair, the log of the lower of its two cells.
 */
#include "analyze/levels/candidates.h"

#include <string.h>

/* Largest number of pairs examined as reference rows. */
#define MOST_PAIRS 64

struct sibling_rows {
	const struct level_units *cpus;
	uint32_t (*pair)[2];
	size_t n_pairs;
	uint32_t *alone;
	size_t n_alone;
	float *row; /* [2 * n_pairs + n_alone][n_pairs] */
	float *scratch;
	double same, like; /* largest differences allowed */
};

/* Divide CPUs into pairs and single CPUs; return false if few are paired. */
static bool find_known_pairs(struct sibling_rows *rows,
	const struct partition *partition,
	const struct level_constants *constants, struct arena *arena)
{
	const struct group_members *members =
		partition_members(partition, arena);
	size_t n = partition->n_units, n_pairs = 0, pairs = 0;

	rows->n_alone = rows->n_pairs = 0;
	for (size_t g = 0; g < partition->n_groups; g++) {
		if (members[g].n > 2)
			return false;
		pairs += members[g].n == 2;
		if (members[g].n == 1)
			rows->alone[rows->n_alone++] = members[g].unit[0];
	}
	if (rows->n_alone < 2 ||
		(double)rows->n_alone > constants->odd_share * (double)n)
		return false;
	for (size_t g = 0; g < partition->n_groups; g++) {
		if (members[g].n != 2)
			continue;
		if (n_pairs++ * MOST_PAIRS / pairs >= rows->n_pairs ||
			pairs <= MOST_PAIRS)
			memcpy(rows->pair[rows->n_pairs++], members[g].unit,
				sizeof(*rows->pair));
	}
	return true;
}

static void fill_sibling_rows(struct sibling_rows *rows)
{
	const float *log = rows->cpus->log;
	size_t n = rows->cpus->n;

	for (size_t r = 0; r < 2 * rows->n_pairs + rows->n_alone; r++) {
		size_t i = r < 2 * rows->n_pairs
				   ? rows->pair[r / 2][r % 2]
				   : rows->alone[r - 2 * rows->n_pairs];

		/* fminf() ignores NaN. */
		for (size_t k = 0; k < rows->n_pairs; k++)
			rows->row[r * rows->n_pairs + k] =
				r / 2 == k
					? NAN
					: fminf(log[i * n + rows->pair[k][0]],
						  log[i * n +
							  rows->pair[k][1]]);
	}
}

/* Return the mean square of a - b; if `constant`, subtract its median first. */
static double unlikeness(
	const struct sibling_rows *rows, size_t r, size_t s, bool constant)
{
	const float *a = &rows->row[r * rows->n_pairs];
	const float *b = &rows->row[s * rows->n_pairs];
	float *scratch = rows->scratch, offset = 0;
	double squares = 0;
	size_t count = 0;

	for (size_t k = 0; k < rows->n_pairs; k++)
		append_known(scratch, &count, a[k] - b[k]);
	if (count < 2)
		return INFINITY;
	if (constant)
		offset = median_of_floats(scratch, count);
	for (size_t k = 0; k < count; k++)
		squares +=
			(double)((scratch[k] - offset) * (scratch[k] - offset));
	return squares / (double)(count - constant);
}

/* Return the difference of a row from the most similar row of another pair. */
static double unlike_known_rows(const struct sibling_rows *rows, size_t r)
{
	double least = INFINITY;

	for (size_t s = 0; s < 2 * rows->n_pairs; s++)
		if (s / 2 != r / 2)
			least = fmin(least, unlikeness(rows, r, s, false));
	return least;
}

static void find_limits(
	struct sibling_rows *rows, double alike, struct arena *arena)
{
	size_t n = 2 * rows->n_pairs, n_same = 0, n_like = 0;
	float *same = arena_alloc(arena, n, sizeof(*same));
	float *like = arena_alloc(arena, n, sizeof(*like));

	for (size_t r = 0; r < n; r++) {
		float least = (float)unlike_known_rows(rows, r);
		float pair = (float)unlikeness(rows, r, r ^ 1, true);

		if (isfinite(least))
			like[n_like++] = least;
		if (isfinite(pair))
			same[n_same++] = pair;
	}
	rows->like = alike * (double)median_of_floats(like, n_like);
	rows->same = alike * (double)median_of_floats(same, n_same);
}

/* Return the only possible partner of a; n if it has none or several. */
static size_t find_only_choice(const bool *may, size_t n, size_t a)
{
	size_t only = n, choices = 0;

	for (size_t b = 0; b < n; b++)
		if (may[a * n + b]) {
			choices++;
			only = b;
		}
	return choices == 1 ? only : n;
}

/* Return which single CPUs may be siblings: [n_alone * n_alone]. */
static bool *find_possible_siblings(
	const struct sibling_rows *rows, struct arena *arena)
{
	size_t n = rows->n_alone, first = 2 * rows->n_pairs;
	bool *may = arena_alloc(arena, n * n, sizeof(*may));
	bool *known_kind = arena_alloc(arena, n, sizeof(*known_kind));

	for (size_t a = 0; a < n; a++) {
		known_kind[a] =
			unlike_known_rows(rows, first + a) <= rows->like;
		for (size_t b = 0; b < a; b++)
			may[a * n + b] = may[b * n + a] =
				known_kind[a] && known_kind[b] &&
				isnan(rows->cpus->log[rows->alone[a] *
							      rows->cpus->n +
						      rows->alone[b]]) &&
				unlikeness(rows, first + a, first + b, true) <=
					rows->same;
	}
	return may;
}

static void pair_hidden_siblings(struct level_candidates *candidates,
	const struct sibling_rows *rows, const struct partition *known,
	struct arena *arena)
{
	size_t n = rows->n_alone;
	const bool *may = find_possible_siblings(rows, arena);
	bool *inferred = arena_alloc(arena, known->n_units, sizeof(*inferred));
	struct partition pairs = *known;
	bool any = false;

	pairs.group = arena_copy(
		arena, known->group, known->n_units, sizeof(*known->group));
	for (size_t a = 0; a < n; a++) {
		size_t b = find_only_choice(may, n, a);

		if (b == n || find_only_choice(may, n, b) != a)
			continue;
		any = true;
		inferred[rows->alone[a]] = inferred[rows->alone[b]] = true;
		pairs.group[rows->alone[b]] = pairs.group[rows->alone[a]];
	}
	if (any)
		candidates_add(candidates, &pairs, inferred, arena);
}

void hidden_siblings_propose(struct level_candidates *candidates,
	const struct level_units *cpus, const struct level_constants *constants,
	struct arena *arena)
{
	size_t n = cpus->n, n_before = candidates->n, missing = 0;
	struct sibling_rows rows = {.cpus = cpus};

	for (size_t k = 0; k < n * n; k++)
		missing += isnan(cpus->log[k]) != 0;
	if (missing == n)
		return;
	rows.pair = arena_alloc(arena, n, sizeof(*rows.pair));
	rows.alone = arena_alloc(arena, n, sizeof(*rows.alone));
	rows.scratch = arena_alloc(arena, MOST_PAIRS, sizeof(float));
	for (size_t k = 0; k < n_before; k++) {
		const struct partition *known = &candidates->all[k].partition;

		if (candidates->all[k].inferred ||
			!find_known_pairs(&rows, known, constants, arena))
			continue;
		rows.row = arena_alloc(arena,
			(2 * rows.n_pairs + rows.n_alone) * rows.n_pairs,
			sizeof(float));
		fill_sibling_rows(&rows);
		find_limits(&rows, constants->sigmas, arena);
		pair_hidden_siblings(candidates, &rows, known, arena);
	}
}
