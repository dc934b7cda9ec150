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

#include "cl/suite/scale_cl.h"
#include "cl/sweep.h"
#include "cl/tests.h"
#include "cl/turns.h"
#include "util/text.h"

#define MOST_ITEMS   65536
#define FLOATS	     ((size_t)MOST_ITEMS * 85)
#define MOST_THREADS 256

/* The factor between the points of --quick. */
#define QUICK_FACTOR 16

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

/* The best point of a kind. */
struct best {
	struct figure time_s;
	size_t x, group;
};

struct scale {
	struct session *session;
	cl_kernel kernel;
	cl_mem c;
	struct native_sum sum; /* arrays of the host */
	struct ceiling read, write;
	struct sweep sweeps[KINDS]; /* without points: left out */
	struct best best[KINDS];
};

static float a_at(size_t i)
{
	return (float)(i % 1021);
}

static float b_at(size_t i)
{
	return (float)(i % 509);
}

static cl_uint word_of(float value)
{
	cl_uint word;

	memcpy(&word, &value, sizeof(word));
	return word;
}

static cl_uint a_word(const void *context, size_t i)
{
	(void)context;
	return word_of(a_at(i));
}

static cl_uint b_word(const void *context, size_t i)
{
	(void)context;
	return word_of(b_at(i));
}

/* Sums of small whole numbers are exact. */
static cl_uint sum_word(const void *context, size_t i)
{
	(void)context;
	return word_of(a_at(i) + b_at(i));
}

static bool is_kernel(size_t kind)
{
	return kind == KIND_RULE || kind == KIND_SMALL_GROUPS;
}

/* Set the kernel's arguments, and choose its groups. */
static void set_items(
	const struct scale *scale, struct launch *launch, size_t kind)
{
	struct session *session = scale->session;
	size_t small = launch->items / (2 * (size_t)session->units);

	launch->kernel = scale->kernel;
	launch->group = session_group(session, launch->items);
	if (kind == KIND_SMALL_GROUPS && launch->group > small)
		launch->group = small ? small : 1;
	while (kind == KIND_SMALL_GROUPS && launch->items % launch->group)
		launch->group--;
	if (session_ok(session))
		session->rc = check_groups(session->options, launch->items,
			launch->group, session->err);
	session_arguments(session, scale->kernel, 3,
		(struct argument[]){of_word(FLOATS / launch->items), {0}});
}

static void prepare_kernel(struct sweep *sweep, size_t i)
{
	sweep->launch.items = (size_t)sweep->x[i];
	set_items(sweep->context, &sweep->launch, sweep->kind);
}

static double add_once(const struct scale *scale, size_t kind, size_t threads,
	const struct cpu_list *cpus)
{
	struct session *session = scale->session;
	double s = NAN;

	if (kind == KIND_LOOP)
		return native_add_alone(&scale->sum);
	if (session_ok(session))
		session->rc = native_add(&scale->sum, threads,
			kind == KIND_UNBOUND ? NULL : cpus, kind != KIND_READY,
			&s, session->err);
	return s;
}

static struct timing time_threads(const struct scale *scale, size_t kind,
	size_t threads, const struct cpu_list *cpus)
{
	struct session *session = scale->session;
	const struct test_options *options = session->options;
	size_t mark = session_mark(session), wrong = 0;
	struct timing timing = timing_none();
	double *s = session_memory(
		session, options->repeat * sizeof(*s), "the times");

	memset(scale->sum.c, 0xff, FLOATS * sizeof(float));
	for (unsigned i = 0; i < options->discard + options->repeat &&
			     session_stopped(session) == 0;
		i++) {
		double time_s = add_once(scale, kind, threads, cpus);

		if (i >= options->discard)
			s[i - options->discard] = time_s;
	}
	for (size_t i = 0; i < FLOATS; i++)
		wrong += scale->sum.c[i] != a_at(i) + b_at(i);
	if (wrong > 0)
		session_error(session, ERROR_FAILURE, EIO,
			"the sum by %zu threads is wrong: memory, a CPU or c2c "
			"is at fault",
			threads);
	if (session_ok(session))
		timing = timing_of(s, options->repeat);
	timing_sum(&timing, scale->sum.c, FLOATS * sizeof(float));
	session_release(session, mark);
	return timing;
}

static struct timing time_native(struct sweep *sweep, size_t i)
{
	return time_threads(sweep->context, sweep->kind, (size_t)sweep->x[i],
		sweep->session->options->cpus);
}

/*
 * A kernel cannot be done before its arrays have been read, nor before c has
 * been written, at the best rate there is.
 */
static bool is_possible(struct scale *scale, size_t items, double s)
{
	struct ceiling *const ceilings[] = {&scale->read, &scale->write};
	static const char *const names[2] = {"read", "write"};
	bool holds = true;

	for (int i = 0; i < 2 && holds; i++) {
		char what[64];

		snprintf(what, sizeof(what), "%s by %zu work-items", names[i],
			items);
		holds = ceiling_holds(scale->session, ceilings[i],
			(double)ceilings[i]->bytes / s / GIB, what);
	}
	return holds;
}

static void measure_kind(struct scale *scale, size_t kind)
{
	struct sweep *sweep = &scale->sweeps[kind];
	struct best *best = &scale->best[kind];

	sweep_begin(sweep);
	for (size_t i = 0; i < sweep->n && session_ok(scale->session); i++) {
		struct timing timing = sweep_measure(sweep, i);
		size_t x = (size_t)sweep->x[i];

		if (session_ok(scale->session) &&
			(!is_kernel(kind) ||
				is_possible(scale, x, timing.median_s)) &&
			sweep_put(sweep, i, &timing) &&
			!(timing.median_s >= best->time_s.median))
			*best = (struct best){
				{timing.median_s, timing.low_s, timing.high_s},
				x, timing.group};
		if (session_ok(scale->session))
			session_advance(scale->session, 1);
	}
}

/*
 * The time of one work-item or thread. One work-item is the same kernel in a
 * group of one in both curves: one time for both.
 */
static double time_of_one(struct scale *scale, size_t kind)
{
	const struct sweep *sweeps = scale->sweeps;
	double one = sweep_figure(&sweeps[kind], 0).median, other, least;
	char rule[TEXT_SIZE_BYTES], small[TEXT_SIZE_BYTES];

	if (!is_kernel(kind) || sweeps[KIND_SMALL_GROUPS].n == 0)
		return one;
	one = sweep_figure(&sweeps[KIND_RULE], 0).median;
	other = sweep_figure(&sweeps[KIND_SMALL_GROUPS], 0).median;
	least = fmin(one, other);
	if (kind == KIND_RULE && fmax(one, other) > SAME * least)
		session_note(scale->session,
			"with one work-item both OpenCL curves run the same "
			"kernel, yet it took %s and %s: differences of that "
			"size mean nothing here; the speed-up is relative to "
			"the shorter time",
			text_time(one * 1e-3, rule),
			text_time(other * 1e-3, small));
	return least;
}

/*
 * Speed-up against one, and that over the CPUs that could work. A unit of
 * another device runs many work-items at once, nobody says how many.
 */
static void derive(struct scale *scale, size_t kind)
{
	static const struct {
		const char *family, *unit;
	} curves[2] = {{"speed-up", "times"}, {"efficiency", "share"}};
	const struct session *session = scale->session;
	const struct sweep *sweep = &scale->sweeps[kind];
	bool kernel = is_kernel(kind);
	double cpus = (double)session->options->cpus->n;
	double one = time_of_one(scale, kind);

	if (kernel)
		cpus = session->units;
	for (int share = 0; share < (kernel && !session->is_cpu ? 1 : 2);
		share++) {
		struct curve *curve = sweep_derive(sweep, sweep->member,
			curves[share].family, curves[share].unit,
			share ? CURVE_AMOUNTS : CURVE_RATIOS);

		for (size_t i = 0; i < sweep->n && curve; i++)
			curve->median[i] =
				one / sweep_figure(sweep, i).median /
				(share ? fmin(sweep->x[i], cpus) : 1);
	}
}

/* Arrays of the device, and a program that adds them. */
static void open_device(struct scale *scale)
{
	struct session *session = scale->session;
	size_t bytes = FLOATS * sizeof(float);
	cl_mem a = session_buffer(session, bytes);
	cl_mem b = session_buffer(session, bytes);
	cl_program program = session_build(session, "scale.cl", scale_cl, NULL);

	scale->kernel = session_kernel(session, program, "add");
	scale->c = session_buffer(session, bytes);
	session_arguments(session, scale->kernel, 0,
		(struct argument[]){
			of_memory(a), of_memory(b), of_memory(scale->c), {0}});
	session_fill(session, a, FLOATS, a_word, NULL);
	session_fill(session, b, FLOATS, b_word, NULL);
}

static void open_host(struct scale *scale)
{
	float *arrays = session_memory(
		scale->session, 3 * FLOATS * sizeof(float), "64 MiB of arrays");

	if (!arrays)
		return;
	scale->sum = (struct native_sum){
		arrays, arrays + FLOATS, arrays + 2 * FLOATS, FLOATS};
	for (size_t i = 0; i < FLOATS; i++) {
		arrays[i] = a_at(i);
		arrays[FLOATS + i] = b_at(i);
	}
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

/* The addition on a part; *busy: how many workers added, whoever compiled. */
static struct timing time_workers(
	struct session *part, const struct workers *workers, size_t *busy)
{
	struct scale scale = {.session = part};
	struct launch launch = {.items = MOST_ITEMS};
	struct timing timing = timing_none();
	uint64_t *ns;

	open_device(&scale);
	ns = session_memory(part, (2 * workers->n + 1) * sizeof(*ns),
		"the times of threads");
	set_items(&scale, &launch, KIND_SMALL_GROUPS);
	session_spoil(part, scale.c, FLOATS * sizeof(float));
	launch_warm_up(part, &launch);
	if (part->rc)
		return timing;
	workers_times(workers, ns);
	timing = launch_time(part, &launch);
	workers_times(workers, ns + workers->n);
	*busy = count_busy(ns, ns + workers->n, workers->n);
	session_check(part,
		&(struct words){.buffer = scale.c, .n = FLOATS, .at = sum_word},
		&timing, "the sum by %zu work-items", launch.items);
	return timing;
}

/* The same on the first n compute units of the device. */
static struct timing time_part(struct session *session, size_t n, size_t *busy)
{
	const cl_device_partition_property counts[] = {
		CL_DEVICE_PARTITION_BY_COUNTS,
		(cl_device_partition_property)n,
		CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
		0,
	};
	struct session part = *session;
	struct timing timing = timing_none();
	cl_int code;

	part.units = (cl_uint)n;
	part.context = NULL;
	part.queue = NULL;
	part.workers = (struct workers){0};
	part.owned = NULL;
	part.n_owned = 0;
	code = clCreateSubDevices(
		session->device, counts, 1, &part.device, NULL);
	if (code) {
		session_fail(session, code, "a part of the device");
		return timing;
	}
	if (session_connect(&part) == 0)
		timing = time_workers(&part, &session->workers, busy);
	session_close(&part);
	clReleaseDevice(part.device);
	session->rc = part.rc;
	return timing;
}

/*
 * Ever more CPUs, as many as there are at last: powers of two and their halves
 * more, since many a machine has 6, 12 or 24 cores before the first sibling.
 */
static size_t numbers_of_cpus(const struct session *session, unsigned *ns)
{
	size_t all = session->options->cpus->n, points = 0;

	for (size_t n = 1; n < all; n *= 2) {
		ns[points++] = (unsigned)n;
		if (n > 1 && n + n / 2 < all)
			ns[points++] = (unsigned)(n + n / 2);
	}
	ns[points++] = (unsigned)all;
	return points;
}

/* OpenCL and ready threads on each of these numbers of CPUs. */
static void measure_cpus(struct scale *scale)
{
	struct session *session = scale->session;
	enum kind kinds[2] = {scale->sweeps[KIND_SMALL_GROUPS].n
				      ? KIND_SMALL_GROUPS
				      : KIND_RULE,
		KIND_READY};
	unsigned ns[SWEEP_MOST];
	size_t points = numbers_of_cpus(session, ns);
	struct sweep sweeps[2];

	for (size_t k = 0; k < 2; k++) {
		sweeps[k] = (struct sweep){.session = session,
			.family = "time over CPUs",
			.member = kind_names[kinds[k]],
			.x_name = "CPUs",
			.shows = SHOWS_TIME};
		sweep_over(&sweeps[k], ns, points);
		sweep_begin(&sweeps[k]);
	}
	for (size_t i = 0; i < points && session_ok(session); i++) {
		struct cpu_list first = {session->options->cpus->cpus, ns[i]};
		struct timing timing =
			time_threads(scale, KIND_READY, ns[i], &first);
		size_t busy = 0;

		sweep_put(&sweeps[1], i, &timing);
		if (session->rc)
			return;
		session_advance(session, 1);
		timing = time_part(session, ns[i], &busy);
		if (busy == ns[i])
			sweep_put(&sweeps[0], i, &timing);
		else
			session_note(session,
				"%u CPUs were requested but %zu did the work: "
				"left out of the time over CPUs",
				ns[i], busy);
		if (session_ok(session))
			session_advance(session, 1);
	}
}

/* Devices that cannot be parted have no curves over CPUs. */
static bool has_cpus(const struct session *session)
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

/* The best of some runs. */
static double best_run(
	const struct scale *scale, const struct launch *launch, size_t threads)
{
	struct session *session = scale->session;
	double best_s = INFINITY;

	for (int run = 0; run < TURN_RUNS && session_stopped(session) == 0;
		run++)
		best_s = fmin(
			best_s, threads ? add_once(scale, KIND_READY, threads,
						  session->options->cpus)
					: launch_once(session, launch, false));
	return best_s;
}

/*
 * Points of curves were measured at different moments, and of more points one
 * had more luck: so the best kernel and the best ready threads once more.
 */
static void compare(const struct scale *scale, size_t kind)
{
	struct session *session = scale->session;
	size_t rounds =
		session->options->quick ? TURNS_QUICK_ROUNDS : TURNS_ROUNDS;
	double kernel_s[TURNS_ROUNDS], threads_s[TURNS_ROUNDS];
	char launched[64] = "", kernel[TEXT_SIZE_BYTES], other[TEXT_SIZE_BYTES];
	struct launch launch = {.items = scale->best[kind].x};
	struct timing checked;
	struct turns turns;

	set_items(scale, &launch, kind);
	launch.group = scale->best[kind].group;
	session_spoil(session, scale->c, FLOATS * sizeof(float));
	for (size_t i = 0; i < rounds; i++) {
		kernel_s[i] = best_run(scale, &launch, 0);
		threads_s[i] = best_run(scale, NULL, scale->best[KIND_READY].x);
	}
	session_check(session,
		&(struct words){
			.buffer = scale->c, .n = FLOATS, .at = sum_word},
		&checked, "the sum by %zu work-items", launch.items);
	if (session->rc)
		return;
	turns = turns_of(kernel_s, threads_s, rounds);
	if (session->by_events)
		snprintf(launched, sizeof(launched), " without a launch of %s",
			text_time(session->launch_s, kernel));
	session_find(session,
		"OpenCL at its best and ready threads at theirs, measured "
		"again in turns: %s%s and %s; within a round OpenCL took %.2f "
		"times as long (%.2f to %.2f)",
		text_time(turns.one, kernel), launched,
		text_time(turns.other, other), turns.ratio, turns.low,
		turns.high);
}

/* That a point of the first curve is the work of one CPU. */
static void note_one_group(const struct sweep *rule)
{
	struct session *session = rule->session;

	if (session->rc)
		return;
	sweep_curve(rule)->mark_x = 256;
	sweep_curve(rule)->mark = strdup("one group");
	if (!sweep_curve(rule)->mark)
		session->rc = error_no_memory(session->err, "a mark");
	session_find(session,
		"256 work-items of the curve 'OpenCL' are one work-group, "
		"which one CPU runs");
}

/* What the curves come to, for people. */
static void conclude(const struct scale *scale)
{
	struct session *session = scale->session;
	const struct test_options *options = session->options;
	struct figure kernels[] = {scale->best[KIND_RULE].time_s,
		scale->best[KIND_SMALL_GROUPS].time_s};
	size_t kernel = figure_least(kernels, 2);

	for (size_t kind = 0; kind < KINDS; kind++) {
		double best_s = scale->best[kind].time_s.median;
		char time[TEXT_SIZE_BYTES];

		if (!isnan(best_s))
			session_find(session,
				"best of %s: %s at %zu, %.4g GiB/s read and "
				"written",
				kind_names[kind], text_time(best_s, time),
				scale->best[kind].x,
				3 * FLOATS * sizeof(float) / best_s / GIB);
	}
	if (session_ok(session) && session->is_cpu && kernel < 2 &&
		!session_lacks_threads(session))
		compare(scale, kernel);
	if (session->is_cpu && session->units > 1 && !options->work_items &&
		!options->work_group && !options->sweep_groups)
		note_one_group(&scale->sweeps[KIND_RULE]);
}

static int check_options(const struct test_options *options, struct error *err)
{
	uint64_t power = 1;

	while (2 * power <= options->work_items && 2 * power < MOST_ITEMS)
		power *= 2;
	if (options->work_items &&
		(options->work_items > FLOATS || FLOATS % options->work_items))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-items: %" PRIu64 " does not divide the %zu "
			"elements; the nearest powers of two are %" PRIu64
			" and %" PRIu64,
			options->work_items, FLOATS, power, 2 * power);
	/* A group is never larger than the work-items are many. */
	if (options->work_group && options->work_group < options->work_items)
		return check_groups(
			options, options->work_items, options->work_group, err);
	return 0;
}

/* A kind with its x: doublings, or the one that the user wants. */
static struct sweep make_sweep(struct scale *scale, size_t kind)
{
	const struct test_options *options = scale->session->options;
	struct sweep sweep = {.session = scale->session,
		.family = "time",
		.member = kind_names[kind],
		.x_name = "work-items or threads",
		.shows = SHOWS_TIME,
		.kind = (unsigned)kind,
		.context = scale};
	size_t most = kind == KIND_LOOP ? 1 : MOST_THREADS;

	snprintf(sweep.name, sizeof(sweep.name), "%s", sweep.member);
	if (!is_kernel(kind)) {
		sweep.time = time_native;
	} else {
		sweep.prepare = prepare_kernel;
		sweep.right = words_of(scale->c, FLOATS, sum_word, NULL);
		/* No sum is the NaN that this makes. */
		sweep.spoiled = true;
		most = MOST_ITEMS;
	}
	/* A sweep has groups of any size in the first curve. */
	if (kind == KIND_SMALL_GROUPS && options->sweep_groups)
		return sweep;
	if (is_kernel(kind) && options->work_items)
		sweep.x[sweep.n++] = (double)options->work_items;
	else
		/* A group that the user chose wants as many items. */
		sweep_up_to(&sweep, 1, most, options->quick ? QUICK_FACTOR : 2);
	return sweep;
}

static void run_scale(struct session *session)
{
	struct scale scale = {
		.session = session,
		.read = {.what = NATIVE_READ,
			.bytes = 2 * FLOATS * sizeof(float)},
		.write = {.what = NATIVE_WRITE,
			.bytes = FLOATS * sizeof(float)},
	};
	unsigned ns[SWEEP_MOST];

	open_device(&scale);
	open_host(&scale);
	for (size_t kind = 0; kind < KINDS; kind++) {
		scale.best[kind].time_s = (struct figure){NAN, NAN, NAN};
		scale.sweeps[kind] = make_sweep(&scale, kind);
		session->all += (double)scale.sweeps[kind].n;
	}
	if (has_cpus(session))
		session->all += 2.0 * (double)numbers_of_cpus(session, ns);
	ceiling_measure(session, &scale.read);
	ceiling_measure(session, &scale.write);
	for (size_t kind = 0; kind < KINDS; kind++) {
		if (scale.sweeps[kind].n > 0)
			measure_kind(&scale, kind);
	}
	for (size_t kind = 0; kind < KINDS && session_ok(session); kind++) {
		if (scale.sweeps[kind].n > 1)
			derive(&scale, kind);
	}
	if (session_ok(session) && has_cpus(session))
		measure_cpus(&scale);
	ceiling_record(session, &scale.read, "two arrays to add");
	ceiling_record(session, &scale.write, "the sum");
	conclude(&scale);
}

const struct test test_scale = {
	.name = "scale",
	.section = "2.5",
	.summary = "An addition over the number of work-items, and with "
		   "threads",
	.takes = TAKES_WORK_ITEMS | TAKES_WORK_GROUP | TAKES_SWEEP,
	.check = check_options,
	.run = run_scale,
};
