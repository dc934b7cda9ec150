/*
 * Who shares the levels of a CPU, from slowdowns: of the pretended machine
 * siblings are i and i + 16 and share L1 and L2, and eight CPUs share an L3.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "analyze/caches/sharers.h"
#include "analyze/caches/sharing.h"

#define MIB (1 << 20)

/* Results: the record of caches, and those with slowdowns. */
enum {
	CACHES,
	FIRST,
	SECOND,
	RESULTS
};

enum {
	L1,
	L2,
	L3,
	MEMORY,
	LEVELS
};

static const char *const sources[RESULTS] = {
	"cache.json", "first.json", "second.json"};

static bool are_siblings(size_t i, size_t j)
{
	return i % 16 == j % 16;
}

static bool are_near(size_t i, size_t j)
{
	return i % 16 / 4 == j % 16 / 4;
}

static void add_level(struct result *result, unsigned number, double least,
	double most, double told, const char *told_cpus)
{
	static const char *const names[] = {"L1d", "L2", "L3"};
	struct cache_level *level = result_add_cache(result, names[number - 1]);

	assert_non_null(level);
	level->level = number;
	level->least_bytes = least;
	level->most_bytes = most;
	level->reported_bytes = told;
	level->size_verdict = CACHE_SAME;
	assert_int_equal(
		cpu_list_parse(&level->reported_cpus, told_cpus, NULL), 0);
}

static void make_caches(struct result *result)
{
	struct cache_level *memory;

	result_init(result);
	assert_int_equal(cpu_list_parse(&result->cpus, "0-31", NULL), 0);
	add_level(result, 1, 46336, 55104, 49152, "0,16");
	add_level(result, 2, MIB, 2 * MIB, 2 * MIB, "0,16");
	add_level(result, 3, 24 * MIB, 32 * MIB, 32 * MIB, "0-3,16-19");
	memory = result_add_cache(result, "memory");
	assert_non_null(memory);
	memory->level = 4;
	memory->memory = true;
}

static void set_pair(
	struct result *result, unsigned a, unsigned b, double value)
{
	size_t i = (size_t)cpu_list_find(&result->cpus, a);
	size_t j = (size_t)cpu_list_find(&result->cpus, b);

	result->matrices[0].values[i * result->cpus.n + j] = value;
	result->matrices[0].values[j * result->cpus.n + i] = value;
}

/* named: what the user typed; NULL: the record has no options. */
static void make_shared(struct result *result, const char *cpus,
	const char *named, double bytes, bool (*share)(size_t i, size_t j))
{
	result_init(result);
	assert_int_equal(cpu_list_parse(&result->cpus, cpus, NULL), 0);
	assert_non_null(result_add_matrix(
		result, "shared", "median", "times", "slowdown", false, true));
	assert_true(sharing_has_slowdowns(result));
	if (named) {
		facts_set_text(&result->options, "shared", named);
		facts_set_number(&result->options, "shared_bytes", bytes);
	}
	for (size_t i = 0; i < result->cpus.n; i++) {
		for (size_t j = 0; j < i; j++) {
			unsigned a = result->cpus.cpus[i];
			unsigned b = result->cpus.cpus[j];

			set_pair(result, a, b,
				share && share(a, b) ? 2.6 : 1.01);
		}
	}
}

struct filling {
	struct result *results;
	size_t n;
	struct error err;
	int rc;
};

static int fill_in(struct arena *arena, void *context, struct error *err)
{
	struct filling *filling = context;

	filling->rc = sharers_fill(
		filling->results, sources, filling->n, CACHES, arena, err);
	return filling->rc;
}

/* Returns the message, "" for success; good until the next call. */
static const char *fill(struct result *results, size_t n)
{
	static char text[1024];
	struct filling filling = {.results = results, .n = n};
	struct arena arena = {0};
	int rc = arena_run(&arena, fill_in, &filling, "a test", &filling.err);

	arena_release(&arena);
	strcpy(text, rc < 0 ? filling.err.text : "");
	return text;
}

static void release(struct result *results, size_t n)
{
	for (size_t i = 0; i < n; i++)
		result_release(&results[i]);
}

/* cpus: NULL for none, and then why begins so. */
static void assert_sharers(const struct result *result, size_t i,
	const char *cpus, const char *why)
{
	const struct cache_level *level = &result->caches[i];
	char *list = cpu_list_format(&level->cpus);

	assert_non_null(list);
	assert_string_equal(list, cpus ? cpus : "");
	free(list);
	if (why)
		assert_non_null(level->cpus_why);
	if (why && strncmp(level->cpus_why, why, strlen(why)) != 0)
		fail_msg("'%s'", level->cpus_why);
	if (!why)
		assert_null(level->cpus_why);
}

/* Fill L2 by results[FIRST], and L3 by none. */
static void assert_second(
	struct result *results, const char *cpus, const char *why)
{
	assert_string_equal(fill(results, 2), "");
	assert_sharers(&results[CACHES], L2, cpus, why);
}

static void each_level_has_the_sharers_of_its_own_test(void **state)
{
	struct result results[RESULTS];

	(void)state;
	make_caches(&results[CACHES]);
	make_shared(&results[FIRST], "0-31", "32M", 32 * MIB, are_near);
	make_shared(&results[SECOND], "0-31", "l1", 49152, are_siblings);
	assert_string_equal(fill(results, 3), "");
	assert_sharers(&results[CACHES], L1, "0,16", NULL);
	assert_sharers(&results[CACHES], L2, NULL, "not measured");
	assert_sharers(&results[CACHES], L3, "0-3,16-19", NULL);
	assert_sharers(&results[CACHES], MEMORY, NULL, NULL);
	for (size_t i = 0; i < LEVELS; i++)
		assert_false(
			cache_level_sharers_differ(&results[CACHES].caches[i]));
	/* Another test adds what was missing, and replaces nothing else. */
	result_release(&results[FIRST]);
	make_shared(&results[FIRST], "0-31", "1500K", 1.5 * MIB, are_near);
	assert_second(results, "0-3,16-19", NULL);
	assert_sharers(&results[CACHES], L1, "0,16", NULL);
	assert_true(cache_level_sharers_differ(&results[CACHES].caches[L2]));
	release(results, RESULTS);
}

/* The sharers are those of the CPU that has these caches. */
static void the_first_cpu_counts(void **state)
{
	struct result results[2];

	(void)state;
	make_caches(&results[CACHES]);
	cpu_list_release(&results[CACHES].cpus);
	assert_int_equal(cpu_list_parse(&results[CACHES].cpus, "5-7", NULL), 0);
	make_shared(&results[FIRST], "0-31", "L2", 2 * MIB, are_siblings);
	assert_second(results, "5,21", NULL);
	assert_true(cache_level_sharers_differ(&results[CACHES].caches[L2]));
	release(results, 2);
}

/* A partition of L2: what the system says is the size of another level. */
static void a_measured_size_counts_before_a_told_one(void **state)
{
	struct result results[2];
	struct cache_level *levels;

	(void)state;
	make_caches(&results[CACHES]);
	levels = results[CACHES].caches;
	levels[L2].least_bytes = 0.25 * MIB;
	levels[L2].most_bytes = 0.4 * MIB;
	levels[L2].size_verdict = levels[L3].size_verdict = CACHE_LESS;
	levels[L3].least_bytes = 1.5 * MIB;
	levels[L3].most_bytes = 2 * MIB;
	make_shared(&results[FIRST], "0-31", "2M", 2 * MIB, are_near);
	assert_string_equal(fill(results, 2), "");
	assert_sharers(&results[CACHES], L2, NULL, "not measured");
	assert_sharers(&results[CACHES], L3, "0-3,16-19", NULL);
	/* Without a measured size it is the told one. */
	levels[L3].least_bytes = levels[L3].most_bytes = NAN;
	assert_second(results, "0-3,16-19", NULL);
	release(results, 2);
}

static void an_open_pair_leaves_the_level_open(void **state)
{
	struct result results[2];

	(void)state;
	make_caches(&results[CACHES]);
	make_shared(&results[FIRST], "0-31", "L2", 2 * MIB, are_siblings);
	set_pair(&results[FIRST], 0, 5, NAN);
	/* Its sibling says that CPU 5 does not share. */
	assert_second(results, "0,16", NULL);
	set_pair(&results[FIRST], 16, 5, NAN);
	assert_second(results, NULL,
		"CPUs 0,16 at least; unknown for CPU 5: fewer than six "
		"passes");
	set_pair(&results[FIRST], 0, 16, NAN);
	assert_second(results, NULL, "unknown for CPUs 5,16: ");
	set_pair(&results[FIRST], 0, 5, 1);
	/* The sibling of a sharer is one, though their own pair is open. */
	set_pair(&results[FIRST], 0, 3, 2.6);
	set_pair(&results[FIRST], 16, 3, 2.6);
	set_pair(&results[FIRST], 0, 19, 2.6);
	set_pair(&results[FIRST], 16, 19, 2.6);
	assert_second(results, "0,3,16,19", NULL);
	release(results, 2);
}

static void an_interval_that_contains_the_limit_is_open(void **state)
{
	static const char *const bounds[] = {"ci_low", "ci_high"};
	struct result results[2];
	size_t n;

	(void)state;
	make_caches(&results[CACHES]);
	make_shared(&results[FIRST], "0-31", "L2", 2 * MIB, are_siblings);
	n = results[FIRST].cpus.n;
	for (size_t b = 0; b < 2; b++) {
		struct matrix *matrix = result_add_matrix(&results[FIRST],
			"shared", bounds[b], "times", "slowdown", false, true);

		assert_non_null(matrix);
		memcpy(matrix->values, results[FIRST].matrices[0].values,
			n * n * sizeof(double));
	}
	assert_second(results, "0,16", NULL);
	results[FIRST].matrices[1].values[16] = 1.3;
	results[FIRST].matrices[1].values[16 * n] = 1.3;
	assert_second(results, NULL, "unknown for CPU 16: ");
	release(results, 2);
}

static void cpus_that_moved_tell_nothing(void **state)
{
	struct result results[2];

	(void)state;
	make_caches(&results[CACHES]);
	make_shared(&results[FIRST], "0-31", "L2", 2 * MIB, are_siblings);
	/* 0 shares with 16 and with 1, which do not share. */
	set_pair(&results[FIRST], 0, 1, 2.6);
	assert_second(results, NULL,
		"the pairs that share the cache form no "
		"groups");
	set_pair(&results[FIRST], 0, 1, 1);
	assert_second(results, "0,16", NULL);
	results[FIRST].run.verdict = RUN_DRIFTED;
	assert_second(results, NULL, "CPUs moved during the run");
	release(results, 2);
}

/* Two rings of 60 per cent of a test may fit a larger cache. */
static void a_cache_larger_than_the_test_may_be_shared(void **state)
{
	struct result results[2];
	struct cache_level *level;

	(void)state;
	make_caches(&results[CACHES]);
	level = &results[CACHES].caches[L3];
	make_shared(&results[FIRST], "0-31", "20M", 20 * MIB, NULL);
	assert_string_equal(fill(results, 2), "");
	assert_sharers(&results[CACHES], L3, NULL,
		"unknown: no CPU slows another CPU down in a test of "
		"20 MiB");
	/* If a pair shares, those that do not have a cache of their own. */
	set_pair(&results[FIRST], 9, 25, 2);
	assert_string_equal(fill(results, 2), "");
	assert_sharers(&results[CACHES], L3, "0", NULL);
	set_pair(&results[FIRST], 9, 25, 1);
	/* Less was measured than the system says: that is what counts. */
	level->size_verdict = CACHE_LESS;
	level->most_bytes = 24 * MIB;
	assert_string_equal(fill(results, 2), "");
	assert_sharers(&results[CACHES], L3, "0", NULL);
	release(results, 2);
}

static void cpus_that_were_not_tested_are_told(void **state)
{
	struct result results[2];

	(void)state;
	make_caches(&results[CACHES]);
	make_shared(&results[FIRST], "0-15", "L2", 2 * MIB, are_siblings);
	set_pair(&results[FIRST], 0, 1, 2.6);
	assert_second(results, NULL,
		"CPUs 0,1 at least; CPU 16 was not tested, but the system says "
		"that it shares it");
	release(results, 2);
}

static void assert_refused(
	struct result *results, size_t n, const char *message)
{
	if (!strstr(fill(results, n), message))
		fail_msg("'%s'", fill(results, n));
	for (size_t i = 0; i < LEVELS; i++)
		assert_sharers(&results[CACHES], i, NULL, NULL);
}

static void files_that_do_not_go_together_are_refused(void **state)
{
	struct result results[RESULTS];

	(void)state;
	make_caches(&results[CACHES]);
	make_shared(&results[FIRST], "0-31", "L2", 2 * MIB, are_siblings);
	make_shared(&results[SECOND], "0-31", "2M", 2 * MIB, are_siblings);
	assert_refused(
		results, 3, "'first.json' and 'second.json' both tested L2: ");
	facts_set_text(&results[CACHES].machine, "hostname", "here");
	facts_set_text(&results[SECOND].machine, "hostname", "there");
	assert_refused(results, 3,
		"'cache.json' was measured on here, 'second.json' on there: ");
	facts_set_text(&results[CACHES].machine, "cpu_model", "old");
	facts_set_text(&results[FIRST].machine, "cpu_model", "new");
	assert_refused(results, 2, "on old, 'first.json' on new: ");
	release(&results[FIRST], 2);
	make_shared(&results[FIRST], "1-31", "L2", 2 * MIB, are_siblings);
	assert_refused(results, 2,
		"'cache.json' has the caches of CPU 0, but 'first.json' lacks");
	result_release(&results[FIRST]);
	make_shared(&results[FIRST], "0-31", "8M", 8 * MIB, are_siblings);
	assert_refused(results, 2, "'first.json' tested 8 MiB, and no level");
	result_release(&results[FIRST]);
	/* Memory is no cache, whatever its number is. */
	make_shared(&results[FIRST], "0-31", "L4", 64 * MIB, are_siblings);
	assert_refused(results, 2, "'first.json' tested L4, and no level");
	result_release(&results[FIRST]);
	make_shared(&results[FIRST], "0-31", NULL, 0, are_siblings);
	assert_refused(results, 2, "tested a cache of unknown size");
	cpu_list_release(&results[CACHES].cpus);
	assert_refused(results, 2, "'cache.json' does not say which CPU");
	release(results, 2);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(each_level_has_the_sharers_of_its_own_test),
	cmocka_unit_test(the_first_cpu_counts),
	cmocka_unit_test(a_measured_size_counts_before_a_told_one),
	cmocka_unit_test(an_open_pair_leaves_the_level_open),
	cmocka_unit_test(an_interval_that_contains_the_limit_is_open),
	cmocka_unit_test(cpus_that_moved_tell_nothing),
	cmocka_unit_test(a_cache_larger_than_the_test_may_be_shared),
	cmocka_unit_test(cpus_that_were_not_tested_are_told),
	cmocka_unit_test(files_that_do_not_go_together_are_refused),
};

CASE_GROUP(cases);
