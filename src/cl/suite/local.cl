/*
 * Each work-group fills a tile of `words` words, and accesses the tile.
 * Work-item l accesses word (l * stride + n) & (words / 2 - 1), where n grows
 * by ROW with every turn. The work-item also accesses 15 further words, PITCH
 * words apart (-D: 1/32 of the tile), because computing each address would take
 * longer. ROW and PITCH are multiples of the number of banks, so that all 16
 * words are in one bank.
 *
 * The accesses are volatile: compilers cannot drop or combine them. The number
 * of turns and the stride are arguments. The kernel has four sums, because one
 * sum would be a chain. Each work-item ends its loop at a different value:
 * otherwise PoCL would run them in turns and store their sums.
 */
#define ROW 32

#define SIXTEEN(DO)                                                            \
	DO(0, t0) DO(1, t1) DO(2, t2) DO(3, t3)                                \
	DO(4, t0) DO(5, t1) DO(6, t2) DO(7, t3)                                \
	DO(8, t0) DO(9, t1) DO(10, t2) DO(11, t3)                              \
	DO(12, t0) DO(13, t1) DO(14, t2) DO(15, t3)

/* Fill the tile; a word contains its index and its owner. */
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
 * Read local memory in vectors of WORDS words (-D). stride and turns are in
 * vectors, and n grows by one. V_PITCH is 1/32 of the tile, in vectors.
 *
 * The vectors are not volatile, because compilers access the words of a
 * volatile vector one by one. Compilers cannot drop a read: results are stored,
 * and indices and turns are arguments. XOR combines the reads, because AVX-512
 * combines three operands in one instruction: with additions, an Emerald Rapids
 * reads a fifth less. All groups have equal tiles, because an even number of
 * reads would cancel the group's number. The number of turns is odd, or all
 * reads would cancel out.
 */
#define JOIN(a, b)  a##b
#define TYPE(words) JOIN(uint, words)
#define vector	    TYPE(WORDS)

#define READ_V(j, t) t ^= p[j * V_PITCH];

__kernel void local_read_vectors(__local vector *tile, __global vector *out,
	uint v, uint vectors, uint stride, uint turns)
{
	uint at = get_local_id(0) * stride, end = at + turns;
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
	uint at = get_local_id(0) * stride, end = at + turns;
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
