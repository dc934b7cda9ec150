/* Lists of words and numbers, and rules about which options go together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/option.h"
#include "util/array.h"

static const struct option_row words = {
	.kind = OPTION_LIST, .words = "load|store|nt-store"};
static const struct option_row orders = {.kind = OPTION_LIST,
	.words = "random|page|stride:BYTES",
	.is = OPTION_BYTES,
	.within = {64, 4096},
	.multiple = 64};
static const struct option_row threads = {.kind = OPTION_LIST,
	.words = "llc|all|N",
	.choice = -2,
	.is = OPTION_COUNT,
	.within = {1, 100}};
static const struct option_row chains = {
	.kind = OPTION_LIST, .is = OPTION_COUNTS, .within = {1, 32}};

static void a_list_has_each_item_once_in_its_order(void **state)
{
	static const struct {
		const struct option_row *row;
		const char *text;
		size_t n;
		uint64_t items[6];
	} lists[] = {
		{&words, "store,load,store", 2, {1, 0}},
		{&words, "nt-store", 1, {2}},
		{&orders, "page,stride:4K,random,stride:64,page", 4,
			{1, 4096, 0, 64}},
		{&threads, "4,all,llc,2,4", 4,
			{4, UINT64_MAX, UINT64_MAX - 1, 2}},
		{&chains, "3,1:32", 7, {3, 1, 2, 4, 8, 16}},
		{&chains, "5:9", 1, {5}},
	};
	struct option_list list;

	(void)state;
	for (size_t i = 0; i < N_OF(lists); i++) {
		assert_int_equal(option_parse_list(lists[i].row, lists[i].text,
					 &list, NULL),
			0);
		assert_string_equal(list.text, lists[i].text);
		assert_int_equal(list.n, lists[i].n);
		for (size_t k = 0; k < list.n && k < 6; k++)
			assert_true(list.items[k] == lists[i].items[k]);
	}
}

static void what_is_no_item_is_refused(void **state)
{
	static const struct {
		const struct option_row *row;
		const char *text, *flaw;
	} lists[] = {
		{&words, "", "an item of the list is empty"},
		{&words, ",load", "an item of the list is empty"},
		{&words, "load,", "an item of the list is empty"},
		{&words, "loads", "'loads' is none of load, store, nt-store"},
		{&words, "LOAD", "'LOAD' is none of load, store, nt-store"},
		{&words, "load store",
			"'load store' is none of load, store, nt-store"},
		{&words, "3", "'3' is none of load, store, nt-store"},
		{&orders, "64", "'64' is none of random, page, stride:BYTES"},
		{&orders, "stride:", "'' is not a whole number"},
		{&orders, "stride:BYTES", "'BYTES' is not a whole number"},
		{&orders, "stride:96", "'96' is not a multiple of 64 bytes"},
		{&orders, "stride:8K", "'8K' is not between 64 B and 4 KiB"},
		{&threads, "N", "'N' is none of llc, all, a number"},
		{&threads, "-1", "'-1' is none of llc, all, a number"},
		{&threads, "0", "'0' is not between 1 and 100"},
		{&chains, "1,,2", "an item of the list is empty"},
		{&chains, "8:2", "'8:2' has a MAX below its MIN"},
		{&chains, "8:", "'8:' has nothing on one side of the colon"},
		{&chains, "8:33", "'33' is not between 1 and 32"},
	};
	struct option_list list;
	struct error err;

	(void)state;
	for (size_t i = 0; i < N_OF(lists); i++) {
		assert_true(option_parse_list(lists[i].row, lists[i].text,
				    &list, &err) < 0);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_string_equal(err.text, lists[i].flaw);
	}
}

static void a_list_has_an_end(void **state)
{
	char text[4 * OPTION_LIST_MOST + 4] = "1";
	struct option_list list;
	struct error err;

	(void)state;
	for (size_t i = 2; i <= OPTION_LIST_MOST; i++)
		snprintf(text + strlen(text), 5, ",%zu", i);
	assert_int_equal(option_parse_list(&threads, text, &list, &err), 0);
	assert_int_equal(list.n, OPTION_LIST_MOST);
	strcat(text, ",1");
	assert_int_equal(option_parse_list(&threads, text, &list, &err), 0);
	strcat(text, ",65");
	assert_true(option_parse_list(&threads, text, &list, &err) < 0);
	assert_string_equal(err.text, "more than 64 items");
}

static void rules_say_what_goes_together(void **state)
{
	static const struct option_row sizes = {.name = "sizes"},
				       jobs = {.name = "jobs"},
				       output = {
					       .name = "output", .letter = 'o'};
	static const struct {
		struct option_rule rule;
		const char *flaw; /* NULL: it holds */
	} checks[] = {
		{{"sizes", .with = "runs jobs"},
			"--sizes and --jobs exclude each other"},
		{{"runs sizes", .flaw = ": no"}, "--sizes: no"},
		{{"sizes", .flaw = "--all of these"}, "--all of these"},
		{{"output", .flaw = ": no"}, "-o: no"},
		{{"size", .flaw = ": no"}, NULL},
		{{"sizes", .with = "runs", .flaw = ": no"}, NULL},
		{{"sizes", .without = "runs", .flaw = ": no"}, "--sizes: no"},
		{{"sizes", .without = "runs jobs", .flaw = ": no"}, NULL},
		{{"jobs=2", .flaw = ": no"}, "--jobs 2: no"},
		{{"jobs=3", .flaw = ": no"}, NULL},
		{{"jobs=22", .flaw = ": no"}, NULL},
		{{"jobs!1", .flaw = ": no"}, "--jobs: no"},
		{{"jobs!2", .flaw = ": no"}, NULL},
		{{"size!2", .flaw = ": no"}, NULL},
	};
	const struct options_given given = {
		3, {{&sizes, NULL, false}, {&jobs, "2", false},
			   {&output, "a.json", true}}};
	struct error err;

	(void)state;
	assert_true(option_given(&given, "sizes"));
	assert_false(option_given(&given, "size"));
	for (size_t i = 0; i < N_OF(checks); i++) {
		const struct option_rule rules[] = {
			checks[i].rule, {.given = NULL}};

		assert_int_equal(option_check_rules(rules, &given, &err) < 0,
			checks[i].flaw != NULL);
		if (checks[i].flaw)
			assert_string_equal(err.text, checks[i].flaw);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_list_has_each_item_once_in_its_order),
	cmocka_unit_test(what_is_no_item_is_refused),
	cmocka_unit_test(a_list_has_an_end),
	cmocka_unit_test(rules_say_what_goes_together),
};

CASE_GROUP(cases);
