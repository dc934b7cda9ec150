/*
 * An open device with the state that all tests need. Private to src/cl.
 *
 * A session fails once: session->rc has the first failure and session->err its
 * message. After that, every function here does nothing and returns the
 * failure, or no value (NULL, NaN). A test therefore calls session_ok() only
 * where it cannot continue after a failure.
 *
 * The session owns all objects that its functions return. session_close() frees
 * all objects, and session_release() frees the objects after a mark. Times are
 * in seconds, rates in GiB/s. Only the thread that opened the session may call
 * these functions.
 */
#ifndef C2C_SESSION_H
#define C2C_SESSION_H

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <errno.h>
#include <stdatomic.h>

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

/* Facts about the measurement of a point. */
struct measured_point {
	size_t curve; /* index of the curve in the result */
	double x;
	size_t group; /* group size, or best size of a sweep; 0: no kernel */
	unsigned runs, visits;
	int64_t checksum;
};

/* Indices of the first words of session->taken, as in shares.cl. */
#define SESSION_SHARES_SET 2

struct session {
	const struct test_options *options;
	const struct machine *machine;
	struct result *result; /* curves go here */
	struct record *record; /* record of the test; borrowed */
	struct error *err;     /* message for rc; may be NULL */
	int rc;		       /* 0, or code of the first failure */

	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program basic; /* kernels of session.cl */
	cl_mem taken;	  /* CPUs: which shares were taken, see shares.cl */
	cl_uint set[SESSION_SHARES_SET]; /* values of the first words of taken
					  */
	unsigned shares;		 /* shares of a unit, see struct test */
	bool is_cpu;
	bool by_events; /* time by the device's clock, else by the host's */
	cl_uint units;	/* compute units */
	size_t max_group;
	cl_ulong max_alloc_bytes, global_bytes;
	struct workers workers;	     /* workers of a CPU device */
	struct theory_device theory; /* facts about a device other than a CPU */
	struct device_clock *clock;  /* NULL: no test asks for it */
	double launch_s;	     /* time of an empty kernel */

	struct owned_handle *owned; /* [n_owned], in the order of creation */
	size_t n_owned;
	double done, all; /* progress, in the test's own unit */

	double late_s;	 /* time from which a --quick test is late; 0: never */
	size_t left_out; /* points left out because the test was late */

	struct stat_random random; /* random state for the order of points */
	double repeated_s;	   /* part of the budget that was used */
	/* Times for compiling, filling, checking and ceilings. */
	double built_s, filled_s, checked_s, ceilings_s;
	struct pool *pool; /* pool for the runs of a point; or NULL */

	/*
	 * Only compile the kernels of a test: each kernel runs once in each
	 * group size, on little memory; nothing is timed, filled or checked.
	 */
	bool rehearses;
	unsigned parts; /* processes that compile this test; 0: only this */
	/* Next program that none of them has taken; NULL with parts 0. */
	atomic_size_t *next_program;
	size_t n_programs;  /* programs that this process has asked for */
	size_t own_program; /* last program that it took, + 1; 0: none */
	struct rehearsed_launch *rehearsed; /* [n_rehearsed] */
	size_t n_rehearsed;

	/* curves_end() releases these. */
	struct measured_point *points;
	size_t n_points;
};

/* Open the device of session->options. */
int session_open(struct session *session);
void session_close(struct session *session);

/* Wait until a call that returned code is done. what: its name for errors. */
int session_finish(struct session *session, cl_int code, const char *what);

/* Make a context and a queue on session->device. */
int session_connect(struct session *session);

static inline bool session_ok(const struct session *session)
{
	return session->rc == 0;
}

/*
 * Return whether this process compiles the next program of a test. Of the
 * processes that compile a test, the first to ask takes a program; all ask in
 * the same order. Without these processes, the result is always true.
 */
bool session_takes_program(struct session *session);

/*
 * Functions whose name ends in _text own the text of text_format() that they
 * get; NULL means out of memory. The macros format this text like printf().
 */

/* Set the session's failure, like error_set(). */
void session_error_text(
	struct session *session, enum error_class class, int code, char *text);
#define session_error(session, class, code, ...)                               \
	session_error_text(session, class, code, text_format(__VA_ARGS__))

/* Fail because the device cannot run this test. */
#define session_refuse(session, ...)                                           \
	session_error(session, ERROR_UNAVAILABLE, ENOTSUP, __VA_ARGS__)

/* Fail: out of memory for `what`. */
void session_no_memory(struct session *session, const char *what);

/*
 * Fail because a call returned code, not CL_SUCCESS. what: the purpose of the
 * call. The code is -ENOMEM if the call lacked memory; test_run() adds a
 * remedy.
 */
int session_fail(struct session *session, cl_int code, const char *what);

/* Fail because device and host computed different values. */
void session_wrong_text(struct session *session, char *text);
#define session_wrong(session, ...)                                            \
	session_wrong_text(session, text_format(__VA_ARGS__))

/* Return -EINTR if the user wants to stop. */
int session_stopped(struct session *session);

/* Return whether a test with --quick is late and should measure less. */
bool session_is_late(const struct session *session);

/* Return the seconds of a clock that is stopped while the session builds. */
double session_clock_s(const struct session *session);

/* Add to the progress, out of session->all, unless the session failed. */
void session_advance(struct session *session, double done);

/* Append a sentence to a list of the record; "notes" has warnings. */
void session_say_text(struct session *session, const char *list, char *text);
#define session_say(session, list, ...)                                        \
	session_say_text(session, list, text_format(__VA_ARGS__))
#define session_note(session, ...) session_say(session, "notes", __VA_ARGS__)
#define session_add_finding(session, ...)                                      \
	session_say(session, "findings", __VA_ARGS__)

/* Append the finding "TEXT: LIST" and end the list; ignore an empty list. */
void session_add_list_text(
	struct session *session, struct text_list *list, char *text);
#define session_add_list(session, list, ...)                                   \
	session_add_list_text(session, list, text_format(__VA_ARGS__))

/* Own a text and return it; "" if out of memory. */
const char *session_own_text(struct session *session, char *text);
#define session_text(session, ...)                                             \
	session_own_text(session, text_format(__VA_ARGS__))

/* Like text_number(), text_size(), text_time(), but owned by the session. */
const char *session_number(struct session *session, double value);
const char *session_bytes(struct session *session, uint64_t bytes);
const char *session_time(struct session *session, double s);

/* Like text_list_end(), but the session owns the text. */
const char *session_list_text(struct session *session, struct text_list *list);

/* Append a row to a list of the record, and take it over. */
void session_record(
	struct session *session, const char *list, struct facts *row);

/* Return a mark, or free everything that was returned after a mark. */
size_t session_mark(const struct session *session);
void session_release(struct session *session, size_t mark);

/* Build a program of one kernel file; messages contain its name. */
cl_program session_build(struct session *session, const char *file,
	const char *source, const char *flags);

/* Build NAME.cl with flags, which are formatted like printf(). */
#define session_program(session, name, ...)                                    \
	session_build(session, #name ".cl", name##_cl,                         \
		session_text(session, __VA_ARGS__))

/* session_build() with a macro TABLE of n words; words NULL: session_word(). */
cl_program session_build_table(struct session *session, const char *file,
	const char *source, const char *flags, const cl_uint *words, size_t n);

cl_kernel session_kernel(
	struct session *session, cl_program program, const char *name);

/* Make a kernel. NULL: the compiler rejects the program. */
cl_kernel session_try_kernel(
	struct session *session, const char *source, const char *name);

/*
 * Make a buffer. -ENOMEM: the device has too little free memory.
 * ERROR_UNAVAILABLE: the buffer exceeds the device's limit, which the error
 * names.
 */
cl_mem session_buffer(struct session *session, size_t bytes);

/* Own a buffer or an image that a call made with the result `code`. */
cl_mem session_own(
	struct session *session, cl_mem memory, cl_int code, const char *what);

/* Allocate host memory in whole pages; errors contain `what`. */
void *session_memory(struct session *session, size_t bytes, const char *what);

/*
 * Like session_memory(), but in huge pages if available, like the ceilings'
 * memory. Buffers of CPU devices use huge pages too. Its release adds to
 * memory.bytes and memory.huge_bytes of the record.
 */
void *session_pages(struct session *session, size_t bytes, const char *what);

/* An argument of a kernel, made by the functions below. */
struct kernel_argument {
	size_t bytes;  /* 0 ends an array */
	bool is_local; /* allocate this much local memory */
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

/* Set a kernel's arguments from number first on. */
#define session_arguments(session, kernel, first, ...)                         \
	session_set_arguments(session, kernel, first,                          \
		(struct kernel_argument[]){__VA_ARGS__, {0}})
void session_set_arguments(struct session *session, cl_kernel kernel,
	cl_uint first, const struct kernel_argument *arguments);

/*
 * Map a buffer for the host until session_unmap(), or map a part of it to read.
 * write: the host overwrites the whole buffer, so its contents are not copied.
 */
void *session_map(
	struct session *session, cl_mem buffer, size_t bytes, bool write);
void *session_map_part(
	struct session *session, cl_mem buffer, size_t from, size_t bytes);
int session_unmap(struct session *session, cl_mem buffer, void *at);

/* Copy bytes from a buffer to the host, unless the session failed. */
void session_read(struct session *session, cl_mem buffer, size_t from,
	size_t bytes, void *to);

/* Return element i of a mapped buffer of float or double. */
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

/* The words, or numbers, that a buffer should have after a run. */
struct expected_words {
	cl_mem buffer;
	cl_mem plane; /* image whose elements the buffer gets; or NULL */
	size_t n;
	/* Return the expected word i. */
	cl_uint (*at)(const void *context, size_t i);
	/* Or the n words, repeated. Without all three: no check. */
	const cl_uint *list; /* [listed] */
	size_t listed;	     /* 0: n */
	/* Or return a number, and set *slack to its largest error. */
	double (*number)(const void *context, size_t i, double *slack);
	bool is_double;
	size_t sampled;	     /* number of words to check; 0: all */
	const void *context; /* NULL: the sweep */
	bool poisoned;	     /* each point begins with wrong values */
	size_t step;	     /* check every step-th word; 0: all */
	/* Each check reads the next part; parts 0: each reads all words. */
	size_t parts, checked;
	size_t summed; /* number of words in the checksum; 0: all */
	bool unsummed; /* no checksum: results may vary */
	size_t apart;  /* distance to a second part of the checksum; 0: none */
};

/* Write n words to a buffer. If at is NULL, write session_word(). */
void session_fill(struct session *session, cl_mem buffer, size_t n,
	cl_uint (*at)(const void *context, size_t i), const void *context);

/* Write n numbers, as expected_words.number returns them. */
void session_fill_numbers(struct session *session, cl_mem buffer, size_t n,
	bool is_double,
	double (*number)(const void *context, size_t i, double *slack),
	const void *context);

/* Return word i of an array before kernels use it; local.cl computes it too. */
cl_uint session_word(size_t i);

/* Value of each word before a kernel that has to write all words. */
#define SESSION_UNWRITTEN 0xffffffffu

/* Set all words of a buffer to the same word. */
void session_set_words(
	struct session *session, cl_mem buffer, size_t n, cl_uint word);

/*
 * Return the usual size of work-groups: on CPUs half of the items, at most 256;
 * on other devices all items, at most 256. The user's choice overrides this,
 * and the device's limit overrides both.
 */
size_t session_group(const struct session *session, size_t items);

/* Return the size of session->taken in bytes. */
static inline size_t session_taken_bytes(const struct session *session)
{
	return (16 + 256 * session->units) * sizeof(cl_uint);
}

/* Return the number of shares of a CPU unit's work, up to a limit. */
static inline unsigned session_shares(
	const struct session *session, size_t most)
{
	return (unsigned)max_size(1, min_size(session->shares, most));
}

/* Return the user's size, or else the usual one. */
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

/* Return a number that the device reports; 0: unknown. */
size_t session_fact(const struct session *session, cl_device_info what);

/* Return the bytes per array for which the device has room. */
double session_room_bytes(const struct session *session, unsigned arrays);

/* Return the bytes of the CPUs' last-level caches; 0: unknown. */
uint64_t session_llc_bytes(const struct session *session);

/* A size beyond all caches: today's GPUs have caches of at most 256 MiB. */
#define SESSION_GPU_BYTES ((size_t)512 << 20)

/*
 * Rule for the size of an array beyond the caches. On CPUs, double `least` up
 * to `most`, until the size is `caches` times that of all last-level caches. On
 * other devices the size is `gpu`.
 */
struct beyond_caches {
	size_t least, most, caches, gpu;
};
size_t session_beyond_caches(
	const struct session *session, const struct beyond_caches *sizes);

/* Halve bytes, down to least, until the device has room for several arrays. */
size_t session_fit(const struct session *session, size_t bytes, size_t least,
	unsigned arrays);

/* Words of the largest vector: a line on CPUs, 16 bytes on other devices. */
#define SESSION_MOST_WIDTH 16
static inline size_t session_width(const struct session *session)
{
	return session->is_cpu ? SESSION_MOST_WIDTH : 4;
}

/* Return the bytes of local memory that a group may have. */
size_t session_local_bytes(const struct session *session);

/* Return the bytes of the longest table of constants in a program. */
size_t session_table_bytes(const struct session *session);

/* Return whether the device computes with double; if not, add a note. */
bool session_has_double(struct session *session);

/* Return whether the CPU device used fewer threads than CPUs. */
bool session_lacks_threads(const struct session *session);

/* Return the name of a code, "CL_OUT_OF_RESOURCES"; NULL: unknown. */
const char *session_code_name(cl_int code);

/* Return facts of a device: platform, name, type, ... */
struct facts device_describe(cl_device_id device, unsigned index);

/* Return a number that a device reports; -1: unknown. */
int64_t device_number(cl_device_id device, cl_device_info what);

/* Return whether the device has that extension. */
bool device_extends(cl_device_id device, const char *extension);

/* Return all facts for theory, except names, and the device's PCI address. */
struct theory_device device_theory(cl_device_id device);
struct link_place device_link(cl_device_id device);

/* Find the device with that index, counted over all platforms. */
int device_find(unsigned index, cl_device_id *device, struct error *err);

/*
 * Append to the list "warnings" a sentence on each implementation that does not
 * load. Call it only after the loader has tried them: loading may crash the
 * process.
 */
void icd_list_broken(struct record *broken);

#endif
