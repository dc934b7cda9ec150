/*
 * Six kernels of streams. An array has elements of SCALAR, in vectors of WIDTH;
 * its first PAD vectors are before the first one that counts, and as many are
 * behind the last. Work-item g has the vectors g * part + n * step, one in each
 * turn of its loop: on CPUs a part for itself, on others every so many.
 *
 * No work-item has a second load under way before it used the first one: how
 * many loads are under way is the number of work-items, which is what the test
 * varies. The loops are not unrolled, and the next load may be of what was
 * stored last, as far as a compiler can tell: it may not load earlier. None of
 * the numbers is known when this is compiled.
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

/* Any number: of 2^32 sums one is it. */
#define SELDOM 0xffffffffu

#define FIRST ((ulong)get_global_id(0) * part + PAD)

__kernel void stream_init(__global vector *a, __global const vector *b,
	__global const vector *c, SCALAR v, uint part, uint step, uint turns)
{
	ulong i = FIRST, end = i + (ulong)turns * step;

#pragma unroll 1
	for (; i != end; i += step)
		a[i] = (vector)(v);
}

/*
 * Words are added, which is exact in any order. The sums are not counted. The
 * store in the loop holds the next load back, see above.
 */
__kernel void stream_read(__global words *sums, __global const words *b,
	__global const vector *c, SCALAR v, uint part, uint step, uint turns)
{
	ulong i = FIRST, end = i + (ulong)turns * step;
	words sum = 0;

#pragma unroll 1
	for (; i != end; i += step) {
		sum += b[i];
		if (FIRST_OF(sum) == SELDOM)
			sums[get_global_id(0)] = sum;
	}
	sums[get_global_id(0)] = sum;
}

__kernel void stream_scale(__global vector *a, __global const vector *b,
	__global const vector *c, SCALAR v, uint part, uint step, uint turns)
{
	ulong i = FIRST, end = i + (ulong)turns * step;

#pragma unroll 1
	for (; i != end; i += step)
		a[i] = v * b[i];
}

__kernel void stream_triad(__global vector *a, __global const vector *b,
	__global const vector *c, SCALAR v, uint part, uint step, uint turns)
{
	ulong i = FIRST, end = i + (ulong)turns * step;

#pragma unroll 1
	for (; i != end; i += step)
		a[i] = b[i] + v * c[i];
}

/* The neighbours of a vector's elements begin an element before and behind. */
#define BESIDE(k) LOAD((__global const SCALAR *)(b + i) + (k))

__kernel void stream_three(__global vector *a, __global const vector *b,
	__global const vector *c, SCALAR v, uint part, uint step, uint turns)
{
	ulong i = FIRST, end = i + (ulong)turns * step;

#pragma unroll 1
	for (; i != end; i += step)
		a[i] = v * (BESIDE(-1) + b[i] + BESIDE(1));
}

__kernel void stream_five(__global vector *a, __global const vector *b,
	__global const vector *c, SCALAR v, uint part, uint step, uint turns)
{
	ulong i = FIRST, end = i + (ulong)turns * step;

#pragma unroll 1
	for (; i != end; i += step)
		a[i] = v *
		       (BESIDE(-2) + BESIDE(-1) + b[i] + BESIDE(1) + BESIDE(2));
}
