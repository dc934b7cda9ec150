/*
 * The parts of rowcol: the squares to measure (squares.c), and rows in vectors
 * (rows.c). Private to rowcol.
 */
#ifndef C2C_ROWCOL_H
#define C2C_ROWCOL_H

#include "cl/sweep.h"

/* Words in a row of the smallest square and of the largest. */
#define SQUARE_LEAST ((size_t)512)
#define SQUARE_MOST  ((size_t)32768)

/* Return log2 of a power of two. */
size_t rowcol_log(size_t n);

/* Return the words in a row of the largest square within bytes. */
size_t square_within(uint64_t bytes);

/*
 * Choose squares: half of the L2 caches, half of the last-level caches, and at
 * least four times the last-level caches. The last square is limited to a GiB
 * and to `most` words in a row. Return the number of squares.
 */
size_t squares_by_caches(const struct machine *machine,
	const struct cpu_list *cpus, size_t most, size_t sides[3]);

/*
 * Read a square of words on a CPU device in vectors. Add a curve named label,
 * and a finding with its share of the ceiling: the native rate of reading this
 * array. Add the array's bytes to the progress.
 */
void rows_measure(struct session *session, const char *label, size_t side,
	struct ceiling *ceiling);

#endif
