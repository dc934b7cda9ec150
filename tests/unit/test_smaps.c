/*
 * The kernel's account of huge pages, from texts as kernels write them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/smaps.h"

#define KIB ((size_t)1024)

/* 4 MiB half of huge pages, 4 MiB of hugetlb pages, 2 MiB of 4 KiB pages. */
static const char account[] =
	"10000000-10400000 rw-p 00000000 00:00 0 \n"
	"Size:               4096 kB\n"
	"KernelPageSize:        4 kB\n"
	"AnonHugePages:      2048 kB\n"
	"Private_Hugetlb:       0 kB\n"
	"VmFlags: rd wr mr mw me ac hg \n"
	"20000000-20400000 rw-p 00000000 00:0e 4711 /anon_hugepage (deleted)\n"
	"Size:               4096 kB\n"
	"KernelPageSize:     2048 kB\n"
	"AnonHugePages:         0 kB\n"
	"Private_Hugetlb:    2048 kB\n"
	"VmFlags: rd wr mr mw me de ht \n"
	"20400000-20600000 rw-p 00000000 00:00 0 \n"
	"Size:               2048 kB\n"
	"KernelPageSize:        4 kB\n"
	"AnonHugePages:         0 kB\n"
	"VmFlags: rd wr mr mw me ac nh \n";

static bool look_up(
	const char *text, uintptr_t start, uintptr_t end, struct smaps *smaps)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	bool whole;

	assert_non_null(in);
	whole = smaps_read(in, start, end, smaps);
	fclose(in);
	return whole;
}

static void transparent_pages_count_as_far_as_there_are(void **state)
{
	struct smaps smaps;

	(void)state;
	assert_true(look_up(account, 0x10000000, 0x10400000, &smaps));
	assert_int_equal(smaps.thp_bytes, 2048 * KIB);
	assert_int_equal(smaps.hugetlb_bytes, 0);
	assert_int_equal(smaps.hugetlb_page_bytes, 0);
}

/* Touched or not: no other page can ever be there. */
static void hugetlb_pages_count_all(void **state)
{
	struct smaps smaps;

	(void)state;
	assert_true(look_up(account, 0x20000000, 0x20400000, &smaps));
	assert_int_equal(smaps.thp_bytes, 0);
	assert_int_equal(smaps.hugetlb_bytes, 4096 * KIB);
	assert_int_equal(smaps.hugetlb_page_bytes, 2048 * KIB);
}

static void small_pages_count_none(void **state)
{
	struct smaps smaps;

	(void)state;
	assert_true(look_up(account, 0x20400000, 0x20600000, &smaps));
	assert_int_equal(smaps.thp_bytes + smaps.hugetlb_bytes, 0);
}

static void mappings_side_by_side_are_added_up(void **state)
{
	struct smaps smaps;

	(void)state;
	assert_true(look_up(account, 0x20000000, 0x20600000, &smaps));
	assert_int_equal(smaps.bytes, 6144 * KIB);
	assert_int_equal(smaps.hugetlb_bytes, 4096 * KIB);
}

static void a_part_that_is_not_told_of_is_not_known(void **state)
{
	struct smaps smaps;

	(void)state;
	/* A gap, one beyond the end, none at all. */
	assert_false(look_up(account, 0x10000000, 0x20400000, &smaps));
	assert_false(look_up(account, 0x20400000, 0x20800000, &smaps));
	assert_false(look_up(account, 0x30000000, 0x30001000, &smaps));
	assert_false(look_up("none\n", 0x10000000, 0x10400000, &smaps));
}

static void a_mapping_that_reaches_over_is_not_known(void **state)
{
	struct smaps smaps;

	(void)state;
	assert_false(look_up(account, 0x10000000, 0x10200000, &smaps));
	assert_int_equal(smaps.thp_bytes, 0);
	assert_false(look_up(account, 0x20200000, 0x20600000, &smaps));
	assert_int_equal(smaps.hugetlb_bytes, 0);
}

/* A name is the end of a line, however long and whatever it says. */
static void names_of_files_open_no_mapping(void **state)
{
	char text[8192];
	struct smaps smaps;

	(void)state;
	snprintf(text, sizeof(text),
		"1000-2000 r--p 00000000 fe:00 1 /%*d 10000000-10400000 \n%s",
		5000, 0, account);
	assert_true(look_up(text, 0x10000000, 0x10400000, &smaps));
	assert_int_equal(smaps.bytes, 4096 * KIB);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(transparent_pages_count_as_far_as_there_are),
	cmocka_unit_test(hugetlb_pages_count_all),
	cmocka_unit_test(small_pages_count_none),
	cmocka_unit_test(mappings_side_by_side_are_added_up),
	cmocka_unit_test(a_part_that_is_not_told_of_is_not_known),
	cmocka_unit_test(a_mapping_that_reaches_over_is_not_known),
	cmocka_unit_test(names_of_files_open_no_mapping),
};

CASE_GROUP(cases);
