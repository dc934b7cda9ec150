#include "cl/native.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arch/peak.h"
#include "arch/vector.h"
#include "machine/memory.h"
#include "machine/timebase.h"

/* Trials of which the best counts. */
#define TRIALS	    15
#define PIECE_ALIGN 64

/* Turns of a trial of arithmetic: some milliseconds, of divisions too. */
#define PEAK_TURNS     (ARCH_PEAK_TURNS / 2)
#define DIVISION_TURNS (PEAK_TURNS / 8)

struct team;

/* One thread and its part. */
struct part {
	struct team *team;
	pthread_t thread;
	bool started;
	unsigned cpu;
	bool bind;
	size_t first, n; /* of bytes or floats */
	double share;	 /* of the team's work */
	double best;	 /* of all parts together, a nanosecond */
	uint64_t start_ns, end_ns;
	uint64_t sink;
	double number_sink;
	struct error err;
	int rc;
};

struct team {
	const struct machine *machine;
	pthread_mutex_t gate; /* held until all threads are there */
	bool failed;	      /* some are not: the others go home */
	pthread_barrier_t ready;
	struct part *parts; /* [n] */
	size_t n;
	enum native_what what;
	enum arch_operation operation; /* of arithmetic */
	char *memory, *copy;	       /* copy: where NATIVE_COPY goes */
	size_t size;		       /* of memory */
	unsigned turns;
	const struct native_sum *sum;
	bool with_creation;
};

/* Wait for the others to be created; false: not all were. */
static bool pass_gate(struct team *team)
{
	bool failed;

	pthread_mutex_lock(&team->gate);
	failed = team->failed;
	pthread_mutex_unlock(&team->gate);
	return !failed;
}

static size_t round_down(size_t bytes)
{
	return bytes / PIECE_ALIGN * PIECE_ALIGN;
}

static void compute(struct part *part)
{
	const struct arch_peak *peak = arch_peak_best();
	const struct team *team = part->team;

	/* n: turns */
	part->number_sink +=
		team->what == NATIVE_FLOAT
			? peak->run_float[team->operation](part->n)
			: peak->run_double[team->operation](part->n);
}

static void copy_part(const struct part *part, int trial)
{
	const struct arch_vector *vector = arch_vector_widest();
	const char *from = part->team->memory + part->first;
	char *to = part->team->copy + part->first;

	if (trial / 2 % 2)
		memcpy(to, from, part->n);
	else
		vector->stream(to, from, part->n);
}

static void touch(struct part *part, int trial)
{
	struct team *team = part->team;
	const struct arch_vector *vector = arch_vector_widest();
	char *from = team->memory + part->first;

	for (unsigned turn = 0; turn < team->turns; turn++) {
		if (team->what == NATIVE_COPY)
			copy_part(part, trial);
		else if (team->what == NATIVE_READ)
			part->sink ^= vector->read(from, part->n);
		else
			vector->fill(from, part->n, turn);
	}
}

/* All parts over the time from the first that began to the last that ended. */
static double trial_rate(const struct team *team)
{
	uint64_t first = UINT64_MAX, last = 0;
	double n = 0;

	for (size_t i = 0; i < team->n; i++) {
		const struct part *part = &team->parts[i];

		if (part->start_ns < first)
			first = part->start_ns;
		if (part->end_ns > last)
			last = part->end_ns;
		n += (double)part->n;
	}
	return n / (double)(last > first ? last - first : 1);
}

/*
 * The share of the CPU in what all did in a moment of the last trial: CPUs of
 * several kinds, and such as share a core with others, are not alike, and
 * implementations of OpenCL give more work to those that ask for more.
 */
static double share_of(const struct team *team, size_t i)
{
	double own = 0, all = 0;

	for (size_t k = 0; k < team->n; k++) {
		const struct part *part = &team->parts[k];
		uint64_t ns = part->end_ns - part->start_ns;
		double rate = (double)part->n / (double)(ns ? ns : 1);

		all += rate;
		if (k == i)
			own = rate;
	}
	return own / all;
}

/* What a thread does next, by the shares of all, which hold still. */
static void take_part(const struct team *team, size_t i)
{
	struct part *part = &team->parts[i];
	double before = 0;
	size_t first, end;

	if (!team->memory) {
		double turns = part->share * (double)team->n * team->turns;

		part->n = (size_t)fmin(turns, ARCH_PEAK_TURNS);
		return;
	}
	for (size_t k = 0; k < i; k++)
		before += team->parts[k].share;
	first = round_down((size_t)(before * (double)team->size));
	end = i + 1 == team->n ? team->size
			       : round_down((size_t)((before + part->share) *
						     (double)team->size));
	part->first = first;
	part->n = end - first;
}

/*
 * A thread that does its part, trial by trial, with the others. The parts are
 * equal in every other trial, and in those between them as large as the CPUs
 * were fast just before.
 */
static void *work(void *arg)
{
	struct part *part = arg;
	struct team *team = part->team;
	size_t i = (size_t)(part - team->parts);
	double best = 0;

	if (!pass_gate(team))
		return NULL;
	part->rc = machine_bind_thread(team->machine, part->cpu, &part->err);
	/* Pages lie near who touches them first. */
	part->share = 1.0 / (double)team->n;
	pthread_barrier_wait(&team->ready);
	take_part(team, i);
	if (team->memory)
		memset(team->memory + part->first, 1, part->n);
	if (team->copy)
		memset(team->copy + part->first, 1, part->n);
	for (int trial = 0; trial <= TRIALS; trial++) {
		double share;

		pthread_barrier_wait(&team->ready);
		part->start_ns = timebase_raw_ns();
		if (team->memory)
			touch(part, trial);
		else
			compute(part);
		part->end_ns = timebase_raw_ns();
		pthread_barrier_wait(&team->ready);
		/* Everyone sees the same times, which stand until all met. */
		if (trial > 0)
			best = fmax(best, trial_rate(team));
		share = trial % 2 ? 1.0 / (double)team->n : share_of(team, i);
		pthread_barrier_wait(&team->ready);
		part->share = share;
		pthread_barrier_wait(&team->ready);
		take_part(team, i);
	}
	part->best = best;
	return NULL;
}

/*
 * Four floats at any address: what compilers make of the plain loop by
 * themselves depends on their version and flags, and kernels have vectors.
 */
typedef float four_floats
	__attribute__((vector_size(16), aligned(4), may_alias));

static void add_floats(const struct native_sum *sum, size_t first, size_t n)
{
	const float *a = sum->a + first, *b = sum->b + first;
	float *c = sum->c + first;
	size_t i = 0;

	for (; i + 4 <= n; i += 4)
		*(four_floats *)(c + i) = *(const four_floats *)(a + i) +
					  *(const four_floats *)(b + i);
	for (; i < n; i++)
		c[i] = a[i] + b[i];
}

static void *add_part(void *arg)
{
	struct part *part = arg;
	struct team *team = part->team;

	if (part->bind) {
		cpu_set_t *mask = CPU_ALLOC(part->cpu + 1);
		size_t bytes = CPU_ALLOC_SIZE(part->cpu + 1);

		if (!mask) {
			part->rc = error_no_memory(&part->err, "a set of CPUs");
		} else {
			CPU_ZERO_S(bytes, mask);
			CPU_SET_S(part->cpu, bytes, mask);
			part->rc = -pthread_setaffinity_np(
				pthread_self(), bytes, mask);
			CPU_FREE(mask);
		}
	}
	/* As a program would that creates threads, adds, and joins them. */
	if (!team->with_creation) {
		if (!pass_gate(team))
			return NULL;
		pthread_barrier_wait(&team->ready);
	}
	part->start_ns = timebase_raw_ns();
	add_floats(team->sum, part->first, part->n);
	part->end_ns = timebase_raw_ns();
	return NULL;
}

static int start_failed(int code, struct error *err)
{
	return error_set(err, ERROR_FAILURE, code, "a thread did not start: %s",
		strerror(code));
}

/* Start all threads and wait for their end. */
static int run_team(
	struct team *team, void *(*function)(void *), struct error *err)
{
	int code = 0, rc = 0;

	pthread_mutex_lock(&team->gate);
	for (size_t i = 0; i < team->n && code == 0; i++) {
		team->parts[i].team = team;
		code = pthread_create(&team->parts[i].thread, NULL, function,
			&team->parts[i]);
		team->parts[i].started = code == 0;
	}
	team->failed = code != 0;
	pthread_mutex_unlock(&team->gate);
	for (size_t i = 0; i < team->n; i++) {
		if (team->parts[i].started)
			pthread_join(team->parts[i].thread, NULL);
	}
	if (code)
		return start_failed(code, err);
	for (size_t i = 0; i < team->n && rc == 0; i++) {
		rc = team->parts[i].rc;
		if (rc < 0 && err)
			*err = team->parts[i].err;
	}
	return rc;
}

static int team_init(struct team *team, size_t n, struct error *err)
{
	team->n = n;
	team->parts = calloc(n, sizeof(*team->parts));
	if (!team->parts ||
		pthread_barrier_init(&team->ready, NULL, (unsigned)n) != 0) {
		free(team->parts);
		return error_no_memory(err, "the threads");
	}
	pthread_mutex_init(&team->gate, NULL);
	return 0;
}

static void team_release(struct team *team)
{
	pthread_mutex_destroy(&team->gate);
	pthread_barrier_destroy(&team->ready);
	free(team->parts);
}

int native_rate(const struct machine *machine, const struct cpu_list *cpus,
	enum native_what what, size_t bytes, double *gib_per_s,
	struct error *err)
{
	struct memory_request request = {
		.node = MEMORY_ANY_NODE,
		.pages = MEMORY_PAGES_AUTO,
		.untouched = true,
	};
	struct team team = {.machine = machine, .what = what};
	size_t piece = round_down(bytes / cpus->n), size;
	struct memory memory;
	int rc;

	if (piece == 0)
		piece = PIECE_ALIGN;
	size = piece * cpus->n;
	request.bytes = what == NATIVE_COPY ? 2 * size : size;
	rc = memory_map(&memory, machine, &request, err);
	if (rc < 0)
		return rc;
	rc = team_init(&team, cpus->n, err);
	if (rc == 0) {
		team.memory = memory.base;
		team.copy = what == NATIVE_COPY ? team.memory + size : NULL;
		team.size = size;
		team.turns = 1 + (unsigned)(NATIVE_BYTES_A_CPU / piece);
		for (size_t i = 0; i < cpus->n; i++)
			team.parts[i].cpu = cpus->cpus[i];
		rc = run_team(&team, work, err);
		if (rc == 0)
			*gib_per_s = team.parts[0].best * team.turns * 1e9 /
				     1073741824.0;
		team_release(&team);
	}
	memory_release(&memory);
	return rc;
}

int native_peak(const struct machine *machine, const struct cpu_list *cpus,
	enum native_what what, enum arch_operation operation,
	double *gflop_per_s, struct error *err)
{
	const struct arch_peak *peak = arch_peak_best();
	struct team team = {
		.machine = machine,
		.what = what,
		.operation = operation,
		.turns = operation == ARCH_DIV ? DIVISION_TURNS : PEAK_TURNS,
	};
	double operations = what == NATIVE_FLOAT ? peak->floats : peak->doubles;
	int rc = team_init(&team, cpus->n, err);

	if (rc < 0)
		return rc;
	if (operation == ARCH_MAD)
		operations *= 2;
	for (size_t i = 0; i < cpus->n; i++)
		team.parts[i].cpu = cpus->cpus[i];
	rc = run_team(&team, work, err);
	if (rc == 0)
		*gflop_per_s = operations * team.parts[0].best;
	team_release(&team);
	return rc;
}

int native_add(const struct native_sum *sum, size_t n_threads,
	const struct cpu_list *cpus, bool with_creation, double *s,
	struct error *err)
{
	struct team team = {.sum = sum, .with_creation = with_creation};
	uint64_t start_ns, end_ns, first = UINT64_MAX, last = 0;
	size_t done = 0;
	int rc = team_init(&team, n_threads, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n_threads; i++) {
		struct part *part = &team.parts[i];

		part->first = done;
		done = sum->n * (i + 1) / n_threads;
		part->n = done - part->first;
		part->bind = cpus;
		if (cpus)
			part->cpu = cpus->cpus[i % cpus->n];
	}
	start_ns = timebase_raw_ns();
	rc = run_team(&team, add_part, err);
	end_ns = timebase_raw_ns();
	for (size_t i = 0; i < n_threads; i++) {
		if (team.parts[i].start_ns < first)
			first = team.parts[i].start_ns;
		if (team.parts[i].end_ns > last)
			last = team.parts[i].end_ns;
	}
	*s = (double)(with_creation ? end_ns - start_ns : last - first) * 1e-9;
	team_release(&team);
	return rc;
}

double native_add_alone(const struct native_sum *sum)
{
	uint64_t start_ns = timebase_raw_ns();

	add_floats(sum, 0, sum->n);
	return (double)(timebase_raw_ns() - start_ns) * 1e-9;
}
