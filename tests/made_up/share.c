/*
 * c2c cache --shared on made-up caches: sharers=N CPUs with consecutive numbers
 * share one, 4 if none is chosen. A cache that is shared is twice as slow.
 */
#include "made_up.h"

/* All but the probe is that of c2c. */
#define probe_share measured_share
extern const struct probe measured_share;
#include "probe/probe_share.c" /* NOLINT(bugprone-suspicious-include) */
#undef probe_share

static bool made_up_first(const struct probe_visit *visit, int64_t *ticks)
{
	unsigned sharers = (unsigned)made_up("sharers", 4);

	return made_up_visit(visit) &&
	       made_up_put(visit,
		       visit->first_cpu / sharers == visit->second_cpu / sharers
			       ? 2
			       : 1,
		       ticks);
}

static bool made_up_second(const struct probe_visit *visit, int64_t *ticks)
{
	(void)visit;
	(void)ticks;
	return true;
}

const struct probe probe_share = {
	.name = "share",
	.summary = "measures nothing",
	.first_cell = PROBE_BOTH,
	.counts = {true, true},
	.first = made_up_first,
	.second = made_up_second,
	.abandon = made_up_abandon,
	.scale = made_up_scale,
};
