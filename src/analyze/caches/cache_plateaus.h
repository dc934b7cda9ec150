/*
 * Finds caches and TLBs in a curve of latency over the working set.
 *
 * All working sets that fit a cache have the same latency: the curve has a
 * plateau. Beyond the cache, more and more loads miss it: the curve has a ramp.
 * Each plateau is a level. The size of its cache is an interval: the median
 * over passes leaves the plateau at one end, the fastest pass at the other.
 * Neighbours that use the cache too widen the interval, because they slow most
 * passes down.
 *
 * Loads that miss the TLB make steps too, but not if the chase goes page by
 * page. So a step that is missing in that order comes from a TLB.
 *
 * Latencies may be in any unit. In clocks of the core, a change of the
 * frequency makes no step.
 */
#ifndef C2C_CACHE_PLATEAUS_H
#define C2C_CACHE_PLATEAUS_H

#include <stdbool.h>
#include <stddef.h>

/* Most levels of a machine, memory included, and most TLBs that show. */
#define CACHE_LEVELS_MAX 8
#define TLBS_MAX	 2

/* Points of a curve, in increasing bytes. NaN is a missing value. */
struct cache_curve {
	const double *bytes;
	const double *ns;	/* the median over passes */
	const double *least_ns; /* the fastest pass */
	size_t n;
	/* Page-by-page latencies; without them no TLB is found. */
	const double *page_bytes, *page_ns;
	size_t n_pages;
};

struct cache_plateau {
	double ns; /* latency of a load in the fastest pass */
	/*
	 * Interval of the cache's size. NaN for the last level, which is memory
	 * or a cache whose end the curve does not show.
	 */
	double least_bytes, most_bytes;
	size_t first, n; /* points; the first and the last have values */
	bool clean;	 /* most passes were about as fast as the fastest */
};

struct tlb_reach {
	double least_bytes, most_bytes; /* interval of the reach */
	/* Latency that a miss adds; NaN: only one size is beyond reach. */
	double miss_ns;
};

/* Levels and TLBs, the nearest first. */
struct cache_findings {
	struct cache_plateau levels[CACHE_LEVELS_MAX];
	size_t n;
	struct tlb_reach tlbs[TLBS_MAX];
	size_t n_tlbs;
};

/* Find levels and TLBs; 0 or -ENOMEM. No plateau means no level. */
int cache_plateaus_find(
	const struct cache_curve *curve, struct cache_findings *found);

/*
 * Return the line size of the first-level cache. ns[i] is the time of two loads
 * that lie bytes[i] apart. The first load misses the cache. The line size is
 * the least distance at which the second one misses too. NaN: no distance
 * stands out.
 */
double cache_plateaus_line_size(
	const double *bytes, const double *ns, size_t n);

/*
 * Return the ways of a cache, the most lines that do not miss; NaN if unclear.
 * A load takes own_ns if it hits the cache, and next_ns if it misses. ns[i] is
 * the latency of a chase through lines[i] lines of the same index; lines[]
 * increases.
 */
double cache_plateaus_ways(const double *lines, const double *ns, size_t n,
	double own_ns, double next_ns);

#endif
