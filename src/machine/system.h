/*
 * Kernel files that more than one file of machine/ reads.
 */
#ifndef C2C_SYSTEM_H
#define C2C_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/files.h"

/*
 * CPU time since boot, summed over CPUs, in clock ticks (proc(5), /proc/stat):
 * what the hypervisor gave to others, and all of it. False when it cannot be
 * known.
 */
bool system_cpu_ticks(struct files *files, double *stolen, double *total);

/*
 * How many CPUs' worth of time the cgroup grants this process (cpu.max,
 * cpu.cfs_quota_us); negative without a limit or when it cannot be known.
 */
double system_cpu_quota(struct files *files);

/*
 * Visit, for a controller ("cpu", "memory"), the cgroup folder (cgroups(7), v1
 * or v2) of this process and every one above, whose limits hold for it too.
 * Inside a container the lowest may be folders that only the host sees, and
 * whose files cannot be read.
 */
void system_visit_cgroups(struct files *files, const char *controller,
	void (*visit)(struct files *files, const char *folder, void *arg),
	void *arg);

/* The number, of KiB or of pages, of a line of /proc/meminfo's text; or -1. */
long long system_meminfo(
	struct files *files, const char *meminfo, const char *key);

/* The hugetlb pages of the default size; -1 for what cannot be known. */
struct hugetlb {
	long long page_kib, total, free, promised;
};

struct hugetlb system_hugetlb(struct files *files, const char *meminfo);

/* "always", "madvise" or "never", whichever is in force; NULL: unknown. */
char *system_thp(struct files *files);

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

/* The governor of one CPU, or NULL. */
char *system_governor(struct files *files, unsigned cpu);

/*
 * What the CPU and the firmware say about themselves: model, microcode,
 * hypervisor; NULL where they do not. here: cpuinfo is of the running CPU.
 */
char *identity_cpu_model(struct files *files, const char *cpuinfo);
char *identity_microcode(struct files *files, const char *cpuinfo);
char *identity_hypervisor(struct files *files, const char *cpuinfo, bool here);

/* Whether the CPU has a time-stamp counter, as x86 has. */
bool identity_has_tsc(struct files *files, const char *cpuinfo, bool here);

#endif
