/*
 * Each work-item reads 16 pieces a turn from a few KiB, PITCH pieces apart
 * (-D). The index of the first piece grows by one a turn and stays below mask +
 * 1, half of the pieces. A piece has BYTES bytes (-D).
 *
 * The compiler cannot drop a read: results are stored, and indices and turns
 * are arguments. XOR combines the reads in four results, because one result
 * would be a chain. Each work-item ends its loop at a different value:
 * otherwise PoCL would run them in turns.
 *
 * On CPUs, WORD is volatile for pieces of one word, because a compiler would
 * combine the pieces into vectors.
 */
#if BYTES == 4
#define piece   uint
#define FOLD(t) (t)
#elif BYTES == 8
#define piece   ulong
#define FOLD(t) ((uint)((t) ^ (t) >> 32))
#elif BYTES == 16
#define piece   uint4
#define FOLD(t) ((t).x ^ (t).y ^ (t).z ^ (t).w)
#else
#define piece   uint16
#define FOLD(t) fold_line(t)

uint fold_line(uint16 t)
{
	uint8 eight = t.lo ^ t.hi;
	uint4 four = eight.lo ^ eight.hi;

	return four.x ^ four.y ^ four.z ^ four.w;
}
#endif

#define SIXTEEN(DO)                                                            \
	DO(0, t0) DO(1, t1) DO(2, t2) DO(3, t3)                                \
	DO(4, t0) DO(5, t1) DO(6, t2) DO(7, t3)                                \
	DO(8, t0) DO(9, t1) DO(10, t2) DO(11, t3)                              \
	DO(12, t0) DO(13, t1) DO(14, t2) DO(15, t3)

#define BEGIN                                                                  \
	uint at = get_global_id(0), end = at + turns;                          \
	piece t0 = 0, t1 = 0, t2 = 0, t3 = 0;

#define END out[get_global_id(0)] = FOLD(t0 ^ t1 ^ t2 ^ t3);

#define READ(j, t) t ^= p[(j)*PITCH];

__kernel void peak_buffer(__global const WORD piece *a, __global uint *out,
	uint mask, uint turns)
{
	BEGIN

	for (; at != end; at++) {
		__global const WORD piece *p = a + (at & mask);

		SIXTEEN(READ)
	}
	END
}

/* The tile has 32 * PITCH pieces. Fill it as in local.cl. */
__kernel void peak_local(__local WORD piece *tile, __global uint *out,
	uint mask, uint turns)
{
	BEGIN

	for (uint i = get_local_id(0); i < 32 * PITCH * BYTES / 4;
		i += get_local_size(0))
		((__local uint *)tile)[i] = (i * 2654435761u) >> 8;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (; at != end; at++) {
		__local const WORD piece *p = tile + (at & mask);

		SIXTEEN(READ)
	}
	END
}

#if BYTES == 16 && defined(IMAGES)

#define TEXEL(j, t) t ^= read_imageui(a, p + (j)*PITCH);

__kernel void peak_image(__read_only image1d_buffer_t a, __global uint *out,
	uint mask, uint turns)
{
	BEGIN

	for (; at != end; at++) {
		int p = (int)(at & mask);

		SIXTEEN(TEXEL)
	}
	END
}

#endif
