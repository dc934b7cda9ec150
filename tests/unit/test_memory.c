/*
 * Mapping memory on nodes of the machine at hand and of pretended ones.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/memory.h"

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

static int map(struct memory *memory, const struct machine *machine,
	size_t bytes, int node, struct error *err)
{
	const struct memory_request request = {
		.bytes = bytes, .node = node, .pages = MEMORY_PAGES_BASE};

	return memory_map(memory, machine, &request, err);
}

/* Whole pages, all of them there, zeroed, and to be written. */
static void assert_usable(const struct memory *memory)
{
	size_t pages = memory->bytes / page_bytes();
	unsigned char *resident = malloc(pages);
	unsigned char *bytes = memory->base;

	assert_non_null(resident);
	assert_non_null(memory->base);
	assert_int_equal((uintptr_t)memory->base % page_bytes(), 0);
	assert_int_equal(memory->bytes % page_bytes(), 0);
	assert_int_equal(mincore(memory->base, memory->bytes, resident), 0);
	for (size_t i = 0; i < pages; i++)
		assert_int_equal(resident[i] & 1, 1);
	for (size_t i = 0; i < memory->bytes; i++)
		assert_int_equal(bytes[i], 0);
	memset(bytes, 0xa5, memory->bytes);
	assert_int_equal(bytes[memory->bytes - 1], 0xa5);
	free(resident);
}

static void any_node_will_do(void **state)
{
	struct memory memory;

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
	struct memory memory;

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
	struct cpu_list nodes = {0};

	assert_int_equal(machine_nodes(*state, &nodes, NULL), 0);
	assert_true(nodes.n > 0);
	for (size_t i = 0; i < nodes.n; i++) {
		struct memory memory;

		assert_int_equal(map(&memory, *state, PAGES * page_bytes(),
					 (int)nodes.cpus[i], NULL),
			0);
		assert_usable(&memory);
		if (memory.bound && memory.node >= 0)
			assert_int_equal(memory.node, nodes.cpus[i]);
		memory_release(&memory);
	}
	cpu_list_release(&nodes);
}

/* No kernel has a node 1000 where hwloc was told of one. */
static void memory_that_cannot_be_bound_is_had_unbound(void **state)
{
	struct machine *machine = NULL;
	struct memory memory;

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
	struct memory memory;
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
	struct memory memory;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_node_will_do),
		cmocka_unit_test(sizes_grow_to_whole_pages),
		cmocka_unit_test(every_node_gives_memory),
		cmocka_unit_test(memory_that_cannot_be_bound_is_had_unbound),
		cmocka_unit_test(absent_nodes_are_refused),
		cmocka_unit_test(absurd_sizes_are_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
