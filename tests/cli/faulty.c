/*
 * Preloaded, plants a fault in all kernels that a test measures, by FAULT:
 *
 *	faster	they seem to take an eighth of their time
 *	half	half of the work-groups run
 *	wrong	all words that the host reads differ in a bit
 *
 * or in a call: "alone" refuses contexts of several devices.
 */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FASTER	   8
#define NAME_BYTES 64
#define SECOND	   1000000000

typedef cl_int launch(cl_command_queue, cl_kernel, cl_uint, const size_t *,
	const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *);
typedef cl_int profile(cl_event, cl_profiling_info, size_t, void *, size_t *);
typedef cl_int finish(cl_command_queue);
typedef cl_context context(const cl_context_properties *, cl_uint,
	const cl_device_id *,
	void (*)(const char *, const void *, size_t, void *), void *, cl_int *);
typedef int tell(clockid_t, struct timespec *);
typedef void *map(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t,
	size_t, cl_uint, const cl_event *, cl_event *, cl_int *);
typedef cl_int map_shared(cl_command_queue, cl_bool, cl_map_flags, void *,
	size_t, cl_uint, const cl_event *, cl_event *);

/* Whether the kernel that was launched last is one that a test measures. */
static bool is_measured;

/* When it was launched, 0: it ended; and what the host's clock leaves out. */
static uint64_t launched_ns, hidden_ns;

static bool has_fault(const char *name)
{
	const char *fault = getenv("FAULT");

	return fault && strcmp(fault, name) == 0;
}

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static uint64_t ask(void)
{
	struct timespec at = {0};

	((tell *)real("clock_gettime"))(CLOCK_MONOTONIC_RAW, &at);
	return (uint64_t)at.tv_sec * SECOND + (uint64_t)at.tv_nsec;
}

int clock_gettime(clockid_t clock_id, struct timespec *tp)
{
	int code = ((tell *)real("clock_gettime"))(clock_id, tp);
	uint64_t ns = (uint64_t)tp->tv_sec * SECOND + (uint64_t)tp->tv_nsec;

	if (clock_id != CLOCK_MONOTONIC_RAW || hidden_ns == 0)
		return code;
	tp->tv_sec = (time_t)((ns - hidden_ns) / SECOND);
	tp->tv_nsec = (long)((ns - hidden_ns) % SECOND);
	return code;
}

cl_context clCreateContext(const cl_context_properties *properties,
	cl_uint num_devices, const cl_device_id *devices,
	void (*notify)(const char *, const void *, size_t, void *),
	void *user_data, cl_int *errcode_ret)
{
	context *call = (context *)real("clCreateContext");

	if (!has_fault("alone") || num_devices < 2)
		return call(properties, num_devices, devices, notify, user_data,
			errcode_ret);
	*errcode_ret = CL_OUT_OF_RESOURCES;
	return NULL;
}

cl_int clFinish(cl_command_queue command_queue)
{
	cl_int code = ((finish *)real("clFinish"))(command_queue);

	if (launched_ns > 0)
		hidden_ns += (ask() - launched_ns) / FASTER * (FASTER - 1);
	launched_ns = 0;
	return code;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel,
	cl_uint work_dim, const size_t *global_work_offset,
	const size_t *global_work_size, const size_t *local_work_size,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
	cl_event *event)
{
	launch *call = (launch *)real("clEnqueueNDRangeKernel");
	size_t items[2] = {
		global_work_size[0], work_dim > 1 ? global_work_size[1] : 1};
	size_t groups = items[0] / local_work_size[0];
	char name[NAME_BYTES] = "";

	clGetKernelInfo(
		kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
	/* Kernels of session.cl. */
	is_measured = strcmp(name, "work") != 0 && strcmp(name, "nothing") != 0;
	if (has_fault("half") && is_measured && groups > 1)
		items[0] = (groups + 1) / 2 * local_work_size[0];
	if (has_fault("faster") && is_measured)
		launched_ns = ask();
	return call(command_queue, kernel, work_dim, global_work_offset, items,
		local_work_size, num_events_in_wait_list, event_wait_list,
		event);
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name,
	size_t param_value_size, void *param_value,
	size_t *param_value_size_ret)
{
	profile *call = (profile *)real("clGetEventProfilingInfo");
	cl_int code = call(event, param_name, param_value_size, param_value,
		param_value_size_ret);
	cl_ulong start = 0, end;

	if (!has_fault("faster") || !is_measured || code ||
		param_name != CL_PROFILING_COMMAND_END)
		return code;
	code = call(
		event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL);
	memcpy(&end, param_value, sizeof(end));
	end = start + (end - start) / FASTER;
	memcpy(param_value, &end, sizeof(end));
	return code;
}

/* Change what the host maps to read it. */
static void change(void *memory, cl_map_flags flags, size_t bytes)
{
	cl_uint *words = (cl_uint *)memory;

	for (size_t i = 0; has_fault("wrong") && is_measured &&
			   flags == CL_MAP_READ && i < bytes / sizeof(*words);
		i++)
		words[i] ^= 1;
}

void *clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer,
	cl_bool blocking_map, cl_map_flags map_flags, size_t offset,
	size_t size, cl_uint num_events_in_wait_list,
	const cl_event *event_wait_list, cl_event *event, cl_int *errcode_ret)
{
	map *call = (map *)real("clEnqueueMapBuffer");
	void *memory = call(command_queue, buffer, blocking_map, map_flags,
		offset, size, num_events_in_wait_list, event_wait_list, event,
		errcode_ret);

	if (memory)
		change(memory, map_flags, size);
	return memory;
}

cl_int clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map,
	cl_map_flags flags, void *svm_ptr, size_t size,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
	cl_event *event)
{
	map_shared *call = (map_shared *)real("clEnqueueSVMMap");
	cl_int code = call(command_queue, blocking_map, flags, svm_ptr, size,
		num_events_in_wait_list, event_wait_list, event);

	if (!code)
		change(svm_ptr, flags, size);
	return code;
}
