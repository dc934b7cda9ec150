/*
 * Vectors of x86-64: SSE2, which every CPU has, AVX2 and AVX-512. Each step
 * takes four registers, enough for a load or a store in every cycle that has
 * room for one; a rest of fewer lines than a step is done line by line.
 *
 * The compiler ends the wider ones with VZEROUPPER, without which SSE code
 * that follows is slow on some CPUs.
 */
#include "arch/vector.h"

#if defined(__x86_64__)

#include <immintrin.h>

static void fill_sse2(void *to, size_t bytes, uint64_t word)
{
	__m128i value = _mm_set1_epi64x((long long)word);
	__m128i *p = to, *end = p + bytes / 16;

	for (; p < end; p += 4) {
		_mm_store_si128(p, value);
		_mm_store_si128(p + 1, value);
		_mm_store_si128(p + 2, value);
		_mm_store_si128(p + 3, value);
	}
}

static uint64_t xor_sse2(__m128i a)
{
	a = _mm_xor_si128(a, _mm_unpackhi_epi64(a, a));
	return (uint64_t)_mm_cvtsi128_si64(a);
}

static uint64_t read_sse2(const void *from, size_t bytes)
{
	const __m128i *p = from, *end = p + bytes / 16;
	__m128i a = _mm_setzero_si128(), b = a, c = a, d = a;

	for (; p < end; p += 4) {
		a = _mm_xor_si128(a, _mm_load_si128(p));
		b = _mm_xor_si128(b, _mm_load_si128(p + 1));
		c = _mm_xor_si128(c, _mm_load_si128(p + 2));
		d = _mm_xor_si128(d, _mm_load_si128(p + 3));
	}
	return xor_sse2(
		_mm_xor_si128(_mm_xor_si128(a, b), _mm_xor_si128(c, d)));
}

static void stream_sse2(
	void *restrict to, const void *restrict from, size_t bytes)
{
	const __m128i *s = from, *end = s + bytes / 16;
	__m128i *t = to;

	for (; s < end; s += 4, t += 4) {
		__m128i a = _mm_load_si128(s), b = _mm_load_si128(s + 1);
		__m128i c = _mm_load_si128(s + 2), d = _mm_load_si128(s + 3);

		_mm_stream_si128(t, a);
		_mm_stream_si128(t + 1, b);
		_mm_stream_si128(t + 2, c);
		_mm_stream_si128(t + 3, d);
	}
	_mm_sfence();
}

static const struct arch_vector sse2 = {
	.name = "sse2",
	.bytes = 16,
	.fill = fill_sse2,
	.read = read_sse2,
	.stream = stream_sse2,
};

#define AVX2 __attribute__((target("avx2")))

static AVX2 void fill_avx2(void *to, size_t bytes, uint64_t word)
{
	__m256i value = _mm256_set1_epi64x((long long)word);
	__m256i *p = to, *end = p + bytes / 32;

	for (; end - p >= 4; p += 4) {
		_mm256_store_si256(p, value);
		_mm256_store_si256(p + 1, value);
		_mm256_store_si256(p + 2, value);
		_mm256_store_si256(p + 3, value);
	}
	if (p < end) {
		_mm256_store_si256(p, value);
		_mm256_store_si256(p + 1, value);
	}
}

static AVX2 uint64_t xor_avx2(__m256i a)
{
	return xor_sse2(_mm_xor_si128(
		_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)));
}

static AVX2 uint64_t read_avx2(const void *from, size_t bytes)
{
	const __m256i *p = from, *end = p + bytes / 32;
	__m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;

	for (; end - p >= 4; p += 4) {
		a = _mm256_xor_si256(a, _mm256_load_si256(p));
		b = _mm256_xor_si256(b, _mm256_load_si256(p + 1));
		c = _mm256_xor_si256(c, _mm256_load_si256(p + 2));
		d = _mm256_xor_si256(d, _mm256_load_si256(p + 3));
	}
	if (p < end) {
		a = _mm256_xor_si256(a, _mm256_load_si256(p));
		b = _mm256_xor_si256(b, _mm256_load_si256(p + 1));
	}
	return xor_avx2(_mm256_xor_si256(
		_mm256_xor_si256(a, b), _mm256_xor_si256(c, d)));
}

static AVX2 void stream_avx2(
	void *restrict to, const void *restrict from, size_t bytes)
{
	const __m256i *s = from, *end = s + bytes / 32;
	__m256i *t = to;

	for (; end - s >= 4; s += 4, t += 4) {
		__m256i a = _mm256_load_si256(s), b = _mm256_load_si256(s + 1);
		__m256i c = _mm256_load_si256(s + 2);
		__m256i d = _mm256_load_si256(s + 3);

		_mm256_stream_si256(t, a);
		_mm256_stream_si256(t + 1, b);
		_mm256_stream_si256(t + 2, c);
		_mm256_stream_si256(t + 3, d);
	}
	if (s < end) {
		_mm256_stream_si256(t, _mm256_load_si256(s));
		_mm256_stream_si256(t + 1, _mm256_load_si256(s + 1));
	}
	_mm_sfence();
}

static const struct arch_vector avx2 = {
	.name = "avx2",
	.bytes = 32,
	.fill = fill_avx2,
	.read = read_avx2,
	.stream = stream_avx2,
};

#define AVX512 __attribute__((target("avx512f")))

static AVX512 void fill_avx512(void *to, size_t bytes, uint64_t word)
{
	__m512i value = _mm512_set1_epi64((long long)word);
	__m512i *p = to, *end = p + bytes / 64;

	for (; end - p >= 4; p += 4) {
		_mm512_store_si512(p, value);
		_mm512_store_si512(p + 1, value);
		_mm512_store_si512(p + 2, value);
		_mm512_store_si512(p + 3, value);
	}
	for (; p < end; p++)
		_mm512_store_si512(p, value);
}

static AVX512 uint64_t read_avx512(const void *from, size_t bytes)
{
	const __m512i *p = from, *end = p + bytes / 64;
	__m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;

	for (; end - p >= 4; p += 4) {
		a = _mm512_xor_si512(a, _mm512_load_si512(p));
		b = _mm512_xor_si512(b, _mm512_load_si512(p + 1));
		c = _mm512_xor_si512(c, _mm512_load_si512(p + 2));
		d = _mm512_xor_si512(d, _mm512_load_si512(p + 3));
	}
	for (; p < end; p++)
		a = _mm512_xor_si512(a, _mm512_load_si512(p));
	a = _mm512_xor_si512(_mm512_xor_si512(a, b), _mm512_xor_si512(c, d));
	return xor_avx2(_mm256_xor_si256(
		_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1)));
}

static AVX512 void stream_avx512(
	void *restrict to, const void *restrict from, size_t bytes)
{
	const __m512i *s = from, *end = s + bytes / 64;
	__m512i *t = to;

	for (; end - s >= 4; s += 4, t += 4) {
		__m512i a = _mm512_load_si512(s), b = _mm512_load_si512(s + 1);
		__m512i c = _mm512_load_si512(s + 2);
		__m512i d = _mm512_load_si512(s + 3);

		_mm512_stream_si512(t, a);
		_mm512_stream_si512(t + 1, b);
		_mm512_stream_si512(t + 2, c);
		_mm512_stream_si512(t + 3, d);
	}
	for (; s < end; s++, t++)
		_mm512_stream_si512(t, _mm512_load_si512(s));
	_mm_sfence();
}

static const struct arch_vector avx512 = {
	.name = "avx512",
	.bytes = 64,
	.fill = fill_avx512,
	.read = read_avx512,
	.stream = stream_avx512,
};

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
