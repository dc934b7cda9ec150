/*
 * The state of the probe of c2c memcpy; params->context points to a struct
 * memcpy_context. Visits must come one at a time, a row's together
 * (SCHEDULE_BY_ROW), since they share the regions.
 */
#ifndef C2C_PROBE_MEMCPY_H
#define C2C_PROBE_MEMCPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/vector.h"
#include "machine/machine.h"
#include "machine/memory.h"
#include "probe/probe.h"

/* Sizes are multiples of it. */
#define MEMCPY_GRAIN ((size_t)4096)

/* Memory to copy to. */
struct memcpy_dest {
	struct memory_mapping memory;
	bool ready; /* faulted in and looked at */
};

/*
 * The memory of one NUMA node, mapped when first needed: a region to copy from,
 * and as much to copy to, for a copy each.
 */
struct memcpy_node {
	int node; /* OS index, or MEMORY_ANY_NODE */
	struct memory_mapping source;
	bool source_ready;	   /* faulted in and looked at */
	struct memcpy_dest *dests; /* [context->n_dests], in turn */
	size_t next_dest;
};

struct memcpy_context {
	/* Set by the caller. */
	const struct machine *machine;
	size_t bytes; /* of a region, a multiple of MEMCPY_GRAIN */
	/*
	 * Of a copy, another multiple. If less than the region, each copy of a
	 * row has a slice of its own, from the beginning; there are n_slices,
	 * at least as many as a visit has tries, and what is behind them is
	 * read to drive them out of the writer's caches.
	 */
	size_t slice_bytes, n_slices;
	size_t n_dests; /* of a node: slice_bytes each, no more than a region */
	bool stream;	/* by non-temporal stores, not by the C library */
	bool fresh;	/* each copy goes to memory that was never touched */
	unsigned tries; /* of a copy that loses its CPU, at most; at least 1 */
	enum memory_pages pages;
	const struct arch_vector *vector;

	/* By memcpy_context_init(), then by the probe. */
	struct memcpy_node *nodes;
	size_t n_nodes;
	uint64_t seed; /* of what the source holds; 0 before the first row */
	unsigned row_cpu;
	uint32_t row_pass;
	struct memcpy_node *row; /* the source that is copied */
	size_t next_slice;	 /* of it, the first that nobody has copied */
	bool bound;		 /* all memory so far lay where it was to be */
	enum memory_pages pages_had;	/* by all memory so far, at least */
	uint64_t huge_bytes, bytes_had; /* of all that was looked at */
	/* that count, and those of them that lost their CPU in each try */
	size_t copies, disturbed;
};

/* The nodes of cpus; the caller has set the part above. */
int memcpy_context_init(struct memcpy_context *context,
	const struct cpu_list *cpus, struct error *err);
void memcpy_context_release(struct memcpy_context *context);

/* The copier's rate, GiB/s. */
extern const struct probe probe_memcpy;

#endif
