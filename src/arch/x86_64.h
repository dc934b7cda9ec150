/*
 * x86-64. Sources: Intel SDM vol. 2 (RDTSC, RDTSCP, LFENCE, PAUSE, CLFLUSH,
 * CLFLUSHOPT), vol. 3 section 18.17 (invariant TSC); AMD APM vol. 3. On AMD,
 * LFENCE orders dispatch only if the kernel makes it serializing, as all
 * kernels with Spectre mitigations do.
 */
#ifndef C2C_X86_64_H
#define C2C_X86_64_H

#include <cpuid.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Use builtins, because the header of the intrinsics has 50,000 lines, which
 * every file with a clock would include.
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

	/* Unlike the intrinsic, do not store the processor number. */
	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high) : : "rcx", "memory");
	__builtin_ia32_lfence();
	return (uint64_t)high << 32 | low;
}

static inline double arch_counter_hz(void)
{
	unsigned a, b, c, d;

	/* Leaf 15H: b/a is the ratio TSC/crystal, c the crystal's rate. */
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
 * Add two registers. Since Golden Cove, the renamer adds constants, which takes
 * only a sixth of a clock in a chain.
 */
static inline uint64_t arch_clocks(uint64_t sum)
{
	__asm__ volatile(".rept 64\n\tadd %0, %0\n\t.endr"
			 : "+r"(sum)
			 :
			 : "cc");
	return sum;
}

/* The L1 index is a part of the page offset. */
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
 * Write back and evict lines. CLFLUSH waits for the previous flush. CLFLUSHOPT
 * does not wait, and is several times faster for much memory, but needs fences
 * after stores that bypass the caches, and before later accesses.
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
