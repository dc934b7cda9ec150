#include "result/caches.h"

/*
 * The median of a disturbed level is higher than this multiple of the fastest
 * pass.
 */
#define DISTURBED 1.25

unsigned cache_level_times(
	const struct cache_level *level, const struct cpu_list *cpus)
{
	const struct cpu_list *own =
		level->cpus.n > 0 ? &level->cpus : &level->reported_cpus;
	unsigned n = (unsigned)cpus->n, sharers = 0;

	for (size_t i = 0; i < cpus->n; i++)
		sharers += cpu_list_find(own, cpus->cpus[i]) >= 0;
	if (n == 0)
		return 1;
	return sharers < 2 ? n : (n + sharers - 1) / sharers;
}

bool cache_level_is_disturbed(const struct cache_level *level, int64_t passes)
{
	return !level->memory && passes != 0 && passes != 1 &&
	       level->clocks > DISTURBED * level->fastest_clocks;
}

bool cache_level_sharers_differ(const struct cache_level *level)
{
	bool same = level->cpus.n == level->reported_cpus.n;

	if (level->cpus.n == 0 || level->reported_cpus.n == 0)
		return false;
	for (size_t i = 0; same && i < level->cpus.n; i++)
		same = cpu_list_find(
			       &level->reported_cpus, level->cpus.cpus[i]) >= 0;
	return !same;
}

bool cache_level_differs(const struct cache_level *level)
{
	return level->size_verdict == CACHE_DIFFERS ||
	       level->line_verdict == CACHE_DIFFERS ||
	       level->ways_verdict == CACHE_DIFFERS ||
	       cache_level_sharers_differ(level);
}
