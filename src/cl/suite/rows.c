/*
 * Rows of an array, read in vectors of 16 words: what the kernels of rowcol.cl,
 * which read word by word, leave of the CPUs' bandwidth.
 *
 * The test times a kernel. Each work-item reads n words that lie side by side,
 * over the whole array and again until a run has read as much as a trial
 * of the native loop: a launch, which wakes one thread after the other, takes
 * longer than reading what a cache holds. The sum that each work-item writes is
 * not counted.
 *
 * At the best n the kernel and the native loop take turns, since what other
 * guests of a machine leave to this one changes: each round compares the best
 * run of either. A thread of the native loop reads its own part again and
 * again. Threads of OpenCL take groups as these come, so that each reads all of
 * the array: where only a part of it fits into a CPU's own cache, that is
 * slower by what the next cache is.
 *
 * The array is memory of the host, in large pages as that of the native loop:
 * an implementation's own has small ones, which cost a tenth to a fifth of the
 * rate where no cache holds the array.
 */
#include "cl/suite/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/suite/rows_cl.h"
#include "cl/tests.h"
#include "cl/turns.h"
#include "machine/memory.h"

/* Words per work-item: doublings from a vector's on; two with --quick. */
#define LEAST_N 16
#define MOST_N	512

struct rows {
	size_t words, turns;
	struct memory memory; /* of data */
	cl_mem data, sums;
	cl_uint *right; /* of each piece */
};

static cl_uint first_word(const void *context, size_t i)
{
	(void)context;
	return session_word(i);
}

/* All turns read the same pieces. */
static cl_uint right_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct rows *rows = sweep->context;

	return rows->right[i % (sweep->launch.items / rows->turns)];
}

static void prepare(struct sweep *sweep, size_t point)
{
	struct rows *rows = sweep->context;
	size_t n = (size_t)sweep->x[point], pieces = rows->words / n;

	for (size_t piece = 0; piece < pieces; piece++) {
		rows->right[piece] = 0;
		for (size_t i = piece * n; i < (piece + 1) * n; i++)
			rows->right[piece] += session_word(i);
	}
	sweep->launch.items = pieces * rows->turns;
	sweep->launch.group =
		session_group(sweep->session, sweep->launch.items);
	/* Another round has the same sums. */
	sweep->right.n = sweep->launch.items;
	sweep->right.summed = pieces;
	session_arguments(sweep->session, sweep->launch.kernel, 0,
		(struct argument[]){of_memory(rows->data),
			of_memory(rows->sums), of_word(pieces), of_word(n),
			{0}});
}

/* All n; returns the place of that with the best median. */
static size_t measure_curve(struct sweep *sweep)
{
	double best_s = INFINITY;
	size_t best = 0;

	sweep_begin(sweep);
	for (size_t i = 0; i < sweep->n && session_ok(sweep->session); i++) {
		struct timing timing = sweep_measure(sweep, i);

		if (sweep_put(sweep, i, &timing) && timing.median_s < best_s) {
			best_s = timing.median_s;
			best = i;
		}
		if (session_ok(sweep->session))
			session_advance(sweep->session, sweep->work);
	}
	return best;
}

/* The kernel and the native loop in turn, and what is found. */
static void compare(struct sweep *sweep, size_t best, size_t rounds)
{
	const struct rows *rows = sweep->context;
	struct session *session = sweep->session;
	double read[TURNS_ROUNDS], native[TURNS_ROUNDS];
	struct turns turns;
	char what[128];

	for (size_t i = 0; i < rounds && session_ok(session); i++) {
		session->rc =
			native_rate(session->machine, session->options->cpus,
				NATIVE_READ, rows->words * sizeof(cl_uint),
				&native[i], session->err);
		read[i] =
			sweep->amount / sweep_measure(sweep, best).min_s / GIB;
		if (session_ok(session))
			session_advance(session, sweep->work);
	}
	if (session->rc)
		return;
	turns = turns_of(read, native, rounds);
	snprintf(what, sizeof(what), "%s, elements %.0f, best runs",
		sweep->name, sweep->x[best]);
	if (ceiling_holds(session, sweep->ceiling, turns.one, what))
		session_find(session,
			"rows in vectors, %s, %.0f elements per item, "
			"measured again in turns with the native loop: %.4g "
			"GiB/s, native %.4g; within a round %.0f %% of native "
			"(%.0f to %.0f)",
			sweep->member, sweep->x[best], turns.one, turns.other,
			turns.ratio * 100, turns.low * 100, turns.high * 100);
}

/* In pages as large as those of the native loop, if the device takes these. */
static void open_data(struct session *session, struct rows *rows)
{
	const struct memory_request request = {
		.bytes = rows->words * sizeof(cl_uint),
		.node = MEMORY_ANY_NODE,
		.pages = MEMORY_PAGES_AUTO,
		.untouched = true,
	};
	cl_int code;

	session->rc = memory_map(
		&rows->memory, session->machine, &request, session->err);
	if (session->rc)
		return;
	rows->data = clCreateBuffer(session->context,
		CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, request.bytes,
		rows->memory.base, &code);
	rows->data = session_own(
		session, rows->data, code, "a buffer on the device");
	session_fill(session, rows->data, rows->words, first_word, NULL);
}

void rows_measure(struct session *session, const char *label, size_t side,
	struct ceiling *ceiling)
{
	bool quick = session->options->quick;
	size_t rounds = quick ? TURNS_QUICK_ROUNDS : TURNS_ROUNDS;
	size_t mark = session_mark(session);
	size_t bytes = side * side * sizeof(cl_uint), most;
	struct rows rows = {.words = side * side, .turns = 1};
	struct sweep sweep = {.session = session,
		.family = "rows in vectors, read",
		.member = label,
		.part = ROWCOL_VECTORS,
		.x_name = "elements per item",
		.prepare = prepare,
		.spoiled = true,
		.ceiling = ceiling,
		.context = &rows};

	/* As much as a trial of the native loop; groups divide a power of two.
	 */
	while (rows.turns * bytes <
		NATIVE_BYTES_A_CPU * session->options->cpus->n)
		rows.turns *= 2;
	most = rows.words * rows.turns / LEAST_N;
	open_data(session, &rows);
	rows.sums = session_buffer(session, most * sizeof(cl_uint));
	rows.right = session_memory(session,
		rows.words / LEAST_N * sizeof(cl_uint), "the sums of rows");
	sweep.launch.kernel = session_kernel(session,
		session_build(session, "rows.cl", rows_cl, NULL), "read_rows");
	sweep.right = words_of(rows.sums, most, right_word, &sweep);
	sweep.amount = (double)(bytes * rows.turns);
	snprintf(sweep.name, sizeof(sweep.name),
		"read in vectors in rows of %s", label);
	sweep_up_to(&sweep, quick ? 64 : LEAST_N, MOST_N, quick ? 8 : 2);
	sweep.work = (double)bytes / (double)(sweep.n + rounds);
	if (session_ok(session))
		compare(&sweep, measure_curve(&sweep), rounds);
	ceiling_show(session, ceiling,
		&(struct ceiling_line){NULL, NULL, sweep.at, 0, INFINITY});
	session_release(session, mark);
	if (rows.memory.base)
		memory_release(&rows.memory);
}
