/*
 * Rows of an array read in vectors, beside the native loop. Private to
 * src/cl/rowcol.c.
 */
#ifndef C2C_CL_ROWS_H
#define C2C_CL_ROWS_H

#include "cl/sweep.h"

/* Parts of its page. */
enum rowcol_part {
	ROWCOL_READ,
	ROWCOL_WRITE,
	ROWCOL_VECTORS,
	ROWCOL_RATIO,
};

/*
 * Read a square of side x side words on a CPU device: into the curve "row,
 * vectors" of what, which label names, and a finding on its share of what the
 * CPUs do natively. ceiling is that of reading this array. It advances the
 * session by as much as the array has bytes.
 */
void rows_measure(struct session *session, const char *label, size_t side,
	struct ceiling *ceiling);

#endif
