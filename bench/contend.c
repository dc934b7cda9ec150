/*
 * Does c2c contend report the rates that bare loops reach?
 *
 * The probe of c2c contend and the loops below work on one line, on the same
 * threads and CPUs. The loops were written by hand for this program, and share
 * no code with the probe. The threads meet, then each thread repeats its
 * operation for as long as the probe's window. It looks at its clock after
 * 1,024 operations of all CPUs together (128 for locks), or after 16,384 loads
 * or stores of its own. At the end, it divides the number of its operations by
 * the elapsed time. Each turn runs the probe and the loops in random order.
 * Slow changes, for example of the places of vCPUs, do not affect the ratio of
 * the two visits of a turn.
 *
 * Usage: contend [CPUS [TURNS]]   (default 0,1 and 200)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/crew.h"
#include "machine/machine.h"
#include "machine/timebase.h"
#include "probe/probe_contend.h"
#include "probe/undisturbed.h"
#include "stat/stat.h"

#define MOST_CPUS  1024
#define WARM_NS	   100000.0
#define WINDOW_NS  300000.0
#define BLOCK	   1024
#define LONG_BLOCK 16384 /* if an operation takes less than 1 ns */
#define LOCK_BLOCK 128
#define PATIENCE_S 20

/* The kind of a visit, stored in visit->pass. */
enum kind {
	C2C,
	BARE,
	KINDS
};

/* The line for which bare loops compete, and the words at which they meet. */
static struct {
	/*
	 * One alignment for all three members would put each on its own line.
	 */
	_Alignas(PROBE_LINE_STRIDE) uint64_t word;
	uint64_t serving, counter;
	_Alignas(PROBE_LINE_STRIDE) uint32_t here;
	_Alignas(PROBE_LINE_STRIDE) uint32_t gone;
} line;

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "contend: %s\n", what);
	exit(1);
}

static void bare_load(int n)
{
	for (int i = 0; i < n; i++)
		(void)*(volatile uint64_t *)&line.word;
}

static void bare_store(int n)
{
	for (int i = 0; i < n; i++)
		*(volatile uint64_t *)&line.word = (uint64_t)i;
}

static void bare_add(int n)
{
	for (int i = 0; i < n; i++) {
#if defined(__x86_64__)
		uint64_t one = 1;

		__asm__ volatile("lock xaddq %0, %1"
				 : "+r"(one), "+m"(line.word)
				 :
				 : "memory", "cc");
#else
		__atomic_fetch_add(&line.word, 1, __ATOMIC_ACQ_REL);
#endif
	}
}

static void bare_exchange(int n)
{
	for (int i = 0; i < n; i++) {
#if defined(__x86_64__)
		uint64_t value = (uint64_t)i;

		__asm__ volatile("xchgq %0, %1"
				 : "+r"(value), "+m"(line.word)
				 :
				 : "memory");
#else
		__atomic_exchange_n(&line.word, (uint64_t)i, __ATOMIC_ACQ_REL);
#endif
	}
}

static void bare_cas(int n)
{
	for (int i = 0; i < n; i++) {
		uint64_t seen = __atomic_load_n(&line.word, __ATOMIC_RELAXED);

		while (!__atomic_compare_exchange_n(&line.word, &seen, seen + 1,
			false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			;
	}
}

static void bare_lock(int n)
{
	for (int i = 0; i < n; i++) {
		uint64_t mine =
			__atomic_fetch_add(&line.word, 1, __ATOMIC_RELAXED);

		while (__atomic_load_n(&line.serving, __ATOMIC_ACQUIRE) != mine)
			;
		*(volatile uint64_t *)&line.counter += 1;
		__atomic_store_n(&line.serving, mine + 1, __ATOMIC_RELEASE);
	}
}

/* The loops are in the order of contend_operations[]. */
static void (*const bare[])(int n) = {
	bare_load, bare_store, bare_add, bare_exchange, bare_cas, bare_lock};

static const int blocks[] = {
	LONG_BLOCK, LONG_BLOCK, BLOCK, BLOCK, BLOCK, LOCK_BLOCK};

#define OPERATIONS (sizeof(bare) / sizeof(*bare))

/*
 * Count the operations a second of one CPU. Return false if the thread was
 * interrupted.
 */
static bool bare_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	const double begin_at = WARM_NS / params->ns_per_tick;
	const double end_at = (WARM_NS + WINDOW_NS) / params->ns_per_tick;
	/*
	 * If many CPUs change one line, an operation of each CPU takes longer.
	 */
	const int share = blocks[visit->variant] / (int)visit->n_seconds + 1;
	const int block = visit->variant < 2 ? LONG_BLOCK : share;
	uint64_t start, begin = 0, now, done = 0;
	long switches = -probe_switches();

	__atomic_fetch_add(&line.here, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&line.here, __ATOMIC_ACQUIRE) < visit->n_seconds)
		;
	start = timebase_begin(params->counter);
	do {
		bare[visit->variant](block);
		now = timebase_end(params->counter);
		if (begin)
			done += (uint64_t)block;
		else if ((double)(now - start) >= begin_at)
			begin = now;
	} while ((double)(now - start) < end_at);
	switches += probe_switches();
	if (__atomic_add_fetch(&line.gone, 1, __ATOMIC_ACQ_REL) ==
		visit->n_seconds)
		memset(&line, 0, sizeof(line));
	ticks[0] =
		(int64_t)((double)done /
			  ((double)(now - begin) * params->ns_per_tick * 1e-9));
	return switches == 0;
}

static bool turn_second(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->pass == C2C ? probe_contend.second(visit, ticks)
				  : bare_second(visit, ticks);
}

static bool turn_first(const struct probe_visit *visit, int64_t *ticks)
{
	return probe_contend.first(visit, ticks);
}

static void turn_abandon(void *slot)
{
	(void)slot;
	die("a CPU did not come back");
}

static const struct probe turn_probe = {
	.name = "turn",
	.second_cell = PROBE_FORWARD,
	.counts = {true},
	.first = turn_first,
	.second = turn_second,
	.abandon = turn_abandon,
};

/*
 * Return million operations a second of all CPUs, or NaN if a thread was
 * interrupted.
 */
static double run_visit(
	struct crew *crew, struct crew_visit visit, enum kind kind)
{
	static double others[MOST_CPUS];
	size_t ends[] = {1};
	struct crew_program program = {&visit, ends, 1, 1};
	struct crew_report outcome;
	double sum;

	visit.pass = kind;
	visit.other_ticks = others;
	if (crew_run(crew, &program, &outcome) != CREW_DONE)
		die(outcome.error.code ? outcome.error.text
				       : "a CPU did not do its part");
	sum = visit.ticks[1];
	for (uint32_t i = 0; i < visit.n_others; i++)
		sum += others[i];
	return sum * 1e-6;
}

/* values[kind] has a value for each turn; values[KINDS] has the ratios. */
static void report(struct crew *crew, const struct contend_point *point,
	struct crew_visit visit, size_t turns)
{
	double *values[KINDS + 1], low = NAN, high = NAN;
	struct stat_random random;
	size_t n = 0;

	for (int k = 0; k <= KINDS; k++) {
		values[k] = calloc(turns, sizeof(double));
		if (!values[k])
			abort();
	}
	stat_random_init(&random, visit.variant);
	run_visit(crew, visit, C2C);
	for (size_t t = 0; t < turns; t++) {
		enum kind first = stat_random_below(&random, 2) ? BARE : C2C;

		values[first][n] = run_visit(crew, visit, first);
		values[BARE - first][n] = run_visit(crew, visit, BARE - first);
		values[KINDS][n] = values[C2C][n] / values[BARE][n];
		n += !isnan(values[KINDS][n]);
	}
	stat_sort(values[KINDS], n);
	stat_median_ci95(values[KINDS], n, &low, &high);
	printf("%-9s %4u %9.1f %9.1f %8.3f (%.3f, %.3f) %8.3f %6.3f\n",
		point->operation->name, point->n_cpus,
		stat_median(values[C2C], n), stat_median(values[BARE], n),
		stat_quantile(values[KINDS], n, 0.5), low, high,
		stat_quantile(values[KINDS], n, 0.25),
		stat_quantile(values[KINDS], n, 0.75));
	for (int k = 0; k <= KINDS; k++)
		free(values[k]);
}

/* Run every operation on the first CPU alone, and on all CPUs. */
static void run(struct crew *crew, const struct contend_context *context,
	void *block, size_t turns)
{
	static uint32_t others[MOST_CPUS];

	for (uint32_t i = 0; i + 1 < context->cpus->n; i++)
		others[i] = i + 1;
	printf("%-9s %4s %9s %9s %8s %14s %9s %6s\n", "", "CPUs", "c2c", "bare",
		"ratio", "its 95 %", "p25", "p75");
	for (uint32_t v = 0; v < OPERATIONS; v++) {
		struct contend_point *point =
			(struct contend_point *)&context->points[v];
		struct crew_visit visit = {
			.variant = v, .others = others, .slots = block};

		point->n_cpus = 1;
		report(crew, point, visit, turns);
		point->n_cpus = (uint32_t)context->cpus->n;
		visit.n_others = point->n_cpus - 1;
		if (visit.n_others)
			report(crew, point, visit, turns);
	}
}

int main(int argc, char **argv)
{
	static struct contend_point points[OPERATIONS];
	static uint32_t order[MOST_CPUS];
	static atomic_bool stop;
	struct cpu_list cpus = {NULL, 0};
	struct contend_context context = {
		.points = points, .n_points = OPERATIONS, .cpus = &cpus};
	struct probe_params params = {
		.samples = 1, .slots = 1, .context = &context};
	struct crew_options options = {.cpus = &cpus,
		.probe = &turn_probe,
		.params = &params,
		.idle = CREW_SPIN,
		.patience_s = PATIENCE_S,
		.stop = &stop};
	size_t turns = argc > 2 ? (size_t)atol(argv[2]) : 200;
	struct timebase timebase;
	struct machine *machine;
	struct crew *crew;
	struct error err;
	void *block;

	if (machine_new(&machine, &err) < 0 ||
		timebase_init(&timebase, &err) < 0 ||
		machine_select(machine, argc > 1 ? argv[1] : "0,1",
			MACHINE_PER_PU, &cpus, &err) < 0 ||
		contend_init(&context, &err) < 0)
		die(err.text);
	if (turns == 0 || cpus.n > MOST_CPUS)
		die("no turns, or too many CPUs");
	block = aligned_alloc(PROBE_SLOT_BYTES, contend_block_bytes(cpus.n));
	if (!block)
		abort();
	memset(block, 0, contend_block_bytes(cpus.n));
	for (uint32_t i = 0; i < cpus.n; i++)
		order[i] = i;
	for (size_t i = 0; i < OPERATIONS; i++)
		points[i] = (struct contend_point){
			.operation = &contend_operations[i], .order = order};
	params.counter = timebase.counter;
	params.ns_per_tick = 1e9 / timebase.hz;
	options.machine = machine;
	if (crew_new(&crew, &options, &err) < 0)
		die(err.text);
	run(crew, &context, block, turns);
	crew_free(crew);
	contend_release(&context);
	free(block);
	cpu_list_release(&cpus);
	machine_free(machine);
	return 0;
}
