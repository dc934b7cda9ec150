/*
 * The queues of the probes of c2c queue; params->context points to a struct
 * queue_context, which is constant during a run.
 */
#ifndef C2C_PROBE_QUEUE_H
#define C2C_PROBE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/vector.h"
#include "probe/probe.h"

/* The shape of a queue: the number of chunks, and the bytes of data in each. */
struct queue_shape {
	uint32_t chunk_bytes; /* a multiple of line_bytes */
	uint32_t chunks;
};

struct queue_context {
	const struct arch_vector *vector;
	unsigned line_bytes; /* a multiple of 64 */
	bool cold;	     /* flush the queue before each trial */
	const struct queue_shape *shapes; /* [variants] */
};

/* Return the memory of a visit, a multiple of PROBE_SLOT_BYTES. */
size_t queue_block_bytes(unsigned line_bytes, const struct queue_shape *shape);

/* Consecutive chunks: a ready line, then the data. */
struct queue_chunks {
	char *first; /* aligned to line_bytes */
	size_t line_bytes, bytes, n;
};

/*
 * The timed loops; bench/queue.c measures them in one cache. Both access all
 * chunks for a generation, which is not 0. queue_read() waits for each chunk,
 * and returns false if *abandoned is UINT64_MAX meanwhile.
 */
void queue_write(const struct queue_chunks *chunks,
	const struct arch_vector *vector, uint64_t generation);
bool queue_read(const struct queue_chunks *chunks,
	const struct arch_vector *vector, uint64_t generation,
	const _Atomic uint64_t *abandoned);

/* Values are the rates of writer and readers, in GiB/s of data. */
extern const struct probe probe_queue;

/*
 * Compare every byte and time nothing: the value of a reader is the number of
 * wrong bytes over all trials of a visit. In every second trial, from the first
 * on, the readers wait for each chunk before it is written.
 */
extern const struct probe probe_queue_check;

#endif
