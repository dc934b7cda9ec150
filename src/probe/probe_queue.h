/*
 * The queues of the probes of c2c queue; params->context points to a struct
 * queue_context, constant during a run.
 */
#ifndef C2C_PROBE_QUEUE_H
#define C2C_PROBE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/vector.h"
#include "probe/probe.h"

/* One queue: as many chunks, of so many bytes of data each. */
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

/* Memory of a visit with this shape, a multiple of PROBE_SLOT_BYTES. */
size_t queue_block_bytes(unsigned line_bytes, const struct queue_shape *shape);

/* Chunks that follow each other, a ready line before the data of each. */
struct queue_chunks {
	char *first; /* aligned to line_bytes */
	size_t line_bytes, bytes, n;
};

/*
 * The loops that are timed, nothing else; bench/queue.c measures them in one
 * cache. Both go through all chunks of a generation, which is not 0. Reading
 * waits for each, and fails when *abandoned is UINT64_MAX while it waits.
 */
void queue_write(const struct queue_chunks *chunks,
	const struct arch_vector *vector, uint64_t generation);
bool queue_read(const struct queue_chunks *chunks,
	const struct arch_vector *vector, uint64_t generation,
	const _Atomic uint64_t *abandoned);

/* Rates of writer and readers, GiB/s of data. */
extern const struct probe probe_queue;

/*
 * Nothing is timed, every byte is looked at: the value of a reader is the
 * number of bytes that were not those published, over all trials of a visit.
 * Every other trial, the first for one, goes chunk by chunk: the readers wait
 * at each before it is written.
 */
extern const struct probe probe_queue_check;

#endif
