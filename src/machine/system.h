/*
 * Kernel files that more than one file of machine/ reads.
 */
#ifndef C2C_MACHINE_SYSTEM_H
#define C2C_MACHINE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * CPU time since boot, summed over CPUs, in clock ticks (proc(5), /proc/stat):
 * what the hypervisor gave to others, and all of it. False when it cannot be
 * known.
 */
bool system_cpu_ticks(const char *root, double *stolen, double *total);

/*
 * How many CPUs' worth of time the cgroup grants this process (cpu.max,
 * cpu.cfs_quota_us); negative without a limit or when it cannot be known.
 */
double system_cpu_quota(const char *root);

/*
 * The number, of KiB or of pages, that a line of the text of /proc/meminfo
 * gives; -1 without one.
 */
long long system_meminfo(const char *meminfo, const char *key);

/*
 * How many bytes the machine and the cgroups of this process leave to it;
 * UINT64_MAX when neither can be known.
 */
uint64_t system_memory_left(const char *root);

/*
 * How many blocks of so many bytes the free hugetlb pages hold, each in whole
 * pages; with evenly, as many as if each node had what the poorest has.
 */
uint64_t system_hugetlb_blocks(const char *root, uint64_t bytes, bool evenly);

/* The governor of one CPU; a string for free(), or NULL. */
char *system_governor(const char *root, unsigned cpu);

/*
 * What the CPU and the firmware say about themselves: model, microcode,
 * hypervisor. Strings for free(), or NULL. here: the CPU at hand is the one
 * that is asked about.
 */
char *identity_cpu_model(const char *cpuinfo);
char *identity_microcode(const char *root, const char *cpuinfo);
char *identity_hypervisor(const char *root, const char *cpuinfo, bool here);

/* Whether the CPU has a time-stamp counter, as x86 has. */
bool identity_has_tsc(const char *cpuinfo, bool here);

#endif
