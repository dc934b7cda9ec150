/*
 * Measure latency and throughput of operations in one core. One work-group runs
 * chains: each operation waits for the previous one. Modelled on cuda-incore of
 * gpu-benches by D. Ernst (https://github.com/te42kyfo/gpu-benches).
 *
 * The test times a kernel of a single group, which runs on one compute unit. A
 * work-item has 1, 2, 4 or 8 chains of fused multiplications and additions,
 * divisions or square roots. On GPUs the group has 1 to 32 sub-groups; on CPUs
 * it has one work-item, whose chains consist of vectors. y is the time of a run
 * divided by its number of operations; an operation of a whole sub-group or
 * vector counts once. With one chain y is the latency; more chains overlap.
 *
 * cuda-incore counts clocks within the kernel. c2c times a launch of at least
 * half a millisecond; a time by the host's clock includes starting the kernel.
 *
 * Biases: the time includes the loop's own instructions and, in eight square
 * roots, one multiplication. A compiler may pack several scalar chains into one
 * vector, which takes as long as one chain.
 */
#include <float.h>
#include <math.h>

#include "cl/memory/incore_cl.h"
#include "cl/sweep.h"
#include "util/size.h"

/*
 * Chains of a work-item: 1, 2, 4, 8; with --fine all from 1 to 8, with --quick
 * 1 and 8.
 */
#define CHAINS	    4
#define MOST_CHAINS 8

/* Vector widths on CPUs: 1, 2, 4, 8, 16. */
#define WIDTHS	   5
#define MOST_WIDTH 16

/* Largest number of sub-groups, and of work-items in a sub-group. */
#define MOST_SUB_GROUPS 32
#define MOST_SUB_GROUP	64

/* Steps of a chain in a turn, number of turns, and shortest time of a run. */
#define STEPS	       8
#define LEAST_TURNS    16
#define MOST_TURNS     65536
#define LEAST_S	       0.5e-3
#define TURNS_ARGUMENT 6

/* Starting values: item g begins with g % STARTS, element k with k % STARTS. */
#define STARTS 4

/* A rate must exceed another by this ratio to count as better. */
#define NEARLY 1.05

enum incore_kind {
	FMA,
	DIV,
	SQRT,
	KINDS
};

/*
 * Constants of odd and even steps. With these, chains neither grow much nor
 * converge: two divisions multiply a number by b / a. ulp is the error of a
 * step of float that OpenCL 1.2, section 7.4, allows; double is rounded
 * correctly. A root halves all earlier errors: together they stay below the
 * errors of two steps.
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

struct incore_chains {
	struct session *session;
	bool is_double;
	const char *type;
	cl_mem in, out;
	size_t sub_group; /* work-items of the group; 1 on CPUs */
	cl_uint turns;
	/* Last value of each chain for each start, after that many turns. */
	double expected[STARTS][MOST_CHAINS];
};

/* A curve: a number of chains, over sub-groups or vectors. */
struct incore_series {
	struct incore_chains *incore;
	enum incore_kind kind;
	unsigned chains;
	cl_kernel kernels[WIDTHS]; /* [index of x]; GPUs have one */
	size_t width;		   /* elements of a vector at this point */
};

static size_t incore_count_chains(const struct session *session)
{
	const struct test_options *options = session->options;

	return options->quick ? 2 : options->fine ? MOST_CHAINS : CHAINS;
}

/* On CPUs the group has one work-item; its vectors may have any width. */
static double incore_start(const void *context, size_t i, double *slack)
{
	(void)context;
	(void)slack;
	return 1 + (double)(i % STARTS) / 8;
}

static double incore_step(const struct incore_chains *incore,
	enum incore_kind kind, double x, bool even)
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

static void incore_expect_chains(
	struct incore_chains *incore, enum incore_kind kind)
{
	for (size_t i = 0; i < STARTS * MOST_CHAINS; i++) {
		double x = incore_start(NULL, i / MOST_CHAINS, NULL) +
			   (double)(i % MOST_CHAINS);

		for (size_t n = 0; n < (size_t)incore->turns * STEPS; n++) {
			/* The factor is a power of two, so this is exact. */
			if (kind == SQRT && n % STEPS == 0)
				x *= kinds[SQRT].c;
			x = incore_step(incore, kind, x, n & 1);
		}
		incore->expected[i / MOST_CHAINS][i % MOST_CHAINS] = x;
	}
}

/* Return the last value of a chain; *slack: the error that OpenCL allows. */
static double incore_expected_number(
	const void *context, size_t i, double *slack)
{
	const struct sweep *sweep = context;
	const struct incore_series *series = sweep->context;
	const struct incore_chains *incore = series->incore;
	size_t each = series->chains * series->width;
	size_t start = i / each + i % series->width;
	double right =
		incore->expected[start % STARTS][i % each / series->width];
	double steps = series->kind == SQRT ? 2 : (double)incore->turns * STEPS;

	if (!incore->is_double)
		*slack = kinds[series->kind].ulp * FLT_EPSILON * steps *
			 fabs(right);
	return right;
}

static void incore_prepare(struct sweep *sweep, size_t i)
{
	struct incore_series *series = sweep->context;
	const struct incore_chains *incore = series->incore;
	bool is_cpu = sweep->session->is_cpu;
	size_t items = is_cpu ? 1 : incore->sub_group * (size_t)sweep->x[i];

	sweep->launch = launch_singly(series->kernels[is_cpu ? i : 0], items);
	sweep->launch.group = items;
	sweep->turns = incore->turns;
	series->width = is_cpu ? (size_t)sweep->x[i] : 1;
	sweep->expected.n = items * series->chains * series->width;
	sweep->amount = (double)incore->turns * STEPS * series->chains *
			(is_cpu ? 1 : sweep->x[i]);
	session_arguments(sweep->session, sweep->launch.kernel, 0,
		memory_argument(incore->in), memory_argument(incore->out),
		number_argument(incore->is_double, kinds[series->kind].a),
		number_argument(incore->is_double, kinds[series->kind].b),
		number_argument(incore->is_double, kinds[series->kind].c),
		number_argument(incore->is_double, kinds[series->kind].d),
		word_argument(incore->turns));
}

static cl_program incore_build(
	struct session *session, const char *type, size_t width)
{
	const char *count =
		width > 1 ? session_text(session, "%zu", width) : "";

	return session_program(session, incore, "-DS=%s -DT=%s%s -DSTARTS=%d%s",
		type, type, count, STARTS,
		session->options->fine ? " -DFINE" : "");
}

static void incore_choose_x(
	const struct incore_chains *incore, struct sweep *sweep)
{
	const struct session *session = incore->session;
	size_t most = session->max_group / incore->sub_group;

	most = session->is_cpu ? MOST_WIDTH : min_size(most, MOST_SUB_GROUPS);
	/* With --quick, only the least and the most. */
	sweep_up_to(sweep, 1, most,
		session->options->quick ? max_size(most, 2) : 2);
}

static struct sweep incore_sweep(struct incore_series *series)
{
	const struct incore_chains *incore = series->incore;
	struct session *session = incore->session;
	struct sweep sweep = {.session = session,
		.facts = {.family = session_text(session, "%s of %s",
				  kinds[series->kind].name, incore->type),
			.member = session_text(session, "%u chain%s",
				series->chains, series->chains > 1 ? "s" : ""),
			.x_name = session->is_cpu ? "vector" : "sub-groups",
			.x_unit = session->is_cpu ? "elements" : NULL,
			.x_axis = CURVE_COUNTS,
			.y_axis = CURVE_RATIOS},
		.shows = SHOWS_STEP,
		.prepare = incore_prepare,
		.expected = {.buffer = incore->out,
			.number = incore_expected_number,
			.is_double = incore->is_double},
		.context = series};

	incore_choose_x(incore, &sweep);
	return sweep;
}

/* Return a time as text: "0.128 ns (0.25 clocks)". */
static const char *incore_ns_text(struct session *session, double ns)
{
	double ghz = clock_median_ghz(session);

	if (isnan(ghz))
		return session_text(session, "%.3g ns", ns);
	return session_text(session, "%.3g ns (%.3g clocks)", ns, ns * ghz);
}

/* A point of a sweep: its index and its time (NaN: no point). */
struct incore_best {
	const struct sweep *sweep;
	size_t at;
	double ns;
};

/*
 * Find the first point whose rate of elements is near the highest. If a wider
 * vector is not faster, the core splits it into two instructions. If more
 * sub-groups are not faster, they only wait.
 */
static struct incore_best incore_find_best(const struct sweep *sweeps, size_t n)
{
	bool is_cpu = sweeps->session->is_cpu;
	struct incore_best best = {sweeps, 0, NAN};
	double most = 0;

	for (size_t i = 0; i < n * sweeps->n; i++) {
		const struct sweep *sweep = &sweeps[i % n];
		size_t at = i / n;
		double ns = sweep_figure(sweep, at).median;
		double rate = (is_cpu ? sweep->x[at] : 1) / ns;

		if (rate > NEARLY * most) {
			most = rate;
			best = (struct incore_best){sweep, at, ns};
		}
	}
	return best;
}

static void incore_conclude(
	const struct incore_chains *incore, const struct sweep *sweeps)
{
	struct session *session = incore->session;
	const struct incore_best best =
		incore_find_best(sweeps, incore_count_chains(session));
	double first = sweep_figure(&sweeps[0], 0).median, alone, elements;

	if (isnan(best.ns) || isnan(first))
		return;
	alone = session->is_cpu ? sweep_figure(&sweeps[0], best.at).median
				: first;
	session_add_finding(session,
		"%s: latency %s; at best one takes %s, with %s, %s, so about "
		"%.2g are in flight",
		sweeps->facts.family, incore_ns_text(session, first),
		incore_ns_text(session, best.ns), best.sweep->facts.member,
		sweep_name_x(best.sweep, best.sweep->x[best.at]),
		alone / best.ns);
	elements = session->is_cpu ? best.sweep->x[best.at]
				   : (double)incore->sub_group;
	elements /= best.ns * clock_median_ghz(session);
	if (!isnan(elements))
		session_add_finding(session,
			"%s: at best %.3g elements per clock and compute unit",
			sweeps->facts.family, elements);
}

static void incore_measure_kind(struct incore_chains *incore,
	const cl_program *programs, enum incore_kind kind)
{
	const struct kernel_loop loop = {
		TURNS_ARGUMENT, LEAST_TURNS, MOST_TURNS, LEAST_S};
	struct session *session = incore->session;
	const struct test_options *options = session->options;
	size_t all = incore_count_chains(session);
	struct incore_series series[MOST_CHAINS];
	struct sweep sweeps[MOST_CHAINS];

	for (size_t n = 0; n < all; n++) {
		series[n] = (struct incore_series){.incore = incore,
			.kind = kind,
			.chains = options->fine		    ? (unsigned)n + 1
				  : options->quick && n > 0 ? MOST_CHAINS
							    : 1u << n};
		sweeps[n] = incore_sweep(&series[n]);
		for (size_t w = 0; w < (session->is_cpu ? sweeps[n].n : 1); w++)
			series[n].kernels[w] = session_kernel(session,
				programs[w],
				session_text(session, "%ss_%u",
					kinds[kind].name, series[n].chains));
	}
	if (session->rc)
		return;
	/* One chain decides the turns for all numbers of chains. */
	incore->turns = LEAST_TURNS;
	incore_prepare(&sweeps[0], 0);
	incore->turns = launch_loop(session, &sweeps[0].launch, &loop);
	incore_expect_chains(incore, kind);
	if (sweep_run(sweeps, all) == 0)
		incore_conclude(incore, sweeps);
}

static void incore_measure_type(struct incore_chains *incore)
{
	struct session *session = incore->session;
	cl_program programs[WIDTHS] = {NULL};
	struct sweep widths = {.session = session};

	incore->type = incore->is_double ? "double" : "float";
	session_fill_numbers(session, incore->in, STARTS * MOST_WIDTH,
		incore->is_double, incore_start, NULL);
	incore_choose_x(incore, &widths);
	for (size_t w = 0; w < (session->is_cpu ? widths.n : 1); w++)
		programs[w] = incore_build(session, incore->type,
			session->is_cpu ? (size_t)widths.x[w] : 1);
	for (size_t kind = 0; kind < KINDS && session_ok(session); kind++)
		incore_measure_kind(incore, programs, (enum incore_kind)kind);
}

/*
 * Return the number of work-items that a GPU runs in lockstep, by its compiler.
 */
static size_t incore_find_sub_group(struct session *session)
{
	cl_kernel kernel;
	size_t multiple = 0;

	if (session->is_cpu)
		return 1;
	kernel = session_kernel(
		session, incore_build(session, "float", 1), "fmas_1");
	if (session->rc ||
		clGetKernelWorkGroupInfo(kernel, session->device,
			CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
			sizeof(multiple), &multiple, NULL) ||
		multiple == 0)
		return 1;
	return min_size(multiple, MOST_SUB_GROUP);
}

static void run_incore(struct session *session)
{
	size_t types = session_has_double(session) ? 2 : 1;
	struct incore_chains incore = {.session = session,
		.sub_group = incore_find_sub_group(session)};
	size_t items;

	items = session->is_cpu ? MOST_WIDTH
				: MOST_SUB_GROUPS * incore.sub_group;
	incore.in = session_buffer(
		session, STARTS * MOST_WIDTH * sizeof(cl_double));
	incore.out = session_buffer(
		session, items * MOST_CHAINS * sizeof(cl_double));
	session->all = (double)(types * KINDS * incore_count_chains(session));
	if (!session->is_cpu)
		session_add_finding(session, "a sub-group has %zu work-items",
			incore.sub_group);
	for (size_t t = 0; t < types && session_ok(session); t++) {
		incore.is_double = t > 0;
		incore_measure_type(&incore);
	}
}

const struct test test_incore = {
	.name = "incore",
	.section = "cuda-incore",
	.source = SOURCE_BENCHES "cuda-incore",
	.published = {"--fine"},
	.set = GROUP_MEMORY,
	.summary = "chains of operations in one core: latency and throughput",
	.takes = TAKES_FINE,
	.figures = {{.what = "latency of fma, float",
		.family = "fma of float",
		.members = {"1 chain"},
		.x = 1}},
	.run = run_incore,
};
