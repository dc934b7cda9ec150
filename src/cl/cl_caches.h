/*
 * What the caches of a CPU device hold: sizes of arrays are chosen by it.
 */
#ifndef C2C_CL_CACHES_H
#define C2C_CL_CACHES_H

#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

/*
 * The bytes of all caches of a level that these CPUs use, each counted once; 0:
 * the topology does not say.
 */
uint64_t caches_bytes(const struct machine *machine,
	const struct cpu_list *cpus, unsigned level);

/* The same of their last-level caches. */
uint64_t caches_llc_bytes(
	const struct machine *machine, const struct cpu_list *cpus);

/* How many lines that lie a row apart a cache holds at once. */
struct lines_held {
	size_t lines; /* 0: not known */
	size_t cpus;  /* that share the cache, of those used */
};

/* The cache of a level that holds the fewest for each of these CPUs. */
struct lines_held caches_lines_held(const struct machine *machine,
	const struct cpu_list *cpus, unsigned level, size_t pitch_bytes);

#endif
