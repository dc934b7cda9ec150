/* CPU lists: the kernel's text form, order, no CPU twice. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "stat/stat.h"
#include "util/cpu_list.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_list(
	const struct cpu_list *list, const unsigned *cpus, size_t n)
{
	assert_int_equal(list->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(list->cpus[i], cpus[i]);
}

static void assert_format(const struct cpu_list *list, const char *expected)
{
	char *text = cpu_list_format(list);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

/* Text, and the same list as it is written back. */
static void lists_are_parsed_and_formatted(void **state)
{
	static const char *const cases[][2] = {
		{"0", "0"},
		{"0-3,8", "0-3,8"},
		{"8,0-3", "8,0-3"},
		{"4,5", "4,5"},
		{"4-6", "4-6"},
		{"3,2,1", "3,2,1"},
		{"0-10/5", "0,5,10"},
		{"0-10:5", "0,5,10"},
		{"0-9/5", "0,5"},
		{"7-7", "7"},
		{"1,1,0-2,1", "1,0,2"},
		{"00007", "7"},
		{"1048575", "1048575"},
		{"0-30/2,1-31/2",
			"0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,1,3,5,7,9,"
			"11,13,15,17,19,21,23,25,27,29,31"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cpu_list list = {0};

		assert_int_equal(cpu_list_parse(&list, cases[i][0], NULL), 0);
		assert_format(&list, cases[i][1]);
		cpu_list_release(&list);
	}
}

static void parse_says_what_is_wrong(void **state)
{
	static const struct {
		const char *text, *message;
		size_t kept; /* CPUs before the fault */
	} cases[] = {
		{"",
			"'' is not a list of CPUs: a CPU number was expected "
			"at "
			"its end (write for instance 0-3,8)",
			0},
		{"0-3,",
			"'0-3,' is not a list of CPUs: a CPU number was "
			"expected at its end (write for instance 0-3,8)",
			4},
		{"1,x,2",
			"'1,x,2' is not a list of CPUs: a CPU number was "
			"expected at 'x,2' (write for instance 0-3,8)",
			1},
		{" 1",
			"' 1' is not a list of CPUs: a CPU number was expected "
			"at ' 1' (write for instance 0-3,8)",
			0},
		{"-1",
			"'-1' is not a list of CPUs: a CPU number was expected "
			"at '-1' (write for instance 0-3,8)",
			0},
		{"2-",
			"'2-' is not a list of CPUs: a CPU number was expected "
			"at its end (write for instance 0-3,8)",
			0},
		{"1 2", "'1 2' is not a list of CPUs: ',' was expected at ' 2'",
			1},
		{"1-3-5",
			"'1-3-5' is not a list of CPUs: ',' was expected at "
			"'-5'",
			3},
		{"1/2", "'1/2' is not a list of CPUs: ',' was expected at '/2'",
			1},
		{"3-1", "'3-1' has the range 3-1, which runs backwards", 0},
		{"0-3/0", "'0-3/0' has a stride of 0: 1 or more was expected",
			0},
		{"1048576",
			"'1048576' has a CPU number above the largest possible "
			"number, 1048575",
			0},
		{"99999999999999999999999",
			"'99999999999999999999999' has a CPU number above the "
			"largest possible number, 1048575",
			0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cpu_list list = {0};
		struct error err;

		assert_int_equal(
			cpu_list_parse(&list, cases[i].text, &err), -EINVAL);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_int_equal(err.code, EINVAL);
		assert_string_equal(err.text, cases[i].message);
		assert_int_equal(list.n, cases[i].kept);
		cpu_list_release(&list);
	}
}

static void parsing_appends(void **state)
{
	const unsigned expected[] = {5, 3, 1, 2, 4};
	struct cpu_list list = {0};

	(void)state;
	assert_int_equal(cpu_list_parse(&list, "5,3", NULL), 0);
	assert_int_equal(cpu_list_parse(&list, "1-5", NULL), 0);
	assert_list(&list, expected, COUNT(expected));
	cpu_list_release(&list);
}

/* Every CPU there can be, the last one first: minutes if each were sought. */
static void the_longest_list_parses(void **state)
{
	struct cpu_list list = {0};

	(void)state;
	assert_int_equal(
		cpu_list_parse(&list, "1048575,0-1048574,0-1048575", NULL), 0);
	assert_int_equal(list.n, CPU_LIST_MAX_CPU + 1);
	assert_int_equal(list.cpus[0], 1048575);
	assert_int_equal(list.cpus[1048575], 1048574);
	cpu_list_sort(&list);
	assert_format(&list, "0-1048575");
	cpu_list_release(&list);
}

static void add_takes_no_cpu_twice(void **state)
{
	const unsigned given[] = {5, 3, 5, 9, 3, 0, 9};
	const unsigned expected[] = {5, 3, 9, 0};
	struct cpu_list list = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(given); i++)
		assert_int_equal(cpu_list_add(&list, given[i], NULL), 0);
	assert_list(&list, expected, COUNT(expected));
	assert_int_equal(cpu_list_find(&list, 9), 2);
	assert_int_equal(cpu_list_find(&list, 4), -1);
	cpu_list_release(&list);
	assert_int_equal(list.n, 0);
	assert_null(list.cpus);
}

static void an_empty_list_is_fine(void **state)
{
	struct cpu_list list = {0};

	(void)state;
	cpu_list_sort(&list);
	assert_int_equal(cpu_list_find(&list, 0), -1);
	assert_format(&list, "");
	cpu_list_release(&list);
}

/* Any list comes back from its own text. */
static void format_and_parse_agree(void **state)
{
	struct stat_random random;

	(void)state;
	stat_random_init(&random, 1);
	for (unsigned trial = 0; trial < 300; trial++) {
		struct cpu_list list = {0}, again = {0};
		size_t n = 1 + stat_random_below(&random, 40);
		char *text;

		for (size_t i = 0; i < n; i++)
			cpu_list_add(&list,
				(unsigned)stat_random_below(&random, 30), NULL);
		if (trial % 2)
			cpu_list_sort(&list);
		text = cpu_list_format(&list);
		assert_non_null(text);
		assert_int_equal(cpu_list_parse(&again, text, NULL), 0);
		assert_list(&again, list.cpus, list.n);
		free(text);
		cpu_list_release(&list);
		cpu_list_release(&again);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(lists_are_parsed_and_formatted),
	cmocka_unit_test(parse_says_what_is_wrong),
	cmocka_unit_test(parsing_appends),
	cmocka_unit_test(the_longest_list_parses),
	cmocka_unit_test(add_takes_no_cpu_twice),
	cmocka_unit_test(an_empty_list_is_fine),
	cmocka_unit_test(format_and_parse_agree),
};

CASE_GROUP(cases);
