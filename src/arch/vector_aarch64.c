/*
 * Vectors of AArch64: NEON, which every CPU that runs Linux has.
 */
#include "arch/vector.h"

#if defined(__aarch64__)

#include <arm_neon.h>

static void fill_neon(void *to, size_t bytes, uint64_t word)
{
	uint64x2_t value = vdupq_n_u64(word);
	uint64_t *p = to, *end = p + bytes / 8;

	for (; p < end; p += 8) {
		vst1q_u64(p, value);
		vst1q_u64(p + 2, value);
		vst1q_u64(p + 4, value);
		vst1q_u64(p + 6, value);
	}
}

static uint64_t read_neon(const void *from, size_t bytes)
{
	const uint64_t *p = from, *end = p + bytes / 8;
	uint64x2_t a = vdupq_n_u64(0), b = a, c = a, d = a;

	for (; p < end; p += 8) {
		a = veorq_u64(a, vld1q_u64(p));
		b = veorq_u64(b, vld1q_u64(p + 2));
		c = veorq_u64(c, vld1q_u64(p + 4));
		d = veorq_u64(d, vld1q_u64(p + 6));
	}
	a = veorq_u64(veorq_u64(a, b), veorq_u64(c, d));
	return vgetq_lane_u64(a, 0) ^ vgetq_lane_u64(a, 1);
}

/* Gcc has no intrinsic for STNP. It is ordered as any store is. */
static inline void store_pair(uint64_t *to, uint64x2_t a, uint64x2_t b)
{
	__asm__("stnp %q1, %q2, %0"
		: "=Q"(*(uint64_t(*)[4])to)
		: "w"(a), "w"(b));
}

static void stream_neon(
	void *restrict to, const void *restrict from, size_t bytes)
{
	const uint64_t *s = from, *end = s + bytes / 8;
	uint64_t *t = to;

	for (; s < end; s += 8, t += 8) {
		uint64x2_t a = vld1q_u64(s), b = vld1q_u64(s + 2);
		uint64x2_t c = vld1q_u64(s + 4), d = vld1q_u64(s + 6);

		store_pair(t, a, b);
		store_pair(t + 4, c, d);
	}
}

static const struct arch_vector neon = {
	.name = "neon",
	.bytes = 16,
	.fill = fill_neon,
	.read = read_neon,
	.stream = stream_neon,
};

const struct arch_vector *const arch_vectors[] = {
	&neon,
	&arch_vector_c,
	NULL,
};

bool arch_vector_usable(const struct arch_vector *vector)
{
	(void)vector;
	return true;
}

#endif
