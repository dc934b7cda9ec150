/*
 * Latency and throughput in one core: operations of one work-group, over how
 * many of them wait for the one before and how many do not. After cuda-incore
 * of gpu-benches by D. Ernst (https://github.com/te42kyfo/gpu-benches).
 *
 * The test times a kernel of a single group, which one compute unit runs. A
 * work-item has 1, 2, 4 or 8 chains of fused multiplications and additions,
 * divisions or square roots. On GPUs the group has 1 to 32 sub-groups; on CPUs
 * it has one work-item, whose chains are of vectors. y is the time of a run
 * over all operations, of which each is that of a whole sub-group or vector:
 * the latency where there is one chain, and less where others fill the gaps.
 *
 * cuda-incore counts clocks within the kernel. Here it is the time of a launch,
 * of half a millisecond at least, with the launch where the host's clock
 * counts.
 *
 * Biases: the turns of the loop and, in eight square roots, one multiplication
 * are counted as nothing. A compiler may pack chains of scalars into a vector,
 * which then take no longer than one.
 */
#include <errno.h>
#include <float.h>
#include <math.h>

#include "cl/memory/incore_cl.h"
#include "cl/sweep.h"
#include "cl/tests.h"

/* Chains of a work-item: 1, 2, 4, 8; with --quick the least and the most. */
#define CHAINS	    4
#define MOST_CHAINS 8

/* Vectors of CPUs: 1, 2, 4, 8, 16. */
#define WIDTHS	   5
#define MOST_WIDTH 16

/* Sub-groups of the group, and work-items of a sub-group. */
#define MOST_SUB_GROUPS 32
#define MOST_SUB_GROUP	64

/* Steps of a chain in a turn of the loop; turns, and what a run should take. */
#define STEPS	       8
#define LEAST_TURNS    16
#define MOST_TURNS     65536
#define LEAST_S	       0.5e-3
#define TURNS_ARGUMENT 6

/* Work-item g begins where g % STARTS does, element k where k % STARTS does. */
#define STARTS 4

/* A rate is better than another if it is more than so many times that. */
#define NEARLY 1.05

enum kind {
	FMA,
	DIV,
	SQRT,
	KINDS
};

/*
 * Numbers of odd steps and of even ones, so that chains neither grow much nor
 * come to rest: a pair of divisions leaves b / a of a number. ulp is the error
 * of a step of float where OpenCL 1.2, section 7.4, allows one; double is
 * rounded correctly. A root halves all errors before it, so that no more than
 * two steps' errors are left.
 */
static const struct {
	const char *name;
	double a, b, c, d;
	double ulp;
} kinds[KINDS] = {
	[FMA] = {"fma", 1.001953125, 0.998046875, 0.25, -0.25, 0},
	[DIV] = {"div", 1.001953125, 1.001949310302734375, 0, 0, 3},
	[SQRT] = {"sqrt", 0, 0, 18446744073709551616.0, 0, 4},
};

struct incore {
	struct session *session;
	bool is_double;
	const char *type;
	cl_mem in, out;
	size_t sub_group; /* work-items of one; on CPUs 1 */
	cl_uint turns;
	/* What each chain of each start ends with, after that many turns. */
	double right[STARTS][MOST_CHAINS];
};

/* A number of chains, over sub-groups or vectors. */
struct series {
	struct incore *incore;
	enum kind kind;
	unsigned chains;
	cl_kernel kernels[WIDTHS]; /* by the place in x; of GPUs one */
};

/* How many numbers of chains: with --quick the first and the last. */
static size_t numbers_of_chains(const struct session *session)
{
	return session->options->quick ? 2 : CHAINS;
}

static double start_of(size_t i)
{
	return 1 + (double)(i % STARTS) / 8;
}

static double step(
	const struct incore *incore, enum kind kind, double x, bool even)
{
	double p = even ? kinds[kind].b : kinds[kind].a;
	double q = even ? kinds[kind].d : kinds[kind].c;

	if (kind == FMA)
		return incore->is_double
			       ? fma(x, p, q)
			       : (double)fmaf((float)x, (float)p, (float)q);
	if (kind == DIV)
		return incore->is_double ? p / x
					 : (double)((float)p / (float)x);
	return incore->is_double ? sqrt(x) : (double)sqrtf((float)x);
}

static void compute_right(struct incore *incore, enum kind kind)
{
	for (size_t i = 0; i < STARTS * MOST_CHAINS; i++) {
		double x =
			start_of(i / MOST_CHAINS) + (double)(i % MOST_CHAINS);

		for (size_t n = 0; n < (size_t)incore->turns * STEPS; n++) {
			/* A power of two, which rounds nothing. */
			if (kind == SQRT && n % STEPS == 0)
				x *= kinds[SQRT].c;
			x = step(incore, kind, x, n & 1);
		}
		incore->right[i / MOST_CHAINS][i % MOST_CHAINS] = x;
	}
}

static size_t type_bytes(const struct incore *incore)
{
	return incore->is_double ? sizeof(cl_double) : sizeof(cl_float);
}

static double element(const struct incore *incore, const void *at, size_t i)
{
	return incore->is_double ? ((const double *)at)[i]
				 : (double)((const float *)at)[i];
}

/* How far from right a chain may end, as a share. */
static double slack_of(const struct incore *incore, enum kind kind)
{
	double steps = kind == SQRT ? 2 : (double)incore->turns * STEPS;

	return incore->is_double ? 0 : kinds[kind].ulp * FLT_EPSILON * steps;
}

/* Compare every chain of every element. */
static void check(struct sweep *sweep, double x, struct timing *timing)
{
	const struct series *series = sweep->context;
	const struct incore *incore = series->incore;
	size_t width = sweep->session->is_cpu ? (size_t)x : 1;
	size_t each = series->chains * width, bad = 0;
	size_t n = sweep->launch.items * each, bytes = n * type_bytes(incore);
	double slack = slack_of(incore, series->kind);
	void *out = session_map(sweep->session, incore->out, bytes, false);

	if (!out)
		return;
	for (size_t i = 0; i < n; i++) {
		size_t start = i / each + i % width;
		double right = incore->right[start % STARTS][i % each / width];
		double got = element(incore, out, i);

		bad += !(fabs(got - right) <= slack * fabs(right));
	}
	timing_sum(timing, out, bytes);
	if (session_unmap(sweep->session, incore->out, out) == 0 && bad > 0)
		session_wrong(sweep->session, "%s", sweep_place(sweep, x));
}

static struct argument number(const struct incore *incore, double value)
{
	if (incore->is_double)
		return (struct argument){sizeof(value), .wide = value};
	return (struct argument){sizeof(cl_float), .narrow = (cl_float)value};
}

/* One group, as wide as x says. */
static void prepare(struct sweep *sweep, size_t i)
{
	const struct series *series = sweep->context;
	const struct incore *incore = series->incore;
	bool is_cpu = sweep->session->is_cpu;
	size_t items = is_cpu ? 1 : incore->sub_group * (size_t)sweep->x[i];

	sweep->launch = launch_singly(series->kernels[is_cpu ? i : 0], items);
	sweep->launch.group = items;
	sweep->turns = incore->turns;
	sweep->amount = (double)incore->turns * STEPS * series->chains *
			(is_cpu ? 1 : sweep->x[i]);
	session_arguments(sweep->session, sweep->launch.kernel, 0,
		(struct argument[]){of_memory(incore->in),
			of_memory(incore->out),
			number(incore, kinds[series->kind].a),
			number(incore, kinds[series->kind].b),
			number(incore, kinds[series->kind].c),
			number(incore, kinds[series->kind].d),
			of_word(incore->turns), {0}});
}

static struct timing time_point(struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;
	struct timing timing = launch_time(session, &sweep->launch);

	check(sweep, sweep->x[i], &timing);
	return timing;
}

static void write_starts(const struct incore *incore)
{
	size_t n = STARTS * MOST_WIDTH, bytes = n * type_bytes(incore);
	void *in = session_map(incore->session, incore->in, bytes, true);

	if (!in)
		return;
	for (size_t i = 0; i < n; i++) {
		/* A CPU has one work-item, with vectors of any width. */
		double value = start_of(i);

		if (incore->is_double)
			((double *)in)[i] = value;
		else
			((float *)in)[i] = (float)value;
	}
	session_unmap(incore->session, incore->in, in);
}

/* The kernels of all chains and kinds for vectors of that width. */
static cl_program build(struct session *session, const char *type, size_t width)
{
	const char *count =
		width > 1 ? session_text(session, "%zu", width) : "";

	return session_build(session, "incore.cl", incore_cl,
		session_text(session, "-DS=%s -DT=%s%s -DSTARTS=%d", type, type,
			count, STARTS));
}

static void choose_x(const struct incore *incore, struct sweep *sweep)
{
	const struct session *session = incore->session;
	size_t most = session->max_group / incore->sub_group;

	if (most > MOST_SUB_GROUPS)
		most = MOST_SUB_GROUPS;
	if (session->is_cpu)
		most = MOST_WIDTH;
	sweep_up_to(sweep, 1, most, session->options->quick ? most : 2);
	/* With --quick the first one and the last. */
	if (most == 1)
		sweep->n = 1;
}

static struct sweep sweep_of(struct series *series)
{
	const struct incore *incore = series->incore;
	struct session *session = incore->session;
	const char *family = session_text(
		session, "%s of %s", kinds[series->kind].name, incore->type);
	const char *member = session_text(session, "%u chain%s", series->chains,
		series->chains > 1 ? "s" : "");
	struct sweep sweep = {.session = session,
		.name = session_text(session, "%s, %s", family, member),
		.is = {.family = family,
			.member = member,
			.x_name = session->is_cpu ? "vector" : "sub-groups",
			.x_unit = session->is_cpu ? "elements" : NULL,
			.x_axis = CURVE_COUNTS,
			.y_axis = CURVE_RATIOS,
			.drawn = CURVE_ROW,
			.place =
				series->kind == FMA ? CURVE_MAIN : CURVE_DETAIL,
			.part = (unsigned)series->kind},
		.shows = SHOWS_STEP,
		.prepare = prepare,
		.time = time_point,
		.context = series};

	choose_x(incore, &sweep);
	return sweep;
}

/* "0.128 ns (0.25 clocks)" */
static const char *say_ns(struct session *session, double ns)
{
	double ghz = clock_median_ghz(session);

	if (isnan(ghz))
		return session_text(session, "%.3g ns", ns);
	return session_text(session, "%.3g ns (%.3g clocks)", ns, ns * ghz);
}

/* "8 chains in each of 32 sub-groups", "8 chains of vectors of 16" */
static const char *say_point(const struct sweep *sweep, size_t i)
{
	struct session *session = sweep->session;

	if (session->is_cpu)
		return session_text(session, "%s of vectors of %.0f",
			sweep->is.member, sweep->x[i]);
	return session_text(session, "%s in each of %.0f sub-groups",
		sweep->is.member, sweep->x[i]);
}

/* A point: the sweep, its place in it, and its time; NaN: there is none. */
struct best {
	const struct sweep *sweep;
	size_t at;
	double ns;
};

/*
 * That with the most elements a second, or nearly: a wider vector with no more
 * is two instructions, and more sub-groups with no more only wait.
 */
static struct best find_best(const struct sweep *sweeps, size_t n)
{
	bool is_cpu = sweeps->session->is_cpu;
	struct best best = {sweeps, 0, NAN};
	double most = 0;

	for (size_t i = 0; i < n * sweeps->n; i++) {
		const struct sweep *sweep = &sweeps[i % n];
		size_t at = i / n;
		double ns = sweep_figure(sweep, at).median;
		double rate = (is_cpu ? sweep->x[at] : 1) / ns;

		if (rate > NEARLY * most) {
			most = rate;
			best = (struct best){sweep, at, ns};
		}
	}
	return best;
}

/* The latency, the least time, and how many operations that takes. */
static void conclude(const struct incore *incore, const struct sweep *sweeps)
{
	struct session *session = incore->session;
	const struct best best = find_best(sweeps, numbers_of_chains(session));
	double first = sweep_figure(&sweeps[0], 0).median, alone, elements;

	if (isnan(best.ns) || isnan(first))
		return;
	alone = session->is_cpu ? sweep_figure(&sweeps[0], best.at).median
				: first;
	session_find(session,
		"%s: %s if it waits for the one before; at best %s, with %s, "
		"so about %.2g are under way at a time",
		sweeps->is.family, say_ns(session, first),
		say_ns(session, best.ns), say_point(best.sweep, best.at),
		alone / best.ns);
	elements = session->is_cpu ? best.sweep->x[best.at]
				   : (double)incore->sub_group;
	elements /= best.ns * clock_median_ghz(session);
	if (!isnan(elements))
		session_find(session,
			"%s: at best %.3g elements a clock of a compute unit",
			sweeps->is.family, elements);
}

static void make_kernels(struct series *series, const cl_program *programs,
	size_t n, enum kind kind)
{
	struct session *session = series->incore->session;

	series->kind = kind;
	for (size_t w = 0; w < n; w++)
		series->kernels[w] = session_kernel(session, programs[w],
			session_text(session, "%ss_%u", kinds[kind].name,
				series->chains));
}

/* One chain decides how often all turn. */
static void choose_turns(struct incore *incore, struct sweep *sweep)
{
	const struct loop loop = {
		TURNS_ARGUMENT, LEAST_TURNS, MOST_TURNS, LEAST_S};

	incore->turns = LEAST_TURNS;
	prepare(sweep, 0);
	incore->turns = launch_loop(incore->session, &sweep->launch, &loop);
}

static void measure_kind(
	struct incore *incore, const cl_program *programs, enum kind kind)
{
	static const unsigned chains[CHAINS] = {1, 2, 4, MOST_CHAINS};
	struct session *session = incore->session;
	size_t step = (CHAINS - 1) / (numbers_of_chains(session) - 1), n = 0;
	struct series series[CHAINS];
	struct sweep sweeps[CHAINS];

	for (size_t k = 0; k < CHAINS; k += step, n++) {
		series[n] = (struct series){
			.incore = incore, .kind = kind, .chains = chains[k]};
		sweeps[n] = sweep_of(&series[n]);
		make_kernels(&series[n], programs,
			session->is_cpu ? sweeps[n].n : 1, kind);
	}
	if (session->rc)
		return;
	choose_turns(incore, &sweeps[0]);
	compute_right(incore, kind);
	if (sweep_run(sweeps, n) == 0)
		conclude(incore, sweeps);
}

static void measure_type(struct incore *incore)
{
	struct session *session = incore->session;
	cl_program programs[WIDTHS] = {NULL};
	struct sweep widths = {.session = session};

	incore->type = incore->is_double ? "double" : "float";
	write_starts(incore);
	choose_x(incore, &widths);
	for (size_t w = 0; w < (session->is_cpu ? widths.n : 1); w++)
		programs[w] = build(session, incore->type,
			session->is_cpu ? (size_t)widths.x[w] : 1);
	for (size_t kind = 0; kind < KINDS && session_ok(session); kind++)
		measure_kind(incore, programs, (enum kind)kind);
}

/* How many work-items a GPU runs in lockstep, as its compiler says. */
static size_t find_sub_group(struct session *session)
{
	cl_kernel kernel;
	size_t multiple = 0;

	if (session->is_cpu)
		return 1;
	kernel = session_kernel(session, build(session, "float", 1), "fmas_1");
	if (session->rc ||
		clGetKernelWorkGroupInfo(kernel, session->device,
			CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
			sizeof(multiple), &multiple, NULL) ||
		multiple == 0)
		return 1;
	return multiple < MOST_SUB_GROUP ? multiple : MOST_SUB_GROUP;
}

static void run_incore(struct session *session)
{
	size_t types = session_has_double(session) ? 2 : 1;
	struct incore incore = {
		.session = session, .sub_group = find_sub_group(session)};
	struct sweep points = {.session = session};
	size_t items;

	choose_x(&incore, &points);
	items = session->is_cpu ? MOST_WIDTH
				: MOST_SUB_GROUPS * incore.sub_group;
	incore.in = session_buffer(
		session, STARTS * MOST_WIDTH * sizeof(cl_double));
	incore.out = session_buffer(
		session, items * MOST_CHAINS * sizeof(cl_double));
	session->all =
		(double)(types * KINDS * numbers_of_chains(session) * points.n);
	if (!session->is_cpu)
		session_find(session, "a sub-group is of %zu work-items",
			incore.sub_group);
	for (size_t t = 0; t < types && session_ok(session); t++) {
		incore.is_double = t > 0;
		measure_type(&incore);
	}
}

const struct test test_incore = {
	.name = "incore",
	.section = "cuda-incore",
	.set = GROUP_MEMORY,
	.summary = "chains of operations in one core: latency and throughput",
	.figures = {{.what = "fma that waits, of float",
		.family = "fma of float",
		.members = {"1 chain"},
		.x = 1}},
	.run = run_incore,
};
