/*
 * Neighbouring work-items read elements of 4 and 8 bytes that lie a stride
 * apart, from local memory and from global memory that the first-level cache
 * holds; and blocks of elements, some columns wide, with rows far apart. After
 * gpu-strides of gpu-benches by D. Ernst
 * (https://github.com/te42kyfo/gpu-benches).
 *
 * The test times a kernel that fills all units with work-items. Each reads the
 * same eight elements again and again, 4 elements from each other. All groups
 * read the same ones. 64 neighbours have strides of their own, as many as a
 * sub-group has on any GPU, and the next 64 repeat them: so what is read stays
 * small. Filling the local memory is timed but not counted: it is less than a
 * thirtieth of the reads.
 *
 * gpu-strides reads global memory only, as floats and doubles, with one group
 * of 1,024 on one unit. Here all units work, and the elements are added as
 * whole words, whose sums the host can tell exactly.
 *
 * Bias: elements of a long stride may be more than the first-level cache holds:
 * those of 8 bytes take up to 64 KiB. On CPUs words are read one by one, which
 * is slower than their cache.
 */
#include <stdlib.h>

#include "cl/memory/banks_cl.h"
#include "cl/sweep.h"
#include "cl/tests.h"

/* As in banks.cl: reads in a turn, elements between them, rows of a block. */
#define READS  8
#define SPREAD 4
#define ROWS   32

/* From 0 on: a table of 8 rows and 16 columns. */
#define STRIDES 128

/* Neighbours with a place of their own. */
#define NEIGHBOURS 64

/* Elements from row to row of a block: not all rows are in one bank. */
#define BLOCK_PITCH 4098

/* At least this many reads for each word that is filled in. */
#define FILL_SHARE 32

#define CPU_ITEMS 256

enum space {
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

/* One curve: a space, and the bytes of an element. */
struct banks {
	enum space space;
	size_t bytes, elements; /* elements: how many there are to read */
	cl_mem data, out;
	cl_uint *right; /* [words of a group] */
};

/* How many elements are read at that x. */
static size_t elements_of(enum space space, size_t x)
{
	size_t behind = (READS - 1) * SPREAD + 1;

	return space == BLOCKS ? (ROWS - 1) * BLOCK_PITCH + x - 1 + behind
			       : (NEIGHBOURS - 1) * x + behind;
}

/* The first element of work-item l of a group. */
static size_t place_of(enum space space, size_t x, size_t l)
{
	return space == BLOCKS ? l % x + l / x % ROWS * BLOCK_PITCH
			       : l % NEIGHBOURS * x;
}

static size_t words_of_element(const struct banks *banks)
{
	return banks->bytes / sizeof(cl_uint);
}

static cl_uint right_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct banks *banks = sweep->context;

	return banks
		->right[i % (sweep->launch.group * words_of_element(banks))];
}

/* What a turn adds, from that place on. */
static uint64_t sum_of(const struct banks *banks, size_t place)
{
	size_t words = words_of_element(banks);
	uint64_t sum = 0;

	for (size_t j = 0; j < READS; j++) {
		size_t at = (place + j * SPREAD) * words;

		for (size_t w = 0; w < words; w++)
			sum += (uint64_t)session_word(at + w) << 32 * w;
	}
	return sum;
}

static void prepare(struct sweep *sweep, size_t i)
{
	struct banks *banks = sweep->context;
	size_t x = (size_t)sweep->x[i], words = words_of_element(banks);
	bool blocks = banks->space == BLOCKS;

	session_arguments(sweep->session, sweep->launch.kernel, 2,
		(struct argument[]){of_word(blocks ? x : NEIGHBOURS),
			of_word(blocks ? 1 : x),
			of_word(blocks ? BLOCK_PITCH : 0), of_word(0), {0}});
	for (size_t l = 0; l < sweep->launch.group; l++) {
		uint64_t sum = sweep->turns *
			       sum_of(banks, place_of(banks->space, x, l));

		for (size_t w = 0; w < words; w++)
			banks->right[l * words + w] = (cl_uint)(sum >> 32 * w);
	}
}

static void choose_x(struct sweep *sweep, enum space space, size_t elements)
{
	static const unsigned some[] = {0, 1, 2, 3, 4, 8, 16, 32};
	static const unsigned widths[] = {1, 2, 4, 8, 16, 32, 64};
	bool quick = sweep->session->options->quick;
	unsigned all[STRIDES];
	const unsigned *from = space == BLOCKS ? widths : quick ? some : all;
	size_t n = space == BLOCKS ? sizeof(widths) / sizeof(*widths)
		   : quick	   ? sizeof(some) / sizeof(*some)
				   : STRIDES;

	for (unsigned i = 0; i < STRIDES; i++)
		all[i] = i;
	while (n > 0 && elements_of(space, from[n - 1]) > elements)
		n--;
	sweep_over(sweep, from, n);
}

static cl_program build(struct session *session, size_t bytes)
{
	return session_build(session, "banks.cl", banks_cl,
		bytes == 8 ? "-Dword=ulong" : "-Dword=uint");
}

/* The units full of work-items, in groups as usual. */
static struct launch launch_all(struct session *session, cl_kernel kernel)
{
	size_t each = session->is_cpu ? CPU_ITEMS
				      : theory_unit_items(&session->theory);
	struct launch launch = {
		.kernel = kernel, .group = session_group(session, each)};

	launch.items = session->units * (each / launch.group) * launch.group;
	return launch;
}

static struct sweep sweep_of(struct session *session, struct banks *banks)
{
	const char *family = spaces[banks->space].family;
	struct sweep sweep = {.session = session,
		.name = session_text(
			session, "%zu B from %s", banks->bytes, family),
		.is = {.family = family,
			.member = session_text(session, "%zu B", banks->bytes),
			.x_name = spaces[banks->space].x_name,
			.x_unit = spaces[banks->space].x_unit,
			.drawn = banks->space == BLOCKS ? CURVE_ROW
							: CURVE_GRID},
		.prepare = prepare,
		.context = banks,
		.a_turn = (double)(READS * banks->bytes),
		.bound = {.what = NATIVE_READ, .bytes = 1, .panel = "read"}};

	if (banks->space == BLOCKS)
		sweep.is.x_axis = CURVE_COUNTS;
	choose_x(&sweep, banks->space, banks->elements);
	banks->elements = elements_of(
		banks->space, (size_t)sweep.x[sweep.n ? sweep.n - 1 : 0]);
	sweep.launch = launch_all(
		session, session_kernel(session, build(session, banks->bytes),
				 spaces[banks->space].kernel));
	return sweep;
}

/* Memory, what does not change, and the least turns. */
static void complete(struct sweep *sweep)
{
	struct session *session = sweep->session;
	struct banks *banks = sweep->context;
	size_t group = sweep->launch.group, turns = 1;
	size_t words = words_of_element(banks) * banks->elements;
	size_t n = sweep->launch.items * words_of_element(banks);
	bool local = banks->space == LOCAL;

	banks->out = session_buffer(session, n * sizeof(cl_uint));
	banks->right = session_memory(session, group * banks->bytes, "sums");
	if (!local) {
		banks->data = session_buffer(session, words * sizeof(cl_uint));
		session_fill(session, banks->data, words, NULL, NULL);
	}
	session_arguments(session, sweep->launch.kernel, 0,
		(struct argument[]){local ? of_local(words * sizeof(cl_uint))
					  : of_memory(banks->data),
			of_memory(banks->out), {0}});
	if (local)
		session_arguments(session, sweep->launch.kernel, 7,
			(struct argument[]){of_word(words), {0}});
	while (local && turns * READS * group < FILL_SHARE * words)
		turns *= 2;
	sweep->right = words_written(banks->out, n, right_word, sweep);
	sweep->loop = (struct loop){6, (cl_uint)turns, 1u << 20, SWEEP_LEAST_S};
}

/* "..., bytes a clock and unit by stride: 126 at 0, 126 at 1, ..." */
static void tell_clocks(const struct sweep *sweep)
{
	struct session *session = sweep->session;
	static const unsigned told[] = {0, 1, 2, 3, 4, 8, 16, 32, 64};
	double hz = 1e9 * clock_median_ghz(session) * session->units;
	struct text_list list = {.text = NULL};
	char *text;

	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		struct figure figure = sweep_figure_at(sweep, told[i]);

		if (figure.median * GIB / hz > 0)
			text_list_add(&list, ", ", "%.3g at %u",
				figure.median * GIB / hz, told[i]);
	}
	text = text_list_end(&list);
	if (text && *text)
		session_find(session, "%s, bytes a clock and unit by %s: %s",
			sweep->name, sweep->is.x_name, text);
	free(text);
}

static void run_banks(struct session *session)
{
	size_t local = session_local_bytes(session);
	struct theory theory = theory_of(&session->theory, THEORY_LOCAL);
	struct banks banks[2 * SPACES];
	struct sweep sweeps[2 * SPACES];
	size_t most = 0;

	for (size_t k = 0; k < 2 * SPACES; k++) {
		enum space space = (enum space)(k / 2);
		size_t bytes = k % 2 ? 8 : 4;

		most = elements_of(space, space == BLOCKS ? 64 : STRIDES - 1);
		if (space == LOCAL && most * bytes > local)
			most = local / bytes;
		banks[k] = (struct banks){
			.space = space, .bytes = bytes, .elements = most};
		sweeps[k] = sweep_of(session, &banks[k]);
		sweeps[k].bound.of = k % 2 ? &sweeps[k - 1] : NULL;
		session->all += (double)sweeps[k].n;
	}
	for (size_t k = 0; k < 2 * SPACES && session_ok(session); k++) {
		size_t at = session->result->n_curves;

		complete(&sweeps[k]);
		if (sweep_run(&sweeps[k], 1) == 0)
			tell_clocks(&sweeps[k]);
		/* The panel is complete. */
		if (k % 2 && banks[k].space == LOCAL)
			ceiling_show_theory(session, &theory, at);
	}
	if (!session->is_cpu)
		session_find(session,
			"for comparison: with 32 banks of 4 B, each serving "
			"one address at a time, stride 2 would take twice as "
			"long as stride 1, and stride 32 would take 32 times "
			"as long; an odd stride would cost nothing");
}

const struct test test_banks = {
	.name = "banks",
	.section = "gpu-strides",
	.set = GROUP_MEMORY,
	.summary = "strides in local memory and the first-level cache",
	.takes = TAKES_WORK_GROUP,
	.figures = {{.what = "local memory, 4 B, stride 1",
		.family = "local memory",
		.members = {"4 B"},
		.x = 1}},
	.run = run_banks,
};
