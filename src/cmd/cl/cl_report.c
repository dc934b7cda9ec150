/* Print c2c cl as text: the devices, the curves, and the findings. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cl/cl_clocks.h"
#include "cmd/cl/cl_summary.h"
#include "cmd/cl/cmd_cl.h"
#include "cmd/cli.h"
#include "cmd/measure/measure_run.h"
#include "figure/colour_scale.h"
#include "render/plot.h"
#include "util/array.h"
#include "util/text.h"
#include "util/text_table.h"

static void print_device(const struct facts *device)
{
	static const struct {
		const char *label, *key;
	} sizes[] = {
		{"global memory", "global_bytes"},
		{"largest buffer", "largest_buffer_bytes"},
		{"local memory", "local_bytes"},
		{"constant memory", "constant_bytes"},
		{"cache", "cache_bytes"},
		{"cache line", "cache_line_bytes"},
	};
	struct text_list table = {.text = NULL};
	char text[TEXT_SIZE_BYTES];

	printf("%lld. %s\n", (long long)facts_count(device, "index"),
		fact_or_unknown(device, "name"));
	text_list_add(&table, "",
		"   <16\t<\ntype\t%s\nplatform\t%s (%s)\ndriver\t%s",
		fact_or_unknown(device, "type"),
		fact_or_unknown(device, "platform"),
		fact_or_unknown(device, "platform_version"),
		fact_or_unknown(device, "driver"));
	text_list_add(&table, "\n",
		"compute units\t%lld at %lld MHz (as the device reports)\n"
		"work-group\tat most %lld work-items",
		(long long)facts_count(device, "compute_units"),
		(long long)facts_count(device, "clock_mhz"),
		(long long)facts_count(device, "work_group_max"));
	for (size_t i = 0; i < N_OF(sizes); i++)
		text_list_add(&table, "\n", "%s\t%s", sizes[i].label,
			text_size((uint64_t)(long long)facts_count(
					  device, sizes[i].key),
				text));
	text_list_add(&table, "\n", "images\t%s\ndouble\t%s",
		facts_flag(device, "images") ? "yes" : "no",
		facts_flag(device, "double") ? "yes" : "no");
	text_table_print(stdout, &table, "", SIZE_MAX);
}

void cl_print_devices(const struct record_list *devices)
{
	for (size_t i = 0; i < devices->n; i++) {
		const struct facts device = record_list_row(devices, i);

		print_device(&device);
	}
}

/* Return a row's rate, or NaN. *computes: in GFLOP/s, not GiB/s. */
static double rate_of(const struct facts *row, bool *computes)
{
	double rate = facts_number(row, "gib_per_s");

	*computes = isnan(rate);
	return *computes ? facts_number(row, "gflop_per_s") : rate;
}

static void print_ceilings(FILE *out, const struct record_list *ceilings)
{
	char text[PLOT_NUMBER_BYTES];

	for (size_t i = 0; i < ceilings->n; i++) {
		const struct facts row = record_list_row(ceilings, i);
		bool computes;
		double rate = rate_of(&row, &computes);

		if (!isnan(rate))
			fprintf(out, "  the CPUs natively, %s: %s %s (%s)\n",
				fact_or_unknown(&row, "name"),
				plot_format_figures(text, rate),
				computes ? "GFLOP/s" : "GiB/s",
				fact_or_unknown(&row, "what"));
	}
}

/* Print, for example, "theory, local memory: 31157 GiB/s (DOCUMENT: ...". */
static void print_theory(FILE *out, const struct record_list *theory)
{
	char text[PLOT_NUMBER_BYTES];

	for (size_t i = 0; i < theory->n; i++) {
		const struct facts row = record_list_row(theory, i);
		double each = facts_number(&row, "each_clock_and_unit");
		bool computes;
		double rate = rate_of(&row, &computes);

		fprintf(out, "  theory, %s: %s %s (%s",
			fact_or_unknown(&row, "name"),
			plot_format_figures(text, rate),
			computes ? "GFLOP/s" : "GiB/s",
			fact_or_unknown(&row, "source"));
		if (!isnan(each))
			fprintf(out, ": %.0f %s per clock and unit", each,
				computes ? "operations" : "B");
		fprintf(out, "); the best reaches %.0f %%\n",
			facts_number(&row, "best_share") * 100);
	}
}

/* Print the clock of a test; only tests with kernels have a launch time. */
static void print_timing(FILE *out, const struct facts *facts)
{
	double launch_us = facts_number(facts, "timing.launch_us");
	char time[TEXT_SIZE_BYTES];
	bool events =
		strcmp(fact_or_unknown(facts, "timing.clock"), "event") == 0;

	if (!isnan(launch_us))
		fprintf(out, "  timed by %s; a launch takes %s\n",
			events ? "the device's events"
			       : "the host's clock, launch included",
			text_time(launch_us * 1e-6, time));
	else
		fprintf(out,
			"  timed by the host's clock, from the call until the "
			"queue is empty\n");
}

static void print_core_clock(FILE *out, const struct facts *facts)
{
	double median = facts_number(facts, "core_clock.median_ghz");
	double least = facts_number(facts, "core_clock.least_ghz");

	if (isnan(median))
		return;
	if (strcmp(fact_or_unknown(facts, "core_clock.by"), "c2c") == 0)
		fprintf(out,
			"  core clock: %.2f GHz, at least %.2f, measured after "
			"each point\n",
			median, least);
	else
		fprintf(out, "  core clock: %.2f GHz, as the device reports\n",
			median);
}

/* Print "74.8 s: 0.4 building kernels, 20.1 checking results, ...". */
static void print_spent(FILE *out, const struct facts *facts)
{
	static const struct {
		const char *key, *what;
	} parts[] = {{"spent.building_s", "building kernels"},
		{"spent.filling_s", "filling buffers"},
		{"spent.checking_s", "checking results"},
		{"spent.ceilings_s", "measuring ceilings"},
		{"spent.repeating_s", "repeating points"}};
	double elapsed_s = facts_number(facts, "elapsed_s");

	fprintf(out, "  time: %.1f s", elapsed_s);
	for (size_t i = 0; i < N_OF(parts); i++) {
		double s = facts_number(facts, parts[i].key);

		if (!isnan(s))
			fprintf(out, "%s %.1f %s", i ? "," : ", in them", s,
				parts[i].what);
	}
	putc('\n', out);
}

static void print_threads(FILE *out, const struct record *test)
{
	const struct record_list threads = record_find_list(test, "threads");
	struct cpu_list cpus = {0};
	char *text;

	for (size_t i = 0; i < threads.n; i++) {
		const struct facts row = record_list_row(&threads, i);

		cpu_list_parse(&cpus, fact_or_unknown(&row, "cpus"), NULL);
	}
	cpu_list_sort(&cpus);
	text = cpu_list_format(&cpus);
	if (cpus.n > 0 && text)
		fprintf(out, "  threads: %zu on CPUs %s%s\n", threads.n, text,
			record_has_flag(test, "threads_bound")
				? ""
				: ", not pinned to one CPU each");
	free(text);
	cpu_list_release(&cpus);
}

/* Print everything but the findings, which wrap at 80 columns. */
static void print_test_facts(FILE *out, const void *context)
{
	const struct record *test = context;
	const struct record_list ceilings = record_find_list(test, "ceilings");
	const struct record_list theory = record_find_list(test, "theory");
	const struct facts *facts = &test->facts;
	const char *name = fact_or_unknown(facts, "test");

	if (facts_text(facts, "reason"))
		fprintf(out, "\n%s: %s\n", name,
			fact_or_unknown(facts, "reason"));
	/* The test may fail before it chooses a clock. */
	if (!facts_text(facts, "timing.clock"))
		return;
	fprintf(out, "\n%s (%s %s): %s, %s\n", name,
		test_find(name)->set == GROUP_SUITE ? "section" : "after",
		fact_or_unknown(facts, "section"),
		fact_or_unknown(facts, "device.name"),
		fact_or_unknown(facts, "device.platform"));
	print_timing(out, facts);
	print_core_clock(out, facts);
	print_spent(out, facts);
	print_threads(out, test);
	print_ceilings(out, &ceilings);
	print_theory(out, &theory);
}

static int print_test(const struct record *test, struct error *err)
{
	const struct record_list findings = record_find_list(test, "findings");
	int rc = cli_print_lines(print_test_facts, test, err);

	for (size_t i = 0; rc == 0 && i < findings.n; i++) {
		fputs("  ", stdout);
		cli_wrap(stdout, record_list_text(&findings, i), 2, 4);
	}
	return rc;
}

static bool is_of_part(const struct record *test, const struct cl_part *part)
{
	return facts_number(&test->facts, "device.index") ==
	       facts_number(&part->device, "index");
}

/* Return the record of a curve's test; NULL: there is none. */
static const struct record *find_curve_test(const struct result *result,
	const struct cl_part *part, const struct curve *curve)
{
	const struct run_facts *run = &result->run;

	for (size_t i = 0; i < run->n_tests; i++) {
		const struct record *test = &run->tests[i];

		if (is_of_part(test, part) &&
			text_same(facts_text(&test->facts, "test"),
				curve->facts.test))
			return test;
	}
	return NULL;
}

/*
 * Collect the curves of a part in into[n]. With clocks, follow each curve with
 * its curve in clocks, which the result clocks owns. Return n, or a negative
 * errno.
 */
static int collect_curves(const struct result *result,
	const struct cl_part *part, struct result *clocks, struct curve *into,
	struct error *err)
{
	const struct curve *curve = result->curves + part->first_curve;
	int n = 0, rc = 0;

	for (size_t i = 0; i < part->n_curves && rc == 0; i++, curve++) {
		size_t before = clocks ? clocks->n_curves : 0;
		const struct record *test;

		into[n++] = *curve;
		test = clocks ? find_curve_test(result, part, curve) : NULL;
		if (test)
			rc = cl_clocks_add_curve(curve, test, clocks, err);
		if (clocks && clocks->n_curves > before)
			into[n++] = clocks->curves[before];
	}
	return rc < 0 ? rc : n;
}

static int print_tables(const struct cl_state *state,
	const struct cl_part *part, const struct plot_terminal *terminal,
	struct error *err)
{
	struct result view = state->result, clocks;
	struct plot_options plot;
	int n = -ENOMEM, rc = 0;

	plot_options_init(&plot);
	result_init(&clocks);
	view.curves = calloc(2 * part->n_curves + 1, sizeof(*view.curves));
	if (view.curves)
		n = collect_curves(&state->result, part,
			state->arguments->verbosity > 0 ? &clocks : NULL,
			view.curves, err);
	else
		error_no_memory(err, "the tables");
	view.n_curves = n < 0 ? 0 : (size_t)n;
	if (n > 0 || (n == 0 && view.n_matrices > 0))
		rc = plot_text(
			PLOT_RECORD(&view), &plot, terminal, stdout, err);
	free(view.curves);
	result_release(&clocks);
	return n < 0 ? n : rc;
}

static void print_runs_summary(FILE *out, const void *context)
{
	const struct result *result = context;

	fprintf(out,
		"\nmedians of %zu run%s in %.1f s; the lines below the tables "
		"are from one run\n",
		result->n_runs, result->n_runs == 1 ? "" : "s",
		result->elapsed_s);
	measure_print_spread(out, result);
}

int cl_print_result(const struct cl_state *state, struct error *err)
{
	struct plot_terminal terminal = plot_terminal_of(stdout);
	const struct run_facts *run = &state->result.run;
	bool all = strcmp(state->arguments->test, "all") == 0;
	int rc = 0;

	cl_summary_print(stdout, &state->result, state->arguments->cpus_text);
	if (all && state->arguments->verbosity < 1) {
		printf("tables: --verbose, or a record (-o FILE.json) and c2c "
		       "plot --term FILE.json\n");
		return 0;
	}
	if (all)
		putchar('\n');
	for (size_t i = 0; i < state->n_parts && rc == 0; i++) {
		const struct cl_part *part = &state->parts[i];

		if (state->n_parts > 1)
			printf("%sdevice %lld: %s\n\n", i > 0 ? "\n" : "",
				(long long)facts_count(&part->device, "index"),
				fact_or_unknown(&part->device, "name"));
		rc = print_tables(state, part, &terminal, err);
		for (size_t k = 0; k < run->n_tests && rc == 0; k++) {
			if (is_of_part(&run->tests[k], part))
				rc = print_test(&run->tests[k], err);
		}
	}
	if (rc == 0 && state->result.n_runs > 0)
		rc = cli_print_lines(print_runs_summary, &state->result, err);
	return rc;
}
