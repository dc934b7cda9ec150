/*
 * What kind a level is said to be, how surely, and what else it may be. The
 * levels are made by hand: their groups are of CPUs side by side.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/kinds.h"

#define MOST 3

/* One level: how many CPUs a group has, and the latencies. */
struct made {
	size_t size;
	double inside, between;
};

struct bench {
	struct analysis analysis;
	struct analysis_level levels[MOST];
	struct facts machine;
	struct arena arena;
};

/* Levels until the first without a size. */
static void begin(struct bench *bench, size_t n, const struct made made[MOST])
{
	*bench = (struct bench){.analysis.cpus.n = n};
	bench->analysis.levels = bench->levels;
	for (size_t k = 0; k < MOST && made[k].size; k++) {
		struct analysis_level *level = &bench->levels[k];

		*level = (struct analysis_level){.nested = true,
			.n_groups = (n + made[k].size - 1) / made[k].size,
			.inside = made[k].inside,
			.between = made[k].between,
			.to_ns = 1,
			.confidence = 0.99};
		level->group = calloc(n, sizeof(*level->group));
		assert_non_null(level->group);
		for (size_t i = 0; i < n; i++)
			level->group[i] = (uint32_t)(i / made[k].size);
		bench->analysis.n_levels++;
	}
}

static void infer(struct bench *bench)
{
	kinds_infer(&bench->analysis, &bench->machine, &bench->arena);
}

static void end(struct bench *bench)
{
	for (size_t k = 0; k < bench->analysis.n_levels; k++)
		free(bench->levels[k].group);
	facts_release(&bench->machine);
	arena_release(&bench->arena);
}

/* The outermost level. */
static const struct analysis_level *last(const struct bench *bench)
{
	return &bench->levels[bench->analysis.n_levels - 1];
}

static bool may_be(const struct analysis_level *level, enum analysis_kind kind)
{
	for (size_t i = 0; i < level->n_may_be; i++) {
		if (level->may_be[i] == kind)
			return true;
	}
	return false;
}

/* A kind that is given is the first in question; a group has none. */
static void assert_sound(const struct analysis_level *level)
{
	assert_true(level->kind_confidence >= 0 && level->kind_confidence < 1);
	if (level->kind == ANALYSIS_GROUP)
		assert_true(level->kind_confidence == 0);
	else
		assert_int_equal(level->may_be[0], level->kind);
}

/* Latencies and sizes of n CPUs, and what the outermost level must be. */
static const struct {
	size_t n;
	struct made made[MOST];
	enum analysis_kind kind;
	double least; /* confidence */
} known[] = {
	/* Siblings of few and many cores, near and with a bare waiting loop. */
	{16, {{2, 12, 20}}, ANALYSIS_SMT, 0.9},
	{64, {{2, 25.7, 80}}, ANALYSIS_SMT, 0.7},
	{16, {{2, 36, 81}}, ANALYSIS_SMT, 0.7},
	{32, {{8, 9, 60}}, ANALYSIS_GROUP, 0},
	/* Clusters of two to eight cores, with siblings and without. */
	{8, {{2, 58, 200}}, ANALYSIS_LLC, 0.7},
	{16, {{4, 24, 80}}, ANALYSIS_LLC, 0.7},
	{16, {{4, 37, 110}}, ANALYSIS_LLC, 0.7},
	{32, {{2, 8, 18}, {16, 18, 85}}, ANALYSIS_LLC, 0.8},
	{32, {{2, 8, 20}, {16, 23, 80}}, ANALYSIS_LLC, 0.8},
	{128, {{2, 8, 20}, {16, 23, 95}}, ANALYSIS_LLC, 0.8},
	/* Half a processor's dies, and two packages of many clusters. */
	{48, {{2, 6, 23}, {6, 23, 78}, {24, 78, 94}}, ANALYSIS_GROUP, 0},
	{192, {{2, 9, 23}, {16, 23, 100}, {96, 100, 200}}, ANALYSIS_PACKAGE,
		0.7},
	/* Two packages of 14 cores, and of 32 of a virtual machine. */
	{56, {{2, 8, 45}, {28, 45, 126}}, ANALYSIS_PACKAGE, 0.7},
	{128, {{2, 22, 150}, {64, 150, 350}}, ANALYSIS_PACKAGE, 0.8},
	/* Two of four cores or of six: nobody can tell. */
	{16, {{2, 30, 96}, {8, 96, 194}}, ANALYSIS_GROUP, 0},
	{24, {{2, 11, 50}, {12, 50, 136}}, ANALYSIS_GROUP, 0},
};

static void kinds_are_argued_from_sizes_and_latencies(void **state)
{
	(void)state;
	for (size_t c = 0; c < sizeof(known) / sizeof(*known); c++) {
		const struct analysis_level *level;
		struct bench bench;

		begin(&bench, known[c].n, known[c].made);
		infer(&bench);
		level = last(&bench);
		for (size_t k = 0; k < bench.analysis.n_levels; k++)
			assert_sound(&bench.levels[k]);
		if (level->kind != known[c].kind ||
			level->kind_confidence < known[c].least)
			fail_msg("case %zu: kind %d at %.2f", c, level->kind,
				level->kind_confidence);
		end(&bench);
	}
}

/* A cache or a package: both come into question. */
static void what_cannot_be_told_is_listed(void **state)
{
	static const struct made clusters[MOST] = {{2, 30, 96}, {8, 96, 194}};
	static const struct made dies[MOST] = {
		{2, 6, 23}, {6, 23, 78}, {24, 78, 94}};
	struct bench bench;

	(void)state;
	begin(&bench, 16, clusters);
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_GROUP);
	assert_int_equal(last(&bench)->n_may_be, 2);
	assert_true(may_be(last(&bench), ANALYSIS_LLC));
	assert_true(may_be(last(&bench), ANALYSIS_PACKAGE));
	end(&bench);

	begin(&bench, 48, dies);
	infer(&bench);
	assert_int_equal(last(&bench)->may_be[0], ANALYSIS_NODE);
	assert_true(may_be(last(&bench), ANALYSIS_PACKAGE));
	end(&bench);
}

/* What the system says counts on real hardware only. */
static void one_package_is_not_two(void **state)
{
	static const struct made clusters[MOST] = {{2, 30, 96}, {8, 96, 194}};
	static const struct made halves[MOST] = {{64, 150, 350}};
	struct bench bench;

	(void)state;
	begin(&bench, 16, clusters);
	facts_set_count(&bench.machine, "packages", 1);
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_LLC);
	assert_false(may_be(last(&bench), ANALYSIS_PACKAGE));
	end(&bench);

	begin(&bench, 128, halves);
	facts_set_count(&bench.machine, "packages", 1);
	facts_set_text(&bench.machine, "hypervisor", "KVM");
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_PACKAGE);
	assert_true(may_be(last(&bench), ANALYSIS_LLC));
	assert_true(last(&bench)->kind_confidence < 0.98);
	end(&bench);
}

static void without_smt_there_are_no_siblings(void **state)
{
	static const struct made pairs[MOST] = {{2, 12, 20}};
	struct bench bench;

	(void)state;
	begin(&bench, 16, pairs);
	facts_set_flag(&bench.machine, "smt", false);
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_LLC);
	assert_false(may_be(last(&bench), ANALYSIS_SMT));
	/* A hypervisor hides it. */
	facts_set_text(&bench.machine, "hypervisor", "KVM");
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_SMT);
	end(&bench);
}

/* Four threads of a core, where the architecture has them. */
static void the_architecture_tells_threads_from_clusters(void **state)
{
	static const struct made fours[MOST] = {{4, 12, 60}};
	struct bench bench;

	(void)state;
	begin(&bench, 32, fours);
	facts_set_text(&bench.machine, "arch", "ppc64le");
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_SMT);
	end(&bench);
	begin(&bench, 32, fours);
	facts_set_text(&bench.machine, "arch", "x86_64");
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_LLC);
	assert_true(may_be(last(&bench), ANALYSIS_SMT));
	end(&bench);
}

/* Other levels are argued from what is settled. */
static void what_is_settled_stays_and_counts(void **state)
{
	static const struct made two[MOST] = {{2, 58, 200}, {16, 200, 500}};
	struct bench bench;

	(void)state;
	begin(&bench, 64, two);
	kinds_set_known(
		&bench.levels[0], ANALYSIS_SMT, 0.99, ANALYSIS_TOPOLOGY);
	infer(&bench);
	assert_int_equal(bench.levels[0].kind, ANALYSIS_SMT);
	assert_true(bench.levels[0].kind_confidence == 0.99);
	/* There are no packages of packages. */
	assert_true(may_be(&bench.levels[1], ANALYSIS_PACKAGE));
	kinds_set_known(
		&bench.levels[0], ANALYSIS_PACKAGE, 0.99, ANALYSIS_TOPOLOGY);
	infer(&bench);
	assert_false(may_be(&bench.levels[1], ANALYSIS_PACKAGE));
	end(&bench);
}

/* Who shares a cache shares no more than that, or a core. */
static void a_shared_cache_rules_out_packages(void **state)
{
	static const struct made halves[MOST] = {{2, 11, 50}, {12, 50, 136}};
	static const struct made pairs[MOST] = {{2, 4, 1}};
	struct bench bench;

	(void)state;
	begin(&bench, 24, halves);
	bench.levels[1].shares_cache = true;
	infer(&bench);
	assert_int_equal(bench.levels[1].kind, ANALYSIS_LLC);
	assert_int_equal(bench.levels[1].n_may_be, 1);
	end(&bench);

	/* Slowdowns alone: siblings share a cache too. */
	begin(&bench, 4, pairs);
	bench.levels[0].of_rates = bench.levels[0].shares_cache = true;
	bench.levels[0].to_ns = 0;
	infer(&bench);
	assert_int_equal(bench.levels[0].kind, ANALYSIS_LLC);
	assert_true(bench.levels[0].kind_confidence < 0.7);
	assert_true(may_be(&bench.levels[0], ANALYSIS_SMT));
	end(&bench);
}

/* Clocks or unknown units leave only sizes and ratios. */
static void without_a_time_less_is_told(void **state)
{
	static const struct made pairs[MOST] = {{2, 12, 50}};
	struct bench bench;

	(void)state;
	begin(&bench, 16, pairs);
	infer(&bench);
	assert_true(last(&bench)->kind_confidence > 0.9);
	bench.levels[0].to_ns = 0;
	infer(&bench);
	assert_true(last(&bench)->kind_confidence < 0.9);
	/* Half of a round trip. */
	bench.levels[0].inside = 60;
	bench.levels[0].between = 170;
	bench.levels[0].to_ns = 1;
	infer(&bench);
	assert_int_not_equal(last(&bench)->kind, ANALYSIS_SMT);
	bench.levels[0].to_ns = 0.5;
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_SMT);
	/* And rates tell nothing. */
	bench.levels[0].of_rates = true;
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_GROUP);
	end(&bench);
}

/* Threads of a core, where nothing says which architecture it is. */
static void a_core_may_have_four_or_eight_threads(void **state)
{
	static const struct made fours[MOST] = {{4, 8, 40}};
	static const struct made eights[MOST] = {{8, 8, 40}};
	static const struct made twelves[MOST] = {{12, 8, 40}};
	struct bench bench;

	(void)state;
	begin(&bench, 16, fours);
	infer(&bench);
	assert_true(may_be(last(&bench), ANALYSIS_SMT));
	assert_true(may_be(last(&bench), ANALYSIS_LLC));
	end(&bench);
	begin(&bench, 32, eights);
	infer(&bench);
	assert_true(may_be(last(&bench), ANALYSIS_SMT));
	end(&bench);
	begin(&bench, 48, twelves);
	infer(&bench);
	assert_false(may_be(last(&bench), ANALYSIS_SMT));
	end(&bench);
}

/* Siblings that wait for each other, or cores of a second-level cache. */
static void pairs_of_a_cache_are_smt_or_llc(void **state)
{
	static const struct made pairs[MOST] = {{2, 28, 60}};
	static const struct made within[MOST] = {{2, 28, 60}, {16, 60, 150}};
	struct bench bench;

	(void)state;
	for (int more = 0; more < 2; more++) {
		begin(&bench, 32, more ? within : pairs);
		infer(&bench);
		assert_true(bench.levels[0].kind_confidence < 0.9);
		assert_true(may_be(&bench.levels[0], ANALYSIS_SMT));
		assert_true(may_be(&bench.levels[0], ANALYSIS_LLC));
		end(&bench);
	}
}

static void one_fast_cell_makes_no_kind(void **state)
{
	static const struct made pairs[MOST] = {{2, 8, 40}};
	struct bench bench;

	(void)state;
	begin(&bench, 16, pairs);
	for (uint32_t i = 2; i < 16; i++)
		bench.levels[0].group[i] = i - 1;
	bench.levels[0].n_groups = 15;
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_GROUP);
	assert_sound(last(&bench));
	/* Two make one. */
	bench.levels[0].group[3] = bench.levels[0].group[2];
	infer(&bench);
	assert_int_equal(last(&bench)->kind, ANALYSIS_SMT);
	end(&bench);
}

/* Siblings and others are two steps apart at least, and siblings from zero. */
static void a_coarse_clock_makes_no_kind(void **state)
{
	static const struct made pairs[MOST] = {{2, 12, 20}};
	static const struct {
		double step;
		enum analysis_kind kind;
	} clocks[] = {{7, ANALYSIS_GROUP}, {4.5, ANALYSIS_GROUP},
		{3.5, ANALYSIS_SMT}};
	struct bench bench;

	(void)state;
	for (size_t k = 0; k < sizeof(clocks) / sizeof(*clocks); k++) {
		begin(&bench, 16, pairs);
		bench.levels[0].unit = bench.analysis.resolution_unit = "ns";
		bench.analysis.resolution = clocks[k].step;
		infer(&bench);
		assert_int_equal(last(&bench)->kind, clocks[k].kind);
		end(&bench);
	}
}

/* Rows may differ for other reasons; siblings that one class lacks do not. */
static void classes_are_surer_with_siblings(void **state)
{
	static const struct made two[MOST] = {{2, 8, 20}, {8, 20, 25}};
	struct bench bench;

	(void)state;
	begin(&bench, 16, two);
	bench.levels[1].nested = false;
	infer(&bench);
	assert_int_equal(bench.levels[1].kind, ANALYSIS_CLASS);
	assert_true(bench.levels[1].kind_confidence < 0.9);
	/* The second class is of single CPUs. */
	for (uint32_t i = 8; i < 16; i++)
		bench.levels[0].group[i] = i - 4;
	bench.levels[0].n_groups = 12;
	infer(&bench);
	assert_true(bench.levels[1].kind_confidence >= 0.9);
	end(&bench);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(a_core_may_have_four_or_eight_threads),
	cmocka_unit_test(pairs_of_a_cache_are_smt_or_llc),
	cmocka_unit_test(one_fast_cell_makes_no_kind),
	cmocka_unit_test(a_coarse_clock_makes_no_kind),
	cmocka_unit_test(classes_are_surer_with_siblings),
	cmocka_unit_test(kinds_are_argued_from_sizes_and_latencies),
	cmocka_unit_test(what_cannot_be_told_is_listed),
	cmocka_unit_test(one_package_is_not_two),
	cmocka_unit_test(without_smt_there_are_no_siblings),
	cmocka_unit_test(the_architecture_tells_threads_from_clusters),
	cmocka_unit_test(what_is_settled_stays_and_counts),
	cmocka_unit_test(a_shared_cache_rules_out_packages),
	cmocka_unit_test(without_a_time_less_is_told),
};

CASE_GROUP(cases);
