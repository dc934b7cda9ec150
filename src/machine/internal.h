/* Private to machine/: the struct machine, and the functions that fill it. */
#ifndef C2C_INTERNAL_H
#define C2C_INTERNAL_H

#include <hwloc.h>

#include "machine/files.h"
#include "machine/machine.h"

/* Sets of CPUs; the facts list their members. */
enum machine_set {
	SET_ONLINE,
	SET_PRESENT,
	SET_CPUSET,
	SET_AFFINITY,
	SET_ISOLATED,
	SET_OFFLINE,
	SET_SCRATCH,
	SETS
};

struct machine {
	hwloc_topology_t topology;
	bool here; /* the topology is of the running machine */
	struct files files;
	const char *cpuinfo;	    /* text of /proc/cpuinfo, or NULL */
	const char *hwloc_messages; /* only valid during facts_warn() */
	hwloc_bitmap_t sets[SETS];
	struct machine_facts facts;
};

/*
 * Begin a topology with all CPUs, including those that this process may not
 * use, and without instruction caches.
 */
int machine_topology_init(hwloc_topology_t *topology, struct error *err);

/*
 * Load a source in a child process. Return a negative errno if hwloc crashes or
 * builds invalid objects, but 0 if hwloc rejects the source. *messages gets the
 * output of hwloc, for free(), or NULL. Call this before starting threads,
 * because it forks.
 */
struct topology_source;

int machine_try(const struct topology_source *source, char **messages,
	struct error *err);

/* Suppress hwloc's messages between the calls; the trial reports them. */
int quiet_begin(void);
void quiet_end(int out);

/* Return -EINVAL if text is not hwloc's XML, -ENOTSUP if it is too new. */
int machine_check_xml(const char *text, struct error *err);

/*
 * Check that the kernel reports which CPUs this process may use. hwloc (2.9)
 * interprets every refusal as a set that is too small, and retries forever.
 */
int machine_check_affinity(struct error *err);

/* Return -EINVAL (ERROR_USAGE) if the topology lacks one of these CPUs. */
int machine_check_cpus(hwloc_topology_t topology, const struct cpu_list *cpus,
	struct error *err);

/* Return a topology as XML for free(), or NULL without memory. */
char *machine_topology_xml(hwloc_topology_t topology);

/*
 * Return the next object of a type after `last`, in the order of their CPUs at
 * all depths of the tree; NULL after the last object.
 */
hwloc_obj_t next_of_type(
	hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t last);

/* Return the number of objects of a type. */
int count_of_type(hwloc_topology_t topology, hwloc_obj_type_t type);

/*
 * Return the object with an index in the order of next_of_type(), or NULL;
 * return the index of an object.
 */
hwloc_obj_t object_of_type(
	hwloc_topology_t topology, hwloc_obj_type_t type, unsigned index);
unsigned index_of_object(hwloc_topology_t topology, hwloc_obj_t obj);

/* Return the node that has cpu, as an index into the facts, or -1. */
int machine_own_node_index(const struct machine_facts *facts, unsigned cpu);

/*
 * Return the CPUs whose own node this is, for hwloc_bitmap_free(); NULL without
 * memory. hwloc's own list has all CPUs that the firmware reports as near to
 * the node.
 */
hwloc_bitmap_t own_cpus_of(const struct machine_facts *facts, unsigned node);

/* Return a sorted list of the CPUs in a set; empty if the set is infinite. */
struct cpu_list list_of_set(struct arena *arena, hwloc_const_bitmap_t set);

/*
 * Stages of reading the facts, which arena_run() runs on the arena of the
 * files: from the topology, then from files, which have precedence, then
 * warnings, the most disturbing first.
 */
void facts_from_topology(struct machine *machine);
void facts_from_system(struct machine *machine);
void facts_warn(struct machine *machine);

#endif
