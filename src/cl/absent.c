/* This file replaces all of src/cl in a build without OpenCL. */
#include <errno.h>
#include <stddef.h>

#include "cl/cl.h"

const struct test *const test_table[] = {
	NULL,
};

const char *const test_group_names[GROUPS] = {
	[GROUP_SUITE] = "suite", [GROUP_MEMORY] = "memory"};

const struct test *test_find(const char *name)
{
	(void)name;
	return NULL;
}

int opencl_available(struct error *err)
{
	return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
		"this c2c was built without OpenCL: install the loader "
		"(package ocl-icd-opencl-dev on Debian, ocl-icd-devel on "
		"Fedora, ocl-icd on Arch, opencl-icd-loader-dev on Alpine) "
		"and build again, without --without-opencl");
}

int opencl_set_environment(const struct cpu_list *cpus, const char *folder,
	struct record *set, struct error *err)
{
	(void)cpus;
	(void)folder;
	(void)set;
	return opencl_available(err);
}

char *opencl_list_implementations(void)
{
	return NULL;
}

int opencl_list_devices(struct record *record, struct error *err)
{
	(void)record;
	return opencl_available(err);
}

int test_run(const struct test *test, const struct test_options *options,
	const struct machine *machine, struct result *result,
	struct record *record, struct error *err)
{
	(void)test;
	(void)options;
	(void)machine;
	(void)result;
	(void)record;
	return opencl_available(err);
}

void tests_compile(const struct test_to_compile *tests, size_t n,
	const struct test_options *options, const struct machine *machine,
	struct record *found)
{
	(void)tests;
	(void)n;
	(void)options;
	(void)machine;
	(void)found;
}
