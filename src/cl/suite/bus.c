/*
 * Bytes between the host and the device (section 2.2, figure 13): written and
 * read by copies from memory of the host that is pageable or pinned, by maps,
 * and copied within the device; 4 to 64 MiB.
 *
 * Timed, by the host's clock, is from the call until the queue is empty: that a
 * blocking write returns says only that the host's memory may be used again.
 * Events are not used, since those of a map do not tell what the host waits
 * for. A map is timed with the copy that the host does and the unmap; the time
 * of the map and unmap alone is taken in the same runs.
 *
 * All memory is touched before. The source is written anew before each run, not
 * timed, so caches hold of it what they can; the destination is compared with
 * it afterwards, every byte.
 *
 * Pinned memory is that of a buffer which the implementation allocates on the
 * host (CL_MEM_ALLOC_HOST_PTR). OpenCL does not promise that it is pinned; all
 * implementations for GPUs are said to do so.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cl/sweep.h"
#include "cl/tests.h"
#include "machine/memory.h"
#include "machine/timebase.h"
#include "util/text.h"

#define MIB ((size_t)1 << 20)

/* Sizes, and factors between them: all, and with --quick. */
#define LEAST_BYTES  (4 * MIB)
#define MOST_BYTES   (64 * MIB)
#define FACTOR	     2
#define QUICK_FACTOR 4

/* The smallest map, beside which others are judged, and what sizes are of. */
#define PAGE_BYTES 4096

/* No map of so few bytes tells: another program may have had the CPU. */
#define TELLING_BYTES ((size_t)16 * PAGE_BYTES)

/* Arrays of the host: of c2c and of a driver; buffers and natively on a CPU. */
#define HOST_ARRAYS 4
#define CPU_ARRAYS  7

enum direction {
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

/* By direction; the ways with the host are the same in both. */
enum way {
	PAGEABLE,
	PINNED,
	MAP,
	WAYS_A_DIRECTION,
	WITHIN = WITHIN_DEVICE * WAYS_A_DIRECTION,
	WAYS,
};

static const char *const way_names[WAYS_A_DIRECTION] = {
	[PAGEABLE] = "copy, pageable memory",
	[PINNED] = "copy, pinned memory",
	[MAP] = "map, copy by the host, unmap",
};

/* What is known of maps in one direction. */
struct maps {
	struct sweep sweep;   /* of the time without the copy */
	struct timing timing; /* of the last point */
	void *at;	      /* of the last one */
	bool moved;
};

struct bus {
	struct session *session;
	size_t bytes;	       /* the largest */
	uint64_t *host, *back; /* pageable; back: what is right, or came back */
	uint64_t *pinned;
	cl_mem from, to;
	uint64_t version; /* of the bytes */
	struct sweep ways[WAYS];
	struct maps maps[2];
	struct ceiling alone, all; /* one CPU, all of them */
};

/* A multiplication by an odd number: words differ, and so do versions. */
static uint64_t word_of(const struct bus *bus, size_t i)
{
	return (i + bus->version * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
}

static void fill(const struct bus *bus, uint64_t *words, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		words[i] = word_of(bus, i);
}

static bool is_right(const struct bus *bus, const uint64_t *words, size_t bytes)
{
	uint64_t wrong = 0;

	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		wrong |= words[i] ^ word_of(bus, i);
	return wrong == 0;
}

/* Copy between a buffer and the host, or two buffers, until it is done. */
static void copy(const struct bus *bus, cl_mem buffer, enum direction direction,
	void *host, size_t bytes)
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
	if (!code)
		code = clFinish(queue);
	if (code)
		session_fail(session, code, "copying a buffer");
}

/* Map the buffer, copy, unmap it; returns how long the host copied. */
static double copy_mapped(
	struct bus *bus, enum direction direction, size_t bytes)
{
	struct maps *maps = &bus->maps[direction];
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

/* The memory of the host that a way copies from or to. */
static uint64_t *host_of(const struct bus *bus, size_t way)
{
	return way % WAYS_A_DIRECTION == PINNED ? bus->pinned : bus->host;
}

/* New bytes where the way begins. */
static void begin(struct bus *bus, size_t way, size_t bytes)
{
	bus->version++;
	if (way / WAYS_A_DIRECTION == TO_DEVICE) {
		fill(bus, host_of(bus, way), bytes);
	} else {
		fill(bus, bus->back, bytes);
		copy(bus, bus->from, TO_DEVICE, bus->back, bytes);
	}
}

/* *copy_s: of a map, how long the host copied. */
static double transfer(
	struct bus *bus, size_t way, size_t bytes, double *copy_s)
{
	enum direction direction = way / WAYS_A_DIRECTION;
	uint64_t start_ns = timebase_raw_ns();

	*copy_s = 0;
	if (way != WITHIN && way % WAYS_A_DIRECTION == MAP)
		*copy_s = copy_mapped(bus, direction, bytes);
	else
		copy(bus, bus->from, direction, host_of(bus, way), bytes);
	return (double)(timebase_raw_ns() - start_ns) * 1e-9;
}

/* Whether all of it came to where the way ends; returns where it is seen. */
static const uint64_t *verify(struct bus *bus, size_t way, size_t bytes)
{
	enum direction direction = way / WAYS_A_DIRECTION;
	uint64_t *end = bus->back;

	if (direction == FROM_DEVICE) {
		end = host_of(bus, way);
	} else {
		/* What is right may lie there. */
		memset(end, 0, bytes);
		copy(bus, direction == TO_DEVICE ? bus->from : bus->to,
			FROM_DEVICE, end, bytes);
	}
	if (session_ok(bus->session) && !is_right(bus, end, bytes))
		session_wrong(bus->session, "%zu bytes, %s", bytes,
			bus->ways[way].name);
	return end;
}

/* All runs of one way and size; *map: the time without the host's copy. */
static struct timing time_way(
	struct bus *bus, size_t way, size_t bytes, struct timing *map)
{
	struct session *session = bus->session;
	const struct test_options *options = session->options;
	unsigned n = options->repeat, discard = options->discard;
	size_t mark = session_mark(session);
	double *s = session_memory(session, 2 * n * sizeof(*s), "the times");
	struct timing timing = timing_none();
	const uint64_t *end = NULL;

	for (unsigned i = 0; i < discard + n && session_stopped(session) == 0;
		i++) {
		size_t run = i < discard ? 0 : i - discard;
		double copy_s;

		begin(bus, way, bytes);
		s[run] = transfer(bus, way, bytes, &copy_s);
		s[n + run] = s[run] - copy_s;
		end = verify(bus, way, bytes);
	}
	if (session_ok(session)) {
		timing = timing_of(s, n);
		timing_sum(&timing, end, bytes);
		*map = timing_of(s + n, n);
		map->checksum = timing.checksum;
	}
	session_release(session, mark);
	return timing;
}

static struct timing time_point(struct sweep *sweep, size_t i)
{
	struct bus *bus = sweep->context;
	enum direction direction = sweep->kind / WAYS_A_DIRECTION;
	bool is_map =
		sweep->kind != WITHIN && sweep->kind % WAYS_A_DIRECTION == MAP;
	struct timing ignored;

	sweep->amount = sweep->x[i];
	return time_way(bus, sweep->kind, (size_t)sweep->x[i],
		is_map ? &bus->maps[direction].timing : &ignored);
}

/* The curves of all ways, then those of maps alone. */
static void choose_sweeps(struct bus *bus)
{
	static const char *const map_names[2] = {"to write", "to read"};
	const struct test_options *options = bus->session->options;
	struct sweep sweep = {.session = bus->session,
		.x_name = "size",
		.x_unit = "B",
		.x_axis = CURVE_BYTES,
		.time = time_point,
		.ceiling = &bus->alone,
		/* One may do more than all when others are busy. */
		.other = &bus->all,
		.context = bus};

	if (options->size_bytes)
		sweep.x[sweep.n++] = (double)options->size_bytes;
	else
		sweep_up_to(&sweep, LEAST_BYTES, MOST_BYTES,
			options->quick ? QUICK_FACTOR : FACTOR);
	bus->bytes = (size_t)sweep.x[sweep.n - 1];
	bus->session->all = (double)(sweep.n * WAYS + 2);
	for (unsigned way = 0; way < WAYS; way++) {
		const char *direction = direction_names[way / WAYS_A_DIRECTION];

		sweep.kind = way;
		bus->ways[way] = sweep;
		bus->ways[way].member =
			way == WITHIN ? "copy"
				      : way_names[way % WAYS_A_DIRECTION];
		snprintf(bus->ways[way].family, sizeof(sweep.family), "%s",
			direction);
		snprintf(bus->ways[way].name, sizeof(sweep.name), "%s, %s",
			direction, bus->ways[way].member);
	}
	for (size_t d = 0; d < 2; d++) {
		struct sweep *maps = &bus->maps[d].sweep;

		*maps = (struct sweep){.session = bus->session,
			.family = "map and unmap, nothing copied",
			.member = map_names[d],
			.x_name = sweep.x_name,
			.x_unit = sweep.x_unit,
			.x_axis = sweep.x_axis,
			.shows = SHOWS_TIME,
			.x = {PAGE_BYTES},
			.n = sweep.n + 1};
		memcpy(maps->x + 1, sweep.x, sweep.n * sizeof(*sweep.x));
	}
}

/* Maps of one page: what a map takes that has nothing to move. */
static void measure_pages(struct bus *bus)
{
	for (size_t d = 0; d < 2 && session_ok(bus->session); d++) {
		struct timing map;

		time_way(bus, d * WAYS_A_DIRECTION + MAP, PAGE_BYTES, &map);
		if (session_ok(bus->session))
			session_advance(bus->session, 1);
		sweep_put(&bus->maps[d].sweep, 0, &map);
	}
}

static void measure_size(struct bus *bus, size_t i)
{
	struct session *session = bus->session;
	double bytes = bus->ways[0].x[i];
	struct ceiling *const ceilings[] = {&bus->alone, &bus->all};
	static const char *const names[] = {"one CPU", "all CPUs"};

	for (int k = 0; k < 2; k++) {
		*ceilings[k] = (struct ceiling){.what = NATIVE_COPY,
			.bytes = (size_t)bytes,
			.alone = k == 0};
		ceiling_measure(session, ceilings[k]);
	}
	/* A map is put at once: an interrupt may come before the next way. */
	for (size_t w = 0; w < WAYS; w++) {
		sweep_point(&bus->ways[w], 1, i);
		if (w < WITHIN && w % WAYS_A_DIRECTION == MAP) {
			size_t d = w / WAYS_A_DIRECTION;

			sweep_put(&bus->maps[d].sweep, i + 1,
				&bus->maps[d].timing);
		}
	}
	for (int k = 0; k < 2; k++) {
		char name[64], size[TEXT_SIZE_BYTES];

		snprintf(name, sizeof(name), "%s, %s",
			text_size((uint64_t)bytes, size), names[k]);
		for (int d = 0; d < DIRECTIONS; d++)
			ceiling_show(session, ceilings[k],
				&(struct ceiling_line){d ? NULL : name,
					names[k],
					bus->ways[d * WAYS_A_DIRECTION].at,
					bytes, bytes});
	}
}

/* The figure of a way with the largest size; a gap if it was rejected. */
static struct figure rate_of(
	const struct bus *bus, enum direction direction, enum way way)
{
	return sweep_figure(&bus->ways[direction * WAYS_A_DIRECTION + way],
		bus->ways->n - 1);
}

/* The time in ms of the faster copy of the largest size. */
static struct figure copy_time(const struct bus *bus, enum direction direction)
{
	const struct figure rates[] = {rate_of(bus, direction, PAGEABLE),
		rate_of(bus, direction, PINNED)};
	size_t best = figure_most(rates, 2);
	double gib_ms = (double)bus->bytes / GIB * 1e3;

	if (best == 2)
		return (struct figure){NAN, NAN, NAN};
	return figure_over(
		(struct figure){gib_ms, gib_ms, gib_ms}, rates[best]);
}

/* What is said of maps. */
static const char *const map_texts[] = {
	[MAP_UNKNOWN] = "may or may not move data: the runs are too few or "
			"too unsteady to tell",
	[MAP_NO_COPY] = "may or may not move data: no copy of the same size "
			"has a result to compare with",
	[MAP_NEAR_PAGE] = "may or may not move data: a copy of the same size "
			  "takes hardly longer than the map of a page",
	[MAP_TOO_SMALL] = "are too small to tell whether they move data",
	[MAP_MOVES] = "move the data",
	[MAP_STAYS] = "move no data, so the rate is that of the host's copy",
};

/* One direction's maps of the largest size in the record, and for people. */
static void conclude_maps(const struct bus *bus, enum direction direction)
{
	const struct maps *maps = &bus->maps[direction];
	const struct figure page = sweep_figure(&maps->sweep, 0);
	const struct figure map = sweep_figure(&maps->sweep, maps->sweep.n - 1);
	enum map_verdict verdict =
		judge_map(map, page, copy_time(bus, direction));
	struct facts row = {0};
	char size[TEXT_SIZE_BYTES];

	if (bus->bytes < TELLING_BYTES)
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
	session_record(bus->session, "maps", &row);
	session_find(bus->session,
		"maps to %s %s: map and unmap of %s take %.3g ms, of a page "
		"%.3g ms",
		direction == TO_DEVICE ? "write" : "read", map_texts[verdict],
		text_size(bus->bytes, size), map.median, page.median);
}

static void conclude(const struct bus *bus)
{
	char texts[2][FIGURE_BYTES], size[TEXT_SIZE_BYTES];

	for (int d = TO_DEVICE; d <= FROM_DEVICE; d++)
		figure_times(figure_over(rate_of(bus, d, PINNED),
				     rate_of(bus, d, PAGEABLE)),
			"fast", texts[d]);
	session_find(bus->session,
		"pinned against pageable memory, %s: to the device %s, from it "
		"%s",
		text_size(bus->bytes, size), texts[0], texts[1]);
	for (int d = TO_DEVICE; d <= FROM_DEVICE; d++)
		conclude_maps(bus, d);
}

/* Whatever kernels are timed by, these are by the host's clock. */
static void note_clock(struct session *session)
{
	struct facts *facts = &session->record->facts;

	/* No kernel is launched. */
	facts_drop(facts, "timing.launch_us");
	facts_set_text(facts, "timing.clock", "host");
	facts_set_text(facts, "timing.clock_reason",
		"the events of maps do not show how long the host waits");
}

static cl_mem open_pinned(struct bus *bus)
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

static cl_mem open_bus(struct bus *bus)
{
	struct session *session = bus->session;
	size_t arrays = session->is_cpu ? CPU_ARRAYS : HOST_ARRAYS;
	char size[TEXT_SIZE_BYTES], left[TEXT_SIZE_BYTES];
	cl_mem pinned;

	if (!memory_fit(MEMORY_PAGES_BASE, bus->bytes, arrays))
		session_error(session, ERROR_UNAVAILABLE, ENOTSUP,
			"bus needs %zu arrays of %s, and memory suffices for "
			"%s each: choose a smaller --size",
			arrays, text_size(bus->bytes, size),
			text_size((uint64_t)(MEMORY_SHARE *
					     (double)memory_available() /
					     (double)arrays),
				left));
	bus->from = session_buffer(session, bus->bytes);
	bus->to = session_buffer(session, bus->bytes);
	bus->host = session_memory(session, bus->bytes, "the host's array");
	bus->back = session_memory(session, bus->bytes, "the host's array");
	if (session->rc)
		return NULL;
	pinned = open_pinned(bus);
	if (session->rc)
		return pinned;
	/* Pages that are first written to are had then, which takes long. */
	fill(bus, bus->host, bus->bytes);
	fill(bus, bus->back, bus->bytes);
	fill(bus, bus->pinned, bus->bytes);
	copy(bus, bus->from, TO_DEVICE, bus->host, bus->bytes);
	copy(bus, bus->to, TO_DEVICE, bus->host, bus->bytes);
	return pinned;
}

static void run_bus(struct session *session)
{
	struct bus bus = {.session = session};
	cl_mem pinned;

	note_clock(session);
	choose_sweeps(&bus);
	pinned = open_bus(&bus);
	for (size_t way = 0; way < WAYS; way++)
		sweep_begin(&bus.ways[way]);
	for (size_t d = 0; d < 2; d++)
		sweep_begin(&bus.maps[d].sweep);
	measure_pages(&bus);
	for (size_t i = 0; i < bus.ways->n && session_ok(session); i++)
		measure_size(&bus, i);
	if (session_ok(session))
		conclude(&bus);
	if (bus.pinned)
		clEnqueueUnmapMemObject(
			session->queue, pinned, bus.pinned, 0, NULL, NULL);
}

const struct test test_bus = {
	.name = "bus",
	.section = "2.2",
	.summary = "Copies and maps between the host and the device",
	.takes = TAKES_SIZE,
	.memory_by = TAKES_SIZE,
	.size = {SIZE_MULTIPLE, PAGE_BYTES, UINT64_MAX},
	.run = run_bus,
};
