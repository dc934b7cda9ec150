/*
 * Judges whether values agree with a topology: yes, no or unknown. Values
 * without levels do not prove agreement.
 *
 * Values agree if a division of the topology is a level, and nothing
 * contradicts the other divisions. If the topology has no divisions, values
 * without levels agree only if levels would be visible: on real hardware, among
 * CPUs as near as CPUs that share a cache.
 */
#include "analyze/topology_verdict.h"

#include <math.h>

#include "analyze/analyze.h"

/* Fewest CPUs that can show a level. */
#define FEWEST_SIMILAR 4

/* Largest value / smallest value if all CPUs are alike. */
#define SIMILAR_RATIO_MAX 2

struct levels_verdict {
	bool agrees;
	const struct analysis_level *uncertain; /* NULL: none */
};

static struct levels_verdict collect_level_verdict(
	const struct analysis *analysis)
{
	struct levels_verdict verdict = {0};

	for (size_t k = 0; analysis->compared && k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];

		verdict.agrees |= level->agrees == ANALYSIS_AGREES;
		if (level->agrees == ANALYSIS_UNKNOWN && level->nested)
			verdict.uncertain = level;
	}
	return verdict;
}

/* Judge the whole run, or its epochs if CPUs moved. */
static struct levels_verdict collect_run_verdict(
	const struct analysis *analysis)
{
	struct levels_verdict verdict = collect_level_verdict(analysis);

	if (analysis->placement == ANALYSIS_STABLE)
		return verdict;
	verdict = (struct levels_verdict){0};
	for (size_t k = 0; k < analysis->n_epochs; k++) {
		struct levels_verdict one =
			collect_level_verdict(analysis->epochs[k].found);

		verdict.agrees |= one.agrees;
		if (one.uncertain)
			verdict.uncertain = one.uncertain;
	}
	return verdict;
}

/* Return a level that may exist but is not in the topology, or NULL. */
static const struct analysis_level *find_unreported_level(
	const struct analysis *analysis)
{
	for (size_t k = 0; k < analysis->n_perhaps; k++) {
		/* No topology has a group around the home node of the lines. */
		if (analysis->perhaps[k].nested &&
			analysis->perhaps[k].agrees != ANALYSIS_AGREES)
			return &analysis->perhaps[k];
	}
	return NULL;
}

/* Return why values without levels do not agree; NULL if they agree. */
static const char *explain_no_levels(
	const struct analysis *analysis, bool is_virtual, struct arena *arena)
{
	if (analysis->placement != ANALYSIS_STABLE)
		return "no epoch shows groups";
	if (analysis->cpus.n == 2)
		return "two CPUs are a single pair, which cannot be compared "
		       "with others";
	if (analysis->n_unseen > 0)
		return "the values show no groups, and neither confirm nor "
		       "contradict the groups of the topology";
	if (analysis->cpus.n < FEWEST_SIMILAR)
		return "three CPUs are too few to show groups";
	if (isnan(analysis->least_ns))
		return "the values show no groups, but only latencies in a "
		       "known unit can prove this";
	if (analysis->least_ns > ANALYSIS_CACHE_NS)
		return arena_format(arena,
			"the topology puts all CPUs together, but their "
			"latencies are at least %.3g ns, more than usual for "
			"CPUs that share a cache (up to %d ns)",
			analysis->least_ns, ANALYSIS_CACHE_NS);
	if (is_virtual)
		return "the values show no groups, but a virtual machine may "
		       "hide groups: the host moves vCPUs";
	if (!(analysis->ratio <= SIMILAR_RATIO_MAX))
		return arena_format(arena,
			"the values show no groups, but the largest value is "
			"%.3g times the smallest",
			analysis->ratio);
	return NULL;
}

void topology_verdict_find(
	struct analysis *analysis, bool is_virtual, struct arena *arena)
{
	const struct levels_verdict verdict = collect_run_verdict(analysis);
	const char *why = NULL;
	bool disagrees = analysis->n_disagreements > 0;

	for (size_t k = 0; k < analysis->n_sharing; k++)
		disagrees |= analysis->sharing[k].agrees == ANALYSIS_DISAGREES;
	if (disagrees) {
		analysis->verdict = ANALYSIS_VERDICT_DISAGREES;
		return;
	}
	if (!analysis->compared)
		why = analysis_placement_doubt(analysis->placement);
	else if (verdict.uncertain)
		why = arena_format(arena,
			"the level of %zu groups is not in the topology, but "
			"its confidence is only %.2f",
			verdict.uncertain->n_groups,
			analysis_confidence(verdict.uncertain->confidence));
	else if (find_unreported_level(analysis))
		why = arena_format(arena,
			"perhaps the CPUs have a level of %zu groups, which is "
			"not in the topology",
			find_unreported_level(analysis)->n_groups);
	else if (!verdict.agrees)
		why = explain_no_levels(analysis, is_virtual, arena);
	analysis->verdict =
		why ? ANALYSIS_VERDICT_CANNOT_TELL : ANALYSIS_VERDICT_AGREES;
	analysis->unknown_reason = why ? arena_strdup(arena, why) : NULL;
}
