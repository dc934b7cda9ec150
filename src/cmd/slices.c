#include "cmd/slices.h"

/*
 * Caches without strict LRU replacement evict a slice only after twice their
 * size.
 */
#define TAIL_TIMES_LLC 2

/* Additional slices for repeated copies: one for each eight copies. */
#define COPIES_PER_SPARE 8

/*
 * Largest number of bytes in the slices of a row, unless slices become too
 * small.
 */
#define ROW_BYTES (UINT64_C(256) << 20)

uint64_t slices_size(size_t copiers)
{
	uint64_t bytes = SLICES_MOST_BYTES;

	while (bytes > SLICES_LEAST_BYTES && copiers * bytes > ROW_BYTES)
		bytes /= 2;
	return bytes;
}

struct slices slices_divide_region(
	const struct slices_run *run, uint64_t slice_bytes)
{
	size_t n = run->copiers + run->copiers / COPIES_PER_SPARE + run->tries;
	uint64_t bytes = n * slice_bytes + TAIL_TIMES_LLC * run->llc_bytes;
	uint64_t least = SLICES_TIMES_LLC * run->llc_bytes;

	if (bytes < least)
		bytes = least;
	return (struct slices){.slice_bytes = slice_bytes,
		.n = n,
		.region_bytes =
			(bytes + slice_bytes - 1) / slice_bytes * slice_bytes};
}

/* Count the tail, which a CPU reads, like a write. */
double slices_row_s(const struct slices_run *run, const struct slices *slices)
{
	return (double)slices->region_bytes * run->write_s;
}

double slices_pass_s(const struct slices_run *run, const struct slices *slices)
{
	return (double)run->rows * slices_row_s(run, slices) +
	       (double)run->pairs * (double)slices->slice_bytes * run->pair_s;
}

double slices_first_s(const struct slices_run *run, const struct slices *slices)
{
	return (double)run->regions * (double)slices->region_bytes *
	       run->touch_s;
}
