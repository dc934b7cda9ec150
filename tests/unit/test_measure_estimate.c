/*
 * What a measuring command says of its first pass before it begins.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/measure/run.h"

static void a_long_pass_names_what_takes_less(void **state)
{
	static const struct {
		size_t pairs;
		double s;
		const char *less, *text;
	} rows[] = {
		{1, 0.4, "--per node", "1 pair, about 1 s for the first pass"},
		{256, 59, "--per node",
			"256 pairs, about 59 s for the first pass"},
		{256, 384, "--per node",
			"256 pairs, about 6 min for the first pass; --per node "
			"takes less time; Ctrl-C keeps what was measured"},
		{4096, 6120, NULL,
			"4096 pairs, about 1.7 h for the first pass"},
	};
	char text[MEASURE_ESTIMATE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		measure_estimate_text(
			rows[i].pairs, rows[i].s, rows[i].less, text);
		assert_string_equal(text, rows[i].text);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_long_pass_names_what_takes_less),
};

CASE_GROUP(cases);
