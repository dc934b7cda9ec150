/*
 * What results say about the structure of their machine.
 */
#ifndef C2C_ANALYZE_ANALYSIS_H
#define C2C_ANALYZE_ANALYSIS_H

#include <stdint.h>

#include "result/analysis.h"
#include "result/result.h"
#include "util/arena.h"
#include "util/error.h"

/*
 * Analyse results[n] of one machine together, all over the same CPUs, each
 * called sources[i]. The first whose numbers are latencies, else the first, is
 * the main one: levels that only others show are added where they nest with
 * its own. -EINVAL (ERROR_USAGE) when the results are not of one machine or
 * hold no matrix or number. *analysis is released by the caller after success
 * only.
 */
int analysis_make(const struct result *results, const char *const *sources,
	size_t n, struct analysis *analysis, struct error *err);

/*
 * The numbers of one epoch of a run that kept its passes, as a result of their
 * own: of the epoch of that number, from 1, or 0 for the last. -EINVAL
 * (ERROR_USAGE) when there is none. Release *out after success only.
 */
int analysis_epoch(const struct result *result, uint64_t number,
	struct result *out, struct error *err);

/* The place in results[n] of the main one. */
size_t analysis_main(const struct result *results, size_t n);

/* "0,8": the CPUs whose group[] is g, in increasing order. */
char *analysis_list(const struct analysis *analysis, const uint32_t *group,
	uint32_t g, struct arena *arena);

/*
 * The places of the CPUs in an order in which those of each group stand side
 * by side, at every nested level: [cpus.n].
 */
size_t *analysis_order(const struct analysis *analysis, struct arena *arena);

/*
 * Why levels may be wrong: "CPUs moved during the run", that they may have, or
 * that too few CPUs show whether they did; NULL when they did not. Static.
 */
const char *analysis_placement_doubt(enum analysis_placement placement);

#endif
