/*
 * Finds the CPUs that share a cache, from the slowdowns that c2c cache --shared
 * measures: alone, or as a second witness for the levels of a latency.
 */
#ifndef C2C_SHARING_H
#define C2C_SHARING_H

#include "analyze/levels/groups.h"
#include "result/analysis.h"
#include "result/result.h"

/* Whether the main matrix of a result has slowdowns. */
bool sharing_has_slowdowns(const struct result *result);

/*
 * The size of its cache, as the system reported or the user named it, or NaN.
 */
double sharing_cache_bytes(const struct result *result);

/*
 * The kind of the groups that share the cache of a result: SMT siblings if it
 * is a first-level cache, which only they share, else CPUs that share a larger
 * cache. ANALYSIS_GROUP if the size of the cache is unknown.
 */
enum analysis_kind sharing_kind(const struct result *result);

/*
 * Find the groups of CPUs that share a cache: one level or none. This is
 * groups_find() for slowdowns. The result must have all of the CPUs.
 */
void sharing_find(const struct result *result, const struct cpu_list *cpus,
	struct groups *groups, struct arena *arena);

/*
 * A sentence without its full stop, in the arena: which CPUs of the result
 * share the cache, or that none do.
 */
char *sharing_verdict(const struct result *result, struct arena *arena);

/* The name of its cache: "L1", "2 MiB", or "cache". In the arena. */
char *sharing_cache_name(const struct result *result, struct arena *arena);

/* Who shares a cache with one CPU. */
struct cache_sharers {
	struct cpu_list members; /* the CPU and those that share with it */
	struct cpu_list unknown; /* CPUs that may share it or not */
	bool consistent; /* every two members share, or nearly every two */
	bool any_shared; /* some pair of all CPUs shares it */
};

/*
 * The circle of a CPU that a result with slowdowns has. Who shares with a
 * member is a member, and who does not share with one is none. In the arena.
 */
void sharing_find_sharers(const struct result *result, unsigned cpu,
	struct cache_sharers *sharers, struct arena *arena);

struct sharing_evidence {
	const struct result *result;
	const char *source;
	/*
	 * Why the CPUs may have moved between this run and that of the levels,
	 * so that a difference proves nothing. NULL: a difference is a
	 * contradiction.
	 */
	const char *caveat;
};

/*
 * Compare the levels with evidence[n] and fill analysis->sharing. A level
 * without a name in the topology gets the kind that its shared cache tells.
 * Pairs of CPUs that a witness lacks are unknown.
 */
void sharing_check_levels(struct analysis *analysis,
	const struct sharing_evidence *evidence, size_t n, struct arena *arena);

#endif
