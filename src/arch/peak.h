/*
 * As much floating-point arithmetic as one CPU can do: multiplications and
 * additions in its widest registers, fused where it can, enough of them
 * independent of each other to fill its pipelines.
 *
 * Every function may be called from any thread.
 */
#ifndef C2C_ARCH_PEAK_H
#define C2C_ARCH_PEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_peak {
	const char *name; /* "avx512", "fma", "avx", "sse2", "neon", "c" */

	/* Operations of a turn, a multiplication and addition being two. */
	unsigned float_operations, double_operations;

	/* So many turns; the result is of no use but to be used. */
	double (*run_float)(uint64_t turns);
	double (*run_double)(uint64_t turns);
};

/* Those compiled in, the fastest first, then NULL. */
extern const struct arch_peak *const arch_peaks[];

/* Whether the CPU has these instructions and the kernel keeps the registers. */
bool arch_peak_usable(const struct arch_peak *peak);

const struct arch_peak *arch_peak_best(void);

#endif
