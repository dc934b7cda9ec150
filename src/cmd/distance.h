/* Kinds of distance between two CPUs, according to the topology. */
#ifndef C2C_DISTANCE_H
#define C2C_DISTANCE_H

#include "machine/machine.h"

/* Kinds of distance, from near to far. */
enum cpu_distance {
	DISTANCE_SAME_CORE,
	DISTANCE_SAME_LLC,
	DISTANCE_SAME_PACKAGE,
	DISTANCE_OTHER_PACKAGE,
	DISTANCES,
};

/* "SMT siblings", "same LLC", "same package", "other package" */
extern const char *const distance_names[DISTANCES];

/* Return the distance of two different CPUs in the topology. */
enum cpu_distance distance_of_cpus(
	const struct machine *machine, unsigned a, unsigned b);

#endif
