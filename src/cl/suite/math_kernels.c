/*
 * Programs of the test math, with a kernel for each vector, and memory.
 */

#include "cl/suite/math.h"
#include "cl/suite/math_cl.h"

#define MOST_WIDTH 16

size_t math_chains(size_t width)
{
	return width > 4 ? 2 : 4;
}

double math_start(double low, double span, size_t e)
{
	return low + span * (double)(e % 1021) / 2048;
}

static void math_write_starts(struct math_state *math,
	const struct math_type *type, double low, double span)
{
	size_t n = MATH_STARTS * MOST_WIDTH;
	void *in = session_map(math->session, math->in, n * type->bytes, true);

	if (!in)
		return;
	for (size_t e = 0; e < n; e++)
		number_set_element(
			type->is_double, in, e, math_start(low, span, e));
	session_unmap(math->session, math->in, in);
}

static void math_write_kernels(struct text_list *source,
	const struct math_type *type, unsigned width, const char *body)
{
	char count[24] = "";

	if (width > 1)
		snprintf(count, sizeof(count), "%u", width);
	text_list_add(source, "",
		"#undef T\n#undef I\n#undef TO_T\n#undef CHAINS\n#undef NAMED\n"
		"#define T %s%s\n#define I int%s\n#define TO_T convert_%s%s\n"
		"#define CHAINS %zu\n#define NAMED(name) name##_%u\n",
		type->name, count, count, type->name, count, math_chains(width),
		width);
	if (body)
		text_list_add(
			source, "", "#undef BODY\n#define BODY %s\n", body);
	text_list_add(source, "", "%s", math_cl);
}

cl_program math_build(struct math_state *math, const struct math_type *type,
	const char *body, double low, double span, const char *options)
{
	struct session *session = math->session;
	struct text_list source = {.text = NULL};

	math_write_starts(math, type, low, span);
	if (type->is_double)
		text_list_add(&source, "",
			"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
	text_list_add(&source, "", "#define S %s\n#define STARTS %d\n",
		type->name, MATH_STARTS);
	for (size_t w = 0; w < math_n_widths(math, body); w++)
		math_write_kernels(
			&source, type, math_width(math, body, w), body);
	/* Latencies under --quick are those of scalars. */
	if (!body && session->options->quick)
		math_write_kernels(&source, type, 1, NULL);
	return session_build(session, "math.cl",
		session_list_text(session, &source), options);
}

cl_kernel math_kernel(const struct math_state *math, cl_program program,
	const char *name, size_t width)
{
	cl_kernel kernel = session_kernel(math->session, program,
		session_text(math->session, "%s_%zu", name, width));

	session_arguments(math->session, kernel, 0, memory_argument(math->in),
		memory_argument(math->out));
	return kernel;
}

struct sweep math_sweep(const struct math_state *math,
	const struct math_type *type, const char *name, bool calls)
{
	struct sweep sweep = {.session = math->session,
		.name = session_text(
			math->session, "%s of %s", name, type->name),
		.facts = {.family = type->name,
			.member = name,
			.x_name = "vector",
			.x_unit = "elements"},
		.shows = SHOWS_GIGA};

	for (size_t w = 0; w < math_n_widths(math, calls); w++) {
		unsigned width = math_width(math, calls, w);

		sweep_over(&sweep, &width, 1);
	}
	return sweep;
}
