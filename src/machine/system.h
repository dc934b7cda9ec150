/* Kernel files that more than one file of machine/ reads. */
#ifndef C2C_SYSTEM_H
#define C2C_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/files.h"

/*
 * Read CPU time since boot, summed over CPUs, in clock ticks (proc(5),
 * /proc/stat): time stolen for other guests, and all time. Return false if
 * unknown.
 */
bool system_cpu_ticks(struct files *files, double *stolen, double *total);

/* Read the ticks from one line of /proc/stat. */
bool system_line_ticks(const char *line, double *stolen, double *total);

/*
 * Return how many CPUs' time the cgroup grants this process (cpu.max,
 * cpu.cfs_quota_us); negative: no limit or unknown.
 */
double system_cpu_quota(struct files *files);

/*
 * Visit, for a controller ("cpu", "memory"), the cgroup folder (cgroups(7), v1
 * or v2) of this process and all folders above it, whose limits apply, too. In
 * a container the lowest folders may exist only on the host; their files cannot
 * be read.
 */
void system_visit_cgroups(struct files *files, const char *controller,
	void (*visit)(struct files *files, const char *folder, void *arg),
	void *arg);

/* Return the KiB or pages of a line of /proc/meminfo's text; or -1. */
long long system_meminfo(
	struct files *files, const char *meminfo, const char *key);

/* The hugetlb pages of the default size; -1: unknown. */
struct hugetlb {
	long long page_kib, total, free, promised;
};

struct hugetlb system_hugetlb(struct files *files, const char *meminfo);

/* Return "always", "madvise" or "never", whichever is active; NULL: unknown. */
char *system_thp(struct files *files);

/*
 * Return how many bytes the machine and the cgroups of this process leave to
 * it; UINT64_MAX: unknown.
 */
uint64_t system_memory_left(const char *root);

/*
 * Return how many blocks of this many bytes fit into the free hugetlb pages,
 * each in whole pages. evenly: the same number on each node.
 */
uint64_t system_hugetlb_blocks(const char *root, uint64_t bytes, bool evenly);

/* Return the governor of one CPU, or NULL. */
char *system_governor(struct files *files, unsigned cpu);

/*
 * Return what the CPU and the firmware report: model, microcode, hypervisor;
 * NULL: nothing. here: cpuinfo is of the running CPU.
 */
char *identity_cpu_model(struct files *files, const char *cpuinfo);
char *identity_microcode(struct files *files, const char *cpuinfo);
char *identity_hypervisor(struct files *files, const char *cpuinfo, bool here);

/* Return whether the CPU has a timestamp counter (TSC). */
bool identity_has_tsc(struct files *files, const char *cpuinfo, bool here);

#endif
