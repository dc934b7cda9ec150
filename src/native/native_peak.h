/*
 * Run one kind of floating-point arithmetic at the highest rate of a CPU: in
 * its widest registers, with enough independent chains to fill its pipelines.
 * Additions and multiplications have different rates, because a pipeline may
 * support only one of them, and because a fused multiply-add does both.
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
	ARCH_MAD, /* multiply and add, fused if the CPU can */
	ARCH_OPERATIONS,
};

/* Independent chains of numbers, or of vectors. */
#if defined(__aarch64__)
#define ARCH_PEAK_CHAINS 24
#else
#define ARCH_PEAK_CHAINS 12
#endif

/* Largest number of turns in which all numbers stay normal. */
#define ARCH_PEAK_TURNS 2000000

struct arch_peak {
	const char *name; /* "avx512", "fma", "avx", "sse2", "neon", "c" */

	/* Operations of a turn, on floats and on doubles. */
	unsigned floats, doubles;

	/* turns <= ARCH_PEAK_TURNS. The caller must use the result. */
	double (*run_float[ARCH_OPERATIONS])(uint64_t turns);
	double (*run_double[ARCH_OPERATIONS])(uint64_t turns);
};

/* The compiled-in register widths, fastest first, then NULL. */
extern const struct arch_peak *const arch_peaks[];

/* Return whether the CPU has these instructions and the kernel allows them. */
bool arch_peak_usable(const struct arch_peak *peak);

const struct arch_peak *arch_peak_best(void);

#endif
