/*
 * topology.c: the order of CPUs, their nodes, and the objects that they share.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine/internal.h"

static hwloc_obj_t pu_of(const struct machine *machine, unsigned cpu)
{
	return hwloc_get_pu_obj_by_os_index(machine->topology, cpu);
}

int machine_logical_number(const struct machine *machine, unsigned cpu)
{
	hwloc_obj_t pu = pu_of(machine, cpu);

	return pu ? (int)pu->logical_index : -1;
}

struct cpu_position {
	unsigned logical; /* UINT_MAX: the topology lacks the CPU */
	unsigned cpu;
};

static int compare_cpu_positions(const void *a, const void *b)
{
	const struct cpu_position *x = a, *y = b;

	if (x->logical != y->logical)
		return x->logical < y->logical ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

void machine_sort_by_topology(
	const struct machine *machine, struct cpu_list *cpus)
{
	struct cpu_position *positions = calloc(cpus->n, sizeof(*positions));

	/* Without memory, leave the CPUs unsorted. */
	if (!positions)
		return;
	for (size_t i = 0; i < cpus->n; i++) {
		hwloc_obj_t pu = pu_of(machine, cpus->cpus[i]);

		positions[i].logical = pu ? pu->logical_index : UINT_MAX;
		positions[i].cpu = cpus->cpus[i];
	}
	qsort(positions, cpus->n, sizeof(*positions), compare_cpu_positions);
	for (size_t i = 0; i < cpus->n; i++)
		cpus->cpus[i] = positions[i].cpu;
	free(positions);
}

static bool has_memory(const struct machine *machine, unsigned os_index)
{
	return cpu_list_find(&machine->facts.memory_nodes, os_index) >= 0;
}

/*
 * Return the node with memory in the subtree of memory objects under obj (a
 * memory-side cache may be above a node), or NULL.
 */
static hwloc_obj_t node_below(const struct machine *machine, hwloc_obj_t obj)
{
	for (hwloc_obj_t child = obj->memory_first_child; child;
		child = child->next_sibling) {
		hwloc_obj_t found = child;

		if (child->type != HWLOC_OBJ_NUMANODE)
			found = node_below(machine, child);
		if (found && has_memory(machine, found->os_index))
			return found;
	}
	return NULL;
}

/* Return the node with this OS index, or NULL. */
static hwloc_obj_t find_numa_node(
	const struct machine *machine, unsigned os_index)
{
	return hwloc_get_numanode_obj_by_os_index(machine->topology, os_index);
}

/* Return the node with the lowest latency from `from` (ACPI SLIT), or -1. */
static int nearest_by_distance(const struct machine *machine, hwloc_obj_t from)
{
	struct hwloc_distances_s *distances;
	hwloc_uint64_t lowest = UINT64_MAX;
	unsigned n = 1;
	int row, nearest = -1;

	if (!from ||
		hwloc_distances_get_by_name(machine->topology, "NUMALatency",
			&n, &distances, 0) < 0 ||
		n == 0)
		return -1;
	row = hwloc_distances_obj_index(distances, from);
	for (unsigned i = 0; row >= 0 && i < distances->nbobjs; i++) {
		hwloc_uint64_t value =
			distances
				->values[(unsigned)row * distances->nbobjs + i];

		if (value < lowest &&
			has_memory(machine, distances->objs[i]->os_index)) {
			lowest = value;
			nearest = (int)distances->objs[i]->os_index;
		}
	}
	hwloc_distances_release(machine->topology, distances);
	return nearest;
}

int machine_own_node_of(const struct machine *machine, unsigned cpu)
{
	int node = machine_own_node_index(&machine->facts, cpu);

	return node < 0 ? -1 : machine->facts.nodes[node].node;
}

int machine_node_of(const struct machine *machine, unsigned cpu)
{
	const struct cpu_list *nodes = &machine->facts.memory_nodes;
	hwloc_obj_t pu = pu_of(machine, cpu);
	int own = machine_own_node_of(machine, cpu);
	int nearest = -1;

	if (!pu)
		return -1;
	/*
	 * If the CPU's own node has no memory, use the nearest other node. A
	 * node above the CPU in the tree may be farther.
	 */
	if (own >= 0 && !has_memory(machine, (unsigned)own))
		nearest = nearest_by_distance(
			machine, find_numa_node(machine, (unsigned)own));
	if (nearest >= 0)
		return nearest;
	for (hwloc_obj_t obj = pu; obj; obj = obj->parent) {
		hwloc_obj_t node = node_below(machine, obj);

		if (node)
			return (int)node->os_index;
	}
	return nodes->n ? (int)nodes->cpus[0] : -1;
}

static double distance_between(
	const struct machine *machine, hwloc_obj_t from, hwloc_obj_t to)
{
	struct hwloc_distances_s *distances;
	double distance = NAN;
	unsigned n = 1;
	int row, column;

	if (hwloc_distances_get_by_name(
		    machine->topology, "NUMALatency", &n, &distances, 0) < 0 ||
		n == 0)
		return NAN;
	row = hwloc_distances_obj_index(distances, from);
	column = hwloc_distances_obj_index(distances, to);
	if (row >= 0 && column >= 0)
		distance = (double)distances
				   ->values[(unsigned)row * distances->nbobjs +
					    (unsigned)column];
	hwloc_distances_release(machine->topology, distances);
	return distance;
}

hwloc_bitmap_t own_cpus_of(const struct machine_facts *facts, unsigned node)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (size_t i = 0; set && i < facts->n_nodes; i++) {
		const struct cpu_list *cpus = &facts->nodes[i].cpus;

		for (size_t k = 0;
			facts->nodes[i].node == (int)node && k < cpus->n; k++) {
			if (machine_own_node_index(facts, cpus->cpus[k]) ==
				(int)i)
				hwloc_bitmap_set(set, cpus->cpus[k]);
		}
	}
	return set;
}

/* Return the value of a memory attribute; NaN: none. */
static double attribute_of(const struct machine *machine, const char *name,
	hwloc_bitmap_t from, hwloc_obj_t to)
{
	struct hwloc_location initiator = {.type = HWLOC_LOCATION_TYPE_CPUSET};
	hwloc_memattr_id_t attribute;
	hwloc_uint64_t value;

	initiator.location.cpuset = from;
	if (hwloc_memattr_get_by_name(machine->topology, name, &attribute) <
			0 ||
		hwloc_memattr_get_value(machine->topology, attribute, to,
			&initiator, 0, &value) < 0)
		return NAN;
	return (double)value;
}

/*
 * Return whether the firmware has no SLIT, so that the kernel invented the
 * distances 10 and 20. Return false if the kernel does not show the tables.
 */
static bool lacks_slit(const struct machine *machine)
{
	char path[PATH_MAX];
	bool has[2];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/sys/firmware/acpi/tables/%s",
			machine->files.root ? machine->files.root : "",
			i ? "SLIT" : "FACP");
		has[i] = access(path, F_OK) == 0;
	}
	return machine->files.root && has[0] && !has[1];
}

double machine_reported_value(const struct machine *machine,
	enum machine_reported reported, unsigned from, unsigned to)
{
	/* Older versions of hwloc have one value for reads and writes. */
	static const char *const names[][2] = {
		[MACHINE_REPORTED_LATENCY] = {"ReadLatency", "Latency"},
		[MACHINE_REPORTED_BANDWIDTH] = {"ReadBandwidth", "Bandwidth"},
	};
	hwloc_obj_t row = find_numa_node(machine, from);
	hwloc_obj_t column = find_numa_node(machine, to);
	hwloc_bitmap_t cpus;
	double value = NAN;

	if (!row || !column)
		return NAN;
	if (reported == MACHINE_REPORTED_DISTANCE)
		return lacks_slit(machine)
			       ? NAN
			       : distance_between(machine, row, column);
	cpus = own_cpus_of(&machine->facts, from);
	for (int i = 0; i < 2 && cpus && !hwloc_bitmap_iszero(cpus); i++) {
		if (isnan(value))
			value = attribute_of(
				machine, names[reported][i], cpus, column);
	}
	hwloc_bitmap_free(cpus);
	return value;
}

/* Return whether a NUMA node within obj has both PUs. */
static bool node_within(const struct machine *machine, hwloc_obj_t obj,
	hwloc_obj_t a, hwloc_obj_t b)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(
			machine->topology, HWLOC_OBJ_NUMANODE, node))) {
		if (hwloc_bitmap_isset(node->cpuset, a->os_index) &&
			hwloc_bitmap_isset(node->cpuset, b->os_index) &&
			hwloc_bitmap_isincluded(node->cpuset, obj->cpuset) &&
			(obj->type == HWLOC_OBJ_GROUP ||
				!hwloc_bitmap_isequal(
					node->cpuset, obj->cpuset)))
			return true;
	}
	return false;
}

static const char *short_name(hwloc_obj_type_t type)
{
	static const char *const caches[] = {"L1", "L2", "L3", "L4", "L5"};

	return type >= HWLOC_OBJ_L1CACHE && type <= HWLOC_OBJ_L5CACHE
		       ? caches[type - HWLOC_OBJ_L1CACHE]
		       : hwloc_obj_type_string(type);
}

const char *machine_shared_by(
	const struct machine *machine, unsigned a, unsigned b)
{
	hwloc_obj_t pu_a = pu_of(machine, a), pu_b = pu_of(machine, b);
	hwloc_obj_t shared;

	if (!pu_a || !pu_b)
		return NULL;
	shared = hwloc_get_common_ancestor_obj(machine->topology, pu_a, pu_b);
	/* NUMA nodes are outside the tree of cores, caches and packages. */
	if (shared != pu_a && node_within(machine, shared, pu_a, pu_b))
		return "NUMANode";
	return short_name(shared->type);
}

int machine_llc_index(const struct machine_facts *facts, unsigned cpu)
{
	for (size_t i = 0; i < facts->n_caches; i++) {
		if (cpu_list_find(&facts->caches[i].cpus, cpu) >= 0)
			return (int)i;
	}
	return -1;
}

bool machine_share_llc(const struct machine *machine, unsigned a, unsigned b)
{
	int llc = machine_llc_index(&machine->facts, a);

	return llc >= 0 && llc == machine_llc_index(&machine->facts, b);
}

bool machine_has_llcs(const struct machine *machine, unsigned a, unsigned b)
{
	return machine_llc_index(&machine->facts, a) >= 0 &&
	       machine_llc_index(&machine->facts, b) >= 0;
}

bool machine_share_package(
	const struct machine *machine, unsigned a, unsigned b)
{
	hwloc_obj_t pu_a = pu_of(machine, a), pu_b = pu_of(machine, b);

	return pu_a && pu_b &&
	       hwloc_get_ancestor_obj_by_type(
		       machine->topology, HWLOC_OBJ_PACKAGE, pu_a) ==
		       hwloc_get_ancestor_obj_by_type(
			       machine->topology, HWLOC_OBJ_PACKAGE, pu_b);
}

/* Return NULL if there is none. */
static hwloc_obj_t cache_of(
	const struct machine *machine, unsigned cpu, unsigned level)
{
	const unsigned type = HWLOC_OBJ_L1CACHE + level - 1;
	hwloc_obj_t pu = pu_of(machine, cpu);

	return pu && level >= 1 && type <= HWLOC_OBJ_L5CACHE
		       ? hwloc_get_ancestor_obj_by_type(
				 machine->topology, (hwloc_obj_type_t)type, pu)
		       : NULL;
}

bool machine_cpu_cache(const struct machine *machine, unsigned cpu,
	unsigned level, struct machine_cpu_cache *cache)
{
	hwloc_obj_t found = cache_of(machine, cpu, level);
	const struct hwloc_cache_attr_s *facts;

	if (!found)
		return false;
	facts = &found->attr->cache;
	*cache = (struct machine_cpu_cache){
		.number = index_of_object(machine->topology, found),
		.bytes = facts->size,
		.line_bytes = facts->linesize,
		.ways = facts->associativity > 0
				? (unsigned)facts->associativity
				: 0,
	};
	/* -1 means fully associative. */
	if (facts->associativity < 0 && facts->linesize)
		cache->ways = (unsigned)(facts->size / facts->linesize);
	return true;
}

int machine_cache_cpus(const struct machine *machine, unsigned cpu,
	unsigned level, struct cpu_list *cpus, struct error *err)
{
	hwloc_obj_t found = cache_of(machine, cpu, level);
	int rc = 0;

	for (int at = found ? hwloc_bitmap_first(found->cpuset) : -1;
		at >= 0 && rc == 0; at = hwloc_bitmap_next(found->cpuset, at))
		rc = cpu_list_add(cpus, (unsigned)at, err);
	return rc;
}
