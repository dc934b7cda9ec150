/*
 * The nested levels of a machine: which partitions its costs show.
 */
#ifndef C2C_ANALYZE_LEVELS_H
#define C2C_ANALYZE_LEVELS_H

#include <stdbool.h>

#include "analyze/square.h"
#include "analyze/visible.h"

struct level {
	struct partition partition; /* of the CPUs */
	struct visibility visibility;
	unsigned char *fits; /* [n CPUs] */
	double chance;	     /* share of deals of chance as good as this */
	double confidence;
};

/* More levels than any machine has; a bound on what noise can produce. */
#define LEVELS_MAX 16

/* From the innermost outwards; each one's groups are unions of the last's. */
struct levels {
	struct level levels[LEVELS_MAX];
	size_t n;
};

/*
 * Without test_chance no level is held against chance, and confidence says only
 * how well it fits: for repeats.
 */
void levels_find(const struct square *square, bool test_chance,
	struct levels *levels, struct arena *arena);

#endif
