/*
 * What a run found about the caches of a CPU, and what the system says.
 *
 * NaN is an unknown value: no test could find it, or the system does not say
 * it.
 */
#ifndef C2C_CACHES_H
#define C2C_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/facts.h"
#include "util/cpu_list.h"

/* How a measured value compares with what the system says. */
enum cache_verdict {
	CACHE_UNKNOWN, /* no test could measure it */
	CACHE_SAME,
	CACHE_LESS,    /* the system says more: others may use the rest */
	CACHE_DIFFERS, /* the system says less, or something else */
	CACHE_HIDDEN,  /* the system says nothing, or nothing of this level */
};

/* Most levels, and most TLBs, of a file that c2c reads. */
#define CACHE_MOST_LEVELS 16

/* Number of rates, in GiB/s of one CPU, in the order of enum arch_access. */
#define CACHE_RATES 6

struct cache_level {
	char *name;	      /* "L1d", "L2", "memory" */
	unsigned level;	      /* 1, 2, ...; memory has the last one */
	bool memory;	      /* what lies behind all caches */
	struct cpu_list cpus; /* CPUs that share it, as measured; or empty */
	char *cpus_why;	      /* why cpus is empty, for people; NULL */

	/* Measured. */
	double least_bytes, most_bytes; /* interval of its size */
	double line_bytes, ways;
	double ns, clocks;     /* of a load: medians over passes */
	double fastest_clocks; /* clocks of a load in the fastest pass */
	double rates[CACHE_RATES];

	/* Reported by the system. */
	double reported_bytes, reported_line_bytes, reported_ways;
	struct cpu_list reported_cpus;

	enum cache_verdict size_verdict, line_verdict, ways_verdict;
	char *why; /* why values are missing, for people; NULL */
	struct facts extra;
};

/* A TLB. Loads in random order over more bytes than its reach miss it. */
struct cache_tlb {
	double page_bytes;
	double least_bytes, most_bytes; /* interval of its reach */
	double miss_ns, miss_clocks;	/* what a miss adds to a load */
	struct facts extra;
};

/*
 * Return how many caches of the level these CPUs have together, by measured
 * sharers, else by reported ones; one for each CPU if neither is known.
 */
unsigned cache_level_times(
	const struct cache_level *level, const struct cpu_list *cpus);

/*
 * Whether others disturbed most of this many passes (-1: unknown): the median
 * is far above the fastest pass. The latency of the level is then closer to
 * that of the fastest pass. One pass has no other to be compared with.
 */
bool cache_level_is_disturbed(const struct cache_level *level, int64_t passes);

/* Whether the measured sharers differ from the reported ones. */
bool cache_level_sharers_differ(const struct cache_level *level);

/* Whether anything measured differs from what the system says. */
bool cache_level_differs(const struct cache_level *level);

#endif
