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
	size_t bytes;	      /* that the account has of the range */
	size_t thp_bytes;     /* of them, in transparent huge pages */
	size_t hugetlb_bytes; /* of them, of hugetlb pages, touched or not */
	size_t hugetlb_page_bytes; /* of such a page; 0 without any */
};

/*
 * Add up the mappings between start and end. One that reaches over either is
 * left out, since nothing tells where in it the huge pages are. False when
 * the account lacks a part of the range.
 */
bool smaps_read(FILE *in, uintptr_t start, uintptr_t end, struct smaps *smaps);

#endif
