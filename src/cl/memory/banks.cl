/*
 * Work-item l reads element l % width * stride + l / width % ROWS * pitch, and
 * the elements SPREAD, 2 * SPREAD, ... further. Every turn reads the same eight
 * elements. An element is a word of 4 or 8 bytes.
 *
 * The compiler can neither drop a read nor move it out of the loop: each turn
 * adds zero to the index, and zero, strides and turns are arguments. No read is
 * volatile, because an NVIDIA GPU would then bypass its first-level cache. Each
 * work-item ends its loop at a different value: otherwise PoCL would
 * interchange the loops over work-items and turns, and store the sums.
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

/* The tile has this many words of 4 bytes. It is filled as in local.cl. */
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
