/*
 * Does c2c states report what bare loops measure?
 *
 * Each turn runs the probe of c2c states and the loops below in random order,
 * on the same two or three threads, CPUs and memory. Slow changes, for example
 * of the places of vCPUs, do not affect the ratio of the two visits of a turn.
 * The loops were written by hand for this program, and share no code with the
 * probe: they meet at their own counters, draw their own order, and time an
 * array of addresses or a chain.
 *
 * The last row compares a load of a line that this CPU has exclusive with a
 * load of c2c cache from a working set in L2. The two loads alternate on one
 * thread.
 *
 * Usage: states [A,B[,C] [TURNS]]   (default 0,1 and 60)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/crew.h"
#include "machine/machine.h"
#include "machine/memory.h"
#include "machine/timebase.h"
#include "probe/chase.h"
#include "probe/probe_states.h"
#include "stat/stat.h"

#define LINES	   1024
#define EACH_PAGE  (4096 / PITCH)
#define L2_BYTES   ((size_t)128 << 10)
#define PITCH	   128
#define PAGE_LINES 16384
#define PATIENCE_S 20

/* The kind of a visit, stored in visit->pass with the number of the turn. */
enum kind {
	C2C,
	BARE,
	CACHE,
	KINDS
};

/*
 * Each word has its own line, so that a waiting thread disturbs no other
 * thread.
 */
static struct {
	_Alignas(256) uint32_t ready;
	_Alignas(256) uint32_t shared;
	_Alignas(256) uint32_t walked;
} meet;

static struct states_context context;
static struct states_level levels[2];
static struct states_point points[2 * LINE_STATES * LINE_OPERATIONS];
static struct chase_context chases;
static char *page;
static uint32_t spread_order[PAGE_LINES], dense_order[PAGE_LINES];
static uint32_t n_order; /* lines in each order */
static const uint32_t *bare_order;
static uint32_t turn_number;
static double ns_per_tick;

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "states: %s\n", what);
	exit(1);
}

static void await(const uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
		__asm__ volatile("" ::: "memory");
}

static void tell(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static void drain(void)
{
#if defined(__x86_64__)
	__asm__ volatile("mfence" ::: "memory");
#else
	__asm__ volatile("dsb ish" ::: "memory");
#endif
}

static void flush(char *line)
{
#if defined(__x86_64__)
	__asm__ volatile("clflush (%0)" ::"r"(line) : "memory");
#else
	__asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
#endif
}

static uint64_t now(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence"
			 : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
#else
	uint64_t ticks;

	__asm__ volatile("dsb ish\n\tisb\n\tmrs %0, cntvct_el0\n\tisb"
			 : "=r"(ticks)::"memory");
	return ticks;
#endif
}

static const uint32_t *order_of_turn(void)
{
	return bare_order + turn_number % (n_order / LINES) * LINES;
}

static void link_lines(void)
{
	const uint32_t *order = order_of_turn();

	for (int i = 0; i < LINES; i++)
		*(char *volatile *)(void *)(page + order[i] * PITCH) =
			page + order[(i + 1) % LINES] * PITCH;
	drain();
}

static char *follow_lines(void)
{
	char *at = page + order_of_turn()[0] * PITCH;

	for (int i = 0; i < LINES; i++)
		at = *(char **)(void *)at;
	__asm__ volatile("" : "+r"(at)::"memory");
	return at;
}

static void bare_hold(enum line_state state)
{
	const uint32_t *order = order_of_turn();

	link_lines();
	for (int i = 0; i < LINES; i++)
		flush(page + order[i] * PITCH);
	drain();
	if (state == LINE_MODIFIED || state == LINE_READ_BACK)
		link_lines();
	else if (state != LINE_IN_MEMORY)
		follow_lines();
	drain();
}

static void bare_adds(char *at)
{
	for (int i = 0; i < LINES; i++) {
#if defined(__x86_64__)
		char *next = NULL;

		__asm__ volatile("lock xaddq %0, (%1)"
				 : "+r"(next)
				 : "r"(at)
				 : "memory", "cc");
		at = next;
#else
		ptrdiff_t zero = 0;

		__asm__ volatile("" : "+r"(zero));
		at = __atomic_fetch_add(
			(char **)(void *)at, zero, __ATOMIC_ACQ_REL);
#endif
	}
	__asm__ volatile("" ::"r"(at) : "memory");
}

static void bare_stores(char *lines, const uint32_t *order)
{
	for (int i = 0; i < LINES; i++) {
		*(volatile int *)(void *)(lines + order[i] * PITCH + 8) = i;
		drain();
	}
}

static void bare_flushes(char *lines, const uint32_t *order)
{
	for (int i = 0; i < LINES; i++) {
		flush(lines + order[i] * PITCH);
		drain();
	}
}

static void bare_access(enum line_operation operation)
{
	const uint32_t *order = order_of_turn();

	if (operation == LINE_LOAD)
		follow_lines();
	else if (operation == LINE_ADD)
		bare_adds(page + order[0] * PITCH);
	else if (operation == LINE_STORE)
		bare_stores(page, order);
	else
		bare_flushes(page, order);
}

static void warm_translations(void)
{
	const uint32_t *order = order_of_turn();

	for (int i = 0; i < LINES; i++)
		(void)*(volatile char *)(page + order[i] / EACH_PAGE *
							EACH_PAGE * PITCH);
}

static bool chase_first(int64_t *ticks)
{
	uint64_t begin;

	chase_loads(chases.rings, 4 * L2_BYTES / CHASE_LINE_BYTES, true);
	chase_loads(chases.rings, LINES, false);
	begin = now();
	chase_loads(chases.rings, LINES, false);
	ticks[0] = (int64_t)(now() - begin);
	return true;
}

static bool states_first(const struct probe_visit *visit, int64_t *ticks)
{
	const struct states_point *point = &points[visit->variant];
	uint64_t begin;

	if (visit->pass % KINDS == C2C)
		return probe_states.first(visit, ticks);
	if (visit->pass % KINDS == CACHE)
		return chase_first(ticks);
	if (levels[point->level].holder == visit->first_cpu) {
		bare_hold(point->state);
		tell(&meet.ready, turn_number);
	}
	await(line_state_needs_third(point->state) ? &meet.shared : &meet.ready,
		turn_number);
	warm_translations();
	begin = now();
	bare_access(point->operation);
	ticks[0] = (int64_t)(now() - begin);
	tell(&meet.walked, turn_number);
	return true;
}

static bool states_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct states_point *point = &points[visit->variant];

	if (visit->pass % KINDS == C2C)
		return probe_states.second(visit, ticks);
	if (visit->first_cpu == visit->second_cpu)
		return true;
	if (visit->second_cpu == levels[point->level].holder) {
		bare_hold(point->state);
		tell(&meet.ready, turn_number);
	} else {
		await(&meet.ready, turn_number);
		follow_lines();
		drain();
		tell(&meet.shared, turn_number);
	}
	await(&meet.walked, turn_number);
	return true;
}

static const struct probe both = {
	.name = "states",
	.summary = "c2c or bare loops",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_NOTHING,
	.first = states_first,
	.second = states_second,
	.abandon = probe_abandon_word,
};

/* Return the ticks of one visit, or NaN if the visit does not count. */
static double visit_once(struct crew *crew, void *slots, uint32_t variant,
	uint32_t pass, bool third)
{
	static const uint32_t third_member[] = {2};
	struct crew_visit visit = {
		.first = 0,
		.second = levels[points[variant].level].holder !=
			  levels[points[variant].level].reader,
		.variant = variant,
		.pass = pass,
		.n_others = third,
		.others = third_member,
		.slots = slots,
	};
	double other_ticks;
	size_t step_end = 1;
	const struct crew_program program = {&visit, &step_end, 1, 1};
	struct crew_report report;

	bare_order = states_lines_of(&context, variant) == &context.dense
			     ? dense_order
			     : spread_order;
	visit.other_ticks = &other_ticks;
	turn_number++;
	if (crew_run(crew, &program, &report) != CREW_DONE)
		die("a visit did not end");
	return visit.ticks[0];
}

/* Compare the probe with another kind at one point, and print a row. */
static void compare_point(struct crew *crew, void *slots, uint32_t variant,
	enum kind other, uint32_t turns, struct stat_random *random)
{
	static const char *const states[] = {LINE_STATE_WORDS(WORDS_LIST)};
	static const char *const operations[] = {
		LINE_OPERATION_WORDS(WORDS_LIST)};
	const struct states_point *point = &points[variant];
	bool third = line_state_needs_third(point->state);
	double *took[KINDS], *ratio = calloc(turns, sizeof(*ratio));
	double low = NAN, high = NAN, middle;
	size_t n = 0;

	for (int kind = 0; kind < KINDS; kind++)
		took[kind] = calloc(turns, sizeof(double));
	for (uint32_t turn = 0; turn < turns; turn++) {
		uint64_t first = stat_random_below(random, 2);
		double ticks[KINDS];

		for (uint32_t k = 0; k < 2; k++) {
			uint32_t kind = k == first ? C2C : other;

			ticks[kind] = visit_once(crew, slots, variant,
				KINDS * turn + kind, third);
		}
		if (isnan(ticks[C2C]) || isnan(ticks[other]))
			continue;
		took[C2C][n] = ticks[C2C] * ns_per_tick / LINES;
		took[other][n] = ticks[other] * ns_per_tick / LINES;
		ratio[n] = ticks[C2C] / ticks[other];
		n++;
	}
	stat_sort(ratio, n);
	middle = stat_quantile(ratio, n, 0.5);
	stat_median_ci95(ratio, n, &low, &high);
	printf("%-5s  %-6s %-18s %8.2f %8.2f   %6.3f [%.3f, %.3f]  %zu\n",
		other == CACHE ? "cache"
		: point->level ? "pair"
			       : "self",
		operations[point->operation], states[point->state],
		stat_median(took[C2C], n), stat_median(took[other], n), middle,
		low, high, n);
	fflush(stdout);
	for (int kind = 0; kind < KINDS; kind++)
		free(took[kind]);
	free(ratio);
}

/*
 * Return the one-way time between both CPUs, as the first scan of c2c measures
 * it.
 */
static double scan(
	const struct probe_params *params, struct crew *crew, void *slots)
{
	double least = INFINITY;

	for (int i = 0; i < 5; i++) {
		struct crew_visit visit = {.first = 0,
			.second = 1,
			.variant = STATES_PING,
			.slots = slots};
		size_t step_end = 1;
		const struct crew_program program = {&visit, &step_end, 1, 1};
		struct crew_report report;

		if (crew_run(crew, &program, &report) != CREW_DONE)
			die("the scan did not end");
		least = fmin(least, probe_states.scale(params, STATES_PING,
					    (double)visit.ticks[0]));
	}
	return least;
}

static void draw_bare_orders(struct stat_random *random)
{
	static uint32_t lines[PAGE_LINES], all[PAGE_LINES], order[LINES];
	uint32_t n = 0;

	stat_shuffle(random, all, PAGE_LINES);
	for (uint32_t i = 0; i < PAGE_LINES; i++) {
		if (i % EACH_PAGE)
			lines[n++] = i;
		if (all[i] % EACH_PAGE)
			spread_order[n_order++] = all[i];
	}
	for (uint32_t at = 0; at + LINES <= n; at += LINES) {
		stat_shuffle(random, order, LINES);
		for (uint32_t i = 0; i < LINES; i++)
			dense_order[at + i] = lines[at + order[i]];
	}
}

static size_t parse_cpus(const char *text, unsigned cpus[3])
{
	int n = sscanf(text, "%u,%u,%u", &cpus[0], &cpus[1], &cpus[2]);

	if (n < 2)
		die("usage: states [A,B[,C] [TURNS]]");
	return (size_t)n;
}

int main(int argc, char **argv)
{
	unsigned numbers[3] = {0, 1, 0};
	struct cpu_list cpus = {
		numbers, argc > 1 ? parse_cpus(argv[1], numbers) : 2};
	uint32_t turns = argc > 2 ? (uint32_t)atoi(argv[2]) : 60;
	struct memory_request request = {.bytes = STATES_BLOCK_BYTES,
		.pages = MEMORY_PAGES_AUTO,
		.node = MEMORY_ANY_NODE};
	struct memory_mapping block, bare_block;
	const struct chase_spec spec = {.bytes = L2_BYTES};
	const struct chase_plan plan = {
		.specs = &spec, .n = 1, .seed = 1, .request = request};
	struct probe_params params = {.samples = 1, .context = &context};
	struct crew_options options = {.cpus = &cpus,
		.probe = &both,
		.params = &params,
		.idle = CREW_SPIN,
		.patience_s = PATIENCE_S};
	atomic_bool stop = false;
	struct stat_random random;
	struct timebase timebase;
	struct machine *machine;
	struct crew *crew;

	options.stop = &stop;
	if (machine_new(&machine, NULL) < 0 ||
		timebase_init(&timebase, NULL) < 0 ||
		memory_map(&block, machine, &request, NULL) < 0 ||
		memory_map(&bare_block, machine, &request, NULL) < 0 ||
		chase_init(&chases, &plan, machine, NULL) < 0)
		die("no machine, no clock or no memory");
	if (!timebase.counter)
		die("this needs the cycle counter");
	page = bare_block.base;
	ns_per_tick = 1e9 / timebase.hz;
	options.machine = machine;
	params.counter = true;
	params.ns_per_tick = ns_per_tick;
	stat_random_init(&random, 1);
	draw_bare_orders(&random);
	levels[0] = (struct states_level){
		numbers[0], numbers[0], numbers[2], cpus.n > 2, NAN};
	levels[1] = (struct states_level){
		numbers[0], numbers[1], numbers[2], cpus.n > 2, NAN};
	context.points = points;
	context.levels = levels;
	for (uint32_t i = 0; i < 2 * LINE_STATES * LINE_OPERATIONS; i++)
		points[i] = (struct states_point){
			(enum line_state)(i % LINE_STATES),
			(enum line_operation)(
				i / LINE_STATES % LINE_OPERATIONS),
			i / (LINE_STATES * LINE_OPERATIONS)};
	if (states_init(&context, LINES, 1, NULL) < 0 ||
		crew_new(&crew, &options, NULL) < 0)
		die("no memory or no threads");
	params.context = &context;
	levels[1].one_way_ns = scan(&params, crew, block.base);
	printf("CPUs %u and %u, %.1f ns one way; pages: %zu and %zu of 2 MiB "
	       "huge\n",
		numbers[0], numbers[1], levels[1].one_way_ns, block.huge_bytes,
		bare_block.huge_bytes);
	puts("level  operation and state          c2c ns  bare ns   ratio and "
	     "its 95 % interval  turns");
	for (uint32_t v = 0; v < 2 * LINE_STATES * LINE_OPERATIONS; v++) {
		if (cpus.n < 3 && line_state_needs_third(points[v].state))
			continue;
		compare_point(crew, block.base, v, BARE, turns, &random);
	}
	compare_point(crew, block.base, LINE_EXCLUSIVE, CACHE, turns, &random);
	crew_free(crew);
	states_release(&context);
	chase_release(&chases);
	memory_release(&block);
	memory_release(&bare_block);
	machine_free(machine);
	return 0;
}
