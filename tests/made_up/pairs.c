/*
 * What is measured between two made-up CPUs, in place of the probes of c2c
 * latency, queue and memcpy.
 *
 * Of the distances siblings, cache and across (and same, of a CPU with itself),
 * the one-way latency is siblings=NS and so on, or A-B=NS of these two CPUs;
 * from pass moves=N on it is moved-A-B=NS of those that have it. In the first
 * visits=N of them that have it, it is spiked-A-B=NS. It
 * is bare=N % more without the hint, and by method cas=N %, two-line=N %.
 * With --by-line, lines of the second half of the page take far=N % more; from
 * pass far_moves=N on those of the first half do.
 * A chunk of a queue takes its reader overhead_siblings=NS and so on, and its
 * bytes at gib_siblings=GIB/S; its writer takes three quarters of that, and
 * readers together share the rate. A copy runs at copy_siblings=GIB/S. If the
 * second CPU has the lower number, all takes back=N % more. Each visit
 * has noise of up to noise=N %, each pass drift=N % more than the one before.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_up.h"
#include "probe/probe_memcpy.h"
#include "probe/probe_queue.h"

/* A context of c2c memcpy is that of c2c. */
#define probe_memcpy measured_memcpy
extern const struct probe measured_memcpy;
#include "probe/probe_memcpy.c" /* NOLINT(bugprone-suspicious-include) */
#undef probe_memcpy

/* The figure NAME of a distance: PREFIX and its name. */
static double figure(
	const struct probe_visit *visit, const char *prefix, const double of[4])
{
	static const char *const names[] = {
		"same", "siblings", "cache", "across"};
	enum made_up_distance distance = made_up_distance_of(visit);
	char name[64];

	snprintf(name, sizeof(name), "%s%s", prefix, names[distance]);
	return made_up(name, of[distance]);
}

/* By how much this visit takes longer than its distance says. */
static double longer(const struct probe_visit *visit)
{
	double times = 1 + made_up("noise", 5) / 100 * made_up_noise(visit);

	if (visit->second_cpu < visit->first_cpu)
		times *= 1 + made_up("back", 0) / 100;
	return times * pow(1 + made_up("drift", 0) / 100, visit->pass);
}

static void put_ns(const struct probe_visit *visit, double ns, int64_t *ticks)
{
	for (uint32_t s = 0; s < visit->params->samples; s++)
		ticks[s] = llround(ns / visit->params->ns_per_tick);
}

static double spiked(const struct probe_visit *visit, double ns)
{
	static atomic_int visits;
	char name[32];
	double spike;

	snprintf(name, sizeof(name), "spiked-%u-%u", visit->first_cpu,
		visit->second_cpu);
	spike = made_up(name, NAN);
	if (isnan(spike) ||
		atomic_fetch_add(&visits, 1) >= made_up("visits", INFINITY))
		return ns;
	return spike;
}

/* By how much this line takes longer than others of its page. */
static double farther(const struct probe_visit *visit)
{
	bool second_half = visit->variant >= (1 << 20) / PROBE_SLOT_BYTES;
	bool moved = visit->pass >= made_up("far_moves", INFINITY);

	return second_half != moved ? 1 + made_up("far", 0) / 100 : 1;
}

static double one_way_ns(const struct probe_visit *visit)
{
	static const double of[] = {10, 20, 60, 140};
	double ns = figure(visit, "", of);
	char name[32];

	snprintf(name, sizeof(name), "moved-%u-%u", visit->first_cpu,
		visit->second_cpu);
	ns = made_up(strchr(name, '-') + 1, ns);
	if (visit->pass >= made_up("moves", INFINITY))
		ns = made_up(name, ns);
	ns = spiked(visit, ns);
	ns *= longer(visit) * farther(visit);
	return visit->params->use_spin_hint
		       ? ns
		       : ns * (1 + made_up("bare", 0) / 100);
}

static bool put_latency(
	const struct probe_visit *visit, double ns, int64_t *ticks)
{
	put_ns(visit, ns * visit->params->round_trips, ticks);
	return true;
}

static bool line_first(const struct probe_visit *visit, int64_t *ticks)
{
	return made_up_visit(visit) &&
	       put_latency(visit, 2 * one_way_ns(visit), ticks);
}

static bool cas_first(const struct probe_visit *visit, int64_t *ticks)
{
	double more = 1 + made_up("cas", 50) / 100;

	return made_up_visit(visit) &&
	       put_latency(visit, 2 * one_way_ns(visit) * more, ticks);
}

static bool two_line_first(const struct probe_visit *visit, int64_t *ticks)
{
	double more = 1 + made_up("two-line", 25) / 100;

	return made_up_visit(visit) &&
	       put_latency(visit, 2 * one_way_ns(visit) * more, ticks);
}

/* The way back, by a counter that is apart_ns=N behind that of the partner. */
static bool one_way_first(const struct probe_visit *visit, int64_t *ticks)
{
	return made_up_visit(visit) &&
	       put_latency(visit,
		       one_way_ns(visit) * 1.1 - made_up("apart_ns", 0), ticks);
}

static bool one_way_second(const struct probe_visit *visit, int64_t *ticks)
{
	made_up_second_visit();
	return put_latency(
		visit, one_way_ns(visit) + made_up("apart_ns", 0), ticks);
}

static bool nothing(const struct probe_visit *visit, int64_t *ticks)
{
	(void)visit;
	(void)ticks;
	made_up_second_visit();
	return true;
}

double probe_scale_round_trips(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)variant;
	return ticks * params->ns_per_tick / (2.0 * params->round_trips);
}

static double one_way_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	return 2 * probe_scale_round_trips(params, variant, ticks);
}

#define LATENCY(method, half)                                                  \
	.name = (method), .summary = "measures nothing", .round_trips = true,  \
	.first = (half), .abandon = made_up_abandon

static const struct probe line = {
	LATENCY("line", line_first),
	.first_cell = PROBE_BOTH,
	.second = nothing,
	.scale = probe_scale_round_trips,
};

static const struct probe cas = {
	LATENCY("cas", cas_first),
	.first_cell = PROBE_BOTH,
	.second = nothing,
	.scale = probe_scale_round_trips,
};

static const struct probe two_line = {
	LATENCY("two-line", two_line_first),
	.first_cell = PROBE_BOTH,
	.second = nothing,
	.scale = probe_scale_round_trips,
};

static const struct probe one_way = {
	LATENCY("one-way", one_way_first),
	.first_cell = PROBE_BACKWARD,
	.second_cell = PROBE_FORWARD,
	.needs_synchronous_counters = true,
	.second = one_way_second,
	.scale = one_way_scale,
};

const struct probe *const latency_probes[] = {
	&line, &cas, &two_line, &one_way, NULL};

size_t queue_block_bytes(unsigned line_bytes, const struct queue_shape *shape)
{
	size_t bytes =
		((size_t)line_bytes + shape->chunk_bytes) * shape->chunks;

	return (bytes / PROBE_SLOT_BYTES + 3) * PROBE_SLOT_BYTES;
}

static double bytes_of(
	const struct probe_params *params, uint32_t variant, double *chunks)
{
	const struct queue_context *context = params->context;
	const struct queue_shape *shape = &context->shapes[variant];

	*chunks = shape->chunks;
	return (double)shape->chunk_bytes * shape->chunks;
}

/* As long as the reader takes for all chunks. */
static double queue_ns(const struct probe_visit *visit)
{
	static const double overhead_ns[] = {10, 20, 40, 80};
	static const double gib_per_s[] = {32, 16, 8, 4};
	double chunks;
	double bytes = bytes_of(visit->params, visit->variant, &chunks);

	return (chunks * figure(visit, "overhead_", overhead_ns) +
		       bytes / (1 << 30) * 1e9 /
			       figure(visit, "gib_", gib_per_s)) *
	       longer(visit);
}

static bool queue_first(const struct probe_visit *visit, int64_t *ticks)
{
	if (!made_up_visit(visit))
		return false;
	put_ns(visit, queue_ns(visit) * 0.75, ticks);
	return true;
}

static bool queue_second(const struct probe_visit *visit, int64_t *ticks)
{
	made_up_second_visit();
	put_ns(visit, queue_ns(visit) * visit->n_seconds, ticks);
	return true;
}

static double queue_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	double chunks, bytes = bytes_of(params, variant, &chunks);

	return probe_gib_per_s(params, bytes, ticks);
}

static bool check_first(const struct probe_visit *visit, int64_t *ticks)
{
	(void)ticks;
	return made_up_visit(visit);
}

/* wrong=N bytes, in the pass wrong_pass=N, of the first CPU with the second. */
static bool check_second(const struct probe_visit *visit, int64_t *ticks)
{
	bool wrong = visit->first_cpu < visit->second_cpu &&
		     visit->pass == (uint32_t)made_up("wrong_pass", 0);

	made_up_second_visit();
	for (uint32_t s = 0; s < visit->params->samples; s++)
		ticks[s] = wrong ? (int64_t)made_up("wrong", 0) : 0;
	return true;
}

static double count(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)params;
	(void)variant;
	return ticks;
}

const struct probe probe_queue = {
	.name = "queue",
	.summary = "writes and reads nothing",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_FORWARD,
	.first = queue_first,
	.second = queue_second,
	.abandon = made_up_abandon,
	.scale = queue_scale,
};

const struct probe probe_queue_check = {
	.name = "queue-check",
	.summary = "looks at nothing",
	.second_cell = PROBE_FORWARD,
	.counts = {true, true},
	.first = check_first,
	.second = check_second,
	.abandon = made_up_abandon,
	.scale = count,
};

/* Regions are mapped and looked at, but nobody touches them. */
static bool have_region(const struct probe_visit *visit,
	struct memory_mapping *memory, const struct memcpy_node *node,
	size_t bytes, bool *ready)
{
	if (!*ready)
		*ready = map_node_memory(visit, memory, node, bytes) &&
			 account_for_memory(visit, memory);
	return *ready;
}

/* One thread has both regions: memory.c is for one at a time. */
static bool copy_first(const struct probe_visit *visit, int64_t *ticks)
{
	struct memcpy_context *context = visit->params->context;
	struct memcpy_node *from = node_of(context, visit->first_cpu);
	struct memcpy_node *to = node_of(context, visit->second_cpu);

	(void)ticks;
	if (!to->dests)
		to->dests = calloc(context->n_dests, sizeof(*to->dests));
	return to->dests && made_up_visit(visit) &&
	       have_region(visit, &from->source, from, context->bytes,
		       &from->source_ready) &&
	       have_region(visit, &to->dests->memory, to, context->slice_bytes,
		       &to->dests->ready);
}

/* Copies that lose their CPU each time: every disturbed=N th. */
static bool copy_second(const struct probe_visit *visit, int64_t *ticks)
{
	static const double gib_per_s[] = {16, 12, 8, 4};
	struct memcpy_context *context = visit->params->context;
	size_t every = (size_t)made_up("disturbed", 0);

	made_up_second_visit();
	context->copies++;
	context->disturbed += every > 0 && context->copies % every == 0;
	put_ns(visit,
		(double)context->slice_bytes / (1 << 30) * 1e9 /
			figure(visit, "copy_", gib_per_s) * longer(visit),
		ticks);
	return true;
}

const struct probe probe_memcpy = {
	.name = "memcpy",
	.summary = "copies nothing",
	.second_cell = PROBE_FORWARD,
	.first = copy_first,
	.second = copy_second,
	.abandon = made_up_abandon,
	.scale = memcpy_scale,
};
