/*
 * Measure the cost of formats: elements of 4 to 16 bytes (on CPUs up to 64) of
 * two types, in buffers and in images. Modelled on M. Oomen, "Learning About
 * GPUs Through Measuring Memory Bandwidth" (Traverse Research, 2025).
 *
 * The test times kernels whose work-items read or write one element at a time,
 * eight elements a turn. The rate counts only the elements' bytes. Each kernel
 * adds up the elements that it reads; the additions are in every result and are
 * not counted. On CPUs each work-item reads its own part repeatedly
 * (shares.cl). On other devices, neighbours read neighbouring elements. The
 * test has three amounts of memory. With the smallest amount each group stays
 * in its own slice. On devices other than CPUs, groups go through all of the
 * larger amounts, and a unit reads all other blocks before it reads a block
 * again.
 *
 * vload3() reads elements of twelve bytes from words without gaps, so these
 * elements take three quarters of the memory. Images have no format of twelve
 * bytes.
 *
 * Bias: a plane is read along its rows only, although planes are made for 2D
 * locality. On CPUs images are software, so c2c measures them only within the
 * caches: larger sizes would take long and have the same results.
 */
#include <math.h>
#include <string.h>

#include "cl/cl_caches.h"
#include "cl/images.h"
#include "cl/memory/formats_cl.h"
#include "cl/split.h"
#include "cl/sweep.h"
#include "machine/memory.h"

/* Factor and mask, as in the kernels. */
#define FACTOR	  3
#define LANE_MASK 4095u

/* Shortest time of a run. CPUs need longer runs, because threads wake late. */
#define LEAST_S 2e-4

/* Difference between written values: no two points write the same value. */
#define NEXT_VALUE 5000u
#define MOST_VALUE 4000000u

/*
 * Sizes on devices other than CPUs: with elements of 16 bytes, 2 KiB are
 * contiguous, and a group has 8 KiB. Today's first-level caches have at least
 * 16 KiB per unit.
 */
#define GPU_PITCH	 64
#define GPU_GROUP	 256
#define GPU_SLICE_BYTES	 ((size_t)8192)
#define GPU_SLICES	 2
#define GPU_SHARED_BYTES ((size_t)16 << 20)

/* Memory on CPUs, in sizes of all last-level caches, if known. */
#define CACHES	       4
#define CPU_LEAST_PART ((size_t)4096)

#define CPU_LEAST_BYTES	 ((size_t)32 << 20)
#define CPU_MOST_BYTES	 ((size_t)1 << 30)
#define QUICK_MOST_BYTES ((size_t)128 << 20)
#define USUAL_L1_BYTES	 ((size_t)32 << 10)
#define USUAL_L2_BYTES	 ((size_t)512 << 10)

/* Number of accesses in a turn, as in the kernels. */
#define FORMATS_TURN 8

/* Largest number of words, each 0 or 1, whose sum is exact as a float. */
#define FORMATS_MOST_WORDS ((size_t)1 << 24)

enum formats_access {
	BUFFER,
	TYPED, /* 1D image of a buffer */
	PLANE,
	MIX,
};

enum formats_type_id {
	FLOAT,
	UINT,
	TYPES
};

struct formats_type {
	const char *name, *flags;
	cl_channel_type channel;
};

/* A width of elements. order is 0 if no image has this width. */
struct formats_width {
	unsigned words;
	cl_channel_order order;
	bool only_cpu, quick;
};
#define WIDTHS 6

struct formats_amount {
	const char *name;
	size_t bytes, slice_bytes; /* memory of a group, or all memory */
	size_t items; /* work-items with different work: others repeat it */
	bool shared;  /* all groups go through all memory */
	bool images;
	bool once; /* a run reads the memory only once */
};

struct formats_state {
	struct session *session;
	cl_program programs[TYPES][WIDTHS];
	struct formats_amount amounts[3];
	size_t n_amounts, group, pitch;
	bool images;
	unsigned image_words[WIDTHS]; /* [n_image] */
	size_t n_image;
	cl_mem data, written, out;
	cl_uint *expected;   /* expected results of reads */
	unsigned char *ones; /* [blocks * lanes] number of words that are 1 */
	unsigned char *written_blocks; /* whether a block is written */
	unsigned ones_words; /* words of an element for `ones`; 0: none */

	/* State of the current point. */
	const struct formats_amount *amount;
	size_t words, elements, blocks, step;
	size_t slice_blocks; /* blocks between the slices of two groups */
	size_t mark;	     /* session_mark() before the image */
	cl_uint value;
};

/*
 * A curve: the reading and the writing kernel (NULL: none), and their factor.
 */
struct formats_curve {
	const char *name;
	const char *kernels[2]; /* read, write; names of MIX end with x */
	enum formats_access access;
	enum formats_type_id type;
	cl_uint factor;
	bool quick;
};

#define CURVES 8
#define IMAGES 3
#define MIXED  7

/* Curves of buffers, curves of images, and image and buffer by turns. */
static const struct formats_curve curves[CURVES] = {
	{"buffer, float", {"buffer_read", "buffer_write"}, BUFFER, FLOAT, 1,
		true},
	{"buffer, uint", {"buffer_read", "buffer_write"}, BUFFER, UINT, 1,
		true},
	{"buffer, uint, multiplied", {"buffer_multiply"}, BUFFER, UINT, FACTOR,
		true},
	{"image of a buffer, float", {"typed_read", "typed_write"}, TYPED,
		FLOAT, 1, true},
	{"image, float", {"plane_read", "plane_write"}, PLANE, FLOAT, 1, true},
	{"image of a buffer, uint", {"typed_read", "typed_write"}, TYPED, UINT,
		1, false},
	{"image, uint", {"plane_read", "plane_write"}, PLANE, UINT, 1, false},
	{"image and buffer", {"mix_"}, MIX, FLOAT, 1, true},
};

static const struct formats_type formats_types[TYPES] = {
	[FLOAT] = {"float",
		"-DTYPE=float -DREAD_IMAGE=read_imagef "
		"-DWRITE_IMAGE=write_imagef",
		CL_FLOAT},
	[UINT] = {"uint",
		"-DTYPE=uint -DREAD_IMAGE=read_imageui "
		"-DWRITE_IMAGE=write_imageui",
		CL_UNSIGNED_INT32},
};

static const struct formats_width formats_widths[WIDTHS] = {
	{1, CL_R, false, true},
	{2, CL_RG, false, false},
	{3, 0, false, false},
	{4, CL_RGBA, false, true},
	{8, 0, true, false},
	{16, 0, true, false},
};

static bool formats_has_width(
	const struct session *session, const struct formats_width *width)
{
	return (session->is_cpu || !width->only_cpu) &&
	       (width->quick || !session->options->quick);
}

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

static cl_uint formats_data_word(const void *context, size_t i)
{
	(void)context;
	return formats_number_word(FLOAT, formats_data_bit(i));
}

static cl_uint formats_written_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct formats_state *formats = sweep->context;
	size_t e = i / formats->words;

	if (!formats->written_blocks[e / (FORMATS_TURN * formats->pitch)])
		return SESSION_UNWRITTEN;
	return formats_number_word(curves[sweep->kind].type,
		formats->value + (cl_uint)(e % formats->pitch & LANE_MASK));
}

static size_t formats_item_block(
	const struct formats_state *formats, size_t item, size_t turn)
{
	size_t i = item / formats->pitch + turn * formats->step;

	return item / formats->group * formats->slice_blocks +
	       (i & (formats->blocks - 1));
}

/* Count the words that are 1 in each block and lane, for whole blocks. */
static void formats_count_part(
	void *context, size_t part, size_t first, size_t end)
{
	struct formats_state *formats = context;
	size_t pitch = formats->pitch, words = formats->words;
	size_t block = FORMATS_TURN * pitch;

	(void)part;
	for (size_t e = first / block * block; e < end / block * block; e++) {
		unsigned char *ones =
			&formats->ones[e / block * pitch + e % pitch];

		for (size_t w = 0; w < words; w++)
			*ones += (unsigned char)formats_data_bit(e * words + w);
	}
}

/* Count the words that are 1 among the reads of a work-item's first turns. */
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

/* Compute the expected sums. A work-item repeats its slice after its blocks. */
static void formats_expect_reads(
	const struct formats_state *formats, const struct sweep *sweep)
{
	size_t rounds = sweep->turns / formats->blocks;
	size_t rest = sweep->turns % formats->blocks;
	const struct formats_curve *curve = &curves[sweep->kind];

	for (size_t item = 0; item < formats->amount->items; item++) {
		size_t sum = formats_sum_ones(formats, item, rest);

		if (rounds > 0)
			sum += rounds *
			       formats_sum_ones(formats, item, formats->blocks);
		/* As integers, all these words are the bits of the float 1. */
		formats->expected[item] =
			curve->type == FLOAT
				? formats_number_word(FLOAT, (cl_uint)sum)
				: (cl_uint)sum * formats_number_word(FLOAT, 1) *
					  curve->factor;
	}
}

static void formats_expect_writes(
	const struct formats_state *formats, const struct sweep *sweep)
{
	size_t turns = min_size(sweep->turns, formats->blocks);
	size_t items = formats->amount->items;

	memset(formats->written_blocks, 0,
		formats->elements / (FORMATS_TURN * formats->pitch));
	for (size_t item = 0; item < items; item += formats->pitch) {
		for (size_t turn = 0; turn < turns; turn++)
			formats->written_blocks[formats_item_block(
				formats, item, turn)] = 1;
	}
}

static const struct formats_width *formats_find_width(size_t words)
{
	const struct formats_width *width = formats_widths;

	while (width->words != words)
		width++;
	return width;
}

static cl_mem formats_open_image(struct sweep *sweep, cl_mem memory)
{
	const struct formats_state *formats = sweep->context;
	const struct formats_curve *curve = &curves[sweep->kind];
	const cl_image_format format = {
		formats_find_width(formats->words)->order,
		formats_types[curve->type].channel};
	cl_mem plane;

	if (curve->access == TYPED)
		return images_of_buffer(
			sweep->session, memory, &format, formats->elements);
	plane = images_of_elements(sweep->session, &format, formats->elements);
	if (sweep->write)
		sweep->expected.plane = plane;
	else
		images_copy_plane(sweep->session, plane, memory, true);
	return plane;
}

static void formats_set_arguments(
	const struct formats_state *formats, struct sweep *sweep)
{
	static const size_t n_arguments[] = {
		[BUFFER] = 7, [TYPED] = 8, [PLANE] = 9, [MIX] = 10};
	const struct formats_curve *curve = &curves[sweep->kind];
	enum formats_access access = curve->access;
	cl_mem memory = sweep->write ? formats->written : formats->data;
	size_t value = curve->factor > 1 ? curve->factor : formats->value;
	struct kernel_argument arguments[] = {
		memory_argument(access == BUFFER
					? memory
					: formats_open_image(sweep, memory)),
		memory_argument(formats->out), word_argument(1),
		word_argument(formats->step),
		word_argument(formats->blocks - 1),
		word_argument(formats->slice_blocks), word_argument(value),
		word_argument(formats->words),
		word_argument(images_log_width(formats->elements)),
		memory_argument(formats->data), {0}};

	arguments[n_arguments[access]] = (struct kernel_argument){0};
	session_set_arguments(
		formats->session, sweep->launch.kernel, 0, arguments);
}

/* Set elements and blocks; elements of 12 bytes take as much memory as 16. */
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
	at_once = formats->amount->items / formats->pitch;
	sweep->launch.items = formats->amount->items;
	sweep->launch.group = formats->group;
	sweep->launch.shares = amount->once ? TAKES_SHARES : REPEATS_OWN;
	formats->step = amount->shared ? at_once | 1 : 1;
	formats->slice_blocks = amount->shared ? 0 : formats->blocks;
	sweep->loop.least = (cl_uint)formats->blocks;
	if (amount->shared)
		sweep->loop.least =
			(cl_uint)max_size(1, formats->blocks / at_once);
	sweep->loop.most = amount->once
				   ? sweep->loop.least
				   : (cl_uint)(FORMATS_MOST_WORDS /
					       FORMATS_TURN / formats->words);
	sweep->a_turn =
		(double)(FORMATS_TURN * formats->words * sizeof(cl_uint));
}

static void formats_prepare(struct sweep *sweep, size_t i)
{
	struct formats_state *formats = sweep->context;
	const struct formats_curve *curve = &curves[sweep->kind];
	const char *kernel = curve->kernels[sweep->write];
	struct session *session = formats->session;
	const struct formats_width *width;

	session_release(session, formats->mark);
	formats->words = 4;
	if (curve->access == MIX)
		kernel = session_text(session, "%s%.0f", kernel, sweep->x[i]);
	else
		formats->words = (size_t)sweep->x[i] / 4;
	formats_set_shape(formats, sweep);
	formats->value = (formats->value + NEXT_VALUE) % MOST_VALUE;
	/* Images use vectors of four for all elements. */
	width = formats_find_width(curve->access ? 4 : formats->words);
	sweep->launch.kernel = session_kernel(session,
		formats->programs[curve->type][width - formats_widths], kernel);
	formats_set_arguments(formats, sweep);
	sweep->bound.bytes = formats->amount->bytes;
	sweep->expected.n = sweep->write ? formats->elements * formats->words
					 : formats->amount->items;
}

static void formats_expect(struct sweep *sweep, size_t i)
{
	struct formats_state *formats = sweep->context;

	(void)i;
	if (sweep->write) {
		formats_expect_writes(formats, sweep);
		return;
	}
	if (formats->ones_words != formats->words) {
		formats->ones_words = (unsigned)formats->words;
		memset(formats->ones, 0, formats->elements / FORMATS_TURN);
		split_run(formats->elements, formats->session->options->cpus->n,
			formats_count_part, formats);
	}
	formats_expect_reads(formats, sweep);
}

/* Return the largest power of two up to `wanted`, within these bounds. */
static size_t power_of_two_within(uint64_t wanted, size_t least, size_t most)
{
	size_t bytes = least;

	while (bytes * 2 <= wanted && bytes * 2 <= most)
		bytes *= 2;
	return bytes;
}

static void formats_add_amount(struct formats_state *formats, size_t bytes,
	size_t slice, const char *each)
{
	struct formats_amount *amount = &formats->amounts[formats->n_amounts++];
	struct session *session = formats->session;
	size_t held = theory_unit_items(&session->theory) / formats->group;

	*amount = (struct formats_amount){.bytes = bytes,
		.slice_bytes = slice,
		.items = bytes / slice * formats->group,
		.shared = slice == bytes,
		.images = formats->images};
	if (!session->is_cpu && amount->shared)
		amount->items =
			session->units * (held ? held : 1) * formats->group;
	amount->name = session_text(session, "%s%s",
		session_bytes(session, each ? bytes / session->units : bytes),
		each ? each : "");
}

/*
 * Return the part of one CPU in the largest amount. All parts together are at
 * least CACHES times the last-level caches, or as much as --size allows.
 */
static size_t formats_outer_part(const struct session *session)
{
	size_t units = session->units;
	size_t caches = session->options->quick ? CACHES / 2 : CACHES;
	uint64_t wanted = caches * session_llc_bytes(session);
	size_t most = session_size(session, session->options->quick
						    ? QUICK_MOST_BYTES
						    : CPU_MOST_BYTES) /
		      units;
	size_t part = CPU_LEAST_PART;

	if (wanted < CPU_LEAST_BYTES || session->options->size_bytes)
		wanted = session_size(session, CPU_LEAST_BYTES);
	most = min_size(most, session_shares(session, SIZE_MAX) *
				      FORMATS_MOST_WORDS * sizeof(cl_uint));
	while (part * units < wanted && 2 * part <= most)
		part *= 2;
	return part;
}

/* Report if the largest amount fits caches (by --quick, --size or limits). */
static void formats_report_cached(const struct formats_state *formats)
{
	const struct formats_amount *last =
		&formats->amounts[formats->n_amounts - 1];
	struct session *session = formats->session;
	uint64_t held = session_llc_bytes(session);

	if (last->bytes <= held)
		session_add_finding(session,
			"%s, the largest amount, fits the last-level caches "
			"(%s in all): its rates are rates of caches, not of "
			"memory",
			last->name, session_bytes(session, held));
}

/* Choose half of each inner cache of a CPU, and more than all caches. */
static void choose_cpu_amounts(struct formats_state *formats)
{
	struct session *session = formats->session;
	const struct cpu_list *cpus = session->options->cpus;
	uint64_t l1 = caches_bytes(session->machine, cpus, 1) / cpus->n;
	uint64_t l2 = caches_bytes(session->machine, cpus, 2) / cpus->n;
	size_t units = session->units, part;

	l1 = power_of_two_within(
		(l1 ? l1 : USUAL_L1_BYTES) / 2, CPU_LEAST_PART, 1 << 20);
	l2 = power_of_two_within(
		(l2 ? l2 : USUAL_L2_BYTES) / 2, CPU_LEAST_PART, 64 << 20);
	part = formats_outer_part(session);
	formats_add_amount(formats, l1 * units, l1, " a CPU");
	if (l2 > l1 && l2 < part)
		formats_add_amount(formats, l2 * units, l2, " a CPU");
	if (part > l1) {
		formats_add_amount(formats, part * units,
			part / session_shares(session, part / CPU_LEAST_PART),
			NULL);
		formats->amounts[formats->n_amounts - 1].images = false;
		formats->amounts[formats->n_amounts - 1].once = true;
	}
	formats_report_cached(formats);
}

static void choose_gpu_amounts(struct formats_state *formats)
{
	const struct session *session = formats->session;
	size_t bytes =
		session_fit(session, SESSION_GPU_BYTES, GPU_SHARED_BYTES, 4);
	size_t slices = GPU_SLICES * session->units;

	bytes = session_size(session, bytes);
	formats_add_amount(
		formats, slices * GPU_SLICE_BYTES, GPU_SLICE_BYTES, " a unit");
	if (bytes > GPU_SHARED_BYTES)
		formats_add_amount(
			formats, GPU_SHARED_BYTES, GPU_SHARED_BYTES, NULL);
	formats_add_amount(formats, bytes, bytes, NULL);
}

/* Return whether both kinds of image support this width in both types. */
static bool formats_takes_width(
	const struct session *session, const struct formats_width *width)
{
	for (size_t type = 0; type < TYPES; type++) {
		const cl_image_format format = {
			width->order, formats_types[type].channel};

		if (!images_have_format(
			    session, CL_MEM_OBJECT_IMAGE2D, &format) ||
			!images_have_format(
				session, CL_MEM_OBJECT_IMAGE1D_BUFFER, &format))
			return false;
	}
	return true;
}

static void choose_image_widths(struct formats_state *formats)
{
	struct session *session = formats->session;
	struct text_list lacks = {.text = NULL};

	if (!session_fact(session, CL_DEVICE_IMAGE_SUPPORT)) {
		session_add_finding(session,
			"images are left out: this device has none "
			"(CL_DEVICE_IMAGE_SUPPORT)");
		return;
	}
	for (size_t i = 0; i < WIDTHS; i++) {
		unsigned bytes =
			formats_widths[i].words * (unsigned)sizeof(cl_uint);

		if (!formats_widths[i].order ||
			!formats_has_width(session, &formats_widths[i]))
			continue;
		if (formats_takes_width(session, &formats_widths[i]))
			formats->image_words[formats->n_image++] = bytes;
		else
			text_list_add(&lacks, ", ", "%u", bytes);
	}
	formats->images = formats->n_image > 0;
	session_add_list(session, &lacks,
		"images with elements of these bytes are left out, because the "
		"device lacks their formats");
}

/* Leave out images that would have more elements than the device allows. */
static void limit_images(struct formats_state *formats)
{
	struct session *session = formats->session;
	size_t most = session_fact(session, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);

	for (size_t i = 0; i < formats->n_amounts && formats->images; i++) {
		struct formats_amount *amount = &formats->amounts[i];
		size_t elements = amount->bytes / formats->image_words[0];

		if (!amount->images) {
			session_add_finding(session,
				"images of %s are left out: on a CPU they are "
				"software, whose rate does not depend on "
				"memory",
				amount->name);
			continue;
		}
		amount->images =
			elements <= most && images_fit(session, elements);
		if (!amount->images)
			session_add_finding(session,
				"images of %s are left out: they would have "
				"more elements than the device allows",
				amount->name);
	}
}

static void formats_choose(struct formats_state *formats)
{
	struct session *session = formats->session;

	formats->group = formats->pitch = 1;
	if (!session->is_cpu) {
		formats->group =
			power_of_two_within(session->max_group, 1, GPU_GROUP);
		formats->pitch =
			power_of_two_within(formats->group, 1, GPU_PITCH);
	}
	choose_image_widths(formats);
	if (session->is_cpu)
		choose_cpu_amounts(formats);
	else
		choose_gpu_amounts(formats);
	limit_images(formats);
}

/* Add the widths of buffers or of images, or the shares of the mix. */
static void formats_add_x(
	const struct formats_state *formats, struct sweep *sweep)
{
	const struct session *session = formats->session;
	enum formats_access access = curves[sweep->kind].access;

	if (access == MIX)
		sweep_step_to(sweep, 0, 100, session->options->quick ? 50 : 25);
	else if (access != BUFFER)
		sweep_over(sweep, formats->image_words, formats->n_image);
	for (size_t i = 0; i < WIDTHS && access == BUFFER; i++) {
		if (formats_has_width(session, &formats_widths[i]))
			sweep_add(sweep, 4.0 * formats_widths[i].words);
	}
}

static struct sweep formats_sweep(
	struct formats_state *formats, unsigned kind, bool write)
{
	const struct formats_curve *curve = &curves[kind];
	struct session *session = formats->session;
	const char *access = write ? "write" : "read";
	const char *name = formats->amount->name;
	bool mix = curve->access == MIX;
	struct sweep sweep = {.session = session,
		.name = session_text(
			session, "%s of %s, %s", access, curve->name, name),
		.facts = {.family = mix ? "image and buffer by turns, read"
					: session_text(session, "%s, %s",
						  access, name),
			.member = mix ? name : curve->name,
			.x_name = mix ? "share of the buffer" : "element",
			.x_unit = mix ? "%" : "B",
			.x_axis = mix ? CURVE_AMOUNTS : CURVE_BYTES},
		.prepare = formats_prepare,
		.expect = formats_expect,
		.loop = {.argument = 2,
			.least_s = session->is_cpu ? SWEEP_LEAST_S : LEAST_S},
		.turns_vary = true,
		.expected = {.buffer = write ? formats->written : formats->out,
			.at = write ? formats_written_word : NULL,
			.list = write ? NULL : formats->expected,
			.poisoned = true},
		.context = formats,
		.write = write,
		.kind = kind,
		.bound.panel = mix ? NULL : access};

	formats_add_x(formats, &sweep);
	return sweep;
}

static void formats_report_between(
	const struct sweep *sweep, const struct sweep *other, double bytes)
{
	sweep_compare(sweep, sweep_find_x(sweep, bytes), other,
		sweep_find_x(other, bytes));
}

static size_t formats_make_sweeps(struct formats_state *formats, unsigned first,
	unsigned end, bool write, struct sweep *sweeps, struct sweep *of)
{
	bool quick = formats->session->options->quick;
	size_t made = 0;

	for (unsigned k = first; k < end; k++) {
		if (!curves[k].kernels[write] || (quick && !curves[k].quick))
			continue;
		sweeps[made] = formats_sweep(formats, k, write);
		sweeps[made].bound.of = of != &sweeps[made] ? of : NULL;
		made++;
	}
	return made;
}

/* Run the sweeps. Each point frees the memory of the point before. */
static int formats_run_sweeps(
	struct formats_state *formats, struct sweep *sweeps, size_t n)
{
	formats->mark = session_mark(formats->session);
	return sweep_run(sweeps, n);
}

static void formats_measure_mix(struct formats_state *formats)
{
	struct sweep sweep = formats_sweep(formats, MIXED, false);
	size_t best;

	if (formats_run_sweeps(formats, &sweep, 1) < 0)
		return;
	best = sweep_best(&sweep);
	/* Compare the best mix with each alone. */
	for (size_t i = 0; i < sweep.n; i += sweep.n - 1) {
		if (i != best)
			sweep_compare(&sweep, best, &sweep, i);
	}
}

static void formats_measure_images(
	struct formats_state *formats, bool write, struct sweep *buffers)
{
	struct sweep sweeps[CURVES];
	size_t n = formats_make_sweeps(
		formats, IMAGES, MIXED, write, sweeps, buffers);
	double widest;

	if (formats_run_sweeps(formats, sweeps, n) < 0)
		return;
	widest = sweeps->x[sweeps->n - 1];
	formats_report_between(&sweeps[0], buffers, widest);
	formats_report_between(&sweeps[1], buffers, widest);
}

static bool formats_has_mix(const struct formats_state *formats)
{
	return formats->image_words[formats->n_image - 1] == 16;
}

static void formats_measure_access(struct formats_state *formats, bool write)
{
	struct session *session = formats->session;
	static const unsigned compared[] = {8, 12, 16, 64};
	struct sweep sweeps[CURVES];
	size_t n = formats_make_sweeps(
		formats, 0, IMAGES, write, sweeps, &sweeps[0]);

	sweeps->compared = compared;
	sweeps->n_compared = N_OF(compared);
	sweeps->beside = 4;
	if (formats_run_sweeps(formats, sweeps, n) < 0)
		return;
	/* Report types only if they differ: equality is expected. */
	for (size_t i = 0; i < sweeps->n; i++) {
		if (figure_differs(sweep_figure(&sweeps[0], i),
			    sweep_figure(&sweeps[1], i)))
			sweep_compare(&sweeps[1], i, &sweeps[0], i);
	}
	if (!write)
		formats_report_between(&sweeps[2], &sweeps[1], 4);
	if (formats->amount->images) {
		formats_measure_images(formats, write, &sweeps[0]);
		if (!write && formats_has_mix(formats))
			formats_measure_mix(formats);
	}
	if (formats->amount->bytes >= SESSION_GPU_BYTES)
		ceiling_show_theory(session, THEORY_MEMORY, sweeps->at);
}

static void formats_measure_amount(
	struct formats_state *formats, const struct formats_amount *amount)
{
	struct session *session = formats->session;
	size_t mark = session_mark(session);
	size_t words = amount->bytes / sizeof(cl_uint);

	formats->amount = amount;
	formats->ones_words = 0;
	formats->data = session_buffer(session, amount->bytes);
	formats->written = session_buffer(session, amount->bytes);
	formats->out = session_buffer(
		session, formats->amount->items * sizeof(cl_uint));
	formats->expected = session_memory(
		session, formats->amount->items * sizeof(cl_uint), "the sums");
	formats->ones =
		session_memory(session, words / FORMATS_TURN, "the sums");
	formats->written_blocks =
		session_memory(session, words / FORMATS_TURN, "the blocks");
	session_fill(session, formats->data, words, formats_data_word, NULL);
	for (int write = 0; write < 2 && session_ok(session); write++)
		formats_measure_access(formats, write);
	session_release(session, mark);
}

static void formats_build(struct formats_state *formats)
{
	struct session *session = formats->session;

	for (size_t i = 0; i < TYPES * WIDTHS && session_ok(session); i++) {
		size_t type = i % TYPES, w = i / TYPES;
		bool images = formats->images && formats_widths[w].words == 4;

		if (!formats_has_width(session, &formats_widths[w]))
			continue;
		formats->programs[type][w] = session_program(session, formats,
			"%s -DWIDTH=%u -DPITCH=%zu -DREAD_QUALIFIER=%s"
			"%s",
			formats_types[type].flags, formats_widths[w].words,
			formats->pitch, session->is_cpu ? "volatile" : "",
			images ? " -DIMAGES" : "");
	}
}

static void formats_count_curves(const struct formats_state *formats)
{
	struct session *session = formats->session;
	size_t images = session->options->quick ? 4 : 8;

	if (formats->images && formats_has_mix(formats))
		images++;
	for (size_t i = 0; i < formats->n_amounts; i++)
		session->all +=
			5.0 + (formats->amounts[i].images ? (double)images : 0);
}

static void run_formats(struct session *session)
{
	struct formats_state formats = {.session = session};

	formats_choose(&formats);
	formats_count_curves(&formats);
	formats_build(&formats);
	for (size_t i = 0; i < formats.n_amounts; i++)
		formats_measure_amount(&formats, &formats.amounts[i]);
}

const struct test test_formats = {
	.name = "formats",
	.section = "Oomen",
	.source = SOURCE_OOMEN,
	.set = GROUP_MEMORY,
	.summary = "elements of 4 to 64 bytes, from buffers and images",
	.takes = TAKES_SIZE,
	.memory_by = TAKES_SIZE,
	.shares = 64,
	.size = {SIZE_POWER, (uint64_t)1 << 20, (uint64_t)4 << 30},
	.figures = {{.what = "buffer of floats read, best",
		.family = "read, ",
		.members = {"buffer, float"}}},
	.run = run_formats,
};
