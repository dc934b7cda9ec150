/* Plan c2c states: the CPUs, the points, and the pair of each level. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "cmd/distance.h"
#include "cmd/level_scan.h"
#include "cmd/states/cmd_states.h"

/* Third CPUs to try: with two CPUs a core, one of three is no sibling. */
#define THIRD_CANDIDATES 3

/* Least number of lines that c2c can time. */
#define LINES_LEAST 64

/* Rounds of the first scan, which keeps the lowest time of each pair. */
#define SCAN_ROUNDS 3

/* The pairs of the first scan, from near to far. */
struct states_scan {
	struct scanned_pair *distances;
	size_t n;
	double sibling_ns; /* siblings are nearer; 0: unknown */
};

double states_sibling_ns(const struct scanned_pair *sorted, size_t n,
	size_t n_cpus, const struct scanned_pair *chosen, size_t n_chosen)
{
	size_t i = 1;

	/* We measured siblings at 14 to 35 ns, and other pairs at 64 to 102. */
	if (n_chosen < 2 || 2 * chosen[0].one_way_ns > chosen[1].one_way_ns)
		return 0;
	while (i < n && sorted[i].one_way_ns <
				LEVEL_SCAN_GAP * sorted[i - 1].one_way_ns)
		i++;
	/* Near pairs of more CPUs are a package, not siblings. */
	return i < n && 2 * i <= n_cpus ? sorted[i].one_way_ns : 0;
}

uint64_t states_lines_that_fit(uint64_t lines, uint64_t l2_bytes)
{
	/* Lines may use half of the cache. */
	while (l2_bytes && lines > LINES_LEAST &&
		2 * lines * STATES_PITCH_BYTES > l2_bytes)
		lines /= 2;
	return lines;
}

/* With --pair: add a third CPU, as far from the pair as possible. */
static int add_third_cpu(struct measure_selection *selection, struct error *err)
{
	const struct cpu_list *allowed =
		&machine_facts(selection->machine)->allowed;
	const unsigned *pair = selection->cpus.cpus;
	int best = -1, best_distance = -1;

	for (size_t i = 0; i < allowed->n; i++) {
		unsigned cpu = allowed->cpus[i];
		int a, b;

		if (cpu_list_find(&selection->cpus, cpu) >= 0)
			continue;
		a = (int)distance_of_cpus(selection->machine, cpu, pair[0]);
		b = (int)distance_of_cpus(selection->machine, cpu, pair[1]);
		a = a < b ? a : b;
		if (a <= best_distance)
			continue;
		best_distance = a;
		best = (int)cpu;
	}
	return best < 0 ? 0
			: cpu_list_add(&selection->cpus, (unsigned)best, err);
}

/* Add the points of a level; the first scan will choose their CPUs. */
static int add_states_level(struct states_plan *own,
	struct measure_selection *selection, uint32_t level, struct error *err)
{
	const struct option_list *operations = &own->options->operations;
	uint32_t last = selection->cpus.n > 1;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < operations->n * LINE_STATES; i++) {
		struct states_point point = {
			.state = (enum line_state)(i % LINE_STATES),
			.operation = (enum line_operation)
					     operations->items[i / LINE_STATES],
			.level = level,
		};
		bool third = line_state_needs_third(point.state);

		if (third && selection->cpus.n < 3)
			continue;
		own->points[selection->n_pairs] = point;
		rc = measure_add_pair(selection,
			(struct schedule_pair){.first = 0,
				.second = level ? last : 0,
				.variant = (uint32_t)selection->n_pairs,
				.n_others = third,
				.others_at = level},
			err);
	}
	if (level == 0)
		own->n_cells = selection->n_pairs;
	return rc;
}

int states_select(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err)
{
	struct states_plan *own = plan->context;
	size_t n_levels = 1;
	int rc = options->pair ? measure_select_pair(options, selection, err)
			       : measure_select_cpus(options, selection, err);

	if (rc == 0 && !arch_flush_works())
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"c2c has no instruction to flush cache lines of this "
			"CPU, so it cannot put lines into a state");
	if (rc == 0 && machine_facts(selection->machine)->line_bytes >
			       STATES_PITCH_BYTES)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"cache lines of this CPU are larger than %zu bytes, "
			"and c2c states has no loop for them",
			STATES_PITCH_BYTES);
	for (int i = 0; rc == 0 && options->pair && i < THIRD_CANDIDATES; i++)
		rc = add_third_cpu(selection, err);
	if (rc < 0)
		return rc;
	own->cpus = &selection->cpus;
	own->points = calloc(STATE_LEVELS_MOST * LINE_OPERATIONS * LINE_STATES,
		sizeof(*own->points));
	selection->others = calloc(STATE_LEVELS_MOST, sizeof(uint32_t));
	own->others = selection->others;
	if (!own->points || !own->others)
		return error_no_memory(err, "the points");
	if (options->pair)
		n_levels = 2;
	else if (selection->cpus.n > 1)
		n_levels = STATE_LEVELS_MOST;
	for (uint32_t level = 0; rc == 0 && level < n_levels; level++)
		rc = add_states_level(own, selection, level, err);
	return rc;
}

/* Return the latency between two CPUs in the scan; INFINITY: not scanned. */
static double one_way_ns_of(
	const struct states_scan *scan, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < scan->n; i++) {
		const struct scanned_pair *pair = &scan->distances[i];

		if ((pair->first == a && pair->second == b) ||
			(pair->first == b && pair->second == a))
			return pair->one_way_ns;
	}
	return INFINITY;
}

static bool same_core(const struct states_plan *own, unsigned a, unsigned b)
{
	return distance_of_cpus(own->machine, a, b) == DISTANCE_SAME_CORE;
}

/*
 * Choose the third CPU of a level: the CPU nearest to the pair that is a
 * sibling of neither CPU, by the topology and, on a virtual machine, by the
 * scan. If all CPUs are siblings, choose the farthest.
 */
static uint32_t choose_third_cpu(const struct states_plan *own,
	const struct states_scan *scan, const struct states_level *level,
	bool *is_sibling)
{
	uint32_t reader = (uint32_t)cpu_list_find(own->cpus, level->reader);
	uint32_t holder = (uint32_t)cpu_list_find(own->cpus, level->holder);
	uint32_t best = UINT32_MAX, farthest = 0;
	double best_ns = INFINITY, farthest_ns = -1;

	for (uint32_t i = 0; i < own->cpus->n; i++) {
		unsigned cpu = own->cpus->cpus[i];
		double a, b;

		if (i == reader || i == holder)
			continue;
		a = one_way_ns_of(scan, i, reader);
		b = one_way_ns_of(scan, i, holder);
		if (fmin(a, b) > farthest_ns) {
			farthest = i;
			farthest_ns = fmin(a, b);
		}
		if (fmin(a, b) < scan->sibling_ns ||
			same_core(own, cpu, level->reader) ||
			same_core(own, cpu, level->holder))
			continue;
		/* With many CPUs, some pairs have no time. */
		if (best == UINT32_MAX || fmax(a, b) < best_ns) {
			best = i;
			best_ns = fmax(a, b);
		}
	}
	*is_sibling = best == UINT32_MAX;
	return *is_sibling ? farthest : best;
}

static void set_states_level(struct states_plan *own, struct schedule *schedule,
	const struct states_scan *scan, const struct scanned_pair *pair)
{
	size_t number = own->n_levels++;
	struct states_level *level = &own->levels[number];

	*level = (struct states_level){
		.reader = own->cpus->cpus[pair->first],
		.holder = own->cpus->cpus[pair->second],
		.one_way_ns = pair->one_way_ns,
	};
	if (own->cpus->n > 2) {
		own->others[number] = choose_third_cpu(
			own, scan, level, &own->third_is_sibling[number]);
		level->third = own->cpus->cpus[own->others[number]];
		level->has_third = true;
	}
	for (size_t i = 0; i < own->n_cells; i++) {
		struct schedule_pair *cell =
			&schedule->pairs[number * own->n_cells + i];

		cell->first = pair->first;
		cell->second = pair->second;
	}
}

/* While all CPUs are awake, find levels and choose the CPUs of each level. */
static int states_choose_pairs(void *context, struct crew *crew,
	const struct line_pools *lines, struct schedule *schedule,
	struct error *err)
{
	struct states_plan *own = context;
	const struct machine_facts *facts = machine_facts(own->machine);
	struct scanned_pair chosen[STATE_LEVELS_MOST - 1];
	struct scanned_pair self = {.one_way_ns = NAN};
	struct states_scan scan = {
		.distances = calloc(LEVEL_SCAN_PAIRS, sizeof(*scan.distances))};
	const struct probe_params params = {
		.ns_per_tick = 1e9 / own->plan->clock->hz,
		.context = &own->context,
	};
	const struct level_scan how = {
		.probe = own->plan->campaign.probe,
		.params = &params,
		.variant = STATES_PING,
		.rounds = SCAN_ROUNDS,
		.seed = own->options->measure.seed,
	};
	size_t n_chosen = 0;
	int rc;

	if (!scan.distances)
		return error_no_memory(err, "the first scan");
	rc = level_scan_run(
		&how, crew, lines, own->cpus->n, scan.distances, &scan.n, err);
	if (rc == 0) {
		n_chosen = level_scan_choose(scan.distances, scan.n,
			own->cpus->n, chosen, STATE_LEVELS_MOST - 1);
		if (facts->hypervisor || !facts->hypervisor_sought)
			scan.sibling_ns = states_sibling_ns(scan.distances,
				scan.n, own->cpus->n, chosen, n_chosen);
		if (own->options->measure.pair) {
			n_chosen = 1;
			chosen[0] = (struct scanned_pair){
				0, 1, one_way_ns_of(&scan, 0, 1)};
		}
		own->n_levels = 0;
		set_states_level(own, schedule, &scan, &self);
		for (size_t i = 0; i < n_chosen; i++)
			set_states_level(own, schedule, &scan, &chosen[i]);
		schedule->n_pairs = own->n_levels * own->n_cells;
	}
	free(scan.distances);
	return rc;
}

int states_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err)
{
	struct states_plan *own = plan->context;
	const struct cpu_list *online =
		&machine_facts(selection->machine)->online;
	uint64_t *const lines = &own->options->lines;

	/* If CPUs are unused, a host moves vCPUs: use fewer lines. */
	*lines = selection->cpus.n < online->n ? STATES_LINES_AWAKE
					       : STATES_LINES;
	for (size_t i = 0; i < selection->cpus.n; i++) {
		struct machine_cpu_cache l2;

		if (machine_cpu_cache(selection->machine,
			    selection->cpus.cpus[i], 2, &l2))
			*lines = states_lines_that_fit(*lines, l2.bytes);
	}
	own->plan = plan;
	own->machine = selection->machine;
	own->context.points = own->points;
	own->context.levels = own->levels;
	plan->campaign.block_bytes = STATES_BLOCK_BYTES;
	plan->campaign.pages = (enum memory_pages)own->options->pages;
	plan->campaign.choose_pairs = states_choose_pairs;
	plan->campaign.choose_pairs_context = own;
	return states_init(&own->context, (uint32_t)*lines,
		own->options->measure.seed, err);
}

void states_plan_release(void *context)
{
	struct states_plan *own = context;

	states_release(&own->context);
	free(own->points);
}
