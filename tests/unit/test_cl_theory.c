/* What devices can do by their makers' documents. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cl/theory.h"

static const struct theory_device h200 = {.vendor = THEORY_NVIDIA,
	.name = "NVIDIA H200",
	.major = 9,
	.units = 132,
	.clock_ghz = 1.98};

static const struct theory_device a100 = {.vendor = THEORY_NVIDIA,
	.name = "NVIDIA A100-SXM4-80GB",
	.major = 8,
	.units = 108,
	.clock_ghz = 1.41};

static const struct theory_device mi300x = {.vendor = THEORY_AMD,
	.name = "gfx942:sramecc+:xnack-",
	.board = "AMD Instinct MI300X",
	.units = 304,
	.clock_ghz = 2.1,
	.simds = 4,
	.lanes = 16,
	.operations = 1,
	.banks = 32};

static void assert_giga(
	const struct theory_device *device, enum theory_what what, double giga)
{
	const struct theory theory = theory_of(device, what);

	assert_true(fabs(theory.giga - giga) <= giga / 200);
	assert_non_null(theory.source);
}

static void assert_unknown(
	const struct theory_device *device, enum theory_what what)
{
	assert_true(isnan(theory_of(device, what).giga));
}

/* The sheets of these say so: 66.9, 33.5; 19.5, 9.7; 163.4, 81.7 TFLOP/s. */
static void arithmetic_is_what_data_sheets_say(void **state)
{
	(void)state;
	assert_giga(&h200, THEORY_FLOAT, 66900);
	assert_giga(&h200, THEORY_DOUBLE, 33450);
	assert_giga(&a100, THEORY_FLOAT, 19500);
	assert_giga(&a100, THEORY_DOUBLE, 9746);
	assert_giga(&mi300x, THEORY_FLOAT, 163400);
	assert_giga(&mi300x, THEORY_DOUBLE, 81700);
}

static void local_memory_is_by_banks_and_clock(void **state)
{
	(void)state;
	assert_giga(&h200, THEORY_LOCAL, 33450);
	assert_true(theory_of(&h200, THEORY_LOCAL).each == 128);
	assert_giga(&a100, THEORY_LOCAL, 19492);
	assert_giga(&mi300x, THEORY_LOCAL, 81715);
}

static double memory_of(const char *name)
{
	struct theory_device device = h200;

	device.name = name;
	return theory_of(&device, THEORY_MEMORY).giga;
}

static void memory_is_that_of_the_named_device(void **state)
{
	(void)state;
	assert_giga(&h200, THEORY_MEMORY, 4800);
	assert_true(theory_of(&h200, THEORY_MEMORY).each == 0);
	assert_giga(&mi300x, THEORY_MEMORY, 5300);
	assert_true(memory_of("NVIDIA H100 80GB HBM3") == 3350);
	assert_true(memory_of("NVIDIA H100 PCIe") == 2000);
	assert_true(memory_of("NVIDIA A100-SXM4-80GB") == 2039);
	assert_true(memory_of("Tesla V100-SXM2-16GB") == 900);
	assert_true(memory_of("Tesla V100-PCIE-32GB") == 900);
	assert_true(memory_of("Tesla V100S-PCIE-32GB") == 1134);
}

/* 4,800 GB/s are 4,470 GiB/s. */
static void a_rate_is_more_than_the_memory_has(void **state)
{
	(void)state;
	assert_true(theory_is_exceeded(&h200, 7547));
	assert_true(theory_is_exceeded(&h200, 4480));
	assert_false(theory_is_exceeded(&h200, 4460));
	assert_false(theory_is_exceeded(
		&(struct theory_device){.name = "unknown"}, 1e9));
}

/* A part of a name, a part of a device, and one without a name. */
static void no_other_device_has_its_memory(void **state)
{
	(void)state;
	assert_true(isnan(memory_of("NVIDIA GH200 480GB")));
	assert_true(isnan(memory_of("NVIDIA H2000")));
	assert_true(isnan(memory_of("NVIDIA L40")));
	assert_true(isnan(memory_of("Tesla V100-FHHL-16GB")));
	assert_true(isnan(memory_of("NVIDIA H200 MIG 1g.18gb")));
	assert_true(isnan(memory_of("")));
	assert_true(isnan(memory_of(NULL)));
}

static void an_unknown_device_has_no_theory(void **state)
{
	struct theory_device other = h200, late = h200, plain = {0};

	(void)state;
	other.vendor = THEORY_UNKNOWN;
	late.major = 99;
	for (int what = THEORY_NOTHING; what <= THEORY_MEMORY; what++) {
		assert_unknown(&other, (enum theory_what)what);
		assert_unknown(&plain, (enum theory_what)what);
		if (what != THEORY_MEMORY)
			assert_unknown(&late, (enum theory_what)what);
	}
	assert_unknown(&h200, THEORY_NOTHING);
}

/* An AMD device that the table lacks tells floats and banks, no doubles. */
static void attributes_tell_what_no_table_has(void **state)
{
	struct theory_device device = mi300x;

	(void)state;
	/* An eighth of it. */
	device.units = 38;
	assert_unknown(&device, THEORY_MEMORY);
	device.units = 304;
	device.name = "gfx900";
	device.board = NULL;
	assert_giga(&device, THEORY_FLOAT, 128 * 304 * 2.1);
	assert_giga(&device, THEORY_LOCAL, 128 * 304 * 2.1);
	assert_unknown(&device, THEORY_DOUBLE);
	assert_unknown(&device, THEORY_MEMORY);
	device.simds = 0;
	device.banks = 0;
	assert_unknown(&device, THEORY_FLOAT);
	assert_unknown(&device, THEORY_LOCAL);
}

/* One architecture, two boards. */
static void a_board_may_have_fewer_doubles(void **state)
{
	struct theory_device device = mi300x;

	(void)state;
	device.name = "gfx906";
	device.board = "AMD Radeon Instinct MI50";
	assert_giga(&device, THEORY_DOUBLE, 64 * 304 * 2.1);
	device.board = "AMD Radeon VII";
	assert_giga(&device, THEORY_DOUBLE, 32 * 304 * 2.1);
}

/*
 * The boards are said to reach 9.75 and 0.61 (RX 5700 XT), 23.04 and 1.44 (RX
 * 6900 XT), 61.4 and 1.92 TFLOP/s (RX 7900 XTX). Units are pairs of compute
 * units, or single ones.
 */
static void units_of_rdna_are_pairs_or_single(void **state)
{
	static const struct {
		const char *name;
		size_t pairs;
		double ghz, floats, doubles, local;
	} boards[] = {
		{"gfx1010", 20, 1.905, 9754, 609.6, 9754},
		{"gfx1030", 40, 2.25, 23040, 1440, 23040},
		{"gfx1100", 48, 2.5, 61440, 1920, 30720},
		{"gfx1151", 20, 2.9, 29696, 464, 14848},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(boards) / sizeof(boards[0]); i++) {
		size_t b = i / 2, each = i % 2 + 1;
		struct theory_device device = {.vendor = THEORY_AMD,
			.name = boards[b].name,
			.units = boards[b].pairs * 2 / each,
			.clock_ghz = boards[b].ghz,
			.simds = (unsigned)(2 * each),
			.lanes = 32,
			.operations = 1,
			.banks = 32};

		assert_giga(&device, THEORY_FLOAT, boards[b].floats);
		assert_giga(&device, THEORY_DOUBLE, boards[b].doubles);
		assert_giga(&device, THEORY_LOCAL, boards[b].local);
		assert_unknown(&device, THEORY_MEMORY);
		device.simds = 0;
		assert_unknown(&device, THEORY_FLOAT);
		assert_unknown(&device, THEORY_LOCAL);
	}
}

static void absurd_facts_give_no_theory(void **state)
{
	struct theory_device none = h200, still = h200, fast = h200;

	(void)state;
	none.units = 0;
	still.clock_ghz = 0;
	fast.clock_ghz = 4294967.295;
	for (int what = THEORY_FLOAT; what < THEORY_MEMORY; what++) {
		assert_unknown(&none, (enum theory_what)what);
		assert_unknown(&still, (enum theory_what)what);
		assert_unknown(&fast, (enum theory_what)what);
	}
	still.clock_ghz = NAN;
	assert_unknown(&still, THEORY_LOCAL);
}

static void work_items_fill_all_units(void **state)
{
	struct theory_device device = h200;

	(void)state;
	assert_int_equal(theory_items(&h200), 524288);
	assert_int_equal(theory_items(&a100), 262144);
	assert_int_equal(theory_items(&mi300x), 1048576);
	/* 84 units of 1,536. */
	device.major = 8;
	device.minor = 6;
	device.units = 84;
	assert_int_equal(theory_items(&device), 131072);
	assert_int_equal(theory_unit_items(&device), 1536);
	device.vendor = THEORY_UNKNOWN;
	assert_int_equal(theory_items(&device), 262144);
	assert_int_equal(theory_unit_items(&device), 2048);
}

/* Waves of 64 on four SIMDs, or of 32 on the SIMDs of one unit or two. */
static void a_listed_unit_holds_work_items(void **state)
{
	static const struct {
		const char *name;
		unsigned simds;
		size_t items;
	} units[] = {{"gfx906:sramecc+:xnack-", 4, 10 * 4 * 64},
		{"gfx90a", 4, 2048}, {"gfx942", 4, 2048},
		{"gfx1010", 4, 20 * 4 * 32}, {"gfx1030", 4, 2048},
		{"gfx1100", 2, 1024}, {"gfx803", 4, 0}};
	struct theory_device device = h200;

	(void)state;
	assert_int_equal(theory_listed_items(&h200), 2048);
	device.major = 7;
	device.minor = 5;
	assert_int_equal(theory_listed_items(&device), 1024);
	device.major = 12;
	device.minor = 0;
	assert_int_equal(theory_listed_items(&device), 1536);
	/* The table has no rates of this one. */
	assert_unknown(&device, THEORY_FLOAT);
	assert_unknown(&device, THEORY_DOUBLE);
	device.major = 99;
	assert_int_equal(theory_listed_items(&device), 0);
	assert_int_equal(theory_unit_items(&device), 2048);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		device = mi300x;
		device.name = units[i].name;
		device.board = NULL;
		device.simds = units[i].simds;
		assert_int_equal(theory_listed_items(&device), units[i].items);
	}
	device.vendor = THEORY_UNKNOWN;
	device.name = "gfx942";
	assert_int_equal(theory_listed_items(&device), 0);
}

static void absurd_units_give_a_number_that_can_be_had(void **state)
{
	struct theory_device device = {.units = 0};

	(void)state;
	assert_int_equal(theory_items(&device), 2048);
	device.units = 1;
	assert_int_equal(theory_items(&device), 2048);
	device.units = SIZE_MAX;
	assert_int_equal(theory_items(&device), 1 << 26);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(arithmetic_is_what_data_sheets_say),
	cmocka_unit_test(local_memory_is_by_banks_and_clock),
	cmocka_unit_test(memory_is_that_of_the_named_device),
	cmocka_unit_test(a_rate_is_more_than_the_memory_has),
	cmocka_unit_test(no_other_device_has_its_memory),
	cmocka_unit_test(an_unknown_device_has_no_theory),
	cmocka_unit_test(attributes_tell_what_no_table_has),
	cmocka_unit_test(a_board_may_have_fewer_doubles),
	cmocka_unit_test(units_of_rdna_are_pairs_or_single),
	cmocka_unit_test(absurd_facts_give_no_theory),
	cmocka_unit_test(work_items_fill_all_units),
	cmocka_unit_test(a_listed_unit_holds_work_items),
	cmocka_unit_test(absurd_units_give_a_number_that_can_be_had),
};

CASE_GROUP(cases);
