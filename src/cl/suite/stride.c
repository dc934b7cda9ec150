/*
 * Words that are a stride apart between neighbours (section 2.3.1, formula 1,
 * figures 14 and 15).
 *
 * Timed is a kernel in which work-item g reads or writes the words
 * (g * stride + n) & (size - 1), n growing by 32,768, 16 of them in each turn
 * of its loop. There are as many work-items as n grows by, and as many turns as
 * take n through the array: with any odd stride each word is accessed once, and
 * with any stride but 0 each line is. Counted are the bytes asked for. Not
 * counted is the sum that a work-item of a read writes, one word for 32 or
 * more. Turns go round again where a run would be too short.
 *
 * The paper says not how large its array is: 4 MiB here, which many caches
 * hold, and 64 MiB, of which fewer strides are measured, since it takes long.
 * Nor does it say what is written: here a number that follows from the place,
 * since many work-items may write the same word. The ceiling is that of so much
 * memory as all lines have that are touched.
 *
 * With PoCL 3.1 a turn is 16 times the arithmetic of an address and one add
 * with memory, or one store; none is a vector's.
 *
 * Biases: 32,768 words are 128 KiB. On a CPU all accesses of a work-item fall
 * into one set of L1, and few of L2, so that its neighbour does not find the
 * lines that they share in these: what is measured lies behind them, with 4 MiB
 * as well. And with an even stride the words come round while half of the
 * work-items or more are still to come: these write what others have written,
 * at the same time if they run on another CPU.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/sizes.h"
#include "cl/strides.h"
#include "cl/suite/stride_cl.h"
#include "cl/tests.h"
#include "util/text.h"

/* What n grows by, in words. */
#define STEP 32768

#define SMALL_BYTES ((size_t)4 << 20)
#define LARGE_BYTES ((size_t)64 << 20)
#define LEAST_BYTES ((uint64_t)STEP * STRIDES_PER_TURN * sizeof(cl_uint))
#define MOST_BYTES  ((uint64_t)8 << 30)

/* Rounds through the array, at most. */
#define MOST_ROUNDS 256

#define LINE_WORDS 16

/* With stride 1. */
static const unsigned compared[] = {2, 3, 16, 0};

static const char *const access_names[2] = {"read", "write"};
static const char *const kernel_names[2] = {"stride_read", "stride_write"};

struct array {
	struct cl_session *session;
	size_t bytes, words, items, group;
	cl_mem data, sums;
	cl_kernel kernels[2]; /* read, write */
	cl_uint turns, version;
	cl_uint *column; /* [STEP]: sums of the words STEP apart */
	bool *touched;	 /* [STEP]: of these, which a stride touches */
	bool some;	 /* not all strides */
};

/* Progress, in bytes. */
struct work {
	double done, all;
};

/* The array before it is read, and the sums of its columns. */
static int fill(const struct array *array, struct error *err)
{
	void *data;
	int rc = session_map(
		array->session, array->data, array->bytes, true, &data, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < STEP; i++)
		array->column[i] = 0;
	for (size_t i = 0; i < array->words; i++) {
		((cl_uint *)data)[i] = session_word(i);
		array->column[i % STEP] += session_word(i);
	}
	return session_unmap(array->session, array->data, data, err);
}

/* Which columns a stride touches; how many bytes the lines of all have. */
static size_t touch(const struct array *array, size_t stride)
{
	size_t lines = 0;

	for (size_t i = 0; i < STEP; i++)
		array->touched[i] = false;
	for (size_t g = 0; g < array->items; g++)
		array->touched[g * stride % STEP] = true;
	for (size_t i = 0; i < STEP; i += LINE_WORDS) {
		bool any = false;

		for (size_t k = i; k < i + LINE_WORDS; k++)
			any = any || array->touched[k];
		lines += any;
	}
	return lines * LINE_WORDS * sizeof(cl_uint) * (array->words / STEP);
}

/* Whether each work-item has the sum of its column, as often as it went. */
static bool sums_hold(
	const struct array *array, size_t stride, const cl_uint *sums)
{
	cl_uint rounds = (cl_uint)((size_t)array->turns * STRIDES_PER_TURN /
				   (array->words / STEP));

	for (size_t g = 0; g < array->items; g++) {
		if (sums[g] != rounds * array->column[g * stride % STEP])
			return false;
	}
	return true;
}

/* Whether what was touched is written, and nothing else. */
static bool words_hold(const struct array *array, const cl_uint *data)
{
	for (size_t i = 0; i < array->words; i++) {
		cl_uint right = array->touched[i % STEP]
					? (cl_uint)i + array->version
					: SESSION_UNWRITTEN;

		if (data[i] != right)
			return false;
	}
	return true;
}

static int check(const struct array *array, int access,
	const struct strides *strides, size_t i, struct cl_timing *timing,
	struct error *err)
{
	cl_mem buffer = access ? array->data : array->sums;
	size_t bytes = access ? array->bytes : array->items * sizeof(cl_uint);
	void *mapped;
	bool same;
	int rc =
		session_map(array->session, buffer, bytes, false, &mapped, err);

	if (rc < 0)
		return rc;
	same = access ? words_hold(array, mapped)
		      : sums_hold(array, strides->words[i], mapped);
	session_sum_words(timing, mapped, bytes);
	rc = session_unmap(array->session, buffer, mapped, err);
	return rc == 0 && !same ? strides_wrong(strides, i, err) : rc;
}

static int set_stride(
	struct array *array, int access, cl_uint stride, struct error *err)
{
	cl_kernel kernel = array->kernels[access];
	cl_uint mask = (cl_uint)(array->words - 1);
	int rc;

	array->version += 12345;
	rc = access ? session_argument(kernel, 1, sizeof(array->version),
			      &array->version, err)
		    : session_argument(
			      kernel, 1, sizeof(cl_mem), &array->sums, err);
	if (rc == 0)
		rc = session_argument(kernel, 2, sizeof(stride), &stride, err);
	if (rc == 0)
		rc = session_argument(kernel, 3, sizeof(mask), &mask, err);
	return rc;
}

static int measure_stride(struct array *array, int access,
	struct strides *strides, size_t i, struct error *err)
{
	size_t touched_bytes = touch(array, strides->words[i]);
	struct cl_timing timing;
	int rc = strides_set_ceiling(strides, i,
		access ? NATIVE_WRITE : NATIVE_READ, touched_bytes, err);

	if (rc == 0)
		rc = set_stride(array, access, strides->words[i], err);
	if (rc == 0 && access)
		rc = session_spoil(
			array->session, array->data, array->bytes, err);
	if (rc == 0)
		rc = session_time(array->session, array->kernels[access],
			array->items, array->group, &timing, err);
	if (rc == 0)
		rc = check(array, access, strides, i, &timing, err);
	if (rc < 0)
		return rc;
	return strides_put(strides, i,
		(double)array->items * array->turns * STRIDES_PER_TURN *
			sizeof(cl_uint),
		&timing, err);
}

static int measure_access(
	struct array *array, int access, struct work *work, struct error *err)
{
	struct strides strides = {.session = array->session};
	struct curve_facts facts = {
		.x_name = "stride", .x_unit = "words", .y_unit = "GiB/s"};
	cl_uint round = (cl_uint)(array->words / STEP / STRIDES_PER_TURN);
	char size[TEXT_SIZE_BYTES], what[64];
	int rc;

	text_size(array->bytes, size);
	snprintf(what, sizeof(what), "global memory, %s", size);
	facts.family = what;
	snprintf(strides.name, sizeof(strides.name), "%s of %s",
		access_names[access], size);
	strides_to_16(&strides, array->some);
	rc = strides_begin(&strides, access_names[access], &facts, err);
	if (rc == 0)
		rc = session_argument(array->kernels[access], 0, sizeof(cl_mem),
			&array->data, err);
	if (rc == 0)
		rc = set_stride(array, access, 1, err);
	if (rc == 0)
		rc = strides_turns(array->session, array->kernels[access], 4,
			array->items, array->group, round, round * MOST_ROUNDS,
			&array->turns, err);
	for (size_t i = 0; i < strides.n && rc == 0; i++) {
		rc = measure_stride(array, access, &strides, i, err);
		work->done += (double)array->bytes / (double)strides.n;
		session_progress(array->session, work->done / work->all);
	}
	if (rc == 0)
		rc = strides_end(&strides, err);
	if (rc == 0)
		rc = strides_find(&strides, compared,
			sizeof(compared) / sizeof(compared[0]), err);
	return rc;
}

static int measure_array(struct cl_session *session, cl_program program,
	size_t bytes, bool some, struct work *work, struct error *err)
{
	struct array array = {
		.session = session,
		.bytes = bytes,
		.words = bytes / sizeof(cl_uint),
		.items = session->options->work_items
				 ? session->options->work_items
				 : STEP,
		.column = malloc(STEP * sizeof(cl_uint)),
		.touched = malloc(STEP * sizeof(bool)),
		.some = some,
	};
	int rc = 0;

	array.group = session_group(session, array.items);
	if (!array.column || !array.touched)
		rc = error_no_memory(err, "the sums of an array");
	if (rc == 0)
		rc = check_groups(
			session->options, array.items, array.group, err);
	for (int access = 0; access < 2 && rc == 0; access++)
		rc = session_kernel(program, kernel_names[access],
			&array.kernels[access], err);
	if (rc == 0)
		rc = session_buffer(session, bytes, &array.data, err);
	if (rc == 0)
		rc = session_buffer(session, array.items * sizeof(cl_uint),
			&array.sums, err);
	if (rc == 0)
		rc = fill(&array, err);
	for (int access = 0; access < 2 && rc == 0; access++)
		rc = measure_access(&array, access, work, err);
	for (int access = 0; access < 2; access++) {
		if (array.kernels[access])
			clReleaseKernel(array.kernels[access]);
	}
	if (array.data)
		clReleaseMemObject(array.data);
	if (array.sums)
		clReleaseMemObject(array.sums);
	free(array.column);
	free(array.touched);
	return rc;
}

static int check_options(const struct cl_options *options, struct error *err)
{
	return strides_check_options(
		"stride", options, LEAST_BYTES, MOST_BYTES, err);
}

static int run_stride(struct cl_session *session, struct error *err)
{
	const struct cl_options *options = session->options;
	size_t sizes[2] = {SMALL_BYTES, LARGE_BYTES},
	       n = options->quick ? 1 : 2;
	struct work work = {0};
	cl_program program = NULL;
	int rc = session_build(
		session, "stride.cl", stride_cl, NULL, &program, err);

	if (options->size_bytes) {
		sizes[0] = options->size_bytes;
		n = 1;
	}
	for (size_t i = 0; i < n; i++)
		work.all += 2.0 * (double)sizes[i];
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = measure_array(session, program, sizes[i],
			options->quick || i > 0, &work, err);
	if (rc == 0)
		rc = curve_finding(session, err,
			"for comparison: a line of %d words that served one "
			"access only would make stride 16 take %d times as "
			"long as stride 1",
			LINE_WORDS, LINE_WORDS);
	if (rc == 0 && session->is_cpu && session->units > 1 &&
		!options->work_items && !options->work_group &&
		!options->sweep_groups)
		rc = curve_finding(session, err,
			"with even strides work-items write the same words, "
			"which CPUs may take from each other: compare odd "
			"ones");
	if (program)
		clReleaseProgram(program);
	return rc;
}

const struct cl_test cl_test_stride = {
	.name = "stride",
	.section = "2.3.1",
	.summary = "Global memory of which neighbours access words apart",
	.takes = CL_TAKES_SIZE | CL_TAKES_WORK_ITEMS | CL_TAKES_WORK_GROUP |
		 CL_TAKES_SWEEP,
	.memory_by = CL_TAKES_SIZE | CL_TAKES_WORK_ITEMS,
	.check = check_options,
	.run = run_stride,
};
