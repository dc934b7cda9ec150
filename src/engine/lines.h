/*
 * The memory of visits is in pools of blocks, on the NUMA nodes that the user
 * chose. Visits use one block after the other, so that no single home or LLC
 * slice dominates the result. Not thread-safe.
 */
#ifndef C2C_LINES_H
#define C2C_LINES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"
#include "machine/memory.h"
#include "util/error.h"

/* The user's words for the values of enum lines_home, in its order. */
#define LINES_HOMES(word)                                                      \
	word("first") word("second") word("node:N") word("interleave")
enum lines_home {
	LINES_HOME_FIRST,      /* the node of the pair's first CPU */
	LINES_HOME_SECOND,     /* the node of its second CPU */
	LINES_HOME_NODE,       /* one fixed node */
	LINES_HOME_INTERLEAVE, /* all nodes in turn, pass by pass */
};

/* Parse a home, with N of node:N in *node. -EINVAL (ERROR_USAGE). */
int lines_home_parse(const char *text, enum lines_home *home, uint64_t *node,
	struct error *err);

struct lines_options {
	const struct machine *machine; /* NULL: simulated, one pool anywhere */
	const struct cpu_list *cpus;
	enum lines_home home;
	int node;	    /* for LINES_HOME_NODE */
	size_t n_blocks;    /* per pool */
	size_t block_bytes; /* a multiple of PROBE_SLOT_BYTES */
	enum memory_pages pages;
	const atomic_bool *stop; /* stops lines_init(); may be NULL */
};

struct line_pools {
	struct lines_options options;
	struct memory_mapping *pools; /* [nodes.n] */
	struct cpu_list nodes;
	size_t *pool_of;	 /* [n_members] */
	bool bound;		 /* every pool is on its node */
	enum memory_pages pages; /* smallest kind of page in any pool */
	double huge_share;	 /* share of all bytes in huge pages */
};

/* Map the pools. -EINVAL (ERROR_USAGE) for a missing node; -ENOMEM; -EINTR. */
int lines_init(struct line_pools *lines, const struct lines_options *options,
	struct error *err);
void lines_release(struct line_pools *lines);

/* Leave the pools mapped, because a lost thread may still write to them. */
void lines_forget(struct line_pools *lines);

/*
 * Return the block for visit number `position` of a pass, between members first
 * and second. Up to n_blocks consecutive positions have different blocks.
 * `shift` is added to all positions of a pass.
 */
void *lines_slots(const struct line_pools *lines, uint32_t first,
	uint32_t second, uint32_t pass, size_t position, uint64_t shift);

/*
 * Return the number of that block in the pool of its node. With
 * LINES_HOME_INTERLEAVE, numbers continue from pool to pool.
 */
uint32_t lines_place(const struct line_pools *lines, uint32_t first,
	uint32_t second, uint32_t pass, size_t position, uint64_t shift);

#endif
