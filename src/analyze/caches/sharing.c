/*
 * Two CPUs share a cache if they slow each other down by SHARE_LEAST or more
 * while both use most of it.
 *
 * A pair is unknown if its interval contains SHARE_LEAST, or if it has no
 * interval because it has fewer than six passes.
 *
 * A witness is a run of c2c cache --shared, which checks one level of another
 * run. A run on L1 checks the SMT siblings, because only siblings share an L1.
 * A run on a larger cache checks the level with which it has the most pairs in
 * common. The witness confirms the level if all pairs inside the groups share
 * the cache, and no pair between groups shares it. The witness says nothing
 * about other levels, whose CPUs share another cache or none.
 *
 * A difference is a contradiction only if both runs saw the same placement. On
 * a virtual machine the host may have moved vCPUs between the runs.
 */
#include "analyze/caches/sharing.h"

#include <math.h>

#include "analyze/analyze.h"
#include "analyze/kinds.h"
#include "analyze/nearest.h"
#include "probe/probe_share.h"
#include "stat/stat.h"
#include "util/text.h"

/* Bytes: the largest L1 of a core with SMT siblings, and the smallest L2. */
#define SIBLINGS_BYTES (128 << 10)

/* Least share of pairs that a witness has in common with its level. */
#define OVERLAP_LEAST 0.5

/* Confidence in groups from pairs with intervals, and without intervals. */
#define CERTAIN_CONFIDENCE 0.99
#define LIKELY_CONFIDENCE  0.9

/* Confidence that CPUs are siblings if their shared cache is as small as L1. */
#define SIBLINGS_CONFIDENCE 0.97

#define FEWEST_CPUS 3

/* Largest number of pairs that a text lists. */
#define PAIRS_SHOWN 4

enum pair_share {
	PAIR_APART,
	PAIR_SHARED,
	PAIR_UNKNOWN,
};

struct sharing_context {
	struct analysis *analysis;
	const struct sharing_evidence *evidence;
	struct arena *arena;
	size_t n;
	const unsigned char *pairs; /* see classify_pairs() */
	size_t n_shared;	    /* pairs that share */
	enum analysis_kind kind;
	const char *cache; /* "L1", "2 MiB", or "cache" */
};

struct sharing_tally {
	size_t inside, shared; /* known pairs inside groups, sharing ones */
	size_t outside;	       /* sharing pairs between groups */
	size_t unknown;	       /* unknown pairs inside groups */
};

bool sharing_has_slowdowns(const struct result *result)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);

	return matrix && matrix_is_slowdown(matrix);
}

double sharing_cache_bytes(const struct result *result)
{
	return facts_number(&result->options, "shared_bytes");
}

/*
 * Return the kind of the groups that share the cache of a result: SMT siblings
 * for an L1 (only siblings share it), else CPUs that share a larger cache.
 * ANALYSIS_GROUP if the size of the cache is unknown.
 */
static enum analysis_kind sharing_kind(const struct result *result)
{
	double bytes = sharing_cache_bytes(result);

	if (!(bytes > 0))
		return ANALYSIS_GROUP;
	return bytes < SIBLINGS_BYTES ? ANALYSIS_SMT : ANALYSIS_LLC;
}

char *sharing_cache_name(const struct result *result, struct arena *arena)
{
	const char *named = facts_text(&result->options, "shared");
	double bytes = sharing_cache_bytes(result);
	char size[TEXT_SIZE_BYTES];

	if (named && (named[0] == 'L' || named[0] == 'l') && named[1])
		return arena_format(arena, "L%s", named + 1);
	if (bytes > 0 && bytes < 1e15)
		return arena_format(
			arena, "%s", text_size((uint64_t)bytes, size));
	return arena_strdup(arena, "cache");
}

/* The slowdowns of a witness, and where it has the CPUs of an analysis. */
struct mapped_slowdowns {
	size_t n; /* CPUs of the witness */
	const struct matrix *median;
	const struct matrix *low, *high; /* intervals, or NULL */
	const long *at; /* [n] indexes in the witness; -1: no such CPU */
};

static double mapped_slowdown(
	const struct mapped_slowdowns *mapped, size_t i, size_t j)
{
	return nearest_matrix_value(mapped->median, mapped->n,
		(size_t)mapped->at[i], (size_t)mapped->at[j]);
}

static struct mapped_slowdowns read_slowdowns(const struct result *result,
	const struct cpu_list *cpus, struct arena *arena)
{
	const struct matrix *median = result_find_matrix(result, NULL, NULL);
	long *at = arena_alloc(arena, cpus->n, sizeof(*at));

	for (size_t i = 0; i < cpus->n; i++)
		at[i] = cpu_list_find(&result->cpus, cpus->cpus[i]);
	return (struct mapped_slowdowns){result->cpus.n, median,
		result_find_matrix(result, median->name, "ci_low"),
		result_find_matrix(result, median->name, "ci_high"), at};
}

static enum pair_share classify_pair(
	const struct mapped_slowdowns *mapped, long i, long j)
{
	size_t n = mapped->n, a = (size_t)i, b = (size_t)j;
	double value, low, high;

	if (i < 0 || j < 0)
		return PAIR_UNKNOWN;
	value = nearest_matrix_value(mapped->median, n, a, b);
	low = nearest_matrix_value(mapped->low, n, a, b);
	high = nearest_matrix_value(mapped->high, n, a, b);
	if (isnan(value) || (mapped->low && isnan(low)) ||
		(low < SHARE_LEAST && high > SHARE_LEAST))
		return PAIR_UNKNOWN;
	return value >= SHARE_LEAST ? PAIR_SHARED : PAIR_APART;
}

/* Return the enum pair_share of each pair, [n * n]; only i > j is filled. */
static unsigned char *classify_pairs(
	const struct mapped_slowdowns *mapped, size_t n, struct arena *arena)
{
	unsigned char *pairs = arena_alloc(arena, n * n, 1);

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			pairs[i * n + j] = (unsigned char)classify_pair(
				mapped, mapped->at[i], mapped->at[j]);
	}
	return pairs;
}

static size_t count_pairs_with(
	const unsigned char *pairs, size_t n, enum pair_share share)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			found += pairs[i * n + j] == share;
	}
	return found;
}

/* Merge the groups of CPUs that share the cache; return the number left. */
static size_t join_sharing_cpus(
	const unsigned char *pairs, size_t n, uint32_t *group)
{
	size_t groups = n;

	for (size_t i = 0; i < n; i++)
		group[i] = (uint32_t)i;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			uint32_t low, high;

			if (pairs[i * n + j] != PAIR_SHARED ||
				group[i] == group[j])
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

static void number_sharing_groups(
	uint32_t *group, size_t n, struct arena *arena)
{
	uint32_t *numbers = arena_alloc(arena, n, sizeof(*numbers)), next = 0;

	for (size_t i = 0; i < n; i++) {
		if (group[i] == i)
			numbers[i] = next++;
		group[i] = numbers[group[i]];
	}
}

static double median_slowdown_where(const struct mapped_slowdowns *mapped,
	size_t n, const uint32_t *group, bool inside, struct arena *arena)
{
	double *values =
		arena_alloc(arena, n * (n - 1) / 2 + 1, sizeof(*values));
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			double value = mapped_slowdown(mapped, i, j);

			if ((group[i] == group[j]) == inside && !isnan(value))
				values[found++] = value;
		}
	}
	return found ? stat_median(values, found) : NAN;
}

static struct sharing_tally tally_group_pairs(
	const unsigned char *pairs, size_t n, const uint32_t *group)
{
	struct sharing_tally tally = {0};

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			enum pair_share share = pairs[i * n + j];

			if (group[i] != group[j]) {
				tally.outside += share == PAIR_SHARED;
				continue;
			}
			tally.unknown += share == PAIR_UNKNOWN;
			tally.inside += share != PAIR_UNKNOWN;
			tally.shared += share == PAIR_SHARED;
		}
	}
	return tally;
}

/* Set the kind of a level if all its pairs share a cache of this kind. */
static void set_kind_from_sharing(
	struct analysis_level *level, enum analysis_kind kind)
{
	if (kind == ANALYSIS_SMT)
		kinds_set_known(
			level, kind, SIBLINGS_CONFIDENCE, ANALYSIS_SHARING);
	else
		level->shares_cache |= kind == ANALYSIS_LLC;
}

/*
 * Unlike groups_find(), this needs no test against chance: noise is far smaller
 * than the slowdown of a pair that shares. But if CPUs moved during the run, A
 * may share with B, and B with C, while A does not share with C.
 */
void sharing_find(const struct result *result, const struct cpu_list *cpus,
	struct groups *groups, struct arena *arena)
{
	const struct mapped_slowdowns mapped =
		read_slowdowns(result, cpus, arena);
	size_t n = cpus->n;
	const unsigned char *pairs = classify_pairs(&mapped, n, arena);
	struct analysis_level *level = arena_alloc(arena, 1, sizeof(*level));
	uint32_t *group = arena_alloc(arena, n, sizeof(*group));
	struct sharing_tally tally;

	*groups = (struct groups){.levels = level};
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++)
			groups->n_missing +=
				isnan(mapped_slowdown(&mapped, i, j)) != 0;
	}
	*level = (struct analysis_level){.nested = true, .group = group};
	set_kind_from_sharing(level, sharing_kind(result));
	level->n_groups = join_sharing_cpus(pairs, n, group);
	/* Groups of one CPU each, or one group of all CPUs, are no level. */
	if (level->n_groups == n || level->n_groups == 1)
		return;
	number_sharing_groups(group, n, arena);
	tally = tally_group_pairs(pairs, n, group);
	level->inside = median_slowdown_where(&mapped, n, group, true, arena);
	level->between = median_slowdown_where(&mapped, n, group, false, arena);
	level->between_low = level->between_high = NAN;
	level->confidence =
		(double)tally.shared / (double)tally.inside *
		(mapped.low ? CERTAIN_CONFIDENCE : LIKELY_CONFIDENCE);
	if (level->confidence >= ANALYSIS_CERTAIN)
		groups->n_levels = 1;
	else
		groups->placement = ANALYSIS_CANNOT_TELL;
}

/* Return the level that a witness checks, or SIZE_MAX. */
static size_t find_evidence_level(const struct sharing_context *context)
{
	const struct analysis *analysis = context->analysis;
	double best_overlap = 0;
	size_t best = SIZE_MAX;

	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];
		struct sharing_tally tally = tally_group_pairs(
			context->pairs, context->n, level->group);
		double overlap = (double)tally.shared /
				 (double)(tally.inside + tally.outside);

		if (!level->nested)
			continue;
		if (context->kind == ANALYSIS_SMT &&
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
 * List the pairs with this share, inside or between groups: "0,8 and 1,9 and 2
 * more". If group is NULL, every pair is between groups.
 */
static char *format_pairs_with(const struct sharing_context *context,
	const uint32_t *group, bool inside, enum pair_share share)
{
	const unsigned *cpus = context->analysis->cpus.cpus;
	size_t n = context->n, found = 0;
	struct text_list list = {0};

	for (size_t j = 0; j < n; j++) {
		for (size_t i = j + 1; i < n; i++) {
			bool same = group && group[i] == group[j];

			if (context->pairs[i * n + j] != share ||
				same != inside)
				continue;
			if (found++ < PAIRS_SHOWN)
				text_list_add(&list, " and ", "%u,%u", cpus[j],
					cpus[i]);
		}
	}
	if (found > PAIRS_SHOWN)
		text_list_add(&list, " and ", "%zu more", found - PAIRS_SHOWN);
	return arena_adopt(context->arena, text_list_end(&list));
}

static const char *format_level_name(
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

static char *explain_sharing_difference(
	const struct sharing_context *context, struct analysis_sharing *entry)
{
	const char *caveat = context->evidence->caveat;

	entry->agrees = caveat ? ANALYSIS_UNKNOWN : ANALYSIS_DISAGREES;
	entry->differs = true;
	if (!caveat)
		return arena_strdup(context->arena, "only one can be right");
	return arena_format(
		context->arena, "this is no contradiction, since %s", caveat);
}

/* Return texts like "; 3,19 do not" and "; 3,20 share it, but ...". */
static char *format_sharing_differences(const struct sharing_context *context,
	const struct sharing_tally *tally, const uint32_t *group)
{
	struct arena *arena = context->arena;
	const char *missing = "", *more = "";

	if (tally->shared < tally->inside)
		missing = arena_format(arena, "; %s do not",
			format_pairs_with(context, group, true, PAIR_APART));
	if (tally->outside)
		more = arena_format(arena,
			"; %s share it, but are in different groups",
			format_pairs_with(context, group, false, PAIR_SHARED));
	return arena_format(arena, "%s%s", missing, more);
}

static void check_sharing_level(const struct sharing_context *context, size_t k,
	struct analysis_sharing *entry)
{
	struct arena *arena = context->arena;
	struct analysis_level *level = &context->analysis->levels[k];
	const struct sharing_tally tally =
		tally_group_pairs(context->pairs, context->n, level->group);
	const char *name = format_level_name(context->analysis, k, arena);
	const char *unknown = "";

	entry->level = k;
	entry->n_pairs = tally.inside;
	entry->n_shared = tally.shared;
	entry->n_outside = tally.outside;
	entry->n_unknown = tally.unknown;
	if (tally.unknown)
		unknown = arena_format(
			arena, "; %zu more are undecided", tally.unknown);
	if (tally.inside == 0) {
		entry->text = arena_format(arena,
			"%s sharing does not decide about %s: all their pairs "
			"are undecided",
			context->cache, name);
	} else if (tally.shared == tally.inside && tally.outside == 0) {
		entry->agrees = ANALYSIS_AGREES;
		entry->text = arena_format(arena,
			"%s sharing confirms %s: %zu of %zu pairs%s",
			context->cache, name, tally.shared, tally.inside,
			unknown);
		set_kind_from_sharing(level, context->kind);
	} else {
		entry->text = arena_format(arena,
			"%s sharing differs from %s: %zu of %zu pairs "
			"share%s%s; %s",
			context->cache, name, tally.shared, tally.inside,
			format_sharing_differences(
				context, &tally, level->group),
			unknown, explain_sharing_difference(context, entry));
	}
}

static void check_without_level(
	const struct sharing_context *context, struct analysis_sharing *entry)
{
	struct arena *arena = context->arena;

	entry->n_outside = context->n_shared;
	if (context->n < FEWEST_CPUS) {
		bool decided = !count_pairs_with(
			context->pairs, context->n, PAIR_UNKNOWN);

		entry->text = arena_format(arena,
			"%s sharing: the two CPUs %s%s", context->cache,
			!decided	    ? "may or may not share it, "
					      "because their value is undecided"
			: context->n_shared ? "share it"
					    : "do not share it",
			!decided || context->kind != ANALYSIS_SMT ? ""
			: context->n_shared ? ", as SMT siblings do"
					    : ", so they are not SMT siblings "
					      "in that run");
	} else if (context->n_shared == context->n * (context->n - 1) / 2) {
		entry->text = arena_format(arena,
			"%s sharing: all CPUs share the cache", context->cache);
	} else if (context->n_shared > 0) {
		entry->text = arena_format(arena,
			"%s sharing shows groups that the levels do not have: "
			"%s share; %s",
			context->cache,
			format_pairs_with(context, NULL, false, PAIR_SHARED),
			explain_sharing_difference(context, entry));
	} else if (context->kind == ANALYSIS_SMT) {
		entry->agrees = ANALYSIS_AGREES;
		entry->text = arena_format(arena,
			"%s sharing also shows no SMT siblings",
			context->cache);
	} else {
		entry->text = arena_format(arena,
			"%s sharing is undecided: no CPU slows another CPU "
			"down, so they do not share that cache, or the cache "
			"is larger than its size in the record",
			context->cache);
	}
}

static void check_sharing_evidence(struct analysis *analysis,
	const struct sharing_evidence *evidence, struct arena *arena)
{
	struct sharing_context context = {
		.analysis = analysis,
		.evidence = evidence,
		.arena = arena,
		.n = analysis->cpus.n,
		.kind = sharing_kind(evidence->result),
		.cache = sharing_cache_name(evidence->result, arena),
	};
	struct analysis_sharing *entry = add_sharing(analysis, arena);
	struct mapped_slowdowns mapped;
	size_t k;

	entry->source = arena_strdup(arena, evidence->source);
	entry->cache = arena_strdup(arena, context.cache);
	mapped = read_slowdowns(evidence->result, &analysis->cpus, arena);
	context.pairs = classify_pairs(&mapped, context.n, arena);
	context.n_shared =
		count_pairs_with(context.pairs, context.n, PAIR_SHARED);
	k = find_evidence_level(&context);
	if (k == SIZE_MAX)
		check_without_level(&context, entry);
	else
		check_sharing_level(&context, k, entry);
}

static void add_unchecked_levels(struct analysis *analysis, struct arena *arena)
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
			"no file shows whether the CPUs of %s share a cache "
			"(measure 'c2c cache --shared LEVEL')",
			format_level_name(analysis, k, arena));
	}
}

void sharing_check_levels(struct analysis *analysis,
	const struct sharing_evidence *evidence, size_t n, struct arena *arena)
{
	for (size_t i = 0; i < n; i++)
		check_sharing_evidence(analysis, &evidence[i], arena);
	if (n > 0)
		add_unchecked_levels(analysis, arena);
}

/*
 * Return which groups share the cache if some pairs do; NULL if the pairs form
 * no groups. apart: some pairs do not share the cache.
 */
static const char *format_who_shares(
	const struct result *result, bool apart, struct arena *arena)
{
	const struct analysis analysis = {.cpus = result->cpus};
	struct groups groups;

	sharing_find(result, &result->cpus, &groups, arena);
	if (groups.levels->n_groups == 1 && !apart)
		return "all CPUs share the cache";
	if (groups.n_levels == 0)
		return NULL;
	return arena_format(arena, "the CPUs %s share it",
		analysis_list_groups(&analysis, groups.levels->group, arena));
}

char *sharing_verdict(const struct result *result, struct arena *arena)
{
	const struct mapped_slowdowns mapped =
		read_slowdowns(result, &result->cpus, arena);
	size_t n = result->cpus.n, all = n * (n - 1) / 2;
	const unsigned char *pairs = classify_pairs(&mapped, n, arena);
	size_t shared = count_pairs_with(pairs, n, PAIR_SHARED);
	size_t unknown = count_pairs_with(pairs, n, PAIR_UNKNOWN);
	const char *verdict, *more = "";

	if (unknown == all)
		verdict = arena_format(arena,
			"c2c cannot tell which CPUs share the cache: every "
			"pair has fewer than six passes, or an interval that "
			"contains %g; measure again with --passes 6 or more",
			SHARE_LEAST);
	else if (shared == all)
		verdict = n == 2 ? "the two CPUs share the cache"
				 : "all CPUs share the cache";
	else if (shared == 0)
		verdict = n == 2 ? "the two CPUs do not share the cache"
				 : "no pair of CPUs shares the cache";
	else
		verdict = format_who_shares(
			result, shared + unknown < all, arena);
	if (!verdict)
		verdict = arena_format(arena,
			"%zu of %zu pairs share the cache, but form no groups, "
			"as if CPUs had moved during the run",
			shared, all);
	if (unknown < all && shared == 0 &&
		sharing_kind(result) != ANALYSIS_SMT)
		more = ", unless the cache is larger than its size in the "
		       "record";
	if (unknown > 0 && unknown < all)
		more = arena_format(arena, "%s; %zu of %zu pairs are undecided",
			more, unknown, all);
	return arena_format(arena, "%s sharing: %s%s",
		sharing_cache_name(result, arena), verdict, more);
}

static bool pair_has_share(const unsigned char *pairs, size_t n, size_t i,
	size_t j, enum pair_share share)
{
	return i != j && pairs[i > j ? i * n + j : j * n + i] == share;
}

/* Whether a member of a group does not share the cache with CPU i. */
static bool is_apart_from_group(const unsigned char *pairs, size_t n,
	const uint32_t *group, uint32_t from, size_t i)
{
	for (size_t j = 0; j < n; j++) {
		if (group[j] == from &&
			pair_has_share(pairs, n, i, j, PAIR_APART))
			return true;
	}
	return false;
}

void sharing_find_sharers(const struct result *result, unsigned cpu,
	struct cache_sharers *sharers, struct arena *arena)
{
	const struct cpu_list *cpus = &result->cpus;
	const struct mapped_slowdowns mapped =
		read_slowdowns(result, cpus, arena);
	size_t n = cpus->n, at = (size_t)cpu_list_find(cpus, cpu);
	size_t shared = 0, apart = 0;
	const unsigned char *pairs = classify_pairs(&mapped, n, arena);
	uint32_t *group = arena_alloc(arena, n, sizeof(*group));
	unsigned *members = arena_alloc(arena, n, sizeof(*members));
	unsigned *unknown = arena_alloc(arena, n, sizeof(*unknown));

	*sharers = (struct cache_sharers){{members, 0}, {unknown, 0},
		.any_shared = count_pairs_with(pairs, n, PAIR_SHARED) > 0};
	join_sharing_cpus(pairs, n, group);
	for (size_t i = 0; i < n; i++) {
		if (group[i] != group[at]) {
			if (!is_apart_from_group(pairs, n, group, group[at], i))
				unknown[sharers->unknown.n++] = cpus->cpus[i];
			continue;
		}
		members[sharers->members.n++] = cpus->cpus[i];
		for (size_t j = 0; j < i; j++) {
			bool inside = group[j] == group[at];

			shared += inside &&
				  pair_has_share(pairs, n, i, j, PAIR_SHARED);
			apart += inside &&
				 pair_has_share(pairs, n, i, j, PAIR_APART);
		}
	}
	sharers->consistent =
		(double)shared >= ANALYSIS_CERTAIN * (double)(shared + apart);
	cpu_list_sort(&sharers->members);
	cpu_list_sort(&sharers->unknown);
}
