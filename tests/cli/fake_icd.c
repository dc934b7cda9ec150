/*
 * An implementation of OpenCL with one device, whose names would harm a
 * terminal and are no UTF-8; or, as FAKE_ICD=fails says, of which the devices
 * cannot be listed.
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdlib.h>
#include <string.h>

static cl_int give(const void *value, size_t bytes, size_t room, void *at,
	size_t *bytes_given)
{
	if (bytes_given)
		*bytes_given = bytes;
	if (at && room < bytes)
		return CL_INVALID_VALUE;
	if (at)
		memcpy(at, value, bytes);
	return CL_SUCCESS;
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
	const cl_device_type type = CL_DEVICE_TYPE_ACCELERATOR;

	(void)device;
	switch (what) {
	case CL_DEVICE_NAME:
		return give_text("bad \377\033[31m\nname \303\251", room, at,
			bytes_given);
	case CL_DEVICE_TYPE:
		return give(&type, sizeof(type), room, at, bytes_given);
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
	const char *how = getenv("FAKE_ICD");

	if (how && strcmp(how, "fails") == 0)
		return CL_OUT_OF_HOST_MEMORY;
	if (type != CL_DEVICE_TYPE_ALL && type != CL_DEVICE_TYPE_ACCELERATOR)
		return CL_DEVICE_NOT_FOUND;
	if (n)
		*n = 1;
	if (at && room > 0)
		*at = &platform->device;
	return CL_SUCCESS;
}

static cl_icd_dispatch dispatch = {
	.clGetPlatformInfo = ask_platform,
	.clGetDeviceIDs = list_devices,
	.clGetDeviceInfo = ask_device,
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
