/*
 * Average linkage: the tree that joins the two nearest clusters again and
 * again, where near is the mean distance between their members.
 */
#ifndef C2C_ANALYZE_LINKAGE_H
#define C2C_ANALYZE_LINKAGE_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/square.h"

/* Nodes 0 to n - 1 are the leaves; node n + k is the k-th entry. */
struct merge {
	uint32_t left, right;
	float height; /* the mean distance between left and right */
	uint32_t size;
};

/*
 * The tree over n leaves: merges[n - 1], children before parents. distance
 * [n * n] is symmetric, INFINITY where nothing is known, and is used up. A pair
 * of clusters without a single cell between them stands farthest. The chain of
 * nearest neighbours finds it in O(n^2) (Murtagh, The Computer Journal 26,
 * 1983).
 */
void linkage(
	float *distance, size_t n, struct merge *merges, struct arena *arena);

#endif
