/*
 * Measure an addition of two arrays over the number of work-items (section 2.5,
 * figure 25), and the same addition by threads and by one loop on these CPUs.
 *
 * The test times c[i] = a[i] + b[i] over three arrays of 63.75 MiB in all: the
 * largest size that 65,536 work-items can share evenly. The test times threads
 * with creation and exit, as in the paper, and also ready threads. Compare
 * kernels with ready threads, because events exclude the launch.
 *
 * With the paper's rule, 256 work-items are one group, which runs on one CPU. A
 * second curve has smaller groups: two for each CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cl/suite/scale_cl.h"
#include "cl/sweep.h"

#define MOST_ITEMS   65536
#define FLOATS	     ((size_t)MOST_ITEMS * 85)
#define BYTES	     (FLOATS * sizeof(float))
#define MOST_THREADS 256

/* Runs in a round of the comparison; the best run counts. */
#define TURN_RUNS 10

/* A worker did work if it ran longer than the longest time divided by this. */
#define BUSY_PART 3

enum scale_kind {
	KIND_RULE,
	KIND_SMALL_GROUPS,
	KIND_READY,
	KIND_BOUND,
	KIND_UNBOUND,
	KIND_LOOP,
	KINDS,
};

static const struct {
	const char *name;
	size_t most; /* largest number of work-items or threads */
	bool is_kernel, is_bound, with_creation;
} kinds[KINDS] = {
	[KIND_RULE] = {"OpenCL", MOST_ITEMS, .is_kernel = true},
	[KIND_SMALL_GROUPS] = {"OpenCL, two groups a unit", MOST_ITEMS,
		.is_kernel = true},
	[KIND_READY] = {"threads, bound, ready", MOST_THREADS,
		.is_bound = true},
	[KIND_BOUND] = {"threads, bound", MOST_THREADS, .is_bound = true,
		.with_creation = true},
	[KIND_UNBOUND] = {"threads, not bound", MOST_THREADS,
		.with_creation = true},
	[KIND_LOOP] = {.name = "one loop", .most = 1},
};

struct scale_arrays {
	struct session *session;
	cl_kernel kernel;
	cl_mem c;
	struct native_sum sum; /* arrays of the host */
	struct ceiling read, write;
	struct sweep sweeps[KINDS]; /* a sweep without points is left out */
	struct sweep parts[2];	    /* over CPUs: OpenCL, ready threads */
};

struct sum_terms {
	bool a, b;
};

static const struct sum_terms only_a = {.a = true}, only_b = {.b = true},
			      both = {true, true};

/* Return element i. Sums of small whole numbers are exact. */
static double scale_value(const void *context, size_t i, double *slack)
{
	const struct sum_terms *terms = context;

	(void)slack;
	return (double)((terms->a ? i % 1021 : 0) + (terms->b ? i % 509 : 0));
}

static void scale_set_items(
	const struct scale_arrays *scale, struct launch *launch, size_t kind)
{
	struct session *session = scale->session;
	size_t small = launch->items / (2 * (size_t)session->units);

	launch->kernel = scale->kernel;
	launch->group = session_group(session, launch->items);
	if (kind == KIND_SMALL_GROUPS && launch->group > small)
		launch->group = small ? small : 1;
	while (kind == KIND_SMALL_GROUPS && launch->group > 1 &&
		launch->items % launch->group)
		launch->group--;
	if (session_ok(session))
		session->rc = test_check_groups(session->options, launch->items,
			launch->group, session->err);
	session_arguments(session, scale->kernel, 3,
		word_argument(FLOATS / launch->items));
}

static void scale_prepare(struct sweep *sweep, size_t i)
{
	sweep->launch.items = (size_t)sweep->x[i];
	scale_set_items(sweep->context, &sweep->launch, sweep->kind);
}

/* An addition by threads, on the first n of these CPUs if they are bound. */
struct scale_threads {
	const struct scale_arrays *scale;
	size_t kind, n;
	const struct cpu_list *cpus;
};

static double scale_add_natively(void *context)
{
	const struct scale_threads *threads = context;
	size_t kind = threads->kind;
	struct session *session = threads->scale->session;
	const struct native_crew crew = {kind == KIND_LOOP ? 0 : threads->n,
		kinds[kind].is_bound ? threads->cpus : NULL,
		kinds[kind].with_creation};
	double s = NAN;

	if (session_ok(session) && !session->rehearses)
		session->rc = native_add(
			&threads->scale->sum, &crew, &s, session->err);
	return s;
}

static struct timing scale_time_threads(struct scale_threads threads)
{
	const struct native_sum *sum = &threads.scale->sum;
	struct session *session = threads.scale->session;
	struct timing timing = timing_none();
	size_t wrong = 0;

	if (session->rehearses)
		return timing;
	memset(sum->c, 0xff, BYTES);
	timing = timing_repeat(session, scale_add_natively, &threads);
	for (size_t i = 0; i < FLOATS; i++)
		wrong += sum->c[i] != (float)scale_value(&both, i, NULL);
	if (wrong > 0)
		session_error(session, ERROR_FAILURE, EIO,
			"the sum by %zu threads is wrong: memory, a CPU or c2c "
			"is at fault",
			threads.n);
	timing_sum(&timing, sum->c, BYTES);
	return timing;
}

static struct timing scale_time_native(struct sweep *sweep, size_t i)
{
	return scale_time_threads(
		(struct scale_threads){sweep->context, sweep->kind,
			(size_t)sweep->x[i], sweep->session->options->cpus});
}

/*
 * Return the time of one work-item or thread. Both OpenCL curves run the same
 * kernel in a group of one, so they share the shorter time.
 */
static double scale_single_time(const struct scale_arrays *scale, size_t kind)
{
	const struct sweep *sweeps = scale->sweeps;

	if (!kinds[kind].is_kernel || sweeps[KIND_SMALL_GROUPS].n == 0)
		return sweep_figure(&sweeps[kind], 0).median;
	if (kind == KIND_RULE)
		sweep_check_same(
			&sweeps[KIND_RULE], &sweeps[KIND_SMALL_GROUPS], 1);
	return fmin(sweep_figure(&sweeps[KIND_RULE], 0).median,
		sweep_figure(&sweeps[KIND_SMALL_GROUPS], 0).median);
}

/*
 * Add the speed-up over one work-item, and the speed-up divided by the number
 * of usable CPUs. For other devices this number is unknown.
 */
static void scale_derive(struct scale_arrays *scale, size_t kind)
{
	static const struct {
		const char *family, *unit;
	} curves[2] = {
		{"speed-up", "times"}, {"efficiency", "speed-up per CPU"}};
	const struct session *session = scale->session;
	const struct sweep *sweep = &scale->sweeps[kind];
	bool kernel = kinds[kind].is_kernel;
	double cpus =
		kernel ? session->units : (double)session->options->cpus->n;
	double one = scale_single_time(scale, kind);

	for (int share = 0; share < (kernel && !session->is_cpu ? 1 : 2);
		share++) {
		struct curve *curve = sweep_derive(sweep, sweep->facts.member,
			curves[share].family, curves[share].unit,
			share ? CURVE_AMOUNTS : CURVE_RATIOS);

		for (size_t i = 0; i < sweep->n && curve; i++)
			curve->median[i] =
				one / sweep_figure(sweep, i).median /
				(share ? fmin(sweep->x[i], cpus) : 1);
	}
}

static void scale_open_device(struct scale_arrays *scale)
{
	struct session *session = scale->session;
	cl_mem a = session_buffer(session, BYTES);
	cl_mem b = session_buffer(session, BYTES);
	cl_program program = session_build(session, "scale.cl", scale_cl, NULL);

	scale->kernel = session_kernel(session, program, "add");
	scale->c = session_buffer(session, BYTES);
	session_arguments(session, scale->kernel, 0, memory_argument(a),
		memory_argument(b), memory_argument(scale->c));
	session_fill_numbers(session, a, FLOATS, false, scale_value, &only_a);
	session_fill_numbers(session, b, FLOATS, false, scale_value, &only_b);
}

static void scale_open_host(struct scale_arrays *scale)
{
	float *arrays =
		session_pages(scale->session, 3 * BYTES, "64 MiB of arrays");

	for (size_t i = 0; i < FLOATS && arrays; i++) {
		arrays[i] = (float)scale_value(&only_a, i, NULL);
		arrays[FLOATS + i] = (float)scale_value(&only_b, i, NULL);
	}
	if (arrays)
		scale->sum = (struct native_sum){
			arrays, arrays + FLOATS, arrays + 2 * FLOATS, FLOATS};
}

/* Count the workers that ran for a good share of the longest time. */
static size_t count_busy_workers(
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

/* Return the expected sums. A kernel must write all sums. */
static struct expected_words scale_expected_sum(
	const struct scale_arrays *scale)
{
	return (struct expected_words){.buffer = scale->c,
		.n = FLOATS,
		.number = scale_value,
		.context = &both,
		.poisoned = true};
}

/* Time an addition on a part of the CPUs. *busy: workers that added. */
static struct timing scale_time_workers(
	struct session *part, const struct workers *workers, size_t *busy)
{
	struct scale_arrays scale = {.session = part};
	struct launch launch = {.items = MOST_ITEMS};
	struct timing timing = timing_none();
	struct expected_words sum;
	uint64_t *ns;

	scale_open_device(&scale);
	sum = scale_expected_sum(&scale);
	ns = session_memory(part, (2 * workers->n + 1) * sizeof(*ns),
		"the times of threads");
	scale_set_items(&scale, &launch, KIND_SMALL_GROUPS);
	session_set_words(part, scale.c, FLOATS, SESSION_UNWRITTEN);
	launch_warm_up(part, &launch);
	if (part->rc)
		return timing;
	workers_times(workers, ns);
	timing = launch_time(part, &launch);
	workers_times(workers, ns + workers->n);
	*busy = count_busy_workers(ns, ns + workers->n, workers->n);
	session_check(part, &sum, &timing, "the sum on a part of the device");
	return timing;
}

static struct timing scale_time_units(
	struct session *session, size_t n, size_t *busy)
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
		timing = scale_time_workers(&part, &session->workers, busy);
	session_close(&part);
	clReleaseDevice(part.device);
	session->rc = part.rc;
	return timing;
}

static struct timing scale_time_part(struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;
	size_t n = (size_t)sweep->x[i], busy = n;
	struct cpu_list first = {session->options->cpus->cpus, n};
	struct timing timing;

	if (sweep->kind == KIND_READY)
		return scale_time_threads((struct scale_threads){
			sweep->context, KIND_READY, n, &first});
	timing = scale_time_units(session, n, &busy);
	if (busy == n)
		return timing;
	session_note(session,
		"%zu CPUs were requested but %zu did the work: the curve over "
		"CPUs lacks this number",
		n, busy);
	return timing_none();
}

/* Return whether the device can be divided into parts of any number of CPUs. */
static bool scale_has_parts(const struct session *session)
{
	cl_device_partition_property ways[16] = {0};
	size_t bytes = 0;

	if (session->options->work_items || !session->is_cpu ||
		session->units != session->options->cpus->n ||
		!workers_are_bound(&session->workers) ||
		clGetDeviceInfo(session->device, CL_DEVICE_PARTITION_PROPERTIES,
			sizeof(ways), ways, &bytes))
		return false;
	for (size_t i = 0; i < bytes / sizeof(ways[0]); i++) {
		if (ways[i] == CL_DEVICE_PARTITION_BY_COUNTS)
			return true;
	}
	return false;
}

/*
 * Make curves over numbers of CPUs: powers of two, the numbers halfway (not
 * with --quick), and all CPUs. Many machines have 6, 12 or 24 cores before the
 * first SMT sibling.
 */
static void scale_make_parts(struct scale_arrays *scale)
{
	struct session *session = scale->session;
	size_t all = session->options->cpus->n, half;
	bool small = scale->sweeps[KIND_SMALL_GROUPS].n > 0;

	for (size_t k = 0; k < 2; k++) {
		size_t kind = k	      ? KIND_READY
			      : small ? KIND_SMALL_GROUPS
				      : KIND_RULE;
		struct sweep *sweep = &scale->parts[k];

		*sweep = (struct sweep){.session = session,
			.name = kinds[kind].name,
			.facts = {.family = "time over CPUs",
				.member = kinds[kind].name,
				.x_name = "CPUs"},
			.shows = SHOWS_TIME,
			.kind = (unsigned)kind,
			.time = scale_time_part,
			.context = scale};
		for (size_t n = 1; n < all; n *= 2) {
			sweep_add(sweep, (double)n);
			half = n + n / 2;
			if (n > 1 && half < all && !session->options->quick)
				sweep_add(sweep, (double)half);
		}
		sweep_add(sweep, (double)all);
	}
}

/* Return the shortest time of a launch, or of threads if launch is NULL. */
static double scale_best_run(
	const struct launch *launch, struct scale_threads *threads)
{
	struct session *session = threads->scale->session;
	double best_s = INFINITY;

	for (int run = 0; run < TURN_RUNS && session_stopped(session) == 0;
		run++)
		best_s = fmin(
			best_s, launch ? launch_once(session, launch, false)
				       : scale_add_natively(threads));
	return best_s;
}

static struct launch scale_point_launch(
	const struct scale_arrays *scale, size_t kind, size_t i)
{
	const struct session *session = scale->session;
	const struct sweep *sweep = &scale->sweeps[kind];
	struct launch launch = {.items = (size_t)sweep->x[i]};

	scale_set_items(scale, &launch, kind);
	for (size_t k = 0; k < session->n_points; k++) {
		const struct measured_point *point = &session->points[k];

		/* After --work-group sweep this is the best group size. */
		if (point->curve == sweep->at && point->x == sweep->x[i])
			launch.group = point->group;
	}
	return launch;
}

/*
 * Measure the best kernel and the best ready threads again, alternately. The
 * points were measured at different times, and a maximum of more points is more
 * biased.
 */
static void scale_compare_threads(const struct scale_arrays *scale, size_t kind)
{
	struct session *session = scale->session;
	const struct sweep *ready = &scale->sweeps[KIND_READY];
	size_t rounds = session->options->quick ? INTERLEAVED_QUICK_ROUNDS
						: INTERLEAVED_ROUNDS;
	struct launch launch = scale_point_launch(
		scale, kind, sweep_best(&scale->sweeps[kind]));
	struct expected_words sum = scale_expected_sum(scale);
	struct scale_threads threads = {scale, KIND_READY,
		(size_t)ready->x[sweep_best(ready)], session->options->cpus};
	double kernel_s[INTERLEAVED_ROUNDS], threads_s[INTERLEAVED_ROUNDS];
	const char *launched = "";
	struct timing checked;
	struct interleaved_ratio turns;

	session_set_words(session, scale->c, FLOATS, SESSION_UNWRITTEN);
	for (size_t i = 0; i < rounds; i++) {
		kernel_s[i] = scale_best_run(&launch, &threads);
		threads_s[i] = scale_best_run(NULL, &threads);
	}
	session_check(session, &sum, &checked, "the best sum");
	if (session->rc)
		return;
	turns = compare_interleaved(kernel_s, threads_s, rounds);
	if (session->by_events)
		launched = session_text(session, " without a launch of %s",
			session_time(session, session->launch_s));
	session_add_finding(session,
		"the best kernel and the best ready threads, measured again "
		"alternately: %s%s and %s; within a round OpenCL took %.2f "
		"times as long (%.2f to %.2f)",
		session_time(session, turns.one), launched,
		session_time(session, turns.other), turns.ratio, turns.low,
		turns.high);
}

static void scale_note_one_group(const struct sweep *rule)
{
	struct session *session = rule->session;

	if (session->rc)
		return;
	sweep_curve(rule)->mark_x = 256;
	sweep_curve(rule)->mark = strdup("one group");
	if (!sweep_curve(rule)->mark)
		session_no_memory(session, "a mark");
	session_add_finding(session,
		"256 work-items of the curve 'OpenCL' are one work-group, "
		"which one CPU runs");
}

static void scale_conclude(const struct scale_arrays *scale)
{
	struct session *session = scale->session;
	const struct test_options *options = session->options;
	struct median_interval kernels[2] = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
	size_t kernel;

	for (size_t kind = 0; kind < KINDS && session_ok(session); kind++) {
		const struct sweep *sweep = &scale->sweeps[kind];

		sweep_report_best(sweep, 0);
		if (kinds[kind].is_kernel)
			kernels[kind] = sweep_figure(sweep, sweep_best(sweep));
	}
	kernel = figure_least(kernels, 2);
	if (session_ok(session) && session->is_cpu && kernel < 2 &&
		!session_lacks_threads(session))
		scale_compare_threads(scale, kernel);
	if (session->is_cpu && session->units > 1 && !options->work_items &&
		!options->work_group && !options->sweep_groups)
		scale_note_one_group(&scale->sweeps[KIND_RULE]);
}

static int scale_check_options(
	const struct test_options *options, struct error *err)
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
	/* A group is never larger than the number of work-items. */
	if (options->work_group && options->work_group < options->work_items)
		return test_check_groups(
			options, options->work_items, options->work_group, err);
	return 0;
}

/* Make the sweep of a kind. x doubles, or x is the user's number. */
static struct sweep scale_sweep(struct scale_arrays *scale, size_t kind)
{
	const struct test_options *options = scale->session->options;
	struct sweep sweep = {.session = scale->session,
		.name = kinds[kind].name,
		.facts = {.family = "time",
			.member = kinds[kind].name,
			.x_name = "work-items or threads"},
		.shows = SHOWS_TIME,
		.kind = (unsigned)kind,
		.time = scale_time_native,
		.context = scale};

	if (kinds[kind].is_kernel) {
		sweep.time = NULL;
		sweep.prepare = scale_prepare;
		sweep.expected = scale_expected_sum(scale);
		/* The kernel has to read two arrays, and to write one. */
		sweep.bound.ceiling = &scale->read;
		sweep.bound.other = &scale->write;
		sweep.bound.both = true;
	}
	/* The first curve of --work-group sweep has groups of any size. */
	if (kind == KIND_SMALL_GROUPS && options->sweep_groups)
		return sweep;
	if (kinds[kind].is_kernel && options->work_items)
		sweep_add(&sweep, (double)options->work_items);
	else
		/* A user's group size needs at least as many work-items. */
		sweep_up_to(
			&sweep, 1, kinds[kind].most, options->quick ? 256 : 2);
	return sweep;
}

static void run_scale(struct session *session)
{
	struct scale_arrays scale = {
		.session = session,
		.read = {.what = NATIVE_READ, .bytes = 2 * BYTES},
		.write = {.what = NATIVE_WRITE, .bytes = BYTES},
	};

	scale_open_device(&scale);
	scale_open_host(&scale);
	for (size_t kind = 0; kind < KINDS; kind++) {
		scale.sweeps[kind] = scale_sweep(&scale, kind);
		session->all += scale.sweeps[kind].n > 0;
	}
	if (scale_has_parts(session))
		scale_make_parts(&scale);
	session->all += scale.parts->n > 0 ? 2 : 0;
	ceiling_measure(session, &scale.read);
	ceiling_measure(session, &scale.write);
	for (size_t kind = 0; kind < KINDS; kind++) {
		if (scale.sweeps[kind].n > 0)
			sweep_run(&scale.sweeps[kind], 1);
	}
	for (size_t kind = 0; kind < KINDS && session_ok(session); kind++) {
		if (scale.sweeps[kind].n > 1)
			scale_derive(&scale, kind);
	}
	if (session_ok(session) && scale.parts->n > 0)
		sweep_run(scale.parts, 2);
	ceiling_record(session, &scale.read, "two arrays to add");
	ceiling_record(session, &scale.write, "the sum");
	scale_conclude(&scale);
}

const struct test test_scale = {
	.name = "scale",
	.section = "2.5",
	.source = SOURCE_SUITE "2.5, figure 25",
	.published = {"--work-group=auto"},
	.summary = "an addition over numbers of work-items, threads, CPUs",
	.takes = TAKES_WORK_ITEMS | TAKES_WORK_GROUP | TAKES_SWEEP,
	.check = scale_check_options,
	.figures = {{.what = "speed-up over one work-item",
		.family = "speed-up",
		.members = {"OpenCL", "OpenCL, two groups a unit"}}},
	.run = run_scale,
};
