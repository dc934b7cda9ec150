/*
 * What the caches of some CPUs say of rowcol: which squares to measure, and how
 * many lines of a column stay. Functions of a topology alone. Private to
 * src/cl/rowcol.c.
 */
#ifndef C2C_CL_SQUARES_H
#define C2C_CL_SQUARES_H

#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"
#include "util/cpu_list.h"

/* Words in a row of the smallest square and of the largest. */
#define SQUARE_LEAST ((size_t)512)
#define SQUARE_MOST  ((size_t)32768)

/* The largest power of two of words in a row of a square within bytes. */
size_t square_within(uint64_t bytes);

/*
 * All caches of that level that these CPUs use, each counted once, in bytes; 0:
 * the topology has none, or not their size.
 */
uint64_t caches_bytes(const struct machine *machine,
	const struct cpu_list *cpus, unsigned level);

/* The same of their LLCs, of whatever level. */
uint64_t llcs_bytes(const struct machine *machine, const struct cpu_list *cpus);

/*
 * Rows of squares that fill half of the L2 caches, half of the LLCs, and these
 * four times: at least, if that takes no more than a GiB and no more words in a
 * row than most, otherwise less. Returns how many there are in sides.
 */
size_t squares_by_caches(const struct machine *machine,
	const struct cpu_list *cpus, size_t most, size_t sides[3]);

/* Lines as far apart as rows are that a cache holds at once. */
struct lines_held {
	size_t lines; /* 0: not known */
	size_t cpus;  /* that share the cache, of those used */
};

/* Of the caches of that level which these CPUs use, that with fewest a CPU. */
struct lines_held lines_held(const struct machine *machine,
	const struct cpu_list *cpus, unsigned level, size_t pitch_bytes);

#endif
