/*
 * For clang-tidy only: error_set() always returns a negative value, which the
 * analyzer cannot see across files. Without this it follows paths on which a
 * function has failed and yet returned 0.
 */
#include "util/error.h"

#define error_set(...)	     (error_set(__VA_ARGS__), -1)
#define error_no_memory(...) (error_no_memory(__VA_ARGS__), -1)
