/*
 * Which platforms and devices there are, and what they say of themselves.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/session.h"

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
static void set_said(
	struct facts *facts, const char *key, char text[SAID_BYTES])
{
	text[SAID_BYTES - 1] = '\0';
	text_make_utf8(text);
	text_make_safe(text);
	for (char *c = text; (c = strpbrk(c, "\n\t"));)
		*c = ' ';
	facts_set_text(facts, key, text);
}

static void set_device_text(struct facts *facts, const char *key,
	cl_device_id device, cl_device_info what)
{
	char text[SAID_BYTES] = "";

	if (clGetDeviceInfo(device, what, sizeof(text), text, NULL))
		facts_set_unknown(facts, key);
	else
		set_said(facts, key, text);
}

static void set_platform_text(struct facts *facts, const char *key,
	cl_platform_id platform, cl_platform_info what)
{
	char text[SAID_BYTES] = "";

	if (clGetPlatformInfo(platform, what, sizeof(text), text, NULL))
		facts_set_unknown(facts, key);
	else
		set_said(facts, key, text);
}

/* Numbers of several widths: what the call does not write stays 0. */
int64_t device_number(cl_device_id device, cl_device_info what)
{
	union {
		cl_uint narrow;
		cl_ulong wide;
	} value = {.wide = 0};
	size_t bytes = 0;

	if (clGetDeviceInfo(device, what, sizeof(value), &value, &bytes))
		return -1;
	if (bytes == sizeof(cl_uint))
		return (int64_t)value.narrow;
	/* Some implementations mean "no limit" by the largest number. */
	return value.wide < INT64_MAX ? (int64_t)value.wide : INT64_MAX;
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

struct facts device_describe(cl_device_id device, unsigned index)
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
	char extensions[8192] = "";
	struct facts facts = {0};

	clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id),
		&platform, NULL);
	clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
	clGetDeviceInfo(
		device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL);
	facts_set_count(&facts, "index", index);
	set_device_text(&facts, "name", device, CL_DEVICE_NAME);
	facts_set_text(&facts, "type", type_name(type));
	set_platform_text(&facts, "platform", platform, CL_PLATFORM_NAME);
	set_platform_text(
		&facts, "platform_version", platform, CL_PLATFORM_VERSION);
	set_device_text(&facts, "version", device, CL_DEVICE_VERSION);
	set_device_text(&facts, "driver", device, CL_DRIVER_VERSION);
	facts_set_flag(&facts, "images", images);
	if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(extensions),
		    extensions, NULL))
		facts_set_unknown(&facts, "double");
	else
		facts_set_flag(&facts, "double",
			strstr(extensions, "cl_khr_fp64") != NULL);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		int64_t number = device_number(device, numbers[i].what);

		if (number < 0)
			facts_set_unknown(&facts, numbers[i].key);
		else
			facts_set_count(&facts, numbers[i].key, number);
	}
	return facts;
}

/* Nobody installed one, or those that are there are of no use. */
static int none(const struct record *record, struct error *err)
{
	const struct record_list *broken = record_find(record, "warnings");
	char there[512], why[1024];

	opencl_list_implementations(there, sizeof(there));
	if (broken->n > 0)
		snprintf(why, sizeof(why), "%s", record_text(broken, 0));
	else if (*there)
		snprintf(why, sizeof(why),
			"the installed implementation (%s) loads but finds no "
			"device: check its hardware, its driver and your "
			"permissions",
			there);
	else
		snprintf(why, sizeof(why),
			"install an implementation for the CPU (package "
			"pocl-opencl-icd on Debian, pocl elsewhere) or for "
			"your GPU");
	return error_set(err, ERROR_UNAVAILABLE, ENODEV,
		"there is no OpenCL device here: %s", why);
}

static void warn_of(cl_platform_id platform, cl_int code, struct record *record)
{
	const char *known = session_code_name(code);
	struct facts facts = {0};
	const char *name;
	char text[SAID_BYTES + 128];

	set_platform_text(&facts, "name", platform, CL_PLATFORM_NAME);
	name = facts_text(&facts, "name");
	snprintf(text, sizeof(text),
		"platform '%s' cannot list its devices: %s (%d)",
		name ? name : "without a name", known ? known : "OpenCL error",
		code);
	record_say(record, "warnings", text);
	facts_release(&facts);
}

/*
 * Platforms in the loader's order, their devices in their own. record is NULL
 * where something is measured: libraries that are of no use stay out.
 */
static int find_all(
	struct found *found, struct record *record, struct error *err)
{
	cl_platform_id platforms[MOST_PLATFORMS];
	cl_uint n = 0;
	cl_int code = clGetPlatformIDs(MOST_PLATFORMS, platforms, &n);

	if (record)
		icd_list_broken(record);
	if (code || n == 0)
		return none(record, err);
	if (n > MOST_PLATFORMS)
		n = MOST_PLATFORMS;
	for (cl_uint i = 0; i < n; i++) {
		cl_device_id *room = found->devices + found->n;
		cl_uint m = 0;

		code = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL,
			MOST_DEVICES, room, &m);
		if (code && code != CL_DEVICE_NOT_FOUND && record)
			warn_of(platforms[i], code, record);
		if (!code)
			found->n += m < MOST_DEVICES ? m : MOST_DEVICES;
	}
	return found->n > 0 ? 0 : none(record, err);
}

int opencl_list_devices(struct record *record, struct error *err)
{
	struct found *found = calloc(1, sizeof(*found));
	int rc = found ? find_all(found, record, err)
		       : error_no_memory(err, "the list of devices");

	for (size_t i = 0; rc == 0 && i < found->n; i++) {
		struct facts device =
			device_describe(found->devices[i], (unsigned)i);

		record_add(record, "devices", &device);
	}
	free(found);
	if (rc == 0 && record->facts.failed)
		rc = error_no_memory(err, "the list of devices");
	return rc;
}

int device_find(unsigned index, cl_device_id *device, struct error *err)
{
	struct found *found = calloc(1, sizeof(*found));
	int rc = found ? find_all(found, NULL, err)
		       : error_no_memory(err, "the list of devices");

	if (rc == 0 && index >= found->n)
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--device: there is no device %u; the last one is %zu "
			"('c2c cl list' shows all)",
			index, found->n - 1);
	if (rc == 0)
		*device = found->devices[index];
	free(found);
	return rc;
}
