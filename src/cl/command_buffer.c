/*
 * The types of this extension are declared here, since the header files of many
 * systems lack it or have an older version.
 */
#include "cl/command_buffer.h"

#include <stdlib.h>
#include <string.h>

typedef struct command_buffer_of_device *handle;

/* Functions of the extension; c2c uses no properties and no sync points. */
struct command_buffer_functions {
	handle(CL_API_CALL *create)(cl_uint queues,
		const cl_command_queue *queue, const void *properties,
		cl_int *code);
	cl_int(CL_API_CALL *launch)(handle buffer, cl_command_queue queue,
		const void *properties, cl_kernel kernel, cl_uint dimensions,
		const size_t *offset, const size_t *items, const size_t *group,
		cl_uint waits, const cl_uint *wait, cl_uint *point,
		void *mutable);
	cl_int(CL_API_CALL *finalize)(handle buffer);
	cl_int(CL_API_CALL *enqueue)(cl_uint queues, cl_command_queue *queue,
		handle buffer, cl_uint waits, const cl_event *wait,
		cl_event *event);
	cl_int(CL_API_CALL *release)(handle buffer);
};

#define FUNCTIONS 5

struct command_buffer {
	struct command_buffer_functions call;
	handle handle;
};

static bool load_command_buffer_functions(
	struct session *session, struct command_buffer_functions *functions)
{
	static const char *const names[FUNCTIONS] = {"clCreateCommandBufferKHR",
		"clCommandNDRangeKernelKHR", "clFinalizeCommandBufferKHR",
		"clEnqueueCommandBufferKHR", "clReleaseCommandBufferKHR"};
	void *found[FUNCTIONS];
	cl_platform_id platform = NULL;

	_Static_assert(FUNCTIONS * sizeof(void *) ==
			       sizeof(struct command_buffer_functions),
		"all functions");
	if (clGetDeviceInfo(session->device, CL_DEVICE_PLATFORM, sizeof(void *),
		    &platform, NULL))
		return false;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		found[i] = clGetExtensionFunctionAddressForPlatform(
			platform, names[i]);
		if (!found[i])
			return false;
	}
	/* POSIX lets a data pointer hold a function pointer. */
	memcpy(functions, found, sizeof(*functions));
	return true;
}

bool command_buffers_exist(struct session *session)
{
	struct command_buffer_functions functions;

	return session_ok(session) &&
	       device_extends(session->device, "cl_khr_command_buffer") &&
	       load_command_buffer_functions(session, &functions);
}

struct command_buffer *command_buffer_record(struct session *session,
	const cl_kernel kernels[2], size_t n, size_t items, size_t group)
{
	struct command_buffer *buffer =
		session->rc ? NULL : calloc(1, sizeof(*buffer));
	cl_int code = CL_OUT_OF_HOST_MEMORY;

	if (buffer && load_command_buffer_functions(session, &buffer->call))
		buffer->handle =
			buffer->call.create(1, &session->queue, NULL, &code);
	for (size_t i = 0; i < n && !code; i++)
		code = buffer->call.launch(buffer->handle, NULL, NULL,
			kernels[i % 2], 1, NULL, &items, &group, 0, NULL, NULL,
			NULL);
	if (!code)
		code = buffer->call.finalize(buffer->handle);
	if (!code)
		return buffer;
	session_fail(session, code, "recording a command buffer");
	command_buffer_release(buffer);
	return NULL;
}

cl_int command_buffer_enqueue(struct command_buffer *buffer)
{
	return buffer->call.enqueue(0, NULL, buffer->handle, 0, NULL, NULL);
}

void command_buffer_release(struct command_buffer *buffer)
{
	if (buffer && buffer->handle)
		buffer->call.release(buffer->handle);
	free(buffer);
}
