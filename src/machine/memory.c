/*
 * memory.c: map memory on a NUMA node, in pages of a given kind. The node is
 * preferred, not enforced. If the node is full, the kernel takes pages of
 * another node, and c2c reports this; with an enforced node, the kernel would
 * kill the process.
 *
 * The kernel may ignore a request for huge pages, so memory.c always reads back
 * the kind of pages. An inaccessible page separates mappings, because the
 * kernel would merge adjacent mappings and report them as one mapping.
 */
#include "machine/memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/policy.h"
#include "machine/smaps.h"
#include "machine/system.h"
#include "util/words.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14 */
#endif

/* More nodes than any kernel supports. */
#define NODES_MAX     1024
#define BITS_PER_LONG (8 * sizeof(unsigned long))

/* Pages that one call of move_pages() checks. */
#define PAGES_PER_QUESTION 512

/*
 * Largest number of pages to check, evenly spread: GiBs have millions of base
 * pages, and misplaced memory comes in long ranges, not in single pages.
 */
#define PAGES_ASKED_MAX 65536

/*
 * MEMORY_PAGES_AUTO does not use huge pages that are larger than this and than
 * the request. Transparent huge pages have 512 MiB if base pages have 64 KiB.
 */
#define AUTO_PAGE_MAX_BYTES ((size_t)64 << 20)

/* Touch this many bytes at a time, which takes a fraction of a second. */
#define PIECE_BYTES ((size_t)64 << 20)

#define THP_FOLDER "/sys/kernel/mm/transparent_hugepage"

/* Return the size of pages of a kind (not auto); 0 if the kernel has none. */
static size_t page_bytes_of(enum memory_pages pages)
{
	struct files files = {.root = ""};
	long long bytes = sysconf(_SC_PAGESIZE);

	if (pages == MEMORY_PAGES_THP)
		bytes = files_number(
			files_read(&files, THP_FOLDER "/hpage_pmd_size"));
	else if (pages == MEMORY_PAGES_HUGETLB)
		bytes = 1024 * system_hugetlb(&files,
				       files_read(&files, "/proc/meminfo"))
				       .page_kib;
	arena_release(&files.arena);
	return bytes > 0 ? (size_t)bytes : 0;
}

/* Round up to a multiple of unit; return 0 if that is too large. */
static size_t round_up(size_t bytes, size_t unit)
{
	return bytes > SIZE_MAX - (unit - 1) ? 0
					     : (bytes + unit - 1) / unit * unit;
}

/* A set of nodes in the kernel's format. */
struct node_mask {
	unsigned long bits[NODES_MAX / BITS_PER_LONG];
};

/* The kernel reads one bit less than requested (mbind(2), Bugs). */
#define NODE_MASK_BITS (NODES_MAX + 1)

static bool add_to_mask(struct node_mask *mask, unsigned node)
{
	if (node >= NODES_MAX)
		return false;
	mask->bits[node / BITS_PER_LONG] |= 1ul << (node % BITS_PER_LONG);
	return true;
}

/* Prefer a node before the first touch; false if the kernel refuses. */
static bool prefer_node(void *base, size_t bytes, unsigned node)
{
	struct node_mask mask = {{0}};

	return add_to_mask(&mask, node) &&
	       mbind(base, bytes, MPOL_PREFERRED, mask.bits, NODE_MASK_BITS,
		       0) == 0;
}

int memory_bind_thread(const struct cpu_list *nodes)
{
	struct node_mask mask = {{0}};

	for (size_t i = 0; i < nodes->n; i++) {
		if (!add_to_mask(&mask, nodes->cpus[i]))
			return EINVAL;
	}
	return set_mempolicy(MPOL_BIND, mask.bits, NODE_MASK_BITS) == 0 ? 0
									: errno;
}

/* Return whether every checked page is on the requested node. */
static bool on_wanted_node(const struct memory_mapping *memory)
{
	size_t pages = memory->bytes / memory->page_bytes;
	size_t stride = memory->page_bytes *
			((pages + PAGES_ASKED_MAX - 1) / PAGES_ASKED_MAX);
	void *asked[PAGES_PER_QUESTION];
	int where[PAGES_PER_QUESTION];
	size_t at = 0;

	while (at < memory->bytes) {
		unsigned long n = 0;

		for (; n < PAGES_PER_QUESTION && at < memory->bytes;
			at += stride)
			asked[n++] = (char *)memory->base + at;
		/* Without target nodes, move_pages() only reports nodes. */
		if (move_pages(0, n, asked, NULL, where, 0) != 0)
			return false;
		for (unsigned long i = 0; i < n; i++) {
			if (where[i] != memory->wanted_node)
				return false;
		}
	}
	return true;
}

static int refuse_unknown_node(
	const struct machine *machine, int node, struct error *err)
{
	char *list = cpu_list_format(&machine_facts(machine)->memory_nodes);
	int rc = error_set(err, ERROR_USAGE, EINVAL,
		"there is no NUMA node %d with memory on this machine (nodes: "
		"%s)",
		node, list ? list : "?");

	free(list);
	return rc;
}

static int not_mappable(size_t bytes, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EINVAL,
		"%zu bytes of memory cannot be mapped", bytes);
}

static int no_hugetlb(size_t bytes, int code, struct error *err)
{
	struct files files = {.root = ""};
	struct hugetlb hugetlb =
		system_hugetlb(&files, files_read(&files, "/proc/meminfo"));
	long long unused = hugetlb.free - hugetlb.promised;
	long long pages = 0;

	arena_release(&files.arena);
	if (hugetlb.page_kib > 0)
		pages = (long long)(bytes / 1024) / hugetlb.page_kib;
	if (code != ENOMEM || unused >= pages)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"this process cannot get hugetlb pages, free or not: "
			"the kernel, the cpuset or a hugetlb limit of the "
			"cgroup refuses them");
	return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
		"%lld hugetlb page%s of %lld KiB would be needed and %lld "
		"%s free; run as root: sysctl vm.nr_hugepages=%lld",
		pages, pages == 1 ? "" : "s", hugetlb.page_kib, unused,
		unused == 1 ? "is" : "are", hugetlb.total + pages - unused);
}

/* Report that this many bytes could not be mapped in these pages. */
static int not_mapped(size_t bytes, enum memory_pages pages, struct error *err)
{
	if (pages == MEMORY_PAGES_HUGETLB)
		return no_hugetlb(bytes, errno, err);
	if (error_is_of_filter(errno))
		return error_of_call(err, errno, "mmap and mprotect",
			"%zu bytes of memory cannot be mapped", bytes);
	return error_set(err, ERROR_FAILURE, ENOMEM,
		"not enough memory: %zu bytes cannot be mapped (%s)", bytes,
		strerror(errno));
}

/* Check that the kernel has pages of this kind. */
static int check_page_kind(
	enum memory_pages pages, size_t page, struct error *err)
{
	struct files files = {.root = ""};
	const char *thp = system_thp(&files);
	bool never = thp && strcmp(thp, "never") == 0;

	arena_release(&files.arena);
	if (!page)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"this kernel does not report %s pages (%s)",
			pages == MEMORY_PAGES_THP ? "transparent huge"
						  : "hugetlb",
			pages == MEMORY_PAGES_THP ? THP_FOLDER
						  : "/proc/meminfo");
	if (pages == MEMORY_PAGES_THP && never)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"transparent huge pages are switched off: echo madvise "
			"> " THP_FOLDER "/enabled");
	return 0;
}

/*
 * Map whole pages of a kind. To align them, reserve one page more, of which at
 * least a base page remains after the mapping. hugetlb pages are aligned, and
 * the kernel does not merge their mappings.
 */
static int map_kind(struct memory_mapping *memory, size_t bytes,
	enum memory_pages pages, struct error *err)
{
	bool hugetlb = pages == MEMORY_PAGES_HUGETLB;
	size_t page = page_bytes_of(pages), whole, room;
	int rc = check_page_kind(pages, page, err);
	uintptr_t first;
	void *reserved;

	if (rc < 0)
		return rc;
	whole = round_up(bytes, page);
	room = hugetlb ? whole : whole + page;
	if (whole == 0 || room < whole)
		return not_mappable(bytes, err);
	/* Memory without access rights takes no pages. */
	reserved = mmap(NULL, room,
		hugetlb ? PROT_READ | PROT_WRITE : PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | (hugetlb ? MAP_HUGETLB : 0), -1,
		0);
	if (reserved == MAP_FAILED)
		return not_mapped(whole, pages, err);
	first = (uintptr_t)reserved;
	memory->base = (char *)reserved + (round_up(first, page) - first);
	memory->bytes = whole;
	memory->mapping = reserved;
	memory->mapping_bytes = room;
	if (hugetlb)
		return 0;
	if (mprotect(memory->base, whole, PROT_READ | PROT_WRITE) < 0)
		return not_mapped(whole, pages, err);
	/* read_pages() checks later whether the kernel followed the advice. */
	madvise(memory->base, whole,
		pages == MEMORY_PAGES_THP ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return 0;
}

/*
 * Populate every page of a piece. Return false with errno if pages are missing:
 * madvise() returns an error where a write would raise SIGBUS, for example for
 * a hugetlb page. If the kernel lacks MADV_POPULATE_WRITE, or a seccomp filter
 * refuses it, write to the pages, because reading would map the zero page.
 */
static bool populate_piece(void *piece, size_t bytes)
{
	volatile unsigned char *at = piece;
	size_t page;
	int rc;

	do
		rc = madvise(piece, bytes, MADV_POPULATE_WRITE);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		return true;
	if (errno != EINVAL && !error_is_of_filter(errno))
		return false;
	page = page_bytes_of(MEMORY_PAGES_BASE);
	for (size_t i = 0; i < bytes; i += page)
		at[i] = 0;
	return true;
}

/* Touch all pages, some pages at a time. */
static int populate_pages(const struct memory_mapping *memory,
	const struct memory_request *request, enum memory_pages pages,
	struct error *err)
{
	for (size_t at = 0; at < memory->bytes; at += PIECE_BYTES) {
		size_t left = memory->bytes - at;

		if (request->stopped && request->stopped(request->stopped_arg))
			return error_set(err, ERROR_FAILURE, EINTR,
				"interrupted before anything was measured");
		if (populate_piece((char *)memory->base + at,
			    left < PIECE_BYTES ? left : PIECE_BYTES))
			continue;
		return not_mapped(memory->bytes, pages, err);
	}
	return 0;
}

/* Read from the kernel which kinds of pages the memory has. */
static int read_pages(struct memory_mapping *memory, struct error *err)
{
	uintptr_t base = (uintptr_t)memory->base;
	FILE *in = fopen("/proc/self/smaps", "re");
	struct smaps smaps;
	bool known = in && smaps_read(in, base, base + memory->bytes, &smaps);

	if (in)
		fclose(in);
	memory->pages = MEMORY_PAGES_BASE;
	memory->page_bytes = page_bytes_of(MEMORY_PAGES_BASE);
	memory->huge_bytes = 0;
	if (!known)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"/proc/self/smaps does not show which pages memory "
			"uses: mount proc");
	memory->huge_bytes = smaps.thp_bytes + smaps.hugetlb_bytes;
	if (smaps.hugetlb_bytes == memory->bytes)
		memory->pages = MEMORY_PAGES_HUGETLB;
	else if (smaps.thp_bytes == memory->bytes)
		memory->pages = MEMORY_PAGES_THP;
	if (smaps.hugetlb_bytes > memory->bytes / 2)
		memory->page_bytes = smaps.hugetlb_page_bytes;
	else if (smaps.thp_bytes > memory->bytes / 2)
		memory->page_bytes = page_bytes_of(MEMORY_PAGES_THP);
	return 0;
}

/* Return whether huge pages were requested by name, and must not be missing. */
static bool is_huge_page_request(enum memory_pages requested)
{
	return requested == MEMORY_PAGES_THP ||
	       requested == MEMORY_PAGES_HUGETLB;
}

int memory_inspect(struct memory_mapping *memory, enum memory_pages requested,
	struct error *err)
{
	int rc = read_pages(memory, err);

	if (get_mempolicy(&memory->node, NULL, 0, memory->base,
		    MPOL_F_NODE | MPOL_F_ADDR) < 0)
		memory->node = -1;
	memory->bound = memory->wanted_node == MEMORY_ANY_NODE ||
			on_wanted_node(memory);
	if (!is_huge_page_request(requested))
		return 0;
	if (rc < 0 || memory->pages == requested)
		return rc;
	return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
		"the kernel gave transparent huge pages for %zu of %zu bytes: "
		"memory is fragmented (echo 1 > /proc/sys/vm/compact_memory), "
		"or this process may not use them",
		memory->huge_bytes, memory->bytes);
}

/* Map, bind and touch memory in pages of one kind. */
static int map_once(struct memory_mapping *memory,
	const struct machine *machine, const struct memory_request *request,
	enum memory_pages pages, struct error *err)
{
	int rc;

	*memory = (struct memory_mapping){
		.bound = true,
		.node = -1,
		.wanted_node = request->node,
	};
	/* With a single node, memory is always on the right node. */
	if (machine && machine_facts(machine)->numa_nodes == 1)
		memory->wanted_node = MEMORY_ANY_NODE;
	rc = map_kind(memory, request->bytes, pages, err);
	if (rc == 0 && memory->wanted_node != MEMORY_ANY_NODE)
		memory->bound = prefer_node(memory->base, memory->bytes,
			(unsigned)memory->wanted_node);
	if (rc == 0 && !request->untouched)
		rc = populate_pages(memory, request, pages, err);
	if (rc == 0 && !request->untouched)
		rc = memory_inspect(memory, request->pages, err);
	/* A page has no node before it is touched. */
	else if (rc == 0 && read_pages(memory, err) < 0 &&
		 is_huge_page_request(request->pages))
		rc = -ENOTSUP;
	if (rc < 0)
		memory_release(memory);
	return rc;
}

/*
 * Map memory in pages of one kind. If hugetlb pages must stay untouched, first
 * map and touch other hugetlb pages as a trial: a write to an unavailable page
 * raises SIGBUS, and the pool may be on another node.
 */
static int map_in(struct memory_mapping *memory, const struct machine *machine,
	const struct memory_request *request, enum memory_pages pages,
	struct error *err)
{
	struct memory_request touched = *request;
	bool bound = true;
	int rc = 0;

	touched.untouched = false;
	if (request->untouched && pages == MEMORY_PAGES_HUGETLB) {
		rc = map_once(memory, machine, &touched, pages, err);
		bound = memory->bound;
		memory_release(memory);
	}
	if (rc == 0)
		rc = map_once(memory, machine, request, pages, err);
	memory->bound = memory->bound && bound;
	return rc;
}

/* Return the size of the largest page that auto uses for this many bytes. */
static size_t auto_page_max(size_t bytes)
{
	return bytes > AUTO_PAGE_MAX_BYTES ? bytes : AUTO_PAGE_MAX_BYTES;
}

/*
 * Map hugetlb pages, else transparent huge pages, else base pages. Any page on
 * the requested node is better than a hugetlb page on another node.
 */
static int map_auto(struct memory_mapping *memory,
	const struct machine *machine, const struct memory_request *request,
	struct error *err)
{
	size_t page_max = auto_page_max(request->bytes);
	struct memory_mapping reserved = {.node = -1};
	int rc = -ENOTSUP;

	for (enum memory_pages pages = MEMORY_PAGES_HUGETLB;
		rc < 0 && rc != -EINTR && pages >= MEMORY_PAGES_BASE; pages--) {
		if (pages != MEMORY_PAGES_BASE &&
			page_bytes_of(pages) > page_max)
			continue;
		rc = map_in(memory, machine, request, pages, err);
		if (rc == 0 && pages == MEMORY_PAGES_HUGETLB &&
			!memory->bound) {
			reserved = *memory;
			rc = -ENOTSUP;
		}
	}
	if (reserved.base && rc != -EINTR && (rc < 0 || !memory->bound)) {
		memory_release(memory);
		*memory = reserved;
		return 0;
	}
	memory_release(&reserved);
	return rc;
}

int memory_map(struct memory_mapping *memory, const struct machine *machine,
	const struct memory_request *request, struct error *err)
{
	int node = request->node;

	*memory = (struct memory_mapping){.node = -1};
	if (node != MEMORY_ANY_NODE &&
		(node < 0 ||
			cpu_list_find(&machine_facts(machine)->memory_nodes,
				(unsigned)node) < 0))
		return refuse_unknown_node(machine, node, err);
	if (request->bytes == 0)
		return not_mappable(0, err);
	if (request->pages == MEMORY_PAGES_AUTO)
		return map_auto(memory, machine, request, err);
	return map_in(memory, machine, request, request->pages, err);
}

int memory_map_huge(
	struct memory_mapping *memory, size_t bytes, struct error *err)
{
	return memory_map(memory, NULL,
		&(struct memory_request){.bytes = bytes,
			.node = MEMORY_ANY_NODE,
			.pages = MEMORY_PAGES_AUTO,
			.untouched = true},
		err);
}

bool memory_fit(enum memory_pages pages, size_t bytes, size_t n)
{
	double available = (double)memory_available();
	uint64_t reserved = 0;

	if (pages == MEMORY_PAGES_HUGETLB)
		return system_hugetlb_blocks("", bytes, false) >= n;
	/* Auto uses hugetlb pages only if they are on the right node. */
	if (pages == MEMORY_PAGES_AUTO &&
		page_bytes_of(MEMORY_PAGES_HUGETLB) <= auto_page_max(bytes))
		reserved = system_hugetlb_blocks("", bytes, true);
	return reserved >= n || available <= 0 ||
	       (double)bytes * (double)(n - reserved) <=
		       MEMORY_SHARE * available;
}

void memory_release(struct memory_mapping *memory)
{
	if (memory->base)
		munmap(memory->mapping, memory->mapping_bytes);
	*memory = (struct memory_mapping){.node = -1};
}

const char *memory_pages_name(enum memory_pages pages)
{
	static const char *const names[] = {MEMORY_PAGES(WORDS_LIST)};

	return names[pages];
}

int memory_pages_parse(
	const char *text, enum memory_pages *pages, struct error *err)
{
	for (int i = MEMORY_PAGES_AUTO; i <= MEMORY_PAGES_HUGETLB; i++) {
		const char *name = memory_pages_name((enum memory_pages)i);

		if (strcmp(text, name) != 0)
			continue;
		*pages = (enum memory_pages)i;
		return 0;
	}
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' is not a kind of pages: auto, 4k, thp or hugetlb was "
		"expected",
		text);
}
