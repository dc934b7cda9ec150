/*
 * Slowdowns of a cache: alone, and as a witness for the levels of a latency. On
 * the pretended machine, CPUs i and i + 16 are SMT siblings, and eight CPUs
 * share a larger cache.
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
#include <jansson.h>

#include "../case_group.h"
#include "analyze/analyze.h"
#include "analyze/caches/sharing.h"
#include "record/pack.h"

#define N 32

#define L1_BYTES (48 << 10)
#define L3_BYTES (32 << 20)

enum {
	LATENCY,
	SHARED,
	AFTER,
	RESULTS
};

static const char *const sources[RESULTS] = {
	"lat.json", "shared.json", "after.json"};

/* From 0 to 1, always the same, and different for each direction of a pair. */
static double noise_of(size_t i, size_t j)
{
	return (double)((i * 7 + j * 13 + i * j) % 19) / 19;
}

static bool are_siblings(size_t i, size_t j)
{
	return i % 16 == j % 16;
}

static bool are_near(size_t i, size_t j)
{
	return i % 16 / 4 == j % 16 / 4;
}

static void make(struct result *result, const char *name, const char *unit,
	const char *cpus)
{
	result_init(result);
	result->complete = true;
	assert_int_equal(cpu_list_parse(&result->cpus, cpus, NULL), 0);
	assert_non_null(result_add_matrix(
		result, name, "median", unit, NULL, false, false));
}

static double *cell(struct result *result, size_t i, size_t j)
{
	return &result->matrices[0].values[i * result->cpus.n + j];
}

static void make_latency(struct result *result)
{
	make(result, "latency", "ns", "0-31");
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j < N; j++) {
			double ns = are_siblings(i, j) ? 10
				    : are_near(i, j)   ? 40
						       : 120;

			if (i != j)
				*cell(result, i, j) =
					ns * (1 + 0.02 * noise_of(i, j));
		}
	}
}

/* Pairs that share are 2.6 times as slow, all others 1.00 to 1.03 times. */
static void make_shared(struct result *result, const char *cpus, double bytes,
	bool (*share)(size_t i, size_t j))
{
	make(result, "shared", "times", cpus);
	facts_set_number(&result->options, "shared_bytes", bytes);
	for (size_t i = 0; i < result->cpus.n; i++) {
		for (size_t j = 0; j < result->cpus.n; j++) {
			unsigned a = result->cpus.cpus[i];
			unsigned b = result->cpus.cpus[j];
			bool slow = share && share(a, b);

			if (i != j)
				*cell(result, i, j) =
					(slow ? 2.6 : 1) *
					(1 + 0.03 * noise_of(a, b));
		}
	}
}

static void set_pair(struct result *result, size_t i, size_t j, double value)
{
	*cell(result, i, j) = *cell(result, j, i) = value;
}

static void analyse(
	const struct result *results, size_t n, struct analysis *analysis)
{
	struct error err = {.text = ""};

	if (analysis_make(results, sources, n, analysis, &err) < 0)
		fail_msg("%s", err.text);
}

static void release(struct result *results, size_t n, struct analysis *analysis)
{
	analysis_release(analysis);
	for (size_t i = 0; i < n; i++)
		result_release(&results[i]);
}

/* A latency and a witness, of a virtual machine or not. */
static void pair_up(struct result *results, double bytes,
	bool (*share)(size_t i, size_t j), const char *hypervisor)
{
	make_latency(&results[LATENCY]);
	make_shared(&results[SHARED], "0-31", bytes, share);
	for (size_t i = 0; hypervisor && i < 2; i++)
		facts_set_text(&results[i].machine, "hypervisor", hypervisor);
}

static void sharing_alone_shows_the_siblings(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	make_shared(&result, "0-31", L1_BYTES, are_siblings);
	analyse(&result, 1, &analysis);
	assert_int_equal(analysis.n_levels, 1);
	assert_int_equal(analysis.levels[0].n_groups, 16);
	assert_int_equal(analysis.levels[0].kind, ANALYSIS_SMT);
	assert_int_equal(
		analysis.levels[0].group[0], analysis.levels[0].group[16]);
	/* Medians are slowdowns as measured, not costs. */
	assert_true(analysis.levels[0].inside > 2.59 &&
		    analysis.levels[0].inside < 2.7);
	assert_true(analysis.levels[0].between > 0.99 &&
		    analysis.levels[0].between < 1.04);
	assert_int_equal(analysis.n_sharing, 0);
	release(&result, 1, &analysis);
}

static void a_larger_cache_is_no_core(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	make_shared(&result, "0-31", L3_BYTES, are_near);
	analyse(&result, 1, &analysis);
	assert_int_equal(analysis.n_levels, 1);
	assert_int_equal(analysis.levels[0].n_groups, 4);
	assert_int_equal(analysis.levels[0].kind, ANALYSIS_LLC);
	release(&result, 1, &analysis);
}

static void nobody_shares_what_slows_nobody_down(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	make_shared(&result, "0-31", L1_BYTES, NULL);
	analyse(&result, 1, &analysis);
	assert_int_equal(analysis.n_levels, 0);
	assert_int_equal(analysis.placement, ANALYSIS_STABLE);
	release(&result, 1, &analysis);
}

/* A few low latencies may be chance, but a slowdown never is. */
static void a_few_pairs_that_share_are_groups(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	make_shared(&result, "0-31", L1_BYTES, NULL);
	set_pair(&result, 9, 16, 2.1);
	set_pair(&result, 0, 3, 2.1);
	analyse(&result, 1, &analysis);
	assert_int_equal(analysis.n_levels, 1);
	assert_int_equal(analysis.levels[0].n_groups, 30);
	assert_int_equal(
		analysis.levels[0].group[0], analysis.levels[0].group[3]);
	assert_int_equal(
		analysis.levels[0].group[9], analysis.levels[0].group[16]);
	assert_true(analysis.levels[0].confidence >= ANALYSIS_CERTAIN);
	release(&result, 1, &analysis);
}

/* If A shares with B and B with C, A shares with C, or a CPU moved. */
static void a_chain_is_no_group(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	make_shared(&result, "0-31", L1_BYTES, NULL);
	for (size_t i = 0; i < 4; i++)
		set_pair(&result, i, i + 1, 2.1);
	analyse(&result, 1, &analysis);
	assert_int_equal(analysis.n_levels, 0);
	assert_int_equal(analysis.placement, ANALYSIS_CANNOT_TELL);
	release(&result, 1, &analysis);
}

static bool all_share(size_t i, size_t j)
{
	return i != j;
}

static void is_told(struct result *result, const char *verdict)
{
	struct arena arena = {0};
	const char *text = sharing_verdict(result, &arena);

	assert_string_equal(text, verdict);
	arena_release(&arena);
	result_release(result);
}

static void the_verdict_of_two_cpus_is_told(void **state)
{
	struct result result;

	(void)state;
	make_shared(&result, "0,16", L1_BYTES, are_siblings);
	facts_set_text(&result.options, "shared", "l1");
	is_told(&result, "L1 sharing: the two CPUs share the cache");
	make_shared(&result, "0,1", L1_BYTES, are_siblings);
	is_told(&result, "48 KiB sharing: the two CPUs do not share the cache");
	/* The cache may be larger than the record says. */
	make_shared(&result, "0,4", L3_BYTES, are_near);
	is_told(&result,
		"32 MiB sharing: the two CPUs do not share the cache, unless "
		"the cache is larger than its size in the record");
	make_shared(&result, "0,16", L1_BYTES, are_siblings);
	set_pair(&result, 0, 1, NAN);
	is_told(&result,
		"48 KiB sharing: c2c cannot tell which CPUs share the cache: "
		"every pair has fewer than six passes, or an interval that "
		"contains 1.4; measure again with --passes 6 or more");
}

static void the_verdict_of_many_cpus_is_told(void **state)
{
	struct result result;

	(void)state;
	make_shared(&result, "0-31", L1_BYTES, NULL);
	is_told(&result, "48 KiB sharing: no pair of CPUs shares the cache");
	make_shared(&result, "0-3", L1_BYTES, NULL);
	set_pair(&result, 0, 1, NAN);
	is_told(&result,
		"48 KiB sharing: no pair of CPUs shares the cache; 1 of 6 "
		"pairs are undecided");
	make_shared(&result, "0-31", L3_BYTES, all_share);
	is_told(&result, "32 MiB sharing: all CPUs share the cache");
	make_shared(&result, "0-31", L3_BYTES, are_near);
	is_told(&result, "32 MiB sharing: the CPUs 0-3,16-19 and 4-7,20-23 and "
			 "8-11,24-27 and 12-15,28-31 share it");
	make_shared(&result, "0-31", L1_BYTES, are_siblings);
	is_told(&result,
		"48 KiB sharing: the CPUs 0,16 and 1,17 and 2,18 and 3,19 and "
		"12 more share it");
	make_shared(&result, "0-3", L3_BYTES, all_share);
	set_pair(&result, 0, 1, NAN);
	is_told(&result, "32 MiB sharing: all CPUs share the cache; 1 of 6 "
			 "pairs are undecided");
	make_shared(&result, "0-2", L3_BYTES, all_share);
	set_pair(&result, 0, 1, 1.1);
	is_told(&result,
		"32 MiB sharing: 2 of 3 pairs share the cache, but form no "
		"groups, as if CPUs had moved during the run");
	/* CPUs that share with no other are in no group. */
	make_shared(&result, "0-31", L1_BYTES, NULL);
	set_pair(&result, 9, 16, 2.1);
	is_told(&result, "48 KiB sharing: the CPUs 9,16 share it");
	make_shared(&result, "0-31", L1_BYTES, NULL);
	for (size_t i = 0; i < 4; i++)
		set_pair(&result, i, i + 1, 2.1);
	is_told(&result,
		"48 KiB sharing: 4 of 496 pairs share the cache, but form no "
		"groups, as if CPUs had moved during the run");
}

/* A cache that all CPUs share makes no groups. */
static void one_cache_for_all_is_no_level(void **state)
{
	struct result results[2];
	struct analysis analysis;

	(void)state;
	pair_up(results, L3_BYTES, all_share, NULL);
	analyse(&results[SHARED], 1, &analysis);
	assert_int_equal(analysis.n_levels, 0);
	assert_int_equal(analysis.placement, ANALYSIS_STABLE);
	analysis_release(&analysis);
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_UNKNOWN);
	assert_false(analysis.sharing[0].differs);
	assert_non_null(
		strstr(analysis.sharing[0].text, "all CPUs share the cache"));
	release(results, 2, &analysis);
}

/* Load alone slows a cache that all CPUs share down by 1.15 times. */
static void a_little_slowdown_makes_no_groups(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	make_shared(&result, "0-31", L3_BYTES, are_near);
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j < N; j++) {
			if (i != j && are_near(i, j))
				*cell(&result, i, j) *= 1.15 / 2.6;
		}
	}
	analyse(&result, 1, &analysis);
	assert_int_equal(analysis.n_levels, 0);
	release(&result, 1, &analysis);
}

static void a_witness_confirms_siblings(void **state)
{
	struct result results[2];
	struct analysis analysis;
	const struct analysis_sharing *sharing;

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, NULL);
	facts_set_text(&results[SHARED].options, "shared", "l1");
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.n_levels, 2);
	assert_int_equal(analysis.n_sharing, 2);
	sharing = &analysis.sharing[0];
	assert_int_equal(sharing->level, 0);
	assert_int_equal(sharing->agrees, ANALYSIS_AGREES);
	assert_int_equal(sharing->n_pairs, 16);
	assert_int_equal(sharing->n_shared, 16);
	assert_int_equal(sharing->n_outside, 0);
	assert_string_equal(sharing->text,
		"L1 sharing confirms the SMT siblings: 16 of 16 pairs");
	/* No witness measured the larger caches. */
	assert_int_equal(analysis.sharing[1].level, 1);
	assert_null(analysis.sharing[1].source);
	assert_int_equal(analysis.sharing[1].agrees, ANALYSIS_UNKNOWN);
	release(results, 2, &analysis);
}

/* The order of the files does not matter: the latency has the levels. */
static void a_witness_may_come_first(void **state)
{
	struct result results[2];
	struct analysis analysis;

	(void)state;
	make_shared(&results[0], "0-31", L1_BYTES, are_siblings);
	make_latency(&results[1]);
	assert_int_equal(analysis_main_index(results, 2), 1);
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.n_levels, 2);
	assert_string_equal(analysis.levels[0].unit, "ns");
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_AGREES);
	release(results, 2, &analysis);
}

static void a_larger_cache_confirms_its_own_level(void **state)
{
	struct result results[2];
	struct analysis analysis;

	(void)state;
	pair_up(results, L3_BYTES, are_near, "KVM");
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.sharing[0].level, 1);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_AGREES);
	assert_int_equal(analysis.sharing[0].n_pairs, 4 * 8 * 7 / 2);
	assert_int_equal(analysis.levels[1].kind, ANALYSIS_LLC);
	assert_string_equal(analysis.sharing[0].cache, "32 MiB");
	release(results, 2, &analysis);
}

static void siblings_that_share_nothing_are_named(void **state)
{
	struct result results[2];
	struct analysis analysis;

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, NULL);
	set_pair(&results[SHARED], 3, 19, 1.01);
	set_pair(&results[SHARED], 4, 20, 1.01);
	set_pair(&results[SHARED], 3, 20, 2.6);
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_DISAGREES);
	assert_int_equal(analysis.sharing[0].n_pairs, 16);
	assert_int_equal(analysis.sharing[0].n_shared, 14);
	assert_int_equal(analysis.sharing[0].n_outside, 1);
	assert_string_equal(analysis.sharing[0].text,
		"48 KiB sharing differs from the SMT siblings: 14 of 16 pairs "
		"share; 3,19 and 4,20 do not; 3,20 share it, but are in "
		"different groups; only one can be right");
	release(results, 2, &analysis);
}

static void sharing_between_groups_differs(void **state)
{
	struct result results[2];
	struct analysis analysis;

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, NULL);
	set_pair(&results[SHARED], 5, 22, 2.6);
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_DISAGREES);
	assert_int_equal(analysis.sharing[0].n_shared, 16);
	assert_int_equal(analysis.sharing[0].n_outside, 1);
	release(results, 2, &analysis);
}

static void assert_doubt(struct result *results, size_t n, const char *doubt)
{
	struct analysis analysis;

	analyse(results, n, &analysis);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_UNKNOWN);
	assert_true(analysis.sharing[0].differs);
	if (!strstr(analysis.sharing[0].text, doubt))
		fail_msg("'%s' lacks '%s'", analysis.sharing[0].text, doubt);
	release(results, n, &analysis);
}

static void a_host_may_have_moved_cpus(void **state)
{
	struct result results[2];

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, "KVM");
	set_pair(&results[SHARED], 3, 19, 1.01);
	assert_doubt(results, 2,
		"no contradiction, since the host may have moved vCPUs");
}

static void another_kernel_is_another_boot(void **state)
{
	struct result results[2];

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, NULL);
	facts_set_text(&results[LATENCY].machine, "kernel", "Linux 6.1");
	facts_set_text(&results[SHARED].machine, "kernel", "Linux 6.18");
	set_pair(&results[SHARED], 3, 19, 1.01);
	assert_doubt(results, 2, "booted another kernel");
}

static void cpus_that_moved_during_a_run_contradict_nobody(void **state)
{
	struct result results[2];

	(void)state;
	for (size_t moved = 0; moved < 2; moved++) {
		pair_up(results, L1_BYTES, are_siblings, NULL);
		results[moved].run.known = true;
		results[moved].run.verdict = RUN_DRIFTED;
		set_pair(&results[SHARED], 3, 19, 1.01);
		assert_doubt(results, 2,
			moved == LATENCY ? "moved during the run of lat.json"
					 : "moved during the run of "
					   "shared.json");
	}
}

/* The host may have moved CPUs, and moved them back later. */
static void a_second_latency_does_not_remove_the_doubt(void **state)
{
	struct result results[RESULTS];

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, "KVM");
	make_latency(&results[AFTER]);
	set_pair(&results[SHARED], 3, 19, 1.01);
	assert_doubt(results, RESULTS, "the host may have moved vCPUs");
}

static void a_second_latency_proves_a_move(void **state)
{
	struct result results[RESULTS];

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, "KVM");
	make_latency(&results[AFTER]);
	/* CPUs 3 and 4 swapped places before the last run. */
	results[AFTER].cpus.cpus[3] = 4;
	results[AFTER].cpus.cpus[4] = 3;
	set_pair(&results[SHARED], 3, 19, 1.01);
	assert_doubt(results, RESULTS,
		"lat.json and after.json show different groups");
}

/* CPUs that share an L1 are siblings, whatever their latency. */
static void a_witness_names_the_level(void **state)
{
	struct result results[2];
	struct analysis analysis;

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, NULL);
	for (size_t i = 0; i < N * N; i++)
		results[LATENCY].matrices[0].values[i] *= 6;
	analyse(results, 1, &analysis);
	assert_int_not_equal(analysis.levels[0].kind, ANALYSIS_SMT);
	analysis_release(&analysis);
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.sharing[0].level, 0);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_AGREES);
	assert_int_equal(analysis.levels[0].kind, ANALYSIS_SMT);
	release(results, 2, &analysis);
}

static void what_the_levels_lack_is_told(void **state)
{
	struct result results[2];
	struct analysis analysis;

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, NULL);
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j < N; j++) {
			if (i != j)
				*cell(&results[LATENCY], i, j) =
					100 * (1 + 0.03 * noise_of(i, j));
		}
	}
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.n_levels, 0);
	assert_int_equal(analysis.sharing[0].level, SIZE_MAX);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_DISAGREES);
	assert_int_equal(analysis.sharing[0].n_outside, 16);
	assert_non_null(strstr(analysis.sharing[0].text,
		"0,16 and 1,17 and 2,18 and 3,19 and 12 more share"));
	release(results, 2, &analysis);
}

static void no_slowdown_in_a_large_cache_proves_nothing(void **state)
{
	struct result results[2];
	struct analysis analysis;

	(void)state;
	pair_up(results, L3_BYTES, NULL, NULL);
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.sharing[0].level, SIZE_MAX);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_UNKNOWN);
	assert_false(analysis.sharing[0].differs);
	release(results, 2, &analysis);
	/* In an L1 it proves something: siblings must share it. */
	pair_up(results, L1_BYTES, NULL, NULL);
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.sharing[0].level, 0);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_DISAGREES);
	release(results, 2, &analysis);
}

static void a_witness_of_some_cpus_speaks_of_these(void **state)
{
	struct result results[2];
	struct analysis analysis;

	(void)state;
	make_latency(&results[LATENCY]);
	make_shared(&results[SHARED], "0-3,16-19", L1_BYTES, are_siblings);
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_AGREES);
	assert_int_equal(analysis.sharing[0].n_pairs, 4);
	assert_int_equal(analysis.sharing[0].n_unknown, 12);
	assert_non_null(
		strstr(analysis.sharing[0].text, "12 more are undecided"));
	release(results, 2, &analysis);
}

/* A pair is unknown if its interval contains the limit. */
static void an_uncertain_slowdown_is_unknown(void **state)
{
	struct result results[2];
	struct analysis analysis;
	struct matrix *low, *high;

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, NULL);
	low = result_add_matrix(&results[SHARED], "shared", "ci_low", "times",
		NULL, false, false);
	assert_non_null(low);
	high = result_add_matrix(&results[SHARED], "shared", "ci_high", "times",
		NULL, false, false);
	assert_non_null(high);
	low = high - 1;
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j < N; j++) {
			low->values[i * N + j] =
				0.98 * *cell(&results[SHARED], i, j);
			high->values[i * N + j] =
				1.02 * *cell(&results[SHARED], i, j);
		}
	}
	/* A pair with fewer than six passes has no interval. */
	low->values[4 * N + 20] = low->values[20 * N + 4] = NAN;
	set_pair(&results[SHARED], 3, 19, 1.3);
	low->values[3 * N + 19] = low->values[19 * N + 3] = 1.1;
	high->values[3 * N + 19] = high->values[19 * N + 3] = 1.5;
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_AGREES);
	assert_int_equal(analysis.sharing[0].n_pairs, 14);
	assert_int_equal(analysis.sharing[0].n_unknown, 2);
	release(results, 2, &analysis);
}

static void two_cpus_have_no_levels_to_contradict(void **state)
{
	struct result results[2];
	struct analysis analysis;

	(void)state;
	make(&results[LATENCY], "latency", "ns", "0,16");
	set_pair(&results[LATENCY], 0, 1, 10);
	make_shared(&results[SHARED], "0,16", L1_BYTES, are_siblings);
	analyse(results, 2, &analysis);
	assert_int_equal(analysis.sharing[0].agrees, ANALYSIS_UNKNOWN);
	assert_false(analysis.sharing[0].differs);
	assert_non_null(strstr(analysis.sharing[0].text, "the two CPUs share"));
	analysis_release(&analysis);
	set_pair(&results[SHARED], 0, 1, NAN);
	analyse(results, 2, &analysis);
	assert_non_null(strstr(analysis.sharing[0].text, "may or may not"));
	release(results, 2, &analysis);
}

static void the_format_is_as_documented(void **state)
{
	struct result results[2];
	struct analysis analysis;
	json_t *json, *entry;

	(void)state;
	pair_up(results, L1_BYTES, are_siblings, NULL);
	analyse(results, 2, &analysis);
	json = record_to_json(&analysis_type, &analysis, ANALYSIS_DIGITS);
	entry = json_array_get(json_object_get(json, "sharing"), 0);
	assert_string_equal(json_string_value(json_object_get(entry, "source")),
		"shared.json");
	assert_int_equal(
		json_integer_value(json_object_get(entry, "level")), 0);
	assert_true(json_is_true(json_object_get(entry, "agrees")));
	assert_int_equal(
		json_integer_value(json_object_get(entry, "shared")), 16);
	entry = json_array_get(json_object_get(json, "sharing"), 1);
	assert_true(json_is_null(json_object_get(entry, "source")));
	assert_true(json_is_null(json_object_get(entry, "agrees")));
	json_decref(json);
	release(results, 2, &analysis);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(sharing_alone_shows_the_siblings),
	cmocka_unit_test(a_larger_cache_is_no_core),
	cmocka_unit_test(nobody_shares_what_slows_nobody_down),
	cmocka_unit_test(a_few_pairs_that_share_are_groups),
	cmocka_unit_test(a_chain_is_no_group),
	cmocka_unit_test(the_verdict_of_two_cpus_is_told),
	cmocka_unit_test(the_verdict_of_many_cpus_is_told),
	cmocka_unit_test(one_cache_for_all_is_no_level),
	cmocka_unit_test(a_little_slowdown_makes_no_groups),
	cmocka_unit_test(a_witness_confirms_siblings),
	cmocka_unit_test(a_witness_may_come_first),
	cmocka_unit_test(a_larger_cache_confirms_its_own_level),
	cmocka_unit_test(siblings_that_share_nothing_are_named),
	cmocka_unit_test(sharing_between_groups_differs),
	cmocka_unit_test(a_host_may_have_moved_cpus),
	cmocka_unit_test(another_kernel_is_another_boot),
	cmocka_unit_test(cpus_that_moved_during_a_run_contradict_nobody),
	cmocka_unit_test(a_second_latency_does_not_remove_the_doubt),
	cmocka_unit_test(a_second_latency_proves_a_move),
	cmocka_unit_test(a_witness_names_the_level),
	cmocka_unit_test(what_the_levels_lack_is_told),
	cmocka_unit_test(no_slowdown_in_a_large_cache_proves_nothing),
	cmocka_unit_test(a_witness_of_some_cpus_speaks_of_these),
	cmocka_unit_test(an_uncertain_slowdown_is_unknown),
	cmocka_unit_test(two_cpus_have_no_levels_to_contradict),
	cmocka_unit_test(the_format_is_as_documented),
};

CASE_GROUP(cases);
