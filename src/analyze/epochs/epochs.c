/*
 * Divides kept passes into epochs.
 *
 * When the host moves a vCPU, many cells of its row change simultaneously. If
 * all cores are alike, a move changes only which CPU is its SMT sibling: two
 * cells change, by a large factor. So c2c searches both rows and single cells:
 *
 *   levels   Logs of the values, minus the offset of each whole pass (a
 *            frequency change is no move). In long runs, a bin is the median of
 *            several successive passes.
 *   scan     At each time, the mean of the bins before is compared with the
 *            mean of the bins after, in windows of 6, 12, 24, ... bins, in
 *            units of the cell's noise and with spikes clipped. A row's
 *            statistic is the sum of its cells' squares.
 *   limits   The differences of successive bins contain few moves. c2c
 *            shuffles whole bins many times, with random signs, to keep noise
 *            that is common to the cells of a pass. The limits are the largest
 *            statistics of any row and any cell after shuffling.
 *   effect   A move must also be large, because successive passes of real
 *            machines are more correlated than shuffled passes: a fifth of a
 *            row's cells must change by a tenth, or a single cell by a half.
 *            c2c compares medians, which a few bad passes do not change.
 *   blame    The row with the largest statistic explains all of its cells. The
 *            next row is searched in the other cells. A single pair is blamed
 *            on both of its CPUs, because either may have moved.
 *
 * c2c searches narrow windows first. Wide windows add moves that narrow windows
 * missed. Finally, c2c merges adjacent epochs that do not differ.
 *
 * Sources: B. Eichinger and C. Kirch, A MOSUM procedure for the estimation of
 * multiple random change points, Bernoulli 24, 2018; M. Messer et al., A
 * multiple filter test for the detection of rate changes in renewal processes,
 * Annals of Applied Statistics 8, 2014 (windows of several widths, narrow ones
 * first).
 *
 * Limits. An epoch has at least about 6 bins: a shorter stay on a CPU is an
 * outlier of the epoch around it. A neighbour on the host that slows a core
 * down for a whole epoch looks like a move. With fewer than six CPUs, a row is
 * a large part of the matrix, so a frequency change looks like a move.
 * Therefore with fewer than six CPUs, all cells must change by half.
 */
#include "analyze/epochs/epochs.h"

#include <stdbool.h>
#include <string.h>

#include "analyze/cost_matrix.h"
#include "stat/stat.h"

/* Largest number of bins of a run, and fewest bins of an epoch. */
#define BINS_MAX 96
#define BINS_MIN 6

#define EPOCHS_MAX (BINS_MAX / BINS_MIN + 1)

/* Least noise of a cell, as a share, because clocks are coarse. */
#define NOISE_MIN 0.01

/*
 * A spike is at least this far from SPIKE_BINS bins on each side, in noise
 * units.
 */
#define SPIKE_MAX  4
#define SPIKE_BINS 2

/* Largest step between bins that counts as noise, in noise units. */
#define STEP_MAX 8

/* Least change of a row and of a single cell, as a log ratio. */
#define ROW_CHANGE  0.0953 /* a tenth */
#define CELL_CHANGE 0.405  /* a half */

/* If a CPU moved, at most this share of its row is unchanged. */
#define ROW_SHARE 0.8

/*
 * Fewest CPUs for which c2c subtracts the common offset of a pass. In smaller
 * matrices, a row is too large a part.
 */
#define MANY_CPUS 6

/* Bounds of the number of shuffles, and the total number of shuffled cells. */
#define SHUFFLES_MAX   199
#define SHUFFLES_MIN   19
#define SHUFFLED_CELLS 200000000

/* Fixed seed: repeating an analysis must not change its result. */
#define SHUFFLE_SEED 20140101

struct epoch_scan {
	const struct passes *passes;
	size_t n; /* CPUs */
	size_t n_pairs, n_passes, n_bins, per_bin;
	float *pass_offset;    /* [n_passes] log offset of each pass */
	float *level;	       /* [n_bins * n_pairs], NaN if missing */
	float *score;	       /* level in units of noise, 0 if missing */
	double *sum;	       /* [(n_bins + 1) * n_pairs] running sums */
	double *square;	       /* [n_pairs] latest statistic of each cell */
	double *row;	       /* [n] latest statistic of each row */
	bool *explained;       /* [n_pairs] whether a cell is explained */
	uint32_t *cells;       /* [n] unexplained cells of each row */
	float *before, *after; /* [n_pairs] medians of two epochs */
	float *scratch;	       /* [max(passes, bins, pairs)] */
	double row_limit, cell_limit;
	size_t from, at, to;	  /* compared bins: from..at with at..to */
	struct epoch_move *moves; /* [2 * n] moves that were found */
	size_t n_moves;
};

static void epoch_scan_init(struct epoch_scan *scan, struct arena *arena)
{
	size_t bins = scan->n_bins, pairs = scan->n_pairs;

	scan->pass_offset = arena_alloc(arena, scan->n_passes, sizeof(float));
	scan->level = arena_alloc(arena, bins * pairs, sizeof(float));
	scan->score = arena_alloc(arena, bins * pairs, sizeof(float));
	scan->sum = arena_alloc(arena, (bins + 1) * pairs, sizeof(double));
	scan->square = arena_alloc(arena, pairs, sizeof(double));
	scan->row = arena_alloc(arena, scan->n, sizeof(double));
	scan->explained = arena_alloc(arena, pairs, sizeof(bool));
	scan->cells = arena_alloc(arena, scan->n, sizeof(uint32_t));
	scan->before = arena_alloc(arena, pairs, sizeof(float));
	scan->after = arena_alloc(arena, pairs, sizeof(float));
	scan->scratch = arena_alloc(arena,
		pairs > scan->n_passes ? pairs : scan->n_passes, sizeof(float));
}

/* Return the log of a value; NaN if it is not a measurement. */
static float log_cell_value(
	const struct epoch_scan *scan, size_t pass, size_t p)
{
	double value = scan->passes->values[pass * scan->n_pairs + p];

	return value > 0 && isfinite(value) ? logf((float)value) : NAN;
}

/* Return the number of passes, except incomplete passes at the end. */
static size_t count_passes(const struct passes *passes)
{
	size_t n = passes->n_passes;

	for (; n > 0; n--) {
		const double *values =
			passes->values + (n - 1) * passes->n_pairs;
		size_t there = 0;

		for (size_t p = 0; p < passes->n_pairs; p++)
			there += isfinite(values[p]);
		if (there * 2 > passes->n_pairs)
			break;
	}
	return n;
}

static void find_pass_offsets(struct epoch_scan *scan)
{
	float *usual = scan->before;

	if (scan->n < MANY_CPUS)
		return;
	for (size_t p = 0; p < scan->n_pairs; p++) {
		size_t used = 0;

		for (size_t t = 0; t < scan->n_passes; t++)
			append_known(scan->scratch, &used,
				log_cell_value(scan, t, p));
		usual[p] = median_of_floats(scan->scratch, used);
	}
	for (size_t t = 0; t < scan->n_passes; t++) {
		size_t used = 0;

		for (size_t p = 0; p < scan->n_pairs; p++)
			append_known(scan->scratch, &used,
				log_cell_value(scan, t, p) - usual[p]);
		if (used > 0)
			scan->pass_offset[t] =
				median_of_floats(scan->scratch, used);
	}
}

static void find_bin_levels(struct epoch_scan *scan)
{
	for (size_t b = 0; b < scan->n_bins; b++) {
		size_t first = b * scan->per_bin;
		size_t end = first + scan->per_bin;

		if (b + 1 == scan->n_bins)
			end = scan->n_passes;
		for (size_t p = 0; p < scan->n_pairs; p++) {
			size_t used = 0;

			for (size_t t = first; t < end; t++)
				append_known(scan->scratch, &used,
					log_cell_value(scan, t, p) -
						scan->pass_offset[t]);
			scan->level[b * scan->n_pairs + p] =
				median_of_floats(scan->scratch, used);
		}
	}
}

/* Copy a cell's levels in bins from..to - 1 to scratch; return their number. */
static size_t take_bin_levels(
	struct epoch_scan *scan, size_t p, size_t from, size_t to)
{
	size_t used = 0;

	for (size_t b = from; b < to; b++)
		append_known(scan->scratch, &used,
			scan->level[b * scan->n_pairs + p]);
	return used;
}

/* Return the median level of a cell in bins from..to - 1, or NaN. */
static float median_level(
	struct epoch_scan *scan, size_t p, size_t from, size_t to)
{
	return median_of_floats(
		scan->scratch, take_bin_levels(scan, p, from, to));
}

/*
 * Return the standard deviation of a cell's noise, from the differences of
 * successive bins. A move affects only one difference.
 */
static float cell_noise(struct epoch_scan *scan, size_t p)
{
	size_t used = 0;
	float noise;

	for (size_t b = 1; b < scan->n_bins; b++) {
		const float *at = scan->level + b * scan->n_pairs + p;

		append_known(scan->scratch, &used,
			fabsf(at[0] - *(at - scan->n_pairs)));
	}
	noise = median_of_floats(scan->scratch, used) * 1.4826F / sqrtf(2);
	return noise > (float)NOISE_MIN ? noise : (float)NOISE_MIN;
}

/*
 * Return the level of a cell at a bin with spikes clipped to the noise range of
 * the surrounding bins. Steps are kept.
 */
static float without_spike(
	struct epoch_scan *scan, size_t p, size_t b, float centre, float noise)
{
	size_t from = b > SPIKE_BINS ? b - SPIKE_BINS : 0;
	size_t to = b + SPIKE_BINS + 1;
	float around, value = scan->level[b * scan->n_pairs + p];

	if (to > scan->n_bins)
		to = scan->n_bins;
	around = median_level(scan, p, from, to);
	if (isnan(around))
		return centre;
	if (isnan(value))
		return around;
	return fmaxf(around - SPIKE_MAX * noise,
		fminf(around + SPIKE_MAX * noise, value));
}

static void find_bin_scores(struct epoch_scan *scan)
{
	for (size_t p = 0; p < scan->n_pairs; p++) {
		float centre = median_level(scan, p, 0, scan->n_bins);
		float noise = cell_noise(scan, p);

		if (isnan(centre))
			continue;
		for (size_t b = 0; b < scan->n_bins; b++)
			scan->score[b * scan->n_pairs + p] =
				(without_spike(scan, p, b, centre, noise) -
					centre) /
				noise;
	}
}

/* Fill the running sums of measured bins. */
static void sum_bin_scores(struct epoch_scan *scan)
{
	size_t pairs = scan->n_pairs;

	for (size_t b = 0; b < scan->n_bins; b++) {
		const float *score = scan->score + b * pairs;
		const double *sum = scan->sum + b * pairs;
		double *next = scan->sum + (b + 1) * pairs;

		for (size_t p = 0; p < pairs; p++)
			next[p] = sum[p] + (double)score[p];
	}
}

/*
 * Fill the running sums of simulated noise: the differences of successive bins,
 * in random order and with random signs. Differences have twice the variance of
 * bins, so the limit is conservative.
 */
static void sum_shuffled_noise(
	struct epoch_scan *scan, uint32_t *order, struct stat_random *random)
{
	size_t pairs = scan->n_pairs;

	stat_shuffle(random, order, scan->n_bins - 1);
	for (size_t b = 0; b + 1 < scan->n_bins; b++) {
		const float *score = scan->score + order[b] * pairs;
		const float *after = score + pairs;
		const double *sum = scan->sum + b * pairs;
		double *next = scan->sum + (b + 1) * pairs;
		float sign = stat_random_below(random, 2) ? 1 : -1;

		for (size_t p = 0; p < pairs; p++) {
			float step = after[p] - score[p];

			step = fmaxf(-STEP_MAX, fminf(STEP_MAX, step));
			next[p] = sum[p] + (double)(sign * step);
		}
	}
}

static void reset_found_moves(struct epoch_scan *scan)
{
	memset(scan->explained, 0, scan->n_pairs * sizeof(*scan->explained));
	memset(scan->cells, 0, scan->n * sizeof(*scan->cells));
	for (size_t p = 0; p < scan->n_pairs; p++) {
		scan->cells[scan->passes->pairs[p].first]++;
		scan->cells[scan->passes->pairs[p].second]++;
	}
}

/*
 * Compare the bins from..at with at..to. Fill the statistic of each cell, which
 * is about 1 for noise.
 */
static void compare_bins(
	struct epoch_scan *scan, size_t from, size_t at, size_t to)
{
	const double *first = scan->sum + from * scan->n_pairs;
	const double *middle = scan->sum + at * scan->n_pairs;
	const double *last = scan->sum + to * scan->n_pairs;
	double a = (double)(at - from), b = (double)(to - at);
	double weight = a * b / (a + b);

	for (size_t p = 0; p < scan->n_pairs; p++) {
		double difference =
			(last[p] - middle[p]) / b - (middle[p] - first[p]) / a;

		scan->square[p] = difference * difference * weight;
	}
}

/* Add the unexplained cells to the statistics of the rows. */
static void add_cells_to_rows(struct epoch_scan *scan)
{
	for (size_t p = 0; p < scan->n_pairs; p++) {
		const struct cpu_pair *pair = &scan->passes->pairs[p];

		if (scan->explained[p])
			continue;
		scan->row[pair->first] += scan->square[p];
		scan->row[pair->second] += scan->square[p];
	}
	/* Of noise alone, the mean is about 0 and the deviation about 1. */
	for (size_t i = 0; i < scan->n; i++) {
		uint32_t n = scan->cells[i];

		scan->row[i] = n ? (scan->row[i] - n) / sqrt(2.0 * n) : 0;
	}
}

/* Raise *row and *cell to the largest statistic of a row and of a cell. */
static void find_largest_statistics(
	struct epoch_scan *scan, double *row, double *cell)
{
	memset(scan->row, 0, scan->n * sizeof(*scan->row));
	add_cells_to_rows(scan);
	for (size_t i = 0; i < scan->n; i++)
		*row = fmax(*row, scan->row[i]);
	for (size_t p = 0; p < scan->n_pairs; p++)
		*cell = fmax(*cell, scan->square[p]);
}

static void find_noise_limits(struct epoch_scan *scan, struct arena *arena)
{
	uint32_t *order = arena_alloc(arena, scan->n_bins, sizeof(*order));
	size_t shuffles = SHUFFLED_CELLS /
			  (scan->n_bins * scan->n_pairs * BINS_MIN / 2 + 1);
	struct stat_random random;

	if (shuffles > SHUFFLES_MAX)
		shuffles = SHUFFLES_MAX;
	if (shuffles < SHUFFLES_MIN)
		shuffles = SHUFFLES_MIN;
	stat_random_init(&random, SHUFFLE_SEED);
	scan->row_limit = scan->cell_limit = 1;
	for (size_t k = 0; k < shuffles; k++) {
		sum_shuffled_noise(scan, order, &random);
		for (size_t h = BINS_MIN; h * 2 < scan->n_bins; h *= 2) {
			for (size_t b = h; b + h < scan->n_bins; b++) {
				compare_bins(scan, b - h, b, b + h);
				find_largest_statistics(scan, &scan->row_limit,
					&scan->cell_limit);
			}
		}
	}
}

/* Return the change of a cell; 0 if it is explained or unknown. */
static double cell_change(const struct epoch_scan *scan, size_t p)
{
	float change = scan->after[p] - scan->before[p];

	return scan->explained[p] || isnan(change) ? 0 : (double)fabsf(change);
}

static bool is_pair_end(const struct epoch_scan *scan, size_t p, size_t cpu)
{
	return scan->passes->pairs[p].first == cpu ||
	       scan->passes->pairs[p].second == cpu;
}

/*
 * Attribute a move to a CPU (other == cpu), or to one of two CPUs. Count the
 * cells of this CPU or pair that changed by at least `least`, and mark all its
 * cells as explained.
 */
static void attribute_move(
	struct epoch_scan *scan, size_t cpu, size_t other, double least)
{
	struct epoch_move *move = &scan->moves[scan->n_moves++];

	*move = (struct epoch_move){.cpu = cpu, .other = other};
	for (size_t p = 0; p < scan->n_pairs; p++) {
		if (scan->explained[p] || !is_pair_end(scan, p, cpu) ||
			!is_pair_end(scan, p, other))
			continue;
		move->n_pairs++;
		if (cell_change(scan, p) >= least)
			scan->scratch[move->n_changed++] =
				(float)cell_change(scan, p);
		scan->explained[p] = true;
		scan->cells[scan->passes->pairs[p].first]--;
		scan->cells[scan->passes->pairs[p].second]--;
	}
	move->change =
		expm1((double)median_of_floats(scan->scratch, move->n_changed));
}

/* Return the change that a fifth of a row's cells reach. */
static double cpu_row_change(struct epoch_scan *scan, size_t cpu)
{
	size_t used = 0;

	for (size_t p = 0; p < scan->n_pairs; p++) {
		if (!scan->explained[p] && is_pair_end(scan, p, cpu))
			scan->scratch[used++] = (float)cell_change(scan, p);
	}
	return used ? (double)quantile_of_floats(scan->scratch, used, ROW_SHARE)
		    : 0;
}

static size_t largest_row(const struct epoch_scan *scan)
{
	size_t cpu = 0;

	for (size_t i = 1; i < scan->n; i++) {
		if (scan->row[i] > scan->row[cpu])
			cpu = i;
	}
	return cpu;
}

static void attribute_row_moves(struct epoch_scan *scan)
{
	double least = scan->n < MANY_CPUS ? CELL_CHANGE : ROW_CHANGE;

	memset(scan->row, 0, scan->n * sizeof(*scan->row));
	add_cells_to_rows(scan);
	while (true) {
		size_t cpu = largest_row(scan);

		if (scan->row[cpu] <= scan->row_limit)
			return;
		/* attribute_cell_moves() handles single cells. */
		if (scan->cells[cpu] < 2 || cpu_row_change(scan, cpu) < least) {
			scan->row[cpu] = 0;
			continue;
		}
		attribute_move(scan, cpu, cpu, least);
		/* A rejected CPU never becomes a candidate again. */
		for (size_t i = 0; i < scan->n; i++)
			scan->row[i] = scan->row[i] <= 0 ? -INFINITY : 0;
		add_cells_to_rows(scan);
	}
}

/* Return a quantile of a cell in bins from..to - 1; NaN if it has no level. */
static float quantile_level(
	struct epoch_scan *scan, size_t p, size_t from, size_t to, double q)
{
	return quantile_of_floats(
		scan->scratch, take_bin_levels(scan, p, from, to), q);
}

/*
 * Whether a cell changed. Three quarters of its bins on each side must show the
 * change, not just half, because no other cell confirms the change.
 */
static bool cell_has_changed(struct epoch_scan *scan, size_t p)
{
	bool up = scan->after[p] > scan->before[p];
	float before, after;

	if (scan->square[p] <= scan->cell_limit ||
		cell_change(scan, p) < CELL_CHANGE)
		return false;
	before =
		quantile_level(scan, p, scan->from, scan->at, up ? 0.75 : 0.25);
	after = quantile_level(scan, p, scan->at, scan->to, up ? 0.25 : 0.75);
	return (double)(up ? after - before : before - after) >= CELL_CHANGE;
}

static void attribute_cell_moves(struct epoch_scan *scan)
{
	while (true) {
		const struct cpu_pair *lone = NULL;
		size_t cpu;

		memset(scan->row, 0, scan->n * sizeof(*scan->row));
		for (size_t p = 0; p < scan->n_pairs; p++) {
			const struct cpu_pair *pair = &scan->passes->pairs[p];

			if (!cell_has_changed(scan, p))
				continue;
			lone = pair;
			scan->row[pair->first]++;
			scan->row[pair->second]++;
		}
		if (!lone)
			return;
		cpu = largest_row(scan);
		if (scan->row[cpu] > 1)
			attribute_move(scan, cpu, cpu, CELL_CHANGE);
		else
			attribute_move(
				scan, lone->first, lone->second, CELL_CHANGE);
	}
}

/*
 * Find the CPUs that moved between the bins from..at and at..to, and mark the
 * cells that their moves explain.
 */
static void find_moves(
	struct epoch_scan *scan, size_t from, size_t at, size_t to)
{
	scan->from = from;
	scan->at = at;
	scan->to = to;
	scan->n_moves = 0;
	reset_found_moves(scan);
	compare_bins(scan, from, at, to);
	for (size_t p = 0; p < scan->n_pairs; p++) {
		scan->before[p] = median_level(scan, p, from, at);
		scan->after[p] = median_level(scan, p, at, to);
	}
	attribute_row_moves(scan);
	attribute_cell_moves(scan);
}

/* First bins of epochs, in increasing order, and the end of the run. */
struct epoch_starts {
	size_t bins[EPOCHS_MAX + 1];
	size_t n;
};

static bool is_near_epoch_start(
	const struct epoch_starts *starts, size_t bin, size_t bins)
{
	for (size_t k = 0; k < starts->n; k++) {
		size_t start = starts->bins[k];

		if ((bin > start ? bin - start : start - bin) < bins)
			return true;
	}
	return false;
}

/* Add epoch starts found by windows of h bins, except near known starts. */
static void add_epoch_starts(
	struct epoch_scan *scan, size_t h, struct epoch_starts *starts)
{
	double strength[BINS_MAX + 1] = {0};

	reset_found_moves(scan);
	for (size_t b = h; b + h <= scan->n_bins; b++) {
		double row = 0, cell = 0;

		compare_bins(scan, b - h, b, b + h);
		find_largest_statistics(scan, &row, &cell);
		strength[b] =
			fmax(row / scan->row_limit, cell / scan->cell_limit);
	}
	while (true) {
		size_t best = 0, at;

		for (size_t b = h; b + h <= scan->n_bins; b++) {
			if (strength[b] > strength[best] &&
				!is_near_epoch_start(starts, b, h))
				best = b;
		}
		if (strength[best] <= 1)
			return;
		strength[best] = 0;
		find_moves(scan, best - h, best, best + h);
		if (scan->n_moves == 0)
			continue;
		at = starts->n++;
		for (; starts->bins[at - 1] > best; at--)
			starts->bins[at] = starts->bins[at - 1];
		starts->bins[at] = best;
	}
}

/*
 * Return the first pass of the epoch that begins near bin `at`, between from
 * and to. Find it by the cells that changed, because moves happen within bins,
 * and windows peak next to the right bin.
 */
static size_t find_first_pass(
	const struct epoch_scan *scan, size_t at, size_t from, size_t to)
{
	size_t best;
	double cost = 0, least = 0;

	if (from < (at - 1) * scan->per_bin)
		from = (at - 1) * scan->per_bin;
	if (to > (at + 1) * scan->per_bin)
		to = (at + 1) * scan->per_bin;
	best = to;
	/* Find the cost of each possible first pass, relative to the last. */
	for (size_t t = to; t-- > from;) {
		for (size_t p = 0; p < scan->n_pairs; p++) {
			float value = log_cell_value(scan, t, p) -
				      scan->pass_offset[t];
			float more = fabsf(value - scan->after[p]) -
				     fabsf(value - scan->before[p]);

			if (scan->explained[p] && !isnan(more))
				cost += (double)more;
		}
		if (cost < least) {
			least = cost;
			best = t;
		}
	}
	return best;
}

/* Fill the epochs between starts; return an epoch without a move, or 0. */
static size_t fill_epochs(struct epoch_scan *scan,
	const struct epoch_starts *starts, struct analysis_epoch *epochs)
{
	for (size_t k = 1; k + 1 < starts->n; k++) {
		const size_t *bins = &starts->bins[k];
		struct analysis_epoch *epoch = &epochs[k];

		scan->moves = epoch->moves;
		find_moves(scan, *(bins - 1), bins[0], bins[1]);
		if (scan->n_moves == 0)
			return k;
		epoch->n_moves = scan->n_moves;
		epoch->first = find_first_pass(scan, bins[0],
			(epoch - 1)->first + BINS_MIN,
			bins[1] * scan->per_bin - BINS_MIN);
	}
	return 0;
}

static void set_epoch_times(const struct passes *passes, double end_s,
	struct analysis_epoch *epochs, size_t n)
{
	size_t last = passes->n_passes - 1;

	if (!isfinite(end_s))
		end_s = passes->start_s[last];
	for (size_t k = n; k-- > 0;) {
		struct analysis_epoch *epoch = &epochs[k];

		epoch->n_passes = last + 1 - epoch->first;
		epoch->start_s = passes->start_s[epoch->first];
		epoch->end_s = end_s;
		last = epoch->first ? epoch->first - 1 : 0;
		end_s = epoch->start_s;
	}
}

static size_t fill_between_moves(
	struct epoch_scan *scan, struct analysis_epoch *epochs)
{
	struct epoch_starts starts = {.bins = {0, scan->n_bins}, .n = 2};
	size_t weak;

	scan->moves = epochs->moves;
	for (size_t h = BINS_MIN; h * 2 <= scan->n_bins; h *= 2)
		add_epoch_starts(scan, h, &starts);
	while ((weak = fill_epochs(scan, &starts, epochs)) > 0) {
		starts.n--;
		memmove(&starts.bins[weak], &starts.bins[weak + 1],
			(starts.n - weak) * sizeof(starts.bins[0]));
	}
	return starts.n - 1;
}

size_t epochs_find(const struct passes *passes, size_t n, double end_s,
	struct analysis_epoch **epochs, struct arena *arena)
{
	struct epoch_scan scan = {
		.passes = passes,
		.n = n,
		.n_pairs = passes->n_pairs,
		.n_passes = count_passes(passes),
	};
	const struct arena_block *mark;
	size_t found;

	if (n < 2 || scan.n_passes < EPOCHS_PASSES_MIN)
		return 0;
	*epochs = arena_alloc(arena, EPOCHS_MAX, sizeof(**epochs));
	/*
	 * A CPU is blamed at most once for all of its cells. A CPU of a single
	 * pair is blamed only for that pair.
	 */
	for (size_t k = 0; k < EPOCHS_MAX; k++)
		(*epochs)[k].moves =
			arena_alloc(arena, 2 * n, sizeof(struct epoch_move));
	mark = arena->last;
	scan.per_bin = (scan.n_passes + BINS_MAX - 1) / BINS_MAX;
	scan.n_bins = scan.n_passes / scan.per_bin;
	epoch_scan_init(&scan, arena);
	find_pass_offsets(&scan);
	find_bin_levels(&scan);
	find_bin_scores(&scan);
	reset_found_moves(&scan);
	find_noise_limits(&scan, arena);
	sum_bin_scores(&scan);
	found = fill_between_moves(&scan, *epochs);
	set_epoch_times(passes, end_s, *epochs, found);
	arena_rewind(arena, mark);
	return found;
}
