/*
 * Measure the bandwidth of global memory, over the number of work-items with
 * loads and stores in flight. Six kernels have different mixes of loads and
 * stores. Modelled on gpu-stream of gpu-benches by D. Ernst
 * (https://github.com/te42kyfo/gpu-benches).
 *
 * The test times a kernel that goes once through arrays larger than the caches.
 * The rate counts each element once: the kernels 3pt and 5pt read neighbours
 * again from a cache. The rate does not count reads for ownership.
 *
 * GPUs start a work-item for each element, as gpu-stream does. The local memory
 * that groups ask for limits how many groups run simultaneously. OpenCL does
 * not report the local memory of a unit, so the test counts the groups that run
 * simultaneously if each has as much as possible. The test never runs fewer
 * groups than this number.
 *
 * On CPUs each unit has x work-items. Each work-item loops over its own
 * lines, because CPUs that share a line take it from each other. With fewer
 * than 64 work-items per unit, a unit that has finished takes lines of other
 * units (shares.cl).
 *
 * Bias: a CPU implementation may run a group in any of its threads, even two
 * groups of a point in the same thread.
 */
#include <math.h>
#include <string.h>

#include "cl/memory/stream_cl.h"
#include "cl/sweep.h"
#include "machine/memory.h"

/* Size of a CPU's array in multiples of the last-level caches, and limits. */
#define CACHES		 4
#define QUICK_CACHES	 2
#define CPU_LEAST_BYTES	 ((size_t)32 << 20)
#define CPU_MOST_BYTES	 ((size_t)512 << 20)
#define QUICK_MOST_BYTES ((size_t)128 << 20)

/* Padding before the first element and after the last: a line of a CPU. */
#define PAD_BYTES ((size_t)64)

#define FACTOR 3

/* Periods of the arrays b and c in elements; both are primes. */
#define B_PERIOD 1021
#define C_PERIOD 509
#define PERIOD	 ((size_t)B_PERIOD * C_PERIOD)

/* A value that array b has once a period. The kernel READ looks for it. */
#define SOUGHT B_PERIOD

/* Work-items of the smallest group: a sub-group on most GPUs. */
#define LEAST_GROUP 32

/* Step of --fine: two groups of 32, as in gpu-stream, or 4 of 16, or 8 of 8. */
#define FINE_ITEMS 64

/* To count simultaneous groups on a unit: groups, and atomics of each group. */
#define COUNTED_GROUPS 32
#define COUNTED_TURNS  256

/* CPUs: fewest vectors of a share, which takes some microseconds. */
#define LEAST_TURNS 256

/* Parts of a GPU's array; each check reads the next part. */
#define GPU_PARTS 4

enum stream_kind {
	INIT,
	READ,
	SCALE,
	TRIAD,
	THREE,
	FIVE,
	KINDS
};

enum stream_bound {
	BOUND_WRITE,
	BOUND_READ,
	BOUND_COPY,
	BOUND_TRIAD,
	BOUNDS
};

/* counted: loads and stores for each element of an array. */
static const struct {
	const char *name, *kernel;
	unsigned counted;
	enum stream_bound bound;
} kinds[KINDS] = {
	[INIT] = {"init", "stream_init", 1, BOUND_WRITE},
	[READ] = {"read", "stream_read", 1, BOUND_READ},
	[SCALE] = {"scale", "stream_scale", 2, BOUND_COPY},
	[TRIAD] = {"triad", "stream_triad", 3, BOUND_TRIAD},
	[THREE] = {"3pt", "stream_three", 2, BOUND_COPY},
	[FIVE] = {"5pt", "stream_five", 2, BOUND_COPY},
};

/* Native bounds. counted: bytes that a rate counts / bytes of the loop. */
static const struct {
	const char *name;
	enum native_what what;
	double counted;
} bounds[BOUNDS] = {
	[BOUND_WRITE] = {"init", NATIVE_WRITE, 1},
	[BOUND_READ] = {"read", NATIVE_READ, 1},
	[BOUND_COPY] = {"scale, 3pt, 5pt", NATIVE_COPY, 2},
	[BOUND_TRIAD] = {"triad", NATIVE_TRIAD, 1},
};

/* Contents of an array: the output of a kernel, b, or c. */
#define CONTENTS_B KINDS
#define CONTENTS_C (KINDS + 1)
#define CONTENTS   (KINDS + 2)

struct stream_buffers {
	struct session *session;
	size_t scalar_bytes; /* bytes of a scalar: 8, or 4 without double */
	size_t width;	     /* scalars in a vector */
	size_t bytes;	     /* bytes of each array without padding */
	cl_mem a, b, c;
	char *contents[CONTENTS]; /* [PERIOD] scalars each */
	size_t n;		  /* vectors in an array at this point */

	/* CPUs: actual and expected sums of work-items */
	cl_mem sums;
	cl_uint *expected;
	size_t turns; /* vectors of each work-item */

	/* GPUs: fewest groups on a unit, and local memory of each group. */
	size_t groups, group_local_bytes;

	struct ceiling ceilings[BOUNDS];
	struct sweep sweeps[KINDS];
};

/* Return element i of b. Sums of small whole numbers are exact. */
static double stream_b_value(size_t i)
{
	return i % PERIOD == PERIOD / 2 ? SOUGHT : (double)(i % B_PERIOD);
}

static double stream_value(size_t contents, size_t i)
{
	switch (contents) {
	case READ: /* NaN: the kernel stores nothing */
		return stream_b_value(i) == SOUGHT ? SOUGHT : NAN;
	case SCALE:
		return FACTOR * stream_b_value(i);
	case TRIAD:
		return stream_b_value(i) + FACTOR * stream_value(CONTENTS_C, i);
	case THREE:
		return FACTOR * (stream_b_value(i - 1) + stream_b_value(i) +
					stream_b_value(i + 1));
	case FIVE:
		return FACTOR *
		       (stream_b_value(i - 2) + stream_b_value(i - 1) +
			       stream_b_value(i) + stream_b_value(i + 1) +
			       stream_b_value(i + 2));
	case CONTENTS_B:
		return stream_b_value(i);
	case CONTENTS_C:
		return (double)(i % C_PERIOD);
	default:
		return FACTOR;
	}
}

static size_t stream_vector_bytes(const struct stream_buffers *stream)
{
	return stream->width * stream->scalar_bytes;
}

static size_t stream_padded_bytes(const struct stream_buffers *stream)
{
	return stream->bytes + 2 * PAD_BYTES;
}

static const cl_uint unwritten[2] = {SESSION_UNWRITTEN, SESSION_UNWRITTEN};

static void stream_compute_contents(struct stream_buffers *stream)
{
	struct session *session = stream->session;
	size_t size = stream->scalar_bytes;

	for (size_t k = 0; k < CONTENTS; k++) {
		stream->contents[k] = session_memory(
			session, PERIOD * size, "what the host computes");
		for (size_t i = 0; i < PERIOD && session_ok(session); i++) {
			double value = stream_value(k, PERIOD + i);

			if (isnan(value))
				memcpy(stream->contents[k] + i * size,
					unwritten, size);
			else
				number_set_element(size == sizeof(cl_double),
					stream->contents[k], i, value);
		}
	}
}

static void stream_fill_array(
	struct stream_buffers *stream, cl_mem buffer, size_t contents)
{
	struct session *session = stream->session;
	size_t bytes = stream_padded_bytes(stream), run;
	char *to = session_map(session, buffer, bytes, true);

	for (size_t i = 0; i < bytes && to; i += run) {
		run = min_size(bytes - i, PERIOD * stream->scalar_bytes);
		memcpy(to + i, stream->contents[contents], run);
	}
	if (to)
		session_unmap(session, buffer, to);
}

/* Return word i of a kernel's output; the padding stays unwritten. */
static cl_uint stream_expected_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct stream_buffers *stream = sweep->context;
	size_t words = stream->scalar_bytes / sizeof(cl_uint);
	size_t first = PAD_BYTES / sizeof(cl_uint);
	const cl_uint *contents =
		(const cl_uint *)(void *)stream->contents[sweep->kind];

	return i < first || i >= first + stream->n * stream->width * words
		       ? SESSION_UNWRITTEN
		       : contents[i % (PERIOD * words)];
}

/* CPUs: return the number of shares of all units. */
static size_t stream_shares(
	const struct stream_buffers *stream, size_t unit_items)
{
	size_t turns = stream->bytes / stream_vector_bytes(stream) /
		       stream->session->units / unit_items;

	return stream->session->units * unit_items *
	       max_size(1, min_size(stream->session->shares / unit_items,
				   turns / LEAST_TURNS));
}

/* CPUs: make the buffer with the sum of each work-item. */
static void stream_prepare_sums(struct stream_buffers *stream)
{
	const struct sweep *read = &stream->sweeps[READ];
	size_t items = 0, bytes;

	for (size_t i = 0; i < read->n; i++)
		items = max_size(
			items, stream_shares(stream, (size_t)read->x[i]));
	bytes = items * stream_vector_bytes(stream);

	stream->sums = session_buffer(stream->session, bytes);
	stream->expected = session_memory(stream->session, bytes, "the sums");
	stream->sweeps[READ].expected =
		(struct expected_words){.buffer = stream->sums,
			.list = stream->expected,
			.poisoned = true};
}

/* CPUs: compute the expected sum of each work-item, word by word. */
static void stream_expect_sums(struct stream_buffers *stream, size_t items)
{
	const cl_uint *b =
		(const cl_uint *)(void *)stream->contents[CONTENTS_B];
	size_t words = stream_vector_bytes(stream) / sizeof(*b);
	size_t period = PERIOD * stream->scalar_bytes / sizeof(*b);
	size_t k = PAD_BYTES / sizeof(*b);

	if (stream->session->rc)
		return;
	stream->sweeps[READ].expected.n = items * words;
	memset(stream->expected, 0, items * stream_vector_bytes(stream));
	for (size_t i = 0; i < items * stream->turns; i++) {
		cl_uint *sum = stream->expected + i / stream->turns * words;

		for (size_t j = 0; j < words; j++, k++) {
			k = k == period ? 0 : k;
			sum[j] += b[k];
		}
	}
}

/* CPUs: set unit_items work-items for each unit, in shares of equal groups. */
static void stream_set_items(
	struct stream_buffers *stream, struct launch *launch, size_t unit_items)
{
	launch->items = stream_shares(stream, unit_items);
	launch->group = session_group(stream->session, SIZE_MAX);
	if (launch->group > unit_items)
		launch->group = unit_items;
	while (unit_items % launch->group)
		launch->group--;
	stream->turns =
		stream->bytes / stream_vector_bytes(stream) / launch->items;
	stream->n = stream->turns * launch->items;
	session_arguments(stream->session, launch->kernel, 4,
		word_argument(stream->turns));
}

/*
 * GPUs: count the smallest groups that a unit runs simultaneously if each has
 * the most local memory that a kernel may have. If the count is no power of
 * two, reduce the memory to reach the next power.
 */
static void stream_count_groups(
	struct stream_buffers *stream, cl_program program)
{
	struct session *session = stream->session;
	cl_mem now = session_buffer(session, sizeof(cl_uint));
	cl_mem most = session_buffer(session, sizeof(cl_uint));
	struct launch launch = {
		.kernel = session_kernel(session, program, "stream_count"),
		.items = session->units * COUNTED_GROUPS * LEAST_GROUP,
		.group = LEAST_GROUP};
	size_t local = session_local_bytes(session), counted = 1;
	cl_uint got = 0;

	session_set_words(session, now, 1, 0);
	session_set_words(session, most, 1, 0);
	session_arguments(session, launch.kernel, 0, memory_argument(now),
		memory_argument(most), word_argument(COUNTED_TURNS),
		local_argument(local));
	launch_once(session, &launch, false);
	session_read(session, most, 0, sizeof(got), &got);
	if (got > session->units)
		counted = (got + session->units / 2) / session->units;
	for (stream->groups = 1; stream->groups < counted;)
		stream->groups *= 2;
	stream->group_local_bytes = local * counted / stream->groups;
}

/* GPUs: set a work-item for each element, with unit_items on each unit. */
static void stream_set_groups(
	struct stream_buffers *stream, struct launch *launch, size_t unit_items)
{
	size_t groups = stream->groups, held = stream->group_local_bytes;

	while (unit_items / groups > stream->session->max_group) {
		groups *= 2;
		held /= 2;
	}
	launch->group = unit_items / groups;
	stream->n = stream->bytes / stream_vector_bytes(stream);
	stream->n -= stream->n % launch->group;
	launch->items = stream->n;
	session_arguments(
		stream->session, launch->kernel, 4, local_argument(held));
}

static void stream_prepare(struct sweep *sweep, size_t i)
{
	struct stream_buffers *stream = sweep->context;
	/* Each work-item stores the sum of its reads. */
	bool adds = sweep->kind == READ && stream->session->is_cpu;
	size_t unit_items = (size_t)sweep->x[i];

	if (stream->session->is_cpu)
		stream_set_items(stream, &sweep->launch, unit_items);
	else
		stream_set_groups(stream, &sweep->launch, unit_items);
	if (adds)
		stream_expect_sums(stream, sweep->launch.items);
	sweep->amount = (double)(stream->n * stream_vector_bytes(stream)) *
			kinds[sweep->kind].counted;
	session_arguments(stream->session, sweep->launch.kernel, 0,
		memory_argument(adds ? stream->sums : stream->a),
		memory_argument(stream->b), memory_argument(stream->c),
		number_argument(stream->scalar_bytes == sizeof(cl_double),
			sweep->kind == READ ? SOUGHT : FACTOR));
}

/* Choose the values of x: they begin at one work-item, on GPUs a full unit. */
static void stream_choose_x(
	const struct stream_buffers *stream, struct sweep *sweep)
{
	const struct session *session = stream->session;
	bool quick = session->options->quick;
	size_t most = theory_unit_items(&session->theory);

	if (session->is_cpu) {
		sweep_up_to(sweep, 1, quick ? 16 : 256, quick ? 16 : 2);
		return;
	}
	if (session->options->fine) {
		sweep_step_to(sweep, FINE_ITEMS, most - 1, FINE_ITEMS);
	} else {
		sweep_up_to(sweep, LEAST_GROUP * stream->groups, most - 1,
			quick ? 4 : 2);
		if (!quick && most == 2048)
			sweep_add(sweep, 1536);
	}
	sweep_add(sweep, (double)most);
}

static struct sweep stream_sweep(struct stream_buffers *stream,
	cl_program program, enum stream_kind kind, const char *size)
{
	struct session *session = stream->session;
	struct sweep sweep = {.session = session,
		.name = kinds[kind].name,
		.facts = {.family = session_text(session, "arrays of %s", size),
			.member = kinds[kind].name,
			.x_name = CURVE_UNIT_ITEMS,
			.x_axis = CURVE_COUNTS},
		.prepare = stream_prepare,
		.context = stream,
		.kind = kind,
		.launch = {.kernel = session_kernel(
				   session, program, kinds[kind].kernel),
			.shares = TAKES_SHARES},
		.bound.ceiling = &stream->ceilings[kinds[kind].bound]};

	stream_choose_x(stream, &sweep);
	return sweep;
}

static cl_program stream_build(const struct stream_buffers *stream)
{
	struct session *session = stream->session;

	return session_program(session, stream,
		"-DSCALAR=%s -DWIDTH=%zu -DPAD=%zu -DWORDS=%zu%s",
		stream->scalar_bytes == 8 ? "double" : "float", stream->width,
		PAD_BYTES / stream_vector_bytes(stream),
		stream_vector_bytes(stream) / sizeof(cl_uint),
		session->is_cpu ? "" : " -DHELD");
}

/* Return an array's size. The device has memory for three arrays. */
static size_t stream_default_bytes(const struct session *session)
{
	bool quick = session->options->quick;
	const struct beyond_caches sizes = {CPU_LEAST_BYTES,
		quick ? QUICK_MOST_BYTES : CPU_MOST_BYTES,
		quick ? QUICK_CACHES : CACHES, SESSION_GPU_BYTES};
	size_t bytes = session_fit(session,
		session_beyond_caches(session, &sizes), CPU_LEAST_BYTES, 6);

	/* A device may allow just this size, without padding. */
	return bytes + 2 * PAD_BYTES > session->max_alloc_bytes ? bytes / 2
								: bytes;
}

static void stream_measure(struct stream_buffers *stream)
{
	struct session *session = stream->session;
	cl_program program = stream_build(stream);
	const char *size = session_bytes(session, stream->bytes);

	if (!session->is_cpu)
		stream_count_groups(stream, program);
	for (size_t k = 0; k < KINDS; k++) {
		stream->sweeps[k] = stream_sweep(
			stream, program, (enum stream_kind)k, size);
		stream->sweeps[k].expected = (struct expected_words){
			.buffer = stream->a,
			.n = stream_padded_bytes(stream) / sizeof(cl_uint),
			.at = stream_expected_word,
			.parts = session->is_cpu ? 1 : GPU_PARTS,
			.poisoned = true};
	}
	if (session->is_cpu)
		stream_prepare_sums(stream);
	stream_compute_contents(stream);
	stream_fill_array(stream, stream->b, CONTENTS_B);
	stream_fill_array(stream, stream->c, CONTENTS_C);
	session_add_finding(session, "three arrays of %s of %s, %u units", size,
		stream->scalar_bytes == 8 ? "double" : "float",
		(unsigned)session->units);
	session->all = KINDS;
	for (size_t k = 0; k < BOUNDS; k++) {
		stream->ceilings[k] = (struct ceiling){.what = bounds[k].what,
			.bytes = stream->bytes,
			.counted = bounds[k].counted};
		ceiling_measure(session, &stream->ceilings[k]);
	}
	if (sweep_run(stream->sweeps, KINDS) < 0)
		return;
	for (size_t k = 0; k < BOUNDS; k++)
		ceiling_record(session, &stream->ceilings[k], bounds[k].name);
	for (size_t k = 0; k < KINDS; k++)
		ceiling_show(session, &stream->ceilings[kinds[k].bound],
			&(struct ceiling_line){
				NULL, NULL, stream->sweeps[k].at, 0, INFINITY});
	for (size_t k = 0; k < KINDS; k++)
		sweep_report_best(&stream->sweeps[k], 0.9);
	if (stream->bytes >= SESSION_GPU_BYTES)
		ceiling_show_theory(session, THEORY_MEMORY, stream->sweeps->at);
}

static void run_stream(struct session *session)
{
	size_t line = PAD_BYTES, bytes;
	struct stream_buffers stream = {.session = session};

	stream.scalar_bytes = session_has_double(session) ? 8 : 4;
	stream.width = session->is_cpu ? line / stream.scalar_bytes : 1;
	stream.bytes = session_size(session, stream_default_bytes(session));
	bytes = stream_padded_bytes(&stream);
	stream.a = session_buffer(session, bytes);
	stream.b = session_buffer(session, bytes);
	stream.c = session_buffer(session, bytes);
	if (session_ok(session))
		stream_measure(&stream);
}

const struct test test_stream = {
	.name = "stream",
	.section = "gpu-stream",
	.source = SOURCE_BENCHES "gpu-stream",
	.published = {"--fine"},
	.set = GROUP_MEMORY,
	.summary = "memory streams, by work-items per compute unit",
	.takes = TAKES_SIZE | TAKES_FINE,
	.memory_by = TAKES_SIZE,
	.shares = 64,
	.size = {SIZE_POWER, (uint64_t)8 << 20, (uint64_t)64 << 30},
	.figures = {{.what = "triad, best",
		.family = "arrays of ",
		.members = {"triad"}}},
	.run = run_stream,
};
