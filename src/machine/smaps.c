#include "machine/smaps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static void read_field(const char *line, size_t bytes, struct smaps *smaps)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t kib;

	if (sscanf(line, "AnonHugePages: %zu kB", &kib) == 1) {
		smaps->thp_bytes += kib * 1024;
	} else if (sscanf(line, "KernelPageSize: %zu kB", &kib) == 1 &&
		   kib * 1024 > page) {
		/* All pages of a hugetlb mapping have the same size. */
		smaps->hugetlb_bytes += bytes;
		smaps->hugetlb_page_bytes = kib * 1024;
	}
}

bool smaps_read(FILE *in, uintptr_t start, uintptr_t end, struct smaps *smaps)
{
	bool inside = false;
	size_t bytes = 0, room = 0;
	char *line = NULL;

	*smaps = (struct smaps){0};
	while (getline(&line, &room, in) >= 0) {
		uintptr_t from, to;

		/* A mapping begins: "7f0000000000-7f0000200000 rw-p ..." */
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) ==
			2) {
			/* Mappings are sorted by address. */
			if (from >= end)
				break;
			inside = from >= start && to <= end;
			bytes = inside ? to - from : 0;
			smaps->bytes += bytes;
		} else if (inside) {
			read_field(line, bytes, smaps);
		}
	}
	free(line);
	return smaps->bytes == end - start;
}
