/*
 * Plan teams of CPUs that read together: the first CPU, the first two CPUs and
 * so on, with near CPUs first. If there are several LLCs, further teams have
 * the CPUs of each LLC, the CPUs of each pair of LLCs, and the first CPUs of
 * each LLC.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cpu_counts.h"
#include "cmd/numa/cmd_numa.h"
#include "util/array.h"

/* The input for planning teams. */
struct team_planner {
	struct numa_plan *own;
	struct measure_selection *selection;
	struct cpu_list near_first; /* all CPUs in the order of the topology */
	struct cpu_list *llcs;	    /* [n_llcs], CPUs of each LLC */
	size_t n_llcs;
};

/* Return the home nearest to a CPU. */
static size_t home_of_cpu(const struct numa_plan *own, unsigned cpu)
{
	for (size_t i = 0; i < own->context.n_rows; i++) {
		if (cpu_list_find(&own->context.rows[i].cpus, cpu) >= 0)
			return numa_nearest_home(own, i);
	}
	return 0;
}

/* Append the first n of these CPUs to a team. */
static int add_team_cpus(const struct numa_plan *own, struct numa_team *team,
	const struct cpu_list *cpus, size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!array_grow(
			    &team->homes, team->cpus.n, sizeof(*team->homes)))
			return error_no_memory(err, "the CPUs");
		team->homes[team->cpus.n] = home_of_cpu(own, cpus->cpus[i]);
		if (cpu_list_add(&team->cpus, cpus->cpus[i], err) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Add the point of the last team. */
static int add_team_point(struct team_planner *planner, struct error *err)
{
	struct numa_context *context = &planner->own->context;
	struct measure_selection *selection = planner->selection;
	const struct numa_team *team = &context->teams[context->n_teams - 1];
	size_t at = planner->own->n_others, n = team->cpus.n;

	if (!array_grow(&context->points, context->n_points,
		    sizeof(*context->points)) ||
		!array_resize(
			&selection->others, at + n, sizeof(*selection->others)))
		return error_no_memory(err, "the points");
	for (size_t i = 0; i < n; i++)
		selection->others[at + i] = (uint32_t)cpu_list_find(
			&selection->cpus, team->cpus.cpus[i]);
	planner->own->n_others += n;
	context->points[context->n_points] = (struct numa_point){
		.kind = NUMA_TEAM, .row = context->n_teams - 1};
	return measure_add_pair(selection,
		(struct schedule_pair){
			.first = selection->others[at],
			.second = selection->others[at],
			.variant = (uint32_t)context->n_points++,
			.n_others = (uint32_t)(n - 1),
			.others_at = (uint32_t)at + 1,
		},
		err);
}

/* Plan a team of the first n of these CPUs and the CPUs of another list. */
static int add_team(struct team_planner *planner, const struct cpu_list *cpus,
	size_t n, const struct cpu_list *more, struct error *err)
{
	struct numa_context *context = &planner->own->context;
	struct numa_team *team;
	int rc;

	if (!array_grow(
		    &context->teams, context->n_teams, sizeof(*context->teams)))
		return error_no_memory(err, "the CPUs");
	team = &context->teams[context->n_teams++];
	*team = (struct numa_team){.homes = NULL};
	rc = add_team_cpus(planner->own, team, cpus, n, err);
	if (rc == 0 && more)
		rc = add_team_cpus(planner->own, team, more, more->n, err);
	return rc < 0 ? rc : add_team_point(planner, err);
}

static int add_scaling(struct team_planner *planner,
	const struct cpu_list *cpus, long llc, struct error *err)
{
	struct numa_plan *own = planner->own;
	struct numa_scaling scaling = {
		.llc = llc, .first = own->context.n_points};
	uint32_t most = (uint32_t)cpus->n;
	int rc = 0;

	for (uint32_t n = 1; rc == 0 && n <= most; n = next_cpu_count(n, most))
		rc = add_team(planner, cpus, n, NULL, err);
	scaling.n = own->context.n_points - scaling.first;
	if (rc < 0)
		return rc;
	if (!array_grow(
		    &own->scalings, own->n_scalings, sizeof(*own->scalings)))
		return error_no_memory(err, "the points");
	own->scalings[own->n_scalings++] = scaling;
	return 0;
}

static int list_reported_llcs(struct team_planner *planner, struct error *err)
{
	const struct machine_facts *facts =
		machine_facts(planner->own->machine);
	int rc = 0;

	for (size_t c = 0; rc == 0 && c < facts->n_caches; c++) {
		struct cpu_list *llc = &planner->llcs[planner->n_llcs];

		for (size_t i = 0; rc == 0 && i < planner->near_first.n; i++) {
			unsigned cpu = planner->near_first.cpus[i];

			if (cpu_list_find(&facts->caches[c].cpus, cpu) >= 0)
				rc = cpu_list_add(llc, cpu, err);
		}
		planner->n_llcs += llc->n > 0;
	}
	return rc;
}

static int list_llcs(struct team_planner *planner, struct error *err)
{
	const char *path = planner->own->options->llcs;

	return path ? numa_list_measured_llcs(path, &planner->near_first,
			      planner->llcs, &planner->n_llcs, err)
		    : list_reported_llcs(planner, err);
}

static int add_llcs(struct team_planner *planner, struct error *err)
{
	const struct cpu_list *llcs = planner->llcs;
	size_t n = planner->n_llcs;
	int rc = 0;

	for (size_t a = 0; rc == 0 && a < n; a++)
		rc = add_scaling(planner, &llcs[a], (long)a, err);
	planner->own->first_pair = planner->own->context.n_points;
	for (size_t a = 0; rc == 0 && a < n; a++) {
		for (size_t b = a + 1; rc == 0 && b < n; b++)
			rc = add_team(
				planner, &llcs[a], llcs[a].n, &llcs[b], err);
	}
	return rc;
}

int numa_plan_teams(struct numa_plan *own, struct measure_selection *selection,
	struct error *err)
{
	/* Room for an LLC of each CPU, and for one more. */
	size_t most = selection->cpus.n + 1;
	struct cpu_list *llcs = calloc(most, sizeof(*llcs));
	struct team_planner planner = {
		.own = own, .selection = selection, .llcs = llcs};
	int rc = 0;

	if (!llcs)
		return error_no_memory(err, "the last-level caches");
	for (size_t i = 0; rc == 0 && i < selection->cpus.n; i++)
		rc = cpu_list_add(
			&planner.near_first, selection->cpus.cpus[i], err);
	machine_sort_by_topology(own->machine, &planner.near_first);
	if (rc == 0)
		rc = add_scaling(&planner, &planner.near_first, -1, err);
	if (rc == 0)
		rc = list_llcs(&planner, err);
	own->n_llcs = planner.n_llcs;
	if (rc == 0 && own->n_llcs > 1)
		rc = add_llcs(&planner, err);
	for (size_t c = 0; c < most; c++)
		cpu_list_release(&llcs[c]);
	free(llcs);
	cpu_list_release(&planner.near_first);
	return rc;
}
