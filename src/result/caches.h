/*
 * The caches of a CPU, as measured by c2c and as reported by the system.
 *
 * A value that was not measured or not reported is NaN.
 */
#ifndef C2C_CACHES_H
#define C2C_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/facts.h"
#include "util/cpu_list.h"

/* Comparison of a measured with a reported value. */
enum cache_verdict {
	CACHE_UNKNOWN, /* c2c could not measure the value */
	CACHE_SAME,
	CACHE_LESS,    /* smaller: other vCPUs may use a part of the cache */
	CACHE_DIFFERS, /* larger, or different */
	CACHE_HIDDEN,  /* the system does not report the value */
};

/* Limit for the number of levels, and of TLBs, in a file. */
#define CACHE_MOST_LEVELS 16

/*
 * Number of rates. Rates are GiB/s of one CPU, in the order of enum
 * arch_access.
 */
#define CACHE_RATES 6

struct cache_level {
	char *name;	      /* "L1d", "L2", "memory" */
	unsigned level;	      /* number from 1; the memory is last */
	bool memory;	      /* the level is the memory */
	struct cpu_list cpus; /* measured sharers; may be empty */
	char *cpus_why;	      /* reason why cpus is empty, or NULL */

	/* Measured. */
	double least_bytes, most_bytes; /* interval of the size */
	double line_bytes, ways;
	double ns, clocks;     /* median latency of a load */
	double fastest_clocks; /* latency in the fastest pass */
	double rates[CACHE_RATES];

	/* Reported by the system. */
	double reported_bytes, reported_line_bytes, reported_ways;
	struct cpu_list reported_cpus;

	enum cache_verdict size_verdict, line_verdict, ways_verdict;
	char *why; /* reason why values are missing, or NULL */
	struct facts extra;
};

struct cache_tlb {
	double page_bytes;
	double least_bytes, most_bytes; /* interval of the reach */
	double miss_ns, miss_clocks;	/* time that a miss adds to a load */
	struct facts extra;
};

/*
 * Return the number of different caches of a level that the CPUs use, from
 * measured or else reported sharers. If no sharers are known, each CPU has a
 * cache.
 */
unsigned cache_level_times(
	const struct cache_level *level, const struct cpu_list *cpus);

/*
 * Return whether other programs disturbed most passes: the median is far above
 * the fastest pass. Return false for one pass. passes is -1 if unknown.
 */
bool cache_level_is_disturbed(const struct cache_level *level, int64_t passes);

bool cache_level_sharers_differ(const struct cache_level *level);

bool cache_level_differs(const struct cache_level *level);

#endif
