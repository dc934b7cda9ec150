/*
 * Each work-item reads the n consecutive words of one piece of the array, in
 * vectors of 16. The array has parts of 2^log_part pieces. The 2^log_items
 * work-items of all rounds of a part are consecutive, so that a CPU stays in
 * one part, like a native thread.
 *
 * n is a multiple of 16. The kernel has four sums, because one would be a chain
 * slower than the reads. At the end the halves of a vector are added, because
 * adding word by word takes as long as reading hundreds of words. The kernel
 * has no step of four lines: it would reduce the rate by a sixth even if it
 * never ran.
 */
#define READ(j, t) t += a[i + j];

__kernel void read_rows(__global const uint16 *a, __global uint *out,
	uint log_part, uint log_items, uint n)
{
	uint g = get_global_id(0), i = 0, lines = n / 16;
	uint in_part = g & ((1u << log_part) - 1);
	uint16 t0 = 0, t1 = 0, t2 = 0, t3 = 0;
	uint8 eight;
	uint4 four;

	a += (((size_t)(g >> log_items) << log_part) + in_part) * lines;
	for (; i + 8 <= lines; i += 8) {
		READ(0, t0) READ(1, t1) READ(2, t2) READ(3, t3)
		READ(4, t0) READ(5, t1) READ(6, t2) READ(7, t3)
	}
	for (; i < lines; i++) {
		READ(0, t0)
	}
	t0 = (t0 + t1) + (t2 + t3);
	eight = t0.lo + t0.hi;
	four = eight.lo + eight.hi;
	out[g] = (four.x + four.y) + (four.z + four.w);
}
