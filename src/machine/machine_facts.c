/* machine_facts.c: read facts from the topology. */
#include <stdlib.h>
#include <unistd.h>

#include "machine/internal.h"
#include "util/text.h"

/* Line size if neither hwloc nor libc reports it: that of nearly all CPUs. */
#define COMMON_LINE_BYTES 64u

static char *copy_info(
	struct machine *machine, hwloc_obj_t obj, const char *name)
{
	const char *value = obj ? hwloc_obj_get_info_by_name(obj, name) : NULL;
	char *copy = value && *value
			     ? arena_strdup(&machine->files.arena, value)
			     : NULL;

	if (copy)
		text_make_safe(copy);
	return copy;
}

static void read_names(struct machine *machine)
{
	struct machine_facts *facts = &machine->facts;
	hwloc_obj_t root = hwloc_get_root_obj(machine->topology);
	const char *system = copy_info(machine, root, "OSName");
	const char *release = copy_info(machine, root, "OSRelease");

	facts->hostname = copy_info(machine, root, "HostName");
	facts->arch = copy_info(machine, root, "Architecture");
	if (system && release)
		facts->kernel = arena_format(
			&machine->files.arena, "%s %s", system, release);
	facts->cpu_model = copy_info(machine,
		next_of_type(machine->topology, HWLOC_OBJ_PACKAGE, NULL),
		"CPUModel");
	if (!facts->cpu_model)
		facts->cpu_model = copy_info(machine, root, "CPUModel");
}

/* Return the number of objects of a type; -1 if hwloc reports none. */
static int count_objects(hwloc_topology_t topology, hwloc_obj_type_t type)
{
	int n = count_of_type(topology, type);

	return n > 0 ? n : -1;
}

static int threads_share_cores(hwloc_topology_t topology)
{
	hwloc_obj_t core = NULL;

	if (count_objects(topology, HWLOC_OBJ_CORE) < 0)
		return -1;
	while ((core = next_of_type(topology, HWLOC_OBJ_CORE, core))) {
		if (hwloc_bitmap_weight(core->cpuset) > 1)
			return 1;
	}
	return 0;
}

/* Return the outermost data or unified cache of a PU, or NULL. */
static hwloc_obj_t last_level_cache(hwloc_obj_t pu)
{
	hwloc_obj_t llc = NULL;

	for (hwloc_obj_t obj = pu; obj; obj = obj->parent) {
		if (hwloc_obj_type_is_dcache(obj->type))
			llc = obj;
	}
	return llc;
}

/* Read the LLCs. A hybrid machine may have LLCs of different levels. */
static void read_caches(struct machine *machine)
{
	struct machine_facts *facts = &machine->facts;
	struct arena *arena = &machine->files.arena;
	int pus = hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_PU);
	hwloc_obj_t pu = NULL, last = NULL;

	facts->caches = arena_alloc(arena, (size_t)pus, sizeof(*facts->caches));
	while ((pu = hwloc_get_next_obj_by_type(
			machine->topology, HWLOC_OBJ_PU, pu))) {
		hwloc_obj_t llc = last_level_cache(pu);

		/* PUs of the same LLC are adjacent in the tree. */
		if (llc && llc != last)
			facts->caches[facts->n_caches++] =
				(struct machine_cache){
					.level = llc->attr->cache.depth,
					.bytes = llc->attr->cache.size,
					.line_bytes = llc->attr->cache.linesize,
					.cpus = list_of_set(arena, llc->cpuset),
				};
		last = llc;
	}
	facts->llcs = facts->n_caches ? (int)facts->n_caches : -1;
}

static unsigned line_bytes(const struct machine *machine)
{
	long bytes = 0;

	for (size_t i = 0; i < machine->facts.n_caches; i++) {
		if ((long)machine->facts.caches[i].line_bytes > bytes)
			bytes = machine->facts.caches[i].line_bytes;
	}
#ifdef _SC_LEVEL1_DCACHE_LINESIZE /* glibc, not musl */
	if (bytes <= 0 && hwloc_topology_is_thissystem(machine->topology))
		bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
#endif
	return bytes > 0 ? (unsigned)bytes : COMMON_LINE_BYTES;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct machine_node *x = a, *y = b;

	return (x->node > y->node) - (x->node < y->node);
}

static void list_memory_nodes(struct machine_facts *facts, struct arena *arena)
{
	struct cpu_list *list = &facts->memory_nodes;
	bool any_known = false;

	list->cpus = arena_alloc(arena, facts->n_nodes, sizeof(*list->cpus));
	for (size_t i = 0; i < facts->n_nodes; i++)
		any_known |= facts->nodes[i].memory_bytes > 0;
	for (size_t i = 0; i < facts->n_nodes; i++) {
		if (facts->nodes[i].memory_bytes > 0 || !any_known)
			list->cpus[list->n++] = (unsigned)facts->nodes[i].node;
	}
}

static void read_numa_nodes(struct machine *machine)
{
	struct machine_facts *facts = &machine->facts;
	struct arena *arena = &machine->files.arena;
	hwloc_obj_t obj = NULL;

	facts->numa_nodes =
		count_objects(machine->topology, HWLOC_OBJ_NUMANODE);
	if (facts->numa_nodes < 0)
		return;
	facts->nodes = arena_alloc(
		arena, (size_t)facts->numa_nodes, sizeof(*facts->nodes));
	while ((obj = hwloc_get_next_obj_by_type(
			machine->topology, HWLOC_OBJ_NUMANODE, obj)))
		facts->nodes[facts->n_nodes++] = (struct machine_node){
			.node = (int)obj->os_index,
			.memory_bytes = obj->attr->numanode.local_memory,
			.cpus = list_of_set(arena, obj->cpuset),
		};
	qsort(facts->nodes, facts->n_nodes, sizeof(*facts->nodes),
		compare_nodes);
	list_memory_nodes(facts, arena);
}

/* Describe a kind of CPU: "CoreType=IntelAtom FrequencyMaxMHz=3800". */
static char *describe_kind(
	struct arena *arena, const struct hwloc_info_s *infos, unsigned n)
{
	struct text_list list = {0};
	char *text;

	for (unsigned i = 0; i < n; i++)
		text_list_add(
			&list, " ", "%s=%s", infos[i].name, infos[i].value);
	text = arena_adopt(arena, text_list_end(&list));
	text_make_safe(text);
	return text;
}

static void read_kinds(struct machine *machine)
{
	struct machine_facts *facts = &machine->facts;
	struct arena *arena = &machine->files.arena;
	hwloc_bitmap_t cpus = machine->sets[SET_SCRATCH];
	int n = hwloc_cpukinds_get_nr(machine->topology, 0);

	if (n < 2)
		return;
	facts->kinds = arena_alloc(arena, (size_t)n, sizeof(*facts->kinds));
	for (unsigned i = 0; i < (unsigned)n; i++) {
		struct machine_cpu_kind *kind = &facts->kinds[i];
		struct hwloc_info_s *infos;
		unsigned n_infos;

		/* hwloc_cpukinds_get_info() only fails for a wrong index. */
		if (hwloc_cpukinds_get_info(machine->topology, i, cpus,
			    &kind->efficiency, &n_infos, &infos, 0) < 0)
			return;
		kind->description = describe_kind(arena, infos, n_infos);
		kind->cpus = list_of_set(arena, cpus);
	}
	facts->n_kinds = (size_t)n;
}

void facts_from_topology(struct machine *machine)
{
	struct machine_facts *facts = &machine->facts;
	hwloc_topology_t topology = machine->topology;

	facts->packages = count_objects(topology, HWLOC_OBJ_PACKAGE);
	facts->cores = count_objects(topology, HWLOC_OBJ_CORE);
	facts->smt = threads_share_cores(topology);
	facts->memory_bytes = hwloc_get_root_obj(topology)->total_memory;
	read_names(machine);
	read_caches(machine);
	read_numa_nodes(machine);
	read_kinds(machine);
	facts->line_bytes = line_bytes(machine);
}
