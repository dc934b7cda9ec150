/* Corrects a CPU that was slow while it was measured. Pure. */
#ifndef C2C_COLD_ROW_H
#define C2C_COLD_ROW_H

#include "analyze/cost_matrix.h"
#include "analyze/levels/level_constants.h"

/*
 * If the whole row of one CPU costs more than those of its nearest CPUs,
 * replace *matrix by one without that excess. True if there was one.
 */
bool cold_row_correct(struct cost_matrix *matrix,
	const struct level_constants *constants, struct arena *arena);

#endif
