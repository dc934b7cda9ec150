/*
 * Measure a triad in shared virtual memory of OpenCL 2.0, which host and device
 * use at the same addresses: at the first touch by host or device, and later.
 * Modelled on um-stream of gpu-benches by D. Ernst
 * (https://github.com/te42kyfo/gpu-benches).
 *
 * The test allocates three arrays with clSVMAlloc, and measures four cases:
 *
 *  *	first touch by host	the host maps, writes and unmaps the arrays
 *  *	first touch by device	a kernel writes the arrays
 *  *	first run		a triad, after the host wrote the arrays
 *  *	second run		triads, after a triad that does not count
 *
 * All cases except the last allocate new arrays for each run. The host's clock
 * measures from the call until the queue is empty, because memory may also move
 * before a kernel begins or when the host unmaps it. A rate counts each byte of
 * the three arrays once.
 *
 * Fine-grain buffers need no map, if the device has them.
 *
 * Bias: a single CPU of the host does the first touch, and also computes the
 * values. The implementation chooses the pages; the ceilings use huge pages.
 */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <math.h>

#include "cl/memory/svm_cl.h"
#include "cl/sweep.h"
#include "machine/memory.h"
#include "machine/timebase.h"

#define MIB ((size_t)1 << 20)

/* Bytes of all three arrays; larger arrays have the same rates. */
#define LEAST_BYTES	(24 * MIB)
#define CPU_BYTES	(192 * MIB)
#define MOST_BYTES	(64 * LEAST_BYTES)
#define QUICK_BYTES	(48 * MIB)
#define QUICK_GPU_BYTES (16 * LEAST_BYTES)
/* Largest size on CPUs / last-level caches. Each run fills new arrays. */
#define CACHES 2

#define ARRAYS 3

/*
 * Divide a point's time by this, because allocation takes most of the time. If
 * a run with its allocation takes longer than LONG_RUN_S, warm up with one run.
 */
#define POINT_TIME_DIVISOR 3
#define LONG_RUN_S	   0.1

/* Parts of the arrays for each unit of a CPU device. */
#define CPU_PARTS 16

/* Bytes of a work-item's step on CPUs. Other devices take an element. */
#define LINE_BYTES 64

/* In arrays of more elements, check only every CHECKED_STEP-th element. */
#define CHECKED_ELEMENTS ((size_t)1 << 22)
#define CHECKED_STEP	 257

/* Below this size the C library may return memory that was touched already. */
#define FRESH_BYTES (128 << 10)

/* Constants of OpenCL 2.0, which c2c's version of the headers lacks. */
#define SVM_CAPABILITIES 0x1053
#define SVM_COARSE	 (1 << 0)
#define SVM_FINE	 (1 << 1)
#define MEM_SVM_FINE	 (1 << 10)

typedef void *svm_alloc(cl_context, cl_bitfield, size_t, cl_uint);
typedef void svm_free(cl_context, void *);
typedef cl_int svm_map(cl_command_queue, cl_bool, cl_map_flags, void *, size_t,
	cl_uint, const cl_event *, cl_event *);
typedef cl_int svm_unmap(
	cl_command_queue, void *, cl_uint, const cl_event *, cl_event *);
typedef cl_int svm_argument(cl_kernel, cl_uint, const void *);

enum svm_kind {
	HOST_TOUCH,
	DEVICE_TOUCH,
	FIRST_RUN,
	SECOND_RUN,
	KINDS
};

static const char *const kinds[KINDS] = {
	[HOST_TOUCH] = "first touch by host",
	[DEVICE_TOUCH] = "first touch by device",
	[FIRST_RUN] = "first run",
	[SECOND_RUN] = "second run",
};

struct svm_arrays {
	struct session *session;
	svm_alloc *alloc;
	svm_free *free;
	svm_map *map;
	svm_unmap *unmap;
	svm_argument *set;

	bool fine;
	size_t scalar_bytes, width; /* 8 (4 without double); of a vector */
	struct launch fill, triad;
	size_t n;	      /* elements of each array at this point */
	void *arrays[ARRAYS]; /* a = b + factor * c; NULL: not allocated */
	cl_uint version;      /* version of the contents of b */
	cl_uint runs;	      /* runs of the triad, each with its own factor */
};

static cl_uint svm_b_value(const struct svm_arrays *svm, size_t i)
{
	return ((cl_uint)(i ^ i >> 17) + svm->version) & 0x3ffff;
}

static cl_uint svm_c_value(size_t i)
{
	return (cl_uint)i * 2654435761u >> 12;
}

/* Return the factor of the last run; consecutive runs have different ones. */
static cl_uint svm_run_factor(const struct svm_arrays *svm)
{
	return 3 + 2 * (svm->runs % 2);
}

static size_t svm_array_bytes(const struct svm_arrays *svm)
{
	return svm->n * svm->scalar_bytes;
}

static void svm_release_arrays(struct svm_arrays *svm)
{
	clFinish(svm->session->queue);
	for (int k = 0; k < ARRAYS; k++) {
		if (svm->arrays[k])
			svm->free(svm->session->context, svm->arrays[k]);
		svm->arrays[k] = NULL;
	}
}

static void svm_allocate_arrays(struct svm_arrays *svm)
{
	struct session *session = svm->session;
	cl_bitfield flags = CL_MEM_READ_WRITE | (svm->fine ? MEM_SVM_FINE : 0);
	for (int k = 0; k < ARRAYS && session_ok(session); k++) {
		svm->arrays[k] = svm->alloc(
			session->context, flags, svm_array_bytes(svm), 0);
		if (!svm->arrays[k])
			session_error(session, ERROR_UNAVAILABLE, ENOMEM,
				"clSVMAlloc gives no %s",
				session_bytes(session, svm_array_bytes(svm)));
	}
}

/* Map an array for the host, until svm_unmap_array(). */
static void svm_map_array(
	struct svm_arrays *svm, void *array, cl_map_flags flags)
{
	cl_int code = 0;

	if (session_ok(svm->session) && !svm->fine)
		code = svm->map(svm->session->queue, CL_TRUE, flags, array,
			svm_array_bytes(svm), 0, NULL, NULL);
	if (code)
		session_fail(svm->session, code, "clEnqueueSVMMap");
}

static void svm_unmap_array(struct svm_arrays *svm, void *array)
{
	cl_int code = 0;

	if (session_ok(svm->session) && !svm->fine)
		code = svm->unmap(svm->session->queue, array, 0, NULL, NULL);
	if (code)
		session_fail(svm->session, code, "clEnqueueSVMUnmap");
}

static double svm_touch_by_host(struct svm_arrays *svm)
{
	bool is_double = svm->scalar_bytes == sizeof(cl_double);
	uint64_t start_ns = timebase_raw_ns();

	for (int k = 0; k < ARRAYS; k++)
		svm_map_array(
			svm, svm->arrays[k], CL_MAP_WRITE_INVALIDATE_REGION);
	for (size_t i = 0; i < svm->n && session_ok(svm->session); i++) {
		number_set_element(is_double, svm->arrays[0], i, -1);
		number_set_element(
			is_double, svm->arrays[1], i, svm_b_value(svm, i));
		number_set_element(
			is_double, svm->arrays[2], i, svm_c_value(i));
	}
	for (int k = 0; k < ARRAYS; k++)
		svm_unmap_array(svm, svm->arrays[k]);
	session_finish(svm->session, 0, "shared memory");
	return (double)(timebase_raw_ns() - start_ns) * 1e-9;
}

/* Run a kernel on the arrays. own is the kernel's own argument. */
static double svm_run_kernel(struct svm_arrays *svm,
	const struct launch *launch, struct kernel_argument own)
{
	struct session *session = svm->session;
	size_t vectors = svm->n / svm->width;
	size_t part = session->is_cpu ? vectors / launch->items + 1 : 1;
	cl_int code = 0;

	for (cl_uint k = 0; k < ARRAYS && session_ok(session) && !code; k++)
		code = svm->set(launch->kernel, k, svm->arrays[k]);
	if (code)
		session_fail(session, code, "clSetKernelArgSVMPointer");
	session_arguments(session, launch->kernel, ARRAYS, own,
		long_argument(part),
		long_argument(session->is_cpu ? part : vectors),
		long_argument(session->is_cpu ? 1 : launch->items),
		long_argument(vectors));
	return launch_once(session, launch, true);
}

static double svm_run_triad(struct svm_arrays *svm)
{
	svm->runs++;
	return svm_run_kernel(svm, &svm->triad,
		number_argument(svm->scalar_bytes == sizeof(cl_double),
			svm_run_factor(svm)));
}

static void svm_check(struct sweep *sweep, size_t i, struct timing *timing)
{
	struct svm_arrays *svm = sweep->context;
	cl_uint factor = svm_run_factor(svm);
	bool in_part = svm->n > CHECKED_ELEMENTS, wrong = false;
	size_t summed = in_part ? CHECKED_ELEMENTS : svm->n;

	svm_map_array(svm, svm->arrays[0], CL_MAP_READ);
	if (svm->session->rc)
		return;
	assert(svm->arrays[0]);
	for (size_t k = 0; k < svm->n; k += in_part ? CHECKED_STEP : 1)
		wrong |= number_element(svm->scalar_bytes == sizeof(double),
				 svm->arrays[0], k) !=
			 svm_b_value(svm, k) + (double)factor * svm_c_value(k);
	timing_sum(timing, svm->arrays[0], summed * svm->scalar_bytes);
	svm_unmap_array(svm, svm->arrays[0]);
	session_finish(svm->session, 0, "shared memory");
	if (wrong)
		session_wrong(
			svm->session, "%s", sweep_place(sweep, sweep->x[i]));
}

/* Make arrays, with the first touch of this kind of run; return the time. */
static double svm_touch_arrays(struct svm_arrays *svm, enum svm_kind kind)
{
	svm_release_arrays(svm);
	svm->version++;
	svm_allocate_arrays(svm);
	if (svm->session->rc)
		return NAN;
	return kind == HOST_TOUCH || kind == FIRST_RUN
		       ? svm_touch_by_host(svm)
		       : svm_run_kernel(
				 svm, &svm->fill, word_argument(svm->version));
}

static struct timing svm_time_runs(struct sweep *sweep, size_t i, double *s)
{
	struct svm_arrays *svm = sweep->context;
	struct session *session = svm->session;
	const struct test_options *options = session->options;
	enum svm_kind kind = (enum svm_kind)sweep->kind;
	double begin_s = timebase_raw_s();
	size_t discard = options->discard, n = 0;
	struct timing sum = timing_none(), timing;

	if (kind == SECOND_RUN) {
		svm_touch_arrays(svm, kind);
		svm_run_triad(svm);
	}
	while (n < options->repeat && session_stopped(session) == 0 &&
		!timing_is_enough((unsigned)n,
			POINT_TIME_DIVISOR * (timebase_raw_s() - begin_s))) {
		double round_s = timebase_raw_s();
		double touch_s =
			kind == SECOND_RUN ? NAN : svm_touch_arrays(svm, kind);
		double run_s = svm_run_triad(svm);

		if (kind == HOST_TOUCH || kind == DEVICE_TOUCH)
			run_s = touch_s;

		/* Check second runs later, because a check moves the arrays. */
		if (kind != SECOND_RUN)
			svm_check(sweep, i, &sum);
		if (discard > 0)
			discard = timebase_raw_s() - round_s < LONG_RUN_S
					  ? discard - 1
					  : 0;
		else
			s[n++] = run_s;
	}
	if (kind == SECOND_RUN)
		svm_check(sweep, i, &sum);
	clock_measure(session);
	if (session->rc)
		return timing_none();
	timing = timing_of_runs(session, s, n);
	timing.checksum = sum.checksum;
	timing.group = kind == HOST_TOUCH ? 0 : svm->triad.group;
	return timing;
}

static struct timing svm_time_point(struct sweep *sweep, size_t i)
{
	struct svm_arrays *svm = sweep->context;
	struct session *session = svm->session;
	size_t mark = session_mark(session);
	double *s = session_memory(
		session, session->options->repeat * sizeof(*s), "the times");
	struct timing timing = timing_none();

	if (s)
		timing = svm_time_runs(sweep, i, s);
	svm_release_arrays(svm);
	session_release(session, mark);
	return timing;
}

/* Set the elements of each array to whole vectors. */
static void svm_prepare(struct sweep *sweep, size_t i)
{
	struct svm_arrays *svm = sweep->context;
	size_t vector = svm->scalar_bytes * svm->width;

	svm->n = (size_t)sweep->x[i] / ARRAYS / vector * svm->width;
	sweep->amount = (double)(ARRAYS * svm_array_bytes(svm));
	if (sweep->kind == FIRST_RUN || sweep->kind == SECOND_RUN)
		sweep->bound.bytes = svm_array_bytes(svm);
}

static void svm_measure(struct svm_arrays *svm, size_t most)
{
	struct session *session = svm->session;
	const struct test_options *options = session->options;
	struct sweep sweeps[KINDS] = {{.session = session}};
	const char *family =
		svm->fine ? "fine-grain buffers" : "coarse-grain buffers";
	/* GPU implementations allocate slowly: 0.5 s a GiB on an H200. */
	bool few = !session->is_cpu && (options->quick || !options->most_bytes);
	size_t at;

	for (unsigned k = 0; k < KINDS; k++) {
		sweeps[k] = (struct sweep){.session = session,
			.facts = {.family = family,
				.member = kinds[k],
				SWEEP_SIZES,
				.y_axis = CURVE_RATIOS},
			.prepare = svm_prepare,
			.time = svm_time_point,
			.context = svm,
			.kind = k,
			.bound = {.what = NATIVE_TRIAD, .panel = "all CPUs"}};
		sweep_up_to(&sweeps[k],
			options->most_bytes ? options->least_bytes
					    : LEAST_BYTES,
			most, few ? 4 : 2);
		/* --beyond reaches its largest size. */
		if (few && !options->most_bytes &&
			sweeps[k].x[sweeps[k].n - 1] < (double)most)
			sweep_add(&sweeps[k], (double)most);
	}
	sweeps[FIRST_RUN].bound.of = &sweeps[SECOND_RUN];
	if (sweep_run(sweeps, KINDS) < 0)
		return;
	at = sweeps->n - 1;
	sweep_compare(&sweeps[DEVICE_TOUCH], at, &sweeps[HOST_TOUCH], at);
	/* Large sizes have few runs: compare the largest with intervals. */
	while (at > 0 && isnan(sweep_figure(&sweeps[SECOND_RUN], at).low /
				 sweep_figure(&sweeps[FIRST_RUN], at).high))
		at--;
	sweep_compare(&sweeps[SECOND_RUN], at, &sweeps[FIRST_RUN], at);
}

static bool svm_find_functions(struct svm_arrays *svm)
{
	svm->alloc = (svm_alloc *)dlsym(RTLD_DEFAULT, "clSVMAlloc");
	svm->free = (svm_free *)dlsym(RTLD_DEFAULT, "clSVMFree");
	svm->map = (svm_map *)dlsym(RTLD_DEFAULT, "clEnqueueSVMMap");
	svm->unmap = (svm_unmap *)dlsym(RTLD_DEFAULT, "clEnqueueSVMUnmap");
	svm->set =
		(svm_argument *)dlsym(RTLD_DEFAULT, "clSetKernelArgSVMPointer");
	return svm->alloc && svm->free && svm->map && svm->unmap && svm->set;
}

/* Return the bytes that host and device have for all three arrays. */
static double svm_room_bytes(const struct session *session)
{
	/* On CPUs the ceilings need as much memory again. */
	double host = MEMORY_SHARE * (double)memory_available() /
		      (session->is_cpu ? 2 : 1);
	double device = fmin((double)session->global_bytes / 2,
		(double)ARRAYS * (double)session->max_alloc_bytes);

	return session->options->beyond ? host : fmin(host, device);
}

/* Return the largest size; 0 if the arrays do not fit. */
static size_t svm_choose_max(struct session *session)
{
	const struct test_options *options = session->options;
	bool quick = options->quick;
	const struct beyond_caches sizes = {quick ? QUICK_BYTES : CPU_BYTES,
		quick ? QUICK_BYTES : MOST_BYTES, CACHES,
		quick ? QUICK_GPU_BYTES : MOST_BYTES};
	double room = svm_room_bytes(session);
	size_t most = options->most_bytes;

	if (!most)
		most = options->beyond ? 2 * (size_t)session->global_bytes
				       : session_beyond_caches(session, &sizes);
	/* Reduce only sizes that the user did not choose. */
	while (!options->most_bytes && !options->beyond && most > LEAST_BYTES &&
		(double)most > room)
		most /= 2;
	if ((double)most <= room)
		return most;
	session_refuse(session,
		"svm needs three arrays of %s in all, and there is room for "
		"%s: choose smaller --sizes%s",
		session_bytes(session, most),
		session_bytes(session, (uint64_t)room),
		options->beyond ? ""
				: ", or --beyond for more than half of the "
				  "device's memory");
	return 0;
}

/* Report that the largest size is limited, because filling takes long. */
static void svm_report_size_limit(struct session *session, size_t most)
{
	const struct test_options *options = session->options;
	double room = svm_room_bytes(session);
	if (session->is_cpu || options->most_bytes || options->beyond ||
		room < 2 * (double)most)
		return;
	session_add_finding(session,
		"the largest size is %s, so the test takes less than a minute: "
		"the host fills new arrays for most runs; --sizes allows up to "
		"%s here",
		session_bytes(session, most),
		session_bytes(session, (uint64_t)room));
}

static struct launch svm_launch(
	struct session *session, cl_program program, const char *name)
{
	size_t items = session->is_cpu ? CPU_PARTS * session->units
				       : theory_items(&session->theory);
	cl_kernel kernel = session_kernel(session, program, name);

	if (session->is_cpu)
		return launch_singly(kernel, items);
	return (struct launch){.kernel = kernel,
		.items = items,
		.group = session_group(session, items)};
}

static void svm_open(struct svm_arrays *svm)
{
	struct session *session = svm->session;
	cl_program program;

	svm->scalar_bytes = session_has_double(session) ? 8 : 4;
	svm->width = session->is_cpu ? LINE_BYTES / svm->scalar_bytes : 1;
	program = session_program(session, svm, "-DSCALAR=%s -DWIDTH=%zu",
		svm->scalar_bytes == 8 ? "double" : "float", svm->width);
	svm->fill = svm_launch(session, program, "svm_fill");
	svm->triad = svm_launch(session, program, "svm_triad");
}

static void run_svm(struct session *session)
{
	struct svm_arrays svm = {.session = session};
	struct facts *facts = &session->record->facts;
	size_t has = session_fact(session, SVM_CAPABILITIES);
	size_t most;

	if (!(has & (SVM_COARSE | SVM_FINE)))
		session_refuse(session,
			"this device has no buffers of shared virtual memory "
			"(CL_DEVICE_SVM_CAPABILITIES)");
	if (!svm_find_functions(&svm))
		session_refuse(session,
			"this OpenCL loader has no shared virtual memory "
			"(clSVMAlloc): install one of OpenCL 2.0 or later");
	if (session->rc)
		return;
	facts_set_text(facts, "timing.clock", "host");
	facts_set_text(facts, "timing.clock_reason",
		"memory may move before a kernel begins");
#ifdef M_MMAP_THRESHOLD
	/* CPU implementations take memory from the C library. */
	mallopt(M_MMAP_THRESHOLD, FRESH_BYTES);
#endif
	most = svm_choose_max(session);
	svm_open(&svm);
	svm.fine = !(has & SVM_COARSE);
	/* OpenCL may compile a kernel at its first launch. */
	if (session_ok(session)) {
		svm.n = svm.width;
		svm_touch_arrays(&svm, DEVICE_TOUCH);
		svm_run_triad(&svm);
		svm_release_arrays(&svm);
	}
	session->all =
		KINDS * ((has & SVM_COARSE ? 1 : 0) + (has & SVM_FINE ? 1 : 0));
	for (int fine = 0; fine < 2 && session_ok(session); fine++) {
		svm.fine = fine;
		if (has & (fine ? SVM_FINE : SVM_COARSE))
			svm_measure(&svm, most);
	}
	if (session_ok(session))
		svm_report_size_limit(session, most);
}

const struct test test_svm = {
	.name = "svm",
	.section = "um-stream",
	.source = SOURCE_BENCHES "um-stream",
	/* --beyond may hang the machine, so only the user sets it. */
	.set = GROUP_MEMORY,
	.summary = "memory shared by host and device, by the first touch",
	.takes = TAKES_SIZES,
	.memory_by = TAKES_SIZES,
	.figures = {{.what = "triad, second run",
		.family = "coarse-grain buffers",
		.members = {"second run"}}},
	.run = run_svm,
};
