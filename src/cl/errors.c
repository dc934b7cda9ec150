/*
 * Names and remedies of OpenCL's error codes (specification 3.0, appendix E).
 */
#include <errno.h>
#include <stdio.h>

#include "cl/session.h"

struct opencl_error {
	cl_int code;
	const char *name;
	const char *remedy; /* NULL: no remedy */
};

#define CODE(code) (code), #code

static const struct opencl_error codes[] = {
	{CODE(CL_DEVICE_NOT_FOUND), NULL},
	{CODE(CL_DEVICE_NOT_AVAILABLE), "another program may hold the device"},
	{CODE(CL_COMPILER_NOT_AVAILABLE),
		"the platform cannot compile kernels: install its compiler "
		"too"},
	{CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE), "the device is out of memory"},
	{CODE(CL_OUT_OF_RESOURCES),
		"the device ran out of memory or reached another limit"},
	{CODE(CL_OUT_OF_HOST_MEMORY), "there is not enough memory"},
	{CODE(CL_BUILD_PROGRAM_FAILURE), NULL},
	{CODE(CL_INVALID_VALUE), NULL},
	{CODE(CL_INVALID_DEVICE), NULL},
	{CODE(CL_INVALID_BUFFER_SIZE),
		"the device refuses a buffer of that size"},
	{CODE(CL_INVALID_KERNEL_ARGS), NULL},
	{CODE(CL_INVALID_WORK_GROUP_SIZE),
		"the number of work-items must be a multiple of --work-group, "
		"which the device limits ('c2c cl list')"},
	{CODE(CL_INVALID_WORK_ITEM_SIZE), "choose a smaller --work-group"},
	{CODE(CL_INVALID_OPERATION), NULL},
	{CODE(CL_DEVICE_PARTITION_FAILED), NULL},
	{-1001, "CL_PLATFORM_NOT_FOUND_KHR", NULL},
};

static const struct opencl_error *find_opencl_error(cl_int code)
{
	for (size_t i = 0; i < N_OF(codes); i++) {
		if (codes[i].code == code)
			return &codes[i];
	}
	return NULL;
}

const char *session_code_name(cl_int code)
{
	const struct opencl_error *row = find_opencl_error(code);

	return row ? row->name : NULL;
}

int session_fail(struct session *session, cl_int code, const char *what)
{
	const struct opencl_error *row = find_opencl_error(code);
	bool memory = code == CL_OUT_OF_RESOURCES ||
		      code == CL_OUT_OF_HOST_MEMORY ||
		      code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
		      code == CL_INVALID_BUFFER_SIZE;
	char number[32];

	snprintf(number, sizeof(number), "OpenCL error %d", code);
	session_error(session, ERROR_FAILURE, memory ? ENOMEM : EIO,
		"%s: %s%s%s", what, row ? row->name : number,
		row && row->remedy ? "; " : "",
		row && row->remedy ? row->remedy : "");
	return session->rc;
}
