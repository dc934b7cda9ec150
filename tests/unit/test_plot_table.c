/* Curves as tables, to the letter. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "plot_sample.h"

#define WIDE 500
#define ROWS 24

static int use_utf8(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	return 0;
}

static void begin(struct result *result)
{
	result_init(result);
	result->complete = true;
}

/* A curve of n points whose x begin with first and double. */
static struct curve *add_curve(struct result *result, const char *member,
	double first, size_t n, const double *y)
{
	const struct curve_facts facts = {
		.family = "rate",
		.member = member,
		.x_name = "chunk",
		.x_unit = "B",
		.x_axis = CURVE_BYTES,
		.y_unit = "GiB/s",
	};
	struct curve *curve = result_add_curve(result, &facts, n);

	assert_non_null(curve);
	for (size_t i = 0; i < n; i++) {
		curve->x[i] = ldexp(first, (int)i);
		curve->median[i] = y[i];
	}
	return curve;
}

/* A curve over 1, 2, ... readers, of a CPU or, with 0, of the mean of all. */
static void add_reader(struct result *result, const char *member,
	enum curve_statistic statistic, unsigned cpu, size_t n, double y)
{
	const struct curve_facts facts = {
		.family = "rate",
		.member = member,
		.x_name = "readers",
		.x_unit = "CPUs",
		.y_unit = "GiB/s",
		.statistic = statistic,
	};
	struct curve *curve = result_add_curve(result, &facts, n);

	assert_non_null(curve);
	if (cpu)
		assert_int_equal(cpu_list_add(&curve->cpus, cpu, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		curve->x[i] = (double)i + 1;
		curve->median[i] = y;
	}
}

static void assert_table(const struct result *result, unsigned columns,
	enum plot_colour colour, const char *expected)
{
	char *text = plot_sample_text(result, NULL, columns, ROWS, colour);

	assert_string_equal(text, expected);
	free(text);
}

static const double rising[] = {0.514, 1.25, 20};

static void curves_stand_side_by_side(void **state)
{
	const double other[] = {4, NAN, 5};
	struct curve *curve;
	struct result result;

	(void)state;
	begin(&result);
	plot_sample_describe(&result);
	result.command = strdup("queue");
	curve = add_curve(&result, "writer", 512, 3, rising);
	curve->facts.variant = strdup("same LLC");
	assert_int_equal(cpu_list_parse(&curve->cpus, "0,2", NULL), 0);
	/* Its x are others, and it lacks a value. */
	add_curve(&result, "reader", 64 * 1024, 3, other);
	assert_table(&result, 5, PLOT_COLOUR_NONE,
		"Test CPU {_^@} · lab\n"
		"c2c queue (line) · rate, median [GiB/s] · 25 passes · "
		"2026-11-21\n"
		"\n"
		"            writer,\n"
		"           same LLC\n"
		"            (CPUs 0\n"
		"  chunk      and 2)      reader\n"
		"  512 B        0.51           ·\n"
		"  1 KiB        1.25           ·\n"
		"  2 KiB       20.00           ·\n"
		" 64 KiB           ·        4.00\n"
		"128 KiB           ·           ·\n"
		"256 KiB           ·        5.00\n");
	result_release(&result);
}

static void a_statistic_is_chosen(void **state)
{
	const double low[] = {100, 2000};
	struct curve *curve;
	struct plot_options options;
	struct result result;
	char *text;

	(void)state;
	begin(&result);
	curve = add_curve(&result, "writer", 64, 2, rising);
	memcpy(curve->low, low, sizeof(low));
	add_curve(&result, "reader", 64, 2, rising);
	plot_options_init(&options);
	options.statistic = "ci_low";
	text = plot_sample_text(
		&result, &options, WIDE, ROWS, PLOT_COLOUR_NONE);
	assert_string_equal(text, "rate, ci_low [GiB/s]\n"
				  "\n"
				  "chunk      writer\n"
				  " 64 B         100\n"
				  "128 B        2000\n");
	free(text);
	result_release(&result);
}

/* A terminal of 30 columns holds two of them. */
static void a_wide_table_goes_on_below(void **state)
{
	struct result result;

	(void)state;
	begin(&result);
	add_reader(&result, "near", CURVE_MEDIAN, 0, 2, 3);
	add_reader(&result, "far", CURVE_MEDIAN, 0, 3, 2);
	add_reader(&result, "an-unbroken-name", CURVE_MEDIAN, 0, 2, 1);
	assert_table(&result, 32, PLOT_COLOUR_TRUE,
		"rate, median [GiB/s]\n"
		"\n"
		"readers\n"
		" [CPUs]        near         far\n"
		"      1        3.00        2.00\n"
		"      2        3.00        2.00\n"
		"      3           ·        2.00\n"
		"\n"
		"readers\n"
		" [CPUs]  an-unbroken-name\n"
		"      1              1.00\n"
		"      2              1.00\n"
		"      3                 ·\n");
	assert_table(&result, 5, PLOT_COLOUR_NONE,
		"rate, median [GiB/s]\n"
		"\n"
		"readers\n"
		" [CPUs]        near         far  an-unbroken-name\n"
		"      1        3.00        2.00              1.00\n"
		"      2        3.00        2.00              1.00\n"
		"      3           ·        2.00                 ·\n");
	result_release(&result);
}

/* Curves of single CPUs, unless there is no mean to stand for them. */
static void many_single_cpus_are_left_out(void **state)
{
	struct result result;
	char *text;

	(void)state;
	begin(&result);
	add_reader(&result, "writer", CURVE_MEDIAN, 0, 1, 3);
	add_reader(&result, "reader", CURVE_MEDIAN, 5, 1, 2);
	add_reader(&result, "reader", CURVE_MEAN, 0, 1, 1.5);
	add_reader(&result, "reader", CURVE_MEDIAN, 6, 1, 1);
	assert_table(&result, 54, PLOT_COLOUR_TRUE,
		"rate, median [GiB/s]\n"
		"\n"
		"readers                 reader,\n"
		" [CPUs]      writer        mean\n"
		"      1        3.00        1.50\n"
		"\n"
		"2 curves of single CPUs are left out; output to a pipe has "
		"them.\n");
	text = plot_sample_text(&result, NULL, 55, ROWS, PLOT_COLOUR_TRUE);
	assert_non_null(strstr(text, "2.00"));
	assert_null(strstr(text, "left out"));
	free(text);
	text = plot_sample_text(&result, NULL, 5, ROWS, PLOT_COLOUR_NONE);
	assert_non_null(strstr(text, "2.00"));
	assert_null(strstr(text, "left out"));
	free(text);
	result.curves[2].facts.statistic = CURVE_MEDIAN;
	text = plot_sample_text(&result, NULL, 54, ROWS, PLOT_COLOUR_TRUE);
	assert_non_null(strstr(text, "2.00"));
	assert_null(strstr(text, "left out"));
	free(text);
	result_release(&result);
}

static void other_axes_are_another_table(void **state)
{
	const double one[] = {1};
	struct result result;
	const struct curve_facts facts = {
		.family = "time",
		.member = "c",
		.x_name = "depth",
		.x_unit = "slots",
		.y_unit = "ns",
	};
	struct curve *other;

	(void)state;
	begin(&result);
	add_curve(&result, "a", 64, 1, one);
	other = result_add_curve(&result, &facts, 1);
	assert_non_null(other);
	other->x[0] = 3.5;
	other->median[0] = 70.2;
	add_curve(&result, "b", 64, 1, one);
	assert_table(&result, WIDE, PLOT_COLOUR_TRUE,
		"median\n"
		"\n"
		"rate [GiB/s]\n"
		"chunk           a           b\n"
		" 64 B        1.00        1.00\n"
		"\n"
		"time [ns]\n"
		"  depth\n"
		"[slots]           c\n"
		"    3.5        70.2\n");
	result_release(&result);
}

static void counts_are_whole_numbers(void **state)
{
	const struct curve_facts facts = {
		.family = "group",
		.member = "a",
		.x_name = "stride",
		.x_unit = "words",
		.y_unit = "work-items",
		.y_axis = CURVE_COUNTS,
	};
	struct result result;
	struct curve *curve;

	(void)state;
	begin(&result);
	curve = result_add_curve(&result, &facts, 2);
	assert_non_null(curve);
	curve->x[0] = 1;
	curve->x[1] = 2;
	curve->median[0] = 16;
	curve->median[1] = 64;
	assert_table(&result, WIDE, PLOT_COLOUR_TRUE,
		"group, median [work-items]\n"
		"\n"
		" stride\n"
		"[words]           a\n"
		"      1          16\n"
		"      2          64\n");
	result_release(&result);
}

/* What would be a column of dots. */
static void single_values_have_a_line(void **state)
{
	const double single[] = {NAN, 4}, none[] = {NAN};
	struct result result;

	(void)state;
	begin(&result);
	add_curve(&result, "none", 64, 1, none);
	add_curve(&result, "single", 4096, 2, single);
	add_curve(&result, "a", 64, 2, rising);
	assert_table(&result, WIDE, PLOT_COLOUR_TRUE,
		"rate, median [GiB/s]\n"
		"\n"
		"chunk           a\n"
		" 64 B       0.514\n"
		"128 B       1.250\n"
		"none: no values\n"
		"single: 4.000 at 8 KiB (chunk)\n");
	result_release(&result);
}

static void no_points_are_no_lines(void **state)
{
	struct result result;

	(void)state;
	begin(&result);
	add_curve(&result, "a", 64, 0, NULL);
	assert_table(&result, WIDE, PLOT_COLOUR_TRUE,
		"rate, median [GiB/s]\n"
		"\n"
		"No values.\n");
	result_release(&result);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(curves_stand_side_by_side),
	cmocka_unit_test(a_statistic_is_chosen),
	cmocka_unit_test(a_wide_table_goes_on_below),
	cmocka_unit_test(many_single_cpus_are_left_out),
	cmocka_unit_test(other_axes_are_another_table),
	cmocka_unit_test(counts_are_whole_numbers),
	cmocka_unit_test(single_values_have_a_line),
	cmocka_unit_test(no_points_are_no_lines),
};

CASE_GROUP(cases, .set_up = use_utf8);
