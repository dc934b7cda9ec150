/* What a terminal would obey is shown. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controls_become_question_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
