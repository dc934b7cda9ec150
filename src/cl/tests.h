/*
 * Declarations for the table of tests. Private to src/cl.
 */
#ifndef C2C_TESTS_H
#define C2C_TESTS_H

#include "cl/cl.h"

/* Group size of the article's tests that state none. */
#define ARTICLE_GROUP 32

/* Add to an out-of-memory error what the user can do about it. */
void test_add_memory_remedy(const struct test *test, struct error *err);

#endif
