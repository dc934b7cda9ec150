/*
 * Finds the CPUs that share a cache, from the slowdowns that c2c cache --shared
 * measures. They are also evidence for the levels of a latency run.
 */
#ifndef C2C_SHARING_H
#define C2C_SHARING_H

#include "analyze/levels/groups.h"
#include "result/analysis.h"
#include "result/result.h"

/* Whether the main matrix of a result has slowdowns. */
bool sharing_has_slowdowns(const struct result *result);

/*
 * Return the bytes of the cache, as reported or as given by the user; or NaN.
 */
double sharing_cache_bytes(const struct result *result);

/*
 * Find the groups of CPUs that share a cache: one level or none, as
 * groups_find() does for latencies. The result must have all of the CPUs.
 */
void sharing_find(const struct result *result, const struct cpu_list *cpus,
	struct groups *groups, struct arena *arena);

/*
 * Return a sentence without its full stop, in the arena, that says which CPUs
 * of the result share the cache.
 */
char *sharing_verdict(const struct result *result, struct arena *arena);

/* Return the name of the cache, in the arena: "L1", "2 MiB", or "cache". */
char *sharing_cache_name(const struct result *result, struct arena *arena);

/* CPUs that share a cache with one CPU. */
struct cache_sharers {
	struct cpu_list members; /* the CPU and those that share with it */
	struct cpu_list unknown; /* CPUs that may or may not share the cache */
	bool consistent;	 /* all or nearly all pairs of members share */
	bool any_shared; /* some pair of the result's CPUs shares the cache */
};

/*
 * Find the sharers of a CPU of the result, in the arena. A CPU that shares with
 * a member is a member; a CPU that does not share with all members is not.
 */
void sharing_find_sharers(const struct result *result, unsigned cpu,
	struct cache_sharers *sharers, struct arena *arena);

struct sharing_evidence {
	const struct result *result;
	const char *source;
	/*
	 * Why CPUs may have moved between this run and the latency run: a
	 * difference proves nothing. NULL: a difference is a contradiction.
	 */
	const char *caveat;
};

/*
 * Compare the levels with evidence[n] and fill analysis->sharing. A level
 * without a name in the topology gets the kind that its shared cache implies.
 * Pairs of CPUs that a witness lacks are unknown.
 */
void sharing_check_levels(struct analysis *analysis,
	const struct sharing_evidence *evidence, size_t n, struct arena *arena);

#endif
