#include "analyze/caches/sharers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "analyze/caches/sharing.h"
#include "probe/probe_share.h"
#include "util/text.h"

/* Largest ratio of a tested size and its level's size: one step of sizes. */
#define TESTED_SIZE_SLACK 1.2

struct sharers_task {
	struct result *results;
	const char *const *sources;
	size_t at;	/* index of the record with the caches */
	size_t *tested; /* result that tested each level; `at`: none */
	struct arena *arena;
	struct error *err;
};

static bool fits_size_range(double bytes, double least, double most)
{
	return bytes * TESTED_SIZE_SLACK >= least &&
	       bytes <= most * TESTED_SIZE_SLACK;
}

/*
 * Return the level whose cache was tested, or n_caches. Find it by the name
 * that the user requested, else by measured size, else by reported size.
 */
static size_t find_tested_level(
	const struct result *caches, const struct result *tested)
{
	const char *named = facts_text(&tested->options, "shared");
	bool by_name = named && (named[0] == 'L' || named[0] == 'l');
	double bytes = sharing_cache_bytes(tested);
	size_t n = caches->n_caches, reported = n;

	for (size_t i = 0; i < n; i++) {
		const struct cache_level *level = &caches->caches[i];

		if (level->memory)
			continue;
		if (by_name && level->level == strtoul(named + 1, NULL, 10))
			return i;
		if (by_name)
			continue;
		if (fits_size_range(
			    bytes, level->least_bytes, level->most_bytes))
			return i;
		if (reported == n &&
			fits_size_range(bytes, level->reported_bytes,
				level->reported_bytes))
			reported = i;
	}
	return reported;
}

/* Find which level the i-th result tested. */
static int assign_tested_level(const struct sharers_task *task, size_t i)
{
	static const char *const keys[] = {"hostname", "cpu_model"};
	const struct result *caches = &task->results[task->at];
	const struct result *tested = &task->results[i];
	const struct compare_side sides[] = {
		{.result = caches, .source = task->sources[task->at]},
		{.result = tested, .source = task->sources[i]}};
	size_t level = find_tested_level(caches, tested);
	unsigned cpu = caches->cpus.cpus[0];

	if (analysis_check_same_machine(&sides[0], &sides[1], keys,
		    "analyse only files of one machine together",
		    task->err) < 0)
		return -EINVAL;
	if (cpu_list_find(&tested->cpus, cpu) < 0)
		return error_set(task->err, ERROR_USAGE, EINVAL,
			"'%s' has the caches of CPU %u, but '%s' lacks that "
			"CPU: include it (--cpus), or leave the file out",
			sides[0].source, cpu, sides[1].source);
	if (level == caches->n_caches)
		return error_set(task->err, ERROR_USAGE, EINVAL,
			"'%s' tested %s, and no level of '%s' has that name or "
			"size: leave it out, or test a level of that CPU "
			"('c2c cache --shared LEVEL')",
			sides[1].source,
			sharing_cache_bytes(tested) > 0
				? sharing_cache_name(tested, task->arena)
				: "a cache of unknown size",
			sides[0].source);
	if (task->tested[level] != task->at)
		return error_set(task->err, ERROR_USAGE, EINVAL,
			"'%s' and '%s' both tested %s: leave one of them out",
			task->sources[task->tested[level]], sides[1].source,
			caches->caches[level].name);
	task->tested[level] = i;
	return 0;
}

/* Return "CPU 3" or "CPUs 3,5". */
static char *format_cpus_word(const struct cpu_list *cpus, struct arena *arena)
{
	return arena_format(arena, "CPU%s %s", cpus->n == 1 ? "" : "s",
		arena_adopt(arena, cpu_list_format(cpus)));
}

/* Return the level's reported sharers that were not tested. */
static struct cpu_list find_untested(const struct cache_level *level,
	const struct result *tested, struct arena *arena)
{
	const struct cpu_list *reported = &level->reported_cpus;
	struct cpu_list found = {
		arena_alloc(arena, reported->n, sizeof(*found.cpus)), 0};

	for (size_t i = 0; i < reported->n; i++) {
		if (cpu_list_find(&tested->cpus, reported->cpus[i]) < 0)
			found.cpus[found.n++] = reported->cpus[i];
	}
	return found;
}

/*
 * Whether the level may hold the working sets of two CPUs, so that they do not
 * slow each other down.
 */
static bool may_be_larger(
	const struct cache_level *level, const struct result *tested)
{
	bool measured =
		level->size_verdict != CACHE_SAME && !isnan(level->most_bytes);
	double most = measured ? level->most_bytes : level->reported_bytes;

	return !(2 * SHARE_OF_LEVEL * sharing_cache_bytes(tested) >= most);
}

/* Explain why the sharers of the level are unknown; NULL if they are known. */
static char *explain_unknown_sharers(const struct cache_level *level,
	const struct result *tested, const struct cache_sharers *sharers,
	struct arena *arena)
{
	const struct cpu_list untested = find_untested(level, tested, arena);
	struct text_list list = {0};

	if (analysis_has_moved(tested, arena))
		return arena_strdup(arena,
			"CPUs moved during the run that tested the "
			"cache");
	if (!sharers->consistent)
		return arena_strdup(arena,
			"the pairs that share the cache form no groups, as if "
			"CPUs had moved during the run");
	if (sharers->unknown.n == 0 && untested.n == 0 &&
		(sharers->any_shared || !may_be_larger(level, tested)))
		return NULL;
	if (sharers->members.n > 1)
		text_list_add(&list, "; ", "%s at least",
			format_cpus_word(&sharers->members, arena));
	if (sharers->unknown.n > 0)
		text_list_add(&list, "; ",
			"unknown for %s: fewer than six passes, or an interval "
			"that contains %g",
			format_cpus_word(&sharers->unknown, arena),
			SHARE_LEAST);
	if (untested.n > 0)
		text_list_add(&list, "; ",
			"%s %s not tested, but the system says that %s it",
			format_cpus_word(&untested, arena),
			untested.n == 1 ? "was" : "were",
			untested.n == 1 ? "it shares" : "they share");
	if (sharers->unknown.n == 0 && untested.n == 0)
		text_list_add(&list, "; ",
			"unknown: no CPU slows another CPU down in a test of "
			"%s, but this cache may be larger",
			sharing_cache_name(tested, arena));
	return arena_adopt(arena, text_list_end(&list));
}

static int set_sharers(struct cache_level *level, const struct cpu_list *cpus,
	const char *why, struct error *err)
{
	int rc = 0;

	cpu_list_release(&level->cpus);
	free(level->cpus_why);
	level->cpus_why = why ? strdup(why) : NULL;
	if (why)
		return level->cpus_why ? 0 : error_no_memory(err, "the levels");
	for (size_t i = 0; cpus && i < cpus->n && rc == 0; i++)
		rc = cpu_list_add(&level->cpus, cpus->cpus[i], err);
	return rc;
}

static int fill_level_sharers(const struct sharers_task *task, size_t i)
{
	const struct result *caches = &task->results[task->at];
	struct cache_level *level = &caches->caches[i];
	const struct result *tested = &task->results[task->tested[i]];
	struct cache_sharers sharers;

	if (tested == caches &&
		(level->memory || level->cpus.n || level->cpus_why))
		return 0;
	if (tested == caches)
		return set_sharers(level, NULL,
			arena_format(task->arena,
				"not measured ('c2c cache --shared L%u')",
				level->level),
			task->err);
	sharing_find_sharers(
		tested, caches->cpus.cpus[0], &sharers, task->arena);
	return set_sharers(level, &sharers.members,
		explain_unknown_sharers(level, tested, &sharers, task->arena),
		task->err);
}

int sharers_fill(struct result *results, const char *const *sources, size_t n,
	size_t at, struct arena *arena, struct error *err)
{
	size_t n_levels = results[at].n_caches;
	const struct sharers_task task = {results, sources, at,
		arena_alloc(arena, n_levels, sizeof(size_t)), arena, err};
	int rc = 0;

	if (results[at].cpus.n == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' does not say which CPU has these caches",
			sources[at]);
	for (size_t i = 0; i < n_levels; i++)
		task.tested[i] = at;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = i == at ? 0 : assign_tested_level(&task, i);
	for (size_t i = 0; i < n_levels && rc == 0; i++)
		rc = fill_level_sharers(&task, i);
	return rc;
}
