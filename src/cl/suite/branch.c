/*
 * Work-items that take different paths (section 2.4, table 3).
 *
 * Timed is a kernel of which each work-item takes one of 1, 4, 16 or 32 paths
 * of equal cost. A device that runs neighbouring work-items in lockstep takes
 * all paths one after the other when neighbours differ; one that runs them by
 * themselves takes the same time whatever the number of paths. The second
 * curve tells that apart from the mere size of the kernel: the same kernel with
 * the same paths, but 256 neighbours agree, which is more than any device runs
 * in lockstep.
 *
 * The paper's kernel divides by its own remainder, and so by zero, which some
 * CPUs trap; its paths are all the same, which compilers now find out. Those
 * of branch.cl do neither. Its work-items and groups are kept; how often the
 * loop turns is chosen, since a GPU of today is done in microseconds.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "cl/curves.h"
#include "cl/sizes.h"
#include "cl/suite/branch_cl.h"
#include "cl/tests.h"
#include "cl/verdict.h"

#define ITEMS 32768
#define GROUP 32

/* The paper's repetitions; more, until one path takes so long. */
#define TURNS	   128
#define MOST_TURNS 16384
#define LEAST_S	   1e-3

/* Neighbours that agree, as a power of two. */
#define AGREE_SHIFT 8

#define STEPS 5
#define A     2654435761u
#define B     2246822519u

/* The host computes so many turns for a point again, not more. */
#define MOST_CHECKED ((size_t)ITEMS * TURNS)

#define N_PATHS 4

static const unsigned path_counts[N_PATHS] = {1, 4, 16, 32};

static const cl_uint shifts[2] = {0, AGREE_SHIFT};

static const char *const shift_names[2] = {
	"neighbours differ", "256 neighbours agree"};

struct branch {
	struct cl_session *session;
	cl_mem out;
	size_t items, group;
	cl_uint turns;
	size_t at[2]; /* curves of times */
};

/* What a work-item computes. */
static cl_uint expected(
	const struct branch *branch, unsigned paths, cl_uint shift, cl_uint g)
{
	cl_uint which = (g >> shift) % paths, x = g;

	for (cl_uint i = 0; i < branch->turns; i++) {
		for (unsigned j = 0; j < STEPS; j++) {
			x = which >> j & 1 ? (x ^ B) * A : (x * A) ^ B;
			x = x << 7 | x >> 25;
		}
	}
	return x;
}

static int check(const struct branch *branch, unsigned paths, cl_uint shift,
	struct cl_timing *timing, struct error *err)
{
	/* An odd step meets every path. */
	size_t step = (branch->items * branch->turns / MOST_CHECKED) | 1;
	cl_uint sum = 0;
	bool same = true;
	void *out;
	int rc = session_map(branch->session, branch->out,
		branch->items * sizeof(cl_uint), false, &out, err);

	if (rc < 0)
		return rc;
	for (size_t g = 0; g < branch->items && same; g += step) {
		cl_uint x = expected(branch, paths, shift, (cl_uint)g);

		same = ((const cl_uint *)out)[g] == x;
		sum += x;
	}
	timing->checksum = sum;
	rc = session_unmap(branch->session, branch->out, out, err);
	if (rc == 0 && !same)
		rc = error_set(err, ERROR_FAILURE, EIO,
			"what the kernel computes with %u paths is not "
			"what the host computes: this implementation of OpenCL "
			"computes wrongly, and its times mean nothing",
			paths);
	return rc;
}

static int set_arguments(const struct branch *branch, cl_kernel kernel,
	cl_uint shift, struct error *err)
{
	const cl_uint values[] = {A, B, branch->turns, shift};
	int rc = session_argument(kernel, 0, sizeof(cl_mem), &branch->out, err);

	for (cl_uint i = 0; i < 4 && rc == 0; i++)
		rc = session_argument(
			kernel, 1 + i, sizeof(values[i]), &values[i], err);
	return rc;
}

/* As many turns as make one path last. */
static int choose_turns(
	struct branch *branch, cl_kernel kernel, struct error *err)
{
	double s = 0;
	int rc = 0;

	branch->turns = TURNS / 2;
	/* The first run is the compiler's. */
	for (int run = 0; rc == 0 && s < LEAST_S && branch->turns < MOST_TURNS;
		run++) {
		branch->turns *= run == 0 ? 1 : 2;
		rc = set_arguments(branch, kernel, 0, err);
		if (rc == 0)
			rc = session_time_once(branch->session,
				branch->session->queue, kernel, branch->items,
				branch->group, false, &s, err);
		if (run == 0)
			s = 0;
	}
	return rc;
}

/* One number of paths, both curves. */
static int measure_paths(struct branch *branch, size_t i, struct error *err)
{
	struct cl_session *session = branch->session;
	unsigned paths = path_counts[i];
	cl_program program = NULL;
	cl_kernel kernel = NULL;
	char flags[32];
	int rc;

	snprintf(flags, sizeof(flags), "-DPATHS=%u", paths);
	rc = session_build(
		session, "branch.cl", branch_cl, flags, &program, err);
	if (rc == 0)
		rc = session_kernel(program, "branch", &kernel, err);
	if (rc == 0 && !branch->turns)
		rc = choose_turns(branch, kernel, err);
	for (size_t k = 0; k < 2 && rc == 0; k++) {
		struct cl_timing timing;

		rc = set_arguments(branch, kernel, shifts[k], err);
		if (rc == 0)
			rc = session_time(session, kernel, branch->items,
				branch->group, &timing, err);
		if (rc == 0)
			rc = check(branch, paths, shifts[k], &timing, err);
		if (rc == 0)
			curve_put_time(
				session, branch->at[k], i, paths, &timing);
		session_progress(
			session, (double)(2 * i + k + 1) / (2.0 * N_PATHS));
	}
	if (kernel)
		clReleaseKernel(kernel);
	if (program)
		clReleaseProgram(program);
	return rc;
}

static struct figure time_of(const struct branch *branch, size_t k, size_t i)
{
	return curve_figure(branch->session, branch->at[k], i);
}

/* Times over that of one path, which is how the paper reads its table. */
static int derive(const struct branch *branch, struct error *err)
{
	static const struct curve_facts facts = {
		.family = "time over one path's",
		.x_name = "paths",
		.x_unit = "number",
		.y_unit = "times",
	};
	int rc = 0;

	for (size_t k = 0; k < 2 && rc == 0; k++) {
		size_t at;

		rc = curve_add(branch->session, shift_names[k], &facts, N_PATHS,
			&at, err);
		for (size_t i = 0; i < N_PATHS && rc == 0; i++) {
			double one = time_of(branch, k, 0).median;

			curve_place(branch->session, at, i, path_counts[i]);
			curve_at(branch->session, at)->median[i] =
				time_of(branch, k, i).median / one;
		}
	}
	return rc;
}

static int conclude(const struct branch *branch, struct error *err)
{
	static const char *const verdicts[] = {
		[PATHS_UNKNOWN] = "what divergent paths cost cannot be told",
		[PATHS_FREE] = "divergent paths cost nothing here",
		[PATHS_IN_PART] = "some divergent paths run in turn",
		[PATHS_IN_TURN] = "divergent paths run one after the other",
	};
	const size_t last = N_PATHS - 1;
	const struct figure differ = time_of(branch, 0, last);
	const struct figure agree = time_of(branch, 1, last);
	const struct figure ratio = figure_over(differ, agree);
	char text[FIGURE_BYTES], other[FIGURE_BYTES];
	char group[24] = "the best size";
	int rc;

	rc = curve_finding(branch->session, err,
		"32 paths, neighbours that differ against such that agree: %s; "
		"%s",
		figure_times(ratio, "long", text),
		verdicts[judge_paths(ratio, path_counts[last])]);
	if (rc == 0)
		rc = curve_finding(branch->session, err,
			"32 paths against one: where neighbours differ %s, "
			"where 256 agree %s",
			figure_times(figure_over(differ, time_of(branch, 0, 0)),
				"long", text),
			figure_times(figure_over(agree, time_of(branch, 1, 0)),
				"long", other));
	if (!branch->session->options->sweep_groups)
		snprintf(group, sizeof(group), "%zu", branch->group);
	if (rc == 0)
		rc = curve_finding(branch->session, err,
			"%zu work-items in groups of %s, %u turns of a path "
			"each",
			branch->items, group, branch->turns);
	return rc;
}

static size_t items_of(const struct cl_options *options)
{
	return options->work_items ? options->work_items : ITEMS;
}

static size_t group_of(const struct cl_options *options)
{
	return options->work_group ? options->work_group : GROUP;
}

static int check_options(const struct cl_options *options, struct error *err)
{
	return check_groups(options, items_of(options), group_of(options), err);
}

static int run_branch(struct cl_session *session, struct error *err)
{
	static const struct curve_facts facts = {
		.family = "time",
		.x_name = "paths",
		.x_unit = "number",
		.y_unit = "ms",
		.place = CURVE_DETAIL,
	};
	struct branch branch = {
		.session = session,
		.items = items_of(session->options),
		.group = group_of(session->options),
	};
	int rc;

	/* A smaller one than the user's, if the device takes no such group. */
	while (branch.group > session->max_group || branch.items % branch.group)
		branch.group--;
	rc = session_buffer(
		session, branch.items * sizeof(cl_uint), &branch.out, err);
	for (size_t k = 0; k < 2 && rc == 0; k++) {
		rc = curve_add(session, shift_names[k], &facts, N_PATHS,
			&branch.at[k], err);
		for (size_t i = 0; i < N_PATHS && rc == 0; i++)
			curve_place(session, branch.at[k], i, path_counts[i]);
	}
	for (size_t i = 0; i < N_PATHS && rc == 0; i++)
		rc = measure_paths(&branch, i, err);
	if (rc == 0)
		rc = derive(&branch, err);
	if (rc == 0)
		rc = conclude(&branch, err);
	if (branch.out)
		clReleaseMemObject(branch.out);
	return rc;
}

const struct cl_test cl_test_branch = {
	.name = "branch",
	.section = "2.4",
	.summary = "Work-items that take one of 1 to 32 paths",
	.takes = CL_TAKES_WORK_ITEMS | CL_TAKES_WORK_GROUP | CL_TAKES_SWEEP,
	.memory_by = CL_TAKES_WORK_ITEMS,
	.check = check_options,
	.run = run_branch,
};
