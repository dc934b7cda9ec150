/*
 * Finds which CPUs share the caches of a run of c2c cache, from runs of c2c
 * cache --shared.
 */
#ifndef C2C_SHARERS_H
#define C2C_SHARERS_H

#include "result/result.h"
#include "util/arena.h"

/*
 * For each level of results[at], fill `cpus` with the CPUs that share it with
 * the first CPU, or cpus_why. The other results[n] have slowdowns
 * (sharing_has_slowdowns()); sources[i] names each result. Return -EINVAL
 * (ERROR_USAGE), and change no level, if these are from other machines or test
 * no level of results[at]. Call in an arena_run().
 */
int sharers_fill(struct result *results, const char *const *sources, size_t n,
	size_t at, struct arena *arena, struct error *err);

#endif
