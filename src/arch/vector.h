/*
 * Functions that access memory in bulk, one set for each register width: the
 * writer and the reader of a queue, the streaming copy, and the loops that
 * measure rates. The instruction set determines the compiled widths, and the
 * CPU determines the usable widths. On AArch64 the widest registers are those
 * of NEON; SVE is not used.
 *
 * Any thread may call these functions. Memory is aligned to 64 bytes unless a
 * function says otherwise. Nothing is atomic: the caller orders accesses
 * against other threads.
 */
#ifndef C2C_VECTOR_H
#define C2C_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The loops that measure rates take sizes that are multiples of this. */
#define ARCH_GRAIN ((size_t)512)

enum arch_access {
	ARCH_READ,     /* loads of a, and nothing else */
	ARCH_WRITE,    /* a = value */
	ARCH_COPY,     /* a = b */
	ARCH_TRIAD,    /* a = b + 3 * c, doubles */
	ARCH_NT_WRITE, /* a = value, bypassing the caches if possible */
	ARCH_NT_COPY,  /* a = b, bypassing the caches if possible */
	ARCH_ACCESSES,
};

/* Name of each access, and number of bytes it moves for each byte of a. */
#define ARCH_ACCESS_WORDS(word)                                                \
	word("read") word("write") word("copy") word("triad") word("nt-write") \
		word("nt-copy")
extern const char *const arch_access_names[ARCH_ACCESSES];
extern const unsigned arch_access_factors[ARCH_ACCESSES];

/* Arrays of a loop. b and c are NULL if the access does not use them. */
struct arch_arrays {
	void *a;
	const void *b, *c;
	size_t bytes;  /* bytes of each array; not 0 */
	size_t rounds; /* number of rounds */
	double value;  /* a normal value to write */
};

struct arch_vector {
	const char *name; /* "avx512", "avx2", "sse2", "neon", "scalar" */
	unsigned bytes;	  /* size of a register */

	/* Sizes for fill, read and stream are multiples of 64, and not 0. */

	/* Store word into every 8 bytes of to[bytes]. */
	void (*fill)(void *to, size_t bytes, uint64_t word);

	/* Load all of from[bytes]. Return the XOR of its 64-bit words. */
	uint64_t (*read)(const void *from, size_t bytes);

	/*
	 * Copy with stores that bypass the caches, if the instruction set has
	 * them. A release store after the call publishes the copy. On x86-64
	 * each call therefore ends with a fence, which waits for memory, so
	 * copy many bytes in each call.
	 */
	void (*stream)(
		void *restrict to, const void *restrict from, size_t bytes);

	/* c[i] = a[i] + b[i] for n floats; any alignment. */
	void (*add)(const float *a, const float *b, float *c, size_t n);

	/*
	 * The loops that measure rates. Threads may write the same bytes
	 * simultaneously if all write the same value.
	 */
	void (*rate[ARCH_ACCESSES])(const struct arch_arrays *arrays);

	/* ARCH_WRITE with more lines a turn, which is faster in some caches. */
	void (*write_long)(const struct arch_arrays *arrays);
};

/* Plain C, 8 bytes at a time: works everywhere. */
extern const struct arch_vector arch_vector_scalar;

/*
 * The widths compiled in: ARCH_VECTORS_MOST or less, widest first, then NULL.
 */
extern const struct arch_vector *const arch_vectors[];
#define ARCH_VECTORS_MOST 4

/* Return whether the CPU has these registers and the kernel saves them. */
bool arch_vector_usable(const struct arch_vector *vector);

const struct arch_vector *arch_vector_widest(void);

#endif
