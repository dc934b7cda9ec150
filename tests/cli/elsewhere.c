/*
 * An implementation of OpenCL that does not always compute. With this
 * preloaded, launches of the kernel $KERNEL with $ITEMS work-items or more
 * have, but for the first $AFTER of them, nobody's buffer as their argument
 * $ARGUMENT: what they compute is lost. With NUMBER that argument is a number
 * of 64 bits, which is 0 then.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef cl_int set_argument(cl_kernel, cl_uint, size_t, const void *);
typedef cl_int launch(cl_command_queue, cl_kernel, cl_uint, const size_t *,
	const size_t *, const size_t *, cl_uint, const cl_event *, cl_event *);

static cl_mem used;
static cl_ulong number;
static long launches;

static int is_it(cl_kernel kernel)
{
	char name[64] = "";

	clGetKernelInfo(
		kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
	return strcmp(name, getenv("KERNEL")) == 0;
}

static cl_uint argument(void)
{
	return (cl_uint)atol(getenv("ARGUMENT"));
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size,
	const void *arg_value)
{
	set_argument *real = (set_argument *)dlsym(RTLD_NEXT, "clSetKernelArg");

	if (is_it(kernel) && arg_index == argument())
		memcpy(getenv("NUMBER") ? (void *)&number : &used, arg_value,
			arg_size);
	return real(kernel, arg_index, arg_size, arg_value);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel,
	cl_uint work_dim, const size_t *global_work_offset,
	const size_t *global_work_size, const size_t *local_work_size,
	cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
	cl_event *event)
{
	launch *real = (launch *)dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
	set_argument *set = (set_argument *)dlsym(RTLD_NEXT, "clSetKernelArg");
	size_t items =
		global_work_size[0] * (work_dim > 1 ? global_work_size[1] : 1);
	int lost = is_it(kernel) && items >= (size_t)atol(getenv("ITEMS")) &&
		   ++launches > atol(getenv("AFTER"));
	const cl_ulong none = 0;
	cl_context context;
	cl_mem nobodys = NULL;
	size_t bytes;
	cl_int code;

	if (lost && getenv("NUMBER")) {
		set(kernel, argument(), sizeof(none), &none);
	} else if (lost) {
		clGetMemObjectInfo(
			used, CL_MEM_SIZE, sizeof(size_t), &bytes, NULL);
		clGetMemObjectInfo(used, CL_MEM_CONTEXT, sizeof(cl_context),
			&context, NULL);
		nobodys = clCreateBuffer(
			context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
		set(kernel, argument(), sizeof(cl_mem), &nobodys);
	}
	code = real(command_queue, kernel, work_dim, global_work_offset,
		global_work_size, local_work_size, num_events_in_wait_list,
		event_wait_list, event);
	if (lost && getenv("NUMBER")) {
		set(kernel, argument(), sizeof(number), &number);
	} else if (lost) {
		set(kernel, argument(), sizeof(cl_mem), &used);
		clReleaseMemObject(nobodys);
	}
	return code;
}
