/*
 * x86-64. Sources: Intel SDM vol. 2 (RDTSC, RDTSCP, LFENCE, PAUSE, CLFLUSH,
 * CLFLUSHOPT), vol. 3 section 18.17 (invariant TSC); AMD APM vol. 3. LFENCE
 * also orders dispatch on AMD, if the kernel has set it to serialize, as every
 * kernel with Spectre mitigations does.
 */
#ifndef C2C_X86_64_H
#define C2C_X86_64_H

#include <cpuid.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Use the compilers' builtins, not the intrinsics: their header has 50,000
 * lines, which each compiler and linter would read for every file with a clock.
 */

#define ARCH_COUNTER_NAME "tsc"

static inline uint64_t arch_counter_begin(void)
{
	uint64_t ticks;

	__builtin_ia32_lfence();
	ticks = __builtin_ia32_rdtsc();
	__builtin_ia32_lfence();
	return ticks;
}

static inline uint64_t arch_counter_end(void)
{
	uint32_t low, high;

	/* The intrinsic would store the processor number to memory. */
	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high) : : "rcx", "memory");
	__builtin_ia32_lfence();
	return (uint64_t)high << 32 | low;
}

static inline double arch_counter_hz(void)
{
	unsigned a, b, c, d;

	/* Leaf 15H: TSC/crystal ratio b/a and the crystal's rate c. */
	if (__get_cpuid_count(0x15, 0, &a, &b, &c, &d) && a && b && c)
		return (double)c * b / a;
	return 0;
}

static inline bool arch_counter_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

#define ARCH_CLOCKS 64

/*
 * Add two registers: since Golden Cove, the renamer adds constants without an
 * execution unit, so a chain of these takes a sixth of a clock each.
 */
static inline uint64_t arch_clocks(uint64_t sum)
{
	__asm__ volatile(".rept 64\n\tadd %0, %0\n\t.endr"
			 : "+r"(sum)
			 :
			 : "cc");
	return sum;
}

/* The L1 index is within the page offset, so that it needs no translation. */
#define ARCH_L1_INDEX_BYTES ((size_t)4096)

static inline void arch_spin_hint(void)
{
	__builtin_ia32_pause();
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
 * Write back and evict lines. CLFLUSH waits for the line before it. CLFLUSHOPT
 * does not, so it is several times faster for much memory; only a fence orders
 * it after stores that bypassed the caches, and before what follows.
 */
static inline void arch_flush(const void *p, size_t bytes, unsigned line_bytes)
{
	const char *line = (const char *)p - (uintptr_t)p % line_bytes;
	const char *end = (const char *)p + bytes;
	unsigned a, b, c, d;

	__builtin_ia32_mfence();
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 23))) {
		for (; line < end; line += line_bytes)
			__asm__ volatile("clflushopt (%0)" ::"r"(line)
					 : "memory");
	} else {
		for (; line < end; line += line_bytes)
			__builtin_ia32_clflush(line);
	}
	__builtin_ia32_mfence();
}

/* Every CPU has CLFLUSH; an MFENCE orders later accesses after it. */
static inline void arch_flush_line(const void *p)
{
	__builtin_ia32_clflush(p);
}

static inline void arch_fence(void)
{
	__builtin_ia32_mfence();
}

static inline void arch_hypervisor(char name[13])
{
	unsigned a, b, c, d;

	memset(name, 0, 13);
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 31)))
		return;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(name, &b, 4);
	memcpy(name + 4, &c, 4);
	memcpy(name + 8, &d, 4);
}

#endif
