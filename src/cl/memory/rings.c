#include "cl/memory/rings.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Place all rings, the largest first. Each ring gets the word with the fewest
 * used lines. With two sizes in each doubling and eight words, the lines of the
 * largest ring have room for all rings.
 */
static void rings_place_all(struct rings *rings)
{
	size_t used[64] = {0};

	for (size_t k = rings->n; k-- > 0;) {
		struct ring *ring = &rings->ring[k];
		size_t word = 0;

		for (size_t w = 1; w < rings->words; w++)
			word = used[w] < used[word] ? w : word;
		ring->word = word;
		ring->first = used[word];
		used[word] += ring->n;
		if (used[word] > rings->lines)
			rings->lines = used[word];
	}
}

/*
 * Take the numbers below n from a larger ring, in the order of that ring. This
 * is much faster than a new random order.
 */
static void rings_keep_below(const struct ring *larger, struct ring *ring)
{
	size_t kept = 0;

	for (size_t i = 0; i < larger->n; i++) {
		if (larger->order[i] < ring->n)
			ring->order[kept++] = larger->order[i];
	}
}

int rings_init(struct rings *rings, const size_t *lines, size_t n, size_t words,
	struct stat_random *random)
{
	*rings = (struct rings){.n = n, .words = words};
	for (size_t k = n; k-- > 0;) {
		struct ring *ring = &rings->ring[k];

		ring->n = lines[k];
		ring->order = malloc(ring->n * sizeof(*ring->order));
		if (!ring->order)
			return -ENOMEM;
		if (k + 1 < n)
			rings_keep_below(ring + 1, ring);
		else
			stat_shuffle(random, ring->order, ring->n);
	}
	rings_place_all(rings);
	return 0;
}

void rings_release(struct rings *rings)
{
	for (size_t k = 0; k < rings->n; k++)
		free(rings->ring[k].order);
	*rings = (struct rings){0};
}

size_t rings_word(
	const struct rings *rings, const struct ring *ring, size_t place)
{
	size_t line = ring->first + ring->order[place % ring->n];

	return line * rings->words + ring->word;
}
