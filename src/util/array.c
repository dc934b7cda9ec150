#include "util/array.h"

#include <stdlib.h>
#include <string.h>

bool array_resize(void *array, size_t n, size_t size)
{
	void *old, *items;

	memcpy(&old, array, sizeof(old));
	items = reallocarray(old, n ? n : 1, size);
	if (items)
		memcpy(array, &items, sizeof(items));
	return items;
}

bool array_grow(void *array, size_t n, size_t size)
{
	return (n & (n - 1)) != 0 || array_resize(array, n ? 2 * n : 1, size);
}
