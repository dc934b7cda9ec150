/*
 * What c2c queue makes of a campaign with several readers or several sizes of
 * chunks: curves and fits, of values that are known exactly.
 */
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
#include "cmd/queue/cmd_queue.h"
#include "stat/stat.h"

#define GIB 1073741824.0

enum {
	PASSES = 9
};

/* A campaign that has ended, with value(pass, pair, k). */
struct rig {
	struct campaign campaign;
	struct result result;
	struct queue_options options;
	struct queue_plan own;
	struct measure_plan plan;
};

static void rig_open(struct rig *rig, const unsigned *cpus, size_t n_cpus,
	struct schedule_pair *pairs, size_t n_pairs, size_t n_others,
	double (*value)(size_t pass, size_t pair, size_t k))
{
	size_t n_values = 2 + n_others;

	memset(rig, 0, sizeof(*rig));
	result_init(&rig->result);
	for (size_t i = 0; i < n_cpus; i++)
		assert_int_equal(
			cpu_list_add(&rig->result.cpus, cpus[i], NULL), 0);
	rig->campaign.schedule.pairs = pairs;
	rig->campaign.schedule.n_pairs = n_pairs;
	rig->campaign.n_others = n_others;
	rig->campaign.n_values = n_values;
	rig->campaign.n_passes = rig->campaign.n_complete = PASSES;
	rig->campaign.values = calloc(
		PASSES * n_pairs * n_values, sizeof(*rig->campaign.values));
	rig->campaign.scratch = calloc(PASSES, sizeof(*rig->campaign.scratch));
	assert_non_null(rig->campaign.values);
	assert_non_null(rig->campaign.scratch);
	for (size_t i = 0; i < PASSES * n_pairs * n_values; i++)
		rig->campaign.values[i] = (float)value(i / n_values / n_pairs,
			i / n_values % n_pairs, i % n_values);
	rig->own.options = &rig->options;
	rig->plan.context = &rig->own;
}

static void rig_close(struct rig *rig)
{
	free(rig->campaign.values);
	free(rig->campaign.scratch);
	result_release(&rig->result);
}

static const struct curve *curve(const struct rig *rig, const char *name)
{
	char found[CURVE_NAME_BYTES];

	for (size_t i = 0; i < rig->result.n_curves; i++) {
		const struct curve *curve = &rig->result.curves[i];

		if (strcmp(curve_name(curve, found), name) == 0)
			return curve;
	}
	fail_msg("no curve %s", name);
	return NULL;
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-5 * fabs(expected));
}

static double of_readers(size_t pass, size_t pair, size_t k)
{
	/* The others that a pair does not have. */
	if (k > pair + 1)
		return NAN;
	/* In one pass one reader saw nothing. */
	if (pass == 8 && k == 2)
		return NAN;
	return 1000 * (double)(k + 1) + 100 * (double)pair + (double)pass;
}

/* Writer 10, readers 14, 12 and 13: one, two, then all of them. */
static void readers_have_curves(void **state)
{
	static const unsigned cpus[] = {10, 14, 12, 13};
	struct schedule_pair pairs[] = {
		{.second = 1, .n_others = 0},
		{.second = 1, .n_others = 1},
		{.second = 1, .n_others = 2},
	};
	const struct curve *found;
	struct rig rig;

	(void)state;
	rig_open(&rig, cpus, 4, pairs, 3, 2, of_readers);
	assert_int_equal(queue_finish_readers(
				 &rig.plan, &rig.campaign, &rig.result, NULL),
		0);
	/* Writer, mean and each reader. */
	assert_int_equal(rig.result.n_curves, 5);
	for (size_t i = 0; i < rig.result.n_curves; i++) {
		assert_string_equal(
			rig.result.curves[i].facts.x_name, "readers");
		assert_string_equal(rig.result.curves[i].facts.x_unit, "CPUs");
		assert_string_equal(rig.result.curves[i].facts.family, "rate");
		assert_string_equal(rig.result.curves[i].facts.y_unit, "GiB/s");
	}
	found = curve(&rig, "writer CPU 10");
	assert_int_equal(found->n, 3);
	for (size_t p = 0; p < 3; p++) {
		assert_true(found->x[p] == (double)p + 1);
		assert_near(found->median[p], 1004 + 100 * (double)p);
		/* Of nine passes, the second and the eighth. */
		assert_near(found->low[p], 1001 + 100 * (double)p);
		assert_near(found->high[p], 1007 + 100 * (double)p);
	}
	/*
	 * The mean is of 2,000, then 3,000, then 4,000; its last pass of
	 * several readers is none.
	 */
	found = curve(&rig, "reader, mean");
	assert_int_equal(found->facts.statistic, CURVE_MEAN);
	assert_int_equal(found->cpus.n, 3);
	assert_int_equal(found->n, 3);
	assert_near(found->median[0], 2004);
	assert_near(found->median[1], 2500 + 100 + 3.5);
	assert_near(found->median[2], 3000 + 200 + 3.5);
	/* A reader's curve begins with as many as it takes to have it. */
	found = curve(&rig, "reader CPU 14");
	assert_true(curve_is_behind_mean(
		found, rig.result.curves, rig.result.n_curves));
	assert_int_equal(found->n, 3);
	assert_near(found->median[2], 2000 + 200 + 4);
	found = curve(&rig, "reader CPU 12");
	assert_int_equal(found->n, 2);
	assert_true(found->x[0] == 2 && found->x[1] == 3);
	assert_near(found->median[0], 3000 + 100 + 3.5);
	found = curve(&rig, "reader CPU 13");
	assert_int_equal(found->n, 1);
	assert_true(found->x[0] == 3);
	assert_near(found->median[0], 4000 + 200 + 4);
	rig_close(&rig);
}

/* Sizes of chunks, and what each of four lines costs, in the order of fits. */
enum {
	SHAPES = 5
};

static const struct {
	const char *side, *distance;
	unsigned second;
	double a_ns, b_gib_per_s;
} lines[] = {
	{"reader", "same LLC", 3, 10, 32},
	{"reader", "other package", 40, 80, 8},
	{"writer", "same LLC", 3, 6, 40},
	{"writer", "other package", 40, 12, 20},
};

static double chunk_bytes(size_t shape)
{
	return 64.0 * (double)((size_t)1 << shape);
}

static double rate(double bytes, double a_ns, double b_gib_per_s)
{
	return bytes / GIB / (a_ns * 1e-9 + bytes / GIB / b_gib_per_s);
}

/* Passes 0 to 8 are 4 % slow to 4 % fast: in the middle, they are the line. */
static double of_sizes(size_t pass, size_t pair, size_t k)
{
	size_t line = (k == 1 ? 0 : 2) + pair / SHAPES;
	double share = 1 + 0.01 * ((double)pass - 4);

	return rate(chunk_bytes(pair % SHAPES), lines[line].a_ns,
		       lines[line].b_gib_per_s) *
	       share;
}

/* A sweep of sizes, or of numbers: 16 chunks and more. */
static void sweep_open(struct rig *rig, struct schedule_pair pairs[2 * SHAPES],
	double (*value)(size_t pass, size_t pair, size_t k), bool sizes)
{
	static const unsigned cpus[] = {2, 3, 40};

	for (uint32_t p = 0; p < 2 * SHAPES; p++)
		pairs[p] = (struct schedule_pair){
			.second = 1 + p / SHAPES, .variant = p % SHAPES};
	rig_open(rig, cpus, 3, pairs, 2 * (size_t)SHAPES, 0, value);
	rig->own.n_shapes = SHAPES;
	if (sizes)
		rig->options.sweep.min = (uint64_t)chunk_bytes(0);
	else
		rig->options.sweep_chunks.min = 16;
	for (size_t s = 0; s < SHAPES; s++) {
		struct queue_shape *shape = &rig->own.shapes[s];

		shape->chunk_bytes = sizes ? (uint32_t)chunk_bytes(s) : 512;
		shape->chunks = sizes ? 100 : 16u << s;
	}
	rig->own.n_distances = 2;
	rig->own.distances[0].distance = DISTANCE_SAME_LLC;
	rig->own.distances[0].pair = pairs[0];
	rig->own.distances[1].distance = DISTANCE_OTHER_PACKAGE;
	rig->own.distances[1].pair = pairs[SHAPES];
	assert_int_equal(queue_finish_sweep(&rig->plan, &rig->campaign,
				 &rig->result, NULL),
		0);
}

static void each_curve_of_a_sweep_has_a_fit(void **state)
{
	struct schedule_pair pairs[2 * SHAPES];
	struct rig rig;

	(void)state;
	sweep_open(&rig, pairs, of_sizes, true);
	assert_int_equal(rig.result.n_curves, 4);
	for (size_t l = 0; l < 4; l++) {
		const struct curve *found = &rig.result.curves[l];
		const struct curve_fit *fit = found->fit;
		double a = lines[l].a_ns, b = lines[l].b_gib_per_s;
		char name[128];

		assert_string_equal(found->facts.member, lines[l].side);
		assert_string_equal(found->facts.variant, lines[l].distance);
		assert_int_equal(found->cpus.n, 2);
		assert_int_equal(found->cpus.cpus[0], 2);
		assert_int_equal(found->cpus.cpus[1], lines[l].second);
		assert_near(fit->overhead_ns[0], a);
		assert_near(fit->rate_gib_per_s[0], b);
		/* GiB/s times ns are bytes, but for the binary prefix. */
		assert_near(fit->half_rate_bytes, a * 1e-9 * b * GIB);
		assert_true(fit->worst_error < 1e-5);
		/* Time goes with 1 over the share: passes 1 and 7 of 9. */
		assert_near(fit->rate_gib_per_s[1], b * 0.97);
		assert_near(fit->overhead_ns[2], a / 0.97);
		snprintf(name, sizeof(name), "%s, %s (CPUs 2 and %u)",
			lines[l].side, lines[l].distance, lines[l].second);
		assert_ptr_equal(curve(&rig, name), found);
		assert_int_equal(found->n, SHAPES);
		assert_string_equal(found->facts.x_name, "chunk");
		assert_string_equal(found->facts.x_unit, "B");
		for (size_t s = 0; s < SHAPES; s++) {
			double expected = rate(chunk_bytes(s), a, b);

			assert_true(found->x[s] == chunk_bytes(s));
			assert_near(curve_fit_at(fit, found->x[s]), expected);
			assert_near(found->median[s], expected);
			assert_near(found->low[s], expected * 0.97);
		}
		/* Half of b at that size: that is what it says. */
		assert_near(rate(fit->half_rate_bytes, a, b), b / 2);
	}
	rig_close(&rig);
}

/* Every third pass is quick at one size, another one each time. */
enum {
	ALWAYS_SLOW = 3,
	MIXED
};

static size_t kind;

static double of_quick_sizes(size_t pass, size_t pair, size_t k)
{
	size_t quick = kind == MIXED ? pass % 3 : kind;

	(void)k;
	return rate(chunk_bytes(pair % SHAPES), 10, 32) *
	       (pair % SHAPES == 2 * quick ? 2 : 1);
}

static double overhead_of(size_t of_kind)
{
	struct schedule_pair pairs[2 * SHAPES];
	struct rig rig;
	double a;

	kind = of_kind;
	sweep_open(&rig, pairs, of_quick_sizes, true);
	a = rig.result.curves[0].fit->overhead_ns[0];
	rig_close(&rig);
	return a;
}

/* The median of what each pass says, which need not be what medians say. */
static void a_fit_is_the_median_of_fits(void **state)
{
	double single[3];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		single[i] = overhead_of(i);
	assert_near(overhead_of(MIXED), stat_median(single, 3));
	/* Two of three passes are slow at each size. */
	assert_near(overhead_of(ALWAYS_SLOW), 10);
	assert_true(fabs(overhead_of(MIXED) - 10) > 0.1);
}

/* The largest takes twenty times what the line says. */
static double of_one_far_off(size_t pass, size_t pair, size_t k)
{
	(void)pass;
	(void)k;
	return rate(chunk_bytes(pair % SHAPES), 10, 32) /
	       (pair % SHAPES == SHAPES - 1 ? 20 : 1);
}

/* Errors count by their share: the many ns of large chunks are no more. */
static void small_chunks_count_as_much(void **state)
{
	struct schedule_pair pairs[2 * SHAPES];
	const struct curve_fit *fit;
	struct rig rig;

	(void)state;
	sweep_open(&rig, pairs, of_one_far_off, true);
	fit = rig.result.curves[0].fit;
	assert_true(fabs(fit->overhead_ns[0] - 10) < 1);
	/* That one the line misses, and says so. */
	assert_true(fit->worst_error > 10);
	rig_close(&rig);
}

/* Larger chunks that take less time, or a first byte that costs nothing. */
static double of_no_line(size_t pass, size_t pair, size_t k)
{
	double bytes = chunk_bytes(pair % SHAPES);

	(void)pass;
	if (pair < SHAPES)
		return bytes * bytes * 1e-5;
	return k ? rate(bytes, -0.5, 10) : NAN;
}

static void what_no_line_fits_says_so(void **state)
{
	struct schedule_pair pairs[2 * SHAPES];
	const struct curve_fit *fit;
	struct rig rig;

	(void)state;
	sweep_open(&rig, pairs, of_no_line, true);
	/* Only the reader in another package has a line. */
	for (size_t l = 0; l < 4; l++)
		assert_int_equal(rig.result.curves[l].fit != NULL, l == 1);
	/* No size reaches half of b where nothing comes on top of it. */
	fit = rig.result.curves[1].fit;
	assert_near(fit->overhead_ns[0], -0.5);
	assert_near(fit->rate_gib_per_s[0], 10);
	assert_true(isnan(fit->half_rate_bytes));
	rig_close(&rig);
}

static void a_sweep_of_chunks_has_no_fit(void **state)
{
	struct schedule_pair pairs[2 * SHAPES];
	struct rig rig;

	(void)state;
	sweep_open(&rig, pairs, of_sizes, false);
	assert_int_equal(rig.result.n_curves, 4);
	for (size_t l = 0; l < 4; l++) {
		const struct curve *found = &rig.result.curves[l];

		assert_null(found->fit);
		assert_string_equal(found->facts.x_name, "chunks");
		assert_null(found->facts.x_unit);
		assert_int_equal(found->facts.x_axis, CURVE_COUNTS);
		assert_int_equal(found->n, SHAPES);
		for (size_t s = 0; s < SHAPES; s++) {
			assert_true(found->x[s] == 16u << s);
			assert_near(found->median[s],
				rate(chunk_bytes(s), lines[l].a_ns,
					lines[l].b_gib_per_s));
		}
	}
	rig_close(&rig);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(readers_have_curves),
	cmocka_unit_test(each_curve_of_a_sweep_has_a_fit),
	cmocka_unit_test(a_fit_is_the_median_of_fits),
	cmocka_unit_test(small_chunks_count_as_much),
	cmocka_unit_test(what_no_line_fits_says_so),
	cmocka_unit_test(a_sweep_of_chunks_has_no_fit),
};

CASE_GROUP(cases);
