/*
 * Measure neighbouring work-items that access words of local memory that are a
 * stride apart (section 2.3.2, figures 20 and 21).
 *
 * The test times a kernel whose groups each access 16 KiB of local memory;
 * every device has at least 16 KiB. Work-items access words as in the test
 * stride, but n grows by 32 words, because the paper's step of 32,768 words is
 * a multiple of any local memory's size. Each unit gets 2,048 work-items, as
 * many as today's units hold. The time includes filling the tile and copying it
 * out, which are less than a thirtieth of the accesses. PoCL 3.1 uses no
 * vectors for these kernels, so further kernels read vectors.
 *
 * Bias: with B banks of one word, gcd(stride, B) neighbours access the same
 * bank. A CPU has no banks: its local memory is ordinary memory in L1.
 */

#include "cl/suite/local_cl.h"
#include "cl/sweep.h"

/* Step of n in words; the 16 words of a turn are 1/PARTS apart. */
#define ROW   32
#define PARTS 32
/* Fewest accesses per word of local memory, to outweigh the filling. */
#define FILL_SHARE 64

/* A tile of pieces: words, or vectors of `width` words. */
struct local_tile {
	size_t pieces, width;
	size_t n;		    /* number of words that a group stores */
	cl_uint version, *expected; /* expected: [n] words of group 0 */
};

/*
 * Return the number of turns after which n is back at its start. n grows by a
 * piece or by a row.
 */
static size_t local_round_turns(const struct local_tile *local)
{
	return local->pieces / 2 / (local->width > 1 ? 1 : ROW);
}

static cl_uint local_expected_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct local_tile *local = sweep->context;
	cl_uint each = sweep->write	  ? 1
		       : local->width > 1 ? 0
					  : sweep->turns * SWEEP_UNROLLED;

	return local->expected[i % local->n] + each * (cl_uint)(i / local->n);
}

/* Compute the sums that work-items read, or the words that they write. */
static void local_expect_words(const struct sweep *sweep, size_t stride)
{
	const struct local_tile *local = sweep->context;
	size_t half = local->pieces / 2, round = local_round_turns(local);
	size_t accesses = round * SWEEP_UNROLLED;

	for (size_t k = 0; k < sweep->launch.group * accesses; k++) {
		size_t l = k / accesses, n = k / SWEEP_UNROLLED % round * ROW;
		size_t i = ((l * stride + n) & (half - 1)) +
			   k % SWEEP_UNROLLED * (local->pieces / PARTS);

		if (sweep->write)
			local->expected[i] = local->version + (cl_uint)i;
		else
			local->expected[l] +=
				sweep->turns / (cl_uint)round * session_word(i);
	}
}

/*
 * Compute the XOR of vectors. Pairs of whole rounds cancel out, so the 16
 * pieces of the last turn remain.
 */
static void local_expect_vectors(const struct sweep *sweep, size_t stride)
{
	const struct local_tile *local = sweep->context;
	size_t half = local->pieces / 2, pitch = local->pieces / PARTS;
	size_t touched = half + (SWEEP_UNROLLED - 1) * pitch;

	for (size_t k = 0; sweep->write && k < touched * local->width; k++)
		local->expected[k] =
			local->version + (cl_uint)(k / local->width);
	for (size_t k = 0; !sweep->write && k < local->n; k++) {
		size_t l = k / local->width, w = k % local->width;
		size_t i = (l * stride + sweep->turns - 1) & (half - 1);

		for (size_t j = 0; j < SWEEP_UNROLLED; j++)
			local->expected[k] ^= session_word(
				(i + j * pitch) * local->width + w);
	}
}

static void local_prepare(struct sweep *sweep, size_t point)
{
	struct local_tile *local = sweep->context;

	local->version += 12345;
	session_arguments(sweep->session, sweep->launch.kernel, 2,
		word_argument(local->version), word_argument(local->pieces),
		word_argument((size_t)sweep->x[point]));
}

static void local_expect(struct sweep *sweep, size_t point)
{
	const struct local_tile *local = sweep->context;
	size_t stride = (size_t)sweep->x[point];

	for (size_t k = 0; k < local->n; k++)
		local->expected[k] =
			sweep->write ? session_word(k) : local->version;
	if (local->width > 1)
		local_expect_vectors(sweep, stride);
	else
		local_expect_words(sweep, stride);
}

static void local_complete(struct sweep *sweep)
{
	struct session *session = sweep->session;
	struct local_tile *local = sweep->context;
	size_t words = local->pieces * local->width, n;
	size_t bytes = words * sizeof(cl_uint);
	size_t group = sweep->launch.group, turns = local_round_turns(local);

	if (local->width > 1) {
		sweep->facts.x_unit = session_text(session, "vectors of %zu B",
			local->width * sizeof(cl_uint));
		sweep->a_turn *= (double)local->width;
		turns *= 2;
	}
	local->n = sweep->write ? words : group * local->width;
	local->expected = session_memory(session, local->n * 4, "a tile");
	n = sweep->launch.items / group * local->n;
	sweep->expected = (struct expected_words){
		.buffer = session_buffer(session, n * 4),
		.n = n,
		.at = local_expected_word};
	session_arguments(session, sweep->launch.kernel, 0,
		local_argument(bytes), memory_argument(sweep->expected.buffer));
	while (turns * SWEEP_UNROLLED * group < FILL_SHARE * local->pieces)
		turns *= 2;
	sweep->odd_turns = local->width > 1;
	sweep->loop = (struct kernel_loop){
		5, (cl_uint)turns, 1u << 20, SWEEP_LEAST_S};
	/* Each CPU has its own tile. */
	sweep->bound.bytes = bytes * session->options->cpus->n;
}

static void local_measure_tile(struct session *session, cl_program program,
	size_t items, struct local_tile *local)
{
	bool vectors = local->width > 1;
	size_t at = session->result->n_curves;

	for (int write = 0; write < 2 && session_ok(session); write++) {
		struct sweep sweep = sweep_of_strides(session, write,
			vectors ? "local memory, in vectors" : "local memory",
			session->options->quick);

		sweep.launch = launch_of(session, program,
			session_text(session, "local_%s%s",
				write ? "write" : "read",
				vectors ? "_vectors" : ""),
			items);
		sweep.prepare = local_prepare;
		sweep.expect = local_expect;
		sweep.context = local;
		local_complete(&sweep);
		sweep_run(&sweep, 1);
	}
	ceiling_show_theory(session, THEORY_LOCAL, at);
}

static void run_local(struct session *session)
{
	size_t bytes = session_size(session, (size_t)16 << 10);
	size_t items = session_items(session, (size_t)session->units * 2048);
	size_t has = session_fact(session, CL_DEVICE_LOCAL_MEM_SIZE);
	size_t type = session_fact(session, CL_DEVICE_LOCAL_MEM_TYPE);
	size_t words = bytes / sizeof(cl_uint);
	size_t width = session_width(session);
	struct local_tile singly = {.pieces = words, .width = 1};
	struct local_tile vectors = {.pieces = words / width, .width = width};
	cl_program program;

	if (bytes > has)
		session_refuse(session,
			"the device has %zu KiB of local memory: choose a "
			"smaller --size",
			has >> 10);
	session_add_finding(session,
		"the device has %zu KiB of local memory, %s; the kernels use "
		"%zu KiB, with %zu work-items in groups of %zu",
		has >> 10,
		type == CL_LOCAL ? "separate from global memory"
				 : "a part of global memory",
		bytes >> 10, items, session_group(session, items));
	program = session_program(session, local,
		"-DPITCH=%zu -DWORDS=%zu -DV_PITCH=%zu", words / PARTS, width,
		words / PARTS / width);
	session->all = 4;
	local_measure_tile(session, program, items, &singly);
	local_measure_tile(session, program, items, &vectors);
	if (!session->is_cpu)
		session_add_finding(session,
			"for comparison: with 32 banks of one word, each "
			"serving one access at a time, stride 2 would take "
			"twice as long as stride 1, and stride 16 would take "
			"16 times as long");
}

const struct test test_local = {
	.name = "local",
	.section = "2.3.2",
	.source = SOURCE_SUITE "2.3.2, figures 20 and 21",
	.published = {"--work-items=32768", "--work-group=32"},
	.summary = "local memory, with strides: the banks of a GPU",
	.takes = TAKES_SIZE | TAKES_WORK_ITEMS | TAKES_WORK_GROUP,
	.memory_by = TAKES_WORK_ITEMS,
	.size = {SIZE_POWER, (uint64_t)4 << 10, (uint64_t)1 << 20},
	.article_group = ARTICLE_GROUP,
	.figures = {{.what = "local memory read in vectors",
			    .family = "local memory, in vectors",
			    .members = {"read"},
			    .x = 1},
		{.what = "local memory read, stride 1",
			.family = "local memory",
			.members = {"read"},
			.x = 1}},
	.run = run_local,
};
