/*
 * Command buffers of OpenCL (cl_khr_command_buffer): launches that are recorded
 * once and then enqueued by one call. Private to src/cl.
 */
#ifndef C2C_COMMAND_BUFFER_H
#define C2C_COMMAND_BUFFER_H

#include "cl/session.h"

struct command_buffer;

/*
 * Return whether the device has the extension and its functions. A device that
 * has them may still refuse a buffer.
 */
bool command_buffers_exist(struct session *session);

/*
 * Record n launches with items work-items each, alternating between two kernels
 * with their current arguments. NULL: the session failed.
 */
struct command_buffer *command_buffer_record(struct session *session,
	const cl_kernel kernels[2], size_t n, size_t items, size_t group);

/* Put all launches into the session's queue; returns an OpenCL code. */
cl_int command_buffer_enqueue(struct command_buffer *buffer);

/* Free a buffer, which must not be in the queue. NULL is allowed. */
void command_buffer_release(struct command_buffer *buffer);

#endif
