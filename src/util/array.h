/*
 * The length of an array, and arrays that grow. `array` is the address of the
 * pointer to the first item. If memory runs out, the array does not change.
 */
#ifndef C2C_ARRAY_H
#define C2C_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Number of items of an array. It must not be a pointer. */
#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Resize an array to n items of `size` bytes; return false without memory. */
bool array_resize(void *array, size_t n, size_t size);

/*
 * Make room for one item after n items; return false without memory. The array
 * grows if n is a power of two, so all items must be added in this way.
 */
bool array_grow(void *array, size_t n, size_t size);

#endif
