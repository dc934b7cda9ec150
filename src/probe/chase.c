/*
 * chase: one CPU follows pointers through a ring of cache lines. The time of a
 * load shows which cache holds the ring.
 *
 * Only loads are timed. Each load gets its address from the load before it;
 * several chains are independent. With stores, each load is followed by a store
 * of the loaded value. Two steps are not timed: drawing the rings, once before
 * the run, and bringing a ring into the caches, once in each visit. The second
 * half times a chain of additions, one clock each, to convert latencies to
 * clocks.
 *
 * The state of the ring determines what is measured (enum chase_state). After
 * one round a shared cache may hold only a part of a ring, because some caches
 * keep only lines that are used again. So the walkers repeat rounds until
 * AGREED consecutive rounds take equally long: then the cache holds the ring. A
 * single chase uses each line a tenth as often. bench/rounds shows the result
 * of both.
 *
 * Visits are short, because the caches change while a thread is interrupted. An
 * interrupted visit is tried again, and dropped after the last try. A chase
 * that runs alone is never dropped, because interruptions belong to its state.
 *
 * Known biases: two readings of the counter are 0.1 to 0.5 % of a sample. The
 * warm-up loads the ring in the order of the chase, but at sixteen places at a
 * time. With more than about a dozen chains, x86-64 has too few registers, and
 * each step also waits for a load from the stack.
 */
#include "probe/chase.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine/frequency.h"
#include "machine/timebase.h"
#include "probe/rendezvous.h"
#include "probe/undisturbed.h"

/* Steps in a sample: more in a small ring, whose loads are fast. */
#define SMALL_BYTES ((size_t)1 << 20)
#define SMALL_STEPS 8192
#define LARGE_STEPS 2048

/* Steps in a turn of the timed loops, for one chain and for several chains. */
#define TURN_STEPS   32
#define CHAINS_STEPS 4

/* Clock cycles in a sample of the second half. */
#define SAMPLE_CLOCKS 16384

/*
 * Rounds agree if the slowest of the last AGREED takes at most AGREE times as
 * long as the fastest. Rounds also agree before the cache holds any of the
 * ring, so continue, up to a limit, until a round takes less than FASTER of the
 * slowest first round of all visits. Ignore first rounds that take INTERRUPTED
 * times that round.
 */
#define AGREED	     3
#define AGREE	     1.04
#define FASTER	     0.7
#define INTERRUPTED  3
#define MOST_ROUNDS  32
#define MOST_HELD_NS 20e6

/*
 * Shortest and longest time in ns of a chase that runs alone, because a state
 * of the cache may last for tens of ms. At most MOST_WINDOWS windows of a round
 * are samples.
 */
#define LEAST_ALONE_NS 40e6
#define MOST_ALONE_NS  120e6
#define MOST_WINDOWS   512

#define WORDS (CHASE_LINE_BYTES / sizeof(void *))

/* Largest number of rings of CHASE_APART on the same pages. */
#define APART_RINGS 32

void **chase_pointer(const struct chase_ring *ring, size_t i)
{
	char *line = ring->second ? ring->base + i / 2 * ring->pitch +
					    i % 2 * ring->second
				  : ring->base + i * ring->pitch;

	return (void **)line + ring->word;
}

/* Return whether the ring may share lines: it uses one word of each line. */
static bool shares_lines(const struct chase_spec *spec)
{
	return spec->order < CHASE_PAIRS;
}

/* Return the bytes between begin and end of a ring that shares no lines. */
static size_t ring_span_bytes(const struct chase_spec *spec)
{
	return spec->order == CHASE_PAIRS
		       ? spec->bytes
		       : spec->bytes / CHASE_LINE_BYTES * spec->step_bytes;
}

static struct chase_ring ring_of(const struct chase_spec *spec, char *base)
{
	struct chase_ring ring = {.bytes = spec->bytes,
		.n = spec->bytes / CHASE_LINE_BYTES,
		.base = base,
		.pitch = CHASE_LINE_BYTES};

	if (spec->order == CHASE_PAIRS) {
		ring.n = 2 * (spec->bytes / CHASE_BLOCK_BYTES);
		ring.bytes = ring.n * CHASE_LINE_BYTES;
		ring.pitch = CHASE_BLOCK_BYTES;
		ring.second = spec->step_bytes;
	} else if (spec->order == CHASE_APART) {
		ring.pitch = spec->step_bytes;
	}
	return ring;
}

/*
 * Place the rings that share no lines, and return their bytes. Rings of
 * CHASE_APART with the same step share pages. rings may be NULL.
 */
static size_t place_unshared_rings(struct chase_ring *rings,
	const struct chase_spec *specs, size_t n, char *base)
{
	size_t used = 0, begin = 0, step = 0, beside = 0;

	for (size_t i = 0; i < n; i++) {
		const struct chase_spec *spec = &specs[i];

		if (shares_lines(spec))
			continue;
		if (spec->order == CHASE_PAIRS || spec->step_bytes != step ||
			beside == APART_RINGS) {
			begin = used;
			beside = 0;
		}
		step = spec->order == CHASE_APART ? spec->step_bytes : 0;
		if (rings)
			rings[i] = ring_of(
				spec, base + begin + beside * CHASE_LINE_BYTES);
		beside++;
		if (begin + ring_span_bytes(spec) > used)
			used = begin + ring_span_bytes(spec);
	}
	return used;
}

/*
 * Place all rings, the last one first, and return their bytes. A ring that
 * shares lines gets the least used word of the lines, after the other rings of
 * this word. With four sizes for each doubling, all rings together need a third
 * more memory than the largest ring. rings may be NULL.
 */
static size_t place_rings(struct chase_ring *rings,
	const struct chase_spec *specs, size_t n, char *base)
{
	size_t alone = place_unshared_rings(rings, specs, n, base);
	size_t used[WORDS] = {0}, most = 0;

	for (size_t i = n; i-- > 0;) {
		unsigned word = 0;

		if (!shares_lines(&specs[i]))
			continue;
		for (unsigned w = 1; w < WORDS; w++)
			word = used[w] < used[word] ? w : word;
		if (rings) {
			rings[i] =
				ring_of(&specs[i], base + alone + used[word]);
			rings[i].word = word;
		}
		used[word] += specs[i].bytes;
		if (used[word] > most)
			most = used[word];
	}
	return alone + most;
}

size_t chase_bytes(const struct chase_spec *specs, size_t n)
{
	return place_rings(NULL, specs, n, NULL);
}

/* Shuffle the lines within each page, and leave the pages in order. */
static void shuffle_lines_in_pages(
	uint32_t *order, size_t n, size_t page, struct stat_random *random)
{
	for (size_t first = 0; first < n; first += page) {
		size_t lines = n - first < page ? n - first : page;

		stat_shuffle(random, order + first, lines);
		for (size_t i = 0; i < lines; i++)
			order[first + i] += (uint32_t)first;
	}
}

/* Draw the order of a ring's pointers, as indexes. */
static void draw_order(uint32_t *order, size_t n, const struct chase_spec *spec,
	size_t page_bytes, struct stat_random *random)
{
	size_t stride = spec->step_bytes / CHASE_LINE_BYTES, k = 0;

	if (spec->order == CHASE_PAGE) {
		shuffle_lines_in_pages(
			order, n, page_bytes / CHASE_LINE_BYTES, random);
	} else if (spec->order == CHASE_STRIDE) {
		for (size_t first = 0; first < stride; first++) {
			for (size_t line = first; line < n; line += stride)
				order[k++] = (uint32_t)line;
		}
	} else if (spec->order == CHASE_PAIRS) {
		stat_shuffle(random, order, n / 2);
		for (size_t block = n / 2; block-- > 0;) {
			order[2 * block + 1] = 2 * order[block] + 1;
			order[2 * block] = 2 * order[block];
		}
	} else {
		stat_shuffle(random, order, n);
	}
}

/*
 * Keep the numbers below n in their order, which stays random. Filtering is
 * much faster than drawing a new order.
 */
static void filter_order_below(uint32_t *order, size_t from, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < from; i++) {
		uint32_t number = order[i];

		order[kept] = number;
		kept += number < n;
	}
}

/* Number of pointers between two checks whether to stop: some milliseconds. */
#define LINKS 65536

static int link_ring(struct chase_ring *ring, const uint32_t *order,
	const struct memory_request *request, struct error *err)
{
	size_t n = ring->n;
	void **first = chase_pointer(ring, order[0]), **at = first;

	for (size_t i = 1; i < n; i++) {
		void **next = chase_pointer(ring, order[i]);

		*at = next;
		at = next;
		if (i % LINKS == 0 && request->stopped &&
			request->stopped(request->stopped_arg))
			return error_set(err, ERROR_FAILURE, EINTR,
				"interrupted before anything was measured");
	}
	*at = first;
	ring->at = first;
	for (size_t c = 0; c < CHASE_CELLS; c++)
		ring->cells[c] =
			chase_pointer(ring, order[c * n / CHASE_CELLS]);
	for (size_t w = 0; w < CHASE_WALKERS; w++)
		ring->walkers[w] =
			chase_pointer(ring, order[w * n / CHASE_WALKERS]);
	return 0;
}

/*
 * Return whether filter_order_below() can make a ring's order from a larger
 * ring's.
 */
static bool is_within(
	const struct chase_spec *spec, const struct chase_spec *larger)
{
	return shares_lines(spec) && spec->order == larger->order &&
	       spec->step_bytes == larger->step_bytes &&
	       spec->bytes <= larger->bytes;
}

int chase_draw(struct chase_context *context, const struct chase_plan *plan,
	struct error *err)
{
	size_t most = 1;
	struct stat_random random;
	uint32_t *order;
	int rc = 0;

	context->rings = calloc(plan->n + 1, sizeof(*context->rings));
	context->n = plan->n;
	if (!context->rings)
		return error_no_memory(err, "the rings");
	place_rings(context->rings, plan->specs, plan->n, context->memory.base);
	for (size_t i = 0; i < plan->n; i++) {
		if (context->rings[i].n > most)
			most = context->rings[i].n;
	}
	order = malloc(most * sizeof(*order));
	if (!order)
		return error_no_memory(err, "the rings");
	stat_random_init(&random, plan->seed);
	for (size_t i = plan->n; rc == 0 && i-- > 0;) {
		const struct chase_spec *spec = &plan->specs[i];
		struct chase_ring *ring = &context->rings[i];

		if (i + 1 < plan->n && is_within(spec, spec + 1))
			filter_order_below(order, ring[1].n, ring->n);
		else
			draw_order(order, ring->n, spec, plan->page_bytes,
				&random);
		rc = link_ring(ring, order, &plan->request, err);
	}
	free(order);
	return rc;
}

int chase_map(struct chase_context *context, const struct chase_plan *plan,
	const struct machine *machine, struct error *err)
{
	struct memory_request request = plan->request;

	*context = (struct chase_context){0};
	request.bytes = chase_bytes(plan->specs, plan->n);
	return memory_map(&context->memory, machine, &request, err);
}

int chase_init(struct chase_context *context, const struct chase_plan *plan,
	const struct machine *machine, struct error *err)
{
	int rc = chase_map(context, plan, machine, err);

	if (rc == 0)
		rc = chase_draw(context, plan, err);
	if (rc < 0)
		chase_release(context);
	return rc;
}

void chase_release(struct chase_context *context)
{
	free(context->rings);
	memory_release(&context->memory);
	*context = (struct chase_context){0};
}

void chase_point_init(struct chase_point *point, struct chase_ring *ring,
	unsigned chains, bool dirty)
{
	*point = (struct chase_point){
		.ring = ring, .chains = chains, .dirty = dirty};
	for (unsigned c = 0; c < chains; c++)
		point->at[c] = ring->cells[c * CHASE_CELLS / chains];
}

/* Round up to a whole number of turns of all timed loops. */
static uint32_t whole_turns(size_t steps)
{
	return (uint32_t)((steps + TURN_STEPS - 1) / TURN_STEPS * TURN_STEPS);
}

uint32_t chase_steps(const struct chase_point *point)
{
	uint32_t steps =
		point->ring->bytes <= SMALL_BYTES ? SMALL_STEPS : LARGE_STEPS;

	return whole_turns(steps / point->chains);
}

#define LOAD(p)	       (*(void *volatile *)(p))
#define STORE(p, next) (*(void *volatile *)(p) = (next))

/* Make this many steps with each walker. Their loads overlap. */
static void chase_with_walkers(void **walkers, size_t steps)
{
	void *at[CHASE_WALKERS];

	for (size_t w = 0; w < CHASE_WALKERS; w++)
		at[w] = walkers[w];
	for (; steps > 0; steps--) {
		for (size_t w = 0; w < CHASE_WALKERS; w++)
			at[w] = LOAD(at[w]);
	}
	for (size_t w = 0; w < CHASE_WALKERS; w++)
		walkers[w] = at[w];
}

#define FOUR(x) x x x x
#define THIRTY_TWO(x)                                                          \
	FOUR(x) FOUR(x) FOUR(x) FOUR(x) FOUR(x) FOUR(x) FOUR(x) FOUR(x)

/*
 * Make the timed steps. Each loop is a function, because a test checks its
 * machine code: one load for each step, and the counter of turns.
 */
static __attribute__((noinline)) void *chase_one(void *at, uint32_t turns)
{
	arch_align_loop();
	for (; turns > 0; turns--) {
		THIRTY_TWO(at = LOAD(at);)
	}
	return at;
}

/* Store the loaded value, so that a cache must write the line back. */
static __attribute__((noinline)) void *chase_dirty(void *at, uint32_t turns)
{
	void *next;

	arch_align_loop();
	for (; turns > 0; turns--) {
		THIRTY_TWO(next = LOAD(at); STORE(at, next); at = next;)
	}
	return at;
}

/*
 * Make one step of n chains. Each chain has a variable, in a register if there
 * are enough registers.
 */
#define L(w) at[w] = LOAD(at[w]);
#define L1   L(0)
#define L2   L1 L(1)
#define L3   L2 L(2)
#define L4   L3 L(3)
#define L5   L4 L(4)
#define L6   L5 L(5)
#define L7   L6 L(6)
#define L8   L7 L(7)
#define L9   L8 L(8)
#define L10  L9 L(9)
#define L11  L10 L(10)
#define L12  L11 L(11)
#define L13  L12 L(12)
#define L14  L13 L(13)
#define L15  L14 L(14)
#define L16  L15 L(15)
#define L17  L16 L(16)
#define L18  L17 L(17)
#define L19  L18 L(18)
#define L20  L19 L(19)
#define L21  L20 L(20)
#define L22  L21 L(21)
#define L23  L22 L(22)
#define L24  L23 L(23)
#define L25  L24 L(24)
#define L26  L25 L(25)
#define L27  L26 L(26)
#define L28  L27 L(27)
#define L29  L28 L(28)
#define L30  L29 L(29)
#define L31  L30 L(30)
#define L32  L31 L(31)

#define CHAINS(n)                                                              \
	static __attribute__((noinline)) void chase_##n(                       \
		void **chains, uint32_t turns)                                 \
	{                                                                      \
		void *at[n];                                                   \
                                                                               \
		memcpy(at, chains, sizeof(at));                                \
		arch_align_loop();                                             \
		for (; turns > 0; turns--) {                                   \
			FOUR(L##n)                                             \
		}                                                              \
		memcpy(chains, at, sizeof(at));                                \
	}

#define ALL_CHAINS(x)                                                          \
	x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) x(14)  \
		x(15) x(16) x(17) x(18) x(19) x(20) x(21) x(22) x(23) x(24)    \
			x(25) x(26) x(27) x(28) x(29) x(30) x(31) x(32)

ALL_CHAINS(CHAINS)

#define ROW(n) [n] = chase_##n,

void chase_follow(struct chase_point *point, uint32_t steps)
{
	static void (*const several[])(void **chains, uint32_t turns) = {
		ALL_CHAINS(ROW)};

	if (point->dirty)
		point->at[0] = chase_dirty(point->at[0], steps / TURN_STEPS);
	else if (point->chains == 1)
		point->at[0] = chase_one(point->at[0], steps / TURN_STEPS);
	else
		several[point->chains](point->at, steps / CHAINS_STEPS);
	point->steps_into_round =
		(point->steps_into_round + steps) % point->ring->n;
}

/*
 * Return the i-th cell to bring into the caches. Walkers alternate; each
 * continues from its chain's place to the place of the next chain.
 */
static void *warm_up_cell(const struct chase_point *point, size_t i)
{
	const struct chase_ring *ring = point->ring;
	size_t chain = i % point->chains;
	size_t first = point->steps_into_round * CHASE_CELLS / ring->n +
		       chain * CHASE_CELLS / point->chains;

	return ring->cells[(first + i / point->chains) % CHASE_CELLS];
}

/*
 * Bring a ring into the caches. Begin with the lines that the chains load next,
 * and end with the lines that they have just passed, because caches evict the
 * oldest lines first. If the ring is larger than warm_bytes, load only its end.
 * Walkers load neighbouring cells at the same time, because their loads
 * overlap.
 */
static bool warm_ring_once(
	const struct probe_visit *visit, struct chase_point *point)
{
	const struct chase_points *points = visit->params->context;
	const struct chase_ring *ring = point->ring;
	size_t steps = ring->n / CHASE_CELLS;
	size_t cells = CHASE_CELLS / point->chains * point->chains, i = 0;

	if (steps < CHASE_WALKERS) {
		chase_follow(point, whole_turns(ring->n / point->chains + 1));
		return !probe_is_abandoned(visit);
	}
	while (cells - i > CHASE_WALKERS &&
		(cells - i) * steps * CHASE_LINE_BYTES > points->warm_bytes)
		i += CHASE_WALKERS;
	for (; i < cells && !probe_is_abandoned(visit); i += CHASE_WALKERS) {
		void *walkers[CHASE_WALKERS];

		for (size_t w = 0; w < CHASE_WALKERS; w++)
			walkers[w] = warm_up_cell(point, i + w);
		chase_with_walkers(walkers, steps);
	}
	return !probe_is_abandoned(visit);
}

/* Times of a visit's rounds, to detect a steady state of the caches. */
struct warm_up_rounds {
	double last[AGREED];   /* the latest rounds, in ns */
	double first, fastest; /* in ns */
	uint32_t n;
};

static void add_warm_up_round(struct warm_up_rounds *rounds, double ns)
{
	if (rounds->n == 0)
		rounds->first = rounds->fastest = ns;
	rounds->fastest = fmin(rounds->fastest, ns);
	rounds->last[rounds->n++ % AGREED] = ns;
}

/* Return the CPU time of this thread in ns, which excludes interruptions. */
static double thread_ran_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static bool rounds_agree(const struct warm_up_rounds *rounds)
{
	double least = rounds->last[0], most = rounds->last[0];

	for (size_t i = 1; i < AGREED; i++) {
		least = fmin(least, rounds->last[i]);
		most = fmax(most, rounds->last[i]);
	}
	return rounds->n >= AGREED && most <= AGREE * least;
}

static void keep_rounds(
	struct chase_point *point, const struct warm_up_rounds *rounds)
{
	point->visits++;
	point->rounds += rounds->n;
	point->steady += rounds_agree(rounds);
}

/*
 * Bring a ring in repeatedly, until the cache holds it. Make only one round if
 * the time of the visit is used up, if the ring fits a private cache, or if it
 * is larger than the caches.
 */
static bool warm_until_held(const struct probe_visit *visit,
	struct chase_point *point, double start_ns)
{
	const struct probe_params *params = visit->params;
	const struct chase_points *points = params->context;
	struct warm_up_rounds rounds = {.n = 0};

	if (point->state != CHASE_HELD ||
		point->ring->n < CHASE_CELLS * CHASE_WALKERS ||
		point->ring->bytes > points->warm_bytes ||
		thread_ran_ns() - start_ns > MOST_HELD_NS)
		return warm_ring_once(visit, point);
	for (unsigned n = 0;
		n < MOST_ROUNDS && thread_ran_ns() - start_ns < MOST_HELD_NS;
		n++) {
		long switches = probe_switches();
		uint64_t begin = timebase_begin(params->counter), end;

		if (!warm_ring_once(visit, point))
			return false;
		end = timebase_end(params->counter);
		if (probe_switches() != switches)
			continue;
		add_warm_up_round(
			&rounds, (double)(end - begin) * params->ns_per_tick);
		/* Ignore an interrupted first round. */
		if (!(rounds.first > INTERRUPTED * point->slowest_first_ns) ||
			point->slowest_first_ns == 0)
			point->slowest_first_ns =
				fmax(point->slowest_first_ns, rounds.first);
		if (rounds_agree(&rounds) &&
			rounds.fastest < FASTER * point->slowest_first_ns)
			break;
	}
	keep_rounds(point, &rounds);
	return true;
}

void chase_loads(struct chase_ring *ring, size_t loads, bool walkers)
{
	if (walkers)
		chase_with_walkers(ring->walkers, loads / CHASE_WALKERS);
	else
		ring->at = chase_one(ring->at, (uint32_t)loads / TURN_STEPS);
}

static struct chase_point *chase_point_of(
	const struct probe_params *params, uint32_t variant)
{
	const struct chase_points *points = params->context;

	return &points->points[variant];
}

/* Take the samples. Return false if the thread was interrupted. */
static bool take_chase_samples(const struct probe_params *params,
	struct chase_point *point, int64_t *ticks)
{
	const uint32_t steps = chase_steps(point);
	const long switches = probe_switches();

	for (uint32_t s = 0; s < params->samples; s++) {
		uint64_t begin = timebase_begin(params->counter);

		chase_follow(point, steps);
		ticks[s] = (int64_t)(timebase_end(params->counter) - begin);
	}
	return probe_switches() == switches;
}

/*
 * Go round once and return the median ticks of a window of steps, because an
 * interruption affects few windows. Return 0 if the visit is abandoned.
 */
static double go_round(
	const struct probe_visit *visit, struct chase_point *point)
{
	const uint32_t steps = chase_steps(point);
	double ticks[MOST_WINDOWS];
	size_t n = 0;

	for (size_t gone = 0; gone < point->ring->n; gone += steps) {
		uint64_t begin = timebase_begin(visit->params->counter);
		uint64_t end;

		chase_follow(point, steps);
		end = timebase_end(visit->params->counter);
		if (n < MOST_WINDOWS)
			ticks[n++] = (double)(end - begin);
		if (probe_is_abandoned(visit))
			return 0;
	}
	return stat_median(ticks, n);
}

/*
 * Evict the ring from the caches, which may hold it from an earlier visit. Then
 * time a chase.
 */
static bool chase_alone(const struct probe_visit *visit,
	struct chase_point *point, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	double middle, start_ns, gone_ns;
	struct warm_up_rounds rounds = {.n = 0};

	arch_flush(point->ring->base, point->ring->bytes, CHASE_LINE_BYTES);
	start_ns = thread_ran_ns();
	do {
		middle = go_round(visit, point);
		if (!(middle > 0))
			return false;
		add_warm_up_round(&rounds, middle);
		gone_ns = thread_ran_ns() - start_ns;
	} while (rounds.n < AGREED || gone_ns < LEAST_ALONE_NS ||
		 (!rounds_agree(&rounds) && gone_ns < MOST_ALONE_NS));
	keep_rounds(point, &rounds);
	for (uint32_t s = 0; s < params->samples; s++)
		ticks[s] = llround(middle);
	return true;
}

static bool chase_first(const struct probe_visit *visit, int64_t *ticks)
{
	struct chase_point *point =
		chase_point_of(visit->params, visit->variant);
	double start_ns;

	if (point->state == CHASE_ALONE)
		return chase_alone(visit, point, ticks);
	start_ns = thread_ran_ns();
	for (int tries = 0; tries < PROBE_TRIES; tries++) {
		if (!warm_until_held(visit, point, start_ns))
			return false;
		if (take_chase_samples(visit->params, point, ticks))
			return !probe_is_abandoned(visit);
	}
	return false;
}

/* Return the number of loads of all chains in a sample. */
static double sample_loads(const struct chase_point *point)
{
	return (double)chase_steps(point) * point->chains;
}

/*
 * Time the core clock. Return ticks as if each load took CHASE_CLOCKS clocks,
 * because chase_scale() divides by the loads.
 */
static bool chase_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	const struct chase_point *point =
		chase_point_of(params, visit->variant);

	if (!ARCH_CLOCKS)
		return false;
	for (uint32_t s = 0; s < params->samples; s++)
		ticks[s] = (int64_t)(frequency_ticks(
					     params->counter, SAMPLE_CLOCKS) *
				     sample_loads(point) * CHASE_CLOCKS);
	return !probe_is_abandoned(visit);
}

static double chase_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	return ticks * params->ns_per_tick /
	       sample_loads(chase_point_of(params, variant));
}

const struct probe probe_chase = {
	.name = "chase",
	.summary = "loads, each from the address that the last one returned",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_BACKWARD,
	.first = chase_first,
	.second = chase_second,
	.abandon = probe_abandon_word,
	.scale = chase_scale,
};
