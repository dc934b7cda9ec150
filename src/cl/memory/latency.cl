/*
 * One work-item follows a chain: each read returns the address of the next
 * read. The chain is in memory and the number of turns is an argument, so the
 * compiler can neither drop a read nor start it before the previous one ends.
 * One read outside the loop makes the number of reads odd. Every ring has an
 * even number of lines, so no chain ends where it began.
 *
 * state has two words for each ring: where its chain continues, and the number
 * of reads so far.
 */
#define TURN	32
#define EIGHT	STEP STEP STEP STEP STEP STEP STEP STEP
#define ALL	EIGHT EIGHT EIGHT EIGHT
#define FOLLOW                                                                 \
	STEP                                                                   \
	for (uint turn = 0; turn < turns; turn++) {                            \
		ALL                                                            \
	}
#define LEAVE(end)                                                             \
	state[2 * ring] = (end);                                               \
	state[2 * ring + 1] += turns * TURN + 1;

#if !defined(TABLE) && !defined(IMAGES)

/*
 * Outside constant memory a link is a pointer, as in c2c cache, so that only
 * the load takes time. The host does not know the device's pointers, so it
 * writes offsets.
 */
#define NUMBER(p) ((ulong)(p))
#define STEP	  p = (pointer)*p;

/* Replace the offsets in WORDS words (-D) of each line by pointers, once. */
__kernel void link(__global ulong *cells, __global ulong *begin)
{
	size_t first = get_global_id(0) * WORDS;

	for (size_t i = first; i < first + WORDS; i++)
		cells[i] += NUMBER(cells);
	if (first == 0)
		begin[0] = NUMBER(cells);
}

/* If the buffer moved, change nothing: its pointers are invalid. */
__kernel void follow_global(__global ulong *cells,
	__global const ulong *begin, __global uint *state, uint ring,
	uint turns)
{
	typedef __global ulong *pointer;
	pointer p = (pointer)(NUMBER(cells) + state[2 * ring]);

	if (begin[0] != NUMBER(cells))
		return;
	FOLLOW
	LEAVE((uint)(NUMBER(p) - NUMBER(cells)))
}

/* Fill empty local memory. The ring of n lines begins at next[first]. */
__kernel void follow_local(__local ulong *tile, __global const uint *next,
	uint first, uint n, __global uint *state, uint ring, uint turns)
{
	typedef __local ulong *pointer;
	pointer p = tile + state[2 * ring] * WORDS;

	for (uint i = 0; i < n; i++)
		tile[i * WORDS] = NUMBER(tile + next[first + i] * WORDS);
	FOLLOW
	LEAVE((uint)((NUMBER(p) - NUMBER(tile)) / (8 * WORDS)))
}

#elif defined(TABLE)

/*
 * The table is a part of the program, because a device may read an argument in
 * constant memory like other memory. A word is the byte offset of the next
 * read.
 */
__constant uint table[] __attribute__((aligned(64))) = {TABLE};

#define AT(i) (*(__constant const uint *)((__constant const char *)table + (i)))
#define STEP  at = AT(at);

__kernel void follow_constant(__global uint *state, uint ring, uint turns)
{
	uint at = state[2 * ring];

	FOLLOW
	LEAVE(at)
}

#else

#define STEP at = NEXT(at);

#define NEXT(i) read_imageui(image, (int)(i)).x

__kernel void follow_image1d(__read_only image1d_buffer_t image,
	__global uint *state, uint ring, uint turns)
{
	uint at = state[2 * ring];

	FOLLOW
	LEAVE(at)
}

#undef NEXT
#define NEXT(i) read_imageui(image, nearest, (int2)((i) & 0xffff, (i) >> 16)).x

__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE |
	CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void follow_image2d(__read_only image2d_t image,
	__global uint *state, uint ring, uint turns)
{
	uint at = state[2 * ring];

	FOLLOW
	LEAVE(at)
}

#endif
