/*
 * One kernel with images on the first device, for oclgrind, whose own launcher
 * knows no images:
 *
 *	texels FILE OPTIONS KERNEL ITEMS GROUP ARGUMENT...
 *
 * An argument is a number; out:A,B,... a buffer of words that begins with
 *these; TYPE:N a buffer of vectors of four, TYPE:N:1d an image of a buffer of N
 * texels, TYPE:WxH one of two dimensions; or word:A,B,...:SHAPE an image of
 *these single words. TYPE is uint or float, and component k of texel e begins
 *with 4 e + k, or square, and the words are the squares of these. At the end
 *all words of out and all texels are printed.
 */
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARGUMENTS 16
#define MOST_WORDS     4096

struct memory {
	cl_mem image, buffer; /* image NULL: none */
	size_t width, height, words;
	bool is_float;
};

static cl_context context;
static cl_command_queue queue;

static void check(cl_int code, const char *what)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: error %d\n", what, code);
	exit(1);
}

static cl_kernel build(const char *path, const char *options, const char *name)
{
	static char text[1 << 16];
	const char *source = text;
	FILE *file = fopen(path, "r");
	cl_platform_id platform;
	cl_device_id device;
	cl_program program;
	cl_kernel kernel;
	cl_int code;

	check(file ? 0 : -1, path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	check(clGetPlatformIDs(1, &platform, NULL), "a platform");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
		"a device");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	check(code, "a context");
	queue = clCreateCommandQueue(context, device, 0, &code);
	check(code, "a queue");
	program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
	check(code, "a program");
	check(clBuildProgram(program, 1, &device, options, NULL, NULL), path);
	kernel = clCreateKernel(program, name, &code);
	check(code, name);
	return kernel;
}

static size_t parse_words(const char *text, cl_uint *words)
{
	size_t n = 0;
	char *end;

	do {
		words[n++] = (cl_uint)strtoul(text, &end, 0);
		text = end + 1;
	} while (*end == ',' && n < MOST_WORDS);
	return n;
}

static void open_image(struct memory *memory, bool single, cl_uint *words)
{
	const cl_image_format format = {single ? CL_R : CL_RGBA,
		memory->is_float ? CL_FLOAT : CL_UNSIGNED_INT32};
	cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = memory->width,
		.image_height = memory->height};
	cl_mem_flags copy = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
	cl_int code;

	if (memory->height == 0) {
		shape.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
		shape.image_height = 0;
		shape.buffer = memory->buffer;
	}
	memory->image = clCreateImage(context,
		memory->height ? copy : CL_MEM_READ_WRITE, &format, &shape,
		memory->height ? words : NULL, &code);
	check(code, "an image");
}

/* Make what an argument describes. */
static struct memory open_memory(const char *text)
{
	struct memory memory = {0};
	cl_uint words[MOST_WORDS];
	const char *shape = strrchr(text, ':'), *list = strchr(text, ':') + 1;
	bool single = strncmp(text, "word:", 5) == 0;
	bool square = strncmp(text, "square:", 7) == 0;
	bool out = strncmp(text, "out:", 4) == 0;
	cl_int code;

	memory.is_float = strncmp(text, "float:", 6) == 0;
	if (strchr(shape, 'x'))
		sscanf(shape, ":%zux%zu", &memory.width, &memory.height);
	if (out || single) {
		memory.words = parse_words(list, words);
		if (single && memory.height == 0)
			memory.width = memory.words;
	} else {
		if (memory.height == 0)
			memory.width = strtoul(list, NULL, 0);
		memory.words =
			4 * memory.width * (memory.height ? memory.height : 1);
		for (size_t i = 0; i < memory.words; i++) {
			float number = (float)i;

			words[i] = (cl_uint)(square ? i * i : i);
			if (memory.is_float)
				memcpy(&words[i], &number, sizeof(number));
		}
	}
	memory.buffer = clCreateBuffer(context,
		CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
		memory.words * sizeof(*words), words, &code);
	check(code, "a buffer");
	if (memory.height || strcmp(shape, ":1d") == 0)
		open_image(&memory, single, words);
	return memory;
}

static void print_memory(const struct memory *memory)
{
	const size_t origin[3] = {0};
	const size_t region[3] = {memory->width, memory->height, 1};
	cl_uint words[MOST_WORDS];

	if (memory->height)
		check(clEnqueueReadImage(queue, memory->image, CL_TRUE, origin,
			      region, 0, 0, words, 0, NULL, NULL),
			"reading an image");
	else
		check(clEnqueueReadBuffer(queue, memory->buffer, CL_TRUE, 0,
			      memory->words * sizeof(*words), words, 0, NULL,
			      NULL),
			"reading a buffer");
	for (size_t i = 0; i < memory->words; i++) {
		float number;

		memcpy(&number, &words[i], sizeof(number));
		if (memory->is_float)
			printf("[%zu] = %g\n", i, (double)number);
		else
			printf("[%zu] = %u\n", i, words[i]);
	}
}

int main(int argc, char **argv)
{
	struct memory memory[MOST_ARGUMENTS];
	size_t items, group;
	cl_kernel kernel;
	int n = argc - 6;

	if (n < 1 || n > MOST_ARGUMENTS)
		return 1;
	kernel = build(argv[1], argv[2], argv[3]);
	items = strtoul(argv[4], NULL, 0);
	group = strtoul(argv[5], NULL, 0);
	for (int i = 0; i < n; i++) {
		const char *text = argv[6 + i];
		cl_uint word = (cl_uint)strtoul(text, NULL, 0);

		memory[i] = (struct memory){0};
		if (!strchr(text, ':')) {
			check(clSetKernelArg(
				      kernel, (cl_uint)i, sizeof(word), &word),
				text);
			continue;
		}
		memory[i] = open_memory(text);
		check(clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_mem),
			      memory[i].image ? (const void *)&memory[i].image
					      : &memory[i].buffer),
			text);
	}
	check(clEnqueueNDRangeKernel(
		      queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL),
		argv[3]);
	check(clFinish(queue), argv[3]);
	for (int i = 0; i < n; i++) {
		if (memory[i].buffer)
			print_memory(&memory[i]);
	}
	return 0;
}
