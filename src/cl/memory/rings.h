/*
 * Rings of lines in one memory: from each line a chain goes on to another, in
 * random order, until it has seen all and is back. Numbers only: what a number
 * means, and where it is written, is the caller's. Private to src/cl.
 */
#ifndef C2C_RINGS_H
#define C2C_RINGS_H

#include <stddef.h>
#include <stdint.h>

#include "stat/stat.h"

#define RINGS_MOST 40

/* Of a word of each of its lines. */
struct ring {
	size_t n;	 /* lines */
	size_t first;	 /* its first line */
	size_t word;	 /* its word of each line */
	uint32_t *order; /* [n], owned: its lines as they follow each other */
};

/*
 * Rings share lines: each has a word of them for itself, or lies behind the
 * others of that word.
 */
struct rings {
	size_t n;
	size_t words; /* of a line */
	size_t lines; /* of all rings together */
	struct ring ring[RINGS_MOST];
};

/*
 * Make n rings of as many lines as that, each at least as large as the one
 * before. -ENOMEM; rings_release() releases them in any case.
 */
int rings_init(struct rings *rings, const size_t *lines, size_t n, size_t words,
	struct stat_random *random);
void rings_release(struct rings *rings);

/* The word of the memory that has the ring's place of that number. */
size_t rings_word(
	const struct rings *rings, const struct ring *ring, size_t place);

#endif
