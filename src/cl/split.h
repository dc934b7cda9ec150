/*
 * Work of the host that several threads share, because an array has millions of
 * words to write or to check. Private to src/cl.
 */
#ifndef C2C_SPLIT_H
#define C2C_SPLIT_H

#include <stddef.h>

/*
 * Do(context, part, first, end) for consecutive parts of n, by at most parts
 * threads, this one too, and wait until all are done. A part has at least
 * SPLIT_LEAST of n, and a number below the one that is returned. What cannot
 * have its own thread, the calling one does.
 */
size_t split_run(size_t n, size_t parts,
	void (*part_of)(void *context, size_t part, size_t first, size_t end),
	void *context);

#define SPLIT_MOST  64
#define SPLIT_LEAST ((size_t)1 << 15)

#endif
