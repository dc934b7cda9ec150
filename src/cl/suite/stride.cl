/*
 * Formula 1 of the paper, where n grows by STEP (-D). The accesses are
 * volatile: the compiler cannot drop or combine the accesses of a work-item.
 * The number of turns, the stride and the mask are arguments. The kernel has
 * four sums, because one sum would be a chain.
 */
#define READ(t)                                                                \
	t += a[(s + n) & mask];                                                \
	n += STEP;
#define FOUR_READS READ(t0) READ(t1) READ(t2) READ(t3)

__kernel void stride_read(__global const volatile uint *a, __global uint *out,
	uint stride, uint mask, uint turns)
{
	uint g = get_global_id(0), s = g * stride, n = 0;
	uint t0 = 0, t1 = 0, t2 = 0, t3 = 0;

	for (uint i = 0; i < turns; i++) {
		FOUR_READS FOUR_READS FOUR_READS FOUR_READS
	}
	out[g] = t0 + t1 + t2 + t3;
}

#define WRITE                                                                  \
	x = (s + n) & mask;                                                    \
	a[x] = x + v;                                                          \
	n += STEP;
#define FOUR_WRITES WRITE WRITE WRITE WRITE

/*
 * A written word identifies its index and, through v, the call. The word does
 * not identify the work-item, because several work-items write the same word.
 */
__kernel void stride_write(__global volatile uint *a, uint v, uint stride,
	uint mask, uint turns)
{
	uint g = get_global_id(0), s = g * stride, n = 0, x;

	for (uint i = 0; i < turns; i++) {
		FOUR_WRITES FOUR_WRITES FOUR_WRITES FOUR_WRITES
	}
}

/*
 * Read or write whole lines on CPUs: 16 lines in a turn, a stride apart. A
 * work-item goes through its own part several times. The compiler cannot drop a
 * read: sums are stored, and stride and rounds are arguments.
 */
#define SIXTEEN(DO)                                                            \
	DO(0, t0) DO(1, t1) DO(2, t2) DO(3, t3)                                \
	DO(4, t0) DO(5, t1) DO(6, t2) DO(7, t3)                                \
	DO(8, t0) DO(9, t1) DO(10, t2) DO(11, t3)                              \
	DO(12, t0) DO(13, t1) DO(14, t2) DO(15, t3)

#define READ_LINE(j, t) t += p[j * apart];

__kernel void stride_read_lines(__global const uint16 *a,
	__global uint16 *out, uint part, uint stride, uint rounds TAKEN)
{
	EACH_ITEM {
		size_t apart = stride;
		__global const uint16 *begin = a + (size_t)item * part;
		__global const uint16 *end = begin + part;
		uint16 t0 = 0, t1 = 0, t2 = 0, t3 = 0;

		for (uint i = 0; i < rounds; i++) {
			for (__global const uint16 *p = begin; p < end;
				p += 16 * apart) {
				SIXTEEN(READ_LINE)
			}
		}
		LEAVE(out[item], t0 + t1 + t2 + t3);
	}
}

#define WRITE_LINE(j, t) p[j * apart] = (uint16)(x + j * stride);

/* A written line identifies its index and, through v, the call. */
__kernel void stride_write_lines(__global uint16 *a, uint v, uint part,
	uint stride, uint rounds TAKEN)
{
	EACH_ITEM {
		size_t apart = stride;
		__global uint16 *begin = a + (size_t)item * part;
		__global uint16 *end = begin + part;

		for (uint i = 0; i < rounds; i++) {
			uint x = item * part + v;

			for (__global uint16 *p = begin; p < end;
				p += 16 * apart) {
				SIXTEEN(WRITE_LINE)
				x += 16 * stride;
			}
		}
	}
}
