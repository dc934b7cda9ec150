/*
 * Measure chains through constant memory (section 2.3.3, formula 2, figure 22),
 * and vectors that all work-items read simultaneously.
 *
 * The test times kernels. The array contains array[i] = (i + stride) % words.
 * Each work-item begins at its global number, and each read returns the next
 * index. Many work-items measure the rate, the paper's figure. A single
 * work-item measures the latency: each read waits for the previous read. Eight
 * chains in a work-item show whether a device overlaps reads. Each work-item
 * writes its last index, which the rate does not count.
 *
 * The paper does not state the size of the array: c2c uses 64 KiB, or as much
 * as the device allows. A chain returns after words / stride reads; from stride
 * 16 on each read is in a different line. Neighbouring work-items are one word
 * apart at any stride. PoCL 3.1 compiles a turn to 16 dependent loads, or to 16
 * for each of eight registers.
 *
 * The work-items of the chains read different words. Constant memory is made
 * for one word that all work-items read, so another kernel reads a whole table
 * again and again, in vectors. The table is part of the program, because
 * NVIDIA's compiler does not put arguments into constant memory; this kernel is
 * untested on NVIDIA GPUs.
 *
 * Bias: prefetchers detect regular orders. A CPU's constant memory is ordinary
 * memory. Short chains of successive work-items would overlap, so a large
 * number of turns makes chains long. The ceiling is the rate of plain reading;
 * a chain without vectors is far below this rate.
 */
#include <string.h>

#include "cl/suite/constant_cl.h"
#include "cl/sweep.h"

#define LEAST_BYTES ((size_t)1 << 10)
#define MOST_STRIDE 128

/*
 * Numbers of turns of many chains, and of a single chain. With one read before
 * the loop, the chains have 4,113 and 65,553 reads. Neither is a multiple of an
 * array's length, so a missing read changes the end of a chain.
 */
#define TURNS	    257
#define MOST_TURNS  (1u << 16)
#define ALONE_TURNS 4097

/* Chains, and turns for as many reads in each as in one chain: 529. */
#define MOST_CHAINS 8
#define EIGHT_TURNS 33

/* The array and its sweeps; a sweep's kind is its number of chains. */
struct constant_chains {
	size_t words, stride;
	cl_mem next, out;
};

static size_t constant_chain_reads(const struct sweep *sweep)
{
	return (size_t)sweep->turns * SWEEP_UNROLLED + 1;
}

static cl_uint constant_fill_word(const void *context, size_t i)
{
	const struct constant_chains *chains = context;

	return (cl_uint)((i + chains->stride) % chains->words);
}

/* Return the last index of chain i. Starts are evenly spaced. */
static cl_uint constant_expected_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct constant_chains *chains = sweep->context;
	size_t apart = chains->words / sweep->kind;
	size_t begin = i / sweep->kind + i % sweep->kind * apart;

	return (cl_uint)((begin +
				 constant_chain_reads(sweep) * chains->stride) %
			 chains->words);
}

static void constant_prepare(struct sweep *sweep, size_t i)
{
	struct constant_chains *chains = sweep->context;

	chains->stride = (size_t)sweep->x[i];
	session_fill(sweep->session, chains->next, chains->words,
		constant_fill_word, chains);
	session_arguments(sweep->session, sweep->launch.kernel, 0,
		memory_argument(chains->next), memory_argument(chains->out),
		word_argument(chains->words - 1), word_argument(sweep->turns));
	sweep->amount = (double)constant_chain_reads(sweep);
	if (sweep->shows == SHOWS_RATE)
		sweep->amount *= (double)(sweep->expected.n * sizeof(cl_uint));
}

static void constant_conclude(const struct sweep *many,
	const struct sweep *eight, const struct sweep *alone)
{
	const struct constant_chains *chains = many->context;

	session_add_finding(many->session,
		"%zu KiB of constant memory, %zu work-items in groups of %zu, "
		"%zu reads each",
		chains->words * sizeof(cl_uint) >> 10, many->launch.items,
		many->launch.group, constant_chain_reads(many));
	sweep_compare(eight, 0, many, 0);
	sweep_report_best(alone, 0);
	sweep_compare(alone, sweep_worst(alone), alone, sweep_best(alone));
}

/* Return the user's size, or as much as the device allows. */
static size_t constant_choose_bytes(struct session *session)
{
	size_t most = session_fact(session, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
	size_t bytes = session_size(session, (size_t)64 << 10);

	while (!session->options->size_bytes && bytes > most &&
		bytes > LEAST_BYTES)
		bytes /= 2;
	if (bytes > most)
		session_refuse(session,
			"the device allows a kernel %zu KiB of constant "
			"memory: choose a smaller --size",
			most >> 10);
	return bytes;
}

static void constant_complete(
	struct sweep *sweep, struct constant_chains *chains)
{
	static const unsigned some[] = {1, 16, MOST_STRIDE};
	struct session *session = sweep->session;

	sweep->facts.x_name = "stride";
	sweep->facts.x_unit = "words";
	if (session->options->quick)
		sweep_over(sweep, some, N_OF(some));
	else if (session->options->fine)
		sweep_step_to(sweep, 1, MOST_STRIDE, 1);
	else
		sweep_up_to(sweep, 1, MOST_STRIDE, 2);
	sweep->prepare = constant_prepare;
	/* No chain can end at the value SESSION_UNWRITTEN. */
	sweep->expected = (struct expected_words){.buffer = chains->out,
		.n = sweep->launch.items * sweep->kind,
		.at = constant_expected_word,
		.poisoned = true};
	sweep->context = chains;
}

static void constant_measure_chains(
	struct session *session, size_t bytes, size_t items)
{
	static const unsigned compared[] = {16, 128};
	struct constant_chains chains = {
		.words = bytes / sizeof(cl_uint),
		.next = session_buffer(session, bytes),
		.out = session_buffer(
			session, items * MOST_CHAINS * sizeof(cl_uint)),
	};
	cl_program program =
		session_build(session, "constant.cl", constant_cl, NULL);
	struct launch many = launch_of(session, program, "follow", items);
	struct launch eight =
		launch_of(session, program, "follow_eight", items);
	struct sweep sweeps[] = {
		{.name = "constant memory, many work-items",
			.facts = {.family = "constant memory",
				.member = "many work-items"},
			.launch = many,
			.loop = {3, TURNS, MOST_TURNS, SWEEP_LEAST_S},
			.kind = 1,
			/* All CPUs read the whole array. */
			.bound = {.bytes = bytes * session->options->cpus->n,
				.panel = "read"},
			.compared = compared,
			.n_compared = 2},
		{.name = "constant memory, eight chains a work-item",
			.facts = {.family = "constant memory",
				.member = "eight chains a work-item"},
			.launch = eight,
			.loop = {3, EIGHT_TURNS, MOST_TURNS, SWEEP_LEAST_S},
			.kind = MOST_CHAINS,
			.bound = {.bytes = bytes * session->options->cpus->n,
				.of = &sweeps[0]}},
		{.name = "constant memory, one work-item",
			.facts = {.family = "latency",
				.member = "one work-item"},
			.shows = SHOWS_STEP,
			.launch = launch_singly(many.kernel, 1),
			.turns = ALONE_TURNS,
			.kind = 1},
	};

	for (size_t k = 0; k < 3; k++) {
		sweeps[k].session = session;
		constant_complete(&sweeps[k], &chains);
	}
	if (sweep_run(sweeps, 3) == 0)
		constant_conclude(&sweeps[0], &sweeps[1], &sweeps[2]);
}

struct constant_table {
	size_t width; /* words in a vector */
	cl_mem out;
	cl_uint expected[SESSION_MOST_WIDTH]; /* result of each work-item */
};

/* Read the first x bytes of the table, in an odd number of rounds. */
static void constant_prepare_table(struct sweep *sweep, size_t point)
{
	struct session *session = sweep->session;
	struct constant_table *table = sweep->context;
	size_t words = (size_t)sweep->x[point] / sizeof(cl_uint);

	memset(table->expected, 0, sizeof(table->expected));
	for (size_t i = 0; i < words; i++)
		table->expected[i % table->width] ^= session_word(i);
	session_arguments(session, sweep->launch.kernel, 0,
		memory_argument(table->out),
		word_argument(words / table->width), word_argument(0));
	sweep->a_turn = sweep->x[point];
	/* All CPUs read the whole table. */
	sweep->bound.bytes =
		(size_t)sweep->x[point] * session->options->cpus->n;
}

static void constant_measure_table(
	struct session *session, size_t bytes, size_t items)
{
	size_t most = min_size(bytes, session_table_bytes(session));
	struct constant_table table = {.width = session_width(session)};
	struct sweep sweep = {.session = session,
		.name = "constant memory, one address for all",
		.facts = {.family = "constant memory, one address",
			.member = "read",
			SWEEP_SIZES},
		.prepare = constant_prepare_table,
		.loop = {3, 1, 1u << 16, SWEEP_LEAST_S},
		.turns_vary = true,
		.odd_turns = true,
		.context = &table};

	sweep_up_to(&sweep, LEAST_BYTES, most, session->options->quick ? 4 : 2);
	sweep.launch = launch_of(session,
		session_build_table(session, "constant.cl", constant_cl,
			session_text(session, "-DWORDS=%zu", table.width), NULL,
			most / sizeof(cl_uint)),
		"read_same", items);
	table.out =
		session_buffer(session, items * table.width * sizeof(cl_uint));
	sweep.expected = (struct expected_words){.buffer = table.out,
		.n = items * table.width,
		.list = table.expected,
		.listed = table.width,
		.poisoned = true};
	sweep_run(&sweep, 1);
}

static void run_constant(struct session *session)
{
	size_t bytes = constant_choose_bytes(session);
	size_t items = session_items(session, (size_t)session->units * 2048);

	session->all = 4;
	constant_measure_chains(session, bytes, items);
	constant_measure_table(session, bytes, items);
}

const struct test test_constant = {
	.name = "constant",
	.section = "2.3.3",
	.source = SOURCE_SUITE "2.3.3, formula 2, figure 22",
	.published = {"--work-items=32768", "--work-group=32", "--fine"},
	.summary = "constant memory: rate, and latency of a chain of reads",
	.takes = TAKES_SIZE | TAKES_WORK_ITEMS | TAKES_WORK_GROUP |
		 TAKES_SWEEP | TAKES_FINE,
	.memory_by = TAKES_SIZE | TAKES_WORK_ITEMS,
	.size = {SIZE_POWER, LEAST_BYTES, (uint64_t)1 << 30},
	.article_group = ARTICLE_GROUP,
	.figures = {{.what = "constant memory, one address",
			    .family = "constant memory, one address",
			    .members = {"read"}},
		{.what = "constant memory read",
			.family = "constant memory",
			.members = {"many work-items"}}},
	.run = run_constant,
};
