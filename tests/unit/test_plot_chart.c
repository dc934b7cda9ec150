/* Curves over working sets as a chart, to the letter. */
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

#define ROWS 24

static int use_utf8(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	return 0;
}

static int use_ascii(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C"));
	return 0;
}

/* A curve over 1, 2, 4 and 8 KiB. */
static void add_variant(struct result *result, const char *test,
	const char *family, const char *member, const char *variant,
	const double y[4])
{
	const struct curve_facts facts = {
		.test = test,
		.family = family,
		.member = member,
		.variant = variant,
		.x_name = "working set",
		.x_unit = "B",
		.x_axis = CURVE_SETS,
		.y_unit = strcmp(family, "latency") == 0 ? "ns" : "GiB/s",
	};
	struct curve *curve = result_add_curve(result, &facts, 4);

	assert_non_null(curve);
	for (int i = 0; i < 4; i++) {
		curve->x[i] = ldexp(1024, i);
		curve->median[i] = y[i];
	}
}

static void add_curve(struct result *result, const char *test,
	const char *family, const char *member, const double y[4])
{
	add_variant(result, test, family, member, NULL, y);
}

static void add_level(
	struct result *result, const char *name, double least, double most)
{
	struct cache_level *level = result_add_cache(result, name);

	assert_non_null(level);
	level->memory = strcmp(name, "memory") == 0;
	level->least_bytes = least;
	level->most_bytes = most;
}

/* Latency and one rate of two, with a first level of 2 to 2.5 KiB. */
static void fill(struct result *result)
{
	result_init(result);
	result->complete = true;
	add_curve(result, "latency", "latency", "load",
		(const double[]){1, 1.004, 10, 100});
	add_curve(result, "bandwidth", "1 CPU", "read",
		(const double[]){400, 400, NAN, 12.34});
	add_curve(result, "bandwidth", "1 CPU", "write",
		(const double[]){1, 2, 3, 4});
	add_variant(result, "latency", "latency", "load", "alone",
		(const double[]){1, 2, 3, 4});
	add_level(result, "L1d", 2048, 2560);
	add_level(result, "L2", NAN, NAN);
	add_level(result, "memory", NAN, NAN);
}

static void assert_chart(
	const struct result *result, unsigned columns, const char *expected)
{
	char *text =
		plot_sample_text(result, NULL, columns, ROWS, PLOT_COLOUR_TRUE);
	const char *from = strstr(text, "\n\n");

	assert_non_null(from);
	assert_string_equal(from + 2, expected);
	free(text);
}

static void rows_have_numbers_bars_and_levels(void **state)
{
	struct result result;

	(void)state;
	fill(&result);
	assert_chart(&result, 56,
		"                 latency             bandwidth: 1 CPU\n"
		"                 load [ns]           read [GiB/s]\n"
		"L1d       1 KiB   1.00 █               400 ████████████\n"
		"          2 KiB   1.00 █               400 ████████████\n"
		"          4 KiB   10.0 ██████▌           ·\n"
		"memory    8 KiB    100 ████████████   12.3 █\n"
		"A dot is a point without a value.\n"
		"Bars are logarithmic. The record (-o FILE.json) has 2 "
		"more curves:\n"
		"c2c plot --test latency -o FILE.svg FILE.json\n");
	result_release(&result);
}

static void ascii_has_whole_blocks(void **state)
{
	struct result result;

	(void)state;
	fill(&result);
	result.n_curves = 1;
	assert_chart(&result, 40,
		"                 latency\n"
		"                 load [ns]\n"
		"L1d       1 KiB   1.00 ##\n"
		"          2 KiB   1.00 ##\n"
		"          4 KiB   10.0 #########\n"
		"memory    8 KiB    100 ################\n"
		"Bars are logarithmic.\n");
	result.n_curves = 4;
	result_release(&result);
}

/* Without room for two, the first stays; without levels, no column. */
static void panels_that_do_not_fit_are_left_out(void **state)
{
	struct result result;
	size_t n;

	(void)state;
	fill(&result);
	n = result.n_caches;
	result.n_caches = 0;
	add_curve(&result, "bandwidth", "2 CPUs", "read",
		(const double[]){NAN, 8, 8, 8});
	assert_chart(&result, 40,
		"          latency        1 CPU\n"
		"          load [ns]      read [GiB/s]\n"
		"   1 KiB   1.00 #          400 #######\n"
		"   2 KiB   1.00 #          400 #######\n"
		"   4 KiB   10.0 ####         .\n"
		"   8 KiB    100 #######   12.3 #\n"
		"A dot is a point without a value.\n"
		"Bars are logarithmic. The record (-o FILE.json) has 3 "
		"more curves:\n"
		"c2c plot --test latency -o FILE.svg FILE.json\n");
	result.n_caches = n;
	result_release(&result);
}

/*
 * Where there is room, the other chains have columns too, but no other access:
 * first one for each panel, then two, as far as they fit.
 */
static void variants_have_columns(void **state)
{
	struct result result;

	(void)state;
	fill(&result);
	add_variant(&result, "latency", "latency", "load", "2 chains",
		(const double[]){1, 1, 5, 50});
	add_variant(&result, "latency", "latency", "load", "16 chains",
		(const double[]){1, 1, 2, 8});
	result.n_caches = 0;
	assert_chart(&result, 80,
		"          latency          latency          latency          "
		"1 CPU\n"
		"          load [ns]        load, 2 chains   load, 16 chains  "
		"read [GiB/s]\n"
		"   1 KiB   1.00 #           1.00 #           1.00 #         "
		"   400 #########\n"
		"   2 KiB   1.00 #           1.00 #           1.00 #         "
		"   400 #########\n"
		"   4 KiB   10.0 #####       5.00 #####       2.00 ####      "
		"     .\n"
		"   8 KiB    100 #########   50.0 #########   8.00 ######### "
		"  12.3 #\n"
		"A dot is a point without a value.\n"
		"Bars are logarithmic. The record (-o FILE.json) has 2 "
		"more curves:\n"
		"c2c plot --test latency -o FILE.svg FILE.json\n");
	assert_chart(&result, 52,
		"          latency       load          1 CPU\n"
		"          load [ns]     2 chains      read [GiB/s]\n"
		"   1 KiB   1.00 #        1.00 #         400 ######\n"
		"   2 KiB   1.00 #        1.00 #         400 ######\n"
		"   4 KiB   10.0 ####     5.00 ###         .\n"
		"   8 KiB    100 ######   50.0 ######   12.3 #\n"
		"A dot is a point without a value.\n"
		"Bars are logarithmic. The record (-o FILE.json) has 3 "
		"more curves:\n"
		"c2c plot --test latency -o FILE.svg FILE.json\n");
	result.n_caches = 3;
	result_release(&result);
}

/* The largest sizes show memory only if a level is memory. */
static void a_level_without_an_end_is_the_last(void **state)
{
	struct result result;

	(void)state;
	fill(&result);
	result.n_curves = 1;
	result.caches[0].most_bytes = NAN;
	result.n_caches = 2;
	assert_chart(&result, 40,
		"              latency\n"
		"              load [ns]\n"
		"L1d    1 KiB   1.00 ##\n"
		"       2 KiB   1.00 ##\n"
		"       4 KiB   10.0 ###########\n"
		"       8 KiB    100 ###################\n"
		"Bars are logarithmic.\n");
	result.n_curves = 4;
	result.n_caches = 3;
	result_release(&result);
}

/* A size that is not one of the curve's has no dot; each CPU has its part. */
static void several_cpus_and_sizes_left_out_are_told(void **state)
{
	struct result result;

	(void)state;
	fill(&result);
	result.n_curves = 2;
	result.curves[1].x[2] = 1500;
	assert_int_equal(cpu_list_add(&result.curves[1].cpus, 0, NULL), 0);
	assert_int_equal(cpu_list_add(&result.curves[1].cpus, 1, NULL), 0);
	assert_chart(&result, 56,
		"                 latency             bandwidth: 1 CPU\n"
		"                 load [ns]           read [GiB/s]\n"
		"L1d       1 KiB   1.00 #               400 ############\n"
		"          2 KiB   1.00 #               400 ############\n"
		"          4 KiB   10.0 #######\n"
		"memory    8 KiB    100 ############   12.3 #\n"
		"The levels are those of one CPU; several CPUs divide the "
		"working set.\n"
		"Bars are logarithmic.\n");
	result.n_curves = 4;
	result_release(&result);
}

/* One value, or none that a logarithm has. */
static void odd_values_are_a_chart_too(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	add_curve(&result, "latency", "latency", "load",
		(const double[]){NAN, NAN, 5, NAN});
	assert_chart(&result, 40,
		"          latency\n"
		"          load [ns]\n"
		"   1 KiB      .\n"
		"   2 KiB      .\n"
		"   4 KiB   5.00 #######################\n"
		"   8 KiB      .\n"
		"A dot is a point without a value.\n"
		"Bars are logarithmic.\n");
	result.curves[0].median[2] = 0;
	assert_chart(&result, 40, "No values.\n");
	/* Sizes that a file may hold, but no memory. */
	result.curves[0].median[2] = 5;
	result.curves[0].x[0] = 0;
	assert_chart(&result, 40, "No values.\n");
	result.curves[0].x[0] = 1024;
	result.curves[0].x[3] = 1e300;
	assert_chart(&result, 40, "No values.\n");
	result_release(&result);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test_setup(rows_have_numbers_bars_and_levels, use_utf8),
	cmocka_unit_test_setup(ascii_has_whole_blocks, use_ascii),
	cmocka_unit_test_setup(panels_that_do_not_fit_are_left_out, use_ascii),
	cmocka_unit_test_setup(variants_have_columns, use_ascii),
	cmocka_unit_test_setup(a_level_without_an_end_is_the_last, use_ascii),
	cmocka_unit_test_setup(
		several_cpus_and_sizes_left_out_are_told, use_ascii),
	cmocka_unit_test_setup(odd_values_are_a_chart_too, use_ascii),
};

CASE_GROUP(cases);
