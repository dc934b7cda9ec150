/*
 * Set the environment before the first OpenCL call.
 *
 * PoCL makes a worker for each CPU of the machine, even for CPUs that this
 * process may not use. POCL_MAX_PTHREAD_COUNT (until version 4) and
 * POCL_CPU_MAX_CU_COUNT (since) limit the number of workers. POCL_AFFINITY=1
 * ignores the CPU affinity of this process, and aborts if the machine has fewer
 * CPUs than workers. c2c therefore binds the workers itself (workers.c). With
 * POCL_CACHE_DIR in a temporary folder, PoCL neither uses kernels of other
 * versions nor leaves files behind.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cl/cl.h"
#include "util/array.h"
#include "util/text.h"

/* Variables to record if set by the user. c2c itself sets the first three. */
static const char *const names[] = {
	"POCL_MAX_PTHREAD_COUNT",
	"POCL_CPU_MAX_CU_COUNT",
	"POCL_CACHE_DIR",
	"CL_CONFIG_CPU_VECTORIZER_MODE",
	"CUDA_DEVICE_ORDER",
	"CUDA_MANAGED_FORCE_DEVICE_ALLOC",
	"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
	"CUDA_VISIBLE_DEVICES",
	"DPCPP_CPU_CU_AFFINITY",
	"DPCPP_CPU_NUM_CUS",
	"DPCPP_CPU_PLACES",
	"GPU_DEVICE_ORDINAL",
	"GPU_ENABLE_WGP_MODE",
	"GPU_MAX_HW_QUEUES",
	"HSA_OVERRIDE_GFX_VERSION",
	"HSA_XNACK",
	"LP_NATIVE_VECTOR_WIDTH",
	"LP_NUM_THREADS",
	"OCL_ICD_FILENAMES",
	"OCL_ICD_VENDORS",
	"OPENCL_VENDOR_PATH",
	"POCL_AFFINITY",
	"POCL_CPU_LOCAL_MEM_SIZE",
	"POCL_DEVICES",
	"POCL_KERNEL_CACHE",
	"POCL_MAX_WORK_GROUP_SIZE",
	"POCL_MEMORY_LIMIT",
	"POCL_VECTORIZER_REMARKS",
	"POCL_WORK_GROUP_METHOD",
	"ROCR_VISIBLE_DEVICES",
	"RUSTICL_DEVICE_TYPE",
	"RUSTICL_ENABLE",
	"RUSTICL_FEATURES",
	"ZE_AFFINITY_MASK",
	"ZE_FLAT_DEVICE_HIERARCHY",
};

static void record_opencl_variable(
	struct record *set, const char *name, const char *value, const char *by)
{
	struct facts row = {0};
	char text[4096];

	snprintf(text, sizeof(text), "%s", value);
	for (char *c = text; *c; c++)
		if (text_is_control(*c))
			*c = ' ';
	text_make_utf8(text);
	facts_set_text(&row, "name", name);
	facts_set_text(&row, "value", text);
	facts_set_text(&row, "by", by);
	record_add_row(set, "environment", &row);
}

int opencl_set_environment(const struct cpu_list *cpus, const char *folder,
	struct record *set, struct error *err)
{
	char count[24];
	const char *const values[] = {count, count, folder};

	snprintf(count, sizeof(count), "%zu", cpus->n);
	for (size_t i = 0; i < N_OF(names); i++) {
		const char *there = getenv(names[i]);

		if (there) {
			record_opencl_variable(set, names[i], there, "user");
		} else if (i < N_OF(values)) {
			record_opencl_variable(set, names[i], values[i], "c2c");
			if (setenv(names[i], values[i], 0) != 0)
				set->facts.failed = true;
		}
	}
	return set->facts.failed ? error_no_memory(err, "the environment") : 0;
}
