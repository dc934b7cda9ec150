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
 * Pairs of each distance, and rounds over all of them. A pair is drawn again
 * where there are fewer: each round has other lines.
 */
#define PAIRS  4
#define ROUNDS (RELAX_TURNS / PAIRS)

/*
 * Draws until every distance has its pairs. With 4,096 CPUs, one pair in four
 * thousand is of SMT siblings.
 */
#define DRAWS	       32768
#define DRAWS_OF_PAIRS 64

/* No round begins later, or after so much of the budget. */
#define MOST_S	     0.3
#define BUDGET_SHARE 0.05

/* A visit of the trial is not longer, whatever the run's are. */
#define VISIT_ROUND_TRIPS 1000
#define VISIT_SAMPLES	  9

/*
 * The bare loop has to be lower by more: in runs minutes apart, the ratio of
 * one pair of Zen 5 in two L3s was 0.95 to 1.04 (bench/README.md).
 */
#define LEAST_GAIN 0.05

enum relax_distance relax_distance_of(
	const struct machine *machine, unsigned a, unsigned b)
{
	const char *shared = machine ? machine_shared_by(machine, a, b) : NULL;

	if (!shared || strcmp(shared, "Machine") == 0)
		return RELAX_MACHINE;
	if (strcmp(shared, "Core") == 0)
		return RELAX_CORE;
	return machine_share_llc(machine, a, b) ? RELAX_LLC : RELAX_PACKAGE;
}

struct relax_figure relax_compare(const struct relax_turn *turns, size_t n)
{
	double none[RELAX_TURNS], pause[RELAX_TURNS], ratio[RELAX_TURNS];
	struct relax_figure figure = {.turns = 0};
	size_t kept = 0;

	assert(n <= RELAX_TURNS);
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

bool relax_choose(const struct relax_figure figures[RELAX_DISTANCES])
{
	double sum = 0;
	size_t measured = 0;

	for (size_t d = 0; d < RELAX_DISTANCES; d++) {
		if (figures[d].turns == 0)
			continue;
		measured++;
		if (figures[d].ci_low > 1 || figures[d].ci_high < 1)
			sum += log(figures[d].ratio);
	}
	return !(sum > (double)measured * log1p(LEAST_GAIN));
}

struct trial {
	const struct relax_options *options;
	const struct schedule *schedule;
	const struct lines *lines;
	struct probe_params params[2]; /* bare, with the hint */
	struct crew_program program;

	/* Pairs of the schedule, and their distances. */
	struct pair pairs[RELAX_DISTANCES * PAIRS];
	enum relax_distance distance[RELAX_DISTANCES * PAIRS];
	size_t n_pairs;

	struct relax_turn turns[RELAX_DISTANCES][RELAX_TURNS];
	size_t n_turns[RELAX_DISTANCES];
};

static void draw_pairs(struct trial *trial)
{
	const struct relax_options *options = trial->options;
	const struct schedule *schedule = trial->schedule;
	size_t of[RELAX_DISTANCES] = {0}, draws = DRAWS;
	struct stat_random random;

	/* Not the schedule's: the orders of a seed are the same by any loop. */
	stat_random_init(&random, options->seed);
	if (draws > DRAWS_OF_PAIRS * schedule->n_pairs)
		draws = DRAWS_OF_PAIRS * schedule->n_pairs;
	for (size_t i = 0; i < draws; i++) {
		struct pair pair = schedule->pairs[stat_random_below(
			&random, schedule->n_pairs)];
		enum relax_distance distance = relax_distance_of(
			options->machine, options->cpus->cpus[pair.first],
			options->cpus->cpus[pair.second]);

		if (of[distance]++ >= PAIRS)
			continue;
		trial->distance[trial->n_pairs] = distance;
		trial->pairs[trial->n_pairs++] = pair;
		if (trial->n_pairs == RELAX_DISTANCES * PAIRS)
			break;
	}
}

/*
 * A turn is two steps. Every other pair begins with the hint, and in the next
 * round the others do.
 */
static bool add_round(struct trial *trial, uint32_t round)
{
	bool well = true;

	trial->program.n_steps = 0;
	trial->program.n_visits = 0;
	for (size_t i = 0; i < 2 * trial->n_pairs && well; i++) {
		struct pair pair = trial->pairs[i / 2];
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

/* In the probe's unit; NaN where the clock made no more than a step. */
static double value_of(
	const struct trial *trial, const struct crew_visit *visit)
{
	double ticks = rehearsal_ticks(visit);

	if (!(ticks > visit->params->step_ticks))
		return NAN;
	return trial->options->probe->scale(
		visit->params, visit->variant, ticks);
}

static void take_round(struct trial *trial)
{
	for (size_t i = 0; i < trial->n_pairs; i++) {
		const struct crew_visit *visits = &trial->program.visits[2 * i];
		size_t pause = visits[1].params->relax ? 1 : 0;
		enum relax_distance distance = trial->distance[i];

		trial->turns[distance][trial->n_turns[distance]++] =
			(struct relax_turn){
				.none = value_of(trial, &visits[1 - pause]),
				.pause = value_of(trial, &visits[pause]),
			};
	}
}

/* Rounds until there are enough or the time is up. */
static int run_rounds(struct trial *trial, struct crew *crew, struct error *err)
{
	const struct relax_options *options = trial->options;
	double most_s = options->most_s > 0 ? options->most_s : MOST_S;
	double limit_ns = 1e9 * fmin(fmin(most_s, MOST_S),
					BUDGET_SHARE * options->budget_s);
	uint64_t start_ns = timebase_raw_ns();

	for (uint32_t round = 0; round < ROUNDS; round++) {
		int rc;

		if (round && (double)(timebase_raw_ns() - start_ns) > limit_ns)
			break;
		if (!add_round(trial, round))
			return error_no_memory(
				err, "the choice of --spin-hint");
		rc = rehearsal_run(crew, &trial->program, "--spin-hint", err);
		/* What else the campaign cannot do, it will say. */
		if (rc == -EINTR || rc == -EBUSY)
			return 0;
		if (rc < 0)
			return rc;
		take_round(trial);
	}
	return 0;
}

static void set_params(struct trial *trial)
{
	for (int relax = 0; relax < 2; relax++) {
		struct probe_params *params = &trial->params[relax];

		*params = *trial->options->params;
		params->relax = relax;
		if (params->round_trips > VISIT_ROUND_TRIPS)
			params->round_trips = VISIT_ROUND_TRIPS;
		if (params->samples > VISIT_SAMPLES)
			params->samples = VISIT_SAMPLES;
	}
}

int relax_settle(const struct relax_options *options,
	const struct schedule *schedule, const struct lines *lines,
	struct crew *crew, struct relax_figure figures[RELAX_DISTANCES],
	bool *relax, struct error *err)
{
	struct trial *trial = calloc(1, sizeof(*trial));
	int rc;

	if (!trial)
		return error_no_memory(err, "the choice of --spin-hint");
	trial->options = options;
	trial->schedule = schedule;
	trial->lines = lines;
	set_params(trial);
	draw_pairs(trial);
	rc = run_rounds(trial, crew, err);
	for (size_t d = 0; d < RELAX_DISTANCES; d++)
		figures[d] = relax_compare(trial->turns[d], trial->n_turns[d]);
	*relax = relax_choose(figures);
	crew_program_release(&trial->program, crew_is_lost(crew));
	if (!crew_is_lost(crew))
		free(trial);
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): kept for a lost member */
	return rc;
}
