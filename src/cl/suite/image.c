/*
 * Images of four floats per element (section 2.3.4, figures 23 and 24), and
 * buffers as a control.
 *
 * Timed are read_imagef() and write_imagef() of every work-item at its own
 * element, many times: reading along the row from there, so that the next turn
 * needs another element; writing another value each time. Squares of 16 KiB to
 * 4 MiB, and 1 MiB in all shapes. Counted are 16 bytes a call. What a read adds
 * to its sum, and the sum that it writes in the end, is not counted.
 *
 * A GPU has units that read images. A CPU computes what they do, and the buffer
 * beside it tells how much that is. Elements are read again from the caches
 * that they are in: this is no bandwidth of memory.
 *
 * The paper's work-items have two dimensions. Here they have one, and the
 * coordinates are made of it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cl/suite/image_cl.h"
#include "cl/sweep.h"
#include "cl/tests.h"
#include "util/text.h"

#define ELEMENT_BYTES 16
#define PARTS	      4

/* Sides of the squares: 16 KiB to 4 MiB, and the elements of all shapes. */
#define LEAST_SIDE     32
#define MOST_SIDE      512
#define SHAPE_ELEMENTS 65536
#define LEAST_WIDTH    8
#define MOST_WIDTH     8192

/* Factors between the points of --quick. */
#define QUICK_SIDES  4
#define QUICK_WIDTHS 32

#define TURNS	   8
#define MOST_TURNS 256
#define LEAST_S	   2e-4

enum access {
	IMAGE_READ,
	IMAGE_WRITE,
	BUFFER_READ,
	BUFFER_WRITE,
	ACCESSES,
};

static const struct {
	const char *name, *kernel;
	bool is_image, is_write;
} accesses[ACCESSES] = {
	[IMAGE_READ] = {"image, read", "image_read", true, false},
	[IMAGE_WRITE] = {"image, write", "image_write", true, true},
	[BUFFER_READ] = {"buffer, read", "buffer_read", false, false},
	[BUFFER_WRITE] = {"buffer, write", "buffer_write", false, true},
};

struct image {
	struct session *session;
	cl_kernel kernels[ACCESSES];
	cl_mem buffer, out;
	size_t most_width, most_height;
	bool squares;	      /* else all shapes of one size */
	size_t width, height; /* of the plane */
	cl_mem plane;
	cl_uint first;		    /* turn, of those that write */
	struct ceiling ceilings[2]; /* read, write */
};

/* One of four floats of element e, as the word that it is. */
static cl_uint word_of(size_t e, size_t part, cl_uint turn)
{
	const cl_float values[PARTS] = {(cl_float)(e & 4095),
		(cl_float)(e >> 4 & 4095), (cl_float)(turn & 65535), 1};
	cl_uint word;

	memcpy(&word, &values[part], sizeof(word));
	return word;
}

/* What reads begin with: turn 0 of every element. */
static cl_uint first_word(const void *context, size_t i)
{
	(void)context;
	return word_of(i / PARTS, i % PARTS, 0);
}

static cl_uint written_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct image *image = sweep->context;

	return word_of(i / PARTS, i % PARTS, image->first + sweep->turns - 1);
}

/* The sum of a work-item: of small whole numbers, which is exact. */
static cl_uint summed_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	const struct image *image = sweep->context;
	size_t mask = image->width - 1, x = i / PARTS & mask;
	size_t row = i / PARTS - x;
	cl_float sum = 0;
	cl_uint word;

	for (cl_uint turn = 0; turn < sweep->turns; turn++) {
		cl_float value;

		word = word_of(row + ((x + turn) & mask), i % PARTS, 0);
		memcpy(&value, &word, sizeof(value));
		sum += value;
	}
	memcpy(&word, &sum, sizeof(word));
	return word;
}

/* Copy the image to a buffer, or from one. */
static void copy_image(const struct image *image, cl_mem buffer, bool from)
{
	static const size_t origin[3];
	struct session *session = image->session;
	const size_t region[3] = {image->width, image->height, 1};
	cl_int code;

	if (session->rc)
		return;
	code = from ? clEnqueueCopyBufferToImage(session->queue, buffer,
			      image->plane, 0, origin, region, 0, NULL, NULL)
		    : clEnqueueCopyImageToBuffer(session->queue, image->plane,
			      buffer, origin, region, 0, 0, NULL, NULL);
	if (!code)
		code = clFinish(session->queue);
	if (code)
		session_fail(session, code, "copying an image");
}

/* What was written is looked at in the buffer that reads leave sums in. */
static struct timing time_image_write(struct sweep *sweep, size_t i)
{
	struct timing timing = launch_time(sweep->session, &sweep->launch);
	const struct image *image = sweep->context;

	(void)i;
	copy_image(image, image->out, false);
	return timing;
}

static void prepare(struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;
	struct image *image = sweep->context;
	bool is_image = accesses[sweep->kind].is_image;
	const struct loop loop = {
		sweep->write ? 2 : 3, TURNS, MOST_TURNS, LEAST_S};
	struct argument plane =
		of_memory(is_image ? image->plane : image->buffer);
	struct argument width = of_word(image->width), none = {0};
	/* Work-items that write must not meet. */
	const struct argument reading[] = {plane, of_memory(image->out), width,
		of_word(TURNS), of_word(1), none};
	const struct argument writing[] = {plane, width, of_word(TURNS),
		of_word(0), of_word(image->first += 1000), none};

	(void)i;
	sweep->launch.items = image->width * image->height;
	sweep->launch.group = session_group(session, sweep->launch.items);
	sweep->right.n = sweep->launch.items * PARTS;
	session_fill(session, image->buffer, sweep->right.n, first_word, NULL);
	if (is_image)
		copy_image(image, image->buffer, true);
	session_arguments(session, sweep->launch.kernel, 0,
		sweep->write ? writing : reading);
	sweep->turns = launch_loop(session, &sweep->launch, &loop);
}

/* Of shapes, of squares. */
static const char *const families[] = {"1 MiB in all shapes", "squares"};

/* What the CPUs do natively with planes of so many bytes. */
static void measure_ceilings(struct image *image, size_t bytes)
{
	for (int write = 0; write < 2; write++) {
		struct ceiling *ceiling = &image->ceilings[write];

		*ceiling = (struct ceiling){
			.what = write ? NATIVE_WRITE : NATIVE_READ,
			.bytes = bytes,
		};
		ceiling_measure(image->session, ceiling);
	}
}

static void show_ceilings(const struct image *image, const struct sweep *sweeps)
{
	for (int write = 0; write < 2; write++) {
		const struct ceiling *ceiling = &image->ceilings[write];
		double bytes = (double)ceiling->bytes;
		const char *member = write ? "write" : "read";
		char name[64], size[TEXT_SIZE_BYTES];

		snprintf(name, sizeof(name), "%s of %s, %s",
			image->squares ? "square" : "shapes",
			text_size(ceiling->bytes, size), member);
		ceiling_show(image->session, ceiling,
			&(struct ceiling_line){name, member, sweeps[write].at,
				image->squares ? bytes : 0,
				image->squares ? bytes : INFINITY});
	}
}

/* What images are beside buffers, of the largest square. */
static void find_squares(const struct sweep *sweeps)
{
	char texts[2][FIGURE_BYTES], size[TEXT_SIZE_BYTES];
	size_t last = sweeps->n - 1;

	for (size_t write = 0; write < 2; write++)
		figure_times(figure_over(sweep_figure(&sweeps[write], last),
				     sweep_figure(&sweeps[write + 2], last)),
			"fast", texts[write]);
	session_find(sweeps->session,
		"square of %s, image against buffer%s: read %s, write %s",
		text_size((uint64_t)sweeps->x[last], size),
		sweeps->session->is_cpu ? ", in software" : "", texts[0],
		texts[1]);
}

/* Whether the shape matters to images. */
static void find_shapes(const struct sweep *sweep)
{
	struct session *session = sweep->session;
	const char *of = families[0], *name = sweep->member;
	struct figure figures[SWEEP_MOST];
	size_t n = sweep->n, most, least;
	char text[FIGURE_BYTES];

	for (size_t i = 0; i < n; i++)
		figures[i] = sweep_figure(sweep, i);
	most = figure_most(figures, n);
	least = figure_least(figures, n);
	switch (judge_spread(figures, n)) {
	case SPREAD_UNKNOWN:
		session_find(
			session, "%s, %s: too few runs to compare", of, name);
		break;
	case SPREAD_NONE:
		session_find(session,
			"%s, %s: no shape stands out, %.3g to %.3g GiB/s", of,
			name, figures[least].median, figures[most].median);
		break;
	default:
		session_find(session,
			"%s, %s: a width of %.0f is %s as one of %.0f", of,
			name, sweep->x[most],
			figure_times(figure_over(figures[most], figures[least]),
				"fast", text),
			sweep->x[least]);
	}
}

/* Widths of the planes that the device takes; the heights follow. */
static size_t choose_planes(const struct image *image, unsigned *widths)
{
	bool quick = image->session->options->quick, squares = image->squares;
	size_t factor = !quick ? 2 : squares ? QUICK_SIDES : QUICK_WIDTHS;
	size_t width = squares ? LEAST_SIDE : LEAST_WIDTH, n = 0;

	for (; width <= (squares ? MOST_SIDE : MOST_WIDTH); width *= factor) {
		if (width <= image->most_width &&
			(squares ? width : SHAPE_ELEMENTS / width) <=
				image->most_height)
			widths[n++] = (unsigned)width;
	}
	return n;
}

/* All accesses to one plane, each into its curve. */
static void measure_plane(struct image *image, struct sweep *sweeps, size_t i)
{
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc shape = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = image->width,
		.image_height = image->height,
	};
	struct session *session = image->session;
	size_t mark = session_mark(session);
	cl_int code;
	cl_mem plane = clCreateImage(session->context, CL_MEM_READ_WRITE,
		&format, &shape, NULL, &code);

	image->plane =
		session_own(session, plane, code, "an image on the device");
	sweep_point(sweeps, ACCESSES, i);
	session_release(session, mark);
}

/* One access to n planes of these widths. */
static struct sweep make_sweep(
	struct image *image, unsigned k, const unsigned *widths, size_t n)
{
	bool write = accesses[k].is_write, squares = image->squares;
	struct sweep sweep = {.session = image->session,
		.member = accesses[k].name,
		.x_name = squares ? "size" : "width",
		.x_unit = squares ? "B" : "elements",
		.x_axis = squares ? CURVE_BYTES : CURVE_AMOUNTS,
		.prepare = prepare,
		.time = k == IMAGE_WRITE ? time_image_write : NULL,
		.launch.kernel = image->kernels[k],
		.a_turn = ELEMENT_BYTES,
		/* The right words may lie there, of other runs. */
		.spoiled = k != BUFFER_WRITE,
		.write = write,
		.kind = k,
		.ceiling = &image->ceilings[write],
		.context = image};

	snprintf(sweep.family, sizeof(sweep.family), "%s", families[squares]);
	snprintf(sweep.name, sizeof(sweep.name), "%s of %s", sweep.member,
		squares ? "a square" : "1 MiB");
	for (size_t i = 0; i < n; i++) {
		sweep.x[i] = widths[i];
		if (squares)
			sweep.x[i] *= (double)widths[i] * ELEMENT_BYTES;
	}
	sweep.n = n;
	return sweep;
}

static void measure_planes(struct image *image)
{
	struct session *session = image->session;
	bool squares = image->squares;
	unsigned widths[SWEEP_MOST];
	size_t n = choose_planes(image, widths);
	struct sweep sweeps[ACCESSES];

	for (unsigned k = 0; k < ACCESSES; k++) {
		sweeps[k] = make_sweep(image, k, widths, n);
		sweeps[k].right =
			words_of(k == BUFFER_WRITE ? image->buffer : image->out,
				0, sweeps[k].write ? written_word : summed_word,
				&sweeps[k]);
		sweep_begin(&sweeps[k]);
	}
	for (size_t i = 0; i < n && session_ok(session); i++) {
		image->width = widths[i];
		image->height =
			squares ? widths[i] : SHAPE_ELEMENTS / widths[i];
		/* Shapes are all of one size. */
		if (squares || i == 0)
			measure_ceilings(image,
				image->width * image->height * ELEMENT_BYTES);
		measure_plane(image, sweeps, i);
		if (squares || i + 1 == n)
			show_ceilings(image, sweeps);
	}
	if (session_ok(session) && n > 0 && squares)
		find_squares(sweeps);
	for (size_t k = 0; k < 2 && session_ok(session) && !squares; k++)
		find_shapes(&sweeps[k]);
}

static void run_image(struct session *session)
{
	size_t bytes = (size_t)MOST_SIDE * MOST_SIDE * ELEMENT_BYTES;
	struct image image = {.session = session,
		.most_width =
			session_fact(session, CL_DEVICE_IMAGE2D_MAX_WIDTH),
		.most_height =
			session_fact(session, CL_DEVICE_IMAGE2D_MAX_HEIGHT)};
	unsigned widths[SWEEP_MOST];
	cl_program program;

	if (!session_fact(session, CL_DEVICE_IMAGE_SUPPORT))
		session_error(session, ERROR_UNAVAILABLE, ENOTSUP,
			"this device has no images (CL_DEVICE_IMAGE_SUPPORT)");
	program = session_build(session, "image.cl", image_cl, NULL);
	for (int access = 0; access < ACCESSES; access++)
		image.kernels[access] = session_kernel(
			session, program, accesses[access].kernel);
	image.buffer = session_buffer(session, bytes);
	image.out = session_buffer(session, bytes);
	for (int shapes = 0; shapes < 2; shapes++) {
		image.squares = !shapes;
		session->all +=
			(double)(choose_planes(&image, widths) * ACCESSES);
	}
	image.squares = true;
	measure_planes(&image);
	image.squares = false;
	measure_planes(&image);
}

const struct test test_image = {
	.name = "image",
	.section = "2.3.4",
	.summary = "Images read and written, by size and by shape",
	.takes = TAKES_WORK_GROUP | TAKES_SWEEP,
	.group_divides = 1024,
	.run = run_image,
};
