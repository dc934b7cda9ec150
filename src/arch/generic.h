/*
 * Other instruction sets: C11 fences and clock_gettime(). ARCH_COUNTER_NAME is
 * NULL, so the timebase never reads the counter.
 */
#ifndef C2C_GENERIC_H
#define C2C_GENERIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_COUNTER_NAME ((const char *)NULL)

static inline uint64_t arch_counter_begin(void)
{
	return 0;
}

static inline uint64_t arch_counter_end(void)
{
	return 0;
}

static inline double arch_counter_hz(void)
{
	return 0;
}

static inline bool arch_counter_invariant(void)
{
	return false;
}

#define ARCH_CLOCKS 0

static inline uint64_t arch_clocks(uint64_t sum)
{
	return sum;
}

#define ARCH_L1_INDEX_BYTES ((size_t)65536)

static inline void arch_spin_hint(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void arch_align_loop(void)
{
}

static inline bool arch_flush_works(void)
{
	return false;
}

static inline void arch_flush(const void *p, size_t bytes, unsigned line_bytes)
{
	(void)p;
	(void)bytes;
	(void)line_bytes;
}

static inline void arch_flush_line(const void *p)
{
	(void)p;
}

static inline void arch_fence(void)
{
	atomic_thread_fence(memory_order_seq_cst);
}

static inline void arch_hypervisor(char name[13])
{
	name[0] = '\0';
}

#endif
