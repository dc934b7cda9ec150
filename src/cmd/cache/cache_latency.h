/*
 * Latencies: the rings, points and curves of a plan.
 */
#ifndef C2C_CACHE_LATENCY_H
#define C2C_CACHE_LATENCY_H

#include "machine/memory.h"
#include "probe/chase.h"
#include "util/error.h"

/* Enough for any run. */
#define LATENCY_MOST_POINTS 10000

/*
 * TLBs are inferred from base pages of this size, which nearly all machines
 * have.
 */
#define LATENCY_TLB_PAGE_BYTES 4096

/* Rings in memory of one kind of pages. */
struct latency_memory {
	enum memory_pages pages; /* asked for */
	struct chase_spec *specs;
	size_t n_specs;
	struct chase_context chase;
};

/* One for each kind of pages, and two for the inference. */
#define LATENCY_MOST_MEMORIES 5

enum latency_kind {
	LATENCY_LOAD, /* what the options ask for */
	LATENCY_TLB,  /* the same on 4 KiB pages, for TLBs */
	LATENCY_LINE, /* pairs of loads, over their distance */
	LATENCY_WAYS, /* lines in one set, over their number */
};

struct latency_curve {
	enum latency_kind kind;
	const struct latency_memory *memory;
	struct chase_spec order; /* without bytes */
	unsigned chains;
	bool dirty;
	enum chase_state state;
	size_t first, n;   /* its points in the plan */
	size_t ring, step; /* of the first point, in its memory; to the next */
	unsigned level;	   /* for LATENCY_WAYS: of the cache */
};

/* The ring of point i, in the curve's memory. */
static inline size_t latency_ring(const struct latency_curve *curve, size_t i)
{
	return curve->ring + i * curve->step;
}

/* The latencies of a plan. */
struct latency_plan {
	/* The memory that levels come from, once there are curves. */
	const struct latency_memory *memory;
	struct latency_memory memories[LATENCY_MOST_MEMORIES];
	size_t n_memories;
	struct latency_curve *curves; /* [n_curves] */
	size_t n_curves;
	struct chase_point *points; /* [n_points], by variant */
	size_t n_points;
	uint64_t bytes;		    /* of all memories */
	char missing_pages[3][256]; /* why kinds of pages are left out */
	size_t n_missing_pages;
};

#endif
