/*
 * The facts that a topology holds, and the life of struct machine_facts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/internal.h"
#include "util/text.h"

/* The line of nearly every CPU, where neither hwloc nor libc tells. */
#define COMMON_LINE_BYTES 64u

static char *copy_info(hwloc_obj_t obj, const char *name)
{
	const char *value = obj ? hwloc_obj_get_info_by_name(obj, name) : NULL;
	char *copy = value && *value ? strdup(value) : NULL;

	if (copy)
		text_make_safe(copy);
	return copy;
}

static void read_names(struct machine *machine)
{
	struct machine_facts *facts = &machine->facts;
	hwloc_topology_t topology = machine->topology;
	hwloc_obj_t root = hwloc_get_root_obj(topology);
	char *system = copy_info(root, "OSName");
	char *release = copy_info(root, "OSRelease");

	facts->hostname = copy_info(root, "HostName");
	facts->arch = copy_info(root, "Architecture");
	if (system && release)
		facts->kernel = text_format("%s %s", system, release);
	free(system);
	free(release);
	facts->cpu_model =
		copy_info(hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0),
			"CPUModel");
	if (!facts->cpu_model)
		facts->cpu_model = copy_info(root, "CPUModel");
}

/* hwloc reports no object where it was told nothing: that is not a zero. */
static int count_objects(hwloc_topology_t topology, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(topology, type);

	return n > 0 ? n : -1;
}

static int threads_share_cores(hwloc_topology_t topology)
{
	hwloc_obj_t core = NULL;

	if (count_objects(topology, HWLOC_OBJ_CORE) < 0)
		return -1;
	while ((core = hwloc_get_next_obj_by_type(
			topology, HWLOC_OBJ_CORE, core))) {
		if (hwloc_bitmap_weight(core->cpuset) > 1)
			return 1;
	}
	return 0;
}

/* The outermost data or unified cache over a PU, or NULL. */
static hwloc_obj_t last_level_cache(hwloc_obj_t pu)
{
	hwloc_obj_t llc = NULL;

	for (hwloc_obj_t obj = pu; obj; obj = obj->parent) {
		if (hwloc_obj_type_is_dcache(obj->type))
			llc = obj;
	}
	return llc;
}

static int add_cache(
	struct machine_facts *facts, hwloc_obj_t obj, struct error *err)
{
	struct machine_cache *caches = reallocarray(
		facts->caches, facts->n_caches + 1, sizeof(*caches));
	struct machine_cache *cache;

	if (!caches)
		return error_no_memory(err, "the list of caches");
	facts->caches = caches;
	cache = &caches[facts->n_caches++];
	*cache = (struct machine_cache){
		.level = obj->attr->cache.depth,
		.bytes = obj->attr->cache.size,
		.line_bytes = obj->attr->cache.linesize,
	};
	return bitmap_to_list(obj->cpuset, &cache->cpus, err);
}

/* A hybrid machine may have LLCs of different levels. */
static int read_caches(struct machine *machine, struct error *err)
{
	hwloc_obj_t pu = NULL, last = NULL;

	while ((pu = hwloc_get_next_obj_by_type(
			machine->topology, HWLOC_OBJ_PU, pu))) {
		hwloc_obj_t llc = last_level_cache(pu);

		/* PUs come in the order of the tree: one LLC, one run. */
		if (llc && llc != last) {
			int rc = add_cache(&machine->facts, llc, err);

			if (rc < 0)
				return rc;
		}
		last = llc;
	}
	machine->facts.llcs =
		machine->facts.n_caches ? (int)machine->facts.n_caches : -1;
	return 0;
}

static unsigned line_bytes(const struct machine *machine)
{
	long bytes = 0;

	for (size_t i = 0; i < machine->facts.n_caches; i++) {
		if ((long)machine->facts.caches[i].line_bytes > bytes)
			bytes = machine->facts.caches[i].line_bytes;
	}
	if (bytes <= 0 && hwloc_topology_is_thissystem(machine->topology))
		bytes = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
	return bytes > 0 ? (unsigned)bytes : COMMON_LINE_BYTES;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct machine_node *x = a, *y = b;

	return (x->node > y->node) - (x->node < y->node);
}

static int read_nodes(struct machine *machine, struct error *err)
{
	struct machine_facts *facts = &machine->facts;
	int n = count_objects(machine->topology, HWLOC_OBJ_NUMANODE);
	hwloc_obj_t obj = NULL;

	facts->numa_nodes = n;
	if (n < 0)
		return 0;
	facts->nodes = calloc((size_t)n, sizeof(*facts->nodes));
	if (!facts->nodes)
		return error_no_memory(err, "the list of NUMA nodes");
	while ((obj = hwloc_get_next_obj_by_type(
			machine->topology, HWLOC_OBJ_NUMANODE, obj))) {
		struct machine_node *node = &facts->nodes[facts->n_nodes++];
		int rc;

		node->node = (int)obj->os_index;
		node->memory_bytes = obj->attr->numanode.local_memory;
		rc = bitmap_to_list(obj->cpuset, &node->cpus, err);
		if (rc < 0)
			return rc;
	}
	qsort(facts->nodes, facts->n_nodes, sizeof(*facts->nodes),
		compare_nodes);
	return 0;
}

/* "CoreType=IntelAtom FrequencyMaxMHz=3800" */
static char *describe_kind(const struct hwloc_info_s *infos, unsigned n)
{
	struct text_list list = {0};
	char *text;

	for (unsigned i = 0; i < n; i++)
		text_list_add(
			&list, " ", "%s=%s", infos[i].name, infos[i].value);
	text = text_list_end(&list);
	if (text)
		text_make_safe(text);
	return text;
}

static int read_kind(struct machine *machine, unsigned index,
	hwloc_bitmap_t cpus, struct error *err)
{
	struct machine_facts *facts = &machine->facts;
	struct machine_cpu_kind *kind = &facts->kinds[index];
	struct hwloc_info_s *infos;
	unsigned n_infos;

	if (hwloc_cpukinds_get_info(machine->topology, index, cpus,
		    &kind->efficiency, &n_infos, &infos, 0) < 0)
		return error_set(err, ERROR_FAILURE, errno ? errno : EIO,
			"hwloc cannot read the CPU kind %u", index);
	kind->description = describe_kind(infos, n_infos);
	if (!kind->description)
		return error_no_memory(err, "a CPU kind");
	return bitmap_to_list(cpus, &kind->cpus, err);
}

static int read_kinds(struct machine *machine, struct error *err)
{
	struct machine_facts *facts = &machine->facts;
	int n = hwloc_cpukinds_get_nr(machine->topology, 0);
	hwloc_bitmap_t cpus;
	int rc = 0;

	if (n < 2)
		return 0;
	facts->kinds = calloc((size_t)n, sizeof(*facts->kinds));
	cpus = hwloc_bitmap_alloc();
	if (!facts->kinds || !cpus) {
		hwloc_bitmap_free(cpus);
		return error_no_memory(err, "the CPU kinds");
	}
	facts->n_kinds = (size_t)n;
	for (unsigned i = 0; i < (unsigned)n && rc == 0; i++)
		rc = read_kind(machine, i, cpus, err);
	hwloc_bitmap_free(cpus);
	return rc;
}

static int read_cpus(struct machine *machine, struct error *err)
{
	struct machine_facts *facts = &machine->facts;
	hwloc_topology_t topology = machine->topology;
	hwloc_const_bitmap_t online =
		hwloc_topology_get_topology_cpuset(topology);
	hwloc_const_bitmap_t present =
		hwloc_topology_get_complete_cpuset(topology);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int rc;

	if (!set)
		return error_no_memory(err, "a set of CPUs");
	rc = bitmap_to_list(online, &facts->online, err);
	if (rc == 0) {
		hwloc_bitmap_andnot(set, present, online);
		rc = bitmap_to_list(set, &facts->offline, err);
	}
	hwloc_bitmap_and(
		set, online, hwloc_topology_get_allowed_cpuset(topology));
	if (rc == 0)
		rc = bitmap_to_list(set, &facts->cpuset, err);
	if (rc == 0)
		rc = bitmap_to_list(set, &facts->allowed, err);
	hwloc_bitmap_free(set);
	facts->cpus_online = (int)facts->online.n;
	facts->cpus_configured = (int)(facts->online.n + facts->offline.n);
	return rc;
}

int facts_from_topology(struct machine *machine, struct error *err)
{
	struct machine_facts *facts = &machine->facts;
	hwloc_topology_t topology = machine->topology;
	int rc;

	facts->boost = -1;
	facts->load_1min = -1;
	facts->hugetlb_bytes = -1;
	facts->hugetlb_total = -1;
	facts->hugetlb_free = -1;
	facts->packages = count_objects(topology, HWLOC_OBJ_PACKAGE);
	facts->cores = count_objects(topology, HWLOC_OBJ_CORE);
	facts->smt = threads_share_cores(topology);
	facts->memory_bytes = hwloc_get_root_obj(topology)->total_memory;
	read_names(machine);
	rc = read_cpus(machine, err);
	if (rc == 0)
		rc = read_caches(machine, err);
	if (rc == 0)
		rc = read_nodes(machine, err);
	if (rc == 0)
		rc = read_kinds(machine, err);
	facts->line_bytes = line_bytes(machine);
	return rc;
}

int facts_add_warning(struct machine_facts *facts, char *what, char *remedy,
	struct error *err)
{
	struct machine_warning *warnings = NULL;

	if (what && remedy)
		warnings = reallocarray(facts->warnings, facts->n_warnings + 1,
			sizeof(*warnings));
	if (!warnings) {
		free(what);
		free(remedy);
		return error_no_memory(err, "a warning");
	}
	facts->warnings = warnings;
	warnings[facts->n_warnings++] = (struct machine_warning){what, remedy};
	return 0;
}

void machine_facts_release(struct machine_facts *facts)
{
	free(facts->hostname);
	free(facts->cpu_model);
	free(facts->arch);
	free(facts->kernel);
	free(facts->hypervisor);
	free(facts->microcode);
	free(facts->governor);
	free(facts->thp);
	cpu_list_release(&facts->online);
	cpu_list_release(&facts->offline);
	cpu_list_release(&facts->allowed);
	cpu_list_release(&facts->cpuset);
	cpu_list_release(&facts->isolated);
	for (size_t i = 0; i < facts->n_caches; i++)
		cpu_list_release(&facts->caches[i].cpus);
	free(facts->caches);
	for (size_t i = 0; i < facts->n_nodes; i++)
		cpu_list_release(&facts->nodes[i].cpus);
	free(facts->nodes);
	for (size_t i = 0; i < facts->n_kinds; i++) {
		free(facts->kinds[i].description);
		cpu_list_release(&facts->kinds[i].cpus);
	}
	free(facts->kinds);
	for (size_t i = 0; i < facts->n_warnings; i++) {
		free(facts->warnings[i].what);
		free(facts->warnings[i].remedy);
	}
	free(facts->warnings);
}
