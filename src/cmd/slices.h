/*
 * How c2c memcpy divides a region among the copies of a row, so that six passes
 * take about 30 s on 16 CPUs and 60 s on 32. Pure. The size of a slice depends
 * on the number of CPUs alone, not on a pace, so that two runs on one machine
 * can be compared.
 */
#ifndef C2C_SLICES_H
#define C2C_SLICES_H

#include <stddef.h>
#include <stdint.h>

/* Caches hold part of a smaller region, which then says less about memory. */
#define SLICES_TIMES_LLC 4

/* Those that c2c chooses are powers of two from least to most. */
#define SLICES_MOST_BYTES  (UINT64_C(64) << 20)
#define SLICES_LEAST_BYTES (UINT64_C(8) << 20)

/* What a run has to copy, and how fast. */
struct slices_run {
	size_t copiers;	    /* of a row */
	size_t rows, pairs; /* of a pass */
	size_t regions;	    /* all that are touched once */
	uint64_t llc_bytes; /* the largest last-level cache */
	unsigned tries;	    /* of a copy that is disturbed */
	/* Seconds a byte: of a write, of a pair's part, of the first touch. */
	double write_s, pair_s, touch_s;
};

struct slices {
	uint64_t slice_bytes, region_bytes;
	size_t n; /* slices in a region, before its tail; 0: all is copied */
};

/* The size of a slice for so many copiers. */
uint64_t slices_size(size_t copiers);

/* Divide a region into slices of this size, a multiple of a page. */
struct slices slices_divide_region(
	const struct slices_run *run, uint64_t slice_bytes);

/* Seconds that a row's preparation takes, a pass, and all first touches. */
double slices_row_s(const struct slices_run *run, const struct slices *slices);
double slices_pass_s(const struct slices_run *run, const struct slices *slices);
double slices_first_s(
	const struct slices_run *run, const struct slices *slices);

#endif
