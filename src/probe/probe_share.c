/*
 * share: a CPU chases through a ring that fills most of a cache, once while
 * another CPU chases through a ring of 2 KiB, and once while the other CPU
 * chases through an equally large ring. If the CPUs share the cache, both large
 * rings do not fit into it together, and the chase takes longer.
 *
 * A sample has three parts: both CPUs chase through their large rings, or only
 * the first or only the second CPU does while the other chases through its
 * small ring. In each part, both CPUs time their own loads. In the compared
 * parts, the other CPU runs the same instructions, which cancels the effect of
 * a shared core pipeline.
 *
 * A value is the mean of both directions, which differ. A CPU that keeps more
 * of its lines in the cache is faster, and so keeps them: one pair had ratios
 * of 1.6 and 2.65, in an order that depended on the order of the parts.
 *
 * Only loads are timed, not bringing the rings into the caches nor waiting for
 * each other. A waiting CPU continues to chase, so that the other CPU is never
 * alone.
 *
 * If the kernel runs another thread on a CPU, the other CPU runs alone. The
 * visit is tried again, and dropped after the last try.
 *
 * Known biases: a cache that many CPUs share is slower under any load, so
 * values a little above 1 prove nothing. Large rings are chased by several
 * walkers, which hides some of the cost of a miss.
 */
#include "probe/probe_share.h"

#include <stdlib.h>

#include "machine/timebase.h"
#include "probe/undisturbed.h"

/* Larger rings are chased by all walkers, because one chain takes too long. */
#define WALK_BYTES ((size_t)256 << 10)

/*
 * Rounds before a part: if a cache does not always evict the oldest line, two
 * rings need more than one round to evict each other. In a large cache a round
 * takes milliseconds.
 */
#define WARM_ROUNDS	  2
#define WARM_ROUNDS_LARGE 1
#define LARGE_BYTES	  ((size_t)4 << 20)

/*
 * Loads in a part: one round, within these limits. A ring continues with the
 * lines that it used longest ago, so a few loads show whether lines were
 * evicted.
 */
#define PART_LEAST 1024
#define PART_MOST  32768

/* Loads between two checks of the other CPU's progress. */
#define WAIT_LOADS 64

/* Loads between two checks whether the visit is abandoned. */
#define LOOK_LOADS ((size_t)1 << 20)

/* Tries before a disturbed visit is dropped. */
#define TRIES 4

/* Samples are integers: ratios multiplied by ONE. */
#define ONE 1e6

/* Progress of a CPU after its last sample. */
#define ALL_DONE (PROBE_ABANDONED - 1)

/* The slot of a visit: the progress of each CPU. */
struct share_rendezvous {
	_Atomic uint32_t first;
	_Atomic uint32_t disturbed;
	_Atomic int64_t ratio; /* ratio of the second half's sample */
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t second;
};

/* One half's view of a visit. */
struct share_half {
	const struct share_context *context;
	struct chase_ring *rings; /* SHARE_LARGE and SHARE_SMALL */
	_Atomic uint32_t *own, *other, *disturbed;
	_Atomic int64_t *ratio;
	bool is_first;
};

size_t share_bytes(size_t large_bytes)
{
	const struct chase_spec specs[] = {
		[SHARE_LARGE] = {.bytes = large_bytes},
		[SHARE_SMALL] = {.bytes = SHARE_SMALL_BYTES},
	};

	return chase_bytes(specs, 2);
}

static void choose_loads(struct share_context *context, size_t large_bytes)
{
	size_t lines = large_bytes / CHASE_LINE_BYTES, part = lines;

	context->walkers = large_bytes > WALK_BYTES;
	context->warm_loads =
		lines *
		(large_bytes > LARGE_BYTES ? WARM_ROUNDS_LARGE : WARM_ROUNDS);
	if (part < PART_LEAST)
		part = PART_LEAST;
	if (part > PART_MOST)
		part = PART_MOST;
	context->part_loads = (uint32_t)part;
}

int share_init(struct share_context *context, const struct machine *machine,
	const struct chase_plan *plan, size_t large_bytes, struct error *err)
{
	const struct chase_spec specs[] = {
		[SHARE_LARGE] = {.bytes = large_bytes},
		[SHARE_SMALL] = {.bytes = SHARE_SMALL_BYTES},
	};
	struct chase_plan own = *plan;
	int rc = 0;

	choose_loads(context, large_bytes);
	context->n = context->cpus->n;
	context->chases = calloc(context->n, sizeof(*context->chases));
	if (!context->chases)
		return error_no_memory(err, "the rings");
	own.specs = specs;
	own.n = 2;
	/* Do not inspect the pages, which takes longer with every mapping. */
	own.request.untouched = true;
	for (size_t i = 0; i < context->n && rc == 0; i++) {
		own.seed = plan->seed + i;
		if (machine)
			own.request.node = machine_node_of(
				machine, context->cpus->cpus[i]);
		rc = chase_init(&context->chases[i], &own, machine, err);
	}
	if (rc < 0)
		share_release(context);
	return rc;
}

void share_release(struct share_context *context)
{
	for (size_t i = 0; context->chases && i < context->n; i++)
		chase_release(&context->chases[i]);
	free(context->chases);
	context->chases = NULL;
}

static uint32_t progress_of(_Atomic uint32_t *word)
{
	return atomic_load_explicit(word, memory_order_acquire);
}

/*
 * Publish the progress; false if the visit is abandoned. The store may
 * overwrite the mark of an abandoned visit, but the crew repeats it.
 */
static bool publish_progress(const struct share_half *half, uint32_t progress)
{
	if (progress_of(half->own) == PROBE_ABANDONED)
		return false;
	atomic_store_explicit(half->own, progress, memory_order_release);
	return true;
}

/* Bring a ring into the caches; false if the visit is abandoned. */
static bool warm_up_ring(const struct share_half *half, struct chase_ring *ring)
{
	size_t left = half->context->warm_loads;

	while (left > 0) {
		size_t loads = left < LOOK_LOADS ? left : LOOK_LOADS;

		if (progress_of(half->own) == PROBE_ABANDONED)
			return false;
		chase_loads(ring, loads, half->context->walkers);
		left -= loads;
	}
	return true;
}

/*
 * Publish the progress of this half, and continue to chase until the other half
 * has the same progress. Return false if the visit is abandoned.
 */
static bool share_wait_for_partner(const struct share_half *half,
	struct chase_ring *ring, uint32_t progress)
{
	uint32_t seen;

	if (!publish_progress(half, progress))
		return false;
	while ((seen = progress_of(half->other)) < progress)
		chase_loads(ring, WAIT_LOADS, half->context->walkers);
	return seen != PROBE_ABANDONED;
}

/* Return the part as seen by a half: SHARE_OWN_LARGE is about its own ring. */
enum share_part share_part(uint32_t number, bool is_first)
{
	return number == SHARE_BOTH_LARGE || is_first
		       ? (enum share_part)number
		       : (enum share_part)(SHARE_PARTS - number);
}

/*
 * Time the parts of a sample; *met counts earlier meetings. Samples begin with
 * different parts in turn.
 */
static bool take_share_sample(const struct probe_visit *visit,
	const struct share_half *half, uint32_t turn, uint32_t *met,
	uint64_t *took)
{
	const struct probe_params *params = visit->params;
	long switches = 0;

	if (*met == 0 && !warm_up_ring(half, &half->rings[SHARE_LARGE]))
		return false;

	for (uint32_t step = 0; step < SHARE_PARTS; step++) {
		uint32_t part = (step + turn) % SHARE_PARTS;
		enum share_part own = share_part(part, half->is_first);
		struct chase_ring *ring =
			&half->rings[own == SHARE_OTHER_LARGE ? SHARE_SMALL
							      : SHARE_LARGE];
		uint64_t begin;

		if (!warm_up_ring(half, ring))
			return false;
		if (!share_wait_for_partner(half, ring, ++*met))
			return false;
		/* Ignore context switches during the wait. */
		switches -= probe_switches();
		begin = timebase_begin(params->counter);
		chase_loads(ring, half->context->part_loads,
			half->context->walkers);
		took[own] = timebase_end(params->counter) - begin;
		if (!share_wait_for_partner(half, ring, ++*met))
			return false;
		switches += probe_switches();
	}
	if (switches)
		atomic_store_explicit(half->disturbed, 1, memory_order_relaxed);
	return true;
}

/*
 * Each half compares the two parts in which its own ring is large: in one of
 * them, the partner's ring is also large. A sample of the first half is the
 * mean of both halves' ratios.
 */
static bool take_share_samples(const struct probe_visit *visit,
	const struct share_half *half, uint32_t *met, int64_t *ticks)
{
	uint64_t took[SHARE_PARTS];
	int64_t ratio;

	for (uint32_t s = 0; s < visit->params->samples; s++) {
		if (!take_share_sample(visit, half, visit->pass + s, met, took))
			return false;
		ratio = (int64_t)(ONE * (double)took[SHARE_BOTH_LARGE] /
				  (double)took[SHARE_OWN_LARGE]);
		if (!half->is_first)
			atomic_store_explicit(
				half->ratio, ratio, memory_order_relaxed);
		if (!share_wait_for_partner(
			    half, &half->rings[SHARE_SMALL], ++*met))
			return false;
		ticks[s] = (ratio + atomic_load_explicit(half->ratio,
					    memory_order_relaxed)) /
			   2;
		/*
		 * Stop, because the samples will be taken again. On a busy
		 * machine each meeting takes a time slice.
		 */
		if (atomic_load_explicit(half->disturbed, memory_order_relaxed))
			break;
	}
	return true;
}

/*
 * Take the samples again if a CPU was disturbed. Both CPUs set the flag before
 * a meeting and read it afterwards; the first half clears it after a second
 * meeting. Return false if the visit is abandoned.
 */
static bool try_samples(const struct probe_visit *visit,
	const struct share_half *half, int64_t *ticks, bool *disturbed)
{
	struct chase_ring *ring = &half->rings[SHARE_SMALL];
	uint32_t met = 0;

	*disturbed = true;
	for (int left = TRIES; *disturbed && left > 0; left--) {
		if (!take_share_samples(visit, half, &met, ticks) ||
			!share_wait_for_partner(half, ring, ++met))
			return false;
		*disturbed = atomic_load_explicit(
			half->disturbed, memory_order_relaxed);
		if (!share_wait_for_partner(half, ring, ++met))
			return false;
		if (half->is_first)
			atomic_store_explicit(
				half->disturbed, 0, memory_order_relaxed);
	}
	return true;
}

static struct share_half share_half_of(
	const struct probe_visit *visit, bool is_first)
{
	const struct share_context *context = visit->params->context;
	struct share_rendezvous *rendezvous = visit->slots;
	long cpu = cpu_list_find(
		context->cpus, is_first ? visit->first_cpu : visit->second_cpu);

	return (struct share_half){
		.context = context,
		.rings = context->chases[cpu].rings,
		.own = is_first ? &rendezvous->first : &rendezvous->second,
		.other = is_first ? &rendezvous->second : &rendezvous->first,
		.disturbed = &rendezvous->disturbed,
		.ratio = &rendezvous->ratio,
		.is_first = is_first,
	};
}

/* The first half ends last, and clears the slot for the next visit. */
static bool share_first(const struct probe_visit *visit, int64_t *ticks)
{
	const struct share_half half = share_half_of(visit, true);
	struct share_rendezvous *rendezvous = visit->slots;
	bool disturbed;

	if (!try_samples(visit, &half, ticks, &disturbed) ||
		!share_wait_for_partner(
			&half, &half.rings[SHARE_SMALL], ALL_DONE))
		return false;
	atomic_store_explicit(&rendezvous->ratio, 0, memory_order_relaxed);
	atomic_store_explicit(&rendezvous->second, 0, memory_order_relaxed);
	atomic_store_explicit(&rendezvous->first, 0, memory_order_relaxed);
	return !disturbed;
}

static bool share_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct share_half half = share_half_of(visit, false);
	uint32_t seen;
	bool disturbed;

	if (!try_samples(visit, &half, ticks, &disturbed))
		return false;
	while ((seen = progress_of(half.other)) < ALL_DONE)
		arch_spin_hint();
	return seen != PROBE_ABANDONED && publish_progress(&half, ALL_DONE) &&
	       !disturbed;
}

static double share_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)params;
	(void)variant;
	return ticks / ONE;
}

const struct probe probe_share = {
	.name = "share",
	.summary = "a chase beside another one of the same size",
	.first_cell = PROBE_BOTH,
	.second_cell = PROBE_NOTHING,
	.counts = {true, true},
	.first = share_first,
	.second = share_second,
	.abandon = probe_abandon_lines,
	.scale = share_scale,
};
