/*
 * The kernel's account of the pages of a mapping (proc(5), /proc/pid/smaps).
 */
#ifndef C2C_SMAPS_H
#define C2C_SMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct smaps {
	size_t bytes;		   /* bytes of the range in the account */
	size_t thp_bytes;	   /* bytes in transparent huge pages */
	size_t hugetlb_bytes;	   /* bytes in hugetlb pages, touched or not */
	size_t hugetlb_page_bytes; /* size of a hugetlb page; 0: none */
};

/*
 * Sum the mappings between start and end. Leave out a mapping that extends
 * beyond, because its huge pages may be anywhere in it. Return false if the
 * account lacks a part of the range.
 */
bool smaps_read(FILE *in, uintptr_t start, uintptr_t end, struct smaps *smaps);

#endif
