/*
 * An open device: what the tests share. Private to src/cl.
 *
 * A session fails once. session->rc keeps the first failure and session->err
 * its words. From then on every function here does nothing and returns the
 * failure, or no value (NULL, NaN). So a test asks session_ok() only where it
 * could not go on.
 *
 * The session owns what it hands out. session_close() frees all of it,
 * session_release() what came after a mark. Times are seconds, rates GiB/s. One
 * thread, the one that opened the session, calls all functions.
 */
#ifndef C2C_SESSION_H
#define C2C_SESSION_H

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>

#include "cl/cl.h"
#include "cl/clock.h"
#include "cl/theory.h"
#include "cl/workers.h"
#include "machine/link.h"
#include "stat/stat.h"
#include "util/array.h"
#include "util/size.h"
#include "util/text.h"

#define GIB 1073741824.0

/* How a point of a curve was measured. */
struct measured_point {
	size_t curve; /* its place in the result */
	double x;
	size_t group; /* of kernels; of a sweep the best size; 0: no kernel */
	unsigned runs, visits;
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
	struct workers workers;	     /* of a CPU device */
	struct theory_device theory; /* of another */
	struct device_clock *clock;  /* NULL: nobody asks for it */
	double launch_s;	     /* of an empty kernel */

	struct owned_handle *owned; /* [n_owned], in the order they were made */
	size_t n_owned;
	double done, all; /* of progress, in a unit that the test chooses */
	double ahead;	  /* the share of it that was done before */

	double late_s;	 /* when a test of --quick is late; 0: never */
	size_t left_out; /* points, because it was */

	struct stat_random random; /* the order of points */
	double repeated_s;	   /* of the budget: spent */
	/* Where else the time goes: compiling, filling, checking, ceilings. */
	double built_s, filled_s, checked_s, ceilings_s;
	struct pool *pool; /* takes the runs of a point; or NULL */

	/*
	 * Only compile what a test launches: each kernel runs once in groups of
	 * a size, on little memory, and nothing is timed, filled or checked.
	 */
	bool rehearses;
	struct rehearsed_launch *rehearsed; /* [n_rehearsed] */
	size_t n_rehearsed;

	/* curves_end() releases it. */
	struct measured_point *points;
	size_t n_points;
};

/* Open the device of session->options, without anything of a test. */
int session_open(struct session *session);
void session_close(struct session *session);

/* Wait until a call that returned code is done, or fail for what it tried. */
int session_finish(struct session *session, cl_int code, const char *what);

/* Make a context and a queue on session->device. */
int session_connect(struct session *session);

static inline bool session_ok(const struct session *session)
{
	return session->rc == 0;
}

/*
 * The functions below that end in _text take over a text of text_format(); NULL
 * means that memory was out. The macros make that text as printf() does.
 */

/* Fail with this class and code: as error_set(). */
void session_error_text(
	struct session *session, enum error_class class, int code, char *text);
#define session_error(session, class, code, ...)                               \
	session_error_text(session, class, code, text_format(__VA_ARGS__))

/* Fail for lack of memory for what. */
void session_no_memory(struct session *session, const char *what);

/*
 * Fail: a call that tried what returned code, not CL_SUCCESS. -ENOMEM if it
 * lacked memory; test_run() then adds what helps.
 */
int session_fail(struct session *session, cl_int code, const char *what);

/* Fail: the device and the host compute this differently. */
void session_wrong_text(struct session *session, char *text);
#define session_wrong(session, ...)                                            \
	session_wrong_text(session, text_format(__VA_ARGS__))

/* -EINTR if the user wants an end. */
int session_stopped(struct session *session);

/* Whether a test of --quick has taken so long that it shall measure less. */
bool session_is_late(const struct session *session);

/* The seconds of a clock that stands still while the session builds. */
double session_clock_s(const struct session *session);

/* Add to the progress, out of session->all, unless the session failed. */
void session_advance(struct session *session, double done);

/* Append a sentence to a list of the record: "notes" warn the user. */
void session_say_text(struct session *session, const char *list, char *text);
#define session_say(session, list, ...)                                        \
	session_say_text(session, list, text_format(__VA_ARGS__))
#define session_note(session, ...) session_say(session, "notes", __VA_ARGS__)
#define session_add_finding(session, ...)                                      \
	session_say(session, "findings", __VA_ARGS__)

/* A text that the session owns; "" without memory. */
const char *session_own_text(struct session *session, char *text);
#define session_text(session, ...)                                             \
	session_own_text(session, text_format(__VA_ARGS__))

/* text_number(), text_size(), text_time(), as texts that the session owns. */
const char *session_number(struct session *session, double value);
const char *session_bytes(struct session *session, uint64_t bytes);
const char *session_time(struct session *session, double s);

/* text_list_end(), as a text that the session owns. */
const char *session_list_text(struct session *session, struct text_list *list);

/* Append a row, which is taken over, to a list of the record. */
void session_record(
	struct session *session, const char *list, struct facts *row);

/* A mark, and freeing what the session handed out after it. */
size_t session_mark(const struct session *session);
void session_release(struct session *session, size_t mark);

/* A program of one kernel file, whose name goes into messages. */
cl_program session_build(struct session *session, const char *file,
	const char *source, const char *flags);

/* The same with a macro TABLE of n words; words NULL: session_word(). */
cl_program session_build_table(struct session *session, const char *file,
	const char *source, const char *flags, const cl_uint *words, size_t n);

cl_kernel session_kernel(
	struct session *session, cl_program program, const char *name);

/* One that not every compiler takes; NULL: this one does not. */
cl_kernel session_try_kernel(
	struct session *session, const char *source, const char *name);

/*
 * A buffer. -ENOMEM if the device has too little memory left, or
 * (ERROR_UNAVAILABLE, with the limit) allows no buffer of that size.
 */
cl_mem session_buffer(struct session *session, size_t bytes);

/* Own a buffer or an image that a call made; code is what the call returned. */
cl_mem session_own(
	struct session *session, cl_mem memory, cl_int code, const char *what);

/* Host memory for what, in whole pages. */
void *session_memory(struct session *session, size_t bytes, const char *what);

/*
 * The same in huge pages where these are to be had, like the memory of the
 * ceilings. Buffers of CPU devices lie in it too. Releasing it adds to
 * memory.bytes and memory.huge_bytes of the record.
 */
void *session_pages(struct session *session, size_t bytes, const char *what);

/* An argument of a kernel, made by the functions below. */
struct kernel_argument {
	size_t bytes;  /* 0 ends an array */
	bool is_local; /* that many bytes of local memory */
	union {
		cl_mem memory;
		cl_uint word;
		cl_ulong count;
		cl_int integer;
		cl_float narrow;
		cl_double wide;
	};
};

static inline struct kernel_argument memory_argument(cl_mem memory)
{
	return (struct kernel_argument){sizeof(void *), .memory = memory};
}

static inline struct kernel_argument word_argument(size_t word)
{
	return (struct kernel_argument){sizeof(cl_uint), .word = (cl_uint)word};
}

static inline struct kernel_argument long_argument(size_t count)
{
	return (struct kernel_argument){sizeof(cl_ulong), .count = count};
}

static inline struct kernel_argument number_argument(
	bool is_double, double value)
{
	if (is_double)
		return (struct kernel_argument){sizeof(value), .wide = value};
	return (struct kernel_argument){
		sizeof(cl_float), .narrow = (cl_float)value};
}

static inline struct kernel_argument local_argument(size_t bytes)
{
	return (struct kernel_argument){bytes, .is_local = true};
}

/* Set a kernel's arguments, beginning with number first. */
#define session_arguments(session, kernel, first, ...)                         \
	session_set_arguments(session, kernel, first,                          \
		(struct kernel_argument[]){__VA_ARGS__, {0}})
void session_set_arguments(struct session *session, cl_kernel kernel,
	cl_uint first, const struct kernel_argument *arguments);

/*
 * Map a buffer for the host until session_unmap(). write: the host overwrites
 * all of it, so its contents need not arrive.
 */
void *session_map(
	struct session *session, cl_mem buffer, size_t bytes, bool write);
int session_unmap(struct session *session, cl_mem buffer, void *at);

/* Element i of a mapped buffer of float or double. */
static inline double number_element(bool is_double, const void *at, size_t i)
{
	return is_double ? ((const double *)at)[i]
			 : (double)((const float *)at)[i];
}

static inline void number_set_element(
	bool is_double, void *at, size_t i, double value)
{
	if (is_double)
		((double *)at)[i] = value;
	else
		((float *)at)[i] = (float)value;
}

/* The words that a buffer should hold. */
struct expected_words {
	cl_mem buffer;
	size_t n;
	/* The right word at place i; NULL: somebody else checks. */
	cl_uint (*at)(const void *context, size_t i);
	const void *context;
	bool poisoned; /* each point spoils them first */
	size_t step;   /* check every step-th; 0: all */
	size_t summed; /* sum this many up, the first; 0: all */
	size_t apart;  /* and the first of each so many more; 0: no more */
};

static inline struct expected_words expected_words_of(cl_mem buffer, size_t n,
	cl_uint (*at)(const void *context, size_t i), const void *context)
{
	return (struct expected_words){
		.buffer = buffer, .n = n, .at = at, .context = context};
}

/* The same, spoiled: the kernel has to write all of them. */
static inline struct expected_words expected_words_written(cl_mem buffer,
	size_t n, cl_uint (*at)(const void *context, size_t i),
	const void *context)
{
	struct expected_words words = expected_words_of(buffer, n, at, context);

	words.poisoned = true;
	return words;
}

/* Write n words to a buffer; at NULL: session_word(). */
void session_fill(struct session *session, cl_mem buffer, size_t n,
	cl_uint (*at)(const void *context, size_t i), const void *context);

/* For session_fill(): 0 everywhere. */
cl_uint session_zero_word(const void *context, size_t i);

/* What word i of an array holds before it is read; local.cl has it too. */
cl_uint session_word(size_t i);

/* In each word that no kernel has written since session_poison(). */
#define SESSION_UNWRITTEN 0xffffffffu

void session_poison(struct session *session, cl_mem buffer, size_t bytes);

/*
 * The usual size of work-groups: on CPUs half of the items, at most 256; on
 * other devices all items, at most 256. The user's choice
 * overrides the rule, and the device's limit overrides both.
 */
size_t session_group(const struct session *session, size_t items);

/* The user's choice, or else the usual. */
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

/* A number that the device reports about itself; 0: it does not. */
size_t session_fact(const struct session *session, cl_device_info what);

/* The bytes of each of so many arrays, as far as the device has room. */
double session_room_bytes(const struct session *session, unsigned arrays);

/* The bytes of the last-level caches of the CPUs; 0: not known. */
uint64_t session_llc_bytes(const struct session *session);

/* The largest last-level caches of today's GPUs have 256 MiB. */
#define SESSION_GPU_BYTES ((size_t)512 << 20)

/* Words of a vector: a line on CPUs, 16 bytes on others. */
#define SESSION_MOST_WIDTH 16
static inline size_t session_width(const struct session *session)
{
	return session->is_cpu ? SESSION_MOST_WIDTH : 4;
}

/* The local memory that a group of a kernel may have. */
size_t session_local_bytes(const struct session *session);

/* The longest table of constants that a program may have. */
size_t session_table_bytes(const struct session *session);

/* Whether the device computes with double; if not, a note says so. */
bool session_has_double(struct session *session);

/* Whether fewer threads of a CPU device worked than there are CPUs. */
bool session_lacks_threads(const struct session *session);

/* "CL_OUT_OF_RESOURCES"; static. NULL: an unknown code. */
const char *session_code_name(cl_int code);

/* platform, name, type, ... of a device. */
struct facts device_describe(cl_device_id device, unsigned index);

/* A number of any width that a device reports; -1: it does not. */
int64_t device_number(cl_device_id device, cl_device_info what);

/* Whether the device has that extension. */
bool device_extends(cl_device_id device, const char *extension);

/* Its facts for theory, but its names; and where it is on a bus. */
struct theory_device device_theory(cl_device_id device);
struct link_place device_link(cl_device_id device);

/* The device at that place, over all platforms. */
int device_find(unsigned index, cl_device_id *device, struct error *err);

/*
 * Append to the list "warnings" a sentence on each implementation that does not
 * load. Call it only after the loader has tried the same: loading one may end
 * the process.
 */
void icd_list_broken(struct record *broken);

#endif
