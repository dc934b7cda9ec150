/*
 * The figures of a curve of rates over the number of CPUs. Pure.
 */
#ifndef C2C_NUMA_SCALING_H
#define C2C_NUMA_SCALING_H

#include <stddef.h>

/* NaN: the curve does not show the value. */
struct numa_scaling_figures {
	double one_gib_per_s;
	double most_gib_per_s, most_cpus;     /* highest rate, and its CPUs */
	double half_cpus;		      /* fewest CPUs for half of most */
	double enough_cpus, enough_gib_per_s; /* fewest CPUs for 95 % of most */
	double last_gib_per_s, last_cpus;     /* the last point */
};

struct numa_scaling_figures numa_find_scaling(
	const double *cpus, const double *gib_per_s, size_t n);

/*
 * Write the figures as a sentence without its full stop: "45.1 GiB/s; one CPU
 * reaches 12.3; 2 CPUs reach half; more than 6 CPUs add less than 5 %".
 */
#define NUMA_SCALING_BYTES 240
const char *numa_scaling_text(const struct numa_scaling_figures *figures,
	char text[NUMA_SCALING_BYTES]);

#endif
