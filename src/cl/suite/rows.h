/*
 * Rows of an array read in vectors, beside the native loop. Private to
 * src/cl/rowcol.c.
 */
#ifndef C2C_CL_ROWS_H
#define C2C_CL_ROWS_H

#include "cl/curves.h"

/* How far the test has come, in bytes of arrays. */
struct rowcol_work {
	double done, all;
	size_t at[2]; /* a curve of each access to the array at hand */
};

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
 * CPUs do natively. ceiling is that of reading such an array. To the work it
 * adds as much as the array has bytes.
 */
int rows_measure(struct cl_session *session, const char *label, size_t side,
	struct ceiling *ceiling, struct rowcol_work *work, struct error *err);

#endif
