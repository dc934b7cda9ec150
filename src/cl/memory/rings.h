/*
 * Rings of lines in one memory: a chain visits all lines in random order and
 * returns to the first. A ring here consists of line numbers; the caller writes
 * the links into memory. Private to src/cl.
 */
#ifndef C2C_RINGS_H
#define C2C_RINGS_H

#include <stddef.h>
#include <stdint.h>

#include "cl/cl.h"
#include "stat/stat.h"

#define RINGS_MOST TEST_MOST_SIZES

/* A ring, which uses one word of each of its lines. */
struct ring {
	size_t n;	 /* number of lines */
	size_t first;	 /* number of the ring's first line */
	size_t word;	 /* index of the ring's word in each line */
	uint32_t *order; /* [n], owned: its lines in the order of the chain */
};

/* Rings that share lines. Those with the same word have consecutive lines. */
struct rings {
	size_t n;
	size_t words; /* words of a line */
	size_t lines; /* lines of all rings together */
	struct ring ring[RINGS_MOST];
};

/*
 * Make n rings of lines[i] lines, in ascending order of size. Return 0 or
 * -ENOMEM; call rings_release() in any case.
 */
int rings_init(struct rings *rings, const size_t *lines, size_t n, size_t words,
	struct stat_random *random);
void rings_release(struct rings *rings);

/* Return the index of the word that the ring uses in its i-th line. */
size_t rings_word(
	const struct rings *rings, const struct ring *ring, size_t place);

#endif
