/*
 * An open device: what the tests share. Private to src/cl.
 *
 * A session fails once. The first failure is in session->rc, with its words in
 * session->err; from then on every function here does nothing and returns that,
 * or a value that is none (NULL, NaN). So a test asks session_ok() where it
 * would go on, and nowhere else.
 *
 * The session owns what it hands out, and frees it in session_close(), or
 * before, from a mark on, in session_release(). Times are seconds, rates GiB/s.
 * All functions want to be called by the thread that opened the session.
 */
#ifndef C2C_CL_SESSION_H
#define C2C_CL_SESSION_H

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>

#include "cl/cl.h"
#include "cl/workers.h"

#define GIB 1073741824.0

/* How a point of a curve came about. */
struct point {
	size_t curve; /* its place in the result */
	double x;
	size_t group; /* of kernels; of a sweep the best size */
	unsigned runs;
	int64_t checksum;
};

struct session {
	const struct test_options *options;
	const struct machine *machine;
	struct result *result; /* curves go here */
	struct record *record; /* of the test; borrowed */
	struct error *err;     /* of rc; may be NULL */
	int rc;		       /* 0, or the first failure */

	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program basic; /* the kernels of session.cl */
	bool is_cpu;
	bool by_events; /* times are the device's; else the host's */
	cl_uint units;	/* compute units */
	size_t max_group;
	cl_ulong max_alloc_bytes, global_bytes;
	struct workers workers; /* of a CPU device */
	double launch_s;	/* of nothing */

	struct owned *owned; /* [n_owned], the last one made is the last */
	size_t n_owned;
	double done, all; /* of progress, in a unit that the test chooses */

	/* curves_end() releases it. */
	struct point *points;
	size_t n_points;
};

/* Open the device of session->options, without anything of a test. */
int session_open(struct session *session);
void session_close(struct session *session);

/* A context and a queue on session->device. */
int session_connect(struct session *session);

static inline bool session_ok(const struct session *session)
{
	return session->rc == 0;
}

/* Fail: as error_set(). */
int session_error(struct session *session, enum error_class class, int code,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Fail: what a call that returned code other than CL_SUCCESS tried. -ENOMEM:
 * for want of memory, and test_run() adds what helps.
 */
int session_fail(struct session *session, cl_int code, const char *what);

/* Fail: what this computes is not what the host computes. */
int session_wrong(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* -EINTR when the user wants an end. */
int session_stopped(struct session *session);

/* So much of session->all is done. */
void session_advance(struct session *session, double done);

/* Append a sentence to a list of the record: "notes" are for the user. */
int session_say(struct session *session, const char *list, const char *format,
	...) __attribute__((format(printf, 3, 4)));
#define session_note(session, ...) session_say(session, "notes", __VA_ARGS__)
#define session_find(session, ...) session_say(session, "findings", __VA_ARGS__)

/* Append a row, which is taken over, to a list of the record. */
int session_record(
	struct session *session, const char *list, struct facts *row);

/* What the session has handed out by now; free what came after a mark. */
size_t session_mark(const struct session *session);
void session_release(struct session *session, size_t mark);

/* A program of one kernel file, whose name goes into messages. */
cl_program session_build(struct session *session, const char *file,
	const char *source, const char *flags);

cl_kernel session_kernel(
	struct session *session, cl_program program, const char *name);

/*
 * A buffer; -ENOMEM when the device has not so much left, or, with the limit
 * (ERROR_UNAVAILABLE), does not give that much at once.
 */
cl_mem session_buffer(struct session *session, size_t bytes);

/* A buffer or an image that a call made, which returned code. */
cl_mem session_own(
	struct session *session, cl_mem memory, cl_int code, const char *what);

/* Memory of the host for what, in whole pages. */
void *session_memory(struct session *session, size_t bytes, const char *what);

/* An argument of a kernel: the functions below make one. */
struct argument {
	size_t bytes;  /* 0 ends an array */
	bool is_local; /* so many bytes of local memory */
	union {
		cl_mem memory;
		cl_uint word;
		cl_int integer;
		cl_float narrow;
		cl_double wide;
	};
};

static inline struct argument of_memory(cl_mem memory)
{
	return (struct argument){sizeof(void *), .memory = memory};
}

static inline struct argument of_word(size_t word)
{
	return (struct argument){sizeof(cl_uint), .word = (cl_uint)word};
}

static inline struct argument of_local(size_t bytes)
{
	return (struct argument){bytes, .is_local = true};
}

/* Set a kernel's arguments from the first-th on; {0} ends them. */
int session_arguments(struct session *session, cl_kernel kernel, cl_uint first,
	const struct argument *arguments);

/*
 * What the host sees of a buffer until session_unmap(). write: it is going to
 * be written, and what was in it need not be seen.
 */
void *session_map(
	struct session *session, cl_mem buffer, size_t bytes, bool write);
int session_unmap(struct session *session, cl_mem buffer, void *at);

/* What is right in the words of a buffer, each by its place. */
struct words {
	cl_mem buffer;
	size_t n;
	cl_uint (*at)(const void *context, size_t i);
	const void *context;
	size_t step;   /* every step-th is checked; 0: all */
	size_t summed; /* the first that the checksum is of; 0: all */
};

static inline struct words words_of(cl_mem buffer, size_t n,
	cl_uint (*at)(const void *context, size_t i), const void *context)
{
	return (struct words){
		.buffer = buffer, .n = n, .at = at, .context = context};
}

int session_fill(struct session *session, cl_mem buffer, size_t n,
	cl_uint (*at)(const void *context, size_t i), const void *context);

/* What word i of an array holds before it is read, as local.cl says too. */
cl_uint session_word(size_t i);

/* In each word that no kernel has written since session_spoil(). */
#define SESSION_UNWRITTEN 0xffffffffu

int session_spoil(struct session *session, cl_mem buffer, size_t bytes);

/*
 * The paper's size of work-groups: half of the items, at most 256; on other
 * devices than CPUs all items, at most 256. A size that the user chose goes
 * before, and the device's limit before that.
 */
size_t session_group(const struct session *session, size_t items);

/* What the user chose, or else the usual. */
static inline size_t session_size(const struct session *session, size_t usual)
{
	uint64_t chosen = session->options->size_bytes;

	return chosen ? (size_t)chosen : usual;
}

static inline size_t session_items(const struct session *session, size_t usual)
{
	uint64_t chosen = session->options->work_items;

	return chosen ? (size_t)chosen : usual;
}

/* A number that the device says of itself; 0: it does not. */
size_t session_fact(const struct session *session, cl_device_info what);

/*
 * Of a CPU device, whether fewer threads were seen to work than there are CPUs.
 */
bool session_lacks_threads(const struct session *session);

/* "CL_OUT_OF_RESOURCES"; static. NULL for an unknown one. */
const char *session_code_name(cl_int code);

/* platform, name, type, ... of a device. */
struct facts device_describe(cl_device_id device, unsigned index);

/* A number of any width that it says of itself; -1: it does not. */
int64_t device_number(cl_device_id device, cl_device_info what);

/* The device at that place, over all platforms. */
int device_find(unsigned index, cl_device_id *device, struct error *err);

#endif
