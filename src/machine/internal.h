/* Private to machine/: the struct machine, and the functions that fill it. */
#ifndef C2C_INTERNAL_H
#define C2C_INTERNAL_H

#include <hwloc.h>

#include "machine/files.h"
#include "machine/machine.h"

/* Sets from which the CPU lists of the facts are made. */
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
	bool here;	     /* the topology is that of the running machine */
	struct files files;  /* their arena holds all facts */
	const char *cpuinfo; /* text of /proc/cpuinfo, or NULL */
	const char *hwloc_messages; /* valid while warnings are made */
	hwloc_bitmap_t sets[SETS];
	struct machine_facts facts;
};

/*
 * Begin a topology with all CPUs, including those that this process may not
 * use, and without instruction caches.
 */
int machine_topology_init(hwloc_topology_t *topology, struct error *err);

/*
 * Load a source in a child process to see whether hwloc survives it and its
 * objects are valid. Negative if not; 0 if hwloc rejects it. *messages gets the
 * output of hwloc, for free(), or NULL. This forks, so call it without running
 * threads.
 */
struct topology_source;

int machine_try(const struct topology_source *source, char **messages,
	struct error *err);

/* Suppress hwloc's messages between these; the trial has reported them. */
int quiet_begin(void);
void quiet_end(int out);

/*
 * Check that a text is hwloc's XML: -EINVAL if not, -ENOTSUP if a later hwloc
 * wrote it.
 */
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
 * Return the object of a type after `last`, at any depth of the tree, in the
 * order of their CPUs; NULL at the end.
 */
hwloc_obj_t next_of_type(
	hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t last);

/* Return the number of objects of a type. */
int count_of_type(hwloc_topology_t topology, hwloc_obj_type_t type);

/* Return the index-th object of next_of_type(), or NULL; an object's index. */
hwloc_obj_t object_of_type(
	hwloc_topology_t topology, hwloc_obj_type_t type, unsigned index);
unsigned index_of_object(hwloc_topology_t topology, hwloc_obj_t obj);

/* Return the LLC of cpu, as an index into the facts, or -1. */
int machine_llc_index(const struct machine_facts *facts, unsigned cpu);

/* Return the node that has cpu, as an index into the facts, or -1. */
int machine_own_node_index(const struct machine_facts *facts, unsigned cpu);

/*
 * Return the CPUs whose own node this is, for hwloc_bitmap_free(); NULL without
 * memory. hwloc gives a node all CPUs that the firmware reports as near to it.
 */
hwloc_bitmap_t own_cpus_of(const struct machine_facts *facts, unsigned node);

/* Return the CPUs of a set, increasing, in an arena; none if it is infinite. */
struct cpu_list list_of_set(struct arena *arena, hwloc_const_bitmap_t set);

/*
 * Read the facts, in stages that arena_run() runs on the arena of the files:
 * from the topology; then from files, which have precedence; then the warnings,
 * the most disturbing first.
 */
void facts_from_topology(struct machine *machine);
void facts_from_system(struct machine *machine);
void facts_warn(struct machine *machine);

#endif
