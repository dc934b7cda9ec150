/*
 * Neighbouring work-items access words of local memory that lie a stride apart
 * (section 2.3.2, figures 20 and 21).
 *
 * The test times a kernel whose groups each access 16 KiB of local memory;
 * every device has that much. Work-items access words as in the test stride,
 * but n grows by 32 words: the paper's step of 32,768 is a multiple of any
 * local memory. Each unit gets 2,048 work-items, as many as today's units hold
 * at once. Filling the tile and copying out what was written are timed but not
 * counted: they are less than a thirtieth of the accesses. PoCL 3.1 uses no
 * vectors here.
 *
 * Bias: with B banks of one word, gcd(stride, B) neighbours meet in a bank. A
 * CPU has no banks: its local memory is ordinary memory in L1.
 */
#include <errno.h>

#include "cl/suite/local_cl.h"
#include "cl/sweep.h"
#include "cl/tests.h"

/* What n grows by, in words; the 16 words of a turn are a PARTS-th apart. */
#define ROW   32
#define PARTS 32
/* At least this many accesses for each word that is filled in. */
#define FILL_SHARE 64

struct local {
	size_t words, n;	 /* n: words that a group leaves */
	cl_uint version, *right; /* [n]: what group 0 leaves */
};

static cl_uint right_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct local *local = sweep->context;
	cl_uint each = sweep->write ? 1 : sweep->turns * SWEEP_UNROLLED;

	return local->right[i % local->n] + each * (cl_uint)(i / local->n);
}

static void prepare(struct sweep *sweep, size_t point)
{
	struct local *local = sweep->context;
	size_t stride = (size_t)sweep->x[point], half = local->words / 2;
	size_t round = half / ROW, accesses = round * SWEEP_UNROLLED;
	cl_uint *right = local->right;

	local->version += 12345;
	session_arguments(sweep->session, sweep->launch.kernel, 2,
		(struct argument[]){of_word(local->version),
			of_word(local->words), of_word(stride), {0}});
	for (size_t k = 0; k < local->n; k++)
		right[k] = sweep->write ? session_word(k) : local->version;
	for (size_t k = 0; k < sweep->launch.group * accesses; k++) {
		size_t l = k / accesses, n = k / SWEEP_UNROLLED % round * ROW;
		size_t i = ((l * stride + n) & (half - 1)) +
			   k % SWEEP_UNROLLED * (local->words / PARTS);

		if (sweep->write)
			right[i] = local->version + (cl_uint)i;
		else
			right[l] +=
				sweep->turns / (cl_uint)round * session_word(i);
	}
}

static void complete(struct sweep *sweep)
{
	struct session *session = sweep->session;
	struct local *local = sweep->context;
	size_t bytes = local->words * sizeof(cl_uint), n;
	size_t group = sweep->launch.group, least = local->words / 2 / ROW;

	local->n = sweep->write ? local->words : group;
	local->right = session_memory(session, local->n * 4, "a tile");
	n = sweep->launch.items / group * local->n;
	sweep->right =
		words_of(session_buffer(session, n * 4), n, right_word, sweep);
	session_arguments(session, sweep->launch.kernel, 0,
		(struct argument[]){
			of_local(bytes), of_memory(sweep->right.buffer), {0}});
	while (least * SWEEP_UNROLLED * group < FILL_SHARE * local->words)
		least *= 2;
	sweep->loop = (struct loop){5, (cl_uint)least, 1u << 20, SWEEP_LEAST_S};
	/* Each CPU has a tile. */
	sweep->bound.bytes = bytes * session->options->cpus->n;
}

static void run_local(struct session *session)
{
	size_t bytes = session_size(session, (size_t)16 << 10);
	size_t items = session_items(session, (size_t)session->units * 2048);
	size_t has = session_fact(session, CL_DEVICE_LOCAL_MEM_SIZE);
	size_t type = session_fact(session, CL_DEVICE_LOCAL_MEM_TYPE);
	struct local local = {.words = bytes / sizeof(cl_uint)};
	const char *flags =
		session_text(session, "-DPITCH=%zu", local.words / PARTS);

	if (bytes > has)
		session_error(session, ERROR_UNAVAILABLE, ENOTSUP,
			"the device has %zu KiB of local memory: choose a "
			"smaller --size",
			has >> 10);
	session_find(session,
		"the device has %zu KiB of local memory, %s; the kernels use "
		"%zu KiB, with %zu work-items in groups of %zu",
		has >> 10,
		type == CL_LOCAL ? "separate from global memory"
				 : "a part of global memory",
		bytes >> 10, items, session_group(session, items));
	sweep_strides(&(struct strides){session, "local memory",
		session_build(session, "local.cl", local_cl, flags),
		{"local_read", "local_write"}, items, session->options->quick,
		1, complete, prepare, &local});
	if (!session->is_cpu)
		session_find(session,
			"for comparison: with 32 banks of one word, each "
			"serving one access at a time, stride 2 would take "
			"twice as long as stride 1, and stride 16 would take "
			"16 times as long");
}

const struct test test_local = {
	.name = "local",
	.section = "2.3.2",
	.summary = "Strided accesses to local memory",
	.takes = TAKES_SIZE | TAKES_WORK_ITEMS | TAKES_WORK_GROUP,
	.memory_by = TAKES_WORK_ITEMS,
	.size = {SIZE_POWER, (uint64_t)4 << 10, (uint64_t)1 << 20},
	.article_group = ARTICLE_GROUP,
	.figures = {{.what = "local memory read, stride 1",
		.family = "local memory",
		.members = {"read"},
		.x = 1}},
	.run = run_local,
};
