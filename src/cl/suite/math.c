/*
 * Arithmetic and built-in functions (section 2.1, table 1, figures 9 to 12).
 *
 * The test times kernels of one kind of arithmetic, for float and double, and
 * for vectors of 1 to 16 elements: eight independent chains per work-item,
 * enough to fill the pipelines, and one chain of a single work-item, which is
 * latency. As in the paper, the best of 1,024 to 524,288 work-items counts, in
 * groups of 32 or 256. Built-in functions are in math_calls.c.
 *
 * No compiler can shorten a chain: the steps round, the compiler does not know
 * the numbers, and the host computes a sample again. Compilers do pack scalar
 * chains into vectors: that is arithmetic all the same.
 */
#include "cl/suite/math.h"

#include <errno.h>
#include <float.h>
#include <math.h>

#include "cl/tests.h"
#include "machine/timebase.h"

#define LEAST_GROUP 32
#define MOST_GROUP  256

/* Factors between the numbers to try: all, and with --quick. */
#define ITEMS_FACTOR	   2
#define QUICK_ITEMS_FACTOR 64
#define SEARCH_RUNS	   2

/*
 * More work-items are not tried if a run takes longer: a launch is less than a
 * hundredth of it. With the most, divisions would take half a second.
 */
#define SEARCH_LONG_S 2e-3

/* The most work-items that --quick tries; it has no groups but the largest. */
#define QUICK_MOST_ITEMS 65536

/* Steps of a chain in each turn of a kernel's loop; chains of a work-item. */
#define STEPS	    8
#define CHAINS	    8
#define LEAST_TURNS 8
#define MOST_TURNS  4096

/* The kernel's argument with the turns. */
#define TURNS_ARGUMENT 6

#define LATENCY_TURNS 8192

/* Work-items that the host computes again, spread over all. */
#define SAMPLE 8

/* The chains begin with 1 to 1.5. */
#define START_LOW  1.0
#define START_SPAN 1.0

/* Shares of the progress; a built-in function has 1. */
#define WORK_RATE    4.5
#define WORK_LATENCY 0.5

static const unsigned quick_widths[] = {1, 16};
static const unsigned all_widths[MATH_WIDTHS] = {1, 2, 4, 8, 16};

/*
 * Functions have 1, 4 and 16 of these: a function is computed in vectors or
 * element by element, which three show, and to compile five takes minutes.
 */
#define CALLS_EACH 2

#define N_KINDS 6

/* A kind of arithmetic and its numbers: those of odd steps and of even ones. */
struct arithmetic {
	const char *name, *chains, *chain; /* kernels */
	enum arch_operation operation;	   /* whose ceiling it has */
	double a, b, c, d;
	/* Error of a step, in ulp of the largest number; by type. */
	double slack[2];
};

/*
 * Chains that neither grow much nor come to rest, so a missing step shows. A
 * quotient of floats may be 2.5 ulp off (OpenCL 1.2, section 7.4, the table of
 * single precision); all else here is rounded correctly, quotients of doubles
 * too. For mad() these tables allow any value; here it may be rounded once or
 * twice, as OpenCL 2.1 says. The host's own rounding adds half an ulp.
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
	{"fma", "fma_8", "fma_1", ARCH_MAD, 1.001953125, 0.998046875, 0.25,
		-0.25, {1.5, 1.5}},
};

#define MAD (N_KINDS - 2)
#define FMA (N_KINDS - 1)

struct chains {
	struct math *math;
	struct math_type *type;
	cl_program programs[N_KINDS];
	/* What search() found for each rate; no work-items: not yet. */
	struct launch best[N_KINDS][MATH_WIDTHS];
};

/*
 * The program of kind k. Implementations for GPUs compile all of a program when
 * it is built, some for a long time, so each kind has one of its own and
 * several CPUs compile ahead. Those for CPUs compile a kernel when it is
 * launched, and all kinds share the first that is built, if there is one.
 */
static cl_program build_kind(struct math *math, const struct math_type *type,
	size_t k, cl_program first)
{
	bool is_cpu = math->session->is_cpu;

	if (is_cpu && first)
		return first;
	return math_build(math, type, NULL, START_LOW, START_SPAN,
		is_cpu ? NULL : session_text(math->session, "-DONLY=%zu", k));
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

/* The end of chains from start; *most is the largest number on the way. */
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

/* Compare a sample; each work-item has that many chains. */
static void compare(const struct sweep *sweep, size_t width, size_t chains)
{
	const struct chains *context = sweep->context;
	const struct math_type *type = context->type;
	const struct arithmetic *kind = &kinds[sweep->kind];
	size_t steps = (size_t)sweep->turns * STEPS, bad = 0;
	size_t items = sweep->launch.items;
	double slack = kind->slack[type->is_double] *
		       (type->is_double ? DBL_EPSILON : FLT_EPSILON) *
		       (double)(steps * chains);
	void *out = session_map(sweep->session, context->math->out,
		items * width * type->bytes, false);

	if (!out)
		return;
	for (size_t i = 0; i < SAMPLE * width; i++) {
		size_t g = items * (i / width) / SAMPLE, k = i % width;
		double start = math_start(
			START_LOW, START_SPAN, g % MATH_STARTS * width + k);
		double most = 0;
		double right =
			expected(type, kind, start, chains, steps, &most);
		double got = math_element(type, out, g * width + k);

		bad += !(fabs(got - right) <= slack * most);
	}
	if (session_unmap(sweep->session, context->math->out, out) == 0 &&
		bad > 0)
		session_wrong(sweep->session, "%s",
			sweep_place(sweep, (double)width));
}

double math_least_s(
	struct session *session, const struct launch *launch, unsigned runs)
{
	double least_s = INFINITY;

	for (unsigned i = 0; i < runs && session_stopped(session) == 0; i++)
		least_s = fmin(least_s, launch_once(session, launch, false));
	return least_s;
}

struct group_range groups_to_try(
	const struct test_options *options, size_t max_group, size_t items)
{
	struct group_range range = {options->work_group, options->work_group};

	if (range.least)
		return range;
	range.most = max_group < MOST_GROUP ? max_group : MOST_GROUP;
	while (items % range.most)
		range.most /= 2;
	range.least = options->quick || range.most < LEAST_GROUP ? range.most
								 : LEAST_GROUP;
	return range;
}

/*
 * The smallest group, then the largest. PoCL compiles a kernel for each size,
 * and of four sizes each was the best about equally often, as by chance: in the
 * five records of an H200 and of CPUs 8 to 23 times of 60.
 */
static size_t next_group(
	const struct launch *launch, const struct group_range *groups)
{
	return launch->group < groups->most ? groups->most : groups->most + 1;
}

/* Once for each point: another visit has the same work-items and group. */
static void search(struct sweep *sweep, size_t w, const struct loop *loop)
{
	struct chains *context = sweep->context;
	struct session *session = sweep->session;
	struct launch *found = &context->best[sweep->kind][w];
	const struct test_options *options = session->options;
	size_t items = options->work_items;
	size_t factor = options->quick ? QUICK_ITEMS_FACTOR : ITEMS_FACTOR;
	size_t most_items = options->quick ? QUICK_MOST_ITEMS : MATH_MOST_ITEMS;
	struct group_range groups =
		groups_to_try(options, session->max_group, items);
	struct launch run = sweep->launch;
	struct facts row = {0};
	double best = 0, begin_s = timebase_raw_s();
	double built_s = session->built_s;

	if (found->items) {
		sweep->launch.items = found->items;
		sweep->launch.group = found->group;
		return;
	}
	if (items)
		most_items = items;
	run.items = most_items;
	run.group = groups.least;
	launch_loop(session, &run, loop);
	for (; run.group <= groups.most;
		run.group = next_group(&run, &groups)) {
		double s = 0;

		for (run.items = items ? items : MATH_LEAST_ITEMS;
			run.items <= most_items && s < SEARCH_LONG_S;
			run.items *= factor) {
			s = math_least_s(session, &run, SEARCH_RUNS);
			if (session_ok(session) &&
				(double)run.items / s > best) {
				best = (double)run.items / s;
				sweep->launch = run;
			}
		}
	}
	*found = sweep->launch;
	sweep->once_s +=
		timebase_raw_s() - begin_s - (session->built_s - built_s);
	facts_set_text(&row, "operation", sweep->is.member);
	facts_set_text(&row, "type", context->type->name);
	facts_set_count(&row, "vector", (int64_t)sweep->x[w]);
	facts_set_count(&row, "work_items", (int64_t)sweep->launch.items);
	facts_set_count(&row, "work_group", (int64_t)sweep->launch.group);
	session_record(session, "best", &row);
}

static struct timing time_chains(
	struct sweep *sweep, size_t w, const char *name, size_t chains)
{
	static const struct loop loop = {
		TURNS_ARGUMENT, LEAST_TURNS, MOST_TURNS, SWEEP_LEAST_S};
	const struct chains *context = sweep->context;
	const struct math *math = context->math;
	const struct arithmetic *kind = &kinds[sweep->kind];
	struct session *session = sweep->session;
	size_t mark = session_mark(session), width = math->widths[w];
	struct timing timing;

	sweep->launch = launch_singly(
		math_kernel(math, context->programs[sweep->kind], name, width),
		1);
	session_arguments(session, sweep->launch.kernel, 2,
		(struct argument[]){math_number(context->type, kind->a),
			math_number(context->type, kind->b),
			math_number(context->type, kind->c),
			math_number(context->type, kind->d),
			of_word(LATENCY_TURNS), {0}});
	sweep->turns = LATENCY_TURNS;
	if (chains == 1) {
		launch_once(session, &sweep->launch, false);
	} else {
		search(sweep, w, &loop);
		sweep->turns = launch_loop(session, &sweep->launch, &loop);
	}
	timing = launch_time(session, &sweep->launch);
	compare(sweep, width, chains);
	session_release(session, mark);
	return timing;
}

static struct timing time_rate(struct sweep *sweep, size_t w)
{
	struct chains *context = sweep->context;
	struct timing timing =
		time_chains(sweep, w, kinds[sweep->kind].chains, CHAINS);

	sweep->amount = (double)sweep->launch.items * sweep->turns *
			context->math->widths[w] * CHAINS * STEPS *
			(sweep->kind == MAD || sweep->kind == FMA ? 2 : 1);
	if (sweep->kind == MAD)
		context->type->items[w] = sweep->launch.items;
	return timing;
}

static struct timing time_latency(struct sweep *sweep, size_t w)
{
	sweep->amount = (double)LATENCY_TURNS * STEPS;
	return time_chains(sweep, w, kinds[sweep->kind].chain, 1);
}

/* The native rate of each operation. */
static void measure_ceilings(struct session *session, struct math_type *type)
{
	for (int n = 0; n < ARCH_OPERATIONS; n++) {
		struct ceiling *ceiling = &type->ceilings[n];

		ceiling->what = type->is_double ? NATIVE_DOUBLE : NATIVE_FLOAT;
		ceiling->operation = (enum arch_operation)n;
		ceiling_measure(session, ceiling);
	}
}

static void show_ceilings(struct session *session, const struct math_type *type)
{
	static const char *const names[ARCH_OPERATIONS] = {
		[ARCH_ADD] = "add and sub",
		[ARCH_MUL] = "mul",
		[ARCH_DIV] = "div",
		[ARCH_MAD] = "mad and fma",
	};
	struct theory theory = theory_of(&session->theory,
		type->is_double ? THEORY_DOUBLE : THEORY_FLOAT);

	for (int n = 0; n < ARCH_OPERATIONS; n++)
		ceiling_show(session, &type->ceilings[n],
			&(struct ceiling_line){session_text(session, "%s of %s",
						       names[n], type->name),
				names[n], type->rates, 0, INFINITY});
	ceiling_show_theory(session, &theory, type->rates);
}

/* "add 95 to 97 % (vectors of 8 or 16)"; "": there is no figure. */
static const char *say_share(const struct sweep *rate)
{
	struct session *session = rate->session;
	double peak = rate->bound.ceiling->rate;
	const struct figure native = {peak, peak, peak};
	struct figure figures[SWEEP_MOST];
	char share[FIGURE_BYTES];
	const char *vectors = "";
	size_t best;

	sweep_figures(rate, figures);
	best = figure_most(figures, rate->n);
	if (best == rate->n || isnan(peak))
		return "";
	/* Without intervals any other may be as good, which says nothing. */
	for (size_t w = 0; w < rate->n; w++) {
		if (w == best ||
			(!isnan(figures[w].low) && !isnan(figures[best].low) &&
				!figure_differs(figures[w], figures[best])))
			vectors = session_text(session, "%s%s %.0f", vectors,
				*vectors ? " or" : "", rate->x[w]);
	}
	return session_text(session, "%s %s (vectors of%s)", rate->is.member,
		figure_percent(figure_over(figures[best], native), share),
		vectors);
}

/* The latency of a kind with that ceiling, of the narrowest vector. */
static struct figure latency_of(const struct math_type *type,
	const struct sweep *sweeps, enum arch_operation operation)
{
	size_t k = 0;

	while (kinds[k].operation != operation)
		k++;
	return sweep_figure(&sweeps[type->n_kinds + k], 0);
}

static void conclude(struct session *session, const struct math_type *type,
	const struct sweep *sweeps)
{
	static const char *const verdicts[] = {
		[MAD_UNKNOWN] = "c2c cannot tell whether it is fused",
		[MAD_FUSED] = "it is fused",
		[MAD_SEPARATE] = "it is not fused but two operations",
	};
	struct figure add = latency_of(type, sweeps, ARCH_ADD);
	struct figure mul = latency_of(type, sweeps, ARCH_MUL);
	struct figure mad = latency_of(type, sweeps, ARCH_MAD);
	const char *shares = "";

	for (size_t k = 0; k < type->n_kinds; k++) {
		const char *share = say_share(&sweeps[k]);

		if (*share)
			shares = session_text(session, "%s%s%s", shares,
				*shares ? ", " : "", share);
	}
	if (*shares)
		session_find(session,
			"%s, share of each operation's native peak: %s",
			type->name, shares);
	if (!isnan(add.median) && !isnan(mul.median) && !isnan(mad.median))
		session_find(session,
			"%s: a mad that waits for the one before takes %.3g "
			"ns, a mul %.3g ns and an add %.3g ns: %s",
			type->name, mad.median, mul.median, add.median,
			verdicts[judge_mad(mad, mul, add)]);
}

static void measure_arithmetic(struct math *math, struct math_type *type)
{
	struct session *session = math->session;
	struct chains context = {.math = math, .type = type};
	/* Rates, latencies. */
	struct sweep sweeps[2 * N_KINDS] = {{.session = session}};

	for (size_t k = 0; k < type->n_kinds; k++)
		context.programs[k] =
			build_kind(math, type, k, context.programs[0]);
	type->rates = session->result->n_curves;
	for (unsigned n = 0; n < 2 * type->n_kinds; n++) {
		bool rate = n < type->n_kinds;
		unsigned k = rate ? n : n - (unsigned)type->n_kinds;
		struct sweep *sweep = &sweeps[n];

		*sweep = math_sweep(math, type, kinds[k].name, false);
		sweep->kind = k;
		sweep->time = time_rate;
		sweep->bound.ceiling = &type->ceilings[kinds[k].operation];
		sweep->work = WORK_RATE;
		sweep->context = &context;
		if (!rate) {
			sweep->is.family = session_text(
				session, "latency of %s", type->name);
			sweep->is.part++;
			sweep->shows = SHOWS_STEP;
			sweep->time = time_latency;
			sweep->bound.ceiling = NULL;
			/* That of scalars tells; all compile for long. */
			if (session->options->quick)
				sweep->n = 1;
			sweep->work = WORK_LATENCY * (double)math->n_widths /
				      (double)sweep->n;
		}
	}
	measure_ceilings(session, type);
	for (size_t n = 0; n < 2 && session_ok(session); n++)
		sweep_run(&sweeps[n * type->n_kinds], type->n_kinds);
	if (session_ok(session))
		conclude(session, type, sweeps);
}

/* Where no instruction does an fma, calls of it would take minutes. */
static size_t kinds_of(cl_device_fp_config config)
{
	return config & CL_FP_FMA ? N_KINDS : FMA;
}

static void open_math(struct math *math)
{
	struct session *session = math->session;
	bool quick = session->options->quick;
	size_t chosen = session->options->work_items, width;
	cl_device_fp_config single =
		session_fact(session, CL_DEVICE_SINGLE_FP_CONFIG);
	cl_device_fp_config config =
		session_fact(session, CL_DEVICE_DOUBLE_FP_CONFIG);

	math->n_widths = quick ? 2 : MATH_WIDTHS;
	for (size_t w = 0; w < math->n_widths; w++)
		math->widths[w] = quick ? quick_widths[w] : all_widths[w];
	for (size_t w = 0; w < math->n_widths; w += quick ? 1 : CALLS_EACH)
		math->call_widths[math->n_call_widths++] = w;
	math->types[math->n_types++] = (struct math_type){
		.name = "float",
		.bytes = sizeof(cl_float),
		.n_kinds = kinds_of(single),
	};
	if (session_has_double(session))
		math->types[math->n_types++] = (struct math_type){
			.is_double = true,
			.name = "double",
			.bytes = sizeof(cl_double),
			.n_kinds = kinds_of(config),
		};
	width = math->widths[math->n_widths - 1];
	math->out_bytes =
		MATH_MOST_ITEMS * width * math->types[math->n_types - 1].bytes;
	/* Each chain of calls has a result, for all of the user's items. */
	if (chosen)
		math->out_bytes = math->out_bytes / MATH_MOST_ITEMS * chosen *
				  math_chains(width);
	math->in = session_buffer(session,
		MATH_STARTS * all_widths[MATH_WIDTHS - 1] * sizeof(cl_double));
	math->out = session_buffer(session, math->out_bytes);
	for (size_t i = 0; i < math_n_functions; i++)
		session->all += math_measures(math, &math_functions[i]);
	session->all *= (double)math->n_types;
	for (size_t t = 0; t < math->n_types; t++)
		session->all +=
			(double)(math->n_widths * math->types[t].n_kinds) *
			(WORK_RATE + WORK_LATENCY);
}

static void run_math(struct session *session)
{
	struct math math = {.session = session};

	if (session->options->work_group > session->max_group)
		session_error(session, ERROR_USAGE, EINVAL,
			"--work-group: the device allows %zu at most",
			session->max_group);
	open_math(&math);
	for (size_t t = 0; t < math.n_types && session_ok(session); t++)
		measure_arithmetic(&math, &math.types[t]);
	for (size_t t = 0; t < math.n_types && session_ok(session); t++)
		math_calls(&math, &math.types[t]);
	for (size_t t = 0; t < math.n_types; t++)
		show_ceilings(session, &math.types[t]);
}

/* Let a kernel run once in each group that the test tries. */
static void compile_kernel(struct session *session, cl_kernel kernel,
	const struct group_range *groups, const struct argument *arguments)
{
	struct launch launch = launch_singly(kernel, groups->least);

	session_arguments(session, kernel, 2, arguments);
	for (launch.group = groups->least; launch.group <= groups->most;
		launch.group = next_group(&launch, groups)) {
		launch.items = launch.group;
		launch_once(session, &launch, false);
	}
}

static void compile_arithmetic(struct math *math, const struct math_type *type,
	unsigned part, unsigned parts)
{
	struct session *session = math->session;
	const struct argument number = math_number(type, 1);
	const struct argument arguments[] = {
		number, number, number, number, of_word(1), {0}};
	const struct group_range one = {1, 1},
				 groups = groups_to_try(session->options,
					 session->max_group,
					 session->options->work_items);
	cl_program program = NULL;

	for (size_t k = 0; k < type->n_kinds && session_ok(session); k++) {
		/* As many processes as may be have some of both types. */
		if ((k + type->is_double * type->n_kinds) % parts != part)
			continue;
		program = build_kind(math, type, k, program);
		for (size_t w = 0; w < math->n_widths; w++) {
			compile_kernel(session,
				math_kernel(math, program, kinds[k].chains,
					math->widths[w]),
				&groups, arguments);
			if (w == 0 || !session->options->quick)
				compile_kernel(session,
					math_kernel(math, program,
						kinds[k].chain,
						math->widths[w]),
					&one, arguments);
			session_advance(session, WORK_RATE + WORK_LATENCY);
		}
	}
}

static void compile_math(struct session *session, unsigned part, unsigned parts)
{
	struct math math = {.session = session};

	open_math(&math);
	session->all /= parts;
	for (size_t t = 0; t < math.n_types && session_ok(session); t++) {
		compile_arithmetic(&math, &math.types[t], part, parts);
		math_compile_calls(&math, &math.types[t], part, parts);
	}
}

const struct test test_math = {
	.name = "math",
	.section = "2.1",
	.summary = "Arithmetic and the built-in functions, by vectors",
	.takes = TAKES_WORK_ITEMS | TAKES_WORK_GROUP,
	/* Larger groups that do not divide the work-items are not tried. */
	.group = LEAST_GROUP,
	.most_items = MATH_MOST_ITEMS,
	.group_divides = MATH_LEAST_ITEMS,
	.figures = {{.what = "floats, best of mad and fma",
		.family = "float",
		.members = {"mad", "fma"}}},
	.compile = compile_math,
	.run = run_math,
};
