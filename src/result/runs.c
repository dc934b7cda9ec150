#include "result/runs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/memory.h"
#include "record/copy.h"
#include "result/fields.h"
#include "stat/stat.h"

/* Variance of the median / variance of the mean, for many normal values. */
#define MEDIAN_VARIANCE 1.5708

/* State of a merge. values has room for a value of each run. */
struct merge_context {
	struct result *merged;
	const struct result *const *runs;
	size_t n;
	double *values;
};

int result_copy(
	struct result *copy, const struct result *from, struct error *err)
{
	struct result plain = *from;

	plain.runs = NULL;
	plain.n_runs = 0;
	return struct_copy(&result_type, copy, &plain)
		       ? 0
		       : error_no_memory(err, "a copy of the result");
}

static void find_interval(
	double *values, size_t n, size_t n_runs, double *low, double *high)
{
	stat_sort(values, n);
	*low = NAN;
	*high = NAN;
	if (n_runs >= RUNS_INTERVAL) {
		if (stat_median_ci95(values, n, low, high) < 0)
			*low = *high = NAN;
	} else if (n > 1) {
		*low = values[0];
		*high = values[n - 1];
	}
}

/* Collect the values of a cell from all runs. Return their number. */
static size_t collect_cell_values(const struct merge_context *merging,
	const char *name, const char *statistic, size_t cell)
{
	size_t found = 0;

	for (size_t r = 0; r < merging->n; r++) {
		const struct matrix *matrix =
			result_find_matrix(merging->runs[r], name, statistic);

		if (matrix && !isnan(matrix->values[cell]))
			merging->values[found++] = matrix->values[cell];
	}
	return found;
}

static double merge_cell(const struct merge_context *merging,
	const struct matrix *matrix, size_t cell)
{
	const char *statistic = matrix->statistic;
	bool low = strcmp(statistic, "ci_low") == 0;
	double ends[2], sum = 0;
	size_t n;

	if (low || strcmp(statistic, "ci_high") == 0) {
		n = collect_cell_values(merging, matrix->name, NULL, cell);
		find_interval(
			merging->values, n, merging->n, &ends[0], &ends[1]);
		return low ? ends[0] : ends[1];
	}
	n = collect_cell_values(merging, matrix->name, statistic, cell);
	if (strcmp(statistic, "passes") == 0) {
		for (size_t i = 0; i < n; i++)
			sum += merging->values[i];
		return n ? sum : NAN;
	}
	if (strcmp(statistic, "min") != 0)
		return stat_median(merging->values, n);
	stat_sort(merging->values, n);
	return n ? merging->values[0] : NAN;
}

/* Add a matrix like the matrix of medians. This invalidates matrix pointers. */
static struct matrix *add_matrix_beside_median(
	struct result *result, const char *name, const char *statistic)
{
	const struct matrix *of = result_find_matrix(result, name, NULL);

	return result_add_matrix(result, name, statistic, of->unit,
		of->quantity,
		strncmp(statistic, "sd_", 3) != 0 && of->higher_is_better,
		of->symmetric);
}

/* Return the k-th matrix if its values are medians, else NULL. */
static const struct matrix *median_matrix_at(
	const struct result *result, size_t k)
{
	const struct matrix *matrix = &result->matrices[k];

	return matrix == result_find_matrix(result, matrix->name, NULL) ? matrix
									: NULL;
}

/* Return whether c2c measured a matrix, and the system did not report it. */
static bool is_measured(const struct matrix *matrix)
{
	return matrix && strcmp(matrix->statistic, "reported") != 0;
}

/* Add missing interval matrices, which files of other tools do not have. */
static int add_interval_matrices(struct result *result, struct error *err)
{
	size_t n = result->n_matrices;

	for (size_t k = 0; k < n; k++) {
		const struct matrix *of = median_matrix_at(result, k);
		char *name = of ? of->name : NULL;

		if (!is_measured(of) ||
			result_find_matrix(result, name, "ci_low"))
			continue;
		if (!add_matrix_beside_median(result, name, "ci_low") ||
			!add_matrix_beside_median(result, name, "ci_high"))
			return error_no_memory(err, "the intervals of runs");
	}
	return 0;
}

static const struct curve *find_same_curve(
	const struct result *result, const struct curve *like)
{
	for (size_t i = 0; i < result->n_curves; i++) {
		if (curve_same(&result->curves[i], like))
			return &result->curves[i];
	}
	return NULL;
}

/*
 * Return the index of the point in curve that corresponds to point k of like,
 * or -1. Points with a measured x correspond by index.
 */
static ssize_t find_same_point(
	const struct curve *curve, const struct curve *like, size_t k)
{
	const char *name = curve_x_name(like, like->x[k]);

	if (like->facts.x_axis == CURVE_MEASURED)
		return curve->n == like->n ? (ssize_t)k : -1;
	if (k < curve->n && curve_is_point(curve, k, like->x[k], name))
		return (ssize_t)k;
	for (size_t i = 0; i < curve->n; i++) {
		if (curve_is_point(curve, i, like->x[k], name))
			return (ssize_t)i;
	}
	return -1;
}

static void merge_measured_x(
	const struct merge_context *merging, struct curve *curve)
{
	for (size_t k = 0; k < curve->n; k++) {
		size_t n = 0;

		for (size_t r = 0; r < merging->n; r++) {
			const struct curve *of =
				find_same_curve(merging->runs[r], curve);

			if (of && of->n == curve->n && !isnan(of->x[k]))
				merging->values[n++] = of->x[k];
		}
		curve->x[k] = stat_median(merging->values, n);
	}
}

static void merge_curve(
	const struct merge_context *merging, struct curve *curve)
{
	if (curve->facts.x_axis == CURVE_MEASURED)
		merge_measured_x(merging, curve);
	for (size_t k = 0; k < curve->n; k++) {
		size_t n = 0;

		for (size_t r = 0; r < merging->n; r++) {
			const struct curve *of =
				find_same_curve(merging->runs[r], curve);
			ssize_t at = of ? find_same_point(of, curve, k) : -1;

			if (at >= 0 && !isnan(of->median[at]))
				merging->values[n++] = of->median[at];
		}
		find_interval(merging->values, n, merging->n, &curve->low[k],
			&curve->high[k]);
		curve->median[k] = stat_median(merging->values, n);
	}
}

/* Merge the {value, low, high} at an offset in all fits. */
static void merge_fit_triple(const struct merge_context *merging,
	const struct curve *curve, size_t at, double out[3])
{
	size_t n = 0;

	for (size_t r = 0; r < merging->n; r++) {
		const struct curve *of =
			find_same_curve(merging->runs[r], curve);
		double value = NAN;

		if (of && of->fit)
			memcpy(&value, (const char *)of->fit + at,
				sizeof(value));
		if (!isnan(value))
			merging->values[n++] = value;
	}
	find_interval(merging->values, n, merging->n, &out[1], &out[2]);
	out[0] = stat_median(merging->values, n);
}

static void merge_fit(const struct merge_context *merging, struct curve *curve)
{
	struct curve_fit fit;
	double three[3];

	if (!curve->fit)
		return;
	merge_fit_triple(merging, curve,
		offsetof(struct curve_fit, overhead_ns), fit.overhead_ns);
	merge_fit_triple(merging, curve,
		offsetof(struct curve_fit, rate_gib_per_s), fit.rate_gib_per_s);
	merge_fit_triple(merging, curve,
		offsetof(struct curve_fit, half_rate_bytes), three);
	fit.half_rate_bytes = three[0];
	merge_fit_triple(
		merging, curve, offsetof(struct curve_fit, worst_error), three);
	fit.worst_error = three[0];
	*curve->fit = fit;
}

/* Return the level of a run with the same index and name, or NULL. */
static const struct cache_level *find_same_level(
	const struct result *run, const struct result *merged, size_t k)
{
	return run->n_caches == merged->n_caches &&
			       strcmp(run->caches[k].name,
				       merged->caches[k].name) == 0
		       ? &run->caches[k]
		       : NULL;
}

static double merge_level_number(
	const struct merge_context *merging, size_t level, size_t at)
{
	size_t n = 0;

	for (size_t r = 0; r < merging->n; r++) {
		const struct cache_level *of = find_same_level(
			merging->runs[r], merging->merged, level);
		double value = NAN;

		if (of)
			memcpy(&value, (const char *)of + at, sizeof(value));
		if (!isnan(value))
			merging->values[n++] = value;
	}
	return stat_median(merging->values, n);
}

/* Merge a level. The size interval covers the intervals of all runs. */
static void merge_level(const struct merge_context *merging, size_t k)
{
	struct cache_level *level = &merging->merged->caches[k];

	for (size_t r = 0; r < merging->n; r++) {
		const struct cache_level *of =
			find_same_level(merging->runs[r], merging->merged, k);

		if (!of)
			continue;
		level->least_bytes = fmin(level->least_bytes, of->least_bytes);
		level->most_bytes = fmax(level->most_bytes, of->most_bytes);
	}
	level->ns = merge_level_number(
		merging, k, offsetof(struct cache_level, ns));
	level->clocks = merge_level_number(
		merging, k, offsetof(struct cache_level, clocks));
	level->fastest_clocks = merge_level_number(
		merging, k, offsetof(struct cache_level, fastest_clocks));
	for (size_t i = 0; i < sizeof(level->rates) / sizeof(*level->rates);
		i++)
		level->rates[i] = merge_level_number(merging, k,
			offsetof(struct cache_level, rates) +
				i * sizeof(*level->rates));
}

static void drop_passes(struct result *result)
{
	struct result only = {.kept = result->kept, .n_kept = result->n_kept};

	result_release(&only);
	result->kept = NULL;
	result->n_kept = 0;
}

static double larger_magnitude(double a, double b)
{
	return isnan(a) || fabs(b) > fabs(a) ? b : a;
}

static void merge_pages(struct run_facts *run, const struct run_facts *of)
{
	enum memory_pages had, other;
	char *copy;

	if (!run->pages || !of->pages ||
		memory_pages_parse(run->pages, &had, NULL) < 0 ||
		memory_pages_parse(of->pages, &other, NULL) < 0 || other >= had)
		return;
	copy = strdup(of->pages);
	if (!copy)
		return;
	free(run->pages);
	run->pages = copy;
}

static void merge_clock(const struct merge_context *merging)
{
	struct facts *other = &merging->merged->run.other;
	size_t n = 0;

	for (size_t r = 0; r < merging->n; r++) {
		double ghz =
			facts_number(&merging->runs[r]->run.other, RUNS_CLOCK);

		if (ghz > 0)
			merging->values[n++] = ghz;
	}
	if (n > 0)
		facts_set_number(
			other, RUNS_CLOCK, stat_median(merging->values, n));
}

/* Merge facts: sums of the runs, and the worst verdict. */
static int merge_facts(const struct merge_context *merging, struct error *err)
{
	struct result *merged = merging->merged;
	struct run_facts *run = &merged->run;

	while (run->n_warnings > 0)
		free(run->warnings[--run->n_warnings]);
	run->known = true;
	run->runs = (int64_t)merging->n;
	free(run->interval);
	run->interval = strdup(merging->n >= RUNS_INTERVAL ? "95 %"
			       : merging->n > 1		   ? "range"
							   : "passes");
	run->passes = -1;
	merged->complete = true;
	merged->elapsed_s = 0;
	for (size_t r = 0; r < merging->n; r++) {
		const struct result *of = merging->runs[r];

		merged->elapsed_s += of->elapsed_s;
		merged->complete &= of->complete;
		if (of->run.passes >= 0)
			run->passes = (run->passes < 0 ? 0 : run->passes) +
				      of->run.passes;
		run->even_odd = fmin(run->even_odd, of->run.even_odd);
		run->halves = fmin(run->halves, of->run.halves);
		run->most_wrong_bytes =
			fmax(run->most_wrong_bytes, of->run.most_wrong_bytes);
		run->at_once = fmin(run->at_once, of->run.at_once);
		run->huge_share = fmin(run->huge_share, of->run.huge_share);
		run->memory_bound &= of->run.memory_bound;
		merge_pages(run, &of->run);
		run->jobs = of->run.jobs > run->jobs ? of->run.jobs : run->jobs;
		run->jobs_bias =
			larger_magnitude(run->jobs_bias, of->run.jobs_bias);
		run->jobs_chosen &= of->run.jobs_chosen;
		if (of->run.verdict > run->verdict)
			run->verdict = of->run.verdict;
	}
	/* The epochs of the first run are not the epochs of the others. */
	run_drop_epoch(run);
	merge_clock(merging);
	return run->interval && !run->other.failed
		       ? 0
		       : error_no_memory(err, "the runs");
}

static void merge_values(const struct merge_context *merging)
{
	struct result *merged = merging->merged;
	size_t n = result_members(merged)->n;

	for (size_t m = 0; m < merged->n_matrices; m++) {
		for (size_t cell = 0; cell < n * n; cell++)
			merged->matrices[m].values[cell] =
				merge_cell(merging, &merged->matrices[m], cell);
	}
	for (size_t i = 0; i < merged->n_curves; i++) {
		if (curve_is_bound(&merged->curves[i]))
			continue;
		merge_curve(merging, &merged->curves[i]);
		merge_fit(merging, &merged->curves[i]);
	}
	for (size_t k = 0; k < merged->n_caches; k++)
		merge_level(merging, k);
}

int runs_merge(struct result *merged, const struct result *const runs[],
	size_t n, struct error *err)
{
	struct merge_context merging = {merged, runs, n, NULL};
	size_t base = 0;
	int rc;

	for (size_t r = 1; r < n; r++) {
		if (!result_same_nodes(runs[r], runs[0]))
			return error_set(err, ERROR_USAGE, EINVAL,
				"run %zu has other NUMA nodes than the first",
				r + 1);
	}
	while (base + 1 < n && !runs[base]->complete)
		base++;
	if (!runs[base]->complete)
		base = 0;
	merging.values = calloc(n, sizeof(*merging.values));
	if (!merging.values)
		return error_no_memory(err, "the runs");
	rc = result_copy(merged, runs[base], err);
	if (rc < 0) {
		free(merging.values);
		return rc;
	}
	drop_passes(merged);
	/* The values of a single run stay unchanged. */
	if (n > 1)
		rc = add_interval_matrices(merged, err);
	if (rc == 0 && n > 1)
		merge_values(&merging);
	if (rc == 0)
		rc = merge_facts(&merging, err);
	free(merging.values);
	if (rc < 0)
		result_release(merged);
	return rc;
}

static double square_number(double x)
{
	return x * x;
}

/* Set sd: [0] between runs, [1] between passes, [2] of the median of a run. */
static void split_cell_variance(const struct merge_context *merging,
	const char *name, size_t cell, double sd[3])
{
	double passes = 0, left = 0;
	size_t n = 0;

	for (size_t r = 0; r < merging->n; r++) {
		const struct result *run = merging->runs[r];
		const struct matrix *low = result_find_matrix(run, name, "p10");
		const struct matrix *high =
			result_find_matrix(run, name, "p90");
		const struct matrix *count =
			result_find_matrix(run, name, "passes");
		double variance;

		if (!low || !high || !count || !(count->values[cell] > 1))
			continue;
		variance =
			square_number((high->values[cell] - low->values[cell]) /
				      STAT_P10_TO_P90);
		passes += variance;
		left += MEDIAN_VARIANCE * variance / count->values[cell];
		n++;
	}
	sd[1] = n ? sqrt(passes / (double)n) : NAN;
	sd[2] = n ? sqrt(left / (double)n) : NAN;
	n = collect_cell_values(merging, name, NULL, cell);
	sd[0] = stat_variance(merging->values, n);
	if (!isnan(sd[2]))
		sd[0] = fmax(0, sd[0] - square_number(sd[2]));
	sd[0] = n < 2 ? NAN : sqrt(sd[0]);
}

static int add_matrix_deviations(const struct merge_context *merging,
	const char *name, struct error *err)
{
	static const char *const statistics[] = {
		"sd_runs", "sd_passes", "sd_median"};
	struct result *merged = merging->merged;
	size_t first = merged->n_matrices, n = result_members(merged)->n;

	for (size_t k = 0; k < 3; k++) {
		if (!add_matrix_beside_median(merged, name, statistics[k]))
			return error_no_memory(err, "the spread of runs");
	}
	for (size_t cell = 0; cell < n * n; cell++) {
		double sd[3];

		split_cell_variance(merging, name, cell, sd);
		for (size_t k = 0; k < 3; k++)
			merged->matrices[first + k].values[cell] = sd[k];
	}
	return 0;
}

/* Logarithms of the core clocks of the runs. */
struct run_clocks {
	double *logs; /* [n] or NaN */
	double mean, squares;
	size_t n_known;
};

static struct run_clocks collect_run_clocks(const struct merge_context *merging)
{
	struct run_clocks clocks = {.logs = calloc(merging->n, sizeof(double))};

	for (size_t r = 0; clocks.logs && r < merging->n; r++) {
		const struct facts *other = &merging->runs[r]->run.other;

		clocks.logs[r] = log(facts_number(other, RUNS_CLOCK));
		if (!isfinite(clocks.logs[r]))
			continue;
		clocks.mean += clocks.logs[r];
		clocks.n_known++;
	}
	clocks.mean /= (double)clocks.n_known;
	for (size_t r = 0; clocks.logs && r < merging->n; r++) {
		if (isfinite(clocks.logs[r]))
			clocks.squares +=
				square_number(clocks.logs[r] - clocks.mean);
	}
	return clocks;
}

/* Add a cell to the sums of products and squares for the slope. */
static void add_clock_slope(const struct merge_context *merging,
	const char *name, size_t cell, const struct run_clocks *clocks,
	double sums[2])
{
	double mean = 0, products = 0, x = 0, squares = 0;
	size_t n = 0;

	for (size_t r = 0; r < merging->n; r++) {
		const struct matrix *of =
			result_find_matrix(merging->runs[r], name, NULL);
		double value = of ? log(of->values[cell]) : NAN;

		if (!isfinite(value) || !isfinite(clocks->logs[r]))
			continue;
		mean += value;
		x += clocks->logs[r];
		products += value * clocks->logs[r];
		squares += square_number(clocks->logs[r]);
		n++;
	}
	if (n < 3)
		return;
	sums[0] += products - mean * x / (double)n;
	sums[1] += squares - x * x / (double)n;
}

static int add_clock_deviation(const struct merge_context *merging,
	const char *name, struct error *err)
{
	struct result *merged = merging->merged;
	size_t n = result_members(merged)->n;
	struct run_clocks clocks = collect_run_clocks(merging);
	double sums[2] = {0, 0}, share;
	const struct matrix *of;
	struct matrix *matrix;

	if (clocks.n_known < 3) {
		free(clocks.logs);
		return 0;
	}
	for (size_t cell = 0; cell < n * n; cell++)
		add_clock_slope(merging, name, cell, &clocks, sums);
	free(clocks.logs);
	matrix = add_matrix_beside_median(merged, name, "sd_clock");
	if (!matrix)
		return error_no_memory(err, "the effect of the clock");
	of = result_find_matrix(merged, name, NULL);
	share = sums[1] > 0 ? fmin(fmax(-sums[0] / sums[1], 0), 1) : 0;
	/* A rate rises if the clock rises. */
	if (of->higher_is_better)
		share = sums[1] > 0 ? fmin(fmax(sums[0] / sums[1], 0), 1) : 0;
	share *= sqrt(clocks.squares / (double)(clocks.n_known - 1));
	for (size_t cell = 0; cell < n * n; cell++)
		matrix->values[cell] = share * of->values[cell];
	return 0;
}

int runs_add_deviations(struct result *merged,
	const struct result *const runs[], size_t n, struct error *err)
{
	struct merge_context merging = {
		merged, runs, n, calloc(n, sizeof(double))};
	size_t n_matrices = merged->n_matrices;
	int rc = 0;

	if (!merging.values)
		return error_no_memory(err, "the runs");
	for (size_t k = 0; rc == 0 && k < n_matrices; k++) {
		const struct matrix *of = median_matrix_at(merged, k);

		if (is_measured(of))
			rc = add_matrix_deviations(&merging, of->name, err);
		of = median_matrix_at(merged, k);
		if (rc == 0 && is_measured(of))
			rc = add_clock_deviation(&merging, of->name, err);
	}
	free(merging.values);
	return rc;
}

double runs_widest_half(const struct result *merged, size_t *widest)
{
	size_t n = result_members(merged)->n;
	double most = NAN;

	for (size_t k = 0; k < merged->n_matrices; k++) {
		const struct matrix *of = median_matrix_at(merged, k);
		const struct matrix *low, *high;

		if (!of)
			continue;
		low = result_find_matrix(merged, of->name, "ci_low");
		high = result_find_matrix(merged, of->name, "ci_high");
		for (size_t i = 0; low && high && i < n * n; i++) {
			double half = (high->values[i] - low->values[i]) / 2 /
				      of->values[i];

			if (!isfinite(half) || half <= most)
				continue;
			most = half;
			*widest = i;
		}
	}
	return most;
}

/* Width of a normal 95 % interval in standard deviations. */
#define CI95_WIDTH 3.92

/* Set the variances of a point: between runs, and of the median of a run. */
static void split_point_variance(const struct result *merged,
	const struct curve *curve, size_t k, double *values,
	double variances[2])
{
	double left = 0;
	size_t n = 0, intervals = 0;

	for (size_t r = 0; r < merged->n_runs; r++) {
		const struct curve *of =
			find_same_curve(&merged->runs[r], curve);
		ssize_t at = of ? find_same_point(of, curve, k) : -1;
		double width;

		if (at < 0 || isnan(of->median[at]))
			continue;
		values[n++] = of->median[at];
		width = (of->high[at] - of->low[at]) / CI95_WIDTH;
		if (isnan(width))
			continue;
		left += square_number(width);
		intervals++;
	}
	variances[1] = intervals ? left / (double)intervals : NAN;
	variances[0] = stat_variance(values, n);
	if (!isnan(variances[1]))
		variances[0] = fmax(0, variances[0] - variances[1]);
}

/* Relative deviations of points: between runs, and of the median of a run. */
struct point_shares {
	double *values, *runs, *median; /* values: [number of runs] */
	size_t n_runs, n_median;
};

static void add_point_shares(const struct result *merged, size_t c, size_t k,
	struct point_shares *shares, struct runs_points *points)
{
	const struct curve *curve = &merged->curves[c];
	double middle = fabs(curve->median[k]), variances[2];
	double off = (curve->high[k] - curve->low[k]) / 2 / middle;

	if (isfinite(off) && !(off <= points->widest_half)) {
		points->widest_half = off;
		points->curve = c;
		points->point = k;
	}
	if (!(middle > 0))
		return;
	split_point_variance(merged, curve, k, shares->values, variances);
	if (!isnan(variances[0]))
		shares->runs[shares->n_runs++] = sqrt(variances[0]) / middle;
	if (!isnan(variances[1]))
		shares->median[shares->n_median++] =
			sqrt(variances[1]) / middle;
}

struct runs_points runs_points_of(const struct result *merged)
{
	struct runs_points points = {
		.widest_half = NAN, .sd_runs = NAN, .sd_median = NAN};
	struct point_shares shares = {.values = NULL};
	size_t room = 1;

	for (size_t c = 0; c < merged->n_curves; c++)
		room += merged->curves[c].n;
	shares.values = calloc(merged->n_runs + 1, sizeof(double));
	shares.runs = calloc(room, sizeof(double));
	shares.median = calloc(room, sizeof(double));
	for (size_t c = 0; shares.values && shares.runs && shares.median &&
			   c < merged->n_curves;
		c++) {
		const struct curve *curve = &merged->curves[c];

		for (size_t k = 0; !curve_is_bound(curve) && k < curve->n; k++)
			add_point_shares(merged, c, k, &shares, &points);
	}
	if (shares.n_runs > 0)
		points.sd_runs = stat_median(shares.runs, shares.n_runs);
	if (shares.n_median > 0)
		points.sd_median = stat_median(shares.median, shares.n_median);
	free(shares.values);
	free(shares.runs);
	free(shares.median);
	return points;
}
