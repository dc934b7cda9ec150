/*
 * states: the holder puts lines into a state, and the reader accesses each of
 * them once.
 *
 * The holder links the lines to a chain in random order and flushes the lines.
 * Then the holder writes or reads the lines, or leaves them in memory. For some
 * states a third CPU then reads the lines. The reader walks along the chain
 * (load, add) or a list of addresses (store, flush).
 *
 * Timed: one walk of the reader over all lines. Not timed: putting the lines
 * into the state, and a load by the reader from each page, which brings the
 * translations into its TLB.
 *
 * Reader and holder bounce lines before and after each walk. A walk is valid
 * only if both times agree with the first scan, because a host may move a vCPU.
 * Otherwise the reader tries again, and finally drops the visit.
 *
 * Lines are 128 bytes apart and in random order over the whole block. In
 * address order, prefetchers made a walk 3 to 14 times too fast; with lines 64
 * bytes apart, one pair had 83 ns and then 42 ns. Lines of another core took 57
 * to 73 ns if a walk used every line of 34 pages, but 90 to 98 ns in walks over
 * the whole block.
 *
 * Walks over the reader's own lines, which are in its L2 cache, use every line
 * of 34 pages. A line then took 3.25 ns, as with c2c cache (3.24 ns). Over the
 * whole block it took 4.6 ns, because without huge pages, also on the host,
 * walks miss the first-level TLB.
 *
 * Known biases: reading the clock takes 0.01 to 0.1 ns for each line. Without
 * huge pages, other walks also miss the first-level TLB. Shared lines are made
 * by two reads after a flush, because on some CPUs a line that one CPU wrote
 * and another read needs a further transfer.
 */
#include "probe/probe_states.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "machine/timebase.h"
#include "probe/rendezvous.h"
#include "probe/undisturbed.h"
#include "stat/stat.h"

/*
 * One of this many lines is reserved: the reader loads one reserved line of
 * each base page before a walk, and pings use some.
 */
#define RESERVED_EACH (4096 / STATES_PITCH_BYTES)

#define BLOCK_LINES (STATES_BLOCK_BYTES / STATES_PITCH_BYTES)

/* Lines of a ping; the latency of one line may differ by a quarter. */
#define PING_LINES 16

/* Round trips on each line, of which the first fetches the line. */
#define PING_TURNS 8

/*
 * A pair has moved if its ping is longer or shorter than the first scan by this
 * factor. On one machine, one-way latencies of a level were 64 to 88 ns.
 */
#define MOVED_FACTOR 1.5

/* Phases of the first try of a visit; each later try adds PHASES. */
enum {
	PHASE_PINGED,
	PHASE_HELD, /* the holder has accessed the lines */
	PHASE_READ, /* the third CPU has read them */
	PHASE_WALKED,
	PHASES
};

/* The visit has ended. */
#define PHASE_QUIT (UINT32_MAX / 2)

/* One CPU's view of a visit. */
struct states_half {
	const struct probe_visit *visit;
	const struct states_context *context;
	const uint32_t *order; /* [lines] of this visit */
	uint32_t lines;
	uint32_t pings; /* done so far */
};

static void shuffle_lines(
	uint32_t *order, uint32_t n, struct stat_random *random)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = (uint32_t)stat_random_below(random, i);
		uint32_t line = order[i - 1];

		order[i - 1] = order[j];
		order[j] = line;
	}
}

/* Draw n lines for each visit, from the whole block or from adjacent pages. */
static int draw_states_lines(struct states_lines *lines, uint32_t n, bool dense,
	struct stat_random *random, struct error *err)
{
	uint32_t all = 0, window;

	lines->order = calloc(BLOCK_LINES, sizeof(*lines->order));
	if (!lines->order)
		return error_no_memory(err, "the order of the lines");
	for (uint32_t i = PROBE_SLOT_BYTES / STATES_PITCH_BYTES;
		i < BLOCK_LINES; i++) {
		if (i % RESERVED_EACH)
			lines->order[all++] = i;
	}
	lines->n = n;
	lines->sets = all / n;
	window = dense ? n : all;
	for (uint32_t at = 0; at + window <= all; at += window)
		shuffle_lines(lines->order + at, window, random);
	return 0;
}

int states_init(struct states_context *context, uint32_t lines, uint64_t seed,
	struct error *err)
{
	struct stat_random random;
	int rc;

	stat_random_init(&random, seed);
	rc = draw_states_lines(&context->spread, lines, false, &random, err);
	if (rc == 0)
		rc = draw_states_lines(&context->dense,
			lines < STATES_LINES ? lines : STATES_LINES, true,
			&random, err);
	return rc;
}

void states_release(struct states_context *context)
{
	free(context->spread.order);
	free(context->dense.order);
	context->spread.order = NULL;
	context->dense.order = NULL;
}

const struct states_lines *states_lines_of(
	const struct states_context *context, uint32_t variant)
{
	const struct states_point *point = &context->points[variant];
	const struct states_level *level = &context->levels[point->level];
	bool hit = point->operation == LINE_LOAD
			   ? point->state <= LINE_SHARED
			   : point->operation != LINE_FLUSH &&
				     point->state <= LINE_EXCLUSIVE;

	return hit && level->holder == level->reader ? &context->dense
						     : &context->spread;
}

static void *states_line(const struct states_half *half, uint32_t line)
{
	return (char *)half->visit->slots + line * STATES_PITCH_BYTES;
}

/* Walk n lines. Each line holds the address of the next. */
static __attribute__((noinline)) void *walk_loads(void *at, uint32_t n)
{
	arch_align_loop();
	do {
		at = *(void **)at;
	} while (--n);
	return at;
}

static __attribute__((noinline)) void *walk_adds(void *at, uint32_t n)
{
	ptrdiff_t zero = 0;

	/* Hide the 0 from the compiler, which would emit a load. */
	__asm__("" : "+r"(zero));
	arch_align_loop();
	do {
		at = atomic_fetch_add_explicit(
			(_Atomic(char *) *)at, zero, memory_order_acq_rel);
	} while (--n);
	return at;
}

static __attribute__((noinline)) void walk_stores(
	char *base, const uint32_t *order, uint32_t n)
{
	arch_align_loop();
	do {
		void *line = base + *order++ * STATES_PITCH_BYTES;

		/* Spare the first word, which links the chain. */
		atomic_store_explicit(
			(_Atomic uint64_t *)line + 1, n, memory_order_relaxed);
		arch_fence();
	} while (--n);
}

static __attribute__((noinline)) void walk_flushes(
	const char *base, const uint32_t *order, uint32_t n)
{
	arch_align_loop();
	do {
		arch_flush_line(base + *order++ * STATES_PITCH_BYTES);
		arch_fence();
	} while (--n);
}

static void states_read_lines(const struct states_half *half)
{
	void *end = walk_loads(states_line(half, half->order[0]), half->lines);

	__asm__ volatile("" ::"r"(end));
}

/* Write the chain into the lines. */
static void states_write_lines(const struct states_half *half)
{
	for (uint32_t i = 0; i < half->lines; i++) {
		void **line = states_line(half, half->order[i]);
		uint32_t next = i + 1 < half->lines ? i + 1 : 0;

		*(void *volatile *)line = states_line(half, half->order[next]);
	}
	arch_fence();
}

static void states_flush_lines(const struct states_half *half)
{
	for (uint32_t i = 0; i < half->lines; i++)
		arch_flush_line(states_line(half, half->order[i]));
	arch_fence();
}

/* As the holder, put the lines into a state. */
static void states_hold_lines(
	const struct states_half *half, enum line_state state)
{
	states_write_lines(half);
	states_flush_lines(half);
	if (state == LINE_MODIFIED || state == LINE_READ_BACK)
		states_write_lines(half);
	else if (state != LINE_IN_MEMORY)
		states_read_lines(half);
	arch_fence();
}

/* Load a reserved line of each page, and the order of the lines. */
static void states_load_translations(const struct states_half *half)
{
	for (uint32_t i = 0; i < half->lines; i++)
		(void)*(volatile uint64_t *)states_line(
			half, half->order[i] / RESERVED_EACH * RESERVED_EACH);
}

/* Return the ticks of a walk. */
static uint64_t time_walk(
	const struct states_half *half, enum line_operation operation)
{
	const bool counter = half->visit->params->counter;
	char *base = half->visit->slots;
	void *at = states_line(half, half->order[0]);
	uint64_t begin = timebase_begin(counter), end;

	switch (operation) {
	case LINE_LOAD:
		at = walk_loads(at, half->lines);
		break;
	case LINE_ADD:
		at = walk_adds(at, half->lines);
		break;
	case LINE_STORE:
		walk_stores(base, half->order, half->lines);
		break;
	default:
		walk_flushes(base, half->order, half->lines);
		break;
	}
	__asm__ volatile("" ::"r"(at) : "memory");
	end = timebase_end(counter);
	return end - begin;
}

static _Atomic uint32_t *phase_of(const struct probe_visit *visit)
{
	return &((struct probe_rendezvous *)visit->slots)->phase;
}

static void set_states_phase(const struct states_half *half, uint32_t phase)
{
	atomic_store_explicit(
		phase_of(half->visit), phase, memory_order_release);
}

/* Wait for this phase or a later one, and return it; 0 if abandoned. */
static uint32_t await_phase(const struct states_half *half, uint32_t phase)
{
	uint32_t seen;

	while ((seen = atomic_load_explicit(
			phase_of(half->visit), memory_order_acquire)) < phase) {
		if (probe_is_abandoned(half->visit))
			return 0;
		arch_spin_hint();
	}
	return seen;
}

static _Atomic uint32_t *ping_word(const struct states_half *half, uint32_t i)
{
	return states_line(half, (i + 1) * RESERVED_EACH);
}

static bool await_ping(const struct states_half *half,
	const _Atomic uint32_t *word, uint32_t value)
{
	while (atomic_load_explicit(word, memory_order_acquire) != value) {
		if (probe_is_abandoned(half->visit))
			return false;
	}
	return true;
}

/* Bounce lines with the holder; *ticks is the median of PING_TURNS trips. */
static bool ping(struct states_half *half, double *ticks)
{
	const bool counter = half->visit->params->counter;
	double took[PING_LINES];

	for (uint32_t i = 0; i < PING_LINES; i++) {
		_Atomic uint32_t *word = ping_word(half, i);
		uint32_t value = half->pings * PING_TURNS * 2;
		uint64_t begin = timebase_begin(counter);

		for (uint32_t turn = 0; turn < PING_TURNS; turn++) {
			atomic_store_explicit(
				word, ++value, memory_order_release);
			if (!await_ping(half, word, ++value))
				return false;
		}
		took[i] = (double)(timebase_end(counter) - begin);
	}
	half->pings++;
	*ticks = stat_median(took, PING_LINES);
	return true;
}

static bool pong(struct states_half *half)
{
	for (uint32_t i = 0; i < PING_LINES; i++) {
		_Atomic uint32_t *word = ping_word(half, i);
		uint32_t value = half->pings * PING_TURNS * 2;

		for (uint32_t turn = 0; turn < PING_TURNS; turn++) {
			if (!await_ping(half, word, ++value))
				return false;
			atomic_store_explicit(
				word, ++value, memory_order_release);
		}
	}
	half->pings++;
	return true;
}

/* Pings begin at 0 in every visit. */
static void clear_pings(const struct states_half *half)
{
	for (uint32_t i = 0; i < PING_LINES; i++)
		atomic_store_explicit(
			ping_word(half, i), 0, memory_order_relaxed);
}

static struct states_half states_half_of(const struct probe_visit *visit)
{
	const struct states_context *context = visit->params->context;
	struct states_half half = {.visit = visit,
		.context = context,
		.order = context->spread.order};
	const struct states_lines *lines;

	if (visit->variant == STATES_PING)
		return half;
	lines = states_lines_of(context, visit->variant);
	half.lines = lines->n;
	half.order = lines->order +
		     (size_t)((visit->pass + visit->variant) % lines->sets) *
			     lines->n;
	return half;
}

static double states_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	const struct states_context *context = params->context;
	uint32_t n = variant == STATES_PING
			     ? 2 * PING_TURNS
			     : states_lines_of(context, variant)->n;

	return ticks * params->ns_per_tick / n;
}

/* Return whether a ping agrees with the first scan of the pair. */
static bool is_where_it_was(const struct states_half *half,
	const struct states_level *level, double ticks)
{
	double ns = states_scale(half->visit->params, STATES_PING, ticks);

	return ns < level->one_way_ns * MOVED_FACTOR &&
	       ns > level->one_way_ns / MOVED_FACTOR;
}

/* Make one try of the reader; set *counts if the pair has not moved. */
static bool try_walk(
	struct states_half *half, uint32_t base, int64_t *ticks, bool *counts)
{
	struct states_context *context = half->visit->params->context;
	const struct states_point *point =
		&half->context->points[half->visit->variant];
	const struct states_level *level = &half->context->levels[point->level];
	bool self = level->holder == level->reader, moved;
	long switches = -probe_switches();
	double before = 0, after = 0;

	if (!self && !ping(half, &before))
		return false;
	if (self) {
		states_hold_lines(half, point->state);
		set_states_phase(half, base + PHASE_HELD);
	}
	if (!await_phase(half,
		    base + (line_state_needs_third(point->state) ? PHASE_READ
								 : PHASE_HELD)))
		return false;
	states_load_translations(half);
	ticks[0] = (int64_t)time_walk(half, point->operation);
	set_states_phase(half, base + PHASE_WALKED);
	if (!self && !ping(half, &after))
		return false;
	switches += probe_switches();
	moved = !self && (!is_where_it_was(half, level, before) ||
				 !is_where_it_was(half, level, after));
	context->walks++;
	context->disturbed += switches != 0;
	context->moved += switches == 0 && moved;
	*counts = switches == 0 && !moved;
	return true;
}

static uint32_t states_visit_cpus(const struct states_half *half)
{
	const struct states_point *point;
	const struct states_level *level;

	if (half->visit->variant == STATES_PING)
		return 2;
	point = &half->context->points[half->visit->variant];
	level = &half->context->levels[point->level];
	return 1 + (level->holder != level->reader) +
	       line_state_needs_third(point->state);
}

static bool states_first(const struct probe_visit *visit, int64_t *ticks)
{
	struct states_half half = states_half_of(visit);
	uint32_t n = states_visit_cpus(&half);
	bool counts = false;
	double took = 0;

	clear_pings(&half);
	if (!probe_wait_for_cpus(visit, n))
		return false;
	if (visit->variant == STATES_PING) {
		counts = ping(&half, &took);
		ticks[0] = (int64_t)took;
		if (counts)
			probe_leave(visit, n);
		return counts;
	}
	for (uint32_t try = 0; !counts && try < PROBE_TRIES; try++) {
		if (!try_walk(&half, try * PHASES, ticks, &counts))
			return false;
		set_states_phase(&half, counts || try + 1 == PROBE_TRIES
						? PHASE_QUIT
						: (try + 1) * PHASES);
	}
	probe_leave(visit, n);
	return counts;
}

/* Wait until the next try or the end of the visit. */
static bool await_next_try(const struct states_half *half, uint32_t *base)
{
	uint32_t seen = await_phase(half, *base + PHASES);

	*base = seen < PHASE_QUIT ? *base + PHASES : PHASE_QUIT;
	return seen != 0;
}

/* As the holder, hold the lines and answer pings until the reader has ended. */
static bool hold_for_reader(
	struct states_half *half, const struct states_point *point)
{
	for (uint32_t base = 0; base < PHASE_QUIT;) {
		if (!pong(half))
			return false;
		states_hold_lines(half, point->state);
		set_states_phase(half, base + PHASE_HELD);
		if (!await_phase(half, base + PHASE_WALKED) || !pong(half))
			return false;
		if (!await_next_try(half, &base))
			return false;
	}
	return true;
}

/* As the third CPU, read the lines that the holder holds. */
static bool read_for_reader(const struct states_half *half)
{
	for (uint32_t base = 0; base < PHASE_QUIT;) {
		if (!await_phase(half, base + PHASE_HELD))
			return false;
		states_read_lines(half);
		arch_fence();
		set_states_phase(half, base + PHASE_READ);
		if (!await_next_try(half, &base))
			return false;
	}
	return true;
}

static bool states_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct states_context *context = visit->params->context;
	struct states_half half = states_half_of(visit);
	const struct states_point *point;
	uint32_t n = states_visit_cpus(&half);

	(void)ticks;
	if (visit->first_cpu == visit->second_cpu)
		return true;
	if (!probe_wait_for_cpus(visit, n))
		return false;
	if (visit->variant == STATES_PING) {
		if (!pong(&half))
			return false;
	} else {
		point = &context->points[visit->variant];
		if (!(visit->second_cpu == context->levels[point->level].holder
				    ? hold_for_reader(&half, point)
				    : read_for_reader(&half)))
			return false;
	}
	probe_leave(visit, n);
	return true;
}

const struct probe probe_states = {
	.name = "states",
	.summary = "an access to lines that another CPU left in a state",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_NOTHING,
	.first = states_first,
	.second = states_second,
	.abandon = probe_abandon_word,
	.scale = states_scale,
};
