/*
 * What c2c numa plans on a pretended machine that has a node of CPUs without
 * memory, a node with both, and two nodes of memory without CPUs; what it makes
 * of values, of the firmware's word and of a curve, and how it prints them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "../topo/pretend.h"
#include "cmd/numa/cmd_numa.h"
#include "cmd/numa/numa_scaling.h"
#include "sample.h"
#include "util/array.h"

#define PASSES 8

/* HMAT of node 2, for the CPUs of node 0: ns and MB/s. */
#define NODES	   "sys/devices/system/node/"
#define INITIATORS NODES "node2/access0/initiators/"

struct rig {
	char *root;
	struct machine *machine;
	struct measure_selection selection;
	struct numa_options options;
	struct numa_plan own;
	struct measure_plan plan;
	struct campaign campaign;
	struct result result;
	struct error err;
};

static void rig_open(struct rig *rig, const char *cpus)
{
	memset(rig, 0, sizeof(*rig));
	rig->root = pretend_tree("memory");
	pretend_put(rig->root, INITIATORS "node0/x", "");
	pretend_put(rig->root, INITIATORS "read_latency", "130\n");
	pretend_put(rig->root, INITIATORS "read_bandwidth", "20480\n");
	rig->machine = pretend_machine(rig->root);
	rig->own.options = &rig->options;
	rig->plan.context = &rig->own;
	rig->selection.machine = rig->machine;
	rig->options.latency = rig->options.bandwidth = true;
	rig->options.loaded = true;
	rig->options.measure.cpus_text = cpus;
	rig->options.mixes =
		(struct option_list){.n = 2, .items = {NUMA_READ, NUMA_NT}};
}

static int rig_select(struct rig *rig)
{
	return numa_select(
		&rig->plan, &rig->options.measure, &rig->selection, &rig->err);
}

static void rig_close(struct rig *rig)
{
	for (size_t i = 0; i < rig->campaign.n_warnings; i++)
		free(rig->campaign.warnings[i]);
	free(rig->campaign.warnings);
	free(rig->campaign.values);
	result_release(&rig->result);
	numa_plan_release(&rig->own);
	free(rig->selection.others);
	free(rig->selection.pairs);
	cpu_list_release(&rig->selection.cpus);
	machine_free(rig->machine);
	pretend_remove(rig->root);
}

static void rows_have_cpus_and_homes_have_memory(void **state)
{
	const struct numa_context *context;
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL);
	assert_int_equal(rig_select(&rig), 0);
	context = &rig.own.context;
	assert_int_equal(context->n_rows, 2);
	assert_int_equal(context->rows[0].node, 0);
	assert_cpus(&context->rows[0].cpus, "0,1");
	assert_int_equal(context->rows[1].node, 1);
	assert_cpus(&context->rows[1].cpus, "2,3");
	assert_int_equal(context->n_homes, 3);
	for (size_t j = 0; j < 3; j++)
		assert_int_equal(context->homes[j].node, j + 1);
	rig_close(&rig);
}

/* Six cells of latency, of two mixes; three curves of each mix. */
static void every_cell_and_the_near_memories_are_measured(void **state)
{
	static const size_t near[][2] = {{0, 1}, {1, 0}, {1, 2}};
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL);
	assert_int_equal(rig_select(&rig), 0);
	assert_int_equal(rig.own.n_curves, 6);
	for (size_t c = 0; c < 6; c++) {
		assert_int_equal(rig.own.curves[c].row, near[c / 2][0]);
		assert_int_equal(rig.own.curves[c].home, near[c / 2][1]);
		assert_int_equal(
			rig.own.curves[c].mix, c % 2 ? NUMA_NT : NUMA_READ);
		assert_int_equal(rig.own.curves[c].n, 1 + NUMA_DELAYS);
	}
	assert_int_equal(
		rig.own.context.n_points, 6 * 3 + 6 * (1 + NUMA_DELAYS));
	assert_int_equal(rig.selection.n_pairs, rig.own.context.n_points);
	rig_close(&rig);
}

/* The memory nearest to node 0 is nearer to node 1, whose own it is. */
static void cpus_without_memory_load_the_nearest(void **state)
{
	static const size_t near[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 2}};
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL);
	machine_free(rig.machine);
	pretend_put(rig.root, "sys/devices/system/node/node0/distance",
		"10 17 21 28\n");
	rig.machine = pretend_machine(rig.root);
	rig.selection.machine = rig.machine;
	rig.options.mixes.n = 1;
	assert_int_equal(rig_select(&rig), 0);
	assert_int_equal(rig.own.n_curves, 4);
	for (size_t c = 0; c < 4; c++) {
		assert_int_equal(rig.own.curves[c].row, near[c][0]);
		assert_int_equal(rig.own.curves[c].home, near[c][1]);
	}
	rig_close(&rig);
}

/* A pair names the CPUs of its row, once each, in the places of the run. */
static void pairs_are_of_the_row(void **state)
{
	struct rig rig;

	(void)state;
	/* Rows in the order of nodes, whatever the order of CPUs. */
	rig_open(&rig, "3,0,2,1");
	assert_int_equal(rig_select(&rig), 0);
	for (size_t p = 0; p < rig.selection.n_pairs; p++) {
		const struct schedule_pair *pair = &rig.selection.pairs[p];
		const struct numa_point *point =
			&rig.own.context.points[pair->variant];
		const struct cpu_list *row =
			&rig.own.context.rows[point->row].cpus;
		const unsigned *cpus = rig.selection.cpus.cpus;

		assert_int_equal(cpus[pair->first], row->cpus[0]);
		if (point->kind == NUMA_LATENCY) {
			assert_int_equal(pair->second, pair->first);
			assert_int_equal(pair->n_others, 0);
		} else if (point->kind == NUMA_BANDWIDTH) {
			assert_int_equal(pair->second, pair->first);
			assert_int_equal(pair->n_others, 1);
			assert_int_equal(
				cpus[rig.selection.others[pair->others_at]],
				row->cpus[1]);
		} else {
			assert_int_equal(cpus[pair->second], row->cpus[1]);
			assert_int_equal(pair->n_others, 0);
		}
	}
	assert_cpus(&rig.own.context.rows[1].cpus, "3,2");
	rig_close(&rig);
}

static void a_node_with_one_cpu_has_no_curve(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, "0,2");
	assert_int_equal(rig_select(&rig), 0);
	assert_int_equal(rig.own.n_curves, 0);
	rig_close(&rig);
	rig_open(&rig, "0,2");
	rig.options.measure.given.list[0].row =
		&(const struct option_row){.name = "loaded"};
	rig.options.measure.given.n = 1;
	assert_true(rig_select(&rig) < 0);
	assert_int_equal(rig.err.class, ERROR_UNAVAILABLE);
	rig_close(&rig);
}

/* A latency that rises with the load, and rates of two CPUs. */
static double value_of(const struct numa_point *point, size_t k, size_t pass)
{
	static const double ns[2][3] = {{140, 110, 210}, {90, 220, 150}};
	double latency = ns[point->row][point->home] + 0.1 * (double)pass;

	if (point->kind == NUMA_BANDWIDTH)
		return k == 0 ? NAN : 5 + (double)point->home;
	if (k == 0)
		return point->kind == NUMA_LOADED && point->delay <= 100
			       ? 3 * latency
			       : latency;
	return point->kind == NUMA_LATENCY
		       ? NAN
		       : 1000 / (100 + (double)point->delay);
}

/* Fill eight passes; the home without memory has none. */
static void measure(struct rig *rig, size_t unbound)
{
	const struct numa_context *context = &rig->own.context;
	struct campaign *campaign = &rig->campaign;
	size_t n = context->n_points;

	campaign->schedule.n_pairs = n;
	campaign->schedule.pairs = rig->selection.pairs;
	campaign->n_values = 3;
	campaign->n_others = 1;
	campaign->n_passes = campaign->n_complete = PASSES;
	campaign->memory_bound = true;
	campaign->values = calloc(PASSES * n * 3, sizeof(float));
	assert_non_null(campaign->values);
	for (size_t j = 0; j < context->n_homes; j++)
		context->homes[j].bound = j != unbound;
	for (size_t i = 0; i < PASSES * n * 3; i++) {
		const struct numa_point *point = &context->points[i / 3 % n];
		bool there = point->home != unbound &&
			     (point->kind == NUMA_BANDWIDTH || i % 3 < 2);

		campaign->values[i] =
			there ? (float)value_of(point, i % 3, i / 3 / n) : NAN;
	}
}

static void finish(struct rig *rig, size_t unbound)
{
	assert_int_equal(rig_select(rig), 0);
	measure(rig, unbound);
	result_init(&rig->result);
	rig->result.command = strdup("numa");
	rig->result.complete = true;
	for (size_t i = 0; i < rig->selection.cpus.n; i++)
		assert_int_equal(cpu_list_add(&rig->result.cpus,
					 rig->selection.cpus.cpus[i], NULL),
			0);
	assert_int_equal(numa_finish(&rig->plan, &rig->campaign, &rig->result,
				 &rig->err),
		0);
}

/* The median from the CPUs of a node to the memory of another. */
static double cell(
	const struct result *result, const char *name, unsigned i, unsigned j)
{
	const struct matrix *matrix = result_find_matrix(result, name, NULL);

	assert_non_null(matrix);
	return matrix->values[i * result_members(result)->n + j];
}

static void cells_are_of_their_nodes(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL);
	finish(&rig, SIZE_MAX);
	assert_cpus(result_members(&rig.result), "0-3");
	assert_cpus(&rig.result.nodes.rows, "0,1");
	assert_cpus(&rig.result.nodes.columns, "1-3");
	assert_float_equal(cell(&rig.result, "latency", 0, 1), 140.35, 0.01);
	assert_float_equal(cell(&rig.result, "latency", 1, 2), 220.35, 0.01);
	/* The sum of both CPUs. */
	assert_float_equal(cell(&rig.result, "bandwidth-1:0", 1, 3), 14, 1e-6);
	assert_true(isnan(cell(&rig.result, "latency", 2, 1)));
	assert_true(isnan(cell(&rig.result, "latency", 0, 0)));
	assert_float_equal(cell(&rig.result, "reported-distance", 0, 2), 17, 0);
	assert_float_equal(cell(&rig.result, "reported-distance", 1, 2), 28, 0);
	assert_int_equal(rig.campaign.n_warnings, 0);
	rig_close(&rig);
}

static void memory_elsewhere_has_no_figures(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL);
	finish(&rig, 1);
	assert_true(isnan(cell(&rig.result, "latency", 0, 2)));
	assert_false(isnan(cell(&rig.result, "latency", 0, 1)));
	assert_int_equal(rig.campaign.n_warnings, 1);
	assert_non_null(
		strstr(rig.campaign.warnings[0], "node 2 has no figures"));
	rig_close(&rig);
}

/* Six curves, which all double at the same rate. */
static void the_record_says_where_curves_have_knees(void **state)
{
	struct rig rig;
	char *words;

	(void)state;
	rig_open(&rig, NULL);
	finish(&rig, SIZE_MAX);
	words = fact_words(
		facts_find(&rig.result.run.other, "loaded_peak_gib_per_s"));
	assert_string_equal(words, "[10,10,10,10,10,10]");
	free(words);
	words = fact_words(
		facts_find(&rig.result.run.other, "loaded_doubles_gib_per_s"));
	assert_non_null(strstr(words, "[4.16"));
	free(words);
	assert_string_equal(
		rig.result.curves[0].mark, "knee: 3.33 GiB/s, 110 ns");
	rig_close(&rig);
}

/* This machine says nothing of caches. */
static void teams_grow_and_read_the_nearest_memory(void **state)
{
	static const char *const wanted[] = {"0", "0,1", "0-2", "0-3"};
	const struct numa_context *context;
	struct rig rig;

	(void)state;
	rig_open(&rig, "3,0,2,1");
	rig.options.latency = rig.options.bandwidth = rig.options.loaded =
		false;
	rig.options.scaling = true;
	assert_int_equal(rig_select(&rig), 0);
	context = &rig.own.context;
	assert_int_equal(rig.own.n_llcs, 0);
	assert_int_equal(context->n_teams, N_OF(wanted));
	for (size_t i = 0; i < context->n_teams; i++) {
		const struct numa_team *team = &context->teams[i];
		const struct schedule_pair *pair = &rig.selection.pairs[i];
		const unsigned *cpus = rig.selection.cpus.cpus;

		assert_cpus(&team->cpus, wanted[i]);
		assert_int_equal(context->points[i].row, i);
		assert_int_equal(pair->n_others, team->cpus.n - 1);
		for (size_t k = 0; k < team->cpus.n; k++) {
			size_t at = pair->others_at + k - 1;

			assert_int_equal(k ? cpus[rig.selection.others[at]]
					   : cpus[pair->first],
				team->cpus.cpus[k]);
			/* Memory of node 2 is nearer to node 0 than 1's. */
			assert_int_equal(
				team->homes[k], team->cpus.cpus[k] < 2 ? 1 : 0);
		}
	}
	rig_close(&rig);
}

/* Two runs, whose LLCs have these links. */
static char *merged_links(const double *first, const double *second)
{
	struct result runs[2], merged;
	struct error err;
	char *words;

	result_init(&runs[0]);
	result_init(&runs[1]);
	result_init(&merged);
	merged.runs = runs;
	merged.n_runs = 2;
	for (int r = 0; r < 2; r++) {
		double rates[] = {10 + 2 * r, 20, NAN, 10};

		facts_set_numbers(
			&runs[r].run.other, "llc_rates_gib_per_s", rates, 4);
		facts_set_numbers(
			&runs[r].run.other, "llc_links", r ? second : first, 2);
	}
	facts_append(&merged.run.other, &runs[0].run.other);
	assert_int_equal(numa_finish_merged(&merged, &err), 0);
	words = fact_words(
		facts_find(&merged.run.other, "llc_rates_gib_per_s"));
	assert_string_equal(words, "[11,20,null,10]");
	free(words);
	words = fact_words(facts_find(&merged.run.other, "llc_links"));
	assert_int_equal(
		facts_text(&merged.run.other, "llc_links_doubt") != NULL,
		strcmp(words, "[null,null]") == 0);
	merged.runs = NULL;
	merged.n_runs = 0;
	result_release(&runs[0]);
	result_release(&runs[1]);
	result_release(&merged);
	return words;
}

static void links_of_runs_that_disagree_are_in_doubt(void **state)
{
	static const double shared[] = {0, 0}, own[] = {0, 1};
	char *words = merged_links(shared, shared);

	(void)state;
	assert_string_equal(words, "[0,0]");
	free(words);
	words = merged_links(shared, own);
	assert_string_equal(words, "[null,null]");
	free(words);
}

static struct numa_scaling_figures figures_of(
	const double *gib_per_s, size_t n, char text[NUMA_SCALING_BYTES])
{
	static const double cpus[] = {1, 2, 3, 4, 6, 8};
	struct numa_scaling_figures figures =
		numa_find_scaling(cpus, gib_per_s, n);

	numa_scaling_text(&figures, text);
	return figures;
}

static void a_sentence_says_where_the_rate_bends(void **state)
{
	static const double bends[] = {20, 40, 60, 76, 79, 80};
	static const double grows[] = {10, 20, 30, 40, 60, 80};
	static const double falls[] = {30, 50, 60, 58, 54, 50};
	static const double gap[] = {NAN, 40, NAN, 80};
	char text[NUMA_SCALING_BYTES];

	(void)state;
	assert_float_equal(figures_of(bends, 6, text).enough_cpus, 4, 0);
	assert_string_equal(text, "80 GiB/s; one CPU reaches 20; 2 CPUs reach "
				  "half; more than 4 CPUs add less than 5 %");
	figures_of(grows, 6, text);
	assert_string_equal(text, "80 GiB/s; one CPU reaches 10; 4 CPUs reach "
				  "half; the rate grows up to 8 CPUs");
	figures_of(falls, 6, text);
	assert_string_equal(text,
		"60 GiB/s; one CPU reaches 30, at least half; "
		"3 CPUs reach the highest rate, all 8 CPUs "
		"50");
	figures_of(gap, 4, text);
	assert_string_equal(text, "80 GiB/s; 2 CPUs reach half; the rate grows "
				  "up to 4 CPUs");
	assert_true(isnan(figures_of(gap, 1, text).most_gib_per_s));
}

/* A latency without the load says nothing of the load. */
static void a_load_that_was_away_does_not_count(void **state)
{
	struct rig rig;
	size_t n, point;

	(void)state;
	rig_open(&rig, NULL);
	assert_int_equal(rig_select(&rig), 0);
	measure(&rig, SIZE_MAX);
	n = rig.own.context.n_points;
	point = rig.own.curves[0].first + 1;
	for (size_t pass = 0; pass < PASSES; pass++)
		rig.campaign.values[(pass * n + point) * 3 + 1] = NAN;
	result_init(&rig.result);
	assert_int_equal(
		numa_finish(&rig.plan, &rig.campaign, &rig.result, &rig.err),
		0);
	assert_true(isnan(rig.result.curves[0].median[1]));
	assert_false(isnan(rig.result.curves[0].median[2]));
	assert_int_equal(rig.campaign.n_warnings, 1);
	rig_close(&rig);
}

static void the_firmware_is_judged_by_order(void **state)
{
	char text[NUMA_VERDICT_BYTES];
	struct matrix *latency;
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL);
	finish(&rig, SIZE_MAX);
	assert_int_equal(numa_judge_reported(
				 &rig.result, MACHINE_REPORTED_DISTANCE, text),
		NUMA_AGREES);
	assert_string_equal(
		facts_text(&rig.result.run.other, "firmware_distance"),
		"agrees");
	/* Of HMAT there is one figure: nothing to put in order. */
	assert_float_equal(cell(&rig.result, "reported-latency", 0, 2), 130, 0);
	assert_float_equal(
		cell(&rig.result, "reported-bandwidth", 0, 2), 20, 0);
	assert_int_equal(numa_judge_reported(
				 &rig.result, MACHINE_REPORTED_LATENCY, text),
		NUMA_UNKNOWN);
	/* From node 0, node 2 is at 17 and node 3 at 28. */
	for (size_t m = 0; m < rig.result.n_matrices; m++) {
		latency = &rig.result.matrices[m];
		if (strcmp(latency->name, "latency") == 0 &&
			strcmp(latency->unit, "ns") == 0)
			latency->values[0 * 4 + 2] = 400;
	}
	assert_int_equal(numa_judge_reported(
				 &rig.result, MACHINE_REPORTED_DISTANCE, text),
		NUMA_DIFFERS);
	assert_non_null(strstr(text, "from node 0"));
	/* Of one pass there are no intervals. */
	for (size_t m = 0; m < rig.result.n_matrices; m++) {
		latency = &rig.result.matrices[m];
		for (size_t k = 0;
			strcmp(latency->statistic, "ci_low") == 0 && k < 4 * 4;
			k++)
			latency->values[k] = NAN;
	}
	assert_int_equal(numa_judge_reported(
				 &rig.result, MACHINE_REPORTED_DISTANCE, text),
		NUMA_UNCLEAR);
	rig_close(&rig);
}

/*
 * CPUs of nodes 0 and 1 are equally near to node 1, so hwloc gives it all of
 * them. Those of node 1 are nearest to node 2.
 */
static void the_firmware_is_asked_for_the_own_cpus_of_a_node(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL);
	pretend_drop(rig.root, INITIATORS "node0");
	pretend_put(rig.root, INITIATORS "node1/x", "");
	pretend_put(rig.root, NODES "node1/access0/initiators/node0/x", "");
	pretend_put(rig.root, NODES "node1/access0/initiators/node1/x", "");
	pretend_put(rig.root, NODES "node1/access0/initiators/read_latency",
		"100\n");
	machine_free(rig.machine);
	rig.machine = pretend_machine(rig.root);
	for (unsigned from = 0; from < 2; from++)
		assert_float_equal(machine_reported_value(rig.machine,
					   MACHINE_REPORTED_LATENCY, from, 1),
			100, 0);
	assert_float_equal(machine_reported_value(
				   rig.machine, MACHINE_REPORTED_LATENCY, 1, 2),
		130, 0);
	rig_close(&rig);
}

static void distances_that_the_kernel_made_up_are_not_told(void **state)
{
	static const char *const tables[] = {"FACP", "SLIT"};
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL);
	for (int i = 0; i < 2; i++) {
		char path[64];
		double distance;

		snprintf(path, sizeof(path), "sys/firmware/acpi/tables/%s",
			tables[i]);
		pretend_put(rig.root, path, "");
		distance = machine_reported_value(
			rig.machine, MACHINE_REPORTED_DISTANCE, 0, 2);
		assert_true(i ? distance == 17 : isnan(distance));
	}
	rig_close(&rig);
}

static void a_curve_has_its_knee(void **state)
{
	const double x[] = {0, 10, 20, 30, 40, 45, NAN, 50};
	const double y[] = {100, 101, 104, 110, 150, 250, 1, 500};
	const double flat[] = {100, 101, 102, 103, 104, 105, 106, 107};
	const double straight[] = {100, 170, 250, 330, 410, 455, 1, 500};
	char text[NUMA_KNEE_BYTES];
	struct numa_knee knee = numa_find_knee(x, y, 8);

	(void)state;
	assert_float_equal(knee.idle_ns, 100, 0);
	assert_float_equal(knee.peak_gib_per_s, 50, 0);
	/* Halfway from 150 ns to 250. */
	assert_float_equal(knee.doubles_gib_per_s, 42.5, 1e-9);
	assert_float_equal(knee.knee_gib_per_s, 40, 0);
	assert_float_equal(knee.knee_ns, 150, 0);
	/* 30 is 85.2 % as far below the line as 40 is; 45 is 78 %. */
	assert_float_equal(knee.knee_least_gib_per_s, 30, 0);
	assert_float_equal(knee.knee_most_gib_per_s, 40, 0);
	assert_string_equal(numa_knee_text(&knee, 3, text), "30 to 40 GiB/s");
	/* Almost straight: any of these points would do. */
	knee = numa_find_knee(x, straight, 8);
	assert_true(knee.doubles_gib_per_s > 0);
	assert_true(isnan(knee.knee_gib_per_s));
	knee = numa_find_knee(x, flat, 8);
	assert_true(isnan(knee.doubles_gib_per_s));
	assert_true(isnan(knee.knee_gib_per_s));
	assert_float_equal(knee.peak_gib_per_s, 50, 0);
	knee = numa_find_knee(x, y, 1);
	assert_true(isnan(knee.peak_gib_per_s));
	knee = numa_find_knee(x, y, 0);
	assert_true(isnan(knee.idle_ns));
	/* Twice at once: no point lies before it but the idle one. */
	knee = numa_find_knee(
		(const double[]){0, 8}, (const double[]){50, 150}, 2);
	assert_float_equal(knee.doubles_gib_per_s, 4, 1e-9);
}

/* "triad" is one. */
static void every_mix_is_said_in_words(void **state)
{
	(void)state;
	for (size_t mix = 0; mix < NUMA_MIX_COUNT; mix++) {
		if (mix != NUMA_TRIAD)
			assert_string_not_equal(
				curve_mix_words(numa_mix_names[mix]),
				numa_mix_names[mix]);
	}
}

static void the_report_is_the_golden_one(void **state)
{
	FILE *was = stdout;
	char *text = NULL, *golden;
	struct rig rig;
	size_t n;

	(void)state;
	rig_open(&rig, NULL);
	finish(&rig, SIZE_MAX);
	stdout = open_memstream(&text, &n);
	assert_non_null(stdout);
	numa_print(&rig.result);
	fclose(stdout);
	stdout = was;
	golden = sample_golden("numa.txt");
	assert_string_equal(text, golden);
	free(text);
	free(golden);
	rig_close(&rig);
}

/* Rows and columns of a file are not square, and come back the same. */
static void a_record_keeps_its_nodes(void **state)
{
	char *text, *again;
	struct result read;
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL);
	finish(&rig, SIZE_MAX);
	text = sample_text(&rig.result, result_write_json);
	assert_non_null(strstr(text,
		"\"rows\": {\"kind\": \"node\", \"ids\": [0, 1]}, "
		"\"columns\": {\"kind\": \"node\", \"ids\": [1, 2, 3]}"));
	assert_int_equal(sample_read(&read, text, NULL), 0);
	assert_float_equal(cell(&read, "latency", 1, 2), 220.35, 0.01);
	assert_true(isnan(cell(&read, "latency", 3, 2)));
	again = sample_text(&read, result_write_json);
	/* What stands before has no counterpart here: how the run went. */
	assert_string_equal(
		strstr(text, "\"matrices\""), strstr(again, "\"matrices\""));
	free(again);
	free(text);
	result_release(&read);
	rig_close(&rig);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(rows_have_cpus_and_homes_have_memory),
	cmocka_unit_test(every_cell_and_the_near_memories_are_measured),
	cmocka_unit_test(cpus_without_memory_load_the_nearest),
	cmocka_unit_test(pairs_are_of_the_row),
	cmocka_unit_test(a_node_with_one_cpu_has_no_curve),
	cmocka_unit_test(cells_are_of_their_nodes),
	cmocka_unit_test(memory_elsewhere_has_no_figures),
	cmocka_unit_test(the_record_says_where_curves_have_knees),
	cmocka_unit_test(teams_grow_and_read_the_nearest_memory),
	cmocka_unit_test(links_of_runs_that_disagree_are_in_doubt),
	cmocka_unit_test(a_sentence_says_where_the_rate_bends),
	cmocka_unit_test(a_load_that_was_away_does_not_count),
	cmocka_unit_test(the_firmware_is_judged_by_order),
	cmocka_unit_test(the_firmware_is_asked_for_the_own_cpus_of_a_node),
	cmocka_unit_test(distances_that_the_kernel_made_up_are_not_told),
	cmocka_unit_test(a_curve_has_its_knee),
	cmocka_unit_test(every_mix_is_said_in_words),
	cmocka_unit_test(the_report_is_the_golden_one),
	cmocka_unit_test(a_record_keeps_its_nodes),
};

CASE_GROUP(cases);
