/*
 * Each work-group repeatedly goes through a region of vectors of WORDS words
 * (-D). A region begins at a multiple of slice: the first
 * `blocks` multiples. In its region, group g begins g * apart vectors farther,
 * and wraps around at the end. With slice = region, each group has its own
 * part. With slice = 0 all share one region, and start at the same vector
 * (apart = 0) or at different vectors.
 *
 * The compiler cannot drop a read: results are stored, and offsets and rounds
 * are arguments. XOR combines the reads; the number of rounds is odd, because
 * the reads of an even number would cancel out.
 *
 * On CPUs a work-item is a whole group and reads 16 consecutive vectors.
 * Work-items of other devices read four vectors a turn.
 */
#define JOIN(a, b)  a##b
#define TYPE(words) JOIN(uint, words)
#if WORDS == 1
#define vector	    uint
#define FIRST_OF(t) (t)
#else
#define vector	    TYPE(WORDS)
#define FIRST_OF(t) (t).x
#endif

#if WORDS == 16

/*
 * Combine adjacent vectors into one result. LLVM combines three operands in one
 * instruction, and swaps the loads of two of them. On an AMD Zen 5, loads four
 * vectors apart reached 78 % of the native rate of the L2; adjacent loads reach
 * 97 %.
 */
#define SIXTEEN(DO)                                                            \
	DO(0, t0) DO(1, t0) DO(2, t1) DO(3, t1)                                \
	DO(4, t2) DO(5, t2) DO(6, t3) DO(7, t3)                                \
	DO(8, t0) DO(9, t0) DO(10, t1) DO(11, t1)                              \
	DO(12, t2) DO(13, t2) DO(14, t3) DO(15, t3)

/*
 * Some CPUs are slower, for instance SMT siblings. To avoid waiting for the
 * slowest CPU, each group does one round and then takes more rounds from the
 * counter next[0] until all rounds are done. On its own part, a group takes an
 * even number of rounds at a time. If the rounds are few, they are divided
 * equally, because the last rounds would not end together. Without counters,
 * all rounds are divided equally. The last group resets the counters for the
 * next run.
 */
#define FEW    16
#define TAKINGS 64
#define ENDED  16 /* next[ENDED] counts groups, on its own cache line */

#define BEGIN                                                                  \
	uint g = get_group_id(0), n = get_num_groups(0);                       \
	uint first = g % blocks * slice, end = first + region;                 \
	uint i = first + g % (region / 16) * apart % region;                   \
	uint odd = rounds | 1, all = (odd - 1) * n;                            \
	uint some = !next || odd < FEW ? 0 : max(2u, odd / TAKINGS & ~1u);      \
	uint take = some ? 1 : odd;

#define EACH_TURN                                                              \
	for (; take != 0; take = take_rounds(next, some, all))                 \
		for (ulong turn = (ulong)take * (region / 16); turn != 0; turn--)

#define NEXT                                                                   \
	i += 16;                                                               \
	i = i == end ? first : i;

#define END                                                                    \
	if (some && atomic_inc(next + ENDED) == n - 1) {                       \
		atomic_xchg(next, 0);                                          \
		atomic_xchg(next + ENDED, 0);                                  \
	}

uint take_rounds(volatile __global uint *next, uint some, uint all)
{
	uint k = some ? atomic_add(next, some) : all;

	return k < all ? min(some, all - k) : 0;
}

#define READ(j, t) t ^= p[j];

__kernel void cache_read(__global const vector *a, __global vector *out,
	uint writers, uint blocks, uint slice, uint apart, uint region,
	uint rounds, volatile __global uint *next)
{
	vector t0 = 0, t1 = 0, t2 = 0, t3 = 0;
	BEGIN

	EACH_TURN {
		__global const vector *p = a + i;

		SIXTEEN(READ)
		NEXT
	}
	out[g] = t0 ^ t1 ^ t2 ^ t3;
	END
}

#define WRITE(j, t) p[j] = x + (vector)(j);

/* A written vector identifies its index and, through v, the call. */
__kernel void cache_write(__global vector *a, uint v, uint blocks, uint slice,
	uint apart, uint region, uint rounds, volatile __global uint *next)
{
	BEGIN

	EACH_TURN {
		__global vector *p = a + i;
		vector x = i + v;

		SIXTEEN(WRITE)
		NEXT
	}
	END
}

#else

/* Elements of 12 bytes have no gaps; a vector of three would take 16. */
#if WORDS == 3
typedef uint element;
#define LOAD(p, k)     vload3(k, p)
#define STORE(p, k, x) vstore3(x, k, p)
#else
typedef vector element;
#define LOAD(p, k)     p[k]
#define STORE(p, k, x) p[k] = x
#endif

/*
 * With CHANNELS (-D) the array is an image whose rows have 2^log_width
 * elements.
 */
#ifdef CHANNELS
#define SOURCE	     __read_only image2d_t
#define TARGET	     __write_only image2d_t
#define INDEX	     uint
#define LAST	     , uint log_width
#define PLACE(k)     ((int2)((k) & ((1u << log_width) - 1), (k) >> log_width))
#define READ(k)	     read_imageui(a, nearest, PLACE(k)).CHANNELS
#define WRITE(k, x)  write_imageui(a, PLACE(k), (uint4)(x))

__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE |
	CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#else
#define SOURCE	     __global const element *
#define TARGET	     __global element *
#define INDEX	     ulong
#define LAST
#define READ(k)	     LOAD(a, k)
#define WRITE(k, x)  STORE(a, k, (vector)(x))
#endif

/*
 * The 32 work-items l to l + 31 read 128 consecutive vectors in four strips, so
 * that the offsets between the four reads are constants. i is in vectors.
 */
#define BEGIN                                                                  \
	uint g = get_group_id(0), l = get_local_id(0);                         \
	uint row = 4 * get_local_size(0), rows = region / row;                 \
	uint first = g % blocks * slice, i = g % rows * apart % region;        \
	uint turns = (rounds | 1) * rows, at = first + l / 32 * 128 + l % 32;

/*
 * Sub-groups wait for each other after this many vectors: 256 KiB, or a larger
 * region. Without waits, a sub-group that is ahead reads its own part of the
 * region repeatedly, and a smaller cache can hold this part. More frequent
 * waits would reduce the rate of first-level caches.
 */
#define HELD ((uint)(256 << 10) / (4 * WORDS))

/* One of 2^32 results has this value. Groups that do not store compare it. */
#define SELDOM 0x9e3779b9u

#define NEXT                                                                   \
	i += row;                                                              \
	i = i == region ? 0 : i;

__kernel void cache_read(SOURCE a, __global element *out, uint writers,
	uint blocks, uint slice, uint apart, uint region, uint rounds LAST)
{
	vector t0 = 0, t1 = 0;
	BEGIN
	uint hold = max(rows, HELD / row), held = 0;

	for (uint turn = 0; turn != turns; turn++) {
		INDEX k = at + i;

		t0 ^= READ(k) ^ READ(k + 32);
		t1 ^= READ(k + 64) ^ READ(k + 96);
		NEXT
		if (++held == hold) {
			barrier(CLK_LOCAL_MEM_FENCE);
			held = 0;
		}
	}
	t0 ^= t1;
	/* Only the first groups store: stores of all would take too long. */
	if (g < writers)
		STORE(out, get_global_id(0), t0);
	else if (FIRST_OF(t0) == SELDOM)
		STORE(out, writers * get_local_size(0), t0);
}

/* A written vector identifies its place and, through v, the call. */
__kernel void cache_write(TARGET a, uint v, uint blocks, uint slice,
	uint apart, uint region, uint rounds LAST)
{
	BEGIN

	for (uint turn = 0; turn != turns; turn++) {
		INDEX k = at + i;
		uint x = at + i + v;

		WRITE(k, x);
		WRITE(k + 32, x + 32);
		WRITE(k + 64, x + 64);
		WRITE(k + 96, x + 96);
		NEXT
	}
}

#endif
