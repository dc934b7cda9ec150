#include "native/native.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arch/vector.h"
#include "machine/memory.h"
#include "machine/timebase.h"
#include "native/native_peak.h"
#include "stat/stat.h"
#include "util/size.h"

/*
 * Number of trials of each way, and of the way with the best median. No trial
 * begins after TRIALS_NS, because threads that write the same lines take a
 * hundred times as long as others.
 */
#define FIRST_TRIALS 2
#define TRIALS	     9
#define TRIALS_NS    2e8
#define AGAIN_NS     1e9 /* for repetitions */

/* Spins of a waiting thread before it yields its CPU. */
#define BARRIER_SPINS 1000

/* Number of pieces for each thread: of memory, or of its arithmetic. */
#define PIECES	    4
#define TURN_PIECES 64

/*
 * Least size of a piece of memory. The shared counter gives 16 threads together
 * one piece every 160 ns, so a trial with pieces of 1 KiB takes 170 ms.
 */
#define LEAST_PIECE ((size_t)16 << 10)

/*
 * How often a thread takes turns from the shared counter in a trial. With more
 * accesses to the counter threads are slower: 16 threads read their L1 caches
 * at 3.4 TiB/s in turns of 256 KiB, and at 4.2 TiB/s with this number
 * (bench/ceiling).
 */
#define TAKINGS 64

/*
 * If a part fits into a cache of its CPU, a trial takes some milliseconds, as
 * runs of kernels do, and longer if repeated. Writes to the L2 cache of an AMD
 * Zen 5 begin at 0.78 of the rate that they have after some milliseconds. Reads
 * are faster than writes and copies, so a trial has more of them.
 */
#define OWN_CACHE_BYTES ((size_t)1 << 20)
#define LONGER_READS	16
#define LONGER_WRITES	4
#define LONGER_AGAIN	4

/* Turns of arithmetic in a trial, which take some milliseconds. */
#define PEAK_TURNS     ARCH_PEAK_TURNS
#define DIVISION_TURNS (ARCH_PEAK_TURNS / 8)

/* Loops of copies. Size and C library decide which one is fastest. */
enum copy_loop_kind {
	COPY_LIBC,
	COPY_CACHED,
	COPY_BYPASSING, /* with stores that bypass the caches */
	COPIES,
};

/* Loops of writes. Size and cache decide which one is fastest. */
enum write_loop_kind {
	WRITE_SHORT,
	WRITE_LONG,
	WRITES,
};

/*
 * How threads divide the work: a free thread takes the next piece, the next
 * turn through its own part, or the next round through memory that all share.
 */
enum work_division {
	BY_PIECES,
	BY_TURNS,
	FROM_ONE_PLACE,
	FROM_THEIR_PARTS,
};

#define MOST_WAYS 6

/* A way: a division and a loop, and its rates per nanosecond. */
struct work_way {
	enum work_division division;
	unsigned by;
	double rates[TRIALS];
	size_t n;
};

struct thread_team;

struct team_member {
	struct thread_team *team;
	pthread_t thread;
	bool started;
	unsigned cpu;
	bool bind;
	size_t first, n; /* its part, in bytes or floats */
	double done;	 /* bytes or turns of a trial */
	uint64_t start_ns, end_ns;
	double number_sink;
	struct error err;
	int rc;
};

struct thread_team {
	const struct machine *machine;
	pthread_mutex_t gate; /* held until all threads exist */
	bool failed;	      /* a thread was not created */
	pthread_barrier_t ready;
	struct team_member *parts; /* [n] */
	size_t n;
	const struct native_work *work;
	char *memory, *copy; /* first and second array */
	char *third;	     /* third array of NATIVE_TRIAD */
	struct work_way ways[MOST_WAYS];
	size_t n_ways, way;
	double spent_ns; /* time of all trials */
	bool ended;
	unsigned turns;
	size_t piece, n_pieces; /* piece: bytes or turns */
	atomic_size_t next;	/* next piece or turn */
	atomic_size_t here;	/* arrived threads, over all trials */
	atomic_bool *busy;	/* [n_pieces]: in use by a thread */
	const struct native_sum *sum;
	bool with_creation;
};

/* Wait until all threads are created; return false if one was not created. */
static bool pass_gate(struct thread_team *team)
{
	bool failed;

	pthread_mutex_lock(&team->gate);
	failed = team->failed;
	pthread_mutex_unlock(&team->gate);
	return !failed;
}

static void run_arithmetic(struct team_member *member, size_t turns)
{
	const struct arch_peak *peak = arch_peak_best();
	const struct native_work *work = member->team->work;

	member->number_sink +=
		work->what == NATIVE_FLOAT
			? peak->run_float[work->operation](turns)
			: peak->run_double[work->operation](turns);
	member->done += (double)turns;
}

static void copy_bytes(unsigned by, const struct arch_arrays *arrays)
{
	enum arch_access access = by == COPY_CACHED ? ARCH_COPY : ARCH_NT_COPY;

	for (size_t k = 0; by == COPY_LIBC && k < arrays->rounds; k++)
		memcpy(arrays->a, arrays->b, arrays->bytes);
	if (by != COPY_LIBC)
		arch_vector_widest()->rate[access](arrays);
}

/* Return whether the caller of native_measure() wants it to end. */
static bool team_is_stopped(const struct thread_team *team)
{
	const atomic_bool *stop = team->work->stop;

	return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

static void access_team_chunk(
	struct team_member *member, size_t first, size_t n, unsigned rounds)
{
	struct thread_team *team = member->team;
	static const enum arch_access accesses[] = {
		[NATIVE_READ] = ARCH_READ,
		[NATIVE_WRITE] = ARCH_WRITE,
		[NATIVE_COPY] = ARCH_COPY,
		[NATIVE_TRIAD] = ARCH_TRIAD,
	};
	enum native_what what = team->work->what;
	unsigned by = team->ways[team->way].by;
	struct arch_arrays arrays = {.a = team->memory + first,
		.bytes = n,
		.rounds = rounds,
		.value = 1};

	if (what == NATIVE_COPY) {
		arrays.b = arrays.a;
		arrays.a = team->copy + first;
		copy_bytes(by, &arrays);
	} else if (what == NATIVE_WRITE && by == WRITE_LONG) {
		arch_vector_widest()->write_long(&arrays);
	} else {
		arrays.b = team->copy ? team->copy + first : NULL;
		arrays.c = team->third ? team->third + first : NULL;
		arch_vector_widest()->rate[accesses[what]](&arrays);
	}
	member->done += (double)n * rounds * (what == NATIVE_TRIAD ? 3 : 1);
}

/* Access a part of the memory; between large chunks look for a stop. */
static void access_team_memory(
	struct team_member *member, size_t first, size_t n, unsigned rounds)
{
	for (size_t k = 0; k < n && !team_is_stopped(member->team);
		k += NATIVE_BYTES_A_CPU)
		access_team_chunk(member, first + k,
			min_size(n - k, NATIVE_BYTES_A_CPU), rounds);
}

/*
 * Take the next piece when the thread becomes free, like work-groups of a
 * kernel, so that slower CPUs take fewer pieces. Skip a piece that another
 * thread still uses from the previous turn.
 */
static void run_free_pieces(struct team_member *member)
{
	struct thread_team *team = member->team;
	size_t all = team->n_pieces * (team->memory ? team->turns : 1);
	size_t k;

	while ((k = atomic_fetch_add(&team->next, 1)) < all) {
		size_t i = k % team->n_pieces;

		if (!team->memory) {
			run_arithmetic(member, team->piece);
		} else if (!atomic_exchange(&team->busy[i], true)) {
			access_team_memory(
				member, i * team->piece, team->piece, 1);
			atomic_store(&team->busy[i], false);
		}
	}
}

/*
 * Take the next turn through the thread's own part when the thread becomes
 * free. So slower CPUs do fewer turns, and caches keep their data.
 */
static void run_free_turns(struct team_member *member)
{
	struct thread_team *team = member->team;
	const struct native_work *work = team->work;
	size_t longer =
		(work->what == NATIVE_READ ? LONGER_READS : LONGER_WRITES) *
		(work->again ? LONGER_AGAIN : 1);
	size_t turns = team->turns * (member->n > OWN_CACHE_BYTES ? 1 : longer);
	size_t all = team->n * turns, some = 1 + turns / TAKINGS;

	for (size_t k; (k = atomic_fetch_add(&team->next, some)) < all;)
		access_team_memory(member, member->first, member->n,
			(unsigned)(all - k < some ? all - k : some));
}

/*
 * Read the whole memory, from the same place in all threads or from each
 * thread's own part. A thread takes the next round when it becomes free.
 */
static void run_whole_memory(struct team_member *member, bool from_one_place)
{
	struct thread_team *team = member->team;
	size_t parts = team->n * member->n;
	/* Parts are rounded up to whole grains. */
	size_t grains = 1 + (team->work->bytes - 1) / ARCH_GRAIN;
	size_t bytes = min_size(parts, grains * ARCH_GRAIN);
	size_t first = from_one_place ? 0 : member->first % bytes;
	size_t rounds = 1 + NATIVE_BYTES_A_CPU / bytes;
	size_t all = team->n * rounds, some = 1 + rounds / TAKINGS;

	for (size_t k; (k = atomic_fetch_add(&team->next, some)) < all;) {
		unsigned take = (unsigned)(all - k < some ? all - k : some);

		if (first == 0) {
			access_team_memory(member, 0, bytes, take);
			continue;
		}
		for (unsigned round = 0; round < take; round++) {
			access_team_memory(member, first, bytes - first, 1);
			access_team_memory(member, 0, first, 1);
		}
	}
}

/*
 * Spin until all threads have begun the trial. Threads that sleep in a barrier
 * may wake 100 us apart, a third of a trial.
 */
static void team_wait_at_barrier(struct thread_team *team, size_t trial)
{
	size_t all = team->n * (trial + 1);

	atomic_fetch_add(&team->here, 1);
	for (unsigned spins = 0; atomic_load(&team->here) < all; spins++) {
		/* Another thread may need this CPU. */
		if (spins % BARRIER_SPINS == BARRIER_SPINS - 1)
			sched_yield();
	}
}

static double span_ns(const struct thread_team *team)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < team->n; i++) {
		if (team->parts[i].start_ns < first)
			first = team->parts[i].start_ns;
		if (team->parts[i].end_ns > last)
			last = team->parts[i].end_ns;
	}
	return last > first ? (double)(last - first) : 0;
}

/*
 * Return the sum of the threads' own rates per nanosecond, so that threads that
 * begin or end late do not lower it.
 */
static double team_work_rate(const struct thread_team *team)
{
	double rate = 0;

	for (size_t i = 0; i < team->n; i++) {
		const struct team_member *member = &team->parts[i];

		if (member->end_ns > member->start_ns)
			rate += member->done /
				(double)(member->end_ns - member->start_ns);
	}
	return rate;
}

static void add_way(
	struct thread_team *team, enum work_division division, unsigned by)
{
	struct work_way *way = &team->ways[team->n_ways++];

	way->division = division;
	way->by = by;
}

/* List the ways to try. Arithmetic has no memory, so its turns are pieces. */
static void list_ways(struct thread_team *team)
{
	const struct native_work *work = team->work;
	unsigned kinds = work->what == NATIVE_COPY    ? COPIES
			 : work->what == NATIVE_WRITE ? WRITES
						      : 1;

	if (work->shared) {
		add_way(team, FROM_ONE_PLACE, 0);
		add_way(team, FROM_THEIR_PARTS, 0);
		return;
	}
	for (unsigned by = 0; by < kinds; by++) {
		if (team->memory)
			add_way(team, BY_TURNS, by);
		if (!team->memory || team->piece >= LEAST_PIECE)
			add_way(team, BY_PIECES, by);
	}
}

/* Return the way with the best median. */
static size_t find_best_way(struct thread_team *team)
{
	double best = 0;
	size_t found = 0;

	for (size_t i = 0; i < team->n_ways; i++) {
		struct work_way *way = &team->ways[i];
		double median;

		stat_sort(way->rates, way->n);
		median = stat_median(way->rates, way->n);
		if (median > best) {
			best = median;
			found = i;
		}
	}
	return found;
}

/* As the first thread, choose the way of the next trial, or end. */
static void plan_trial(struct thread_team *team)
{
	double most_ns = team->work->again ? AGAIN_NS : TRIALS_NS;
	size_t least = 0;

	for (size_t i = 1; i < team->n_ways; i++) {
		if (team->ways[i].n < team->ways[least].n)
			least = i;
	}
	team->way = team->ways[least].n < FIRST_TRIALS ? least
						       : find_best_way(team);
	team->ended = team_is_stopped(team) ||
		      team->ways[team->way].n == TRIALS ||
		      (team->ways[least].n > 0 && team->spent_ns > most_ns);
	atomic_store(&team->next, 0);
}

static void work_one_way(struct team_member *member)
{
	struct thread_team *team = member->team;
	enum work_division division = team->ways[team->way].division;

	if (division == BY_PIECES)
		run_free_pieces(member);
	else if (division == BY_TURNS)
		run_free_turns(member);
	else
		run_whole_memory(member, division == FROM_ONE_PLACE);
}

/* First touch places pages near the thread's CPU. memory may be NULL. */
static void touch_part(struct team_member *member, char *memory)
{
	size_t end = member->first + member->n;

	for (size_t k = member->first;
		memory && k < end && !team_is_stopped(member->team);
		k += NATIVE_BYTES_A_CPU)
		memset(memory + k, 1, min_size(end - k, NATIVE_BYTES_A_CPU));
}

static void *do_trials(void *arg)
{
	struct team_member *member = arg;
	struct thread_team *team = member->team;
	struct work_way *way;

	if (!pass_gate(team))
		return NULL;
	member->rc =
		machine_bind_thread(team->machine, member->cpu, &member->err);
	touch_part(member, team->memory);
	touch_part(member, team->copy);
	touch_part(member, team->third);
	for (size_t trial = 0;; trial++) {
		if (member == team->parts)
			plan_trial(team);
		pthread_barrier_wait(&team->ready);
		if (team->ended)
			return NULL;
		member->done = 0;
		team_wait_at_barrier(team, trial);
		member->start_ns = timebase_raw_ns();
		work_one_way(member);
		member->end_ns = timebase_raw_ns();
		pthread_barrier_wait(&team->ready);
		if (member != team->parts)
			continue;
		/* Store the rate of a trial, except for the first trial. */
		way = &team->ways[team->way];
		if (trial > 0)
			way->rates[way->n++] = team_work_rate(team);
		team->spent_ns += span_ns(team);
	}
}

/*
 * Add with the widest registers, because OpenCL kernels use vectors. Compilers
 * do not always vectorise a plain loop.
 */
static void add_floats(const struct native_sum *sum, size_t first, size_t n)
{
	arch_vector_widest()->add(
		sum->a + first, sum->b + first, sum->c + first, n);
}

static void *add_part(void *arg)
{
	struct team_member *member = arg;
	struct thread_team *team = member->team;

	if (member->bind)
		member->rc =
			machine_set_affinity(0, &member->cpu, 1, &member->err);
	/* with_creation: also time creating and joining threads. */
	if (!team->with_creation) {
		if (!pass_gate(team))
			return NULL;
		pthread_barrier_wait(&team->ready);
	}
	member->start_ns = timebase_raw_ns();
	add_floats(team->sum, member->first, member->n);
	member->end_ns = timebase_raw_ns();
	return NULL;
}

static int run_team(
	struct thread_team *team, void *(*function)(void *), struct error *err)
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
		return error_of_call(err, code, "clone3 and clone",
			"c2c could not start a thread");
	for (size_t i = 0; i < team->n && rc == 0; i++) {
		rc = team->parts[i].rc;
		if (rc < 0 && err)
			*err = team->parts[i].err;
	}
	return rc;
}

static int team_init(struct thread_team *team, size_t n, struct error *err)
{
	team->n = n;
	team->n_pieces = PIECES * n;
	team->parts = calloc(n, sizeof(*team->parts));
	team->busy = calloc(team->n_pieces, sizeof(*team->busy));
	if (!team->parts || !team->busy ||
		pthread_barrier_init(&team->ready, NULL, (unsigned)n) != 0) {
		free(team->parts);
		free(team->busy);
		return error_no_memory(err, "the threads");
	}
	pthread_mutex_init(&team->gate, NULL);
	return 0;
}

static void team_release(struct thread_team *team)
{
	pthread_mutex_destroy(&team->gate);
	pthread_barrier_destroy(&team->ready);
	free(team->parts);
	free(team->busy);
}

/* Return the median of the best way, with its interval, or its range. */
static struct native_rate rate_of_team(struct thread_team *team, double unit)
{
	/* find_best_way() sorts the rates. */
	struct work_way *best = &team->ways[find_best_way(team)];
	struct native_rate rate = {
		unit * stat_median(best->rates, best->n), NAN, NAN};

	if (best->n == 0)
		return rate;
	if (stat_median_ci95(best->rates, best->n, &rate.low, &rate.high) < 0) {
		rate.low = best->rates[0];
		rate.high = best->rates[best->n - 1];
	}
	rate.low *= unit;
	rate.high *= unit;
	return rate;
}

/* Run the team on these CPUs. unit is the rate of a byte or turn in a ns. */
static int measure_team(struct thread_team *team, const struct cpu_list *cpus,
	double unit, struct native_rate *rate, struct error *err)
{
	int rc = team_init(team, cpus->n, err);

	if (rc < 0)
		return rc;
	if (!team->memory)
		team->n_pieces = TURN_PIECES * cpus->n;
	for (size_t i = 0; i < cpus->n; i++) {
		team->parts[i].cpu = cpus->cpus[i];
		team->parts[i].n = PIECES * team->piece;
		team->parts[i].first = i * team->parts[i].n;
	}
	list_ways(team);
	rc = run_team(team, do_trials, err);
	if (rc == 0)
		*rate = rate_of_team(team, unit);
	team_release(team);
	return rc;
}

static int measure_memory(struct thread_team *team, const struct cpu_list *cpus,
	struct native_rate *rate, struct error *err)
{
	size_t arrays = team->work->what == NATIVE_TRIAD  ? 3
			: team->work->what == NATIVE_COPY ? 2
							  : 1;
	size_t size;
	struct memory_mapping memory;
	int rc;

	team->piece = team->work->bytes / cpus->n / PIECES;
	team->piece -= team->piece % ARCH_GRAIN;
	if (team->piece == 0)
		team->piece = ARCH_GRAIN;
	size = PIECES * team->piece * cpus->n;
	rc = memory_map_huge(&memory, arrays * size, err);
	if (rc < 0)
		return rc;
	team->memory = memory.base;
	team->copy = arrays > 1 ? team->memory + size : NULL;
	team->third = arrays > 2 ? team->memory + 2 * size : NULL;
	team->turns =
		1 + (unsigned)(NATIVE_BYTES_A_CPU / (PIECES * team->piece));
	rc = measure_team(team, cpus, 1e9 / 1073741824.0, rate, err);
	memory_release(&memory);
	return rc;
}

int native_measure(const struct machine *machine, const struct cpu_list *cpus,
	const struct native_work *work, struct native_rate *rate,
	struct error *err)
{
	const struct arch_peak *peak = arch_peak_best();
	struct thread_team team = {.machine = machine, .work = work};
	double operations = work->operation == ARCH_MAD ? 2 : 1;

	if (!native_computes(work->what))
		return measure_memory(&team, cpus, rate, err);
	operations *= work->what == NATIVE_FLOAT ? peak->floats : peak->doubles;
	team.turns = work->operation == ARCH_DIV ? DIVISION_TURNS : PEAK_TURNS;
	team.piece = team.turns / TURN_PIECES;
	return measure_team(&team, cpus, operations, rate, err);
}

int native_add(const struct native_sum *sum, const struct native_crew *crew,
	double *s, struct error *err)
{
	struct thread_team team = {
		.sum = sum, .with_creation = crew->with_creation};
	uint64_t start_ns = timebase_raw_ns();
	double ns;
	int rc;

	if (crew->n == 0) {
		add_floats(sum, 0, sum->n);
		*s = (double)(timebase_raw_ns() - start_ns) * 1e-9;
		return 0;
	}
	rc = team_init(&team, crew->n, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0, done = 0; i < crew->n; i++) {
		struct team_member *member = &team.parts[i];

		member->first = done;
		done = sum->n * (i + 1) / crew->n;
		member->n = done - member->first;
		member->bind = crew->cpus;
		if (crew->cpus)
			member->cpu = crew->cpus->cpus[i % crew->cpus->n];
	}
	start_ns = timebase_raw_ns();
	rc = run_team(&team, add_part, err);
	ns = (double)(timebase_raw_ns() - start_ns);
	*s = (crew->with_creation ? ns : span_ns(&team)) * 1e-9;
	team_release(&team);
	return rc;
}
