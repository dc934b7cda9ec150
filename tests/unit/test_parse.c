/* Numbers as users write them, and as they should not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "util/parse.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void whole_numbers_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {
		{"0", 0},
		{"7", 7},
		{"007", 7},
		{"18446744073709551615", UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 1;

		assert_int_equal(
			parse_u64(cases[i].text, 0, UINT64_MAX, &value, NULL),
			0);
		assert_true(value == cases[i].value);
	}
}

static void what_is_no_whole_number_is_refused(void **state)
{
	static const char *const cases[][2] = {
		{"", "'' is not a whole number"},
		{"-1", "'-1' is not a whole number"},
		{"+1", "'+1' is not a whole number"},
		{" 1", "' 1' is not a whole number"},
		{"1 ", "'1 ' is not a whole number"},
		{"1.5", "'1.5' is not a whole number"},
		{"0x10", "'0x10' is not a whole number"},
		{"1e3", "'1e3' is not a whole number"},
		{"18446744073709551616",
			"'18446744073709551616' is too large a number"},
		{"4", "'4' is not between 5 and 9"},
		{"10", "'10' is not between 5 and 9"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 42;
		struct error err;

		assert_int_equal(
			parse_u64(cases[i][0], 5, 9, &value, &err), -EINVAL);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_string_equal(err.text, cases[i][1]);
		assert_true(value == 42);
	}
}

static void finite_numbers_are_read(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{"2", 2},
		{"0.5", 0.5},
		{".5", 0.5},
		{"2.", 2},
		{"1e-3", 1e-3},
		{"1E3", 1000},
		{"-2.5", -2.5},
		{"+2.5", 2.5},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		double value = 42;

		assert_int_equal(
			parse_double(cases[i].text, -3, 1000, &value, NULL), 0);
		assert_true(value == cases[i].value);
	}
}

static void what_is_no_finite_number_is_refused(void **state)
{
	static const char *const cases[] = {"", " 1", "\t1", "1 ", "nan", "inf",
		"-inf", "infinity", "0x10", "0x1p3", "1e999", "1e", "1.2.3",
		"--1", "1,5", "e5", "."};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char expected[100];
		double value = 42;
		struct error err;

		assert_int_equal(
			parse_double(cases[i], -1e300, 1e300, &value, &err),
			-EINVAL);
		assert_int_equal(err.class, ERROR_USAGE);
		snprintf(expected, sizeof(expected),
			"'%s' is not a number (write for instance 2, 0.5, "
			"1e-3)",
			cases[i]);
		assert_string_equal(err.text, expected);
		assert_true(value == 42);
	}
}

static void numbers_out_of_range_are_refused(void **state)
{
	double value = 42;
	struct error err;

	(void)state;
	assert_int_equal(parse_double("-0.1", 0, 1.5, &value, &err), -EINVAL);
	assert_string_equal(err.text, "'-0.1' is not between 0 and 1.5");
	assert_int_equal(parse_double("1.6", 0, 1.5, &value, &err), -EINVAL);
	assert_true(value == 42);
	assert_int_equal(parse_double("1.5", 0, 1.5, &value, &err), 0);
	assert_int_equal(parse_double("0", 0, 1.5, &value, &err), 0);
}

static void sizes_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {
		{"512", 512},
		{"512B", 512},
		{"512b", 512},
		{"64K", 64 << 10},
		{"64k", 64 << 10},
		{"64KiB", 64 << 10},
		{"64kib", 64 << 10},
		{"3M", 3 << 20},
		{"4GiB", UINT64_C(4) << 30},
		{"2T", UINT64_C(2) << 40},
		{"16777215T", UINT64_C(16777215) << 40},
		{"0K", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t bytes = 1;

		assert_int_equal(
			parse_bytes(cases[i].text, 0, UINT64_MAX, &bytes, NULL),
			0);
		assert_true(bytes == cases[i].bytes);
	}
}

static void what_is_no_size_is_refused(void **state)
{
	static const char *const cases[][2] = {
		{"K", "'K' is not a whole number"},
		{"1.5K", "'1.5K' is not a size (write for instance 512, 64K, "
			 "4G)"},
		{"64KK", "'64KK' is not a size (write for instance 512, 64K, "
			 "4G)"},
		{"64Ki", "'64Ki' is not a size (write for instance 512, 64K, "
			 "4G)"},
		{"64KiBB", "'64KiBB' is not a size (write for instance 512, "
			   "64K, 4G)"},
		{"64 K", "'64 K' is not a size (write for instance 512, 64K, "
			 "4G)"},
		{"64KB", "'64KB': c2c has no units with powers of 10; write "
			 "64K or 64KiB for a power of 2"},
		{"1mb", "'1mb': c2c has no units with powers of 10; write 1m "
			"or 1miB for a power of 2"},
		{"1P", "'1P' is not a size (write for instance 512, 64K, 4G)"},
		{"16777216T", "'16777216T' is not between 1 KiB and 4 KiB"},
		{"1023", "'1023' is not between 1 KiB and 4 KiB"},
		{"5K", "'5K' is not between 1 KiB and 4 KiB"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t bytes = 42;
		struct error err;

		assert_int_equal(
			parse_bytes(cases[i][0], 1024, 4096, &bytes, &err),
			-EINVAL);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_string_equal(err.text, cases[i][1]);
		assert_true(bytes == 42);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(whole_numbers_are_read),
	cmocka_unit_test(what_is_no_whole_number_is_refused),
	cmocka_unit_test(finite_numbers_are_read),
	cmocka_unit_test(what_is_no_finite_number_is_refused),
	cmocka_unit_test(numbers_out_of_range_are_refused),
	cmocka_unit_test(sizes_are_read),
	cmocka_unit_test(what_is_no_size_is_refused),
};

CASE_GROUP(cases);
