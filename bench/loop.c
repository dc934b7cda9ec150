/*
 * Is what c2c reports for a pair what a bare loop would have measured?
 *
 * Both run on the same two CPUs and the same cache line, in turns of about a
 * hundred microseconds, in one process: one visit of the method "line"
 * through the crew, then the same number of samples of the loop below, which
 * was written by hand for this program and shares no code with the probe.
 *
 * Usage: loop [CPU_A CPU_B [TURNS]]
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
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
#define WARM_UP	    10

struct bare {
	_Atomic int *word;
	unsigned cpu[2];
	sem_t go[2], done;
	double ticks; /* median of the last turn */
	bool quit;
};

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set) != 0)
		abort();
}

static void *bare_ping(void *argument)
{
	struct bare *bare = argument;
	_Atomic int *word = bare->word;

	pin(bare->cpu[0]);
	for (;;) {
		double samples[SAMPLES];

		sem_wait(&bare->go[0]);
		if (bare->quit)
			return NULL;
		for (int s = -1; s < SAMPLES; s++) {
			int n = s < 0 ? WARM_UP : ROUND_TRIPS;
			uint64_t begin = timebase_begin(true);

			for (int i = 0; i < n; i++) {
				atomic_store_explicit(
					word, 1, memory_order_release);
				while (atomic_load_explicit(
					       word, memory_order_acquire) != 0)
					;
			}
			if (s >= 0)
				samples[s] =
					(double)(timebase_end(true) - begin);
		}
		bare->ticks = stat_median(samples, SAMPLES);
		sem_post(&bare->done);
	}
}

static void *bare_pong(void *argument)
{
	struct bare *bare = argument;
	_Atomic int *word = bare->word;

	pin(bare->cpu[1]);
	for (;;) {
		sem_wait(&bare->go[1]);
		if (bare->quit)
			return NULL;
		for (int i = 0; i < WARM_UP + SAMPLES * ROUND_TRIPS; i++) {
			while (atomic_load_explicit(
				       word, memory_order_acquire) != 1)
				;
			atomic_store_explicit(word, 0, memory_order_release);
		}
		sem_post(&bare->done);
	}
}

static void die(const struct error *err)
{
	fprintf(stderr, "loop: %s\n", err->text);
	exit(err->class);
}

int main(int argc, char **argv)
{
	unsigned cpus[2] = {argc > 2 ? (unsigned)atoi(argv[1]) : 0,
		argc > 2 ? (unsigned)atoi(argv[2]) : 1};
	size_t turns = argc > 3 ? (size_t)atol(argv[3]) : 2000;
	void *slot = aligned_alloc(PROBE_SLOT_BYTES, PROBE_SLOT_BYTES);
	double *ratios = calloc(turns, sizeof(*ratios));
	double *through = calloc(turns, sizeof(*through));
	double *bare_ns = calloc(turns, sizeof(*bare_ns));
	static atomic_bool stop;
	struct bare bare = {.word = slot, .cpu = {cpus[0], cpus[1]}};
	struct cpu_list list = {cpus, 2};
	struct machine *machine;
	struct timebase timebase;
	struct error err;
	struct crew *crew;
	pthread_t threads[2];
	size_t step_end = 1;
	struct probe_params params = {.round_trips = ROUND_TRIPS,
		.samples = SAMPLES,
		.warm_up = WARM_UP,
		.counter = true};
	struct crew_visit visit = {.first = 0, .second = 1, .slot = slot};
	struct crew_program program = {&visit, &step_end, 1};

	memset(slot, 0, PROBE_SLOT_BYTES);
	if (machine_new(&machine, &err) < 0)
		die(&err);
	timebase_init(&timebase);
	params.ns_per_tick = 1e9 / timebase.hz;
	/* Parked, so that the crew leaves the CPUs to the bare threads. */
	const struct crew_options options = {.machine = machine,
		.cpus = &list,
		.probe = probe_find("line"),
		.params = &params,
		.idle = CREW_PARK,
		.patience_s = 5,
		.stop = &stop};
	if (crew_new(&crew, &options, &err) < 0)
		die(&err);
	sem_init(&bare.go[0], 0, 0);
	sem_init(&bare.go[1], 0, 0);
	sem_init(&bare.done, 0, 0);
	pthread_create(&threads[0], NULL, bare_ping, &bare);
	pthread_create(&threads[1], NULL, bare_pong, &bare);

	for (size_t t = 0; t < turns; t++) {
		struct crew_report report;

		crew_run(crew, &program, &report);
		sem_post(&bare.go[0]);
		sem_post(&bare.go[1]);
		sem_wait(&bare.done);
		sem_wait(&bare.done);
		through[t] = probe_scale_round_trips(&params, visit.ticks[0]);
		bare_ns[t] = probe_scale_round_trips(&params, bare.ticks);
		ratios[t] = through[t] / bare_ns[t];
	}
	stat_sort(ratios, turns);
	printf("CPUs %u,%u: c2c %.1f ns, bare loop %.1f ns (medians of %zu "
	       "turns); ratio of medians %.4f; ratio of turns: p25 %.4f "
	       "median %.4f p75 %.4f\n",
		cpus[0], cpus[1], stat_median(through, turns),
		stat_median(bare_ns, turns), turns,
		stat_median(through, turns) / stat_median(bare_ns, turns),
		stat_quantile(ratios, turns, 0.25),
		stat_quantile(ratios, turns, 0.5),
		stat_quantile(ratios, turns, 0.75));
	bare.quit = true;
	sem_post(&bare.go[0]);
	sem_post(&bare.go[1]);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	crew_free(crew);
	machine_free(machine);
	free(slot);
	free(ratios);
	free(through);
	free(bare_ns);
	return 0;
}
