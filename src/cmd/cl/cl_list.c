/* Find the devices that --device means, and their names. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cl/cl_summary.h"
#include "cmd/cl/cmd_cl.h"
#include "util/parse.h"
#include "util/text.h"

/* Length of a name in the titles of curves. */
#define NAME_BYTES 24

static int device_index(const struct facts *device)
{
	/* A record may contain any number as the index. */
	return (int)fmin(fmax(facts_number(device, "index"), 0), INT_MAX);
}

void cl_name_device(const struct facts *device, char name[CL_NAME_BYTES])
{
	const char *text = fact_or_unknown(device, "name");
	size_t n = strlen(text);

	if (n > NAME_BYTES) {
		/* Do not cut a UTF-8 character in two. */
		for (n = NAME_BYTES; n > 0 && (text[n] & 0xc0) == 0x80;)
			n--;
	}
	snprintf(name, CL_NAME_BYTES, "device %d (%.*s%s)",
		device_index(device), (int)n, text, text[n] ? "..." : "");
}

static bool is_device(const struct facts *device, const char *wanted)
{
	uint64_t index;

	if (parse_u64(wanted, 0, UINT32_MAX, &index, NULL) == 0)
		return (uint64_t)device_index(device) == index;
	if (strcmp(wanted, "cpu") == 0 || strcmp(wanted, "gpu") == 0)
		return strcmp(fact_or_unknown(device, "type"), wanted) == 0;
	/* An empty text would match every name. */
	return *wanted && strcasestr(fact_or_unknown(device, "name"), wanted);
}

static int refuse_unknown_device(const struct record_list *devices,
	const char *wanted, struct error *err)
{
	/* A missing type is unavailable; a wrong name is a usage error. */
	bool cpu = strcmp(wanted, "cpu") == 0;
	bool type = cpu || strcmp(wanted, "gpu") == 0;
	struct text_list list = {.text = NULL};
	char *known;

	for (size_t i = 0; i < devices->n; i++) {
		const struct facts device = record_list_row(devices, i);

		text_list_add(&list, ", ", "%zu (%s)", i,
			fact_or_unknown(&device, "name"));
	}
	known = text_list_end(&list);
	error_set(err, type ? ERROR_UNAVAILABLE : ERROR_USAGE,
		type ? ENODEV : EINVAL,
		"--device: there is no %s%s%s here; there are: %s%s",
		type ? "" : "device '", wanted, type ? " device" : "'",
		known ? known : "others",
		cpu    ? "; on Debian the package pocl-opencl-icd makes the "
			 "CPU a device"
		: type ? "; install the OpenCL driver of the GPU"
		       : "");
	free(known);
	return -err->code;
}

bool cl_has_several_devices(const struct cl_state *state)
{
	return state->n_chosen > 1;
}

int cl_choose_devices(struct cl_state *state, struct error *err)
{
	const struct record_list devices =
		record_find_list(&state->found, "devices");
	const char *wanted = state->arguments->device;
	bool all = strcmp(wanted, "all") == 0;

	state->parts = calloc(devices.n + 1, sizeof(*state->parts));
	if (!state->parts)
		return error_no_memory(err, "the devices");
	for (size_t i = 0; i < devices.n && (all || state->n_chosen == 0);
		i++) {
		const struct facts device = record_list_row(&devices, i);

		if (all || is_device(&device, wanted))
			state->parts[state->n_chosen++].device = device;
	}
	if (state->n_chosen == 0)
		return refuse_unknown_device(&devices, wanted, err);
	if (state->arguments->cpus_text && !cl_has_several_devices(state) &&
		strcmp(fact_or_unknown(&state->parts->device, "type"), "cpu") !=
			0)
		return error_set(
			err, ERROR_USAGE, EINVAL, "--cpus is for CPU devices");
	return 0;
}
