/*
 * The placements of c2c try: unbound, one CPU, random CPUs, CPUs chosen by
 * latency, NUMA nodes, and CPUs that the user names.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/nearest.h"
#include "analyze/placement.h"
#include "cmd/latencies.h"
#include "cmd/placement_gain.h"
#include "cmd/try/cmd_try.h"
#include "machine/timebase.h"
#include "util/array.h"

/* Seconds of the latency measurement before each block. */
#define LATENCY_BUDGET_S "2"

static struct tried_placement *add_placement(struct try_task *task,
	const char *name, enum trial_choice choice, size_t n_cpus)
{
	struct program_trial *trial = &task->trial;
	struct tried_placement *placement;

	trial->placements = arena_grow(task->arena, trial->placements,
		trial->n_placements, sizeof(*trial->placements));
	placement = &trial->placements[trial->n_placements++];
	*placement = (struct tried_placement){
		.name = arena_strdup(task->arena, name),
		.choice = choice,
		.n_cpus = n_cpus,
	};
	return placement;
}

/*
 * Add a placement, unless the user named neither it nor an earlier placement on
 * the same CPUs.
 */
static void add_with_cpus(struct try_task *task, const char *name,
	enum trial_choice choice, const struct cpu_list *cpus)
{
	struct program_trial *trial = &task->trial;
	struct cpu_list copy = {arena_copy(task->arena, cpus->cpus, cpus->n,
					sizeof(*cpus->cpus)),
		cpus->n};

	/* Keep the user's order of CPUs, for the threads of --each. */
	if (choice != TRIAL_NAMED)
		cpu_list_sort(&copy);
	for (size_t k = 0; k < trial->n_placements; k++) {
		const struct tried_placement *other = &trial->placements[k];

		if (choice != TRIAL_NAMED && other->choice != TRIAL_NAMED &&
			cpu_list_same(&other->cpus, &copy))
			return;
	}
	add_placement(task, name, choice, copy.n)->cpus = copy;
}

/* Add a placement on the CPUs in rows of the latencies; NULL: none. */
static void add_measured(struct try_task *task, const char *name,
	enum trial_choice choice, const size_t *rows)
{
	size_t n = task->trial.threads;
	struct cpu_list cpus = {
		arena_alloc(task->arena, n, sizeof(*cpus.cpus)), n};

	if (!rows)
		return;
	for (size_t i = 0; i < n; i++)
		cpus.cpus[i] = task->latencies.cpus.cpus[rows[i]];
	add_with_cpus(task, name, choice, &cpus);
}

static int load_from(struct try_task *task, struct error *err)
{
	const char *path = task->arguments->from;
	const struct cpu_list *cpus = &task->latencies.cpus;
	int rc = latencies_load(path, &task->latencies, err);

	task->has_latencies = rc == 0;
	for (size_t i = 0; rc == 0 && i < cpus->n; i++) {
		if (cpu_list_find(task->allowed, cpus->cpus[i]) < 0)
			rc = error_set(err, ERROR_USAGE, EINVAL,
				"'%s' has CPU %u, which c2c may not use here: "
				"is the record from another machine?",
				path, cpus->cpus[i]);
	}
	if (rc < 0)
		error_prefix(err, "--from");
	return rc;
}

static int measure_latencies(
	struct try_task *task, struct result *result, struct error *err)
{
	char *list = arena_adopt(task->arena,
		cpu_list_format(task->has_latencies ? &task->latencies.cpus
						    : task->allowed));
	char *arguments[] = {arena_format(task->arena, "--cpus=%s", list),
		"--budget=" LATENCY_BUDGET_S, NULL};

	return latencies_measure(arguments, result, err);
}

/*
 * Return whether the near CPUs are still near in this matrix. The logarithm of
 * (median of their pairs / median of all pairs) must keep half of its value.
 */
static bool are_still_near(
	const struct try_task *task, const struct matrix *matrix)
{
	const struct matrix *before = nearest_matrix(&task->latencies);
	size_t n = task->trial.threads;
	double was = nearest_median(before, task->near_rows, n, task->arena);
	double all = nearest_median(before, NULL, before->n, task->arena);
	double now = nearest_median(matrix, task->near_rows, n, task->arena);
	double all_now = nearest_median(matrix, NULL, matrix->n, task->arena);

	return now / all_now < sqrt(was / all);
}

static void add_by_levels(struct try_task *task)
{
	const struct analysis *analysis = &task->analysis;
	size_t n = analysis->n_levels;
	struct placement_level *levels =
		arena_alloc(task->arena, n, sizeof(*levels));
	const struct analysis_level **from =
		arena_alloc(task->arena, n, sizeof(void *));
	struct placement_request request = {
		.n = task->latencies.cpus.n,
		.levels = levels,
		.n_levels = placement_list_levels(analysis, levels, from),
		.threads = task->trial.threads,
	};

	for (size_t k = 0; k < request.n_levels; k++) {
		const char *kind = analysis_kinds[from[k]->kind];

		request.level = k;
		for (int spread = 0; spread < 2; spread++) {
			request.spread = spread;
			add_measured(task,
				arena_format(task->arena, "%s %s",
					spread ? "spread" : "packed", kind),
				spread ? TRIAL_SPREAD : TRIAL_PACKED,
				placement_find(&request, task->arena));
		}
	}
}

/* Add placements near, far and by levels, unless no CPUs are near. */
static int add_by_latency(struct try_task *task, struct error *err)
{
	const char *name =
		task->arguments->from ? task->arguments->from : "this machine";
	const struct result *result = &task->latencies;
	size_t n = result->cpus.n, threads = task->trial.threads;
	const struct matrix *matrix = nearest_matrix(result);
	const struct matrix *rested =
		result_find_matrix(result, matrix->name, "after_rest");
	double *values = nearest_values(result, task->arena);
	size_t *near =
		placement_nearest(values, n, false, NULL, threads, task->arena);
	double inside = nearest_median(matrix, near, threads, task->arena);
	double all = nearest_median(matrix, NULL, n, task->arena);
	int rc;

	if (!(inside * PLACEMENT_NEARER < all)) {
		task->lost = "No CPUs are nearer to each other than the median "
			     "pair.";
		return 0;
	}
	task->near_rows = near;
	if (rested && !are_still_near(task, rested)) {
		task->trial.nearness_lasted = 0;
		task->lost = "The near CPUs did not stay near while they "
			     "slept for a second. Binding by nearness cannot "
			     "help here.";
		return 0;
	}
	rc = analysis_make(result, &name, 1, &task->analysis, err);
	if (rc < 0)
		return rc;
	task->has_analysis = true;
	add_measured(task, "near", TRIAL_NEAR, near);
	add_by_levels(task);
	add_measured(task, "far", TRIAL_FAR,
		placement_nearest(values, n, true, NULL, threads, task->arena));
	return 0;
}

/* Add a placement that the user named: NAME=LIST. */
static int add_named(struct try_task *task, const char *text, struct error *err)
{
	const char *list = strchr(text, '=') + 1;
	char *name =
		arena_format(task->arena, "%.*s", (int)(list - 1 - text), text);
	struct cpu_list cpus = {NULL, 0};
	int rc =
		machine_select(task->machine, list, MACHINE_PER_PU, &cpus, err);

	if (rc < 0)
		error_prefix(err, "--cpus: %s", name);
	else
		add_with_cpus(task, name, TRIAL_NAMED, &cpus);
	cpu_list_release(&cpus);
	return rc;
}

/*
 * If the CPUs of a CPU's NUMA node suffice for the threads, add them twice:
 * with unbound memory, and with memory bound to the node.
 */
static void add_node(struct try_task *task, unsigned cpu)
{
	const struct machine *machine = task->machine;
	int own = machine_own_node_of(machine, cpu);
	int memory = machine_node_of(machine, cpu);
	unsigned *nodes = arena_alloc(task->arena, 1, sizeof(*nodes));
	struct cpu_list cpus = {
		arena_alloc(task->arena, task->allowed->n, sizeof(*cpus.cpus)),
		0};
	struct tried_placement *bound;
	char *name;

	for (size_t i = 0; i < task->allowed->n; i++) {
		if (machine_own_node_of(machine, task->allowed->cpus[i]) == own)
			cpus.cpus[cpus.n++] = task->allowed->cpus[i];
	}
	if (machine_facts(machine)->memory_nodes.n < 2 || own < 0 ||
		memory < 0 || cpus.n < task->trial.threads ||
		cpus.n == task->allowed->n)
		return;
	name = arena_format(task->arena, "node %d", own);
	nodes[0] = (unsigned)memory;
	add_with_cpus(task, name, TRIAL_NODE, &cpus);
	bound = add_placement(task,
		arena_format(task->arena, "%s + memory", name), TRIAL_NODE,
		cpus.n);
	bound->cpus = cpus;
	bound->memory_nodes = (struct cpu_list){nodes, 1};
}

int try_placements_begin(struct try_task *task, struct error *err)
{
	const struct try_arguments *arguments = task->arguments;
	int rc = 0;

	add_placement(task, "unbound", TRIAL_UNBOUND, 0);
	add_placement(task, "unbound again", TRIAL_UNBOUND, 0);
	for (size_t i = 0; rc == 0 && i < arguments->n_named; i++)
		rc = add_named(task, arguments->named[i], err);
	if (rc == 0 && arguments->from)
		rc = load_from(task, err);
	if (rc < 0 || !arguments->client_cpus)
		return rc;
	rc = machine_select(task->machine, arguments->client_cpus,
		MACHINE_PER_PU, &task->client_cpus, err);
	if (rc < 0)
		error_prefix(err, "--client-cpus");
	return rc;
}

int try_placements_make(struct try_task *task, struct error *err)
{
	const struct try_arguments *arguments = task->arguments;
	size_t threads = task->trial.threads, n = task->allowed->n;
	struct cpu_list one = {task->allowed->cpus, 1};
	int rc = 0;

	if (!arguments->from && threads > 1 && threads < n) {
		rc = measure_latencies(task, &task->latencies, err);
		task->has_latencies = rc == 0;
		task->measured_s = timebase_raw_s();
	}
	if (rc < 0)
		return rc;
	if (task->has_latencies && threads > 1 &&
		threads < task->latencies.cpus.n)
		rc = add_by_latency(task, err);
	if (task->near_rows)
		one.cpus = &task->latencies.cpus.cpus[task->near_rows[0]];
	add_with_cpus(task, "one CPU", TRIAL_ONE, &one);
	add_node(task, one.cpus[0]);
	if (threads < n)
		add_placement(task, "random", TRIAL_RANDOM, threads);
	return rc;
}

struct cpu_list try_placement_cpus(
	struct try_task *task, const struct tried_placement *placement)
{
	size_t n = task->allowed->n;
	uint32_t *order;
	struct cpu_list cpus = placement->cpus;

	if (placement->choice != TRIAL_RANDOM)
		return cpus;
	order = arena_alloc(task->arena, n, sizeof(*order));
	stat_shuffle(&task->random, order, n);
	cpus.n = placement->n_cpus;
	cpus.cpus = arena_alloc(task->arena, cpus.n, sizeof(*cpus.cpus));
	for (size_t i = 0; i < cpus.n; i++)
		cpus.cpus[i] = task->allowed->cpus[order[i]];
	cpu_list_sort(&cpus);
	return cpus;
}

int try_placements_look_again(struct try_task *task, struct error *err)
{
	struct program_trial *trial = &task->trial;
	struct result now;
	char passed[TEXT_SIZE_BYTES];
	int rc;

	if (!task->has_analysis)
		return 0;
	rc = measure_latencies(task, &now, err);
	if (rc < 0)
		return rc;
	trial->nearness_lasted =
		cpu_list_same(&now.cpus, &task->latencies.cpus) &&
		are_still_near(task, nearest_matrix(&now));
	result_release(&now);
	if (trial->nearness_lasted)
		return 0;
	for (size_t k = 0; k < trial->n_placements; k++)
		trial->placements[k].dropped |=
			trial_is_by_latency(&trial->placements[k]);
	text_time(timebase_raw_s() - task->measured_s, passed);
	task->lost = arena_format(task->arena,
		"The near CPUs %s%s%s. Binding by nearness cannot help here.",
		task->measured_s > 0 ? "were no longer near after " : "of '",
		task->measured_s > 0 ? passed : task->arguments->from,
		task->measured_s > 0 ? "" : "' are not near now");
	return 0;
}
