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
 * Return only the user's number, or else the powers of two from wanted to best
 * that memory can hold. best is a power of two.
 */
struct items_range math_items_to_try(const struct test_options *options,
	size_t wanted, size_t best, size_t held);

/* Work-groups to try: from least, doubled up to most. */
struct group_range {
	size_t least, most;
	bool between; /* arithmetic also tries sizes between these */
};

/*
 * Return only the user's group, or else the article's groups that divide the
 * items and that the device allows. With --quick return only the largest group.
 * items 0 stands for any power of two.
 */
struct group_range math_groups_to_try(
	const struct test_options *options, size_t max_group, size_t items);

/*
 * Return whether that many tries take seconds instead of minutes. The first run
 * of each try takes longer_s longer than other runs.
 */
bool math_search_pays(double longer_s, size_t tries);

#endif
