/*
 * memcpy: one CPU writes a region on its own memory, another copies all of it
 * to a region on its own.
 *
 * Timed: the copy, on the copier. Not timed: mapping, the first touch (but
 * with fresh destinations, where the copy meets the page faults), writing the
 * source, which is done once for all copiers of a row, and comparing the copy,
 * byte for byte, with what was written.
 *
 * Source: the baseline of "AMD Zen Memory Latency/Bandwidth Considerations".
 *
 * Known biases: regions stay where they are on a node, so that all pairs of
 * two nodes copy the same pages; as much of the source as the writer's caches
 * hold is dirty there for the first copier of a row, which is another one in
 * each pass; the C library chooses its instructions by the size. A copy that
 * the kernel interrupted for another thread is made again. If that happens in
 * every try, the fastest one counts: on a busy machine no copy of gigabytes has
 * its CPU alone.
 */
#include "probe/memcpy.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "machine/timebase.h"
#include "probe/undisturbed.h"

enum {
	EMPTY = 0,
	WRITTEN = 1,
	ABANDONED = 2
};

/* Long work, except the copy, checks this often whether it is abandoned. */
#define PIECE_BYTES ((size_t)16 << 20)

/* Distance of words that are spoiled before a copy: a page of any kind. */
#define SPOIL_BYTES MEMCPY_GRAIN

/*
 * The regions of a CPU's node; NULL: it has none yet. An unknown node, -1, is
 * MEMORY_ANY_NODE.
 */
static struct memcpy_node *find_node(
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
		if (!find_node(context, cpus->cpus[i], &node))
			context->nodes[context->n_nodes++].node = node;
	}
	return 0;
}

void memcpy_context_release(struct memcpy_context *context)
{
	for (size_t i = 0; i < context->n_nodes; i++) {
		memory_release(&context->nodes[i].source);
		memory_release(&context->nodes[i].dest);
	}
	free(context->nodes);
	context->nodes = NULL;
	context->n_nodes = 0;
}

static struct memcpy_node *node_of(struct memcpy_context *context, unsigned cpu)
{
	int number;
	struct memcpy_node *node = find_node(context, cpu, &number);

	return node ? node : &context->nodes[0];
}

static bool is_abandoned(const void *slot)
{
	const _Atomic uint32_t *word = slot;

	return atomic_load_explicit(word, memory_order_relaxed) == ABANDONED;
}

static void memcpy_abandon(void *slot)
{
	_Atomic uint32_t *word = slot;

	atomic_store_explicit(word, ABANDONED, memory_order_relaxed);
}

/* End the run and tell the partner; visit->error has the reason. */
static bool fail(const struct probe_visit *visit)
{
	memcpy_abandon(visit->slots);
	return false;
}

/* False when abandoned or failed, as a half returns it. */
static bool map(const struct probe_visit *visit, struct memory *memory,
	const struct memcpy_node *node)
{
	const struct memcpy_context *context = visit->params->context;
	const struct memory_request request = {
		.bytes = context->bytes,
		.node = node->node,
		.pages = context->pages,
		.untouched = true,
		.stopped = is_abandoned,
		.stopped_arg = visit->slots,
	};
	struct error err;

	if (memory_map(memory, context->machine, &request, &err) == 0)
		return true;
	/* Being abandoned is not an error. */
	if (err.code == EINTR)
		return false;
	*visit->error = err;
	return fail(visit);
}

/*
 * Add to the account what the kernel says of memory that was written. Huge
 * pages asked for and not had end the run.
 */
static bool look_at(const struct probe_visit *visit, struct memory *memory)
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
	return fail(visit);
}

/*
 * The word after the next piece of n, from the one that is done; done itself
 * once the visit is abandoned.
 */
static size_t piece_end(const struct probe_visit *visit, size_t done, size_t n)
{
	size_t piece = PIECE_BYTES / sizeof(uint64_t);

	if (is_abandoned(visit->slots))
		return done;
	return n - done < piece ? n : done + piece;
}

/* Write every byte of the source. Loops over words are vectors to compilers. */
static bool write_source(
	const struct probe_visit *visit, uint64_t *words, uint64_t seed)
{
	const struct memcpy_context *context = visit->params->context;
	const size_t n = context->bytes / sizeof(*words);

	for (size_t done = 0; done < n;) {
		size_t end = piece_end(visit, done, n);

		if (end == done)
			return false;
		for (; done < end; done++)
			words[done] = seed + done * PROBE_WORD_STEP;
	}
	return true;
}

/* Spoil a word of every page, which also faults the region in. */
static bool spoil(const struct probe_visit *visit, char *bytes, uint64_t seed)
{
	const struct memcpy_context *context = visit->params->context;

	for (size_t at = 0; at < context->bytes; at += SPOIL_BYTES) {
		uint64_t wrong = ~(seed + at / sizeof(wrong) * PROBE_WORD_STEP);

		if (at % PIECE_BYTES == 0 && is_abandoned(visit->slots))
			return false;
		memcpy(bytes + at, &wrong, sizeof(wrong));
	}
	return true;
}

/* Compare every byte of the copy with what the source was made of. */
static bool verify(
	const struct probe_visit *visit, const uint64_t *words, uint64_t seed)
{
	const struct memcpy_context *context = visit->params->context;
	const size_t n = context->bytes / sizeof(*words);

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
			begin * sizeof(*words), context->bytes);
		return fail(visit);
	}
	return true;
}

static bool memcpy_first(const struct probe_visit *visit, int64_t *ticks)
{
	struct memcpy_context *context = visit->params->context;
	struct memcpy_node *node = node_of(context, visit->first_cpu);
	_Atomic uint32_t *word = visit->slots;
	uint32_t seen = EMPTY;

	(void)ticks;
	if (!context->row || context->row_cpu != visit->first_cpu ||
		context->row_pass != visit->pass) {
		context->row = NULL;
		if (!node->source.base && !map(visit, &node->source, node))
			return false;
		if (!write_source(visit, node->source.base, ++context->seed))
			return false;
		if (!node->source_ready && !look_at(visit, &node->source))
			return false;
		node->source_ready = true;
		context->row = node;
		context->row_cpu = visit->first_cpu;
		context->row_pass = visit->pass;
	}
	/* Not over the mark of who gave this visit up. */
	return atomic_compare_exchange_strong_explicit(word, &seen, WRITTEN,
		memory_order_release, memory_order_relaxed);
}

/* The destination of the copy; NULL when abandoned or failed. */
static char *prepare_dest(
	const struct probe_visit *visit, struct memcpy_node *node)
{
	struct memcpy_context *context = visit->params->context;

	if (context->fresh)
		memory_release(&node->dest);
	if (!node->dest.base && !map(visit, &node->dest, node))
		return NULL;
	if (context->fresh)
		return node->dest.base;
	if (!spoil(visit, node->dest.base, context->seed))
		return NULL;
	if (!node->dest_ready && !look_at(visit, &node->dest))
		return NULL;
	node->dest_ready = true;
	return node->dest.base;
}

/*
 * The timed part. It is one call, because the C library chooses its method by
 * the size; abandoning a visit waits for its end.
 */
static int64_t copy(
	const struct probe_params *params, char *to, const char *from)
{
	const struct memcpy_context *context = params->context;
	uint64_t begin = timebase_begin(params->counter);

	if (context->stream)
		context->vector->stream(to, from, context->bytes);
	else
		memcpy(to, from, context->bytes);
	return (int64_t)(timebase_end(params->counter) - begin);
}

/* Copy once and compare; *took is in ticks. False: abandoned or failed. */
static bool copy_once(const struct probe_visit *visit, struct memcpy_node *node,
	int64_t *took, bool *disturbed)
{
	struct memcpy_context *context = visit->params->context;
	char *to = prepare_dest(visit, node);
	long switches = probe_switches();

	if (!to)
		return false;
	*took = copy(visit->params, to, context->row->source.base);
	*disturbed = probe_switches() != switches;
	if (!verify(visit, (const uint64_t *)(void *)to, context->seed))
		return false;
	if (context->fresh) {
		if (!look_at(visit, &node->dest))
			return false;
		memory_release(&node->dest);
	}
	return true;
}

/* Copy until nothing disturbed it, or take the fastest try. */
static bool copy_undisturbed(const struct probe_visit *visit,
	struct memcpy_node *node, int64_t *ticks)
{
	struct memcpy_context *context = visit->params->context;
	bool disturbed = true;

	for (int try = 0; disturbed && try < context->tries; try++) {
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
		if (seen == ABANDONED)
			return false;
		arch_relax();
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
	return probe_gib_per_s(params, (double)context->bytes, ticks);
}

const struct probe probe_memcpy = {
	.name = "memcpy",
	.summary = "one CPU writes a region, another copies it",
	.second_cell = PROBE_FORWARD,
	.first = memcpy_first,
	.second = memcpy_second,
	.abandon = memcpy_abandon,
	.scale = memcpy_scale,
};
