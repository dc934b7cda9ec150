/*
 * Time kernels by the device's events if these are plausible. Otherwise use the
 * host's clock, from one empty queue to the next.
 *
 * Events are plausible if, for a kernel of milliseconds, they report at most
 * the host's time and at least a third of it. Some implementations report zeros
 * or use a wrong unit. The host's time includes the launch, an event's time
 * does not.
 */
#include "cl/timing.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cl/pool.h"
#include "cl/split.h"
#include "machine/timebase.h"
#include "stat/stat.h"
#include "util/array.h"

/* Runs of the check, and turns of its kernel: some milliseconds. */
#define CHECK_RUNS  9
#define CHECK_TURNS 1000000

/* An event may exceed the host's time by this, because its clock has ticks. */
#define EVENT_SLACK_S 2e-6
#define EVENT_MOST    1.02
#define EVENT_LEAST   0.33

#define LAUNCHES 200

/*
 * Turns and runs of a kernel that detects which threads work: two milliseconds
 * a run. Five times as many turns find no more threads on a busy machine.
 */
#define WORK_TURNS 20000
#define WORK_RUNS  5

/* Rounds to find threads: other programs may use their CPUs in some. */
#define WORK_ROUNDS 10

/* Smallest group size of a sweep, which doubles; 1 with few work-items. */
#define LEAST_GROUP 16
#define SMALL_ITEMS 1024
#define MOST_GROUPS 64

/*
 * Limits for a slow point: discard only one run, stop after POINT_S with enough
 * runs for an interval, and after LONG_POINT_S with enough runs for a median.
 */
#define POINT_S	     0.25
#define ENOUGH_RUNS  6
#define LONG_POINT_S 2.0
#define LEAST_RUNS   3
#define DISCARD_S    0.05

/* Return the time from START to END of an event; NaN if it lacks times. */
static double event_duration_s(cl_event event)
{
	cl_ulong start = 0, end = 0;

	if (clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
		    sizeof(start), &start, NULL) ||
		clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
			sizeof(end), &end, NULL) ||
		end <= start)
		return NAN;
	return (double)(end - start) * 1e-9;
}

/* Arguments of the OpenCL call that launches a kernel. */
struct launch_grid {
	cl_uint dimensions;
	size_t items[2], group[2];
};

/*
 * Return the grid. All sizes of two dimensions are powers of two. A group is as
 * square as the work-items allow.
 */
static struct launch_grid launch_grid_of(
	const struct session *session, const struct launch *launch)
{
	size_t width = launch->width ? launch->width : launch->items;
	struct launch_grid grid = {launch->width || launch->rounds ? 2 : 1,
		{width, launch->rounds ? launch->rounds
				       : launch->items / width},
		{launch->group, 1}};

	if (session->is_cpu && launch->shares)
		grid.items[0] = session->units * launch->group;
	while (launch->width && grid.group[1] < grid.items[1] &&
		(grid.group[0] > 2 * grid.group[1] ||
			grid.group[0] > grid.items[0])) {
		grid.group[0] /= 2;
		grid.group[1] *= 2;
	}
	return grid;
}

static cl_int timing_enqueue(struct session *session, cl_kernel kernel,
	const struct launch_grid *grid, cl_event *event)
{
	return clEnqueueNDRangeKernel(session->queue, kernel, grid->dimensions,
		NULL, grid->items, grid->group, 0, NULL, event);
}

struct rehearsed_launch {
	cl_kernel kernel;
	size_t group[2];
	bool is_large;
};

/*
 * Return the work-items of a rehearsed launch. One group makes the
 * implementation compile a kernel for its size, but PoCL compiles again for
 * 65,535 work-items in one dimension.
 */
#define LARGE_ITEMS ((size_t)65536)

static void rehearse_launch(
	struct session *session, const struct launch *launch)
{
	struct launch_grid grid = launch_grid_of(session, launch);
	const struct rehearsed_launch this = {launch->kernel,
		{grid.group[0], grid.group[1]},
		grid.items[0] >= LARGE_ITEMS || grid.items[1] >= LARGE_ITEMS};
	cl_int code;

	for (size_t i = 0; i < session->n_rehearsed; i++) {
		const struct rehearsed_launch *one = &session->rehearsed[i];

		if (one->kernel == this.kernel &&
			one->group[0] == this.group[0] &&
			one->group[1] == this.group[1] &&
			one->is_large == this.is_large)
			return;
	}
	for (int k = 0; k < 2; k++)
		grid.items[k] = grid.items[k] < LARGE_ITEMS
					? grid.group[k]
					: (LARGE_ITEMS + grid.group[k] - 1) /
						  grid.group[k] * grid.group[k];
	code = timing_enqueue(session, launch->kernel, &grid, NULL);
	session_finish(session, code, "a kernel did not run");
	if (array_grow(&session->rehearsed, session->n_rehearsed,
		    sizeof(*session->rehearsed)))
		session->rehearsed[session->n_rehearsed++] = this;
}

/* Set the shares and the counters of a launch, unless they are set already. */
static void set_shares(struct session *session, const struct launch *launch)
{
	const cl_uint set[SESSION_SHARES_SET] = {
		(cl_uint)(launch->items / launch->group / session->units),
		launch->shares == REPEATS_OWN};
	cl_uint arguments = 1, *to;

	clGetKernelInfo(launch->kernel, CL_KERNEL_NUM_ARGS, sizeof(arguments),
		&arguments, NULL);
	session_arguments(session, launch->kernel, arguments - 1,
		memory_argument(session->taken));
	if (session->rehearses || memcmp(session->set, set, sizeof(set)) == 0)
		return;
	to = session_map(
		session, session->taken, session_taken_bytes(session), true);
	if (!to)
		return;
	memset(to, 0, session_taken_bytes(session));
	memcpy(to, set, sizeof(set));
	memcpy(session->set, set, sizeof(set));
	session_unmap(session, session->taken, to);
}

/* A rehearsed launch reports this time, which ends every search for turns. */
#define REHEARSED_S 1.0

static void timing_run_once(struct session *session,
	const struct launch *launch, double *host_s, double *device_s)
{
	const struct launch_grid grid = launch_grid_of(session, launch);
	cl_event event = NULL;
	cl_int code, ended = CL_SUCCESS;
	uint64_t start;

	*host_s = NAN;
	*device_s = NAN;
	if (session->is_cpu && launch->shares)
		set_shares(session, launch);
	if (session->rc)
		return;
	if (session->rehearses) {
		rehearse_launch(session, launch);
		*host_s = REHEARSED_S;
		*device_s = REHEARSED_S;
		return;
	}
	start = timebase_raw_ns();
	code = timing_enqueue(session, launch->kernel, &grid, &event);
	if (!code)
		code = clFinish(session->queue);
	*host_s = (double)(timebase_raw_ns() - start) * 1e-9;
	if (event) {
		*device_s = event_duration_s(event);
		clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
			sizeof(ended), &ended, NULL);
		clReleaseEvent(event);
	}
	if (!code && ended < 0)
		code = ended;
	if (code)
		session_fail(session, code, "a kernel did not run");
}

double launch_once(
	struct session *session, const struct launch *launch, bool host)
{
	double host_s, device_s;

	timing_run_once(session, launch, &host_s, &device_s);
	/* If events are plausible, an event without a time was short. */
	return !host && session->by_events && !isnan(device_s) ? device_s
							       : host_s;
}

void launch_resize(struct session *session, struct launch *launch, size_t items)
{
	launch->items = items;
	launch->group = session_group(session, items);
	if (session_ok(session))
		session->rc = test_check_groups(
			session->options, items, launch->group, session->err);
}

struct launch launch_of(struct session *session, cl_program program,
	const char *name, size_t items)
{
	struct launch launch = {
		.kernel = session_kernel(session, program, name)};

	launch_resize(session, &launch, items);
	return launch;
}

struct timing timing_none(void)
{
	return (struct timing){NAN, NAN, NAN, 0, 0, -1, 0};
}

struct timing timing_of(double *s, size_t n)
{
	struct timing timing = timing_none();

	timing.runs = (unsigned)n;
	timing.visits = 1;
	stat_sort(s, n);
	timing.median_s = stat_median(s, n);
	stat_median_ci95(s, n, &timing.low_s, &timing.high_s);
	return timing;
}

struct timing timing_of_runs(struct session *session, double *s, size_t n)
{
	if (session->pool && !pool_offer(session->pool, s, n))
		session_no_memory(session, "the times");
	return session_ok(session) ? timing_of(s, n) : timing_none();
}

struct timing timing_best(const struct timing *all, size_t n)
{
	struct timing best = timing_none();

	for (size_t i = 0; i < n; i++) {
		if (isnan(best.median_s) || all[i].median_s < best.median_s)
			best = all[i];
	}
	return best;
}

static cl_uint sum_buffer_words(const void *words, size_t bytes)
{
	cl_uint sum = 0;

	for (size_t i = 0; i < bytes / sizeof(sum); i++) {
		cl_uint word;

		/* The expected words may be floats. */
		memcpy(&word, (const char *)words + i * sizeof(word),
			sizeof(word));
		sum += word;
	}
	return sum;
}

void timing_sum(struct timing *timing, const void *words, size_t bytes)
{
	timing->checksum = sum_buffer_words(words, bytes);
}

bool timing_is_enough(unsigned n, double s)
{
	return (n >= ENOUGH_RUNS && s > POINT_S) ||
	       (n >= LEAST_RUNS && s > LONG_POINT_S);
}

struct timing timing_repeat(
	struct session *session, double (*once)(void *context), void *context)
{
	unsigned discard = session->options->discard, n = 0;
	size_t mark = session_mark(session);
	double *s = session_memory(
		session, session->options->repeat * sizeof(*s), "the times");
	struct timing timing = timing_none();
	double begin_s = NAN;

	while (session_ok(session) && n < session->options->repeat) {
		double now_s = timebase_raw_s(), time_s;

		if (timing_is_enough(n, now_s - begin_s) ||
			session_stopped(session) < 0)
			break;
		time_s = once(context);
		/* The first run may include compiling, so ignore its time. */
		if (isnan(begin_s))
			begin_s = timebase_raw_s() - time_s;
		if (discard > 0)
			discard = time_s < DISCARD_S ? discard - 1 : 0;
		else
			s[n++] = time_s;
	}
	if (session_ok(session))
		timing = timing_of_runs(session, s, n);
	session_release(session, mark);
	return timing;
}

struct repeated_launch {
	struct session *session;
	const struct launch *launch;
};

static double run_repeated_launch(void *context)
{
	const struct repeated_launch *once = context;

	return launch_once(once->session, once->launch, false);
}

/* List a launch for each group size to try; return their number; 0: failure. */
static size_t list_group_launches(const struct session *session,
	const struct launch *launch, struct launch all[MOST_GROUPS])
{
	size_t most = launch->group, n = 0;
	struct launch next = *launch;

	if (session->rc)
		return 0;
	if (session->options->sweep_groups && !launch->fixed) {
		/* A kernel may allow less than its device. */
		if (clGetKernelWorkGroupInfo(launch->kernel, session->device,
			    CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most,
			    NULL) ||
			most > session->max_group)
			most = session->max_group;
		next.group = LEAST_GROUP;
		if (launch->items <= SMALL_ITEMS ||
			launch->items % next.group || most < next.group)
			next.group = 1;
	}
	do {
		all[n++] = next;
		next.group *= 2;
	} while (next.group <= most && next.items % next.group == 0);
	return n;
}

void launch_warm_up(struct session *session, const struct launch *launch)
{
	struct launch all[MOST_GROUPS];
	size_t n = list_group_launches(session, launch, all);

	for (size_t i = 0; i < n; i++)
		launch_once(session, &all[i], false);
}

struct timing launch_time(struct session *session, const struct launch *launch)
{
	struct launch all[MOST_GROUPS];
	struct timing timings[MOST_GROUPS];
	size_t n = list_group_launches(session, launch, all);

	for (size_t i = 0; i < n; i++) {
		struct repeated_launch once = {session, &all[i]};

		timings[i] = timing_repeat(session, run_repeated_launch, &once);
		timings[i].group = all[i].group;
	}
	clock_measure(session);
	return timing_best(timings, n);
}

/* With fewer shares, the last shares would not end together. */
#define LEAST_SHARES 16

cl_uint launch_loop(struct session *session, struct launch *launch,
	const struct kernel_loop *loop)
{
	cl_uint turns = loop->least, shares;

	for (int run = 0; session_stopped(session) == 0; run++) {
		double s;

		session_arguments(session, launch->kernel, loop->argument,
			word_argument(turns));
		s = launch_once(session, launch, false);
		/* OpenCL may compile in the first run. */
		if (run == 0)
			continue;
		if (s >= loop->least_s || turns > loop->most / 2)
			break;
		turns *= 2;
	}
	shares = session_shares(session, turns / loop->least);
	if (!session->is_cpu || launch->shares != REPEATS_OWN ||
		shares < LEAST_SHARES)
		return turns;
	launch->items *= shares;
	session_arguments(session, launch->kernel, loop->argument,
		word_argument(turns / shares));
	return turns / shares;
}

/* Largest number of items in the second dimension of a CUDA grid. */
#define MOST_ROUNDS 32768

cl_uint launch_in_rounds(
	struct session *session, struct launch *launch, double least_s)
{
	launch->rounds = 1;
	/* OpenCL may compile in the first run. */
	launch_once(session, launch, false);
	while (session_stopped(session) == 0 &&
		launch->items <= INT_MAX / 2 / launch->rounds &&
		launch->rounds <= MOST_ROUNDS / 2 &&
		launch_once(session, launch, false) < least_s)
		launch->rounds *= 2;
	return (cl_uint)launch->rounds;
}

struct words_check {
	const struct expected_words *words;
	const void *got;
	size_t from; /* first word in got */
	bool wrong[SPLIT_MOST];
	size_t summed, apart; /* sum this many words of each `apart` words */
	cl_uint sum[SPLIT_MOST];
};

/* Return whether the k-th element to check is right. */
static bool is_right_element(const struct words_check *checking, size_t k)
{
	const struct expected_words *words = checking->words;
	const cl_uint *got = checking->got;
	double right, slack = 0;

	if (words->list)
		return got[k] ==
		       words->list[words->listed ? k % words->listed : k];
	if (words->at)
		return got[k] == words->at(words->context, checking->from + k);
	if (words->sampled)
		k = (k * (words->n / words->sampled) + k) % words->n;
	right = words->number(words->context, k, &slack);
	return fabs(number_element(words->is_double, got, k) - right) <= slack;
}

static void check_words_part(
	void *context, size_t part, size_t first, size_t end)
{
	struct words_check *checking = context;
	size_t step = checking->words->step ? checking->words->step : 1;
	size_t i = (first + step - 1) / step * step;

	while (i < end && is_right_element(checking, i))
		i += step;
	checking->wrong[part] = i < end;
}

static void sum_words_part(void *context, size_t part, size_t first, size_t end)
{
	struct words_check *checking = context;
	const cl_uint *got = checking->got;
	size_t apart = checking->apart;

	checking->sum[part] = 0;
	for (size_t k = first / apart * apart; k < end; k += apart) {
		size_t from = k > first ? k : first;
		size_t to = min_size(k + checking->summed, end);

		if (from < to)
			checking->sum[part] += sum_buffer_words(
				got + from, (to - from) * sizeof(*got));
	}
}

void session_check(struct session *session, struct expected_words *words,
	struct timing *timing, const char *what)
{
	size_t each = words->number && words->is_double ? 2 : 1, parts;
	size_t all = words->parts ? words->parts : 1;
	size_t part = words->checked++ % all;
	size_t from = words->n * part / all;
	size_t n = words->n * (part + 1) / all - from;
	double begin_s = timebase_raw_s();
	cl_uint sum = 0,
		*got = session->rehearses
			       ? NULL
			       : session_map_part(session, words->buffer,
					 from * sizeof(*got),
					 n * each * sizeof(*got));
	struct words_check checking = {
		.words = words, .got = got, .from = from};
	bool wrong = false;

	if (!got)
		return;
	parts = split_run(words->sampled ? words->sampled : n,
		session->options->cpus->n, check_words_part, &checking);
	for (size_t i = 0; i < parts; i++)
		wrong = wrong || checking.wrong[i];
	n *= each;
	checking.summed = words->summed ? words->summed : n;
	checking.apart = words->apart ? words->apart : n;
	parts = split_run(
		n, session->options->cpus->n, sum_words_part, &checking);
	for (size_t i = 0; i < parts; i++)
		sum += checking.sum[i];
	if (!words->unsummed)
		timing->checksum = sum;
	if (session_unmap(session, words->buffer, got) == 0 && wrong)
		session_wrong(session, "%s", what);
	session->checked_s += timebase_raw_s() - begin_s;
}

/* Return a launch of a kernel in session.cl; each work-item has one word. */
static struct launch basic_launch(
	struct session *session, const char *name, size_t items)
{
	struct launch launch = launch_singly(
		session_kernel(session, session->basic, name), items);
	cl_mem out = session_buffer(session, items * sizeof(cl_uint));

	session_arguments(session, launch.kernel, 0, memory_argument(out));
	return launch;
}

static struct launch working_launch(
	struct session *session, size_t items, size_t turns)
{
	struct launch launch = basic_launch(session, "work", items);

	session_arguments(session, launch.kernel, 1, word_argument(turns));
	return launch;
}

/* Return the best ratio of event to host time of some runs, or NaN. */
static double compare_clocks(
	struct session *session, const struct launch *launch)
{
	double best = NAN;

	for (int i = 0; i < CHECK_RUNS && session_ok(session); i++) {
		double host_s, device_s;

		timing_run_once(session, launch, &host_s, &device_s);
		/* OpenCL may compile in the first run. */
		if (i > 0)
			best = fmax(best, (device_s - EVENT_SLACK_S) / host_s);
	}
	return best;
}

static double time_launches(struct session *session)
{
	const struct launch launch =
		basic_launch(session, "nothing", session->units);
	double s[LAUNCHES];

	for (int i = -TEST_DISCARD; i < LAUNCHES && session_ok(session); i++) {
		double time_s = launch_once(session, &launch, true);

		if (i >= 0)
			s[i] = time_s;
	}
	return session_ok(session) ? stat_median(s, LAUNCHES) : NAN;
}

void timing_choose_clock(struct session *session)
{
	struct facts *facts = &session->record->facts;
	size_t mark = session_mark(session);
	const struct launch work =
		working_launch(session, session->units, CHECK_TURNS);
	double best = compare_clocks(session, &work);

	session->launch_s = time_launches(session);
	session_release(session, mark);
	if (session->rc)
		return;
	session->by_events = best >= EVENT_LEAST && best <= EVENT_MOST;
	facts_set_text(
		facts, "timing.clock", session->by_events ? "event" : "host");
	facts_set_number(facts, "timing.event_share_of_host", best);
	facts_set_number(facts, "timing.launch_us", session->launch_s * 1e6);
}

static void find_busy_workers(
	struct session *session, const struct launch *work)
{
	struct workers before;

	session->rc = workers_note(&before, session->err);
	if (session->rc)
		return;
	for (int i = 0; i < WORK_RUNS; i++)
		launch_once(session, work, true);
	workers_release(&session->workers);
	if (session_ok(session))
		session->rc =
			workers_find(&before, &session->workers, session->err);
	workers_release(&before);
}

void timing_find_workers(struct session *session)
{
	const struct cpu_list *cpus = session->options->cpus;
	size_t mark = session_mark(session);
	const struct launch work = working_launch(
		session, (size_t)session->units * 64, WORK_TURNS);

	/* Launch once first, because compiling would count as work. */
	launch_once(session, &work, true);
	for (int i = 0; i < WORK_ROUNDS && session_ok(session); i++) {
		find_busy_workers(session, &work);
		if (session->workers.n == cpus->n)
			break;
	}
	session_release(session, mark);
	/* If the user made PoCL bind the threads, do not bind them. */
	if (session_ok(session) && !getenv("POCL_AFFINITY"))
		session->rc =
			workers_bind(&session->workers, cpus, session->err);
	if (session_lacks_threads(session))
		session_note(session,
			"fewer threads of the implementation work (%zu) than "
			"there are CPUs (%zu), while the native rates come "
			"from one thread on each CPU",
			session->workers.n, cpus->n);
}
