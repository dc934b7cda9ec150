/* A CPU that was slow while it was measured. Pure. */
#ifndef C2C_COLD_ROW_H
#define C2C_COLD_ROW_H

#include "analyze/cost_matrix.h"
#include "analyze/levels/constants.h"

/*
 * If the whole rows of very few CPUs cost more than those of the CPUs nearest
 * to them, make *matrix another one, without that. True if there were any.
 */
bool cold_row_correct(struct cost_matrix *matrix,
	const struct level_constants *constants, struct arena *arena);

#endif
