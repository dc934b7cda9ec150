#include "engine/spin_hint.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rehearsal.h"
#include "machine/timebase.h"
#include "stat/stat.h"

/*
 * Pairs of each distance, and rounds over all of them. If a distance has fewer
 * pairs, draw the same pairs again, because each round uses different lines.
 */
#define PAIRS  4
#define ROUNDS (SPIN_HINT_TURNS / PAIRS)

/*
 * Largest number of draws to find pairs of all distances. With 4,096 CPUs, one
 * pair in four thousand is of SMT siblings.
 */
#define DRAWS	       32768
#define DRAWS_OF_PAIRS 64

/* No round begins after this many seconds, or this share of the budget. */
#define MOST_S	     0.3
#define BUDGET_SHARE 0.05

/* Largest number of round trips in a visit of a trial. */
#define VISIT_ROUND_TRIPS 1000
#define VISIT_SAMPLES	  9

/*
 * The bare loop is chosen if its latency is lower by this share. The ratio of
 * both loops for one pair of Zen 5 in two L3s was 0.95 to 1.04
 * (bench/README.md).
 */
#define LEVEL_GAIN_MIN 0.05

enum spin_hint_distance spin_hint_distance_of(
	const struct machine *machine, unsigned a, unsigned b)
{
	const char *shared = machine ? machine_shared_by(machine, a, b) : NULL;

	if (!shared || strcmp(shared, "Machine") == 0)
		return SPIN_HINT_MACHINE;
	if (strcmp(shared, "Core") == 0)
		return SPIN_HINT_CORE;
	return machine_share_llc(machine, a, b) ? SPIN_HINT_LLC
						: SPIN_HINT_PACKAGE;
}

struct spin_hint_figure spin_hint_compare(
	const struct spin_hint_turn *turns, size_t n)
{
	double none[SPIN_HINT_TURNS], pause[SPIN_HINT_TURNS],
		ratio[SPIN_HINT_TURNS];
	struct spin_hint_figure figure = {.turns = 0};
	size_t kept = 0;

	assert(n <= SPIN_HINT_TURNS);
	for (size_t i = 0; i < n; i++) {
		if (!(turns[i].none > 0 && turns[i].pause > 0))
			continue;
		none[kept] = turns[i].none;
		pause[kept] = turns[i].pause;
		ratio[kept++] = turns[i].pause / turns[i].none;
	}
	figure.turns = kept;
	figure.none = stat_median(none, kept);
	figure.pause = stat_median(pause, kept);
	stat_sort(ratio, kept);
	figure.ratio = stat_quantile(ratio, kept, 0.5);
	if (stat_median_ci95(ratio, kept, &figure.ci_low, &figure.ci_high) < 0)
		figure.ci_low = figure.ci_high = NAN;
	return figure;
}

bool spin_hint_choose(
	const struct spin_hint_figure figures[SPIN_HINT_DISTANCES])
{
	double sum = 0;
	size_t measured = 0;

	for (size_t d = 0; d < SPIN_HINT_DISTANCES; d++) {
		if (figures[d].turns == 0)
			continue;
		measured++;
		if (figures[d].ci_low > 1 || figures[d].ci_high < 1)
			sum += log(figures[d].ratio);
	}
	return !(sum > (double)measured * log1p(LEVEL_GAIN_MIN));
}

struct spin_hint_trial {
	const struct spin_hint_options *options;
	const struct schedule *schedule;
	const struct line_pools *lines;
	struct probe_params params[2]; /* [use_hint] */
	struct crew_program program;

	/* Pairs drawn from the schedule, and their distances. */
	struct schedule_pair pairs[SPIN_HINT_DISTANCES * PAIRS];
	enum spin_hint_distance distance[SPIN_HINT_DISTANCES * PAIRS];
	size_t n_pairs;

	struct spin_hint_turn turns[SPIN_HINT_DISTANCES][SPIN_HINT_TURNS];
	size_t n_turns[SPIN_HINT_DISTANCES];
};

static void draw_pairs(struct spin_hint_trial *trial)
{
	const struct spin_hint_options *options = trial->options;
	const struct schedule *schedule = trial->schedule;
	size_t of[SPIN_HINT_DISTANCES] = {0}, draws = DRAWS;
	struct stat_random random;

	/* Use a separate generator to keep the orders. */
	stat_random_init(&random, options->seed);
	if (draws > DRAWS_OF_PAIRS * schedule->n_pairs)
		draws = DRAWS_OF_PAIRS * schedule->n_pairs;
	for (size_t i = 0; i < draws; i++) {
		struct schedule_pair pair = schedule->pairs[stat_random_below(
			&random, schedule->n_pairs)];
		enum spin_hint_distance distance = spin_hint_distance_of(
			options->machine, options->cpus->cpus[pair.first],
			options->cpus->cpus[pair.second]);

		if (of[distance]++ >= PAIRS)
			continue;
		trial->distance[trial->n_pairs] = distance;
		trial->pairs[trial->n_pairs++] = pair;
		if (trial->n_pairs == SPIN_HINT_DISTANCES * PAIRS)
			break;
	}
}

/*
 * Append two visits of each pair, one for each loop. Even pairs begin with one
 * loop, odd pairs with the other; the next round swaps them.
 */
static bool add_spin_hint_round(struct spin_hint_trial *trial, uint32_t round)
{
	bool well = true;

	trial->program.n_steps = 0;
	trial->program.n_visits = 0;
	for (size_t i = 0; i < 2 * trial->n_pairs && well; i++) {
		struct schedule_pair pair = trial->pairs[i / 2];
		const struct crew_visit visit = {
			.first = pair.first,
			.second = pair.second,
			.pass = round,
			.variant = pair.variant,
			.slots = lines_slots(trial->lines, pair.first,
				pair.second, round, i / 2,
				round * trial->n_pairs),
			.params = &trial->params[(i + i / 2 + round) % 2],
		};

		well = crew_program_add(&trial->program, &visit) &&
		       crew_program_end_step(&trial->program);
	}
	return well;
}

/* Return the value in the probe's unit; NaN if below the clock's step. */
static double spin_hint_visit_value(
	const struct spin_hint_trial *trial, const struct crew_visit *visit)
{
	double ticks = rehearsal_ticks(visit);

	if (!(ticks > visit->params->step_ticks))
		return NAN;
	return trial->options->probe->scale(
		visit->params, visit->variant, ticks);
}

static void record_spin_hint_round(struct spin_hint_trial *trial)
{
	for (size_t i = 0; i < trial->n_pairs; i++) {
		const struct crew_visit *visits = &trial->program.visits[2 * i];
		size_t pause = visits[1].params->use_spin_hint ? 1 : 0;
		enum spin_hint_distance distance = trial->distance[i];

		trial->turns[distance][trial->n_turns[distance]++] =
			(struct spin_hint_turn){
				.none = spin_hint_visit_value(
					trial, &visits[1 - pause]),
				.pause = spin_hint_visit_value(
					trial, &visits[pause]),
			};
	}
}

/* Measure rounds up to their largest number or the time limit. */
static int run_rounds(
	struct spin_hint_trial *trial, struct crew *crew, struct error *err)
{
	const struct spin_hint_options *options = trial->options;
	double most_s = options->most_s > 0 ? options->most_s : MOST_S;
	double limit_ns = 1e9 * fmin(fmin(most_s, MOST_S),
					BUDGET_SHARE * options->budget_s);
	uint64_t start_ns = timebase_raw_ns();

	for (uint32_t round = 0; round < ROUNDS; round++) {
		int rc;

		if (round && (double)(timebase_raw_ns() - start_ns) > limit_ns)
			break;
		if (!add_spin_hint_round(trial, round))
			return error_no_memory(
				err, "the choice of --spin-hint");
		rc = rehearsal_run(crew, &trial->program, "--spin-hint", err);
		/* The campaign reports interrupts and abandoned visits. */
		if (rc == -EINTR || rc == -EBUSY)
			return 0;
		if (rc < 0)
			return rc;
		record_spin_hint_round(trial);
	}
	return 0;
}

static void set_params(struct spin_hint_trial *trial)
{
	for (int use_hint = 0; use_hint < 2; use_hint++) {
		struct probe_params *params = &trial->params[use_hint];

		*params = *trial->options->params;
		params->use_spin_hint = use_hint;
		if (params->round_trips > VISIT_ROUND_TRIPS)
			params->round_trips = VISIT_ROUND_TRIPS;
		if (params->samples > VISIT_SAMPLES)
			params->samples = VISIT_SAMPLES;
	}
}

int spin_hint_try_both_loops(const struct spin_hint_options *options,
	const struct schedule *schedule, const struct line_pools *lines,
	struct crew *crew, struct spin_hint_figure figures[SPIN_HINT_DISTANCES],
	bool *use_hint, struct error *err)
{
	struct spin_hint_trial *trial = calloc(1, sizeof(*trial));
	int rc;

	if (!trial)
		return error_no_memory(err, "the choice of --spin-hint");
	trial->options = options;
	trial->schedule = schedule;
	trial->lines = lines;
	set_params(trial);
	draw_pairs(trial);
	rc = run_rounds(trial, crew, err);
	for (size_t d = 0; d < SPIN_HINT_DISTANCES; d++)
		figures[d] =
			spin_hint_compare(trial->turns[d], trial->n_turns[d]);
	*use_hint = spin_hint_choose(figures);
	crew_program_release(&trial->program, crew_is_lost(crew));
	if (!crew_is_lost(crew))
		free(trial);
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): kept for a lost member */
	return rc;
}
