/*
 * What the files of machine/ share and nobody else includes: the struct
 * machine itself and the stages in which machine_new() fills it.
 */
#ifndef C2C_MACHINE_INTERNAL_H
#define C2C_MACHINE_INTERNAL_H

#include <hwloc.h>

#include "machine/machine.h"

struct machine {
	hwloc_topology_t topology;
	bool here; /* the topology is that of the running machine */
	struct machine_facts facts;
};

/*
 * A topology to be loaded, as every machine's is: all CPUs, those that this
 * process may not use too, and no instruction caches.
 */
int machine_topology_init(hwloc_topology_t *topology, struct error *err);

/*
 * Whether hwloc survives an XML text of bytes bytes, the closing null counted,
 * and finds its objects sound: -EINVAL when it does not. 0 for a text that
 * hwloc refuses. Forks: not while threads are at work.
 */
int machine_try_xml(const char *xml, int bytes, struct error *err);

/* Append the CPUs of a finite bitmap to list, increasing. */
int bitmap_to_list(
	hwloc_const_bitmap_t bitmap, struct cpu_list *list, struct error *err);

/* That a topology has all these CPUs: -EINVAL (ERROR_USAGE) where it lacks one.
 */
int machine_check_cpus(hwloc_topology_t topology, const struct cpu_list *cpus,
	struct error *err);

/* What the topology tells: names, counts, caches, nodes, kinds, CPU sets. */
int facts_from_topology(struct machine *machine, struct error *err);

/*
 * What the kernel's files below root tell ("" for the machine at hand), over
 * what the topology told. Files that are missing leave facts unknown.
 */
int facts_from_system(
	struct machine *machine, const char *root, struct error *err);

/* What would disturb a measurement, most disturbing first. */
int facts_warn(struct machine *machine, const char *root, struct error *err);

/* Append a warning; takes both strings. -ENOMEM when one is NULL. */
int facts_add_warning(struct machine_facts *facts, char *what, char *remedy,
	struct error *err);

void machine_facts_release(struct machine_facts *facts);

#endif
