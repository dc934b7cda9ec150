/*
 * One addition of two arrays over the number of work-items (section 2.5,
 * figure 25), and the same with threads and with one loop, on the same CPUs.
 *
 * Timed is c[i] = a[i] + b[i] over three arrays of 64 MiB in all (63.75: the
 * largest number of floats that 65,536 work-items divide). A kernel is timed
 * without its launch where events are believed; threads with their creation
 * and end, as in the paper, and once more from when all are there. So compare
 * kernels with the latter.
 *
 * The paper's rule makes a single group of 256 items, which one CPU works on
 * alone. A second curve has groups so small that each CPU gets two.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/curves.h"
#include "cl/sizes.h"
#include "cl/suite/scale_cl.h"
#include "cl/tests.h"
#include "cl/turns.h"
#include "cl/verdict.h"
#include "util/text.h"

#define MOST_ITEMS   65536
#define FLOATS	     ((size_t)MOST_ITEMS * 85)
#define MOST_THREADS 256

/* Doublings between the points: all, and with --quick. */
#define QUICK_STEP 4

#define MOST_POINTS 32

/* Of either in a round of the comparison, whose best counts. */
#define TURN_RUNS 10

/* The kernels of one work-item are the same: so far their medians scatter. */
#define SAME 1.25

/* A worker worked if it ran for more than this part of the busiest. */
#define BUSY_PART 3

enum kind {
	KIND_RULE,
	KIND_SMALL_GROUPS,
	KIND_READY,
	KIND_BOUND,
	KIND_UNBOUND,
	KIND_LOOP,
	KINDS,
};

static const char *const kind_names[KINDS] = {
	[KIND_RULE] = "OpenCL",
	[KIND_SMALL_GROUPS] = "OpenCL, two groups a unit",
	[KIND_READY] = "threads, bound, ready",
	[KIND_BOUND] = "threads, bound",
	[KIND_UNBOUND] = "threads, not bound",
	[KIND_LOOP] = "one loop",
};

struct scale {
	struct cl_session *session;
	cl_mem a, b, c;
	cl_program program;
	cl_kernel kernel;
	float *arrays; /* a, b and c of the host, one behind the other */
	struct native_sum sum;
	struct ceiling ceilings[2]; /* of reading a and b, of writing c */
	struct figure best[KINDS];  /* times in s */
	size_t best_x[KINDS], best_group[KINDS];
	size_t done, all; /* points */
};

static float a_at(size_t i)
{
	return (float)(i % 1021);
}

static float b_at(size_t i)
{
	return (float)(i % 509);
}

static int fill_device(struct scale *scale, cl_mem buffer,
	float (*at)(size_t i), struct error *err)
{
	void *mapped;
	int rc = session_map(scale->session, buffer, FLOATS * sizeof(float),
		true, &mapped, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < FLOATS; i++)
		((float *)mapped)[i] = at(i);
	return session_unmap(scale->session, buffer, mapped, err);
}

/* Sums of small whole numbers are exact. */
static bool is_sum(const float *c)
{
	for (size_t i = 0; i < FLOATS; i++) {
		if (c[i] != a_at(i) + b_at(i))
			return false;
	}
	return true;
}

static int check_device(const struct scale *scale, size_t items,
	struct cl_timing *timing, struct error *err)
{
	void *mapped;
	bool same;
	int rc = session_map(scale->session, scale->c, FLOATS * sizeof(float),
		false, &mapped, err);

	if (rc < 0)
		return rc;
	same = is_sum(mapped);
	session_sum_words(timing, mapped, FLOATS * sizeof(float));
	rc = session_unmap(scale->session, scale->c, mapped, err);
	if (rc == 0 && !same)
		rc = error_set(err, ERROR_FAILURE, EIO,
			"the sum by %zu work-items is not what the host "
			"computes: this implementation of OpenCL computes "
			"wrongly, and its times mean nothing",
			items);
	return rc;
}

static size_t group_of(const struct scale *scale, enum kind kind, size_t items)
{
	size_t group = session_group(scale->session, items);
	size_t small = items / (2 * (size_t)scale->session->units);

	if (kind == KIND_SMALL_GROUPS && group > small)
		group = small ? small : 1;
	while (kind == KIND_SMALL_GROUPS && items % group)
		group--;
	return group;
}

static bool is_kernel(enum kind kind)
{
	return kind == KIND_RULE || kind == KIND_SMALL_GROUPS;
}

/* All but the start of the kernel; *group: what it is to be started with. */
static int prepare_kernel(const struct scale *scale, enum kind kind,
	size_t items, size_t *group, struct error *err)
{
	cl_uint s = (cl_uint)(FLOATS / items);
	int rc;

	*group = group_of(scale, kind, items);
	rc = check_groups(scale->session->options, items, *group, err);
	if (rc < 0)
		return rc;
	/* No sum is the NaN that this makes. */
	rc = session_spoil(
		scale->session, scale->c, FLOATS * sizeof(float), err);
	return rc == 0 ? session_argument(scale->kernel, 3, sizeof(s), &s, err)
		       : rc;
}

static int time_kernel(const struct scale *scale, enum kind kind, size_t items,
	struct cl_timing *timing, struct error *err)
{
	size_t group;
	int rc = prepare_kernel(scale, kind, items, &group, err);

	if (rc == 0)
		rc = session_time(scale->session, scale->kernel, items, group,
			timing, err);
	return rc == 0 ? check_device(scale, items, timing, err) : rc;
}

static int add_once(const struct scale *scale, enum kind kind, size_t threads,
	const struct cpu_list *cpus, double *s, struct error *err)
{
	if (kind == KIND_LOOP) {
		*s = native_add_alone(&scale->sum);
		return 0;
	}
	return native_add(&scale->sum, threads,
		kind == KIND_UNBOUND ? NULL : cpus, kind != KIND_READY, s, err);
}

static int time_threads(const struct scale *scale, enum kind kind,
	size_t threads, const struct cpu_list *cpus, struct cl_timing *timing,
	struct error *err)
{
	const struct cl_options *options = scale->session->options;
	double *s = calloc(options->repeat, sizeof(*s));
	int rc = s ? 0 : error_no_memory(err, "the times");

	memset(scale->sum.c, 0xff, FLOATS * sizeof(float));
	for (unsigned i = 0; rc == 0 && i < options->discard + options->repeat;
		i++) {
		double time_s;

		rc = session_stopped(scale->session, err);
		if (rc == 0)
			rc = add_once(scale, kind, threads, cpus, &time_s, err);
		if (rc == 0 && i >= options->discard)
			s[i - options->discard] = time_s;
	}
	if (rc == 0 && !is_sum(scale->sum.c))
		rc = error_set(err, ERROR_FAILURE, EIO,
			"the sum by %zu threads is wrong: memory, a CPU "
			"or c2c is at fault",
			threads);
	if (rc == 0) {
		session_summarise(s, options->repeat, timing);
		session_sum_words(timing, scale->sum.c, FLOATS * sizeof(float));
	}
	free(s);
	return rc;
}

static int time_point(const struct scale *scale, enum kind kind, size_t x,
	struct cl_timing *timing, struct error *err)
{
	if (kind == KIND_RULE || kind == KIND_SMALL_GROUPS)
		return time_kernel(scale, kind, x, timing, err);
	return time_threads(
		scale, kind, x, scale->session->options->cpus, timing, err);
}

/* A sweep has groups of any size in the first curve. */
static bool is_left_out(const struct cl_session *session, enum kind kind)
{
	return kind == KIND_SMALL_GROUPS && session->options->sweep_groups;
}

/* The x of a kind: doublings, or the one that the user wants. */
static size_t points_of(const struct scale *scale, enum kind kind, size_t *xs)
{
	const struct cl_options *options = scale->session->options;
	bool kernel = is_kernel(kind);
	size_t most = kernel		  ? MOST_ITEMS
		      : kind == KIND_LOOP ? 1
					  : MOST_THREADS;
	size_t n = 0;

	if (is_left_out(scale->session, kind))
		return 0;
	if (kernel && options->work_items) {
		xs[n++] = options->work_items;
		return n;
	}
	/* A group that the user chose wants as many items. */
	for (size_t x = 1; x <= most; x <<= options->quick ? QUICK_STEP : 1)
		xs[n++] = x;
	return n;
}

/*
 * A kernel cannot be done before its arrays have been read, nor before c has
 * been written, at the best rate there is.
 */
static int check_ceilings(struct scale *scale, size_t items, double time_s,
	bool *holds, struct error *err)
{
	static const char *const names[2] = {"read", "written"};
	int rc = 0;

	*holds = true;
	for (int i = 0; i < 2 && rc == 0 && *holds; i++) {
		struct ceiling *ceiling = &scale->ceilings[i];
		double rate = (double)ceiling->bytes / time_s / CL_GIB;

		rc = ceiling_check(scale->session, ceiling, rate, holds, err);
		if (rc == 0 && !*holds)
			rc = curve_reject(scale->session, err,
				"%zu work-items: %.3g GiB/s %s is above the "
				"%.3g GiB/s that the CPUs do natively",
				items, rate, names[i], ceiling->gib_per_s);
	}
	return rc;
}

static int put_time(struct scale *scale, enum kind kind, size_t at, size_t i,
	size_t x, const struct cl_timing *timing, struct error *err)
{
	bool kernel = kind == KIND_RULE || kind == KIND_SMALL_GROUPS;
	bool holds = true;
	int rc =
		kernel ? check_ceilings(scale, x, timing->median_s, &holds, err)
		       : 0;

	if (rc < 0 || !holds)
		return rc;
	curve_put_time(scale->session, at, i, (double)x, timing);
	if (!(timing->median_s >= scale->best[kind].median)) {
		scale->best[kind] = (struct figure){
			timing->median_s, timing->low_s, timing->high_s};
		scale->best_x[kind] = x;
		scale->best_group[kind] = timing->group;
	}
	return 0;
}

/* Where the curve of a kind begins, and its points. */
struct line {
	size_t at, n;
};

/*
 * The time of one work-item or thread. One work-item is the same kernel in a
 * group of one in both curves: one time for both.
 */
static int time_of_one(const struct scale *scale,
	const struct line curves[KINDS], enum kind kind, double *s,
	struct error *err)
{
	const struct cl_session *session = scale->session;
	char rule[TEXT_SIZE_BYTES], small[TEXT_SIZE_BYTES];
	double one, other;

	*s = curve_figure(session, curves[kind].at, 0).median;
	if (!is_kernel(kind) || curves[KIND_SMALL_GROUPS].n == 0)
		return 0;
	one = curve_figure(session, curves[KIND_RULE].at, 0).median;
	other = curve_figure(session, curves[KIND_SMALL_GROUPS].at, 0).median;
	*s = fmin(one, other);
	if (kind == KIND_RULE && fmax(one, other) > SAME * *s)
		return session_note(scale->session, err,
			"one work-item is the same kernel in both curves of "
			"OpenCL, yet took %s and %s: differences of "
			"that size mean nothing here, and the speed-up is "
			"against the shorter",
			text_time(one * 1e-3, rule),
			text_time(other * 1e-3, small));
	return 0;
}

/*
 * Speed-up against one, and that over the CPUs that could work. A unit of
 * another device runs many work-items at once, nobody says how many.
 */
static int derive(struct scale *scale, const struct line curves[KINDS],
	enum kind kind, struct error *err)
{
	struct curve_facts facts = {
		.x_name = "work-items or threads",
		.x_unit = "number",
	};
	struct cl_session *session = scale->session;
	bool kernel = is_kernel(kind);
	double cpus =
		kernel ? session->units : (double)session->options->cpus->n;
	size_t n = curves[kind].n;
	double one;
	int rc = time_of_one(scale, curves, kind, &one, err);

	for (int share = 0;
		rc == 0 && share < (kernel && !session->is_cpu ? 1 : 2);
		share++) {
		const struct curve *times;
		size_t at;

		facts.family = share ? "efficiency" : "speed-up";
		facts.y_unit = share ? "share" : "times";
		rc = curve_add(session, kind_names[kind], &facts, n, &at, err);
		if (rc < 0)
			return rc;
		times = curve_at(session, curves[kind].at);
		for (size_t i = 0; i < n; i++) {
			double most = fmin(times->x[i], cpus);

			curve_place(session, at, i, times->x[i]);
			curve_at(session, at)->median[i] =
				one / times->median[i] / (share ? most : 1);
		}
	}
	return rc;
}

/* A point is done. */
static void advance(struct scale *scale)
{
	session_progress(
		scale->session, (double)++scale->done / (double)scale->all);
}

static int measure_kind(struct scale *scale, enum kind kind, struct line *curve,
	struct error *err)
{
	static const struct curve_facts facts = {
		.family = "time",
		.x_name = "work-items or threads",
		.x_unit = "number",
		.y_unit = "ms",
	};
	struct cl_session *session = scale->session;
	size_t xs[MOST_POINTS], n = points_of(scale, kind, xs), at = 0;
	int rc = curve_add(session, kind_names[kind], &facts, n, &at, err);

	for (size_t i = 0; i < n && rc == 0; i++)
		curve_place(session, at, i, (double)xs[i]);
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct cl_timing timing;

		rc = time_point(scale, kind, xs[i], &timing, err);
		if (rc == 0)
			rc = put_time(scale, kind, at, i, xs[i], &timing, err);
		advance(scale);
	}
	*curve = (struct line){at, n};
	return rc;
}

static int open_scale(struct scale *scale, struct error *err)
{
	struct cl_session *session = scale->session;
	cl_mem *const buffers[] = {&scale->a, &scale->b, &scale->c};
	int rc = session_build(
		session, "scale.cl", scale_cl, NULL, &scale->program, err);

	if (rc == 0)
		rc = session_kernel(scale->program, "add", &scale->kernel, err);
	for (cl_uint i = 0; i < 3 && rc == 0; i++) {
		rc = session_buffer(
			session, FLOATS * sizeof(float), buffers[i], err);
		if (rc == 0)
			rc = session_argument(scale->kernel, i, sizeof(cl_mem),
				buffers[i], err);
	}
	if (rc == 0)
		rc = fill_device(scale, scale->a, a_at, err);
	if (rc == 0)
		rc = fill_device(scale, scale->b, b_at, err);
	if (rc < 0)
		return rc;
	scale->arrays = aligned_alloc(64, 3 * FLOATS * sizeof(float));
	if (!scale->arrays)
		return error_no_memory(err, "64 MiB of arrays");
	scale->sum = (struct native_sum){
		.a = scale->arrays,
		.b = scale->arrays + FLOATS,
		.c = scale->arrays + 2 * FLOATS,
		.n = FLOATS,
	};
	for (size_t i = 0; i < FLOATS; i++) {
		scale->arrays[i] = a_at(i);
		scale->arrays[FLOATS + i] = b_at(i);
	}
	return 0;
}

static void close_scale(struct scale *scale)
{
	if (scale->kernel)
		clReleaseKernel(scale->kernel);
	if (scale->program)
		clReleaseProgram(scale->program);
	if (scale->a)
		clReleaseMemObject(scale->a);
	if (scale->b)
		clReleaseMemObject(scale->b);
	if (scale->c)
		clReleaseMemObject(scale->c);
	free(scale->arrays);
}

/* A session on the first n compute units of the device. */
static int open_part(struct cl_session *part, const struct cl_session *session,
	size_t n, struct error *err)
{
	const cl_device_partition_property counts[] = {
		CL_DEVICE_PARTITION_BY_COUNTS,
		(cl_device_partition_property)n,
		CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
		0,
	};
	cl_int code;

	*part = *session;
	part->units = (cl_uint)n;
	part->basic = NULL;
	part->context = NULL;
	part->queue = NULL;
	part->workers = (struct workers){0};
	code = clCreateSubDevices(
		session->device, counts, 1, &part->device, NULL);
	if (code)
		return session_fail(err, code, "a part of the device");
	part->context =
		clCreateContext(NULL, 1, &part->device, NULL, NULL, &code);
	if (!code)
		part->queue = clCreateCommandQueue(part->context, part->device,
			CL_QUEUE_PROFILING_ENABLE, &code);
	return code ? session_fail(err, code, "a part of the device") : 0;
}

static void close_part(struct cl_session *part)
{
	session_close(part);
	clReleaseDevice(part->device);
}

/* How many workers ran for a good share of what the busiest did. */
static size_t count_busy(
	const uint64_t *before, const uint64_t *after, size_t n)
{
	uint64_t longest = 0;
	size_t busy = 0;

	for (size_t i = 0; i < n; i++) {
		if (after[i] - before[i] > longest)
			longest = after[i] - before[i];
	}
	for (size_t i = 0; i < n; i++)
		busy += after[i] - before[i] > longest / BUSY_PART;
	return busy;
}

/* The same; *busy: how many workers added, whoever compiled or filled. */
static int time_workers(const struct scale *scale,
	const struct workers *workers, struct cl_timing *timing, size_t *busy,
	struct error *err)
{
	const struct cl_session *part = scale->session;
	uint64_t *ns = calloc(2 * workers->n + 1, sizeof(*ns));
	size_t group;
	int rc = ns ? 0 : error_no_memory(err, "the times of threads");

	if (rc == 0)
		rc = prepare_kernel(
			scale, KIND_SMALL_GROUPS, MOST_ITEMS, &group, err);
	if (rc == 0)
		rc = session_warm_up(
			part, scale->kernel, MOST_ITEMS, group, err);
	if (rc == 0) {
		workers_times(workers, ns);
		rc = session_time(
			part, scale->kernel, MOST_ITEMS, group, timing, err);
		workers_times(workers, ns + workers->n);
		*busy = count_busy(ns, ns + workers->n, workers->n);
	}
	free(ns);
	return rc == 0 ? check_device(scale, MOST_ITEMS, timing, err) : rc;
}

/* The addition on n compute units; *busy: how many CPUs really worked. */
static int time_part(const struct cl_session *session, size_t n,
	struct cl_timing *timing, size_t *busy, struct error *err)
{
	struct cl_session part;
	struct scale scale = {.session = &part};
	int rc = open_part(&part, session, n, err);

	if (rc == 0)
		rc = open_scale(&scale, err);
	if (rc == 0)
		rc = time_workers(&scale, &session->workers, timing, busy, err);
	close_scale(&scale);
	close_part(&part);
	return rc;
}

/*
 * Ever more CPUs, as many as there are at last: powers of two and their halves
 * more, since many a machine has 6, 12 or 24 cores before the first sibling.
 */
static size_t numbers_of_cpus(const struct cl_session *session, size_t *ns)
{
	size_t all = session->options->cpus->n, points = 0;

	for (size_t n = 1; n < all; n *= 2) {
		ns[points++] = n;
		if (n > 1 && n + n / 2 < all)
			ns[points++] = n + n / 2;
	}
	ns[points++] = all;
	return points;
}

/* OpenCL and ready threads on each of these numbers of CPUs. */
static int measure_cpus(struct scale *scale, struct error *err)
{
	static const struct curve_facts facts = {
		.family = "time over CPUs",
		.x_name = "CPUs",
		.x_unit = "number",
		.y_unit = "ms",
	};
	struct cl_session *session = scale->session;
	const struct cpu_list *cpus = session->options->cpus;
	enum kind kind = is_left_out(session, KIND_SMALL_GROUPS)
				 ? KIND_RULE
				 : KIND_SMALL_GROUPS;
	size_t ns[MOST_POINTS], points = numbers_of_cpus(session, ns), at[2];
	int rc = curve_add(
		session, kind_names[kind], &facts, points, &at[0], err);

	if (rc == 0)
		rc = curve_add(session, kind_names[KIND_READY], &facts, points,
			&at[1], err);
	for (size_t i = 0; i < points && rc == 0; i++) {
		curve_place(session, at[0], i, (double)ns[i]);
		curve_place(session, at[1], i, (double)ns[i]);
	}
	for (size_t i = 0; i < points && rc == 0; i++) {
		struct cpu_list first = {cpus->cpus, ns[i]};
		struct cl_timing timing;
		size_t busy = 0;

		rc = time_threads(
			scale, KIND_READY, ns[i], &first, &timing, err);
		if (rc < 0)
			break;
		curve_put_time(session, at[1], i, (double)ns[i], &timing);
		advance(scale);
		rc = time_part(session, ns[i], &timing, &busy, err);
		if (rc == 0 && busy == ns[i])
			curve_put_time(
				session, at[0], i, (double)ns[i], &timing);
		else if (rc == 0)
			rc = session_note(session, err,
				"of %zu CPUs asked for %zu did the work: left "
				"out of the time over CPUs",
				ns[i], busy);
		advance(scale);
	}
	return rc;
}

/* Devices that cannot be parted have no curves over CPUs. */
static bool has_cpus(const struct cl_session *session)
{
	cl_device_partition_property kinds[16] = {0};
	size_t bytes = 0;

	if (session->options->work_items || !session->is_cpu ||
		session->units != session->options->cpus->n ||
		!workers_are_bound(&session->workers) ||
		clGetDeviceInfo(session->device, CL_DEVICE_PARTITION_PROPERTIES,
			sizeof(kinds), kinds, &bytes))
		return false;
	for (size_t i = 0; i < bytes / sizeof(kinds[0]); i++) {
		if (kinds[i] == CL_DEVICE_PARTITION_BY_COUNTS)
			return true;
	}
	return false;
}

/* The best of some runs of either winner, the kernel first. */
static int take_turns(const struct scale *scale, enum kind kind,
	double *kernel_s, double *threads_s, struct error *err)
{
	struct cl_session *session = scale->session;
	int rc = 0;

	*kernel_s = INFINITY;
	*threads_s = INFINITY;
	for (int run = 0; run < 2 * TURN_RUNS && rc == 0; run++) {
		bool threads = run >= TURN_RUNS;
		double *best_s = threads ? threads_s : kernel_s, s = NAN;

		rc = session_stopped(session, err);
		if (rc == 0 && threads)
			rc = add_once(scale, KIND_READY,
				scale->best_x[KIND_READY],
				session->options->cpus, &s, err);
		else if (rc == 0)
			rc = session_time_once(session, session->queue,
				scale->kernel, scale->best_x[kind],
				scale->best_group[kind], false, &s, err);
		*best_s = fmin(*best_s, s);
	}
	return rc;
}

/*
 * Points of curves were measured at different moments, and of more points one
 * had more luck: so the best kernel and the best ready threads once more.
 */
static int compare(const struct scale *scale, enum kind kind, struct error *err)
{
	const struct cl_session *session = scale->session;
	size_t rounds =
		session->options->quick ? TURNS_QUICK_ROUNDS : TURNS_ROUNDS;
	double kernel_s[TURNS_ROUNDS], threads_s[TURNS_ROUNDS];
	char launch[64] = "", kernel[TEXT_SIZE_BYTES], threads[TEXT_SIZE_BYTES];
	struct cl_timing checked;
	struct turns turns;
	size_t group;
	int rc = prepare_kernel(scale, kind, scale->best_x[kind], &group, err);

	for (size_t i = 0; i < rounds && rc == 0; i++)
		rc = take_turns(scale, kind, &kernel_s[i], &threads_s[i], err);
	if (rc == 0)
		rc = check_device(scale, scale->best_x[kind], &checked, err);
	if (rc < 0)
		return rc;
	turns = turns_of(kernel_s, threads_s, rounds);
	if (session->by_events)
		snprintf(launch, sizeof(launch), " without a launch of %s",
			text_time(json_number_value(json_object_get(
					  json_object_get(
						  session->record, "timing"),
					  "launch_us")) *
					  1e-6,
				kernel));
	return curve_finding(session, err,
		"OpenCL at its best and ready threads at theirs, measured "
		"again in turns: %s%s beside %s, within a round %.2f "
		"times as long (%.2f to %.2f)",
		text_time(turns.one, kernel), launch,
		text_time(turns.other, threads), turns.ratio, turns.low,
		turns.high);
}

/* That a point of the first curve is the work of one CPU. */
static int note_one_group(
	const struct scale *scale, size_t at, struct error *err)
{
	struct curve *curve = curve_at(scale->session, at);

	curve->mark_x = 256;
	curve->mark = strdup("one group");
	if (!curve->mark)
		return error_no_memory(err, "a mark");
	return curve_finding(scale->session, err,
		"256 work-items of the curve 'OpenCL' are one group, and one "
		"CPU's work");
}

/* What the curves come to, for people. */
static int conclude(const struct scale *scale, const struct line curves[KINDS],
	struct error *err)
{
	const struct cl_session *session = scale->session;
	const struct figure *best = scale->best;
	char time[TEXT_SIZE_BYTES];
	/* Only the first two are kernels. */
	size_t kernel = figure_least(best, KIND_SMALL_GROUPS + 1);
	int rc = 0;

	for (int kind = 0; kind < KINDS && rc == 0; kind++) {
		if (!isnan(best[kind].median))
			rc = curve_finding(session, err,
				"best of %s: %s at %zu, %.4g GiB/s read "
				"and written",
				kind_names[kind],
				text_time(best[kind].median, time),
				scale->best_x[kind],
				3 * FLOATS * sizeof(float) / best[kind].median /
					CL_GIB);
	}
	if (rc == 0 && session->is_cpu && kernel <= KIND_SMALL_GROUPS &&
		!session_lacks_threads(session))
		rc = compare(scale, (enum kind)kernel, err);
	if (rc == 0 && session->is_cpu && session->units > 1 &&
		!session->options->work_items &&
		!session->options->work_group &&
		!session->options->sweep_groups)
		rc = note_one_group(scale, curves[KIND_RULE].at, err);
	return rc;
}

static int check_options(const struct cl_options *options, struct error *err)
{
	uint64_t power = 1;

	while (2 * power <= options->work_items && 2 * power < MOST_ITEMS)
		power *= 2;
	if (options->work_items &&
		(options->work_items > FLOATS || FLOATS % options->work_items))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-items: %" PRIu64 " do not divide the %zu "
			"elements; the nearest powers of two are %" PRIu64
			" and %" PRIu64,
			options->work_items, FLOATS, power, 2 * power);
	/* A group is never larger than the work-items are many. */
	if (options->work_group && options->work_group < options->work_items)
		return check_groups(
			options, options->work_items, options->work_group, err);
	return 0;
}

static int run_scale(struct cl_session *session, struct error *err)
{
	struct scale scale = {
		.session = session,
		.ceilings = {{.what = NATIVE_READ,
				     .bytes = 2 * FLOATS * sizeof(float)},
			{.what = NATIVE_WRITE,
				.bytes = FLOATS * sizeof(float)}},
	};
	struct line curves[KINDS] = {0};
	size_t xs[MOST_POINTS];
	int rc;

	for (int kind = 0; kind < KINDS; kind++) {
		scale.best[kind] = (struct figure){NAN, NAN, NAN};
		scale.all += points_of(&scale, (enum kind)kind, xs);
	}
	if (has_cpus(session))
		scale.all += 2 * numbers_of_cpus(session, xs);
	rc = open_scale(&scale, err);
	if (rc == 0)
		rc = ceiling_measure(session, &scale.ceilings[0], err);
	if (rc == 0)
		rc = ceiling_measure(session, &scale.ceilings[1], err);
	for (int kind = 0; kind < KINDS && rc == 0; kind++) {
		if (!is_left_out(session, (enum kind)kind))
			rc = measure_kind(
				&scale, (enum kind)kind, &curves[kind], err);
	}
	for (int kind = 0; kind < KINDS && rc == 0; kind++) {
		if (curves[kind].n > 1)
			rc = derive(&scale, curves, (enum kind)kind, err);
	}
	if (rc == 0 && has_cpus(session))
		rc = measure_cpus(&scale, err);
	if (rc == 0)
		rc = ceiling_record(
			session, "two arrays to add", &scale.ceilings[0], err);
	if (rc == 0)
		rc = ceiling_record(
			session, "the sum", &scale.ceilings[1], err);
	if (rc == 0)
		rc = conclude(&scale, curves, err);
	close_scale(&scale);
	return rc;
}

const struct cl_test cl_test_scale = {
	.name = "scale",
	.section = "2.5",
	.summary = "An addition over the number of work-items, and by threads",
	.takes = CL_TAKES_WORK_ITEMS | CL_TAKES_WORK_GROUP | CL_TAKES_SWEEP,
	.check = check_options,
	.run = run_scale,
};
