/* Sessions open a device, build kernels, and manage memory. */
#include "cl/session.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl_ext.h>

#include "cl/cl_caches.h"
#include "cl/session_cl.h"
#include "cl/shares_cl.h"
#include "cl/split.h"
#include "machine/memory.h"
#include "machine/timebase.h"

#define LOG_BYTES 600

#define PAGE_BYTES ((size_t)4096)

#define BOARD_BYTES 256

struct owned_handle {
	enum {
		OWNED_PROGRAM,
		OWNED_KERNEL,
		OWNED_MEMORY,
		OWNED_HOST,
		/* struct memory_mapping, which OWNED_HOST owns */
		OWNED_PAGES,
	} kind;
	void *handle;
};

/* Own a handle. NULL: out of memory. */
static void *session_own_handle(struct session *session, int kind, void *handle)
{
	if (array_grow(&session->owned, session->n_owned,
		    sizeof(*session->owned))) {
		session->owned[session->n_owned++] =
			(struct owned_handle){kind, handle};
		return handle;
	}
	session_no_memory(session, "what a test made");
	return NULL;
}

bool session_takes_program(struct session *session)
{
	size_t i = session->n_programs++;

	if (!session->next_program)
		return true;
	if (session->own_program <= i)
		session->own_program =
			1 + atomic_fetch_add(session->next_program, 1);
	return session->own_program == i + 1;
}

static void release_pages(
	struct session *session, struct memory_mapping *memory)
{
	struct facts *facts = &session->record->facts;
	int64_t bytes = facts_count(facts, "memory.bytes");
	int64_t huge_bytes = facts_count(facts, "memory.huge_bytes");

	memory_inspect(memory, MEMORY_PAGES_AUTO, NULL);
	facts_set_count(facts, "memory.bytes", bytes + (int64_t)memory->bytes);
	facts_set_count(facts, "memory.huge_bytes",
		huge_bytes + (int64_t)memory->huge_bytes);
	memory_release(memory);
}

size_t session_mark(const struct session *session)
{
	return session->n_owned;
}

void session_release(struct session *session, size_t mark)
{
	while (session->n_owned > mark) {
		struct owned_handle last = session->owned[--session->n_owned];

		switch (last.kind) {
		case OWNED_PROGRAM:
			clReleaseProgram(last.handle);
			break;
		case OWNED_KERNEL:
			clReleaseKernel(last.handle);
			/* A later kernel may have this address. */
			session->n_rehearsed = 0;
			break;
		case OWNED_MEMORY:
			clReleaseMemObject(last.handle);
			break;
		case OWNED_HOST:
			free(last.handle);
			break;
		case OWNED_PAGES:
			release_pages(session, last.handle);
			break;
		}
	}
	if (session->n_owned > 0)
		return;
	free(session->owned);
	session->owned = NULL;
}

void session_error_text(
	struct session *session, enum error_class class, int code, char *text)
{
	if (session_ok(session))
		session->rc =
			text ? error_set(session->err, class, code, "%s", text)
			     : error_no_memory(session->err, "a message");
	free(text);
}

void session_no_memory(struct session *session, const char *what)
{
	session->rc = error_no_memory(session->err, what);
}

void session_wrong_text(struct session *session, char *text)
{
	if (!session->rehearses)
		session_error(session, ERROR_FAILURE, EIO,
			"%s: the results of the device and of the host differ: "
			"this OpenCL implementation computes wrongly, so its "
			"times are meaningless",
			text ? text : "a kernel");
	free(text);
}

int session_stopped(struct session *session)
{
	const atomic_bool *stop = session->options->stop;

	if (stop && atomic_load_explicit(stop, memory_order_relaxed))
		session_error(session, ERROR_FAILURE, EINTR, "interrupted");
	return session->rc;
}

bool session_is_late(const struct session *session)
{
	return session->late_s > 0 && timebase_raw_s() > session->late_s;
}

double session_clock_s(const struct session *session)
{
	return timebase_raw_s() - session->built_s;
}

void session_advance(struct session *session, double done)
{
	double part = 0;

	if (session->rc)
		return;
	session->done += done;
	if (session->all > 0)
		part = session->done / session->all;
	if (session->options->progress)
		session->options->progress(
			session->options->progress_context, part);
}

static void check_session_record(struct session *session)
{
	if (session->record->facts.failed)
		session_no_memory(session, "the record");
}

void session_record(
	struct session *session, const char *list, struct facts *row)
{
	if (session->rc) {
		facts_release(row);
		return;
	}
	record_add_row(session->record, list, row);
	check_session_record(session);
}

void session_say_text(struct session *session, const char *list, char *text)
{
	if (session_ok(session)) {
		if (text)
			text_make_utf8(text);
		record_add_text(session->record, list, text);
		check_session_record(session);
	}
	free(text);
}

void session_add_list_text(
	struct session *session, struct text_list *list, char *text)
{
	const char *all = session_list_text(session, list);

	if (*all && text)
		session_add_finding(session, "%s: %s", text, all);
	else if (!text)
		session_no_memory(session, "a finding");
	free(text);
}

const char *session_own_text(struct session *session, char *text)
{
	if (text && session_own_handle(session, OWNED_HOST, text))
		return text;
	if (!text)
		session_no_memory(session, "a text");
	free(text);
	return "";
}

const char *session_number(struct session *session, double value)
{
	char text[TEXT_NUMBER_BYTES];

	return session_text(session, "%s", text_number(value, text));
}

const char *session_bytes(struct session *session, uint64_t bytes)
{
	char text[TEXT_SIZE_BYTES];

	return session_text(session, "%s", text_size(bytes, text));
}

const char *session_time(struct session *session, double s)
{
	char text[TEXT_SIZE_BYTES];

	return session_text(session, "%s", text_time(s, text));
}

const char *session_list_text(struct session *session, struct text_list *list)
{
	return session_own_text(session, text_list_end(list));
}

static void build_failed(struct session *session, cl_program program,
	const char *file, cl_int code)
{
	const char *name = session_code_name(code);
	size_t bytes = 0;
	char *log;

	clGetProgramBuildInfo(program, session->device, CL_PROGRAM_BUILD_LOG, 0,
		NULL, &bytes);
	log = calloc(1, bytes + 1);
	if (log) {
		clGetProgramBuildInfo(program, session->device,
			CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
		text_one_line(log);
		log[strnlen(log, LOG_BYTES)] = '\0';
	}
	session_error(session, ERROR_FAILURE, EIO,
		"%s: the kernels do not build (%s): %s", file,
		name ? name : "unknown error",
		log && *log ? log : "the compiler gives no reason");
	free(log);
}

/* Compile a program. *code: the compiler's error. NULL: the session failed. */
static cl_program session_compile(struct session *session, const char *file,
	const char *source, const char *flags, cl_int *code)
{
	const char *sources[] = {
		session->is_cpu ? "#define SHARES\n" : "", shares_cl, source};
	cl_program program;
	double begin_s = timebase_raw_s();

	if (session->rc)
		return NULL;
	program = clCreateProgramWithSource(
		session->context, N_OF(sources), sources, NULL, code);
	if (!program || *code) {
		session_fail(session, *code, file);
		return NULL;
	}
	program = session_own_handle(session, OWNED_PROGRAM, program);
	if (program)
		*code = clBuildProgram(
			program, 1, &session->device, flags, NULL, NULL);
	session->built_s += timebase_raw_s() - begin_s;
	return program;
}

cl_program session_build(struct session *session, const char *file,
	const char *source, const char *flags)
{
	cl_int code = CL_SUCCESS;
	cl_program program =
		session_compile(session, file, source, flags, &code);

	if (program && code)
		build_failed(session, program, file, code);
	return program;
}

cl_program session_build_table(struct session *session, const char *file,
	const char *source, const char *flags, const cl_uint *words, size_t n)
{
	struct text_list list = {.text = NULL};

	text_list_add(&list, "", "#define TABLE ");
	for (size_t i = 0; i < n; i++)
		text_list_add(
			&list, "", "%u,", words ? words[i] : session_word(i));
	text_list_add(&list, "", "\n%s", source);
	return session_build(
		session, file, session_list_text(session, &list), flags);
}

cl_kernel session_kernel(
	struct session *session, cl_program program, const char *name)
{
	cl_kernel kernel;
	cl_int code;

	if (session->rc)
		return NULL;
	kernel = clCreateKernel(program, name, &code);
	if (kernel && !code)
		return session_own_handle(session, OWNED_KERNEL, kernel);
	session_fail(session, code, name);
	return NULL;
}

cl_kernel session_try_kernel(
	struct session *session, const char *source, const char *name)
{
	cl_int code = CL_SUCCESS;
	cl_program program =
		session_compile(session, name, source, NULL, &code);
	cl_kernel kernel =
		program && !code ? clCreateKernel(program, name, &code) : NULL;

	return kernel && !code
		       ? session_own_handle(session, OWNED_KERNEL, kernel)
		       : NULL;
}

cl_mem session_own(
	struct session *session, cl_mem memory, cl_int code, const char *what)
{
	if (memory && !code)
		return session_own_handle(session, OWNED_MEMORY, memory);
	session_fail(session, code, what);
	return NULL;
}

cl_mem session_buffer(struct session *session, size_t bytes)
{
	void *pages = NULL;
	cl_mem buffer;
	cl_int code = CL_SUCCESS;

	if (bytes > session->max_alloc_bytes)
		session_error(session, ERROR_UNAVAILABLE, ENOMEM,
			"a buffer of %s is larger than the device allows (%s)",
			session_bytes(session, bytes),
			session_bytes(session, session->max_alloc_bytes));
	if (session->is_cpu)
		pages = session_pages(session, bytes, "a buffer");
	if (session->rc)
		return NULL;
	buffer = clCreateBuffer(session->context,
		CL_MEM_READ_WRITE | (pages ? CL_MEM_USE_HOST_PTR : 0), bytes,
		pages, &code);
	return session_own(session, buffer, code, "a buffer on the device");
}

void *session_memory(struct session *session, size_t bytes, const char *what)
{
	void *memory;

	if (session->rc)
		return NULL;
	memory = aligned_alloc(
		PAGE_BYTES, (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
	if (memory)
		return session_own_handle(session, OWNED_HOST, memory);
	session_no_memory(session, what);
	return NULL;
}

void *session_pages(struct session *session, size_t bytes, const char *what)
{
	struct memory_mapping *memory =
		session_memory(session, sizeof(*memory), what);

	if (!memory)
		return NULL;
	session->rc = memory_map_huge(memory, bytes, session->err);
	if (session->rc < 0)
		error_prefix(session->err, "%s", what);
	else if (session_own_handle(session, OWNED_PAGES, memory))
		return memory->base;
	memory_release(memory);
	return NULL;
}

void session_set_arguments(struct session *session, cl_kernel kernel,
	cl_uint first, const struct kernel_argument *arguments)
{
	for (; session_ok(session) && arguments->bytes; arguments++, first++) {
		/* All members of the union have the same address. */
		cl_int code = clSetKernelArg(kernel, first, arguments->bytes,
			arguments->is_local ? NULL : &arguments->memory);

		if (code)
			session_fail(session, code, "a kernel's argument");
	}
}

int session_finish(struct session *session, cl_int code, const char *what)
{
	if (!code)
		code = clFinish(session->queue);
	return code ? session_fail(session, code, what) : session->rc;
}

static void *map_buffer(struct session *session, cl_mem buffer,
	cl_map_flags flags, size_t from, size_t bytes)
{
	cl_int code = CL_SUCCESS;
	void *at;

	if (session->rc)
		return NULL;
	at = clEnqueueMapBuffer(session->queue, buffer, CL_TRUE, flags, from,
		bytes, 0, NULL, NULL, &code);
	if (at && !code)
		return at;
	session_fail(session, code, "mapping a buffer");
	return NULL;
}

void *session_map(
	struct session *session, cl_mem buffer, size_t bytes, bool write)
{
	return map_buffer(session, buffer,
		write ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ, 0, bytes);
}

void *session_map_part(
	struct session *session, cl_mem buffer, size_t from, size_t bytes)
{
	return map_buffer(session, buffer, CL_MAP_READ, from, bytes);
}

int session_unmap(struct session *session, cl_mem buffer, void *at)
{
	return session_finish(session,
		clEnqueueUnmapMemObject(
			session->queue, buffer, at, 0, NULL, NULL),
		"unmapping a buffer");
}

void session_read(struct session *session, cl_mem buffer, size_t from,
	size_t bytes, void *to)
{
	if (session_ok(session))
		session_finish(session,
			clEnqueueReadBuffer(session->queue, buffer, CL_TRUE,
				from, bytes, to, 0, NULL, NULL),
			"reading a buffer");
}

struct buffer_filling {
	cl_uint (*at)(const void *context, size_t i);
	double (*number)(const void *context, size_t i, double *slack);
	bool is_double;
	const void *context;
	void *to;
};

static void fill_words_part(
	void *context, size_t part, size_t first, size_t end)
{
	const struct buffer_filling *filling = context;
	cl_uint *words = filling->to;
	double slack;

	(void)part;
	for (size_t i = first; i < end; i++) {
		if (filling->number)
			number_set_element(filling->is_double, words, i,
				filling->number(filling->context, i, &slack));
		else
			words[i] = filling->at
					   ? filling->at(filling->context, i)
					   : session_word(i);
	}
}

static void fill_buffer(struct session *session, cl_mem buffer, size_t n,
	struct buffer_filling filling)
{
	double begin_s = timebase_raw_s();
	size_t bytes =
		n * (filling.is_double ? sizeof(cl_double) : sizeof(cl_uint));

	if (!session->rehearses)
		filling.to = session_map(session, buffer, bytes, true);
	if (!filling.to)
		return;
	split_run(n, session->options->cpus->n, fill_words_part, &filling);
	session_unmap(session, buffer, filling.to);
	session->filled_s += timebase_raw_s() - begin_s;
}

void session_fill(struct session *session, cl_mem buffer, size_t n,
	cl_uint (*at)(const void *context, size_t i), const void *context)
{
	fill_buffer(session, buffer, n,
		(struct buffer_filling){.at = at, .context = context});
}

void session_fill_numbers(struct session *session, cl_mem buffer, size_t n,
	bool is_double,
	double (*number)(const void *context, size_t i, double *slack),
	const void *context)
{
	fill_buffer(session, buffer, n,
		(struct buffer_filling){.number = number,
			.is_double = is_double,
			.context = context});
}

cl_uint session_word(size_t i)
{
	return (cl_uint)i * 2654435761u >> 8;
}

void session_set_words(
	struct session *session, cl_mem buffer, size_t n, cl_uint word)
{
	double begin_s = timebase_raw_s();

	if (session->rc || session->rehearses)
		return;
	session_finish(session,
		clEnqueueFillBuffer(session->queue, buffer, &word, sizeof(word),
			0, n * sizeof(word), 0, NULL, NULL),
		"filling a buffer");
	session->filled_s += timebase_raw_s() - begin_s;
}

size_t session_group(const struct session *session, size_t items)
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

size_t session_fact(const struct session *session, cl_device_info what)
{
	int64_t number = session->rc ? 0 : device_number(session->device, what);

	return number > 0 ? (size_t)number : 0;
}

double session_room_bytes(const struct session *session, unsigned arrays)
{
	return fmin((double)session->max_alloc_bytes,
		MEMORY_SHARE * (double)session->global_bytes / arrays);
}

size_t session_fit(const struct session *session, size_t bytes, size_t least,
	unsigned arrays)
{
	while (bytes > least &&
		(double)bytes > session_room_bytes(session, arrays))
		bytes /= 2;
	return bytes;
}

size_t session_beyond_caches(
	const struct session *session, const struct beyond_caches *sizes)
{
	uint64_t wanted = sizes->caches * session_llc_bytes(session);
	size_t bytes = session->is_cpu ? sizes->least : sizes->gpu;

	while (session->is_cpu && bytes < wanted && bytes < sizes->most)
		bytes *= 2;
	return bytes;
}

uint64_t session_llc_bytes(const struct session *session)
{
	return caches_llc_bytes(session->machine, session->options->cpus);
}

/* Bytes of local memory that NVIDIA's kernels cannot use. */
#define LOCAL_SPARE_BYTES ((size_t)1 << 10)

size_t session_local_bytes(const struct session *session)
{
	size_t bytes = session_fact(session, CL_DEVICE_LOCAL_MEM_SIZE);

	return bytes > LOCAL_SPARE_BYTES ? bytes - LOCAL_SPARE_BYTES : bytes;
}

/* Bytes of the longest table: every device with a full profile allows it. */
#define TABLE_BYTES ((size_t)64 << 10)

/*
 * Return the bytes of a table. NVIDIA's compiler adds its own constants, and
 * refuses a table of 64 KiB.
 */
size_t session_table_bytes(const struct session *session)
{
	size_t limit =
		session_fact(session, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);

	return session->is_cpu || limit > TABLE_BYTES
		       ? min_size(TABLE_BYTES, limit)
		       : limit / 2;
}

bool session_has_double(struct session *session)
{
	bool has = session_fact(session, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;

	if (!has)
		session_note(session,
			"double is left out: the device does not support it "
			"(CL_DEVICE_DOUBLE_FP_CONFIG)");
	return has;
}

bool session_lacks_threads(const struct session *session)
{
	return session->workers.n > 0 &&
	       session->workers.n < session->options->cpus->n;
}

static void query_device_limits(struct session *session)
{
	cl_device_type type = 0;
	const struct {
		cl_device_info what;
		size_t bytes;
		void *value;
	} facts[] = {
		{CL_DEVICE_TYPE, sizeof(type), &type},
		{CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(session->units),
			&session->units},
		{CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(session->max_group),
			&session->max_group},
		{CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(session->max_alloc_bytes),
			&session->max_alloc_bytes},
		{CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(session->global_bytes),
			&session->global_bytes},
	};

	for (size_t i = 0; i < N_OF(facts); i++) {
		cl_int code = clGetDeviceInfo(session->device, facts[i].what,
			facts[i].bytes, facts[i].value, NULL);

		if (code)
			session_fail(session, code, "the device's facts");
	}
	session->is_cpu = type & CL_DEVICE_TYPE_CPU;
}

int session_connect(struct session *session)
{
	cl_int code;

	session->context =
		clCreateContext(NULL, 1, &session->device, NULL, NULL, &code);
	if (!session->context || code)
		return session_fail(
			session, code, "c2c cannot open the device");
	session->queue = clCreateCommandQueue(session->context, session->device,
		CL_QUEUE_PROFILING_ENABLE, &code);
	if (!session->queue || code)
		return session_fail(session, code, "a queue of the device");
	return 0;
}

/* Query facts of the device; take its names from the record. */
static void query_device_theory(struct session *session)
{
	const char *name = facts_text(&session->record->facts, "device.name");
	char board[BOARD_BYTES] = "";
	size_t items;

	session->theory = device_theory(session->device);
	if (session->theory.vendor == THEORY_AMD &&
		clGetDeviceInfo(session->device, CL_DEVICE_BOARD_NAME_AMD,
			sizeof(board) - 1, board, NULL) == 0)
		session->theory.board = session_text(session, "%s", board);
	if (name)
		session->theory.name = session_text(session, "%s", name);
	items = theory_listed_items(&session->theory);
	if (items)
		facts_set_count(&session->record->facts, "device.unit_items",
			(int64_t)items);
}

int session_open(struct session *session)
{
	const struct test_options *options = session->options;
	struct facts device;

	session->rc =
		device_find(options->device, &session->device, session->err);
	if (session_ok(session))
		query_device_limits(session);
	if (session->rc)
		return session->rc;
	device = device_describe(session->device, options->device);
	record_add_object(session->record, "device", &device);
	facts_release(&device);
	if (session_connect(session) < 0)
		return session->rc;
	if (options->work_group > session->max_group)
		session_note(session,
			"work-groups have %zu work-items, not %llu: the "
			"device allows no more",
			session->max_group,
			(unsigned long long)options->work_group);
	if (!session->is_cpu)
		query_device_theory(session);
	session->basic = session_build(session, "session.cl", session_cl, NULL);
	if (session->is_cpu && session->shares > 0)
		session->taken =
			session_buffer(session, session_taken_bytes(session));
	return session->rc;
}

void session_close(struct session *session)
{
	workers_release(&session->workers);
	session_release(session, 0);
	free(session->rehearsed);
	if (session->queue)
		clReleaseCommandQueue(session->queue);
	if (session->context)
		clReleaseContext(session->context);
}
