/*
 * Twelve chains of x = x * a + b: two pipelines with a latency of up to six
 * cycles are full, and the chains and both factors fit into 16 registers. The
 * factor is below 1, so that no chain leaves the normal numbers.
 */
#include "arch/peak.h"

#define CHAINS 12
#define FACTOR 0.75
#define ADDEND 0.25
#define EACH(DO)                                                               \
	DO(0)                                                                  \
	DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

/* They begin apart: equal ones would be made one. */
#define DECLARE(k) x##k = start, start += b;
#define ADVANCE(k) x##k = MAD(x##k);
#define COLLECT(k) sum += x##k;

/* Neither types nor names stand in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */

/* A function of name for vectors of a type; MAD(x) is the step. */
#define DEFINE(name, target, vector, first)                                    \
	static target double name(uint64_t turns)                              \
	{                                                                      \
		const vector a = first(FACTOR), b = first(ADDEND);             \
		vector x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11;       \
		vector sum = b, start = b;                                     \
                                                                               \
		EACH(DECLARE)                                                  \
		for (uint64_t i = 0; i < turns; i++) {                         \
			EACH(ADVANCE)                                          \
		}                                                              \
		EACH(COLLECT)                                                  \
		return (double)FIRST(sum);                                     \
	}

#define ROW(row, label, floats, doubles, floats_of, doubles_of)                \
	static const struct arch_peak row = {                                  \
		.name = label,                                                 \
		.float_operations = 2 * CHAINS * (floats),                     \
		.double_operations = 2 * CHAINS * (doubles),                   \
		.run_float = floats_of,                                        \
		.run_double = doubles_of,                                      \
	};

/* NOLINTEND(bugprone-macro-parentheses) */

/* Vectors of the compiler's own can be indexed and added. */
#define FIRST(x) (x)[0]

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f")))
#define FMA    __attribute__((target("avx2,fma")))
#define AVX    __attribute__((target("avx")))

#define MAD(x) _mm512_fmadd_ps(x, a, b)
DEFINE(float_avx512, AVX512, __m512, _mm512_set1_ps)
#undef MAD
#define MAD(x) _mm512_fmadd_pd(x, a, b)
DEFINE(double_avx512, AVX512, __m512d, _mm512_set1_pd)
#undef MAD
ROW(avx512, "avx512", 16, 8, float_avx512, double_avx512)

#define MAD(x) _mm256_fmadd_ps(x, a, b)
DEFINE(float_fma, FMA, __m256, _mm256_set1_ps)
#undef MAD
#define MAD(x) _mm256_fmadd_pd(x, a, b)
DEFINE(double_fma, FMA, __m256d, _mm256_set1_pd)
#undef MAD
ROW(avx2, "fma", 8, 4, float_fma, double_fma)

#define MAD(x) _mm256_add_ps(_mm256_mul_ps(x, a), b)
DEFINE(float_avx, AVX, __m256, _mm256_set1_ps)
#undef MAD
#define MAD(x) _mm256_add_pd(_mm256_mul_pd(x, a), b)
DEFINE(double_avx, AVX, __m256d, _mm256_set1_pd)
#undef MAD
ROW(avx, "avx", 8, 4, float_avx, double_avx)

#define MAD(x) _mm_add_ps(_mm_mul_ps(x, a), b)
DEFINE(float_sse2, , __m128, _mm_set1_ps)
#undef MAD
#define MAD(x) _mm_add_pd(_mm_mul_pd(x, a), b)
DEFINE(double_sse2, , __m128d, _mm_set1_pd)
#undef MAD
ROW(sse2, "sse2", 4, 2, float_sse2, double_sse2)

const struct arch_peak *const arch_peaks[] = {
	&avx512,
	&avx2,
	&avx,
	&sse2,
	NULL,
};

bool arch_peak_usable(const struct arch_peak *peak)
{
	if (peak == &avx512)
		return __builtin_cpu_supports("avx512f");
	if (peak == &avx2)
		return __builtin_cpu_supports("avx2") &&
		       __builtin_cpu_supports("fma");
	if (peak == &avx)
		return __builtin_cpu_supports("avx");
	return true;
}

#else

#if defined(__aarch64__)

#include <arm_neon.h>

#define MAD(x) vfmaq_f32(b, x, a)
DEFINE(float_best, , float32x4_t, vdupq_n_f32)
#undef MAD
#define MAD(x) vfmaq_f64(b, x, a)
DEFINE(double_best, , float64x2_t, vdupq_n_f64)
#undef MAD
ROW(best, "neon", 4, 2, float_best, double_best)

#else

#undef FIRST
#define FIRST(x) (x)
#define MAD(x)	 (x * a + b)
DEFINE(float_best, , float, (float))
DEFINE(double_best, , double, (double))
#undef MAD
ROW(best, "c", 1, 1, float_best, double_best)

#endif

const struct arch_peak *const arch_peaks[] = {
	&best,
	NULL,
};

bool arch_peak_usable(const struct arch_peak *peak)
{
	(void)peak;
	return true;
}

#endif

const struct arch_peak *arch_peak_best(void)
{
	const struct arch_peak *const *peak = arch_peaks;

	while (!arch_peak_usable(*peak))
		peak++;
	return *peak;
}
