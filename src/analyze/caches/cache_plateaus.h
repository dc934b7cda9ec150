/*
 * Finds caches and TLBs in a curve of latency over the working set.
 *
 * All working sets that fit a cache have the same latency: the curve has a
 * plateau. If the working set exceeds a cache, more and more loads miss it: the
 * curve has a ramp. Each plateau is a level. The cache size is an interval: the
 * median over passes leaves the plateau at the lower end, and the fastest pass
 * leaves it at the upper end. Other programs that use the cache widen the
 * interval, because they slow most passes down.
 *
 * In a chase in random order, loads that miss the TLB also make steps. In a
 * chase that goes page by page, they make none. A step of the random order that
 * has no counterpart in page order is due to a TLB.
 *
 * Latencies may be in any unit. A change of the frequency makes no step if the
 * unit is clocks of the core.
 */
#ifndef C2C_CACHE_PLATEAUS_H
#define C2C_CACHE_PLATEAUS_H

#include <stdbool.h>
#include <stddef.h>

/* Largest numbers of levels (memory included) and of visible TLBs. */
#define CACHE_LEVELS_MAX 8
#define TLBS_MAX	 2

/* Points of a curve, by increasing bytes; NaN: no value. */
struct cache_curve {
	const double *bytes;
	const double *ns;	/* the median over passes */
	const double *least_ns; /* the fastest pass */
	size_t n;
	/* Page-by-page latencies, to find TLBs; NULL: not measured. */
	const double *page_bytes, *page_ns;
	size_t n_pages;
};

struct cache_plateau {
	double ns; /* latency of a load in the fastest pass */
	/*
	 * Interval of the cache size. NaN for the last level: memory, or a
	 * cache that is larger than all working sets.
	 */
	double least_bytes, most_bytes;
	size_t first, n; /* range of points; both ends have values */
	bool clean;	 /* most passes were about as fast as the fastest */
};

struct tlb_reach {
	double least_bytes, most_bytes; /* interval of the reach */
	/* Latency that a miss adds; NaN: only one size exceeds the reach. */
	double miss_ns;
};

/* Levels and TLBs, nearest first. */
struct cache_findings {
	struct cache_plateau levels[CACHE_LEVELS_MAX];
	size_t n;
	struct tlb_reach tlbs[TLBS_MAX];
	size_t n_tlbs;
};

/* Return 0 or -ENOMEM. A curve without a plateau has no level. */
int cache_plateaus_find(
	const struct cache_curve *curve, struct cache_findings *found);

/*
 * Return the line size of L1: the least distance at which both loads of a pair
 * miss. ns[i] is the time of two loads bytes[i] apart; the first load misses.
 * NaN: unclear.
 */
double cache_plateaus_line_size(
	const double *bytes, const double *ns, size_t n);

/*
 * Return the ways of a cache, the most lines of one set that do not miss; NaN
 * if unclear. A load takes own_ns on a hit and next_ns on a miss. ns[i] is the
 * latency of a chase through lines[i] lines of the same index; lines[]
 * increases.
 */
double cache_plateaus_ways(const double *lines, const double *ns, size_t n,
	double own_ns, double next_ns);

#endif
