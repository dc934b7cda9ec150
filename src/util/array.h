/*
 * The length of an array, and arrays that grow. array is the address of the
 * pointer to the first item; an array that could not grow is as it was.
 */
#ifndef C2C_ARRAY_H
#define C2C_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* How many items an array has that is no pointer. */
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Room for n items of that size; false without memory. */
bool array_resize(void *array, size_t n, size_t size);

/*
 * Room for one item behind n others. The array grows at powers of two, which n
 * itself remembers: all its items are to be added this way.
 */
bool array_grow(void *array, size_t n, size_t size);

#endif
