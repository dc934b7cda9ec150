/*
 * Comparisons of made curves and of what two records say of caches.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../case_group.h"
#include "analyze/compare/compare.h"

#define KIB 1024.0

/* Sizes from 1 KiB in doublings: 16 points, up to 32 MiB. */
#define POINTS 16

/* For sides of several runs. */
#define FEW_POINTS  5
#define RUNS_A_SIDE 5

static const struct curve_facts facts = {
	.test = "bandwidth",
	.family = "rate of 1 CPU",
	.member = "read",
	.x_name = "working set",
	.x_unit = "B",
	.x_axis = CURVE_SETS,
	.y_unit = "GiB/s",
};

static struct result empty(void)
{
	struct result result;

	result_init(&result);
	result.command = strdup("cache");
	result.complete = true;
	assert_int_equal(cpu_list_parse(&result.cpus, "0-1", NULL), 0);
	return result;
}

/* A curve of CPU 0, whose points are value +- share. */
static struct curve *add_curve(struct result *result,
	const struct curve_facts *is, size_t n, double value, double share)
{
	struct curve *curve = result_add_curve(result, is, n);

	assert_non_null(curve);
	assert_int_equal(cpu_list_add(&curve->cpus, 0, NULL), 0);
	for (size_t i = 0; i < n; i++)
		curve_set(curve, i, KIB * (double)(1U << i),
			(const double[3]){value, value * (1 - share),
				value * (1 + share)});
	return curve;
}

static struct cache_level *add_level(
	struct result *result, const char *name, double least, double most)
{
	struct cache_level *level = result_add_cache(result, name);

	assert_non_null(level);
	level->least_bytes = least * KIB;
	level->most_bytes = most * KIB;
	level->memory = isnan(least);
	return level;
}

static void add_levels(struct result *result)
{
	add_level(result, "L1d", 32, 48);
	add_level(result, "L2", 1024, 2048);
	add_level(result, "memory", NAN, NAN);
}

/* Compare both results and release them. The caller owns the comparison. */
static void compare(
	struct result *a, struct result *b, struct comparison *comparison)
{
	const struct compare_side old = {.result = a, .source = "a"};
	const struct compare_side new = {.result = b, .source = "b"};

	assert_int_equal(compare_make(&old, &new, false, comparison, NULL), 0);
	result_release(a);
	result_release(b);
}

static void near(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-9 * fmax(1, fabs(expected))))
		fail_msg("found %.12g, expected %.12g", found, expected);
}

static void the_same_curve_has_not_changed(void **state)
{
	struct result a = empty(), b = empty();
	struct comparison comparison;

	(void)state;
	add_curve(&a, &facts, POINTS, 100, 0.01);
	add_curve(&b, &facts, POINTS, 100, 0.01);
	compare(&a, &b, &comparison);
	assert_int_equal(comparison.n_curves, 1);
	assert_int_equal(comparison.curves[0].n, POINTS);
	assert_int_equal(comparison.curves[0].n_alone, 0);
	assert_true(comparison.curves[0].test == COMPARE_INTERVALS);
	assert_true(comparison.curves[0].higher_is_better);
	assert_int_equal(comparison.curves[0].n_better, 0);
	assert_int_equal(comparison.curves[0].n_worse, 0);
	assert_int_equal(comparison.curves[0].n_stretches, 1);
	assert_null(comparison.curves[0].stretches[0].level);
	assert_false(comparison.curves[0].stretches[0].significant);
	near(comparison.distance_pct, 0);
	compare_release(&comparison);
}

/* Two CPUs together have twice as much of each cache. */
static void the_caches_of_several_cpus_count_together(void **state)
{
	static const size_t points[] = {7, 5, 3};
	struct result records[2] = {empty(), empty()};
	struct comparison comparison;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct curve *curve;

		add_levels(&records[i]);
		curve = add_curve(&records[i], &facts, POINTS, 100, 0.01);
		assert_int_equal(cpu_list_add(&curve->cpus, 1, NULL), 0);
	}
	compare(&records[0], &records[1], &comparison);
	assert_int_equal(comparison.curves[0].n_stretches, 4);
	for (size_t k = 0; k < 3; k++)
		assert_int_equal(
			comparison.curves[0].stretches[k].n_points, points[k]);
	compare_release(&comparison);
}

/* A row without a size does not say where its level ends. */
static void a_level_that_one_record_lacks_is_not_told(void **state)
{
	struct result a = empty(), b = empty();
	struct comparison comparison;

	(void)state;
	add_level(&a, "L1d", 32, 48);
	add_level(&a, "L2", 1024, 2048);
	add_level(&b, "L1d", 32, 48);
	add_level(&b, "L2", NAN, NAN)->memory = false;
	add_curve(&a, &facts, POINTS, 100, 0.01);
	add_curve(&b, &facts, POINTS, 100, 0.01);
	compare(&a, &b, &comparison);
	assert_int_equal(comparison.curves[0].n_stretches, 2);
	assert_string_equal(comparison.curves[0].stretches[0].level, "L1d");
	assert_null(comparison.curves[0].stretches[1].level);
	compare_release(&comparison);
}

/* 10 % less in L2 alone, from 64 KiB to 1 MiB. */
static void a_level_that_changed_is_found(void **state)
{
	static const struct {
		const char *level;
		size_t points, changed;
	} expected[] = {
		{"L1d", 6, 0}, {"L2", 5, 5}, {"memory", 4, 0}, {NULL, 16, 0}};
	struct result a = empty(), b = empty();
	struct comparison comparison;
	const struct compare_curve *curve;
	struct curve *after;

	(void)state;
	add_levels(&a);
	add_levels(&b);
	add_curve(&a, &facts, POINTS, 100, 0.01);
	after = add_curve(&b, &facts, POINTS, 100, 0.01);
	for (size_t i = 6; i < 11; i++)
		curve_set(after, i, after->x[i], (const double[3]){90, 89, 91});
	compare(&a, &b, &comparison);
	curve = comparison.curves;
	assert_int_equal(curve->n_worse, 5);
	assert_int_equal(curve->n_better, 0);
	assert_int_equal(curve->n_stretches, 4);
	for (size_t k = 0; k < 4; k++) {
		const struct compare_stretch *stretch = &curve->stretches[k];

		if (expected[k].level)
			assert_string_equal(stretch->level, expected[k].level);
		else
			assert_null(stretch->level);
		assert_int_equal(stretch->n_points, expected[k].points);
		assert_int_equal(stretch->n_changed, expected[k].changed);
		assert_int_equal(stretch->significant, k == 1);
	}
	near(curve->stretches[1].before, 100);
	near(curve->stretches[1].change, -10);
	near(compare_worse_pct(true, 100, -10), 10);
	compare_release(&comparison);
}

/* How many of eight points change, by what share: does their level change? */
static void most_points_must_agree_by_more_than_runs_do(void **state)
{
	static const struct {
		size_t up, down;
		double by;
		bool changed;
	} cases[] = {
		{8, 0, 10, true},
		{5, 0, 10, true},
		{4, 0, 10, false},
		{5, 3, 10, true},
		{1, 0, 50, false},
		{8, 0, 3.5, true},
		{8, 0, 2.5, false},
		{0, 8, 10, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct result a = empty(), b = empty();
		struct comparison comparison;
		struct curve *after;

		add_curve(&a, &facts, 8, 100, 0.001);
		after = add_curve(&b, &facts, 8, 100, 0.001);
		for (size_t k = 0; k < cases[i].up + cases[i].down; k++) {
			double y = 100 + (k < cases[i].up ? cases[i].by
							  : -cases[i].by);

			curve_set(after, k, after->x[k],
				(const double[3]){y, y, y});
		}
		compare(&a, &b, &comparison);
		assert_int_equal(comparison.curves[0].n_better, cases[i].up);
		assert_int_equal(comparison.curves[0].n_worse, cases[i].down);
		assert_int_equal(comparison.curves[0].stretches[0].significant,
			cases[i].changed);
		compare_release(&comparison);
	}
}

/* The curves have different sizes. Those that both have are compared. */
static void points_are_matched_by_x(void **state)
{
	struct result a = empty(), b = empty();
	struct comparison comparison;
	struct curve *before, *after;

	(void)state;
	before = add_curve(&a, &facts, 8, 100, 0.01);
	after = add_curve(&b, &facts, 4, 200, 0.01);
	/* 128 KiB first, 3 KiB, 4 KiB, and one without a value. */
	after->x[0] = 128 * KIB;
	after->x[1] = 3 * KIB;
	after->median[3] = NAN;
	before->median[7] = 300;
	compare(&a, &b, &comparison);
	assert_int_equal(comparison.curves[0].n, 2);
	near(comparison.curves[0].x[0], 4 * KIB);
	near(comparison.curves[0].change[0], 100);
	near(comparison.curves[0].x[1], 128 * KIB);
	near(comparison.curves[0].change[1], -100);
	/* Six points are only in a, that of 3 KiB is only in b. */
	assert_int_equal(comparison.curves[0].n_alone, 7);
	compare_release(&comparison);
}

static void each_point_has_one_counterpart(void **state)
{
	struct result a = empty(), b = empty();
	struct comparison comparison;
	struct curve *before, *after;

	(void)state;
	before = add_curve(&a, &facts, 3, 100, 0.01);
	after = add_curve(&b, &facts, 2, 100, 0.01);
	before->x[0] = before->x[1] = before->x[2] = after->x[0] = 5;
	after->x[1] = 5;
	after->median[1] = 104;
	compare(&a, &b, &comparison);
	assert_int_equal(comparison.curves[0].n, 2);
	assert_int_equal(comparison.curves[0].n_alone, 1);
	near(comparison.curves[0].change[1], 4);
	compare_release(&comparison);
}

static void without_intervals_nothing_is_judged(void **state)
{
	struct result a = empty(), b = empty();
	struct comparison comparison;

	(void)state;
	add_curve(&a, &facts, POINTS, 100, NAN);
	add_curve(&b, &facts, POINTS, 50, 0.01);
	compare(&a, &b, &comparison);
	assert_false(comparison.curves[0].test == COMPARE_INTERVALS);
	assert_int_equal(comparison.curves[0].n_worse, 0);
	assert_false(comparison.curves[0].stretches[0].significant);
	near(comparison.curves[0].stretches[0].change, -50);
	near(comparison.distance_pct, 50);
	near(comparison.change_pct, -50);
	compare_release(&comparison);
}

/* A curve with one different fact is a different curve. */
static void curves_are_matched_by_their_facts(void **state)
{
	struct curve_facts others[8];
	struct result a = empty(), b = empty();
	struct comparison comparison;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		others[i] = facts;
	others[0].test = NULL;
	others[1].family = "rate of 2 CPUs";
	others[2].member = "write";
	others[3].variant = "huge pages";
	others[4].y_unit = "B/clk";
	others[5].x_unit = "words";
	others[6].statistic = CURVE_MEAN;
	add_curve(&a, &facts, 3, 100, 0.01);
	for (size_t i = 0; i < 7; i++)
		add_curve(&b, &others[i], 3, 100, 0.01);
	/* The last two curves: another CPU, then the one that matches. */
	add_curve(&b, &facts, 3, 100, 0.01)->cpus.cpus[0] = 1;
	add_curve(&b, &facts, 3, 110, 0.01);
	/* A ceiling is only a line in its panel. */
	others[7].statistic = CURVE_CEILING;
	add_curve(&b, &others[7], 3, 1, 0);
	compare(&a, &b, &comparison);
	assert_int_equal(comparison.n_curves, 1);
	near(comparison.curves[0].change[0], 10);
	assert_int_equal(comparison.n_unmatched, 8);
	assert_string_equal(comparison.unmatched[1],
		"bandwidth: rate of 2 CPUs: read: only in b");
	compare_release(&comparison);
}

/*
 * A latency of 5 clocks up to 32 KiB, then of 15, and of slower clocks more at
 * 64 and 128 KiB.
 */
static void add_latency(struct result *result, double slower)
{
	struct curve_facts is = facts;
	struct curve *curve;

	is.test = "latency";
	is.y_unit = "clk";
	curve = add_curve(result, &is, 10, 5, 0.01);
	for (size_t i = 6; i < 10; i++) {
		double y = 15 + (i < 8 ? slower : 0);

		curve_set(curve, i, curve->x[i],
			(const double[3]){y, y - 0.1, y + 0.1});
	}
}

static void sizes_changed_if_latencies_between_did(void **state)
{
	static const struct {
		double before[2], after[2];
		double slower; /* clocks more in the second run */
		bool apart, changed;
		double smaller_pct;
	} cases[] = {
		{{128, 192}, {32, 48}, 5, true, true, 62.5},
		{{32, 48}, {128, 192}, -5, true, true, 0},
		/* Others disturbed one run: only its size differs. */
		{{128, 192}, {32, 48}, 0, true, false, 0},
		{{128, 192}, {32, 48}, -5, true, false, 0},
		/* 128 KiB changed and 256 KiB did not: that is not most. */
		{{256, 320}, {64, 96}, 5, true, false, 0},
		/* No point lies between the sizes. */
		{{60, 63}, {33, 50}, 5, true, false, 0},
		{{24, 32}, {32, 48}, 5, false, false, 0},
		{{24, 64}, {32, 48}, 5, false, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct result a = empty(), b = empty();
		struct comparison comparison;

		add_latency(&a, 0);
		add_latency(&b, cases[i].slower);
		add_level(&a, "L3", cases[i].before[0], cases[i].before[1]);
		add_level(&b, "L2", 1, 2);
		add_level(&b, "L3", cases[i].after[0], cases[i].after[1]);
		compare(&a, &b, &comparison);
		assert_int_equal(comparison.n_sizes, 1);
		assert_string_equal(comparison.sizes[0].name, "L3 size");
		assert_int_equal(comparison.sizes[0].apart, cases[i].apart);
		assert_int_equal(comparison.sizes[0].changed, cases[i].changed);
		near(compare_smaller_pct(comparison.sizes),
			cases[i].smaller_pct);
		assert_int_equal(comparison.n_unmatched, 1);
		assert_string_equal(comparison.unmatched[0], "L2: only in b");
		compare_release(&comparison);
	}
}

/* If a run finds one level more, the levels behind it get other names. */
static void levels_are_matched_by_size_if_one_run_found_more(void **state)
{
	struct result a = empty(), b = empty();
	struct comparison comparison;
	const struct compare_curve *curve;

	(void)state;
	add_curve(&a, &facts, POINTS, 100, 0.01);
	add_curve(&b, &facts, POINTS, 100, 0.01);
	add_level(&a, "L1d", 32, 48);
	add_level(&a, "L2", 1024, 2048);
	add_level(&a, "memory", NAN, NAN);
	add_level(&b, "L1d", 33, 49);
	add_level(&b, "L2", 100, 140);
	add_level(&b, "L3", 1200, 1500);
	add_level(&b, "memory", NAN, NAN);
	compare(&a, &b, &comparison);
	assert_int_equal(comparison.n_sizes, 2);
	assert_string_equal(comparison.sizes[0].name, "L1d size");
	assert_string_equal(comparison.sizes[1].name, "L2 (L3 in b) size");
	assert_false(comparison.sizes[1].apart);
	assert_int_equal(comparison.n_unmatched, 1);
	assert_string_equal(
		comparison.unmatched[0], "L2 of 100-140 KiB: only in b");
	/* From 256 KiB on, points fit that level of b, which a lacks. */
	curve = comparison.curves;
	assert_int_equal(curve->n_stretches, 4);
	assert_string_equal(curve->stretches[1].level, "L2");
	assert_int_equal(curve->stretches[1].n_points, 3);
	assert_string_equal(curve->stretches[2].level, "memory");
	assert_int_equal(curve->stretches[2].n_points, 4);
	compare_release(&comparison);
}

/* The size of one level overlaps two others. It matches the first. */
static void a_level_has_one_counterpart(void **state)
{
	struct result a = empty(), b = empty();
	struct comparison comparison;

	(void)state;
	add_curve(&a, &facts, POINTS, 100, 0.01);
	add_curve(&b, &facts, POINTS, 100, 0.01);
	add_level(&a, "L1d", 32, 48);
	add_level(&a, "L2", 50, 90);
	add_level(&b, "L1d", 32, 60);
	compare(&a, &b, &comparison);
	assert_int_equal(comparison.n_sizes, 1);
	assert_int_equal(comparison.n_unmatched, 1);
	assert_string_equal(comparison.unmatched[0], "L2: only in a");
	compare_release(&comparison);
}

/* A partition may leave less of the L3 than the L2 has. */
static void levels_of_the_same_names_are_compared(void **state)
{
	struct result a = empty(), b = empty();
	struct comparison comparison;

	(void)state;
	add_curve(&a, &facts, POINTS, 100, 0.01);
	add_curve(&b, &facts, POINTS, 100, 0.01);
	add_level(&a, "L2", 1024, 2048);
	add_level(&a, "L3", 8192, 9000);
	add_level(&b, "L2", 1024, 2048);
	add_level(&b, "L3", 1500, 1800);
	compare(&a, &b, &comparison);
	assert_int_equal(comparison.n_unmatched, 0);
	assert_int_equal(comparison.n_sizes, 2);
	assert_string_equal(comparison.sizes[1].name, "L3 size");
	assert_true(comparison.sizes[1].apart);
	compare_release(&comparison);
}

static void lines_ways_sharers_and_tlbs_are_compared(void **state)
{
	struct result results[2] = {empty(), empty()};
	struct comparison comparison;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct cache_level *level;
		struct cache_tlb *tlb;

		add_curve(&results[i], &facts, 3, 100, 0.01);
		level = add_level(&results[i], "L1d", NAN, NAN);
		level->line_bytes = 64;
		level->ways = i ? 8 : 12;
		assert_int_equal(
			cpu_list_parse(&level->cpus, i ? "0" : "0-1", NULL), 0);
		tlb = result_add_tlb(&results[i]);
		assert_non_null(tlb);
		tlb->page_bytes = 4 * KIB;
		tlb->least_bytes = i ? 128 * KIB : 256 * KIB;
		tlb->most_bytes = i ? 192 * KIB : 384 * KIB;
	}
	compare(&results[0], &results[1], &comparison);
	assert_int_equal(comparison.n_sizes, 3);
	assert_string_equal(comparison.sizes[0].name, "L1d line");
	assert_false(comparison.sizes[0].changed);
	assert_string_equal(comparison.sizes[1].name, "L1d ways");
	assert_true(comparison.sizes[1].changed);
	assert_string_equal(
		comparison.sizes[2].name, "TLB 1 reach, 4 KiB pages");
	assert_true(comparison.sizes[2].changed);
	assert_int_equal(comparison.n_facts, 1);
	assert_string_equal(comparison.facts[0].what, "caches.L1d.cpus");
	assert_string_equal(comparison.facts[0].before, "0,1");
	assert_string_equal(comparison.facts[0].after, "0");
	compare_release(&comparison);
}

static void spoil(struct result *b, int how)
{
	switch (how) {
	case 0:
		b->curves[0].x[0] = b->curves[0].x[1] = b->curves[0].x[2] = 3;
		break;
	case 1:
		facts_set_text(&b->options, "pages", "hugetlb");
		break;
	case 2:
		b->cpus.cpus[1] = 7;
		break;
	case 3:
		facts_set_text(&b->machine, "cpu_model", "other");
		break;
	case 4:
		b->curves[0].facts.device = strdup("device 0 (x)");
		break;
	default:
		for (size_t i = 0; i < 3; i++)
			b->curves[0].median[i] = NAN;
		break;
	}
}

/* A curve of 10, 20, 30 ... times a factor, without the first points. */
static void add_rising(struct result *result, double factor, size_t without)
{
	struct curve *curve =
		add_curve(result, &facts, FEW_POINTS - without, 1, 0.01);

	for (size_t k = 0; k < curve->n; k++) {
		double value = 10 * (double)(k + without + 1) * factor;

		curve_set(curve, k, KIB * (double)(1U << (k + without)),
			(const double[3]){value, value, value});
	}
}

static void a_stretch_shows_the_points_that_every_run_has(void **state)
{
	struct result runs[2][RUNS_A_SIDE], merged[2];
	const struct result *all[2][RUNS_A_SIDE];
	struct compare_side sides[2];
	struct comparison comparison;
	const struct compare_stretch *stretch;

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		merged[s] = empty();
		add_rising(&merged[s], s ? 1.1 : 1, 0);
		for (size_t r = 0; r < RUNS_A_SIDE; r++) {
			runs[s][r] = empty();
			/* The last one of all lacks two points. */
			add_rising(&runs[s][r],
				(s ? 1.1 : 1) * (0.998 + 0.001 * (double)r),
				s == 1 && r == RUNS_A_SIDE - 1 ? 2 : 0);
			all[s][r] = &runs[s][r];
		}
		sides[s] = (struct compare_side){.result = &merged[s],
			.source = "side",
			.runs = all[s],
			.n_runs = RUNS_A_SIDE};
	}
	assert_int_equal(
		compare_make(&sides[0], &sides[1], false, &comparison, NULL),
		0);
	stretch = &comparison.curves[0].stretches[0];
	assert_int_equal(stretch->n_points, FEW_POINTS);
	near(stretch->before, 40);
	near(stretch->after, 44);
	near(stretch->change, 4);
	assert_true(stretch->significant);
	compare_release(&comparison);
	for (size_t s = 0; s < 2; s++) {
		result_release(&merged[s]);
		for (size_t r = 0; r < RUNS_A_SIDE; r++)
			result_release(&runs[s][r]);
	}
}

static void what_is_not_alike_is_refused(void **state)
{
	static const char *const words[] = {"share no curve", "pages 4k",
		"CPU 1", "other", "one file has several devices",
		"neither a matrix nor a curve", "--by-level compares groups"};

	(void)state;
	for (int how = 0; how < 7; how++) {
		struct result results[2] = {empty(), empty()};
		const struct compare_side old = {
			.result = &results[0], .source = "a"};
		const struct compare_side new = {
			.result = &results[1], .source = "b"};
		struct comparison comparison;
		struct error err = {0};

		for (size_t i = 0; i < 2; i++) {
			add_curve(&results[i], &facts, 3, 100, 0.01);
			facts_set_text(&results[i].options, "pages", "4k");
			facts_set_text(
				&results[i].machine, "cpu_model", "this");
		}
		if (how < 6)
			spoil(&results[1], how);
		assert_int_equal(
			compare_make(&old, &new, how == 6, &comparison, &err),
			-EINVAL);
		assert_int_equal(err.class, ERROR_USAGE);
		if (!strstr(err.text, words[how]))
			fail_msg("'%s' lacks '%s'", err.text, words[how]);
		result_release(&results[0]);
		result_release(&results[1]);
	}
}

static void the_difference_has_both_sides(void **state)
{
	struct result a = empty(), b = empty(), difference;
	const struct compare_side side = {.result = &a, .source = "a"};
	const struct compare_side other = {.result = &b, .source = "b"};
	struct compared_file file = {.side = other};
	struct comparison comparison;
	json_t *json, *curve;

	(void)state;
	add_levels(&a);
	add_levels(&b);
	add_curve(&a, &facts, 4, 100, 0.01);
	add_curve(&b, &facts, 4, 50, 0.01);
	assert_int_equal(
		compare_make(&side, &other, false, &comparison, NULL), 0);
	difference = compare_result(&comparison, &side, &comparison.memory);
	assert_int_equal(difference.n_matrices, 0);
	assert_int_equal(difference.n_curves, 2);
	assert_null(difference.curves[0].facts.variant);
	assert_string_equal(difference.curves[1].facts.variant, "after");
	near(difference.curves[0].median[2], 100);
	near(difference.curves[1].median[2], 50);
	/* With one array for both, a picture would confuse the curves. */
	assert_ptr_not_equal(difference.curves[0].x, difference.curves[1].x);
	file.comparison = comparison;
	json = compare_pack(&file);
	assert_non_null(json);
	curve = json_array_get(json_object_get(json, "curves"), 0);
	assert_string_equal(
		json_string_value(json_object_get(curve, "member")), "read");
	assert_int_equal(
		json_array_size(json_object_get(curve, "change_pct")), 4);
	assert_int_equal(json_array_size(json_object_get(curve, "levels")), 2);
	assert_int_equal(json_array_size(json_object_get(json, "sizes")), 2);
	json_decref(json);
	compare_release(&comparison);
	result_release(&a);
	result_release(&b);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_same_curve_has_not_changed),
	cmocka_unit_test(the_caches_of_several_cpus_count_together),
	cmocka_unit_test(a_level_that_one_record_lacks_is_not_told),
	cmocka_unit_test(a_level_that_changed_is_found),
	cmocka_unit_test(most_points_must_agree_by_more_than_runs_do),
	cmocka_unit_test(points_are_matched_by_x),
	cmocka_unit_test(each_point_has_one_counterpart),
	cmocka_unit_test(without_intervals_nothing_is_judged),
	cmocka_unit_test(curves_are_matched_by_their_facts),
	cmocka_unit_test(sizes_changed_if_latencies_between_did),
	cmocka_unit_test(levels_are_matched_by_size_if_one_run_found_more),
	cmocka_unit_test(a_level_has_one_counterpart),
	cmocka_unit_test(levels_of_the_same_names_are_compared),
	cmocka_unit_test(lines_ways_sharers_and_tlbs_are_compared),
	cmocka_unit_test(a_stretch_shows_the_points_that_every_run_has),
	cmocka_unit_test(what_is_not_alike_is_refused),
	cmocka_unit_test(the_difference_has_both_sides),
};

CASE_GROUP(cases);
