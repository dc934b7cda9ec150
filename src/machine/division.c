/*
 * division.c: divide the CPUs into groups at each depth of the topology's tree,
 * by NUMA nodes, which are outside the tree, and by kinds of CPUs.
 */
#include "machine/division.h"

#include <errno.h>

#include "machine/internal.h"

/* The group of a CPU outside all objects. */
#define NOWHERE UINT32_MAX

void machine_divisions_release(struct machine_divisions *divisions)
{
	arena_release(&divisions->arena);
	*divisions = (struct machine_divisions){0};
}

int machine_check_cpus(hwloc_topology_t topology, const struct cpu_list *cpus,
	struct error *err)
{
	for (size_t i = 0; i < cpus->n; i++) {
		if (!hwloc_get_pu_obj_by_os_index(topology, cpus->cpus[i]))
			return error_set(err, ERROR_USAGE, EINVAL,
				"the topology has no CPU %u, which was "
				"measured: it is %s",
				cpus->cpus[i],
				hwloc_topology_is_thissystem(topology)
					? "from another machine, or hwloc is "
					  "shown too few CPUs ('c2c info' says "
					  "so)"
					: "from another machine");
	}
	return 0;
}

bool machine_has_cpus(
	const struct machine *machine, const struct cpu_list *cpus)
{
	return machine_check_cpus(machine->topology, cpus, NULL) == 0;
}

/* State of machine_divide(). */
struct division_builder {
	const struct machine *machine;
	const struct cpu_list *cpus;
	struct machine_divisions *divisions;
};

/*
 * Keep the new division if it has two groups or more, and two CPUs or more in
 * one of them. Number its groups, which so far are indexes of their first CPUs.
 * A CPU that is NOWHERE becomes a group.
 */
static void keep_division(struct division_builder *builder)
{
	struct machine_divisions *divisions = builder->divisions;
	struct machine_division *division = &divisions->items[divisions->n];
	uint32_t *group = division->group;

	for (size_t i = 0; i < builder->cpus->n; i++)
		group[i] = group[i] == NOWHERE || group[i] == i
				   ? (uint32_t)division->n_groups++
				   : group[group[i]];
	if (division->n_groups > 1 && division->n_groups < builder->cpus->n)
		divisions->n++;
}

/* Append a division with all CPUs NOWHERE. */
static struct machine_division *begin_division(struct division_builder *builder)
{
	struct machine_divisions *divisions = builder->divisions;
	struct machine_division *division = &divisions->items[divisions->n];
	size_t n = builder->cpus->n;

	*division = (struct machine_division){
		.group = arena_alloc(
			&divisions->arena, n, sizeof(*division->group))};
	for (size_t i = 0; i < n; i++)
		division->group[i] = NOWHERE;
	return division;
}

/* Group the CPUs in a set or list; the group is the index of its first CPU. */
static void mark_group_cpus(struct machine_division *division,
	const struct cpu_list *cpus, hwloc_const_bitmap_t set,
	const struct cpu_list *list)
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

/* Return whether a deeper level has objects of the same type. */
static bool stands_below(hwloc_topology_t topology, int depth)
{
	hwloc_obj_type_t type = hwloc_get_depth_type(topology, depth);
	int d = hwloc_topology_get_depth(topology);

	while (--d > depth && hwloc_get_depth_type(topology, d) != type)
		;
	return d > depth;
}

/* Add the division of a depth: its Groups, or all objects of its type. */
static void add_depth(struct division_builder *builder, int depth)
{
	hwloc_topology_t topology = builder->machine->topology;
	hwloc_obj_type_t type = hwloc_get_depth_type(topology, depth);
	bool alone = type == HWLOC_OBJ_GROUP;
	struct machine_division *division;
	hwloc_obj_t obj = NULL;

	if (!alone && stands_below(topology, depth))
		return;
	division = begin_division(builder);
	while ((obj = alone ? hwloc_get_next_obj_by_depth(topology, depth, obj)
			    : next_of_type(topology, type, obj))) {
		if (!division->name[0])
			hwloc_obj_type_snprintf(
				division->name, sizeof(division->name), obj, 0);
		mark_group_cpus(division, builder->cpus, obj->cpuset, NULL);
	}
	keep_division(builder);
}

static void add_cpu_kind_division(struct division_builder *builder)
{
	const struct machine_facts *facts = machine_facts(builder->machine);
	struct machine_division *division = begin_division(builder);

	snprintf(division->name, sizeof(division->name), "CPUKind");
	for (size_t k = 0; k < facts->n_kinds; k++)
		mark_group_cpus(
			division, builder->cpus, NULL, &facts->kinds[k].cpus);
	keep_division(builder);
}

static int build_divisions(
	struct arena *arena, void *context, struct error *err)
{
	struct division_builder *builder = context;
	hwloc_topology_t topology = builder->machine->topology;
	int depth = hwloc_topology_get_depth(topology);
	int rc = machine_check_cpus(topology, builder->cpus, err);

	/* Add two, for nodes and kinds, which are outside the tree. */
	builder->divisions->items = arena_alloc(
		arena, (size_t)depth + 2, sizeof(*builder->divisions->items));
	if (rc < 0)
		return rc;
	/* Skip the depths of the PUs and of the machine. */
	for (int d = depth - 2; d > 0; d--)
		add_depth(builder, d);
	add_depth(builder, HWLOC_TYPE_DEPTH_NUMANODE);
	add_cpu_kind_division(builder);
	return 0;
}

int machine_divide(const struct machine *machine, const struct cpu_list *cpus,
	struct machine_divisions *divisions, struct error *err)
{
	struct division_builder builder = {machine, cpus, divisions};

	*divisions = (struct machine_divisions){0};
	return arena_run(&divisions->arena, build_divisions, &builder,
		"the topology's groups", err);
}
