/*
 * Single words in plain C, and the choice of the widest registers. The accesses
 * are volatile, so that the compiler makes neither wider ones nor a call of
 * memcpy() of them.
 */
#include "arch/vector.h"

static void fill_c(void *to, size_t bytes, uint64_t word)
{
	volatile uint64_t *words = to;

	for (size_t i = 0; i < bytes / 8; i += 8) {
		words[i] = word;
		words[i + 1] = word;
		words[i + 2] = word;
		words[i + 3] = word;
		words[i + 4] = word;
		words[i + 5] = word;
		words[i + 6] = word;
		words[i + 7] = word;
	}
}

static uint64_t read_c(const void *from, size_t bytes)
{
	const volatile uint64_t *words = from;
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (size_t i = 0; i < bytes / 8; i += 8) {
		a ^= words[i];
		b ^= words[i + 1];
		c ^= words[i + 2];
		d ^= words[i + 3];
		a ^= words[i + 4];
		b ^= words[i + 5];
		c ^= words[i + 6];
		d ^= words[i + 7];
	}
	return a ^ b ^ c ^ d;
}

/* C has no stores that bypass the caches: a plain copy. */
static void stream_c(void *restrict to, const void *restrict from, size_t bytes)
{
	volatile uint64_t *target = to;
	const volatile uint64_t *source = from;

	for (size_t i = 0; i < bytes / 8; i++)
		target[i] = source[i];
}

const struct arch_vector arch_vector_c = {
	.name = "c",
	.bytes = 8,
	.fill = fill_c,
	.read = read_c,
	.stream = stream_c,
};

/* The others have their own files, with a table that ends in this one. */
#if !defined(__x86_64__) && !defined(__aarch64__)

const struct arch_vector *const arch_vectors[] = {
	&arch_vector_c,
	NULL,
};

bool arch_vector_usable(const struct arch_vector *vector)
{
	(void)vector;
	return true;
}

#endif

const struct arch_vector *arch_vector_widest(void)
{
	const struct arch_vector *const *vector = arch_vectors;

	while (!arch_vector_usable(*vector))
		vector++;
	return *vector;
}
