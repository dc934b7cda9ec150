/*
 * Sizes that the test math tries; unit tests check these functions. Private to
 * math.c.
 */
#ifndef C2C_MATH_H
#define C2C_MATH_H

#include "cl/cl.h"

/* Work-groups to try: from least, doubled up to most. */
struct group_range {
	size_t least, most;
	bool between; /* also try the sizes between; functions always do */
};

/*
 * Return the user's group, if any. Otherwise return the article's groups that
 * divide `items` and that the device allows, with --quick only the largest.
 * `items` 0 stands for any power of two.
 */
struct group_range math_groups_to_try(
	const struct test_options *options, size_t max_group, size_t items);

#endif
