#include "cl/memory/formats.h"

#include <string.h>

#include "cl/images.h"

/* As in the kernels. */
#define FACTOR	  3
#define LANE_MASK 4095u

/* A run should take this long; on CPUs more, for threads that wake late. */
#define LEAST_S 2e-4

/* What is written grows by this, so that no two points write the same. */
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

const struct width formats_widths[WIDTHS] = {
	{1, CL_R, false, true},
	{2, CL_RG, false, false},
	{3, 0, false, false},
	{4, CL_RGBA, false, true},
	{8, 0, true, false},
	{16, 0, true, false},
};

/* What is read: of each word a bit, which is 0 or 1 as a float. */
static cl_uint is_one(size_t i)
{
	return session_word(i) >> 11 & 1;
}

static cl_uint word_of(enum type type, cl_uint number)
{
	cl_float value = (cl_float)number;
	cl_uint word;

	memcpy(&word, &value, sizeof(word));
	return type == FLOAT ? word : number;
}

cl_uint formats_data_word(const void *context, size_t i)
{
	(void)context;
	return word_of(FLOAT, is_one(i));
}

cl_uint formats_read_word(const void *context, size_t i)
{
	const struct formats *formats = context;

	return formats->right[i];
}

enum type formats_type_of(const struct sweep *sweep)
{
	return (enum type)(sweep->kind / KERNELS);
}

enum kernel formats_kernel_of(const struct sweep *sweep, size_t i)
{
	unsigned first = sweep->kind % KERNELS;

	if (first != MIX_0)
		return (enum kernel)first;
	return (enum kernel)(MIX_0 + (unsigned)sweep->x[i] / 25);
}

cl_uint formats_written_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct formats *formats = sweep->context;
	size_t e = i / formats->words;

	if (!formats->known[e / (FORMATS_TURN * formats->pitch)])
		return SESSION_UNWRITTEN;
	return word_of(formats_type_of(sweep),
		formats->value + (cl_uint)(e % formats->pitch & LANE_MASK));
}

static bool is_shared(const struct amount *amount)
{
	return amount->slice_bytes == amount->bytes;
}

/* From the block of one group's slice to that of the next. */
static size_t apart(const struct formats *formats)
{
	return is_shared(formats->amount) ? 0 : formats->blocks;
}

/* The block of a work-item in a turn. */
static size_t block_of(const struct formats *formats, size_t item, size_t turn)
{
	size_t i = item / formats->pitch + turn * formats->step;

	return item / formats->group * apart(formats) +
	       (i & (formats->blocks - 1));
}

/* Count the words of each block and lane that are 1. */
static void count_ones(struct formats *formats)
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
			*ones += (unsigned char)is_one(e * words + w);
	}
}

/* How many words of 1 a work-item meets in its first turns. */
static size_t ones_of(const struct formats *formats, size_t item, size_t turns)
{
	size_t lane = item % formats->pitch, sum = 0;

	for (size_t turn = 0; turn < turns; turn++)
		sum += formats->ones[block_of(formats, item, turn) *
					     formats->pitch +
				     lane];
	return sum;
}

/* After as many turns as a slice has blocks, a work-item begins again. */
static void expect_reads(const struct formats *formats,
	const struct sweep *sweep, enum kernel kernel)
{
	size_t rounds = formats->turns / formats->blocks;
	size_t rest = formats->turns % formats->blocks;
	cl_uint factor = kernel == BUFFER_MULTIPLY ? FACTOR : 1;

	for (size_t item = 0; item < sweep->launch.items; item++) {
		size_t sum = ones_of(formats, item, rest);

		if (rounds > 0)
			sum += rounds * ones_of(formats, item, formats->blocks);
		/* As words, all of them are the float 1. */
		formats->right[item] =
			formats_type_of(sweep) == FLOAT
				? word_of(FLOAT, (cl_uint)sum)
				: (cl_uint)sum * word_of(FLOAT, 1) * factor;
	}
}

static void expect_writes(const struct formats *formats, size_t items)
{
	size_t turns = formats->turns < formats->blocks ? formats->turns
							: formats->blocks;

	memset(formats->known, 0,
		formats->elements / (FORMATS_TURN * formats->pitch));
	for (size_t item = 0; item < items; item += formats->pitch) {
		for (size_t turn = 0; turn < turns; turn++)
			formats->known[block_of(formats, item, turn)] = 1;
	}
}

/* Between the plane and a buffer. */
static void copy_plane(const struct formats *formats, cl_mem buffer, bool from)
{
	static const size_t origin[3];
	struct session *session = formats->session;
	const size_t width = (size_t)1 << formats->log_width;
	const size_t region[3] = {width, formats->elements / width, 1};
	cl_int code;

	if (session->rc)
		return;
	code = from ? clEnqueueCopyBufferToImage(session->queue, buffer,
			      formats->plane, 0, origin, region, 0, NULL, NULL)
		    : clEnqueueCopyImageToBuffer(session->queue, formats->plane,
			      buffer, origin, region, 0, 0, NULL, NULL);
	session_finish(session, code, "copying an image");
}

static const struct width *width_of(size_t words)
{
	const struct width *width = formats_widths;

	while (width->words != words)
		width++;
	return width;
}

/* As near to a square as the elements allow. */
size_t formats_log_width(size_t elements)
{
	size_t log = 0;

	while (elements % ((size_t)2 << log) == 0 &&
		((size_t)1 << 2 * log) < elements)
		log++;
	return log;
}

/* A plane of their elements, which the session owns. */
static cl_mem open_plane(struct formats *formats, const cl_image_format *format)
{
	struct session *session = formats->session;
	size_t log = formats_log_width(formats->elements);
	const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = (size_t)1 << log,
		.image_height = formats->elements >> log};
	cl_int code;
	cl_mem image;

	formats->log_width = log;
	if (session->rc)
		return NULL;
	image = clCreateImage(session->context, CL_MEM_READ_WRITE, format,
		&shape, NULL, &code);
	return session_own(session, image, code, "an image on the device");
}

static cl_mem open_image(
	struct formats *formats, enum access access, enum type type, bool write)
{
	const cl_image_format format = {
		width_of(formats->words)->order, formats_types[type].channel};

	formats->plane = NULL;
	if (access == TYPED)
		return images_of_buffer(formats->session,
			write ? formats->written : formats->data, &format,
			formats->elements);
	formats->plane = open_plane(formats, &format);
	if (formats->plane && !write)
		copy_plane(formats, formats->data, true);
	return formats->plane;
}

static void set_arguments(
	struct formats *formats, struct sweep *sweep, enum kernel kernel)
{
	enum access access = formats_kernels[kernel].access;
	cl_mem memory = sweep->write ? formats->written : formats->data;
	size_t value = kernel == BUFFER_MULTIPLY ? FACTOR : formats->value;
	struct session *session = formats->session;

	if (access != BUFFER)
		memory = open_image(
			formats, access, formats_type_of(sweep), sweep->write);
	session_arguments(session, sweep->launch.kernel, 0,
		(struct argument[]){of_memory(memory), of_memory(formats->out),
			of_word(1), of_word(formats->step),
			of_word(formats->blocks - 1), of_word(apart(formats)),
			of_word(value), {0}});
	if (access != BUFFER)
		session_arguments(session, sweep->launch.kernel, 7,
			(struct argument[]){of_word(formats->words), {0}});
	if (access == PLANE || access == MIX)
		session_arguments(session, sweep->launch.kernel, 8,
			(struct argument[]){of_word(formats->log_width), {0}});
	if (access == MIX)
		session_arguments(session, sweep->launch.kernel, 9,
			(struct argument[]){of_memory(formats->data), {0}});
}

/* Elements and blocks of the point; twelve bytes take the room of sixteen. */
static void set_shape(struct formats *formats, struct sweep *sweep)
{
	const struct amount *amount = formats->amount;
	size_t bytes =
		(formats->words == 3 ? 4 : formats->words) * sizeof(cl_uint);
	size_t at_once;

	formats->elements = amount->bytes / bytes;
	formats->blocks =
		amount->slice_bytes / bytes / (FORMATS_TURN * formats->pitch);
	sweep->launch.items = amount->groups * formats->group;
	sweep->launch.group = formats->group;
	at_once = sweep->launch.items / formats->pitch;
	formats->step = is_shared(amount) ? at_once | 1 : 1;
	formats->turns = formats->blocks;
	if (is_shared(amount))
		formats->turns = at_once < formats->blocks
					 ? formats->blocks / at_once
					 : 1;
}

void formats_prepare(struct sweep *sweep, size_t i)
{
	struct formats *formats = sweep->context;
	enum kernel kernel = formats_kernel_of(sweep, i);
	struct session *session = formats->session;
	struct loop loop = {.argument = 2,
		.least_s = session->is_cpu ? SWEEP_LEAST_S : LEAST_S};
	const struct width *width;

	session_release(session, formats->mark);
	formats->plane = NULL;
	formats->words = kernel >= MIX_0 ? 4 : (size_t)sweep->x[i] / 4;
	set_shape(formats, sweep);
	formats->value = (formats->value + NEXT_VALUE) % MOST_VALUE;
	/* Images have vectors of four, whatever their elements are. */
	width = width_of(formats_kernels[kernel].access ? 4 : formats->words);
	sweep->launch.kernel = formats->kernels[formats_type_of(sweep)]
					       [width - formats_widths][kernel];
	set_arguments(formats, sweep, kernel);
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
	sweep->right.n = sweep->write ? formats->elements * formats->words
				      : sweep->launch.items;
	if (session->rc)
		return;
	if (sweep->write) {
		expect_writes(formats, sweep->launch.items);
		return;
	}
	count_ones(formats);
	expect_reads(formats, sweep, kernel);
}

/* A plane takes over that nothing is written, and gives what is. */
struct timing formats_time_plane(struct sweep *sweep, size_t i)
{
	const struct formats *formats = sweep->context;
	struct timing timing;

	(void)i;
	copy_plane(formats, formats->written, true);
	timing = launch_time(sweep->session, &sweep->launch);
	copy_plane(formats, formats->written, false);
	return timing;
}
