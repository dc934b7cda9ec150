/*
 * Memory of a machine that is not there: as much as free_gib=N says, 8 GiB if
 * nothing is chosen, in transparent huge pages, unless thp=0 switches these
 * off. There are no hugetlb pages. Memory lies on the node where it was asked
 * for. Of node unbound=N nothing is to be had, and of node small=N only
 * mappings of up to small_mib=N MiB. The Nth mapping on a node interrupts c2c
 * with end_map=N.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "machine/policy.h"
#include "machine/smaps.h"
#include "made_up.h"

/* These have the names of c2c, but what follows takes their place. */
#define memory_available measured_available
#define files_read	 real_files_read
#include "machine/available.c" /* NOLINT(bugprone-suspicious-include) */
#include "machine/files.c"     /* NOLINT(bugprone-suspicious-include) */
#undef memory_available
#undef files_read

uint64_t memory_available(void);
char *files_read(struct files *files, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#define THP_FOLDER "/sys/kernel/mm/transparent_hugepage/"

uint64_t memory_available(void)
{
	return (uint64_t)(made_up("free_gib", 8) * (1 << 30));
}

/* What a file of the kernel has, or NULL if it is as here. */
static const char *text_of(const char *path)
{
	if (strcmp(path, "/proc/meminfo") == 0)
		return "MemTotal: 16777216 kB\n"
		       "HugePages_Total: 0\nHugePages_Free: 0\n"
		       "Hugepagesize: 2048 kB\n";
	if (strcmp(path, THP_FOLDER "hpage_pmd_size") == 0)
		return "2097152\n";
	if (strcmp(path, THP_FOLDER "enabled") == 0)
		return made_up("thp", 1) > 0 ? "always [madvise] never\n"
					     : "always madvise [never]\n";
	return NULL;
}

char *files_read(struct files *files, const char *format, ...)
{
	const char *text;
	char path[512];
	va_list list;

	va_start(list, format);
	vsnprintf(path, sizeof(path), format, list);
	va_end(list);
	text = files->root && !*files->root ? text_of(path) : NULL;
	return text ? arena_format(&files->arena, "%s", text)
		    : real_files_read(files, "%s", path);
}

/* Where the last mappings lie: the first thread maps all. */
#define PLACES 64

struct place {
	uintptr_t base;
	size_t bytes;
	int node;
	bool huge;
};

static struct place places[PLACES];
static unsigned n_places, n_bound;

static struct place *place_of(const void *page)
{
	for (unsigned i = n_places; i > 0 && i + PLACES > n_places; i--) {
		struct place *place = &places[(i - 1) % PLACES];

		if ((uintptr_t)page - place->base < place->bytes)
			return place;
	}
	return NULL;
}

/* Each mapping is given advice about huge pages first. */
int madvise(void *addr, size_t len, int advice)
{
	if (advice != MADV_HUGEPAGE && advice != MADV_NOHUGEPAGE)
		return (int)syscall(SYS_madvise, addr, len, advice);
	places[n_places++ % PLACES] = (struct place){
		(uintptr_t)addr, len, 0, advice == MADV_HUGEPAGE};
	return 0;
}

bool smaps_read(FILE *in, uintptr_t start, uintptr_t end, struct smaps *smaps)
{
	const struct place *place = place_of((const void *)start);

	(void)in;
	*smaps = (struct smaps){.bytes = end - start};
	if (place && place->huge)
		smaps->thp_bytes = smaps->bytes;
	return true;
}

/* Whether the node has room for so much at once. */
static bool has_room(int node, size_t bytes)
{
	if (node == (int)made_up("unbound", -1))
		return false;
	return node != (int)made_up("small", -1) ||
	       (double)bytes <= made_up("small_mib", 0) * (1 << 20);
}

long mbind(void *start, unsigned long bytes, int mode,
	const unsigned long *nodes, unsigned long max_node, unsigned flags)
{
	int node = __builtin_ctzl(nodes[0]);
	struct place *place = place_of(start);

	(void)mode;
	(void)max_node;
	(void)flags;
	if ((int)++n_bound == (int)made_up("end_map", 0))
		made_up_interrupt(SIGINT);
	if (place)
		place->node = has_room(node, bytes) ? node : -1;
	return 0;
}

/* What a child would ask of the nodes of its memory. */
long set_mempolicy(int mode, const unsigned long *nodes, unsigned long max_node)
{
	(void)mode;
	(void)nodes;
	(void)max_node;
	return 0;
}

static int node_at(const void *page)
{
	const struct place *place = place_of(page);

	return place ? place->node : 0;
}

long move_pages(int process, unsigned long n, void **pages, const int *nodes,
	int *status, int flags)
{
	(void)process;
	(void)nodes;
	(void)flags;
	for (unsigned long i = 0; i < n; i++)
		status[i] = node_at(pages[i]);
	return 0;
}

long get_mempolicy(int *mode, unsigned long *nodes, unsigned long max_node,
	void *address, unsigned long flags)
{
	(void)nodes;
	(void)max_node;
	(void)flags;
	*mode = node_at(address);
	return 0;
}
