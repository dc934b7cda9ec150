/* Output of a measurement: result, files, text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/measure/measure_run.h"
#include "cmd/near_pairs_lasted.h"
#include "cmd/outputs.h"
#include "cmd/spin_hint_record.h"
#include "commands.h"
#include "engine/pass_effects.h"
#include "render/plot.h"
#include "result/clock_step.h"
#include "result/file.h"
#include "result/runs.h"
#include "stat/stat.h"
#include "util/text.h"

/* Record the effective values of all options. */
static void record_options(const struct measure_state *run, struct facts *facts)
{
	const struct campaign_options *used = &run->campaign.options;
	const struct option_table common = measure_options_table(run->options);

	run->options->jobs = run->campaign.jobs;
	run->options->idle =
		used->idle == CREW_SPIN ? MEASURE_SPIN : MEASURE_PARK;
	if (run->plan->lines)
		*run->plan->lines = used->lines;
	if (run->plan->spin_hint)
		*run->plan->spin_hint = used->params.use_spin_hint
						? MEASURE_HINT_PAUSE
						: MEASURE_HINT_NONE;
	options_record(&common, facts);
	options_record(&run->plan->options, facts);
}

/* Warn if the clock's step exceeds this share of a value. */
#define STEP_SHARE 0.01

/* Add the facts of the run, for text, JSON and pictures. */
static int describe_run(const struct measure_state *run,
	struct run_facts *facts, struct error *err)
{
	const struct campaign *campaign = &run->campaign;
	struct facts *other = &facts->other;

	facts->known = true;
	facts->pairs = (int64_t)campaign->schedule.n_pairs;
	facts->passes = (int64_t)summary_counted_passes(campaign);
	facts->jobs = (int64_t)campaign->jobs;
	facts->jobs_bias = campaign->jobs_bias;
	facts->jobs_chosen = campaign->options.jobs == 0;
	facts->at_once = campaign->at_once;
	facts->memory_bound = campaign->memory_bound;
	facts->pages = strdup(memory_pages_name(campaign->pages));
	facts->huge_share = campaign->huge_share;
	facts->even_odd = run->agreement.even_odd;
	facts->halves = run->agreement.halves;
	facts->verdict = run->agreement.verdict;
	if (!isnan(campaign->clock_ghz))
		facts_set_number(other, RUNS_CLOCK, campaign->clock_ghz);
	if (run->epoch.number) {
		facts_set_count(other, "epoch.number", run->epoch.number);
		facts_set_count(other, "epoch.count", run->epoch.count);
		facts_set_number(other, "epoch.start_s", run->epoch.start_s);
		facts_set_number(other, "epoch.end_s", run->epoch.end_s);
		facts_set_count(other, "epoch.of_passes", run->epoch.of_passes);
	}
	if (campaign->again) {
		facts_set_count(other, "again.pairs",
			(int64_t)campaign->again->schedule.n_pairs);
		facts_set_count(other, "again.passes",
			(int64_t)campaign->again->n_complete);
	}
	spin_hint_record_trial(
		campaign->spin_hint_figures, run->plan->labels.factor, other);
	return facts->pages && !other->failed
		       ? 0
		       : error_no_memory(err, "the result");
}

/* Widen intervals to the step of a coarse clock, and warn of a large step. */
static void warn_of_clock_step(struct measure_state *run)
{
	double share = 0;
	char step[TEXT_SIZE_BYTES], text[TEXT_SHARE_BYTES];

	for (size_t k = 0; k < 2; k++) {
		const char *name = run->plan->labels.name[k];

		if (name)
			share = fmax(
				share, clock_step_widen(&run->result, name));
	}
	if (share > STEP_SHARE)
		campaign_warn(&run->campaign,
			"a step of the clock (%s) is up to %s of a value, and "
			"no interval is narrower; more --round-trips make "
			"samples longer",
			text_time(run->timebase.step_ns * 1e-9, step),
			text_share(share, text));
}

/* Keep the passes of pairs that were measured again, under a separate name. */
static int keep_passes_again(struct measure_state *run, struct error *err)
{
	struct summary_labels labels = run->plan->labels;

	labels.name[0] = "latency_again";
	return summary_passes(run->campaign.again, &labels, &run->result, err);
}

int measure_fill_result(struct measure_state *run, struct error *err)
{
	struct result *result = &run->result;
	int rc;

	result->elapsed_s = run->campaign.elapsed_s;
	result->complete = run->campaign.complete;
	record_options(run, &result->options);
	if (result->options.failed)
		return error_no_memory(err, "the result");
	rc = describe_run(run, &result->run, err);
	if (rc == 0 && run->plan->labels.name[0])
		rc = summary_matrices(
			&run->campaign, &run->plan->labels, result, err);
	if (rc == 0 && run->plan->labels.name[0])
		rc = pass_effects_matrices(
			&run->campaign, &run->plan->labels, result, err);
	if (rc == 0)
		warn_of_clock_step(run);
	if (rc == 0)
		rc = near_pairs_record_lasted(
			&run->campaign, &run->plan->labels, result, err);
	if (rc == 0 && run->options->keep_passes)
		rc = summary_passes(
			&run->campaign, &run->plan->labels, result, err);
	if (rc == 0 && run->options->keep_passes && run->campaign.again)
		rc = keep_passes_again(run, err);
	if (rc == 0)
		rc = measure_resume_merge(run, err);
	if (rc == 0 && run->plan->finish)
		rc = run->plan->finish(run->plan, &run->campaign, result, err);
	if (rc == 0)
		measure_resume_qualify(run);
	/* Add the warnings last, because the steps before may add some. */
	for (size_t i = 0; rc == 0 && i < run->campaign.n_warnings; i++) {
		if (!run_facts_warn(&result->run, run->campaign.warnings[i]))
			rc = error_no_memory(err, "the result");
	}
	return rc;
}

int measure_save(const struct measure_state *run)
{
	struct output_contents contents = {
		.command = run->plan->command,
		.option = "-o",
		.verbosity = run->options->verbosity,
		.result = &run->result,
		.measured = true,
		.interrupted = run->campaign.interrupted,
		.drawn = &run->result,
	};

	plot_options_init(&contents.plot);
	return outputs_save(&run->options->outputs, &contents);
}

/* Return the matrix of the k-th value in the result; NULL: none. */
static const struct matrix *main_matrix(
	const struct measure_state *run, size_t k, const char *statistic)
{
	const char *name = run->plan->labels.name[k];

	return name ? result_find_matrix(&run->result, name, statistic) : NULL;
}

/* The number of intervals in all matrices, and the widest interval. */
struct interval_summary {
	size_t cells, missing;
	size_t widest;	   /* cell i * n + j */
	double half_width; /* half width / median; negative: none */
};

static void note_intervals(const struct measure_state *run, size_t k,
	struct interval_summary *intervals)
{
	const struct matrix *median = main_matrix(run, k, "median");
	const struct matrix *low = main_matrix(run, k, "ci_low");
	const struct matrix *high = main_matrix(run, k, "ci_high");
	size_t n = run->result.cpus.n;

	for (size_t i = 0; median && low && high && i < n * n; i++) {
		double width = high->values[i] - low->values[i];
		double half = width > 0 ? width / 2 / median->values[i] : width;

		if (isnan(median->values[i]))
			continue;
		intervals->cells++;
		intervals->missing += isnan(half);
		/* False if the interval is missing (NaN). */
		if (half > intervals->half_width) {
			intervals->half_width = half;
			intervals->widest = i;
		}
	}
}

/*
 * Return the clock's step as a share of a pair's sample, 0 if unknown. No
 * interval is narrower, because values within a step look equal.
 */
static double cell_step_share(const struct measure_state *run, size_t cell)
{
	const struct matrix *median = main_matrix(run, 0, "median");
	int64_t trips = facts_count(&run->result.options, "round_trips");
	double factor = run->plan->labels.factor;

	if (trips < 1 || !median || !(median->values[cell] > 0))
		return 0;
	return run->timebase.step_ns * factor / 2 / (double)trips /
	       median->values[cell];
}

/* Print the precision of the medians: the widest interval. */
static void print_intervals(FILE *out, const struct measure_state *run)
{
	const struct result *result = &run->result;
	struct interval_summary intervals = {.half_width = -1};
	double share;
	size_t n = result->cpus.n;
	char text[TEXT_SHARE_BYTES];

	for (size_t k = 0; k < 2; k++)
		note_intervals(run, k, &intervals);
	share = intervals.half_width;
	if (share < 0) {
		fputs("no 95 % intervals: these need six passes\n", out);
		return;
	}
	share = fmax(share, cell_step_share(run, intervals.widest));
	fprintf(out,
		"95 %% intervals within %s of the medians (widest between CPUs "
		"%u and %u)",
		text_bound(share, text),
		result->cpus.cpus[intervals.widest / n],
		result->cpus.cpus[intervals.widest % n]);
	if (intervals.missing)
		fprintf(out, "; %zu of %zu medians have no interval",
			intervals.missing, intervals.cells);
	fputs("; runs may differ by more: see --runs 5\n", out);
}

/* Print minimum, median and maximum of a matrix, with its name if needed. */
static void print_extremes(
	FILE *out, const struct measure_state *run, const struct matrix *matrix)
{
	const struct cpu_list *cpus = &run->result.cpus;
	size_t n = cpus->n, found = 0, low = 0, high = 0;
	double *values = calloc(n * n, sizeof(*values));

	if (!values)
		return;
	for (size_t i = 0; i < n * n; i++) {
		/* Count each pair of a symmetric matrix once. */
		if (isnan(matrix->values[i]) ||
			(matrix->symmetric && i / n >= i % n))
			continue;
		if (!found || matrix->values[i] < matrix->values[low])
			low = i;
		if (!found || matrix->values[i] > matrix->values[high])
			high = i;
		values[found++] = matrix->values[i];
	}
	if (found && run->plan->labels.name[1])
		fprintf(out, "%s: ", matrix->name);
	if (found == 1)
		fprintf(out, "%.4g %s (CPUs %u and %u)\n", matrix->values[low],
			matrix->unit, cpus->cpus[low / n], cpus->cpus[low % n]);
	else if (found)
		fprintf(out,
			"minimum %.4g %s (CPUs %u and %u), median %.4g, "
			"maximum %.4g (CPUs %u and %u)\n",
			matrix->values[low], matrix->unit, cpus->cpus[low / n],
			cpus->cpus[low % n], stat_median(values, found),
			matrix->values[high], cpus->cpus[high / n],
			cpus->cpus[high % n]);
	free(values);
}

/* Do not claim moves: with few CPUs, a change of the clock looks like one. */
static void print_epoch(FILE *out, const struct measure_state *run)
{
	const struct run_epoch *epoch = &run->epoch;

	if (epoch->number)
		fprintf(out,
			"%s during the run: the values are of the longest of "
			"%" PRId64 " epochs, %.2f to %.2f s, %zu of %" PRId64
			" passes\n",
			run->campaign.schedule.n_pairs == 1
				? "its value changed"
				: "CPUs moved, or something slowed them down,",
			epoch->count, epoch->start_s, epoch->end_s,
			summary_counted_passes(&run->campaign),
			epoch->of_passes);
}

static void print_again(FILE *out, const struct result *result)
{
	const struct facts *run = &result->run.other;
	int64_t pairs = facts_count(run, "again.pairs");
	int64_t passes = facts_count(run, "again.passes");

	if (pairs > 0)
		fprintf(out,
			"%" PRId64 " pair%s measured again, in %" PRId64
			" more pass%s, because %s first values contradicted %s "
			"neighbours\n",
			pairs, pairs == 1 ? " was" : "s were", passes,
			passes == 1 ? "" : "es", pairs == 1 ? "its" : "their",
			pairs == 1 ? "its" : "their");
}

/* Print the passes of the run, and how well they agree. */
static void print_passes(FILE *out, const struct measure_state *run)
{
	const struct summary_labels *labels = &run->plan->labels;

	size_t passes = summary_counted_passes(&run->campaign);

	fprintf(out, "%s, median of %zu pass%s over %zu %s%s in %.1f s",
		labels->quantity ? labels->quantity : labels->name[0], passes,
		passes == 1 ? "" : "es", run->campaign.schedule.n_pairs,
		labels->noun, run->campaign.schedule.n_pairs == 1 ? "" : "s",
		run->campaign.elapsed_s);
	if (run->options->resume)
		fprintf(out, ", other pairs from the resumed run");
	if (run->campaign.jobs > 1)
		fprintf(out, ", %zu pairs together", run->campaign.jobs);
	if (!isnan(run->campaign.jobs_bias))
		fprintf(out, " (bias %+.1f %%)", 100 * run->campaign.jobs_bias);
	/* Without matrices, points differ so much that passes always agree. */
	if (labels->name[0] && !isnan(run->agreement.even_odd))
		fprintf(out,
			"; passes agree at %.2f (even, odd) and %.2f (halves)",
			run->agreement.even_odd, run->agreement.halves);
	putc('\n', out);
	print_epoch(out, run);
	print_again(out, &run->result);
	if (labels->name[0])
		print_intervals(out, run);
}

static void print_lines(FILE *out, const void *context)
{
	const struct measure_state *run = context;

	/* In the next run the host may place the vCPUs elsewhere. */
	if (run->result.run.runs <= 0 && main_matrix(run, 0, "median") &&
		facts_text(&run->result.machine, "hypervisor"))
		fputs("this run only, on a virtual machine: ", out);
	if (run->result.run.pairs >= LASTED_PAIRS)
		near_pairs_print_lasted(out, &run->result);
	for (size_t k = 0; k < 2; k++) {
		const struct matrix *matrix = main_matrix(run, k, "median");

		if (matrix)
			print_extremes(out, run, matrix);
	}
	if (run->result.run.pairs < LASTED_PAIRS)
		near_pairs_print_lasted(out, &run->result);
	if (run->result.run.runs > 0)
		measure_print_runs(out, run);
	else
		print_passes(out, run);
	spin_hint_print_trial(out, &run->result);
}

static int print_text(const struct measure_state *run, struct error *err)
{
	struct plot_terminal terminal = plot_terminal_of(stdout);
	struct plot_options plot;
	int rc = 0;

	plot_options_init(&plot);
	plot.chart = run->plan->print_first;
	plot.main = !plot.chart && run->options->verbosity < 1;
	if (run->plan->print_first || run->plan->print_all)
		run->plan->print(&run->result);
	if (run->plan->print_first && run->result.n_caches)
		putchar('\n');
	if (!run->plan->print_all)
		rc = plot_text(PLOT_RECORD(&run->result), &plot, &terminal,
			stdout, err);
	if (rc < 0)
		return rc;
	putchar('\n');
	rc = cli_print_lines(print_lines, run, err);
	if (rc == 0 && run->plan->print && !run->plan->print_first &&
		!run->plan->print_all)
		run->plan->print(&run->result);
	return rc;
}

int measure_print(const struct measure_state *run)
{
	struct error err;
	int rc = 0;

	if (run->options->json)
		rc = result_write_json(&run->result, stdout, &err);
	else if (!run->options->no_report)
		rc = print_text(run, &err);

	if (rc < 0)
		return cli_fail_output(run->plan->command, &err);
	if (run->options->verbosity < 0)
		return STATUS_DONE;
	for (size_t i = 0; i < run->result.run.n_warnings; i++)
		cli_warn(run->plan->command, "%s", run->result.run.warnings[i]);
	cli_warn_of_machine(run->plan->command, machine_facts(run->machine));
	return STATUS_DONE;
}
