/*
 * An order of CPUs that does not depend on their numbers. Pure; any thread may
 * call these.
 */
#ifndef C2C_ROW_ORDER_H
#define C2C_ROW_ORDER_H

#include "analyze/cost_matrix.h"

/*
 * Fill order[n] with the units in an order that the costs alone decide: by the
 * mean of their rows, the nearest first, then by what is in them, then by what
 * is in the rows that their cells lead to, and so on. Units that no round
 * distinguishes keep the order of their numbers.
 */
void row_order_find(
	const struct cost_matrix *matrix, uint32_t *order, struct arena *arena);

/* Set *ordered to the matrix with its units in this order. */
void row_order_apply(const struct cost_matrix *matrix, const uint32_t *order,
	struct cost_matrix *ordered, struct arena *arena);

#endif
