/*
 * Measure accesses to words with a stride between neighbouring work-items
 * (section 2.3.1, formula 1, figures 14 and 15).
 *
 * The test times a kernel whose work-item g reads or writes the words (g *
 * stride + n) & (size - 1), 16 in each turn of its loop. n grows by 32,768 on
 * CPUs. On other devices it grows by the number of work-items, which is as many
 * as all units hold. Over all turns, n goes through the array once or several
 * times. An odd stride accesses each word once; any stride except 0 touches
 * each line. The rate counts the bytes that the kernel accesses, without the
 * sum that each reading work-item writes.
 *
 * The paper states neither the size of its array nor the words that it writes.
 * c2c uses an array of 4 MiB, which many caches hold, and with fewer strides an
 * array of 64 MiB (1 GiB on other devices). The value of a written word depends
 * on its index. The ceiling's loop uses as much memory as the touched lines.
 * PoCL 3.1 uses no vectors for these kernels, so on CPUs the test also reads
 * and writes strides of whole lines in vectors, each work-item in its own part.
 *
 * Biases: 32,768 words are 128 KiB. On a CPU all accesses of a work-item fall
 * into one set of L1 and few sets of L2, so its neighbour misses there on
 * common lines: the test measures the outer levels. With an even stride at
 * least half of the work-items also access, and simultaneously write, words of
 * other work-items.
 */
#include <string.h>

#include "cl/suite/stride_cl.h"
#include "cl/sweep.h"

/* Step of n in words on CPUs, and smallest step on other devices. */
#define CPU_STEP ((size_t)32768)

#define LEAST_BYTES (CPU_STEP * SWEEP_UNROLLED * sizeof(cl_uint))

#define LINE_WORDS 16

/* Longest stride of lines. */
#define MOST_LINES 16

struct stride_array {
	size_t words, items, step;
	cl_mem data, sums;
	cl_uint version, stride;
	cl_uint *column; /* [step] sums of words a step apart */
	bool *touched;	 /* [step] whether a stride touches a column */
};

/* Return word i. A read stores the sum of a column times its rounds. */
static cl_uint stride_expected_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct stride_array *array = sweep->context;
	size_t accesses = (size_t)sweep->turns * SWEEP_UNROLLED;

	if (!sweep->write)
		return (cl_uint)(accesses / (array->words / array->step)) *
		       array->column[i * array->stride % array->step];
	return array->touched[i % array->step] ? (cl_uint)i + array->version
					       : SESSION_UNWRITTEN;
}

static void stride_prepare(struct sweep *sweep, size_t i)
{
	struct stride_array *array = sweep->context;
	size_t line_bytes = LINE_WORDS * sizeof(cl_uint), next = 0;

	array->version += 12345;
	array->stride = (cl_uint)sweep->x[i];
	session_arguments(sweep->session, sweep->launch.kernel, 0,
		memory_argument(array->data),
		sweep->write ? word_argument(array->version)
			     : memory_argument(array->sums),
		word_argument(array->stride), word_argument(array->words - 1));
	memset(array->touched, 0, array->step * sizeof(*array->touched));
	for (size_t g = 0; g < array->items; g++)
		array->touched[g * array->stride % array->step] = true;
	sweep->bound.bytes = 0;
	for (size_t k = 0; k < array->step; k++) {
		if (!array->touched[k] || k < next)
			continue;
		sweep->bound.bytes += line_bytes * (array->words / array->step);
		next = (k / LINE_WORDS + 1) * LINE_WORDS;
	}
}

static cl_program stride_build(struct session *session, size_t step)
{
	return session_program(session, stride, "-DSTEP=%zu", step);
}

static void stride_measure_array(
	struct session *session, size_t bytes, bool some)
{
	size_t mark = session_mark(session), at = session->result->n_curves;
	size_t items = session->is_cpu ? 0 : theory_items(&session->theory);
	/* Step of n: a power of two, like the number of words. */
	size_t step =
		max_size(CPU_STEP, min_size(items, bytes / sizeof(cl_uint)));
	struct stride_array array = {.words = bytes / sizeof(cl_uint),
		.items = session_items(session, step),
		.step = step,
		.data = session_buffer(session, bytes),
		.column = session_memory(
			session, step * sizeof(cl_uint), "the sums"),
		.touched = session_memory(session, step, "what is touched")};
	size_t turns = array.words / step / SWEEP_UNROLLED;
	cl_uint round = turns ? (cl_uint)turns : 1;
	cl_program program = stride_build(session, step);
	const char *of = session_text(
		session, "global memory, %s", session_bytes(session, bytes));

	array.sums = session_buffer(session, array.items * sizeof(cl_uint));
	session_fill(session, array.data, array.words, NULL, NULL);
	for (size_t i = 0; i < array.words && session_ok(session); i++)
		array.column[i % step] =
			(i < step ? 0 : array.column[i % step]) +
			session_word(i);
	for (int write = 0; write < 2 && session_ok(session); write++) {
		struct sweep sweep = sweep_of_strides(session, write, of, some);

		sweep.launch = launch_of(session, program,
			write ? "stride_write" : "stride_read", array.items);
		sweep.prepare = stride_prepare;
		sweep.loop = (struct kernel_loop){
			4, round, 256 * round, SWEEP_LEAST_S};
		sweep.expected = (struct expected_words){
			.buffer = write ? array.data : array.sums,
			.n = write ? array.words : array.items,
			.at = stride_expected_word,
			.poisoned = write};
		sweep.work = (double)bytes;
		sweep.context = &array;
		sweep_run(&sweep, 1);
	}
	if (!session->is_cpu)
		session_add_finding(session,
			"%s: %zu work-items, n grows by %zu words", of,
			array.items, step);
	if (bytes >= SESSION_GPU_BYTES)
		ceiling_show_theory(session, THEORY_MEMORY, at);
	session_release(session, mark);
}

/* Lines: each work-item is a group and has its own part. */
struct stride_lines {
	size_t n, part, stride;
	cl_mem data, sums;
	cl_uint version;
};

/* Return a word of a read's sums (16 words for lines), or a written word. */
static cl_uint stride_expected_line_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct stride_lines *lines = sweep->context;
	size_t first = i / LINE_WORDS * lines->part, line = i / LINE_WORDS;
	cl_uint sum = 0;

	if (sweep->write)
		return line % lines->part % lines->stride
			       ? SESSION_UNWRITTEN
			       : (cl_uint)line + lines->version;
	for (size_t k = 0; k < lines->part; k += lines->stride)
		sum += session_word((first + k) * LINE_WORDS + i % LINE_WORDS);
	return sum * sweep->turns * (cl_uint)lines->stride;
}

/* Set a point. Two rounds with stride 2 take as long as one with stride 1. */
static void stride_prepare_lines(struct sweep *sweep, size_t i)
{
	struct stride_lines *lines = sweep->context;

	lines->version += 12345;
	lines->stride = (size_t)sweep->x[i];
	session_arguments(sweep->session, sweep->launch.kernel, 0,
		memory_argument(lines->data),
		sweep->write ? word_argument(lines->version)
			     : memory_argument(lines->sums),
		word_argument(lines->part), word_argument(lines->stride),
		word_argument(sweep->turns * lines->stride));
	sweep->bound.bytes =
		lines->n / lines->stride * LINE_WORDS * sizeof(cl_uint);
}

/*
 * Measure strides of whole lines in vectors. Reads of the paper's single words
 * cannot show these strides on a CPU.
 */
static void stride_measure_lines(struct session *session, size_t bytes)
{
	size_t mark = session_mark(session);
	cl_program program = stride_build(session, CPU_STEP);
	size_t line_bytes = LINE_WORDS * sizeof(cl_uint);
	size_t items = session->units;
	size_t part = bytes / line_bytes / items;
	struct stride_lines lines = {
		.part = part - part % (MOST_LINES * LINE_WORDS),
		.data = session_buffer(session, bytes),
		.sums = session_buffer(session, items * line_bytes)};
	const char *size = session_bytes(session, bytes);

	lines.n = lines.part * items;
	if (lines.part == 0)
		session_add_finding(session,
			"%s are too small for %d lines per CPU: strides of "
			"lines are left out",
			size, MOST_LINES * LINE_WORDS);
	for (int write = 0; write < 2 && lines.part && session_ok(session);
		write++) {
		struct sweep sweep = {.session = session,
			.name = session_text(session,
				"%s of global memory, %s, in lines",
				write ? "write" : "read", size),
			.facts = {.family = session_text(session,
					  "global memory, %s, in lines", size),
				.member = write ? "write" : "read",
				.x_name = "stride",
				.x_unit = "lines"},
			.launch = {.kernel = session_kernel(session, program,
					   write ? "stride_write_lines"
						 : "stride_read_lines"),
				.items = items,
				.group = 1,
				.fixed = true,
				.shares = REPEATS_OWN},
			.loop = {4, 1, 1u << 16, SWEEP_LEAST_S},
			.a_turn = (double)(lines.part * line_bytes),
			.prepare = stride_prepare_lines,
			.expected = {.buffer = write ? lines.data : lines.sums,
				.n = (write ? lines.n : items) * LINE_WORDS,
				.at = stride_expected_line_word,
				.poisoned = true},
			.work = (double)bytes,
			.write = write,
			.context = &lines};

		if (!write)
			session_fill(session, lines.data,
				bytes / sizeof(cl_uint), NULL, NULL);
		sweep_up_to(&sweep, 1, MOST_LINES, 2);
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

	/* Other devices have larger caches. */
	if (!session->is_cpu)
		large = session_fit(session, 2 * SESSION_GPU_BYTES, large, 2);
	session->all = 2.0 * (double)(small + (both ? large : 0)) *
		       (session->is_cpu ? 2 : 1);
	stride_measure_array(session, small, options->quick);
	if (session->is_cpu)
		stride_measure_lines(session, small);
	if (both)
		stride_measure_array(session, large, true);
	if (both && session->is_cpu)
		stride_measure_lines(session, large);
	session_add_finding(session,
		"for comparison: if each line of %d words served one access "
		"only, stride 16 would take %d times as long as stride 1",
		LINE_WORDS, LINE_WORDS);
	if (session->is_cpu && session->units > 1 && !options->work_items &&
		!options->work_group && !options->sweep_groups)
		session_add_finding(session,
			"with even strides several work-items write the same "
			"words, and CPUs may take the lines from each other: "
			"compare odd strides");
}

const struct test test_stride = {
	.name = "stride",
	.section = "2.3.1",
	.source = SOURCE_SUITE "2.3.1, formula 1, figures 14 and 15",
	.published = {"--work-items=32768", "--work-group=32", "--fine"},
	.summary = "global memory, with strides between neighbours",
	.takes = TAKES_SIZE | TAKES_WORK_ITEMS | TAKES_WORK_GROUP |
		 TAKES_SWEEP | TAKES_FINE,
	.memory_by = TAKES_SIZE | TAKES_WORK_ITEMS,
	.size = {SIZE_POWER, LEAST_BYTES, (uint64_t)8 << 30},
	.article_group = ARTICLE_GROUP,
	.shares = 64,
	.figures = {{.what = "read, ",
		.family = "global memory, ",
		.members = {"read"},
		.x = 1,
		.last = true}},
	.run = run_stride,
};
