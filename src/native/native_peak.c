/*
 * Run chains of one operation: enough chains to fill the pipelines, but few
 * enough to fit into registers with two constants. Twelve of 16 registers
 * suffice for two pipelines with a latency of six cycles, and 24 of 32 for the
 * four pipelines of some AArch64 CPUs. The factors and divisors are near 1, and
 * the sums are small, so no value becomes denormal or infinite during a trial.
 */
#include "native/native_peak.h"

#include <stddef.h>

/* EACH() expands DO(k, STEP) for each chain. */
/* clang-format off */
#define TWELVE(DO, STEP)                                                       \
	DO(0, STEP) DO(1, STEP) DO(2, STEP) DO(3, STEP) DO(4, STEP)            \
	DO(5, STEP) DO(6, STEP) DO(7, STEP) DO(8, STEP) DO(9, STEP)            \
	DO(10, STEP) DO(11, STEP)
#define TWELVE_MORE(DO, STEP)                                                  \
	DO(12, STEP) DO(13, STEP) DO(14, STEP) DO(15, STEP) DO(16, STEP)       \
	DO(17, STEP) DO(18, STEP) DO(19, STEP) DO(20, STEP) DO(21, STEP)       \
	DO(22, STEP) DO(23, STEP)
/* clang-format on */

#if ARCH_PEAK_CHAINS == 24
#define EACH(DO, STEP) TWELVE(DO, STEP) TWELVE_MORE(DO, STEP)
#else
#define EACH(DO, STEP) TWELVE(DO, STEP)
#endif

/* Constants, exact in a float. */
#define ADDEND	   0.25
#define NO_FACTOR  1.0
#define FACTOR	   0.75
#define LESS_THAN1 (1 - 0x1p-17)
#define MORE_THAN1 (1 + 0x1p-17)

/* Chains begin with different values: the compiler would merge equal chains. */
#define DECLARE(k, STEP)                                                       \
	__typeof__(start) x##k = start;                                        \
	start += b;
#define ADVANCE(k, STEP) x##k = STEP(x##k, a, b);
#define COLLECT(k, STEP) sum += x##k;

/* One step of a chain. */
#define ADD(x, a, b)	 ((x) + (b))
#define MUL(x, a, b)	 ((x) * (a))
#define DIV(x, a, b)	 ((x) / (a))
#define MUL_ADD(x, a, b) ((x) * (a) + (b))

/* Type and name arguments cannot be in parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */

#define LOOP(name, target, vector, first, factor, STEP)                        \
	static target double name(uint64_t turns)                              \
	{                                                                      \
		const vector a = first(factor), b = first(ADDEND);             \
		vector sum = a, start = b;                                     \
                                                                               \
		EACH(DECLARE, STEP)                                            \
		for (uint64_t i = 0; i < turns; i++) {                         \
			EACH(ADVANCE, STEP)                                    \
		}                                                              \
		EACH(COLLECT, STEP)                                            \
		return (double)FIRST(sum);                                     \
	}

/* The loops of all operations on a vector type, and their table entry. */
#define LOOPS(of, target, vector, first, mad)                                  \
	LOOP(add_##of, target, vector, first, NO_FACTOR, ADD)                  \
	LOOP(mul_##of, target, vector, first, LESS_THAN1, MUL)                 \
	LOOP(div_##of, target, vector, first, MORE_THAN1, DIV)                 \
	LOOP(mad_##of, target, vector, first, FACTOR, mad)

#define ROW(row, label, n_floats, n_doubles, float_of, double_of)              \
	static const struct arch_peak row = {                                  \
		.name = label,                                                 \
		.floats = ARCH_PEAK_CHAINS * (n_floats),                       \
		.doubles = ARCH_PEAK_CHAINS * (n_doubles),                     \
		.run_float = {add_##float_of, mul_##float_of, div_##float_of,  \
			mad_##float_of},                                       \
		.run_double = {add_##double_of, mul_##double_of,               \
			div_##double_of, mad_##double_of},                     \
	};

/* NOLINTEND(bugprone-macro-parentheses) */

/* The compiler can index and add vectors. */
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

/* FMLA overwrites its addend, which is therefore the chain's number. */
#define MUL_ADD_FLOATS(x, a, b)	 vfmaq_f32(x, a, b)
#define MUL_ADD_DOUBLES(x, a, b) vfmaq_f64(x, a, b)
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
