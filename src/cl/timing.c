/*
 * Times of kernels: by the device's events where they can be believed, else by
 * the host's clock around a queue that has been emptied.
 *
 * An event is believed when it says of a kernel of milliseconds neither more
 * than the host saw nor less than a third: some implementations report zeros,
 * some have another unit. The host's time has the launch in it, the event's
 * has not.
 */
#include "cl/timing.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/timebase.h"
#include "stat/stat.h"

/* Runs of the check, and its kernel's turns: some milliseconds. */
#define CHECK_RUNS  9
#define CHECK_TURNS 1000000

/* An event may exceed the host's time by so much: its clock ticks too. */
#define EVENT_SLACK_S 2e-6
#define EVENT_MOST    1.02
#define EVENT_LEAST   0.33

#define LAUNCHES 200

/* A sweep begins with groups of so many, or of one where items are few. */
#define LEAST_GROUP 16
#define SMALL_ITEMS 1024

/*
 * A point whose runs take long has fewer of them, one of them not counted: as
 * few as have an interval, and where even these take long, as have a median.
 */
#define POINT_S	     1.5
#define ENOUGH_RUNS  6
#define LONG_POINT_S 4.0
#define LEAST_RUNS   3
#define DISCARD_S    0.2

/* START to END of an event; NaN when it does not say. */
static double event_s(cl_event event)
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

/* One run, by both clocks. */
static int run_once(cl_command_queue queue, cl_kernel kernel, size_t items,
	size_t group, double *host_s, double *device_s, struct error *err)
{
	cl_event event = NULL;
	uint64_t start = timebase_raw_ns();
	cl_int code = clEnqueueNDRangeKernel(
		queue, kernel, 1, NULL, &items, &group, 0, NULL, &event);
	cl_int ended = CL_SUCCESS;

	if (!code)
		code = clFinish(queue);
	*host_s = (double)(timebase_raw_ns() - start) * 1e-9;
	*device_s = NAN;
	if (event) {
		*device_s = event_s(event);
		clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
			sizeof(ended), &ended, NULL);
		clReleaseEvent(event);
	}
	if (!code && ended < 0)
		code = ended;
	return code ? session_fail(err, code, "a kernel did not run") : 0;
}

int session_time_once(const struct cl_session *session, cl_command_queue queue,
	cl_kernel kernel, size_t items, size_t group, bool host, double *s,
	struct error *err)
{
	double host_s, device_s;
	int rc = run_once(queue, kernel, items, group, &host_s, &device_s, err);

	/* Where events are believed, one that says nothing is a short one. */
	*s = !host && session->by_events && !isnan(device_s) ? device_s
							     : host_s;
	return rc;
}

struct cl_timing timing_none(void)
{
	return (struct cl_timing){
		.median_s = NAN,
		.low_s = NAN,
		.high_s = NAN,
		.min_s = NAN,
		.checksum = -1,
	};
}

void session_sum_words(
	struct cl_timing *timing, const void *words, size_t bytes)
{
	cl_uint sum = 0;

	for (size_t i = 0; i < bytes / sizeof(sum); i++) {
		cl_uint word;

		/* They may be floats. */
		memcpy(&word, (const char *)words + i * sizeof(word),
			sizeof(word));
		sum += word;
	}
	timing->checksum = sum;
}

void session_summarise(double *s, size_t n, struct cl_timing *timing)
{
	*timing = timing_none();
	timing->runs = (unsigned)n;
	timing->median_s = stat_median(s, n);
	if (n > 0)
		timing->min_s = s[0];
	stat_median_ci95(s, n, &timing->low_s, &timing->high_s);
}

bool timing_is_enough(unsigned n, double s)
{
	return (n >= ENOUGH_RUNS && s > POINT_S) ||
	       (n >= LEAST_RUNS && s > LONG_POINT_S);
}

static int time_group(const struct cl_session *session, cl_kernel kernel,
	size_t items, size_t group, struct cl_timing *timing, struct error *err)
{
	unsigned discard = session->options->discard, n = 0;
	double *s = calloc(session->options->repeat, sizeof(*s));
	double begin_s = NAN, time_s = 0;
	int rc = s ? 0 : error_no_memory(err, "the times");

	while (n < session->options->repeat && rc == 0) {
		double now_s = timebase_raw_s();

		if (timing_is_enough(n, now_s - begin_s))
			break;
		rc = session_stopped(session, err);
		if (rc == 0)
			rc = session_time_once(session, session->queue, kernel,
				items, group, false, &time_s, err);
		/* What the first one's compiler takes is no run's. */
		if (isnan(begin_s))
			begin_s = timebase_raw_s() - time_s;
		/* The first may have a compilation in it, a long one too. */
		if (discard > 0)
			discard = time_s < DISCARD_S ? discard - 1 : 0;
		else
			s[n++] = time_s;
	}
	if (rc == 0)
		session_summarise(s, n, timing);
	timing->group = group;
	free(s);
	return rc;
}

/* What a kernel takes may be less than what the device does. */
static size_t largest_group(const struct cl_session *session, cl_kernel kernel)
{
	size_t most = 0;

	if (clGetKernelWorkGroupInfo(kernel, session->device,
		    CL_KERNEL_WORK_GROUP_SIZE, sizeof(most), &most, NULL) ||
		most > session->max_group)
		most = session->max_group;
	return most;
}

/* The sizes of groups to try are the powers of two times least up to most. */
static void groups_to_try(const struct cl_session *session, cl_kernel kernel,
	size_t items, size_t *least, size_t *most)
{
	if (!session->options->sweep_groups) {
		*most = *least;
		return;
	}
	*most = largest_group(session, kernel);
	*least = LEAST_GROUP;
	if (items <= SMALL_ITEMS || items % *least || *most < *least)
		*least = 1;
}

int session_warm_up(const struct cl_session *session, cl_kernel kernel,
	size_t items, size_t group, struct error *err)
{
	size_t most;
	double s;
	int rc;

	groups_to_try(session, kernel, items, &group, &most);
	do {
		rc = session_time_once(session, session->queue, kernel, items,
			group, false, &s, err);
		group *= 2;
	} while (group <= most && items % group == 0 && rc == 0);
	return rc;
}

int session_time(const struct cl_session *session, cl_kernel kernel,
	size_t items, size_t group, struct cl_timing *timing, struct error *err)
{
	size_t most;
	int rc;

	groups_to_try(session, kernel, items, &group, &most);
	*timing = timing_none();
	do {
		struct cl_timing other;

		rc = time_group(session, kernel, items, group, &other, err);
		if (rc == 0 && !(other.median_s >= timing->median_s))
			*timing = other;
		group *= 2;
	} while (group <= most && items % group == 0 && rc == 0);
	return rc;
}

/* The best ratio of event to host of some runs, NaN when events say nothing. */
static int compare_clocks(const struct cl_session *session, cl_kernel kernel,
	double *best, struct error *err)
{
	size_t items = session->units;
	int rc = 0;

	*best = NAN;
	for (int i = 0; i < CHECK_RUNS && rc == 0; i++) {
		double host_s = 1, device_s = NAN;

		rc = run_once(session->queue, kernel, items, 1, &host_s,
			&device_s, err);
		/* The first may have a compilation in it. */
		if (i > 0)
			*best = fmax(
				*best, (device_s - EVENT_SLACK_S) / host_s);
	}
	return rc;
}

static int measure_launch(
	const struct cl_session *session, double *median_s, struct error *err)
{
	double s[LAUNCHES];
	cl_mem out = NULL;
	cl_kernel kernel = NULL;
	int rc = session_buffer(session, sizeof(cl_uint), &out, err);

	if (rc == 0)
		rc = session_kernel(session->basic, "nothing", &kernel, err);
	if (rc == 0)
		rc = session_argument(kernel, 0, sizeof(cl_mem), &out, err);
	for (int i = -CL_DISCARD; i < LAUNCHES && rc == 0; i++) {
		double time_s;

		rc = session_time_once(session, session->queue, kernel,
			session->units, 1, true, &time_s, err);
		if (rc == 0 && i >= 0)
			s[i] = time_s;
	}
	if (rc == 0)
		*median_s = stat_median(s, LAUNCHES);
	if (kernel)
		clReleaseKernel(kernel);
	if (out)
		clReleaseMemObject(out);
	return rc;
}

int timing_check(struct cl_session *session, struct error *err)
{
	double best = NAN, launch_s = NAN;
	cl_uint turns = CHECK_TURNS;
	cl_kernel kernel = NULL;
	cl_mem out = NULL;
	int rc = session_buffer(
		session, session->units * sizeof(cl_uint), &out, err);

	if (rc == 0)
		rc = session_kernel(session->basic, "work", &kernel, err);
	if (rc == 0)
		rc = session_argument(kernel, 0, sizeof(cl_mem), &out, err);
	if (rc == 0)
		rc = session_argument(kernel, 1, sizeof(turns), &turns, err);
	if (rc == 0)
		rc = compare_clocks(session, kernel, &best, err);
	if (rc == 0)
		rc = measure_launch(session, &launch_s, err);
	if (kernel)
		clReleaseKernel(kernel);
	if (out)
		clReleaseMemObject(out);
	if (rc < 0)
		return rc;
	session->by_events = best >= EVENT_LEAST && best <= EVENT_MOST;
	if (json_object_set_new(session->record, "timing",
		    json_pack("{s:s, s:o, s:f}", "clock",
			    session->by_events ? "event" : "host",
			    "event_share_of_host",
			    isnan(best) ? json_null() : json_real(best),
			    "launch_us", launch_s * 1e6)))
		return error_no_memory(err, "the record");
	return 0;
}
