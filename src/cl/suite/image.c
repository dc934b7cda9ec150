/*
 * Measure images of four floats per element (section 2.3.4, figures 23 and 24),
 * and buffers for comparison.
 *
 * The test times kernels whose work-items call read_imagef() or write_imagef()
 * many times; a call counts as 16 bytes. As in the paper, the coordinates are
 * the two global numbers of the work-item, and a work-group is a square, or as
 * close to a square as the plane allows. A read begins at the work-item's
 * element and moves along the row, so the next turn needs another element. A
 * write stays at its element and stores a different value each time. The
 * figures do not count additions to four sums and the stores of the sums.
 *
 * A CPU does the work of a GPU's image units in software; the curve of the
 * buffer shows the overhead. The elements come from caches, so the rate is not
 * a rate of memory. The paper has the shapes of 1,024 elements, for example 8 x
 * 128.
 */

#include "cl/images.h"
#include "cl/suite/image_cl.h"
#include "cl/sweep.h"

#define ELEMENT_BYTES 16
#define PARTS	      4

/* Sides of squares, 16 KiB to 4 MiB; and the shortest side of any shape. */
#define LEAST_SIDE 32
#define MOST_SIDE  512
#define LEAST_EDGE 8

/* Ratio of the best to the worst of many shapes that may be chance. */
#define SAME_SHAPES 1.1

#define TURNS	   8
#define MOST_TURNS 1024
#define LEAST_S	   2e-4

enum image_access {
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

static const struct image_planes {
	const char *family, *name;
	size_t elements;     /* elements of all shapes; 0: squares */
	size_t quick_factor; /* factor between points with --quick; or 0 */
} all_planes[] = {
	{"squares", "a square", 0, 4},
	{"16 KiB in all shapes", "16 KiB", 1024, 0},
	{"1 MiB in all shapes", "1 MiB", 65536, 0},
};

struct image_state {
	struct session *session;
	cl_kernel kernels[ACCESSES];
	cl_mem buffer, out;
	size_t most_width, most_height;
	const struct image_planes *planes;
	unsigned widths[SWEEP_MOST]; /* [n] widths of all planes */
	size_t n;
	size_t width, height; /* size of this plane */
	cl_mem plane;
	size_t mark;   /* mark before the plane was made */
	cl_uint first; /* index of the write's first turn */
};

static size_t image_plane_height(const struct image_state *image, size_t width)
{
	return image->planes->elements ? image->planes->elements / width
				       : width;
}

static double image_value(size_t e, size_t part, cl_uint turn)
{
	const double values[PARTS] = {
		(double)(e & 4095), (double)(e >> 4 & 4095), turn & 65535, 1};

	return values[part];
}

/* Return the number to read: the value of turn 0 of an element. */
static double image_read_number(const void *context, size_t i, double *slack)
{
	(void)context;
	(void)slack;
	return image_value(i / PARTS, i % PARTS, 0);
}

static double image_written_number(const void *context, size_t i, double *slack)
{
	const struct sweep *sweep = context;
	const struct image_state *image = sweep->context;

	(void)slack;
	return image_value(
		i / PARTS, i % PARTS, image->first + sweep->turns - 1);
}

/* Return a work-item's sum. Sums of small whole numbers are exact. */
static double image_summed_number(const void *context, size_t i, double *slack)
{
	const struct sweep *sweep = context;
	const struct image_state *image = sweep->context;
	size_t mask = image->width - 1, x = i / PARTS & mask;
	size_t row = i / PARTS - x;
	double sum = 0;

	(void)slack;
	for (cl_uint turn = 0; turn < sweep->turns; turn++)
		sum += image_value(row + ((x + turn) & mask), i % PARTS, 0);
	return sum;
}

static void image_prepare(struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;
	struct image_state *image = sweep->context;
	bool is_image = accesses[sweep->kind].is_image;
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	struct kernel_argument plane, width;

	if (!image->plane || image->width != image->widths[i]) {
		image->width = image->widths[i];
		image->height = image_plane_height(image, image->width);
		session_release(session, image->mark);
		image->plane = images_of_plane(
			session, &format, image->width, image->height, NULL);
	}
	/* All elements have 16 bytes, and all shapes the same size. */
	sweep->bound.bytes = image->width * image->height * ELEMENT_BYTES;
	launch_resize(session, &sweep->launch, image->width * image->height);
	sweep->launch.width = image->width;
	sweep->expected.n = sweep->launch.items * PARTS;
	if (sweep->kind == IMAGE_WRITE)
		sweep->expected.plane = image->plane;
	else
		session_fill_numbers(session, image->buffer, sweep->expected.n,
			false, image_read_number, NULL);
	if (is_image && sweep->kind != IMAGE_WRITE)
		images_copy_plane(session, image->plane, image->buffer, true);
	plane = memory_argument(is_image ? image->plane : image->buffer);
	width = word_argument(image->width);
	/* Work-items must not write the same element, so their step is 0. */
	if (sweep->write)
		session_arguments(session, sweep->launch.kernel, 0, plane,
			width, word_argument(TURNS), word_argument(0),
			word_argument(image->first += 1000));
	else
		session_arguments(session, sweep->launch.kernel, 0, plane,
			memory_argument(image->out), width,
			word_argument(TURNS), word_argument(1));
}

/* Compare squares of images with buffers, and the best and the worst shape. */
static void image_report(const struct sweep *sweeps)
{
	bool squares = sweeps->facts.x_axis == CURVE_BYTES;
	size_t last = sweeps->n - 1;

	for (unsigned k = 0; k < 2; k++) {
		const struct sweep *image = &sweeps[k];
		size_t best = sweep_best(image), worst = sweep_worst(image);

		if (squares)
			sweep_compare(
				image, last, &sweeps[BUFFER_READ + k], last);
		else if (sweep_figure(image, best).median >=
			 SAME_SHAPES * sweep_figure(image, worst).median)
			sweep_compare(image, best, image, worst);
	}
}

static void image_make_sweeps(
	struct image_state *image, struct sweep sweeps[ACCESSES])
{
	static const struct {
		const char *name, *unit;
		enum curve_axis axis;
	} axes[] = {{"width", "elements", CURVE_AMOUNTS},
		{"size", "B", CURVE_BYTES}};
	struct session *session = image->session;
	bool squares = image->planes->elements == 0;

	for (unsigned k = 0; k < ACCESSES; k++) {
		bool write = accesses[k].is_write, shown = k != BUFFER_WRITE;
		bool is_image = accesses[k].is_image;

		sweeps[k] = (struct sweep){.session = session,
			.name = session_text(session, "%s of %s",
				accesses[k].name, image->planes->name),
			.facts = {.family = image->planes->family,
				.member = accesses[k].name,
				.x_name = axes[squares].name,
				.x_unit = axes[squares].unit,
				.x_axis = axes[squares].axis},
			.n = image->n,
			.prepare = image_prepare,
			.launch.kernel = image->kernels[k],
			.loop = {write ? 2 : 3, TURNS, MOST_TURNS, LEAST_S},
			.turns_vary = true,
			.a_turn = ELEMENT_BYTES,
			/*
			 * out may still have the expected words from other
			 * runs.
			 */
			.expected = {.buffer =
					     shown ? image->out : image->buffer,
				.number = write ? image_written_number
						: image_summed_number,
				.poisoned = shown},
			.write = write,
			.kind = k,
			.bound = {.panel = write ? "write" : "read",
				/* Buffers share the ceilings of images. */
				.of = is_image ? NULL : &sweeps[write]},
			.context = image};
		for (size_t i = 0; i < image->n; i++) {
			double width = image->widths[i];

			sweeps[k].x[i] =
				squares ? width * width * ELEMENT_BYTES : width;
		}
	}
}

/* Choose the widths of planes that the device allows, which imply heights. */
static void image_choose_widths(
	struct image_state *image, const struct image_planes *planes)
{
	bool quick = image->session->options->quick;
	size_t least = planes->elements ? LEAST_EDGE : LEAST_SIDE;
	size_t most =
		planes->elements ? planes->elements / LEAST_EDGE : MOST_SIDE;

	image->planes = planes;
	image->n = 0;
	for (size_t width = least; width <= most;
		width *= quick ? planes->quick_factor : 2) {
		if (width <= image->most_width &&
			image_plane_height(image, width) <= image->most_height)
			image->widths[image->n++] = (unsigned)width;
	}
}

static bool image_has_planes(
	const struct session *session, const struct image_planes *planes)
{
	return planes->quick_factor || !session->options->quick;
}

static void image_measure_planes(
	struct image_state *image, const struct image_planes *planes)
{
	struct session *session = image->session;
	struct sweep sweeps[ACCESSES];

	image_choose_widths(image, planes);
	image_make_sweeps(image, sweeps);
	image->mark = session_mark(session);
	sweep_run(sweeps, ACCESSES);
	session_release(session, image->mark);
	image->plane = NULL;
	if (session_ok(session) && image->n > 0)
		image_report(sweeps);
}

static void run_image(struct session *session)
{
	size_t bytes = (size_t)MOST_SIDE * MOST_SIDE * ELEMENT_BYTES;
	struct image_state image = {.session = session,
		.most_width =
			session_fact(session, CL_DEVICE_IMAGE2D_MAX_WIDTH),
		.most_height =
			session_fact(session, CL_DEVICE_IMAGE2D_MAX_HEIGHT)};
	cl_program program;

	if (!session_fact(session, CL_DEVICE_IMAGE_SUPPORT))
		session_refuse(session,
			"this device has no images (CL_DEVICE_IMAGE_SUPPORT)");
	program = session_build(session, "image.cl", image_cl, NULL);
	for (int access = 0; access < ACCESSES; access++)
		image.kernels[access] = session_kernel(
			session, program, accesses[access].kernel);
	image.buffer = session_buffer(session, bytes);
	image.out = session_buffer(session, bytes);
	for (size_t i = 0; i < N_OF(all_planes); i++)
		session->all +=
			ACCESSES * image_has_planes(session, &all_planes[i]);
	for (size_t i = 0; i < N_OF(all_planes); i++) {
		if (image_has_planes(session, &all_planes[i]))
			image_measure_planes(&image, &all_planes[i]);
	}
}

const struct test test_image = {
	.name = "image",
	.section = "2.3.4",
	.source = SOURCE_SUITE "2.3.4, figures 23 and 24",
	.published = {"--work-group=32"},
	.summary = "images and a buffer, by size and by shape",
	.takes = TAKES_WORK_GROUP | TAKES_SWEEP,
	.group_divides = 1024,
	.article_group = ARTICLE_GROUP,
	.figures = {{.what = "image read, best square",
		.family = "squares",
		.members = {"image, read"},
		.ceiling = "read"}},
	.run = run_image,
};
