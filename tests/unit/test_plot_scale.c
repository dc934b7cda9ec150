/* The ends of the colour scale, and numbers as text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "figure/colour_scale.h"
#include "figure/view.h"

#define MOST_IMAGES 4

/* A symmetric matrix of n rows, all off the diagonal of one value. */
static struct matrix filled(size_t n, double value, bool higher)
{
	struct matrix matrix = {.higher_is_better = higher, .symmetric = true};

	matrix.values = calloc(n * n, sizeof(*matrix.values));
	assert_non_null(matrix.values);
	for (size_t i = 0; i < n * n; i++)
		matrix.values[i] = i / n == i % n ? NAN : value;
	return matrix;
}

static void set_pair(
	struct matrix *matrix, size_t n, size_t i, size_t j, double value)
{
	matrix->values[i * n + j] = value;
	matrix->values[j * n + i] = value;
}

static struct plot_scale scale_beside(const struct matrix *matrices,
	size_t n_matrices, size_t n, double noise, double low, double high)
{
	struct plot_image images[MOST_IMAGES];
	const struct plot_view view = {
		.images = images, .n_images = n_matrices, .noise = noise};
	const struct plot_options options = {
		.range_min = low, .range_max = high};
	struct arena memory = {0};
	struct plot_scale scale;

	assert_in_range(n_matrices, 1, MOST_IMAGES);
	for (size_t i = 0; i < n_matrices; i++)
		images[i] =
			(struct plot_image){.matrix = matrices[i], .cpus.n = n};
	plot_scale_init(&scale, &view, &options, &memory);
	arena_release(&memory);
	return scale;
}

static struct plot_scale scale_of_all(const struct matrix *matrices,
	size_t n_matrices, size_t n, double low, double high)
{
	return scale_beside(matrices, n_matrices, n, NAN, low, high);
}

static struct plot_scale scale_of(const struct matrix *matrix, size_t n)
{
	return scale_of_all(matrix, 1, n, NAN, NAN);
}

/* Pair k of n CPUs has the value 100 + k. */
static struct matrix counting(size_t n, bool higher)
{
	struct matrix matrix = filled(n, 0, higher);
	int k = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = i + 1; j < n; j++)
			set_pair(&matrix, n, i, j, 100 + k++);
	}
	return matrix;
}

static void matrices_are_taken_together(void **state)
{
	struct matrix matrices[] = {filled(8, 10, false), filled(8, 30, false)};
	struct plot_scale scale;

	(void)state;
	set_pair(&matrices[1], 8, 0, 1, 40);
	scale = scale_of_all(matrices, 2, 8, NAN, NAN);
	assert_int_equal(scale.n_values, 112);
	assert_true(scale.least == 10 && scale.most == 40);
	assert_true(scale.low == 10 && scale.high == 40);
	free(matrices[0].values);
	free(matrices[1].values);
}

static void it_reaches_from_least_to_most(void **state)
{
	struct matrix matrix = counting(8, false); /* 100 to 127 */
	struct plot_scale scale = scale_of(&matrix, 8);

	(void)state;
	assert_int_equal(scale.n_values, 56);
	assert_true(scale.low == 100 && scale.least == 100);
	assert_true(scale.high == 127 && scale.most == 127);
	assert_true(scale.median == 113.5);
	assert_int_equal(scale.n_beyond, 0);
	assert_false(scale.below || scale.above || scale.constant);
	assert_true(scale.whole);
	assert_true(plot_scale_share(&scale, 100) == 0);
	assert_true(plot_scale_share(&scale, 113.5) == 0.5);
	assert_true(plot_scale_share(&scale, 127) == 1);
	assert_true(plot_scale_share(&scale, 1000) == 1);
	assert_true(plot_scale_share(&scale, 1) == 0);
	free(matrix.values);
}

static void higher_is_better_turns_it_round(void **state)
{
	struct matrix matrix = counting(8, true);
	struct plot_scale scale = scale_of(&matrix, 8);

	(void)state;
	assert_true(scale.reversed);
	assert_true(plot_scale_share(&scale, 127) == 0);
	assert_true(plot_scale_share(&scale, 100) == 1);
	free(matrix.values);
}

static void one_far_pair_does_not_flatten_it(void **state)
{
	struct matrix matrix = counting(8, false);
	struct plot_scale scale;

	(void)state;
	set_pair(&matrix, 8, 2, 5, 10433);
	scale = scale_of(&matrix, 8);
	assert_true(scale.high == 127 && scale.most == 10433);
	assert_true(scale.above && !scale.below);
	assert_int_equal(scale.n_beyond, 2);
	assert_true(plot_scale_share(&scale, 10433) == 1);
	free(matrix.values);
}

/* Up to three times as far as the rest is no exception. */
static void a_fairly_far_pair_is_within_it(void **state)
{
	struct matrix matrix = counting(8, false);
	struct plot_scale scale;

	(void)state;
	set_pair(&matrix, 8, 6, 7, 178); /* the rest reaches to 126 */
	scale = scale_of(&matrix, 8);
	assert_true(scale.high == 178);
	set_pair(&matrix, 8, 6, 7, 178.5);
	scale = scale_of(&matrix, 8);
	assert_true(scale.high == 126 && scale.above);
	assert_false(scale.whole);
	free(matrix.values);
}

static void one_busy_cpu_does_not_flatten_it(void **state)
{
	struct matrix matrix = counting(16, false); /* 100 to 219 */
	struct plot_scale scale;

	(void)state;
	for (size_t j = 1; j < 16; j++)
		set_pair(&matrix, 16, 0, j, 4000 + (double)j);
	scale = scale_of(&matrix, 16);
	assert_true(scale.low == 115 && scale.high == 219);
	assert_int_equal(scale.n_beyond, 30);
	free(matrix.values);
}

/* Siblings are few, near and no exception: 1 pair in 127 of 128 CPUs. */
static void siblings_stay_within_it(void **state)
{
	struct matrix matrix = filled(128, 200, false);
	struct plot_scale scale;

	(void)state;
	for (size_t i = 0; i < 64; i++)
		set_pair(&matrix, 128, i, i + 64, 10);
	scale = scale_of(&matrix, 128);
	assert_true(scale.low == 10 && scale.high == 200);
	assert_false(scale.below || scale.above);
	free(matrix.values);
}

/* Of 4,032 values four are 0.1 %: two pairs, but not three. */
static void few_near_values_may_be_exceptions(void **state)
{
	struct matrix matrix = filled(64, 1000, false);
	struct plot_scale scale;

	(void)state;
	set_pair(&matrix, 64, 0, 1, 1010);
	set_pair(&matrix, 64, 0, 2, 1010);
	set_pair(&matrix, 64, 10, 20, 1);
	set_pair(&matrix, 64, 30, 40, 2);
	for (size_t j = 3; j < 64; j++)
		set_pair(&matrix, 64, 0, j, 1010);
	scale = scale_of(&matrix, 64);
	assert_true(scale.low == 1000 && scale.high == 1010);
	assert_true(scale.below && scale.least == 1);
	assert_int_equal(scale.n_beyond, 4);
	set_pair(&matrix, 64, 50, 60, 3);
	scale = scale_of(&matrix, 64);
	assert_true(scale.low == 1 && scale.high == 1010);
	assert_int_equal(scale.n_beyond, 0);
	free(matrix.values);
}

/* A rate's bad end is the low one. */
static void one_bad_rate_does_not_flatten_it(void **state)
{
	struct matrix matrix = counting(8, true);
	struct plot_scale scale;

	(void)state;
	set_pair(&matrix, 8, 2, 5, 1);
	scale = scale_of(&matrix, 8);
	assert_true(scale.low == 100 && scale.high == 127);
	assert_true(scale.below && !scale.above);
	/* But a good one is what one came to see. */
	set_pair(&matrix, 8, 2, 5, 400);
	scale = scale_of(&matrix, 8);
	assert_true(scale.high == 400 && !scale.above);
	free(matrix.values);
}

/* Of three CPUs the farther two may well be on another package. */
static void few_cpus_have_no_exceptions(void **state)
{
	struct matrix matrix = filled(3, 20, false);
	struct plot_scale scale;

	(void)state;
	set_pair(&matrix, 3, 0, 2, 3000);
	scale = scale_of(&matrix, 3);
	assert_true(scale.low == 20 && scale.high == 3000);
	free(matrix.values);
}

/* One CPU with others is a row and a column: far from a full matrix. */
static void few_values_are_all_within_it(void **state)
{
	struct matrix matrix = filled(16, NAN, false);
	struct plot_scale scale;

	(void)state;
	set_pair(&matrix, 16, 3, 4, 1000);
	scale = scale_of(&matrix, 16);
	assert_int_equal(scale.n_values, 2);
	assert_true(scale.constant && scale.median == 1000);
	matrix.values[0 * 16 + 1] = 5;
	scale = scale_of(&matrix, 16);
	assert_true(scale.low == 5 && scale.high == 1000);
	free(matrix.values);
}

static void one_value_stands_in_the_middle(void **state)
{
	struct matrix matrix = filled(4, 200, false);
	struct plot_scale scale = scale_of(&matrix, 4);

	(void)state;
	assert_true(scale.constant);
	assert_true(plot_scale_share(&scale, 200) == 0.5);
	assert_int_equal(scale.n_beyond, 0);
	free(matrix.values);
	matrix = filled(4, 0, false);
	scale = scale_of(&matrix, 4);
	assert_true(scale.constant && scale.low == -1 && scale.high == 1);
	free(matrix.values);
}

static void no_value_is_no_scale(void **state)
{
	struct matrix matrix = filled(4, NAN, false);
	struct plot_scale scale = scale_of(&matrix, 4);

	(void)state;
	assert_int_equal(scale.n_values, 0);
	assert_true(scale.low < scale.high);
	free(matrix.values);
	matrix = filled(1, NAN, false);
	scale = scale_of(&matrix, 1);
	assert_int_equal(scale.n_values, 0);
	free(matrix.values);
}

static void a_range_fixes_its_ends(void **state)
{
	struct matrix matrix = counting(8, false);
	struct plot_scale scale;

	(void)state;
	scale = scale_of_all(&matrix, 1, 8, 110, 120);
	assert_true(scale.low == 110 && scale.high == 120);
	assert_true(scale.least == 100 && scale.most == 127);
	assert_true(scale.below && scale.above);
	/* 100 to 109 and 121 to 127, each twice. */
	assert_int_equal(scale.n_beyond, 34);
	free(matrix.values);
}

static void spans_keep_three_figures(void **state)
{
	(void)state;
	assert_int_equal(plot_decimals(12345), 0);
	assert_int_equal(plot_decimals(100), 0);
	assert_int_equal(plot_decimals(99.9), 1);
	assert_int_equal(plot_decimals(10), 1);
	assert_int_equal(plot_decimals(9.9), 2);
	assert_int_equal(plot_decimals(1), 2);
	assert_int_equal(plot_decimals(0.5), 3);
	assert_int_equal(plot_decimals(0), 0);
	assert_int_equal(plot_decimals(NAN), 0);
}

static void assert_fixed(double value, int decimals, const char *expected)
{
	char text[PLOT_NUMBER_BYTES];

	plot_format_fixed(text, value, decimals);
	assert_string_equal(text, expected);
}

static void assert_short(double value, int decimals, const char *expected)
{
	char text[PLOT_NUMBER_BYTES];

	plot_format_short(text, value, decimals);
	assert_string_equal(text, expected);
}

static void numbers_are_laid_out(void **state)
{
	(void)state;
	assert_fixed(52.078, 1, "52.1");
	assert_fixed(52.078, 0, "52");
	assert_fixed(-0.2, 0, "0");
	assert_fixed(-0.04, 1, "0.0");
	assert_fixed(-0.6, 0, "-1");
	/* printf() rounds a half to the even number. */
	assert_fixed(-0.5, 0, "0");
	assert_fixed(-0.05, 1, "-0.1");
	assert_fixed(123456, 0, "123456");
	assert_fixed(1e300, 2, "1e+300");
	assert_short(52.078, 1, "52.1");
	assert_short(9999, 0, "9999");
	assert_short(10433, 1, "10k");
	assert_short(-12345, 1, "-12k");
	assert_short(3.2e6, 0, "3M");
	assert_short(2e9, 0, "2G");
	assert_short(5e14, 0, "5e+14");
}

static void sizes_have_their_unit(void **state)
{
	static const struct {
		double bytes;
		const char *text;
	} cases[] = {{0, "0 B"}, {64, "64 B"}, {1000, "1000 B"},
		{1024, "1 KiB"}, {1536, "1536 B"}, {65536, "64 KiB"},
		{4294967296, "4 GiB"}, {3145728, "3 MiB"},
		{1125899906842624, "1024 TiB"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[PLOT_NUMBER_BYTES];

		plot_format_bytes(text, cases[i].bytes);
		assert_string_equal(text, cases[i].text);
	}
}

static void slowdowns_begin_at_one_and_keep_siblings(void **state)
{
	struct matrix matrix = filled(64, 1.01, false);
	struct plot_scale scale;

	(void)state;
	matrix.quantity = (char *)"slowdown";
	scale = scale_of(&matrix, 64);
	assert_true(scale.low == 1 && scale.high == 2);
	/* One pair of 2,016 would be an exception among latencies. */
	set_pair(&matrix, 64, 0, 32, 2.7);
	set_pair(&matrix, 64, 0, 1, 0.96);
	scale = scale_of(&matrix, 64);
	assert_true(scale.low == 0.96 && scale.high == 2.7);
	assert_int_equal(scale.n_beyond, 0);
	set_pair(&matrix, 64, 1, 2, 40);
	scale = scale_of(&matrix, 64);
	assert_true(scale.high == 10 * 1.01);
	free(matrix.values);
}

/* Colours reach from the least value to the greatest, or say nothing. */
static void values_within_noise_have_one_colour(void **state)
{
	struct matrix matrix = counting(4, false); /* 100 to 105 */
	struct arena memory = {0};
	struct plot_scale scale = scale_beside(&matrix, 1, 4, 2, NAN, NAN);
	const char *doubt = plot_scale_doubt(&scale, "ns", &memory);

	(void)state;
	assert_true(scale.low == 100 && scale.high == 105);
	assert_true(scale.noisy && !scale.flat);
	assert_non_null(doubt);
	assert_string_equal(doubt,
		"Values differ by 5.00 ns, and the 95 % interval of one is "
		"2.00 ns wide.");
	/* What differs by more says nothing. */
	scale = scale_beside(&matrix, 1, 4, 5.0 / 6, NAN, NAN);
	assert_true(scale.low == 100 && scale.high == 105);
	assert_true(!scale.noisy && !scale.flat);
	assert_null(plot_scale_doubt(&scale, "ns", &memory));
	/* Twelve equal values would span 1.14 intervals. */
	scale = scale_beside(&matrix, 1, 4, 4.3, NAN, NAN);
	assert_true(!scale.flat && plot_scale_share(&scale, 100) == 0);
	scale = scale_beside(&matrix, 1, 4, 4.5, NAN, NAN);
	assert_true(scale.flat && plot_scale_share(&scale, 100) == 0.5);
	doubt = plot_scale_doubt(&scale, "ns", &memory);
	assert_non_null(doubt);
	assert_string_equal(doubt,
		"One colour: values differ by 5.00 ns, and the 95 % interval "
		"of one is 4.50 ns wide.");
	/* What the user wants, the user gets. */
	scale = scale_beside(&matrix, 1, 4, 4.5, 100, 105);
	assert_true(!scale.noisy && !scale.flat);
	free(matrix.values);
	/* Of more values noise spans more. */
	matrix = counting(8, false); /* 100 to 127 */
	scale = scale_beside(&matrix, 1, 8, 20, NAN, NAN);
	assert_true(scale.flat);
	free(matrix.values);
	/* One value has no span. */
	matrix = filled(2, 7, false);
	scale = scale_beside(&matrix, 1, 2, 2, NAN, NAN);
	assert_true(scale.constant && !scale.noisy && !scale.flat);
	free(matrix.values);
	arena_release(&memory);
}

/* Without intervals nobody knows what is noise, however large it is. */
static void few_passes_have_one_colour(void **state)
{
	struct matrix matrix = counting(8, true); /* 100 to 127 */
	struct arena memory = {0};
	struct plot_scale scale;

	(void)state;
	set_pair(&matrix, 8, 0, 1, 4000);
	scale = scale_beside(&matrix, 1, 8, INFINITY, NAN, NAN);
	assert_true(scale.flat && !scale.noisy);
	/* All of them are within the colours. */
	assert_true(scale.low == 101 && scale.high == 4000);
	assert_int_equal(scale.n_beyond, 0);
	for (int value = 100; value < 4000; value *= 2)
		assert_true(plot_scale_share(&scale, value) == 0.5);
	assert_string_equal(plot_scale_doubt(&scale, "ns", &memory),
		"Fewer than six passes: one colour, as differences may be "
		"noise.");
	/* Who fixes the ends has colours, and so have changes. */
	scale = scale_beside(&matrix, 1, 8, INFINITY, 100, 200);
	assert_true(!scale.flat && plot_scale_share(&scale, 125) == 0.75);
	assert_null(plot_scale_doubt(&scale, "ns", &memory));
	free(matrix.values);
	/* One value has one colour anyway. */
	matrix = filled(2, 7, false);
	scale = scale_beside(&matrix, 1, 2, INFINITY, NAN, NAN);
	assert_null(plot_scale_doubt(&scale, "ns", &memory));
	free(matrix.values);
	arena_release(&memory);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(few_passes_have_one_colour),
	cmocka_unit_test(it_reaches_from_least_to_most),
	cmocka_unit_test(values_within_noise_have_one_colour),
	cmocka_unit_test(matrices_are_taken_together),
	cmocka_unit_test(higher_is_better_turns_it_round),
	cmocka_unit_test(one_far_pair_does_not_flatten_it),
	cmocka_unit_test(a_fairly_far_pair_is_within_it),
	cmocka_unit_test(one_busy_cpu_does_not_flatten_it),
	cmocka_unit_test(siblings_stay_within_it),
	cmocka_unit_test(few_near_values_may_be_exceptions),
	cmocka_unit_test(one_bad_rate_does_not_flatten_it),
	cmocka_unit_test(few_cpus_have_no_exceptions),
	cmocka_unit_test(few_values_are_all_within_it),
	cmocka_unit_test(one_value_stands_in_the_middle),
	cmocka_unit_test(no_value_is_no_scale),
	cmocka_unit_test(a_range_fixes_its_ends),
	cmocka_unit_test(slowdowns_begin_at_one_and_keep_siblings),
	cmocka_unit_test(spans_keep_three_figures),
	cmocka_unit_test(numbers_are_laid_out),
	cmocka_unit_test(sizes_have_their_unit),
};

CASE_GROUP(cases);
