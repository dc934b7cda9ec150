/* Disturbances of CPUs, counted by the kernel since boot. */
#ifndef C2C_DISTURBANCE_H
#define C2C_DISTURBANCE_H

#include "machine/machine.h"

/* Counts of one CPU; negative: unknown. */
struct cpu_disturbance {
	double interrupts; /* from /proc/interrupts, including timers */
	/* Clock ticks in /proc/stat: stolen by the host, and all. */
	double stolen, ticks;
};

/* Fill counts[cpus->n]. -ENOMEM. */
int machine_count_disturbance(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_disturbance *counts,
	struct error *err);

/* Fill only the ticks of counts[cpus->n], without reading the interrupts. */
void machine_count_ticks(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_disturbance *counts);

/* The time that the host took from CPUs, as shares of their time. */
struct stolen_time {
	double share; /* of all CPUs */
	double most;  /* of the CPU that lost most */
	unsigned cpu;
};

/*
 * Compare two counts[cpus->n]. False: the host took almost no time, or it is
 * unknown.
 */
bool disturbance_find_stolen(const struct cpu_disturbance *then,
	const struct cpu_disturbance *now, const struct cpu_list *cpus,
	struct stolen_time *stolen);

/* cgroups whose limit on CPU time (cpu.max) can stop this process. */
#define THROTTLED_MOST 32

/* The periods of each limit since its cgroup exists, from cpu.stat. */
struct throttled_periods {
	size_t n;
	struct {
		double all, stopped;
	} cgroups[THROTTLED_MOST];
};

/* Count now. */
void throttled_count(
	const struct machine *machine, struct throttled_periods *counted);

/*
 * A CPU limit of a cgroup stops its threads in some periods. Return the share
 * of these periods between the two counts, for the cgroup with the largest
 * share; 0: it is small or unknown.
 */
double throttled_find_share(const struct throttled_periods *then,
	const struct throttled_periods *now);

/* The interrupts of one device on one CPU. */
struct device_interrupts {
	char device[32]; /* "eth0-rx-1" */
	unsigned cpu;
	double per_s;
};

/* A snapshot of the counts; zeroed: none. */
struct interrupts_counted {
	char *text; /* of /proc/interrupts, or NULL */
	double at_s;
};

/* Count now; release with interrupts_release(). */
void interrupts_count(
	const struct machine *machine, struct interrupts_counted *counted);
void interrupts_release(struct interrupts_counted *counted);

/*
 * Find the device with the highest interrupt rate on one of the CPUs between
 * the snapshots. False: no device interrupted them, or the counts are
 * unknown. Timers and interprocessor interrupts do not count.
 */
bool interrupts_find_most(const struct interrupts_counted *then,
	const struct interrupts_counted *now, const struct cpu_list *cpus,
	struct device_interrupts *most);

/* Append the CPUs that have no tick while one thread runs (nohz_full=). */
int machine_list_tickless(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_list *tickless,
	struct error *err);

#endif
