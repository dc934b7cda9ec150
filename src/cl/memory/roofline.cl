/*
 * Multiplications with additions (fma) on each number read. S is the type of a
 * number, T is S or, on CPUs, a vector of it (-D). In each turn a work-item
 * reads 8 elements of each of two arrays. An element of array a goes through
 * `trips` fma. A last fma adds its product with the element of array b to a
 * sum: 2 + 2 * trips operations for two elements. The eight chains are
 * independent.
 *
 * On CPUs the elements of a work-item are consecutive; on other devices the
 * distance is the number of work-items. The compiler knows none of the values.
 * A result combines all sums in a fixed order, rounded only by fma().
 */
#if defined(cl_khr_fp64) && __OPENCL_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

#define EIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)

#ifdef IN_A_ROW
#define FIRST ((size_t)g * turns * 8)
#define APART 1
#else
#define FIRST g
#define APART get_global_size(0)
#endif

#define SUM(j)   T s##j = (S)0;
#define LOAD(j)  T t##j = a[i + j * APART];
#define FMA(j)   t##j = fma(t##j, p, q);
#define JOIN(j)  s##j = fma(t##j, b[i + j * APART], s##j);
#define STORE(j) out[(size_t)g * 8 + j] = s##j;

__kernel void roofline(__global const T *a, __global const T *b,
	__global T *out, S p1, S q1, uint trips, uint turns)
{
	uint g = get_global_id(0);
	size_t i = FIRST;
	T p = p1, q = q1;

	EIGHT(SUM)
	for (uint turn = 0; turn < turns; turn++) {
		EIGHT(LOAD)
		for (uint k = 0; k < trips % 8; k++) {
			EIGHT(FMA)
		}
		for (uint k = 0; k < trips / 8; k++) {
			EIGHT(FMA) EIGHT(FMA) EIGHT(FMA) EIGHT(FMA)
			EIGHT(FMA) EIGHT(FMA) EIGHT(FMA) EIGHT(FMA)
		}
		EIGHT(JOIN)
		i += 8 * APART;
	}
	EIGHT(STORE)
}
