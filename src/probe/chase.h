/*
 * The rings and points of a run of probe_chase. One CPU follows pointers
 * through a ring of cache lines, and each load waits for the load before it.
 */
#ifndef C2C_CHASE_H
#define C2C_CHASE_H

#include "machine/memory.h"
#include "probe/probe.h"
#include "stat/stat.h"

/* Size of the lines of a ring. A line holds one pointer of a ring. */
#define CHASE_LINE_BYTES ((size_t)64)

/* Number of walkers that go through a ring simultaneously. */
#define CHASE_WALKERS 16

/* Largest number of chains that go through a ring simultaneously. */
#define CHASE_MOST_CHAINS 32

/* Number of equal parts of a ring, in its order. */
#define CHASE_CELLS 256

/* The second half measures the time of this many core clocks, in ns. */
#define CHASE_CLOCKS 16

/* Size of a block of CHASE_PAIRS, which has two pointers. */
#define CHASE_BLOCK_BYTES ((size_t)256)

enum chase_order {
	CHASE_RANDOM, /* all lines, shuffled */
	CHASE_PAGE,   /* all lines of a page, shuffled, then the next page */
	CHASE_STRIDE, /* lines step_bytes apart, then the lines between */
	CHASE_PAIRS,  /* blocks, shuffled; in each, a pair step_bytes apart */
	CHASE_APART,  /* lines step_bytes apart, shuffled */
};

/* A ring to make. */
struct chase_spec {
	size_t bytes; /* size of all lines or blocks */
	enum chase_order order;
	size_t step_bytes; /* for the last three orders */
};

/* A cycle of pointers. */
struct chase_ring {
	size_t bytes;
	size_t n;      /* number of pointers; 1 in a ring of one line */
	char *base;    /* the line of the first pointer */
	unsigned word; /* index of the pointer in each line */
	size_t pitch;
	size_t second; /* offset of a block's second pointer; else 0 */
	void *at;      /* position of chase_loads() */
	void *cells[CHASE_CELLS]; /* first line of each cell */
	void *walkers[CHASE_WALKERS];
};

/*
 * Rings in one memory. Rings of the first three orders share lines: the 8 words
 * of a line are pointers of up to 8 rings.
 */
struct chase_context {
	struct chase_ring *rings; /* [n] */
	size_t n;
	struct memory_mapping memory;
};

struct chase_plan {
	const struct chase_spec *specs; /* [n] */
	size_t n;
	size_t page_bytes; /* for CHASE_PAGE */
	uint64_t seed;
	struct memory_request request; /* chase_map() sets its bytes */
};

/*
 * The state of the caches when a visit times its loads. A shared cache evicts
 * rarely used lines. The cache may keep a ring while sixteen walkers use it,
 * but evict the ring while one chase uses it.
 */
enum chase_state {
	CHASE_WARMED, /* after one round of the walkers */
	CHASE_HELD,   /* after rounds that took equally long */
	/* The last of many rounds of one chase that begins in memory. */
	CHASE_ALONE,
};

/* A chase through a ring: one variant. */
struct chase_point {
	struct chase_ring *ring;
	unsigned chains;	     /* 1 to CHASE_MOST_CHAINS */
	bool dirty;		     /* one chain, which stores to each line */
	void *at[CHASE_MOST_CHAINS]; /* position of each chain */
	/* position of the first chain in its round */
	size_t steps_into_round;
	enum chase_state state;
	/* Counts of all visits so far, for CHASE_HELD and CHASE_ALONE. */
	uint32_t visits, steady;
	uint64_t rounds;	 /* untimed rounds */
	double slowest_first_ns; /* time of the slowest first round */
};

/* params->context of probe_chase. */
struct chase_points {
	struct chase_point *points; /* [n] by variant */
	size_t n;
	/* Bring at most this many bytes of a ring into the caches. */
	size_t warm_bytes;
};

/* Return the bytes that these rings need together. */
size_t chase_bytes(const struct chase_spec *specs, size_t n);

/* Map memory for the rings; chase_release() releases it. */
int chase_map(struct chase_context *context, const struct chase_plan *plan,
	const struct machine *machine, struct error *err);

/* Draw the rings in the mapped memory. */
int chase_draw(struct chase_context *context, const struct chase_plan *plan,
	struct error *err);

/* Map memory and draw the rings. */
int chase_init(struct chase_context *context, const struct chase_plan *plan,
	const struct machine *machine, struct error *err);
void chase_release(struct chase_context *context);

/* Make a point. Chains begin at evenly spaced positions. */
void chase_point_init(struct chase_point *point, struct chase_ring *ring,
	unsigned chains, bool dirty);

/* Return whether the last rounds of most visits took different times. */
static inline bool chase_is_unsteady(const struct chase_point *point)
{
	return 2 * point->steady < point->visits;
}

/* Return the address of pointer i of a ring, by increasing address. */
void **chase_pointer(const struct chase_ring *ring, size_t i);

/* Make this many steps with each chain; a sample has chase_steps(). */
void chase_follow(struct chase_point *point, uint32_t steps);

/*
 * Make this many loads, rounded down to whole turns of the loop. A turn is 32
 * loads with one chain, and CHASE_WALKERS loads with walkers.
 */
void chase_loads(struct chase_ring *ring, size_t loads, bool walkers);

/* Return the steps of each chain in a sample. */
uint32_t chase_steps(const struct chase_point *point);

extern const struct probe probe_chase;

#endif
