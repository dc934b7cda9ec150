/*
 * Plan c2c numa: rows (CPUs of a node), homes (memory of a node), points.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cli.h"
#include "cmd/numa/cmd_numa.h"
#include "machine/memory.h"
#include "util/array.h"

/* Default size in LLCs: these hold only a small part of it. */
#define TIMES_LLC	4
#define DEFAULT_LEAST	(UINT64_C(256) << 20)
#define DEFAULT_MOST	(UINT64_C(1) << 30)
#define SHARE_OF_MEMORY 0.5

#define QUICK_LEAST (UINT64_C(64) << 20)

/* Least memory on a nearly full node: in total, and for each CPU. */
#define LEAST_BYTES	  ((size_t)1 << 20)
#define LEAST_BYTES_A_CPU ((size_t)256 << 10)

/* Time limit for each GiB: drawing a ring, and the first use of pages. */
#define PATIENCE_S_PER_GIB 4.0

const uint32_t numa_delays[NUMA_DELAYS] = {20000, 9000, 5000, 3500, 2500, 1700,
	1300, 1000, 700, 500, 400, 300, 200, 100, 50, 15, 8, 2, 0};

/* Return the row of a node, new if missing; NULL without memory. */
static struct numa_row *get_node_row(struct numa_context *context, int node)
{
	size_t i = 0;

	while (i < context->n_rows && context->rows[i].node < node)
		i++;
	if (i < context->n_rows && context->rows[i].node == node)
		return &context->rows[i];
	if (!array_grow(
		    &context->rows, context->n_rows, sizeof(*context->rows)))
		return NULL;
	for (size_t k = context->n_rows++; k > i; k--)
		context->rows[k] = context->rows[k - 1];
	context->rows[i] = (struct numa_row){.node = node};
	return &context->rows[i];
}

/* Divide the CPUs by node. A CPU without a node belongs to the nearest node. */
static int add_node_rows(struct numa_plan *own,
	const struct measure_selection *selection, struct error *err)
{
	for (size_t i = 0; i < selection->cpus.n; i++) {
		unsigned cpu = selection->cpus.cpus[i];
		int node = machine_own_node_of(own->machine, cpu);
		struct numa_row *row;

		if (node < 0)
			node = machine_node_of(own->machine, cpu);
		row = get_node_row(&own->context, node < 0 ? 0 : node);
		if (!row)
			return error_no_memory(err, "the nodes");
		if (cpu_list_add(&row->cpus, cpu, err) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_homes(struct numa_plan *own, struct error *err)
{
	const struct cpu_list *nodes =
		&machine_facts(own->machine)->memory_nodes;
	struct numa_context *context = &own->context;

	context->homes =
		calloc(nodes->n ? nodes->n : 1, sizeof(*context->homes));
	if (!context->homes)
		return error_no_memory(err, "the nodes");
	context->n_homes = nodes->n;
	for (size_t j = 0; j < nodes->n; j++)
		context->homes[j].node = (int)nodes->cpus[j];
	if (nodes->n == 0)
		return error_set(err, ERROR_UNAVAILABLE, ENODEV,
			"the system reports no NUMA node with memory");
	return 0;
}

/* List the CPUs of all rows as indices in the selection. */
static int list_others(struct numa_plan *own,
	struct measure_selection *selection, struct error *err)
{
	size_t at = 0;

	own->n_others = selection->cpus.n;
	selection->others =
		calloc(selection->cpus.n, sizeof(*selection->others));
	if (!selection->others)
		return error_no_memory(err, "the CPUs");
	for (size_t i = 0; i < own->context.n_rows; i++) {
		const struct cpu_list *cpus = &own->context.rows[i].cpus;

		for (size_t k = 0; k < cpus->n; k++)
			selection->others[at++] = (uint32_t)cpu_list_find(
				&selection->cpus, cpus->cpus[k]);
	}
	return 0;
}

/* Add a point with the first n CPUs of its row. */
static int add_numa_point(struct numa_plan *own, struct numa_point point,
	size_t n, struct measure_selection *selection, struct error *err)
{
	struct numa_context *context = &own->context;
	bool loaded = point.kind == NUMA_LOADED;
	uint32_t at = 0;

	if (!array_grow(&context->points, context->n_points,
		    sizeof(*context->points)))
		return error_no_memory(err, "the points");
	for (size_t i = 0; i < point.row; i++)
		at += (uint32_t)context->rows[i].cpus.n;
	context->points[context->n_points] = point;
	return measure_add_pair(selection,
		(struct schedule_pair){
			.first = selection->others[at],
			.second = selection->others[at + loaded],
			.variant = (uint32_t)context->n_points++,
			.n_others = (uint32_t)(n - 1 - loaded),
			.others_at = at + 1 + loaded,
		},
		err);
}

static int add_cells(struct numa_plan *own, size_t row, size_t home,
	struct measure_selection *selection, struct error *err)
{
	const struct numa_options *options = own->options;
	struct numa_point point = {
		.kind = NUMA_LATENCY, .row = row, .home = home};
	int rc = 0;

	if (options->latency)
		rc = add_numa_point(own, point, 1, selection, err);
	point.kind = NUMA_BANDWIDTH;
	for (size_t m = 0;
		rc == 0 && options->bandwidth && m < options->mixes.n; m++) {
		point.mix = (enum numa_mix)options->mixes.items[m];
		rc = add_numa_point(own, point, own->context.rows[row].cpus.n,
			selection, err);
	}
	return rc;
}

static int plan_loaded_curve(struct numa_plan *own, struct numa_curve curve,
	struct measure_selection *selection, struct error *err)
{
	struct numa_point point = {.kind = NUMA_LATENCY,
		.row = curve.row,
		.home = curve.home,
		.mix = curve.mix};
	int rc;

	curve.first = own->context.n_points;
	rc = add_numa_point(own, point, 1, selection, err);
	point.kind = NUMA_LOADED;
	for (size_t d = 0; rc == 0 && d < NUMA_DELAYS; d++) {
		point.delay = numa_delays[d];
		rc = add_numa_point(own, point,
			own->context.rows[curve.row].cpus.n, selection, err);
	}
	curve.n = own->context.n_points - curve.first;
	if (rc < 0)
		return rc;
	if (!array_grow(&own->curves, own->n_curves, sizeof(*own->curves)))
		return error_no_memory(err, "the points");
	own->curves[own->n_curves++] = curve;
	return 0;
}

/*
 * Return the distance of a home from a row: as the firmware reports it, 0 for
 * the same node, infinite if unknown.
 */
static double home_distance_from(
	const struct numa_plan *own, size_t row, size_t home)
{
	unsigned from = (unsigned)own->context.rows[row].node;
	unsigned to = (unsigned)own->context.homes[home].node;
	double distance = machine_reported_value(
		own->machine, MACHINE_REPORTED_DISTANCE, from, to);

	if (from == to)
		return 0;
	return isnan(distance) ? INFINITY : distance;
}

/* Return the nearest row to a home with at least two CPUs, or n_rows. */
static size_t nearest_row(const struct numa_plan *own, size_t home)
{
	size_t n = own->context.n_rows, nearest = n;

	for (size_t i = 0; i < n; i++) {
		if (own->context.rows[i].cpus.n >= 2 &&
			(nearest == n ||
				home_distance_from(own, i, home) <
					home_distance_from(own, nearest, home)))
			nearest = i;
	}
	return nearest;
}

size_t numa_nearest_home(const struct numa_plan *own, size_t row)
{
	size_t nearest = 0;

	for (size_t j = 1; j < own->context.n_homes; j++) {
		if (home_distance_from(own, row, j) <
			home_distance_from(own, row, nearest))
			nearest = j;
	}
	return nearest;
}

/*
 * Plan loaded curves: the CPUs of each node with their nearest memory, and each
 * other memory with its nearest CPUs.
 */
static int plan_loaded_curves(struct numa_plan *own,
	struct measure_selection *selection, struct error *err)
{
	const struct numa_context *context = &own->context;
	const struct option_list *mixes = &own->options->mixes;
	size_t n = context->n_rows * context->n_homes;
	int rc = 0;

	for (size_t k = 0; k < n; k++) {
		size_t row = k / context->n_homes, home = k % context->n_homes;

		if (context->rows[row].cpus.n < 2 ||
			!(numa_nearest_home(own, row) == home ||
				nearest_row(own, home) == row))
			continue;
		for (size_t m = 0; rc == 0 && m < mixes->n; m++)
			rc = plan_loaded_curve(own,
				(struct numa_curve){.row = row,
					.home = home,
					.mix = (enum numa_mix)mixes->items[m]},
				selection, err);
	}
	if (rc == 0 && own->n_curves == 0 &&
		option_given(&own->options->measure.given, "loaded"))
		return error_set(err, ERROR_UNAVAILABLE, ENODEV,
			"--loaded: one CPU chases while others load the "
			"memory, and no NUMA node has two CPUs that may be "
			"used");
	return rc;
}

int numa_select(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	struct numa_plan *own = plan->context;
	int rc = measure_select_cpus(options, selection, err);

	own->machine = selection->machine;
	if (rc == 0)
		rc = add_node_rows(own, selection, err);
	if (rc == 0)
		rc = add_homes(own, err);
	if (rc == 0)
		rc = list_others(own, selection, err);
	for (size_t k = 0;
		rc == 0 && k < own->context.n_rows * own->context.n_homes; k++)
		rc = add_cells(own, k / own->context.n_homes,
			k % own->context.n_homes, selection, err);
	if (rc == 0 && own->options->loaded)
		rc = plan_loaded_curves(own, selection, err);
	if (rc == 0 && own->options->scaling)
		rc = numa_plan_teams(own, selection, err);
	return rc;
}

/* Return the bytes of all LLCs of these CPUs, and of the largest LLC. */
static uint64_t sum_caches(const struct machine_facts *facts,
	const struct cpu_list *cpus, uint64_t *largest)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < facts->n_caches; i++) {
		const struct machine_cache *cache = &facts->caches[i];
		bool any = false;

		for (size_t k = 0; k < cpus->n; k++)
			any |= cpu_list_find(&cache->cpus, cpus->cpus[k]) >= 0;
		sum += any ? cache->bytes : 0;
		*largest = cache->bytes > *largest ? cache->bytes : *largest;
	}
	return sum;
}

/* Choose sizes: a ring exceeds one LLC, an array all LLCs of a row. */
static void choose_node_sizes(struct numa_plan *own)
{
	struct numa_options *options = own->options;
	uint64_t least = options->quick ? QUICK_LEAST : DEFAULT_LEAST;
	uint64_t one = 0, all = 0;
	uint64_t *const sizes[] = {&options->ring_bytes, &options->array_bytes};
	double most = SHARE_OF_MEMORY * (double)memory_available() /
		      (2 * (double)own->context.n_homes);

	for (size_t i = 0; i < own->context.n_rows; i++) {
		uint64_t sum = sum_caches(machine_facts(own->machine),
			&own->context.rows[i].cpus, &one);

		all = sum > all ? sum : all;
	}
	options->ring_bytes = TIMES_LLC * one;
	options->array_bytes = TIMES_LLC * all;
	own->cache_bytes = all;
	for (size_t s = 0; s < 2; s++) {
		if (*sizes[s] < least)
			*sizes[s] = least;
		if (*sizes[s] > DEFAULT_MOST)
			*sizes[s] = DEFAULT_MOST;
		own->wanted_bytes = *sizes[s];
		while (most > 0 && (double)*sizes[s] > most &&
			*sizes[s] / 2 >= own->least_bytes)
			*sizes[s] /= 2;
		if (options->size_bytes)
			*sizes[s] = options->size_bytes;
		if (*sizes[s] < own->least_bytes)
			*sizes[s] = own->least_bytes;
	}
}

/* Report progress, because a ring of 1 GiB takes seconds. */
static void report_home_progress(void *context, size_t home)
{
	const struct measure_plan *plan = context;
	const struct numa_plan *own = plan->context;
	size_t n = own->context.n_homes;
	char text[96];

	snprintf(text, sizeof(text),
		"preparing the memory of node %d (%zu of %zu)",
		own->context.homes[home].node, home + 1, n);
	plan->report_progress(
		plan->report_context, (double)home / (double)n, text);
}

int numa_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct numa_plan *own = plan->context;
	struct numa_options *options = own->options;
	struct numa_request request = {
		.pages = (enum memory_pages)options->pages,
		.seed = options->measure.seed,
		.stopped = cli_is_stopped,
		.on_home_start =
			plan->report_progress ? report_home_progress : NULL,
		.home_start_context = plan,
	};
	int rc;

	own->least_bytes = LEAST_BYTES;
	for (size_t i = 0; i < own->context.n_rows; i++) {
		size_t bytes = own->context.rows[i].cpus.n * LEAST_BYTES_A_CPU;

		if (bytes > own->least_bytes)
			own->least_bytes = bytes;
	}
	choose_node_sizes(own);
	request.ring_bytes = (size_t)options->ring_bytes;
	request.array_bytes = (size_t)options->array_bytes;
	request.least_bytes = own->least_bytes;
	rc = measure_check_memory(request.pages,
		request.ring_bytes > request.array_bytes ? request.ring_bytes
							 : request.array_bytes,
		2 * own->context.n_homes, "regions", "a smaller --size", err);
	if (rc == 0)
		rc = numa_init(
			&own->context, selection->machine, &request, err);
	if (rc < 0 && err->class == ERROR_UNAVAILABLE &&
		options->pages != MEMORY_PAGES_AUTO)
		error_prefix(err, "--pages");
	plan->campaign.patience_s +=
		PATIENCE_S_PER_GIB * (double)request.ring_bytes / (1 << 30);
	return rc;
}

size_t numa_find_point(const struct numa_plan *own, enum numa_kind kind,
	size_t row, size_t home, enum numa_mix mix)
{
	const struct numa_context *context = &own->context;
	size_t p = 0;

	while (p < context->n_points &&
		(context->points[p].kind != kind ||
			context->points[p].row != row ||
			context->points[p].home != home ||
			context->points[p].mix != mix))
		p++;
	return p;
}

void numa_plan_release(void *plan)
{
	struct numa_plan *own = plan;
	struct numa_context *context = &own->context;

	numa_release(context);
	for (size_t i = 0; i < context->n_rows; i++)
		cpu_list_release(&context->rows[i].cpus);
	for (size_t i = 0; i < context->n_teams; i++) {
		cpu_list_release(&context->teams[i].cpus);
		free(context->teams[i].homes);
	}
	free(context->rows);
	free(context->teams);
	free(context->homes);
	free(context->points);
	free(own->curves);
	free(own->scalings);
}
