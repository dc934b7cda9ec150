/*
 * Orders CPUs independently of their numbers. Pure; any thread may call these
 * functions.
 */
#ifndef C2C_ROW_ORDER_H
#define C2C_ROW_ORDER_H

#include "analyze/cost_matrix.h"

/*
 * Fill order[n] with the units in an order that depends on costs alone: the
 * lowest mean of a row first. If means are equal, the contents of the rows
 * decide, next the rows of the other units, and so on. Units without any
 * difference stay in the order of their numbers.
 */
void row_order_find(
	const struct cost_matrix *matrix, uint32_t *order, struct arena *arena);

/* Fill *ordered with the costs between the units order[ordered->n]. */
void row_order_apply(const struct cost_matrix *matrix, const uint32_t *order,
	struct cost_matrix *ordered);

#endif
