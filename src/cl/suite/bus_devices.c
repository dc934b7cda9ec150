/*
 * Measure copies between two devices of a platform, for example two GPUs. One
 * context has both devices, and each device has a queue.
 *
 * OpenCL has no call that copies between devices. A copy in the target's queue
 * first moves the source buffer to the target, if the other device wrote the
 * buffer last. Therefore the other device writes the source before each run,
 * untimed. The time includes a copy within the target, which is much faster
 * than a bus. The target reads the copy, and the test compares every byte.
 */
#include <stdlib.h>
#include <string.h>

#include "cl/suite/bus.h"
#include "machine/timebase.h"

struct bus_pair {
	struct session *session;
	cl_device_id devices[2]; /* this device, and the other */
	cl_context context;
	cl_command_queue queues[2];
	cl_mem staged, source, copy;
	uint64_t *words, *back; /* of the host */
	uint64_t version;
	size_t bytes; /* bytes of the current size */
	unsigned target;
	const char *name; /* queue of the other device */
};

/* Copy all bytes of a buffer to another buffer, in the queue of a device. */
static void bus_pair_copy(
	struct bus_pair *pair, unsigned device, cl_mem from, cl_mem to)
{
	cl_command_queue queue = pair->queues[device];
	cl_int code;

	if (pair->session->rc)
		return;
	code = clEnqueueCopyBuffer(
		queue, from, to, 0, 0, pair->bytes, 0, NULL, NULL);
	if (!code)
		code = clFinish(queue);
	if (code)
		session_fail(pair->session, code, "copying between devices");
}

/* Copy bytes from the host to a buffer or from a buffer to the host; wait. */
static void bus_pair_move(struct bus_pair *pair, unsigned device, bool write)
{
	cl_command_queue queue = pair->queues[device];
	cl_int code;

	if (pair->session->rc)
		return;
	code = write ? clEnqueueWriteBuffer(queue, pair->staged, CL_TRUE, 0,
			       pair->bytes, pair->words, 0, NULL, NULL)
		     : clEnqueueReadBuffer(queue, pair->copy, CL_TRUE, 0,
			       pair->bytes, pair->back, 0, NULL, NULL);
	if (code)
		session_fail(
			pair->session, code, "copying between host and device");
}

/* Write new bytes on one device, copy them to the other, and check them. */
static double bus_pair_run(void *context)
{
	struct bus_pair *pair = context;
	size_t n = pair->bytes / sizeof(*pair->words);
	uint64_t start_ns, ns, wrong = 0;

	pair->version++;
	for (size_t i = 0; i < n; i++)
		pair->words[i] = bus_word(pair->version, i);
	bus_pair_move(pair, !pair->target, true);
	bus_pair_copy(pair, !pair->target, pair->staged, pair->source);
	start_ns = timebase_raw_ns();
	bus_pair_copy(pair, pair->target, pair->source, pair->copy);
	ns = timebase_raw_ns() - start_ns;
	memset(pair->back, 0, pair->bytes);
	bus_pair_move(pair, pair->target, false);
	for (size_t i = 0; i < n; i++)
		wrong |= pair->back[i] ^ pair->words[i];
	if (session_ok(pair->session) && wrong)
		session_wrong(pair->session, "%zu bytes, %s %s", pair->bytes,
			pair->target ? "to" : "from", pair->name);
	return (double)ns * 1e-9;
}

static struct timing bus_pair_time(struct sweep *sweep, size_t i)
{
	struct bus_pair *pair = sweep->context;
	struct timing timing;

	pair->bytes = (size_t)sweep->x[i];
	pair->target = sweep->kind;
	sweep->amount = sweep->x[i];
	timing = timing_repeat(sweep->session, bus_pair_run, pair);
	if (session_ok(sweep->session))
		timing_sum(&timing, pair->back, pair->bytes);
	return timing;
}

static cl_mem bus_pair_buffer(struct bus_pair *pair, size_t bytes)
{
	cl_int code;
	cl_mem buffer = clCreateBuffer(
		pair->context, CL_MEM_READ_WRITE, bytes, NULL, &code);

	return session_own(
		pair->session, buffer, code, "a buffer of two devices");
}

static void bus_pair_open(struct bus_pair *pair, size_t bytes)
{
	struct session *session = pair->session;
	cl_int code;

	pair->context =
		clCreateContext(NULL, 2, pair->devices, NULL, NULL, &code);
	for (int k = 0; k < 2 && pair->context && !code; k++)
		pair->queues[k] = clCreateCommandQueue(
			pair->context, pair->devices[k], 0, &code);
	if (code) {
		session_fail(session, code, "a context of two devices");
		return;
	}
	pair->staged = bus_pair_buffer(pair, bytes);
	pair->source = bus_pair_buffer(pair, bytes);
	pair->copy = bus_pair_buffer(pair, bytes);
	/* A device may allocate memory at the first copy. */
	pair->bytes = bytes;
	bus_pair_copy(pair, 0, pair->staged, pair->source);
	bus_pair_copy(pair, 1, pair->source, pair->copy);
}

static void bus_pair_measure(struct bus_pair *pair, const struct sweep *sweep)
{
	struct session *session = pair->session;
	size_t mark = session_mark(session), last = sweep->n - 1;
	struct sweep sweeps[2];

	for (unsigned k = 0; k < 2; k++) {
		sweeps[k] = *sweep;
		sweeps[k].begun = false;
		sweeps[k].facts.family = "between devices";
		sweeps[k].facts.member = session_text(
			session, "%s %s", k ? "to" : "from", pair->name);
		sweeps[k].name = NULL;
		sweeps[k].prepare = NULL;
		sweeps[k].bound = (struct sweep_bound){.ceiling = NULL};
		sweeps[k].time = bus_pair_time;
		sweeps[k].context = pair;
		sweeps[k].kind = k;
	}
	bus_pair_open(pair, (size_t)sweep->x[last]);
	if (session->rc) {
		/* Another program may use the other device. */
		session->rc = 0;
		session_note(session, "bus: no copies to and from %s: %s",
			pair->name, session->err->text);
	} else if (sweep_run(sweeps, 2) == 0) {
		session_add_finding(session,
			"copies of %s to %s: %s GiB/s; from it: %s GiB/s",
			session_bytes(session, (uint64_t)sweep->x[last]),
			pair->name,
			session_number(
				session, sweep_figure(&sweeps[1], last).median),
			session_number(session,
				sweep_figure(&sweeps[0], last).median));
	}
	session_release(session, mark);
	for (unsigned k = 0; k < 2; k++)
		if (pair->queues[k])
			clReleaseCommandQueue(pair->queues[k]);
	if (pair->context)
		clReleaseContext(pair->context);
}

static cl_platform_id device_platform(cl_device_id device)
{
	cl_platform_id platform = NULL;

	clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id),
		&platform, NULL);
	return platform;
}

void bus_measure_devices(
	const struct sweep *sweep, uint64_t *words, uint64_t *back)
{
	struct session *session = sweep->session;
	cl_platform_id platform = device_platform(session->device);
	cl_device_id other;

	for (unsigned i = 0; session_ok(session) && !session->rehearses &&
			     device_find(i, &other, NULL) == 0;
		i++) {
		struct bus_pair pair = {.session = session,
			.devices = {session->device, other},
			.words = words,
			.back = back};

		if (i == session->options->device ||
			device_platform(other) != platform)
			continue;
		pair.name = session_text(session, "device %u", i);
		if (session_ok(session))
			bus_pair_measure(&pair, sweep);
	}
}
