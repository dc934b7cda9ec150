/*
 * Six kernels of streams. An array has elements of SCALAR, in vectors of WIDTH;
 * its first PAD vectors are before the first one that counts, and as many are
 * behind the last.
 *
 * On CPUs a work-item has as many vectors as its loop has turns, one behind the
 * other. It has no second load under way before it used the first one: the
 * loops are not unrolled, and the next load may be of what was stored last, as
 * far as a compiler can tell, so it may not load earlier. How many turns there
 * are is not known when this is compiled.
 *
 * HELD, on GPUs: a work-item has one vector. Nobody uses the local memory; it
 * holds groups back, and with them how many loads are under way.
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

/* As many words. */
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
#define TURNS	 turns
#define ARGUMENT uint turns
#endif

#define FIRST (get_global_id(0) * TURNS + PAD)

#define PARAMETERS                                                             \
	__global vector *a, __global const vector *b,                          \
		__global const vector *c, SCALAR v, ARGUMENT

__kernel void stream_init(PARAMETERS)
{
#pragma unroll 1
	for (ulong i = FIRST, end = i + TURNS; i != end; i++)
		a[i] = (vector)(v);
}

#ifdef HELD
/* What was read is stored where it is v, which is so seldom that it is free. */
__kernel void stream_read(PARAMETERS)
{
#pragma unroll 1
	for (ulong i = FIRST, end = i + TURNS; i != end; i++) {
		vector x = b[i];

		if (x == v)
			a[i] = x;
	}
}

/* The most groups that ran at one time. A turn takes as long as an atomic. */
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
/* Any number: of 2^32 sums one is it. */
#define SELDOM 0xffffffffu

/*
 * Words are added, which is exact in any order. The sums are not counted. The
 * store in the loop holds the next load back, see above.
 */
__kernel void stream_read(__global words *sums, __global const words *b,
	__global const vector *c, SCALAR v, ARGUMENT)
{
	words sum = 0;

#pragma unroll 1
	for (ulong i = FIRST, end = i + TURNS; i != end; i++) {
		sum += b[i];
		if (FIRST_OF(sum) == SELDOM)
			sums[get_global_id(0)] = sum;
	}
	sums[get_global_id(0)] = sum;
}
#endif

__kernel void stream_scale(PARAMETERS)
{
#pragma unroll 1
	for (ulong i = FIRST, end = i + TURNS; i != end; i++)
		a[i] = v * b[i];
}

__kernel void stream_triad(PARAMETERS)
{
#pragma unroll 1
	for (ulong i = FIRST, end = i + TURNS; i != end; i++)
		a[i] = b[i] + v * c[i];
}

/* The neighbours of a vector's elements begin an element before and behind. */
#define BESIDE(k) LOAD((__global const SCALAR *)(b + i) + (k))

__kernel void stream_three(PARAMETERS)
{
#pragma unroll 1
	for (ulong i = FIRST, end = i + TURNS; i != end; i++)
		a[i] = v * (BESIDE(-1) + b[i] + BESIDE(1));
}

__kernel void stream_five(PARAMETERS)
{
#pragma unroll 1
	for (ulong i = FIRST, end = i + TURNS; i != end; i++)
		a[i] = v *
		       (BESIDE(-2) + BESIDE(-1) + b[i] + BESIDE(1) + BESIDE(2));
}
