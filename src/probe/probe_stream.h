/*
 * The memory and points of a run of probe_stream. One CPU, or several together,
 * read, write or copy a working set repeatedly.
 */
#ifndef C2C_PROBE_STREAM_H
#define C2C_PROBE_STREAM_H

#include "arch/vector.h"
#include "machine/memory.h"
#include "probe/probe.h"
#include "util/cpu_list.h"

/* A visit of one variant. */
struct stream_point {
	size_t bytes; /* a CPU's working set: all its arrays */
	size_t warm_bytes;
	uint32_t n_cpus;
	enum arch_access access;
	const struct arch_vector *vector;
};

/* params->context of probe_stream. */
struct stream_context {
	/* [n_points] by variant, borrowed */
	const struct stream_point *points;
	size_t n_points;
	const struct cpu_list *cpus;   /* borrowed */
	bool shared;		       /* all CPUs work on one array */
	struct memory_mapping *memory; /* [cpus->n] own, or [1] shared */
	size_t *at;		       /* [cpus->n]: where each CPU continues */
};

/* Return the number of mappings. */
size_t stream_regions(const struct stream_context *context);

/* Return the bytes that all points need, by points, cpus and shared. */
uint64_t stream_bytes(const struct stream_context *context);

/*
 * Map the largest working set of each CPU on its own node, or one shared set on
 * the node of the first CPU. The request's bytes and node are ignored.
 * stream_release() releases the memory.
 */
int stream_init(struct stream_context *context, const struct machine *machine,
	const struct memory_request *request, struct error *err);
void stream_release(struct stream_context *context);

/*
 * Each CPU of the second half measures a rate in GiB/s. The first half measures
 * the clock of the core in GHz, or returns 1 if the clock is unknown.
 */
extern const struct probe probe_stream;

#endif
