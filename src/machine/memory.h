/*
 * Memory on a chosen NUMA node, in pages of a chosen kind.
 *
 * A struct memory_mapping owns its mapping, which memory_release() unmaps.
 * Threads must not use the same struct memory_mapping simultaneously. Sources:
 * mmap(2), madvise(2), mbind(2), set_mempolicy(2); the kernel's
 * admin-guide/mm/transhuge and admin-guide/mm/hugetlbpage; proc(5).
 */
#ifndef C2C_MEMORY_H
#define C2C_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"
#include "util/error.h"

#define MEMORY_ANY_NODE (-1)

/*
 * Kinds of pages, and the user's words for them in the same order. BASE pages
 * have the instruction set's own size, 4 KiB on x86-64. AUTO uses hugetlb pages
 * if they are reserved, else transparent huge pages, else base pages.
 */
#define MEMORY_PAGES(word) word("auto") word("4k") word("thp") word("hugetlb")
enum memory_pages {
	MEMORY_PAGES_AUTO,
	MEMORY_PAGES_BASE,
	MEMORY_PAGES_THP,
	MEMORY_PAGES_HUGETLB,
};

struct memory_request {
	size_t bytes; /* will be rounded up to whole pages */
	int node;     /* OS index, or MEMORY_ANY_NODE */
	enum memory_pages pages;
	bool untouched; /* leave the pages untouched */
	/* Called repeatedly, unless NULL: return true to give up. */
	bool (*stopped)(const void *arg);
	const void *stopped_arg;
};

struct memory_mapping {
	void *base;   /* zeroed; NULL: released */
	size_t bytes; /* mapped, a multiple of the page size */
	/* Every checked page is on the right node, or any node is allowed. */
	bool bound;
	int node; /* node of the first page; -1: unknown */
	/*
	 * The kind of pages that the kernel reports (/proc/self/smaps): THP or
	 * HUGETLB only if all bytes are in these pages, never AUTO. BASE if the
	 * kernel's report cannot be read.
	 */
	enum memory_pages pages;
	size_t huge_bytes; /* number of bytes in huge pages */
	size_t page_bytes;

	/* memory_inspect() and memory_release() use these. */
	void *mapping;
	size_t mapping_bytes;
	int wanted_node; /* or MEMORY_ANY_NODE */
};

/*
 * Map memory as requested and touch every page. machine may be NULL if any node
 * will do. If untouched is set, touch no page. Then node, bound and pages are
 * valid only after the caller has written to the memory and called
 * memory_inspect(). (All hugetlb pages are touched once and released first,
 * which takes time.)
 *
 * If the system refuses to bind memory (containers), memory->bound is false. If
 * AUTO gets no huge pages, memory->pages is BASE. Return -EINVAL (ERROR_USAGE)
 * if the node does not exist, -ENOMEM, -EINTR once stopped; -ENOTSUP
 * (ERROR_UNAVAILABLE), with the remedy, if the requested kind of huge pages is
 * unavailable.
 */
int memory_map(struct memory_mapping *memory, const struct machine *machine,
	const struct memory_request *request, struct error *err);

/*
 * Map untouched memory of any node, in huge pages if possible. Compare only
 * values that were measured on memory of this function.
 */
int memory_map_huge(
	struct memory_mapping *memory, size_t bytes, struct error *err);

void memory_release(struct memory_mapping *memory);

/*
 * After the first write to untouched memory, read its node and its kind of
 * pages. Return -ENOTSUP (ERROR_UNAVAILABLE), with the remedy, if huge pages
 * were requested and some bytes are not in huge pages.
 */
int memory_inspect(struct memory_mapping *memory, enum memory_pages requested,
	struct error *err);

/* Return the user's word for a kind of pages, static. */
const char *memory_pages_name(enum memory_pages pages);

/* Parse the user's word. -EINVAL (ERROR_USAGE). */
int memory_pages_parse(
	const char *text, enum memory_pages *pages, struct error *err);

/*
 * Return the number of bytes that this process can write before the kernel
 * swaps or kills a process: the available memory, within the limits of cgroups
 * (v1 and v2), RLIMIT_AS and RLIMIT_DATA. Return 0 if no limit is known. Other
 * programs may take this memory meanwhile.
 */
uint64_t memory_available(void);

/* Share of memory_available() that c2c may use. */
#define MEMORY_SHARE 0.9

/*
 * Return whether n mappings of this many bytes each, spread evenly over the
 * nodes, fit into the free hugetlb pages, if this kind allows them, or into
 * MEMORY_SHARE of the available memory.
 */
bool memory_fit(enum memory_pages pages, size_t bytes, size_t n);

/*
 * Restrict new memory of the calling thread, and of threads and processes that
 * it starts, to these nodes, like numactl --membind. Return 0 or a positive
 * errno.
 */
int memory_bind_thread(const struct cpu_list *nodes);

#endif
