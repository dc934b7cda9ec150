/*
 * Virtual CPUs on a pretended host, some of which move at known passes: are
 * the passes and the CPUs found, and is a host that holds still let be?
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
#include <jansson.h>

#include "../case_group.h"
#include "analyze/analyze.h"
#include "analyze/epochs/epochs.h"
#include "record/pack.h"
#include "stat/stat.h"

/* Threads of the host: two packages of two caches of four cores. */
#define PLACES 32

/* What is measured: seconds between passes. */
#define PASS_S 0.5

struct host {
	struct stat_random random;
	size_t n;		/* virtual CPUs */
	uint32_t where[PLACES]; /* each is on; behind them free places */
	bool flat;		/* but for siblings, all are as near */
	double noise;		/* standard deviation, a share */
	double outliers;	/* share of cells that are far too high */
	double bad_passes;	/* share of passes in which all are noisy */
	double wander;		/* of what is common to a pass */
	double step_ns;		/* of the clock; 0: none */
	struct result result;
	struct passes *passes;
};

static double uniform(struct host *host)
{
	return (double)(stat_random_next(&host->random) >> 11) * 0x1p-53;
}

static double normal(struct host *host)
{
	double radius = sqrt(-2 * log(uniform(host) + 1e-12));

	return radius * cos(2 * M_PI * uniform(host));
}

/* Two threads of the host are as far as what they share says, and a bit. */
static double distance(const struct host *host, uint32_t a, uint32_t b)
{
	uint32_t low = a < b ? a : b, high = a < b ? b : a;
	double own = 1 + 0.002 * ((low / 2 * 7 + high / 2 * 13) % 19);

	if (a / 2 == b / 2)
		return 25;
	if (host->flat || a / 16 != b / 16)
		return 160 * own;
	return (a / 8 == b / 8 ? 50 : 90) * own;
}

static void host_init(struct host *host, uint64_t seed, size_t n, size_t passes)
{
	size_t pair = 0;

	*host = (struct host){.n = n};
	stat_random_init(&host->random, seed);
	stat_shuffle(&host->random, host->where, PLACES);
	result_init(&host->result);
	host->result.complete = true;
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(
			cpu_list_add(&host->result.cpus, 100 + i, NULL), 0);
	assert_non_null(result_add_matrix(&host->result, "latency", "median",
		"ns", "one-way", false, true));
	host->passes = result_add_passes(
		&host->result, "latency", "ns", n * (n - 1) / 2, passes);
	assert_non_null(host->passes);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = i + 1; j < n; j++)
			host->passes->pairs[pair++] = (struct cpu_pair){i, j};
	}
}

/* Each virtual CPU is on the place of its number. */
static void host_init_in_order(
	struct host *host, uint64_t seed, size_t n, size_t passes, double noise)
{
	host_init(host, seed, n, passes);
	host->noise = noise;
	for (uint32_t i = 0; i < PLACES; i++)
		host->where[i] = i;
}

/* Measure the passes from one to before another, where the CPUs now are. */
static void measure(struct host *host, size_t from, size_t to)
{
	size_t n_pairs = host->passes->n_pairs;

	for (size_t t = from; t < to; t++) {
		double common = exp(host->wander * sin((double)t / 9));
		double noise = host->noise;

		if (uniform(host) < host->bad_passes)
			noise *= 5;
		host->passes->start_s[t] = (double)t * PASS_S;
		for (size_t p = 0; p < n_pairs; p++) {
			const struct cpu_pair *pair = &host->passes->pairs[p];
			double value = common *
				       distance(host, host->where[pair->first],
					       host->where[pair->second]);

			value *= exp(noise * normal(host));
			if (uniform(host) < host->outliers)
				value *= 1 + 4 * uniform(host);
			if (host->step_ns > 0)
				value = host->step_ns *
					round(value / host->step_ns);
			host->passes->values[t * n_pairs + p] = value;
		}
	}
}

struct epochs {
	size_t n;
	struct analysis_epoch *items;
	struct arena memory;
};

static void find(const struct host *host, struct epochs *epochs)
{
	*epochs = (struct epochs){0};
	epochs->n = epochs_find(
		host->passes, host->n, NAN, &epochs->items, &epochs->memory);
}

static void epochs_release(struct epochs *epochs)
{
	arena_release(&epochs->memory);
}

static void finish(struct host *host, struct epochs *epochs)
{
	epochs_release(epochs);
	result_release(&host->result);
}

/* The CPU goes where the host has no other: places behind the n first. */
static void move(struct host *host, size_t cpu, size_t to)
{
	uint32_t place = host->where[cpu];

	host->where[cpu] = host->where[to];
	host->where[to] = place;
}

/* The share of the CPU's cells that another place changes by a third. */
static double changes(struct host *host, size_t cpu, size_t to)
{
	size_t n = 0;

	for (size_t i = 0; i < host->n; i++) {
		uint32_t there = host->where[i];

		if (i != cpu)
			n += fabs(log(distance(host, there, host->where[cpu]) /
				      distance(host, there, host->where[to]))) >
			     0.28;
	}
	return (double)n / (double)(host->n - 1);
}

/* Sanitizers look at the same lines, ten times as slowly. */
static size_t runs_of(size_t plain)
{
	const char *mode = getenv("MODE");

	return mode && strcmp(mode, "plain") != 0 ? plain / 10 : plain;
}

/*
 * With everything that disturbs a measurement but moves, thousands of times.
 * The limits let chance pass in one of a hundred, the least effects take most
 * of that away. slow: that many runs.
 */
static void still_machines_have_one_epoch(void **state)
{
	size_t moved = 0, runs = runs_of(2000);

	(void)state;
	for (uint64_t seed = 0; seed < runs; seed++) {
		size_t passes = EPOCHS_PASSES_MIN + seed % 48;
		struct epochs epochs;
		struct host host;

		host_init(&host, seed, 2 + seed % 11, passes);
		host.flat = seed % 3 == 0;
		host.noise = 0.002 + 0.1 * uniform(&host);
		host.outliers = seed % 2 ? 0.03 : 0;
		host.bad_passes = seed % 5 ? 0 : 0.1;
		host.wander = seed % 7 ? 0 : 0.1;
		host.step_ns = seed % 4 ? 0 : 5;
		measure(&host, 0, passes);
		find(&host, &epochs);
		assert_true(epochs.n > 0);
		moved += epochs.n > 1;
		finish(&host, &epochs);
	}
	if (moved * 200 > runs)
		fail_msg("%zu of %zu machines that held still moved", moved,
			runs);
}

/* Above this noise a move may be missed; up to it none is. */
#define NOISE_LIMIT 0.06

/* slow: 300 runs, so that a share of them can be judged. */
static void moves_are_found(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < runs_of(300); seed++) {
		size_t n = 6 + seed % 11, passes = 60 + seed % 36;
		size_t at[] = {0, 12 + seed % 9, 34 + seed % 13};
		size_t who[] = {0, 0, 0};
		struct epochs epochs;
		struct host host;

		host_init(&host, seed, n, passes);
		host.noise = NOISE_LIMIT * uniform(&host);
		host.outliers = seed % 2 ? 0.03 : 0;
		host.wander = seed % 3 ? 0 : 0.1;
		measure(&host, 0, at[1]);
		for (size_t k = 1; k < 3; k++) {
			size_t to;

			do {
				who[k] = stat_random_below(&host.random, n);
				to = n + stat_random_below(
						 &host.random, PLACES - n);
			} while (changes(&host, who[k], to) < 0.35);
			move(&host, who[k], to);
			measure(&host, at[k], k == 1 ? at[2] : passes);
		}
		find(&host, &epochs);
		if (epochs.n != 3)
			fail_msg("seed %d: %zu epochs", (int)seed, epochs.n);
		for (size_t k = 1; k < 3; k++) {
			const struct analysis_epoch *epoch = &epochs.items[k];

			if (epoch->first + 1 < at[k] ||
				epoch->first > at[k] + 1)
				fail_msg("seed %d: pass %zu, not %zu",
					(int)seed, epoch->first, at[k]);
			if (epoch->n_moves != 1 ||
				epoch->moves[0].cpu != who[k] ||
				epoch->moves[0].other != who[k])
				fail_msg("seed %d: %zu moves, of CPU %zu, "
					 "not %zu",
					(int)seed, epoch->n_moves,
					epoch->moves[0].cpu, who[k]);
			assert_true(epoch->moves[0].change > 0.15);
		}
		finish(&host, &epochs);
	}
}

/* Where all cores are alike a move shows in who is whose sibling, only. */
static void a_new_sibling_is_a_move(void **state)
{
	struct epochs epochs;
	struct host host;

	(void)state;
	host_init_in_order(&host, 1, 16, 40, 0.05);
	host.flat = true;
	/* CPU 3 leaves 2 and joins 15, whose sibling went before. */
	move(&host, 14, 20);
	measure(&host, 0, 25);
	move(&host, 3, 20);
	measure(&host, 25, 40);
	find(&host, &epochs);
	assert_int_equal(epochs.n, 2);
	assert_int_equal(epochs.items[1].first, 25);
	assert_int_equal(epochs.items[1].n_moves, 1);
	assert_int_equal(epochs.items[1].moves[0].cpu, 3);
	assert_int_equal(epochs.items[1].moves[0].other, 3);
	finish(&host, &epochs);
}

/* Of a lone pair nobody can say who moved. */
static void a_lone_pair_names_both(void **state)
{
	struct epochs epochs;
	struct host host;

	(void)state;
	host_init(&host, 1, 2, 30);
	host.noise = 0.1;
	host.where[0] = 0;
	host.where[1] = 1;
	host.where[2] = 20;
	measure(&host, 0, 11);
	move(&host, 1, 2);
	measure(&host, 11, 30);
	find(&host, &epochs);
	assert_int_equal(epochs.n, 2);
	assert_int_equal(epochs.items[0].first, 0);
	assert_int_equal(epochs.items[0].n_passes, 11);
	assert_int_equal(epochs.items[0].n_moves, 0);
	assert_true(epochs.items[0].start_s == 0);
	assert_true(epochs.items[0].end_s == 11 * PASS_S);
	assert_int_equal(epochs.items[1].first, 11);
	assert_int_equal(epochs.items[1].n_passes, 19);
	assert_true(epochs.items[1].start_s == 11 * PASS_S);
	assert_true(epochs.items[1].end_s == 29 * PASS_S);
	assert_int_equal(epochs.items[1].n_moves, 1);
	assert_int_equal(epochs.items[1].moves[0].cpu, 0);
	assert_int_equal(epochs.items[1].moves[0].other, 1);
	assert_int_equal(epochs.items[1].moves[0].n_changed, 1);
	assert_true(fabs(epochs.items[1].moves[0].change - 6) < 1.5);
	finish(&host, &epochs);
}

/* Bins are of several passes; the pass is found nevertheless. */
static void of_many_passes_the_very_one_is_found(void **state)
{
	struct epochs epochs;
	struct host host;

	(void)state;
	host_init_in_order(&host, 5, 12, 1000, 0.05);
	measure(&host, 0, 437);
	move(&host, 7, 30);
	move(&host, 2, 25);
	measure(&host, 437, 700);
	/* And back, so that the ends of the run are alike. */
	move(&host, 7, 30);
	measure(&host, 700, 1000);
	find(&host, &epochs);
	assert_int_equal(epochs.n, 3);
	assert_int_equal(epochs.items[1].first, 437);
	assert_int_equal(epochs.items[1].n_moves, 2);
	assert_int_equal(
		epochs.items[1].moves[0].cpu + epochs.items[1].moves[1].cpu, 9);
	assert_int_equal(epochs.items[2].first, 700);
	assert_int_equal(epochs.items[2].n_moves, 1);
	assert_int_equal(epochs.items[2].moves[0].cpu, 7);
	finish(&host, &epochs);
}

/* A few passes somewhere else are outliers of the epoch around them. */
static void a_short_stay_is_none(void **state)
{
	struct epochs epochs;
	struct host host;

	(void)state;
	host_init_in_order(&host, 5, 12, 50, 0.05);
	measure(&host, 0, 50);
	move(&host, 7, 30);
	measure(&host, 20, 22);
	find(&host, &epochs);
	assert_int_equal(epochs.n, 1);
	epochs_release(&epochs);
	/* That is a matter of time. */
	measure(&host, 20, 32);
	find(&host, &epochs);
	assert_int_equal(epochs.n, 3);
	finish(&host, &epochs);
}

static void too_few_passes_say_nothing(void **state)
{
	struct epochs epochs;
	struct host host;

	(void)state;
	host_init(&host, 5, 12, EPOCHS_PASSES_MIN);
	measure(&host, 0, EPOCHS_PASSES_MIN);
	find(&host, &epochs);
	assert_int_equal(epochs.n, 1);
	epochs_release(&epochs);
	/* The last one was interrupted. */
	for (size_t p = 0; p < 50; p++)
		host.passes->values[(EPOCHS_PASSES_MIN - 1) *
					    host.passes->n_pairs +
				    p] = NAN;
	find(&host, &epochs);
	assert_int_equal(epochs.n, 0);
	finish(&host, &epochs);
}

/* Cells that were never measured change nothing, and break nothing. */
static void missing_cells_are_left_out(void **state)
{
	struct epochs epochs;
	struct host host;

	(void)state;
	host_init_in_order(&host, 5, 12, 40, 0.03);
	measure(&host, 0, 18);
	move(&host, 7, 30);
	measure(&host, 18, 40);
	for (size_t i = 0; i < 40 * host.passes->n_pairs; i++) {
		if (i % 5 == 0 || i % host.passes->n_pairs < 3)
			host.passes->values[i] = NAN;
		if (i % 97 == 0)
			host.passes->values[i] = 0;
	}
	find(&host, &epochs);
	assert_int_equal(epochs.n, 2);
	assert_int_equal(epochs.items[1].first, 18);
	assert_int_equal(epochs.items[1].n_moves, 1);
	assert_int_equal(epochs.items[1].moves[0].cpu, 7);
	finish(&host, &epochs);
}

/* A pass in which a row was disturbed beyond all measure, just before. */
static void a_spike_does_not_shift_the_time(void **state)
{
	struct epochs epochs;
	struct host host;

	(void)state;
	host_init_in_order(&host, 5, 12, 60, 0.03);
	measure(&host, 0, 30);
	move(&host, 7, 30);
	measure(&host, 30, 60);
	for (size_t p = 0; p < host.passes->n_pairs; p++) {
		if (host.passes->pairs[p].first == 7 ||
			host.passes->pairs[p].second == 7)
			host.passes->values[27 * host.passes->n_pairs + p] *=
				1000;
	}
	find(&host, &epochs);
	assert_int_equal(epochs.n, 2);
	assert_int_equal(epochs.items[1].first, 30);
	finish(&host, &epochs);
}

/*
 * A pair forty times as far is beyond noise; a row farther by a ninth is not.
 */
static void large_moves_do_not_hide_small_ones(void **state)
{
	struct epochs epochs;
	struct host host;
	size_t n_pairs;

	(void)state;
	host_init(&host, 5, 16, 48);
	host.noise = 0.02;
	measure(&host, 0, 48);
	n_pairs = host.passes->n_pairs;
	for (size_t i = 12 * n_pairs; i < 48 * n_pairs; i++) {
		const struct cpu_pair *pair = &host.passes->pairs[i % n_pairs];

		if (i % n_pairs == 0)
			host.passes->values[i] *= 40;
		if (i >= 36 * n_pairs && pair->second == 15)
			host.passes->values[i] *= 1.115;
	}
	find(&host, &epochs);
	assert_int_equal(epochs.n, 3);
	assert_int_equal(epochs.items[1].first, 12);
	assert_int_equal(epochs.items[2].first, 36);
	assert_int_equal(epochs.items[2].n_moves, 1);
	assert_int_equal(epochs.items[2].moves[0].cpu, 15);
	finish(&host, &epochs);
}

/* The whole matrix, as a run would have summarised its passes. */
static void summarise(struct host *host)
{
	struct matrix *matrix = &host->result.matrices[0];
	size_t n_passes = host->passes->n_passes;
	double *values = calloc(n_passes, sizeof(*values));

	assert_non_null(values);
	for (size_t p = 0; p < host->passes->n_pairs; p++) {
		const struct cpu_pair *pair = &host->passes->pairs[p];
		size_t n = host->n;

		for (size_t t = 0; t < n_passes; t++)
			values[t] =
				host->passes
					->values[t * host->passes->n_pairs + p];
		matrix->values[pair->first * n + pair->second] =
			matrix->values[pair->second * n + pair->first] =
				stat_median(values, n_passes);
	}
	free(values);
}

/* Sixteen siblings in pairs, and one CPU that changes packages half-way. */
static void make_run(struct host *host, bool moves)
{
	host_init(host, 3, 16, 60);
	host->noise = 0.02;
	for (uint32_t i = 0; i < PLACES; i++)
		host->where[i] = i < 8	  ? i
				 : i < 16 ? i + 8
				 : i < 24 ? i - 8
					  : i;
	measure(host, 0, 30);
	if (moves)
		move(host, 15, 16); /* to the first package */
	measure(host, 30, 60);
	host->result.elapsed_s = 60 * PASS_S + 1;
	summarise(host);
}

static void analyse(const struct host *host, struct analysis *analysis)
{
	const char *source = "lat.json";
	struct error err = {.text = ""};

	if (analysis_make(&host->result, &source, 1, analysis, &err) < 0)
		fail_msg("%s", err.text);
}

static void each_epoch_is_analysed_by_itself(void **state)
{
	const struct analysis_level *before, *behind;
	struct analysis analysis;
	struct host host;
	json_t *json, *epoch;
	int moved, from;

	(void)state;
	make_run(&host, true);
	analyse(&host, &analysis);
	assert_int_equal(analysis.placement, ANALYSIS_DRIFTING);
	assert_int_equal(analysis.n_epochs, 2);
	assert_int_equal(analysis.epochs[0].n_passes, 30);
	assert_int_equal(analysis.epochs[1].first, 30);
	assert_int_equal(analysis.epochs[1].n_passes, 30);
	assert_true(analysis.epochs[1].end_s == 31);
	before = &analysis.epochs[0].found->levels[1];
	behind = &analysis.epochs[1].found->levels[1];
	assert_true(analysis.epochs[0].found->n_levels >= 2);
	assert_true(analysis.epochs[1].found->n_levels >= 2);
	assert_int_equal(before->n_groups, 2);
	assert_int_equal(behind->n_groups, 2);
	assert_int_equal(before->group[15], before->group[14]);
	assert_int_equal(behind->group[15], behind->group[0]);
	assert_string_equal(behind->unit, "ns");

	json = record_to_json(&analysis_type, &analysis, ANALYSIS_DIGITS);
	epoch = json_array_get(json_object_get(json, "epochs"), 1);
	assert_non_null(epoch);
	assert_int_equal(json_unpack(epoch, "{s:[i!], s:[{s:[i!]}!]}", "moved",
				 &moved, "moves", "one_of", &from),
		0);
	assert_int_equal(moved, 115);
	assert_int_equal(from, 115);
	assert_int_equal(json_array_size(json_object_get(epoch, "levels")),
		analysis.epochs[1].found->n_levels);
	json_decref(json);
	analysis_release(&analysis);
	result_release(&host.result);
}

static void a_run_that_held_still_is_stable(void **state)
{
	struct analysis analysis;
	struct passes *more;
	struct host host;

	(void)state;
	make_run(&host, false);
	analyse(&host, &analysis);
	assert_int_equal(analysis.placement, ANALYSIS_STABLE);
	assert_int_equal(analysis.n_epochs, 1);
	assert_int_equal(analysis.epochs[0].found->n_levels, analysis.n_levels);
	analysis_release(&analysis);
	/* It went on with another, of which the times are not known. */
	more = result_add_passes(&host.result, "latency", "ns", 1, 1);
	assert_non_null(more);
	more->pairs[0] = (struct cpu_pair){0, 1};
	analyse(&host, &analysis);
	assert_int_equal(analysis.n_epochs, 0);
	analysis_release(&analysis);
	result_release(&host.result);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(still_machines_have_one_epoch),
	cmocka_unit_test(moves_are_found),
	cmocka_unit_test(a_new_sibling_is_a_move),
	cmocka_unit_test(a_lone_pair_names_both),
	cmocka_unit_test(of_many_passes_the_very_one_is_found),
	cmocka_unit_test(a_short_stay_is_none),
	cmocka_unit_test(too_few_passes_say_nothing),
	cmocka_unit_test(missing_cells_are_left_out),
	cmocka_unit_test(a_spike_does_not_shift_the_time),
	cmocka_unit_test(large_moves_do_not_hide_small_ones),
	cmocka_unit_test(each_epoch_is_analysed_by_itself),
	cmocka_unit_test(a_run_that_held_still_is_stable),
};

CASE_GROUP(cases);
