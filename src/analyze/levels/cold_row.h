/* Corrects a CPU that was slow while it was measured. Pure. */
#ifndef C2C_COLD_ROW_H
#define C2C_COLD_ROW_H

#include "analyze/cost_matrix.h"
#include "analyze/levels/level_constants.h"

/*
 * If the whole row of one CPU costs more than the rows of its nearest CPUs,
 * replace *matrix by a copy from which the excess is subtracted.
 */
void cold_row_correct(struct cost_matrix *matrix,
	const struct level_constants *constants, struct arena *arena);

#endif
