/*
 * Measure arithmetic and built-in functions (section 2.1, table 1, figures 9 to
 * 12).
 *
 * The test times kernels, each with one kind of arithmetic, for float and
 * double, and for vectors of 1 to 16 elements. Eight independent chains per
 * work-item fill the pipelines; one chain of a single work-item gives the
 * latency. As in the paper, the best of 1,024 to 524,288 work-items counts, in
 * groups of 32 or 256.
 *
 * No compiler can shorten a chain: the steps round, and the compiler does not
 * know the numbers. The host computes a sample again. Compilers may pack scalar
 * chains into vectors, which is still arithmetic.
 *
 * The work-items of other kernels call a built-in function with arguments that
 * grow by a small step, in two or four chains. Each call needs two additions:
 * to the sum of the results and to the argument. Therefore even calls of fabs()
 * cannot exceed half the rate of additions.
 *
 * With one turn these kernels return single results. The host checks a sample
 * of single results against the error bound of the specification. The timed
 * runs have more turns and return sums, which the host checks as closely as
 * their rounding allows.
 *
 * As in the paper, the best work-group of 32 to 256 counts. On CPUs, calls use
 * the largest of these groups: PoCL 3.1 compiles a kernel for each size in 50
 * ms, so trying all sizes for every function and vector would take minutes.
 */
#include "cl/suite/math.h"

#include <errno.h>
#include <float.h>
#include <math.h>

#include "arch/vector.h"
#include "cl/suite/math_cl.h"
#include "cl/sweep.h"
#include "machine/timebase.h"

/* Starting values in memory: work-item g begins with value g % STARTS. */
#define STARTS 1024

/* Vector widths: 1, 2, 4, 8, 16. */
#define WIDTHS	   5
#define MOST_WIDTH 16

/* Fewest work-items, unless the user chose them, and most work-items. */
#define LEAST_ITEMS 1024
#define MOST_ITEMS  524288

#define KINDS 6

#define LEAST_GROUP 32
#define MOST_GROUP  256

#define SEARCH_RUNS 2

/*
 * If a run takes longer than this, try no larger numbers of work-items; a
 * launch takes less than 1/100 of this time. With the most work-items,
 * divisions would take half a second.
 */
#define SEARCH_LONG_S 2e-3

/*
 * Groups for each unit: of functions, and of arithmetic with --quick. --quick
 * tries one number of work-items, because PoCL compiles a kernel again from
 * 65,536 on.
 */
#define UNIT_GROUPS 4

/* Steps of a chain in a turn of the loop, and chains of each work-item. */
#define STEPS	    8
#define CHAINS	    8
#define LEAST_TURNS 8
#define MOST_TURNS  4096

/* Index of the argument with the turns, in kernels of chains and of calls. */
#define CHAIN_TURNS 6
#define CALL_TURNS  5

#define LATENCY_TURNS 8192

/* Work-items that the host computes again, spread evenly. */
#define SAMPLE 8

/* First value of a chain, from 1 to 1.5. */
#define START_LOW  1.0
#define START_SPAN 1.0

/* Shares of the progress; the share of a built-in function is 1. */
#define WORK_RATE    4.5
#define WORK_LATENCY 0.5

/*
 * Fewest turns of calls, because some functions take a hundred times as long as
 * others; work-items whose sums the host computes again.
 */
#define CALL_LEAST_TURNS 4
#define SUM_SAMPLE	 2

/* Additions for each call: to the sum and to the argument. */
#define ADDITIONS_A_CALL 2

/* Third argument of functions that take an integer. */
#define MATH_K 3

/*
 * Vector widths of a function: 1, 4 and 16, unless --fine asks for all. Three
 * widths show whether a function is computed in vectors; five take minutes to
 * compile.
 */
#define CALLS_EACH 2

/* A kind of arithmetic. a, c: constants of odd steps; b, d: of even steps. */
struct arithmetic_kind {
	const char *name;
	enum arch_operation operation; /* operation whose ceiling bounds it */
	bool typical, waits; /* whether --quick measures rate, and latency */
	double a, b, c, d;
	/* By type: error of a step, in ulp of the largest number of a chain. */
	double slack[2];
};

/*
 * With these constants, chains neither grow much nor converge, so a missing
 * step shows. A quotient of floats may be 2.5 ulp off (OpenCL 1.2, section 7.4,
 * the table of single precision); all other results are correctly rounded,
 * including quotients of doubles. These tables allow any value for mad(); c2c
 * allows one or two roundings, like OpenCL 2.1. The host's own rounding adds
 * half an ulp.
 */
static const struct arithmetic_kind kinds[KINDS] = {
	{"add", ARCH_ADD, true, true, 3, -2, 0, 0, {0, 0}},
	{"sub", ARCH_ADD, false, false, 3, -2, 0, 0, {0, 0}},
	{"mul", ARCH_MUL, true, true, 1.001953125, 0.998046875, 0, 0, {0, 0}},
	{"div", ARCH_DIV, false, false, 1.001953125, 0.998046875, 0, 0, {3, 0}},
	{"mad", ARCH_MAD, true, true, 1.001953125, 0.998046875, 0.25, -0.25,
		{1.5, 1.5}},
	{"fma", ARCH_MAD, true, false, 1.001953125, 0.998046875, 0.25, -0.25,
		{1.5, 1.5}},
};

#define FMA (KINDS - 1)

/* A type, with native rates of operations. */
struct math_type {
	bool is_double;
	const char *name;
	size_t bytes;
	unsigned kinds[KINDS]; /* [n_kinds] measured kinds */
	size_t n_kinds;
	struct ceiling ceilings[ARCH_OPERATIONS];
	size_t rates; /* index of the first curve of rates */
};

struct math_widths {
	unsigned list[WIDTHS];
	size_t n;
};

struct math_state {
	struct session *session;
	struct math_type types[2];
	size_t n_types;
	struct math_widths rates, calls;
	cl_mem in, out;
	size_t out_bytes;
};

struct math_function {
	const char *name;
	unsigned row;	  /* row in table 1 */
	bool typical;	  /* --quick has it */
	const char *body; /* OpenCL C, with x, b and k */
	double low, span; /* arguments: low to low + 0.75 span */
	double b;	  /* second argument */
	double ulp;	  /* error bound in the specification; 0: exact */

	/* Return the correct value. */
	long double (*expected)(long double x, long double b, bool is_double);
};

/* A curve over vectors: of a kind of arithmetic, or of a function. */
struct math_curve {
	struct math_state *math;
	struct math_type *type;
	const struct arithmetic_kind *kind;
	const struct math_function *function;
	cl_kernel kernels[WIDTHS]; /* [index of x] */
	/* At this point. One chain of a kind: a curve of latencies. */
	size_t width, chains;
	size_t items;	/* of a function */
	double off_ulp; /* largest error of a result */
	bool is_wrong;	/* by more than OpenCL allows */
};

/*
 * The built-in functions of table 1: how a kernel calls each, its arguments,
 * the correct result, and the error that OpenCL 1.2 allows (section 7.4, full
 * profile). The tables of single and double precision differ only in division
 * and sqrt(), so one bound serves both. A function that is correctly rounded
 * there has the bound 0 here. Arguments avoid poles and overflow, and have both
 * signs if possible.
 *
 * A second result through a pointer is added or subtracted, so that the device
 * has to compute it. Each result of sincos() may be 4 ulp off. For these
 * arguments each error is two ulp of the sum of both results, and the sum is
 * rounded. lgamma() is not in the tables; its bound is c2c's choice, narrow
 * enough to detect a wrong function.
 */
#define UNBOUNDED 8192

/* The lowest argument, and the span. */
#define RANGE(low, span) low, span
#define ANY		 -4, 8
#define ABOVE		 0.5, 8
#define UNIT		 -0.75, 2

/* Pi, because only glibc has M_PIl. */
#define PI 3.141592653589793238462643383279502884L

/* Return sin(pi x) without the rounding error of pi near whole numbers. */
static long double sin_pi(long double x)
{
	long double n = rintl(x), y = sinl(PI * (x - n));

	return fmodl(n, 2) != 0 ? -y : y;
}

static long double frexp_of(long double x)
{
	int exponent;
	long double y = frexpl(x, &exponent);

	return y + exponent;
}

static long double modf_of(long double x)
{
	long double whole, part = modfl(x, &whole);

	return part - whole;
}

/* Return remquo(): the quotient has at least three bits, and is below 8. */
static long double remquo_of(long double x, long double b)
{
	int quotient;
	long double y = remquol(x, b, &quotient);

	return y + quotient;
}

/* Return the next value of a chain. Their distance is an exact power of two. */
static long double nextafter_of(long double x, long double b, bool is_double)
{
	return is_double ? (long double)nextafter((double)x, (double)b)
			 : (long double)nextafterf((float)x, (float)b);
}

/*
 * Expands F(name, row of table 1, whether --quick measures it, range, second
 * argument b, ulp, body in OpenCL C, correct result) for each function. A
 * function of one or two arguments with the same name on the host needs no
 * body.
 */
#define OWN(F, name, row, quick, range, b, ulp, body, right)                   \
	F(name, row, quick, range, b, ulp, body, right)
#define ONE(F, name, row, quick, range, ulp)                                   \
	F(name, row, quick, range, 0, ulp, "return " #name "(x);", name##l(x))
#define TWO(F, name, row, quick, range, b, ulp)                                \
	F(name, row, quick, range, b, ulp, "return " #name "(x, b);",          \
		name##l(x, b))

/* cppcheck expands macro arguments before it counts them. */
/* clang-format off */
/* cppcheck-suppress preprocessorErrorDirective */
#define FUNCTIONS(F)                                                           \
	TWO(F, fmax, 2, false, ANY, -1, 0)				       \
	TWO(F, fmin, 2, false, ANY, -1, 0)				       \
	ONE(F, sin, 3, true, ANY, 4)					       \
	ONE(F, asin, 3, false, UNIT, 4)					       \
	ONE(F, cos, 3, false, ANY, 4)					       \
	ONE(F, acos, 3, false, UNIT, 4)					       \
	ONE(F, tan, 3, false, ANY, 5)					       \
	ONE(F, atan, 3, false, ANY, 5)					       \
	ONE(F, exp, 4, false, ANY, 3)					       \
	ONE(F, log, 4, false, ABOVE, 3)				       \
	OWN(F, rsqrt, 4, false, ABOVE, 0, 2, "return rsqrt(x);", 1 / sqrtl(x))  \
	OWN(F, fract, 4, false, ANY, 0, 0,				       \
		"T t, y = fract(x, &t); return y - t;", x - 2 * floorl(x))     \
	OWN(F, frexp, 4, false, ABOVE, 0, 0,				       \
		"T y = frexp(x, &k); return y + TO_T(k);", frexp_of(x))	       \
	TWO(F, hypot, 4, false, ANY, 1.5, 4)				       \
	OWN(F, ldexp, 4, false, ANY, 0, 0,				       \
		"return ldexp(x, k);", ldexpl(x, MATH_K))		       \
	ONE(F, exp10, 4, false, ANY, 3)					       \
	OWN(F, ilogb, 4, false, ABOVE, 0, 0,				       \
		"return TO_T(ilogb(x));", ilogbl(x))			       \
	ONE(F, log10, 4, false, ABOVE, 3)				       \
	ONE(F, sinh, 5, false, ANY, 4)					       \
	ONE(F, cosh, 5, false, ANY, 4)					       \
	ONE(F, tanh, 5, false, ANY, 5)					       \
	ONE(F, asinh, 5, false, ANY, 4)					       \
	ONE(F, acosh, 5, false, RANGE(1.5, 8), 4)			       \
	ONE(F, atanh, 5, false, UNIT, 5)				       \
	OWN(F, asinpi, 5, false, UNIT, 0, 5,				       \
		"return asinpi(x);", asinl(x) / PI)			       \
	OWN(F, acospi, 5, false, UNIT, 0, 5,				       \
		"return acospi(x);", acosl(x) / PI)			       \
	OWN(F, atanpi, 5, false, ANY, 0, 5,				       \
		"return atanpi(x);", atanl(x) / PI)			       \
	ONE(F, cbrt, 6, false, ANY, 2)					       \
	ONE(F, ceil, 6, false, ANY, 0)					       \
	TWO(F, copysign, 6, false, ANY, -1, 0)				       \
	ONE(F, fabs, 6, false, ANY, 0)					       \
	TWO(F, fdim, 6, false, ANY, -1, 0)				       \
	ONE(F, floor, 6, false, ANY, 0)					       \
	OWN(F, fma, 6, false, ANY, 1.5, 0,				       \
		"return fma(x, x, b);", fmal(x, x, b))			       \
	TWO(F, fmod, 6, false, ANY, 0.75, 0)				       \
	TWO(F, atan2, 7, false, ANY, 1.5, 6)				       \
	OWN(F, atan2pi, 7, false, ANY, 1.5, 6,				       \
		"return atan2pi(x, b);", atan2l(x, b) / PI)		       \
	OWN(F, sinpi, 7, false, ANY, 0, 4, "return sinpi(x);", sin_pi(x))      \
	OWN(F, cospi, 7, false, ANY, 0, 4,				       \
		"return cospi(x);", sin_pi(x + 0.5L))			       \
	OWN(F, tanpi, 7, false, RANGE(-0.25, 0.5), 0, 6,		       \
		"return tanpi(x);", sin_pi(x) / sin_pi(x + 0.5L))	       \
	OWN(F, sincos, 7, false, RANGE(0.25, 1), 0, 4.5,		       \
		"T t, y = sincos(x, &t); return y + t;", sinl(x) + cosl(x))    \
	ONE(F, log1p, 8, false, RANGE(-0.5, 8), 2)			       \
	ONE(F, logb, 8, false, ABOVE, 0)				       \
	OWN(F, modf, 8, false, ANY, 0, 0,				       \
		"T t, y = modf(x, &t); return y - t;", modf_of(x))	       \
	ONE(F, lgamma, 8, false, RANGE(3, 8), UNBOUNDED)		       \
	TWO(F, remainder, 8, false, ANY, 0.75, 0)			       \
	ONE(F, rint, 8, false, ANY, 0)					       \
	ONE(F, round, 8, false, ANY, 0)					       \
	ONE(F, trunc, 8, false, ANY, 0)					       \
	ONE(F, erfc, 9, false, RANGE(-2, 4), 16)			       \
	ONE(F, erf, 9, false, RANGE(-2, 4), 16)				       \
	ONE(F, expm1, 9, false, ANY, 3)					       \
	OWN(F, nextafter, 9, false, ABOVE, 100, 0,			       \
		"return nextafter(x, b) - x;", nextafter_of(x, b, is_double) - x)   \
	OWN(F, pown, 9, false, ABOVE, 0, 16,				       \
		"return pown(x, k);", powl(x, MATH_K))			       \
	OWN(F, powr, 9, false, ABOVE, 1.75, 16,			       \
		"return powr(x, b);", powl(x, b))			       \
	OWN(F, remquo, 9, false, ANY, 0.75, 0,				       \
		"T y = remquo(x, b, &k); return y + TO_T(k);", remquo_of(x, b))  \
	OWN(F, rootn, 9, false, ABOVE, 0, 16,				       \
		"return rootn(x, k);", powl(x, 1 / (long double)MATH_K))       \
	ONE(F, tgamma, 9, false, ABOVE, 16)
/* clang-format on */

#define RIGHT(name, row, quick, low, span, second, ulp, body, right)           \
	static long double right_##name(                                       \
		long double x, long double b, bool is_double)                  \
	{                                                                      \
		(void)b;                                                       \
		(void)is_double;                                               \
		return right;                                                  \
	}

#define ROW(name, row, quick, low, span, second, ulp, body, right)             \
	{#name, row, quick, body, low, span, second, ulp, right_##name},

FUNCTIONS(RIGHT)

static const struct math_function functions[] = {FUNCTIONS(ROW)};

/* Return whether a run measures this function. */
static bool math_measures(
	const struct math_state *math, const struct math_function *function)
{
	return function->typical || !math->session->options->quick;
}

/* Return the calls of a function by a work-item in a turn. */
static size_t math_chains(size_t width)
{
	return width > 4 ? 2 : 4;
}

/* Return starting value e, within low and low + span. */
static double math_start(double low, double span, size_t e)
{
	return low + span * (double)(e % 1021) / 2048;
}

static void math_write_starts(struct math_state *math,
	const struct math_type *type, double low, double span)
{
	size_t n = STARTS * MOST_WIDTH;
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

/*
 * Build a program for the vectors of a function, or of arithmetic if body is
 * NULL. options: of the compiler, or NULL. Fill the buffer of starts.
 */
static cl_program math_build(struct math_state *math,
	const struct math_type *type, const char *body, double low, double span,
	const char *options)
{
	const struct math_widths *widths = body ? &math->calls : &math->rates;
	struct session *session = math->session;
	struct text_list source = {.text = NULL};

	math_write_starts(math, type, low, span);
	if (type->is_double)
		text_list_add(&source, "",
			"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
	text_list_add(&source, "", "#define S %s\n#define STARTS %d\n",
		type->name, STARTS);
	for (size_t w = 0; w < widths->n; w++)
		math_write_kernels(&source, type, widths->list[w], body);
	/* With --quick, latencies are measured only with scalars. */
	if (!body && session->options->quick)
		math_write_kernels(&source, type, 1, NULL);
	return session_build(session, "math.cl",
		session_list_text(session, &source), options);
}

static void math_open_kernels(struct math_curve *curve,
	const struct sweep *sweep, cl_program program, const char *name)
{
	const struct math_state *math = curve->math;
	const struct arithmetic_kind *kind = curve->kind;
	bool is_double = curve->type->is_double;
	struct session *session = sweep->session;

	for (size_t w = 0; w < sweep->n; w++) {
		cl_kernel kernel = session_kernel(session, program,
			session_text(session, "%s_%.0f", name, sweep->x[w]));

		session_arguments(session, kernel, 0, memory_argument(math->in),
			memory_argument(math->out));
		if (kind)
			session_arguments(session, kernel, 2,
				number_argument(is_double, kind->a),
				number_argument(is_double, kind->b),
				number_argument(is_double, kind->c),
				number_argument(is_double, kind->d));
		curve->kernels[w] = kernel;
	}
}

/* Make a curve over the vectors of a type, "mul of float". */
static struct sweep math_sweep(const struct math_state *math,
	const struct math_type *type, const char *name,
	const struct math_widths *widths)
{
	struct sweep sweep = {.session = math->session,
		.name = session_text(
			math->session, "%s of %s", name, type->name),
		.facts = {.family = type->name,
			.member = name,
			.x_name = "vector",
			.x_unit = "elements"},
		.shows = SHOWS_GIGA};

	sweep_over(&sweep, widths->list, widths->n);
	return sweep;
}

/* Compute one step on the host, in the precision of the type. */
static double math_chain_step(const struct math_type *type,
	const struct arithmetic_kind *kind, double x, bool even)
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

static double math_typed_sum(const struct math_type *type, double a, double b)
{
	return type->is_double ? a + b : (double)((float)a + (float)b);
}

/* Return the last value of a chain from start; *most: its largest value. */
static double math_expected_end(const struct math_type *type,
	const struct arithmetic_kind *kind, double start, size_t chains,
	size_t steps, double *most)
{
	double x[CHAINS] = {0};

	for (size_t j = 0; j < chains; j++) {
		x[j] = math_typed_sum(type, start, (double)j);
		for (size_t i = 0; i < steps; i++) {
			*most = fmax(*most, fabs(x[j]));
			x[j] = math_chain_step(type, kind, x[j], i & 1);
		}
		*most = fmax(*most, fabs(x[j]));
	}
	for (size_t half = 1; half < chains; half *= 2) {
		for (size_t j = 0; j < chains; j += 2 * half)
			x[j] = math_typed_sum(type, x[j], x[j + half]);
	}
	return x[0];
}

/* Return the result of a work-item's chains, for an element of its vector. */
static double math_expected_number(const void *context, size_t i, double *slack)
{
	const struct sweep *sweep = context;
	const struct math_curve *arithmetic = sweep->context;
	const struct math_type *type = arithmetic->type;
	const struct arithmetic_kind *kind = arithmetic->kind;
	size_t steps = (size_t)sweep->turns * STEPS,
	       chains = arithmetic->chains;
	size_t each = STARTS * (size_t)arithmetic->width;
	double start = math_start(START_LOW, START_SPAN, i % each), most = 0;
	double right =
		math_expected_end(type, kind, start, chains, steps, &most);

	*slack = kind->slack[type->is_double] * most *
		 (type->is_double ? DBL_EPSILON : FLT_EPSILON) *
		 (double)(steps * chains);
	return right;
}

struct group_range math_groups_to_try(
	const struct test_options *options, size_t max_group, size_t items)
{
	struct group_range range = {
		options->work_group, options->work_group, options->fine};

	if (range.least)
		return range;
	range.most = min_size(max_group, MOST_GROUP);
	while (items % range.most)
		range.most /= 2;
	range.least = options->quick || range.most < LEAST_GROUP ? range.most
								 : LEAST_GROUP;
	return range;
}

/*
 * Return the next group size: with --fine the next power of two, else the
 * largest size after the smallest. PoCL compiles a kernel for each size. In
 * five records of an H200 and of CPUs each of four sizes was the best 8 to 23
 * times of 60, as by chance.
 */
static size_t math_next_group(
	const struct launch *launch, const struct group_range *groups)
{
	if (groups->between)
		return 2 * launch->group;
	return launch->group < groups->most ? groups->most : groups->most + 1;
}

/* Numbers of work-items to try: from first, doubled up to most. */
struct items_range {
	size_t first, most;
};

static struct items_range math_items_to_search(const struct session *session)
{
	const struct test_options *options = session->options;
	struct items_range range = {LEAST_ITEMS, MOST_ITEMS};
	size_t wanted = (size_t)session->units * MOST_GROUP * UNIT_GROUPS;

	if (options->work_items)
		return (struct items_range){
			options->work_items, options->work_items};
	while (options->quick && range.first < wanted &&
		range.first < range.most)
		range.first *= 2;
	if (options->quick)
		range.most = range.first;
	return range;
}

/* Return the shortest time of runs. The first run may include compiling. */
static double math_shortest_run_s(
	struct session *session, const struct launch *launch)
{
	double least_s = INFINITY;

	for (int i = 0; i < SEARCH_RUNS && session_stopped(session) == 0; i++)
		least_s = fmin(least_s, launch_once(session, launch, false));
	return least_s;
}

/* Take the launch with the highest rate. turns: choose turns before. */
static void math_search_launch(struct sweep *sweep, struct items_range items,
	struct group_range groups, bool turns)
{
	struct session *session = sweep->session;
	struct launch run = sweep->launch;
	double best = 0, begin_s = session_clock_s(session);

	run.items = items.most;
	run.group = groups.least;
	if (turns)
		launch_loop(session, &run, &sweep->loop);
	for (; run.group <= groups.most;
		run.group = math_next_group(&run, &groups)) {
		double s = 0;

		for (run.items = items.first;
			run.items <= items.most && s < SEARCH_LONG_S;
			run.items *= 2) {
			s = math_shortest_run_s(session, &run);
			if (session_ok(session) &&
				(double)run.items / s > best) {
				best = (double)run.items / s;
				sweep->launch = run;
			}
		}
	}
	sweep->once_s += session_clock_s(session) - begin_s;
}

static struct facts math_launch_row(const struct sweep *sweep, const char *what,
	const struct math_type *type, size_t w)
{
	struct facts row = {0};

	facts_set_text(&row, what, sweep->facts.member);
	facts_set_text(&row, "type", type->name);
	facts_set_count(&row, "vector", (int64_t)sweep->x[w]);
	facts_set_count(&row, "work_items", (int64_t)sweep->launch.items);
	facts_set_count(&row, "work_group", (int64_t)sweep->launch.group);
	return row;
}

static bool math_has_latency(const struct math_state *math, unsigned k)
{
	return kinds[k].waits || !math->session->options->quick;
}

/* Return the share of one vector of a kind in the progress. */
static double math_kind_work(const struct math_state *math, unsigned k)
{
	return WORK_RATE + (math_has_latency(math, k) ? WORK_LATENCY : 0);
}

static void math_prepare_chains(struct sweep *sweep, size_t w)
{
	struct math_curve *context = sweep->context;
	struct session *session = sweep->session;
	const struct test_options *options = session->options;
	struct facts row;

	context->width = (size_t)sweep->x[w];
	sweep->launch = launch_singly(context->kernels[w], 1);
	if (context->chains == 1)
		return;
	sweep->a_turn = sweep->x[w] * CHAINS * STEPS *
			(context->kind->operation == ARCH_MAD ? 2 : 1);
	if (sweep->again)
		return;
	math_search_launch(sweep, math_items_to_search(session),
		math_groups_to_try(
			options, session->max_group, options->work_items),
		true);
	row = math_launch_row(sweep, "operation", context->type, w);
	session_record(session, "best", &row);
}

static void math_expect_chains(struct sweep *sweep, size_t w)
{
	const struct math_curve *context = sweep->context;

	(void)w;
	sweep->expected.n = sweep->launch.items * context->width;
	sweep->expected.sampled = SAMPLE * context->width;
}

static void math_measure_ceilings(
	struct session *session, struct math_type *type)
{
	for (size_t n = 0; n < type->n_kinds; n++) {
		enum arch_operation operation = kinds[type->kinds[n]].operation;
		struct ceiling *ceiling = &type->ceilings[operation];

		if (ceiling->rounds > 0)
			continue;
		ceiling->what = type->is_double ? NATIVE_DOUBLE : NATIVE_FLOAT;
		ceiling->operation = operation;
		ceiling_measure(session, ceiling);
	}
}

static void math_show_ceilings(
	struct session *session, const struct math_type *type)
{
	static const char *const names[ARCH_OPERATIONS] = {
		[ARCH_ADD] = "add and sub",
		[ARCH_MUL] = "mul",
		[ARCH_DIV] = "div",
		[ARCH_MAD] = "mad and fma",
	};

	for (int n = 0; n < ARCH_OPERATIONS; n++) {
		if (type->ceilings[n].rounds == 0)
			continue;
		ceiling_show(session, &type->ceilings[n],
			&(struct ceiling_line){session_text(session, "%s of %s",
						       names[n], type->name),
				names[n], type->rates, 0, INFINITY});
	}
	ceiling_show_theory(session,
		type->is_double ? THEORY_DOUBLE : THEORY_FLOAT, type->rates);
}

/* Return the latency of a kind (by its ceiling) for the narrowest vector. */
static struct median_interval math_find_latency(
	const struct sweep *latencies, enum arch_operation operation)
{
	const struct math_curve *chains = latencies->context;

	while (chains->kind->operation != operation)
		chains = (++latencies)->context;
	return sweep_figure(latencies, 0);
}

static void math_conclude(struct session *session, const struct math_type *type,
	const struct sweep *sweeps, const struct sweep *latencies)
{
	static const char *const verdicts[] = {
		[MAD_UNKNOWN] = "c2c does not know whether the mad is fused",
		[MAD_FUSED] = "the mad is fused",
		[MAD_SEPARATE] = "the mad is two operations",
	};
	struct median_interval add = math_find_latency(latencies, ARCH_ADD);
	struct median_interval mul = math_find_latency(latencies, ARCH_MUL);
	struct median_interval mad = math_find_latency(latencies, ARCH_MAD);

	for (size_t k = 0; k < type->n_kinds; k++)
		sweep_report_best(&sweeps[k], 0.9);
	if (!isnan(add.median) && !isnan(mul.median) && !isnan(mad.median))
		session_add_finding(session,
			"%s: the latency of a mad is %.3g ns, of a mul %.3g "
			"ns and of an add %.3g ns: %s",
			type->name, mad.median, mul.median, add.median,
			verdicts[judge_mad(mad, mul, add)]);
}

/* Begin the curve of a kind: its rate, or its latency if there is one chain. */
static void math_begin_kind(
	struct sweep *sweep, struct math_curve *context, cl_program program)
{
	struct math_state *math = context->math;
	struct math_type *type = context->type;
	struct session *session = math->session;

	*sweep = math_sweep(math, type, context->kind->name, &math->rates);
	sweep->prepare = math_prepare_chains;
	sweep->expect = math_expect_chains;
	sweep->loop = (struct kernel_loop){
		CHAIN_TURNS, LEAST_TURNS, MOST_TURNS, SWEEP_LEAST_S};
	sweep->turns_vary = true;
	sweep->expected = (struct expected_words){.buffer = math->out,
		.number = math_expected_number,
		.is_double = type->is_double,
		.unsummed = true};
	sweep->bound.ceiling = &type->ceilings[context->kind->operation];
	sweep->work = WORK_RATE * (double)sweep->n;
	sweep->context = context;
	if (context->chains == 1) {
		sweep->facts.family =
			session_text(session, "latency of %s", type->name);
		sweep->shows = SHOWS_STEP;
		sweep->loop.least = sweep->loop.most = LATENCY_TURNS;
		sweep->a_turn = STEPS;
		sweep->bound.ceiling = NULL;
		sweep->work = WORK_LATENCY * (double)sweep->n;
		/*
		 * Use only scalars, because compiling all vectors takes long.
		 */
		if (session->options->quick)
			sweep->x[0] = 1;
	}
	math_open_kernels(context, sweep, program,
		session_text(session, "%s_%zu", context->kind->name,
			context->chains));
	sweep_begin(sweep);
}

static void measure_arithmetic(struct math_state *math, struct math_type *type)
{
	struct session *session = math->session;
	struct math_curve chains[2 * KINDS];
	struct sweep sweeps[2 * KINDS] = {{.session = session}};
	cl_program programs[KINDS] = {NULL}, program = NULL;
	bool is_cpu = session->is_cpu;
	size_t rates = 0, n = 0;

	/*
	 * Implementations for GPUs compile a whole program when they build it,
	 * so each kind has its own, and several CPUs can compile ahead. Those
	 * for CPUs compile a kernel at its launch, so one program has all.
	 */
	for (size_t k = 0; k < type->n_kinds; k++) {
		if (!session_takes_program(session))
			continue;
		if (!is_cpu || !program)
			program = math_build(math, type, NULL, START_LOW,
				START_SPAN,
				is_cpu ? NULL
				       : session_text(session, "-DONLY=%u",
						 type->kinds[k]));
		programs[rates] = program;
		type->kinds[rates++] = type->kinds[k];
	}
	type->n_kinds = rates;
	type->rates = session->result->n_curves;
	/* The rates first, and then the latencies. */
	for (size_t i = 0; i < 2 * rates; i++) {
		size_t k = i % rates;

		if (i >= rates && !math_has_latency(math, type->kinds[k]))
			continue;
		chains[n] = (struct math_curve){.math = math,
			.type = type,
			.kind = &kinds[type->kinds[k]],
			.chains = i < rates ? CHAINS : 1};
		math_begin_kind(&sweeps[n], &chains[n], programs[k]);
		n++;
	}
	math_measure_ceilings(session, type);
	if (session_ok(session))
		sweep_run(sweeps, rates);
	if (session_ok(session) && n > rates)
		sweep_run(sweeps + rates, n - rates);
	if (session_ok(session) && !session->rehearses)
		math_conclude(session, type, sweeps, sweeps + rates);
}

/* Return the step between arguments, whose multiples are exact floats. */
static double call_argument_step(const struct math_curve *call)
{
	return call->function->span / 131072;
}

/* Return the correct result of the n-th call of a work-item's element k. */
static long double call_expected_result(
	const struct math_curve *call, size_t g, size_t k, size_t n)
{
	double start = math_start(call->function->low, call->function->span,
		g % STARTS * call->width + k);

	return call->function->expected(
		start + (double)n * call_argument_step(call), call->function->b,
		call->type->is_double);
}

/*
 * Return the ulp as the specification defines it: the distance between the two
 * nearest numbers. At a power of two it is the smaller distance; at zero it is
 * the smallest possible.
 */
static double call_ulp_size(const struct math_curve *call, long double value)
{
	bool is_double = call->type->is_double;
	int exponent;
	long double part = frexpl(fabsl(value), &exponent);

	if (part == 0)
		return is_double ? DBL_TRUE_MIN : FLT_TRUE_MIN;
	if (part == 0.5L)
		exponent--;
	return ldexp(1.0, exponent - (is_double ? DBL_MANT_DIG : FLT_MANT_DIG));
}

static double call_bound_ulp(const struct math_curve *call)
{
	/* The host's exact result is rounded too. */
	return fmax(0.5001, call->function->ulp);
}

/* Return the error of the n-th result of work-item g. */
static double call_error_ulp(
	const struct math_curve *call, const void *out, size_t g, size_t n)
{
	size_t j = n / call->width, k = n % call->width;
	long double right = call_expected_result(call, g, k, j);
	double got = number_element(call->type->is_double, out,
		(g * call->chains + j) * call->width + k);
	double off = (double)fabsl(got - right) / call_ulp_size(call, right);

	return isnan(off) ? INFINITY : off;
}

/* Check samples of the results. They are sums of that many terms. */
static bool call_sums_are_correct(const struct math_curve *call, cl_uint turns)
{
	double epsilon = call->type->is_double ? DBL_EPSILON : FLT_EPSILON;

	for (size_t i = 0; i < SUM_SAMPLE; i++) {
		size_t g = call->items * (2 * i + 1) / (2 * SUM_SAMPLE);
		size_t k = i % call->width, j = i % call->chains;
		size_t at = (g * call->chains + j) * call->width + k;
		long double sum = 0, most = 0, sizes = 0;
		union {
			float f;
			double d;
		} out = {.d = 0};
		double got;

		for (size_t t = 0; t < turns; t++) {
			long double right = call_expected_result(
				call, g, k, t * call->chains + j);

			sum += right;
			most = fmaxl(most, fabsl(sum));
			sizes += fabsl(right);
		}
		session_read(call->math->session, call->math->out,
			at * call->type->bytes, call->type->bytes, &out);
		got = call->type->is_double ? out.d : out.f;
		/* Allow errors of the results and of the additions. */
		if (!(fabsl(got - sum) <=
			    epsilon * (call_bound_ulp(call) * sizes +
					      most * turns)))
			return false;
	}
	return true;
}

static bool call_single_results_are_correct(struct math_curve *call)
{
	struct session *session = call->math->session;
	cl_mem buffer = call->math->out;
	void *out = session_map(session, buffer,
		call->items * call->chains * call->width * call->type->bytes,
		false);

	if (!out)
		return false;
	call->off_ulp = 0;
	for (size_t i = 0; i < SAMPLE * call->chains * call->width; i++)
		call->off_ulp = fmax(call->off_ulp,
			call_error_ulp(call, out,
				call->items * (i % SAMPLE) / SAMPLE,
				i / SAMPLE));
	return session_unmap(session, buffer, out) == 0 &&
	       call->off_ulp <= call_bound_ulp(call);
}

/* Take the fastest group of the article's, unless the user chose one. */
static void call_search_group(struct sweep *sweep)
{
	const struct session *session = sweep->session;
	size_t items = sweep->launch.items;
	struct group_range groups =
		math_groups_to_try(session->options, session->max_group, items);

	groups.between = true;
	math_search_launch(
		sweep, (struct items_range){items, items}, groups, false);
}

/* Return work-items that fill all units, as far as memory holds the results. */
static size_t call_items(const struct math_curve *call, size_t group)
{
	const struct session *session = call->math->session;
	size_t held = call->math->out_bytes /
		      (call->chains * call->width * call->type->bytes);
	size_t items = LEAST_ITEMS;

	/* A group size that the user chose may not divide other numbers. */
	if (session->options->work_items)
		return session->options->work_items;
	while (items < group * session->units * UNIT_GROUPS &&
		items < MOST_ITEMS && 2 * items <= held)
		items *= 2;
	return items;
}

static void call_record_launch(
	const struct sweep *sweep, const struct math_curve *call, size_t w)
{
	struct facts row = math_launch_row(sweep, "function", call->type, w);

	facts_set_count(&row, "calls", (int64_t)sweep->amount);
	facts_set_number(&row, "off_ulp", call->off_ulp);
	facts_set_number(&row, "bound_ulp", call_bound_ulp(call));
	session_record(sweep->session, "calls", &row);
}

/*
 * At the first visit of a vector, check single results: a time of wrong results
 * is meaningless.
 */
static void call_check_singly(struct sweep *sweep, size_t w)
{
	struct math_curve *call = sweep->context;
	struct session *session = sweep->session;
	const struct math_function *function = call->function;

	session_arguments(session, sweep->launch.kernel, 2,
		number_argument(
			call->type->is_double, call_argument_step(call)),
		number_argument(call->type->is_double, function->b),
		{sizeof(cl_int), .integer = MATH_K}, word_argument(1));
	launch_once(session, &sweep->launch, false);
	call->is_wrong =
		!session->rehearses && !call_single_results_are_correct(call);
	if (call->is_wrong)
		session_say(session, "rejected",
			"%s: results are %.3g ulp off, where OpenCL allows "
			"%.3g",
			sweep_place(sweep, sweep->x[w]), call->off_ulp,
			call_bound_ulp(call));
}

static void call_prepare(struct sweep *sweep, size_t w)
{
	struct math_curve *call = sweep->context;
	const struct session *session = sweep->session;
	size_t group = math_groups_to_try(session->options, session->max_group,
		session->options->work_items)
			       .most;

	call->width = (size_t)sweep->x[w];
	call->chains = math_chains(call->width);
	call->items = call_items(call, group);
	call->is_wrong = false;
	sweep->a_turn = (double)(call->chains * call->width);
	sweep->launch = (struct launch){.kernel = call->kernels[w],
		.items = call->items,
		.group = group};
	if (!sweep->again)
		call_check_singly(sweep, w);
}

static struct timing call_time_point(struct sweep *sweep, size_t w)
{
	struct math_curve *call = sweep->context;
	struct session *session = sweep->session;
	struct timing timing;

	if (call->is_wrong || session->rehearses)
		return timing_none();
	/* CPU implementations compile a kernel for each size. */
	if (!sweep->again && !session->is_cpu)
		call_search_group(sweep);
	timing = launch_time(session, &sweep->launch);
	if (!call_sums_are_correct(call, sweep->turns))
		session_wrong(session, "%s: the sum of its results",
			sweep_place(sweep, sweep->x[w]));
	if (!sweep->again && session_ok(session))
		call_record_launch(sweep, call, w);
	return timing;
}

static void call_measure_function(struct math_state *math,
	struct math_type *type, const struct math_function *function)
{
	struct session *session = math->session;
	size_t mark = session_mark(session);
	struct math_curve call = {
		.math = math, .type = type, .function = function};
	struct sweep sweep =
		math_sweep(math, type, function->name, &math->calls);
	cl_program program;

	sweep.facts.family = session_text(
		session, "%s, row %u of table 1", type->name, function->row);
	sweep.facts.y_name = type->name;
	sweep.facts.y_unit = "Gcalls/s";
	sweep.facts.y_axis = CURVE_RATIOS;
	sweep.prepare = call_prepare;
	sweep.loop = (struct kernel_loop){
		CALL_TURNS, CALL_LEAST_TURNS, MOST_TURNS, SWEEP_LEAST_S};
	sweep.turns_vary = true;
	sweep.time = call_time_point;
	sweep.bound.ceiling = &type->ceilings[ARCH_ADD];
	sweep.bound.ceiling_per_y = ADDITIONS_A_CALL;
	sweep.context = &call;
	program = math_build(math, type, function->body, function->low,
		function->span, NULL);
	math_open_kernels(&call, &sweep, program, "calls");
	sweep_run(&sweep, 1);
	session_release(session, mark);
}

static void math_calls(struct math_state *math, struct math_type *type)
{
	for (size_t i = 0; i < N_OF(functions); i++) {
		if (session_ok(math->session) &&
			math_measures(math, &functions[i]) &&
			session_takes_program(math->session))
			call_measure_function(math, type, &functions[i]);
	}
}

/* Choose kinds. An fma in software would take minutes. */
static void math_choose_kinds(struct math_state *math, struct math_type *type,
	cl_device_fp_config config)
{
	bool quick = math->session->options->quick;

	for (unsigned k = 0; k < KINDS; k++) {
		if ((kinds[k].typical || !quick) &&
			(k != FMA || config & CL_FP_FMA))
			type->kinds[type->n_kinds++] = k;
	}
}

static void math_open(struct math_state *math)
{
	struct session *session = math->session;
	bool quick = session->options->quick;
	size_t chosen = session->options->work_items, width;

	/*
	 * With --quick, compile one vector, because compiling takes long: as
	 * many floats as a CPU's register holds, but at least 8, which are
	 * several chains.
	 */
	if (quick)
		math->rates = (struct math_widths){
			{session->is_cpu && arch_vector_widest()->bytes >= 64
					? 16
					: 8},
			1};
	for (size_t w = 0; w < math->rates.n;
		w += session->options->fine ? 1 : CALLS_EACH)
		math->calls.list[math->calls.n++] = math->rates.list[w];
	math->types[0] =
		(struct math_type){.name = "float", .bytes = sizeof(cl_float)};
	math->types[1] = (struct math_type){.is_double = true,
		.name = "double",
		.bytes = sizeof(cl_double)};
	math->n_types = session_has_double(session) ? 2 : 1;
	for (size_t t = 0; t < math->n_types; t++)
		math_choose_kinds(math, &math->types[t],
			session_fact(session, t ? CL_DEVICE_DOUBLE_FP_CONFIG
						: CL_DEVICE_SINGLE_FP_CONFIG));
	width = math->rates.list[math->rates.n - 1];
	math->out_bytes =
		MOST_ITEMS * width * math->types[math->n_types - 1].bytes;
	/* The results of all chains of all work-items need room. */
	if (chosen)
		math->out_bytes = math->out_bytes / MOST_ITEMS * chosen *
				  math_chains(width);
	math->in = session_buffer(
		session, STARTS * MOST_WIDTH * sizeof(cl_double));
	math->out = session_buffer(session, math->out_bytes);
	for (size_t i = 0; i < N_OF(functions); i++)
		session->all += math_measures(math, &functions[i]);
	session->all *= (double)math->n_types;
	for (size_t t = 0; t < math->n_types; t++) {
		for (size_t n = 0; n < math->types[t].n_kinds; n++)
			session->all +=
				(double)math->rates.n *
				math_kind_work(math, math->types[t].kinds[n]);
	}
	if (session->parts)
		session->all /= session->parts;
}

static void run_math(struct session *session)
{
	struct math_state math = {
		.session = session, .rates = {{1, 2, 4, 8, 16}, WIDTHS}};

	if (session->options->work_group > session->max_group)
		session_error(session, ERROR_USAGE, EINVAL,
			"--work-group: the device allows %zu at most",
			session->max_group);
	math_open(&math);
	for (size_t t = 0; t < math.n_types && session_ok(session); t++)
		measure_arithmetic(&math, &math.types[t]);
	for (size_t t = 0; t < math.n_types && session_ok(session); t++)
		math_calls(&math, &math.types[t]);
	for (size_t t = 0; t < math.n_types && !session->rehearses; t++)
		math_show_ceilings(session, &math.types[t]);
}

const struct test test_math = {
	.name = "math",
	.section = "2.1",
	.source = SOURCE_SUITE "2.1, table 1, figures 9 to 12",
	.published = {"--fine"},
	.summary = "arithmetic and all built-in functions, by vector width",
	.takes = TAKES_WORK_ITEMS | TAKES_WORK_GROUP | TAKES_FINE,
	/* The test skips larger groups that do not divide the work-items. */
	.group = LEAST_GROUP,
	.most_items = MOST_ITEMS,
	.group_divides = LEAST_ITEMS,
	.figures = {{.what = "floats, best of mad and fma",
		.family = "float",
		.members = {"mad", "fma"}}},
	.compiles_long = true,
	.run = run_math,
};
