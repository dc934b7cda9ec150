/*
 * The kernels of image.cl, which is named, on the first device: an image and a
 * buffer 8 elements wide and 4 high, each work-item reads four elements, then
 * writes four times into its own. For oclgrind, whose own launcher knows no
 * images. Ends with 0 if what they compute is right.
 */
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH  8
#define HEIGHT 4
#define N      32
#define TURNS  4
#define STEP   3
#define FIRST  7

struct device {
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
};

static int check(cl_int code, const char *what)
{
	if (code)
		fprintf(stderr, "%s: error %d\n", what, code);
	return code ? -1 : 0;
}

static int open_device(struct device *device, const char *path)
{
	static char text[1 << 16];
	const char *source = text;
	FILE *file = fopen(path, "r");
	cl_platform_id platform;
	cl_int code;

	if (!file)
		return check(-1, path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	code = clGetPlatformIDs(1, &platform, NULL);
	if (!code)
		code = clGetDeviceIDs(
			platform, CL_DEVICE_TYPE_ALL, 1, &device->id, NULL);
	if (code)
		return check(code, "no device");
	device->context =
		clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
	if (code)
		return check(code, "a context");
	device->queue =
		clCreateCommandQueue(device->context, device->id, 0, &code);
	if (code)
		return check(code, "a queue");
	device->program = clCreateProgramWithSource(
		device->context, 1, &source, NULL, &code);
	if (!code)
		code = clBuildProgram(
			device->program, 1, &device->id, "", NULL, NULL);
	return check(code, "a program");
}

/* A kernel with its first arguments, then those that are numbers. */
static int run(const struct device *device, const char *name,
	const cl_mem *memories, cl_uint n_memories, const cl_uint *numbers,
	cl_uint n_numbers)
{
	const size_t items[2] = {WIDTH, HEIGHT}, group[2] = {2, 2};
	cl_int code;
	cl_kernel kernel = clCreateKernel(device->program, name, &code);

	for (cl_uint i = 0; i < n_memories && !code; i++)
		code = clSetKernelArg(kernel, i, sizeof(cl_mem), &memories[i]);
	for (cl_uint i = 0; i < n_numbers && !code; i++)
		code = clSetKernelArg(kernel, n_memories + i,
			sizeof(numbers[i]), &numbers[i]);
	if (!code)
		code = clEnqueueNDRangeKernel(device->queue, kernel, 2, NULL,
			items, group, 0, NULL, NULL);
	if (!code)
		code = clFinish(device->queue);
	return check(code, name);
}

static int differ(const char *what, size_t e, float got, float right)
{
	if (got == right) /* NOLINT: both are small whole numbers */
		return 0;
	fprintf(stderr, "%s: element %zu is %g, not %g\n", what, e, (double)got,
		(double)right);
	return -1;
}

/* Sums of elements STEP apart along the row; element e is e. */
static int check_read(const char *what, const float *out)
{
	for (size_t e = 0; e < N; e++) {
		size_t row = e / WIDTH * WIDTH, right = 0;

		for (size_t turn = 0; turn < TURNS; turn++)
			right += row + (e % WIDTH + turn * STEP) % WIDTH;
		if (differ(what, e, out[4 * e], (float)right))
			return -1;
	}
	return 0;
}

/* What each work-item wrote last, all of it into its own element. */
static int check_written(const char *what, const float *plane)
{
	for (size_t e = 0; e < N; e++) {
		if (differ(what, e, plane[4 * e], (float)e) ||
			differ(what, e, plane[4 * e + 2], FIRST + TURNS - 1))
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const cl_uint read[] = {WIDTH, TURNS, STEP};
	static const cl_uint write[] = {WIDTH, TURNS, 0, FIRST};
	static const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = WIDTH,
		.image_height = HEIGHT};
	const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
	float host[4 * N] = {0}, out[4 * N];
	struct device device;
	cl_mem image, buffer, sums, memories[2];
	cl_int code[3];

	if (argc != 2 || open_device(&device, argv[1]))
		return 1;
	for (size_t e = 0; e < N; e++)
		host[4 * e] = (float)e;
	image = clCreateImage(device.context,
		CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &shape, host,
		&code[0]);
	buffer = clCreateBuffer(device.context,
		CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(host), host,
		&code[1]);
	sums = clCreateBuffer(
		device.context, CL_MEM_READ_WRITE, sizeof(out), NULL, &code[2]);
	if (check(code[0], "an image") || check(code[1], "a buffer") ||
		check(code[2], "sums"))
		return 1;
	for (int is_image = 0; is_image < 2; is_image++) {
		const char *name = is_image ? "image_read" : "buffer_read";

		memories[0] = is_image ? image : buffer;
		memories[1] = sums;
		if (run(&device, name, memories, 2, read, 3) ||
			check(clEnqueueReadBuffer(device.queue, sums, CL_TRUE,
				      0, sizeof(out), out, 0, NULL, NULL),
				name) ||
			check_read(name, out))
			return 1;
	}
	if (run(&device, "image_write", &image, 1, write, 4) ||
		check(clEnqueueReadImage(device.queue, image, CL_TRUE, origin,
			      region, 0, 0, out, 0, NULL, NULL),
			"image") ||
		check_written("image_write", out) ||
		run(&device, "buffer_write", &buffer, 1, write, 4) ||
		check(clEnqueueReadBuffer(device.queue, buffer, CL_TRUE, 0,
			      sizeof(out), out, 0, NULL, NULL),
			"buffer") ||
		check_written("buffer_write", out))
		return 1;
	puts("as expected");
	return 0;
}
