/* Find platforms and devices, and query their properties. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cl/session.h"

#include <CL/cl_ext.h>

#include "machine/files.h"

/* Largest number of platforms, and of devices in each; c2c ignores the rest. */
#define MOST_PLATFORMS 32
#define MOST_DEVICES   64

/* Constants of cl_nv_device_attribute_query, which headers lack. */
#define PCI_BUS_NV    0x4008
#define PCI_SLOT_NV   0x4009
#define PCI_DOMAIN_NV 0x400A

/* Length of a text that an implementation returns. */
#define DEVICE_TEXT_BYTES 1024

struct found_devices {
	cl_device_id devices[MOST_PLATFORMS * MOST_DEVICES];
	size_t n;
};

/* Store an implementation's text, made safe; NULL if code is an error. */
static void set_device_text(struct facts *facts, const char *key,
	char text[DEVICE_TEXT_BYTES], cl_int code)
{
	text[DEVICE_TEXT_BYTES - 1] = '\0';
	text_make_utf8(text);
	text_make_safe(text);
	for (char *c = text; (c = strpbrk(c, "\n\t"));)
		*c = ' ';
	facts_set_text(facts, key, code ? NULL : text);
}

/* Return a number of 4 or 8 bytes, or -1; unused bytes are 0. */
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
	/* Some implementations return the largest number for "no limit". */
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

static const struct {
	const char *key;
	bool of_platform;
	cl_uint what;
} texts[] = {
	{"name", false, CL_DEVICE_NAME},
	{"platform", true, CL_PLATFORM_NAME},
	{"platform_version", true, CL_PLATFORM_VERSION},
	{"version", false, CL_DEVICE_VERSION},
	{"driver", false, CL_DRIVER_VERSION},
};

bool device_extends(cl_device_id device, const char *extension)
{
	size_t bytes = 0;
	char *text;
	bool has;

	if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes))
		return false;
	text = calloc(1, bytes + 1);
	has = text &&
	      clGetDeviceInfo(
		      device, CL_DEVICE_EXTENSIONS, bytes, text, NULL) == 0 &&
	      files_has_word(text, extension);
	free(text);
	return has;
}

/* Return a small number that the device reports; 0: unknown. */
static unsigned device_unsigned(cl_device_id device, cl_device_info what)
{
	int64_t number = device_number(device, what);

	return number > 0 && number <= UINT32_MAX ? (unsigned)number : 0;
}

struct theory_device device_theory(cl_device_id device)
{
	struct theory_device theory = {
		.units = device_unsigned(device, CL_DEVICE_MAX_COMPUTE_UNITS),
		.clock_ghz =
			device_unsigned(device, CL_DEVICE_MAX_CLOCK_FREQUENCY) /
			1e3};

	if (device_extends(device, "cl_nv_device_attribute_query")) {
		theory.vendor = THEORY_NVIDIA;
		theory.major = device_unsigned(
			device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);
		theory.minor = device_unsigned(
			device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV);
	} else if (device_extends(device, "cl_amd_device_attribute_query")) {
		theory.vendor = THEORY_AMD;
		theory.simds = device_unsigned(
			device, CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD);
		theory.lanes =
			device_unsigned(device, CL_DEVICE_SIMD_WIDTH_AMD);
		theory.operations = device_unsigned(
			device, CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD);
		theory.banks =
			device_unsigned(device, CL_DEVICE_LOCAL_MEM_BANKS_AMD);
	}
	return theory;
}

/*
 * Return the PCI address. NVIDIA's slot ends with the 3 bits of the function.
 */
struct link_place device_link(cl_device_id device)
{
	cl_device_pci_bus_info_khr place;
	int64_t bus, slot, domain;

	if (device_extends(device, "cl_khr_pci_bus_info") &&
		clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR,
			sizeof(place), &place, NULL) == 0)
		return (struct link_place){true, place.pci_domain,
			place.pci_bus, place.pci_device, place.pci_function};
	if (!device_extends(device, "cl_nv_device_attribute_query"))
		return (struct link_place){0};
	bus = device_number(device, PCI_BUS_NV);
	slot = device_number(device, PCI_SLOT_NV);
	domain = device_number(device, PCI_DOMAIN_NV);
	if (bus < 0 || slot < 0)
		return (struct link_place){0};
	return (struct link_place){true, domain < 0 ? 0 : (unsigned)domain,
		(unsigned)bus, (unsigned)slot >> 3, (unsigned)slot & 7};
}

struct facts device_describe(cl_device_id device, unsigned index)
{
	cl_platform_id platform = NULL;
	cl_device_type type = 0;
	char text[8 * DEVICE_TEXT_BYTES] = "";
	struct facts facts = {0};

	clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id),
		&platform, NULL);
	clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
	facts_set_count(&facts, "index", index);
	facts_set_text(&facts, "type", type_name(type));
	for (size_t i = 0; i < N_OF(texts); i++) {
		cl_int code =
			texts[i].of_platform
				? clGetPlatformInfo(platform, texts[i].what,
					  DEVICE_TEXT_BYTES, text, NULL)
				: clGetDeviceInfo(device, texts[i].what,
					  DEVICE_TEXT_BYTES, text, NULL);

		set_device_text(&facts, texts[i].key, text, code);
	}
	facts_set_flag(&facts, "images",
		device_number(device, CL_DEVICE_IMAGE_SUPPORT) > 0);
	if (clGetDeviceInfo(
		    device, CL_DEVICE_EXTENSIONS, sizeof(text), text, NULL))
		facts_set_unknown(&facts, "double");
	else
		facts_set_flag(
			&facts, "double", strstr(text, "cl_khr_fp64") != NULL);
	for (size_t i = 0; i < N_OF(numbers); i++) {
		int64_t number = device_number(device, numbers[i].what);

		if (number < 0)
			facts_set_unknown(&facts, numbers[i].key);
		else
			facts_set_count(&facts, numbers[i].key, number);
	}
	return facts;
}

/*
 * Report an error: no implementation is installed, or no installed one works.
 */
static int fail_without_device(const struct record *record, struct error *err)
{
	const struct record_list broken = record_find_list(record, "warnings");
	char *there = opencl_list_implementations();
	char *why = NULL;
	int rc;

	if (broken.n > 0)
		why = text_format("%s", record_list_text(&broken, 0));
	else if (there && *there)
		why = text_format(
			"the installed implementation (%s) loads but finds no "
			"device: check its hardware, its driver and your "
			"permissions",
			there);
	rc = error_set(err, ERROR_UNAVAILABLE, ENODEV,
		"there is no OpenCL device here: %s",
		why ? why
		    : "install an implementation for the CPU (package "
		      "pocl-opencl-icd on Debian, pocl elsewhere) or for your "
		      "GPU");
	free(why);
	free(there);
	return rc;
}

static void warn_of_platform(
	cl_platform_id platform, cl_int code, struct record *record)
{
	const char *known = session_code_name(code), *name;
	struct facts facts = {0};
	char text[DEVICE_TEXT_BYTES] = "", *warning;

	set_device_text(&facts, "name", text,
		clGetPlatformInfo(
			platform, CL_PLATFORM_NAME, sizeof(text), text, NULL));
	name = facts_text(&facts, "name");
	warning = text_format("platform '%s' cannot list its devices: %s (%d)",
		name ? name : "without a name", known ? known : "OpenCL error",
		code);
	record_add_text(record, "warnings", warning);
	free(warning);
	facts_release(&facts);
}

/*
 * Find platforms in the order of the loader, and devices in the order of their
 * platform. Before a measurement, record is NULL, because broken libraries must
 * not disturb the measurement.
 */
static int find_all_devices(
	struct found_devices *found, struct record *record, struct error *err)
{
	cl_platform_id platforms[MOST_PLATFORMS];
	cl_uint n = 0;
	cl_int code = clGetPlatformIDs(MOST_PLATFORMS, platforms, &n);

	found->n = 0;
	if (record)
		icd_list_broken(record);
	if (n > MOST_PLATFORMS)
		n = MOST_PLATFORMS;
	for (cl_uint i = 0; i < n && code == 0; i++) {
		cl_device_id *room = found->devices + found->n;
		cl_uint m = 0;
		cl_int failed = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL,
			MOST_DEVICES, room, &m);

		if (failed && failed != CL_DEVICE_NOT_FOUND && record)
			warn_of_platform(platforms[i], failed, record);
		if (!failed)
			found->n += m < MOST_DEVICES ? m : MOST_DEVICES;
	}
	return found->n > 0 ? 0 : fail_without_device(record, err);
}

int opencl_list_devices(struct record *record, struct error *err)
{
	struct found_devices found;
	int rc = find_all_devices(&found, record, err);

	for (size_t i = 0; rc == 0 && i < found.n; i++) {
		struct facts device =
			device_describe(found.devices[i], (unsigned)i);

		record_add_row(record, "devices", &device);
	}
	if (rc == 0 && record->facts.failed)
		rc = error_no_memory(err, "the list of devices");
	return rc;
}

int device_find(unsigned index, cl_device_id *device, struct error *err)
{
	struct found_devices found;
	int rc = find_all_devices(&found, NULL, err);

	if (rc < 0)
		return rc;
	if (index >= found.n)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--device: there is no device %u; the last one is %zu "
			"('c2c cl list' shows all)",
			index, found.n - 1);
	*device = found.devices[index];
	return 0;
}
