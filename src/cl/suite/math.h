/*
 * Sizes that the test math tries; unit tests check these functions. Private to
 * math.c.
 */
#ifndef C2C_MATH_H
#define C2C_MATH_H

#include "cl/cl.h"

/* Numbers of work-items to try: from first, doubled up to most. */
struct items_range {
	size_t first, most;
};

/*
 * Return the user's number, if any. Otherwise return the powers of two from
 * `wanted` to `best`, at most `held`, the number whose results fit into memory.
 * `best` is a power of two.
 */
struct items_range math_items_to_try(const struct test_options *options,
	size_t wanted, size_t best, size_t held);

/* Work-groups to try: from least, doubled up to most. */
struct group_range {
	size_t least, most;
	bool between; /* arithmetic also tries sizes between these */
};

/*
 * Return the user's group, if any. Otherwise return the article's groups that
 * divide `items` and that the device allows, with --quick only the largest.
 * `items` 0 stands for any power of two.
 */
struct group_range math_groups_to_try(
	const struct test_options *options, size_t max_group, size_t items);

#endif
