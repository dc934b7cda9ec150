/*
 * Chains through constant memory (section 2.3.3, formula 2, figure 22).
 *
 * The test times a kernel. The array says array[i] = (i + stride) % words. Each
 * work-item begins at its global number and goes on where each read sends it.
 * Many work-items give the rate, which is the paper's figure. One alone gives
 * the latency: each read waits for the one before. The last place, which each
 * work-item writes, is not counted.
 *
 * The paper does not say how long the array is: here it is 64 KiB, or as much
 * as the device allows. A chain goes through words / stride places and round
 * again, each in another line from stride 16 on. Neighbours are one word apart,
 * whatever the stride. With PoCL 3.1 a turn is 16 dependent loads.
 *
 * Bias: prefetchers look for a regular order. A CPU's constant memory is
 * ordinary memory, and short chains overlap with the next: the number of turns
 * makes them long. The ceiling of the rate is that of plain reading; a chain
 * without vectors stays far below it.
 */
#include <errno.h>

#include "cl/suite/constant_cl.h"
#include "cl/sweep.h"
#include "cl/tests.h"

#define LEAST_BYTES ((size_t)1 << 10)
#define MOST_STRIDE 128

/*
 * Turns of a chain, and of one alone. With the read before them these make
 * 4,113 and 65,553 reads, no multiples of an array's length, so the end of a
 * chain shows if a read is missing.
 */
#define TURNS	    257
#define MOST_TURNS  (1u << 16)
#define ALONE_TURNS 4097

struct chains {
	size_t words, stride;
	cl_mem next, out;
};

static size_t reads_of(const struct sweep *sweep)
{
	return (size_t)sweep->turns * SWEEP_UNROLLED + 1;
}

static cl_uint next_word(const void *context, size_t i)
{
	const struct chains *chains = context;

	return (cl_uint)((i + chains->stride) % chains->words);
}

/* Where the chain from i ends. */
static cl_uint right_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct chains *chains = sweep->context;

	return (cl_uint)((i + reads_of(sweep) * chains->stride) %
			 chains->words);
}

static void prepare(struct sweep *sweep, size_t i)
{
	struct chains *chains = sweep->context;

	chains->stride = (size_t)sweep->x[i];
	session_fill(
		sweep->session, chains->next, chains->words, next_word, chains);
	session_arguments(sweep->session, sweep->launch.kernel, 0,
		(struct argument[]){of_memory(chains->next),
			of_memory(chains->out), of_word(chains->words - 1),
			of_word(sweep->turns), {0}});
	sweep->amount = (double)reads_of(sweep);
	if (sweep->shows == SHOWS_RATE)
		sweep->amount *=
			(double)(sweep->launch.items * sizeof(cl_uint));
}

static void find(const struct sweep *many, const struct sweep *alone)
{
	const struct chains *chains = many->context;
	struct figure figures[SWEEP_MOST];
	char text[FIGURE_BYTES];
	size_t least, most;

	sweep_figures(alone, figures);
	least = figure_least(figures, alone->n);
	most = figure_most(figures, alone->n);
	session_find(many->session,
		"%zu KiB of constant memory, %zu work-items in groups of %zu, "
		"%zu reads each",
		chains->words * sizeof(cl_uint) >> 10, many->launch.items,
		many->launch.group, reads_of(many));
	if (least < alone->n)
		session_find(many->session,
			"a read that waits for the one before takes at least "
			"%.3g ns (stride %.0f); with the slowest stride, "
			"%.0f: %s",
			figures[least].median, alone->x[least], alone->x[most],
			figure_times(figure_over(figures[most], figures[least]),
				"long", text));
}

/* The user's size, or as much as the device allows. */
static size_t choose_bytes(struct session *session)
{
	size_t most = session_fact(session, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
	size_t bytes = session_size(session, (size_t)64 << 10);

	while (!session->options->size_bytes && bytes > most &&
		bytes > LEAST_BYTES)
		bytes /= 2;
	if (bytes > most)
		session_error(session, ERROR_UNAVAILABLE, ENOTSUP,
			"the device allows a kernel %zu KiB of constant "
			"memory: choose a smaller --size",
			most >> 10);
	return bytes;
}

static void run_constant(struct session *session)
{
	static const unsigned compared[] = {16, 128};
	bool quick = session->options->quick;
	size_t bytes = choose_bytes(session);
	size_t items = session_items(session, (size_t)session->units * 2048);
	struct chains chains = {
		.words = bytes / sizeof(cl_uint),
		.next = session_buffer(session, bytes),
		.out = session_buffer(session, items * sizeof(cl_uint)),
	};
	struct launch launch = launch_of(session,
		session_build(session, "constant.cl", constant_cl, NULL),
		"follow", items);
	struct sweep sweeps[] = {
		{.name = "constant memory, many work-items",
			.is = {.family = "constant memory",
				.member = "many work-items"},
			.launch = launch,
			.loop = {3, TURNS, MOST_TURNS, SWEEP_LEAST_S},
			/* All CPUs read all of it. */
			.bound.bytes = bytes * session->options->cpus->n,
			.compared = compared,
			.n_compared = 2},
		{.name = "constant memory, one work-item",
			.is = {.family = "latency", .member = "one work-item"},
			.shows = SHOWS_STEP,
			.launch = {launch.kernel, 1, 1, true},
			.turns = ALONE_TURNS},
	};

	for (size_t k = 0; k < 2; k++) {
		struct sweep *sweep = &sweeps[k];

		sweep->session = session;
		sweep->is.x_name = "stride";
		sweep->is.x_unit = "words";
		for (unsigned stride = 1; stride <= MOST_STRIDE;
			stride *= quick && stride < 16 ? 4 : 2)
			sweep_over(sweep, &stride, 1);
		sweep->prepare = prepare;
		/* What it is spoiled with cannot be the end of a chain. */
		sweep->right = words_written(
			chains.out, sweep->launch.items, right_word, sweep);
		sweep->context = &chains;
	}
	session->all = 2.0 * (double)sweeps[0].n;
	if (sweep_run(sweeps, 2) == 0)
		find(&sweeps[0], &sweeps[1]);
}

const struct test test_constant = {
	.name = "constant",
	.section = "2.3.3",
	.summary = "Chains of reads from constant memory",
	.takes = TAKES_SIZE | TAKES_WORK_ITEMS | TAKES_WORK_GROUP | TAKES_SWEEP,
	.memory_by = TAKES_SIZE | TAKES_WORK_ITEMS,
	.size = {SIZE_POWER, LEAST_BYTES, (uint64_t)1 << 30},
	.article_group = ARTICLE_GROUP,
	.figures = {{.what = "constant memory read",
		.family = "constant memory",
		.members = {"many work-items"}}},
	.run = run_constant,
};
