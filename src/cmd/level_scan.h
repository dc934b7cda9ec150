/*
 * Scans the pairs first, while all CPUs are awake, to choose a pair for each
 * level.
 */
#ifndef C2C_LEVEL_SCAN_H
#define C2C_LEVEL_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "engine/crew.h"
#include "engine/lines.h"

/* Largest number of pairs of a scan: all pairs of 64 CPUs. */
#define LEVEL_SCAN_PAIRS 2016

/* Least ratio between levels. */
#define LEVEL_SCAN_GAP 1.25

/* Two CPUs by index, and the one-way latency between them. */
struct scanned_pair {
	uint32_t first, second;
	double one_way_ns;
};

struct level_scan {
	const struct probe *probe; /* the probe of the crew */
	const struct probe_params *params;
	uint32_t variant;
	uint32_t rounds; /* the lowest time of all rounds counts */
	uint64_t seed;	 /* to draw the pairs if there are many */
};

/*
 * Time pairs of n_cpus CPUs into pairs[LEVEL_SCAN_PAIRS], and their number into
 * *n. Errors are those of rehearsal_run().
 */
int level_scan_run(const struct level_scan *scan, struct crew *crew,
	const struct line_pools *lines, size_t n_cpus,
	struct scanned_pair *pairs, size_t *n, struct error *err);

/*
 * Sort the pairs of n_cpus CPUs, and choose the middle pair of each level, from
 * near to far. Return the number of levels, at most `most`.
 */
size_t level_scan_choose(struct scanned_pair *pairs, size_t n, size_t n_cpus,
	struct scanned_pair *chosen, size_t most);

#endif
