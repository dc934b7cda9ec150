/*
 * Mapping memory on a NUMA node. The node is preferred, not enforced: a full
 * node then gives pages of another, which is seen and told, while an enforced
 * one would have the kernel end the process.
 */
#include "machine/memory.h"

#include <errno.h>
#include <numaif.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BITS_PER_LONG (8 * sizeof(unsigned long))

/* So many pages are asked about in one call of move_pages(). */
#define PAGES_PER_QUESTION 512

/* Ask for the node before the first touch; where that fails, go without. */
static void prefer_node(void *base, size_t bytes, unsigned node)
{
	size_t words = node / BITS_PER_LONG + 1;
	unsigned long *mask = calloc(words, sizeof(*mask));

	if (!mask)
		return;
	mask[node / BITS_PER_LONG] = 1ul << (node % BITS_PER_LONG);
	/* The kernel reads one bit less than it is told (mbind(2), Bugs). */
	mbind(base, bytes, MPOL_PREFERRED, mask, words * BITS_PER_LONG + 1, 0);
	free(mask);
}

/* Writing is what faults a page in; reading would map the zero page. */
static void touch(volatile unsigned char *base, size_t bytes, size_t page)
{
	for (size_t at = 0; at < bytes; at += page)
		base[at] = 0;
}

/* Whether every page is on node, as the kernel sees it. */
static bool all_on_node(
	unsigned char *base, size_t bytes, size_t page, int node)
{
	void *pages[PAGES_PER_QUESTION];
	int where[PAGES_PER_QUESTION];
	size_t at = 0;

	while (at < bytes) {
		unsigned long n = 0;

		for (; n < PAGES_PER_QUESTION && at < bytes; at += page)
			pages[n++] = base + at;
		/* Without nodes to go to, the call only reports. */
		if (move_pages(0, n, pages, NULL, where, 0) != 0)
			return false;
		for (unsigned long i = 0; i < n; i++) {
			if (where[i] != node)
				return false;
		}
	}
	return true;
}

static int node_of_page(void *page)
{
	int node;

	if (get_mempolicy(&node, NULL, 0, page, MPOL_F_NODE | MPOL_F_ADDR) < 0)
		return -1;
	return node;
}

static int check_node(
	const struct machine *machine, int node, struct error *err)
{
	struct cpu_list nodes = {0};
	int rc = machine_nodes(machine, &nodes, err);
	char *list = rc == 0 ? cpu_list_format(&nodes) : NULL;

	if (rc == 0 && (node < 0 || cpu_list_find(&nodes, (unsigned)node) < 0))
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"there is no NUMA node %d with memory on this machine "
			"(nodes: %s)",
			node, list ? list : "?");
	free(list);
	cpu_list_release(&nodes);
	return rc;
}

int memory_map(struct memory *memory, const struct machine *machine,
	const struct memory_request *request, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = request->bytes;
	size_t whole = (bytes + page - 1) / page * page;
	int node = request->node;
	void *base;

	*memory = (struct memory){.node = -1};
	if (node != MEMORY_ANY_NODE) {
		int rc = check_node(machine, node, err);

		if (rc < 0)
			return rc;
	}
	if (bytes == 0 || whole < bytes)
		return error_set(err, ERROR_FAILURE, EINVAL,
			"%zu bytes of memory cannot be mapped", bytes);
	base = mmap(NULL, whole, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return error_set(err, ERROR_FAILURE, ENOMEM,
			"not enough memory: %zu bytes cannot be mapped "
			"(%s)",
			whole, strerror(errno));
	if (node != MEMORY_ANY_NODE)
		prefer_node(base, whole, (unsigned)node);
	if (!request->untouched)
		touch(base, whole, page);
	memory->base = base;
	memory->bytes = whole;
	memory->mapping = base;
	memory->mapping_bytes = whole;
	memory->pages = MEMORY_PAGES_BASE;
	memory->page_bytes = page;
	memory->wanted_node = node;
	if (node != MEMORY_ANY_NODE && machine_facts(machine)->numa_nodes == 1)
		memory->wanted_node = MEMORY_ANY_NODE;
	return memory_inspect(memory, err);
}

int memory_inspect(struct memory *memory, struct error *err)
{
	(void)err;
	memory->node = node_of_page(memory->base);
	/* On the only node there is, memory is wherever it is asked for. */
	memory->bound = memory->wanted_node == MEMORY_ANY_NODE ||
			all_on_node(memory->base, memory->bytes,
				memory->page_bytes, memory->wanted_node);
	return 0;
}

void memory_release(struct memory *memory)
{
	if (memory->base)
		munmap(memory->mapping, memory->mapping_bytes);
	*memory = (struct memory){.node = -1};
}

const char *memory_pages_name(enum memory_pages pages)
{
	switch (pages) {
	case MEMORY_PAGES_BASE:
		return "4k";
	case MEMORY_PAGES_THP:
		return "thp";
	case MEMORY_PAGES_HUGETLB:
		return "hugetlb";
	default:
		return "auto";
	}
}

int memory_pages_parse(
	const char *text, enum memory_pages *pages, struct error *err)
{
	for (int i = MEMORY_PAGES_AUTO; i <= MEMORY_PAGES_HUGETLB; i++) {
		if (strcmp(text, memory_pages_name((enum memory_pages)i)) ==
			0) {
			*pages = (enum memory_pages)i;
			return 0;
		}
	}
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' is not a kind of pages: auto, 4k, thp or hugetlb was "
		"expected",
		text);
}

uint64_t memory_available(void)
{
	return 0;
}
