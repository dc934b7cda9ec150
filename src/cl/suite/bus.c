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
#include <stdlib.h>
#include <string.h>

#include "cl/curves.h"
#include "cl/tests.h"
#include "cl/verdict.h"
#include "machine/memory.h"
#include "machine/timebase.h"
#include "util/text.h"

#define MIB ((size_t)1 << 20)

/* Sizes, and factors between them: all, and with --quick. */
#define LEAST_BYTES  (4 * MIB)
#define MOST_BYTES   (64 * MIB)
#define FACTOR	     2
#define QUICK_FACTOR 4
#define MOST_SIZES   8

/* The smallest map, beside which others are judged, and what sizes are of. */
#define PAGE_BYTES ((size_t)4096)

/* No map of so few bytes tells: another program may have had the CPU. */
#define TELLING_BYTES (16 * PAGE_BYTES)

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

enum means {
	PAGEABLE,
	PINNED,
	MAP,
	INSIDE,
};

#define WAYS 7

static const struct way {
	enum direction direction;
	enum means means;
	const char *name;
} ways[WAYS] = {
	{TO_DEVICE, PAGEABLE, "copy, pageable memory"},
	{TO_DEVICE, PINNED, "copy, pinned memory"},
	{TO_DEVICE, MAP, "map, copy by the host, unmap"},
	{FROM_DEVICE, PAGEABLE, "copy, pageable memory"},
	{FROM_DEVICE, PINNED, "copy, pinned memory"},
	{FROM_DEVICE, MAP, "map, copy by the host, unmap"},
	{WITHIN_DEVICE, INSIDE, "copy"},
};

/* One transfer. */
struct moment {
	double s, map_s; /* all of it; of a map: without the copy */
};

/* What is known of maps in one direction. */
struct maps {
	void *at; /* of the last one */
	bool moved;
};

struct bus {
	struct cl_session *session;
	size_t sizes[MOST_SIZES], n_sizes;
	size_t bytes;	       /* the largest */
	uint64_t *host, *back; /* pageable; back: what is right, or came back */
	uint64_t *pinned;
	cl_mem pinned_buffer, from, to;
	uint64_t version;	    /* of the bytes */
	size_t at[WAYS], map_at[2]; /* curves */
	struct maps maps[2];
	struct ceiling alone, all; /* one CPU, all of them */
	double done, to_do;
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

/* Copy between a buffer and the host, until it is done. */
static int copy(const struct bus *bus, cl_mem buffer, bool to_device,
	void *host, size_t bytes, struct error *err)
{
	cl_command_queue queue = bus->session->queue;
	cl_int code = to_device ? clEnqueueWriteBuffer(queue, buffer, CL_TRUE,
					  0, bytes, host, 0, NULL, NULL)
				: clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0,
					  bytes, host, 0, NULL, NULL);

	if (!code)
		code = clFinish(queue);
	return code ? session_fail(err, code, "copying a buffer") : 0;
}

static int copy_inside(const struct bus *bus, size_t bytes, struct error *err)
{
	cl_int code = clEnqueueCopyBuffer(bus->session->queue, bus->from,
		bus->to, 0, 0, bytes, 0, NULL, NULL);

	if (!code)
		code = clFinish(bus->session->queue);
	return code ? session_fail(err, code, "copying a buffer") : 0;
}

/* Map the buffer, copy, unmap it; *copy_s: how long the host copied. */
static int copy_mapped(struct bus *bus, enum direction direction, size_t bytes,
	double *copy_s, struct error *err)
{
	struct maps *maps = &bus->maps[direction];
	bool write = direction == TO_DEVICE;
	uint64_t start_ns;
	void *at;
	int rc = session_map(bus->session, bus->from, bytes, write, &at, err);

	if (rc < 0)
		return rc;
	start_ns = timebase_raw_ns();
	memcpy(write ? at : bus->host, write ? bus->host : at, bytes);
	*copy_s = (double)(timebase_raw_ns() - start_ns) * 1e-9;
	maps->moved = maps->moved || (maps->at && maps->at != at);
	maps->at = at;
	return session_unmap(bus->session, bus->from, at, err);
}

/* The memory of the host that a way copies from or to. */
static uint64_t *host_of(const struct bus *bus, const struct way *way)
{
	return way->means == PINNED ? bus->pinned : bus->host;
}

/* New bytes where the way begins. */
static int prepare(
	struct bus *bus, const struct way *way, size_t bytes, struct error *err)
{
	bus->version++;
	if (way->direction == TO_DEVICE) {
		fill(bus, host_of(bus, way), bytes);
		return 0;
	}
	fill(bus, bus->back, bytes);
	return copy(bus, bus->from, true, bus->back, bytes, err);
}

static int transfer(struct bus *bus, const struct way *way, size_t bytes,
	struct moment *moment, struct error *err)
{
	uint64_t start_ns = timebase_raw_ns();
	double copy_s = 0;
	int rc;

	if (way->means == INSIDE)
		rc = copy_inside(bus, bytes, err);
	else if (way->means == MAP)
		rc = copy_mapped(bus, way->direction, bytes, &copy_s, err);
	else
		rc = copy(bus, bus->from, way->direction == TO_DEVICE,
			host_of(bus, way), bytes, err);
	moment->s = (double)(timebase_raw_ns() - start_ns) * 1e-9;
	moment->map_s = moment->s - copy_s;
	return rc;
}

/* Where verify() finds what came. */
static uint64_t *end_of(const struct bus *bus, const struct way *way)
{
	return way->direction == FROM_DEVICE ? host_of(bus, way) : bus->back;
}

/* Whether all of it came to where the way ends. */
static int verify(
	struct bus *bus, const struct way *way, size_t bytes, struct error *err)
{
	uint64_t *end = end_of(bus, way);
	int rc = 0;

	if (way->direction != FROM_DEVICE) {
		/* What is right may lie there. */
		memset(end, 0, bytes);
		rc = copy(bus,
			way->direction == TO_DEVICE ? bus->from : bus->to,
			false, end, bytes, err);
	}
	if (rc == 0 && !is_right(bus, end, bytes))
		rc = error_set(err, ERROR_FAILURE, EIO,
			"of %zu bytes from %s (%s) not all came as they were "
			"sent: this implementation of OpenCL copies wrongly, "
			"and its times mean nothing",
			bytes, direction_names[way->direction], way->name);
	return rc;
}

/* All runs of one way and size; map: the time without the host's copy. */
static int time_way(struct bus *bus, const struct way *way, size_t bytes,
	struct cl_timing *all, struct cl_timing *map, struct error *err)
{
	const struct cl_options *options = bus->session->options;
	unsigned n = options->repeat, discard = options->discard;
	double *s = calloc(2 * (size_t)n, sizeof(*s));
	int rc = s ? 0 : error_no_memory(err, "the times");

	for (unsigned i = 0; i < discard + n && rc == 0; i++) {
		struct moment moment = {0};

		rc = session_stopped(bus->session, err);
		if (rc == 0)
			rc = prepare(bus, way, bytes, err);
		if (rc == 0)
			rc = transfer(bus, way, bytes, &moment, err);
		if (rc == 0)
			rc = verify(bus, way, bytes, err);
		if (rc == 0 && i >= discard) {
			s[i - discard] = moment.s;
			s[n + i - discard] = moment.map_s;
		}
	}
	if (rc == 0) {
		session_summarise(s, n, all);
		session_summarise(s + n, n, map);
		session_sum_words(all, end_of(bus, way), bytes);
		map->checksum = all->checksum;
	}
	free(s);
	session_progress(bus->session, ++bus->done / bus->to_do);
	return rc;
}

static int put_rate(struct bus *bus, size_t w, size_t i,
	const struct cl_timing *timing, struct error *err)
{
	const struct way *way = &ways[w];
	double bytes = (double)bus->sizes[i];
	double rate = bytes / timing->median_s / CL_GIB;
	char text[TEXT_SIZE_BYTES];
	bool holds;
	int rc = ceiling_check(bus->session, &bus->alone, rate, &holds, err);

	/* One may do more than all when others are busy, or copy in caches. */
	if (rc == 0 && !holds)
		rc = ceiling_check(bus->session, &bus->all, rate, &holds, err);
	if (rc == 0 && !holds)
		return curve_reject(bus->session, err,
			"%s from %s, %s: %.3g GiB/s is above the %.3g GiB/s "
			"that the CPUs do natively",
			text_size(bus->sizes[i], text),
			direction_names[way->direction], way->name, rate,
			bus->all.gib_per_s);
	if (rc == 0)
		curve_put_rate(
			bus->session, bus->at[w], i, bytes, bytes, timing);
	return rc;
}

/* The curves of all ways, then those of maps alone. */
static int add_curves(struct bus *bus, struct error *err)
{
	static const struct curve_facts map_facts = {
		.family = "map and unmap, nothing copied",
		.x_name = "size",
		.x_unit = "B",
		.y_unit = "ms",
	};
	static const char *const map_names[2] = {"to write", "to read"};
	struct cl_session *session = bus->session;
	size_t n = bus->n_sizes;
	int rc = 0;

	for (size_t w = 0; w < WAYS && rc == 0; w++) {
		const struct curve_facts facts = {
			.family = direction_names[ways[w].direction],
			.x_name = "size",
			.x_unit = "B",
			.y_unit = "GiB/s",
		};

		rc = curve_add(
			session, ways[w].name, &facts, n, &bus->at[w], err);
		for (size_t i = 0; i < n && rc == 0; i++)
			curve_place(
				session, bus->at[w], i, (double)bus->sizes[i]);
	}
	for (size_t d = 0; d < 2 && rc == 0; d++) {
		rc = curve_add(session, map_names[d], &map_facts, n + 1,
			&bus->map_at[d], err);
		for (size_t i = 0; i <= n && rc == 0; i++)
			curve_place(session, bus->map_at[d], i,
				(double)(i ? bus->sizes[i - 1] : PAGE_BYTES));
	}
	return rc;
}

/* Maps of one page: what a map takes that has nothing to move. */
static int measure_pages(struct bus *bus, struct error *err)
{
	int rc = 0;

	for (size_t w = 0; w < WAYS && rc == 0; w++) {
		enum direction direction = ways[w].direction;
		struct cl_timing all, map;

		if (ways[w].means != MAP)
			continue;
		rc = time_way(bus, &ways[w], PAGE_BYTES, &all, &map, err);
		if (rc)
			break;
		curve_put_time(bus->session, bus->map_at[direction], 0,
			(double)PAGE_BYTES, &map);
	}
	return rc;
}

/* All ways of one size. */
static int measure_ways(struct bus *bus, size_t i, struct error *err)
{
	int rc = 0;

	for (size_t w = 0; w < WAYS && rc == 0; w++) {
		const struct way *way = &ways[w];
		struct cl_timing all, map;

		rc = time_way(bus, way, bus->sizes[i], &all, &map, err);
		if (rc == 0)
			rc = put_rate(bus, w, i, &all, err);
		if (rc || way->means != MAP)
			continue;
		curve_put_time(bus->session, bus->map_at[way->direction], i + 1,
			(double)bus->sizes[i], &map);
	}
	return rc;
}

static int measure_size(struct bus *bus, size_t i, struct error *err)
{
	size_t bytes = bus->sizes[i];
	char size[TEXT_SIZE_BYTES], name[64];
	int rc;

	bus->alone = (struct ceiling){
		.what = NATIVE_COPY, .bytes = bytes, .alone = true};
	bus->all = (struct ceiling){.what = NATIVE_COPY, .bytes = bytes};
	rc = ceiling_measure(bus->session, &bus->alone, err);
	if (rc == 0)
		rc = ceiling_measure(bus->session, &bus->all, err);
	if (rc == 0)
		rc = measure_ways(bus, i, err);
	snprintf(name, sizeof(name), "%s, one CPU", text_size(bytes, size));
	if (rc == 0)
		rc = ceiling_record(bus->session, name, &bus->alone, err);
	snprintf(name, sizeof(name), "%s, all CPUs", size);
	if (rc == 0)
		rc = ceiling_record(bus->session, name, &bus->all, err);
	for (size_t w = 0; w < WAYS && rc == 0; w++) {
		if (w > 0 && ways[w].direction == ways[w - 1].direction)
			continue;
		rc = ceiling_draw(bus->session, bus->at[w], "one CPU",
			(double)bytes, (double)bytes, &bus->alone, err);
		if (rc == 0)
			rc = ceiling_draw(bus->session, bus->at[w], "all CPUs",
				(double)bytes, (double)bytes, &bus->all, err);
	}
	return rc;
}

/* What was found of a way with the largest size; a gap if it was rejected. */
static struct figure rate_of(
	const struct bus *bus, enum direction direction, enum means means)
{
	size_t w = 0;

	while (ways[w].direction != direction || ways[w].means != means)
		w++;
	return curve_figure(bus->session, bus->at[w], bus->n_sizes - 1);
}

/* The time in ms of the faster copy of the largest size. */
static struct figure copy_time(const struct bus *bus, enum direction direction)
{
	const struct figure rates[] = {rate_of(bus, direction, PAGEABLE),
		rate_of(bus, direction, PINNED)};
	size_t best = figure_most(rates, 2);
	double gib_ms = (double)bus->bytes / CL_GIB * 1e3;

	if (best == 2)
		return (struct figure){NAN, NAN, NAN};
	return figure_over(
		(struct figure){gib_ms, gib_ms, gib_ms}, rates[best]);
}

/* What is said of maps. */
static const char *const map_texts[] = {
	[MAP_UNKNOWN] = "may move what is mapped or not, which too few runs or "
			"too unsteady ones do not tell",
	[MAP_NO_COPY] = "may move what is mapped or not, since no copy of as "
			"much has a result beside which to judge",
	[MAP_NEAR_PAGE] = "may move what is mapped or not, since a copy of as "
			  "much takes hardly longer than the map of a page",
	[MAP_TOO_SMALL] = "are of too few bytes to tell whether they move them",
	[MAP_MOVES] = "move what is mapped",
	[MAP_STAYS] = "move nothing, so the rate is that of the host's copy",
};

/* One direction's maps of the largest size in the record, and for people. */
static int conclude_maps(const struct bus *bus, enum direction direction,
	json_t *record, struct error *err)
{
	const struct curve *curve =
		curve_at(bus->session, bus->map_at[direction]);
	const struct figure page = figure_at(curve, 0);
	const struct figure map = figure_at(curve, bus->n_sizes);
	bool moved = bus->maps[direction].moved;
	enum map_verdict verdict =
		judge_map(map, page, copy_time(bus, direction));
	const char *use = direction == TO_DEVICE ? "write" : "read";
	json_t *moves = json_null();
	char size[TEXT_SIZE_BYTES];

	if (bus->bytes < TELLING_BYTES)
		verdict = MAP_TOO_SMALL;
	else if (moved)
		verdict = MAP_MOVES;
	if (verdict == MAP_MOVES || verdict == MAP_STAYS)
		moves = json_boolean(verdict == MAP_MOVES);
	if (json_array_append_new(record,
		    json_pack("{s:s, s:I, s:f, s:f, s:b, s:o}", "direction",
			    direction_names[direction], "bytes",
			    (json_int_t)bus->bytes, "ms", map.median, "page_ms",
			    page.median, "same_address", !moved, "moves_bytes",
			    moves)))
		return error_no_memory(err, "the record");
	return curve_finding(bus->session, err,
		"maps to %s %s: map and unmap of %s take %.3g ms, of a page "
		"%.3g ms",
		use, map_texts[verdict], text_size(bus->bytes, size),
		map.median, page.median);
}

static int conclude(const struct bus *bus, struct error *err)
{
	char to[FIGURE_BYTES], from[FIGURE_BYTES], size[TEXT_SIZE_BYTES];
	json_t *record = json_array();
	int rc;

	if (json_object_set_new(bus->session->record, "maps", record))
		return error_no_memory(err, "the record");
	rc = curve_finding(bus->session, err,
		"pinned against pageable memory, %s: to the device %s, from it "
		"%s",
		text_size(bus->bytes, size),
		figure_times(figure_over(rate_of(bus, TO_DEVICE, PINNED),
				     rate_of(bus, TO_DEVICE, PAGEABLE)),
			"fast", to),
		figure_times(figure_over(rate_of(bus, FROM_DEVICE, PINNED),
				     rate_of(bus, FROM_DEVICE, PAGEABLE)),
			"fast", from));
	for (int d = TO_DEVICE; d <= FROM_DEVICE && rc == 0; d++)
		rc = conclude_maps(bus, (enum direction)d, record, err);
	return rc;
}

/* Whatever kernels are timed by, these are by the host's clock. */
static int note_clock(const struct bus *bus, struct error *err)
{
	json_t *timing = json_object_get(bus->session->record, "timing");

	/* No kernel is launched. */
	json_object_del(timing, "launch_us");
	if (json_object_set_new(timing, "clock", json_string("host")) ||
		json_object_set_new(timing, "clock_reason",
			json_string("events of maps do not tell what the host "
				    "waits for")))
		return error_no_memory(err, "the record");
	return 0;
}

static int open_pinned(struct bus *bus, struct error *err)
{
	cl_int code;

	bus->pinned_buffer = clCreateBuffer(bus->session->context,
		CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bus->bytes, NULL,
		&code);
	if (!code)
		bus->pinned = clEnqueueMapBuffer(bus->session->queue,
			bus->pinned_buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
			0, bus->bytes, 0, NULL, NULL, &code);
	return code ? session_fail(err, code, "pinned memory") : 0;
}

static int open_bus(struct bus *bus, struct error *err)
{
	size_t arrays = bus->session->is_cpu ? CPU_ARRAYS : HOST_ARRAYS;
	char size[TEXT_SIZE_BYTES], left[TEXT_SIZE_BYTES];
	int rc = note_clock(bus, err);

	if (rc < 0)
		return rc;
	if (!memory_fit(MEMORY_PAGES_BASE, bus->bytes, arrays))
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"bus needs %zu arrays of %s, and there is memory for "
			"%s each: choose a smaller --size",
			arrays, text_size(bus->bytes, size),
			text_size((uint64_t)(MEMORY_SHARE *
					     (double)memory_available() /
					     (double)arrays),
				left));
	rc = session_buffer(bus->session, bus->bytes, &bus->from, err);
	if (rc == 0)
		rc = session_buffer(bus->session, bus->bytes, &bus->to, err);
	if (rc == 0)
		rc = open_pinned(bus, err);
	if (rc < 0)
		return rc;
	bus->host = aligned_alloc(PAGE_BYTES, bus->bytes);
	bus->back = aligned_alloc(PAGE_BYTES, bus->bytes);
	if (!bus->host || !bus->back)
		return error_no_memory(err, "the host's arrays");
	/* Pages that are first written to are had then, which takes long. */
	fill(bus, bus->host, bus->bytes);
	fill(bus, bus->back, bus->bytes);
	fill(bus, bus->pinned, bus->bytes);
	rc = copy(bus, bus->from, true, bus->host, bus->bytes, err);
	return rc == 0 ? copy(bus, bus->to, true, bus->host, bus->bytes, err)
		       : rc;
}

static void close_bus(struct bus *bus)
{
	if (bus->pinned)
		clEnqueueUnmapMemObject(bus->session->queue, bus->pinned_buffer,
			bus->pinned, 0, NULL, NULL);
	if (bus->pinned_buffer)
		clReleaseMemObject(bus->pinned_buffer);
	if (bus->from)
		clReleaseMemObject(bus->from);
	if (bus->to)
		clReleaseMemObject(bus->to);
	free(bus->host);
	free(bus->back);
}

static int check_options(const struct cl_options *options, struct error *err)
{
	if (options->size_bytes % PAGE_BYTES)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--size: bus takes multiples of 4K; the next is %lluK",
			(unsigned long long)(options->size_bytes / PAGE_BYTES +
					     1) *
				4);
	return 0;
}

static void choose_sizes(struct bus *bus)
{
	const struct cl_options *options = bus->session->options;
	size_t factor = options->quick ? QUICK_FACTOR : FACTOR;

	if (options->size_bytes)
		bus->sizes[bus->n_sizes++] = options->size_bytes;
	else
		for (size_t bytes = LEAST_BYTES; bytes <= MOST_BYTES;
			bytes *= factor)
			bus->sizes[bus->n_sizes++] = bytes;
	bus->bytes = bus->sizes[bus->n_sizes - 1];
	bus->to_do = (double)(bus->n_sizes * WAYS + 2);
}

static int run_bus(struct cl_session *session, struct error *err)
{
	struct bus bus = {.session = session};
	int rc;

	choose_sizes(&bus);
	rc = open_bus(&bus, err);
	if (rc == 0)
		rc = add_curves(&bus, err);
	if (rc == 0)
		rc = measure_pages(&bus, err);
	for (size_t i = 0; i < bus.n_sizes && rc == 0; i++)
		rc = measure_size(&bus, i, err);
	if (rc == 0)
		rc = conclude(&bus, err);
	close_bus(&bus);
	return rc;
}

const struct cl_test cl_test_bus = {
	.name = "bus",
	.section = "2.2",
	.summary = "Copies and maps between the host and the device",
	.takes = CL_TAKES_SIZE,
	.memory_by = CL_TAKES_SIZE,
	.check = check_options,
	.run = run_bus,
};
