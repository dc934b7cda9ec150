/*
 * cache: run probe_chase or probe_stream, depending on the variant. chase.c and
 * probe_stream.c describe them.
 */
#include "probe/probe_cache.h"

/* A visit for probe_chase or probe_stream. */
struct delegated_visit {
	const struct probe *probe;
	struct probe_params params;
	struct probe_visit visit;
};

static const struct probe *delegate_params(struct delegated_visit *delegated,
	const struct probe_params *params, uint32_t *variant)
{
	struct cache_context *context = params->context;

	delegated->params = *params;
	if (*variant < context->chase.n) {
		delegated->params.context = &context->chase;
		return &probe_chase;
	}
	*variant -= (uint32_t)context->chase.n;
	delegated->params.context = &context->stream;
	return &probe_stream;
}

/*
 * Choose which sets a pass measures. Large sets take longest to bring into the
 * caches, and their values vary least. Sets of at least SELDOM_BYTES for each
 * CPU are measured in every second pass, sets of twice that size in every
 * fourth, and larger sets in every eighth. The first pass has all sets. The
 * first FIRST_PASSES have all chases, because c2c needs that many to find the
 * end of a cache level.
 */
#define SELDOM_BYTES ((size_t)32 << 20)
#define SELDOM_MOST  8
#define FIRST_PASSES 6

bool cache_due(
	const struct cache_context *context, uint32_t variant, uint32_t pass)
{
	size_t bytes =
		variant < context->chase.n
			? context->chase.points[variant].ring->bytes
			: context->stream.points[variant - context->chase.n]
				  .bytes;
	uint32_t first = variant < context->chase.n ? FIRST_PASSES : 1;
	uint32_t every = 1;

	for (; bytes >= SELDOM_BYTES && every < SELDOM_MOST; bytes /= 2)
		every *= 2;
	return pass < first || (pass + variant) % every == 0;
}

/* Prepare the visit. Return false if this pass does not measure its set. */
static bool delegate_visit(
	struct delegated_visit *delegated, const struct probe_visit *visit)
{
	delegated->visit = *visit;
	delegated->probe = delegate_params(
		delegated, visit->params, &delegated->visit.variant);
	delegated->visit.params = &delegated->params;
	return cache_due(visit->params->context, visit->variant, visit->pass);
}

static bool cache_first(const struct probe_visit *visit, int64_t *ticks)
{
	struct delegated_visit delegated;

	return delegate_visit(&delegated, visit) &&
	       delegated.probe->first(&delegated.visit, ticks);
}

static bool cache_second(const struct probe_visit *visit, int64_t *ticks)
{
	struct delegated_visit delegated;

	return delegate_visit(&delegated, visit) &&
	       delegated.probe->second(&delegated.visit, ticks);
}

static double cache_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	struct delegated_visit delegated;
	const struct probe *probe =
		delegate_params(&delegated, params, &variant);

	return probe->scale(&delegated.params, variant, ticks);
}

const struct probe probe_cache = {
	.name = "cache",
	.summary = "chases and streams through working sets",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_BACKWARD,
	.first = cache_first,
	.second = cache_second,
	.abandon = probe_abandon_word,
	.scale = cache_scale,
};
