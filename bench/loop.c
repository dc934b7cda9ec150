/*
 * Is what c2c reports for a pair what a bare loop would have measured?
 *
 * The method "line" and the loop below, which was written by hand for this
 * program and shares no code with it, are measured in turns on the same two
 * threads, CPUs and cache lines, in one run: each line is visited by both, in
 * an order drawn anew. The ratio of the two visits of a line leaves out
 * whatever moves slowly, such as virtual CPUs.
 *
 * Usage: loop [CPU_A CPU_B [TURNS]]
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/crew.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "probe/probe.h"
#include "stat/stat.h"

#define ROUND_TRIPS 50
#define SAMPLES	    9
#define WARM_UP	    4
#define BLOCKS	    64

static void bare_turns(_Atomic int *word, int n)
{
	for (int i = 0; i < n; i++) {
		atomic_store_explicit(word, 1, memory_order_release);
		while (atomic_load_explicit(word, memory_order_acquire) != 0)
			;
	}
}

static bool bare_ping(const struct probe_visit *visit, int64_t *ticks)
{
	for (uint32_t s = 0; s < SAMPLES; s++) {
		_Atomic int *word = probe_slot(visit, s);
		uint64_t begin;

		bare_turns(word, WARM_UP);
		begin = timebase_begin(true);
		bare_turns(word, ROUND_TRIPS);
		ticks[s] = (int64_t)(timebase_end(true) - begin);
	}
	return true;
}

static bool bare_pong(const struct probe_visit *visit)
{
	for (uint32_t s = 0; s < SAMPLES; s++) {
		_Atomic int *word = probe_slot(visit, s);

		for (int i = 0; i < WARM_UP + ROUND_TRIPS; i++) {
			while (atomic_load_explicit(
				       word, memory_order_acquire) != 1)
				;
			atomic_store_explicit(word, 0, memory_order_release);
		}
	}
	return true;
}

/* Odd passes take the bare loop, even ones the probe. */
static bool first(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->pass & 1 ? bare_ping(visit, ticks)
			       : probe_find("line")->first(visit, ticks);
}

static bool second(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->pass & 1 ? bare_pong(visit)
			       : probe_find("line")->second(visit, ticks);
}

static void die(const struct error *err)
{
	fprintf(stderr, "loop: %s\n", err->text);
	exit((int)err->class);
}

/* Two visits of each slot, one of each kind. */
static void plan(struct crew_visit *visits, size_t *ends, size_t n, char *slots)
{
	struct stat_random random;

	stat_random_init(&random, 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t kind = i % 2 ? 1 - visits[i - 1].pass
				      : (uint32_t)stat_random_below(&random, 2);

		visits[i] = (struct crew_visit){.first = 0,
			.second = 1,
			.pass = kind,
			.slots = slots +
				 i / 2 % BLOCKS * SAMPLES * PROBE_SLOT_BYTES};
		ends[i] = i + 1;
	}
}

static void report(const char *idle, const unsigned cpus[2],
	const struct probe_params *params, const struct crew_visit *visits,
	size_t turns)
{
	double *probe = calloc(turns, sizeof(*probe));
	double *bare = calloc(turns, sizeof(*bare));
	double *ratio = calloc(turns, sizeof(*ratio));

	if (!probe || !bare || !ratio)
		abort();
	for (size_t i = 0; i < turns; i++) {
		const struct crew_visit *turn = &visits[2 * i];
		size_t bare_at = turn[0].pass ? 0 : 1;

		probe[i] = probe_scale_round_trips(
			params, 0, turn[1 - bare_at].ticks[0]);
		bare[i] = probe_scale_round_trips(
			params, 0, turn[bare_at].ticks[0]);
		ratio[i] = probe[i] / bare[i];
	}
	stat_sort(ratio, turns);
	printf("%s, CPUs %u,%u: c2c %.1f ns, bare loop %.1f ns; ratio of a "
	       "line's visits: p25 %.3f, median %.3f, p75 %.3f\n",
		idle, cpus[0], cpus[1], stat_median(probe, turns),
		stat_median(bare, turns), stat_quantile(ratio, turns, 0.25),
		stat_quantile(ratio, turns, 0.5),
		stat_quantile(ratio, turns, 0.75));
	free(probe);
	free(bare);
	free(ratio);
}

int main(int argc, char **argv)
{
	static atomic_bool stop;
	unsigned cpus[2] = {argc > 2 ? (unsigned)atoi(argv[1]) : 0,
		argc > 2 ? (unsigned)atoi(argv[2]) : 1};
	size_t turns = argc > 3 ? (size_t)atol(argv[3]) : 2000;
	struct probe_params params = {.round_trips = ROUND_TRIPS,
		.samples = SAMPLES,
		.warm_up = WARM_UP,
		.slots = SAMPLES,
		.counter = true};
	struct cpu_list list = {cpus, 2};
	struct probe probe = *probe_find("line");
	struct crew_options options = {.cpus = &list,
		.probe = &probe,
		.params = &params,
		.patience_s = 5,
		.stop = &stop};
	struct crew_program program = {
		calloc(2 * turns, sizeof(struct crew_visit)),
		calloc(2 * turns, sizeof(size_t)), 2 * turns};
	char *slots = aligned_alloc(
		PROBE_SLOT_BYTES, BLOCKS * SAMPLES * PROBE_SLOT_BYTES);
	struct machine *machine;
	struct timebase timebase;
	struct error err;

	if (turns == 0 || !program.visits || !program.step_ends || !slots)
		abort();
	memset(slots, 0, BLOCKS * SAMPLES * PROBE_SLOT_BYTES);
	if (machine_new(&machine, &err) < 0 ||
		timebase_init(&timebase, &err) < 0)
		die(&err);
	params.ns_per_tick = 1e9 / timebase.hz;
	options.machine = machine;
	probe.first = first;
	probe.second = second;
	plan(program.visits, program.step_ends, 2 * turns, slots);
	for (int idle = CREW_SPIN; idle >= CREW_PARK; idle--) {
		struct crew_report outcome;
		struct crew *crew;

		options.idle = (enum crew_idle)idle;
		if (crew_new(&crew, &options, &err) < 0)
			die(&err);
		if (crew_run(crew, &program, &outcome) != CREW_DONE) {
			fprintf(stderr, "loop: CPU %u did not do its part\n",
				outcome.cpu);
			return 1;
		}
		report(idle == CREW_SPIN ? "spin" : "park", cpus, &params,
			program.visits, turns);
		crew_free(crew);
	}
	free(program.visits);
	free(program.step_ends);
	free(slots);
	machine_free(machine);
	return 0;
}
