/*
 * Twelve chains of one operation: two pipelines with a latency of up to six
 * cycles are full, and the chains and both numbers fit into 16 registers. The
 * factors and divisors are near 1, and sums small, so that no chain leaves the
 * normal numbers within the turns of a trial.
 */
#include "arch/peak.h"

#define CHAINS 12
#define EACH(DO)                                                               \
	DO(0)                                                                  \
	DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

/* What is added, and by what is multiplied and divided: exact in a float. */
#define ADDEND	   0.25
#define NO_FACTOR  1.0
#define FACTOR	   0.75
#define LESS_THAN1 (1 - 0x1p-17)
#define MORE_THAN1 (1 + 0x1p-17)

/* They begin apart: equal ones would be made one. */
#define DECLARE(k) x##k = start, start += b;
#define COLLECT(k) sum += x##k;

/* Steps of a chain. */
#define ADD(x, a, b)	 ((x) + (b))
#define MUL(x, a, b)	 ((x) * (a))
#define DIV(x, a, b)	 ((x) / (a))
#define MUL_ADD(x, a, b) ((x) * (a) + (b))

/* Neither types nor names stand in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */

#define LOOP(name, target, vector, first, factor, STEP)                        \
	static target double name(uint64_t turns)                              \
	{                                                                      \
		const vector a = first(factor), b = first(ADDEND);             \
		vector x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11;       \
		vector sum = a, start = b;                                     \
                                                                               \
		EACH(DECLARE)                                                  \
		for (uint64_t i = 0; i < turns; i++) {                         \
			x0 = STEP(x0, a, b), x1 = STEP(x1, a, b);              \
			x2 = STEP(x2, a, b), x3 = STEP(x3, a, b);              \
			x4 = STEP(x4, a, b), x5 = STEP(x5, a, b);              \
			x6 = STEP(x6, a, b), x7 = STEP(x7, a, b);              \
			x8 = STEP(x8, a, b), x9 = STEP(x9, a, b);              \
			x10 = STEP(x10, a, b), x11 = STEP(x11, a, b);          \
		}                                                              \
		EACH(COLLECT)                                                  \
		return (double)FIRST(sum);                                     \
	}

/* Of one vector all operations, and what a row of the table has of them. */
#define LOOPS(of, target, vector, first, mad)                                  \
	LOOP(add_##of, target, vector, first, NO_FACTOR, ADD)                  \
	LOOP(mul_##of, target, vector, first, LESS_THAN1, MUL)                 \
	LOOP(div_##of, target, vector, first, MORE_THAN1, DIV)                 \
	LOOP(mad_##of, target, vector, first, FACTOR, mad)

#define ROW(row, label, n_floats, n_doubles, float_of, double_of)              \
	static const struct arch_peak row = {                                  \
		.name = label,                                                 \
		.floats = CHAINS * (n_floats),                                 \
		.doubles = CHAINS * (n_doubles),                               \
		.run_float = {add_##float_of, mul_##float_of, div_##float_of,  \
			mad_##float_of},                                       \
		.run_double = {add_##double_of, mul_##double_of,               \
			div_##double_of, mad_##double_of},                     \
	};

/* NOLINTEND(bugprone-macro-parentheses) */

/* Vectors of the compiler's own can be indexed, added and so on. */
#define FIRST(x) (x)[0]

#if defined(__x86_64__)

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f")))
#define FMA    __attribute__((target("avx2,fma")))
#define AVX    __attribute__((target("avx")))

LOOPS(float_avx512, AVX512, __m512, _mm512_set1_ps, _mm512_fmadd_ps)
LOOPS(double_avx512, AVX512, __m512d, _mm512_set1_pd, _mm512_fmadd_pd)
ROW(avx512, "avx512", 16, 8, float_avx512, double_avx512)

LOOPS(float_fma, FMA, __m256, _mm256_set1_ps, _mm256_fmadd_ps)
LOOPS(double_fma, FMA, __m256d, _mm256_set1_pd, _mm256_fmadd_pd)
ROW(avx2, "fma", 8, 4, float_fma, double_fma)

LOOPS(float_avx, AVX, __m256, _mm256_set1_ps, MUL_ADD)
LOOPS(double_avx, AVX, __m256d, _mm256_set1_pd, MUL_ADD)
ROW(avx, "avx", 8, 4, float_avx, double_avx)

LOOPS(float_sse2, , __m128, _mm_set1_ps, MUL_ADD)
LOOPS(double_sse2, , __m128d, _mm_set1_pd, MUL_ADD)
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

#define MUL_ADD_FLOATS(x, a, b)	 vfmaq_f32(b, x, a)
#define MUL_ADD_DOUBLES(x, a, b) vfmaq_f64(b, x, a)
LOOPS(float_best, , float32x4_t, vdupq_n_f32, MUL_ADD_FLOATS)
LOOPS(double_best, , float64x2_t, vdupq_n_f64, MUL_ADD_DOUBLES)
ROW(best, "neon", 4, 2, float_best, double_best)

#else

#undef FIRST
#define FIRST(x) (x)
LOOPS(float_best, , float, (float), MUL_ADD)
LOOPS(double_best, , double, (double), MUL_ADD)
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
