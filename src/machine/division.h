/*
 * How the topology divides CPUs: into cores, into those that share a cache,
 * NUMA nodes, packages, kinds.
 */
#ifndef C2C_DIVISION_H
#define C2C_DIVISION_H

#include <stdint.h>

#include "machine/machine.h"
#include "util/arena.h"

/* Which of the objects of one type each CPU lies in. */
struct machine_division {
	char name[32];	 /* "Core", "L2", "L3", "Die", "NUMANode", "CPUKind" */
	uint32_t *group; /* [n CPUs], numbered by first CPU */
	size_t n_groups; /* a CPU outside of all objects is alone */
};

struct machine_divisions {
	struct machine_division *items; /* those of the finest first */
	size_t n;
	struct arena arena;
};

/*
 * Every division of cpus into two groups or more, with two CPUs or more in one
 * of them; others say nothing. -EINVAL (ERROR_USAGE) when the topology lacks
 * one of the CPUs. Released by machine_divisions_release(), also after a
 * failure.
 */
int machine_divide(const struct machine *machine, const struct cpu_list *cpus,
	struct machine_divisions *divisions, struct error *err);
void machine_divisions_release(struct machine_divisions *divisions);

#endif
