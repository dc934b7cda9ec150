/*
 * What the files of machine/ share and nobody else includes: the struct
 * machine itself, and the functions that fill it.
 */
#ifndef C2C_INTERNAL_H
#define C2C_INTERNAL_H

#include <hwloc.h>

#include "machine/files.h"
#include "machine/machine.h"

/* The CPU lists of the facts are made from these sets. */
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
	struct files files;  /* their arena holds all of the facts */
	const char *cpuinfo; /* the text of /proc/cpuinfo, or NULL */
	const char *hwloc_messages; /* by hwloc, while warnings are sought */
	hwloc_bitmap_t sets[SETS];
	struct machine_facts facts;
};

/*
 * Begin a topology with all CPUs, also those that this process may not use, and
 * without instruction caches, which would stand between a core and what it
 * shares with others.
 */
int machine_topology_init(hwloc_topology_t *topology, struct error *err);

/*
 * Whether hwloc survives a source, and finds its objects sound: negative when
 * it does not. 0 if hwloc refuses it. *messages is what it prints, for free(),
 * or NULL. Forks: not while threads are at work.
 */
struct topology_source;

int machine_try(const struct topology_source *source, char **messages,
	struct error *err);

/* Leave out what hwloc prints in between: the trial has it. */
int quiet_begin(void);
void quiet_end(int out);

/*
 * -EINVAL if a text is not the XML of hwloc, -ENOTSUP if it is that of a later
 * one.
 */
int machine_check_xml(const char *text, struct error *err);

/*
 * Whether the kernel tells which CPUs this process may use. hwloc (2.9) takes
 * every refusal for a set that was too small, and asks for ever.
 */
int machine_check_affinity(struct error *err);

/* -EINVAL (ERROR_USAGE) if the topology lacks one of these CPUs. */
int machine_check_cpus(hwloc_topology_t topology, const struct cpu_list *cpus,
	struct error *err);

/* A topology as XML for free(); NULL without memory. */
char *machine_topology_xml(hwloc_topology_t topology);

/*
 * The object of a type behind the last one, at whatever depth of the tree, in
 * the order of their CPUs; NULL at the end.
 */
hwloc_obj_t next_of_type(
	hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t last);

/* How many there are. */
int count_of_type(hwloc_topology_t topology, hwloc_obj_type_t type);

/* One by its place in that order, or NULL; and the place of one. */
hwloc_obj_t object_of_type(
	hwloc_topology_t topology, hwloc_obj_type_t type, unsigned index);
unsigned index_of_object(hwloc_topology_t topology, hwloc_obj_t obj);

/* The LLC over cpu, as an index into the facts, or -1. */
int machine_llc_index(const struct machine_facts *facts, unsigned cpu);

/* The node that holds cpu, as an index into the facts, or -1. */
int machine_own_node_index(const struct machine_facts *facts, unsigned cpu);

/*
 * The CPUs whose own node that is, for hwloc_bitmap_free(); NULL without
 * memory. hwloc gives a node all CPUs that the firmware says are near to it.
 */
hwloc_bitmap_t own_cpus_of(const struct machine_facts *facts, unsigned node);

/* The CPUs of a set, increasing, in an arena; none of an infinite set. */
struct cpu_list list_of_set(struct arena *arena, hwloc_const_bitmap_t set);

/*
 * The stages, which arena_run() runs on the arena of the files: what the
 * topology tells; what the files tell, over that; what would disturb a
 * measurement, most disturbing first.
 */
void facts_from_topology(struct machine *machine);
void facts_from_system(struct machine *machine);
void facts_warn(struct machine *machine);

#endif
