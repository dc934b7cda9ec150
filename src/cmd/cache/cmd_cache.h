/*
 * The parts of c2c cache, shared by the files of this folder only.
 */
#ifndef C2C_CMD_CACHE_H
#define C2C_CMD_CACHE_H

#include "cmd/cache/cache_account.h"
#include "cmd/cache/cache_bandwidth.h"
#include "cmd/cache/cache_latency.h"
#include "cmd/cache/cache_report.h"
#include "cmd/measure/measure.h"
#include "probe/probe_cache.h"
#include "probe/probe_share.h"

/* Working sets in each doubling, at most. */
#define CACHE_MOST_STEPS 16

/* --pages: an enum memory_pages, or a latency curve for each kind there is. */
#define CACHE_PAGES_ALL (MEMORY_PAGES_HUGETLB + 1)

struct cache_options {
	struct measure_options measure;
	struct option_range sizes; /* max 0: chosen for the machine */
	uint64_t steps;
	bool latency, bandwidth; /* once checked: what is measured */
	bool quick, no_infer;
	const char *shared; /* "L2" or bytes; NULL: no matrix */
	uint64_t shared_bytes;
	int pages;
	struct option_list orders; /* an enum chase_order, or a stride */
	struct option_list chains;
	bool dirty;
	struct option_list accesses; /* enum arch_access */
	struct option_list threads;
	int width;  /* which of BANDWIDTH_WIDTHS */
	int memory; /* which of BANDWIDTH_MEMORY */
};

/* The kind to ask for if it is one: of all it is auto. */
static inline enum memory_pages cache_pages(const struct cache_options *options)
{
	return options->pages == CACHE_PAGES_ALL
		       ? MEMORY_PAGES_AUTO
		       : (enum memory_pages)options->pages;
}

/* The rows of these options. */
struct option_table cache_options_table(struct cache_options *options);

/*
 * The curves that levels are inferred from: their numbers in result->curves,
 * counted from 1, or 0 if not measured. All are of one CPU.
 */
struct cache_curve_numbers {
	size_t ns, clocks; /* random order, medians: in ns, in clocks */
	size_t fastest;	   /* random order, fastest passes: in clocks or ns */
	size_t rates[ARCH_ACCESSES];
	/*
	 * On 4 KiB pages over the same working sets, in random order and page
	 * by page: in clocks, or in ns if clocks cannot be counted.
	 */
	size_t tlb_random, tlb_pages;
	/*
	 * In ns, the mean of two loads over their distance (the first one
	 * misses L1), and a load over the number of lines in one set of L1, and
	 * of L2. If a host gives a virtual machine small pages, the lines may
	 * be in several sets of L2, and those for L2 miss the TLB.
	 */
	size_t line, ways[2];
};

/* The command's own part of a plan. */
struct cache_plan {
	struct cache_options *options;
	struct cache_context context;
	struct share_context share;
	enum memory_pages share_pages; /* requested */
	struct cache_account share_memory;
	uint64_t memory_most; /* bytes that the run may use; 0: not known */
	struct latency_plan latency;
	struct bandwidth_plan rates;
	struct cache_curve_numbers curve_numbers;
};

/* Returns -ENOMEM if this many bytes more would exceed memory_most. */
int cache_check_memory(
	const struct cache_plan *own, uint64_t bytes, struct error *err);

/*
 * Returns rc, the result of mapping memory. If --pages caused an error, the
 * error names it.
 */
int cache_attribute_pages_error(
	const struct cache_options *options, int rc, struct error *err);

/* Latency: add the visits and map the memory; draw the rings; make curves. */
int cache_select_latency(struct cache_plan *own,
	struct measure_selection *selection, struct error *err);
int cache_prepare_latency(struct cache_plan *own,
	const struct measure_selection *selection, struct error *err);
void cache_release_latency(struct cache_plan *own);
int cache_add_latency(struct cache_plan *own, struct campaign *campaign,
	struct result *result, double *scratch, struct error *err);

/* The memory that latency needs, if the largest working set has most bytes. */
uint64_t cache_latency_bytes_needed(
	const struct cache_options *options, uint64_t most);

/*
 * The largest working set by default: it depends on the caches, and on the
 * memory available.
 */
uint64_t cache_default_max(
	const struct cache_plan *own, const struct machine_facts *facts);

/* Warn of visits that were dropped, and of values that are doubtful. */
void cache_warn_of_points(
	const struct cache_plan *own, struct campaign *campaign);

/* Bandwidth: add the visits; map the memory; make curves. */
int cache_select_bandwidth(struct cache_plan *own,
	struct measure_selection *selection, struct error *err);
int cache_prepare_bandwidth(struct cache_plan *own,
	const struct measure_selection *selection, struct error *err);
void cache_release_bandwidth(struct cache_plan *own);
int cache_add_rates(struct cache_plan *own, struct campaign *campaign,
	struct result *result, double *scratch, struct error *err);

/* --shared: check the level and draw the rings. */
int cache_prepare_shared(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err);

/* --shared: print a line below the matrix that says who shares. */
void cache_print_shared(const struct result *result);

/* --shared: warn if the ratios cannot be true. */
int cache_finish_shared(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err);

#endif
