#include "analyze/trial_verdict.h"

#include <math.h>
#include <string.h>

#include "stat/stat.h"

/* An adjusted p of at least CHANCE_P may be chance. */
#define CHANCE_P 0.05

/*
 * The normal quantile of 0.894, the power of each block. Both blocks together
 * show an effect with a power of 0.8.
 */
#define BLOCK_POWER 1.25

/*
 * If p of the control is lower, the two unbound runs differ. Their order is
 * random, so chance alone causes a lower p in 1 of 100 trials.
 */
#define CONTROL_P 0.01

/* Largest visible gain in %: above, twice the speed may be invisible. */
#define BLIND_PCT 100

/* Values that vary by less than this share may be a constant time. */
#define CONSTANT_SHARE 0.01

/* Differences of one block: [rounds * n], NaN if unknown. */
struct block {
	size_t rounds, n;
	double *d;
	double *control; /* [rounds] of the two unbound runs */
	double bound;
	double limit_t;		     /* critical t of the joint test */
	double *p;		     /* [n] */
	struct stat_centre *centres; /* [n] */
};

static double percent(double logarithm)
{
	return 100 * expm1(logarithm);
}

static const struct trial_judgement unjudged = {
	.gain_pct = NAN,
	.low_pct = NAN,
	.high_pct = NAN,
	.visible_pct = NAN,
	.p = {NAN, NAN},
};

static void set_gain(
	struct trial_judgement *judgement, const struct stat_centre *centre)
{
	judgement->gain_pct = percent(centre->middle);
	judgement->low_pct = percent(centre->low);
	judgement->high_pct = percent(centre->high);
}

static size_t count_rounds(const struct program_trial *trial)
{
	size_t n = 0;

	for (size_t b = 0; b < TRIAL_BLOCKS; b++)
		n += trial->rounds[b];
	return n;
}

/* Return the log of the speed of a run. */
static double log_speed(const struct program_trial *trial,
	const struct tried_placement *placement, size_t round, bool apart)
{
	double value = placement->values[round];

	if (!(value > 0) || (apart && placement->stacked[round]))
		return NAN;
	return trial->higher ? log(value) : -log(value);
}

/* Return the mean log of the speed of the two unbound runs of a round. */
static double log_unbound_speed(
	const struct program_trial *trial, size_t round, bool apart)
{
	return (log_speed(trial, &trial->placements[0], round, apart) +
		       log_speed(trial, &trial->placements[1], round, apart)) /
	       2;
}

double trial_relative_speed(
	const struct program_trial *trial, size_t placement, size_t round)
{
	return exp(
		log_speed(trial, &trial->placements[placement], round, false) -
		log_unbound_speed(trial, round, false));
}

/* Copy the known values of a column; return their number. */
static size_t copy_known(
	const double *d, size_t rounds, size_t n, double *known)
{
	size_t count = 0;

	for (size_t i = 0; i < rounds; i++) {
		if (!isnan(d[i * n]))
			known[count++] = d[i * n];
	}
	return count;
}

static void estimate(const double *d, size_t rounds, size_t n,
	struct stat_centre *centre, struct arena *arena)
{
	double *known = arena_alloc(arena, rounds, sizeof(*known));

	stat_centre(known, copy_known(d, rounds, n, known), centre, arena);
}

/*
 * Fill the differences of the rounds from `first` on: from unbound runs, or
 * from the placement `base` for placements with equally many CPUs.
 */
static void subtract(const struct program_trial *trial, struct block *block,
	size_t first, size_t base, bool apart)
{
	const struct tried_placement *all = trial->placements;

	for (size_t i = 0; i < block->rounds; i++) {
		double a = log_speed(trial, &all[0], first + i, apart);
		double b = log_speed(trial, &all[1], first + i, apart);
		double zero =
			base ? log_speed(trial, &all[base], first + i, apart)
			     : log_unbound_speed(trial, first + i, apart);

		block->control[i] = b - a;
		for (size_t k = 0; k < block->n; k++) {
			bool judged = k > 1 && k != base &&
				      (base == 0 || all[k].n_cpus ==
							    all[base].n_cpus);

			block->d[i * block->n + k] =
				judged ? log_speed(trial, &all[k], first + i,
						 apart) -
						 zero
				       : NAN;
		}
	}
}

static void test_block(struct block *block, struct arena *arena)
{
	struct stat_centre control;

	estimate(block->control, block->rounds, 1, &control, arena);
	block->bound = fmax(fabs(control.low), fabs(control.high));
	block->p = arena_alloc(arena, block->n, sizeof(*block->p));
	block->centres = arena_alloc(arena, block->n, sizeof(*block->centres));
	block->limit_t = stat_flip_signs(
		block->d, block->rounds, block->n, block->p, arena);
	for (size_t k = 0; k < block->n; k++)
		estimate(block->d + k, block->rounds, block->n,
			&block->centres[k], arena);
}

/*
 * Return the standard error of the centre of a placement in a block: the larger
 * of the robust error and the error of the mean. The robust error may be 0
 * although values differ.
 */
static double standard_error(
	const struct block *block, size_t k, struct arena *arena)
{
	double *known = arena_alloc(arena, block->rounds, sizeof(*known));
	size_t n = copy_known(block->d + k, block->rounds, block->n, known);
	double middle = stat_median(known, n);
	double sigma = sqrt(stat_variance(known, n));

	for (size_t i = 0; i < n; i++)
		known[i] = fabs(known[i] - middle);
	return fmax(STAT_MAD_TO_SIGMA * stat_median(known, n), sigma) /
	       sqrt((double)n);
}

static enum trial_answer answer_of_block(const struct block *block, size_t k)
{
	double middle = block->centres[k].middle;

	if (isnan(middle))
		return TRIAL_UNKNOWN;
	if (block->p[k] >= CHANCE_P || !(fabs(middle) > block->bound))
		return TRIAL_SAME;
	return middle > 0 ? TRIAL_PAYS : TRIAL_COSTS;
}

static enum trial_answer answer_of_blocks(
	const struct block *blocks, size_t n, size_t k)
{
	enum trial_answer answer = answer_of_block(&blocks[0], k);

	for (size_t b = 1; b < n; b++) {
		enum trial_answer other = answer_of_block(&blocks[b], k);

		if (answer == TRIAL_UNKNOWN || other == TRIAL_UNKNOWN)
			return TRIAL_UNKNOWN;
		if (other != answer)
			answer = TRIAL_SAME;
	}
	return answer;
}

static size_t make_blocks(const struct program_trial *trial,
	struct block blocks[TRIAL_BLOCKS], size_t base, bool apart,
	struct arena *arena)
{
	size_t n = trial->n_placements, all = count_rounds(trial);
	size_t first = 0, n_blocks = 0;
	double *d, *control;

	d = arena_alloc(arena, all * n, sizeof(*d));
	control = arena_alloc(arena, all, sizeof(*control));
	for (size_t b = 0; b < TRIAL_BLOCKS && trial->rounds[b]; b++) {
		blocks[b] = (struct block){.rounds = trial->rounds[b],
			.n = n,
			.d = d + first * n,
			.control = control + first};
		subtract(trial, &blocks[b], first, base, apart);
		test_block(&blocks[b], arena);
		first += trial->rounds[b];
		n_blocks++;
	}
	return n_blocks;
}

/*
 * Whether runs of a placement lack a value because they took too long. If so,
 * the other values are biased towards fast runs.
 */
static bool lacks_values(const struct program_trial *trial,
	const struct tried_placement *placement)
{
	size_t n = count_rounds(trial);

	for (size_t i = 0; i < n; i++) {
		if (isnan(placement->values[i]))
			return true;
	}
	return false;
}

/* Fill judged[n_placements]; return the number of blocks. */
static size_t judge_all(const struct program_trial *trial,
	struct block blocks[TRIAL_BLOCKS], struct trial_judgement *judged,
	bool apart, struct arena *arena)
{
	struct block random[TRIAL_BLOCKS];
	const struct tried_placement *drawn = trial_find_random(trial);
	size_t base = drawn ? (size_t)(drawn - trial->placements) : 0;
	size_t rounds = count_rounds(trial);
	size_t n = make_blocks(trial, blocks, 0, apart, arena);

	if (n == 0)
		return 0;
	if (base)
		make_blocks(trial, random, base, apart, arena);
	for (size_t k = 2; k < trial->n_placements; k++) {
		const struct tried_placement *placement = &trial->placements[k];
		struct trial_judgement *judgement = &judged[k];
		struct stat_centre centre;

		*judgement = unjudged;
		judgement->answer = answer_of_blocks(blocks, n, k);
		estimate(blocks[0].d + k, rounds, blocks[0].n, &centre, arena);
		set_gain(judgement, &centre);
		for (size_t b = 0; b < n; b++) {
			const struct block *block = &blocks[b];
			double error = standard_error(block, k, arena);
			double visible =
				fmax(block->limit_t * error, block->bound) +
				BLOCK_POWER * error;

			if (isnan(block->centres[k].middle))
				continue;
			judgement->visible_pct =
				fmax(judgement->visible_pct, percent(visible));
			judgement->p[b] = block->p[k];
		}
		if (base && k != base)
			judgement->against_random =
				answer_of_blocks(random, n, k);
		if (placement->dropped ||
			(judgement->answer == TRIAL_PAYS &&
				lacks_values(trial, placement)))
			judgement->answer = TRIAL_UNKNOWN;
		judgement->as_random =
			judgement->answer == TRIAL_PAYS &&
			(judgement->against_random == TRIAL_SAME ||
				judgement->against_random == TRIAL_COSTS);
		if (judgement->as_random)
			judgement->answer = TRIAL_SAME;
		judgement->blind = judgement->answer == TRIAL_SAME &&
				   !judgement->as_random &&
				   judgement->visible_pct > BLIND_PCT;
		if (judgement->blind)
			judgement->answer = TRIAL_UNKNOWN;
	}
	return n;
}

const struct tried_placement *trial_find_leader(
	const struct program_trial *trial, double *gain_pct,
	struct arena *arena)
{
	size_t n = trial->n_placements, rounds = count_rounds(trial);
	struct block all = {.rounds = rounds, .n = n};
	const struct tried_placement *leader = NULL;
	double *known = arena_alloc(arena, rounds, sizeof(*known));
	double most = 0;

	all.d = arena_alloc(arena, rounds * n, sizeof(*all.d));
	all.control = arena_alloc(arena, rounds, sizeof(*all.control));
	subtract(trial, &all, 0, 0, false);
	for (size_t k = 2; k < n; k++) {
		size_t count = copy_known(all.d + k, rounds, n, known);
		double middle = stat_median(known, count);

		if (trial->placements[k].dropped || !(middle > most))
			continue;
		most = middle;
		leader = &trial->placements[k];
	}
	*gain_pct = percent(most);
	return leader;
}

static void judge_control(struct program_trial *trial,
	const struct block *blocks, size_t n_blocks, struct arena *arena)
{
	struct stat_centre centre;
	size_t rounds = count_rounds(trial), n;
	double *known;
	bool differs;

	for (size_t b = 0; b < n_blocks; b++)
		trial->bound_pct[b] = percent(blocks[b].bound);
	known = arena_alloc(arena, rounds, sizeof(*known));
	n = copy_known(blocks[0].control, rounds, 1, known);
	stat_centre(known, n, &centre, arena);
	differs = stat_signed_rank(known, n, arena) < CONTROL_P;
	trial->control = unjudged;
	trial->control.answer = isnan(centre.middle) ? TRIAL_UNKNOWN
				: !differs	     ? TRIAL_SAME
				: centre.middle > 0  ? TRIAL_PAYS
						     : TRIAL_COSTS;
	set_gain(&trial->control, &centre);
}

static bool has_stacked(const struct program_trial *trial)
{
	for (size_t k = 0; k < trial->n_placements; k++) {
		if (trial->placements[k].n_stacked)
			return true;
	}
	return false;
}

static void forget_answers(struct program_trial *trial)
{
	for (size_t k = 0; k < trial->n_placements; k++) {
		struct tried_placement *placement = &trial->placements[k];

		placement->judged.answer = TRIAL_UNKNOWN;
		placement->judged.against_random = TRIAL_UNKNOWN;
		placement->judged.as_random = false;
		placement->apart = TRIAL_UNKNOWN;
	}
}

bool trial_is_blind(const struct program_trial *trial)
{
	bool any = false;

	for (size_t k = 2; k < trial->n_placements; k++) {
		if (trial->placements[k].judged.answer > TRIAL_UNKNOWN)
			return false;
		any |= trial->placements[k].judged.blind;
	}
	return any;
}

void trial_judge(struct program_trial *trial, struct arena *arena)
{
	size_t n = trial->n_placements;
	struct trial_judgement *judged = arena_alloc(arena, n, sizeof(*judged));
	struct block blocks[TRIAL_BLOCKS];
	size_t n_blocks = judge_all(trial, blocks, judged, false, arena);

	trial->verdict = TRIAL_NO_VERDICT;
	trial->control.answer = TRIAL_UNKNOWN;
	if (n_blocks == 0)
		return;
	judge_control(trial, blocks, n_blocks, arena);
	if (trial->control.answer == TRIAL_SAME)
		trial->verdict = TRIAL_NOTHING;
	for (size_t k = 0; k < 2; k++)
		trial->placements[k].judged = unjudged;
	for (size_t k = 2; k < n; k++) {
		trial->placements[k].judged = judged[k];
		trial->placements[k].apart = judged[k].answer;
		if (trial->verdict == TRIAL_NOTHING &&
			judged[k].answer >= TRIAL_PAYS)
			trial->verdict = TRIAL_FOUND;
	}
	for (size_t b = 0; b < n_blocks; b++) {
		if (trial->rounds[b] < STAT_CI95_LEAST)
			trial->verdict = TRIAL_NO_VERDICT;
	}
	if (!trial->complete ||
		(trial->verdict == TRIAL_NOTHING && trial_is_blind(trial)))
		trial->verdict = TRIAL_NO_VERDICT;
	if (trial->verdict == TRIAL_NO_VERDICT) {
		forget_answers(trial);
		return;
	}
	if (!has_stacked(trial))
		return;
	judge_all(trial, blocks, judged, true, arena);
	for (size_t k = 2; k < n; k++)
		trial->placements[k].apart = judged[k].answer;
}

/* Collect the known values of the unbound runs; return their number. */
static size_t collect_unbound(
	const struct program_trial *trial, double **values, struct arena *arena)
{
	size_t rounds = count_rounds(trial), n = 0;

	*values = arena_alloc(arena, 2 * rounds, sizeof(**values));
	for (size_t i = 0; i < 2 * rounds; i++) {
		double value = trial->placements[i % 2].values[i / 2];

		if (!isnan(value))
			(*values)[n++] = value;
	}
	return n;
}

double trial_unbound_median(
	const struct program_trial *trial, struct arena *arena)
{
	double *values;
	size_t n = collect_unbound(trial, &values, arena);

	return stat_median(values, n);
}

bool trial_is_constant(const struct program_trial *trial, struct arena *arena)
{
	double *values, middle, spread;
	size_t n = collect_unbound(trial, &values, arena);

	middle = stat_median(values, n);
	spread = sqrt(stat_variance(values, n));
	return n > 2 && spread < CONSTANT_SHARE * middle;
}
