/*
 * How c2c memcpy divides its region.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/slices.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static const struct slices_run sixteen = {
	.copiers = 16,
	.rows = 16,
	.pairs = 256,
	.regions = 2,
	.llc_bytes = 300 * MIB,
	.tries = 3,
	/* 8 GiB/s, 4 and 2. */
	.write_s = 1.0 / (8 * GIB),
	.pair_s = 1.0 / (4 * GIB),
	.touch_s = 1.0 / (2 * GIB),
};

static void more_cpus_copy_smaller_slices(void **state)
{
	static const struct {
		size_t copiers;
		uint64_t mib;
	} rows[] = {{1, 64}, {4, 64}, {5, 32}, {8, 32}, {9, 16}, {16, 16},
		{17, 8}, {64, 8}, {1024, 8}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(
			slices_size(rows[i].copiers), rows[i].mib * MIB);
}

/*
 * Each copy has a slice, some have another, and a tail drives all of them out.
 */
static void a_region_holds_a_slice_for_each_copy_and_a_tail(void **state)
{
	struct slices_run run = sixteen;
	struct slices slices = slices_divide_region(&run, 32 * MIB);

	(void)state;
	assert_int_equal(slices.n, 16 + 2 + 3);
	assert_int_equal(slices.slice_bytes, 32 * MIB);
	/* 672 MiB and 600, in whole slices. */
	assert_int_equal(slices.region_bytes, 1280 * MIB);
	/* Few CPUs: four times the cache all the same. */
	run.copiers = 2;
	slices = slices_divide_region(&run, 64 * MIB);
	assert_int_equal(slices.n, 5);
	assert_int_equal(slices.region_bytes, 1216 * MIB);
	/* A cache that is not known. */
	run.llc_bytes = 0;
	slices = slices_divide_region(&run, 64 * MIB);
	assert_int_equal(slices.region_bytes, 320 * MIB);
}

/* Sixteen CPUs have half a minute for six passes. */
static void six_passes_are_bounded(void **state)
{
	struct slices slices = slices_divide_region(&sixteen, slices_size(16));
	double pass_s = slices_pass_s(&sixteen, &slices);

	(void)state;
	assert_true(
		fabs(slices_row_s(&sixteen, &slices) - 1.171875 / 8) < 1e-9);
	assert_true(fabs(pass_s - (16 * 1.171875 / 8 + 256 / 64.0 / 4)) < 1e-9);
	assert_true(fabs(slices_first_s(&sixteen, &slices) - 1.171875) < 1e-9);
	assert_true(6 * pass_s < 30);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(more_cpus_copy_smaller_slices),
	cmocka_unit_test(a_region_holds_a_slice_for_each_copy_and_a_tail),
	cmocka_unit_test(six_passes_are_bounded),
};

CASE_GROUP(cases);
