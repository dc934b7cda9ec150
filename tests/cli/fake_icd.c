/*
 * An implementation of OpenCL with one device, whose names would harm a
 * terminal and are no UTF-8. FAKE_ICD=fails: its devices cannot be listed;
 * FAKE_ICD=opens: the device opens, but its compiler takes no kernel, and says
 * why at length. FAKE_ICD=hangs: its compiler does not come back.
 * FAKE_ICD=aborts: its compiler prints FAKE_SAYS and ends the process. The
 * device is an accelerator; FAKE_CPU=1: a CPU.
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "give.h"

#define LOG_LINES 100

static bool is_set_to(const char *how)
{
	const char *set = getenv("FAKE_ICD");

	return set && strcmp(set, how) == 0;
}

static cl_int give_text(
	const char *text, size_t room, void *at, size_t *bytes_given)
{
	return give(text, strlen(text) + 1, room, at, bytes_given);
}

static cl_int CL_API_CALL ask_platform(cl_platform_id platform,
	cl_platform_info what, size_t room, void *at, size_t *bytes_given)
{
	(void)platform;
	switch (what) {
	case CL_PLATFORM_NAME:
		return give_text("Fake caf\351", room, at, bytes_given);
	case CL_PLATFORM_EXTENSIONS:
		return give_text("cl_khr_icd", room, at, bytes_given);
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return give_text("FAKE", room, at, bytes_given);
	default:
		return give_text("OpenCL 1.2", room, at, bytes_given);
	}
}

static cl_int CL_API_CALL ask_device(cl_device_id device, cl_device_info what,
	size_t room, void *at, size_t *bytes_given)
{
	const cl_device_type type = getenv("FAKE_CPU")
					    ? CL_DEVICE_TYPE_CPU
					    : CL_DEVICE_TYPE_ACCELERATOR;
	const cl_uint units = 1;
	const cl_ulong bytes = 1 << 30;
	const size_t group = 256;

	(void)device;
	switch (what) {
	case CL_DEVICE_NAME:
		return give_text("bad \377\033[31m\nname \303\251", room, at,
			bytes_given);
	case CL_DEVICE_TYPE:
		return give(&type, sizeof(type), room, at, bytes_given);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
		return is_set_to("opens") || is_set_to("hangs") ||
				       is_set_to("aborts")
			       ? give(&units, sizeof(units), room, at,
					 bytes_given)
			       : CL_INVALID_VALUE;
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return give(&group, sizeof(group), room, at, bytes_given);
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
	case CL_DEVICE_GLOBAL_MEM_SIZE:
		return give(&bytes, sizeof(bytes), room, at, bytes_given);
	default:
		return CL_INVALID_VALUE;
	}
}

struct _cl_device_id {
	cl_icd_dispatch *dispatch;
};

struct _cl_platform_id {
	cl_icd_dispatch *dispatch;
	struct _cl_device_id device;
};

static cl_int CL_API_CALL list_devices(cl_platform_id platform,
	cl_device_type type, cl_uint room, cl_device_id *at, cl_uint *n)
{
	if (is_set_to("fails"))
		return CL_OUT_OF_HOST_MEMORY;
	if (type != CL_DEVICE_TYPE_ALL && type != CL_DEVICE_TYPE_ACCELERATOR)
		return CL_DEVICE_NOT_FOUND;
	if (n)
		*n = 1;
	if (at && room > 0)
		*at = &platform->device;
	return CL_SUCCESS;
}

struct _cl_context {
	cl_icd_dispatch *dispatch;
};

struct _cl_command_queue {
	cl_icd_dispatch *dispatch;
};

struct _cl_program {
	cl_icd_dispatch *dispatch;
};

static cl_icd_dispatch dispatch;
static struct _cl_context the_context = {&dispatch};
static struct _cl_command_queue the_queue = {&dispatch};
static struct _cl_program the_program = {&dispatch};

static cl_context CL_API_CALL create_context(
	const cl_context_properties *properties, cl_uint n,
	const cl_device_id *devices,
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
	void *context, cl_int *code)
{
	(void)properties;
	(void)n;
	(void)devices;
	(void)notify;
	(void)context;
	*code = CL_SUCCESS;
	return &the_context;
}

static cl_command_queue CL_API_CALL create_queue(cl_context context,
	cl_device_id device, cl_command_queue_properties properties,
	cl_int *code)
{
	(void)context;
	(void)device;
	(void)properties;
	*code = CL_SUCCESS;
	return &the_queue;
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint n,
	const char **texts, const size_t *lengths, cl_int *code)
{
	(void)context;
	(void)n;
	(void)texts;
	(void)lengths;
	*code = CL_SUCCESS;
	return &the_program;
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint n,
	const cl_device_id *devices, const char *flags,
	void(CL_CALLBACK *notify)(cl_program, void *), void *context)
{
	(void)program;
	(void)n;
	(void)devices;
	(void)flags;
	(void)notify;
	(void)context;
	if (is_set_to("aborts")) {
		fputs(getenv("FAKE_SAYS"), stderr);
		abort();
	}
	while (is_set_to("hangs"))
		pause();
	return CL_BUILD_PROGRAM_FAILURE;
}

static cl_int CL_API_CALL ask_build(cl_program program, cl_device_id device,
	cl_program_build_info what, size_t room, void *at, size_t *bytes_given)
{
	static const char line[] = "kernel:7:\n\t no caf\351\r\n";
	char log[LOG_LINES * sizeof(line)] = "";

	(void)program;
	(void)device;
	if (what != CL_PROGRAM_BUILD_LOG)
		return CL_INVALID_VALUE;
	for (int i = 0; i < LOG_LINES; i++)
		strcat(log, line);
	return give_text(log, room, at, bytes_given);
}

static cl_int CL_API_CALL release_context(cl_context context)
{
	(void)context;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
	(void)queue;
	return CL_SUCCESS;
}

static cl_int CL_API_CALL release_program(cl_program program)
{
	(void)program;
	return CL_SUCCESS;
}

static cl_icd_dispatch dispatch = {
	.clGetPlatformInfo = ask_platform,
	.clGetDeviceIDs = list_devices,
	.clGetDeviceInfo = ask_device,
	.clCreateContext = create_context,
	.clReleaseContext = release_context,
	.clCreateCommandQueue = create_queue,
	.clReleaseCommandQueue = release_queue,
	.clCreateProgramWithSource = create_program,
	.clReleaseProgram = release_program,
	.clBuildProgram = build_program,
	.clGetProgramBuildInfo = ask_build,
};

static struct _cl_platform_id the_platform = {&dispatch, {&dispatch}};

static cl_int CL_API_CALL list_platforms(
	cl_uint room, cl_platform_id *at, cl_uint *n)
{
	if (n)
		*n = 1;
	if (at && room > 0)
		*at = &the_platform;
	return CL_SUCCESS;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
		return (void *)list_platforms;
	if (strcmp(name, "clGetPlatformInfo") == 0)
		return (void *)ask_platform;
	return NULL;
}
