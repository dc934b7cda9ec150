/*
 * Whether numbers agree with a topology. There are three answers: silence of
 * the numbers is no agreement.
 *
 * They agree if a division of the topology is a level, and nothing speaks
 * against the rest. If the topology has no division, numbers without levels
 * agree, too, but only where these would show: on hardware, among CPUs that are
 * as near as CPUs that share a cache.
 */
#include "analyze/topology_verdict.h"

#include <math.h>

#include "analyze/analyze.h"

/* Of fewer CPUs without levels, hardly any could have shown one. */
#define FEWEST_ALIKE 4

/* The largest value of CPUs that are all alike, as a multiple of the least. */
#define MOST_ALIKE 2

static bool disagrees(const struct analysis *analysis)
{
	bool found = analysis->n_disagreements > 0;

	for (size_t k = 0; k < analysis->n_sharing; k++)
		found |= analysis->sharing[k].agrees == ANALYSIS_DISAGREES;
	return found;
}

/* What the levels say: one agrees, or one differs and is too uncertain. */
struct voice {
	bool agrees;
	const struct analysis *doubted; /* NULL: nothing */
	size_t level;
};

static struct voice hear_levels(const struct analysis *analysis)
{
	struct voice voice = {0};

	for (size_t k = 0; analysis->compared && k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];

		voice.agrees |= level->agrees == ANALYSIS_AGREES;
		if (level->agrees != ANALYSIS_UNKNOWN || !level->nested)
			continue;
		voice.doubted = analysis;
		voice.level = k;
	}
	return voice;
}

/* Of the whole run, or of its epochs if CPUs moved. */
static struct voice hear_all(const struct analysis *analysis)
{
	struct voice voice = hear_levels(analysis);

	if (analysis->placement == ANALYSIS_STABLE)
		return voice;
	voice = (struct voice){0};
	for (size_t k = 0; k < analysis->n_epochs; k++) {
		struct voice one = hear_levels(analysis->epochs[k].found);

		voice.agrees |= one.agrees;
		if (!one.doubted)
			continue;
		voice.doubted = one.doubted;
		voice.level = one.level;
	}
	return voice;
}

/* A level that may be there and is not in the topology; or NULL. */
static const struct analysis_level *find_hint(const struct analysis *analysis)
{
	for (size_t k = 0; k < analysis->n_perhaps; k++) {
		/* A home of lines is in no topology. */
		if (analysis->perhaps[k].nested &&
			analysis->perhaps[k].agrees != ANALYSIS_AGREES)
			return &analysis->perhaps[k];
	}
	return NULL;
}

/* Why no levels do not agree with no divisions; NULL if they do. */
static const char *doubt_alike(
	const struct analysis *analysis, bool is_virtual, struct arena *arena)
{
	if (analysis->placement != ANALYSIS_STABLE)
		return "no epoch shows groups";
	if (analysis->cpus.n == 2)
		return "two CPUs are a single pair, and there is nothing to "
		       "compare it with";
	if (analysis->n_unseen > 0)
		return "the numbers show no groups, and neither confirm nor "
		       "deny those of the topology";
	if (analysis->cpus.n < FEWEST_ALIKE)
		return "three CPUs are too few to show groups";
	if (isnan(analysis->least_ns))
		return "the numbers show no groups, and only a latency in a "
		       "known unit tells that there are none";
	if (analysis->least_ns > ANALYSIS_CACHE_NS)
		return arena_format(arena,
			"the topology puts all CPUs together, and they are at "
			"least %.3g ns apart, which is more than CPUs that "
			"share a cache mostly take (up to %d ns)",
			analysis->least_ns, ANALYSIS_CACHE_NS);
	if (is_virtual)
		return "the numbers show no groups, and a virtual machine may "
		       "hide them: the host moves vCPUs";
	if (!(analysis->ratio <= MOST_ALIKE))
		return arena_format(arena,
			"the numbers show no groups, but the largest is %.3g "
			"times the smallest",
			analysis->ratio);
	return NULL;
}

void verdict_find(
	struct analysis *analysis, bool is_virtual, struct arena *arena)
{
	const struct voice voice = hear_all(analysis);
	const char *why = NULL;

	if (disagrees(analysis)) {
		analysis->verdict = ANALYSIS_VERDICT_DISAGREES;
		return;
	}
	if (!analysis->compared)
		why = analysis_placement_doubt(analysis->placement);
	else if (voice.doubted)
		why = arena_format(arena,
			"the level of %zu groups is not in the topology, but "
			"its confidence is only %.2f",
			voice.doubted->levels[voice.level].n_groups,
			analysis_confidence(
				voice.doubted->levels[voice.level].confidence));
	else if (find_hint(analysis))
		why = arena_format(arena,
			"perhaps there is a level of %zu groups, which is not "
			"in the topology",
			find_hint(analysis)->n_groups);
	else if (!voice.agrees)
		why = doubt_alike(analysis, is_virtual, arena);
	analysis->verdict =
		why ? ANALYSIS_VERDICT_CANNOT_TELL : ANALYSIS_VERDICT_AGREES;
	analysis->untold = why ? arena_text(arena, why) : NULL;
}
