/*
 * Elements of 4 to 16 bytes (on CPUs to 64) of two types, from buffers and from
 * images: what a format costs. After M. Oomen, "Learning About GPUs Through
 * Measuring Memory Bandwidth" (Traverse Research, 2025).
 *
 * The test times kernels whose work-items read or write one element at a time,
 * eight of them a turn; only the elements' bytes count. What is read is added
 * up, which every result shows, and is not counted. Neighbours have
 * neighbouring elements on devices other than CPUs; a work-item of a CPU goes
 * through a part for itself. Three amounts of memory: in the smallest one each
 * group has its own slice and stays in it; on other devices than CPUs, groups
 * go through all of the larger ones, and no unit meets a block again before it
 * has seen the others.
 *
 * Twelve bytes are read by vload3() from words without gaps, so their memory is
 * three quarters. Images have no such format.
 *
 * Bias: a plane is read along its rows, which is not what planes are made for.
 * On CPUs images are software, so that they are not measured beyond the caches:
 * that would take long and say the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cl/images.h"
#include "cl/memory/formats_cl.h"
#include "cl/suite/rowcol.h"
#include "cl/sweep.h"
#include "cl/tests.h"
#include "machine/memory.h"

/* As in the kernels. */
#define A_TURN	  8
#define FACTOR	  3
#define LANE_MASK 4095u

/*
 * On devices other than CPUs: 2 KiB are contiguous at 16 bytes, and a group has
 * 8 KiB; first-level caches of today have 16 KiB and more for a unit.
 */
#define GPU_PITCH	 64
#define GPU_GROUP	 256
#define GPU_SLICE_BYTES	 ((size_t)8192)
#define GPU_SLICES	 2
#define GPU_SHARED_BYTES ((size_t)16 << 20)

/* The largest last-level caches of today's GPUs have 256 MiB. */
#define GPU_BYTES   ((size_t)512 << 20)
#define LEAST_BYTES ((size_t)1 << 20)

/* On CPUs so many times the last-level caches, if these are known. */
#define CACHES 4
/* Of each CPU: a thread that wakes late has less of them. */
#define CPU_SLICES     4
#define CPU_LEAST_PART ((size_t)4096)

#define CPU_LEAST_BYTES ((size_t)32 << 20)
#define CPU_MOST_BYTES	((size_t)1 << 30)
#define USUAL_L1_BYTES	((size_t)32 << 10)
#define USUAL_L2_BYTES	((size_t)512 << 10)

/* So many words, each of them 0 or 1, a float adds up without rounding. */
#define MOST_WORDS ((size_t)1 << 24)

/* A run should take this long; on CPUs more, for threads that wake late. */
#define LEAST_S 2e-4

/* What is written grows by this, so that no two points write the same. */
#define NEXT_VALUE 5000u
#define MOST_VALUE 4000000u

enum access {
	BUFFER,
	TYPED, /* an image of a buffer, of one dimension */
	PLANE,
	MIX,
};

enum kernel {
	BUFFER_READ,
	BUFFER_MULTIPLY,
	BUFFER_WRITE,
	TYPED_READ,
	TYPED_WRITE,
	PLANE_READ,
	PLANE_WRITE,
	MIX_0,
	MIX_25,
	MIX_50,
	MIX_75,
	MIX_100,
	KERNELS
};

static const struct {
	const char *name;
	enum access access;
} kernels[KERNELS] = {
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

enum type {
	FLOAT,
	UINT,
	TYPES
};

static const struct {
	const char *name, *flags;
	cl_channel_type channel;
} types[TYPES] = {
	[FLOAT] = {"float",
		"-DTYPE=float -DREAD_IMAGE=read_imagef "
		"-DWRITE_IMAGE=write_imagef",
		CL_FLOAT},
	[UINT] = {"uint",
		"-DTYPE=uint -DREAD_IMAGE=read_imageui "
		"-DWRITE_IMAGE=write_imageui",
		CL_UNSIGNED_INT32},
};

/* Elements; order 0: no image has them. */
static const struct width {
	unsigned words;
	cl_channel_order order;
	bool only_cpu, quick;
} widths[] = {
	{1, CL_R, false, true},
	{2, CL_RG, false, false},
	{3, 0, false, false},
	{4, CL_RGBA, false, true},
	{8, 0, true, false},
	{16, 0, true, false},
};

#define WIDTHS (sizeof(widths) / sizeof(*widths))

/* A curve of a panel. */
struct kind {
	const char *name;
	enum kernel kernels[2]; /* read, write; the same: only read */
	enum type type;
	bool quick;
};

static const struct kind of_buffers[] = {
	{"buffer, float", {BUFFER_READ, BUFFER_WRITE}, FLOAT, true},
	{"buffer, uint", {BUFFER_READ, BUFFER_WRITE}, UINT, true},
	{"buffer, uint, multiplied", {BUFFER_MULTIPLY, BUFFER_MULTIPLY}, UINT,
		true},
};

static const struct kind of_images[] = {
	{"image of a buffer, float", {TYPED_READ, TYPED_WRITE}, FLOAT, true},
	{"image, float", {PLANE_READ, PLANE_WRITE}, FLOAT, true},
	{"image of a buffer, uint", {TYPED_READ, TYPED_WRITE}, UINT, false},
	{"image, uint", {PLANE_READ, PLANE_WRITE}, UINT, false},
};

#define MOST_KINDS 4

static const unsigned shares[] = {0, 25, 50, 75, 100};
static const unsigned quick_shares[] = {0, 50, 100};

/* An amount of memory. */
struct amount {
	char name[2 * TEXT_SIZE_BYTES];
	size_t bytes, slice_bytes; /* of each group; or all of it */
	size_t groups;
	bool images;
};

#define AMOUNTS 3

struct formats {
	struct session *session;
	cl_kernel kernels[TYPES][WIDTHS][KERNELS];
	struct amount amounts[AMOUNTS];
	size_t n_amounts, group, pitch;
	bool images;
	unsigned image_words[WIDTHS]; /* [n_image] */
	size_t n_image;
	cl_mem data, written, out;
	cl_uint *right;	      /* what work-items read */
	unsigned char *ones;  /* of a block and lane: words that are 1 */
	unsigned char *known; /* blocks that are written */
	unsigned ones_words;  /* which elements ones is about; 0: none */

	/* Of the point. */
	const struct amount *amount;
	size_t words, elements, blocks, turns, step;
	cl_mem plane;
	size_t log_width, mark; /* before the image */
	cl_uint value;
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

static cl_uint data_word(const void *context, size_t i)
{
	(void)context;
	return word_of(FLOAT, is_one(i));
}

static cl_uint read_word(const void *context, size_t i)
{
	const struct formats *formats = context;

	return formats->right[i];
}

static enum type type_of(const struct sweep *sweep)
{
	return (enum type)(sweep->kind / KERNELS);
}

static enum kernel kernel_of(const struct sweep *sweep, size_t i)
{
	unsigned first = sweep->kind % KERNELS;

	if (first != MIX_0)
		return (enum kernel)first;
	return (enum kernel)(MIX_0 + (unsigned)sweep->x[i] / 25);
}

static cl_uint written_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct formats *formats = sweep->context;
	size_t e = i / formats->words;

	if (!formats->known[e / (A_TURN * formats->pitch)])
		return SESSION_UNWRITTEN;
	return word_of(type_of(sweep),
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
	size_t block = A_TURN * pitch;

	if (formats->ones_words == words)
		return;
	formats->ones_words = (unsigned)words;
	memset(formats->ones, 0, formats->elements / A_TURN);
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
			type_of(sweep) == FLOAT
				? word_of(FLOAT, (cl_uint)sum)
				: (cl_uint)sum * word_of(FLOAT, 1) * factor;
	}
}

static void expect_writes(const struct formats *formats, size_t items)
{
	size_t turns = formats->turns < formats->blocks ? formats->turns
							: formats->blocks;

	memset(formats->known, 0,
		formats->elements / (A_TURN * formats->pitch));
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
	const struct width *width = widths;

	while (width->words != words)
		width++;
	return width;
}

/* As near to a square as the elements allow. */
static size_t log_width_of(size_t elements)
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
	size_t log = log_width_of(formats->elements);
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
		width_of(formats->words)->order, types[type].channel};

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
	enum access access = kernels[kernel].access;
	cl_mem memory = sweep->write ? formats->written : formats->data;
	size_t value = kernel == BUFFER_MULTIPLY ? FACTOR : formats->value;
	struct session *session = formats->session;

	if (access != BUFFER)
		memory = open_image(
			formats, access, type_of(sweep), sweep->write);
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
		amount->slice_bytes / bytes / (A_TURN * formats->pitch);
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

static void prepare(struct sweep *sweep, size_t i)
{
	struct formats *formats = sweep->context;
	enum kernel kernel = kernel_of(sweep, i);
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
	width = width_of(kernels[kernel].access ? 4 : formats->words);
	sweep->launch.kernel =
		formats->kernels[type_of(sweep)][width - widths][kernel];
	set_arguments(formats, sweep, kernel);
	loop.least = (cl_uint)formats->turns;
	loop.most = (cl_uint)(MOST_WORDS / A_TURN / formats->words);
	formats->turns = launch_loop(session, &sweep->launch, &loop);
	sweep->amount = (double)(sweep->launch.items * formats->turns * A_TURN *
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
static struct timing time_plane_write(struct sweep *sweep, size_t i)
{
	const struct formats *formats = sweep->context;
	struct timing timing;

	(void)i;
	copy_plane(formats, formats->written, true);
	timing = launch_time(sweep->session, &sweep->launch);
	copy_plane(formats, formats->written, false);
	return timing;
}

static struct sweep sweep_of(struct formats *formats, const struct kind *kind,
	bool write, struct sweep *self)
{
	struct session *session = formats->session;
	const char *access = write ? "write" : "read";
	const char *name = formats->amount->name;
	enum kernel kernel = kind->kernels[write];
	bool mix = kernel == MIX_0;
	struct sweep sweep = {.session = session,
		.name = session_text(
			session, "%s of %s, %s", access, kind->name, name),
		.is = {.family = mix ? "image and buffer by turns, read"
				     : session_text(
					       session, "%s, %s", access, name),
			.member = mix ? session_text(session, "%s", name)
				      : kind->name,
			.x_name = mix ? "share of the buffer" : "element",
			.x_unit = mix ? "%" : "B",
			.x_axis = mix ? CURVE_AMOUNTS : CURVE_BYTES},
		.prepare = prepare,
		.time = kernel == PLANE_WRITE ? time_plane_write : NULL,
		.context = formats,
		.write = write,
		.kind = kind->type * KERNELS + kernel,
		.bound = {.what = write ? NATIVE_WRITE : NATIVE_READ,
			.panel = mix ? NULL : access}};

	sweep.right = words_written(write ? formats->written : formats->out, 0,
		write ? written_word : read_word,
		write ? (const void *)self : formats);
	return sweep;
}

/* Elements of buffers; those of images are in formats->image_words. */
static void add_widths(const struct formats *formats, struct sweep *sweep)
{
	const struct session *session = formats->session;

	for (size_t i = 0; i < WIDTHS; i++) {
		unsigned bytes = widths[i].words * (unsigned)sizeof(cl_uint);

		if ((session->is_cpu || !widths[i].only_cpu) &&
			(widths[i].quick || !session->options->quick))
			sweep_over(sweep, &bytes, 1);
	}
}

/* "16 bytes beside 4: 2.00 times as fast (1.90 to 2.10)" */
static void find_widths(const struct sweep *sweep)
{
	static const unsigned compared[] = {8, 12, 16, 64};
	struct figure four = sweep_figure_at(sweep, 4);
	struct text_list list = {.text = NULL};
	char text[FIGURE_BYTES], *all;

	for (size_t i = 0; i < sizeof(compared) / sizeof(*compared); i++) {
		struct figure figure = sweep_figure_at(sweep, compared[i]);

		if (!isnan(figure.median))
			text_list_add(&list, "; ", "%u bytes %s", compared[i],
				figure_times(figure_over(figure, four), "fast",
					text));
	}
	all = text_list_end(&list);
	if (all && *all)
		session_find(sweep->session,
			"%s, beside elements of 4 bytes: %s", sweep->name, all);
	free(all);
}

static void find_between(const struct sweep *sweep, const struct sweep *other,
	double bytes, const char *what)
{
	char text[FIGURE_BYTES];

	session_find(sweep->session, "%s, %s, elements of %.0f bytes: %s",
		sweep->is.family, what, bytes,
		figure_times(figure_over(sweep_figure_at(sweep, bytes),
				     sweep_figure_at(other, bytes)),
			"fast", text));
}

/* Only if types differ: nothing else is a surprise. */
static void find_types(const struct sweep *floats, const struct sweep *uints)
{
	for (size_t i = 0; i < floats->n; i++) {
		const struct figure figures[] = {
			sweep_figure(floats, i), sweep_figure(uints, i)};

		if (judge_spread(figures, 2) == SPREAD_SEEN)
			find_between(uints, floats, floats->x[i],
				"buffers, uint beside float");
	}
}

static void find_mix(const struct sweep *sweep)
{
	struct figure figures[SWEEP_MOST], alone;
	char text[FIGURE_BYTES];
	size_t best;

	sweep_figures(sweep, figures);
	best = figure_most(figures, sweep->n);
	if (best == sweep->n)
		return;
	if (best == 0 || best == sweep->n - 1) {
		session_find(sweep->session,
			"image and buffer by turns, %s: no mix is faster than "
			"the %s alone",
			sweep->is.member, best ? "buffer" : "image");
		return;
	}
	alone = figures[0].median > figures[sweep->n - 1].median
			? figures[0]
			: figures[sweep->n - 1];
	session_find(sweep->session,
		"image and buffer by turns, %s: %.0f %% from the buffer, "
		"beside the faster of both alone: %s",
		sweep->is.member, sweep->x[best],
		figure_times(figure_over(figures[best], alone), "fast", text));
}

/* Those of the kinds that this run has; returns how many. */
static size_t make_sweeps(struct formats *formats, const struct kind *all,
	size_t n, bool write, struct sweep *sweeps)
{
	bool quick = formats->session->options->quick;
	size_t made = 0;

	for (size_t k = 0; k < n; k++) {
		bool writes = all[k].kernels[0] != all[k].kernels[1];

		if ((quick && !all[k].quick) || (write && !writes))
			continue;
		sweeps[made] = sweep_of(formats, &all[k], write, &sweeps[made]);
		made++;
	}
	return made;
}

/* What a point makes, the next one releases. */
static int run_sweeps(struct formats *formats, struct sweep *sweeps, size_t n)
{
	formats->mark = session_mark(formats->session);
	return sweep_run(sweeps, n);
}

static void measure_mix(struct formats *formats)
{
	static const struct kind mix = {
		"image and buffer", {MIX_0, MIX_0}, FLOAT, true};
	struct sweep sweep = sweep_of(formats, &mix, false, NULL);

	if (formats->session->options->quick)
		sweep_over(&sweep, quick_shares,
			sizeof(quick_shares) / sizeof(*quick_shares));
	else
		sweep_over(&sweep, shares, sizeof(shares) / sizeof(*shares));
	if (run_sweeps(formats, &sweep, 1) == 0)
		find_mix(&sweep);
}

static void measure_images(
	struct formats *formats, bool write, struct sweep *buffers)
{
	struct sweep sweeps[MOST_KINDS];
	size_t n = make_sweeps(formats, of_images,
		sizeof(of_images) / sizeof(*of_images), write, sweeps);
	double widest;

	for (size_t k = 0; k < n; k++) {
		sweep_over(&sweeps[k], formats->image_words, formats->n_image);
		sweeps[k].bound.of = buffers;
	}
	if (run_sweeps(formats, sweeps, n) < 0)
		return;
	widest = sweeps->x[sweeps->n - 1];
	find_between(&sweeps[0], buffers, widest,
		"image of a buffer beside the buffer");
	find_between(&sweeps[1], buffers, widest, "image beside a buffer");
}

static bool has_mix(const struct formats *formats)
{
	return formats->image_words[formats->n_image - 1] == 16;
}

static void measure_access(struct formats *formats, bool write)
{
	struct session *session = formats->session;
	const struct theory theory = theory_of(&session->theory, THEORY_MEMORY);
	size_t at = session->result->n_curves;
	struct sweep sweeps[MOST_KINDS];
	size_t n = make_sweeps(formats, of_buffers,
		sizeof(of_buffers) / sizeof(*of_buffers), write, sweeps);

	for (size_t k = 0; k < n; k++) {
		add_widths(formats, &sweeps[k]);
		if (k > 0)
			sweeps[k].bound.of = &sweeps[0];
	}
	if (run_sweeps(formats, sweeps, n) < 0)
		return;
	find_widths(&sweeps[0]);
	find_types(&sweeps[0], &sweeps[1]);
	if (!write)
		find_between(&sweeps[2], &sweeps[1], 4,
			"with one multiplication for each word");
	if (formats->amount->images) {
		measure_images(formats, write, &sweeps[0]);
		if (!write && has_mix(formats))
			measure_mix(formats);
	}
	if (formats->amount->bytes >= GPU_BYTES)
		ceiling_show_theory(session, &theory, at);
}

static void measure_amount(struct formats *formats, const struct amount *amount)
{
	struct session *session = formats->session;
	size_t mark = session_mark(session);
	size_t words = amount->bytes / sizeof(cl_uint);

	formats->amount = amount;
	formats->ones_words = 0;
	formats->data = session_buffer(session, amount->bytes);
	formats->written = session_buffer(session, amount->bytes);
	formats->out = session_buffer(
		session, amount->groups * formats->group * sizeof(cl_uint));
	formats->right = session_memory(session,
		amount->groups * formats->group * sizeof(cl_uint), "the sums");
	formats->ones = session_memory(session, words / A_TURN, "the sums");
	formats->known = session_memory(session, words / A_TURN, "the blocks");
	session_fill(session, formats->data, words, data_word, NULL);
	for (int write = 0; write < 2 && session_ok(session); write++)
		measure_access(formats, write);
	session_release(session, mark);
}

/* A power of two within these. */
static size_t within(uint64_t wanted, size_t least, size_t most)
{
	size_t bytes = least;

	while (bytes * 2 <= wanted && bytes * 2 <= most)
		bytes *= 2;
	return bytes;
}

static void add_amount(
	struct formats *formats, size_t bytes, size_t slice, const char *each)
{
	struct amount *amount = &formats->amounts[formats->n_amounts++];
	const struct session *session = formats->session;
	char size[TEXT_SIZE_BYTES];
	size_t held = theory_unit_items(&session->theory) / formats->group;

	*amount = (struct amount){.bytes = bytes,
		.slice_bytes = slice,
		.images = formats->images};
	amount->groups = bytes / slice;
	if (!session->is_cpu && slice == bytes)
		amount->groups = session->units * (held ? held : 1);
	text_size(each ? bytes / session->units : bytes, size);
	snprintf(amount->name, sizeof(amount->name), "%s%s", size,
		each ? each : "");
}

/* Half of both inner caches of each CPU, and more than the outer ones hold. */
static void choose_cpu_amounts(struct formats *formats)
{
	struct session *session = formats->session;
	const struct cpu_list *cpus = session->options->cpus;
	uint64_t l1 = caches_bytes(session->machine, cpus, 1) / cpus->n;
	uint64_t l2 = caches_bytes(session->machine, cpus, 2) / cpus->n;
	size_t units = session->units, all, part;
	size_t caches = session->options->quick ? CACHES / 2 : CACHES;

	l1 = within((l1 ? l1 : USUAL_L1_BYTES) / 2, CPU_LEAST_PART, 1 << 20);
	l2 = within((l2 ? l2 : USUAL_L2_BYTES) / 2, CPU_LEAST_PART, 64 << 20);
	all = session_size(
		session, within(caches * llcs_bytes(session->machine, cpus),
				 CPU_LEAST_BYTES, CPU_MOST_BYTES));
	part = within(all / units, CPU_LEAST_PART,
		CPU_SLICES * MOST_WORDS * sizeof(cl_uint));
	add_amount(formats, l1 * units, l1 / CPU_SLICES, " a CPU");
	if (l2 > l1 && l2 < part)
		add_amount(formats, l2 * units, l2 / CPU_SLICES, " a CPU");
	if (part > l1) {
		add_amount(formats, part * units, part / CPU_SLICES, NULL);
		formats->amounts[formats->n_amounts - 1].images = false;
	}
}

static void choose_gpu_amounts(struct formats *formats)
{
	const struct session *session = formats->session;
	size_t bytes = GPU_BYTES, slices = GPU_SLICES * session->units;

	while (bytes > GPU_SHARED_BYTES &&
		(bytes > session->max_alloc_bytes ||
			4.0 * (double)bytes >
				MEMORY_SHARE * (double)session->global_bytes))
		bytes /= 2;
	bytes = session_size(session, bytes);
	add_amount(
		formats, slices * GPU_SLICE_BYTES, GPU_SLICE_BYTES, " a unit");
	if (bytes > GPU_SHARED_BYTES)
		add_amount(formats, GPU_SHARED_BYTES, GPU_SHARED_BYTES, NULL);
	add_amount(formats, bytes, bytes, NULL);
}

/* Both kinds of image, of both types. */
static bool takes_width(
	const struct session *session, const struct width *width)
{
	for (size_t type = 0; type < TYPES; type++) {
		const cl_image_format format = {
			width->order, types[type].channel};

		if (!images_allow(session, CL_MEM_OBJECT_IMAGE2D, &format) ||
			!images_allow(
				session, CL_MEM_OBJECT_IMAGE1D_BUFFER, &format))
			return false;
	}
	return true;
}

/* Which elements images have, with the reason where they lack some. */
static void choose_image_widths(struct formats *formats)
{
	struct session *session = formats->session;
	struct text_list lacks = {.text = NULL};
	char *text;

	if (!session_fact(session, CL_DEVICE_IMAGE_SUPPORT)) {
		session_find(session,
			"images are left out: this device has none "
			"(CL_DEVICE_IMAGE_SUPPORT)");
		return;
	}
	for (size_t i = 0; i < WIDTHS; i++) {
		unsigned bytes = widths[i].words * (unsigned)sizeof(cl_uint);

		if (!widths[i].order ||
			(session->options->quick && !widths[i].quick))
			continue;
		if (takes_width(session, &widths[i]))
			formats->image_words[formats->n_image++] = bytes;
		else
			text_list_add(&lacks, ", ", "%u", bytes);
	}
	formats->images = formats->n_image > 0;
	text = text_list_end(&lacks);
	if (text && *text)
		session_find(session,
			"images with elements of these bytes are left out, "
			"because the device has no such format: %s",
			text);
	free(text);
}

/* Leave images out where they would have more elements than they may. */
static void limit_images(struct formats *formats)
{
	struct session *session = formats->session;
	size_t most = session_fact(session, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
	size_t width = session_fact(session, CL_DEVICE_IMAGE2D_MAX_WIDTH);
	size_t height = session_fact(session, CL_DEVICE_IMAGE2D_MAX_HEIGHT);

	for (size_t i = 0; i < formats->n_amounts && formats->images; i++) {
		struct amount *amount = &formats->amounts[i];
		size_t elements = amount->bytes / formats->image_words[0];
		size_t log = log_width_of(elements);

		if (!amount->images) {
			session_find(session,
				"images of %s are left out: on a CPU they are "
				"software, which memory does not slow down",
				amount->name);
			continue;
		}
		amount->images = elements <= most &&
				 (size_t)1 << log <= width &&
				 elements >> log <= height;
		if (!amount->images)
			session_find(session,
				"images of %s are left out: they would have "
				"more elements than the device allows",
				amount->name);
	}
}

static void build(struct formats *formats)
{
	struct session *session = formats->session;

	for (size_t i = 0; i < TYPES * WIDTHS && session_ok(session); i++) {
		size_t type = i % TYPES, w = i / TYPES;
		bool images = formats->images && widths[w].words == 4;
		cl_program program;

		if ((widths[w].only_cpu && !session->is_cpu) ||
			(session->options->quick && !widths[w].quick))
			continue;
		program = session_build(session, "formats.cl", formats_cl,
			session_text(session,
				"%s -DWIDTH=%u -DPITCH=%zu -DREAD_QUALIFIER=%s"
				"%s",
				types[type].flags, widths[w].words,
				formats->pitch,
				session->is_cpu ? "volatile" : "",
				images ? " -DIMAGES" : ""));
		for (size_t k = 0; k < (images ? KERNELS : TYPED_READ); k++)
			formats->kernels[type][w][k] = session_kernel(
				session, program, kernels[k].name);
	}
}

/* The points of all amounts, for the progress. */
static void count_points(const struct formats *formats)
{
	struct session *session = formats->session;
	bool quick = session->options->quick;
	struct sweep buffers = {.session = session};
	size_t images = formats->n_image * (quick ? 4 : 8);

	if (formats->images && has_mix(formats))
		images += quick ? 3 : 5;
	add_widths(formats, &buffers);
	for (size_t i = 0; i < formats->n_amounts; i++)
		session->all +=
			(double)(5 * buffers.n +
				 (formats->amounts[i].images ? images : 0));
}

static void run_formats(struct session *session)
{
	struct formats formats = {.session = session, .group = 1, .pitch = 1};
	size_t group = session->max_group;

	if (!session->is_cpu) {
		formats.group = within(group, 1, GPU_GROUP);
		formats.pitch = within(formats.group, 1, GPU_PITCH);
	}
	choose_image_widths(&formats);
	if (session->is_cpu)
		choose_cpu_amounts(&formats);
	else
		choose_gpu_amounts(&formats);
	limit_images(&formats);
	count_points(&formats);
	build(&formats);
	for (size_t i = 0; i < formats.n_amounts; i++)
		measure_amount(&formats, &formats.amounts[i]);
}

const struct test test_formats = {
	.name = "formats",
	.section = "Oomen",
	.set = GROUP_MEMORY,
	.summary = "Elements of 4 to 64 bytes, from buffers and images",
	.takes = TAKES_SIZE,
	.memory_by = TAKES_SIZE,
	.size = {SIZE_POWER, LEAST_BYTES, (uint64_t)4 << 30},
	.figures = {{.what = "buffer of floats read, best",
		.family = "read, ",
		.members = {"buffer, float"}}},
	.run = run_formats,
};
