/*
 * Measure transfers between the host and the device (section 2.2, figure 13) of
 * 4 to 64 MiB: by copies with pageable or pinned host memory, by maps, by
 * copies within the device, and by copies to and from other devices
 * (bus_devices.c). With --sizes the test only copies between host and device,
 * in sizes that show the fixed cost of a copy. Modelled on cuda-memcpy of
 * gpu-benches by D. Ernst (https://github.com/te42kyfo/gpu-benches).
 *
 * The host's clock measures from the call until the queue is empty, because a
 * blocking write may return earlier, and the events of a map do not show how
 * long the host waits. The time of a map includes the host's copy; the same
 * runs also measure the time without the copy.
 *
 * The test touches all memory first. Before each run it writes the source
 * again, untimed, so that as much of the source as possible is in caches. After
 * the run it compares every byte of the destination.
 *
 * Pinned memory is a buffer that the implementation allocates on the host
 * (CL_MEM_ALLOC_HOST_PTR). OpenCL does not promise that this memory is pinned.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cl/pool.h"
#include "cl/suite/bus.h"
#include "machine/memory.h"
#include "machine/timebase.h"

#define MIB ((size_t)1 << 20)

/* Sizes, and factors between them, without and with --quick. */
#define LEAST_BYTES  (4 * MIB)
#define MOST_BYTES   (64 * MIB)
#define QUICK_BYTES  (16 * MIB)
#define FACTOR	     2
#define QUICK_FACTOR 4

/* Size of the smallest map, for comparison; all sizes are multiples of it. */
#define PAGE_BYTES 4096
#define LINE_BYTES 64

/* Smallest size of a map to judge: other programs may disturb smaller maps. */
#define MIN_JUDGED_BYTES ((size_t)16 * PAGE_BYTES)

/* Arrays of c2c and of a driver; on CPUs also buffers and native copies. */
#define HOST_ARRAYS 4
#define CPU_ARRAYS  7

enum copy_direction {
	TO_DEVICE,
	FROM_DEVICE,
	WITHIN_DEVICE,
	DIRECTIONS,
};

static const char *const direction_names[DIRECTIONS] = {
	[TO_DEVICE] = "host to device",
	[FROM_DEVICE] = "device to host",
	[WITHIN_DEVICE] = "device to device",
};

enum transfer_method {
	PAGEABLE,
	PINNED,
	MAP,
};

/* Ways to transfer; the first COPIES are also measured over --sizes. */
#define WAYS   7
#define COPIES 4

static const struct {
	enum copy_direction direction;
	enum transfer_method how;
	const char *name;
} ways[WAYS] = {
	{TO_DEVICE, PAGEABLE, "copy, pageable memory"},
	{TO_DEVICE, PINNED, "copy, pinned memory"},
	{FROM_DEVICE, PAGEABLE, "copy, pageable memory"},
	{FROM_DEVICE, PINNED, "copy, pinned memory"},
	{TO_DEVICE, MAP, "map, copy by the host, unmap"},
	{FROM_DEVICE, MAP, "map, copy by the host, unmap"},
	{WITHIN_DEVICE, PAGEABLE, "copy"},
};

/* The curves in the order of the record, and the first of each direction. */
static const size_t curves[WAYS] = {0, 1, 4, 2, 3, 5, 6};
static const size_t firsts[DIRECTIONS] = {0, 2, 6};

struct bus_maps {
	struct sweep sweep;	       /* times without the copy */
	struct pool pools[SWEEP_MOST]; /* runs of each point of maps */
	void *at;		       /* last address of a map */
	bool moved;
};

struct bus_buffers {
	struct session *session;
	size_t bytes;	       /* largest size */
	uint64_t *host, *back; /* pageable memory; back: its source or target */
	uint64_t *pinned;
	cl_mem from, to;
	uint64_t version; /* version of the current bytes */
	struct sweep ways[WAYS];
	struct bus_maps maps[2];
	/* Ceilings of each size: with one CPU, and with all CPUs. */
	struct ceiling ceilings[2][SWEEP_MOST];
};

static void bus_write_host(
	const struct bus_buffers *bus, uint64_t *words, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		words[i] = bus_word(bus->version, i);
}

/* Copy between a buffer and the host, or two buffers, and wait. */
static void bus_copy(const struct bus_buffers *bus, cl_mem buffer,
	enum copy_direction direction, void *host, size_t bytes)
{
	struct session *session = bus->session;
	cl_command_queue queue = session->queue;
	cl_int code;

	if (session->rc)
		return;
	if (direction == TO_DEVICE)
		code = clEnqueueWriteBuffer(
			queue, buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
	else if (direction == FROM_DEVICE)
		code = clEnqueueReadBuffer(
			queue, buffer, CL_TRUE, 0, bytes, host, 0, NULL, NULL);
	else
		code = clEnqueueCopyBuffer(
			queue, buffer, bus->to, 0, 0, bytes, 0, NULL, NULL);
	session_finish(session, code, "copying a buffer");
}

/* Map the buffer, copy, and unmap it; return the time of the host's copy. */
static double bus_copy_mapped(
	struct bus_buffers *bus, enum copy_direction direction, size_t bytes)
{
	struct bus_maps *maps = &bus->maps[direction];
	bool write = direction == TO_DEVICE;
	void *at = session_map(bus->session, bus->from, bytes, write);
	uint64_t start_ns = timebase_raw_ns();
	double copy_s;

	if (!at)
		return NAN;
	memcpy(write ? at : bus->host, write ? bus->host : at, bytes);
	copy_s = (double)(timebase_raw_ns() - start_ns) * 1e-9;
	maps->moved = maps->moved || (maps->at && maps->at != at);
	maps->at = at;
	session_unmap(bus->session, bus->from, at);
	return copy_s;
}

static uint64_t *bus_host_memory(const struct bus_buffers *bus, size_t way)
{
	return ways[way].how == PINNED ? bus->pinned : bus->host;
}

/* Write new bytes to the source of a kind of transfer. */
static void bus_write_source(struct bus_buffers *bus, size_t way, size_t bytes)
{
	bus->version++;
	if (ways[way].direction == TO_DEVICE) {
		bus_write_host(bus, bus_host_memory(bus, way), bytes);
	} else {
		bus_write_host(bus, bus->back, bytes);
		bus_copy(bus, bus->from, TO_DEVICE, bus->back, bytes);
	}
}

/*
 * Transfer bytes; return the time. *copy_s: time of the host's copy of a map.
 */
static double bus_transfer(
	struct bus_buffers *bus, size_t way, size_t bytes, double *copy_s)
{
	enum copy_direction direction = ways[way].direction;
	uint64_t start_ns = timebase_raw_ns();

	*copy_s = 0;
	if (ways[way].how == MAP)
		*copy_s = bus_copy_mapped(bus, direction, bytes);
	else
		bus_copy(bus, bus->from, direction, bus_host_memory(bus, way),
			bytes);
	return (double)(timebase_raw_ns() - start_ns) * 1e-9;
}

/* Check that all bytes arrived, and return their address on the host. */
static const uint64_t *bus_check(
	struct bus_buffers *bus, size_t way, size_t bytes)
{
	enum copy_direction direction = ways[way].direction;
	uint64_t *end = bus->back, wrong = 0;

	if (direction == FROM_DEVICE) {
		end = bus_host_memory(bus, way);
	} else {
		/*
		 * The destination may still have the words of an earlier copy.
		 */
		memset(end, 0, bytes);
		bus_copy(bus, direction == TO_DEVICE ? bus->from : bus->to,
			FROM_DEVICE, end, bytes);
	}
	for (size_t i = 0; i < bytes / sizeof(*end); i++)
		wrong |= end[i] ^ bus_word(bus->version, i);
	if (session_ok(bus->session) && wrong)
		session_wrong(bus->session, "%zu bytes, %s", bytes,
			bus->ways[way].name);
	return end;
}

/*
 * Add a visit of a map without the copy. Set the point to the figure of all
 * visits so far, in case of an interrupt.
 */
static void bus_put_map(struct bus_buffers *bus, enum copy_direction direction,
	size_t i, const double *s, unsigned runs, int64_t checksum)
{
	struct bus_maps *maps = &bus->maps[direction];
	struct pool *pool = &maps->pools[i];
	struct timing timing;

	if (!pool_offer(pool, s, runs) || !pool_accept(pool)) {
		session_no_memory(bus->session, "the times of maps");
		return;
	}
	timing = pool_timing(pool);
	timing.checksum = checksum;
	sweep_put(&maps->sweep, i, &timing);
}

/* Time all runs of one kind and size; i: index of the point for maps. */
static struct timing bus_time_way(
	struct bus_buffers *bus, size_t way, size_t bytes, size_t i)
{
	struct session *session = bus->session;
	unsigned n = (unsigned)session->options->repeat;
	unsigned discard = (unsigned)session->options->discard;
	size_t mark = session_mark(session);
	double *s = session_memory(session, 2 * n * sizeof(*s), "the times");
	struct timing timing = timing_none();
	double begin_s = timebase_raw_s();
	const uint64_t *end = NULL;
	unsigned runs = 0;

	for (unsigned k = 0; k < discard + n && session_stopped(session) == 0;
		k++) {
		size_t run = k < discard ? 0 : k - discard;
		double copy_s;

		if (session->options->most_bytes &&
			timing_is_enough(runs, timebase_raw_s() - begin_s))
			break;
		bus_write_source(bus, way, bytes);
		s[run] = bus_transfer(bus, way, bytes, &copy_s);
		s[n + run] = s[run] - copy_s;
		end = bus_check(bus, way, bytes);
		runs = run + 1;
	}
	clock_measure(session);
	if (session_ok(session)) {
		timing = timing_of_runs(session, s, runs);
		timing_sum(&timing, end, bytes);
		if (ways[way].how == MAP)
			bus_put_map(bus, ways[way].direction, i, s + n, runs,
				timing.checksum);
	}
	session_release(session, mark);
	return timing;
}

/* Time point i. In the curves of maps alone it is i + 1, after one page. */
static struct timing bus_time_point(struct sweep *sweep, size_t i)
{
	sweep->amount = sweep->x[i];
	return bus_time_way(
		sweep->context, sweep->kind, (size_t)sweep->x[i], i + 1);
}

/*
 * Set the bounds of a size: of one CPU and of all CPUs, because one CPU may be
 * faster if others are busy. Measure each bound once, although other sizes are
 * measured in between.
 */
static void bus_bound_size(struct sweep *sweep, size_t i)
{
	struct bus_buffers *bus = sweep->context;
	size_t bytes = (size_t)sweep->x[i];

	for (int k = 0; k < 2; k++) {
		struct ceiling *ceiling = &bus->ceilings[k][i];
		size_t n = k == 0 ? 1 : bus->session->options->cpus->n;
		size_t least = SWEEP_LEAST_BYTES_A_CPU * n;

		if (ceiling->rounds == 0) {
			*ceiling = (struct ceiling){.what = NATIVE_COPY,
				.bytes = max_size(bytes, least),
				.alone = k == 0};
			ceiling_measure(bus->session, ceiling);
		}
	}
	sweep->bound.ceiling = &bus->ceilings[0][i];
	sweep->bound.other = &bus->ceilings[1][i];
}

static void bus_begin_sweep(struct bus_buffers *bus, size_t way)
{
	struct session *session = bus->session;
	const struct test_options *options = session->options;
	const char *family = direction_names[ways[way].direction];
	struct sweep *sweep = &bus->ways[way];

	*sweep = (struct sweep){.session = session,
		.name = session_text(session, "%s, %s", family, ways[way].name),
		.facts = {.family = family,
			.member = ways[way].name,
			SWEEP_SIZES},
		.prepare = bus_bound_size,
		.time = bus_time_point,
		.context = bus,
		.kind = (unsigned)way};
	if (options->most_bytes)
		sweep->facts.y_axis = CURVE_RATIOS;
	if (options->size_bytes)
		sweep_add(sweep, (double)options->size_bytes);
	else if (options->each_doubling)
		sweep_each_doubling(sweep, 0, options->most_bytes, LINE_BYTES);
	else if (options->fine)
		sweep_step_to(sweep, LEAST_BYTES, bus->bytes, LEAST_BYTES);
	else
		sweep_up_to(sweep,
			options->most_bytes ? options->least_bytes
					    : LEAST_BYTES,
			bus->bytes, options->quick ? QUICK_FACTOR : FACTOR);
	sweep_begin(sweep);
}

/* Make the curves of maps alone, and time a map of one page. */
static void bus_begin_maps(struct bus_buffers *bus)
{
	static const char *const names[2] = {"to write", "to read"};
	struct session *session = bus->session;
	struct sweep maps = {.session = session,
		.facts = {.family = "map and unmap, nothing copied",
			SWEEP_SIZES},
		.shows = SHOWS_TIME,
		.x = {PAGE_BYTES},
		.n = 1};

	for (size_t i = 0; i < bus->ways->n; i++)
		sweep_add(&maps, bus->ways->x[i]);
	for (size_t d = 0; d < 2; d++) {
		maps.facts.member = names[d];
		bus->maps[d].sweep = maps;
		sweep_begin(&bus->maps[d].sweep);
	}
	for (size_t d = 0; d < 2 && session_ok(session); d++)
		bus_time_way(bus, COPIES + d, PAGE_BYTES, 0);
}

/*
 * Add the ceilings measured so far to the panels of all directions, even after
 * an interrupt. Each panel contains one sweep.
 */
static void bus_show_ceilings(const struct bus_buffers *bus, size_t directions)
{
	static const char *const names[] = {"one CPU", "all CPUs"};
	struct session *session = bus->session;
	int rc = session->rc;

	if (rc == -EINTR)
		session->rc = 0;
	for (size_t i = 0; i < 2 * bus->ways->n; i++) {
		const struct ceiling *ceiling = &bus->ceilings[i % 2][i / 2];
		double x = bus->ways->x[i / 2];
		const char *name = session_text(session, "%s, %s",
			sweep_text_x(bus->ways, x), names[i % 2]);

		for (size_t d = 0;
			d < directions && d < DIRECTIONS && ceiling->rounds > 0;
			d++)
			ceiling_show(session, ceiling,
				&(struct ceiling_line){d ? NULL : name,
					names[i % 2], bus->ways[firsts[d]].at,
					x, x});
	}
	if (rc)
		session->rc = rc;
}

static void bus_report_sizes(const struct sweep *sweep)
{
	struct session *session = sweep->session;
	double first = sweep_figure(sweep, 0).median;

	if (!isnan(first))
		session_add_finding(session, "%s: %s take %s", sweep->name,
			sweep_text_x(sweep, sweep->x[0]),
			session_time(session, sweep->x[0] / GIB / first));
	sweep_report_best(sweep, 0.5);
}

static void bus_measure(struct bus_buffers *bus)
{
	struct session *session = bus->session;
	bool sizes = session->options->most_bytes;
	size_t n = sizes ? COPIES : WAYS;

	for (size_t k = 0; k < WAYS; k++) {
		if (curves[k] < n)
			bus_begin_sweep(bus, curves[k]);
	}
	session->all = (double)n;
	if (!sizes)
		bus_begin_maps(bus);
	if (!session_ok(session))
		return;
	sweep_run(bus->ways, n);
	bus_show_ceilings(bus, sizes ? WITHIN_DEVICE : DIRECTIONS);
	for (size_t k = 0; k < n && sizes && session_ok(session); k++)
		bus_report_sizes(&bus->ways[k]);
	if (session_ok(session) && !sizes)
		bus_measure_devices(bus->ways, bus->host, bus->back);
}

/* Return the time of the faster copy of the largest size in ms. */
static struct median_interval bus_copy_time(
	const struct bus_buffers *bus, enum copy_direction direction)
{
	struct median_interval best = {NAN, NAN, NAN};
	double gib_ms = (double)bus->bytes / GIB * 1e3;

	for (size_t k = firsts[direction]; k < firsts[direction] + 2; k++) {
		struct median_interval rate =
			sweep_figure(&bus->ways[k], bus->ways->n - 1);

		if (isnan(best.median) || rate.median > best.median)
			best = rate;
	}
	return figure_over(
		(struct median_interval){gib_ms, gib_ms, gib_ms}, best);
}

static const char *const map_texts[] = {
	[MAP_UNKNOWN] = "may or may not move data: the runs are too few or "
			"too unsteady to decide",
	[MAP_NO_COPY] = "may or may not move data: no copy of the same size "
			"has a result to compare with",
	[MAP_NEAR_PAGE] = "may or may not move data: a copy of the same size "
			  "takes hardly longer than the map of a page",
	[MAP_TOO_SMALL] = "are too small to show whether they move data",
	[MAP_MOVES] = "move the data",
	[MAP_STAYS] = "move no data, so the rate is that of the host's copy",
};

static void bus_conclude_maps(
	const struct bus_buffers *bus, enum copy_direction direction)
{
	const struct bus_maps *maps = &bus->maps[direction];
	struct session *session = bus->session;
	const struct median_interval page = sweep_figure(&maps->sweep, 0);
	const struct median_interval map =
		sweep_figure(&maps->sweep, maps->sweep.n - 1);
	enum map_verdict verdict =
		judge_map(map, page, bus_copy_time(bus, direction));
	struct facts row = {0};
	if (bus->bytes < MIN_JUDGED_BYTES)
		verdict = MAP_TOO_SMALL;
	else if (maps->moved)
		verdict = MAP_MOVES;
	facts_set_text(&row, "direction", direction_names[direction]);
	facts_set_count(&row, "bytes", (int64_t)bus->bytes);
	facts_set_number(&row, "ms", map.median);
	facts_set_number(&row, "page_ms", page.median);
	facts_set_flag(&row, "same_address", !maps->moved);
	if (verdict == MAP_MOVES || verdict == MAP_STAYS)
		facts_set_flag(&row, "moves_bytes", verdict == MAP_MOVES);
	else
		facts_set_unknown(&row, "moves_bytes");
	session_record(session, "maps", &row);
	session_add_finding(session,
		"maps to %s %s: map and unmap of %s take %s, of a page %s",
		direction == TO_DEVICE ? "write" : "read", map_texts[verdict],
		session_bytes(session, bus->bytes),
		session_time(session, map.median / 1000),
		session_time(session, page.median / 1000));
}

/* Show the link's limit after the copies, because the link is at full speed. */
static void bus_show_link(const struct bus_buffers *bus)
{
	const struct link_place place = device_link(bus->session->device);
	const struct theory link = {link_bytes_per_s("", &place) / 1e9, 0,
		"the link's speed and width"};

	for (int d = TO_DEVICE; d <= FROM_DEVICE; d++)
		ceiling_show_limit(bus->session, link, bus->ways[firsts[d]].at);
}

static void bus_conclude(const struct bus_buffers *bus)
{
	size_t last = bus->ways->n - 1;

	for (int d = TO_DEVICE; d <= FROM_DEVICE; d++)
		sweep_compare(&bus->ways[firsts[d] + 1], last,
			&bus->ways[firsts[d]], last);
	for (int d = TO_DEVICE; d <= FROM_DEVICE; d++) {
		if (!bus->session->options->most_bytes)
			bus_conclude_maps(bus, d);
	}
}

static cl_mem bus_open_pinned(struct bus_buffers *bus)
{
	struct session *session = bus->session;
	cl_int code;
	cl_mem buffer = clCreateBuffer(session->context,
		CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bus->bytes, NULL,
		&code);

	buffer = session_own(session, buffer, code, "pinned memory");
	if (session->rc)
		return NULL;
	bus->pinned = clEnqueueMapBuffer(session->queue, buffer, CL_TRUE,
		CL_MAP_READ | CL_MAP_WRITE, 0, bus->bytes, 0, NULL, NULL,
		&code);
	if (code)
		session_fail(session, code, "pinned memory");
	return buffer;
}

static cl_mem bus_open(struct bus_buffers *bus)
{
	struct session *session = bus->session;
	size_t arrays = session->is_cpu ? CPU_ARRAYS : HOST_ARRAYS;
	cl_mem pinned;

	if (!memory_fit(MEMORY_PAGES_BASE, bus->bytes, arrays))
		session_refuse(session,
			"bus needs %zu arrays of %s, and memory suffices for "
			"%s each: choose a smaller %s",
			arrays, session_bytes(session, bus->bytes),
			session_bytes(
				session, (uint64_t)(MEMORY_SHARE *
						    (double)memory_available() /
						    (double)arrays)),
			test_option_name(session->options->most_bytes
						 ? TAKES_SIZES
						 : TAKES_SIZE));
	bus->from = session_buffer(session, bus->bytes);
	bus->to = session_buffer(session, bus->bytes);
	bus->host = session_pages(session, bus->bytes, "the host's array");
	bus->back = session_pages(session, bus->bytes, "the host's array");
	if (session->rc)
		return NULL;
	pinned = bus_open_pinned(bus);
	if (session->rc)
		return pinned;
	/* The first write to a page allocates the page, which takes long. */
	bus_write_host(bus, bus->host, bus->bytes);
	bus_write_host(bus, bus->back, bus->bytes);
	bus_write_host(bus, bus->pinned, bus->bytes);
	bus_copy(bus, bus->from, TO_DEVICE, bus->host, bus->bytes);
	bus_copy(bus, bus->to, TO_DEVICE, bus->host, bus->bytes);
	return pinned;
}

static void run_bus(struct session *session)
{
	size_t most = session->options->most_bytes;
	size_t usual = session->options->quick ? QUICK_BYTES : MOST_BYTES;
	struct bus_buffers bus = {.session = session,
		.bytes = most ? most : session_size(session, usual)};
	struct facts *facts = &session->record->facts;
	cl_mem pinned = bus_open(&bus);

	/* No kernel runs here, so all times are by the host's clock. */
	facts_drop(facts, "timing.launch_us");
	facts_set_text(facts, "timing.clock", "host");
	facts_set_text(facts, "timing.clock_reason",
		"the events of maps do not show how long the host waits");
	bus_measure(&bus);
	if (session_ok(session) && !session->is_cpu)
		bus_show_link(&bus);
	if (session_ok(session))
		bus_conclude(&bus);
	for (size_t i = 0; i < SWEEP_MOST; i++) {
		pool_release(&bus.maps[0].pools[i]);
		pool_release(&bus.maps[1].pools[i]);
	}
	if (bus.pinned)
		clEnqueueUnmapMemObject(
			session->queue, pinned, bus.pinned, 0, NULL, NULL);
}

const struct test test_bus = {
	.name = "bus",
	.section = "2.2",
	.source = SOURCE_SUITE "2.2, figure 13",
	.published = {"--fine"},
	.summary = "copies and maps between host and device",
	.takes = TAKES_SIZE | TAKES_SIZES | TAKES_EACH | TAKES_FINE,
	.memory_by = TAKES_SIZE | TAKES_SIZES,
	.size = {SIZE_MULTIPLE, PAGE_BYTES, UINT64_MAX},
	.figures = {{.what = "copy from host to device",
		.family = "host to device",
		.members = {"copy, pageable memory", "copy, pinned memory"}}},
	.run = run_bus,
};
