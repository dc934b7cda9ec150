/*
 * Page-aligned memory on a chosen NUMA node, faulted in.
 *
 * A struct memory owns its pages: memory_release() unmaps them. Thread-safe.
 */
#ifndef C2C_MACHINE_MEMORY_H
#define C2C_MACHINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/machine.h"
#include "util/error.h"

#define MEMORY_ANY_NODE (-1)

struct memory {
	void *base;   /* zeroed; NULL when released */
	size_t bytes; /* as mapped, a multiple of the page size */
	bool bound;   /* every page was seen on the node asked for; also true
			 when any node would do */
	int node;     /* where the kernel says the first page is; -1 unknown */
};

/*
 * Map bytes bytes on node (an OS index, or MEMORY_ANY_NODE) and touch every
 * page. Where the system refuses to bind memory (containers) the memory is
 * had unbound and memory->bound is false: the caller warns. -EINVAL when
 * there is no such node, -ENOMEM.
 */
int memory_map(struct memory *memory, const struct machine *machine,
	size_t bytes, int node, struct error *err);

void memory_release(struct memory *memory);

#endif
