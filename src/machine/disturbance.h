/* Finds disturbances of CPUs from the kernel's counts since boot. */
#ifndef C2C_DISTURBANCE_H
#define C2C_DISTURBANCE_H

#include "machine/machine.h"

/* Counts of one CPU; a negative count is unknown. */
struct cpu_disturbance {
	double interrupts; /* all interrupts, including timers */
	/* Clock ticks in /proc/stat: stolen by the host, and in total. */
	double stolen, ticks;
};

/* Fill counts[cpus->n]. -ENOMEM. */
int machine_count_disturbance(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_disturbance *counts,
	struct error *err);

/* Fill the ticks of counts[cpus->n], but not the interrupts. */
void machine_count_ticks(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_disturbance *counts);

/* Stolen time as a share of all time, from 0 to 1. */
struct stolen_time {
	double share; /* of all CPUs */
	double most;  /* largest of a CPU */
	unsigned cpu;
};

/* Return false if the stolen time is negligible or unknown. */
bool disturbance_find_stolen(const struct cpu_disturbance *then,
	const struct cpu_disturbance *now, const struct cpu_list *cpus,
	struct stolen_time *stolen);

/* cgroups whose limit on CPU time (cpu.max) can stop this process. */
#define THROTTLED_MOST 32

/* Periods of the CPU limit of each cgroup since its creation, from cpu.stat. */
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
 * Return the share of periods in which a CPU limit throttled this process
 * between two counts: the largest share of any of its cgroups. Return 0 if the
 * share is small or unknown.
 */
double throttled_find_share(const struct throttled_periods *then,
	const struct throttled_periods *now);

/* The interrupts of one device on one CPU. */
struct device_interrupts {
	char device[32]; /* "eth0-rx-1" */
	unsigned cpu;
	double per_s;
};

/* A snapshot of the interrupt counts; all zero if there is none. */
struct interrupts_counted {
	char *text; /* /proc/interrupts, or NULL */
	double at_s;
};

/* Take a snapshot, for interrupts_release(). */
void interrupts_count(
	const struct machine *machine, struct interrupts_counted *counted);
void interrupts_release(struct interrupts_counted *counted);

/*
 * Find the device with the highest interrupt rate on one of the CPUs between
 * two snapshots. Return false if no device interrupted them, or if the counts
 * are unknown. Timers and interprocessor interrupts do not count.
 */
bool interrupts_find_most(const struct interrupts_counted *then,
	const struct interrupts_counted *now, const struct cpu_list *cpus,
	struct device_interrupts *most);

/* Append the CPUs without timer ticks while one thread runs (nohz_full=). */
int machine_list_tickless(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_list *tickless,
	struct error *err);

#endif
