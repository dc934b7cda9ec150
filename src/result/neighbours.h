/* The neighbours of each CPU, for c2c export --placement=json. */
#ifndef C2C_NEIGHBOURS_H
#define C2C_NEIGHBOURS_H

#include <stddef.h>
#include <stdio.h>

#include "util/cpu_list.h"

struct record_type;

struct cpu_neighbours {
	unsigned cpu;
	struct cpu_list cpus; /* nearest first */
	size_t n_values;
	double *values; /* [n_values] to cpus: mean of both directions */
};

struct neighbours {
	char *matrix, *unit, *quantity; /* quantity may be NULL */
	size_t n_cpus;
	struct cpu_neighbours *cpus; /* [n_cpus] by thread */
};

extern const struct record_type neighbours_type;

/* Print the JSON. Return a result like print_struct(). */
int neighbours_print(const struct neighbours *neighbours, FILE *out);

#endif
