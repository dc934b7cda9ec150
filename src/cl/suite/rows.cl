/*
 * Work-item g reads the n words of one piece of the array, which lie side by
 * side, 16 at a time: these vectors allow no other order. There are
 * as many pieces as pieces says, a power of two; with more work-items than
 * these the array is read again. n is a multiple of 16. Four sums, since one is
 * a chain that is longer than the reads.
 */
__kernel void read_rows(
	__global const uint *a, __global uint *out, uint pieces, uint n)
{
	size_t g = get_global_id(0);
	uint16 t0 = 0, t1 = 0, t2 = 0, t3 = 0;
	uint i = 0;

	a += (g & (pieces - 1)) * n;
	for (; i + 64 <= n; i += 64) {
		t0 += vload16(0, a + i);
		t1 += vload16(1, a + i);
		t2 += vload16(2, a + i);
		t3 += vload16(3, a + i);
	}
	for (; i < n; i += 16)
		t0 += vload16(0, a + i);
	t0 = (t0 + t1) + (t2 + t3);
	out[g] = t0.s0 + t0.s1 + t0.s2 + t0.s3 + t0.s4 + t0.s5 + t0.s6 + t0.s7 +
		 t0.s8 + t0.s9 + t0.sa + t0.sb + t0.sc + t0.sd + t0.se + t0.sf;
}
