/* The kernel's report on the pages of a mapping (proc(5), /proc/pid/smaps). */
#ifndef C2C_SMAPS_H
#define C2C_SMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct smaps {
	size_t bytes;		   /* bytes that the report covers */
	size_t thp_bytes;	   /* bytes in transparent huge pages */
	size_t hugetlb_bytes;	   /* bytes in hugetlb pages */
	size_t hugetlb_page_bytes; /* page size, or 0 */
};

/*
 * Sum the mappings between start and end. Skip a mapping that is partly outside
 * the range, because its huge pages may be outside. Return false if the report
 * does not cover the whole range.
 */
bool smaps_read(FILE *in, uintptr_t start, uintptr_t end, struct smaps *smaps);

#endif
