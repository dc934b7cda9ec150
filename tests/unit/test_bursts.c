/* Bursts: which changes are events, on generated noise. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/epochs/bursts.h"
#include "cmd/watch/watch_log.h"
#include "cmd/watch/watch_pace.h"
#include "stat/stat.h"

#define CPUS 6

/* Of the noise, logarithms. */
#define NOISE 0.05

enum kind {
	WHITE,
	SPIKES,	 /* a tenth of the values is up to 4.5 times as high */
	COMMON,	 /* all rise and fall together */
	WANDERS, /* every pair slowly, for itself */
	KINDS
};

struct world {
	struct stat_random random;
	struct bursts bursts;
	double wander[CPUS * CPUS], common;
	size_t core[CPUS]; /* where each CPU is; two of one core are near */

	/* How much farther a CPU is from all, and what stays of it. */
	double away[CPUS], stays;
};

static double uniform(struct world *world)
{
	return (double)(stat_random_next(&world->random) >> 11) / 0x1p53;
}

static double normal(struct world *world)
{
	double u = 1 - uniform(world);

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform(world));
}

static double noise_of(struct world *world, enum kind kind, size_t pair)
{
	double noise = NOISE * normal(world);

	if (kind == SPIKES && uniform(world) < 0.1)
		noise += 1.5 * uniform(world);
	if (kind == COMMON)
		noise += world->common;
	if (kind == WANDERS)
		noise = world->wander[pair] =
			0.95 * world->wander[pair] + noise;
	return noise;
}

static void begin(struct world *world, uint64_t seed)
{
	*world = (struct world){.stays = 1};
	stat_random_init(&world->random, seed);
	assert_int_equal(bursts_init(&world->bursts, CPUS, NULL), 0);
	for (size_t i = 0; i < CPUS; i++)
		world->core[i] = i / 2;
}

/* Add bursts and look behind each; returns how many events there were. */
static size_t watch(struct world *world, enum kind kind, size_t n, double from,
	struct epoch_move *move, double *at_s)
{
	struct passes *passes = &world->bursts.passes;
	size_t events = 0;

	for (size_t t = 0; t < n; t++) {
		struct arena arena = {.last = NULL};
		struct epoch_move *moves;
		double *values = bursts_add(&world->bursts, from + (double)t);
		size_t n_moves, first;

		world->common = 0.9 * world->common + 0.1 * normal(world);
		for (size_t p = 0; p < passes->n_pairs; p++) {
			const struct cpu_pair *pair = &passes->pairs[p];
			bool near = world->core[pair->first] ==
				    world->core[pair->second];

			values[p] = (near ? 20 : 100) *
				    exp(noise_of(world, kind, p) +
					    world->away[pair->first] +
					    world->away[pair->second]);
		}
		for (size_t i = 0; i < CPUS; i++)
			world->away[i] *= world->stays;
		bursts_learn_usual(&world->bursts);
		first = bursts_find_event(
			&world->bursts, &moves, &n_moves, &arena);
		if (first > 0) {
			events++;
			*move = moves[0];
			*at_s = passes->start_s[first];
			bursts_discard_before(&world->bursts, first);
		}
		arena_release(&arena);
	}
	return events;
}

/* slow: the long test has 1,200 bursts of each kind, with an analysis each. */
static void noise_alone_is_no_event(void **state)
{
	/* A minute of each kind; five minutes if there is time. */
	size_t n = getenv("C2C_TEST_LONG") ? 1200 : 240;
	struct epoch_move move = {0};
	struct world world;
	double at_s = 0;

	(void)state;
	for (enum kind kind = WHITE; kind < KINDS; kind++) {
		size_t events;

		begin(&world, 7 + kind);
		events = watch(&world, kind, n, 0, &move, &at_s);
		print_message("noise %d: %zu events in %zu bursts\n", kind,
			events, n);
		assert_int_equal(events, 0);
		bursts_release(&world.bursts);
	}
}

static void siblings_that_part_are_one_event_at_the_time(void **state)
{
	struct epoch_move move = {0};
	struct world world;
	double at_s = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		begin(&world, seed);
		assert_int_equal(watch(&world, WHITE, 80, 0, &move, &at_s), 0);
		/* 1 and 3 change places. */
		world.core[1] = 1;
		world.core[3] = 0;
		assert_true(watch(&world, WHITE, 40, 80, &move, &at_s) > 0);
		assert_true(at_s >= 79 && at_s <= 81);
		assert_true(move.cpu < 4 && move.other < 4);
		assert_int_equal(
			watch(&world, WHITE, 80, 120, &move, &at_s), 0);
		bursts_release(&world.bursts);
	}
}

static void a_short_stay_is_no_event(void **state)
{
	struct epoch_move move = {0};
	struct world world;
	double at_s = 0;

	(void)state;
	begin(&world, 5);
	assert_int_equal(watch(&world, WHITE, 80, 0, &move, &at_s), 0);
	world.core[1] = 1;
	world.core[3] = 0;
	assert_int_equal(watch(&world, WHITE, 6, 80, &move, &at_s), 0);
	world.core[1] = 0;
	world.core[3] = 1;
	assert_int_equal(watch(&world, WHITE, 60, 86, &move, &at_s), 0);
	bursts_release(&world.bursts);
}

/*
 * Nor when what was before it is too old to be kept, or the watch began in it.
 * slow: each of up to 224 bursts is followed by an analysis, twelve times over.
 */
static void the_end_of_a_short_stay_is_no_event(void **state)
{
	static const size_t stays[] = {17, 20, 24};
	struct epoch_move move = {0};
	struct world world;
	double at_s = 0;

	(void)state;
	for (size_t k = 0; k < 12; k++) {
		size_t cpu = k % CPUS, stay = stays[k % 3];
		size_t quiet = k < 6 ? 100 : 0;
		double from = (double)(quiet + stay);

		begin(&world, 40 + k);
		assert_int_equal(
			watch(&world, WHITE, quiet, 0, &move, &at_s), 0);
		world.away[cpu] = log(1.3);
		assert_int_equal(
			watch(&world, WHITE, stay, (double)quiet, &move, &at_s),
			0);
		world.away[cpu] = 0;
		assert_int_equal(
			watch(&world, WHITE, 100, from, &move, &at_s), 0);
		bursts_release(&world.bursts);
	}
}

/* slow: each of 170 bursts is followed by an analysis, six times over. */
static void a_disturbance_that_decays_is_no_event(void **state)
{
	static const double bursts[] = {5, 12, 30}, sizes[] = {0.3, 1.5};
	struct epoch_move move = {0};
	struct world world;
	double at_s = 0;

	(void)state;
	for (size_t k = 0; k < 6; k++) {
		begin(&world, 20 + k);
		assert_int_equal(watch(&world, WHITE, 80, 0, &move, &at_s), 0);
		world.away[k % CPUS] = sizes[k / 3];
		world.stays = exp(-1 / bursts[k % 3]);
		assert_int_equal(watch(&world, WHITE, 90, 80, &move, &at_s), 0);
		bursts_release(&world.bursts);
	}
}

/* One CPU after the other is disturbed, every 40 bursts on average. */
static void disturbances_one_after_the_other_are_no_events(void **state)
{
	size_t n = 400, events = 0;
	struct epoch_move move = {0};
	struct world world;
	double at_s = 0;

	(void)state;
	begin(&world, 3);
	world.stays = exp(-1 / 8.0);
	for (size_t t = 0; t < n; t++) {
		if (uniform(&world) < 1 / 40.0)
			world.away[stat_random_next(&world.random) % CPUS] +=
				0.2 + uniform(&world);
		events += watch(&world, WHITE, 1, (double)t, &move, &at_s);
	}
	print_message("%zu events in %zu bursts\n", events, n);
	assert_true(events <= 1);
	bursts_release(&world.bursts);
}

static void a_cpu_that_goes_farther_is_found_within_36_bursts(void **state)
{
	struct epoch_move move = {0};
	struct world world;
	double at_s = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		size_t cpu = seed % CPUS;

		begin(&world, seed);
		assert_int_equal(watch(&world, WHITE, 80, 0, &move, &at_s), 0);
		world.away[cpu] = log(1.3);
		assert_int_equal(watch(&world, WHITE, 36, 80, &move, &at_s), 1);
		assert_true(at_s >= 79 && at_s <= 81);
		assert_int_equal(move.cpu, cpu);
		bursts_release(&world.bursts);
	}
}

static void pairs_are_where_they_are_looked_for(void **state)
{
	struct bursts bursts;

	(void)state;
	assert_int_equal(bursts_init(&bursts, CPUS, NULL), 0);
	for (size_t p = 0; p < bursts.passes.n_pairs; p++) {
		const struct cpu_pair *pair = &bursts.passes.pairs[p];

		assert_int_equal(
			bursts_pair_index(&bursts, pair->first, pair->second),
			p);
		assert_int_equal(
			bursts_pair_index(&bursts, pair->second, pair->first),
			p);
	}
	bursts_release(&bursts);
}

/* A simulated hour: the share stays within its limit when the start is over. */
static void bursts_keep_within_the_duty(void **state)
{
	static const double costs_s[] = {1e-5, 1e-3, 0.05, 3};

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		struct watch_pace pace;
		double now_s = 0, used_s = 1.5;
		size_t bursts = 0;

		watch_pace_init(&pace, 0.05, 16, 0);
		while (now_s < 3600) {
			size_t passes = watch_pace_passes(&pace);
			double burst_s = costs_s[k] * (double)passes;

			assert_true(passes >= 1 && passes <= PACE_PASSES);
			used_s += burst_s;
			watch_pace_note(&pace, passes, burst_s, used_s + 0.01);
			used_s += 0.01;
			/* The second burst tells what one takes. */
			assert_true(bursts++ < 2 ||
				    watch_pace_duty(&pace, 16, used_s, now_s) <=
					    0.0500001);
			now_s = watch_pace_next_s(&pace, now_s, used_s);
		}
		/* Where passes are dear, little of it is left. */
		assert_true(watch_pace_duty(&pace, 16, used_s, now_s) > 0.039 ||
			    k < 2);
	}
}

static void the_cost_of_the_start_makes_no_burst_short(void **state)
{
	struct watch_pace pace;

	(void)state;
	watch_pace_init(&pace, 0.05, 16, 0);
	/* Trials took 2 s before the first pass; a pass takes 1 ms. */
	watch_pace_note(&pace, 1, 2.001, 2.001);
	assert_int_equal(watch_pace_passes(&pace), 1);
	watch_pace_note(&pace, 1, 0.001, 2.002);
	assert_int_equal(watch_pace_passes(&pace), 2);
	for (size_t passes = 2; passes <= PACE_PASSES; passes *= 2)
		watch_pace_note(&pace, passes, 0.001 * (double)passes,
			2 + 0.002 * (double)passes);
	assert_int_equal(watch_pace_passes(&pace), PACE_PASSES);
	/* It is made up for all the same. */
	assert_true(watch_pace_next_s(&pace, 1, 2.002) >= 2.002 / (0.05 * 16));
	assert_true(
		fabs(watch_pace_held_s(&pace) - 2.002 / (0.05 * 16)) < 1e-9);
}

/* 16 CPUs may use 0.8 s in a second. */
static void a_pass_that_took_long_makes_the_next_burst_short(void **state)
{
	struct watch_pace pace;

	(void)state;
	watch_pace_init(&pace, 0.05, 16, 0);
	watch_pace_note(&pace, 1, 0.001, 0.001);
	watch_pace_note(&pace, 1, 0.001, 0.002);
	watch_pace_note(&pace, 2, 0.2, 0.202);
	assert_int_equal(watch_pace_passes(&pace), 2);
	/* Two more are waited for. */
	assert_true(watch_pace_next_s(&pace, 0, 0.202) >= 0.4 / 0.8);
	watch_pace_note(&pace, 2, 0.002, 0.204);
	assert_true(watch_pace_passes(&pace) < 4);
}

/* The first event finds the pipe full. */
static void a_line_that_was_torn_is_ended_by_the_next(void **state)
{
	char text[] = "text", bytes[4096] = "";
	const struct cpu_list cpus = {NULL, 0};
	const struct watch_state watched = {.cpus = &cpus};
	const struct watch_event event = {.text = text};
	struct watch_log log = {.path = "pipe"};
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	log.fd = ends[1];
	while (write(log.fd, bytes, sizeof(bytes)) > 0)
		;
	assert_true(watch_log_event(&log, &watched, "end", &event, NULL) < 0);
	while (read(ends[0], bytes, sizeof(bytes)) > 0)
		;
	assert_int_equal(
		watch_log_event(&log, &watched, "end", &event, NULL), 0);
	assert_true(read(ends[0], bytes, sizeof(bytes)) > 2);
	assert_memory_equal(bytes, "\n{", 2);
	assert_int_equal(
		watch_log_event(&log, &watched, "end", &event, NULL), 0);
	assert_true(read(ends[0], bytes, sizeof(bytes)) > 2);
	assert_int_equal(*bytes, '{');
	close(ends[0]);
	close(ends[1]);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(noise_alone_is_no_event),
	cmocka_unit_test(siblings_that_part_are_one_event_at_the_time),
	cmocka_unit_test(a_short_stay_is_no_event),
	cmocka_unit_test(the_end_of_a_short_stay_is_no_event),
	cmocka_unit_test(a_disturbance_that_decays_is_no_event),
	cmocka_unit_test(disturbances_one_after_the_other_are_no_events),
	cmocka_unit_test(a_cpu_that_goes_farther_is_found_within_36_bursts),
	cmocka_unit_test(pairs_are_where_they_are_looked_for),
	cmocka_unit_test(bursts_keep_within_the_duty),
	cmocka_unit_test(the_cost_of_the_start_makes_no_burst_short),
	cmocka_unit_test(a_pass_that_took_long_makes_the_next_burst_short),
	cmocka_unit_test(a_line_that_was_torn_is_ended_by_the_next),
};

CASE_GROUP(cases);
