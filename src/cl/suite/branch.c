/*
 * Measure work-items that take different paths (section 2.4, table 3).
 *
 * The test times a kernel whose work-items each take one of 1, 4, 16 or 32
 * paths of equal cost. If neighbours take different paths, a device that runs
 * them in lockstep runs all paths one after the other. A device that runs each
 * work-item alone takes the same time for any number of paths. In the second
 * curve 256 neighbours take the same path, more than any device runs in
 * lockstep. The second curve shows that the size of the kernel is not the
 * cause.
 *
 * The paper's kernel divides by its own remainder. The remainder can be zero,
 * which traps on some CPUs. All its paths are the same, which compilers now
 * detect. The paths of branch.cl avoid both problems. Today's GPUs run the
 * paper's turns in microseconds, so the test chooses the number of turns.
 */
#include "cl/suite/branch_cl.h"
#include "cl/sweep.h"

#define ITEMS 32768
#define GROUP 32

/* Turns in the paper; the test adds turns until one path takes long enough. */
#define TURNS	   128
#define MOST_TURNS 16384

/* log2 of the number of neighbours with the same path. */
#define AGREE_SHIFT 8

#define STEPS 5
#define A     2654435761u
#define B     2246822519u

/* Largest number of turns of a point that the host computes again. */
#define MOST_CHECKED ((size_t)ITEMS * TURNS)

#define MOST_POINTS 4

/* Numbers of paths, without --quick and with it. */
static const unsigned all_paths[MOST_POINTS] = {1, 4, 16, 32};
static const unsigned quick_paths[] = {1, 32};

struct branch_kernels {
	const unsigned *counts;
	size_t n; /* number of counts */
	cl_kernel kernels[MOST_POINTS];
	cl_mem out;
	cl_uint shift, paths;
};

static cl_uint branch_expected_word(const void *context, size_t g)
{
	const struct sweep *sweep = context;
	const struct branch_kernels *branch = sweep->context;
	cl_uint which = ((cl_uint)g >> branch->shift) % branch->paths;
	cl_uint x = (cl_uint)g;

	for (cl_uint i = 0; i < sweep->turns; i++) {
		for (unsigned j = 0; j < STEPS; j++) {
			x = which >> j & 1 ? (x ^ B) * A : (x * A) ^ B;
			x = x << 7 | x >> 25;
		}
	}
	return x;
}

static void branch_prepare(struct sweep *sweep, size_t i)
{
	struct branch_kernels *branch = sweep->context;

	branch->paths = branch->counts[i];
	sweep->launch.kernel = branch->kernels[i];
	session_arguments(sweep->session, sweep->launch.kernel, 0,
		memory_argument(branch->out), word_argument(A),
		word_argument(B), word_argument(sweep->turns),
		word_argument(branch->shift));
}

/* Add the ratio of times to the time of one path, as in the paper's table. */
static void branch_derive(const struct sweep *sweep)
{
	struct curve *curve = sweep_derive(sweep, sweep->facts.member,
		"time over one path's", "times", CURVE_RATIOS);

	for (size_t i = 0; i < sweep->n && curve; i++)
		curve->median[i] = sweep_figure(sweep, i).median /
				   sweep_figure(sweep, 0).median;
}

static void branch_conclude(const struct sweep sweeps[2])
{
	static const char *const verdicts[] = {
		[PATHS_UNKNOWN] = "the cost of divergent paths is unknown",
		[PATHS_FREE] = "divergent paths take no extra time here",
		[PATHS_IN_PART] = "some divergent paths are serialized",
		[PATHS_IN_TURN] = "divergent paths are serialized",
	};
	struct session *session = sweeps->session;
	size_t last = sweeps->n - 1;
	const struct median_interval ratio = figure_over(
		sweep_figure(&sweeps[0], last), sweep_figure(&sweeps[1], last));
	const char *group = "the best size";

	session_add_finding(session, "%s",
		verdicts[judge_paths(ratio, (unsigned)sweeps->x[last])]);
	sweep_compare(&sweeps[0], last, &sweeps[1], last);
	sweep_compare(&sweeps[0], last, &sweeps[0], 0);
	sweep_compare(&sweeps[1], last, &sweeps[1], 0);
	if (!session->options->sweep_groups)
		group = session_text(session, "%zu", sweeps->launch.group);
	session_add_finding(session,
		"%zu work-items in groups of %s, each runs its path %u times",
		sweeps->launch.items, group, sweeps->turns);
}

static void branch_build(struct session *session, struct branch_kernels *branch)
{
	branch->counts = session->options->quick ? quick_paths : all_paths;
	branch->n = session->options->quick ? N_OF(quick_paths) : MOST_POINTS;
	for (size_t i = 0; i < branch->n; i++) {
		const char *flags =
			session_text(session, "-DPATHS=%u", branch->counts[i]);

		branch->kernels[i] = session_kernel(session,
			session_build(session, "branch.cl", branch_cl, flags),
			"branch");
	}
}

static void run_branch(struct session *session)
{
	static const char *const names[2] = {
		"neighbours differ", "256 neighbours agree"};
	uint64_t chosen = session->options->work_group;
	struct launch launch = {.items = session_items(session, ITEMS),
		.group = chosen ? (size_t)chosen : GROUP};
	struct branch_kernels branches[2] = {0};
	struct sweep sweeps[2];

	/* Take a smaller group if the device does not allow the user's. */
	while (launch.group > session->max_group || launch.items % launch.group)
		launch.group--;
	branches[0].out =
		session_buffer(session, launch.items * sizeof(cl_uint));
	branch_build(session, &branches[0]);
	branches[1] = branches[0];
	branches[1].shift = AGREE_SHIFT;
	for (size_t k = 0; k < 2; k++) {
		sweeps[k] = (struct sweep){.session = session,
			.name = names[k],
			.facts = {.family = "time",
				.member = names[k],
				.x_name = "paths"},
			.shows = SHOWS_TIME,
			.prepare = branch_prepare,
			.launch = launch,
			.expected = {.buffer = branches[k].out,
				.n = launch.items,
				.at = branch_expected_word},
			.context = &branches[k]};
		sweep_over(&sweeps[k], branches[k].counts, branches[k].n);
	}
	if (session->rc)
		return;
	/* The time of one path decides the turns for all numbers of paths. */
	branch_prepare(sweeps, 0);
	sweeps[0].turns = launch_loop(session, &sweeps->launch,
		&(struct kernel_loop){3, TURNS, MOST_TURNS, SWEEP_LEAST_S});
	sweeps[1].turns = sweeps[0].turns;
	for (size_t k = 0; k < 2; k++) {
		/* An odd step makes the check reach every path. */
		sweeps[k].expected.step =
			(launch.items * sweeps[k].turns / MOST_CHECKED) | 1;
	}
	session->all = 2;
	if (sweep_run(sweeps, 2) < 0)
		return;
	branch_derive(&sweeps[0]);
	branch_derive(&sweeps[1]);
	branch_conclude(sweeps);
}

const struct test test_branch = {
	.name = "branch",
	.section = "2.4",
	.source = SOURCE_SUITE "2.4, table 3",
	.published = {"--work-items=32768", "--work-group=32"},
	.summary = "work-items that diverge",
	.takes = TAKES_WORK_ITEMS | TAKES_WORK_GROUP | TAKES_SWEEP,
	.memory_by = TAKES_WORK_ITEMS,
	.items = ITEMS,
	.group = GROUP,
	.figures = {{.what = "time of 32 paths over one",
		.family = "time over one path's",
		.members = {"neighbours differ"},
		.x = 32}},
	.run = run_branch,
};
