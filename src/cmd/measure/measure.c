/*
 * Run a measuring command: choose the CPUs, run the campaign, check for
 * problems.
 */
#include "cmd/measure/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "cmd/measure/measure_run.h"
#include "commands.h"
#include "job/job.h"
#include "render/plot.h"
#include "result/describe.h"
#include "result/file.h"
#include "util/progress.h"
#include "util/text.h"

/*
 * Least time of a run, even if it is precise sooner, because the host moves
 * vCPUs within seconds.
 */
#define LEAST_S	     1.0
#define LEAST_PAIR_S 0.25

/* Default time limit for the six passes that intervals need. */
#define SIX_PASSES_S 30.0

/* Time limit of a step: a constant, and a time for each round trip. */
#define PATIENCE_S	      2.0
#define PATIENCE_ROUND_TRIP_S 1e-5

/* Warn of more interrupts: this many take half a per cent of the time. */
#define MOST_INTERRUPTS_PER_S 1000

/* Warn of a larger share of stolen time. */
#define MOST_STOLEN_SHARE 0.005

/* Passes to check whether the counters of the CPUs are synchronous. */
#define COUNTER_PASSES 20

static void draw_seed(struct measure_options *options)
{
	if (!option_given(&options->given, "seed"))
		options->seed = cli_draw_seed();
}

static void show_progress_text(void *context, double fraction, const char *text)
{
	const struct measure_state *run = context;

	if (run->pipe)
		job_report_progress(run->pipe, fraction, text);
	else
		cli_draw_progress(fraction, text);
}

static void measure_show_progress(
	void *context, const struct campaign_progress *progress)
{
	char text[CAMPAIGN_PROGRESS_BYTES];

	campaign_progress_text(progress, text);
	show_progress_text(context, progress->fraction, text);
}

/* From now on, an interrupt ends the run in order. */
static void measure_begin(struct measure_state *run)
{
	cli_catch_signals();
	run->plan->run = run;
	run->show_progress = !run->options->child && !run->plan->rest &&
			     run->options->verbosity >= 0 &&
			     progress_can_be_drawn(stderr);
	if (run->show_progress || run->options->child > 1) {
		run->plan->report_progress = show_progress_text;
		run->plan->report_context = run;
	}
}

static int measure_prepare_run(struct measure_state *run, struct error *err)
{
	int rc;

	if (run->options->keep_passes && !run->plan->labels.name[0])
		return error_set(err, ERROR_USAGE, EINVAL,
			"--keep-passes: this mode measures no matrix, so it "
			"has no passes to keep");
	if (run->options->resume && !run->plan->labels.name[0])
		return error_set(err, ERROR_USAGE, EINVAL,
			"--resume: this mode measures no matrix to resume");
	rc = run->options->child ? measure_child_begin(run, err)
				 : outputs_check_writable(
					   &run->options->outputs, "-o", err);
	if (rc == 0)
		rc = machine_new(&run->machine, err);
	if (rc < 0)
		return rc;
	/* Draw the seed before the plan's hooks, which may use it. */
	draw_seed(run->options);
	rc = measure_select(run, err);
	if (rc == 0)
		rc = timebase_init(&run->timebase, err);
	run->plan->clock = &run->timebase;
	if (rc == 0 && run->plan->prepare &&
		!(run->plan->maps_memory &&
			outputs_are_checked(&run->options->outputs)))
		rc = run->plan->prepare(run->plan, &run->selection, err);
	if (rc == 0)
		rc = measure_resume(run, err);
	if (rc == 0 && cli_stop_was_requested())
		rc = error_set(err, ERROR_FAILURE, EINTR,
			"interrupted before anything was measured");
	if (run->show_progress)
		progress_clear(stderr);
	return rc;
}

static bool measure_rest_hook(void *context, struct campaign *campaign)
{
	struct measure_plan *plan = context;

	return plan->rest(plan, campaign);
}

static struct campaign_options make_campaign_options(
	struct measure_state *run, const atomic_bool *stop)
{
	const struct measure_options *options = run->options;
	const struct measure_plan *plan = run->plan;
	struct campaign_options out = plan->campaign;
	const struct probe_params *params = &out.params;
	const bool passes_given = option_given(&options->given, "passes");
	const bool virtual = machine_facts(run->machine)->hypervisor;

	out.machine = run->machine;
	out.cpus = &run->selection.cpus;
	out.pairs = run->selection.pairs;
	out.n_pairs = run->selection.n_pairs;
	out.others = run->selection.others;
	out.jobs = options->jobs;
	/*
	 * A host moves a sleeping vCPU, so spin unless there are too few cores
	 * for all vCPUs. Nothing interrupts real-time threads, so these must
	 * sleep.
	 */
	out.park_if_few = virtual && options->idle == MEASURE_AUTO &&
			  !machine_is_fifo();
	out.idle = options->idle == MEASURE_SPIN || out.park_if_few ? CREW_SPIN
								    : CREW_PARK;
	out.at_once = virtual ? together_measure : NULL;
	if (plan->home) {
		out.home = plan->home->home;
		out.home_node = (int)plan->home->node;
	}
	if (plan->lines) {
		out.lines = *plan->lines;
		out.lines_given = option_given(&options->given, "lines");
	}
	if (plan->spin_hint) {
		out.params.use_spin_hint =
			*plan->spin_hint == MEASURE_HINT_PAUSE;
		out.try_spin_hint = *plan->spin_hint == MEASURE_HINT_AUTO;
	}
	out.measure_pass_effects = options->child;
	out.seed = options->seed;
	out.passes_min = options->passes.min;
	out.passes_max = options->passes.max;
	out.precision = options->precision_pct / 100;
	out.budget_s = options->budget_s;
	out.patience_s += PATIENCE_S + PATIENCE_ROUND_TRIP_S * params->samples *
					       params->round_trips;
	out.stop = stop;
	out.progress =
		run->show_progress || run->pipe ? measure_show_progress : NULL;
	out.progress_context = run;
	out.noun = plan->labels.noun;
	out.params.counter = run->timebase.counter;
	out.params.ns_per_tick = 1e9 / run->timebase.hz;
	out.params.step_ticks = run->timebase.step_ns * run->timebase.hz / 1e9;
	/* If the user sets --passes, there is no limit of time. */
	out.most_s = option_given(&options->given, "budget") ? 0
		     : passes_given
			     ? INFINITY
			     : fmax(options->budget_s,
				       fmax(plan->six_passes_s, SIX_PASSES_S));
	out.least_s = passes_given		    ? 0
		      : run->selection.n_pairs == 1 ? LEAST_PAIR_S
						    : LEAST_S;
	if (plan->measure_contradicted && !options->child && !options->resume) {
		out.choose_again = measure_find_contradicted;
		out.choose_again_context = run;
	}
	if (plan->rest) {
		/* Between bursts no thread spins. */
		out.park_if_few = false;
		out.idle = CREW_DOZE;
		out.passes_min = SIZE_MAX;
		out.passes_max = SIZE_MAX;
		out.on_burst_end = measure_rest_hook;
		out.burst_end_context = run->plan;
	}
	return out;
}

/* Check in a few passes over all pairs that the counters agree. */
static int check_counters(const struct measure_state *run,
	struct campaign_options options, struct error *err)
{
	struct campaign campaign;
	int rc;

	if (!run->timebase.counter)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"method %s needs a counter that all CPUs share; this "
			"machine has no invariant counter (its clock source "
			"is %s)",
			run->plan->campaign.probe->name, run->timebase.source);
	options.passes_min = COUNTER_PASSES;
	options.passes_max = COUNTER_PASSES;
	options.budget_s = INFINITY;
	options.try_spin_hint = false; /* any loop shows an offset */
	options.choose_again = NULL;
	options.progress = NULL;
	rc = campaign_run(&campaign, &options, err);
	if (rc < 0)
		return rc;
	rc = campaign_check_counters(&campaign, err);
	campaign_release(&campaign);
	return rc;
}

int measure_check_memory(enum memory_pages pages, size_t bytes, size_t n,
	const char *what, const char *choose, struct error *err)
{
	char needed[TEXT_SIZE_BYTES], left[TEXT_SIZE_BYTES];

	/* Mapping will report missing hugetlb pages. */
	if (pages == MEMORY_PAGES_HUGETLB || memory_fit(pages, bytes, n))
		return 0;
	return error_set(err, ERROR_FAILURE, ENOMEM,
		"not enough memory: c2c needs %zu %s of %s; %s are free, and "
		"c2c may use %.0f %% of the free memory; choose %s",
		n, what, text_size(bytes, needed),
		text_size(memory_available(), left), 100 * MEMORY_SHARE,
		choose);
}

void measure_warn_memory(struct campaign *campaign, enum memory_pages asked,
	enum memory_pages had, double huge_share, bool bound)
{
	if (!bound)
		campaign_warn(campaign,
			"c2c could not bind memory to its NUMA node "
			"(containers refuse it; CAP_SYS_NICE allows it)");
	if (asked == MEMORY_PAGES_AUTO && had == MEMORY_PAGES_BASE)
		campaign_warn(campaign,
			"only %.0f %% of the memory was in huge pages, so the "
			"figures include TLB misses; reserve some ('sysctl "
			"vm.nr_hugepages=N') or write madvise to "
			"/sys/kernel/mm/transparent_hugepage/enabled",
			100 * huge_share);
}

static void warn_of_interrupts(struct measure_state *run)
{
	struct interrupts_counted now;
	struct device_interrupts most;

	interrupts_count(run->machine, &now);
	if (interrupts_find_most(
		    &run->interrupts, &now, &run->selection.cpus, &most) &&
		most.per_s > MOST_INTERRUPTS_PER_S)
		campaign_warn(&run->campaign,
			"CPU %u had %.0f interrupts a second (%s)", most.cpu,
			most.per_s, most.device);
	interrupts_release(&now);
}

static void warn_of_throttling(struct measure_state *run)
{
	struct throttled_periods now;
	double share;

	throttled_count(run->machine, &now);
	share = throttled_find_share(&run->throttled, &now);
	if (share > 0)
		campaign_warn(&run->campaign,
			"the cgroup's CPU limit (cpu.max) stopped c2c in %.0f "
			"%% of its periods",
			100 * share);
}

/* Return the ticks of the CPUs under test, for free(); NULL: unknown. */
static struct cpu_disturbance *snapshot_ticks(const struct measure_state *run)
{
	const struct cpu_list *cpus = &run->selection.cpus;
	struct cpu_disturbance *counts = calloc(cpus->n, sizeof(*counts));

	if (counts)
		machine_count_ticks(run->machine, cpus, counts);
	return counts;
}

static void warn_of_stolen_time(
	struct measure_state *run, const struct cpu_disturbance *now)
{
	const struct cpu_list *cpus = &run->selection.cpus;
	struct stolen_time stolen;
	char most[64] = "";

	if (!now || !run->ticks ||
		!disturbance_find_stolen(run->ticks, now, cpus, &stolen) ||
		stolen.share <= MOST_STOLEN_SHARE)
		return;
	if (cpus->n > 1)
		snprintf(most, sizeof(most), ", and %.1f %% of CPU %u's",
			100 * stolen.most, stolen.cpu);
	campaign_warn(&run->campaign,
		"the hypervisor stole %.1f %% of the CPUs' time%s",
		100 * stolen.share, most);
}

/* Warn of problems that only the whole run shows. */
static void warn_of_suspect_run(
	struct measure_state *run, const struct cpu_disturbance *now)
{
	struct campaign *campaign = &run->campaign;
	double drift = timebase_drift(&run->timebase);
	char off[TEXT_SHARE_BYTES];

	if (campaign->interrupted)
		campaign_warn(campaign,
			"interrupted after %zu pass%s: c2c kept the measured "
			"values%s",
			campaign->n_complete,
			campaign->n_complete == 1 ? "" : "es",
			campaign->complete ? "" : ", marked incomplete");
	measure_warn_memory(campaign, campaign->options.pages, campaign->pages,
		campaign->huge_share, campaign->memory_bound);
	warn_of_throttling(run);
	warn_of_stolen_time(run, now);
	warn_of_interrupts(run);
	if (run->timebase.counter && fabs(drift) > 1e-3)
		campaign_warn(campaign,
			"the counter ran %s off its calibrated rate during the "
			"run; C2C_CLOCK=clock selects the system's clock",
			text_share(fabs(drift), off));
}

size_t measure_count_rows(const struct measure_selection *selection)
{
	size_t rows = 0;

	if (!selection->pairs)
		return selection->cpus.n;
	for (size_t p = 0; p < selection->n_pairs; p++)
		rows += p == 0 || selection->pairs[p].first !=
					  selection->pairs[p - 1].first;
	return rows;
}

static void measure_print_settings(const struct measure_state *run)
{
	static const char *const idle_words[] = {
		"park", "spin", "spin if all CPUs run at once, else park"};
	char *cpus, step[TEXT_SIZE_BYTES];

	if (run->options->verbosity < 1)
		return;
	cpus = cpu_list_format(&run->selection.cpus);
	cli_notify(run->plan->command,
		"method %s on CPUs %s; clock %s at %.6g MHz in steps of %s; "
		"idle CPUs %s; seed %" PRIu64,
		run->plan->campaign.probe->name, cpus ? cpus : "?",
		run->timebase.source, run->timebase.hz / 1e6,
		text_time(run->timebase.step_ns * 1e-9, step),
		idle_words[run->options->idle], run->options->seed);
	free(cpus);
}

/* Make the result from the measured values, and warn of problems. */
static int measure_conclude(struct measure_state *run, struct error *err)
{
	/* Read the ticks before the analysis, which leaves CPUs idle. */
	struct cpu_disturbance *now = snapshot_ticks(run);
	int rc = summary_agree(&run->campaign, &run->agreement, err);

	if (rc < 0) {
		free(now);
		return rc;
	}
	/* Without matrices, visits differ in more than their CPUs. */
	if (!run->plan->labels.name[0])
		run->agreement =
			(struct summary_agreement){NAN, NAN, RUN_UNJUDGED};
	measure_find_epoch(run);
	warn_of_suspect_run(run, now);
	free(now);
	/* The counters may have lost synchrony during the run. */
	if (run->plan->campaign.probe->needs_synchronous_counters &&
		campaign_check_counters(&run->campaign, err) < 0)
		campaign_warn(&run->campaign, "%s", err->text);
	summary_add_warnings(
		&run->campaign, &run->agreement, &run->plan->labels);
	return measure_fill_result(run, err);
}

static int check_policy(const struct measure_state *run, struct error *err)
{
	if (run->options->idle != MEASURE_SPIN || !machine_is_fifo())
		return 0;
	return error_set(err, ERROR_FAILURE, EINVAL,
		"--idle spin: under the real-time policy SCHED_FIFO nothing "
		"else runs on a spinning CPU, not even the thread that ends "
		"the run: choose --idle park or another policy (chrt -r or "
		"-o)");
}

static int measure_run_campaign(struct measure_state *run, struct error *err)
{
	const atomic_bool *stop = cli_catch_signals();
	struct campaign_options options = make_campaign_options(run, stop);
	int rc = check_policy(run, err);

	if (rc == 0)
		measure_print_expected(run, &options);
	if (rc == 0)
		rc = describe_result(&run->result, run->plan->command,
			&run->selection.cpus, run->machine, &run->timebase,
			err);
	if (rc == 0 && run->plan->campaign.probe->needs_synchronous_counters)
		rc = check_counters(run, options, err);
	run->ticks = snapshot_ticks(run);
	interrupts_count(run->machine, &run->interrupts);
	throttled_count(run->machine, &run->throttled);
	if (rc == 0)
		rc = campaign_run(&run->campaign, &options, err);
	if (run->plan->after_campaign)
		run->plan->after_campaign(run->plan);
	/* The only option that a campaign can refuse is --home. */
	if (rc < 0 && err->class == ERROR_USAGE)
		error_prefix(err, "--home");
	if (run->show_progress)
		progress_clear(stderr);
	if (rc < 0)
		return rc;
	run->plan->lost = run->campaign.lost;
	return measure_conclude(run, err);
}

int measure_save_now(
	struct measure_plan *plan, const char *path, struct error *err)
{
	struct measure_state *run = plan->run;
	struct campaign *campaign = &run->campaign;
	struct result begun = run->result;
	size_t n_warnings = campaign->n_warnings;
	int rc;

	result_init(&run->result);
	rc = describe_result(&run->result, plan->command, &run->selection.cpus,
		run->machine, &run->timebase, err);
	if (rc == 0) {
		free(run->result.started);
		run->result.started = begun.started;
		rc = measure_conclude(run, err);
		if (rc == 0)
			rc = result_save(&run->result, path, err);
		run->result.started = NULL;
	}
	result_release(&run->result);
	run->result = begun;
	/* Drop these warnings; the final check makes its own. */
	while (campaign->n_warnings > n_warnings)
		free(campaign->warnings[--campaign->n_warnings]);
	return rc;
}

static void measure_release(struct measure_state *run)
{
	run->plan->run = NULL;
	result_release(&run->result);
	result_release(&run->resumed);
	campaign_release(&run->campaign);
	interrupts_release(&run->interrupts);
	free(run->ticks);
	free(run->selection.pairs);
	free(run->selection.others);
	cpu_list_release(&run->selection.cpus);
	machine_free(run->machine);
}

/*
 * A lost thread may wake up and use memory of the run, so exit without freeing
 * any.
 */
static int measure_finish(struct measure_state *run, int status)
{
	if (run->plan->lost) {
		outputs_end_section(&run->options->outputs, status);
		fflush(NULL);
		_exit(status);
	}
	measure_release(run);
	return status;
}

int measure_status(const struct measure_state *run, int printed, int saved)
{
	/* A failure to save results matters more than the end of the run. */
	if (saved == STATUS_FAILED || run->plan->status == STATUS_FAILED)
		return STATUS_FAILED;
	if (run->campaign.interrupted)
		return STATUS_INTERRUPTED;
	if (!run->campaign.complete)
		return STATUS_FAILED;
	if (saved != STATUS_DONE)
		return saved;
	return printed != STATUS_DONE ? printed : run->plan->status;
}

/* Return whether there is any value; if not, c2c keeps an old file. */
static bool has_value(const struct result *result)
{
	size_t members = result_members(result)->n, n = members * members;

	for (size_t m = 0; m < result->n_matrices; m++) {
		const struct matrix *matrix = &result->matrices[m];

		for (size_t i = 0; i < n; i++) {
			/* The counts of passes always have values. */
			if (strcmp(matrix->statistic, "median") == 0 &&
				!isnan(matrix->values[i]))
				return true;
		}
	}
	for (size_t i = 0; i < result->n_curves; i++) {
		if (curve_has_values(&result->curves[i]))
			return true;
	}
	return false;
}

/* Print why a run has no value; return the exit status. */
static int report_no_value(const struct measure_state *run)
{
	const struct campaign *campaign = &run->campaign;
	const char *command = run->plan->command;

	if (campaign->interrupted) {
		cli_notify(command, "interrupted before anything was measured; "
				    "nothing was written");
		return STATUS_INTERRUPTED;
	}
	if (campaign->failure.code)
		return cli_fail(command, &campaign->failure);
	cli_notify(command,
		"ended before anything was measured%s%s; nothing was written",
		run->plan->why_empty ? ": " : "",
		run->plan->why_empty ? run->plan->why_empty : "");
	return STATUS_FAILED;
}

static int measure_run(
	struct measure_options *options, struct measure_plan *plan)
{
	struct measure_state run = {.options = options, .plan = plan};
	struct error err;
	int status, printed, saved;

	if (options->runs > 1 && !options->child &&
		!outputs_are_checked(&options->outputs))
		return measure_runs(options, plan);
	result_init(&run.result);
	result_init(&run.resumed);
	measure_begin(&run);
	if (measure_prepare_run(&run, &err) < 0) {
		status = cli_fail(plan->command, &err);
		if (err.code == EINTR)
			status = STATUS_INTERRUPTED;
		measure_release(&run);
		return status;
	}
	if (outputs_are_checked(&options->outputs))
		return measure_finish(
			&run, outputs_pass_check(plan->command,
				      option_given(&options->given, "budget")
					      ? options->budget_s
					      : NAN,
				      options->runs));
	measure_print_settings(&run);
	if (measure_run_campaign(&run, &err) < 0) {
		status = cli_fail(plan->command, &err);
		if (err.code == EINTR)
			status = STATUS_INTERRUPTED;
		/* Keep the machine: a hanging thread may read it. */
		plan->lost = err.code == ETIMEDOUT;
		return measure_finish(&run, status);
	}
	if (!has_value(&run.result))
		return measure_finish(&run, report_no_value(&run));
	if (options->child)
		return measure_finish(&run,
			measure_status(&run, STATUS_DONE,
				outputs_hand_over(plan->command, &run.result)));
	/* Write files before the terminal, which may fail or block. */
	saved = measure_save(&run);
	printed = measure_print(&run);
	return measure_finish(&run, measure_status(&run, printed, saved));
}

int measure_command(struct measure_plan *plan, struct measure_options *options,
	int argc, char **argv)
{
	int status = measure_parse(plan, options, argc, argv);
	struct error err;

	if (status != STATUS_DONE)
		return status;
	/* A single run of --runs is no section. */
	if (options->child)
		options->outputs.section = (struct option_range){0, 0};
	if (outputs_begin_section(&options->outputs, plan->command, &err) < 0)
		return cli_fail(plan->command, &err);
	if (plan->choose)
		plan->choose(plan);
	status = measure_run(options, plan);
	if (plan->release)
		plan->release(plan->context);
	outputs_end_section(&options->outputs, status);
	outputs_release(&options->outputs);
	return status;
}
