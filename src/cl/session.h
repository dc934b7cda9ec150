/*
 * An open device: what the tests share. Private to src/cl.
 *
 * Times are seconds, rates GiB/s. All functions return 0 or a negative errno
 * with *err, and want to be called by the thread that opened the session.
 */
#ifndef C2C_CL_SESSION_H
#define C2C_CL_SESSION_H

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>

#include "cl/cl.h"
#include "cl/workers.h"

#define CL_GIB 1073741824.0

/* How a point of a curve came about. */
struct cl_point {
	size_t curve; /* its place in the result */
	double x;
	size_t group; /* of kernels; of a sweep the best size */
	unsigned runs;
	int64_t checksum;
};

struct cl_session {
	const struct cl_options *options;
	const struct machine *machine;
	struct result *result; /* curves go here */
	json_t *record;	       /* the test's object in the result; borrowed */

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

	/* curves_end() releases it. */
	struct cl_point *points;
	size_t n_points;
	bool point_lost; /* for want of memory */
};

/* The median of some runs, with its 95 % interval (NaN: too few runs). */
struct cl_timing {
	double median_s, low_s, high_s, min_s;
	size_t group;  /* work-items in a group of the kernel; 0: no kernel */
	unsigned runs; /* that these figures are of */
	int64_t checksum; /* of what the last run left; -1: none */
};

/* No time: all of it is NaN. */
struct cl_timing timing_none(void);

int session_open(struct cl_session *session, struct error *err);
void session_close(struct cl_session *session);

/* -EINTR when the user wants an end. */
int session_stopped(const struct cl_session *session, struct error *err);

/* Say how far the test has come, from 0 to 1. */
void session_progress(const struct cl_session *session, double fraction);

/* Add a sentence for the user to the record's notes. */
int session_note(const struct cl_session *session, struct error *err,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * A program of one kernel file, whose name goes into messages; flags may be
 * NULL. clReleaseProgram() is the caller's.
 */
int session_build(const struct cl_session *session, const char *file,
	const char *source, const char *flags, cl_program *program,
	struct error *err);

/* A kernel of it; clReleaseKernel() is the caller's. */
int session_kernel(cl_program program, const char *name, cl_kernel *kernel,
	struct error *err);

/* The i-th argument of a kernel. */
int session_argument(cl_kernel kernel, cl_uint i, size_t bytes,
	const void *value, struct error *err);

/*
 * A buffer; -ENOMEM when the device has not so much left, or, with the limit
 * (ERROR_UNAVAILABLE), gives no such at once. clReleaseMemObject() is the
 * caller's.
 */
int session_buffer(const struct cl_session *session, size_t bytes,
	cl_mem *buffer, struct error *err);

/*
 * What the host sees of a buffer until session_unmap(). write: it is going to
 * be written, and what was in it need not be seen.
 */
int session_map(const struct cl_session *session, cl_mem buffer, size_t bytes,
	bool write, void **at, struct error *err);
int session_unmap(const struct cl_session *session, cl_mem buffer, void *at,
	struct error *err);

/* What word i of an array holds before it is read, as local.cl says too. */
cl_uint session_word(size_t i);

/* In each word that no kernel has written since session_spoil(). */
#define SESSION_UNWRITTEN 0xffffffffu

int session_spoil(const struct cl_session *session, cl_mem buffer, size_t bytes,
	struct error *err);

/*
 * Run a kernel over items work-items in groups of group: first the runs that
 * are discarded, then those that are timed. Where groups are swept, so in
 * groups of each size, and the best one's times count.
 */
int session_time(const struct cl_session *session, cl_kernel kernel,
	size_t items, size_t group, struct cl_timing *timing,
	struct error *err);

/*
 * Run it once in groups of each size that session_time() would try: an
 * implementation compiles a kernel anew for each.
 */
int session_warm_up(const struct cl_session *session, cl_kernel kernel,
	size_t items, size_t group, struct error *err);

/* The same on another queue, once; host: by the host's clock. */
int session_time_once(const struct cl_session *session, cl_command_queue queue,
	cl_kernel kernel, size_t items, size_t group, bool host, double *s,
	struct error *err);

/*
 * These words are what the timed runs left, and what the host computes as well:
 * their sum modulo 2^32 is the checksum.
 */
void session_sum_words(
	struct cl_timing *timing, const void *words, size_t bytes);

/* The statistics of n times, which are put in order. */
void session_summarise(double *s, size_t n, struct cl_timing *timing);

/*
 * The paper's size of work-groups: half of the items, at most 256; on other
 * devices than CPUs all items, at most 256. That which the user chose goes
 * before, and the device's limit before that.
 */
size_t session_group(const struct cl_session *session, size_t items);

/*
 * Of a CPU device, whether fewer threads were seen to work than there are CPUs;
 * session_open() has noted it.
 */
bool session_lacks_threads(const struct cl_session *session);

/*
 * What a call that returned code other than CL_SUCCESS tried. -ENOMEM: for want
 * of memory, and cl_run() adds what helps.
 */
int session_fail(struct error *err, cl_int code, const char *what);

/* "CL_OUT_OF_RESOURCES"; static. NULL for an unknown one. */
const char *session_code_name(cl_int code);

/* {platform, name, type, ...} of a device: a new object, NULL: no memory. */
json_t *device_describe(cl_device_id device, unsigned index);

/* The device at that place, over all platforms. */
int device_find(unsigned index, cl_device_id *device, struct error *err);

#endif
