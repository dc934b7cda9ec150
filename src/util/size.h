/*
 * The larger and the smaller of two sizes.
 */
#ifndef C2C_SIZE_H
#define C2C_SIZE_H

#include <stddef.h>

static inline size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

#endif
