#include "analyze/epochs/bursts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"

/* Least ratio of an event's change to the usual change. */
#define UNUSUAL_FACTOR 3

/* Parts of a side of a change, and their largest difference / change. */
#define SIDE_PARTS	 4
#define PARTS_DIFFERENCE 0.5

/* Least effects, as in epochs.c, with BURSTS_SIDE bursts on each side. */
#define ROW_SHARE   0.8
#define ROW_CHANGE  0.0953 /* a tenth */
#define CELL_CHANGE 0.405  /* a half */
#define MANY_CPUS   6

int bursts_init(struct bursts *bursts, size_t n, struct error *err)
{
	struct passes *passes = &bursts->passes;

	*bursts = (struct bursts){.n = n, .candidate_s = NAN};
	passes->n_pairs = n * (n - 1) / 2;
	passes->pairs = calloc(passes->n_pairs, sizeof(*passes->pairs));
	passes->start_s = calloc(BURSTS_KEPT, sizeof(*passes->start_s));
	passes->values =
		calloc(BURSTS_KEPT * passes->n_pairs, sizeof(*passes->values));
	bursts->last = calloc(passes->n_pairs, sizeof(float));
	bursts->pairs = calloc(passes->n_pairs * BURSTS_USUAL, sizeof(float));
	bursts->rows = calloc(n * BURSTS_USUAL, sizeof(float));
	bursts->scratch = calloc(n, sizeof(double));
	if (!passes->pairs || !passes->start_s || !passes->values ||
		!bursts->last || !bursts->pairs || !bursts->rows ||
		!bursts->scratch) {
		bursts_release(bursts);
		return error_no_memory(err, "the last bursts");
	}
	for (size_t i = 0, p = 0; i < n; i++) {
		for (size_t j = i + 1; j < n; j++)
			passes->pairs[p++] =
				(struct cpu_pair){(uint32_t)i, (uint32_t)j};
	}
	return 0;
}

void bursts_release(struct bursts *bursts)
{
	free(bursts->passes.pairs);
	free(bursts->passes.start_s);
	free(bursts->passes.values);
	free(bursts->last);
	free(bursts->pairs);
	free(bursts->rows);
	free(bursts->scratch);
	memset(bursts, 0, sizeof(*bursts));
}

size_t bursts_pair_index(const struct bursts *bursts, size_t a, size_t b)
{
	size_t i = a < b ? a : b, j = a < b ? b : a;

	/* The pairs of all lower rows come first. */
	return i * (2 * bursts->n - i - 1) / 2 + j - i - 1;
}

static void discard_passes_before(struct passes *passes, size_t first)
{
	size_t left = passes->n_passes - first;

	memmove(passes->start_s, passes->start_s + first,
		left * sizeof(*passes->start_s));
	memmove(passes->values, passes->values + first * passes->n_pairs,
		left * passes->n_pairs * sizeof(*passes->values));
	passes->n_passes = left;
}

void bursts_discard_before(struct bursts *bursts, size_t first)
{
	discard_passes_before(&bursts->passes, first);
	bursts->starts_at_event = true;
}

double *bursts_add(struct bursts *bursts, double start_s)
{
	struct passes *passes = &bursts->passes;
	size_t at;

	if (passes->n_passes == BURSTS_KEPT) {
		discard_passes_before(passes, 1);
		bursts->starts_at_event = false;
	}
	at = passes->n_passes++;
	passes->start_s[at] = start_s;
	return passes->values + at * passes->n_pairs;
}

/* Return the change that a fifth of a CPU's pairs reach; NaN without pairs. */
static double change_of_row(const struct bursts *bursts, size_t cpu,
	double (*change)(const struct bursts *bursts, size_t pair, size_t at),
	size_t at)
{
	size_t used = 0;

	for (size_t other = 0; other < bursts->n; other++) {
		double value =
			other == cpu
				? NAN
				: change(bursts,
					  bursts_pair_index(bursts, cpu, other),
					  at);

		if (!isnan(value))
			bursts->scratch[used++] = value;
	}
	stat_sort(bursts->scratch, used);
	return stat_quantile(bursts->scratch, used, ROW_SHARE);
}

/* Return the change of a pair in a recorded block. */
static double recorded_change(
	const struct bursts *bursts, size_t pair, size_t at)
{
	return (double)bursts->pairs[pair * BURSTS_USUAL + at];
}

void bursts_learn_usual(struct bursts *bursts)
{
	const struct passes *passes = &bursts->passes;
	size_t n = passes->n_passes, at = bursts->n_usual % BURSTS_USUAL;
	double scratch[BURSTS_KEPT];

	if (++bursts->block % BURSTS_SIDE != 0 || n < BURSTS_SIDE)
		return;
	for (size_t p = 0; p < passes->n_pairs; p++) {
		float now = (float)bursts_median(
			bursts, p, n - BURSTS_SIDE, n, scratch);

		bursts->pairs[p * BURSTS_USUAL + at] =
			fabsf(logf(now / bursts->last[p]));
		bursts->last[p] = now;
	}
	/* The first block has no previous block. */
	if (bursts->block == BURSTS_SIDE)
		return;
	for (size_t cpu = 0; cpu < bursts->n; cpu++)
		bursts->rows[cpu * BURSTS_USUAL + at] =
			(float)change_of_row(bursts, cpu, recorded_change, at);
	bursts->n_usual++;
}

/* Return the median of the known changes; 0 if none is known. */
static double usual_burst_change(
	const struct bursts *bursts, const float *changes)
{
	double known[BURSTS_USUAL];
	size_t used = 0;

	for (size_t k = 0; k < BURSTS_USUAL && k < bursts->n_usual; k++) {
		if (!isnan(changes[k]))
			known[used++] = (double)changes[k];
	}
	return used ? stat_median(known, used) : 0;
}

/* Return the logarithm of the ratio of a pair's medians. */
static double log_median_ratio(const struct bursts *bursts, size_t pair,
	size_t from, size_t to, size_t then_from, size_t then_to)
{
	double scratch[BURSTS_KEPT];
	double before = bursts_median(bursts, pair, from, to, scratch);
	double after = bursts_median(bursts, pair, then_from, then_to, scratch);

	return log(after / before);
}

static double step_at(const struct bursts *bursts, size_t pair, size_t first)
{
	return log_median_ratio(bursts, pair, first - BURSTS_SIDE, first, first,
		first + BURSTS_SIDE);
}

static double change_at(const struct bursts *bursts, size_t pair, size_t first)
{
	return fabs(step_at(bursts, pair, first));
}

/*
 * Return where the median of bursts is in the step of a pair: 0 is the value
 * before the step, 1 the value after it.
 */
static double pair_step_fraction(const struct bursts *bursts, size_t pair,
	size_t first, size_t from, size_t to)
{
	return log_median_ratio(
		       bursts, pair, first - BURSTS_SIDE, first, from, to) /
	       step_at(bursts, pair, first);
}

/*
 * Return where bursts are in the step of a CPU: the median over its pairs that
 * changed by at least `least`, or the value of the pair with move->other.
 */
static double cpu_step_fraction(const struct bursts *bursts,
	const struct epoch_move *move, double least, size_t first, size_t from,
	size_t to)
{
	size_t used = 0;

	for (size_t i = 0; i < bursts->n; i++) {
		double place = NAN;
		size_t pair;

		if (i == move->cpu ||
			(move->other != move->cpu && i != move->other))
			continue;
		pair = bursts_pair_index(bursts, move->cpu, i);
		if (change_at(bursts, pair, first) >= least)
			place = pair_step_fraction(
				bursts, pair, first, from, to);
		if (!isnan(place))
			bursts->scratch[used++] = place;
	}
	return stat_median(bursts->scratch, used);
}

/* Whether the parts of a range of bursts agree: a move does not decay. */
static bool is_steady(const struct bursts *bursts,
	const struct epoch_move *move, double least, size_t first, size_t from,
	size_t to)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t k = 0; k < SIDE_PARTS; k++) {
		double place = cpu_step_fraction(bursts, move, least, first,
			from + (to - from) * k / SIDE_PARTS,
			from + (to - from) * (k + 1) / SIDE_PARTS);

		low = fmin(low, place);
		high = fmax(high, place);
	}
	return low <= high && high - low < PARTS_DIFFERENCE;
}

/* Whether values are steady both before and after a change. */
static bool change_lasts(const struct bursts *bursts,
	const struct epoch_move *move, double least, size_t first)
{
	size_t from = first > BURSTS_STAY ? first - BURSTS_STAY : 0;

	return is_steady(bursts, move, least, first, from, first) &&
	       is_steady(
		       bursts, move, least, first, first, first + BURSTS_STAY);
}

/* Whether the change of a pair is large, unusual and lasting. */
static bool pair_counts(
	const struct bursts *bursts, size_t a, size_t b, size_t first)
{
	const struct epoch_move move = {.cpu = a, .other = b};
	size_t pair = bursts_pair_index(bursts, a, b);
	double change = change_at(bursts, pair, first);

	return change >= CELL_CHANGE &&
	       change > UNUSUAL_FACTOR *
				usual_burst_change(bursts,
					bursts->pairs + pair * BURSTS_USUAL) &&
	       change_lasts(bursts, &move, 0, first);
}

/* Whether the change of a CPU's pairs is large, unusual and lasting. */
static bool row_counts(const struct bursts *bursts,
	const struct epoch_move *move, size_t first)
{
	double least = bursts->n < MANY_CPUS ? CELL_CHANGE : ROW_CHANGE;
	double change = change_of_row(bursts, move->cpu, change_at, first);

	return change >= least &&
	       change > UNUSUAL_FACTOR *
				usual_burst_change(bursts,
					bursts->rows +
						move->cpu * BURSTS_USUAL) &&
	       change_lasts(bursts, move, change / 2, first);
}

/* Whether a move counts as an event; see bursts.h. */
static bool move_counts(const struct bursts *bursts,
	const struct epoch_move *move, size_t first)
{
	size_t cells = 0;

	if (move->cpu != move->other)
		return pair_counts(bursts, move->cpu, move->other, first);
	if (row_counts(bursts, move, first))
		return true;
	/* If cores are alike, a move changes only the SMT siblings. */
	for (size_t i = 0; i < bursts->n; i++)
		cells += i != move->cpu &&
			 pair_counts(bursts, move->cpu, i, first);
	return cells > 1;
}

static size_t keep_moves(
	const struct bursts *bursts, struct analysis_epoch *epoch)
{
	size_t left = 0;

	if (epoch->first <
			(bursts->starts_at_event ? BURSTS_SIDE : BURSTS_STAY) ||
		bursts->passes.n_passes - epoch->first < BURSTS_STAY)
		return 0;
	for (size_t k = 0; k < epoch->n_moves; k++) {
		if (move_counts(bursts, &epoch->moves[k], epoch->first))
			epoch->moves[left++] = epoch->moves[k];
	}
	return left;
}

size_t bursts_find_event(struct bursts *bursts, struct epoch_move **moves,
	size_t *n_moves, struct arena *arena)
{
	const struct passes *passes = &bursts->passes;
	struct analysis_epoch *epochs = NULL;
	size_t n = epochs_find(passes, bursts->n, NAN, &epochs, arena);
	size_t k = 1, left = 0, first;
	bool again;

	if (bursts->n_usual < BURSTS_LEARN)
		return 0;
	while (k < n && (left = keep_moves(bursts, &epochs[k])) == 0)
		k++;
	if (left == 0) {
		bursts->candidate_s = NAN;
		return 0;
	}
	first = epochs[k].first;
	/*
	 * Whether the previous search found this division, at most one burst
	 * away. epochs_find() leaves several bursts on each side.
	 */
	again = bursts->candidate_s >= passes->start_s[first - 1] &&
		bursts->candidate_s <= passes->start_s[first + 1];
	bursts->candidate_s = passes->start_s[first];
	*moves = epochs[k].moves;
	*n_moves = left;
	return again ? first : 0;
}

/* Return the median over each stride-th burst, beginning at `first`. */
static double median_of_bursts(const struct bursts *bursts, size_t pair,
	size_t first, size_t last, size_t stride, double *scratch)
{
	const struct passes *passes = &bursts->passes;
	size_t used = 0;

	for (size_t b = first; b < last; b += stride) {
		double value = passes->values[b * passes->n_pairs + pair];

		if (isfinite(value))
			scratch[used++] = value;
	}
	return stat_median(scratch, used);
}

double bursts_median(const struct bursts *bursts, size_t pair, size_t first,
	size_t last, double *scratch)
{
	return median_of_bursts(bursts, pair, first, last, 1, scratch);
}

double bursts_agreement(const struct bursts *bursts)
{
	const struct passes *passes = &bursts->passes;
	size_t n = passes->n_pairs;
	double rho = NAN;
	double *medians = calloc(2 * n, sizeof(*medians));

	if (medians && passes->n_passes >= 4) {
		double scratch[BURSTS_KEPT];

		for (size_t p = 0; p < 2 * n; p++)
			medians[p] = median_of_bursts(bursts, p % n, p / n,
				passes->n_passes, 2, scratch);
		if (stat_spearman(medians, medians + n, n, &rho) < 0)
			rho = NAN;
	}
	free(medians);
	return rho;
}
