/*
 * AArch64. Sources: Arm ARM (DDI 0487) D13 (generic timer, CNTVCT_EL0,
 * CNTFRQ_EL0), ISB, YIELD, DC CIVAC. The virtual counter is synchronous and
 * constant by architecture. ISB orders the read against earlier instructions.
 *
 * The relax hint is ISB: YIELD is a no-op on cores without SMT, which is
 * nearly all of them, while ISB costs a few tens of cycles, as PAUSE does.
 */
#ifndef C2C_ARCH_AARCH64_H
#define C2C_ARCH_AARCH64_H

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

static inline void arch_relax(void)
{
	__asm__ volatile("isb" ::: "memory");
}

static inline bool arch_flush_works(void)
{
	return true;
}

/* Linux lets programs do this (SCTLR_EL1.UCI). */
static inline void arch_flush(const void *p, size_t bytes, unsigned line_bytes)
{
	const char *line = (const char *)p - (uintptr_t)p % line_bytes;
	const char *end = (const char *)p + bytes;

	for (; line < end; line += line_bytes)
		__asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
	__asm__ volatile("dsb ish" ::: "memory");
}

static inline void arch_hypervisor(char name[13])
{
	name[0] = '\0';
}

#endif
