/*
 * The report of c2c numa, made only from its result.
 */
#include <math.h>
#include <stdio.h>

#include "cmd/numa/cmd_numa.h"
#include "figure/colour_scale.h"
#include "util/text.h"
#include "util/text_table.h"

/* Add a number of any length, because files may have any number. */
static void add_cell(struct text_list *table, const char *between, double value,
	int decimals)
{
	char text[PLOT_NUMBER_BYTES];

	plot_format_fixed(text, value, decimals);
	text_list_add(table, between, "%s", text);
}

static void print_matrix(FILE *out, const struct result *result,
	const struct matrix *matrix, int decimals)
{
	const struct cpu_list *rows = &result->nodes.rows;
	const struct cpu_list *columns = &result->nodes.columns;
	struct text_list table = {.text = NULL};

	text_list_add(&table, "", "<14");
	for (size_t j = 0; j < columns->n; j++)
		text_list_add(&table, "\t", " >8");
	text_list_add(&table, "\n", "  memory of");
	for (size_t j = 0; j < columns->n; j++)
		text_list_add(&table, "\t", "node %u", columns->cpus[j]);
	for (size_t i = 0; i < rows->n; i++) {
		text_list_add(&table, "\n", "CPUs, node %u", rows->cpus[i]);
		for (size_t j = 0; j < columns->n; j++)
			add_cell(&table, "\t",
				matrix->values[numa_cell_index(result, i, j)],
				decimals);
	}
	text_table_print(out, &table, "-", SIZE_MAX);
}

/* Print a matrix of the firmware, and whether the measurement agrees. */
static void print_reported_matrix(
	FILE *out, const struct result *result, enum machine_reported which)
{
	static const char *const words[] = {
		[MACHINE_REPORTED_DISTANCE] =
			"distances, 10 is a node's own (SLIT)",
		[MACHINE_REPORTED_LATENCY] = "latency [ns] (HMAT)",
		[MACHINE_REPORTED_BANDWIDTH] = "bandwidth [GiB/s] (HMAT)",
	};
	const struct matrix *reported = result_find_matrix(
		result, numa_reported_name(which), "reported");
	char text[NUMA_VERDICT_BYTES];
	enum numa_verdict verdict = numa_judge_reported(result, which, text);

	if (!reported)
		return;
	fprintf(out, "The firmware says: %s\n", words[which]);
	print_matrix(out, result, reported,
		which == MACHINE_REPORTED_BANDWIDTH ? 2 : 0);
	if (verdict == NUMA_DIFFERS)
		fprintf(out, "The firmware differs: %s.\n", text);
	else if (verdict == NUMA_AGREES)
		fputs("The firmware agrees with the measurement.\n", out);
	else if (verdict == NUMA_UNCLEAR)
		fputs("The measurement is too imprecise to judge the "
		      "firmware.\n",
			out);
	else
		fputs("No two memories can be compared.\n", out);
}

/* Print the widest 95 % interval of a matrix, if it has intervals. */
static void print_interval(
	FILE *out, const struct result *result, const struct matrix *matrix)
{
	const struct matrix *low =
		result_find_matrix(result, matrix->name, "ci_low");
	const struct matrix *high =
		result_find_matrix(result, matrix->name, "ci_high");
	size_t n = result_members(result)->n;
	double most = -1;
	char text[TEXT_SHARE_BYTES];

	for (size_t k = 0; low && high && k < n * n; k++) {
		double wide = (high->values[k] - low->values[k]) / 2 /
			      matrix->values[k];

		if (!isnan(wide))
			most = fmax(most, wide);
	}
	if (most >= 0)
		fprintf(out, "95 %% intervals within %s of the medians\n",
			text_bound(most, text));
}

/* Print "mix 1:0 (reads only)". */
static void print_mix(FILE *out, const char *mix)
{
	const char *words = curve_mix_words(mix);

	fprintf(out, "mix %s", mix);
	if (words != mix)
		fprintf(out, " (%s)", words);
}

/* Return the largest rate of a matrix; NaN: not measured. */
static double best_rate(const struct result *result, const char *name)
{
	const struct matrix *rate = result_find_matrix(result, name, "median");
	size_t n = result_members(result)->n;
	double most = NAN;

	for (size_t k = 0; rate && k < n * n; k++)
		most = fmax(most, rate->values[k]);
	return most;
}

static void print_node_matrices(FILE *out, const struct result *result)
{
	const struct matrix *latency =
		result_find_matrix(result, "latency", "median");

	if (latency) {
		fputs("Idle latency [ns]: one CPU of a node, other CPUs "
		      "quiet\n",
			out);
		print_matrix(out, result, latency, 1);
		print_interval(out, result, latency);
	}
	print_reported_matrix(out, result, MACHINE_REPORTED_DISTANCE);
	print_reported_matrix(out, result, MACHINE_REPORTED_LATENCY);
	for (int mix = 0; mix < NUMA_MIX_COUNT; mix++) {
		char name[NUMA_NAME_BYTES];
		const struct matrix *rate = result_find_matrix(result,
			numa_matrix_name((enum numa_mix)mix, name), "median");

		if (!rate)
			continue;
		fputs("\nBandwidth [GiB/s], ", out);
		print_mix(out, numa_mix_names[mix]);
		fputs(": all CPUs of a node\n", out);
		print_matrix(out, result, rate, 2);
		print_interval(out, result, rate);
	}
	/* Users may expect that reads are fastest. */
	if (best_rate(result, "bandwidth-1:1") >
		best_rate(result, "bandwidth-1:0"))
		fputs("\nMix 1:1 has a higher rate than reads alone, because a "
		      "line that is read and written in place counts twice.\n",
			out);
	print_reported_matrix(out, result, MACHINE_REPORTED_BANDWIDTH);
}

/*
 * Print "Latency doubles at 61.2 GiB/s, 81 % of the 75.3 GiB/s that the load
 * reached." The matrices have higher rates: in them, no CPU measures latency.
 */
static void print_knee(FILE *out, const struct curve *curve)
{
	struct numa_knee knee =
		numa_find_knee(curve->x, curve->median, curve->n);
	char text[NUMA_KNEE_BYTES];

	if (isnan(knee.idle_ns) || isnan(knee.peak_gib_per_s)) {
		fputs("Too few points have a value to find the knee.\n", out);
		return;
	}
	if (isnan(knee.doubles_gib_per_s))
		fprintf(out,
			"Latency stays below twice its idle value, up to the "
			"highest load, %.4g GiB/s",
			knee.peak_gib_per_s);
	else
		fprintf(out,
			"Latency doubles at %.4g GiB/s, %.0f %% of the %.4g "
			"GiB/s that the load reached",
			knee.doubles_gib_per_s,
			100 * knee.doubles_gib_per_s / knee.peak_gib_per_s,
			knee.peak_gib_per_s);
	if (!isnan(knee.knee_gib_per_s))
		fprintf(out, "; knee at %s", numa_knee_text(&knee, 4, text));
	fputs(".\n", out);
}

static void print_loaded_curve(FILE *out, const struct curve *curve)
{
	struct text_list table = {.text = NULL};
	size_t missing = 0;

	fprintf(out, "\nLatency under load: %s, ", curve->facts.family);
	print_mix(out, curve->facts.member);
	putc('\n', out);
	text_list_add(&table, "", "GiB/s>9\t ns>8");
	for (size_t i = 0; i < curve->n; i++) {
		if (isnan(curve->x[i]) || isnan(curve->median[i])) {
			missing++;
			continue;
		}
		add_cell(&table, "\n", curve->x[i], 2);
		add_cell(&table, "\t", curve->median[i], 1);
	}
	text_table_print(out, &table, "-", SIZE_MAX);
	if (missing)
		fprintf(out,
			"%zu of %zu points have no value: another program took "
			"a CPU in each visit, or the run ended.\n",
			missing, curve->n);
	print_knee(out, curve);
}

void numa_report(FILE *out, const struct result *result)
{
	print_node_matrices(out, result);
	for (size_t i = 0; i < result->n_curves; i++) {
		if (text_same(result->curves[i].facts.test, "loaded"))
			print_loaded_curve(out, &result->curves[i]);
	}
	numa_report_scalings(out, result);
}

void numa_print(const struct result *result)
{
	numa_report(stdout, result);
}
