/*
 * Preloaded, the first device says that it is an H200: a GPU of NVIDIA. Its
 * kernels run as before. It knows no OpenCL C of NVIDIA. It is on no bus, or
 * with ON_BUS in a slot of one. With MOST_LOCAL it gives a kernel no more local
 * memory than these bytes, whatever it says that it has. With NO_IMAGES it says
 * that it has no images, and with NO_DOUBLE no double: then no kernel with one
 * builds. SVM is what it says of shared virtual memory; "none": it does not
 * know the question. LARGEST_MIB is what it says of its largest buffer: less
 * memory takes less time. The kernel that only takes time, on all units at
 * once, does so on one of them: those that it says that it has would take turns
 * here.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "give.h"

/* Of OpenCL 2.0. */
#define SVM_CAPABILITIES 0x1053

/* Of cl_nv_device_attribute_query: the slot is 3, and its function 0. */
#define PCI_BUS_NV    0x4008
#define PCI_SLOT_NV   0x4009
#define PCI_DOMAIN_NV 0x400A

typedef cl_int set(cl_kernel, cl_uint, size_t, const void *);
typedef cl_program make(
	cl_context, cl_uint, const char **, const size_t *, cl_int *);
typedef cl_int build(cl_program, cl_uint, const cl_device_id *, const char *,
	void (*)(cl_program, void *), void *);
typedef cl_int launch(cl_command_queue, cl_kernel, cl_uint, const size_t *,
	const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *);
typedef cl_int ask(cl_device_id, cl_device_info, size_t, void *, size_t *);

static cl_int give_number(
	cl_uint number, size_t room, void *at, size_t *bytes_given)
{
	return give(&number, sizeof(number), room, at, bytes_given);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param_name,
	size_t param_value_size, void *param_value,
	size_t *param_value_size_ret)
{
	static const char name[] = "NVIDIA H200";
	static const char extensions[] =
		"cl_nv_device_attribute_query cl_khr_fp64";
	static const char no_double[] = "cl_nv_device_attribute_query";
	const cl_device_type type = CL_DEVICE_TYPE_GPU;
	ask *real = (ask *)dlsym(RTLD_NEXT, "clGetDeviceInfo");
	const char *svm = getenv("SVM");
	const char *largest = getenv("LARGEST_MIB");
	cl_bitfield shares;
	cl_ulong bytes;

	switch (param_name) {
	case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
		if (!largest)
			return real(device, param_name, param_value_size,
				param_value, param_value_size_ret);
		bytes = strtoul(largest, NULL, 10) << 20;
		return give(&bytes, sizeof(bytes), param_value_size,
			param_value, param_value_size_ret);
	case CL_DEVICE_IMAGE_SUPPORT:
		if (getenv("NO_IMAGES"))
			return give_number(CL_FALSE, param_value_size,
				param_value, param_value_size_ret);
		return real(device, param_name, param_value_size, param_value,
			param_value_size_ret);
	case CL_DEVICE_DOUBLE_FP_CONFIG:
		if (getenv("NO_DOUBLE"))
			return give(&(cl_device_fp_config){0},
				sizeof(cl_device_fp_config), param_value_size,
				param_value, param_value_size_ret);
		return real(device, param_name, param_value_size, param_value,
			param_value_size_ret);
	case SVM_CAPABILITIES:
		if (svm && strcmp(svm, "none") == 0)
			return CL_INVALID_VALUE;
		if (!svm)
			return real(device, param_name, param_value_size,
				param_value, param_value_size_ret);
		shares = strtoul(svm, NULL, 10);
		return give(&shares, sizeof(shares), param_value_size,
			param_value, param_value_size_ret);
	case PCI_BUS_NV:
	case PCI_SLOT_NV:
	case PCI_DOMAIN_NV:
		if (!getenv("ON_BUS"))
			return CL_INVALID_VALUE;
		return give_number(param_name == PCI_BUS_NV    ? 0x3b
				   : param_name == PCI_SLOT_NV ? 3 << 3
							       : 0,
			param_value_size, param_value, param_value_size_ret);
	case CL_DEVICE_TYPE:
		return give(&type, sizeof(type), param_value_size, param_value,
			param_value_size_ret);
	case CL_DEVICE_NAME:
		return give(name, sizeof(name), param_value_size, param_value,
			param_value_size_ret);
	case CL_DEVICE_EXTENSIONS:
		if (getenv("NO_DOUBLE"))
			return give(no_double, sizeof(no_double),
				param_value_size, param_value,
				param_value_size_ret);
		return give(extensions, sizeof(extensions), param_value_size,
			param_value, param_value_size_ret);
	case CL_DEVICE_MAX_COMPUTE_UNITS:
		return give_number(132, param_value_size, param_value,
			param_value_size_ret);
	case CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return give(&(size_t){1024}, sizeof(size_t), param_value_size,
			param_value, param_value_size_ret);
	case CL_DEVICE_MAX_CLOCK_FREQUENCY:
		return give_number(1980, param_value_size, param_value,
			param_value_size_ret);
	case CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV:
		return give_number(
			9, param_value_size, param_value, param_value_size_ret);
	case CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV:
		return give_number(
			0, param_value_size, param_value, param_value_size_ret);
	default:
		return real(device, param_name, param_value_size, param_value,
			param_value_size_ret);
	}
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
	const void *arg_value)
{
	const char *most = getenv("MOST_LOCAL");
	set *real = (set *)dlsym(RTLD_NEXT, "clSetKernelArg");

	if (!arg_value && most && arg_size > strtoul(most, NULL, 10))
		return CL_OUT_OF_RESOURCES;
	return real(kernel, arg_index, arg_size, arg_value);
}

/* c2c makes a program of one text, whose types may come with the options. */
cl_program clCreateProgramWithSource(cl_context context, cl_uint count,
	const char **strings, const size_t *lengths, cl_int *errcode_ret)
{
	const char *none = "#error no double\n";
	make *real = (make *)dlsym(RTLD_NEXT, "clCreateProgramWithSource");

	if (getenv("NO_DOUBLE") && strstr(strings[0], "double"))
		return real(context, 1, &none, NULL, errcode_ret);
	return real(context, count, strings, lengths, errcode_ret);
}

cl_int clBuildProgram(cl_program program, cl_uint num_devices,
	const cl_device_id *device_list, const char *options,
	void (*pfn_notify)(cl_program, void *), void *user_data)
{
	build *real = (build *)dlsym(RTLD_NEXT, "clBuildProgram");

	if (getenv("NO_DOUBLE") && options && strstr(options, "double"))
		return CL_BUILD_PROGRAM_FAILURE;
	return real(program, num_devices, device_list, options, pfn_notify,
		user_data);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel,
	cl_uint work_dim, const size_t *global_work_offset,
	const size_t *global_work_size, const size_t *local_work_size,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
	cl_event *event)
{
	launch *real = (launch *)dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
	char name[64] = "";

	clGetKernelInfo(
		kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
	if (strcmp(name, "work") == 0)
		global_work_size = local_work_size;
	return real(command_queue, kernel, work_dim, global_work_offset,
		global_work_size, local_work_size, num_events_in_wait_list,
		event_wait_list, event);
}
