/*
 * Levels, as if measured, against pretended topologies. The levels are made
 * by hand: what the numbers would show is another test's matter.
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

#include "../case_group.h"
#include "../topo/pretend.h"
#include "analyze/analyze.h"
#include "analyze/kinds.h"
#include "plot_sample.h"

/* A machine of n CPUs: what was measured, and the levels. */
struct bench {
	struct result result;
	struct analysis analysis;
	struct arena *arena; /* of the analysis, or of that of the whole run */
};

#define MOST 8 /* levels, and epochs */

/* All pairs cost 100 ns; cases put in what else they need. */
static void bench_init(struct bench *bench, size_t n)
{
	double *values = calloc(n * n, sizeof(*values));
	char cpus[16];

	assert_non_null(values);
	for (size_t i = 0; i < n * n; i++)
		values[i] = i / n == i % n ? NAN : 100;
	snprintf(cpus, sizeof(cpus), "0-%zu", n - 1);
	plot_sample(&bench->result, cpus, values);
	free(values);
	bench->analysis = (struct analysis){.cpus = bench->result.cpus};
	bench->arena = &bench->analysis.memory;
}

static void bench_release(struct bench *bench)
{
	analysis_release(&bench->analysis);
	result_release(&bench->result);
}

/* One more level outwards, whose groups are as a letter a CPU: "aabb". */
static struct analysis_level *add_level(
	struct bench *bench, const char *letters, double confidence)
{
	struct analysis *analysis = &bench->analysis;
	size_t n = analysis->cpus.n;
	struct analysis_level *level;
	unsigned number[256] = {0};

	assert_int_equal(strlen(letters), n);
	assert_true(analysis->n_levels < MOST);
	if (!analysis->levels)
		analysis->levels = arena_alloc(
			bench->arena, MOST, sizeof(*analysis->levels));
	level = &analysis->levels[analysis->n_levels++];
	*level = (struct analysis_level){.kind = ANALYSIS_GROUP,
		.of_rates = true,
		.nested = true,
		.group = arena_alloc(bench->arena, n, sizeof(*level->group)),
		.unit = arena_strdup(bench->arena, "ns"),
		.inside = 20,
		.between = 100,
		.confidence = confidence};
	for (size_t i = 0; i < n; i++) {
		unsigned *known = &number[(unsigned char)letters[i]];

		if (!*known)
			*known = (unsigned)++level->n_groups;
		level->group[i] = *known - 1;
	}
	return level;
}

static void compare(struct bench *bench, struct machine *machine)
{
	struct error err = {.text = ""};

	if (analysis_compare_topology(
		    &bench->analysis, &bench->result, machine, &err) < 0)
		fail_msg("%s", err.text);
	machine_free(machine);
}

static void assert_level(const struct bench *bench, size_t k,
	enum analysis_agreement agrees, const char *reported,
	enum analysis_kind kind)
{
	const struct analysis_level *level = &bench->analysis.levels[k];

	assert_int_equal(level->agrees, agrees);
	if (reported)
		assert_string_equal(level->reported, reported);
	else
		assert_null(level->reported);
	assert_int_equal(level->kind, kind);
	assert_int_equal(
		level->evidence == ANALYSIS_TOPOLOGY, reported != NULL);
}

static void assert_disagreement(const struct bench *bench, size_t k,
	enum analysis_what what, const char *part)
{
	assert_true(bench->analysis.n_disagreements > k);
	assert_int_equal(bench->analysis.disagreements[k].what, what);
	if (!strstr(bench->analysis.disagreements[k].text, part))
		fail_msg("no '%s' in: %s", part,
			bench->analysis.disagreements[k].text);
}

static void add_three_levels(struct bench *bench)
{
	bench_init(bench, 16);
	add_level(bench, "aabbccddeeffgghh", 0.99);
	add_level(bench, "aaaabbbbccccdddd", 0.5);
	add_level(bench, "aaaaaaaabbbbbbbb", 0.99);
}

static void the_same_levels_agree_and_are_named(void **state)
{
	struct bench bench;

	(void)state;
	add_three_levels(&bench);
	compare(&bench, pretend_synthetic("package:2 l3:2 core:2 pu:2"));
	assert_level(&bench, 0, ANALYSIS_AGREES, "Core", ANALYSIS_SMT);
	assert_level(&bench, 1, ANALYSIS_AGREES, "L3", ANALYSIS_LLC);
	assert_level(&bench, 2, ANALYSIS_AGREES, "Package", ANALYSIS_PACKAGE);
	assert_int_equal(bench.analysis.n_disagreements, 0);
	assert_int_equal(bench.analysis.n_unseen, 0);
	bench_release(&bench);
}

/* A topology tells the kind, that of a hypervisor with less confidence. */
static void the_topology_settles_the_kind(void **state)
{
	struct bench bench;

	(void)state;
	for (int guest = 0; guest < 2; guest++) {
		add_three_levels(&bench);
		if (guest)
			facts_set_text(
				&bench.result.machine, "hypervisor", "KVM");
		compare(&bench,
			pretend_synthetic("package:2 l3:2 core:2 pu:2"));
		for (size_t k = 0; k < 3; k++) {
			const struct analysis_level *level =
				&bench.analysis.levels[k];

			assert_int_equal(level->n_may_be, 1);
			assert_int_equal(level->may_be[0], level->kind);
			assert_true(level->kind_confidence ==
				    (guest ? 0.95 : 0.99));
		}
		bench_release(&bench);
	}
}

/* Where several objects are one partition, the one most worth knowing. */
static void the_best_name_is_taken(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 8);
	add_level(&bench, "aabbccdd", 0.99);
	add_level(&bench, "aaaabbbb", 0.99);
	compare(&bench, pretend_synthetic("package:2 l3:1 l2:2 core:1 pu:2"));
	assert_level(&bench, 0, ANALYSIS_AGREES, "Core", ANALYSIS_SMT);
	assert_level(&bench, 1, ANALYSIS_AGREES, "Package", ANALYSIS_PACKAGE);
	bench_release(&bench);

	bench_init(&bench, 8);
	add_level(&bench, "aaaabbbb", 0.99);
	compare(&bench, pretend_synthetic("numa:2 core:4 pu:1"));
	assert_level(&bench, 0, ANALYSIS_AGREES, "NUMANode", ANALYSIS_NODE);
	bench_release(&bench);
}

static void what_is_not_reported_is_hidden(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 8);
	kinds_set_known(add_level(&bench, "abcdabcd", 0.99), ANALYSIS_SMT, 0.9,
		ANALYSIS_SHARING);
	compare(&bench, pretend_synthetic("core:8 pu:1"));
	assert_level(&bench, 0, ANALYSIS_DISAGREES, NULL, ANALYSIS_SMT);
	assert_int_equal(bench.analysis.n_disagreements, 1);
	assert_disagreement(&bench, 0, ANALYSIS_HIDDEN,
		"0,4 and 1,5 and 2,6 and 3,7 are groups");
	assert_disagreement(&bench, 0, ANALYSIS_HIDDEN,
		"SMT siblings appear as separate cores");
	bench_release(&bench);

	/* Two packages sold as one, of which the cores are right. */
	bench_init(&bench, 16);
	add_level(&bench, "aabbccddeeffgghh", 0.99);
	kinds_set_known(add_level(&bench, "aaaaaaaabbbbbbbb", 0.99),
		ANALYSIS_PACKAGE, 0.9, ANALYSIS_SHARING);
	compare(&bench, pretend_synthetic("package:1 l3:1 core:8 pu:2"));
	assert_level(&bench, 0, ANALYSIS_AGREES, "Core", ANALYSIS_SMT);
	assert_level(&bench, 1, ANALYSIS_DISAGREES, NULL, ANALYSIS_PACKAGE);
	assert_int_equal(bench.analysis.n_disagreements, 1);
	assert_disagreement(
		&bench, 0, ANALYSIS_HIDDEN, "several packages appear as one");
	bench_release(&bench);
}

static void many_hidden_groups_are_counted(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 16);
	add_level(&bench, "abcdefghabcdefxy", 0.99);
	compare(&bench, pretend_synthetic("core:16 pu:1"));
	assert_disagreement(&bench, 0, ANALYSIS_HIDDEN,
		"0,8 and 1,9 and 2,10 and 3,11 and 2 more are groups");
	bench_release(&bench);
}

/* Too uncertain to accuse anyone; the same is the same all the same. */
static void an_uncertain_level_accuses_nobody(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 8);
	add_level(&bench, "abcdabcd", 0.79);
	compare(&bench, pretend_synthetic("core:8 pu:1"));
	assert_level(&bench, 0, ANALYSIS_UNKNOWN, NULL, ANALYSIS_GROUP);
	assert_int_equal(bench.analysis.n_disagreements, 0);
	bench_release(&bench);
}

/* One lie is told once: what is further out is judged without it. */
static void crossed_levels_are_contradicted(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 8);
	add_level(&bench, "abcdabcd", 0.99);
	add_level(&bench, "babababa", 0.99);
	compare(&bench, pretend_synthetic("package:1 core:4 pu:2"));
	assert_level(&bench, 0, ANALYSIS_DISAGREES, NULL, ANALYSIS_GROUP);
	assert_level(&bench, 1, ANALYSIS_DISAGREES, NULL, ANALYSIS_GROUP);
	assert_int_equal(bench.analysis.n_disagreements, 2);
	assert_disagreement(&bench, 0, ANALYSIS_CONTRADICTED,
		"Core: the topology groups CPUs 0,1, the values group CPUs 0,4 "
		"(20 ns inside, 100 between)");
	assert_disagreement(&bench, 1, ANALYSIS_HIDDEN, "1,3,5,7");
	assert_int_equal(bench.analysis.n_unseen, 0);
	bench_release(&bench);
}

/* Of all that a level cuts across, the division most like it is named. */
static void the_nearest_division_is_contradicted(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 16);
	add_level(&bench, "abababababababab", 0.99);
	compare(&bench, pretend_synthetic("package:2 l3:4 core:2 pu:1"));
	assert_int_equal(bench.analysis.n_disagreements, 1);
	assert_disagreement(&bench, 0, ANALYSIS_CONTRADICTED,
		"Package: the topology groups CPUs 0-7");
	bench_release(&bench);
}

/* Real caches need not show in latencies. */
static void what_does_not_show_is_not_denied(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 16);
	add_level(&bench, "aaaaaaaabbbbbbbb", 0.99);
	compare(&bench, pretend_synthetic("package:2 l3:2 l2:2 core:2 pu:1"));
	assert_int_equal(bench.analysis.n_disagreements, 0);
	assert_int_equal(bench.analysis.n_unseen, 2);
	assert_string_equal(bench.analysis.unseen[0], "L2");
	assert_string_equal(bench.analysis.unseen[1], "L3");
	bench_release(&bench);
}

/* Make siblings i, i + 1 cost this much, and others 100 and more. */
static void set_siblings(struct bench *bench, double cost)
{
	double *values = bench->result.matrices[0].values;
	size_t n = bench->result.cpus.n;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			double value =
				i / 2 == j / 2 ? cost : 100 + (double)(i + j);

			values[i * n + j] = values[j * n + i] = value;
		}
	}
}

static void siblings_that_are_far_are_no_core(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 8);
	set_siblings(&bench, 300);
	compare(&bench, pretend_synthetic("core:4 pu:2"));
	assert_int_equal(bench.analysis.n_disagreements, 1);
	assert_disagreement(&bench, 0, ANALYSIS_CONTRADICTED,
		"Core: the topology has 4 pairs of SMT siblings, but 4 of "
		"these");
	assert_int_equal(bench.analysis.n_unseen, 0);
	bench_release(&bench);

	/* They are near, although no level was made of it. */
	bench_init(&bench, 8);
	set_siblings(&bench, 90);
	compare(&bench, pretend_synthetic("core:4 pu:2"));
	assert_int_equal(bench.analysis.n_disagreements, 0);
	assert_int_equal(bench.analysis.n_unseen, 1);
	bench_release(&bench);

	/* Where higher is better, a low rate is far. */
	bench_init(&bench, 8);
	bench.result.matrices[0].higher_is_better = true;
	set_siblings(&bench, 90);
	compare(&bench, pretend_synthetic("core:4 pu:2"));
	assert_int_equal(bench.analysis.n_disagreements, 1);
	bench_release(&bench);

	/* Three cores may be as they are by chance. */
	bench_init(&bench, 6);
	set_siblings(&bench, 300);
	compare(&bench, pretend_synthetic("core:3 pu:2"));
	assert_int_equal(bench.analysis.n_disagreements, 0);
	bench_release(&bench);
}

/* One CPU of eight is alone in what was measured, for one reason or other. */
static void assert_with_outlier(bool misfit, enum analysis_agreement agrees)
{
	char why[] = "it fits nowhere";
	struct analysis_outlier outlier = {
		.cpu = 6, .misfit = misfit, .why = why};
	struct bench bench;

	bench_init(&bench, 8);
	add_level(&bench, "aabbccxd", 0.99);
	bench.analysis.outliers = &outlier;
	bench.analysis.n_outliers = 1;
	compare(&bench, pretend_synthetic("core:4 pu:2"));
	assert_int_equal(bench.analysis.levels[0].agrees, agrees);
	bench_release(&bench);
}

static void cpus_that_fit_nowhere_are_left_out(void **state)
{
	(void)state;
	assert_with_outlier(true, ANALYSIS_AGREES);
	/* Slow CPUs have their place. */
	assert_with_outlier(false, ANALYSIS_DISAGREES);
}

/* Kinds of cores are compared with kinds; levels of caches may differ. */
static void hybrid_machines_agree(void **state)
{
	struct bench bench;
	struct analysis_level *level;

	(void)state;
	bench_init(&bench, 10);
	add_level(&bench, "aabbcdefgh", 0.99);
	level = add_level(&bench, "aaaabbbbcc", 0.99);
	level->nested = false;
	level->kind = ANALYSIS_CLASS;
	compare(&bench, pretend_xml("hybrid.xml"));
	assert_level(&bench, 0, ANALYSIS_AGREES, "Core", ANALYSIS_SMT);
	assert_int_equal(bench.analysis.levels[1].agrees, ANALYSIS_AGREES);
	assert_string_equal(bench.analysis.levels[1].reported, "CPUKind");
	assert_int_equal(bench.analysis.levels[1].kind, ANALYSIS_CLASS);
	assert_int_equal(bench.analysis.n_disagreements, 0);
	bench_release(&bench);

	/* The L3 of one side, the kind of the other: objects all the same. */
	bench_init(&bench, 10);
	add_level(&bench, "aaaaaaaabb", 0.99);
	compare(&bench, pretend_xml("hybrid.xml"));
	assert_int_equal(bench.analysis.levels[0].agrees, ANALYSIS_AGREES);
	bench_release(&bench);

	/* Classes that nobody advertises. */
	bench_init(&bench, 8);
	level = add_level(&bench, "aaaabbbb", 0.99);
	level->nested = false;
	level->kind = ANALYSIS_CLASS;
	compare(&bench, pretend_synthetic("core:8 pu:1"));
	assert_disagreement(
		&bench, 0, ANALYSIS_HIDDEN, "0-3 and 4-7 differ in kind");
	bench_release(&bench);
}

static void a_moving_machine_is_not_compared(void **state)
{
	struct bench bench;

	(void)state;
	bench_init(&bench, 8);
	add_level(&bench, "abcdabcd", 0.99);
	bench.analysis.placement = ANALYSIS_CANNOT_TELL;
	set_siblings(&bench, 300);
	compare(&bench, pretend_synthetic("core:4 pu:2"));
	assert_level(&bench, 0, ANALYSIS_UNKNOWN, NULL, ANALYSIS_GROUP);
	assert_int_equal(bench.analysis.n_disagreements, 0);
	assert_int_equal(bench.analysis.n_unseen, 0);
	assert_false(bench.analysis.compared);
	bench_release(&bench);
}

/* One more epoch without levels, over the CPUs of the whole. */
static struct bench epoch_begin(struct bench *whole)
{
	struct analysis *analysis = &whole->analysis;

	if (!analysis->epochs)
		analysis->epochs = arena_alloc(
			whole->arena, MOST, sizeof(*analysis->epochs));
	analysis->n_epochs++;
	return (struct bench){
		.analysis.cpus = analysis->cpus, .arena = whole->arena};
}

static void epoch_end(struct bench *whole, const struct bench *epoch)
{
	whole->analysis.epochs[whole->analysis.n_epochs - 1].found = arena_copy(
		whole->arena, &epoch->analysis, 1, sizeof(epoch->analysis));
}

/* Each epoch by itself, and what they have against a topology once. */
static void epochs_are_compared_instead(void **state)
{
	static const char *const siblings[] = {
		"aabbcdef", "aabbccde", "aabcdefg", "abcddeff"};
	struct bench bench, epoch;

	(void)state;
	bench_init(&bench, 8);
	bench.analysis.placement = ANALYSIS_DRIFTING;
	add_level(&bench, "aabbccdd", 0.99);
	for (size_t i = 0; i < 4; i++) {
		epoch = epoch_begin(&bench);
		kinds_set_known(
			add_level(&epoch, siblings[i], i == 2 ? 0.6 : 0.99),
			ANALYSIS_SMT, 0.9, ANALYSIS_SHARING);
		add_level(&epoch, "aaaabbbb", 0.99);
		epoch_end(&bench, &epoch);
	}
	/* Where nothing can be told, nothing is compared. */
	bench.analysis.epochs[3].found->placement = ANALYSIS_CANNOT_TELL;
	compare(&bench, pretend_synthetic("package:2 core:4 pu:1"));
	assert_true(bench.analysis.compared);
	assert_false(bench.analysis.epochs[3].found->compared);
	assert_level(&bench, 0, ANALYSIS_UNKNOWN, NULL, ANALYSIS_GROUP);
	epoch.analysis = *bench.analysis.epochs[1].found;
	assert_level(&epoch, 0, ANALYSIS_DISAGREES, NULL, ANALYSIS_SMT);
	assert_level(&epoch, 1, ANALYSIS_AGREES, "Package", ANALYSIS_PACKAGE);
	assert_int_equal(bench.analysis.n_disagreements, 1);
	assert_disagreement(&bench, 0, ANALYSIS_HIDDEN,
		"in 2 of 3 epochs; for example epoch 1: 0,1 and 2,3 are "
		"groups");
	assert_disagreement(&bench, 0, ANALYSIS_HIDDEN,
		"SMT siblings appear as separate cores");
	bench_release(&bench);
}

static void another_machine_is_refused(void **state)
{
	struct machine *machine = pretend_synthetic("core:4 pu:1");
	struct bench bench;
	struct error err;

	(void)state;
	bench_init(&bench, 8);
	assert_int_equal(analysis_compare_topology(
				 &bench.analysis, &bench.result, machine, &err),
		-EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_non_null(strstr(err.text, "CPU 4"));
	machine_free(machine);
	bench_release(&bench);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(the_same_levels_agree_and_are_named),
	cmocka_unit_test(the_topology_settles_the_kind),
	cmocka_unit_test(the_best_name_is_taken),
	cmocka_unit_test(what_is_not_reported_is_hidden),
	cmocka_unit_test(many_hidden_groups_are_counted),
	cmocka_unit_test(an_uncertain_level_accuses_nobody),
	cmocka_unit_test(crossed_levels_are_contradicted),
	cmocka_unit_test(the_nearest_division_is_contradicted),
	cmocka_unit_test(what_does_not_show_is_not_denied),
	cmocka_unit_test(siblings_that_are_far_are_no_core),
	cmocka_unit_test(cpus_that_fit_nowhere_are_left_out),
	cmocka_unit_test(hybrid_machines_agree),
	cmocka_unit_test(a_moving_machine_is_not_compared),
	cmocka_unit_test(epochs_are_compared_instead),
	cmocka_unit_test(another_machine_is_refused),
};

CASE_GROUP(cases);
