/* The interface between the files of c2c cache. Private to this folder. */
#ifndef C2C_CMD_CACHE_H
#define C2C_CMD_CACHE_H

#include "cmd/cache/cache_account.h"
#include "cmd/cache/cache_report.h"
#include "cmd/measure/measure.h"
#include "probe/probe_cache.h"
#include "probe/probe_share.h"

/* The words of --width. */
#define BANDWIDTH_WIDTHS(word)                                                 \
	word("widest") word("scalar") word("sse2") word("avx2") word("avx512") \
		word("neon") word("all")

/* The words of --memory. */
#define BANDWIDTH_MEMORY(word) word("own") word("shared")

/* Values of "llc" and "all" for --threads; largest number of CPUs. */
#define BANDWIDTH_LLC	    (UINT32_MAX - 1)
#define BANDWIDTH_ALL	    UINT32_MAX
#define BANDWIDTH_MOST_CPUS (1u << 20)

struct bandwidth_curve {
	enum arch_access access;
	const struct arch_vector *vector;
	uint32_t n_cpus;
	size_t first, n; /* index and number of its points in the plan */
};

struct bandwidth_plan {
	/* A curve of one access, width and number of CPUs. */
	struct stream_point *points; /* [n_points] */
	size_t n_points;
	struct bandwidth_curve *curves; /* [n_curves] */
	size_t n_curves;
	/*
	 * CPUs of the run; points use the first ones. The first n_llc share a
	 * last-level cache; n_llc is 0 if the system does not report it.
	 */
	struct cpu_list cpus;
	size_t n_llc;
	/* The numbers of CPUs that --threads names, without duplicates. */
	uint32_t counts[OPTION_LIST_MOST]; /* [n_counts] */
	size_t n_counts;
	bool exact; /* the user chose the largest working set */
	const struct arch_vector *widths[ARCH_VECTORS_MOST + 1];
};

/* Largest number of points of a run. */
#define LATENCY_MOST_POINTS 10000

/* Size of base pages for the inference of TLBs. */
#define LATENCY_TLB_PAGE_BYTES 4096

/* Rings in memory of one kind of pages. */
struct latency_memory {
	enum memory_pages pages; /* requested kind of pages */
	struct chase_spec *specs;
	size_t n_specs;
	struct chase_context chase;
};

/*
 * Largest number of memories: one for each kind of pages, and two for the
 * inference.
 */
#define LATENCY_MOST_MEMORIES 5

enum latency_kind {
	LATENCY_LOAD, /* loads that the options request */
	LATENCY_TLB,  /* loads on 4 KiB pages, for TLBs */
	LATENCY_LINE, /* pairs of loads, over the distance of their lines */
	LATENCY_WAYS, /* lines in one cache set, over their number */
};

struct latency_curve {
	enum latency_kind kind;
	const struct latency_memory *memory;
	struct chase_spec order; /* without bytes */
	unsigned chains;
	bool dirty;
	enum chase_state state;
	size_t first, n;   /* index and number of its points in the plan */
	size_t ring, step; /* ring of the first point, step to the next ring */
	unsigned level;	   /* only LATENCY_WAYS: the cache level */
};

/* Return the index of the ring of point i in the curve's memory. */
static inline size_t latency_ring(const struct latency_curve *curve, size_t i)
{
	return curve->ring + i * curve->step;
}

/* The latencies of a plan. */
struct latency_plan {
	/* Memory whose curves c2c infers levels from, once there are curves. */
	const struct latency_memory *memory;
	struct latency_memory memories[LATENCY_MOST_MEMORIES];
	size_t n_memories;
	struct latency_curve *curves; /* [n_curves] */
	size_t n_curves;
	struct chase_point *points; /* [n_points], by variant */
	size_t n_points;
	uint64_t bytes;
	char missing_pages[3][256]; /* why some kinds of pages are missing */
	size_t n_missing_pages;
};

/* Largest number of working sets for each doubling (--steps). */
#define CACHE_MOST_STEPS 16

/* Value of --pages all, after those of enum memory_pages. */
#define CACHE_PAGES_ALL (MEMORY_PAGES_HUGETLB + 1)

struct cache_options {
	struct measure_options measure;
	struct option_range sizes; /* max 0: c2c chooses it */
	uint64_t steps;
	bool latency, bandwidth; /* after the checks: what to measure */
	bool quick, no_infer;
	const char *shared; /* "L2" or bytes; NULL: no --shared */
	uint64_t shared_bytes;
	int pages;
	struct option_list orders; /* an enum chase_order, or a stride */
	struct option_list chains;
	bool dirty;
	struct option_list accesses; /* enum arch_access */
	struct option_list threads;
	int width;  /* index in BANDWIDTH_WIDTHS */
	int memory; /* index in BANDWIDTH_MEMORY */
};

/* Return the kind of pages to request; auto for --pages all. */
static inline enum memory_pages cache_pages(const struct cache_options *options)
{
	return options->pages == CACHE_PAGES_ALL
		       ? MEMORY_PAGES_AUTO
		       : (enum memory_pages)options->pages;
}

struct option_table cache_options_table(struct cache_options *options);

/*
 * The curves for the inference of levels: their numbers in result->curves,
 * counted from 1, or 0 if not measured. All these curves are of one CPU.
 */
struct cache_curve_numbers {
	size_t ns, clocks; /* medians in random order, in ns and in clocks */
	size_t fastest;	   /* fastest passes in random order, in clocks or ns */
	size_t rates[ARCH_ACCESSES];
	/*
	 * Latencies on 4 KiB pages over the same working sets, in random order
	 * and page by page; in ns if c2c cannot count clocks.
	 */
	size_t tlb_random, tlb_pages;
	/*
	 * Curves in ns. `line` is the mean time of two loads over the distance
	 * of their lines (the first load misses L1). `ways` is the time of a
	 * load over the number of lines in one set of L1 or L2. If the host
	 * backs a virtual machine with small pages, the lines for L2 may be in
	 * several sets and miss the TLB.
	 */
	size_t line, ways[2];
};

/* The part of a measure_plan that only c2c cache uses. */
struct cache_plan {
	struct cache_options *options;
	struct cache_context context;
	struct share_context share;
	enum memory_pages share_pages; /* requested */
	struct cache_account share_memory;
	uint64_t memory_most; /* bytes that c2c may use; 0: unknown */
	struct latency_plan latency;
	struct bandwidth_plan rates;
	struct cache_curve_numbers curve_numbers;
};

/* Return -ENOMEM if this many bytes more would exceed memory_most. */
int cache_check_memory(
	const struct cache_plan *own, uint64_t bytes, struct error *err);

/*
 * Return rc, the result of mapping memory. If --pages caused the failure,
 * extend the error.
 */
int cache_attribute_pages_error(
	const struct cache_options *options, int rc, struct error *err);

/* Latency: add the visits, map the memory, draw the rings, and make curves. */
int cache_select_latency(struct cache_plan *own,
	struct measure_selection *selection, struct error *err);
int cache_prepare_latency(struct cache_plan *own,
	const struct measure_selection *selection, struct error *err);
void cache_release_latency(struct cache_plan *own);
int cache_add_latency(struct cache_plan *own, struct campaign *campaign,
	struct result *result, double *scratch, struct error *err);

/* Return the memory of latency for a largest working set of that size. */
uint64_t cache_latency_bytes_needed(
	const struct cache_options *options, uint64_t most);

/*
 * Return the default largest working set, from the caches and the available
 * memory.
 */
uint64_t cache_default_max(
	const struct cache_plan *own, const struct machine_facts *facts);

/* Warn of dropped visits and of doubtful values. */
void cache_warn_of_points(
	const struct cache_plan *own, struct campaign *campaign);

/* Bandwidth: add the visits, map the memory, and make curves. */
int cache_select_bandwidth(struct cache_plan *own,
	struct measure_selection *selection, struct error *err);
int cache_prepare_bandwidth(struct cache_plan *own,
	const struct measure_selection *selection, struct error *err);
void cache_release_bandwidth(struct cache_plan *own);
int cache_add_rates(struct cache_plan *own, struct campaign *campaign,
	struct result *result, double *scratch, struct error *err);

/* --shared: check the level, and draw the rings if the run measures. */
int cache_prepare_shared(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err);

/* --shared: print a line below the matrix with the CPUs that share. */
void cache_print_shared(const struct result *result);

/* --shared: warn if ratios are impossible. */
int cache_finish_shared(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err);

#endif
