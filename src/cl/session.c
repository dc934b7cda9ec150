/*
 * Opening a device, building kernels, memory.
 */
#include "cl/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/session_cl.h"
#include "cl/timing.h"
#include "util/text.h"

/* What a compiler says that goes into a message. */
#define LOG_BYTES 600

/* Of the kernel that shows which threads work: some milliseconds a run. */
#define WORK_TURNS 100000
#define WORK_RUNS  5

/* A thread whose CPU others use may miss some of it. */
#define WORK_ROUNDS 10

int session_stopped(const struct cl_session *session, struct error *err)
{
	const atomic_bool *stop = session->options->stop;

	if (!stop || !atomic_load_explicit(stop, memory_order_relaxed))
		return 0;
	return error_set(err, ERROR_FAILURE, EINTR, "interrupted");
}

void session_progress(const struct cl_session *session, double fraction)
{
	if (session->options->progress)
		session->options->progress(
			session->options->progress_context, fraction);
}

int session_note(const struct cl_session *session, struct error *err,
	const char *format, ...)
{
	json_t *notes = json_object_get(session->record, "notes");
	va_list args;
	char *text;
	int rc = 0;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text)
		text_make_utf8(text);
	if (!text || json_array_append_new(notes, json_string(text)))
		rc = error_no_memory(err, "a note");
	free(text);
	return rc;
}

/* What a compiler said, on one line, as much as a message should have. */
static void shorten(char *said)
{
	size_t used = 0;

	for (const char *c = said; *c && used < LOG_BYTES; c++) {
		bool blank = strchr(" \t\r\n", *c);

		if (!blank)
			said[used++] = *c;
		else if (used > 0 && said[used - 1] != ' ')
			said[used++] = ' ';
	}
	if (used > 0 && said[used - 1] == ' ')
		used--;
	said[used] = '\0';
}

static int build_failed(cl_device_id device, cl_program program,
	const char *file, cl_int code, struct error *err)
{
	const char *name = session_code_name(code);
	size_t bytes = 0;
	char *log;

	clGetProgramBuildInfo(
		program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
	log = calloc(1, bytes + 1);
	if (log) {
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
			bytes, log, NULL);
		shorten(log);
	}
	error_set(err, ERROR_FAILURE, EIO,
		"%s: the kernels do not build (%s): %s", file,
		name ? name : "unknown error",
		log && *log ? log : "the compiler says nothing");
	free(log);
	return -EIO;
}

int session_build(const struct cl_session *session, const char *file,
	const char *source, const char *flags, cl_program *program,
	struct error *err)
{
	cl_int code;
	cl_program made = clCreateProgramWithSource(
		session->context, 1, &source, NULL, &code);
	int rc;

	if (!made || code)
		return session_fail(err, code, file);
	code = clBuildProgram(
		made, 1, &session->device, flags ? flags : "", NULL, NULL);
	if (code) {
		rc = build_failed(session->device, made, file, code, err);
		clReleaseProgram(made);
		return rc;
	}
	*program = made;
	return 0;
}

int session_kernel(cl_program program, const char *name, cl_kernel *kernel,
	struct error *err)
{
	cl_int code;

	*kernel = clCreateKernel(program, name, &code);
	if (!*kernel || code)
		return session_fail(err, code, name);
	return 0;
}

int session_argument(cl_kernel kernel, cl_uint i, size_t bytes,
	const void *value, struct error *err)
{
	cl_int code = clSetKernelArg(kernel, i, bytes, value);

	return code ? session_fail(err, code, "a kernel's argument") : 0;
}

int session_buffer(const struct cl_session *session, size_t bytes,
	cl_mem *buffer, struct error *err)
{
	char wanted[TEXT_SIZE_BYTES], most[TEXT_SIZE_BYTES];
	cl_int code = CL_SUCCESS;

	if (bytes > session->max_alloc_bytes)
		return error_set(err, ERROR_UNAVAILABLE, ENOMEM,
			"a buffer of %s is more than the device gives at once "
			"(%s)",
			text_size(bytes, wanted),
			text_size(session->max_alloc_bytes, most));
	*buffer = clCreateBuffer(
		session->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
	if (!*buffer || code)
		return session_fail(err, code, "a buffer on the device");
	return 0;
}

int session_map(const struct cl_session *session, cl_mem buffer, size_t bytes,
	bool write, void **at, struct error *err)
{
	cl_int code = CL_SUCCESS;

	*at = clEnqueueMapBuffer(session->queue, buffer, CL_TRUE,
		write ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ, 0, bytes,
		0, NULL, NULL, &code);
	if (!*at || code)
		return session_fail(err, code, "mapping a buffer");
	return 0;
}

int session_unmap(const struct cl_session *session, cl_mem buffer, void *at,
	struct error *err)
{
	cl_int code = clEnqueueUnmapMemObject(
		session->queue, buffer, at, 0, NULL, NULL);

	if (!code)
		code = clFinish(session->queue);
	return code ? session_fail(err, code, "unmapping a buffer") : 0;
}

cl_uint session_word(size_t i)
{
	return (cl_uint)i * 2654435761u >> 8;
}

int session_spoil(const struct cl_session *session, cl_mem buffer, size_t bytes,
	struct error *err)
{
	const cl_uint word = SESSION_UNWRITTEN;
	cl_int code = clEnqueueFillBuffer(session->queue, buffer, &word,
		sizeof(word), 0, bytes, 0, NULL, NULL);

	if (!code)
		code = clFinish(session->queue);
	return code ? session_fail(err, code, "filling a buffer") : 0;
}

size_t session_group(const struct cl_session *session, size_t items)
{
	size_t group = session->is_cpu && items < 256 ? items / 2 : 256;

	if (session->options->work_group)
		group = session->options->work_group;
	if (group > session->max_group)
		group = session->max_group;
	if (group > items)
		group = items;
	return group ? group : 1;
}

bool session_lacks_threads(const struct cl_session *session)
{
	return session->workers.n > 0 &&
	       session->workers.n < session->options->cpus->n;
}

/* Let the threads work, and see which of them did. */
static int see_workers(struct cl_session *session, cl_kernel kernel,
	size_t items, struct error *err)
{
	struct workers before;
	double s;
	int rc = workers_note(&before, err);

	if (rc < 0)
		return rc;
	for (int i = 0; i < WORK_RUNS && rc == 0; i++)
		rc = session_time_once(session, session->queue, kernel, items,
			1, true, &s, err);
	workers_release(&session->workers);
	if (rc == 0)
		rc = workers_find(&before, &session->workers, err);
	workers_release(&before);
	return rc;
}

static int find_workers(struct cl_session *session, struct error *err)
{
	size_t items = (size_t)session->units * 64;
	cl_uint turns = WORK_TURNS;
	cl_kernel kernel = NULL;
	cl_mem out = NULL;
	double s;
	int rc = session_buffer(session, items * sizeof(cl_uint), &out, err);

	if (rc == 0)
		rc = session_kernel(session->basic, "work", &kernel, err);
	if (rc == 0)
		rc = session_argument(kernel, 0, sizeof(cl_mem), &out, err);
	if (rc == 0)
		rc = session_argument(kernel, 1, sizeof(turns), &turns, err);
	/* Once for the compiler, which works too. */
	if (rc == 0)
		rc = session_time_once(session, session->queue, kernel, items,
			1, true, &s, err);
	for (int i = 0; i < WORK_ROUNDS && rc == 0; i++) {
		rc = see_workers(session, kernel, items, err);
		if (session->workers.n == session->options->cpus->n)
			break;
	}
	/* Who binds them otherwise has a reason. */
	if (rc == 0 && !getenv("POCL_AFFINITY"))
		rc = workers_bind(
			&session->workers, session->options->cpus, err);
	if (rc == 0 && session_lacks_threads(session))
		rc = session_note(session, err,
			"fewer threads of the implementation work (%zu) than "
			"there are CPUs (%zu), while what the CPUs do natively "
			"is by a thread on each",
			session->workers.n, session->options->cpus->n);
	if (kernel)
		clReleaseKernel(kernel);
	if (out)
		clReleaseMemObject(out);
	return rc;
}

static int ask_device(struct cl_session *session, struct error *err)
{
	cl_device_type type = 0;
	cl_int code = clGetDeviceInfo(
		session->device, CL_DEVICE_TYPE, sizeof(type), &type, NULL);

	session->is_cpu = type & CL_DEVICE_TYPE_CPU;
	if (!code)
		code = clGetDeviceInfo(session->device,
			CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(session->units),
			&session->units, NULL);
	if (!code)
		code = clGetDeviceInfo(session->device,
			CL_DEVICE_MAX_WORK_GROUP_SIZE,
			sizeof(session->max_group), &session->max_group, NULL);
	if (!code)
		code = clGetDeviceInfo(session->device,
			CL_DEVICE_MAX_MEM_ALLOC_SIZE,
			sizeof(session->max_alloc_bytes),
			&session->max_alloc_bytes, NULL);
	if (!code)
		code = clGetDeviceInfo(session->device,
			CL_DEVICE_GLOBAL_MEM_SIZE,
			sizeof(session->global_bytes), &session->global_bytes,
			NULL);
	return code ? session_fail(err, code, "the device's facts") : 0;
}

int session_open(struct cl_session *session, struct error *err)
{
	cl_int code = CL_SUCCESS;
	int rc = device_find(session->options->device, &session->device, err);

	if (rc == 0)
		rc = ask_device(session, err);
	if (rc < 0)
		return rc;
	json_object_set_new(session->record, "device",
		device_describe(session->device, session->options->device));
	session->context =
		clCreateContext(NULL, 1, &session->device, NULL, NULL, &code);
	if (!session->context || code)
		return session_fail(err, code, "the device does not open");
	session->queue = clCreateCommandQueue(session->context, session->device,
		CL_QUEUE_PROFILING_ENABLE, &code);
	if (!session->queue || code)
		return session_fail(err, code, "a queue of the device");
	if (session->options->work_group > session->max_group)
		rc = session_note(session, err,
			"work-groups have %zu work-items, not %llu: the device "
			"takes no more",
			session->max_group,
			(unsigned long long)session->options->work_group);
	if (rc == 0)
		rc = session_build(session, "session.cl", session_cl, NULL,
			&session->basic, err);
	if (rc == 0 && session->is_cpu)
		rc = find_workers(session, err);
	if (rc == 0)
		rc = timing_check(session, err);
	return rc;
}

void session_close(struct cl_session *session)
{
	workers_release(&session->workers);
	if (session->basic)
		clReleaseProgram(session->basic);
	if (session->queue)
		clReleaseCommandQueue(session->queue);
	if (session->context)
		clReleaseContext(session->context);
}
