/* Plan the rings, points and curves of latency, and their memory. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "cmd/cache/cmd_cache.h"
#include "cmd/cli.h"
#include "util/array.h"

#define PAGE_BYTES ((size_t)LATENCY_TLB_PAGE_BYTES)

/* Smallest and largest working set for TLBs, and sets for each doubling. */
#define TLB_LEAST ((size_t)16 << 10)
#define TLB_MOST  ((size_t)64 << 20)
#define TLB_STEPS 2

/*
 * Number of blocks of a ring of pairs, and the shortest distance within a pair.
 * The first lines of the blocks map to a quarter of the sets of L1, so that
 * they fit every L2 but no L1.
 */
#define LINE_BLOCKS 640
#define LINE_LEAST  8

/* Largest number of lines in one set, and the distance between them for L2. */
#define WAYS_MOST ((size_t)32)
#define WAYS_L2	  ((size_t)512 << 10)

/* Rings of chases that run alone: no cache holds a larger ring. */
#define ALONE_LEAST ((size_t)2 << 20)
#define ALONE_BELOW ((size_t)32 << 20)

/* Bytes of a warm-up: twice the last level, within limits. */
#define TIMES_LLC	 2
#define WARM_LEAST_BYTES ((size_t)32 << 20)
#define WARM_MOST_BYTES	 ((size_t)64 << 20)

static struct latency_memory *add_memory(
	struct latency_plan *plan, enum memory_pages pages)
{
	struct latency_memory *memory = &plan->memories[plan->n_memories++];

	*memory = (struct latency_memory){.pages = pages};
	return memory;
}

static int add_spec(struct latency_memory *memory,
	const struct chase_spec *spec, struct error *err)
{
	if (!array_grow(
		    &memory->specs, memory->n_specs, sizeof(*memory->specs)))
		return error_no_memory(err, "the rings");
	memory->specs[memory->n_specs++] = *spec;
	return 0;
}

/* Working sets from least to most: least * 2^(k / steps), in whole lines. */
struct ring_size_range {
	size_t least, most;
	double steps;
};

static int add_rings(struct latency_memory *memory,
	const struct ring_size_range *range, const struct chase_spec *order,
	struct error *err)
{
	struct chase_spec spec = *order;
	size_t last = 0;
	int rc = 0;

	for (unsigned k = 0; rc == 0; k++) {
		double bytes =
			(double)range->least * exp2((double)k / range->steps);

		if (bytes > (double)range->most * 1.001)
			break;
		spec.bytes = (size_t)(bytes / CHASE_LINE_BYTES + 0.5) *
			     CHASE_LINE_BYTES;
		/* Skip sets of less than two strides, and duplicates. */
		if (spec.bytes <= last || spec.bytes < 2 * spec.step_bytes)
			continue;
		last = spec.bytes;
		rc = add_spec(memory, &spec, err);
	}
	return rc;
}

/* Add the rings of each order in --order. */
static int add_ordered(struct latency_memory *memory,
	const struct cache_options *options, struct error *err)
{
	const struct option_list *orders = &options->orders;
	const struct ring_size_range range = {(size_t)options->sizes.min,
		(size_t)options->sizes.max, (double)options->steps};
	int rc = 0;

	for (size_t i = 0; i < orders->n && rc == 0; i++) {
		size_t item = (size_t)orders->items[i];
		struct chase_spec order = {.order = (enum chase_order)item};

		if (item >= CHASE_STRIDE)
			order = (struct chase_spec){
				.order = CHASE_STRIDE, .step_bytes = item};
		rc = add_rings(memory, &range, &order, err);
	}
	if (rc == 0 && memory->n_specs == 0)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"no working set of --sizes holds two strides of "
			"--order: choose a larger MAX or a smaller stride");
	return rc;
}

/* Add a curve, and take its points from the plan. */
static int plan_latency_curve(struct latency_plan *plan,
	const struct latency_curve *curve, struct error *err)
{
	struct latency_curve *added;

	if (curve->n == 0)
		return 0;
	if (plan->n_points + curve->n > LATENCY_MOST_POINTS)
		return error_set(err, ERROR_USAGE, EINVAL,
			"these options make more than %d points: name fewer "
			"values for --order, --chains or --pages, or fewer "
			"--steps",
			LATENCY_MOST_POINTS);
	if (!array_grow(&plan->curves, plan->n_curves, sizeof(*plan->curves)))
		return error_no_memory(err, "the curves");
	added = &plan->curves[plan->n_curves++];
	*added = *curve;
	added->first = plan->n_points;
	plan->n_points += curve->n;
	return 0;
}

/* Add the curves of an order, by numbers of chains and with --dirty. */
static int plan_chain_curves(struct latency_plan *plan,
	const struct cache_options *options, struct latency_curve curve,
	struct error *err)
{
	static const struct option_list one = {"1", 1, {1}};
	bool load = curve.kind == LATENCY_LOAD;
	const struct option_list *chains = load ? &options->chains : &one;
	int rc = 0;

	curve.state = load ? CHASE_HELD : CHASE_WARMED;
	for (size_t i = 0; i < chains->n && rc == 0; i++) {
		curve.chains = (unsigned)chains->items[i];
		rc = plan_latency_curve(plan, &curve, err);
	}
	curve.chains = 1;
	curve.dirty = true;
	if (rc == 0 && load && options->dirty)
		rc = plan_latency_curve(plan, &curve, err);
	return rc;
}

/*
 * Add a curve of chases that run alone, with one ring for each doubling,
 * because these chases take long. Omit rings that fit a private cache, where
 * the latency is the same.
 */
static int plan_alone_curve(struct latency_plan *plan,
	const struct latency_memory *memory,
	const struct cache_options *options, struct error *err)
{
	struct latency_curve curve = {.kind = LATENCY_LOAD,
		.memory = memory,
		.chains = 1,
		.state = CHASE_ALONE,
		.step = options->steps};

	for (size_t ring = 0; ring < memory->n_specs; ring += options->steps) {
		const struct chase_spec *spec = &memory->specs[ring];

		if (spec->order != CHASE_RANDOM || spec->bytes >= ALONE_BELOW)
			break;
		if (spec->bytes >= ALONE_LEAST && curve.n++ == 0)
			curve.ring = ring;
	}
	return options->quick ? 0 : plan_latency_curve(plan, &curve, err);
}

static int plan_order_curves(struct latency_plan *plan,
	const struct latency_memory *memory,
	const struct cache_options *options, enum latency_kind kind,
	struct error *err)
{
	size_t end;
	int rc = 0;

	for (size_t ring = 0; ring < memory->n_specs && rc == 0; ring = end) {
		const struct chase_spec *order = &memory->specs[ring];

		end = ring + 1;
		while (end < memory->n_specs &&
			memory->specs[end].order == order->order &&
			memory->specs[end].step_bytes == order->step_bytes)
			end++;
		rc = plan_chain_curves(plan, options,
			(struct latency_curve){.kind = kind,
				.memory = memory,
				.order = *order,
				.ring = ring,
				.step = 1,
				.n = end - ring},
			err);
	}
	return rc;
}

static int map_memory(struct cache_plan *own, struct latency_memory *memory,
	const struct measure_selection *selection, struct error *err)
{
	int node = machine_node_of(selection->machine, selection->cpus.cpus[0]);
	const struct chase_plan chase = {
		.specs = memory->specs,
		.n = memory->n_specs,
		.request = {.node = node < 0 ? MEMORY_ANY_NODE : node,
			.pages = memory->pages,
			.stopped = cli_is_stopped},
	};
	uint64_t bytes = chase_bytes(memory->specs, memory->n_specs);
	int rc = cache_check_memory(own, bytes, err);

	if (rc == 0)
		rc = cache_attribute_pages_error(own->options,
			chase_map(&memory->chase, &chase, selection->machine,
				err),
			err);
	if (rc == 0)
		own->latency.bytes += bytes;
	return rc;
}

static void drop_last_memory(struct latency_plan *plan)
{
	struct latency_memory *memory = &plan->memories[--plan->n_memories];

	free(memory->specs);
	*memory = (struct latency_memory){.specs = NULL};
}

/*
 * Plan the loads that the options ask for, on one kind of pages. If the machine
 * lacks a kind that is not needed, keep the reason for a warning.
 */
static int plan_loads(struct cache_plan *own,
	const struct measure_selection *selection, enum memory_pages pages,
	bool needed, struct error *err)
{
	struct latency_plan *plan = &own->latency;
	struct latency_memory *memory = add_memory(plan, pages);
	struct error why;
	int rc = add_ordered(memory, own->options, &why);

	if (rc == 0)
		rc = map_memory(own, memory, selection, &why);
	if (rc == 0) {
		rc = plan_order_curves(
			plan, memory, own->options, LATENCY_LOAD, err);
		return rc < 0 ? rc
			      : plan_alone_curve(
					plan, memory, own->options, err);
	}
	if (needed || why.class != ERROR_UNAVAILABLE) {
		if (err)
			*err = why;
		return rc;
	}
	snprintf(plan->missing_pages[plan->n_missing_pages++],
		sizeof(plan->missing_pages[0]), "%s pages are left out: %.200s",
		memory_pages_name(pages), why.text);
	drop_last_memory(plan);
	return 0;
}

/* Add rings on base pages for the TLB, in random order and page by page. */
static int add_tlb_rings(struct latency_memory *memory,
	const struct cache_options *options, struct error *err)
{
	static const struct chase_spec orders[] = {
		{.order = CHASE_RANDOM}, {.order = CHASE_PAGE}};
	const struct ring_size_range range = {TLB_LEAST,
		options->sizes.max < TLB_MOST ? (size_t)options->sizes.max
					      : TLB_MOST,
		fmin(TLB_STEPS, (double)options->steps)};
	int rc = 0;

	for (size_t i = 0; i < 2 && rc == 0; i++)
		rc = add_rings(memory, &range, &orders[i], err);
	return rc;
}

static int plan_tlb(struct cache_plan *own,
	const struct measure_selection *selection, struct error *err)
{
	struct latency_memory *memory =
		add_memory(&own->latency, MEMORY_PAGES_BASE);
	int rc = add_tlb_rings(memory, own->options, err);

	if (rc == 0 && memory->n_specs == 0) {
		drop_last_memory(&own->latency);
		return 0;
	}
	if (rc == 0)
		rc = map_memory(own, memory, selection, err);
	if (rc == 0)
		rc = plan_order_curves(
			&own->latency, memory, own->options, LATENCY_TLB, err);
	return rc;
}

static int add_ways_rings(
	struct latency_memory *memory, size_t step, struct error *err)
{
	int rc = 0;

	for (size_t n = 1; n <= WAYS_MOST && rc == 0; n++)
		rc = add_spec(memory,
			&(struct chase_spec){
				n * CHASE_LINE_BYTES, CHASE_APART, step},
			err);
	return rc;
}

/* Add a curve for the inference: one chain through some rings. */
static int plan_test_curve(struct latency_plan *plan,
	const struct latency_memory *memory, enum latency_kind kind,
	size_t ring, size_t n, unsigned level, struct error *err)
{
	return plan_latency_curve(plan,
		&(struct latency_curve){.kind = kind,
			.memory = memory,
			.order = memory->specs[ring],
			.chains = 1,
			.ring = ring,
			.step = 1,
			.n = n,
			.level = level},
		err);
}

#define LINE_RINGS 5

/* Add rings for the ways of L2, for those of L1, and for the line. */
static int add_test_rings(struct latency_memory *memory, struct error *err)
{
	int rc = add_ways_rings(memory, WAYS_L2, err);

	if (rc == 0)
		rc = add_ways_rings(memory, ARCH_L1_INDEX_BYTES, err);
	for (size_t i = 0; i < LINE_RINGS && rc == 0; i++)
		rc = add_spec(memory,
			&(struct chase_spec){LINE_BLOCKS * CHASE_BLOCK_BYTES,
				CHASE_PAIRS, LINE_LEAST << i},
			err);
	return rc;
}

/*
 * Plan the curves for the line and the ways. The address bits that index L2 are
 * known only within huge pages. Lines for L1 are only as far apart as the index
 * of L1 needs, so that they do not share a set of the TLB.
 */
static int plan_tests(struct cache_plan *own,
	const struct measure_selection *selection, struct error *err)
{
	struct latency_plan *plan = &own->latency;
	struct latency_memory *memory = add_memory(plan, MEMORY_PAGES_AUTO);
	const struct memory_mapping *had = &memory->chase.memory;
	int rc = add_test_rings(memory, err);

	if (rc == 0)
		rc = map_memory(own, memory, selection, err);
	if (rc == 0)
		rc = plan_test_curve(plan, memory, LATENCY_LINE, 2 * WAYS_MOST,
			LINE_RINGS, 0, err);
	if (rc == 0)
		rc = plan_test_curve(plan, memory, LATENCY_WAYS, WAYS_MOST,
			WAYS_MOST, 1, err);
	if (rc == 0 && had->pages != MEMORY_PAGES_BASE &&
		had->page_bytes % WAYS_L2 == 0)
		rc = plan_test_curve(
			plan, memory, LATENCY_WAYS, 0, WAYS_MOST, 2, err);
	return rc;
}

int cache_select_latency(struct cache_plan *own,
	struct measure_selection *selection, struct error *err)
{
	struct latency_plan *plan = &own->latency;
	const struct cache_options *options = own->options;
	bool all = options->pages == CACHE_PAGES_ALL;
	int rc = 0;

	for (int pages = MEMORY_PAGES_BASE;
		rc == 0 && all && pages <= MEMORY_PAGES_HUGETLB; pages++)
		rc = plan_loads(own, selection, (enum memory_pages)pages,
			pages == MEMORY_PAGES_BASE, err);
	if (!all)
		rc = plan_loads(
			own, selection, cache_pages(options), true, err);
	if (rc == 0 && !options->no_infer)
		rc = plan_tlb(own, selection, err);
	if (rc == 0 && !options->no_infer)
		rc = plan_tests(own, selection, err);
	for (uint32_t i = 0; i < plan->n_points && rc == 0; i++)
		rc = measure_add_pair(
			selection, (struct schedule_pair){.variant = i}, err);
	return rc;
}

/* Return the bytes of the warm-up. A larger warm-up makes no difference. */
static size_t latency_warm_bytes(const struct machine_facts *facts)
{
	uint64_t most = WARM_LEAST_BYTES;

	for (size_t i = 0; i < facts->n_caches; i++) {
		if (TIMES_LLC * facts->caches[i].bytes > most)
			most = TIMES_LLC * facts->caches[i].bytes;
	}
	return most < WARM_MOST_BYTES ? (size_t)most : WARM_MOST_BYTES;
}

int cache_prepare_latency(struct cache_plan *own,
	const struct measure_selection *selection, struct error *err)
{
	struct latency_plan *plan = &own->latency;
	struct chase_points *points = &own->context.chase;
	int rc = 0;

	plan->points = calloc(plan->n_points + 1, sizeof(*plan->points));
	if (!plan->points)
		return error_no_memory(err, "the points");
	for (size_t m = 0; m < plan->n_memories && rc == 0; m++) {
		struct latency_memory *memory = &plan->memories[m];
		const struct chase_plan chase = {.specs = memory->specs,
			.n = memory->n_specs,
			.page_bytes = PAGE_BYTES,
			.seed = own->options->measure.seed + m};

		rc = chase_draw(&memory->chase, &chase, err);
	}
	for (size_t c = 0; c < plan->n_curves && rc == 0; c++) {
		const struct latency_curve *curve = &plan->curves[c];

		for (size_t i = 0; i < curve->n; i++) {
			chase_point_init(&plan->points[curve->first + i],
				&curve->memory->chase
					 .rings[latency_ring(curve, i)],
				curve->chains, curve->dirty);
			plan->points[curve->first + i].state = curve->state;
		}
	}
	points->points = plan->points;
	points->n = plan->n_points;
	points->warm_bytes =
		latency_warm_bytes(machine_facts(selection->machine));
	return rc;
}

void cache_release_latency(struct cache_plan *own)
{
	struct latency_plan *plan = &own->latency;

	for (size_t m = 0; m < plan->n_memories; m++) {
		chase_release(&plan->memories[m].chase);
		free(plan->memories[m].specs);
	}
	free(plan->curves);
	free(plan->points);
	*plan = (struct latency_plan){.curves = NULL};
}

uint64_t cache_latency_bytes_needed(
	const struct cache_options *options, uint64_t most)
{
	struct cache_options like = *options;
	struct latency_memory loads = {.n_specs = 0}, others = {.n_specs = 0};
	uint64_t bytes;

	like.sizes.max = most;
	/* If memory is out here, mapping will report it. */
	if (add_ordered(&loads, &like, NULL) < 0)
		loads.n_specs = 0;
	if (!options->no_infer && (add_tlb_rings(&others, &like, NULL) < 0 ||
					  add_test_rings(&others, NULL) < 0))
		others.n_specs = 0;
	bytes = chase_bytes(loads.specs, loads.n_specs);
	bytes *= options->pages == CACHE_PAGES_ALL ? MEMORY_PAGES_HUGETLB : 1;
	/* Drawing a ring in random order needs four bytes for each line. */
	bytes += 4 * (most / CHASE_LINE_BYTES) +
		 chase_bytes(others.specs, others.n_specs);
	free(loads.specs);
	free(others.specs);
	return bytes;
}
