/* What a terminal would obey is shown; sizes as one says them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

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
		/* Messages have words of files in them. */
		error_set(&err, ERROR_FAILURE, 1, "%s", cases[i].text);
		assert_string_equal(err.text, cases[i].safe);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controls_become_question_marks),
		cmocka_unit_test(sizes_have_the_largest_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
