/* Disturbances of CPUs, counted by the kernel since boot. */
#ifndef C2C_DISTURBANCE_H
#define C2C_DISTURBANCE_H

#include "machine/machine.h"

/* Counts of one CPU; negative: unknown. */
struct cpu_disturbance {
	double interrupts; /* from /proc/interrupts, with timers */
	/* Clock ticks in /proc/stat: given to other guests, and all. */
	double stolen, ticks;
};

/* Fill counts[cpus->n]. -ENOMEM. */
int machine_count_disturbance(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_disturbance *counts,
	struct error *err);

/* Append the CPUs that have no tick while one thread runs (nohz_full=). */
int machine_list_tickless(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_list *tickless,
	struct error *err);

#endif
