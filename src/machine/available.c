/*
 * available.c: the memory that this process can use now. The kernel grants more
 * memory than the machine has, and kills a process when memory runs out. So c2c
 * checks the limits before it maps memory. Sources: proc(5); the kernel's
 * admin-guide/cgroup-v2 and admin-guide/cgroup-v1/memory; getrlimit(2).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "machine/memory.h"
#include "machine/system.h"

static void take_lower(uint64_t *lowest, uint64_t limit, uint64_t used)
{
	uint64_t left = limit > used ? limit - used : 0;

	if (left < *lowest)
		*lowest = left;
}

/*
 * Return the memory that a cgroup uses, without its file cache, which the
 * kernel reclaims before it kills a process.
 */
static uint64_t cgroup_used(struct files *files, const char *folder)
{
	long long used =
		files_number(files_read(files, "%s/memory.current", folder));
	const char *stat = files_read(files, "%s/memory.stat", folder);
	uint64_t cache;

	if (used >= 0) {
		cache = files_stat(stat, "active_file") +
			files_stat(stat, "inactive_file");
	} else {
		used = files_number(
			files_read(files, "%s/memory.usage_in_bytes", folder));
		cache = files_stat(stat, "total_active_file") +
			files_stat(stat, "total_inactive_file");
	}
	return used > 0 && (uint64_t)used > cache ? (uint64_t)used - cache : 0;
}

static void take_cgroup(struct files *files, const char *folder, void *arg)
{
	/* Above memory.high the kernel only slows a process. */
	static const char *const limits[] = {
		"memory.max", "memory.high", "memory.limit_in_bytes"};
	uint64_t *lowest = arg;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		/* "max" means no limit. */
		long long limit = files_number(
			files_read(files, "%s/%s", folder, limits[i]));

		if (limit >= 0)
			take_lower(lowest, (uint64_t)limit,
				cgroup_used(files, folder));
	}
}

uint64_t system_memory_left(const char *root)
{
	struct files files = {.root = root};
	const char *meminfo = files_read(&files, "/proc/meminfo");
	long long available_kib =
		system_meminfo(&files, meminfo, "MemAvailable");
	long long limit_kib = system_meminfo(&files, meminfo, "CommitLimit");
	long long used_kib = system_meminfo(&files, meminfo, "Committed_AS");
	uint64_t lowest = UINT64_MAX;

	if (available_kib >= 0)
		take_lower(&lowest, (uint64_t)available_kib * 1024, 0);
	/* In mode 2 the kernel grants at most CommitLimit of memory. */
	if (limit_kib >= 0 && used_kib >= 0 &&
		files_number(files_read(
			&files, "/proc/sys/vm/overcommit_memory")) == 2)
		take_lower(&lowest, (uint64_t)limit_kib * 1024,
			(uint64_t)used_kib * 1024);
	system_visit_cgroups(&files, "memory", take_cgroup, &lowest);
	arena_release(&files.arena);
	return lowest;
}

/* More nodes than any kernel supports. */
#define NODES_MAX 1024

uint64_t system_hugetlb_blocks(const char *root, uint64_t bytes, bool evenly)
{
	struct files files = {.root = root};
	struct hugetlb hugetlb =
		system_hugetlb(&files, files_read(&files, "/proc/meminfo"));
	long long left = hugetlb.free - hugetlb.promised;
	uint64_t least = UINT64_MAX, nodes = 0, pages, blocks = 0;

	if (hugetlb.page_kib <= 0 || left <= 0 || bytes == 0)
		goto out;
	pages = (bytes - 1) / ((uint64_t)hugetlb.page_kib * 1024) + 1;
	blocks = (uint64_t)left / pages;
	for (int node = 0; evenly && node < NODES_MAX; node++) {
		long long here = files_number(files_read(&files,
			"/sys/devices/system/node/node%d/hugepages/"
			"hugepages-%lldkB/free_hugepages",
			node, hugetlb.page_kib));

		if (here < 0)
			continue;
		nodes++;
		if ((uint64_t)here / pages < least)
			least = (uint64_t)here / pages;
	}
	if (nodes && nodes * least < blocks)
		blocks = nodes * least;
out:
	arena_release(&files.arena);
	return blocks;
}

/* Lower *lowest to the memory that ulimit -v and ulimit -d still allow. */
static void take_rlimits(uint64_t *lowest)
{
	unsigned long long size = 0, data = 0;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct files files = {.root = ""};
	const char *statm = files_line(files_read(&files, "/proc/self/statm"));
	struct rlimit limit;

	/* statm: size resident shared text lib data dt, in pages */
	if (statm)
		sscanf(statm, "%llu %*u %*u %*u %*u %llu", &size, &data);
	arena_release(&files.arena);
	if (getrlimit(RLIMIT_AS, &limit) == 0 &&
		limit.rlim_cur != RLIM_INFINITY)
		take_lower(lowest, limit.rlim_cur, size * page);
	if (getrlimit(RLIMIT_DATA, &limit) == 0 &&
		limit.rlim_cur != RLIM_INFINITY)
		take_lower(lowest, limit.rlim_cur, data * page);
}

uint64_t memory_available(void)
{
	uint64_t lowest = system_memory_left("");

	take_rlimits(&lowest);
	if (lowest == UINT64_MAX)
		return 0;
	/* A result of 0 would mean an unknown limit. */
	return lowest ? lowest : 1;
}
