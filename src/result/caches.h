/*
 * What a run found out about the caches of a CPU, and what the system says.
 *
 * NaN is an unknown value: no test could tell it, or the system does not say
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
	CACHE_UNKNOWN, /* it could not be measured */
	CACHE_SAME,
	CACHE_LESS,    /* the system says more: others may use the rest */
	CACHE_DIFFERS, /* the system says less, or something else */
	CACHE_HIDDEN,  /* the system says nothing, or nothing of this level */
};

/* c2c refuses files with more levels or more TLBs. */
#define CACHE_MOST_LEVELS 16

/* Rates in GiB/s of one CPU, in the order of enum arch_access. */
#define CACHE_RATES 6

struct cache_level {
	char *name;	      /* "L1d", "L2", "memory" */
	unsigned level;	      /* 1, 2, ...; that of memory is the last */
	bool memory;	      /* what lies behind all caches */
	struct cpu_list cpus; /* that share it, as measured; or empty */
	char *cpus_why;	      /* why cpus is empty, for people; NULL */

	/* Measured. */
	double least_bytes, most_bytes; /* the interval that holds its size */
	double line_bytes, ways;
	double ns, clocks;     /* of a load, the median over passes */
	double fastest_clocks; /* of a load in the fastest pass */
	double rates[CACHE_RATES];

	/* As the system says. */
	double reported_bytes, reported_line_bytes, reported_ways;
	struct cpu_list reported_cpus;

	enum cache_verdict size_verdict, line_verdict, ways_verdict;
	char *why; /* why values are missing, for people; NULL */
	struct facts extra;
};

/* Loads in random order over more bytes than its reach miss a TLB. */
struct cache_tlb {
	double page_bytes;
	double least_bytes, most_bytes; /* the interval that holds its reach */
	double miss_ns, miss_clocks;	/* what a miss adds to a load */
	struct facts extra;
};

/*
 * How many caches of the level these CPUs have together. Who shares one is as
 * measured, or else as the system says; if neither is known, each CPU has one.
 */
unsigned cache_level_times(
	const struct cache_level *level, const struct cpu_list *cpus);

/*
 * Whether others disturbed most passes, of as many (-1: unknown): the median is
 * far above the fastest pass. The latency of the level is then closer to that
 * of the fastest pass. One pass has no other to be compared with.
 */
bool cache_level_is_disturbed(const struct cache_level *level, int64_t passes);

/* Whether the CPUs that share it are others than the system says. */
bool cache_level_sharers_differ(const struct cache_level *level);

#endif
