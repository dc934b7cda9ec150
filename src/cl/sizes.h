/*
 * What users may ask for in numbers: pure functions. What is no multiple, no
 * power of two or out of bounds is -EINVAL (ERROR_USAGE), with the nearest that
 * are right. What this device cannot hold is not told here: that is -ENOTSUP
 * (ERROR_UNAVAILABLE). Private to src/cl.
 */
#ifndef C2C_CL_SIZES_H
#define C2C_CL_SIZES_H

#include <stddef.h>
#include <stdint.h>

#include "cl/cl.h"
#include "util/error.h"

/* Whether so many work-items can be parted into groups of that size. */
int check_groups(const struct cl_options *options, size_t items, size_t group,
	struct error *err);

/* Whether --size is not given or a power of two within these. */
int check_size(const char *test, const struct cl_options *options,
	uint64_t least_bytes, uint64_t most_bytes, struct error *err);

/* What math has at least, unless the user chose. */
#define LEAST_ITEMS 1024

/* Numbers of work-items that are tried: first, then doubles up to most. */
struct items_range {
	size_t first, most;
};

/*
 * What the user chose and nothing else; or powers of two, from those wanted on
 * up to the best, which is one, as far as there is memory for them.
 */
struct items_range items_to_try(const struct cl_options *options, size_t wanted,
	size_t best, size_t held);

#endif
