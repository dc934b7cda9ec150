/*
 * The state of the probe of c2c memcpy; params->context points to a struct
 * memcpy_context. Visits share the regions. So they must run one at a time, and
 * the visits of a row must run in sequence (SCHEDULE_BY_ROW).
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

/* All sizes are multiples of this. */
#define MEMCPY_GRAIN ((size_t)4096)

struct memcpy_dest {
	struct memory_mapping memory;
	bool ready; /* faulted in and inspected */
};

/*
 * The memory of one NUMA node, mapped when first needed: a region to copy from,
 * and destinations that are together as large.
 */
struct memcpy_node {
	int node; /* OS index, or MEMORY_ANY_NODE */
	struct memory_mapping source;
	bool source_ready;	   /* faulted in and inspected */
	struct memcpy_dest *dests; /* [context->n_dests], used in turn */
	size_t next_dest;
};

struct memcpy_context {
	/* The caller sets these. */
	const struct machine *machine;
	size_t bytes; /* size of a region, a multiple of MEMCPY_GRAIN */
	/*
	 * Size of a copy, a multiple of MEMCPY_GRAIN. If it is smaller than the
	 * region, each copy of a row copies the next of n_slices slices, at
	 * least one for each try of a visit. Writing and reading the rest of
	 * the region evicts the slices from the writer's caches.
	 */
	size_t slice_bytes, n_slices;
	size_t n_dests; /* number of destinations of a node */
	bool stream;	/* copy by non-temporal stores */
	bool fresh;	/* each copy writes to untouched memory */
	unsigned tries; /* tries of a copy, at least 1 */
	enum memory_pages pages;
	const struct arch_vector *vector;

	/* The members below are private. */
	struct memcpy_node *nodes;
	size_t n_nodes;
	uint64_t seed; /* first source word */
	unsigned row_cpu;
	uint32_t row_pass;
	struct memcpy_node *row;     /* node of the source */
	size_t next_slice;	     /* next slice to copy */
	bool bound;		     /* all inspected memory is on its node */
	enum memory_pages pages_had; /* smallest kind of page */
	uint64_t huge_bytes, bytes_had; /* of inspected memory */
	/* Number of valid copies, and of those without an undisturbed try. */
	size_t copies, disturbed;
};

/* Initialize the private members, for the nodes of cpus. */
int memcpy_context_init(struct memcpy_context *context,
	const struct cpu_list *cpus, struct error *err);
void memcpy_context_release(struct memcpy_context *context);

/* The value is the copier's rate in GiB/s. */
extern const struct probe probe_memcpy;

#endif
