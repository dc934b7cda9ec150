/*
 * Make the matrices, curves and warnings of c2c numa from the passes.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cache/cache_account.h"
#include "cmd/numa/cmd_numa.h"

struct numa_result_inputs {
	const struct numa_plan *own;
	struct campaign *campaign;
	struct result *result;
	double *values; /* [passes] */
};

const char *numa_matrix_name(enum numa_mix mix, char name[NUMA_NAME_BYTES])
{
	snprintf(name, NUMA_NAME_BYTES, "bandwidth-%s", numa_mix_names[mix]);
	return name;
}

static int set_nodes(const struct numa_result_inputs *work, struct error *err)
{
	const struct numa_context *context = &work->own->context;
	struct cpu_list rows = {.n = 0}, columns = {.n = 0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < context->n_rows; i++)
		rc = cpu_list_add(&rows, (unsigned)context->rows[i].node, err);
	for (size_t j = 0; rc == 0 && j < context->n_homes; j++)
		rc = cpu_list_add(
			&columns, (unsigned)context->homes[j].node, err);
	if (rc == 0 && !result_set_nodes(work->result, &rows, &columns))
		rc = error_no_memory(err, "the nodes");
	cpu_list_release(&rows);
	cpu_list_release(&columns);
	return rc;
}

/* Return the number of CPUs that contribute to a point's rate. */
static size_t count_loading_cpus(const struct numa_plan *own, size_t point)
{
	const struct numa_context *context = &own->context;
	const struct numa_point *of = &context->points[point];

	if (of->kind == NUMA_TEAM)
		return context->teams[of->row].cpus.n;
	return context->rows[of->row].cpus.n - (of->kind == NUMA_LOADED);
}

size_t numa_gather_rates(const struct numa_plan *own,
	const struct campaign *campaign, size_t point, double *values)
{
	return summary_gather_sums(
		campaign, point, count_loading_cpus(own, point), values);
}

/* Summarise a latency from passes whose load, if any, ran. */
static void summarise_latency(const struct numa_result_inputs *work,
	size_t point, double out[SUMMARY_STATISTICS])
{
	const struct campaign *campaign = work->campaign;
	bool loaded = work->own->context.points[point].kind == NUMA_LOADED;
	size_t n = count_loading_cpus(work->own, point), found = 0;

	for (size_t pass = 0; pass < campaign->n_passes; pass++) {
		double ns = campaign_value(campaign, pass, point, 0);

		if (!isnan(ns) && !(loaded && isnan(summary_sum(campaign, pass,
						      point, n))))
			work->values[found++] = ns;
	}
	summary_of(work->values, found, out);
}

static void summarise_rate(const struct numa_result_inputs *work, size_t point,
	double out[SUMMARY_STATISTICS])
{
	summary_of(work->values,
		numa_gather_rates(
			work->own, work->campaign, point, work->values),
		out);
}

/* Add the matrices of latency, or of the bandwidth of a mix. */
static int add_node_matrices(const struct numa_result_inputs *work,
	enum numa_kind kind, enum numa_mix mix, struct error *err)
{
	const struct numa_context *context = &work->own->context;
	bool rate = kind == NUMA_BANDWIDTH;
	const struct summary_labels labels = {
		.unit = rate ? "GiB/s" : "ns",
		.quantity = rate ? "rate" : "idle",
		.higher_is_better = rate,
	};
	size_t first = work->result->n_matrices;
	char name[NUMA_NAME_BYTES];
	int rc = summary_add_matrices(&labels,
		rate ? numa_matrix_name(mix, name) : "latency", false,
		work->result, err);

	for (size_t k = 0; rc == 0 && k < context->n_rows * context->n_homes;
		k++) {
		size_t row = k / context->n_homes, home = k % context->n_homes;
		size_t point = numa_find_point(work->own, kind, row, home, mix);
		double out[SUMMARY_STATISTICS];

		if (rate)
			summarise_rate(work, point, out);
		else
			summarise_latency(work, point, out);
		for (int s = 0; s < SUMMARY_STATISTICS; s++)
			work->result->matrices[first + (size_t)s]
				.values[numa_cell_index(
					work->result, row, home)] = out[s];
	}
	return rc;
}

/* Figures of a loaded curve, each a test in the record. */
enum numa_curve_figure {
	FIGURE_LOADED, /* latency over rate */
	FIGURE_DELAY,  /* latency over delay */
	FIGURE_LOAD,   /* rate over delay */
	NUMA_FIGURE_COUNT,
};

static struct curve *new_loaded_curve(const struct numa_result_inputs *work,
	const struct numa_curve *from, enum numa_curve_figure figure,
	struct error *err)
{
	static const struct curve_facts shown[NUMA_FIGURE_COUNT] = {
		[FIGURE_LOADED] = {.test = "loaded",
			.x_name = "rate of the other CPUs",
			.x_unit = "GiB/s",
			.y_name = "latency for one CPU",
			.y_unit = "ns",
			.x_axis = CURVE_MEASURED,
			.y_axis = CURVE_AMOUNTS},
		[FIGURE_DELAY] = {.test = "delay",
			.x_name = "delay of the other CPUs",
			.x_unit = "turns",
			.y_name = "latency for one CPU",
			.y_unit = "ns",
			.x_axis = CURVE_AMOUNTS,
			.y_axis = CURVE_AMOUNTS},
		[FIGURE_LOAD] = {.test = "load",
			.x_name = "delay of the other CPUs",
			.x_unit = "turns",
			.y_name = "rate of the other CPUs",
			.y_unit = "GiB/s",
			.x_axis = CURVE_AMOUNTS,
			.y_axis = CURVE_AMOUNTS},
	};
	const struct numa_context *context = &work->own->context;
	const struct numa_row *row = &context->rows[from->row];
	struct curve_facts facts = shown[figure];
	char family[80];

	snprintf(family, sizeof(family), "CPUs of node %d, memory of node %d",
		row->node, context->homes[from->home].node);
	facts.family = family;
	facts.member = numa_mix_names[from->mix];
	return summary_add_curve(work->result, &facts,
		figure == FIGURE_LOADED ? from->n : from->n - 1, row->cpus.cpus,
		row->cpus.n, err);
}

static void set_loaded_point(const struct numa_result_inputs *work,
	const struct numa_curve *from, enum numa_curve_figure figure,
	struct curve *curve, size_t i)
{
	const struct numa_point *point =
		&work->own->context.points[from->first + i];
	double ns[SUMMARY_STATISTICS], rate[SUMMARY_STATISTICS];
	const double *y = figure == FIGURE_LOAD ? rate : ns;
	double x = point->delay;

	summarise_latency(work, from->first + i, ns);
	summary_of(NULL, 0, rate);
	rate[SUMMARY_MEDIAN] = 0;
	if (point->kind == NUMA_LOADED)
		summarise_rate(work, from->first + i, rate);
	if (figure == FIGURE_LOADED)
		x = rate[SUMMARY_MEDIAN];
	/* Delays are stored from the shortest to the longest. */
	curve_set(curve, figure == FIGURE_LOADED ? i : from->n - 1 - i, x,
		(const double[]){y[SUMMARY_MEDIAN], y[SUMMARY_CI_LOW],
			y[SUMMARY_CI_HIGH]});
}

/* Mark the knee. Mark the knee, unless memory is out. */
static void mark_knee(struct curve *curve)
{
	struct numa_knee knee =
		numa_find_knee(curve->x, curve->median, curve->n);
	char text[NUMA_KNEE_BYTES];

	free(curve->mark);
	curve->mark = NULL;
	curve->mark_x = NAN;
	if (isnan(knee.knee_gib_per_s))
		return;
	curve->mark_x = knee.knee_gib_per_s;
	if (asprintf(&curve->mark, "knee: %s", numa_knee_text(&knee, 3, text)) <
		0)
		curve->mark = NULL;
}

/*
 * Record the knees of the first n curves, in order, for programs that read the
 * record.
 */
static int record_knees(struct result *result, size_t n, struct error *err)
{
	struct facts *run = &result->run.other;
	double *values = calloc(3 * n + 1, sizeof(*values));

	if (!values)
		return error_no_memory(err, "the curves");
	for (size_t c = 0; c < n; c++) {
		const struct curve *curve = &result->curves[c];
		struct numa_knee knee =
			numa_find_knee(curve->x, curve->median, curve->n);

		values[c] = knee.peak_gib_per_s;
		values[n + c] = knee.doubles_gib_per_s;
		values[2 * n + c] = knee.knee_gib_per_s;
	}
	facts_set_numbers(run, "loaded_peak_gib_per_s", values, n);
	facts_set_numbers(run, "loaded_doubles_gib_per_s", values + n, n);
	facts_set_numbers(run, "loaded_knee_gib_per_s", values + 2 * n, n);
	free(values);
	return run->failed ? error_no_memory(err, "the curves") : 0;
}

static int add_loaded_curves(const struct numa_result_inputs *work,
	enum numa_curve_figure figure, struct error *err)
{
	for (size_t c = 0; c < work->own->n_curves; c++) {
		const struct numa_curve *from = &work->own->curves[c];
		struct curve *curve = new_loaded_curve(work, from, figure, err);

		if (!curve)
			return -ENOMEM;
		for (size_t i = figure != FIGURE_LOADED; i < from->n; i++)
			set_loaded_point(work, from, figure, curve, i);
		if (figure == FIGURE_LOADED)
			mark_knee(curve);
	}
	return 0;
}

/* Warn of points without a value that have their memory. */
static void warn_of_gaps(const struct numa_result_inputs *work)
{
	const struct numa_context *context = &work->own->context;
	size_t missing = 0;

	for (size_t p = 0; p < context->n_points; p++) {
		const struct numa_point *point = &context->points[p];
		double out[SUMMARY_STATISTICS];

		if (!numa_point_is_bound(context, p))
			continue;
		if (point->kind == NUMA_BANDWIDTH || point->kind == NUMA_TEAM)
			summarise_rate(work, p, out);
		else
			summarise_latency(work, p, out);
		missing += isnan(out[SUMMARY_MEDIAN]);
	}
	if (missing && work->campaign->n_complete)
		campaign_warn(work->campaign,
			"%zu of %zu points %s no value, because every visit "
			"was "
			"disturbed; try more --passes or a quieter machine",
			missing, context->n_points,
			missing == 1 ? "has" : "have");
}

/* Warn if sizes are below the default, because little memory is free. */
static void warn_of_small_sizes(const struct numa_result_inputs *work)
{
	const struct numa_plan *own = work->own;
	const struct numa_options *options = own->options;

	if (!options->size_bytes && options->array_bytes < own->wanted_bytes)
		campaign_warn(work->campaign,
			"c2c may use too little memory: the figures come from "
			"only %" PRIu64 " MiB a node instead of %" PRIu64
			" MiB, so caches hold %s",
			options->array_bytes >> 20, own->wanted_bytes >> 20,
			options->array_bytes > own->cache_bytes
				? "a larger part of it"
				: "all of it, and the figures are not those of "
				  "memory");
}

/* Warn of nodes with less memory than requested. */
static void warn_of_homes(const struct numa_result_inputs *work)
{
	const struct numa_options *options = work->own->options;
	const struct numa_context *context = &work->own->context;

	for (size_t j = 0; j < context->n_homes; j++) {
		const struct numa_home *home = &context->homes[j];

		if (!home->bound)
			campaign_warn(work->campaign,
				"node %d has no figures: the kernel did not "
				"place %zu MiB there (the node is full, or a "
				"container forbids binding memory, which "
				"CAP_SYS_NICE allows)",
				home->node, work->own->least_bytes >> 20);
		else if (home->ring.memory.bytes < options->ring_bytes ||
			 home->array.bytes < options->array_bytes)
			campaign_warn(work->campaign,
				"node %d is nearly full: its figures come from "
				"only %zu MiB, so caches hold a larger part",
				home->node, home->array.bytes >> 20);
	}
}

static void warn_of_moved_memory(const struct numa_result_inputs *work)
{
	const struct numa_context *context = &work->own->context;

	for (size_t j = 0; j < context->n_homes; j++) {
		struct numa_home *home = &context->homes[j];
		struct memory_mapping *ring = &home->ring.memory;

		if (home->array.base &&
			(memory_inspect(ring, MEMORY_PAGES_AUTO, NULL) < 0 ||
				memory_inspect(&home->array, MEMORY_PAGES_AUTO,
					NULL) < 0 ||
				!ring->bound || !home->array.bound))
			campaign_warn(work->campaign,
				"the kernel moved memory away from node %d "
				"during the run: do not trust its figures",
				home->node);
	}
}

static int record_node_memory(
	const struct numa_result_inputs *work, struct error *err)
{
	const struct numa_context *context = &work->own->context;
	struct cache_account account;

	cache_account_init(&account);
	for (size_t j = 0; j < context->n_homes; j++) {
		cache_account_add(&account, &context->homes[j].ring.memory);
		cache_account_add(&account, &context->homes[j].array);
	}
	return cache_account_record(&account,
		(enum memory_pages)work->own->options->pages, work->campaign,
		work->result, err);
}

int numa_finish_merged(struct result *result, struct error *err)
{
	size_t n = 0;
	int rc = numa_merge_links(result, err);

	while (rc == 0 && n < result->n_curves &&
		result->curves[n].facts.x_axis == CURVE_MEASURED)
		mark_knee(&result->curves[n++]);
	return rc == 0 && n ? record_knees(result, n, err) : rc;
}

int numa_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err)
{
	const struct numa_plan *own = plan->context;
	const struct numa_options *options = own->options;
	struct numa_result_inputs work = {own, campaign, result,
		calloc(campaign->n_passes + 1, sizeof(double))};
	int rc = work.values ? set_nodes(&work, err)
			     : error_no_memory(err, "the matrices");

	if (rc == 0 && options->latency)
		rc = add_node_matrices(&work, NUMA_LATENCY, NUMA_READ, err);
	for (size_t m = 0;
		rc == 0 && options->bandwidth && m < options->mixes.n; m++)
		rc = add_node_matrices(&work, NUMA_BANDWIDTH,
			(enum numa_mix)options->mixes.items[m], err);
	if (rc == 0)
		rc = numa_add_reported(own->machine, result, err);
	for (int figure = 0; rc == 0 && figure < NUMA_FIGURE_COUNT; figure++)
		rc = add_loaded_curves(
			&work, (enum numa_curve_figure)figure, err);
	if (rc == 0 && own->n_curves)
		rc = record_knees(result, own->n_curves, err);
	if (rc == 0 && own->n_scalings)
		rc = numa_add_scalings(own, campaign, result, err);
	warn_of_moved_memory(&work);
	if (rc == 0)
		rc = record_node_memory(&work, err);
	if (rc == 0) {
		warn_of_small_sizes(&work);
		warn_of_homes(&work);
		warn_of_gaps(&work);
	}
	/* Drop the agreement of passes: points differ far beyond noise. */
	result->run.even_odd = NAN;
	result->run.halves = NAN;
	free(work.values);
	return rc;
}
