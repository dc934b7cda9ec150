/*
 * Rows of an array, read in vectors of 16 words: what the kernels of rowcol.cl,
 * which read word by word, leave of the CPUs' bandwidth.
 *
 * Timed is a kernel in which each work-item reads n words that lie side by
 * side, over the whole array and again until a run has read as much as a trial
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

#include "cl/suite/rows_cl.h"
#include "cl/turns.h"
#include "machine/memory.h"

/* Words per work-item: doublings from a vector's on; two with --quick. */
#define LEAST_N	     16
#define N_POINTS     6
#define QUICK_POINTS 2

struct rows {
	struct cl_session *session;
	const char *label;
	size_t words, turns;
	struct memory memory; /* of data */
	cl_mem data, sums;
	cl_kernel kernel;
	struct ceiling *ceiling;
	struct rowcol_work *work;
	size_t at; /* the curve */
};

static const size_t quick_ns[QUICK_POINTS] = {64, 512};

static size_t n_at(bool quick, size_t i)
{
	return quick ? quick_ns[i] : (size_t)LEAST_N << i;
}

/* A point or a round is done. */
static void advance(const struct rows *rows)
{
	bool quick = rows->session->options->quick;
	size_t parts = quick ? QUICK_POINTS + TURNS_QUICK_ROUNDS
			     : N_POINTS + TURNS_ROUNDS;

	rows->work->done +=
		(double)(rows->words * sizeof(cl_uint)) / (double)parts;
	session_progress(rows->session, rows->work->done / rows->work->all);
}

static int fill(const struct rows *rows, struct error *err)
{
	void *data;
	int rc = session_map(rows->session, rows->data,
		rows->words * sizeof(cl_uint), true, &data, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < rows->words; i++)
		((cl_uint *)data)[i] = session_word(i);
	return session_unmap(rows->session, rows->data, data, err);
}

/* Whether each work-item's sum is that of its words. */
static int check(const struct rows *rows, size_t n, struct cl_timing *timing,
	struct error *err)
{
	size_t pieces = rows->words / n, items = pieces * rows->turns;
	bool same = true;
	void *sums;
	int rc = session_map(rows->session, rows->sums, items * sizeof(cl_uint),
		false, &sums, err);

	if (rc < 0)
		return rc;
	for (size_t piece = 0; piece < pieces; piece++) {
		cl_uint sum = 0;

		for (size_t i = piece * n; i < (piece + 1) * n; i++)
			sum += session_word(i);
		for (size_t g = piece; g < items; g += pieces)
			same = same && ((const cl_uint *)sums)[g] == sum;
	}
	session_sum_words(timing, sums, pieces * sizeof(cl_uint));
	rc = session_unmap(rows->session, rows->sums, sums, err);
	if (rc == 0 && !same)
		rc = error_set(err, ERROR_FAILURE, EIO,
			"what the kernel read in vectors in rows of %s, %zu "
			"elements per work-item, is not what the host "
			"computes: this implementation of OpenCL computes "
			"wrongly, and its times mean nothing",
			rows->label, n);
	return rc;
}

static int time_rows(const struct rows *rows, size_t n,
	struct cl_timing *timing, struct error *err)
{
	cl_uint pieces = (cl_uint)(rows->words / n), words = (cl_uint)n;
	size_t items = rows->words / n * rows->turns;
	int rc =
		session_argument(rows->kernel, 2, sizeof(pieces), &pieces, err);

	if (rc == 0)
		rc = session_argument(
			rows->kernel, 3, sizeof(words), &words, err);
	/* Another round has the same sums. */
	if (rc == 0)
		rc = session_spoil(rows->session, rows->sums,
			items * sizeof(cl_uint), err);
	if (rc == 0)
		rc = session_time(rows->session, rows->kernel, items,
			session_group(rows->session, items), timing, err);
	return rc == 0 ? check(rows, n, timing, err) : rc;
}

static double rate_of(const struct rows *rows, double s)
{
	return (double)(rows->words * sizeof(cl_uint) * rows->turns) / s /
	       CL_GIB;
}

/* All n; *best is that with the best median. */
static int measure_curve(struct rows *rows, size_t *best, struct error *err)
{
	struct cl_session *session = rows->session;
	bool quick = session->options->quick;
	size_t points = quick ? QUICK_POINTS : N_POINTS;
	const struct curve_facts facts = {
		.family = "rows in vectors, read",
		.x_name = "elements",
		.x_unit = "per item",
		.y_unit = "GiB/s",
		.part = ROWCOL_VECTORS,
	};
	double best_s = INFINITY;
	size_t at;
	int rc;

	rc = curve_add(session, rows->label, &facts, points, &at, err);
	rows->at = at;
	for (size_t i = 0; i < points && rc == 0; i++)
		curve_place(session, at, i, (double)n_at(quick, i));
	for (size_t i = 0; i < points && rc == 0; i++) {
		size_t n = n_at(quick, i);
		struct cl_timing timing = timing_none();
		bool holds = true;
		double rate;

		rc = time_rows(rows, n, &timing, err);
		if (rc < 0)
			break;
		rate = rate_of(rows, timing.median_s);
		rc = ceiling_check(session, rows->ceiling, rate, &holds, err);
		if (rc == 0 && !holds)
			rc = curve_reject(session, err,
				"read of %s, rows in vectors, %zu elements per "
				"work-item: %.3g GiB/s is above the %.3g GiB/s "
				"that the CPUs do natively",
				rows->label, n, rate, rows->ceiling->gib_per_s);
		else if (rc == 0)
			curve_put_rate(session, at, i, (double)n,
				rate * CL_GIB * timing.median_s, &timing);
		if (holds && timing.median_s < best_s) {
			best_s = timing.median_s;
			*best = n;
		}
		advance(rows);
	}
	return rc;
}

/* The kernel and the native loop in turn, and what is found. */
static int compare(const struct rows *rows, size_t n, struct error *err)
{
	struct cl_session *session = rows->session;
	size_t rounds =
		session->options->quick ? TURNS_QUICK_ROUNDS : TURNS_ROUNDS;
	double read[TURNS_ROUNDS], native[TURNS_ROUNDS];
	struct turns turns;
	bool holds;
	int rc = 0;

	for (size_t i = 0; i < rounds && rc == 0; i++) {
		struct cl_timing timing = timing_none();

		rc = native_rate(session->machine, session->options->cpus,
			NATIVE_READ, rows->words * sizeof(cl_uint), &native[i],
			err);
		if (rc == 0)
			rc = time_rows(rows, n, &timing, err);
		if (rc < 0)
			return rc;
		read[i] = rate_of(rows, timing.min_s);
		advance(rows);
	}
	turns = turns_of(read, native, rounds);
	rc = ceiling_check(session, rows->ceiling, turns.one, &holds, err);
	if (rc < 0)
		return rc;
	if (!holds)
		return curve_reject(session, err,
			"read of %s, rows in vectors, %zu elements per "
			"work-item: the median %.4g GiB/s of the best runs is "
			"above the %.4g GiB/s that the CPUs do natively",
			rows->label, n, turns.one, rows->ceiling->gib_per_s);
	return curve_finding(session, err,
		"rows in vectors, %s, %zu elements per item, measured again in "
		"turns with the native loop: %.4g GiB/s beside %.4g, within a "
		"round %.0f %% (%.0f to %.0f)",
		rows->label, n, turns.one, turns.other, turns.ratio * 100,
		turns.low * 100, turns.high * 100);
}

/* In pages as large as those of the native loop, if the device takes these. */
static int open_data(struct rows *rows, size_t bytes, struct error *err)
{
	const struct memory_request request = {
		.bytes = bytes,
		.node = MEMORY_ANY_NODE,
		.pages = MEMORY_PAGES_AUTO,
		.untouched = true,
	};
	cl_int code = CL_SUCCESS;
	int rc = memory_map(
		&rows->memory, rows->session->machine, &request, err);

	if (rc < 0)
		return rc;
	rows->data = clCreateBuffer(rows->session->context,
		CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes,
		rows->memory.base, &code);
	if (!rows->data || code)
		return session_fail(err, code, "a buffer on the device");
	return 0;
}

static int open_rows(struct rows *rows, cl_program program, struct error *err)
{
	size_t bytes = rows->words * sizeof(cl_uint), least;
	int rc;

	/* As much as a trial of the native loop; groups divide a power of two.
	 */
	least = NATIVE_BYTES_A_CPU * rows->session->options->cpus->n;
	for (rows->turns = 1; rows->turns * bytes < least;)
		rows->turns *= 2;
	rc = open_data(rows, bytes, err);
	if (rc == 0)
		rc = session_buffer(rows->session,
			bytes * rows->turns / LEAST_N, &rows->sums, err);
	if (rc == 0)
		rc = session_kernel(program, "read_rows", &rows->kernel, err);
	if (rc == 0)
		rc = session_argument(
			rows->kernel, 0, sizeof(cl_mem), &rows->data, err);
	if (rc == 0)
		rc = session_argument(
			rows->kernel, 1, sizeof(cl_mem), &rows->sums, err);
	return rc == 0 ? fill(rows, err) : rc;
}

int rows_measure(struct cl_session *session, const char *label, size_t side,
	struct ceiling *ceiling, struct rowcol_work *work, struct error *err)
{
	struct rows rows = {
		.session = session,
		.label = label,
		.words = side * side,
		.ceiling = ceiling,
		.work = work,
	};
	size_t best = LEAST_N;
	cl_program program;
	int rc =
		session_build(session, "rows.cl", rows_cl, NULL, &program, err);

	if (rc < 0)
		return rc;
	rc = open_rows(&rows, program, err);
	if (rc == 0)
		rc = measure_curve(&rows, &best, err);
	if (rc == 0)
		rc = compare(&rows, best, err);
	if (rc == 0)
		rc = ceiling_draw(
			session, rows.at, NULL, 0, INFINITY, ceiling, err);
	if (rows.kernel)
		clReleaseKernel(rows.kernel);
	if (rows.data)
		clReleaseMemObject(rows.data);
	if (rows.sums)
		clReleaseMemObject(rows.sums);
	if (rows.memory.base)
		memory_release(&rows.memory);
	clReleaseProgram(program);
	return rc;
}
