/*
 * Three arrays of SCALAR, in n vectors of WIDTH (-D). Work-item g takes every
 * step-th vector, from g * part to the next multiple of reach: on CPUs within
 * its own part, on other devices up to the end.
 *
 * The values are small whole numbers, as in svm.c, so that sums are exact.
 */
#if defined(cl_khr_fp64) && __OPENCL_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN(a, b)	a##b
#define VECTOR_OF(a, b) JOIN(a, b)
#if WIDTH == 1
#define vector SCALAR
#else
#define vector VECTOR_OF(SCALAR, WIDTH)
#endif

#define FIRST	   ((ulong)get_global_id(0) * part)
#define END(first) (reach < n - (first) ? (first) + reach : n)

SCALAR b_at(ulong i, uint version)
{
	return (SCALAR)(((uint)(i ^ i >> 17) + version) & 0x3ffff);
}

SCALAR c_at(ulong i)
{
	return (SCALAR)((uint)i * 2654435761u >> 12);
}

/* Touch all three arrays for the first time. */
__kernel void svm_fill(__global SCALAR *a, __global SCALAR *b,
	__global SCALAR *c, uint version, ulong part, ulong reach, ulong step,
	ulong n)
{
	ulong i = FIRST;

	if (i >= n)
		return;
	for (ulong end = END(i); i < end; i += step) {
		for (uint k = 0; k < WIDTH; k++) {
			ulong at = i * WIDTH + k;

			a[at] = -1;
			b[at] = b_at(at, version);
			c[at] = c_at(at);
		}
	}
}

__kernel void svm_triad(__global vector *restrict a,
	__global const vector *restrict b, __global const vector *restrict c,
	SCALAR v, ulong part, ulong reach, ulong step, ulong n)
{
	ulong i = FIRST;

	if (i >= n)
		return;
	for (ulong end = END(i); i < end; i += step)
		a[i] = b[i] + v * c[i];
}
