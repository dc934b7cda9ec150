/*
 * queue: one CPU writes chunks, and others read each chunk as soon as it is
 * ready.
 *
 * A chunk is a cache line with a ready word, and lines of data. The writer
 * fills the data and stores the ready word; a reader waits for the ready word
 * and loads all of the data. The queue is as long as the trial, so that the
 * writer never waits.
 *
 * Timed: on the writer, from the first byte to the last ready word; on each
 * reader, from the first ready word to its last byte. Not timed: meeting,
 * warm-up trials, and making the queue cold, by storing to every line and
 * flushing it. The ready word is the number of the trial (the generation), so
 * that the queue is not cleared between trials.
 *
 * Source: the bandwidth test of "AMD Zen Memory Latency/Bandwidth
 * Considerations".
 *
 * Known biases: the writer's last stores, some 50 of them, are still in its
 * store buffer when its time ends. A waiting reader polls the ready line, and
 * so takes the line from the writer. A reader that has fallen behind does not
 * poll, and both sides are several times faster. If few ns decide whether a
 * reader polls, trials have two different values. A chunk needs a call on each
 * side, which takes 1 to 2 ns (bench/README.md describes the effect on chunks
 * of one line).
 */
#include "probe/probe_queue.h"

#include <stdatomic.h>
#include <string.h>

#include "arch/arch.h"
#include "machine/timebase.h"

#define ABANDONED UINT64_MAX

/*
 * The beginning of a queue's memory: a slot that is zero between visits, and a
 * slot with the generation.
 */
struct queue_control {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint64_t begin; /* generation */
	/* Number of readers that arrived, plus the number that finished. */
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint64_t met;
	_Alignas(PROBE_SLOT_BYTES) uint64_t generation; /* the writer's own */
	/* Number of chunks that all readers compared in step. */
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint64_t checked;
};

static struct queue_chunks chunks_of(const struct probe_visit *visit)
{
	const struct queue_context *context = visit->params->context;
	const struct queue_shape *shape = &context->shapes[visit->variant];

	return (struct queue_chunks){
		.first = (char *)visit->slots + sizeof(struct queue_control),
		.line_bytes = context->line_bytes,
		.bytes = shape->chunk_bytes,
		.n = shape->chunks,
	};
}

size_t queue_block_bytes(unsigned line_bytes, const struct queue_shape *shape)
{
	size_t bytes =
		sizeof(struct queue_control) +
		((size_t)line_bytes + shape->chunk_bytes) * shape->chunks;

	return (bytes + PROBE_SLOT_BYTES - 1) / PROBE_SLOT_BYTES *
	       PROBE_SLOT_BYTES;
}

/* Return the word that fills a chunk of a generation, different for each. */
static inline uint64_t chunk_word(uint64_t generation, uint64_t chunk)
{
	return (generation << 32 | chunk) * PROBE_WORD_STEP;
}

/* Wait until `met` is n; false if the visit is abandoned. */
static bool wait_for_readers(struct queue_control *control, uint64_t n)
{
	uint64_t met;

	while ((met = atomic_load_explicit(
			&control->met, memory_order_acquire)) != n) {
		/* Readers may have added to UINT64_MAX. */
		if (met > UINT64_MAX / 2)
			return false;
		arch_spin_hint();
	}
	return true;
}

/* Store to every line on this CPU, then flush all from the caches. */
static void flush_queue_chunks(const struct queue_chunks *chunks)
{
	size_t bytes = chunks->n * (chunks->line_bytes + chunks->bytes);

	for (size_t at = 0; at < bytes; at += chunks->line_bytes)
		atomic_store_explicit(
			(_Atomic uint64_t *)(void *)(chunks->first + at), 0,
			memory_order_relaxed);
	arch_flush(chunks->first, bytes, (unsigned)chunks->line_bytes);
}

/*
 * Write all chunks. The store of the ready word is a release, which publishes
 * the data. On x86-64 it is a plain store.
 */
void queue_write(const struct queue_chunks *chunks,
	const struct arch_vector *vector, uint64_t generation)
{
	void (*fill)(void *, size_t, uint64_t) = vector->fill;
	const size_t line_bytes = chunks->line_bytes, bytes = chunks->bytes;
	char *at = chunks->first;
	const char *end = at + chunks->n * (line_bytes + bytes);
	uint64_t word = chunk_word(generation, 0);

	for (; at < end; at += line_bytes + bytes, word += PROBE_WORD_STEP) {
		fill(at + line_bytes, bytes, word);
		atomic_store_explicit((_Atomic uint64_t *)(void *)at,
			generation, memory_order_release);
	}
}

/*
 * Return where trial t stores its ticks. The first warm_up trials of a visit do
 * not count, because they bring the queue to this pair.
 */
static int64_t *trial_ticks_place(
	const struct probe_params *params, int64_t *ticks, uint32_t t)
{
	return &ticks[t < params->warm_up ? 0 : t - params->warm_up];
}

/* Begin a trial: flush a queue that must be cold, and meet the readers. */
static bool begin_queue_trial(const struct probe_visit *visit,
	const struct queue_chunks *chunks, uint64_t generation)
{
	const struct queue_context *context = visit->params->context;
	struct queue_control *control = visit->slots;

	if (context->cold)
		flush_queue_chunks(chunks);
	atomic_store_explicit(
		&control->begin, generation, memory_order_release);
	return wait_for_readers(control, visit->n_seconds);
}

/*
 * Write like queue_write(), but write each chunk only after all readers
 * compared the previous one: then readers already poll, and see the chunk as
 * early as possible. Otherwise readers that compare bytes would be late for
 * every chunk.
 */
static bool write_in_step(const struct probe_visit *visit,
	const struct queue_chunks *chunks, uint64_t generation)
{
	const struct queue_context *context = visit->params->context;
	struct queue_control *control = visit->slots;
	char *chunk = chunks->first;

	for (uint64_t i = 0; i < chunks->n; i++) {
		context->vector->fill(chunk + chunks->line_bytes, chunks->bytes,
			chunk_word(generation, i));
		atomic_store_explicit((_Atomic uint64_t *)(void *)chunk,
			generation, memory_order_release);
		chunk += chunks->line_bytes + chunks->bytes;
		while (atomic_load_explicit(
			       &control->checked, memory_order_acquire) <
			(i + 1) * visit->n_seconds) {
			if (atomic_load_explicit(&control->begin,
				    memory_order_relaxed) == ABANDONED)
				return false;
		}
	}
	return true;
}

/* Return whether a check goes chunk by chunk in trial t. */
static bool in_step(uint32_t t)
{
	return t % 2 == 0;
}

/* Run the writer's trials. A check needs no times. */
static inline __attribute__((always_inline)) bool write_trials(
	const struct probe_visit *visit, int64_t *ticks, bool check)
{
	const struct probe_params *params = visit->params;
	const struct queue_context *context = params->context;
	const struct queue_chunks chunks = chunks_of(visit);
	const bool counter = params->counter;
	struct queue_control *control = visit->slots;

	for (uint32_t t = 0; t < params->warm_up + params->samples; t++) {
		uint64_t generation = ++control->generation;
		uint64_t begin;

		/* The store to `begin` publishes `checked`. */
		if (check)
			atomic_store_explicit(
				&control->checked, 0, memory_order_relaxed);
		if (!begin_queue_trial(visit, &chunks, generation))
			return false;
		begin = timebase_begin(counter);
		if (!check || !in_step(t))
			queue_write(&chunks, context->vector, generation);
		else if (!write_in_step(visit, &chunks, generation))
			return false;
		*trial_ticks_place(params, ticks, t) =
			(int64_t)(timebase_end(counter) - begin);
		if (!wait_for_readers(control, (uint64_t)2 * visit->n_seconds))
			return false;
		atomic_store_explicit(&control->met, 0, memory_order_relaxed);
	}
	atomic_store_explicit(&control->begin, 0, memory_order_relaxed);
	return true;
}

static bool queue_first(const struct probe_visit *visit, int64_t *ticks)
{
	return write_trials(visit, ticks, false);
}

static bool check_first(const struct probe_visit *visit, int64_t *ticks)
{
	return write_trials(visit, ticks, true);
}

/* Wait for a generation other than `last`, join and return it, or return 0. */
static uint64_t wait_for_generation(
	struct queue_control *control, uint64_t last)
{
	uint64_t generation;

	/* 0 is not a generation, because slots are zero between visits. */
	while ((generation = atomic_load_explicit(
			&control->begin, memory_order_acquire)) == last ||
		generation == 0)
		arch_spin_hint();
	if (generation == ABANDONED)
		return 0;
	atomic_fetch_add_explicit(&control->met, 1, memory_order_relaxed);
	return generation;
}

/*
 * Wait for a chunk. Only while waiting, check a rarely written line, and return
 * false if the visit is abandoned. Acquire order: the data is loaded
 * afterwards.
 */
static inline bool await_chunk(const char *chunk, uint64_t generation,
	const _Atomic uint64_t *abandoned)
{
	while (atomic_load_explicit(
		       (const _Atomic uint64_t *)(const void *)chunk,
		       memory_order_acquire) != generation) {
		if (atomic_load_explicit(abandoned, memory_order_relaxed) ==
			ABANDONED)
			return false;
	}
	return true;
}

bool queue_read(const struct queue_chunks *chunks,
	const struct arch_vector *vector, uint64_t generation,
	const _Atomic uint64_t *abandoned)
{
	uint64_t (*read)(const void *, size_t) = vector->read;
	const size_t line_bytes = chunks->line_bytes, bytes = chunks->bytes;
	const char *at = chunks->first;
	const char *end = at + chunks->n * (line_bytes + bytes);

	for (; at < end; at += bytes) {
		if (!await_chunk(at, generation, abandoned))
			return false;
		at += line_bytes;
		/* Use the result, so that the loads are not optimized away. */
		__asm__ volatile("" : : "r"(read(at, bytes)));
	}
	return true;
}

static bool queue_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	const struct queue_context *context = params->context;
	const struct queue_chunks chunks = chunks_of(visit);
	const bool counter = params->counter;
	struct queue_control *control = visit->slots;
	uint64_t generation = 0;

	for (uint32_t t = 0; t < params->warm_up + params->samples; t++) {
		uint64_t begin;

		generation = wait_for_generation(control, generation);
		if (!generation ||
			!await_chunk(chunks.first, generation, &control->begin))
			return false;
		begin = timebase_begin(counter);
		if (!queue_read(&chunks, context->vector, generation,
			    &control->begin))
			return false;
		*trial_ticks_place(params, ticks, t) =
			(int64_t)(timebase_end(counter) - begin);
		atomic_fetch_add_explicit(
			&control->met, 1, memory_order_release);
	}
	return true;
}

/* Count wrong bytes, beginning with the last one, which was written last. */
static uint64_t wrong_bytes(const char *data, size_t bytes, uint64_t word)
{
	uint64_t wrong = 0;

	for (size_t left = bytes; left > 0; left -= sizeof(word)) {
		uint64_t seen;

		memcpy(&seen, data + left - sizeof(seen), sizeof(seen));
		for (seen ^= word; seen; seen >>= 8)
			wrong += (seen & 0xff) != 0;
	}
	return wrong;
}

static bool queue_check_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	const struct queue_chunks chunks = chunks_of(visit);
	struct queue_control *control = visit->slots;
	uint64_t generation = 0, wrong = 0;

	for (uint32_t t = 0; t < params->warm_up + params->samples; t++) {
		const char *chunk = chunks.first;

		generation = wait_for_generation(control, generation);
		if (!generation)
			return false;
		for (size_t i = 0; i < chunks.n; i++) {
			if (!await_chunk(chunk, generation, &control->begin))
				return false;
			chunk += chunks.line_bytes;
			wrong += wrong_bytes(
				chunk, chunks.bytes, chunk_word(generation, i));
			chunk += chunks.bytes;
			if (in_step(t))
				atomic_fetch_add_explicit(&control->checked, 1,
					memory_order_release);
		}
		atomic_fetch_add_explicit(
			&control->met, 1, memory_order_release);
	}
	/* Store the sum of all trials in each sample. */
	for (uint32_t s = 0; s < params->samples; s++)
		ticks[s] = (int64_t)wrong;
	return true;
}

static void queue_abandon(void *slot)
{
	struct queue_control *control = slot;

	atomic_store_explicit(&control->begin, ABANDONED, memory_order_relaxed);
	atomic_store_explicit(
		&control->met, ABANDONED - UINT32_MAX, memory_order_relaxed);
}

static double queue_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	const struct queue_context *context = params->context;
	const struct queue_shape *shape = &context->shapes[variant];

	return probe_gib_per_s(
		params, (double)shape->chunk_bytes * shape->chunks, ticks);
}

static double check_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)params;
	(void)variant;
	return ticks;
}

const struct probe probe_queue = {
	.name = "queue",
	.summary = "one CPU writes chunks, others read each when it is ready",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_FORWARD,
	.first = queue_first,
	.second = queue_second,
	.abandon = queue_abandon,
	.scale = queue_scale,
};

const struct probe probe_queue_check = {
	.name = "queue-check",
	.summary = "the same, untimed, checking every byte",
	.second_cell = PROBE_FORWARD,
	.counts = {true, true},
	.first = check_first,
	.second = queue_check_second,
	.abandon = queue_abandon,
	.scale = check_scale,
};
