/*
 * In place of all of src/cl, where c2c is built without OpenCL.
 */
#include <errno.h>
#include <stddef.h>

#include "cl/cl.h"

const struct cl_test *const cl_tests[] = {
	NULL,
};

const struct cl_test *cl_test_find(const char *name)
{
	(void)name;
	return NULL;
}

int cl_available(struct error *err)
{
	return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
		"this c2c was built without OpenCL: install the loader "
		"(package ocl-icd-opencl-dev on Debian, ocl-icd-devel on "
		"Fedora, ocl-icd on Arch, opencl-icd-loader-dev on Alpine) "
		"and build again, without --without-opencl");
}

int cl_set_environment(const struct cpu_list *cpus, const char *folder,
	json_t **set, struct error *err)
{
	(void)cpus;
	(void)folder;
	(void)set;
	return cl_available(err);
}

void cl_list_implementations(char *text, size_t bytes)
{
	(void)bytes;
	text[0] = '\0';
}

int cl_list(json_t **devices, json_t *warnings, struct error *err)
{
	(void)devices;
	(void)warnings;
	return cl_available(err);
}

int cl_run(const struct cl_test *test, const struct cl_options *options,
	const struct machine *machine, struct result *result, json_t *record,
	struct error *err)
{
	(void)test;
	(void)options;
	(void)machine;
	(void)result;
	(void)record;
	return cl_available(err);
}
