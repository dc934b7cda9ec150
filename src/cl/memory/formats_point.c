#include "cl/memory/formats.h"

#include <string.h>

#include "cl/images.h"

/* Factor and mask, as in the kernels. */
#define FACTOR	  3
#define LANE_MASK 4095u

/* Least time of a run; longer on CPUs, for threads that wake late. */
#define LEAST_S 2e-4

/* Step of the written value, so that no two points write the same. */
#define NEXT_VALUE 5000u
#define MOST_VALUE 4000000u

const struct formats_kernel formats_kernels[KERNELS] = {
	[BUFFER_READ] = {"buffer_read", BUFFER},
	[BUFFER_MULTIPLY] = {"buffer_multiply", BUFFER},
	[BUFFER_WRITE] = {"buffer_write", BUFFER},
	[TYPED_READ] = {"typed_read", TYPED},
	[TYPED_WRITE] = {"typed_write", TYPED},
	[PLANE_READ] = {"plane_read", PLANE},
	[PLANE_WRITE] = {"plane_write", PLANE},
	[MIX_0] = {"mix_0", MIX},
	[MIX_25] = {"mix_25", MIX},
	[MIX_50] = {"mix_50", MIX},
	[MIX_75] = {"mix_75", MIX},
	[MIX_100] = {"mix_100", MIX},
};

const struct formats_type formats_types[TYPES] = {
	[FLOAT] = {"float",
		"-DTYPE=float -DREAD_IMAGE=read_imagef "
		"-DWRITE_IMAGE=write_imagef",
		CL_FLOAT},
	[UINT] = {"uint",
		"-DTYPE=uint -DREAD_IMAGE=read_imageui "
		"-DWRITE_IMAGE=write_imageui",
		CL_UNSIGNED_INT32},
};

const struct formats_width formats_widths[WIDTHS] = {
	{1, CL_R, false, true},
	{2, CL_RG, false, false},
	{3, 0, false, false},
	{4, CL_RGBA, false, true},
	{8, 0, true, false},
	{16, 0, true, false},
};

/* Return the bit of word i that is read: 0 or 1 as a float. */
static cl_uint formats_data_bit(size_t i)
{
	return session_word(i) >> 11 & 1;
}

static cl_uint formats_number_word(enum formats_type_id type, cl_uint number)
{
	cl_float value = (cl_float)number;
	cl_uint word;

	memcpy(&word, &value, sizeof(word));
	return type == FLOAT ? word : number;
}

cl_uint formats_data_word(const void *context, size_t i)
{
	(void)context;
	return formats_number_word(FLOAT, formats_data_bit(i));
}

cl_uint formats_read_word(const void *context, size_t i)
{
	const struct formats_state *formats = context;

	return formats->expected[i];
}

static enum formats_type_id formats_type_of(const struct sweep *sweep)
{
	return (enum formats_type_id)(sweep->kind / KERNELS);
}

static enum formats_kernel_id formats_kernel_of(
	const struct sweep *sweep, size_t i)
{
	unsigned first = sweep->kind % KERNELS;

	if (first != MIX_0)
		return (enum formats_kernel_id)first;
	return (enum formats_kernel_id)(MIX_0 + (unsigned)sweep->x[i] / 25);
}

cl_uint formats_written_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct formats_state *formats = sweep->context;
	size_t e = i / formats->words;

	if (!formats->written_blocks[e / (FORMATS_TURN * formats->pitch)])
		return SESSION_UNWRITTEN;
	return formats_number_word(formats_type_of(sweep),
		formats->value + (cl_uint)(e % formats->pitch & LANE_MASK));
}

static bool formats_is_shared(const struct formats_amount *amount)
{
	return amount->slice_bytes == amount->bytes;
}

/* Return the blocks from one group's slice to the next. */
static size_t formats_slice_blocks(const struct formats_state *formats)
{
	return formats_is_shared(formats->amount) ? 0 : formats->blocks;
}

static size_t formats_item_block(
	const struct formats_state *formats, size_t item, size_t turn)
{
	size_t i = item / formats->pitch + turn * formats->step;

	return item / formats->group * formats_slice_blocks(formats) +
	       (i & (formats->blocks - 1));
}

/* Count the words of each block and lane that are 1. */
static void formats_count_ones(struct formats_state *formats)
{
	size_t pitch = formats->pitch, words = formats->words;
	size_t block = FORMATS_TURN * pitch;

	if (formats->ones_words == words)
		return;
	formats->ones_words = (unsigned)words;
	memset(formats->ones, 0, formats->elements / FORMATS_TURN);
	for (size_t e = 0; e < formats->elements; e++) {
		unsigned char *ones =
			&formats->ones[e / block * pitch + e % pitch];

		for (size_t w = 0; w < words; w++)
			*ones += (unsigned char)formats_data_bit(e * words + w);
	}
}

/* Count the words of 1 that a work-item reads in its first turns. */
static size_t formats_sum_ones(
	const struct formats_state *formats, size_t item, size_t turns)
{
	size_t lane = item % formats->pitch, sum = 0;

	for (size_t turn = 0; turn < turns; turn++)
		sum += formats->ones[formats_item_block(formats, item, turn) *
					     formats->pitch +
				     lane];
	return sum;
}

/* Compute the sums. A work-item repeats its slice after its blocks. */
static void formats_expect_reads(const struct formats_state *formats,
	const struct sweep *sweep, enum formats_kernel_id kernel)
{
	size_t rounds = formats->turns / formats->blocks;
	size_t rest = formats->turns % formats->blocks;
	cl_uint factor = kernel == BUFFER_MULTIPLY ? FACTOR : 1;

	for (size_t item = 0; item < sweep->launch.items; item++) {
		size_t sum = formats_sum_ones(formats, item, rest);

		if (rounds > 0)
			sum += rounds *
			       formats_sum_ones(formats, item, formats->blocks);
		/* As integers, all words are the bits of the float 1. */
		formats->expected[item] =
			formats_type_of(sweep) == FLOAT
				? formats_number_word(FLOAT, (cl_uint)sum)
				: (cl_uint)sum * formats_number_word(FLOAT, 1) *
					  factor;
	}
}

static void formats_expect_writes(
	const struct formats_state *formats, size_t items)
{
	size_t turns = min_size(formats->turns, formats->blocks);

	memset(formats->written_blocks, 0,
		formats->elements / (FORMATS_TURN * formats->pitch));
	for (size_t item = 0; item < items; item += formats->pitch) {
		for (size_t turn = 0; turn < turns; turn++)
			formats->written_blocks[formats_item_block(
				formats, item, turn)] = 1;
	}
}

/* Copy between the plane and a buffer. */
static void formats_copy_plane(
	const struct formats_state *formats, cl_mem buffer, bool from)
{
	size_t log = formats->log_width;

	images_copy_plane(formats->session, formats->plane, (size_t)1 << log,
		formats->elements >> log, buffer, from);
}

static const struct formats_width *formats_find_width(size_t words)
{
	const struct formats_width *width = formats_widths;

	while (width->words != words)
		width++;
	return width;
}

size_t formats_log_width(size_t elements)
{
	size_t log = 0;

	while (elements % ((size_t)2 << log) == 0 &&
		((size_t)1 << 2 * log) < elements)
		log++;
	return log;
}

static cl_mem formats_open_image(struct formats_state *formats,
	enum formats_access access, enum formats_type_id type, bool write)
{
	const cl_image_format format = {
		formats_find_width(formats->words)->order,
		formats_types[type].channel};

	size_t log = formats_log_width(formats->elements);

	formats->plane = NULL;
	if (access == TYPED)
		return images_of_buffer(formats->session,
			write ? formats->written : formats->data, &format,
			formats->elements);
	formats->log_width = log;
	formats->plane = images_of_plane(formats->session, &format,
		(size_t)1 << log, formats->elements >> log, NULL);
	if (formats->plane && !write)
		formats_copy_plane(formats, formats->data, true);
	return formats->plane;
}

static void formats_set_arguments(struct formats_state *formats,
	struct sweep *sweep, enum formats_kernel_id kernel)
{
	enum formats_access access = formats_kernels[kernel].access;
	cl_mem memory = sweep->write ? formats->written : formats->data;
	size_t value = kernel == BUFFER_MULTIPLY ? FACTOR : formats->value;
	struct session *session = formats->session;

	if (access != BUFFER)
		memory = formats_open_image(
			formats, access, formats_type_of(sweep), sweep->write);
	session_arguments(session, sweep->launch.kernel, 0,
		memory_argument(memory), memory_argument(formats->out),
		word_argument(1), word_argument(formats->step),
		word_argument(formats->blocks - 1),
		word_argument(formats_slice_blocks(formats)),
		word_argument(value));
	if (access != BUFFER)
		session_arguments(session, sweep->launch.kernel, 7,
			word_argument(formats->words));
	if (access == PLANE || access == MIX)
		session_arguments(session, sweep->launch.kernel, 8,
			word_argument(formats->log_width));
	if (access == MIX)
		session_arguments(session, sweep->launch.kernel, 9,
			memory_argument(formats->data));
}

/* Set elements and blocks; twelve bytes take the room of sixteen. */
static void formats_set_shape(
	struct formats_state *formats, struct sweep *sweep)
{
	const struct formats_amount *amount = formats->amount;
	size_t bytes =
		(formats->words == 3 ? 4 : formats->words) * sizeof(cl_uint);
	size_t at_once;

	formats->elements = amount->bytes / bytes;
	formats->blocks =
		amount->slice_bytes / bytes / (FORMATS_TURN * formats->pitch);
	sweep->launch.items = amount->groups * formats->group;
	sweep->launch.group = formats->group;
	at_once = sweep->launch.items / formats->pitch;
	formats->step = formats_is_shared(amount) ? at_once | 1 : 1;
	formats->turns = formats->blocks;
	if (formats_is_shared(amount))
		formats->turns = at_once < formats->blocks
					 ? formats->blocks / at_once
					 : 1;
}

void formats_prepare(struct sweep *sweep, size_t i)
{
	struct formats_state *formats = sweep->context;
	enum formats_kernel_id kernel = formats_kernel_of(sweep, i);
	struct session *session = formats->session;
	struct kernel_loop loop = {.argument = 2,
		.least_s = session->is_cpu ? SWEEP_LEAST_S : LEAST_S};
	const struct formats_width *width;

	session_release(session, formats->mark);
	formats->plane = NULL;
	formats->words = kernel >= MIX_0 ? 4 : (size_t)sweep->x[i] / 4;
	formats_set_shape(formats, sweep);
	formats->value = (formats->value + NEXT_VALUE) % MOST_VALUE;
	/* Images use vectors of four for all elements. */
	width = formats_find_width(
		formats_kernels[kernel].access ? 4 : formats->words);
	sweep->launch.kernel = formats->kernels[formats_type_of(sweep)]
					       [width - formats_widths][kernel];
	formats_set_arguments(formats, sweep, kernel);
	loop.least = (cl_uint)formats->turns;
	loop.most = formats->amount->once
			    ? loop.least
			    : (cl_uint)(FORMATS_MOST_WORDS / FORMATS_TURN /
					formats->words);
	formats->turns = launch_loop(session, &sweep->launch, &loop);
	sweep->amount =
		(double)(sweep->launch.items * formats->turns * FORMATS_TURN *
			 formats->words * sizeof(cl_uint));
	sweep->bound.bytes = formats->amount->bytes;
	sweep->expected.n = sweep->write ? formats->elements * formats->words
					 : sweep->launch.items;
	if (session->rc)
		return;
	if (sweep->write) {
		formats_expect_writes(formats, sweep->launch.items);
		return;
	}
	formats_count_ones(formats);
	formats_expect_reads(formats, sweep, kernel);
}

/* Time writes; written poisons the plane before, and gets it after. */
struct timing formats_time_plane(struct sweep *sweep, size_t i)
{
	const struct formats_state *formats = sweep->context;
	struct timing timing;

	(void)i;
	formats_copy_plane(formats, formats->written, true);
	timing = launch_time(sweep->session, &sweep->launch);
	formats_copy_plane(formats, formats->written, false);
	return timing;
}
