/*
 * What is set before the first call of OpenCL, and why.
 *
 * PoCL makes a worker for each CPU that the machine has, whatever this process
 * may use; a limit is POCL_MAX_PTHREAD_COUNT (until 4), POCL_CPU_MAX_CU_COUNT
 * (since). POCL_AFFINITY=1, which binds them, takes CPUs from 0 on whatever
 * taskset says, and ends the process when there are fewer: c2c binds the
 * workers itself (workers.c). POCL_CACHE_DIR: kernels that another version
 * compiled are not run by mistake, and nothing is left behind.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/cl.h"
#include "util/text.h"

/* What users set that changes what is measured, for the record. */
static const char *const told[] = {
	"CUDA_VISIBLE_DEVICES",
	"OCL_ICD_FILENAMES",
	"OCL_ICD_VENDORS",
	"OPENCL_VENDOR_PATH",
	"POCL_AFFINITY",
	"POCL_DEVICES",
	"POCL_KERNEL_CACHE",
	"POCL_MAX_WORK_GROUP_SIZE",
	"POCL_MEMORY_LIMIT",
	"POCL_VECTORIZER_REMARKS",
	"POCL_WORK_GROUP_METHOD",
	"RUSTICL_ENABLE",
};

static int note(json_t *set, const char *name, const char *value,
	const char *by, struct error *err)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s", value);
	text_make_utf8(text);
	if (json_array_append_new(set, json_pack("{s:s, s:s, s:s}", "name",
					       name, "value", text, "by", by)))
		return error_no_memory(err, "the environment");
	return 0;
}

/* Unless the user did. */
static int set_one(
	json_t *set, const char *name, const char *value, struct error *err)
{
	const char *there = getenv(name);

	if (there)
		return note(set, name, there, "user", err);
	if (setenv(name, value, 0) != 0)
		return error_no_memory(err, "the environment");
	return note(set, name, value, "c2c", err);
}

int opencl_set_environment(const struct cpu_list *cpus, const char *folder,
	json_t **set, struct error *err)
{
	json_t *array = json_array();
	char count[24];
	int rc;

	snprintf(count, sizeof(count), "%zu", cpus->n);
	if (!array)
		return error_no_memory(err, "the environment");
	rc = set_one(array, "POCL_MAX_PTHREAD_COUNT", count, err);
	if (rc == 0)
		rc = set_one(array, "POCL_CPU_MAX_CU_COUNT", count, err);
	if (rc == 0)
		rc = set_one(array, "POCL_CACHE_DIR", folder, err);
	for (size_t i = 0; rc == 0 && i < sizeof(told) / sizeof(*told); i++) {
		const char *value = getenv(told[i]);

		if (value)
			rc = note(array, told[i], value, "user", err);
	}
	if (rc == 0)
		*set = array;
	else
		json_decref(array);
	return rc;
}
