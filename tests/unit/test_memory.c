/*
 * Mapping memory on nodes of the machine at hand and of pretended ones.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/memory.h"
#include "machine/policy.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* since Linux 6.1 */
#endif

#define MIB ((size_t)1 << 20)

/* Of what needs memory in one piece. */
#define TRIES 5

/* More pages than one question to the kernel has room for. */
#define PAGES 700

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int set_up(void **state)
{
	struct machine *machine = NULL;

	if (machine_new(&machine, NULL) < 0)
		return -1;
	*state = machine;
	return 0;
}

static int tear_down(void **state)
{
	machine_free(*state);
	return 0;
}

/* How many of the base pages under memory are there. */
static size_t resident_pages(const struct memory_mapping *memory)
{
	size_t pages = memory->bytes / page_bytes();
	unsigned char *resident = malloc(pages);
	size_t n = 0;

	assert_non_null(resident);
	assert_int_equal(mincore(memory->base, memory->bytes, resident), 0);
	for (size_t i = 0; i < pages; i++)
		n += resident[i] & 1;
	free(resident);
	return n;
}

static int map(struct memory_mapping *memory, const struct machine *machine,
	size_t bytes, int node, struct error *err)
{
	const struct memory_request request = {
		.bytes = bytes, .node = node, .pages = MEMORY_PAGES_BASE};

	return memory_map(memory, machine, &request, err);
}

/* Whole pages, all of them there, zeroed, and to be written. */
static void assert_usable(const struct memory_mapping *memory)
{
	unsigned char *bytes = memory->base;

	assert_non_null(memory->base);
	assert_int_equal((uintptr_t)memory->base % page_bytes(), 0);
	assert_int_equal(memory->bytes % page_bytes(), 0);
	assert_int_equal(resident_pages(memory), memory->bytes / page_bytes());
	for (size_t i = 0; i < memory->bytes; i++)
		assert_int_equal(bytes[i], 0);
	memset(bytes, 0xa5, memory->bytes);
	assert_int_equal(bytes[memory->bytes - 1], 0xa5);
}

/* Huge pages of any node, or a skip where the machine says it has none. */
static void map_or_skip(struct memory_mapping *memory,
	const struct machine *machine, size_t bytes, enum memory_pages pages)
{
	const struct machine_facts *facts = machine_facts(machine);
	const struct memory_request request = {
		.bytes = bytes, .node = MEMORY_ANY_NODE, .pages = pages};
	bool expected =
		pages == MEMORY_PAGES_HUGETLB
			? facts->hugetlb_free > 0
			: facts->thp && strcmp(facts->thp, "never") != 0;
	struct error err;

	/* Memory may be in pieces for a moment. */
	for (int i = 0; i < (expected ? TRIES : 1); i++) {
		if (memory_map(memory, machine, &request, &err) == 0)
			return;
		assert_int_equal(err.class, ERROR_UNAVAILABLE);
	}
	if (expected)
		fail_msg("%s", err.text);
	print_message("skip: %s\n", err.text);
	skip();
}

static void any_node_will_do(void **state)
{
	struct memory_mapping memory;

	assert_int_equal(map(&memory, *state, 1, MEMORY_ANY_NODE, NULL), 0);
	assert_int_equal(memory.bytes, page_bytes());
	assert_true(memory.bound);
	assert_usable(&memory);
	memory_release(&memory);
	assert_null(memory.base);
	/* Released memory may be released again. */
	memory_release(&memory);
}

static void sizes_grow_to_whole_pages(void **state)
{
	struct memory_mapping memory;

	assert_int_equal(map(&memory, *state, PAGES * page_bytes() + 1,
				 MEMORY_ANY_NODE, NULL),
		0);
	assert_int_equal(memory.bytes, (PAGES + 1) * page_bytes());
	assert_usable(&memory);
	memory_release(&memory);
}

/* Where the kernel reports nodes, bound memory is where it says. */
static void every_node_gives_memory(void **state)
{
	const struct cpu_list *nodes = &machine_facts(*state)->memory_nodes;

	assert_true(nodes->n > 0);
	for (size_t i = 0; i < nodes->n; i++) {
		struct memory_mapping memory;

		assert_int_equal(map(&memory, *state, PAGES * page_bytes(),
					 (int)nodes->cpus[i], NULL),
			0);
		assert_usable(&memory);
		if (memory.bound && memory.node >= 0)
			assert_int_equal(memory.node, nodes->cpus[i]);
		memory_release(&memory);
	}
}

/* No kernel has a node 1000 where hwloc was told of one. */
static void memory_that_cannot_be_bound_is_had_unbound(void **state)
{
	struct machine *machine = NULL;
	struct memory_mapping memory;

	(void)state;
	assert_int_equal(machine_new_synthetic(&machine,
				 "numa:2(indexes=0,1000) core:1 pu:1", NULL),
		0);
	assert_int_equal(
		map(&memory, machine, PAGES * page_bytes(), 1000, NULL), 0);
	assert_false(memory.bound);
	assert_int_not_equal(memory.node, 1000);
	assert_usable(&memory);
	memory_release(&memory);
	machine_free(machine);
}

static void absent_nodes_are_refused(void **state)
{
	static const int nodes[] = {1000, -2};
	struct memory_mapping memory;
	struct error err;

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		assert_int_equal(
			map(&memory, *state, 1, nodes[i], &err), -EINVAL);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_non_null(strstr(err.text, "(nodes: 0"));
		assert_null(memory.base);
		memory_release(&memory);
	}
}

static void absurd_sizes_are_refused(void **state)
{
	struct memory_mapping memory;
	struct error err;

	assert_int_equal(
		map(&memory, *state, 0, MEMORY_ANY_NODE, &err), -EINVAL);
	assert_null(memory.base);
	assert_int_equal(
		map(&memory, *state, SIZE_MAX, MEMORY_ANY_NODE, &err), -EINVAL);
	assert_null(memory.base);
	assert_int_equal(
		map(&memory, *state, SIZE_MAX / 2, MEMORY_ANY_NODE, &err),
		-ENOMEM);
	assert_int_equal(err.class, ERROR_FAILURE);
	assert_null(memory.base);
}

/* Even when the kernel itself is asked to make huge ones of them. */
static void base_pages_stay_base_pages(void **state)
{
	struct memory_mapping memory;

	assert_int_equal(
		map(&memory, *state, 8 * MIB, MEMORY_ANY_NODE, NULL), 0);
	assert_usable(&memory);
	assert_int_not_equal(
		madvise(memory.base, memory.bytes, MADV_COLLAPSE), 0);
	assert_int_equal(memory_inspect(&memory, MEMORY_PAGES_AUTO, NULL), 0);
	assert_int_equal(memory.pages, MEMORY_PAGES_BASE);
	assert_int_equal(memory.huge_bytes, 0);
	assert_int_equal(memory.page_bytes, page_bytes());
	memory_release(&memory);
}

static void transparent_pages_hold_every_byte(void **state)
{
	struct memory_mapping memory;

	map_or_skip(&memory, *state, 5 * MIB + 1, MEMORY_PAGES_THP);
	assert_int_equal(memory.pages, MEMORY_PAGES_THP);
	assert_true(memory.page_bytes > page_bytes());
	assert_int_equal((uintptr_t)memory.base % memory.page_bytes, 0);
	assert_int_equal(memory.bytes % memory.page_bytes, 0);
	assert_true(memory.bytes > 5 * MIB);
	assert_true(memory.bytes < 5 * MIB + 1 + memory.page_bytes);
	assert_int_equal(memory.huge_bytes, memory.bytes);
	assert_usable(&memory);
	memory_release(&memory);
}

/* Dropping a base page takes the huge page around it apart. */
static void one_page_that_is_not_huge_is_told(void **state)
{
	struct memory_mapping memory;
	size_t huge, all;

	map_or_skip(&memory, *state, 8 * MIB, MEMORY_PAGES_THP);
	huge = memory.page_bytes;
	all = memory.bytes;
	assert_int_equal(madvise((char *)memory.base + huge, page_bytes(),
				 MADV_DONTNEED),
		0);
	assert_int_equal(memory_inspect(&memory, MEMORY_PAGES_AUTO, NULL), 0);
	assert_int_equal(memory.pages, MEMORY_PAGES_BASE);
	assert_int_equal(memory.huge_bytes, all - huge);
	if (all > 2 * huge)
		assert_int_equal(memory.page_bytes, huge);
	assert_int_equal(madvise(memory.base, all, MADV_DONTNEED), 0);
	assert_int_equal(memory_inspect(&memory, MEMORY_PAGES_AUTO, NULL), 0);
	assert_int_equal(memory.huge_bytes, 0);
	assert_int_equal(memory.page_bytes, page_bytes());
	memory_release(&memory);
}

/* The kernel makes one mapping of neighbours that are alike, if it can. */
static void neighbours_have_accounts_of_their_own(void **state)
{
	struct memory_mapping base[4], huge[4];

	for (size_t i = 0; i < 4; i++) {
		const struct memory_request request = {.bytes = 1,
			.node = MEMORY_ANY_NODE,
			.pages = MEMORY_PAGES_AUTO,
			.untouched = i % 2};

		assert_int_equal(
			map(&base[i], *state, 1, MEMORY_ANY_NODE, NULL), 0);
		assert_int_equal(
			memory_map(&huge[i], *state, &request, NULL), 0);
	}
	for (size_t i = 0; i < 4; i++) {
		size_t had = huge[i].huge_bytes;

		assert_int_equal(
			memory_inspect(&base[i], MEMORY_PAGES_AUTO, NULL), 0);
		assert_int_equal(
			memory_inspect(&huge[i], MEMORY_PAGES_AUTO, NULL), 0);
		assert_int_equal(huge[i].huge_bytes, had);
		memory_release(&base[i]);
		memory_release(&huge[i]);
	}
}

/* Nor does anything of it stay mapped. */
static void released_memory_is_gone(void **state)
{
	unsigned char resident;

	for (int i = MEMORY_PAGES_AUTO; i <= MEMORY_PAGES_HUGETLB; i++) {
		const struct memory_request request = {.bytes = MIB,
			.node = MEMORY_ANY_NODE,
			.pages = (enum memory_pages)i};
		struct memory_mapping memory, before;

		if (memory_map(&memory, *state, &request, NULL) != 0)
			continue;
		before = memory;
		memory_release(&memory);
		assert_null(memory.base);
		for (char *at = before.mapping;
			at < (char *)before.mapping + before.mapping_bytes;
			at += page_bytes()) {
			assert_int_equal(
				mincore(at, page_bytes(), &resident), -1);
			assert_int_equal(errno, ENOMEM);
		}
	}
}

static void hugetlb_pages_hold_every_byte(void **state)
{
	struct memory_mapping memory;

	map_or_skip(&memory, *state, page_bytes() + 1, MEMORY_PAGES_HUGETLB);
	assert_int_equal(memory.pages, MEMORY_PAGES_HUGETLB);
	assert_int_equal(memory.bytes, memory.page_bytes);
	assert_true(memory.page_bytes > page_bytes());
	assert_int_equal(memory.huge_bytes, memory.bytes);
	assert_usable(&memory);
	memory_release(&memory);
}

/* One page more than there are is one too many, and the remedy counts. */
static void missing_hugetlb_pages_are_named(void **state)
{
	const struct machine_facts *facts = machine_facts(*state);
	struct memory_request request = {
		.node = MEMORY_ANY_NODE, .pages = MEMORY_PAGES_HUGETLB};
	struct memory_mapping memory;
	struct error err;
	char remedy[64];

	if (facts->hugetlb_bytes < 0) {
		print_message("skip: this kernel has no hugetlb pages\n");
		skip();
	}
	request.bytes =
		(size_t)(facts->hugetlb_bytes * (facts->hugetlb_total + 1));
	if (memory_map(&memory, *state, &request, &err) == 0) {
		memory_release(&memory);
		print_message("skip: vm.nr_overcommit_hugepages is set\n");
		skip();
	}
	assert_null(memory.base);
	assert_int_equal(err.class, ERROR_UNAVAILABLE);
	if (facts->hugetlb_free == facts->hugetlb_total) {
		snprintf(remedy, sizeof(remedy), "sysctl vm.nr_hugepages=%lld",
			(long long)facts->hugetlb_total + 1);
		assert_non_null(strstr(err.text, remedy));
	}
}

static enum memory_pages map_and_release(struct machine *machine, size_t bytes,
	enum memory_pages pages, bool *had)
{
	const struct memory_request request = {
		.bytes = bytes, .node = MEMORY_ANY_NODE, .pages = pages};
	struct memory_mapping memory;

	*had = memory_map(&memory, machine, &request, NULL) == 0;
	pages = memory.pages;
	memory_release(&memory);
	return pages;
}

/* Each kind that can be had is had, in the order of preference. */
static void auto_takes_the_best_there_is(void **state)
{
	const struct machine_facts *facts = machine_facts(*state);
	enum memory_pages best, taken;
	size_t bytes = 3 * MIB;
	int tries = 0;
	bool had;

	/* Less is not worth a page of 1 GiB. */
	if (facts->hugetlb_free > 0 && facts->hugetlb_bytes > 0)
		bytes = (size_t)facts->hugetlb_bytes;
	/* Memory may be in pieces for a moment. */
	do {
		best = MEMORY_PAGES_BASE;
		for (int i = MEMORY_PAGES_BASE; i <= MEMORY_PAGES_HUGETLB;
			i++) {
			map_and_release(
				*state, bytes, (enum memory_pages)i, &had);
			if (had)
				best = (enum memory_pages)i;
		}
		taken = map_and_release(*state, bytes, MEMORY_PAGES_AUTO, &had);
		assert_true(had);
	} while (taken != best && ++tries < TRIES);
	assert_int_equal(taken, best);
}

static void a_process_without_transparent_pages_is_told(void **state)
{
	struct memory_request request = {.bytes = 4 * MIB,
		.node = MEMORY_ANY_NODE,
		.pages = MEMORY_PAGES_THP};
	struct memory_mapping memory;
	struct error err;
	int rc;

	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) {
		print_message("skip: transparent huge pages cannot be switched "
			      "off for a process\n");
		skip();
	}
	rc = memory_map(&memory, *state, &request, &err);
	assert_null(memory.base);
	memory_release(&memory);
	request.pages = MEMORY_PAGES_AUTO;
	assert_int_equal(memory_map(&memory, *state, &request, NULL), 0);
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
	assert_int_equal(rc, -ENOTSUP);
	assert_int_equal(err.class, ERROR_UNAVAILABLE);
	assert_int_not_equal(memory.pages, MEMORY_PAGES_THP);
	if (memory.pages == MEMORY_PAGES_BASE)
		assert_int_equal(memory.huge_bytes, 0);
	assert_usable(&memory);
	memory_release(&memory);
}

/* Where nothing is touched, only the writer can find out. */
static void a_writer_without_transparent_pages_is_told(void **state)
{
	const struct memory_request request = {.bytes = 4 * MIB,
		.node = MEMORY_ANY_NODE,
		.pages = MEMORY_PAGES_THP,
		.untouched = true};
	struct memory_mapping memory;
	struct error err;
	int rc;

	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) {
		print_message("skip: transparent huge pages cannot be switched "
			      "off for a process\n");
		skip();
	}
	rc = memory_map(&memory, *state, &request, &err);
	if (rc == 0)
		memset(memory.base, 1, memory.bytes);
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
	if (rc < 0) {
		print_message("skip: %s\n", err.text);
		skip();
	}
	assert_int_equal(memory_inspect(&memory, MEMORY_PAGES_AUTO, NULL), 0);
	assert_int_equal(memory_inspect(&memory, MEMORY_PAGES_BASE, NULL), 0);
	assert_int_equal(
		memory_inspect(&memory, MEMORY_PAGES_THP, &err), -ENOTSUP);
	assert_int_equal(err.class, ERROR_UNAVAILABLE);
	assert_int_equal(memory.pages, MEMORY_PAGES_BASE);
	memory_release(&memory);
}

/* Stops when it is asked the second time. */
static bool stop_at_second(const void *arg)
{
	unsigned *const *asked = arg;

	return ++**asked >= 2;
}

/* After a part of it, and without trying the next kind of pages. */
static void touching_pages_can_be_stopped(void **state)
{
	for (int i = MEMORY_PAGES_AUTO; i <= MEMORY_PAGES_BASE; i++) {
		unsigned asked = 0, *const counter = &asked;
		const struct memory_request request = {.bytes = 256 * MIB,
			.node = MEMORY_ANY_NODE,
			.pages = (enum memory_pages)i,
			.stopped = stop_at_second,
			.stopped_arg = &counter};
		struct memory_mapping memory;
		struct error err;

		assert_int_equal(
			memory_map(&memory, *state, &request, &err), -EINTR);
		assert_int_equal(err.code, EINTR);
		assert_int_equal(asked, 2);
		assert_null(memory.base);
	}
}

static void untouched_memory_waits_for_its_writer(void **state)
{
	static const enum memory_pages kinds[] = {
		MEMORY_PAGES_BASE, MEMORY_PAGES_AUTO};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct memory_request request = {.bytes = 3 * MIB,
			.node = MEMORY_ANY_NODE,
			.pages = kinds[i],
			.untouched = true};
		struct memory_mapping memory;

		assert_int_equal(
			memory_map(&memory, *state, &request, NULL), 0);
		assert_true(memory.bound);
		assert_int_equal(memory.node, -1);
		if (memory.pages != MEMORY_PAGES_HUGETLB) {
			assert_int_equal(resident_pages(&memory), 0);
			assert_int_equal(memory.huge_bytes, 0);
		}
		assert_int_equal(*(unsigned char *)memory.base, 0);
		memset(memory.base, 1, memory.bytes);
		assert_int_equal(
			memory_inspect(&memory, MEMORY_PAGES_AUTO, NULL), 0);
		assert_true(memory.bound);
		if (kinds[i] == MEMORY_PAGES_BASE)
			assert_int_equal(memory.huge_bytes, 0);
		else if (memory.pages != MEMORY_PAGES_BASE)
			assert_int_equal(memory.huge_bytes, memory.bytes);
		memory_release(&memory);
	}
}

/* As the kernel knows of no node 1000, nor will the writer's page be there. */
static void untouched_memory_tells_when_binding_is_refused(void **state)
{
	const struct memory_request request = {
		.bytes = MIB, .node = 1000, .untouched = true};
	struct machine *machine = NULL;
	struct memory_mapping memory;

	(void)state;
	assert_int_equal(machine_new_synthetic(&machine,
				 "numa:2(indexes=0,1000) core:1 pu:1", NULL),
		0);
	assert_int_equal(memory_map(&memory, machine, &request, NULL), 0);
	assert_false(memory.bound);
	memset(memory.base, 1, memory.bytes);
	assert_int_equal(memory_inspect(&memory, MEMORY_PAGES_AUTO, NULL), 0);
	assert_false(memory.bound);
	memory_release(&memory);
	machine_free(machine);
}

static void kinds_of_pages_have_names(void **state)
{
	static const char *const bad[] = {"", "2m", "THP", "4k ", "base"};
	enum memory_pages pages;
	struct error err;

	(void)state;
	for (int i = MEMORY_PAGES_AUTO; i <= MEMORY_PAGES_HUGETLB; i++) {
		assert_int_equal(
			memory_pages_parse(
				memory_pages_name((enum memory_pages)i), &pages,
				NULL),
			0);
		assert_int_equal(pages, i);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(
			memory_pages_parse(bad[i], &pages, &err), -EINVAL);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_non_null(strstr(err.text, "auto, 4k, thp or hugetlb"));
	}
}

/* A number of /proc/self/status, in bytes. */
static uint64_t status_bytes(const char *key)
{
	FILE *in = fopen("/proc/self/status", "r");
	unsigned long long kib = 0;
	char line[256];

	assert_non_null(in);
	while (!kib && fgets(line, sizeof(line), in)) {
		if (strncmp(line, key, strlen(key)) == 0)
			assert_int_equal(
				sscanf(line + strlen(key), "%llu", &kib), 1);
	}
	fclose(in);
	assert_true(kib > 0);
	return (uint64_t)kib * 1024;
}

static bool could_map(size_t bytes)
{
	const struct memory_request request = {.bytes = bytes,
		.node = MEMORY_ANY_NODE,
		.pages = MEMORY_PAGES_BASE,
		.untouched = true};
	struct memory_mapping memory;
	bool had = memory_map(&memory, NULL, &request, NULL) == 0;

	memory_release(&memory);
	return had;
}

/* Under a limit, what is told to be available can be had, and little more. */
static void assert_limited(int resource, const char *key)
{
	struct rlimit before, limit;
	uint64_t available;
	bool less, more;

	assert_int_equal(getrlimit(resource, &before), 0);
	limit = before;
	limit.rlim_cur = status_bytes(key) + 64 * MIB;
	assert_int_equal(setrlimit(resource, &limit), 0);
	available = memory_available();
	less = available > 8 * MIB && could_map(available - 8 * MIB);
	more = could_map(available + 8 * MIB);
	assert_int_equal(setrlimit(resource, &before), 0);
	assert_in_range(available, 1, 72 * MIB);
	assert_true(less);
	assert_false(more);
}

static void limits_of_the_process_count(void **state)
{
	struct memory_mapping memory;

	/* What is had already counts against the limits. */
	assert_int_equal(
		map(&memory, *state, 32 * MIB, MEMORY_ANY_NODE, NULL), 0);
	assert_true(memory_available() > 0);
	assert_limited(RLIMIT_AS, "VmSize:");
	assert_limited(RLIMIT_DATA, "VmData:");
	memory_release(&memory);
}

/* What fits is what could be had; of hugetlb pages only those there are. */
static void what_fits_is_what_is_free(void **state)
{
	const struct machine_facts *facts = machine_facts(*state);
	size_t page = (size_t)facts->hugetlb_bytes;

	for (int i = MEMORY_PAGES_AUTO; i <= MEMORY_PAGES_THP; i++) {
		enum memory_pages pages = (enum memory_pages)i;

		assert_true(memory_fit(pages, MIB, 1));
		assert_true(memory_fit(pages, MIB, 4));
		assert_false(memory_fit(pages, (size_t)1 << 50, 1));
		assert_false(memory_fit(pages, (size_t)1 << 40, 1024));
		assert_false(memory_fit(pages, MIB, SIZE_MAX));
	}
	if (facts->hugetlb_free < 0) {
		assert_false(memory_fit(MEMORY_PAGES_HUGETLB, 1, 1));
		return;
	}
	/* Others may take some, or give some back, meanwhile. */
	assert_false(memory_fit(
		MEMORY_PAGES_HUGETLB, page, (size_t)facts->hugetlb_total + 1));
	assert_int_equal(memory_fit(MEMORY_PAGES_HUGETLB, 1, 1),
		facts->hugetlb_free > 0);
}

/* In a process of its own, as the policy stays. */
static int memory_is_bound(const struct cpu_list *nodes)
{
	unsigned long mask[1024 / (8 * sizeof(unsigned long))] = {0};
	unsigned long expected[1024 / (8 * sizeof(unsigned long))] = {0};
	int mode = -1, code = memory_bind_thread(nodes);

	if (code)
		return code == EPERM || code == ENOSYS ? 77 : 1;
	expected[0] = 1ul << nodes->cpus[0];
	if (get_mempolicy(&mode, mask, 1024, NULL, 0) != 0)
		return 2;
	return mode == MPOL_BIND && memcmp(mask, expected, sizeof(mask)) == 0
		       ? 0
		       : 3;
}

static void memory_of_a_process_is_bound_to_nodes(void **state)
{
	struct cpu_list one = machine_facts(*state)->memory_nodes;
	unsigned beyond = 1u << 20;
	int status;
	pid_t pid;

	one.n = 1;
	pid = fork();
	if (pid == 0)
		_exit(one.cpus[0] > 63 ? 77 : memory_is_bound(&one));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("skip: memory cannot be bound here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	one.cpus = &beyond;
	assert_int_equal(memory_bind_thread(&one), EINVAL);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(any_node_will_do),
	cmocka_unit_test(sizes_grow_to_whole_pages),
	cmocka_unit_test(every_node_gives_memory),
	cmocka_unit_test(memory_that_cannot_be_bound_is_had_unbound),
	cmocka_unit_test(absent_nodes_are_refused),
	cmocka_unit_test(absurd_sizes_are_refused),
	cmocka_unit_test(base_pages_stay_base_pages),
	cmocka_unit_test(transparent_pages_hold_every_byte),
	cmocka_unit_test(one_page_that_is_not_huge_is_told),
	cmocka_unit_test(neighbours_have_accounts_of_their_own),
	cmocka_unit_test(released_memory_is_gone),
	cmocka_unit_test(hugetlb_pages_hold_every_byte),
	cmocka_unit_test(missing_hugetlb_pages_are_named),
	cmocka_unit_test(auto_takes_the_best_there_is),
	cmocka_unit_test(a_process_without_transparent_pages_is_told),
	cmocka_unit_test(a_writer_without_transparent_pages_is_told),
	cmocka_unit_test(touching_pages_can_be_stopped),
	cmocka_unit_test(untouched_memory_waits_for_its_writer),
	cmocka_unit_test(untouched_memory_tells_when_binding_is_refused),
	cmocka_unit_test(kinds_of_pages_have_names),
	cmocka_unit_test(limits_of_the_process_count),
	cmocka_unit_test(what_fits_is_what_is_free),
	cmocka_unit_test(memory_of_a_process_is_bound_to_nodes),
};

CASE_GROUP(cases, .set_up = set_up, .tear_down = tear_down);
