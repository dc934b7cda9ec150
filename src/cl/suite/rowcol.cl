/*
 * Work-item g starts at (g >> k) * p + (g & m) * q and accesses n elements that
 * are s apart: a piece of a row or of a column. All numbers are arguments of
 * one kernel, so that with n = 1 both orders are the same.
 *
 * ELEMENT is uchar or uint. The accesses are volatile: the compiler cannot
 * drop, combine or reorder the accesses of a work-item. Since n is an argument,
 * the loop over work-items stays outside the loop over elements. With the loops
 * swapped, a compiler that makes vectors of work-items would change one order
 * into the other. The kernel has four sums, because one sum would be a chain
 * that is slower than the reads.
 */
__kernel void read_array(__global const volatile ELEMENT *a,
	__global uint *out, uint k, uint m, uint p, uint q, uint s, uint n)
{
	uint g = get_global_id(0);
	size_t x = (size_t)(g >> k) * p + (size_t)(g & m) * q;
	uint t0 = 0, t1 = 0, t2 = 0, t3 = 0;
	uint i = 0;

	for (; i + 4 <= n; i += 4) {
		t0 += a[x];
		t1 += a[x + s];
		t2 += a[x + 2 * (size_t)s];
		t3 += a[x + 3 * (size_t)s];
		x += 4 * (size_t)s;
	}
	for (; i < n; i++) {
		t0 += a[x];
		x += s;
	}
	out[g] = t0 + t1 + t2 + t3;
}

/* A written element identifies its writer and, through v, the call. */
__kernel void write_array(__global volatile ELEMENT *a, uint v, uint k, uint m,
	uint p, uint q, uint s, uint n)
{
	uint g = get_global_id(0);
	size_t x = (size_t)(g >> k) * p + (size_t)(g & m) * q;
	uint i = 0;

	v += 7 * g;
	for (; i + 4 <= n; i += 4) {
		a[x] = (ELEMENT)(v + i);
		a[x + s] = (ELEMENT)(v + i + 1);
		a[x + 2 * (size_t)s] = (ELEMENT)(v + i + 2);
		a[x + 3 * (size_t)s] = (ELEMENT)(v + i + 3);
		x += 4 * (size_t)s;
	}
	for (; i < n; i++) {
		a[x] = (ELEMENT)(v + i);
		x += s;
	}
}
