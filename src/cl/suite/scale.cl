/* Work-item g adds s elements, from element g * s on, as in the paper. */
__kernel void add(__global const float *a, __global const float *b,
	__global float *c, uint s)
{
	size_t from = (size_t)get_global_id(0) * s;

	for (uint i = 0; i < s; i++)
		c[from + i] = a[from + i] + b[from + i];
}
