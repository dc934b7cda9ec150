/*
 * Which platforms and devices there are, and what they say of themselves.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/icd.h"
#include "cl/session.h"
#include "util/text.h"

/* More than any machine has: what is beyond is left out. */
#define MOST_PLATFORMS 32
#define MOST_DEVICES   64

/* Of a string that an implementation gives. */
#define SAID_BYTES 1024

struct found {
	cl_device_id devices[MOST_PLATFORMS * MOST_DEVICES];
	size_t n;
};

/* What an implementation says, which may be anything. */
static json_t *said(char text[SAID_BYTES])
{
	text[SAID_BYTES - 1] = '\0';
	text_make_utf8(text);
	text_make_safe(text);
	for (char *c = text; (c = strpbrk(c, "\n\t"));)
		*c = ' ';
	return json_string(text);
}

/* A string that a device or platform has, which may end in blanks: or NULL. */
static json_t *device_text(cl_device_id device, cl_device_info what)
{
	char text[SAID_BYTES] = "";

	if (clGetDeviceInfo(device, what, sizeof(text), text, NULL))
		return json_null();
	return said(text);
}

static json_t *platform_text(cl_platform_id platform, cl_platform_info what)
{
	char text[SAID_BYTES] = "";

	if (clGetPlatformInfo(platform, what, sizeof(text), text, NULL))
		return json_null();
	return said(text);
}

/* Numbers of several widths: what the call does not write stays 0. */
static json_t *device_number(cl_device_id device, cl_device_info what)
{
	union {
		cl_uint narrow;
		cl_ulong wide;
	} value = {.wide = 0};
	size_t bytes = 0;

	if (clGetDeviceInfo(device, what, sizeof(value), &value, &bytes))
		return json_null();
	return json_integer(bytes == sizeof(cl_uint) ? (json_int_t)value.narrow
						     : (json_int_t)value.wide);
}

static const char *type_name(cl_device_type type)
{
	if (type & CL_DEVICE_TYPE_CPU)
		return "cpu";
	if (type & CL_DEVICE_TYPE_GPU)
		return "gpu";
	if (type & CL_DEVICE_TYPE_ACCELERATOR)
		return "accelerator";
	return "other";
}

static json_t *has_double(cl_device_id device)
{
	char text[8192] = "";

	if (clGetDeviceInfo(
		    device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL))
		return json_null();
	return json_boolean(strstr(text, "cl_khr_fp64") != NULL);
}

json_t *device_describe(cl_device_id device, unsigned index)
{
	static const struct {
		const char *key;
		cl_device_info what;
	} numbers[] = {
		{"compute_units", CL_DEVICE_MAX_COMPUTE_UNITS},
		{"clock_mhz", CL_DEVICE_MAX_CLOCK_FREQUENCY},
		{"global_bytes", CL_DEVICE_GLOBAL_MEM_SIZE},
		{"largest_buffer_bytes", CL_DEVICE_MAX_MEM_ALLOC_SIZE},
		{"local_bytes", CL_DEVICE_LOCAL_MEM_SIZE},
		{"constant_bytes", CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE},
		{"cache_bytes", CL_DEVICE_GLOBAL_MEM_CACHE_SIZE},
		{"cache_line_bytes", CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE},
		{"work_group_max", CL_DEVICE_MAX_WORK_GROUP_SIZE},
	};
	cl_platform_id platform = NULL;
	cl_device_type type = 0;
	cl_bool images = CL_FALSE;
	json_t *object;

	clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id),
		&platform, NULL);
	clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
	clGetDeviceInfo(
		device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL);
	object = json_pack("{s:i, s:o, s:s, s:o, s:o, s:o, s:o, s:b, s:o}",
		"index", (int)index, "name",
		device_text(device, CL_DEVICE_NAME), "type", type_name(type),
		"platform", platform_text(platform, CL_PLATFORM_NAME),
		"platform_version",
		platform_text(platform, CL_PLATFORM_VERSION), "version",
		device_text(device, CL_DEVICE_VERSION), "driver",
		device_text(device, CL_DRIVER_VERSION), "images", images,
		"double", has_double(device));
	for (size_t i = 0; object && i < sizeof(numbers) / sizeof(*numbers);
		i++)
		json_object_set_new(object, numbers[i].key,
			device_number(device, numbers[i].what));
	return object;
}

/* Nobody installed one, or those that are there are of no use. */
static int none(const json_t *broken, struct error *err)
{
	const char *first = json_string_value(json_array_get(broken, 0));
	char there[512], why[1024];

	opencl_list_implementations(there, sizeof(there));
	if (first)
		snprintf(why, sizeof(why), "%s", first);
	else if (*there)
		snprintf(why, sizeof(why),
			"what is installed (%s) loads, and finds none: is its "
			"hardware here, its driver running, may you use it?",
			there);
	else
		snprintf(why, sizeof(why),
			"install an implementation for the CPU (package "
			"pocl-opencl-icd on Debian, pocl elsewhere) or your "
			"GPU's");
	return error_set(err, ERROR_UNAVAILABLE, ENODEV,
		"there is no OpenCL device here: %s", why);
}

static void warn_of(cl_platform_id platform, cl_int code, json_t *warnings)
{
	json_t *name = platform_text(platform, CL_PLATFORM_NAME);
	const char *text = json_string_value(name);
	const char *known = session_code_name(code);

	json_array_append_new(warnings,
		json_sprintf("platform '%s' cannot list its devices: %s (%d)",
			text ? text : "without a name",
			known ? known : "OpenCL error", code));
	json_decref(name);
}

/*
 * Platforms in the loader's order, their devices in their own. warnings is NULL
 * where something is measured: libraries that are of no use stay out.
 */
static int find_all(struct found *found, json_t *warnings, struct error *err)
{
	cl_platform_id platforms[MOST_PLATFORMS];
	cl_uint n = 0;
	cl_int code = clGetPlatformIDs(MOST_PLATFORMS, platforms, &n);

	if (warnings)
		icd_list_broken(warnings);
	if (code || n == 0)
		return none(warnings, err);
	if (n > MOST_PLATFORMS)
		n = MOST_PLATFORMS;
	for (cl_uint i = 0; i < n; i++) {
		cl_device_id *room = found->devices + found->n;
		cl_uint m = 0;

		code = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL,
			MOST_DEVICES, room, &m);
		if (code && code != CL_DEVICE_NOT_FOUND)
			warn_of(platforms[i], code, warnings);
		if (!code)
			found->n += m < MOST_DEVICES ? m : MOST_DEVICES;
	}
	return found->n > 0 ? 0 : none(warnings, err);
}

int opencl_list_devices(json_t **devices, json_t *warnings, struct error *err)
{
	struct found *found = calloc(1, sizeof(*found));
	json_t *array = json_array();
	int rc = 0;

	if (!found || !array)
		rc = error_no_memory(err, "the list of devices");
	else
		rc = find_all(found, warnings, err);
	for (size_t i = 0; rc == 0 && i < found->n; i++) {
		if (json_array_append_new(array,
			    device_describe(found->devices[i], (unsigned)i)))
			rc = error_no_memory(err, "the list of devices");
	}
	free(found);
	if (rc == 0)
		*devices = array;
	else
		json_decref(array);
	return rc;
}

int device_find(unsigned index, cl_device_id *device, struct error *err)
{
	struct found *found = calloc(1, sizeof(*found));
	int rc = found ? find_all(found, NULL, err)
		       : error_no_memory(err, "the list of devices");

	if (rc == 0 && index >= found->n)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--device: there is no device %u, the last is %zu "
			"('c2c cl list' tells all)",
			index, found->n - 1);
	if (rc == 0)
		*device = found->devices[index];
	free(found);
	return rc;
}
