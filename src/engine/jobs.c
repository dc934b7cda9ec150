#include "engine/jobs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rehearsal.h"
#include "engine/spin_hint.h"
#include "stat/stat.h"

/*
 * Number of visits of each pair alone, and in parallel. Medians of 15 visits
 * differed by at most 1 % on a 16-CPU virtual machine.
 */
#define REPEATS 15

/*
 * Rounds with different pairs. With one round, c2c chose 16 parallel pairs on
 * 32 CPUs, which had a bias of 2.9 %: the round had few pairs, and hardly any
 * SMT siblings.
 */
#define ROUNDS 2

/* If the bias is this many times the limit, one round suffices. */
#define HOPELESS 2

/* Number of pairs of each distance in a round, and of draws to find them. */
#define PER_DISTANCE 8
#define DRAWS	     4096

/* Ignore the bias of a distance with fewer pairs. */
#define LEAST_PAIRS 4

/* Largest number of pairs of a round that are also measured alone. */
#define MOST_ALONE 64

struct sampled_pair {
	struct schedule_pair pair;
	enum spin_hint_distance distance;
	bool alone; /* also measured alone */
};

/* A trial: in each round some pairs are measured alone, and all in parallel. */
struct jobs_trial {
	const struct jobs_options *options;
	struct crew *crew;
	struct crew_program program;
	struct stat_random random;
	struct sampled_pair *round; /* [n_pairs] */
	size_t n_pairs, n_alone;
	uint32_t *members;	  /* [n_members]: scratch */
	double *alone, *together; /* [n_alone * ROUNDS] medians, in ticks */
	double *ratios;		  /* together / alone */
	enum spin_hint_distance *pair_distances; /* [n_alone * ROUNDS] */
	size_t n_kept;
};

static void jobs_trial_release(struct jobs_trial *trial)
{
	crew_program_release(&trial->program, crew_is_lost(trial->crew));
	free(trial->round);
	free(trial->members);
	free(trial->alone);
	free(trial->together);
	free(trial->ratios);
	free(trial->pair_distances);
}

static int jobs_trial_init(struct jobs_trial *trial,
	const struct jobs_options *options, struct crew *crew,
	struct error *err)
{
	size_t n = options->cpus->n;
	size_t most;

	memset(trial, 0, sizeof(*trial));
	trial->options = options;
	trial->crew = crew;
	trial->n_pairs = schedule_max_jobs(options->schedule);
	trial->n_alone =
		trial->n_pairs < MOST_ALONE ? trial->n_pairs : MOST_ALONE;
	most = trial->n_alone * ROUNDS;
	/* Use a separate generator, so that orders do not depend on --jobs. */
	stat_random_init(&trial->random, options->seed);
	trial->round = calloc(trial->n_pairs, sizeof(*trial->round));
	trial->members = calloc(n, sizeof(*trial->members));
	trial->alone = calloc(most, sizeof(*trial->alone));
	trial->together = calloc(most, sizeof(*trial->together));
	trial->ratios = calloc(most, sizeof(*trial->ratios));
	trial->pair_distances = calloc(most, sizeof(*trial->pair_distances));
	if (trial->round && trial->members && trial->alone && trial->together &&
		trial->ratios && trial->pair_distances)
		return 0;
	jobs_trial_release(trial);
	return error_no_memory(err, "the choice of --jobs");
}

static enum spin_hint_distance jobs_pair_distance(
	const struct jobs_trial *trial, struct schedule_pair pair)
{
	const unsigned *cpus = trial->options->cpus->cpus;

	return spin_hint_distance_of(
		trial->options->machine, cpus[pair.first], cpus[pair.second]);
}

static void swap_members(uint32_t *a, uint32_t *b)
{
	uint32_t old = *a;

	*a = *b;
	*b = old;
}

/*
 * Draw pairs of a distance from the members that are not in the first `found`
 * pairs, and move them to the front. Return the new number of found pairs.
 */
static size_t draw_distance(struct jobs_trial *trial,
	enum spin_hint_distance distance, size_t found)
{
	size_t n = trial->options->cpus->n, per = n / 8;
	size_t end = found + (per < PER_DISTANCE ? per : PER_DISTANCE);

	for (size_t i = 0; i < DRAWS && found < end && found < trial->n_pairs;
		i++) {
		uint32_t *rest = trial->members + 2 * found;
		size_t left = n - 2 * found;
		size_t a = stat_random_below(&trial->random, left);
		size_t b = stat_random_below(&trial->random, left);
		struct schedule_pair pair = {
			.first = rest[a], .second = rest[b]};

		if (a == b || jobs_pair_distance(trial, pair) != distance)
			continue;
		swap_members(&rest[0], &rest[a]);
		swap_members(&rest[1], &rest[b == 0 ? a : b]);
		found++;
	}
	return found;
}

/*
 * Draw a round: pairs of every distance, then pairs of all other members, in
 * random order like the steps of a pass.
 */
static void draw_jobs_round(struct jobs_trial *trial)
{
	const struct schedule *schedule = trial->options->schedule;
	size_t found = 0;

	stat_shuffle(&trial->random, trial->members, trial->options->cpus->n);
	/* Draw near pairs first, because the last CPUs are mostly far apart. */
	for (int d = 0; d < SPIN_HINT_DISTANCES; d++)
		found = draw_distance(trial, (enum spin_hint_distance)d, found);
	for (size_t i = 0; i < trial->n_pairs; i++) {
		uint32_t a = trial->members[2 * i];
		uint32_t b = trial->members[2 * i + 1];
		struct sampled_pair *sample = &trial->round[i];

		if (b < a && !schedule->both_ways)
			swap_members(&a, &b);
		sample->pair = (struct schedule_pair){.first = a, .second = b};
		sample->distance = jobs_pair_distance(trial, sample->pair);
		sample->alone = i < trial->n_alone;
	}
	for (size_t i = trial->n_pairs - 1; i > 0; i--) {
		size_t with = stat_random_below(&trial->random, i + 1);
		struct sampled_pair old = trial->round[i];

		trial->round[i] = trial->round[with];
		trial->round[with] = old;
	}
}

/* Append the round's pairs, `jobs` in a step; if `alone`, some pairs singly. */
static bool add_jobs_round(
	struct jobs_trial *trial, uint32_t repeat, size_t jobs, bool alone)
{
	bool well = true;

	for (size_t i = 0; i < trial->n_pairs && well; i++) {
		struct schedule_pair pair = trial->round[i].pair;
		/* Lines change with the repeat, not with `alone`. */
		const struct crew_visit visit = {
			.first = pair.first,
			.second = pair.second,
			.pass = repeat,
			.slots = lines_slots(trial->options->lines, pair.first,
				pair.second, repeat, i,
				repeat * trial->n_pairs),
		};

		if (alone && !trial->round[i].alone)
			continue;
		well = crew_program_add(&trial->program, &visit);
		if (alone || (i + 1) % jobs == 0 || i + 1 == trial->n_pairs)
			well = well && crew_program_end_step(&trial->program);
	}
	return well;
}

/* Return a pair's median over repeats; `at` is its index in a repeat. */
static double median_over_repeats(
	const struct jobs_trial *trial, size_t at, bool together)
{
	size_t both = trial->n_alone + trial->n_pairs;
	double ticks[REPEATS];
	size_t n = 0;

	for (size_t r = 0; r < REPEATS; r++) {
		/* Odd repeats begin with the pairs in parallel. */
		size_t before = r * both;
		double t;

		if (together && r % 2 == 0)
			before += trial->n_alone;
		else if (!together && r % 2)
			before += trial->n_pairs;
		t = rehearsal_ticks(&trial->program.visits[before + at]);
		if (!isnan(t))
			ticks[n++] = t;
	}
	return stat_median(ticks, n);
}

static void record_jobs_round(struct jobs_trial *trial)
{
	size_t nth = 0;

	for (size_t i = 0; i < trial->n_pairs; i++) {
		size_t at = trial->n_kept;

		if (!trial->round[i].alone)
			continue;
		trial->alone[at] = median_over_repeats(trial, nth++, false);
		trial->together[at] = median_over_repeats(trial, i, true);
		trial->ratios[at] = trial->together[at] / trial->alone[at];
		trial->pair_distances[at] = trial->round[i].distance;
		trial->n_kept++;
	}
}

static double larger_deviation(double a, double b)
{
	return fabs(b) > fabs(a) ? b : a;
}

static double jobs_bias_of_rounds(struct jobs_trial *trial)
{
	double alone[SPIN_HINT_DISTANCES] = {0},
	       together[SPIN_HINT_DISTANCES] = {0};
	double all_alone = 0, all_together = 0, bias;
	size_t n[SPIN_HINT_DISTANCES] = {0};

	for (size_t i = 0; i < trial->n_kept; i++) {
		enum spin_hint_distance kind = trial->pair_distances[i];

		if (isnan(trial->ratios[i]))
			continue;
		n[kind]++;
		alone[kind] += trial->alone[i];
		together[kind] += trial->together[i];
		all_alone += trial->alone[i];
		all_together += trial->together[i];
	}
	bias = all_together / all_alone - 1;
	for (int d = 0; d < SPIN_HINT_DISTANCES; d++) {
		if (n[d] >= LEAST_PAIRS)
			bias = larger_deviation(
				bias, together[d] / alone[d] - 1);
	}
	return larger_deviation(
		bias, stat_median(trial->ratios, trial->n_kept) - 1);
}

static int run_jobs_round(
	struct jobs_trial *trial, size_t jobs, struct error *err)
{
	int rc;

	draw_jobs_round(trial);
	trial->program.n_steps = 0;
	trial->program.n_visits = 0;
	for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {
		/* Alternate, because the first case warms the lines. */
		bool alone_first = repeat % 2 == 0;

		if (!add_jobs_round(trial, repeat, jobs, alone_first) ||
			!add_jobs_round(trial, repeat, jobs, !alone_first))
			return error_no_memory(err, "the choice of --jobs");
	}
	rc = rehearsal_run(trial->crew, &trial->program, "--jobs", err);
	if (rc == 0)
		record_jobs_round(trial);
	return rc;
}

static int measure_bias(
	struct jobs_trial *trial, size_t jobs, double *bias, struct error *err)
{
	double hopeless = HOPELESS * trial->options->limit;

	trial->n_kept = 0;
	for (int round = 0; round < ROUNDS; round++) {
		int rc = run_jobs_round(trial, jobs, err);

		if (rc < 0)
			return rc;
		*bias = jobs_bias_of_rounds(trial);
		if (fabs(*bias) > hopeless)
			break;
	}
	return 0;
}

int jobs_choose(const struct jobs_options *options, struct crew *crew,
	size_t *jobs, double *bias, struct error *err)
{
	struct jobs_trial trial;
	bool given = *jobs > 0;
	size_t tried = *jobs, blocks = options->lines->options.n_blocks;
	int rc = jobs_trial_init(&trial, options, crew, err);

	if (rc < 0)
		return rc;
	if (!given)
		tried = trial.n_pairs < blocks ? trial.n_pairs : blocks;
	for (uint32_t i = 0; i < options->cpus->n; i++)
		trial.members[i] = i;
	for (; tried > 1; tried /= 2) {
		rc = measure_bias(&trial, tried, bias, err);
		if (rc < 0 || given || fabs(*bias) <= options->limit)
			break;
	}
	if (rc == -EBUSY && !given) {
		tried = 1;
		rc = 0;
	}
	if (tried <= 1)
		*bias = NAN;
	*jobs = tried;
	jobs_trial_release(&trial);
	return rc;
}
