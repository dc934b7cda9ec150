/*
 * Measure read and write rates over the size of an array: the curve has a step
 * at each cache. Modelled on M. Oomen, "Learning About GPUs Through Measuring
 * Memory Bandwidth" (Traverse Research, 2025), and gpu-cache and gpu-l2-cache
 * of gpu-benches by D. Ernst (https://github.com/te42kyfo/gpu-benches).
 *
 * The test times a kernel that goes through an array again and again, with a
 * work-group on each compute unit. Each way of sharing the array is a curve:
 *
 *  *	parts of their own	each group goes through a part of the array
 *  *	one place		all groups go through all of it, together
 *  *	different places	the same, but each begins elsewhere
 *  *	blocks			thousands of groups read one block each, once;
 *  *				later groups read the same blocks again, so no
 *  *				first-level cache helps (not measured on CPUs)
 *
 * With --fine, devices other than CPUs also write blocks, and read and write
 * elements of 4 to 16 bytes in a buffer and in an image, each group from
 * another place on: a curve for each line of Oomen's charts.
 *
 * The rate counts the bytes that the kernel accesses. On a CPU a work-item
 * reads 16 lines a turn; on other devices it reads four times 16 bytes, with 32
 * neighbours side by side, up to 1,024 in a group. The writes to one place show
 * the cost of many writers to the same lines. All groups write the same values,
 * so that the host can check them.
 *
 * Bias: a device may run two groups on one unit and no group on another.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cl/images.h"
#include "cl/memory/cache_cl.h"
#include "cl/split.h"
#include "cl/sweep.h"

/* Fewest bytes of a group; all sizes are multiples of this. */
#define CPU_LEAST   ((size_t)1 << 10)
#define OTHER_LEAST ((size_t)4 << 10)

/*
 * On other devices: reads of a work-item in a turn, and vectors between the
 * reads.
 */
#define READS 4
#define STRIP 32

/* Range of sizes with steps between doublings; outside it sizes only double. */
#define STEPS_FROM ((size_t)64 << 10)
#define STEPS_TO   ((size_t)128 << 20)

#define MOST_BYTES  ((size_t)1 << 30)
#define QUICK_BYTES ((size_t)64 << 20)
#define FINE_BYTES  ((size_t)5 << 30)
/* Largest array on CPUs, in sizes of all last-level caches. */
#define CACHES 4

/*
 * Limits of a run if every CPU reads the whole array: the bytes moved, but an
 * array of at least 256 MiB.
 */
#define SHARED_RUN_BYTES ((size_t)4 << 30)
#define SHARED_BYTES	 ((size_t)256 << 20)

#define MOST_GROUP 1024

/* Bytes for each CPU at which c2c compares equal with dynamic shares. */
#define SHARE_BYTES ((size_t)64 << 10)

/* Words of the buffer next, which counts rounds and groups (cache.cl). */
#define NEXT_WORDS 32

/* Bytes of a group's block, and blocks read in a run, as in gpu-l2-cache. */
#define BLOCK_BYTES ((size_t)512 << 10)
#define BLOCKS	    8192
/* Groups that store the words that they read. */
#define WRITERS 64

/* With --fine each check of writes reads the next part of the array. */
#define FINE_PARTS 4

/* A rate falls if it stays below this share of its best so far. */
#define FALLS 0.75

/*
 * A rate above that of memory by this ratio is significant: noise is a tenth.
 */
#define COALESCED_RATIO 1.1

enum cache_sharing {
	OWN,
	ONE,
	DIFFERENT,
	BLOCKWISE,
	WAYS
};

static const char *const ways[WAYS] = {
	[OWN] = "parts of their own",
	[ONE] = "one place",
	[DIFFERENT] = "different places",
	[BLOCKWISE] = "blocks",
};

/* Curves of --fine: elements of a buffer or, with channels, of an image. */
static const struct cache_element {
	const char *name;
	size_t width; /* words */
	cl_channel_order order;
	const char *flags;
} elements[] = {
	{"buffer, 4 B", 1, 0, ""},
	{"buffer, 8 B", 2, 0, ""},
	{"buffer, 12 B", 3, 0, ""},
	{"buffer, 16 B", 4, 0, ""},
	{"image, 4 B", 1, CL_R, " -DCHANNELS=x"},
	{"image, 8 B", 2, CL_RG, " -DCHANNELS=xy"},
	{"image, 16 B", 4, CL_RGBA, " -DCHANNELS=xyzw"},
};

struct cache_array {
	size_t width, most; /* words of a vector; bytes of the array */
	cl_mem data, sums, next;
	cl_channel_order order; /* of an image; 0: a buffer */
	size_t mark;		/* session_mark() before the image */
	cl_uint version;
	/* Of this point: vectors that a group reads, and number of groups. */
	size_t region, groups, blocks, slice, apart, writers;
	cl_uint *expected; /* expected words of the first groups */
	/* Region and blocks that `expected` belongs to. */
	size_t expected_region, expected_blocks;
};

static size_t cache_test_vector_bytes(const struct cache_array *cache)
{
	return cache->width * sizeof(cl_uint);
}

/*
 * Return the expected word. A read combines vectors that are a group apart by
 * XOR; a write sets all words.
 */
static cl_uint cache_test_expected_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct cache_array *cache = sweep->context;
	size_t n = sweep->launch.group * cache->width;

	if (sweep->write)
		return (cl_uint)(i / cache->width) + cache->version;
	return cache->expected[i / n % cache->blocks * n + i % n];
}

/* Return the largest group size whose reads of a turn divide the region. */
static size_t cache_test_group_size(const struct sweep *sweep)
{
	const struct session *session = sweep->session;
	const struct cache_array *cache = sweep->context;
	size_t group = STRIP;

	while (2 * group <= MOST_GROUP && 2 * group <= session->max_group &&
		cache->region % (2 * group * READS) == 0)
		group *= 2;
	return session->is_cpu ? 1 : group;
}

/* Return the vector of a region that work-item l reads k-th. */
static size_t cache_test_vector(const struct sweep *sweep, size_t l, size_t k)
{
	if (sweep->session->is_cpu)
		return k;
	return k / READS * sweep->launch.group * READS +
	       l / STRIP * STRIP * READS + k % READS * STRIP + l % STRIP;
}

/* Compute expected results; first and end count reads of words. */
static void cache_test_expect_part(
	void *context, size_t part, size_t first, size_t end)
{
	const struct sweep *sweep = context;
	const struct cache_array *cache = sweep->context;
	size_t width = cache->width, n = sweep->launch.group * width;
	size_t reads = cache->region / sweep->launch.group;

	(void)part;
	for (size_t i = first / reads; i < end / reads; i++) {
		size_t block = i / n * cache->region;
		cl_uint result = 0;

		for (size_t k = 0; k < reads; k++) {
			size_t v = block +
				   cache_test_vector(sweep, i % n / width, k);

			result ^= session_word(v * width + i % width);
		}
		cache->expected[i] = result;
	}
}

/* Compute the expected result of each work-item of a group, for each block. */
static void cache_test_expect_reads(struct sweep *sweep)
{
	struct cache_array *cache = sweep->context;
	size_t blocks = min_size(cache->blocks, cache->writers);

	if (cache->expected_region == cache->region &&
		cache->expected_blocks == blocks)
		return;
	split_run(blocks * cache->region * cache->width,
		sweep->session->options->cpus->n, cache_test_expect_part,
		sweep);
	cache->expected_region = cache->region;
	cache->expected_blocks = blocks;
}

/* Set how the groups share an array of that many bytes. */
static void cache_test_share_array(struct sweep *sweep, size_t bytes)
{
	struct session *session = sweep->session;
	struct cache_array *cache = sweep->context;
	size_t vectors = bytes / cache_test_vector_bytes(cache), row;

	cache->groups = session->units;
	cache->region = vectors;
	cache->blocks = 1;
	cache->slice = 0;
	if (sweep->kind == OWN) {
		cache->blocks = cache->groups;
		cache->region = vectors / cache->groups;
	} else if (sweep->kind == BLOCKWISE) {
		cache->groups = BLOCKS;
		cache->region = BLOCK_BYTES /
				(cache->width == 3 ? 4 : cache->width) /
				sizeof(cl_uint);
		cache->blocks = vectors / cache->region;
	}
	cache->writers = sweep->kind == BLOCKWISE ? WRITERS : cache->groups;
	if (cache->blocks > 1)
		cache->slice = cache->region;
	/* Vectors that a group reads in a turn. */
	row = session->is_cpu ? SWEEP_UNROLLED
			      : cache_test_group_size(sweep) * READS;
	cache->apart = 0;
	if (sweep->kind == DIFFERENT)
		cache->apart = cache->region / cache->groups / row * row;
	if (sweep->kind == DIFFERENT && cache->apart == 0)
		cache->apart = row;
}

/* Make the image of this point, and fill it for reads. */
static cl_mem cache_test_open_image(struct sweep *sweep)
{
	const struct cache_array *cache = sweep->context;
	const cl_image_format format = {cache->order, CL_UNSIGNED_INT32};
	cl_mem image;

	session_release(sweep->session, cache->mark);
	image = images_of_elements(sweep->session, &format, cache->region);
	if (sweep->write)
		sweep->expected.plane = image;
	else
		images_copy_plane(sweep->session, image, cache->data, true);
	return image;
}

static void cache_test_prepare(struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;
	struct cache_array *cache = sweep->context;
	cl_uint argument = sweep->loop.argument;

	cache_test_share_array(sweep, (size_t)sweep->x[i]);
	sweep->launch.group = cache_test_group_size(sweep);
	sweep->launch.items = cache->groups * sweep->launch.group;
	cache->version += 12345;
	session_arguments(session, sweep->launch.kernel, 0,
		memory_argument(cache->order ? cache_test_open_image(sweep)
					     : cache->data),
		sweep->write ? word_argument(cache->version)
			     : memory_argument(cache->sums));
	if (!sweep->write)
		session_arguments(session, sweep->launch.kernel, 2,
			word_argument(cache->writers));
	session_arguments(session, sweep->launch.kernel, argument - 4,
		word_argument(cache->blocks), word_argument(cache->slice),
		word_argument(cache->apart), word_argument(cache->region),
		word_argument(1));
	if (session->is_cpu || cache->order)
		session_arguments(session, sweep->launch.kernel, argument + 1,
			cache->order
				? word_argument(images_log_width(cache->region))
				: memory_argument(cache->next));
	sweep->a_turn =
		(double)(cache->region * cache_test_vector_bytes(cache)) /
		(double)sweep->launch.group;
	sweep->expected.n = sweep->write ? cache->blocks * cache->region
					 : cache->writers * sweep->launch.group;
	sweep->expected.n *= cache->width;
	sweep->expected.buffer = sweep->write ? cache->data : cache->sums;
	sweep->bound.bytes = (size_t)sweep->x[i];
	if (!sweep->write && session_ok(session))
		cache_test_expect_reads(sweep);
}

/* Choose sizes from `least` on: doublings, some with steps between them. */
static void cache_test_choose_sizes(
	struct sweep *sweep, size_t least, size_t most)
{
	const struct test_options *options = sweep->session->options;
	const struct cache_array *cache = sweep->context;
	size_t scale =
		least / (sweep->session->is_cpu ? CPU_LEAST : OTHER_LEAST);
	size_t steps = options->quick ? 1 : sweep->session->is_cpu ? 2 : 4;
	/* Elements of 12 bytes take three quarters of the room of 16 bytes. */
	double full = cache->width == 3 ? 0.75 : 1;

	for (size_t size = least; size <= most;
		size *= options->quick ? 4 : 2) {
		bool some = size >= STEPS_FROM * (scale ? scale : 1) &&
			    size < STEPS_TO;

		for (size_t k = 0; k < (some ? steps : 1); k++) {
			size_t x = size + size * k / steps;

			if (x <= most)
				sweep_add(sweep, (double)x * full);
		}
	}
}

static double cache_test_largest_rate(const struct sweep *sweep)
{
	return sweep_figure(sweep, sweep->n - 1).median;
}

static void cache_test_report(
	const struct sweep *sweep, const struct sweep *own)
{
	struct session *session = sweep->session;

	if (!session_ok(session) || session->left_out > 0)
		return;
	/*
	 * If a shared array is faster than separate parts, a cache combines
	 * simultaneous requests for a line.
	 */
	if (!sweep->write && !session->is_cpu &&
		(sweep->kind == ONE || sweep->kind == DIFFERENT) &&
		cache_test_largest_rate(sweep) >
			COALESCED_RATIO * cache_test_largest_rate(own))
		session_add_finding(session,
			"%s: %s GiB/s from %s, more than the %s GiB/s of "
			"separate parts: a cache combines simultaneous "
			"requests for a line, so this curve shows no cache "
			"sizes",
			sweep->name,
			session_number(session, cache_test_largest_rate(sweep)),
			sweep_text_x(sweep, sweep->x[sweep->n - 1]),
			session_number(session, cache_test_largest_rate(own)));
	else
		sweep_report_falls(sweep, FALLS);
}

/*
 * Report the time lost to the slowest CPU if each group does an equal share, as
 * in most programs.
 */
static void cache_test_report_equal_shares(struct sweep *own)
{
	struct session *session = own->session;
	struct cache_array *cache = own->context;
	bool quick = session->options->quick;
	size_t rounds = quick ? INTERLEAVED_QUICK_ROUNDS : INTERLEAVED_ROUNDS;
	double taken_s[INTERLEAVED_ROUNDS] = {0};
	double equal_s[INTERLEAVED_ROUNDS] = {0};
	double x = (double)(SHARE_BYTES * session->units);
	struct interleaved_ratio turns;
	size_t i = sweep_find_x(own, x);
	char text[FIGURE_BYTES];

	if (i == own->n || !session->is_cpu || session->units < 2 ||
		session->rehearses)
		return;
	sweep_prepare(own, i);
	for (size_t k = 0; k < 2 * rounds; k++) {
		session_arguments(session, own->launch.kernel, 8,
			memory_argument(k % 2 ? NULL : cache->next));
		(k % 2 ? equal_s : taken_s)[k / 2] =
			launch_once(session, &own->launch, false);
	}
	if (session->rc)
		return;
	turns = compare_interleaved(equal_s, taken_s, rounds);
	session_add_finding(session,
		"%s of %s: with equal shares of the work, groups wait for the "
		"slowest CPU: %s as with dynamic scheduling",
		own->name, sweep_text_x(own, x),
		figure_times((struct median_interval){turns.ratio, turns.low,
				     turns.high},
			"long", text));
}

static size_t cache_test_max_bytes(const struct session *session)
{
	bool quick = session->options->quick;
	const struct beyond_caches sizes = {quick ? QUICK_BYTES : STEPS_TO,
		quick ? QUICK_BYTES : MOST_BYTES, CACHES,
		quick			 ? QUICK_BYTES
		: session->options->fine ? FINE_BYTES
					 : MOST_BYTES};

	if (session->options->most_bytes)
		return (size_t)fmin((double)session->options->most_bytes,
			session_room_bytes(session, 2));
	return session_size(
		session, session_fit(session,
				 session_beyond_caches(session, &sizes), 1, 2));
}

static struct sweep cache_test_sweep(struct session *session,
	struct cache_array *cache, cl_program program, enum cache_sharing way,
	bool write)
{
	/* Limit the rounds of all groups to the range of the counter. */
	size_t rounds = min_size(1u << 20, ((size_t)1 << 31) / session->units);
	bool repeats = way != BLOCKWISE;
	struct sweep sweep = {
		.session = session,
		.facts = {.family = write ? "write" : "read",
			.member = ways[way],
			.x_name = "array",
			.x_unit = "B",
			.x_axis = CURVE_BYTES},
		.prepare = cache_test_prepare,
		.loop = {write ? 6 : 7, 1, repeats ? (cl_uint)rounds : 0,
			SWEEP_LEAST_S},
		.turns_vary = repeats,
		.odd_turns = true,
		.turns = 1,
		.expected = {.at = cache_test_expected_word,
			.parts = write && session->options->fine ? FINE_PARTS
								 : 1,
			.poisoned = true},
		.context = cache,
		.write = write,
		.kind = way,
		.launch = {.kernel = session_kernel(session, program,
				   write ? "cache_write" : "cache_read"),
			.fixed = true},
		/*
		 * Writers of the same lines wait for each other only while
		 * several run, so their ceiling is that of parts.
		 */
		.bound.shared = way != OWN && !write,
	};
	size_t least = session->is_cpu ? CPU_LEAST : OTHER_LEAST;
	size_t most = cache->most;

	if (way != OWN && session->is_cpu)
		most = min_size(
			most, max_size(SHARED_BYTES,
				      SHARED_RUN_BYTES / session->units));
	/* On CPUs all curves begin at one size, but end at different sizes. */
	if (way == OWN || session->is_cpu)
		least *= session->units;
	if (way == BLOCKWISE) {
		least = 4 * BLOCK_BYTES;
		most = min_size(most, BLOCKS * BLOCK_BYTES);
	}
	cache_test_choose_sizes(&sweep, least, most);
	return sweep;
}

static cl_program cache_test_build(
	struct session *session, size_t width, const char *flags)
{
	return session_program(session, cache, "-DWORDS=%zu%s", width, flags);
}

/*
 * Return whether the device has such images: without a format it has none. Drop
 * the sizes that would be too wide or too high.
 */
static bool cache_test_fit_images(
	struct sweep *sweep, const struct cache_element *element)
{
	const cl_image_format format = {element->order, CL_UNSIGNED_INT32};
	const struct session *session = sweep->session;
	size_t bytes = element->width * sizeof(cl_uint), kept = 0;

	for (size_t i = 0; i < sweep->n; i++) {
		if (images_fit(session, (size_t)sweep->x[i] / bytes))
			sweep->x[kept++] = sweep->x[i];
	}
	sweep->n = kept;
	return kept > 0 &&
	       images_have_format(session, CL_MEM_OBJECT_IMAGE2D, &format);
}

static void cache_test_measure_element(struct session *session,
	const struct cache_array *cache, const struct cache_element *element,
	bool write)
{
	struct cache_array array = *cache;
	struct sweep sweep;

	array.width = element->width;
	array.order = element->order;
	array.most = min_size(cache->most, MOST_BYTES);
	array.expected_region = 0;
	sweep = cache_test_sweep(session, &array,
		cache_test_build(session, element->width, element->flags),
		DIFFERENT, write);
	sweep.facts.family = write ? "elements, write" : "elements, read";
	sweep.facts.member = element->name;
	sweep.name = session_text(
		session, "%s, %s", sweep.facts.family, element->name);
	if (element->order && !cache_test_fit_images(&sweep, element)) {
		session_add_finding(session,
			"%s is left out: the device lacks such images",
			sweep.name);
		session_advance(session, 1);
		return;
	}
	array.mark = session_mark(session);
	if (sweep_run(&sweep, 1) == 0)
		cache_test_report(&sweep, &sweep);
	session_release(session, array.mark);
}

/* With --fine, measure the elements of buffers and images on other devices. */
static void cache_test_measure_elements(
	struct session *session, const struct cache_array *cache, bool write)
{
	uint64_t without = write ? ACCESS_READ : ACCESS_WRITE;

	if (!session->options->fine || session->is_cpu ||
		session->options->access == without)
		return;
	for (size_t i = 0; i < N_OF(elements) && session_ok(session); i++)
		cache_test_measure_element(session, cache, &elements[i], write);
}

/* Allocate and fill the largest array of the sweeps and of elements. */
static void cache_test_fill(
	struct cache_array *cache, const struct sweep *sweeps, size_t n)
{
	struct session *session = sweeps->session;
	size_t most = session->options->fine && !session->is_cpu
			      ? min_size(cache->most, MOST_BYTES)
			      : 0;

	for (size_t k = 0; k < n; k++)
		if (sweeps[k].n > 0)
			most = max_size(
				most, (size_t)sweeps[k].x[sweeps[k].n - 1]);
	if (most == 0)
		session_refuse(session,
			"--size is too small for %u compute units",
			session->units);
	cache->data = session_buffer(session, most);
	session_fill(session, cache->data, most / sizeof(cl_uint), NULL, NULL);
}

static void cache_test_measure(
	struct session *session, struct cache_array *cache)
{
	cl_program program = cache_test_build(session, cache->width, "");
	bool quick = session->options->quick, fine = session->options->fine;
	uint64_t access = session->options->access;
	const struct {
		enum cache_sharing way;
		bool write, wanted;
	} all[] = {
		{OWN, false, true},
		{ONE, false, true},
		{DIFFERENT, false, !quick},
		{BLOCKWISE, false, !quick && !session->is_cpu},
		{OWN, true, true},
		{ONE, true, true},
		{BLOCKWISE, true, fine && !session->is_cpu},
	};
	enum {
		WRITES = 4,
		CURVES = N_OF(all)
	};
	struct sweep sweeps[CURVES] = {{.session = session}};

	for (size_t k = 0; k < CURVES; k++) {
		uint64_t without = all[k].write ? ACCESS_READ : ACCESS_WRITE;

		sweeps[k] = cache_test_sweep(
			session, cache, program, all[k].way, all[k].write);
		if (!all[k].wanted || access == without)
			sweeps[k].n = 0;
	}
	sweep_keep_sizes(sweeps, CURVES);
	for (size_t k = 0; k < CURVES; k++)
		session->all += sweeps[k].n > 0;
	for (size_t k = 0; k < N_OF(elements) && fine && !session->is_cpu; k++)
		session->all += access ? 1 : 2;
	/* The reads precede the writes, because they need the contents. */
	cache_test_fill(cache, sweeps, CURVES);
	for (size_t k = 0; k < CURVES && session_ok(session); k++) {
		struct sweep *sweep = &sweeps[k];

		if (k == WRITES)
			cache_test_measure_elements(session, cache, false);
		if (sweep->n == 0)
			continue;
		cache->expected_region = 0;
		if (sweep_run(sweep, 1) == 0)
			cache_test_report(sweep, &sweeps[0]);
		if (k == 0)
			cache_test_report_equal_shares(sweep);
	}
	/* The cost when all groups write the same lines. */
	sweep_compare(&sweeps[WRITES + 1], 0, &sweeps[WRITES], 0);
	cache_test_measure_elements(session, cache, true);
}

static int cache_test_check_element(
	const struct test_options *options, struct error *err)
{
	uint64_t bytes = options->element_bytes;

	if (bytes % sizeof(cl_uint))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--element: found %" PRIu64 ", expected 4, 8, 12 or 16",
			bytes);
	return 0;
}

static void run_cache(struct session *session)
{
	size_t element = session->options->element_bytes / sizeof(cl_uint);
	struct cache_array cache = {
		.width = element ? element : session_width(session),
		.most = cache_test_max_bytes(session)};
	size_t at = session->result->n_curves;
	size_t sums = (max_size(WRITERS, session->units) * MOST_GROUP + 1) *
		      session_width(session) * sizeof(cl_uint);

	if (element && session->is_cpu)
		session_error(session, ERROR_UNAVAILABLE, ENOTSUP,
			"--element: CPUs read and write whole lines");
	cache.sums = session_buffer(session, sums);
	cache.next = session_buffer(session, NEXT_WORDS * sizeof(cl_uint));
	session_set_words(session, cache.next, NEXT_WORDS, 0);
	cache.expected = session_memory(session, sums, "what was read");
	cache_test_measure(session, &cache);
	if (session_ok(session) && session->theory.vendor == THEORY_NVIDIA)
		ceiling_show_theory(session, THEORY_LOCAL, at);
}

const struct test test_cache = {
	.name = "cache",
	.section = "gpu-cache, gpu-l2-cache",
	.source = SOURCE_OOMEN "; " SOURCE_BENCHES "gpu-cache and gpu-l2-cache",
	.published = {"--fine"},
	.set = GROUP_MEMORY,
	.summary = "read and write rates over the size of an array",
	.takes = TAKES_SIZE | TAKES_SIZES | TAKES_ACCESS | TAKES_ELEMENT |
		 TAKES_FINE,
	.check = cache_test_check_element,
	.memory_by = TAKES_SIZE | TAKES_SIZES,
	.size = {SIZE_POWER, (uint64_t)1 << 20, (uint64_t)8 << 30},
	.figures = {{.what = "read, parts of their own",
		.family = "read",
		.members = {"parts of their own"}}},
	.run = run_cache,
};
