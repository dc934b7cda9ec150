/*
 * Read rows of an array in vectors of 16 words. This test shows the bandwidth
 * that the kernels of rowcol.cl lose because they read word by word.
 *
 * The test times a kernel whose work-items each read n consecutive words. A run
 * reads the whole array repeatedly, until the run has read as many bytes as a
 * trial of the native loop. A launch wakes the threads one by one, which takes
 * longer than reading a cache. The rate does not count the sums.
 *
 * At the best n c2c alternates the kernel and the native loop, because the load
 * of other guests varies. A native thread reads its own part again and again.
 * OpenCL's threads take consecutive groups, several at a time. The array
 * therefore has as many parts as CPUs, and consecutive groups read the same
 * part. With any other order each thread would read the whole array, although a
 * part may fit a private cache. If two threads read the same part
 * simultaneously, the bound is the rate of native threads that share a part.
 */
#include "cl/suite/rowcol.h"

#include <math.h>

#include "cl/suite/rows_cl.h"

/* Words per work-item: doublings from one vector on; two with --quick. */
#define LEAST_N 16
#define MOST_N	512

struct vector_rows {
	size_t words, turns, parts; /* powers of two */
	cl_mem data, sums;
	cl_uint *expected; /* sum of each piece */
};

/* Return the sum of work-item i. All turns of a part read the same pieces. */
static cl_uint rows_expected_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct vector_rows *rows = sweep->context;
	size_t part = sweep->expected.summed;

	return rows->expected[i / sweep->expected.apart * part + i % part];
}

static void rows_prepare(struct sweep *sweep, size_t point)
{
	struct vector_rows *rows = sweep->context;
	size_t n = (size_t)sweep->x[point], pieces = rows->words / n;

	for (size_t piece = 0; piece < pieces; piece++) {
		rows->expected[piece] = 0;
		for (size_t i = piece * n; i < (piece + 1) * n; i++)
			rows->expected[piece] += session_word(i);
	}
	launch_resize(sweep->session, &sweep->launch, pieces * rows->turns);
	/* Further rounds have the same expected sums. */
	sweep->expected.n = sweep->launch.items;
	sweep->expected.summed = pieces / rows->parts;
	sweep->expected.apart = sweep->expected.summed * rows->turns;
	session_arguments(sweep->session, sweep->launch.kernel, 0,
		memory_argument(rows->data), memory_argument(rows->sums),
		word_argument(rowcol_log(sweep->expected.summed)),
		word_argument(rowcol_log(sweep->expected.apart)),
		word_argument(n));
}

static void rows_compare_native(struct sweep *sweep, size_t rounds)
{
	const struct vector_rows *rows = sweep->context;
	struct session *session = sweep->session;
	const struct native_work work = {NATIVE_READ,
		.bytes = rows->words * sizeof(cl_uint),
		.stop = session->options->stop};
	double read[INTERLEAVED_ROUNDS], native[INTERLEAVED_ROUNDS];
	struct native_rate rate;
	struct interleaved_ratio turns;
	struct median_interval one;
	size_t best = sweep_best(sweep) % sweep->n;
	for (size_t i = 0; i < rounds && session_ok(session); i++) {
		session->rc = native_measure(session->machine,
			session->options->cpus, &work, &rate, session->err);
		native[i] = rate.median;
		read[i] = sweep->amount / sweep_measure(sweep, best).median_s /
			  GIB;
	}
	if (session->rc)
		return;
	turns = compare_interleaved(read, native, rounds);
	one = (struct median_interval){turns.one, NAN, NAN};
	if (ceiling_either_allows(session, sweep->bound.ceiling,
		    sweep->bound.other, one, CEILING_TRIES) ||
		ceiling_check_rate(session, sweep->bound.other, one,
			session_text(session, "%s, elements %.0f, in turns",
				sweep->name, sweep->x[best])))
		session_add_finding(session,
			"rows in vectors, %s, %.0f elements per item, measured "
			"again in alternation with the native loop: %s GiB/s, "
			"native %s; within a round %.0f %% of native (%.0f to "
			"%.0f)",
			sweep->facts.member, sweep->x[best],
			session_number(session, turns.one),
			session_number(session, turns.other), turns.ratio * 100,
			turns.low * 100, turns.high * 100);
}

void rows_measure(struct session *session, const char *label, size_t side,
	struct ceiling *ceiling)
{
	bool quick = session->options->quick;
	size_t rounds = quick ? INTERLEAVED_QUICK_ROUNDS : INTERLEAVED_ROUNDS;
	size_t mark = session_mark(session);
	size_t bytes = side * side * sizeof(cl_uint), most;
	struct vector_rows rows = {
		.words = side * side, .turns = 1, .parts = 1};
	struct ceiling together = {.what = NATIVE_READ, .shared = true};
	struct sweep sweep = {.session = session,
		.name = session_text(
			session, "read in vectors in rows of %s", label),
		.facts = {.family = "rows in vectors, read",
			.member = label,
			.x_name = "elements per item"},
		.prepare = rows_prepare,
		.bound = {.ceiling = ceiling, .other = &together},
		.context = &rows};

	/* Read as much as a native trial. Groups divide a power of two. */
	while (rows.turns * bytes <
		NATIVE_BYTES_A_CPU * session->options->cpus->n)
		rows.turns *= 2;
	while (rows.parts < session->units && rows.parts < side)
		rows.parts *= 2;
	together.bytes = bytes / rows.parts;
	ceiling_measure(session, &together);
	most = rows.words * rows.turns / LEAST_N;
	rows.data = session_buffer(session, bytes);
	session_fill(session, rows.data, rows.words, NULL, NULL);
	rows.sums = session_buffer(session, most * sizeof(cl_uint));
	rows.expected = session_memory(session,
		rows.words / LEAST_N * sizeof(cl_uint), "the sums of rows");
	sweep.launch.kernel = session_kernel(session,
		session_build(session, "rows.cl", rows_cl, NULL), "read_rows");
	sweep.expected = (struct expected_words){.buffer = rows.sums,
		.n = most,
		.at = rows_expected_word,
		.poisoned = true};
	sweep.amount = (double)(bytes * rows.turns);
	sweep_up_to(&sweep, quick ? 64 : LEAST_N, MOST_N, quick ? 8 : 2);
	sweep.work = (double)bytes;
	if (sweep_run(&sweep, 1) == 0)
		rows_compare_native(&sweep, rounds);
	ceiling_show(session, ceiling,
		&(struct ceiling_line){NULL, NULL, sweep.at, 0, INFINITY});
	session_release(session, mark);
}
