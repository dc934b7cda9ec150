/*
 * What a measuring command says of its length before it begins.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cmd/measure/measure_run.h"

static void a_long_run_names_what_takes_less(void **state)
{
	static const struct {
		size_t n;
		const char *noun;
		double s;
		const char *less, *text;
	} rows[] = {
		{1, "pair", 3, "--per node", ""},
		{1, "pair", 3.1, "--per node", "1 pair, about 4 s"},
		{256, "pair", 59, "--per node", "256 pairs, about 59 s"},
		{256, "pair", 384, "--per node",
			"256 pairs, about 6 min; --per node takes less time; "
			"Ctrl-C keeps the measured values"},
		{20, "point", 6120, NULL, "20 points, about 1.7 h"},
		{1, "pair", INFINITY, NULL, ""},
	};
	char text[MEASURE_EXPECTED_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		measure_expected_text(rows[i].n, rows[i].noun, rows[i].s, false,
			rows[i].less, text);
		assert_string_equal(text, rows[i].text);
	}
	measure_expected_text(2, "pair", 8, true, NULL, text);
	assert_string_equal(text, "2 pairs, up to 8 s");
}

static void a_run_ends_by_budget_or_by_passes(void **state)
{
	static const struct {
		size_t passes_min, passes_max;
		double budget_s, most_s, sleep_s;
		double first_s, pass_s, expected_s;
		bool sooner;
	} rows[] = {
		/* Short passes fill the budget, and a sleep follows. */
		{6, 100000, 8, 30, 0, 0, 0.01, 8, true},
		{6, 100000, 2, 30, 1, 0, 0.01, 3, true},
		/* Six passes, or as many as may be waited for. */
		{6, 100000, 8, 30, 0, 1, 4, 25, false},
		{6, 100000, 8, 30, 0, 1, 10, 30, false},
		/* A first pass always ends. */
		{6, 100000, 8, 30, 0, 2, 100, 102, false},
		/* So many passes as the user wants. */
		{1, 1, 8, INFINITY, 0, 0, 0.5, 0.5, false},
		{50, 50, 8, INFINITY, 0, 0, 0.5, 25, false},
		/* A budget that the user gives. */
		{6, 100000, 20, 0, 0, 0, 10, 20, false},
		/* Passes of unknown length. */
		{6, 100000, 8, 30, 0, 0, 0, 8, false},
		{50, 50, 8, INFINITY, 0, 0, 0, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct campaign_options options = {
			.passes_min = rows[i].passes_min,
			.passes_max = rows[i].passes_max,
			.budget_s = rows[i].budget_s,
			.most_s = rows[i].most_s,
			.sleep_s = rows[i].sleep_s,
		};
		bool sooner;

		assert_true(
			measure_expected_s(&options, rows[i].first_s,
				rows[i].pass_s, &sooner) == rows[i].expected_s);
		assert_true(sooner == rows[i].sooner);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_long_run_names_what_takes_less),
	cmocka_unit_test(a_run_ends_by_budget_or_by_passes),
};

CASE_GROUP(cases);
