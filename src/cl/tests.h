/*
 * The tests, for their table. Private to src/cl.
 */
#ifndef C2C_TESTS_H
#define C2C_TESTS_H

#include "cl/cl.h"

/* Of all tests of the article that name no other. */
#define ARTICLE_GROUP 32

extern const struct test test_banks;
extern const struct test test_branch;
extern const struct test test_bus;
extern const struct test test_cache;
extern const struct test test_constant;
extern const struct test test_formats;
extern const struct test test_image;
extern const struct test test_incore;
extern const struct test test_latency;
extern const struct test test_launch;
extern const struct test test_local;
extern const struct test test_math;
extern const struct test test_peak;
extern const struct test test_roofline;
extern const struct test test_rowcol;
extern const struct test test_scale;
extern const struct test test_stream;
extern const struct test test_stride;
extern const struct test test_svm;

/* Add to an out-of-memory error what the user can do. */
void tell_memory_remedy(const struct test *test, struct error *err);

#endif
