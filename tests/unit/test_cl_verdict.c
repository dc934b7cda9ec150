/* What is said of figures, and where their intervals forbid it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../case_group.h"
#include "cl/cl_verdict.h"

static struct median_interval figure(double low, double high)
{
	return (struct median_interval){(low + high) / 2, low, high};
}

static const struct median_interval few_runs = {1, NAN, NAN};
static const struct median_interval nothing = {NAN, NAN, NAN};

static void ratios_are_as_far_apart_as_intervals(void **state)
{
	struct median_interval ratio = figure_over(figure(4, 8), figure(1, 2));

	(void)state;
	assert_true(ratio.median == 4);
	assert_true(ratio.low == 2 && ratio.high == 8);
	assert_true(isnan(figure_over(nothing, figure(1, 2)).median));
	assert_true(isnan(figure_over(few_runs, figure(1, 2)).low));
}

static void figures_differ_where_intervals_are_apart(void **state)
{
	(void)state;
	assert_true(figure_differs(figure(1, 2), figure(2.1, 3)));
	assert_true(figure_differs(figure(2.1, 3), figure(1, 2)));
	assert_false(figure_differs(figure(1, 2), figure(2, 3)));
	assert_false(figure_differs(figure(2, 3), figure(1, 2)));
	assert_false(figure_differs(figure(1, 4), figure(2, 3)));
	assert_false(figure_differs(few_runs, figure(2, 3)));
	assert_false(figure_differs(figure(2, 3), nothing));
}

static void gaps_are_neither_most_nor_least(void **state)
{
	const struct median_interval figures[] = {
		nothing, figure(1, 3), few_runs, figure(2, 6), nothing};

	(void)state;
	assert_int_equal(figure_most(figures, 5), 3);
	assert_int_equal(figure_least(figures, 5), 2);
	assert_int_equal(figure_most(figures, 1), 1);
	assert_int_equal(figure_least(figures, 0), 0);
}

static void rates_fall_where_all_that_follow_are_low(void **state)
{
	struct median_interval rates[] = {
		figure(1, 3), figure(9, 11), figure(3, 5), figure(5, 6)};

	(void)state;
	assert_int_equal(figure_find_drop(rates, 4, 0.7), 2);
	assert_int_equal(figure_find_drop(rates, 4, 0.5), 0);
	assert_int_equal(figure_find_drop(rates, 2, 0.7), 0);
	/* A last one as high as before ends it. */
	rates[3] = figure(9, 11);
	assert_int_equal(figure_find_drop(rates, 4, 0.7), 0);
	/* So does one that may be as high as the best. */
	rates[3] = figure(1, 9.5);
	assert_int_equal(figure_find_drop(rates, 4, 0.7), 0);
	/* Whichever of those that follow it is. */
	rates[2] = figure(4.9, 5.1);
	rates[3] = (struct median_interval){4.9, 1, 12};
	assert_int_equal(figure_find_drop(rates, 4, 0.7), 0);
	rates[3].high = 8.9;
	assert_int_equal(figure_find_drop(rates, 4, 0.7), 2);
	/* Without intervals there are medians. */
	rates[2] = rates[3] = (struct median_interval){5, NAN, NAN};
	assert_int_equal(figure_find_drop(rates, 4, 0.7), 2);
}

static void what_is_no_result_is_no_fall(void **state)
{
	struct median_interval rates[] = {
		figure(9, 11), figure(4, 6), figure(4, 6)};

	(void)state;
	assert_int_equal(figure_find_drop(rates, 3, 0.7), 1);
	rates[1] = nothing;
	assert_int_equal(figure_find_drop(rates, 3, 0.7), 2);
	rates[2] = nothing;
	assert_int_equal(figure_find_drop(rates, 3, 0.7), 0);
	rates[1] = figure(4, 6);
	rates[0] = nothing;
	assert_int_equal(figure_find_drop(rates, 3, 0.7), 0);
}

static void a_step_ends_where_a_curve_leaves_it(void **state)
{
	const struct median_interval figures[] = {figure(9, 11), figure(10, 12),
		figure(9, 9), figure(12, 13), few_runs, nothing, figure(1, 1)};

	(void)state;
	assert_int_equal(figure_plateau_end(figures, 7, 0, 0.2), 3);
	assert_int_equal(figure_plateau_end(figures, 2, 0, 0.2), 2);
	assert_int_equal(figure_plateau_end(figures, 7, 3, 0.2), 4);
	/* A gap ends one, and is none. */
	assert_int_equal(figure_plateau_end(figures, 7, 4, 0.2), 5);
	assert_int_equal(figure_plateau_end(figures, 7, 5, 0.2), 6);
	assert_int_equal(figure_plateau_end(figures, 7, 6, 0.2), 7);
}

static void times_and_shares_have_their_intervals(void **state)
{
	static const struct {
		struct median_interval ratio;
		const char *times, *percent;
	} cases[] = {
		{{31.94, 31.72, 32.1}, "31.9 times as long (31.7 to 32.1)",
			"3172 to 3210 %"},
		{{0.997, 0.987, 1.012},
			"no clear difference (0.99 to 1.01 times as long)",
			"99 to 101 %"},
		{{1, 1, 1}, "no clear difference (1.00 to 1.00 times as long)",
			"100 %"},
		{{0.5, 0.4, 0.62}, "0.50 times as long (0.40 to 0.62)",
			"40 to 62 %"},
		{{120.2, 99.6, 140}, "120 times as long (100 to 140)",
			"9960 to 14000 %"},
		{{2, 0.0054, 197},
			"no clear difference (0.005 to 197 times as long)",
			"1 to 19700 %"},
		{{1, NAN, NAN}, "too few runs to compare", "100 %"},
		{{NAN, NAN, NAN}, "no result", "nan %"},
	};
	char text[FIGURE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(figure_times(cases[i].ratio, "long", text),
			cases[i].times);
		assert_string_equal(
			figure_percent(cases[i].ratio, text), cases[i].percent);
	}
	assert_string_equal(figure_times(figure(2, 2), "fast", text),
		"2.00 times as fast (2.00 to 2.00)");
}

static void paths_are_judged_by_what_is_sure(void **state)
{
	static const struct {
		double low, high;
		enum paths_verdict verdict;
	} cases[] = {
		{31, 33, PATHS_IN_TURN},
		{16, 40, PATHS_IN_TURN},
		{15.9, 40, PATHS_IN_PART},
		{1.11, 1.12, PATHS_IN_PART},
		{1.05, 1.09, PATHS_FREE},
		{0.5, 0.6, PATHS_FREE},
		{0.9, 1.24, PATHS_FREE},
		/* It may be a quarter, or nothing. */
		{0.9, 1.26, PATHS_UNKNOWN},
		{1.05, 1.2, PATHS_UNKNOWN},
		{0.5, 40, PATHS_UNKNOWN},
		{NAN, NAN, PATHS_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(
			judge_paths(figure(cases[i].low, cases[i].high), 32),
			cases[i].verdict);
	/* Half of as many as there are. */
	assert_int_equal(judge_paths(figure(2, 4), 4), PATHS_IN_TURN);
}

static void maps_are_judged_by_a_copy(void **state)
{
	const struct median_interval page = figure(1, 2), copy = figure(20, 30);

	(void)state;
	assert_int_equal(judge_map(figure(17.1, 18), page, copy), MAP_MOVES);
	assert_int_equal(judge_map(figure(2, 10.9), page, copy), MAP_STAYS);
	/* Of intervals the ends decide that are nearest. */
	assert_int_equal(judge_map(figure(16.9, 18), page, copy), MAP_UNKNOWN);
	assert_int_equal(judge_map(figure(2, 11.1), page, copy), MAP_UNKNOWN);
	assert_int_equal(judge_map(figure(2, 40), page, copy), MAP_UNKNOWN);
	assert_int_equal(judge_map(few_runs, page, copy), MAP_UNKNOWN);
	/* That there is no copy is no matter of runs. */
	assert_int_equal(judge_map(figure(2, 3), page, nothing), MAP_NO_COPY);
	assert_int_equal(judge_map(few_runs, few_runs, nothing), MAP_NO_COPY);
	/* Four pages' maps take longer, whatever the intervals. */
	assert_int_equal(
		judge_map(figure(2, 3), page, figure(5, 6)), MAP_NEAR_PAGE);
	assert_int_equal(judge_map(few_runs, few_runs,
				 (struct median_interval){3.9, NAN, NAN}),
		MAP_NEAR_PAGE);
}

static void a_mad_is_judged_by_its_two_parts(void **state)
{
	const struct median_interval add = figure(0.9, 1.1),
				     mul = figure(1.9, 2.1);

	(void)state;
	assert_int_equal(judge_mad(figure(2, 2.7), mul, add), MAD_FUSED);
	assert_int_equal(judge_mad(figure(2.9, 3), mul, add), MAD_SEPARATE);
	assert_int_equal(judge_mad(figure(3.3, 4), mul, add), MAD_SEPARATE);
	/* As long as one of them, or as both. */
	assert_int_equal(judge_mad(figure(2, 3), mul, add), MAD_UNKNOWN);
	/* It may be nearer to one than to both; and then not. */
	assert_int_equal(judge_mad(figure(2.4, 3), mul, add), MAD_UNKNOWN);
	assert_int_equal(judge_mad(figure(2.5, 3), mul, add), MAD_SEPARATE);
	assert_int_equal(judge_mad((struct median_interval){1.2, 1.1, 2},
				 figure(1, 1.05), figure(1, 1.05)),
		MAD_UNKNOWN);
	assert_int_equal(
		judge_mad(figure(2.9, 3), figure(1, 3), add), MAD_UNKNOWN);
	assert_int_equal(judge_mad(few_runs, mul, add), MAD_UNKNOWN);
	assert_int_equal(judge_mad(figure(2, 2.7), nothing, add), MAD_UNKNOWN);
}

/* Memory that is half as fast in some rounds changes no ratio. */
static void turns_compare_within_rounds(void **state)
{
	double one[] = {2, 4, 2.2, 4, 2}, other[] = {1, 2, 1, 2, 0.8};
	struct interleaved_ratio turns = compare_interleaved(one, other, 5);

	(void)state;
	assert_true(turns.one == 2.2);
	assert_true(turns.other == 1);
	assert_true(turns.ratio == 2);
	assert_true(turns.low == 2);
	assert_true(turns.high == 2.5);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(ratios_are_as_far_apart_as_intervals),
	cmocka_unit_test(figures_differ_where_intervals_are_apart),
	cmocka_unit_test(gaps_are_neither_most_nor_least),
	cmocka_unit_test(rates_fall_where_all_that_follow_are_low),
	cmocka_unit_test(what_is_no_result_is_no_fall),
	cmocka_unit_test(a_step_ends_where_a_curve_leaves_it),
	cmocka_unit_test(times_and_shares_have_their_intervals),
	cmocka_unit_test(paths_are_judged_by_what_is_sure),
	cmocka_unit_test(maps_are_judged_by_a_copy),
	cmocka_unit_test(a_mad_is_judged_by_its_two_parts),
	cmocka_unit_test(turns_compare_within_rounds),
};

CASE_GROUP(cases);
