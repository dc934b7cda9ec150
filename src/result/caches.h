/*
 * The caches of a CPU: measured by a run, and reported by the system.
 *
 * NaN is an unknown value: not measured, or not reported.
 */
#ifndef C2C_CACHES_H
#define C2C_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/facts.h"
#include "util/cpu_list.h"

/* How a measured value compares with the reported value. */
enum cache_verdict {
	CACHE_UNKNOWN, /* no test could measure it */
	CACHE_SAME,
	CACHE_LESS,    /* smaller than reported: others may use the rest */
	CACHE_DIFFERS, /* larger than reported, or different */
	CACHE_HIDDEN,  /* the system reports no such value or level */
};

/* Largest numbers of levels and of TLBs in a file. */
#define CACHE_MOST_LEVELS 16

/* Number of rates, in GiB/s of one CPU, in the order of enum arch_access. */
#define CACHE_RATES 6

struct cache_level {
	char *name;	      /* "L1d", "L2", "memory" */
	unsigned level;	      /* 1, 2, ...; memory has the last number */
	bool memory;	      /* memory, not a cache */
	struct cpu_list cpus; /* measured sharers; or empty */
	char *cpus_why;	      /* why cpus is empty, for people; NULL */

	/* Measured. */
	double least_bytes, most_bytes; /* interval of its size */
	double line_bytes, ways;
	double ns, clocks;     /* latency of a load: medians over passes */
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
	double miss_ns, miss_clocks;	/* extra latency of a miss */
	struct facts extra;
};

/*
 * Return how many caches of the level these CPUs have in total, by measured
 * sharers, else by reported sharers; one per CPU if both are unknown.
 */
unsigned cache_level_times(
	const struct cache_level *level, const struct cpu_list *cpus);

/*
 * Whether other programs disturbed most passes: the median is far above the
 * fastest pass, which is then closer to the level's latency. False for a single
 * pass; -1 passes: unknown.
 */
bool cache_level_is_disturbed(const struct cache_level *level, int64_t passes);

/* Whether the measured sharers differ from the reported ones. */
bool cache_level_sharers_differ(const struct cache_level *level);

/* Whether any measured value differs from the reported value. */
bool cache_level_differs(const struct cache_level *level);

#endif
