/*
 * Work-item l reads element l % width * stride + l / width % ROWS * pitch, and
 * those SPREAD, 2 * SPREAD, ... further, eight in a turn, the same again in the
 * next. An element is the type word: 4 or 8 bytes.
 *
 * Nothing can be left out or moved out of the loop: zero is added to the place
 * in each turn, and neither that it is 0 nor the strides nor the turns are
 * known when this is compiled. No read is volatile: a GPU of NVIDIA would read
 * around its first-level cache. The loop ends elsewhere for each work-item:
 * where it ends for all at once, PoCL has them take turns in it, and stores
 * their sums.
 */
#define ROWS   32
#define SPREAD 4

#define READ(j, t) t += p[(j)*SPREAD];
#define FOUR(j)	   READ(j, t0) READ(j + 1, t1) READ(j + 2, t2) READ(j + 3, t3)
#define PLACE	   (l % width * stride + l / width % ROWS * pitch)

__kernel void banks_global(__global const word *a, __global word *out,
	uint width, uint stride, uint pitch, uint zero, uint turns)
{
	uint l = get_local_id(0);
	__global const word *p = a + PLACE;
	word t0 = 0, t1 = 0, t2 = 0, t3 = 0;

	for (uint i = l; i != l + turns; i++) {
		FOUR(0) FOUR(4) p += zero;
	}
	out[get_global_id(0)] = t0 + t1 + t2 + t3;
}

/* The tile has this many words of 4 bytes, as local.cl fills them. */
__kernel void banks_local(__local word *tile, __global word *out, uint width,
	uint stride, uint pitch, uint zero, uint turns, uint words)
{
	uint l = get_local_id(0);
	__local const word *p = tile + PLACE;
	word t0 = 0, t1 = 0, t2 = 0, t3 = 0;

	for (uint i = l; i < words; i += get_local_size(0))
		((__local uint *)tile)[i] = (i * 2654435761u) >> 8;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = l; i != l + turns; i++) {
		FOUR(0) FOUR(4) p += zero;
	}
	out[get_global_id(0)] = t0 + t1 + t2 + t3;
}
