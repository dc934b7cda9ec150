/*
 * Whether the numbers show a partition: the test that a level must pass.
 */
#ifndef C2C_ANALYZE_VISIBLE_H
#define C2C_ANALYZE_VISIBLE_H

#include "analyze/square.h"

/* How a partition shows, over the groups of two units and more. */
struct visibility {
	float inside;  /* median of the cells inside groups */
	float between; /* and between groups of one parent */
	float gain;    /* share of the cost outside that a group saves */
	float grouped; /* share of units in a group with others */
	float fit;     /* share of grouped units that fit, 0 to 1 */
};

/*
 * Look at a partition of the units of square within the groups of parents.
 * Each parent is a union of groups. fits[n_units], if given, says whether each
 * unit fits; a unit alone in its group fits.
 */
struct visibility visible_measure(const struct square *square,
	const struct partition *partition, const struct partition *parents,
	unsigned char *fits, struct arena *arena);

#endif
