/*
 * Arithmetic and built-in functions (section 2.1, table 1, figures 9 to 12).
 *
 * Timed are kernels of one kind of arithmetic in eight chains per work-item,
 * which do not wait for each other, enough to fill the pipelines; and one chain
 * of one work-item alone, which is latency. Each for float and double, and for
 * vectors of 1 to 16 elements. Built-in functions are in math_calls.c.
 *
 * As in the paper each kind of arithmetic is run with 1,024 to 524,288
 * work-items in groups of 32 to 256 for each vector, and what was best is
 * timed. Built-in functions are run in groups as was best for mad.
 *
 * No chain can be shortened: what the steps do is rounded, the numbers are not
 * known to the compiler, and the host computes a sample again. A compiler may
 * pack scalar chains into vectors, and does: that is arithmetic all the same.
 */
#include "cl/suite/math.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/sizes.h"
#include "cl/suite/math_cl.h"
#include "cl/tests.h"

#define MOST_ITEMS  524288
#define LEAST_GROUP 32
#define MOST_GROUP  256

/* Factors between the points that are tried: all, and with --quick. */
#define ITEMS_FACTOR	   2
#define QUICK_ITEMS_FACTOR 16
#define GROUP_FACTOR	   2
#define QUICK_GROUP_FACTOR 8
#define SEARCH_RUNS	   3

/* Steps of a chain in each turn of a kernel's loop; chains of a work-item. */
#define STEPS	    8
#define CHAINS	    8
#define LEAST_TURNS 8
#define MOST_TURNS  4096

/* One chain of one work-item. */
#define LATENCY_TURNS 8192

/* Work-items that the host computes again, spread over all. */
#define SAMPLE 8

/* What the chains begin with: 1 to 1.5. */
#define START_LOW  1.0
#define START_SPAN 1.0

/* Share of the progress that is not the built-in functions'. */
#define WORK_SEARCH	4.0
#define WORK_ARITHMETIC 1.0

static const size_t quick_widths[] = {1, 16};
static const size_t all_widths[MATH_WIDTHS] = {1, 2, 4, 8, 16};

#define N_KINDS 5

/* A kind of arithmetic and its numbers: those of odd steps and of even ones. */
struct arithmetic {
	const char *name, *chains, *chain; /* kernels */
	enum arch_operation operation;	   /* whose ceiling is this one's */
	double a, b, c, d;
	/* Of a step, in ulp of the largest number met; by type. */
	double slack[2];
};

/*
 * Chains that neither grow much nor come to rest, so that a step left out
 * shows. A quotient of floats may be 2.5 ulp off (OpenCL 1.2, section 7.4, the
 * table of single precision), all else here is rounded correctly, and quotients
 * of doubles too. For mad() these tables allow any value; here it may be
 * rounded once or twice, as OpenCL 2.1 says. Half an ulp more is the host's
 * own.
 */
static const struct arithmetic kinds[N_KINDS] = {
	{"add", "add_8", "add_1", ARCH_ADD, 3, -2, 0, 0, {0, 0}},
	{"sub", "sub_8", "sub_1", ARCH_ADD, 3, -2, 0, 0, {0, 0}},
	{"mul", "mul_8", "mul_1", ARCH_MUL, 1.001953125, 0.998046875, 0, 0,
		{0, 0}},
	{"div", "div_8", "div_1", ARCH_DIV, 1.001953125, 0.998046875, 0, 0,
		{3, 0}},
	{"mad", "mad_8", "mad_1", ARCH_MAD, 1.001953125, 0.998046875, 0.25,
		-0.25, {1.5, 1.5}},
};

#define MAD (&kinds[N_KINDS - 1])

size_t math_chains(size_t width)
{
	return width > 4 ? 2 : 4;
}

void math_advance(struct math *math, double work)
{
	math->done += work;
	session_progress(math->session, math->done / math->all);
}

int math_note(const struct math *math, const char *list, json_t *object,
	struct error *err)
{
	json_t *record = math->session->record;
	json_t *array = json_object_get(record, list);

	if (!array) {
		array = json_array();
		json_object_set_new(record, list, array);
	}
	if (!object || json_array_append_new(array, object))
		return error_no_memory(err, "the record");
	return 0;
}

int math_fill(const struct math *math, const struct math_type *type, double low,
	double span, struct error *err)
{
	size_t n = MATH_STARTS * all_widths[MATH_WIDTHS - 1];
	void *in;
	int rc = session_map(
		math->session, math->in, n * type->bytes, true, &in, err);

	if (rc < 0)
		return rc;
	for (size_t e = 0; e < n; e++) {
		double value = low + span * (double)(e % 1021) / 2048;

		if (type->is_double)
			((double *)in)[e] = value;
		else
			((float *)in)[e] = (float)value;
	}
	return session_unmap(math->session, math->in, in, err);
}

/* The kernels of one vector, whose names begin with its width. */
static void write_kernels(FILE *source, const struct math_type *type,
	size_t width, const char *body)
{
	char count[24] = "";

	if (width > 1)
		snprintf(count, sizeof(count), "%zu", width);
	fprintf(source,
		"#undef T\n#undef I\n#undef TO_T\n#undef CHAINS\n#undef NAMED\n"
		"#define T %s%s\n#define I int%s\n#define TO_T convert_%s%s\n"
		"#define CHAINS %zu\n#define NAMED(name) name##_%zu\n",
		type->name, count, count, type->name, count, math_chains(width),
		width);
	if (body)
		fprintf(source, "#undef BODY\n#define BODY %s\n", body);
	fputs(math_cl, source);
}

int math_build(const struct math *math, const struct math_type *type,
	const char *body, cl_program *program, struct error *err)
{
	char *text = NULL;
	size_t bytes;
	FILE *source = open_memstream(&text, &bytes);
	int rc;

	if (!source)
		return error_no_memory(err, "a kernel");
	if (type->is_double)
		fputs("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
			source);
	fprintf(source, "#define S %s\n#define STARTS %d\n", type->name,
		MATH_STARTS);
	for (size_t w = 0; w < math->n_widths; w++)
		write_kernels(source, type, math->widths[w], body);
	rc = fclose(source) == 0 ? 0 : error_no_memory(err, "a kernel");
	if (rc == 0)
		rc = session_build(
			math->session, "math.cl", text, NULL, program, err);
	free(text);
	return rc;
}

int math_kernel(const struct math *math, cl_program program, const char *name,
	size_t width, cl_kernel *kernel, struct error *err)
{
	char full[32];
	int rc;

	snprintf(full, sizeof(full), "%s_%zu", name, width);
	rc = session_kernel(program, full, kernel, err);

	if (rc == 0)
		rc = session_argument(
			*kernel, 0, sizeof(cl_mem), &math->in, err);
	if (rc == 0)
		rc = session_argument(
			*kernel, 1, sizeof(cl_mem), &math->out, err);
	return rc;
}

int math_number(const struct math_type *type, cl_kernel kernel, cl_uint i,
	double value, struct error *err)
{
	cl_float narrow = (cl_float)value;

	if (type->is_double)
		return session_argument(kernel, i, sizeof(value), &value, err);
	return session_argument(kernel, i, sizeof(narrow), &narrow, err);
}

int math_once(const struct math *math, cl_kernel kernel, cl_uint i,
	const struct math_run *run, double *s, struct error *err)
{
	int rc = session_stopped(math->session, err);

	if (rc == 0)
		rc = session_argument(
			kernel, i, sizeof(run->turns), &run->turns, err);
	if (rc == 0)
		rc = session_time_once(math->session, math->session->queue,
			kernel, run->items, run->group, false, s, err);
	return rc;
}

double math_element(const struct math_type *type, const void *buffer, size_t e)
{
	return type->is_double ? ((const double *)buffer)[e]
			       : (double)((const float *)buffer)[e];
}

/* The turns are this argument of arithmetic. */
#define TURNS_ARGUMENT 6

static int open_kind(const struct math *math, const struct math_type *type,
	const struct arithmetic *kind, const char *name, size_t width,
	cl_program program, cl_kernel *kernel, struct error *err)
{
	const double numbers[] = {kind->a, kind->b, kind->c, kind->d};
	int rc = math_kernel(math, program, name, width, kernel, err);

	for (cl_uint i = 0; i < 4 && rc == 0; i++)
		rc = math_number(type, *kernel, 2 + i, numbers[i], err);
	return rc;
}

/* One step on the host, in the precision of the type. */
static double step(const struct math_type *type, const struct arithmetic *kind,
	double x, bool even)
{
	double p = even ? kind->b : kind->a, q = even ? kind->d : kind->c;
	float f = (float)x, fp = (float)p;

	switch (kind - kinds) {
	case 0:
		return type->is_double ? x + p : (double)(f + fp);
	case 1:
		return type->is_double ? x - p : (double)(f - fp);
	case 2:
		return type->is_double ? x * p : (double)(f * fp);
	case 3:
		return type->is_double ? x / p : (double)(f / fp);
	default:
		return type->is_double ? x * p + q
				       : (double)(f * fp + (float)q);
	}
}

static double sum_of(const struct math_type *type, double a, double b)
{
	return type->is_double ? a + b : (double)((float)a + (float)b);
}

/* What chains of steps from start come to; *most is the largest on the way. */
static double expected(const struct math_type *type,
	const struct arithmetic *kind, double start, size_t chains,
	size_t steps, double *most)
{
	double x[CHAINS] = {0};

	for (size_t j = 0; j < chains; j++) {
		x[j] = sum_of(type, start, (double)j);
		for (size_t i = 0; i < steps; i++) {
			*most = fmax(*most, fabs(x[j]));
			x[j] = step(type, kind, x[j], i & 1);
		}
		*most = fmax(*most, fabs(x[j]));
	}
	for (size_t half = 1; half < chains; half *= 2) {
		for (size_t j = 0; j < chains; j += 2 * half)
			x[j] = sum_of(type, x[j], x[j + half]);
	}
	return x[0];
}

static int check(const struct math *math, const struct math_type *type,
	const struct arithmetic *kind, size_t width, size_t chains,
	const struct math_run *run, struct error *err)
{
	double ulp = type->is_double ? DBL_EPSILON : FLT_EPSILON;
	size_t steps = (size_t)run->turns * STEPS, bad = 0;
	void *out;
	int rc = session_map(math->session, math->out,
		run->items * width * type->bytes, false, &out, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < SAMPLE; i++) {
		size_t g = run->items * i / SAMPLE;

		for (size_t k = 0; k < width; k++) {
			size_t e = g % MATH_STARTS * width + k;
			double start = START_LOW +
				       START_SPAN * (double)(e % 1021) / 2048;
			double most = 0;
			double right = expected(
				type, kind, start, chains, steps, &most);
			double slack = kind->slack[type->is_double] * ulp *
				       most * (double)(steps * chains);
			double got = math_element(type, out, g * width + k);

			bad += !(fabs(got - right) <= slack);
		}
	}
	rc = session_unmap(math->session, math->out, out, err);
	if (rc == 0 && bad > 0)
		rc = error_set(err, ERROR_FAILURE, EIO,
			"%s of %s, vectors of %zu: what the kernel computes is "
			"not what the host computes: this implementation of "
			"OpenCL computes wrongly, and its times mean nothing",
			kind->name, type->name, width);
	return rc;
}

/* More turns, until a run lasts. */
static int choose_turns(const struct math *math, cl_kernel kernel,
	struct math_run *run, struct error *err)
{
	double s = 0;
	int rc;

	run->turns = LEAST_TURNS;
	rc = math_once(math, kernel, TURNS_ARGUMENT, run, &s, err);
	while (rc == 0) {
		rc = math_once(math, kernel, TURNS_ARGUMENT, run, &s, err);
		if (s >= MATH_LEAST_S || run->turns >= MOST_TURNS)
			break;
		run->turns *= 2;
	}
	return rc;
}

/* The numbers that are tried: one that the user chose, or from least on. */
struct choice {
	size_t least, most, factor;
};

static struct choice items_of(const struct math *math)
{
	const struct cl_options *options = math->session->options;

	if (options->work_items)
		return (struct choice){
			options->work_items, options->work_items, 2};
	return (struct choice){LEAST_ITEMS, MOST_ITEMS,
		options->quick ? QUICK_ITEMS_FACTOR : ITEMS_FACTOR};
}

static struct choice group_of(const struct math *math)
{
	const struct cl_options *options = math->session->options;
	size_t most = math->session->max_group;

	if (options->work_group)
		return (struct choice){
			options->work_group, options->work_group, 2};
	most = most < MOST_GROUP ? most : MOST_GROUP;
	while (options->work_items % most)
		most /= 2;
	return (struct choice){most < LEAST_GROUP ? most : LEAST_GROUP, most,
		options->quick ? QUICK_GROUP_FACTOR : GROUP_FACTOR};
}

/* The number of work-items and the group with which a kind is fastest. */
static int search(struct math *math, const struct math_type *type,
	const struct arithmetic *kind, size_t width, cl_kernel kernel,
	struct math_run *fastest, struct error *err)
{
	struct choice items = items_of(math), group = group_of(math);
	struct math_run run = {.items = items.most, .group = group.least};
	double best = 0;
	int rc = choose_turns(math, kernel, &run, err);

	for (run.group = group.least; run.group <= group.most && rc == 0;
		run.group *= group.factor) {
		for (run.items = items.least; run.items <= items.most;
			run.items *= items.factor) {
			double s, rate, least = INFINITY;

			/* The first may have a compilation in it. */
			for (int i = 0; i <= SEARCH_RUNS && rc == 0; i++) {
				rc = math_once(math, kernel, TURNS_ARGUMENT,
					&run, &s, err);
				least = i > 0 ? fmin(least, s) : least;
			}
			if (rc < 0)
				break;
			rate = (double)run.items / least;
			if (rate > best) {
				best = rate;
				*fastest = run;
			}
		}
	}
	math_advance(math, WORK_SEARCH);
	if (rc < 0)
		return rc;
	return math_note(math, "best",
		json_pack("{s:s, s:s, s:I, s:I, s:I}", "operation", kind->name,
			"type", type->name, "vector", (json_int_t)width,
			"work_items", (json_int_t)fastest->items, "work_group",
			(json_int_t)fastest->group),
		err);
}

/* Eight chains in as many work-items as are best, into the curve at. */
static int measure_rate(struct math *math, struct math_type *type,
	const struct arithmetic *kind, size_t w, cl_program program, size_t at,
	struct error *err)
{
	struct math_run run = {0};
	size_t width = math->widths[w];
	cl_kernel kernel = NULL;
	struct cl_timing timing = {.median_s = NAN};
	struct ceiling *ceiling = &type->ceilings[kind->operation];
	double operations, rate;
	bool holds = true;
	int rc = open_kind(
		math, type, kind, kind->chains, width, program, &kernel, err);

	if (rc == 0)
		rc = search(math, type, kind, width, kernel, &run, err);
	if (rc == 0)
		rc = choose_turns(math, kernel, &run, err);
	if (rc == 0)
		rc = session_time(math->session, kernel, run.items, run.group,
			&timing, err);
	if (rc == 0)
		rc = check(math, type, kind, width, CHAINS, &run, err);
	if (kernel)
		clReleaseKernel(kernel);
	if (rc < 0)
		return rc;
	if (kind == MAD) {
		type->items[w] = run.items;
		type->group[w] = run.group;
	}
	operations = (double)(run.items * run.turns * width) * CHAINS * STEPS *
		     (kind == MAD ? 2 : 1);
	rate = operations / timing.median_s * 1e-9;
	rc = ceiling_check(math->session, ceiling, rate, &holds, err);
	if (rc == 0 && !holds)
		return curve_reject(math->session, err,
			"%s of %s, vectors of %zu: %.3g GFLOP/s are above the "
			"%.3g that the CPUs do natively",
			kind->name, type->name, width, rate,
			ceiling->gflop_per_s);
	if (rc == 0)
		curve_put_giga(math->session, at, w, (double)width, operations,
			&timing);
	return rc;
}

/* One chain of one work-item. */
static int measure_latency(struct math *math, struct math_type *type,
	const struct arithmetic *kind, size_t w, cl_program program, size_t at,
	struct error *err)
{
	struct math_run run = {.items = 1, .group = 1, .turns = LATENCY_TURNS};
	size_t width = math->widths[w];
	cl_kernel kernel = NULL;
	struct cl_timing timing;
	double s;
	int rc = open_kind(
		math, type, kind, kind->chain, width, program, &kernel, err);

	if (rc == 0)
		rc = math_once(math, kernel, TURNS_ARGUMENT, &run, &s, err);
	if (rc == 0)
		rc = session_time(math->session, kernel, 1, 1, &timing, err);
	if (rc == 0)
		rc = check(math, type, kind, width, 1, &run, err);
	if (kernel)
		clReleaseKernel(kernel);
	if (rc < 0)
		return rc;
	curve_put_step(math->session, at, w, (double)width,
		(double)LATENCY_TURNS * STEPS, &timing);
	return 0;
}

int math_add_curve(const struct math *math, const char *name,
	const struct curve_facts *facts, size_t *at, struct error *err)
{
	int rc = curve_add(math->session, name, facts, math->n_widths, at, err);

	for (size_t w = 0; w < math->n_widths && rc == 0; w++)
		curve_place(math->session, *at, w, (double)math->widths[w]);
	return rc;
}

/* The part of its page that a type has. */
unsigned math_part(const struct math_type *type, bool latency)
{
	return 2 * type->is_double + latency;
}

/* Of all kinds the rates, then the latencies. */
static int add_curves(struct math *math, struct math_type *type,
	struct math_curve curves[N_KINDS], struct error *err)
{
	char text[32];
	struct curve_facts facts = {.x_name = "vector", .x_unit = "elements"};
	int rc = 0;

	facts.family = text;
	for (int latency = 0; latency < 2; latency++) {
		snprintf(text, sizeof(text), "%s%s",
			latency ? "latency of " : "", type->name);
		facts.y_unit = latency ? "ns" : "GFLOP/s";
		facts.part = math_part(type, latency);
		for (size_t k = 0; k < N_KINDS && rc == 0; k++) {
			curves[k].name = kinds[k].name;
			curves[k].ceiling = &type->ceilings[kinds[k].operation];
			rc = math_add_curve(math, kinds[k].name, &facts,
				latency ? &curves[k].latency : &curves[k].rate,
				err);
		}
	}
	return rc;
}

/*
 * What the CPUs do of each operation, again before each vector, so that a
 * machine which is busy for a while is busy for both; the best counts.
 */
static int measure_ceilings(
	const struct math *math, struct math_type *type, struct error *err)
{
	int rc = 0;

	for (int n = 0; n < ARCH_OPERATIONS && rc == 0; n++) {
		struct ceiling *ceiling = &type->ceilings[n];

		ceiling->what = type->is_double ? NATIVE_DOUBLE : NATIVE_FLOAT;
		ceiling->operation = (enum arch_operation)n;
		/* Each vector may have it measured some times more. */
		if (ceiling->rounds > 1)
			ceiling->rounds = 1;
		rc = ceiling_measure(math->session, ceiling, err);
	}
	return rc;
}

/* "add and sub": the curves that are held to an operation. */
static void name_held(enum arch_operation operation, char *text, size_t bytes)
{
	size_t used = 0;

	for (size_t k = 0; k < N_KINDS && used < bytes; k++) {
		if (kinds[k].operation == operation)
			used += (size_t)snprintf(text + used, bytes - used,
				"%s%s", used ? " and " : "", kinds[k].name);
	}
}

static int record_ceilings(const struct math *math,
	const struct math_type *type, struct error *err)
{
	int rc = 0;

	for (int n = 0; n < ARCH_OPERATIONS && rc == 0; n++) {
		char held[32], name[64];

		name_held((enum arch_operation)n, held, sizeof(held));
		snprintf(name, sizeof(name), "%s of %s", held, type->name);
		rc = ceiling_record(
			math->session, name, &type->ceilings[n], err);
		if (rc == 0)
			rc = ceiling_draw(math->session, type->rates, held, 0,
				INFINITY, &type->ceilings[n], err);
	}
	return rc;
}

static int measure_arithmetic(
	struct math *math, struct math_type *type, struct error *err)
{
	struct math_curve curves[N_KINDS];
	cl_program program = NULL;
	int rc = add_curves(math, type, curves, err);

	type->rates = curves[0].rate;
	if (rc == 0)
		rc = math_fill(math, type, START_LOW, START_SPAN, err);
	if (rc == 0)
		rc = math_build(math, type, NULL, &program, err);
	for (size_t w = 0; w < math->n_widths && rc == 0; w++) {
		rc = measure_ceilings(math, type, err);
		for (size_t k = 0; k < N_KINDS && rc == 0; k++) {
			rc = measure_rate(math, type, &kinds[k], w, program,
				curves[k].rate, err);
			math_advance(math, WORK_ARITHMETIC / 2);
			if (rc == 0)
				rc = measure_latency(math, type, &kinds[k], w,
					program, curves[k].latency, err);
			math_advance(math, WORK_ARITHMETIC / 2);
		}
	}
	if (rc == 0)
		rc = math_conclude(math, type, curves, N_KINDS, err);
	if (program)
		clReleaseProgram(program);
	return rc;
}

static int check_options(const struct cl_options *options, struct error *err)
{
	/* Larger groups that do not divide them are left out. */
	size_t group = options->work_group ? options->work_group : LEAST_GROUP;

	if (options->work_items > MOST_ITEMS)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-items: math takes %d at most", MOST_ITEMS);
	if (!options->work_items && LEAST_ITEMS % group)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-group: math has 1,024 work-items and more, no "
			"multiples of %zu; take a power of two up to %d",
			group, LEAST_ITEMS);
	return options->work_items
		       ? check_groups(options, options->work_items, group, err)
		       : 0;
}

/* Which types and vectors, and the memory for them. */
static int open_math(struct math *math, struct error *err)
{
	struct cl_session *session = math->session;
	bool quick = session->options->quick;
	size_t chosen = session->options->work_items, width;
	cl_device_fp_config config = 0;
	int rc;

	math->n_widths = quick ? 2 : MATH_WIDTHS;
	for (size_t w = 0; w < math->n_widths; w++)
		math->widths[w] = quick ? quick_widths[w] : all_widths[w];
	math->types[math->n_types++] = (struct math_type){
		.name = "float",
		.bytes = sizeof(cl_float),
	};
	clGetDeviceInfo(session->device, CL_DEVICE_DOUBLE_FP_CONFIG,
		sizeof(config), &config, NULL);
	if (config)
		math->types[math->n_types++] = (struct math_type){
			.is_double = true,
			.name = "double",
			.bytes = sizeof(cl_double),
		};
	else if (session_note(session, err,
			 "double is left out: the device has none "
			 "(CL_DEVICE_DOUBLE_FP_CONFIG)") < 0)
		return -ENOMEM;
	width = math->widths[math->n_widths - 1];
	math->out_bytes =
		MOST_ITEMS * width * math->types[math->n_types - 1].bytes;
	/* Of calls each chain has a result, and items are no fewer for it. */
	if (chosen)
		math->out_bytes = math->out_bytes / MOST_ITEMS * chosen *
				  math_chains(width);
	rc = session_buffer(session,
		MATH_STARTS * all_widths[MATH_WIDTHS - 1] * sizeof(cl_double),
		&math->in, err);
	if (rc == 0)
		rc = session_buffer(session, math->out_bytes, &math->out, err);
	for (size_t i = 0; i < math_n_functions; i++)
		math->all += !quick || math_functions[i].typical;
	math->all += (double)math->n_widths * N_KINDS *
		     (WORK_SEARCH + WORK_ARITHMETIC);
	math->all *= (double)math->n_types;
	return rc;
}

static int run_math(struct cl_session *session, struct error *err)
{
	struct math math = {.session = session};
	int rc;

	if (session->options->work_group > session->max_group)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-group: the device takes %zu at most",
			session->max_group);
	rc = open_math(&math, err);
	for (size_t t = 0; t < math.n_types && rc == 0; t++)
		rc = measure_arithmetic(&math, &math.types[t], err);
	for (size_t t = 0; t < math.n_types && rc == 0; t++)
		rc = math_calls(&math, &math.types[t], err);
	for (size_t t = 0; t < math.n_types && rc == 0; t++)
		rc = record_ceilings(&math, &math.types[t], err);
	if (math.in)
		clReleaseMemObject(math.in);
	if (math.out)
		clReleaseMemObject(math.out);
	return rc;
}

const struct cl_test cl_test_math = {
	.name = "math",
	.section = "2.1",
	.summary = "Arithmetic and the built-in functions, by vectors",
	.takes = CL_TAKES_WORK_ITEMS | CL_TAKES_WORK_GROUP,
	.check = check_options,
	.run = run_math,
};
