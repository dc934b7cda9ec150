/*
 * How the writer and the reader of a queue and the streaming copy access
 * memory, once for each width of registers. The instruction set decides which
 * widths are compiled in, the CPU which of them work. On AArch64 the widest is
 * NEON; SVE is not used.
 *
 * Any thread may call these functions.
 */
#ifndef C2C_ARCH_VECTOR_H
#define C2C_ARCH_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * All memory here is aligned to 64 bytes, all sizes are multiples of 64 and
 * not 0. Nothing here is atomic: ordering against other threads is the
 * caller's.
 */
struct arch_vector {
	const char *name; /* "avx512", "avx2", "sse2", "neon", "c" */
	unsigned bytes;	  /* of a register */

	/* Store word into every 8 bytes of to[bytes]. */
	void (*fill)(void *to, size_t bytes, uint64_t word);

	/* Load all of from[bytes]; the XOR of its 64-bit words. */
	uint64_t (*read)(const void *from, size_t bytes);

	/*
	 * Copy with stores that bypass the caches, if the instruction set has
	 * them. For the caller they are ordered like plain stores: a release
	 * store that follows publishes them. On x86-64 that takes a fence at
	 * the end of each call, which waits for memory: copy much at once.
	 */
	void (*stream)(
		void *restrict to, const void *restrict from, size_t bytes);
};

/* 8 bytes at a time, in plain C: works everywhere. */
extern const struct arch_vector arch_vector_c;

/* Those compiled in, the widest first, then NULL. */
extern const struct arch_vector *const arch_vectors[];

/* Whether the CPU has these registers and the kernel keeps them. */
bool arch_vector_usable(const struct arch_vector *vector);

const struct arch_vector *arch_vector_widest(void);

#endif
