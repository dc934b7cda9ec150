/*
 * The tests, for their table. Private to src/cl.
 */
#ifndef C2C_CL_TESTS_H
#define C2C_CL_TESTS_H

#include "cl/cl.h"

extern const struct cl_test cl_test_branch;
extern const struct cl_test cl_test_bus;
extern const struct cl_test cl_test_constant;
extern const struct cl_test cl_test_image;
extern const struct cl_test cl_test_local;
extern const struct cl_test cl_test_math;
extern const struct cl_test cl_test_rowcol;
extern const struct cl_test cl_test_scale;
extern const struct cl_test cl_test_stride;

/* To an error for want of memory add what a user can do. */
void tell_memory_remedy(const struct cl_test *test, struct error *err);

#endif
