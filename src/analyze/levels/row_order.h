/*
 * An order of CPUs that does not depend on how they are numbered. Pure; any
 * thread may call these.
 */
#ifndef C2C_ROW_ORDER_H
#define C2C_ROW_ORDER_H

#include "analyze/cost_matrix.h"

/*
 * Fill order[n] with the units in an order that the costs alone decide: by the
 * mean of their rows, the nearest first, then by what is in them, then by what
 * is in the rows that those cells lead to, and so on. Only units that no round
 * tells apart keep the order of their numbers.
 */
void row_order_find(
	const struct cost_matrix *matrix, uint32_t *order, struct arena *arena);

/* The matrix with its units in that order. */
void row_order_apply(const struct cost_matrix *matrix, const uint32_t *order,
	struct cost_matrix *ordered, struct arena *arena);

#endif
