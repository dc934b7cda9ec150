/*
 * Words that are a stride apart between neighbours (section 2.3.1, formula 1,
 * figures 14 and 15).
 *
 * Timed is a kernel in which work-item g reads or writes the words
 * (g * stride + n) & (size - 1), n growing by 32,768, 16 of them in each turn
 * of its loop. There are as many work-items as n grows by, and as many turns as
 * take n through the array: with any odd stride each word is accessed once, and
 * with any stride but 0 each line is. Counted are the bytes asked for, and not
 * the sum that a work-item of a read writes, one word for 32 or more. Turns go
 * round again where a run would be too short.
 *
 * The paper does not say how large its array is: 4 MiB here, which many caches
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
#include <stdio.h>

#include "cl/suite/stride_cl.h"
#include "cl/sweep.h"
#include "cl/tests.h"
#include "util/text.h"

/* What n grows by, in words. */
#define STEP 32768

#define LEAST_BYTES (STEP * SWEEP_UNROLLED * sizeof(cl_uint))
#define LINE_WORDS  16

/* Rounds through the array, at most. */
#define MOST_ROUNDS 256

struct array {
	size_t words, items;
	cl_mem data, sums;
	cl_uint version, stride;
	cl_uint column[STEP]; /* sums of the words STEP apart */
	bool touched[STEP];   /* of these, which a stride touches */
};

static cl_uint first_word(const void *context, size_t i)
{
	(void)context;
	return session_word(i);
}

/* Of a read the sum of a column, as often as the work-item went round. */
static cl_uint right_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct array *array = sweep->context;
	size_t accesses = (size_t)sweep->turns * SWEEP_UNROLLED;

	if (!sweep->write)
		return (cl_uint)(accesses / (array->words / STEP)) *
		       array->column[i * array->stride % STEP];
	return array->touched[i % STEP] ? (cl_uint)i + array->version
					: SESSION_UNWRITTEN;
}

/* The ceiling is that of the lines that a stride touches. */
static void prepare(struct sweep *sweep, size_t i)
{
	struct array *array = sweep->context;
	size_t lines = 0, last = STEP;

	array->version += 12345;
	array->stride = (cl_uint)sweep->x[i];
	session_arguments(sweep->session, sweep->launch.kernel, 0,
		(struct argument[]){of_memory(array->data),
			sweep->write ? of_word(array->version)
				     : of_memory(array->sums),
			of_word(array->stride), of_word(array->words - 1),
			{0}});
	for (size_t k = 0; k < STEP; k++)
		array->touched[k] = false;
	for (size_t g = 0; g < array->items; g++)
		array->touched[g * array->stride % STEP] = true;
	for (size_t k = 0; k < STEP; k++) {
		if (array->touched[k] && k / LINE_WORDS != last) {
			last = k / LINE_WORDS;
			lines++;
		}
	}
	sweep->bytes =
		lines * LINE_WORDS * sizeof(cl_uint) * (array->words / STEP);
}

static void measure_array(
	struct session *session, cl_program program, size_t bytes, bool some)
{
	static const char *const kernels[] = {"stride_read", "stride_write"};
	size_t mark = session_mark(session), words = bytes / sizeof(cl_uint);
	size_t items = session_items(session, STEP);
	cl_uint round = (cl_uint)(words / STEP / SWEEP_UNROLLED);
	struct array *array =
		session_memory(session, sizeof(*array), "the sums of an array");
	char size[TEXT_SIZE_BYTES];

	if (!array)
		return;
	*array = (struct array){.words = words, .items = items};
	array->data = session_buffer(session, bytes);
	array->sums = session_buffer(session, items * sizeof(cl_uint));
	session_fill(session, array->data, words, first_word, NULL);
	for (size_t i = 0; i < words; i++)
		array->column[i % STEP] += session_word(i);
	for (int write = 0; write < 2 && session_ok(session); write++) {
		struct sweep sweep = sweep_strides(
			session, write, text_size(bytes, size), some);

		snprintf(sweep.family, sizeof(sweep.family),
			"global memory, %s", size);
		sweep.launch =
			launch_of(session, program, kernels[write], items);
		sweep.prepare = prepare;
		sweep.right = words_of(write ? array->data : array->sums,
			write ? words : items, right_word, &sweep);
		sweep.spoiled = write;
		sweep.loop.argument = 4;
		sweep.loop.least = round;
		sweep.loop.most = round * MOST_ROUNDS;
		sweep.work = (double)bytes / (double)sweep.n;
		sweep.context = array;
		sweep_run(&sweep, 1);
	}
	session_release(session, mark);
}

static void run_stride(struct session *session)
{
	const struct test_options *options = session->options;
	size_t small = session_size(session, (size_t)4 << 20);
	size_t large = (size_t)64 << 20;
	bool both = !options->size_bytes && !options->quick;
	cl_program program =
		session_build(session, "stride.cl", stride_cl, NULL);

	session->all = 2.0 * (double)(small + (both ? large : 0));
	measure_array(session, program, small, options->quick);
	if (both)
		measure_array(session, program, large, true);
	session_find(session,
		"for comparison: a line of %d words that served one access "
		"only would make stride 16 take %d times as long as stride 1",
		LINE_WORDS, LINE_WORDS);
	if (session->is_cpu && session->units > 1 && !options->work_items &&
		!options->work_group && !options->sweep_groups)
		session_find(session,
			"with even strides work-items write the same words, "
			"which CPUs may take from each other: compare odd "
			"ones");
}

const struct test test_stride = {
	.name = "stride",
	.section = "2.3.1",
	.summary = "Global memory of which neighbours access words apart",
	.takes = TAKES_SIZE | TAKES_WORK_ITEMS | TAKES_WORK_GROUP | TAKES_SWEEP,
	.memory_by = TAKES_SIZE | TAKES_WORK_ITEMS,
	.size = {SIZE_POWER, LEAST_BYTES, (uint64_t)8 << 30},
	.run = run_stride,
};
