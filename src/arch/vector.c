/*
 * The register widths: on x86-64 SSE2, which every CPU has, AVX2 and AVX-512;
 * on AArch64 NEON, which Linux requires; on all others plain C.
 *
 * On x86-64 the compiler ends functions for wider registers with VZEROUPPER.
 * Without VZEROUPPER, later SSE code is slow on some CPUs.
 */
#include "arch/vector.h"

#include <string.h>

#include "arch/arch.h"
#include "util/words.h"

#define VECTOR_OF(bytes) __attribute__((vector_size(bytes), may_alias))

/* Threads may write the same value to the same bytes. */
#define RACY __attribute__((no_sanitize("thread")))

#if defined(__x86_64__)

#include <immintrin.h>

#define REGISTER_WORD "x"

#define NAME(x)	       x##_avx512
#define WIDTH	       "avx512"
#define STORAGE	       static
#define TARGET	       __attribute__((target("avx512f")))
#define BYTES	       64
#define REGISTER       "v"
#define NT_STORE(p, v) _mm512_stream_pd((double *)(p), v)
#define NT_END()       _mm_sfence()
#include "arch/vector_kernels.h"

#define NAME(x)	       x##_avx2
#define WIDTH	       "avx2"
#define STORAGE	       static
#define TARGET	       __attribute__((target("avx2")))
#define BYTES	       32
#define REGISTER       "x"
#define NT_STORE(p, v) _mm256_stream_pd((double *)(p), v)
#define NT_END()       _mm_sfence()
#include "arch/vector_kernels.h"

#define NAME(x) x##_sse2
#define WIDTH	"sse2"
#define STORAGE static
#define TARGET
#define BYTES	       16
#define REGISTER       "x"
#define NT_STORE(p, v) _mm_stream_pd((double *)(p), v)
#define NT_END()       _mm_sfence()
#include "arch/vector_kernels.h"

#elif defined(__aarch64__)

#define REGISTER_WORD "w"

/* GCC has no intrinsic for STNP, which is ordered like any store. */
#define NAME(x)	      x##_neon
#define WIDTH	      "neon"
#define STORAGE	      static
#define TARGET
#define BYTES	       16
#define REGISTER       "w"
#define NT_STORE(p, v) (*(p) = (v))
#define NT_PAIR(p, v, w)                                                       \
	__asm__ volatile("stnp %q1, %q2, %0"                                   \
			 : "=Q"(*(char(*)[32])(p))                             \
			 : "w"(v), "w"(w))
#define NT_END()
#include "arch/vector_kernels.h"

#else
#define REGISTER_WORD "rf"
#endif

/* C has no stores that bypass the caches. */
#define NAME(x) x##_scalar
#define WIDTH	"scalar"
#define STORAGE
#define TARGET
#define BYTES	       8
#define REGISTER       REGISTER_WORD
#define NT_STORE(p, v) (*(volatile double *)(p) = (v))
#define NT_END()
#include "arch/vector_kernels.h"

const struct arch_vector *const arch_vectors[] = {
#if defined(__x86_64__)
	&arch_vector_avx512,
	&arch_vector_avx2,
	&arch_vector_sse2,
#elif defined(__aarch64__)
	&arch_vector_neon,
#endif
	&arch_vector_scalar,
	NULL,
};

const char *const arch_access_names[ARCH_ACCESSES] = {
	ARCH_ACCESS_WORDS(WORDS_LIST)};
const unsigned arch_access_factors[ARCH_ACCESSES] = {1, 1, 2, 3, 1, 2};

/* The builtin also checks by XGETBV that the kernel saves the registers. */
bool arch_vector_usable(const struct arch_vector *vector)
{
#if defined(__x86_64__)
	if (vector == &arch_vector_avx512)
		return __builtin_cpu_supports("avx512f");
	if (vector == &arch_vector_avx2)
		return __builtin_cpu_supports("avx2");
#endif
	(void)vector;
	return true;
}

const struct arch_vector *arch_vector_widest(void)
{
	const struct arch_vector *const *vector = arch_vectors;

	while (!arch_vector_usable(*vector))
		vector++;
	return *vector;
}
