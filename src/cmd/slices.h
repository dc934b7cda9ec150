/*
 * Divide the region of c2c memcpy among the copies of a row. With these slices,
 * six passes take about 30 s on 16 CPUs and 60 s on 32 CPUs. All functions are
 * pure. The size of a slice depends only on the number of CPUs, so that runs on
 * one machine are comparable.
 */
#ifndef C2C_SLICES_H
#define C2C_SLICES_H

#include <stddef.h>
#include <stdint.h>

/* Least region in LLCs, because caches hold much of a smaller region. */
#define SLICES_TIMES_LLC 4

/* Largest and least slice; c2c chooses a power of two. */
#define SLICES_MOST_BYTES  (UINT64_C(64) << 20)
#define SLICES_LEAST_BYTES (UINT64_C(8) << 20)

/* The copies of a run, and their times. */
struct slices_run {
	size_t copiers;	    /* copies of a row */
	size_t rows, pairs; /* rows and pairs of a pass */
	size_t regions;	    /* regions to touch once */
	uint64_t llc_bytes; /* the largest last-level cache */
	unsigned tries;	    /* tries of a disturbed copy */
	/* Seconds for a byte: of a write, of a copy, of the first touch. */
	double write_s, pair_s, touch_s;
};

struct slices {
	uint64_t slice_bytes, region_bytes;
	size_t n; /* slices before the tail; 0: copy whole regions */
};

/* Return the size of a slice for this many copiers. */
uint64_t slices_size(size_t copiers);

/* Divide a region into slices of this size, a multiple of a page. */
struct slices slices_divide_region(
	const struct slices_run *run, uint64_t slice_bytes);

/* Return the seconds to prepare a row, for a pass, for first touches. */
double slices_row_s(const struct slices_run *run, const struct slices *slices);
double slices_pass_s(const struct slices_run *run, const struct slices *slices);
double slices_first_s(
	const struct slices_run *run, const struct slices *slices);

#endif
