/*
 * What it costs to launch a kernel: the rate of small kernels over the data
 *that each of them moves. After gpu-small-kernels of gpu-benches by D. Ernst
 * (https://github.com/te42kyfo/gpu-benches).
 *
 * A kernel adds 1 to all elements of an array and puts them into another; the
 * next one goes the other way. The test times many of these at once, by the
 * host's clock from the first call until all are done. Ways to launch are
 * curves:
 *
 *	queued		each by a call, all before the first one is waited for
 *	command buffer	all by one call, where the device has
 *			cl_khr_command_buffer
 *	one kernel	one launch that does the work of all, with a barrier
 *			among the work-groups between (GPUs only: all groups
 *			have to run at the same time)
 *
 * A launch takes a + V / b, where V is what it reads and writes: the fit tells
 * the overhead a, and the rate b of large kernels.
 *
 * gpu-small-kernels multiplies doubles, and has each of several sizes of
 * work-groups; here elements are integers of 8 bytes, so that the results tell
 * how many kernels ran, and groups have one size (--work-group).
 *
 * Bias: both arrays may stay in a cache from launch to launch. That is what
 * programs get that launch small kernels on the same data.
 */
#include <math.h>
#include <stdlib.h>

#include "cl/cl_caches.h"
#include "cl/command_buffer.h"
#include "cl/memory/launch_cl.h"
#include "cl/sweep.h"
#include "cl/tests.h"
#include "machine/memory.h"
#include "machine/timebase.h"

#define ELEMENT sizeof(cl_ulong)

/* Of elements; all sizes are a multiple of STEP, which groups divide. */
#define LEAST	 ((size_t)4 << 10)
#define CPU_MOST ((size_t)4 << 20)
#define GPU_MOST ((size_t)128 << 20)
#define STEP	 1024

#define MOST_GROUP 1024

/* Launches of a run, an even number: as many as make it last this long. */
#define LEAST_LAUNCHES 2
#define MOST_LAUNCHES  4096
#define LEAST_S	       2e-3

/* How often a group looks for the others; tens of milliseconds. */
#define MOST_LOOKS (1u << 18)

/* Larger arrays are checked in part. */
#define CHECKED_WORDS ((size_t)1 << 20)
#define CHECKED_STEP  257

/*
 * What the fit is over, since one line does not fit caches and memory: on CPUs
 * what their last-level caches hold, where these are known; on GPUs more than
 * their caches hold. A line over 3 to 100 MB, as in gpu-small-kernels, is off
 * by a third on an H200, this one by 0.2 %.
 */
#define FIT_BYTES 100e6

/* Any two points are on a line. */
#define LEAST_FITTED 4

enum way {
	QUEUED,
	BUFFER,
	ONE_KERNEL,
	WAYS
};

static const char *const ways[WAYS] = {
	[QUEUED] = "queued",
	[BUFFER] = "command buffer",
	[ONE_KERNEL] = "one kernel",
};

/* One way of launching. */
struct batch {
	struct session *session;
	enum way way;
	cl_mem a, b, there;
	cl_kernel begin, one, add[2]; /* add: there and back */
	struct command_buffer *buffer;
	size_t n, group, launches;
	size_t widest; /* group of the one kernel: few of them run */
	cl_uint done;  /* launches since a was filled */
	bool given_up;
};

/* The low half of an element, then the high one. */
static cl_uint right_word(const void *context, size_t i)
{
	const struct batch *batch = context;

	return i % 2 ? 0 : (cl_uint)(i / 2) + batch->done;
}

static cl_int enqueue(
	const struct batch *batch, cl_kernel kernel, size_t items, size_t group)
{
	return clEnqueueNDRangeKernel(batch->session->queue, kernel, 1, NULL,
		&items, &group, 0, NULL, NULL);
}

static cl_int enqueue_all(const struct batch *batch)
{
	size_t units = batch->session->units;
	cl_int code = CL_SUCCESS;

	if (batch->way == BUFFER)
		return command_buffer_enqueue(batch->buffer);
	if (batch->way == ONE_KERNEL)
		return enqueue(batch, batch->one, units * batch->widest,
			batch->widest);
	for (size_t i = 0; i < batch->launches && !code; i++)
		code = enqueue(
			batch, batch->add[i % 2], batch->n, batch->group);
	return code;
}

/* Nobody is there yet. */
static void clear(struct batch *batch)
{
	const cl_uint zero = 0;
	struct session *session = batch->session;

	if (batch->way == ONE_KERNEL && session_ok(session))
		session_finish(session,
			clEnqueueFillBuffer(session->queue, batch->there, &zero,
				sizeof(zero), 0, sizeof(zero), 0, NULL, NULL),
			"filling a buffer");
}

/* Whether a group gave up waiting for the others. */
static bool has_given_up(struct batch *batch)
{
	struct session *session = batch->session;
	cl_uint there = 0;

	if (batch->way != ONE_KERNEL || session->rc)
		return false;
	session_finish(session,
		clEnqueueReadBuffer(session->queue, batch->there, CL_TRUE, 0,
			sizeof(there), &there, 0, NULL, NULL),
		"reading a buffer");
	return there != batch->launches * session->units;
}

static double run_all(void *context)
{
	struct batch *batch = context;
	struct session *session = batch->session;
	uint64_t start;
	double s;

	clear(batch);
	if (session->rc)
		return NAN;
	start = timebase_raw_ns();
	session_finish(session, enqueue_all(batch), "launching kernels");
	s = (double)(timebase_raw_ns() - start) * 1e-9;
	batch->done += (cl_uint)batch->launches;
	batch->given_up |= has_given_up(batch);
	return session->rc ? NAN : s;
}

/* That many launches in a run. */
static void set_launches(struct batch *batch, size_t launches)
{
	struct session *session = batch->session;

	batch->launches = launches;
	if (batch->way == ONE_KERNEL)
		session_arguments(session, batch->one, 2,
			(struct argument[]){of_word(batch->n),
				of_memory(batch->there), of_word(launches),
				of_word(MOST_LOOKS), {0}});
	if (batch->way != BUFFER)
		return;
	command_buffer_release(batch->buffer);
	batch->buffer = command_buffer_record(
		session, batch->add, launches, batch->n, batch->group);
}

static void fill(struct batch *batch)
{
	struct session *session = batch->session;

	session_arguments(session, batch->begin, 1,
		(struct argument[]){of_word(batch->n), {0}});
	if (session_ok(session))
		session_finish(session,
			enqueue(batch, batch->begin,
				session->units * batch->group, batch->group),
			"filling an array");
	batch->done = 0;
}

static void prepare(struct sweep *sweep, size_t i)
{
	struct batch *batch = sweep->context;
	struct session *session = batch->session;
	size_t launches = LEAST_LAUNCHES;

	batch->n = (size_t)sweep->x[i] / 2 / ELEMENT;
	fill(batch);
	set_launches(batch, launches);
	/* The first run may compile. */
	run_all(batch);
	while (session_stopped(session) == 0 && launches < MOST_LAUNCHES &&
		!batch->given_up && run_all(batch) < LEAST_S) {
		launches *= 2;
		set_launches(batch, launches);
	}
	sweep->amount = sweep->x[i] * (double)batch->launches;
	sweep->right.n = 2 * batch->n;
	sweep->right.step = sweep->right.n > CHECKED_WORDS ? CHECKED_STEP : 0;
	sweep->right.summed = sweep->right.step ? CHECKED_WORDS : 0;
	sweep->bound.bytes = batch->n * ELEMENT;
}

static struct timing time_all(struct sweep *sweep, size_t i)
{
	struct batch *batch = sweep->context;
	struct timing timing = timing_none();

	(void)i;
	if (!batch->given_up)
		timing = timing_repeat(batch->session, run_all, batch);
	clock_measure(batch->session);
	timing.group = batch->way == ONE_KERNEL ? batch->widest : batch->group;
	return batch->given_up ? timing_none() : timing;
}

static size_t most_elements(const struct session *session)
{
	size_t most = session->is_cpu ? CPU_MOST : GPU_MOST;
	double room = fmin((double)session->max_alloc_bytes,
		MEMORY_SHARE * (double)session->global_bytes / 4);

	while ((double)(most * ELEMENT) > room)
		most /= 2;
	return most;
}

/* Doublings with some sizes between; x is what a launch reads and writes. */
static void choose_sizes(struct sweep *sweep)
{
	const struct session *session = sweep->session;
	double least = (double)LEAST, most = (double)most_elements(session);
	double steps = session->options->quick ? 0.5 : session->is_cpu ? 2 : 3;

	for (size_t k = 0; sweep->n < SWEEP_MOST; k++) {
		double n =
			STEP * round(least * pow(2, (double)k / steps) / STEP);

		if (n > most)
			return;
		sweep->x[sweep->n++] = 2.0 * ELEMENT * n;
	}
}

static struct sweep sweep_of(struct batch *batch)
{
	struct sweep sweep = {.session = batch->session,
		.name = ways[batch->way],
		.is = {.family = "small kernels",
			.member = ways[batch->way],
			.x_name = "data of a launch",
			.x_unit = "B",
			.x_axis = CURVE_BYTES,
			.y_axis = CURVE_RATIOS},
		.prepare = prepare,
		.time = time_all,
		.context = batch,
		.bound = {.what = NATIVE_COPY, .counted = 2, .panel = "copy"}};

	choose_sizes(&sweep);
	sweep.right = words_of(batch->a, 0, right_word, batch);
	return sweep;
}

/* Bytes of a launch, from and to. */
struct range {
	double from, to;
};

static struct range fitted(const struct session *session)
{
	double caches =
		(double)llcs_bytes(session->machine, session->options->cpus);

	if (!session->is_cpu)
		return (struct range){FIT_BYTES, INFINITY};
	return (struct range){0, caches > 0 ? caches : FIT_BYTES};
}

/* Least squares of the relative error of a launch's time. */
static void fit(struct curve *curve, struct range range)
{
	double bytes[SWEEP_MOST], ns[SWEEP_MOST], weight[SWEEP_MOST];
	struct curve_fit line = {{NAN, NAN, NAN}, {NAN, NAN, NAN}, NAN, 0};
	double overhead, slope;
	size_t n = 0;

	for (size_t i = 0; i < curve->n; i++) {
		if (isnan(curve->median[i]) || curve->x[i] < range.from ||
			curve->x[i] > range.to)
			continue;
		bytes[n] = curve->x[i];
		ns[n] = bytes[n] / (curve->median[i] * GIB * 1e-9);
		weight[n] = 1 / (ns[n] * ns[n]);
		n++;
	}
	if (n < LEAST_FITTED ||
		stat_fit_line(bytes, ns, weight, n, &overhead, &slope) ||
		!(overhead > 0) || !(slope > 0))
		return;
	line.overhead_ns[0] = overhead;
	line.rate_gib_per_s[0] = 1e9 / slope / GIB;
	line.half_rate_bytes = overhead / slope;
	for (size_t i = 0; i < n; i++)
		line.worst_error = fmax(line.worst_error,
			fabs((overhead + slope * bytes[i]) / ns[i] - 1));
	curve->fit = malloc(sizeof(line));
	if (curve->fit)
		*curve->fit = line;
}

/* "of 95.37 MiB and more" */
static const char *range_text(struct session *session, struct range range)
{
	bool ends = isfinite(range.to);
	char size[TEXT_SIZE_BYTES];

	text_size((uint64_t)(ends ? range.to : range.from), size);
	return session_text(
		session, ends ? "of up to %s" : "of %s and more", size);
}

/*
 * False, and the fit is gone, if its rate is above what the memory of the
 * device has by its maker's documents: caches or overhead bent the line.
 */
static bool is_possible_rate(const struct sweep *sweep, const char *which)
{
	struct session *session = sweep->session;
	struct curve *curve = sweep_curve(sweep);
	double rate = curve->fit->rate_gib_per_s[0];

	if (!theory_is_exceeded(&session->theory, THEORY_MEMORY, rate))
		return true;
	session_find(session,
		"%s: no line fits the time of launches %s (its %s GiB/s would "
		"be more than the memory of this device has)",
		sweep->name, which, session_number(session, rate));
	free(curve->fit);
	curve->fit = NULL;
	return false;
}

/* Which launches have half of the rate, if the line is of as small ones. */
static const char *half_text(struct session *session, struct range range,
	const struct curve_fit *line)
{
	char size[TEXT_SIZE_BYTES];

	if (line->half_rate_bytes < range.from)
		return "";
	return session_text(session, ", so that %s have half of that rate",
		text_size((uint64_t)line->half_rate_bytes, size));
}

static void tell(const struct sweep *sweep)
{
	struct session *session = sweep->session;
	struct curve *curve = sweep_curve(sweep);
	struct range range = fitted(session);
	char time[TEXT_SIZE_BYTES];
	const char *which = range_text(session, range);

	fit(curve, range);
	if (!session_ok(session) || !curve->fit ||
		!is_possible_rate(sweep, which))
		return;
	if (!curve_good_fit(curve))
		session_find(session,
			"%s: no line fits the time of launches %s (off by up "
			"to %.0f %%)",
			sweep->name, which, 100 * curve->fit->worst_error);
	else
		session_find(session,
			"%s: launches %s take %s and their bytes at %s GiB/s "
			"(within %.0f %%)%s",
			sweep->name, which,
			text_time(curve->fit->overhead_ns[0] * 1e-9, time),
			session_number(session, curve->fit->rate_gib_per_s[0]),
			100 * curve->fit->worst_error,
			half_text(session, range, curve->fit));
}

/* Whether the device can, with the reason if it cannot. */
static bool is_possible(const struct batch *batch)
{
	struct session *session = batch->session;

	if (batch->way == BUFFER && !command_buffers_exist(session)) {
		session_find(session,
			"command buffers are left out: this device has none "
			"(cl_khr_command_buffer)");
		return false;
	}
	return batch->way != ONE_KERNEL || !session->is_cpu;
}

/* sweeps has one for each way. The first one measures the ceilings of all. */
static void measure(
	struct session *session, struct batch *batch, struct sweep *sweeps)
{
	enum way way = batch->way;
	struct sweep *sweep = &sweeps[way];

	if (!session_ok(session) || !is_possible(batch))
		return;
	*sweep = sweep_of(batch);
	sweep->bound.of = way > 0 ? sweeps : NULL;
	sweep_run(sweep, 1);
	if (batch->given_up)
		session_find(session,
			"%s: left out, because this device does not run %u "
			"work-groups at the same time",
			ways[way], session->units);
	else if (session_ok(session))
		tell(sweep);
}

static size_t most_group(const struct session *session)
{
	return session->max_group < MOST_GROUP ? session->max_group
					       : MOST_GROUP;
}

static void run_launch(struct session *session)
{
	cl_program program =
		session_build(session, "launch.cl", launch_cl, NULL);
	size_t bytes = most_elements(session) * ELEMENT;
	struct batch batch = {.session = session,
		.group = session_group(session, SIZE_MAX),
		.a = session_buffer(session, bytes),
		.b = session_buffer(session, bytes),
		.there = session_buffer(session, sizeof(cl_uint)),
		.begin = session_kernel(session, program, "launch_begin"),
		.one = session_kernel(session, program, "launch_rounds"),
		.add = {session_kernel(session, program, "launch_add"),
			session_kernel(session, program, "launch_add")}};
	const struct argument a = of_memory(batch.a), b = of_memory(batch.b);
	const struct argument none = {0};
	bool chosen = session->options->work_group > 0;
	struct sweep sizes = {.session = session}, sweeps[WAYS];

	batch.widest = chosen ? batch.group : most_group(session);
	choose_sizes(&sizes);
	session->all = (double)sizes.n *
		       (1 + command_buffers_exist(session) + !session->is_cpu);
	session_arguments(
		session, batch.begin, 0, (struct argument[]){a, none});
	session_arguments(
		session, batch.one, 0, (struct argument[]){a, b, none});
	session_arguments(
		session, batch.add[0], 0, (struct argument[]){a, b, none});
	session_arguments(
		session, batch.add[1], 0, (struct argument[]){b, a, none});
	for (size_t way = 0; way < WAYS; way++) {
		batch.way = (enum way)way;
		measure(session, &batch, sweeps);
	}
	command_buffer_release(batch.buffer);
}

const struct test test_launch = {
	.name = "launch",
	.section = "gpu-small-kernels",
	.set = GROUP_MEMORY,
	.summary = "rates of small kernels, and what a launch costs",
	.takes = TAKES_WORK_GROUP,
	.group_divides = STEP,
	.figures = {{.what = "small kernels, queued, best",
		.family = "small kernels",
		.members = {"queued"}}},
	.run = run_launch,
};
