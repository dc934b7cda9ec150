/*
 * What a measurement leaves: the envelope of its result, files, text.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "cmd/measure/run.h"
#include "cmd/outputs.h"
#include "commands.h"
#include "plot/plot.h"
#include "result/describe.h"
#include "result/file.h"
#include "stat/stat.h"

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *describe_options(const struct measure_state *run)
{
	static const char *const pairs[] = {"all", "pair", "from"};
	static const char *const per[] = {
		[MACHINE_PER_PU] = "cpu",
		[MACHINE_PER_CORE] = "core",
		[MACHINE_PER_LLC] = "llc",
		[MACHINE_PER_NODE] = "node",
		[MACHINE_PER_PACKAGE] = "package",
	};
	const struct measure_options *options = run->options;
	const struct campaign_options *used = &run->campaign.options;
	json_t *object = json_pack(
		"{s:s, s:s?, s:s?, s:s, s:I, s:I, s:f, s:o, s:I, s:s, s:I}",
		"pairs", pairs[options->pairs], "pair", options->pair_text,
		"cpus", options->cpus_text, "per", per[options->per],
		"passes_min", (json_int_t)used->passes_min, "passes_max",
		(json_int_t)used->passes_max, "precision_pct",
		used->precision * 100, "budget_s",
		number_or_null(used->budget_s), "jobs",
		(json_int_t)run->campaign.jobs, "idle",
		run->spin ? "spin" : "park", "seed", (json_int_t)run->seed);

	if (!object)
		return NULL;
	json_object_update(object, run->plan->options);
	if (!used->block_bytes)
		json_object_set_new(
			object, "lines", json_integer((json_int_t)used->lines));
	return object;
}

static json_t *describe_run(const struct measure_state *run)
{
	const struct campaign *campaign = &run->campaign;

	return json_pack(
		"{s:I, s:I, s:I, s:o, s:b, s:s, s:f, s:{s:s, s:o, s:o}}",
		"pairs", (json_int_t)campaign->schedule.n_pairs, "passes",
		(json_int_t)campaign->n_complete, "jobs",
		(json_int_t)campaign->jobs, "jobs_bias",
		number_or_null(campaign->jobs_bias), "memory_bound",
		campaign->memory_bound, "pages",
		memory_pages_name(campaign->pages), "huge_share",
		campaign->huge_share, "agreement", "statistic", "spearman",
		"even_odd", number_or_null(run->agreement.even_odd), "halves",
		number_or_null(run->agreement.halves));
}

static int describe_warnings(struct measure_state *run, struct error *err)
{
	const struct campaign *campaign = &run->campaign;
	json_t *warnings = json_array();

	for (size_t i = 0; i < campaign->n_warnings; i++)
		json_array_append_new(
			warnings, json_string(campaign->warnings[i]));
	if (json_object_set_new(run->result.run, "warnings", warnings))
		return error_no_memory(err, "the result");
	return 0;
}

int measure_fill_result(
	struct measure_state *run, const char *started, struct error *err)
{
	struct result *result = &run->result;
	int rc = 0;

	for (size_t i = 0; i < run->selection.cpus.n && rc == 0; i++)
		rc = cpu_list_add(
			&result->cpus, run->selection.cpus.cpus[i], err);
	if (rc < 0)
		return rc;
	result->command = strdup(run->plan->command);
	result->started = strdup(started);
	result->elapsed_s = run->campaign.elapsed_s;
	result->complete = run->campaign.complete;
	result->tool = describe_tool();
	result->machine = describe_machine(run->machine, &run->timebase);
	result->options = describe_options(run);
	result->run = describe_run(run);
	result->hwloc_xml = machine_export_xml(run->machine);
	if (!result->command || !result->started || !result->tool ||
		!result->machine || !result->options || !result->run)
		return error_no_memory(err, "the result");
	if (run->plan->labels.name[0])
		rc = summary_matrices(
			&run->campaign, &run->plan->labels, result, err);
	if (rc == 0 && run->options->keep_passes)
		rc = summary_passes(
			&run->campaign, &run->plan->labels, result, err);
	if (rc == 0)
		rc = measure_resume_merge(run, err);
	if (rc == 0 && run->plan->finish)
		rc = run->plan->finish(run->plan, &run->campaign, result, err);
	if (rc == 0)
		measure_resume_qualify(run);
	/* Last: whoever came before may have warned. */
	if (rc == 0)
		rc = describe_warnings(run, err);
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

/* The place of the k-th value's matrix in the result; NULL when none. */
static const struct matrix *main_matrix(
	const struct measure_state *run, size_t k, const char *statistic)
{
	const char *name = run->plan->labels.name[k];

	return name ? result_find_matrix(&run->result, name, statistic) : NULL;
}

/* The intervals of all matrices: how many, and the widest. */
struct intervals {
	size_t cells, missing;
	size_t widest;	   /* as i * n + j */
	double half_width; /* of it, over its median; negative for none */
};

static void note_intervals(
	const struct measure_state *run, size_t k, struct intervals *intervals)
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
		/* False for a missing interval. */
		if (half > intervals->half_width) {
			intervals->half_width = half;
			intervals->widest = i;
		}
	}
}

/* How well the medians are known: the widest interval stands for all. */
static void print_intervals(const struct measure_state *run)
{
	const struct result *result = &run->result;
	struct intervals intervals = {.half_width = -1};
	double share;
	size_t n = result->cpus.n;

	for (size_t k = 0; k < 2; k++)
		note_intervals(run, k, &intervals);
	share = intervals.half_width;
	if (share < 0) {
		puts("no 95 % intervals: they need six passes");
		return;
	}
	printf("95 %% intervals within %.*f %% of the medians (widest between "
	       "CPUs %u and %u)",
		share < 0.00995	 ? 2
		: share < 0.0995 ? 1
				 : 0,
		100 * share, result->cpus.cpus[intervals.widest / n],
		result->cpus.cpus[intervals.widest % n]);
	if (intervals.missing)
		printf("; %zu of %zu medians have none", intervals.missing,
			intervals.cells);
	putchar('\n');
}

/* One line on a matrix; with its name where there are several. */
static void print_extremes(
	const struct measure_state *run, const struct matrix *matrix)
{
	const struct cpu_list *cpus = &run->result.cpus;
	size_t n = cpus->n, found = 0, low = 0, high = 0;
	double *values = calloc(n * n, sizeof(*values));

	if (!values)
		return;
	for (size_t i = 0; i < n * n; i++) {
		/* Each pair of a symmetric matrix once. */
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
		printf("%s: ", matrix->name);
	if (found)
		printf("minimum %.4g %s (CPUs %u and %u), median %.4g, "
		       "maximum %.4g (CPUs %u and %u)\n",
			matrix->values[low], matrix->unit, cpus->cpus[low / n],
			cpus->cpus[low % n], stat_median(values, found),
			matrix->values[high], cpus->cpus[high / n],
			cpus->cpus[high % n]);
	free(values);
}

static void print_summary(const struct measure_state *run)
{
	const struct summary_labels *labels = &run->plan->labels;

	putchar('\n');
	for (size_t k = 0; k < 2; k++) {
		const struct matrix *matrix = main_matrix(run, k, "median");

		if (matrix)
			print_extremes(run, matrix);
	}
	printf("%s, median of %zu pass%s over %zu %s%s in %.1f s",
		labels->quantity ? labels->quantity : labels->name[0],
		run->campaign.n_complete,
		run->campaign.n_complete == 1 ? "" : "es",
		run->campaign.schedule.n_pairs, labels->noun,
		run->campaign.schedule.n_pairs == 1 ? "" : "s",
		run->campaign.elapsed_s);
	if (run->options->resume)
		printf(", the others from the resumed run");
	if (run->campaign.jobs > 1)
		printf(", %zu pairs together (bias %+.1f %%)",
			run->campaign.jobs, 100 * run->campaign.jobs_bias);
	/* Over sizes or crowds of readers all runs would agree. */
	if (labels->name[0] && !isnan(run->agreement.even_odd))
		printf("; passes agree at %.2f (even, odd) and %.2f (halves)",
			run->agreement.even_odd, run->agreement.halves);
	putchar('\n');
	if (labels->name[0])
		print_intervals(run);
	if (run->plan->print)
		run->plan->print(&run->result);
}

static int print_text(const struct measure_state *run, struct error *err)
{
	struct plot_terminal terminal = plot_terminal_of(stdout);
	struct plot_options plot;
	int rc;

	plot_options_init(&plot);
	rc = plot_text(&run->result, &plot, &terminal, stdout, err);
	if (rc == 0)
		print_summary(run);
	return rc;
}

int measure_print(const struct measure_state *run)
{
	struct error err;
	int rc = run->options->json
			 ? result_write_json(&run->result, stdout, &err)
			 : print_text(run, &err);

	if (rc < 0)
		return cli_fail(run->plan->command, &err);
	if (run->options->verbosity < 0)
		return STATUS_DONE;
	for (size_t i = 0; i < run->campaign.n_warnings; i++)
		cli_warn(run->plan->command, "%s", run->campaign.warnings[i]);
	cli_warn_of_machine(run->plan->command, machine_facts(run->machine));
	return STATUS_DONE;
}
