/*
 * contend: one CPU or several repeat one operation simultaneously: all on one
 * word, each on its own word of one line, or each on its own line.
 *
 * All CPUs meet, and work until the end. The first CPU is the timekeeper. The
 * timekeeper announces a phase in a word on each CPU's own line, which the CPU
 * reads after each block of operations. When all CPUs have worked for WARM_NS,
 * they enter the window. When all have entered, they count operations for
 * COUNT_NS, time single operations for SAMPLE_NS, and leave the window. CPUs
 * stop when all have left, so that all others work whenever a CPU counts.
 *
 * Timed: blocks of operations of about COUNT_BLOCK_NS, for the rate of the CPU;
 * then single operations, each after a block of SAMPLE_BLOCK_NS, minus the time
 * of a sample without an operation. At the end of the visit, the word must
 * agree with the number of all operations, including the operations outside the
 * window.
 *
 * Rates and latencies alternate, because a CPU that reads its clock does not
 * contend: reading it during counts made a ticket lock of two CPUs 1.5 to 2
 * times as fast.
 *
 * Not timed: meeting, warming up, and everything after the window.
 *
 * Source: the throughput and fairness of D. Pas' multichase and of W. Tarreau's
 * atomic-tests; the ticket lock of Mellor-Crummey and Scott, ACM Transactions
 * on Computer Systems 9, 1991.
 *
 * Known biases: between two blocks a CPU reads its clock and two words, some 30
 * ns in COUNT_BLOCK_NS, and does not contend. CPUs that time single operations
 * contend a little less. The latency of a store ends when the store is in the
 * CPU's store buffer. The figures include time that a host steals from a vCPU.
 * Visits in which the kernel gave a CPU to another program are dropped.
 */
#include "probe/probe_contend.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "machine/timebase.h"
#include "probe/undisturbed.h"
#include "stat/stat.h"
#include "util/array.h"

#define WARM_NS	  100000.0
#define COUNT_NS  300000.0
#define SAMPLE_NS 250000.0

#define COUNT_BLOCK_NS	16000.0
#define SAMPLE_BLOCK_NS 2000.0

/* A CPU is stalled if a block in COUNT_NS takes longer. */
#define STALL_NS 100000.0

#define MOST_BLOCK 65536u

/* Number of latencies of a CPU in a visit. */
#define SAMPLES 256

/* Number of timed samples without an operation. */
#define COST_READINGS 15

/* Lines that visits use in turn. */
#define LINES 64

/* Size of the range of values that a CPU stores in a visit. */
#define OWN_VALUES ((uint64_t)1 << 40)

enum contend_phase {
	WARM,
	ENTER,
	COUNT,
	SAMPLE,
	ENOUGH,
	QUIT
};

/* The slot of a visit. No CPU writes the first line while others work. */
struct contend_control {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t here;
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t warm;
	_Atomic uint32_t entered, left, gone;
	_Atomic(_Atomic uint64_t *) waits; /* where CPUs wait, or NULL */
};

_Static_assert(sizeof(struct contend_control) == PROBE_SLOT_BYTES, "is a slot");

struct contend_cpu_state {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t phase;
	/* Other CPUs may read it after `gone` counts this CPU. */
	_Alignas(PROBE_LINE_STRIDE) struct contend_worker worker;
	uint32_t block;		 /* operations in COUNT_BLOCK_NS */
	uint64_t counted, ticks; /* operations and ticks in COUNT */
	double worked_ns;	 /* time of work, up to WARM_NS */
	bool stalled;
	long switches;
	uint32_t n_samples;
	double cost;		 /* ticks of a sample without an operation */
	double samples[SAMPLES]; /* in ticks */
};

/* One CPU's view of a visit. */
struct contend_visit_state {
	const struct probe_visit *visit;
	const struct probe_params *params;
	struct contend_context *context;
	const struct contend_point *point;
	struct contend_control *control;
	struct contend_cpu_state *cpu_state;
	uint32_t place; /* index in point->order */
	uint32_t (*run)(struct contend_worker *worker, uint32_t n);
	/* The timekeeper's phase and its start. */
	enum contend_phase announced;
	uint64_t since;
};

size_t contend_block_bytes(size_t n_cpus)
{
	return sizeof(struct contend_control) +
	       (LINES + n_cpus + 1) / 2 * PROBE_SLOT_BYTES;
}

int contend_init(struct contend_context *context, struct error *err)
{
	size_t n = context->cpus->n;

	context->cpu_states = aligned_alloc(
		PROBE_LINE_STRIDE, n * sizeof(*context->cpu_states));
	context->figures = calloc(context->n_points, sizeof(*context->figures));
	context->pool = calloc(n, SAMPLES * sizeof(*context->pool));
	if (context->cpu_states && context->figures && context->pool) {
		memset(context->cpu_states, 0,
			n * sizeof(*context->cpu_states));
		return 0;
	}
	contend_release(context);
	return error_no_memory(err, "the CPUs that contend");
}

void contend_release(struct contend_context *context)
{
	for (size_t i = 0; context->figures && i < context->n_points; i++)
		free(context->figures[i].latency);
	free(context->figures);
	free(context->cpu_states);
	free(context->pool);
	context->figures = NULL;
	context->cpu_states = NULL;
	context->pool = NULL;
}

static uint32_t load_relaxed(const _Atomic uint32_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static bool contend_is_abandoned(const struct contend_visit_state *visit_state)
{
	return load_relaxed(&visit_state->control->here) >
	       visit_state->point->n_cpus;
}

/* Return the line of the CPU at this place, which CPUs may share. */
static char *line_of(
	const struct contend_visit_state *visit_state, uint32_t place)
{
	const struct probe_visit *visit = visit_state->visit;
	size_t first = (visit->pass + visit->variant) % LINES;

	if (visit_state->point->sharing == CONTEND_NONE)
		first += place;
	return (char *)(visit_state->control + 1) + first * PROBE_LINE_STRIDE;
}

static void *contend_word_of(
	const struct contend_visit_state *visit_state, uint32_t place)
{
	char *line = line_of(visit_state, place);

	if (visit_state->point->sharing == CONTEND_LINE)
		line += place * sizeof(uint64_t);
	return line;
}

/* Initialize the words of a line before CPUs use it. */
static void set_words(
	const struct contend_visit_state *visit_state, uint32_t place)
{
	uint64_t *words = (uint64_t *)(void *)line_of(visit_state, place);

	for (size_t i = 0; i < PROBE_LINE_STRIDE / sizeof(*words); i++)
		words[i] = visit_state->point->operation->start;
}

/* Return the ticks of a sample without an operation. */
static double sample_cost(const struct contend_visit_state *visit_state)
{
	uint32_t (*volatile run)(struct contend_worker *, uint32_t) =
		contend_nothing;
	const bool counter = visit_state->params->counter;
	double took[COST_READINGS];

	for (size_t i = 0; i < COST_READINGS; i++) {
		uint64_t begin = timebase_begin(counter);

		run(&visit_state->cpu_state->worker, 1);
		took[i] = (double)(timebase_end(counter) - begin);
	}
	return stat_median(took, COST_READINGS);
}

static void contend_state_init(struct contend_visit_state *visit_state,
	const struct probe_visit *visit)
{
	struct contend_context *context = visit->params->context;
	const struct contend_point *point = &context->points[visit->variant];
	const struct contend_operation *operation = point->operation;
	uint32_t self =
		(uint32_t)cpu_list_find(context->cpus, visit->second_cpu);

	*visit_state = (struct contend_visit_state){
		.visit = visit,
		.params = visit->params,
		.context = context,
		.point = point,
		.control = visit->slots,
		.cpu_state = &context->cpu_states[self],
		.run = point->with_spin_hint && operation->run_with_hint
			       ? operation->run_with_hint
			       : operation->run,
	};
	while (point->order[visit_state->place] != self)
		visit_state->place++;
	memset(visit_state->cpu_state, 0, sizeof(*visit_state->cpu_state));
	visit_state->cpu_state->worker = (struct contend_worker){
		.word = contend_word_of(visit_state, visit_state->place),
		.tally.last = (visit_state->place + 1) * OWN_VALUES,
		.phase = &visit_state->cpu_state->phase,
	};
	visit_state->cpu_state->cost = sample_cost(visit_state);
	if (visit_state->place == 0 || point->sharing == CONTEND_NONE)
		set_words(visit_state, visit_state->place);
	if (visit_state->place == 0 && operation->waits_at)
		atomic_store_explicit(&visit_state->control->waits,
			(_Atomic uint64_t *)
					visit_state->cpu_state->worker.word +
				operation->waits_at / sizeof(uint64_t),
			memory_order_release);
}

/* Wait for all CPUs of the visit; false if it is abandoned. */
static bool contend_wait_for_cpus(const struct contend_visit_state *visit_state)
{
	struct contend_control *control = visit_state->control;
	uint32_t n = visit_state->point->n_cpus;
	uint32_t here = atomic_fetch_add_explicit(
				&control->here, 1, memory_order_acq_rel) +
			1;

	while (here < n) {
		arch_spin_hint();
		here = atomic_load_explicit(
			&control->here, memory_order_acquire);
	}
	return here == n;
}

static void announce_phase(
	struct contend_visit_state *visit_state, enum contend_phase phase)
{
	const struct contend_point *point = visit_state->point;

	visit_state->announced = phase;
	for (uint32_t i = 0; i < point->n_cpus; i++)
		atomic_store_explicit(
			&visit_state->context->cpu_states[point->order[i]]
				 .phase,
			phase, memory_order_relaxed);
}

/* Announce the next phase when it is due. Only for the timekeeper. */
static void keep_time(struct contend_visit_state *visit_state, uint64_t now)
{
	static const double lasts_ns[] = {
		[COUNT] = COUNT_NS, [SAMPLE] = SAMPLE_NS, [ENOUGH] = 0};
	struct contend_control *control = visit_state->control;
	_Atomic uint32_t *const wait_for[] = {[WARM] = &control->warm,
		[ENTER] = &control->entered,
		[ENOUGH] = &control->left,
		[QUIT] = NULL};
	const double ns_per_tick = visit_state->params->ns_per_tick;
	const uint32_t n = visit_state->point->n_cpus;
	double ns;

	if (visit_state->announced == QUIT)
		return;
	ns = (double)(now - visit_state->since) * ns_per_tick;
	if (wait_for[visit_state->announced]
			? load_relaxed(wait_for[visit_state->announced]) < n
			: ns < lasts_ns[visit_state->announced])
		return;
	announce_phase(visit_state, visit_state->announced + 1);
	visit_state->since = now;
}

/* Enter or leave the window if announced; return true if the phase changed. */
static bool enter_or_leave_window(
	const struct contend_visit_state *visit_state, enum contend_phase phase)
{
	struct contend_cpu_state *cpu_state = visit_state->cpu_state;

	if (phase == cpu_state->worker.phase_seen)
		return false;
	cpu_state->worker.phase_seen = phase;
	if (phase == ENTER) {
		cpu_state->switches = -probe_switches();
		atomic_fetch_add_explicit(&visit_state->control->entered, 1,
			memory_order_relaxed);
	} else if (phase == ENOUGH) {
		cpu_state->switches += probe_switches();
		atomic_fetch_add_explicit(
			&visit_state->control->left, 1, memory_order_relaxed);
	}
	return true;
}

/* Return the size of the next block, to take about COUNT_BLOCK_NS. */
static uint32_t next_block(uint32_t block, double ns)
{
	if (ns < COUNT_BLOCK_NS / 1.5 && block < MOST_BLOCK)
		return 2 * block;
	return ns > COUNT_BLOCK_NS * 1.5 && block > 1 ? block / 2 : block;
}

/* Record a block of `done` operations, and the ticks that it took. */
static void note_block(const struct contend_visit_state *visit_state,
	enum contend_phase phase, uint32_t done, uint64_t ticks)
{
	struct contend_cpu_state *cpu_state = visit_state->cpu_state;
	double ns = (double)ticks * visit_state->params->ns_per_tick;

	cpu_state->worker.tally.done += done;
	if (phase <= ENTER)
		cpu_state->block = next_block(cpu_state->block, ns);
	if (phase == WARM && cpu_state->worked_ns < WARM_NS) {
		/* Count at most the usual time for an interrupted block. */
		cpu_state->worked_ns += fmin(ns, COUNT_BLOCK_NS);
		if (cpu_state->worked_ns >= WARM_NS)
			atomic_fetch_add_explicit(&visit_state->control->warm,
				1, memory_order_relaxed);
	}
	if (phase != COUNT)
		return;
	cpu_state->counted += done;
	cpu_state->ticks += ticks;
	if (done == cpu_state->block && ns > STALL_NS)
		cpu_state->stalled = true;
}

/* Time one operation; return its end. */
static uint64_t time_one_operation(
	const struct contend_visit_state *visit_state)
{
	struct contend_cpu_state *cpu_state = visit_state->cpu_state;
	const bool counter = visit_state->params->counter;
	uint64_t begin = timebase_begin(counter), end;
	uint32_t done = visit_state->run(&cpu_state->worker, 1);

	end = timebase_end(counter);
	cpu_state->worker.tally.done += done;
	/* An operation that gave up took at least this long. */
	if (cpu_state->n_samples < SAMPLES)
		cpu_state->samples[cpu_state->n_samples++] =
			(double)(end - begin);
	return end;
}

/* Work until the timekeeper ends the visit; false if it is abandoned. */
static bool work_until_quit(struct contend_visit_state *visit_state)
{
	struct contend_cpu_state *cpu_state = visit_state->cpu_state;
	const bool counter = visit_state->params->counter;
	uint64_t before = timebase_begin(counter), now;
	enum contend_phase phase;

	cpu_state->block = 1;
	while ((phase = load_relaxed(&cpu_state->phase)) != QUIT) {
		uint32_t block = cpu_state->block, done;

		if (enter_or_leave_window(visit_state, phase))
			before = timebase_begin(counter);
		if (phase == SAMPLE)
			block = (uint32_t)(block * SAMPLE_BLOCK_NS /
					   COUNT_BLOCK_NS);
		done = visit_state->run(&cpu_state->worker, block);
		now = timebase_begin(counter);
		note_block(visit_state, phase, done, now - before);
		before =
			phase == SAMPLE ? time_one_operation(visit_state) : now;
		if (visit_state->place == 0)
			keep_time(visit_state, before);
		if (contend_is_abandoned(visit_state))
			return false;
	}
	return true;
}

/* Return whether the operations of n CPUs from `place` on give this word. */
static bool contend_word_is_right(const struct contend_visit_state *visit_state,
	uint32_t place, uint32_t n)
{
	const struct contend_point *point = visit_state->point;
	struct contend_sum sum = {.words = contend_word_of(visit_state, place)};

	for (uint32_t i = place; i < place + n; i++) {
		const struct contend_tally *tally =
			&visit_state->context->cpu_states[point->order[i]]
				 .worker.tally;

		sum.done += tally->done;
		sum.put += tally->put;
		sum.got += tally->got;
		sum.is_last = sum.is_last || tally->last == sum.words[0];
	}
	return point->operation->sum_is_right(&sum);
}

/* Check all words; fill the visit's error if an operation was lost. */
static bool check_contended_words(const struct contend_visit_state *visit_state)
{
	const struct contend_point *point = visit_state->point;
	bool shared = point->sharing == CONTEND_WORD;
	uint32_t each = shared ? point->n_cpus : 1;

	for (uint32_t i = 0; i < point->n_cpus; i += each) {
		if (contend_word_is_right(visit_state, i, each))
			continue;
		/* probe_contend.abandon() overwrites the word of a lock. */
		if (contend_is_abandoned(visit_state))
			return false;
		error_set(visit_state->visit->error, ERROR_FAILURE, EIO,
			"the word that %u CPU%s worked on (%s, from CPU %u on) "
			"is not the result of their operations: an operation "
			"was lost or "
			"was not atomic; suspect a bug in c2c before the CPU",
			each, each == 1 ? "" : "s", point->operation->name,
			visit_state->context->cpus->cpus[point->order[i]]);
		return false;
	}
	return true;
}

/* Return a quantile of the latencies in ns; NaN if below the clock's step. */
static double latency_quantile_ns(
	const struct contend_visit_state *visit_state, size_t n, double q)
{
	const struct probe_params *params = visit_state->params;
	double ticks = stat_quantile(visit_state->context->pool, n, q);

	return ticks > params->step_ticks ? ticks * params->ns_per_tick : NAN;
}

/* Combine the latencies of all CPUs, unless a CPU was disturbed. */
static void pool_cpu_latencies(const struct contend_visit_state *visit_state)
{
	struct contend_context *context = visit_state->context;
	struct contend_figures *figures =
		&context->figures[visit_state->visit->variant];
	const struct contend_point *point = visit_state->point;
	bool whole = true, stalled = false;
	size_t n = 0;

	for (uint32_t i = 0; i < point->n_cpus; i++) {
		const struct contend_cpu_state *cpu_state =
			&context->cpu_states[point->order[i]];

		whole = whole && cpu_state->switches == 0;
		stalled = stalled || cpu_state->stalled ||
			  cpu_state->counted == 0;
		for (uint32_t s = 0; s < cpu_state->n_samples; s++)
			context->pool[n++] =
				cpu_state->samples[s] - cpu_state->cost;
	}
	figures->visits++;
	figures->stalled += stalled;
	if (!whole || n == 0 ||
		!array_grow(&figures->latency, figures->n,
			sizeof(*figures->latency)))
		return;
	stat_sort(context->pool, n);
	figures->latency[figures->n++] = (struct contend_latency){
		.median_ns = latency_quantile_ns(visit_state, n, 0.5),
		.p99_ns = latency_quantile_ns(visit_state, n, 0.99),
	};
}

/*
 * Leave the visit. The last CPU evaluates the visit, and clears the slot.
 * Return false if a word is wrong.
 */
static bool contend_finish_visit(const struct contend_visit_state *visit_state)
{
	struct contend_control *control = visit_state->control;
	uint32_t gone = atomic_fetch_add_explicit(
				&control->gone, 1, memory_order_acq_rel) +
			1;
	bool right;

	if (gone < visit_state->point->n_cpus)
		return true;
	pool_cpu_latencies(visit_state);
	right = check_contended_words(visit_state);
	memset(control, 0, sizeof(*control));
	return right;
}

static bool contend_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	struct contend_visit_state visit_state;
	double per_s;
	bool calm;

	contend_state_init(&visit_state, visit);
	if (!contend_wait_for_cpus(&visit_state) ||
		!work_until_quit(&visit_state))
		return false;
	per_s = (double)visit_state.cpu_state->counted /
		((double)visit_state.cpu_state->ticks * params->ns_per_tick *
			1e-9);
	for (uint32_t s = 0; s < params->samples; s++)
		ticks[s] = visit_state.cpu_state->ticks ? (int64_t)per_s : 0;
	/* After contend_finish_visit(), the next visit may use cpu_state. */
	calm = visit_state.cpu_state->switches == 0;
	return contend_finish_visit(&visit_state) && calm;
}

/* Do nothing: only the second half measures. */
static bool contend_first(const struct probe_visit *visit, int64_t *ticks)
{
	(void)visit;
	(void)ticks;
	return true;
}

static void contend_abandon(void *slot)
{
	struct contend_control *control = slot;
	_Atomic uint64_t *waits =
		atomic_load_explicit(&control->waits, memory_order_acquire);

	atomic_store_explicit(
		&control->here, PROBE_ABANDONED, memory_order_relaxed);
	if (waits)
		atomic_store_explicit(waits, UINT64_MAX, memory_order_relaxed);
}

static double contend_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)params;
	(void)variant;
	return ticks * 1e-6;
}

const struct probe probe_contend = {
	.name = "contend",
	.summary = "one operation on one line, by one CPU or several",
	.second_cell = PROBE_FORWARD,
	.counts = {true, true},
	.first = contend_first,
	.second = contend_second,
	.abandon = contend_abandon,
	.scale = contend_scale,
};
