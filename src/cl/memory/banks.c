/*
 * Measure reads of 4 and 8 bytes from local memory, and from global memory in
 * the first-level cache. The reads of neighbouring work-items are a stride
 * apart. Also measure reads of blocks that are some columns wide and whose rows
 * are far apart. Modelled on gpu-strides of gpu-benches by D. Ernst
 * (https://github.com/te42kyfo/gpu-benches).
 *
 * The test times a kernel that fills all units with work-items. Each work-item
 * reads the same eight elements again and again, 4 elements apart. All groups
 * read the same elements. Only 64 neighbours read different addresses: the
 * largest sub-group of any GPU has 64 work-items. The next 64 work-items read
 * the same addresses, so little memory is read. The time includes filling local
 * memory, which is less than a thirtieth of the reads.
 *
 * gpu-strides reads global memory only, as floats and doubles, with one group
 * of 1,024 on one unit. In this test all units work, and add the elements as
 * integers, so that the host can check sums exactly.
 *
 * Bias: with long strides the first-level cache may not hold all elements:
 * elements of 8 bytes take up to 64 KiB. CPUs read words one by one, which is
 * slower than their cache allows.
 */
#include "cl/memory/banks_cl.h"
#include "cl/sweep.h"

/* Reads in a turn, elements between them, and rows of a block (banks.cl). */
#define READS  8
#define SPREAD 4
#define ROWS   32

/* Number of strides, from 0 on: a table of 8 rows and 16 columns. */
#define STRIDES 128

/* Number of neighbours that read different addresses. */
#define NEIGHBOURS 64

/* Elements between rows of a block, whose rows are in different banks. */
#define BLOCK_PITCH 4098

/* Fewest reads per word of local memory, to outweigh the filling. */
#define FILL_SHARE 32

#define CPU_ITEMS 256

enum banks_space {
	LOCAL,
	CACHED,
	BLOCKS,
	SPACES
};

static const struct {
	const char *family, *kernel, *x_name, *x_unit;
} spaces[SPACES] = {
	[LOCAL] = {"local memory", "banks_local", "stride", "elements"},
	[CACHED] = {"cached global memory", "banks_global", "stride",
		"elements"},
	[BLOCKS] = {"cached global memory, blocks", "banks_global", "width",
		"elements"},
};

/* A curve: an address space, and the bytes of an element. */
struct banks_curve {
	enum banks_space space;
	size_t bytes, elements; /* number of elements that are read */
	cl_mem data, out;
	cl_uint *expected; /* [words of a group] expected sums */
};

static size_t banks_elements(enum banks_space space, size_t x)
{
	size_t behind = (READS - 1) * SPREAD + 1;

	return space == BLOCKS ? (ROWS - 1) * BLOCK_PITCH + x - 1 + behind
			       : (NEIGHBOURS - 1) * x + behind;
}

static size_t banks_element_words(const struct banks_curve *banks)
{
	return banks->bytes / sizeof(cl_uint);
}

/* Return the sum that a turn adds if it begins at that element. */
static uint64_t banks_turn_sum(const struct banks_curve *banks, size_t place)
{
	size_t words = banks_element_words(banks);
	uint64_t sum = 0;

	for (size_t j = 0; j < READS; j++) {
		size_t at = (place + j * SPREAD) * words;

		for (size_t w = 0; w < words; w++)
			sum += (uint64_t)session_word(at + w) << 32 * w;
	}
	return sum;
}

static void banks_prepare(struct sweep *sweep, size_t i)
{
	const struct banks_curve *banks = sweep->context;
	size_t x = (size_t)sweep->x[i];
	bool blocks = banks->space == BLOCKS;

	session_arguments(sweep->session, sweep->launch.kernel, 2,
		word_argument(blocks ? x : NEIGHBOURS),
		word_argument(blocks ? 1 : x),
		word_argument(blocks ? BLOCK_PITCH : 0), word_argument(0));
}

static void banks_expect(struct sweep *sweep, size_t i)
{
	struct banks_curve *banks = sweep->context;
	size_t x = (size_t)sweep->x[i], words = banks_element_words(banks);

	for (size_t l = 0; l < sweep->launch.group; l++) {
		size_t first = banks->space == BLOCKS
				       ? l % x + l / x % ROWS * BLOCK_PITCH
				       : l % NEIGHBOURS * x;
		uint64_t sum = sweep->turns * banks_turn_sum(banks, first);

		for (size_t w = 0; w < words; w++)
			banks->expected[l * words + w] =
				(cl_uint)(sum >> 32 * w);
	}
}

static void banks_choose_x(
	struct sweep *sweep, enum banks_space space, size_t elements)
{
	static const unsigned some[] = {0, 1, 2, 3, 4, 8, 16, 32};
	if (space == BLOCKS)
		sweep_up_to(sweep, 1, 64, 2);
	else if (sweep->session->options->quick)
		sweep_over(sweep, some, N_OF(some));
	else
		sweep_step_to(sweep, 0, STRIDES - 1, 1);
	while (sweep->n > 0 &&
		banks_elements(space, (size_t)sweep->x[sweep->n - 1]) >
			elements)
		sweep->n--;
}

static struct sweep banks_sweep(
	struct session *session, struct banks_curve *banks)
{
	static const unsigned compared[] = {2, 3, 32, 0};
	const char *family = spaces[banks->space].family;
	size_t each = session->is_cpu ? CPU_ITEMS
				      : theory_unit_items(&session->theory);
	struct sweep sweep = {.session = session,
		.name = session_text(
			session, "%zu B from %s", banks->bytes, family),
		.facts = {.family = family,
			.member = session_text(session, "%zu B", banks->bytes),
			.x_name = spaces[banks->space].x_name,
			.x_unit = spaces[banks->space].x_unit},
		.prepare = banks_prepare,
		.expect = banks_expect,
		.context = banks,
		.turns_vary = !session->is_cpu,
		.a_turn = (double)(READS * banks->bytes),
		.bound = {.what = NATIVE_READ, .bytes = 1, .panel = "read"},
		.compared = compared,
		.n_compared = N_OF(compared)};

	if (banks->space == BLOCKS)
		sweep.facts.x_axis = CURVE_COUNTS;
	banks_choose_x(&sweep, banks->space, banks->elements);
	banks->elements = banks_elements(
		banks->space, (size_t)sweep.x[sweep.n ? sweep.n - 1 : 0]);
	sweep.launch.kernel = session_kernel(session,
		session_build(session, "banks.cl", banks_cl,
			banks->bytes == 8 ? "-Dword=ulong" : "-Dword=uint"),
		spaces[banks->space].kernel);
	/* Fill the units with work-items, in groups of the usual size. */
	sweep.launch.group = session_group(session, each);
	sweep.launch.items = session->units * (each / sweep.launch.group) *
			     sweep.launch.group;
	return sweep;
}

/* Make buffers and sums, set constant arguments, and choose the turns. */
static void banks_complete(struct sweep *sweep)
{
	struct session *session = sweep->session;
	struct banks_curve *banks = sweep->context;
	size_t group = sweep->launch.group, turns = 1;
	size_t words = banks_element_words(banks) * banks->elements;
	size_t n = sweep->launch.items * banks_element_words(banks);
	bool local = banks->space == LOCAL;

	banks->out = session_buffer(session, n * sizeof(cl_uint));
	banks->expected = session_memory(session, group * banks->bytes, "sums");
	if (!local) {
		banks->data = session_buffer(session, words * sizeof(cl_uint));
		session_fill(session, banks->data, words, NULL, NULL);
	}
	session_arguments(session, sweep->launch.kernel, 0,
		local ? local_argument(words * sizeof(cl_uint))
		      : memory_argument(banks->data),
		memory_argument(banks->out));
	if (local)
		session_arguments(
			session, sweep->launch.kernel, 7, word_argument(words));
	while (local && turns * READS * group < FILL_SHARE * words)
		turns *= 2;
	sweep->expected = (struct expected_words){.buffer = banks->out,
		.n = n,
		.list = banks->expected,
		.listed = group * banks_element_words(banks),
		.poisoned = true};
	sweep->loop = (struct kernel_loop){
		6, (cl_uint)turns, 1u << 20, SWEEP_LEAST_S};
}

static void run_banks(struct session *session)
{
	size_t local = session_local_bytes(session);
	struct banks_curve banks[2 * SPACES];
	struct sweep sweeps[2 * SPACES];
	size_t most = 0;

	for (size_t k = 0; k < 2 * SPACES; k++) {
		enum banks_space space = (enum banks_space)(k / 2);
		size_t bytes = k % 2 ? 8 : 4;

		most = banks_elements(
			space, space == BLOCKS ? 64 : STRIDES - 1);
		if (space == LOCAL && most * bytes > local)
			most = local / bytes;
		banks[k] = (struct banks_curve){
			.space = space, .bytes = bytes, .elements = most};
		sweeps[k] = banks_sweep(session, &banks[k]);
		sweeps[k].bound.of = k % 2 ? &sweeps[k - 1] : NULL;
	}
	session->all = 2 * SPACES;
	for (size_t k = 0; k < 2 * SPACES && session_ok(session); k++) {
		banks_complete(&sweeps[k]);
		if (sweep_run(&sweeps[k], 1) == 0)
			sweep_report_best(&sweeps[k], 0);
		/* Report a panel after both curves are complete. */
		if (k % 2 && banks[k].space == LOCAL)
			ceiling_show_theory(
				session, THEORY_LOCAL, sweeps[k].at);
	}
	if (!session->is_cpu)
		session_add_finding(session,
			"for comparison: with 32 banks of 4 B, each serving "
			"one address at a time, stride 2 would take twice as "
			"long as stride 1, and stride 32 would take 32 times "
			"as long; an odd stride would take no longer than "
			"stride 1");
}

const struct test test_banks = {
	.name = "banks",
	.section = "gpu-strides",
	.source = SOURCE_BENCHES "gpu-strides",
	.published = {"--work-group=1024"},
	.set = GROUP_MEMORY,
	.summary = "strides in local memory and the first-level cache",
	.takes = TAKES_WORK_GROUP,
	.figures = {{.what = "local memory, 4 B, stride 1",
		.family = "local memory",
		.members = {"4 B"},
		.x = 1}},
	.run = run_banks,
};
