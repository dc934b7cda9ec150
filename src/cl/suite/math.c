/*
 * Arithmetic and built-in functions (section 2.1, table 1, figures 9 to 12).
 *
 * The test times kernels of one kind of arithmetic, for float and double, and
 * for vectors of 1 to 16 elements. Eight independent chains per work-item fill
 * the pipelines; one chain of a single work-item gives the latency. As in the
 * paper, the best of 1,024 to 524,288 work-items counts, in groups of 32 or
 * 256. Built-in functions are in math_calls.c.
 *
 * No compiler can shorten a chain: the steps round, the compiler does not know
 * the numbers, and the host computes a sample again. Compilers may pack scalar
 * chains into vectors, which is still arithmetic.
 */
#include "cl/suite/math.h"

#include <errno.h>
#include <float.h>
#include <math.h>

#include "arch/vector.h"
#include "cl/tests.h"

#define LEAST_GROUP 32
#define MOST_GROUP  256

#define SEARCH_RUNS 2

/*
 * If a run takes longer than this, try no more work-items; a launch takes less
 * than 1/100 of it. With the most work-items, divisions would take half a
 * second.
 */
#define SEARCH_LONG_S 2e-3

/*
 * With --quick, groups of the largest size for each unit. --quick tries only
 * one number of work-items, because PoCL compiles a kernel again from 65,536
 * on.
 */
#define QUICK_GROUPS 4

/* Steps of a chain in a turn of the loop, and chains of a work-item. */
#define STEPS	    8
#define CHAINS	    8
#define LEAST_TURNS 8
#define MOST_TURNS  4096

/* Number of the kernel's argument with the turns. */
#define TURNS_ARGUMENT 6

#define LATENCY_TURNS 8192

/* Work-items that the host computes again, spread evenly. */
#define SAMPLE 8

/* First number of a chain: from 1 to 1.5. */
#define START_LOW  1.0
#define START_SPAN 1.0

/* Shares of the progress; a built-in function counts 1. */
#define WORK_RATE    4.5
#define WORK_LATENCY 0.5

static const unsigned all_widths[MATH_WIDTHS] = {1, 2, 4, 8, 16};

/*
 * Vector widths of a function: 1, 4 and 16. Three show whether it is computed
 * in vectors, and five take minutes to compile.
 */
#define CALLS_EACH 2

/* A kind of arithmetic. a, c: constants of odd steps; b, d: of even ones. */
struct arithmetic_kind {
	const char *name, *chains, *chain; /* names of kernels */
	enum arch_operation operation; /* operation whose ceiling bounds it */
	bool typical, waits; /* whether --quick has its rate, and its latency */
	double a, b, c, d;
	/* By type: error of a step, in ulp of the largest number on the way. */
	double slack[2];
};

/*
 * With these constants, chains neither grow much nor converge, so a missing
 * step shows. A quotient of floats may be 2.5 ulp off (OpenCL 1.2, section 7.4,
 * the table of single precision); all other results are correctly rounded,
 * including quotients of doubles. The tables there allow any value for mad();
 * c2c allows one or two roundings, like OpenCL 2.1. The host's own rounding
 * adds half an ulp.
 */
static const struct arithmetic_kind kinds[MATH_KINDS] = {
	{"add", "add_8", "add_1", ARCH_ADD, true, true, 3, -2, 0, 0, {0, 0}},
	{"sub", "sub_8", "sub_1", ARCH_ADD, false, false, 3, -2, 0, 0, {0, 0}},
	{"mul", "mul_8", "mul_1", ARCH_MUL, true, true, 1.001953125,
		0.998046875, 0, 0, {0, 0}},
	{"div", "div_8", "div_1", ARCH_DIV, false, false, 1.001953125,
		0.998046875, 0, 0, {3, 0}},
	{"mad", "mad_8", "mad_1", ARCH_MAD, true, true, 1.001953125,
		0.998046875, 0.25, -0.25, {1.5, 1.5}},
	{"fma", "fma_8", "fma_1", ARCH_MAD, true, false, 1.001953125,
		0.998046875, 0.25, -0.25, {1.5, 1.5}},
};

#define MAD (MATH_KINDS - 2)
#define FMA (MATH_KINDS - 1)

struct arithmetic_chains {
	struct math_state *math;
	struct math_type *type;
	cl_program programs[MATH_KINDS];
	/* The launch that the search chose for each rate; 0 items: none yet. */
	struct launch best[MATH_KINDS][MATH_WIDTHS];
};

/*
 * Build the program of kind k. Implementations for GPUs compile a whole program
 * when they build it, some for a long time, so each kind has its own program
 * and several CPUs compile ahead. Implementations for CPUs compile a kernel at
 * its launch, and all kinds share the program that was built first, if any.
 */
static cl_program math_build_kind(struct math_state *math,
	const struct math_type *type, size_t k, cl_program first)
{
	bool is_cpu = math->session->is_cpu;

	if (is_cpu && first)
		return first;
	return math_build(math, type, NULL, START_LOW, START_SPAN,
		is_cpu ? NULL : session_text(math->session, "-DONLY=%zu", k));
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

/* Return the end of chains from start; *most: largest number on the way. */
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

/* Check a sample of work-items with as many chains. */
static void math_check_chains(
	const struct sweep *sweep, size_t width, size_t chains)
{
	const struct arithmetic_chains *context = sweep->context;
	const struct math_type *type = context->type;
	const struct arithmetic_kind *kind = &kinds[sweep->kind];
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
		double right = math_expected_end(
			type, kind, start, chains, steps, &most);
		double got =
			number_element(type->is_double, out, g * width + k);

		bad += !(fabs(got - right) <= slack * most);
	}
	if (session_unmap(sweep->session, context->math->out, out) == 0 &&
		bad > 0)
		session_wrong(sweep->session, "%s",
			sweep_place(sweep, (double)width));
}

double math_shortest_run_s(
	struct session *session, const struct launch *launch, unsigned runs)
{
	double least_s = INFINITY;

	for (unsigned i = 0; i < runs && session_stopped(session) == 0; i++)
		least_s = fmin(least_s, launch_once(session, launch, false));
	return least_s;
}

struct group_range math_groups_to_try(
	const struct test_options *options, size_t max_group, size_t items)
{
	struct group_range range = {options->work_group, options->work_group};

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
 * Return the next group size: after the smallest comes the largest. PoCL
 * compiles a kernel for each size. In five records of an H200 and of CPUs, each
 * of four sizes was the best 8 to 23 times of 60, as by chance.
 */
static size_t math_next_group(
	const struct launch *launch, const struct group_range *groups)
{
	return launch->group < groups->most ? groups->most : groups->most + 1;
}

static struct items_range math_items_to_search(const struct session *session)
{
	const struct test_options *options = session->options;
	struct items_range range = {MATH_LEAST_ITEMS, MATH_MOST_ITEMS};
	size_t wanted = (size_t)session->units * MOST_GROUP * QUICK_GROUPS;

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

/* Choose work-items and group, once for each point; later visits reuse them. */
static void math_search_launch(
	struct sweep *sweep, size_t w, const struct kernel_loop *loop)
{
	struct arithmetic_chains *context = sweep->context;
	struct session *session = sweep->session;
	struct launch *found = &context->best[sweep->kind][w];
	const struct test_options *options = session->options;
	const struct items_range items = math_items_to_search(session);
	struct group_range groups = math_groups_to_try(
		options, session->max_group, options->work_items);
	struct launch run = sweep->launch;
	struct facts row = {0};
	double best = 0, begin_s = session_clock_s(session);

	if (found->items) {
		sweep->launch.items = found->items;
		sweep->launch.group = found->group;
		return;
	}
	run.items = items.most;
	run.group = groups.least;
	launch_loop(session, &run, loop);
	for (; run.group <= groups.most;
		run.group = math_next_group(&run, &groups)) {
		double s = 0;

		for (run.items = items.first;
			run.items <= items.most && s < SEARCH_LONG_S;
			run.items *= 2) {
			s = math_shortest_run_s(session, &run, SEARCH_RUNS);
			if (session_ok(session) &&
				(double)run.items / s > best) {
				best = (double)run.items / s;
				sweep->launch = run;
			}
		}
	}
	*found = sweep->launch;
	sweep->once_s += session_clock_s(session) - begin_s;
	facts_set_text(&row, "operation", sweep->facts.member);
	facts_set_text(&row, "type", context->type->name);
	facts_set_count(&row, "vector", (int64_t)sweep->x[w]);
	facts_set_count(&row, "work_items", (int64_t)sweep->launch.items);
	facts_set_count(&row, "work_group", (int64_t)sweep->launch.group);
	session_record(session, "best", &row);
}

static bool math_has_latency(const struct math_state *math, unsigned k)
{
	return kinds[k].waits || !math->session->options->quick;
}

/* Return the share of the progress that one vector of a kind has. */
static double math_kind_work(const struct math_state *math, unsigned k)
{
	return WORK_RATE + (math_has_latency(math, k) ? WORK_LATENCY : 0);
}

static struct timing math_time_chains(
	struct sweep *sweep, size_t w, const char *name, size_t chains)
{
	static const struct kernel_loop loop = {
		TURNS_ARGUMENT, LEAST_TURNS, MOST_TURNS, SWEEP_LEAST_S};
	const struct arithmetic_chains *context = sweep->context;
	const struct math_state *math = context->math;
	const struct arithmetic_kind *kind = &kinds[sweep->kind];
	struct session *session = sweep->session;
	size_t mark = session_mark(session), width = (size_t)sweep->x[w];
	struct timing timing;

	sweep->launch = launch_singly(
		math_kernel(math, context->programs[sweep->kind], name, width),
		1);
	session_arguments(session, sweep->launch.kernel, 2,
		number_argument(context->type->is_double, kind->a),
		number_argument(context->type->is_double, kind->b),
		number_argument(context->type->is_double, kind->c),
		number_argument(context->type->is_double, kind->d),
		word_argument(LATENCY_TURNS));
	sweep->turns = LATENCY_TURNS;
	if (chains == 1) {
		launch_once(session, &sweep->launch, false);
	} else {
		math_search_launch(sweep, w, &loop);
		sweep->turns = launch_loop(session, &sweep->launch, &loop);
	}
	timing = launch_time(session, &sweep->launch);
	math_check_chains(sweep, width, chains);
	session_release(session, mark);
	return timing;
}

static struct timing math_time_rate(struct sweep *sweep, size_t w)
{
	struct arithmetic_chains *context = sweep->context;
	struct timing timing =
		math_time_chains(sweep, w, kinds[sweep->kind].chains, CHAINS);

	sweep->amount = (double)sweep->launch.items * sweep->turns *
			sweep->x[w] * CHAINS * STEPS *
			(sweep->kind == MAD || sweep->kind == FMA ? 2 : 1);
	if (sweep->kind == MAD)
		context->type->items[w] = sweep->launch.items;
	return timing;
}

static struct timing math_time_latency(struct sweep *sweep, size_t w)
{
	sweep->amount = (double)LATENCY_TURNS * STEPS;
	return math_time_chains(sweep, w, kinds[sweep->kind].chain, 1);
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
		theory_of(&session->theory,
			type->is_double ? THEORY_DOUBLE : THEORY_FLOAT),
		type->rates);
}

/* Return "add 95 to 97 % (vectors of 8 or 16)"; "": there is no figure. */
static const char *math_share_text(const struct sweep *rate)
{
	struct session *session = rate->session;
	double peak = rate->bound.ceiling->rate;
	const struct median_interval native = {peak, peak, peak};
	char share[FIGURE_BYTES];
	const char *vectors = "";
	size_t best = sweep_most(rate);
	struct median_interval most = sweep_figure(rate, best);

	if (best == rate->n || isnan(peak))
		return "";
	/* Without intervals others may be as good, so list only the best. */
	for (size_t w = 0; w < rate->n; w++) {
		struct median_interval figure = sweep_figure(rate, w);

		if (w == best || (!isnan(figure.low) && !isnan(most.low) &&
					 !figure_differs(figure, most)))
			vectors = session_text(session, "%s%s %.0f", vectors,
				*vectors ? " or" : "", rate->x[w]);
	}
	return session_text(session, "%s %s (vectors of%s)", rate->facts.member,
		figure_percent(figure_over(most, native), share), vectors);
}

/* Return the latency of a kind, by its ceiling, for the narrowest vector. */
static struct median_interval math_find_latency(
	const struct sweep *latencies, enum arch_operation operation)
{
	while (kinds[latencies->kind].operation != operation)
		latencies++;
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
	const char *shares = "";

	for (size_t k = 0; k < type->n_kinds; k++) {
		const char *share = math_share_text(&sweeps[k]);

		if (*share)
			shares = session_text(session, "%s%s%s", shares,
				*shares ? ", " : "", share);
	}
	if (*shares)
		session_add_finding(session,
			"%s, share of each operation's native peak: %s",
			type->name, shares);
	if (!isnan(add.median) && !isnan(mul.median) && !isnan(mad.median))
		session_add_finding(session,
			"%s: the latency of a mad is %.3g ns, of a mul %.3g "
			"ns and of an add %.3g ns: %s",
			type->name, mad.median, mul.median, add.median,
			verdicts[judge_mad(mad, mul, add)]);
}

/* Begin the curve of a kind: its rate or its latency. */
static void math_begin_kind(struct sweep *sweep,
	struct arithmetic_chains *context, unsigned k, bool latency)
{
	struct math_state *math = context->math;
	struct math_type *type = context->type;
	struct session *session = math->session;

	*sweep = math_sweep(math, type, kinds[k].name, false);
	sweep->kind = k;
	sweep->time = math_time_rate;
	sweep->bound.ceiling = &type->ceilings[kinds[k].operation];
	sweep->work = WORK_RATE;
	sweep->context = context;
	if (latency) {
		sweep->facts.family =
			session_text(session, "latency of %s", type->name);
		sweep->shows = SHOWS_STEP;
		sweep->time = math_time_latency;
		sweep->bound.ceiling = NULL;
		sweep->work = WORK_LATENCY;
		/* Scalars are enough; compiling all vectors takes long. */
		if (session->options->quick)
			sweep->x[0] = 1;
	}
	sweep_begin(sweep);
}

static void measure_arithmetic(struct math_state *math, struct math_type *type)
{
	struct session *session = math->session;
	struct arithmetic_chains context = {.math = math, .type = type};
	struct sweep rates[MATH_KINDS] = {{.session = session}};
	struct sweep latencies[MATH_KINDS] = {{.session = session}};
	size_t waiting = 0;
	cl_program program = NULL;

	for (size_t n = 0; n < type->n_kinds; n++) {
		program = math_build_kind(math, type, type->kinds[n], program);
		context.programs[type->kinds[n]] = program;
	}
	type->rates = session->result->n_curves;
	for (size_t n = 0; n < type->n_kinds; n++)
		math_begin_kind(&rates[n], &context, type->kinds[n], false);
	for (size_t n = 0; n < type->n_kinds; n++) {
		if (math_has_latency(math, type->kinds[n]))
			math_begin_kind(&latencies[waiting++], &context,
				type->kinds[n], true);
	}
	math_measure_ceilings(session, type);
	if (session_ok(session))
		sweep_run(rates, type->n_kinds);
	if (session_ok(session))
		sweep_run(latencies, waiting);
	if (session_ok(session))
		math_conclude(session, type, rates, latencies);
}

/* Choose kinds. An fma without a machine instruction would take minutes. */
static void math_choose_kinds(const struct math_state *math,
	struct math_type *type, cl_device_fp_config config)
{
	bool quick = math->session->options->quick;

	for (unsigned k = 0; k < MATH_KINDS; k++) {
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

	math->n_widths = quick ? 1 : MATH_WIDTHS;
	for (size_t w = 0; w < math->n_widths; w++)
		math->widths[w] = all_widths[w];
	/*
	 * Compiling takes long, so --quick has one vector: as many floats as a
	 * CPU's register holds, but at least 8, which are several chains.
	 */
	if (quick)
		math->widths[0] =
			session->is_cpu && arch_vector_widest()->bytes >= 64
				? 16
				: 8;
	for (size_t w = 0; w < math->n_widths; w += CALLS_EACH)
		math->call_widths[math->n_call_widths++] = w;
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
	width = math->widths[math->n_widths - 1];
	math->out_bytes =
		MATH_MOST_ITEMS * width * math->types[math->n_types - 1].bytes;
	/* Every chain of calls needs room for its result, for all items. */
	if (chosen)
		math->out_bytes = math->out_bytes / MATH_MOST_ITEMS * chosen *
				  math_chains(width);
	math->in = session_buffer(session,
		MATH_STARTS * all_widths[MATH_WIDTHS - 1] * sizeof(cl_double));
	math->out = session_buffer(session, math->out_bytes);
	for (size_t i = 0; i < math_n_functions; i++)
		session->all += math_measures(math, &math_functions[i]);
	session->all *= (double)math->n_types;
	for (size_t t = 0; t < math->n_types; t++) {
		for (size_t n = 0; n < math->types[t].n_kinds; n++)
			session->all +=
				(double)math->n_widths *
				math_kind_work(math, math->types[t].kinds[n]);
	}
}

static void run_math(struct session *session)
{
	struct math_state math = {.session = session};

	if (session->options->work_group > session->max_group)
		session_error(session, ERROR_USAGE, EINVAL,
			"--work-group: the device allows %zu at most",
			session->max_group);
	math_open(&math);
	for (size_t t = 0; t < math.n_types && session_ok(session); t++)
		measure_arithmetic(&math, &math.types[t]);
	for (size_t t = 0; t < math.n_types && session_ok(session); t++)
		math_calls(&math, &math.types[t]);
	for (size_t t = 0; t < math.n_types; t++)
		math_show_ceilings(session, &math.types[t]);
}

/* Run a kernel once in each group that the test tries, to compile it. */
static void compile_kernel(struct session *session, cl_kernel kernel,
	const struct group_range *groups,
	const struct kernel_argument *arguments)
{
	struct launch launch = launch_singly(kernel, groups->least);

	session_set_arguments(session, kernel, 2, arguments);
	for (launch.group = groups->least; launch.group <= groups->most;
		launch.group = math_next_group(&launch, groups)) {
		launch.items = launch.group;
		launch_once(session, &launch, false);
	}
}

static void compile_arithmetic(struct math_state *math,
	const struct math_type *type, unsigned part, unsigned parts)
{
	struct session *session = math->session;
	const struct kernel_argument number =
		number_argument(type->is_double, 1);
	const struct kernel_argument arguments[] = {
		number, number, number, number, word_argument(1), {0}};
	const struct group_range one = {1, 1},
				 groups = math_groups_to_try(session->options,
					 session->max_group,
					 session->options->work_items);
	bool quick = session->options->quick;
	cl_program program = NULL;

	for (size_t n = 0; n < type->n_kinds && session_ok(session); n++) {
		unsigned k = type->kinds[n];

		/* Share the kernels of both types among all processes. */
		if ((n + type->is_double * type->n_kinds) % parts != part)
			continue;
		program = math_build_kind(math, type, k, program);
		for (size_t w = 0; w < math->n_widths; w++) {
			compile_kernel(session,
				math_kernel(math, program, kinds[k].chains,
					math->widths[w]),
				&groups, arguments);
			if (math_has_latency(math, k))
				compile_kernel(session,
					math_kernel(math, program,
						kinds[k].chain,
						quick ? 1 : math->widths[w]),
					&one, arguments);
			session_advance(session, math_kind_work(math, k));
		}
	}
}

static void compile_math(struct session *session, unsigned part, unsigned parts)
{
	struct math_state math = {.session = session};

	math_open(&math);
	session->all /= parts;
	for (size_t t = 0; t < math.n_types && session_ok(session); t++) {
		compile_arithmetic(&math, &math.types[t], part, parts);
		math_compile_calls(&math, &math.types[t], part, parts);
	}
}

const struct test test_math = {
	.name = "math",
	.section = "2.1",
	.summary = "arithmetic and all built-in functions, by vectors",
	.takes = TAKES_WORK_ITEMS | TAKES_WORK_GROUP,
	/* The test skips larger groups that do not divide the work-items. */
	.group = LEAST_GROUP,
	.most_items = MATH_MOST_ITEMS,
	.group_divides = MATH_LEAST_ITEMS,
	.figures = {{.what = "floats, best of mad and fma",
		.family = "float",
		.members = {"mad", "fma"}}},
	.compile = compile_math,
	.run = run_math,
};
