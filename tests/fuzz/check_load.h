/* What must hold for any input of the loaders; for tests/fuzz only. */
#ifndef C2C_TESTS_FUZZ_CHECK_LOAD_H
#define C2C_TESTS_FUZZ_CHECK_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Load data[n]. It must be refused with a printable message, or become a
 * result that can be written and loaded again without change. Returns NULL, or
 * what did not hold (static). *loaded says whether it was a result.
 */
const char *check_load(const void *data, size_t n, bool *loaded);

#endif
