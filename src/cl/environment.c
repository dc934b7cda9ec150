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
#include <ctype.h>
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

static void note(
	struct record *set, const char *name, const char *value, const char *by)
{
	struct facts row = {0};
	char text[4096];

	snprintf(text, sizeof(text), "%s", value);
	for (char *c = text; *c; c++)
		*c = iscntrl((unsigned char)*c) ? ' ' : *c;
	text_make_utf8(text);
	facts_set_text(&row, "name", name);
	facts_set_text(&row, "value", text);
	facts_set_text(&row, "by", by);
	record_add(set, "environment", &row);
}

/* Unless the user did. */
static void set_one(struct record *set, const char *name, const char *value)
{
	const char *there = getenv(name);

	note(set, name, there ? there : value, there ? "user" : "c2c");
	if (!there && setenv(name, value, 0) != 0)
		set->facts.failed = true;
}

int opencl_set_environment(const struct cpu_list *cpus, const char *folder,
	struct record *set, struct error *err)
{
	char count[24];

	snprintf(count, sizeof(count), "%zu", cpus->n);
	set_one(set, "POCL_MAX_PTHREAD_COUNT", count);
	set_one(set, "POCL_CPU_MAX_CU_COUNT", count);
	set_one(set, "POCL_CACHE_DIR", folder);
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		const char *value = getenv(told[i]);

		if (value)
			note(set, told[i], value, "user");
	}
	return set->facts.failed ? error_no_memory(err, "the environment") : 0;
}
