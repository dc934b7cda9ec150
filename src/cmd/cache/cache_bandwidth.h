/*
 * Rates: words of options, and the points and curves of a plan.
 */
#ifndef C2C_CACHE_BANDWIDTH_H
#define C2C_CACHE_BANDWIDTH_H

#include "arch/vector.h"
#include "cmd/option.h"
#include "probe/probe_stream.h"
#include "util/cpu_list.h"
#include "util/error.h"
#include "util/words.h"

/* The words of --width. */
#define BANDWIDTH_WIDTHS(word)                                                 \
	word("widest") word("scalar") word("sse2") word("avx2") word("avx512") \
		word("neon") word("all")

/* The words of --memory. */
#define BANDWIDTH_MEMORY(word) word("own") word("shared")

/*
 * In the list of --threads: the values of llc and all, and the largest number.
 */
#define BANDWIDTH_LLC	    (UINT32_MAX - 1)
#define BANDWIDTH_ALL	    UINT32_MAX
#define BANDWIDTH_MOST_CPUS (1u << 20)

/* A curve, and where its points begin. */
struct bandwidth_curve {
	enum arch_access access;
	const struct arch_vector *vector;
	uint32_t n_cpus;
	size_t first, n; /* of the plan's points */
};

/* The rates of a plan. */
struct bandwidth_plan {
	/* There is a curve for each access, width and number of CPUs. */
	struct stream_point *points; /* [n_points] */
	size_t n_points;
	struct bandwidth_curve *curves; /* [n_curves] */
	size_t n_curves;
	/*
	 * A point uses the first of these CPUs. The first n_llc share a
	 * last-level cache; n_llc is 0 if the system does not know it.
	 */
	struct cpu_list cpus;
	size_t n_llc;
	/* The numbers of CPUs that --threads names, each once. */
	uint32_t counts[OPTION_LIST_MOST]; /* [n_counts] */
	size_t n_counts;
	bool exact; /* the user chose the largest working set */
	const struct arch_vector *widths[ARCH_VECTORS_MOST + 1];
};

#endif
