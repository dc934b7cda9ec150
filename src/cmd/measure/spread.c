/*
 * What several runs say of each other: how far they differ, which part of a
 * value's variance is largest, and what lowers it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/measure/run.h"
#include "result/runs.h"
#include "stat/stat.h"
#include "util/text.h"

/* What runs and passes leave in a value, as shares of it. */
struct spread {
	double between, passes, left;
};

/* The median over pairs of a matrix over that of medians; NaN: none. */
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

/* Which is largest, and what lowers it. */
static void print_largest(const struct spread *spread)
{
	if (spread->between == 0)
		puts("largest: between passes; runs differ by no more than "
		     "these explain, so more --passes or a longer --budget "
		     "narrow the result");
	else if (spread->between > spread->left)
		puts("largest: between runs; more --runs narrow the result, "
		     "and pinning the vCPUs on the host lowers it");
	else
		puts("largest: between passes; more --passes or a longer "
		     "--budget lower it, and a quieter machine");
}

static void print_split(
	const struct result *result, const struct matrix *matrix, bool several)
{
	const char *name = matrix->name;
	const struct spread spread = {
		.between = median_share(result, name, "sd_runs"),
		.passes = median_share(result, name, "sd_passes"),
		.left = median_share(result, name, "sd_median"),
	};
	char texts[3][TEXT_SHARE_BYTES];

	if (isnan(spread.between) || isnan(spread.left))
		return;
	if (spread.between > 0)
		printf("%s%sa %s varies by %s between runs and %s between "
		       "passes, which leave %s in a run's median (standard "
		       "deviations, median over %ss)\n",
			several ? name : "", several ? ": " : "",
			result_is_of_nodes(result) ? "cell" : "pair",
			text_share(spread.between, texts[0]),
			text_share(spread.passes, texts[1]),
			text_share(spread.left, texts[2]),
			result_is_of_nodes(result) ? "cell" : "pair");
	print_largest(&spread);
}

/* "95 % intervals of the runs within 3 % of the medians". */
static void print_off(const struct result *result, double off)
{
	int64_t n = result->run.runs;
	char text[TEXT_SHARE_BYTES];

	printf("%s within %s of the medians",
		n == 1		    ? "95 % intervals of its passes"
		: n < RUNS_INTERVAL ? "range of the runs"
				    : "95 % intervals of the runs",
		text_bound(off, text));
}

/* Of all matrices of medians. */
static void print_matrices(const struct result *result)
{
	const struct cpu_list *members = result_members(result);
	size_t n = members->n, widest = 0, several = 0;
	double off = runs_off(result, &widest);

	if (isnan(off))
		return;
	print_off(result, off);
	printf(result_is_of_nodes(result)
			? " (widest: CPUs of node %u, memory of node %u)\n"
			: " (widest between CPUs %u and %u)\n",
		members->cpus[widest / n], members->cpus[widest % n]);
	for (size_t k = 0; k < result->n_matrices; k++)
		several += text_same(result->matrices[k].statistic, "median");
	for (size_t k = 0; k < result->n_matrices && result->run.runs > 1;
		k++) {
		const struct matrix *matrix = &result->matrices[k];

		if (text_same(matrix->statistic, "median"))
			print_split(result, matrix, several > 1);
	}
}

static void print_curves(const struct result *result)
{
	char title[CURVE_TITLE_BYTES], name[CURVE_NAME_BYTES];
	char texts[2][TEXT_SHARE_BYTES];
	struct runs_points points = runs_points_of(result);
	const struct spread spread = {
		.between = points.sd_runs, .left = points.sd_median};
	const struct curve *widest;

	if (isnan(points.off))
		return;
	widest = &result->curves[points.curve];
	print_off(result, points.off);
	printf(" (widest: %s: %s, at %.4g %s)\n", curve_title(widest, title),
		curve_name(widest, name), widest->x[points.point],
		widest->is.x_unit ? widest->is.x_unit : widest->is.x_name);
	if (isnan(points.sd_runs))
		return;
	if (isnan(points.sd_median)) {
		printf("a point varies by %s between runs (standard deviation, "
		       "median over points); these have too few passes to tell "
		       "how far passes differ\n",
			text_share(points.sd_runs, texts[0]));
		return;
	}
	printf("a point varies by %s between runs, and the passes of a run "
	       "leave %s in its median (standard deviations, median over "
	       "points)\n",
		text_share(points.sd_runs, texts[0]),
		text_share(points.sd_median, texts[1]));
	print_largest(&spread);
}

void measure_print_runs(const struct measure_state *run)
{
	const struct result *result = &run->result;
	const struct summary_labels *labels = &run->plan->labels;
	const struct run_facts *facts = &result->run;

	printf("%s, median of %" PRId64 " run%s with %" PRId64 " passes in all "
	       "over %" PRId64 " %s%s in %.1f s\n",
		labels->quantity ? labels->quantity : labels->name[0],
		facts->runs, facts->runs == 1 ? "" : "s", facts->passes,
		facts->pairs, labels->noun, facts->pairs == 1 ? "" : "s",
		result->elapsed_s);
	print_matrices(result);
	print_curves(result);
	if (facts->runs == 1)
		puts("one run does not tell how far runs differ");
	else if (labels->name[0])
		puts("not told apart: the effects of the cache line, its home "
		     "node and the core clock");
}
