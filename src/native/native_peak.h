/*
 * As much floating-point arithmetic of one kind as one CPU can do: in its
 * widest registers, with enough independent chains to fill its pipelines. The
 * rate of additions does not tell that of multiplications: a pipeline may do
 * only one of them, and a fused multiplication and addition is one instruction
 * for two operations.
 *
 * Any thread may call these functions.
 */
#ifndef C2C_NATIVE_PEAK_H
#define C2C_NATIVE_PEAK_H

#include <stdbool.h>
#include <stdint.h>

enum arch_operation {
	ARCH_ADD,
	ARCH_MUL,
	ARCH_DIV,
	ARCH_MAD, /* multiply and add, fused where it can */
	ARCH_OPERATIONS,
};

/* How many numbers, or vectors, do not wait for each other. */
#if defined(__aarch64__)
#define ARCH_PEAK_CHAINS 24
#else
#define ARCH_PEAK_CHAINS 12
#endif

/* Within these turns no number leaves the normal ones. */
#define ARCH_PEAK_TURNS 2000000

struct arch_peak {
	const char *name; /* "avx512", "fma", "avx", "sse2", "neon", "c" */

	/* Numbers to which a turn does the operation once each. */
	unsigned floats, doubles;

	/* At most ARCH_PEAK_TURNS; use the result, so that it is computed. */
	double (*run_float[ARCH_OPERATIONS])(uint64_t turns);
	double (*run_double[ARCH_OPERATIONS])(uint64_t turns);
};

/* Those compiled in, the fastest first, then NULL. */
extern const struct arch_peak *const arch_peaks[];

/* Whether the CPU has these instructions and the kernel keeps the registers. */
bool arch_peak_usable(const struct arch_peak *peak);

const struct arch_peak *arch_peak_best(void);

#endif
