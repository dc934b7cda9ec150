/*
 * Is c2c's value for a pair what a bare loop would have measured?
 *
 * The program alternately measures a method of c2c latency and the bare loop
 * for this method, on the same two threads, CPUs and cache lines, in one run.
 * The bare loop was written by hand for this program, and shares no code with
 * the method. Both visit each line, in a random order for each line. Slow
 * changes, for example of the place of a vCPU, do not affect the ratio of the
 * two visits of a line. A third visit runs the method with the CPU's spin-wait
 * hint (--spin-hint pause). The program prints the ratio of this visit to the
 * visit without the hint (--spin-hint none).
 *
 * The bare loops begin at a multiple of 64 bytes, like the probes' loops. If an
 * iteration crosses such a boundary, the latency of SMT siblings differs by 5
 * to 20 per cent. Then a bound of 3 per cent would hold or fail by chance.
 *
 * Usage: loop [CPU_A CPU_B [TURNS [METHOD]]]
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

/* Loop of the methods line and cas, with one word. */
static void bare_line(_Atomic int *word, int n)
{
	arch_align_loop();
	for (int i = 0; i < n; i++) {
		atomic_store_explicit(word, 1, memory_order_release);
		while (atomic_load_explicit(word, memory_order_acquire) != 0)
			;
	}
}

static void bare_line_ping(void *slot, int64_t *ticks)
{
	_Atomic int *word = slot;
	uint64_t begin;

	bare_line(word, WARM_UP);
	begin = timebase_begin(true);
	bare_line(word, ROUND_TRIPS);
	*ticks = (int64_t)(timebase_end(true) - begin);
}

static void bare_line_pong(void *slot, int64_t *ticks)
{
	_Atomic int *word = slot;

	(void)ticks;
	arch_align_loop();
	for (int i = 0; i < WARM_UP + ROUND_TRIPS; i++) {
		while (atomic_load_explicit(word, memory_order_acquire) != 1)
			;
		atomic_store_explicit(word, 0, memory_order_release);
	}
}

static void bare_cas(_Atomic int *word, int from, int to, int n)
{
	arch_align_loop();
	for (int i = 0; i < n; i++) {
		int expected;

		do {
			expected = from;
		} while (!atomic_compare_exchange_strong(word, &expected, to));
	}
}

static void bare_cas_ping(void *slot, int64_t *ticks)
{
	uint64_t begin;

	bare_cas(slot, 0, 1, WARM_UP);
	begin = timebase_begin(true);
	bare_cas(slot, 0, 1, ROUND_TRIPS);
	*ticks = (int64_t)(timebase_end(true) - begin);
}

static void bare_cas_pong(void *slot, int64_t *ticks)
{
	(void)ticks;
	bare_cas(slot, 1, 0, WARM_UP + ROUND_TRIPS);
}

/*
 * The lines of the methods two-line and one-way. After a sample they are zeros
 * again.
 */
struct lines {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint64_t there;
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint64_t back;
};

static void bare_zero(struct lines *lines)
{
	atomic_store_explicit(&lines->there, 0, memory_order_relaxed);
	atomic_store_explicit(&lines->back, 0, memory_order_relaxed);
}

static void bare_two_line(struct lines *lines, uint32_t from, uint32_t to)
{
	_Atomic uint32_t *there = (_Atomic uint32_t *)&lines->there;
	_Atomic uint32_t *back = (_Atomic uint32_t *)&lines->back;

	arch_align_loop();
	for (uint32_t i = from; i < to; i++) {
		atomic_store_explicit(there, i + 1, memory_order_release);
		while (atomic_load_explicit(back, memory_order_acquire) == i)
			;
	}
}

static void bare_two_line_ping(void *slot, int64_t *ticks)
{
	uint64_t begin;

	bare_two_line(slot, 0, WARM_UP);
	begin = timebase_begin(true);
	bare_two_line(slot, WARM_UP, WARM_UP + ROUND_TRIPS);
	*ticks = (int64_t)(timebase_end(true) - begin);
	bare_zero(slot);
}

static void bare_two_line_pong(void *slot, int64_t *ticks)
{
	struct lines *lines = slot;
	_Atomic uint32_t *there = (_Atomic uint32_t *)&lines->there;
	_Atomic uint32_t *back = (_Atomic uint32_t *)&lines->back;

	(void)ticks;
	arch_align_loop();
	for (uint32_t i = 0; i < WARM_UP + ROUND_TRIPS; i++) {
		while (atomic_load_explicit(there, memory_order_acquire) == i)
			;
		atomic_store_explicit(back, i + 1, memory_order_release);
	}
}

static int64_t bare_arrival(_Atomic uint64_t *line, uint64_t *last)
{
	uint64_t stamp;

	do {
		stamp = atomic_load_explicit(line, memory_order_acquire);
	} while (stamp == *last);
	*last = stamp;
	return (int64_t)(timebase_end(true) - stamp);
}

static void bare_send(_Atomic uint64_t *line)
{
	atomic_store_explicit(line, timebase_begin(true), memory_order_release);
}

static void bare_one_way_ping(void *slot, int64_t *ticks)
{
	struct lines *lines = slot;
	uint64_t last = 0;

	for (int k = 0; k < 2; k++) {
		*ticks = 0;
		arch_align_loop();
		for (int i = 0; i < (k ? ROUND_TRIPS : WARM_UP); i++) {
			bare_send(&lines->there);
			*ticks += bare_arrival(&lines->back, &last);
		}
	}
	bare_zero(lines);
}

static void bare_one_way_pong(void *slot, int64_t *ticks)
{
	struct lines *lines = slot;
	uint64_t last = 0;

	for (int k = 0; k < 2; k++) {
		*ticks = 0;
		arch_align_loop();
		for (int i = 0; i < (k ? ROUND_TRIPS : WARM_UP); i++) {
			*ticks += bare_arrival(&lines->there, &last);
			bare_send(&lines->back);
		}
	}
}

/* A method and its bare loop. `ping` and `pong` take one sample each. */
struct contest {
	const struct probe *probe;
	void (*ping)(void *slot, int64_t *ticks);
	void (*pong)(void *slot, int64_t *ticks);
};

static const struct contest contests[] = {
	{&probe_line, bare_line_ping, bare_line_pong},
	{&probe_cas, bare_cas_ping, bare_cas_pong},
	{&probe_two_line, bare_two_line_ping, bare_two_line_pong},
	{&probe_one_way, bare_one_way_ping, bare_one_way_pong},
};

/* The kind of a visit, stored in visit->pass. */
enum kind {
	C2C,
	BARE,
	HINT,
	KINDS
};

static bool first(const struct probe_visit *visit, int64_t *ticks)
{
	const struct contest *contest = visit->params->context;

	if (visit->pass != BARE)
		return contest->probe->first(visit, ticks);
	for (uint32_t s = 0; s < SAMPLES; s++)
		contest->ping(probe_slot(visit, s), &ticks[s]);
	return true;
}

static bool second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct contest *contest = visit->params->context;

	if (visit->pass != BARE)
		return contest->probe->second(visit, ticks);
	for (uint32_t s = 0; s < SAMPLES; s++)
		contest->pong(probe_slot(visit, s), &ticks[s]);
	return true;
}

static void die(const struct error *err)
{
	fprintf(stderr, "loop: %s\n", err->text);
	exit((int)err->class);
}

/* Plan the turns. In a turn, a visit of each kind uses the same slots. */
static void plan(struct crew_visit *visits, size_t *ends, size_t turns,
	char *slots, const struct probe_params *hint)
{
	struct stat_random random;
	uint32_t order[KINDS];

	stat_random_init(&random, 1);
	for (size_t i = 0; i < KINDS * turns; i++) {
		if (i % KINDS == 0)
			stat_shuffle(&random, order, KINDS);
		visits[i] = (struct crew_visit){.first = 0,
			.second = 1,
			.pass = order[i % KINDS],
			.slots = slots + i / KINDS % BLOCKS * SAMPLES *
						 PROBE_SLOT_BYTES,
			.params = order[i % KINDS] == HINT ? hint : NULL};
		ends[i] = i + 1;
	}
}

/*
 * Return ns one way. If a method times both directions separately, return their
 * mean.
 */
static double visit_ns(const struct probe *probe,
	const struct probe_params *params, const struct crew_visit *visit)
{
	double ns = probe->scale(params, 0, visit->ticks[0]);

	if (probe->second_cell != PROBE_NOTHING)
		ns = (ns + probe->scale(params, 0, visit->ticks[1])) / 2;
	return ns;
}

/*
 * Print the median of `ns`, and the 25th, 50th and 75th percentile of its ratio
 * to `to`.
 */
static void print_ratio(const double *ns, const double *to, size_t turns)
{
	double *ratio = calloc(turns, sizeof(*ratio));

	if (!ratio)
		abort();
	for (size_t i = 0; i < turns; i++)
		ratio[i] = ns[i] / to[i];
	stat_sort(ratio, turns);
	printf("p25 %.3f, median %.3f, p75 %.3f\n",
		stat_quantile(ratio, turns, 0.25),
		stat_quantile(ratio, turns, 0.5),
		stat_quantile(ratio, turns, 0.75));
	free(ratio);
}

static double median_of(const double *ns, size_t turns)
{
	double *copy = calloc(turns, sizeof(*copy)), median;

	if (!copy)
		abort();
	memcpy(copy, ns, turns * sizeof(*copy));
	median = stat_median(copy, turns);
	free(copy);
	return median;
}

static void report(const char *idle, const unsigned cpus[2],
	const struct probe *probe, const struct probe_params *params,
	const struct crew_visit *visits, size_t turns)
{
	double *ns[KINDS];

	for (size_t k = 0; k < KINDS; k++) {
		ns[k] = calloc(turns, sizeof(double));
		if (!ns[k])
			abort();
	}
	for (size_t i = 0; i < KINDS * turns; i++)
		ns[visits[i].pass][i / KINDS] =
			visit_ns(probe, params, &visits[i]);
	printf("%s, %s, CPUs %u,%u: c2c %.1f ns, bare loop %.1f ns; ratio of a "
	       "line's visits: ",
		probe->name, idle, cpus[0], cpus[1], median_of(ns[C2C], turns),
		median_of(ns[BARE], turns));
	print_ratio(ns[C2C], ns[BARE], turns);
	printf("%s, %s, CPUs %u,%u: none %.1f ns, pause %.1f ns; ratio of a "
	       "line's visits: ",
		probe->name, idle, cpus[0], cpus[1], median_of(ns[C2C], turns),
		median_of(ns[HINT], turns));
	print_ratio(ns[HINT], ns[C2C], turns);
	for (size_t k = 0; k < KINDS; k++)
		free(ns[k]);
}

int main(int argc, char **argv)
{
	static atomic_bool stop;
	unsigned cpus[2] = {argc > 2 ? (unsigned)atoi(argv[1]) : 0,
		argc > 2 ? (unsigned)atoi(argv[2]) : 1};
	size_t turns = argc > 3 ? (size_t)atol(argv[3]) : 2000;
	const char *method = argc > 4 ? argv[4] : "line";
	struct contest contest = contests[0];
	struct probe_params params = {.round_trips = ROUND_TRIPS,
		.samples = SAMPLES,
		.warm_up = WARM_UP,
		.slots = SAMPLES,
		.counter = true,
		.context = &contest};
	struct probe_params hint;
	struct cpu_list list = {cpus, 2};
	struct probe probe;
	struct crew_options options = {.cpus = &list,
		.probe = &probe,
		.params = &params,
		.patience_s = 5,
		.stop = &stop};
	struct crew_program program = {
		.visits = calloc(KINDS * turns, sizeof(struct crew_visit)),
		.step_ends = calloc(KINDS * turns, sizeof(size_t)),
		.n_steps = KINDS * turns,
	};
	char *slots = aligned_alloc(
		PROBE_SLOT_BYTES, BLOCKS * SAMPLES * PROBE_SLOT_BYTES);
	struct machine *machine;
	struct timebase timebase;
	struct error err;

	for (size_t i = 0; i < sizeof(contests) / sizeof(contests[0]); i++) {
		if (strcmp(contests[i].probe->name, method) == 0)
			contest = contests[i];
	}
	if (strcmp(contest.probe->name, method) != 0) {
		fprintf(stderr, "loop: no method %s\n", method);
		return 2;
	}
	probe = *contest.probe;
	if (turns == 0 || !program.visits || !program.step_ends || !slots)
		abort();
	memset(slots, 0, BLOCKS * SAMPLES * PROBE_SLOT_BYTES);
	if (machine_new(&machine, &err) < 0 ||
		timebase_init(&timebase, &err) < 0)
		die(&err);
	params.ns_per_tick = 1e9 / timebase.hz;
	hint = params;
	hint.use_spin_hint = true;
	options.machine = machine;
	probe.first = first;
	probe.second = second;
	plan(program.visits, program.step_ends, turns, slots, &hint);
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
		report(idle == CREW_SPIN ? "spin" : "park", cpus, &probe,
			&params, program.visits, turns);
		crew_free(crew);
	}
	free(program.visits);
	free(program.step_ends);
	free(slots);
	machine_free(machine);
	return 0;
}
