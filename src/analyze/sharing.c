/*
 * Two CPUs share a cache if they slow each other down by SHARE_LEAST or more
 * while both use most of it.
 *
 * A pair is unknown if its interval contains that limit, or if it has no
 * interval because it has fewer than six passes.
 *
 * A witness judges one level. An L1 judges the SMT siblings, because only they
 * share an L1. A larger cache judges the level with which it has the most pairs
 * in common. The witness confirms the level if all pairs inside the groups
 * share the cache, and no pair between groups does. It says nothing about the
 * other levels: these share another cache, or none.
 *
 * A difference is a contradiction only if both runs saw the same placement. On
 * a virtual machine the host may have moved vCPUs between the runs.
 */
#include "analyze/sharing.h"

#include <math.h>
#include <string.h>

#include "analyze/analyze.h"
#include "analyze/kinds.h"
#include "probe/probe_share.h"
#include "stat/stat.h"
#include "util/text.h"

/* No L2 is smaller, and no L1 of a core with SMT siblings is larger. */
#define SIBLINGS_BYTES (128 << 10)

/* The least share of pairs that a witness has in common with its level. */
#define OVERLAP_LEAST 0.5

/* The confidence in the groups: with intervals, and without. */
#define CERTAIN 0.99
#define LIKELY	0.9

/* That CPUs are siblings if they share what is no larger than an L1. */
#define SIBLINGS 0.97

/* With fewer CPUs there are no levels. */
#define FEWEST_CPUS 3

/* The most pairs that a text lists. */
#define PAIRS_SHOWN 4

enum share {
	APART,
	SHARED,
	UNKNOWN,
};

/* What a witness says of each pair. */
struct testimony {
	struct analysis *analysis;
	const struct sharing_witness *witness;
	struct arena *arena;
	size_t n;
	const unsigned char *pairs; /* see take_pairs() */
	size_t n_shared;	    /* of all pairs */
	enum analysis_kind kind;
	const char *cache; /* "L1", "2 MiB", or "cache" */
};

struct tally {
	size_t inside, shared; /* inside groups; those of them that share */
	size_t outside;	       /* pairs between groups that share */
	size_t unknown;	       /* unknown pairs inside groups */
};

bool sharing_is(const struct result *result)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);

	return matrix && matrix_is_slowdown(matrix);
}

/* The size that the system told or the user named; NaN if unknown. */
static double cache_bytes(const struct result *result)
{
	return facts_number(&result->options, "shared_bytes");
}

enum analysis_kind sharing_kind(const struct result *result)
{
	double bytes = cache_bytes(result);

	if (!(bytes > 0))
		return ANALYSIS_GROUP;
	return bytes < SIBLINGS_BYTES ? ANALYSIS_SMT : ANALYSIS_LLC;
}

char *sharing_cache_name(const struct result *result, struct arena *arena)
{
	const char *named = facts_text(&result->options, "shared");
	double bytes = cache_bytes(result);
	char size[TEXT_SIZE_BYTES];

	if (named && (named[0] == 'L' || named[0] == 'l') && named[1])
		return arena_format(arena, "L%s", named + 1);
	if (bytes > 0 && bytes < 1e15)
		return arena_format(
			arena, "%s", text_size((uint64_t)bytes, size));
	return arena_text(arena, "cache");
}

/* The mean of both directions of a pair, or the one that is known. */
static double both_ways(
	const struct matrix *matrix, size_t n, size_t i, size_t j)
{
	double there = matrix ? matrix->values[i * n + j] : NAN;
	double back = matrix ? matrix->values[j * n + i] : NAN;

	return isnan(there) ? back : isnan(back) ? there : (there + back) / 2;
}

/* The slowdowns of a witness. */
struct slowdowns {
	size_t n;
	const struct matrix *median, *low,
		*high; /* low, high: intervals, or NULL */
};

static enum share share_of(const struct slowdowns *from, size_t i, size_t j)
{
	double value = both_ways(from->median, from->n, i, j);
	double low = both_ways(from->low, from->n, i, j);
	double high = both_ways(from->high, from->n, i, j);

	if (isnan(value) || (from->low && isnan(low)) ||
		(low < SHARE_LEAST && high > SHARE_LEAST))
		return UNKNOWN;
	return value >= SHARE_LEAST ? SHARED : APART;
}

/* A witness, and where it has the CPUs of an analysis. */
struct reading {
	struct slowdowns from;
	const long *at; /* [n] indexes in the result; -1: it lacks the CPU */
};

static struct reading read_slowdowns(const struct result *result,
	const struct cpu_list *cpus, struct arena *arena)
{
	const struct matrix *median = result_find_matrix(result, NULL, NULL);
	long *at = arena_take(arena, cpus->n, sizeof(*at));

	for (size_t i = 0; i < cpus->n; i++)
		at[i] = cpu_list_find(&result->cpus, cpus->cpus[i]);
	return (struct reading){
		{result->cpus.n, median,
			result_find_matrix(result, median->name, "ci_low"),
			result_find_matrix(result, median->name, "ci_high")},
		at};
}

/* [n * n] enum share; only those with i > j are filled. */
static unsigned char *take_pairs(
	const struct reading *reading, size_t n, struct arena *arena)
{
	unsigned char *pairs = arena_take(arena, n * n, 1);
	const long *at = reading->at;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			pairs[i * n + j] =
				(unsigned char)(at[i] < 0 || at[j] < 0
							? UNKNOWN
							: share_of(
								  &reading->from,
								  (size_t)at[i],
								  (size_t)at
									  [j]));
	}
	return pairs;
}

static size_t count_of(const unsigned char *pairs, size_t n, enum share share)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			found += pairs[i * n + j] == share;
	}
	return found;
}

/* A CPU joins a group if it shares with any member. Returns their number. */
static size_t join(const unsigned char *pairs, size_t n, uint32_t *group)
{
	size_t groups = n;

	for (size_t i = 0; i < n; i++)
		group[i] = (uint32_t)i;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			uint32_t low, high;

			if (pairs[i * n + j] != SHARED || group[i] == group[j])
				continue;
			low = group[i] < group[j] ? group[i] : group[j];
			high = group[i] < group[j] ? group[j] : group[i];
			for (size_t k = 0; k < n; k++)
				group[k] = group[k] == high ? low : group[k];
			groups--;
		}
	}
	return groups;
}

/* Number the groups by their first CPU. */
static void number(uint32_t *group, size_t n, struct arena *arena)
{
	uint32_t *numbers = arena_take(arena, n, sizeof(*numbers)), next = 0;

	for (size_t i = 0; i < n; i++) {
		if (group[i] == i)
			numbers[i] = next++;
		group[i] = numbers[group[i]];
	}
}

/* The median slowdown inside groups, or between them. */
static double median_where(const struct reading *reading, size_t n,
	const uint32_t *group, bool inside, struct arena *arena)
{
	double *values =
		arena_take(arena, n * (n - 1) / 2 + 1, sizeof(*values));
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			double value = both_ways(reading->from.median,
				reading->from.n, (size_t)reading->at[i],
				(size_t)reading->at[j]);

			if ((group[i] == group[j]) == inside && !isnan(value))
				values[found++] = value;
		}
	}
	return found ? stat_median(values, found) : NAN;
}

static struct tally count_pairs(
	const unsigned char *pairs, size_t n, const uint32_t *group);

/* All pairs of a level share a cache: what kind of level has such a cache? */
static void take_kind(struct analysis_level *level, enum analysis_kind kind)
{
	if (kind == ANALYSIS_SMT)
		kinds_settle(level, kind, SIBLINGS, ANALYSIS_SHARING);
	else
		level->shares_cache |= kind == ANALYSIS_LLC;
}

/*
 * Unlike groups_find(), this needs no test against chance: noise is far smaller
 * than the slowdown of a pair that shares. But if A shares with B, and B with
 * C, then A must share with C. If it does not, CPUs moved during the run.
 */
void sharing_find(const struct result *result, const struct cpu_list *cpus,
	struct groups *groups, struct arena *arena)
{
	const struct reading reading = read_slowdowns(result, cpus, arena);
	size_t n = cpus->n;
	const unsigned char *pairs = take_pairs(&reading, n, arena);
	struct analysis_level *level = arena_take(arena, 1, sizeof(*level));
	uint32_t *group = arena_take(arena, n, sizeof(*group));
	struct tally tally;

	*groups = (struct groups){.levels = level};
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			groups->n_missing +=
				isnan(both_ways(reading.from.median,
					reading.from.n, (size_t)reading.at[i],
					(size_t)reading.at[j])) != 0;
	}
	*level = (struct analysis_level){.nested = true, .group = group};
	take_kind(level, sharing_kind(result));
	level->n_groups = join(pairs, n, group);
	/* Groups of one CPU each, or one group of all, are no level. */
	if (level->n_groups == n || level->n_groups == 1)
		return;
	number(group, n, arena);
	tally = count_pairs(pairs, n, group);
	level->inside = median_where(&reading, n, group, true, arena);
	level->between = median_where(&reading, n, group, false, arena);
	level->between_low = level->between_high = NAN;
	level->confidence = (double)tally.shared / (double)tally.inside *
			    (reading.from.low ? CERTAIN : LIKELY);
	if (level->confidence >= ANALYSIS_CERTAIN)
		groups->n_levels = 1;
	else
		groups->placement = ANALYSIS_CANNOT_TELL;
}

static struct tally count_pairs(
	const unsigned char *pairs, size_t n, const uint32_t *group)
{
	struct tally tally = {0};

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			enum share share = pairs[i * n + j];

			if (group[i] != group[j]) {
				tally.outside += share == SHARED;
				continue;
			}
			tally.unknown += share == UNKNOWN;
			tally.inside += share != UNKNOWN;
			tally.shared += share == SHARED;
		}
	}
	return tally;
}

/* The level that a witness judges; SIZE_MAX: none. */
static size_t find_level(const struct testimony *testimony)
{
	const struct analysis *analysis = testimony->analysis;
	double best_overlap = 0;
	size_t best = SIZE_MAX;

	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];
		struct tally tally = count_pairs(
			testimony->pairs, testimony->n, level->group);
		double overlap = (double)tally.shared /
				 (double)(tally.inside + tally.outside);

		if (!level->nested)
			continue;
		if (testimony->kind == ANALYSIS_SMT &&
			level->kind == ANALYSIS_SMT)
			return k;
		if (overlap >= OVERLAP_LEAST && overlap > best_overlap) {
			best_overlap = overlap;
			best = k;
		}
	}
	return best;
}

/*
 * "0,8 and 1,9 and 2 more": the pairs with this share, inside the groups or
 * between them. Without groups (NULL), every pair counts as between.
 */
static char *list_pairs(const struct testimony *testimony,
	const uint32_t *group, bool inside, enum share share)
{
	const unsigned *cpus = testimony->analysis->cpus.cpus;
	size_t n = testimony->n, found = 0;
	struct text_list list = {0};

	for (size_t j = 0; j < n; j++) {
		for (size_t i = j + 1; i < n; i++) {
			bool same = group && group[i] == group[j];

			if (testimony->pairs[i * n + j] != share ||
				same != inside)
				continue;
			if (found++ < PAIRS_SHOWN)
				text_list_add(&list, " and ", "%u,%u", cpus[j],
					cpus[i]);
		}
	}
	if (found > PAIRS_SHOWN)
		text_list_add(&list, " and ", "%zu more", found - PAIRS_SHOWN);
	return arena_adopt(testimony->arena, text_list_end(&list));
}

static const char *name_level(
	const struct analysis *analysis, size_t k, struct arena *arena)
{
	if (analysis->levels[k].kind == ANALYSIS_SMT)
		return "the SMT siblings";
	return arena_format(arena, "level %zu", k + 1);
}

static struct analysis_sharing *add_sharing(
	struct analysis *analysis, struct arena *arena)
{
	struct analysis_sharing *entry;

	analysis->sharing = arena_grow(arena, analysis->sharing,
		analysis->n_sharing, sizeof(*analysis->sharing));
	entry = &analysis->sharing[analysis->n_sharing++];
	*entry = (struct analysis_sharing){.level = SIZE_MAX};
	return entry;
}

/* Say what a difference means. */
static char *conclude(
	const struct testimony *testimony, struct analysis_sharing *entry)
{
	const char *doubt = testimony->witness->doubt;

	entry->agrees = doubt ? ANALYSIS_UNKNOWN : ANALYSIS_DISAGREES;
	entry->differs = true;
	if (!doubt)
		return arena_text(testimony->arena, "only one can be right");
	return arena_format(
		testimony->arena, "this is no contradiction, since %s", doubt);
}

/* "; 3,19 do not", "; 3,20 do, in different groups" */
static char *list_differences(const struct testimony *testimony,
	const struct tally *tally, const uint32_t *group)
{
	struct arena *arena = testimony->arena;
	const char *missing = "", *more = "";

	if (tally->shared < tally->inside)
		missing = arena_format(arena, "; %s do not",
			list_pairs(testimony, group, true, APART));
	if (tally->outside)
		more = arena_format(arena,
			"; %s do, and are in different "
			"groups",
			list_pairs(testimony, group, false, SHARED));
	return arena_format(arena, "%s%s", missing, more);
}

static void judge_level(const struct testimony *testimony, size_t k,
	struct analysis_sharing *entry)
{
	struct arena *arena = testimony->arena;
	struct analysis_level *level = &testimony->analysis->levels[k];
	const struct tally tally =
		count_pairs(testimony->pairs, testimony->n, level->group);
	const char *name = name_level(testimony->analysis, k, arena);
	const char *unknown = "";

	entry->level = k;
	entry->n_pairs = tally.inside;
	entry->n_shared = tally.shared;
	entry->n_outside = tally.outside;
	entry->n_unknown = tally.unknown;
	if (tally.unknown)
		unknown = arena_format(
			arena, "; %zu more cannot be told", tally.unknown);
	if (tally.inside == 0) {
		entry->text = arena_format(arena,
			"%s sharing says nothing of %s: it cannot tell whether "
			"any of their pairs share",
			testimony->cache, name);
	} else if (tally.shared == tally.inside && tally.outside == 0) {
		entry->agrees = ANALYSIS_AGREES;
		entry->text = arena_format(arena,
			"%s sharing confirms %s: %zu of %zu pairs%s",
			testimony->cache, name, tally.shared, tally.inside,
			unknown);
		take_kind(level, testimony->kind);
	} else {
		entry->text = arena_format(arena,
			"%s sharing differs from %s: %zu of %zu pairs "
			"share%s%s; %s",
			testimony->cache, name, tally.shared, tally.inside,
			list_differences(testimony, &tally, level->group),
			unknown, conclude(testimony, entry));
	}
}

/* The witness judges no level. */
static void judge_none(
	const struct testimony *testimony, struct analysis_sharing *entry)
{
	struct arena *arena = testimony->arena;

	entry->n_outside = testimony->n_shared;
	if (testimony->n < FEWEST_CPUS) {
		entry->text = arena_format(arena,
			"%s sharing: the two CPUs %s; a single pair has no "
			"levels to compare it with",
			testimony->cache,
			testimony->n_shared ? "share"
			: count_of(testimony->pairs, testimony->n, UNKNOWN)
				? "may or may not share, since their value "
				  "cannot tell"
				: "do not share");
	} else if (testimony->n_shared ==
		   testimony->n * (testimony->n - 1) / 2) {
		entry->text = arena_format(arena,
			"%s sharing: all CPUs share it", testimony->cache);
	} else if (testimony->n_shared > 0) {
		entry->text = arena_format(arena,
			"%s sharing shows groups that the levels do not have: "
			"%s share; %s",
			testimony->cache,
			list_pairs(testimony, NULL, false, SHARED),
			conclude(testimony, entry));
	} else if (testimony->kind == ANALYSIS_SMT) {
		entry->agrees = ANALYSIS_AGREES;
		entry->text = arena_format(arena,
			"%s sharing finds no SMT siblings either",
			testimony->cache);
	} else {
		entry->text = arena_format(arena,
			"%s sharing says nothing: no CPU slows another one "
			"down, so either none share that cache or it is larger "
			"than its size in the record",
			testimony->cache);
	}
}

static void judge(struct analysis *analysis,
	const struct sharing_witness *witness, struct arena *arena)
{
	struct testimony testimony = {
		.analysis = analysis,
		.witness = witness,
		.arena = arena,
		.n = analysis->cpus.n,
		.kind = sharing_kind(witness->result),
		.cache = sharing_cache_name(witness->result, arena),
	};
	struct analysis_sharing *entry = add_sharing(analysis, arena);
	struct reading reading;
	size_t k;

	entry->source = arena_text(arena, witness->source);
	entry->cache = arena_text(arena, testimony.cache);
	reading = read_slowdowns(witness->result, &analysis->cpus, arena);
	testimony.pairs = take_pairs(&reading, testimony.n, arena);
	testimony.n_shared = count_of(testimony.pairs, testimony.n, SHARED);
	k = find_level(&testimony);
	if (k == SIZE_MAX)
		judge_none(&testimony, entry);
	else
		judge_level(&testimony, k, entry);
}

/* Levels that no witness judged. */
static void add_unjudged(struct analysis *analysis, struct arena *arena)
{
	for (size_t k = 0; k < analysis->n_levels; k++) {
		struct analysis_sharing *entry;
		size_t i = 0;

		while (i < analysis->n_sharing &&
			analysis->sharing[i].level != k)
			i++;
		if (i < analysis->n_sharing || !analysis->levels[k].nested)
			continue;
		entry = add_sharing(analysis, arena);
		entry->level = k;
		entry->text = arena_format(arena,
			"no file says whether the CPUs of %s share a cache "
			"(measure 'c2c cache --shared LEVEL')",
			name_level(analysis, k, arena));
	}
}

void sharing_judge(struct analysis *analysis,
	const struct sharing_witness *witnesses, size_t n, struct arena *arena)
{
	for (size_t i = 0; i < n; i++)
		judge(analysis, &witnesses[i], arena);
	if (n > 0)
		add_unjudged(analysis, arena);
}

/* "0,16 and 1,17 and 14 more" */
static char *list_groups(const struct cpu_list *cpus,
	const struct analysis_level *level, struct arena *arena)
{
	const struct analysis analysis = {.cpus = *cpus};
	struct text_list list = {0};
	size_t found = 0;

	for (uint32_t g = 0; g < level->n_groups; g++) {
		const char *members =
			analysis_list(&analysis, level->group, g, arena);

		/* A CPU alone is no group. */
		if (members[strspn(members, "0123456789")] &&
			found++ < PAIRS_SHOWN)
			text_list_add(&list, " and ", "%s", members);
	}
	if (found > PAIRS_SHOWN)
		text_list_add(&list, " and ", "%zu more", found - PAIRS_SHOWN);
	return arena_adopt(arena, text_list_end(&list));
}

/*
 * Which groups share the cache, if some pairs do. apart: some pairs do not.
 * NULL: the pairs that share form no groups.
 */
static const char *tell_groups(
	const struct result *result, bool apart, struct arena *arena)
{
	struct groups groups;

	sharing_find(result, &result->cpus, &groups, arena);
	if (groups.levels->n_groups == 1 && !apart)
		return "all CPUs share it";
	if (groups.n_levels == 0)
		return NULL;
	return arena_format(arena, "the CPUs %s share it",
		list_groups(&result->cpus, groups.levels, arena));
}

char *sharing_verdict(const struct result *result, struct arena *arena)
{
	const struct reading reading =
		read_slowdowns(result, &result->cpus, arena);
	size_t n = result->cpus.n, all = n * (n - 1) / 2;
	const unsigned char *pairs = take_pairs(&reading, n, arena);
	size_t shared = count_of(pairs, n, SHARED);
	size_t unknown = count_of(pairs, n, UNKNOWN);
	const char *told, *more = "";

	if (unknown == all)
		told = arena_format(arena,
			"it cannot be told who shares it: every pair has fewer "
			"than six passes, or an interval that contains %g; "
			"measure it again with --passes 6 or more",
			SHARE_LEAST);
	else if (shared == all)
		told = n == 2 ? "the two CPUs share it" : "all CPUs share it";
	else if (shared == 0)
		told = n == 2 ? "the two CPUs do not share it"
			      : "no pair of CPUs shares it";
	else
		told = tell_groups(result, shared + unknown < all, arena);
	if (!told)
		told = arena_format(arena,
			"%zu of %zu pairs share it, but they form no groups, "
			"as if CPUs had moved during the run",
			shared, all);
	if (unknown < all && shared == 0 &&
		sharing_kind(result) != ANALYSIS_SMT)
		more = ", unless it is larger than the record says";
	if (unknown > 0 && unknown < all)
		more = arena_format(arena,
			"%s; %zu of %zu pairs cannot be told", more, unknown,
			all);
	return arena_format(arena, "%s sharing: %s%s",
		sharing_cache_name(result, arena), told, more);
}

static bool is_pair(
	const unsigned char *pairs, size_t n, size_t i, size_t j, enum share is)
{
	return i != j && pairs[i > j ? i * n + j : j * n + i] == is;
}

/* Whether it does not share with somebody of a group. */
static bool is_apart(const unsigned char *pairs, size_t n,
	const uint32_t *group, uint32_t from, size_t i)
{
	for (size_t j = 0; j < n; j++) {
		if (group[j] == from && is_pair(pairs, n, i, j, APART))
			return true;
	}
	return false;
}

void sharing_circle_of(const struct result *result, unsigned cpu,
	struct sharing_circle *circle, struct arena *arena)
{
	const struct cpu_list *cpus = &result->cpus;
	const struct reading reading = read_slowdowns(result, cpus, arena);
	size_t n = cpus->n, at = (size_t)cpu_list_find(cpus, cpu);
	size_t shared = 0, apart = 0;
	const unsigned char *pairs = take_pairs(&reading, n, arena);
	uint32_t *group = arena_take(arena, n, sizeof(*group));
	unsigned *members = arena_take(arena, n, sizeof(*members));
	unsigned *unknown = arena_take(arena, n, sizeof(*unknown));

	*circle = (struct sharing_circle){{members, 0}, {unknown, 0},
		.anybody = count_of(pairs, n, SHARED) > 0};
	join(pairs, n, group);
	for (size_t i = 0; i < n; i++) {
		if (group[i] != group[at]) {
			if (!is_apart(pairs, n, group, group[at], i))
				unknown[circle->unknown.n++] = cpus->cpus[i];
			continue;
		}
		members[circle->members.n++] = cpus->cpus[i];
		for (size_t j = 0; j < i; j++) {
			bool inside = group[j] == group[at];

			shared += inside && is_pair(pairs, n, i, j, SHARED);
			apart += inside && is_pair(pairs, n, i, j, APART);
		}
	}
	circle->holds =
		(double)shared >= ANALYSIS_CERTAIN * (double)(shared + apart);
	cpu_list_sort(&circle->members);
	cpu_list_sort(&circle->unknown);
}
