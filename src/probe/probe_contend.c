/*
 * contend: one CPU, or several at the same time, do one operation again and
 * again on a word, on words of one line, or each on its own line.
 *
 * All CPUs meet, and work from then on. The first one is the timekeeper: when
 * all have worked for WARM_NS it asks them to enter the window. When every CPU
 * has entered, it announces that they are to count, COUNT_NS later that single
 * operations are to be timed, SAMPLE_NS later the end, and lets all of them
 * stop when every CPU has left. So whatever a CPU counts, all others were at
 * work meanwhile. An announcement is a word on each CPU's own line, which the
 * CPU reads after a block of operations.
 *
 * Timed: blocks of operations of about COUNT_BLOCK_NS, which give the rate of
 * the CPU; then single operations, each after a block of SAMPLE_BLOCK_NS, less
 * the time that the same takes without an operation. Operations are counted,
 * also those outside of the window, and the word has to say the same at the end
 * of the visit.
 *
 * Rates and latencies take turns because a CPU that reads its clock leaves the
 * line to the others: 5 % of the time without contention made a ticket lock of
 * two CPUs 1.5 to 2 times as fast.
 *
 * Not timed: meeting, warming up, what comes after the window.
 *
 * Source: the throughput and fairness of D. Pas' multichase and of W.
 * Tarreau's atomic-tests; the ticket lock is that of Mellor-Crummey and Scott,
 * ACM Transactions on Computer Systems 9, 1991.
 *
 * Known biases: between two blocks a CPU reads its clock and two words, some 30
 * ns in COUNT_BLOCK_NS, in which a CPU fewer contends. Single operations are
 * timed while others time theirs, so that one is waited for a little less. A
 * single store has ended when it is in the CPU's store buffer, wherever its
 * line is. Time that a host takes from a virtual CPU is in the figures; visits
 * in which the kernel gave a CPU to another program are dropped.
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

/* A block that takes so much of COUNT_NS was not only contention. */
#define STALL_NS 100000.0

#define MOST_BLOCK 65536u

/* Latencies of a CPU in a visit. */
#define SAMPLES 256

/* Readings that tell what a sample costs without an operation. */
#define COST_READINGS 15

/* Lines that visits take in turn. */
#define LINES 64

/* Every CPU of a visit stores values of its own. */
#define OWN_VALUES ((uint64_t)1 << 40)

enum phase {
	WARM,
	ENTER,
	COUNT,
	SAMPLE,
	ENOUGH,
	QUIT
};

/* In the slot of a visit. Nobody writes the first line while others work. */
struct control {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t here;
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t warm;
	_Atomic uint32_t entered, left, gone;
	_Atomic(_Atomic uint64_t *) waits; /* where CPUs wait; NULL: nowhere */
};

_Static_assert(sizeof(struct control) == PROBE_SLOT_BYTES, "is a slot");

struct contend_seat {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t phase;
	/* Its CPU's own, until it is gone. */
	_Alignas(PROBE_LINE_STRIDE) struct contend_hand hand;
	uint32_t block;		 /* operations of COUNT_BLOCK_NS */
	uint64_t counted, ticks; /* in blocks while counting */
	double worked_ns;	 /* in WARM_NS, to warm up */
	bool stalled;
	long switches;
	uint32_t n_samples;
	double cost;		 /* ticks of a sample without an operation */
	double samples[SAMPLES]; /* ticks */
};

/* A visit as one of its CPUs sees it. */
struct scene {
	const struct probe_visit *visit;
	const struct probe_params *params;
	struct contend_context *context;
	const struct contend_point *point;
	struct control *control;
	struct contend_seat *seat;
	uint32_t place; /* in the order of the point */
	uint32_t (*run)(struct contend_hand *hand, uint32_t n);
	/* The timekeeper's. */
	enum phase announced;
	uint64_t since;
};

size_t contend_block_bytes(size_t n_cpus)
{
	return sizeof(struct control) +
	       (LINES + n_cpus + 1) / 2 * PROBE_SLOT_BYTES;
}

int contend_init(struct contend_context *context, struct error *err)
{
	size_t n = context->cpus->n;

	context->seats =
		aligned_alloc(PROBE_LINE_STRIDE, n * sizeof(*context->seats));
	context->figures = calloc(context->n_points, sizeof(*context->figures));
	context->pool = calloc(n, SAMPLES * sizeof(*context->pool));
	if (context->seats && context->figures && context->pool) {
		memset(context->seats, 0, n * sizeof(*context->seats));
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
	free(context->seats);
	free(context->pool);
	context->figures = NULL;
	context->seats = NULL;
	context->pool = NULL;
}

static uint32_t look(const _Atomic uint32_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static bool is_abandoned(const struct scene *scene)
{
	return look(&scene->control->here) > scene->point->n_cpus;
}

/* The line of one place, and of all places if they share one. */
static char *line_of(const struct scene *scene, uint32_t place)
{
	const struct probe_visit *visit = scene->visit;
	size_t first = (visit->pass + visit->variant) % LINES;

	if (scene->point->sharing == CONTEND_NONE)
		first += place;
	return (char *)(scene->control + 1) + first * PROBE_LINE_STRIDE;
}

static void *word_of(const struct scene *scene, uint32_t place)
{
	char *line = line_of(scene, place);

	if (scene->point->sharing == CONTEND_LINE)
		line += place * sizeof(uint64_t);
	return line;
}

/* Words of a line that nobody else uses yet. */
static void set_words(const struct scene *scene, uint32_t place)
{
	uint64_t *words = (uint64_t *)(void *)line_of(scene, place);

	for (size_t i = 0; i < PROBE_LINE_STRIDE / sizeof(*words); i++)
		words[i] = scene->point->operation->start;
}

/* What a sample takes without an operation, in ticks. */
static double sample_cost(const struct scene *scene)
{
	uint32_t (*volatile run)(struct contend_hand *, uint32_t) =
		contend_nothing;
	const bool counter = scene->params->counter;
	double took[COST_READINGS];

	for (size_t i = 0; i < COST_READINGS; i++) {
		uint64_t begin = timebase_begin(counter);

		run(&scene->seat->hand, 1);
		took[i] = (double)(timebase_end(counter) - begin);
	}
	return stat_median(took, COST_READINGS);
}

static void enter_scene(struct scene *scene, const struct probe_visit *visit)
{
	struct contend_context *context = visit->params->context;
	const struct contend_point *point = &context->points[visit->variant];
	const struct contend_operation *operation = point->operation;
	uint32_t self =
		(uint32_t)cpu_list_find(context->cpus, visit->second_cpu);

	*scene = (struct scene){
		.visit = visit,
		.params = visit->params,
		.context = context,
		.point = point,
		.control = visit->slots,
		.seat = &context->seats[self],
		.run = point->relax && operation->run_relaxed
			       ? operation->run_relaxed
			       : operation->run,
	};
	while (point->order[scene->place] != self)
		scene->place++;
	memset(scene->seat, 0, sizeof(*scene->seat));
	scene->seat->hand = (struct contend_hand){
		.word = word_of(scene, scene->place),
		.tally.last = (scene->place + 1) * OWN_VALUES,
		.phase = &scene->seat->phase,
	};
	scene->seat->cost = sample_cost(scene);
	if (scene->place == 0 || point->sharing == CONTEND_NONE)
		set_words(scene, scene->place);
	if (scene->place == 0 && operation->waits_at)
		atomic_store_explicit(&scene->control->waits,
			(_Atomic uint64_t *)scene->seat->hand.word +
				operation->waits_at / sizeof(uint64_t),
			memory_order_release);
}

/* Wait until all CPUs of the visit are here; false if it is abandoned. */
static bool meet(const struct scene *scene)
{
	struct control *control = scene->control;
	uint32_t n = scene->point->n_cpus;
	uint32_t here = atomic_fetch_add_explicit(
				&control->here, 1, memory_order_acq_rel) +
			1;

	while (here < n) {
		arch_relax();
		here = atomic_load_explicit(
			&control->here, memory_order_acquire);
	}
	return here == n;
}

static void announce(struct scene *scene, enum phase phase)
{
	const struct contend_point *point = scene->point;

	scene->announced = phase;
	for (uint32_t i = 0; i < point->n_cpus; i++)
		atomic_store_explicit(
			&scene->context->seats[point->order[i]].phase, phase,
			memory_order_relaxed);
}

/* The timekeeper, between two of its own blocks. */
static void keep_time(struct scene *scene, uint64_t now)
{
	static const double lasts_ns[] = {
		[COUNT] = COUNT_NS, [SAMPLE] = SAMPLE_NS, [ENOUGH] = 0};
	struct control *control = scene->control;
	_Atomic uint32_t *const wait_for[] = {[WARM] = &control->warm,
		[ENTER] = &control->entered,
		[ENOUGH] = &control->left,
		[QUIT] = NULL};
	const double ns_per_tick = scene->params->ns_per_tick;
	const uint32_t n = scene->point->n_cpus;
	double ns;

	if (scene->announced == QUIT)
		return;
	ns = (double)(now - scene->since) * ns_per_tick;
	if (wait_for[scene->announced] ? look(wait_for[scene->announced]) < n
				       : ns < lasts_ns[scene->announced])
		return;
	announce(scene, scene->announced + 1);
	scene->since = now;
}

/* Enter or leave the window if that was announced, which takes time. */
static bool follow(const struct scene *scene, enum phase phase)
{
	struct contend_seat *seat = scene->seat;

	if (phase == seat->hand.phase_seen)
		return false;
	seat->hand.phase_seen = phase;
	if (phase == ENTER) {
		seat->switches = -probe_switches();
		atomic_fetch_add_explicit(
			&scene->control->entered, 1, memory_order_relaxed);
	} else if (phase == ENOUGH) {
		seat->switches += probe_switches();
		atomic_fetch_add_explicit(
			&scene->control->left, 1, memory_order_relaxed);
	}
	return true;
}

/* The block that takes nearest to COUNT_BLOCK_NS, from one of that time. */
static uint32_t next_block(uint32_t block, double ns)
{
	if (ns < COUNT_BLOCK_NS / 1.5 && block < MOST_BLOCK)
		return 2 * block;
	return ns > COUNT_BLOCK_NS * 1.5 && block > 1 ? block / 2 : block;
}

/* A block of done operations of one phase, which took so many ticks. */
static void note_block(const struct scene *scene, enum phase phase,
	uint32_t done, uint64_t ticks)
{
	struct contend_seat *seat = scene->seat;
	double ns = (double)ticks * scene->params->ns_per_tick;

	seat->hand.tally.done += done;
	if (phase <= ENTER)
		seat->block = next_block(seat->block, ns);
	if (phase == WARM && seat->worked_ns < WARM_NS) {
		/* A block that was interrupted warms no more than another. */
		seat->worked_ns += fmin(ns, COUNT_BLOCK_NS);
		if (seat->worked_ns >= WARM_NS)
			atomic_fetch_add_explicit(
				&scene->control->warm, 1, memory_order_relaxed);
	}
	if (phase != COUNT)
		return;
	seat->counted += done;
	seat->ticks += ticks;
	if (done == seat->block && ns > STALL_NS)
		seat->stalled = true;
}

/* Time one operation; when it ended. */
static uint64_t take_sample(const struct scene *scene)
{
	struct contend_seat *seat = scene->seat;
	const bool counter = scene->params->counter;
	uint64_t begin = timebase_begin(counter), end;
	uint32_t done = scene->run(&seat->hand, 1);

	end = timebase_end(counter);
	seat->hand.tally.done += done;
	/* A compare-and-swap that was given up waited for at least so long. */
	if (seat->n_samples < SAMPLES)
		seat->samples[seat->n_samples++] = (double)(end - begin);
	return end;
}

/* Work until the timekeeper says stop; false if the visit is abandoned. */
static bool work(struct scene *scene)
{
	struct contend_seat *seat = scene->seat;
	const bool counter = scene->params->counter;
	uint64_t before = timebase_begin(counter), now;
	enum phase phase;

	seat->block = 1;
	while ((phase = look(&seat->phase)) != QUIT) {
		uint32_t block = seat->block, done;

		if (follow(scene, phase))
			before = timebase_begin(counter);
		if (phase == SAMPLE)
			block = (uint32_t)(block * SAMPLE_BLOCK_NS /
					   COUNT_BLOCK_NS);
		done = scene->run(&seat->hand, block);
		now = timebase_begin(counter);
		note_block(scene, phase, done, now - before);
		before = phase == SAMPLE ? take_sample(scene) : now;
		if (scene->place == 0)
			keep_time(scene, before);
		if (is_abandoned(scene))
			return false;
	}
	return true;
}

/* Whether a word is what the CPUs from place on, n of them, did to it. */
static bool word_holds(const struct scene *scene, uint32_t place, uint32_t n)
{
	const struct contend_point *point = scene->point;
	struct contend_sum sum = {.words = word_of(scene, place)};

	for (uint32_t i = place; i < place + n; i++) {
		const struct contend_tally *tally =
			&scene->context->seats[point->order[i]].hand.tally;

		sum.done += tally->done;
		sum.put += tally->put;
		sum.got += tally->got;
		sum.is_last = sum.is_last || tally->last == sum.words[0];
	}
	return point->operation->holds(&sum);
}

/* Fills the visit's error if an operation was lost or done twice. */
static bool check_words(const struct scene *scene)
{
	const struct contend_point *point = scene->point;
	bool shared = point->sharing == CONTEND_WORD;
	uint32_t each = shared ? point->n_cpus : 1;

	for (uint32_t i = 0; i < point->n_cpus; i += each) {
		if (word_holds(scene, i, each))
			continue;
		/* A lock whose visit is given up holds what ends all waits. */
		if (is_abandoned(scene))
			return false;
		error_set(scene->visit->error, ERROR_FAILURE, EIO,
			"the word that %u CPU%s worked on (%s, from CPU %u on) "
			"is not what they did to it: an operation was lost or "
			"was not atomic; suspect a bug in c2c before the CPU",
			each, each == 1 ? "" : "s", point->operation->name,
			scene->context->cpus->cpus[point->order[i]]);
		return false;
	}
	return true;
}

/* A quantile of the latencies in ns; NaN if the clock cannot tell it. */
static double latency_of(const struct scene *scene, size_t n, double q)
{
	const struct probe_params *params = scene->params;
	double ticks = stat_quantile(scene->context->pool, n, q);

	return ticks > params->step_ticks ? ticks * params->ns_per_tick : NAN;
}

/* Pool the latencies of all CPUs, unless one of them was disturbed. */
static void note_latencies(const struct scene *scene)
{
	struct contend_context *context = scene->context;
	struct contend_figures *figures =
		&context->figures[scene->visit->variant];
	const struct contend_point *point = scene->point;
	bool whole = true, stalled = false;
	size_t n = 0;

	for (uint32_t i = 0; i < point->n_cpus; i++) {
		const struct contend_seat *seat =
			&context->seats[point->order[i]];

		whole = whole && seat->switches == 0;
		stalled = stalled || seat->stalled || seat->counted == 0;
		for (uint32_t s = 0; s < seat->n_samples; s++)
			context->pool[n++] = seat->samples[s] - seat->cost;
	}
	figures->visits++;
	figures->stalled += stalled;
	if (!whole || n == 0 ||
		!array_grow(&figures->latency, figures->n,
			sizeof(*figures->latency)))
		return;
	stat_sort(context->pool, n);
	figures->latency[figures->n++] = (struct contend_latency){
		.median_ns = latency_of(scene, n, 0.5),
		.p99_ns = latency_of(scene, n, 0.99),
	};
}

/*
 * The last CPU looks at what all did, and clears the slot for the next visit.
 * False if a word is wrong.
 */
static bool leave(const struct scene *scene)
{
	struct control *control = scene->control;
	uint32_t gone = atomic_fetch_add_explicit(
				&control->gone, 1, memory_order_acq_rel) +
			1;
	bool right;

	if (gone < scene->point->n_cpus)
		return true;
	note_latencies(scene);
	right = check_words(scene);
	memset(control, 0, sizeof(*control));
	return right;
}

static bool contend_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	struct scene scene;
	double per_s;
	bool calm;

	enter_scene(&scene, visit);
	if (!meet(&scene) || !work(&scene))
		return false;
	per_s = (double)scene.seat->counted /
		((double)scene.seat->ticks * params->ns_per_tick * 1e-9);
	for (uint32_t s = 0; s < params->samples; s++)
		ticks[s] = scene.seat->ticks ? (int64_t)per_s : 0;
	/* Once it has left, the next visit may use its seat. */
	calm = scene.seat->switches == 0;
	return leave(&scene) && calm;
}

/* Only the other half measures. */
static bool contend_first(const struct probe_visit *visit, int64_t *ticks)
{
	(void)visit;
	(void)ticks;
	return true;
}

static void contend_abandon(void *slot)
{
	struct control *control = slot;
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
