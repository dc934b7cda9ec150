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
#include <stdlib.h>

#include "cl/curves.h"
#include "cl/suite/image_cl.h"
#include "cl/tests.h"
#include "cl/verdict.h"
#include "util/text.h"

#define ELEMENT_BYTES 16

/* Sides of the squares: 16 KiB to 4 MiB, and the elements of all shapes. */
#define LEAST_SIDE     32
#define MOST_SIDE      512
#define SHAPE_ELEMENTS 65536
#define LEAST_WIDTH    8
#define MOST_WIDTH     8192
#define MOST_POINTS    16

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
	struct cl_session *session;
	cl_program program;
	cl_kernel kernels[ACCESSES];
	cl_mem buffer, out;
	size_t most_width, most_height;
	cl_uint first;		    /* turn, of those that write */
	struct ceiling ceilings[2]; /* read, write */
	double done, all;	    /* points */
};

/* A plane on the device. */
struct plane {
	size_t width, height, n;
	cl_mem image;
};

static void value_of(size_t e, cl_uint turn, cl_float value[4])
{
	value[0] = (cl_float)(e & 4095);
	value[1] = (cl_float)(e >> 4 & 4095);
	value[2] = (cl_float)(turn & 65535);
	value[3] = 1;
}

static int open_plane(
	const struct image *image, struct plane *plane, struct error *err)
{
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc shape = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = plane->width,
		.image_height = plane->height,
	};
	cl_int code;

	plane->n = plane->width * plane->height;
	plane->image = clCreateImage(image->session->context, CL_MEM_READ_WRITE,
		&format, &shape, NULL, &code);
	if (!plane->image || code)
		return session_fail(err, code, "an image on the device");
	return 0;
}

/* Move a whole plane between the host and where it is accessed. */
static int move(const struct image *image, const struct plane *plane,
	enum access access, bool to_device, cl_float *host, struct error *err)
{
	cl_command_queue queue = image->session->queue;
	const size_t origin[3] = {0};
	const size_t region[3] = {plane->width, plane->height, 1};
	size_t bytes = plane->n * ELEMENT_BYTES;
	cl_int code;

	if (accesses[access].is_image && to_device)
		code = clEnqueueWriteImage(queue, plane->image, CL_TRUE, origin,
			region, 0, 0, host, 0, NULL, NULL);
	else if (accesses[access].is_image)
		code = clEnqueueReadImage(queue, plane->image, CL_TRUE, origin,
			region, 0, 0, host, 0, NULL, NULL);
	else if (to_device)
		code = clEnqueueWriteBuffer(queue, image->buffer, CL_TRUE, 0,
			bytes, host, 0, NULL, NULL);
	else
		code = clEnqueueReadBuffer(queue, image->buffer, CL_TRUE, 0,
			bytes, host, 0, NULL, NULL);
	return code ? session_fail(err, code, "copying an image") : 0;
}

/* What reads begin with: turn 0 of every element. */
static int fill(const struct image *image, const struct plane *plane,
	enum access access, cl_float *host, struct error *err)
{
	for (size_t e = 0; e < plane->n; e++)
		value_of(e, 0, host + 4 * e);
	return move(image, plane, access, true, host, err);
}

/* The sums of all work-items, which are small whole numbers and exact. */
static bool sums_hold(
	const struct plane *plane, cl_uint turns, const cl_float *sums)
{
	for (size_t g = 0; g < plane->n; g++) {
		size_t x = g & (plane->width - 1), row = g - x;
		cl_float right[4] = {0}, value[4];

		for (cl_uint i = 0; i < turns; i++) {
			value_of(
				row + ((x + i) & (plane->width - 1)), 0, value);
			for (size_t k = 0; k < 4; k++)
				right[k] += value[k];
		}
		for (size_t k = 0; k < 4; k++) {
			if (sums[4 * g + k] != right[k])
				return false;
		}
	}
	return true;
}

static bool values_hold(
	const struct plane *plane, cl_uint turn, const cl_float *values)
{
	for (size_t e = 0; e < plane->n; e++) {
		cl_float right[4];

		value_of(e, turn, right);
		for (size_t k = 0; k < 4; k++) {
			if (values[4 * e + k] != right[k])
				return false;
		}
	}
	return true;
}

static int check(const struct image *image, const struct plane *plane,
	enum access access, cl_uint turns, cl_float *host,
	struct cl_timing *timing, struct error *err)
{
	bool same = false;
	int rc;

	if (accesses[access].is_write) {
		rc = move(image, plane, access, false, host, err);
		same = rc == 0 &&
		       values_hold(plane, image->first + turns - 1, host);
		session_sum_words(timing, host, plane->n * ELEMENT_BYTES);
	} else {
		void *sums;

		rc = session_map(image->session, image->out,
			plane->n * ELEMENT_BYTES, false, &sums, err);
		if (rc == 0) {
			same = sums_hold(plane, turns, sums);
			session_sum_words(
				timing, sums, plane->n * ELEMENT_BYTES);
			rc = session_unmap(
				image->session, image->out, sums, err);
		}
	}
	if (rc == 0 && !same)
		rc = error_set(err, ERROR_FAILURE, EIO,
			"%s of %zu x %zu elements is not what the host "
			"computes: this implementation of OpenCL computes "
			"wrongly, and its times mean nothing",
			accesses[access].name, plane->width, plane->height);
	return rc;
}

static int set_arguments(const struct image *image, const struct plane *plane,
	enum access access, cl_uint turns, struct error *err)
{
	cl_kernel kernel = image->kernels[access];
	bool is_write = accesses[access].is_write;
	cl_mem memory =
		accesses[access].is_image ? plane->image : image->buffer;
	/* Work-items that write must not meet. */
	const cl_uint numbers[] = {
		(cl_uint)plane->width, turns, !is_write, image->first};
	cl_uint at = 1;
	int rc = session_argument(kernel, 0, sizeof(cl_mem), &memory, err);

	if (rc == 0 && !is_write)
		rc = session_argument(
			kernel, at++, sizeof(cl_mem), &image->out, err);
	for (size_t i = 0; i < (is_write ? 4 : 3) && rc == 0; i++)
		rc = session_argument(
			kernel, at++, sizeof(cl_uint), &numbers[i], err);
	return rc;
}

/* Time one access, checked; its bytes per run into *bytes. */
static int time_access(struct image *image, const struct plane *plane,
	enum access access, struct cl_timing *timing, double *bytes,
	struct error *err)
{
	size_t group = session_group(image->session, plane->n);
	cl_float *host = malloc(plane->n * ELEMENT_BYTES);
	cl_uint turns = TURNS;
	double s = 0;
	int rc = host ? 0 : error_no_memory(err, "an image");

	if (rc == 0)
		rc = fill(image, plane, access, host, err);
	image->first += 1000;
	/* The first run is the compiler's. */
	for (int run = 0; rc == 0 && turns <= MOST_TURNS; run++) {
		rc = set_arguments(image, plane, access, turns, err);
		if (rc == 0)
			rc = session_time_once(image->session,
				image->session->queue, image->kernels[access],
				plane->n, group, false, &s, err);
		if (run > 0 && (s >= LEAST_S || turns == MOST_TURNS))
			break;
		turns *= run > 0 ? 2 : 1;
	}
	/* The right sums may lie there, of other runs or the other kind. */
	if (rc == 0 && !accesses[access].is_write)
		rc = session_spoil(image->session, image->out,
			plane->n * ELEMENT_BYTES, err);
	if (rc == 0)
		rc = session_time(image->session, image->kernels[access],
			plane->n, group, timing, err);
	if (rc == 0)
		rc = check(image, plane, access, turns, host, timing, err);
	*bytes = (double)plane->n * turns * ELEMENT_BYTES;
	free(host);
	return rc;
}

static int put_point(struct image *image, const struct plane *plane,
	enum access access, size_t at, size_t i, double x, struct error *err)
{
	struct cl_session *session = image->session;
	struct ceiling *ceiling = &image->ceilings[accesses[access].is_write];
	struct cl_timing timing = {.median_s = NAN};
	double bytes, rate;
	bool holds = true;
	int rc = time_access(image, plane, access, &timing, &bytes, err);

	session_progress(session, ++image->done / image->all);
	if (rc < 0)
		return rc;
	rate = bytes / timing.median_s / CL_GIB;
	rc = ceiling_check(session, ceiling, rate, &holds, err);
	if (rc == 0 && !holds)
		return curve_reject(session, err,
			"%s of %zu x %zu elements: %.3g GiB/s is above the "
			"%.3g GiB/s that the CPUs do natively",
			accesses[access].name, plane->width, plane->height,
			rate, ceiling->gib_per_s);
	if (rc == 0)
		curve_put_rate(session, at, i, x, bytes, &timing);
	return rc;
}

/* All accesses to one plane, each into its curve. */
static int measure_plane(struct image *image, struct plane *plane,
	const size_t at[ACCESSES], size_t i, double x, struct error *err)
{
	int rc = open_plane(image, plane, err);

	for (int access = 0; access < ACCESSES && rc == 0; access++)
		rc = put_point(image, plane, (enum access)access, at[access], i,
			x, err);
	if (plane->image)
		clReleaseMemObject(plane->image);
	return rc;
}

/* Ceilings of planes of so many bytes. */
static int begin_size(struct image *image, size_t bytes, struct error *err)
{
	int rc = 0;

	for (int write = 0; write < 2 && rc == 0; write++) {
		image->ceilings[write] = (struct ceiling){
			.what = write ? NATIVE_WRITE : NATIVE_READ,
			.bytes = bytes,
		};
		rc = ceiling_measure(
			image->session, &image->ceilings[write], err);
	}
	return rc;
}

/* Of shapes, of squares. */
static const char *const families[] = {"1 MiB in all shapes", "squares"};

static int end_size(const struct image *image, bool squares,
	const size_t at[ACCESSES], struct error *err)
{
	char name[64], size[TEXT_SIZE_BYTES];
	int rc = 0;

	for (int write = 0; write < 2 && rc == 0; write++) {
		const struct ceiling *ceiling = &image->ceilings[write];
		double bytes = (double)ceiling->bytes;

		snprintf(name, sizeof(name), "%s of %s, %s",
			squares ? "square" : "shapes",
			text_size(ceiling->bytes, size),
			write ? "write" : "read");
		rc = ceiling_record(image->session, name, ceiling, err);
		if (rc == 0)
			rc = ceiling_draw(image->session,
				at[write ? IMAGE_WRITE : IMAGE_READ],
				write ? "write" : "read", squares ? bytes : 0,
				squares ? bytes : INFINITY, ceiling, err);
	}
	return rc;
}

static bool fits(const struct image *image, size_t width, size_t height)
{
	return width <= image->most_width && height <= image->most_height;
}

/* Squares, or all shapes of one size. */
static size_t planes_of(
	const struct image *image, bool squares, struct plane planes[])
{
	bool quick = image->session->options->quick;
	size_t factor = !quick ? 2 : squares ? QUICK_SIDES : QUICK_WIDTHS;
	size_t width = squares ? LEAST_SIDE : LEAST_WIDTH, n = 0;

	for (; width <= (squares ? MOST_SIDE : MOST_WIDTH); width *= factor) {
		size_t height = squares ? width : SHAPE_ELEMENTS / width;

		if (fits(image, width, height))
			planes[n++] = (struct plane){
				.width = width, .height = height};
	}
	return n;
}

/* What images are beside buffers, of the largest square that is n - 1. */
static int find_squares(const struct image *image, size_t n, size_t bytes,
	const size_t at[ACCESSES], struct error *err)
{
	char texts[2][FIGURE_BYTES], size[TEXT_SIZE_BYTES];

	for (size_t write = 0; write < 2; write++) {
		const struct figure of_image = curve_figure(image->session,
			at[write ? IMAGE_WRITE : IMAGE_READ], n - 1);
		const struct figure of_buffer = curve_figure(image->session,
			at[write ? BUFFER_WRITE : BUFFER_READ], n - 1);

		figure_times(
			figure_over(of_image, of_buffer), "fast", texts[write]);
	}
	return curve_finding(image->session, err,
		"square of %s, image against buffer%s: read %s, write %s",
		text_size(bytes, size),
		image->session->is_cpu ? ", in software" : "", texts[0],
		texts[1]);
}

/* Whether the shape matters to images. */
static int find_shapes(const struct image *image, const struct plane *planes,
	size_t n, size_t at, enum access access, struct error *err)
{
	struct figure figures[MOST_POINTS];
	size_t most, least;
	char text[FIGURE_BYTES];
	const char *name = accesses[access].name;

	for (size_t i = 0; i < n; i++)
		figures[i] = curve_figure(image->session, at, i);
	most = figure_most(figures, n);
	least = figure_least(figures, n);
	switch (judge_spread(figures, n)) {
	case SPREAD_UNKNOWN:
		return curve_finding(image->session, err,
			"1 MiB in all shapes, %s: too few runs to compare",
			name);
	case SPREAD_NONE:
		return curve_finding(image->session, err,
			"1 MiB in all shapes, %s: no shape stands out, %.3g "
			"to %.3g GiB/s",
			name, figures[least].median, figures[most].median);
	default:
		return curve_finding(image->session, err,
			"1 MiB in all shapes, %s: a width of %zu is %s as one "
			"of %zu",
			name, planes[most].width,
			figure_times(figure_over(figures[most], figures[least]),
				"fast", text),
			planes[least].width);
	}
}

static int conclude(const struct image *image, bool squares,
	const struct plane *planes, size_t n, const size_t at[ACCESSES],
	struct error *err)
{
	int rc;

	if (squares)
		return find_squares(image, n,
			planes[n - 1].width * planes[n - 1].height *
				ELEMENT_BYTES,
			at, err);
	rc = find_shapes(image, planes, n, at[IMAGE_READ], IMAGE_READ, err);
	return rc ? rc
		  : find_shapes(image, planes, n, at[IMAGE_WRITE], IMAGE_WRITE,
			    err);
}

static int measure_planes(struct image *image, bool squares, struct error *err)
{
	const struct curve_facts facts = {
		.x_name = squares ? "size" : "width",
		.x_unit = squares ? "B" : "elements",
		.family = families[squares],
		.y_unit = "GiB/s",
	};
	struct plane planes[MOST_POINTS];
	size_t n = planes_of(image, squares, planes), at[ACCESSES];
	double xs[MOST_POINTS];
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		xs[i] = (double)(squares ? planes[i].width * planes[i].height *
						   ELEMENT_BYTES
					 : planes[i].width);
	for (int access = 0; access < ACCESSES && rc == 0; access++) {
		rc = curve_add(image->session, accesses[access].name, &facts, n,
			&at[access], err);
		for (size_t i = 0; i < n && rc == 0; i++)
			curve_place(image->session, at[access], i, xs[i]);
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		size_t bytes =
			planes[i].width * planes[i].height * ELEMENT_BYTES;

		/* Shapes are all of one size. */
		if (squares || i == 0)
			rc = begin_size(image, bytes, err);
		if (rc == 0)
			rc = measure_plane(
				image, &planes[i], at, i, xs[i], err);
		if (rc == 0 && (squares || i + 1 == n))
			rc = end_size(image, squares, at, err);
	}
	if (rc == 0 && n > 0)
		rc = conclude(image, squares, planes, n, at, err);
	return rc;
}

static int open_image(struct image *image, struct error *err)
{
	struct cl_session *session = image->session;
	size_t bytes = (size_t)MOST_SIDE * MOST_SIDE * ELEMENT_BYTES;
	cl_bool has_images = CL_FALSE;
	int rc;

	clGetDeviceInfo(session->device, CL_DEVICE_IMAGE_SUPPORT,
		sizeof(has_images), &has_images, NULL);
	if (!has_images)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"this device has no images "
			"(CL_DEVICE_IMAGE_SUPPORT)");
	clGetDeviceInfo(session->device, CL_DEVICE_IMAGE2D_MAX_WIDTH,
		sizeof(size_t), &image->most_width, NULL);
	clGetDeviceInfo(session->device, CL_DEVICE_IMAGE2D_MAX_HEIGHT,
		sizeof(size_t), &image->most_height, NULL);
	rc = session_build(
		session, "image.cl", image_cl, NULL, &image->program, err);
	for (int access = 0; access < ACCESSES && rc == 0; access++)
		rc = session_kernel(image->program, accesses[access].kernel,
			&image->kernels[access], err);
	if (rc == 0)
		rc = session_buffer(session, bytes, &image->buffer, err);
	if (rc == 0)
		rc = session_buffer(session, bytes, &image->out, err);
	return rc;
}

static void close_image(struct image *image)
{
	for (int access = 0; access < ACCESSES; access++) {
		if (image->kernels[access])
			clReleaseKernel(image->kernels[access]);
	}
	if (image->program)
		clReleaseProgram(image->program);
	if (image->buffer)
		clReleaseMemObject(image->buffer);
	if (image->out)
		clReleaseMemObject(image->out);
}

static int check_options(const struct cl_options *options, struct error *err)
{
	if (options->work_group && 1024 % options->work_group)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-group: an image's elements are no multiple of "
			"%llu; take a power of two up to 1024",
			(unsigned long long)options->work_group);
	return 0;
}

static int run_image(struct cl_session *session, struct error *err)
{
	struct image image = {.session = session};
	struct plane planes[MOST_POINTS];
	int rc = open_image(&image, err);

	image.all = (double)(planes_of(&image, true, planes) +
			     planes_of(&image, false, planes)) *
		    ACCESSES;
	if (rc == 0)
		rc = measure_planes(&image, true, err);
	if (rc == 0)
		rc = measure_planes(&image, false, err);
	close_image(&image);
	return rc;
}

const struct cl_test cl_test_image = {
	.name = "image",
	.section = "2.3.4",
	.summary = "Images read and written, by size and by shape",
	.takes = CL_TAKES_WORK_GROUP | CL_TAKES_SWEEP,
	.check = check_options,
	.run = run_image,
};
