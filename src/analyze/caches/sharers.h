/*
 * Which CPUs share the caches that a run of c2c cache found, from runs of c2c
 * cache --shared.
 */
#ifndef C2C_SHARERS_H
#define C2C_SHARERS_H

#include "result/result.h"
#include "util/arena.h"

/*
 * Fill the cpus of the levels of results[at]: those that share a level with its
 * first CPU, or cpus_why. All others of results[n] have slowdowns
 * (sharing_has_slowdowns()), and sources[i] names each. -EINVAL (ERROR_USAGE)
 * if they are of other machines or of no level of its own; then the levels stay
 * as they were. In an arena_run().
 */
int sharers_fill(struct result *results, const char *const *sources, size_t n,
	size_t at, struct arena *arena, struct error *err);

#endif
