/*
 * Measure the overhead of kernel launches: the rate of small kernels over the
 * bytes that each kernel moves. Modelled on gpu-small-kernels of gpu-benches by
 * D. Ernst (https://github.com/te42kyfo/gpu-benches).
 *
 * A kernel adds 1 to all elements of an array and stores the sums in another
 * array; the next kernel stores them back. The test times many launches
 * together by the host's clock, from the first call until all launches are
 * done. Each way to launch is a curve:
 *
 *  *	queued		one call for each launch; the host waits only after the
 *  *			last call
 *  *	one kernel	one launch does the work of all launches; a barrier for
 *  *			all work-groups separates two rounds (GPUs only,
 *  *			because all groups have to run at the same time)
 *
 * A launch takes `a + V / b`, where V is the number of bytes that the launch
 * reads and writes. A fit finds `a`, which is the overhead, and `b`, which is
 * the rate of large kernels.
 *
 * gpu-small-kernels multiplies doubles, in work-groups of several sizes. c2c
 * uses 8-byte integers, whose values count the kernels that ran. All groups
 * have one size (--work-group); with --fine, queued launches are measured with
 * all sizes.
 *
 * Bias: both arrays may stay in a cache from launch to launch. Programs that
 * launch small kernels on the same data also have this advantage.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cl/memory/launch_cl.h"
#include "cl/sweep.h"
#include "machine/timebase.h"

#define ELEMENT sizeof(cl_ulong)

/* Numbers of elements. Each is a multiple of STEP, as STEP is of a group. */
#define LEAST	 ((size_t)4 << 10)
#define CPU_MOST ((size_t)4 << 20)
#define GPU_MOST ((size_t)128 << 20)
#define STEP	 1024

/* Sizes in each doubling with --fine: steps of 6 %, as in gpu-small-kernels. */
#define FINE_STEPS 12

/* Sizes of groups with --fine; the largest is also the limit of one kernel. */
#define LEAST_GROUP 32
#define MOST_GROUP  1024

/* Launches of a run: an even number, doubled until a run takes this time. */
#define LEAST_LAUNCHES 2
#define MOST_LAUNCHES  4096
#define LEAST_S	       2e-3

/* Number of polls for other groups, which take tens of milliseconds. */
#define MOST_LOOKS (1u << 18)

/* In arrays of more words, check only every CHECKED_STEP-th word. */
#define CHECKED_WORDS ((size_t)1 << 20)
#define CHECKED_STEP  257

/*
 * Bytes at which the fit ends or begins, because a single line does not fit
 * both caches and memory. On CPUs the fit uses sizes that the last-level caches
 * hold, if known; on GPUs it uses sizes larger than the caches. On an H200 a
 * line over 3 to 100 MB, as in gpu-small-kernels, is off by a third; the line
 * over larger sizes is off by 0.2 %.
 */
#define FIT_BYTES 100e6

/* Fewest points of a fit. Two points fit any line. */
#define LEAST_FITTED 4

enum launch_way {
	QUEUED,
	ONE_KERNEL,
	WAYS
};

static const char *const ways[WAYS] = {
	[QUEUED] = "queued",
	[ONE_KERNEL] = "one kernel",
};

struct launch_batch {
	struct session *session;
	enum launch_way way;
	cl_mem a, b, arrived;
	cl_kernel begin, one, add[2]; /* kernel add: from a to b, from b to a */
	size_t n, group, launches;
	bool names_group; /* a curve of another group size */
	size_t widest;	  /* group size of "one kernel" */
	cl_uint done;	  /* launches since array a was filled */
	bool timed_out;
};

/* Return the low half of an element; its high half is 0. */
static cl_uint launch_expected_word(const void *context, size_t i)
{
	const struct launch_batch *batch = context;

	return i % 2 ? 0 : (cl_uint)(i / 2) + batch->done;
}

static cl_int launch_enqueue(const struct launch_batch *batch, cl_kernel kernel,
	size_t items, size_t group)
{
	const struct launch launch = {
		.kernel = kernel, .items = items, .group = group};

	if (batch->session->rehearses) {
		launch_once(batch->session, &launch, true);
		return CL_SUCCESS;
	}
	return clEnqueueNDRangeKernel(batch->session->queue, kernel, 1, NULL,
		&items, &group, 0, NULL, NULL);
}

static cl_int launch_enqueue_all(const struct launch_batch *batch)
{
	size_t units = batch->session->units;
	cl_int code = CL_SUCCESS;

	if (batch->way == ONE_KERNEL)
		return launch_enqueue(batch, batch->one, units * batch->widest,
			batch->widest);
	for (size_t i = 0; i < batch->launches && !code; i++)
		code = launch_enqueue(
			batch, batch->add[i % 2], batch->n, batch->group);
	return code;
}

/* Return whether a group gave up waiting for the others. */
static bool launch_timed_out(struct launch_batch *batch)
{
	struct session *session = batch->session;
	cl_uint arrived = 0;

	if (batch->way != ONE_KERNEL || session->rc)
		return false;
	session_read(session, batch->arrived, 0, sizeof(arrived), &arrived);
	return arrived != batch->launches * session->units;
}

static double launch_run_batch(void *context)
{
	struct launch_batch *batch = context;
	struct session *session = batch->session;
	uint64_t start;
	double s;

	if (batch->way == ONE_KERNEL)
		session_set_words(session, batch->arrived, 1, 0);
	if (session->rc)
		return NAN;
	start = timebase_raw_ns();
	session_finish(session, launch_enqueue_all(batch), "launching kernels");
	s = (double)(timebase_raw_ns() - start) * 1e-9;
	if (session->rehearses)
		s = LEAST_S;
	batch->done += (cl_uint)batch->launches;
	batch->timed_out |= launch_timed_out(batch);
	return session->rc ? NAN : s;
}

static void launch_set_count(struct launch_batch *batch, size_t launches)
{
	struct session *session = batch->session;

	batch->launches = launches;
	if (batch->way == ONE_KERNEL)
		session_arguments(session, batch->one, 2,
			word_argument(batch->n),
			memory_argument(batch->arrived),
			word_argument(launches), word_argument(MOST_LOOKS));
}

static void launch_fill_array(struct launch_batch *batch)
{
	struct session *session = batch->session;

	session_arguments(session, batch->begin, 1, word_argument(batch->n));
	if (session_ok(session))
		session_finish(session,
			launch_enqueue(batch, batch->begin,
				session->units * batch->group, batch->group),
			"filling an array");
	batch->done = 0;
}

static cl_uint launch_choose_count(struct launch_batch *batch)
{
	cl_uint launches = LEAST_LAUNCHES;

	launch_set_count(batch, launches);
	/* OpenCL may compile during the first run. */
	launch_run_batch(batch);
	while (session_stopped(batch->session) == 0 &&
		launches < MOST_LAUNCHES && !batch->timed_out &&
		launch_run_batch(batch) < LEAST_S) {
		launches *= 2;
		launch_set_count(batch, launches);
	}
	return launches;
}

/* The turns of the sweep are launches. */
static void launch_prepare(struct sweep *sweep, size_t i)
{
	struct launch_batch *batch = sweep->context;

	batch->n = (size_t)sweep->x[i] / 2 / ELEMENT;
	launch_fill_array(batch);
	if (!sweep->again)
		sweep->turns = launch_choose_count(batch);
	launch_set_count(batch, sweep->turns);
	sweep->amount = sweep->x[i] * (double)batch->launches;
	sweep->expected.n = 2 * batch->n;
	sweep->expected.step =
		sweep->expected.n > CHECKED_WORDS ? CHECKED_STEP : 0;
	sweep->expected.summed = sweep->expected.step ? CHECKED_WORDS : 0;
	sweep->bound.bytes = batch->n * ELEMENT;
}

static struct timing launch_time_point(struct sweep *sweep, size_t i)
{
	struct launch_batch *batch = sweep->context;
	struct timing timing = timing_none();

	(void)i;
	if (!batch->timed_out)
		timing = timing_repeat(batch->session, launch_run_batch, batch);
	clock_measure(batch->session);
	timing.group = batch->way == ONE_KERNEL ? batch->widest : batch->group;
	return batch->timed_out ? timing_none() : timing;
}

static size_t launch_max_elements(const struct session *session)
{
	size_t most = session->is_cpu ? CPU_MOST : GPU_MOST;

	return session_fit(session, most * ELEMENT, ELEMENT, 4) / ELEMENT;
}

/* Choose doublings and sizes between them; x is the bytes of a launch. */
static void launch_choose_sizes(struct sweep *sweep)
{
	const struct session *session = sweep->session;
	double least = (double)LEAST,
	       most = (double)launch_max_elements(session);
	double steps = session->options->fine	 ? FINE_STEPS
		       : session->options->quick ? 0.5
		       : session->is_cpu	 ? 2
						 : 3;
	double last = 0;

	for (size_t k = 0; last <= most; k++) {
		double n =
			STEP * round(least * pow(2, (double)k / steps) / STEP);

		if (n > last && n <= most)
			sweep_add(sweep, 2.0 * ELEMENT * n);
		last = n;
	}
}

static struct sweep launch_sweep(struct launch_batch *batch)
{
	const char *name = ways[batch->way];
	struct sweep sweep = {.session = batch->session,
		.facts = {.family = "small kernels",
			.x_name = "data of a launch",
			.x_unit = "B",
			.x_axis = CURVE_BYTES,
			.y_axis = CURVE_RATIOS},
		.prepare = launch_prepare,
		.time = launch_time_point,
		.expected = {.buffer = batch->a,
			.at = launch_expected_word,
			.context = batch},
		.context = batch,
		.bound = {.what = NATIVE_COPY, .counted = 2, .panel = "copy"}};

	if (batch->names_group)
		name = session_text(batch->session, "%s, groups of %zu", name,
			batch->group);
	sweep.name = sweep.facts.member = name;
	launch_choose_sizes(&sweep);
	return sweep;
}

/*
 * Fit a line to the times of launches between `from` and `to` bytes, by least
 * squares of the relative error.
 */
static void launch_fit_line(struct curve *curve, double from, double to)
{
	double bytes[SWEEP_MOST], ns[SWEEP_MOST], weight[SWEEP_MOST];
	struct curve_fit line = {{NAN, NAN, NAN}, {NAN, NAN, NAN}, NAN, 0};
	double overhead, slope;
	size_t n = 0;

	for (size_t i = 0; i < curve->n; i++) {
		if (isnan(curve->median[i]) || curve->x[i] < from ||
			curve->x[i] > to)
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

/*
 * Drop the fit and return false if its rate exceeds the vendor's figure for the
 * device's memory: caches or overhead distort the fit.
 */
static bool launch_check_fit_rate(const struct sweep *sweep, const char *which)
{
	struct session *session = sweep->session;
	struct curve *curve = sweep_curve(sweep);
	double rate = curve->fit->rate_gib_per_s[0];

	if (!theory_is_exceeded(&session->theory, rate))
		return true;
	session_add_finding(session,
		"%s: no line fits the time of launches %s (its %s GiB/s would "
		"exceed the memory bandwidth of this device)",
		sweep->name, which, session_number(session, rate));
	free(curve->fit);
	curve->fit = NULL;
	return false;
}

static void launch_report(const struct sweep *sweep)
{
	struct session *session = sweep->session;
	struct curve *curve = sweep_curve(sweep);
	uint64_t caches = session_llc_bytes(session);
	double up_to = caches > 0 ? (double)caches : FIT_BYTES;
	double from = session->is_cpu ? 0 : FIT_BYTES;
	const char *half = "",
		   *which = session_text(session,
			   session->is_cpu ? "of up to %s" : "of %s and more",
			   session_bytes(session,
				   (uint64_t)(session->is_cpu ? up_to : from)));

	launch_fit_line(curve, from, session->is_cpu ? up_to : INFINITY);
	if (!session_ok(session) || !curve->fit ||
		!launch_check_fit_rate(sweep, which))
		return;
	/* The line also holds for launches this small. */
	if (curve->fit->half_rate_bytes >= from)
		half = session_text(session, "; %s reach half of that rate",
			session_bytes(session,
				(uint64_t)curve->fit->half_rate_bytes));
	if (!curve_good_fit(curve))
		session_add_finding(session,
			"%s: no line fits the time of launches %s (off by up "
			"to %.0f %%)",
			sweep->name, which, 100 * curve->fit->worst_error);
	else
		session_add_finding(session,
			"%s: launches %s take %s plus their bytes at %s GiB/s "
			"(within %.0f %%)%s",
			sweep->name, which,
			session_time(
				session, curve->fit->overhead_ns[0] * 1e-9),
			session_number(session, curve->fit->rate_gib_per_s[0]),
			100 * curve->fit->worst_error, half);
}

/*
 * Measure one kind of launch. The first sweep measures the ceilings for all
 * sweeps.
 */
static void launch_measure(struct session *session, struct launch_batch *batch,
	struct sweep sweeps[2])
{
	bool first = batch->way == QUEUED && !batch->names_group;
	struct sweep *sweep = &sweeps[first ? 0 : 1];

	if (!session_ok(session) ||
		(batch->way == ONE_KERNEL && session->is_cpu))
		return;
	*sweep = launch_sweep(batch);
	sweep->bound.of = first ? NULL : sweeps;
	sweep_run(sweep, 1);
	if (batch->timed_out)
		session_add_finding(session,
			"%s: left out, because this device does not run %u "
			"work-groups at the same time",
			ways[batch->way], session->units);
	else if (session_ok(session))
		launch_report(sweep);
}

/* Measure queued launches with groups of all sizes but the usual one. */
static void launch_measure_groups(struct session *session,
	struct launch_batch *batch, struct sweep sweeps[2])
{
	size_t usual = batch->group;

	batch->names_group = true;
	for (size_t group = LEAST_GROUP; group <= batch->widest; group *= 2) {
		batch->group = group;
		if (group != usual)
			launch_measure(session, batch, sweeps);
	}
	batch->names_group = false;
	batch->group = usual;
}

static void run_launch(struct session *session)
{
	bool all_groups =
		session->options->fine && !session->options->work_group;
	cl_program program =
		session_build(session, "launch.cl", launch_cl, NULL);
	size_t bytes = launch_max_elements(session) * ELEMENT;
	struct launch_batch batch = {.session = session,
		.group = session_group(session, SIZE_MAX),
		.a = session_buffer(session, bytes),
		.b = session_buffer(session, bytes),
		.arrived = session_buffer(session, sizeof(cl_uint)),
		.begin = session_kernel(session, program, "launch_begin"),
		.one = session_kernel(session, program, "launch_rounds"),
		.add = {session_kernel(session, program, "launch_add"),
			session_kernel(session, program, "launch_add")}};
	const struct kernel_argument a = memory_argument(batch.a),
				     b = memory_argument(batch.b);
	struct sweep sweeps[WAYS];

	batch.widest = session->options->work_group > 0
			       ? batch.group
			       : min_size(session->max_group, MOST_GROUP);
	session->all = 1 + !session->is_cpu;
	for (size_t group = 2 * LEAST_GROUP;
		all_groups && group <= batch.widest; group *= 2)
		session->all++;
	session_arguments(session, batch.begin, 0, a);
	session_arguments(session, batch.one, 0, a, b);
	session_arguments(session, batch.add[0], 0, a, b);
	session_arguments(session, batch.add[1], 0, b, a);
	for (size_t way = 0; way < WAYS; way++) {
		batch.way = (enum launch_way)way;
		launch_measure(session, &batch, sweeps);
		if (way == QUEUED && all_groups)
			launch_measure_groups(session, &batch, sweeps);
	}
}

const struct test test_launch = {
	.name = "launch",
	.section = "gpu-small-kernels",
	.source = SOURCE_BENCHES "gpu-small-kernels",
	.published = {"--fine"},
	.set = GROUP_MEMORY,
	.summary = "rates of small kernels, and the overhead of a launch",
	.takes = TAKES_WORK_GROUP | TAKES_FINE,
	.group_divides = STEP,
	.figures = {{.what = "small kernels, queued, best",
		.family = "small kernels",
		.members = {"queued"}}},
	.run = run_launch,
};
