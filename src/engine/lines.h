/*
 * The memory that visits take turns on: pools of blocks on the NUMA nodes that
 * the user chose, so that neither one home node nor one LLC slice decides the
 * answer. Not for two threads at once.
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

/* The words of users are in the same order. */
#define LINES_HOMES(word)                                                      \
	word("first") word("second") word("node:N") word("interleave")
enum lines_home {
	LINES_HOME_FIRST,      /* the node of the pair's first CPU */
	LINES_HOME_SECOND,     /* of its second */
	LINES_HOME_NODE,       /* one node for all */
	LINES_HOME_INTERLEAVE, /* all nodes in turn, pass by pass */
};

/* A home as the user writes it, with *node of node:N. -EINVAL (ERROR_USAGE). */
int lines_home_parse(const char *text, enum lines_home *home, uint64_t *node,
	struct error *err);

struct lines_options {
	const struct machine *machine; /* NULL: pretended, one pool anywhere */
	const struct cpu_list *cpus;
	enum lines_home home;
	int node;	    /* for LINES_HOME_NODE */
	size_t n_blocks;    /* per pool */
	size_t block_bytes; /* of one visit; a multiple of PROBE_SLOT_BYTES */
	enum memory_pages pages;
	const atomic_bool *stop; /* gives up once set; may be NULL */
};

struct line_pools {
	struct lines_options options;
	struct memory_mapping *pools; /* [nodes.n] */
	struct cpu_list nodes;
	size_t *pool_of;	 /* [n_members]: of the node of that CPU */
	bool bound;		 /* every pool lies where it was asked for */
	enum memory_pages pages; /* that every pool has at least */
	double huge_share;	 /* of all bytes, in huge pages */
};

/* -EINVAL (ERROR_USAGE) for a node that is not there; -ENOMEM; -EINTR. */
int lines_init(struct line_pools *lines, const struct lines_options *options,
	struct error *err);
void lines_release(struct line_pools *lines);

/* Leave the pools mapped for good, when a thread may still write to them. */
void lines_forget(struct line_pools *lines);

/*
 * The block for visit number `position` of a pass, of members first and
 * second. Up to n_blocks consecutive positions have blocks of their own;
 * `shift` moves the whole pass.
 */
void *lines_slots(const struct line_pools *lines, uint32_t first,
	uint32_t second, uint32_t pass, size_t position, uint64_t shift);

/*
 * Number of a block in the pool of its node. If nodes take turns, numbers go on
 * from pool to pool.
 */
uint32_t lines_place(const struct line_pools *lines, uint32_t first,
	uint32_t second, uint32_t pass, size_t position, uint64_t shift);

#endif
