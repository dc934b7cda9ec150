/*
 * Built-in functions: calls a second, and how far off they are.
 *
 * Timed is a kernel of which each work-item calls a function for arguments that
 * are a small step apart, in two or four chains. A call comes with two
 * additions, one to the sum of the results and one to the argument: what takes
 * no longer than these, as fabs() does, is measured with them, and there are no
 * more calls than half of the additions that the CPUs can do.
 *
 * One turn gives single results, of which the host takes a sample; they have to
 * be within the specification's bound. What is timed has more turns and gives
 * sums, which are compared with the host's as closely as their rounding allows.
 */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "cl/sizes.h"
#include "cl/suite/math.h"

#define TURNS	     16
#define MOST_TURNS   4096
#define SAMPLE	     8
#define SUM_SAMPLE   2
#define GROUPS_A_CPU 4

/* To the sum and to the argument. */
#define ADDITIONS_A_CALL 2

/* The turns are this argument of the kernel. */
#define TURNS_ARGUMENT 5

/* One function of one type and vector. */
struct point {
	const struct math_function *function;
	const struct math_type *type;
	size_t width, chains;
	cl_kernel kernel;
	struct math_run run;
	struct items_range items;
	double off_ulp; /* the most that a result was off */
};

static double argument_of(const struct point *point, size_t g, size_t k)
{
	size_t e = g % MATH_STARTS * point->width + k;
	const struct math_function *function = point->function;

	return function->low + function->span * (double)(e % 1021) / 2048;
}

/* From one argument to the next: exact in a float, however often it is added */
static double step_of(const struct point *point)
{
	return point->function->span / 131072;
}

static long double right_of(const struct point *point, double x)
{
	return point->function->right(
		x, point->function->b, point->type->is_double);
}

/*
 * The distance of the two numbers of the type that are nearest, as the
 * specification defines it: that below a power of two, and the least there is
 * at zero.
 */
static double ulp_of(const struct point *point, long double value)
{
	bool is_double = point->type->is_double;
	int exponent;
	long double part = frexpl(fabsl(value), &exponent);

	if (part == 0)
		return is_double ? DBL_TRUE_MIN : FLT_TRUE_MIN;
	if (part == 0.5L)
		exponent--;
	return ldexp(1.0, exponent - (is_double ? DBL_MANT_DIG : FLT_MANT_DIG));
}

static double bound_of(const struct point *point)
{
	/* What is exact is rounded. */
	return fmax(0.5001, point->function->ulp);
}

/* How far single results of a sample are off. */
static void judge_results(struct point *point, const void *out)
{
	point->off_ulp = 0;
	for (size_t i = 0; i < SAMPLE; i++) {
		size_t g = point->run.items * i / SAMPLE;

		for (size_t n = 0; n < point->chains * point->width; n++) {
			size_t j = n / point->width, k = n % point->width;
			double x = argument_of(point, g, k) +
				   (double)j * step_of(point);
			long double right = right_of(point, x);
			double got = math_element(point->type, out,
				(g * point->chains + j) * point->width + k);
			double off = (double)fabsl(got - right) /
				     ulp_of(point, right);

			/* What is no number is off by any. */
			if (!(off <= point->off_ulp))
				point->off_ulp = isnan(off) ? INFINITY : off;
		}
	}
}

/* Whether the sums of a sample are those of the right results. */
static bool sums_hold(const struct point *point, const void *out)
{
	double epsilon = point->type->is_double ? DBL_EPSILON : FLT_EPSILON;

	for (size_t i = 0; i < SUM_SAMPLE; i++) {
		size_t g = point->run.items * (2 * i + 1) / (2 * SUM_SAMPLE);
		size_t k = i % point->width, j = i % point->chains;
		long double sum = 0, most = 0, sizes = 0;
		double got;

		for (size_t t = 0; t < point->run.turns; t++) {
			double x = argument_of(point, g, k) +
				   (double)(t * point->chains + j) *
					   step_of(point);
			long double right = right_of(point, x);

			sum += right;
			most = fmaxl(most, fabsl(sum));
			sizes += fabsl(right);
		}
		got = math_element(point->type, out,
			(g * point->chains + j) * point->width + k);
		/* Errors of the results, and of adding them up. */
		if (!(fabsl(got - sum) <=
			    epsilon * (bound_of(point) * sizes +
					      most * point->run.turns)))
			return false;
	}
	return true;
}

static int look_at_results(const struct math *math, struct point *point,
	bool sums, bool *holds, struct error *err)
{
	size_t bytes = point->run.items * point->chains * point->width *
		       point->type->bytes;
	void *out;
	int rc = session_map(math->session, math->out, bytes, false, &out, err);

	if (rc < 0)
		return rc;
	if (sums) {
		*holds = sums_hold(point, out);
	} else {
		judge_results(point, out);
		*holds = point->off_ulp <= bound_of(point);
	}
	return session_unmap(math->session, math->out, out, err);
}

/* More work-items up to what is best, then more turns, until a run lasts. */
static int choose_run(
	const struct math *math, struct point *point, struct error *err)
{
	double s = 0;
	int rc;

	point->run.turns = TURNS;
	for (;;) {
		rc = math_once(math, point->kernel, TURNS_ARGUMENT, &point->run,
			&s, err);
		if (rc < 0 || s >= MATH_LEAST_S)
			return rc;
		if (point->run.items * 2 <= point->items.most)
			point->run.items *= 2;
		else if (point->run.turns < MOST_TURNS)
			point->run.turns *= 2;
		else
			return 0;
	}
}

/* As few work-items as give every CPU some groups. */
static void begin_run(const struct math *math, struct point *point)
{
	size_t w = 0, wanted, item_bytes;

	while (math->widths[w] != point->width)
		w++;
	point->run.group = point->type->group[w];
	wanted = point->run.group * math->session->units * GROUPS_A_CPU;
	item_bytes = point->chains * point->width * point->type->bytes;
	point->items = items_to_try(math->session->options, wanted,
		point->type->items[w], math->out_bytes / item_bytes);
	point->run.items = point->items.first;
	point->run.turns = 1;
}

static int wrong(struct point *point, const char *what, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EIO,
		"%s of %s, vectors of %zu: %s: this implementation of OpenCL "
		"computes wrongly, and its times mean nothing",
		point->function->name, point->type->name, point->width, what);
}

static int put_point(struct math *math, struct math_type *type,
	struct point *point, size_t at, size_t w,
	const struct cl_timing *timing, struct error *err)
{
	double calls = (double)(point->run.items * point->run.turns *
				point->chains * point->width);
	double rate = calls / timing->median_s * 1e-9;
	struct ceiling *additions = &type->ceilings[ARCH_ADD];
	bool holds;
	int rc = ceiling_check(
		math->session, additions, ADDITIONS_A_CALL * rate, &holds, err);

	if (rc < 0)
		return rc;
	if (!holds)
		return curve_reject(math->session, err,
			"%s of %s, vectors of %zu: %.3g Gcalls/s, each with %d "
			"additions, are more than the %.3g GFLOP/s of these "
			"that the CPUs do natively",
			point->function->name, type->name, point->width, rate,
			ADDITIONS_A_CALL, additions->gflop_per_s);
	curve_put_giga(
		math->session, at, w, (double)point->width, calls, timing);
	return math_note(math, "calls",
		json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:f}",
			"function", point->function->name, "type", type->name,
			"vector", (json_int_t)point->width, "work_items",
			(json_int_t)point->run.items, "work_group",
			(json_int_t)point->run.group, "calls",
			(json_int_t)calls, "off_ulp", point->off_ulp,
			"bound_ulp", bound_of(point)),
		err);
}

static int measure_point(struct math *math, struct math_type *type,
	struct point *point, size_t at, size_t w, struct error *err)
{
	const struct math_function *function = point->function;
	struct cl_timing timing;
	cl_int k = MATH_K;
	bool holds = false;
	double s;
	int rc = math_number(type, point->kernel, 2, step_of(point), err);

	if (rc == 0)
		rc = math_number(type, point->kernel, 3, function->b, err);
	if (rc == 0)
		rc = session_argument(point->kernel, 4, sizeof(k), &k, err);
	begin_run(math, point);
	if (rc == 0)
		rc = math_once(math, point->kernel, TURNS_ARGUMENT, &point->run,
			&s, err);
	if (rc == 0)
		rc = look_at_results(math, point, false, &holds, err);
	if (rc < 0)
		return rc;
	if (!holds)
		return curve_reject(math->session, err,
			"%s of %s, vectors of %zu: results are %.3g ulp off, "
			"where OpenCL allows %.3g",
			function->name, type->name, point->width,
			point->off_ulp, bound_of(point));
	rc = choose_run(math, point, err);
	if (rc == 0)
		rc = session_time(math->session, point->kernel,
			point->run.items, point->run.group, &timing, err);
	if (rc == 0)
		rc = look_at_results(math, point, true, &holds, err);
	if (rc == 0 && !holds)
		rc = wrong(point,
			"the sum of its results is not what the host "
			"computes",
			err);
	if (rc == 0)
		rc = put_point(math, type, point, at, w, &timing, err);
	return rc;
}

static int measure_function(struct math *math, struct math_type *type,
	const struct math_function *function, struct error *err)
{
	char text[48];
	struct curve_facts facts = {
		.x_name = "vector",
		.x_unit = "elements",
		.y_name = type->name,
		.y_unit = "Gcalls/s",
		.place = CURVE_STRIP,
		.part = math_part(type, false),
	};
	cl_program program = NULL;
	size_t at;
	int rc;

	snprintf(text, sizeof(text), "%s, row %u of table 1", type->name,
		function->row);
	facts.family = text;
	rc = math_add_curve(math, function->name, &facts, &at, err);
	if (rc == 0)
		rc = math_fill(math, type, function->low, function->span, err);
	if (rc == 0)
		rc = math_build(math, type, function->body, &program, err);
	for (size_t w = 0; w < math->n_widths && rc == 0; w++) {
		struct point point = {
			.function = function,
			.type = type,
			.width = math->widths[w],
			.chains = math_chains(math->widths[w]),
		};

		rc = math_kernel(math, program, "calls", point.width,
			&point.kernel, err);
		if (rc == 0)
			rc = measure_point(math, type, &point, at, w, err);
		if (point.kernel)
			clReleaseKernel(point.kernel);
		math_advance(math, 1 / (double)math->n_widths);
	}
	if (program)
		clReleaseProgram(program);
	return rc;
}

int math_calls(struct math *math, struct math_type *type, struct error *err)
{
	bool quick = math->session->options->quick;
	int rc = 0;

	for (size_t i = 0; i < math_n_functions && rc == 0; i++) {
		if (!quick || math_functions[i].typical)
			rc = measure_function(
				math, type, &math_functions[i], err);
	}
	return rc;
}
