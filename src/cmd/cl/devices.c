/*
 * Which devices of the list a user means, and how they are called.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cl/cl.h"
#include "util/parse.h"

/* Of a name, in the titles of curves. */
#define NAME_BYTES 24

static const char *text_of(const struct facts *device, const char *key)
{
	const char *text = facts_text(device, key);

	return text ? text : "?";
}

static int index_of(const struct facts *device)
{
	return (int)facts_number(device, "index");
}

bool cl_is_cpu(const struct facts *device)
{
	return strcmp(text_of(device, "type"), "cpu") == 0;
}

void cl_name_device(const struct facts *device, char name[CL_NAME_BYTES])
{
	const char *text = text_of(device, "name");
	size_t n = strlen(text);

	if (n > NAME_BYTES) {
		/* Not within a character of UTF-8. */
		for (n = NAME_BYTES; n > 0 && (text[n] & 0xc0) == 0x80;)
			n--;
	}
	snprintf(name, CL_NAME_BYTES, "device %d (%.*s%s)", index_of(device),
		(int)n, text, text[n] ? "..." : "");
}

static bool is_device(const struct facts *device, const char *wanted)
{
	uint64_t index;

	if (parse_u64(wanted, 0, UINT32_MAX, &index, NULL) == 0)
		return (uint64_t)index_of(device) == index;
	if (strcmp(wanted, "cpu") == 0 || strcmp(wanted, "gpu") == 0)
		return strcmp(text_of(device, "type"), wanted) == 0;
	/* An empty text is in every name. */
	return *wanted && strcasestr(text_of(device, "name"), wanted);
}

static int none(const struct record_list *devices, const char *wanted,
	struct error *err)
{
	/* A kind that is not here is the machine's lack, a name the user's. */
	bool cpu = strcmp(wanted, "cpu") == 0;
	bool kind = cpu || strcmp(wanted, "gpu") == 0;
	char known[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < devices->n; i++) {
		const struct facts device = record_row(devices, i);
		int n = snprintf(known + used, sizeof(known) - used,
			"%s%zu (%s)", i ? ", " : "", i,
			text_of(&device, "name"));

		used += n > 0 ? (size_t)n : 0;
		used = used < sizeof(known) ? used : sizeof(known) - 1;
	}
	return error_set(err, kind ? ERROR_UNAVAILABLE : ERROR_USAGE,
		kind ? ENODEV : EINVAL,
		"--device: there is no %s%s%s here; there are: %s%s",
		kind ? "" : "device '", wanted, kind ? " device" : "'", known,
		cpu    ? "; on Debian the package pocl-opencl-icd makes the "
			 "CPU a device"
		: kind ? "; a GPU's implementation comes with its driver"
		       : "");
}

int cl_choose_devices(const struct record_list *devices, const char *wanted,
	struct cl_part **parts, size_t *n, struct error *err)
{
	bool all = strcmp(wanted, "all") == 0;

	*n = 0;
	*parts = calloc(devices->n + 1, sizeof(**parts));
	if (!*parts)
		return error_no_memory(err, "the devices");
	for (size_t i = 0; i < devices->n && (all || *n == 0); i++) {
		const struct facts device = record_row(devices, i);

		if (all || is_device(&device, wanted))
			(*parts)[(*n)++].device = device;
	}
	return *n > 0 ? 0 : none(devices, wanted, err);
}
