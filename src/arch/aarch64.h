/*
 * AArch64. Sources: Arm ARM (DDI 0487), the generic timer (CNTVCT_EL0,
 * CNTFRQ_EL0), ISB, DSB, YIELD, DC CIVAC, CTR_EL0. The architecture guarantees
 * that the virtual counter is synchronous and has a constant rate. The CPU may
 * read it early: ISB delays the read until earlier instructions are done, but
 * does not wait for loads. DSB waits for loads, but does not delay a read of a
 * system register. DSB followed by ISB orders the read after loads.
 *
 * The spin-wait hint is ISB, which takes a few tens of cycles, like PAUSE.
 * YIELD is a no-op on nearly all cores.
 */
#ifndef C2C_AARCH64_H
#define C2C_AARCH64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_COUNTER_NAME "cntvct"

static inline uint64_t arch_counter_begin(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb"
			 : "=r"(ticks)
			 :
			 : "memory");
	return ticks;
}

static inline uint64_t arch_counter_end(void)
{
	__asm__ volatile("dsb ishld" ::: "memory");
	return arch_counter_begin();
}

static inline double arch_counter_hz(void)
{
	uint64_t hz;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
	return (double)hz;
}

static inline bool arch_counter_invariant(void)
{
	return true;
}

#define ARCH_CLOCKS 64

static inline uint64_t arch_clocks(uint64_t sum)
{
	__asm__ volatile(".rept 64\n\tadd %0, %0, %0\n\t.endr" : "+r"(sum));
	return sum;
}

/* An L1 of 64 KiB with four ways needs 16 KiB; some CPUs need more. */
#define ARCH_L1_INDEX_BYTES ((size_t)65536)

static inline void arch_spin_hint(void)
{
	__asm__ volatile("isb" ::: "memory");
}

static inline __attribute__((always_inline)) void arch_align_loop(void)
{
	__asm__ volatile(".p2align 6");
}

static inline bool arch_flush_works(void)
{
	return true;
}

/*
 * Write back and evict lines, which Linux permits (SCTLR_EL1.UCI, UCT). The
 * step is the smallest line of any data cache, from CTR_EL0 (log2 of its
 * words), not the caller's line_bytes.
 */
static inline void arch_flush(const void *p, size_t bytes, unsigned line_bytes)
{
	const char *line, *end = (const char *)p + bytes;
	uint64_t type, step;

	(void)line_bytes;
	__asm__("mrs %0, ctr_el0" : "=r"(type));
	step = UINT64_C(4) << (type >> 16 & 15);
	line = (const char *)p - (uintptr_t)p % step;
	for (; line < end; line += step)
		__asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
	__asm__ volatile("dsb ish" ::: "memory");
}

static inline void arch_flush_line(const void *p)
{
	__asm__ volatile("dc civac, %0" ::"r"(p) : "memory");
}

static inline void arch_fence(void)
{
	__asm__ volatile("dsb ish" ::: "memory");
}

static inline void arch_hypervisor(char name[13])
{
	name[0] = '\0';
}

#endif
