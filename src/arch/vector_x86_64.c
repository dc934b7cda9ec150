/*
 * Vectors of x86-64: SSE2, which every CPU has, AVX2 and AVX-512. Each step
 * takes four registers, enough for a load or a store in every cycle that has
 * room for one; a rest of fewer registers than a step is done one by one.
 *
 * The compiler ends the wider ones with VZEROUPPER, without which SSE code
 * that follows is slow on some CPUs.
 */
#include "arch/vector.h"

#if defined(__x86_64__)

#include <immintrin.h>

static uint64_t xor_sse2(__m128i a)
{
	a = _mm_xor_si128(a, _mm_unpackhi_epi64(a, a));
	return (uint64_t)_mm_cvtsi128_si64(a);
}

#define AVX2 __attribute__((target("avx2")))

static AVX2 uint64_t xor_avx2(__m256i a)
{
	return xor_sse2(_mm_xor_si128(
		_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)));
}

#define AVX512 __attribute__((target("avx512f")))

static AVX512 uint64_t xor_avx512(__m512i a)
{
	return xor_avx2(_mm256_xor_si256(
		_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1)));
}

/* Types, names and attributes do not stand in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */

/*
 * One width: mm and si are the parts of its intrinsics' names. Sizes are
 * multiples of a line, which four SSE2 registers make: these leave no rest.
 */
#define VECTOR(width, attribute, type, mm, si, set)                            \
	static attribute void fill_##width(                                    \
		void *to, size_t bytes, uint64_t word)                         \
	{                                                                      \
		type value = set((long long)word);                             \
		type *p = to, *end = p + bytes / sizeof(type);                 \
                                                                               \
		for (; end - p >= 4; p += 4) {                                 \
			mm##_store_##si(p, value);                             \
			mm##_store_##si(p + 1, value);                         \
			mm##_store_##si(p + 2, value);                         \
			mm##_store_##si(p + 3, value);                         \
		}                                                              \
		for (; sizeof(type) > 16 && p < end; p++)                      \
			mm##_store_##si(p, value);                             \
	}                                                                      \
                                                                               \
	static attribute uint64_t read_##width(const void *from, size_t bytes) \
	{                                                                      \
		const type *p = from, *end = p + bytes / sizeof(type);         \
		type a = mm##_setzero_##si(), b = a, c = a, d = a;             \
                                                                               \
		for (; end - p >= 4; p += 4) {                                 \
			a = mm##_xor_##si(a, mm##_load_##si(p));               \
			b = mm##_xor_##si(b, mm##_load_##si(p + 1));           \
			c = mm##_xor_##si(c, mm##_load_##si(p + 2));           \
			d = mm##_xor_##si(d, mm##_load_##si(p + 3));           \
		}                                                              \
		for (; sizeof(type) > 16 && p < end; p++)                      \
			a = mm##_xor_##si(a, mm##_load_##si(p));               \
		a = mm##_xor_##si(mm##_xor_##si(a, b), mm##_xor_##si(c, d));   \
		return xor_##width(a);                                         \
	}                                                                      \
                                                                               \
	static attribute void stream_##width(                                  \
		void *restrict to, const void *restrict from, size_t bytes)    \
	{                                                                      \
		const type *s = from, *end = s + bytes / sizeof(type);         \
		type *t = to;                                                  \
                                                                               \
		for (; end - s >= 4; s += 4, t += 4) {                         \
			type a = mm##_load_##si(s), b = mm##_load_##si(s + 1); \
			type c = mm##_load_##si(s + 2);                        \
			type d = mm##_load_##si(s + 3);                        \
                                                                               \
			mm##_stream_##si(t, a);                                \
			mm##_stream_##si(t + 1, b);                            \
			mm##_stream_##si(t + 2, c);                            \
			mm##_stream_##si(t + 3, d);                            \
		}                                                              \
		for (; sizeof(type) > 16 && s < end; s++, t++)                 \
			mm##_stream_##si(t, mm##_load_##si(s));                \
		_mm_sfence();                                                  \
	}                                                                      \
                                                                               \
	static const struct arch_vector width = {                              \
		.name = #width,                                                \
		.bytes = sizeof(type),                                         \
		.fill = fill_##width,                                          \
		.read = read_##width,                                          \
		.stream = stream_##width,                                      \
	};

/* NOLINTEND(bugprone-macro-parentheses) */

VECTOR(sse2, , __m128i, _mm, si128, _mm_set1_epi64x)
VECTOR(avx2, AVX2, __m256i, _mm256, si256, _mm256_set1_epi64x)
VECTOR(avx512, AVX512, __m512i, _mm512, si512, _mm512_set1_epi64)

const struct arch_vector *const arch_vectors[] = {
	&avx512,
	&avx2,
	&sse2,
	&arch_vector_c,
	NULL,
};

/* These ask XGETBV too, that is whether the kernel keeps the registers. */
bool arch_vector_usable(const struct arch_vector *vector)
{
	if (vector == &avx512)
		return __builtin_cpu_supports("avx512f");
	if (vector == &avx2)
		return __builtin_cpu_supports("avx2");
	return true;
}

#endif
