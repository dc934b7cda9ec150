/* The loop of numa.c and reads.c, which reads memory and counts nothing. */
#ifndef C2C_BENCH_READ_BARE_H
#define C2C_BENCH_READ_BARE_H

#include <stddef.h>
#include <stdint.h>

/* Read a piece, two lines a turn: 32 bytes at once where the CPU can. */
static void read_piece(const char *from, size_t bytes)
{
#if defined(__x86_64__)
	static int wide = -1;

	if (wide < 0)
		wide = __builtin_cpu_supports("avx2");
	for (const char *end = from + bytes; wide && from < end; from += 128)
		__asm__ volatile("vmovdqa (%0), %%ymm0\n\t"
				 "vmovdqa 32(%0), %%ymm1\n\t"
				 "vmovdqa 64(%0), %%ymm2\n\t"
				 "vmovdqa 96(%0), %%ymm3"
				 :
				 : "r"(from)
				 : "memory", "xmm0", "xmm1", "xmm2", "xmm3");
	if (wide)
		return;
#endif
	for (size_t i = 0; i < bytes; i += 8)
		(void)*(const volatile uint64_t *)(const void *)(from + i);
}

#endif
