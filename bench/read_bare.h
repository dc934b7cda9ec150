/* The loop of numa.c and reads.c. It reads memory, and counts nothing. */
#ifndef C2C_BENCH_READ_BARE_H
#define C2C_BENCH_READ_BARE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
static void read_by_512(const char *from, const char *end)
{
	for (; from < end; from += 128)
		__asm__ volatile("vmovdqa64 (%0), %%zmm0\n\t"
				 "vmovdqa64 64(%0), %%zmm1"
				 :
				 : "r"(from)
				 : "memory", "xmm0", "xmm1");
}

static void read_by_256(const char *from, const char *end)
{
	for (; from < end; from += 128)
		__asm__ volatile("vmovdqa (%0), %%ymm0\n\t"
				 "vmovdqa 32(%0), %%ymm1\n\t"
				 "vmovdqa 64(%0), %%ymm2\n\t"
				 "vmovdqa 96(%0), %%ymm3"
				 :
				 : "r"(from)
				 : "memory", "xmm0", "xmm1", "xmm2", "xmm3");
}
#endif

/*
 * Read a piece, two lines an iteration, with the widest registers, as c2c does.
 * With 32 bytes at once, one CPU of a Xeon reads a sixth less memory than with
 * 64.
 */
static void read_piece(const char *from, size_t bytes)
{
#if defined(__x86_64__)
	static int width;

	if (width == 0)
		width = __builtin_cpu_supports("avx512f") ? 64
			: __builtin_cpu_supports("avx2")  ? 32
							  : 8;
	if (width == 64)
		read_by_512(from, from + bytes);
	if (width == 32)
		read_by_256(from, from + bytes);
	if (width > 8)
		return;
#endif
	for (size_t i = 0; i < bytes; i += 8)
		(void)*(const volatile uint64_t *)(const void *)(from + i);
}

#endif
