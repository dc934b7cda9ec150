/*
 * Describe how far several runs differ, which part of the variance is largest,
 * and how to lower it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/measure/measure_run.h"
#include "result/runs.h"
#include "stat/stat.h"
#include "util/text.h"

/* The parts of a value's variance. */
enum {
	BETWEEN_RUNS,
	BY_CLOCK,
	BETWEEN_PASSES,
	BY_LINES,
	BY_HOMES,
	PARTS
};

static const struct {
	const char *statistic, *words;
} parts[PARTS] = {
	[BETWEEN_RUNS] = {"sd_runs", "between runs"},
	[BY_CLOCK] = {"sd_clock", "by the core clock"},
	[BETWEEN_PASSES] = {"sd_passes", "between passes"},
	[BY_LINES] = {"sd_lines", "by the cache lines"},
	[BY_HOMES] = {"sd_homes", "by the node of the lines"},
};

/* Standard deviations, as shares of a value; NaN: unknown. */
struct deviation_shares {
	double sd[PARTS];
	double left; /* error of a run's median */
};

/* Return the median of the pairs' shares: statistic / value; NaN: none. */
static double median_share(
	const struct result *result, const char *name, const char *statistic)
{
	const struct matrix *of = result_find_matrix(result, name, NULL);
	const struct matrix *sd = result_find_matrix(result, name, statistic);
	size_t n = result_members(result)->n, found = 0;
	double *shares = calloc(n * n, sizeof(*shares)), median;

	for (size_t i = 0; shares && of && sd && i < n * n; i++) {
		double share = sd->values[i] / of->values[i];

		if (isfinite(share))
			shares[found++] = share;
	}
	median = shares ? stat_median(shares, found) : NAN;
	free(shares);
	return median;
}

/* Subtract the variance of a part from the variance of a deviation. */
static void subtract_variance(double *of, double part)
{
	if (!isnan(part))
		*of = sqrt(fmax(0, *of * *of - part * part));
}

/* Return the noun for repeated measurements in a run. */
static const char *repeat_noun(const struct result *result)
{
	return text_same(result->command, "cl") ? "repeats" : "passes";
}

/* Print the largest part of the variance, and how to narrow the result. */
static void print_largest(FILE *out, const struct result *result,
	const struct deviation_shares *spread)
{
	double between = spread->sd[BETWEEN_RUNS];
	size_t largest = BETWEEN_RUNS, known = 0;
	char text[TEXT_SHARE_BYTES];

	for (size_t k = 0; k < PARTS; k++) {
		known += !isnan(spread->sd[k]);
		if (spread->sd[k] > spread->sd[largest])
			largest = k;
	}
	if (known > 1)
		fprintf(out, "largest: %s; ", parts[largest].words);
	fprintf(out, "%s leave %s in a run's median: ", repeat_noun(result),
		text_share(spread->left, text));
	if (between > spread->left)
		fputs("more --runs narrow the result; pinning the vCPUs on the "
		      "host makes runs differ less\n",
			out);
	else
		fprintf(out,
			"runs differ by no more, so more --%s, a longer "
			"--budget or a quieter machine narrow the result\n",
			text_same(result->command, "cl") ? "repeat" : "passes");
}

/* Print the known parts of the variance in words. */
static void print_parts(
	FILE *out, const struct deviation_shares *spread, const char *noun)
{
	char text[TEXT_SHARE_BYTES];

	fprintf(out, "standard deviation of a %s: ", noun);
	for (size_t k = 0; k < PARTS; k++) {
		if (!isnan(spread->sd[k]))
			fprintf(out, "%s%s %s", k ? ", " : "",
				text_share(spread->sd[k], text),
				parts[k].words);
	}
	fprintf(out, " (medians over %ss)\n", noun);
}

/* Print which parts of the variance the record cannot separate, and why. */
static void print_unknown_parts(FILE *out, const struct result *result,
	const struct deviation_shares *spread)
{
	int64_t nodes = facts_count(&result->machine, "numa_nodes");

	if (!facts_find(&result->options, "lines"))
		fputs("not separated: the effects of the memory's addresses "
		      "and NUMA node\n",
			out);
	else if (isnan(spread->sd[BY_LINES]))
		fputs("not separated: the effects of cache lines and their "
		      "node (few passes)\n",
			out);
	else if (isnan(spread->sd[BY_HOMES]))
		fprintf(out,
			"not separated: the effect of the lines' node (%s)\n",
			nodes == 1 ? "the machine has one"
				   : "a pair uses one; --home interleave "
				     "varies the node");
	if (isnan(spread->sd[BY_CLOCK]))
		fputs("not separated: the effect of the core clock (this needs "
		      "three runs with a known clock)\n",
			out);
}

static void print_variance_parts(FILE *out, const struct result *result,
	const struct matrix *matrix, bool several)
{
	const char *noun = result_is_of_nodes(result) ? "cell" : "pair";
	struct deviation_shares spread;

	for (size_t k = 0; k < PARTS; k++)
		spread.sd[k] =
			median_share(result, matrix->name, parts[k].statistic);
	spread.left = median_share(result, matrix->name, "sd_median");
	if (isnan(spread.sd[BETWEEN_RUNS]) || isnan(spread.left))
		return;
	subtract_variance(&spread.sd[BETWEEN_RUNS], spread.sd[BY_CLOCK]);
	subtract_variance(&spread.sd[BETWEEN_PASSES], spread.sd[BY_LINES]);
	subtract_variance(&spread.sd[BETWEEN_PASSES], spread.sd[BY_HOMES]);
	if (several)
		fprintf(out, "%s: ", matrix->name);
	print_parts(out, &spread, noun);
	print_largest(out, result, &spread);
	print_unknown_parts(out, result, &spread);
}

/* "95 % intervals of the runs within 3 % of the medians". */
static void print_interval_bound(
	FILE *out, const struct result *result, double off)
{
	int64_t n = result->run.runs;
	char text[TEXT_SHARE_BYTES];

	fprintf(out, "%s within %s of the medians",
		n == 1		    ? "95 % intervals of its passes"
		: n < RUNS_INTERVAL ? "range of the runs"
				    : "95 % intervals of the runs",
		text_bound(off, text));
}

/* Print the spread of all matrices of medians. */
static void print_matrix_spread(FILE *out, const struct result *result)
{
	const struct cpu_list *members = result_members(result);
	size_t n = members->n, widest = 0, several = 0;
	double off = runs_widest_half(result, &widest);

	if (isnan(off))
		return;
	print_interval_bound(out, result, off);
	fprintf(out,
		result_is_of_nodes(result)
			? " (widest: CPUs of node %u, memory of node %u)\n"
			: " (widest between CPUs %u and %u)\n",
		members->cpus[widest / n], members->cpus[widest % n]);
	for (size_t k = 0; k < result->n_matrices; k++)
		several += text_same(result->matrices[k].statistic, "median");
	for (size_t k = 0; k < result->n_matrices && result->run.runs > 1;
		k++) {
		const struct matrix *matrix = &result->matrices[k];

		if (text_same(matrix->statistic, "median"))
			print_variance_parts(out, result, matrix, several > 1);
	}
}

static void print_curve_spread(FILE *out, const struct result *result)
{
	char title[CURVE_TITLE_BYTES], name[CURVE_NAME_BYTES];
	char text[TEXT_SHARE_BYTES];
	struct runs_points points = runs_points_of(result);
	const struct deviation_shares spread = {
		.sd = {points.sd_runs, NAN, NAN, NAN, NAN},
		.left = points.sd_median};
	const struct curve *widest;

	if (isnan(points.widest_half))
		return;
	widest = &result->curves[points.curve];
	print_interval_bound(out, result, points.widest_half);
	fprintf(out, " (widest: %s: %s, at %.4g %s)\n",
		curve_title(widest, title), curve_name(widest, name),
		widest->x[points.point],
		widest->facts.x_unit ? widest->facts.x_unit
				     : widest->facts.x_name);
	if (isnan(points.sd_runs))
		return;
	if (isnan(points.sd_median)) {
		fprintf(out,
			"standard deviation of a point: %s between runs "
			"(median over points); runs have too few %s to show "
			"how far %s differ\n",
			text_share(points.sd_runs, text), repeat_noun(result),
			repeat_noun(result));
		return;
	}
	print_parts(out, &spread, "point");
	print_largest(out, result, &spread);
}

void measure_print_spread(FILE *out, const struct result *result)
{
	print_matrix_spread(out, result);
	print_curve_spread(out, result);
	if (result->run.runs == 1)
		fputs("a single run does not show how far runs differ\n", out);
}

void measure_print_runs(FILE *out, const struct measure_state *run)
{
	const struct result *result = &run->result;
	const struct summary_labels *labels = &run->plan->labels;
	const struct run_facts *facts = &result->run;
	size_t moved = 0;

	fprintf(out,
		"%s, median of %" PRId64 " run%s with %" PRId64
		" passes in all over %" PRId64 " %s%s in %.1f s\n",
		labels->quantity ? labels->quantity : labels->name[0],
		facts->runs, facts->runs == 1 ? "" : "s", facts->passes,
		facts->pairs, labels->noun, facts->pairs == 1 ? "" : "s",
		result->elapsed_s);
	for (size_t r = 0; r < result->n_runs; r++)
		moved += run_epochs(&result->runs[r].run) > 0;
	if (moved)
		fprintf(out,
			"CPUs moved, or something slowed them down, during %zu "
			"of %zu runs: c2c uses the longest epoch of these "
			"runs\n",
			moved, result->n_runs);
	measure_print_spread(out, result);
}
