/*
 * Does c2c queue report what a bare loop measures? Does its rate depend on the
 * lines between the CPUs, and not on its own instructions?
 *
 * The program alternately runs the probe of c2c queue and the loops below, on
 * the same two threads, CPUs and lines (see turns.h). The loops were written by
 * hand for this program, and share no code with the probe. Then the program
 * alternates the timed functions of the probe on one CPU, over a queue in the
 * first-level cache. There they are much faster, which shows that between CPUs
 * they wait only for lines.
 *
 * Usage: queue [TURNS A,B...]
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/vector.h"
#include "machine/memory.h"
#include "machine/timebase.h"
#include "probe/probe_queue.h"
#include "stat/stat.h"
#include "turns.h"

#define GIB	   1073741824.0
#define LINE_BYTES 64

/* The probe's chunks begin here, so that both use the same lines. */
#define CHUNKS_AT (2 * PROBE_SLOT_BYTES)

/* As many chunks as c2c queue has, and as many bytes as its sweep allows. */
#define CHUNKS	   8192
#define MOST_BYTES (32 << 20)

/*
 * Sizes of a queue that fits the first cache of any CPU, and of a long chunk.
 */
#define NEAR_BYTES	 (24 << 10)
#define NEAR_CHUNK_BYTES (16 << 10)
#define NEAR_TURNS	 8 /* passes through the queue in a sample */
#define NEAR_SAMPLES	 401

/* Default chunk of c2c queue. */
#define USUAL_BYTES 512

static const uint32_t sizes[] = {64, 512, 4096, 65536};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

enum {
	WRITER,
	READER,
	SIDES
};

static const char *const side_names[SIDES] = {"writer", "reader"};

/* The context of both halves (params->context). The probe uses only `queue`. */
struct setup {
	struct queue_context queue;
	uint64_t generation; /* of bare loops, from BARE_GENERATION on */
};

/*
 * The generations of the probe never reach this number, and neither the probe's
 * data nor the bare loops' data look like it.
 */
#define BARE_GENERATION (UINT64_C(1) << 48)

/*
 * The words at which the bare halves meet. They are zeros before and after a
 * visit, like all slots.
 */
struct meeting {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint64_t begin;
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint64_t met;
};

/* Every CPU with vectors has vectors of this width. */
#define WIDTH 16
#define TARGET
#define NAME(x) x##_16
#include "queue_bare.h"

#if defined(__x86_64__)

#define WIDTH	32
#define TARGET	__attribute__((target("avx2")))
#define NAME(x) x##_32
#include "queue_bare.h"

#define WIDTH	64
#define TARGET	__attribute__((target("avx512f")))
#define NAME(x) x##_64
#include "queue_bare.h"

static void bare_write(char *at, size_t n, size_t bytes, uint64_t generation)
{
	if (__builtin_cpu_supports("avx512f"))
		write_64(at, n, bytes, generation);
	else if (__builtin_cpu_supports("avx2"))
		write_32(at, n, bytes, generation);
	else
		write_16(at, n, bytes, generation);
}

static void bare_read(
	const char *at, size_t n, size_t bytes, uint64_t generation)
{
	if (__builtin_cpu_supports("avx512f"))
		read_64(at, n, bytes, generation);
	else if (__builtin_cpu_supports("avx2"))
		read_32(at, n, bytes, generation);
	else
		read_16(at, n, bytes, generation);
}

#else

#define bare_write write_16
#define bare_read  read_16

#endif

/* Write each line on this CPU, then flush it from all caches. */
static void cool(char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE_BYTES)
		*(volatile uint64_t *)(void *)(at + i) = 0;
	arch_flush(at, bytes, LINE_BYTES);
}

static bool bare_first(const struct probe_visit *visit, int64_t *ticks)
{
	struct setup *setup = visit->params->context;
	const struct queue_shape *shape = &setup->queue.shapes[visit->variant];
	struct meeting *meeting = visit->slots;
	char *at = (char *)visit->slots + CHUNKS_AT;
	uint64_t begin, generation = BARE_GENERATION + ++setup->generation;

	if (setup->queue.cold)
		cool(at, (LINE_BYTES + (size_t)shape->chunk_bytes) *
				 shape->chunks);
	atomic_store(&meeting->begin, generation);
	while (atomic_load(&meeting->met) != 1)
		;
	begin = timebase_begin(true);
	bare_write(at, shape->chunks, shape->chunk_bytes, generation);
	ticks[0] = (int64_t)(timebase_end(true) - begin);
	while (atomic_load(&meeting->met) != 2)
		;
	atomic_store(&meeting->met, 0);
	atomic_store(&meeting->begin, 0);
	return true;
}

static bool bare_second(const struct probe_visit *visit, int64_t *ticks)
{
	struct setup *setup = visit->params->context;
	const struct queue_shape *shape = &setup->queue.shapes[visit->variant];
	struct meeting *meeting = visit->slots;
	char *at = (char *)visit->slots + CHUNKS_AT;
	const _Atomic uint64_t *ready = (const void *)at;
	uint64_t begin, generation;

	while ((generation = atomic_load(&meeting->begin)) == 0)
		;
	atomic_store(&meeting->met, 1);
	while (atomic_load_explicit(ready, memory_order_acquire) != generation)
		;
	begin = timebase_begin(true);
	bare_read(at, shape->chunks, shape->chunk_bytes, generation);
	ticks[0] = (int64_t)(timebase_end(true) - begin);
	atomic_store(&meeting->met, 2);
	return true;
}

static bool first(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->pass == TURNS_BARE ? bare_first(visit, ticks)
					 : probe_queue.first(visit, ticks);
}

static bool second(const struct probe_visit *visit, int64_t *ticks)
{
	return visit->pass == TURNS_BARE ? bare_second(visit, ticks)
					 : probe_queue.second(visit, ticks);
}

/* The extreme ratios of c2c to the bare loop, and the number within 5 %. */
struct ratios {
	double least, most;
	size_t near, n;
};

struct summary {
	struct ratios usual, all; /* with the defaults of c2c queue; with any */
	/*
	 * The best rates of c2c between two CPUs; best[1] is for cold queues.
	 */
	double best[2][SIZES][SIDES];
};

static void add_ratio(struct ratios *ratios, double ratio)
{
	if (ratios->n == 0 || ratio < ratios->least)
		ratios->least = ratio;
	if (ratios->n == 0 || ratio > ratios->most)
		ratios->most = ratio;
	ratios->near += ratio >= 0.95 && ratio <= 1.05;
	ratios->n++;
}

static void compare(const struct crew_options *options, void *slots,
	size_t turns, struct summary *summary)
{
	const struct probe_params *params = options->params;
	const struct setup *setup = params->context;
	struct turn *taken = calloc(turns, sizeof(*taken));
	double(*best)[SIDES] = summary->best[setup->queue.cold];

	if (!taken)
		abort();
	for (uint32_t i = 0; i < SIZES; i++) {
		const struct queue_shape *shape = &setup->queue.shapes[i];

		turns_measure(options, i, slots, taken, turns);
		for (int side = 0; side < SIDES; side++) {
			struct comparison c = turns_compare(taken, turns, side,
				(double)shape->chunk_bytes * shape->chunks,
				params->ns_per_tick);

			printf("%4u,%-4u%5s%7u B  %s", options->cpus->cpus[0],
				options->cpus->cpus[1],
				setup->queue.cold ? "cold" : "warm",
				shape->chunk_bytes, side_names[side]);
			turns_print(&c);
			if (c.rate[TURNS_C2C] > best[i][side])
				best[i][side] = c.rate[TURNS_C2C];
			add_ratio(&summary->all, c.ratio);
			if (setup->queue.cold &&
				shape->chunk_bytes == USUAL_BYTES)
				add_ratio(&summary->usual, c.ratio);
		}
	}
	free(taken);
}

/*
 * Measure writing and reading a queue in the first cache of this CPU, in GiB/s.
 */
static void measure_near(const struct arch_vector *vector, uint32_t size,
	double ns_per_tick, double rates[SIDES])
{
	const _Atomic uint64_t abandoned = 0;
	struct queue_chunks chunks = {.line_bytes = LINE_BYTES,
		.bytes = size < NEAR_CHUNK_BYTES ? size : NEAR_CHUNK_BYTES};
	double ticks[SIDES][NEAR_SAMPLES];
	uint64_t generation = 0;

	chunks.first = aligned_alloc(4096, NEAR_BYTES);
	chunks.n = NEAR_BYTES / (LINE_BYTES + chunks.bytes);
	if (!chunks.first)
		abort();
	memset(chunks.first, 0, NEAR_BYTES);
	for (size_t s = 0; s < NEAR_SAMPLES; s++) {
		uint64_t time[3];

		time[0] = timebase_begin(true);
		for (int t = 0; t < NEAR_TURNS; t++)
			queue_write(&chunks, vector, ++generation);
		time[1] = timebase_begin(true);
		for (int t = 0; t < NEAR_TURNS; t++)
			queue_read(&chunks, vector, generation, &abandoned);
		time[2] = timebase_end(true);
		ticks[WRITER][s] = (double)(time[1] - time[0]);
		ticks[READER][s] = (double)(time[2] - time[1]);
	}
	for (int side = 0; side < SIDES; side++)
		rates[side] = NEAR_TURNS * (double)(chunks.n * chunks.bytes) /
			      GIB /
			      (stat_median(ticks[side], NEAR_SAMPLES) *
				      ns_per_tick * 1e-9);
	free(chunks.first);
}

static void report_near(unsigned cpu, const struct probe_params *params,
	const struct summary *summary)
{
	const struct setup *setup = params->context;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		turns_die("this thread cannot be bound");
	printf("\nBoth sides in the first cache of CPU %u, and that divided by "
	       "the best of c2c above:\n%39s%9s%9s\n",
		cpu, "GiB/s", "cold", "warm");
	for (size_t i = 0; i < SIZES; i++) {
		double rates[SIDES];

		measure_near(setup->queue.vector, sizes[i], params->ns_per_tick,
			rates);
		for (int side = 0; side < SIDES; side++)
			printf("%21u B  %s%9.2f%9.1f%9.1f\n", sizes[i],
				side_names[side], rates[side],
				rates[side] / summary->best[1][i][side],
				rates[side] / summary->best[0][i][side]);
	}
}

static void print_ratios(const char *which, const struct ratios *ratios)
{
	printf("%s: %zu of %zu ratios within 5 %%, %.3f to %.3f\n", which,
		ratios->near, ratios->n, ratios->least, ratios->most);
}

static void visit_pair(struct machine *machine, struct probe_params *params,
	const unsigned cpus[2], size_t turns, struct summary *summary)
{
	struct setup *setup = params->context;
	struct probe probe = probe_queue;
	struct cpu_list list = {(unsigned *)cpus, 2};
	struct crew_options options = {.machine = machine,
		.cpus = &list,
		.probe = &probe,
		.params = params};
	struct memory_request request = {
		.node = machine_node_of(machine, cpus[0])};
	struct memory_mapping memory;
	struct error err;

	for (size_t i = 0; i < SIZES; i++) {
		size_t bytes =
			queue_block_bytes(LINE_BYTES, &setup->queue.shapes[i]);

		if (bytes > request.bytes)
			request.bytes = bytes;
	}
	if (memory_map(&memory, machine, &request, &err) < 0)
		turns_die(err.text);
	probe.first = first;
	probe.second = second;
	for (int cold = 1; cold >= 0; cold--) {
		setup->queue.cold = cold;
		compare(&options, memory.base, turns, summary);
	}
	memory_release(&memory);
}

int main(int argc, char **argv)
{
	struct queue_shape shapes[SIZES];
	struct setup setup = {.queue = {.vector = arch_vector_widest(),
				      .line_bytes = LINE_BYTES,
				      .shapes = shapes}};
	struct probe_params params = {.context = &setup};
	struct machine *machine = turns_machine(&params);
	struct summary summary = {.usual = {.n = 0}};
	size_t turns = argc > 2 ? (size_t)atol(argv[1]) : 100;
	unsigned cpus[2] = {0, 1};

	for (size_t i = 0; i < SIZES; i++) {
		uint32_t most = MOST_BYTES / (LINE_BYTES + sizes[i]);

		shapes[i].chunk_bytes = sizes[i];
		shapes[i].chunks = most < CHUNKS ? most : CHUNKS;
	}
	printf("%s, GiB/s\n%-30s", setup.queue.vector->name, "");
	turns_print_head();
	if (argc <= 2)
		visit_pair(machine, &params, cpus, turns, &summary);
	for (int i = 2; i < argc; i++) {
		turns_parse_pair(argv[i], cpus);
		visit_pair(machine, &params, cpus, turns, &summary);
	}
	report_near(cpus[0], &params, &summary);
	printf("\n");
	print_ratios("cold, 512 B", &summary.usual);
	print_ratios("all", &summary.all);
	machine_free(machine);
	return 0;
}
