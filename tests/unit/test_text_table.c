/* Columns are as wide as what is in them, whatever is in them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "util/text_table.h"

static void assert_table(
	struct text_list *lines, const char *missing, const char *expected)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	text_table_print(out, lines, missing, SIZE_MAX);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void columns_have_their_least_width(void **state)
{
	struct text_list lines = {.text = NULL};

	(void)state;
	text_list_add(&lines, "", "  Level<8\t Pairs>6\t  <");
	text_list_add(&lines, "\n", "%s\t%d\t%s", "all", 12, "better");
	text_list_add(&lines, "\n", "%s\t%d\t", "SMT", 3);
	assert_table(&lines, "-",
		"  Level     Pairs\n"
		"  all          12  better\n"
		"  SMT           3\n");
}

static void wide_cells_widen_their_column(void **state)
{
	struct text_list lines = {.text = NULL};

	(void)state;
	text_list_add(&lines, "", "Name<\t ns>3\t of<");
	text_list_add(&lines, "\n", "%s\t%.0f\tx", "a long name", 1.0);
	text_list_add(&lines, "\n", "%s\t%.0f\ty", "b", 1e18);
	assert_table(&lines, "-",
		"Name                         ns of\n"
		"a long name                   1 x\n"
		"b           1000000000000000000 y\n");
}

static void letters_of_several_bytes_are_one_column(void **state)
{
	struct text_list lines = {.text = NULL};

	(void)state;
	text_list_add(&lines, "", "Gr\u00f6\u00dfe<\t \u03bcs>4");
	text_list_add(&lines, "\n", "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\t1");
	text_list_add(&lines, "\n", "aouaou\t22");
	assert_table(&lines, "-",
		"Gr\u00f6\u00dfe    \u03bcs\n"
		"\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc    1\n"
		"aouaou   22\n");
}

static void numbers_that_are_missing_have_a_mark(void **state)
{
	struct text_list lines = {.text = NULL};

	(void)state;
	text_list_add(&lines, "", "<3\t >4\t >4");
	text_list_add(&lines, "\n", "%s\t%.1f\t%.1f", "nan", -NAN, 1.0);
	text_list_add(&lines, "\n", "%s\t%.1f\t%.1f", "", 2.0, NAN);
	assert_table(&lines, "?",
		"nan    ?  1.0\n"
		"     2.0    ?\n");
}

static void the_last_cell_of_a_short_line_has_the_rest(void **state)
{
	struct text_list lines = {.text = NULL};

	(void)state;
	text_list_add(&lines, "", "<2\t  a>1\t  b>1");
	text_list_add(&lines, "\n", "x\t1\t2");
	text_list_add(&lines, "\n", "y\tnobody measured it");
	assert_table(&lines, "-",
		"    a  b\n"
		"x   1  2\n"
		"y   nobody measured it\n");
}

static void cells_without_a_column_have_the_last_one(void **state)
{
	struct text_list lines = {.text = NULL};

	(void)state;
	text_list_add(&lines, "", "<1\t <1");
	text_list_add(&lines, "\n", "a\tb\tc\td");
	assert_table(&lines, "-", "a b c d\n");
}

static void a_table_of_no_lines_is_nothing(void **state)
{
	struct text_list lines = {.text = NULL};

	(void)state;
	text_list_add(&lines, "", "Level<8\t Pairs>6");
	assert_table(&lines, "-", "");
	lines = (struct text_list){.text = NULL};
	assert_table(&lines, "-", "");
}

static void columns_that_do_not_fit_continue_below(void **state)
{
	struct text_list lines = {.text = NULL};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	text_list_add(&lines, "", "x>\t  of one CPU>4\t  sum>4");
	text_list_add(&lines, "\n", "1\t2\t3");
	assert_int_equal(text_table_print(out, &lines, "-", 10), 2);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "     of\n"
				  "    one\n"
				  "x   CPU\n"
				  "1     2\n"
				  "\n"
				  "x   sum\n"
				  "1     3\n");
	free(text);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(columns_have_their_least_width),
	cmocka_unit_test(wide_cells_widen_their_column),
	cmocka_unit_test(letters_of_several_bytes_are_one_column),
	cmocka_unit_test(numbers_that_are_missing_have_a_mark),
	cmocka_unit_test(the_last_cell_of_a_short_line_has_the_rest),
	cmocka_unit_test(cells_without_a_column_have_the_last_one),
	cmocka_unit_test(a_table_of_no_lines_is_nothing),
	cmocka_unit_test(columns_that_do_not_fit_continue_below),
};

CASE_GROUP(cases);
