/*
 * Divide the host's work on arrays of millions of words among threads. Private
 * to src/cl.
 */
#ifndef C2C_SPLIT_H
#define C2C_SPLIT_H

#include <stddef.h>

/*
 * Split n items into consecutive ranges, call part_of(context, part, first,
 * end) for each, on at most `parts` threads including this one, and wait for
 * all. A part has at least SPLIT_LEAST items. Return the number of parts. The
 * caller does a part itself if its thread cannot start.
 */
size_t split_run(size_t n, size_t parts,
	void (*part_of)(void *context, size_t part, size_t first, size_t end),
	void *context);

#define SPLIT_MOST  64
#define SPLIT_LEAST ((size_t)1 << 15)

#endif
