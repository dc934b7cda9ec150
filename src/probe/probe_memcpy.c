/*
 * memcpy: one CPU writes a region of its node's memory; another CPU copies all
 * of it to a region of its own node.
 *
 * Timed: the copy, on the copier. Not timed: mapping, the first touch (except
 * of fresh destinations), writing the source, and comparing the copy with the
 * source.
 *
 * Source: the baseline of "AMD Zen Memory Latency/Bandwidth Considerations".
 *
 * Slices: if copies of a whole region would take too long, each copy of a row
 * copies another slice. The writer writes all slices and then a tail of twice
 * its last-level cache, so that slices are in memory for every copier.
 * Destinations are used one after the other, and together are as large as the
 * region, so that no cache has the destination of a copy. Exceptions are a word
 * of each page of the destination, which the copier writes before the copy, and
 * the end of the copy: without non-temporal stores, the last lines are in the
 * copier's caches when the time ends.
 *
 * Known biases: all pairs of two nodes copy the same pages. If whole regions
 * are copied, a part of the source is dirty in the writer's caches for the
 * first copier of a row, which changes with the pass. The C library chooses its
 * instructions by size: below a threshold (glibc's x86_non_temporal_threshold)
 * it copies through the caches, above it by non-temporal stores. If the kernel
 * runs another thread during a copy, the CPU copies another slice. If every try
 * is interrupted, the fastest try counts, because on a busy machine all copies
 * of gigabytes are interrupted.
 */
#include "probe/probe_memcpy.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "machine/timebase.h"
#include "probe/undisturbed.h"

enum {
	EMPTY = 0,
	WRITTEN = 1
};

/* Bytes between two checks whether the visit is abandoned, except in copies. */
#define PIECE_BYTES ((size_t)16 << 20)

/* Distance of the words that are overwritten before a copy. */
#define POISON_STRIDE_BYTES MEMCPY_GRAIN

/*
 * Return the regions of a CPU's node, or NULL before they are mapped. *node is
 * MEMORY_ANY_NODE if the node is unknown.
 */
static struct memcpy_node *find_memcpy_node(
	struct memcpy_context *context, unsigned cpu, int *node)
{
	*node = context->machine ? machine_node_of(context->machine, cpu)
				 : MEMORY_ANY_NODE;
	for (size_t i = 0; i < context->n_nodes; i++) {
		if (context->nodes[i].node == *node)
			return &context->nodes[i];
	}
	return NULL;
}

int memcpy_context_init(struct memcpy_context *context,
	const struct cpu_list *cpus, struct error *err)
{
	int node;

	context->nodes = calloc(cpus->n, sizeof(*context->nodes));
	if (!context->nodes)
		return error_no_memory(err, "the regions");
	context->bound = true;
	context->pages_had = MEMORY_PAGES_HUGETLB;
	for (size_t i = 0; i < cpus->n; i++) {
		if (!find_memcpy_node(context, cpus->cpus[i], &node))
			context->nodes[context->n_nodes++].node = node;
	}
	return 0;
}

void memcpy_context_release(struct memcpy_context *context)
{
	for (size_t i = 0; i < context->n_nodes; i++) {
		struct memcpy_node *node = &context->nodes[i];

		memory_release(&node->source);
		for (size_t d = 0; node->dests && d < context->n_dests; d++)
			memory_release(&node->dests[d].memory);
		free(node->dests);
	}
	free(context->nodes);
	context->nodes = NULL;
	context->n_nodes = 0;
}

static struct memcpy_node *node_of(struct memcpy_context *context, unsigned cpu)
{
	int number;
	struct memcpy_node *node = find_memcpy_node(context, cpu, &number);

	return node ? node : &context->nodes[0];
}

static bool memcpy_is_abandoned(const void *slot)
{
	const _Atomic uint32_t *word = slot;

	return atomic_load_explicit(word, memory_order_relaxed) ==
	       PROBE_ABANDONED;
}

/* Abandon the slots, so that the partner returns; visit->error is set. */
static bool memcpy_fail_visit(const struct probe_visit *visit)
{
	probe_abandon_word(visit->slots);
	return false;
}

/* Map memory on a node; return false if the visit is abandoned or failed. */
static bool map_node_memory(const struct probe_visit *visit,
	struct memory_mapping *memory, const struct memcpy_node *node,
	size_t bytes)
{
	const struct memcpy_context *context = visit->params->context;
	const struct memory_request request = {
		.bytes = bytes,
		.node = node->node,
		.pages = context->pages,
		.untouched = true,
		.stopped = memcpy_is_abandoned,
		.stopped_arg = visit->slots,
	};
	struct error err;

	if (memory_map(memory, context->machine, &request, &err) == 0)
		return true;
	/* An abandoned visit is not an error. */
	if (err.code == EINTR)
		return false;
	*visit->error = err;
	return memcpy_fail_visit(visit);
}

/*
 * Add the kernel's report on written memory to the totals. End the run if
 * requested huge pages are missing.
 */
static bool account_for_memory(
	const struct probe_visit *visit, struct memory_mapping *memory)
{
	struct memcpy_context *context = visit->params->context;
	struct error err;
	int rc = memory_inspect(memory, context->pages, &err);

	context->bound = context->bound && memory->bound;
	if (memory->pages < context->pages_had)
		context->pages_had = memory->pages;
	context->huge_bytes += memory->huge_bytes;
	context->bytes_had += memory->bytes;
	if (rc == 0)
		return true;
	*visit->error = err;
	return memcpy_fail_visit(visit);
}

/*
 * Return the end of the next piece of n words, from `done` on, or `done` if the
 * visit is abandoned.
 */
static size_t piece_end(const struct probe_visit *visit, size_t done, size_t n)
{
	size_t piece = PIECE_BYTES / sizeof(uint64_t);

	if (memcpy_is_abandoned(visit->slots))
		return done;
	return n - done < piece ? n : done + piece;
}

/* Return the written bytes of the region: all, or those of the slices. */
static size_t row_bytes(const struct memcpy_context *context)
{
	return context->slice_bytes == context->bytes
		       ? context->bytes
		       : context->n_slices * context->slice_bytes;
}

/* Write the source. Compilers vectorise the loop over words. */
static bool write_source(const struct probe_visit *visit, uint64_t *words,
	uint64_t seed, size_t bytes)
{
	const size_t n = bytes / sizeof(*words);

	for (size_t done = 0; done < n;) {
		size_t piece = piece_end(visit, done, n);

		if (piece == done)
			return false;
		for (; done < piece; done++)
			words[done] = seed + done * PROBE_WORD_STEP;
	}
	return true;
}

/* Read the tail after the slices, because evicting clean lines is free. */
static bool read_tail(const struct probe_visit *visit, const uint64_t *words)
{
	const struct memcpy_context *context = visit->params->context;
	const size_t n = context->bytes / sizeof(*words);
	uint64_t sum = 0;

	for (size_t done = row_bytes(context) / sizeof(*words); done < n;) {
		size_t end = piece_end(visit, done, n);

		if (end == done)
			return false;
		for (; done < end; done++)
			sum += words[done];
	}
	/* Use the sum, so that the loads are not optimized away. */
	__asm__ volatile("" : : "r"(sum));
	return true;
}

/*
 * Invert a word of every page of the destination, which also faults the page
 * in. `seed` is of the first word to copy.
 */
static bool poison_destination(
	const struct probe_visit *visit, char *bytes, uint64_t seed)
{
	const struct memcpy_context *context = visit->params->context;

	for (size_t at = 0; at < context->slice_bytes;
		at += POISON_STRIDE_BYTES) {
		uint64_t wrong = ~(seed + at / sizeof(wrong) * PROBE_WORD_STEP);

		if (at % PIECE_BYTES == 0 && memcpy_is_abandoned(visit->slots))
			return false;
		memcpy(bytes + at, &wrong, sizeof(wrong));
	}
	return true;
}

/* Compare every byte of the copy with the expected source. */
static bool verify_copied_bytes(
	const struct probe_visit *visit, const uint64_t *words, uint64_t seed)
{
	const struct memcpy_context *context = visit->params->context;
	const size_t n = context->slice_bytes / sizeof(*words);

	for (size_t done = 0; done < n;) {
		size_t begin = done, end = piece_end(visit, done, n);
		uint64_t differ = 0;

		if (end == done)
			return false;
		for (; done < end; done++)
			differ |= words[done] ^ (seed + done * PROBE_WORD_STEP);
		if (!differ)
			continue;
		while (words[begin] == seed + begin * PROBE_WORD_STEP)
			begin++;
		error_set(visit->error, ERROR_FAILURE, EIO,
			"CPU %u's copy of what CPU %u wrote differs from it at "
			"byte %zu of %zu: this machine's memory or CPU is "
			"faulty, or this is a bug of c2c",
			visit->second_cpu, visit->first_cpu,
			begin * sizeof(*words), context->slice_bytes);
		return memcpy_fail_visit(visit);
	}
	return true;
}

/* Return whether the row has a slice left for each try of a visit. */
static bool has_slices(const struct memcpy_context *context, uint32_t samples)
{
	return context->slice_bytes == context->bytes ||
	       context->next_slice + (size_t)samples * context->tries <=
		       context->n_slices;
}

/* Write the source on the writer's node. */
static bool write_row_source(
	const struct probe_visit *visit, struct memcpy_node *node)
{
	struct memcpy_context *context = visit->params->context;
	struct memory_mapping *source = &node->source;

	if (!source->base &&
		!map_node_memory(visit, source, node, context->bytes))
		return false;
	/* Write the tail only once. */
	if (!write_source(visit, source->base, ++context->seed,
		    node->source_ready ? row_bytes(context) : context->bytes))
		return false;
	if (!node->source_ready && !account_for_memory(visit, source))
		return false;
	node->source_ready = true;
	return read_tail(visit, source->base);
}

static bool memcpy_first(const struct probe_visit *visit, int64_t *ticks)
{
	struct memcpy_context *context = visit->params->context;
	struct memcpy_node *node = node_of(context, visit->first_cpu);
	_Atomic uint32_t *word = visit->slots;
	uint32_t seen = EMPTY;

	(void)ticks;
	if (!context->row || context->row_cpu != visit->first_cpu ||
		context->row_pass != visit->pass ||
		!has_slices(context, visit->params->samples)) {
		context->row = NULL;
		if (!write_row_source(visit, node))
			return false;
		context->row = node;
		context->row_cpu = visit->first_cpu;
		context->row_pass = visit->pass;
		context->next_slice = 0;
	}
	/* Do not overwrite the mark of an abandoned visit. */
	return atomic_compare_exchange_strong_explicit(word, &seen, WRITTEN,
		memory_order_release, memory_order_relaxed);
}

/*
 * Prepare and return the destination that was used longest ago; NULL if the
 * visit is abandoned or failed.
 */
static struct memcpy_dest *prepare_dest(const struct probe_visit *visit,
	struct memcpy_node *node, uint64_t seed)
{
	struct memcpy_context *context = visit->params->context;
	struct memcpy_dest *dest;

	if (!node->dests)
		node->dests = calloc(context->n_dests, sizeof(*node->dests));
	if (!node->dests) {
		error_no_memory(visit->error, "the destinations");
		memcpy_fail_visit(visit);
		return NULL;
	}
	dest = &node->dests[node->next_dest];
	node->next_dest = (node->next_dest + 1) % context->n_dests;
	if (context->fresh)
		memory_release(&dest->memory);
	if (!dest->memory.base && !map_node_memory(visit, &dest->memory, node,
					  context->slice_bytes))
		return NULL;
	if (context->fresh)
		return dest;
	if (!poison_destination(visit, dest->memory.base, seed))
		return NULL;
	if (!dest->ready && !account_for_memory(visit, &dest->memory))
		return NULL;
	dest->ready = true;
	return dest;
}

/*
 * Copy a slice, and return the ticks. Make one call, because the C library
 * chooses its method by the size.
 */
static int64_t time_slice_copy(
	const struct probe_params *params, char *to, const char *from)
{
	const struct memcpy_context *context = params->context;
	uint64_t begin = timebase_begin(params->counter);

	if (context->stream)
		context->vector->stream(to, from, context->slice_bytes);
	else
		memcpy(to, from, context->slice_bytes);
	return (int64_t)(timebase_end(params->counter) - begin);
}

/* Copy once, in *took ticks, and compare; return false on failure. */
static bool copy_once(const struct probe_visit *visit, struct memcpy_node *node,
	int64_t *took, bool *disturbed)
{
	struct memcpy_context *context = visit->params->context;
	size_t at = context->slice_bytes == context->bytes
			    ? 0
			    : context->slice_bytes * context->next_slice++;
	uint64_t seed = context->seed + at / sizeof(seed) * PROBE_WORD_STEP;
	struct memcpy_dest *dest = prepare_dest(visit, node, seed);
	long switches = probe_switches();

	if (!dest)
		return false;
	*took = time_slice_copy(visit->params, dest->memory.base,
		(const char *)context->row->source.base + at);
	*disturbed = probe_switches() != switches;
	return verify_copied_bytes(visit, dest->memory.base, seed) &&
	       (!context->fresh || account_for_memory(visit, &dest->memory));
}

/* Try until a copy is undisturbed, or use the fastest try. */
static bool copy_undisturbed(const struct probe_visit *visit,
	struct memcpy_node *node, int64_t *ticks)
{
	struct memcpy_context *context = visit->params->context;
	bool disturbed = true;

	for (unsigned try = 0; disturbed && try < context->tries; try++) {
		int64_t took;

		if (!copy_once(visit, node, &took, &disturbed))
			return false;
		if (try == 0 || took < *ticks || !disturbed)
			*ticks = took;
	}
	context->copies++;
	context->disturbed += disturbed;
	return true;
}

static bool memcpy_second(const struct probe_visit *visit, int64_t *ticks)
{
	struct memcpy_context *context = visit->params->context;
	struct memcpy_node *node = node_of(context, visit->second_cpu);
	_Atomic uint32_t *word = visit->slots;
	uint32_t seen;

	while ((seen = atomic_load_explicit(word, memory_order_acquire)) !=
		WRITTEN) {
		if (seen == PROBE_ABANDONED)
			return false;
		arch_spin_hint();
	}
	for (uint32_t s = 0; s < visit->params->samples; s++) {
		if (!copy_undisturbed(visit, node, &ticks[s]))
			return false;
	}
	atomic_store_explicit(word, EMPTY, memory_order_relaxed);
	return true;
}

static double memcpy_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	const struct memcpy_context *context = params->context;

	(void)variant;
	return probe_gib_per_s(params, (double)context->slice_bytes, ticks);
}

const struct probe probe_memcpy = {
	.name = "memcpy",
	.summary = "one CPU writes a region, another copies it",
	.second_cell = PROBE_FORWARD,
	.first = memcpy_first,
	.second = memcpy_second,
	.abandon = probe_abandon_word,
	.scale = memcpy_scale,
};
