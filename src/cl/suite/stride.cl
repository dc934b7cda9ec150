/*
 * Formula 1. The accesses are volatile: none may be left out or joined with
 * another of the same work-item. The turns, the stride and the mask are not
 * known when this is compiled. Four sums, since one is a chain.
 */
#define STEP 32768

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
 * A written word tells its place and, by v, the call. It does not tell the
 * work-item: many write the same word.
 */
__kernel void stride_write(__global volatile uint *a, uint v, uint stride,
	uint mask, uint turns)
{
	uint g = get_global_id(0), s = g * stride, n = 0, x;

	for (uint i = 0; i < turns; i++) {
		FOUR_WRITES FOUR_WRITES FOUR_WRITES FOUR_WRITES
	}
}
