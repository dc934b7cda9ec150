/*
 * Each work-group fills a tile of words words, and accesses it: work-item l the
 * words (l * stride + n) & (words / 2 - 1), n growing by ROW with every turn,
 * and 15 others, each PITCH words further, a thirty-second of the tile (-D): to
 * compute each address would take longer than the access. Both are multiples of
 * the banks that devices have, so that all 16 fall into the same bank.
 *
 * The accesses are volatile: none may be left out or joined. Turns and stride
 * are not known when this is compiled. Four sums, since one is a chain. The
 * loop ends elsewhere for each work-item: where it ends for all at once, PoCL
 * has them take turns in it, and stores their sums.
 */
#define ROW 32

#define SIXTEEN(DO)                                                            \
	DO(0, t0) DO(1, t1) DO(2, t2) DO(3, t3)                                \
	DO(4, t0) DO(5, t1) DO(6, t2) DO(7, t3)                                \
	DO(8, t0) DO(9, t1) DO(10, t2) DO(11, t3)                              \
	DO(12, t0) DO(13, t1) DO(14, t2) DO(15, t3)

/* What a word holds before: which it is, and whose. */
void fill(__local volatile uint *tile, uint words, uint owner)
{
	for (uint i = get_local_id(0); i < words; i += get_local_size(0))
		tile[i] = ((i * 2654435761u) >> 8) + owner;
}

#define READ(j, t) t += p[j * PITCH];

__kernel void local_read(__local volatile uint *tile, __global uint *out,
	uint v, uint words, uint stride, uint turns)
{
	uint at = get_local_id(0) * stride, end = at + turns * ROW;
	uint mask = words / 2 - 1;
	uint t0 = v, t1 = 0, t2 = 0, t3 = 0;

	fill(tile, words, get_group_id(0));
	barrier(CLK_LOCAL_MEM_FENCE);
	for (; at != end; at += ROW) {
		__local const volatile uint *p = tile + (at & mask);

		SIXTEEN(READ)
	}
	out[get_global_id(0)] = t0 + t1 + t2 + t3;
}

#define WRITE(j, t) p[j * PITCH] = x + j * PITCH + v;

__kernel void local_write(__local volatile uint *tile, __global uint *out,
	uint v, uint words, uint stride, uint turns)
{
	uint at = get_local_id(0) * stride, end = at + turns * ROW;
	uint mask = words / 2 - 1;

	v += get_group_id(0);
	fill(tile, words, get_group_id(0));
	barrier(CLK_LOCAL_MEM_FENCE);
	for (; at != end; at += ROW) {
		uint x = at & mask;
		__local volatile uint *p = tile + x;

		SIXTEEN(WRITE)
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_local_id(0); i < words; i += get_local_size(0))
		out[get_group_id(0) * words + i] = tile[i];
}

/*
 * The same in vectors, WORDS words each (-D): stride and turns count vectors,
 * and n grows by one. V_PITCH is a thirty-second of the tile, in vectors.
 *
 * Nothing is volatile, since compilers take single words of a volatile vector.
 * No read can be left out: the results are stored, and neither the places nor
 * the turns are known. They are joined by XOR, because AVX-512 joins three at
 * once: additions read a fifth less on an Emerald Rapids. The tile is the same
 * in each group, since an even number of reads joins the group away; and there
 * is one turn less than asked for, or everything would be joined away.
 */
#define JOIN(a, b)  a##b
#define TYPE(words) JOIN(uint, words)
#define vector	    TYPE(WORDS)

#define READ_V(j, t) t ^= p[j * V_PITCH];

__kernel void local_read_vectors(__local vector *tile, __global vector *out,
	uint v, uint vectors, uint stride, uint turns)
{
	uint at = get_local_id(0) * stride, end = at + turns - 1;
	uint mask = vectors / 2 - 1;
	vector t0 = v, t1 = 0, t2 = 0, t3 = 0;

	fill((__local uint *)tile, vectors * WORDS, 0);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (; at != end; at++) {
		__local const vector *p = tile + (at & mask);

		SIXTEEN(READ_V)
	}
	out[get_global_id(0)] = t0 ^ t1 ^ t2 ^ t3;
}

#define WRITE_V(j, t) p[j * V_PITCH] = x + (vector)(j * V_PITCH);

__kernel void local_write_vectors(__local vector *tile, __global vector *out,
	uint v, uint vectors, uint stride, uint turns)
{
	uint at = get_local_id(0) * stride, end = at + turns - 1;
	uint mask = vectors / 2 - 1;

	v += get_group_id(0);
	fill((__local uint *)tile, vectors * WORDS, get_group_id(0));
	barrier(CLK_LOCAL_MEM_FENCE);
	for (; at != end; at++) {
		__local vector *p = tile + (at & mask);
		vector x = (at & mask) + v;

		SIXTEEN(WRITE_V)
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = get_local_id(0); i < vectors; i += get_local_size(0))
		out[get_group_id(0) * vectors + i] = tile[i];
}
