#include "engine/campaign.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/jobs.h"
#include "engine/pass_effects.h"
#include "machine/timebase.h"
#include "stat/stat.h"
#include "util/array.h"
#include "util/text.h"

/*
 * Length of a batch of visits, in seconds. After a batch the owner's thread
 * stores values, shows progress and decides whether to continue.
 */
#define BATCH_S 0.05

/* Check the intervals again after the passes grew by this factor. */
#define CHECK_GROWTH 1.2

/* A longer budget sets no deadline, because the end could overflow. */
#define MOST_BUDGET_S 1e9

/* The longest trial before the measurement, in seconds. */
#define TRIAL_S 1.0

/*
 * Largest number of slots of a visit: enough to use all LLC slices about
 * evenly.
 */
#define MOST_SLOTS 16

/* Stop a run after this many abandoned visits. */
#define MOST_ABANDONED 3

/*
 * If a larger share of samples is shorter than a step of the clock, the longer
 * samples alone would be biased.
 */
#define MOST_TOO_SHORT 0.01
#define FEW_TOO_SHORT  10

/* Passes after the sleep: as many as fit into AFTER_SLEEP_S, at most 7. */
#define AFTER_SLEEP_PASSES 7
#define AFTER_SLEEP_S	   0.5
#define NAP_NS		   20000000

/*
 * Pairs that are visited again get AGAIN_PASSES times the passes of the run, in
 * at most this share of its time. If the first values were wrong, the 95 %
 * interval of the median then excludes them.
 */
#define AGAIN_PASSES 12
#define AGAIN_SHARE  0.1

/* The next steps of the crew, from one pass or several. */
struct visit_batch {
	struct crew_program program;
	double *other_ticks; /* [visits * n_others] */
};

/* The position of the next batch in the sequence of passes. */
struct pass_cursor {
	size_t pass;	    /* including forgotten passes */
	size_t step;	    /* next step of the pass */
	uint64_t shift;	    /* random offset of the pass's lines */
	double step_s;	    /* recent time of a step */
	size_t batch_steps; /* steps in the last batch */
	size_t steps_run;   /* steps run in all passes */
	size_t check_at;    /* passes before the next check of intervals */
	bool narrow;	    /* all intervals are narrow enough */
	unsigned abandoned;
	bool again; /* the next step was abandoned once */
};

void campaign_warn(struct campaign *campaign, const char *format, ...)
{
	va_list args;

	if (!array_grow(&campaign->warnings, campaign->n_warnings,
		    sizeof(*campaign->warnings)))
		return;
	va_start(args, format);
	if (vasprintf(&campaign->warnings[campaign->n_warnings], format,
		    args) >= 0)
		campaign->n_warnings++;
	va_end(args);
}

void campaign_release(struct campaign *campaign)
{
	for (size_t i = 0; i < campaign->n_warnings; i++)
		free(campaign->warnings[i]);
	free(campaign->warnings);
	free(campaign->values);
	free(campaign->pass_start_s);
	free(campaign->places);
	free(campaign->after_sleep_medians);
	free(campaign->scratch);
	free(campaign->broken_off_visits);
	free(campaign->again_index);
	if (campaign->again)
		campaign_release(campaign->again);
	free(campaign->again);
	schedule_release(&campaign->schedule);
	memset(campaign, 0, sizeof(*campaign));
}

static float *pass_value_at(
	const struct campaign *campaign, size_t pass, size_t pair, size_t k)
{
	return &campaign->values[(pass * campaign->schedule.n_pairs + pair) *
					 campaign->n_values +
				 k];
}

double campaign_value(
	const struct campaign *campaign, size_t pass, size_t pair, size_t k)
{
	return *pass_value_at(campaign, pass, pair, k);
}

size_t campaign_pair_values(const struct campaign *campaign, size_t pair)
{
	size_t two = campaign->n_values - campaign->n_others;

	/* The `others` also run the second half. */
	return campaign->options.probe->second_cell == PROBE_NOTHING
		       ? two
		       : two + campaign->schedule.pairs[pair].n_others;
}

size_t campaign_gather(const struct campaign *campaign, size_t pair, size_t k,
	size_t first, size_t end, size_t stride, double *out)
{
	size_t found = 0;

	for (size_t pass = first; pass < end; pass += stride) {
		float value = *pass_value_at(campaign, pass, pair, k);

		if (!isnan(value))
			out[found++] = value;
	}
	return found;
}

size_t campaign_counted_end(const struct campaign *campaign)
{
	return campaign->counted_end ? campaign->counted_end
				     : campaign->n_passes;
}

size_t campaign_gather_counted(
	const struct campaign *campaign, size_t pair, size_t k)
{
	const struct campaign *again = campaign->again;
	size_t n = campaign_gather(campaign, pair, k, campaign->counted_first,
		campaign_counted_end(campaign), 1, campaign->scratch);

	if (again && campaign->again_index[pair])
		n += campaign_gather(again, campaign->again_index[pair] - 1, k,
			0, again->n_passes, 1, campaign->scratch + n);
	return n;
}

/* Add a pass whose values are all NaN, and draw its order. */
static int begin_pass(struct campaign *campaign, struct pass_cursor *cursor,
	struct error *err)
{
	size_t n_pairs = campaign->schedule.n_pairs;
	size_t per_pass = n_pairs * campaign->n_values;
	size_t pass = campaign->n_passes;
	bool kept = campaign->options.measure_pass_effects &&
		    !campaign->options.block_bytes;

	if (kept && !array_grow(&campaign->places, pass,
			    n_pairs * sizeof(*campaign->places)))
		return error_no_memory(err, "one more pass");
	if (!array_grow(&campaign->values, pass,
		    per_pass * sizeof(*campaign->values)) ||
		!array_grow(&campaign->pass_start_s, pass, sizeof(double)) ||
		!array_grow(&campaign->scratch, pass,
			(1 + AGAIN_PASSES) * sizeof(double)))
		return error_no_memory(err, "one more pass");
	for (size_t i = 0; i < per_pass; i++)
		campaign->values[pass * per_pass + i] = NAN;
	campaign->pass_start_s[pass] = NAN;
	schedule_draw(&campaign->schedule, campaign->jobs);
	cursor->shift = stat_random_next(&campaign->schedule.random);
	cursor->pass = campaign->forgotten + pass;
	cursor->step = 0;
	campaign->n_passes++;
	return 0;
}

/* Remove the first `steps` steps from the batch. */
static void batch_drop(struct crew_program *program, size_t steps)
{
	size_t visits = crew_program_begin(program, steps);

	program->n_visits -= visits;
	program->n_steps -= steps;
	memmove(program->visits, program->visits + visits,
		program->n_visits * sizeof(*program->visits));
	for (size_t i = 0; i < program->n_steps; i++)
		program->step_ends[i] = program->step_ends[i + steps] - visits;
}

/* Append the pass's next step to the batch. */
static int add_step(const struct campaign *campaign, struct pass_cursor *cursor,
	const struct line_pools *lines, struct crew_program *program,
	struct error *err)
{
	const struct schedule *schedule = &campaign->schedule;
	size_t begin = cursor->step ? schedule->step_ends[cursor->step - 1] : 0;
	size_t end = schedule->step_ends[cursor->step++];
	bool well = true;

	for (size_t position = begin; position < end && well; position++) {
		uint32_t index = schedule->order[position];
		struct schedule_pair pair = schedule->pairs[index];
		const struct crew_visit visit = {
			.first = pair.first,
			.second = pair.second,
			.pair = index,
			.pass = (uint32_t)cursor->pass,
			.variant = pair.variant,
			.n_others = pair.n_others,
			.others = pair.n_others ? campaign->options.others +
							  pair.others_at
						: NULL,
			.slots = lines_slots(lines, pair.first, pair.second,
				(uint32_t)cursor->pass, position,
				cursor->shift),
		};

		if (campaign->places)
			campaign->places[(cursor->pass - campaign->forgotten) *
						 schedule->n_pairs +
					 index] = lines_place(lines, pair.first,
				pair.second, (uint32_t)cursor->pass, position,
				cursor->shift);
		well = crew_program_add(program, &visit);
	}
	if (!well || !crew_program_end_step(program))
		return error_no_memory(err, "visits");
	return 0;
}

/* If there are many passes, forget the older half of them. */
static void drop_older_passes(struct campaign *campaign)
{
	size_t window = campaign->options.most_kept_passes;
	size_t n_pairs = campaign->schedule.n_pairs;
	size_t per_pass = n_pairs * campaign->n_values;
	size_t n = campaign->n_passes / 2, left = campaign->n_passes - n;

	if (!window || campaign->n_passes < window)
		return;
	memmove(campaign->values, campaign->values + n * per_pass,
		left * per_pass * sizeof(*campaign->values));
	memmove(campaign->pass_start_s, campaign->pass_start_s + n,
		left * sizeof(*campaign->pass_start_s));
	if (campaign->places)
		memmove(campaign->places, campaign->places + n * n_pairs,
			left * n_pairs * sizeof(*campaign->places));
	campaign->forgotten += n;
	campaign->n_passes = left;
	campaign->n_complete -= n;
}

/* Return the number of steps in BATCH_S, from the recent time of a step. */
static size_t batch_steps(const struct pass_cursor *cursor)
{
	size_t wanted =
		cursor->step_s > 0 ? 1 + (size_t)(BATCH_S / cursor->step_s) : 1;

	/* Grow slowly: thousands of visits may be slower than a few. */
	return wanted > 2 * cursor->batch_steps ? 2 * cursor->batch_steps + 1
						: wanted;
}

/* Return whether the batch or the burst is complete. */
static bool is_full(const struct campaign *campaign,
	const struct pass_cursor *cursor, const struct crew_program *program,
	size_t passes)
{
	if (campaign->options.on_burst_end)
		return passes >= campaign->burst &&
		       cursor->step == campaign->schedule.n_steps;
	return program->n_steps >= cursor->batch_steps;
}

/* Fill the batch, unless it still has steps. */
static int fill_batch(struct campaign *campaign, struct pass_cursor *cursor,
	const struct line_pools *lines, struct visit_batch *batch,
	struct error *err)
{
	struct crew_program *program = &batch->program;
	size_t n_others = campaign->n_others;
	size_t passes = 0;

	if (program->n_steps)
		return 0;
	drop_older_passes(campaign);
	cursor->batch_steps = batch_steps(cursor);
	while (!is_full(campaign, cursor, program, passes)) {
		int rc = 0;

		if (campaign->n_passes == 0 ||
			cursor->step == campaign->schedule.n_steps) {
			if (campaign->n_passes >= campaign->options.passes_max)
				break;
			rc = begin_pass(campaign, cursor, err);
			passes++;
		}
		if (rc == 0)
			rc = add_step(campaign, cursor, lines, program, err);
		if (rc < 0)
			return rc;
	}
	if (n_others &&
		!array_resize(&batch->other_ticks, program->n_visits * n_others,
			sizeof(*batch->other_ticks)))
		return error_no_memory(err, "visits");
	for (size_t v = 0; v < program->n_visits && n_others; v++)
		program->visits[v].other_ticks =
			batch->other_ticks + v * n_others;
	return 0;
}

/*
 * Return the value of a half; NaN if the clock advanced by at most one step. If
 * the halves use two counters, return NaN only if the message arrived before it
 * was sent by these counters; campaign_check_counters() detects smaller
 * offsets.
 */
static float visit_half_value(struct campaign *campaign,
	const struct crew_visit *visit, int half, double ticks)
{
	const struct probe *probe = campaign->options.probe;
	const struct probe_params *params = &campaign->options.params;

	if (isnan(ticks))
		return NAN;
	campaign->n_timed++;
	if (probe->needs_synchronous_counters && ticks <= 0)
		return NAN;
	if (!probe->counts[half] && !probe->needs_synchronous_counters &&
		ticks <= params->step_ticks) {
		campaign->n_too_short++;
		return NAN;
	}
	return (float)probe->scale(params, visit->variant, ticks);
}

/* Return whether the samples are too slow: the host ran another vCPU. */
static bool is_interrupted(
	const struct campaign *campaign, const struct crew_visit *visit)
{
	const struct probe_params *params = &campaign->options.params;
	double limit =
		CAMPAIGN_SLOWEST_NS / params->ns_per_tick * params->round_trips;

	return campaign->overcommitted &&
	       campaign->options.probe->round_trips &&
	       fmax(visit->ticks[0], visit->ticks[1]) > limit;
}

/* Return the index of the visit's pass among the kept passes. */
static size_t kept_pass(
	const struct campaign *campaign, const struct crew_visit *visit)
{
	/* visit->pass and the difference are modulo 2^32. */
	return visit->pass - (uint32_t)campaign->forgotten;
}

static void store_visit(
	struct campaign *campaign, const struct crew_visit *visit)
{
	const struct probe *probe = campaign->options.probe;
	float *value = pass_value_at(
		campaign, kept_pass(campaign, visit), visit->pair, 0);

	if (is_interrupted(campaign, visit)) {
		campaign->broken_off_visits[visit->pair]++;
		return;
	}
	if (probe->first_cell != PROBE_NOTHING)
		*value++ =
			visit_half_value(campaign, visit, 0, visit->ticks[0]);
	if (probe->second_cell == PROBE_NOTHING)
		return;
	*value++ = visit_half_value(campaign, visit, 1, visit->ticks[1]);
	for (uint32_t i = 0; i < visit->n_others; i++)
		*value++ = visit_half_value(
			campaign, visit, 1, visit->other_ticks[i]);
}

/* Store the visits of the batch's first `steps` steps. */
static void store_steps(struct campaign *campaign, struct pass_cursor *cursor,
	const struct crew_program *program, size_t steps, double start_s)
{
	for (size_t v = 0; v < crew_program_begin(program, steps); v++) {
		const struct crew_visit *visit = &program->visits[v];

		size_t pass = kept_pass(campaign, visit);

		if (isnan(campaign->pass_start_s[pass]))
			campaign->pass_start_s[pass] = start_s;
		store_visit(campaign, visit);
	}
	/* Every pass has the same number of steps. */
	cursor->steps_run += steps;
	campaign->n_complete = cursor->steps_run / campaign->schedule.n_steps -
			       campaign->forgotten;
}

/* Return whether every pair has all its values; always true if may_drop. */
static bool all_pairs_have_values(const struct campaign *campaign)
{
	for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
		for (size_t k = 0; k < campaign_pair_values(campaign, p); k++) {
			if (campaign_gather(campaign, p, k, 0,
				    campaign->n_passes, 1,
				    campaign->scratch) == 0)
				return campaign->options.may_drop;
		}
	}
	return true;
}

/*
 * Return whether the 95 % intervals of a pair are narrow enough. With may_drop,
 * one of the first two values may be missing. If another value is missing, a
 * later pass may add it, so return false.
 */
static bool is_pair_narrow(const struct campaign *campaign, size_t pair)
{
	size_t two = campaign->n_values - campaign->n_others;
	double *values = campaign->scratch, low, high;
	bool any = false;

	for (size_t k = 0; k < campaign_pair_values(campaign, pair); k++) {
		size_t n = campaign_gather(
			campaign, pair, k, 0, campaign->n_passes, 1, values);

		if (n == 0 && k < two && campaign->options.may_drop)
			continue;
		stat_sort(values, n);
		if (stat_median_ci95(values, n, &low, &high) < 0 ||
			!(high - low <= 2 * campaign->options.precision *
						stat_quantile(values, n, 0.5)))
			return false;
		any |= k < two;
	}
	return any;
}

/* Return the time of the run that the budget allows so far, in seconds. */
static double budget_s(const struct campaign *campaign)
{
	const struct campaign_options *options = &campaign->options;
	size_t passes = campaign->n_complete;

	/* On an overcommitted host, the budget may end even the first pass. */
	if (passes == 0 &&
		!(campaign->overcommitted && options->probe->round_trips))
		return INFINITY;
	return passes < options->passes_min
		       ? fmax(options->budget_s, options->most_s)
		       : options->budget_s;
}

static bool campaign_is_finished(
	const struct campaign *campaign, struct pass_cursor *cursor)
{
	const struct campaign_options *options = &campaign->options;
	size_t passes = campaign->n_complete;

	if (campaign->elapsed_s >= budget_s(campaign))
		return true;
	if (passes == 0)
		return false;
	if (passes >= options->passes_max)
		return true;
	if (passes < options->passes_min ||
		campaign->elapsed_s < options->least_s)
		return false;
	if (passes >= cursor->check_at) {
		cursor->narrow = true;
		for (size_t p = 0;
			cursor->narrow && p < campaign->schedule.n_pairs; p++)
			cursor->narrow = is_pair_narrow(campaign, p);
		cursor->check_at = 1 + (size_t)(CHECK_GROWTH * (double)passes);
	}
	return cursor->narrow;
}

void campaign_progress_text(const struct campaign_progress *progress,
	char text[CAMPAIGN_PROGRESS_BYTES])
{
	char left[48] = "";

	if (!isnan(progress->left_s))
		snprintf(left, sizeof(left), ", at most %.0f s left",
			progress->left_s);
	snprintf(text, CAMPAIGN_PROGRESS_BYTES, "pass %zu, %s %zu of %zu%s",
		progress->passes + (progress->pairs < progress->pairs_total),
		progress->noun ? progress->noun : "pair", progress->pairs,
		progress->pairs_total, left);
}

static void report_progress(
	const struct campaign *campaign, const struct pass_cursor *cursor)
{
	const struct campaign_options *options = &campaign->options;
	const struct schedule *schedule = &campaign->schedule;
	struct campaign_progress progress = {
		.noun = options->noun,
		.passes = campaign->n_complete,
		.pairs = cursor->step ? schedule->step_ends[cursor->step - 1]
				      : 0,
		.pairs_total = schedule->n_pairs,
		.left_s = NAN,
	};
	double done = (double)progress.passes +
		      (double)progress.pairs / (double)progress.pairs_total;
	double pass_s = cursor->step_s * (double)schedule->n_steps;
	double by_passes, total, first;

	if (!options->progress)
		return;
	if (progress.pairs == progress.pairs_total)
		done = (double)progress.passes;
	/* Use the mean, because the steps of some rows take longer. */
	if (done > 0)
		pass_s = campaign->elapsed_s / done;
	/* The budget or the last pass ends the run. */
	by_passes = campaign->elapsed_s +
		    pass_s * ((double)options->passes_max - done);
	total = fmin(options->budget_s, by_passes);
	/* The run has passes_min passes unless they take over most_s. */
	first = campaign->elapsed_s +
		pass_s * ((double)options->passes_min - done);
	total = fmax(total, fmin(first, options->most_s));
	total = fmax(total, campaign->elapsed_s + pass_s * (1 - done));
	if (isfinite(total) && total > 0) {
		progress.left_s = fmax(0, total - campaign->elapsed_s);
		progress.fraction = campaign->elapsed_s / total;
	}
	options->progress(options->progress_context, &progress);
}

/* Store why the run ended, and warn. */
static void record_run_failure(
	struct campaign *campaign, const struct error *why)
{
	campaign->failure = *why;
	campaign_warn(campaign, "the run was ended: %s", why->text);
}

static bool is_stopped(const struct campaign *campaign)
{
	return atomic_load_explicit(
		campaign->options.stop, memory_order_relaxed);
}

/* Give visits more time on an overcommitted machine. */
static void handle_broken(
	struct campaign *campaign, const struct crew_report *report)
{
	together_extend_patience(&campaign->patience);
	error_set(&campaign->failure, ERROR_FAILURE, ETIMEDOUT,
		"nothing was measured: vCPUs %u and %u did not run at the same "
		"time; the host runs about %.1f of %zu vCPUs at the same time: "
		"measure fewer of them (--cpus), or give the machine more "
		"cores",
		report->cpu, report->partner, campaign->at_once,
		campaign->options.cpus->n);
}

/* Warn of an abandoned visit. Return whether to continue. */
static bool handle_abandoned(struct campaign *campaign,
	struct pass_cursor *cursor, const struct crew_report *report)
{
	double s = campaign->options.patience_s;
	bool last = ++cursor->abandoned >= MOST_ABANDONED;
	char cpus[48];

	if (report->cpu == report->partner)
		snprintf(cpus, sizeof(cpus), "CPU %u", report->cpu);
	else
		snprintf(cpus, sizeof(cpus), "CPUs %u and %u", report->cpu,
			report->partner);
	campaign_warn(campaign,
		"%s did not finish a visit within %.3g s; c2c ended the "
		"visit%s",
		cpus, s,
		cursor->again && !last ? " and tries it again"
				       : ", which does not count");
	error_set(&campaign->failure, ERROR_FAILURE, ETIMEDOUT,
		"nothing was measured: %s did not finish a visit "
		"within %.3g s; other programs run on these CPUs, or a CPU "
		"quota or a low priority stops this one: check top, nice, and "
		"the load and quota in 'c2c info'",
		cpus, s);
	if (!last)
		return true;
	campaign_warn(campaign,
		"the run was ended after %u broken-off visits: are other "
		"programs using these CPUs?",
		cursor->abandoned);
	return false;
}

/* Handle an outcome other than "done". Return whether to continue. */
static bool handle_outcome(struct campaign *campaign,
	struct pass_cursor *cursor, enum crew_outcome outcome,
	const struct crew_report *report)
{
	struct error why;

	switch (outcome) {
	case CREW_DONE:
	case CREW_OVER:
		return true;
	case CREW_STOPPED:
		campaign->interrupted = true;
		break;
	case CREW_ABANDONED:
		if (campaign->overcommitted && report->cpu != report->partner) {
			handle_broken(campaign, report);
			return true;
		}
		if (handle_abandoned(campaign, cursor, report))
			return true;
		break;
	case CREW_MOVED:
		error_set(&why, ERROR_FAILURE, EXDEV,
			"the thread of CPU %u was moved to CPU %d: the CPU "
			"went offline or left this process's cpuset",
			report->cpu, report->ran_on);
		record_run_failure(campaign, &why);
		break;
	case CREW_FAILED:
		record_run_failure(campaign, &report->error);
		break;
	case CREW_LOST:
		campaign->lost = true;
		error_set(&why, ERROR_FAILURE, ETIMEDOUT,
			"the thread of CPU %u (with CPU %u) does not answer "
			"any more: something else holds that CPU, or has "
			"stopped the thread; check top, or leave the CPU out "
			"with --cpus",
			report->cpu, report->partner);
		record_run_failure(campaign, &why);
		break;
	}
	campaign->complete = false;
	/* Ignore other causes if the user asked to stop. */
	if (is_stopped(campaign))
		campaign->interrupted = true;
	return false;
}

/* Return whether too many samples are shorter than the clock's step. */
static bool is_too_coarse(const struct campaign *campaign, size_t few)
{
	return campaign->n_too_short > few &&
	       (double)campaign->n_too_short >
		       MOST_TOO_SHORT * (double)campaign->n_timed;
}

/* Fail if too many samples are shorter than the clock's step; warn of a few. */
static int judge_clock(struct campaign *campaign, struct error *err)
{
	const struct probe_params *params = &campaign->options.params;
	double step_ns = params->step_ticks * params->ns_per_tick;
	/* Keep the samples of an interrupted run, however few are valid. */
	bool coarse = is_too_coarse(
		campaign, campaign->interrupted ? FEW_TOO_SHORT : 0);
	char step[TEXT_SIZE_BYTES];
	struct error why;

	if (campaign->n_too_short == 0)
		return 0;
	error_set(coarse && err ? err : &why, ERROR_UNAVAILABLE, ENOTSUP,
		"%zu of %zu samples took no longer than a step of the clock "
		"(%s) and measure nothing%s%s",
		campaign->n_too_short, campaign->n_timed,
		text_time(step_ns * 1e-9, step),
		!coarse ? "; they do not count"
			: "; use longer samples (--round-trips, --chunks, "
			  "--size) or a finer clock ('c2c info' shows this one",
		!coarse		  ? ""
		: params->counter ? ", C2C_CLOCK=clock selects the system "
				    "clock)"
				  : ", /sys/devices/system/clocksource has "
				    "others)");
	if (coarse)
		return -ENOTSUP;
	campaign_warn(campaign, "%s", why.text);
	return 0;
}

/* Return when a trial must end. Most trials take a few milliseconds. */
static uint64_t trial_deadline_ns(void)
{
	return timebase_raw_ns() + (uint64_t)(TRIAL_S * 1e9);
}

/*
 * Measure how many CPUs run simultaneously. If too few do, let waiting CPUs
 * sleep, unless the options forbid it, and shorten the patience for visits.
 */
static int measure_concurrency(struct campaign *campaign, struct crew *crew,
	const struct line_pools *lines, struct error *err)
{
	struct campaign_options *options = &campaign->options;
	size_t n = options->cpus->n;
	int rc = 0;

	crew_set_deadline(crew, trial_deadline_ns());
	crew_set_patience(crew, fmin(TRIAL_S, options->patience_s));
	if (options->at_once)
		rc = options->at_once(
			crew, lines, options->cpus, &campaign->at_once, err);
	crew_set_deadline(crew, 0);
	crew_set_patience(crew, options->patience_s);
	if (rc < 0 || !together_is_overcommitted(campaign->at_once, n))
		return rc;
	campaign->overcommitted = true;
	campaign->broken_off_visits = calloc(campaign->schedule.n_pairs,
		sizeof(*campaign->broken_off_visits));
	if (!campaign->broken_off_visits)
		return error_no_memory(err, "visits");
	if (options->park_if_few) {
		options->idle = CREW_PARK;
		crew_park(crew, true);
	}
	campaign->patience = together_patience_of(
		options->probe, &options->params, options->patience_s);
	/* Rehearsals use the longest patience; run_batch() shortens it. */
	crew_set_patience(crew, campaign->patience.most_s);
	return 0;
}

static void note_broken(struct campaign *campaign,
	const struct crew_program *program, size_t step)
{
	for (size_t v = crew_program_begin(program, step);
		campaign->broken_off_visits && v < program->step_ends[step];
		v++) {
		const struct crew_visit *visit = &program->visits[v];

		campaign->broken_off_visits[visit->pair] +=
			isnan(visit->ticks[0]) && isnan(visit->ticks[1]);
	}
}

static enum crew_outcome run_batch(struct campaign *campaign, struct crew *crew,
	struct pass_cursor *cursor, struct crew_program *program,
	uint64_t start_ns, struct crew_report *report)
{
	double begin_s = (double)(timebase_raw_ns() - start_ns) * 1e-9;
	double end_s = budget_s(campaign);
	enum crew_outcome outcome;
	size_t steps;

	/* fill_batch() added at least one step. */
	assert(program->step_ends && program->visits);
	if (campaign->overcommitted)
		crew_set_patience(crew, campaign->patience.s);
	crew_set_deadline(crew,
		end_s < MOST_BUDGET_S ? start_ns + (uint64_t)(end_s * 1e9) : 0);
	outcome = crew_run(crew, program, report);
	steps = report->steps_done;
	campaign->elapsed_s = (double)(timebase_raw_ns() - start_ns) * 1e-9;
	/*
	 * Try an abandoned step again once, because a run of one pass could
	 * otherwise end without values on a busy machine.
	 */
	cursor->again = outcome == CREW_ABANDONED && !(cursor->again && !steps);
	/* Store the abandoned step, because it may have valid pairs. */
	if (outcome == CREW_ABANDONED && !cursor->again)
		steps++;
	if ((outcome == CREW_DONE || outcome == CREW_OVER) && steps)
		cursor->step_s =
			(campaign->elapsed_s - begin_s) / (double)steps;
	if (outcome == CREW_ABANDONED)
		note_broken(campaign, program, report->steps_done);
	if (campaign->overcommitted)
		together_shorten_patience(
			&campaign->patience, report->steps_done);
	store_steps(campaign, cursor, program, steps, begin_s);
	if (outcome != CREW_LOST)
		batch_drop(program, steps);
	return outcome;
}

/* Call on_burst_end() after a burst. Return whether to continue. */
static bool rest_after_burst(struct campaign *campaign,
	struct pass_cursor *cursor, const struct crew_program *program)
{
	const struct campaign_options *options = &campaign->options;

	if (!options->on_burst_end || program->n_steps)
		return true;
	/* Runs of several days may abandon a few visits. */
	cursor->abandoned = 0;
	return options->on_burst_end(options->burst_end_context, campaign);
}

/* Let all members sleep for sleep_s. Return false if the user stops the run. */
static bool sleep_all(struct campaign *campaign, struct crew *crew)
{
	static const struct timespec nap = {.tv_nsec = NAP_NS};
	uint64_t end_ns =
		timebase_raw_ns() + (uint64_t)(campaign->options.sleep_s * 1e9);

	crew_park(crew, true);
	while (!is_stopped(campaign) && timebase_raw_ns() < end_ns)
		nanosleep(&nap, NULL);
	crew_park(crew, campaign->options.idle != CREW_SPIN);
	return !is_stopped(campaign);
}

/* Store the medians of the passes from `first` on, after the sleep. */
static void keep_after_sleep_medians(struct campaign *campaign, size_t first)
{
	size_t n_values = campaign->n_values;
	size_t n = campaign->schedule.n_pairs * n_values;

	campaign->after_sleep_medians =
		calloc(n, sizeof(*campaign->after_sleep_medians));
	for (size_t i = 0; campaign->after_sleep_medians && i < n; i++) {
		size_t found = campaign_gather(campaign, i / n_values,
			i % n_values, first, campaign->n_passes, 1,
			campaign->scratch);

		campaign->after_sleep_medians[i] =
			(float)stat_median(campaign->scratch, found);
	}
	campaign->n_after_sleep_passes = campaign->n_passes - first;
}

/*
 * Let all CPUs sleep, then measure a few more passes, which show whether vCPUs
 * moved meanwhile. The additional passes do not count as passes of the run.
 */
static void measure_after_sleep(struct campaign *campaign, struct crew *crew,
	const struct line_pools *lines, struct pass_cursor *cursor,
	struct visit_batch *batch)
{
	struct campaign seen = *campaign;
	double pass_s = cursor->step_s * (double)campaign->schedule.n_steps;
	size_t passes =
		(size_t)fmax((double)campaign->options.after_sleep_min_passes,
			fmin(AFTER_SLEEP_PASSES, AFTER_SLEEP_S / pass_s));
	enum crew_outcome outcome = CREW_DONE;
	struct crew_report report;

	if (!campaign->complete || campaign->overcommitted ||
		(campaign->again && !campaign->again->complete) ||
		!(campaign->options.sleep_s > 0) || passes == 0)
		return;
	if (!sleep_all(campaign, crew)) {
		campaign->interrupted = true;
		campaign->complete = false;
		return;
	}
	campaign->options.passes_max = campaign->n_passes + passes;
	campaign->options.budget_s = INFINITY;
	batch_drop(&batch->program, batch->program.n_steps);
	/* Skip the rest of a pass that the budget ended. */
	cursor->step = campaign->schedule.n_steps;
	do {
		if (fill_batch(campaign, cursor, lines, batch, NULL) < 0 ||
			!batch->program.n_steps)
			break;
		outcome = run_batch(campaign, crew, cursor, &batch->program,
			timebase_raw_ns(), &report);
	} while (outcome == CREW_DONE && !is_stopped(campaign));
	if (outcome == CREW_DONE && !is_stopped(campaign))
		keep_after_sleep_medians(campaign, seen.n_passes);
	campaign->options = seen.options;
	campaign->n_passes = seen.n_passes;
	campaign->n_complete = seen.n_complete;
	campaign->elapsed_s = seen.elapsed_s;
	campaign->n_timed = seen.n_timed;
	campaign->n_too_short = seen.n_too_short;
}

/* Count the passes that were begun, not those only drawn. */
static void count_begun(
	struct campaign *campaign, const struct pass_cursor *cursor)
{
	size_t n_steps = campaign->schedule.n_steps;

	if (n_steps)
		campaign->n_passes =
			(cursor->steps_run + n_steps - 1) / n_steps -
			campaign->forgotten;
}

static void measure_again(struct campaign *campaign, struct crew *crew,
	const struct line_pools *lines, double visit_s, uint64_t start_ns);

static int measure_passes(struct campaign *campaign, struct crew *crew,
	const struct line_pools *lines, uint64_t start_ns, struct error *err)
{
	struct pass_cursor cursor = {.check_at = campaign->options.passes_min};
	struct visit_batch batch = {.other_ticks = NULL};
	int rc;

	campaign->complete = true;
	for (;;) {
		struct crew_report report;
		enum crew_outcome outcome;

		rc = fill_batch(campaign, &cursor, lines, &batch, err);
		if (rc < 0)
			break;
		outcome = run_batch(campaign, crew, &cursor, &batch.program,
			start_ns, &report);
		if (outcome == CREW_ABANDONED && !campaign->overcommitted) {
			rc = measure_concurrency(campaign, crew, lines, err);
			if (rc < 0)
				break;
		}
		if (!handle_outcome(campaign, &cursor, outcome, &report))
			break;
		report_progress(campaign, &cursor);
		if (campaign_is_finished(campaign, &cursor) ||
			is_too_coarse(campaign, FEW_TOO_SHORT) ||
			!rest_after_burst(campaign, &cursor, &batch.program))
			break;
		if (is_stopped(campaign)) {
			handle_outcome(
				campaign, &cursor, CREW_STOPPED, &report);
			break;
		}
	}
	count_begun(campaign, &cursor);
	if (rc == 0) {
		measure_again(campaign, crew, lines, cursor.step_s, start_ns);
		measure_after_sleep(campaign, crew, lines, &cursor, &batch);
	}
	/* A rehearsal may also lose a member. */
	campaign->lost |= crew_is_lost(crew);
	if (campaign->lost) {
		campaign->lost_member_program = batch.program;
	} else {
		crew_program_release(&batch.program, false);
		free(batch.other_ticks);
	}
	if (rc < 0 && campaign->n_passes > 0) {
		/* Keep the values, although the run cannot continue. */
		if (err)
			record_run_failure(campaign, err);
		campaign->complete = false;
		rc = 0;
	}
	/* A matrix with a missing value is incomplete. */
	if (!all_pairs_have_values(campaign))
		campaign->complete = false;
	return rc == 0 ? judge_clock(campaign, err) : rc;
}

/* Reduce the chosen pairs to `most`, or to one; return their number. */
static size_t limit_chosen(bool *chosen, size_t n_pairs, double most)
{
	size_t n = 0;

	for (size_t p = 0; p < n_pairs; p++) {
		chosen[p] &= n == 0 || (double)n + 1 <= most;
		n += chosen[p];
	}
	return n;
}

/* Initialize *again as a campaign of the chosen pairs. */
static bool begin_again(struct campaign *again, const struct campaign *campaign,
	const bool *chosen, size_t n)
{
	const struct schedule *schedule = &campaign->schedule;
	struct schedule_pair *pairs = calloc(n, sizeof(*pairs));
	size_t at = 0;
	int rc = -ENOMEM;

	for (size_t p = 0; pairs && p < schedule->n_pairs; p++) {
		if (!chosen[p])
			continue;
		pairs[at++] = schedule->pairs[p];
		campaign->again_index[p] = (uint32_t)at;
	}
	if (pairs)
		rc = schedule_init_list(&again->schedule, schedule->n_members,
			pairs, n, SCHEDULE_SHUFFLED, campaign->options.seed,
			NULL);
	free(pairs);
	again->options = campaign->options;
	again->options.passes_max = AGAIN_PASSES * campaign->n_passes;
	again->options.passes_min = SIZE_MAX;
	again->options.most_s = 0;
	again->options.sleep_s = 0;
	again->options.measure_pass_effects = false;
	again->options.choose_again = NULL;
	again->options.progress = NULL;
	/* These pairs already have values from the run. */
	again->options.may_drop = true;
	again->at_once = campaign->at_once;
	again->clock_ghz = NAN;
	again->jobs_bias = NAN;
	again->n_others = campaign->n_others;
	again->n_values = campaign->n_values;
	again->jobs = again->burst = 1;
	return rc == 0;
}

/* Visit the chosen pairs again. Without memory, do nothing. */
static void measure_again(struct campaign *campaign, struct crew *crew,
	const struct line_pools *lines, double visit_s, uint64_t start_ns)
{
	size_t n_pairs = campaign->schedule.n_pairs, n = 0;
	double share_s = AGAIN_SHARE * campaign->elapsed_s;
	struct campaign *again = NULL;
	bool *chosen;

	if (!campaign->options.choose_again || !campaign->complete ||
		campaign->overcommitted)
		return;
	chosen = calloc(n_pairs, sizeof(*chosen));
	campaign->again_index = calloc(n_pairs, sizeof(*campaign->again_index));
	if (chosen && campaign->again_index)
		n = campaign->options.choose_again(
			campaign->options.choose_again_context, campaign,
			chosen);
	/* Fewer passes than in the run would not correct a value. */
	if (n > 0) {
		n = limit_chosen(chosen, n_pairs,
			share_s / visit_s / (double)campaign->n_passes);
		again = calloc(1, sizeof(*again));
	}
	if (again && begin_again(again, campaign, chosen, n)) {
		struct error why;

		/* Choosing the pairs took a part of the time. */
		again->options.budget_s =
			(double)(timebase_raw_ns() - start_ns) * 1e-9 + share_s;
		if (measure_passes(again, crew, lines, start_ns, &why) == 0)
			campaign->again = again;
		/* The run stays complete, even if these passes were not. */
		campaign->elapsed_s =
			fmax(campaign->elapsed_s, again->elapsed_s);
		campaign->interrupted |= again->interrupted;
		if (again->failure.code)
			campaign->failure = again->failure;
		for (size_t i = 0; i < again->n_warnings; i++)
			campaign_warn(campaign, "%s", again->warnings[i]);
	}
	if (again && !campaign->again) {
		campaign_release(again);
		free(again);
	}
	free(chosen);
}

static size_t slots_of(size_t lines, uint32_t samples)
{
	size_t slots = samples < MOST_SLOTS ? samples : MOST_SLOTS;

	return slots < lines ? slots : lines;
}

size_t campaign_lines(size_t lines, uint32_t samples, size_t together)
{
	size_t slots = slots_of(lines, samples);
	size_t n_blocks = lines / slots;

	return slots * (n_blocks < together ? together : n_blocks);
}

/*
 * Map a block for each visit that runs at the same time. A block of lines has a
 * line for each sample of the visit, up to --lines.
 */
static int open_lines(
	struct campaign *campaign, struct line_pools *lines, struct error *err)
{
	struct campaign_options *options = &campaign->options;
	size_t together = schedule_max_jobs(&campaign->schedule);
	struct lines_options out = {
		.machine = options->machine,
		.cpus = options->cpus,
		.home = options->home,
		.node = options->home_node,
		.pages = options->pages,
		.stop = options->stop,
	};
	size_t slots = 1;

	if (options->jobs && options->jobs < together)
		together = options->jobs;
	/* With --lines and without --jobs, measure one pair at a time. */
	if (options->jobs == 0 && options->lines_given)
		together = 1;
	if (options->block_bytes) {
		out.block_bytes = options->block_bytes;
		out.n_blocks = together;
		if (options->block_of_slots)
			slots = options->block_bytes / PROBE_SLOT_BYTES;
	} else {
		slots = slots_of(options->lines, options->params.samples);
		out.block_bytes = slots * PROBE_SLOT_BYTES;
		out.n_blocks = campaign_lines(options->lines,
				       options->params.samples, together) /
			       slots;
	}
	options->params.slots = (uint32_t)slots;
	return lines_init(lines, &out, err);
}

/* Use the requested number of lines, or the number that the pairs need. */
static void limit_line_count(
	struct campaign *campaign, struct line_pools *lines)
{
	struct campaign_options *options = &campaign->options;
	size_t asked = options->lines;

	if (options->block_bytes)
		return;
	options->lines =
		campaign_lines(asked, options->params.samples, campaign->jobs);
	lines->options.n_blocks = options->lines / options->params.slots;
	if (options->lines_given && options->lines > asked)
		campaign_warn(campaign,
			"%zu pairs together need %zu cache lines, more than "
			"the %zu of --lines: give fewer --jobs",
			campaign->jobs, options->lines, asked);
}

/* Choose the waiting loop, if the options leave it open. */
static int choose_waiting_loop(struct campaign *campaign, struct crew *crew,
	const struct line_pools *lines, struct error *err)
{
	struct campaign_options *options = &campaign->options;
	const struct spin_hint_options trial = {
		.machine = options->machine,
		.cpus = options->cpus,
		.probe = options->probe,
		.params = &options->params,
		.budget_s = options->budget_s,
		.most_s = options->spin_hint_budget_s,
		.seed = options->seed,
	};
	int rc;

	if (!options->try_spin_hint)
		return 0;
	/* On an overcommitted host, scheduling would decide the trial. */
	if (campaign->overcommitted && options->spin_hint_budget_s > 0) {
		options->params.use_spin_hint = true;
		crew_set_params(crew, &options->params);
		return 0;
	}
	crew_set_deadline(crew, trial_deadline_ns());
	rc = spin_hint_try_both_loops(&trial, &campaign->schedule, lines, crew,
		campaign->spin_hint_figures, &options->params.use_spin_hint,
		err);
	crew_set_deadline(crew, 0);
	if (rc == 0)
		crew_set_params(crew, &options->params);
	return rc;
}

/* Choose how many pairs run together: as requested, or by measured bias. */
static int choose_job_count(struct campaign *campaign, struct crew *crew,
	const struct line_pools *lines, struct error *err)
{
	const struct campaign_options *options = &campaign->options;
	const struct jobs_options trial = {
		.machine = options->machine,
		.cpus = options->cpus,
		.schedule = &campaign->schedule,
		.lines = lines,
		.seed = options->seed,
		.limit = CAMPAIGN_JOBS_BIAS,
	};
	size_t most = schedule_max_jobs(&campaign->schedule);
	size_t wanted = options->jobs;

	/* Pairs that run together need different lines. */
	if (most > lines->options.n_blocks)
		most = lines->options.n_blocks;

	campaign->jobs = wanted < most ? wanted : most;
	if (wanted == 1 || most == 1 ||
		(wanted == 0 && campaign->overcommitted))
		campaign->jobs = 1;
	/* On an overcommitted host, the bias is unknown. */
	if (campaign->jobs == 1 || campaign->overcommitted)
		return 0;
	return jobs_choose(
		&trial, crew, &campaign->jobs, &campaign->jobs_bias, err);
}

/* Measure the clock. After the passes, store the mean with the first value. */
static int measure_core_clock(struct campaign *campaign, struct crew *crew,
	const struct line_pools *lines, struct error *err)
{
	double ghz;
	int rc;

	if (!campaign->options.measure_pass_effects || campaign->lost ||
		campaign->interrupted)
		return 0;
	rc = pass_effects_clock(crew, lines, campaign->options.cpus, &ghz, err);
	if (isnan(campaign->clock_ghz))
		campaign->clock_ghz = ghz;
	else if (!isnan(ghz))
		campaign->clock_ghz = (campaign->clock_ghz + ghz) / 2;
	/* An error at the end keeps the values. */
	if (campaign->n_passes == 0 || rc == 0)
		return rc;
	campaign->lost |= crew_is_lost(crew);
	record_run_failure(campaign, err);
	campaign->complete = false;
	return 0;
}

/* Choose the settings that depend on this machine. */
static int calibrate_campaign(struct campaign *campaign, struct crew *crew,
	struct line_pools *lines, struct error *err)
{
	int rc;

	campaign->memory_bound = lines->bound;
	campaign->pages = lines->pages;
	campaign->huge_share = lines->huge_share;
	rc = measure_concurrency(campaign, crew, lines, err);
	if (rc == 0)
		rc = choose_waiting_loop(campaign, crew, lines, err);
	/* The job count depends on the loop chosen above. */
	if (rc == 0)
		rc = choose_job_count(campaign, crew, lines, err);
	if (rc < 0)
		return rc;
	limit_line_count(campaign, lines);
	campaign->n_blocks = lines->options.n_blocks;
	campaign->n_homes = campaign->options.home == LINES_HOME_INTERLEAVE
				    ? lines->nodes.n
				    : 1;
	return measure_core_clock(campaign, crew, lines, err);
}

int campaign_run(struct campaign *campaign,
	const struct campaign_options *options, struct error *err)
{
	uint64_t start_ns = timebase_raw_ns();
	const struct crew_options crew_options = {
		.machine = options->machine,
		.cpus = options->cpus,
		.probe = options->probe,
		.params = &campaign->options.params,
		.idle = options->idle,
		.patience_s = options->patience_s,
		.stop = options->stop,
	};
	struct crew *crew = NULL;
	struct line_pools lines = {.pools = NULL};
	bool lost;
	int rc;

	memset(campaign, 0, sizeof(*campaign));
	campaign->options = *options;
	campaign->at_once = NAN;
	campaign->clock_ghz = NAN;
	campaign->jobs_bias = NAN;
	campaign->burst = 1;
	rc = options->pairs
		     ? schedule_init_list(&campaign->schedule, options->cpus->n,
			       options->pairs, options->n_pairs, options->order,
			       options->seed, err)
		     : schedule_init_all(&campaign->schedule, options->cpus->n,
			       options->both_ways, options->seed, err);
	for (size_t p = 0; p < campaign->schedule.n_pairs; p++) {
		if (campaign->schedule.pairs[p].n_others > campaign->n_others)
			campaign->n_others =
				campaign->schedule.pairs[p].n_others;
	}
	campaign->n_values = (options->probe->first_cell != PROBE_NOTHING) +
			     (options->probe->second_cell != PROBE_NOTHING) +
			     campaign->n_others;
	if (rc == 0)
		rc = open_lines(campaign, &lines, err);
	if (rc == 0)
		rc = crew_new(&crew, &crew_options, err);
	if (rc == 0)
		rc = calibrate_campaign(campaign, crew, &lines, err);
	if (rc == 0 && options->choose_pairs)
		rc = options->choose_pairs(options->choose_pairs_context, crew,
			&lines, &campaign->schedule, err);
	if (rc == 0)
		rc = measure_passes(campaign, crew, &lines, start_ns, err);
	if (rc == 0)
		rc = measure_core_clock(campaign, crew, &lines, err);
	lost = crew && crew_is_lost(crew);
	crew_free(crew);
	/* A lost member may still write to the lines: leave them mapped. */
	if (lost)
		lines_forget(&lines);
	lines_release(&lines);
	if (rc < 0)
		campaign_release(campaign);
	return rc;
}

int campaign_check_counters(const struct campaign *campaign, struct error *err)
{
	const struct schedule *schedule = &campaign->schedule;
	const struct cpu_list *cpus = campaign->options.cpus;
	double *values = campaign->scratch;
	double worst = 0, worst_apart_ns = 0;
	struct schedule_pair pair = {.first = 0};

	for (size_t p = 0; p < schedule->n_pairs; p++) {
		double way[2];

		for (size_t k = 0; k < 2; k++) {
			size_t n = campaign_gather(campaign, p, k, 0,
				campaign->n_passes, 1, values);

			stat_sort(values, n);
			way[k] = stat_quantile(values, n, 0);
		}
		if (isnan(way[0]) || isnan(way[1])) {
			worst = NAN;
			pair = schedule->pairs[p];
			break;
		}
		/* The counters' offset cancels out in the sum. */
		if (fabs(way[0] - way[1]) / (way[0] + way[1]) > worst) {
			worst = fabs(way[0] - way[1]) / (way[0] + way[1]);
			worst_apart_ns = fabs(way[0] - way[1]);
			pair = schedule->pairs[p];
		}
	}
	if (worst <= 0.25)
		return 0;
	if (isnan(worst))
		return error_set(err, ERROR_UNAVAILABLE, ENODATA,
			"by the counters of CPUs %u and %u no message arrived "
			"after it was sent: the counters are not synchronous, "
			"or the CPUs exchanged nothing; use --method two-line, "
			"which needs only one counter",
			cpus->cpus[pair.first], cpus->cpus[pair.second]);
	return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
		"the counters of CPUs %u and %u are not synchronous enough: "
		"the latencies of both directions differ by %.0f ns, so one "
		"counter may be %.0f ns ahead; use --method two-line, which "
		"needs only one counter",
		cpus->cpus[pair.first], cpus->cpus[pair.second], worst_apart_ns,
		worst_apart_ns / 2);
}
