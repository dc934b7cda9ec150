/*
 * Measure built-in functions: calls a second, and errors.
 *
 * The test times a kernel whose work-items call a function for arguments a
 * small step apart, in two or four chains. Each call needs two additions: to
 * the sum of the results and to the argument. So even calls of fabs() cannot
 * exceed half the rate of additions.
 *
 * With one turn the kernel gives single results. The host checks a sample of
 * them against the bound of the specification. The timed runs have more turns
 * and give sums; the host compares these as closely as their rounding allows.
 *
 * As in the paper, the best work-group of 32 to 256 counts, if trying all of
 * them for every function and vector takes only seconds. If an implementation
 * compiles a kernel again for each size (PoCL 3.1 takes 50 ms), that would take
 * minutes, so c2c uses the largest of these groups.
 */
#include <float.h>
#include <math.h>

#include "cl/suite/math.h"
#include "machine/timebase.h"

#define LEAST_TURNS  4
#define TURNS	     16
#define MOST_TURNS   4096
#define SAMPLE	     8
#define SUM_SAMPLE   2
#define GROUPS_A_CPU 4

/*
 * Runs in each group that is tried; extra time of all first runs; and time of
 * all searches, because some kernels may be compiled already.
 */
#define TRY_RUNS       2
#define SEARCH_MOST_S  2
#define ALL_SEARCHES_S 10

/* Additions for each call: to the sum and to the argument. */
#define ADDITIONS_A_CALL 2

/* Number of the kernel's argument with the turns. */
#define TURNS_ARGUMENT 5

struct math_call {
	struct math_state *math;
	const struct math_type *type;
	const struct math_function *function;
	cl_program program;
	size_t width, chains, items;
	double off_ulp; /* largest error of a result */
	/* Launch of each vector; 0 work-items: not chosen yet. */
	struct launch chosen[MATH_WIDTHS];
	cl_uint turns[MATH_WIDTHS];
};

struct items_range math_items_to_try(const struct test_options *options,
	size_t wanted, size_t best, size_t held)
{
	struct items_range range = {.first = MATH_LEAST_ITEMS, .most = best};

	/* A group that the user chose may not divide other numbers. */
	if (options->work_items)
		return (struct items_range){
			options->work_items, options->work_items};
	while (range.most > held)
		range.most /= 2;
	while (range.first < wanted)
		range.first *= 2;
	if (range.first > range.most)
		range.first = range.most;
	return range;
}

static double call_argument_value(
	const struct math_call *call, size_t g, size_t k)
{
	return math_start(call->function->low, call->function->span,
		g % MATH_STARTS * call->width + k);
}

/* Return the step between arguments: exact in a float, however often added. */
static double call_argument_step(const struct math_call *call)
{
	return call->function->span / 131072;
}

static long double call_expected_result(const struct math_call *call, double x)
{
	return call->function->expected(
		x, call->function->b, call->type->is_double);
}

/*
 * Return the ulp as the specification defines it: the distance between the two
 * nearest numbers. At a power of two it is the smaller distance, at zero the
 * smallest of all.
 */
static double call_ulp_size(const struct math_call *call, long double value)
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

static double call_bound_ulp(const struct math_call *call)
{
	/* Exact results are rounded too. */
	return fmax(0.5001, call->function->ulp);
}

static void call_judge_results(struct math_call *call, const void *out)
{
	call->off_ulp = 0;
	for (size_t i = 0; i < SAMPLE; i++) {
		size_t g = call->items * i / SAMPLE;

		for (size_t n = 0; n < call->chains * call->width; n++) {
			size_t j = n / call->width, k = n % call->width;
			double x = call_argument_value(call, g, k) +
				   (double)j * call_argument_step(call);
			long double right = call_expected_result(call, x);
			double got = number_element(call->type->is_double, out,
				(g * call->chains + j) * call->width + k);
			double off = (double)fabsl(got - right) /
				     call_ulp_size(call, right);

			/* NaN counts as infinitely wrong. */
			if (!(off <= call->off_ulp))
				call->off_ulp = isnan(off) ? INFINITY : off;
		}
	}
}

static bool call_sums_are_correct(
	const struct math_call *call, cl_uint turns, const void *out)
{
	double epsilon = call->type->is_double ? DBL_EPSILON : FLT_EPSILON;

	for (size_t i = 0; i < SUM_SAMPLE; i++) {
		size_t g = call->items * (2 * i + 1) / (2 * SUM_SAMPLE);
		size_t k = i % call->width, j = i % call->chains;
		long double sum = 0, most = 0, sizes = 0;
		double got;

		for (size_t t = 0; t < turns; t++) {
			double x = call_argument_value(call, g, k) +
				   (double)(t * call->chains + j) *
					   call_argument_step(call);
			long double right = call_expected_result(call, x);

			sum += right;
			most = fmaxl(most, fabsl(sum));
			sizes += fabsl(right);
		}
		got = number_element(call->type->is_double, out,
			(g * call->chains + j) * call->width + k);
		/* Allow for errors of the results and of the additions. */
		if (!(fabsl(got - sum) <=
			    epsilon * (call_bound_ulp(call) * sizes +
					      most * turns)))
			return false;
	}
	return true;
}

/* Check results. turns is 0 for single results, else the number in each sum. */
static bool call_results_are_correct(struct math_call *call, cl_uint turns)
{
	struct session *session = call->math->session;
	cl_mem buffer = call->math->out;
	void *out = session_map(session, buffer,
		call->items * call->chains * call->width * call->type->bytes,
		false);
	bool hold;

	if (!out)
		return false;
	if (turns == 0)
		call_judge_results(call, out);
	hold = turns ? call_sums_are_correct(call, turns, out)
		     : call->off_ulp <= call_bound_ulp(call);
	return session_unmap(session, buffer, out) == 0 && hold;
}

/*
 * Choose turns and work-items. Begin with few of both, since some functions
 * take a hundred times as long as others. Until a run takes long enough, double
 * the turns up to the usual number, then the work-items up to the best number,
 * then the turns.
 */
static void call_choose_turns(
	struct sweep *sweep, const struct items_range *range)
{
	struct session *session = sweep->session;
	struct launch *launch = &sweep->launch;
	double s;

	for (sweep->turns = LEAST_TURNS; session_stopped(session) == 0;) {
		session_arguments(session, launch->kernel, TURNS_ARGUMENT,
			word_argument(sweep->turns));
		s = launch_once(session, launch, false);
		if (s >= SWEEP_LEAST_S)
			return;
		if (sweep->turns >= TURNS && launch->items * 2 <= range->most)
			launch->items *= 2;
		else if (sweep->turns < MOST_TURNS)
			sweep->turns *= 2;
		else
			return;
	}
}

bool math_search_pays(double longer_s, size_t tries)
{
	return longer_s * (double)tries <= SEARCH_MOST_S;
}

/*
 * Decide whether to try several groups for functions. The criterion is how much
 * longer the first run in another group takes than the second; the least of all
 * counts, as others may disturb.
 */
static void call_decide_search(
	struct sweep *sweep, const struct group_range *groups)
{
	struct math_state *math = ((struct math_call *)sweep->context)->math;
	struct session *session = sweep->session;
	struct launch run = sweep->launch;
	size_t tries = 0, others = 0;
	double longer_s = INFINITY;

	for (size_t i = 0; i < math_n_functions; i++)
		tries += math_measures(math, &math_functions[i]);
	for (run.group = groups->least; run.group <= groups->most;
		run.group *= 2) {
		double first_s;

		if (run.group == sweep->launch.group)
			continue;
		others++;
		first_s = launch_once(session, &run, true);
		longer_s = fmin(
			longer_s, first_s - launch_once(session, &run, true));
	}
	tries *= math->n_types * math->n_call_widths * others;
	math->calls = others && math_search_pays(longer_s, tries)
			      ? SEARCH_GROUPS
			      : SEARCH_NOTHING;
}

static void call_search_group(
	struct sweep *sweep, const struct group_range *groups)
{
	struct math_state *math = ((struct math_call *)sweep->context)->math;
	struct launch run = sweep->launch;
	double least_s = INFINITY, begin_s = timebase_raw_s();

	for (run.group = groups->least; run.group <= groups->most;
		run.group *= 2) {
		double s = math_shortest_run_s(sweep->session, &run, TRY_RUNS);

		if (s < least_s) {
			least_s = s;
			sweep->launch.group = run.group;
		}
	}
	math->searched_s += timebase_raw_s() - begin_s;
	if (math->searched_s > ALL_SEARCHES_S)
		math->calls = SEARCH_NOTHING;
}

/* Return the group for functions when the best is not searched. */
static size_t call_default_group(const struct session *session)
{
	return math_groups_to_try(session->options, session->max_group,
		session->options->work_items)
		.most;
}

/* Set arguments. turns: calls of each work-item. */
static void call_set_arguments(
	const struct math_call *call, cl_kernel kernel, size_t turns)
{
	session_arguments(call->math->session, kernel, 2,
		number_argument(
			call->type->is_double, call_argument_step(call)),
		number_argument(call->type->is_double, call->function->b),
		{sizeof(cl_int), .integer = MATH_K}, word_argument(turns));
}

static void call_record_launch(
	const struct sweep *sweep, const struct math_call *call)
{
	struct facts row = {0};

	facts_set_text(&row, "function", call->function->name);
	facts_set_text(&row, "type", call->type->name);
	facts_set_count(&row, "vector", (int64_t)call->width);
	facts_set_count(&row, "work_items", (int64_t)sweep->launch.items);
	facts_set_count(&row, "work_group", (int64_t)sweep->launch.group);
	facts_set_count(&row, "calls", (int64_t)sweep->amount);
	facts_set_number(&row, "off_ulp", call->off_ulp);
	facts_set_number(&row, "bound_ulp", call_bound_ulp(call));
	session_record(sweep->session, "calls", &row);
}

/*
 * Choose the work-items, the group and the turns, once for each vector. False:
 * single results are off by more than OpenCL allows.
 */
static bool call_choose_launch(struct sweep *sweep, size_t w)
{
	struct math_call *call = sweep->context;
	struct session *session = sweep->session;
	struct launch *launch = &sweep->launch;
	const struct items_range range = math_items_to_try(session->options,
		call_default_group(session) * session->units * GROUPS_A_CPU,
		call->type->items[call->math->call_widths[w]],
		call->math->out_bytes /
			(call->chains * call->width * call->type->bytes));
	double begin_s = session_clock_s(session);
	struct group_range groups;

	launch->group = call_default_group(session);
	launch->items = call->items = range.first;
	call_set_arguments(call, launch->kernel, 1);
	launch_once(session, launch, false);
	if (!call_results_are_correct(call, 0)) {
		session_say(session, "rejected",
			"%s: results are %.3g ulp off, where OpenCL allows "
			"%.3g",
			sweep_place(sweep, sweep->x[w]), call->off_ulp,
			call_bound_ulp(call));
		return false;
	}
	call_choose_turns(sweep, &range);
	groups = math_groups_to_try(
		session->options, session->max_group, launch->items);
	if (call->math->calls == SEARCH_UNDECIDED)
		call_decide_search(sweep, &groups);
	if (call->math->calls == SEARCH_GROUPS)
		call_search_group(sweep, &groups);
	call->chosen[w] = *launch;
	call->turns[w] = sweep->turns;
	sweep->once_s += session_clock_s(session) - begin_s;
	return true;
}

/* Time a point, unless single results are wrong. */
static struct timing call_time_point(struct sweep *sweep, size_t w)
{
	struct math_call *call = sweep->context;
	struct session *session = sweep->session;
	struct timing timing = timing_none();
	struct launch *launch = &sweep->launch;
	bool again = call->chosen[w].items > 0;

	call->width = math_width(call->math, true, w);
	call->chains = math_chains(call->width);
	if (again)
		*launch = call->chosen[w];
	launch->kernel =
		math_kernel(call->math, call->program, "calls", call->width);
	if (again) {
		sweep->turns = call->turns[w];
		call_set_arguments(call, launch->kernel, sweep->turns);
	} else if (!call_choose_launch(sweep, w)) {
		return timing;
	}
	timing = launch_time(session, launch);
	call->items = launch->items;
	if (!call_results_are_correct(call, sweep->turns))
		session_wrong(session, "%s: the sum of its results",
			sweep_place(sweep, sweep->x[w]));
	sweep->amount = (double)(launch->items * sweep->turns * call->chains *
				 call->width);
	if (!again && session_ok(session))
		call_record_launch(sweep, call);
	return timing;
}

static void call_measure_function(struct math_state *math,
	struct math_type *type, const struct math_function *function)
{
	struct session *session = math->session;
	size_t mark = session_mark(session);
	struct math_call call = {
		.math = math, .type = type, .function = function};
	struct sweep sweep = math_sweep(math, type, function->name, true);

	sweep.facts.family = session_text(
		session, "%s, row %u of table 1", type->name, function->row);
	sweep.facts.y_name = type->name;
	sweep.facts.y_unit = "Gcalls/s";
	sweep.facts.y_axis = CURVE_RATIOS;
	sweep.time = call_time_point;
	sweep.bound.ceiling = &type->ceilings[ARCH_ADD];
	sweep.bound.ceiling_per_y = ADDITIONS_A_CALL;
	sweep.context = &call;
	sweep.work = 1 / (double)sweep.n;
	call.program = math_build(math, type, function->body, function->low,
		function->span, NULL);
	sweep_run(&sweep, 1);
	session_release(session, mark);
}

void math_calls(struct math_state *math, struct math_type *type)
{
	for (size_t i = 0; i < math_n_functions; i++) {
		if (session_ok(math->session) &&
			math_measures(math, &math_functions[i]))
			call_measure_function(math, type, &math_functions[i]);
	}
}

static void call_compile_function(const struct math_call *call)
{
	struct math_state *math = call->math;
	struct session *session = math->session;
	const struct math_function *function = call->function;
	size_t mark = session_mark(session),
	       group = call_default_group(session);
	cl_program program = math_build(math, call->type, function->body,
		function->low, function->span, NULL);

	for (size_t w = 0; w < math->n_call_widths && session_ok(session);
		w++) {
		const struct launch launch = {
			.kernel = math_kernel(math, program, "calls",
				math_width(math, true, w)),
			.items = group,
			.group = group,
		};

		call_set_arguments(call, launch.kernel, 1);
		launch_once(session, &launch, false);
	}
	session_advance(session, 1);
	session_release(session, mark);
}

void math_compile_calls(struct math_state *math, const struct math_type *type,
	unsigned part, unsigned parts)
{
	for (size_t i = 0; i < math_n_functions; i++) {
		const struct math_call call = {.math = math,
			.type = type,
			.function = &math_functions[i]};

		if (i % parts == part && session_ok(math->session) &&
			math_measures(math, &math_functions[i]))
			call_compile_function(&call);
	}
}
