/* Make the curves of c2c contend, and warn about them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/contend/cmd_contend.h"
#include "stat/stat.h"

/* Figures over the number of CPUs, each a test in the record. */
enum contend_curve_figure {
	FIGURE_SUM,
	FIGURE_SHARING, /* sum with separate words or lines */
	FIGURE_MEDIAN,
	FIGURE_P99,
	FIGURE_JAIN,
	FIGURE_RATIO,
	CONTEND_FIGURE_COUNT,
	FIGURE_CPU, /* rate of each CPU */
};

static const struct {
	const char *test, *y_name, *y_unit;
	enum curve_axis axis;
} shown[CONTEND_FIGURE_COUNT] = {
	[FIGURE_SUM] = {"sum", "all CPUs together", "Mops/s", CURVE_RATIOS},
	[FIGURE_SHARING] = {"sharing",
		"all CPUs together, each on a separate word", "Mops/s",
		CURVE_RATIOS},
	[FIGURE_MEDIAN] = {"latency", "median of an operation", "ns",
		CURVE_RATIOS},
	[FIGURE_P99] = {"p99", "99th percentile of an operation", "ns",
		CURVE_RATIOS},
	[FIGURE_JAIN] = {"jain", "Jain's index", CURVE_SHARE_UNIT,
		CURVE_AMOUNTS},
	[FIGURE_RATIO] = {"fairness", "least CPU over most", CURVE_SHARE_UNIT,
		CURVE_AMOUNTS},
};

struct contend_curve_inputs {
	const struct contend_plan *own;
	const struct campaign *campaign;
	struct result *result;
	double *rates;	/* [CPUs], rates of CPUs in one pass */
	double *values; /* [passes], or [visits] if there are more visits */
};

static bool is_latency(enum contend_curve_figure figure)
{
	return figure == FIGURE_MEDIAN || figure == FIGURE_P99;
}

static double pass_figure_value(
	enum contend_curve_figure figure, const double *rates, size_t n)
{
	double sum = 0;

	if (figure == FIGURE_JAIN)
		return stat_jain_fairness(rates, n);
	if (figure == FIGURE_RATIO)
		return stat_least_over_most(rates, n);
	for (size_t k = 0; k < n; k++)
		sum += rates[k];
	return sum;
}

/* Read the rates of a point in a pass. Return false if a CPU has none. */
static bool read_pass_rates(
	const struct contend_curve_inputs *work, size_t point, size_t pass)
{
	bool whole = true;

	for (size_t k = 0; k < work->own->points[point].n_cpus; k++) {
		work->rates[k] = campaign_value(work->campaign, pass, point, k);
		whole = whole && !isnan(work->rates[k]);
	}
	return whole;
}

/*
 * Collect a figure from each pass in which every CPU of the point has a value.
 * k is the CPU for FIGURE_CPU.
 */
static size_t gather_rates(const struct contend_curve_inputs *work,
	size_t point, enum contend_curve_figure figure, size_t k)
{
	size_t n = work->own->points[point].n_cpus, found = 0;

	for (size_t pass = 0; pass < work->campaign->n_passes; pass++)
		if (read_pass_rates(work, point, pass))
			work->values[found++] =
				figure == FIGURE_CPU ? work->rates[k]
						     : pass_figure_value(figure,
							       work->rates, n);
	return found;
}

/*
 * Collect the latencies of all valid visits. A latency below the clock's step
 * is 0, so that the median includes the fast visits. *n_above_step gets the
 * number of the slower visits.
 */
static size_t gather_latencies(const struct contend_curve_inputs *work,
	size_t point, enum contend_curve_figure figure, size_t *n_above_step)
{
	const struct contend_figures *figures =
		&work->own->context.figures[point];

	for (size_t i = 0; i < figures->n; i++) {
		double ns = figure == FIGURE_MEDIAN
				    ? figures->latency[i].median_ns
				    : figures->latency[i].p99_ns;

		work->values[i] = isnan(ns) ? 0 : ns;
		*n_above_step += !isnan(ns);
	}
	return figures->n;
}

/*
 * Return whether a curve has this figure. Separate words have only the figure
 * `sharing`. Short operations have no latency.
 */
static bool has_figure(const struct contend_curve_inputs *work,
	const struct contend_curve *curve, enum contend_curve_figure figure)
{
	size_t found = 0;

	if ((curve->sharing == CONTEND_WORD) == (figure == FIGURE_SHARING))
		return false;
	for (size_t i = 0; is_latency(figure) && i < curve->n; i++)
		gather_latencies(work, curve->first + i, figure, &found);
	return found || !is_latency(figure);
}

static void set_contend_point(
	struct curve *curve, size_t i, double x, double *values, size_t n)
{
	double out[SUMMARY_STATISTICS];

	summary_of(values, n, out);
	summary_set_point(curve, i, x, out);
}

/* Add a curve with the CPUs of its domain; return NULL with *err on failure. */
static struct curve *new_contend_curve(const struct contend_curve_inputs *work,
	const struct contend_curve *from, struct curve_facts facts, size_t n,
	struct error *err)
{
	const struct contend_domain *domain = from->domain;
	struct curve *curve;

	facts.family = domain->n == 1 ? "one CPU"
		       : domain->distance == DISTANCE_OTHER_PACKAGE
			       ? "all packages"
			       : distance_names[domain->distance];
	facts.member = from->operation->name;
	facts.variant = from->sharing == CONTEND_NONE ? "own lines"
			: from->spin_hint	      ? "spin hint"
						      : NULL;
	curve = summary_add_curve(work->result, &facts, n, NULL, 0, err);
	for (uint32_t i = 0; curve && i < domain->n; i++) {
		if (cpu_list_add(&curve->cpus,
			    work->own->cpus.cpus[domain->order[i]], err) < 0)
			return NULL;
	}
	return curve;
}

static int add_figure_curve(const struct contend_curve_inputs *work,
	const struct contend_curve *from, enum contend_curve_figure figure,
	struct error *err)
{
	const struct curve_facts facts = {
		.test = shown[figure].test,
		.x_name = "CPUs",
		.y_name = shown[figure].y_name,
		.y_unit = shown[figure].y_unit,
		.x_axis = CURVE_COUNTS,
		.y_axis = shown[figure].axis,
	};
	struct curve *curve =
		new_contend_curve(work, from, facts, from->n, err);

	for (size_t i = 0; curve && i < from->n; i++) {
		size_t point = from->first + i, n_above_step = 0;
		size_t n = is_latency(figure)
				   ? gather_latencies(
					     work, point, figure, &n_above_step)
				   : gather_rates(work, point, figure, 0);

		/* Skip a point whose median is below the clock's step. */
		if (is_latency(figure) && 2 * n_above_step <= n)
			n = 0;
		set_contend_point(curve, i, work->own->points[point].n_cpus,
			work->values, n);
	}
	return curve ? 0 : -ENOMEM;
}

/* Add a curve of each CPU's rate at the point with the most CPUs. */
static int add_cpu_rates_curve(const struct contend_curve_inputs *work,
	const struct contend_curve *from, struct error *err)
{
	const struct curve_facts facts = {
		.test = "cpus",
		.x_name = "CPU",
		.y_name = "of each CPU, all together",
		.y_unit = "Mops/s",
		.x_axis = CURVE_AMOUNTS,
		.y_axis = CURVE_AMOUNTS,
	};
	const struct contend_plan *own = work->own;
	size_t last = from->first + from->n - 1, at = 0;
	size_t n = own->points[last].n_cpus;
	struct curve *curve = new_contend_curve(work, from, facts, n, err);

	/* Sort by CPU number instead of the order of joining. */
	for (size_t least = 0; curve && at < n; least++) {
		size_t k = 0;

		while (k < n && own->cpus.cpus[from->domain->order[k]] != least)
			k++;
		if (k < n)
			set_contend_point(curve, at++, (double)least,
				work->values,
				gather_rates(work, last, FIGURE_CPU, k));
	}
	return curve ? 0 : -ENOMEM;
}

/* Warn of disturbed visits, and of points without any value. */
static void warn_of_contend_visits(
	const struct contend_curve_inputs *work, struct campaign *campaign)
{
	const struct contend_plan *own = work->own;
	size_t visits = 0, dropped = 0, stalled = 0, missing = 0;

	for (size_t p = 0; p < own->n_points; p++) {
		const struct contend_figures *figures =
			&own->context.figures[p];
		size_t whole = gather_rates(work, p, FIGURE_SUM, 0);

		visits += figures->visits;
		stalled += figures->stalled;
		missing += whole == 0;
		if (figures->visits > whole)
			dropped += figures->visits - whole;
	}
	if (dropped)
		campaign_warn(campaign,
			"%zu of %zu visits %s disturbed and dropped: other "
			"programs ran on the CPUs meanwhile",
			dropped, visits, dropped == 1 ? "was" : "were");
	if (stalled)
		campaign_warn(campaign,
			"in %zu of %zu visits a CPU made no progress for a "
			"third of the time: the others starved it, or the host "
			"did not run the vCPU",
			stalled, visits);
	if (missing && campaign->n_complete)
		campaign_warn(campaign,
			"%zu of %zu points %s no value, because every visit "
			"was disturbed; try more --passes or a quieter machine",
			missing, own->n_points, missing == 1 ? "has" : "have");
}

int contend_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	const struct contend_plan *own = plan->context;
	size_t room = campaign->n_passes + 1;
	struct contend_curve_inputs work = {
		.own = own, .campaign = campaign, .result = result};
	int rc = 0;

	for (size_t p = 0; p < own->n_points; p++) {
		if (own->context.figures[p].n > room)
			room = own->context.figures[p].n;
	}
	work.rates = calloc(own->cpus.n, sizeof(*work.rates));
	work.values = calloc(room, sizeof(*work.values));
	if (!work.rates || !work.values)
		rc = error_no_memory(err, "the curves");
	for (int figure = 0; figure < CONTEND_FIGURE_COUNT; figure++) {
		for (size_t c = 0; rc == 0 && c < own->n_curves; c++) {
			if (has_figure(&work, &own->curves[c],
				    (enum contend_curve_figure)figure))
				rc = add_figure_curve(&work, &own->curves[c],
					(enum contend_curve_figure)figure, err);
		}
	}
	for (size_t c = 0; rc == 0 && c < own->n_curves; c++) {
		if (own->curves[c].sharing == CONTEND_WORD)
			rc = add_cpu_rates_curve(&work, &own->curves[c], err);
	}
	if (rc == 0)
		warn_of_contend_visits(&work, campaign);
	free(work.rates);
	free(work.values);
	return rc;
}
