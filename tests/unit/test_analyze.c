/*
 * Results as analyses: which matrices are used, what becomes of their levels,
 * the format. The matrices are clean; what noise does is tested with the
 * search for groups.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../case_group.h"
#include "analyze/analyze.h"
#include "record/pack.h"

/* CPUs of the pretended machine. */
#define N 32

/* Costs of a pair, by the closest thing that it shares. */
struct costs {
	double smt, llc, package, machine;
};

static const struct costs usual = {10, 30, 90, 250};

/* Siblings are i, i + 16; eight CPUs share a cache, sixteen a package. */
static double cost_of(const struct costs *costs, size_t i, size_t j)
{
	size_t a = i % 16, b = j % 16;

	if (a == b)
		return costs->smt;
	if (a / 4 == b / 4)
		return costs->llc;
	return a / 8 == b / 8 ? costs->package : costs->machine;
}

/* A cost with a little of the noise that every measurement has. */
static double noisy(double cost, size_t i, size_t j)
{
	size_t low = i < j ? i : j, high = i < j ? j : i;

	return cost * (1 + 0.001 * (double)((low * 7 + high * 13) % 19));
}

static void fill(struct matrix *matrix, const struct cpu_list *cpus,
	const struct costs *costs, bool rate)
{
	for (size_t i = 0; i < cpus->n; i++) {
		for (size_t j = 0; j < cpus->n; j++) {
			size_t a = cpus->cpus[i], b = cpus->cpus[j];
			double cost = noisy(cost_of(costs, a, b), a, b);

			if (i != j)
				matrix->values[i * cpus->n + j] =
					rate ? 1000 / cost : cost;
		}
	}
}

static void make(struct result *result, const char *name, const char *cpus,
	const struct costs *costs, bool rate)
{
	struct matrix *matrix;

	result_init(result);
	result->complete = true;
	assert_int_equal(cpu_list_parse(&result->cpus, cpus, NULL), 0);
	matrix = result_add_matrix(result, name, "median",
		rate ? "GiB/s" : "ns", NULL, rate, !rate);
	assert_non_null(matrix);
	fill(matrix, &result->cpus, costs, rate);
}

static void analyse(const struct result *result, struct analysis *analysis)
{
	const char *source = "lat.json";
	struct error err = {.text = ""};

	if (analysis_make(result, &source, 1, analysis, &err) < 0)
		fail_msg("%s", err.text);
}

/* Assert what level k's groups are: "0,16 1,17". */
static void assert_groups(
	const struct analysis *analysis, size_t k, const char *expected)
{
	char text[512] = "";

	assert_true(k < analysis->n_levels);
	for (size_t g = 0; g < analysis->levels[k].n_groups; g++) {
		struct arena arena = {0};

		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			"%s%s", g ? " " : "",
			analysis_list_cpus(analysis, analysis->levels[k].group,
				(uint32_t)g, &arena));
		arena_release(&arena);
	}
	assert_string_equal(text, expected);
}

#define SIBLINGS                                                               \
	"0,16 1,17 2,18 3,19 4,20 5,21 6,22 7,23 8,24 9,25 10,26 11,27 12,28 " \
	"13,29 14,30 15,31"
#define CACHES	 "0-3,16-19 4-7,20-23 8-11,24-27 12-15,28-31"
#define PACKAGES "0-7,16-23 8-15,24-31"

static void levels_run_outwards(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	make(&result, "latency", "0-31", &usual, false);
	analyse(&result, &analysis);
	assert_int_equal(analysis.n_levels, 3);
	assert_groups(&analysis, 0, SIBLINGS);
	assert_groups(&analysis, 1, CACHES);
	assert_groups(&analysis, 2, PACKAGES);
	assert_int_equal(analysis.levels[0].kind, ANALYSIS_SMT);
	assert_int_equal(analysis.levels[1].kind, ANALYSIS_LLC);
	assert_int_equal(analysis.levels[2].kind, ANALYSIS_PACKAGE);
	for (size_t k = 0; k < 3; k++) {
		assert_true(analysis.levels[k].nested);
		assert_int_equal(analysis.levels[k].evidence, ANALYSIS_NUMBERS);
		assert_null(analysis.levels[k].reported);
		assert_int_equal(analysis.levels[k].agrees, ANALYSIS_UNKNOWN);
		assert_string_equal(analysis.levels[k].unit, "ns");
	}
	assert_int_equal(analysis.placement, ANALYSIS_STABLE);
	assert_int_equal(analysis.n_disagreements, 0);
	assert_string_equal(analysis.source, "lat.json");
	analysis_release(&analysis);
	result_release(&result);
}

/* Inside without what inner levels hold, between within the next outer. */
static void medians_are_of_the_level_itself(void **state)
{
	static const double expected[][2] = {{10, 30}, {30, 90}, {90, 250}};
	struct analysis analysis;
	struct result result;

	(void)state;
	make(&result, "latency", "0-31", &usual, false);
	analyse(&result, &analysis);
	assert_int_equal(analysis.n_levels, 3);
	for (size_t k = 0; k < 3; k++) {
		double inside = analysis.levels[k].inside;
		double between = analysis.levels[k].between;

		assert_true(inside >= expected[k][0] &&
			    inside < expected[k][0] * 1.02);
		assert_true(between >= expected[k][1] &&
			    between < expected[k][1] * 1.02);
	}
	analysis_release(&analysis);
	result_release(&result);
}

static void the_order_keeps_all_groups_together(void **state)
{
	struct cpu_list list = {0};
	struct analysis analysis;
	struct result result;
	const size_t *order;
	char *text;

	(void)state;
	make(&result, "latency", "0-31", &usual, false);
	analyse(&result, &analysis);
	order = analysis_cpu_order(&analysis, &analysis.memory);
	for (size_t i = 0; i < 32; i++)
		assert_int_equal(
			cpu_list_add(&list, analysis.cpus.cpus[order[i]], NULL),
			0);
	text = cpu_list_format(&list);
	assert_string_equal(text,
		"0,16,1,17,2,18,3,19,4,20,5,21,6,22,7,23,8,24,9,25,10,26,11,27,"
		"12,28,13,29,14,30,15,31");
	free(text);
	cpu_list_release(&list);
	analysis_release(&analysis);
	result_release(&result);
}

static void rates_are_better_when_higher(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	make(&result, "reader", "0-31", &usual, true);
	analyse(&result, &analysis);
	assert_int_equal(analysis.n_levels, 3);
	assert_groups(&analysis, 0, SIBLINGS);
	assert_groups(&analysis, 2, PACKAGES);
	assert_string_equal(analysis.levels[0].unit, "GiB/s");
	/* Rates stay rates: 1,000 over the cost. */
	assert_true(analysis.levels[0].inside > 98 &&
		    analysis.levels[0].inside <= 100);
	assert_true(analysis.levels[0].between > 32 &&
		    analysis.levels[0].between < 33.4);
	analysis_release(&analysis);
	result_release(&result);
}

/*
 * A latency in which caches do not show, and a rate, given first and in another
 * order of CPUs, in which only they do.
 */
static void results_of_one_machine_are_used_together(void **state)
{
	static const struct costs flat = {10, 90, 90, 250};
	static const struct costs caches = {40, 40, 90, 90};
	const char *sources[] = {"queue.json", "lat.json"};
	struct result results[2];
	struct analysis analysis;

	(void)state;
	make(&results[0], "reader",
		"31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,0-15", &caches,
		true);
	make(&results[1], "latency", "0-31", &flat, false);
	assert_int_equal(analysis_main_index(results, 2), 1);
	assert_int_equal(
		analysis_make(results, sources, 2, &analysis, NULL), 0);
	assert_int_equal(analysis.n_levels, 3);
	assert_groups(&analysis, 0, SIBLINGS);
	assert_groups(&analysis, 1, CACHES);
	assert_groups(&analysis, 2, PACKAGES);
	assert_string_equal(analysis.levels[0].unit, "ns");
	assert_string_equal(analysis.levels[1].unit, "GiB/s");
	assert_string_equal(analysis.levels[2].unit, "ns");
	assert_true(analysis.levels[1].inside > 24);
	assert_string_equal(analysis.source, "queue.json, lat.json");
	analysis_release(&analysis);
	result_release(&results[1]);
	result_release(&results[0]);
}

/* The writer's matrix comes first, and the writer is as fast to all. */
static void the_reader_of_a_queue_decides(void **state)
{
	static const struct costs alike = {100, 100, 100, 250};
	struct analysis analysis;
	struct result result;
	struct matrix *reader;

	(void)state;
	make(&result, "writer", "0-31", &alike, true);
	/* Halves that contradict the reader's. */
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++)
			if (i != j)
				result.matrices[0].values[i * N + j] =
					1000 /
					noisy(i % 2 == j % 2 ? 100 : 250, i, j);
	reader = result_add_matrix(
		&result, "reader", "median", "GiB/s", NULL, true, false);
	assert_non_null(reader);
	fill(reader, &result.cpus, &alike, true);
	analyse(&result, &analysis);
	assert_int_equal(analysis.n_levels, 1);
	assert_groups(&analysis, 0, PACKAGES);
	analysis_release(&analysis);
	result_release(&result);
}

/* What does not nest with the latency's levels is nobody's level. */
static void the_main_result_decides(void **state)
{
	static const struct costs packages = {100, 100, 100, 250};
	const char *sources[] = {"lat.json", "copy.json"};
	struct result results[2];
	struct analysis analysis;

	(void)state;
	make(&results[0], "latency", "0-31", &packages, false);
	make(&results[1], "copy", "0-31", &packages, true);
	/* The same machine seen askew: groups that cut across packages. */
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j < N; j++) {
			if (i != j)
				results[1].matrices[0].values[i * N + j] =
					1000 /
					noisy(i / 4 == j / 4 ? 50 : 250, i, j);
		}
	}
	results[1].cpus.cpus[3] = 8;
	results[1].cpus.cpus[8] = 3;
	assert_int_equal(
		analysis_make(results, sources, 2, &analysis, NULL), 0);
	assert_int_equal(analysis.n_levels, 1);
	assert_groups(&analysis, 0, PACKAGES);
	analysis_release(&analysis);
	result_release(&results[1]);
	result_release(&results[0]);
}

static void refuse(const struct result *first, const struct result *second,
	const char *message)
{
	struct result results[2] = {*first};
	const char *sources[] = {"a.json", "b.json"};
	struct analysis analysis;
	struct error err;

	if (second)
		results[1] = *second;
	assert_int_equal(analysis_make(results, sources, second ? 2 : 1,
				 &analysis, &err),
		-EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_string_equal(err.text, message);
}

static void what_does_not_go_together_is_refused(void **state)
{
	struct result a, b;

	(void)state;
	make(&a, "latency", "0-31", &usual, false);
	make(&b, "latency", "0-30,40", &usual, false);
	refuse(&a, &b,
		"'a.json' has CPU 31 and 'b.json' does not: analyse only files "
		"of one machine and the same CPUs together");
	result_release(&b);
	make(&b, "latency", "0-32", &usual, false);
	refuse(&a, &b,
		"'b.json' has CPU 32 and 'a.json' does not: analyse only files "
		"of one machine and the same CPUs together");
	result_release(&b);
	make(&b, "latency", "0-31", &usual, false);
	facts_set_text(&a.machine, "hostname", "one");
	facts_set_text(&b.machine, "hostname", "two");
	refuse(&a, &b,
		"'a.json' was measured on one, 'b.json' on two: analyse only "
		"files of one machine and the same CPUs together");
	result_release(&b);
	result_release(&a);
}

static void what_holds_no_matrix_is_refused(void **state)
{
	struct result result;

	(void)state;
	result_init(&result);
	refuse(&result, NULL, "'a.json' holds no matrix to analyse");
	assert_non_null(result_add_curve(&result,
		&(struct curve_facts){.family = "y",
			.member = "s",
			.x_name = "x",
			.x_unit = "B",
			.x_axis = CURVE_BYTES,
			.y_unit = "ns"},
		1));
	refuse(&result, NULL,
		"'a.json' holds no matrix to analyse, only curves");
	result_release(&result);
	make(&result, "latency", "5", &usual, false);
	refuse(&result, NULL,
		"'a.json' has only one CPU; groups need two or more");
	result_release(&result);
}

static void assert_placement(
	double even_odd, double halves, enum analysis_placement expected)
{
	struct analysis analysis;
	struct result result;

	make(&result, "latency", "0-31", &usual, false);
	result.run.verdict = run_judge(even_odd, halves);
	analyse(&result, &analysis);
	assert_int_equal(analysis.placement, expected);
	/* Of no epoch is known that it has these levels. */
	assert_int_equal(analysis.n_levels > 0, expected == ANALYSIS_STABLE);
	analysis_release(&analysis);
	result_release(&result);
}

/* Halves that disagree although neighbours agree: something moved between. */
static void a_move_during_the_run_is_drift(void **state)
{
	(void)state;
	assert_placement(0.98, 0.95, ANALYSIS_STABLE);
	assert_placement(0.98, 0.5, ANALYSIS_DRIFTING);
	/* Noise disagrees with itself everywhere. */
	assert_placement(0.3, 0.2, ANALYSIS_STABLE);
}

/* A round trip has two ways, and a us a thousand ns. */
static void kinds_are_argued_from_ns_one_way(void **state)
{
	static const struct {
		const char *unit, *quantity;
		double factor;
	} cases[] = {{"ns", "one-way", 1}, {"ns", "round-trip", 2},
		{"us", NULL, 0.001}};
	static const struct costs slow = {30, 80, 80, 250};
	double confidence = 0;

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct analysis analysis;
		struct result result;
		struct matrix *matrix;

		result_init(&result);
		result.complete = true;
		assert_int_equal(cpu_list_parse(&result.cpus, "0-31", NULL), 0);
		matrix = result_add_matrix(&result, "latency", "median",
			cases[c].unit, cases[c].quantity, false, true);
		assert_non_null(matrix);
		fill(matrix, &result.cpus, &slow, false);
		for (size_t i = 0; i < (size_t)N * N; i++)
			matrix->values[i] *= cases[c].factor;
		analyse(&result, &analysis);
		assert_int_equal(analysis.n_levels, 2);
		assert_int_equal(analysis.levels[0].kind, ANALYSIS_SMT);
		if (c == 0)
			confidence = analysis.levels[0].kind_confidence;
		assert_true(analysis.levels[0].kind_confidence == confidence);
		analysis_release(&analysis);
		result_release(&result);
	}
}

/*
 * Eight cores of two CPUs, i and i + 8, and sixteen of one, dearer by a share
 * to all; CPU 0 may have moved away from everything but its sibling.
 */
static double hybrid_cost(size_t i, size_t j, double dearer, bool moved)
{
	double cost = 40 * (1 + dearer * (i >= 16) + dearer * (j >= 16));

	if (i < 16 && j < 16 && i % 8 == j % 8)
		return noisy(8, i, j);
	return noisy(moved && (i == 0 || j == 0) ? cost * 1.3 : cost, i, j);
}

/* Of 40 passes CPU 0 moves in the middle, and so may what is dearer change. */
static void make_hybrid(
	struct result *result, size_t n_passes, double before, double behind)
{
	size_t n_pairs = N * (N - 1) / 2, p = 0;
	struct passes *passes;

	make(result, "latency", "0-31", &usual, false);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++)
			if (i != j)
				result->matrices[0].values[i * N + j] =
					hybrid_cost(i, j, before, false);
	if (n_passes == 0)
		return;
	passes = result_add_passes(result, "latency", "ns", n_pairs, n_passes);
	assert_non_null(passes);
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = 0; j < i; j++)
			passes->pairs[p++] = (struct cpu_pair){i, j};
	for (size_t t = 0; t < n_passes; t++) {
		bool late = t >= n_passes / 2;

		passes->start_s[t] = (double)t;
		for (p = 0; p < n_pairs; p++)
			passes->values[t * n_pairs + p] =
				hybrid_cost(passes->pairs[p].first,
					passes->pairs[p].second,
					late ? behind : before, late) *
				(1 + 0.002 * (double)((t * 5 + p * 3) % 7));
	}
}

/* How many levels of the whole and of each epoch: siblings, and a class. */
static void assert_class(
	struct result *result, size_t n_epochs, size_t whole, size_t each)
{
	struct analysis analysis;

	analyse(result, &analysis);
	assert_int_equal(analysis.n_epochs, n_epochs);
	assert_int_equal(analysis.n_levels, whole);
	if (whole > 1)
		assert_int_equal(analysis.levels[1].kind, ANALYSIS_CLASS);
	for (size_t k = 0; k < n_epochs; k++)
		assert_int_equal(analysis.epochs[k].found->n_levels, each);
	analysis_release(&analysis);
	result_release(result);
}

/* What changes as CPUs move is no kind of core. */
static void classes_are_the_same_whatever_moves(void **state)
{
	struct result result;

	(void)state;
	make_hybrid(&result, 0, 0.1, 0.1);
	assert_class(&result, 0, 2, 0);
	make_hybrid(&result, 40, 0.1, 0.1);
	assert_class(&result, 2, 2, 2);
	make_hybrid(&result, 40, 0.1, 0);
	assert_class(&result, 2, 1, 1);
	/* It moved, but when and what it was before is not known. */
	make_hybrid(&result, 0, 0.1, 0.1);
	result.run.verdict = RUN_DRIFTED;
	assert_class(&result, 0, 0, 0);
	/* Strangers may be on the cores of those without siblings. */
	make_hybrid(&result, 0, 0.1, 0.1);
	facts_set_text(&result.machine, "hypervisor", "KVM");
	assert_class(&result, 0, 1, 0);
}

/* To the letter: other programs read it. */
static void the_format_is_as_documented(void **state)
{
	uint32_t group[] = {0, 1, 0};
	char why[] = "it is far", text[] = "hidden, they say";
	char ns[] = "ns", core[] = "Core", source[] = "a.json";
	unsigned cpus[] = {4, 0, 5};
	struct analysis_level levels[] = {
		{.kind = ANALYSIS_SMT,
			.kind_confidence = 0.987,
			.may_be = {ANALYSIS_SMT},
			.n_may_be = 1,
			.nested = true,
			.n_groups = 2,
			.group = group,
			.unit = ns,
			.inside = 20.123456789,
			.between = NAN,
			.between_low = NAN,
			.between_high = NAN,
			.confidence = 0.98765,
			.reported = core,
			.agrees = ANALYSIS_AGREES},
		{.kind = ANALYSIS_CLASS,
			.kind_confidence = 0.9,
			.n_groups = 2,
			.group = group,
			.unit = ns,
			.inside = 1,
			.between = 2,
			.between_low = 1.5,
			.between_high = 2.5,
			.confidence = 0.9999,
			.agrees = ANALYSIS_DISAGREES},
		{.kind = ANALYSIS_GROUP,
			.may_be = {ANALYSIS_PACKAGE, ANALYSIS_LLC},
			.n_may_be = 2,
			.nested = true,
			.n_groups = 2,
			.group = group,
			.unit = ns,
			.inside = 1,
			.between = 2,
			.between_low = 1.5,
			.between_high = 2.5,
			.confidence = 0.29},
	};
	struct analysis_outlier outlier = {.cpu = 5, .why = why};
	struct analysis_disagreement disagreement = {ANALYSIS_HIDDEN, text};
	struct analysis analysis = {.source = source,
		.cpus = {cpus, 3},
		.levels = levels,
		.n_levels = 3,
		.outliers = &outlier,
		.n_outliers = 1,
		.disagreements = &disagreement,
		.n_disagreements = 1,
		.placement = ANALYSIS_CANNOT_TELL};
	json_t *json =
		record_to_json(&analysis_type, &analysis, ANALYSIS_DIGITS);
	char *dumped = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15));

	(void)state;
	assert_string_equal(dumped,
		"{\"format\":\"c2c-analysis\",\"version\":1,"
		"\"source\":\"a.json\",\"cpus\":[4,0,5],\"levels\":["
		"{\"kind\":\"smt\",\"kind_confidence\":0.98,"
		"\"may_be\":[\"smt\"],\"nested\":true,\"groups\":[[4,5],[0]],"
		"\"within\":{\"median\":20.1235,\"unit\":\"ns\"},"
		"\"between\":{\"median\":null,\"p5\":null,\"p95\":null,"
		"\"unit\":\"ns\"},"
		"\"confidence\":0.98,\"reported\":\"Core\","
		"\"agrees\":true},"
		"{\"kind\":\"class\",\"kind_confidence\":0.9,"
		"\"may_be\":[],\"nested\":false,\"groups\":[[4,5],[0]],"
		"\"within\":{\"median\":1.0,\"unit\":\"ns\"},"
		"\"between\":{\"median\":2.0,\"p5\":1.5,\"p95\":2.5,"
		"\"unit\":\"ns\"},"
		"\"confidence\":0.99,\"reported\":null,\"agrees\":false},"
		"{\"kind\":\"group\",\"kind_confidence\":0.0,"
		"\"may_be\":[\"package\",\"llc\"],\"nested\":true,\"groups\":[["
		"4,5],[0]],"
		"\"within\":{\"median\":1.0,\"unit\":\"ns\"},"
		"\"between\":{\"median\":2.0,\"p5\":1.5,\"p95\":2.5,"
		"\"unit\":\"ns\"},"
		"\"confidence\":0.29,\"reported\":null,\"agrees\":null}],"
		"\"outliers\":[{\"cpu\":5,\"why\":\"it is far\"}],"
		"\"disagreements\":[{\"what\":\"hidden-level\","
		"\"text\":\"hidden, they say\"}],\"placement\":\"unknown\"}");
	free(dumped);
	json_decref(json);

	/* A file's name need not be text. */
	source[0] = (char)0xff;
	json = record_to_json(&analysis_type, &analysis, ANALYSIS_DIGITS);
	assert_true(json_is_null(json_object_get(json, "source")));
	json_decref(json);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(levels_run_outwards),
	cmocka_unit_test(medians_are_of_the_level_itself),
	cmocka_unit_test(the_order_keeps_all_groups_together),
	cmocka_unit_test(rates_are_better_when_higher),
	cmocka_unit_test(results_of_one_machine_are_used_together),
	cmocka_unit_test(the_reader_of_a_queue_decides),
	cmocka_unit_test(the_main_result_decides),
	cmocka_unit_test(what_does_not_go_together_is_refused),
	cmocka_unit_test(what_holds_no_matrix_is_refused),
	cmocka_unit_test(a_move_during_the_run_is_drift),
	cmocka_unit_test(kinds_are_argued_from_ns_one_way),
	cmocka_unit_test(classes_are_the_same_whatever_moves),
	cmocka_unit_test(the_format_is_as_documented),
};

CASE_GROUP(cases);
