/*
 * Kinds of distance between two CPUs, as the topology puts them.
 */
#ifndef C2C_DISTANCE_H
#define C2C_DISTANCE_H

#include "machine/machine.h"

/* Near to far. */
enum cpu_distance {
	DISTANCE_SAME_CORE,
	DISTANCE_SAME_LLC,
	DISTANCE_SAME_PACKAGE,
	DISTANCE_OTHER_PACKAGE,
	DISTANCES,
};

/* "SMT siblings", "same LLC", "same package", "other package" */
extern const char *const distance_names[DISTANCES];

/* How far apart the topology puts two different CPUs. */
enum cpu_distance distance_of_cpus(
	const struct machine *machine, unsigned a, unsigned b);

#endif
