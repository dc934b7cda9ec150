/* Read kernel files for several files of machine/. */
#ifndef C2C_SYSTEM_H
#define C2C_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/files.h"

/*
 * Read CPU time since boot, summed over CPUs, in clock ticks (proc(5),
 * /proc/stat): stolen time, and all time. Return false if unknown.
 */
bool system_cpu_ticks(struct files *files, double *stolen, double *total);

/* Read the ticks from one line of /proc/stat. */
bool system_line_ticks(const char *line, double *stolen, double *total);

/*
 * Return the CPU limit of this process's cgroup, in CPUs (cpu.max,
 * cpu.cfs_quota_us); negative if there is none or it is unknown.
 */
double system_cpu_quota(struct files *files);

/*
 * Visit this process's cgroup folder for a controller ("cpu", "memory";
 * cgroups(7), v1 or v2) and all folders above it, whose limits also apply. In a
 * container, the files of the lowest folders may be unreadable, because only
 * the host has them.
 */
void system_visit_cgroups(struct files *files, const char *controller,
	void (*visit)(struct files *files, const char *folder, void *arg),
	void *arg);

/* Return the KiB or pages in a line of /proc/meminfo, or -1. */
long long system_meminfo(
	struct files *files, const char *meminfo, const char *key);

/* The hugetlb pages of the default size; -1 is unknown. */
struct hugetlb {
	long long page_kib, total, free, promised;
};

struct hugetlb system_hugetlb(struct files *files, const char *meminfo);

/* Return "always", "madvise" or "never", whichever is active; NULL: unknown. */
char *system_thp(struct files *files);

/*
 * Return the bytes that the machine and its cgroups still allow this process;
 * UINT64_MAX if unknown.
 */
uint64_t system_memory_left(const char *root);

/*
 * Return how many blocks of this many bytes, each in whole pages, fit into the
 * free hugetlb pages. If evenly is set, each node gets the same number.
 */
uint64_t system_hugetlb_blocks(const char *root, uint64_t bytes, bool evenly);

/* Return the governor of one CPU, or NULL. */
char *system_governor(struct files *files, unsigned cpu);

/*
 * Return the model, the microcode or the hypervisor that the CPU or the
 * firmware reports, or NULL. here means that cpuinfo is of the running CPU.
 */
char *identity_cpu_model(struct files *files, const char *cpuinfo);
char *identity_microcode(struct files *files, const char *cpuinfo);
char *identity_hypervisor(struct files *files, const char *cpuinfo, bool here);

/* Return whether the CPU has a timestamp counter (TSC). */
bool identity_has_tsc(struct files *files, const char *cpuinfo, bool here);

#endif
