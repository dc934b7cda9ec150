/*
 * What machines and cgroups leave of memory, from the kernel's files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/system.h"
#include "pretend.h"

#define MIB ((uint64_t)1 << 20)

#define MEMINFO                                                                \
	"MemTotal:       33554432 kB\n"                                        \
	"MemFree:          524288 kB\n"                                        \
	"MemAvailable:   16777216 kB\n"                                        \
	"CommitLimit:     2097152 kB\n"                                        \
	"Committed_AS:    1048576 kB\n"

#define V2   "sys/fs/cgroup/"
#define NODE "sys/devices/system/node/node"
#define V1   "sys/fs/cgroup/memory/"

/* A root of which nothing is known yet; pretend_remove() deletes it. */
static char *bare_root(void)
{
	char *root = pretend_tree("bare");

	assert_true(system_memory_left(root) == UINT64_MAX);
	return root;
}

static void assert_left_mib(const char *root, uint64_t mib)
{
	assert_int_equal(system_memory_left(root) / MIB, mib);
}

static void what_is_available_counts_not_what_is_free(void **state)
{
	char *root = bare_root();

	(void)state;
	pretend_put(root, "proc/meminfo", MEMINFO);
	assert_left_mib(root, 16384);
	pretend_remove(root);
}

static void strict_promises_count_where_they_are_kept(void **state)
{
	char *root = bare_root();

	(void)state;
	pretend_put(root, "proc/meminfo", MEMINFO);
	pretend_put(root, "proc/sys/vm/overcommit_memory", "1\n");
	assert_left_mib(root, 16384);
	pretend_put(root, "proc/sys/vm/overcommit_memory", "2\n");
	assert_left_mib(root, 1024);
	pretend_remove(root);
}

static void the_lowest_cgroup_limit_counts(void **state)
{
	char *root = bare_root();

	(void)state;
	pretend_put(root, "proc/meminfo", MEMINFO);
	pretend_put(root, "proc/self/cgroup", "0::/job/task\n");
	pretend_put(root, V2 "job/task/memory.max", "max\n");
	pretend_put(root, V2 "job/task/memory.current", "1073741824\n");
	assert_left_mib(root, 16384);
	pretend_put(root, V2 "job/memory.max", "4294967296\n");
	pretend_put(root, V2 "job/memory.current", "2147483648\n");
	assert_left_mib(root, 2048);
	pretend_put(root, V2 "job/task/memory.high", "2147483648\n");
	assert_left_mib(root, 1024);
	pretend_remove(root);
}

static void file_cache_is_given_back(void **state)
{
	char *root = bare_root();

	(void)state;
	pretend_put(root, "proc/self/cgroup", "0::/\n");
	pretend_put(root, V2 "memory.max", "4294967296\n");
	pretend_put(root, V2 "memory.current", "4294967296\n");
	assert_left_mib(root, 0);
	pretend_put(root, V2 "memory.stat",
		"anon 1\nactive_file_of_others 1099511627776\n"
		"inactive_file 1073741824\nactive_file 536870912\n");
	assert_left_mib(root, 1536);
	/* More cache than use: the two are not read at the same instant. */
	pretend_put(root, V2 "memory.current", "1048576\n");
	assert_left_mib(root, 4096);
	pretend_remove(root);
}

static void cgroups_of_the_first_kind_count_too(void **state)
{
	char *root = bare_root();

	(void)state;
	pretend_put(root, "proc/self/cgroup",
		"9:name=systemd:/\n4:memory:/job\n3:cpuset:/other\n0::/\n");
	/* No limit, as the kernel writes it. */
	pretend_put(root, V1 "memory.limit_in_bytes", "9223372036854771712\n");
	assert_true(system_memory_left(root) > (uint64_t)1 << 60);
	pretend_put(root, V1 "job/memory.limit_in_bytes", "4294967296\n");
	pretend_put(root, V1 "job/memory.usage_in_bytes", "3221225472\n");
	pretend_put(root, V1 "job/memory.stat",
		"inactive_file 1\ntotal_inactive_file 268435456\n"
		"total_active_file 268435456\n");
	assert_left_mib(root, 1536);
	/* As a container sees it: its own limit at the root. */
	pretend_drop(root, V1 "job");
	pretend_put(root, V1 "memory.limit_in_bytes", "1073741824\n");
	assert_left_mib(root, 1024);
	pretend_remove(root);
}

static void a_limit_that_is_exceeded_leaves_nothing(void **state)
{
	char *root = bare_root();

	(void)state;
	pretend_put(root, "proc/self/cgroup", "0::/\n");
	pretend_put(root, V2 "memory.max", "1048576\n");
	pretend_put(root, V2 "memory.current", "2097152\n");
	assert_true(system_memory_left(root) == 0);
	pretend_remove(root);
}

/* A block has pages of its own. */
static void free_hugetlb_pages_hold_whole_blocks(void **state)
{
	char *root = bare_root();

	(void)state;
	assert_int_equal(system_hugetlb_blocks(root, MIB, false), 0);
	pretend_put(root, "proc/meminfo",
		MEMINFO
		"HugePages_Total:    1000\nHugePages_Free:      100\n"
		"HugePages_Rsvd:       10\nHugepagesize:     2048 kB\n");
	assert_int_equal(system_hugetlb_blocks(root, 180 * MIB, false), 1);
	assert_int_equal(system_hugetlb_blocks(root, 180 * MIB + 1, false), 0);
	assert_int_equal(system_hugetlb_blocks(root, 60 * MIB, false), 3);
	assert_int_equal(system_hugetlb_blocks(root, 1, false), 90);
	assert_int_equal(system_hugetlb_blocks(root, 0, false), 0);
	assert_int_equal(system_hugetlb_blocks(root, UINT64_MAX, false), 0);
	/* Where nothing is said of nodes, there is one. */
	assert_int_equal(system_hugetlb_blocks(root, 60 * MIB, true), 3);
	pretend_remove(root);
}

static void the_poorest_node_counts_for_all(void **state)
{
	char *root = bare_root();

	(void)state;
	pretend_put(root, "proc/meminfo",
		MEMINFO
		"HugePages_Total:     100\nHugePages_Free:      100\n"
		"HugePages_Rsvd:        0\nHugepagesize:     2048 kB\n");
	pretend_put(root, NODE "0/hugepages/hugepages-2048kB/free_hugepages",
		"79\n");
	pretend_put(root, NODE "3/hugepages/hugepages-2048kB/free_hugepages",
		"21\n");
	/* Of another size. */
	pretend_put(root, NODE "3/hugepages/hugepages-1048576kB/free_hugepages",
		"0\n");
	assert_int_equal(system_hugetlb_blocks(root, 20 * MIB, false), 10);
	assert_int_equal(system_hugetlb_blocks(root, 20 * MIB, true), 4);
	assert_int_equal(system_hugetlb_blocks(root, 50 * MIB, true), 0);
	pretend_remove(root);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(what_is_available_counts_not_what_is_free),
	cmocka_unit_test(strict_promises_count_where_they_are_kept),
	cmocka_unit_test(the_lowest_cgroup_limit_counts),
	cmocka_unit_test(file_cache_is_given_back),
	cmocka_unit_test(cgroups_of_the_first_kind_count_too),
	cmocka_unit_test(a_limit_that_is_exceeded_leaves_nothing),
	cmocka_unit_test(free_hugetlb_pages_hold_whole_blocks),
	cmocka_unit_test(the_poorest_node_counts_for_all),
};

CASE_GROUP(cases);
