/* Sizes of a CPU device's caches, from which tests choose their sizes. */
#ifndef C2C_CL_CACHES_H
#define C2C_CL_CACHES_H

#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

/*
 * Return the bytes of all caches of a level that these CPUs use, each counted
 * once; 0: unknown.
 */
uint64_t caches_bytes(const struct machine *machine,
	const struct cpu_list *cpus, unsigned level);

/* Return the bytes of all last-level caches of these CPUs. */
uint64_t caches_llc_bytes(
	const struct machine *machine, const struct cpu_list *cpus);

/* Number of lines, one row apart, that a cache can hold simultaneously. */
struct lines_held {
	size_t lines; /* 0: not known */
	size_t cpus;  /* number of used CPUs that share the cache */
};

/* Return the cache of a level that holds the fewest lines for each CPU. */
struct lines_held caches_lines_held(const struct machine *machine,
	const struct cpu_list *cpus, unsigned level, size_t pitch_bytes);

#endif
