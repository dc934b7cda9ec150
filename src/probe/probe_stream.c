/*
 * stream: one CPU, or several together, read and write their working sets as
 * fast as they can.
 *
 * Timed: passes over the working set for STREAM_NS. Not timed: mapping the
 * memory, one pass that brings the working set into the caches, and waiting
 * until all CPUs are ready. Rates count the bytes that the program accesses, as
 * in likwid-bench: a copy counts the bytes that it reads and the bytes that it
 * writes. Lines that a cache reads before a store do not count.
 *
 * The first half times a chain of additions, one clock each, to convert rates
 * to bytes per clock.
 *
 * Each visit continues where the previous one ended. If the set is larger than
 * the caches, the warm-up accesses only enough of it to evict all other data.
 *
 * Known biases: each piece ends with a counter read, which takes at most 1 % of
 * the piece's time. A CPU that starts late works alone at its end.
 */
#include "probe/probe_stream.h"

#include <stdlib.h>

#include "machine/frequency.h"
#include "machine/timebase.h"
#include "probe/rendezvous.h"
#include "probe/undisturbed.h"

/* Timed part of a visit, in ns. */
#define STREAM_NS 300000.0

/* A load may wait for a store at a distance of a multiple of PAGE_BYTES. */
#define PAGE_BYTES ((size_t)4096)

/* Clocks in a sample of the first half. */
#define SAMPLE_CLOCKS 8192

/* A sample is scaled to the ticks for this many bytes. */
#define SAMPLE_BYTES 16777216.0

static size_t whole_grains(size_t bytes)
{
	return bytes / ARCH_GRAIN * ARCH_GRAIN;
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static size_t stream_array_bytes(const struct stream_point *point)
{
	return whole_grains(point->bytes / arch_access_factors[point->access]);
}

/* Return the memory of CPU k; shared memory belongs to the first CPU. */
static size_t cpu_bytes(const struct stream_context *context, size_t k)
{
	size_t most = 0;

	for (size_t i = 0; i < context->n_points; i++) {
		const struct stream_point *point = &context->points[i];
		size_t bytes = whole_pages(stream_array_bytes(point)) *
			       arch_access_factors[point->access];

		if (k < point->n_cpus && bytes > most)
			most = bytes;
	}
	return most;
}

size_t stream_regions(const struct stream_context *context)
{
	return context->shared ? 1 : context->cpus->n;
}

uint64_t stream_bytes(const struct stream_context *context)
{
	uint64_t bytes = 0;

	for (size_t k = 0; k < stream_regions(context); k++)
		bytes += cpu_bytes(context, k);
	return bytes;
}

int stream_init(struct stream_context *context, const struct machine *machine,
	const struct memory_request *request, struct error *err)
{
	size_t n = stream_regions(context);
	int rc = 0;

	context->memory = calloc(n, sizeof(*context->memory));
	context->at = calloc(context->cpus->n, sizeof(*context->at));
	if (!context->memory || !context->at)
		rc = error_no_memory(err, "the working sets");
	for (size_t k = 0; k < n && rc == 0; k++) {
		int node = machine_node_of(machine, context->cpus->cpus[k]);
		struct memory_request own = *request;

		own.bytes = cpu_bytes(context, k);
		own.node = node < 0 ? MEMORY_ANY_NODE : node;
		/* Skip a CPU that no point uses. */
		if (own.bytes)
			rc = memory_map(
				&context->memory[k], machine, &own, err);
	}
	if (rc < 0)
		stream_release(context);
	return rc;
}

void stream_release(struct stream_context *context)
{
	for (size_t k = 0; context->memory && k < stream_regions(context); k++)
		memory_release(&context->memory[k]);
	free(context->memory);
	free(context->at);
	context->memory = NULL;
	context->at = NULL;
}

/*
 * The arrays of a working set follow each other, each on its own pages, so that
 * their addresses are equal modulo 4 KiB. On Intel's CPUs a load waits for a
 * recent store if, modulo 4 KiB, its address is up to 512 bytes behind that of
 * the store. The conflict makes a copy up to 13 % slower.
 */
struct stream_cpu_arrays {
	const struct stream_point *point;
	char *base;
	size_t bytes; /* size of each array */
	size_t apart; /* distance of the arrays */
	size_t piece;
	size_t rounds; /* times to go through a piece */
	size_t at;     /* offset of the next piece */
};

/*
 * Return the bytes between two readings of the counter: enough to make the
 * reading negligible, but few enough for slow memory.
 */
static size_t stream_piece_bytes(const struct stream_point *point)
{
	if (point->bytes > ((size_t)2 << 20) || point->access >= ARCH_NT_WRITE)
		return (size_t)512 << 10;
	return (size_t)(point->bytes > ((size_t)128 << 10) ? 2 : 8) << 20;
}

/*
 * Return the arrays of one CPU, and where the visit begins. If all visits began
 * at the same place, caches would keep the part that begins there.
 */
static struct stream_cpu_arrays lay_out_arrays(
	const struct stream_context *context, const struct stream_point *point,
	size_t self)
{
	unsigned factor = arch_access_factors[point->access];
	size_t region = context->shared ? 0 : self;
	size_t bytes = stream_array_bytes(point);
	size_t piece = whole_grains(stream_piece_bytes(point) / factor);
	size_t ahead = context->shared ? bytes / point->n_cpus * self : 0;

	return (struct stream_cpu_arrays){
		.point = point,
		.base = context->memory[region].base,
		.bytes = bytes,
		.apart = whole_pages(bytes),
		.piece = piece,
		.rounds = bytes < piece ? piece / bytes : 1,
		.at = bytes <= piece
			      ? 0
			      : whole_grains(
					(context->at[self] + ahead) % bytes),
	};
}

/* Access the next piece; return its bytes in each array. */
static size_t move_stream_piece(struct stream_cpu_arrays *arrays, size_t rounds)
{
	size_t left = arrays->bytes - arrays->at;
	const struct stream_point *point = arrays->point;
	struct arch_arrays stream = {
		.a = arrays->base + arrays->at,
		.b = arrays->base + arrays->apart + arrays->at,
		.c = arrays->base + 2 * arrays->apart + arrays->at,
		.bytes = left < arrays->piece ? left : arrays->piece,
		.rounds = rounds,
		.value = 1,
	};

	point->vector->rate[point->access](&stream);
	arrays->at = stream.bytes < left ? arrays->at + stream.bytes : 0;
	return stream.bytes * rounds;
}

static bool stream_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	struct stream_context *context = params->context;
	const struct stream_point *point = &context->points[visit->variant];
	size_t self = (size_t)cpu_list_find(context->cpus, visit->second_cpu);
	struct stream_cpu_arrays arrays = lay_out_arrays(context, point, self);
	int64_t limit = (int64_t)(STREAM_NS / params->ns_per_tick), spent;
	size_t moved = 0;
	uint64_t begin;
	long switches;

	while (moved < arrays.bytes &&
		moved < point->warm_bytes / arch_access_factors[point->access])
		moved += move_stream_piece(&arrays, 1);
	if (!probe_wait_for_cpus(visit, visit->n_seconds))
		return false;
	moved = 0;
	switches = probe_switches();
	begin = timebase_begin(params->counter);
	do {
		moved += move_stream_piece(&arrays, arrays.rounds);
		spent = (int64_t)(timebase_end(params->counter) - begin);
	} while (spent < limit);
	switches -= probe_switches();
	context->at[self] += moved / arrays.rounds;
	for (uint32_t s = 0; s < params->samples; s++)
		ticks[s] =
			(int64_t)((double)spent * SAMPLE_BYTES /
				  ((double)moved *
					  arch_access_factors[point->access]));
	probe_leave(visit, visit->n_seconds);
	return switches == 0;
}

static double stream_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)variant;
	return probe_gib_per_s(params, SAMPLE_BYTES, ticks);
}

/* Measure the clock as if it were a rate: 1 GHz is 1 GiB/s. */
static bool stream_first(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	const double clocks = SAMPLE_BYTES / (1 << 30) * 1e9;

	for (uint32_t s = 0; s < params->samples; s++) {
		double a_clock = ARCH_CLOCKS ? frequency_ticks(params->counter,
						       SAMPLE_CLOCKS)
					     : 1 / params->ns_per_tick;

		ticks[s] = (int64_t)(a_clock * clocks);
	}
	return true;
}

const struct probe probe_stream = {
	.name = "stream",
	.summary = "passes over a working set by one CPU or several",
	.first_cell = PROBE_BACKWARD,
	.second_cell = PROBE_FORWARD,
	.first = stream_first,
	.second = stream_second,
	.abandon = probe_abandon_word,
	.scale = stream_scale,
};
