/* Kernels that every session runs before its test. */

/* Do nothing, to time a launch. */
__kernel void nothing(__global uint *out)
{
}

/*
 * Keep every compute unit busy. No compiler can drop a turn, because the next
 * one needs its result.
 */
__kernel void work(__global uint *out, uint turns)
{
	uint x = get_global_id(0) + 1;

	for (uint i = 0; i < turns; i++)
		x = x * 1664525u + 1013904223u;
	out[get_global_id(0)] = x;
}
