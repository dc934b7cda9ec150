/*
 * Finds which CPUs share the caches of a run of c2c cache, from runs of c2c
 * cache --shared.
 */
#ifndef C2C_SHARERS_H
#define C2C_SHARERS_H

#include "result/result.h"
#include "util/arena.h"

/*
 * Fill cpus of the levels of results[at] with those that share a level with its
 * first CPU, or cpus_why. All others of results[n] have slowdowns
 * (sharing_has_slowdowns()); sources[i] names each. -EINVAL (ERROR_USAGE) if
 * they are of other machines or of no level of this result; then the levels
 * stay as they were. Call in an arena_run().
 */
int sharers_fill(struct result *results, const char *const *sources, size_t n,
	size_t at, struct arena *arena, struct error *err);

#endif
