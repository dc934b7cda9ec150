/*
 * The table of tests. Another one is a file with its kernels beside it, a row
 * here, and a section of its manual page.
 */
#include "cl/tests.h"

#include <string.h>

const struct cl_test *const cl_tests[] = {
	&cl_test_rowcol,
	&cl_test_scale,
	&cl_test_stride,
	&cl_test_local,
	&cl_test_constant,
	&cl_test_image,
	&cl_test_bus,
	&cl_test_math,
	&cl_test_branch,
	NULL,
};

const struct cl_test *cl_test_find(const char *name)
{
	for (size_t i = 0; cl_tests[i]; i++) {
		if (strcmp(cl_tests[i]->name, name) == 0)
			return cl_tests[i];
	}
	return NULL;
}

int cl_available(struct error *err)
{
	(void)err;
	return 0;
}
