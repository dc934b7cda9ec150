/* What a terminal would obey is shown; sizes as one says them. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "util/error.h"
#include "util/text.h"

static void controls_become_question_marks(void **state)
{
	static const struct {
		const char *text, *safe;
	} cases[] = {
		{"", ""},
		{"a\tb\nc ~", "a\tb\nc ~"},
		{"\033[31mred\033[0m", "?[31mred?[0m"},
		{"\a\b\r\177\001", "?????"},
		{"\302\233"
		 "31m",
			"??31m"},
		{"\302\240\303\274\342\202\254",
			"\302\240\303\274\342\202\254"},
		{"\302", "\302"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error err;
		char text[32];

		snprintf(text, sizeof(text), "%s", cases[i].text);
		text_make_safe(text);
		assert_string_equal(text, cases[i].safe);
		/* Messages have words of files in them, and are UTF-8. */
		text_make_utf8(text);
		error_set(&err, ERROR_FAILURE, 1, "%s", cases[i].text);
		assert_string_equal(err.text, text);
	}
}

static void what_cannot_be_shown_is_named(void **state)
{
	static const char controls[] = "control characters";
	static const char bytes[] = "bytes that are not UTF-8";
	static const struct {
		const char *text, *flaw, *of_lines;
	} cases[] = {
		{"", NULL, NULL},
		{"a\tb, \302\265s, \303\266", NULL, NULL},
		{"two\r\nlines", controls, NULL},
		{"two\nlines", controls, NULL},
		{"\033[31m", controls, controls},
		{"a\177", controls, controls},
		{"\302\233"
		 "31m",
			controls, controls},
		{"\302\240", NULL, NULL},
		{"\233"
		 "31m",
			bytes, bytes},
		{"\302", bytes, bytes},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(
			!text_flaw(cases[i].text, false), !cases[i].flaw);
		assert_int_equal(
			!text_flaw(cases[i].text, true), !cases[i].of_lines);
		if (cases[i].flaw)
			assert_string_equal(
				text_flaw(cases[i].text, false), cases[i].flaw);
	}
}

static void sizes_have_the_largest_unit(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{0, "0 B"},
		{64, "64 B"},
		{1023, "1023 B"},
		{1024, "1 KiB"},
		{1536, "1.5 KiB"},
		{4 << 20, "4 MiB"},
		{(1 << 20) - 1, "1 MiB"},
		{66846720, "63.75 MiB"},
		{UINT64_MAX, "16 EiB"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[TEXT_SIZE_BYTES];

		assert_string_equal(
			text_size(cases[i].bytes, text), cases[i].text);
	}
}

static void two_sizes_have_one_unit(void **state)
{
	static const struct {
		double least, most;
		const char *text;
	} cases[] = {
		{24 * 1048576.0, 32 * 1048576.0, "24-32 MiB"},
		{861 * 1024.0, 1.19 * 1048576, "0.841-1.19 MiB"},
		{1048576, NAN, ">=1 MiB"},
		{NAN, 1048576, "1 MiB"},
		{NAN, NAN, "?"},
		{64, 64, "64 B"},
		{1000 * 1024.0, 1023 * 1024.0, "1000-1023 KiB"},
		{0, 512, "0-512 B"},
		{0, INFINITY, "0-inf TiB"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[TEXT_SIZES_BYTES];

		assert_string_equal(
			text_sizes(cases[i].least, cases[i].most, text),
			cases[i].text);
	}
}

static void rates_are_told_by_their_unit(void **state)
{
	(void)state;
	assert_true(text_is_rate("GiB/s"));
	assert_true(text_is_rate("B/clk"));
	assert_true(text_is_rate("FLOP/clk/unit"));
	assert_true(text_is_rate("Gbps"));
	assert_false(text_is_rate("ns"));
	assert_false(text_is_rate("clk"));
	assert_false(text_is_rate("/s"));
}

static void numbers_have_three_digits_and_no_exponent(void **state)
{
	char text[TEXT_NUMBER_BYTES];

	(void)state;
	assert_string_equal(text_number(0.012345, text), "0.0123");
	assert_string_equal(text_number(98.76, text), "98.8");
	assert_string_equal(text_number(999.4, text), "999");
	assert_string_equal(text_number(999.6, text), "1000");
	assert_string_equal(text_number(30966.4, text), "30966");
	assert_string_equal(text_number(-62510, text), "-62510");
	assert_int_equal(strlen(text_number(DBL_MAX, text)), 309);
}

static void a_bound_is_never_under_something(void **state)
{
	char text[TEXT_SHARE_BYTES];

	(void)state;
	assert_string_equal(text_share(0.00001, text), "under 0.01 %");
	assert_string_equal(text_bound(0.00001, text), "0.01 %");
	assert_string_equal(text_bound(0, text), "0.01 %");
	assert_string_equal(text_bound(0.031, text), "3.1 %");
}

static void times_have_a_unit_and_no_exponent(void **state)
{
	static const struct {
		double s;
		const char *text;
	} cases[] = {
		{0.5e-9, "0.5 ns"},
		{9.71e-3, "9.71 ms"},
		{22.94e-3, "22.9 ms"},
		{999.4e-9, "999 ns"},
		{999.6e-9, "1 us"},
		{0.9996, "1 s"},
		{998.7, "999 s"},
		{12345, "12345 s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[TEXT_SIZE_BYTES];

		assert_string_equal(text_time(cases[i].s, text), cases[i].text);
	}
}

/* The ends of each row of the table, and one beyond. */
static void what_is_no_utf8_becomes_question_marks(void **state)
{
	static const struct {
		const char *text, *utf8;
	} cases[] = {
		{"", ""},
		{"a\n\177", "a\n\177"},
		{"caf\351 x", "caf? x"},
		{"\200\277\300\301\302\200", "????\302\200"},
		{"\337\277\337\300\337", "\337\277???"},
		{"\340\240\200\340\237\277", "\340\240\200???"},
		{"\354\277\277\341\177\200", "\354\277\277?\177?"},
		{"\355\237\277\355\240\200", "\355\237\277???"},
		{"\357\277\277\356\200", "\357\277\277??"},
		{"\360\220\200\200\360\217\277\277", "\360\220\200\200????"},
		{"\363\277\277\277\361\200\200x", "\363\277\277\277???x"},
		{"\364\217\277\277\364\220\200\200", "\364\217\277\277????"},
		{"\365\377", "??"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s", cases[i].text);
		text_make_utf8(text);
		assert_string_equal(text, cases[i].utf8);
	}
}

static void lines_break_between_words_and_in_lists_after_a_comma(void **state)
{
	(void)state;
	assert_int_equal(text_fitting_bytes("all", 3), 3);
	assert_int_equal(text_fitting_bytes("all of it", 8), 6);
	assert_int_equal(text_fitting_bytes("all of it", 6), 6);
	/* No number is broken, */
	assert_int_equal(text_fitting_bytes("at 1,024 elements", 6), 2);
	/* but a list of them is. */
	assert_int_equal(text_fitting_bytes("0,2,14,16", 6), 4);
	assert_int_equal(text_fitting_bytes("CPUs 0,2,14,16", 9), 4);
	assert_int_equal(text_fitting_bytes("0123456789", 6), 6);
}

static void assert_list(struct text_list *list, const char *expected)
{
	char *text = text_list_end(list);

	assert_string_equal(text, expected);
	free(text);
}

static void lists_have_something_between_their_items(void **state)
{
	struct text_list none = {0}, one = {0}, three = {0};

	(void)state;
	assert_list(&none, "");
	text_list_add(&one, ", ", "%d", 1);
	assert_list(&one, "1");
	text_list_add(&three, ", ", "CPU %d", 1);
	text_list_add(&three, ", ", "%s", "2");
	text_list_add(&three, " and ", "3");
	assert_list(&three, "CPU 1, 2 and 3");
}

static void assert_bytes_shown(const char *from, const char *expected)
{
	char *shown = text_show_bytes(from);

	assert_string_equal(shown, expected);
	free(shown);
}

static void bytes_that_are_not_utf8_are_shown_as_numbers(void **state)
{
	(void)state;
	assert_bytes_shown("", "");
	assert_bytes_shown("a\377b", "a\\xffb");
	/* The first byte of two, at the end and before a letter. */
	assert_bytes_shown("\303", "\\xc3");
	assert_bytes_shown("\303\"", "\\xc3\"");
	/* Too long for its code, a surrogate, beyond the last code. */
	assert_bytes_shown("\300\200", "\\xc0\\x80");
	assert_bytes_shown("\355\240\200", "\\xed\\xa0\\x80");
	assert_bytes_shown("\364\220\200\200", "\\xf4\\x90\\x80\\x80");
	/* Characters of three and four bytes. */
	assert_bytes_shown(
		"\342\202\254\360\237\230\200", "\342\202\254\360\237\230\200");
}

static void names_of_files_are_shown_safe(void **state)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_non_null(out);
	text_print_safe(out, "\303\274 a\377b\033[31m.json");
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "\303\274 a?b?[31m.json");
	free(text);
}

static void assert_meant(
	const char *word, const char *const *candidates, const char *meant)
{
	const char *found = NULL;
	size_t best = SIZE_MAX;

	for (; *candidates; candidates++) {
		if (text_is_nearer(word, *candidates, &best))
			found = *candidates;
	}
	if (!text_same(found, meant))
		fail_msg("%s: %s", word, found ? found : "nothing");
}

static void a_mistyped_word_is_the_nearest_one(void **state)
{
	static const char *const words[] = {
		"pair", "pairs", "passes", "pages", "precision", NULL};

	(void)state;
	assert_meant("passses", words, "passes");
	assert_meant("pass", words, "passes");
	assert_meant("pases", words, "passes");
	assert_meant("apges", words, "pages");
	assert_meant("pirs", words, "pairs");
	assert_meant("prezicion", words, "precision");
	assert_meant("mages", words, "pages");
	assert_meant("maes", words, NULL);
	assert_meant("budget", words, NULL);
	assert_meant("p", words, NULL);
	assert_meant("", words, NULL);
	assert_meant("passespassespassespassespassespasses", words, NULL);
}

static void quotes_are_short_and_printable(void **state)
{
	struct quoted_text quote;
	char text[200];

	(void)state;
	assert_string_equal(text_excerpt(&quote, "abc", 3), "'abc'");
	assert_string_equal(text_excerpt(&quote, "abc", 2), "'ab'");
	assert_string_equal(text_excerpt(&quote, "abc", 0), "nothing");
	assert_string_equal(
		text_excerpt(&quote, "\x1b[31m\xc3\xa4", 7), "'?[31m?\?'");
	memset(text, 'y', sizeof(text));
	assert_string_equal(text_excerpt(&quote, text, sizeof(text)),
		"'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy...'");
}

static void words_are_quoted_for_a_shell(void **state)
{
	static const char *const words[] = {"./a-b=1", "", "two words", "it's"};
	struct text_list line = {.text = NULL};
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		text_list_add_shell_word(&line, " ", words[i]);
	text = text_list_end(&line);
	assert_string_equal(text, "./a-b=1 '' 'two words' 'it'\\''s'");
	free(text);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(words_are_quoted_for_a_shell),
	cmocka_unit_test(controls_become_question_marks),
	cmocka_unit_test(what_cannot_be_shown_is_named),
	cmocka_unit_test(sizes_have_the_largest_unit),
	cmocka_unit_test(two_sizes_have_one_unit),
	cmocka_unit_test(rates_are_told_by_their_unit),
	cmocka_unit_test(numbers_have_three_digits_and_no_exponent),
	cmocka_unit_test(a_bound_is_never_under_something),
	cmocka_unit_test(times_have_a_unit_and_no_exponent),
	cmocka_unit_test(what_is_no_utf8_becomes_question_marks),
	cmocka_unit_test(lines_break_between_words_and_in_lists_after_a_comma),
	cmocka_unit_test(lists_have_something_between_their_items),
	cmocka_unit_test(bytes_that_are_not_utf8_are_shown_as_numbers),
	cmocka_unit_test(names_of_files_are_shown_safe),
	cmocka_unit_test(a_mistyped_word_is_the_nearest_one),
	cmocka_unit_test(quotes_are_short_and_printable),
};

CASE_GROUP(cases);
