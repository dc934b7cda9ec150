/*
 * Memory on a chosen NUMA node, in pages of a chosen kind.
 *
 * A struct memory_mapping owns its mapping: memory_release() unmaps it.
 * Thread-safe, as long as no two threads use the same struct memory_mapping at
 * once. Sources: mmap(2), madvise(2), mbind(2); the kernel's
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
 * The pages under a mapping. BASE are of the instruction set's own size, 4
 * KiB on x86-64. AUTO asks for hugetlb pages if they are reserved, else for
 * transparent huge pages, else for base pages. The words of users are in the
 * same order.
 */
#define MEMORY_PAGES(word) word("auto") word("4k") word("thp") word("hugetlb")
enum memory_pages {
	MEMORY_PAGES_AUTO,
	MEMORY_PAGES_BASE,
	MEMORY_PAGES_THP,
	MEMORY_PAGES_HUGETLB,
};

struct memory_request {
	size_t bytes; /* rounded up to whole pages of the kind had */
	int node;     /* OS index, or MEMORY_ANY_NODE */
	enum memory_pages pages;
	bool untouched; /* leave the page faults to the first writer */
	/*
	 * Whether to give up, asked now and then while pages are touched; may
	 * be NULL.
	 */
	bool (*stopped)(const void *arg);
	const void *stopped_arg;
};

struct memory_mapping {
	void *base;   /* zeroed; NULL when released */
	size_t bytes; /* as mapped, a multiple of the page size */
	/*
	 * every page looked at was on the node asked for; also true when any
	 * node would do
	 */
	bool bound;
	int node; /* where the kernel says the first page is; -1 unknown */
	/*
	 * What the kernel's own account (/proc/self/smaps) says of the pages:
	 * THP and HUGETLB only if every byte is in such pages, never AUTO.
	 * Where it cannot be read, BASE and no huge byte: less than was had,
	 * perhaps, but never more.
	 */
	enum memory_pages pages;
	size_t huge_bytes; /* of bytes, how many lie in huge pages */
	size_t page_bytes; /* of the pages that hold most of the bytes */

	/* For memory_inspect() and memory_release(). */
	void *mapping;
	size_t mapping_bytes;
	int wanted_node; /* MEMORY_ANY_NODE also where there is only one */
};

/*
 * Map memory as requested and touch every page, unless the request says not
 * to; of untouched memory, node, bound and pages are known once it has been
 * written to and memory_inspect() has looked. (Untouched hugetlb pages are
 * all had once and given back, which takes time.) machine may be NULL when
 * any node will do.
 *
 * If the system refuses to bind memory (containers), memory->bound is false,
 * and the caller warns. If AUTO gets no huge pages, memory->pages says so.
 * -EINVAL (ERROR_USAGE) when there is no such node, -ENOMEM, -EINTR once
 * stopped; -ENOTSUP (ERROR_UNAVAILABLE), with the remedy, when the requested
 * kind of huge pages is not available.
 */
int memory_map(struct memory_mapping *memory, const struct machine *machine,
	const struct memory_request *request, struct error *err);

/*
 * Map memory of any node, untouched, in huge pages where these are to be had.
 * What is compared with each other lies in memory of this function.
 */
int memory_map_huge(
	struct memory_mapping *memory, size_t bytes, struct error *err);

void memory_release(struct memory_mapping *memory);

/*
 * Look again at where memory lies and in which pages, after untouched memory
 * was written to. -ENOTSUP (ERROR_UNAVAILABLE), with the remedy, when huge
 * pages were requested and some bytes are not in huge pages.
 */
int memory_inspect(struct memory_mapping *memory, enum memory_pages requested,
	struct error *err);

/* The word, static. */
const char *memory_pages_name(enum memory_pages pages);

/* The reverse. -EINVAL (ERROR_USAGE). */
int memory_pages_parse(
	const char *text, enum memory_pages *pages, struct error *err);

/*
 * How many bytes this process could map and write now before the kernel ends or
 * swaps out anything: the least of what the machine has available,
 * what the cgroups leave (v1 and v2) and what RLIMIT_AS leaves; 0 when none
 * of them can be known. Other programs may take it meanwhile.
 */
uint64_t memory_available(void);

/* The share of it that c2c may use. */
#define MEMORY_SHARE 0.9

/*
 * Whether n mappings of so many bytes each, spread evenly over the nodes, could
 * be had now in pages of that kind: from the reserve of hugetlb pages if these
 * may be used, else within MEMORY_SHARE of what is available.
 */
bool memory_fit(enum memory_pages pages, size_t bytes, size_t n);

#endif
