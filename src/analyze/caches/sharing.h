/*
 * Finds the CPUs that share a cache, from the slowdowns that c2c cache --shared
 * measures. The slowdowns are also evidence for the levels of a latency run.
 */
#ifndef C2C_SHARING_H
#define C2C_SHARING_H

#include "analyze/levels/groups.h"
#include "result/analysis.h"
#include "result/result.h"

/* Whether the main matrix of a result has slowdowns. */
bool sharing_has_slowdowns(const struct result *result);

/* Return the bytes of the cache, as reported or as set by the user; or NaN. */
double sharing_cache_bytes(const struct result *result);

/*
 * Find the groups of CPUs that share a cache. Fill *found with one level or
 * none, as groups_find() does. The result must have all of the CPUs.
 */
void sharing_find(const struct result *result, const struct cpu_list *cpus,
	struct groups *groups, struct arena *arena);

/*
 * Return a sentence about the CPUs of the result that share the cache, without
 * a full stop, in the arena.
 */
char *sharing_verdict(const struct result *result, struct arena *arena);

/* Return the name of the cache, in the arena: "L1", "2 MiB", or "cache". */
char *sharing_cache_name(const struct result *result, struct arena *arena);

/* CPUs that share a cache with one CPU. */
struct cache_sharers {
	struct cpu_list members; /* the CPU, and CPUs that share the cache */
	struct cpu_list unknown; /* CPUs for which sharing is undecided */
	bool consistent;	 /* nearly all members share the cache */
	bool any_shared;	 /* some pair in the result shares the cache */
};

/*
 * Find the CPUs that share the cache with a CPU of the result, in the arena. A
 * CPU that shares it with one member may be a member; a CPU that does not share
 * it with some member is none.
 */
void sharing_find_sharers(const struct result *result, unsigned cpu,
	struct cache_sharers *sharers, struct arena *arena);

struct sharing_evidence {
	const struct result *result;
	const char *source;
	/*
	 * Why a difference from the latency run proves nothing: CPUs may have
	 * moved between the runs. NULL: a difference is a contradiction.
	 */
	const char *caveat;
};

/*
 * Compare the levels with evidence[n] and fill analysis->sharing. A level that
 * equals no object of the topology gets the kind that its shared cache implies.
 * A pair is unknown if a witness lacks one of its CPUs.
 */
void sharing_check_levels(struct analysis *analysis,
	const struct sharing_evidence *evidence, size_t n, struct arena *arena);

#endif
