/*
 * How the topology divides CPUs: into cores, CPUs that share a cache, NUMA
 * nodes, packages, kinds.
 */
#ifndef C2C_DIVISION_H
#define C2C_DIVISION_H

#include <stdint.h>

#include "machine/machine.h"
#include "util/arena.h"

/* A division of CPUs into groups, by the objects of one type. */
struct machine_division {
	char name[32];	 /* "Core", "L2", "L3", "Die", "NUMANode", "CPUKind" */
	uint32_t *group; /* [CPUs]; in the order of first CPUs */
	size_t n_groups; /* with CPUs outside all objects, a group each */
};

struct machine_divisions {
	struct machine_division *items; /* finest first */
	size_t n;
	struct arena arena;
};

/*
 * Make every division of cpus that has two groups or more, and two CPUs or more
 * in one of them. -EINVAL (ERROR_USAGE) if the topology lacks one of the CPUs.
 * Call machine_divisions_release() even after a failure.
 */
int machine_divide(const struct machine *machine, const struct cpu_list *cpus,
	struct machine_divisions *divisions, struct error *err);
void machine_divisions_release(struct machine_divisions *divisions);

#endif
