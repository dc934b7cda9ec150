/*
 * Infers the caches and TLBs of a CPU from curves over the working set, and
 * compares them with the system's report.
 */
#ifndef C2C_HIERARCHY_H
#define C2C_HIERARCHY_H

#include "machine/machine.h"
#include "result/result.h"

/* Levels whose ways can be measured: later ones hash their index. */
#define HIERARCHY_WAYS 2

/* Curves of one CPU, borrowed; NULL: not measured. */
struct hierarchy_curves {
	/*
	 * Latency of a load in random order: the median in ns, the median in
	 * clocks, and the fastest pass. The unit of `fastest` and the small
	 * curves is clocks of the core, or ns if `clocks` is NULL.
	 */
	const struct curve *ns, *clocks, *fastest;
	/* Latency in random order and page by page, on base pages. */
	const struct curve *small_random, *small_by_page;
	/*
	 * Curves in ns for cache_plateaus_line_size(), and for
	 * cache_plateaus_ways() of L1 and L2.
	 */
	const struct curve *line, *ways[2];
	const struct curve *rates[CACHE_RATES];
	double page_bytes;  /* page size of the run, or NaN */
	double small_bytes; /* size of base pages, or NaN */
};

/*
 * Fill result->caches and result->tlbs, unless curves->ns or curves->fastest is
 * NULL. machine is the system's report, or NULL. Return 0 or -ENOMEM.
 */
int hierarchy_infer(const struct hierarchy_curves *curves,
	const struct machine *machine, struct result *result,
	struct error *err);

#endif
