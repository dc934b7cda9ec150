/*
 * The divisions of a topology: one for each depth of its tree, one for NUMA
 * nodes, which hang beside the tree, and one for kinds of CPUs.
 */
#include "machine/division.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/internal.h"

/* What stands for "in no such object". */
#define NOWHERE UINT32_MAX

void machine_divisions_release(struct machine_divisions *divisions)
{
	for (size_t k = 0; k < divisions->n; k++)
		free(divisions->items[k].group);
	free(divisions->items);
	*divisions = (struct machine_divisions){0};
}

int machine_check_cpus(hwloc_topology_t topology, const struct cpu_list *cpus,
	struct error *err)
{
	for (size_t i = 0; i < cpus->n; i++) {
		if (!hwloc_get_pu_obj_by_os_index(topology, cpus->cpus[i]))
			return error_set(err, ERROR_USAGE, EINVAL,
				"the topology has no CPU %u, which was "
				"measured: it is from another machine",
				cpus->cpus[i]);
	}
	return 0;
}

/*
 * Keep the division that was filled in behind the last if it says anything.
 * Until then the place of its first CPU stands for a group; now groups are
 * numbered in that order, each CPU that is nowhere as one of its own.
 */
static void keep(struct machine_divisions *divisions, size_t n)
{
	struct machine_division *division = &divisions->items[divisions->n];
	uint32_t *group = division->group;

	for (size_t i = 0; i < n; i++)
		group[i] = group[i] == NOWHERE || group[i] == i
				   ? (uint32_t)division->n_groups++
				   : group[group[i]];
	if (division->n_groups > 1 && division->n_groups < n)
		divisions->n++;
	else
		free(group);
}

/* Room for one more division, in which no CPU is anywhere; NULL: no memory. */
static struct machine_division *begin(
	struct machine_divisions *divisions, size_t n)
{
	struct machine_division *items = reallocarray(
		divisions->items, divisions->n + 1, sizeof(*items));
	struct machine_division *division;

	if (!items)
		return NULL;
	divisions->items = items;
	division = &items[divisions->n];
	*division = (struct machine_division){
		.group = malloc((n + 1) * sizeof(*division->group))};
	if (!division->group)
		return NULL;
	for (size_t i = 0; i < n; i++)
		division->group[i] = NOWHERE;
	return division;
}

/* The first of the CPUs that lie in a set, or in a list, stands for it. */
static void mark(struct machine_division *division, const struct cpu_list *cpus,
	hwloc_const_bitmap_t set, const struct cpu_list *list)
{
	uint32_t group = NOWHERE;

	for (size_t i = 0; i < cpus->n; i++) {
		bool in = set ? hwloc_bitmap_isset(set, cpus->cpus[i])
			      : cpu_list_find(list, cpus->cpus[i]) >= 0;

		if (!in || division->group[i] != NOWHERE)
			continue;
		if (group == NOWHERE)
			group = (uint32_t)i;
		division->group[i] = group;
	}
}

static int add_depth(const struct machine *machine, int depth,
	const struct cpu_list *cpus, struct machine_divisions *divisions,
	struct error *err)
{
	hwloc_topology_t topology = machine->topology;
	unsigned n = hwloc_get_nbobjs_by_depth(topology, depth);
	struct machine_division *division;

	if (n == 0)
		return 0;
	division = begin(divisions, cpus->n);
	if (!division)
		return error_no_memory(err, "the topology's groups");
	for (unsigned k = 0; k < n; k++) {
		hwloc_obj_t obj = hwloc_get_obj_by_depth(topology, depth, k);

		if (k == 0)
			hwloc_obj_type_snprintf(
				division->name, sizeof(division->name), obj, 0);
		mark(division, cpus, obj->cpuset, NULL);
	}
	keep(divisions, cpus->n);
	return 0;
}

static int add_kinds(const struct machine *machine, const struct cpu_list *cpus,
	struct machine_divisions *divisions, struct error *err)
{
	const struct machine_facts *facts = machine_facts(machine);
	struct machine_division *division;

	if (facts->n_kinds == 0)
		return 0;
	division = begin(divisions, cpus->n);
	if (!division)
		return error_no_memory(err, "the kinds of CPUs");
	snprintf(division->name, sizeof(division->name), "CPUKind");
	for (size_t k = 0; k < facts->n_kinds; k++)
		mark(division, cpus, NULL, &facts->kinds[k].cpus);
	keep(divisions, cpus->n);
	return 0;
}

int machine_divide(const struct machine *machine, const struct cpu_list *cpus,
	struct machine_divisions *divisions, struct error *err)
{
	int depth = hwloc_topology_get_depth(machine->topology);
	int rc = machine_check_cpus(machine->topology, cpus, err);

	*divisions = (struct machine_divisions){0};
	/* Between the PUs, which are the CPUs, and the machine. */
	for (int d = depth - 2; rc == 0 && d > 0; d--)
		rc = add_depth(machine, d, cpus, divisions, err);
	if (rc == 0)
		rc = add_depth(machine, HWLOC_TYPE_DEPTH_NUMANODE, cpus,
			divisions, err);
	if (rc == 0)
		rc = add_kinds(machine, cpus, divisions, err);
	return rc;
}
