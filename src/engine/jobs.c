#include "engine/jobs.h"

#include <math.h>
#include <stdlib.h>

#include "engine/rehearsal.h"
#include "stat/stat.h"

/*
 * Times that each pair is measured each way. Medians of so many passes were
 * within 1 % of each other on a 16-CPU virtual machine.
 */
#define REPEATS 15

/* A round of pairs, REPEATS times: first each alone, then `jobs` together. */
struct trial {
	const struct schedule *schedule;
	const struct lines *lines;
	struct crew *crew;
	struct crew_program program;
	size_t n_pairs;
	double *ratios; /* [n_pairs], together over alone */
};

/* Append the round with `jobs` pairs to a step. */
static bool add_round(struct trial *trial, uint32_t repeat, size_t jobs)
{
	const struct schedule *schedule = trial->schedule;
	bool well = true;

	for (size_t i = 0; i < trial->n_pairs && well; i++) {
		struct pair pair = schedule->pairs[schedule->order[i]];
		/* The same lines alone and together, others each repeat. */
		const struct crew_visit visit = {
			.first = pair.first,
			.second = pair.second,
			.pass = repeat,
			.variant = pair.variant,
			.slots = lines_slots(trial->lines, pair.first,
				pair.second, repeat, i,
				repeat * trial->n_pairs),
		};

		well = crew_program_add(&trial->program, &visit);
		if ((i + 1) % jobs == 0 || i + 1 == trial->n_pairs)
			well = well && crew_program_end_step(&trial->program);
	}
	return well;
}

static double median_over_repeats(
	const struct trial *trial, size_t pair, bool together)
{
	double ticks[REPEATS];
	size_t n = 0;

	for (size_t r = 0; r < REPEATS; r++) {
		/* Odd repeats begin with the pairs together. */
		size_t half = 2 * r + (together != (r % 2));
		double t = rehearsal_ticks(
			&trial->program.visits[half * trial->n_pairs + pair]);

		if (!isnan(t))
			ticks[n++] = t;
	}
	return stat_median(ticks, n);
}

static double trial_bias(struct trial *trial)
{
	double sum_alone = 0, sum_together = 0;
	double by_mean, by_median;

	for (size_t p = 0; p < trial->n_pairs; p++) {
		double alone = median_over_repeats(trial, p, false);
		double together = median_over_repeats(trial, p, true);

		sum_alone += alone;
		sum_together += together;
		trial->ratios[p] = together / alone;
	}
	by_mean = sum_together / sum_alone - 1;
	by_median = stat_median(trial->ratios, trial->n_pairs) - 1;
	return fabs(by_mean) > fabs(by_median) ? by_mean : by_median;
}

static int measure_bias(
	struct trial *trial, size_t jobs, double *bias, struct error *err)
{
	int rc;

	trial->program.n_steps = 0;
	trial->program.n_visits = 0;
	for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {
		/* Neither is always the one that finds the lines warm. */
		bool first = repeat % 2;

		if (!add_round(trial, repeat, first ? jobs : 1) ||
			!add_round(trial, repeat, first ? 1 : jobs))
			return error_no_memory(err, "the choice of --jobs");
	}
	rc = rehearsal_run(trial->crew, &trial->program, "--jobs", err);
	if (rc == 0)
		*bias = trial_bias(trial);
	return rc;
}

int jobs_settle(struct schedule *schedule, struct crew *crew,
	const struct lines *lines, double limit, size_t *jobs, double *bias,
	struct error *err)
{
	size_t most = schedule_max_jobs(schedule);
	struct trial trial = {
		.schedule = schedule, .lines = lines, .crew = crew};
	size_t tried = *jobs ? *jobs : most;
	int rc = 0;

	/* The first step of a pass of whole rounds is a round of pairs. */
	schedule_draw(schedule, most);
	trial.n_pairs = schedule->step_ends[0];
	trial.ratios = calloc(trial.n_pairs, sizeof(*trial.ratios));
	if (!trial.ratios)
		return error_no_memory(err, "the choice of --jobs");
	for (; tried > 1; tried /= 2) {
		rc = measure_bias(&trial, tried, bias, err);
		if (rc < 0 || *jobs || fabs(*bias) <= limit)
			break;
	}
	if (tried <= 1)
		*bias = NAN;
	*jobs = tried;
	crew_program_release(&trial.program, crew_is_lost(crew));
	free(trial.ratios);
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): kept for a lost member */
	return rc;
}
