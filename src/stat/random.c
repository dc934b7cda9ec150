/*
 * random.c: a small seeded random generator, and random orders.
 *
 * Generators: D. Blackman and S. Vigna, "Scrambled linear pseudorandom number
 * generators", ACM Transactions on Mathematical Software 47, 2021
 * (xoshiro256**); G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014 (splitmix64).
 */
#include "stat/stat.h"

static uint64_t rotate_left(uint64_t x, unsigned bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void stat_random_init(struct stat_random *random, uint64_t seed)
{
	/* splitmix64 never generates four zeros, the only invalid state. */
	for (unsigned i = 0; i < 4; i++)
		random->state[i] = splitmix64(&seed);
}

uint64_t stat_random_next(struct stat_random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t stat_random_below(struct stat_random *random, uint64_t bound)
{
	/*
	 * 2^64 mod bound. If numbers below `unfair` are rejected, a multiple of
	 * `bound` remains, and all remainders are equally likely.
	 */
	uint64_t unfair = -bound % bound;
	uint64_t x;

	do
		x = stat_random_next(random);
	while (x < unfair);
	return x % bound;
}

void stat_shuffle(struct stat_random *random, uint32_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t j = (size_t)stat_random_below(random, i + 1);

		/* Inside-out form: move the item at j to i. */
		if (j != i)
			order[i] = order[j];
		order[j] = (uint32_t)i;
	}
}
