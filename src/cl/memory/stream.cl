/*
 * Six streaming kernels. An array has elements of type SCALAR, in vectors of
 * WIDTH, with PAD unused vectors at each end.
 *
 * On CPUs a work-item has consecutive vectors, one per turn of its loop. A
 * work-item starts a load only after it has used the previous load: loops are
 * not unrolled, and a load may alias the previous store. The number of turns is
 * an argument.
 *
 * On GPUs (HELD) a work-item has one vector. Unused local memory limits how
 * many groups, and thus loads, run simultaneously.
 */
#if defined(cl_khr_fp64) && __OPENCL_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN(a, b)	a##b
#define VECTOR_OF(a, b) JOIN(a, b)
#if WIDTH == 1
#define vector	SCALAR
#define LOAD(p) (*(p))
#else
#define vector	VECTOR_OF(SCALAR, WIDTH)
#define LOAD(p) VECTOR_OF(vload, WIDTH)(0, p)
#endif

/* A vector as words. */
#if WORDS == 1
#define words	    uint
#define FIRST_OF(x) (x)
#else
#define words	    VECTOR_OF(uint, WORDS)
#define FIRST_OF(x) (x).s0
#endif

#ifdef HELD
#define TURNS	 1
#define ARGUMENT __local uint *held
#else
#define TURNS	 max(turns, 1u) /* no code for 0 */
#define ARGUMENT uint turns TAKEN
#endif

#define FIRST ((ulong)item * TURNS + PAD)

#define PARAMETERS                                                             \
	__global vector *a, __global const vector *b,                          \
		__global const vector *c, SCALAR v, ARGUMENT

__kernel void stream_init(PARAMETERS)
{
	EACH_ITEM {
#pragma unroll 1
		for (ulong i = FIRST, end = i + TURNS; i != end; i++)
			a[i] = (vector)(v);
	}
}

#ifdef HELD
/* Store a read value only if it equals v, which is too rare to cost time. */
__kernel void stream_read(PARAMETERS)
{
	EACH_ITEM {
#pragma unroll 1
		for (ulong i = FIRST, end = i + TURNS; i != end; i++) {
			vector x = b[i];

			if (x == v)
				a[i] = x;
		}
	}
}

/*
 * Find how many groups ran simultaneously. A turn takes as long as an atomic
 * operation.
 */
__kernel void stream_count(
	__global uint *now, __global uint *most, uint turns, ARGUMENT)
{
	if (get_local_id(0) == 0) {
		uint seen = atomic_inc(now) + 1;

		for (uint i = 0; i < turns; i++)
			seen = max(seen, atomic_max(most, seen));
		atomic_dec(now);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
}
#else
/* Any value works: one of 2^32 sums is equal. */
#define SELDOM 0xffffffffu

/*
 * Sums of words are exact in any order. The rate does not count the sums. The
 * store in the loop delays the next load; see the top of this file.
 */
__kernel void stream_read(__global words *sums, __global const words *b,
	__global const vector *c, SCALAR v, ARGUMENT)
{
	EACH_ITEM {
		words sum = 0;

#pragma unroll 1
		for (ulong i = FIRST, end = i + TURNS; i != end; i++) {
			sum += b[i];
			if (FIRST_OF(sum) == SELDOM)
				sums[item] = sum;
		}
		sums[item] = sum;
	}
}
#endif

__kernel void stream_scale(PARAMETERS)
{
	EACH_ITEM {
#pragma unroll 1
		for (ulong i = FIRST, end = i + TURNS; i != end; i++)
			a[i] = v * b[i];
	}
}

__kernel void stream_triad(PARAMETERS)
{
	EACH_ITEM {
#pragma unroll 1
		for (ulong i = FIRST, end = i + TURNS; i != end; i++)
			a[i] = b[i] + v * c[i];
	}
}

/* Neighbours of a vector begin one element before it and one element after. */
#define BESIDE(k) LOAD((__global const SCALAR *)(b + i) + (k))

__kernel void stream_three(PARAMETERS)
{
	EACH_ITEM {
#pragma unroll 1
		for (ulong i = FIRST, end = i + TURNS; i != end; i++)
			a[i] = v * (BESIDE(-1) + b[i] + BESIDE(1));
	}
}

__kernel void stream_five(PARAMETERS)
{
	EACH_ITEM {
#pragma unroll 1
		for (ulong i = FIRST, end = i + TURNS; i != end; i++)
			a[i] = v * (BESIDE(-2) + BESIDE(-1) + b[i] + BESIDE(1) +
					   BESIDE(2));
	}
}
